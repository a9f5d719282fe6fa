"""What kinds of activations share.

Modules of activations hold no other classes: programs go through them for all that there are.
"""

from __future__ import annotations

from typing import Any

from ..._core.own_methods import own
from .module import Module


def and_inplace(told: str, inplace: bool) -> str:
    if not inplace:
        return told
    return f"{told}, inplace=True" if told else "inplace=True"


class Kin(Module):
    """A base of activations that are made alike. Python's error for wrong arguments names the one that was called."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        init = cls.__init__
        if cls.__module__.startswith(f"{__package__}.") and "__init__" not in vars(cls) and init is not Module.__init__:
            own("__init__", cls)


class InPlace(Kin):
    """What may write into its input."""

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return and_inplace("", self.inplace)


class Exponential(Kin):
    """What ELU and CELU share."""

    __constants__ = ["alpha", "inplace"]

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def extra_repr(self) -> str:
        return and_inplace(f"alpha={self.alpha}", self.inplace)


class Shrink(Kin):
    """What softshrink and hardshrink share."""

    __constants__ = ["lambd"]

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return str(self.lambd)


class OverDimension(Kin):
    """What softmax, its logarithm and softmin share."""

    __constants__ = ["dim"]

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("dim", None)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"
