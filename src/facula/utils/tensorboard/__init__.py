"""``torch.utils.tensorboard``: what a training tells, in files that TensorBoard shows.

The files are written by the package ``tensorboard``; without it this module cannot be imported.
"""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("tensorboard") is None:
    raise ModuleNotFoundError(
        "No module named 'tensorboard': torch.utils.tensorboard needs that package (pip install tensorboard)",
        name="tensorboard",
    )

from tensorboard.summary.writer.record_writer import RecordWriter

from .writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "RecordWriter", "SummaryWriter"]
