"""Random statements that change a tensor in place: itself, through a view, through a view of a view."""

from __future__ import annotations

import re
from typing import Any

from .operators import str_index
from .scope import (
    Scope,
    broadcasts,
    has_dimensions,
    has_own_elements,
    is_differentiable,
    is_floating,
    is_number,
    is_small,
    put,
)

CHANGES = """
mul_(y) add_(y) sub_(y) div_(2) copy_(Y) zero_() fill_(0.7) fill_(1) sin_() tanh_() sigmoid_() neg_() square_() abs_()
clamp_(-1,1) clamp_(min=0) relu_() exp_() add_(Y,alpha=2) addcmul_(Y,Y) lerp_(Y,0.3) pow_(2) cumsum_(d)
masked_fill_(m,0.5) index_fill_(d,i,0.2) index_add_(d,j,x) index_copy_(d,j,x) scatter_(d,g,0.4) scatter_add_(d,g,x)
t_() transpose_(d,d) unsqueeze_(0) squeeze_() cos_() mul_(0.5) add_(1) sub_(0.3) floor_() round_() nan_to_num_()
expm1_() erf_() atan_() sqrt_() reciprocal_() fmod_(1.5) remainder_(0.8) copysign_(y) atan2_(Y) hypot_(Y)
addcdiv_(Y,2) tril_() detach_() masked_scatter_(m,c) index_put_((i,),v) put_(i,w) sign_() trunc_() rsqrt_() log1p_()
softplus_ leaky_relu_ elu_ hardtanh_ requires_grad_() cumprod_(d) swapaxes_(d,d) xlogy_(Y) eq_(y) gt_(y)
logical_not_() float_power_(2) mul_(3) index_reduce_ zero_() resize_as_ sinh_() asinh_() silu_ deg2rad_() frac_()
true_divide_(2) exp2_() log_() log2_() log10_() tan_() asin_() acos_() atanh_() acosh_() cosh_() erfc_() erfinv_()
digamma_() lgamma_() ceil_() sgn_() negative_() logit_(0.1) clip_(-0.5,0.5) clamp_min_(0.1) clamp_max_(0.2)
clamp_(Y,Y) addcdiv_(Y,Y) lerp_(Y,Y) ldexp_(2) logical_and_(Y) logical_or_(Y) bitwise_not_() bitwise_and_(3)
floor_divide_(2) float_power_(1) ge_(0) lt_(y) ne_(y) fill_diagonal_(0.5) triu_() addmm_(c,c) addmv_ baddbmm_(c,c)
renorm_(2,0,1.0) index_reduce_(d,j,x,'amax') index_reduce_(d,j,x,'mean') scatter_reduce_(d,g,x,'amin')
scatter_reduce_(d,g,x,'prod') scatter_(d,g,x) index_add_(d,j,x,alpha=2) masked_fill_(m,s) index_fill_(d,i,s)
index_put_((i,),s) put_(i,w,True) copy_(2) resize_as_(x) swapdims_(d,e) transpose_(d,e) unsqueeze_(d) squeeze_(d)
swapaxes_(d,e) divide_(2) multiply_(y) subtract_(y) arctan_() absolute_() fix_() conj_physical_() i0_() sinc_()
nextafter_(Y) gcd_(Y) addr_ heaviside_(Y)
""".split()

INTO = """
sin(y) tanh(y) neg(y) exp(y) floor(y) sign(y) square(y) sigmoid(y) add(y,y) mul(y,y) sub(y,z,alpha=2) div(y,z)
maximum(y,z) atan2(y,z) pow(y,2) cumsum(y,-1) cumprod(y,0) cat([y],0) clamp(y,-1,1) where(y>0,y,z) lerp(y,z,0.3)
lt(y,z) addcmul(y,y,z) eq(y,z) logical_not(y) fmod(y,2)
gather(y,0,torch.zeros_like(y,dtype=torch.int64)) tril(y) triu(y) roll(y,1) flip(y,(0,)) sum(torch.stack([y,z]),0)
hypot(y,z) mean(torch.stack([y,z]),0) amax(torch.stack([y,z]),0) mm(y*1,z*1) logaddexp(y,z) nan_to_num(y)
prod(torch.stack([y,z]),0) masked_select(y,z>0) take(y,torch.tensor([0])) remainder(y,2)
any(torch.stack([y,z]),0) all(torch.stack([y,z]),0) stack(list(y.clone()),0) stack(list(z.clone()),-1)
argmax(torch.stack([y,z]),0)
""".split()

IN_PLACE_VIEWS = ("t_(", "transpose_(", "unsqueeze_(", "squeeze_(", "swapaxes_(", "swapdims_(")

OPERATORS = ["+=", "-=", "*=", "/="]

INDICES = re.compile(r"\b[gij]\b")
"""Places in the tensor itself, outside of a part of it: what is written before PyTorch notices is not defined."""


def change(s: Scope) -> str:
    rng = s.rng
    x = s.tensor(is_number, is_small, has_own_elements, may_be_written)
    kind = rng.random()
    if kind < 0.25:
        return assignment(s)
    if kind < 0.35:
        return f"{x} {rng.choice(OPERATORS)} {s.partner(x, lambda o: is_apart(s.tensors[x], o))}"
    if kind < 0.40 and s.eager:
        return into(s, s.tensor(is_number, is_small, has_own_elements, may_be_written, lambda t: 0 not in t.stride()))
    target, t = x, s.tensors[x]
    text = rng.choice(CHANGES)
    if (text.startswith("baddbmm_") and t.dim() != 3) or (text.startswith("addmm_") and t.dim() != 2):
        text = "mul_(2)"
    if "mm_(" in text and 0 in t.stride():
        text = "mul_(2)"  # which PyTorch refuses, those it does not
    if text.startswith(("masked_fill_(m,s", "index_fill_(d,i,s")) and not is_floating(t):
        text = "add_(1)"  # integers would get a history, see may_go_into
    if text.startswith(IN_PLACE_VIEWS) and not s.eager:
        text = "mul_(2)"  # in PyTorch it changes the shape of a tangent, too
    if text in ("t_()", "detach_()", "requires_grad_()", "resize_as_(x)") and not s.eager:
        text = "mul_(2)"
    if text in ("logical_not_()", "eq_(y)", "gt_(y)", "squeeze_()") and not s.eager:
        text = "add_(1)"  # in PyTorch the tangent stays as it was; squeeze_ takes a batch of 1 for a dimension
    if rng.random() < 0.35 and t.dim() and not INDICES.search(text):
        target = f"{x}[{s.index(x, basic=True)}]"
    if text in ("softplus_", "index_reduce_", "resize_as_", "addmv_", "addr_"):
        return f"{x}.mul_(1.5)"
    if text.endswith("_") and not is_floating(t):
        text = "mul_(2)"
    if text.endswith("_"):
        return f"F.{text}({target})" if text != "silu_" else f"F.silu({target}, inplace=True)"
    return f"{target}.{filled(s, text, x)}"


def into(s: Scope, x: str) -> str:
    """An operator that writes its result into a tensor, mostly one of the right shape."""
    t = s.tensors[x]
    y, z = (s.tensor(is_number, is_small, lambda o: o.shape == t.shape) for _ in range(2))
    form = s.rng.choice(INTO)
    if form.startswith(("mean", "any", "all")) and not is_floating(t):
        form = "add(y,y)"  # into integers PyTorch writes sums for means before it refuses, and asks whole parts alone
    if form.startswith("tri") and not is_apart(t, s.tensors[y]):
        form = "neg(y)"  # which PyTorch refuses
    text = put(form, y=y, z=z, n=str(t.shape[0] if t.dim() else 1))
    return f"torch.{text[:-1]}, out={x})"


def filled(s: Scope, text: str, x: str) -> str:
    t = s.tensors[x]
    n = t.dim()
    dim = s.rng.randint(-n, n - 1) if n else 0
    size = t.shape[dim] if n else 1
    name, _, rest = text.partition("(")
    others = {
        "x": s.rng.choice([x, f"{x}.clone()", f"{x} * 2"]), "d": str(dim),
        "m": s.mask(x) if n else f"{x} > 0", "i": f"torch.tensor({s.places(size, 1)}, dtype=torch.int64)",
        "j": f"torch.tensor({s.places(size, size, once=True)}, dtype=torch.int64)", "v": s.scalar(),
        "w": f"{x}.flatten()[:1]", "c": f"{x}.clone()", "e": str(s.dim(x)), "s": str(s.scalar_tensor()),
    }  # fmt: skip
    if "g" in rest:
        others["g"] = str_index(s, list(t.shape), size) if t.numel() else "torch.tensor([], dtype=torch.int64)"
    if "y" in rest:
        others["y"] = s.partner(x, lambda o: is_apart(t, o), lambda o: may_go_into(t, o))
    if "Y" in rest:
        others["Y"] = s.tensor(
            is_number, is_small, lambda o: broadcasts(t.shape, o.shape), lambda o: may_go_into(t, o),
            lambda o: is_apart(t, o),
        )  # fmt: skip
    parts = [p if p.isdigit() else others.get(p, p) for p in split(rest[:-1])]
    return f"{name}({', '.join(parts)})".replace("(i,)", f"({others['i']},)")


def split(text: str) -> list[str]:
    return ["(i,)", text[5:]] if text.startswith("(i,)") else [p for p in text.split(",") if p]


def assignment(s: Scope) -> str:
    x = s.tensor(is_number, is_small, has_dimensions, has_own_elements, may_be_written)
    index = s.index(x)
    t = s.tensors[x]
    choice = s.rng.random()
    value = s.scalar()
    if choice < 0.5:
        try:
            part = t[eval(index, {"torch": s.torch, **s.tensors})]
        except Exception:
            return f"{x}[{index}] = {value}"
        value = s.tensor(
            is_small, lambda o: broadcasts(part.shape, o.shape), lambda o: may_go_into(t, o), lambda o: is_apart(t, o)
        )
    elif choice < 0.6 and is_floating(t) and s.eager:  # what a transform returns does not depend on new leaves
        value = f"torch.tensor({s.values([], 'float64')}, requires_grad=True)"
    return f"{x}[{index}] {s.rng.choice(['=', '=', '=', '*=', '+='])} {value}"


def may_be_written(t: Any) -> bool:
    """Not a tensor of inference mode: PyTorch writes first, then it raises."""
    return not t.is_inference()


def is_apart(target: Any, value: Any) -> bool:
    """Not another view of the same memory: PyTorch refuses some, and of others it reads what it has just written."""
    if value is target:
        return True
    try:
        return bool(value.untyped_storage().data_ptr() != target.untyped_storage().data_ptr())
    except RuntimeError:  # zeros that PyTorch does not store
        return False


def may_go_into(target: Any, value: Any) -> bool:
    """Of another kind of numbers only without a history: PyTorch then lets integers require a gradient."""
    return not value.requires_grad or (target.dtype.is_complex == value.dtype.is_complex and is_differentiable(target))


def in_function(s: Scope) -> str:
    """A Function that changes its input."""
    x = s.tensor(is_floating, has_own_elements, may_be_written)
    if s.rng.random() < 0.4:
        t = s.tensors[x]
        return f"SwapInPlace.apply({s.tensor(lambda o: o.shape == t.shape and o.dtype == t.dtype)}, {x})"
    return f"DoubleInPlace.apply({x})"
