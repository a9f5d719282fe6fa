"""A plan as C: one function for each kind of loop, and for each run of steps without Python a function that calls them.

A loop's function takes pointers that do not overlap (``restrict``) and stays a function, because both would be lost if
it became part of its caller. Loops of the same text are one function: the updates of fifty parameters share it. Sizes
of small loops stand in the text, so that the compiler can unroll them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ..programs.frame import comment
from ..programs.scalars import c_type, literal
from ..programs.steps import (
    Buffer,
    Check,
    Copy,
    LibraryCall,
    Loop,
    Plan,
    Product,
    PythonCall,
    Shape,
    Step,
    Value,
    Written,
    dense,
)
from .loops import LoopText, written_loop
from .products import small_product

MOST_KEPT = 1 << 14
"""Bytes of a result up to which its array is kept: making one takes longer than the work for few elements."""
WORTH_RELEASING = 50e3
"""ns of work from which on other threads of Python may run meanwhile."""


@dataclass(eq=False)
class CProgram:
    text: str
    segments: list[list[Step]]
    """Steps between calls of Python; a call of Python stands alone."""
    pointers: list[Buffer]
    """The buffers whose arrays' data ``p`` points to: what a segment is given, and then the results that are kept."""
    kept: list[Value]
    """Small results. Their arrays are written to again as soon as nobody else holds them: see ``facula_run``."""
    kernels: list[str]
    """Names of kernels of the library that it calls, each a variable to be set."""
    works: list[float]
    """ns that each segment takes, about."""
    layouts: list[tuple[Shape, Shape]]
    """Of each input: its shape, and its strides in bytes."""


def written(plan: Plan) -> CProgram:
    return _Writer(plan).program()


@dataclass(eq=False)
class _Writer:
    plan: Plan
    functions: dict[str, str] = field(default_factory=dict)
    """Text of a function without its name, and the name."""
    kernels: dict[str, None] = field(default_factory=dict)
    pointers: list[Buffer] = field(default_factory=list)
    names: dict[Buffer, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    constants: list[str] = field(default_factory=list)

    def program(self) -> CProgram:
        segments = list(_segments(self.plan.steps))
        kept = _kept(self.plan)
        last = [value.buffer for value in kept]
        for value in (*self.plan.inputs, *[v for v in self.plan.outputs if isinstance(v, Value)]):
            if value.buffer not in last:
                self._point_to(value.buffer)
        for step in self.plan.steps:
            for value in (*step.reads(), *step.writes()):
                if value.buffer.kind != "arena" and value.buffer not in last:
                    self._point_to(value.buffer)
        self.pointers += last
        bodies, works = [], []
        for i, segment in enumerate(segments):
            if isinstance(segment[0], PythonCall):
                works.append(0.0)
                continue
            body, work = self._segment(f"segment_{i}", segment)
            bodies.append(body)
            works.append(work)
        kernels = "".join([f"EXPORT kernel_t *program_{name};\n" for name in self.kernels])
        functions = "\n".join([text.replace("FUNCTION", name) for text, name in self.functions.items()])
        text = '#include "program.h"\n' + "\n".join([part for part in (kernels, functions, "\n".join(bodies)) if part])
        layouts = [(v.shape, tuple([s * v.dtype.itemsize for s in v.strides])) for v in self.plan.inputs]
        return CProgram(text, segments, self.pointers, kept, list(self.kernels), works, layouts)

    # ---- names

    def _point_to(self, buffer: Buffer) -> None:
        if buffer not in self.pointers:
            self.pointers.append(buffer)

    def name(self, buffer: Buffer) -> str:
        found = self.names.get(buffer)
        if found is None:
            base = re.sub(r"\W", "_", buffer.name) or "t"
            if base[0].isdigit() or base in _RESERVED or re.fullmatch(r"(loop|product|kernel|segment)_\d+", base):
                base = f"_{base}"
            found, k = base, 1
            while found in self.taken:
                k += 1
                found = f"{base}_{k}"
            self.taken.add(found)
            self.names[buffer] = found
        return found

    def pointer(self, value: Value) -> str:
        name = self.name(value.buffer)
        return f"{name} + {value.offset}" if value.offset else name

    # ---- segments

    def _segment(self, name: str, steps: list[Step]) -> tuple[str, float]:
        lines: list[str] = []
        work = 0.0
        used: dict[Buffer, None] = {}
        written: set[Buffer] = set()
        last = None
        for step in steps:
            for value in step.reads():
                used.setdefault(value.buffer)
            for value in step.writes():
                used.setdefault(value.buffer)
                written.add(value.buffer)
            said = comment(step).replace("*/", "* /")
            if said and said != last:
                lines.append(f"/* {said} */")
            last = said or last
            more, cost = self._step(step)
            lines += more
            work += cost
        declared = [self._declared(buffer, buffer in written) for buffer in used]
        body = "".join([f"    {line}\n" for line in (*declared, *lines)])
        head = f"EXPORT int64_t {name}(char *arena, void *const *p) {{\n    (void)arena, (void)p;\n"
        return head + body + "    return CLEAN;\n}\n", work

    def _declared(self, buffer: Buffer, is_written: bool) -> str:
        kind = ("" if is_written else "const ") + c_type(buffer.dtype)
        if buffer.kind == "arena":
            return f"{kind} *{self.name(buffer)} = (void *)(arena + {buffer.index});"
        return f"{kind} *{self.name(buffer)} = p[{self.pointers.index(buffer)}];"

    def _function(self, text: str, kind: str) -> str:
        found = self.functions.get(text)
        if found is None:
            found = self.functions[text] = f"{kind}_{sum(n.startswith(kind) for n in self.functions.values())}"
        return found

    # ---- steps

    def _step(self, step: Step) -> tuple[list[str], float]:
        match step:
            case Loop():
                return self._loop(step)
            case Product():
                return self._product(step)
            case LibraryCall():
                return self._library(step)
            case Written():
                name = self._function(step.text, "kernel")
                call = f"{name}({', '.join([self.pointer(v) for v in step.arrays])})"
                return [f"if ({call}) return DECLINED;" if step.may_decline else f"{call};"], step.work
            case Check():
                return [self._check(step)], 1.0
            case Copy():
                if step.value.strides == step.target.strides and step.value.is_dense:
                    size = step.value.size * step.value.dtype.itemsize
                    line = f"memcpy({self.pointer(step.target)}, {self.pointer(step.value)}, {size});"
                    return [line], size / 20
                loop = Loop(step.value.size)
                loop.stores.append((loop.load(step.value), step.target))
                return self._loop(loop)
        raise AssertionError(step)

    def _loop(self, loop: Loop) -> tuple[list[str], float]:
        found: LoopText = written_loop(loop)
        name = self._function(found.text, "loop")
        pointers = [self.pointer(v) for v in found.pointers]
        if found.shares is None:
            return [f"{name}({', '.join([*pointers, *map(str, found.sizes)])});"], found.work
        return found.shares(name, pointers), found.work

    def _product(self, step: Product) -> tuple[list[str], float]:
        m, n, k = step.a.shape[-2], step.b.shape[-1], step.a.shape[-1]
        batch = step.a.shape[0] if len(step.a.shape) == 3 else 1
        bias = "NULL" if step.bias is None else self.pointer(step.bias)
        small = small_product(step)
        if small is not None:
            name = self._function(small, "product")
            given = [self.pointer(step.a), self.pointer(step.b)] + ([bias] if step.bias is not None else [])
            return [f"{name}({', '.join([*given, self.pointer(step.out)])});"], 0.1 * m * n * k * batch
        whole: list[int] = []
        for side in (step.a, step.b):
            lead = 4 - len(side.shape)
            whole += [*(1,) * lead, *side.shape, *(0,) * lead, *side.strides]
        call = LibraryCall("matmul", [step.a, step.b, step.bias, step.out], (3,), whole, [])
        return self._library(call, 0.02 * m * n * k * batch)

    def _library(self, step: LibraryCall, work: float | None = None) -> tuple[list[str], float]:
        real = next(v for v in step.arrays if v is not None and v.dtype.kind == "f").dtype
        kernel = f"{step.name}_f{8 * real.itemsize}"
        self.kernels[kernel] = None
        arrays = ", ".join(["NULL" if v is None else f"(void *)({self.pointer(v)})" for v in step.arrays])
        lines = [
            f"memset({self.pointer(v)}, 0, {v.size * v.dtype.itemsize});"
            for i in step.zeroed if (v := step.arrays[i]) is not None
        ]  # fmt: skip
        whole = ", ".join(map(str, step.whole)) or "0"
        numbers = ", ".join([self._number(x) for x in step.real]) or "0"
        lines += [
            f"if ((status = program_{kernel}((void *[]){{{arrays}}}, (const int64_t[]){{{whole}}},",
            f"        (const double[]){{{numbers}}}))) return status == NO_MEMORY ? MEMORY : DECLINED;",
        ]
        cost = work if work is not None else sum([v.size for v in step.arrays if v is not None]) * 1.0
        return ["{", "    int status;", *["    " + line for line in lines], "}"], cost

    def _number(self, x: float | Value) -> str:
        """A number, or the element that will be one."""
        return f"{self.name(x.buffer)}[{x.offset}]" if isinstance(x, Value) else literal(x, np.dtype(float))

    def _check(self, step: Check) -> str:
        value = f"{self.name(step.value.buffer)}[{step.value.offset}]"
        dtype = step.value.dtype
        expected = literal(step.expected, dtype)
        status = "DECLINED" if step.index < 0 else str(step.index)
        if dtype.kind == "f" and step.expected != step.expected:
            return f"if ({value} == {value}) return {status};"
        return f"if (!({value} == {expected})) return {status};"


def _kept(plan: Plan) -> list[Value]:
    """The results whose arrays are kept: not if Python comes in between, which may hold them."""
    if any(isinstance(step, PythonCall) for step in plan.steps):
        return []
    given = {value.buffer for value in plan.inputs}
    found: dict[Buffer, Value] = {}
    for value in plan.outputs:
        if isinstance(value, Value) and value.buffer not in given:
            found.setdefault(value.buffer, value)
    return [value for value in found.values() if value.size * value.dtype.itemsize <= MOST_KEPT
            and not value.offset and value.strides == dense(value.shape)]  # fmt: skip


def _segments(steps: list[Step]) -> Iterator[list[Step]]:
    run: list[Step] = []
    for step in steps:
        if isinstance(step, PythonCall):
            if run:
                yield run
            yield [step]
            run = []
        else:
            run.append(step)
    if run:
        yield run


_RESERVED = set(
    """
    CLEAN DONE I INFINITY NAN NULL abs arena auto break case ceil char const continue cos default div do double else
    enum exp extern fabs float floor for gamma goto if index inline int isfinite isinf isnan j0 j1 jn job larger log
    long main memcpy memset p parts pieces pow register remainder restrict return round scratch shared short sigmoid
    signbit signed sin sizeof smaller sqrt static status struct switch tanh typedef union unsigned void volatile
    while y0 y1 yn
    """.split()
)
"""Names that C, its library or the text itself have."""
