"""What compiling tells on the way: kinds of messages by PyTorch's names, switched on by ``set_logs`` or ``TORCH_LOGS``.

Kinds with messages here: ``recompiles``, ``graph_breaks``, ``guards``, ``graph_code``, ``aot_graphs``, ``output_code``.
"""

from __future__ import annotations

import itertools
import logging
import os
import sys
import time

MODULES = frozenset("all aot autograd c10d ddp distributed dtensor dynamic dynamo export fsdp inductor onnx".split())
ARTIFACTS = frozenset("""
    aot_graphs aot_joint_graph autotuning benchmarking bytecode caching compiled_autograd compiled_autograd_verbose
    compute_dependencies cudagraph_static_inputs cudagraphs ddp_graphs fusion graph graph_breaks graph_code
    graph_code_verbose graph_region_expansion graph_sizes guards hierarchical_compile incremental inductor_metrics
    ir_post_fusion ir_pre_fusion kernel_code onnx_diagnostics output_code overlap perf_hints post_grad_graphs
    pre_grad_graphs recompiles recompiles_verbose schedule side_effects sym_node trace_bytecode trace_call trace_source
""".split())
_SAME = {"recompiles_verbose": "recompiles", "graph": "graph_code", "graph_code_verbose": "graph_code"}

_on: set[str] = set()
frames = itertools.count()
"""Numbers of functions, as messages name them."""


def choose(kinds: set[str]) -> None:
    """Switch on these kinds, and no others."""
    _on.clear()
    _on.update(_SAME.get(kind, kind) for kind in kinds)


def is_on(kind: str) -> bool:
    """Whether messages of a kind are wanted."""
    return kind in _on


def from_environment() -> None:
    """Switch on what ``FACULA_LOGS`` or ``TORCH_LOGS`` says: ``"recompiles,+dynamo,guards"``."""
    asked = os.environ.get("FACULA_LOGS") or os.environ.get("TORCH_LOGS") or ""
    words = [word.strip().lstrip("+") for word in asked.split(",") if not word.strip().startswith("-")]
    choose({word for word in words if word in ARTIFACTS or word in MODULES})


def tell(kind: str, where: str, text: str) -> None:
    """Write a message; ``where``: which function, and its how manieth program."""
    if kind not in _on:
        return
    logger = logging.getLogger(f"torch.__{kind}")
    now = time.time()
    stamp = time.strftime("%m%d %H:%M:%S", time.localtime(now)) + f".{int(now % 1 * 1e6):06d}"
    head = f"V{stamp} {os.getpid()} facula/_compile] [{where}] [__{kind}] "
    if logger.handlers:
        logger.debug("%s", text)
    else:
        sys.stderr.write("".join([f"{head}{line}\n" for line in text.splitlines()]))


from_environment()
