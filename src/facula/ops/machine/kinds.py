"""What families of primitives have in common, for forward mode: see NOTE [tangents from gradients] in ``dual``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._tensor import Tensor

LINEAR = frozenset(
    """
    add_points adaptive_avg_pool2d adaptive_avg_pool2d_backward adaptive_avg_pool3d adaptive_avg_pool3d_backward
    adaptive_max_pool2d_backward adaptive_max_pool2d_backward_backward adaptive_max_pool3d_backward
    adaptive_max_pool3d_backward_backward affine_grid_adjoint affine_grid_generator alias_kernel_copy
    as_strided_copy as_strided_scatter avg_pool2d avg_pool2d_backward avg_pool3d avg_pool3d_backward block_diag cast
    cat_op channel_shuffle chunk_cat clone_kernel col2im copy cumsum_op dense_copy diag_embed
    diagonal_backward diagonal_copy diagonal_scatter embedding embedding_rows_summed embedding_unpadded expand_copy
    fft_c2c fft_c2r fft_r2c filled_with_tensor fill_tensor flip front_of_mask gather im2col index index_add
    index_copy index_fill_tensor index_put index_put_impl index_select index_unselect mask_of_front masked_fill_tensor
    masked_scatter masked_select masked_unindex max_pool2d_backward max_pool2d_backward_backward max_pool3d_backward
    max_pool3d_backward_backward max_unpool2d max_unpool2d_backward max_unpool3d max_unpool3d_backward mean_all
    mean_dim narrow_copy native_dropout_backward permute_copy pick pixel_shuffle pixel_unshuffle put repeat restride
    roll rot90 scatter scatter_add select_backward select_copy select_scatter shift slice_backward slice_copy
    slice_scatter split_copy split_with_sizes_copy squeeze_all_copy squeeze_copy squeeze_dims_copy squeeze_fresh
    stack_op sum_all sum_dim t_copy take take_points trace transpose_copy tril triu unbind_copy unfold_backward
    unfold_copy unindex unmask unsafe_index unsafe_split unsafe_split_with_sizes unsafe_view unsqueeze_copy untake
    view_as_real_copy view_copy
    """.split()
)
"""Jointly linear in all their differentiable tensors: the tangent goes the same way as the value."""

MULTILINEAR = frozenset("bmm convolution_input convolution_weight dot linalg_cross mm mv trilinear vdot".split())
"""Linear in each of their differentiable tensors while the others stand still."""

NOT_HOLOMORPHIC = frozenset("complex conj conj_physical polar sgn sigmoid_backward tanh_backward".split())
"""Elementwise functions of complex numbers into complex numbers that have no complex derivative."""


def is_linear(op: Any) -> bool:
    name: str = op.name
    return op.is_view or name in LINEAR or name.startswith(("pad_", "upsample_"))


def is_simple(op: Any) -> bool:
    """Whether a tangent can be had without computing the primitive's result first."""
    return op.kind == "elementwise" or is_linear(op) or op.name in MULTILINEAR


def _sum(parts: list[Any]) -> Any:
    total = None
    for part in parts:
        if part is not None:
            total = part if total is None else total + part
    return total


def _with_product(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    """For ``beta * input + alpha * product(a, b)``: the product rule on top of a sum."""
    beta, alpha = attributes
    (c, a, b), (dc, da, db) = primals, tangents
    parts = []
    if da is not None:
        parts.append(op(c.new_zeros(c.shape), da, b, 0, alpha))
    if db is not None:
        parts.append(op(c.new_zeros(c.shape), a, db, 0, alpha))
    if dc is not None:
        parts.append((dc if beta == 1 else dc * beta).expand(outs[0].shape))
    return _sum(parts)


def _convolution(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    (x, w, _), (dx, dw, db) = primals, tangents
    no_bias = (*attributes[:-1], None)
    parts = []
    if dx is not None:
        parts.append(op(dx, w, None, *no_bias))
    if dw is not None:
        parts.append(op(x, dw, None, *no_bias))
    if db is not None:
        spatial = outs[0].dim() - 2
        parts.append(db.reshape(-1, *[1] * spatial).expand(outs[0].shape))
    return _sum(parts)


def _zero(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    return outs[0].new_zeros(outs[0].shape) if isinstance(outs[0], Tensor) else None


def _as_strided(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    """A tangent may lie otherwise in memory than the value, whose strides are meant."""
    from ..moving.basic import restride

    *there, here = attributes
    return restride(tangents[0], *here, *there)


TANGENTS: dict[str, Callable[..., Any]] = {
    "addbmm": _with_product,
    "addmm": _with_product,
    "addmv": _with_product,
    "addr": _with_product,
    "as_strided": _as_strided,
    "as_strided_inplace": _as_strided,
    "baddbmm": _with_product,
    "convolution": _convolution,
    "fill_number": _zero,
    "zero": _zero,
}
"""Tangents by hand, where the general way takes much longer, or does not do."""
