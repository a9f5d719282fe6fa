"""Tensor: a NumPy array, the node that made it, and whatever else only some tensors carry."""

from __future__ import annotations

import sys
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core import dtypes, state
from .._lazy import promise
from ..autograd import accumulate, engine, saved, views, watched
from ..autograd import meta as autograd_meta
from ..autograd.accumulate import AccumulateGrad
from ..autograd.graph import NOWHERE, Node, Port, RemovableHandle, full_name, user_frame, warn_user
from ..autograd.meta import FROZEN, AutogradMeta, Cut, check_grad, refuse_inference, stay_inference
from ..ops.machine.errors import type_of
from .described import Described


class Tensor(Described):
    """A multi-dimensional array that remembers how it was computed."""

    __module__ = "facula"

    __slots__ = ("__dict__", "__weakref__", "_array", "_counter", "_meta", "_node")

    _array: np.ndarray[Any, Any]
    _node: Node | None
    _meta: AutogradMeta | None
    _counter: list[Any] | None
    """[version, code, instruction] of the storage, shared by all that share memory; None while never needed."""

    __array_priority__ = 1000
    wraps = False
    """Whether it stands for other tensors: see ``_levels.wrapped``."""
    dispatches = False
    """Whether its class has ``__torch_dispatch__``: see ``ops.dispatch``."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Tensor:
        from ..ops.creation import create  # it imports this module

        return create.legacy_constructor(cls, *args, **kwargs)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        from ..overrides import dress  # it imports this module

        if cls.__torch_dispatch__ is not Tensor.__torch_dispatch__:
            from ..ops import dispatch  # it imports this module

            dispatch.take_in(cls)
        dress(cls)

    # ---- making

    @staticmethod
    def _wrap(array: np.ndarray[Any, Any]) -> Tensor:
        t = _new(Tensor)
        t._array = array
        t._node = None
        t._meta = None
        t._counter = None
        return t

    @classmethod
    def _make_subclass(cls, subclass: type, data: Tensor, require_grad: bool = False, **_: Any) -> Any:
        if not isinstance(subclass, type):
            raise TypeError(f"cls must be a type (got {type(subclass).__name__})")
        if not issubclass(subclass, Tensor):
            raise TypeError(
                "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure "
                "your class inherits from Tensor."
            )
        t: Any = _new(subclass)
        t._array = data._array
        t._node = None
        t._meta = None
        t._counter = data._shared_counter()
        stay_inference(t, data)
        if require_grad:
            t._own_meta().requires_grad = True
            refuse_inference(t)
        return t

    @staticmethod
    def _make_wrapper_subclass(cls: type, size: Any, *args: Any, **kwargs: Any) -> Any:
        """A tensor without memory, whose class says by ``__torch_dispatch__`` what operators do with it."""
        from ..ops import dispatch  # it imports this module

        return dispatch.wrapper(cls, size, *args, **kwargs)

    def as_subclass(self, cls: type) -> Any:
        """The same memory and history, as a tensor of another class."""
        t = Tensor._make_subclass(cls, self)
        if self.requires_grad and state.grad_enabled():
            alias = self.alias()
            t._node = alias._node
            t._meta = alias._meta
        return t

    # ---- internals that the engine and the operators use

    def _own_meta(self) -> AutogradMeta:
        meta = self._meta
        if meta is None or meta.__class__ is Cut:
            self._meta = AutogradMeta()
            if meta is not None:
                self._meta.cut = meta.cut
            return self._meta
        return meta

    def _shared_counter(self) -> list[Any]:
        if self._counter is None:
            self._counter = self._new_counter()
        return self._counter

    def _new_counter(self) -> list[Any]:
        node = self._node
        if node is None or not node.saves_output:
            return [0, None, 0]
        if node.saved.__class__ is tuple:
            held = node.saved[0]
            return held._shared_counter() if isinstance(held, Tensor) else [0, None, 0]
        if node.versions is None:
            node.versions = [0, None, 0]  # type: ignore[assignment]
        return node.versions  # type: ignore[return-value]

    def _bump_version(self) -> None:
        """The values have been changed in place: say so, and remember which line did it."""
        frame = user_frame(2)
        counter = self._counter
        if counter is None:
            counter = self._counter = self._new_counter()
        counter[0] += 1
        counter[1] = frame.f_code
        counter[2] = frame.f_lasti
        if state.watch is not None:
            state.watch.changed(self)

    def _edge(self) -> Any:
        """Where this tensor's gradient goes: a Node, a Port, or None."""
        meta = self._meta
        if meta is None:
            return self._node
        node = self._node if meta.base is None else views.refreshed_node(self)
        if node is None:
            if meta.requires_grad:
                accumulator = meta.accumulator
                if accumulator is not None and (leaf := accumulator()) is not None:
                    return leaf
                return AccumulateGrad.of(self)
            return NOWHERE if meta.base is not None and meta.base.requires_grad else None
        return Port(node, meta.output_nr) if node.multi else node

    def _set_node(self, node: Node, nr: int = 0) -> None:
        self._node = node
        if node.multi or self._meta is not None:
            meta = self._own_meta()
            meta.output_nr = nr
            meta.requires_grad = False
            if meta.base is not None:
                meta.attr_version = self._shared_counter()[0]

    def _set_edge(self, edge: Any) -> None:
        if edge is NOWHERE:
            return
        if edge.__class__ is Port:
            self._set_node(edge.node, edge.nr)
        elif edge.__class__ is AccumulateGrad:
            self._own_meta().requires_grad = True
            self._own_meta().accumulator = weakref.ref(edge)
        else:
            self._set_node(edge)

    def _is_leaf_requiring_grad(self) -> bool:
        return self._node is None and self._meta is not None and self._meta.requires_grad

    def _type_name(self) -> str:
        return dtypes.tensor_type_name(dtypes.of_array(self._array))

    # ---- autograd

    @property
    def requires_grad(self) -> bool:
        """Whether operations on this tensor are recorded."""
        if self._node is not None:
            return True
        meta = self._meta
        if meta is None:
            return False
        return meta.requires_grad or (meta.base is not None and meta.base.requires_grad)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise RuntimeError("requires_grad must be a bool")
        if self._had_history():
            raise _requires_grad_error(value)
        if value:
            self._require_differentiable_dtype("floating point and complex")
            meta = self._own_meta()
            refuse_inference(self)
            meta.requires_grad = True
            if meta.cut is not None and meta.cut.how == FROZEN:
                meta.cut = None
            if state.watch is not None:
                state.watch.made(self)
        elif self._meta is not None:
            meta = self._own_meta()
            if meta.requires_grad:
                meta.requires_grad = False
                meta.cut = Cut(FROZEN, self)

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise RuntimeError("requires_grad must be a bool")

    def _require_differentiable_dtype(self, which: str = "floating point") -> None:
        if self._array.dtype.kind in "biu":
            raise RuntimeError(f"only Tensors of {which} dtype can require gradients")

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Have operations on this leaf recorded from now on, or no longer."""
        if requires_grad.__class__ is not bool:
            kind = type_of(requires_grad)
            raise TypeError(f"requires_grad_(): argument 'requires_grad' (position 1) must be bool, not {kind}")
        has_history = self._had_history()
        if has_history and not requires_grad:
            raise _requires_grad_error(requires_grad)
        if requires_grad and state.modes.levels and state.modes.levels != (state.modes.dual,):
            raise RuntimeError(
                "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* "
                "APIs) inside of a function being transformed by a functorch transform. This is unsupported, please "
                "attempt to use the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call "
                "requires_grad_() outside of a function being transformed instead."
            )
        if requires_grad:
            self._require_differentiable_dtype()
        if not has_history:
            self.requires_grad = requires_grad
        return self

    def _had_history(self) -> bool:
        """Whether it had one when last asked: a view that may not be used any more is not asked again."""
        if state.special:
            self._show_history()
        return self._node is not None

    def _show_history(self) -> None:
        """Have the history that this tensor has for the user, of which a captured program knows nothing."""
        if state.modes.capture is not None:
            state.modes.capture.exposes(self)

    @property
    def grad_fn(self) -> Node | None:
        """The node of the operation that made this tensor; None for a leaf."""
        if state.special:
            self._show_history()
        meta = self._meta
        if meta is not None and meta.base is not None:
            return views.refreshed_node(self)
        return self._node

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made this tensor; ``backward()`` fills ``.grad`` of leaves."""
        return self.grad_fn is None

    @property
    def output_nr(self) -> int:
        """Which of the outputs of its node this tensor is."""
        return 0 if self._meta is None else self._meta.output_nr

    @property
    def _version(self) -> int:
        if self._meta is not None and self._meta.inference and not self._meta.counts:
            raise RuntimeError("Inference tensors do not track version counter.")
        return 0 if self._counter is None else self._counter[0]

    @property
    def _base(self) -> Tensor | None:
        if state.special:
            self._show_history()
        return None if self._meta is None else self._meta.base

    def _is_view(self) -> bool:
        return self._base is not None

    @property
    def name(self) -> str | None:
        """A name, for those who give one."""
        return None if self._meta is None else self._meta.name

    @property
    def _backward_hooks(self) -> OrderedDict[int, Any] | None:
        return None if self._meta is None else self._meta.hooks

    @_backward_hooks.setter
    def _backward_hooks(self, hooks: OrderedDict[int, Any] | None) -> None:
        if hooks is not None or self._meta is not None:
            self._own_meta().hooks = hooks

    @_backward_hooks.deleter
    def _backward_hooks(self) -> None:
        raise RuntimeError("Deletion of _backwards_hooks not allowed!")

    @property
    def _post_accumulate_grad_hooks(self) -> OrderedDict[int, Any] | None:
        return None if self._meta is None else self._meta.post_accumulate_hooks

    @property
    def grad(self) -> Tensor | None:
        """The gradient that backward passes have accumulated; None before the first."""
        if state.special:
            self._show_history()
        meta = self._meta
        found = None if meta is None else meta.grad
        if found is None and self._node is not None and not (meta is not None and meta.retains_grad):
            _warn_about_grad_of_non_leaf(self._node)
        return found

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            check_grad(self, value)
        elif self._meta is None:
            return
        elif self._meta.grad is not None:
            frame = sys._getframe(1)
            self._meta.cleared = (frame.f_code, frame.f_lasti)
            if state.watch is not None:
                state.watch.zeroed([self])
        self._own_meta().grad = value

    @grad.deleter
    def grad(self) -> None:
        if self._meta is not None:
            self._own_meta().grad = None

    _grad = grad

    @property
    def grad_dtype(self) -> dtypes.dtype | None:
        """The dtype that ``.grad`` must have; None for any. A leaf's own dtype unless set."""
        if not self.is_leaf:
            raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
        if self._meta is None or self._meta.grad_dtype is Ellipsis:
            return self.dtype
        return self._meta.grad_dtype

    @grad_dtype.setter
    def grad_dtype(self, value: dtypes.dtype | None) -> None:
        if value is not None and not isinstance(value, dtypes.dtype):
            raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {type_of(value)}")
        grad = self.grad
        if not self.is_leaf:
            raise RuntimeError("grad_dtype can only be set on leaf tensors.")
        if grad is not None and value is not None and grad.dtype != value:
            raise RuntimeError(
                f"Cannot set grad_dtype to '{dtypes.SCALAR_TYPE_NAMES[value]}' because there is already a gradient "
                f"with dtype '{dtypes.cpp_name(grad.dtype)}'. Please clear the gradient (.grad = None) before changing "
                "grad_dtype, or ensure the new grad_dtype matches the existing gradient's dtype."
            )
        self._own_meta().grad_dtype = value

    def backward(
        self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
    ) -> None:
        """Add to the leaves' ``.grad`` the gradients of this tensor, weighted by ``gradient``."""
        if (
            retain_graph is inputs is None
            and create_graph is False
            and self._meta is None
            and type(self) is Tensor
            and engine.run_plainly(self, gradient)
        ):
            return
        from .. import autograd  # it imports this module

        autograd.backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def register_hook(self, hook: Callable[[Tensor], Any]) -> RemovableHandle:
        """Call ``hook(grad)`` each time a gradient of this tensor is computed; what it returns replaces it."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        node = self.grad_fn
        meta = self._own_meta()
        if meta.hooks is None:
            meta.hooks = OrderedDict()
            if node is not None:
                node.attachments().tensor.setdefault(meta.output_nr, meta.hooks)
                meta.hooks = node.attachments().tensor[meta.output_nr]
        return RemovableHandle(meta.hooks, hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call ``hook(self)`` each time ``.grad`` has been accumulated."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self.grad_fn is not None:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        meta = self._own_meta()
        if meta.post_accumulate_hooks is None:
            meta.post_accumulate_hooks = OrderedDict()
        return RemovableHandle(meta.post_accumulate_hooks, hook)

    def retain_grad(self) -> None:
        """Have ``.grad`` filled although this tensor is no leaf."""
        if not self.requires_grad:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if any(level.reverse for level in state.modes.levels):
            raise RuntimeError(
                "You are attempting to call Tensor.retain_grad() inside of a function being transformed by a functorch "
                "transform. This is unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, "
                "jacrev, jacfwd, hessian) or call retain_grad() outside of a function being transformed instead."
            )
        if self._node is None or (node := self.grad_fn) is None:
            return
        meta = self._own_meta()
        if not meta.retains_grad:
            meta.retains_grad = True
            node.attachments().retain[meta.output_nr] = weakref.ref(self)

    @property
    def retains_grad(self) -> bool:
        """Whether ``retain_grad()`` was called."""
        return self._meta is not None and self._meta.retains_grad

    def is_inference(self) -> bool:
        """Whether this tensor was made in inference mode."""
        return self._meta is not None and self._meta.inference

    def detach(self) -> Tensor:
        """The same memory without history."""
        if self.__class__ is not Tensor and self.dispatches:
            from ..ops import dispatch  # it imports this module

            return dispatch.detached(self, self._cut_by("detach()"))
        t = Tensor._wrap(self._array)
        t._counter = self._shared_counter()
        if self._node is not None or self._meta is not None:
            t._meta = self._cut_by("detach()")
            stay_inference(t, self)
        return t

    def _cut_by(self, how: str) -> Cut | None:
        meta = self._meta
        if self._node is not None or (meta is not None and meta.requires_grad):
            return Cut(how, self, 3)
        return None if meta is None else meta.cut

    def detach_(self) -> Tensor:
        """Cut this tensor off its history, in place. In inference mode nothing is cut off."""
        if state.special and state.modes.inference:
            return self
        if self._is_view():
            raise RuntimeError(
                "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
                "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
                "detach_() cannot be called on these gradients. To fix this error, please refer to the "
                "Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
            )
        if self._node is not None or self._meta is not None:
            self._shared_counter()
            cut = Cut("detach_()", self)
            self._node = None
            meta = self._own_meta()
            meta.requires_grad = False
            meta.output_nr = 0
            meta.cut, meta.detached = cut, True
        return self

    @property
    def data(self) -> Tensor:
        """The same memory without history; setting it puts other memory in place."""
        if self.dispatches:
            from ..ops import dispatch  # it imports this module

            return dispatch.detached(self, self._cut_by(".data"), False)
        t = Tensor._wrap(self._array)
        t._meta = self._cut_by(".data")
        stay_inference(t, self)
        return t

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type_of(value)}")
        if value.is_sparse or value.is_meta is not self.is_meta:
            raise RuntimeError(
                "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor "
                "type."
            )
        if self.requires_grad and value._array.dtype.kind in "biu":
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
        if state.special and state.modes.capture is not None:
            state.modes.capture.adopt((value,))
            state.modes.capture.rebind(self)
        if value._array.shape != self._array.shape:
            autograd_meta.remember_shape(self)
        self._array = value._array

    @data.deleter
    def data(self) -> None:
        raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")

    @property
    def source(self) -> Any:
        """The line of the user's program that made this tensor; of what has no history, only a watch knows."""
        from .._explain import leaves  # loaded when first used

        return leaves.source_of(self)

    # ---- Python protocols that are not operators

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self._array.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if self._array.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self, *, tensor_contents: str | None = None) -> str:
        from .. import _printing  # it imports this module

        return _printing.tensor_repr(self, tensor_contents=tensor_contents)

    def _repr_html_(self) -> str:
        from ..show.html import tensor_html  # loaded when first used

        return tensor_html(self)

    def __format__(self, spec: str) -> str:
        if self._array.ndim == 0 and not self.is_meta and type(self) is Tensor:
            return format(self.item(), spec)
        return object.__format__(self, spec)

    def __dir__(self) -> list[str]:
        return sorted(set(object.__dir__(self)))

    if TYPE_CHECKING:

        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any: ...

        @staticmethod
        def __torch_dispatch__(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any: ...

        _level: Any  # what wrapped and sparse tensors have besides
        _become: Callable[..., Any]
        _made_like: Callable[..., Any]
        _outlived: Callable[..., Any]
        _owner_of_memory: Callable[..., Any]
        _reshaped: Callable[..., Any]


_new = object.__new__


def _requires_grad_error(wanted: bool) -> RuntimeError:
    advice = (
        " If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = "
        "var.detach()."
    )
    return RuntimeError("you can only change requires_grad flags of leaf variables." + ("" if wanted else advice))


def _warn_about_grad_of_non_leaf(node: Node) -> None:
    at = node.source
    warn_user(
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
        "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
        "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure "
        "you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
        + ("" if at is None else f"\nIt is no leaf since {full_name(node)} made it at {at}.")
    )


promise(Tensor)
engine.Tensor_ = Tensor
watched.Tensor_ = Tensor
autograd_meta.Tensor_ = Tensor
accumulate.Tensor_ = Tensor
saved.Tensor_ = Tensor
saved.PLAIN.add(Tensor)
saved.DIRECT.add(Tensor)
views.Tensor_ = Tensor
