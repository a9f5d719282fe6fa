"""``FlopCounterMode``: how many floating point operations products, convolutions and attention take, module by module.

A multiplication and an addition are two. Which operators count, and how much, is PyTorch's: attention on the CPU, whose
operator has no formula there, counts nothing.
"""

from __future__ import annotations

import functools
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from .. import nn
from .._ops import OpOverloadPacket
from .._tensor import Tensor
from ..ops import aten as _aten
from ._python_dispatch import TorchDispatchMode
from ._pytree import tree_map
from .module_tracker import ModuleTracker

__all__ = ["FlopCounterMode", "register_flop_formula"]

Formula = Callable[..., int]
Shape = Sequence[int]

aten: Any = _aten

flop_registry: dict[Any, Formula] = {}
"""What operators take, as functions of their arguments and results."""


def get_shape(value: Any) -> Any:
    """The shape of a tensor; another value as it is."""
    return value.shape if isinstance(value, Tensor) else value


def shape_wrapper(formula: Formula) -> Formula:
    """A function of shapes as one of tensors."""

    @functools.wraps(formula)
    def of_tensors(*args: Any, out_val: Any = None, **kwargs: Any) -> int:
        args, kwargs, shape = tree_map(get_shape, (args, kwargs, out_val))
        return formula(*args, out_shape=shape, **kwargs)

    return of_tensors


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Formula], Formula]:
    """A decorator: what operators such as ``torch.ops.aten.mm`` take.

    The function gets shapes in place of tensors, and ``out_shape=``; with ``get_raw`` the tensors, and ``out_val=``.
    """

    def register(formula: Formula) -> Formula:
        counted = formula if get_raw else shape_wrapper(formula)

        def register_one(target: Any) -> None:
            if not isinstance(target, OpOverloadPacket):
                raise ValueError(
                    "register_flop_formula(targets): expected each target to be OpOverloadPacket (i.e. "
                    "torch.ops.mylib.foo), JitFunction, or HigherOrderOperator, got "
                    f"{target} which is of type {type(target)}"
                )
            if target in flop_registry:
                raise RuntimeError(f"duplicate registrations for {target}")
            flop_registry[target] = counted

        tree_map(register_one, targets)
        return counted

    return register


# ---- what operators take


@register_flop_formula(aten.mm)
def mm_flop(a_shape: Shape, b_shape: Shape, *args: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """Of a product of matrices."""
    return int(2 * prod(a_shape) * b_shape[1])


@register_flop_formula(aten.addmm)
def addmm_flop(self_shape: Shape, a_shape: Shape, b_shape: Shape, out_shape: Any = None, **kwargs: Any) -> int:
    """Of a product of matrices to which something is added: that is not counted."""
    return mm_flop.__wrapped__(a_shape, b_shape)  # type: ignore[attr-defined]


@register_flop_formula(aten.bmm)
def bmm_flop(a_shape: Shape, b_shape: Shape, out_shape: Any = None, **kwargs: Any) -> int:
    """Of products of batches of matrices."""
    return int(2 * prod(a_shape) * b_shape[2])


@register_flop_formula(aten.baddbmm)
def baddbmm_flop(self_shape: Shape, a_shape: Shape, b_shape: Shape, out_shape: Any = None, **kwargs: Any) -> int:
    """The same, to which something is added."""
    return bmm_flop.__wrapped__(a_shape, b_shape)  # type: ignore[attr-defined]


def conv_flop_count(x_shape: Shape, w_shape: Shape, out_shape: Shape, transposed: bool = False) -> int:
    """Of a convolution: each element of the result, or, transposed, of the input, meets a filter."""
    channels, *filter = w_shape[1:]
    sizes = (x_shape if transposed else out_shape)[2:]
    return int(2 * x_shape[0] * prod(sizes) * prod(filter) * w_shape[0] * channels)


@register_flop_formula([aten.convolution, aten._convolution])
def conv_flop(
    x_shape: Shape, w_shape: Shape, _bias: Any, _stride: Any, _padding: Any, _dilation: Any, transposed: bool,
    *args: Any, out_shape: Any = None, **kwargs: Any,
) -> int:  # fmt: skip
    """Of a convolution."""
    return conv_flop_count(x_shape, w_shape, out_shape, transposed=transposed)


@register_flop_formula(aten.convolution_backward)
def conv_backward_flop(
    grad_out_shape: Shape, x_shape: Shape, w_shape: Shape, _bias: Any, _stride: Any, _padding: Any, _dilation: Any,
    transposed: bool, _output_padding: Any, _groups: int, output_mask: Sequence[bool], out_shape: Any,
) -> int:  # fmt: skip
    """Of the gradients of a convolution: each is one, with its parts in other places."""
    count = 0
    if output_mask[0]:
        count += conv_flop_count(grad_out_shape, w_shape, out_shape[0], not transposed)
    if output_mask[1] and transposed:
        count += conv_flop_count(_flipped(grad_out_shape), _flipped(x_shape), _flipped(out_shape[1]), False)
    elif output_mask[1]:
        count += conv_flop_count(_flipped(x_shape), _flipped(grad_out_shape), _flipped(out_shape[1]), False)
    return count


def _flipped(shape: Shape) -> list[int]:
    """With samples for channels."""
    return [shape[1], shape[0], *shape[2:]]


def sdpa_flop_count(query_shape: Shape, key_shape: Shape, value_shape: Shape) -> int:
    """Of attention: two products of batches."""
    *batch, queries, width = query_shape
    keys = key_shape[-2]
    return int(2 * prod(batch) * queries * keys * (width + value_shape[-1]))


def sdpa_backward_flop_count(
    grad_out_shape: Shape, query_shape: Shape, key_shape: Shape, value_shape: Shape
) -> int:
    """Of the gradients of attention: scores again, and two products for each of the two."""
    *batch, queries, width = query_shape
    keys = key_shape[-2]
    return int(2 * prod(batch) * queries * keys * (3 * width + 2 * value_shape[-1]))


# ---- the mode


class FlopCounterMode:
    """Counts within a ``with`` block, and prints a table at its end unless ``display=False``.

    ``depth`` is how deep modules are that the table shows, ``custom_mapping`` further formulas by operators; those with
    an attribute ``_get_raw`` get tensors. ``mods`` is not needed any more.
    """

    def __init__(
        self, mods: nn.Module | list[nn.Module] | None = None, depth: int = 2, display: bool = True,
        custom_mapping: dict[Any, Any] | None = None,
    ) -> None:  # fmt: skip
        self.flop_counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        self.depth = depth
        self.display = display
        self.mode: _Counting | None = None
        if mods is not None:
            warnings.warn("mods argument is not needed anymore, you can stop passing it", stacklevel=2)
        own = {
            target: formula if getattr(formula, "_get_raw", False) else shape_wrapper(formula)
            for target, formula in (custom_mapping or {}).items()
        }
        self.flop_registry = {**flop_registry, **own}
        self.mod_tracker = ModuleTracker()

    def get_total_flops(self) -> int:
        """The sum of all."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """By modules, and by operators within each."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """A table of modules and operators."""
        depth = self.depth if depth is None else depth
        total = self.get_total_flops()
        all_within = any(sum(counts.values()) >= total for name, counts in self.flop_counts.items() if name != "Global")

        def rows_of(name: str, level: int) -> list[list[str]]:
            counts = self.flop_counts[name]
            shown = [(name, sum(counts.values())), *((f" - {op}", n) for op, n in counts.items())]
            return [[" " * level + text, _with_suffix(n, total), _percent(n, total)] for text, n in shown]

        names = sorted(name for name in self.flop_counts if name != "Global" and name.count(".") < depth)
        rows = [row for name in names for row in rows_of(name, name.count("."))]
        if "Global" in self.flop_counts and not all_within:
            rows = rows_of("Global", 0) + [[f" {text}", *numbers] for text, *numbers in rows]
        return _table(["Module", "FLOP", "% Total"], rows or [["Global", "0", "0%"]])

    def __enter__(self) -> FlopCounterMode:
        self.flop_counts.clear()
        self.mod_tracker.__enter__()
        self.mode = _Counting(self)
        self.mode.__enter__()
        return self

    def __exit__(self, *exc: object) -> Any:
        assert self.mode is not None
        self.mode.__exit__(*exc)
        self.mode = None
        self.mod_tracker.__exit__(*exc)
        if self.display:
            print(self.get_table(self.depth))

    def _count_flops(self, func_packet: Any, out: Any, args: Any, kwargs: Any) -> Any:
        formula = self.flop_registry.get(func_packet)
        if formula is not None:
            count = formula(*args, **kwargs, out_val=out)
            for name in set(self.mod_tracker.parents):
                self.flop_counts[name][func_packet] += count
        return out


class _Counting(TorchDispatchMode):
    def __init__(self, counter: FlopCounterMode) -> None:
        self.counter = counter

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        return self.counter._count_flops(func._overloadpacket, func(*args, **kwargs), args, kwargs)


# ---- the table

suffixes = ["", "K", "M", "B", "T"]


def get_suffix_str(number: int) -> str:
    """Thousands, millions ...: so that up to two digits more than three stand before the point."""
    index = max(0, min(len(suffixes) - 1, (len(str(number)) - 2) // 3))
    return suffixes[index]


def convert_num_with_suffix(number: int, suffix: str) -> str:
    """A number as ``172.032K``."""
    return f"{number / 1000 ** suffixes.index(suffix):.3f}{suffix}"


def convert_to_percent_str(num: int, denom: int) -> str:
    """A share as ``23.81%``."""
    return f"{num / denom:.2%}" if denom else "0%"


_percent = convert_to_percent_str


def _with_suffix(number: int, total: int) -> str:
    return convert_num_with_suffix(number, get_suffix_str(total))


def _table(titles: list[str], rows: list[list[str]]) -> str:
    """Columns two blanks apart, the first to the left, the others to the right."""
    lines = [titles, *[[text.strip() for text in row] for row in rows]]
    widths = [max(len(line[i]) for line in lines) for i in range(len(titles))]
    widths = [max(w, len(t) + 2) for w, t in zip(widths, titles)]

    def written(line: list[str]) -> str:
        first, *others = (text.ljust(w) if i == 0 else text.rjust(w) for i, (text, w) in enumerate(zip(line, widths)))
        return "  ".join([first, *others])

    ruled = "  ".join(["-" * w for w in widths])
    return "\n".join([written(lines[0]), ruled, *[written(line) for line in lines[1:]]])
