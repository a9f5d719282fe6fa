"""Derivatives of functions, as in ``torch.autograd.functional``: vjp, jvp, jacobian, hessian, vhp, hvp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from .differentiate import grad
from .grad_mode import enable_grad

Tensors = tuple[Any, ...]


# ---- arguments


def _as_tuple(value: Any, what: str, function: str) -> tuple[bool, Tensors]:
    """(whether it was a tuple, its tensors)."""
    is_tuple = isinstance(value, tuple)
    items = value if is_tuple else (value,)
    for i, item in enumerate(items):
        if not isinstance(item, Tensor):
            which = f"the value at index {i}" if is_tuple else f"the given {what}"
            raise TypeError(
                f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but {which} has type "
                f"{type(item)}."
            )
    return is_tuple, items


def _as_outputs(value: Any, function: str) -> tuple[bool, Tensors]:
    return _as_tuple(value, "outputs of the user-provided function", function)


def _grad_preprocess(inputs: Tensors, create_graph: bool, need_graph: bool = True) -> Tensors:
    """The inputs as tensors to differentiate with respect to."""
    found = []
    for t in inputs:
        if create_graph:
            found.append(t.view_as(t) if t.requires_grad else t.detach().requires_grad_(need_graph))
        else:
            found.append(t.detach().requires_grad_(need_graph))
    return tuple(found)


def _directions(v: Any, like: Tensors, is_tuple: bool, function: str) -> Tensors:
    """``v``, checked against what it is multiplied with."""
    _, items = _as_tuple(v, "v", function)
    if len(items) != len(like):
        if is_tuple:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(items)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for i, (item, t) in enumerate(zip(items, like)):
        if item.size() != t.size():
            entry = f"Entry {i} in " if is_tuple else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {t.size()} but got {item.size()}.")
    return items


def _ones_for(like: Tensors, what: str) -> Tensors:
    if len(like) != 1 or like[0].nelement() != 1:
        raise RuntimeError(
            f"The vector v can only be None if the {what} a single Tensor with a single element."
        )
    return (like[0].new_ones(like[0].shape),)


def _require_history(outputs: Tensors, strict: bool) -> None:
    if strict:
        for i, out in enumerate(outputs):
            if not out.requires_grad:
                raise RuntimeError(
                    f"Output {i} of the user-provided function does not require gradients. The outputs must be "
                    "computed in a differentiable manner from the input when running in strict mode."
                )


def _gradients(outputs: Tensors, inputs: Tensors, vs: Any, create_graph: bool) -> Tensors:
    """Gradients, None where there is no way from an output to an input."""
    if vs is None:
        vs = (None,) * len(outputs)
    pairs = [(o, v) for o, v in zip(outputs, vs) if o is not None and o.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    return grad(
        [o for o, _ in pairs], inputs, [v for _, v in pairs], allow_unused=True, create_graph=create_graph,
        retain_graph=True,
    )  # fmt: skip


def _filled(grads: Tensors, like: Tensors, strict: bool, create_graph: bool, missing: str, flat: str) -> Tensors:
    """Zeros where there is no gradient; in strict mode an error with what ``missing`` or ``flat`` says of input i."""
    found = []
    for i, (g, t) in enumerate(zip(grads, like)):
        if g is None:
            if strict:
                raise RuntimeError(missing.format(i))
            g = t.new_zeros(t.shape)
        elif strict and create_graph and not g.requires_grad:
            raise RuntimeError(flat.format(i))
        found.append(g)
    return tuple(found)


_INDEPENDENT = (
    "The output of the user-provided function is independent of input {}. This is not allowed in strict mode."
)
_CONSTANT = (
    "The gradient with respect to input {} is independent of the inputs of the user-provided function. This is not "
    "allowed in strict mode."
)
_FLAT = (
    "The jacobian of the user-provided function is independent of input {}. This is not allowed in strict mode when "
    "create_graph=True."
)
_FLAT_HESSIAN = (
    "The hessian of the user-provided function is independent of input {}. This is not allowed in strict mode when "
    "create_graph=True."
)
_NO_DOUBLE = (
    "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. This is not allowed in "
    "strict mode as it prevents from using the double backward trick to replace forward mode AD."
)
_NO_HESSIAN = (
    "While computing the hessian, found that the jacobian of the user-provided function with respect to input {} is "
    "independent of the input. This is not allowed in strict mode. You should ensure that your function is twice "
    "differentiable and that the jacobian depends on the inputs (this would be violated by a linear function for "
    "example)."
)


def _grad_postprocess(inputs: Any, create_graph: bool) -> Any:
    """Results, cut from the graph unless that is wanted; also tuples of tuples."""
    if create_graph:
        return inputs
    if inputs and isinstance(inputs[0], tuple):
        return tuple(_grad_postprocess(each, create_graph) for each in inputs)
    return tuple(t.detach() for t in inputs)


def _tuple_postprocess(values: Tensors, is_tuple: bool | tuple[bool, bool]) -> Any:
    """A tuple if one was given, else its only item; for tuples in a tuple both are told."""
    if isinstance(is_tuple, tuple):
        is_tuple, of_each = is_tuple
        values = tuple(_tuple_postprocess(each, of_each) for each in values)
    return values if is_tuple else values[0]


# ---- first derivatives


def vjp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """What ``func`` returns, and the product of ``v`` with its Jacobian."""
    with enable_grad():
        is_tuple, given = _as_tuple(inputs, "inputs", "vjp")
        given = _grad_preprocess(given, create_graph)
        several, outputs = _as_outputs(func(*given), "vjp")
        _require_history(outputs, strict)
        if v is None:
            vs = _ones_for(outputs, "user-provided function returns")
        else:
            vs = _directions(v, outputs, several, "vjp")
            vs = vs if create_graph else tuple(t.detach() for t in vs)
        found = _gradients(outputs, given, vs, create_graph)
        found = _filled(found, given, strict, create_graph, _INDEPENDENT, _FLAT)
    outputs, found = (_grad_postprocess(values, create_graph) for values in (outputs, found))
    return _tuple_postprocess(outputs, several), _tuple_postprocess(found, is_tuple)


def jvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """What ``func`` returns, and the product of its Jacobian with ``v``: the gradient of a gradient."""
    with enable_grad():
        is_tuple, given = _as_tuple(inputs, "inputs", "jvp")
        given = _grad_preprocess(given, create_graph)
        if v is None:
            vs = _ones_for(given, "input to the user-provided function is")
        else:
            vs = _directions(v, given, is_tuple, "jvp")
            vs = vs if create_graph else tuple(t.detach() for t in vs)
        several, outputs = _as_outputs(func(*given), "jvp")
        _require_history(outputs, strict)
        weights = tuple(out.new_zeros(out.shape).requires_grad_() for out in outputs)
        pulled = _gradients(outputs, given, weights, True)
        pulled = _filled(pulled, given, strict, True, _INDEPENDENT, _CONSTANT)
        found = _gradients(pulled, weights, vs, create_graph)
        found = _filled(found, outputs, strict, create_graph, _INDEPENDENT, _FLAT)
    outputs, found = (_grad_postprocess(values, create_graph) for values in (outputs, found))
    return _tuple_postprocess(outputs, several), _tuple_postprocess(found, several)


# ---- jacobian


def jacobian(
    func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False, vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """The Jacobian of a function: for each output, for each input, a tensor of both their shapes."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            'than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        if create_graph:
            raise NotImplementedError(
                "torch.autograd.functional.jacobian: `create_graph=True` and `strategy=\"forward-mode\"` are not "
                "supported together (yet). Please either set `create_graph=False` or `strategy=\"reverse-mode\"`."
            )
        return _forward_jacobian(func, inputs, strict, vectorize)
    with enable_grad():
        is_tuple, given = _as_tuple(inputs, "inputs", "jacobian")
        given = _grad_preprocess(given, create_graph)
        several, outputs = _as_outputs(func(*given), "jacobian")
        _require_history(outputs, strict)
        if vectorize:
            if strict:
                raise RuntimeError(
                    "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported "
                    "together. Please either set `strict=False` or `vectorize=False`."
                )
            rows = _all_rows_at_once(outputs, given, create_graph)
        else:
            rows = tuple(_row_by_row(i, out, given, strict, create_graph) for i, out in enumerate(outputs))
        rows = tuple(_grad_postprocess(row, create_graph) for row in rows)
    return _tuple_postprocess(tuple(rows), (several, is_tuple))


def _row_by_row(i: int, out: Any, inputs: Tensors, strict: bool, create_graph: bool) -> Tensors:
    from ..ops.moving.joining import stack  # loaded when first used

    rows: list[list[Any]] = [[] for _ in inputs]
    for j in range(out.nelement()):
        found: Tensors = (None,) * len(inputs)
        if out.requires_grad:
            found = grad(out.reshape(-1)[j], inputs, retain_graph=True, create_graph=create_graph, allow_unused=True)
        for k, (row, g, t) in enumerate(zip(rows, found, inputs)):
            if strict and g is None:
                raise RuntimeError(
                    f"Output {i} of the user-provided function is independent of input {k}. This is not allowed in "
                    "strict mode."
                )
            if strict and create_graph and not g.requires_grad:
                raise RuntimeError(_FLAT.format(i))  # as PyTorch says it: the output's number
            row.append(t.new_zeros(t.shape) if g is None else g)
    return tuple(
        stack(row).view((*out.shape, *t.shape)) if row else t.new_zeros((*out.shape, *t.shape))
        for row, t in zip(rows, inputs)
    )


def _all_rows_at_once(outputs: Tensors, inputs: Tensors, create_graph: bool) -> tuple[Tensors, ...]:
    from ..func.jacobians import standard_basis  # loaded when first used

    live = [out for out in outputs if out.requires_grad]
    found: Tensors = (None,) * len(inputs)
    if live:
        found = grad(
            live, inputs, standard_basis(live), retain_graph=True, create_graph=create_graph, allow_unused=True,
            is_grads_batched=True,
        )  # fmt: skip
    rows: list[Tensors] = []
    start = 0
    for out in outputs:
        if not out.requires_grad:
            rows.append(tuple(t.new_zeros((*out.shape, *t.shape)) for t in inputs))
            continue
        end = start + out.numel()
        rows.append(
            tuple(
                t.new_zeros((*out.shape, *t.shape)) if g is None else g[start:end].view((*out.shape, *t.shape))
                for g, t in zip(found, inputs)
            )
        )
        start = end
    return tuple(rows)


def _forward_jacobian(func: Callable[..., Any], inputs: Any, strict: bool, vectorize: bool) -> Any:
    from ..func.jacobians import by_columns  # loaded when first used

    if strict:
        raise RuntimeError(
            'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are not supported '
            "together (yet). Please either set `strict=False` or `strategy=\"reverse-mode\"`."
        )
    if not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
            "`vectorize=True`."
        )
    is_tuple, given = _as_tuple(inputs, "inputs", "jacobian")
    several = False

    def outputs(*values: Any) -> Any:
        nonlocal several
        several, found = _as_outputs(func(*values), "jacobian")
        return found

    found = by_columns(outputs, tuple(range(len(given))), False, "error", lambda *any_dtype: None)(*given)
    if not several:
        return _tuple_postprocess(found[0], is_tuple)
    return [list(row) for row in found] if is_tuple else tuple(row[0] for row in found)


# ---- second derivatives


def _number(outputs: Any, function: str) -> Any:
    """The one tensor of one element that a function returned."""
    several, found = _as_outputs(outputs, function)
    if several:
        raise RuntimeError(f"The function given to {function} should return a single Tensor")
    if found[0].nelement() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {function} should contain a single element")
    return found[0]


def hessian(
    func: Callable[..., Any], inputs: Any, create_graph: bool = False, strict: bool = False, vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """The matrix of second derivatives of a function that returns one number."""
    is_tuple, given = _as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def scalar(*values: Any) -> Any:
        return _number(func(*values), "hessian").squeeze()

    def gradient(*values: Any) -> Any:
        if outer_jacobian_strategy == "forward-mode":
            from ..func import grad as gradient_of  # loaded when first used

            return gradient_of(scalar, tuple(range(len(values))))(*values)
        found = jacobian(scalar, values, create_graph=True)
        for i, g in enumerate(found):
            if strict and not g.requires_grad:
                raise RuntimeError(_NO_HESSIAN.format(i))
        return tuple(found)

    if strict:
        with enable_grad():
            opened = _grad_preprocess(given, False)
            out = scalar(*opened)
            _require_history((out,), True)
            if not any(g is not None and g.requires_grad for g in _gradients((out,), opened, None, True)):
                raise RuntimeError(_NO_HESSIAN.format(0))
    if outer_jacobian_strategy == "forward-mode":  # PyTorch's inner gradient has inputs with a history
        given = tuple(t if t.requires_grad else t.detach().requires_grad_() for t in given)
    found = jacobian(
        gradient, given, create_graph=create_graph, strict=strict, vectorize=vectorize, strategy=outer_jacobian_strategy
    )
    return tuple(tuple(row) for row in found) if is_tuple else found[0][0]


def vhp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """What ``func`` returns, and the product of ``v`` with its Hessian: the gradient of a directional derivative."""
    with enable_grad():
        is_tuple, given, vs, out, first = _gradient(func, inputs, v, create_graph, strict, "vhp")
        second = _gradients(first, given, vs, create_graph)
        found = _filled(second, given, strict, create_graph, _INDEPENDENT, _FLAT_HESSIAN)
    found = _grad_postprocess(found, create_graph)
    return _grad_postprocess((out,), create_graph)[0], _tuple_postprocess(found, is_tuple)


def hvp(
    func: Callable[..., Any], inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """What ``func`` returns, and the product of its Hessian with ``v``."""
    with enable_grad():
        is_tuple, given, vs, out, first = _gradient(func, inputs, v, create_graph, strict, "hvp")
        weights = tuple(t.new_zeros(t.shape).requires_grad_() for t in given)
        double = _gradients(first, given, weights, True)
        double = _filled(double, given, False, create_graph, _INDEPENDENT, _FLAT)
        second = _gradients(double, weights, vs, create_graph)
        found = _filled(second, given, strict, create_graph, _NO_DOUBLE, _FLAT_HESSIAN)
    found = _grad_postprocess(found, create_graph)
    return _grad_postprocess((out,), create_graph)[0], _tuple_postprocess(found, is_tuple)


def _gradient(
    func: Callable[..., Any], inputs: Any, v: Any, create_graph: bool, strict: bool, function: str
) -> tuple[bool, Tensors, Tensors, Any, Tensors]:
    """What a product with the Hessian begins with: the inputs (were they a tuple?), ``v``, the output, its gradient."""
    is_tuple, given = _as_tuple(inputs, "inputs", function)
    given = _grad_preprocess(given, create_graph)
    if v is None:
        vs = _ones_for(given, "input to the user-provided function is")
    else:
        vs = _grad_postprocess(_directions(v, given, is_tuple, function), create_graph)
    out = _number(func(*given), function)
    _require_history((out,), strict)
    first = _filled(_gradients((out,), given, None, True), given, strict, True, _INDEPENDENT, _NO_HESSIAN)
    return is_tuple, given, vs, out, first


def _construct_standard_basis_for(tensors: tuple[Any, ...], tensor_numels: tuple[int, ...]) -> tuple[Any, ...]:
    """A matrix for each tensor: the rows of all of them side by side are the unit vectors."""
    from ..ops.creation.create import eye  # loaded when first used

    if len(tensors) != len(tensor_numels):
        raise AssertionError(
            f"Expected tensors and tensor_numels to have the same length, but got {len(tensors)} and "
            f"{len(tensor_numels)}"
        )
    if not tensors:
        raise AssertionError("Expected at least one tensor")
    total, at, parts = sum(tensor_numels), 0, []
    for t, n in zip(tensors, tensor_numels):
        parts.append(eye(total, dtype=t.dtype)[:, at : at + n])
        at += n
    return tuple(parts)
