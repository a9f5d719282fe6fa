"""Steps of optimizers on flat arrays: True if the step was taken.

Each takes a parameter, its gradient, the state, and what the optimizer's ``_advance`` says of this step.
"""

from __future__ import annotations

from typing import Any

from ..kernels.optimizers import adam_, sgd_


def adam(p: Any, g: Any, mean: Any, square: Any, *rest: Any) -> bool:
    *largest, (share, beta2, eps, size, shrink, decay, maximize) = rest
    return adam_(
        p, g, mean, square, largest[0] if largest else None, share=share, beta2=beta2, eps=eps, size=size,
        shrink=1.0 if shrink is None else shrink, decay=decay, maximize=maximize,
    )  # fmt: skip


def sgd(p: Any, g: Any, *rest: Any) -> bool:
    *velocity, (lr, momentum, share, decay, nesterov, maximize) = rest
    return sgd_(
        p, g, velocity[0] if velocity else None, lr=lr, momentum=momentum, decay=decay, nesterov=nesterov,
        dampening=0.0 if share is None else 1 - share, maximize=maximize, first=share is None and bool(velocity),
    )  # fmt: skip
