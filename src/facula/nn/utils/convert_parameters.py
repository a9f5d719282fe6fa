"""All parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

import facula

from ..._tensor import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """The elements of all the parameters, one after another."""
    found: Tensor = facula.cat([p.view(-1) for p in parameters])
    return found


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Let the parameters be consecutive parts of a vector."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {_typename(vec)}")
    start = 0
    for p in parameters:
        n = p.numel()
        p.data = vec[start : start + n].view_as(p).data
        start += n


def _typename(value: object) -> str:
    from ..._core.settings import typename  # loaded when first used

    return typename(value)
