"""Gradients for each sample of a batch, by a module and an ordinary backward pass.

Each sample gets parameters of its own, all the same numbers: ``vmap`` calls the module with them sample by sample, and
their gradients are what is looked for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ..._core.pytree import tree_flatten, tree_leaves, tree_unflatten
from ..._tensor import Tensor
from ...func import functional_call, vmap
from ..modules.module import Module
from ..modules.rnn import RNNBase


def call_for_per_sample_grads(
    module: Module, *, batch_size: int | None = None, loss_reduction: str = "sum", batch_first: bool = True
) -> Callable[..., Any]:
    """The module, to be called: a backward pass then adds to ``grad_sample`` of its parameters, not to ``grad``.

    ``loss_reduction="mean"`` takes the division by the batch's size back, which such a loss brings.
    """
    if loss_reduction not in ("sum", "mean"):
        raise RuntimeError(f"Expected loss_reduction argument to be sum or mean, got {loss_reduction}")
    if not isinstance(module, Module):
        raise RuntimeError(f"Module passed must be nn.Module, got {type(module).__name__}")
    if not (batch_size is None or isinstance(batch_size, int)):
        raise RuntimeError(f"Batch size passed must be None or an integer, got {type(batch_size).__name__}")
    if batch_size is not None and batch_size < 1:
        raise RuntimeError(f"Batch size must be positive, got {batch_size}")
    for parameter in module.parameters():
        if getattr(parameter, "grad_sample", None) is not None:
            raise RuntimeError(
                "Current Expanded Weights accumulates the gradients, which will be incorrect for multiple calls "
                f"without clearing gradients. Please clear out the grad_sample parameter of {parameter} or post an "
                "issue to pytorch/pytorch to prioritize correct behavior"
            )
    if any(isinstance(each, RNNBase) for each in module.modules()):
        raise RuntimeError("Expanded Weights encountered but cannot handle function mkldnn_rnn_layer.default")
    dim = 0 if batch_first else 1

    @wraps(module.forward)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        leaves, spec = tree_flatten((args, kwargs))
        size = _batch_size_of(leaves, dim) if batch_size is None else batch_size
        weight = size if loss_reduction == "mean" else 1
        own = {name: _for_each(p, size, weight) for name, p in module.named_parameters() if p.requires_grad}
        is_split = [isinstance(leaf, Tensor) and leaf.dim() > dim and leaf.shape[dim] == size for leaf in leaves]

        def of_one(own: dict[str, Tensor], *given: Any) -> Any:
            alone = [leaf.unsqueeze(dim) if split else leaf for leaf, split in zip(given, is_split)]
            args, kwargs = tree_unflatten(alone, spec)
            found, plan = tree_flatten(functional_call(module, own, args, kwargs))
            return tree_unflatten([each.squeeze(dim) for each in found], plan)

        in_dims = [dim if split else None for split in is_split]
        return vmap(of_one, (0, *in_dims), dim, randomness="different")(own, *leaves)

    return wrapper


def _batch_size_of(leaves: list[Any], dim: int) -> int:
    sizes = [leaf.shape[dim] for leaf in tree_leaves(leaves) if isinstance(leaf, Tensor) and leaf.dim() > dim]
    if not sizes:
        raise RuntimeError(
            "Unable to find a tensor in the passed args and kwargs. They may not be pytree-able and so ExpandedWeights "
            "cannot compute the batch size from the inputs. Please specify it explicitly"
        )
    for size in sizes:
        if size != sizes[0]:
            raise RuntimeError(
                "When computing batch size, found at least one input with batch size "
                f"{sizes[0]} and one with batch size {size}. Please specify it explicitly using the batch size kwarg "
                "in call_for_per_sample_grads"
            )
    return int(sizes[0])


def _for_each(parameter: Any, size: int, weight: int) -> Tensor:
    """A parameter for each sample, whose gradient goes to ``grad_sample``."""
    own: Tensor = parameter.detach().expand(size, *parameter.shape).requires_grad_()

    def keep(own: Any) -> None:
        gradient, own.grad = own.grad * weight, None
        before = getattr(parameter, "grad_sample", None)
        parameter.grad_sample = gradient if before is None else before + gradient

    own.register_post_accumulate_grad_hook(keep)
    return own
