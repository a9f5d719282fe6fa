"""Control flow as operators: branches, loops and scans whose bodies are functions of tensors.

Their bodies run as they are written, each in its turn, and are recorded as any other operators: a graph that PyTorch
hides in one node (``CondAutogradOpBackward``) is seen here.
"""

from __future__ import annotations

from .associative_scan import associative_scan
from .cond import cond
from .map import map
from .scan import scan
from .while_loop import while_loop

__all__ = ["associative_scan", "cond", "map", "scan", "while_loop"]
