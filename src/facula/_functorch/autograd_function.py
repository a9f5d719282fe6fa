"""What programs take of ``torch._functorch.autograd_function``."""

from __future__ import annotations

from typing import Any

__all__ = ["CtxWithSavedTensors", "reductify_leaf"]


class CtxWithSavedTensors:
    """A context of an ``autograd.Function`` that has saved other tensors; all else is the one's inside."""

    _pt_reserved_attrs = ("_pt_new_saved_tensors", "_pt_reserved_attrs", "_pt_inner_ctx")

    def __init__(self, ctx: Any, new_saved_tensors: Any) -> None:
        reserved = CtxWithSavedTensors._pt_reserved_attrs
        if not isinstance(ctx, CtxWithSavedTensors) and any(hasattr(ctx, name) for name in reserved):
            raise RuntimeError(
                f"PyTorch reserves the {reserved} field on ctx. Please name your fields on ctx something else to avoid "
                "name collision."
            )
        self._pt_inner_ctx = ctx
        self._pt_new_saved_tensors = new_saved_tensors

    @property
    def saved_tensors(self) -> Any:
        return self._pt_new_saved_tensors

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pt_inner_ctx, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in CtxWithSavedTensors._pt_reserved_attrs:
            self.__dict__[name] = value
        else:
            setattr(self._pt_inner_ctx, name, value)


def reductify_leaf(
    grad_input: Any, grad_input_bdim: int | None, input_bdim: int | None, batch_size: int,
    target_shape_without_bdim_to_reduce_to: Any = None,
) -> Any:  # fmt: skip
    """The gradient of an input of ``vmap``, as the input lies: summed over a batch that the input has no part in."""
    if grad_input is None or (grad_input_bdim is None and input_bdim is None):
        return grad_input
    if input_bdim is None:
        return grad_input.sum(grad_input_bdim)
    target = target_shape_without_bdim_to_reduce_to
    if grad_input_bdim is None:
        grad_input = grad_input.unsqueeze(input_bdim)
        shape = [*grad_input.shape]
        shape[input_bdim] = batch_size
        grad_input, grad_input_bdim = grad_input.expand(shape), input_bdim
    if target is not None:
        items = grad_input.movedim(grad_input_bdim, 0)
        whole = (batch_size, *[1] * (items.dim() - 1 - len(target)), *target)
        grad_input, grad_input_bdim = items.sum_to_size(whole).reshape(batch_size, *target), 0
    return grad_input.movedim(grad_input_bdim, input_bdim)
