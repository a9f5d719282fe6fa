"""Checkpointing: keep no intermediate values of a part of the forward pass, and compute them again in backward."""

from __future__ import annotations

import contextlib
import functools
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from .._core import state as _state
from .._tensor import Tensor
from ..amp.autocast_mode import autocast, is_autocast_cache_enabled, is_autocast_enabled
from ..autograd import backward, enable_grad, no_grad
from ..autograd.custom_node import Layout
from ..autograd.function import Function
from ..autograd.graph import Node, new_node
from ..autograd.hooks import checkpoint_hooks
from ..autograd.saved import Slot, pack, unpack
from ..ops.machine.namespaces import TENSORS
from ..random import get_rng_state, set_rng_state
from ._selective import CheckpointPolicy, SelectiveCheckpointContext, create_selective_checkpoint_contexts

__all__ = [
    "CheckpointError", "CheckpointFunction", "CheckpointPolicy", "DefaultDeviceType", "GraphExecGroup",
    "SelectiveCheckpointContext", "check_backward_validity", "checkpoint", "checkpoint_sequential",
    "create_selective_checkpoint_contexts", "detach_variable", "get_device_states", "noop_context_fn",
    "set_checkpoint_debug_enabled", "set_checkpoint_early_stop", "set_device_states",
]  # fmt: skip


class CheckpointError(RuntimeError):
    """What was computed again is not what was computed first."""


def noop_context_fn() -> tuple[Any, Any]:
    """Two contexts that do nothing."""
    return contextlib.nullcontext(), contextlib.nullcontext()


_debug: bool | None = None
_early_stop: bool | None = None


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Within it ``debug=`` is this, whatever calls of ``checkpoint`` say; None leaves it to them."""
    global _debug
    before, _debug = _debug, enabled
    try:
        yield
    finally:
        _debug = before


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Within it ``early_stop=`` is this, whatever calls of ``checkpoint`` say."""
    global _early_stop
    before, _early_stop = _early_stop, enable
    try:
        yield
    finally:
        _early_stop = before


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """``function(*args, **kwargs)`` without keeping what its backward needs: that is computed again then.

    ``use_reentrant=False`` is the better way, and allows all that backward allows; True is PyTorch's older way.
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, "
            "calling checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but "
            "if you need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for "
            "more details on the differences between the two variants.",
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    if determinism_check not in ("default", "none"):
        raise ValueError(
            f"determinism_check should be one of ['default', 'none'], but got {determinism_check}"
        )
    forward_context, again_context = context_fn()
    if not _state.grad_enabled():
        return function(*args, **kwargs)
    logs: Any = None
    if debug if _debug is None else _debug:
        from ._checkpoint_debug import OperationLog  # loaded when first used

        logs = OperationLog(), OperationLog()
    stop = early_stop if _early_stop is None else _early_stop
    again = _Again(function, args, kwargs, preserve, again_context, stop, determinism_check, logs)
    with checkpoint_hooks(again.pack, again.unpack), forward_context, logs[0] if logs else contextlib.nullcontext():
        result = function(*args, **kwargs)
    again.is_complete = True
    return result


def _autocast_as_now() -> autocast:
    return autocast("cpu", enabled=is_autocast_enabled("cpu"), cache_enabled=is_autocast_cache_enabled())


@contextlib.contextmanager
def _random_state(state: Any) -> Any:
    """Draw the same random numbers as at another time."""
    if state is None:
        yield
        return
    before = get_rng_state()
    set_rng_state(state)
    try:
        yield
    finally:
        set_rng_state(before)


# ---- by hooks on saved tensors


class _Place:
    """Stands for a saved tensor: the how many-th that the function saved."""

    __slots__ = ("__weakref__", "kind", "position")

    def __init__(self, position: int, kind: Any) -> None:
        self.position = position
        self.kind = kind


class _Enough(Exception):
    """All that was saved has been computed again."""


class _Inputs(Node):
    """Saves what the function is called with as any node saves its inputs: those changed since are refused."""

    __slots__ = ("primitive",)


class _InputLayout(Layout):
    __slots__ = ("differentiable",)


def _saved_inputs(args: tuple[Any, ...]) -> Any:
    node = new_node(_Inputs, tuple([a._node if isinstance(a, Tensor) else None for a in args]))
    slots = [Slot("", is_tensor=isinstance(a, Tensor), is_output=False, index=i) for i, a in enumerate(args)]
    node.primitive = _InputLayout(slots)
    node.primitive.differentiable = range(len(args))
    node.saved, node.versions = pack(list(args), node.primitive.slots, node)
    return node


class _Again:
    """One checkpointed call: numbers what it saves, and runs it again when the first of these is asked for."""

    def __init__(
        self, function: Any, args: Any, kwargs: Any, preserve: bool, context: Any, early_stop: bool, check: str,
        logs: Any,
    ) -> None:  # fmt: skip
        self.function = function
        self.inputs = _saved_inputs(args)
        self.keywords = kwargs
        self.context = context
        self.early_stop = early_stop
        self.checks = check == "default"
        self.state = get_rng_state() if preserve else None
        self.autocast = _autocast_as_now()
        self.places: list[weakref.ref[_Place]] = []
        self.runs: weakref.WeakKeyDictionary[Any, dict[int, Any]] = weakref.WeakKeyDictionary()
        """What was computed again in a backward pass, or in a group of them, and not taken yet."""
        self.logs = logs
        self.is_complete = False
        """Whether the function has been run to its end, and so all places are known."""

    def pack(self, t: Any) -> _Place:
        place = _Place(len(self.places), _kind(t) if self.checks else None)
        self.places.append(weakref.ref(place))
        return place

    def unpack(self, place: _Place) -> Any:
        passes: Any = GraphExecGroup.current or _state.modes.running
        values = None if passes is None else self.runs.get(passes)
        if values is None:
            try:
                values = self._run()
            except CheckpointError as error:
                if self.logs is None:
                    raise
                from ._checkpoint_debug import report  # loaded when first used

                raise CheckpointError(report(*self.logs)) from error
            if passes is not None:
                self.runs[passes] = values
        if place.position not in values:
            raise CheckpointError(_UNPACKED_TWICE.format(_IN_GROUP if GraphExecGroup.current is not None else ""))
        return values.pop(place.position)

    def _run(self) -> dict[int, Any]:
        inputs = [_cut(a) for a in unpack(self.inputs, TENSORS)]
        named = {name: _cut(a) for name, a in self.keywords.items()}
        count = 0
        values: dict[int, Any] = {}

        def pack(t: Any) -> Any:
            nonlocal count
            plain = t.detach() if t.requires_grad else t
            if count < len(self.places):
                if self.places[count]() is not None:
                    values[count] = plain
            elif self.is_complete:
                raise CheckpointError(
                    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original "
                    f"forward pass.{_TIP}"
                )
            count += 1
            if self.early_stop and count == len(self.places):
                raise _Enough
            return plain

        with (
            contextlib.suppress(_Enough), enable_grad(), _random_state(self.state), self.autocast, self.context,
            checkpoint_hooks(pack, _same), self.logs[1] if self.logs else contextlib.nullcontext(),
        ):  # fmt: skip
            self.function(*inputs, **named)
        self._compare(count, values)
        return values

    def _compare(self, count: int, values: dict[int, Any]) -> None:
        if count < len(self.places):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {len(self.places)}\n"
                f"Number of tensors saved during recomputation: {count}.{_TIP}"
            )
        wrong = ""
        for i, t in values.items():
            place = self.places[i]()
            if place is not None and place.kind is not None and place.kind != _kind(t):
                wrong += f"tensor at position {i}:\nsaved metadata: {place.kind}\nrecomputed metadata: {_kind(t)}\n"
        if wrong:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
                f"during the forward pass.\n{wrong}.{_TIP}"
            )


def _same(value: Any) -> Any:
    """For a backward pass within the function that is run again."""
    return value


_UNPACKED_TWICE = (
    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. {}If you are "
    "calling ctx.saved_tensors in backward, make sure to do so only once. Otherwise please open an issue with details "
    "on your use case."
)
_IN_GROUP = (
    "Performing two backward calls that overlap (i.e. require the same saved activation in order to compute gradients) "
    "is not allowed while under the torch.utils.checkpoint.GraphExecGroup context. "
)

_TIP = """

Tip: To see a more detailed error message, either pass `debug=True` to
`torch.utils.checkpoint.checkpoint(...)` or wrap the code block
with `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to
enable checkpoint\u2011debug mode globally.

If this error occurs under torch.compile with automatic_dynamic_shapes enabled,
it may be because the recomputation selected a different compiled graph than the
forward pass (e.g., a dynamic graph instead of the original static graph).
To fix this, either:
  - Use torch._dynamo.mark_dynamic() to explicitly mark varying dimensions as
    dynamic upfront, avoiding the static-to-dynamic transition.
  - Call torch._C._dynamo.eval_frame._set_lru_cache(False) to disable LRU cache
    reordering, which can change which graph is checked first between forward
    and recompute.
See https://github.com/pytorch/pytorch/issues/166926 for more details and
workaround examples.
"""


class GraphExecGroup:
    """Backward passes within one ``with`` block run each checkpointed function again only once, in parts they share."""

    current: GraphExecGroup | None = None

    def __enter__(self) -> GraphExecGroup:
        if GraphExecGroup.current is not None:
            raise RuntimeError("GraphExecGroup contexts cannot be nested")
        GraphExecGroup.current = self
        return self

    def __exit__(self, *exc: object) -> None:
        GraphExecGroup.current = None


def _kind(t: Any) -> dict[str, Any]:
    return {"shape": t.shape, "dtype": t.dtype, "device": t.device}


def _cut(value: Any) -> Any:
    """An input without its history: the graph that is made again is thrown away."""
    if not isinstance(value, Tensor) or not value.requires_grad:
        return value
    return value.detach().requires_grad_(value.requires_grad)


# ---- by a custom Function


class CheckpointFunction(Function):
    """PyTorch's older way: a backward pass within the backward pass."""

    @staticmethod
    def forward(ctx: Any, run_function: Any, preserve_rng_state: bool, *args: Any) -> Any:
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.state = get_rng_state() if preserve_rng_state else None
        ctx.autocast = _autocast_as_now()
        ctx.others = [None if isinstance(a, Tensor) else a for a in args]
        ctx.at = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.save_for_backward(*(args[i] for i in ctx.at))
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        task = _state.modes.running
        if task is not None and task.needed is not None:
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` "
                "parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or call "
                ".backward() without passing the `inputs` argument."
            )
        inputs = list(ctx.others)
        for i, t in zip(ctx.at, ctx.saved_tensors):
            inputs[i] = _cut(t)
        with enable_grad(), _random_state(ctx.state), ctx.autocast:
            outputs = ctx.run_function(*inputs)
        pairs = [
            (o, g)
            for o, g in zip(outputs if isinstance(outputs, tuple) else (outputs,), grads)
            if isinstance(o, Tensor) and o.requires_grad
        ]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([o for o, _ in pairs], [g for _, g in pairs])
        return (None, None, *(i.grad if isinstance(i, Tensor) else None for i in inputs))


# ---- pieces that PyTorch has in public


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warn if no input requires a gradient: then none will be computed."""
    if any(a.requires_grad for a in inputs if isinstance(a, Tensor)):
        return
    warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=5)


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Inputs without their history."""
    if not isinstance(inputs, tuple):
        raise RuntimeError(
            f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}"
        )
    return tuple(_cut(a) for a in inputs)


def get_device_states(*args: Any) -> tuple[list[int], list[Any]]:
    """Generators of other devices that arguments are on: none."""
    return [], []


def set_device_states(devices: Any, states: Any, *, device_type: str | None = None) -> None:
    """Set generators of other devices, of which there are none."""


class DefaultDeviceType:
    """The device to look at besides the CPU."""

    _kind = "cpu"

    @staticmethod
    def set_device_type(device: str = "cpu") -> None:
        DefaultDeviceType._kind = device

    @staticmethod
    def get_device_type() -> str:
        return DefaultDeviceType._kind


_SAY_WHICH_KIND = (
    "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. In version "
    "2.9 we will raise an exception if use_reentrant is not passed. use_reentrant=False is recommended, but if you "
    "need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on "
    "the differences between the two variants."
)


def checkpoint_sequential(
    functions: Iterable[Callable[..., Any]], segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """A chain of functions in ``segments`` parts, each of them checkpointed but the last."""
    if use_reentrant is None:
        warnings.warn(_SAY_WHICH_KIND, stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    chain = list(functions.children() if hasattr(functions, "children") else functions)
    size = len(chain) // segments
    last = size * (segments - 1)
    for start in range(0, last, size):
        part = _one_after_another(chain[start : start + size])
        input = checkpoint(part, input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return _one_after_another(chain[last:])(input)


def _one_after_another(functions: Sequence[Callable[..., Any]]) -> Callable[[Any], Any]:
    return lambda value: functools.reduce(lambda result, function: function(result), functions, value)
