"""Kernels at size (1M float32 elements unless the name says otherwise) and small, forward and forward + backward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .workloads import Workload

KERNELS: dict[str, Workload] = {}

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
    KERNELS[f"{name}_backward"] = with_gradients(fn, floats, rest)


def with_gradients(fn: Callable[..., Any], floats: tuple[Any, ...], rest: tuple[Any, ...] = ()) -> Workload:
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


def some(*shape: int, seed: int = 0) -> Callable[[], Any]:
    return lambda: _draw(*shape, seed=seed)


def _indices(*shape: int, below: int) -> Callable[[], Any]:
    return lambda: _places(*shape, below=below)


def functional(torch: Any) -> Any:
    return torch.nn.functional


_million = some(1_000_000)
_square = some(1000, 1000)

# ---- at size

_kernel("relu", lambda torch, x: torch.relu(x), (_million,))
_kernel("sum", lambda torch, x: x.sum(), (_million,))
_kernel("mean", lambda torch, x: x.mean(), (_million,))
_kernel("sigmoid", lambda torch, x: torch.sigmoid(x), (_million,))
_kernel("softmax", lambda torch, x: torch.softmax(x, -1), (_square,))
_kernel(
    "layer_norm", lambda torch, x, w, b: functional(torch).layer_norm(x, (1000,), w, b),
    (_square, some(1000, seed=1), some(1000, seed=2)),
)  # fmt: skip
_kernel(
    "cross_entropy", lambda torch, x, y: functional(torch).cross_entropy(x, y), (_square,),
    (_indices(1000, below=1000),),
)  # fmt: skip
_kernel("gather", lambda torch, x, i: torch.gather(x, 1, i), (_square,), (_indices(1000, 1000, below=1000),))
_kernel(
    "scatter_add", lambda torch, x, src, i: x.scatter_add(1, i, src), (_square, some(1000, 1000, seed=1)),
    (_indices(1000, 1000, below=1000),),
)  # fmt: skip
_kernel(
    "embedding", lambda torch, w, i: functional(torch).embedding(i, w), (some(10_000, 64),),
    (_indices(16_384, below=10_000),),
)  # fmt: skip
_kernel("max_pool2d", lambda torch, x: functional(torch).max_pool2d(x, 2), (some(16, 16, 64, 64),))
_kernel("max_pool2d_3_stride_2", lambda torch, x: functional(torch).max_pool2d(x, 3, 2, 1), (some(16, 16, 64, 64),))
_kernel("sort", lambda torch, x: torch.sort(x, -1)[0], (_square,))
_kernel("sort_vector", lambda torch, x: torch.sort(x)[0], (_million,))
_kernel("cumsum", lambda torch, x: torch.cumsum(x, -1), (_square,))
_kernel("cumsum_first_dim", lambda torch, x: torch.cumsum(x, 0), (_square,))
_kernel("matmul", lambda torch, a, b: a @ b, (_square, some(1000, 1000, seed=1)))
_kernel(
    "conv2d_26", lambda torch, x, w: functional(torch).conv2d(x, w), (some(32, 32, 26, 26), some(64, 32, 3, 3)),
)  # fmt: skip
_kernel(
    "conv2d_56", lambda torch, x, w: functional(torch).conv2d(x, w, padding=1),
    (some(8, 64, 56, 56), some(64, 64, 3, 3)),
)  # fmt: skip
_kernel("gelu", lambda torch, x: functional(torch).gelu(x), (_million,))
_kernel(
    "batch_norm",
    lambda torch, x, w, b: functional(torch).batch_norm(x, None, None, w, b, True),
    (some(16, 16, 64, 64), some(16, seed=1), some(16, seed=2)),
)  # fmt: skip
_kernel(
    "group_norm", lambda torch, x, w, b: functional(torch).group_norm(x, 4, w, b),
    (some(16, 16, 64, 64), some(16, seed=1), some(16, seed=2)),
)  # fmt: skip
_kernel(
    "linear", lambda torch, x, w, b: functional(torch).linear(x, w, b),
    (some(256, 1024), some(1024, 1024, seed=1), some(1024, seed=2)),
)  # fmt: skip
_kernel(
    "attention", lambda torch, q, k, v: functional(torch).scaled_dot_product_attention(q, k, v),
    (some(8, 8, 128, 64), some(8, 8, 128, 64, seed=1), some(8, 8, 128, 64, seed=2)),
)  # fmt: skip


def expression(torch: Any, x: Any, y: Any) -> Any:
    return torch.sigmoid(x) * torch.tanh(y) + torch.exp(-x * x)


_kernel("expression_1M", expression, (_million, some(1_000_000, seed=1)))
_kernel("expression_10M", expression, (some(10_000_000), some(10_000_000, seed=1)))

# ---- small

_kernel("small_softmax", lambda torch, x: torch.softmax(x, -1), (some(16, 16),))
_kernel(
    "small_layer_norm", lambda torch, x, w, b: functional(torch).layer_norm(x, (16,), w, b),
    (some(8, 16), some(16, seed=1), some(16, seed=2)),
)  # fmt: skip
_kernel(
    "small_cross_entropy", lambda torch, x, y: functional(torch).cross_entropy(x, y), (some(16, 10),),
    (_indices(16, below=10),),
)  # fmt: skip
_kernel("small_cat", lambda torch, a, b: torch.cat((a, b), 1), (some(8, 16), some(8, 16, seed=1)))
_kernel("small_gather", lambda torch, x, i: torch.gather(x, 1, i), (some(8, 16),), (_indices(8, 16, below=16),))
_kernel("small_bmm", lambda torch, a, b: torch.bmm(a, b), (some(8, 16, 16), some(8, 16, 16, seed=1)))
_kernel("small_matmul_3d", lambda torch, a, b: a @ b, (some(8, 16, 16), some(16, 16, seed=1)))
_kernel(
    "small_group_norm", lambda torch, x, w, b: functional(torch).group_norm(x, 4, w, b),
    (some(4, 16, 8, 8), some(16, seed=1), some(16, seed=2)),
)  # fmt: skip
_kernel(
    "small_depthwise_conv", lambda torch, x, w: functional(torch).conv2d(x, w, padding=1, groups=16),
    (some(4, 16, 16, 16), some(16, 1, 3, 3)),
)  # fmt: skip
