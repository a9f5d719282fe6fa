"""Steps of optimizers: 100 small parameters, and one of 4 million elements. Gradients are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .workloads import Workload

OPTIMIZERS: dict[str, Workload] = {}

MODES: dict[str, tuple[str, dict[str, Any]]] = {
    "sgd": ("SGD", {}),
    "sgd_momentum": ("SGD", {"momentum": 0.9}),
    "adam": ("Adam", {}),
    "adamw": ("AdamW", {}),
    "adamw_fused": ("AdamW", {"fused": True}),
    "adamw_foreach": ("AdamW", {"foreach": True}),
    "rmsprop": ("RMSprop", {}),
    "adagrad": ("Adagrad", {}),
}
SIZES: dict[str, list[tuple[int, ...]]] = {"many_small": [(32,)] * 50 + [(16, 10)] * 50, "one_large": [(2000, 2000)]}


def _workload(cls: str, mode: dict[str, Any], shapes: list[tuple[int, ...]]) -> Workload:
    def make(torch: Any) -> tuple[Callable[[], Any], int]:
        params = [torch.nn.Parameter(torch.full(shape, 0.5)) for shape in shapes]
        for p in params:
            p.grad = torch.full(tuple(p.shape), 0.25)
        optimizer = getattr(torch.optim, cls)(params, lr=1e-9, **mode)

        def step() -> Any:
            optimizer.step()
            return params[0]

        return step, 1

    return make


for _size, _shapes in SIZES.items():
    for _name, (_cls, _mode) in MODES.items():
        OPTIMIZERS[f"{_name}_{_size}"] = _workload(_cls, _mode, _shapes)
