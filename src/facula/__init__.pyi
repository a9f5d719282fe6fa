# Written by python -m tests.stubs.
# ruff: noqa
from collections.abc import Sequence
from facula._core import devices
from facula._core import dtypes
from typing import Any
from typing import final
from typing import overload
import builtins

__all__: list[str]
AnyType: Any
class BFloat16Storage(TypedStorage):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
@final
class BFloat16Tensor(Tensor):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
class BoolStorage(TypedStorage):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
@final
class BoolTensor(Tensor):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
BoolType: Any
class ByteStorage(TypedStorage):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
@final
class ByteTensor(Tensor):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
class CharStorage(TypedStorage):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
@final
class CharTensor(Tensor):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
class ComplexDoubleStorage(TypedStorage):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
class ComplexFloatStorage(TypedStorage):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
ComplexType: Any
DeviceObjType: Any
class DoubleStorage(TypedStorage):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
@final
class DoubleTensor(Tensor):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
from facula._core.device_streams import Event as Event
class FloatStorage(TypedStorage):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
@final
class FloatTensor(Tensor):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
FloatType: Any
from facula.futures import Future as Future
from facula._core.generator import Generator as Generator
from facula.amp.grad_scaler import GradScaler as GradScaler
class HalfStorage(TypedStorage):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
@final
class HalfTensor(Tensor):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
class IntStorage(TypedStorage):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
@final
class IntTensor(Tensor):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
IntType: Any
class LongStorage(TypedStorage):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
@final
class LongTensor(Tensor):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
NoneType: Any
NumberType: Any
OutOfMemoryError: Any
PyObjectType: Any
from facula.serialization._file_reader import PyTorchFileReader as PyTorchFileReader
ScriptFunction: Any
ScriptModule: Any
class ShortStorage(TypedStorage):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
@final
class ShortTensor(Tensor):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
from facula._core.size import Size as Size
class Storage(TypedStorage):
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
from facula._core.storage import StorageBase as StorageBase
from facula._core.device_streams import Stream as Stream
StreamObjType: Any
StringType: Any
SymBool: Any
SymFloat: Any
SymInt: Any
from facula._ops import Tag as Tag
from facula._tensor.tensor import Tensor as Tensor
TensorType: Any
Type: Any
from facula._core.storage import TypedStorage as TypedStorage
from facula._core.storage import UntypedStorage as UntypedStorage
from facula import _C as _C
from facula import _VF as _VF
from facula import __config__ as __config__
__version__: str
def _addmm_activation(self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1, use_gelu: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """``relu`` of ``addmm``, or ``gelu`` of it."""
def _amp_foreach_non_finite_check_and_unscale_(self: Sequence[Tensor], found_inf: Tensor, inv_scale: Tensor) -> None:
    """Multiply gradients by ``inv_scale`` in place; ``found_inf`` becomes 1 if one of them was not finite."""
def _amp_update_scale_(self: Tensor, growth_tracker: Tensor, found_inf: Tensor, scale_growth_factor: builtins.float, scale_backoff_factor: builtins.float, growth_interval: builtins.int) -> Tensor:
    """Shrink a scale if a gradient was not finite, or let it grow after ``growth_interval`` good steps."""
from facula._assertions import _assert as _assert
from facula._assertions import _assert_async as _assert_async
from facula._assertions import _assert_tensor_metadata as _assert_tensor_metadata
from facula._assertions import _check as _check
from facula._assertions import _check_index as _check_index
from facula._assertions import _check_is_size as _check_is_size
from facula._assertions import _check_not_implemented as _check_not_implemented
from facula._assertions import _check_tensor_all as _check_tensor_all
from facula._assertions import _check_type as _check_type
from facula._assertions import _check_value as _check_value
from facula._assertions import _check_with as _check_with
def _chunk_cat(tensors: Any, dim: builtins.int, num_chunks: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """Each tensor, filled up with zeros, as ``num_chunks`` rows; the rows of all of them joined."""
def _conj(input: Tensor) -> Tensor:
    """A view that shows conjugates."""
def _conj_physical(input: Tensor) -> Tensor:
    """The complex conjugate; a real tensor is returned as it is."""
from facula import _custom_ops as _custom_ops
def _dirichlet_grad(x: Tensor, alpha: Tensor, total: Tensor) -> Tensor:
    """The part of a Dirichlet sample's derivative that belongs to one component."""
from facula.compiler import _disable_dynamo as _disable_dynamo
from facula import _dynamo as _dynamo
def _foreach_abs(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_abs_(self: Any) -> Tensor:
    """``_foreach_abs``, written into the tensor itself."""
def _foreach_acos(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_acos_(self: Any) -> Tensor:
    """``_foreach_acos``, written into the tensor itself."""
def _foreach_add(*args: Any, **named: Any) -> Any:
    ...
def _foreach_add_(*args: Any, **named: Any) -> Tensor:
    """``_foreach_add``, written into the tensor itself."""
def _foreach_addcdiv(self: Any, tensor1: Any, tensor2: Any, scalars: Any = None, *, value: Any = 1) -> tuple[Tensor, ...]:
    ...
def _foreach_addcdiv_(self: Any, tensor1: Any, tensor2: Any, scalars: Any = None, *, value: Any = 1) -> Tensor:
    """``_foreach_addcdiv``, written into the tensor itself."""
def _foreach_addcmul(self: Any, tensor1: Any, tensor2: Any, scalars: Any = None, *, value: Any = 1) -> tuple[Tensor, ...]:
    ...
def _foreach_addcmul_(self: Any, tensor1: Any, tensor2: Any, scalars: Any = None, *, value: Any = 1) -> Tensor:
    """``_foreach_addcmul``, written into the tensor itself."""
def _foreach_asin(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_asin_(self: Any) -> Tensor:
    """``_foreach_asin``, written into the tensor itself."""
def _foreach_atan(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_atan_(self: Any) -> Tensor:
    """``_foreach_atan``, written into the tensor itself."""
def _foreach_ceil(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_ceil_(self: Any) -> Tensor:
    """``_foreach_ceil``, written into the tensor itself."""
def _foreach_clamp_max(*args: Any, **named: Any) -> Any:
    ...
def _foreach_clamp_max_(*args: Any, **named: Any) -> Tensor:
    """``_foreach_clamp_max``, written into the tensor itself."""
def _foreach_clamp_min(*args: Any, **named: Any) -> Any:
    ...
def _foreach_clamp_min_(*args: Any, **named: Any) -> Tensor:
    """``_foreach_clamp_min``, written into the tensor itself."""
def _foreach_clone(self: Any, memory_format: Any = None) -> tuple[Tensor, ...]:
    ...
def _foreach_copy_(self: Any, src: Any, non_blocking: builtins.bool = False) -> Tensor:
    """``_foreach_copy``, written into the tensor itself."""
def _foreach_cos(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_cos_(self: Any) -> Tensor:
    """``_foreach_cos``, written into the tensor itself."""
def _foreach_cosh(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_cosh_(self: Any) -> Tensor:
    """``_foreach_cosh``, written into the tensor itself."""
def _foreach_div(*args: Any, **named: Any) -> Any:
    ...
def _foreach_div_(*args: Any, **named: Any) -> Tensor:
    """``_foreach_div``, written into the tensor itself."""
def _foreach_erf(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_erf_(self: Any) -> Tensor:
    """``_foreach_erf``, written into the tensor itself."""
def _foreach_erfc(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_erfc_(self: Any) -> Tensor:
    """``_foreach_erfc``, written into the tensor itself."""
def _foreach_exp(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_exp_(self: Any) -> Tensor:
    """``_foreach_exp``, written into the tensor itself."""
def _foreach_expm1(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_expm1_(self: Any) -> Tensor:
    """``_foreach_expm1``, written into the tensor itself."""
def _foreach_floor(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_floor_(self: Any) -> Tensor:
    """``_foreach_floor``, written into the tensor itself."""
def _foreach_frac(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_frac_(self: Any) -> Tensor:
    """``_foreach_frac``, written into the tensor itself."""
def _foreach_lerp(*args: Any, **named: Any) -> Any:
    ...
def _foreach_lerp_(*args: Any, **named: Any) -> Tensor:
    """``_foreach_lerp``, written into the tensor itself."""
def _foreach_lgamma(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_lgamma_(self: Any) -> Tensor:
    """``_foreach_lgamma``, written into the tensor itself."""
def _foreach_log(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_log10(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_log10_(self: Any) -> Tensor:
    """``_foreach_log10``, written into the tensor itself."""
def _foreach_log1p(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_log1p_(self: Any) -> Tensor:
    """``_foreach_log1p``, written into the tensor itself."""
def _foreach_log2(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_log2_(self: Any) -> Tensor:
    """``_foreach_log2``, written into the tensor itself."""
def _foreach_log_(self: Any) -> Tensor:
    """``_foreach_log``, written into the tensor itself."""
def _foreach_max(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_maximum(*args: Any, **named: Any) -> Any:
    ...
def _foreach_maximum_(*args: Any, **named: Any) -> Tensor:
    """``_foreach_maximum``, written into the tensor itself."""
def _foreach_minimum(*args: Any, **named: Any) -> Any:
    ...
def _foreach_minimum_(*args: Any, **named: Any) -> Tensor:
    """``_foreach_minimum``, written into the tensor itself."""
def _foreach_mm(self: Any, mat2: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_mul(*args: Any, **named: Any) -> Any:
    ...
def _foreach_mul_(*args: Any, **named: Any) -> Tensor:
    """``_foreach_mul``, written into the tensor itself."""
def _foreach_neg(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_neg_(self: Any) -> Tensor:
    """``_foreach_neg``, written into the tensor itself."""
def _foreach_norm(self: Any, ord: Any = 2, dtype: Any = None) -> tuple[Tensor, ...]:
    ...
def _foreach_pow(*args: Any, **named: Any) -> Any:
    ...
def _foreach_pow_(*args: Any, **named: Any) -> Tensor:
    """``_foreach_pow``, written into the tensor itself."""
def _foreach_powsum(self: Any, ord: Any = 2, dtype: Any = None) -> tuple[Tensor, ...]:
    ...
def _foreach_reciprocal(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_reciprocal_(self: Any) -> Tensor:
    """``_foreach_reciprocal``, written into the tensor itself."""
def _foreach_round(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_round_(self: Any) -> Tensor:
    """``_foreach_round``, written into the tensor itself."""
def _foreach_rsqrt(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_rsqrt_(self: Any) -> Tensor:
    """``_foreach_rsqrt``, written into the tensor itself."""
def _foreach_sigmoid(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_sigmoid_(self: Any) -> Tensor:
    """``_foreach_sigmoid``, written into the tensor itself."""
def _foreach_sign(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_sign_(self: Any) -> Tensor:
    """``_foreach_sign``, written into the tensor itself."""
def _foreach_sin(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_sin_(self: Any) -> Tensor:
    """``_foreach_sin``, written into the tensor itself."""
def _foreach_sinh(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_sinh_(self: Any) -> Tensor:
    """``_foreach_sinh``, written into the tensor itself."""
def _foreach_sqrt(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_sqrt_(self: Any) -> Tensor:
    """``_foreach_sqrt``, written into the tensor itself."""
def _foreach_sub(*args: Any, **named: Any) -> Any:
    ...
def _foreach_sub_(*args: Any, **named: Any) -> Tensor:
    """``_foreach_sub``, written into the tensor itself."""
def _foreach_tan(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_tan_(self: Any) -> Tensor:
    """``_foreach_tan``, written into the tensor itself."""
def _foreach_tanh(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_tanh_(self: Any) -> Tensor:
    """``_foreach_tanh``, written into the tensor itself."""
def _foreach_trunc(self: Any) -> tuple[Tensor, ...]:
    ...
def _foreach_trunc_(self: Any) -> Tensor:
    """``_foreach_trunc``, written into the tensor itself."""
def _foreach_zero_(self: Any) -> Tensor:
    """``_foreach_zero``, written into the tensor itself."""
from facula import _functorch as _functorch
def _grid_sampler_2d_cpu_fallback(input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: builtins.int, align_corners: builtins.bool) -> Tensor:
    """``grid_sampler_2d`` under the name of PyTorch's unvectorized kernel."""
_guards: Any
from facula import _higher_order_ops as _higher_order_ops
def _int_mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices of bytes, in int32."""
def _is_all_true(self: Tensor) -> Tensor:
    """Whether all of these truths hold; inside vmap, for all items."""
def _is_any_true(self: Tensor) -> Tensor:
    """Whether one of these truths holds; inside vmap, for one item."""
from facula import _jit_internal as _jit_internal
from facula import _lobpcg as _lobpcg
def _log_softmax(input: Tensor, dim: builtins.int, half_to_float: builtins.bool, *, out: Tensor | None = None) -> Tensor:
    """``log_softmax`` without a dtype."""
def _log_softmax_backward_data(grad_output: Tensor, output: Tensor, dim: builtins.int, input_dtype: Any, *, out: Tensor | None = None) -> Tensor:
    """The gradient of log_softmax's input, from that of its output."""
from facula import _logging as _logging
def _masked_softmax(input: Tensor, mask: Tensor, dim: builtins.int | None = None, mask_type: builtins.int | None = None) -> Tensor:
    """Softmax without what is masked; ``mask_type`` says whose mask it is: 0 of sources, 1 of keys, 2 of all."""
_mkldnn: layout
def _native_batch_norm_legit(input: Tensor, weight: Tensor | None, bias: Tensor | None, *rest: Any, out: Any = None, **named: Any) -> Any:
    """(normalized, mean, 1 / deviation) of each channel, with or without running statistics to move."""
def _neg_view(input: Tensor) -> Tensor:
    """A view that shows negatives."""
from facula._core.settings import _nnpack_available as _nnpack_available
from facula import _ops as _ops
def _pack_padded_sequence(input: Tensor, lengths: Tensor, batch_first: builtins.bool) -> tuple[Tensor, Tensor]:
    """(rows of all steps, number of sequences in each step), for lengths in decreasing order."""
def _pad_packed_sequence(data: Tensor, batch_sizes: Tensor, batch_first: builtins.bool, padding_value: builtins.float, total_length: builtins.int = -1) -> tuple[Tensor, Tensor]:
    """(a tensor with padding, the lengths of sequences)."""
def _sample_dirichlet(input: Tensor, generator: Any = None) -> Tensor:
    """A sample of the Dirichlet distribution for each vector of concentrations."""
def _segment_reduce(data: Tensor, reduce: str, *, lengths: Tensor | None = None, indices: Any = None, offsets: Tensor | None = None, axis: builtins.int = 0, unsafe: builtins.bool = False, initial: Any = None) -> Tensor:
    """The sum, mean, product, maximum or minimum of consecutive parts along a dimension."""
def _softmax(input: Tensor, dim: builtins.int, half_to_float: builtins.bool, *, out: Tensor | None = None) -> Tensor:
    """``softmax`` without a dtype; the conversion that it knows is one of CUDA's."""
def _softmax_backward_data(grad_output: Tensor, output: Tensor, dim: builtins.int, input_dtype: Any, *, out: Tensor | None = None) -> Tensor:
    """The gradient of softmax's input, from that of its output."""
def _sparse_addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1.0, alpha: Any = 1.0) -> Tensor:
    """``beta * mat + alpha * (mat1 @ mat2)`` for a sparse ``mat1``."""
def _sparse_coo_tensor_unsafe(indices: Tensor, values: Tensor, size: Any, **options: Any) -> Tensor:
    """``sparse_coo_tensor`` without a look at the places."""
def _sparse_log_softmax(input: Tensor, dim: builtins.int, dtype: Any = None) -> Tensor:
    """The logarithm of ``sparse_softmax``."""
def _sparse_mm(sparse: Tensor, dense: Tensor) -> Tensor:
    """The product of matrices of which one is sparse, or both."""
def _sparse_softmax(input: Tensor, dim: builtins.int, dtype: Any = None) -> Tensor:
    """softmax along a dimension, of the values that are there: all others count as minus infinity."""
def _sparse_sum(input: Tensor, dim: Any = None, dtype: Any = None) -> Tensor:
    """The sum of a sparse tensor: of all elements, or along ``dim``, where the result is sparse again."""
def _spdiags(diagonals: Tensor, offsets: Tensor, shape: Any, layout: Any = None) -> Tensor:
    """A sparse matrix of diagonals, which are rows."""
def _standard_gamma(input: Tensor, generator: Any = None) -> Tensor:
    """A sample of the gamma distribution of rate 1 for each shape parameter."""
def _standard_gamma_grad(input: Tensor, output: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    ...
_subclasses: Any
from facula import _tensor_str as _tensor_str
def _unique(input: Tensor, sorted: builtins.bool = True, return_inverse: builtins.bool = False) -> tuple[Tensor, Tensor]:
    """The different elements, and, if asked for, which of them each element is."""
def _unique2(input: Tensor, sorted: builtins.bool = True, return_inverse: builtins.bool = False, return_counts: builtins.bool = False) -> tuple[Tensor, Tensor, Tensor]:
    """The different elements, and, if asked for, which of them each element is, and how often each is there."""
def _unsafe_index(input: Tensor, indices: Any) -> Tensor:
    """``input[indices]``."""
def _unsafe_masked_index(input: Tensor, mask: Tensor, indices: Any, fill: Any) -> Tensor:
    """``input[indices]`` where the mask is True, a number elsewhere."""
def _unsafe_masked_index_put_accumulate(input: Tensor, mask: Tensor, indices: Any, values: Tensor) -> Tensor:
    """A copy with values added at the places of an index where the mask is True."""
from facula import _utils as _utils
def _validate_sparse_coo_tensor_args(indices: Tensor, values: Tensor, size: Any, is_coalesced: builtins.bool = False, check_pinning: builtins.bool = False) -> None:
    """Raise if places, values and a size make no sparse tensor."""
from facula import _vmap_internals as _vmap_internals
def _weight_norm(v: Tensor, g: Tensor, dim: builtins.int = 0) -> Tensor:
    """``v``, with its length over all dimensions but one replaced by ``g``."""
def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The distance of each element from 0; of a complex one, its modulus."""
def abs_(self: Any) -> Tensor:
    """``abs``, written into the tensor itself."""
def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The distance of each element from 0; of a complex one, its modulus."""
accelerator: Any
def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle, in [0, pi], whose cosine each element is."""
def acos_(self: Tensor) -> Tensor:
    """``acos``, written into the tensor itself."""
def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``cosh``, for elements from 1 on."""
def acosh_(self: Tensor) -> Tensor:
    """``acosh``, written into the tensor itself."""
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Averages of as many windows as are wanted."""
def adaptive_max_pool1d(input: Tensor, output_size: Any) -> Any:
    """The greatest elements of as many windows as are wanted, and where they are."""
def add(input: Tensor, other: Tensor | builtins.complex, *, alpha: builtins.float = 1, out: Tensor | None = None) -> Tensor:
    """The sum, of ``other`` times ``alpha`` if that is given."""
def add_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``add``, written into the tensor itself."""
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """``beta * input + alpha * (the sum of the products of the batches)``."""
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1, out: Tensor | None = None) -> Tensor:
    """``input + value * tensor1 / tensor2``."""
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1, out: Tensor | None = None) -> Tensor:
    """``input + value * tensor1 * tensor2``."""
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``."""
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """``beta * input + alpha * (mat @ vec)``."""
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """``beta * input + alpha * outer(vec1, vec2)``."""
def adjoint(input: Tensor) -> Tensor:
    """Matrices transposed and conjugated."""
def affine_grid_generator(theta: Tensor, size: Any, align_corners: builtins.bool) -> Tensor:
    """``affine_grid`` without its checks."""
def alias(input: Tensor) -> Tensor:
    """A view of the whole."""
def alias_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of the whole."""
def all(input: Tensor, dim: Any = None, keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether every element (along ``dim``) is not 0."""
def allclose(input: Tensor, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> builtins.bool:
    """Whether all elements are close."""
def alpha_dropout(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """Zeros (or what stands for them) at random with probability p, the rest scaled up."""
def alpha_dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """Zeros (or what stands for them) at random with probability p, the rest scaled up."""
def amax(input: Tensor, dim: Any = ..., keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The greatest elements; equal ones share the gradient."""
def amin(input: Tensor, dim: Any = ..., keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The least elements; equal ones share the gradient."""
def aminmax(input: Tensor, *, dim: Any = None, keepdim: builtins.bool = False, out: Any = None) -> return_types.aminmax:
    """The least and the greatest elements."""
from facula import amp as amp
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The argument of complex numbers; 0 or pi for real ones."""
def any(input: Tensor, dim: Any = None, keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """Whether any element (along ``dim``) is not 0."""
ao: Any
def arange(start: Any = 0, end: Any = None, step: Any = 1, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """``start, start + step, ...`` up to but without ``end``."""
def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle, in [0, pi], whose cosine each element is."""
def arccos_(self: Tensor) -> Tensor:
    """``acos``, written into the tensor itself."""
def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``cosh``, for elements from 1 on."""
def arccosh_(self: Tensor) -> Tensor:
    """``acosh``, written into the tensor itself."""
def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle, in [-pi/2, pi/2], whose sine each element is."""
def arcsin_(self: Tensor) -> Tensor:
    """``asin``, written into the tensor itself."""
def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``sinh``."""
def arcsinh_(self: Tensor) -> Tensor:
    """``asinh``, written into the tensor itself."""
def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle, in (-pi/2, pi/2), whose tangent each element is."""
def arctan2(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point (other, input) to the positive x axis, in [-pi, pi]."""
def arctan2_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``atan2``, written into the tensor itself."""
def arctan_(self: Tensor) -> Tensor:
    """``atan``, written into the tensor itself."""
def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``tanh``, for elements in (-1, 1)."""
def arctanh_(self: Tensor) -> Tensor:
    """``atanh``, written into the tensor itself."""
from facula._core.settings import are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled
def argmax(input: Tensor, dim: Any = None, keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """Where the (first) greatest element is."""
def argmin(input: Tensor, dim: Any = None, keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """Where the (first) least element is."""
def argsort(input: Tensor, dim: builtins.int = -1, descending: builtins.bool = False, stable: builtins.bool = False) -> Tensor:
    """The indices that sort along ``dim``."""
def argwhere(input: Tensor) -> Tensor:
    """The places of all elements that are not zero, a row each."""
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: builtins.int | None = None) -> Tensor:
    """A view of the storage by explicit sizes, strides (in elements) and offset."""
def as_strided_(input: Tensor, size: Any, stride: Any, storage_offset: builtins.int | None = None) -> Tensor:
    """``as_strided`` in place."""
def as_strided_copy(input: Tensor, size: Any, stride: Any, storage_offset: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
    """A copy of the storage as sizes, strides and offset show it."""
def as_strided_scatter(input: Tensor, src: Tensor, size: Any, stride: Any, storage_offset: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
    """A copy with the elements that sizes, strides and offset show replaced."""
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """``data`` as a tensor, without a copy if possible."""
from facula._torch.as_torch import as_torch as as_torch
def asarray(obj: Any, *, dtype: Any = None, device: Any = None, copy: builtins.bool | None = None, requires_grad: builtins.bool | None = None) -> Tensor:
    """``obj`` as a tensor; ``copy`` says whether memory must (True), must not (False) or may (None) be copied."""
def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle, in [-pi/2, pi/2], whose sine each element is."""
def asin_(self: Tensor) -> Tensor:
    """``asin``, written into the tensor itself."""
def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``sinh``."""
def asinh_(self: Tensor) -> Tensor:
    """``asinh``, written into the tensor itself."""
def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle, in (-pi/2, pi/2), whose tangent each element is."""
def atan2(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point (other, input) to the positive x axis, in [-pi, pi]."""
def atan2_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``atan2``, written into the tensor itself."""
def atan_(self: Tensor) -> Tensor:
    """``atan``, written into the tensor itself."""
def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``tanh``, for elements in (-1, 1)."""
def atanh_(self: Tensor) -> Tensor:
    """``atanh``, written into the tensor itself."""
def atleast_1d(*tensors: Any) -> Tensor:
    """Numbers as vectors."""
def atleast_2d(*tensors: Any) -> Tensor:
    """Vectors as rows of a matrix."""
def atleast_3d(*tensors: Any) -> Tensor:
    """Tensors with three dimensions at least."""
from facula.amp.autocast_mode import autocast as autocast
from facula.amp.autocast_mode import autocast_decrement_nesting as autocast_decrement_nesting
from facula.amp.autocast_mode import autocast_increment_nesting as autocast_increment_nesting
from facula import autograd as autograd
def avg_pool1d(input: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True) -> Tensor:
    """The average of each window."""
from facula import backends as backends
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """``beta * input + alpha * (batch1 @ batch2)``."""
def bartlett_window(window_length: builtins.int, periodic: builtins.bool = True, **options: Any) -> Tensor:
    """A triangle."""
def batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, training: builtins.bool, momentum: builtins.float, eps: builtins.float, cudnn_enabled: builtins.bool) -> Tensor:
    """Mean 0 and variance 1 over each channel, then scaled and shifted."""
def batch_norm_update_stats(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, momentum: builtins.float) -> tuple[Tensor, Tensor]:
    """Mean and variance of each channel, towards which the running statistics move."""
def bernoulli(input: Tensor, p: Any = None, *, generator: Any = None, out: Tensor | None = None) -> Tensor:
    """1 with the probability that each element says (or ``p``), else 0."""
bfloat16: dtype
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input1 @ weight[k] @ input2 + bias[k]`` for each k."""
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None, reduction: builtins.int = 0) -> Tensor:
    """Binary cross entropy of the sigmoid of ``input``; positive targets may weigh more."""
def bincount(input: Tensor, weights: Any = None, minlength: builtins.int = 0) -> Tensor:
    """How often each number from 0 on occurs, or the sum of its weights."""
def binomial(count: Tensor, prob: Tensor, generator: Any = None) -> Tensor:
    """The number of successes in ``count`` trials of probability ``prob``."""
bits16: dtype
bits1x8: dtype
bits2x4: dtype
bits4x2: dtype
bits8: dtype
def bitwise_and(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """The bits that both have; of truth values, whether both are true."""
def bitwise_and_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``bitwise_and``, written into the tensor itself."""
def bitwise_left_shift(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """The bits moved ``other`` places up: times 2 to that power."""
def bitwise_left_shift_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``bitwise_left_shift``, written into the tensor itself."""
def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """All bits turned over; of a truth value, its opposite."""
def bitwise_not_(self: Tensor) -> Tensor:
    """``bitwise_not``, written into the tensor itself."""
def bitwise_or(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """The bits that at least one has."""
def bitwise_or_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``bitwise_or``, written into the tensor itself."""
def bitwise_right_shift(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """The bits moved ``other`` places down."""
def bitwise_right_shift_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``bitwise_right_shift``, written into the tensor itself."""
def bitwise_xor(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """The bits that exactly one has."""
def bitwise_xor_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``bitwise_xor``, written into the tensor itself."""
def blackman_window(window_length: builtins.int, periodic: builtins.bool = True, **options: Any) -> Tensor:
    """Two cosines."""
def block_diag(*tensors: Any) -> Tensor:
    """A matrix with the given ones along its diagonal."""
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The products of two batches of matrices."""
bool: dtype
def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that tensors of these shapes broadcast to."""
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Views of the tensors with one common shape."""
def broadcast_to(input: Tensor, *shape: Any, size: Any = None) -> Tensor:
    """``expand`` to a shape."""
def bucketize(input: Any, boundaries: Any, *, out_int32: builtins.bool = False, right: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Between which boundaries values lie. ``right`` says that a boundary belongs to the bucket on its left."""
def can_cast(from_: dtypes.dtype, to: dtypes.dtype) -> builtins.bool:
    """Whether PyTorch's rules allow this conversion of a result."""
def cartesian_prod(*tensors: Any) -> Tensor:
    """All tuples of one element of each vector, as rows."""
def cat(tensors: Any, dim: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors one after the other along a dimension."""
def cdist(x1: Tensor, x2: Tensor, p: builtins.float = 2.0, compute_mode: str = 'use_mm_for_euclid_dist_if_necessary') -> Tensor:
    """The distance of each row of ``x1`` to each row of ``x2``."""
cdouble: dtype
def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The least whole number that is not below each element."""
def ceil_(self: Tensor) -> Tensor:
    """``ceil``, written into the tensor itself."""
def celu(input: Tensor, alpha: builtins.float = 1.0, inplace: builtins.bool = False) -> Tensor:
    """``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``."""
def celu_(input: Tensor, alpha: builtins.float = 1.0, inplace: builtins.bool = False) -> Tensor:
    """The same, written into the input."""
cfloat: dtype
def chain_matmul(*matrices: Any) -> Tensor:
    """``linalg.multi_dot`` under its old name."""
chalf: dtype
def channel_shuffle(input: Tensor, groups: builtins.int) -> Tensor:
    """Channels (dimension 1) dealt out anew: the first of each group, then the second of each…"""
channels_last: memory_format
channels_last_3d: memory_format
def cholesky(input: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """``linalg.cholesky`` under its old name."""
def cholesky_inverse(input: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The inverse of a matrix of which the Cholesky factor is known."""
def cholesky_solve(input: Tensor, input2: Tensor, upper: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The solution of ``A @ X = input``, given the Cholesky factor of ``A``."""
def chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """Views of at most ``chunks`` parts of one size along a dimension."""
def clamp(input: Tensor, min: Any = None, max: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Values below ``min`` become ``min``, values above ``max`` become ``max``."""
def clamp_(self: Any, min: Any = None, max: Any = None) -> Tensor:
    """``clamp``, written into the tensor itself."""
def clamp_max(input: Tensor, max: Any, *, out: Tensor | None = None) -> Tensor:
    """Values above ``max`` become ``max``."""
def clamp_max_(self: Any, max: Any) -> Tensor:
    """``clamp_max``, written into the tensor itself."""
def clamp_min(input: Tensor, min: Any, *, out: Tensor | None = None) -> Tensor:
    """Values below ``min`` become ``min``."""
def clamp_min_(self: Any, min: Any) -> Tensor:
    """``clamp_min``, written into the tensor itself."""
from facula.amp.autocast_mode import clear_autocast_cache as clear_autocast_cache
def clip(input: Tensor, min: Any = None, max: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Values below ``min`` become ``min``, values above ``max`` become ``max``."""
def clip_(self: Any, min: Any = None, max: Any = None) -> Tensor:
    """``clamp``, written into the tensor itself."""
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy with the same values, and history."""
def column_stack(tensors: Any, *, out: Tensor | None = None) -> Tensor:
    """Tensors side by side; vectors are columns."""
def combinations(input: Tensor, r: builtins.int = 2, with_replacement: builtins.bool = False) -> Tensor:
    """All ways to take ``r`` elements of a vector, as rows."""
from facula.compiler import compile as compile
from facula._core.settings import compiled_with_cxx11_abi as compiled_with_cxx11_abi
from facula import compiler as compiler
def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Complex numbers of their real and imaginary parts."""
complex128: dtype
complex32: dtype
complex64: dtype
def concat(tensors: Any, dim: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors one after the other along a dimension."""
def concatenate(tensors: Any, dim: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors one after the other along a dimension."""
from facula._higher_order_ops.cond import cond as cond
def conj(input: Tensor) -> Tensor:
    """The complex conjugate, a view of the same memory; a real tensor is returned as it is."""
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complex conjugate; a real tensor is returned as it is."""
def conj_physical_(input: Tensor) -> Tensor:
    """``conj_physical`` in place."""
def constant_pad_nd(input: Tensor, pad: Any, value: builtins.float = 0, *, out: Tensor | None = None) -> Tensor:
    """``input`` with a number at its ends; negative widths cut."""
contiguous_format: memory_format
def conv1d(input: Any, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: builtins.int = 1) -> Tensor:
    """Sums of products of ``weight`` and the patches of (batch, channels, length) that it is moved over."""
def conv2d(input: Any, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: builtins.int = 1) -> Tensor:
    """``conv1d`` for images: (batch, channels, height, width)."""
def conv3d(input: Any, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: builtins.int = 1) -> Tensor:
    """``conv1d`` for volumes: (batch, channels, depth, height, width)."""
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: builtins.int = 0) -> Tensor:
    """Sums of products of (kernel, in, out) and the patches along time that it is moved over."""
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: builtins.int = 1, dilation: Any = 1) -> Tensor:
    """The adjoint of ``conv1d``: each element of ``input`` adds a multiple of ``weight`` to a patch of the result."""
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: builtins.int = 1, dilation: Any = 1) -> Tensor:
    """The adjoint of ``conv2d``."""
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: builtins.int = 1, dilation: Any = 1) -> Tensor:
    """The adjoint of ``conv3d``."""
def convolution(input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, transposed: builtins.bool, output_padding: Any, groups: builtins.int) -> Tensor:
    """The convolution of a batch, forward or transposed, in as many dimensions as the weight has."""
def copysign(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """The magnitude of ``input`` with the sign of ``other``."""
def corrcoef(input: Tensor) -> Tensor:
    """Pearson's correlation of variables given as rows."""
def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The cosine of each element, in radians."""
def cos_(self: Tensor) -> Tensor:
    """``cos``, written into the tensor itself."""
def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic cosine."""
def cosh_(self: Tensor) -> Tensor:
    """``cosh``, written into the tensor itself."""
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: builtins.float = 0.0, reduction: builtins.int = 0) -> Tensor:
    """1 - cosine where the target is 1; where it is -1, the cosine as far as it is above a margin."""
def cosine_similarity(x1: Tensor, x2: Tensor, dim: builtins.int = 1, eps: builtins.float = 1e-08) -> Tensor:
    """The cosine of the angle between vectors along ``dim``, after both are broadcast to one shape."""
def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """How many elements (along ``dim``) are not 0."""
def cov(input: Tensor, *, correction: builtins.int = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
    """The covariance of variables given as rows."""
from facula import cpu as cpu
def cross(input: Tensor, other: Tensor, dim: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
    """The cross product, along the first dimension of size 3 if none is given."""
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: builtins.int = 0, reduction: builtins.int = 0, zero_infinity: builtins.bool = False) -> Tensor:
    """Minus the logarithm of the probability of label sequences, over all ways to stretch them in time."""
cuda: Any
def cummax(input: Tensor, dim: builtins.int, *, out: Any = None) -> return_types.cummax:
    """The greatest element so far, and its place."""
def cummin(input: Tensor, dim: builtins.int, *, out: Any = None) -> return_types.cummin:
    """The least element so far, and its place."""
def cumprod(input: Tensor, dim: builtins.int, *, dtype: Any = None, out: Tensor | None = None) -> Tensor:
    """Products of the elements up to each."""
def cumsum(input: Tensor, dim: builtins.int, *, dtype: Any = None, out: Tensor | None = None) -> Tensor:
    """Sums of the elements up to each."""
def cumulative_trapezoid(y: Tensor, x: Any = None, *, dx: Any = None, dim: builtins.int = -1) -> Tensor:
    """The integral up to each sample point."""
default_generator: Any
def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Degrees as radians."""
def deg2rad_(self: Tensor) -> Tensor:
    """``deg2rad``, written into the tensor itself."""
def det(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinant of square matrices."""
def detach(input: Tensor) -> Tensor:
    """The same memory without history: what is computed from it does not reach back."""
def detach_(input: Tensor) -> Tensor:
    """``detach``, written into the tensor itself."""
def detach_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy without history."""
from facula._core.devices import device as device
def diag(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """A vector as the diagonal of a matrix, or the diagonal of a matrix as a vector."""
def diag_embed(input: Tensor, offset: builtins.int = 0, dim1: builtins.int = -2, dim2: builtins.int = -1) -> Tensor:
    """Matrices of zeros with the last dimension on a diagonal."""
def diagflat(input: Tensor, offset: builtins.int = 0) -> Tensor:
    """All elements on the diagonal of a matrix."""
def diagonal(input: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1) -> Tensor:
    """A view of a diagonal of two dimensions, as the last dimension."""
def diagonal_copy(input: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1, *, out: Tensor | None = None) -> Tensor:
    """A copy of a diagonal."""
def diagonal_scatter(input: Tensor, src: Tensor, offset: builtins.int = 0, dim1: builtins.int = 0, dim2: builtins.int = 1, *, out: Tensor | None = None) -> Tensor:
    """A copy with a diagonal replaced."""
def diff(input: Tensor, n: builtins.int = 1, dim: builtins.int = -1, prepend: Any = None, append: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Differences between neighbours along ``dim``, ``n`` times."""
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of ``lgamma``."""
def digamma_(self: Tensor) -> Tensor:
    """``digamma``, written into the tensor itself."""
def dist(input: Tensor, other: Tensor, p: Any = 2) -> Tensor:
    """The norm of the difference."""
from facula import distributed as distributed
from facula import distributions as distributions
def div(input: Any, other: Any, *, rounding_mode: Any = ..., out: Tensor | None = None) -> Tensor:
    ...
def divide(input: Any, other: Any, *, rounding_mode: Any = ..., out: Tensor | None = None) -> Tensor:
    ...
from facula import docstrings as docstrings
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inner product of two vectors; nothing is conjugated."""
double: dtype
from facula.show.drawing import draw as draw
def dropout(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """Zeros (or what stands for them) at random with probability p, the rest scaled up."""
def dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """Zeros (or what stands for them) at random with probability p, the rest scaled up."""
def dsmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices."""
def dsplit(input: Tensor, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
    """Views of parts behind each other."""
def dstack(tensors: Any, *, out: Tensor | None = None) -> Tensor:
    """Tensors behind each other."""
from facula._core.dtypes import dtype as dtype
e: builtins.float
def eig(input: Any, *args: Any, **kwargs: Any) -> Any:
    """It was removed; there is ``linalg.eig``."""
def einsum(*args: Any) -> Tensor:
    ...
def embedding(weight: Tensor, indices: Tensor, padding_idx: builtins.int = -1, scale_grad_by_freq: builtins.bool = False, sparse: builtins.bool = False) -> Tensor:
    """Rows of a table by their numbers; ``nn.functional.embedding`` has its arguments the other way round."""
def embedding_bag(weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: builtins.bool = False, mode: builtins.int = 0, sparse: builtins.bool = False, per_sample_weights: Tensor | None = None, include_last_offset: builtins.bool = False, padding_idx: builtins.int | None = None) -> Any:
    """(bags, the bag of each index, sizes of bags, indices of maxima)."""
def empty(*size: Any, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: Any = None, **named: Any) -> Tensor:
    """A tensor whose elements nobody has set."""
def empty_like(input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: Any = None) -> Tensor:
    """An unset tensor of another's shape, dtype and device."""
def empty_permuted(size: Any, physical_layout: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """An unset tensor whose dimensions lie in memory in the order ``physical_layout``."""
def empty_strided(size: Any, stride: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """An unset tensor with strides of one's own."""
from facula.autograd.grad_mode import enable_grad as enable_grad
def eq(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """Where both are equal."""
def equal(input: Tensor, other: Tensor) -> builtins.bool:
    """Whether shapes and all elements are equal."""
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The error function: twice the integral of exp(-t**2) from 0 on, over sqrt(pi)."""
def erf_(self: Tensor) -> Tensor:
    """``erf``, written into the tensor itself."""
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 - erf(x)``, exact also where that is tiny."""
def erfc_(self: Tensor) -> Tensor:
    """``erfc``, written into the tensor itself."""
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``erf``."""
def erfinv_(self: Tensor) -> Tensor:
    """``erfinv``, written into the tensor itself."""
def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """e to the power of each element."""
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """2 to the power of each element."""
def exp2_(self: Tensor) -> Tensor:
    """``exp2``, written into the tensor itself."""
def exp_(self: Tensor) -> Tensor:
    """``exp``, written into the tensor itself."""
def expand_copy(input: Tensor, size: Any, *, implicit: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """A copy with dimensions of size 1 repeated."""
from facula._explain.ask import explain as explain
from facula.show.page import explore as explore
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``exp(x) - 1``, exact also for tiny ``x``."""
def expm1_(self: Tensor) -> Tensor:
    """``expm1``, written into the tensor itself."""
from facula import export as export
def eye(n: builtins.int, m: builtins.int | None = None, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Ones on the diagonal."""
def feature_alpha_dropout(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """Zeros (or what stands for them) at random with probability p, the rest scaled up."""
def feature_alpha_dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """Zeros (or what stands for them) at random with probability p, the rest scaled up."""
def feature_dropout(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """Zeros (or what stands for them) at random with probability p, the rest scaled up."""
def feature_dropout_(input: Tensor, p: builtins.float, train: builtins.bool) -> Tensor:
    """Zeros (or what stands for them) at random with probability p, the rest scaled up."""
from facula import fft as fft
def fill(input: Tensor, value: Any) -> Tensor:
    """The same value in every place."""
def fill_(self: Any, value: Any) -> Tensor:
    """Set every element."""
def fill_diagonal_(input: Tensor, fill_value: Any, wrap: builtins.bool = False) -> Tensor:
    """Set the main diagonal; with ``wrap`` that of a tall matrix begins anew after each block."""
from facula._core.dtypes import finfo as finfo
def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The whole part of each element: what is behind the point is left out."""
def fix_(self: Tensor) -> Tensor:
    """``trunc``, written into the tensor itself."""
def flatten(input: Tensor, start_dim: builtins.int = 0, end_dim: builtins.int = -1) -> Tensor:
    """Merge a range of dimensions into one."""
def flip(input: Tensor, dims: Any) -> Tensor:
    """Some dimensions reversed."""
def fliplr(input: Tensor) -> Tensor:
    """The columns reversed."""
def flipud(input: Tensor) -> Tensor:
    """The rows reversed."""
float: dtype
float16: dtype
float32: dtype
float4_e2m1fn_x2: dtype
float64: dtype
float8_e4m3fn: dtype
float8_e4m3fnuz: dtype
float8_e5m2: dtype
float8_e5m2fnuz: dtype
float8_e8m0fnu: dtype
def float_power(input: Any, exponent: Any, *, out: Tensor | None = None) -> Tensor:
    """The power computed in float64 (complex128)."""
def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The greatest whole number that is not above each element."""
def floor_(self: Tensor) -> Tensor:
    """``floor``, written into the tensor itself."""
def floor_divide(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """The quotient, rounded down."""
def fmax(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """The larger of both; where one is NaN, the other."""
def fmin(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """The smaller of both; where one is NaN, the other."""
def fmod(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """The remainder with the dividend's sign, as C's."""
def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """What is behind the point, with the element's sign."""
def frac_(self: Tensor) -> Tensor:
    """``frac``, written into the tensor itself."""
def frexp(input: Tensor, *, out: Any = None) -> return_types.frexp:
    """Mantissas between 0.5 and 1 (or 0) and exponents of two."""
def frobenius_norm(input: Tensor, dim: Any, keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """``linalg.vector_norm(input, 2, dim)`` by its old name, for at most two dimensions."""
def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: builtins.bool | None = None) -> Tensor:
    """A tensor over the memory of another library's array, or of a DLPack capsule."""
def from_file(filename: Any, shared: builtins.bool | None = None, size: builtins.int | None = 0, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: builtins.bool = False) -> Tensor:
    """A tensor of ``size`` elements in the memory of a file; if ``shared``, changes are written to the file."""
def from_numpy(ndarray: Any, /) -> Tensor:
    """A tensor over a NumPy array's memory."""
def frombuffer(buffer: Any, *, dtype: Any = None, count: builtins.int = -1, offset: builtins.int = 0, requires_grad: builtins.bool = False) -> Tensor:
    """A 1-d tensor over the memory of an object with a buffer."""
def full(size: Any, fill_value: Any = ..., *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """One value everywhere; it decides the dtype unless ``dtype`` is given."""
def full_like(input: Any, fill_value: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: Any = None) -> Tensor:
    """One value everywhere, in another tensor's shape, dtype and device."""
from facula import func as func
from facula import functional as functional
from facula import futures as futures
from facula import fx as fx
def gather(input: Tensor, dim: builtins.int, index: Any, *, sparse_grad: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """``out[i][j] = input[index[i][j]][j]``, for dim 0."""
def gcd(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """The greatest common divisor."""
def gcd_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``gcd``, written into the tensor itself."""
def ge(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """Where the first is at least the second."""
def geqrf(input: Tensor, *, out: Any = None) -> return_types.geqrf:
    """The QR decomposition as LAPACK stores it."""
def ger(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """All products of an element of one vector and an element of the other."""
from facula.amp.autocast_mode import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from facula.amp.autocast_mode import get_autocast_dtype as get_autocast_dtype
from facula.amp.autocast_mode import get_autocast_gpu_dtype as get_autocast_gpu_dtype
def get_default_device() -> devices.device:
    """The device of new tensors, where none is given."""
from facula._core.dtypes import get_default_dtype as get_default_dtype
from facula._core.settings import get_deterministic_debug_mode as get_deterministic_debug_mode
def get_device(input: Tensor) -> builtins.int:
    """The number of the device; -1 for the CPU."""
from facula._core.settings import get_device_module as get_device_module
from facula._core.settings import get_file_path as get_file_path
from facula._core.settings import get_float32_matmul_precision as get_float32_matmul_precision
from facula._core.settings import get_num_interop_threads as get_num_interop_threads
from facula._core.settings import get_num_threads as get_num_threads
def get_rng_state() -> Any:
    """Where the default stream is, as a tensor of bytes."""
def gradient(input: Tensor, *, spacing: Any = None, dim: Any = None, edge_order: builtins.int = 1) -> tuple[Tensor, ...]:
    """The derivative along each dimension: central differences inside, one-sided ones of ``edge_order`` at the ends."""
def greater(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """Where the first is above the second."""
def greater_equal(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """Where the first is at least the second."""
def grid_sampler(input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: builtins.int, align_corners: builtins.bool) -> Tensor:
    """``grid_sample``, its modes given as numbers."""
def grid_sampler_2d(input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: builtins.int, align_corners: builtins.bool) -> Tensor:
    """``grid_sampler`` of planes."""
def grid_sampler_3d(input: Tensor, grid: Tensor, interpolation_mode: builtins.int, padding_mode: builtins.int, align_corners: builtins.bool) -> Tensor:
    """``grid_sampler`` of volumes."""
def group_norm(input: Tensor, num_groups: builtins.int, weight: Tensor | None = None, bias: Tensor | None = None, eps: builtins.float = 1e-05, cudnn_enabled: builtins.bool = True) -> Tensor:
    """Mean 0 and variance 1 over groups of channels of each sample, then scaled and shifted by channel."""
def gru(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """Layers of GRUs: (outputs, last hidden states)."""
def gru_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """One step of a GRU: the hidden state."""
def gt(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """Where the first is above the second."""
half: dtype
def hamming_window(window_length: builtins.int, periodic: builtins.bool = True, alpha: builtins.float = 0.54, beta: builtins.float = 0.46, **options: Any) -> Tensor:
    """``alpha - beta * cos``."""
def hann_window(window_length: builtins.int, periodic: builtins.bool = True, **options: Any) -> Tensor:
    """Half a cosine wave, raised to begin at 0."""
def hardshrink(input: Tensor, lambd: builtins.float = 0.5, *, out: Tensor | None = None) -> Tensor:
    """``x``, or 0 within [-lambd, lambd]."""
def hash_tensor(input: Tensor, dim: Any = ..., *, keepdim: builtins.bool = False, mode: builtins.int = 0, out: Tensor | None = None) -> Tensor:
    """The bits of all elements, each as 64 of them, combined by exclusive or."""
def heaviside(input: Tensor, values: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """0 below 0, 1 above, and at 0 what the second says."""
def heaviside_(self: Tensor, values: Tensor | builtins.complex) -> Tensor:
    """``heaviside``, written into the tensor itself."""
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: builtins.float = 1.0, reduction: builtins.int = 0) -> Tensor:
    """The input where the target is 1; where it is -1, what it lacks to a margin."""
def histc(input: Tensor, bins: builtins.int = 100, min: builtins.float = 0, max: builtins.float = 0, *, out: Tensor | None = None) -> Tensor:
    """How many elements fall into each of ``bins`` equal parts of [min, max] (of what there is, if both are equal)."""
def histogram(input: Tensor, bins: Any, *, range: Any = None, weight: Tensor | None = None, density: builtins.bool = False, out: Any = None) -> return_types.histogram:
    """How many elements (or how much weight) fall into each bin, and the bins' edges."""
def histogramdd(input: Tensor, bins: Any, range: Any = None, weight: Tensor | None = None, density: builtins.bool = False) -> return_types.histogramdd:
    """How many points (rows of the last dimension) fall into each cell of a grid, and the grid."""
def hsplit(input: Tensor, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
    """Views of parts side by side."""
def hspmm(mat1: Tensor, mat2: Tensor) -> Tensor:
    """The product of a sparse matrix and a dense one, sparse in its rows."""
def hstack(tensors: Any, *, out: Tensor | None = None) -> Tensor:
    """Vectors one after the other; others side by side."""
from facula import hub as hub
def hypot(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """The length of the hypotenuse over two legs: ``sqrt(x**2 + y**2)``."""
def hypot_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``hypot``, written into the tensor itself."""
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 0."""
def i0_(self: Tensor) -> Tensor:
    """``i0``, written into the tensor itself."""
def igamma(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """The lower incomplete gamma function of ``input`` up to ``other``, divided by the complete one."""
def igamma_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``igamma``, written into the tensor itself."""
def igammac(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """``1 - igamma``."""
def igammac_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``igammac``, written into the tensor itself."""
from facula._core.dtypes import iinfo as iinfo
def imag(input: Tensor) -> Tensor:
    """A view of the imaginary part."""
def index_add(input: Tensor, dim: builtins.int, index: Any, source: Any, *, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """A copy with slices of ``source``, times ``alpha``, added to the slices along ``dim`` that ``index`` names."""
def index_copy(input: Tensor, dim: builtins.int, index: Any, source: Any, *, out: Tensor | None = None) -> Tensor:
    """A copy with slices of ``source`` in place of the slices along ``dim`` that ``index`` names."""
def index_fill(input: Tensor, dim: builtins.int, index: Any, value: Any) -> Tensor:
    """A copy with a number in all slices along ``dim`` that ``index`` names."""
def index_put(input: Tensor, indices: Any, values: Any, accumulate: builtins.bool = False) -> Tensor:
    """A copy with ``values`` written, or added, to the places that the tensors ``indices`` give."""
def index_put_(input: Tensor, indices: Any, values: Any, accumulate: builtins.bool = False) -> Tensor:
    """``index_put`` in place."""
def index_reduce(input: Tensor, dim: builtins.int, index: Any, source: Any, reduce: str, *, include_self: builtins.bool = True, out: Tensor | None = None) -> Tensor:
    """A copy whose slices along ``dim`` that ``index`` names are reduced with slices of ``source``."""
def index_select(input: Tensor, dim: builtins.int, index: Any, *, out: Tensor | None = None) -> Tensor:
    """The slices along ``dim`` that ``index`` names, in its order."""
inf: builtins.float
from facula.autograd.grad_mode import inference_mode as inference_mode
def initial_seed() -> builtins.int:
    """The seed that the default stream began with."""
def inner(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sums of products over the last dimension of both."""
def instance_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, use_input_stats: builtins.bool, momentum: builtins.float, eps: builtins.float, cudnn_enabled: builtins.bool) -> Tensor:
    """Batch norm of each channel of each sample alone."""
int: dtype
int1: dtype
int16: dtype
int2: dtype
int3: dtype
int32: dtype
int4: dtype
int5: dtype
int6: dtype
int64: dtype
int7: dtype
int8: dtype
def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of square matrices."""
from facula.autograd.anomaly import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from facula.autograd.anomaly import is_anomaly_enabled as is_anomaly_enabled
from facula.amp.autocast_mode import is_autocast_cache_enabled as is_autocast_cache_enabled
from facula.amp.autocast_mode import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from facula.amp.autocast_mode import is_autocast_enabled as is_autocast_enabled
def is_complex(input: Tensor) -> builtins.bool:
    """Whether the dtype is complex."""
def is_conj(input: Tensor) -> builtins.bool:
    """Whether it is a conjugate that was not computed yet; never, here."""
from facula._core.settings import is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled
def is_distributed(self: Tensor) -> builtins.bool:
    """Whether it is spread over several processes; never."""
def is_floating_point(input: Tensor) -> builtins.bool:
    """Whether the dtype is a floating point one."""
from facula.autograd.grad_mode import is_grad_enabled as is_grad_enabled
def is_inference(input: Tensor) -> builtins.bool:
    """Whether it was made in inference mode."""
from facula.autograd.grad_mode import is_inference_mode_enabled as is_inference_mode_enabled
def is_neg(input: Tensor) -> builtins.bool:
    """Whether it is a negation that was not computed yet; never, here."""
def is_nonzero(input: Tensor) -> builtins.bool:
    """Whether the only element is not zero."""
def is_same_size(input: Tensor, other: Tensor) -> builtins.bool:
    """Whether two tensors have the same shape."""
def is_signed(input: Tensor) -> builtins.bool:
    """Whether the dtype has negative numbers."""
from facula._core.storage import is_storage as is_storage
def is_tensor(obj: Any, /) -> builtins.bool:
    """Whether an object is a Tensor."""
from facula._core.settings import is_vulkan_available as is_vulkan_available
from facula._core.settings import is_warn_always_enabled as is_warn_always_enabled
def isclose(input: Tensor, other: Tensor, rtol: builtins.float = 1e-05, atol: builtins.float = 1e-08, equal_nan: builtins.bool = False) -> Tensor:
    """Elementwise ``|input - other| <= atol + rtol * |other|``."""
def isfinite(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where elements are neither infinite nor NaN."""
def isin(elements: Any, test_elements: Any, *, assume_unique: builtins.bool = False, invert: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Which elements are among others."""
def isinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where elements are infinite."""
def isnan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where elements are NaN."""
def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where elements are minus infinity."""
def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where elements are plus infinity."""
def isreal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where elements have no imaginary part."""
def istft(input: Tensor, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True, normalized: builtins.bool = False, onesided: builtins.bool | None = None, length: builtins.int | None = None, return_complex: builtins.bool = False) -> Tensor:
    """The signal that ``stft`` was given: windows added up, divided by the sum of the squared windows."""
jagged: layout
jit: Any
def kaiser_window(window_length: builtins.int, periodic: builtins.bool = True, beta: builtins.float = 12.0, **options: Any) -> Tensor:
    """By a Bessel function."""
def kl_div(input: Tensor, target: Tensor, reduction: builtins.int = 0, *, log_target: builtins.bool = False) -> Tensor:
    """``target * (log(target) - input)``; ``input`` are logarithms, with ``log_target`` the target too."""
def kron(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The Kronecker product."""
def kthvalue(input: Tensor, k: Any, dim: builtins.int = -1, keepdim: builtins.bool = False, *, out: Any = None) -> return_types.kthvalue:
    """The ``k``-th least element along ``dim``, as (value, index)."""
def layer_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: builtins.float = 1e-05, cudnn_enable: builtins.bool = True) -> Tensor:
    """Mean 0 and variance 1 over the last dimensions, then scaled and shifted element by element."""
from facula._core.layouts import layout as layout
def lcm(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """The least common multiple."""
def lcm_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``lcm``, written into the tensor itself."""
def ldexp(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """``input`` times 2 to the power ``other``."""
def ldexp_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``ldexp``, written into the tensor itself."""
def le(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """Where the first is at most the second."""
legacy_contiguous_format: memory_format
def lerp(input: Tensor, end: Tensor, weight: Any, *, out: Tensor | None = None) -> Tensor:
    """``input + weight * (end - input)``."""
def less(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """Where the first is below the second."""
def less_equal(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """Where the first is at most the second."""
def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the gamma function's absolute value."""
def lgamma_(self: Tensor) -> Tensor:
    """``lgamma``, written into the tensor itself."""
from facula import library as library
from facula import linalg as linalg
def linspace(start: Any, end: Any, steps: Any = None, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """``steps`` values from ``start`` to ``end``, both included, evenly spaced."""
from facula.serialization._load import load as load
def lobpcg(A: Tensor, k: builtins.int | None = None, B: Tensor | None = None, X: Tensor | None = None, n: builtins.int | None = None, iK: Tensor | None = None, niter: builtins.int | None = None, tol: builtins.float | None = None, largest: builtins.bool | None = None, method: str | None = None, tracker: Any = None, ortho_iparams: dict[str, builtins.int] | None = None, ortho_fparams: dict[str, builtins.float] | None = None, ortho_bparams: dict[str, builtins.bool] | None = None) -> tuple[Tensor, Tensor]:
    """The ``k`` largest (or smallest) eigenvalues of a symmetric positive matrix, and their eigenvectors."""
def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The natural logarithm; NaN below 0."""
def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to the base 10."""
def log10_(self: Tensor) -> Tensor:
    """``log10``, written into the tensor itself."""
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``log(1 + x)``, exact also for tiny ``x``."""
def log1p_(self: Tensor) -> Tensor:
    """``log1p``, written into the tensor itself."""
def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to the base 2."""
def log2_(self: Tensor) -> Tensor:
    """``log2``, written into the tensor itself."""
def log_(self: Tensor) -> Tensor:
    """``log``, written into the tensor itself."""
def log_softmax(input: Tensor, dim: builtins.int, dtype: Any = None, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of ``softmax``, without overflow."""
def logaddexp(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """``log(exp(x) + exp(y))``, without overflow."""
def logaddexp2(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """``log2(2**x + 2**y)``, without overflow."""
def logcumsumexp(input: Tensor, dim: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """Logarithms of the sums of exponentials up to each element."""
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant; nan if that is negative."""
def logical_and(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """Where both are not 0."""
def logical_and_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``logical_and``, written into the tensor itself."""
def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where elements are 0."""
def logical_not_(self: Tensor) -> Tensor:
    """``logical_not``, written into the tensor itself."""
def logical_or(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """Where at least one is not 0."""
def logical_or_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``logical_or``, written into the tensor itself."""
def logical_xor(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """Where exactly one is not 0."""
def logical_xor_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``logical_xor``, written into the tensor itself."""
def logit(input: Tensor, eps: builtins.float | None = None, *, out: Tensor | None = None) -> Tensor:
    """``log(x / (1 - x))``; with ``eps``, of x clamped to [eps, 1 - eps]."""
def logit_(self: Any, eps: builtins.float | None = None) -> Tensor:
    """``logit``, written into the tensor itself."""
def logspace(start: Any, end: Any, steps: Any = None, base: Any = 10.0, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """``base`` to the powers ``linspace(start, end, steps)``."""
def logsumexp(input: Tensor, dim: Any, keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the sum of exponentials, without overflow."""
long: dtype
def lstm(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Layers of LSTMs: (outputs, last hidden states, last cell states)."""
def lstm_cell(input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """One step of an LSTM: (hidden state, cell state)."""
def lstsq(input: Any, *args: Any, **kwargs: Any) -> Any:
    """It was removed; there is ``linalg.lstsq``."""
def lt(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """Where the first is below the second."""
def lu(A: Tensor, pivot: builtins.bool = True, get_infos: builtins.bool = False, out: Any = None) -> Any:
    """``linalg.lu_factor`` under its old name."""
def lu_solve(input: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``linalg.lu_solve`` under its old name and with its arguments reversed."""
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: builtins.bool = True, unpack_pivots: builtins.bool = True, *, out: Any = None) -> return_types.lu_unpack:
    """``P``, ``L`` and ``U`` of what ``linalg.lu_factor`` returns."""
def manual_seed(seed: Any) -> Generator:
    """Begin the default stream that belongs to ``seed``."""
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: builtins.float = 0.0, reduction: builtins.int = 0) -> Tensor:
    """How much of a margin input1 lacks to be above input2 (target 1) or below (-1)."""
from facula import masked as masked
def masked_fill(input: Tensor, mask: Any, value: Any) -> Tensor:
    """A copy with a number wherever ``mask`` is True."""
def masked_scatter(input: Tensor, mask: Any, source: Any) -> Tensor:
    """A copy with elements of ``source``, in order, where ``mask`` is True."""
def masked_select(input: Tensor, mask: Any, *, out: Tensor | None = None) -> Tensor:
    """The elements where ``mask`` is True, as a vector."""
def matmul(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """The matrix product, by PyTorch's rules for vectors, matrices and batches."""
def matrix_exp(input: Tensor) -> Tensor:
    """The exponential series of square matrices."""
def matrix_power(input: Tensor, n: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """A square matrix multiplied with itself; for a negative ``n``, its inverse."""
def matrix_rank(input: Any, *args: Any, **kwargs: Any) -> Any:
    """It was removed; there is ``linalg.matrix_rank``."""
@overload
def max(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def max(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, out: Any = None) -> return_types.max: ...
@overload
def max(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def max_pool1d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: builtins.bool = False) -> Tensor:
    """The greatest element of each window."""
def max_pool1d_with_indices(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: builtins.bool = False) -> Any:
    """The greatest element of each window, and where it is."""
def max_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: builtins.bool = False) -> Tensor:
    """The greatest element of each window."""
def max_pool3d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: builtins.bool = False) -> Tensor:
    """The greatest element of each window."""
def maximum(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """The larger of both; NaN where one is NaN. Equal ones share the gradient."""
def mean(input: Tensor, dim: Any = ..., keepdim: builtins.bool = ..., *, dtype: Any = None, out: Tensor | None = None) -> Tensor:
    """The mean of all elements, or along ``dim``."""
@overload
def median(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def median(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, out: Any = None) -> return_types.median: ...
from facula._core import memory as memory
from facula._core.layouts import memory_format as memory_format
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Grids of coordinates from vectors of them."""
@overload
def min(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def min(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, out: Any = None) -> return_types.min: ...
@overload
def min(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def minimum(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """The smaller of both; NaN where one is NaN. Equal ones share the gradient."""
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices."""
def mode(input: Tensor, dim: builtins.int = -1, keepdim: builtins.bool = False, *, out: Any = None) -> return_types.mode:
    """The most frequent value along ``dim`` (the least of several), and its last place."""
def moveaxis(input: Tensor, source: Any, destination: Any) -> Tensor:
    """A view with some dimensions moved to other places."""
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """A view with some dimensions moved to other places."""
mps: Any
def msort(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Sorted along the first dimension."""
mtia: Any
def mul(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """The product."""
def mul_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``mul``, written into the tensor itself."""
def multinomial(input: Tensor, num_samples: builtins.int, replacement: builtins.bool = False, *, generator: Any = None, out: Tensor | None = None) -> Tensor:
    """Indices drawn with the weights of each row."""
def multiply(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """The product."""
def multiply_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``mul``, written into the tensor itself."""
from facula import multiprocessing as multiprocessing
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of a matrix and a vector."""
def mvlgamma(input: Tensor, p: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the multivariate gamma function."""
nan: builtins.float
def nan_to_num(input: Tensor, nan: Any = None, posinf: Any = None, neginf: Any = None, *, out: Tensor | None = None) -> Tensor:
    """NaN and the infinities replaced; by 0 and the greatest and least finite values unless given."""
def nan_to_num_(self: Any, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
    """``nan_to_num``, written into the tensor itself."""
def nanmean(input: Tensor, dim: Any = None, keepdim: builtins.bool = False, *, dtype: Any = None, out: Tensor | None = None) -> Tensor:
    """The mean of the elements that are no NaN."""
@overload
def nanmedian(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
@overload
def nanmedian(input: Tensor, dim: builtins.int, keepdim: builtins.bool = False, *, out: Any = None) -> return_types.nanmedian: ...
def nanquantile(input: Tensor, q: Any, dim: Any = None, keepdim: builtins.bool = False, *, interpolation: str = 'linear', out: Tensor | None = None) -> Tensor:
    """``quantile`` of what is no NaN."""
def nansum(input: Tensor, dim: Any = None, keepdim: builtins.bool = False, *, dtype: Any = None, out: Tensor | None = None) -> Tensor:
    """The sum with NaN counted as 0."""
def narrow(input: Tensor, dim: builtins.int, start: Any, length: builtins.int) -> Tensor:
    """A view of ``length`` elements of a dimension, from ``start`` on."""
def narrow_copy(input: Tensor, dim: builtins.int, start: Any, length: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """A copy of ``length`` elements of a dimension, from ``start`` on."""
from facula import native as native
def native_batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None, running_var: Tensor | None, training: builtins.bool, momentum: builtins.float, eps: builtins.float, *, out: Any = None) -> Any:
    """(normalized, mean, 1 / deviation) of each channel; the last two are empty in evaluation."""
def native_channel_shuffle(input: Tensor, groups: builtins.int) -> Tensor:
    """Channels (dimension 1) dealt out anew: the first of each group, then the second of each…"""
def native_dropout(input: Tensor, p: builtins.float, train: builtins.bool | None) -> tuple[Tensor, Tensor]:
    """Dropout, and the mask of what was kept."""
def native_group_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, N: builtins.int, C: builtins.int, HxW: builtins.int, group: builtins.int, eps: builtins.float) -> Any:
    """(normalized, mean, 1 / deviation) of groups of channels."""
def native_layer_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None, bias: Tensor | None, eps: builtins.float) -> Any:
    """(normalized, mean, 1 / deviation) over the last dimensions."""
def ne(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """Where both differ."""
def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Each element with the other sign."""
def neg_(self: Tensor) -> Tensor:
    """``neg``, written into the tensor itself."""
def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Each element with the other sign."""
def negative_(self: Tensor) -> Tensor:
    """``neg``, written into the tensor itself."""
newaxis: Any
def nextafter(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """The next number that the dtype has, towards ``other``."""
def nextafter_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``nextafter``, written into the tensor itself."""
from facula import nn as nn
from facula.autograd.grad_mode import no_grad as no_grad
def nonzero(input: Tensor, *, as_tuple: builtins.bool = False, out: Any = None) -> Tensor:
    """The places of all elements that are not zero: a row each, or a tuple of a vector per dimension."""
def nonzero_static(input: Tensor, *, size: builtins.int, fill_value: builtins.int = -1) -> Tensor:
    """The first ``size`` rows of ``nonzero``, filled up with ``fill_value``."""
def norm(input: Tensor, p: Any = 'fro', dim: Any = None, keepdim: builtins.bool = False, out: Any = None, dtype: Any = None) -> Tensor:
    """The norm of all elements, or along ``dim``; ``p`` as in ``linalg.vector_norm``."""
def norm_except_dim(v: Tensor, pow: builtins.int = 2, dim: builtins.int = 0) -> Tensor:
    """The norm over all dimensions but one; over all for dim -1."""
def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, out: Tensor | None = None) -> Tensor:
    """Normal; ``mean`` and ``std`` are numbers (then ``size`` tells the shape) or tensors."""
def not_equal(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """Where both differ."""
def nuclear_norm(input: Tensor, dim: Any = ..., keepdim: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    ...
def numel(input: Tensor) -> builtins.int:
    """The number of elements."""
def ones(*size: Any, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, **named: Any) -> Tensor:
    """Ones of a shape."""
def ones_like(input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: Any = None) -> Tensor:
    """Ones of another tensor's shape, dtype and device."""
onnx: Any
from facula import ops as ops
from facula import optim as optim
def orgqr(input: Tensor, input2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``linalg.householder_product`` under its old name."""
def ormqr(input: Tensor, input2: Tensor, input3: Tensor, left: builtins.bool = True, transpose: builtins.bool = False, *, out: Tensor | None = None) -> Tensor:
    """A product of reflections times a matrix."""
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """All products of an element of one vector and an element of the other."""
from facula import overrides as overrides
def pairwise_distance(x1: Tensor, x2: Tensor, p: builtins.float = 2, eps: builtins.float = 1e-06, keepdim: builtins.bool = False) -> Tensor:
    """The p-norm of the difference of vectors in the last dimension."""
def pca_lowrank(A: Tensor, q: builtins.int | None = None, center: builtins.bool = True, niter: builtins.int = 2) -> Any:
    """The principal components of the rows of a matrix."""
def pdist(input: Tensor, p: builtins.float = 2.0) -> Tensor:
    """The distances between the rows, each pair once."""
def permute(input: Tensor, *order: Any, dims: Any = None) -> Tensor:
    """A view with the dimensions in the given order."""
def permute_copy(input: Tensor, dims: Any, *, out: Tensor | None = None) -> Tensor:
    """A copy with the dimensions in the given order."""
pi: builtins.float
def pinverse(input: Tensor, rcond: builtins.float = 1e-15) -> Tensor:
    """``linalg.pinv`` under its old name."""
def pixel_shuffle(input: Tensor, upscale_factor: builtins.int) -> Tensor:
    """(…, channels · r², height, width) as (…, channels, height · r, width · r)."""
def pixel_unshuffle(input: Tensor, downscale_factor: builtins.int) -> Tensor:
    """The inverse of ``pixel_shuffle``."""
def poisson(input: Tensor, generator: Any = None) -> Tensor:
    """Poisson with the rates that the elements say."""
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: builtins.bool, full: builtins.bool, eps: builtins.float, reduction: builtins.int) -> Tensor:
    """The negative log likelihood of counts by Poisson distributions, without or with Stirling's term."""
def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Complex numbers of their moduli and arguments."""
def polygamma(n: builtins.int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The n-th derivative of digamma."""
def positive(input: Tensor) -> Tensor:
    """The tensor itself."""
def pow(input: Any, exponent: Any, *, out: Tensor | None = None) -> Tensor:
    """``input`` to the power ``exponent``; either may be a number."""
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """``x`` if positive, else ``weight * x``; one weight, or one per channel."""
preserve_format: memory_format
def prod(input: Tensor, dim: Any = ..., keepdim: builtins.bool = False, *, dtype: Any = None, out: Tensor | None = None) -> Tensor:
    """The product of all elements, or along ``dim``. Integers are multiplied in int64."""
from facula import profiler as profiler
from facula._core.dtypes import promote_types as promote_types
def put(input: Tensor, index: Any, source: Any, accumulate: builtins.bool = False) -> Tensor:
    """A copy with elements of ``source`` written, or added, to places of the flattened tensor."""
qint32: dtype
qint8: dtype
def qr(input: Tensor, some: builtins.bool = True, *, out: Any = None) -> Any:
    """``linalg.qr`` under its old name."""
def quantile(input: Tensor, q: Any, dim: Any = None, keepdim: builtins.bool = False, *, interpolation: str = 'linear', out: Tensor | None = None) -> Tensor:
    """The values below which given shares of the elements lie."""
from facula import quasirandom as quasirandom
quint2x4: dtype
quint4x2: dtype
quint8: dtype
def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Radians as degrees."""
def rad2deg_(self: Tensor) -> Tensor:
    """``rad2deg``, written into the tensor itself."""
def rand(*size: Any, generator: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, **named: Any) -> Tensor:
    """Uniform from [0, 1)."""
def rand_like(input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: Any = None, generator: Any = None) -> Tensor:
    """Uniform from [0, 1), in another tensor's shape, dtype and device."""
def randint(low: Any = ..., high: Any = ..., size: Any = ..., *, generator: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Integers from [low, high); ``randint(high, size)`` begins at 0."""
def randint_like(input: Any, low: Any = ..., high: Any = ..., *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: Any = None, generator: Any = None) -> Tensor:
    """Integers from [low, high), in another tensor's shape, dtype and device."""
def randn(*size: Any, generator: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, **named: Any) -> Tensor:
    """Normal with mean 0 and standard deviation 1."""
def randn_like(input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: Any = None, generator: Any = None) -> Tensor:
    """Standard normal, in another tensor's shape, dtype and device."""
from facula import random as random
def randperm(n: Any, *, generator: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """The numbers 0 ... n - 1 in random order."""
def range(start: Any = 0, end: Any = None, step: Any = 1, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """Deprecated: like arange, but with ``end``."""
def ravel(input: Tensor) -> Tensor:
    """The elements as a vector."""
def real(input: Tensor) -> Tensor:
    """A view of the real part; a real tensor is its own."""
def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """One divided by each element."""
def reciprocal_(self: Tensor) -> Tensor:
    """``reciprocal``, written into the tensor itself."""
def relu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Each element, or 0 where it is below 0."""
def relu_(self: Tensor) -> Tensor:
    """``relu``, written into the tensor itself."""
def remainder(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """The remainder with the divisor's sign, as Python's ``%``."""
def renorm(input: Tensor, p: Any, dim: builtins.int, maxnorm: builtins.float, *, out: Tensor | None = None) -> Tensor:
    """Slices along ``dim`` whose norm exceeds ``maxnorm`` scaled down to it."""
def repeat_interleave(input: Tensor, repeats: Any = None, dim: builtins.int | None = None, *, output_size: builtins.int | None = None) -> Tensor:
    """Each element (or each index of a dimension) repeated, side by side."""
def reshape(input: Tensor, shape: Any) -> Tensor:
    """``reshape``, with the shape as one argument."""
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """``resize_`` to another tensor's shape."""
def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself, or a copy with conjugates in memory if it is a view that shows them."""
def resolve_neg(input: Tensor) -> Tensor:
    """The tensor itself, or a copy with negatives in memory if it is a view that shows them."""
def result_type(tensor: Any, other: Any) -> dtypes.dtype:
    """The dtype that an operation on these two would have."""
from facula import return_types as return_types
def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: builtins.float | None = None) -> Tensor:
    """Divided by the root of the mean of the squares over the last dimensions, then scaled element by element."""
def rnn_relu(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """The same with relu."""
def rnn_relu_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """The same with relu."""
def rnn_tanh(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """Layers of plain recurrent networks with tanh: (outputs, last hidden states)."""
def rnn_tanh_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """``tanh(input @ w_ih.T + b_ih + hx @ w_hh.T + b_hh)``."""
def roll(input: Tensor, shifts: Any, dims: Any = ...) -> Tensor:
    """Elements moved along dimensions (or along all of them as one), those that leave come in at the other end."""
def rot90(input: Tensor, k: builtins.int = 1, dims: Any = ...) -> Tensor:
    """A plane of two dimensions turned ``k`` times by 90 degrees."""
def round(input: Tensor, *, decimals: builtins.int | None = None, out: Tensor | None = None) -> Tensor:
    """The nearest whole number, halves to the even one; or the nearest with so many decimals."""
def round_(input: Tensor, *, decimals: builtins.int | None = None) -> Tensor:
    """``round`` in place."""
def row_stack(tensors: Any, *, out: Tensor | None = None) -> Tensor:
    """Tensors under each other; vectors are rows."""
def rrelu(input: Tensor, lower: builtins.float = 0.125, upper: builtins.float = 0.3333333333333333, training: builtins.bool = False) -> Tensor:
    """Leaky relu with a slope drawn for each element, or the mean one."""
def rrelu_(input: Tensor, lower: builtins.float = 0.125, upper: builtins.float = 0.3333333333333333, training: builtins.bool = False) -> Tensor:
    """``rrelu`` in place."""
def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """One divided by the square root."""
def rsqrt_(self: Tensor) -> Tensor:
    """``rsqrt``, written into the tensor itself."""
def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """``other - alpha * input``."""
from facula import safetensors as safetensors
from facula.serialization._save import save as save
def scalar_tensor(s: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """A 0-d tensor of the default dtype."""
def scatter(input: Tensor, dim: builtins.int, index: Any, src: Any = None, *, value: Any = None, reduce: Any = None, out: Tensor | None = None) -> Tensor:
    """A copy with elements of ``src``, or a number, written to the places that ``index`` names along ``dim``."""
def scatter_add(input: Tensor, dim: builtins.int, index: Any, src: Any, *, out: Tensor | None = None) -> Tensor:
    """A copy with elements of ``src`` added at the places that ``index`` names along ``dim``."""
def scatter_reduce(input: Tensor, dim: builtins.int, index: Any, src: Any, reduce: str, *, include_self: builtins.bool = True, out: Tensor | None = None) -> Tensor:
    """A copy in which each place named by ``index`` is reduced with what ``src`` brings to it."""
def searchsorted(sorted_sequence: Tensor, input: Any, *, out_int32: builtins.bool = False, right: builtins.bool = False, side: str | None = None, sorter: Any = None, out: Tensor | None = None) -> Tensor:
    """Where values would be inserted into rows that are sorted."""
def seed() -> builtins.int:
    """Begin a default stream that nobody can foresee, and tell its seed."""
def segment_reduce(data: Tensor, reduce: str, *, lengths: Tensor | None = None, indices: Any = None, offsets: Tensor | None = None, axis: builtins.int = 0, unsafe: builtins.bool = False, initial: Any = None) -> Tensor:
    """The sum, mean, product, maximum or minimum of consecutive parts along a dimension."""
def select(input: Tensor, dim: builtins.int, index: Any) -> Tensor:
    """A view of one index of a dimension, which disappears."""
def select_copy(input: Tensor, dim: builtins.int, index: Any, *, out: Tensor | None = None) -> Tensor:
    """A copy of one index of a dimension, which disappears."""
def select_scatter(input: Tensor, src: Tensor, dim: builtins.int, index: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """A copy with one index of a dimension replaced."""
def selu(input: Tensor, inplace: builtins.bool = False) -> Tensor:
    """``elu`` scaled so that it keeps means at 0 and variances at 1."""
def selu_(input: Tensor, inplace: builtins.bool = False) -> Tensor:
    """The same, written into the input."""
from facula import serialization as serialization
from facula.amp.autocast_mode import set_autocast_cache_enabled as set_autocast_cache_enabled
from facula.amp.autocast_mode import set_autocast_cpu_dtype as set_autocast_cpu_dtype
from facula.amp.autocast_mode import set_autocast_cpu_enabled as set_autocast_cpu_enabled
from facula.amp.autocast_mode import set_autocast_dtype as set_autocast_dtype
from facula.amp.autocast_mode import set_autocast_enabled as set_autocast_enabled
from facula.amp.autocast_mode import set_autocast_gpu_dtype as set_autocast_gpu_dtype
def set_default_device(device: Any) -> None:
    """The device of new tensors, where none is given; one that is not there is refused when it is to have a tensor."""
from facula._core.dtypes import set_default_dtype as set_default_dtype
def set_default_tensor_type(t: Any, /) -> None:
    """Deprecated: the default dtype, by the name or class of a legacy tensor type."""
from facula._core.settings import set_deterministic_debug_mode as set_deterministic_debug_mode
from facula._core.settings import set_float32_matmul_precision as set_float32_matmul_precision
from facula._core.settings import set_flush_denormal as set_flush_denormal
from facula.autograd.grad_mode import set_grad_enabled as set_grad_enabled
from facula._core.settings import set_num_interop_threads as set_num_interop_threads
from facula._core.settings import set_num_threads as set_num_threads
from facula._printing import set_printoptions as set_printoptions
def set_rng_state(new_state: Any) -> None:
    """Continue the default stream from a state that ``get_rng_state`` gave."""
from facula._core.settings import set_warn_always as set_warn_always
def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Each element divided by its modulus, and 0 for 0; of real numbers the sign."""
def sgn_(self: Tensor) -> Tensor:
    """``sgn``, written into the tensor itself."""
short: dtype
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``1 / (1 + exp(-x))``: any number as one between 0 and 1."""
def sigmoid_(self: Tensor) -> Tensor:
    """``sigmoid``, written into the tensor itself."""
def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-1, 0 or 1, as an element is below, at or above 0."""
def sign_(self: Tensor) -> Tensor:
    """``sign``, written into the tensor itself."""
from facula import signal as signal
def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Where the sign bit is set; that of -0.0 is."""
def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sine of each element, in radians."""
def sin_(self: Tensor) -> Tensor:
    """``sin``, written into the tensor itself."""
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``sin(pi * x) / (pi * x)``, and 1 at 0."""
def sinc_(self: Tensor) -> Tensor:
    """``sinc``, written into the tensor itself."""
def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic sine."""
def sinh_(self: Tensor) -> Tensor:
    """``sinh``, written into the tensor itself."""
def slice_copy(input: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1, *, out: Tensor | None = None) -> Tensor:
    """A copy of a slice of a dimension."""
def slice_scatter(input: Tensor, src: Tensor, dim: builtins.int = 0, start: builtins.int | None = None, end: builtins.int | None = None, step: builtins.int = 1, *, out: Tensor | None = None) -> Tensor:
    """A copy with a slice of a dimension replaced."""
def slogdet(input: Tensor, *, out: Any = None) -> return_types.slogdet:
    """The sign of the determinant, and the logarithm of its absolute value."""
def smm(input: Tensor, mat: Tensor) -> Tensor:
    """The product of a sparse matrix and a dense one, as a sparse one."""
def softmax(input: Tensor, dim: builtins.int, dtype: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Exponentials scaled to sum to 1 along ``dim``."""
def solve(input: Any, *args: Any, **kwargs: Any) -> Any:
    """It was removed; there is ``linalg.solve``."""
def sort(input: Tensor, dim: builtins.int = -1, descending: builtins.bool = False, *, stable: Any = ..., out: Any = None) -> return_types.sort:
    """(values, indices) in ascending order along ``dim``. Equal elements keep their order, asked or not."""
from facula import sparse as sparse
sparse_bsc: layout
sparse_bsr: layout
sparse_coo: layout
def sparse_coo_tensor(indices: Any = None, values: Any = None, size: Any = None, *, dtype: Any = None, device: Any = None, pin_memory: builtins.bool = False, requires_grad: builtins.bool = False, check_invariants: builtins.bool | None = None, is_coalesced: builtins.bool | None = None) -> Tensor:
    """A sparse tensor of ``values`` at ``indices``, which are columns; or, of a size alone, one without values."""
sparse_csc: layout
sparse_csr: layout
from facula import special as special
def split(tensor: Tensor, split_size_or_sections: Any, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """Views of parts of one size, or of the given sizes, along a dimension."""
def split_copy(input: Tensor, split_size: builtins.int, dim: builtins.int = 0, *, out: Any = None) -> tuple[Tensor, ...]:
    """Copies of parts of one size along a dimension."""
def split_with_sizes(input: Tensor, split_sizes: Any, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """Views of parts of the given sizes along a dimension."""
def split_with_sizes_copy(input: Tensor, split_sizes: Any, dim: builtins.int = 0, *, out: Any = None) -> tuple[Tensor, ...]:
    """Copies of parts of the given sizes along a dimension."""
def spmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices."""
def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The square root; NaN below 0."""
def sqrt_(self: Tensor) -> Tensor:
    """``sqrt``, written into the tensor itself."""
def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """``input ** 2``."""
def square_(self: Any) -> Tensor:
    """``square``, written into the tensor itself."""
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """A view without dimensions of size 1."""
def squeeze_copy(input: Tensor, dim: Any = None, *, out: Tensor | None = None) -> Tensor:
    """A copy without dimensions of size 1."""
def sspaddmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``, all of it sparse but ``mat2``."""
def stack(tensors: Any, dim: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors of one shape beside each other along a new dimension."""
def std(input: Tensor, dim: Any = ..., unbiased: Any = ..., keepdim: Any = ..., *, correction: Any = ..., out: Tensor | None = None) -> Tensor:
    """The standard deviation."""
def std_mean(input: Tensor, dim: Any = ..., unbiased: Any = ..., keepdim: Any = ..., *, correction: Any = ...) -> Any:
    """(standard deviation, mean)."""
from facula.autograd.steps import steps as steps
def stft(input: Tensor, n_fft: builtins.int, hop_length: builtins.int | None = None, win_length: builtins.int | None = None, window: Tensor | None = None, center: builtins.bool = True, pad_mode: str = 'reflect', normalized: builtins.bool = False, onesided: builtins.bool | None = None, return_complex: builtins.bool | None = None, align_to_window: builtins.bool | None = None) -> Tensor:
    """Fourier transforms of windows of a signal (or of several), ``hop_length`` apart: (frequencies, windows)."""
from facula import storage as storage
strided: layout
def sub(input: Tensor, other: Tensor | builtins.complex, *, alpha: builtins.float = 1, out: Tensor | None = None) -> Tensor:
    """The difference; ``other`` is first multiplied by ``alpha`` if that is given."""
def sub_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``sub``, written into the tensor itself."""
def subtract(input: Tensor, other: Tensor | builtins.complex, *, alpha: builtins.float = 1, out: Tensor | None = None) -> Tensor:
    """The difference; ``other`` is first multiplied by ``alpha`` if that is given."""
def subtract_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``sub``, written into the tensor itself."""
def sum(input: Tensor, dim: Any = ..., keepdim: builtins.bool = ..., *, dtype: Any = None, out: Tensor | None = None) -> Tensor:
    """The sum of all elements, or along ``dim``. Integers are summed in int64."""
def svd(input: Tensor, some: builtins.bool = True, compute_uv: builtins.bool = True, *, out: Any = None) -> return_types.svd:
    """The singular value decomposition: ``input = U @ diag(S) @ V.mH``."""
def svd_lowrank(A: Tensor, q: builtins.int | None = 6, niter: builtins.int | None = 2, M: Tensor | None = None) -> Any:
    """The singular value decomposition of a matrix (or of ``A - M``) that has about rank ``q``."""
def swapaxes(input: Tensor, axis0: builtins.int, axis1: builtins.int) -> Tensor:
    """``transpose`` under NumPy's name."""
def swapdims(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor:
    """A view with two dimensions exchanged."""
def sym_float(a: Any) -> builtins.float:
    """A number as a float."""
def sym_int(a: Any) -> builtins.int:
    """A number as an integer."""
def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """``t`` if ``b``, else ``f``."""
def sym_max(a: Any, b: Any) -> Any:
    """The larger number; a float if one of them is."""
def sym_min(a: Any, b: Any) -> Any:
    """The smaller number; a float if one of them is."""
def sym_not(a: Any) -> builtins.bool:
    """The opposite of a truth."""
def sym_sqrt(a: Any) -> builtins.float:
    """The square root of a number."""
def sym_sum(args: Any) -> Any:
    """The sum of numbers."""
def symeig(input: Any, *args: Any, **kwargs: Any) -> Any:
    """It was removed; there is ``linalg.eigh``."""
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; vectors and numbers stay as they are."""
def t_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of the transpose of a matrix."""
def take(input: Tensor, index: Any, *, out: Tensor | None = None) -> Tensor:
    """The elements of the flattened tensor at these places."""
def take_along_dim(input: Tensor, indices: Any, dim: builtins.int | None = None, *, out: Tensor | None = None) -> Tensor:
    """``gather`` with indices that are broadcast, and taken modulo the size."""
def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The tangent of each element, in radians."""
def tan_(self: Tensor) -> Tensor:
    """``tan``, written into the tensor itself."""
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic tangent: any number as one between -1 and 1."""
def tanh_(self: Tensor) -> Tensor:
    """``tanh``, written into the tensor itself."""
def tensor(data: Any = ..., *, dtype: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False) -> Tensor:
    """A tensor with a copy of ``data``: a number, nested sequences of numbers, a NumPy array."""
def tensor_split(input: Tensor, indices_or_sections: Any = None, dim: builtins.int = 0, *, indices: Any = None, sections: Any = None, tensor_indices_or_sections: Any = None) -> tuple[Tensor, ...]:
    """Views between the given positions along a dimension, or of as many parts of nearly one size."""
def tensordot(a: Tensor, b: Tensor, dims: Any = 2, *, out: Tensor | None = None) -> Tensor:
    """Sums of products over some dimensions of both: ``dims`` is their number, or a list for each."""
from facula import testing as testing
def threshold(input: Tensor, threshold: builtins.float, value: builtins.float, inplace: builtins.bool = False) -> Tensor:
    """``x`` where it is above ``threshold``, else ``value``."""
def threshold_(input: Tensor, threshold: builtins.float, value: builtins.float, inplace: builtins.bool = False) -> Tensor:
    """The same, written into the input."""
def tile(input: Tensor, dims: Any) -> Tensor:
    """``repeat``, with missing counts in front taken as 1."""
def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule of a tensor."""
def topk(input: Tensor, k: Any, dim: builtins.int = -1, largest: builtins.bool = True, sorted: builtins.bool = True, *, out: Any = None) -> return_types.topk:
    """The ``k`` greatest (or least) elements along ``dim``, as (values, indices)."""
from facula import torch_version as torch_version
def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix."""
def transpose(input: Tensor, dim0: builtins.int, dim1: builtins.int) -> Tensor:
    """A view with two dimensions exchanged."""
def transpose_copy(input: Tensor, dim0: builtins.int, dim1: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """A copy with two dimensions exchanged."""
def trapezoid(y: Tensor, x: Any = None, *, dx: Any = None, dim: builtins.int = -1) -> Tensor:
    """The integral along ``dim`` by the trapezoidal rule."""
def trapz(y: Tensor, x: Any = None, *, dx: Any = None, dim: builtins.int = -1) -> Tensor:
    """The integral along ``dim`` by the trapezoidal rule."""
def triangular_solve(input: Tensor, A: Tensor, upper: builtins.bool = True, transpose: builtins.bool = False, unitriangular: builtins.bool = False, *, out: Any = None) -> Any:
    """``linalg.solve_triangular`` under its old name and with its arguments reversed."""
def tril(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """Zeros above a diagonal."""
def tril_indices(row: builtins.int, col: builtins.int, offset: builtins.int = 0, *, dtype: Any = None, device: Any = None, layout: Any = None) -> Tensor:
    """The row and column numbers on and below a diagonal."""
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: builtins.float = 1.0, p: builtins.float = 2, eps: builtins.float = 1e-06, swap: builtins.bool = False, reduction: builtins.int = 0) -> Tensor:
    """How much farther than the positive, with a margin, the negative should be from the anchor."""
def triu(input: Tensor, diagonal: builtins.int = 0, *, out: Tensor | None = None) -> Tensor:
    """Zeros below a diagonal."""
def triu_indices(row: builtins.int, col: builtins.int, offset: builtins.int = 0, *, dtype: Any = None, device: Any = None, layout: Any = None) -> Tensor:
    """The row and column numbers on and above a diagonal."""
def true_divide(input: Tensor, other: Tensor | builtins.complex, *, out: Tensor | None = None) -> Tensor:
    """``div`` without a rounding mode."""
def true_divide_(self: Tensor, other: Tensor | builtins.complex) -> Tensor:
    """``true_divide``, written into the tensor itself."""
def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The whole part of each element: what is behind the point is left out."""
def trunc_(self: Tensor) -> Tensor:
    """``trunc``, written into the tensor itself."""
from facula._core.settings import typename as typename
from facula import types as types
uint1: dtype
uint16: dtype
uint2: dtype
uint3: dtype
uint32: dtype
uint4: dtype
uint5: dtype
uint6: dtype
uint64: dtype
uint7: dtype
uint8: dtype
def unbind(input: Tensor, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """Views of each index of a dimension."""
def unbind_copy(input: Tensor, dim: builtins.int = 0, *, out: Any = None) -> tuple[Tensor, ...]:
    """Copies of all indices of a dimension."""
def unflatten(input: Tensor, dim: builtins.int, sizes: Any) -> Tensor:
    """Split one dimension into several."""
def unfold_copy(input: Tensor, dimension: builtins.int, size: builtins.int, step: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """A copy of all windows along a dimension."""
def unique(input: Tensor, sorted: builtins.bool = True, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: Any = None) -> Any:
    """The distinct elements (or slices along ``dim``) in order, where each element went, how many there were."""
def unique_consecutive(input: Tensor, return_inverse: builtins.bool = False, return_counts: builtins.bool = False, dim: Any = None) -> Tensor:
    """Without repetitions of the element (or slice) before."""
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """Places in a flattened tensor of a shape as places along each of its dimensions."""
def unsafe_chunk(input: Tensor, chunks: builtins.int, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """``chunk`` without the ban on writing to the parts."""
def unsafe_split(input: Tensor, split_size: Any, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """``split`` without the ban on writing to the parts."""
def unsafe_split_with_sizes(input: Tensor, split_sizes: Any, dim: builtins.int = 0) -> tuple[Tensor, ...]:
    """``split_with_sizes`` without the ban on writing to the parts."""
def unsqueeze(input: Tensor, dim: builtins.int) -> Tensor:
    """A view with a new dimension of size 1."""
def unsqueeze_copy(input: Tensor, dim: builtins.int, *, out: Tensor | None = None) -> Tensor:
    """A copy with a new dimension of size 1."""
from facula._core.settings import use_deterministic_algorithms as use_deterministic_algorithms
from facula import utils as utils
def vander(x: Tensor, N: builtins.int | None = None, increasing: builtins.bool = False) -> Tensor:
    """A matrix whose columns are the powers of a vector."""
def var(input: Tensor, dim: Any = ..., unbiased: Any = ..., keepdim: Any = ..., *, correction: Any = ..., out: Tensor | None = None) -> Tensor:
    """The variance; divided by n - correction, which is 1 unless given."""
def var_mean(input: Tensor, dim: Any = ..., unbiased: Any = ..., keepdim: Any = ..., *, correction: Any = ...) -> Any:
    """(variance, mean)."""
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inner product of two vectors, the first one conjugated."""
from facula import version as version
def view_as_complex(input: Tensor) -> Tensor:
    """A view whose last dimension, of size 2, is taken as real and imaginary part."""
def view_as_complex_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy whose last dimension, of size 2, is taken as real and imaginary part."""
def view_as_real(input: Tensor) -> Tensor:
    """A view with one more dimension, of size 2: the real and the imaginary part."""
def view_as_real_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy as pairs of real and imaginary parts."""
def view_copy(input: Tensor, size: Any = None, *, dtype: Any = None, out: Tensor | None = None) -> Tensor:
    """A copy in another shape, or read as another dtype."""
from facula import viz as viz
from facula.func.vectorize import vmap as vmap
def vsplit(input: Tensor, indices_or_sections: Any = None, *, indices: Any = None, sections: Any = None) -> tuple[Tensor, ...]:
    """Views of parts under each other."""
def vstack(tensors: Any, *, out: Tensor | None = None) -> Tensor:
    """Tensors under each other; vectors are rows."""
from facula._explain.watch import watch as watch
def where(condition: Any, input: Any = None, other: Any = None, *, out: Tensor | None = None) -> Tensor:
    """``input`` where ``condition``, else ``other``. With the condition alone: the indices where it holds."""
from facula._higher_order_ops.while_loop import while_loop as while_loop
from facula._explain.ask import why as why
def xlogy(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """``input * log(other)``, 0 where ``input`` is 0."""
def xlogy_(self: Any, other: Any) -> Tensor:
    """``xlogy``, written into the tensor itself."""
xpu: Any
def zero_(self: Any) -> Tensor:
    """Set every element to 0."""
def zeros(*size: Any, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, **named: Any) -> Tensor:
    """Zeros of a shape."""
def zeros_like(input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: builtins.bool = False, pin_memory: builtins.bool = False, memory_format: Any = None) -> Tensor:
    """Zeros of another tensor's shape, dtype and device."""
