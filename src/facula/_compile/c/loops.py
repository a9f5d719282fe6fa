"""A loop of a plan as a function of C."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..passes.space import Space, space_of
from ..programs.scalars import SPELLINGS, c_type, in_c, literal
from ..programs.steps import Loop, Reduction, Value
from .sharing import with_shared_exponentials

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
SMALL = 4096
"""Elements up to which the size of a loop stands in its text."""
BLOCK = 2048
"""Elements that are added in their own precision before they go into a total in double."""
PIECE = 16384
"""Elements of a piece of work: what a thread takes at a time, and what a partial sum is of."""
WORTH_SHARING = 100e3
"""ns of work from which on a loop is cut into pieces."""


@dataclass(eq=False)
class LoopText:
    text: str
    pointers: list[Value]
    """The arguments of the function, in order; then come sizes."""
    sizes: list[int]
    work: float
    """ns that it takes, about."""
    shares: Callable[[str, list[str]], list[str]] | None = None
    """Of a loop in pieces: the lines that call it, of the function's name and pointers."""


def written_loop(loop: Loop) -> LoopText:
    return _Writer(with_shared_exponentials(loop)).written()


@dataclass(eq=False)
class _Writer:
    loop: Loop
    pointers: list[Value] = field(default_factory=list)
    letters: dict[Any, str] = field(default_factory=dict)
    uses: dict[int, int] = field(default_factory=dict)

    def written(self) -> LoopText:
        loop = self.loop
        space = space_of(loop)
        assert space is not None
        self.space: Space = space
        size = loop.size
        work = size * self._cost()
        for value in (*loop.loads, *[v for _, v in loop.stores], *[r.out for r in loop.reductions]):
            self._letter(value)
        written = {id(v.buffer) for v in loop.writes()}
        parameters = [
            f"{'' if id(v.buffer) in written else 'const '}{c_type(v.dtype)} *restrict {self.letters[_place(v)]}"
            for v in self.pointers
        ]
        self._count_uses()
        flat = len(space.sizes) == 1
        ranged = size > SMALL and not (space.reduced and space.reduced[0] and not (flat and space.reduced[0]))
        if loop.reductions and any(space.reduced):
            if flat:
                return self._whole(parameters, work)
            return LoopText(self._reduced(parameters), self.pointers, [], work)
        depth = len(space.sizes)
        lines: list[str] = []
        if not depth:
            lines += self._statements([], "    ")
        for d, n in enumerate(space.sizes):
            first, last = ("first", "last") if ranged and d == 0 else ("0", str(n))
            lines.append("    " * (d + 1) + f"for (int64_t i{d} = {first}; i{d} < {last}; i{d}++) {{")
        if depth:
            lines += self._statements([f"i{d}" for d in range(depth)], "    " * (depth + 1))
        lines += ["    " * (d + 1) + "}" for d in reversed(range(depth))]
        if ranged:
            parameters += ["int64_t first", "int64_t last"]
        text = "\n".join([f"APART void FUNCTION({', '.join(parameters)}) {{", *lines, "}\n"])
        if ranged and work > WORTH_SHARING:
            return self._shared(text, work)
        return LoopText(text, self.pointers, [0, space.sizes[0]] if ranged else [], work)

    def _cost(self) -> float:
        arithmetic = sum([SPELLINGS[s.op].cost for s in self.loop.statements if s.op in SPELLINGS])
        memory = sum([v.dtype.itemsize for v in (*self.loop.loads, *[v for _, v in self.loop.stores])]) / 20
        return 0.05 + 0.3 * arithmetic + memory

    # ---- pointers

    def _letter(self, value: Value) -> None:
        if _place(value) not in self.letters:
            n = len(self.letters)
            self.letters[_place(value)] = "abcdefghjklmnoqrstuvwxyz"[n] if n < 24 else f"a{n}"
            self.pointers.append(value)

    def _access(self, value: Value, strides: tuple[int, ...], indices: list[str]) -> str:
        terms = [i if s == 1 else f"{s} * {i}" for i, s in zip(indices, strides) if s]
        return f"{self.letters[_place(value)]}[{' + '.join(terms) or '0'}]"

    # ---- statements

    def _count_uses(self) -> None:
        loop = self.loop
        needed = [at for at, _ in loop.stores] + [r.statement for r in loop.reductions]
        for at in needed:
            self.uses[at] = self.uses.get(at, 0) + 1
        for i in range(len(loop.statements) - 1, -1, -1):
            if i in self.uses:
                for a in loop.statements[i].args:
                    self.uses[a] = self.uses.get(a, 0) + 1

    def _statements(
        self, indices: list[str], indent: str, ends: Callable[[int, str], list[str]] | None = None
    ) -> list[str]:
        """The lines of the innermost body. ``ends``: what a reduction adds for the text of its statement."""
        loop, said = self.loop, {}
        lines: list[str] = []
        for i, s in enumerate(loop.statements):
            if i not in self.uses:
                continue
            if s.op == "const":
                said[i] = literal(s.what, s.dtype)
                continue
            if s.op == "load":
                text = self._access(loop.loads[s.what], self.space.loads[s.what], indices)
                simple = False  # in place, an array may be written before it is read again
            elif s.op == "cast":
                inner = loop.statements[s.args[0]].dtype
                operand = said[s.args[0]]
                text = f"{operand} != 0" if s.dtype.kind == "b" else f"({c_type(s.dtype)}){operand}"
                simple = inner.kind != "b"
            else:
                dtype = loop.statements[s.args[-1]].dtype
                text = in_c(s.op, dtype, [said[a] for a in s.args])
                simple = all(in_c(s.op, dtype, ["@"] * len(s.args)).count("@") == len(s.args) for _ in (0,))
            if simple and self.uses[i] == 1 and len(text) < 100 and self._inlines(i):
                said[i] = f"({text})" if s.op == "cast" else _in_own_size(text, s.dtype)
            else:
                said[i] = f"t{i}"
                lines.append(f"{indent}{c_type(s.dtype)} t{i} = {text};")
        for k, (at, value) in enumerate(loop.stores):
            lines.append(f"{indent}{self._access(value, self.space.stores[k], indices)} = {_bare(said[at])};")
        if ends is not None:
            for k, r in enumerate(loop.reductions):
                lines += [indent + line for line in ends(k, said[r.statement])]
        return lines

    def _inlines(self, at: int) -> bool:
        """Whether the only use of a statement is one in whose text it stands once, and not as a reduction's end."""
        loop = self.loop
        if any(r.statement == at for r in loop.reductions):
            return False
        for s in loop.statements[at + 1 :]:
            if at in s.args:
                if s.op == "cast":
                    return True
                dtype = loop.statements[s.args[-1]].dtype
                form = in_c(s.op, dtype, [f"@{k}@" for k in range(len(s.args))])
                return form.count(f"@{s.args.index(at)}@") == 1
        return True

    # ---- reductions

    def _whole(self, parameters: list[str], work: float) -> LoopText:
        """One dimension, all of it reduced: sums of pieces, then of these."""
        loop, n = self.loop, self.loop.size
        outs = loop.reductions
        letters = [self.letters[_place(r.out)] for r in outs]
        in_pieces = n > PIECE and all(r.out.dtype.kind == "f" for r in outs)
        accumulators = [_Accumulator(r, f"r{k}") for k, r in enumerate(outs)]
        lines = [f"    {a.total_type} {a.name}_total = {a.identity};" for a in accumulators]
        step = BLOCK if n > BLOCK else n
        first, last = ("first", "last") if in_pieces else ("0", str(n))
        body = self._statements(
            ["i0"], "            " if n > BLOCK else "        ", lambda k, t: accumulators[k].adds(t)
        )
        pragma = "".join(sorted({a.clause for a in accumulators}))
        inner = [line for a in accumulators for line in a.starts()]
        if n > BLOCK:
            lines += [
                f"    for (int64_t start = {first}; start < {last}; start += {step}) {{",
                f"        int64_t end = smaller(start + {step}, {last});",
                *[f"        {line}" for line in inner],
                f'        _Pragma("omp simd{pragma}") for (int64_t i0 = start; i0 < end; i0++) {{',
                *body,
                "        }",
                *[f"        {a.into_total()}" for a in accumulators],
                "    }",
            ]
        else:
            lines += [
                *[f"    {line}" for line in inner],
                f'    _Pragma("omp simd{pragma}") for (int64_t i0 = 0; i0 < {n}; i0++) {{',
                *body,
                "    }",
                *[f"    {a.into_total()}" for a in accumulators],
            ]
        if not in_pieces:
            lines += [f"    {out}[0] = {a.result(n)};" for out, a in zip(letters, accumulators)]
            return LoopText("\n".join([f"APART void FUNCTION({', '.join(parameters)}) {{", *lines, "}\n"]),
                            self.pointers, [], work)  # fmt: skip
        # Pieces write their totals side by side; the results are made of these in order.
        own = [
            p
            for p, v in zip(parameters, self.pointers)
            if not any(v is r.out or _place(v) == _place(r.out) for r in outs)
        ]
        kept = [v for v in self.pointers if not any(_place(v) == _place(r.out) for r in outs)]
        lines += [f"    parts[{k}] = (double){a.name}_total;" for k, a in enumerate(accumulators)]
        text = [
            f"APART void FUNCTION_part({', '.join([*own, 'double *restrict parts'])}, int64_t first, int64_t last) {{",
            *lines, "}",
            "static int FUNCTION_piece(void *w, int64_t piece) {",
            "    const struct pieces *s = w;",
            f"    FUNCTION_part({''.join([f's->p[{i}], ' for i in range(len(own))])}s->parts + {len(outs)} * piece,",
            "                  piece * s->step, smaller((piece + 1) * s->step, s->total));",
            "    return DONE;", "}",
        ]  # fmt: skip
        given = [f"{p}" for p in parameters if p not in own]
        combined = [
            f"    {a.total_type} {a.name}_total = {a.identity};\n"
            f"    for (int64_t i = 0; i < count; i++) {{\n"
            f"        {a.total_type} r{k} = parts[{len(outs)} * i + {k}];\n"
            f"        {a.merge(f'r{k}')}\n    }}\n"
            f"    {out}[0] = {a.result(n)};"
            for k, (out, a) in enumerate(zip(letters, accumulators))
        ]  # fmt: skip
        text += [
            f"APART void FUNCTION({', '.join(['void *const *p', *given])}) {{",
            f"    enum {{ count = {-(-n // PIECE)} }};",
            f"    double parts[count * {len(outs)}];",
            f"    struct pieces w = {{p, parts, {PIECE}, {n}}};",
            f"    shared(FUNCTION_piece, &w, count, {work:.0f});",
            *combined, "}\n",
        ]  # fmt: skip
        places = [self.pointers.index(v) for v in kept]
        rest = [i for i in range(len(self.pointers)) if i not in places]

        def lines_of(name: str, pointers: list[str]) -> list[str]:
            table = ", ".join([f"(void *)({pointers[i]})" for i in places])
            return [f"{name}({', '.join([f'(void *[]){{{table}}}', *[pointers[i] for i in rest]])});"]

        return LoopText("\n".join(text), self.pointers, [], work, lines_of)

    def _reduced(self, parameters: list[str]) -> str:
        """Some dimensions stay: a sum in a register for each, or sums side by side if the innermost stays."""
        loop, space = self.loop, self.space
        depth = len(space.sizes)
        count = math.prod([n for n, r in zip(space.sizes, space.reduced) if r])
        accumulators = [_Accumulator(r, f"r{k}") for k, r in enumerate(loop.reductions)]
        inner = space.sizes[-1]
        innermost_reduced = space.reduced[-1]
        outer_reduced = any(space.reduced[:-1])
        kept = [d for d in range(depth) if not space.reduced[d]]
        rounds = count // inner if innermost_reduced else count
        lines: list[str] = []
        wide = rounds > 256 and any(a.is_sum and a.dtype == F32 for a in accumulators)
        needs_memory = outer_reduced or not innermost_reduced
        places = [
            self._access(r.out, space.outs[k], [f"i{d}" for d in range(depth)]) for k, r in enumerate(loop.reductions)
        ]
        if needs_memory and wide:
            total = math.prod([space.sizes[d] for d in kept])
            index = _dense_index(kept, space.sizes)
            if total <= 8192:
                for a in accumulators:
                    lines.append(f"    {a.wide_type} {a.name}_sums[{total}];")
                places = [f"{a.name}_sums[{index}]" for a in accumulators]
            else:
                wide = False
        if needs_memory:
            lines += self._over_kept(kept, [f"{p} = {a.identity};" for p, a in zip(places, accumulators)])
        for d in range(depth - 1):
            lines.append("    " * (d + 1) + f"for (int64_t i{d} = 0; i{d} < {space.sizes[d]}; i{d}++) {{")
        indent = "    " * depth
        indices = [f"i{d}" for d in range(depth)]
        at = f"i{depth - 1}"
        if innermost_reduced:
            lines += [f"{indent}{a.total_type} {a.name}_total = {a.identity};" for a in accumulators]
            pragma = "".join(sorted({a.clause for a in accumulators}))
            starts = [line for a in accumulators for line in a.starts()]
            blocked = inner > BLOCK
            deeper = indent + ("    " if blocked else "")
            if blocked:
                lines += [f"{indent}for (int64_t start = 0; start < {inner}; start += {BLOCK}) {{",
                          f"{indent}    int64_t end = smaller(start + {BLOCK}, {inner});"]  # fmt: skip
            first, last = ("start", "end") if blocked else ("0", str(inner))
            lines += [f"{deeper}{line}" for line in starts]
            lines.append(f'{deeper}_Pragma("omp simd{pragma}") for (int64_t {at} = {first}; {at} < {last}; {at}++) {{')
            lines += self._statements(indices, deeper + "    ", lambda k, t: accumulators[k].adds(t))
            lines.append(f"{deeper}}}")
            lines += [f"{deeper}{a.into_total()}" for a in accumulators]
            if blocked:
                lines.append(f"{indent}}}")
            for p, a in zip(places, accumulators):
                if outer_reduced:
                    lines.append(f"{indent}{p} = {a.combined(p, f'{a.name}_total')};")
                else:
                    lines.append(f"{indent}{p} = {a.result(count)};")
        else:
            lines.append(f"{indent}for (int64_t {at} = 0; {at} < {inner}; {at}++) {{")
            lines += self._statements(
                indices, indent + "    ", lambda k, t: [f"{places[k]} = {accumulators[k].combined(places[k], t)};"]
            )
            lines.append(f"{indent}}}")
        lines += ["    " * (d + 1) + "}" for d in reversed(range(depth - 1))]
        if needs_memory:
            finals = [self._access(r.out, space.outs[k], indices) for k, r in enumerate(loop.reductions)]
            last_lines = [
                f"{out} = {a.finished(p, count)};"
                for out, p, a in zip(finals, places, accumulators)
                if out != p or a.reduction.kind == "mean"
            ]
            if last_lines:
                lines += self._over_kept(kept, last_lines)
        return "\n".join([f"APART void FUNCTION({', '.join(parameters)}) {{", *lines, "}\n"])

    def _over_kept(self, kept: list[int], body: list[str]) -> list[str]:
        lines = []
        for k, d in enumerate(kept):
            lines.append("    " * (k + 1) + f"for (int64_t i{d} = 0; i{d} < {self.space.sizes[d]}; i{d}++)")
        lines[-1:] = [lines[-1] + " {"] if lines else ["    {"]
        indent = "    " * (len(kept) + 1)
        return [*lines, *[indent + line for line in body], "    " * max(len(kept), 1) + "}"]

    # ---- pieces

    def _shared(self, text: str, work: float) -> LoopText:
        n = self.space.sizes[0]
        step = max(1, PIECE // max(self.loop.size // n, 1))
        count = len(self.pointers)
        text += "\n".join([
            "static int FUNCTION_piece(void *w, int64_t piece) {",
            "    const struct pieces *s = w;",
            f"    FUNCTION({', '.join([f's->p[{i}]' for i in range(count)])},",
            "             piece * s->step, smaller((piece + 1) * s->step, s->total));",
            "    return DONE;", "}\n",
        ])  # fmt: skip

        def lines_of(name: str, pointers: list[str]) -> list[str]:
            table = ", ".join([f"(void *)({p})" for p in pointers])
            return [
                f"shared({name}_piece, &(struct pieces){{(void *[]){{{table}}}, NULL, {step}, {n}}},",
                f"       {-(-n // step)}, {work:.0f});",
            ]

        return LoopText(text, self.pointers, [], work, lines_of)


class _Accumulator:
    """What a reduction needs in a loop: a register, how it takes another element, how totals are made."""

    def __init__(self, reduction: Reduction, name: str) -> None:
        self.reduction, self.name = reduction, name
        self.dtype = dtype = reduction.out.dtype
        self.kind = kind = reduction.kind
        self.is_sum = kind in ("sum", "mean")
        self.type = c_type(dtype) if dtype.kind != "b" else "int"
        self.total_type = "double" if dtype == F32 and kind in ("sum", "mean", "prod") else self.type
        self.wide_type = "double" if dtype == F32 and self.is_sum else c_type(dtype)
        self.real = dtype.kind == "f"
        low, high = ("-INFINITY", "INFINITY") if self.real else ("0", "1")
        if dtype.kind in "iu":
            low, high = f"({self.type}){np.iinfo(dtype).min + 1} - 1", str(np.iinfo(dtype).max)
        self.identity = {"sum": "0", "mean": "0", "prod": "1", "amax": low, "amin": high, "any": "0", "all": "1"}[kind]
        sign = {"sum": "+", "mean": "+", "prod": "*", "amax": "max", "amin": "min", "any": "|", "all": "&"}[kind]
        self.watches_nan = kind in ("amax", "amin") and self.real
        self.clause = f" reduction({sign}:{name})" + (f" reduction(|:{name}_nan)" if self.watches_nan else "")

    def starts(self) -> list[str]:
        return [f"{self.type} {self.name} = {self.identity};"] + (
            [f"int {self.name}_nan = 0;"] if self.watches_nan else []
        )

    def adds(self, text: str) -> list[str]:
        r = self.name
        match self.kind:
            case "sum" | "mean":
                return [f"{r} += {_bare(text)};"]
            case "prod":
                return [f"{r} *= {text};"]
            case "amax" | "amin":
                sign = ">" if self.kind == "amax" else "<"
                lines = [f"{r} = {text} {sign} {r} ? {text} : {r};"]
                return lines + ([f"{r}_nan |= {text} != {text};"] if self.watches_nan else [])
        return [f"{r} {'|' if self.kind == 'any' else '&'}= {text};"]

    def into_total(self) -> str:
        nan = f"{self.name} = {self.name}_nan ? ({self.type})NAN : {self.name}; " if self.watches_nan else ""
        return nan + self.merge(self.name)

    def merge(self, text: str) -> str:
        return f"{self.name}_total = {self.combined(f'{self.name}_total', text)};"

    def combined(self, a: str, b: str) -> str:
        match self.kind:
            case "sum" | "mean":
                return f"{a} + {b}"
            case "prod":
                return f"{a} * {b}"
            case "amax" | "amin":
                name = "larger" if self.kind == "amax" else "smaller"
                if self.real:
                    return f"{name}_f{8 * self.dtype.itemsize}({a}, {b})"
                return f"{a} {'>' if name == 'larger' else '<'} {b} ? {a} : {b}"
        return f"{a} {'|' if self.kind == 'any' else '&'} {b}"

    def result(self, count: int) -> str:
        return self.finished(f"{self.name}_total", count)

    def finished(self, text: str, count: int) -> str:
        if self.kind == "mean":
            return f"({self.type})({text} / {count})"
        return f"({c_type(self.dtype)}){text}" if self.total_type != self.type or self.dtype == F32 else text


def _in_own_size(text: str, dtype: np.dtype[Any]) -> str:
    """An operation in the middle of an expression. C computes small whole numbers as ``int``."""
    wraps = dtype.kind in "iu" and dtype.itemsize < np.dtype(np.intc).itemsize
    return f"(({c_type(dtype)})({text}))" if wraps else f"({text})"


def _place(value: Value) -> tuple[int, int]:
    return id(value.buffer), value.offset


def _bare(text: str) -> str:
    """Without parentheses around the whole."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0 and i < len(text) - 1:
            return text
    return text[1:-1] if not text.startswith("(-") or depth else text


def _dense_index(kept: list[int], sizes: tuple[int, ...]) -> str:
    terms, step = [], 1
    for d in reversed(kept):
        terms.append(f"i{d}" if step == 1 else f"{step} * i{d}")
        step *= sizes[d]
    return " + ".join(reversed(terms)) or "0"
