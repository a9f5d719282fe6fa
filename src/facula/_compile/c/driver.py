"""A program as C, and the Python that calls it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core import quiet
from ...native.build import BuildError
from ..passes.graph import cleaned
from ..passes.in_place import in_place
from ..passes.memory import place
from ..passes.schedule import schedule
from ..programs.frame import Compiled, allocation, fail, fitted, made, new_arena, python_call, view
from ..programs.steps import Buffer, Plan, PythonCall, Value
from . import build as builds
from . import text as texts


def build(program: Any) -> Compiled:
    plan = schedule(cleaned(program))
    in_place(plan)
    place(plan)
    written = texts.written(plan)
    if len(written.pointers) > 1000:
        raise BuildError("more than 1,000 arrays")
    loaded = builds.Loaded(written)
    python, names = driver(plan, written, loaded)
    return Compiled(made(python, names, "c"), f"{python}\n/* ---- C\n*/\n{written.text}", "c")


def driver(plan: Plan, written: texts.CProgram, loaded: builds.Loaded) -> tuple[str, dict[str, Any]]:
    """The Python around the C: memory for outputs, the arena, calls of Python in the middle."""
    names: dict[str, Any] = {"free": [], "fail": fail, "empty": np.empty, "asarray": np.asarray, "view": view}
    variables: dict[Buffer, str] = {}
    for i, value in enumerate(plan.inputs):
        variables[value.buffer] = f"a{i}"
    head, lines = [f"({', '.join([variables[v.buffer] for v in plan.inputs])},) = arrays" if plan.inputs else ""], []
    kept = [value.buffer for value in written.kept]
    variables.update({buffer: f"o{buffer.index}" for buffer in kept})
    for value in [v for v in plan.outputs if isinstance(v, Value)]:
        if value.buffer not in variables:
            variables[value.buffer] = f"o{value.buffer.index}"
            lines.append(f"{variables[value.buffer]} = {allocation(value, names)}")
    for buffer in written.pointers:
        if buffer not in variables:
            variables[buffer] = f"r{len(variables)}"
            if buffer.kind == "constant":
                names[variables[buffer]] = buffer.content
            else:
                lines.append(f"{variables[buffer]} = None")
    written_buffers = {v.buffer for step in plan.steps for v in step.writes()}
    calls = ", ".join(["memory", *[variables[b] for b in written.pointers if b not in kept]])
    has_python = False
    for i, segment in enumerate(written.segments):
        if isinstance(step := segment[0], PythonCall):
            has_python = True
            lines += python_call(step, i, names, variables)
        else:
            names[f"segment_{i}"] = loaded.segments[i]
            lines.append(f"status = segment_{i}({calls})")
            lines += _answered([variables[b] for b in kept])
    outputs = ["None" if v is None else f"a{v}" if isinstance(v, int) else variables[v.buffer] for v in plan.outputs]
    renewed = _with_results(written.kept)
    names.update(renewed=renewed, new_memory=lambda: renewed((new_arena(plan.arena),)))
    names["_kept"] = loaded
    names["fitted"] = lambda arrays: [
        fitted(a, *layout, v.buffer in written_buffers) for a, layout, v in zip(arrays, written.layouts, plan.inputs)
    ]
    body = [*head, *lines]
    if has_python:
        names.update(begin=quiet.begin, end=quiet.end)
        body = [*head, "token = begin()", "try:", *["    " + line for line in lines], "finally:", "    end(token)"]
    first = "free.pop() if free else new_memory()"
    body = [
        f"memory = {first}" if loaded.is_direct or not kept else f"memory = renewed({first})",
        *["arena = memory[0]"] * has_python,
        *body,
        "free.append(memory)",
        f"return [{', '.join(outputs)}]",
    ]
    return "def run(arrays):\n" + "".join([f"    {line}\n" for line in body if line]), names


def _answered(results: list[str]) -> list[str]:
    """Lines after the call of a segment, of which ``results`` are kept."""
    failed = ["    if status == -4: return run(fitted(arrays))", "    fail(status)"]
    if not results:
        return ["if status != -1:", *failed]
    return [
        f"if status == -1: {', '.join(results)}, = memory[1]",
        f"elif status == -5: {', '.join(results)}, = memory[2]",
        "else:",
        "    free.append(memory if status != -6 else renewed(memory))",
        "    if status == -6: return run(arrays)",
        *failed,
    ]


def _with_results(kept: list[Value]) -> Callable[[Any], Any]:
    """A function that gives memory other arrays for results, twice: those of the last call are often in use."""
    kinds = [(value.shape, value.dtype) for value in kept]

    def renewed(memory: Any) -> Any:
        return memory[0], tuple([np.empty(*kind) for kind in kinds]), tuple([np.empty(*kind) for kind in kinds])

    return renewed
