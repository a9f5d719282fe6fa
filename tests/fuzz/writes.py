"""Random statements that change a tensor in place: itself, through a view, through a view of a view."""

from __future__ import annotations

import re
from typing import Any

from .operators import str_index
from .scope import Scope, broadcasts, has_dimensions, is_differentiable, is_floating, is_number, is_small

CHANGES = """
mul_(y) add_(y) sub_(y) div_(2) copy_(Y) zero_() fill_(0.7) fill_(1) sin_() tanh_() sigmoid_() neg_() square_() abs_()
clamp_(-1,1) clamp_(min=0) relu_() exp_() add_(Y,alpha=2) addcmul_(Y,Y) lerp_(Y,0.3) pow_(2) cumsum_(d)
masked_fill_(m,0.5) index_fill_(d,i,0.2) index_add_(d,j,x) index_copy_(d,j,x) scatter_(d,g,0.4) scatter_add_(d,g,x)
t_() transpose_(d,d) unsqueeze_(0) squeeze_() cos_() mul_(0.5) add_(1) sub_(0.3) floor_() round_() nan_to_num_()
expm1_() erf_() atan_() sqrt_() reciprocal_() fmod_(1.5) remainder_(0.8) copysign_(y) atan2_(Y) hypot_(Y)
addcdiv_(Y,2) tril_() detach_() masked_scatter_(m,c) index_put_((i,),v) put_(i,w) sign_() trunc_() rsqrt_() log1p_()
softplus_ leaky_relu_ elu_ hardtanh_ requires_grad_() cumprod_(d) swapaxes_(d,d) xlogy_(Y) eq_(y) gt_(y)
logical_not_() float_power_(2) mul_(3) index_reduce_ zero_() resize_as_ sinh_() asinh_() silu_ deg2rad_() frac_()
true_divide_(2)
""".split()

OPERATORS = ["+=", "-=", "*=", "/="]

INDICES = re.compile(r"\b[gij]\b")
"""Places in the tensor itself, outside of a part of it: what is written before PyTorch notices is not defined."""


def change(s: Scope) -> str:
    rng = s.rng
    x = s.tensor(is_number, is_small, has_own_elements)
    kind = rng.random()
    if kind < 0.25:
        return assignment(s)
    if kind < 0.35:
        return f"{x} {rng.choice(OPERATORS)} {s.partner(x, lambda o: is_apart(s.tensors[x], o))}"
    if kind < 0.40 and s.eager:
        shape = s.tensors[x].shape
        y = s.tensor(is_number, is_small, lambda o: o.shape == shape)
        return f"torch.{rng.choice(['sin', 'tanh', 'neg', 'exp'])}({y}, out={x})"
    target, t = x, s.tensors[x]
    text = rng.choice(CHANGES)
    if text in ("t_()", "detach_()", "requires_grad_()", "set_(x)", "resize_as_") and not s.eager:
        text = "mul_(2)"
    if text in ("logical_not_()", "eq_(y)", "gt_(y)", "squeeze_()") and not s.eager:
        text = "add_(1)"  # in PyTorch the tangent stays as it was; squeeze_ takes a batch of 1 for a dimension
    if rng.random() < 0.35 and t.dim() and not INDICES.search(text):
        target = f"{x}[{s.index(x, basic=True)}]"
    if text in ("softplus_", "index_reduce_", "resize_as_"):
        return f"{x}.mul_(1.5)"
    if text.endswith("_") and not is_floating(t):
        text = "mul_(2)"
    if text.endswith("_"):
        return f"F.{text}({target})" if text != "silu_" else f"F.silu({target}, inplace=True)"
    return f"{target}.{filled(s, text, x)}"


def filled(s: Scope, text: str, x: str) -> str:
    t = s.tensors[x]
    n = t.dim()
    dim = s.rng.randint(-n, n - 1) if n else 0
    size = t.shape[dim] if n else 1
    name, _, rest = text.partition("(")
    others = {
        "x": s.rng.choice([x, f"{x}.clone()", f"{x} * 2"]), "d": str(dim),
        "m": s.mask(x) if n else f"{x} > 0", "i": f"torch.tensor({s.places(size, 1)})",
        "j": f"torch.tensor({s.places(size, size, once=True)})", "v": s.scalar(),
        "w": f"{x}.flatten()[:1]", "c": f"{x}.clone()",
    }  # fmt: skip
    if "g" in rest:
        others["g"] = str_index(s, list(t.shape), size) if t.numel() else "torch.tensor([], dtype=torch.int64)"
    if "y" in rest:
        others["y"] = s.partner(x, lambda o: is_apart(t, o))
    if "Y" in rest:
        others["Y"] = s.tensor(
            is_number, is_small, lambda o: broadcasts(t.shape, o.shape), lambda o: may_go_into(t, o),
            lambda o: is_apart(t, o),
        )  # fmt: skip
    parts = [p if p.isdigit() else others.get(p, p) for p in split(rest[:-1])]
    return f"{name}({', '.join(parts)})".replace("(i,)", f"({others['i']},)")


def split(text: str) -> list[str]:
    return ["(i,)", "v"] if text.startswith("(i,)") else [p for p in text.split(",") if p]


def assignment(s: Scope) -> str:
    x = s.tensor(is_number, is_small, has_dimensions, has_own_elements)
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


def has_own_elements(t: Any) -> bool:
    """Not as ``as_strided`` may make them: what is written to elements that overlap is not defined.

    Where they do by a stride of 0, PyTorch refuses.
    """
    reach = 1
    for stride, n in sorted(zip(t.stride(), t.shape)):
        if n > 1 and stride:
            if stride < reach:
                return False
            reach = stride * (n - 1) + reach
    return True


def is_apart(target: Any, value: Any) -> bool:
    """Not another view of the same memory: PyTorch refuses some, and of others it reads what it has just written."""
    return value is target or value.untyped_storage().data_ptr() != target.untyped_storage().data_ptr()


def may_go_into(target: Any, value: Any) -> bool:
    """Of another kind of numbers only without a history: PyTorch then lets integers require a gradient."""
    return not value.requires_grad or (target.dtype.is_complex == value.dtype.is_complex and is_differentiable(target))


def in_function(s: Scope) -> str:
    """A Function that changes its input."""
    return f"DoubleInPlace.apply({s.tensor(is_floating, is_differentiable, has_own_elements)})"
