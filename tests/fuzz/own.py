"""Programs that define an ``autograd.Function`` of random style and use it in reverse mode, forward mode, transforms,
checkpoints and under hooks of saved tensors.

A Function has a formula with its derivatives; saves inputs, the output or both, of one or two tensors; in the older or
the newer style; with a ``vmap`` of its own, one that is generated, or none; with ``jvp`` or not.
"""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any, NamedTuple

from .arguments import Maker
from .options import finished, shapes, tensors
from .program import Program
from .run import Session
from .scope import NothingFits


class Formula(NamedTuple):
    value: str
    by_x: str
    """The factor of a cotangent; ``out`` is the value."""
    by_y: str = ""
    linear: bool = True
    """Whether it is elementwise, so that ``vmap`` may call it on a batch in front."""


OF_ONE = [
    Formula("x.sin()", "x.cos()"), Formula("x.exp()", "out"), Formula("x * x", "2 * x"),
    Formula("x.tanh()", "(1 - out * out)"), Formula("x.sigmoid()", "out * (1 - out)"), Formula("x * 3", "3"),
    Formula("x ** 3 + x", "(3 * x * x + 1)"), Formula("x.clamp(min=0)", "(x > 0)"),
    Formula("x.clone()", "1"), Formula("x.cos() * scale", "(-scale * x.sin())"),
]  # fmt: skip

OF_TWO = [
    Formula("x * y", "y", "x"), Formula("x + y * 2", "1", "2"), Formula("x.sin() * y", "x.cos() * y", "x.sin()"),
    Formula("x * y.exp()", "y.exp()", "out"), Formula("torch.where(x > 0, x, y)", "(x > 0)", "(x <= 0)"),
]  # fmt: skip


class Style(NamedTuple):
    name: str
    formula: Formula
    two: bool
    newer: bool
    batches: str
    has_jvp: bool
    materializes: bool
    extra: str
    """Another output: nothing, what has no derivative, or what is no tensor."""
    once: bool


def style(rng: Random, name: str) -> Style:
    two = rng.random() < 0.4
    newer = rng.random() < 0.7
    return Style(
        name, rng.choice(OF_TWO if two else OF_ONE), two, newer,
        rng.choice(["", "generated", "generated", "own", "own"]) if newer else "", newer and rng.random() < 0.7,
        rng.random() < 0.8, rng.choice(["", "", "", "constant", "second"]), rng.random() < 0.06,
    )  # fmt: skip


def source(s: Style) -> str:
    tensors_in = "x, y" if s.two else "x"
    extra = {"": "", "constant": ", (x > 0)", "second": ", x * 0.5"}[s.extra]
    saved = f"{tensors_in}, out"
    values = f"out = {s.formula.value}"
    lines = [f"class {s.name}(torch.autograd.Function):"]
    if s.batches == "generated":
        lines.append("    generate_vmap_rule = True")
    result = f"return out{extra}"
    if s.extra == "constant":
        result = "sign = (x > 0)\n        return out, sign"
    more = []
    if not s.materializes:
        more.append("ctx.set_materialize_grads(False)")
    more.append("ctx.scale = scale")
    if s.newer:
        lines += ["    @staticmethod", f"    def forward({tensors_in}, scale):"]
        lines += [f"        {values}", f"        {result}"]
        lines += ["    @staticmethod", "    def setup_context(ctx, inputs, output):",
                  f"        {tensors_in}, scale = inputs",
                  f"        out = output{'[0]' if s.extra else ''}"]  # fmt: skip
        if s.extra == "constant":
            more.append("ctx.mark_non_differentiable(output[1])")
        if s.has_jvp:
            more.append(f"ctx.save_for_forward({saved})")
        more.append(f"ctx.save_for_backward({saved})")
        lines += [f"        {line}" for line in more]
    else:
        lines += ["    @staticmethod", f"    def forward(ctx, {tensors_in}, scale):", f"        {values}"]
        lines += [f"        {line}" for line in more]
        lines.append(f"        ctx.save_for_backward({saved})")
        if s.extra == "constant":
            lines += ["        sign = (x > 0)", "        ctx.mark_non_differentiable(sign)", "        return out, sign"]
        else:
            lines.append(f"        {result}")
    lines.append("    @staticmethod")
    if s.once:
        lines.append("    @torch.autograd.function.once_differentiable")
    lines += [f"    def backward(ctx, g{', h' if s.extra else ''}):", f"        {saved} = ctx.saved_tensors",
              "        scale = ctx.scale"]  # fmt: skip
    if not s.materializes:
        lines.append("        g = torch.zeros_like(out) if g is None else g")
    second = ""
    if s.extra == "second":
        second = " + h * 0.5"
        if not s.materializes:
            lines.append("        h = torch.zeros_like(x) if h is None else h")
    gx = f"(g * {s.formula.by_x}).sum_to_size(x.shape){second}"
    if s.two:
        gy = f"(g * {s.formula.by_y}).sum_to_size(y.shape) if ctx.needs_input_grad[1] else None"
        lines.append(f"        return ({gx}) if ctx.needs_input_grad[0] else None, {gy}, None")
    else:
        lines.append(f"        return {gx}, None")
    if s.has_jvp:
        lines += ["    @staticmethod", f"    def jvp(ctx, tx{', ty' if s.two else ''}, _):",
                  f"        {saved} = ctx.saved_tensors", "        scale = ctx.scale"]  # fmt: skip
        tangents = f"tx * {s.formula.by_x}" + (f" + ty * {s.formula.by_y}" if s.two else "")
        more_tangents = {"": "", "constant": ", None", "second": ", tx * 0.5"}[s.extra]
        lines.append(f"        return {tangents}{more_tangents}")
    if s.batches == "own":
        lines += ["    @staticmethod", f"    def vmap(info, in_dims, {tensors_in}, scale):"]
        for n in tensors_in.split(", "):
            place = "xy".index(n)
            lines.append(f"        {n} = {n} if in_dims[{place}] is None else {n}.movedim(in_dims[{place}], 0)")
        if s.two:
            lines += ["        wide = max(x.dim() - (in_dims[0] is not None), y.dim() - (in_dims[1] is not None))"]
            for place, n in enumerate("xy"):
                lines += [f"        if in_dims[{place}] is not None:",
                          f"            {n} = {n}.reshape({n}.shape[0], *[1] * (wide + 1 - {n}.dim()), *{n}.shape[1:])"]
        outs = {"": "0", "constant": "(0, 0)", "second": "(0, 0)"}[s.extra]
        if s.extra and s.two:  # what depends on x alone may be no batch
            outs = "(0, 0 if in_dims[0] is not None else None)"
        lines.append(f"        return {s.name}.apply({tensors_in}, scale), {outs}")
    return "\n".join(lines)


def make(rng: Random, torch: Any) -> tuple[Program, Session]:
    maker = Maker(rng, torch)
    s = style(rng, "Own")
    maker.add(source(s))
    for _ in range(rng.choice([1, 2, 2, 3])):
        with suppress(NothingFits):
            rng.choice(USES)(maker, s)
    return maker.program, maker.session


def called(s: Style, x: str = "x", y: str = "y") -> str:
    """A call, which gives the first output."""
    return f"Own.apply({x}, {f'{y}, ' if s.two else ''}0.7){'[0]' if s.extra else ''}"


def given(maker: Maker, s: Style, *, leaves: bool) -> dict[str, str]:
    some = shapes(maker.rng, 2)
    return tensors(maker, dict(zip("xy", some if s.two else some[:1])), leaves=leaves)


def in_passes(maker: Maker, s: Style) -> None:
    """Reverse mode: perhaps checkpointed, under hooks, with outputs that are changed; first and second derivatives."""
    rng, n = maker.rng, given(maker, s, leaves=True)
    wanted = [v for v in n.values() if maker.session.names[v].requires_grad]
    if not wanted:
        raise NothingFits
    x, y = n["x"], n.get("y", "")
    new = f"r{maker.count}"
    call = called(s, rng.choice([x, f"{x} * 1", f"{x}.sin()"]), y)
    kind = rng.random()
    if kind < 0.2:
        reentrant = rng.choice(["True", "False"])
        names = f"p{', q' if s.two else ''}"
        inner = f"lambda {names}: {called(s, 'p', 'q')}.exp()"
        maker.add(f"{new} = checkpoint({inner}, {', '.join(n.values())}, use_reentrant={reentrant})", new)
    elif kind < 0.4:
        hooks = rng.choice([
            "lambda t: t.clone(), lambda t: t", "lambda t: t.detach().numpy().copy(), lambda a: torch.from_numpy(a)",
            "lambda t: (log.append(t.detach().clone()), t)[1], lambda t: t * 1", "lambda t: t * 2, lambda t: t / 2",
        ])  # fmt: skip
        maker.add(f"with torch.autograd.graph.saved_tensors_hooks({hooks}):\n    {new} = {call}", new)
    else:
        maker.add(f"{new} = {call}", new)
    if rng.random() < 0.3:
        maker.add(rng.choice([
            f"{new}.mul_(2)", f"{new}[..., :1].add_(1)", f"{new}.register_hook(lambda g: g * 2)",
            f"{new}.grad_fn.register_hook(lambda gi, go: log.append((gi, go)))", f"{new}.retain_grad()",
            f"{x}.detach().mul_(1.5)", f"{new} = {new}.view(-1).sin()",
        ]))  # fmt: skip
    if rng.random() < 0.25:
        maker.add(f"{new}.sum().backward({rng.choice(['', 'create_graph=True', 'retain_graph=True'])})")
        return
    first = f"torch.autograd.grad(({new} * {new}).sum(), [{', '.join(wanted)}], create_graph=True)"
    maker.add(f"{new}_g = {first}", maker.new())
    again = f"sum(g.sin().sum() for g in {new}_g if g.requires_grad)"
    maker.add(f"{new}_h = torch.autograd.grad({again}, [{', '.join(wanted)}], allow_unused=True)", maker.new())


TRANSFORMS = """
torch.func.grad(F0,argnums=A)(G) torch.func.jacrev(F1,argnums=A)(G) torch.func.vjp(F1,G)[1](torch.func.vjp(F1,G)[0])
torch.func.grad(lambda_*a:torch.func.grad(F0,argnums=A)(*a).sin().sum(),argnums=A)(G)
torch.func.jacrev(torch.func.grad(F0,argnums=A),argnums=A)(G) torch.func.grad_and_value(F0,argnums=A)(G)
""".split()

FORWARD = """
torch.func.jvp(F1,(G,),(D,))
torch.func.jvp(lambda_*a:F1(*a).sin(),(G,),(D,))
""".split()

MAPPED = """
torch.func.vmap(F1)(B) torch.func.vmap(torch.func.grad(F0,argnums=A))(B) torch.func.vmap(F1,in_dims=I)(M)
torch.func.vmap(torch.func.jacrev(F1,argnums=A))(B) torch.func.jacrev(torch.func.vmap(F1),argnums=A)(B)
torch.func.jacfwd(F1,argnums=A)(G) torch.func.vmap(torch.func.vmap(F1))(BB)
torch.func.vmap(F1,in_dims=I,chunk_size=1)(M)
torch.func.grad(lambda_*a:torch.func.vmap(F1)(*a).sin().sum(),argnums=A)(B) torch.func.vmap(F1,out_dims=-1)(B)
""".split()


def in_transforms(maker: Maker, s: Style) -> None:
    rng = maker.rng
    n = given(maker, s, leaves=not s.once and rng.random() < 0.3)
    count = maker.count
    names = ", ".join(n)
    maker.add(f"def f{count}({names}):\n    return {called(s)}")
    maker.add(f"def s{count}({names}):\n    return f{count}({names}).cos().sum()")
    tables = [TRANSFORMS]
    if s.newer and (s.has_jvp or rng.random() < 0.1):
        tables.append(FORWARD)
    if s.batches or rng.random() < 0.1:
        mapped = MAPPED if s.has_jvp and s.batches else [f for f in MAPPED if "fwd" not in f]
        tables += [mapped, mapped]
    form = rng.choice(rng.choice(tables)).replace("lambda_", "lambda ")
    args = ", ".join(n.values())
    batch = rng.choice([2, 3])
    dims = [rng.choice([0, None, -1]) for _ in n]
    if all(d is None for d in dims):
        dims[0] = 0
    parts = {
        "F0": f"s{count}", "F1": f"f{count}", "A": str(rng.randrange(len(n))), "G": args,
        "D": ", ".join(f"{v}.detach().cos()" for v in n.values()),
        "B": ", ".join(f"torch.stack([{', '.join([f'{v} * {i + 1}' for i in range(batch)])}])" for v in n.values()),
        "BB": ", ".join(f"{v}.expand({batch}, 2, *{v}.shape) * 1" for v in n.values()),
        "M": ", ".join(
            v if d is None else f"torch.stack([{v}, {v}.sin()], {d})" for v, d in zip(n.values(), dims)
        ),
        "I": f"({', '.join(map(str, dims))},)",
    }  # fmt: skip
    for key in ("F0", "F1", "BB"):
        form = form.replace(key, parts[key]) if key != "BB" else form.replace("(BB)", f"({parts['BB']})")
    for key in "AGDBMI":
        for before, after in (("=", ")"), ("(", ")"), ("(", ","), ("=", ","), (",", ")"), (",(", ",")):
            form = form.replace(f"{before}{key}{after}", f"{before}{parts[key]}{after}")
    finished(maker, form, n)


def by_hand(maker: Maker, s: Style) -> None:
    """Duals, and batched gradients."""
    rng, n = maker.rng, given(maker, s, leaves=True)
    x, y = n["x"], n.get("y", "")
    count = maker.count
    wanted = [v for v in n.values() if maker.session.names[v].requires_grad]
    if rng.random() < 0.5 and s.has_jvp:
        dual = "torch.autograd.forward_ad"
        first = f"{dual}.make_dual({x}, {x}.detach().cos())"
        second = rng.choice([y, f"{dual}.make_dual({y}, torch.ones_like({y}))"]) if s.two else ""
        tangent = f"{dual}.unpack_dual({called(s, first, second)} * 1).tangent"
        zero = "".join(f" + 0 * {v}.sum()" for v in wanted)  # constant ones may require a gradient, or not
        maker.add(f"with {dual}.dual_level():\n    r{count}_t = {tangent}{zero}")
    elif wanted:
        r = f"r{count}"
        maker.add(f"{r} = {called(s, x, y)}", maker.new())
        if r in maker.session.names and hasattr(maker.session.names[r], "shape"):
            weights = f"torch.stack([torch.ones_like({r}), {r}.detach()])"
            options = "is_grads_batched=True, allow_unused=True"
            maker.add(f"{r}_g = torch.autograd.grad({r}, [{', '.join(wanted)}], {weights}, {options})", maker.new())


USES = [in_passes, in_passes, in_transforms, in_transforms, in_transforms, by_hand]
