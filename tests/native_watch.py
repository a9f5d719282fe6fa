"""Watches native kernels: whenever one gives a result, the NumPy kernel must give the same.

``install`` is called before any operator is. Values may differ by roundings: of each element for elementwise functions,
of the largest number that is in play for all others. Dtypes, shapes, the order in memory, NaN and inf are the same.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import numpy as np

from facula._core import natively, quiet
from facula.native import presence
from facula.ops.machine import native
from facula.ops.machine.primitive import REGISTRY

used: Counter[str] = Counter()
declined: Counter[str] = Counter()

ULPS = {"elementwise": 32.0}
"""How many roundings an element may differ by."""
SUMS = 2048.0
"""How many roundings of the largest number the results of sums may differ by."""

WITHOUT_RECORD: dict[str, Any] = {
    "rows:sum_all": lambda x: np.add.reduce(x, None),
    "rows:sum_rows": lambda x: np.add.reduce(x, 1),
    "rows:sum_columns": lambda x: np.add.reduce(x, 0),
}
"""What NumPy's kernels themselves call, and what does the same."""

IN_PLACE = {"optimizers", "indexing"}
"""What has changed its arguments cannot be computed again: others compare these."""


def install() -> None:
    presence.always = True
    original = native.native_function

    @cache
    def watched(kernel: str) -> Any:
        function = original(kernel)
        family = kernel.partition(":")[0]

        def run(*args: Any) -> Any:
            found = function(*args)
            if found is None or found is False:
                declined[kernel] += 1
                return found
            used[kernel] += 1
            if family not in IN_PLACE:
                by_numpy = WITHOUT_RECORD.get(kernel) or next(
                    op.kernel for op in REGISTRY.values() if op.native and op.native[0] == kernel
                )
                token = quiet.begin()
                try:
                    compare(kernel, family, found, by_numpy(*args), [a for a in args if isinstance(a, np.ndarray)])
                finally:
                    quiet.end(token)
            return found

        return run

    native.native_function = natively.native_function = watched


def compare(kernel: str, family: str, found: Any, right: Any, given: list[Any]) -> None:
    several = isinstance(right, (tuple, list))
    pairs = list(zip(found, right, strict=True)) if several else [(found, right)]
    for i, (a, b) in enumerate(pairs):
        if b is None:
            assert a is None, kernel
            continue
        if kernel == "attention:attention" and i == 2:  # the kept shares, which the native kernel does not keep
            continue
        b = np.asarray(b)
        where = f"{kernel}, result {i}, of {[(x.shape, str(x.dtype)) for x in given]}"
        assert a.dtype == b.dtype and a.shape == b.shape, f"{where}: {a.dtype} {a.shape}, not {b.dtype} {b.shape}"
        assert _order(a) == _order(b), f"{where}: strides {a.strides}, not {b.strides}"
        if not a.size or a.dtype.kind != "f":
            continue
        if family in ULPS:
            inputs = [np.abs(x) for x in given if x.shape == b.shape and x.dtype == b.dtype]
            scale = np.maximum(ULPS[family] * np.max([np.abs(b), *inputs], 0), np.finfo(b.dtype).tiny)
        else:
            scale = SUMS * (1 + max(_largest(x) for x in (b, *given)))
        near = np.abs(a - b) <= scale * np.finfo(b.dtype).eps
        wrong = ~(near | (a == b) | (np.isnan(a) & np.isnan(b)))
        if wrong.any():
            at = tuple(np.argwhere(wrong)[0])
            raise AssertionError(f"{where}: {a[at]!r} at {at}, not {b[at]!r}")


def _order(x: Any) -> list[int]:
    """Dimensions in the order of memory, those with one element left out."""
    return sorted([d for d in range(x.ndim) if x.shape[d] > 1], key=lambda d: -x.strides[d]) if x.size else []


def _largest(x: Any) -> float:
    finite = np.abs(x[np.isfinite(x)]) if x.dtype.kind == "f" else np.zeros(0)
    return float(finite.max()) if finite.size else 0.0


def main() -> None:
    """All samples of all primitives, in float64 and float32, dense and not: what is left without use is an error."""
    install()
    from . import op_samples  # it calls operators

    torch = op_samples.torch
    for samples in op_samples.SAMPLES.values():
        for function, inputs in samples:
            for variant in (_as_is, _float32, _strided):
                given = [variant(x) if isinstance(x, torch.Tensor) and x.is_floating_point() else x for x in inputs]
                try:
                    out = function(*given)
                except (ImportError, RuntimeError, TypeError, ValueError):
                    continue  # a sample that means float64, or needs SciPy
                outs = [x for x in (out if isinstance(out, (tuple, list)) else [out]) if isinstance(x, torch.Tensor)]
                outs = [x for x in outs if x.requires_grad]
                if outs:
                    torch.autograd.backward(outs, [torch.ones_like(x) for x in outs])
    for function, inputs in _edges(torch):
        out = function(*[x.requires_grad_() for x in inputs])
        out.backward(torch.ones_like(out))
    wanted = {op.native[0] for op in REGISTRY.values() if op.native}
    print(*sorted(used), sep="\n")
    missing = wanted - used.keys()
    assert not missing, f"never used: {sorted(missing)}"


def _edges(torch: Any) -> Any:
    """Special values, nothing at all, memory that overlaps, and what the samples leave out."""
    F = torch.nn.functional
    odd = [np.inf, -np.inf, np.nan, -0.0, 0.0, 1e-40, -1e-40, 1e-310, 88.5, -90.0, 710.0, -745.0, 1e30, 0.55, 3.95]
    rows = [lambda x: F.softmax(x, -1), lambda x: F.log_softmax(x, -1), lambda x: F.layer_norm(x, x.shape[-1:])]
    of_each = [torch.exp, torch.log, torch.tanh, torch.sigmoid, F.silu, F.gelu, F.relu]
    for dtype in (torch.float32, torch.float64):
        special = torch.tensor(odd, dtype=dtype)
        for function in [*of_each, *rows]:
            plain = torch.linspace(-9, 9, 600, dtype=dtype)
            for x in (special, special[:3], torch.zeros(0, 3, dtype=dtype), plain, plain.view(20, 30)):
                if not (x.dim() == 1 and function in rows and x.numel() == 3):
                    yield function, [x.clone()]
            yield lambda x, f=function: f(x.expand(4, 50)), [torch.linspace(-2, 2, 50, dtype=dtype)]
            yield lambda x, f=function: f(x.as_strided((6, 10), (5, 1))), [torch.linspace(-2, 2, 60, dtype=dtype)]
            yield lambda x, f=function: f(x.flip(0)), [torch.linspace(-2, 2, 60, dtype=dtype).view(6, 10)]
        yield lambda x, w, b: F.linear(x, w, b), [torch.randn(*n, dtype=dtype) for n in ((40, 50), (70, 50), (70,))]
        yield lambda x, w, b: F.linear(x, w, b), [torch.randn(*n, dtype=dtype) for n in ((4, 0), (7, 0), (7,))]
        for shape in ((8, 20, 9), (2, 24, 5, 7), (3, 32, 4, 5, 6)):
            weight = torch.randn(10, shape[1], *[3] * (len(shape) - 2), dtype=dtype)
            convolve = (F.conv1d, F.conv2d, F.conv3d)[len(shape) - 3]
            yield lambda x, w, f=convolve: f(x, w, padding=2, stride=2), [torch.randn(*shape, dtype=dtype), weight]


def _as_is(x: Any) -> Any:
    return x.detach().clone().requires_grad_()


def _float32(x: Any) -> Any:
    return x.detach().float().requires_grad_()


def _strided(x: Any) -> Any:
    """The same numbers, every second in memory."""
    if not x.dim():
        return _as_is(x)
    wide = x.detach().repeat_interleave(2, -1).requires_grad_()
    return wide[..., ::2]


if __name__ == "__main__":
    main()
