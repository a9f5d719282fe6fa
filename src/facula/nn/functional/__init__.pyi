# Written by python -m tests.stubs.
# ruff: noqa
from collections.abc import Callable
from collections.abc import Iterable
from facula._tensor import Tensor
from typing import Any

__all__: list[str]
FUNCTIONALS: Any
GRID_SAMPLE_INTERPOLATION_MODES: Any
GRID_SAMPLE_PADDING_MODES: Any
from facula.nn.functional import activation as activation
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Averages of as many windows as are wanted."""
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Averages of as many windows as are wanted in each dimension; None: as many as there are elements."""
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """Averages of as many windows as are wanted in each dimension; None: as many as there are elements."""
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The greatest elements of as many windows as are wanted; with ``return_indices`` also where they are."""
def adaptive_max_pool1d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The greatest elements of as many windows as are wanted, and where they are."""
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Tensor:
    """The greatest elements of as many windows as are wanted; with ``return_indices`` also where they are."""
def adaptive_max_pool2d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The greatest elements of as many windows as are wanted, and where they are."""
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Tensor:
    """The greatest elements of as many windows as are wanted; with ``return_indices`` also where they are."""
def adaptive_max_pool3d_with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The greatest elements of as many windows as are wanted, and where they are."""
def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Tensor:
    """The grid that ``grid_sample`` needs to apply affine maps to images of a size."""
def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout that keeps mean and variance of what SELU gives."""
from facula.nn.functional import attention as attention
def avg_pool1d(input: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True) -> Tensor:
    """The average of each window."""
def avg_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The average of each window."""
def avg_pool3d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The average of each window."""
def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None, bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-05) -> Tensor:
    """Mean 0 and variance 1 over each channel, by the batch's own statistics in training, else by the running ones."""
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input1 @ weight[k] @ input2 + bias[k]`` for each k."""
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """The cross entropy of probabilities with targets between 0 and 1."""
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean', pos_weight: Tensor | None = None) -> Tensor:
    """Binary cross entropy of the sigmoid of ``input``."""
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``."""
def celu_(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """The same, written into the input."""
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Channels (dimension 1) dealt out anew: the first of each group, then the second of each…"""
from facula.nn.functional import class_loss as class_loss
def conv1d(input: Any, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Tensor:
    """Sums of products of ``weight`` and the patches of (batch, channels, length) that it is moved over."""
def conv2d(input: Any, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Tensor:
    """``conv1d`` for images: (batch, channels, height, width)."""
def conv3d(input: Any, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Tensor:
    """``conv1d`` for volumes: (batch, channels, depth, height, width)."""
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Sums of products of (kernel, in, out) and the patches along time that it is moved over."""
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: int = 1, dilation: Any = 1) -> Tensor:
    """The adjoint of ``conv1d``: each element of ``input`` adds a multiple of ``weight`` to a patch of the result."""
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: int = 1, dilation: Any = 1) -> Tensor:
    """The adjoint of ``conv2d``."""
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: int = 1, dilation: Any = 1) -> Tensor:
    """The adjoint of ``conv3d``."""
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """1 - cosine for targets of 1; for those of -1, the cosine as far as it is above a margin."""
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-08) -> Tensor:
    """The cosine of the angle between vectors along ``dim``, after both are broadcast to one shape."""
def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100, reduce: bool | None = None, reduction: str = 'mean', label_smoothing: float = 0.0) -> Tensor:
    """The cross entropy of the softmax of ``input`` with target classes, or with target probabilities."""
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: str = 'mean', zero_infinity: bool = False) -> Tensor:
    """Connectionist temporal classification: see ``facula.ops.ctc``."""
from facula.nn.functional import distance as distance
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeros at random with probability p, the rest scaled up."""
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels of signals dropped."""
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels of images dropped."""
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels of volumes dropped."""
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """``x`` if positive, else ``alpha * (exp(x) - 1)``."""
def elu_(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """The same, written into the input."""
def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:
    """The rows of ``weight`` that ``input`` numbers. Rows longer than ``max_norm`` are first shortened, in place."""
def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: float | None = None, norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = 'mean', sparse: bool = False, per_sample_weights: Tensor | None = None, include_last_offset: bool = False, padding_idx: int | None = None) -> Tensor:
    """Sums, means or maxima of the rows of ``weight`` that each bag of ``input`` numbers."""
from facula.nn.functional import embedding_loss as embedding_loss
def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """``alpha_dropout`` of whole channels."""
def fold(input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Images of this size from columns (batch, channels * kernel, places): where patches overlap they are summed."""
def fractional_max_pool2d(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False, _random_samples: Tensor | None = None) -> Tensor:
    """The greatest elements of windows at random places; with ``return_indices`` also where they are."""
def fractional_max_pool2d_with_indices(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False, _random_samples: Tensor | None = None) -> Any:
    """The greatest elements of windows at random places, and where they are."""
def fractional_max_pool3d(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False, _random_samples: Tensor | None = None) -> Tensor:
    """The greatest elements of windows at random places; with ``return_indices`` also where they are."""
def fractional_max_pool3d_with_indices(input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False, _random_samples: Tensor | None = None) -> Any:
    """The greatest elements of windows at random places, and where they are."""
def gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor | float, full: bool = False, eps: float = 1e-06, reduction: str = 'mean') -> Tensor:
    """The negative log likelihood of targets by normal distributions of these means and variances."""
def gelu(input: Tensor, *, approximate: str = 'none', out: Tensor | None = None) -> Tensor:
    """``x`` times the normal distribution function of ``x``, or an approximation by tanh."""
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along ``dim`` times the sigmoid of the second."""
def grid_sample(input: Tensor, grid: Tensor, mode: str = 'bilinear', padding_mode: str = 'zeros', align_corners: bool | None = None) -> Tensor:
    """``input`` at the places of a grid, whose coordinates go from -1 to 1."""
def group_norm(input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05) -> Tensor:
    """Mean 0 and variance 1 over groups of channels of each sample."""
def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A softened random choice by logarithms of probabilities; ``hard``: exactly one 1, with soft derivatives."""
def handle_torch_function(public_api: Any, relevant_args: Any, *args: Any, **kwargs: Any) -> Any:
    """Let the arguments that override a function answer in its place."""
def hardshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """``x``, or 0 within [-lambd, lambd]."""
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """``min(max(0, x + 3), 6) / 6``."""
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * hardsigmoid(x)``."""
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """``x`` clamped to [min_val, max_val]."""
def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """The same, written into the input."""
def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether one of some arguments overrides functions."""
def has_torch_function_unary(obj: Any) -> bool:
    """Whether an argument overrides functions."""
def has_torch_function_variadic(*objs: Any) -> bool:
    """Whether one of the arguments overrides functions."""
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """The input for targets of 1; for those of -1, what it lacks to a margin."""
def huber_loss(input: Tensor, target: Tensor, reduction: str = 'mean', delta: float = 1.0, weight: Tensor | None = None) -> Tensor:
    """Squares of differences below ``delta``, multiples of absolute values of larger ones."""
def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-05) -> Tensor:
    """Mean 0 and variance 1 over each channel of each sample."""
def interpolate(input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = 'nearest', align_corners: bool | None = None, recompute_scale_factor: bool | None = None, antialias: bool = False) -> Tensor:
    """``input`` at another size, or made larger by a factor."""
def kl_div(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean', log_target: bool = False) -> Tensor:
    """The Kullback-Leibler divergence of a target distribution from one given by logarithms."""
def l1_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean', weight: Tensor | None = None) -> Tensor:
    """The mean of the absolute differences (or their sum, or all of them)."""
def layer_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05) -> Tensor:
    """Mean 0 and variance 1 over the last dimensions."""
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """``x`` if positive, else ``negative_slope * x``."""
def leaky_relu_(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """The same, written into the input."""
def linear(input: Any, weight: Any, bias: Any = None, *, out: Any = None) -> Tensor:
    """``input @ weight.t() + bias``, with ``weight`` of shape (out, in)."""
def linear_cross_entropy(input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = None, weight: Tensor | None = None, reduction: str = 'mean', ignore_index: int | None = None, label_smoothing: float = 0.0, options: Any = None) -> Tensor:
    """``cross_entropy(linear(input, linear_weight, linear_bias), target)``."""
from facula.nn.functional import linear_loss as linear_loss
def local_response_norm(input: Tensor, size: int, alpha: float = 0.0001, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Each value divided by a power of the mean square of its neighbours among the channels."""
def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The logarithm of softmax."""
def logsigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``log(sigmoid(x))``."""
from facula.nn.functional import loss as loss
def lp_pool1d(input: Tensor, norm_type: int | float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of each window, without a sum's absolute values: ``sum(x**p) ** (1/p)``."""
def lp_pool2d(input: Tensor, norm_type: int | float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of each window, without a sum's absolute values: ``sum(x**p) ** (1/p)``."""
def lp_pool3d(input: Tensor, norm_type: int | float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of each window, without a sum's absolute values: ``sum(x**p) ** (1/p)``."""
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """How much of a margin input1 lacks to be above input2 (target 1) or below (-1)."""
def max_pool1d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False) -> Tensor:
    """The greatest element of each window; with ``return_indices`` also where it is in its plane."""
def max_pool1d_with_indices(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = True) -> Any:
    """The greatest element of each window, and where it is in its plane."""
def max_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False) -> Tensor:
    """The greatest element of each window; with ``return_indices`` also where it is in its plane."""
def max_pool2d_with_indices(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = True) -> Any:
    """The greatest element of each window, and where it is in its plane."""
def max_pool3d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = False) -> Tensor:
    """The greatest element of each window; with ``return_indices`` also where it is in its plane."""
def max_pool3d_with_indices(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False, return_indices: bool = True) -> Any:
    """The greatest element of each window, and where it is in its plane."""
def max_unpool1d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """Each element put to the place that its index names in a plane of zeros."""
def max_unpool2d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """Each element put to the place that its index names in a plane of zeros."""
def max_unpool3d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """Each element put to the place that its index names in a plane of zeros."""
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * tanh(softplus(x))``."""
def mse_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean', weight: Tensor | None = None) -> Tensor:
    """The mean of the squared differences (or their sum, or all of them)."""
def multi_head_attention_forward(query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int, in_proj_weight: Tensor | None, in_proj_bias: Tensor | None, bias_k: Tensor | None, bias_v: Tensor | None, add_zero_attn: bool, dropout_p: float, out_proj_weight: Tensor, out_proj_bias: Tensor | None, training: bool = True, key_padding_mask: Tensor | None = None, need_weights: bool = True, attn_mask: Tensor | None = None, use_separate_proj_weight: bool = False, q_proj_weight: Tensor | None = None, k_proj_weight: Tensor | None = None, v_proj_weight: Tensor | None = None, static_k: Tensor | None = None, static_v: Tensor | None = None, average_attn_weights: bool = True, is_causal: bool = False) -> tuple[Tensor, Tensor | None]:
    """Attention of several heads, each on its own projection of queries, keys and values: (length, batch, width)."""
def multi_margin_loss(input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """How far other classes come within a margin of the target's."""
def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """How far classes that are no targets come within 1 of those that are."""
def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """The binary cross entropy of each class, averaged over the classes."""
def native_channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Channels (dimension 1) dealt out anew: the first of each group, then the second of each…"""
def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """The negative log likelihood of target classes."""
from facula.nn.functional import normalization as normalization
def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """``input`` divided by its norm along ``dim``."""
def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    """For each number a row of zeros with a 1 at its place."""
def pad(input: Tensor, pad: Any, mode: str = 'constant', value: float | None = None) -> Tensor:
    """``input`` with more at its ends: a constant, its own mirror image, its last values, or its other end."""
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2, eps: float = 1e-06, keepdim: bool = False) -> Tensor:
    """The p-norm of the difference of vectors in the last dimension."""
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The distances between the rows, each pair once."""
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(…, channels · r², height, width) as (…, channels, height · r, width · r)."""
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """The inverse of ``pixel_shuffle``."""
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool = True, full: bool = False, size_average: bool | None = None, eps: float = 1e-08, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """The negative log likelihood of counts by Poisson distributions."""
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """``x`` if positive, else ``weight * x``; one weight, or one per channel."""
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """``max(0, x)``."""
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """``min(max(0, x), 6)``."""
def relu_(self: Tensor) -> Tensor:
    """``relu``, written into the tensor itself."""
def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """Mean square 1 over the last dimensions."""
def rrelu(input: Tensor, lower: float = 0.125, upper: float = 0.3333333333333333, training: bool = False, inplace: bool = False) -> Tensor:
    """Leaky relu with a slope drawn for each element, or the mean one."""
def rrelu_(input: Tensor, lower: float = 0.125, upper: float = 0.3333333333333333, training: bool = False) -> Tensor:
    """``rrelu`` in place."""
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0, is_causal: bool = False, *, scale: float | None = None, enable_gqa: bool = False) -> Tensor:
    """``softmax(query @ key.T * scale + mask) @ value``, with a scale of 1 / sqrt(width) unless given."""
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """``elu`` scaled so that it keeps means at 0 and variances at 1."""
def selu_(input: Tensor, inplace: bool = False) -> Tensor:
    """The same, written into the input."""
def sigmoid(input: Tensor) -> Tensor:
    """``torch.sigmoid``."""
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """``x * sigmoid(x)``."""
def smooth_l1_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean', beta: float = 1.0) -> Tensor:
    """Squares of differences below ``beta``, absolute values of larger ones."""
def soft_margin_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """``log(1 + exp(-target * input))``."""
def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """exp(x) divided by its sum along ``dim``."""
def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """softmax of -x."""
def softplus(input: Tensor, beta: float = 1, threshold: float = 20, *, out: Tensor | None = None) -> Tensor:
    """``log(1 + exp(beta * x)) / beta``; ``x`` itself where ``beta * x`` is above ``threshold``."""
def softshrink(input: Tensor, lambd: float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """``x`` moved towards 0 by ``lambd``, and 0 nearer than that."""
def softsign(input: Tensor) -> Tensor:
    """``x / (1 + |x|)``."""
from facula.nn.functional import sparse as sparse
def tanh(input: Tensor) -> Tensor:
    """``torch.tanh``."""
def tanhshrink(input: Tensor) -> Tensor:
    """``x - tanh(x)``."""
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """``x`` where it is above ``threshold``, else ``value``."""
def threshold_(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """The same, written into the input."""
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2, eps: float = 1e-06, swap: bool = False, size_average: bool | None = None, reduce: bool | None = None, reduction: str = 'mean') -> Tensor:
    """How much farther than the positive, with a margin, the negative should be from the anchor."""
def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *, distance_function: Callable[[Tensor, Tensor], Tensor] | None = None, margin: float = 1.0, swap: bool = False, reduction: str = 'mean') -> Tensor:
    """The same with any distance."""
def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """The patches of images (batch, channels, height, width) as columns (batch, channels * kernel, places)."""
def upsample(input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = 'nearest', align_corners: bool | None = None) -> Tensor:
    """The old name of ``interpolate``."""
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """``interpolate`` linearly in two dimensions, corners aligned."""
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """``interpolate`` to the nearest neighbour."""
