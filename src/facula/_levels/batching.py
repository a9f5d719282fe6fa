"""Batching rules: what a primitive on batched tensors is, in terms of the tensors inside.

The batch is the first dimension of what is inside. Most primitives need nothing of their own, because they belong to a
kind: elementwise ones broadcast, those with dimensions as attributes have these moved up by one, those on the last
dimensions take whatever comes before them along. ``rule_of`` finds the rule of a primitive; what it lacks is run for
each item alone (see ``batch``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core import dtypes
from .._core.generator import check_randomness
from .._tensor import Tensor
from ..ops.machine.arguments import is_number
from ..ops.machine.namespaces import TENSORS
from ..ops.machine.primitive import REGISTRY
from ..ops.views.shape import expand_op
from .needs_values import DrawsDiffer
from .wrapped import Level

Rule = Callable[["Call"], Any]
RULES: dict[str, Rule] = {}
"""Rules of single primitives, by name."""


class Call:
    """One call of a primitive inside ``vmap``."""

    __slots__ = ("attributes", "flags", "level", "op", "values")

    def __init__(
        self, op: Any, level: Level, values: list[Any], flags: list[bool], attributes: tuple[Any, ...]
    ) -> None:
        self.op = op
        self.level = level
        self.values = values
        """The tensors, those that are batched with the batch as their first dimension."""
        self.flags = flags
        """Which of them are."""
        self.attributes = attributes

    @property
    def size(self) -> int:
        return self.level.size

    def attribute(self, name: str) -> Any:
        return self.attributes[self.op.attribute_names.index(name)]

    def ndim(self, i: int = 0) -> int:
        """How many dimensions a tensor has to those inside ``vmap``."""
        return self.values[i].dim() - self.flags[i]

    def shape(self, i: int = 0) -> tuple[int, ...]:
        return tuple(self.values[i].shape[self.flags[i] :])

    def full(self, i: int) -> Any:
        """A tensor with the batch as its first dimension, expanded if it is the same for all items."""
        v = self.values[i]
        if self.flags[i] or not isinstance(v, Tensor):
            return v
        return expand_op.call(v, (self.size, *v._array.shape))

    def all_full(self) -> list[Any]:
        return [self.full(i) for i in range(len(self.values))]

    def run(self, values: list[Any], attributes: tuple[Any, ...] | None = None) -> Any:
        given = self.attributes if attributes is None else attributes
        return self.op(tuple(values), *given) if self.op.variadic else self.op(*values, *given)


def rule(*names: str) -> Callable[[Rule], Rule]:
    """A decorator: the rule of some primitives."""

    def add(fn: Rule) -> Rule:
        for name in names:
            RULES[name] = fn
        return fn

    return add


def _all_rules() -> dict[str, Rule]:
    """The rules, with those of the families that have modules of their own: they add them when they are loaded."""
    from . import batching_images, batching_indices  # noqa: F401

    return RULES


_found: dict[Any, Rule | None] = {}


def rule_of(op: Any) -> Rule | None:
    """The rule of a primitive, by its name or its kind."""
    try:
        return _found[op]
    except KeyError:
        name = op.name
        kinds = ((MOVED, moved), (LAST_DIMENSIONS, last_dimensions), (LIKE_ELEMENTWISE, like_elementwise))
        found = _all_rules().get(name) or next((rule for names, rule in kinds if name in names), None)
        _found[op] = found
        return found


# ---- elementwise


def aligned(op: Any, tensors: tuple[Any, ...], values: list[Any], flags: list[bool]) -> list[Any]:
    """What is inside, with dimensions put behind the batch so that shapes broadcast as they do outside."""
    ndim = 0
    has_zero_dim = False
    for t, flag in zip(tensors, flags):
        if isinstance(t, Tensor):
            n = t._array.ndim
            if n > ndim:
                ndim = n
            elif flag and not n:
                has_zero_dim = True
    if has_zero_dim:
        found = [padded(v, ndim) if flag else v for v, flag in zip(values, flags)]
        return _promoted(op, tensors, found, flags)
    return [padded(v, ndim) if flag else v for v, flag in zip(values, flags)]


def padded(value: Any, ndim: int) -> Any:
    """A batch of tensors with dimensions of size 1 in front of each, up to ``ndim``."""
    shape = value._array.shape
    missing = ndim + 1 - len(shape)
    return value if missing <= 0 else TENSORS.reshape(value, (shape[0], *[1] * missing, *shape[1:]))


def _promoted(op: Any, tensors: tuple[Any, ...], values: list[Any], flags: list[bool]) -> list[Any]:
    """0-d tensors count less in promotion. A batch of them is not 0-d any more, so it is cast beforehand."""
    outside, inside = _dtype_of(tensors), _dtype_of(tuple(values))
    if outside is inside:
        return values
    return [
        v.to(outside) if flag and t._array.ndim == 0 and t.dtype is not outside else v
        for v, t, flag in zip(values, tensors, flags)
    ]


def _dtype_of(tensors: tuple[Any, ...]) -> Any:
    kinds: list[Any] = [None, None, None]
    for t in tensors:
        at = (0 if t._array.ndim else 1) if isinstance(t, Tensor) else 2
        if at == 2 and not is_number(t):
            continue
        d = t.dtype if at < 2 else dtypes.of_scalar(t)
        kinds[at] = d if kinds[at] is None else dtypes.promote_types(kinds[at], d)
    return dtypes.result_dtype(*kinds)


LIKE_ELEMENTWISE = frozenset(
    ["masked_fill_number", "native_dropout", "native_dropout_backward", "rrelu_with_noise", "frexp"]
)
"""Primitives of several tensors that broadcast together, without being elementwise in every respect."""


def like_elementwise(call: Call) -> Any:
    ndim = max(call.ndim(i) for i in range(len(call.values)))
    values = [padded(v, ndim) if flag else v for v, flag in zip(call.values, call.flags)]
    if not call.flags[0] and call.op.tensor_names[0] == "input":
        values[0] = padded(call.full(0), ndim)
    return call.run(values)


RANDOM = frozenset(
    """
    bernoulli_kernel bernoulli_of_number binomial_kernel normal_of_both normal_of_mean normal_of_std poisson_kernel
    sample_dirichlet standard_gamma bernoulli_number_inplace bernoulli_tensor_inplace cauchy_inplace
    exponential_inplace geometric_inplace log_normal_inplace normal_inplace random_all_inplace
    random_from_to_inplace random_to_inplace uniform_inplace
    """.split()
)
"""Primitives that draw random numbers."""


@rule(
    "bernoulli_kernel", "bernoulli_of_number", "binomial_kernel", "normal_of_both", "normal_of_mean", "normal_of_std",
    "poisson_kernel", "sample_dirichlet", "standard_gamma",
)  # fmt: skip
def _(call: Call) -> Any:
    if call.level.randomness == "same":
        raise RuntimeError(
            "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with "
            "functorch"
        )
    try:
        check_randomness((call.level,))
    except DrawsDiffer:
        return like_elementwise(call)


@rule("masked_fill_tensor")
def _(call: Call) -> Any:
    from ..ops.pointwise.selection import where

    ndim = max(call.ndim(0), call.ndim(2))
    x, value, mask = (padded(v, ndim) if flag else v for v, flag in zip(call.values, call.flags))
    return where(mask, value.to(x.dtype), x)


# ---- dimensions as attributes

MOVED = frozenset(
    """
    all_op amax amin any_op cumsum_op cumprod_op logcumsumexp_op cummax cummin recur shift diagonal
    diagonal_backward diagonal_copy diag_embed diagonal_scatter fft_c2c fft_c2r fft_r2c flip rot90 gather glu
    glu_backward kthvalue_op linalg_cross log_softmax_backward_data log_softmax_op logsumexp_op max_dim mean_dim
    median_dim min_dim mode_op nanmedian_dim nansum_op norm_along pick prod_dim safe_softmax scatter scatter_add
    scatter_by scatter_reduce scatter_value select select_backward select_copy select_scatter slice slice_backward
    slice_copy slice_scatter narrow_copy softmax_backward_data softmax_op sort_op sort_stable_op split split_copy
    split_with_sizes split_with_sizes_copy squeeze squeeze_copy squeeze_dims squeeze_dims_copy squeeze_fresh
    squeeze_inplace squeeze_dims_inplace std_mean_op std_op sum_dim topk_op transpose transpose_copy
    transpose_inplace unbind unbind_copy unfold unfold_backward unfold_copy unsafe_split unsafe_split_with_sizes
    var_mean_op var_op vector_norm_op
    """.split()
)
"""Primitives that stay the same if a dimension is put in front and their attributes say so."""

_DIMS = frozenset(["dim", "dims", "dim0", "dim1", "dim2", "dimension"])
_SHAPES = frozenset(["shape", "size", "input_sizes"])
_ADDS_DIMENSION = frozenset(["diag_embed"])


def moved(call: Call) -> Any:
    """All tensors get the batch, all dimensions move up by one, all shapes get the batch's size."""
    values = call.all_full()
    shapes = [v for name, v in zip(call.op.attribute_names, call.attributes) if name in _SHAPES]
    ndim = max([call.ndim(i) for i in range(len(values))])
    out_ndim = len(shapes[0]) if shapes and isinstance(shapes[0], (tuple, list)) else ndim
    scalars = ndim == 0 and out_ndim == 0
    if scalars:  # a dimension may be given for a tensor that has none
        values = [v.unsqueeze(1) for v in values]
        out_ndim = 1
    span = max(out_ndim, 1) + (call.op.name in _ADDS_DIMENSION)
    attributes = tuple(
        [_moved_dims(v, span, out_ndim) if name in _DIMS
         else _with_batch(v, call.size, scalars) if name in _SHAPES else v
         for name, v in zip(call.op.attribute_names, call.attributes)]
    )  # fmt: skip
    result = call.run(values, attributes)
    if scalars:
        several = isinstance(result, (tuple, list))
        squeezed = [r.squeeze(1) if r.dim() > 1 else r for r in (result if several else [result])]
        result = squeezed if several else squeezed[0]
    return result


def _moved_dims(dims: Any, span: int, ndim: int) -> Any:
    if dims is None or (dims == () and ndim == 1):
        return tuple(range(1, ndim + 1))
    if isinstance(dims, (tuple, list)):
        return tuple([d % span + 1 for d in dims])
    return dims % span + 1


def _with_batch(shape: Any, size: int, scalars: bool) -> Any:
    if not isinstance(shape, (tuple, list)):  # a number of elements, as in ``unfold``
        return shape
    return (size, 1) if scalars else (size, *shape)


def _all_dims(call: Call) -> tuple[int, ...]:
    return tuple(range(1, call.ndim() + 1))


@rule("sum_all", "mean_all")
def _(call: Call) -> Any:
    if not call.ndim():
        return call.values[0].clone() if call.attributes[0] is None else call.values[0].to(call.attributes[0])
    per_item = getattr(TENSORS, {"sum_all": "sum_dim", "mean_all": "mean_dim"}[call.op.name])
    return per_item(call.values[0], _all_dims(call), False, *call.attributes)


@rule("prod_all")
def _(call: Call) -> Any:
    return TENSORS.prod_dim(_rows(call), 1, False, *call.attributes)


@rule("max_all", "min_all")
def _(call: Call) -> Any:
    extreme = TENSORS.amax if call.op.name == "max_all" else TENSORS.amin
    return extreme(_rows(call), (1,), False)


@rule("median_all", "nanmedian_all")
def _(call: Call) -> Any:
    return getattr(TENSORS, call.op.name.replace("all", "dim"))(_rows(call), 1, False)[0]


@rule("aminmax_op")
def _(call: Call) -> Any:
    dim, keepdim = call.attributes
    if dim is not None:
        return moved(call)
    found = call.run([_rows(call)], (1, False))
    return [r.reshape(call.size, *[1] * call.ndim()) for r in found] if keepdim else found


def _rows(call: Call) -> Any:
    return call.values[0].reshape(call.size, -1)


# ---- the last dimensions

LAST_DIMENSIONS = frozenset(
    """
    alias_kernel alias_kernel_copy cholesky cholesky_inverse dense_copy linalg_cholesky
    linalg_cholesky_where_possible linalg_det linalg_eig linalg_eigh linalg_householder_product linalg_inv
    linalg_inv_where_possible linalg_lu linalg_lu_factor linalg_matrix_exp linalg_pinv linalg_qr linalg_slogdet
    linalg_svd lu_unpack pixel_shuffle pixel_unshuffle tril triu view_as_complex view_as_real view_as_real_copy
    """.split()
)
"""Primitives on the last dimensions of a tensor, whatever comes before."""


def last_dimensions(call: Call) -> Any:
    return call.run(call.all_full())


@rule("linalg_solve", "linalg_solve_where_possible")
def _(call: Call) -> Any:
    left, is_vector = call.attributes
    a, b = call.all_full()
    if is_vector:
        x = call.run([a, b.unsqueeze(-1) if left else b.unsqueeze(-2)], (left, False))
        return x.squeeze(-1 if left else -2)
    ndim = max(call.ndim(0), call.ndim(1))
    return call.run([padded(a, ndim), padded(b, ndim)])


@rule("linalg_solve_triangular", "triangular_solve", "cholesky_solve", "linalg_lu_solve")
def _(call: Call) -> Any:
    ndim = max(call.ndim(i) for i in range(len(call.values)) if call.op.tensor_names[i] != "pivots")
    values = [
        padded(v, ndim - (name == "pivots")) for v, name in zip(call.all_full(), call.op.tensor_names)
    ]
    return call.run(values)


@rule("linalg_lstsq")
def _(call: Call) -> Any:
    ndim = max(call.ndim(0), call.ndim(1))
    found = call.run([padded(v, ndim) for v in call.all_full()])
    return [r if r.numel() or call.size in r.shape[:1] else r.new_empty((call.size, 0)) for r in found]


@rule("cast", "clone_kernel")
def _(call: Call) -> Any:
    dtype = call.attributes[:1] if call.op.name == "cast" else ()
    return call.run(call.values, dtype)  # an order in memory would be one of all dimensions


# ---- products


def _product(a: Any, b: Any) -> Any:
    return TENSORS.bmm(a, b) if a.dim() == 3 == b.dim() else TENSORS.matmul(a, b)


@rule("mm", "bmm")
def _(call: Call) -> Any:
    a, b = call.values
    if call.op.name == "mm" and not call.flags[1]:  # all items at once: their rows are just more rows
        rows = TENSORS.mm(a.reshape(-1, a.shape[-1]), b)
        return rows.reshape(*a.shape[:-1], b.shape[-1])
    return _product(call.full(0), call.full(1))


@rule("mv")
def _(call: Call) -> Any:
    a, x = call.values
    if not call.flags[0]:
        return TENSORS.mm(x, a.t())
    return _product(a, call.full(1).unsqueeze(-1)).squeeze(-1)


@rule("dot", "vdot")
def _(call: Call) -> Any:
    a, b = call.values
    if call.op.name == "vdot":
        a = TENSORS.conj(a)
    if not call.flags[1]:
        return TENSORS.mv(a, b)
    if not call.flags[0]:
        return TENSORS.mv(b, a)
    return _product(a.unsqueeze(1), b.unsqueeze(2)).reshape(call.size)


@rule("addmm", "baddbmm", "addmv", "addr", "addbmm")
def _(call: Call) -> Any:
    name = call.op.name
    beta, alpha = call.attributes
    if name == "addmm" and call.flags[2]:
        c = padded(call.values[0], 2) if call.flags[0] else call.values[0]
        return TENSORS.baddbmm(c, call.full(1), call.values[2], beta, alpha)
    multiply = REGISTRY["bmm" if name in ("baddbmm", "addbmm") else "mm"]
    product = Call(multiply, call.level, call.values[1:], call.flags[1:], ())
    if name == "addmv":
        product.op = REGISTRY["mv"]
        result = RULES["mv"](product)
    elif name == "addr":
        result = call.full(1).unsqueeze(-1) * call.full(2).unsqueeze(-2)
    elif not any(product.flags):
        result = product.op(*product.values).unsqueeze(0)
    else:
        result = RULES["mm"](product)
    if name == "addbmm":
        result = result.sum(1)
    if alpha != 1:
        result = result * alpha
    if beta == 0:
        return result
    c = padded(call.values[0], result.dim() - 1) if call.flags[0] else call.values[0]
    return result + (c if beta == 1 else c * beta)


@rule("trilinear")
def _(call: Call) -> Any:
    *factors, result = call.attribute("equation")
    named = [f"Z{part}" if flag else part for part, flag in zip(factors, call.flags)]
    return call.run(call.values, ((*named, f"Z{result}"),))


@rule("trace")
def _(call: Call) -> Any:
    return call.values[0].diagonal(0, 1, 2).sum(1)


# ---- shapes


@rule("view", "reshape_alias", "unsafe_view", "view_copy")
def _(call: Call) -> Any:
    return call.values[0].reshape(call.size, *call.attribute("shape"))


@rule("expand", "expand_copy")
def _(call: Call) -> Any:
    size = call.attribute("size")
    return padded(call.values[0], len(size)).expand(call.size, *size)


@rule("permute", "permute_copy")
def _(call: Call) -> Any:
    n = max(call.ndim(), 1)
    return call.values[0].permute(0, *[d % n + 1 for d in call.attribute("dims")])


@rule("t", "t_copy", "t_inplace")
def _(call: Call) -> Any:
    return TENSORS.transpose(call.values[0], 1, 2) if call.ndim() == 2 else call.values[0].alias()


@rule("unsqueeze", "unsqueeze_copy", "unsqueeze_inplace")
def _(call: Call) -> Any:
    return TENSORS.unsqueeze(call.values[0], call.attribute("dim") % (call.ndim() + 1) + 1)


@rule("squeeze_all", "squeeze_all_copy", "squeeze_all_inplace")
def _(call: Call) -> Any:
    dims = tuple([i + 1 for i, n in enumerate(call.shape()) if n == 1])
    return call.values[0].squeeze(dims) if dims else call.values[0].alias()


@rule("repeat")
def _(call: Call) -> Any:
    repeats = call.attribute("repeats")
    return padded(call.values[0], len(repeats)).repeat(1, *repeats)


@rule("roll")
def _(call: Call) -> Any:
    shifts, dims = call.attributes
    x = call.values[0]
    if not dims:
        shift = shifts[0] if isinstance(shifts, (tuple, list)) else shifts
        return x.reshape(call.size, -1).roll(shift, 1).reshape(x.shape)
    n = call.ndim()
    dims = dims if isinstance(dims, (tuple, list)) else (dims,)
    return x.roll(shifts, tuple([d % n + 1 for d in dims]))


@rule("cat_op")
def _(call: Call) -> Any:
    from ..ops.moving.joining import cat

    kept = [call.full(i) for i, end in enumerate(call.attribute("ends")) if end >= 0]
    return cat(kept, call.attribute("dim") + 1)


@rule("stack_op")
def _(call: Call) -> Any:
    from ..ops.moving.joining import stack

    return stack(call.all_full(), call.attribute("dim") + 1)


@rule("constant_pad_nd")
def _(call: Call) -> Any:
    return call.run(call.values)


@rule("copy")
def _(call: Call) -> Any:
    target, source = call.full(0), call.values[1]
    return call.run([target, padded(source, call.ndim(0)).expand(target.shape) if call.flags[1] else source])


@rule("fill_number", "filled_with_number", "zero")
def _(call: Call) -> Any:
    return call.run(call.values)


@rule("fill_tensor", "filled_with_tensor")
def _(call: Call) -> Any:
    target = call.full(0)
    value = call.values[1]
    if not call.flags[1]:
        return call.run([target, value])
    return padded(value, call.ndim(0)).to(target.dtype).expand(target.shape).clone()


@rule("as_strided", "as_strided_copy")
def _(call: Call) -> Any:
    x = call.values[0]
    size, stride, offset = (call.attribute(name) for name in ("size", "stride", "storage_offset"))
    start = x.storage_offset() if offset is None else offset
    if x.stride(0) == 0 and call.size > 1:  # items that share their memory would share their gradients
        if not x.select(0, 0).is_contiguous():
            return None
        start -= x.storage_offset()
        x = x.contiguous()
    return x.as_strided((call.size, *size), (x.stride(0), *stride), start)


# ---- losses: the reduction is over all dimensions but the batch

_LOSSES = frozenset(
    """
    mse_loss huber_loss smooth_l1_loss soft_margin_loss binary_cross_entropy binary_cross_entropy_with_logits
    """.split()
)


@rule(*_LOSSES)
def _(call: Call) -> Any:
    at = call.op.attribute_names.index("reduction")
    reduction = call.attributes[at]
    unreduced = (*call.attributes[:at], 0, *call.attributes[at + 1 :])
    ndim = max(call.ndim(i) for i, v in enumerate(call.values) if isinstance(v, Tensor))
    values = [padded(call.full(i), ndim) if isinstance(v, Tensor) else v for i, v in enumerate(call.values)]
    each = call.run(values, unreduced)
    if reduction == 0 or each.dim() == 1:
        return each
    rows = each.reshape(call.size, -1)
    return rows.mean(1) if reduction == 1 else rows.sum(1)
