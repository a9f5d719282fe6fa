"""The names that facula gives: all of ``__all__``, and what PyTorch's users need of the core."""

from __future__ import annotations

import subprocess
import sys
import types

import pytest

import facula


def words(text: str) -> list[str]:
    return text.split()


FUNCTIONS = words(
    """
    abs acos acosh add addcdiv addcmul addmm all allclose amax amin angle any arange argmax argmin argsort
    as_strided as_tensor asarray asin asinh atan atan2 atanh atleast_1d atleast_2d atleast_3d baddbmm bernoulli
    bincount bitwise_and bitwise_not bitwise_or bitwise_xor block_diag bmm broadcast_tensors broadcast_to
    bucketize can_cast cartesian_prod cat cdist ceil chunk clamp clone column_stack combinations complex concat
    conj copysign corrcoef cos cosh count_nonzero cov cross cummax cummin cumprod cumsum deg2rad det diag
    diag_embed diagflat diagonal diff digamma dist div dot dsplit dstack einsum empty empty_like empty_permuted
    empty_strided eq equal erf erfc erfinv exp exp2 expm1 eye flatten flip fliplr flipud float_power floor
    floor_divide fmax fmin fmod frac from_dlpack from_numpy frombuffer full full_like gather gcd ge
    get_default_device get_default_dtype get_rng_state gt heaviside histc hsplit hstack hypot i0 imag index_add
    index_copy index_select initial_seed inner inverse is_complex is_floating_point is_grad_enabled is_inference
    is_nonzero is_storage is_tensor isclose isfinite isin isinf isnan isneginf isposinf isreal kron kthvalue lcm
    ldexp le lerp lgamma linspace load log log10 log1p log2 logaddexp logaddexp2 logcumsumexp logdet logical_and
    logical_not logical_or logical_xor logit logspace logsumexp lt manual_seed masked_fill masked_select matmul
    matrix_power max maximum mean median meshgrid min minimum mm mode moveaxis movedim mul multinomial mv
    mvlgamma nan_to_num nanmean nanmedian nanquantile nansum narrow ne neg nextafter nonzero norm normal numel
    ones ones_like outer permute poisson polar polygamma pow prod promote_types quantile rad2deg rand rand_like
    randint randint_like randn randn_like randperm ravel real reciprocal relu remainder repeat_interleave
    reshape result_type roll rot90 round rsqrt save scalar_tensor scatter scatter_add searchsorted seed select
    set_default_device set_default_dtype set_default_tensor_type set_grad_enabled set_printoptions set_rng_state
    sgn sigmoid sign signbit sin sinc sinh slogdet softmax sort split sqrt square squeeze stack std std_mean sub
    sum swapaxes swapdims t take take_along_dim tan tanh tensor tensor_split tensordot tile topk trace transpose
    trapezoid tril tril_indices triu triu_indices true_divide trunc unbind unflatten unique unique_consecutive
    unsqueeze vander var var_mean vdot view_as_complex view_as_real vsplit vstack where xlogy zeros zeros_like
    """
)

CLASSES = words(
    """
    BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor Generator HalfTensor IntTensor LongTensor
    ShortTensor Size Tensor device dtype enable_grad finfo iinfo inference_mode layout memory_format no_grad
    set_grad_enabled
    """
)

CONSTANTS = words(
    """
    bfloat16 bool cdouble cfloat channels_last complex128 complex64 contiguous_format default_generator double e
    float float16 float32 float64 half inf int int16 int32 int64 int8 long nan newaxis pi preserve_format short
    strided uint16 uint32 uint64 uint8
    """
)

METHODS = words(
    """
    __array__ __bool__ __complex__ __contains__ __deepcopy__ __dlpack__ __dlpack_device__ __float__ __format__
    __getitem__ __hash__ __index__ __int__ __invert__ __iter__ __len__ __matmul__ __reduce_ex__ __reversed__
    __setitem__ add_ as_subclass backward bernoulli_ bfloat16 bool byte cauchy_ cdouble cfloat char clone
    contiguous copy_ cpu data_ptr detach detach_ device dim double dtype element_size expand expand_as
    exponential_ fill_ fill_diagonal_ float geometric_ grad grad_fn half int is_contiguous is_leaf item itemsize
    layout log_normal_ long mT nbytes ndim new_empty new_full new_ones new_tensor new_zeros normal_ numel numpy
    random_ register_hook repeat requires_grad requires_grad_ retain_grad shape short size storage_offset stride
    sum_to_size to tolist type type_as uniform_ untyped_storage view view_as zero_
    """
)

SUBMODULES = ["autograd", "backends", "cuda", "nn", "optim", "overrides", "random", "utils"]


def test_every_name_of_all_resolves() -> None:
    assert sorted(facula.__all__) == facula.__all__
    assert [name for name in facula.__all__ if not hasattr(facula, name)] == []


def test_all_has_no_private_names_and_no_operator_files() -> None:
    assert [name for name in facula.__all__ if name.startswith("_")] == []
    modules = [name for name in facula.__all__ if isinstance(getattr(facula, name), types.ModuleType)]
    assert [name for name in modules if getattr(facula, name).__name__.startswith("facula.ops")] == []


@pytest.mark.parametrize("names", [FUNCTIONS, CLASSES, CONSTANTS], ids=["functions", "classes", "constants"])
def test_names_that_the_core_needs(names: list[str]) -> None:
    assert [name for name in names if not hasattr(facula, name)] == []


def test_methods_that_the_core_needs() -> None:
    assert [name for name in METHODS if not hasattr(facula.Tensor, name)] == []


@pytest.mark.parametrize("name", SUBMODULES)
def test_submodules_load_when_asked_for(name: str) -> None:
    assert isinstance(getattr(facula, name), types.ModuleType)


def test_a_missing_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'facula' has no attribute 'no_such_thing'"):
        _ = facula.no_such_thing  # type: ignore[attr-defined]


def test_import_loads_nothing_heavy() -> None:
    """What takes long to import waits until it is needed."""
    heavy = ["scipy", "ml_dtypes", "numpy.random", "facula.nn", "facula.optim", "facula.serialization"]
    code = f"import sys, facula; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_star_import_gives_what_all_says() -> None:
    scope: dict[str, object] = {}
    exec("from facula import *", scope)
    assert set(facula.__all__) <= scope.keys()
