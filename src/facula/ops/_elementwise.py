"""Elementwise primitives: PyTorch's promotion and broadcasting in front of a ufunc, and the hot path.

NOTE [hot path]: the closures below are what nearly every operation of a small model runs through. They handle Tensors
of one and the same float32 or float64 dtype (and Python numbers beside them) in the plain state, and hand everything
else to ``general`` (in ``_operands``), which knows all the rules. Both must give the same results; the tests hold them
equal. A function call costs a tenth of such an operation, so what the closures share is written out in each of them;
the same is true of ``_calls``, ``_view`` and ``_quick_products``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from .. import _quiet, _state
from .._dtype import F32, F64
from .._state import GENERAL, RECORDING
from .._tensor import Tensor
from ..autograd.graph import EMPTY, _is_internal, next_sequence_number, user_place
from ..autograd.meta import Cut, cut_of
from ..autograd.saved import inference_error
from ._nodes import own_code
from ._operands import MISSING, broadcast_error, general, irregular, scalar
from ._primitive import PLAIN, Primitive, _getframe, _new, ndarray
from ._tiles import HEAVY, SHARED, shared_ufunc
from ._xp import TENSOR


class Elementwise(Primitive):
    """A primitive whose tensors are promoted to one dtype and broadcast together.

    ``promote``: ``"default"`` (PyTorch's result_type), ``"float"`` (integers become the default float dtype),
    ``"compare"`` (the kernel answers in bool). ``scalars``: attributes that count as Python numbers in promotion.
    ``numbers``: whether a Python number may stand for a tensor. ``fast=False``: float tensors need ``check`` as well.
    """

    def __init__(
        self, name: str, kernel: Any, node: str | None, *, promote: str = "default", check: Any = None,
        scalars: tuple[str, ...] = (), numbers: bool = True, fast: bool = True, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(name, kernel, node, kind="elementwise", **options)
        self.promote = promote
        self.check = check
        self.scalars = tuple(self.attribute_names.index(s) for s in scalars)
        self.numbers = numbers
        self.fast = fast
        self.call: Any = None
        self.guard: Any = None
        """Called with the tensors as given, before promotion; raises if it refuses them."""
        self.write: Any = None
        """For kernels that are no ufuncs: ``write(target, *others, *attributes)`` computes into its first argument."""
        self.with_alpha: Any = None
        """What takes over when ``alpha=`` is given: ``with_alpha(input, other, alpha)``."""

    def ready(self) -> Elementwise:
        """Build the fast callable, once all rules are given."""
        self.call = self._form("function")
        setattr(TENSOR, self.name, self.call)
        return self

    @cached_property
    def method(self) -> Any:
        return self._form("method")

    @cached_property
    def operator(self) -> Any:
        return self._form("operator")

    def _form(self, form: str) -> Any:
        k = len(self.tensor_names)
        make = {1: _unary, 2: _binary}.get(k, _nary)
        if self.attribute_names:
            make = _attributed if k == 1 else _nary
        return make(self, form)

    def __call__(self, *args: Any) -> Any:
        return self.call(*args)


def elementwise(
    name: str, kernel: Any, node: str | None = None, *, promote: str = "default", check: Any = None,
    scalars: tuple[str, ...] = (), numbers: bool = True, fast: bool = True,
    saved_names: dict[str, str] | None = None, quick: dict[str, Any] | None = None, **rules: Callable[..., Any],
) -> Elementwise:  # fmt: skip
    """Declare an elementwise primitive in one expression: kernel, node name, and a rule for each input.

    ``quick`` may give rules once more for real arrays; see NOTE [quick rules] in ``_nodes``.
    """
    op = Elementwise(
        name, kernel, node, promote=promote, check=check, scalars=scalars, numbers=numbers, fast=fast,
        saved_names=saved_names,
    )  # fmt: skip
    op.vjp(**rules)
    op.quick = quick or {}
    return op.ready()


def _unary(op: Elementwise, form: str) -> Callable[..., Any]:
    if not op.fast or (op.slots and (len(op.slots) > 1 or op.slots[0].name not in ("input", "out"))):
        return _slow(op, form)
    is_ufunc = isinstance(op.kernel, np.ufunc)
    is_heavy = op.kernel in HEAVY
    kernel = _quiet.silenced(op.kernel)
    differentiable = bool(op.rules)
    saves_input = "input" in op.slot_names
    saves_out = "out" in op.slot_names
    node_class: Any = None
    known_code: Any = None  # the last caller that was seen to be outside facula

    def call(input: Any = MISSING, *rest: Any, **more: Any) -> Any:
        nonlocal node_class, known_code
        if (type(input) is not Tensor and type(input) not in PLAIN) or rest or more:
            return irregular(op, (input,), rest, more, form)
        array = input._array
        dt = array.dtype
        if dt is not F32 and dt is not F64:
            return general(op, (input,))
        recording = differentiable
        if _state.special:
            how = _state.modes.how
            if how == GENERAL or _state.anomaly:
                return general(op, (input,))
            recording = recording and how == RECORDING
        if is_heavy and array.size >= SHARED:
            result = shared_ufunc(kernel, array)
        else:
            result = kernel(array) if array.ndim or not is_ufunc else kernel(array, out=...)
        if not is_ufunc and not isinstance(result, ndarray):
            result = np.asarray(result)
        t = _new(Tensor)
        t._array = result
        t._counter = None
        meta = input._meta
        edge = input._node
        if meta is not None and recording:
            edge = input._edge()
        if edge is None or not recording:
            t._node = None
            if (meta is None and edge is None) or not differentiable:
                t._meta = None
            else:
                t._meta = meta if type(meta) is Cut else cut_of((input,), not recording)
            return t
        t._meta = None
        if node_class is None:
            node_class = op.node_class
        node = node_class()
        node.next = (edge,)
        node.adapt = None
        node.attached = None
        node.versions = None
        if saves_input:
            node.saved = input
            if input._meta is not None and input._meta.inference:
                raise inference_error()
            counter = input._counter
            if counter is not None and counter[0]:
                node.versions = (counter[0],)
        elif saves_out:
            node.saved = result
        else:
            node.saved = EMPTY
        frame = _getframe(1)
        node.code = code = frame.f_code
        node.instruction = frame.f_lasti
        if code is not known_code:
            if _is_internal.get(code.co_filename) is False:
                known_code = code
            else:
                node.code, node.instruction = user_place(2)
        node.seq = next_sequence_number()
        t._node = node
        return t

    return _named(call, op)


def _binary(op: Elementwise, form: str) -> Callable[..., Any]:
    if not op.fast or len(op.rules) not in (0, 2) or any(s.name not in ("input", "other") for s in op.slots):
        return _slow(op, form)
    is_ufunc = isinstance(op.kernel, np.ufunc)
    kernel = _quiet.silenced(op.kernel)
    operator = form == "operator"
    numbers = op.numbers
    differentiable = bool(op.rules)
    saves = len(op.slots)
    names = op.slot_names
    # For each mask of live edges: whether the input and the other operand are kept.
    keeps = [
        tuple(name in names and op.keep(mask)[names.index(name)] for name in ("input", "other")) for mask in range(4)
    ]
    swapped = names == ["other", "input"]
    only_input = names == ["input"]
    # Each rule needs one saved value: then a node with one live edge holds it bare.
    one_each = saves == 2 and all(sum(k) == 1 for k in keeps[1:3])
    a_keeps_other = keeps[1][1]
    node_class: Any = None
    known_code: Any = None  # the last caller that was seen to be outside facula

    def call(input: Any, other: Any, depth: int = 1) -> Any:
        """``depth``: how many frames up the caller is."""
        nonlocal node_class, known_code
        if type(input) is not Tensor and type(input) not in PLAIN:
            return irregular(op, (input, other), (), {}, form)
        a = input._array
        dt = a.dtype
        if dt is not F32 and dt is not F64:
            return general(op, (input, other), operator)
        if type(other) is Tensor or type(other) in PLAIN:
            b = other._array
            if b.dtype is not dt:
                return general(op, (input, other), operator)
            is_tensor = True
        elif (type(other) is float or type(other) is int) and numbers:
            b = scalar(other, dt)
            is_tensor = False
        else:
            return irregular(op, (input, other), (), {}, form)
        recording = differentiable
        if _state.special:
            how = _state.modes.how
            if how == GENERAL or _state.anomaly:
                return general(op, (input, other), operator)
            recording = recording and how == RECORDING
        try:
            result = kernel(a, b) if a.ndim or not is_ufunc else kernel(a, b, out=...)
        except ValueError:
            raise broadcast_error(a.shape, b.shape) from None
        if not is_ufunc and not isinstance(result, ndarray):
            result = np.asarray(result)
        t = _new(Tensor)
        t._array = result
        t._counter = None
        meta_a = input._meta
        edge_a = input._node
        meta_b = edge_b = None
        if is_tensor:
            meta_b = other._meta
            edge_b = other._node
        if edge_a is None and edge_b is None and meta_a is None and meta_b is None:
            t._node = None
            t._meta = None
            return t
        if recording:
            if meta_a is not None:
                edge_a = input._edge()
            if meta_b is not None:
                edge_b = other._edge()
        if not recording or (edge_a is None and edge_b is None):
            t._node = None
            if type(meta_a) is Cut or not differentiable:
                t._meta = meta_a if differentiable else None
            else:
                t._meta = cut_of((input, other), not recording)
            return t
        t._meta = None
        if node_class is None:
            node_class = op.node_class
        node = node_class()
        node.next = (edge_a, edge_b)
        node.attached = None
        node.adapt = None
        node.versions = None
        if not is_tensor:
            other = b
        elif (a.ndim or b.ndim) and a.shape != b.shape:
            node.adapt = op._adaptations(t, (input, other))
        if not saves:
            node.saved = EMPTY
        elif edge_b is None and one_each:
            node.saved = other = other if a_keeps_other else input
            if is_tensor or not a_keeps_other:
                if other._counter is not None and other._counter[0]:
                    node.versions = (other._counter[0],)
                if other._meta is not None and other._meta.inference:
                    raise inference_error()
        else:
            keep_input, keep_other = keeps[1 if edge_b is None else 2 if edge_a is None else 3]
            version_x = version_y = 0
            if not keep_input:
                input = None
            else:
                if input._counter is not None:
                    version_x = input._counter[0]
                if input._meta is not None and input._meta.inference:
                    raise inference_error()
            if not keep_other:
                other = None
            elif is_tensor:
                if other._counter is not None:
                    version_y = other._counter[0]
                if other._meta is not None and other._meta.inference:
                    raise inference_error()
            if saves == 2:
                node.saved = (other, input) if swapped else (input, other)
                if version_x or version_y:
                    node.versions = (version_y, version_x) if swapped else (version_x, version_y)
            else:
                node.saved = (input,) if only_input else (other,)
                if version_x or version_y:
                    node.versions = (version_x or version_y,)
        frame = _getframe(depth)
        node.code = code = frame.f_code
        node.instruction = frame.f_lasti
        if code is not known_code:
            if _is_internal.get(code.co_filename) is False:
                known_code = code
            else:
                node.code, node.instruction = user_place(depth + 1)
        node.seq = next_sequence_number()
        t._node = node
        return t

    _named(call, op)
    return call if operator else _named(_with_keywords(op, call, form), op)


def _with_keywords(op: Elementwise, quick: Callable[..., Any], form: str) -> Callable[..., Any]:
    """The function or method form: operators need no keywords, and are quicker without."""

    def call(*args: Any, **more: Any) -> Any:
        if not more and len(args) == 2:
            return quick(args[0], args[1], 2)
        given = (*args, MISSING, MISSING)[:2]
        return irregular(op, given, args[2:], more, form)

    return call


def _slow(op: Elementwise, form: str) -> Callable[..., Any]:
    k = len(op.tensor_names)

    def call(*args: Any, **more: Any) -> Any:
        given = args if len(args) >= k else args + (MISSING,) * (k - len(args))
        return irregular(op, given[:k], args[k:], more, form)

    return _named(call, op)


def _attributed(op: Elementwise, form: str) -> Callable[..., Any]:
    """One tensor and attributes, which public functions have put in order."""
    kernel = _quiet.silenced(op.kernel)
    differentiable = bool(op.rules)
    names = op.slot_names
    input_first = names == op.tensor_names + op.attribute_names
    attributes_only = all(name in op.attribute_names for name in names)
    node_class: Any = None
    known_code: Any = None  # the last caller that was seen to be outside facula

    def call(input: Any, *attributes: Any) -> Any:
        nonlocal node_class, known_code
        if type(input) not in PLAIN or not op.fast:
            return general(op, (input,), attributes=attributes)
        array = input._array
        dt = array.dtype
        if dt is not F32 and dt is not F64:
            return general(op, (input,), attributes=attributes)
        recording = differentiable
        if _state.special:
            how = _state.modes.how
            if how == GENERAL or _state.anomaly:
                return general(op, (input,), attributes=attributes)
            recording = recording and how == RECORDING
        token = _quiet.begin()
        try:
            result = kernel(array, *attributes)
        except TypeError:  # a complex number beside a real tensor
            return general(op, (input,), attributes=attributes)
        finally:
            _quiet.end(token)
        if type(result) is not ndarray and not isinstance(result, ndarray):
            result = np.asarray(result)
        if result.dtype is not dt:
            return general(op, (input,), attributes=attributes)
        t = _new(Tensor)
        t._array = result
        t._node = None
        t._meta = None
        t._counter = None
        if not recording:
            return t
        edge = input._node if input._meta is None else input._edge()
        if edge is None:
            return t
        if not input_first and not attributes_only:
            op.record([t], (input,), attributes)
            return t
        if node_class is None:
            node_class = op.node_class
        node = node_class()
        node.next = (edge,)
        node.adapt = None
        node.attached = None
        node.versions = None
        if input_first:
            node.saved = (input, *attributes)
            counter = input._counter
            if counter is not None and counter[0]:
                node.versions = (counter[0],) + (0,) * len(attributes)
        else:
            node.saved = tuple([attributes[op.attribute_names.index(name)] for name in names])
        node.code, node.instruction = user_place(2)
        node.seq = next_sequence_number()
        t._node = node
        return t

    return _named(call, op)


def _nary(op: Elementwise, _: str) -> Callable[..., Any]:
    k = len(op.tensor_names)

    def call(*args: Any, out: Any = None) -> Any:
        return general(op, args[:k], out=out, attributes=args[k:])

    return _named(call, op)


def _named(call: Any, op: Elementwise) -> Any:
    own_code(call)
    call.__name__ = call.__qualname__ = op.name
    call.primitive = op
    return call
