"""Programs of statements: expressions, writes, hooks, checkpoints, and derivatives at the end."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

from .mixtures import mixture
from .operators import elementwise, expression, of_two, product
from .program import Program, assigned
from .run import Session
from .scope import NothingFits, Scope, is_differentiable, is_floating, is_small, may_have_hooks
from .sequences import sequence
from .states import of_state
from .writes import change, in_function

DTYPES = """
float64 float64 float64 float64 float64 float64 float64 float64 float32 float32 complex128 complex128 int64 int64 bool
bool int32 complex64 float16 bfloat16 uint8 int16 int8
""".split()

PACKING = [
    "torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t)",
    "torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t)",
    "torch.autograd.graph.saved_tensors_hooks(lambda t: (t.detach().double().numpy().copy(), t.dtype), "
    "lambda p: torch.from_numpy(p[0]).to(p[1]))",
    "torch.autograd.graph.save_on_cpu()",
]


def make(rng: Random, torch: Any) -> tuple[Program, Session]:
    """A random program, and what came of it in the library that it was made with."""
    maker = _Maker(rng, torch)
    for _ in range(rng.choice([1, 2, 2, 3])):
        maker.add(_leaf(maker.scope))
    maker.program.inputs = len(maker.program.statements)
    for _ in range(rng.randint(3, 14)):
        maker.step()
    maker.finish()
    return maker.program, maker.session


def _leaf(s: Scope) -> str:
    dtype = s.rng.choice(DTYPES)
    wants = ", requires_grad=True" if s.rng.random() < 0.75 and ("float" in dtype or "complex" in dtype) else ""
    return f"t{len(s.tensors)} = {s.literal(s.shape(), dtype, wants)}"


class _Maker:
    def __init__(self, rng: Random, torch: Any) -> None:
        self.rng = rng
        self.program = Program()
        self.session = Session(torch, self.program)
        self.scope = Scope(rng, torch)
        self.count = 0

    def add(self, statement: str) -> None:
        self.program.statements.append(statement)
        self.session.step(statement)
        first, new = assigned(statement), self.new()
        if first or new in self.session.names:
            self.count += 1
        for name in [n for n in dict.fromkeys((first, new)) if n in self.session.names and n]:
            value = self.session.names[name]
            if isinstance(value, self.scope.torch.Tensor) and is_small(value):
                self.scope.tensors[name] = value

    def new(self) -> str:
        return f"t{self.count}"

    def step(self) -> None:
        with suppress(NothingFits):
            self.add(self.statement())

    def statement(self) -> str:
        s, rng = self.scope, self.rng
        if rng.random() < 0.2:
            return of_state(s, self.new(), self.count)
        if rng.random() < 0.05:
            return sequence(s, self.new())
        kind = rng.random()
        if kind < 0.56:
            return f"{self.new()} = {expression(s)}"
        if kind < 0.60:
            return mixture(s, self.new())
        if kind < 0.80:
            return change(s)
        if kind < 0.83:
            return f"with torch.no_grad():\n    {change(s)}"
        if kind < 0.84:
            mode = rng.choice("no_grad() no_grad() inference_mode() enable_grad() set_grad_enabled(False)".split())
            return f"with torch.{mode}:\n    {self.new()} = {expression(s)}"
        if kind < 0.89:
            return self.hook()
        if kind < 0.94:
            return self.checkpointed()
        if kind < 0.97:
            text = rng.choice([elementwise, of_two, product])(s)
            return f"with {rng.choice(PACKING)}:\n    {self.new()} = {text}"
        if kind < 0.98:
            return in_function(s)
        if kind < 0.99:
            return f"{s.real()}.requires_grad_({rng.choice(['', 'False'])})"
        return self.derivative()

    def hook(self) -> str:
        x, n = self.scope.tensor(is_differentiable, may_have_hooks), self.count
        node = f"{x}.grad_fn"
        return f"{x}.grad_fn; " + self.rng.choice([
            f"{x}.register_hook(lambda g: log.append(({n}, g)))", f"{x}.register_hook(lambda g: g * 2)",
            f"{x}.retain_grad()",
            f"{x}.register_post_accumulate_grad_hook(lambda t: log.append(({n}, t.grad.clone())))",
            f"{node}.register_hook(lambda gi, go: log.append(({n}, gi, go)))",
            f"{node}.register_prehook(lambda go: log.append(({n}, go)))",
            f"{node}.register_prehook(lambda go: tuple(None if g is None else g * 0.5 for g in go))",
            f"{node}.register_hook(lambda gi, go: tuple(None if g is None else g * 3 for g in gi))",
        ])  # fmt: skip

    def checkpointed(self) -> str:
        """A function of one or two tensors, run again in the backward pass."""
        s = self.scope
        x, y = s.real(is_small), s.real(is_small)
        inner = Scope(self.rng, s.torch, strays=0)
        inner.tensors = {"p": s.tensors[x], "q": s.tensors[y]}
        first = elementwise(inner)
        body = self.rng.choice([elementwise, of_two, product])(inner)
        kind = self.rng.choice(["use_reentrant=False", "use_reentrant=True", "use_reentrant=False"])
        combined = f"({body}) * ({first})" if self.rng.random() < 0.4 else body
        return f"{self.new()} = checkpoint(lambda p, q: {combined}, {x}, {y}, {kind})"

    # ---- derivatives

    def finish(self) -> None:
        for _ in range(self.rng.choice([1, 1, 2, 2, 3])):
            try:
                self.add(self.derivative())
            except NothingFits:
                return

    def derivative(self) -> str:
        s, rng = self.scope, self.rng
        y = s.tensor(lambda t: t.requires_grad and is_differentiable(t) and t.numel() > 0)
        keep = rng.choice(["", "retain_graph=True", "create_graph=True", "create_graph=True"])
        if rng.random() < 0.35:
            return f"{self.loss(y)}.backward({keep})"
        if rng.random() < 0.05:
            some = s.tensor(lambda t: t.requires_grad)
            return f"{self.loss(y)}.backward(inputs=[{some}]{keep and ', ' + keep})"
        if rng.random() < 0.1:
            return f"{y}.backward(torch.ones_like({y}){keep and ', ' + keep})"
        leaves = [n for n, t in s.tensors.items() if t.requires_grad]
        wanted = rng.sample(leaves, min(len(leaves), rng.choice([1, 1, 2])))
        options = ", ".join(
            ["allow_unused=True", *([keep] if keep else []), *(["materialize_grads=True"] * (rng.random() < 0.1))]
        )
        if rng.random() < 0.08:
            several = f"torch.stack([torch.ones_like({y}), {y}.detach()]), is_grads_batched=True"
            return f"{self.new()} = torch.autograd.grad({y}, [{', '.join(wanted)}], {several}, {options})[0]"
        gradient = f"torch.autograd.grad({self.loss(y)}, [{', '.join(wanted)}], {options})"
        return f"{self.new()} = {gradient}{rng.choice(['', '[0]', '[0]', '[0]'])}"

    def loss(self, y: str) -> str:
        t = self.scope.tensors[y]
        if self.rng.random() < 0.02:
            return y
        if is_floating(t):
            return self.rng.choice([f"{y}.sum()", f"({y} * {y}).sum()", f"{y}.sin().sum()"])
        return f"{y}.abs().sum()" if self.rng.random() < 0.5 else f"torch.view_as_real({y}).sum()"
