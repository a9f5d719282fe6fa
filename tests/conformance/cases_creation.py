"""Making tensors: from data, filled, ranges, *_like and new_* forms; what dtype, device and flags they get."""

from __future__ import annotations

import array
import os
import tempfile
import warnings
from typing import Any

import numpy as np

from .observe import case, error, see, warned


def brief(fn: Any) -> Any:
    """An error with its message cut to the first line, before PyTorch's listings of signatures and arguments."""
    found = error(fn)
    if "raises" in found:
        message = found["message"].split("\n")[0]
        found["message"] = message.split(" - got ")[0].split(" Exception raised from")[0]
    return found


def kind(t: Any) -> list[Any]:
    """dtype, shape, device, requires_grad of a tensor, without its values."""
    return [str(t.dtype), list(t.shape), str(t.device), t.requires_grad]


# ---- torch.tensor -----------------------------------------------------------------------------------------------


@case
def tensor_infers_dtype_of_python_scalars(torch):
    values = {"bool": True, "int": 3, "float": 2.5, "complex": 1 + 2j, "negative": -7, "big": 2**40}
    return {k: see(torch, torch.tensor(v)) for k, v in values.items()}


@case
def tensor_infers_dtype_of_lists(torch):
    values = {
        "bools": [True, False],
        "ints": [1, 2],
        "floats": [1.0, 2.0],
        "complexes": [1j, 2.0],
        "bool_int": [True, 2],
        "int_bool": [2, True],
        "bool_float": [True, 0.5],
        "int_float": [1, 2.5],
        "float_int": [2.5, 1],
        "int_complex": [1, 1j],
        "empty": [],
        "nested_empty": [[], []],
        "nested_mixed": [[1, 2], [3, 4.5]],
        "tuple": (1, 2, 3),
        "tuple_in_list": [(1, 2), (3, 4)],
        "deep": [[[[1.0]]]],
        "range": range(4),
    }
    return {k: see(torch, torch.tensor(v)) for k, v in values.items()}


@case
def tensor_keeps_dtype_of_numpy_arrays(torch):
    out = {}
    for name in [
        "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16",
        "float32", "float64", "complex64",
    ]:  # fmt: skip
        out[name] = see(torch, torch.tensor(np.array([0, 1], dtype=name)))
    return out


@case
def tensor_of_numpy_scalars(torch):
    return {
        "float64": see(torch, torch.tensor(np.float64(1.5))),
        "float32": see(torch, torch.tensor(np.float32(1.5))),
        "int32": see(torch, torch.tensor(np.int32(3))),
        "uint8": see(torch, torch.tensor(np.uint8(3))),
        "bool": see(torch, torch.tensor(np.bool_(True))),
        "complex64": see(torch, torch.tensor(np.complex64(1j))),
        "list_float64": see(torch, torch.tensor([np.float64(1.5), np.float64(2.5)])),
        "list_float32": see(torch, torch.tensor([np.float32(1.5), np.float32(2.5)])),
        "list_int32": see(torch, torch.tensor([np.int32(1), np.int32(2)])),
        "zero_dim_array": see(torch, torch.tensor(np.array(2.5))),
    }


@case
def tensor_of_list_of_arrays(torch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return see(torch, torch.tensor([np.array([1.0, 2.0]), np.array([3.0, 4.0])]))


@case
def tensor_of_zero_dim_tensors_in_a_list(torch):
    a, b = torch.tensor(1.5), torch.tensor(2)
    return [see(torch, torch.tensor([a, a])), see(torch, torch.tensor([b, b])), see(torch, torch.tensor([a, 2]))]


@case
def tensor_of_one_element_tensors_in_a_list(torch):
    return see(torch, torch.tensor([torch.tensor([1.0]), torch.tensor([2.0])]))


@case
def tensor_of_list_of_longer_tensors_is_an_error(torch):
    return brief(lambda: torch.tensor([torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])]))


@case
def tensor_with_explicit_dtype_converts(torch):
    return {
        "float_to_int": see(torch, torch.tensor([1.9, -1.9], dtype=torch.int64)),
        "int_to_float": see(torch, torch.tensor([1, 2], dtype=torch.float64)),
        "number_to_bool": see(torch, torch.tensor([0, 0.5, 2], dtype=torch.bool)),
        "bool_to_float": see(torch, torch.tensor([True, False], dtype=torch.float32)),
        "to_half": see(torch, torch.tensor([0.1, 65504.0], dtype=torch.float16)),
        "to_bfloat16": see(torch, torch.tensor([0.1, 3.0], dtype=torch.bfloat16)),
        "to_complex": see(torch, torch.tensor([1, 2.0], dtype=torch.complex64)),
        "to_int8": see(torch, torch.tensor([127, -128], dtype=torch.int8)),
    }


@case
def tensor_of_values_too_big_for_the_dtype(torch):
    return {
        "int8": brief(lambda: torch.tensor([300], dtype=torch.int8)),
        "uint8": brief(lambda: torch.tensor([256], dtype=torch.uint8)),
        "uint8_negative": brief(lambda: torch.tensor([-1], dtype=torch.uint8).tolist()),
        "int64": brief(lambda: torch.tensor(2**63)),
        "half_inf": torch.tensor(1e10, dtype=torch.float16).tolist(),
    }


@case
def tensor_of_complex_cannot_become_real(torch):
    return brief(lambda: torch.tensor([1j], dtype=torch.float32))


@case
def tensor_ragged_list_errors(torch):
    return {
        "lengths": brief(lambda: torch.tensor([[1, 2], [3]])),
        "deeper": brief(lambda: torch.tensor([[1, 2], [3, [4]]])),
        "scalar_then_list": brief(lambda: torch.tensor([1, [2]])),
        "list_then_scalar": brief(lambda: torch.tensor([[1], 2])),
        "third_dim": brief(lambda: torch.tensor([[[1, 2], [3, 4]], [[1, 2], [3]]])),
    }


@case
def tensor_of_impossible_data_errors(torch):
    return {
        "none": brief(lambda: torch.tensor(None)),
        "list_with_none": brief(lambda: torch.tensor([1, None])),
        "string": brief(lambda: torch.tensor("abc")),
        "list_of_strings": brief(lambda: torch.tensor(["a", "b"])),
        "dict": brief(lambda: torch.tensor({})),
        "object": brief(lambda: torch.tensor([{}])),
        "no_argument": brief(lambda: torch.tensor()),
        "object_array": brief(lambda: torch.tensor(np.array([None, 1], dtype=object))),
    }


@case
def tensor_requires_grad_only_for_floating(torch):
    return {
        "int": brief(lambda: torch.tensor([1], requires_grad=True)),
        "bool": brief(lambda: torch.tensor([True], requires_grad=True)),
        "zeros_int": brief(lambda: torch.zeros(2, dtype=torch.int64, requires_grad=True)),
        "float": see(torch, torch.tensor([1.0], requires_grad=True)),
        "half": torch.tensor([1.0], dtype=torch.float16, requires_grad=True).requires_grad,
        "complex": see(torch, torch.tensor([1j], requires_grad=True)),
    }


@case
def tensor_copies_numpy_data(torch):
    a = np.array([1.0, 2.0])
    t = torch.tensor(a)
    a[0] = 9
    return see(torch, t)


@case
def tensor_of_tensor_warns_and_copies(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    seen = warned(lambda: torch.tensor(x))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = torch.tensor(x)
        z = torch.tensor(x * 2, requires_grad=True)
    return [seen, see(torch, y), y.is_leaf, y is x, see(torch, z), z.is_leaf]


@case
def tensor_of_tensor_with_other_dtype(torch):
    x = torch.tensor([1, 2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return see(torch, torch.tensor(x, dtype=torch.float64))


@case
def tensor_is_a_leaf_without_grad_fn(torch):
    t = torch.tensor([1.0], requires_grad=True)
    return [t.is_leaf, t.grad_fn, t.grad, t.output_nr, t._version]


@case
def tensor_of_array_module_and_bytes_like(torch):
    return see(torch, torch.tensor(array.array("f", [1.0, 2.0])))


@case
def tensor_of_noncontiguous_and_negative_stride_array(torch):
    a = np.arange(6.0).reshape(2, 3)
    return [
        see(torch, torch.tensor(a.T)),
        torch.tensor(a.T).stride(),
        see(torch, torch.tensor(a[:, 1])),
        brief(lambda: torch.tensor(a[::-1]).tolist()),
    ]


@case
def tensor_of_float64_values_is_rounded_to_default_dtype(torch):
    return [torch.tensor(0.1).item() == 0.1, torch.tensor(0.1, dtype=torch.float64).item() == 0.1]


@case
def tensor_of_special_floats(torch):
    return see(torch, torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0]))


@case
def legacy_constructor_Tensor(torch):
    return {
        "empty": see(torch, torch.Tensor()),
        "sizes": list(torch.Tensor(2, 3).shape),
        "list": see(torch, torch.Tensor([1, 2])),
        "nested": see(torch, torch.Tensor([[1, 2], [3, 4]])),
        "float_tensor": see(torch, torch.FloatTensor([1, 2])),
        "long_tensor": see(torch, torch.LongTensor([1, 2])),
        "double_tensor": see(torch, torch.DoubleTensor([1])),
        "bool_tensor": see(torch, torch.BoolTensor([True, False])),
        "byte_tensor": see(torch, torch.ByteTensor([1, 255])),
        "size": list(torch.Tensor(torch.Size([2, 2])).shape),
        "long_sizes": kind(torch.LongTensor(2, 0)),
    }


@case
def legacy_constructor_isinstance(torch):
    x = torch.zeros(1)
    return [
        isinstance(x, torch.FloatTensor),
        isinstance(x, torch.LongTensor),
        isinstance(torch.tensor([1]), torch.LongTensor),
        isinstance(x, torch.Tensor),
    ]


# ---- as_tensor, from_numpy, asarray, scalar_tensor, frombuffer --------------------------------------------------


@case
def as_tensor_of_tensor_is_the_same_object(torch):
    x = torch.tensor([1.0], requires_grad=True)
    y = torch.as_tensor(x, dtype=torch.float64)
    return [torch.as_tensor(x) is x, torch.as_tensor(x, dtype=torch.float32) is x, see(torch, y)]


@case
def as_tensor_shares_memory_with_numpy(torch):
    a = np.array([1.0, 2.0])
    t = torch.as_tensor(a)
    u = torch.as_tensor(a, dtype=torch.float32)
    a[0] = 9
    return [see(torch, t), see(torch, u)]


@case
def as_tensor_of_lists(torch):
    return [
        see(torch, torch.as_tensor([1, 2])),
        see(torch, torch.as_tensor(3.5)),
        see(torch, torch.as_tensor([1, 2], dtype=torch.float32)),
        see(torch, torch.as_tensor(np.float64(1.0))),
    ]


@case
def from_numpy_shares_both_ways(torch):
    a = np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32)
    t = torch.from_numpy(a)
    a[0, 0] = 10
    t[1, 1] = 40
    t.mul_(2)
    return [see(torch, t), a.tolist()]


@case
def from_numpy_keeps_strides(torch):
    a = np.arange(12).reshape(3, 4)
    return {
        "plain": torch.from_numpy(a).stride(),
        "transposed": torch.from_numpy(a.T).stride(),
        "sliced": torch.from_numpy(a[:, ::2]).stride(),
        "offset": torch.from_numpy(a[1:]).storage_offset(),
        "fortran": torch.from_numpy(np.asfortranarray(a)).stride(),
        "zero_dim": see(torch, torch.from_numpy(np.array(3))),
    }


@case
def from_numpy_dtypes(torch):
    names = "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 float32 float64 complex64 complex128"
    return {n: str(torch.from_numpy(np.zeros(1, dtype=n)).dtype) for n in names.split()}


@case
def from_numpy_errors(torch):
    return {
        "negative_stride": brief(lambda: torch.from_numpy(np.arange(3)[::-1])),
        "list": brief(lambda: torch.from_numpy([1, 2])),
        "object": brief(lambda: torch.from_numpy(np.array([None]))),
        "string": brief(lambda: torch.from_numpy(np.array(["a"]))),
        "scalar": brief(lambda: torch.from_numpy(np.float32(1.0))),
        "big_endian": brief(lambda: torch.from_numpy(np.array([1], dtype=">i8"))),
    }


@case
def asarray_forms(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a = np.array([1.0, 2.0])
    shared, copied = torch.asarray(a), torch.asarray(a, copy=True)
    a[0] = 7
    return {
        "same_tensor": torch.asarray(x, requires_grad=True) is x,
        "without_requires_grad": see(torch, torch.asarray(x, requires_grad=False)),
        "dtype": see(torch, torch.asarray([1, 2], dtype=torch.float64)),
        "shared": see(torch, shared),
        "copied": see(torch, copied),
        "scalar": see(torch, torch.asarray(3)),
        "list": see(torch, torch.asarray([1.0, 2])),
        "requires_grad": see(torch, torch.asarray([1.0], requires_grad=True)),
        "copy_false_impossible": brief(lambda: torch.asarray(a, dtype=torch.float32, copy=False)),
        "copy_false_list": brief(lambda: torch.asarray([1, 2], copy=False)),
    }


@case
def scalar_tensor_is_zero_dim_default_float(torch):
    return [
        see(torch, torch.scalar_tensor(3)),
        see(torch, torch.scalar_tensor(3, dtype=torch.int32)),
        see(torch, torch.scalar_tensor(1.5, requires_grad=True)),
    ]


@case
def frombuffer_shares_and_offsets(torch):
    b = bytearray([1, 2, 3, 4, 5, 6, 7, 8])
    t = torch.frombuffer(b, dtype=torch.uint8)
    b[0] = 99
    return [
        see(torch, t),
        see(torch, torch.frombuffer(b, dtype=torch.int16, count=2, offset=2)),
        brief(lambda: torch.frombuffer(b, dtype=torch.int32, offset=6)),
    ]


@case
def from_dlpack_of_numpy_shares(torch):
    a = np.arange(4.0)
    t = torch.from_dlpack(a)
    a[1] = 50
    return see(torch, t)


@case
def complex_and_polar(torch):
    re, im = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    return [
        see(torch, torch.complex(re, im)),
        see(torch, torch.polar(torch.tensor([1.0, 2.0]), torch.tensor([0.0, 3.141592653589793 / 2]))),
        brief(lambda: torch.complex(re, im.double())),
        brief(lambda: torch.complex(torch.tensor([1]), torch.tensor([1]))),
    ]


# ---- filled -----------------------------------------------------------------------------------------------------


@case
def zeros_ones_size_forms(torch):
    return {
        "varargs": see(torch, torch.zeros(2, 3)),
        "tuple": see(torch, torch.zeros((2, 3))),
        "list": see(torch, torch.ones([2, 1])),
        "size": see(torch, torch.ones(torch.Size([1, 2]))),
        "size_keyword": see(torch, torch.ones(size=(2,))),
        "one": see(torch, torch.ones(2)),
        "zero_dim": see(torch, torch.zeros(())),
        "empty_list": see(torch, torch.ones([])),
        "empty": see(torch, torch.zeros(0)),
        "empty_inner": see(torch, torch.zeros(2, 0, 3)),
        "numpy_int": see(torch, torch.zeros(np.int64(2))),
        "tensor_int": see(torch, torch.zeros(torch.tensor(2))),
    }


@case
def zeros_keyword_arguments(torch):
    return {
        "dtype": see(torch, torch.zeros(2, dtype=torch.int8)),
        "requires_grad": see(torch, torch.zeros(2, requires_grad=True)),
        "device_string": kind(torch.zeros(2, device="cpu")),
        "device": kind(torch.zeros(2, device=torch.device("cpu"))),
        "meta": kind(torch.zeros(2, device="meta")),
        "dtype_none": see(torch, torch.zeros(2, dtype=None, device=None)),
        "layout": see(torch, torch.zeros(2, layout=torch.strided)),
        "pin_memory": see(torch, torch.zeros(2, pin_memory=False)),
    }


@case
def zeros_out_argument(torch):
    out = torch.empty(2, 2)
    r = torch.zeros(2, 2, out=out)
    return [r is out, see(torch, out)]


@case
def every_dtype_can_be_filled(torch):
    names = (
        "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128"
    )
    return {n: see(torch, torch.ones(2, dtype=getattr(torch, n))) for n in names.split()}


@case
def zeros_errors(torch):
    return {
        "negative": brief(lambda: torch.zeros(-1)),
        "negative_second": brief(lambda: torch.zeros(2, -3)),
        "float_size": brief(lambda: torch.zeros(2.0)),
        "string": brief(lambda: torch.zeros("2")),
        "no_size": brief(lambda: torch.zeros()),
        "unknown_keyword": brief(lambda: torch.zeros(2, foo=1)),
        "dtype_is_string": brief(lambda: torch.zeros(2, dtype="float32")),
    }


@case
def full_infers_dtype_from_value(torch):
    return {
        "int": see(torch, torch.full((2,), 3)),
        "float": see(torch, torch.full((2,), 3.0)),
        "bool": see(torch, torch.full((2,), True)),
        "complex": see(torch, torch.full((1,), 1j)),
        "dtype": see(torch, torch.full((2,), 3, dtype=torch.float64)),
        "requires_grad": see(torch, torch.full((2,), 3.0, requires_grad=True)),
        "zero_dim": see(torch, torch.full((), 2)),
        "tensor_value": see(torch, torch.full((2,), torch.tensor(2.5))),
        "inf": see(torch, torch.full([1, 2], float("-inf"))),
        "keywords": see(torch, torch.full(size=(1,), fill_value=7)),
    }


@case
def full_errors(torch):
    return {
        "int_size": brief(lambda: torch.full(2, 3)),
        "no_value": brief(lambda: torch.full((2,))),
        "int_requires_grad": brief(lambda: torch.full((2,), 3, requires_grad=True)),
    }


@case
def empty_forms(torch):
    return [
        kind(torch.empty(2, 3)),
        kind(torch.empty((2, 3), dtype=torch.int32)),
        kind(torch.empty(())),
        kind(torch.empty(2, requires_grad=True)),
        kind(torch.empty(size=(2, 0), dtype=torch.complex64)),
        torch.empty(2, 3, 4).stride(),
        torch.empty_strided((2, 3), (1, 2)).stride(),
        torch.empty_permuted((2, 3, 4), (0, 2, 1)).stride(),
        torch.empty(2, 3, 4, 5, memory_format=torch.channels_last).stride(),
    ]


@case
def eye_forms(torch):
    return {
        "square": see(torch, torch.eye(3)),
        "wide": see(torch, torch.eye(2, 3)),
        "tall": see(torch, torch.eye(3, 2, dtype=torch.int64)),
        "empty": see(torch, torch.eye(0)),
        "keyword": see(torch, torch.eye(n=2, m=2, dtype=torch.bool)),
        "requires_grad": see(torch, torch.eye(2, requires_grad=True)),
        "negative": brief(lambda: torch.eye(-1)),
    }


# ---- ranges -----------------------------------------------------------------------------------------------------


@case
def arange_integer_forms(torch):
    return {
        "end": see(torch, torch.arange(4)),
        "start_end": see(torch, torch.arange(2, 5)),
        "step": see(torch, torch.arange(1, 8, 3)),
        "negative_step": see(torch, torch.arange(5, 0, -2)),
        "empty": see(torch, torch.arange(0)),
        "empty_equal": see(torch, torch.arange(3, 3)),
        "keywords": see(torch, torch.arange(start=1, end=6, step=2)),
        "end_keyword": see(torch, torch.arange(end=3)),
        "numpy_int": see(torch, torch.arange(np.int64(3))),
        "tensor_argument": see(torch, torch.arange(torch.tensor(3))),
        "bool": see(torch, torch.arange(True)),
    }


@case
def arange_float_forms(torch):
    return {
        "end": see(torch, torch.arange(3.0)),
        "fraction_end": see(torch, torch.arange(2.5)),
        "mixed": see(torch, torch.arange(0, 1, 0.25)),
        "rounding": list(torch.arange(1, 1.3, 0.1).shape),
        "negative": see(torch, torch.arange(1.0, -1.0, -0.5)),
        "dtype_int_of_float": see(torch, torch.arange(0, 5.5, dtype=torch.int64)),
        "dtype_float": see(torch, torch.arange(3, dtype=torch.float64)),
        "dtype_half": see(torch, torch.arange(3, dtype=torch.float16)),
        "dtype_bfloat16": see(torch, torch.arange(3, dtype=torch.bfloat16)),
        "dtype_uint8": see(torch, torch.arange(3, dtype=torch.uint8)),
        "requires_grad": see(torch, torch.arange(2.0, requires_grad=True)),
        "float_tensor": see(torch, torch.arange(torch.tensor(2.0))),
    }


@case
def arange_errors(torch):
    return {
        "zero_step": brief(lambda: torch.arange(0, 3, 0)),
        "wrong_sign": brief(lambda: torch.arange(0, 3, -1)),
        "wrong_sign_descending": brief(lambda: torch.arange(3, 0)),
        "infinite": brief(lambda: torch.arange(0, float("inf"))),
        "nan": brief(lambda: torch.arange(float("nan"))),
        "int_requires_grad": brief(lambda: torch.arange(3, requires_grad=True)),
        "bool_dtype": brief(lambda: torch.arange(2, dtype=torch.bool)),
        "string": brief(lambda: torch.arange("3")),
    }


@case
def arange_out(torch):
    out = torch.empty(0, dtype=torch.int64)
    r = torch.arange(3, out=out)
    return [r is out, see(torch, out)]


@case
def range_is_inclusive_and_deprecated(torch):
    def go():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return torch.range(1, 3), torch.range(0, 1, 0.5)

    return [see(torch, go()), [w[0] for w in warned(lambda: torch.range(1, 3))]]


@case
def linspace_forms(torch):
    return {
        "plain": see(torch, torch.linspace(0, 1, 5)),
        "one": see(torch, torch.linspace(2, 5, 1)),
        "zero": see(torch, torch.linspace(2, 5, 0)),
        "descending": see(torch, torch.linspace(3, -3, 4)),
        "int": see(torch, torch.linspace(0, 10, 4, dtype=torch.int64)),
        "double": see(torch, torch.linspace(0, 1, 3, dtype=torch.float64)),
        "complex": see(torch, torch.linspace(0, 1j, 3)),
        "keywords": see(torch, torch.linspace(start=0, end=4, steps=3)),
        "requires_grad": see(torch, torch.linspace(0, 1, 2, requires_grad=True)),
        "tensor_ends": see(torch, torch.linspace(torch.tensor(0.0), torch.tensor(4.0), 3)),
        "no_steps": brief(lambda: torch.linspace(0, 1)),
        "negative_steps": brief(lambda: torch.linspace(0, 1, -1)),
    }


@case
def linspace_ends_are_exact(torch):
    x = torch.linspace(-1, 1, 101)
    return [x[0].item() == -1.0, x[-1].item() == 1.0, bool((x + x.flip(0)).abs().max() < 1e-6)]


@case
def logspace_forms(torch):
    return {
        "plain": see(torch, torch.logspace(0, 2, 3)),
        "base": see(torch, torch.logspace(0, 3, 4, base=2)),
        "one": see(torch, torch.logspace(1, 5, 1)),
        "zero": see(torch, torch.logspace(1, 5, 0)),
        "int": see(torch, torch.logspace(0, 3, 4, base=2, dtype=torch.int64)),
        "negative": see(torch, torch.logspace(-1, 1, 3, dtype=torch.float64)),
    }


# ---- triangles --------------------------------------------------------------------------------------------------


@case
def tril_triu_values(torch):
    x = torch.arange(1, 13).reshape(3, 4)
    return {f"{f}_{k}": getattr(torch, f)(x, k).tolist() for f in ("tril", "triu") for k in (-3, -1, 0, 1, 4)}


@case
def tril_triu_on_batches_and_methods(torch):
    x = torch.ones(2, 2, 3)
    y = torch.ones(2, 2)
    r = y.triu_(1)
    return [see(torch, x.tril()), see(torch, x.triu(diagonal=1)), r is y, see(torch, y)]


@case
def tril_of_bool_and_error_of_vector(torch):
    m = torch.ones(3, 3, dtype=torch.bool)
    return [see(torch, torch.tril(m)), brief(lambda: torch.tril(torch.ones(3)))]


@case
def tril_gradient(torch):
    x = torch.ones(3, 3, requires_grad=True)
    y = torch.tril(x * 2)
    y.sum().backward()
    return [see(torch, y), see(torch, x.grad), y.grad_fn.name()]


@case
def tril_indices_values(torch):
    return [
        see(torch, torch.tril_indices(3, 3)),
        see(torch, torch.triu_indices(3, 3, 1)),
        see(torch, torch.tril_indices(2, 3, -1, dtype=torch.int32)),
    ]


@case
def diag_forms(torch):
    return {
        "build": see(torch, torch.diag(torch.tensor([1.0, 2.0]))),
        "build_offset": see(torch, torch.diag(torch.tensor([1, 2]), 1)),
        "take": see(torch, torch.diag(torch.arange(6).reshape(2, 3))),
        "diag_embed": see(torch, torch.diag_embed(torch.tensor([[1, 2], [3, 4]]))),
        "diagflat": see(torch, torch.diagflat(torch.tensor([[1, 2], [3, 4]]), -1)),
        "vander": see(torch, torch.vander(torch.tensor([1, 2, 3]))),
        "block_diag": see(torch, torch.block_diag(torch.ones(1, 2), torch.tensor([[3.0]]))),
    }


@case
def meshgrid_and_cartesian_prod(torch):
    a, b = torch.tensor([1, 2, 3]), torch.tensor([4, 5])
    return [
        see(torch, torch.meshgrid(a, b, indexing="ij")),
        see(torch, torch.meshgrid(a, b, indexing="xy")),
        see(torch, torch.cartesian_prod(a, b)),
        see(torch, torch.combinations(a)),
        type(torch.meshgrid(a, b, indexing="ij")).__name__,
    ]


# ---- *_like and new_* -------------------------------------------------------------------------------------------


@case
def like_functions_take_dtype_and_shape(torch):
    x = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
    return {
        "zeros_like": see(torch, torch.zeros_like(x)),
        "ones_like": see(torch, torch.ones_like(x)),
        "full_like": see(torch, torch.full_like(x, 5)),
        "empty_like": kind(torch.empty_like(x)),
        "rand_like": kind(torch.rand_like(x)),
        "randn_like": kind(torch.randn_like(x)),
        "randint_like": kind(torch.randint_like(x, 3)),
        "dtype": see(torch, torch.zeros_like(x, dtype=torch.int32)),
        "requires_grad": see(torch, torch.ones_like(x, requires_grad=True)),
        "device": kind(torch.zeros_like(x, device="meta")),
    }


@case
def full_like_keeps_integer_dtype(torch):
    return [
        see(torch, torch.full_like(torch.tensor([1, 2]), 2.7)),
        see(torch, torch.full_like(torch.tensor([True]), 3)),
        see(torch, torch.full_like(torch.tensor([1.0]), True)),
    ]


@case
def like_of_transposed_keeps_strides(torch):
    x = torch.ones(2, 3).t()
    y = torch.ones(4, 3, 2).permute(2, 0, 1)
    return [
        torch.zeros_like(x).stride(),
        torch.empty_like(y).stride(),
        torch.ones_like(y, memory_format=torch.contiguous_format).stride(),
        torch.zeros_like(torch.ones(3).expand(2, 3)).stride(),
        torch.zeros_like(torch.ones(4, 6)[::2, ::3]).stride(),
        torch.zeros_like(torch.ones(4, 6)[::2, ::3].t()).stride(),
        y.clone().stride(),
        (y + 1).stride(),
    ]


@case
def like_of_int_with_rand_is_an_error(torch):
    x = torch.tensor([1, 2])
    return [brief(lambda: torch.rand_like(x)), brief(lambda: torch.randn_like(x)), kind(torch.rand_like(x.float()))]


@case
def like_of_a_list_is_an_error(torch):
    return brief(lambda: torch.zeros_like([1, 2]))


@case
def new_functions_take_dtype_of_self(torch):
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    return {
        "new_zeros": see(torch, x.new_zeros(2, 2)),
        "new_zeros_tuple": see(torch, x.new_zeros((1, 2))),
        "new_ones": see(torch, x.new_ones(2)),
        "new_ones_tuple": see(torch, x.new_ones((2,), dtype=torch.int32)),
        "new_full": see(torch, x.new_full((2,), 7)),
        "new_empty": kind(x.new_empty(3, 1)),
        "new_empty_strided": x.new_empty_strided((2, 3), (1, 2)).stride(),
        "new_tensor": see(torch, x.new_tensor([1, 2])),
        "new_tensor_keywords": see(torch, x.new_tensor([1, 2], dtype=torch.float32, requires_grad=True)),
        "new_zeros_requires_grad": see(torch, x.new_zeros(1, requires_grad=True)),
        "new_zeros_device": kind(x.new_zeros(1, device="meta")),
        "new_ones_size": see(torch, x.new_ones(size=(1,))),
    }


@case
def new_tensor_of_int_tensor_truncates_floats(torch):
    return see(torch, torch.tensor([1]).new_tensor([1.9, -1.9]))


@case
def new_legacy(torch):
    x = torch.tensor([1, 2])
    return [kind(x.new(2, 3)), see(torch, x.new([4, 5])), kind(x.new())]


@case
def clone_and_copy_underscore(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.clone()
    z = torch.zeros(2, dtype=torch.int64)
    r = z.copy_(torch.tensor([1.7, -2.7]))
    w = torch.zeros(2, 2)
    w.copy_(x)
    return [see(torch, y), r is z, see(torch, z), see(torch, w), brief(lambda: torch.zeros(3).copy_(torch.ones(2)))]


@case
def fill_and_zero_underscore(torch):
    x = torch.ones(2, 2)
    a = x.fill_(3) is x
    y = torch.ones(2, dtype=torch.int32).fill_(2.9)
    z = torch.ones(2).fill_(torch.tensor(4.0))
    return [
        a,
        see(torch, x),
        see(torch, y),
        see(torch, z),
        see(torch, x.zero_()),
        brief(lambda: x.fill_(torch.ones(2))),
    ]


@case
def fill_diagonal(torch):
    x = torch.zeros(3, 3).fill_diagonal_(5)
    y = torch.zeros(5, 2).fill_diagonal_(1, wrap=True)
    return [see(torch, x), see(torch, y)]


@case
def requires_grad_underscore_and_setter(torch):
    x = torch.ones(1)
    r = x.requires_grad_()
    i = torch.ones(1, dtype=torch.int64)

    def set_on_int():
        i.requires_grad = True

    def unset_on_nonleaf():
        y = x * 2
        y.requires_grad = False

    return [
        r is x,
        x.requires_grad,
        x.requires_grad_(False).requires_grad,
        brief(lambda: i.requires_grad_()),
        brief(set_on_int),
        (x.requires_grad_(), brief(unset_on_nonleaf))[1],
        brief(lambda: (x * 2).requires_grad_(False)),
        (x * 2).requires_grad_().requires_grad,
    ]


@case
def one_hot_and_bincount(torch):
    x = torch.tensor([0, 2, 1])
    return [
        see(torch, torch.nn.functional.one_hot(x)),
        see(torch, torch.nn.functional.one_hot(x, num_classes=4)),
        see(torch, torch.bincount(torch.tensor([0, 2, 2, 5]))),
        brief(lambda: torch.nn.functional.one_hot(x, num_classes=2)),
        brief(lambda: torch.nn.functional.one_hot(torch.tensor([1.0]))),
    ]


@case
def default_dtype_changes_creation(torch):
    try:
        torch.set_default_dtype(torch.float64)
        return {
            "get": str(torch.get_default_dtype()),
            "tensor": str(torch.tensor(1.0).dtype),
            "tensor_int": str(torch.tensor(1).dtype),
            "complex": str(torch.tensor(1j).dtype),
            "zeros": str(torch.zeros(1).dtype),
            "arange_float": str(torch.arange(2.0).dtype),
            "arange_int": str(torch.arange(2).dtype),
            "full": str(torch.full((1,), 1.5).dtype),
            "rand": str(torch.rand(1).dtype),
            "int_divided": str((torch.tensor(1) / 2).dtype),
            "int_times_float": str((torch.tensor([1]) * 2.0).dtype),
            "sqrt_int": str(torch.tensor(4).sqrt().dtype),
            "Tensor": str(torch.Tensor([1]).dtype),
            "numpy32": str(torch.tensor(np.float32(1)).dtype),
        }
    finally:
        torch.set_default_dtype(torch.float32)


@case
def set_default_dtype_errors(torch):
    return [
        brief(lambda: torch.set_default_dtype(torch.int64)),
        brief(lambda: torch.set_default_dtype("float32")),
        str(torch.get_default_dtype()),
    ]


@case
def default_half_dtype_changes_creation(torch):
    try:
        torch.set_default_dtype(torch.bfloat16)
        return [str(torch.tensor(1.0).dtype), str(torch.zeros(1).dtype), str((torch.tensor(1) / 2).dtype)]
    finally:
        torch.set_default_dtype(torch.float32)


@case
def linspace_is_the_same_to_the_last_bit(torch):
    ends = ((1, 127, 50), (77, -69, 53), (-3, 100, 11), (5, 5, 4), (0.7, 9.6, 8))
    kinds = (torch.int64, torch.int8, torch.float32, torch.float64)
    seen = [torch.linspace(*given, dtype=d).tolist() for given in ends for d in kinds]
    large = torch.linspace(0, 2**62, 7, dtype=torch.int64).tolist()
    return [seen, large, error(lambda: torch.linspace(0, 300, 7, dtype=torch.int8))]


@case
def arrays_among_numbers_in_lists(torch):
    ones = np.ones
    lists = (
        [1.0, np.array(3)], [1, np.array(3.5)], [[1, 2], [np.array(3), 4]], [1.0, ones(1)],
        [ones((2, 3)), ones((2, 2))], [ones((2, 3)), ones(2)], [ones(2), ones((2, 2))], [ones(3), [1, 2, 3]],
        [ones(3), [1, 2, [3]]], [ones(3), "abc"],
        [[ones(3), 1.0]], [[ones(3), None]], [[1, 2], np.array(3)], [1, ones((2, 2))], [0, "torch"], [ones(3), 1.0],
    )  # fmt: skip

    def made(data):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return see(torch, torch.tensor(data))

    return [brief(lambda data=data: made(data)) for data in lists]


@case
def what_constructors_refuse(torch):
    i = torch.tensor([1.0])
    return [
        error(lambda: torch.Tensor(i, device="cpu")), error(lambda: i.new(i, device="cpu")),
        error(lambda: torch.FloatTensor(i, device="cpu")), error(lambda: torch.randint(6, (2,), dtype=torch.complex64)),
        error(lambda: torch.asarray(np.float64(0.5), copy=False)),
        [text.split(" (Triggered")[0] for _, text in warned(lambda: torch.arange(5, out=torch.empty(1, 4)))],
        warned(lambda: torch.arange(5, out=torch.empty(0))),
    ]  # fmt: skip


@case
def tensors_in_files(torch):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "numbers")
        np.arange(10.0).tofile(path)
        own = torch.from_file(path, size=10, dtype=torch.float64)
        part = torch.from_file(path, False, 3, dtype=torch.float64)
        part.fill_(7)
        shared = torch.from_file(path, shared=True, size=12, dtype=torch.float64)
        shared[3:].fill_(5)
        text = brief(lambda: torch.from_file(path, size=13, dtype=torch.float64))["message"].replace(folder, "")
        nothing = torch.from_file(path)
        return [see(torch, [own.clone(), part.clone(), nothing]), np.fromfile(path).tolist(), text]


@case
def cat_of_parts_with_channels_last(torch):
    x = torch.arange(24.0).reshape(2, 2, 3, 2).to(memory_format=torch.channels_last)
    y = torch.arange(48.0).reshape(2, 2, 3, 2, 2).to(memory_format=torch.channels_last_3d)
    lists = (
        ((x[:, :, :2], x[:, :, 1:]), -1), ((x[:, :, :2],) * 2, 0), ((x[:, :1], x[:, 1:]), 1), ((y[:, :, :2],) * 2, 2),
    )  # fmt: skip
    return [[see(torch, t := torch.cat(ts, dim)), list(t.stride())] for ts, dim in lists]


@case
def asarray_keeps_the_history_of_a_tensor(torch):
    leaf = torch.ones(2, requires_grad=True)
    found = []
    for t in (leaf, leaf * 3, leaf.detach()):
        for options in (
            {"requires_grad": True}, {"requires_grad": None}, {"copy": True, "requires_grad": None},
            {"dtype": torch.float64, "requires_grad": None}, {"dtype": torch.float64, "requires_grad": True},
            {"copy": True, "requires_grad": True},
        ):  # fmt: skip
            with warnings.catch_warnings():  # that None is new
                warnings.simplefilter("ignore")
                a = torch.asarray(t, **options)
            found.append([a is t, a.requires_grad, a.is_leaf, type(a.grad_fn).__name__])
    return found


@case
def more_than_64_dimensions(torch):
    torch.manual_seed(0)
    x = torch.empty([1] * 65).uniform_()
    drawn = torch.randn([2] * 2 + [1] * 65)
    reductions = ("sum", "mean", "prod", "amax", "argmin", "all", "nansum", "count_nonzero", "norm", "max")
    return [
        x.dim(), len(x.shape), x.numel(), x.is_contiguous(), list(drawn.shape[:4]), list(drawn.stride()[:4]), x.item(),
        *[error(lambda name=name: getattr(torch, name)(x, dim=0)) for name in reductions],
        *[error(lambda name=name: getattr(torch, name)(x, dim=-1)) for name in reductions],
    ]  # fmt: skip


@case
def old_classes_are_no_bases(torch):
    return [
        *[error(lambda c=c: type("Mine", (c,), {})) for c in (torch.FloatTensor, torch.IntTensor)],
        error(lambda: type("Mine", (torch.sparse.FloatTensor,), {})),
        error(lambda: torch.Generator().manual_seed(True)), error(lambda: torch.Generator().manual_seed(None)),
    ]  # fmt: skip


@case
def ranges_are_counted_in_floating_point_unless_int64(torch):
    found = {str(d): see(torch, torch.arange(1.7, 2.7, dtype=d)) for d in (torch.int32, torch.uint8, torch.int64)}
    found["too far"] = [error(lambda n=n: torch.arange(n)) for n in (2**63, 2**70)]
    found["too far down"] = error(lambda: torch.arange(-(2**63) - 1, 0, dtype=torch.int64))
    return found


@case
def inference_tensors_are_filled_in_inference_mode_only(torch):
    with torch.inference_mode():
        x = torch.ones(3)
        inside = see(torch, torch.arange(3.0, out=torch.ones(3)))
    makers = {
        "arange": lambda: torch.arange(3.0, out=x), "zeros": lambda: torch.zeros(3, out=x),
        "full": lambda: torch.full((3,), 2.0, out=x), "ones": lambda: torch.ones(2, out=x),
        "linspace": lambda: torch.linspace(0, 1, 3, out=x), "rand": lambda: torch.rand(3, out=x),
    }
    found = {name: error(fn) for name, fn in makers.items()}
    return inside, found, list(torch.empty(3, out=x).shape), see(torch, x)


@case
def old_constructors_of_several_arguments(torch):
    x = torch.ones(2)
    calls = (
        lambda: torch.LongTensor((6, 0), 1, 1, 0), lambda: torch.LongTensor((6, 0), 1), lambda: torch.Tensor([1], [2]),
        lambda: torch.Tensor(1, 2, "a"), lambda: torch.Tensor(1, 2.5), lambda: torch.Tensor("a", 1),
        lambda: torch.Tensor(1, None),
        lambda: torch.LongTensor(1, (2,)), lambda: torch.Tensor(2.5, 1), lambda: torch.Tensor(True, 1),
        lambda: torch.Tensor(x, 2),
        lambda: torch.Tensor(1, True).shape, lambda: torch.LongTensor(torch.tensor(2), 3).shape,
        lambda: torch.Tensor(None),
        lambda: torch.Tensor(1, torch.tensor(2.5)), lambda: torch.Tensor(2, torch.tensor(3)).shape,
        lambda: torch.Tensor(1.5),
        lambda: x.new((6, 0), 1), lambda: x.new(1, "a"), lambda: x.new(torch.tensor(2), True).shape,
    )  # fmt: skip
    return [error(f) for f in calls]


@case
def tensors_to_write_into_come_to_require_gradients(torch):
    ones = torch.ones
    made = [
        torch.full((2,), 3.0, out=ones(2), requires_grad=True), torch.zeros((2,), out=ones(2), requires_grad=True),
        torch.ones((2,), out=torch.zeros(2), requires_grad=True), torch.arange(3, out=ones(3), requires_grad=True),
        torch.linspace(0, 1, 3, out=ones(3), requires_grad=True), torch.eye(2, out=ones(2, 2), requires_grad=True),
        torch.logspace(0, 1, 3, out=ones(3), requires_grad=True),
    ]  # fmt: skip
    drawn = [
        torch.empty((2,), out=ones(2), requires_grad=True), torch.rand(3, out=ones(3), requires_grad=True),
        torch.randint(3, (2,), out=ones(2), requires_grad=True), torch.randn((2,), out=ones(2), requires_grad=True),
        torch.randperm(2, out=ones(2), requires_grad=True),
    ]  # fmt: skip
    integers = error(lambda: torch.empty((2,), out=ones(2, dtype=torch.int64), requires_grad=True))
    return [see(torch, made), [t.requires_grad for t in drawn], integers]


@case
def lists_that_hold_themselves(torch):
    one, two = [], [0]
    one.append(one)
    two.append(two)
    return [error(lambda v=v: torch.tensor(v)) for v in (one, two, [1, one], [[1, 2], two])] + [
        error(lambda: torch.as_tensor(two)), error(lambda: torch.empty([0, 4, 2**61]))
    ]


@case
def values_between_two_ends(torch):
    told = []
    for dtype in (torch.float32, torch.float64, torch.int64):
        for start, end, steps in ((0, 1, 7), (-3.3, 9.7, 12), (5, 5, 3), (2, 0, 3), (0, 100, 2), (0, 1, 0), (7, 9, 1)):
            told.append(see(torch, torch.linspace(start, end, steps, dtype=dtype)))
    return told


@case
def numbers_that_integers_cannot_hold(torch):
    numbers = [70000.0, float("nan"), float("inf"), -1.0, -0.5, 300.7, -1, -256, 2**63, -(2**63), 2**64, True, 1.9]
    told = []
    for name in ("int8", "uint8", "uint16", "uint32", "uint64", "int32", "int64", "bool", "float16"):
        dtype = getattr(torch, name)
        for v in numbers:
            told.append([error(lambda x=x, d=dtype: torch.tensor(x, dtype=d).tolist()) for x in (v, [1, v])])
    return told


@case
def scalar_tensors_of_numbers_that_do_not_fit(torch):
    return [
        error(lambda v=v, d=d: torch.scalar_tensor(v, dtype=getattr(torch, d)).tolist())
        for v in (70000.0, float("nan"), -1.0, -1, 1.9, 2**31, 1j)
        for d in ("int8", "uint8", "int32", "int64", "float32", "bool", "complex64")
    ]
