"""How losses batch: the reduction is over all dimensions but the batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._tensor import Tensor
from ..machine.batching import Call, joined, padded, parted


def loss_of_items(call: Call) -> Any:
    """Losses of pairs of elements, then what the reduction makes of each item's."""
    reduction = call.attribute("reduction")
    ndim = max(call.ndim(i) for i, v in enumerate(call.values) if isinstance(v, Tensor))
    values = [padded(call.full(i), ndim) if isinstance(v, Tensor) else v for i, v in enumerate(call.values)]
    each = call.run(values, call.changed(reduction=0))
    if reduction == 0 or each.dim() == 1:
        return each
    rows = each.flatten(1)
    return rows.mean(1) if reduction == 1 else rows.sum(1)


def loss_backward_of_items(call: Call) -> Any:
    """The backward of such a loss: the gradient of each item is that of its own loss."""
    ndim = max(call.ndim(i) for i, v in enumerate(call.values) if i and isinstance(v, Tensor))
    values = [padded(call.full(i), ndim) if isinstance(v, Tensor) else v for i, v in enumerate(call.values)]
    if call.attribute("reduction") == 1:
        count = 1
        for n in np.broadcast_shapes(*[tuple(v.shape[1:]) for v in values if isinstance(v, Tensor)]):
            count *= n
        values[0] = values[0] / max(count, 1)
    return call.run(values, call.changed(reduction=0))


def loss_of_samples(call: Call) -> Any:
    """Losses of samples of classes: the batch joins the samples."""
    reduction = call.attribute("reduction")
    if call.ndim(0) < 2 or (len(call.values) > 2 and call.flags[2]):
        return None
    values = [joined(call.full(i)) if i < 2 else v for i, v in enumerate(call.values)]
    found = call.run(values, call.changed(reduction=0))
    several = isinstance(found, (tuple, list))
    each = parted(found[0] if several else found, call.size)
    if reduction:
        each = each.mean(1) if reduction == 1 else each.sum(1)
    return [each, parted(found[1], call.size)] if several else each
