"""Programs that apply nestings of ``func``'s transforms to a random function."""

from __future__ import annotations

import re
import warnings
from random import Random
from typing import Any, NamedTuple

from .operators import expression
from .program import Program
from .run import Session
from .scope import NothingFits, Scope, is_floating, is_small
from .writes import change

DERIVATIVES = "grad vjp jvp jacrev jacfwd vmap vmap hessian linearize".split()


def make(rng: Random, torch: Any) -> tuple[Program, Session]:
    body, shapes, sizes = _body(rng, torch)
    program = Program()
    scope = Scope(rng, torch)
    limits = Limits(
        forward_once=any(word in line for line in body for word in (".apply", "layer_norm", "householder")),
        twice=any("layer_norm" in line or "logcumsumexp" in line for line in body),
        writes=any(" = " not in line[:6] for line in body[:-1]),
    )
    layers, shapes = _layers(rng, shapes, sizes, limits)
    if any("vmap" in layer for layer in layers):  # PyTorch's vmap crashes where forward mode meets what it does not map
        body[-1] += " + 0 * (x.sum() + y.sum())"
    for name, shape in zip("xy", shapes):
        program.statements.append(f"{name} = {scope.literal(list(shape), 'float64')}")
    program.inputs = len(shapes)
    program.statements.append("def f0(x, y):\n    " + "\n    ".join(body))
    program.statements += layers
    program.statements.append(f"r = f{len(layers)}(x, y)")
    return program, Session(torch, program).run()


def _body(rng: Random, torch: Any) -> tuple[list[str], list[list[int]], int]:
    """Statements of a function of two tensors; their shapes, and how many numbers it returns."""
    s = Scope(rng, torch, strays=0)
    s.eager = False
    shapes = [[max(n, 1) for n in s.shape()] for _ in range(2)]
    for name, shape in zip("xy", shapes):
        s.tensors[name] = torch.tensor(s.values(shape, "float64"), dtype=torch.float64)
    names = {"torch": torch, "F": torch.nn.functional, **Session(torch, Program()).names, **s.tensors}
    body: list[str] = []
    for i in range(rng.randint(2, 7)):
        try:
            inputs = {s.tensors[n].untyped_storage().data_ptr() for n in "xy"}
            own = [
                n for n, t in s.tensors.items()
                if t.untyped_storage().data_ptr() not in inputs and (0 not in t.stride() or t.numel() < 2)
            ]  # fmt: skip
            if own and rng.random() < 0.2:
                kept, s.tensors = s.tensors, {n: s.tensors[n] for n in own}
                try:
                    statement = written_apart(change(s))
                finally:
                    s.tensors = kept
            else:
                statement = f"a{i} = {with_own_tangent(expression(s))}"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(statement, names)
        except Exception:  # only what works goes into the function
            continue
        value = names.get(f"a{i}")
        if isinstance(value, torch.Tensor) and value.numel():
            if any(word in statement for word in ("std", "norm(")) and bool((value == 0).any()):
                continue  # there they have no second derivatives
            s.tensors[f"a{i}"] = value
            body.append(statement)
        elif f"a{i}" not in names:
            body.append(statement)
    try:
        last = s.tensor(is_floating, is_small, lambda t: t.dtype == torch.float64)
    except NothingFits:
        last = "x"
    body.append(f"return {last}")
    return body, shapes, s.tensors[last].numel()


def with_own_tangent(text: str) -> str:
    """In PyTorch the tangent of a remainder or a diagonal is that of its input: who writes into one changes both."""
    if "kron(" in text:  # it saves what lies in the same memory as its operands, and does not notice changes
        return text.replace(".contiguous()", ".clone()")
    return f"({text}) * 1" if any(word in text for word in ("fmod", "remainder", "%", "frac", ".diag()")) else text


def written_apart(statement: str) -> str:
    """A change whose operands are no tensors of the program: forward mode of ``x *= x`` is wrong in PyTorch."""
    target = re.split(r"\W", statement)[0]
    if len(set(re.findall(r"\ba\d+\b", statement))) > 1 or len(re.findall(rf"\b{target}\b", statement)) > 1:
        return f"{target}.mul_(0.5)"
    return statement


class Limits(NamedTuple):
    """What PyTorch gets wrong of a function."""

    forward_once: bool
    """Of Functions' ``jvp`` it knows no forward derivative; those of layer norm's and reflections' are wrong."""
    twice: bool
    """Third derivatives of layer norm are wrong, those of ``logcumsumexp`` may be NaN."""
    writes: bool
    """``linearize`` leaves out what is written in place."""


def _layers(
    rng: Random, shapes: list[list[int]], size: int, limits: Limits
) -> tuple[list[str], list[list[int]]]:
    """Definitions of f1, f2, ... each of which transforms the one before; and the shapes that the last one takes."""
    forward = order = 0
    layers: list[str] = []
    count = rng.choice([1, 1, 2, 2, 2, 3])
    for i in range(count):
        f, g = f"f{i}", f"f{i + 1}"
        at = rng.choice([0, 0, 1])
        n = 1
        for k in shapes[at]:
            n *= k
        kind = rng.choice(DERIVATIVES)
        if kind == "linearize" and (count > 1 or limits.writes):
            kind = "jvp"  # PyTorch takes what it linearizes for constant, and some derivatives that are linearized
        if kind in ("jacrev", "jacfwd", "hessian") and size * n > 150:
            kind = "grad"
        if kind in ("jvp", "jacfwd", "hessian", "linearize"):
            forward += 1
            if limits.forward_once and (forward > 1 or kind == "linearize"):
                kind = "grad"
        order += (kind != "vmap") + (kind == "hessian")
        if limits.twice and (order > 2 or (forward and kind not in ("jvp", "jacfwd", "hessian", "linearize"))):
            kind = "vmap"
        match kind:
            case "grad":
                layers.append(f"{g} = torch.func.grad(lambda x, y: {f}(x, y).sin().sum(), argnums={at})")
                size = n
            case "vjp":
                layers.append(f"{g} = lambda x, y: (lambda r: r[1](r[0].cos())[{at}])(torch.func.vjp({f}, x, y))")
                size = n
            case "jvp":
                layers.append(f"{g} = lambda x, y: torch.func.jvp({f}, (x, y), (x.cos(), y * 0.5))[1]")
            case "linearize":
                layers.append(f"{g} = lambda x, y: torch.func.linearize({f}, x, y)[1](x.sin(), y)")
            case "jacrev" | "jacfwd":
                layers.append(f"{g} = torch.func.{kind}({f}, argnums={at})")
                size *= n
            case "hessian":
                layers.append(f"{g} = torch.func.hessian(lambda x, y: ({f}(x, y) ** 2).sum(), argnums={at})")
                size = n * n
            case "vmap":
                b = rng.choice([1, 2, 3])
                which = rng.choice([(True, True), (True, False), (False, True)])
                dims: list[int | None] = []
                new: list[list[int]] = []
                for mapped, shape in zip(which, shapes):
                    dim = rng.randint(0, len(shape)) if mapped else None
                    dims.append(dim)
                    new.append(shape if dim is None else [*shape[:dim], b, *shape[dim:]])
                shapes = new
                out = rng.choice(["", "", ", out_dims=-1"])
                chunk = rng.choice(["", "", "", ", chunk_size=1"])
                if out:  # of what is no batch PyTorch makes something of any size
                    f = f"lambda x, y: {f}(x, y) + 0 * (x.sum() + y.sum())"
                layers.append(f"{g} = torch.func.vmap({f}, in_dims=({dims[0]}, {dims[1]}){out}{chunk})")
                size *= b
    return layers, shapes
