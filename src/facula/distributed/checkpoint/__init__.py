"""``torch.distributed.checkpoint``: what a group of processes has, written together and read by any other number.

Each tensor is written by one process, into a file of its own that has not been there before. When all files are on
disk, rank 0 puts the new table of contents in the place of the old one, in one step: that is the moment at which the
checkpoint changes. Whatever is interrupted before it leaves the old one whole.

The directory must be one that all processes see. The files are facula's own: PyTorch's tool for them does not read
them.
"""

from __future__ import annotations

from .save_load import (
    CheckpointException,
    FileSystemReader,
    FileSystemWriter,
    async_save,
    load,
    load_state_dict,
    save,
    save_state_dict,
)

__all__ = [
    "CheckpointException", "FileSystemReader", "FileSystemWriter", "async_save", "load", "load_state_dict", "save",
    "save_state_dict",
]  # fmt: skip
