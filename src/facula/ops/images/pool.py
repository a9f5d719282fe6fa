"""Pooling by windows that slide: the greatest element, the average, the p-norm."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, prod
from typing import Any

import numpy as np

from ..._core import dtypes, state
from ..._core.devices import MetaArray
from ..._core.dtypes import cast, not_for, widened
from ..._tensor import Tensor, computed
from ...autograd import saved
from ..arrays.images.windows import Windows, greatest, places_of, sums, sums_adjoint
from ..arrays.meta import by_zeros
from ..arrays.strides import lying_as, pooled_as
from ..arrays.types import Array
from ..machine import batching
from ..machine.any_state import wrap
from ..machine.namespaces import ARRAYS, TENSORS
from ..machine.primitive import Primitive
from ..machine.public import FUNCTIONALS, public
from ..machine.rule import Gradient
from ..machine.rules import no_gradient
from .planes import plane_ops
from .sizes import NUMBER, as_ints, checked_windows, one_int, per_dim, shape_list, windows_of

Ints = tuple[int, ...]

# ---- the greatest element


def _max_op(spatial: int) -> Primitive:
    """Values, and which element of its window each is. The latter only if someone wants to know."""

    def kernel(
        input: Array, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil_mode: bool, want: bool
    ) -> tuple[Array, ...]:
        windows = windows_of(input.shape[-spatial:], kernel_size, stride, padding, dilation, ceil_mode)
        values, which = greatest(widened(input), windows, want)
        values = pooled_as(cast(values, input.dtype), input, spatial)
        return values, pooled_as(which, input, spatial) if want else np.zeros((), np.uint8)

    name = f"max_pool{spatial}d"
    op = Primitive(
        name, kernel, f"MaxPool{spatial}DWithIndicesBackward0", outputs=2, differentiable_outputs="first",
        batch=batching.joined_samples(spatial), saved_names={"out1": ""}, native=(f"pooling:{name}", 64),
        lowering="library",
    )  # fmt: skip
    plane_ops(f"{name}_backward", f"MaxPool{spatial}DWithIndicesBackwardBackward0", spatial)

    @by_zeros
    def gradient(
        grad_output: Array, input: Array, which: Array, kernel_size: Ints, stride: Ints, padding: Ints, dilation: Ints,
        ceil_mode: bool,
    ) -> Any:  # fmt: skip
        windows = windows_of(input.shape[-spatial:], kernel_size, stride, padding, dilation, ceil_mode)
        if prod(w.size for w in windows) <= 4 and all(w.disjoint and w.regular for w in windows):
            return lying_as(_spread_over_disjoint(grad_output, which, windows, input.shape), input)
        return getattr(ARRAYS, f"{name}_backward")(grad_output, input, places_of(which, windows))

    backward = Primitive(
        f"{name}_backward_by_number", gradient, None, native=(f"pooling:{name}_backward", 64), lowering="library"
    )
    op.vjp(input=Gradient(backward, which="out1"))

    @backward.compose
    def composed(g: Any, input: Any, which: Any, *how: Any) -> Any:
        windows = windows_of(tuple(input.shape[-spatial:]), *how)
        places = computed(which, lambda numbers: wrap(places_of(numbers, windows)))
        return getattr(TENSORS, f"{name}_backward")(g, input, places)

    def indices(node: Any) -> Any:
        """The places in the plane, which PyTorch saves instead."""
        which = saved_numbers(node)
        windows = windows_of(
            node._saved_self._array.shape[-spatial:], node._saved_kernel_size, node._saved_stride, node._saved_padding,
            node._saved_dilation, node._saved_ceil_mode,
        )  # fmt: skip
        return wrap(places_of(which, windows))

    at = op.slot_names.index("out1")

    def saved_numbers(node: Any) -> Any:
        return saved.as_tensor_value(saved.unpack_at(node, at))._array

    op.node_class._saved_result1 = property(indices)  # type: ignore[attr-defined]
    return op


def _spread_over_disjoint(g: Any, which: Any, windows: tuple[Windows, ...], shape: Ints) -> Any:
    """The gradient of small windows that do not overlap: a product with a mask for each of their elements."""
    covered = all(w.counts.sum() == w.inputs for w in windows)
    out = (np.empty if covered else np.zeros)(shape, g.dtype)
    keys: list[Any] = [((...,), (...,))]
    for w in windows:
        keys = [((*to, step[0]), (*source, step[1])) for to, source in keys for step in w.steps]
    for number, (to, source) in enumerate(keys):
        np.multiply(g[to], which[to] == number, out=out[source])
    return out


_MAX = {n: _max_op(n) for n in (2, 3)}


def _with_numbers(input: Tensor, want: bool) -> bool:
    return want or input.wraps or (input.requires_grad and state.modes.grad_enabled)


def _max_pool(
    spatial: int, input: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool,
    indices: bool,
) -> Any:  # fmt: skip
    name = f"max_pool{spatial}d"
    kernel = as_ints("kernel_size", kernel_size, spatial)
    steps = () if stride is None else as_ints("stride", stride, spatial)
    pads = as_ints("padding", padding, spatial)
    gaps = as_ints("dilation", dilation, spatial)
    each = f"a single int, or a tuple of {NUMBER[spatial]} ints"
    if len(kernel) not in (1, spatial):
        raise RuntimeError(f"{name}: kernel_size must either be {each}")
    if len(steps) not in (0, 1, spatial):
        raise RuntimeError(f"{name}: stride must either be omitted, {each}")
    if len(pads) not in (1, spatial):
        raise RuntimeError(f"{name}: padding must either be {each}")
    if len(gaps) not in (1, spatial):
        raise RuntimeError(f"{name}: dilation must be either {each}")
    if input._array.ndim not in (spatial + 1, spatial + 2):
        raise RuntimeError(
            f"non-empty {spatial + 1}D or {spatial + 2}D (batch mode) tensor expected for input"
        )
    checked_windows(
        input, per_dim(kernel, spatial), per_dim(steps or kernel, spatial), per_dim(pads, spatial),
        per_dim(gaps, spatial),
        ceil_mode, spatial, "max_pool3d_with_indices_out_cpu_template",
    )  # fmt: skip
    if input.dtype is dtypes.bool_ or input._array.dtype.kind == "c":
        raise not_for(name, input.dtype)
    values, which = _MAX[spatial](input, kernel, steps, pads, gaps, ceil_mode, _with_numbers(input, indices))
    if not indices:
        return values
    windows = windows_of(input._array.shape[-spatial:], kernel, steps, pads, gaps, ceil_mode)
    like = None if input.wraps else input._array
    places = computed(
        which, lambda which: wrap(pooled_as(places_of(which, windows), which if like is None else like, spatial))
    )
    if not places.wraps:
        places._counter = which._shared_counter()  # who changes the places has changed what was saved
    return values, places


def _max_pool_1d(
    input: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, indices: bool
) -> Any:
    """By windows of height 1 over the tensor with a dimension more."""
    kernel = as_ints("kernel_size", kernel_size, 1)
    steps = () if stride is None else as_ints("stride", stride, 1)
    pads = as_ints("padding", padding, 1)
    gaps = as_ints("dilation", dilation, 1)
    if not indices:
        _check_max_pool_1d(input, kernel, steps, pads, gaps, ceil_mode)
    found = _max_pool(
        2, input.unsqueeze(-2), (1, *kernel), (1, *(steps or kernel)), (0, *pads), (1, *gaps), ceil_mode, indices
    )
    if indices:
        return found[0].squeeze(-2), found[1].squeeze(-2)
    values = found.squeeze(-2)
    # PyTorch has another kernel for what needs no gradient, which makes no view
    return values if _with_numbers(input, False) else values.contiguous().clone()


def _check_max_pool_1d(input: Tensor, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, ceil: bool) -> None:
    shape = input._array.shape
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:"
            f"{shape_list(input)}"
        )
    for name, values, kinds in (
        ("kernel_size", kernel, "an int, list of ints or"), ("stride", stride, "None, an int, list of ints, or"),
        ("padding", padding, "an int, list of ints, or"), ("dilation", dilation, "an int, list of ints or"),
    ):  # fmt: skip
        if len(values) != 1 and not (name == "stride" and not values):
            raise RuntimeError(
                f"max_pool1d() {name} must be {kinds} tuple of ints of size 1 but got size {len(values)}"
            )
    (k,), (s,), (p,), (d,) = kernel, stride or kernel, padding, dilation
    if k <= 0:
        raise RuntimeError(f"max_pool1d() kernel_size must be greater than zero, but got {k}")
    if s <= 0:
        raise RuntimeError(f"max_pool1d() stride must be greater than zero, but got {s}")
    if p < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {p}")
    if p > k // 2:
        raise RuntimeError(
            f"max_pool1d() padding should be at most half of kernel size, but got padding={p} and kernel_size={k}"
        )
    if d <= 0:
        raise RuntimeError(f"max_pool1d() dilation must be greater than zero, but got {d}")
    length = (shape[-1] + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil else 0)) // s + 1
    if length <= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {length}")
    if not _with_numbers(input, False) and input._array.dtype.kind not in "fV":
        raise not_for("max_pool1d_impl", input.dtype)


def _max_forms(n: int) -> None:
    """``torch.max_poolNd``, which returns values, and the functions of ``nn.functional``."""

    def pool(*args: Any) -> Any:
        return _max_pool_1d(*args) if n == 1 else _max_pool(n, *args)

    @public(f"max_pool{n}d", name=f"max_pool{n}d", autocast="full" if n == 3 else None, looks_first=n == 1)
    def max_pool(
        input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
        ceil_mode: bool = False,
    ) -> Tensor:  # fmt: skip
        """The greatest element of each window."""
        values: Tensor = pool(input, kernel_size, stride, padding, dilation, ceil_mode, False)
        return values

    @public(functionals=f"max_pool{n}d", autocast="full" if n == 3 else None)
    def functional(
        input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
        ceil_mode: bool = False, return_indices: bool = False,
    ) -> Any:  # fmt: skip
        """The greatest element of each window; with ``return_indices`` also where it is in its plane."""
        return pool(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)

    @public(functionals=f"max_pool{n}d_with_indices")
    def with_indices(
        input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
        ceil_mode: bool = False, return_indices: bool = True,
    ) -> Any:  # fmt: skip
        """The greatest element of each window, and where it is in its plane."""
        return pool(input, kernel_size, stride, padding, dilation, ceil_mode, True)


for _n in (1, 2, 3):
    _max_forms(_n)


@public("max_pool1d_with_indices")
def max_pool1d_with_indices(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Any:
    """The greatest element of each window, and where it is."""
    return _max_pool_1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


# ---- the average


def divisor_of(counts: list[Any], override: int | None) -> Any:
    """What the sums over windows are divided by: a number, or one for each window."""
    if override is not None:
        return override
    if all((c == c[0]).all() for c in counts if c.size):
        return prod(int(c[0]) for c in counts if c.size)
    found = np.ones((), np.int64)
    for c in counts:
        found = np.multiply.outer(found, c)
    return found


def quotient(x: Any, divisor: Any) -> Any:
    """Integers are divided as C does, towards zero."""
    if x.__class__ is MetaArray:
        return x
    if x.dtype.kind == "f":
        return np.divide(x, x.dtype.type(divisor) if isinstance(divisor, int) else divisor.astype(x.dtype))
    whole = x // divisor
    return whole + ((x % divisor != 0) & ((x < 0) != (np.asarray(divisor) < 0)))


def averages(x: Any, windows: tuple[Windows, ...], divisor: Any) -> Any:
    """The sums of windows over the last dimensions, divided."""
    dtype = x.dtype
    x = widened(x)
    for i, w in enumerate(windows, x.ndim - len(windows)):
        x = sums(x, i, w)
    return cast(np.asanyarray(quotient(x, divisor)), dtype)


def averages_adjoint(g: Any, windows: tuple[Windows, ...], divisor: Any) -> Any:
    dtype = g.dtype
    g = np.asanyarray(quotient(widened(g), divisor))
    for i, w in enumerate(windows, g.ndim - len(windows)):
        g = sums_adjoint(g, i, w)
    return cast(g, dtype)


def _average_op(spatial: int) -> Primitive:
    def geometry(
        shape: Ints, kernel: Ints, stride: Ints, padding: Ints, ceil_mode: bool, include: bool, override: int | None
    ) -> tuple[tuple[Windows, ...], Any]:
        windows = windows_of(shape[-spatial:], kernel, stride, padding, (1,), ceil_mode)
        return windows, divisor_of([w.padded if include else w.counts for w in windows], override)

    def kernel(
        input: Array, kernel_size: Ints, stride: Ints, padding: Ints, ceil_mode: bool, count_include_pad: bool,
        divisor_override: int | None,
    ) -> Any:  # fmt: skip
        found = averages(
            input, *geometry(input.shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
        )
        return pooled_as(found, input, 2)

    def adjoint(
        input: Array, like: Array, kernel_size: Ints, stride: Ints, padding: Ints, ceil_mode: bool,
        count_include_pad: bool, divisor_override: int | None,
    ) -> Any:  # fmt: skip
        found = averages_adjoint(
            input, *geometry(like.shape, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
        )
        return lying_as(found, like) if spatial == 2 else found

    name = f"avg_pool{spatial}d"
    native = f"pooling:average_pool{spatial}d"
    op = Primitive(
        name, kernel, f"AvgPool{spatial}DBackward0", kind="linear", batch=batching.joined_samples(spatial),
        native=(native, 64), lowering="library",
    )  # fmt: skip

    @op.vjp("input")
    def op_gradient_of_input(
        g: Any, input: Any, kernel_size: Ints, stride: Ints, padding: Ints, ceil_mode: bool, count_include_pad: bool,
        divisor_override: int | None, xp: Any,
    ) -> Any:  # fmt: skip
        back = getattr(xp, f"{name}_backward")
        return back(g, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

    Primitive(
        f"{name}_backward", adjoint, f"AvgPool{spatial}DBackwardBackward0", kind="linear",
        batch=batching.joined_samples(spatial), native=(f"{native}_backward", 64), lowering="library",
    ).vjp(
        input=lambda g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, xp: getattr(
            xp, name
        )(g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override),
        like=no_gradient,
    )
    return op


_AVERAGE = {n: _average_op(n) for n in (2, 3)}


def _avg_pool(
    spatial: int, input: Tensor, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool, count_include_pad: bool,
    divisor_override: int | None,
) -> Tensor:  # fmt: skip
    name = f"avg_pool{spatial}d"
    kernel = as_ints("kernel_size", kernel_size, spatial)
    steps = () if stride is None else as_ints("stride", stride, spatial)
    pads = as_ints("padding", padding, spatial)
    either = "either be " if spatial == 2 else "be "
    each = f"a single int, or a tuple of {NUMBER[spatial]} ints"
    if len(kernel) not in (1, spatial):
        raise RuntimeError(f"{name}: kernel_size must {either}{each}")
    if len(steps) not in (0, 1, spatial):
        raise RuntimeError(f"{name}: stride must {either}omitted, {each}")
    if len(pads) not in (1, spatial):
        raise RuntimeError(f"{name}: padding must {either}{each}")
    if spatial == 3 and input._array.ndim not in (4, 5):
        raise RuntimeError("non-empty 4D or 5D (batch mode) tensor expected for input")
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    require_planes(input, spatial)
    checked_windows(
        input, per_dim(kernel, spatial), per_dim(steps or kernel, spatial), per_dim(pads, spatial), (1,) * spatial,
        ceil_mode, spatial, name, whole=spatial == 3,
    )  # fmt: skip
    dtype = input.dtype
    small = spatial == 3 and dtype in (dtypes.float16, dtypes.bfloat16)
    if small or (dtype is not dtypes.int64 and input._array.dtype.kind not in "fV"):
        raise not_for("avg_pool2d" if spatial == 2 else "avg_pool3d_out_frame", dtype)
    found: Tensor = _AVERAGE[spatial](input, kernel, steps, pads, ceil_mode, count_include_pad, divisor_override)
    return found


def require_planes(input: Tensor, spatial: int) -> None:
    n = input._array.ndim
    if n <= spatial:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-max(n, 1)}, {max(n, 1) - 1}], but got "
            f"{-spatial - 1})"
        )


def one_dimensional(name: str, input: Tensor) -> None:
    n = input._array.ndim
    if n not in (2, 3):
        raise RuntimeError(
            f"Expected 2 to 3 dimensions, but got {n}-dimensional tensor for argument #1 'self' (while checking "
            f"arguments for {name})"
        )


@public("avg_pool1d", functionals="avg_pool1d", looks_first=True)
def avg_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = (), padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:  # fmt: skip
    """The average of each window."""
    kernel = one_int("avg_pool1d", "kernel_size", kernel_size)
    step = kernel if stride is None or stride in ((), []) else one_int("avg_pool1d", "stride", stride)
    pad = one_int("avg_pool1d", "padding", padding)
    one_dimensional("avg_pool1d", input)
    found = _avg_pool(2, input.unsqueeze(-2), (1, kernel), (1, step), (0, pad), ceil_mode, count_include_pad, None)
    return found.squeeze(-2)


def _avg_form(n: int) -> Callable[..., Any]:
    @public(functionals=f"avg_pool{n}d", out=True, autocast="full" if n == 3 else None)
    def avg_pool(
        input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> Tensor:  # fmt: skip
        """The average of each window."""
        return _avg_pool(
            n, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        )

    return avg_pool


avg_pool2d, avg_pool3d = _avg_form(2), _avg_form(3)


# ---- p-norms


def _lp_form(n: int) -> None:
    @public(functionals=f"lp_pool{n}d")
    def lp_pool(
        input: Tensor, norm_type: int | float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> Tensor:
        """The p-norm of each window, without a sum's absolute values: ``sum(x**p) ** (1/p)``."""
        if isinstance(norm_type, (int, float)) and abs(norm_type) == inf:
            pool, far = FUNCTIONALS[f"max_pool{n}d"], input.abs()
            if norm_type < 0:
                return -pool(-far, kernel_size, stride, 0, 1, ceil_mode)
            return pool(far, kernel_size, stride, 0, 1, ceil_mode)
        sizes = per_dim(as_ints("kernel_size", kernel_size, n), n)
        average = FUNCTIONALS[f"avg_pool{n}d"]
        mean = average(input.pow(norm_type), kernel_size, () if stride is None else stride, 0, ceil_mode)
        whole = mean.sign() * mean.abs().relu()
        found: Tensor = whole.mul(prod(sizes)).pow(1.0 / norm_type)
        return found


for _n in (1, 2, 3):
    _lp_form(_n)
