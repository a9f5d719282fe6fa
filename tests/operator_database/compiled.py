"""Compiled forms of the database's entries beside eager ones.

A call is captured, the same call runs its program, and one with other numbers does: results and gradients are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch

import facula
from facula._core.pytree import tree_flatten, tree_leaves, tree_unflatten

from .entries import UNINITIALISED, Entry
from .translate import Translation

SAMPLES = 3
CALLS = (0.0, 0.0, 0.01)
"""By which part of themselves the inputs are moved."""

Outcome = list[Any] | str


def _as_given(leaves: list[Any], moved: float) -> list[Any]:
    def of(t: Any) -> Any:
        if not isinstance(t, facula.Tensor):
            return t
        is_inexact = t.is_floating_point() or t.is_complex()
        given = t.detach() * (1 + moved) if moved and is_inexact else t.detach().clone()
        return given.requires_grad_(t.requires_grad)

    return [of(leaf) for leaf in leaves]


def _outcome(fn: Callable[[], Any], leaves: list[Any]) -> Outcome:
    """The results of a function and the gradients of their weighted sum, or what it refuses."""
    facula.manual_seed(0)
    try:
        results = [t for t in tree_leaves(fn()) if isinstance(t, facula.Tensor)]
        total: Any = 0
        for t in results:
            if t.requires_grad:
                weights = facula.linspace(0.5, 1, t.numel(), dtype=facula.float64).reshape(t.shape)
                part = (t * weights.to(t.dtype)).sum()
                total = total + (part.abs() if part.is_complex() else part).double()
        wanted = [t for t in leaves if isinstance(t, facula.Tensor) and t.requires_grad]
        grads: Any = []
        if isinstance(total, facula.Tensor) and wanted:
            grads = facula.autograd.grad(total, wanted, allow_unused=True)
        return [*[t.detach() for t in results], *[None if g is None else g.detach() for g in grads]]
    except Exception as error:
        return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"


def _difference(found: Outcome, expected: Outcome) -> str | None:
    if isinstance(found, str) or isinstance(expected, str) or len(found) != len(expected):
        return None if found == expected else f"{found} for {expected}"
    for i, (a, b) in enumerate(zip(found, expected)):
        if (a is None) != (b is None):
            return f"{i}: {a} for {b}"
        if a is not None and ((a.dtype, a.shape, a.layout) != (b.dtype, b.shape, b.layout)):
            return f"{i}: {a.dtype} {a.shape} for {b.dtype} {b.shape}"
        if a is not None and not a.is_meta:
            try:
                facula.testing.assert_close(a, b, rtol=1e-8, atol=1e-8, equal_nan=True, check_stride=False)
            except AssertionError as error:
                return f"{i}: {error}"
    return None


def differences(entry: Entry, backend: str) -> Iterator[str]:
    """What a compiled entry does otherwise."""
    if entry.name in UNINITIALISED or entry.name in ("empty", "empty_permuted") or torch.float64 not in entry.dtypes():
        return
    function = entry.ours
    for n, sample in enumerate(entry.samples(torch.float64, SAMPLES, entry.info.supports_autograd)):
        leaves, spec = tree_flatten(Translation()(((sample.input, *sample.args), sample.kwargs)))
        facula.compiler.reset()

        def plain(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        compiled = facula.compile(plain, backend=backend)
        for moved in CALLS:
            outcomes = []
            for fn in (compiled, plain):
                given = _as_given(leaves, moved)
                args, kwargs = tree_unflatten(given, spec)
                outcomes.append(_outcome(partial(fn, *args, **kwargs), given))
            if (told := _difference(*outcomes)) is not None:
                yield f"{entry.full_name}, sample {n}, inputs moved by {moved}: {told}"
                break
