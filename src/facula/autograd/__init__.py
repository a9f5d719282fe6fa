"""PyTorch's ``torch.autograd``: backward, grad, Function, graph, modes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from .. import _state
from . import anomaly, engine, grad_mode, graph, saved, views
from .anomaly import detect_anomaly, set_detect_anomaly
from .grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled, set_multithreading_enabled
from .graph import GradientEdge, Port

__all__ = [
    "Function", "Variable", "backward", "detect_anomaly", "enable_grad", "function", "grad", "grad_mode", "gradcheck",
    "gradgradcheck", "graph", "inference_mode", "no_grad", "set_detect_anomaly", "set_grad_enabled",
    "set_multithreading_enabled", "variable",
]  # fmt: skip

_LAZY = {
    "Function": ("function", "Function"),
    "NestedIOFunction": ("function", "NestedIOFunction"),
    "function": ("function", None),
    "gradcheck": ("gradcheck", "gradcheck"),
    "gradgradcheck": ("gradcheck", "gradgradcheck"),
    "variable": ("variable", None),
    "Variable": ("variable", "Variable"),
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'facula.autograd' has no attribute {name!r}")
    import importlib

    module_name, attribute = _LAZY[name]
    module = importlib.import_module(f"facula.autograd.{module_name}")
    found = module if attribute is None else getattr(module, attribute)
    globals()[name] = found
    return found


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Accumulate into the leaves' ``.grad`` the gradients of ``tensors``."""
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. "
                "Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    if inputs is not None and not isinstance(inputs, (engine.Tensor_, GradientEdge)) and len(inputs) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    roots = _as_tuple(tensors)
    wanted = None
    if inputs is not None:
        wanted = _as_tuple(inputs)
    grads = _grad_tuple(grad_tensors, len(roots))
    grads = _make_grads(roots, grads, is_grads_batched=False)
    keep = create_graph if retain_graph is None else retain_graph
    edges = None
    if wanted is not None:
        edges = [_input_edge(t, accumulate=True) for t in wanted]
    engine.run_backward(_root_edges(roots, grads), keep, create_graph, edges, accumulate=True)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """The gradients of ``outputs`` (weighted by ``grad_outputs``) with respect to ``inputs``."""
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if allow_unused is None:
        allow_unused = materialize_grads
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    roots = _as_tuple(outputs)
    wanted = _as_tuple(inputs)
    grads = _make_grads(roots, _grad_tuple(grad_outputs, len(roots)), is_grads_batched)
    keep = create_graph if retain_graph is None else retain_graph
    edges = [_input_edge(t, accumulate=False) for t in wanted]
    starts = _root_edges(roots, grads)
    found = engine.run_backward(starts, keep, create_graph, edges)
    if not allow_unused and any(g is None for g in found):
        raise RuntimeError(
            "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if this "
            "is the desired behavior."
        )
    if materialize_grads:
        for i, (g, t) in enumerate(zip(found, wanted, strict=True)):
            if g is None:
                if isinstance(t, GradientEdge):
                    raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
                found[i] = t.new_zeros(t.shape)
    return tuple(found)


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return (value,) if isinstance(value, (engine.Tensor_, GradientEdge)) else tuple(value)


def _grad_tuple(grads: Any, n: int) -> tuple[Any, ...]:
    if grads is None:
        return (None,) * n
    if isinstance(grads, engine.Tensor_):
        return (grads,)
    return tuple(grads)


def _make_grads(outputs: Sequence[Any], grads: Sequence[Any], is_grads_batched: bool) -> list[Any]:
    """The gradients to start from: given ones checked, missing ones made (1 for one-element outputs)."""
    made: list[Any] = []
    for out, g in zip(outputs, grads, strict=False):
        if isinstance(out, GradientEdge):
            if g is None:
                shape = _edge_shape(out)
                if shape is not None and shape != () and _count(shape) != 1:
                    raise RuntimeError("grad can be implicitly created only for scalar outputs")
                made.append(out)
            else:
                made.append(g)
            continue
        if g is None:
            if out.requires_grad:
                if out._array.size != 1:
                    raise RuntimeError("grad can be implicitly created only for scalar outputs")
                if out._array.dtype.kind not in "fV":
                    raise RuntimeError(
                        "grad can be implicitly created only for real scalar outputs but got "
                        f"{out.dtype}"
                    )
                made.append(out.new_ones(out.shape))
            else:
                made.append(None)
        elif isinstance(g, engine.Tensor_):
            _check_given(len(made), out, g)
            made.append(g)
        else:
            raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    return made


def _check_given(i: int, out: Any, g: Any) -> None:
    if out._array.shape != g._array.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has a shape of {out.shape}."
        )
    if (out._array.dtype.kind == "c") != (g._array.dtype.kind == "c"):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[{i}] has a dtype of {g.dtype} and output[{i}] has a dtype of {out.dtype}."
        )


def _count(shape: Sequence[int]) -> int:
    n = 1
    for d in shape:
        n *= d
    return n


def _edge_shape(edge: GradientEdge) -> tuple[int, ...] | None:
    return getattr(edge.node, "shape_hint", None)


def _root_edges(outputs: Sequence[Any], grads: Sequence[Any]) -> list[tuple[Any, Any]]:
    roots = []
    for i, out in enumerate(outputs):
        g = grads[i] if i < len(grads) else None
        if isinstance(out, GradientEdge):
            edge: Any = Port(out.node, out.output_nr) if out.node.multi else out.node
        else:
            edge = out._edge() if out.requires_grad else None
            if edge is None:
                raise RuntimeError(_no_grad_message(i, out))
        if g is not None and not isinstance(out, GradientEdge) and g._array.dtype != out._array.dtype:
            g = g.to(out.dtype)
        roots.append((edge, g))
    return roots


def _no_grad_message(i: int, out: Any) -> str:
    message = f"element {i} of tensors does not require grad and does not have a grad_fn"
    cut = None if out._meta is None else out._meta.cut
    if cut is not None:
        message += f"\nIts history was cut off by {cut[0]} at {cut[1]}."
    elif out._array.dtype.kind in "biu":
        message += f"\nIt is of dtype {out.dtype}: only floating point and complex tensors have gradients."
    return message


def _input_edge(t: Any, accumulate: bool) -> Any:
    if isinstance(t, GradientEdge):
        return Port(t.node, t.output_nr) if t.node.multi else t.node
    if not isinstance(t, engine.Tensor_):
        raise TypeError(
            f"all inputs have to be Tensors or GradientEdges, but got {type(t).__name__}"
        )
    if accumulate:
        t.retain_grad()
    if not t.requires_grad:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return t._edge()


def _calculate_shape(output: Any, grad: Any, is_grads_batched: bool) -> tuple[Any, Any]:
    return output.shape, grad.shape


def _is_checkpoint_valid() -> bool:
    return True


is_anomaly_enabled = anomaly.is_anomaly_enabled
is_anomaly_check_nan_enabled = anomaly.is_anomaly_check_nan_enabled

_modules = (_state, saved, views)
