"""``torch.__config__``: what it is built with."""

from __future__ import annotations

import os

import facula

__all__ = ["parallel_info", "show"]


def show() -> str:
    """What computes here, in a few lines."""
    import numpy  # loaded when first used

    from .native import command  # loaded when first used

    return (
        f"facula {facula.__version__}, which runs in place of PyTorch, built with:\n"
        f"  - NumPy {numpy.__version__}\n  - native library {command.line()}\n"
    )


def parallel_info() -> str:
    """How many threads are used, and what says so."""
    lines = [f"facula/Parallel:\n\tget_num_threads() : {facula.get_num_threads()}"]
    lines += [f"hardware concurrency : {os.cpu_count()}", "Environment variables:"]
    lines += [f"\t{name} : {os.environ.get(name, '[not set]')}" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")]
    return "\n".join(lines) + "\n"
