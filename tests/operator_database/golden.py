"""Samples of the operator database with PyTorch's answers, in a file, for where there is no PyTorch.

``python -m tests.operator_database.record`` writes it. A sample is what an operator is called with and what was seen of
the call: outputs, which of them have a history, the names of their nodes, gradients and gradients of these. Cotangents
are made by formula (``wave``), the same ones for either library. Calls are written as paths from the library on.
"""

from __future__ import annotations

import base64
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).parent / "golden.json.xz"

NO_NUMPY = {"bfloat16": "float32", "complex32": "complex64"}
"""dtypes that NumPy does not have, and those that hold them in the file."""

SPELLINGS: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "polygamma": lambda torch: lambda input, n: torch.polygamma(n, input),
    "special.polygamma": lambda torch: lambda input, n: torch.special.polygamma(n, input),
    "where": lambda torch: lambda input, condition, other, **k: torch.where(condition, input, other, **k),
    "einsum": lambda torch: lambda tensors, equation: torch.einsum(equation, tensors),
    "nn.functional.embedding": lambda torch: lambda input, index, **k: torch.nn.functional.embedding(index, input, **k),
    "cauchy": lambda torch: lambda input, *a, **k: input.cauchy_(*a, **k),
    "exponential": lambda torch: lambda input, *a, **k: input.exponential_(*a, **k),
    "geometric": lambda torch: lambda input, *a, **k: input.geometric_(*a, **k),
    "log_normal": lambda torch: lambda input, *a, **k: input.log_normal_(*a, **k),
    "uniform": lambda torch: lambda input, *a, **k: input.uniform_(*a, **k),
}  # fmt: skip
"""Entries whose arguments come in another order than those of the function by their name."""


def function(torch: Any, path: str) -> Any:
    """The function of a path in a library: from ``torch`` on, of ``Tensor``, of ``ops.aten``, or spelled out above."""
    kind, _, name = path.partition(":")
    if kind == "spelled":
        return SPELLINGS[name](torch)
    if kind == "method":
        found = getattr(torch.Tensor, name)
        return found if callable(found) else lambda input: getattr(input, name)
    found = torch
    for part in (f"ops.aten.{name}" if kind == "aten" else name).split("."):
        found = getattr(found, part)
    return found


# ---- values


class Unwritable(Exception):
    """A value that the file has no words for."""


def packed(array: Any) -> str:
    """An array's bytes; floats in single precision where that loses (nearly) nothing."""
    array = np.ascontiguousarray(array)
    narrow = {"float64": "float32", "complex128": "complex64"}.get(array.dtype.name)
    mark = ""
    if narrow is not None:
        with np.errstate(all="ignore"):
            small = array.astype(narrow)
        if np.array_equal(small.astype(array.dtype), array, equal_nan=True):
            array, mark = small, "!"
    return mark + base64.b64encode(array.tobytes()).decode()


def rounded(array: Any) -> Any:
    """Results, to the precision that they are compared with."""
    narrow = {"float64": np.float32, "complex128": np.complex64}.get(array.dtype.name)
    if narrow is None:
        return array
    with np.errstate(all="ignore"):
        near = array.astype(narrow).astype(array.dtype)
    return near if np.allclose(near, array, rtol=2e-7, atol=0, equal_nan=True) else array


def unpacked(dtype: str, shape: list[int], text: str) -> Any:
    stored = np.dtype(NO_NUMPY.get(dtype, dtype))
    if text.startswith("!"):
        narrow = {"float64": np.float32, "complex128": np.complex64}[stored.name]
        return np.frombuffer(base64.b64decode(text[1:]), narrow).astype(stored).reshape(shape)
    return np.frombuffer(base64.b64decode(text), stored).reshape(shape)


def array_of(torch: Any, t: Any) -> tuple[str, Any]:
    """The name of a tensor's dtype, and its values."""
    name = str(t.dtype).removeprefix("torch.")
    t = t.detach().resolve_conj().resolve_neg()
    if name in NO_NUMPY:
        t = t.to(getattr(torch, NO_NUMPY[name]))
    return name, np.asarray(t.numpy(force=True))


def written(torch: Any, value: Any) -> Any:
    """An argument in the file's words."""
    if isinstance(value, torch.Tensor):
        if value.layout is not torch.strided or value.device.type != "cpu":
            raise Unwritable(value)
        name, array = array_of(torch, value)
        return {"tensor": [name, list(array.shape), packed(array), value.requires_grad]}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, list):
        return [written(torch, v) for v in value]
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return {"tuple": [written(torch, v) for v in value]}
    if isinstance(value, dict):
        return {"dict": {k: written(torch, v) for k, v in value.items()}}
    if isinstance(value, slice):
        return {"slice": [written(torch, v) for v in (value.start, value.stop, value.step)]}
    if value is Ellipsis:
        return {"ellipsis": None}
    if isinstance(value, (torch.dtype, torch.memory_format, torch.layout)):
        return {"name": str(value).removeprefix("torch.")}
    if isinstance(value, torch.device):
        return {"device": str(value)}
    raise Unwritable(value)


def read(torch: Any, value: Any) -> Any:
    """What ``written`` wrote, as a value of a library."""
    if isinstance(value, list):
        return [read(torch, v) for v in value]
    if not isinstance(value, dict):
        return value
    ((kind, given),) = value.items()
    if kind == "tensor":
        name, shape, text, requires_grad = given
        array = unpacked(name, shape, text).copy()
        t = torch.from_numpy(array) if array.ndim else torch.tensor(array[()])
        return t.to(getattr(torch, name)).requires_grad_(requires_grad)
    if kind == "tuple":
        return tuple(read(torch, v) for v in given)
    if kind == "dict":
        return {k: read(torch, v) for k, v in given.items()}
    if kind == "slice":
        return slice(*[read(torch, v) for v in given])
    made: dict[str, Callable[[Any], Any]] = {
        "complex": lambda parts: complex(*parts),
        "ellipsis": lambda _: Ellipsis,
        "name": lambda name: getattr(torch, name),
        "device": torch.device,
    }
    return made[kind](given)


# ---- observations


def tensors_in(torch: Any, value: Any) -> list[Any]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = [value[key] for key in sorted(value)]  # the order that they have in the file
    return [t for v in value for t in tensors_in(torch, v)] if isinstance(value, (list, tuple)) else []


def wave(torch: Any, t: Any, phase: float) -> Any:
    """A cotangent for a tensor: no two elements alike, and none 0."""
    n = int(np.prod(tuple(t.shape)))
    x = np.cos(phase + 0.7 * np.arange(n)) + 0.3
    found = torch.from_numpy(x + 1j * np.sin(phase + np.arange(n)) if t.is_complex() else x)
    return found.reshape(tuple(t.shape)).to(t.dtype)


def observe(torch: Any, fn: Any, args: Any, kwargs: Any, second: bool) -> dict[str, Any]:
    """What is seen of a call, in arrays. Keys are left out where there is nothing to see or no derivative."""
    try:
        out = fn(*args, **kwargs)
    except ImportError:  # of what is not installed
        raise
    except Exception as e:
        return {"raises": type(e).__name__}
    outputs = tensors_in(torch, out)
    seen: dict[str, Any] = {
        "requires_grad": [t.requires_grad for t in outputs],
        "nodes": [None if t.grad_fn is None else t.grad_fn.name() for t in outputs],
        "outputs": _arrays(torch, outputs),
    }
    if isinstance(out, (bool, int, float)):
        seen["number"] = out
    inputs = [t for t in tensors_in(torch, [args, kwargs]) if t.requires_grad]
    results = [t for t in outputs if t.requires_grad]
    if not inputs or not results:
        return seen
    cotangents = [wave(torch, t, 1.0 + i).requires_grad_(second) for i, t in enumerate(results)]
    try:
        grads = torch.autograd.grad(results, inputs, cotangents, create_graph=second, allow_unused=True)
    except (RuntimeError, NotImplementedError):
        return observe(torch, fn, args, kwargs, False) if second else seen
    seen["gradients"] = _arrays(torch, grads)
    again = [(i, g) for i, g in enumerate(grads) if second and g is not None and g.requires_grad]
    if again:
        weights = [wave(torch, g, 2.0 + i) for i, g in again]
        try:
            seconds = torch.autograd.grad([g for _, g in again], [*inputs, *cotangents], weights, allow_unused=True)
        except (RuntimeError, NotImplementedError):
            return seen
        seen["second gradients"] = _arrays(torch, seconds)
    return seen


def _arrays(torch: Any, tensors: Any) -> list[Any]:
    return [None if t is None else array_of(torch, t) for t in tensors]


def stored(seen: dict[str, Any], values: bool) -> dict[str, Any]:
    """An observation in the file's words; with no values, where these are random or a matter of choice."""

    def array(found: Any) -> Any:
        if found is None:
            return None
        name, x = found
        return [name, list(x.shape), packed(rounded(x)) if values else None]

    kept = {key: [array(a) for a in found] for key, found in seen.items() if key in _OF_ARRAYS}
    if not values:
        kept = {"outputs": kept["outputs"]} if "outputs" in kept else {}
    plain = {key: found for key, found in seen.items() if key not in _OF_ARRAYS and (values or key != "number")}
    return {**plain, **kept}


_OF_ARRAYS = ("outputs", "gradients", "second gradients")
_NEAR = {"float64": 2e-6, "complex128": 2e-6, "float32": 3e-4, "complex64": 3e-4, "bfloat16": 3e-2, "float16": 5e-3}


def differences(wanted: dict[str, Any], seen: dict[str, Any]) -> dict[str, str]:
    """By aspect, what is not as it is in the file."""
    if "raises" in wanted or "raises" in seen:
        same = wanted.get("raises") == seen.get("raises")
        return {} if same else {"value": f"{wanted.get('raises')} is wanted, not {seen.get('raises')}"}
    found = {}
    for key, aspect in (("requires_grad", "requires_grad"), ("nodes", "grad_fn"), ("number", "value")):
        if key in wanted and not _is_same(wanted[key], seen.get(key)):
            found[aspect] = f"{wanted[key]} is wanted, not {seen.get(key)}"
    for key, aspect in (("outputs", "value"), ("gradients", "gradient"), ("second gradients", "second gradient")):
        if key in wanted:
            why = _difference(wanted[key], seen.get(key, []), loose=1 if key == "outputs" else 10)
            if why:
                found[aspect] = why
    return found


def _is_same(x: Any, y: Any) -> bool:
    return bool(np.isclose(x, y, equal_nan=True)) if isinstance(x, float) and isinstance(y, float) else bool(x == y)


def _difference(wanted: list[Any], seen: list[Any], loose: float) -> str:
    if len(wanted) != len(seen):
        return f"{len(wanted)} tensors are wanted, not {len(seen)}"
    for x, y in zip(wanted, seen):
        if x is None or y is None:
            given = unpacked(*x) if y is None and x is not None and x[2] else y[1] if y is not None else None
            if given is not None and np.any(given != 0):
                return "a tensor is wanted" if y is None else "None is wanted"
            continue
        name, shape, text = x
        if name != y[0] or shape != list(y[1].shape):
            return f"{name} of {shape} is wanted, not {y[0]} of {list(y[1].shape)}"
        if text is not None and not _is_near(unpacked(name, shape, text), y[1], loose * _NEAR.get(name, 0.0)):
            return "other values"
    return ""


def _is_near(x: Any, y: Any, tolerance: float) -> bool:
    if not tolerance:
        return bool((x == y).all())
    scale = max(1.0, float(np.abs(x[np.isfinite(x)]).max(initial=0.0)))
    return bool(np.allclose(y, x, rtol=tolerance, atol=0.1 * tolerance * scale, equal_nan=True))


# ---- the file


def load() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(lzma.decompress(FILE.read_bytes()))
    return found


def save(golden: dict[str, Any]) -> int:
    """Write the file; its size."""
    text = json.dumps(golden, separators=(",", ":"), sort_keys=True)
    return FILE.write_bytes(lzma.compress(text.encode(), preset=9))
