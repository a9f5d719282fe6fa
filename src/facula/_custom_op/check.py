"""``library.opcheck``: whether an operator keeps what it has promised.

- ``test_schema``: it changes only the arguments that its schema calls mutable, and returns nothing that shares memory.
- ``test_autograd_registration``: its gradient is a formula of its own, not what happened to be recorded in a kernel.
- ``test_faketensor``: for meta tensors it returns what it returns for real ones, but for the values.
- ``test_aot_dispatch_static``, ``test_aot_dispatch_dynamic``: PyTorch compiles the operator and compares. Nothing is
  compiled here; results and gradients are compared with those of the operator as a pure function, by ``func.vjp``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._core.pytree import tree_flatten, tree_map, tree_unflatten
from .._core.unresolved import resolved
from .._tensor import Tensor
from ..autograd import grad


class OpCheckError(Exception):
    """An operator breaks a promise."""


class MetadataMismatchError(Exception):
    """What is returned for meta tensors does not look like what is returned for real ones."""


DEFAULT = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")
ALL = (*DEFAULT[:3], "test_aot_dispatch_static", DEFAULT[3])


def opcheck(
    op: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, *, test_utils: Any = DEFAULT,
    raise_exception: bool = True, atol: Any = None, rtol: Any = None,
) -> dict[str, Any]:  # fmt: skip
    """Test an operator with some arguments: for each test "SUCCESS" or the exception it ended with."""
    from ..library import CustomOpDef, OpOverload, OpOverloadPacket  # it imports this module

    if isinstance(op, (CustomOpDef, OpOverloadPacket)):
        op = op._opoverload if isinstance(op, CustomOpDef) else op.default
    if not isinstance(op, OpOverload):
        raise ValueError(
            "opcheck(op, ...): op must be instance of torch._ops.OpOverload, e.g. torch.ops.aten.sin.default, got "
            f"{type(op)}"
        )
    names = (test_utils,) if isinstance(test_utils, str) else tuple(test_utils)
    if not set(names) <= set(ALL):
        raise ValueError(
            f"opcheck(op, ..., test_utils={names}), expected test_utils to be subset of {ALL} but it was not"
        )
    results: dict[str, Any] = {}
    for name in names:
        try:
            _TESTS[name](op, args, kwargs or {}, atol, rtol)
            results[name] = "SUCCESS"
        except Exception as e:
            if raise_exception:
                raise OpCheckError(f"opcheck(op, ...): {name} failed with {e} (scroll up for stack trace)") from e
            results[name] = e
    return results


def _copied(tree: Any) -> Any:
    def copy(v: Any) -> Any:
        return v.detach().clone().requires_grad_(v.requires_grad) if isinstance(v, Tensor) else v

    return tree_map(copy, tree)


def _tensors(tree: Any) -> list[Any]:
    return [v for v in tree_flatten(tree)[0] if isinstance(v, Tensor)]


def _test_schema(op: Any, args: Any, kwargs: Any, atol: Any, rtol: Any) -> None:
    schema = op._schema
    args, kwargs = _copied((args, kwargs))
    named = {a.name: v for a, v in zip(schema.arguments, args)} | kwargs
    before = {name: [np.array(resolved(t._array)) for t in _tensors(v)] for name, v in named.items()}
    versions = {name: [t._version for t in _tensors(v)] for name, v in named.items()}
    result = op(*args, **kwargs)
    for a in schema.arguments:
        if a.name not in named or a.mutated:
            continue
        for t, values, version in zip(_tensors(named[a.name]), before[a.name], versions[a.name]):
            if t._version != version or not np.array_equal(t._array, values, equal_nan=values.dtype.kind in "fc"):
                raise RuntimeError(f"Argument {a.name} is not defined as mutable but was mutated")
    for t in _tensors(result):
        for a in schema.arguments:
            inputs = _tensors(named.get(a.name))
            if not a.mutated and any(t._array.size and np.may_share_memory(t._array, i._array) for i in inputs):
                raise RuntimeError(f"Argument {a.name} is not defined to alias output but was aliasing")


def _test_autograd_registration(op: Any, args: Any, kwargs: Any, atol: Any, rtol: Any) -> None:
    registered = op._operator
    if not any(t.requires_grad for t in _tensors((args, kwargs))):
        return
    if registered.definition is not None or registered.backward is not None or registered.autograd_kernel is not None:
        return
    result = op(*_copied(args), **_copied(kwargs))
    if any(t.requires_grad for t in _tensors(result)) and "" not in registered.kernels:
        raise AssertionError(
            f"{op.name()}: at least one output of this operator has requires_grad=True but the operator does not have "
            "an autograd kernel defined at an autograd key (e.g. DispatchKey::Autograd). This could mean that you have "
            "incorrectly registered an autograd kernel to a non-Autograd DispatchKey, which may lead to silently "
            "incorrect results. If your operator consists of regular PyTorch operations, consider not using an "
            "operator at all or registering your operator as CompositeImplicitAutograd."
        )


def _on_meta(tree: Any) -> Any:
    return tree_map(lambda v: v.detach().to("meta") if isinstance(v, Tensor) else v, tree)


def _test_faketensor(op: Any, args: Any, kwargs: Any, atol: Any, rtol: Any) -> None:
    fake = op(*_on_meta(args), **_on_meta(kwargs))
    real = op(*_copied(args), **_copied(kwargs))
    if isinstance(real, (tuple, list)) and not isinstance(fake, (tuple, list)):
        raise TypeError(f"Object of type '{type(fake).__name__}' is not an instance of 'sequence'")
    for r, f in zip(_tensors(real), _tensors(fake)):
        told = _difference(r, f)
        if told is not None:
            raise MetadataMismatchError(
                f"When comparing the output of {op} on FakeTensor and concrete Tensors, found mismatched tensor "
                f"metadata: {told}"
            )


def _difference(real: Any, fake: Any) -> str | None:
    if real.shape != fake.shape:
        return f"Shapes {real.shape} and {fake.shape} are not equal!"
    if real.dtype != fake.dtype:
        return f"Dtypes {real.dtype} and {fake.dtype} are not equal!"
    mine, theirs = real.stride(), fake.stride()
    for i, (a, b, n) in enumerate(zip(mine, theirs, real.shape)):
        if n > 1 and a != b:
            return f"Stride mismatch! Strides are {mine} and {theirs} (mismatched at {i})!"
    return None


def _test_as_function(op: Any, args: Any, kwargs: Any, atol: Any, rtol: Any) -> None:
    from ..func import vjp  # loaded when first used
    from ..testing import assert_close  # loaded when first used

    registered = op._operator
    if registered.definition is not None and registered.fake is None and not op._schema.is_mutable:
        raise RuntimeError(registered.no_fake())
    leaves, spec = tree_flatten(_copied((args, kwargs)))
    places = [i for i, v in enumerate(leaves) if isinstance(v, Tensor) and v.requires_grad]

    def call(*chosen: Any) -> tuple[Any, ...]:
        given = list(leaves)
        for i, v in zip(places, chosen):
            given[i] = v
        again, named = tree_unflatten(given, spec)
        return tuple(_tensors(op(*again, **named)))

    inputs = [leaves[i] for i in places]
    outputs = call(*inputs)
    live = [o for o in outputs if o.requires_grad]
    if not live:
        return
    ones = [o.new_ones(o.shape) for o in live]
    recorded = grad(live, inputs, ones, allow_unused=True)
    values, pull = vjp(lambda *x: tuple(o for o in call(*x) if o.is_floating_point() or o.is_complex()), *inputs)
    pulled = pull(tuple(v.new_ones(v.shape) for v in values))
    for name, mine, theirs in [("outputs", live, values), ("gradients", recorded, pulled)]:
        for a, b in zip(mine, theirs):
            if a is not None:
                assert_close(a.detach(), b.detach(), atol=atol, rtol=rtol, msg=f"{op}: {name} as a function differ")


_TESTS: dict[str, Callable[..., None]] = {
    "test_schema": _test_schema,
    "test_autograd_registration": _test_autograd_registration,
    "test_faketensor": _test_faketensor,
    "test_aot_dispatch_static": _test_as_function,
    "test_aot_dispatch_dynamic": _test_as_function,
}
