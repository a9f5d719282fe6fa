"""Shapes, views, joins and splits: values, strides, what is a view of what, gradients, graph names, errors."""

from __future__ import annotations

from .cases_pointwise import examine, fixed, short, z
from .observe import case, error, graph, name_of, see

M = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
V = [1.0, 2.0, 3.0, 4.0]
CUBE = [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]


def layout(torch, out, x):
    """How ``out`` lies in memory, and whether it shares the memory of ``x``."""
    return {
        "shape": list(out.shape),
        "stride": list(out.stride()),
        "offset": out.storage_offset(),
        "contiguous": out.is_contiguous(),
        "shares": out.untyped_storage().data_ptr() == x.untyped_storage().data_ptr(),
        "is_view": out._is_view(),
        "grad_fn": name_of(out.grad_fn),
    }


def layouts(torch, x, *functions):
    return [layout(torch, f(x), x) for f in functions]


def grid(torch, *shape):
    n = 1
    for s in shape:
        n *= s
    return torch.arange(n, dtype=torch.float64).reshape(shape).clone()


# -- reshaping ----------------------------------------------------------------------------------------------------


@case
def reshape(torch):
    return examine(torch, lambda x: torch.reshape(x, (3, 2)), M)


@case
def reshape_infers_minus_one(torch):
    return examine(torch, lambda x: x.reshape(-1), M)


@case
def reshape_varargs(torch):
    return examine(torch, lambda x: x.reshape(1, 3, -1), M)


@case
def reshape_of_a_transposed_copies(torch):
    return examine(torch, lambda x: x.t().reshape(-1), M)


@case
def reshape_to_a_number(torch):
    return examine(torch, lambda x: x.reshape(()), [2.0])


@case
def view(torch):
    return examine(torch, lambda x: x.view(3, 2), M)


@case
def view_size_tuple(torch):
    return examine(torch, lambda x: x.view((-1,)), M)


@case
def view_as(torch):
    return examine(torch, lambda x: x.view_as(torch.ones(6)), M)


@case
def reshape_as(torch):
    return examine(torch, lambda x: x.reshape_as(torch.ones(3, 2)), M)


@case
def flatten(torch):
    return examine(torch, torch.flatten, CUBE)


@case
def flatten_range(torch):
    return examine(torch, lambda x: torch.flatten(x, start_dim=1), CUBE)


@case
def flatten_of_a_vector_is_itself(torch):
    return examine(torch, torch.flatten, V)


@case
def flatten_of_a_number_is_1d(torch):
    return examine(torch, torch.flatten, 2.0)


@case
def unflatten(torch):
    return examine(torch, lambda x: torch.unflatten(x, 0, (2, -1)), V)


@case
def unflatten_method_negative_dim(torch):
    return examine(torch, lambda x: x.unflatten(-1, (2, 2)), [V])


@case
def ravel(torch):
    return examine(torch, torch.ravel, M)


@case
def ravel_of_transposed(torch):
    return examine(torch, lambda x: torch.ravel(x.t()), M)


@case
def squeeze_all(torch):
    return examine(torch, torch.squeeze, [[[1.0], [2.0]]])


@case
def squeeze_dim(torch):
    return examine(torch, lambda x: torch.squeeze(x, 0), [[[1.0], [2.0]]])


@case
def squeeze_dims(torch):
    return examine(torch, lambda x: torch.squeeze(x, (0, 2)), [[[1.0], [2.0]]])


@case
def squeeze_dim_that_is_not_one(torch):
    return examine(torch, lambda x: x.squeeze(1), [[[1.0], [2.0]]])


@case
def squeeze_of_a_number(torch):
    return examine(torch, torch.squeeze, 2.0)


@case
def unsqueeze(torch):
    return examine(torch, lambda x: torch.unsqueeze(x, 0), V)


@case
def unsqueeze_negative(torch):
    return examine(torch, lambda x: x.unsqueeze(-1), V)


@case
def unsqueeze_of_a_number(torch):
    return examine(torch, lambda x: x.unsqueeze(0), 3.0)


@case
def transpose(torch):
    return examine(torch, lambda x: torch.transpose(x, 0, 2), CUBE)


@case
def transpose_negative(torch):
    return examine(torch, lambda x: x.transpose(-1, -2), M)


@case
def swapaxes_is_transpose(torch):
    return examine(torch, lambda x: torch.swapaxes(x, 0, 1), M)


@case
def swapdims_is_transpose(torch):
    return examine(torch, lambda x: x.swapdims(0, 1), M)


@case
def t(torch):
    return examine(torch, torch.t, M)


@case
def t_of_a_vector(torch):
    return examine(torch, torch.t, V)


@case
def capital_t(torch):
    return examine(torch, lambda x: x.T, M)


@case
def m_t(torch):
    return examine(torch, lambda x: x.mT, CUBE)


@case
def capital_h_of_a_complex_matrix(torch):
    return examine(torch, lambda x: x.H, z(torch, [[1 + 1j, 2j]]))


@case
def m_h_of_a_real_matrix(torch):
    return examine(torch, lambda x: x.mH, M)


@case
def permute(torch):
    return examine(torch, lambda x: torch.permute(x, (2, 0, 1)), CUBE)


@case
def permute_varargs(torch):
    return examine(torch, lambda x: x.permute(1, 0), M)


@case
def permute_negative(torch):
    return examine(torch, lambda x: x.permute(-1, 0, 1), CUBE)


@case
def movedim(torch):
    return examine(torch, lambda x: torch.movedim(x, 0, -1), CUBE)


@case
def movedim_several(torch):
    return examine(torch, lambda x: torch.movedim(x, (0, 1), (2, 0)), CUBE)


@case
def moveaxis_is_movedim(torch):
    return examine(torch, lambda x: torch.moveaxis(x, 2, 0), CUBE)


@case
def expand(torch):
    return examine(torch, lambda x: x.expand(2, 3), [1.0, 2.0, 3.0])


@case
def expand_minus_one_keeps(torch):
    return examine(torch, lambda x: x.expand(-1, 3), [[1.0], [2.0]])


@case
def expand_new_leading_dims(torch):
    return examine(torch, lambda x: x.expand(2, 2, -1), [1.0, 2.0])


@case
def expand_as(torch):
    return examine(torch, lambda x: x.expand_as(torch.ones(2, 2)), [1.0, 2.0])


@case
def expand_a_number(torch):
    return examine(torch, lambda x: x.expand(3), 2.0)


@case
def broadcast_to(torch):
    return examine(torch, lambda x: torch.broadcast_to(x, (2, 2)), [1.0, 2.0])


@case
def broadcast_tensors(torch):
    return examine(torch, torch.broadcast_tensors, [[1.0], [2.0]], [3.0, 4.0])


@case
def broadcast_shapes(torch):
    return [list(torch.broadcast_shapes((2, 1), (3,))), error(lambda: torch.broadcast_shapes((2,), (3,)))]


@case
def repeat(torch):
    return examine(torch, lambda x: x.repeat(2, 2), [1.0, 2.0])


@case
def repeat_more_dims(torch):
    return examine(torch, lambda x: x.repeat(2, 1, 1), [[1.0, 2.0]])


@case
def repeat_zero_times(torch):
    return examine(torch, lambda x: x.repeat(0), [1.0, 2.0])


@case
def tile(torch):
    return examine(torch, lambda x: torch.tile(x, (2,)), [[1.0, 2.0]])


@case
def tile_more(torch):
    return examine(torch, lambda x: x.tile(2, 1, 2), [1.0, 2.0])


@case
def repeat_interleave_number(torch):
    return examine(torch, lambda x: torch.repeat_interleave(x, 2), [1.0, 2.0], names=False)


@case
def repeat_interleave_tensor_dim(torch):
    return examine(
        torch, lambda x: torch.repeat_interleave(x, torch.tensor([1, 2]), dim=0), [[1.0, 2.0], [3.0, 4.0]], names=False
    )


@case
def repeat_interleave_flattens(torch):
    return examine(torch, lambda x: x.repeat_interleave(2), [[1.0], [2.0]], names=False)


@case
def contiguous_of_contiguous(torch):
    return examine(torch, lambda x: x.contiguous() * 1, V)


@case
def contiguous_of_transposed(torch):
    return examine(torch, lambda x: x.t().contiguous(), M)


@case
def clone(torch):
    return examine(torch, torch.clone, V)


@case
def contiguous_returns_the_same_tensor(torch):
    x = grid(torch, 2, 3)
    return [x.contiguous() is x, x.t().contiguous() is x, x.reshape(2, 3) is x, x.expand(2, 3) is x, x.view(2, 3) is x]


@case
def clone_keeps_strides_of_dense_tensors(torch):
    x = grid(torch, 2, 3)
    wide = torch.zeros(3).expand(2, 3)
    return [list(t.stride()) for t in (x.t().clone(), wide.clone(), x[:, ::2].clone(), x.t().contiguous())]


@case
def elementwise_results_keep_the_strides_of_their_input(torch):
    x = grid(torch, 2, 3)
    results = (
        x.t() + 1,
        torch.sin(x.t()),
        x.t() * x.t(),
        x.t() + torch.ones(2),
        x[:, ::2] * 2,
        torch.zeros_like(x.t()),
    )
    return [list(r.stride()) for r in results]


# -- taking parts -------------------------------------------------------------------------------------------------


@case
def narrow(torch):
    return examine(torch, lambda x: torch.narrow(x, 1, 1, 2), M)


@case
def narrow_method_negative_start(torch):
    return examine(torch, lambda x: x.narrow(0, -1, 1), M)


@case
def select(torch):
    return examine(torch, lambda x: torch.select(x, 1, 2), M)


@case
def select_negative(torch):
    return examine(torch, lambda x: x.select(-1, -1), M)


@case
def unfold(torch):
    return examine(torch, lambda x: x.unfold(0, 2, 1), V)


@case
def unfold_step(torch):
    return examine(torch, lambda x: x.unfold(1, 2, 2), [V])


@case
def as_strided(torch):
    return examine(torch, lambda x: torch.as_strided(x, (2, 2), (1, 1)), V)


@case
def as_strided_offset(torch):
    return examine(torch, lambda x: x.as_strided((2,), (2,), 1), V)


@case
def split_size(torch):
    return examine(torch, lambda x: torch.split(x, 2), [1.0, 2.0, 3.0])


@case
def split_sizes(torch):
    return examine(torch, lambda x: torch.split(x, [1, 2], dim=1), M)


@case
def split_one_output_used(torch):
    return examine(torch, lambda x: x.split(1)[1], [1.0, 2.0, 3.0])


@case
def chunk(torch):
    return examine(torch, lambda x: torch.chunk(x, 2), [1.0, 2.0, 3.0])


@case
def chunk_can_give_fewer(torch):
    return [
        len(torch.chunk(torch.ones(4), 3)),
        [list(c.shape) for c in torch.chunk(torch.ones(5), 4)],
        [list(c.shape) for c in torch.ones(1, 6).chunk(4, dim=1)],
    ]


@case
def tensor_split_number(torch):
    return examine(torch, lambda x: torch.tensor_split(x, 3), V)


@case
def tensor_split_indices(torch):
    return examine(torch, lambda x: torch.tensor_split(x, (1, 3)), V)


@case
def unbind(torch):
    return examine(torch, torch.unbind, M)


@case
def unbind_dim(torch):
    return examine(torch, lambda x: x.unbind(1), [[1.0, 2.0]])


@case
def unpacking_a_tensor_is_unbind(torch):
    return examine(torch, lambda x: tuple(x), [[1.0, 2.0], [3.0, 4.0]])


@case
def hsplit(torch):
    return examine(torch, lambda x: torch.hsplit(x, 2), [V])


@case
def vsplit(torch):
    return examine(torch, lambda x: torch.vsplit(x, 2), M)


@case
def dsplit(torch):
    return examine(torch, lambda x: torch.dsplit(x, 2), CUBE)


@case
def diagonal(torch):
    return examine(torch, torch.diagonal, M)


@case
def diagonal_offset_dims(torch):
    return examine(torch, lambda x: torch.diagonal(x, offset=1, dim1=1, dim2=2), CUBE)


@case
def diagonal_negative_offset(torch):
    return examine(torch, lambda x: x.diagonal(-1), M)


@case
def diag_of_a_matrix(torch):
    return examine(torch, torch.diag, M)


@case
def diag_of_a_vector(torch):
    return examine(torch, torch.diag, [1.0, 2.0])


@case
def diag_of_a_vector_offset(torch):
    return examine(torch, lambda x: torch.diag(x, 1), [1.0])


@case
def diag_embed(torch):
    return examine(torch, torch.diag_embed, [[1.0, 2.0]])


@case
def diag_embed_offset_dims(torch):
    return examine(torch, lambda x: torch.diag_embed(x, offset=-1, dim1=0, dim2=1), [1.0])


@case
def tril(torch):
    return examine(torch, torch.tril, M)


@case
def tril_diagonal(torch):
    return examine(torch, lambda x: torch.tril(x, diagonal=1), M)


@case
def triu(torch):
    return examine(torch, torch.triu, M)


@case
def triu_diagonal_negative(torch):
    return examine(torch, lambda x: x.triu(-1), M)


@case
def tril_indices_triu_indices(torch):
    return see(torch, [torch.tril_indices(2, 2), torch.triu_indices(2, 3, offset=1)])


# -- joining ------------------------------------------------------------------------------------------------------


@case
def cat(torch):
    return examine(torch, lambda a, b: torch.cat([a, b]), [1.0], [2.0, 3.0])


@case
def cat_dim(torch):
    return examine(torch, lambda a, b: torch.cat((a, b), dim=1), [[1.0], [2.0]], [[3.0], [4.0]])


@case
def cat_negative_dim(torch):
    return examine(torch, lambda a, b: torch.cat((a, b), -1), [[1.0]], [[3.0, 4.0]])


@case
def cat_skips_legacy_empty(torch):
    return see(torch, torch.cat([torch.zeros(0), torch.ones(1, 2)]))


@case
def cat_of_itself(torch):
    return examine(torch, lambda a: torch.cat([a, a]), [1.0, 2.0])


@case
def cat_promotes_dtypes(torch):
    return see(torch, torch.cat([torch.tensor([1]), torch.tensor([2.5])]))


@case
def cat_with_constants(torch):
    return examine(torch, lambda a: torch.cat([a, torch.zeros(1, dtype=torch.float64)]), [1.0])


@case
def concat_and_concatenate_are_cat(torch):
    return examine(torch, lambda a: (torch.concat([a, a]), torch.concatenate([a])), [1.0])


@case
def stack(torch):
    return examine(torch, lambda a, b: torch.stack([a, b]), [1.0, 2.0], [3.0, 4.0])


@case
def stack_dim(torch):
    return examine(torch, lambda a, b: torch.stack([a, b], dim=1), [1.0, 2.0], [3.0, 4.0])


@case
def stack_negative_dim(torch):
    return examine(torch, lambda a, b: torch.stack((a, b), -1), [1.0, 2.0], [3.0, 4.0])


@case
def stack_of_numbers(torch):
    return examine(torch, lambda a, b: torch.stack([a, b]), 1.0, 2.0)


@case
def hstack_vectors(torch):
    return examine(torch, lambda a, b: torch.hstack([a, b]), [1.0], [2.0])


@case
def hstack_matrices(torch):
    return examine(torch, lambda a, b: torch.hstack([a, b]), [[1.0]], [[2.0]])


@case
def vstack(torch):
    return examine(torch, lambda a, b: torch.vstack([a, b]), [1.0], [2.0])


@case
def dstack(torch):
    return examine(torch, lambda a, b: torch.dstack([a, b]), [1.0], [2.0])


@case
def column_stack(torch):
    return examine(torch, lambda a, b: torch.column_stack([a, b]), [1.0, 2.0], [[3.0], [4.0]])


@case
def row_stack_is_vstack(torch):
    return examine(torch, lambda a, b: torch.row_stack([a, b]), [1.0], [2.0])


@case
def block_diag(torch):
    return examine(torch, torch.block_diag, [[1.0, 2.0]], [3.0], names=False)


@case
def cartesian_prod(torch):
    return examine(torch, torch.cartesian_prod, [1.0, 2.0], [3.0, 4.0], names=False)


@case
def combinations(torch):
    return examine(torch, torch.combinations, [1.0, 2.0, 3.0], names=False)


@case
def combinations_with_replacement(torch):
    return see(torch, torch.combinations(torch.tensor([1, 2]), r=2, with_replacement=True))


@case
def meshgrid_ij(torch):
    return examine(torch, lambda a, b: torch.meshgrid(a, b, indexing="ij"), [1.0, 2.0], [3.0])


@case
def meshgrid_xy(torch):
    return examine(torch, lambda a, b: torch.meshgrid(a, b, indexing="xy"), [1.0, 2.0], [3.0])


@case
def atleast_1d(torch):
    return examine(torch, torch.atleast_1d, 2.0)


@case
def atleast_2d(torch):
    return examine(torch, torch.atleast_2d, [1.0, 2.0])


@case
def atleast_3d(torch):
    return examine(torch, torch.atleast_3d, [1.0, 2.0])


@case
def atleast_2d_of_several(torch):
    return see(torch, torch.atleast_2d(torch.tensor(1), torch.tensor([2])))


@case
def roll(torch):
    return examine(torch, lambda x: torch.roll(x, 1), V)


@case
def roll_dims(torch):
    return examine(torch, lambda x: torch.roll(x, (1, -1), dims=(0, 1)), M)


@case
def roll_without_dims_flattens(torch):
    return examine(torch, lambda x: torch.roll(x, 2), M)


@case
def flip(torch):
    return examine(torch, lambda x: torch.flip(x, (0, 1)), M)


@case
def flip_varargs(torch):
    return examine(torch, lambda x: x.flip(-1), M)


@case
def fliplr(torch):
    return examine(torch, torch.fliplr, M)


@case
def flipud(torch):
    return examine(torch, torch.flipud, M)


@case
def rot90(torch):
    return examine(torch, torch.rot90, M)


@case
def rot90_twice_back(torch):
    return examine(torch, lambda x: (torch.rot90(x, 2, (0, 1)), torch.rot90(x, -1)), M)


@case
def select_scatter(torch):
    return examine(torch, lambda a, b: torch.select_scatter(a, b, 0, 1), M, [7.0, 8.0, 9.0])


@case
def slice_scatter(torch):
    return examine(torch, lambda a, b: torch.slice_scatter(a, b, dim=0, start=1, end=4, step=2), V, [8.0, 9.0])


@case
def diagonal_scatter(torch):
    return examine(torch, torch.diagonal_scatter, [[1.0, 2.0], [3.0, 4.0]], [7.0, 8.0])


@case
def pad_constant(torch):
    pad = torch.nn.functional.pad
    return examine(torch, lambda x: (pad(x, (1, 2)), pad(x, (0, 1, 1, 0), value=7.0), pad(x, (-1, 0))), [[1.0, 2.0]])


@case
def pad_reflect_replicate_circular(torch):
    pad = torch.nn.functional.pad
    fn = lambda x: tuple(pad(x, (1, 1), mode=m) for m in ("reflect", "replicate", "circular"))
    return examine(torch, fn, [[[1.0, 2.0, 3.0]]], names=False)


# -- what is a view -----------------------------------------------------------------------------------------------


@case
def layouts_of_views_without_grad(torch):
    return layouts(
        torch,
        grid(torch, 2, 3),
        lambda x: x.t(),
        lambda x: x[1],
        lambda x: x[:, 1:],
        lambda x: x[:, ::2],
        lambda x: x[None],
        lambda x: x.reshape(3, 2),
        lambda x: x.t().reshape(6),
        lambda x: x.t().reshape(3, 2, 1),
        lambda x: x.unsqueeze(1),
        lambda x: x.expand(2, 2, 3),
        lambda x: x.diagonal(),
        lambda x: x.unfold(1, 2, 1),
        lambda x: x.flatten(),
        lambda x: x.squeeze(),
        lambda x: x.detach(),
        lambda x: x[[0, 1]],
        lambda x: x.flip(0),
        lambda x: x.narrow(1, 2, 1),
        lambda x: x.as_strided((2,), (3,), 2),
    )


@case
def layouts_of_views_of_a_leaf(torch):
    return layouts(
        torch,
        grid(torch, 2, 3).requires_grad_(),
        lambda x: x.t(),
        lambda x: x[1],
        lambda x: x[:, 1:],
        lambda x: x[...],
        lambda x: x[0, 1],
        lambda x: x[None],
        lambda x: x[:, None],
        lambda x: x.reshape(3, 2),
        lambda x: x.view(-1),
        lambda x: x.view(2, 3),
        lambda x: x.reshape(2, 3),
        lambda x: x.flatten(),
        lambda x: x.flatten(0, 0),
        lambda x: x.t().reshape(6),
        lambda x: x.expand(2, 3),
        lambda x: x.detach(),
        lambda x: x.clone(),
        lambda x: x.contiguous(),
        lambda x: x.broadcast_to(2, 3),
        lambda x: x.chunk(2)[1],
        lambda x: x.unbind(0)[1],
        lambda x: x.split([1, 1])[1],
        lambda x: x.movedim(0, 1),
    )


@case
def base_of_a_view_of_a_view_is_the_root(torch):
    x = grid(torch, 2, 3)
    y = x.t()[1:]
    return [y._base is x, x._base is None, y.detach()._base is x, x.clone()._base is None, x[[0]]._base is None]


@case
def writing_to_a_view_shows_in_the_base(torch):
    x = grid(torch, 2, 3)
    x.t()[0] = 9.0
    x.view(-1)[-1] = -1.0
    x.expand(2, 3)[0, 1] = 5.0
    x.diagonal().fill_(7.0)
    return see(torch, x)


@case
def inplace_on_a_view_rewrites_the_graph_of_the_base(torch):
    x = grid(torch, 2, 2).requires_grad_()
    y = x * 2
    y[0].mul_(3)
    y.t()[1].add_(1)
    y.sum().backward()
    return [see(torch, y), graph(y.grad_fn), see(torch, x.grad)]


@case
def inplace_reshapes(torch):
    x = grid(torch, 2, 3)
    seen = [x.t_() is x, list(x.shape), list(x.stride())]
    x.unsqueeze_(0)
    seen.append(list(x.shape))
    x.squeeze_()
    x.transpose_(0, 1)
    seen.append(list(x.shape))
    return [*seen, see(torch, x)]


@case
def expanded_tensors_refuse_inplace_writes(torch):
    x = torch.zeros(1, 3).expand(2, 3)
    return [error(lambda: x.add_(1)), error(lambda: x.add_(torch.ones(2, 3))), error(lambda: x.copy_(torch.ones(3)))]


@case
def split_views_refuse_inplace_writes_when_differentiable(torch):
    x = grid(torch, 4).requires_grad_()
    y = x * 1
    a, _ = y.split(2)
    return error(lambda: a.mul_(2))


# -- errors -------------------------------------------------------------------------------------------------------


@case
def reshape_errors(torch):
    return [
        error(lambda: torch.ones(2, 3).reshape(4, 2)),
        error(lambda: torch.ones(2, 3).reshape(-1, 4)),
        error(lambda: torch.ones(2, 3).reshape(-1, -1)),
        error(lambda: torch.zeros(0).reshape(-1, 0)),
        error(lambda: torch.ones(2).reshape(-2)),
    ]


@case
def view_errors(torch):
    return [
        error(lambda: torch.ones(2, 3).view(4, 2)),
        error(lambda: torch.ones(2, 3).t().view(6)),
        error(lambda: torch.ones(2, 3)[:, ::2].view(-1)),
    ]


@case
def view_of_a_strided_tensor_where_it_can(torch):
    return torch.ones(2, 4)[:, ::2].view(-1).tolist()


@case
def expand_errors(torch):
    return [
        error(lambda: torch.ones(2).expand(3)),
        error(lambda: torch.ones(2, 2).expand(2)),
        error(lambda: torch.ones(2).expand(-1, 2)),
        error(lambda: torch.ones(2, 1).expand(3, 4)),
    ]


@case
def repeat_errors(torch):
    return error(lambda: torch.ones(2, 2).repeat(2))


@case
def permute_errors(torch):
    return [
        error(lambda: torch.ones(2, 3).permute(0)),
        error(lambda: torch.ones(2, 3).permute(0, 0)),
        error(lambda: torch.ones(2, 3).permute(0, 2)),
    ]


@case
def transpose_errors(torch):
    return [
        error(lambda: torch.ones(2, 3).transpose(0, 2)),
        error(lambda: torch.ones(2, 3, 4).t()),
        error(lambda: torch.ones(2, 3).movedim((0, 1), (0,))),
    ]


@case
def squeeze_unsqueeze_errors(torch):
    return [
        error(lambda: torch.ones(2).squeeze(1)),
        error(lambda: torch.ones(2).unsqueeze(2)),
        error(lambda: torch.ones(2).unsqueeze(-3)),
    ]


@case
def flatten_errors(torch):
    return [
        error(lambda: torch.ones(2, 3, 4).flatten(2, 1)),
        error(lambda: torch.ones(2).unflatten(0, (3, 2))),
        error(lambda: torch.ones(2).flatten(1)),
    ]


@case
def cat_errors(torch):
    return [
        error(lambda: torch.cat([])),
        error(lambda: torch.cat([torch.ones(2), torch.ones(2, 2)])),
        error(lambda: torch.cat([torch.ones(2, 3), torch.ones(2, 2)])),
        error(lambda: torch.cat([torch.tensor(1.0)])),
        error(lambda: torch.cat([torch.ones(2)], dim=1)),
    ]


@case
def stack_errors(torch):
    return [
        error(lambda: torch.stack([])),
        error(lambda: torch.stack([torch.ones(2), torch.ones(3)])),
        error(lambda: torch.stack([torch.ones(2)], dim=2)),
    ]


@case
def split_errors(torch):
    return [
        error(lambda: torch.ones(4).split([1, 2])),
        error(lambda: torch.ones(4).split(-1)),
        error(lambda: torch.ones(4).chunk(0)),
        error(lambda: torch.tensor(1.0).split(1)),
        error(lambda: torch.tensor(1.0).unbind()),
    ]


@case
def narrow_select_errors(torch):
    return [
        error(lambda: torch.ones(3).narrow(0, 2, 2)),
        error(lambda: torch.ones(3).narrow(0, 4, 1)),
        error(lambda: torch.ones(3).select(0, 3)),
        error(lambda: torch.tensor(1.0).select(0, 0)),
        error(lambda: torch.ones(3).narrow(0, 0, -1)),
    ]


@case
def unfold_errors(torch):
    return [error(lambda: torch.ones(3).unfold(0, 4, 1)), error(lambda: torch.ones(3).unfold(0, 1, 0))]


@case
def diag_errors(torch):
    return [
        error(lambda: torch.diag(torch.ones(1, 1, 1))),
        error(lambda: torch.diagonal(torch.ones(2))),
        error(lambda: torch.ones(2, 2).diagonal(0, 1, 1)),
        error(lambda: torch.tril(torch.ones(2))),
    ]


@case
def flip_roll_errors(torch):
    return [
        error(lambda: torch.flip(torch.ones(2), (0, 0))),
        error(lambda: torch.flip(torch.ones(2), (1,))),
        error(lambda: torch.roll(torch.ones(2, 2), (1, 1), 0)),
        error(lambda: torch.rot90(torch.ones(2))),
    ]


@case
def sizes_of_views_compare_to_tuples(torch):
    x = torch.zeros(2, 3)
    s = x.shape
    return [
        s == (2, 3),
        isinstance(s, tuple),
        s[1],
        s[-1],
        s.numel(),
        str(s),
        list(s[1:]),
        x.size(0),
        str(x.size()),
        x.dim(),
    ]


@case
def number_of_outputs_shows_in_the_output_numbers(torch):
    x = torch.tensor(V, requires_grad=True)
    a, b = x.chunk(2)
    return [graph((a * 2 + b).grad_fn), a.output_nr, b.output_nr, a.grad_fn is b.grad_fn]


@case
def unused_split_outputs_count_as_zeros(torch):
    x = torch.tensor(V, requires_grad=True)
    parts = x.split([1, 1, 2])
    (parts[2] * fixed(torch, [2.0, 3.0])).sum().backward()
    return short(see(torch, x.grad))


@case
def images_with_channels_last_are_stacked_so(torch):
    x = torch.zeros(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
    return [list(torch.stack([x, x], dim).stride()) for dim in (0, 1, 2, 3, 4, -2)]


@case
def dimensions_to_squeeze_or_count_along_may_be_given_one_by_one(torch):
    x = torch.arange(6.0).reshape(1, 2, 1, 3, 1)
    return {
        "squeeze": [see(torch, x.squeeze(0, 2)), see(torch, x.squeeze(-1, 1, 0)), error(lambda: x.squeeze(0, 0))],
        "squeeze_": see(torch, x.clone().squeeze_(0, 4)),
        "count_nonzero": [see(torch, x.count_nonzero(0, 3)), see(torch, x.count_nonzero(1))],
        "functions": [error(lambda: torch.squeeze(x, 0, 2)), error(lambda: torch.count_nonzero(x, 0, 2))],
    }


@case
def gradients_of_leaves_that_got_another_shape_before_the_first(torch):
    seen = []
    for function in (lambda t: t * 2, lambda t: t.sum(), lambda t: t.clone(), lambda t: t.half()):
        for change in (lambda t: t.unsqueeze_(0), lambda t: t.set_(torch.ones(3, *t.shape))):
            x = torch.ones(2, 3, requires_grad=True)
            y = function(x).sum()
            with torch.no_grad():
                change(x)
            y.backward()
            seen.append([list(x.grad.shape), x.grad.tolist()])
            function(x).sum().backward()
            seen.append([list(x.grad.shape), x.grad.tolist()])
    return seen
