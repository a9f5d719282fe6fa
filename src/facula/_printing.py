"""How a tensor prints, character by character as PyTorch prints it.

Three steps, top to bottom in this file:

1. choose the values to show (all of them, or the corners of a large array),
2. turn each into a text, with one notation and one column width for the whole tensor,
3. lay the texts out in nested brackets, and append what else is to be told (``dtype=``, ``grad_fn=``, ...).

:func:`tensor_repr` asks a tensor for all that; :func:`format_tensor` takes an array and the words that describe it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._core import dtypes, state
from .autograd.saved import PLAIN

__all__ = ["format_tensor", "format_wrapper", "get_printoptions", "printoptions", "set_printoptions", "tensor_repr"]


# ---------------------------------------------------------------------------------------------------------- options


@dataclass
class __PrinterOptions:
    """What :func:`set_printoptions` sets."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}

PRINT_OPTS = __PrinterOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Change how tensors print. What is left out keeps its value.

    Args:
        precision: digits after the point.
        threshold: tensors of more elements than this are shown by their corners.
        edgeitems: how many items at each end of a dimension remain when a tensor is shown by its corners.
        linewidth: the column at which lines break.
        profile: ``"default"``, ``"short"`` or ``"full"``: values for the four above, which may still override them.
        sci_mode: scientific notation always (True), never (False), or where the values call for it (None). The one
            option that is not kept: as in PyTorch, a call that does not name it goes back to None.
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    changes = dict(_PROFILES.get(profile, {})) if profile is not None else {}
    changes.update((name, value) for name, value in given.items() if value is not None)
    vars(PRINT_OPTS).update(changes, sci_mode=sci_mode)


def get_printoptions() -> dict[str, Any]:
    """The options in force, as a dict of the caller's own."""
    return dict(vars(PRINT_OPTS))


@contextmanager
def printoptions(**kwargs: Any) -> Iterator[None]:
    """Within the ``with`` block, :func:`set_printoptions` with these arguments; before and after, as it was."""
    saved = get_printoptions()
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        vars(PRINT_OPTS).update(saved)


# ------------------------------------------------------------------------------------------------ the whole sentence


def format_tensor(
    array: np.ndarray | None,
    *,
    dtype: str,
    default_dtype: str = "torch.float32",
    shape: Sequence[int] | None = None,
    device: str = "cpu",
    name: str = "tensor",
    suffixes: Sequence[str] = (),
    contents: str | None = None,
) -> str:
    """The text of a tensor, such as ``tensor([1., 2.], dtype=torch.float64, requires_grad=True)``.

    Args:
        array: the values; None where there are none to show (the meta device), and then ``shape`` is required.
        dtype: PyTorch's name for the dtype, ``"torch.float32"``; it is printed where the values leave it open.
        default_dtype: the name of the default floating dtype.
        shape: the shape to tell, where it is not the array's.
        device: printed unless ``"cpu"``.
        name: the word before the parenthesis; a subclass's own name.
        suffixes: what comes last, ready to print: ``["grad_fn=<MulBackward0>"]``, ``["requires_grad=True"]``.
        contents: a text to stand in place of the values.
    """
    options = PRINT_OPTS
    if array is None and shape is None:
        raise ValueError("a tensor without values needs a shape")
    shape = tuple(array.shape if shape is None else shape)  # type: ignore[union-attr]
    is_meta = array is None or device == "meta"
    is_empty = math.prod(shape) == 0

    notes = [] if device == "cpu" else [f"device='{device}'"]
    if is_meta or (len(shape) != 1 if is_empty else options.edgeitems == 0):
        notes.append(f"size={shape}")
    shows_no_kind = is_meta or is_empty  # no values from which to tell an int from a float
    if dtype != default_dtype and (shows_no_kind or dtype not in _implied_dtypes(default_dtype)):
        notes.append(f"dtype={dtype}")
    notes.extend(suffixes)

    opening = name + "("
    if contents is None:
        if array is None or is_meta:
            contents = "..."
        elif is_empty:
            contents = "[]"
        else:
            contents = _format_values(array, len(opening), options)
    return _append(opening + contents, notes, len(opening), options.linewidth) + ")"


def format_contents(t: Any, indent: int) -> str:
    """The values of a tensor in brackets, for a text that starts in column ``indent``."""
    return _format_values(t._array, indent, PRINT_OPTS) if t.numel() else "[]"


def format_wrapper(name: str, inner: str, **fields: object) -> str:
    """The text of a tensor that wraps another, as inside ``vmap``: the inner text indented within the outer one.

    ``format_wrapper("BatchedTensor", repr(value), lvl=1, bdim=0)`` begins ``BatchedTensor(lvl=1, bdim=0, value=``.
    """
    told = "".join(f"{key}={value}, " for key, value in fields.items())
    indented = "\n".join("    " + line if line else line for line in inner.split("\n"))
    return f"{name}({told}value=\n{indented}\n)"


def with_note(shown: str, note: str) -> str:
    """The text of a tensor with one more note before its last parenthesis."""
    return _append(shown[:-1], [note], shown.index("(") + 1, PRINT_OPTS.linewidth) + ")"


def _implied_dtypes(default_dtype: str) -> tuple[str, str, str]:
    """The dtypes that the values themselves give away, beside the default one."""
    default_complex = "torch.complex128" if default_dtype == "torch.float64" else "torch.complex64"
    return "torch.int64", "torch.bool", default_complex


def _append(text: str, notes: Sequence[str], indent: int, linewidth: int) -> str:
    """``text`` and, after commas, the notes; a note that does not fit goes on a line of its own below the values."""
    column = len(text) - (text.rfind("\n") + 1) + 2  # two columns are kept free, but only until the first break
    for note in notes:
        if column + 2 + len(note) > linewidth:
            text += ",\n" + " " * indent + note
            column = indent + len(note)
        else:
            text += ", " + note
            column += 2 + len(note)
    return text


# ----------------------------------------------------------------------------------------- from an array to its text


def _format_values(array: np.ndarray, indent: int, options: __PrinterOptions) -> str:
    """The values in nested brackets, for a text that starts in column ``indent``."""
    gaps: tuple[int | None, ...] = (None,) * array.ndim
    if array.ndim and array.size > options.threshold:
        if options.edgeitems == 0:
            return "[...]"
        array, gaps = _corners(array, options.edgeitems)
    texts, width = _format_items(array, options)
    if array.ndim == 0:
        return texts[0]
    return _Layout(texts, width, array.shape, gaps, options.linewidth).block(0, 0, indent)


def _corners(array: np.ndarray, edge: int) -> tuple[np.ndarray, tuple[int | None, ...]]:
    """The first and last ``edge`` items of each long dimension, and where in each dimension the gap is."""
    kept = [size if size <= 2 * edge else 2 * edge for size in array.shape]
    gaps = tuple(None if size <= 2 * edge else edge for size in array.shape)
    if all(gap is None for gap in gaps):
        return array, gaps
    picked = [
        [*range(size)] if size <= 2 * edge else [*range(edge), *range(size - edge, size)]
        for size in array.shape
        if size != 1  # NumPy takes no more than 32 index arrays; a dimension of one item needs none
    ]
    return array.squeeze()[np.ix_(*picked)].reshape(kept), gaps


class _Layout:
    """Brackets, commas and line breaks around the texts of an array's items, given in row-major order."""

    def __init__(
        self, texts: list[str], width: int, shape: tuple[int, ...], gaps: tuple[int | None, ...], linewidth: int
    ) -> None:
        self.texts = texts
        self.width = width
        self.shape = shape
        self.gaps = gaps
        self.linewidth = linewidth
        self.strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]

    def block(self, axis: int, start: int, indent: int) -> str:
        """The part of the array from dimension ``axis`` down whose first item is number ``start``."""
        if axis == len(self.shape) - 1:
            return self.row(start, indent)
        starts = range(start, start + self.shape[axis] * self.strides[axis], self.strides[axis])
        blocks = [self.block(axis + 1, first, indent + 1) for first in starts]
        gap = self.gaps[axis]
        if gap is not None:
            blocks.insert(gap, "...")
        line_breaks = "\n" * (len(self.shape) - 1 - axis)  # one between rows, two between matrices, ...
        return "[" + ("," + line_breaks + " " * (indent + 1)).join(blocks) + "]"

    def row(self, start: int, indent: int) -> str:
        """One innermost row, on as many lines as it takes."""
        items = self.texts[start : start + self.shape[-1]]
        gap = self.gaps[-1]
        if gap is not None:
            items.insert(gap, " ...")
        per_line = max(1, math.floor((self.linewidth - indent) / (self.width + 2)))
        lines = [", ".join(items[i : i + per_line]) for i in range(0, len(items), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


# --------------------------------------------------------------------------------------------- from items to columns


def _format_items(array: np.ndarray, options: __PrinterOptions) -> tuple[list[str], int]:
    """The text of each item in row-major order, padded to a column, and the width that line breaking reckons with."""
    flat = array.reshape(-1)
    kind = flat.dtype.kind
    if kind in "biu":
        texts = [str(value) for value in flat.tolist()]
        width = max(map(len, texts))
    elif kind == "c":
        return _format_complex(flat, options)
    else:
        values = flat.astype(np.float64).tolist()
        form, width = _float_notation(values, options)
        texts = [form(value) for value in values]
    if array.ndim:
        texts = [text.rjust(width) for text in texts]
    return texts, width


def _format_complex(flat: np.ndarray, options: __PrinterOptions) -> tuple[list[str], int]:
    """Complex numbers: each part has its own notation, and only the real one is aligned."""
    reals, imags = flat.real.tolist(), flat.imag.tolist()
    real_form, real_width = _float_notation(reals, options)
    imag_form, imag_width = _float_notation(imags, options)
    texts = []
    for real, imag in zip(reals, imags, strict=True):
        second = imag_form(imag)
        sign = "" if second.startswith("-") else "+"
        texts.append(real_form(real).rjust(real_width) + sign + second + "j")
    return texts, real_width + imag_width + 1


def _float_notation(values: list[float], options: __PrinterOptions) -> tuple[Callable[[float], str], int]:
    """The notation that suits all of the values, and the width of its widest text.

    Zeros, infinities and nans have no say in either; where there is nothing else the width counts as 1.
    """
    telling = [value for value in values if value and math.isfinite(value)]
    whole = all(value.is_integer() for value in telling)
    scientific = options.sci_mode
    if scientific is None:
        scientific = bool(telling) and _calls_for_scientific(telling, whole)

    form: Callable[[float], str]
    if scientific and telling:
        form = f"{{:.{options.precision}e}}".format
    elif whole:
        form = _format_whole
    else:
        form = f"{{:.{options.precision}f}}".format
    return form, max((len(form(value)) for value in telling), default=1)


def _calls_for_scientific(telling: list[float], whole: bool) -> bool:
    """Whether fixed-point columns would be too wide or lose small values."""
    sizes = [abs(value) for value in telling]
    smallest, largest = min(sizes), max(sizes)
    return largest / smallest > 1000 or largest > 1e8 or (not whole and smallest < 1e-4)


def _format_whole(value: float) -> str:
    """A number without a fraction, with a bare point to tell it from an integer: ``3.``"""
    return f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}"


# -------------------------------------------------------------------------------------------------------------- tensors


def tensor_repr(t: Any, *, tensor_contents: str | None = None) -> str:
    """PyTorch's text for ``t``; ``tensor_contents`` stands in place of the values."""
    if state.modes.levels and type(t) in PLAIN:
        from ._levels.printed import text_of  # it imports this module

        return text_of(t, tensor_contents)
    return plain_repr(t, tensor_contents)


def plain_repr(t: Any, tensor_contents: str | None = None) -> str:
    """The text of a tensor by itself, whatever transforms it belongs to."""
    suffixes = []
    try:
        node = t.grad_fn
    except RuntimeError:  # a view that was changed in place where that is not recorded
        node = None
        suffixes.append("grad_fn=<Invalid>")
    if node is not None:
        suffixes.append(f"grad_fn=<{node_name(node)}>")
    elif not suffixes and t.requires_grad:
        suffixes.append("requires_grad=True")
    if t.is_sparse:
        return _format_sparse(t, suffixes)
    is_meta = t.is_meta
    text = format_tensor(
        None if is_meta else t._array,
        dtype=repr(t.dtype),
        default_dtype=repr(dtypes.default),
        shape=t._array.shape,
        device="meta" if is_meta else "cpu",
        name="tensor" if type(t) in PLAIN else type(t).__name__,
        suffixes=suffixes,
        contents=tensor_contents,
    )
    return f"Parameter({text})" if getattr(t, "_is_param", False) else text


def _format_sparse(t: Any, suffixes: Sequence[str]) -> str:
    """A sparse tensor by its parts: places, values, and what they are a part of."""
    opening = "tensor("
    lines = []
    for name, part in (("indices", t._indices()._array), ("values", t._values())):
        array = part._array if name == "values" and not part.wraps else part
        start = f"{name}=tensor("
        if t._nnz() and math.prod(array.shape):
            lines.append(start + _format_values(array, len(opening) + len(start), PRINT_OPTS) + ")")
        else:
            lines.append(f"{start}[], size={tuple(array.shape)})")
    notes = [f"size={tuple(t.shape)}", f"nnz={t._nnz()}"]
    default = repr(dtypes.default)
    if repr(t.dtype) != default and repr(t.dtype) not in _implied_dtypes(default):
        notes.append(f"dtype={t.dtype!r}")
    notes += [f"layout={t.layout!r}", *suffixes]
    inside = (",\n" + " " * len(opening)).join([*lines, notes[0]])
    return _append(opening + inside, notes[1:], len(opening), PRINT_OPTS.linewidth) + ")"


def node_name(node: Any) -> str:
    return type(node).__name__
