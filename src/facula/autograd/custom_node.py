"""The node of a custom Function: a ctx that users put attributes on, and a node that the engine runs.

NOTE [ctx attributes]: users put attributes of any name on ctx, and the engine has attributes of its own on nodes
(``next``, ``saved``, ...). Where the names meet, the user's value is set aside, and stands in the engine's place only
while the user's forward or backward runs: the engine does not look at the node meanwhile.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core import state
from .._core.devices import MetaArray
from .._core.unresolved import memory_of, resolved
from .._tensor import Tensor
from ..ops.machine.errors import type_of
from ..ops.machine.namespaces import TENSORS
from . import saved
from .accumulate import AccumulateGrad
from .graph import Freed, Node, resolve, user_place
from .watched import as_tensor, value_of

MISSING = object()
_set = object.__setattr__


class _Source:
    """``node.source``, which, unlike a property, yields to an attribute of that name on ctx."""

    def __get__(self, node: Any, owner: Any = None) -> Any:
        return self if node is None else resolve(node.code, node.instruction)


class _FunctionBase:
    """The node side of ctx: all that ``graph.Node`` has. (It is no subclass, so that its bases are PyTorch's.)"""

    __slots__ = (
        *Node.__slots__, "_engine_values", "_input_kinds", "_output_kinds", "_user_values", "multi", "primitive",
    )  # fmt: skip

    _input_kinds: tuple[Any, ...]
    """For each argument of forward the (shape, dtype, array class) of a tensor, None for anything else."""
    _output_kinds: tuple[Any, ...]
    """The same for each output, and whether it is differentiable."""
    _user_values: dict[str, Any] | None
    """Values that the user gave to names of the engine's; see NOTE [ctx attributes]."""
    _engine_values: dict[str, Any] | None
    """The engine's values that stand back while the user's code runs; None while it does not."""

    if TYPE_CHECKING:
        next: tuple[Any, ...]
        saved: Any
        versions: Any
        adapt: Any
        attached: Any
        code: Any
        instruction: int
        seq: float
        multi: bool
        primitive: Any
        apply: Any
        _forward_cls: Any
        _get_user_fn: Any

    needs_input_grad: tuple[bool, ...] = ()
    to_save: Any = None
    saved_for_forward: Any = None
    dirty_tensors: Any = None
    non_differentiable: Any = None
    materialize_grads = True
    marks: tuple[Any, Any] = ((), ())
    """The tensors that forward marked as dirty and as not differentiable, by their identities."""
    _materialize_non_diff_grads = True
    requires_grad = True
    source = _Source()

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        self = object.__new__(cls)
        _set(self, "_engine_values", None)
        _set(self, "_user_values", None)
        return self

    # ---- see NOTE [ctx attributes]

    def __setattr__(self, name: str, value: Any) -> None:
        engine_values = self._engine_values
        if engine_values is None or name not in _ENGINE_NAMES:
            _set(self, name, value)
            return
        if self._user_values is None:
            _set(self, "_user_values", {})
        assert self._user_values is not None
        self._user_values[name] = value
        if name not in engine_values:
            engine_values[name] = _current(self, name)
        _put(self, name, value)

    def _call_user(self, fn: Callable[..., Any], *args: Any) -> Any:
        """Call the user's code, which has this ctx, with the user's attributes in place."""
        outer = self._engine_values
        engine_values: dict[str, Any] = {}
        _set(self, "_engine_values", engine_values)
        if self._user_values is not None and outer is None:
            for name, value in self._user_values.items():
                engine_values[name] = _current(self, name)
                _put(self, name, value)
        place, state.modes.place = state.modes.place, None
        try:
            return fn(*args)
        finally:
            state.modes.place = place
            _set(self, "_engine_values", outer)
            for name, value in engine_values.items():
                _put(self, name, value)

    def _unpacked(self) -> tuple[Any, ...]:
        here = self._engine_values
        if not here:
            return tuple(saved.unpack(self, TENSORS))
        users = {name: _current(self, name) for name in here}
        try:
            for name, value in here.items():
                _put(self, name, value)
            return tuple(saved.unpack(self, TENSORS))
        finally:
            for name, value in users.items():
                _put(self, name, value)

    def _engine_value(self, name: str) -> Any:
        here = self._engine_values
        return here[name] if here and name in here else _current(self, name)

    # ---- saved tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What ``save_for_backward`` was given."""
        held = self._engine_value("saved")
        if held is MISSING or (held.__class__ is not Freed and not self._engine_value("primitive").slots):
            return ()
        if held is TAKEN:
            raise RuntimeError(
                "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the "
                "autograd.Function. Either access saved_tensors only once, or set clear_saved_tensors_on_access=False."
            )
        values = self._unpacked()
        if self._forward_cls.clear_saved_tensors_on_access:
            here = self._engine_values
            if here and "saved" in here:
                here["saved"] = TAKEN
            else:
                _set(self, "saved", TAKEN)
        return values

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple[Any, ...]:
        if isinstance(self.saved, Freed):
            raise saved.freed_error(self)  # type: ignore[arg-type]
        return tuple([saved.raw_saved(self, i) for i in range(len(self.primitive.slots))])

    def maybe_clear_saved_tensors(self) -> None:
        """PyTorch's hook for its own machinery; nothing is cleared here."""

    # ---- running

    def output_count(self) -> int:
        return len(self._output_kinds)

    def free(self, by: Freed) -> None:
        self.saved = by

    def propagate(self, g: Any, xp: Any, edges: tuple[Any, ...]) -> list[Any]:
        given = []
        task = state.modes.running
        known = None if task is None else task.given
        for grad, kind in zip(g if self.multi else (g,), self._output_kinds):
            if grad is None:
                if kind is not None and self.materialize_grads and (kind[3] or self._materialize_non_diff_grads):
                    grad = Tensor._wrap(np.zeros(kind[0], kind[1]))
            elif xp.is_raw:
                if known and id(grad) in known:
                    grad = known[id(grad)][1]
                else:
                    grad = as_tensor(grad)
            given.append(grad)
        grad = None
        if task is not None:
            task.running = self
        if self._forward_cls.boxed_grads_call:
            result = self._call_user(self._get_user_fn(), self, given)
        else:
            result = self._call_user(type(self).apply, self, *given)
            given.clear()
        grads = self._counted(result if isinstance(result, tuple) else (result,))
        kinds = [kind for kind in self._input_kinds if kind is not None]
        fitted = [
            None if grad is None or edge is None else self._fitted(i, grad, kinds[i], xp, edge)
            for i, (grad, edge) in enumerate(zip(grads, self.next))
        ]
        if xp.is_raw and len(fitted) > 1:
            _share_out(fitted, self.next)
        return fitted

    def _counted(self, result: tuple[Any, ...]) -> list[Any]:
        """The gradients of the tensors among the arguments, if their number and types are right."""
        kinds = self._input_kinds
        name = type(self).__name__
        if len(result) > len(kinds) and all(r is None for r in result[len(kinds) :]):
            result = result[: len(kinds)]
        if len(result) != len(kinds):
            raise self._wrong(
                f"function {name} returned an incorrect number of gradients (expected {len(kinds)}, got {len(result)})",
                f"forward took {len(kinds)} arguments, backward gave {len(result)} gradients.",
            )
        grads = []
        for i, (grad, kind) in enumerate(zip(result, kinds)):
            if kind is None:
                if grad is not None:
                    raise self._wrong(
                        f"function {name} returned a gradient different than None at position {i + 1}, but the "
                        "corresponding forward input was not a Variable",
                        f"Argument {i + 1} of forward was no tensor.",
                    )
                continue
            if grad is not None and not isinstance(grad, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type_of(grad)})")
            grads.append(grad)
        return grads

    def _wrong(self, message: str, what: str) -> Exception:
        from .._explain import errors  # loaded when something went wrong

        return errors.wrong_gradient(RuntimeError(message), self, what)

    def _fitted(self, i: int, grad: Tensor, kind: Any, xp: Any, edge: Any) -> Any:
        """A gradient in the shape and dtype of its input, as an array if the pass is one on arrays."""
        shape, dtype, is_meta = kind
        array = resolved(grad._array) if xp.is_raw else memory_of(grad._array)
        if array.dtype != dtype and edge.__class__ is AccumulateGrad:
            dtype = edge.grad_dtype(dtype) or array.dtype
        g: Any = value_of(grad, xp)
        if array.shape != shape:
            lead = array.ndim - len(shape)
            if lead < 0 or any(n != m and n != 1 for n, m in zip(shape, array.shape[lead:])):
                raise self._wrong(
                    f"Function {type(self).__name__} returned an invalid gradient at index {i} - got "
                    f"{list(array.shape)} but expected shape compatible with {list(shape)}",
                    f"The gradient of input {i} has shape {list(array.shape)}, the input {list(shape)}.",
                )
            g = xp.sum_to(g, shape)
        if array.dtype != dtype:
            if array.dtype.kind not in "fV" and (array.dtype.kind == "c") is not (dtype.kind == "c"):
                raise RuntimeError(
                    "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, "
                    "but got false.  (Could this error message be improved?  If so, please report an enhancement "
                    "request to PyTorch.)"
                )
            g = xp.cast(g, dtype)
        if (array.__class__ is MetaArray) is not is_meta and not grad.wraps:
            devices = ("meta", "cpu") if is_meta else ("cpu", "meta")
            raise RuntimeError(
                f"Function {type(self).__name__} returned an invalid gradient at index {i} - expected device "
                f"{devices[0]} but got {devices[1]}"
            )
        return g


def _share_out(grads: list[Any], edges: tuple[Any, ...]) -> None:
    """Of one array that goes to several leaves all but the last get a copy, so that the last may keep it."""
    for i, grad in enumerate(grads[:-1]):
        if grad is not None and edges[i].__class__ is AccumulateGrad and any(grad is g for g in grads[i + 1 :]):
            grads[i] = grad.copy()


def _current(node: Any, name: str) -> Any:
    return getattr(node, name, MISSING) if name in _FunctionBase.__slots__ else node.__dict__.get(name, MISSING)


def _put(node: Any, name: str, value: Any) -> None:
    if name in _FunctionBase.__slots__:
        if value is MISSING:
            object.__delattr__(node, name)
        else:
            _set(node, name, value)
    elif value is MISSING:
        node.__dict__.pop(name, None)
    else:
        node.__dict__[name] = value


def _adopt_node_members() -> None:
    for name, member in vars(Node).items():
        if not name.startswith("__") and name not in vars(_FunctionBase):
            setattr(_FunctionBase, name, member)


_adopt_node_members()
Node.register(_FunctionBase)

_SEEN_BY_USERS = {
    "_input_metadata", "_register_hook_dict", "_sequence_nr", "_set_sequence_nr", "metadata", "name", "next_functions",
    "register_hook", "register_prehook", "requires_grad", "source",
}  # fmt: skip
_ENGINE_NAMES = frozenset(
    [*_FunctionBase.__slots__, *(n for n in vars(Node) if not n.startswith("__")), "_counted", "_fitted", "_wrong"]
) - _SEEN_BY_USERS


def begin(node: Any, edges: tuple[Any, ...], seq: int, multi: bool) -> None:
    """Make a ctx that went through forward a node of the graph. (By ``_set``: past the guard, which costs time.)"""
    code, instruction = user_place(2)
    _set(node, "next", edges)
    _set(node, "seq", seq)
    _set(node, "multi", multi)
    _set(node, "attached", None)
    _set(node, "adapt", None)
    _set(node, "versions", None)
    _set(node, "saved", ())
    _set(node, "code", code)
    _set(node, "instruction", instruction)


class Layout:
    """Says of each saved value of a custom node whether it is an output, and which; see ``saved.unpack``."""

    __slots__ = ("slots",)
    differentiable = ()

    def __init__(self, slots: list[saved.Slot]) -> None:
        self.slots = slots


TAKEN = (None,)
"""Stands for saved values that were cleared when they were read, or for none."""
