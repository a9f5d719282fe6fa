"""Elements picked by index along a dimension, and its adjoint: for what chooses some of its input's elements."""

from __future__ import annotations

from typing import Any

from ..arrays.gather import pick, unpick
from ..machine import batching
from ..machine.namespaces import TENSORS
from ..machine.primitive import primitive
from ..machine.rules import in_both_namespaces

pick_op = primitive("GatherBackward0", kind="linear", batch=batching.moved_dimensions)(pick)


@pick_op.vjp("input")
def pick_gradient_of_input(g: Any, index: Any, dim: int, keepdim: bool, unique: bool, input_shape: Any, xp: Any) -> Any:
    return xp.unpick(g, index, dim, keepdim, unique, input_shape)


def _unpick_tensor(input: Any, index: Any, dim: int, keepdim: bool, unique: bool, shape: tuple[int, ...]) -> Any:
    if not shape:
        return input
    if not keepdim:
        input, index = TENSORS.unsqueeze(input, dim % len(shape)), TENSORS.unsqueeze(index, dim % len(shape))
    put = TENSORS.scatter if unique else TENSORS.scatter_add
    return put(input.new_zeros(shape), input, index, dim % len(shape))


in_both_namespaces("unpick", unpick, _unpick_tensor)
