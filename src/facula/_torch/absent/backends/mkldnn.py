"""``torch.backends.mkldnn``: whatever library NumPy computes with, facula does not use this one itself."""

from __future__ import annotations


def is_available() -> bool:
    return False


enabled = True
deterministic = False
allow_tf32 = True
