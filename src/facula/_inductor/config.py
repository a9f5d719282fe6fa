"""``torch._inductor.config``: settings of PyTorch's generator of code, which have no effect here."""

from __future__ import annotations

import sys
from typing import Any

from facula._compile.options import Options, changes, patched


def patch(named: Any = None, value: Any = None, **more: Any) -> patched:
    """Other settings for a while: a context manager and a decorator."""
    return patched(_module, changes(named, value, more))


_module: Any = sys.modules[__name__]
_module.__class__ = Options
_module._known = {
    "allow_buffer_reuse": True, "aot_inductor": None, "benchmark_kernel": False, "compile_threads": 1,
    "coordinate_descent_tuning": False, "cpp_wrapper": False, "cudagraphs": False, "debug": False,
    "disable_progress": True, "emulate_precision_casts": False, "epilogue_fusion": True, "fallback_random": False,
    "force_disable_caches": False, "freezing": False, "fx_graph_cache": True, "inplace_buffers": True,
    "max_autotune": False, "max_autotune_gemm": False, "max_autotune_pointwise": False, "max_fusion_size": 64,
    "shape_padding": True, "size_asserts": True, "split_reductions": True, "use_mixed_mm": True,
    "verbose_progress": False,
}  # fmt: skip
