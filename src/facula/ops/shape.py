"""Shape, views, joining and splitting."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._tensor import Tensor
from ._args import size_tuple
from ._forms import public
from ._primitive import primitive


def expand_error(target: tuple[int, ...], shape: tuple[int, ...]) -> RuntimeError:
    """PyTorch's sentence for a shape that cannot be expanded to another."""
    if len(shape) > len(target):
        return RuntimeError(
            f"expand(torch.FloatTensor{{{list(shape)}}}, size={list(target)}): the number of sizes provided "
            f"({len(target)}) must be greater or equal to the number of dimensions in the tensor ({len(shape)})"
        )
    lead = len(target) - len(shape)
    at = max(i for i in range(len(shape)) if shape[i] not in (1, target[lead + i]))
    return RuntimeError(
        f"The expanded size of the tensor ({target[lead + at]}) must match the existing size ({shape[at]}) at "
        f"non-singleton dimension {lead + at}.  Target sizes: {list(target)}.  Tensor sizes: {list(shape)}"
    )


@primitive("ExpandBackward0", name="expand", view=True)
def expand_kernel(input, size: tuple[int, ...]):  # type: ignore[no-untyped-def]
    view = np.broadcast_to(input, size)
    view.flags.writeable = True
    return view


expand_kernel.vjp(input=lambda g, input_shape, xp: xp.sum_to(g, input_shape))


@public("", "expand")
def expand(input: Tensor, *size: Any, implicit: bool = False) -> Tensor:
    """A view with dimensions of size 1 repeated; -1 keeps a size."""
    here = input._array.shape
    target = size_tuple(size)
    lead = len(target) - len(here)
    if lead < 0:
        raise expand_error(target, here)
    full = tuple(here[i - lead] if n == -1 and i >= lead else n for i, n in enumerate(target))
    if any(n not in (1, t) for n, t in zip(here, full[lead:])):
        raise expand_error(full, here)
    return expand_kernel(input, full)


@primitive("ViewBackward0", name="view", view=True)
def view_kernel(input, shape: tuple[int, ...]):  # type: ignore[no-untyped-def]
    return input.reshape(shape)


view_kernel.vjp(input=lambda g, input_shape, xp: xp.reshape(g, input_shape))
