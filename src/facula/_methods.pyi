# Written by python -m tests.stubs.
# ruff: noqa
from facula import return_types
from facula._core.storage import TypedStorage
from facula._core.storage import UntypedStorage
from facula._tensor import Tensor
from typing import Any
from typing import overload
import builtins

class Methods:
    @property
    def H(self) -> Tensor: ...
    @H.setter
    def H(self, value: Any) -> None: ...
    @property
    def T(self) -> Tensor: ...
    @T.setter
    def T(self, value: Any) -> None: ...
    def __abs__(self) -> Tensor: ...
    def __add__(self, other: Any) -> Tensor: ...
    def __and__(self, other: Any) -> Tensor: ...
    def __array__(self, dtype: Any = None, copy: builtins.bool | None = None) -> Any:
        """``__array_``, written into the tensor itself."""
    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: builtins.bool = False) -> Tensor:
        """What NumPy's ufuncs make of their result when a tensor was among the arguments."""
    def __bool__(self) -> builtins.bool:
        """``__bool_``, written into the tensor itself."""
    def __complex__(self) -> complex:
        """``__complex_``, written into the tensor itself."""
    def __contains__(self, element: Any) -> builtins.bool:
        """``__contains_``, written into the tensor itself."""
    def __deepcopy__(self, memo: dict[builtins.int, Any]) -> Any:
        """A leaf with memory of its own; what shared memory before shares it in the copy."""
    def __delitem__(self, key: Any) -> None:
        """``__delitem_``, written into the tensor itself."""
    def __div__(self, other: Any) -> Tensor: ...
    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: builtins.bool | None = None) -> Any:
        """A capsule with which other libraries share this tensor's memory."""
    def __dlpack_device__(self) -> tuple[builtins.int, builtins.int]:
        """``__dlpack_device_``, written into the tensor itself."""
    def __eq__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __float__(self) -> builtins.float:
        """``__float_``, written into the tensor itself."""
    def __floordiv__(self, other: Any) -> Tensor: ...
    def __ge__(self, other: Any) -> Tensor: ...
    def __getitem__(self, key: Any) -> Tensor:
        """The part of a tensor that a key names: a view if the key holds no tensors or lists, else a copy."""
    def __gt__(self, other: Any) -> Tensor: ...
    def __iadd__(self, other: Any) -> Tensor: ...
    def __iand__(self, other: Any) -> Tensor: ...
    def __idiv__(self, other: Any) -> Tensor: ...
    def __ifloordiv__(self, other: Any) -> Tensor: ...
    def __ilshift__(self, other: Any) -> Tensor: ...
    def __imod__(self, other: Any) -> Tensor: ...
    def __imul__(self, other: Any) -> Tensor: ...
    def __index__(self) -> builtins.int:
        """``__index_``, written into the tensor itself."""
    def __int__(self) -> builtins.int:
        """``__int_``, written into the tensor itself."""
    def __invert__(self) -> Tensor: ...
    def __ior__(self, other: Any) -> Tensor: ...
    def __ipow__(self, other: Any) -> Tensor: ...
    def __irshift__(self, other: Any) -> Tensor: ...
    def __isub__(self, other: Any) -> Tensor: ...
    def __itruediv__(self, other: Any) -> Tensor: ...
    def __ixor__(self, other: Any) -> Tensor: ...
    def __le__(self, other: Any) -> Tensor: ...
    def __lshift__(self, other: Any) -> Tensor: ...
    def __lt__(self, other: Any) -> Tensor: ...
    def __matmul__(self, other: Any) -> Tensor: ...
    def __mod__(self, other: Any) -> Tensor: ...
    def __mul__(self, other: Any) -> Tensor: ...
    def __ne__(self, other: Any) -> Tensor: ...  # type: ignore[override]
    def __neg__(self) -> Tensor: ...
    def __or__(self, other: Any) -> Tensor: ...
    def __pos__(self) -> Tensor: ...
    def __pow__(self, other: Any) -> Tensor: ...
    def __radd__(self, other: Any) -> Tensor: ...
    def __rand__(self, other: Any) -> Tensor: ...
    def __rdiv__(self, other: Any) -> Tensor: ...
    def __reduce_ex__(self, protocol: Any) -> Any:
        """``__reduce_ex_``, written into the tensor itself."""
    def __reversed__(self) -> Tensor:
        """Reverses the first dimension."""
    def __rfloordiv__(self, other: Any) -> Tensor: ...
    def __rlshift__(self, other: Any) -> Tensor: ...
    def __rmatmul__(self, other: Any) -> Tensor: ...
    def __rmod__(self, other: Any) -> Tensor: ...
    def __rmul__(self, other: Any) -> Tensor: ...
    def __ror__(self, other: Any) -> Tensor: ...
    def __rpow__(self, other: Any) -> Tensor: ...
    def __rrshift__(self, other: Any) -> Tensor: ...
    def __rshift__(self, other: Any) -> Tensor: ...
    def __rsub__(self, other: Any) -> Tensor: ...
    def __rtruediv__(self, other: Any) -> Tensor: ...
    def __rxor__(self, other: Any) -> Tensor: ...
    def __setitem__(self, key: Any, value: Any) -> None:
        """Write a number or a tensor, broadcast, to the part that a key names."""
    def __setstate__(self, held: Any) -> None:
        """``__setstate_``, written into the tensor itself."""
    def __sub__(self, other: Any) -> Tensor: ...
    def __truediv__(self, other: Any) -> Tensor: ...
    def __xor__(self, other: Any) -> Tensor: ...
    def _addmm_activation(self, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1, use_gelu: builtins.bool = False) -> Tensor:
        """``relu`` of ``addmm``, or ``gelu`` of it."""
    @property
    def _cdata(self) -> Any: ...
    @_cdata.setter
    def _cdata(self, value: Any) -> None: ...
    def _coalesced_(self, *args: Any) -> Tensor:
        """For sparse tensors only."""
    def _conj(self) -> Tensor:
        """A view that shows conjugates."""
    def _conj_physical(self) -> Tensor:
        """The complex conjugate; a real tensor is returned as it is."""
    def _dimI(self, *args: Any) -> Any:
        """For sparse tensors only."""
    def _dimV(self, *args: Any) -> Any:
        """For sparse tensors only."""
    @property
    def _grad_fn(self) -> Any: ...
    @_grad_fn.setter
    def _grad_fn(self, value: Any) -> None: ...
    def _indices(self, *args: Any) -> Any:
        """For sparse tensors only."""
    def _is_all_true(self) -> Tensor:
        """Whether all of these truths hold; inside vmap, for all items."""
    def _is_any_true(self) -> Tensor:
        """Whether one of these truths holds; inside vmap, for one item."""
    def _neg_view(self) -> Tensor:
        """A view that shows negatives."""
    def _nnz(self, *args: Any) -> Any:
        """For sparse tensors only."""
    def _standard_gamma(self, generator: Any = None) -> Tensor:
        """A sample of the gamma distribution of rate 1 for each shape parameter."""
    def _typed_storage(self) -> TypedStorage:
        ...
    def _values(self, *args: Any) -> Any:
        """For sparse tensors only."""
    def abs(self) -> Tensor:
        """The distance of each element from 0; of a complex one, its modulus."""
    def abs_(self) -> Tensor:
        """``abs``, written into the tensor itself."""
    def absolute(self) -> Tensor:
        """The distance of each element from 0; of a complex one, its modulus."""
    def absolute_(self) -> Tensor:
        """``abs``, written into the tensor itself."""
    def acos(self) -> Tensor:
        """The angle, in [0, pi], whose cosine each element is."""
    def acos_(self) -> Tensor:
        """``acos``, written into the tensor itself."""
    def acosh(self) -> Tensor:
        """The inverse of ``cosh``, for elements from 1 on."""
    def acosh_(self) -> Tensor:
        """``acosh``, written into the tensor itself."""
    def add(self, other: Tensor | complex, *, alpha: builtins.float = 1) -> Tensor:
        """The sum, of ``other`` times ``alpha`` if that is given."""
    def add_(self, other: Any, *old: Any, alpha: Any = 1) -> Tensor:
        """``add``, written into the tensor itself."""
    def addbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """``beta * input + alpha * (the sum of the products of the batches)``."""
    def addbmm_(self, *given: Any, beta: Any = 1, alpha: Any = 1, **named: Any) -> Tensor:
        """``addbmm``, written into the tensor itself."""
    def addcdiv(self, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
        """``input + value * tensor1 / tensor2``."""
    def addcdiv_(self, tensor1: Any, tensor2: Any, *old: Any, value: Any = 1) -> Tensor:
        """``addcdiv``, written into the tensor itself."""
    def addcmul(self, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
        """``input + value * tensor1 * tensor2``."""
    def addcmul_(self, tensor1: Any, tensor2: Any, *old: Any, value: Any = 1) -> Tensor:
        """``addcmul``, written into the tensor itself."""
    def addmm(self, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """``beta * input + alpha * (mat1 @ mat2)``."""
    def addmm_(self, *given: Any, beta: Any = 1, alpha: Any = 1, **named: Any) -> Tensor:
        """``addmm``, written into the tensor itself."""
    def addmv(self, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """``beta * input + alpha * (mat @ vec)``."""
    def addmv_(self, *given: Any, beta: Any = 1, alpha: Any = 1, **named: Any) -> Tensor:
        """``addmv``, written into the tensor itself."""
    def addr(self, vec1: Tensor, vec2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """``beta * input + alpha * outer(vec1, vec2)``."""
    def addr_(self, *given: Any, beta: Any = 1, alpha: Any = 1, **named: Any) -> Tensor:
        """``addr``, written into the tensor itself."""
    def adjoint(self) -> Tensor:
        """Matrices transposed and conjugated."""
    def alias(self) -> Tensor:
        """A view of the whole."""
    def all(self, dim: Any = None, keepdim: builtins.bool = False) -> Tensor:
        """Whether every element (along ``dim``) is not 0."""
    def allclose(self, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> builtins.bool:
        """Whether all elements are close."""
    def amax(self, dim: Any = ..., keepdim: builtins.bool = False) -> Tensor:
        """The greatest elements; equal ones share the gradient."""
    def amin(self, dim: Any = ..., keepdim: builtins.bool = False) -> Tensor:
        """The least elements; equal ones share the gradient."""
    def aminmax(self, *, dim: Any = None, keepdim: builtins.bool = False) -> return_types.aminmax:
        """The least and the greatest elements."""
    def angle(self) -> Tensor:
        """The argument of complex numbers; 0 or pi for real ones."""
    def any(self, dim: Any = None, keepdim: builtins.bool = False) -> Tensor:
        """Whether any element (along ``dim``) is not 0."""
    def apply_(self, callable: Any) -> Tensor:
        """Replace each element by what a Python function makes of it. Slow."""
    def arccos(self) -> Tensor:
        """The angle, in [0, pi], whose cosine each element is."""
    def arccos_(self) -> Tensor:
        """``acos``, written into the tensor itself."""
    def arccosh(self) -> Tensor:
        """The inverse of ``cosh``, for elements from 1 on."""
    def arccosh_(self) -> Tensor:
        """``acosh``, written into the tensor itself."""
    def arcsin(self) -> Tensor:
        """The angle, in [-pi/2, pi/2], whose sine each element is."""
    def arcsin_(self) -> Tensor:
        """``asin``, written into the tensor itself."""
    def arcsinh(self) -> Tensor:
        """The inverse of ``sinh``."""
    def arcsinh_(self) -> Tensor:
        """``asinh``, written into the tensor itself."""
    def arctan(self) -> Tensor:
        """The angle, in (-pi/2, pi/2), whose tangent each element is."""
    def arctan2(self, other: Tensor | complex) -> Tensor:
        """The angle of the point (other, input) to the positive x axis, in [-pi, pi]."""
    def arctan2_(self, other: Tensor | complex) -> Tensor:
        """``atan2``, written into the tensor itself."""
    def arctan_(self) -> Tensor:
        """``atan``, written into the tensor itself."""
    def arctanh(self) -> Tensor:
        """The inverse of ``tanh``, for elements in (-1, 1)."""
    def arctanh_(self) -> Tensor:
        """``atanh``, written into the tensor itself."""
    def argmax(self, dim: Any = None, keepdim: builtins.bool = False) -> Tensor:
        """Where the (first) greatest element is."""
    def argmin(self, dim: Any = None, keepdim: builtins.bool = False) -> Tensor:
        """Where the (first) least element is."""
    def argsort(self, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False) -> Tensor:
        """The indices that sort along ``dim``."""
    def argwhere(self) -> Tensor:
        """The places of all elements that are not zero, a row each."""
    def as_strided(self, size: Any, stride: Any, storage_offset: builtins.int | None = None) -> Tensor:
        """A view of the storage by explicit sizes, strides (in elements) and offset."""
    def as_strided_(self, size: Any, stride: Any, storage_offset: builtins.int | None = None) -> Tensor:
        """``as_strided`` in place."""
    def as_strided_scatter(self, src: Tensor, size: Any, stride: Any, storage_offset: builtins.int | None = None) -> Tensor:
        """A copy with the elements that sizes, strides and offset show replaced."""
    def asin(self) -> Tensor:
        """The angle, in [-pi/2, pi/2], whose sine each element is."""
    def asin_(self) -> Tensor:
        """``asin``, written into the tensor itself."""
    def asinh(self) -> Tensor:
        """The inverse of ``sinh``."""
    def asinh_(self) -> Tensor:
        """``asinh``, written into the tensor itself."""
    def atan(self) -> Tensor:
        """The angle, in (-pi/2, pi/2), whose tangent each element is."""
    def atan2(self, other: Tensor | complex) -> Tensor:
        """The angle of the point (other, input) to the positive x axis, in [-pi, pi]."""
    def atan2_(self, other: Tensor | complex) -> Tensor:
        """``atan2``, written into the tensor itself."""
    def atan_(self) -> Tensor:
        """``atan``, written into the tensor itself."""
    def atanh(self) -> Tensor:
        """The inverse of ``tanh``, for elements in (-1, 1)."""
    def atanh_(self) -> Tensor:
        """``atanh``, written into the tensor itself."""
    def baddbmm(self, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """``beta * input + alpha * (batch1 @ batch2)``."""
    def baddbmm_(self, *given: Any, beta: Any = 1, alpha: Any = 1, **named: Any) -> Tensor:
        """``baddbmm``, written into the tensor itself."""
    def bernoulli(self, p: Any = None, *, generator: Any = None, out: Tensor | None = None) -> Tensor:
        """1 with the probability that each element says (or ``p``), else 0."""
    def bernoulli_(self, p: Any = 0.5, *, generator: Any = None) -> Tensor:
        """Fill with 1 with probability ``p``, else 0."""
    def bfloat16(self, memory_format: Any = None) -> Tensor:
        """This tensor as torch.bfloat16."""
    def bincount(self, weights: Any = None, minlength: builtins.int = 0) -> Tensor:
        """How often each number from 0 on occurs, or the sum of its weights."""
    def bitwise_and(self, other: Tensor | complex) -> Tensor:
        """The bits that both have; of truth values, whether both are true."""
    def bitwise_and_(self, other: Tensor | complex) -> Tensor:
        """``bitwise_and``, written into the tensor itself."""
    def bitwise_left_shift(self, other: Tensor | complex) -> Tensor:
        """The bits moved ``other`` places up: times 2 to that power."""
    def bitwise_left_shift_(self, other: Tensor | complex) -> Tensor:
        """``bitwise_left_shift``, written into the tensor itself."""
    def bitwise_not(self) -> Tensor:
        """All bits turned over; of a truth value, its opposite."""
    def bitwise_not_(self) -> Tensor:
        """``bitwise_not``, written into the tensor itself."""
    def bitwise_or(self, other: Tensor | complex) -> Tensor:
        """The bits that at least one has."""
    def bitwise_or_(self, other: Tensor | complex) -> Tensor:
        """``bitwise_or``, written into the tensor itself."""
    def bitwise_right_shift(self, other: Tensor | complex) -> Tensor:
        """The bits moved ``other`` places down."""
    def bitwise_right_shift_(self, other: Tensor | complex) -> Tensor:
        """``bitwise_right_shift``, written into the tensor itself."""
    def bitwise_xor(self, other: Tensor | complex) -> Tensor:
        """The bits that exactly one has."""
    def bitwise_xor_(self, other: Tensor | complex) -> Tensor:
        """``bitwise_xor``, written into the tensor itself."""
    def bmm(self, mat2: Tensor) -> Tensor:
        """The products of two batches of matrices."""
    def bool(self, memory_format: Any = None) -> Tensor:
        """This tensor as torch.bool."""
    def broadcast_to(self, *shape: Any, size: Any = None) -> Tensor:
        """``expand`` to a shape."""
    def byte(self, memory_format: Any = None) -> Tensor:
        """This tensor as torch.uint8."""
    def cauchy_(self, median: Any = 0.0, sigma: Any = 1.0, *, generator: Any = None) -> Tensor:
        """Fill with Cauchy numbers."""
    def cdouble(self, memory_format: Any = None) -> Tensor:
        """This tensor as torch.complex128."""
    def ceil(self) -> Tensor:
        """The least whole number that is not below each element."""
    def ceil_(self) -> Tensor:
        """``ceil``, written into the tensor itself."""
    def cfloat(self, memory_format: Any = None) -> Tensor:
        """This tensor as torch.complex64."""
    def char(self, memory_format: Any = None) -> Tensor:
        """This tensor as torch.int8."""
    def cholesky(self, upper: builtins.bool = False) -> Tensor:
        """``linalg.cholesky`` under its old name."""
    def cholesky_inverse(self, upper: builtins.bool = False) -> Tensor:
        """The inverse of a matrix of which the Cholesky factor is known."""
    def cholesky_solve(self, input2: Tensor, upper: builtins.bool = False) -> Tensor:
        """The solution of ``A @ X = input``, given the Cholesky factor of ``A``."""
    def chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """Views of at most ``chunks`` parts of one size along a dimension."""
    def clamp(self, min: Any = None, max: Any = None) -> Tensor:
        """Values below ``min`` become ``min``, values above ``max`` become ``max``."""
    def clamp_(self, min: Any = None, max: Any = None) -> Tensor:
        """``clamp``, written into the tensor itself."""
    def clamp_max(self, max: Any) -> Tensor:
        """Values above ``max`` become ``max``."""
    def clamp_max_(self, max: Any) -> Tensor:
        """``clamp_max``, written into the tensor itself."""
    def clamp_min(self, min: Any) -> Tensor:
        """Values below ``min`` become ``min``."""
    def clamp_min_(self, min: Any) -> Tensor:
        """``clamp_min``, written into the tensor itself."""
    def clip(self, min: Any = None, max: Any = None) -> Tensor:
        """Values below ``min`` become ``min``, values above ``max`` become ``max``."""
    def clip_(self, min: Any = None, max: Any = None) -> Tensor:
        """``clamp``, written into the tensor itself."""
    def clone(self, *, memory_format: Any = None) -> Tensor:
        """A copy with the same values, and history."""
    def coalesce(self, *args: Any) -> Any:
        """For sparse tensors only."""
    def conj(self) -> Tensor:
        """The complex conjugate, a view of the same memory; a real tensor is returned as it is."""
    def conj_physical(self) -> Tensor:
        """The complex conjugate; a real tensor is returned as it is."""
    def conj_physical_(self) -> Tensor:
        """``conj_physical`` in place."""
    def const_data_ptr(self) -> builtins.int:
        """Where the memory begins."""
    def contiguous(self, memory_format: Any = None) -> Tensor:
        """This tensor if it is dense in C order (or the memory format's), else a copy that is."""
    def copy_(self, other: Any, non_blocking: builtins.bool = False) -> Tensor:
        """Write ``other`` into this tensor, broadcast and cast."""
    def copysign(self, other: Any) -> Tensor:
        """The magnitude of ``input`` with the sign of ``other``."""
    def copysign_(self, other: Any) -> Tensor:
        """``copysign``, written into the tensor itself."""
    def corrcoef(self) -> Tensor:
        """Pearson's correlation of variables given as rows."""
    def cos(self) -> Tensor:
        """The cosine of each element, in radians."""
    def cos_(self) -> Tensor:
        """``cos``, written into the tensor itself."""
    def cosh(self) -> Tensor:
        """The hyperbolic cosine."""
    def cosh_(self) -> Tensor:
        """``cosh``, written into the tensor itself."""
    def count_nonzero(self, dim: Any = None, *more: Any) -> Tensor:
        """How many elements (along ``dim``) are not 0."""
    def cov(self, *, correction: builtins.int = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
        """The covariance of variables given as rows."""
    def cpu(self, memory_format: Any = None) -> Tensor:
        """This tensor on the CPU."""
    def cross(self, other: Tensor, dim: builtins.int | None = None) -> Tensor:
        """The cross product, along the first dimension of size 3 if none is given."""
    def cuda(self, device: Any = None, non_blocking: builtins.bool = False, memory_format: Any = None) -> Tensor:
        """There is no such device here."""
    def cummax(self, dim: builtins.int) -> return_types.cummax:
        """The greatest element so far, and its place."""
    def cummin(self, dim: builtins.int) -> return_types.cummin:
        """The least element so far, and its place."""
    def cumprod(self, dim: builtins.int, *, dtype: Any = None) -> Tensor:
        """Products of the elements up to each."""
    def cumprod_(self, dim: builtins.int, *, dtype: Any = None) -> Tensor:
        """``cumprod``, written into the tensor itself."""
    def cumsum(self, dim: builtins.int, *, dtype: Any = None) -> Tensor:
        """Sums of the elements up to each."""
    def cumsum_(self, dim: builtins.int, *, dtype: Any = None) -> Tensor:
        """``cumsum``, written into the tensor itself."""
    def deg2rad(self) -> Tensor:
        """Degrees as radians."""
    def deg2rad_(self) -> Tensor:
        """``deg2rad``, written into the tensor itself."""
    def det(self) -> Tensor:
        """The determinant of square matrices."""
    def diag(self, diagonal: builtins.int = 0) -> Tensor:
        """A vector as the diagonal of a matrix, or the diagonal of a matrix as a vector."""
    def diag_embed(self, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1) -> Tensor:
        """Matrices of zeros with the last dimension on a diagonal."""
    def diagflat(self, offset: builtins.int = 0) -> Tensor:
        """All elements on the diagonal of a matrix."""
    def diagonal(self, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """A view of a diagonal of two dimensions, as the last dimension."""
    def diagonal_scatter(self, src: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
        """A copy with a diagonal replaced."""
    def diff(self, n: builtins.int = 1, dim: builtins.int = -1, prepend: Any = None, append: Any = None) -> Tensor:
        """Differences between neighbours along ``dim``, ``n`` times."""
    def digamma(self) -> Tensor:
        """The derivative of ``lgamma``."""
    def digamma_(self) -> Tensor:
        """``digamma``, written into the tensor itself."""
    def dim_order(self, *, ambiguity_check: Any = False) -> tuple[builtins.int, ...]:
        """The dimensions from the outermost in memory to the innermost."""
    def dist(self, other: Tensor, p: Any = 2) -> Tensor:
        """The norm of the difference."""
    def div(self, other: Any, *, rounding_mode: Any = ...) -> Tensor:
        ...
    def div_(self, other: Any, *, rounding_mode: Any = ...) -> Tensor:
        """``div``, written into the tensor itself."""
    def divide(self, other: Any, *, rounding_mode: Any = ...) -> Tensor:
        ...
    def divide_(self, other: Any, *, rounding_mode: Any = ...) -> Tensor:
        """``div``, written into the tensor itself."""
    def dot(self, tensor: Tensor) -> Tensor:
        """The inner product of two vectors; nothing is conjugated."""
    def double(self, memory_format: Any = None) -> Tensor:
        """This tensor as torch.float64."""
    def dsplit(self, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
        """Views of parts behind each other."""
    def eig(self, *args: Any, **kwargs: Any) -> Any:
        """It was removed; there is ``linalg.eig``."""
    def eq(self, other: Tensor | complex) -> Tensor:
        """Where both are equal."""
    def eq_(self, other: Any) -> Tensor:
        """``eq``, written into the tensor itself."""
    def equal(self, other: Tensor) -> builtins.bool:
        """Whether shapes and all elements are equal."""
    def erf(self) -> Tensor:
        """The error function: twice the integral of exp(-t**2) from 0 on, over sqrt(pi)."""
    def erf_(self) -> Tensor:
        """``erf``, written into the tensor itself."""
    def erfc(self) -> Tensor:
        """``1 - erf(x)``, exact also where that is tiny."""
    def erfc_(self) -> Tensor:
        """``erfc``, written into the tensor itself."""
    def erfinv(self) -> Tensor:
        """The inverse of ``erf``."""
    def erfinv_(self) -> Tensor:
        """``erfinv``, written into the tensor itself."""
    def exp(self) -> Tensor:
        """e to the power of each element."""
    def exp2(self) -> Tensor:
        """2 to the power of each element."""
    def exp2_(self) -> Tensor:
        """``exp2``, written into the tensor itself."""
    def exp_(self) -> Tensor:
        """``exp``, written into the tensor itself."""
    def expand(self, *shape: Any, size: Any = None, implicit: builtins.bool = False) -> Tensor:
        """A view with dimensions of size 1 repeated; -1 keeps a size."""
    def expand_as(self, other: Tensor) -> Tensor:
        """``expand`` to another tensor's shape."""
    def expm1(self) -> Tensor:
        """``exp(x) - 1``, exact also for tiny ``x``."""
    def expm1_(self) -> Tensor:
        """``expm1``, written into the tensor itself."""
    def exponential_(self, lambd: Any = 1.0, *, generator: Any = None) -> Tensor:
        """Fill with exponential numbers of rate ``lambd``."""
    def fill_(self, value: Any) -> Tensor:
        """Set every element."""
    def fill_diagonal_(self, fill_value: Any, wrap: builtins.bool = False) -> Tensor:
        """Set the main diagonal; with ``wrap`` that of a tall matrix begins anew after each block."""
    def fix(self) -> Tensor:
        """The whole part of each element: what is behind the point is left out."""
    def fix_(self) -> Tensor:
        """``trunc``, written into the tensor itself."""
    def flatten(self, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
        """Merge a range of dimensions into one."""
    def flip(self, *which: Any, dims: Any = None) -> Tensor:
        """Some dimensions reversed."""
    def fliplr(self) -> Tensor:
        """The columns reversed."""
    def flipud(self) -> Tensor:
        """The rows reversed."""
    def float(self, memory_format: Any = None) -> Tensor:
        """This tensor as torch.float32."""
    def float_power(self, exponent: Any) -> Tensor:
        """The power computed in float64 (complex128)."""
    def float_power_(self, exponent: Any) -> Tensor:
        """``float_power`` in place, for tensors that already have its dtype."""
    def floor(self) -> Tensor:
        """The greatest whole number that is not above each element."""
    def floor_(self) -> Tensor:
        """``floor``, written into the tensor itself."""
    def floor_divide(self, other: Tensor | complex) -> Tensor:
        """The quotient, rounded down."""
    def floor_divide_(self, other: Tensor | complex) -> Tensor:
        """``floor_divide``, written into the tensor itself."""
    def fmax(self, other: Tensor | complex) -> Tensor:
        """The larger of both; where one is NaN, the other."""
    def fmin(self, other: Tensor | complex) -> Tensor:
        """The smaller of both; where one is NaN, the other."""
    def fmod(self, other: Any) -> Tensor:
        """The remainder with the dividend's sign, as C's."""
    def fmod_(self, other: Any) -> Tensor:
        """``fmod``, written into the tensor itself."""
    def frac(self) -> Tensor:
        """What is behind the point, with the element's sign."""
    def frac_(self) -> Tensor:
        """``frac``, written into the tensor itself."""
    def frexp(self) -> return_types.frexp:
        """Mantissas between 0.5 and 1 (or 0) and exponents of two."""
    def gather(self, dim: builtins.int, index: Any, *, sparse_grad: builtins.bool = False) -> Tensor:
        """``out[i][j] = input[index[i][j]][j]``, for dim 0."""
    def gcd(self, other: Tensor | complex) -> Tensor:
        """The greatest common divisor."""
    def gcd_(self, other: Tensor | complex) -> Tensor:
        """``gcd``, written into the tensor itself."""
    def ge(self, other: Tensor | complex) -> Tensor:
        """Where the first is at least the second."""
    def ge_(self, other: Any) -> Tensor:
        """``ge``, written into the tensor itself."""
    def geometric_(self, p: Any, *, generator: Any = None) -> Tensor:
        """Fill with the number of trials until the first success of probability ``p``."""
    def geqrf(self) -> return_types.geqrf:
        """The QR decomposition as LAPACK stores it."""
    def ger(self, vec2: Tensor) -> Tensor:
        """All products of an element of one vector and an element of the other."""
    def greater(self, other: Tensor | complex) -> Tensor:
        """Where the first is above the second."""
    def greater_(self, other: Any) -> Tensor:
        """``greater``, written into the tensor itself."""
    def greater_equal(self, other: Tensor | complex) -> Tensor:
        """Where the first is at least the second."""
    def greater_equal_(self, other: Any) -> Tensor:
        """``greater_equal``, written into the tensor itself."""
    def gt(self, other: Tensor | complex) -> Tensor:
        """Where the first is above the second."""
    def gt_(self, other: Any) -> Tensor:
        """``gt``, written into the tensor itself."""
    def half(self, memory_format: Any = None) -> Tensor:
        """This tensor as torch.float16."""
    def hardshrink(self, lambd: builtins.float = 0.5) -> Tensor:
        """``x``, or 0 within [-lambd, lambd]."""
    def hash_tensor(self, dim: Any = ..., *, keepdim: builtins.bool = False, mode: builtins.int = 0) -> Tensor:
        """The bits of all elements, each as 64 of them, combined by exclusive or."""
    def heaviside(self, values: Tensor | complex) -> Tensor:
        """0 below 0, 1 above, and at 0 what the second says."""
    def heaviside_(self, values: Tensor | complex) -> Tensor:
        """``heaviside``, written into the tensor itself."""
    def histc(self, bins: builtins.int = 100, min: builtins.float = 0, max: builtins.float = 0) -> Tensor:
        """How many elements fall into each of ``bins`` equal parts of [min, max] (of what there is, if both are equal)."""
    def histogram(self, bins: Any, *, range: Any = None, weight: Tensor | None = None, density: builtins.bool = False) -> return_types.histogram:
        """How many elements (or how much weight) fall into each bin, and the bins' edges."""
    def hsplit(self, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
        """Views of parts side by side."""
    def hypot(self, other: Tensor | complex) -> Tensor:
        """The length of the hypotenuse over two legs: ``sqrt(x**2 + y**2)``."""
    def hypot_(self, other: Tensor | complex) -> Tensor:
        """``hypot``, written into the tensor itself."""
    def i0(self) -> Tensor:
        """The modified Bessel function of the first kind, of order 0."""
    def i0_(self) -> Tensor:
        """``i0``, written into the tensor itself."""
    def igamma(self, other: Tensor | complex) -> Tensor:
        """The lower incomplete gamma function of ``input`` up to ``other``, divided by the complete one."""
    def igamma_(self, other: Tensor | complex) -> Tensor:
        """``igamma``, written into the tensor itself."""
    def igammac(self, other: Tensor | complex) -> Tensor:
        """``1 - igamma``."""
    def igammac_(self, other: Tensor | complex) -> Tensor:
        """``igammac``, written into the tensor itself."""
    @property
    def imag(self) -> Tensor: ...
    @imag.setter
    def imag(self, value: Any) -> None: ...
    def index_add(self, dim: builtins.int, index: Any, source: Any, *, alpha: Any = 1) -> Tensor:
        """A copy with slices of ``source``, times ``alpha``, added to the slices along ``dim`` that ``index`` names."""
    def index_add_(self, dim: builtins.int, index: Any, source: Any, *, alpha: Any = 1) -> Tensor:
        """``index_add`` in place."""
    def index_copy(self, dim: builtins.int, index: Any, source: Any) -> Tensor:
        """A copy with slices of ``source`` in place of the slices along ``dim`` that ``index`` names."""
    def index_copy_(self, dim: builtins.int, index: Any, source: Any) -> Tensor:
        """``index_copy`` in place."""
    def index_fill(self, dim: builtins.int, index: Any, value: Any) -> Tensor:
        """A copy with a number in all slices along ``dim`` that ``index`` names."""
    def index_fill_(self, dim: builtins.int, index: Any, value: Any) -> Tensor:
        """``index_fill`` in place."""
    def index_put(self, indices: Any, values: Any, accumulate: builtins.bool = False) -> Tensor:
        """A copy with ``values`` written, or added, to the places that the tensors ``indices`` give."""
    def index_put_(self, indices: Any, values: Any, accumulate: builtins.bool = False) -> Tensor:
        """``index_put`` in place."""
    def index_reduce(self, dim: builtins.int, index: Any, source: Any, reduce: str, *, include_self: builtins.bool = True) -> Tensor:
        """A copy whose slices along ``dim`` that ``index`` names are reduced with slices of ``source``."""
    def index_reduce_(self, dim: builtins.int, index: Any, source: Any, reduce: str, *, include_self: builtins.bool = True) -> Tensor:
        """``index_reduce`` in place."""
    def index_select(self, dim: builtins.int, index: Any) -> Tensor:
        """The slices along ``dim`` that ``index`` names, in its order."""
    def indices(self, *args: Any) -> Any:
        """For sparse tensors only."""
    def inner(self, other: Tensor) -> Tensor:
        """Sums of products over the last dimension of both."""
    def int(self, memory_format: Any = None) -> Tensor:
        """This tensor as torch.int32."""
    def inverse(self) -> Tensor:
        """The inverse of square matrices."""
    def is_coalesced(self, *args: Any) -> Any:
        """For sparse tensors only."""
    def is_distributed(self) -> builtins.bool:
        """Whether it is spread over several processes; never."""
    def is_nonzero(self) -> builtins.bool:
        """Whether the only element is not zero."""
    def is_set_to(self, tensor: Tensor) -> builtins.bool:
        """Whether two tensors are the same view of the same storage."""
    def isclose(self, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> Tensor:
        """Elementwise ``|input - other| <= atol + rtol * |other|``."""
    def isfinite(self) -> Tensor:
        """Where elements are neither infinite nor NaN."""
    def isinf(self) -> Tensor:
        """Where elements are infinite."""
    def isnan(self) -> Tensor:
        """Where elements are NaN."""
    def isneginf(self) -> Tensor:
        """Where elements are minus infinity."""
    def isposinf(self) -> Tensor:
        """Where elements are plus infinity."""
    def isreal(self) -> Tensor:
        """Where elements have no imaginary part."""
    def istft(self, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True, normalized: builtins.bool = False, onesided: builtins.bool | None = None, length: builtins.int | None = None, return_complex: builtins.bool = False) -> Tensor:
        """The signal that ``stft`` was given: windows added up, divided by the sum of the squared windows."""
    def item(self) -> Any:
        """The only element, as a Python number."""
    def kron(self, other: Tensor) -> Tensor:
        """The Kronecker product."""
    def kthvalue(self, k: Any, dim: builtins.int = -1, keepdim: builtins.bool = False) -> return_types.kthvalue:
        """The ``k``-th least element along ``dim``, as (value, index)."""
    def lcm(self, other: Tensor | complex) -> Tensor:
        """The least common multiple."""
    def lcm_(self, other: Tensor | complex) -> Tensor:
        """``lcm``, written into the tensor itself."""
    def ldexp(self, other: Tensor | complex) -> Tensor:
        """``input`` times 2 to the power ``other``."""
    def ldexp_(self, other: Tensor | complex) -> Tensor:
        """``ldexp``, written into the tensor itself."""
    def le(self, other: Tensor | complex) -> Tensor:
        """Where the first is at most the second."""
    def le_(self, other: Any) -> Tensor:
        """``le``, written into the tensor itself."""
    def lerp(self, end: Tensor, weight: Any) -> Tensor:
        """``input + weight * (end - input)``."""
    def lerp_(self, end: Any, weight: Any) -> Tensor:
        """``lerp``, written into the tensor itself."""
    def less(self, other: Tensor | complex) -> Tensor:
        """Where the first is below the second."""
    def less_(self, other: Any) -> Tensor:
        """``less``, written into the tensor itself."""
    def less_equal(self, other: Tensor | complex) -> Tensor:
        """Where the first is at most the second."""
    def less_equal_(self, other: Any) -> Tensor:
        """``less_equal``, written into the tensor itself."""
    def lgamma(self) -> Tensor:
        """The logarithm of the gamma function's absolute value."""
    def lgamma_(self) -> Tensor:
        """``lgamma``, written into the tensor itself."""
    def log(self) -> Tensor:
        """The natural logarithm; NaN below 0."""
    def log10(self) -> Tensor:
        """The logarithm to the base 10."""
    def log10_(self) -> Tensor:
        """``log10``, written into the tensor itself."""
    def log1p(self) -> Tensor:
        """``log(1 + x)``, exact also for tiny ``x``."""
    def log1p_(self) -> Tensor:
        """``log1p``, written into the tensor itself."""
    def log2(self) -> Tensor:
        """The logarithm to the base 2."""
    def log2_(self) -> Tensor:
        """``log2``, written into the tensor itself."""
    def log_(self) -> Tensor:
        """``log``, written into the tensor itself."""
    def log_normal_(self, mean: Any = 1.0, std: Any = 2.0, *, generator: Any = None) -> Tensor:
        """Fill with numbers whose logarithm is normal."""
    def log_softmax(self, dim: builtins.int, dtype: Any = None) -> Tensor:
        """The logarithm of ``softmax``, without overflow."""
    def logaddexp(self, other: Tensor | complex) -> Tensor:
        """``log(exp(x) + exp(y))``, without overflow."""
    def logaddexp2(self, other: Tensor | complex) -> Tensor:
        """``log2(2**x + 2**y)``, without overflow."""
    def logcumsumexp(self, dim: builtins.int) -> Tensor:
        """Logarithms of the sums of exponentials up to each element."""
    def logdet(self) -> Tensor:
        """The logarithm of the determinant; nan if that is negative."""
    def logical_and(self, other: Tensor | complex) -> Tensor:
        """Where both are not 0."""
    def logical_and_(self, other: Tensor | complex) -> Tensor:
        """``logical_and``, written into the tensor itself."""
    def logical_not(self) -> Tensor:
        """Where elements are 0."""
    def logical_not_(self) -> Tensor:
        """``logical_not``, written into the tensor itself."""
    def logical_or(self, other: Tensor | complex) -> Tensor:
        """Where at least one is not 0."""
    def logical_or_(self, other: Tensor | complex) -> Tensor:
        """``logical_or``, written into the tensor itself."""
    def logical_xor(self, other: Tensor | complex) -> Tensor:
        """Where exactly one is not 0."""
    def logical_xor_(self, other: Tensor | complex) -> Tensor:
        """``logical_xor``, written into the tensor itself."""
    def logit(self, eps: builtins.float | None = None) -> Tensor:
        """``log(x / (1 - x))``; with ``eps``, of x clamped to [eps, 1 - eps]."""
    def logit_(self, eps: builtins.float | None = None) -> Tensor:
        """``logit``, written into the tensor itself."""
    def logsumexp(self, dim: Any, keepdim: builtins.bool = False) -> Tensor:
        """The logarithm of the sum of exponentials, without overflow."""
    def long(self, memory_format: Any = None) -> Tensor:
        """This tensor as torch.int64."""
    def lstsq(self, *args: Any, **kwargs: Any) -> Any:
        """It was removed; there is ``linalg.lstsq``."""
    def lt(self, other: Tensor | complex) -> Tensor:
        """Where the first is below the second."""
    def lt_(self, other: Any) -> Tensor:
        """``lt``, written into the tensor itself."""
    def lu(self, pivot: builtins.bool = True, get_infos: builtins.bool = False, out: Any = None) -> Any:
        """``linalg.lu_factor`` under its old name."""
    def lu_solve(self, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
        """``linalg.lu_solve`` under its old name and with its arguments reversed."""
    @property
    def mH(self) -> Tensor: ...
    @mH.setter
    def mH(self, value: Any) -> None: ...
    @property
    def mT(self) -> Tensor: ...
    @mT.setter
    def mT(self, value: Any) -> None: ...
    def map2_(self, x: Tensor, y: Tensor, callable: Any) -> Tensor:
        """Replace each element by what a Python function makes of it and of two other tensors'. Slow."""
    def map_(self, tensor: Tensor, callable: Any) -> Tensor:
        """Replace each element by what a Python function makes of it and another tensor's. Slow."""
    def masked_fill(self, mask: Any, value: Any) -> Tensor:
        """A copy with a number wherever ``mask`` is True."""
    def masked_fill_(self, mask: Any, value: Any) -> Tensor:
        """``masked_fill`` in place."""
    def masked_scatter(self, mask: Any, source: Any) -> Tensor:
        """A copy with elements of ``source``, in order, where ``mask`` is True."""
    def masked_scatter_(self, mask: Any, source: Any) -> Tensor:
        """``masked_scatter`` in place."""
    def masked_select(self, mask: Any) -> Tensor:
        """The elements where ``mask`` is True, as a vector."""
    def matmul(self, other: Any) -> Tensor:
        """The matrix product, by PyTorch's rules for vectors, matrices and batches."""
    def matrix_exp(self) -> Tensor:
        """The exponential series of square matrices."""
    def matrix_power(self, n: builtins.int) -> Tensor:
        """A square matrix multiplied with itself; for a negative ``n``, its inverse."""
    @overload
    def max(self, *, out: Tensor | None = None) -> Tensor: ...
    @overload
    def max(self, dim: builtins.int, keepdim: builtins.bool = False, *, out: Any = None) -> return_types.max: ...
    @overload
    def max(self, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
    def maximum(self, other: Tensor | complex) -> Tensor:
        """The larger of both; NaN where one is NaN. Equal ones share the gradient."""
    def mean(self, dim: Any = ..., keepdim: builtins.bool = ..., *, dtype: Any = None) -> Tensor:
        """The mean of all elements, or along ``dim``."""
    @overload
    def median(self, *, out: Tensor | None = None) -> Tensor: ...
    @overload
    def median(self, dim: builtins.int, keepdim: builtins.bool = False, *, out: Any = None) -> return_types.median: ...
    @overload
    def min(self, *, out: Tensor | None = None) -> Tensor: ...
    @overload
    def min(self, dim: builtins.int, keepdim: builtins.bool = False, *, out: Any = None) -> return_types.min: ...
    @overload
    def min(self, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
    def minimum(self, other: Tensor | complex) -> Tensor:
        """The smaller of both; NaN where one is NaN. Equal ones share the gradient."""
    def mm(self, mat2: Tensor) -> Tensor:
        """The product of two matrices."""
    def mode(self, dim: builtins.int = -1, keepdim: builtins.bool = False) -> return_types.mode:
        """The most frequent value along ``dim`` (the least of several), and its last place."""
    def module_load(self, other: Tensor, assign: builtins.bool = False) -> Tensor:
        """What takes this tensor's place in a module when ``other`` is loaded: itself with other values, or ``other``."""
    def moveaxis(self, source: Any, destination: Any) -> Tensor:
        """A view with some dimensions moved to other places."""
    def movedim(self, source: Any, destination: Any) -> Tensor:
        """A view with some dimensions moved to other places."""
    def msort(self) -> Tensor:
        """Sorted along the first dimension."""
    def mul(self, other: Tensor | complex) -> Tensor:
        """The product."""
    def mul_(self, other: Tensor | complex) -> Tensor:
        """``mul``, written into the tensor itself."""
    def multinomial(self, num_samples: builtins.int, replacement: builtins.bool = False, *, generator: Any = None) -> Tensor:
        """Indices drawn with the weights of each row."""
    def multiply(self, other: Tensor | complex) -> Tensor:
        """The product."""
    def multiply_(self, other: Tensor | complex) -> Tensor:
        """``mul``, written into the tensor itself."""
    def mv(self, vec: Tensor) -> Tensor:
        """The product of a matrix and a vector."""
    def mvlgamma(self, p: builtins.int) -> Tensor:
        """The logarithm of the multivariate gamma function."""
    def mvlgamma_(self, p: Any) -> Tensor:
        """``mvlgamma``, written into the tensor itself."""
    def nan_to_num(self, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
        """NaN and the infinities replaced; by 0 and the greatest and least finite values unless given."""
    def nan_to_num_(self, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
        """``nan_to_num``, written into the tensor itself."""
    def nanmean(self, dim: Any = None, keepdim: builtins.bool = False, *, dtype: Any = None) -> Tensor:
        """The mean of the elements that are no NaN."""
    @overload
    def nanmedian(self, *, out: Tensor | None = None) -> Tensor: ...
    @overload
    def nanmedian(self, dim: builtins.int, keepdim: builtins.bool = False, *, out: Any = None) -> return_types.nanmedian: ...
    def nanquantile(self, q: Any, dim: Any = None, keepdim: builtins.bool = False, *, interpolation: str = 'linear') -> Tensor:
        """``quantile`` of what is no NaN."""
    def nansum(self, dim: Any = None, keepdim: builtins.bool = False, *, dtype: Any = None) -> Tensor:
        """The sum with NaN counted as 0."""
    def narrow(self, dim: builtins.int, start: Any, length: builtins.int) -> Tensor:
        """A view of ``length`` elements of a dimension, from ``start`` on."""
    def narrow_copy(self, dim: builtins.int, start: Any, length: builtins.int) -> Tensor:
        """A copy of ``length`` elements of a dimension, from ``start`` on."""
    def ne(self, other: Tensor | complex) -> Tensor:
        """Where both differ."""
    def ne_(self, other: Any) -> Tensor:
        """``ne``, written into the tensor itself."""
    def neg(self) -> Tensor:
        """Each element with the other sign."""
    def neg_(self) -> Tensor:
        """``neg``, written into the tensor itself."""
    def negative(self) -> Tensor:
        """Each element with the other sign."""
    def negative_(self) -> Tensor:
        """``neg``, written into the tensor itself."""
    def new(self, *args: Any, **kwargs: Any) -> Tensor:
        """The legacy constructor of this tensor's type."""
    def new_empty(self, *size: Any, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, **named: Any) -> Tensor:
        """An unset tensor of this one's dtype and device."""
    def new_empty_strided(self, size: Any, stride: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
        """An unset tensor with strides of one's own, in this tensor's dtype and device."""
    def new_full(self, size: Any, fill_value: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
        """One value everywhere, in this tensor's dtype and device."""
    def new_ones(self, *size: Any, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, **named: Any) -> Tensor:
        """Ones of this tensor's dtype and device."""
    def new_tensor(self, data: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
        """A copy of ``data`` in this tensor's dtype and device."""
    def new_zeros(self, *size: Any, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, **named: Any) -> Tensor:
        """Zeros of this tensor's dtype and device."""
    def nextafter(self, other: Tensor | complex) -> Tensor:
        """The next number that the dtype has, towards ``other``."""
    def nextafter_(self, other: Tensor | complex) -> Tensor:
        """``nextafter``, written into the tensor itself."""
    def nonzero(self, *, as_tuple: builtins.bool = False, out: Any = None) -> Tensor:
        """The places of all elements that are not zero: a row each, or a tuple of a vector per dimension."""
    def nonzero_static(self, *, size: builtins.int, fill_value: builtins.int = -1) -> Tensor:
        """The first ``size`` rows of ``nonzero``, filled up with ``fill_value``."""
    def norm(self, p: Any = 'fro', dim: Any = None, keepdim: builtins.bool = False, out: Any = None, dtype: Any = None) -> Tensor:
        """The norm of all elements, or along ``dim``; ``p`` as in ``linalg.vector_norm``."""
    def normal_(self, mean: Any = 0.0, std: Any = 1.0, *, generator: Any = None) -> Tensor:
        """Fill with normal numbers."""
    def not_equal(self, other: Tensor | complex) -> Tensor:
        """Where both differ."""
    def not_equal_(self, other: Any) -> Tensor:
        """``not_equal``, written into the tensor itself."""
    def numpy(self, *, force: builtins.bool = False) -> Any:
        """An ndarray over the same memory. ``force`` detaches and resolves, where memory cannot be shared."""
    def orgqr(self, input2: Tensor) -> Tensor:
        """``linalg.householder_product`` under its old name."""
    def ormqr(self, input2: Tensor, input3: Tensor, left: builtins.bool = True, transpose: builtins.bool = False) -> Tensor:
        """A product of reflections times a matrix."""
    def outer(self, vec2: Tensor) -> Tensor:
        """All products of an element of one vector and an element of the other."""
    def permute(self, *order: Any, dims: Any = None) -> Tensor:
        """A view with the dimensions in the given order."""
    def pin_memory(self, device: Any = None) -> Tensor:
        """Raises, as PyTorch does without an accelerator."""
    def pinverse(self, rcond: builtins.float = 1e-15) -> Tensor:
        """``linalg.pinv`` under its old name."""
    def polygamma(self, n: Any) -> Any:
        """The n-th derivative of digamma at each element."""
    def polygamma_(self, n: builtins.int) -> Tensor:
        """``polygamma``, written into the tensor itself."""
    def positive(self) -> Tensor:
        """The tensor itself."""
    def pow(self, exponent: Any) -> Tensor:
        """``input`` to the power ``exponent``; either may be a number."""
    def pow_(self, exponent: Any) -> Tensor:
        """``pow``, written into the tensor itself."""
    def prelu(self, weight: Tensor) -> Tensor:
        """``x`` if positive, else ``weight * x``; one weight, or one per channel."""
    def prod(self, dim: Any = ..., keepdim: builtins.bool = False, *, dtype: Any = None) -> Tensor:
        """The product of all elements, or along ``dim``. Integers are multiplied in int64."""
    def put(self, index: Any, source: Any, accumulate: builtins.bool = False) -> Tensor:
        """A copy with elements of ``source`` written, or added, to places of the flattened tensor."""
    def put_(self, index: Any, source: Any, accumulate: builtins.bool = False) -> Tensor:
        """``put`` in place."""
    def qr(self, some: builtins.bool = True) -> Any:
        """``linalg.qr`` under its old name."""
    def quantile(self, q: Any, dim: Any = None, keepdim: builtins.bool = False, *, interpolation: str = 'linear') -> Tensor:
        """The values below which given shares of the elements lie."""
    def rad2deg(self) -> Tensor:
        """Radians as degrees."""
    def rad2deg_(self) -> Tensor:
        """``rad2deg``, written into the tensor itself."""
    def random_(self, from_: Any = ..., to: Any = ..., *, generator: Any = None, **named: Any) -> Tensor:
        """Fill with integers: all from 0 that the dtype holds, or ``random_(to)``, or ``random_(from, to)``."""
    def ravel(self) -> Tensor:
        """The elements as a vector."""
    @property
    def real(self) -> Tensor: ...
    @real.setter
    def real(self, value: Any) -> None: ...
    def reciprocal(self) -> Tensor:
        """One divided by each element."""
    def reciprocal_(self) -> Tensor:
        """``reciprocal``, written into the tensor itself."""
    def record_stream(self, s: Any) -> None:
        """There are no streams whose work a tensor could outlive."""
    def relu(self) -> Tensor:
        """Each element, or 0 where it is below 0."""
    def relu_(self) -> Tensor:
        """``relu``, written into the tensor itself."""
    def remainder(self, other: Any) -> Tensor:
        """The remainder with the divisor's sign, as Python's ``%``."""
    def remainder_(self, other: Any) -> Tensor:
        """``remainder``, written into the tensor itself."""
    def renorm(self, p: Any, dim: builtins.int, maxnorm: builtins.float) -> Tensor:
        """Slices along ``dim`` whose norm exceeds ``maxnorm`` scaled down to it."""
    def renorm_(self, p: Any, dim: builtins.int, maxnorm: builtins.float) -> Tensor:
        """``renorm`` in place."""
    def repeat(self, *times: Any, repeats: Any = None) -> Tensor:
        """Copies of a tensor beside each other, so many along each dimension."""
    def repeat_interleave(self, repeats: Any = None, dim: builtins.int | None = None, *, output_size: builtins.int | None = None) -> Tensor:
        """Each element (or each index of a dimension) repeated, side by side."""
    def reshape(self, *size: Any, shape: Any = None) -> Tensor:
        """The same elements in another shape: a view if the strides allow it, else a copy."""
    def reshape_as(self, other: Tensor) -> Tensor:
        """``reshape`` to another tensor's shape."""
    def resize(self, *sizes: Any) -> Tensor:
        """A tensor of these sizes, resized with a graph as ``view``."""
    def resize_(self, *size: Any, memory_format: Any = None) -> Tensor:
        """Another shape over the same storage, which grows if need be; new elements are undefined."""
    def resize_as(self, tensor: Tensor) -> Tensor:
        """``resize`` to another tensor's shape."""
    def resize_as_(self, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
        """``resize_`` to another tensor's shape."""
    def resize_as_sparse_(self, *args: Any) -> Tensor:
        """For sparse tensors only."""
    def resolve_conj(self) -> Tensor:
        """The tensor itself, or a copy with conjugates in memory if it is a view that shows them."""
    def resolve_neg(self) -> Tensor:
        """The tensor itself, or a copy with negatives in memory if it is a view that shows them."""
    def roll(self, shifts: Any, dims: Any = ...) -> Tensor:
        """Elements moved along dimensions (or along all of them as one), those that leave come in at the other end."""
    def rot90(self, k: builtins.int = 1, dims: Any = ...) -> Tensor:
        """A plane of two dimensions turned ``k`` times by 90 degrees."""
    def round(self, *, decimals: builtins.int | None = None) -> Tensor:
        """The nearest whole number, halves to the even one; or the nearest with so many decimals."""
    def round_(self, *, decimals: builtins.int | None = None) -> Tensor:
        """``round`` in place."""
    def rsqrt(self) -> Tensor:
        """One divided by the square root."""
    def rsqrt_(self) -> Tensor:
        """``rsqrt``, written into the tensor itself."""
    def scatter(self, dim: builtins.int, index: Any, src: Any = None, *, value: Any = None, reduce: Any = None) -> Tensor:
        """A copy with elements of ``src``, or a number, written to the places that ``index`` names along ``dim``."""
    def scatter_(self, dim: builtins.int, index: Any, src: Any = None, *, value: Any = None, reduce: Any = None) -> Tensor:
        """``scatter`` in place."""
    def scatter_add(self, dim: builtins.int, index: Any, src: Any) -> Tensor:
        """A copy with elements of ``src`` added at the places that ``index`` names along ``dim``."""
    def scatter_add_(self, dim: builtins.int, index: Any, src: Any) -> Tensor:
        """``scatter_add`` in place."""
    def scatter_reduce(self, dim: builtins.int, index: Any, src: Any, reduce: str, *, include_self: builtins.bool = True) -> Tensor:
        """A copy in which each place named by ``index`` is reduced with what ``src`` brings to it."""
    def scatter_reduce_(self, dim: builtins.int, index: Any, src: Any, reduce: str, *, include_self: builtins.bool = True) -> Tensor:
        """``scatter_reduce`` in place."""
    def select(self, dim: builtins.int, index: Any) -> Tensor:
        """A view of one index of a dimension, which disappears."""
    def select_scatter(self, src: Tensor, dim: builtins.int, index: builtins.int) -> Tensor:
        """A copy with one index of a dimension replaced."""
    def set_(self, source: Any = None, storage_offset: builtins.int = 0, size: Any = None, stride: Any = None) -> Tensor:
        """Another tensor's (or storage's) memory in place of this one's."""
    def sgn(self) -> Tensor:
        """Each element divided by its modulus, and 0 for 0; of real numbers the sign."""
    def sgn_(self) -> Tensor:
        """``sgn``, written into the tensor itself."""
    def share_memory_(self) -> Tensor:
        """Move the memory to where other processes see it, with all tensors that share it."""
    def short(self, memory_format: Any = None) -> Tensor:
        """This tensor as torch.int16."""
    def sigmoid(self) -> Tensor:
        """``1 / (1 + exp(-x))``: any number as one between 0 and 1."""
    def sigmoid_(self) -> Tensor:
        """``sigmoid``, written into the tensor itself."""
    def sign(self) -> Tensor:
        """-1, 0 or 1, as an element is below, at or above 0."""
    def sign_(self) -> Tensor:
        """``sign``, written into the tensor itself."""
    def signbit(self) -> Tensor:
        """Where the sign bit is set; that of -0.0 is."""
    def sin(self) -> Tensor:
        """The sine of each element, in radians."""
    def sin_(self) -> Tensor:
        """``sin``, written into the tensor itself."""
    def sinc(self) -> Tensor:
        """``sin(pi * x) / (pi * x)``, and 1 at 0."""
    def sinc_(self) -> Tensor:
        """``sinc``, written into the tensor itself."""
    def sinh(self) -> Tensor:
        """The hyperbolic sine."""
    def sinh_(self) -> Tensor:
        """``sinh``, written into the tensor itself."""
    def slice_scatter(self, src: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1) -> Tensor:
        """A copy with a slice of a dimension replaced."""
    def slogdet(self) -> return_types.slogdet:
        """The sign of the determinant, and the logarithm of its absolute value."""
    def smm(self, mat: Tensor) -> Tensor:
        """The product of a sparse matrix and a dense one, as a sparse one."""
    def softmax(self, dim: builtins.int, dtype: Any = None) -> Tensor:
        """Exponentials scaled to sum to 1 along ``dim``."""
    def solve(self, *args: Any, **kwargs: Any) -> Any:
        """It was removed; there is ``linalg.solve``."""
    def sort(self, dim: builtins.int = -1, descending: builtins.bool = False, *, stable: Any = ...) -> return_types.sort:
        """(values, indices) in ascending order along ``dim``. Equal elements keep their order, asked or not."""
    def sparse_mask(self, mask: Tensor) -> Tensor:
        """The elements at the places of a sparse tensor."""
    def sparse_resize_(self, *args: Any) -> Tensor:
        """For sparse tensors only."""
    def sparse_resize_and_clear_(self, *args: Any) -> Tensor:
        """For sparse tensors only."""
    def split(self, split_size: Any, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """Views of parts of one size, or of the given sizes, along a dimension."""
    def split_with_sizes(self, split_sizes: Any, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """Views of parts of the given sizes along a dimension."""
    def sqrt(self) -> Tensor:
        """The square root; NaN below 0."""
    def sqrt_(self) -> Tensor:
        """``sqrt``, written into the tensor itself."""
    def square(self) -> Tensor:
        """``input ** 2``."""
    def square_(self) -> Tensor:
        """``square``, written into the tensor itself."""
    def squeeze(self, dim: Any = None, *more: Any) -> Tensor:
        """A view without dimensions of size 1."""
    def squeeze_(self, dim: Any = None, *more: Any) -> Tensor:
        """``squeeze`` in place."""
    def sspaddmm(self, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
        """``beta * input + alpha * (mat1 @ mat2)``, all of it sparse but ``mat2``."""
    def std(self, dim: Any = ..., unbiased: Any = ..., keepdim: Any = ..., *, correction: Any = ...) -> Tensor:
        """The standard deviation."""
    def stft(self, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True, pad_mode: str = 'reflect', normalized: builtins.bool = False, onesided: builtins.bool | None = None, return_complex: builtins.bool | None = None, align_to_window: builtins.bool | None = None) -> Tensor:
        """Fourier transforms of windows of a signal (or of several), ``hop_length`` apart: (frequencies, windows)."""
    def storage(self) -> TypedStorage:
        """Deprecated: the storage, by elements."""
    def storage_type(self) -> Any:
        """Deprecated: the class of the storage, by elements."""
    def sub(self, other: Tensor | complex, *, alpha: builtins.float = 1) -> Tensor:
        """The difference; ``other`` is first multiplied by ``alpha`` if that is given."""
    def sub_(self, other: Any, *old: Any, alpha: Any = 1) -> Tensor:
        """``sub``, written into the tensor itself."""
    def subtract(self, other: Tensor | complex, *, alpha: builtins.float = 1) -> Tensor:
        """The difference; ``other`` is first multiplied by ``alpha`` if that is given."""
    def subtract_(self, other: Any, *old: Any, alpha: Any = 1) -> Tensor:
        """``sub``, written into the tensor itself."""
    def sum(self, dim: Any = ..., keepdim: builtins.bool = ..., *, dtype: Any = None) -> Tensor:
        """The sum of all elements, or along ``dim``. Integers are summed in int64."""
    def sum_to_size(self, *shape: Any, size: Any = None) -> Tensor:
        """Sum to a shape that could be broadcast to this tensor's."""
    def svd(self, some: builtins.bool = True, compute_uv: builtins.bool = True) -> return_types.svd:
        """The singular value decomposition: ``input = U @ diag(S) @ V.mH``."""
    def swapaxes(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """``transpose`` under NumPy's name."""
    def swapaxes_(self, axis0: builtins.int, axis1: builtins.int) -> Tensor:
        """``swapaxes`` in place."""
    def swapdims(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """A view with two dimensions exchanged."""
    def swapdims_(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """``transpose`` in place."""
    def symeig(self, *args: Any, **kwargs: Any) -> Any:
        """It was removed; there is ``linalg.eigh``."""
    def t(self) -> Tensor:
        """The transpose of a matrix; vectors and numbers stay as they are."""
    def t_(self) -> Tensor:
        """``t`` in place."""
    def take(self, index: Any) -> Tensor:
        """The elements of the flattened tensor at these places."""
    def take_along_dim(self, indices: Any, dim: builtins.int | None = None) -> Tensor:
        """``gather`` with indices that are broadcast, and taken modulo the size."""
    def tan(self) -> Tensor:
        """The tangent of each element, in radians."""
    def tan_(self) -> Tensor:
        """``tan``, written into the tensor itself."""
    def tanh(self) -> Tensor:
        """The hyperbolic tangent: any number as one between -1 and 1."""
    def tanh_(self) -> Tensor:
        """``tanh``, written into the tensor itself."""
    def tensor_split(self, indices_or_sections: Any = None, dim: builtins.int = 0, *, indices: Any = None, sections: Any = None, tensor_indices_or_sections: Any = None) -> tuple[Tensor, ...]:
        """Views between the given positions along a dimension, or of as many parts of nearly one size."""
    def tile(self, *times: Any, dims: Any = None) -> Tensor:
        """``repeat``, with missing counts in front taken as 1."""
    def to(self, *args: Any, **kwargs: Any) -> Tensor:
        """This tensor with another dtype or on another device; itself if nothing changes."""
    def to_dense(self, dtype: Any = None, *, masked_grad: builtins.bool | None = None) -> Tensor:
        """The same with all zeros written out."""
    def to_sparse(self, sparse_dim: Any = None, *, layout: Any = None, blocksize: Any = None, dense_dim: builtins.int | None = None) -> Tensor:
        """The same as a sparse tensor of all elements that are not 0, or of rows that are not all 0."""
    def to_sparse_coo(self) -> Tensor:
        """``to_sparse`` under a longer name."""
    def tolist(self) -> Any:
        """The values in nested lists; a number for a 0-d tensor."""
    def topk(self, k: Any, dim: builtins.int = -1, largest: builtins.bool = True, sorted: builtins.bool = True) -> return_types.topk:
        """The ``k`` greatest (or least) elements along ``dim``, as (values, indices)."""
    def trace(self) -> Tensor:
        """The sum of the diagonal of a matrix."""
    def transpose(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """A view with two dimensions exchanged."""
    def transpose_(self, dim0: builtins.int, dim1: builtins.int) -> Tensor:
        """``transpose`` in place."""
    def triangular_solve(self, A: Tensor, upper: builtins.bool = True, transpose: builtins.bool = False, unitriangular: builtins.bool = False) -> Any:
        """``linalg.solve_triangular`` under its old name and with its arguments reversed."""
    def tril(self, diagonal: builtins.int = 0) -> Tensor:
        """Zeros above a diagonal."""
    def tril_(self, diagonal: builtins.int = 0) -> Tensor:
        """``tril`` in place."""
    def triu(self, diagonal: builtins.int = 0) -> Tensor:
        """Zeros below a diagonal."""
    def triu_(self, diagonal: builtins.int = 0) -> Tensor:
        """``triu`` in place."""
    def true_divide(self, other: Tensor | complex) -> Tensor:
        """``div`` without a rounding mode."""
    def true_divide_(self, other: Tensor | complex) -> Tensor:
        """``true_divide``, written into the tensor itself."""
    def trunc(self) -> Tensor:
        """The whole part of each element: what is behind the point is left out."""
    def trunc_(self) -> Tensor:
        """``trunc``, written into the tensor itself."""
    def type(self, dtype: Any = None, non_blocking: builtins.bool = False, **_: Any) -> Any:
        """The name of this tensor's type; or, given one, this tensor converted to it."""
    def type_as(self, other: Tensor) -> Tensor:
        """This tensor with the other's dtype."""
    def unbind(self, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """Views of each index of a dimension."""
    def unflatten(self, dim: builtins.int, sizes: Any) -> Tensor:
        """Split one dimension into several."""
    def unfold(self, dimension: builtins.int, size: builtins.int, step: builtins.int) -> Tensor:
        """A view of all windows of ``size`` along a dimension, ``step`` apart, as a new last dimension."""
    def uniform_(self, from_: Any = 0.0, to: Any = 1.0, *, generator: Any = None, **named: Any) -> Tensor:
        """Fill with uniform numbers from [from, to)."""
    def unique(self, sorted: builtins.bool = True, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: Any = None) -> Any:
        """The distinct elements (or slices along ``dim``) in order, where each element went, how many there were."""
    def unique_consecutive(self, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: Any = None) -> Tensor:
        """Without repetitions of the element (or slice) before."""
    def unsafe_chunk(self, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """``chunk`` without the ban on writing to the parts."""
    def unsafe_split(self, split_size: Any, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """``split`` without the ban on writing to the parts."""
    def unsafe_split_with_sizes(self, split_sizes: Any, dim: builtins.int = 0) -> tuple[Tensor, ...]:
        """``split_with_sizes`` without the ban on writing to the parts."""
    def unsqueeze(self, dim: builtins.int) -> Tensor:
        """A view with a new dimension of size 1."""
    def unsqueeze_(self, dim: builtins.int) -> Tensor:
        """``unsqueeze`` in place."""
    def untyped_storage(self) -> UntypedStorage:
        """The memory that this tensor and its views share."""
    def values(self, *args: Any) -> Any:
        """For sparse tensors only."""
    def var(self, dim: Any = ..., unbiased: Any = ..., keepdim: Any = ..., *, correction: Any = ...) -> Tensor:
        """The variance; divided by n - correction, which is 1 unless given."""
    def vdot(self, other: Tensor) -> Tensor:
        """The inner product of two vectors, the first one conjugated."""
    def view(self, *shape: Any, size: Any = None, dtype: Any = None) -> Tensor:
        """The same memory in another shape, or read as another dtype."""
    def view_as(self, other: Tensor) -> Tensor:
        """``view`` to another tensor's shape."""
    @property
    def volatile(self) -> builtins.bool: ...
    @volatile.setter
    def volatile(self, value: Any) -> None: ...
    def vsplit(self, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
        """Views of parts under each other."""
    def where(self, condition: Tensor, other: Any) -> Tensor:
        """This tensor where ``condition``, else ``other``."""
    def xlogy(self, other: Any) -> Tensor:
        """``input * log(other)``, 0 where ``input`` is 0."""
    def xlogy_(self, other: Any) -> Tensor:
        """``xlogy``, written into the tensor itself."""
    def xpu(self, *args: Any, **kwargs: Any) -> Tensor:
        """There is no such device here."""
    def zero_(self) -> Tensor:
        """Set every element to 0."""
