"""``grad``, ``grad_and_value``, ``vjp``: reverse mode as functions of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core.pytree import tree_flatten, tree_map, tree_unflatten
from .._tensor import Tensor
from ._arguments import chosen, outputs_in, tensors_in, transformed, without_aux
from .reverse import Reverse

_GRAD = "grad_and_value(f)(*args)"
_VJP = "vjp(f, *primals)"


@transformed
def grad(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that computes the gradient of ``func``, which must return a scalar."""
    both = grad_and_value(func, argnums, has_aux)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


@transformed
def grad_and_value(func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False) -> Callable[..., Any]:
    """The same, but the function returns (gradient, value)."""

    def gradient_and_value(*args: Any, **kwargs: Any) -> Any:
        picked, replaced = chosen(args, argnums)
        leaves, spec = tensors_in(picked)
        with Reverse(leaves) as trace:
            output = func(*replaced(tree_unflatten(trace.inputs, spec)), **kwargs)
            aux = None
            if has_aux:
                output, aux = without_aux(output, _GRAD)
            if not isinstance(output, Tensor):
                raise RuntimeError(f"{_GRAD}: Expected f(*args) to return a Tensor, got {type(output)}")
            if output.dim() != 0:
                raise RuntimeError(
                    f"{_GRAD}: Expected f(*args) to return a scalar Tensor, got tensor with {output.dim()} dims. Maybe "
                    "you wanted to use the vjp or jacrev APIs instead?"
                )
            if output._array.dtype.kind == "c":
                raise RuntimeError(
                    f"grad can be implicitly created only for real scalar outputs but got {output.dtype}"
                )
            (output,) = trace.kept([output])
        grads = trace.pull([output], [output.new_ones(())], keep=False)
        result = tree_unflatten([_or_zeros(g, t) for g, t in zip(grads, leaves)], spec)
        value = trace.closed(output, is_output=True)
        return result, ((value, _closed(trace, aux)) if has_aux else value)

    return gradient_and_value


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """What ``func`` returns, and a function that pulls cotangents of it back to its arguments."""
    leaves, spec = tensors_in(primals)
    with Reverse(leaves) as trace:
        output = func(*tree_unflatten(trace.inputs, spec))
        aux = None
        if has_aux:
            output, aux = without_aux(output, _VJP)
        outs, out_spec = outputs_in(output, _VJP)
        for out in outs:
            if out._array.dtype.kind not in "fcV":
                raise RuntimeError(
                    "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                    f"{out.dtype}"
                )
        outs = trace.kept(outs)

    def pullback(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        given, given_spec = tree_flatten(cotangents)
        if given_spec != out_spec:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {_shown(given_spec)}, primal output: {_shown(out_spec)}"
            )
        for i, (g, out) in enumerate(zip(given, outs)):
            if not isinstance(g, Tensor):
                raise _no_cotangent(g, out)
            if g._array.shape != out._array.shape:
                raise RuntimeError(
                    f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has a shape of "
                    f"{out.shape}."
                )
        grads = trace.pull(outs, given, keep=retain_graph)
        return tree_unflatten([_or_zeros(g, t) for g, t in zip(grads, leaves)], spec)

    value = tree_unflatten([trace.closed(out) for out in outs], out_spec)
    return (value, pullback, _closed(trace, aux)) if has_aux else (value, pullback)


def _no_cotangent(g: Any, out: Tensor) -> Exception:
    if g is not None:
        return TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    return RuntimeError("grad can be implicitly created only for scalar outputs")


def _shown(spec: Any) -> str:
    """A plan in short: ``(*, *)``."""
    return repr(tree_unflatten([_Leaf()] * spec.num_leaves, spec))


class _Leaf:
    def __repr__(self) -> str:
        return "*"


def _closed(trace: Reverse, tree: Any) -> Any:
    return tree_map(lambda v: trace.closed(v) if isinstance(v, Tensor) else v, tree)


def _or_zeros(g: Any, t: Any) -> Any:
    return t.new_zeros(t.shape) if g is None else g
