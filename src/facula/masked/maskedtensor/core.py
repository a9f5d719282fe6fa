"""``MaskedTensor``: a Tensor whose elements count only where its mask is True.

It holds its data as any Tensor does, and computes with it as if there were no mask; ``functions.py`` tells the mask of
each result. Its gradients are masked tensors too: it ``sees_gradients``, which has a backward pass run on Tensors, so
that rules are functions of masked tensors like all others.
"""

from __future__ import annotations

import warnings
from typing import Any

from ..._core import dtypes
from ..._tensor import Tensor
from ...autograd import differentiate
from ...overrides import DisableTorchFunctionSubclass

__all__ = ["MaskedTensor", "is_masked_tensor"]

_SUPPORTED = (
    dtypes.float16, dtypes.float32, dtypes.float64, dtypes.bool_, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64
)  # fmt: skip


_GRAD: Any = vars(Tensor)["grad"]


def is_masked_tensor(obj: Any, /) -> bool:
    """Whether it is a ``MaskedTensor``."""
    return isinstance(obj, MaskedTensor)


class MaskedTensor(Tensor):
    """Data, and a mask that is True where it counts."""

    sees_gradients = True
    _masked_mask: Tensor

    @staticmethod
    def __new__(cls: type[MaskedTensor], data: Any, mask: Any, requires_grad: bool = False) -> MaskedTensor:
        _check(data, mask)
        warn_of_prototype(data)
        made: MaskedTensor = Tensor._make_subclass(cls, data.detach().clone(), requires_grad)
        made._masked_mask = mask.detach().clone()
        return made

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        from .functions import call  # it knows this class

        return call(func, args, kwargs or {})

    def get_data(self) -> Tensor:
        """The data, also where it does not count."""
        with DisableTorchFunctionSubclass():
            plain: Tensor = self.as_subclass(Tensor)
        return plain

    def get_mask(self) -> Tensor:
        """The mask: True where the data counts."""
        return self._masked_mask

    def to_tensor(self, value: Any) -> Tensor:
        """The data, with ``value`` where it does not count."""
        filled: Tensor = self.get_data().masked_fill(~self.get_mask(), value)
        return filled

    @property
    def grad(self) -> Any:
        """The gradient, which has a mask as well."""
        with DisableTorchFunctionSubclass():
            found = _GRAD.__get__(self)
        return found if found is None or is_masked_tensor(found) else under_mask(found, self._masked_mask)

    @grad.setter
    def grad(self, value: Any) -> None:
        with DisableTorchFunctionSubclass():
            _GRAD.__set__(self, value)

    def backward(
        self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
    ) -> None:
        """Gradients of the leaves, as masked tensors."""
        if gradient is None and self.numel() == 1:
            gradient = self.new_ones(self.shape)
        differentiate.backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def detach(self) -> MaskedTensor:
        """The same without history."""
        with DisableTorchFunctionSubclass():
            return under_mask(super().detach(), self._masked_mask)

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return _shown(self.get_data().tolist(), self.get_mask().tolist(), self.ndim)

    def is_sparse_coo(self) -> bool:
        """Whether the data is sparse: it never is here."""
        return False

    def is_sparse_csr(self) -> bool:
        """Whether the data is sparse: it never is here."""
        return False


def warn_of_prototype(data: Any) -> None:
    warnings.warn(
        "The PyTorch API of MaskedTensors is in prototype stage and will change in the near future. Please open a "
        "Github issue for features requests and see our documentation on the torch.masked module for further "
        "information about the project.",
        stacklevel=3,
    )
    if data.requires_grad:
        warnings.warn(
            "It is not recommended to create a MaskedTensor with a tensor that requires_grad. "
            "To avoid this, you can use data.detach().clone()",
            stacklevel=3,
        )


def _check(data: Any, mask: Any) -> None:
    for name, given in (("data", data), ("mask", mask)):
        if is_masked_tensor(given) or not isinstance(given, Tensor):
            raise TypeError(f"{name} must be a Tensor")
    if data.layout != mask.layout:
        raise TypeError("data and mask must have the same layout.")
    if type(data) is not type(mask):
        raise TypeError(f"data and mask must have the same type. Got {type(data)} and {type(mask)}")
    if data.is_sparse:
        raise TypeError(f"data layout of {data.layout} is not supported.")
    if mask.dtype is not dtypes.bool_:
        raise TypeError("mask must have dtype bool.")
    if data.dtype not in _SUPPORTED:
        raise TypeError(f"{data.dtype} is not supported in MaskedTensor.")
    if data.ndim != mask.ndim:
        raise ValueError("data.dim() must equal mask.dim()")
    if data.shape != mask.shape:
        raise ValueError("data.size() must equal mask.size()")


def joined(data: Any, mask: Any) -> MaskedTensor:
    """Data and a mask, after a check; the data keeps its history."""
    _check(data, mask)
    made: MaskedTensor = data.clone().as_subclass(MaskedTensor)
    made._masked_mask = mask.clone()
    return made


def under_mask(result: Tensor, mask: Tensor) -> MaskedTensor:
    """A result that nobody else has, with its place in the graph, under a mask."""
    made: MaskedTensor = Tensor._make_subclass(MaskedTensor, result)
    made._node, made._meta = result._node, result._meta
    made._masked_mask = mask
    return made


def _shown(data: Any, mask: Any, ndim: int) -> str:
    if ndim == 0:
        return f"MaskedTensor({_number(data) if mask else '--'}, {mask})"
    return f"MaskedTensor(\n{_indented(_rows(data, mask, ndim))}\n)"


def _rows(data: Any, mask: Any, ndim: int) -> str:
    if ndim > 1:
        below = [_indented(_rows(row, counts, ndim - 1)) for row, counts in zip(data, mask)]
        return "[\n" + ",\n".join(below) + "\n]"
    numbers = [_number(v) for v in data]
    width = max(len(number) if counts else 8 for number, counts in zip(numbers, mask))
    return f"[{', '.join(number if counts else '--'.rjust(width) for number, counts in zip(numbers, mask))}]"


def _number(value: Any) -> str:
    return f"{value:8.4f}" if isinstance(value, float) else str(value)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))
