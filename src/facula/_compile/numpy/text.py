"""A plan as Python with NumPy: the same steps, each array operation a line, results into the arena.

Loops are sequences of ufuncs with ``out=``; large ones run in tiles that stay in the cache, by several threads
if there are.
"""

from __future__ import annotations

import keyword
import math
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..._core import quiet, threads
from ..._core.dtypes import cast as cast_array
from ...ops.arrays.special.approximations import normal_distribution
from ...ops.arrays.sums import add_up
from ...ops.pointwise.special import erf_op
from ..passes.graph import cleaned
from ..passes.in_place import in_place
from ..passes.memory import place
from ..passes.schedule import schedule
from ..passes.space import Space, space_of
from ..programs.frame import Compiled, allocation, comment, fail, fitted, made, new_arena, python_call, view
from ..programs.scalars import BOOL, SPELLINGS, Statement
from ..programs.steps import (
    Buffer,
    Check,
    Copy,
    Loop,
    Plan,
    Product,
    PythonCall,
    Reduction,
    Shape,
    Step,
    Value,
    dense,
    is_dense,
    memory_order,
)
from .normal import with_normal
from .numbers import Numbers

TILE = 1 << 16
"""Elements above which a loop runs in tiles of at most so many: calls of NumPy cost less than the cache gives."""
BLOCK = 512
"""Elements that may be added one after the other."""


def build(program: Any) -> Compiled:
    plan = schedule(cleaned(program), with_library=False)
    in_place(plan)
    writer = _Writer(plan)
    text = writer.text()
    return Compiled(made(text, writer.names, "numpy"), text, "numpy")


@dataclass(eq=False)
class _Writer:
    plan: Plan
    names: dict[str, Any] = field(default_factory=dict)
    variables: dict[Buffer, str] = field(default_factory=dict)
    views: dict[Any, tuple[str, Value]] = field(default_factory=dict)
    """Arrays of the arena: made once with it."""
    temporaries: dict[Any, list[Buffer]] = field(default_factory=dict)
    constants: dict[Any, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    numbers: Numbers = field(init=False)

    def text(self) -> str:
        self.names.update(
            {"empty": np.empty, "asarray": np.asarray, "view": view, "fail": fail, "copyto": np.copyto, "dot": np.dot,
             "matmul": np.matmul, "where": _where, "sigmoid": _sigmoid, "erf": _erf, "reduce": _reduce,
             "share": threads.share, "cast": _cast, "begin": quiet.begin, "end": quiet.end, "free": []}
        )  # fmt: skip
        plan = self.plan
        head: list[str] = []
        for i, value in enumerate(plan.inputs):
            self.variables[value.buffer] = self._named(value.buffer, f"a{i}")
            value.buffer.content = (value.shape, value.strides)
        if plan.inputs:
            head.append(f"({', '.join([self.variables[v.buffer] for v in plan.inputs])},) = arrays")
        head += self._layouts()
        for value in [v for v in plan.outputs if isinstance(v, Value)]:
            if value.buffer not in self.variables:
                self.variables[value.buffer] = self._named(value.buffer, f"o{value.buffer.index}")
                head.append(f"{self.variables[value.buffer]} = {allocation(value, self.names)}")
                value.buffer.content = (value.shape, value.strides)
        self.numbers = Numbers(plan, self.names, self._named, self.array, self.variables)
        blocks = [self._step(i, step) for i, step in enumerate(plan.steps)]
        place(plan)
        lines, last = [], None
        for step, block in zip(plan.steps, blocks, strict=True):
            said = comment(step)
            if said and said != last:
                lines.append(f"# {said}")
            last = said or last
            lines += block
        outputs = ["None" if v is None else f"{self.variables[plan.inputs[v].buffer]}" if isinstance(v, int)
                   else self.variables[v.buffer] for v in plan.outputs]  # fmt: skip
        slots = list(self.views.values())
        self.names["new_arena"] = lambda: _new_views(plan.arena, [value for _, value in slots])
        body = ["arena = free.pop() if free else new_arena()", *head]
        if slots:
            body.append(f"({', '.join([name for name, _ in slots])},) = arena")
        body += [
            "token = begin()",
            "try:",
            *["    " + line for line in lines or ["pass"]],
            "finally:",
            "    end(token)",
        ]
        body += ["free.append(arena)", f"return [{', '.join(outputs)}]"]
        return "def run(arrays):\n" + "".join([f"    {line}\n" for line in body])

    def _layouts(self) -> list[str]:
        """Lines that look whether inputs are laid out as the program expects."""
        written = {v.buffer for step in self.plan.steps for v in step.writes()}
        layouts = [(v.shape, tuple([s * v.dtype.itemsize for s in v.strides])) for v in self.plan.inputs]
        self.names["fitted"] = lambda arrays: [
            fitted(a, *layout, v.buffer in written) for a, layout, v in zip(arrays, layouts, self.plan.inputs)
        ]
        lines = []
        for value, (_, strides) in zip(self.plan.inputs, layouts):
            if value.shape and math.prod(value.shape) != 1:
                lines.append(f"if {self.variables[value.buffer]}.strides != {strides}: return run(fitted(arrays))")
        return lines

    # ---- names of arrays

    def _named(self, buffer: Buffer, otherwise: str) -> str:
        fits = buffer.name.isidentifier() and buffer.name not in _RESERVED and not _MADE.fullmatch(buffer.name)
        name = buffer.name if fits else otherwise
        while name in self.taken or name in self.names:
            name += "_"
        self.taken.add(name)
        return name

    def exact(self, value: Value) -> str:
        """An expression for an array of just this shape."""
        return self.array(value, exact=True)

    def array(self, value: Value, exact: bool = False) -> str:
        """An expression for an array that broadcasts to it: dimensions without a step are 1 long, or not there."""
        shape = value.shape if exact else tuple([1 if s == 0 else n for n, s in zip(value.shape, value.strides)])
        value = Value(value.buffer, value.offset, shape, value.strides)
        buffer = value.buffer
        if buffer.kind == "arena":
            key = value.key()
            if key not in self.views:
                self.views[key] = (self._named(buffer, f"t{len(self.views)}"), value)
            return self.views[key][0]
        if buffer.kind == "constant":
            name = self.variables.setdefault(buffer, f"constant_{len(self.variables)}")
            self.names[name] = buffer.content
            own = (buffer.content.shape, dense(buffer.content.shape))
        elif buffer.kind == "result":
            name = self.variables[buffer]
            own = buffer.content
        else:
            name, own = self.variables[buffer], buffer.content
        if value.offset == 0:
            if _alike(own, (shape, value.strides), exact):
                return name
            if len(shape) == 2 and _alike((own[0][::-1], own[1][::-1]), (shape, value.strides), True):
                return f"{name}.T"
            if is_dense(*own) and is_dense(value.shape, value.strides) and math.prod(own[0]) == math.prod(shape):
                return f"{name}.reshape({shape})"
        self.names[f"d_{value.dtype}"] = value.dtype
        strides = tuple([s * value.dtype.itemsize for s in value.strides])
        return f"view({name}, {value.offset * value.dtype.itemsize}, {shape}, {strides}, d_{value.dtype})"

    def _number(self, value: Any, dtype: np.dtype[Any]) -> str:
        key = (repr(value), dtype)
        if key not in self.constants:
            self.constants[key] = f"c{len(self.constants)}"
            self.names[self.constants[key]] = np.asarray(dtype.type(value))
        return self.constants[key]

    # ---- steps

    def _step(self, i: int, step: Step) -> list[str]:
        match step:
            case Loop():
                return self._loop(i, step)
            case Product():
                return self._product(step)
            case PythonCall():
                lines = python_call(step, i, self.names, self.variables, self.exact)
                for value in step.results:
                    if value is not None:
                        order = memory_order(value.shape, value.strides) or ()
                        shape = tuple([value.shape[d] for d in order])
                        value.buffer.content = (shape, dense(shape))
                return lines
            case Check():
                self.names[f"expected_{i}"] = step.expected
                known = self.numbers.known.get((step.value.buffer, step.value.offset))
                number = known or self.array(step.value)
                same = f"{number} == expected_{i}" if step.expected == step.expected else f"{number} != {number}"
                return [f"if not ({same}): fail({step.index})"]
            case Copy():
                return [f"copyto({self.array(step.target)}, {self.array(step.value)})"]
        raise AssertionError(step)

    def _product(self, step: Product) -> list[str]:
        a, b, out = (self.exact(v) for v in (step.a, step.b, step.out))
        name = "dot" if len(step.a.shape) == 2 else "matmul"
        lines = [f"{name}({a}, {b}, {out})"]
        if step.bias is not None:
            self.names["add"] = np.add
            lines.append(f"add({out}, {self.array(step.bias)}, {out})")
        return lines

    # ---- loops

    def _loop(self, i: int, loop: Loop) -> list[str]:
        if loop.size == 1:
            return self.numbers.lines(loop)
        joined = space_of(loop)
        assert joined is not None
        if loop.size > TILE and len(joined.sizes) == 1 and self._is_flat(loop, joined):
            return self._tiles(i, loop, joined)
        shape = self._shape(loop)
        space = space_of(loop, False)
        assert space is not None
        if shape is None:
            shape = space.sizes
            loads = [Value(v.buffer, v.offset, shape, s) for v, s in zip(loop.loads, space.loads)]
            stores = [(at, Value(v.buffer, v.offset, shape, s)) for (at, v), s in zip(loop.stores, space.stores)]
        else:
            loads, stores = loop.loads, loop.stores
        given = {k: self.array(v) for k, v in enumerate(loads)}
        targets = {at: self.array(v) for at, v in stores}
        lines, said = self._statements(i, loop, given, targets, shape, f"{i}")
        for r in loop.reductions:
            dims = tuple(d for d in range(len(r.shape)) if d in r.dims)
            source, s = said[r.statement], loop.statements[r.statement]
            if s.op == "load":
                source = self.exact(loads[s.what])
            if r.shape != shape or source in self.constants.values():
                source = f"view_of({source}, {shape}, {r.shape})"
                self.names["view_of"] = _view_of
            lines += self._by_ones(r, source) or [f'reduce("{r.kind}", {source}, {dims}, {self.array(r.out)})']
        return lines + _copies([(said[at], self.array(v)) for at, v in stores], set(given.values()))

    def _by_ones(self, r: Reduction, source: str) -> list[str]:
        """A sum of few elements, or of the columns of a small matrix, as ``add_up`` makes it: times ones."""
        size, rows = math.prod(r.shape), r.shape[0]
        shape: Shape = ()
        if r.kind not in ("sum", "mean") or r.out.dtype.kind != "f":
            return []
        if len(r.dims) == len(r.shape) and size <= BLOCK:
            rows = size
            source = source if len(r.shape) == 1 else f"{source}.reshape(-1)"
            left, right = source, f"ones_{rows}_{r.out.dtype.char}"
        elif len(r.shape) == 2 and r.dims == (0,) and rows <= 256 and size < 2048:
            left, right, shape = f"ones_{rows}_{r.out.dtype.char}", source, r.shape[1:]
        else:
            return []
        self.names[f"ones_{rows}_{r.out.dtype.char}"] = np.ones(rows, r.out.dtype)
        out = self.exact(Value(r.out.buffer, r.out.offset, shape, dense(shape)))
        lines = [f"dot({left}, {right}, {out})"]
        if r.kind == "mean":
            self.names["divide"] = np.divide
            lines.append(f"divide({out}, {self._number(rows, r.out.dtype)}, {out})")
        return lines

    def _shape(self, loop: Loop) -> Shape | None:
        """The shape by which all arrays of a loop count, if it is the same."""
        shapes = {v.shape for v in loop.loads} | {v.shape for _, v in loop.stores} | {r.shape for r in loop.reductions}
        return shapes.pop() if len(shapes) == 1 else None

    def _is_flat(self, loop: Loop, space: Space) -> bool:
        flat = all(strides[0] in (0, 1) for strides in (*space.loads, *space.stores))
        return flat and all(r.kind in ("sum", "mean", "amax", "amin") for r in loop.reductions)

    def _statements(
        self, i: int, loop: Loop, given: dict[int, str], targets: dict[int, str], shape: Shape | str, tag: str
    ) -> tuple[list[str], dict[int, str]]:
        """Lines for all statements that are needed, and what each result is called."""
        statements = with_normal(loop)
        uses = _uses(loop, statements)
        said: dict[int, str] = {}
        bells: dict[int, str] = {}
        lines: list[str] = []
        pool = _Pool(self, shape, i)
        reads = {given[s.what]: uses[k] for k, s in enumerate(statements) if s.op == "load" and k in uses}
        for k, s in enumerate(statements):
            if k not in uses:
                continue
            if s.op == "bell":
                said[k] = bells[s.args[0]]
                if uses[s.args[0]] == k:
                    pool.give(said[s.args[0]])
                continue
            if s.op == "const":
                said[k] = self._number(s.what, s.dtype)
                continue
            if s.op == "load":
                said[k] = given[s.what]
                continue
            operands = [said[a] for a in s.args]
            keep = {said[a] for a in (s.args[1:] if s.op == "where" else s.args if s.op == "normal" else ())}
            ends = [a for a in set(s.args) if uses[a] == k]
            spare = [said[a] for a in ends if pool.owns(said[a]) and statements[a].dtype == s.dtype
                     and said[a] not in keep]  # fmt: skip
            if k in targets and reads.get(targets[k], -1) <= k:
                out = targets[k]
                if out in keep:
                    out = pool.take(s.dtype)
            elif spare:
                out = spare[0]
            else:
                out = pool.take(s.dtype)
            for a in ends:
                if said[a] != out:
                    pool.give(said[a])
            said[k] = out
            if s.op == "cast":
                lines.append(f"cast({operands[0]}, {out})")
                continue
            if s.op == "where" and _is_zero(statements[s.args[1]]):
                lines.append(f"drop({operands[2]}, {operands[0]}, {out})")
                self.names["drop"] = _drop
                continue
            if s.op == "normal":
                self.names["normal"] = normal_distribution
                bells[k] = pool.take(s.dtype)
                lines.append(f"normal({operands[0]}, {out}, {bells[k]})")
                if not any(t.op == "bell" and t.args == (k,) and at in uses for at, t in enumerate(statements)):
                    pool.give(bells[k])
                continue
            function = SPELLINGS[s.op].numpy
            if function not in self.names:
                self.names[function] = getattr(np, function)
            if s.op in ("floor", "ceil", "trunc", "rint") and s.dtype.kind != "f":
                lines.append(f"copyto({out}, {operands[0]})")
                continue
            named = "out=" if s.op in ("maximum", "minimum") else ""  # NumPy asks for it here
            if named:
                operands = [self._everywhere(statements[a], name, shape) for a, name in zip(s.args, operands)]
            lines.append(f"{function}({', '.join(operands)}, {named}{out})")
        return [*pool.made, *lines], said

    def _everywhere(self, s: Statement, name: str, shape: Shape | str) -> str:
        """A number as an array: with a single number NumPy's maxima take three times as long."""
        if s.op != "const" or (not isinstance(shape, str) and not 64 < math.prod(shape) <= TILE):
            return name
        full = TILE if isinstance(shape, str) else shape
        all_of_it = f"all_{name}" + ("" if isinstance(shape, str) else "_" + "_".join(map(str, shape)))
        if all_of_it not in self.names:
            self.names[all_of_it] = np.full(full, s.what, s.dtype)
        return f"{all_of_it}[:last - first]" if isinstance(shape, str) else all_of_it

    def _tiles(self, i: int, loop: Loop, space: Space) -> list[str]:
        """A flat loop in tiles; sums of tiles are added in order, whichever thread made them."""
        n = loop.size
        tile = -(-n // -(-n // TILE) // 16) * 16
        pieces = -(-n // tile)
        lines: list[str] = []
        inner: list[str] = []
        given: dict[int, str] = {}
        targets: dict[int, str] = {}
        names: dict[str, str] = {}
        for k, v in enumerate(loop.loads):
            if space.loads[k][0] == 0:
                given[k] = self.array(Value(v.buffer, v.offset, (), ()))
                continue
            flat = self._flat(v, n, names, lines)
            given[k] = f"x{k}"
            inner.append(f"x{k} = {flat}[first:last]")
        stores: list[tuple[int, str]] = []
        places = {(id(v.buffer), v.offset): given[k] for k, v in enumerate(loop.loads) if space.loads[k][0]}
        for k, (at, v) in enumerate(loop.stores):
            name = places.get((id(v.buffer), v.offset), f"y{k}")
            if name == f"y{k}":
                inner.append(f"{name} = {self._flat(v, n, names, lines)}[first:last]")
            stores.append((at, name))
            targets.setdefault(at, name)
        body, said = self._statements(i, loop, given, targets, "(last - first,)", f"{i}")
        parts = []
        for k, r in enumerate(loop.reductions):
            lines.append(f"parts_{k} = empty({pieces}, d_{r.out.dtype})")
            self.names[f"d_{r.out.dtype}"] = r.out.dtype
            kind = "sum" if r.kind == "mean" else r.kind
            source = said[r.statement]
            if source in self.constants.values() or not source.startswith(("x", "y", "w")):
                source = f"view_of({source}, (last - first,), (last - first,))"
                self.names["view_of"] = _view_of
            body.append(f'reduce("{kind}", {source}, (0,), parts_{k}[piece : piece + 1])')
            count = f" / {n}" if r.kind == "mean" else ""
            parts.append(f'reduce("{kind}", parts_{k}, (0,), {self.array(r.out)}.reshape(1))')
            if count:
                parts.append(f"{self.array(r.out)}[...] /= {n}")
        body += _copies([(said[at], name) for at, name in stores], set(given.values()))
        lines += [
            f"def tile_{i}(piece):", f"    first, last = piece * {tile}, min((piece + 1) * {tile}, {n})",
            "    token = begin()",
            *["    " + line for line in (*inner, *body)], "    end(token)", f"share(tile_{i}, {pieces})", *parts,
        ]  # fmt: skip
        return lines

    def _flat(self, v: Value, n: int, names: dict[str, str], lines: list[str]) -> str:
        text = self.array(Value(v.buffer, v.offset, (n,), (1,)))
        if text.isidentifier():
            return text
        if text not in names:
            names[text] = f"flat_{len(names)}"
            lines.append(f"{names[text]} = {text}")
        return names[text]


class _Pool:
    """Arrays for intermediate results of a loop."""

    def __init__(self, writer: _Writer, shape: Shape | str, step: int) -> None:
        self.writer, self.shape, self.step = writer, shape, step
        self.free: dict[str, list[str]] = {}
        self.kinds: dict[str, str] = {}
        self.made: list[str] = []
        """Of a tile: the lines that make them."""

    def owns(self, name: str) -> bool:
        return name in self.kinds

    def take(self, dtype: np.dtype[Any]) -> str:
        free = self.free.setdefault(str(dtype), [])
        if free:
            return free.pop()
        writer = self.writer
        if isinstance(self.shape, str):
            writer.names[f"d_{dtype}"] = dtype
            name = f"w{len(self.kinds)}"
            self.kinds[name] = str(dtype)
            self.made.append(f"{name} = empty({self.shape}, d_{dtype})")
            return name
        shared = writer.temporaries.setdefault((self.shape, str(dtype)), [])
        used = len([kind for kind in self.kinds.values() if kind == str(dtype)])
        while len(shared) <= used:
            shared.append(Buffer("arena", dtype, math.prod(self.shape), name=f"w{len(shared)}_{dtype.char}"))
            writer.plan.scratch.append(shared[-1])
        name = writer.array(Value(shared[used], 0, self.shape, dense(self.shape)))
        self.kinds[name] = str(dtype)
        return name

    def give(self, name: str) -> None:
        if name in self.kinds:
            self.free[self.kinds[name]].append(name)


def _copies(pairs: list[tuple[str, str]], loaded: set[str]) -> list[str]:
    """Results to their places: last to those that are read as well, and not before all have been read."""
    needed = [(source, target) for source, target in pairs if source != target]
    late = [pair for pair in needed if pair[1] in loaded]
    overwritten = {target for _, target in late}
    lines = [f"copyto({target}, {source})" for source, target in needed if target not in loaded]
    held = {source: f"held_{k}" for k, (source, _) in enumerate(late) if source in overwritten}
    lines += [f"{name} = {source}.copy()" for source, name in held.items()]
    return lines + [f"copyto({target}, {held.get(source, source)})" for source, target in late]


def _uses(loop: Loop, statements: list[Statement]) -> dict[int, int]:
    """For each statement that is needed, the last one that needs it."""
    last: dict[int, int] = {}
    end = len(statements)
    for at in [at for at, _ in loop.stores] + [r.statement for r in loop.reductions]:
        last[at] = end
    for k in range(end - 1, -1, -1):
        if k in last:
            for a in statements[k].args:
                last.setdefault(a, k)
    return last


def _alike(own: Any, other: Any, exact: bool) -> bool:
    """Whether an array can stand for another: the same, but for leading dimensions of 1."""
    (a, sa), (b, sb) = own, other
    while not exact and len(b) > len(a) and b and b[0] == 1:
        b, sb = b[1:], sb[1:]
    return tuple(a) == tuple(b) and all(n == 1 or x == y for n, x, y in zip(a, sa, sb))


def _new_views(size: int, values: list[Value]) -> tuple[Any, ...]:
    memory = new_arena(size)
    return tuple([
        np.ndarray(v.shape, v.dtype, memory, v.buffer.index + v.offset * v.dtype.itemsize,
                   tuple([s * v.dtype.itemsize for s in v.strides]))
        for v in values
    ])  # fmt: skip


# ---- what programs call


def _where(condition: Any, a: Any, b: Any, out: Any) -> None:
    bits = _AS_INTEGERS.get(out.itemsize) if out.size >= 4096 and out.dtype.kind != "b" else None
    if bits is None or condition.shape != out.shape:
        np.copyto(out, b)
        np.copyto(out, a, where=condition)
        return
    o, y = out.view(bits), b.view(bits)  # without a branch for each element
    np.bitwise_xor(a.view(bits), y, o)
    np.multiply(o, condition, o)
    np.bitwise_xor(o, y, o)


def _is_zero(s: Statement) -> bool:
    return s.op == "const" and s.dtype.kind != "b" and s.what == 0 and math.copysign(1, s.what) == 1


def _drop(x: Any, mask: Any, out: Any) -> None:
    """``x``, and 0 where the mask is."""
    bits = _AS_INTEGERS.get(out.itemsize) if out.size >= 4096 else None
    if bits is None or mask.shape != out.shape or x.shape != out.shape:
        np.copyto(out, x)
        np.copyto(out, 0, where=mask)
        return
    kept = np.logical_not(mask).astype(bits)  # a product of two dtypes takes longer
    np.multiply(x.view(bits), kept, out.view(bits))


_AS_INTEGERS: dict[int, Any] = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}


def _sigmoid(x: Any, out: Any) -> None:
    np.negative(x, out)
    np.exp(out, out)
    np.add(out, 1, out)
    np.divide(1, out, out)


def _erf(x: Any, out: Any) -> None:
    out[...] = erf_op.kernel(x)


def _cast(x: Any, out: Any) -> None:
    if out.dtype == BOOL:
        np.not_equal(x, 0, out)
    else:
        np.copyto(
            out, cast_array(x, out.dtype) if x.dtype.kind == "f" and out.dtype.kind in "iu" else x, casting="unsafe"
        )


def _reduce(kind: str, x: Any, dims: tuple[int, ...], out: Any) -> None:
    """A reduction into an array that has ones, or nothing, in place of the dimensions."""
    match kind:
        case "sum" | "mean":
            found = add_up(x, dims) if x.dtype.kind == "f" else np.add.reduce(x, dims)
            if kind == "mean":
                found = found / math.prod([x.shape[d] for d in dims])
        case "prod":
            found = np.multiply.reduce(x, dims)
        case "amax":
            found = np.maximum.reduce(x, dims)
        case "amin":
            found = np.minimum.reduce(x, dims)
        case "any":
            found = np.logical_or.reduce(x, dims)
        case _:
            found = np.logical_and.reduce(x, dims)
    out[...] = np.reshape(found, out.shape)


def _view_of(x: Any, shape: Shape, wanted: Shape) -> Any:
    return np.broadcast_to(x, shape).reshape(wanted)


_RESERVED = {
    *keyword.kwlist, *[s.numpy for s in SPELLINGS.values()], "arrays", "arena", "token", "first", "last", "piece",
    "found", "status", "reduce", "min", "max", "view_of", "larger", "smaller", "whole", "erf_of", "normal", "drop",
}  # fmt: skip

_MADE = re.compile(r"[a-z]\d+|(call|tile|flat|parts|expected|d|as|ones|held|constant|all)_\w+")
"""Names that the text itself makes."""
