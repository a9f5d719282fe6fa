"""The kinds of programs that there are."""

from __future__ import annotations

from . import arguments, eager, layers, options, own, transforms

KINDS = {
    "eager": eager.make, "transforms": transforms.make, "arguments": arguments.make, "layers": layers.make,
    "options": options.make, "own": own.make,
}  # fmt: skip

LIKELY = ("eager", "eager", "eager", "transforms", "layers", "options", "own")
"""Those that are made if none is asked for."""
