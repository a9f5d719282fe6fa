"""Kernels at size (1M float32 elements unless the name says otherwise) and small, forward and forward + backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .workloads import Workload

KERNELS: dict[str, Workload] = {}
SIZES: dict[str, Workload] = {}
"""An expression and its gradients on more and more elements."""

Inputs = Callable[[Any], tuple[Any, ...]]


def _draw(*shape: int, seed: int = 0, dtype: Any = np.float32) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def _places(*shape: int, below: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).integers(0, below, shape)


def _kernel(name: str, fn: Callable[..., Any], floats: tuple[Any, ...], rest: tuple[Any, ...] = ()) -> None:
    """Two workloads of a function: nothing recorded, and with the gradients of all of its float inputs.

    ``floats`` and ``rest`` (places, which have no gradient) are functions that make the arrays, so that nothing is made
    before it is wanted.
    """

    def forward(torch: Any) -> tuple[Callable[[], Any], int]:
        tensors = [torch.from_numpy(make()) for make in (*floats, *rest)]
        return lambda: fn(torch, *tensors), 1

    KERNELS[name] = forward
    KERNELS[f"{name}_backward"] = _with_gradients(fn, floats, rest)


def _with_gradients(fn: Callable[..., Any], floats: tuple[Any, ...], rest: tuple[Any, ...] = ()) -> Workload:
    def both(torch: Any) -> tuple[Callable[[], Any], int]:
        leaves = [torch.from_numpy(make()).requires_grad_() for make in floats]
        tensors = [*leaves, *[torch.from_numpy(make()) for make in rest]]
        like = fn(torch, *tensors)
        g = torch.from_numpy(_draw(*like.shape, seed=9)) if like.ndim else torch.tensor(1.0)

        def step() -> Any:
            for leaf in leaves:
                leaf.grad = None
            fn(torch, *tensors).backward(g)
            return leaves[0].grad

        return step, 1

    return both


def _some(*shape: int, seed: int = 0) -> Callable[[], Any]:
    return lambda: _draw(*shape, seed=seed)


def _indices(*shape: int, below: int) -> Callable[[], Any]:
    return lambda: _places(*shape, below=below)


def _functional(torch: Any) -> Any:
    return torch.nn.functional


_million = _some(1_000_000)
_square = _some(1000, 1000)

# ---- at size

_kernel("relu", lambda torch, x: torch.relu(x), (_million,))
_kernel("sum", lambda torch, x: x.sum(), (_million,))
_kernel("mean", lambda torch, x: x.mean(), (_million,))
_kernel("sigmoid", lambda torch, x: torch.sigmoid(x), (_million,))
_kernel("softmax", lambda torch, x: torch.softmax(x, -1), (_square,))
_kernel(
    "layer_norm", lambda torch, x, w, b: _functional(torch).layer_norm(x, (1000,), w, b),
    (_square, _some(1000, seed=1), _some(1000, seed=2)),
)  # fmt: skip
_kernel(
    "cross_entropy", lambda torch, x, y: _functional(torch).cross_entropy(x, y), (_square,),
    (_indices(1000, below=1000),),
)  # fmt: skip
_kernel("gather", lambda torch, x, i: torch.gather(x, 1, i), (_square,), (_indices(1000, 1000, below=1000),))
_kernel(
    "scatter_add", lambda torch, x, src, i: x.scatter_add(1, i, src), (_square, _some(1000, 1000, seed=1)),
    (_indices(1000, 1000, below=1000),),
)  # fmt: skip
_kernel(
    "embedding", lambda torch, w, i: _functional(torch).embedding(i, w), (_some(10_000, 64),),
    (_indices(16_384, below=10_000),),
)  # fmt: skip
_kernel("max_pool2d", lambda torch, x: _functional(torch).max_pool2d(x, 2), (_some(16, 16, 64, 64),))
_kernel("max_pool2d_3_stride_2", lambda torch, x: _functional(torch).max_pool2d(x, 3, 2, 1), (_some(16, 16, 64, 64),))
_kernel("sort", lambda torch, x: torch.sort(x, -1)[0], (_square,))
_kernel("sort_vector", lambda torch, x: torch.sort(x)[0], (_million,))
_kernel("cumsum", lambda torch, x: torch.cumsum(x, -1), (_square,))
_kernel("cumsum_first_dim", lambda torch, x: torch.cumsum(x, 0), (_square,))
_kernel("matmul", lambda torch, a, b: a @ b, (_square, _some(1000, 1000, seed=1)))
_kernel(
    "conv2d_26", lambda torch, x, w: _functional(torch).conv2d(x, w), (_some(32, 32, 26, 26), _some(64, 32, 3, 3)),
)  # fmt: skip
_kernel(
    "conv2d_56", lambda torch, x, w: _functional(torch).conv2d(x, w, padding=1),
    (_some(8, 64, 56, 56), _some(64, 64, 3, 3)),
)  # fmt: skip
_kernel("gelu", lambda torch, x: _functional(torch).gelu(x), (_million,))
_kernel(
    "batch_norm",
    lambda torch, x, w, b: _functional(torch).batch_norm(x, None, None, w, b, True),
    (_some(16, 16, 64, 64), _some(16, seed=1), _some(16, seed=2)),
)  # fmt: skip
_kernel(
    "group_norm", lambda torch, x, w, b: _functional(torch).group_norm(x, 4, w, b),
    (_some(16, 16, 64, 64), _some(16, seed=1), _some(16, seed=2)),
)  # fmt: skip
_kernel(
    "linear", lambda torch, x, w, b: _functional(torch).linear(x, w, b),
    (_some(256, 1024), _some(1024, 1024, seed=1), _some(1024, seed=2)),
)  # fmt: skip
_kernel(
    "attention", lambda torch, q, k, v: _functional(torch).scaled_dot_product_attention(q, k, v),
    (_some(8, 8, 128, 64), _some(8, 8, 128, 64, seed=1), _some(8, 8, 128, 64, seed=2)),
)  # fmt: skip


def _expression(torch: Any, x: Any, y: Any) -> Any:
    return torch.sigmoid(x) * torch.tanh(y) + torch.exp(-x * x)


_kernel("expression_1M", _expression, (_million, _some(1_000_000, seed=1)))
_kernel("expression_10M", _expression, (_some(10_000_000), _some(10_000_000, seed=1)))

for _n in (1, 10, 100, 1000, 10_000, 100_000, 1_000_000):
    SIZES[f"expression_of_{_n}"] = _with_gradients(_expression, (_some(_n), _some(_n, seed=1)))

# ---- small

_kernel("small_softmax", lambda torch, x: torch.softmax(x, -1), (_some(16, 16),))
_kernel(
    "small_layer_norm", lambda torch, x, w, b: _functional(torch).layer_norm(x, (16,), w, b),
    (_some(8, 16), _some(16, seed=1), _some(16, seed=2)),
)  # fmt: skip
_kernel(
    "small_cross_entropy", lambda torch, x, y: _functional(torch).cross_entropy(x, y), (_some(16, 10),),
    (_indices(16, below=10),),
)  # fmt: skip
_kernel("small_cat", lambda torch, a, b: torch.cat((a, b), 1), (_some(8, 16), _some(8, 16, seed=1)))
_kernel("small_gather", lambda torch, x, i: torch.gather(x, 1, i), (_some(8, 16),), (_indices(8, 16, below=16),))
_kernel("small_bmm", lambda torch, a, b: torch.bmm(a, b), (_some(8, 16, 16), _some(8, 16, 16, seed=1)))
_kernel("small_matmul_3d", lambda torch, a, b: a @ b, (_some(8, 16, 16), _some(16, 16, seed=1)))
_kernel(
    "small_group_norm", lambda torch, x, w, b: _functional(torch).group_norm(x, 4, w, b),
    (_some(4, 16, 8, 8), _some(16, seed=1), _some(16, seed=2)),
)  # fmt: skip
_kernel(
    "small_depthwise_conv", lambda torch, x, w: _functional(torch).conv2d(x, w, padding=1, groups=16),
    (_some(4, 16, 16, 16), _some(16, 1, 3, 3)),
)  # fmt: skip
