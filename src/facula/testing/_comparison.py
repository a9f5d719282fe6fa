"""``assert_close``: equal up to rounding, with an account of how far off if not.

Containers are taken apart; what is left are pairs of one of four kinds, tried in turn: None, booleans, numbers, tensors
(and what can be made into one). A kind declines inputs that it does not know with ``Unsupported``.
"""

from __future__ import annotations

import cmath
import collections.abc
import contextlib
import math
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from .._core import dtypes as _dtype
from .._tensor import Tensor

facula: Any = import_module("facula")

_PRECISIONS = {
    _dtype.float16: (1e-3, 1e-5), _dtype.bfloat16: (1.6e-2, 1e-5), _dtype.float32: (1.3e-6, 1e-5),
    _dtype.float64: (1e-7, 1e-7), _dtype.complex32: (1e-3, 1e-5), _dtype.complex64: (1.3e-6, 1e-5),
    _dtype.complex128: (1e-7, 1e-7),
}  # fmt: skip
"""rtol and atol by dtype; others must be equal."""

_ISSUE = (
    "resulted in the unexpected exception above. If you are a user and see this message during normal operation please "
    "file an issue at https://github.com/pytorch/pytorch/issues. If you are a developer and working on the comparison "
    "functions, please except the previous error and raise an expressive `ErrorMeta` instead."
)

Message = str | Callable[[str], str] | None
Path = tuple[Any, ...]


class Unsupported(Exception):
    """A kind of pair does not know these inputs."""


class Mismatch(Exception):
    """The inputs differ: an exception to raise, and where in the containers."""

    def __init__(self, kind: type[Exception], text: str, path: Path = ()) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text
        self.path = path

    def error(self, msg: Message) -> Exception:
        if isinstance(msg, str):
            return self.kind(msg)
        text = self.text
        if self.path:
            text += f"\n\nThe failure occurred for item {''.join(f'[{p!r}]' for p in self.path)}"
        return self.kind(msg(text) if msg is not None else text)


def tolerances(*dtypes: _dtype.dtype, rtol: float | None, atol: float | None) -> tuple[float, float]:
    """Those given, or the widest of the dtypes'."""
    if (rtol is None) != (atol is None):
        raise Mismatch(
            ValueError,
            "Both 'rtol' and 'atol' must be either specified or omitted, but got no "
            f"{'rtol' if rtol is None else 'atol'}.",
        )
    if rtol is not None and atol is not None:
        return rtol, atol
    known = [_PRECISIONS.get(d, (0.0, 0.0)) for d in dtypes]
    return max(k[0] for k in known), max(k[1] for k in known)


# ---- what an account says


def _account(what: str, equal: bool, extra: str) -> str:
    return f"{what} are not {'equal' if equal else 'close'}!\n\n{extra}"


def _scalar_account(actual: Any, expected: Any, rtol: float, atol: float, identifier: str = "Scalars") -> str:
    equal = rtol == 0 and atol == 0
    absolute = abs(actual - expected)
    relative = math.inf if expected == 0 else absolute / abs(expected)
    lines = [f"Expected {expected} but got {actual}."]
    for kind, difference, allowed in (("Absolute", absolute, atol), ("Relative", relative, rtol)):
        lines.append(f"{kind} difference: {difference}" + ("" if equal else f" (up to {allowed} allowed)"))
    return _account(identifier, equal, "\n".join(lines))


def _tensor_account(
    actual: Tensor, expected: Tensor, matches: Tensor, rtol: float, atol: float, identifier: str
) -> str:
    equal = rtol == 0 and atol == 0
    a, e, same = (np.ravel(t.detach()._array) for t in (actual, expected, matches))
    if a.dtype.kind in "biu":
        a, e = a.astype(np.int64), e.astype(np.int64)
    elif _dtype.is_half(a.dtype):
        a, e = a.astype(np.float32), e.astype(np.float32)
    with np.errstate(all="ignore"):
        absolute = np.abs(a - e)
        absolute[same] = 0
        divisor = np.abs(e)
        relative = absolute / divisor
        if a.dtype.kind == "i":
            relative = (absolute.astype(np.float32) / divisor.astype(np.float32)).astype(np.float32)
        relative[same] = 0
    mismatched = int(same.size - same.sum())
    lines = [f"Mismatched elements: {mismatched} / {same.size} ({mismatched / same.size:.1%})"]
    for kind, differences, allowed in (("absolute", absolute, atol), ("relative", relative, rtol)):
        at = int(differences.argmax())
        index = tuple(int(i) for i in np.unravel_index(at, actual._array.shape))
        text = f"Greatest {kind} difference: {differences[at].item()} at index {index}"
        lines.append(text + ("" if equal else f" (up to {allowed} allowed)"))
    return _account(identifier, equal, "\n".join(lines))


# ---- kinds of pairs


class NonePair:
    def __init__(self, actual: Any, expected: Any, path: Path, **_: Any) -> None:
        if actual is not None and expected is not None:
            raise Unsupported
        self.actual, self.expected = actual, expected

    def compare(self) -> None:
        if not (self.actual is None and self.expected is None):
            raise Mismatch(AssertionError, f"None mismatch: {self.actual} is not {self.expected}")


class BooleanPair:
    def __init__(self, actual: Any, expected: Any, path: Path, **_: Any) -> None:
        if not all(isinstance(value, (bool, np.bool_)) for value in (actual, expected)):
            raise Unsupported
        self.actual, self.expected = bool(actual), bool(expected)

    def compare(self) -> None:
        if self.actual is not self.expected:
            raise Mismatch(AssertionError, f"Booleans mismatch: {self.actual} is not {self.expected}")


_NUMBER_DTYPES = {int: _dtype.int64, float: _dtype.float64, complex: _dtype.complex128}


class NumberPair:
    def __init__(
        self, actual: Any, expected: Any, path: Path, *, rtol: float | None, atol: float | None, equal_nan: bool,
        check_dtype: bool, **_: Any,
    ) -> None:  # fmt: skip
        if not all(isinstance(value, (int, float, complex, np.number)) for value in (actual, expected)):
            raise Unsupported
        self.actual, self.expected = self._number(actual), self._number(expected)
        self.rtol, self.atol = tolerances(
            *(_NUMBER_DTYPES[type(value)] for value in (self.actual, self.expected)), rtol=rtol, atol=atol
        )
        self.equal_nan = equal_nan
        self.check_dtype = check_dtype

    @staticmethod
    def _number(value: Any) -> Any:
        value = value.item() if isinstance(value, np.number) else value
        if isinstance(value, bool):
            raise ValueError(f"Unknown number type {type(value)}.")
        kinds: tuple[Any, ...] = (int, float, complex)
        return next(kind(value) for kind in kinds if isinstance(value, kind))

    def compare(self) -> None:
        a, e = self.actual, self.expected
        if self.check_dtype and type(a) is not type(e):
            raise Mismatch(AssertionError, f"The (d)types do not match: {type(a)} != {type(e)}.")
        if a == e or (self.equal_nan and cmath.isnan(a) and cmath.isnan(e)):
            return
        difference = abs(a - e)
        if cmath.isfinite(difference) and difference <= self.atol + self.rtol * abs(e):
            return
        raise Mismatch(AssertionError, _scalar_account(a, e, self.rtol, self.atol))


class TensorLikePair:
    def __init__(
        self, actual: Any, expected: Any, path: Path, *, rtol: float | None, atol: float | None, equal_nan: bool,
        check_device: bool, check_dtype: bool, check_layout: bool, check_stride: bool, allow_subclasses: bool,
    ) -> None:  # fmt: skip
        related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
        if not related or (not allow_subclasses and type(actual) is not type(expected)):
            raise Unsupported
        self.path = path
        self.actual, self.expected = self._tensor(actual), self._tensor(expected)
        self.rtol, self.atol = tolerances(self.actual.dtype, self.expected.dtype, rtol=rtol, atol=atol)
        self.options = {
            "equal_nan": equal_nan, "check_device": check_device, "check_dtype": check_dtype,
            "check_layout": check_layout, "check_stride": check_stride,
        }  # fmt: skip

    @staticmethod
    def _tensor(value: Any) -> Tensor:
        if isinstance(value, Tensor):
            return value
        from ..ops.creation.from_data import as_tensor  # loaded when first used

        try:
            return as_tensor(value)
        except Exception:
            raise Unsupported from None

    def __repr__(self) -> str:
        shown = {
            "id": self.path, "actual": self.actual, "expected": self.expected, "rtol": self.rtol, "atol": self.atol,
            **self.options,
        }  # fmt: skip
        body = ",\n".join(f"    {name}={value}" for name, value in shown.items())
        return f"TensorLikePair(\n{body},\n)"

    def compare(self) -> None:
        a, e = self.actual, self.expected
        self._compare_attributes(a, e)
        if a.is_meta or e.is_meta:
            return
        if a.dtype is not e.dtype:
            d = _dtype.promote_types(a.dtype, e.dtype)
            a, e = a.to(d), e.to(d)

        a, e = a.detach(), e.detach()
        if a.layout != e.layout:
            a, e = (t.to_dense() if t.is_sparse else t for t in (a, e))
        if not a.is_sparse:
            self._compare_values(a, e, self.rtol, self.atol)
            return
        for what, one, other in (
            ("sparse dimensions", a.sparse_dim(), e.sparse_dim()), ("specified values", a._nnz(), e._nnz()),
        ):  # fmt: skip
            if one != other:
                raise Mismatch(
                    AssertionError, f"The number of {what} in sparse COO tensors does not match: {one} != {other}"
                )
        self._compare_values(a._indices(), e._indices(), 0, 0, "Sparse COO indices")
        self._compare_values(a._values(), e._values(), self.rtol, self.atol, "Sparse COO values")

    def _compare_values(self, a: Tensor, e: Tensor, rtol: float, atol: float, identifier: str | None = None) -> None:
        matches = facula.isclose(a, e, rtol=rtol, atol=atol, equal_nan=self.options["equal_nan"])
        if matches._array.all():
            return
        if not a.dim():
            raise Mismatch(AssertionError, _scalar_account(a.item(), e.item(), rtol, atol, identifier or "Scalars"))
        raise Mismatch(AssertionError, _tensor_account(a, e, matches, rtol, atol, identifier or "Tensor-likes"))

    def _compare_attributes(self, a: Tensor, e: Tensor) -> None:
        def differ(name: str, one: Any, other: Any) -> Mismatch:
            return Mismatch(
                AssertionError, f"The values for attribute '{name}' do not match: {one} != {other}."
            )

        if a.shape != e.shape:
            raise differ("shape", a.shape, e.shape)
        if self.options["check_layout"] and a.layout != e.layout:
            raise differ("layout", a.layout, e.layout)
        if self.options["check_stride"] and a.stride() != e.stride():
            raise differ("stride()", a.stride(), e.stride())
        if self.options["check_device"] and a.device != e.device:
            raise differ("device", a.device, e.device)
        if self.options["check_dtype"] and a.dtype is not e.dtype:
            raise differ("dtype", a.dtype, e.dtype)


_KINDS: tuple[Any, ...] = (NonePair, BooleanPair, NumberPair, TensorLikePair)


# ---- taking containers apart


def _pairs(actual: Any, expected: Any, path: Path, options: dict[str, Any]) -> list[Any]:
    sequences = collections.abc.Sequence
    if all(isinstance(value, sequences) and not isinstance(value, str) for value in (actual, expected)):
        if len(actual) != len(expected):
            raise Mismatch(
                AssertionError, f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", path
            )
        return [p for i in range(len(actual)) for p in _pairs(actual[i], expected[i], (*path, i), options)]
    if all(isinstance(value, collections.abc.Mapping) for value in (actual, expected)):
        missing, additional = set(expected) - set(actual), set(actual) - set(expected)
        if missing or additional:
            raise Mismatch(
                AssertionError,
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {_sorted(missing)}\n"
                f"Additional keys in the actual mapping: {_sorted(additional)}",
                path,
            )
        return [p for key in _sorted(set(actual)) for p in _pairs(actual[key], expected[key], (*path, key), options)]
    for kind in _KINDS:
        try:
            return [(kind(actual, expected, path, **options), path)]
        except Unsupported:
            continue
        except Mismatch as mismatch:
            mismatch.path = path
            raise
        except Exception as error:
            raise RuntimeError(
                f"Originating a {kind.__name__}() at item {''.join(str([p]) for p in path)} with\n\n"
                f"{type(actual).__name__}(): {actual}\n\nand\n\n{type(expected).__name__}(): {expected}\n\n{_ISSUE}"
            ) from error
    raise Mismatch(
        TypeError,
        f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.",
        path,
    )


def _sorted(keys: set[Any]) -> list[Any]:
    with contextlib.suppress(TypeError):
        return sorted(keys)
    return list(keys)


def _compare(actual: Any, expected: Any, options: dict[str, Any], msg: Message) -> None:
    try:
        for pair, path in _pairs(actual, expected, (), options):
            try:
                pair.compare()
            except Mismatch as mismatch:
                mismatch.path = path
                raise
            except Exception as error:
                raise RuntimeError(f"Comparing\n\n{pair}\n\n{_ISSUE}") from error
    except Mismatch as mismatch:
        raise mismatch.error(msg) from None


def assert_close(
    actual: Any, expected: Any, *, allow_subclasses: bool = True, rtol: float | None = None, atol: float | None = None,
    equal_nan: bool = False, check_device: bool = True, check_dtype: bool = True, check_layout: bool = True,
    check_stride: bool = False, msg: Message = None,
) -> None:  # fmt: skip
    """Raise an AssertionError unless tensors, numbers or containers of them agree: ``|a - e| <= atol + rtol * |e|``."""
    options = {
        "allow_subclasses": allow_subclasses, "rtol": rtol, "atol": atol, "equal_nan": equal_nan,
        "check_device": check_device, "check_dtype": check_dtype, "check_layout": check_layout,
        "check_stride": check_stride,
    }  # fmt: skip
    _compare(actual, expected, options, msg)


_OLD_PRECISIONS = {_dtype.float16: (1e-3, 1e-3), _dtype.float32: (1e-4, 1e-5), _dtype.float64: (1e-5, 1e-8)}


def assert_allclose(
    actual: Any, expected: Any, rtol: float | None = None, atol: float | None = None, equal_nan: bool = True,
    msg: str = "",
) -> None:  # fmt: skip
    """The older form of ``assert_close``: converts its arguments, and does not look at dtypes."""
    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. Please "
        "use `torch.testing.assert_close()` instead. You can find detailed upgrade instructions in "
        "https://github.com/pytorch/pytorch/issues/61844.",
        FutureWarning,
        stacklevel=2,
    )

    a = actual if isinstance(actual, Tensor) else facula.tensor(actual)
    e = expected if isinstance(expected, Tensor) else facula.tensor(expected, dtype=a.dtype)
    if rtol is None and atol is None:
        known = [_OLD_PRECISIONS.get(t.dtype, (0.0, 0.0)) for t in (a, e)]
        rtol, atol = max(k[0] for k in known), max(k[1] for k in known)
    assert_close(a, e, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None)


__all__ = ["assert_allclose", "assert_close"]
