"""The kinds of programs that there are."""

from __future__ import annotations

from . import arguments, eager, options, own, transforms

KINDS = {"eager": eager.make, "transforms": transforms.make, "arguments": arguments.make,
         "options": options.make, "own": own.make}

LIKELY = ("eager", "eager", "eager", "transforms")
"""Those that are made if none is asked for."""
