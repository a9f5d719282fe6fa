"""``facula doctor``: what is installed, what is missing, and what would make it faster, on one screen."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from importlib import metadata

import facula

from ._core import blas
from .torch_version import __version__ as PYTORCH

OPTIONAL = {
    "scipy": "special functions and large Fourier transforms are quicker with it; rare special functions need it",
    "ml_dtypes": "bfloat16 is several times as fast with it",
    "mpi4py": "facula.distributed needs it, and an MPI (pip install mpi4py mpich)",
}


def version_of(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _blas() -> str:
    """Whose kernels NumPy's products take, which the environment may have chosen."""
    kernels = blas.kernels()
    chosen = ", as OPENBLAS_CORETYPE says" if "OPENBLAS_CORETYPE" in os.environ else ""
    return "" if kernels is None else f" (OpenBLAS, kernels for {kernels}{chosen})"


def run() -> int:
    from .native import command  # loaded when first used

    print(f"facula {facula.__version__}, standing in for PyTorch {PYTORCH}, in {os.path.dirname(facula.__file__)}")
    print(f"Python {platform.python_version()} ({sys.executable}), NumPy {version_of('numpy')}{_blas()}")
    threads = f"{os.cpu_count()} processors, {facula.get_num_threads()} threads in use"
    print(f"{platform.system()} {platform.machine()}, {threads}")
    print(f"native library: {command.line()}")
    there = {name: version for name in OPTIONAL if (version := version_of(name))}
    print(f"installed beside: {', '.join(f'{name} {version}' for name, version in there.items()) or 'nothing'}")
    for name, use in OPTIONAL.items():
        if name not in there:
            print(f"  not installed: {name}: {use}")
    advice = []
    if not command.libraries.in_use():
        compiler = shutil.which(os.environ.get("CC", "cc"))
        advice.append("facula native build" if compiler else "a C compiler (gcc or clang), then facula native build")
    advice += [f"pip install {name}" for name in ("scipy", "ml_dtypes") if name not in there]
    print("faster with: " + "; ".join(advice) if advice else "nothing that would make it faster is missing")
    return 0
