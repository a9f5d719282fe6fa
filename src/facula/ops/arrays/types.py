"""Types of what kernels take and give.

In a kernel that is made a primitive these annotations say which parameters are tensors; all others are attributes.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Arrays: TypeAlias = tuple[Array, ...]
