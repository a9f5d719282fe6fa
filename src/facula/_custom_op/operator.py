"""Operators of one's own: which of its functions a call goes to.

A call meets, in this order: the batches of ``vmap``, tangents, the graph, and at last a kernel for the device. The
gradient formula is all that forward mode needs, too: tangents go through its transpose.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

import facula

from .._core import state
from .._core.devices import device
from .._core.pytree import tree_flatten, tree_unflatten
from .._levels.wrapped import below, highest
from .._tensor import Tensor
from ..autograd.function import Function
from ..autograd.grad_mode import no_grad
from . import calls, fallback
from .schema import Schema


class Operator:
    """All that is registered under one name."""

    def __init__(self, qualified: str) -> None:
        self.qualified = qualified
        self.namespace, self.name = qualified.split("::")
        self.schema: Schema | None = None
        self.overload: Any = None
        """What it is called by: ``torch.ops.mine.f.default``."""
        self.definition: Any = None
        """The ``CustomOpDef``, if it was made by ``custom_op``."""
        self.kernels: dict[str, Callable[..., Any]] = {}
        """By device type; under "" the one for all devices."""
        self.is_composite = False
        """Whether its gradient is that of what it calls, or none, and nothing is said of it."""
        self.disabled: set[str] = set()
        self.tags: list[Any] = []
        self.fake: Callable[..., Any] | None = None
        self.vmap: Callable[..., Any] | None = None
        self.backward: Callable[..., Any] | None = None
        self.setup_context: Callable[..., Any] | None = None
        self.autograd_kernel: Callable[..., Any] | None = None
        self.cast_inputs: Any = None
        self.torch_dispatch: dict[type, Callable[..., Any]] = {}
        """By classes of modes: what is called in place of their ``__torch_dispatch__``."""
        self.function: Any = _function(self)

    @property
    def shown(self) -> str:
        return f"{self.namespace}.{self.name}.default"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.schema is not None:
            args, kwargs = calls.bound(self.schema, args, kwargs)
        return self.dispatch(args, kwargs)

    def dispatch(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        leaves, spec = tree_flatten((args, kwargs))
        tensors = [v for v in leaves if isinstance(v, Tensor)]
        top = highest(tensors)
        if top is not None:
            from .._levels.batched import Batched  # loaded when first used

            if isinstance(top, Batched):
                return self._in_batches(args, kwargs, top._level)
            return self._with_tangents(leaves, spec, top._level)
        if self.cast_inputs is not None and _autocasts():
            leaves = [v.to(self.cast_inputs) if _is_float(v) else v for v in leaves]
            args, kwargs = tree_unflatten(leaves, spec)
        if state.grad_enabled() and any(t.requires_grad for t in tensors):
            if self.autograd_kernel is not None:
                return self.autograd_kernel(*args, **kwargs)
            if self.backward is not None or (self.definition is not None and not self._is_mutable):
                return self._recorded(leaves, spec)
            if self.definition is None and not self.is_composite:
                return fallback.watch(self, tensors, self.compute(args, kwargs))
        return self.compute(args, kwargs)

    @property
    def _is_mutable(self) -> bool:
        return self.schema is not None and self.schema.is_mutable

    # ---- kernels

    def compute(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a kernel."""
        if state.special and state.modes.kernels is not None and not self._is_mutable:
            return state.modes.kernels.custom(self, self._computed, args, kwargs)
        return self._computed(*args, **kwargs)

    def _computed(self, *args: Any, **kwargs: Any) -> Any:
        if any(isinstance(v, Tensor) and v.is_meta for v in tree_flatten((args, kwargs))[0]):
            return self._on_meta(args, kwargs)
        if self.definition is None:
            return self._kernel()(*args, **kwargs)
        changed = [] if self.schema is None else [v for a, v in zip(self.schema.positional, args) if a.mutated]
        written = [t for t in tree_flatten(changed)[0] if isinstance(t, Tensor)]
        if state.modes.capture is not None:
            result = state.modes.capture.opaque(self._run, self.name, args, kwargs, written)
        else:
            result = self._run(*args, **kwargs)
        for t in written:
            t._bump_version()
        return result

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        kernel = self._kernel(self._asked_device(args))
        with no_grad():
            result = kernel(*args, **kwargs)
        if self.schema is not None:
            result = calls.returned(self.schema, result)
            tensors = [v for v in tree_flatten((args, kwargs))[0] if isinstance(v, Tensor)]
            self._check_aliases(result, tensors, kernel)
        return result

    def _asked_device(self, args: tuple[Any, ...]) -> str:
        """The device whose kernel is wanted: where there are no tensors, the argument ``device`` tells."""
        if self.schema is None or self.schema.takes_tensors or self.schema.device_at is None:
            return "cpu"
        at = self.schema.device_at
        return device(args[at] if at < len(args) else self.schema.arguments[at].value()).type

    def _kernel(self, on: str = "cpu") -> Callable[..., Any]:
        kernel = None if on in self.disabled else self.kernels.get(on)
        kernel = kernel or self.kernels.get("")
        if kernel is None and on != "cpu":
            raise RuntimeError(
                f"{self.name} does not have a kernel registered for {on}. Please use register_kernel to do so."
            )
        if kernel is None:
            raise NotImplementedError(
                f"Could not run '{self.qualified}' with arguments from the 'CPU' backend. This could be because the "
                "operator doesn't exist for this backend, or was omitted during the selective/custom build process (if "
                "using custom build)."
            )
        return kernel

    def _on_meta(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        fake = self.fake or self.kernels.get("meta")
        if fake is not None:
            return fake(*args, **kwargs)
        if self.definition is not None:
            if self._is_mutable and self.schema is not None and self.schema.returns == "()":
                return None
            raise RuntimeError(self.no_fake())
        if "" in self.kernels:
            return self.kernels[""](*args, **kwargs)
        raise NotImplementedError(
            f"{self.qualified}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta "
            "kernel registered for this operator."
        )

    def no_fake(self) -> str:
        given = getattr(self.definition, "_init_fn", None)
        return (
            f"There was no fake impl registered for {self.definition}. This is necessary for torch.compile/export/fx "
            f"tracing to work. Please use `{getattr(given, '__name__', self.name)}.register_fake` to add an fake impl."
        )

    def _check_aliases(self, result: Any, inputs: list[Any], kernel: Any) -> None:
        seen = [t._array for t in inputs]
        for t in tree_flatten(result)[0]:
            if not isinstance(t, Tensor):
                continue
            if any(t._array.size and np.may_share_memory(t._array, other) for other in seen):
                raise RuntimeError(
                    f"{self.name} (with implementation in {inspect.getmodule(kernel)}): The output of this custom "
                    "operator (1) must not also be an input to this custom operator and (2) may not alias any inputs "
                    "to this custom operator or other returns. The most common way to trigger this error is if we have "
                    "y = custom_op(x) and y and x are the same Tensor. Please instead return a clone of the offending "
                    "output tensor(s) (e.g. return x.clone()) or refactor the custom operator to not return y."
                )
            seen.append(t._array)

    # ---- reverse mode

    def _recorded(self, leaves: list[Any], spec: Any) -> Any:
        packed = _Structure(spec)
        found = self.function._applied((*leaves, packed))[0]
        return tree_unflatten(list(found) if isinstance(found, tuple) else [found], packed.results)

    def remember(self, ctx: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
        """Call the user's ``setup_context``."""
        if self.setup_context is None:
            return
        inputs = args if self.schema is None else calls.filled(self.schema, args)
        if self.schema is not None and self.schema.keyword_only:
            self.setup_context(ctx=ctx, inputs=inputs, keyword_only_inputs=kwargs, output=output)
        else:
            self.setup_context(ctx=ctx, inputs=inputs, output=output)

    def pull(self, ctx: Any, grads: tuple[Any, ...], spec: Any, results: Any) -> list[Any]:
        """Call the user's ``backward``: a gradient, or None, for each leaf of the arguments."""
        if self.backward is None:
            raise RuntimeError(
                f"Trying to backward through {self.shown} but no autograd formula was registered. Please use "
                "register_autograd to add one."
            )
        given = tree_unflatten(list(grads), results)
        found = self.backward(ctx, *given) if isinstance(given, tuple) else self.backward(ctx, given)
        parts = list(found) if isinstance(found, tuple) else [found]
        args_spec = spec.children_specs[0]
        flat: list[Any] = []
        for part, child in zip(parts, args_spec.children_specs):
            flat += [None] * child.num_leaves if part is None else [part] if child.is_leaf() else list(part)
        if len(parts) == len(args_spec.children_specs):
            flat += [None] * (spec.num_leaves - len(flat))
        return flat

    # ---- transforms

    def _in_batches(self, args: tuple[Any, ...], kwargs: dict[str, Any], level: Any) -> Any:
        from .._levels.batched import one_by_one  # loaded when first used
        from ..func.custom import by_rule  # loaded when first used

        if self.vmap is None:
            return below(level, one_by_one, self.qualified, self.dispatch_flat, (args, kwargs), {}, level)
        return below(level, by_rule, self.vmap, args, kwargs, level)

    def dispatch_flat(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.dispatch(args, kwargs)

    def _with_tangents(self, leaves: list[Any], spec: Any, level: Any) -> Any:
        """The transpose of the gradient formula, applied to tangents."""
        from .._levels.dual import make_dual, parts  # loaded when first used
        from ..func.custom import _Recorder  # loaded when first used
        from ..func.reverse import linear_transpose  # loaded when first used

        def run() -> Any:
            primals, tangents = parts(tuple(leaves), level)
            args, kwargs = tree_unflatten(list(primals), spec)
            output = self.dispatch(args, kwargs)
            outs, results = tree_flatten(output)
            if self.backward is None:
                raise RuntimeError(
                    f"Trying to differentiate through {self.shown} in forward mode but no autograd formula was "
                    "registered. Please use register_autograd to add one."
                )
            ctx: Any = _Recorder()
            ctx.needs_input_grad = tuple(t is not None for t in tangents)
            self.remember(ctx, args, kwargs, output)
            ctx.saved_tensors = ctx.to_save
            live = [i for i, t in enumerate(tangents) if t is not None]

            def pulled(*grads: Any) -> list[Any]:
                found = self.pull(ctx, grads, spec, results)
                return [found[i] for i in live]

            slopes = linear_transpose(pulled, outs, [tangents[i] for i in live])
            return tree_unflatten([make_dual(o, t, level) for o, t in zip(outs, slopes)], results)

        return below(level, run)


class _Structure:
    """How the flat arguments and results of the generated Function belong together."""

    def __init__(self, spec: Any) -> None:
        self.spec = spec
        self.results: Any = None


def _function(op: Operator) -> Any:
    """The Function that records calls of an operator."""

    def forward(ctx: Any, *flat: Any) -> Any:
        *leaves, packed = flat
        args, kwargs = tree_unflatten(leaves, packed.spec)
        output = op.compute(args, kwargs)
        ctx.needs_input_grad = tree_unflatten(list(ctx.needs_input_grad[:-1]), packed.spec)[0]
        op.remember(ctx, args, kwargs, output)
        outs, packed.results = tree_flatten(output)
        ctx.packed = packed
        return tuple(outs)

    def backward(ctx: Any, *grads: Any) -> Any:
        return (*op.pull(ctx, grads, ctx.packed.spec, ctx.packed.results), None)

    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type(f"GeneratedBackwardFor_{op.namespace}_{op.name}_default", (Function,), body)


def _autocasts() -> bool:
    return bool(facula.is_autocast_enabled("cpu"))


def _is_float(v: Any) -> bool:
    return isinstance(v, Tensor) and v.is_floating_point()
