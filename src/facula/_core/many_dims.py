"""Arrays of more dimensions than NumPy's have: they can be made and asked for their sizes; no kernel takes them."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

MOST = 64


class ManyDims(np.ndarray[Any, Any]):
    """Elements in a row, with a shape that NumPy has no room for."""

    sizes: tuple[int, ...] = ()

    def __array_finalize__(self, of: Any) -> None:
        self.sizes = getattr(of, "sizes", ())

    @property  # type: ignore[misc]
    def shape(self) -> tuple[int, ...]:
        return self.sizes

    @property
    def ndim(self) -> int:
        return len(self.sizes)

    @property  # type: ignore[misc]
    def strides(self) -> tuple[int, ...]:
        steps = [self.itemsize]
        for n in self.sizes[:0:-1]:
            steps.append(steps[-1] * max(n, 1))
        return tuple(steps[::-1])

    def __array_ufunc__(self, *args: Any, **kwargs: Any) -> NoReturn:
        refuse()

    def __array_function__(self, *args: Any, **kwargs: Any) -> NoReturn:
        refuse()

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        refuse()

    def reshape(self, *shape: Any, **options: Any) -> Any:
        return in_a_row(self).reshape(*shape, **options)

    __getitem__ = __setitem__ = transpose = astype = copy = tolist = _refuse


def refuse() -> NoReturn:
    raise RuntimeError(f"only tensors with up to {MOST} dims are supported")


def shown(row: np.ndarray[Any, Any], shape: tuple[int, ...]) -> ManyDims:
    """Elements in a row as an array of this shape."""
    array = row.view(ManyDims)
    array.sizes = shape
    return array


def in_a_row(array: Any) -> Any:
    """The elements of such an array as they lie in memory; any other one as it is."""
    return array.view(np.ndarray) if array.__class__ is ManyDims else array
