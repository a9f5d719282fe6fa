"""``checkpoint(debug=True)``: a log of the operations of both passes, for the error that says they differ."""

from __future__ import annotations

import traceback
from typing import Any

from .._tensor import Tensor
from ..autograd.graph import is_internal
from ..ops.aten_calls import operator_of
from ..ops.machine.watcher import Watcher

_DTYPES = {
    "float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "int64": "i64", "int32": "i32",
    "int16": "i16", "int8": "i8", "uint8": "u8", "bool": "b8", "complex64": "c64", "complex128": "c128",
}  # fmt: skip

_FRAME = "+" + "~" * 78 + "+\n|{:78}|\n+" + "-" * 78 + "+"

_TEMPLATE = """ An error happened while unpacking tensors; dumping logs of latest computation
because you passed `debug=True` to `torch.utils.checkpoint.checkpoint()`.
Scroll all the way down for guidance on how to navigate these logs.

{first}

{first_traces}

{second}

{second_traces}

{third}
(Scroll up to correlate stack traces with each operation listed below. This
 helps identify their source in the code.)

IMPORTANT: Differences in "detach" calls between the original forward and the
           recomputation are expected. They are introduced by the checkpointing
           mechanism and can be ignored.

Operations executed during the original forward:

{first_log}

Operations executed during recomputation:

{second_log}

+------------------------------------------------------------------------------+
 ERROR: Detected non-determinism while running activation checkpointing

 You are seeing this error because you passed `debug=True` to checkpoint and
 tensors to be saved during the original forward and differ between those saved
 during recomputation. This can happen if different operators were ran in the
 original forward and in the recomputation.

 To identify where the mismatch may be coming from, you can do the following:

 1) Compare the operators ran during original forward and recomputation to
    see where they differ. These operators are printed above in the order they
    were executed.

 2) Review the stack trace for each operator to locate its invocation source.
    Each operator's stack trace is printed in their execution order.

 Note that the logs can be quite long. Here's how they are structured:
 (Tip: you can Ctrl-f for these headers)

 1. Stack traces of the operators that ran in the original forward
 2. Stack traces of the operators that ran during recomputation
 3. Log of operators in the original forward and recomputation
 4. Error message                                             <--- You are here
--------------------------------------------------------------------------------
"""


class OperationLog(Watcher):
    """Writes down each operation within a ``with`` block, and where it was called."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.traces: list[str] = []
        self._names: dict[int, str] = {}
        self._alive: list[Any] = []
        self._pending: list[str] = []

    def __enter__(self) -> Any:
        self.__init__()  # type: ignore[misc]  # each pass begins anew
        return super().__enter__()

    def before(self, op: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        shown = [self._shown(t) for t in tensors]
        arguments = [str(shown)] if op.variadic else shown
        arguments += [str(a) for a in attributes if a is not None]
        self._pending.append(f"torch._ops.{operator_of(op)}({', '.join(arguments)})")
        return super().before(op, tensors, attributes)

    def after(self, op: Any, outs: list[Any]) -> None:
        names = []
        for t in outs:
            kind = _DTYPES.get(t.dtype.name, t.dtype.name)
            names.append(f"{self._shown(t)}: {kind}[{', '.join(map(str, t.shape))}]")
        self.lines.append(f"{', '.join(names)} = {self._pending.pop()}")
        frames = [f for f in traceback.extract_stack() if not is_internal(f.filename)]
        self.traces.append("\n".join(f"{f.filename}:{f.lineno}:{f.name}" for f in reversed(frames)))
        super().after(op, outs)

    def _shown(self, value: Any) -> str:
        if not isinstance(value, Tensor):
            return str(value)
        key = id(value._array)
        if key not in self._names:
            self._names[key] = f"${len(self._names)}"
            self._alive.append(value._array)  # an id is one's own only while one lives
        return self._names[key]

    def with_traces(self, which: str) -> str:
        count = len(self.lines)
        return "\n\n".join(
            f"{line}   ({i + 1} of {count} in {which})\n\n{trace}\n"
            for i, (line, trace) in enumerate(zip(self.lines, self.traces))
        )


def report(first: OperationLog, second: OperationLog) -> str:
    """What both passes did, and how to read it."""
    return _TEMPLATE.format(
        first=_FRAME.format("        1. Stack traces of the operators that ran in the original forward"),
        second=_FRAME.format("        2. Stack traces of the operators that ran during recomputation "),
        third=_FRAME.format("       3. Log of operators in the original forward and recomputation  "),
        first_traces=first.with_traces("original"),
        second_traces=second.with_traces("recompute"),
        first_log="\n".join(first.lines),
        second_log="\n".join(second.lines),
    )
