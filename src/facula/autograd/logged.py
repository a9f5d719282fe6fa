"""The logger ``torch.autograd.graph``: at the level of debugging it is told of each node that is run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from .graph import nodes_behind

NAME = "torch.autograd.graph"
_SHORT = {"float": "f", "bfloat": "bf", "complex": "c", "int": "i", "uint": "u", "bool": "b8"}


def is_wanted() -> bool:
    """Whether the program logs, and has asked for that logger. Who does not pays for two looks into dictionaries."""
    logging = sys.modules.get("logging")
    return (
        logging is not None
        and NAME in logging.Logger.manager.loggerDict
        and logging.getLogger(NAME).getEffectiveLevel() <= logging.DEBUG
    )


def begin(edges: list[Any]) -> Callable[[], None]:
    """Have all nodes behind some edges tell when they are run, until what is returned is called."""
    handles = [
        node.register_prehook(lambda grads, node=node: _tell(node, grads))
        for node in nodes_behind(edges)
    ]

    def end() -> None:
        for handle in handles:
            handle.remove()

    return end


def _tell(node: Any, grads: tuple[Any, ...]) -> None:
    shown = ",".join("None" if g is None else f"{_short(g.dtype)}[{', '.join(map(str, g.shape))}]" for g in grads)
    sys.modules["logging"].getLogger(NAME).debug(f"Executing: {node} with grad_outputs: [{shown}]")


def _short(dtype: Any) -> str:
    """``f32`` for ``torch.float32``."""
    name = repr(dtype).removeprefix("torch.")
    kind = name.rstrip("0123456789")
    return _SHORT[kind] + name[len(kind) :]
