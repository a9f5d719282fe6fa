"""All workloads, by group and by library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .draws import DRAWS
from .func import FUNC
from .higher import HIGHER
from .kernels import KERNELS
from .networks import NETWORKS
from .optimizers import OPTIMIZERS
from .peers import AUTOGRAD, JAX, MYGRAD
from .sizes import SIZES
from .training import TRAINING
from .workloads import WORKLOADS, Workload

GROUPS: dict[str, dict[str, Workload]] = {
    "operators": WORKLOADS,
    "kernels": KERNELS,
    "networks": {**TRAINING, **NETWORKS},
    "higher": HIGHER,
    "func": FUNC,
    "optimizers": OPTIMIZERS,
    "random": DRAWS,
    "sizes": SIZES,
}

ALL: dict[str, Workload] = {name: make for group in GROUPS.values() for name, make in group.items()}

LIBRARIES = ("facula", "torch")
"""The two that are compared."""

NATIVE = "facula-native"
"""facula with its native library; what is called facula here goes without."""

PEERS: dict[str, dict[str, Workload]] = {NATIVE: ALL, "jax": JAX, "autograd": AUTOGRAD, "mygrad": MYGRAD}
"""Others, with the workloads that are written for them."""


def module_of(library: str) -> str:
    """What to import."""
    return "facula" if library == NATIVE else library.partition(":")[0]


def made(library: str, module: Any, name: str) -> tuple[Callable[[], Any], int]:
    """A workload made ready for a library: what does a step, and the operations in it.

    ``facula:c`` is facula with steps compiled by its back end of that name.
    """
    step, operations = PEERS.get(library, ALL)[name](module)
    _, _, backend = library.partition(":")
    return module.compile(step, backend=backend) if backend else step, operations
