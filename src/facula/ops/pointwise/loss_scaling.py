"""What ``amp.GradScaler`` does to gradients and to its scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..._core import dtypes
from ..._tensor import Tensor
from ..machine.public import public

_KINDS = {dtypes.float32: "a float", dtypes.int32: "an int"}


def _check(dtype: dtypes.dtype = dtypes.float32, **numbers: Tensor) -> None:
    for name, number in numbers.items():
        if number.numel() != 1:
            raise RuntimeError(f"{name} must be a 1-element tensor.")
        if number.dtype is not dtype:
            raise RuntimeError(f"{name} must be {_KINDS[dtype]} tensor.")


@public("_amp_foreach_non_finite_check_and_unscale_")
def _amp_foreach_non_finite_check_and_unscale_(self: Sequence[Tensor], found_inf: Tensor, inv_scale: Tensor) -> None:
    """Multiply gradients by ``inv_scale`` in place; ``found_inf`` becomes 1 if one of them was not finite."""
    if not self:
        return
    _check(inv_scale=inv_scale)
    _check(found_inf=found_inf)
    for grad in self:
        if not grad.dtype.is_floating_point:
            name = dtypes.SCALAR_TYPE_NAMES[grad.dtype]
            raise NotImplementedError(
                f'"_amp_foreach_non_finite_check_and_unscale_cpu" not implemented for \'{name}\''
            )
        if not grad.isfinite().all():
            found_inf.fill_(1.0)
        grad.mul_(inv_scale.reshape(()))


@public("_amp_update_scale_")
def _amp_update_scale_(
    self: Tensor, growth_tracker: Tensor, found_inf: Tensor, scale_growth_factor: float, scale_backoff_factor: float,
    growth_interval: int,
) -> Tensor:  # fmt: skip
    """Shrink a scale if a gradient was not finite, or let it grow after ``growth_interval`` good steps."""
    _check(dtypes.int32, growth_tracker=growth_tracker)
    _check(current_scale=self, found_inf=found_inf)
    if found_inf.item():
        self.fill_(self.item() * scale_backoff_factor)
        growth_tracker.fill_(0)
    elif growth_tracker.item() + 1 == growth_interval:
        with np.errstate(over="ignore"):
            grown = np.float32(self.item() * scale_growth_factor)
        if np.isfinite(grown):
            self.fill_(float(grown))
        growth_tracker.fill_(0)
    else:
        growth_tracker.add_(1)
    return self
