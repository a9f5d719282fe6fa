"""Sample calls for every differentiable primitive: what its derivatives are checked at.

``SAMPLES[name]`` is a list of (function, inputs): a function of float64 (or complex128) tensors whose graph contains
the primitive, and the inputs to check it at. They stay away from the points where a function has no derivative.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

import facula as torch
from facula._lazy import load_all
from facula.autograd.saved import SavedList
from facula.ops.machine.primitive import REGISTRY

load_all()

Sample = tuple[Callable[..., Any], tuple[Any, ...]]
SAMPLES: dict[str, list[Sample]] = {}

WITHOUT_NUMBERS = {
    # Random draws: the same inputs give other outputs.
    "bernoulli", "poisson", "normal_of_mean", "normal_of_std", "normal_of_both", "uniform_inplace",
    "normal_inplace", "exponential_inplace", "geometric_inplace", "cauchy_inplace", "log_normal_inplace",
    "random_from_to_inplace", "random_to_inplace", "random_all_inplace", "bernoulli_number_inplace",
    "bernoulli_tensor_inplace",
    # PyTorch records these and refuses to differentiate them.
    "to_meta",
    "floor_divide", "heaviside", "nextafter", "unique_all", "set_",
    "unique_along", "unique_consecutive", "weighted_bincount", "scatter_by", "refuse_backward", "zeta_with_number",
    # Views that change the tensor itself: the functions of the same names without ``_inplace`` share their rules.
    # Views that change the tensor itself: the functions of the same names without ``machine.write`` share their rules.
    "t_inplace", "transpose_inplace", "unsqueeze_inplace", "squeeze_all_inplace", "squeeze_inplace",
    "as_strided_inplace", "squeeze_dims_inplace", "floor_divide_",
}  # fmt: skip
"""Primitives with rules that finite differences cannot check, and why."""

ONLY_FIRST: set[str] = set()
"""Primitives whose derivative has no derivative, in PyTorch as here, or jumps."""


class Draw:
    """Deterministic random inputs."""

    def __init__(self, seed: str) -> None:
        self.rng = np.random.default_rng(zlib.crc32(seed.encode()))

    def __call__(self, *shape: int, low: float = -1.0, high: float = 1.0, dtype: Any = np.float64) -> Any:
        values = self.rng.uniform(low, high, shape)
        if dtype is np.complex128:
            values = values + 1j * self.rng.uniform(low, high, shape)
        return torch.from_numpy(np.asarray(values, dtype)).clone()


draw = Draw("samples")


def real(*shape: int) -> Any:
    """Between -2 and 2, at least 0.1 from 0 and from halves."""
    values = draw(*shape, low=0.12, high=0.38).numpy() + 0.5 * draw.rng.integers(0, 4, shape)
    return torch.from_numpy(np.asarray(values * draw.rng.choice([-1.0, 1.0], shape)))


def positive(*shape: int) -> Any:
    return draw(*shape, low=0.3, high=2.0)


def unit(*shape: int) -> Any:
    return draw(*shape, low=0.1, high=0.9) * torch.from_numpy(np.asarray(draw.rng.choice([-1.0, 1.0], shape)))


def above_one(*shape: int) -> Any:
    return draw(*shape, low=1.2, high=3.0)


def complex_(*shape: int) -> Any:
    return draw(*shape, low=0.2, high=1.5, dtype=np.complex128)


def far_apart(*shape: int) -> Any:
    """All elements different by at least 0.3: no order changes within a small step."""
    n = int(np.prod(shape))
    return torch.from_numpy((draw.rng.permutation(n) * 0.3 - 0.13 * n).reshape(shape))


def integers(*rows: Any) -> Any:
    return torch.tensor(rows[0] if len(rows) == 1 else list(rows))


def sample(name: str, fn: Callable[..., Any], *inputs: Any) -> None:
    SAMPLES.setdefault(name, []).append((fn, inputs))


def direct(name: str, *attributes: Any) -> Callable[..., Any]:
    """The primitive itself, with these attributes behind the tensors."""
    op = REGISTRY[name]

    def call(*tensors: Any) -> Any:
        return op(*tensors, *attributes)

    return call


def quiet(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Without the warning that an operator is young."""

    def call(*tensors: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return fn(*tensors)

    return call


def adjoint(fn: Callable[[Any], Any], x: Any) -> Callable[[Any], Any]:
    """The backward of ``fn`` at ``x`` as a function of the upstream gradient."""

    def call(g: Any) -> Any:
        return torch.func.vjp(fn, x.detach())[1](g)[0]

    return call


# ---- elementwise, of one

_DOMAINS: dict[Callable[..., Any], str] = {
    real: "reciprocal neg sgn abs sign floor ceil trunc round frac deg2rad rad2deg exp exp2 expm1 sin cos tan atan "
    "sinh cosh tanh asinh sinc sigmoid erf erfc i0 i1 i0e i1e erfcx log_ndtr relu silu mish logsigmoid hardsigmoid "
    "hardswish _neg_view angle",
    positive: "sqrt rsqrt log log2 log10 log1p lgamma digamma entr",
    unit: "asin acos atanh erfinv",
    above_one: "acosh",
}  # fmt: skip
for _make, _names in _DOMAINS.items():
    for _name in _names.split():
        sample(_name, direct(_name), _make(2, 3))
        sample(_name, direct(_name), _make())
sample("ndtri", direct("ndtri"), draw(3, low=0.2, high=0.8))
sample("remainder_of_number", lambda x: torch.remainder(5.3, x), draw(3, low=0.7, high=1.9))
_OF_COMPLEX = "_conj _neg_view exp sin tanh sqrt reciprocal neg sgn abs angle log sigmoid"
for _name in _OF_COMPLEX.split():
    sample(_name, direct(_name), complex_(3))
for _name, _attributes in {
    "rsub_number": (2.0,), "remainder_number": (0.75,), "fmod_number": (0.75,), "round_decimals": (1,),
    "clamp_numbers": (-0.55, 1.05), "clamp_min_number": (-0.05,), "clamp_max_number": (0.55,),
    "copysign_number": (-2.0,), "nan_to_num": (0.0, 1.0, -1.0), "pow_number": (3,), "leaky_relu": (0.2,),
    "threshold": (0.05, 0.3), "elu": (1.5, 1.1, 0.7), "celu": (1.5, 1, 1 / 1.5), "gelu": ("none",),
    "softplus": (2.0, 20.0), "hardtanh": (-1.05, 0.55), "hardshrink": (0.55,), "softshrink": (0.55,),
}.items():  # fmt: skip
    sample(_name, direct(_name, *_attributes), real(2, 3))
sample("gelu", direct("gelu", "tanh"), real(4))
sample("pow_number", direct("pow_number", -1.5), positive(3))
sample("pow_number", direct("pow_number", 2), complex_(3))
sample("pow_of_number", direct("pow_of_number", 1.7), real(3))
sample("logit", direct("logit", None), draw(4, low=0.1, high=0.9))
sample("polygamma", direct("polygamma", 2), positive(3))
sample("mvlgamma", direct("mvlgamma", 2), above_one(3))
sample("xlogy_of_number", direct("xlogy_of_number", 1.5), positive(3))
sample("xlog1py_of_number", direct("xlog1py_of_number", 1.5), positive(3))
sample("xlog1py_with_number", direct("xlog1py_with_number", 1.5), real(3))
sample("zeta_of_number", direct("zeta_of_number", 2.5), positive(3))
sample("xlogy_with_number", direct("xlogy_with_number", 1.5), real(3))

for _name, _attributes in {
    "leaky_relu_": (0.2,), "threshold_": (0.05, 0.3), "elu_": (1.5, 1.1, 0.7), "celu_": (1.5, 1, 1 / 1.5),
}.items():  # fmt: skip
    sample(_name, direct(_name, *_attributes), real(2, 3))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    sample(f"{_name}_number", lambda x, m=f"{_name}_": getattr(x * 1.0, m)(0.5), real(3))
    sample(f"{_name}_tensor", lambda x, y, m=f"{_name}_": getattr(x * 1.0, m)(y), real(3), real(3) + 0.037)

# ---- elementwise, of several

_OF_TWO = (
    "add mul sub div div_unrounded div_floor div_trunc remainder fmod maximum minimum fmax fmin copysign atan2 hypot "
    "logaddexp logaddexp2 complex clamp_min_tensor clamp_max_tensor tanh_backward sigmoid_backward"
)
for _name in _OF_TWO.split():
    sample(_name, direct(_name), real(2, 3), real(2, 3))
    sample(_name, direct(_name), real(2, 3), real(3))
for _name in ("add", "mul", "sub", "div", "tanh_backward", "sigmoid_backward"):
    sample(_name, direct(_name), complex_(2, 3), complex_(1, 3))
sample("mul", lambda a, b: a * b, complex_(3), real(3))
sample("add_scaled", direct("add_scaled", 2.5), real(2, 3), real(3))
sample("sub_scaled", direct("sub_scaled", 2.5), real(2, 3), real(3))
sample("rsub", direct("rsub", 2.5), real(2, 3), real(3))
sample("pow_tensor", direct("pow_tensor"), positive(2, 3), real(3))
sample("polar", direct("polar"), positive(3), real(3))
sample("xlogy", direct("xlogy"), real(3), positive(3))
sample("xlog1py", direct("xlog1py"), real(3), positive(3))
sample("ldexp", direct("ldexp"), real(3), real(3))
sample("igamma", lambda x: torch.igamma(torch.full((3,), 1.5, dtype=torch.float64), x), positive(3))
sample("igammac", lambda x: torch.igammac(torch.full((3,), 1.5, dtype=torch.float64), x), positive(3))
sample("zeta", lambda x: REGISTRY["zeta"](torch.full((3,), 2.5, dtype=torch.float64), x), above_one(3))
sample("clamp_tensors", direct("clamp_tensors"), real(4), draw(4, low=-0.6, high=-0.5), draw(4, low=0.5, high=0.6))
sample("where", lambda a, b: torch.where(torch.tensor([True, False, True]), a, b), real(2, 3), real(3))
sample("lerp_number", direct("lerp_number", 0.3), real(3), real(2, 3))
sample("lerp_tensor", direct("lerp_tensor"), real(3), real(2, 3), real(3))
sample("addcmul", direct("addcmul", 0.5), real(3), real(2, 3), real(3))
sample("addcdiv", direct("addcdiv", 0.5), real(3), real(2, 3), real(3))
sample("prelu", direct("prelu"), real(2, 3), real(2, 3))
sample("prelu_input_backward", direct("prelu_input_backward"), real(3), real(3), real(3))
sample("prelu_weight_backward", direct("prelu_weight_backward"), real(3), real(3), real(3))
sample("threshold_backward", direct("threshold_backward", 0.05), real(3), real(3))
sample("hardtanh_backward", direct("hardtanh_backward", -1.05, 0.55), real(4), real(4))
sample("shrink_backward", direct("shrink_backward", 0.55), real(4), real(4))
sample("leaky_relu_backward", direct("leaky_relu_backward", 0.2), real(4), real(4))
sample("softshrink_backward", direct("softshrink_backward", 0.55), real(4), real(4))
for _is_result in (False, True):
    sample("elu_backward", direct("elu_backward", 1.5, 1.1, 0.7, _is_result), real(4), real(4))
for _way in ("none", "tanh"):
    sample("gelu_backward", direct("gelu_backward", _way), real(2, 3), real(3))
sample("softplus_backward", direct("softplus_backward", 1.5, 2.05), real(6), real(6))
sample("log_sigmoid_backward", direct("log_sigmoid_backward"), real(4), real(2, 4))
sample("hardswish_backward", direct("hardswish_backward"), real(4), real(4) * 2)
sample("hardsigmoid_backward", direct("hardsigmoid_backward"), real(4), real(4) * 2)
sample("glu_backward", direct("glu_backward", 0), real(2, 3), real(4, 3))

# ---- copies, casts, fills

sample("cast", lambda x: x.to(torch.complex128), real(3))
sample("clone", lambda x: x.clone(), real(2, 3))
sample("alias", lambda x: x.alias(), real(2, 3))
sample("dense_copy", lambda x: x.t().contiguous(), real(2, 3))
sample("copy", lambda x, y: x.clone().copy_(y), real(2, 3), real(3))
sample("fill_number", lambda x: x.clone().fill_(2.0), real(3))
sample("fill_tensor", lambda x, v: x.clone().fill_(v), real(3), real())
sample("zero", lambda x: x.clone().zero_(), real(3))

# ---- views and shapes

sample("as_strided", lambda x: x.as_strided((3, 2), (1, 2), 1), real(2, 3))
sample("restride", adjoint(lambda x: x.as_strided((3, 2), (1, 2), 1), real(2, 3)), real(3, 2))
sample("view", lambda x: x.view(3, 2), real(2, 3))
sample("reshape_alias", lambda x: x[:, ::2].reshape(2, 1, 2), real(2, 3))
sample("unsafe_view", lambda x: x.t().reshape(6), real(2, 3))
sample("unsqueeze", lambda x: x.unsqueeze(1), real(2, 3))
sample("squeeze_all", lambda x: x.squeeze(), real(2, 1, 3))
sample("squeeze", lambda x: x.squeeze(1), real(2, 1, 3))
sample("squeeze_dims", lambda x: x.squeeze((0, 1)), real(1, 1, 3))
sample("squeeze_fresh", lambda v, m: v @ m, real(2), real(2, 3))
sample("expand", lambda x: x.expand(4, 2, 3), real(2, 1))
sample("transpose", lambda x: x.transpose(0, 2), real(2, 3, 2))
sample("t", lambda x: x.t(), real(2, 3))
sample("permute", lambda x: x.permute(2, 0, 1), real(2, 3, 2))
sample("select", lambda x: x.select(1, 2), real(2, 3))
sample("select_backward", adjoint(lambda x: x.select(1, 2), real(2, 3)), real(2))
sample("slice", lambda x: x[:, 0:3:2], real(2, 3))
sample("slice_backward", adjoint(lambda x: x[:, 0:3:2], real(2, 3)), real(2, 2))
sample("diagonal", lambda x: x.diagonal(1), real(3, 3))
sample("diagonal_backward", adjoint(lambda x: x.diagonal(1), real(3, 3)), real(2))
sample("unfold", lambda x: x.unfold(0, 3, 2), real(5))
sample("unfold_backward", adjoint(lambda x: x.unfold(0, 3, 2), real(5)), real(2, 3))
sample("view_as_real", lambda x: torch.view_as_real(x), complex_(3))
sample("view_as_complex", lambda x: torch.view_as_complex(x), real(3, 2))
sample("split", lambda x: x.split(2), real(5))
sample("split_with_sizes", lambda x: x.split([2, 3]), real(5))
sample("unbind", lambda x: x.unbind(1), real(2, 3))
sample("unsafe_split", lambda x: torch.unsafe_split(x, 2), real(5))
sample("unsafe_split_with_sizes", lambda x: torch.unsafe_split_with_sizes(x, [2, 3]), real(5))
sample("repeat", lambda x: x.repeat(2, 2), real(3))
sample("roll", lambda x: x.roll((1, 2), (0, 1)), real(2, 3))
sample("flip", lambda x: x.flip((0, 1)), real(2, 3))
sample("rot90", lambda x: torch.rot90(x, 1, (0, 1)), real(2, 3))
sample("tril", lambda x: x.tril(), real(3, 3))
sample("triu", lambda x: x.triu(1), real(3, 3))
sample("diag_embed", lambda x: torch.diag_embed(x), real(3))
sample("diagonal_copy", lambda x: torch.diagonal_copy(x), real(3, 3))
sample("cat_op", lambda a, b: torch.cat([a, b], 1), real(2, 3), real(2, 1))
sample("stack_op", lambda a, b: torch.stack([a, b], 1), real(3), real(3))
sample("block_diag", lambda a, b: torch.block_diag(a, b), real(2, 3), real(1, 2))

# ---- indexing

_along = integers([[0, 1, 1], [1, 0, 1]])
_some = integers([1, 0, 1])
_mask = torch.tensor([[True, False, True], [False, True, True]])
sample("index", lambda x: x[integers([0, 1, 0])], real(2, 3))
sample("unindex", direct("unindex", SavedList([integers([0, 1, 0])]), (2, 3)), real(3, 3))
sample("index_put", lambda x, v: x.index_put((integers([0, 1]),), v), real(3, 2), real(2, 2))
sample("index_put", lambda x, v: x.index_put((_some,), v, accumulate=True), real(3, 2), real(3, 2))
sample("gather", lambda x: x.gather(0, _along), real(2, 3))
sample("scatter", lambda x, s: x.scatter(0, integers([[2, 0, 1]]), s), real(3, 3), real(1, 3))
sample("scatter_value", lambda x: x.scatter(0, integers([[2, 0, 1]]), 1.5), real(3, 3))
sample("scatter_add", lambda x, s: x.scatter_add(0, _along, s), real(2, 3), real(2, 3))
sample("index_select", lambda x: x.index_select(0, _some), real(2, 3))
sample("index_unselect", direct("index_unselect", _some, (2, 3), 0), real(3, 3))
sample("index_add", lambda x, s: x.index_add(0, _some, s, alpha=2.0), real(2, 3), real(3, 3))
sample("index_copy", lambda x, s: x.index_copy(0, integers([1, 0]), s), real(3, 3), real(2, 3))
sample("index_fill_number", lambda x: x.index_fill(0, integers([1]), 2.0), real(2, 3))
sample("index_fill_tensor", lambda x, v: x.index_fill(0, integers([1]), v), real(2, 3), real())
sample("masked_fill_number", lambda x: x.masked_fill(_mask, 2.0), real(2, 3))
sample("masked_fill_tensor", lambda x, v: x.masked_fill(_mask, v), real(2, 3), real())
sample("masked_select", lambda x: x.masked_select(_mask), real(2, 3))
sample("unmask", direct("unmask", _mask, (2, 3)), real(4))
sample("masked_scatter", lambda x, s: x.masked_scatter(_mask, s), real(2, 3), real(5))
sample("front_of_mask", lambda x: REGISTRY["front_of_mask"](x, _mask, (5,)), real(2, 3))
sample("mask_of_front", lambda x: REGISTRY["mask_of_front"](x, _mask, (2, 3)), real(5))
sample("take", lambda x: x.take(integers([0, 5, 0])), real(2, 3))
sample("untake", direct("untake", integers([0, 5, 0]), (2, 3)), real(3))
sample("put", lambda x, s: x.put(integers([0, 5]), s), real(2, 3), real(2))
sample("put", lambda x, s: x.put(integers([0, 0]), s, accumulate=True), real(2, 3), real(2))
sample("select_scatter", lambda x, s: x.select_scatter(s, 0, 1), real(2, 3), real(3))
sample("slice_scatter", lambda x, s: x.slice_scatter(s, 1, 0, 2), real(2, 3), real(2, 2))
sample("diagonal_scatter", lambda x, s: x.diagonal_scatter(s), real(2, 3), real(2))
for _how in ("sum", "mean", "prod", "amax"):
    sample(
        "scatter_reduce",
        quiet(lambda x, s, how=_how: x.scatter_reduce(0, _along, s, how)), far_apart(2, 3), real(2, 3) + 0.037,
    )  # fmt: skip
for _how in ("mean", "prod", "amax"):
    sample(
        "index_reduce",
        quiet(lambda x, s, how=_how: x.index_reduce(0, _some, s, how)), far_apart(2, 3), real(3, 3) + 0.037,
    )  # fmt: skip
sample("pick", lambda x: REGISTRY["pick"](x, _along, 0, True, False), real(2, 3))

# ---- reductions

for _dim, _keep in ((1, False), ((0, 2), True)):
    for _name, _method in {
        "sum_dim": "sum", "mean_dim": "mean", "nansum": "nansum", "logsumexp": "logsumexp", "amax": "amax",
        "amin": "amin",
    }.items():  # fmt: skip
        sample(_name, lambda x, m=_method, d=_dim, k=_keep: getattr(x, m)(d, keepdim=k), far_apart(2, 3, 2))
    for _name in ("var", "std"):
        sample(_name, lambda x, m=_name, d=_dim, k=_keep: getattr(x, m)(d, keepdim=k), real(2, 3, 2))
    for _name in ("var_mean", "std_mean"):
        sample(_name, lambda x, m=_name, d=_dim, k=_keep: getattr(torch, m)(x, d, keepdim=k), real(2, 3, 2))
for _name, _method in {
    "sum_all": "sum", "mean_all": "mean", "prod_all": "prod", "max_all": "max", "min_all": "min",
    "median_all": "median", "nanmedian_all": "nanmedian",
}.items():  # fmt: skip
    sample(_name, lambda x, m=_method: getattr(x, m)(), far_apart(2, 3))
for _name, _method in {
    "max_dim": "max", "min_dim": "min", "median_dim": "median", "nanmedian_dim": "nanmedian", "mode": "mode",
}.items():  # fmt: skip
    sample(_name, lambda x, m=_method: getattr(x, m)(1)[0], far_apart(2, 3))
sample("prod_dim", lambda x: x.prod(1), real(2, 3))
sample("prod_dim", lambda x: (x * torch.tensor([1.0, 0.0, 1.0], dtype=torch.float64)).prod(1), real(2, 3))
sample("aminmax", lambda x: tuple(torch.aminmax(x, dim=1)), far_apart(2, 3))
sample("kthvalue", lambda x: x.kthvalue(2, 1)[0], far_apart(2, 3))
sample("sort", lambda x: x.sort(1)[0], far_apart(2, 3))
sample("sort_stable", lambda x: x.sort(dim=1, stable=True, descending=True)[0], far_apart(2, 3))
sample("topk", lambda x: x.topk(2, 1)[0], far_apart(2, 3))
sample("softmax", lambda x: x.softmax(1), real(2, 3))
sample("log_softmax", lambda x: x.log_softmax(1), real(2, 3))
_mask = torch.tensor([[True, False, False], [False, False, False]])
sample("masked_softmax", lambda x: torch._masked_softmax(x, _mask, 1, 2), real(2, 3))
sample("glu", direct("glu", 1), real(2, 4))
for _p in (1.0, 2.0, 3.0, 0.5, float("inf")):
    sample("vector_norm", lambda x, p=_p: x.norm(p, 1), far_apart(2, 3))
sample("dist", lambda x, y: torch.dist(x, y, 3), real(3), real(3) + 0.037)
sample("cdist", lambda x, y: torch.cdist(x, y), real(2, 3), real(4, 3) + 0.037)
sample("cumsum", lambda x: x.cumsum(1), real(2, 3))
sample("cumprod", lambda x: x.cumprod(1), real(2, 3))
sample("logcumsumexp", lambda x: x.logcumsumexp(1), real(2, 3))
sample("cummax", lambda x: x.cummax(1)[0], far_apart(2, 3))
sample("cummin", lambda x: x.cummin(1)[0], far_apart(2, 3))
sample("shift", direct("shift", 1, 1), real(2, 3))
sample("recur", direct("recur", 1, False), real(2, 3), real(2, 3))

# ---- products


def regular(a: Any) -> Any:
    """Matrices made far from singular."""
    return a + 3 * torch.eye(a.shape[-1], dtype=a.dtype)


for _kind in (real, complex_):
    sample("mm", lambda a, b: a @ b, _kind(2, 3), _kind(3, 4))
    sample("mm", lambda a, b: a.t() @ b.t(), _kind(3, 2), _kind(4, 3))
    sample("bmm", lambda a, b: torch.bmm(a, b), _kind(2, 2, 3), _kind(2, 3, 2))
    sample("mv", lambda a, b: a @ b, _kind(2, 3), _kind(3))
    sample("dot", lambda a, b: a @ b, _kind(3), _kind(3))
    sample("vdot", lambda a, b: torch.vdot(a, b), _kind(3), _kind(3))
    sample("addmm", lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2.0), _kind(4), _kind(2, 3), _kind(3, 4))
    sample("addmv", lambda c, a, b: torch.addmv(c, a, b, beta=0.5, alpha=2.0), _kind(1), _kind(2, 3), _kind(3))
    sample("addr", lambda c, a, b: torch.addr(c, a, b, beta=0.5, alpha=2.0), _kind(3), _kind(2), _kind(3))
    sample("addbmm", lambda c, a, b: torch.addbmm(c, a, b, alpha=2.0), _kind(2), _kind(2, 2, 3), _kind(2, 3, 2))
    sample("baddbmm", lambda c, a, b: torch.baddbmm(c, a, b, beta=0.5), _kind(2, 1), _kind(2, 2, 3), _kind(2, 3, 2))
    sample("trace", lambda a: a.trace(), _kind(2, 3))
    sample("linalg_cross", lambda a, b: torch.linalg.cross(a, b), _kind(2, 3), _kind(1, 3))
    sample("trilinear", lambda a, b, w: torch.bilinear(a, b, w), _kind(2, 3), _kind(2, 4), _kind(2, 3, 4))
    sample("linalg_inv", lambda a: torch.inverse(regular(a)), _kind(2, 2, 2))
    sample("linalg_det_with_factors", lambda a: torch.det(a), _kind(2, 2, 2))
    sample("linalg_det", direct("linalg_det"), _kind(2, 2, 2))
    for _solve, _other in (({}, (2, 3)), ({}, (2,)), ({"left": False}, (3, 2))):
        sample(
            "linalg_solve_with_factors", lambda a, b, how=_solve: torch.linalg.solve(regular(a), b, **how),
            _kind(2, 2), _kind(*_other),
        )  # fmt: skip
        _given = _solve.get("left", True), len(_other) == 1
        sample(
            "linalg_solve", lambda a, b, how=_given: direct("linalg_solve", *how)(regular(a), b),
            _kind(2, 2), _kind(*_other),
        )  # fmt: skip
    sample("linalg_cholesky", lambda a: torch.linalg.cholesky(regular(a @ a.mH)), _kind(2, 2))
for _upper in (True, False):
    sample(
        "linalg_solve_triangular",
        lambda a, b, upper=_upper: torch.linalg.solve_triangular(regular(a), b, upper=upper),
        real(2, 2), real(2, 3),
    )  # fmt: skip
sample("linalg_slogdet_with_factors", lambda a: torch.linalg.slogdet(regular(a))[1], real(2, 2))
sample("linalg_eigh", lambda a: torch.linalg.eigvalsh(a + a.mT), real(3, 3))
sample("linalg_eigh", lambda a: torch.linalg.eigh(a + a.mT)[1].abs(), real(3, 3))
sample("linalg_svd", lambda a: torch.linalg.svdvals(a), real(2, 3))
sample("linalg_svd", lambda a: tuple(x.abs() for x in torch.linalg.svd(a, full_matrices=False)), real(2, 3))
sample("linalg_svd", lambda a: tuple(x.abs() for x in torch.linalg.svd(a, full_matrices=False)), real(3, 2))
sample("linalg_qr", lambda a: tuple(torch.linalg.qr(a)), real(3, 2))

# ---- of neural networks

functional = torch.nn.functional
_rows = integers([[0, 2], [2, 1]])

sample("mse_loss", functional.mse_loss, real(2, 3), real(2, 3))
sample("mse_loss", lambda a, b: functional.mse_loss(a, b, reduction="none"), real(3), real(3))
sample("mse_loss_backward", adjoint(lambda a: functional.mse_loss(a, torch.ones_like(a)), real(2)), real())
sample("mse_loss_backward", direct("mse_loss_backward", 2), real(), real(3), real(3))
sample("embedding", lambda table: functional.embedding(_rows, table), real(3, 2))
sample("embedding_rows_summed", adjoint(lambda table: functional.embedding(_rows, table), real(3, 2)), real(2, 2, 2))
sample("embedding_rows_summed", lambda x: REGISTRY["embedding_rows_summed"](x, _rows, 3, 1, True), real(2, 2, 2))
sample("embedding_unpadded", lambda x: REGISTRY["embedding_unpadded"](x, _rows, 1, True), real(3, 2))
sample("constant_pad_nd", lambda x: functional.pad(x, (1, -1, 2, 0), value=3.0), real(2, 3))
for _n in (1, 2, 3):
    for _mode, _name in (("reflect", "Reflection"), ("replicate", "Replication")):
        def _padded(x: Any, mode: str = _mode, n: int = _n) -> Any:
            return functional.pad(x, (1, 0) * n, mode)

        _size = (1, 2, 3, 2, 2)[: _n + 1]
        sample(f"pad_{_name}Pad{_n}D", _padded, real(*_size))
        sample(f"pad_{_name}Pad{_n}D_backward", adjoint(_padded, real(*_size)), _padded(real(*_size)))

from . import (  # noqa: E402, F401
    op_samples_conv,
    op_samples_gradients,
    op_samples_linalg,
    op_samples_networks,
    op_samples_pooling,
    op_samples_recurrent,
    op_samples_rest,
)
