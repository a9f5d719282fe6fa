"""``testing``: what ``assert_close`` says, word for word, and what ``make_tensor`` makes."""

from __future__ import annotations

import collections
import math

import numpy as np

from .observe import case, error, plain, warned


def said(torch, pairs, **options):
    found = []
    for actual, expected in pairs:
        e = error(lambda a=actual, b=expected: torch.testing.assert_close(a, b, **options))
        if "message" in e:
            e["message"] = e["message"].replace("facula.", "torch.")
        found.append(e)
    return found


@case
def tensors_that_differ(torch):
    t = torch.tensor
    return said(torch, [
        (t([1.0, 2.0]), t([1.0, 2.0])), (t([1.0, 2.0]), t([1.0, 2.1])),
        (t([[1.0, 2.0], [3, 4]]), t([[1.0, 2.1], [3, 5]])),
        (t(1.0), t(2.0)), (t([1]), t([2])), (t([1, 2, 3]), t([1, 5, 9])), (t([1.0]), t([1])), (t([1.0]), t([1.0, 2])),
        (t([math.inf]), t([1.0])), (t([1.0]), t([math.nan])), (t([math.nan]), t([math.nan])), (t([1j]), t([2j])),
        (t([True, False]), t([True, True])), (torch.ones(0), torch.ones(0)), (torch.ones(0), torch.ones(0, 2)),
        (t([1, 2], dtype=torch.uint8), t([3, 1], dtype=torch.uint8)), (torch.ones(100, 100), torch.zeros(100, 100)),
        (torch.ones(1, device="meta"), torch.ones(1)), (torch.ones(1, device="meta"), torch.ones(1, device="meta")),
        (torch.nn.Parameter(t([1.0])), t([1.0])), (t([1.0]), t([[1]])),
        (torch.ones(2, device="meta"), torch.ones(2, dtype=torch.int64)),
        (t([1.0], requires_grad=True) * 2, t([2.5])), (torch.arange(6.0).view(2, 3).t(), torch.arange(6.0).view(3, 2)),
    ])  # fmt: skip


@case
def precisions(torch):
    pairs = []
    for name in ("float16", "bfloat16", "float32", "float64", "complex64", "complex128"):
        d = getattr(torch, name)
        for by in (1e-8, 1e-6, 1e-4, 1e-3, 1e-2):
            pairs.append((torch.tensor([1.0], dtype=d), torch.tensor([1 + by], dtype=torch.float64).to(d)))
    return [sorted(e) == ["returned"] for e in said(torch, pairs)]


@case
def numbers_and_others(torch):
    return said(torch, [
        (1.0, 1.1), (1, 2), (1, 1), (True, False), (True, True), (1, 1.0), (1 + 2j, 1 + 3j), (math.nan, math.nan),
        (1.0, 0.0), (1.0, 1.0000001), (None, None), (1.0, None), (None, 0), ("a", "b"), ("a", "a"), (True, 1),
        (np.float32(1), np.float32(2)), (np.array([1.0]), np.array([2.0])), (np.bool_(True), False),
        (torch.tensor([1.0]), 1.0), (torch.tensor([1.0]), [1.0]), (object(), 3),
        (np.array([1.0]), torch.tensor([1.0])),
    ])  # fmt: skip


@case
def containers(torch):
    t = torch.tensor
    return said(torch, [
        ([1, 2], [1, 3]), ([1, 2], [1]), ({"a": 1}, {"b": 1}), ({"a": 1}, {"a": 2}), ({1: 1}, {1: 1, 2: 2}),
        ({"a": [t([1.0]), 2]}, {"a": [t([1.0]), 3]}), ([1.0], (1.0,)), ([[1.0, [2.0]], 3.0], [[1.0, [2.5]], 3.0]),
        (collections.OrderedDict(a=1), {"a": 1}), ([], []), ({}, {}), ([t([1.0]), "x"], [t([2.0]), "x"]),
        ({"b": 1, "a": 1}, {"a": 2, "b": 2}), ([[1], [2]], [[1], [2, 3]]),
    ])  # fmt: skip


@case
def options(torch):
    t = torch.tensor
    one, other = [(t([1.0]), t([1.1]))], [(t([1.0]), t([1]))]
    transposed = [(torch.ones(2, 3).t(), torch.ones(3, 2))]
    return [
        said(torch, one, rtol=0.1), said(torch, one, atol=0.1), said(torch, one, rtol=0.0, atol=0.01),
        said(torch, one, rtol=0.2, atol=0.0), said(torch, one, rtol=0.0, atol=0.0), said(torch, one, msg="mine"),
        said(torch, one, msg=lambda m: f"before {m} after"), said(torch, [([1], [2])], msg=lambda m: m.upper()),
        said(torch, [([1], [2])], msg="m"), said(torch, [(t([math.nan]), t([math.nan]))], equal_nan=True),
        said(torch, [(math.nan, math.nan)], equal_nan=True), said(torch, other, check_dtype=False),
        said(torch, [(1, 1.0)], check_dtype=False), said(torch, transposed), said(torch, transposed, check_stride=True),
        said(torch, [(torch.ones(1, device="meta"), torch.ones(1))], check_device=False),
        said(torch, [(torch.nn.Parameter(t([1.0])), t([1.0]))], allow_subclasses=False),
        said(torch, [(t([1 + 1j]), t([1.0]))], check_dtype=False), said(torch, one, check_layout=False),
        said(torch, [(t([1.0]), t([2.0]))], rtol=-1, atol=0),
    ]  # fmt: skip


@case
def the_older_form(torch):
    old = torch.testing.assert_allclose
    t = torch.tensor

    def quiet(*args, **kwargs):
        found = []
        warnings_seen = warned(lambda: found.append(error(lambda: old(*args, **kwargs))))
        return [found, warnings_seen]

    return [
        quiet(t([1.0]), t([2.0])), quiet(t([1.0]), [1.0]), quiet([1.0], [1.1], rtol=0.2, atol=0.2),
        quiet(1, 2, msg="q"), quiet(t([math.nan]), t([math.nan])), quiet(t([1.0]), t([1])),
    ]  # fmt: skip


@case
def made_tensors(torch):
    def told(*shape, **options):
        def make():
            x = torch.testing.make_tensor(*shape, device="cpu", **options)
            return [list(x.shape), str(x.dtype), x.requires_grad, list(x.stride())]

        found = []
        return [warned(lambda: found.append(error(make))), found]

    f, i, b = torch.float32, torch.int64, torch.bool
    return [
        told((2, 3), dtype=f), told(2, 3, dtype=f), told([2], dtype=f), told((), dtype=f), told(dtype=f),
        told((2, 3), dtype=f, low=0, high=1), told((2, 3), dtype=i), told((2, 3), dtype=b),
        told((2, 3), dtype=torch.uint8), told((2, 3), dtype=torch.complex64), told((2, 3), dtype=f, requires_grad=True),
        told((2, 3), dtype=f, noncontiguous=True), told((2, 3), dtype=f, exclude_zero=True),
        told((2, 3), dtype=f, low=1, high=1), told((2, 3), dtype=f, low=2, high=1),
        told((2, 3), dtype=i, low=2, high=1),
        told((2, 3), dtype=i, low=2, high=2), told((2, 3), dtype=i, requires_grad=True),
        told((2, 3), dtype=torch.uint8, low=-3), told((2, 3), dtype=f, low=math.nan, high=1),
        told((2, 3), dtype=f, memory_format=torch.channels_last, noncontiguous=True),
        told((2, 3, 4, 5), dtype=f, memory_format=torch.channels_last), told((2, 3), dtype=b, low=0, high=5),
        told((2, 3), dtype=b, low=3, high=5), told((2, 3), dtype=torch.float16, low=-1e9, high=1e9),
        told((2, 3), dtype=f, low=-math.inf, high=math.inf), told((2, 3), dtype="x"), told((0, 3), dtype=f),
    ]  # fmt: skip


@case
def values_of_made_tensors(torch):
    make = torch.testing.make_tensor
    found = []
    for name in ("float32", "float64", "float16", "int8", "uint8", "int64", "bool", "complex64"):
        x = make((20000,), dtype=getattr(torch, name), device="cpu")
        v = torch.view_as_real(x) if x.dtype.is_complex else x
        v = v.double()
        found.append([name, round(v.min().item()), round(v.max().item())])
    small = make((5000,), dtype=torch.int64, device="cpu", low=-1, high=2)
    nonzero = make((5000,), dtype=torch.int64, device="cpu", low=-1, high=2, exclude_zero=True)
    return plain([found, sorted(set(small.tolist())), sorted(set(nonzero.tolist()))])


@case
def sparse_tensors_are_compared(torch):
    places = ((0, 1), (1, 0))

    def sparse(values, indices=places, size=(2, 2)):
        return torch.sparse_coo_tensor(indices, values, size=size, check_invariants=True)

    t, nan = torch.arange(24.0).reshape(2, 3, 4), float("nan")
    ones, twos = sparse((1, 2)), sparse((1.0, 2.0))
    pairs = (
        (ones.coalesce(), ones.coalesce(), {}), (ones, sparse((1, 2)), {}), (t.to_sparse(), t.to_sparse(2), {}),
        (ones, sparse((1, 1, 1), ((0, 1, 1), (1, 0, 0))), {}), (ones, sparse((1, 2), ((0, 1), (1, 1))), {}),
        (ones, sparse((1, 3)), {}), (twos, twos.to(torch.float64), {}),
        (twos, twos.to(torch.float64), {"check_dtype": False}), (ones, ones.to_dense(), {}),
        (ones, ones.to_dense(), {"check_layout": False}), (ones, sparse((1, 3)).to_dense(), {"check_layout": False}),
        (ones, ones.coalesce(), {}), (sparse((1.0, nan)), sparse((1.0, nan)), {}),
        (sparse((1.0, nan)), sparse((1.0, nan)), {"equal_nan": True}),
        (twos, sparse((1.0, 2.1)), {"atol": 0.5, "rtol": 0}),
        (sparse(((1.0, 2.0), (3, 4)), size=(2, 2, 2)), sparse(((1.0, 2.0), (3, 5)), size=(2, 2, 2)), {}),
        ([ones], [sparse((1, 3))], {}),
    )  # fmt: skip
    return [error(lambda a=a, e=e, o=o: torch.testing.assert_close(a, e, **o)) for a, e, o in pairs]
