"""Test processes: one thread each for matrix products, and the native library only when it is asked for.

``FACULA_TESTS_NATIVE=1`` builds one and uses it; with ``always`` it is used for arrays of all sizes, and what it
gives is compared with what NumPy's kernels give.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import tempfile

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

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
