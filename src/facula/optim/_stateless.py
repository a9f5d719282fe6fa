"""Stepping with other parameters and other state than an optimizer's own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .._tensor import Tensor
from .optimizer import Optimizer

_ITSELF = "swap_in_optimizer_params_and_state"


@contextmanager
def swap_in_optimizer_params_and_state(
    optimizer: Optimizer, swapin_parameters: dict[str, Tensor], swapin_optim_state: dict[str, Any]
) -> Iterator[None]:
    """Within, the optimizer has these parameters and this state (as of ``state_dict()``); then its own again."""
    if not optimizer.state:
        raise RuntimeError(f"{_ITSELF} requires initialized optimizer state.")
    if not isinstance(swapin_optim_state, dict):
        raise RuntimeError(f"{_ITSELF} requires a DCP-style optimizer state_dict.")
    given = list(swapin_parameters.values())
    if len(given) != sum(len(group["params"]) for group in optimizer.param_groups):
        raise RuntimeError(
            f"{_ITSELF} requires the explicit parameter state to match optimizer.param_groups ordering."
        )
    state = _state_of(swapin_optim_state)
    by_number: dict[Any, Any] = {}
    groups = []
    rest = iter(given)
    for own, other in zip(optimizer.param_groups, _groups_of(swapin_optim_state, optimizer)):
        params = [next(rest) for _ in own["params"]]
        by_number.update(zip(other["params"], params))
        groups.append({**other, "params": params})
    swapped: defaultdict[Any, Any] = defaultdict(dict)
    for number, kept in state.items():
        if not isinstance(kept, dict):
            raise RuntimeError(f"{_ITSELF} requires per-parameter optimizer state entries to be dictionaries.")
        swapped[by_number.get(number, number)] = dict(kept)
    before = optimizer.param_groups, optimizer.state
    optimizer.param_groups, optimizer.state = groups, swapped
    try:
        yield
    finally:
        optimizer.param_groups, optimizer.state = before


def _state_of(swapin: dict[str, Any]) -> dict[Any, Any]:
    state = swapin.get("state")
    if not isinstance(state, dict):
        raise RuntimeError(
            f"{_ITSELF} requires swapin_optim_state['state'] to be a dict mapping packed parameter ids to per-param "
            f"state dicts, got {type(state).__name__}."
        )
    return state


def _groups_of(swapin: dict[str, Any], optimizer: Optimizer) -> list[dict[str, Any]]:
    groups: list[dict[str, Any]] = swapin["param_groups"]
    if len(groups) != len(optimizer.param_groups):
        raise RuntimeError("swapin_optim_state has a different number of parameter groups than the live optimizer.")
    for i, (own, other) in enumerate(zip(optimizer.param_groups, groups)):
        if len(own["params"]) != len(other["params"]):
            raise RuntimeError(
                f"swapin_optim_state param group {i} has a different number of params than the live optimizer param "
                "group."
            )
        if own.keys() != other.keys():
            raise RuntimeError(
                f"{_ITSELF} requires optimizer.state_dict()-style param group keys to exactly match the live optimizer "
                f"group keys for group {i}. Keys only in swap-in: {sorted(other.keys() - own.keys())}. Keys only in "
                f"live: {sorted(own.keys() - other.keys())}."
            )
    return groups
