"""Size: the tuple that ``tensor.shape`` is."""

from __future__ import annotations

from typing import Any


class Size(tuple[int, ...]):
    """A shape."""

    __module__ = "facula"

    __slots__ = ()

    def __new__(cls, sizes: Any = ()) -> Size:
        if sizes.__class__ is tuple:
            found = tuple.__new__(cls, sizes)
            for n in found:
                if n.__class__ is not int:
                    break
            else:
                return found
        return tuple.__new__(cls, [_one_size(n, i) for i, n in enumerate(sizes)])

    def numel(self) -> int:
        n = 1
        for d in self:
            n *= d
        return n

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __getitem__(self, key: Any) -> Any:
        item = tuple.__getitem__(self, key)
        return Size(item) if isinstance(key, slice) else item

    def __add__(self, other: Any) -> Size:
        return Size(tuple.__add__(self, other))

    def __mul__(self, times: Any) -> Size:
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__

    def __radd__(self, other: Any) -> Size:
        return Size(tuple(other).__add__(self))

    def __reduce__(self) -> Any:
        return Size, (tuple(self),)


def _one_size(n: Any, at: int) -> int:
    try:
        return int(n.__index__())
    except (AttributeError, TypeError):
        raise TypeError(
            f"torch.Size() takes an iterable of 'int' (item {at} is '{type(n).__name__}')"
        ) from None
