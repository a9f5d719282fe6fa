"""Sparse tensors: values, and the places where they are.

NOTE [sparse tensors]: a sparse tensor is a wrapped tensor (see ``_levels.wrapped``), of a level above all transforms.
It holds an array of places, one column for each row of values, and the values as an ordinary tensor. The graph is about
the values: an operator on sparse tensors finds the places of its result on arrays, and calls an ordinary operator with
the values. So gradients of any order, forward mode and what else operators know need no word about sparse tensors.

``RULES`` has what operators do with them, by the primitive's name. What is not in it is refused, as in PyTorch.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _lazy
from ..._core import dtypes, layouts, state
from ..._levels.needs_values import NeedsValues
from ..._levels.wrapped import Level, Standin, Wrapped, blank
from ..._tensor import Tensor
from ...autograd.graph import RemovableHandle
from ...autograd.views import check_inplace
from ..arrays.sparse_array import at_places, numbered
from ..machine.write import check_result_type, needs_gradient
from .kernels import gather_values_op, same_values_op, scatter_values_op

LEVEL = Level(sys.maxsize, -1, "same")
RULES: dict[str, Callable[..., Any]] = {}
"""For the name of a primitive: a function of it, its tensors and its attributes."""

LAYOUTS = {layouts.strided: "Strided", layouts.sparse_coo: "Sparse"}
"""What PyTorch's messages call layouts."""


def rule(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: what primitives do with sparse tensors."""

    def add(fn: Callable[..., Any]) -> Callable[..., Any]:
        RULES.update(dict.fromkeys(names, fn))
        return fn

    return add


def cannot_run(name: str, backend: str = "SparseCPU") -> NotImplementedError:
    return NotImplementedError(
        f"Could not run 'aten::{name}' with arguments from the '{backend}' backend. It is not made for this layout."
    )


class NeedsElements(NeedsValues, NotImplementedError):
    """Something needs all elements of a sparse tensor."""

    def __init__(self) -> None:
        super().__init__(LEVEL.depth)
        self.args = cannot_run("as_strided").args


class SparseLook(Standin):
    """What the array of a sparse tensor would look like."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in ("__array__", "__array_interface__", "__array_ufunc__"):
            raise AttributeError(name)
        raise NeedsElements

    def _needs_values(self, *args: Any, **kwargs: Any) -> Any:
        raise NeedsElements

    __array_function__ = _needs_values
    __array_ufunc__ = __array__ = __getitem__ = __setitem__ = _needs_values
    __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __truediv__ = __rtruediv__ = _needs_values
    __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __float__ = __int__ = __index__ = __len__ = _needs_values
    __eq__ = __ne__ = __neg__ = __abs__ = __pow__ = __mod__ = __floordiv__ = __invert__ = _needs_values
    __and__ = __or__ = __xor__ = __iter__ = __contains__ = __matmul__ = _needs_values
    __hash__ = None


class Sparse(Wrapped):
    """A sparse tensor."""

    is_sparse = True
    links_views = False
    layout = property(lambda self: layouts.sparse_coo)
    _at: np.ndarray[Any, Any]
    """The places of the rows of values: (sparse dimensions, rows)."""
    _rows: Any
    _sorted: bool
    """Whether it is coalesced: its places are in order, and no place is there twice."""

    # ---- what it stands for

    @property
    def _inside(self) -> Any:
        return self._rows

    def _run(self, op: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        return _rule_of(op, tensors)(op, *((tensors,) if op.variadic else tensors), *attributes)

    def _change(self, op: Any, target: Any, others: tuple[Any, ...], attributes: tuple[Any, ...], again: Any) -> Any:
        requires = needs_gradient(target, *others)
        if getattr(op, "guard", None) is not None:
            op.guard(target, *others)
        if not isinstance(target, Sparse):
            from .pointwise import changed_dense  # it imports this module

            check_inplace(target, requires)
            return changed_dense(op, target, others, attributes, requires)
        check_inplace(target._rows, requires)
        before = _IN_PLACE.get(op.name)
        if before is not None:
            before(op, target, *others)
        return target._become(_rule_of(op, (target, *others), "_")(op, target, *others, *attributes), op.name != "mul")

    def _become(self, result: Any, may_be_sorted: bool = True) -> Any:
        """Take over what was computed out of place, in the dtype that it has."""
        if not isinstance(result, Sparse):
            raise cannot_run("copy_")
        check_result_type(result.dtype, self.dtype)
        rows = result._rows if result.dtype is self.dtype else result._rows.to(self.dtype)
        self._at, self._sorted = result._at, (result._sorted and may_be_sorted) or result._at.shape[1] < 2
        self._array = _look(result.shape, self._array.dtype)
        if state.grad_enabled():
            version = self._rows._shared_counter()[0]
            self._rows = same_values_op(rows)
            self._rows._shared_counter()[0] = version + 1
        else:  # what it was computed from is none of its history: a leaf stays one
            self._rows.data = rows
            self._rows._bump_version()
        return self

    def _around(self, fn: Any, *tensors: Any) -> Any:
        raise NeedsElements

    def _made_like(self, name: str, fn: Any, rest: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        from .create import made_like  # it imports this module

        return made_like(self, name, fn, rest, kwargs)

    def _reshaped(self, shape: tuple[int, ...]) -> Any:
        raise RuntimeError("reshape is not implemented for sparse tensors")

    def _cannot_run(self, name: str) -> NotImplementedError:
        return cannot_run(name)

    def _outlived(self) -> Any:
        return self

    _known = _outlived

    def _computed(self, fn: Any) -> Any:
        raise NeedsElements

    def _became_view(self, base: Tensor, again: Any, put: Any = None) -> None:
        """Views of sparse tensors share values, and nothing else."""

    # ---- its parts

    def _indices(self) -> Tensor:
        return Tensor._wrap(self._at)

    def _values(self) -> Tensor:
        return self._rows.detach()

    def _nnz(self) -> int:
        return int(self._at.shape[1])

    def indices(self) -> Tensor:
        self._require_coalesced("indices")
        return self._indices()

    def values(self) -> Tensor:
        self._require_coalesced("values")
        return values_op(self._rows)

    def _require_coalesced(self, what: str) -> None:
        if not self._sorted:
            raise RuntimeError(f"Cannot get {what} on an uncoalesced tensor, please call .coalesce() first")

    def is_coalesced(self) -> bool:
        return self._sorted

    def _coalesced_(self, coalesced: bool) -> Any:
        self._sorted = coalesced
        return self

    def coalesce(self) -> Any:
        """The same with places in order and each of them once; values of one place are added."""
        return self if self._sorted else coalesced(self)

    def sparse_dim(self) -> int:
        return int(self._at.shape[0])

    def dense_dim(self) -> int:
        return int(self._array.ndim - self._at.shape[0])

    _dimI, _dimV = sparse_dim, dense_dim

    # ---- autograd

    @property
    def grad(self) -> Any:
        grad = self._rows.grad
        return None if grad is None else self._with_gradient(grad)

    @grad.setter
    def grad(self, value: Any) -> None:
        self._rows.grad = None if value is None else self._gradient_of_rows(value)

    @grad.deleter
    def grad(self) -> None:
        self._rows.grad = None

    _grad = grad

    def _with_gradient(self, grad: Any) -> Any:
        """The gradient of the rows as one of the tensor: each place has it once."""
        if self._sorted:
            return sparse(self._at, grad, self.shape, True)
        places, first = np.unique(self._places(), return_index=True)
        return sparse(at_places(places, self._shape_of_places()), gather_values_op(grad, first, 1), self.shape, True)

    def _gradient_of_rows(self, grad: Any) -> Any:
        """The part of a gradient that is at the places of this tensor."""
        return grad_at_op(grad.to_dense() if grad.is_sparse else grad, self._places(), self.sparse_dim())

    def register_hook(self, hook: Callable[[Any], Any]) -> RemovableHandle:
        def on_rows(grad: Any) -> Any:
            result = hook(None if grad is None else self._with_gradient(grad))
            return None if result is None else self._gradient_of_rows(result)

        handle: RemovableHandle = self._rows.register_hook(on_rows)
        return handle

    def retain_grad(self) -> None:
        self._rows.retain_grad()

    @property
    def retains_grad(self) -> bool:
        return bool(self._rows.retains_grad)

    def detach(self) -> Any:
        return self._like(self._rows.detach())

    def detach_(self) -> Any:
        self._rows = self._rows.detach()
        return self

    @property
    def data(self) -> Any:
        return self._like(self._rows.data)

    @data.setter
    def data(self, value: Any) -> None:
        if not isinstance(value, Sparse):
            raise RuntimeError(
                "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor "
                "type."
            )
        self._at, self._rows.data, self._sorted, self._array = value._at, value._rows, value._sorted, value._array

    def _bump_version(self) -> None:
        self._rows._bump_version()

    # ---- what strided tensors have, and it has not

    def is_contiguous(self, memory_format: Any = None) -> bool:
        return False

    def storage_offset(self) -> int:
        return 0

    def data_ptr(self) -> int:
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    @property
    def nbytes(self) -> int:
        raise RuntimeError(
            "nbytes is not defined for sparse tensors.  If you want the size of the constituent tensors, add the "
            "nbytes of the indices and values.  If you want the size of the  equivalent dense tensor, multiply numel() "
            "by element_size()"
        )

    def storage(self) -> Any:
        raise NotImplementedError("Cannot access storage of SparseTensorImpl")

    untyped_storage = share_memory_ = storage

    def numpy(self, *, force: bool = False) -> Any:
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return self.numpy()

    def tolist(self) -> Any:
        return self.data_ptr()

    def item(self) -> Any:
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return self.to_dense().item()

    def __bool__(self) -> bool:
        if self.numel() > 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(self.item())

    is_nonzero = __bool__

    def __float__(self) -> float:
        if self.numel() != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return float(self.item())

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError("Cannot assign to a sparse tensor")

    def reshape(self, *shape: Any) -> Any:  # type: ignore[override]
        return self._reshaped(())

    flatten = reshape  # type: ignore[assignment]

    def new(self, *args: Any) -> Any:
        """A sparse tensor of this one's dtype: of places and values, or of sizes."""
        from .create import sparse_coo_tensor  # it imports this module

        if args and isinstance(args[0], Tensor):
            return sparse_coo_tensor(*args, dtype=self.dtype)
        sizes = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
        return sparse_coo_tensor(tuple(sizes), dtype=self.dtype)

    def __reduce_ex__(self, protocol: Any) -> Any:
        from ..._utils import _rebuild_sparse_tensor  # loaded when first used

        return _rebuild_sparse_tensor, (self.layout, (self._indices(), self._values(), self.shape, self._sorted))

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            rows = copy.deepcopy(self._rows, memo)
            memo[id(self)] = sparse(self._at.copy(), rows, self._array.shape, self._sorted)
        return memo[id(self)]

    def _type_name(self) -> str:
        return super()._type_name().replace("torch.", "torch.sparse.")

    # ---- words for rules

    def _places(self) -> Any:
        """The places as numbers: where they are if all sparse dimensions are gone through in order."""
        return numbered(self._at, self._shape_of_places())

    def _shape_of_places(self) -> tuple[int, ...]:
        return self._array.shape[: self._at.shape[0]]

    def _like(self, rows: Any, is_sorted: bool | None = None) -> Any:
        """Other values at the same places."""
        return sparse(self._at, rows, self._array.shape, self._sorted if is_sorted is None else is_sorted)


coalesce_op = scatter_values_op.under("coalesce_values", "CoalesceBackward0")
values_op = same_values_op.under("sparse_values", "ValuesBackward0")
grad_at_op = gather_values_op.under("gradient_at_places", "SparseMaskBackward0")


def sparse(at: Any, rows: Any, shape: Any, is_sorted: bool = False) -> Any:
    """A sparse tensor of places, values and a shape."""
    t = blank(Sparse, _look(shape, rows._array.dtype), LEVEL)
    t._at, t._rows, t._sorted = at, rows, is_sorted or at.shape[1] < 2
    if state.special and state.modes.inference:
        rows._own_meta().inference = True
    return t


def _look(shape: Any, dtype: Any) -> Any:
    return SparseLook(tuple(shape), dtype, (0,) * len(shape), LEVEL.depth)


def coalesced(t: Any) -> Any:
    """A sparse tensor with places in order, each of them once."""
    places, slots = np.unique(t._places(), return_inverse=True)
    rows = coalesce_op(t._rows, slots.reshape(-1), (places.size, *t._rows._array.shape[1:]), 1)
    return sparse(at_places(places, t._shape_of_places()), rows, t.shape, True)


def is_sparse(value: Any) -> bool:
    return isinstance(value, Sparse)


# ---- finding rules

_BY_KIND_OF_OPERAND = frozenset(["eq", "ne", "lt", "le", "gt", "ge"])
_NAMES = {
    "slice": "as_strided", "squeeze": "as_strided", "squeeze_dim": "as_strided", "split": "as_strided",
    "index": "index.Tensor", "maximum": "maximum", "where": "where.self", "softmax": "_softmax",
    "log_softmax": "_log_softmax", "mean_all": "mean.dim", "fill_number": "fill_.Scalar", "prod_all": "prod",
    "bitwise_and": "bitwise_and.Tensor", "remainder_number": "remainder.Tensor", "pow_of_number": "pow.Scalar",
    "pow_tensor": "pow.Tensor_Tensor", "max_all": "max", "min_all": "min", "median_all": "median",
    "sort": "sort.stable", "std": "std.correction", "var": "var.correction", "clamp_numbers": "clamp",
    "lerp_number": "lerp.Scalar", "round_decimals": "round.decimals", "rsub": "rsub.Tensor", "unique_all": "_unique2",
    "logical_not": "logical_not.out", "isfinite": "ne.Scalar", "linalg_det": "_linalg_det",
}  # fmt: skip
"""What PyTorch's messages call operators whose name differs from that of the primitive."""

_IN_PLACE: dict[str, Callable[..., None]] = {}
"""What must hold of a sparse tensor that an operator is to change in place."""


def in_place(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator: a check before operators change a sparse tensor."""

    def add(fn: Callable[..., None]) -> Callable[..., None]:
        _IN_PLACE.update(dict.fromkeys(names, fn))
        return fn

    return add


def _rule_of(op: Any, tensors: tuple[Any, ...], suffix: str = "") -> Callable[..., Any]:
    found = RULES.get(op.name)
    if found is None:
        for module in ("pointwise", "products", "shapes", "reductions", "convert"):
            _lazy.load(f"ops.sparse.{module}")
        found = RULES.get(op.name)
    if found is None:
        name = _NAMES.get(op.name, op.name)
        if op.name in _BY_KIND_OF_OPERAND:
            name += ".Tensor" if isinstance(tensors[-1], Tensor) else ".Scalar"
        raise cannot_run(name if name.split(".")[0].endswith("_") else name + suffix)
    return found


def size_text(t: Any) -> str:
    return str(list(t._array.shape))


def dtype_of(*tensors: Any) -> dtypes.dtype:
    """The dtype that an operator on these tensors computes in."""
    found = tensors[0].dtype
    for t in tensors[1:]:
        found = dtypes.promote_types(found, t.dtype)
    return found
