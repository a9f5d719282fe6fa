"""Statements that mix ways of differentiating: transforms and forward mode of what reverse mode records, and so on."""

from __future__ import annotations

import warnings
from contextlib import suppress

from .operators import elementwise, expression, of_two, product, reduction
from .run import names_of
from .scope import Scope, has_own_elements, is_floating

DUAL = "torch.autograd.forward_ad"

LAYERS = """
torch.func.grad(lambda_p:(B).sum())(X) torch.func.vmap(lambda_p:B)(X)
torch.func.vmap(lambda_p:B,in_dims=-1,out_dims=-1)(X) torch.func.jacrev(lambda_p:B)(X)
torch.func.jacfwd(lambda_p:B)(X) torch.func.hessian(lambda_p:(B).sum())(X)
torch.func.jvp(lambda_p:B,(X,),(X.cos(),))[1] torch.func.vjp(lambda_p:B,X)[0] torch.func.linearize(lambda_p:B,X)[1](X)
torch.func.grad_and_value(lambda_p:(B).sum())(X)[1] torch.func.vmap(torch.func.grad(lambda_p:(B).sum()))(X)
torch.func.grad(lambda_p:torch.func.grad(lambda_p:(B).sum())(p).sum())(X) torch.vmap(lambda_p:B,chunk_size=1)(X)
torch.func.jvp(torch.func.vmap(torch.func.grad(lambda_p:(B).sum())),(X,),(X,))[1]
torch.func.vmap(torch.func.jacrev(lambda_p:B))(X) torch.func.vmap(torch.func.hessian(lambda_p:(B).sum()))(X)
torch.func.jacfwd(torch.func.vmap(lambda_p:B))(X) torch.func.jacrev(torch.func.grad(lambda_p:(B).sum()))(X)
torch.func.functionalize(lambda_p:B)(X) torch.func.vmap(lambda_p:torch.func.jvp(lambda_p:B,(p,),(p,))[1])(X)
torch.autograd.functional.jacobian(lambda_p:B,X,O) torch.autograd.functional.jacobian(lambda_p:B,X,vectorize=True)
torch.autograd.functional.jacobian(lambda_p:B,X,vectorize=True,strategy='forward-mode')
torch.autograd.functional.hessian(lambda_p:(B).sum(),X,O)
torch.autograd.functional.hessian(lambda_p:(B).sum(),X,vectorize=True)
torch.autograd.functional.hessian(lambda_p:(B).sum(),X,vectorize=True,outer_jacobian_strategy='forward-mode').detach()
torch.autograd.functional.vjp(lambda_p:(B).sum(),X,O)[1] torch.autograd.functional.jvp(lambda_p:B,X,X.detach(),O)[1]
torch.autograd.functional.hvp(lambda_p:(B).sum(),X,X.detach(),O)[1]
torch.autograd.functional.vhp(lambda_p:(B).sum(),X,X.detach(),O)[1]
""".split()


def mixture(s: Scope, new: str) -> str:
    """A statement that gives ``new`` a value."""
    rng = s.rng
    x = s.real(
        lambda t: 0 < t.numel() <= 12, lambda t: t.dim() > 1 or t.dtype == s.torch.float64,
        lambda t: not t.is_inference(),
    )  # fmt: skip
    inner = Scope(rng, s.torch, strays=0)
    inner.eager = False
    inner.tensors = {"p": s.tensors[x].detach()}
    body = one_of(inner)
    kind = rng.random()
    if kind < 0.15:
        dual = f"{DUAL}.make_dual({x}, {rng.choice([f'{x}.cos()', f'torch.ones_like({x})', x])})"
        part = rng.choice(["[0]", "[1]", "[1]", "[1]"])
        return f"with {DUAL}.dual_level():\n    {new} = {DUAL}.unpack_dual((lambda p: {body})({dual})){part} * 1"
    if kind < 0.3:
        middle = Scope(rng, s.torch, strays=0)
        middle.tensors = inner.tensors
        first, kinds = one_of(middle), ["use_reentrant=False", "use_reentrant=True"]
        nested = f"checkpoint(lambda p: {body}, p, {rng.choice(kinds)})"
        return f"{new} = checkpoint(lambda p: ({first}).sum() * {nested}, {x}, {rng.choice(kinds)})"
    text = rng.choice(LAYERS).replace("lambda_p:", "lambda p: ")
    if not has_own_elements(s.tensors[x]) and any(form in text for form in ("jacfwd", "hessian", "forward-mode")):
        text = "torch.func.jacrev(lambda p: B)(X)"  # PyTorch writes the basis to elements that overlap
    if "vmap" in text and s.tensors[x].dim():
        inner.tensors = {"p": s.tensors[x].detach()[..., 0] if "in_dims" in text else s.tensors[x].detach()[0]}
        body = one_of(inner)
    option = rng.choice(["create_graph=True", "create_graph=False", "strict=True"])
    constant = ("hessian", "linearize", "func.jac", "vmap(torch.func.grad", "grad(lambda p: torch.func")
    if any(form in text for form in constant):
        # whether derivatives that are constant depend on something is not promised; PyTorch may refuse
        text = text.replace("X", "X.detach()") if "linearize" in text else f"({text}).detach()"
    # of results only what they are: by which nodes, views of what, and how they lie in memory, is not promised
    return f"{new} = ({text.replace('B', body).replace('X', x).replace('O', option)}).contiguous() * 1"


def one_of(s: Scope) -> str:
    """An expression that gives numbers with a fraction."""
    for _ in range(9):
        with suppress(Exception), warnings.catch_warnings():  # only what works
            warnings.simplefilter("ignore")
            text = s.rng.choice([elementwise, elementwise, of_two, product, reduction, expression])(s)
            if "logcumsumexp" in text or "softmax" in text:
                continue  # of one second derivatives are NaN in PyTorch, of both it changes what it has saved
            value = eval(text, {**names_of(s.torch), **s.tensors})
            if isinstance(value, s.torch.Tensor) and is_floating(value) and 0 < value.numel() <= 36:
                return text
    return "p * p"
