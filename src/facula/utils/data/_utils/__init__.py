"""The inner parts of the DataLoader."""

from . import collate, fetch, worker

__all__ = ["collate", "fetch", "worker"]
