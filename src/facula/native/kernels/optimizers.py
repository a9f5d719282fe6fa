"""Steps of optimizers, in place: True if the step was taken."""

from __future__ import annotations

from typing import Any

from ..library import kernel

_adam = kernel("adam", "wfwwWnsssssss", 1.0)
_sgd = kernel("sgd", "wfWnnsssss", 0.5)


def adam_(
    p: Any, g: Any, mean: Any, square: Any, largest: Any, *, share: float, beta2: float, eps: float, size: float,
    shrink: float = 1.0, decay: float = 0.0, maximize: bool = False,
) -> bool:  # fmt: skip
    """Adam, AdamW (``shrink``: 1 - lr * decay) and AMSGrad (``largest``).

    With bias corrections c1 and c2 of the two running means: ``share`` is 1 - beta1, ``eps`` is eps * sqrt(c2),
    ``size`` is -lr / c1 * sqrt(c2), so that nothing of this is done for each element.
    """
    shape = p.shape
    if g.shape != shape or mean.shape != shape or square.shape != shape:
        return False
    if largest is not None and largest.shape != shape:
        return False
    sign = -1.0 if maximize else 1.0
    return _adam(p, g, mean, square, largest, p.size, share, beta2, eps, size, shrink, decay, sign)


def sgd_(
    p: Any, g: Any, buffer: Any, *, lr: float, momentum: float = 0.0, dampening: float = 0.0, decay: float = 0.0,
    nesterov: bool = False, maximize: bool = False, first: bool = False,
) -> bool:  # fmt: skip
    """SGD; with a momentum, ``buffer`` is its state, which the first step fills."""
    if g.shape != p.shape or (buffer is None) != (momentum == 0) or (buffer is not None and buffer.shape != p.shape):
        return False
    kind = 0 if buffer is None else 1 + nesterov + 2 * first
    return _sgd(p, g, buffer, p.size, kind, lr, momentum, 1 - dampening, decay, -1.0 if maximize else 1.0)
