"""``torch.utils.benchmark``: how long a statement takes, measured with care, and tables of it."""

from .utils.common import Measurement, TaskSpec, select_unit
from .utils.compare import Compare
from .utils.timer import Timer, timer

__all__ = ["Compare", "Measurement", "TaskSpec", "Timer", "select_unit", "timer"]
