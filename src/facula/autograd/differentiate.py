"""``backward`` and ``grad``: what a user asks for, checked, and handed to the engine."""

from __future__ import annotations

import math
import operator
import warnings
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._core import layouts, state
from ..ops.machine.errors import type_of
from . import engine
from .accumulate import AccumulateGrad
from .graph import NOWHERE, GradientEdge, Nowhere, blank_node, node_edge
from .meta import Cut

_warned_of_cycle = False


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
    if inputs is not None:
        inputs = _as_tuple(inputs)
    if inputs == ():
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    if state.modes.levels and state.modes.levels != (state.modes.dual,):
        raise RuntimeError(
            "backward() called inside a functorch transform. This is not supported, please use functorch.grad or "
            "functorch.vjp instead or call backward() outside of functorch transforms."
        )
    if state.special and state.modes.capture is not None:
        state.modes.capture.before_backward(None)
    roots = _as_tuple(tensors)
    grads = _starting_grads(roots, _grad_tuple(grad_tensors, len(roots)))
    keep = create_graph if retain_graph is None else retain_graph
    if keep.__class__ is not bool or create_graph.__class__ is not bool:
        keep, create_graph = _flag(keep), _flag(create_graph)
    if create_graph:
        _warn_of_cycle()
    starts = _root_edges(roots, grads, True)
    edges = None if inputs is None else [_input_edge(t, accumulate=True) for t in inputs]
    engine.run_backward(starts, keep, create_graph, edges, accumulate=True)


def _flag(value: Any) -> bool:
    """A flag as C reads it: any small number will do."""
    number = operator.index(value)
    if abs(number) >= 2**63:
        raise OverflowError("Python int too large to convert to C long")
    if number < 0:
        raise OverflowError("unsigned byte integer is less than minimum")
    if number > 255:
        raise OverflowError("unsigned byte integer is greater than maximum")
    return bool(number)


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
    if not wanted:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if state.special and state.modes.capture is not None:
        state.modes.capture.before_backward(wanted)
    given = _grad_tuple(grad_outputs, len(roots))
    keep = create_graph if retain_graph is None else retain_graph
    if keep.__class__ is not bool or create_graph.__class__ is not bool or allow_unused.__class__ is not bool:
        keep, create_graph, allow_unused = _flag(keep), _flag(create_graph), _flag(allow_unused)
    if any(getattr(t, "is_sparse", False) for t in (*roots, *wanted)):
        return _grad_of_values(roots, wanted, given, keep, create_graph, allow_unused, materialize_grads)
    try:
        edges = [] if is_grads_batched else [_input_edge(t, accumulate=False) for t in wanted]
    except RuntimeError:
        _root_edges(roots, _starting_grads(roots, given))  # of which PyTorch speaks first
        raise
    if is_grads_batched:
        found = _batched(roots, given, wanted, keep, create_graph)
    elif _any_wraps(roots, wanted):
        found = _through(roots, given, wanted, keep, create_graph)
    else:
        starts = _root_edges(roots, _starting_grads(roots, given))
        found = engine.run_backward(starts, keep, create_graph, edges)
    if not allow_unused:
        for i, g in enumerate(found):
            if g is None:
                from .._explain import errors  # loaded when something went wrong

                raise errors.not_used(RuntimeError(
                    f"The differentiated Tensor at index {i} appears to not have been used in the graph. Set "
                    "allow_unused=True if this is the desired behavior."
                ), roots, wanted[i])  # fmt: skip
    if materialize_grads:
        for i, (g, t) in enumerate(zip(found, wanted)):
            if g is None:
                if isinstance(t, GradientEdge):
                    raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
                found[i] = t.new_zeros(t.shape, requires_grad=create_graph)
    if not create_graph:
        cut = Cut("autograd.grad()", next((t for t in roots[:1] if isinstance(t, engine.Tensor_)), None))
        for g in found:
            if g is not None and g._meta is None and g._node is None and all(g is not t for t in given):
                g._meta = cut
    return tuple(found)


def _grad_of_values(
    roots: tuple[Any, ...], wanted: tuple[Any, ...], given: tuple[Any, ...], *options: bool
) -> tuple[Any, ...]:
    """The graph of a sparse tensor is about its values: NOTE [sparse tensors]."""
    keep, create_graph, allow_unused, materialize_grads = options
    starts = [_of_values(t, g) for t, g in zip(roots, _starting_grads(roots, given))]
    found = grad(
        [t._rows if t.is_sparse else t for t in roots], [t._rows if t.is_sparse else t for t in wanted], starts,
        keep, create_graph, allow_unused=allow_unused, materialize_grads=materialize_grads,
    )  # fmt: skip
    return tuple([t._with_gradient(g) if t.is_sparse and g is not None else g for t, g in zip(wanted, found)])


def _of_values(t: Any, g: Any) -> Any:
    return t._gradient_of_rows(g) if t.is_sparse and g is not None else g


def _any_wraps(roots: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
    return any(isinstance(t, engine.Tensor_) and t.wraps for t in (*roots, *wanted))


def _through(
    roots: tuple[Any, ...], given: tuple[Any, ...], wanted: tuple[Any, ...], keep: bool, create_graph: bool
) -> list[Any]:
    """Gradients of what transforms wrap."""
    from ..func.reverse import grad_through  # it imports this module

    return grad_through(roots, wanted, _starting_grads(roots, given), keep, create_graph)


def _batched(
    roots: tuple[Any, ...], given: tuple[Any, ...], wanted: tuple[Any, ...], keep: bool, create_graph: bool
) -> list[Any]:
    """All gradients of a batch at once: the first dimension of those given is the batch."""
    from ..func.vectorize import vmap  # it imports this module

    missing: list[bool] = []
    batch = tuple(_starting_grads(roots, given, batched=True))
    if any(g is not None and not g._array.ndim for g in batch):
        raise ValueError(
            "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of "
            "dimensionality 0 so expected in_dim to satisfy 0 <= in_dim < 0."
        )

    def vjp(grads: Any) -> list[Any]:
        if _any_wraps(roots, wanted):
            found = _through(roots, grads, wanted, keep, create_graph)
        else:
            starts = _root_edges(roots, _starting_grads(roots, grads))
            edges = [_input_edge(t, accumulate=False) for t in wanted]
            found = engine.run_backward(starts, keep, create_graph, edges)
        missing[:] = [g is None for g in found]
        return [g for g in found if g is not None]

    results = iter([_for_each(g) for g in vmap(vjp, in_dims=0, randomness="different")(batch)])
    return [None if m else next(results) for m in missing]


def _for_each(g: Any) -> Any:
    """What is the same for all items, such as zeros, has memory for each."""
    return g.contiguous() if g.shape[0] > 1 and not g.wraps and g.stride(0) == 0 else g


def _warn_of_cycle() -> None:
    global _warned_of_cycle
    if not _warned_of_cycle or state.warns_always:
        _warned_of_cycle = True
        warnings.warn(
            "Using backward() with create_graph=True will create a reference cycle between the parameter and its "
            "gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid "
            "this. If you have to use this function, make sure to reset the .grad fields of your parameters to None "
            "after use to break the cycle and avoid the leak.",
            stacklevel=4,
        )


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return (value,) if isinstance(value, (engine.Tensor_, GradientEdge)) else tuple(value)


def _grad_tuple(grads: Any, n: int) -> tuple[Any, ...]:
    if grads is None:
        return (None,) * n
    return (grads,) if isinstance(grads, engine.Tensor_) else tuple(grads)


def _starting_grads(outputs: Sequence[Any], grads: Sequence[Any], batched: bool = False) -> list[Any]:
    """The gradients to start from: given ones checked, missing ones made (1 for one-element outputs).

    ``batched``: those given have a dimension more, the first one.
    """
    made: list[Any] = []
    for i, (out, g) in enumerate(zip(outputs, grads)):
        if not isinstance(out, (engine.Tensor_, GradientEdge)):
            raise AssertionError("Expected output to be a torch.Tensor")
        like = out.witness() if isinstance(out, GradientEdge) else out
        if g is None:
            made.append(_one_like(like) if like.requires_grad or like is not out else None)
        elif isinstance(g, engine.Tensor_):
            _check_given(i, like, g, batched)
            made.append(g)
        else:
            raise TypeError(f"gradients can be either Tensors or None, but got {type_of(g)}")
    if len(grads) < len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(grads)} gradients")
    return made


def _one_like(out: Any) -> Any:
    array = out._array
    if array.size != 1:
        from .._explain import errors  # loaded when something went wrong

        raise errors.not_scalar(RuntimeError("grad can be implicitly created only for scalar outputs"), out)
    if array.dtype.kind not in "fV":
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {out.dtype}")
    if out.__class__ is engine.Tensor_ and array.__class__ is np.ndarray and not state.special:
        return engine.Tensor_._wrap(np.ones(array.shape, array.dtype))
    asked = out.dispatches or state.modes.function_modes or state.modes.dispatch
    return _ones_like(out) if asked else out.new_ones(out.shape)


def _ones_like(out: Any) -> Any:
    from ..ops.machine.public import FUNCTIONS  # it imports this module

    return FUNCTIONS["ones_like"](out, memory_format=layouts.preserve_format)


def _check_given(i: int, out: Any, g: Any, batched: bool) -> None:
    if batched:
        g = g[0]
    if batched and out._array.shape != g._array.shape:
        raise RuntimeError(
            "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. "
            "The sizes of the remaining dimensions are expected to match the shape of corresponding output, but a "
            f"mismatch was detected: grad_output[{i}] has a shape of {g.shape[1:]} and output[{i}] has a shape of "
            f"{out.shape}. If you only want some tensors in `grad_output` to be considered batched, consider using "
            "vmap."
        )
    if out._array.shape != g._array.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has a shape of {out.shape}."
        )
    if (out._array.dtype.kind == "c") != (g._array.dtype.kind == "c"):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[{i}] has a dtype of {g.dtype} and output[{i}] has a dtype of {out.dtype}."
        )


def _root_edges(outputs: Sequence[Any], grads: Sequence[Any], is_training: bool = False) -> list[tuple[Any, Any]]:
    """Where gradients start. ``is_training``: they end in ``.grad``, and a loss that is not finite is a mishap."""
    roots = []
    for i, (out, g) in enumerate(zip(outputs, grads)):
        if isinstance(out, GradientEdge):
            roots.append((node_edge(out.node, out.output_nr), g))
            continue
        edge = out._edge() if out.requires_grad else None
        if edge is None or edge is NOWHERE:
            raise _no_history(i, out)
        if out.is_sparse:
            roots.append((edge, _of_values(out, g)))
            continue
        if not out._array.ndim and not out.wraps and out._array.dtype.kind == "f":
            if is_training and out._array.__class__ is np.ndarray and not math.isfinite(out._array.item()):
                from .._explain import unasked  # loaded when something went wrong

                unasked.root_not_finite(out)
            if edge.__class__ is AccumulateGrad:
                state.modes.leaf_root = weakref.ref(out)
        if g is not None and g._array.dtype != out._array.dtype:
            leaf = out._meta if edge.__class__ is AccumulateGrad else None
            if leaf is None or leaf.grad_dtype is ...:
                g = g.to(out.dtype)
        roots.append((edge, g))
    return roots


def _no_history(i: int, out: Any) -> Exception:
    from .._explain import errors  # loaded when something went wrong

    return errors.no_history(
        RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn"), out
    )


def _input_edge(t: Any, accumulate: bool) -> Any:
    if isinstance(t, GradientEdge):
        return node_edge(t.node, t.output_nr)
    if not isinstance(t, engine.Tensor_):
        raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type_of(t)}")
    if accumulate:
        t.retain_grad()
    if not t.requires_grad:
        from .._explain import errors  # loaded when something went wrong

        raise errors.input_without_grad(RuntimeError("One of the differentiated Tensors does not require grad"), t)
    edge = t._edge()
    return blank_node(Nowhere) if edge is NOWHERE else edge  # one that no gradient arrives at

