"""Samples of primitives that compute several gradients at once; ``op_samples`` imports them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import facula as torch
from facula.autograd.saved import SavedList
from facula.ops.machine.primitive import REGISTRY

from .op_samples import integers, real, sample

functional = torch.nn.functional


def gradients(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The gradients of ``fn`` as a function of what arrives and of its inputs."""

    def call(g: Any, *inputs: Any) -> Any:
        if all(x.requires_grad for x in inputs) and not any(x.wraps for x in (g, *inputs)):
            return torch.autograd.grad(fn(*inputs), inputs, g, create_graph=True)
        return torch.func.vjp(fn, *inputs)[1](g)

    return call


_layer = gradients(lambda x, w, b: functional.layer_norm(x, (2, 3), w, b))
sample("native_layer_norm_backward", _layer, real(2, 2, 3), real(2, 2, 3), real(2, 3), real(2, 3))
sample("native_layer_norm_backward", gradients(lambda x: functional.layer_norm(x, (3,))), real(2, 3), real(2, 3))
for _training in (True, False):

    def _batch(x: Any, w: Any, b: Any, training: bool = _training) -> Any:
        mean, var = torch.zeros(2, dtype=torch.float64), torch.ones(2, dtype=torch.float64)
        return functional.batch_norm(x, mean, var, w, b, training)

    sample("native_batch_norm_backward", gradients(_batch), real(2, 2, 3), real(2, 2, 3), real(2), real(2))
sample(
    "native_batch_norm_backward", gradients(lambda x: functional.batch_norm(x, None, None, training=True)), real(3, 2),
    real(3, 2),
)  # fmt: skip
sample(
    "convolution_backward", gradients(lambda x, w, b: functional.conv2d(x, w, b, stride=2, padding=1)),
    real(1, 2, 3, 2), real(1, 2, 4, 3), real(2, 2, 2, 2), real(2),
)  # fmt: skip
sample(
    "convolution_backward",
    gradients(lambda x, w: functional.conv_transpose1d(x, w, stride=2, output_padding=1, groups=2)), real(1, 2, 7),
    real(1, 2, 3), real(2, 1, 2),
)  # fmt: skip
for _accumulate in (False, True):
    sample(
        "index_put_impl",
        lambda x, v, add=_accumulate: REGISTRY["index_put_impl"](x, v, SavedList([integers([0, 2])]), add),
        real(3, 2), real(2, 2),
    )  # fmt: skip
sample(
    "rrelu_backward", lambda g, x: REGISTRY["rrelu_backward"](g, x, (x.detach() > 0) * 0.5 + 0.2, 0.2, 0.3, True),
    real(3), real(3),
)  # fmt: skip
