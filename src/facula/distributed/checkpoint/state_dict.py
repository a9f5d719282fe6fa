"""``torch.distributed.checkpoint.state_dict``: states by the names that parameters have in the bare model.

Whatever wraps a model, its state has the names of the model itself, and an optimizer's state has these names in the
place of numbers. So it can be loaded again with other wrappers and another order of parameters.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ... import zeros_like
from ...nn import Module
from ...optim import Optimizer
from .. import collectives, objects
from ..queries import get_rank, is_initialized

__all__ = [
    "StateDictOptions", "get_model_state_dict", "get_optimizer_state_dict", "get_state_dict", "set_model_state_dict",
    "set_optimizer_state_dict", "set_state_dict",
]  # fmt: skip

_WRAPPERS = {"DistributedDataParallel": "module", "OptimizedModule": "_orig_mod"}


@dataclass
class StateDictOptions:
    """What to leave out, whom to give it to, and how to load."""

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


def _checked(options: StateDictOptions | None, submodules: set[Module] | None = None) -> StateDictOptions:
    if submodules:
        warnings.warn(
            "Getting submodules only model/optim state_dict is deprecated and will be removed in 2.5. This feature can "
            "be achieved by manually filtering out the state_dict returned from get_state_dict.",
            FutureWarning,
            stacklevel=3,
        )
    options = options or StateDictOptions()
    if options.broadcast_from_rank0 and not options.full_state_dict:
        raise ValueError("full_state_dict must be True when broadcast_from_rank0 is True.")
    return options


def _bare(model: Any, name: str) -> str:
    """A name of a parameter or buffer without the steps into what wraps a model."""
    steps, kept, module = name.split("."), [], model
    for step in steps:
        if step != _WRAPPERS.get(type(module).__name__):
            kept.append(step)
        module = getattr(module, step, None)
    return ".".join(kept)


def _names(model: Module) -> dict[Any, str]:
    return {parameter: _bare(model, name) for name, parameter in model.named_parameters()}


def _optimizers(given: Optimizer | Iterable[Optimizer]) -> tuple[Optimizer, ...]:
    return (given,) if isinstance(given, Optimizer) else tuple(given)


def _is_given(options: StateDictOptions) -> bool:
    """Whether this process is given the state: of a whole one for the memory of the CPU, only the first is."""
    return not (options.full_state_dict and options.cpu_offload and is_initialized() and get_rank() != 0)


def get_model_state_dict(
    model: Module, *, submodules: set[Module] | None = None, options: StateDictOptions | None = None
) -> dict[str, Any]:
    """The state of a model."""
    options = _checked(options, submodules)
    if not _is_given(options):
        return {}
    state = model.state_dict()
    frozen = {n for n, p in model.named_parameters() if not p.requires_grad} if options.ignore_frozen_params else set()
    parts = [name + "." for name, module in model.named_modules() if module in submodules] if submodules else [""]
    found = type(state)()
    for part in parts:
        for name, value in state.items():
            if name.startswith(part) and name not in frozen:
                kept = _bare(model, name)
                found[kept if options.keep_submodule_prefixes else kept.removeprefix(_bare(model, part))] = value
    return found


def _initialized(optimizer: Optimizer) -> None:
    """Let an optimizer make its state, by a step that changes nothing."""
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    if optimizer.state or any(p.grad is not None for p in parameters):
        return
    for p in parameters:
        if p.requires_grad:
            p.grad = zeros_like(p)
    rates = [group.get("lr") for group in optimizer.param_groups]
    for group in optimizer.param_groups:
        if "lr" in group:
            group["lr"] = group["lr"].new_zeros(()) if hasattr(group["lr"], "new_zeros") else 0.0
    optimizer.step(closure=None)
    for group, rate in zip(optimizer.param_groups, rates):
        if "lr" in group:
            group["lr"] = rate
    optimizer.zero_grad(set_to_none=True)


def get_optimizer_state_dict(
    model: Module, optimizers: Optimizer | Iterable[Optimizer], *, submodules: set[Module] | None = None,
    options: StateDictOptions | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The state of optimizers together, by the names of parameters."""
    options = _checked(options, submodules)
    names = _names(model)
    kept = {p for m in submodules for p in m.parameters()} if submodules else None
    states: dict[str, Any] = {}
    groups: list[dict[str, Any]] = []
    for optimizer in _optimizers(optimizers):
        _initialized(optimizer)
        for own in optimizer.param_groups:
            parameters = [p for p in own["params"] if kept is None or p in kept]
            states.update((names[p], dict(optimizer.state[p])) for p in parameters if p in optimizer.state)
            rest = {key: value for key, value in own.items() if key != "params"}
            groups.append({**rest, "params": [names[p] for p in parameters]})
    if not groups or not _is_given(options):
        return {}
    whole = {"state": states, "param_groups": groups}
    return dict(_flattened(whole)) if options.flatten_optimizer_state_dict else whole


def _flattened(whole: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, state in whole["state"].items():
        yield from ((f"state.{name}.{key}", value) for key, value in state.items())
    for group in whole["param_groups"]:
        for name in group["params"]:
            yield from ((f"param_groups.{name}.{key}", value) for key, value in group.items() if key != "params")


def get_state_dict(
    model: Module, optimizers: Optimizer | Iterable[Optimizer], *, submodules: set[Module] | None = None,
    options: StateDictOptions | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:  # fmt: skip
    """The states of a model and of its optimizers."""
    given = _optimizers(optimizers)
    return (
        get_model_state_dict(model, submodules=submodules, options=options),
        get_optimizer_state_dict(model, given, submodules=submodules, options=options),
    )


def _everybodys(state: dict[str, Any], options: StateDictOptions) -> dict[str, Any]:
    """The state that rank 0 has, if it is the one to load."""
    if not options.broadcast_from_rank0:
        return state
    given: list[Any] = [state]
    objects.broadcast_object_list(given, src=0)
    collectives.barrier()
    received: dict[str, Any] = given[0]
    return received


def set_model_state_dict(
    model: Module, model_state_dict: dict[str, Any], *, options: StateDictOptions | None = None
) -> Any:
    """Load the state of a model; gives the names that were missing, and those that were not expected."""
    options = _checked(options)
    state = dict(_everybodys(model_state_dict, options))
    for name in model.state_dict(keep_vars=True):
        bare = _bare(model, name)
        if bare != name and bare in state:
            state[name] = state.pop(bare)
    return model.load_state_dict(state, strict=options.strict)


def set_optimizer_state_dict(
    model: Module, optimizers: Optimizer | Iterable[Optimizer], optim_state_dict: dict[str, Any], *,
    options: StateDictOptions | None = None,
) -> None:  # fmt: skip
    """Load the state of optimizers."""
    options = _checked(options)
    names = _names(model)
    whole = _everybodys(optim_state_dict, options)
    for optimizer in _optimizers(optimizers):
        _initialized(optimizer)
        states, groups, number = {}, [], 0
        for own in optimizer.param_groups:
            numbers = []
            found: dict[str, Any] = {}
            for parameter in own["params"]:
                state, group = _of(names[parameter], own, optimizer.state.get(parameter, {}), whole, options)
                if state and parameter.requires_grad:
                    states[number] = state
                found = found or group
                numbers.append(number)
                number += 1
            groups.append({**{key: value for key, value in own.items() if key != "params"}, **found, "params": numbers})
        optimizer.load_state_dict({"state": states, "param_groups": groups})


def _of(
    name: str, own_group: dict[str, Any], own_state: dict[str, Any], whole: dict[str, Any], options: StateDictOptions
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The state of one parameter in what is to be loaded, and what its group says."""
    if options.flatten_optimizer_state_dict:
        state = {key: whole[f"state.{name}.{key}"] for key in own_state}
        group = {key: whole[f"param_groups.{name}.{key}"] for key in own_group if key != "params"}
        return state, group
    for group in whole["param_groups"]:
        if name in group["params"]:
            return whole["state"].get(name, {}), {key: value for key, value in group.items() if key != "params"}
    return {}, {}


def set_state_dict(
    model: Module, optimizers: Optimizer | Iterable[Optimizer], *, model_state_dict: dict[str, Any],
    optim_state_dict: dict[str, Any], options: StateDictOptions | None = None,
) -> Any:  # fmt: skip
    """Load the states of a model and of its optimizers."""
    given = _optimizers(optimizers)
    set_optimizer_state_dict(model, given, optim_state_dict, options=options)
    return set_model_state_dict(model, model_state_dict, options=options)
