"""Programs that call operators with arguments in random forms, see ``signatures.py``, and differentiate what comes out.

Arguments are given by position or by name or not at all, as None, as Python numbers that may be infinite or huge, and
now and then they do not fit: then errors are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

from .layouts import laid_out, leaf
from .program import Program
from .run import Session
from .scope import NothingFits, Scope, broadcasts, has_equals, is_differentiable, is_number, is_small
from .signatures import OF_SEVERAL, TABLES
from .writes import is_apart

NUMBERS = """
2 0.5 -1.5 0 1 -1 3 0.0 True False -0.0 2.0 1e-3 float('inf') float('-inf') float('nan') 1e10 2**40 300 -129 1j (1+2j)
""".split()

CHOICES = {
    "rounding": ["None", "'floor'", "'trunc'", "'ceil'"],
    "side": ["'left'", "'right'"],
    "interpolation": ["'linear'", "'lower'", "'higher'", "'midpoint'", "'nearest'"],
    "indexing": ["'ij'", "'xy'"],
    "reduction": ["'mean'", "'sum'", "'none'"],
    "kl_reduction": ["'mean'", "'sum'", "'none'", "'batchmean'"],
    "reduce": ["'sum'", "'prod'", "'mean'", "'amax'", "'amin'"],
    "index_reduce": ["'prod'", "'mean'", "'amax'", "'amin'"],
    "old_reduce": ["'add'", "'multiply'"],
    "memory": ["torch.contiguous_format", "torch.preserve_format", "torch.channels_last"],
    "order": ["2", "1", "3", "0", "float('inf')", "float('-inf')", "0.5", "2.0", "None", "'fro'"],
    "matrix_order": ["'fro'", "'nuc'", "1", "-1", "float('inf')", "2", "-2"],
    "gelu": ["'none'", "'tanh'"],
    "upsampling": ["'nearest'", "'linear'", "'bilinear'", "'bicubic'", "'nearest-exact'", "'area'"],
    "pad_mode": ["'constant'", "'reflect'", "'replicate'", "'circular'"],
    "fft_norm": ["None", "'ortho'", "'forward'", "'backward'"],
    "qr_mode": ["'reduced'", "'complete'", "'r'"],
    "uplo": ["'L'", "'U'"],
    "bag_mode": ["'sum'", "'mean'", "'max'"],
    "bool": ["True", "False"],
    "true": ["True"],
    "false": ["False"],
    "training": ["True", "False"],
    "nothing": ["None"],
    "zero": ["0", "0", "0.0"],
    "one": ["1"],
    "zero_or_one": ["0", "1"],
    "padding": ["0", "1", "'same'", "'valid'", "2"],
    "count": ["1", "2", "2", "3", "0", "-1", "2.0"],
    "edge": ["1", "2"],
    "place": ["0", "1", "-1", "2", "-2", "5"],
    "number": NUMBERS,
    "factor": ["2", "0.5", "-1.5", "0", "1", "True", "2.0", "1j"],
    "positive": ["0.5", "2", "1", "1.5"],
    "small": ["1e-3", "0.1", "0.0", "1e-8"],
    "portion": ["0.3", "0.5", "torch.tensor([0.1, 0.8], dtype=torch.float64)", "0", "1.0", "0.25"],
    "portion_number": ["0.1", "0.0", "0.5"],
    "classes": ["-1", "5", "10"],
    "dtype": "float64 float32 int64 bool complex128 float16 bfloat16 int32 uint8".split(),
    "one_number": ["torch.tensor([0.25], dtype=torch.float64)"],
    "sorted": ["torch.tensor([-1.0, 0.0, 0.5, 2.0])", "torch.tensor([1, 2, 4])"],
}


UNLESS_EQUAL = "kthvalue topk mode sort argsort msort median nanmedian quantile nanquantile".split()
"""Which of equal elements they take is not promised."""


def nested(s: Scope, shape: list[int], highest: int) -> Any:
    return [nested(s, shape[1:], highest) for _ in range(shape[0])] if shape else s.rng.randint(0, max(highest, 0))


class Call:
    """One call of an operator on a tensor that is there."""

    def __init__(self, s: Scope, x: str) -> None:
        self.s, self.x, self.rng = s, x, s.rng
        self.t = s.tensors[x]
        self.dim = s.dim(x)
        self.size = s.size(x, self.dim)
        self.shape = list(self.t.shape)

    def like(self, shape: list[int]) -> str:
        """A tensor of a shape: one that is there, or a new one, mostly of the same dtype."""
        fitting = [n for n, o in self.s.tensors.items() if list(o.shape) == shape]
        same = [n for n in fitting if self.s.tensors[n].dtype == self.t.dtype]
        if same and self.rng.random() < 0.6:
            return self.rng.choice(same)
        if fitting and self.rng.random() < 0.2:
            return self.rng.choice(fitting)
        dtype = str(self.t.dtype).partition(".")[2]
        return self.s.literal(shape, dtype if self.rng.random() < 0.93 else "float64")

    def integers(self, shape: list[int], highest: int) -> str:
        return f"torch.tensor({nested(self.s, shape, highest)}, dtype=torch.int64)"

    def partner(self) -> str:
        choice = self.rng.random()
        if choice < 0.45:
            return self.s.tensor(is_small, lambda o: broadcasts(self.t.shape, o.shape))
        return self.like(self.s.some_of(self.t.shape))

    def of(self, kind: str) -> str:
        """A random argument of a kind."""
        if kind in CHOICES:
            return "torch." * (kind == "dtype") + self.rng.choice(CHOICES[kind])
        rng, t, shape, n = self.rng, self.t, self.shape, len(self.shape)
        match kind:
            case "any":
                return self.partner() if rng.random() < 0.65 else rng.choice(NUMBERS)
            case "partner":
                return self.partner()
            case "like":
                return self.like(shape)
            case "same":
                return self.x if rng.random() < 0.5 else self.like(shape)
            case "mask":
                return self.s.literal(self.s.some_of(shape), "bool")
            case "dim":
                return str(self.dim)
            case "new_dim":
                return str(rng.randint(-n - 1, n))
            case "dims":
                some = self.s.dims(self.x)
                return rng.choice([str(self.dim), str(tuple(some)), str(some), "None", "()"])
            case "some_dims":
                some = self.s.dims(self.x) or [0]
                return rng.choice([str(self.dim), str(tuple(some)), str(some)])
            case "two":
                return str(tuple(rng.sample(range(-n, n), 2))) if n > 1 else "(0, 0)"
            case "size" | "shape":
                return rng.choice([str(shape), str(tuple(shape)), f"{self.x}.shape", "-1", "(-1,)", f"(1, {t.numel()})",
                                   f"{t.numel()}", "(2, -1)"])  # fmt: skip
            case "wider":
                wide = [rng.choice([2, 3]) if k == 1 else rng.choice([k, k, -1]) for k in shape]
                return str(rng.choice([wide, [2, *wide], tuple(wide)]))
            case "order_of_dims":
                return str(rng.choice([tuple, list])(rng.sample(range(n), n)))
            case "minus":
                return rng.choice(["(-1, 1)", "[1, -1]", f"({self.size},)", "(2, -1)"])
            case "start":
                return str(rng.randint(-self.size, max(self.size - 1, 0)))
            case "length":
                return str(rng.randint(0, max(self.size, 1)))
            case "sections":
                k = rng.randint(0, self.size)
                return rng.choice([f"[{k}, {self.size - k}]", f"({k}, {self.size - k})", str(max(k, 1))])
            case "places":
                return self.integers([rng.choice([1, 2, 3])], self.size - 1)
            case "all_places":
                return f"torch.tensor({rng.sample(range(self.size), self.size)}, dtype=torch.int64)"
            case "picks":
                picked = shape if rng.random() < 0.7 else [max(k - rng.choice([0, 0, 1]), 0) for k in shape]
                return self.integers(picked, self.size - 1)
            case "zeros":
                return f"torch.arange({t.numel()}).reshape({shape})"
            case "tuple_of_places":
                return f"({self.integers([2], (shape[0] if n else 1) - 1)},)"
            case "number_tensor":
                return self.like([])
            case "repeats":
                return str(tuple(rng.choice([1, 2, 0, 2]) for _ in range(n + rng.choice([0, 0, 1]))))
            case "pads":
                return str([rng.choice([0, 1, 1, 2, -1]) for _ in range(2 * rng.randint(1, max(n, 1)))])
            case "fits":
                return rng.choice(["(1,)", "(2,)", "()", "(1, 1)"])
            case "transposed":
                return f"{self.like(shape)}.mT" if n > 1 else self.like(shape)
            case "square_of":
                return f"({self.x} @ {self.x}.mT)" if n > 1 else self.like(shape)
            case "row":
                return self.like(shape[-1:])
            case "column":
                return self.like(shape[:1])
            case "flat":
                return self.like([rng.choice([1, 2, 3])])
            case "tail":
                return str(rng.choice([tuple, list])(shape[-rng.randint(1, max(n, 1)) :]))
            case "like_tail":
                return self.like(shape[-1:])
            case "labels":
                return self.integers([*shape[:1], *shape[2:]], (shape[1] if n > 1 else 1) - 1)
            case "classes_like":
                return self.integers(shape, (shape[-1] if n else 1) - 1)
            case "class_weights":
                return self.like(shape[1:2])
            case "signs":
                return f"{self.like(shape)}.detach().sign()"
            case "selected":
                return f"{self.x}.select(0, 0)" if n and shape[0] else self.like(shape)
            case "diagonal":
                return f"{self.x}.diagonal()" if n > 1 else self.like(shape)
            case "kernel":
                return self.like([2, *shape[1:2], *[rng.choice([1, 2]) for _ in shape[2:]]])
            case "table":
                return self.s.literal([5, 2], "float64")
        raise ValueError(kind)

    def text(self, signature: str) -> tuple[str, str]:
        """The call, and in which form it is: ``t``, ``m``, ``i`` or ``o``."""
        name, forms, *parameters = signature.split(" ")
        usual = [f for f in forms if f in "tm"] or forms
        form = self.rng.choice(forms if self.rng.random() < 0.5 else usual)
        given = self.given(parameters)
        module, _, last = name.rpartition(".")
        if form == "m":
            return f"{self.x}.{last}({', '.join(given)})", form
        if form == "i":
            return f"{self.x}.{last}_({', '.join(given)})", form
        first = self.x
        if last in OF_SEVERAL:
            others = [self.x, self.partner() if self.rng.random() < 0.4 else self.like(self.shape)]
            if self.rng.random() < 0.2:
                others.append(self.x)
            listed = last not in ("block_diag", "broadcast_tensors", "cartesian_prod")
            first = f"[{', '.join(others)}]" if listed else ", ".join(others)
        if last == "einsum":
            first = f"'...i,...i->{self.rng.choice(['...', '...i', 'i...', ''])}', {self.x}, {self.like(self.shape)}"
        if last == "multi_dot":
            first = f"[{self.x}, {self.like(self.shape)}.mT, {self.x}]"
        if "polygamma" in last:
            first = f"{self.rng.choice([0, 1, 2])}, {self.x}"
        if last == "where":
            return f"torch.where({', '.join(given)})", form
        if form == "o":
            given.append(f"out={self.into()}")
        prefix = {"F": "F."}.get(module, f"torch.{module}." if module else "torch.")
        return f"{prefix}{last}({', '.join([first, *given])})", form

    def into(self) -> str:
        """What is written to: not another view of the same memory, see ``writes.is_apart``."""
        dtype = str(self.t.dtype).partition(".")[2]
        apart = [n for n, o in self.s.tensors.items() if all(o is p or is_apart(o, p) for p in self.s.tensors.values())]
        new = self.s.literal(self.s.rng.choice([self.shape, self.shape, self.shape[1:]]), dtype)
        if apart and self.rng.random() < 0.2:
            return self.rng.choice([n for n in apart if n != self.x] or [new])
        return self.rng.choice([new, f"{self.x}.new_empty(0)"])

    def given(self, parameters: list[str]) -> list[str]:
        """Arguments: by position as long as none was left out."""
        texts: list[str] = []
        by_name = self.rng.random() < 0.3
        for parameter in parameters:
            name, _, kind = parameter.partition(":")
            required, keyword_only = "!" in kind, "*" in kind
            by_name = (by_name or keyword_only) and "^" not in kind
            kind = kind.rstrip("!*^")
            if not required and self.rng.random() < 0.5:
                by_name = True
                continue
            stray = self.rng.random() < 0.01
            value = self.rng.choice(["None", "1.5", "'a'", "7", "(0, 0)", "[]"]) if stray else self.of(kind)
            texts.append(f"{name}={value}" if by_name else value)
        return texts


class Maker:
    """A program that grows by one statement at a time."""

    def __init__(self, rng: Random, torch: Any) -> None:
        self.rng = rng
        self.program = Program()
        self.session = Session(torch, self.program)
        self.scope = Scope(rng, torch)
        self.count = 0

    def add(self, statement: str, name: str | None = None) -> Any:
        self.program.statements.append(statement)
        self.session.step(statement)
        if name is None:
            return None
        self.count += 1
        value = self.session.names.get(name)
        if isinstance(value, self.scope.torch.Tensor) and is_small(value):
            self.scope.tensors[name] = value
        return value

    def new(self) -> str:
        return f"t{self.count}"

    def inputs(self, many: int) -> None:
        for _ in range(many):
            name = self.new()
            same = self.scope.tensors and self.rng.random() < 0.5
            first = self.rng.choice(list(self.scope.tensors.values())) if same else None
            if first is None:
                self.add(leaf(self.scope, name), name)
            else:
                dtype = str(first.dtype).partition(".")[2] if self.rng.random() < 0.8 else None
                self.add(leaf(self.scope, name, list(first.shape), dtype), name)
        self.program.inputs = len(self.program.statements)

    def attempt(self, make: Callable[[], None]) -> None:
        with suppress(NothingFits):
            make()

    def derivatives(self) -> None:
        """First and second derivatives of something that has some."""
        s = self.scope
        y = s.tensor(lambda t: t.requires_grad and is_differentiable(t) and t.numel() > 0 and not t.is_leaf)
        wanted = [n for n, t in s.tensors.items() if t.is_leaf and t.requires_grad]
        if not wanted:
            raise NothingFits
        g = self.new()
        loss = f"({y} * {y}.detach().cos() + {y}).sum()"
        if s.tensors[y].dtype.is_complex:
            loss = f"torch.view_as_real({y}.resolve_conj()).pow(2).sum()"
        elif self.rng.random() < 0.3:
            loss = f"{y}.sum().square()"
        self.add(f"{g} = torch.autograd.grad({loss}, [{', '.join(wanted)}], create_graph=True, allow_unused=True)", g)
        again = f"sum((g * g.conj()).real.sum() for g in {g} if g is not None and g.requires_grad)"
        if g in self.session.names and any(v is not None and v.requires_grad for v in self.session.names[g]):
            h = self.new()
            self.add(f"{h} = torch.autograd.grad({again}, [{', '.join(wanted)}], allow_unused=True)", h)


def make(rng: Random, torch: Any) -> tuple[Program, Session]:
    maker = Maker(rng, torch)
    maker.inputs(rng.choice([1, 2, 2, 3]))
    for _ in range(rng.randint(2, 6)):
        maker.attempt(lambda: one_more(maker))
    maker.attempt(maker.derivatives)
    return maker.program, maker.session


def one_more(maker: Maker) -> None:
    s, name = maker.scope, maker.new()
    x = s.tensor(is_small)
    if maker.rng.random() < 0.3:
        maker.add(f"{name} = {laid_out(s, x)}", name)
        return
    call = Call(s, x)
    signature = maker.rng.choice(TABLES[maker.rng.choice(list(TABLES))])
    if signature.split(" ")[0] in UNLESS_EQUAL and has_equals(s.tensors[x]):
        return
    text, form = call.text(signature)
    if "_(" in text and form in "im":
        maker.add(text)
        return
    unrecorded = form == "o" and maker.rng.random() < 0.8  # what is recorded may not be written to ``out=``
    value = maker.add(f"{'with torch.no_grad():' + chr(10) + '    ' if unrecorded else ''}{name} = {text}", name)
    if isinstance(value, (tuple, list)) and value:
        tensors = [i for i, v in enumerate(value) if isinstance(v, s.torch.Tensor) and is_number(v)]
        if tensors:
            part = maker.new()
            maker.add(f"{part} = {name}[{maker.rng.choice(tensors)}]", part)
