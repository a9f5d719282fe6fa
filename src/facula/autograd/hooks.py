"""Hooks beyond those of single tensors and nodes: on what is saved, and on several gradients at once.

All of these are reached as ``facula.autograd.graph.<name>``.
"""

from __future__ import annotations

import contextlib
import functools
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .._core import state as _state
from .._core import strides
from .accumulate import AccumulateGrad
from .graph import Node, Port, RemovableHandle

# ---- what happens to tensors that nodes save


NO_HOOKS = (
    "torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your use "
    "case."
)


class saved_tensors_hooks:
    """Within it, whatever a node saves is kept as ``pack_hook(tensor)`` and read as ``unpack_hook(packed)``."""

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def __enter__(self) -> None:
        modes = _state.modes
        if modes.saved_hooks_disabled is not None:
            raise RuntimeError(modes.saved_hooks_disabled)
        if modes.levels and any(level.reverse for level in modes.levels):
            raise RuntimeError(NO_HOOKS)
        _state.update(saved_hooks=(*modes.saved_hooks, (self.pack_hook, self.unpack_hook)))

    def __exit__(self, *exc: object) -> None:
        _state.update(saved_hooks=_state.modes.saved_hooks[:-1])


class OwnHooks(tuple[Callable[[Any], Any], Callable[[Any], Any]]):
    """A pair of hooks that a checkpoint uses. Transforms allow it."""


class checkpoint_hooks(saved_tensors_hooks):
    """Those of a checkpoint, which may be inside of a transform, and have one inside."""

    def __enter__(self) -> None:
        modes = _state.modes
        if modes.saved_hooks_disabled is not None:
            raise RuntimeError(modes.saved_hooks_disabled)
        _state.update(saved_hooks=(*modes.saved_hooks, OwnHooks((self.pack_hook, self.unpack_hook))))


class save_on_cpu(saved_tensors_hooks):
    """Keeps saved tensors on the CPU, where they already are: memory that is pinned would be a copy."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda t: t.detach().clone() if pin_memory else t, lambda t: t)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Within it, using saved-tensor hooks is an error that says ``error_message``."""
    modes = _state.modes
    if modes.saved_hooks:
        raise RuntimeError(error_message)
    before = modes.saved_hooks_disabled
    _state.update(saved_hooks_disabled=error_message)
    try:
        yield
    finally:
        _state.update(saved_hooks_disabled=before)


class _Kept:
    """Stands for one saved tensor: a copy made when it was saved, which no later change reaches."""

    __slots__ = ("__weakref__", "counter", "tensor", "version")

    def __init__(self, tensor: Any, counter: Any) -> None:
        self.tensor = tensor
        self.counter = counter
        """Of what was copied: while it is held here, it is no other tensor's."""
        self.version = counter[0]


class _MutationContext:
    """The copies made within one ``allow_mutation_on_saved_tensors``; the same values are copied once."""

    def __init__(self) -> None:
        self.active = True
        self.tid_to_weakhandle: weakref.WeakValueDictionary[Any, _Kept] = weakref.WeakValueDictionary()

    def pack(self, t: Any) -> _Kept:
        array = t._array
        counter = t._shared_counter()
        key = (id(counter), counter[0], array.shape, array.strides, strides.storage_offset(array))
        kept = self.tid_to_weakhandle.get(key)
        if kept is None:
            kept = self.tid_to_weakhandle[key] = _Kept(t.detach().clone(), counter)
        return kept

    @property
    def cloned(self) -> dict[_Kept, Any]:
        """The copies of what has been changed since."""
        return {kept: kept.tensor for kept in self.tid_to_weakhandle.values() if kept.counter[0] != kept.version}

    def unpack(self, kept: _Kept) -> Any:
        if not self.active:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
                "in which the graph was originally recorded."
            )
        return kept.tensor

    def clear(self) -> None:
        self.active = False
        self.tid_to_weakhandle.clear()


_mutation_allowed = False


@contextlib.contextmanager
def allow_mutation_on_saved_tensors() -> Iterator[_MutationContext]:
    """Within it, tensors saved for backward may be changed in place: nodes save copies.

    The backward pass must run within it, too.
    """
    global _mutation_allowed
    context = _MutationContext()
    with saved_tensors_hooks(context.pack, context.unpack):
        if _mutation_allowed:
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        _mutation_allowed = True
        try:
            yield context
        finally:
            context.clear()
            _mutation_allowed = False


# ---- one hook for several gradients


class _MultiHandle(RemovableHandle):
    def __init__(self, handles: tuple[RemovableHandle, ...]) -> None:
        self.handles = handles

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()

    def __getstate__(self) -> tuple[RemovableHandle, ...]:
        return self.handles

    def __setstate__(self, state: tuple[RemovableHandle, ...]) -> None:
        self.handles = state


def register_multi_grad_hook(
    tensors: Sequence[Any], fn: Callable[[Any], None], *, mode: str = "all"
) -> RemovableHandle:
    """Call ``fn`` once per backward pass: with all gradients of ``tensors``, or, in mode "any", with the first.

    In mode "all" None stands for the gradient of a tensor that the pass does not reach.
    """
    modes = ("all", "any")
    if mode not in modes:
        raise ValueError(f"Expects mode to be one of {modes} but got {mode}")
    if mode == "any":
        return _MultiHandle(_register_any(tensors, fn))
    return _MultiHandle(_register_all(tensors, fn))


def _register_any(tensors: Sequence[Any], fn: Callable[[Any], None]) -> tuple[RemovableHandle, ...]:
    lock = threading.Lock()
    seen: weakref.WeakSet[Any] = weakref.WeakSet()

    @functools.wraps(fn)
    def first(grad: Any) -> None:
        task = _running_task()
        with lock:
            if task in seen:
                return
            seen.add(task)
        fn(grad)

    return tuple(t.register_hook(first) for t in tensors if t.requires_grad)


def _register_all(tensors: Sequence[Any], fn: Callable[[Any], None]) -> tuple[RemovableHandle, ...]:
    lock = threading.Lock()
    nodes = [_node_of(t) for t in tensors]
    passes: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()

    def hook_for(i: int) -> Callable[[Any], None]:
        def hook(grad: Any) -> None:
            task = _running_task()
            with lock:
                state = passes.get(task)
                if state is None:
                    awaited = sum(_will_run(task, find()) for find in nodes)
                    state = passes[task] = [awaited, [None] * len(nodes)]
                state[1][i] = grad
                state[0] -= 1
                complete = state[0] == 0
                if complete:
                    del passes[task]
            if complete:
                fn(state[1])

        return hook

    return tuple(t.register_hook(hook_for(i)) for i, t in enumerate(tensors))


def _running_task() -> Any:
    task = _state.modes.running
    if task is None:
        raise AssertionError("expected this hook to be called inside a backward call")
    return task


def _node_of(t: Any) -> Callable[[], Node | None]:
    """Finds the node at which the tensor's gradient arrives. A leaf's accumulator is not held: it holds the leaf."""
    if not t.requires_grad:
        raise AssertionError("Expected gradient function to be set")
    edge = t._edge()
    node: Any = edge.node if edge.__class__ is Port else edge
    if node.__class__ is AccumulateGrad:
        leaf = weakref.ref(t)

        def find() -> Node | None:
            t = leaf()
            accumulator = None if t is None or t._meta is None else t._meta.accumulator
            return None if accumulator is None else accumulator()

        return find
    return lambda: node


def _will_run(task: Any, node: Node | None) -> bool:
    """Whether a pass computes the gradient that arrives at a node."""
    if node is None or (node not in task.reached and node not in task.leaves):
        return False
    if node in task.captures and node.__class__ is AccumulateGrad:
        raise RuntimeError(
            "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is "
            "currently not supported."
        )
    return task.needed is None or node in task.needed or node in task.captures
