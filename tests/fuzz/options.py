"""Programs that apply transforms with all their options to functions of trees of tensors.

``vmap`` with ``in_dims`` and ``out_dims`` that are trees, ``chunk_size`` and ``randomness``; derivatives of several
arguments at once, with ``has_aux``; ``torch.autograd.functional`` with ``strict``, ``create_graph`` and ``vectorize``;
batched gradients; duals that are written to, through views too; and what comes out is differentiated again.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

from .arguments import Maker
from .operators import expression
from .program import Program
from .run import Session, names_of
from .scope import NothingFits, Scope
from .transforms import with_own_tangent, written_apart
from .writes import change

WRONG = """
layer_norm rms_norm logcumsumexp householder norm( std kthvalue mode( median svd einsum('ii nextafter argwhere
masked_select unique nonzero histc gumbel rrelu scatter_reduce index_reduce F.dropout(x,0.5 sort max_pool cdist pdist
msort Y>0
""".split()
"""What PyTorch gets wrong in some nesting, see ``transforms.py``; what depends on the data; what has no second
derivatives."""


class Body:
    """Statements of a function of some tensors, and what they compute."""

    def __init__(self, rng: Random, torch: Any, given: dict[str, list[int]], most: int = 4) -> None:
        self.rng, self.torch = rng, torch
        s = self.scope = Scope(rng, torch, strays=0)
        s.eager = False
        for name, shape in given.items():
            s.tensors[name] = torch.tensor(s.values(shape, "float64"), dtype=torch.float64)
        self.given = list(given)
        self.names = {**names_of(torch), **s.tensors}
        self.lines: list[str] = []
        for i in range(rng.randint(1, most)):
            with suppress(Exception), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.grow(f"a{i}")

    def grow(self, new: str) -> None:
        s = self.scope
        inputs = {s.tensors[n].untyped_storage().data_ptr() for n in self.given}
        own = [n for n, t in s.tensors.items() if t.untyped_storage().data_ptr() not in inputs and 0 not in t.stride()]
        if own and self.rng.random() < 0.2:
            kept, s.tensors = s.tensors, {n: s.tensors[n] for n in own}
            try:
                line = written_apart(change(s))
            finally:
                s.tensors = kept
        else:
            line = f"{new} = {with_own_tangent(expression(s))}"
        if any(word in line for word in WRONG):
            return
        exec(line, self.names)
        value = self.names.get(new)
        if isinstance(value, self.torch.Tensor) and 0 < value.numel() <= 64:
            s.tensors[new] = value
            self.lines.append(line)
        elif new not in self.names:
            self.lines.append(line)

    def result(self, *tests: Callable[[Any], bool]) -> str:
        """The name of a result."""
        float64 = self.torch.float64
        names = [n for n, t in self.scope.tensors.items() if t.dtype == float64 and all(f(t) for f in tests)]
        if not names:
            raise NothingFits
        return self.rng.choice(names[-2:])

    def function(self, name: str, returned: str, parameters: str | None = None) -> str:
        lines = [*self.lines, f"return {returned}"]
        return f"def {name}({parameters or ', '.join(self.given)}):\n    " + "\n    ".join(lines)


    def of_tree(self, name: str, returned: str, tree: Tree) -> str:
        first, rest = self.function(name, returned, "tree").split("\n", 1)
        return f"{first}\n    {tree.opened('tree')}\n{rest}"


def small(t: Any) -> bool:
    return bool(t.numel() <= 9)


class Tree:
    """A tree of names, how it is taken apart, and with other things in the places of the names."""

    def __init__(self, rng: Random, names: list[str]) -> None:
        self.rng = rng
        self.names = names
        self.kind = rng.choice(["list", "tuple", "dict", "nested"])

    def text(self, of: Callable[[str], str]) -> str:
        parts = [of(n) for n in self.names]
        match self.kind:
            case "list":
                return f"[{', '.join(parts)}]"
            case "tuple":
                return f"({', '.join(parts)},)"
            case "dict":
                return "{" + ", ".join(f"'{n}': {p}" for n, p in zip(self.names, parts)) + "}"
        return f"[{parts[0]}, {{'q': ({', '.join(parts[1:])}{',' if len(parts) > 1 else ''})}}]"

    def opened(self, tree: str) -> str:
        """Statements that give the names their values."""
        match self.kind:
            case "list" | "tuple":
                return f"{', '.join(self.names)}, = {tree}"
            case "dict":
                return "; ".join(f"{n} = {tree}['{n}']" for n in self.names)
        first, *rest = self.names
        return "; ".join([f"{first} = {tree}[0]", *[f"{n} = {tree}[1]['q'][{i}]" for i, n in enumerate(rest)]])


def make(rng: Random, torch: Any) -> tuple[Program, Session]:
    maker = Maker(rng, torch)
    for _ in range(rng.choice([1, 1, 2])):
        for _ in range(4):
            with suppress(NothingFits):
                rng.choice(FORMS)(maker)
                break
    return maker.program, maker.session


def shapes(rng: Random, many: int) -> list[list[int]]:
    """Shapes that often broadcast."""
    first = [rng.choice([1, 2, 2, 3]) for _ in range(rng.choice([0, 1, 1, 2, 2, 3]))]
    others = [rng.choice([first, first, first[1:], [1] * len(first), [2], []]) for _ in range(many - 1)]
    return [first, *others]


def tensors(maker: Maker, given: dict[str, list[int]], *, leaves: bool = False) -> dict[str, str]:
    """Statements that make tensors of these shapes; the names of each."""
    made: dict[str, str] = {}
    for name, shape in given.items():
        new = maker.new()
        wants = ", requires_grad=True" if leaves and maker.rng.random() < 0.7 else ""
        maker.add(f"{new} = {maker.scope.literal(shape, 'float64', wants)}", new)
        made[name] = new
    if all(" = torch.tensor(" in statement for statement in maker.program.statements):
        maker.program.inputs = len(maker.program.statements)
    return made


def define(maker: Maker, source: str) -> None:
    maker.add(source)


def body(maker: Maker, many: int | None = None, most: int = 4) -> tuple[Body, dict[str, list[int]]]:
    many = many or maker.rng.choice([1, 2, 2, 3])
    given = dict(zip("xyz", shapes(maker.rng, many)))
    return Body(maker.rng, maker.scope.torch, given, most), given


def finished(maker: Maker, call: str, leaves: dict[str, str] | None = None, more: str = "") -> None:
    """The call, and the derivative of its result if it has one."""
    r = f"r{maker.count}"
    maker.add(f"{r} = {call}{more}", maker.new())
    value = maker.session.names.get(r)
    wanted = [n for n in (leaves or {}).values() if maker.session.names[n].requires_grad]
    flat = flattened(maker.scope.torch, value)
    if wanted and any(t.requires_grad for t in flat):
        leaves_of = f"torch.utils._pytree.tree_leaves({r})"
        total = f"sum(t.sin().sum() for t in {leaves_of} if isinstance(t, torch.Tensor) and t.requires_grad)"
        maker.add(f"{r}_g = torch.autograd.grad({total}, [{', '.join(wanted)}], allow_unused=True)", maker.new())


def flattened(torch: Any, value: Any) -> list[Any]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [t for v in value.values() for t in flattened(torch, v)]
    if isinstance(value, (tuple, list)):
        return [t for v in value for t in flattened(torch, v)]
    return []


# ---- vmap


def mapped(maker: Maker) -> None:
    """``vmap`` over trees, with trees of dimensions."""
    rng = maker.rng
    b, given = body(maker)
    names = list(given)
    size = rng.choice([1, 2, 3])
    dims: dict[str, int | None] = {}
    wide: dict[str, list[int]] = {}
    for n in names:
        mapped_over = n == names[0] or rng.random() < 0.6
        at = rng.randint(0, len(given[n])) if mapped_over else None
        dims[n] = at if at is None or rng.random() < 0.7 else at - len(given[n]) - 1
        wide[n] = given[n] if at is None else [*given[n][:at], size, *given[n][at:]]
    results = [b.result() for _ in range(rng.choice([1, 1, 2, 3]))]
    plus = " + 0 * (" + " + ".join(f"{n}.sum()" for n in names) + ")"
    given_to = tensors(maker, wide, leaves=rng.random() < 0.5)
    options = ["", "", ", chunk_size=1", ", chunk_size=2", ", randomness='different'", ", randomness='error'"]
    if len(results) > 1:
        tree = Tree(rng, [f"{r}{plus}" for r in results])
        if tree.kind in ("dict", "nested"):
            tree.kind = "tuple"
        outs = [rng.randint(-b.scope.tensors[r].dim() - 1, b.scope.tensors[r].dim()) for r in results]
        returned = tree.text(str)
        out = rng.choice([f", out_dims={tuple(outs)}", ""])
        if tree.kind == "list" and out:
            out = f", out_dims={outs}"
    else:
        returned = results[0] + plus
        n = b.scope.tensors[results[0]].dim()
        out = rng.choice(["", f", out_dims={rng.randint(-n - 1, n)}"])
    if rng.random() < 0.5:
        tree = Tree(rng, names)
        define(maker, b.of_tree(f"f{maker.count}", returned, tree))
        in_dims = f"({tree.text(lambda n: str(dims[n]))},)"
        call = f"({tree.text(lambda n: given_to[n])})"
    else:
        define(maker, b.function(f"f{maker.count}", returned))
        in_dims = f"({', '.join(str(dims[n]) for n in names)},)"
        call = ", ".join(given_to[n] for n in names)
    f = f"f{maker.count}"
    inner = rng.random()
    if inner < 0.12 and len(results) == 1:
        loss = f"(lambda *a: {f}(*a).sin().sum())"
        f, out = f"torch.func.grad({loss})", ""
    elif inner < 0.2 and len(results) == 1:
        f, out = f"torch.func.jac{rng.choice(['rev', 'fwd'])}({f})", ""
    finished(maker, f"torch.func.vmap({f}, in_dims={in_dims}{out}{rng.choice(options)})({call})", given_to)


# ---- derivatives of several arguments


def several(maker: Maker) -> None:
    """``grad``, ``jacrev`` and their kin with ``argnums`` and ``has_aux``."""
    rng = maker.rng
    b, given = body(maker, rng.choice([2, 2, 3]), 3)
    r, aux = b.result(small), b.result()
    f = f"f{maker.count + len(given)}"
    argnums = rng.choice(["0", "1", "(0, 1)", "(1, 0)", "(0,)", "-1", "(0, -1)"])
    has_aux = rng.random() < 0.4
    kind = rng.choice("grad grad_and_value jacrev jacfwd hessian vjp jvp".split())
    if rng.random() < 0.02:  # it takes PyTorch a tenth of a second
        kind = "linearize"
    if kind in ("jacfwd", "hessian") and "-1" in argnums:
        argnums = "(0, 1)"  # PyTorch's are zeros
    given_to = tensors(maker, given, leaves=kind != "linearize" and rng.random() < 0.4)
    loss = kind in ("grad", "grad_and_value")
    value = f"{r}.sin().sum()" if loss else r
    if kind in ("hessian", "linearize"):
        has_aux = False
    tree = Tree(rng, [aux, r]) if has_aux else None
    define(maker, b.function(f, f"({value}, {tree.text(str)})" if tree else value))
    options = f", argnums={argnums}" + (", has_aux=True" if has_aux else "")
    args = ", ".join(given_to.values())
    if kind in ("grad", "grad_and_value"):
        call = f"torch.func.{kind}({f}{options})({args})"
    elif kind == "jacrev":
        chunk = rng.choice(["", "", ", chunk_size=1", ", chunk_size=2"])
        call = f"torch.func.jacrev({f}{options}{chunk})({args})"
    elif kind == "jacfwd":
        call = f"torch.func.jacfwd({f}{options}{rng.choice(['', ', randomness=' + repr('same')])})({args})"
    elif kind == "hessian":
        call = f"torch.func.hessian(lambda *a: {f}(*a).sin().sum(){options})({args})"
    elif kind == "vjp":
        aux_too = ", has_aux=True" if has_aux else ""
        call = f"(lambda v: (v[0], v[1](v[0].cos()), v[2:]))(torch.func.vjp({f}, {args}{aux_too}))"
    elif kind == "jvp":
        aux_too = ", has_aux=True" if has_aux else ""
        call = f"torch.func.jvp({f}, ({args},), tuple(t.detach().cos() for t in ({args},)){aux_too})"
    else:
        call = f"(lambda v: (v[0], v[1](*[t.detach().cos() for t in ({args},)])))(torch.func.linearize({f}, {args}))"
        if any(" = " not in line for line in b.lines):
            raise NothingFits  # see Limits.writes in transforms.py
    finished(maker, call, given_to)


def of_tree(maker: Maker) -> None:
    """A derivative by a tree of tensors."""
    rng = maker.rng
    b, given = body(maker, rng.choice([2, 3]), 3)
    names = list(given)
    tree = Tree(rng, names)
    r = b.result(small)
    given_to = tensors(maker, given)
    f = f"f{maker.count}"
    value = f"{r}.sin().sum()"
    define(maker, b.of_tree(f, value, tree))
    call = tree.text(lambda n: given_to[n])
    form = rng.choice([
        "torch.func.grad(F)(T)", "torch.func.grad_and_value(F)(T)", "torch.func.jacrev(F)(T)",
        "torch.func.jacfwd(F)(T)",
        "torch.func.vjp(F, T)[1](torch.tensor(2.0, dtype=torch.float64))",
        "torch.func.jvp(F, (T,), (torch.utils._pytree.tree_map(torch.cos, T),))",
        "torch.func.grad(lambda t: sum(g.sin().sum() for g in leaves(torch.func.grad(F)(t))))(T)",
        "torch.func.jacrev(torch.func.grad(F))(T)", "torch.func.jacfwd(torch.func.grad(F))(T)",
        "torch.func.functionalize(F)(T)",
        "torch.func.jvp(torch.func.grad(F), (T,), (torch.utils._pytree.tree_map(torch.cos, T),))",
        "torch.func.grad_and_value(lambda t: (F(t), t), has_aux=True)(T)", "torch.func.vjp(lambda t: (F(t), t), T)[0]",
    ])  # fmt: skip
    form = form.replace("leaves(", "torch.utils._pytree.tree_leaves(")
    finished(maker, re.sub(r"\bF\b", f, re.sub(r"\bT\b", call, form)))


# ---- torch.autograd.functional


def functional(maker: Maker) -> None:
    rng = maker.rng
    b, given = body(maker, rng.choice([1, 2]), 3)
    r = b.result(small)
    given_to = tensors(maker, given, leaves=True)
    f = f"f{maker.count}"
    kind = rng.choice("jacobian hessian vjp jvp hvp vhp jacobian".split())
    needs_number = kind in ("hessian", "hvp", "vhp")
    second = None if needs_number or kind == "jvp" else rng.choice([None, None, b.result(small)])
    value = f"{r}.sin().sum()" if needs_number else (f"({r}, {second})" if second else r)
    define(maker, b.function(f, value))
    args = ", ".join(given_to.values())
    inputs = f"({args})" if len(given_to) > 1 else rng.choice([args, f"({args},)"])
    options = rng.choice(["", ", create_graph=True", ", strict=True", ", create_graph=True, strict=True"])
    directions = f"tuple(t.detach().cos() for t in ({args},))" if inputs != args else f"{args}.detach().cos()"
    if kind == "jacobian":
        options = rng.choice([options, ", vectorize=True", ", vectorize=True, create_graph=True",
                              ", vectorize=True, strategy='forward-mode'", ", strategy='forward-mode'"])  # fmt: skip
        call = f"torch.autograd.functional.jacobian({f}, {inputs}{options})"
    elif kind == "hessian":
        options = rng.choice([options, ", vectorize=True", ", vectorize=True, outer_jacobian_strategy='forward-mode'"])
        call = f"torch.autograd.functional.hessian({f}, {inputs}{options})"
    elif kind == "vjp":
        v = f"({r}_v, {second}_v)" if second else f"{r}_v"
        shapes_of = {n: list(b.scope.tensors[n].shape) for n in (r, second) if n}
        for n, shape in shapes_of.items():
            v = v.replace(f"{n}_v", maker.scope.literal(shape, "float64"), 1)
        call = f"torch.autograd.functional.vjp({f}, {inputs}, {v}{options})"
    else:
        call = f"torch.autograd.functional.{kind}({f}, {inputs}, {directions}{options})"
    finished(maker, call, given_to)


# ---- batched gradients


def batched(maker: Maker) -> None:
    rng = maker.rng
    b, given = body(maker, rng.choice([1, 2]), 3)
    r = b.result(small)
    given_to = tensors(maker, given, leaves=True)
    wanted = [n for n in given_to.values() if maker.session.names[n].requires_grad]
    if not wanted:
        raise NothingFits
    f = f"f{maker.count}"
    define(maker, b.function(f, r))
    shape = [rng.choice([1, 2, 3]), *b.scope.tensors[r].shape]
    weights = maker.scope.literal(shape, "float64")
    options = "is_grads_batched=True, allow_unused=True" + rng.choice(["", ", create_graph=True"])
    call = f"torch.autograd.grad({f}({', '.join(given_to.values())}), [{', '.join(wanted)}], {weights}, {options})"
    finished(maker, call, given_to)


# ---- duals


DUAL = "torch.autograd.forward_ad"


def duals(maker: Maker) -> None:
    """Forward mode by hand: duals, views of them, writes to them, and a gradient of the tangent."""
    rng, s = maker.rng, maker.scope
    b, given = body(maker, rng.choice([1, 2]), 5)
    r = b.result()
    given_to = tensors(maker, given, leaves=rng.random() < 0.5)
    lines = []
    for name, new in given_to.items():
        tangent = rng.choice([f"{new}.detach().cos()", f"torch.ones_like({new})", s.literal(given[name], "float64"),
                              f"{new}.detach()", f"{new}.detach().mT.contiguous().mT" if len(given[name]) > 1 else
                              f"{new}.detach() * 2"])  # fmt: skip
        if name == "x" or rng.random() < 0.5:
            lines.append(f"{name} = {DUAL}.make_dual({new}, {tangent})")
        else:
            lines.append(f"{name} = {new}")
    lines += b.lines
    own = [n for n, t in b.scope.tensors.items() if n not in given and t.dtype == s.torch.float64]
    for _ in range(rng.choice([0, 1, 2])):
        if not own:
            break
        n = rng.choice(own)
        lines.append(rng.choice([
            f"{n} = {n}.clone(); {n}.mul_(2)", f"{n} = {n}.clone(); {n}[..., :1] = 1.5", f"{n} = {n}.clone().zero_()",
            f"{n} = {n} * 1; {n}_v = {n}.view(-1); {n}_v.mul_({n}_v.detach().clone())",
            f"{n} = {n}.clone(); {n}.copy_(x.sum())",
            f"{n} = {n}.clone(); {n}.detach_()", f"{n} = torch.zeros_like({n}).copy_({n})",
            f"{n} = {n}.clone(); {n}_v = {n}[..., :1]; {n}_v += x.mean(); {n} = {n} * {n}_v.sum()",
            f"{n} = torch.zeros_like({n}); {n}[..., :1] = x.flatten()[:1].sum(); {n}.sin_()",
            f"{n} = {n} * ({DUAL}.unpack_dual({n}).tangent is None)",
        ]))  # fmt: skip
    count = maker.count
    lines.append(f"r{count}, r{count}_t = {DUAL}.unpack_dual({r} * 1)")
    wanted = [n for n in given_to.values() if maker.session.names[n].requires_grad]
    zero = "".join(f" + 0 * {n}.sum()" for n in wanted)  # whether constant tangents require a gradient is not promised
    lines.append(f"r{count}_t = (r{count} * 0 if r{count}_t is None else r{count}_t){zero}")
    lines.append(f"r{count} = r{count} * 1{zero}")
    maker.add(f"with {DUAL}.dual_level():\n    " + "\n    ".join(lines), maker.new())
    if wanted:
        options = "allow_unused=True, retain_graph=True"
        for part in (f"r{count}", f"r{count}_t"):
            maker.add(f"{part}_g = torch.autograd.grad({part}.sum(), [{', '.join(wanted)}], {options})", maker.new())


# ---- random numbers


def drawn(maker: Maker) -> None:
    """Random numbers inside ``vmap``, the same or other ones for each item."""
    rng = maker.rng
    shape = [rng.choice([2, 3]), *[rng.choice([1, 2, 3]) for _ in range(rng.choice([0, 1, 2]))]]
    x = tensors(maker, {"x": shape})["x"]
    draw = rng.choice([
        "torch.rand(2, dtype=torch.float64)", "torch.rand_like(p)", "torch.randint(0, 9, (3,))", "F.dropout(p, 0.5)",
        "torch.bernoulli(p.sigmoid())", "torch.randperm(4)", "torch.rand(())", "p.clone().uniform_()",
        "F.dropout(p.new_ones(4), 0.3)", "torch.randint_like(p, 5)", "p.new_zeros(2).bernoulli_(0.5)",
    ])  # fmt: skip
    how = rng.choice(["same", "different", "different", "error"])
    maker.add("torch.manual_seed(5)")
    extra = rng.choice(["", ", in_dims=-1", ", chunk_size=1", ", out_dims=-1"])
    finished(maker, f"torch.func.vmap(lambda p: {draw} + p.sum() * 0, randomness='{how}'{extra})({x})")
    maker.add("r_after = torch.rand(2)", maker.new())


FORMS = [
    *[mapped, several] * 3, *[of_tree, functional, duals] * 2, batched, drawn
]  # fmt: skip
