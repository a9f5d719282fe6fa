"""Functions of ``nn.functional`` whose parameters are others than those of PyTorch's operators, and which are which."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

_TABLE = """
    adaptive_avg_pool1d(input, output_size) adaptive_avg_pool2d(input, output_size)
    adaptive_avg_pool3d(input, output_size) alpha_dropout(input, p, training) batch_norm(input, weight, bias,
    running_mean, running_var, training, momentum, eps, False) celu(input, alpha)
    cosine_embedding_loss(input1, input2, target, margin, reduction) cross_entropy=cross_entropy_loss(input, target,
    weight, reduction, ignore_index, label_smoothing) dropout(input, p, training) elu(input, alpha)
    dropout1d=feature_dropout(input, p, training) dropout2d=feature_dropout(input, p, training)
    dropout3d=feature_dropout(input, p, training)
    embedding(weight, input, padding_idx, scale_grad_by_freq, sparse) feature_alpha_dropout(input, p, training)
    glu(input, dim) group_norm(input, num_groups, weight, bias, eps, False)
    hardsigmoid(input) hardswish(input)
    hardtanh(input, min_val, max_val) huber_loss(input, target, reduction, delta)
    instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, False)
    kl_div(input, target, reduction, log_target) l1_loss(input, target, reduction)
    layer_norm(input, normalized_shape, weight, bias, eps, False) leaky_relu(input, negative_slope)
    log_softmax(input, dim, dtype) logsigmoid=log_sigmoid(input)
    margin_ranking_loss(input1, input2, target, margin, reduction)
    max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode)
    max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode)
    max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode) mish(input) mse_loss(input, target, reduction)
    nll_loss=nll_loss_nd(input, target, weight, reduction, ignore_index) pad(input, pad, mode, value) relu(input)
    relu6(input) rms_norm(input, normalized_shape, weight, eps) selu(input) sigmoid(input) silu(input)
    smooth_l1_loss(input, target, reduction, beta) softmax(input, dim, dtype) softmin(input, dim, dtype) tanh(input)
    binary_cross_entropy(input, target, weight, reduction)
    binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)
"""
"""What an operator takes, by the parameters of the function; ``function=operator(...)`` if it has another name."""

_REDUCTIONS = ("none", "mean", "sum")

FUNCTIONALS: dict[str, tuple[str, list[str]]] = {}
"""By operator: the function, and its parameters in the operator's order."""
RENAMED: dict[str, str] = {}
"""Operators by function, where they have another name."""
for _call in " ".join(_TABLE.split()).split(")")[:-1]:
    _head, _, _parameters = _call.strip().partition("(")
    _function, _, _operator = _head.partition("=")
    FUNCTIONALS[_operator or _function] = (_function, _parameters.split(", "))
    if _operator:
        RENAMED[_function] = _operator


def as_operator(name: str, function: Any, args: Any, kwargs: Any) -> tuple[str, tuple[Any, ...]] | None:
    """A call of a function as the operator and its arguments; None if the operator cannot do that."""
    try:
        bound = inspect.signature(getattr(function, "plain", function)).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return None
    bound.apply_defaults()
    given = dict(bound.arguments)
    parameters = FUNCTIONALS[name][1]
    if any(given.get(key) is not None for key in ("max_norm", "size_average", "reduce")):
        return None
    if "padding_idx" in parameters and given["padding_idx"] is None:
        given["padding_idx"] = -1
    if "reduction" in parameters:
        if given["reduction"] not in _REDUCTIONS:
            return None
        given["reduction"] = _REDUCTIONS.index(given["reduction"])
    values = tuple([False if p == "False" else given[p] for p in parameters])
    return (f"{name}_" if given.get("inplace") else name), values


def as_function(name: str) -> Callable[..., Any]:
    """An operator as a function with the operator's parameters."""
    from ..nn import functional  # loaded when first used

    title, parameters = FUNCTIONALS[name]
    function = getattr(functional, title)

    def call(*args: Any, **kwargs: Any) -> Any:
        named = {p: v for p, v in zip(parameters, args) if p != "False"}
        named.update({"input" if key == "self" else key: value for key, value in kwargs.items()})
        if "reduction" in parameters:
            named["reduction"] = _REDUCTIONS[named.get("reduction", 1)]
        return function(**named)

    call.__name__ = call.__qualname__ = name
    return call
