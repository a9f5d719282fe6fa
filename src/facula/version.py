"""``torch.version``: which PyTorch facula stands in for, and that it has been built for no accelerator."""

from __future__ import annotations

from .torch_version import __version__ as _version

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]

__version__ = str(_version)
debug = False
cuda: str | None = None
hip: str | None = None
rocm: str | None = None
xpu: str | None = None
git_version = "Unknown"
