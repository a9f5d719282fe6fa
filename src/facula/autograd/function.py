"""``autograd.Function``: operations with a hand-written backward.

A Function class has a twin, ``<Name>Backward``, made with it by the metaclass. ``apply`` makes an instance of that
twin: it is the ``ctx`` that forward and backward get, and it is the node in the graph; see ``custom_node``.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from itertools import count
from typing import TYPE_CHECKING, Any

from .._core import state
from .._core.devices import MetaArray
from .._core.unresolved import Unresolved, memory_of
from .._tensor import Tensor
from . import anomaly, saved, views
from .custom_node import TAKEN, Layout, _FunctionBase, begin
from .graph import Node, RemovableHandle, new_node, next_sequence_number

__all__ = [
    "BackwardCFunction", "Function", "FunctionCtx", "FunctionMeta", "InplaceFunction", "NestedIOFunction",
    "once_differentiable",
]  # fmt: skip

_PYTORCH_MODULE = "torch.autograd.function"
_set = object.__setattr__  # past the guard of NOTE [ctx attributes]


class FunctionCtx:
    """What forward and setup_context can do with ``ctx``."""

    if TYPE_CHECKING:
        to_save: Any
        saved_for_forward: Any
        dirty_tensors: Any
        non_differentiable: Any
        materialize_grads: Any

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for backward, where they are ``ctx.saved_tensors``. At most one call counts, the last."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors for jvp."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Any) -> None:
        """Say which inputs forward changed in place; they must be among the outputs."""
        self.dirty_tensors = args

    def mark_shared_storage(self, *pairs: Any) -> None:
        warnings.warn(
            "function 'mark_shared_storage' is deprecated. Tensors with shared storages are automatically tracked. "
            "Note that calls to `set_()` are not tracked",
            FutureWarning,
            stacklevel=2,
        )

    def mark_non_differentiable(self, *args: Any) -> None:
        """Say which outputs have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros (the default) or None for outputs that nothing was computed from."""
        if not isinstance(value, bool):
            raise TypeError(
                "set_materialize_grads received an invalid combination of arguments - got "
                f"({type(value).__name__}), but expected (bool)"
            )
        self.materialize_grads = value


class _HookMixin:
    @staticmethod
    def _register_hook(backward_hooks: Any, hook: Any) -> Any:
        if backward_hooks is None:
            backward_hooks = OrderedDict()
        return backward_hooks, RemovableHandle(backward_hooks, hook)


class BackwardCFunction(_FunctionBase, FunctionCtx, _HookMixin):
    """The base of all ``<Name>Backward`` classes."""

    __module__ = _PYTORCH_MODULE

    def _get_user_fn(self) -> Callable[..., Any]:
        user = self._forward_cls
        has_vjp = user.vjp is not Function.vjp
        if has_vjp and user.backward is not Function.backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them."
            )
        rule: Callable[..., Any] = user.vjp if has_vjp else user.backward
        return rule

    def apply(self, *args: Any) -> Any:
        """Call the user's backward with these gradients."""
        if self._forward_cls.boxed_grads_call:
            args = (list(args),)
        return self._get_user_fn()(self, *args)

    def apply_jvp(self, *args: Any) -> Any:
        return self._forward_cls.jvp(self, *args)


_function_ids = count()


class FunctionMeta(type):
    """Makes, with each Function class, the class of its nodes: ``cls._backward_cls``."""

    def __init__(cls, name: str, bases: tuple[type, ...], attrs: dict[str, Any]) -> None:
        body = {"_forward_cls": cls, "__module__": _PYTORCH_MODULE, "_autograd_function_id": next(_function_ids)}
        cls._backward_cls: Any = type(f"{name}Backward", (BackwardCFunction,), body)
        super().__init__(name, bases, attrs)


class _SingleLevelFunction(_FunctionBase, FunctionCtx, _HookMixin, metaclass=FunctionMeta):
    clear_saved_tensors_on_access = False
    boxed_grads_call = False

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """The operation: ``forward(ctx, *args)``, or ``forward(*args)`` if there is a ``setup_context``."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Prepare ctx for backward, after a forward that does not take it."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradient of each argument of forward, given those of its outputs."""
        from .._explain import errors  # loaded when something went wrong

        raise errors.no_backward(NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        ), ctx)  # fmt: skip

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The tangent of each output, given those of the arguments."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )


_NO_INSTANCES = (
    "{} should not be instantiated. Methods on autograd functions are all static, so you should invoke them on the "
    "class itself. Instantiating an autograd function will raise an error in a future version of PyTorch."
)


class Function(_SingleLevelFunction):
    """Base class of operations with their own derivative: subclass it, then call ``Subclass.apply(...)``."""

    generate_vmap_rule = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(_NO_INSTANCES.format(type(self)), DeprecationWarning, stacklevel=2)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            "function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """What ``vmap`` does with this operation."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward and record it."""
        is_separate = _is_setup_context_defined(cls.setup_context)
        if is_separate or kwargs:
            args = _positional(cls, args, kwargs, is_separate)
        if state.modes.levels:
            top = _in_transform(is_separate, args)
            if top is not None:
                from ..func.custom import apply_in_transform  # it imports this module

                return apply_in_transform(cls, args, top)
        return cls._applied(args)[0]

    @classmethod
    def _applied(cls, args: tuple[Any, ...]) -> tuple[Any, Any]:
        """Run forward on arguments in their order and record it: the result, and the ctx."""
        is_separate = _is_setup_context_defined(cls.setup_context)
        if state.modes.levels and any(isinstance(a, Tensor) and a.wraps for a in args):
            return cls.apply(*args), None
        needs = tuple([isinstance(a, Tensor) and a.requires_grad for a in args])
        enabled = state.special == 0 or state.modes.grad_enabled  # whether or not it is for inference
        recording = enabled and True in needs
        node = (_generated(cls) if _transforms_run() else cls._backward_cls)()
        node.__dict__["needs_input_grad"] = needs
        edges = tuple([a._edge() for a in args if isinstance(a, Tensor)]) if recording else ()
        seq = next_sequence_number()
        span = _begun(cls, args) if state.special and state.modes.profiled is not None else None
        if enabled:
            state.set_grad(False)
        modes = state.modes
        tangents, modes.forward_grad = modes.forward_grad, False
        try:
            if is_separate:
                result = cls.forward(*args)
                node._call_user(cls.setup_context, node, args, result)
            else:
                result = node._call_user(cls.forward, node, *args)
            outputs = list(result) if isinstance(result, tuple) else [result]
            begin(node, edges, seq, len(outputs) != 1)
            try:
                outputs = _wrapped_outputs(node, args, outputs, recording, is_separate)
            except RuntimeError:  # an output before the one that is refused may have its history by now
                if recording:
                    _complete(node, args, outputs, None)
                raise
        finally:
            modes.forward_grad = tangents
            if enabled:
                state.set_grad(True)
            if span is not None:
                _recorder().finish(span)
        to_save = node.__dict__.pop("to_save", None)
        if recording:
            _complete(node, args, outputs, to_save)
            if state.anomaly:
                anomaly.remember(node)
        return (tuple(outputs) if isinstance(result, tuple) else outputs[0]), node


def _complete(node: Any, args: tuple[Any, ...], outputs: list[Any], to_save: Any) -> None:
    _set(node, "_input_kinds", tuple([_kind(a) for a in args]))
    _set(node, "_output_kinds", tuple([_output_kind(o) for o in outputs]))
    _save(node, to_save)


@functools.lru_cache(maxsize=256)
def _generated(cls: Any) -> Any:
    """The class of nodes of a Function that is called inside a transform, which PyTorch calls otherwise."""
    return type(f"{cls.__name__}GeneratedBackward", (cls._backward_cls,), {"__module__": _PYTORCH_MODULE})


def _recorder() -> Any:
    from ..profiler import _recorder  # loaded when first used

    return _recorder


def _begun(cls: Any, args: tuple[Any, ...]) -> Any:
    """What a profiler opens for the forward of a custom Function."""
    return _recorder().begin(cls.__name__, args)


def _transforms_run() -> bool:
    return any(not level.implicit and level is not state.modes.dual for level in state.modes.levels)


def _in_transform(is_separate: bool, args: tuple[Any, ...]) -> Any:
    """The argument that belongs to the highest transform being run, if any does."""
    from .._levels.wrapped import highest  # loaded when first used

    if not is_separate and _transforms_run():
        raise RuntimeError(
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must "
            "override the setup_context staticmethod. For more details, please see "
            "https://pytorch.org/docs/main/notes/extending.func.html"
        )
    return highest(args)


def _is_setup_context_defined(fn: Any) -> bool:
    return fn is not _SingleLevelFunction.setup_context


def _kind(value: Any) -> tuple[Any, ...] | None:
    if not isinstance(value, Tensor):
        return None
    array = value._array
    if array.__class__ is Unresolved:
        array = memory_of(array)
    return array.shape, array.dtype, array.__class__ is MetaArray


def _output_kind(value: Any) -> tuple[Any, ...] | None:
    kind = _kind(value)
    return None if kind is None else (*kind, value._node is not None)


# ---- arguments


@functools.lru_cache(maxsize=256)
def _signature(forward: Any) -> inspect.Signature:
    return inspect.signature(forward)


def _positional(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any], is_separate: bool) -> tuple[Any, ...]:
    """The arguments of forward by position. Defaults are filled in only for a separate setup_context."""
    signature = _signature(cls.forward)
    if is_separate:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        args, kwargs = bound.args, bound.kwargs
        if kwargs:
            if state.modes.levels and any(isinstance(v, Tensor) for v in kwargs.values()):
                raise NotImplementedError(
                    "Run vmap on autograd.Function with kwarg-only Tensor args. Please do not pass kwarg-only Tensors "
                    f"to autograd.Function. Got: {kwargs}"
                )
            raise TypeError(f"forward() got an unexpected keyword argument '{next(iter(kwargs))}'")
        return args
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p.name for p in signature.parameters.values() if p.kind in kinds][1:]
    for name in kwargs:
        if name not in names:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
        if names.index(name) < len(args):
            raise TypeError(f"forward() got multiple values for argument '{name}'")
    last = max(names.index(name) for name in kwargs)
    for at in range(len(args), last + 1):
        if names[at] not in kwargs:
            raise TypeError(f"forward() missing required argument: '{names[at]}' (position {at})")
    return (*args, *(kwargs[name] for name in names[len(args) : last + 1]))


# ---- outputs


def _marked(node: Any, name: str, complaint: str) -> dict[int, Any]:
    marked = {}
    for i, t in enumerate(node.__dict__.pop(name, None) or ()):
        if not isinstance(t, Tensor):
            raise RuntimeError(f"{complaint}{i} is of type {type(t).__name__}")
        marked[id(t)] = t
    return marked


def _wrapped_outputs(
    node: Any, args: tuple[Any, ...], outputs: list[Any], recording: bool, is_separate: bool
) -> list[Any]:
    """The outputs with their history: fresh ones get it, inputs returned as they are become views first."""
    for t in node.__dict__.get("dirty_tensors") or ():
        if isinstance(t, Tensor):
            t._bump_version()
    dirty = _marked(node, "dirty_tensors", "mark_dirty can only accept variables, but argument ")
    constant = _marked(
        node, "non_differentiable", "mark_non_differentiable only accepts variable arguments, but got argument "
    )
    inputs = {id(a) for a in args if isinstance(a, Tensor)}
    if dirty or constant:
        _set(node, "marks", (frozenset(dirty), frozenset(constant)))
    kept = _kept(node) if is_separate else ()
    is_pure_view = bool(node.__dict__.get("_is_pure_view"))
    if is_pure_view and (len(inputs) != 1 or len(outputs) != 1):
        raise RuntimeError(
            "Pure view custom Function can only have one input Tensor and one output Tensor. Open an issue if you need "
            "to support more."
        )
    wrapped = []
    differentiable = 0
    for nr, out in enumerate(outputs):
        if isinstance(out, Tensor):
            is_input, is_dirty = id(out) in inputs, id(out) in dirty
            has_history = recording and id(out) not in constant and out._array.dtype.kind in "fcV"
            if id(out) in kept and is_input and not is_dirty and (has_history or not out.requires_grad):
                raise RuntimeError(
                    "An input that has been returned as-is as output is being saved for backward. This is not "
                    "supported if you override setup_context. You should return and save a view of the input instead, "
                    "e.g. with x.view_as(x) or setup ctx inside the forward function itself."
                )
            if has_history:
                differentiable += 1
                out = _with_history(node, nr, out, is_input, is_dirty, len(outputs))
            else:
                out = _without_history(out, is_input, is_dirty)
            if out._is_view() and not (is_input and is_dirty):
                out._own_meta().creation = views.DEFAULT if is_pure_view else views.IN_FUNCTION
        wrapped.append(out)
    if dirty:
        _check_dirty(dirty, inputs, outputs)
    if differentiable > 1:
        for out in wrapped:
            if isinstance(out, Tensor) and out._is_view():
                out._own_meta().creation = views.MULTI_OUTPUT
    return wrapped


def _kept(node: Any) -> set[int]:
    """The identities of what is saved for either mode."""
    names = ("to_save", "saved_for_forward")
    return {id(t) for name in names for t in node.__dict__.get(name) or () if isinstance(t, Tensor)}


def _check_dirty(dirty: dict[int, Any], inputs: set[int], outputs: list[Any]) -> None:
    returned = {id(o) for o in outputs}
    if any(i not in returned for i in dirty):
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
            "modified inplace must all be outputs of the Function."
        )
    for i, t in dirty.items():
        if i not in inputs:
            complaint = (
                "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated "
                "should be passed to ctx.mark_dirty()."
            )
            if t._is_view():
                raise RuntimeError(complaint)
            warnings.warn(complaint, stacklevel=4)


def _with_history(node: Any, nr: int, out: Any, is_input: bool, is_dirty: bool, of: int) -> Any:
    if is_input and is_dirty:
        if out.wraps:
            _with_history(node, nr, out._inside, is_input, is_dirty, of)
            return out
        out._show_history()
        out._own_meta()
        if out.requires_grad and out._node is None:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        if out._is_view():
            if of > 1:
                raise RuntimeError(
                    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot "
                    "return more than one Tensor. This is not supported by the current autograd engine. You should "
                    "either make sure the input is not a view (using .clone() for example) or make your Function only "
                    "return one Tensor (potentially splitting it into two Functions: one doing the inplace that "
                    "returns a single Tensor and a second one that does the other operations). You can ask on the "
                    "forum https://discuss.pytorch.org/ if you need help to do this change."
                )
            out._own_meta().grad = None
            views.check_inplace(out, True)
        out._own_meta().grad = None
        views.rebase_history(out, node)
        if nr:
            out._set_node(node, nr)
        return out
    if is_input:
        out = out.view_as(out)
    return _made_by(node, nr, out)


def _made_by(node: Any, nr: int, out: Any) -> Any:
    if node.multi:
        out._own_meta()  # outputs of such nodes know their number, 0 as well
    out._set_node(node, nr)
    return out


def _without_history(out: Any, is_input: bool, is_dirty: bool) -> Any:
    if is_input:
        if out.requires_grad:
            return out.detach()
        return out if is_dirty else out.view_as(out)
    if out.requires_grad and not out._is_view():
        out.detach_()
    return out


_INPUT = saved.Slot("tensor", is_tensor=True, is_output=False, index=-1)
_NOTHING = Layout([])
_ONE_INPUT = Layout([_INPUT])


def _save(node: Any, to_save: Any) -> None:
    """Save what forward asked for. A node that saves nothing is freed as well: reading then is an error."""
    if not to_save:
        _set(node, "primitive", _NOTHING)
        _set(node, "saved", TAKEN)
        return
    slots = []
    for i, t in enumerate(to_save):
        if t is not None and not isinstance(t, Tensor):
            raise TypeError(
                f"save_for_backward can only save variables, but argument {i} is of type {type(t).__name__}"
            )
        if t is not None and (t._node is node or _wrote_into(node, t)):
            slots.append(saved.Slot("tensor", is_tensor=True, is_output=True, index=t.output_nr))
        else:
            slots.append(_INPUT)
    packed, versions = saved.pack(list(to_save), slots, node)
    _set(node, "primitive", _ONE_INPUT if slots == _ONE_INPUT.slots else Layout(slots))
    _set(node, "saved", packed)
    _set(node, "versions", versions)


def _wrote_into(node: Any, t: Any) -> bool:
    """Whether ``t`` is a view that the node has changed in place: its base's history ends in the node."""
    history = None if t._base is None else t._base._node
    return history.__class__ is views.CopySlices and history.fn is node


# ---- once_differentiable


class Error(Node):
    """The node of a gradient that must not be differentiated."""

    __slots__ = ("count", "message", "multi")
    module = "torch::autograd::"
    message: str
    count: int

    def output_count(self) -> int:
        return self.count

    def propagate(self, g: Any, xp: Any, edges: tuple[Any, ...]) -> Any:
        raise RuntimeError(self.message)


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a backward that is not differentiable itself: a second derivative is an error, not a wrong number."""

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        enabled = state.special == 0 or state.modes.grad_enabled  # whether or not it is for inference
        if enabled:
            state.update(grad_enabled=False)
        try:
            outputs = fn(ctx, *args, **kwargs)
        finally:
            if enabled:
                state.update(grad_enabled=True)
        if not enabled or state.modes.levels or not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            return outputs  # in transforms PyTorch's are constants, too
        return _guarded(
            outputs, "trying to differentiate twice a function that was marked with @once_differentiable"
        )

    return wrapper


def _guarded(outputs: Any, message: str) -> Any:
    """The same tensors with a history that raises."""
    given = outputs if isinstance(outputs, tuple) else (outputs,)
    leaves = [t.detach().requires_grad_() if isinstance(t, Tensor) else None for t in given]
    node: Any = new_node(Error, tuple([None if t is None else t._edge() for t in leaves]))
    node.message, node.count, node.multi = message, len(given), len(given) > 1
    guarded = []
    for nr, t in enumerate(given):
        if isinstance(t, Tensor):
            t = _made_by(node, nr, t.detach())
        guarded.append(t)
    return tuple(guarded) if isinstance(outputs, tuple) else guarded[0]


# ---- kept for compatibility


class InplaceFunction(Function):
    """Kept for old code: like Function."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


def _tensors_in(value: Any) -> Iterator[Any]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for v in value:
            yield from _tensors_in(v)
    elif isinstance(value, dict):
        for v in value.values():
            yield from _tensors_in(v)
    elif value is not None:
        raise ValueError(
            f"Auto nesting doesn't know how to process an input object of type {type(value).__name__}. "
            "Accepted types: Tensors, or lists/tuples of them"
        )


class NestedIOFunction(Function):
    """Kept for old code, which overrides ``forward_extended`` and ``backward_extended``."""

    def save_for_backward(self, *args: Any) -> None:
        self.to_save = tuple(_tensors_in(args))

    def mark_dirty(self, *args: Any, **kwargs: Any) -> None:
        self.dirty_tensors = tuple(_tensors_in((args, kwargs)))

    def mark_non_differentiable(self, *args: Any, **kwargs: Any) -> None:
        self.non_differentiable = tuple(_tensors_in((args, kwargs)))

    def forward_extended(self, *input: Any) -> None:
        raise NotImplementedError

    def backward_extended(self, *grad_output: Any) -> None:
        raise NotImplementedError
