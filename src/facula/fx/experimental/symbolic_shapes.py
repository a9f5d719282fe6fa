"""``torch.fx.experimental.symbolic_shapes``: what is raised where sizes or data decide."""

from __future__ import annotations

from ..._compile.errors import ConstraintViolationError
from ...export._errors import GuardOnDataDependentSymNode

__all__ = ["ConstraintViolationError", "GuardOnDataDependentSymNode"]
