"""``torch.backends.cpu``: what the processor can do is for NumPy to find out."""

from __future__ import annotations


def get_cpu_capability() -> str:
    return "DEFAULT"
