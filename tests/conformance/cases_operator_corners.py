"""Corners of operators: dtypes that are names alone, arguments that are refused, layouts beside the usual one."""

from __future__ import annotations

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
