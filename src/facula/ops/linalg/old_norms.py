"""Norms under their old names, and functions that PyTorch has removed."""

from __future__ import annotations

from typing import Any, NoReturn

from ..._lazy import set_methods
from ..._tensor import Tensor
from ..machine.deprecated import warn_once
from ..machine.public import FUNCTIONS, public
from ..reductions.norms import matrix_norm, vector_norm


@public(
    "nuclear_norm", out="exact", out_error="linalg.matrix_norm expected out tensor dtype {0} but got: {1}",
    overloads=True,
)  # fmt: skip
def nuclear_norm(input: Tensor, dim: Any = (-2, -1), keepdim: bool = False) -> Tensor:
    """The sum of the singular values of matrices; ``linalg.matrix_norm(input, "nuc", dim)`` by its old name."""
    _warn("nuclear_norm", "matrix_norm(A, 'nuc', dim, keepdim)")
    if isinstance(dim, bool):  # it is ``keepdim``
        dim, keepdim = (-2, -1), dim
    found: Tensor = matrix_norm(input, "nuc", dim, keepdim)
    return found


@public("frobenius_norm", out="exact")
def frobenius_norm(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """``linalg.vector_norm(input, 2, dim)`` by its old name, for at most two dimensions."""
    _warn("frobenius_norm", "vector_norm(A, 2., dim, keepdim)")
    dims = [dim] if isinstance(dim, int) else list(dim)
    if len(dims) > 2:
        raise RuntimeError(f"Expected at most 2 dimensions, but got {len(dims)} dimensions instead.")
    found: Tensor = vector_norm(input, 2, dims or None, keepdim)
    return found


def _warn(name: str, instead: str) -> None:
    warn_once(
        f"at::{name} is deprecated and it is just left for JIT compatibility. It will be removed in a future PyTorch "
        f"release. Please use `linalg.{instead}` instead"
    )


_REMOVED = {
    "eig": "linalg.eig", "lstsq": "linalg.lstsq", "matrix_rank": "linalg.matrix_rank", "solve": "linalg.solve",
    "symeig": "linalg.eigh",
}  # fmt: skip


def _removed(name: str, instead: str) -> None:
    def removed(input: Any, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(
            "This function was deprecated since version 1.9 and is now removed.\n"
            f"Please use the `torch.{instead}` function instead."
        )

    removed.__name__ = removed.__qualname__ = name
    removed.__doc__ = f"It was removed; there is ``{instead}``."
    FUNCTIONS[name] = removed
    if name != "matrix_rank":
        set_methods(**{name: removed})


for _name, _instead in _REMOVED.items():
    _removed(_name, _instead)
