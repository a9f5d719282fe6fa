"""In-place forms: check, record, write, bump the version, give the tensor its new history.

NOTE [in-place order]: the node is made before the write, so that it sees the versions (and, by a clone, the values of
``self``) as they were; a saved output is saved after it. Then the version is bumped and the history rebased.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import overrides
from ..._core import dtypes, quiet, state, strides
from ..._core.devices import check_devices
from ..._core.dtypes import cast
from ..._core.state import GENERAL, RECORDING
from ..._core.unresolved import bits_of, resolved
from ..._tensor import Tensor
from ...autograd import views
from ...autograd.saved import PLAIN
from ...docstrings import signature
from . import recipes
from .any_state import ndarray, subclasses, transforms
from .call import made, needs_record
from .elementwise import Elementwise
from .errors import NoOverload
from .forms import forms, known_name
from .operands import ask_histories, check_dtypes, common_shape, operands, refuse_inference, run_kernel, wrong_operand
from .overloads import no_combination
from .signatures import mistake


def inplace_form(op: Any, operator: bool = False) -> Callable[..., Any]:
    """The method that writes a primitive's result into its first argument."""
    k = len(op.tensor_names)
    is_elementwise = isinstance(op, Elementwise)

    def checked(self: Any, *args: Any, **more: Any) -> Any:
        if more:
            if is_elementwise and not op.numbers and not isinstance(more.get(op.tensor_names[-1], self), Tensor):
                wrong = mistake(f"{known_name(op.name)}_", (self, *args), more, True)
                if wrong is not None:
                    raise wrong
            names = (*op.tensor_names, *op.attribute_names)[len(args) + 1 :]
            args = (*args, *(more.pop(name) for name in names if name in more))
            for key in more:
                raise TypeError(f"{op.name}_() got an unexpected keyword argument '{key}'")

        if (self.__class__ not in PLAIN or state.special) and overrides.overridden((self, *args)):
            return overrides.call_override(change, hot, (self, *args), {})
        if not isinstance(self, Tensor):
            raise wrong_operand(op, (self,), "inplace", 0)
        tensors = (self, *args[: k - 1])
        attributes = args[k - 1 :]
        if any(isinstance(t, Tensor) and t.wraps for t in tensors):
            return _in_transform(op, tensors, attributes, lambda *given: change(*given, *attributes))
        if state.special and state.modes.profiled is not None:
            return _measured(op, (self, *args), hot, self, *args)
        if state.special and state.modes.capture is not None:
            state.modes.capture.adopt(tensors)
        if is_elementwise:
            found = operands(op, tensors, attributes)
            if found is None:
                if operator:
                    return NotImplemented
                raise wrong_operand(op, tensors, "inplace")
            if not op.numbers:
                for i, t in enumerate(tensors):
                    if not isinstance(t, Tensor):
                        raise wrong_operand(op, tensors, "inplace", i)
            if op.guard is not None:
                op.guard(*tensors)
            values, arrays, dt = found
            result = dtypes.bool_ if op.promote == "compare" else dt
            try:
                if not (state.dispatching and subclasses.among(tensors)):
                    check_dtypes(op, tensors, arrays)
                    check_devices(arrays)
                check_result_type(result, self.dtype)
            except RuntimeError as e:
                if k == 1 and "supported for complex" in str(e):  # asked before memory is looked at
                    raise
                check_no_overlap(self._array)
                for t in tensors[1:]:
                    if isinstance(t, Tensor):
                        check_no_partial_overlap(self._array, t._array)
                _check_output_shape(self._array, arrays)
                check_result_type(result, self.dtype)
                raise
            return write_inplace(op, self, tuple(values), attributes, arrays, dt, tensors)
        return write_inplace(op, self, tensors, attributes)

    def change(self: Any, *args: Any, **more: Any) -> Any:
        try:
            return checked(self, *args, **more)
        except (RuntimeError, IndexError, ValueError) as e:
            first = e if op.name.startswith("logical_") else refused_first(e, self, *args)
            if first is e and is_elementwise and not isinstance(e, IndexError):
                refuse_inference(op, (self, *args))
            try:
                raise first from None
            finally:
                del first  # whose traceback holds this frame: it would keep the tensors

    hot = change
    if is_elementwise and op.promote != "compare" and op.fast:
        hot = made(op, recipes.write, change)
    hot.__name__ = hot.__qualname__ = change.__name__ = f"{op.name}_"
    hot.__signature__ = signature(  # type: ignore[attr-defined]
        tuple(op.tensor_names), tuple(op.attribute_names), True, True, False
    )
    return hot


def refused_first(e: Exception, self: Any, *others: Any) -> Exception:
    """What is said of a change in place that failed by ``e``: PyTorch asks first whether ``self`` may be changed."""
    if isinstance(self, Tensor) and not self.wraps:
        try:
            views.check_inplace(self, needs_gradient(self, *others))
        except RuntimeError as first:
            return first
    return history_first(e, *others)


def history_first(e: Exception, *others: Any) -> Exception:
    """PyTorch asks for the histories of all tensors before it computes."""
    try:
        ask_histories(others)
    except RuntimeError as first:
        return first
    return e


def explaining(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """A method in place, whose failures are told as PyTorch tells them: of arguments first, then of leaves."""

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except Exception as e:
            wrong = mistake(name, (self, *args), kwargs, True)
            if wrong is None and isinstance(e, NoOverload):
                wrong = no_combination(name, args, kwargs, forms(name, True))
            raise wrong or refused_first(e, self, *args, *kwargs.values()) from None

    call.__name__ = call.__qualname__ = name
    call.__doc__, call.__wrapped__ = method.__doc__, method  # type: ignore[attr-defined]
    return call


def is_simple_write(self: Any, source: Any = None) -> bool:
    """Whether a tensor can be written to without any further question: it is plain and dense, nothing is recorded."""
    if type(self) not in PLAIN or type(self._array) is not ndarray or not self._array.flags.c_contiguous:
        return False
    how = state.how()
    if how == GENERAL or needs_record(self, how == RECORDING):
        return False
    return source is None or not needs_record(source, how == RECORDING)


def write_inplace(
    op: Any, self: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...], arrays: Any = None, dt: Any = None,
    given: Any = None,
) -> Any:  # fmt: skip
    """Write a primitive's result into ``self``. ``arrays``: promoted operands of an elementwise one, ``given`` so."""

    def write(target: np.ndarray[Any, Any], *others: Any) -> None:
        if arrays is None:
            store(target, op.on_arrays(target, *others, *attributes))
            return
        _check_output_shape(target, arrays)
        is_ufunc = isinstance(op.on_arrays, np.ufunc) and op.promote == "default"
        if op.on_arrays is np.negative and not target.flags.c_contiguous:
            is_ufunc = False  # NumPy errs where elements are 16 or 64 bytes apart on both sides
        if is_ufunc and arrays[0] is target and capture is None:
            op.kernel(*arrays, out=target)
        else:
            store(target, run_kernel(op, arrays, dt, attributes))

    for t in tensors[1:]:
        if isinstance(t, Tensor):
            check_no_partial_overlap(self._array, t._array)
    capture = state.modes.capture if state.special else None
    told = None if given is None else given[1:]
    return change(op, self, tensors[1:], write, attributes, is_promoted=arrays is not None, told=told)


def change(
    op: Any, self: Any, others: tuple[Any, ...], write: Callable[..., None], attributes: tuple[Any, ...] = (),
    overlap: bool = False, is_promoted: bool = False, told: Any = None,
) -> Any:  # fmt: skip
    """Write into ``self`` by ``write(array, *other arrays)`` and record it as ``op``.

    ``overlap``: elements of ``self`` may share memory (every one gets the same value). ``is_promoted``: ``write`` knows
    the others in the dtype to compute in. ``told``: the others as they are told to who watches.
    """
    tensors = (self, *others)
    if any(isinstance(t, Tensor) and t.wraps for t in tensors):
        return _in_transform(
            op, tensors, attributes, lambda self, *others: change(op, self, others, write, attributes, overlap)
        )
    if state.special and state.modes.profiled is not None:
        return _measured(op, tensors, change, op, self, others, write, attributes, overlap)
    capture = state.modes.capture if state.special else None
    if capture is not None:
        capture.adopt(tensors, attributes if op.lists else ())
    requires = op.node_name is not None and needs_gradient(*tensors)
    views.check_inplace(self, requires)
    array = self._array
    if not overlap or bits_of(array):
        check_no_overlap(array)
    node = None
    if requires and op.rules and array.dtype.kind in "fcV":
        edges = op.edges_of(tensors)
        if "input" in op.slot_names:
            tensors = (_as_it_was(self), *others)
        node = op.make_node(None, tensors, attributes, edges, like=self)
    token = quiet.begin()
    try:
        given = [resolved(t._array) if isinstance(t, Tensor) else t for t in others]
        target = resolved(array)
        shown = others if told is None else told
        if state.special and state.modes.kernels is not None:
            state.modes.kernels.write(op, self, shown, attributes, lambda: write(target, *given))
        elif state.dispatching and subclasses.among((self, *others, *attributes) if op.lists else (self, *others)):
            subclasses.write(op, self, shown, attributes)
        elif capture is None or is_promoted:
            write(target, *given)
        else:
            capture.write(op, array, given, attributes, write)
        if target is not array:
            array[...] = target
    finally:
        quiet.end(token)
    self._bump_version()
    if node is not None:
        op.save_outputs(node, [self])
        views.rebase_history(self, node)
    elif self._node is None:
        inherit_cut(self, others)
    return self


def leave_elements(op: Any, self: Any, *attributes: Any) -> Any:
    """What is a change to all who watch, although no element becomes another one."""
    return change(op, self, (), lambda target: None, attributes, overlap=True)


def inherit_cut(self: Any, others: tuple[Any, ...]) -> None:
    """What is written to a tensor without history cuts it off where the written was cut off."""
    for t in others:
        cut = t._meta.cut if isinstance(t, Tensor) and t._meta is not None else None
        if cut is not None:
            base = self if self._base is None else self._base
            for each in (base, self):
                if not each.requires_grad and (each._meta is None or each._meta.cut is None):
                    each._own_meta().cut = cut
            return


def _in_transform(op: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...], again: Callable[..., Any]) -> Any:
    return transforms.change(op, tensors[0], tensors[1:], attributes, again)


def _measured(op: Any, args: tuple[Any, ...], call: Callable[..., Any], *given: Any) -> Any:
    from ...profiler import _recorder  # loaded when first used

    return _recorder.operator(op, args, call, *given, suffix="_")


def needs_gradient(*values: Any) -> bool:
    """Whether operations are recorded now, and any of these values is a tensor that requires a gradient."""
    if state.grad_enabled():
        for t in values:
            if isinstance(t, Tensor) and t.requires_grad:
                return True
    return False


def _as_it_was(t: Any) -> Tensor:
    """A copy of a tensor that is about to change, with its history."""
    copy = subclasses.copy(t) if t.dispatches else Tensor._wrap(t._array.copy())
    edge = t._edge()
    if edge is not None:
        copy._set_edge(edge)
    return copy


def _check_output_shape(target: Any, arrays: Any) -> None:
    shape = common_shape(*[a.shape for a in arrays])
    if shape != target.shape:
        raise output_shape_error(target.shape, shape)


def output_shape_error(target: tuple[int, ...], shape: tuple[int, ...]) -> RuntimeError:
    return RuntimeError(f"output with shape {list(target)} doesn't match the broadcast shape {list(shape)}")


def store(target: np.ndarray[Any, Any], result: Any) -> None:
    if result.dtype != target.dtype:
        result = cast(result, target.dtype)
    if result.shape != target.shape:
        raise output_shape_error(target.shape, result.shape)
    target[...] = result


def check_result_type(result: dtypes.dtype, target: dtypes.dtype) -> None:
    if not dtypes.can_cast(result, target):
        names = dtypes.SCALAR_TYPE_NAMES
        raise RuntimeError(f"result type {names[result]} can't be cast to the desired output type {names[target]}")


def check_no_overlap(target: np.ndarray[Any, Any]) -> None:
    """A tensor made by ``expand`` has elements that share memory: writing to it is ambiguous."""
    if 0 in target.strides and target.size and isinstance(target, ndarray):
        for n, s in zip(target.shape, target.strides):
            if s == 0 and n > 1:
                from ..._explain import errors  # loaded when something went wrong

                error = RuntimeError(
                    "unsupported operation: more than one element of the written-to tensor refers to a single memory "
                    "location. Please clone() the tensor before performing the operation."
                )
                raise errors.shared_elements(error, target)


def check_no_partial_overlap(target: np.ndarray[Any, Any], source: np.ndarray[Any, Any], at_all: bool = False) -> None:
    """Reading from what is being written is fine only if both are the very same elements, or not even then."""
    if not isinstance(target, ndarray) or not isinstance(source, ndarray):
        return  # inside a transform: what is inside is asked
    if hasattr(source, "lies_as") and source.lies_as(target) and not at_all:
        return  # while a program is captured
    if bits_of(source) or bits_of(target):
        return  # PyTorch copies what is conjugated when it is read
    if at_all and source is target:
        raise _overlap_error()
    if not np.may_share_memory(target, source) or source.size == 0:
        return
    same_geometry = source.strides == target.strides and source.size == target.size
    if same_geometry and strides.address(source) == strides.address(target) and not at_all:
        return
    if strides.is_dense(target) and strides.is_dense(source):
        raise _overlap_error()


def _overlap_error() -> RuntimeError:
    return RuntimeError(
        "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
        "location. Please clone() the tensor before performing the operation."
    )
