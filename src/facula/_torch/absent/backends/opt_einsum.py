"""``torch.backends.opt_einsum``: ``einsum`` contracts from left to right, as PyTorch does without this package."""

from __future__ import annotations

enabled = False
strategy: str | None = None


def is_available() -> bool:
    return False


def get_opt_einsum() -> None:
    return None
