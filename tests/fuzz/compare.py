"""Comparing what two libraries made of one program."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Any

import numpy as np

LOOSEST = {"float16": 3e-2, "bfloat16": 1e-1, "float32": 2e-4, "complex64": 2e-4}
"""How far numbers may be apart, by the coarsest dtype of a program; 1e-6 otherwise."""

REFUSED_BY_PYTORCH_ALONE = (
    "the derivative for",
    "derivative for aten::",
    "not implemented for",
    "vmap: It looks like",
    "vmap: we do not yet support",
    "Batching rule not implemented",
    "vmap: We do not support batching operators that can output dynamic shape",
    "Nested forward mode AD is not supported",
    "[enforce fail",
    "Could this error message be improved",
    "ComplexHalf",
    "does not support it",
    "INTERNAL ASSERT FAILED",
    "ZeroTensors are immutable",
    "does not support automatic differentiation for outputs with complex dtype",
    "MKL FFT error",
    "doesn't correspond to a device",
    "which is output 0 of LinalgDet",
    "backward() called inside torch.vmap",
    "Could not allocate memory to change Tensor",
)
"""What PyTorch cannot do and facula may do, see docs/differences.md and docs/past-pytorch.md."""

REFUSED_IN_TRANSFORMS = (
    "modified by an inplace operation",
    "Dimension out of range",
    "Dimension is out of range",
    "must match the size of tensor",
    "vmap: inplace arithmetic",
    "NYI: ",
    "vmap: Attempted to vmap over",
    "more than one element of the written-to tensor",
    "select(): index 0 out of range",
    "the number of sizes provided",
    "a leaf Variable that requires grad is being used in an in-place operation",
    "Halving dimension must be even",
    "trying to get value out of a tracing tensor",
    "shape mismatch: value tensor of shape",
    "there exists a Tensor `other` in extra_args that has more elements than `self`",
    "Autograd not support dtype: Long",
    "When vmap-ing torch.nn.functional.one_hot",
    "for `weight` but got dtype",
    "view size is not compatible",
    "must have a stride divisible by 2",
    "Trying to set a forward gradient that has a different size",
    "is invalid for input of size",
)
"""It wraps, and so counts versions otherwise; ``flip``, ``kron``, ``squeeze`` and others forget a dimension in ``vmap``
of ``vmap``; its batches lie otherwise in memory."""


def differences(expected: dict[str, Any], actual: dict[str, Any], written: Container[str] = ()) -> list[str]:
    """Where facula's observations are not PyTorch's. Those of numbers begin with ``values``.

    ``written``: the names of tensors that PyTorch makes by writing.
    """
    bound = tolerance(expected)
    found = []
    stopped = any(key.startswith("error") and "derivative for aten::" in e[1] for key, e in expected.items())
    errors = [e for key, e in [*expected.items(), *actual.items()] if key.startswith("error")]
    if stopped and any("graph a second time" in message for _, message in errors):
        return []  # nor what it had freed by then
    for key in expected.keys() | actual.keys():
        e, a = expected.get(key, "nothing"), actual.get(key, "nothing")
        if stopped and (".grad: " in key or key.startswith("log")):
            continue  # how far a pass had got when it failed is not promised
        if isinstance(e, str) and e == "refused":
            continue  # a gradient that PyTorch cannot differentiate again, and facula may
        if key.startswith("error"):
            if not same_error(e, a):
                found.append(f"{key}: {e} expected, got {a}")
        elif isinstance(e, np.ndarray) and isinstance(a, np.ndarray):
            if e.shape == a.shape and not close(e, a, bound):
                found.append(f"values of {key}: {e.tolist()} expected, got {a.tolist()}")
        elif key.endswith("version") and e != "nothing" != a and e > a and key.split(":")[0] in written:
            continue  # made by writing into a new tensor, which docs/differences.md tells
        elif isinstance(e, np.ndarray) or isinstance(a, np.ndarray) or e != a:
            found.append(f"{key}: {shown(e)} expected, got {shown(a)}")
    return sorted(found)


def nan_alone(expected: dict[str, Any], actual: dict[str, Any], of: dict[str, Any] | None = None) -> bool:
    """Whether facula has NaN wherever numbers differ, and nothing else differs. ``of``: who has it, if not facula."""
    bound, of = tolerance(expected), of or actual
    for key in expected.keys() | actual.keys():
        e, a = expected.get(key, "nothing"), actual.get(key, "nothing")
        if isinstance(e, np.ndarray) and isinstance(a, np.ndarray) and e.shape == a.shape:
            known = ~np.isnan(of[key]) if a.dtype.kind in "fc" else np.ones(a.shape, bool)
            if not close(np.where(known, e, 0), np.where(known, a, 0), bound):
                return False
        elif key.startswith("error"):
            if not same_error(e, a):
                return False
        elif isinstance(e, np.ndarray) or isinstance(a, np.ndarray) or e != a:
            return False
    return True


def refused(expected: dict[str, Any], actual: dict[str, Any], *, in_transform: bool) -> bool:
    """Whether PyTorch gave up where facula may go on, and did."""
    phrases = REFUSED_BY_PYTORCH_ALONE + (REFUSED_IN_TRANSFORMS if in_transform else ())
    return any(
        key.startswith("error")
        and any(text in value[1] for text in phrases)
        and not same_error(value, actual.get(key, "nothing"))
        for key, value in expected.items()
    )


def shown(value: Any) -> Any:
    return "a tensor" if isinstance(value, np.ndarray) else value


def tolerance(seen: dict[str, Any]) -> float:
    dtypes = {v[1].removeprefix("torch.") for k, v in seen.items() if k.endswith("shape and dtype")}
    return max((LOOSEST[d] for d in dtypes if d in LOOSEST), default=1e-6)


def close(e: np.ndarray, a: np.ndarray, bound: float, least: float = 1e-3) -> bool:
    if e.dtype != a.dtype:
        return True  # told elsewhere
    if e.dtype.kind not in "fc":
        return np.array_equal(e, a)
    least = max(least, min(500 * bound, 1.0)) if bound > 1e-6 else least
    with np.errstate(all="ignore"):
        if e.dtype.kind == "c":  # what rounding leaves of an imaginary part is measured by the whole
            finite = np.isfinite(e)
            if not np.array_equal(finite, np.isfinite(a)):
                return False
            e, a = np.where(finite, e, 0), np.where(finite, a, 0)  # the others' parts depend on how one multiplies
            sizes = np.abs(e).astype(np.float64)
            size = sizes[np.isfinite(sizes)].max(initial=1e-3)
            return close(e.real, a.real, bound, size) and close(e.imag, a.imag, bound, size)
        wide, other = e.astype(np.float64), a.astype(np.float64)
        finite = np.isfinite(wide)
        scale = np.abs(wide[finite]).max(initial=least)
        if not np.array_equal(finite, np.isfinite(other)):
            return False
        if not np.array_equal(wide[~finite], other[~finite], equal_nan=True):
            return False
        return bool(np.all(np.abs(wide - other)[finite] <= bound * (scale + np.abs(wide[finite]))))


def same_error(e: Any, a: Any) -> bool:
    """facula may add to a message, and leaves out the overloads that PyTorch lists."""
    if isinstance(e, str) or isinstance(a, str):
        return bool(e == a)
    return e[0] == a[0] and plain(a[1]).startswith(plain(e[1]))


def plain(message: str) -> str:
    message = re.sub(r"0x[0-9a-f]+", "0x", message).partition("\nDid you mean")[0]
    for rest in (", but expected one of", "modified by an inplace operation: ", "returned an invalid gradient"):
        message = message.partition(rest)[0]
    return message.replace("facula", "torch").replace("'dtype'", "'torch.dtype'").rstrip()
