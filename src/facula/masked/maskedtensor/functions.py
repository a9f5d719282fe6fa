"""What functions do with masked tensors: each computes with the data, and has a rule for the mask of the result."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ... import masked
from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from ...overrides import DisableTorchFunctionSubclass
from .core import is_masked_tensor, under_mask

_UNARY = frozenset(
    """
    abs absolute acos arccos acosh arccosh angle asin arcsin asinh arcsinh atan arctan atanh arctanh bitwise_not
    ceil clamp clip conj conj_physical cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 fix floor frac
    lgamma log log10 log1p log2 logit i0 isnan nan_to_num neg negative positive pow rad2deg reciprocal round
    rsqrt sigmoid sign sgn signbit sin sinc sinh sqrt square tan tanh trunc
    cast bool byte char short int long half float double to type clone detach alias contiguous
    """.split()
)
"""One masked tensor comes in: its mask stays. The last line changes the dtype, or nothing."""

_BINARY = frozenset(
    """
    add atan2 arctan2 bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift div divide
    floor_divide fmod logaddexp logaddexp2 mul multiply nextafter remainder rsub sub subtract true_divide eq ne
    le ge greater greater_equal gt less_equal lt less maximum minimum fmax fmin not_equal
    sigmoid_backward tanh_backward
    """.split()
)
"""Two that have one mask, or one and anything else."""

_PARTS = frozenset(
    """
    select transpose split t slice index expand view reshape cat unsqueeze squeeze unfold stack permute movedim flatten
    expand_as broadcast_to unbind chunk narrow __getitem__ __get__ select_backward slice_backward index_backward unindex
    """.split()
)
"""The same is done with the mask."""

_REDUCTIONS = frozenset("sum mean amin amax argmin argmax prod all norm var std".split())


def call(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a function some of whose arguments are masked tensors."""
    name = re.sub(r"_(?:number|tensor|all|dim|plain|method)(?=_?$)", "", getattr(func, "__name__", ""))
    if name in _RULES:
        return _RULES[name](func, args, kwargs)
    if name.startswith("_") and hasattr(func, "plain"):  # an operator of Python's, made of those that are known here
        return func.plain(*args, **kwargs)
    plain = name.removesuffix("_")
    if plain in _UNARY or plain in _BINARY:
        return _elementwise(func, args, kwargs, plain in _BINARY, name != plain)
    if name in _REDUCTIONS:
        return _reduction(name, *args, **kwargs)
    if name in _PARTS:
        return _part(func, args, kwargs)
    changes = name.endswith("_") and not name.endswith("__")
    result = _of_data(func, args, kwargs) if name not in _CHANGING and not changes else args[0]
    if any(isinstance(each, Tensor) and each is not args[0] for each in _flat(result)) or changes:
        return _refuse(name)
    return result


_CHANGING = ("__setitem__",)


def _refuse(name: str) -> Any:
    raise TypeError(
        f"Multiple dispatch failed for 'torch._ops.aten.{name}.default'; all __torch_dispatch__ handlers returned "
        f"NotImplemented:\n\n  - {name} is not implemented for MaskedTensor"
    )


def _of_data(func: Any, args: Any, kwargs: Any) -> Any:
    with DisableTorchFunctionSubclass():
        return func(*args, **kwargs)


def _flat(value: Any) -> list[Any]:
    return [each for part in value for each in _flat(part)] if isinstance(value, (tuple, list)) else [value]


def _same(a: Any, b: Any) -> bool:
    with no_grad():
        return a.shape == b.shape and bool((a == b).all())


def _elementwise(func: Any, args: Any, kwargs: Any, is_binary: bool, in_place: bool) -> Any:
    masks = [each.get_mask() for each in args[:2] if is_masked_tensor(each)]
    if is_binary:
        if len(masks) == 2 and not _same(*masks):
            raise ValueError("Input masks must match. If you need support for this, please open an issue on Github.")
    elif any(isinstance(each, Tensor) for each in args[1:]):
        raise TypeError("MaskedTensor unary ops do not support additional Tensor arguments")
    result = _of_data(func, args, kwargs)
    if in_place:
        return args[0]
    mask = masks[0]
    return under_mask(result, mask if mask.shape == result.shape else mask.expand_as(result))


def _part(func: Any, args: Any, kwargs: Any) -> Any:
    """Data and mask are taken apart, put together or turned alike."""
    result = _of_data(func, args, kwargs)
    if not any(isinstance(each, Tensor) for each in _flat(result)):
        return result
    with no_grad():
        masks = func(*_masks_in(args), **{name: _masks_in(value) for name, value in kwargs.items()})
    return _wrapped(result, masks)


def _masks_in(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)([_masks_in(each) for each in value])
    return value.get_mask() if is_masked_tensor(value) else value


def _wrapped(result: Any, masks: Any) -> Any:
    if isinstance(result, (tuple, list)):
        return type(result)([_wrapped(each, mask) for each, mask in zip(result, masks)])
    return under_mask(result, masks)


def _reduction(name: str, input: Any, *args: Any, **kwargs: Any) -> Any:
    """By the function of ``torch.masked``; a result counts if anything that went into it does."""
    args = tuple(each for each in args if each is not None)
    mask = input.get_mask()
    names = dict(zip(("dim", "keepdim", "dtype"), args)) | kwargs
    dim, keepdim = names.get("dim"), bool(names.get("keepdim", False))
    with no_grad():
        dims = range(mask.ndim) if dim is None or dim == () else [dim] if isinstance(dim, int) else dim
        counts = mask.any() if dim is None else mask
        for each in sorted((d % max(mask.ndim, 1) for d in dims), reverse=True) if dim is not None else ():
            counts = counts.any(each, keepdim)
    with DisableTorchFunctionSubclass():
        if name == "all":
            filled = input.get_data().masked_fill(~mask, True)
            result = filled.all() if dim is None else filled.all(dim, keepdim)
        else:
            result = getattr(masked, name)(input, mask=mask, **names)
    return under_mask(result, counts)


# ---- rules of single functions


def _where(func: Any, args: Any, kwargs: Any) -> Any:
    """Both sides keep their masks, and a tensor counts everywhere; what a rule of autograd fills with does not."""
    if len(args) < 3:
        raise ValueError(f"__torch_function__, torch.where: len(args) must be 3 but got {len(args)}")
    condition, *sides = args[:3]
    result = _of_data(func, args, kwargs)
    with no_grad():
        like = condition.new_ones(result.shape)
        masks = [
            side.get_mask() if is_masked_tensor(side) else like if isinstance(side, Tensor) else ~like for side in sides
        ]
        mask = (condition & masks[0]) | (~condition & masks[1])
    return under_mask(result, mask)


def _softmax(func: Any, args: Any, kwargs: Any) -> Any:
    input, *rest = args
    dim = kwargs.get("dim", rest[0] if rest else None)
    with DisableTorchFunctionSubclass():
        result = masked.softmax(input, dim, mask=input.get_mask())
    return under_mask(result, input.get_mask())


def _softmax_gradient(func: Any, args: Any, kwargs: Any) -> Any:
    """A gradient that does not count is none."""
    grad, *rest = args
    filled = grad.to_tensor(0)
    return under_mask(_of_data(func, (filled, *rest), kwargs), grad.get_mask())


def _like(func: Any, args: Any, kwargs: Any) -> Any:
    return under_mask(_of_data(func, args, kwargs), args[0].get_mask())


def _new_like(func: Any, args: Any, kwargs: Any) -> Any:
    """New ones that stand for a gradient have the mask of the tensor; of any other shape they are a tensor."""
    result = _of_data(func, args, kwargs)
    mask = args[0].get_mask()
    return under_mask(result, mask) if result.shape == mask.shape else result


def _item(func: Any, args: Any, kwargs: Any) -> Any:
    if not args[0].get_mask().all():
        raise ValueError("__torch_dispatch__, aten._local_scalar_dense: expected a mask tensor")
    return _of_data(func, args, kwargs)


_RULES: dict[str, Callable[..., Any]] = {
    "where": _where, "softmax": _softmax, "softmax_backward_data": _softmax_gradient, "ones_like": _like,
    "new_ones": _new_like, "item": _item,
}  # fmt: skip
