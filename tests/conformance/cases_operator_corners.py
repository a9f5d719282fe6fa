"""Corners of operators: dtypes that are names alone, arguments that are refused, layouts beside the usual one."""

from __future__ import annotations

import copy
import gc
import importlib
import warnings

import numpy as np

from .observe import case, error, see

# ---- dtypes that are names alone

NARROW = [f"{kind}{n}" for kind in ("int", "uint") for n in range(1, 8)]
BY_NAME = [
    "qint8", "qint32", "quint8", "quint4x2", "quint2x4", "bits1x8", "bits2x4", "bits4x2", "bits8", "bits16",
    "float4_e2m1fn_x2", *NARROW,
]  # fmt: skip


@case
def dtypes_known_by_name(torch):
    out = {}
    for n in BY_NAME:
        d = getattr(torch, n)
        out[n] = [
            str(d), d.itemsize, d.is_floating_point, d.is_complex, d.abbr, error(lambda d=d: d.is_signed),
            str(d.to_real()), error(d.to_complex), error(lambda d=d: str(torch.iinfo(d))),
        ]  # fmt: skip
    return out


@case
def dtypes_that_promote_with_no_other(torch):
    names = [torch.qint8, torch.bits8, torch.float8_e4m3fn, torch.uint4]
    others = [torch.float32, torch.int8, torch.qint32, torch.bits16, torch.float8_e5m2, torch.uint3]
    return [error(lambda a=a, b=b: str(torch.promote_types(a, b))) for a in names for b in others]


# ---- shapes


@case
def places_want_a_shape_of_integers(torch):
    at = torch.tensor([1])
    wrong = ({1, 2}, (2, 2.5), "ab", None, (2, -2))
    return [error(lambda s=s: torch.unravel_index(at, s)) for s in wrong]


@case
def negative_sizes_do_not_broadcast(torch):
    shapes = ([(1,), (1,), (-12,)], [-1, 1], [-11], [(2,), (-3,)], [(2, -3), (2, -3)])
    return [error(lambda s=s: torch.broadcast_shapes(*s)) for s in shapes]


# ---- sparse tensors


@case
def sparse_weights_of_linear_with_a_bias(torch):
    """Of vectors and batches; of a matrix PyTorch refuses them."""
    linear, bias = torch.nn.functional.linear, torch.tensor([1.0, 2.0], requires_grad=True)
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    weight = torch.tensor([[1.0, 0, 2], [0, 3, 0]]).to_sparse().requires_grad_()
    found = []
    for given in (x[0], x[None]):
        out = linear(given, weight, bias)
        found += [see(torch, out), see(torch, torch.autograd.grad(out.sum(), (x, bias)))]
    return [*found, error(lambda: linear(x, weight, bias))]


@case
def sparse_tensors_have_no_memory_format(torch):
    s = torch.eye(2).to_sparse()
    formats = [torch.preserve_format, torch.contiguous_format, torch.channels_last]
    likes = [torch.empty_like, torch.zeros_like, torch.ones_like, torch.rand_like]
    dense = torch.zeros_like(s, layout=torch.strided, memory_format=torch.preserve_format)
    return [[error(lambda f=f, m=m: f(s, memory_format=m)) for m in formats] for f in likes], dense.tolist()


@case
def sparse_tensors_are_transposed_in_place(torch):
    x = torch.tensor([[0.0, 1, 2], [3, 0, 4]]).to_sparse()
    y = x.requires_grad_() * 2
    z = y.t_()
    w = torch.ones(2, 3, 4).to_sparse().transpose_(0, 2)
    return [z is y, see(torch, z.to_dense()), z.is_coalesced(), y.grad_fn.name(), list(w.shape), error(x.t_)]


@case
def sparse_tensors_of_more_dimensions_are_no_matrices(torch):
    x, hybrid, row = torch.ones(2, 3, 4).to_sparse(), torch.ones(2, 3, 4).to_sparse(2), torch.ones(2, 3).to_sparse(1)
    return [error(f) for f in (x.t, x.t_, hybrid.t, hybrid.t_, row.t, torch.ones(2, 3, 4).t, torch.ones(2, 3, 4).t_)]


# ---- older forms


@case
def numbers_before_the_tensors_they_multiply(torch):
    a, b, c, m, n = torch.ones(2), torch.arange(2.0), torch.full((2,), 3.0), torch.ones(2, 2), torch.ones(2, 2, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return see(torch, [
            torch.addcmul(a, 2, b, c), a.addcdiv(2, b, c), a.clone().addcmul_(2, b, c),
            torch.addcmul(a, 2, tensor1=b, tensor2=c),
            torch.addmm(2, m, m, m), torch.addmm(2, m, 3, m, m), m.addmm(2, m, m), m.addmm(2, 3, m, m),
            m.clone().addmm_(2, 3, m, m), torch.addmv(2, a, 3, m, b), a.addmv(2, m, b), torch.addr(2, m, 3, b, c),
            torch.baddbmm(2, n, 3, n, n), m.addbmm(2, 3, n, n), torch.addmm(2, m, m, m, out=torch.empty(0)),
        ])  # fmt: skip


@case
def legacy_constructors_take_sizes_by_name(torch):
    x = torch.ones(2)
    made = [x.new(size=(3, 4)), x.new(()), torch.Tensor(size=(3, 4)), torch.FloatTensor(size=(2,))]
    return [[list(t.shape) for t in made], error(lambda: x.new(torch.ones(2, dtype=torch.int64)))]


@case
def sizes_may_be_arrays_of_one_integer(torch):
    n = np.array(3)
    return [
        list(torch.ones((n, np.int64(4))).shape), list(torch.ones(n, 4).shape), list(torch.ones(np.int64(4), n).shape),
        error(lambda: torch.ones(np.array(3.0), 4)), error(lambda: torch.ones((np.array([3]), 4))),
    ]  # fmt: skip


# ---- memory that nobody has set


@case
def deterministic_algorithms_fill_new_memory(torch):
    x = torch.zeros(2)
    torch.use_deterministic_algorithms(True)
    try:
        made = [
            torch.empty(2), torch.empty(2, dtype=torch.bool), torch.empty(2, dtype=torch.uint8), torch.empty_like(x),
            torch.empty_strided((2, 2), (1, 3)), torch.empty_permuted((2, 2), (1, 0)), x.new_empty(2),
            torch.zeros(2).resize_(3), torch.Tensor(2), x.new_empty_strided((2,), (1,)),
            torch.empty(2, dtype=torch.complex64).real,
        ]  # fmt: skip
        torch.utils.deterministic.fill_uninitialized_memory = False
        torch.empty(2)
    finally:
        torch.utils.deterministic.fill_uninitialized_memory = True
        torch.use_deterministic_algorithms(False)
    return see(torch, made)


@case
def switches_want_booleans(torch):
    use = torch.use_deterministic_algorithms
    return [error(lambda: use(1)), error(lambda: use(True, warn_only=1))]


# ---- elements by Python functions


@case
def functions_of_elements_are_checked(torch):
    x, d, g = torch.ones(3), torch.ones(3, dtype=torch.float64), torch.ones(3, requires_grad=True)
    return [
        error(lambda: torch.arange(3).apply_(lambda v: "1")), error(lambda: torch.ones(3).apply_(lambda v: None)),
        error(lambda: x.map_(g, max)), error(lambda: x.map_(d, max)), error(lambda: x.map2_(x, d, max)),
        error(lambda: x.map2_(d, x, max)), error(lambda: x.map_(torch.ones(2, 3), max)), error(lambda: g.map_(x, max)),
        see(torch, torch.ones(2, 3).map2_(torch.arange(3.0), torch.ones(1, 3), lambda a, b, c: a + b * c)),
    ]  # fmt: skip


@case
def draws_are_written_in_any_dtype(torch):
    p = torch.tensor([1.0, 0.0, 1.0])
    outs = [torch.bernoulli(p, out=torch.empty(3, dtype=d)) for d in (torch.bool, torch.int64, torch.float64)]
    return [see(torch, outs), error(lambda: torch.bernoulli(p, 0.5, out=torch.empty(3)))]


@case
def running_extremes_want_results_of_their_dtypes(torch):
    x, short, at = torch.ones(2), torch.empty(2, dtype=torch.int16), torch.empty(2, dtype=torch.int64)
    return [
        error(lambda: torch.cummax(x, 0, out=(short, at))), error(lambda: torch.cummax(x, 0, out=(x + 1, x + 1))),
        error(lambda: torch.cummin(x, 0, out=(short, at))), see(torch, torch.cummin(x, 0, out=(x.clone(), at))),
    ]  # fmt: skip


# ---- questions about tensors


@case
def orders_of_dimensions_that_are_not_unique(torch):
    tensors = (
        torch.ones(1, 3), torch.ones(2, 3).expand(4, 2, 3), torch.ones(2, 3, 4).transpose(0, 1),
        torch.ones(4, 1).expand(4, 3), torch.ones(3).as_strided((2, 2), (1, 1)), torch.ones(2, 3, 1, 1), torch.ones(()),
    )  # fmt: skip
    checks = (False, True, [torch.contiguous_format], [torch.contiguous_format, torch.channels_last], [], 3)
    return [error(lambda t=t, c=c: list(t.dim_order(ambiguity_check=c))) for t in tensors for c in checks]


@case
def only_tensors_get_classes_of_tensors(torch):
    class Other:
        pass

    x = torch.ones(2)
    return [error(lambda c=c: x.as_subclass(c)) for c in (Other, 3)]


@case
def assertions_about_tensors(torch):
    values = ([], [0, 0], [0], [2])
    return [
        [error(lambda v=v: torch._assert_async(torch.tensor(v))) for v in values],
        error(lambda: torch._check_tensor_all(True)), error(lambda: torch._check_tensor_all(torch.ones(2))),
    ]  # fmt: skip


@case
def types_that_tensors_are_converted_to(torch):
    x = torch.ones(2)
    return [
        see(torch, x.type(torch.Tensor)), see(torch, x.type(torch.LongTensor)), error(lambda: x.type(int)),
        error(lambda: x.type("torch.NoTensor")),
    ]  # fmt: skip


# ---- reductions


@case
def logarithms_of_running_sums_of_infinities(torch):
    inf, nan = float("inf"), float("nan")
    rows = (
        [complex(1, 1), complex(inf, nan)], [complex(nan, 0), 1], [complex(inf, 3), complex(inf, -3), 2j],
        [complex(-inf, inf), 1j], [complex(-inf, nan), complex(1, nan)], [complex(-inf, 0), complex(-inf, 2)],
        [complex(inf, 0), complex(-inf, 0)], [complex(1, inf), complex(2, 1)],
    )  # fmt: skip
    return [see(torch, torch.logcumsumexp(torch.tensor(r, dtype=torch.complex128), 0)) for r in rows]


@case
def histograms_want_one_dtype(torch):
    x, d = torch.ones(2), torch.ones(2, dtype=torch.float64)
    return [
        error(lambda: torch.histogram(x, 1, weight=d)), error(lambda: torch.histogramdd(x, [2])),
        error(lambda: torch.histogram(x, 2, out=(torch.empty(2), torch.empty(3, dtype=torch.float64)))),
        error(lambda: torch.histogram(x, 2, out=(torch.empty(2, dtype=torch.float64), torch.empty(3)))),
        see(torch, torch.histogramdd(torch.ones(3, 0), [])[0]),
        see(torch, torch.histogramdd(torch.ones(0, 3, 2), [2, 3])[0]),
    ]  # fmt: skip


@case
def hashes_of_nothing_are_refused(torch):
    x = torch.ones(0, 3)
    return [error(lambda d=d: list(torch.hash_tensor(x, dim=d).shape)) for d in (0, 1, (0, 1), -2, ())]


@case
def what_is_put_around_differences_fits(torch):
    x = torch.ones(2, 3)
    return [
        error(lambda: torch.diff(x, prepend=torch.ones(3, 1))),
        error(lambda: torch.diff(x, dim=0, append=torch.ones(1, 2))),
        error(lambda: torch.diff(x, append=torch.ones(2, 3, 1))), see(torch, torch.diff(x, prepend=torch.zeros(2, 1))),
    ]  # fmt: skip


@case
def what_changes_nothing_in_masked_reductions(torch):
    def look(name, d, *args):
        found = torch.masked._reduction_identity(name, torch.ones(2, dtype=d), *args)
        return None if found is None else see(torch, found)

    dtypes = (torch.float32, torch.int64, torch.uint8, torch.bfloat16, torch.bool)
    names = (
        "sum", "masked.prod", "amax", "masked.amin", "argmin", "mean", "logsumexp",
        "median", "cumprod", "softmax", "norm",
    )  # fmt: skip
    told = [error(lambda n=n, d=d: look(n, d)) for n in names for d in dtypes]
    return [told, [look("norm", torch.float32, p) for p in (2, float("inf"), -float("inf"))]]


# ---- what new tensors are written to


@case
def results_of_factories_fit(torch):
    x = torch.empty(2)
    return [
        error(lambda: torch.full((2,), 1, dtype=torch.int64, out=x)),
        error(lambda: torch.zeros(2, layout=torch.sparse_coo, out=x)),
        error(lambda: torch.zeros(2, device="meta", out=x)),
        error(lambda: torch.linspace(0, 1, 4, out=torch.empty(1).expand(4))),
        error(lambda: torch.linspace(0, 1j, 3, dtype=torch.float32)),
        error(lambda: torch.logspace(0, 1j, 3, dtype=torch.float32)),
        error(lambda: torch.linspace(0, 1j, 3, out=torch.empty(3))),
        error(lambda: torch.polar(x, x, out=torch.empty(2))),
        error(lambda: torch.meshgrid(x, torch.ones(2, device="meta"), indexing="ij")),
        error(lambda: torch.empty_strided((2,), ())), error(lambda: torch.empty_strided((2, 3), (-1, 1))),
        error(lambda: torch.ones(4).as_strided_((2, 2), (1,))), error(lambda: torch.FloatTensor((2.0,), device="cuda")),
        see(torch, torch.full((2,), 1, out=torch.empty(2))),
    ]  # fmt: skip


@case
def new_tensors_lie_as_results_of_elementwise_operators(torch):
    shapes = [((2, 3, 4), s) for s in ((12, 4, 1), (2, 4, 6), (0, 0, 0), (0, 4, 1), (4, 0, 1), (1, 2, 0))]
    made = [torch.empty_strided(*s) for s in shapes]
    return [[list(torch.empty_like(t).stride()), list(torch.zeros_like(t, dtype=torch.float64).stride())] for t in made]


@case
def capsules_are_arrays(torch):
    def capsule():
        return torch.utils.dlpack.to_dlpack(x)

    x = torch.arange(4.0)
    kept, copied = torch.asarray(capsule(), copy=False), torch.asarray(capsule(), copy=True)
    return [
        see(torch, kept), kept.data_ptr() == x.data_ptr(), copied.data_ptr() == x.data_ptr(),
        see(torch, torch.asarray(capsule(), dtype=torch.int64)),
        error(lambda: torch.asarray(capsule(), dtype=torch.int64, copy=False)),
        error(lambda: x.__dlpack__(stream=object())),
        error(lambda: x.__dlpack__(stream=1)),
    ]  # fmt: skip


@case
def arrays_of_odd_strides_are_refused(torch):
    odd = np.zeros(4, dtype=[("a", "i4"), ("b", "i1")])["a"]
    return [error(lambda: torch.from_numpy(odd)), error(lambda: torch.as_tensor(odd))]


@case
def gradients_of_products_of_segments_with_nan(torch):
    x = torch.tensor([[1, 1], [float("nan"), 1], [3, float("nan")], [4, 1], [3, 2], [2, 3]], requires_grad=True)
    torch._segment_reduce(x, "prod", lengths=torch.tensor([1, 2, 0, 3]), axis=0, unsafe=True).sum().backward()
    return see(torch, x.grad)


@case
def whole_numbers_between_bounds_that_are_none(torch):
    torch.manual_seed(0)
    make = torch.testing.make_tensor
    return see(torch, [make((9,), dtype=torch.int16, device="cpu", low=-b, high=b) for b in (0.9999, 1.5, 2.0)])


# ---- references that keep nothing alive


@case
def dictionaries_of_tensors_forget_them(torch):
    weak = importlib.import_module(f"{torch.__name__}.utils.weak")
    a, b = torch.ones(2), torch.ones(2)
    d = weak.WeakTensorKeyDictionary()
    d[a], d[b] = 1, 2
    told = [len(d), d[a], a in d, torch.ones(2) in d, 3 in d, sorted(d.values()), d.get(b), d.setdefault(b, 5)]
    told.append([error(lambda: d[torch.ones(2)])["raises"], error(lambda: d.pop(torch.ones(2)))["raises"]])
    both = d | {a: 3}
    told += [sorted(both.values()), d == d.copy(), d == both, sorted(copy.deepcopy(d).values()), len(d.keyrefs())]
    reference = weak.TensorWeakRef(b)
    told.append(reference() is b)
    del b
    gc.collect()
    told += [len(d), len(both), reference() is None, next(iter(d)) is a]
    d |= {a: 4}
    key, value = d.popitem()
    return [*told, key is a, value, len(d), error(d.popitem)["raises"], error(lambda: weak.TensorWeakRef(3))]


@case
def places_of_what_is_not_zero_are_columns(torch):
    """As a tuple they are views of the rows of places."""
    x = torch.tensor([[0.0, 1.0], [2.0, 3.0]])
    told = [[list(t.stride()), t._is_view(), t._base is not None] for t in x.nonzero(as_tuple=True)]
    return [told, [see(torch, t) for t in torch.nonzero(torch.tensor(5), as_tuple=True)]]


@case
def strides_of_distinct_slices(torch):
    x = torch.arange(24).reshape(2, 3, 4) % 3
    found = [torch.unique(x, dim=1), x.unique(dim=-1), x.unique_consecutive(dim=2), x.unique(dim=0)]
    return [[see(torch, t), list(t.stride())] for t in found]


@case
def variances_of_nothing(torch):
    x = torch.empty(0, 2, dtype=torch.float64)
    found = [x.var(correction=-1), x.var(0, correction=-2), *torch.std_mean(x, correction=-1)]
    found.append(x.cdouble().std(correction=-1))
    return [see(torch, t) for t in found]


@case
def special_round_has_decimals(torch):
    x = torch.tensor([1.26, -2.5], dtype=torch.float64, requires_grad=True)
    return [see(torch, torch.special.round(x)), see(torch, torch.special.round(x, decimals=1))]
