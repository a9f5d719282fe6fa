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

from .gradcheck import GradcheckError
from .graph import Node, new_node

Array = np.ndarray[Any, Any]


class Settings(NamedTuple):
    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    check_grad_dtypes: bool
    fast_mode: bool


# ---- helpers


def is_tensor(value: Any) -> bool:
    from .._tensor import Tensor

    return isinstance(value, Tensor)


def _tensor(array: Array) -> Any:
    from .._tensor import Tensor

    return Tensor._wrap(array)


def as_tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def differentiable(outputs: Any) -> tuple[Any, ...]:
    return tuple(o for o in as_tuple(outputs) if is_tensor(o) and o.requires_grad)


def _inexact(outputs: Any) -> list[Any]:
    return [o for o in as_tuple(outputs) if is_tensor(o) and (o.is_floating_point() or o.is_complex())]


def random_like(t: Any, strided: bool) -> Any:
    random = np.random.default_rng(t.numel())
    shape = (*t.shape, 2) if strided else tuple(t.shape)
    values = random.uniform(-1, 1, shape)
    if t.is_complex():
        values = values + 1j * random.uniform(-1, 1, shape)
    array = np.asarray(values, t._array.dtype)
    return _tensor(array[..., 0] if strided else array).requires_grad_()


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
    return [np.array(o._array) for o in _inexact(func(*inputs))]


def _difference(
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
        for what, x, y in (("shape", a.shape, b.shape), ("dtype", a.dtype, b.dtype)):
            if x != y:
                raise AssertionError(
                    f"Expected `func` to return outputs with the same {what} when inputs are perturbed {where}by "
                    f"{eps}, but got: {what}s {x} and {y}."
                )
    return [(b - a) / (2 * eps) for a, b in zip(before, after)]


def _numerical(
    func: Callable[..., Any], inputs: tuple[Any, ...], t: Any, eps: float
) -> list[tuple[Array, Array | None]]:
    """For each output, the changes along the input's real axis and, if it is complex, along its imaginary one."""
    steps = (eps, 1j * eps) if t.is_complex() else (eps,)
    array = t._array
    sizes = [o.size for o in _values(func, inputs)]
    along: list[list[list[Array]]] = [[[] for _ in sizes] for _ in steps]
    for at in np.ndindex(*array.shape):
        for kind, step in enumerate(steps):
            for nr, change in enumerate(_difference(func, inputs, array, at, step, eps)):
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


def _wanted(inputs: tuple[Any, ...]) -> list[Any]:
    return [t for t in inputs if is_tensor(t) and t.requires_grad]


def check_backward(func: Callable[..., Any], inputs: tuple[Any, ...], settings: Settings) -> None:
    produced = func(*inputs)
    outputs = differentiable(produced)
    wanted = _wanted(inputs)
    if not outputs:
        for t in wanted:
            if any(part is not None and part.any() for o in _numerical(func, inputs, t, settings.eps) for part in o):
                raise GradcheckError("Numerical gradient for function expected to be zero")
        return
    recorded = [nr for nr, o in enumerate(_inexact(produced)) if o.requires_grad]
    check = _compare_fast if settings.fast_mode else _compare_all
    check(func, inputs, wanted, outputs, recorded, settings)


def _parts(outputs: Sequence[Any]) -> Iterator[bool]:
    """Whether to look at imaginary parts: first so, then not, if any output is complex."""
    if any(o.is_complex() for o in outputs):
        yield True
    yield False


def _compare_all(
    func: Any, inputs: Any, wanted: list[Any], outputs: Any, recorded: list[int], settings: Settings
) -> None:
    numerical = [_numerical(func, inputs, t, settings.eps) for t in wanted]
    for imaginary in _parts(outputs):
        for nr, output in enumerate(outputs):
            analytical = _analytical(wanted, output, imaginary, settings)
            for i, a in enumerate(analytical):
                n = _part(numerical[i][recorded[nr]], imaginary)
                if not _close(a, n, settings.atol, settings.rtol):
                    prefix = _part_prefix(output, imaginary, "outputs")
                    raise GradcheckError(prefix + _mismatch(a, n, nr, i, "", settings, wanted[i].shape, output.shape))


def _analytical(wanted: list[Any], output: Any, imaginary: bool, settings: Settings) -> list[Array]:
    """The Jacobian of one output by each input, from backward. All is computed twice, to see if it is the same."""
    first, second = (_rows(wanted, output, imaginary, settings) for _ in range(2))
    for a, b in zip(first, second):
        if a.shape != b.shape or (a.size and not np.abs(a - b).max() <= settings.nondet_tol):
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                "gives different values, although analytical gradient matches numerical gradient."
                f"The tolerance for nondeterminism was {settings.nondet_tol}."
                "\nIf it is right that the backward is not deterministic, give a greater nondet_tol."
            )
    return first


def _rows(wanted: list[Any], output: Any, imaginary: bool, settings: Settings) -> list[Array]:
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
    from . import grad

    weights = _tensor(seed.reshape(output._array.shape))
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
        found.append(np.array(g._array).reshape(-1))
    return found


# ---- fast mode: one random combination of all elements of a Jacobian


def _compare_fast(
    func: Any, inputs: Any, wanted: list[Any], outputs: Any, recorded: list[int], settings: Settings
) -> None:
    random = np.random.default_rng(0)
    rights = [tuple(_direction(random, t.numel()) for _ in range(2 if t.is_complex() else 1)) for t in wanted]
    lefts = [_direction(random, o.numel()) for o in outputs]
    along = []
    for t, directions in zip(wanted, rights):
        units = (1, 1j)
        along.append(
            [_difference(func, inputs, t._array, ..., settings.eps * unit * u.reshape(t._array.shape), settings.eps)
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
                if not _close(a, n, atol, settings.rtol):
                    prefix = _part_prefix(output, imaginary, "outputs")
                    full_n = _part(_numerical(func, inputs, wanted[i], settings.eps)[recorded[nr]], imaginary)
                    full_a = _rows(wanted, output, imaginary, settings)[i]
                    raise GradcheckError(
                        prefix
                        + _mismatch(a, n, nr, i, "", settings)
                        + _in_slow_mode(full_a, full_n, settings, wanted[i].shape, output.shape)
                    )


def _direction(random: np.random.Generator, n: int) -> Array:
    u = random.random(n)
    return u / max(float(np.linalg.norm(u)), 1e-30)


def _in_slow_mode(a: Array, n: Array, settings: Settings, in_shape: Any, out_shape: Any) -> str:
    worst = np.abs(a - n).max(initial=0)
    message = (
        "\nThe above quantities relating the numerical and analytical jacobians are computed \nin fast mode. Below, we "
        f"recompute numerical and analytical jacobians in slow mode:\n\nNumerical:\n {_tensor(n)}\nAnalytical:\n"
        f"{_tensor(a)}\n\nThe max per-element difference (slow mode) is: {worst}.\n"
    )
    if _close(a, n, settings.atol, settings.rtol):
        return message + "Each element by itself is close enough: the check passes with fast_mode=False.\n"
    return message + _worst(a, n, settings, in_shape, out_shape)


# ---- forward mode


def check_forward(func: Callable[..., Any], inputs: tuple[Any, ...], settings: Settings) -> None:
    import importlib

    forward_ad: Any = importlib.import_module("facula.autograd.forward_ad")
    wanted = [i for i, t in enumerate(inputs) if is_tensor(t) and t.requires_grad]
    for which, i in enumerate(wanted):
        t = inputs[i]
        numerical = _numerical(func, inputs, t, settings.eps)
        for imaginary in (False, True) if t.is_complex() else (False,):
            columns: list[list[Array]] = [[] for _ in numerical]
            for at in np.ndindex(*t._array.shape):
                tangent = np.zeros(t._array.shape, t._array.dtype)
                tangent[at] = 1j if imaginary else 1
                with forward_ad.dual_level():
                    duals = list(inputs)
                    duals[i] = forward_ad.make_dual(t.detach(), _tensor(tangent))
                    for nr, o in enumerate(_inexact(func(*duals))):
                        d = forward_ad.unpack_dual(o).tangent
                        columns[nr].append(np.zeros(o.numel()) if d is None else np.array(d._array).reshape(-1))
            for nr, rows in enumerate(columns):
                x, y = numerical[nr]
                n = y if imaginary else x
                assert n is not None
                a = np.array(rows).reshape(n.shape)
                if not _close(a, n, settings.atol, settings.rtol):
                    prefix = _part_prefix(t, imaginary, "inputs")
                    raise GradcheckError(prefix + _mismatch(a, n, nr, which, "computed with forward mode ", settings))


# ---- further properties


def check_zeros_give_zeros(outputs: tuple[Any, ...], inputs: tuple[Any, ...]) -> None:
    from . import grad

    wanted = _wanted(inputs)
    zeros = [_tensor(np.zeros_like(o._array)) for o in outputs]
    for g, t in zip(grad(outputs, wanted, zeros, allow_unused=True), wanted):
        if g is None:
            continue
        if g._array.any():
            raise GradcheckError("backward not multiplied by grad_output")
        for what, x, y in (("type", g.dtype, t.dtype), ("device", g.device, t.device), ("size", g.shape, t.shape)):
            if x != y:
                raise GradcheckError(f"grad is incorrect {what}")


class UndefinedGrad(Node):
    """Passes no gradient on."""

    __slots__ = ()

    def propagate(self, g: Any, xp: Any, edges: tuple[Any, ...]) -> list[Any]:
        return [None]


def _without_gradient(t: Any) -> Any:
    cut = t.detach()
    cut._set_node(new_node(UndefinedGrad, (t._edge(),)))
    return cut


def check_undefined(func: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    """A backward must work, and give zeros or nothing, if no gradient arrives at one or at any of its outputs."""
    count = len(differentiable(func(*inputs)))
    choices = [set(range(count))]
    if count > 1:
        choices += [{i} for i in range(count)]
    for cut in choices:
        outputs = differentiable(func(*inputs))
        if outputs:
            _check_zero([_without_gradient(o) if i in cut else o for i, o in enumerate(outputs)], _wanted(inputs))


def _check_zero(outputs: list[Any], wanted: list[Any]) -> None:
    from . import grad

    zeros = [_tensor(np.zeros_like(o._array)) for o in outputs]
    notes = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
    try:
        grads = grad(outputs, wanted, zeros, allow_unused=True)
    except RuntimeError as e:
        _warn_about_undefined()
        raise GradcheckError(f"Expected backward function to handle undefined output grads. {notes}") from e
    if any(g is not None and g._array.any() for g in grads):
        _warn_about_undefined()
        raise GradcheckError(
            "Expected all input grads to be undefined or zero when all output grads are undefined or zero. " + notes
        )


def _warn_about_undefined() -> None:
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may "
        "break existing callers of this function. If this is true for you, you can call this function with "
        '"check_undefined_grad=False" to disable the feature',
        stacklevel=5,
    )


def check_batched(inputs: tuple[Any, ...], output: Any, nr: int) -> None:
    from . import grad

    wanted = _wanted(inputs)
    random = np.random.default_rng(0)
    weights = random.uniform(-1, 1, (2, *output._array.shape)).astype(output._array.dtype)
    options: dict[str, Any] = {"retain_graph": True, "allow_unused": True}
    single = [grad(output, wanted, _tensor(w), **options) for w in weights]
    try:
        batched = grad(output, wanted, _tensor(weights), is_grads_batched=True, **options)
    except RuntimeError as e:
        raise GradcheckError(f"While computing batched gradients of output {nr}, got: {e}") from e
    for i, (b, *one_by_one) in enumerate(zip(batched, *single)):
        if b is not None and not np.allclose(b._array, np.stack([g._array for g in one_by_one])):
            raise GradcheckError(f"For output {nr} and input {i}: batched gradients differ from single ones")


# ---- comparing and telling


def _close(a: Array, n: Array, atol: float, rtol: float) -> bool:
    return bool(np.allclose(a, n, rtol, atol))


def _part_prefix(t: Any, imaginary: bool, what: str) -> str:
    if not t.is_complex():
        return ""
    return f"While considering the {'imaginary' if imaginary else 'real'} part of complex {what} only, "


def _mismatch(
    a: Array, n: Array, output: int, input: int, mode: str, settings: Settings, in_shape: Any = None,
    out_shape: Any = None,
) -> str:  # fmt: skip
    return (
        f"Jacobian {mode}mismatch for output {output} with respect to input {input},\n"
        f"numerical:{_tensor(n) if n.ndim else n}\nanalytical:{_tensor(a) if a.ndim else a}\n"
    ) + (_worst(a, n, settings, in_shape, out_shape) if a.ndim == 2 else "")


def _worst(a: Array, n: Array, settings: Settings, in_shape: Any, out_shape: Any) -> str:
    """Which element is furthest off what is allowed, and by how much."""
    allowed = settings.atol + settings.rtol * np.abs(n)
    off = np.abs(a - n)
    excess = np.where(np.isfinite(off), off - allowed, np.inf)
    row, column = (int(i) for i in np.unravel_index(int(np.argmax(excess)), excess.shape))
    return (
        f"The worst element is the derivative of output element {_place(column, out_shape)} by input element "
        f"{_place(row, in_shape)}: numerical {n[row, column]:.6g}, analytical {a[row, column]:.6g}; they differ by "
        f"{off[row, column]:.3g} where {allowed[row, column]:.3g} is allowed.\n"
    )


def _place(flat: int, shape: Any) -> list[int]:
    return [flat] if shape is None else [int(i) for i in np.unravel_index(flat, tuple(shape))]
