"""``torch.utils.deterministic``: what else is filled when algorithms must be deterministic."""

from __future__ import annotations

fill_uninitialized_memory: bool = True
"""In PyTorch, whether new memory is filled then. Here it never is."""
