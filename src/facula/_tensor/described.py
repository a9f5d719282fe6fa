"""What a tensor is: shape, dtype, layout and place of its array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._core import devices, dtypes, layouts
from .._core.size import Size
from .._core.strides import address, element_strides, storage_offset
from .._core.unresolved import CONJ, NEG, bits_of

if TYPE_CHECKING:
    from .._methods import Methods
else:
    Methods = object

_size = tuple.__new__
_NEVER = property(lambda self: False, doc="False: there are no such tensors here.")


class Described(Methods):
    """A tensor as far as its array tells."""

    __slots__ = ()

    if TYPE_CHECKING:
        _array: np.ndarray[Any, Any]
        wraps: bool

    is_sparse = False
    is_sparse_csr = is_quantized = is_nested = is_mkldnn = _NEVER
    is_cuda = is_xpu = is_mps = is_vulkan = is_xla = is_ipu = is_maia = is_mtia = _NEVER

    @property
    def layout(self) -> layouts.layout:
        """How the elements are stored: strided."""
        return layouts.strided

    @property
    def dtype(self) -> dtypes.dtype:
        """The type of the elements."""
        d = dtypes.from_numpy_table.get(self._array.dtype)
        return dtypes.of_array(self._array) if d is None else d

    @property
    def shape(self) -> Size:
        """The size of each dimension."""
        return _size(Size, self._array.shape)

    @property
    def device(self) -> devices.device:
        """Where the memory is."""
        array = self._array
        return array.on if array.__class__ is devices.MetaArray else devices.cpu

    @property
    def is_meta(self) -> bool:
        """Whether this tensor has a shape and a dtype but no values."""
        array = self._array
        return array.__class__ is devices.MetaArray and array.on.type == "meta"

    @property
    def is_cpu(self) -> bool:
        """Whether the memory is on the CPU."""
        return self.device.type == "cpu"

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    @property
    def itemsize(self) -> int:
        """How many bytes an element takes."""
        return self._array.itemsize

    @property
    def nbytes(self) -> int:
        """How many bytes the elements take."""
        return self._array.nbytes

    def dim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    ndimension = dim

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of one dimension."""
        if dim is None:
            return _size(Size, self._array.shape)
        return self._array.shape[_wrapped_dim("size", self, dim)]

    def stride(self, dim: int | None = None) -> Any:
        """How far apart neighbours along each dimension are in the storage, or along one, in elements."""
        strides = element_strides(self._array)
        return strides if dim is None else strides[_wrapped_dim("stride", self, dim)]

    def storage_offset(self) -> int:
        """How many elements of the storage lie before the first."""
        return storage_offset(self._array)

    def numel(self) -> int:
        """The number of elements."""
        return self._array.size

    nelement = numel

    def element_size(self) -> int:
        """How many bytes an element takes."""
        return self._array.itemsize

    def data_ptr(self) -> int:
        """Where the memory begins."""
        return 0 if self._array.__class__ is devices.MetaArray or self._array.size == 0 else address(self._array)

    def get_device(self) -> int:
        """The number of the device; -1 for the CPU."""
        return -1

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """Whether the elements lie in memory one after the other, or in the order of a memory format."""
        if memory_format is not None:
            if layouts.fits(memory_format, self._array.ndim) and not self.wraps:
                order = layouts.axis_order(memory_format, self._array.ndim)
                return bool(self._array.transpose(order).flags.c_contiguous)
            if memory_format in (layouts.channels_last, layouts.channels_last_3d):
                return False
        return bool(self._array.flags.c_contiguous)

    def is_floating_point(self) -> bool:
        """Whether the dtype is a floating point one."""
        return self.dtype.is_floating_point

    def is_complex(self) -> bool:
        """Whether the dtype is complex."""
        return self._array.dtype.kind == "c"

    def is_signed(self) -> bool:
        """Whether the dtype has negative numbers."""
        return self.dtype.is_signed

    def is_conj(self) -> bool:
        """Whether this is a conjugate that was not computed yet: a view of what it is the conjugate of."""
        return bits_of(self._array) & CONJ != 0

    def is_neg(self) -> bool:
        """Whether this is a negation that was not computed yet: a view of what it is the negative of."""
        return bits_of(self._array) & NEG != 0

    def is_pinned(self, device: Any = None) -> bool:
        """Whether the memory is pinned for an accelerator; never."""
        return False

    def is_shared(self) -> bool:
        """Whether the memory is shared between processes."""
        from .._core.shared_memory import memory_of  # loaded when first used

        return type(self._array) is np.ndarray and memory_of(self._array) is not None

    def sparse_dim(self) -> int:
        """How many dimensions are sparse: none."""
        return 0

    def dense_dim(self) -> int:
        """How many dimensions are dense: all."""
        return self._array.ndim

    def is_same_size(self, other: Described) -> bool:
        """Whether another tensor has the same shape."""
        return self._array.shape == other._array.shape


def _wrapped_dim(name: str, self: Any, dim: Any) -> int:
    if dim.__class__ is not int:
        from ..ops.machine.signatures import mistake  # loaded when first used

        wrong = mistake(name, (self, dim), {}, True)
        if wrong is not None:
            raise wrong
        dim = int(dim)
    ndim = self._array.ndim
    if ndim == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if not -ndim <= dim < ndim:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {dim})")
    return dim % ndim
