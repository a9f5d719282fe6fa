"""What can be set about compiling."""

from __future__ import annotations

import os

recompile_limit = 8
"""How many programs one function may have; beyond that it runs as it is."""

STANCES = ("default", "force_eager", "eager_on_recompile", "fail_on_recompile", "eager_then_compile")
stance = "default"


def logs(kind: str) -> bool:
    """Whether ``FACULA_LOGS`` or ``TORCH_LOGS`` asks for messages of a kind: output_code, guards, recompiles."""
    asked = os.environ.get("FACULA_LOGS") or os.environ.get("TORCH_LOGS") or ""
    return kind in [word.strip().lstrip("+") for word in asked.split(",")]


automatic_dynamic_shapes = True
"""Whether a size that was seen to change makes the next program general in it."""


def follows_sizes(dynamic: bool | None) -> bool:
    return dynamic is None and automatic_dynamic_shapes
