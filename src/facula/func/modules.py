"""Modules as functions of their parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, wraps
from itertools import chain
from typing import Any


def functional_call(
    module: Any, parameter_and_buffer_dicts: Any, args: Any = None, kwargs: dict[str, Any] | None = None, *,
    tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    """Call a module with other parameters and buffers than its own."""
    given = parameter_and_buffer_dicts
    if isinstance(given, dict):
        return _stateless()._functional_call(
            module, given, args, kwargs, tie_weights=tie_weights, strict=strict
        )
    dicts = given
    if not isinstance(dicts, Sequence):
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(given)}"
        )
    if not all(isinstance(d, dict) for d in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    repeated = sorted(name for name, times in Counter(chain.from_iterable(dicts)).items() if times > 1)
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    merged = dict(chain.from_iterable(d.items() for d in dicts))
    return _stateless()._functional_call(module, merged, args, kwargs, tie_weights=tie_weights, strict=strict)


@cache
def _stateless() -> Any:
    """The module that does it, which loads all of ``nn``."""
    from ..nn.utils import stateless  # loaded when first used

    return stateless


def stack_module_state(models: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and the buffers of several modules of one kind, stacked: to be mapped over by ``vmap``."""
    from ..ops.moving.joining import stack  # loaded when first used

    if not len(models):
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or all(not m.training for m in models)):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters: dict[str, Any] = {}
    for name, first in models[0].named_parameters():
        if any(dict(m.named_parameters())[name].requires_grad != first.requires_grad for m in models):
            raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
        joined = stack([dict(m.named_parameters())[name].detach() for m in models])
        parameters[name] = joined.requires_grad_(first.requires_grad)
    buffers = {
        name: stack([dict(m.named_buffers())[name] for m in models]) for name, _ in models[0].named_buffers()
    }
    return parameters, buffers


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """The function with its in-place operations hidden from whoever traces it; here nobody does, so it is the same."""
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced "
            "with their out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators {view} will be "
            "replaced with their non-aliasing counterparts, {view}_copy.\n"
        )

    @wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    return call


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Have the batch norms of a module use each batch's own statistics: running ones cannot be updated in ``vmap``."""
    from ..nn.modules.batchnorm import _BatchNorm  # loaded when first used

    for m in [root, *root.modules()]:
        if isinstance(m, _BatchNorm):
            m.running_mean = None
            m.running_var = None
            m.num_batches_tracked = None
            m.track_running_stats = False
    return root
