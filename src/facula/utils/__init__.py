"""Tools beside the tensors: DLPack, checkpointing, data."""

from . import dlpack

__all__ = ["dlpack"]
