"""``python -m torch.distributed.run``, which is ``torchrun``."""

from __future__ import annotations

from .launch import main

__all__ = ["main"]

if __name__ == "__main__":
    main()
