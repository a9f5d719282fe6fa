"""Tensors out and in: Python numbers, NumPy, DLPack, pickle, copies, formats, .to(), subclasses, attributes."""

from __future__ import annotations

import copy
import io
import math
import operator
import pickle
import warnings
from typing import Any

import numpy as np

from .cases_creation import brief, kind
from .observe import case, error, name_of, see, warned


def quietly(fn: Any) -> Any:
    """Call without warnings: NumPy 2 complains of the protocol that PyTorch's tensors speak."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fn()


def array_facts(a: Any) -> list[Any]:
    """Type, dtype, shape and values of what NumPy gave."""
    return [type(a).__name__, str(a.dtype), list(a.shape), a.tolist()]


# ---- Python numbers ---------------------------------------------------------------------------------------------


@case
def item_gives_python_types(torch):
    values = {
        "float": torch.tensor(1.5),
        "double": torch.tensor(0.1, dtype=torch.float64),
        "half": torch.tensor(1.5, dtype=torch.float16),
        "bfloat16": torch.tensor(1.5, dtype=torch.bfloat16),
        "int": torch.tensor(3),
        "uint8": torch.tensor(3, dtype=torch.uint8),
        "bool": torch.tensor(True),
        "complex": torch.tensor(1j),
        "one_element": torch.tensor([[7]]),
        "requires_grad": torch.tensor(2.0, requires_grad=True),
    }
    return {k: [type(v.item()).__name__, str(v.item())] for k, v in values.items()}


@case
def item_errors(torch):
    return [brief(lambda: torch.ones(2).item()), brief(lambda: torch.ones(0).item())]


@case
def float32_item_is_the_rounded_value(torch):
    return repr(torch.tensor(0.1).item())


@case
def tolist_forms(torch):
    return {
        "zero_dim": [torch.tensor(3).tolist(), type(torch.tensor(3).tolist()).__name__],
        "vector": torch.tensor([1.5, 2.5]).tolist(),
        "matrix": torch.tensor([[1, 2], [3, 4]]).tolist(),
        "bool": torch.tensor([True]).tolist(),
        "empty": torch.ones(0).tolist(),
        "empty_rows": torch.ones(2, 0).tolist(),
        "transposed": torch.arange(6).reshape(2, 3).t().tolist(),
        "requires_grad": torch.ones(2, requires_grad=True).tolist(),
        "bfloat16": torch.tensor([1.5], dtype=torch.bfloat16).tolist(),
        "complex": str(torch.tensor([1 + 2j]).tolist()),
        "types": [type(v).__name__ for v in torch.tensor([1.0]).tolist() + torch.tensor([1]).tolist()],
    }


@case
def python_conversions(torch):
    return {
        "int": [int(torch.tensor(2.9)), int(torch.tensor(-2.9)), int(torch.tensor([5])), int(torch.tensor(True))],
        "float": [float(torch.tensor(3)), float(torch.tensor([[2.5]]))],
        "complex": str(complex(torch.tensor(1j))),
        "complex_of_real": str(complex(torch.tensor(2.0))),
        "bool": [bool(torch.tensor(0.0)), bool(torch.tensor([2])), bool(torch.tensor(float("nan")))],
        "abs": see(torch, abs(torch.tensor([-1.5, 2.0]))),
        "math": math.sqrt(torch.tensor(4.0)),
        "sum_builtin": see(torch, sum([torch.tensor(1.0), torch.tensor(2.0)])),
        "max_builtin": max(torch.tensor(1.0), torch.tensor(2.0)).item(),
        "floor": see(torch, torch.tensor(2.5).floor()),
    }


@case
def python_conversion_errors(torch):
    many = torch.ones(2)
    return {
        "int": brief(lambda: int(many)),
        "float": brief(lambda: float(many)),
        "complex": error(lambda: complex(many)),
        "bool": brief(lambda: bool(many)),
        "bool_empty": brief(lambda: bool(torch.ones(0))),
        "float_of_complex": brief(lambda: float(torch.tensor(1j))),
        "int_of_nan": brief(lambda: int(torch.tensor(float("nan")))),
        "if_and": brief(lambda: many and 1),
        "not": brief(lambda: not many),
    }


@case
def index_protocol(torch):
    letters = ["a", "b", "c"]
    return {
        "list": letters[torch.tensor(1)],
        "slice": letters[torch.tensor(1) :],
        "range": list(range(torch.tensor(2))),
        "one_element": letters[torch.tensor([2])],
        "bool": letters[torch.tensor(True)],
        "float": brief(lambda: letters[torch.tensor(1.0)]),
        "many": brief(lambda: letters[torch.tensor([0, 1])]),
        "repeat": "ab" * torch.tensor(2),
        "hex": hex(torch.tensor(255)),
    }


@case
def len_and_iteration(torch):
    x = torch.arange(6).reshape(3, 2)
    a, b, _ = x
    return {
        "len": len(x),
        "items": [row.tolist() for row in x],
        "unpack": see(torch, b),
        "views": a.data_ptr() == x.data_ptr(),
        "scalars": [type(v).__name__ for v in torch.tensor([1, 2])],
        "enumerate": [i for i, _ in enumerate(x)],
        "reversed": [r.tolist() for r in reversed(torch.tensor([1, 2, 3]))],
        "zip": [[p.item(), q.item()] for p, q in zip(torch.tensor([1, 2]), torch.tensor([3, 4]), strict=True)],
        "list_of_empty": list(torch.ones(0)),
        "len_zero_dim": brief(lambda: len(torch.tensor(1))),
        "iter_zero_dim": brief(lambda: iter(torch.tensor(1))),
        "unpack_zero_dim": error(lambda: (lambda p: [*p])(torch.tensor(1)))["raises"],
    }


@case
def iteration_gradients(torch):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    parts = list(x)
    sum(p * (i + 1) for i, p in enumerate(parts)).backward()
    return [see(torch, parts[1]), see(torch, x.grad)]


@case
def contains_operator(torch):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    return {
        "number": [2 in x, 5 in x],
        "zero_dim_tensor": torch.tensor(3.0) in x,
        "row": torch.tensor([1.0, 9.0]) in x,
        "bool": True in torch.tensor([False]),
        "string": brief(lambda: "a" in x),
        "none": brief(lambda: None in x),
        "nan": float("nan") in torch.tensor([float("nan")]),
    }


@case
def hash_is_by_identity(torch):
    a, b = torch.tensor([1.0]), torch.tensor([1.0])
    d = {a: "a", b: "b"}
    return [d[a], d[b], len({a, b, a}), hash(a) == hash(b), hash(a) == id(a)]


@case
def equality_is_elementwise(torch):
    a = torch.tensor([1, 2, 3])
    return [
        see(torch, a == torch.tensor([1, 0, 3])),
        see(torch, a != 2),
        torch.equal(a, torch.tensor([1, 2, 3])),
        torch.equal(a, torch.tensor([1.0, 2.0, 3.0])),
        torch.equal(a, torch.tensor([1, 2])),
        brief(lambda: a == torch.tensor([1, 2])),
        brief(lambda: a in [torch.tensor([9, 9, 9])]),
        any(a is t for t in [a]),
    ]


@case
def allclose_and_isclose(torch):
    a = torch.tensor([1.0, float("nan")])
    return [
        torch.allclose(torch.tensor([1.0]), torch.tensor([1.0 + 1e-6])),
        torch.allclose(a, a),
        torch.allclose(a, a, equal_nan=True),
        see(torch, torch.isclose(a, torch.tensor([1.1, 1.0]), rtol=0.2)),
        brief(lambda: torch.allclose(torch.tensor([1.0]), torch.tensor([1.0], dtype=torch.float64))),
        torch.allclose(torch.tensor([1]), torch.tensor([1])),
    ]


@case
def format_of_tensors(torch):
    s, v = torch.tensor(1.2345), torch.tensor([1.0, 2.0])
    return {
        "precision": f"{s:.2f}",
        "width": f"{s:8.3f}",
        "scientific": f"{s:.1e}",
        "int": f"{torch.tensor(42):05d}",
        "percent": "%.2f %d" % (s, torch.tensor(3)),  # noqa: UP031
        "empty_spec": f"{s}",
        "vector": f"{v}",
        "vector_spec": brief(lambda: f"{v:.2f}"),
        "one_element_spec": brief(lambda: f"{torch.tensor([1.0]):.2f}"),
        "requires_grad": f"{torch.tensor(1.5, requires_grad=True):.1f}",
        "str_format": "{:.1f}|{}".format(s, torch.tensor(3)),  # noqa: UP032
        "nested": f"{[torch.tensor(1), torch.tensor(2.0)]}",
    }


@case
def round_builtin_is_not_defined(torch):
    return error(lambda: round(torch.tensor(2.5)))["raises"]


# ---- NumPy ------------------------------------------------------------------------------------------------------


@case
def numpy_shares_memory_both_ways(torch):
    x = torch.zeros(2, 2)
    a = x.numpy()
    a[0, 0] = 1
    x[1, 1] = 2
    x.add_(1)
    return [see(torch, x), a.tolist()]


@case
def numpy_of_views_keeps_strides(torch):
    x = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    return [x.t().numpy().strides, x[:, 1].numpy().strides, x[1].numpy().tolist(), x.t().numpy().base is not None]


@case
def numpy_dtypes(torch):
    names = "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 float32 float64 complex64 complex128"
    return {n: str(torch.ones(1, dtype=getattr(torch, n)).numpy().dtype) for n in names.split()}


@case
def numpy_refusals(torch):
    x = torch.ones(2, requires_grad=True)
    return {
        "requires_grad": brief(lambda: x.numpy()),
        "nonleaf": brief(lambda: (x * 2).numpy()),
        "meta": brief(lambda: torch.ones(1, device="meta").numpy()),
        "bfloat16": brief(lambda: torch.ones(1, dtype=torch.bfloat16).numpy()),
        "asarray_requires_grad": brief(lambda: np.asarray(x)),
        "under_no_grad": _numpy_under_no_grad(torch, x),
    }


def _numpy_under_no_grad(torch, x):
    with torch.no_grad():
        return [brief(lambda: x.numpy()), (x * 2).numpy().tolist()]


@case
def numpy_force(torch):
    x = torch.ones(2, requires_grad=True)
    return [array_facts(x.numpy(force=True)), str(torch.tensor([1j]).conj().numpy(force=True).tolist())]


@case
def numpy_zero_dim(torch):
    a = torch.tensor(3.0).numpy()
    return array_facts(a)


@case
def asarray_and_array_of_tensors(torch):
    x = torch.tensor([1.0, 2.0])
    shared = quietly(lambda: np.asarray(x))
    copied = quietly(lambda: np.array(x))
    x[0] = 9
    return {
        "shared": array_facts(shared),
        "copied": array_facts(copied),
        "dtype": array_facts(quietly(lambda: np.asarray(x, dtype=np.float64))),
        "dtype_of_array": array_facts(quietly(lambda: np.array(x, dtype="int32"))),
        "__array__": array_facts(x.__array__()),
        "__array__dtype": array_facts(x.__array__(np.float64)),
        "bool": array_facts(quietly(lambda: np.asarray(x > 5))),
        "list_of_tensors": array_facts(quietly(lambda: np.array([x, x]))),
        "list_of_scalars": array_facts(quietly(lambda: np.array([torch.tensor(1.0), torch.tensor(2.0)]))),
        "stack": array_facts(quietly(lambda: np.stack([x, x]))),
        "concatenate": array_facts(quietly(lambda: np.concatenate([np.zeros(1), x]))),
    }


@case
def numpy_ufuncs_on_tensors_give_tensors(torch):
    x = torch.tensor([1.0, 4.0])
    return {
        "sqrt": see(torch, quietly(lambda: np.sqrt(x))),
        "add": see(torch, quietly(lambda: np.add(x, x))),
        "maximum_with_array": see(torch, quietly(lambda: np.maximum(np.array([3.0, 3.0]), x))),
        "zero_dim": see(torch, quietly(lambda: np.sqrt(torch.tensor(4.0)))),
        "compare": see(torch, quietly(lambda: np.greater(x, 2))),
        "requires_grad": brief(lambda: quietly(lambda: np.sqrt(x.requires_grad_()))),
    }


@case
def tensor_op_array_gives_tensor(torch):
    x, a = torch.tensor([1.0, 2.0]), np.array([3.0, 4.0])
    return {
        "mul": see(torch, quietly(lambda: x * a)),
        "add": see(torch, quietly(lambda: x + a)),
        "sub": see(torch, quietly(lambda: x - a)),
        "eq": see(torch, quietly(lambda: x == a)),
        "requires_grad": brief(lambda: quietly(lambda: x.clone().requires_grad_() * a)),
    }


@case
def array_op_tensor_is_a_type_error(torch):
    x, a = torch.tensor([1.0, 2.0]), np.array([3.0, 4.0])
    return [
        error(lambda: quietly(lambda: a * x))["raises"],
        error(lambda: quietly(lambda: a - x))["raises"],
        see(torch, quietly(lambda: a == x)),
    ]


@case
def numpy_scalar_op_tensor(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    i = torch.tensor([1, 2])
    return {
        "float64_mul": see(torch, quietly(lambda: np.float64(2) * x)),
        "float32_mul": see(torch, quietly(lambda: np.float32(2) * x)),
        "mul_float64": see(torch, x * np.float64(2)),
        "mul_float32": see(torch, x * np.float32(2)),
        "add_int64": see(torch, x + np.int64(2)),
        "int_mul_float64": see(torch, i * np.float64(1.5)),
        "int_mul_float32": see(torch, i * np.float32(1.5)),
        "int_add_int32": see(torch, i + np.int32(1)),
        "bool": see(torch, i + np.bool_(True)),
        "pow": see(torch, x ** np.float64(2)),
        "div": see(torch, x / np.float64(2)),
    }


@case
def array_indexed_by_tensor(torch):
    a = np.array([10, 20, 30])
    return [
        quietly(lambda: a[torch.tensor([2, 0])]).tolist(),
        int(quietly(lambda: a[torch.tensor(1)])),
        quietly(lambda: a[torch.tensor([True, False, True])]).tolist(),
    ]


@case
def tensor_has_no_buffer_protocol(torch):
    return error(lambda: memoryview(torch.ones(2)))["raises"]


@case
def array_written_through_tensor_bumps_no_version(torch):
    a = np.ones(2)
    t = torch.from_numpy(a)
    a[0] = 5
    v0 = t._version
    t[0] = 6
    return [v0, t._version, a.tolist()]


@case
def numpy_of_detached_shares_with_the_leaf(torch):
    x = torch.ones(2, requires_grad=True)
    x.detach().numpy()[0] = 7
    return see(torch, x)


# ---- DLPack -----------------------------------------------------------------------------------------------------


@case
def dlpack_between_numpy_and_tensor(torch):
    a = np.arange(3.0)
    t = torch.from_dlpack(a)
    t[0] = 10
    x = torch.arange(3)
    b = np.from_dlpack(x)
    x[1] = 20
    return [a.tolist(), see(torch, t), array_facts(b)]


@case
def dlpack_between_tensors(torch):
    x = torch.arange(4.0)
    y = torch.from_dlpack(x[1:])
    y[0] = 9
    z = torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x))
    z[3] = 7
    return [see(torch, x), see(torch, y), x.__dlpack_device__()[1]]


@case
def dlpack_refuses_gradients(torch):
    return brief(lambda: torch.from_dlpack(torch.ones(2, requires_grad=True)))


# ---- pickle and copies ------------------------------------------------------------------------------------------


@case
def pickle_round_trip(torch):
    def again(t):
        return see(torch, pickle.loads(pickle.dumps(t)))

    return {
        "float": again(torch.tensor([1.0, 2.0])),
        "requires_grad": again(torch.tensor([1.0], requires_grad=True)),
        "int8": again(torch.tensor([[1, -2]], dtype=torch.int8)),
        "bfloat16": again(torch.tensor([1.5], dtype=torch.bfloat16)),
        "complex": again(torch.tensor([1j])),
        "bool": again(torch.tensor([True, False])),
        "zero_dim": again(torch.tensor(3)),
        "empty": again(torch.ones(0, 3)),
        "transposed": again(torch.arange(6).reshape(2, 3).t()),
        "parameter": [type(pickle.loads(pickle.dumps(torch.nn.Parameter(torch.ones(1))))).__name__],
    }


@case
def pickle_keeps_strides(torch):
    return pickle.loads(pickle.dumps(torch.arange(6).reshape(2, 3).t())).stride()


@case
def pickle_of_nonleaf_gives_a_leaf(torch):
    y = torch.tensor([1.0], requires_grad=True) * 2
    z = pickle.loads(pickle.dumps(y))
    return [see(torch, z), z.is_leaf]


@case
def pickle_drops_grad(torch):
    x = torch.tensor([1.0], requires_grad=True)
    (x * 2).backward()
    return pickle.loads(pickle.dumps(x)).grad is None


@case
def pickle_keeps_python_attributes(torch):
    x = torch.ones(1)
    x.note = "hello"
    return pickle.loads(pickle.dumps(x)).note


@case
def pickle_of_one_tensor_twice_is_one_object(torch):
    x = torch.ones(2)
    a, b = pickle.loads(pickle.dumps([x, x]))
    return a is b


@case
def save_and_load_keep_shared_storage(torch):
    x = torch.arange(4.0)
    f = io.BytesIO()
    torch.save({"x": x, "tail": x[2:], "n": 3}, f)
    f.seek(0)
    d = torch.load(f)
    d["x"][2] = 50
    return [see(torch, d["x"]), see(torch, d["tail"]), d["n"], d["tail"].storage_offset()]


@case
def copy_copy_shares_storage(torch):
    x = torch.tensor([1.0, 2.0])
    y = copy.copy(x)
    y[0] = 9
    return [y is x, see(torch, x)]


@case
def copy_copy_of_nonleaf_is_a_leaf(torch):
    y = torch.tensor([1.0], requires_grad=True) * 2
    z = copy.copy(y)
    return [see(torch, z), z.is_leaf]


@case
def deepcopy_of_leaf(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * 3).sum().backward()
    y = copy.deepcopy(x)
    y.data[0] = 100
    y.grad[0] = 200
    return [see(torch, x), see(torch, y), see(torch, x.grad), see(torch, y.grad), y.is_leaf]


@case
def deepcopy_memo_keeps_sharing(torch):
    x = torch.ones(2)
    a, b = copy.deepcopy([x, x])
    v, w = copy.deepcopy([x, x[1:]])
    v[1] = 5
    return [a is b, see(torch, w), v.untyped_storage().data_ptr() == w.untyped_storage().data_ptr()]


@case
def deepcopy_of_nonleaf_is_an_error(torch):
    y = torch.tensor([1.0], requires_grad=True) * 2
    return brief(lambda: copy.deepcopy(y))


@case
def deepcopy_keeps_strides_attributes_and_parameters(torch):
    x = torch.arange(6).reshape(2, 3).t()
    p = torch.nn.Parameter(torch.ones(2), requires_grad=False)
    p.tag = x.tag = [1]
    q, y = copy.deepcopy(p), copy.deepcopy(x)
    return [y.stride(), type(q).__name__, q.requires_grad, hasattr(q, "tag"), y.tag, y.tag is x.tag]


# ---- .to() and the casts ----------------------------------------------------------------------------------------


@case
def to_returns_self_when_nothing_changes(torch):
    x = torch.ones(2)
    return {
        "dtype": x.to(torch.float32) is x,
        "device": x.to("cpu") is x,
        "device_object": x.to(torch.device("cpu")) is x,
        "device_index": x.to("cpu:0") is x,
        "both": x.to("cpu", torch.float32) is x,
        "other": x.to(torch.zeros(1)) is x,
        "keywords": x.to(device="cpu", dtype=torch.float32) is x,
        "non_blocking": x.to("cpu", non_blocking=True) is x,
        "copy": x.to(torch.float32, copy=True) is x,
        "float": x.float() is x,
        "cpu": x.cpu() is x,
        "type": x.type(torch.float32) is x,
        "type_as": x.type_as(torch.zeros(1)) is x,
        "nothing": x.to() is x,
    }


@case
def to_forms(torch):
    x = torch.tensor([1.5, -2.5])
    return {
        "dtype": see(torch, x.to(torch.int64)),
        "keyword": see(torch, x.to(dtype=torch.float64)),
        "device_dtype": see(torch, x.to("cpu", torch.float16)),
        "positional_flags": see(torch, x.to("cpu", torch.float64, False, True)),
        "other": see(torch, x.to(torch.zeros(1, dtype=torch.float64))),
        "meta": kind(x.to("meta")),
        "bool": see(torch, x.to(torch.bool)),
        "complex": see(torch, x.to(torch.complex64)),
    }


@case
def to_errors(torch):
    x = torch.ones(1)
    return {
        "string_dtype": brief(lambda: x.to("float64")),
        "list": error(lambda: x.to([torch.float32]))["raises"],
    }


@case
def to_is_differentiable(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.to(torch.float64)
    (y * 3).sum().backward()
    i = x.to(torch.int64)
    return {
        "double": see(torch, y),
        "grad": see(torch, x.grad),
        "int": see(torch, i),
        "copy": see(torch, x.to(torch.float32, copy=True)),
        "bfloat16": see(torch, x.bfloat16()),
        "complex": see(torch, x.to(torch.complex64)),
        "same": x.to(torch.float32) is x,
    }


@case
def cast_methods(torch):
    x = torch.tensor([1.7, -1.0, 0.0])
    names = ["bool", "byte", "char", "short", "int", "long", "half", "bfloat16", "float", "double", "cfloat", "cdouble"]
    return {n: see(torch, getattr(x, n)()) for n in names}


@case
def type_method(torch):
    x = torch.tensor([1.5])
    return {
        "name": x.type(),
        "names": [torch.ones(1, dtype=d).type() for d in (torch.int64, torch.bool, torch.float64, torch.bfloat16)],
        "dtype": see(torch, x.type(torch.int32)),
        "string": see(torch, x.type("torch.DoubleTensor")),
        "class": see(torch, x.type(torch.LongTensor)),
        "type_as": see(torch, x.type_as(torch.tensor([1]))),
        "wrong": brief(lambda: x.type("torch.FooTensor")),
    }


@case
def float_to_int_casts_of_negatives_and_fractions(torch):
    x = torch.tensor([-1.9, 1.9, 2.5, -0.1])
    return [x.long().tolist(), x.int().tolist(), x.char().tolist()]


# ---- transposes, data, detach, attributes -----------------------------------------------------------------------


@case
def transposing_attributes(torch):
    x = torch.arange(6.0, requires_grad=True).reshape(2, 3)
    z = torch.tensor([[1 + 1j, 2.0]])
    return {
        "T": see(torch, x.T),
        "mT": see(torch, x.mT),
        "H_real": see(torch, x.H),
        "H": see(torch, z.H),
        "mH": see(torch, z.mH),
        "batch_mT": list(torch.ones(4, 2, 3).mT.shape),
        "t": see(torch, x.t()),
        "t_vector": torch.ones(2).t().tolist(),
        "H_error": brief(lambda: torch.ones(2, 2, 2).H),
        "mT_error": brief(lambda: torch.ones(2).mT),
        "t_error": brief(lambda: torch.ones(2, 2, 2).t()),
        "adjoint": see(torch, torch.adjoint(z)),
    }


@case
def T_of_other_than_two_dims_reverses(torch):
    return quietly(lambda: [list(torch.ones(2, 3, 4).T.shape), torch.ones(3).T.tolist(), torch.tensor(1.0).T.tolist()])


@case
def data_shares_without_graph_or_version(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    d = y.data
    d[0] = 50
    return [see(torch, d), see(torch, y), y._version, d._version, d is y.data]


@case
def detach_shares_version_counter(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    d = y.detach()
    d[0] = 50
    return [see(torch, d), see(torch, y), y._version, d._version, d.is_leaf]


@case
def data_write_goes_unnoticed_but_detach_write_is_caught(torch):
    def go(attribute):
        x = torch.tensor([3.0], requires_grad=True)
        y = x * 1
        z = (y * y).sum()
        (y.data if attribute == "data" else y.detach()).mul_(10)
        z.backward()
        return x.grad.tolist()

    return [error(lambda: go("data")), error(lambda: go("detach"))["raises"]]


@case
def data_assignment(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.data = torch.tensor([5.0, 6.0, 7.0])
    y = torch.ones(1)
    y.data = torch.tensor([1.0], dtype=torch.float64)

    def wrong():
        x.data = 3

    def int_into_grad():
        x.data = torch.tensor([1])

    return [see(torch, x), see(torch, y), brief(wrong), brief(int_into_grad)]


@case
def detach_underscore(torch):
    x = torch.tensor([1.0], requires_grad=True)
    y = x * 2
    r = y.detach_()
    return [r is y, see(torch, y), y.is_leaf, brief(lambda: torch.ones(2, requires_grad=True).view(2)[0].detach_())]


@case
def python_attributes_on_tensors(torch):
    x = torch.ones(2)
    x.foo = [1, 2]
    y = x + 1
    v = x.view(2)
    return [x.foo, hasattr(x, "bar"), hasattr(y, "foo"), hasattr(v, "foo"), x.__dict__, brief(lambda: x.bar)]


@case
def readonly_attributes(torch):
    x = torch.ones(2)
    return {
        n: error(lambda n=n: setattr(x, n, None))["raises"]
        for n in ("shape", "dtype", "device", "grad_fn", "is_leaf", "ndim", "T")
    }


@case
def grad_attribute_assignment(torch):
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.tensor([1.0, 2.0])
    (x * 2).sum().backward()

    def assign(v):
        x.grad = v

    return {
        "accumulated": see(torch, x.grad),
        "number": brief(lambda: assign(3)),
        "shape": brief(lambda: assign(torch.ones(3))),
        "dtype": brief(lambda: assign(torch.ones(2, dtype=torch.float64))),
        "none": (assign(None), x.grad)[1],
        "device": error(lambda: assign(torch.ones(2, device="meta")))["raises"],
        "itself": brief(lambda: assign(x)),
    }


@case
def grad_can_be_deleted(torch):
    x = torch.ones(1, requires_grad=True)
    (x * 2).backward()
    del x.grad
    return x.grad


@case
def tensor_class_facts(torch):
    return [
        torch.Tensor.__name__,
        type(torch.ones(1)) is torch.Tensor,
        issubclass(torch.nn.Parameter, torch.Tensor),
        torch.ones(1).__class__.__name__,
        torch.is_tensor(torch.nn.Parameter(torch.ones(1))),
    ]


@case
def weak_references_to_tensors(torch):
    import weakref

    x = torch.ones(1)
    r = weakref.ref(x)
    alive = r() is x
    del x
    return [alive, r() is None]


# ---- subclasses and __torch_function__ --------------------------------------------------------------------------


@case
def subclass_is_kept_by_operations(torch):
    class Mine(torch.Tensor):
        pass

    x = torch.ones(2, 2).as_subclass(Mine)
    return {
        "as_subclass": [type(x).__name__, isinstance(x, torch.Tensor)],
        "add": type(x + 1).__name__,
        "radd": type(1 + x).__name__,
        "function": type(torch.exp(x)).__name__,
        "with_plain": type(torch.ones(2) * x).__name__,
        "index": type(x[0]).__name__,
        "view": type(x.view(4)).__name__,
        "tuple": [type(t).__name__ for t in x.unbind()],
        "max": [type(t).__name__ for t in x.max(0)],
        "detach": type(x.detach()).__name__,
        "clone": type(x.clone()).__name__,
        "like": type(torch.zeros_like(x)).__name__,
        "sum": type(x.sum()).__name__,
        "numpy": type(x.numpy()).__name__,
        "back": type(x.as_subclass(torch.Tensor)).__name__,
        "compare": type(x > 0).__name__,
        "cat": type(torch.cat([x, x])).__name__,
        "inplace": type(x.add_(1)).__name__,
        "shape": type(x.shape).__name__,
        "constructor": type(Mine([1.0, 2.0])).__name__,
        "data": type(x.data).__name__,
        "T": type(x.T).__name__,
        "repr": repr(x),
        "zeros": type(x.new_zeros(1)).__name__,
    }


@case
def subclass_autograd(torch):
    class Mine(torch.Tensor):
        pass

    x = torch.ones(2).as_subclass(Mine).requires_grad_()
    y = (x * 3).sum()
    y.backward()
    return [type(y).__name__, type(x.grad).__name__, x.grad.tolist(), type(y.grad_fn).__name__]


@case
def as_subclass_shares_storage_and_graph(torch):
    class Mine(torch.Tensor):
        pass

    x = torch.ones(2, requires_grad=True)
    y = x.as_subclass(Mine)
    (y * 2).sum().backward()
    return [y.data_ptr() == x.data_ptr(), type(y.grad_fn).__name__, see(torch, x.grad)]


@case
def make_subclass_with_attributes(torch):
    class Tagged(torch.Tensor):
        @staticmethod
        def __new__(cls, data, tag):
            t = torch.Tensor._make_subclass(cls, data)
            t.tag = tag
            return t

    x = Tagged(torch.tensor([1.0, 2.0]), "a")
    y = x + 1
    return [type(x).__name__, x.tag, type(y).__name__, hasattr(y, "tag"), y.tolist(), x.requires_grad]


@case
def subclass_hides_torch_function_when_disabled(torch):
    class Plain(torch.Tensor):
        __torch_function__ = torch._C._disabled_torch_function_impl

    x = torch.ones(2).as_subclass(Plain)
    return [type(x).__name__, type(x + 1).__name__, type(x[0]).__name__]


@case
def parameter_is_not_kept_by_operations(torch):
    p = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    return {
        "repr": repr(p),
        "kind": see(torch, p),
        "is_leaf": p.is_leaf,
        "mul": type(p * 2).__name__,
        "detach": type(p.detach()).__name__,
        "clone": type(p.clone()).__name__,
        "data": type(p.data).__name__,
        "view": type(p.view(2)).__name__,
        "deepcopy": type(copy.deepcopy(p)).__name__,
        "isinstance": [isinstance(p, torch.Tensor), isinstance(torch.ones(1), torch.nn.Parameter)],
        "of_int": brief(lambda: torch.nn.Parameter(torch.tensor([1]))),
        "of_int_frozen": see(torch, torch.nn.Parameter(torch.tensor([1]), requires_grad=False)),
        "of_nonleaf": see(torch, torch.nn.Parameter(p * 2)),
        "empty": list(torch.nn.Parameter().shape),
        "shares": torch.nn.Parameter(p.data).data_ptr() == p.data_ptr(),
        "requires_grad_false": torch.nn.Parameter(torch.ones(1), False).requires_grad,
    }


@case
def torch_function_on_a_subclass_sees_calls(torch):
    calls = []

    class Spy(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            calls.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs or {})

    x = torch.ones(2).as_subclass(Spy)
    calls.clear()
    results = [type(x + 1).__name__, type(torch.add(x, x)).__name__, type(x.sum()).__name__, type(x[0]).__name__]
    results.append(type(torch.nn.functional.relu(x)).__name__)
    return [results, calls]


@case
def torch_function_on_a_subclass_sees_properties(torch):
    calls = []

    class Spy(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            calls.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs or {})

    x = torch.ones(2).as_subclass(Spy)
    calls.clear()
    _ = x.shape
    _ = x.requires_grad
    return calls


@case
def torch_function_may_return_anything(torch):
    class Odd(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__

    x = torch.ones(2).as_subclass(Odd)
    return [x.exp(), torch.exp(x), x + 1, 1 + x, torch.ones(2) + x, torch.stack([x, x])]


@case
def torch_function_on_a_duck_type(torch):
    class Duck:
        def __init__(self, value):
            self.value = value

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return [func.__name__, [t.__name__ for t in types], len(args), sorted(kwargs or {})]

    d = Duck(3)
    return {
        "unary": torch.exp(d),
        "first": torch.add(d, 1),
        "second": torch.add(torch.ones(1), d),
        "keyword": torch.sum(d, dim=0),
        "list": torch.cat([torch.ones(1), d]),
        "operator": torch.ones(1) + d,
        "method": torch.ones(1).mul(d),
        "where": torch.where(d, 1, 2),
        "kwargs_only": torch.mean(input=d),
    }


@case
def torch_function_not_implemented_is_a_type_error(torch):
    class Duck:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    found = error(lambda: torch.add(torch.ones(1), Duck()))
    return [found["raises"], found["message"].split(":")[0]]


@case
def torch_function_subclass_goes_first(torch):
    order = []

    class Base(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            order.append(cls.__name__)
            return NotImplemented

    class Derived(Base):
        pass

    b, d = torch.ones(1).as_subclass(Base), torch.ones(1).as_subclass(Derived)
    order.clear()
    raised = error(lambda: torch.add(b, d))["raises"]
    return [order, raised]


@case
def torch_function_mode_sees_calls(torch):
    from importlib import import_module

    mode_class = import_module(torch.__name__ + ".overrides").TorchFunctionMode
    calls = []

    class Log(mode_class):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            calls.append(func.__name__)
            return func(*args, **(kwargs or {}))

    x = torch.ones(2)
    with Log():
        y = x + 1
        z = torch.exp(y)
    return [calls, z.shape == y.shape]


@case
def disable_torch_function_subclass(torch):
    class Mine(torch.Tensor):
        pass

    x = torch.ones(2).as_subclass(Mine)
    with torch._C.DisableTorchFunctionSubclass():
        return [type(x + 1).__name__, type(x).__name__]


# ---- attribute changes by others --------------------------------------------------------------------------------


@case
def share_memory_and_pin_predicates(torch):
    x = torch.ones(1)
    return [x.is_pinned(), x.is_shared(), x.is_inference(), x.is_neg(), x.is_conj()]


@case
def tensor_truth_in_conditions(torch):
    x = torch.tensor([3.0])
    return ["yes" if x > 2 else "no", [i for i in range(3) if torch.tensor([0, 1, 0])[i]], brief(lambda: 1 < x < 5)]


@case
def chained_comparison_of_many_is_an_error(torch):
    return brief(lambda: 1 < torch.ones(2) < 5)


@case
def size_and_strides_in_nested_printing(torch):
    x = torch.ones(2, 3)
    return [str({"s": x.shape, "t": x.stride()}), f"{x.shape}", str(x.size()), str(tuple(x.shape)), str(list(x.shape))]


@case
def warnings_of_nonleaf_grad_access(torch):
    y = torch.ones(1, requires_grad=True) * 2
    found = warned(lambda: y.grad)
    return [[w[0], w[1][:70]] for w in found]


class Column:
    """A sequence that gives NumPy's numbers by place and Python's by iteration, as a Series of pandas does."""

    def __init__(self, values: Any, first: int = 0) -> None:
        self.values, self.first = np.array(values), first

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, i: int) -> Any:
        if not 0 <= i - self.first < len(self.values):
            raise KeyError(i)
        return self.values[i - self.first]

    def __iter__(self) -> Any:
        return iter(self.values.tolist())


@case
def tensor_of_a_sequence_with_numpys_numbers(torch):
    columns = [Column([1.5, 2.5]), Column([1, 2]), Column([True, False])]
    made = [torch.tensor(c) for c in columns] + [torch.as_tensor(columns[0]), torch.tensor([columns[0]] * 2)]
    return [[str(t.dtype), t.tolist()] for t in made] + [error(lambda: torch.tensor(Column([1.5, 2.5], 5)))]


@case
def reflected_operators_of_arrays(torch):
    x, a, n = torch.tensor([4.0, 2.0]), np.array([1.0, 2.0], np.float32), np.array([1, 2])
    arrays = [a, n, np.array(3.0)]
    return [[error(lambda a=a: quietly(lambda: a - x)), see(torch, quietly(lambda a=a: a / x))] for a in arrays]


@case
def in_place_operators_of_arrays(torch):
    def change(name):
        a = np.array([1.0, 2.0], np.float32)
        return quietly(lambda: getattr(operator, name)(a, torch.tensor([4.0, 2.0])))

    refused = [error(lambda name=name: change(name)) for name in ("iadd", "isub", "imul", "ipow", "ifloordiv", "imod")]
    return [refused, see(torch, change("itruediv"))]


@case
def default_device_that_is_not_there(torch):
    try:
        torch.set_default_device("cuda")
        made = [error(lambda: torch.ones(2)), error(torch.get_default_device), torch.ones(1, device="cpu").tolist()]
    finally:
        torch.set_default_device(None)
    with torch.device("cuda"):
        made.append(error(lambda: torch.tensor([1.0])))
    return [made, error(lambda: torch.set_default_device("nothing")), torch.ones(1).tolist()]


@case
def what_arguments_of_to_mean(torch):
    from importlib import import_module

    parse = import_module(f"{torch.__name__}._C")._nn._parse_to
    calls = [
        (("cpu",), {}), ((torch.float64,), {}), (("cpu", torch.float32, True), {}), ((torch.float32, True), {}),
        ((torch.ones(1, dtype=torch.float16),), {}), ((), {"device": "meta", "non_blocking": True}), ((), {}),
        ((), {"dtype": torch.float16, "memory_format": torch.channels_last}),
    ]  # fmt: skip
    return [[str(part) for part in parse(*args, **kwargs)] for args, kwargs in calls]


@case
def tuples_that_are_taken_off(torch):
    from importlib import import_module

    unpacked = import_module(f"{torch.__name__}.autograd.functional")._tuple_postprocess
    pairs = [((1,), True), ((1,), False)]
    pairs += [(((1,), (2,)), (outer, inner)) for outer in (True, False) for inner in (True, False)]
    return [repr(unpacked(*pair)) for pair in pairs]


@case
def formats_are_suggested_by_strides_of_size_one_too(torch):
    last, rows = torch.channels_last, torch.contiguous_format
    found = {}
    for shape in ((2, 1, 3, 4), (2, 3, 1, 1), (1, 3, 4, 4), (2, 3, 4, 5), (2, 1, 1, 1)):
        plain = torch.ones(shape)
        for given in (plain, plain.clone(memory_format=last), plain.transpose(2, 3)):
            made = (
                given.to(memory_format=last), given.cpu(memory_format=last), given.double(memory_format=last),
                given.to(torch.float64, memory_format=last), given.to(memory_format=rows),
                given.contiguous(memory_format=last),
                given.to(torch.float64, memory_format=rows), given.to(torch.float32, copy=True, memory_format=last),
            )  # fmt: skip
            found[f"{shape}, {given.stride()}"] = [[list(t.stride()), t is given] for t in made]
    module = torch.nn.Conv2d(2, 1, 1).to(memory_format=last)
    refused = [error(lambda n=n: torch.ones((1,) * n).to(memory_format=last)) for n in (2, 4, 5)]
    return [found, list(module.weight.stride()), refused]


@case
def old_constructors_make_another_view_of_a_tensor(torch):
    class Mine(torch.Tensor):
        pass

    w = torch.nn.Parameter(torch.tensor([1.0, 2.0]))

    def told(t):
        return [
            type(t).__name__, t.requires_grad, t.is_leaf, name_of(t.grad_fn), t._is_view(), t._base is w,
            t.is_inference(), t.data_ptr() == w.data_ptr(), t.tolist(),
        ]  # fmt: skip

    seen = []
    for made in (torch.Tensor, torch.FloatTensor, Mine, w.new, w.detach().new):
        for given in (w, w * 2, w.detach(), *([Mine([3.0])] if isinstance(made, type) else [])):
            seen.append(told(made(given)))
            with torch.no_grad():
                seen.append(told(made(given)))
            with torch.inference_mode():
                seen.append(told(made(given)))
    y = w * 1
    torch.Tensor(y).mul_(3)
    (torch.Tensor(w) * 2 + Mine(w) * 3 + y).sum().backward()
    seen += [name_of(y.grad_fn), w.grad.tolist()]
    x = torch.tensor([1.0, 2.0])
    func = torch.func
    seen.append(func.grad(lambda x: (torch.Tensor(x) ** 2).sum())(x).tolist())
    seen.append([t.tolist() for t in func.jvp(lambda x: torch.Tensor(x) ** 2, (x,), (x,))])
    seen.append(torch.vmap(lambda x: torch.Tensor(x) ** 2)(x).tolist())
    return seen
