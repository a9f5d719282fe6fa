"""Test processes: one thread each for matrix products, and the native library only when it is asked for. What needs
SciPy or ml_dtypes is skipped where they are not installed.

``FACULA_TESTS_NATIVE=1`` builds one and uses it; with ``always`` it is used for arrays of all sizes, and what it
gives is compared with what NumPy's kernels give.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator
from importlib.util import find_spec

import pytest

ABSENT = {name for name in ("scipy", "ml_dtypes") if find_spec(name) is None}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None]:
    try:
        return (yield)
    except (ImportError, AssertionError) as error:
        for name in ABSENT:
            if f"facula needs {name}" in str(error) or getattr(error, "name", "") == name:
                pytest.skip(f"needs {name}")
        raise


for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# PyTorch beside: where AMX is announced but cannot be used, oneDNN ends the process.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16")

wanted = os.environ.get("FACULA_TESTS_NATIVE")
if not wanted:
    os.environ["FACULA_NATIVE"] = "0"  # whatever lies in the user's folder
else:
    if "PYTEST_XDIST_WORKER" not in os.environ:
        folder = tempfile.TemporaryDirectory(prefix="facula-")
        atexit.register(folder.cleanup)
        os.environ["FACULA_CACHE"] = folder.name
        subprocess.run([sys.executable, "-m", "facula", "native", "build"], check=True)
    if wanted == "always":
        from tests import native_watch

        native_watch.install()
