"""``torch.fx.node``: see ``torch.fx``."""

from . import Node

__all__ = ["Node"]
