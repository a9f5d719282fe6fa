"""PyTorch's checkpoints in files of safetensors: there are none here, and whoever asks for them is told so."""

from __future__ import annotations

from typing import Any

from .save_load import FileSystemReader, FileSystemWriter

__all__ = ["HuggingFaceStorageReader", "HuggingFaceStorageWriter"]


def _refuse(self: Any, *args: Any, **kwargs: Any) -> None:
    raise NotImplementedError(f"{type(self).__name__}: facula's distributed checkpoints are in files of its own")


class HuggingFaceStorageWriter(FileSystemWriter):
    """None can be made."""

    __init__ = _refuse


class HuggingFaceStorageReader(FileSystemReader):
    """None can be made."""

    __init__ = _refuse
