"""Calls of primitives, as PyTorch's dispatcher would show them: ``torch.ops.aten.sum.dim_IntList(x, [1], True)``.

A primitive that is called otherwise than in PyTorch has a form here, which says its call there in the names of its own
parameters. What has none is a call of the public function, where that takes the same, or of ``torch.ops.prims``.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from .._core import dtypes, layouts
from .._tensor import Tensor
from ..autograd.saved import SavedList
from . import aten, prims
from .machine.primitive import REGISTRY, Primitive
from .machine.public import FUNCTIONS

_FORMS = """
    adaptive_avg_pool2d: _adaptive_avg_pool2d(input, output_size)
    adaptive_avg_pool2d_backward: _adaptive_avg_pool2d_backward(input, like)
    adaptive_max_pool2d(input, output_size)
    adaptive_max_pool2d_backward(input, like, index)
    add_number: add.Tensor(input, other)
    add_scaled: add.Tensor(input, other, *, alpha=1)
    addcdiv(input, tensor1, tensor2, *, value=1)
    addcmul(input, tensor1, tensor2, *, value=1)
    addmm(input, mat1, mat2, *, beta=1, alpha=1)
    all: all.dim(input, dim, keepdim=False)
    any: any.dim(input, dim, keepdim=False)
    as_strided(input, size, stride, storage_offset=None)
    avg_pool2d(input, kernel_size, stride=(), padding=(0, 0), ceil_mode=False, count_include_pad=True, divisor_override=None)
    avg_pool2d_backward(input, like, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
    baddbmm(input, batch1, batch2, *, beta=1, alpha=1)
    binary_cross_entropy(input, target, weight=None, reduction=1)
    binary_cross_entropy_backward(grad_output, input, target, weight=None, reduction=1)
    cast: _to_copy(input, *, dtype, memory_format=None)
    cat_op: cat(tensors, dim=0)
    celu(input, alpha=1.0)
    clamp_max_number: clamp_max(input, max)
    clamp_max_tensor: clamp_max.Tensor(input, max)
    clamp_min_number: clamp_min(input, min)
    clamp_min_tensor: clamp_min.Tensor(input, min)
    clamp_numbers: clamp(input, min, max)
    clamp_tensors: clamp.Tensor(input, min, max)
    clone(input, *, memory_format=None)
    col2im(input, output_size, kernel_size, dilation, padding, stride)
    convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
    convolution_backward(grad_output, input, weight, bias_sym_sizes_opt, stride, padding, dilation, transposed, output_padding, groups, needs)
    copy(input, src)
    cumprod(input, dim, *, dtype=None)
    cumsum(input, dim, *, dtype=None)
    dense_copy: clone(input, *, memory_format=contiguous_format)
    diagonal_backward(input, size, offset, dim1, dim2)
    div_floor: div.Tensor_mode(input, other, *, rounding_mode='floor')
    div_number: div.Tensor(input, other)
    elu(input, alpha=1, scale=1, input_scale=1)
    elu_backward(input, alpha, scale, input_scale, is_result, other)
    embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False)
    embedding_rows_summed: embedding_dense_backward(input, indices, rows, padding_idx, scale_grad_by_freq)
    eq_number: eq.Scalar(input, other)
    eq_tensor: eq.Tensor(input, other)
    expand(input, size)
    fft_c2c: _fft_c2c(input, dim, normalization, forward)
    fft_c2r: _fft_c2r(input, dim, normalization, last_dim_size)
    fft_r2c: _fft_r2c(input, dim, normalization, onesided)
    fill_tensor: fill.Tensor(input, value)
    flash_attention: _scaled_dot_product_flash_attention_for_cpu(query, key, value, dropout_p=0.0, is_causal=False, *, attn_mask=None, scale=None)
    gather(input, dim, index, *, sparse_grad=False)
    ge_number: ge.Scalar(input, other)
    ge_tensor: ge.Tensor(input, other)
    gelu(input, *, approximate='none')
    gelu_backward(input, other, *, approximate='none')
    glu(input, dim=-1)
    glu_backward(input, other, dim)
    gt_number: gt.Scalar(input, other)
    gt_tensor: gt.Tensor(input, other)
    hardshrink(input, lambd=0.5)
    hardsigmoid_backward(input, other)
    hardswish_backward(input, other)
    hardtanh(input, min_val=-1.0, max_val=1.0)
    hardtanh_backward(input, other, low, high)
    huber_loss(input, target, reduction=1, bound=1.0)
    huber_loss_backward(grad_output, input, target, reduction, bound)
    im2col(input, kernel_size, dilation, padding, stride)
    index: index.Tensor(input, indices)
    index_add(input, dim, index, source, *, alpha=1)
    index_fill_tensor: index_fill.int_Tensor(input, dim, index, value)
    index_put(input, indices, values, accumulate=False)
    index_put_impl: index_put(input, indices, values, accumulate=False)
    index_select(input, dim, index)
    le_number: le.Scalar(input, other)
    le_tensor: le.Tensor(input, other)
    leaky_relu(input, negative_slope=0.01)
    leaky_relu_backward(input, other, slope, self_is_result=False)
    lerp_number: lerp.Scalar(input, end, weight)
    lerp_tensor: lerp.Tensor(input, end, weight)
    linalg_cholesky(input, *, upper=False)
    linalg_cross(input, other, *, dim=-1)
    linalg_det(input)
    linalg_eigh(input, uplo='L')
    linalg_inv(input)
    linalg_qr(input, mode='reduced')
    linalg_solve(input, other, *, left=True)
    linalg_solve_triangular(input, other, *, upper, left=True, unitriangular=False)
    linalg_svd(input, full_matrices=True)
    log_softmax: _log_softmax(input, dim, half_to_float=False)
    log_softmax_backward_data: _log_softmax_backward_data(input, output, dim, input_dtype=input.dtype)
    logit(input, eps=None)
    lt_number: lt.Scalar(input, other)
    lt_tensor: lt.Tensor(input, other)
    masked_fill: masked_fill.Tensor(input, mask, value)
    masked_fill_number: masked_fill.Scalar(input, mask, value)
    masked_fill_tensor: masked_fill.Tensor(input, mask, value)
    max_all: max(input)
    max_dim: max.dim(input, dim, keepdim=False)
    max_pool2d: max_pool2d_with_indices(input, kernel_size, stride=(), padding=(0, 0), dilation=(1, 1), ceil_mode=False)
    mean_all: mean(input, *, dtype=None)
    mean_dim: mean.dim(input, dim, keepdim=False, *, dtype=None)
    median_all: median(input)
    min_all: min(input)
    min_dim: min.dim(input, dim, keepdim=False)
    mse_loss(input, target, reduction=1)
    mse_loss_backward(grad_output, input, target, reduction)
    mul_number: mul.Tensor(input, other)
    multi_margin_loss(input, target, p=1, margin=1, weight=None, reduction=1)
    nan_to_num(input, nan=None, posinf=None, neginf=None)
    native_batch_norm_backward(grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, train, eps, needs)
    native_group_norm(input, weight, bias, N, C, HxW, group, eps)
    native_layer_norm(input, normalized_shape, weight, bias, eps)
    ne_number: ne.Scalar(input, other)
    ne_tensor: ne.Tensor(input, other)
    nll_loss: nll_loss_forward(input, target, weight, reduction, ignore_index)
    nll_loss_backward(grad_output, input, target, weight, reduction, ignore_index, total_weight)
    norm_along: norm.ScalarOpt_dim(input, ord, dim, keepdim=False)
    permute(input, dims)
    pow_number: pow.Tensor_Scalar(input, exponent)
    pow_of_number: pow.Scalar(base, exponent)
    pow_tensor: pow.Tensor_Tensor(input, exponent)
    prelu: _prelu_kernel(input, weight)
    prod_all: prod(input, *, dtype=None)
    prod_dim: prod.dim_int(input, dim, keepdim=False, *, dtype=None)
    remainder_number: remainder.Scalar(input, other)
    repeat(input, repeats)
    reshape_alias: view(input, shape)
    rsub_number: rsub.Scalar(input, other)
    safe_softmax: _safe_softmax(input, dim)
    scatter: scatter.src(input, dim, index, src)
    scatter_add(input, dim, index, src)
    scatter_value: scatter.value(input, dim, index, value)
    select: select.int(input, dim, index)
    select_backward(input, size, dim, index)
    shrink_backward: hardshrink_backward(input, other, lambd)
    sigmoid_backward(input, other)
    silu_backward(input, other)
    slice: slice.Tensor(input, dim=0, start=None, end=None, step=1)
    slice_backward(input, size, dim, start, end, step)
    smooth_l1_loss(input, target, reduction=1, bound=1.0)
    smooth_l1_loss_backward(grad_output, input, target, reduction, bound)
    softmax: _softmax(input, dim, half_to_float=False)
    softmax_backward_data: _softmax_backward_data(input, output, dim, input_dtype=input.dtype)
    softplus(input, beta=1, threshold=20)
    softplus_backward(input, other, beta, threshold)
    softshrink(input, lambd=0.5)
    softshrink_backward(input, other, lambd)
    split: split.Tensor(input, split_size, dim=0)
    squeeze: squeeze.dim(input, dim)
    squeeze_all: squeeze(input)
    squeeze_dims: squeeze.dims(input, dim)
    stack_op: stack(tensors, dim=0)
    std: std.correction(input, dim=None, *, correction=None, keepdim=False)
    std_mean: std_mean.correction(input, dim=None, *, correction=None, keepdim=False)
    sub_number: sub.Tensor(input, other)
    sub_scaled: sub.Tensor(input, other, *, alpha=1)
    sum_all: sum(input, *, dtype=None)
    sum_dim: sum.dim_IntList(input, dim, keepdim=False, *, dtype=None)
    tanh_backward(input, other)
    threshold(input, threshold, value)
    threshold_backward(input, other, threshold)
    unbind: unbind.int(input, dim=0)
    unfold(input, dimension, size, step)
    unfold_backward(input, input_sizes, dim, size, step)
    unsafe_view: _unsafe_view(input, shape)
    var: var.correction(input, dim=None, *, correction=None, keepdim=False)
    var_mean: var_mean.correction(input, dim=None, *, correction=None, keepdim=False)
    vector_norm: linalg_vector_norm(input, ord=2, dim=None, keepdim=False, *, dtype=None)
    view(input, shape)
    where: where.self(condition, input, other)
    zero(input)
"""  # noqa: E501
"""Defaults are PyTorch's, which it leaves out. What no parameter of the primitive is called is computed from those."""


class Form:
    """How a primitive's call is written in PyTorch's names."""

    def __init__(self, primitive: str, name: str, overload: str, parameters: str) -> None:
        self.primitive = primitive
        self.name = name
        self.overload = overload
        given = ast.parse(f"def call({parameters}): pass").body[0]
        assert isinstance(given, ast.FunctionDef)
        places = given.args
        missing = [None] * (len(places.args) - len(places.defaults))
        self.positional = [*zip([p.arg for p in places.args], [*missing, *places.defaults])]
        self.named = [*zip([p.arg for p in places.kwonlyargs], places.kw_defaults)]

    def call(self, values: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Arguments, of which those at the end that are defaults are left out."""
        args = []
        needed = 0
        for name, default in self.positional:
            args.append(_shown(values[name] if name in values else _evaluated(default, values)))
            if name not in values or default is None or values[name] != ast.literal_eval(default):
                needed = len(args)
        kwargs = {
            name: _shown(values[name] if name in values else _evaluated(default, values))
            for name, default in self.named
            if name not in values or default is None or values[name] != ast.literal_eval(default)
        }
        return args[:needed], kwargs

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Call the primitive with such arguments."""
        op = _primitive(self.primitive)
        given = {name: None if d is None else _evaluated(d, {}) for name, d in (*self.positional, *self.named)
                 if d is None or isinstance(d, (ast.Constant, ast.Tuple, ast.UnaryOp))}  # fmt: skip
        given.update(zip([name for name, _ in self.positional], args), **kwargs)
        values = [_taken(given[name]) for name in (*op.tensor_names, *op.attribute_names) if name in given]
        return op(*values, *_REST.get(self.primitive, ()))


_REST: dict[str, tuple[Any, ...]] = {"flash_attention": (True,)}
"""Last attributes that PyTorch's call does not have."""


def _evaluated(default: Any, values: dict[str, Any]) -> Any:
    if isinstance(default, ast.Attribute):
        assert isinstance(default.value, ast.Name)
        return getattr(values[default.value.id], default.attr)
    if isinstance(default, ast.Name):
        return getattr(layouts, default.id)
    return ast.literal_eval(default)


def _shown(value: Any) -> Any:
    """A value as PyTorch passes it: sizes are lists, numbers are Python's."""
    if isinstance(value, tuple) and (value.__class__ is SavedList or not any(isinstance(v, Tensor) for v in value)):
        return list(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return value.item()
    return dtypes.of_numpy(value) if isinstance(value, np.dtype) else value


def _taken(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    return value.numpy if isinstance(value, dtypes.dtype) else value


@cache
def forms() -> dict[str, Form]:
    """Forms by the names of primitives."""
    found = {}
    for line in _FORMS.strip().splitlines():
        told = re.fullmatch(r"(?:(\w+): )?(\w+)(?:\.(\w+))?\((.*)\)", line.strip())
        assert told is not None, line
        primitive, name, overload, parameters = told.groups()
        found[primitive or name] = Form(primitive or name, name, overload or "default", parameters)
    return found


def _primitive(name: str) -> Primitive:
    prims.__getattr__(name)  # which loads it
    return REGISTRY[name]


@cache
def _packet(name: str) -> Any:
    """An operator of ``torch.ops.aten``; None if there is none."""
    return getattr(aten, name, None)


def call_of(
    op: Primitive, tensors: tuple[Any, ...], attributes: tuple[Any, ...], suffix: str = ""
) -> tuple[Any, list[Any], dict[str, Any]] | None:
    """The overload and arguments by which PyTorch calls it; with ``suffix="_"`` in place, or None if it does not."""
    given = [list(tensors), *attributes] if op.variadic else [*tensors, *attributes]
    form = forms().get(op.name)
    lists = [each for each in given if isinstance(each, (tuple, list))]
    if form is not None and not any(isinstance(v, np.ndarray) for each in lists for v in each):  # which PyTorch has not
        args, kwargs = form.call(dict(zip((*op.tensor_names, *op.attribute_names), given)))
        packet = _packet(form.name + suffix)
        return None if packet is None else (getattr(packet, form.overload), args, kwargs)
    args = [_shown(v) for v in given]
    same = not op.attribute_names if op.kind == "elementwise" else suffix and as_aten(op)
    packet = _packet(op.name + suffix) if same else None
    if packet is not None:
        return getattr(packet, overload_of(op.name, args)), args, {}
    if suffix:
        return None
    if (packet := as_aten(op)) is not None:
        return packet, args, {}
    # Primitives take no lists for sizes.
    own = [tuple(v) if isinstance(v, tuple) else shown for v, shown in zip(given, args)]
    return prims.of(op) or prims.Primitives(op.name, op).default, own, {}


@cache
def as_aten(op: Primitive) -> Any:
    """A primitive whose parameters are those of the public function of the same name."""
    public = dict.get(FUNCTIONS, op.name)
    written = getattr(public, "__wrapped__", None)
    if written is None or op.variadic or op.lists or op.kind == "elementwise":  # these want operands of one shape
        return None
    names = [*op.tensor_names, *op.attribute_names]
    parameters = inspect.signature(written).parameters.values()
    same = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD][: len(names)] == names
    return getattr(getattr(aten, op.name), _ALWAYS.get(op.name, "default")) if same else None


_BINARY = ("add", "sub", "mul", "div", "add_", "sub_", "mul_", "div_", "remainder", "floor_divide",
           "xlogy", "fmod", "copysign", "bitwise_and", "bitwise_or", "bitwise_xor")
_COMPARED = ("eq", "ne", "lt", "le", "gt", "ge", "masked_fill", "masked_fill_", "fill_")
_ALWAYS = {"select": "int", "slice": "Tensor", "transpose": "int", "where": "self", "split": "Tensor"}


def overload_of(name: str, args: Any) -> str:
    """Which of an operator's overloads PyTorch calls with these arguments."""
    if name in _BINARY:
        return "Tensor"
    if name in _COMPARED:
        return "Tensor" if len(args) > 1 and isinstance(args[-1], Tensor) else "Scalar"
    if name == "pow":
        kinds = ["Tensor" if isinstance(a, Tensor) else "Scalar" for a in args[:2]]
        return "Scalar" if kinds[0] == "Scalar" else "_".join(kinds)
    return _ALWAYS.get(name, "default")


_operators: dict[str, Any] = {}


def operator_of(op: Primitive) -> Any:
    """A primitive as ``torch.ops.aten`` has it, whatever its arguments: what PyTorch calls its node tells its name."""
    found = _operators.get(op.name)
    if found is None:
        told = re.sub(r"(?<![0-9])(?<!^)([A-Z])", r"_\1", re.sub(r"Backward[0-9]*$", "", op.node_name or "")).lower()
        names = [name for name in (told, op.name) if name and _packet(name) is not None]
        found = _operators[op.name] = (_packet(names[0]) if names else aten.Overloads(op.name, op)).default
    return found


def unknown(name: str) -> Callable[..., Any] | None:
    """What an operator is that PyTorch has in ``torch.ops.aten`` only: the primitive of that form."""
    return next((form.run for form in forms().values() if form.name == name), None)
