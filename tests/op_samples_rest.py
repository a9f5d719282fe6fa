"""Samples of copying forms of views, in-place refusals and other single operators; ``op_samples`` imports them."""

from __future__ import annotations

from typing import Any

import facula as torch

from .op_samples import REGISTRY, WITHOUT_NUMBERS, draw, sample

WITHOUT_NUMBERS |= {
    # PyTorch records these and refuses to differentiate them.
    "histogram", "acosh_", "asinh_", "atanh_", "polygamma_", "conj_physically_", "frexp", "chunk_cat",
    "standard_gamma_grad",
    # Random draws: the same inputs give other outputs.
    "native_dropout", "rrelu_with_noise", "rrelu_with_noise_inplace", "standard_gamma", "sample_dirichlet",
    "binomial", "bernoulli_of_number",
    # Only in place, where what is overwritten gets no gradient.
    "filled_with_number", "filled_with_tensor",
}  # fmt: skip


def matrix() -> Any:
    return draw(2, 3)


sample("alias_copy", torch.alias_copy, matrix())
sample("as_strided_copy", lambda x: torch.as_strided_copy(x, (2, 2), (1, 2), 1), matrix())
sample("as_strided_scatter", lambda x, y: torch.as_strided_scatter(x, y, (2, 2), (2, 1), 1), matrix(), draw(2, 2))
sample("expand_copy", lambda x: torch.expand_copy(x, (4, 2, 3)), matrix())
sample("permute_copy", lambda x: torch.permute_copy(x, (1, 0)), matrix())
sample("t_copy", torch.t_copy, matrix())
sample("transpose_copy", lambda x: torch.transpose_copy(x, 0, 1), matrix())
sample("select_copy", lambda x: torch.select_copy(x, 1, 2), matrix())
sample("slice_copy", lambda x: torch.slice_copy(x, 1, 0, 3, 2), matrix())
sample("narrow_copy", lambda x: torch.narrow_copy(x, 1, 1, 2), matrix())
sample("unfold_copy", lambda x: torch.unfold_copy(x, 1, 2, 1), matrix())
sample("squeeze_all_copy", lambda x: torch.squeeze_copy(x), draw(1, 3, 1))
sample("squeeze_copy", lambda x: torch.squeeze_copy(x, 0), draw(1, 3, 1))
sample("squeeze_dims_copy", lambda x: torch.squeeze_copy(x, (0, 2)), draw(1, 3, 1))
sample("unsqueeze_copy", lambda x: torch.unsqueeze_copy(x, 1), matrix())
sample("view_copy", lambda x: torch.view_copy(x, (3, 2)), matrix())
sample("view_as_real_copy", lambda x: torch.view_as_real_copy(torch.complex(x, 2 * x)), matrix())
sample("split_copy", lambda x: torch.split_copy(x, 2, 1), matrix())
sample("split_with_sizes_copy", lambda x: torch.split_with_sizes_copy(x, (1, 2), 1), matrix())
sample("unbind_copy", lambda x: torch.unbind_copy(x, 1), matrix())
sample("euclidean_dist", lambda a, b: torch.cdist(a, b, compute_mode="use_mm_for_euclid_dist"), draw(3, 2), draw(4, 2))
sample("pdist", lambda x: torch.pdist(x), draw(3, 2))
sample("renorm", lambda x: torch.renorm(x, 2, 0, 0.5), matrix())
sample("segment_reduce", lambda x: torch.segment_reduce(x, "sum", lengths=torch.tensor([1, 2])), draw(3))
sample(
    "softmax_backward_data", lambda g, y: torch._softmax_backward_data(g, y, 1, torch.float64), matrix(), matrix()
)
sample(
    "log_softmax_backward_data", lambda g, y: torch._log_softmax_backward_data(g, y, 1, torch.float64), matrix(),
    matrix(),
)  # fmt: skip
sample("native_dropout_backward", lambda g: REGISTRY["native_dropout_backward"](g, torch.ones(2, 3) > 0, 2.0), matrix())

_rows = torch.tensor([1, 0, 1])
_mask = torch.tensor([True, False, True])
sample("unsafe_index", lambda x: torch._unsafe_index(x, [_rows]), matrix())
sample("masked_index", lambda x: torch._unsafe_masked_index(x, _mask.unsqueeze(1), [_rows], 0), matrix())
sample(
    "masked_unindex",
    lambda x, v: torch._unsafe_masked_index_put_accumulate(x, _mask.unsqueeze(1), [_rows], v),
    matrix(), draw(3, 3),
)  # fmt: skip


def _legit(x: Any, w: Any, b: Any) -> Any:
    mean, variance = torch.zeros(2, dtype=x.dtype), torch.ones(2, dtype=x.dtype)
    return torch._native_batch_norm_legit(x, w, b, mean, variance, True, 0.1, 1e-3)[0]


def _updating(x: Any, w: Any, b: Any) -> Any:
    aten: Any = torch.ops.aten
    mean, variance = torch.zeros(2, dtype=x.dtype), torch.ones(2, dtype=x.dtype)
    return aten._batch_norm_with_update(x, w, b, mean, variance, 0.1, 1e-3)[0]


def _pooled_back(g: Any, x: Any) -> Any:
    indices = torch.nn.functional.max_pool2d(x, 2, return_indices=True)[1]
    aten: Any = torch.ops.aten
    return aten.max_pool2d_with_indices_backward(g, x, 2, 2, 0, 1, False, indices)


sample("native_batch_norm_legit", _legit, draw(3, 2), draw(2), draw(2))
sample(
    "native_batch_norm_legit_no_stats", lambda x, w, b: torch._native_batch_norm_legit(x, w, b, True, 0.1, 1e-3)[0],
    draw(3, 2), draw(2), draw(2),
)  # fmt: skip
sample("batch_norm_with_update", _updating, draw(3, 2), draw(2), draw(2))
sample("max_pool2d_backward", _pooled_back, draw(1, 1, 2, 2), draw(1, 1, 4, 4))
