"""What ``gradcheck`` compares: Jacobians by finite differences and by backward passes, and how they may disagree.

Jacobians are matrices with a row per element of an input and a column per element of an output. The derivative of a
real value by a complex input z = x + iy is d/dx + i d/dy, PyTorch's convention for gradients. A complex output is
checked as two real ones, its real and its imaginary part: backward from the latter starts with the gradient i.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._core.size import Size
from ..._tensor import Tensor
from ...ops.machine.errors import type_of
from .. import grad
from ..gradcheck import GradcheckError
from .perturbed import memory_of, values_of
from .sparse import refuse_sparse

Array = np.ndarray[Any, Any]


class Settings(NamedTuple):
    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_grad_dtypes: bool
    fast_mode: bool

    def refuse_no_numbers(self) -> None:
        """Say what the functions say that get the tolerances."""
        for name, sign in (("eps", "unsupported operand type(s) for -:"), ("nondet_tol", "'>' not supported between")):
            value = getattr(self, name)
            if not is_real(value):
                one, other = ("'Tensor' and '{}'", "instances of 'Tensor' and '{}'")[name != "eps"], type_of(value)
                raise TypeError(f"{sign} {one.format(other)}")
        for name, at in (("rtol", 3), ("atol", 4)):
            value = getattr(self, name)
            if not is_real(value):
                raise TypeError(f"allclose(): argument '{name}' (position {at}) must be float, not {type_of(value)}")


# ---- helpers


def is_real(value: Any) -> bool:
    """Whether a value will do for one of Python's floats."""
    return isinstance(value, (int, float, np.number, np.bool_)) or (isinstance(value, Tensor) and not value.ndim)


def is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def as_tensor(array: Array) -> Any:
    return Tensor._wrap(array)


def as_tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def differentiable(outputs: Any) -> tuple[Any, ...]:
    return tuple(o for o in as_tuple(outputs) if o.requires_grad)


def inexact(outputs: Any) -> list[Any]:
    return [o for o in as_tuple(outputs) if is_tensor(o) and (o.is_floating_point() or o.is_complex())]


def sample(random: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> Array:
    """Random numbers between -1 and 1, complex ones in both their parts."""
    values = random.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.uniform(-1, 1, shape)
    return np.asarray(values, dtype)


def random_like(t: Any, strided: bool) -> Any:
    """Gradients to start from, drawn from the generator that programs draw from."""
    from ...testing import make_tensor  # loaded when first used

    like = {"dtype": t.dtype, "device": t.device, "noncontiguous": strided}
    return make_tensor(t.shape, low=-1, high=1, requires_grad=True, **like)


def two_like(t: Any) -> Any:
    """A batch of two starts, drawn in the same way, from the normal distribution."""
    from ... import randn_like, stack  # they import this module

    return stack([randn_like(t.detach()) for _ in range(2)])


def check_inputs(inputs: tuple[Any, ...]) -> None:
    for i, t in enumerate(inputs):
        if not is_tensor(t) or not t.requires_grad:
            continue
        if t._array.dtype not in (np.float64, np.complex128):
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. ",
                stacklevel=3,
            )
        if any(s == 0 and n > 1 for n, s in zip(t.shape, t.stride())):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )
    if not any(is_tensor(t) and t.requires_grad for t in inputs):
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )


# ---- finite differences


def _values(func: Callable[..., Any], inputs: tuple[Any, ...]) -> list[Array]:
    return [values_of(o) for o in inexact(func(*inputs))]


def difference(
    func: Callable[..., Any], inputs: tuple[Any, ...], array: Array, at: Any, step: Any, eps: float
) -> list[Array]:
    """How the outputs change, per ``eps``, when ``array[at]`` (an input's memory) is moved by ``step`` both ways."""
    origin = np.array(array[at])
    results = []
    try:
        for sign in (-1, 1):
            array[at] = origin + sign * step
            results.append(_values(func, inputs))
    finally:
        array[at] = origin
    before, after = results
    for a, b in zip(before, after):
        where = f"on index {at} " if isinstance(at, tuple) else ""
        for what, x, y in (("shape", Size(a.shape), Size(b.shape)), ("dtype", a.dtype, b.dtype)):
            if x != y:
                raise AssertionError(
                    f"Expected `func` to return outputs with the same {what} when inputs are perturbed {where}by "
                    f"{eps}, but got: {what}s {x} and {y}."
                )
    return [(b - a) / (2 * eps) for a, b in zip(before, after)]


def numerical_jacobian(
    func: Callable[..., Any], inputs: tuple[Any, ...], t: Any, eps: float
) -> list[tuple[Array, Array | None]]:
    """For each output, the changes along the input's real axis and, if it is complex, along its imaginary one."""
    steps = (eps, 1j * eps) if t.is_complex() else (eps,)
    array = memory_of(t)
    sizes = [o.size for o in _values(func, inputs)]
    along: list[list[list[Array]]] = [[[] for _ in sizes] for _ in steps]
    for at in np.ndindex(*array.shape):
        for kind, step in enumerate(steps):
            for nr, change in enumerate(difference(func, inputs, array, at, step, eps)):
                along[kind][nr].append(change.reshape(-1))
    made = [
        [np.array(rows).reshape(array.size, size) for rows, size in zip(of_outputs, sizes)] for of_outputs in along
    ]
    return [(made[0][nr], made[1][nr] if len(made) > 1 else None) for nr in range(len(sizes))]


def _part(change: tuple[Array, Array | None], imaginary: bool) -> Array:
    """The numerical gradient of the real or the imaginary part of an output."""
    x, y = (None if c is None else c.imag if imaginary and c.dtype.kind == "c" else c.real for c in change)
    assert x is not None
    return x if y is None else x + 1j * y


# ---- backward mode


def requiring_grad(inputs: tuple[Any, ...]) -> list[Any]:
    return [t for t in inputs if is_tensor(t) and t.requires_grad]


def recorded_outputs(func: Callable[..., Any], inputs: tuple[Any, ...], eps: float) -> list[int]:
    """Which of the floating-point outputs are differentiable. If none is, the function must be constant."""
    outputs = func(*inputs)
    refuse_sparse(as_tuple(outputs))
    recorded = [nr for nr, o in enumerate(inexact(outputs)) if o.requires_grad]
    if not differentiable(outputs):
        for t in requiring_grad(inputs):
            if any(part is not None and part.any() for o in numerical_jacobian(func, inputs, t, eps) for part in o):
                raise GradcheckError("Numerical gradient for function expected to be zero")
    return recorded


def check_backward(
    func: Callable[..., Any], inputs: tuple[Any, ...], recorded: list[int], settings: Settings
) -> None:
    """Compare Jacobians made of gradients with numerical ones, for the outputs whose numbers are ``recorded``."""
    check = _compare_fast if settings.fast_mode else _compare_all
    check(func, inputs, requiring_grad(inputs), differentiable(func(*inputs)), recorded, settings)


def _parts(outputs: Sequence[Any]) -> Iterator[bool]:
    """Whether to look at imaginary parts: first so, then not, if any output is complex."""
    if any(o.is_complex() for o in outputs):
        yield True
    yield False


def _compare_all(
    func: Any, inputs: Any, wanted: list[Any], outputs: Any, recorded: list[int], settings: Settings
) -> None:
    numerical = [numerical_jacobian(func, inputs, t, settings.eps) for t in wanted]
    for imaginary in _parts(outputs):
        for nr, output in enumerate(outputs):
            analytical = _analytical(wanted, output, imaginary, settings)
            for i, a in enumerate(analytical):
                n = _part(numerical[i][recorded[nr]], imaginary)
                if not close(a, n, settings.atol, settings.rtol):
                    prefix = part_prefix(output, imaginary, "outputs")
                    raise GradcheckError(prefix + mismatch(a, n, nr, i, "", settings, wanted[i].shape, output.shape))


def _analytical(wanted: list[Any], output: Any, imaginary: bool, settings: Settings) -> list[Array]:
    """The Jacobian of one output by each input, from backward. All is computed twice, to see if it is the same."""
    first, second = (gradient_rows(wanted, output, imaginary, settings) for _ in range(2))
    for a, b in zip(first, second):
        if a.shape != b.shape or (a.size and not np.abs(a - b).max() <= settings.nondet_tol):
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                "gives different values, although analytical gradient matches numerical gradient."
                f"The tolerance for nondeterminism was {settings.nondet_tol}.\n\n"
                f"{_largest_change(a, b)} If the backward is right and yet not deterministic, give a greater "
                "nondet_tol.\n"
            )
    return first


def _largest_change(a: Array, b: Array) -> str:
    if a.shape != b.shape:
        return "Even the shapes of the gradients differ."
    return f"The gradients of two runs differ by up to {np.abs(a - b).max():.3g}."


def gradient_rows(wanted: list[Any], output: Any, imaginary: bool, settings: Settings) -> list[Array]:
    columns: list[list[Array]] = [[] for _ in wanted]
    for j in range(output.numel()):
        seed = np.zeros(output.numel(), output._array.dtype)
        seed[j] = 1j if imaginary and output.is_complex() else 1
        for i, g in enumerate(_vjp(wanted, output, seed, settings)):
            columns[i].append(g)
    return [
        np.array(c).reshape(output.numel(), t.numel()).T if c else np.zeros((t.numel(), 0))
        for c, t in zip(columns, wanted)
    ]


def _vjp(wanted: list[Any], output: Any, seed: Array, settings: Settings) -> list[Array]:
    weights = as_tensor(seed.reshape(output._array.shape))
    grads = grad(output, wanted, weights, retain_graph=True, allow_unused=True)
    found = []
    for g, t in zip(grads, wanted):
        if g is None:
            found.append(np.zeros(t.numel(), t._array.dtype))
            continue
        if settings.check_grad_dtypes and g.dtype != t.dtype:
            raise GradcheckError("Gradient has dtype mismatch")
        if g.shape != t.shape:
            raise GradcheckError("Analytical gradient has incorrect size")
        found.append(values_of(g).reshape(-1))
    return found


# ---- fast mode: one random combination of all elements of a Jacobian


def _compare_fast(
    func: Any, inputs: Any, wanted: list[Any], outputs: Any, recorded: list[int], settings: Settings
) -> None:
    random = np.random.default_rng(0)
    rights = [tuple(direction(random, t.numel()) for _ in range(2 if t.is_complex() else 1)) for t in wanted]
    lefts = [direction(random, o.numel()) for o in outputs]
    along = []
    for t, directions in zip(wanted, rights):
        units = (1, 1j)
        along.append(
            [difference(func, inputs, memory_of(t), ..., settings.eps * unit * u.reshape(t.shape), settings.eps)
             for unit, u in zip(units, directions)]
        )  # fmt: skip
    for imaginary in _parts(outputs):
        for nr, output in enumerate(outputs):
            seed = lefts[nr] * (1j if imaginary and output.is_complex() else 1)
            twice = [_vjp(wanted, output, seed.astype(output._array.dtype), settings) for _ in range(2)]
            for i, (g, again) in enumerate(zip(*twice)):
                if g.size and not np.abs(g - again).max() <= settings.nondet_tol:
                    _analytical(wanted, output, imaginary, settings)
                a = np.asarray(
                    g.real @ rights[i][0] + 1j * (g.imag @ rights[i][1]) if len(rights[i]) > 1 else g @ rights[i][0]
                )
                changes = [c[recorded[nr]].reshape(-1) @ lefts[nr] for c in along[i]]
                pair = (np.asarray(changes[0]), np.asarray(changes[1]) if len(changes) > 1 else None)
                n = np.asarray(_part(pair, imaginary))
                atol = settings.atol * sum(u.sum() for u in rights[i]) * lefts[nr].sum()
                if not close(a, n, atol, settings.rtol):
                    prefix = part_prefix(output, imaginary, "outputs")
                    full_n = _part(numerical_jacobian(func, inputs, wanted[i], settings.eps)[recorded[nr]], imaginary)
                    full_a = gradient_rows(wanted, output, imaginary, settings)[i]
                    shapes = (wanted[i].shape, output.shape)
                    raise GradcheckError(
                        prefix + mismatch(a, n, nr, i, "", settings) + in_slow_mode(full_a, full_n, settings, *shapes)
                    )


def direction(random: np.random.Generator, n: int) -> Array:
    u = random.random(n)
    return u / max(float(np.linalg.norm(u)), 1e-30)


def in_slow_mode(a: Array, n: Array, settings: Settings, in_shape: Any, out_shape: Any) -> str:
    worst = np.abs(a - n).max(initial=0)
    message = (
        "\nThe above quantities relating the numerical and analytical jacobians are computed \nin fast mode. See: "
        "https://github.com/pytorch/pytorch/issues/53876 for more background \nabout fast mode. Below, we recompute "
        f"numerical and analytical jacobians in slow mode:\n\nNumerical:\n {as_tensor(n)}\nAnalytical:\n"
        f"{as_tensor(a)}\n\nThe max per-element difference (slow mode) is: {worst}.\n"
    )
    if close(a, n, settings.atol, settings.rtol):
        return message + "Each element by itself is close enough: the check passes with fast_mode=False.\n"
    return message + _worst(a, n, settings, in_shape, out_shape)


# ---- comparing and telling


def close(a: Array, n: Array, atol: float, rtol: float) -> bool:
    return bool(np.allclose(a, n, float(rtol), float(atol)))


def part_prefix(t: Any, imaginary: bool, what: str) -> str:
    if not t.is_complex():
        return ""
    return f"While considering the {'imaginary' if imaginary else 'real'} part of complex {what} only, "


def mismatch(
    a: Array, n: Array, output: int, input: int, mode: str, settings: Settings, in_shape: Any = None,
    out_shape: Any = None,
) -> str:  # fmt: skip
    return (
        f"Jacobian {mode}mismatch for output {output} with respect to input {input},\n"
        f"numerical:{as_tensor(n) if n.ndim else n}\nanalytical:{as_tensor(a) if a.ndim else a}\n"
    ) + (_worst(a, n, settings, in_shape, out_shape) if a.ndim == 2 else "")


def same_in_batches(together: Any, alone: list[Any], output: int, input: int, hint: str) -> None:
    """What was computed for a batch must be what was computed for its items."""
    if together is None:
        return
    expected = np.stack([values_of(g) for g in alone])
    got = values_of(together)
    if not np.allclose(got, expected):
        raise GradcheckError(
            f"For output {output} and input {input}:\n{hint}\nGot:\n{together}\n\nExpected:\n{as_tensor(expected)}"
        )


def _worst(a: Array, n: Array, settings: Settings, in_shape: Any, out_shape: Any) -> str:
    """Which element is furthest off what is allowed, and by how much."""
    allowed = settings.atol + settings.rtol * np.abs(n)
    off = np.abs(a - n)
    excess = np.where(np.isfinite(off), off - allowed, np.inf)
    row, column = (int(i) for i in np.unravel_index(int(np.argmax(excess)), excess.shape))
    return (
        f"The worst element is the derivative of output element {_place(column, out_shape)} by input element "
        f"{_place(row, in_shape)}: numerical {n[row, column]:.6g}, analytical {a[row, column]:.6g}; they differ by "
        f"{off[row, column]:.3g} where {allowed[row, column]:.3g} is allowed. The step was {settings.eps:g}.\n"
    )


def _place(flat: int, shape: Any) -> list[int]:
    return [flat] if shape is None else [int(i) for i in np.unravel_index(flat, tuple(shape))]
