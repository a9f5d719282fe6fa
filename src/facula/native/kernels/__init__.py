"""The kernels of the native library as functions of arrays.

Each returns what the NumPy kernel of the same name would, or None where it does not apply: another dtype than float32
and float64, another layout, mixed dtypes, an index out of range, or no library at all. Results are new arrays. A
function whose name ends in ``_`` changes its arguments and returns True, or returns False and has changed nothing.
"""

from __future__ import annotations

from .convolution import convolution, convolution_input_gradient, convolution_weight_gradient, output_size
from .elementwise import (
    erf,
    erf_backward,
    exp,
    gelu,
    gelu_and_derivative,
    gelu_backward,
    gelu_tanh,
    gelu_tanh_backward,
    log,
    relu,
    relu_backward,
    scale_masked,
    sigmoid,
    sigmoid_backward,
    silu,
    silu_backward,
    tanh,
    tanh_backward,
)
from .indexing import index_add_, scatter_add_
from .losses import cross_entropy, cross_entropy_backward, nll, nll_backward
from .norms import (
    batch_moments,
    batch_norm,
    batch_norm_backward,
    group_norm,
    group_norm_backward,
    layer_norm,
    layer_norm_backward,
)
from .optimizers import adam_, sgd_
from .pooling import average_pool, average_pool_backward, max_pool, max_pool_backward
from .products import attention, attention_backward, matmul
from .recurrent import Steps, gru, gru_backward, lstm, lstm_backward
from .rows import (
    log_softmax,
    log_softmax_backward,
    softmax,
    softmax_backward,
    sum_all,
    sum_columns,
    sum_rows,
)

__all__ = [
    "Steps", "adam_", "attention", "attention_backward", "average_pool", "average_pool_backward", "batch_moments",
    "batch_norm", "batch_norm_backward", "convolution", "convolution_input_gradient",
    "convolution_weight_gradient", "cross_entropy", "cross_entropy_backward", "erf", "erf_backward", "exp", "gelu",
    "gelu_and_derivative", "gelu_backward", "gelu_tanh", "gelu_tanh_backward", "group_norm", "group_norm_backward",
    "gru", "gru_backward", "index_add_", "layer_norm", "layer_norm_backward", "log", "log_softmax",
    "log_softmax_backward", "lstm", "lstm_backward", "matmul", "max_pool", "max_pool_backward", "nll",
    "nll_backward", "output_size", "relu", "relu_backward", "scale_masked", "scatter_add_", "sgd_", "sigmoid",
    "sigmoid_backward", "silu", "silu_backward", "softmax", "softmax_backward", "sum_all", "sum_columns",
    "sum_rows", "tanh", "tanh_backward",
]  # fmt: skip
