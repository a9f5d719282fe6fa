"""Random expressions: an operator, a view or an index, of tensors that are there."""

from __future__ import annotations

from collections.abc import Callable

from .networks import of_networks, of_other_dtypes
from .scope import (
    Scope,
    all_finite,
    broadcasts,
    has_dimensions,
    has_equals,
    has_own_elements,
    is_complex,
    is_differentiable,
    is_floating,
    is_matrix,
    is_number,
    is_small,
    put,
)

Maker = Callable[[Scope], str]

OF_ONE_DTYPE = """
F.smooth_l1_loss(x,Y) F.mse_loss(x,Y,reduction='sum') F.huber_loss(x,Y) F.l1_loss(x,Y) torch.dist(x,Y+1)
F.mse_loss(x,Y,reduction='none') torch.addcmul(x,x,Y,value=0.5) torch.addcdiv(x,x,Y*Y+1,value=2) torch.lerp(x,Y,0.3)
""".split()

ELEMENTWISE = """
x.sin() x.cos() x.tanh() x.sigmoid() x.atan() x.erf() x.square() x.neg() -x x.abs() F.softplus(x) F.relu(x) F.gelu(x)
F.silu(x) F.elu(x) F.leaky_relu(x,0.1) F.hardtanh(x) F.selu(x) F.celu(x) F.mish(x) F.logsigmoid(x) F.softsign(x)
F.hardswish(x) F.hardsigmoid(x) F.relu6(x) F.tanhshrink(x) F.softshrink(x)+0 F.hardshrink(x) x.sinh() x.asinh()
x.expm1() x.clamp(-1,1) x.clamp(min=0) x.clamp_max(0.7) (x*x+0.5).log() (x*x+0.5).sqrt() (x*x+1).rsqrt()
(x*x+1).reciprocal() (x*x+0.5).log2() (x*x+0.5).log1p() (x*x+1).log10() x.sign() x.floor() x.round() x.ceil()
x.trunc() x.frac() x*2 x+1 x-0.5 1-x 2/(x*x+1) x/3 x**2 x**3 x**0 (x*x+1)**0.5 (x*x+1)**-1.5 2**x.tanh() x.pow(2)
x.tanh().exp() x.tanh().tan() x.positive() x.nan_to_num() x.deg2rad() x.exp2().tanh() torch.sgn(x) x.logit(0.1)
x.clone() x.contiguous() x.tanh().asin() torch.special.i0(x.tanh()) torch.special.entr(x.sigmoid())
(x.tanh()*0.9).erfinv() x.remainder(1.5) x.fmod(0.7) torch.special.expit(x) x.tanh().cosh() (x.tanh()*0.9).atanh()
F.threshold(x,0.2,-0.3) x.mul(0.5) x.type_as(x) x.digamma() (x*x+1).lgamma() x.tanh().acos() F.dropout(x,0.0)
x.to(torch.float32) x.double() x.heaviside(x.detach()) x//2 x%2
""".split()

OF_COMPLEX = """
x.abs() x.real x.imag x*2 x*x x.sin() x.tanh() x.angle() x.sgn() x.square() x+1j x*(1-2j) (x.abs()+1).sqrt()
torch.view_as_real(x) x.exp() x.mul(x.conj()) x.reciprocal() x.neg() x.clone() x.cumsum(-1) x.real*x.imag x**2
x.sigmoid() x.log() x.sqrt()
""".split()

OF_TWO = """
x+y x-y x*y x/(y*y+1) torch.add(x,y,alpha=2) torch.sub(x,y,alpha=0.5) torch.maximum(x,Y) torch.minimum(x,Y)
torch.atan2(x,Y) torch.hypot(x,Y) torch.where(x>0,x,y) torch.fmax(x,Y) torch.fmin(x,Y) torch.logaddexp(x,Y) x.mul(y)
torch.rsub(x,y) (x*x+1)**y torch.lerp(x,Y,0.3) torch.xlogy(x,Y*Y+1) torch.copysign(x,Y)
x.div(y*y+1,rounding_mode='floor') torch.remainder(x,y*y+1) x.true_divide(y*y+1) x.lerp(Y,Y.sigmoid())
torch.clamp(x,Y,Y+1) x.floor_divide(y*y+1) torch.nextafter(x,Y) torch.ldexp(x,Y*1.0) torch.special.xlog1py(x,Y*Y)
torch.fmod(x,y*y+1) torch.float_power(x*x+1,y) torch.where(x>Y,x,Y)
""".split()

COMPARISONS = """
x>y x<=y x==y x!=y torch.logical_and(x,y) x.isnan() x.bool() ~(x>y)
""".split()

REDUCTIONS = """
sum mean amax amin prod var std logsumexp nansum norm cumsum cumprod logcumsumexp softmax log_softmax flip argmax
argmin max min median sort count_nonzero any all argsort cummax cummin diff topk kthvalue mode nanmean unbind aminmax
var_mean std_mean nanmedian softmin normalize logcumsumexp
""".split()

VIEWS = """
x.t() x.T x.transpose(d,e) x.unsqueeze(u) x.squeeze(d) x.squeeze() x.narrow(d,s) x.select(d,i) x.flatten()
x.reshape(r) x.view(r) x.expand(b) x.permute(p) x.unfold(d,k) x.diagonal() x.movedim(d,e) x.detach() x.view_as(x)
x.swapaxes(d,e) x.mT x.split(1,d)[-1] x.chunk(2,d)[0] x.unbind(d)[0] x.as_strided(a) x.swapdims(d,e) x.real x.ravel()
x.tensor_split(2,d)[-1] x.moveaxis(d,e) x.expand_as(y) x.unflatten(w) torch.view_as_complex(v) x.data x[...] x[None]
x.view(-1) x.broadcast_to(b) x.split_with_sizes(z,d)[0] x.select(d,i) x.narrow(d,s) x.transpose(d,e)
""".split()


def elementwise(s: Scope) -> str:
    x = s.tensor(is_number, is_small)
    if is_complex(s.tensors[x]):
        return put(s.rng.choice(OF_COMPLEX), x=x)
    return put(s.rng.choice(ELEMENTWISE), x=x)


def of_two(s: Scope) -> str:
    x = s.tensor(is_number, is_small)
    text = s.rng.choice(OF_TWO if s.rng.random() < 0.93 else COMPARISONS)
    if "Y" not in text:
        return put(text, x=x, y=s.partner(x, is_small))
    t = s.tensors[x]
    if "copysign" in text and not all(map(all_finite, s.tensors.values())):
        text = "torch.maximum(x,Y)"  # NaN may have either sign
    if "atan2" in text and t.dtype == s.torch.uint8:
        text = "torch.maximum(x,Y)"  # PyTorch negates it as it is for the other's gradient
    if s.rng.random() < 0.1:
        return put(s.rng.choice(OF_ONE_DTYPE), x=x, Y=s.tensor(lambda o: o.shape == t.shape and o.dtype == t.dtype))
    return put(text, x=x, Y=s.tensor(is_number, is_small, lambda o: broadcasts(t.shape, o.shape)))


def reduction(s: Scope) -> str:
    x = s.tensor(is_number, is_small)
    name, rng = s.rng.choice(REDUCTIONS), s.rng
    if name == "mode" and bool(s.tensors[x].data.isnan().any()):
        name = "sum"  # PyTorch sorts by comparing: where NaN goes is not defined
    if name in ("kthvalue", "topk") and has_equals(s.tensors[x]):
        name = "amax"  # nor which of equal elements is the one
    if name in ("median", "nanmedian") and 0 in s.tensors[x].stride():
        name = "amin"  # of an expanded dimension PyTorch gives what was in the memory before
    dim = s.dim(x)
    kept = rng.choice(["", "", ", keepdim=True"])
    few = ", ".join(map(str, s.dims(x)))
    match name:
        case "cumsum" | "cumprod" | "logcumsumexp" | "softmax" | "log_softmax" | "diff":
            return f"{x}.{name}(dim={dim})"
        case "softmin" | "normalize":
            return f"F.{name}({x}, dim={dim})"
        case "flip":
            return f"{x}.flip({few})" if few else f"{x}.flip(0)"
        case "sort" | "cummax" | "cummin" | "median" | "max" | "min" | "mode" | "nanmedian":
            if name in ("median", "max", "min", "nanmedian") and rng.random() < 0.3:
                return f"{x}.{name}()"
            part = rng.choice([0, 0, 0, 1])
            if name == "mode" and s.tensors[x].numel() > 16:
                part = 0  # of which of the elements, that is
            return f"{x}.{name}(dim={dim})[{part}]"
        case "kthvalue" | "topk":
            return f"{x}.{name}(1, dim={dim})[0]"
        case "unbind":
            return f"torch.stack({x}.unbind({dim}), {rng.choice([0, -1])})"
        case "argsort" | "argmax" | "argmin" | "prod" | "count_nonzero":
            return f"{x}.{name}(dim={dim})"
        case "aminmax":
            return f"{x}.aminmax(dim={dim}{kept})[{rng.choice([0, 1])}]"
        case "var_mean" | "std_mean":
            return f"torch.{name}({x}, dim={dim}{kept}, correction=0)[{rng.choice([0, 1])}]"
        case "var" | "std":
            return f"{x}.{name}(dim=({few}{',' if few else ''}){kept}, correction=0)"
        case "norm":
            return f"torch.linalg.vector_norm({x}, {rng.choice(['2', '1', '3', 'inf'])}, dim={dim}{kept})".replace(
                "inf", "float('inf')"
            )
        case "logsumexp" | "any" | "all":
            return f"{x}.{name}(dim={dim}{kept})"
    if rng.random() < 0.3:
        return f"{x}.{name}()"
    return f"{x}.{name}(dim=({few}{',' if few else ''}){kept})"


def view(s: Scope) -> str:
    """A view: of the tensor that was made last, quite often, which may be a view itself."""
    rng, text = s.rng, s.rng.choice(VIEWS)
    if "view_as_complex" in text:
        x = s.tensor(
            lambda t: is_floating(t) and t.dim() > 0 and t.shape[-1] == 2 and t.stride(-1) == 1 and t.dtype.itemsize > 2
        )
        return f"torch.view_as_complex({x})"
    tests = [is_complex] if text in ("x.real", "x.imag") else [is_matrix] if text in ("x.t()", "x.T", "x.mT") else []
    if any(word in text for word in ("select", "narrow", "split", "chunk", "unfold", "unbind", "unflatten")):
        tests.append(has_dimensions)
    if "as_strided" in text:
        tests.append(lambda t: t.numel() > 0)  # where nothing begins is not promised
    if "diagonal" in text:
        tests.append(lambda t: t.dim() >= 2)
    x = s.tensor(is_small, *tests)
    t = s.tensors[x]
    if not s.eager and text == "x.data":
        text = "x.detach()"
    dim, size = s.dim(x), 0
    size = s.size(x, dim)
    start = rng.randint(0, max(size - 1, 0))
    length = rng.randint(0 if rng.random() < 0.1 else 1, max(size - start, 1))
    order = rng.sample(range(t.dim()), t.dim())
    return put(
        text, x=x, d=str(dim), e=str(s.dim(x)), u=str(rng.randint(-t.dim() - 1, t.dim())), s=f"{start},{length}",
        i=str(s.place(size)), r=f"({other_shape(s, x)})", b=str(wider(s, x)), p=str(tuple(order)),
        k=f"{min(2, max(size, 1))},{rng.choice([1, 1, 2])}", a=strided(s, x), y=s.tensor(is_small),
        w=f"{dim},({rng.choice(['-1, 1', '1, -1'])})", z=f"[{start},{size - start}]",
    )  # fmt: skip


def other_shape(s: Scope, name: str) -> str:
    n = s.tensors[name].numel()
    factors = [k for k in (1, 2, 3, 4, 6) if n and n % k == 0] or [1]
    k = s.rng.choice(factors)
    return s.rng.choice(["-1", f"{k}, -1", f"-1, {k}", f"{k}, {n // k}", f"{n // k}, {k}", f"1, {n}"])


def wider(s: Scope, name: str) -> list[int]:
    shape = [s.rng.choice([2, 3]) if n == 1 and s.rng.random() < 0.7 else n for n in s.tensors[name].shape]
    return [s.rng.choice([1, 2]), *shape] if s.rng.random() < 0.5 else shape


def strided(s: Scope, name: str) -> str:
    """A size, strides and an offset within the memory of a tensor."""
    t = s.tensors[name]
    room = t.numel()
    first, second = s.rng.choice([1, 2]), s.rng.choice([1, 2])
    if room < 4:
        return "(1,),(1,)"
    return f"({first},{second}),({s.rng.choice([1, 2])},1)"


def index(s: Scope) -> str:
    x = s.tensor(is_small, has_dimensions)
    return f"{x}[{s.index(x)}]"


def gathering(s: Scope) -> str:
    rng = s.rng
    x = s.tensor(has_dimensions, is_number, is_small)
    t = s.tensors[x]
    dim = rng.randint(-t.dim(), t.dim() - 1)
    size, count = t.shape[dim], rng.choice([1, 2, 3])
    if not t.numel():
        return f"{x} * 2"
    places = s.places(size, count)
    picks = str_index(s, list(t.shape), size)
    apart = has_own_elements(t)  # else PyTorch's copies overlap, too
    return rng.choice([
        f"{x}.index_select({dim}, torch.tensor({places}))",
        f"{x}.gather({dim}, {picks})",
        f"{x}.take(torch.tensor({s.places(t.numel(), 2)}))",
        f"torch.take_along_dim({x}, {picks}, {dim})",
        f"{x}.scatter({dim}, {picks}, {rng.choice(['1.5', x])})",
        f"{x}.scatter_add({dim}, {picks}, {x})",
        f"{x}.roll({rng.choice([1, -1, 2])}, {dim})",
        f"{x}.repeat_interleave(2, {dim})",
        f"{x}.masked_fill({s.mask(x)}, {s.scalar()})",
        f"{x}.index_fill({dim}, torch.tensor({places}), {s.scalar()})",
        f"{x}.index_add({dim}, torch.tensor({s.places(size, size)}), {x})",
        f"{x}.index_copy({dim}, torch.tensor({s.places(size, size, once=True)}), {x})",
        f"torch.cat([{x}, {x}], {dim})", f"torch.stack([{x}, {x}], {dim})", f"{x}.repeat({', '.join('2' * t.dim())})",
        f"{x}.tril()" if t.dim() > 1 else f"torch.outer({x}, {x})", f"{x}.triu(1)" if t.dim() > 1 else f"{x}.diag()",
        f"F.pad({x}, (1, {rng.choice([-1, 0, 1])}))",
        f"{x}.select_scatter({x}.select({dim}, 0), {dim}, -1)" if s.eager and apart else f"{x}.roll(1, {dim})",
        f"torch.tile({x}, (2,))", f"{x}.rot90()" if t.dim() > 1 else f"{x}.flip(0)",
        f"{x}.slice_scatter({x}.narrow({dim}, 0, 1), {dim}, 0, 1)" if apart else f"{x}.flip(0)",
    ])  # fmt: skip


def str_index(s: Scope, shape: list[int], size: int) -> str:
    def values(shape: list[int]) -> object:
        return [values(shape[1:]) for _ in range(shape[0])] if shape else s.rng.randint(0, size - 1)

    return f"torch.tensor({values(shape)})"


PRODUCTS = {
    1: ["x @ x", "torch.dot(x, x)", "torch.outer(x, x)", "torch.einsum('i,j->ij', x, x)",
        "torch.kron(x.contiguous(), x.contiguous())"],
    2: [
        "x @ x.t()", "x.t().mm(x)", "F.linear(x, x)", "torch.einsum('ij,kj->ik', x, x)", "x.mv(x[0])", "x.t() @ x",
        "torch.addmm(x @ x.t(), x, x.t(), beta=0.5, alpha=2)", "torch.linalg.multi_dot([x, x.t(), x])", "x.trace()",
        "torch.cdist(x, x + 1)", "x.matmul(x.mT)", "F.glu(x)", "F.normalize(x)",
        "F.layer_norm(x, x.shape[1:])", "F.cross_entropy(x, torch.zeros(len(x), dtype=torch.int64))",
        "F.cosine_similarity(x, x + 1)", "torch.linalg.matrix_norm(x)",
        "torch.linalg.cholesky(x @ x.mH + 3 * torch.eye(len(x), dtype=x.dtype))",
    ],
    3: [
        "x.matmul(x.mT)", "torch.einsum('...ij,...kj->...ik', x, x)", "F.softmax(x @ x.mT, -1) @ x",
        "torch.baddbmm(x @ x.mT, x, x.mT)", "torch.bmm(x, x.transpose(1, 2))",
    ],
}  # fmt: skip

SOLUTIONS = [
    "torch.linalg.solve(x @ x.mH + 3 * torch.eye(len(x), dtype=x.dtype), x)",
    "torch.linalg.det(x @ x.mH + 3 * torch.eye(len(x), dtype=x.dtype))",
]
"""The gradients of forward derivatives of these are wrong in PyTorch, so transforms do without them."""


def product(s: Scope) -> str:
    x = s.tensor(has_dimensions, is_differentiable, is_small, lambda t: t.dim() <= 3)
    rank = s.tensors[x].dim()
    forms = [f for f in PRODUCTS[rank] if s.eager or "cdist" not in f]
    return put(s.rng.choice(forms + (SOLUTIONS if rank == 2 and s.eager else [])), x=x)


def conversion(s: Scope) -> str:
    x = s.tensor(is_small)
    dtype = s.rng.choice("float64 float32 int64 bool complex128 float16 int32 complex64 uint8 float64".split())
    return s.rng.choice([f"{x}.to(torch.{dtype})", f"{x}.type(torch.{dtype})", f"{x}.to({s.tensor()})", f"{x}.float()",
                         f"{x}.sum(dtype=torch.{dtype})", f"torch.zeros_like({x}, dtype=torch.{dtype})",
                         f"{x}.new_ones({list(s.tensors[x].shape)})", f"torch.result_type({x}, {s.tensor()})",
                         f"torch.complex({x}.double(), {x}.double())", f"torch.ones_like({x})"])  # fmt: skip


def own_function(s: Scope) -> str:
    x = s.real(is_small)
    names = ["Cube.apply({x})", "Product.apply({x}, {y})", "Sine.apply({x}, 2.0)", "Halves.apply({x})[0]"]
    if s.eager:
        names += ["Halves.apply({x})[1]", "Unsaved.apply({x})[0]", "Unsaved.apply({x})[1]", "Once.apply({x})",
                  "SumAndDifference.apply({x}, {y})[0]", "SumAndDifference.apply({x}, {y})[1]", "Part.apply({x})",
                  "Same.apply({x})", "Kept.apply({x})"]
    else:
        names = ["Product.apply({x}, {y})", "Sine.apply({x}, 2.0)"]
    t = s.tensors[x]
    return s.rng.choice(names).format(x=x, y=s.real(is_small, lambda o: broadcasts(t.shape, o.shape)))


EXPRESSIONS: list[tuple[int, Maker]] = [
    (22, elementwise), (16, of_two), (10, reduction), (22, view), (12, index), (8, gathering), (6, product),
    (3, conversion), (4, own_function), (14, of_networks), (6, of_other_dtypes),
]  # fmt: skip


def expression(s: Scope) -> str:
    makers = [maker for _, maker in EXPRESSIONS]
    return s.rng.choices(makers, [weight for weight, _ in EXPRESSIONS])[0](s)
