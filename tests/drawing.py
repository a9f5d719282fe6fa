"""What the tests of properties draw: tensors of odd shapes and layouts, for facula and PyTorch alike.

A drawn tensor is a leaf and a way to look at it: as it is, transposed, with steps, expanded, or reversed. Both
libraries build the same, so that gradients with respect to the leaf go through the view. ``check`` compares.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import facula

torch: Any = None
if find_spec("torch") is not None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch  # type: ignore[no-redef]

EXAMPLES = int(os.environ.get("FACULA_EXAMPLES", "1"))
"""So many times the usual number of examples, drawn anew in each run if it is more than 1."""


def examples(n: int) -> Any:
    """The settings of a test with ``n`` examples."""
    return settings(
        max_examples=n * EXAMPLES, deadline=None, derandomize=EXAMPLES == 1, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip


FLOATS = ("float64", "float32")
LOW = ("float16", "bfloat16")
INTEGERS = ("int64", "int32", "uint8", "int16", "int8")
ALL = (*FLOATS, *LOW, *INTEGERS, "bool")

TOLERANCE = {"float64": 1e-7, "float32": 1e-4, "float16": 1e-2, "bfloat16": 6e-2, "complex128": 1e-7, "complex64": 1e-4}


@dataclass
class Drawn:
    """A leaf's numbers, its dtype, and the view of it that goes into an operator."""

    base: np.ndarray[Any, Any]
    dtype: str
    view: str = "as it is"
    order: tuple[int, ...] = ()
    constant: bool = False
    leaves: dict[int, Any] = field(default_factory=dict, repr=False)

    def look(self, x: Any, flip: Callable[[Any], Any]) -> Any:
        """The view, of an array or of a tensor."""
        if self.view == "permuted":
            return x.transpose(self.order) if isinstance(x, np.ndarray) else x.permute(self.order)
        if self.view == "with steps":
            return x[tuple([slice(1, None, 2)] * self.base.ndim)]
        if self.view == "expanded":
            shape = (3, *self.base.shape)
            return np.broadcast_to(x, shape) if isinstance(x, np.ndarray) else x.expand(shape)
        return flip(x) if self.view == "reversed" else x

    def array(self) -> np.ndarray[Any, Any]:
        """The numbers as an operator sees them; half precision rounded, as float32."""
        exact = self.leaf(facula).detach()
        exact = exact.float() if self.dtype in LOW else exact
        return np.asarray(self.look(exact.numpy(), lambda a: a[tuple([slice(None, None, -1)] * a.ndim)]))

    def leaf(self, library: Any) -> Any:
        """One leaf a library, so that its gradient can be asked for."""
        if id(library) not in self.leaves:
            t = library.tensor(self.base.tolist(), dtype=getattr(library, self.dtype)).reshape(self.base.shape)
            floating = self.dtype in FLOATS + LOW or self.dtype.startswith("complex")
            self.leaves[id(library)] = t.requires_grad_() if floating and not self.constant else t
        return self.leaves[id(library)]

    def tensor(self, library: Any) -> Any:
        return self.look(self.leaf(library), lambda t: t.flip(tuple(range(t.ndim))))

    def __repr__(self) -> str:
        return f"Drawn({self.dtype}, {self.view} {self.order}, {self.base.tolist()})"


shapes = st.lists(st.sampled_from((0, 1, 1, 2, 2, 3, 4)), max_size=4).map(tuple)
full_shapes = st.lists(st.sampled_from((1, 2, 3, 4)), max_size=3).map(tuple)
VIEWS = ("as it is", "as it is", "permuted", "with steps", "expanded", "reversed")


def numbers(
    seed: int, shape: tuple[int, ...], dtype: str, low: float = -2.0, high: float = 2.0, distinct: bool = False
) -> Any:
    """Numbers that all precisions have: eighths, or integers; ``distinct`` ones in any order."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if distinct:
        n = int(np.prod(shape))
        return ((rng.permutation(n) - n // 2) / (8 if dtype in FLOATS + LOW else 1)).reshape(shape)
    if dtype in INTEGERS:
        return rng.integers(0 if dtype == "uint8" else int(low), int(high) + 2, shape)
    eighths = rng.integers(int(low * 8), int(high * 8) + 1, shape) / 8
    return eighths + 1j * rng.integers(-8, 9, shape) / 8 if dtype.startswith("complex") else eighths


@st.composite
def tensors(
    draw: Any, shape: Any = shapes, dtypes: Sequence[str] = FLOATS, low: float = -2.0, high: float = 2.0,
    distinct: bool = False, views: Sequence[str] = VIEWS, constant: bool = False,
) -> Drawn:  # fmt: skip
    """A tensor whose view has the shape (one, or a strategy for one)."""
    wanted = draw(shape) if isinstance(shape, st.SearchStrategy) else tuple(shape)
    dtype, view, seed = draw(st.sampled_from(dtypes)), draw(st.sampled_from(views)), draw(st.integers(0, 10**6))
    order: tuple[int, ...] = ()
    based = wanted
    if view == "permuted":
        order = tuple(draw(st.permutations(range(len(wanted)))))
        based = tuple(wanted[order.index(i)] for i in range(len(wanted)))
    elif view == "with steps":
        based = tuple(2 * n + (seed + i) % 2 for i, n in enumerate(wanted))
    elif view == "expanded":
        if wanted[:1] == (3,):
            based = wanted[1:]
        else:
            view = "as it is"
    return Drawn(np.asarray(numbers(seed, based, dtype, low, high, distinct)), dtype, view, order, constant)


def dims(n: int) -> st.SearchStrategy[int]:
    """A dimension of n, from either end; 0 or -1 of none."""
    return st.integers(-max(n, 1), max(n, 1) - 1)


def several_dims(n: int) -> st.SearchStrategy[tuple[int, ...]]:
    return st.lists(st.sampled_from(range(n)), unique=True, max_size=n).map(tuple) if n else st.just(())


# ---- comparing


def flat(result: Any, library: Any) -> list[Any]:
    if isinstance(result, library.Tensor):
        return [result]
    return [t for part in result for t in flat(part, library)] if isinstance(result, (list, tuple)) else []


def array_of(t: Any) -> np.ndarray[Any, Any]:
    t = t.detach()
    name = dtype_of(t)
    made: np.ndarray[Any, Any] = (t.float() if name == "bfloat16" else t.resolve_conj()).numpy()
    return made


def dtype_of(t: Any) -> str:
    return str(t.dtype).rpartition(".")[2]


def assert_close(ours: Any, wanted: Any, tolerance: float, what: str) -> None:
    ours, wanted = np.asarray(ours), np.asarray(wanted)
    assert ours.shape == wanted.shape, f"{what}: shape {ours.shape}, not {wanted.shape}"
    if ours.size:
        finite = np.abs(wanted[np.isfinite(wanted)]) if wanted.dtype.kind in "fc" else np.abs(wanted.astype(float))
        room = tolerance * max(1.0, finite.max(initial=0.0))
        np.testing.assert_allclose(ours, wanted, rtol=tolerance, atol=room, err_msg=what)


def run(fn: Any, library: Any, inputs: Sequence[Drawn]) -> tuple[list[Any], Exception | None]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return flat(fn(library, *[x.tensor(library) for x in inputs]), library), None
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError) as e:
        return [], e


def check(
    fn: Any, *inputs: Drawn, reference: Any = None, gradient: bool = True, loose: float = 1.0,
    refused: bool | None = None,
) -> None:  # fmt: skip
    """``fn(library, *tensors)`` on facula against PyTorch, if it is there, and against ``reference(*arrays)``.

    Values, dtypes, shapes and gradients must agree, and what one refuses, the other must refuse. Without PyTorch,
    gradients of small float64 inputs are compared with finite differences. ``refused``: whether it must be.
    """
    ours, failed = run(fn, facula, inputs)
    assert refused is None or (failed is not None) is refused, failed or "not refused"
    if torch is not None:
        theirs, refusal = run(fn, torch, inputs)
        if refusal is not None or failed is not None:
            assert type(failed).__name__ == type(refusal).__name__, f"{failed!r}, where PyTorch has {refusal!r}"
            return
        _compare_with_pytorch(ours, theirs, inputs, gradient, loose)
    elif failed is not None:
        return  # without PyTorch nobody says whether it should have
    elif gradient and all(x.dtype == "float64" and x.base.size <= 12 for x in inputs):
        _check_gradients(fn, inputs)
    if reference is not None and ours:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = reference(*[x.array() for x in inputs])
        for t, w in zip(ours, wanted if isinstance(wanted, (list, tuple)) else [wanted], strict=True):
            x = array_of(t)
            w = w.astype(x.dtype) if x.dtype.kind in "iub" else w  # what is too large wraps around
            assert_close(x, w, loose * TOLERANCE.get(dtype_of(t), 0.0), "value, beside NumPy")


def _compare_with_pytorch(
    ours: list[Any], theirs: list[Any], inputs: Sequence[Drawn], gradient: bool, loose: float
) -> None:
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs):
        assert dtype_of(a) == dtype_of(b)
        assert a.requires_grad == b.requires_grad
        assert_close(array_of(a), array_of(b), loose * TOLERANCE.get(dtype_of(b), 0.0), "value")
    if not gradient:
        return
    slopes = []
    for library, outs in ((facula, ours), (torch, theirs)):
        outs = [t for t in outs if t.requires_grad]
        leaves = [x.leaf(library) for x in inputs if x.leaf(library).requires_grad]
        if not outs or not leaves:
            return
        ups = [
            library.tensor(numbers(i, tuple(t.shape), dtype_of(t), -1, 1).tolist(), dtype=t.dtype).reshape(t.shape)
            for i, t in enumerate(outs)
        ]
        slopes.append(library.autograd.grad(outs, leaves, ups, allow_unused=True))
    for a, b in zip(*slopes):
        if a is None or b is None:
            assert all(t is None or not t.count_nonzero() for t in (a, b)), "only one has a gradient"
            continue
        assert dtype_of(a) == dtype_of(b), "dtype of a gradient"
        assert_close(array_of(a), array_of(b), 3 * loose * TOLERANCE[dtype_of(b)], "gradient")


def _check_gradients(fn: Any, inputs: Sequence[Drawn]) -> None:
    def through_views(*leaves: Any) -> Any:
        seen = [x.look(t, lambda v: v.flip(tuple(range(v.ndim)))) for x, t in zip(inputs, leaves)]
        return tuple(t for t in flat(fn(facula, *seen), facula) if t.requires_grad)

    leaves = tuple(_beside(x.leaf(facula), i) for i, x in enumerate(inputs))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outs = through_views(*leaves)
        finite = all(t.isfinite().all() for t in outs)
        if outs and finite and any(t.numel() and t.requires_grad for t in leaves):
            assert facula.autograd.gradcheck(through_views, leaves, fast_mode=True, atol=1e-4, rtol=2e-3)


def _beside(leaf: Any, i: int) -> Any:
    """A leaf with numbers near by that are no round ones, where functions may have kinks."""
    uneven = facula.arange(leaf.numel(), dtype=leaf.dtype).reshape(leaf.shape) * 0.0007
    return (leaf.detach() + uneven + (0.031 + 0.016 * i)).requires_grad_(leaf.requires_grad)
