"""What can be set about compiling."""

from __future__ import annotations

recompile_limit = 8
"""How many programs one function may have; beyond that it runs as it is."""

STANCES = ("default", "force_eager", "eager_on_recompile", "fail_on_recompile", "eager_then_compile")
stance = "default"


error_on_recompile = False
"""Whether it is an error that no program is for a call."""

fail_on_recompile_limit_hit = False
"""Whether it is an error that a function would have more programs than it may."""

default_backend = None
"""The back end of functions that are compiled without naming one."""

automatic_dynamic_shapes = True
"""Whether a size that was seen to change makes the next program general in it."""


def follows_sizes(dynamic: bool | None) -> bool:
    return dynamic is None and automatic_dynamic_shapes
