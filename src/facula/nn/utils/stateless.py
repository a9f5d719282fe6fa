"""Calling a module with other tensors in the place of its parameters and buffers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..._tensor import Tensor
from ..modules.module import Module
from ._named_member_accessor import NamedMemberAccessor

__all__ = ["functional_call"]


def _untie_named_tensors_map(module: Module, parameters_and_buffers: dict[str, Tensor]) -> dict[str, Tensor]:
    """The given tensors, also under the other names that their parameters have in the module."""
    names_of: dict[int, list[str]] = {}
    for name, tensor in [
        *module.named_parameters(remove_duplicate=False), *module.named_buffers(remove_duplicate=False)
    ]:  # fmt: skip
        names_of.setdefault(id(tensor), []).append(name)
    tied = [set(names) for names in names_of.values() if len(names) > 1]
    found = dict(parameters_and_buffers)
    for names in tied:
        given = sorted(names & parameters_and_buffers.keys())
        if len(given) > 1 and len({id(parameters_and_buffers[name]) for name in given}) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {given}, which are tied. Consider using "
                "tie_weights=False"
            )
        for name in names if given else ():
            found[name] = parameters_and_buffers[given[0]]
    return found


@contextmanager
def _reparametrize_module(
    module: Module, parameters_and_buffers: dict[str, Tensor], tie_weights: bool = False, strict: bool = False,
    stack_weights: bool = False,
) -> Iterator[None]:  # fmt: skip
    """Within it, the module has the given tensors."""
    given = parameters_and_buffers
    if tie_weights:
        given = _untie_named_tensors_map(module, given)
    accessor = NamedMemberAccessor(module)
    if strict:
        missing, unexpected = accessor.check_keys(given)
        problems = [
            f"{title} key(s): {', '.join(map(repr, sorted(keys)))}."
            for title, keys in (("Unexpected", unexpected), ("Missing", missing))
            if keys
        ]
        if problems:
            raise RuntimeError(
                f"Error(s) in reparametrizing for {module._get_name()}:\n\t" + "\n\t".join(problems)
            )
    before: dict[str, Any] = {}
    try:
        before, _ = accessor.swap_tensors_dict(given, allow_missing=True)
        yield
    finally:
        if stack_weights:  # tied weights: the last to be replaced is the first to come back
            before = dict(reversed(before.items()))
        changed, _ = accessor.swap_tensors_dict(before, allow_missing=True)
        # what forward has put in their place is what the caller sees
        parameters_and_buffers.update({k: changed[k] for k in parameters_and_buffers if k in changed})


def functional_call(
    module: Module, parameters_and_buffers: dict[str, Tensor], args: Any = None, kwargs: dict[str, Any] | None = None,
    *, tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    """The old place of ``func.functional_call``."""
    warnings.warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
        "version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
        stacklevel=2,
    )
    return _functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


def _functional_call(
    module: Module, parameters_and_buffers: dict[str, Tensor], args: Any = None, kwargs: dict[str, Any] | None = None,
    *, tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    if args is None:
        args = ()
    elif not isinstance(args, tuple):
        args = (args,)
    with _reparametrize_module(module, parameters_and_buffers, tie_weights, strict):
        return module(*args, **(kwargs or {}))
