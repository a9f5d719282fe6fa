"""``explain``: what becomes of a function when it is compiled."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from facula._compile import custom
from facula._compile.calls.function import CompiledFunction
from facula._compile.counters import operations


class GraphCompileReason(NamedTuple):
    """Why a function is not captured, and where."""

    reason: str
    user_stack: list[Any]
    graph_break: bool = True


class ExplainOutput(NamedTuple):
    """The graphs of a call, or why there is none."""

    graphs: list[Any]
    graph_count: int
    graph_break_count: int
    break_reasons: list[GraphCompileReason]
    op_count: int
    ops_per_graph: list[list[Any]]
    out_guards: list[str]
    compile_times: str

    def __str__(self) -> str:
        lines = [
            f"Graph Count: {self.graph_count}", f"Graph Break Count: {self.graph_break_count}",
            f"Op Count: {self.op_count}", "Break Reasons:",
        ]  # fmt: skip
        for i, each in enumerate(self.break_reasons, 1):
            lines += [f"  Break Reason {i}:", f"    Reason: {each.reason}", "    User Stack:"]
            lines += [f"      {place}" for place in each.user_stack]
        lines.append("Ops per Graph:")
        for i, ops in enumerate(self.ops_per_graph, 1):
            lines += [f"  Ops {i}:", *[f"    {getattr(op, 'name', None) or op}" for op in ops]]
        lines.append("Out Guards:")
        for i, guard in enumerate(self.out_guards, 1):
            lines += [f"  Guard {i}:", *[f"    {line}" for line in guard.splitlines()]]
        return "\n".join([*lines, f"Compile Times: {self.compile_times}"])


def explain(f: Callable[..., Any], *extra_args: Any, **extra_kwargs: Any) -> Any:
    """Call a function as if it were compiled, and tell what was captured. ``explain(f)(x)``."""

    def inner(*args: Any, **kwargs: Any) -> ExplainOutput:
        compiled = CompiledFunction(f, custom.eager)
        began = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled(*args, **kwargs)
        seconds = time.perf_counter() - began
        programs = [running.entry.forward for running in compiled.programs]
        ops = [operations(program) for program in programs]
        reasons = []
        if compiled.reason is not None:
            reasons = [GraphCompileReason(compiled.reason.what, [compiled.reason.place])]
        return ExplainOutput(
            [custom.as_module(program) for program in programs], len(programs), len(reasons), reasons,
            sum(map(len, ops)), ops, [running.guard.text for running in compiled.programs], f"{seconds:.4f} s",
        )  # fmt: skip

    return inner(*extra_args, **extra_kwargs) if extra_args or extra_kwargs else inner
