"""``torch._ops``: what the classes of all that ``torch.ops`` has are derived from."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

__all__: list[str] = []


class Tag(enum.Enum):
    """What is said of operators."""

    __module__ = "facula"

    core = 0
    cudagraph_unsafe = 1
    data_dependent_output = 2
    dynamic_output_shape = 3
    flexible_layout = 4
    generated = 5
    inplace = 6
    inplace_view = 7
    maybe_aliasing_or_mutating = 8
    needs_contiguous_strides = 9
    needs_exact_strides = 10
    needs_fixed_stride_order = 11
    nondeterministic_bitwise = 12
    nondeterministic_seeded = 13
    out = 14
    out_variant = 15
    pointwise = 16
    pt2_compliant_tag = 17
    reduction = 18
    view_copy = 19

    def __int__(self) -> int:
        return int(self.value)


class HigherOrderOperator:
    """An operator with functions among its arguments. What it is for the CPU is made of operators, as all is here, and
    so transforms go through that; rules that are given for them are not needed."""

    def __init__(self, name: str, *, cacheable: bool = False) -> None:
        self._name = self.__name__ = name
        self.namespace = "higher_order"
        self.py_kernels: dict[str, Callable[..., Any]] = {}

    def py_impl(self, k: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """A decorator: what it is for a part of PyTorch's dispatcher."""

        def add(fn: Callable[..., Any]) -> Callable[..., Any]:
            self.py_kernels[getattr(k, "name", str(k))] = fn
            return fn

        return add

    def name(self) -> str:
        return self._name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for key in _FOR_THE_CPU:
            if key in self.py_kernels:
                return self.py_kernels[key](*args, **kwargs)
        raise NotImplementedError(f"could not find kernel for HigherOrderOperator {self._name} at dispatch key CPU")

    def __str__(self) -> str:
        return self._name


_FOR_THE_CPU = ("AutogradCPU", "Autograd", "CompositeImplicitAutograd", "CompositeExplicitAutograd", "CPU")


class OpOverload:
    """An operator with its arguments settled: ``torch.ops.aten.add.Tensor``."""


class OpOverloadPacket:
    """All operators of one name: ``torch.ops.aten.add``."""

    def overloads(self) -> list[Any]:
        """The names of its operators that have been asked for."""
        return [name for name, value in vars(self).items() if isinstance(value, OpOverload)]
