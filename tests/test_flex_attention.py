"""Attention with functions of scores and places: as plain attention where both can say it, and its masks' texts."""

from __future__ import annotations

import pytest

import facula as torch
from facula.nn.attention.bias import causal_lower_right, causal_upper_left
from facula.nn.attention.flex_attention import (
    AuxRequest,
    BlockMask,
    and_masks,
    create_block_mask,
    create_mask,
    flex_attention,
    or_masks,
)
from facula.nn.functional import scaled_dot_product_attention


def causal(b: torch.Tensor, h: torch.Tensor, q: torch.Tensor, kv: torch.Tensor) -> torch.Tensor:
    return q >= kv


def operands(queries: int = 10, keys: int = 12, heads: int = 4) -> list[torch.Tensor]:
    torch.manual_seed(0)
    sizes = ((2, 4, queries, 8), (2, heads, keys, 8), (2, heads, keys, 6))
    return [torch.randn(*size, dtype=torch.float64, requires_grad=True) for size in sizes]


def test_as_plain_attention_with_a_mask_and_its_gradients() -> None:
    q, k, v = operands()
    mask = create_block_mask(causal, None, None, 10, 12)
    bias = (torch.arange(10)[:, None] - torch.arange(12)).double()
    hidden = torch.zeros(10, 12).double().masked_fill(~torch.ones(10, 12, dtype=torch.bool).tril(), -float("inf"))
    found = flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s + (i - j), block_mask=mask)
    right = scaled_dot_product_attention(q, k, v, bias + hidden)
    torch.testing.assert_close(found, right)
    g = torch.randn(found.shape, dtype=torch.float64)
    for a, b in zip(torch.autograd.grad(found, (q, k, v), g), torch.autograd.grad(right, (q, k, v), g)):
        torch.testing.assert_close(a, b)


def test_tables_by_head_and_heads_that_share_keys() -> None:
    q, k, v = operands(heads=2)
    slopes = torch.rand(4, dtype=torch.float64, requires_grad=True)
    found = flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s * slopes[h], enable_gqa=True, scale=1.0)
    right = scaled_dot_product_attention(
        q * slopes[:, None, None], k.repeat_interleave(2, 1), v.repeat_interleave(2, 1), scale=1.0
    )
    torch.testing.assert_close(found, right)
    (a,), (b,) = (torch.autograd.grad(out.sum(), slopes) for out in (found, right))
    torch.testing.assert_close(a, b)


def test_a_query_that_sees_nothing() -> None:
    q, k, v = operands()
    out, lse = flex_attention(q, k, v, block_mask=create_block_mask(lambda b, h, i, j: i > j, None, None, 10, 12),
                              return_lse=True)  # fmt: skip
    assert not out[:, :, 0].any() and (lse[:, :, 0] == -float("inf")).all() and lse[:, :, 1:].isfinite().all()
    (gradient,) = torch.autograd.grad(out.sum(), q)
    assert gradient.isfinite().all()


def test_blocks() -> None:
    mask = create_block_mask(lambda b, h, i, j: (i >= j) & (h < 2), 2, 4, 300, 260)
    assert mask.shape == (2, 4, 300, 260) and mask.sparsity() == pytest.approx(36.98461538)
    assert mask.kv_num_blocks[0].tolist() == [[1, 1, 3], [1, 1, 3], [0, 0, 0], [0, 0, 0]]
    assert mask.full_kv_num_blocks is not None and mask.full_kv_num_blocks[0, 0].tolist() == [0, 1, 0]
    assert mask.q_indices is not None and mask.q_indices[0, 0].tolist() == [[0, 2, 1], [1, 2, 0], [2, 0, 1]]
    assert mask.to_dense()[0, 0].tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert mask[0, 1:3].shape == (1, 2, 300, 260) and mask[:, :, 0:2].kv_num_blocks.shape == (2, 4, 2)
    assert mask._adjust(200, 260).kv_indices.shape == (2, 4, 2, 3)
    counts, places = torch.tensor([[[1, 2]]]).int(), torch.tensor([[[[0, 1], [0, 1]]]]).int()
    turned = BlockMask.from_kv_blocks(counts, places, BLOCK_SIZE=16)
    assert turned.shape == (1, 1, 32, 32) and turned.q_num_blocks is not None
    assert turned.q_num_blocks.tolist() == [[[2, 1]]]


def test_texts() -> None:
    mask = create_block_mask(causal, None, None, 10, 12, BLOCK_SIZE=4)
    assert str(mask) == "BlockMask(shape=(1, 1, 10, 12), sparsity=20.00%, \n(0, 0)\n██    \n████  \n██████\n)"
    text = create_block_mask(causal, 1, 1, 3000, 3000, BLOCK_SIZE=(64, 128)).to_string(grid_size=(5, 5))
    assert text == "(0, 0)\n░░        \n██░░      \n████░░    \n██████░░  \n████████░░\n"
    assert create_block_mask(causal, 2, 4, 8, 8).to_string().endswith("to choose a specific batch or head")


def test_masks_are_joined() -> None:
    near = and_masks(causal, lambda b, h, q, kv: q - kv < 2)
    assert create_mask(near, None, None, 4, 4).sum() == 7
    assert create_mask(or_masks(near, lambda b, h, q, kv: kv == 0), None, None, 4, 4).sum() == 9
    q, k, v = operands(4, 6)
    for bias, offset in ((causal_upper_left(4, 6), 0), (causal_lower_right(4, 6), 2)):
        right = scaled_dot_product_attention(q, k, v, torch.ones(4, 6, dtype=torch.bool).tril(offset))
        torch.testing.assert_close(scaled_dot_product_attention(q, k, v, bias), right)


def test_wrong_arguments() -> None:
    q, k, v = operands()
    mask = create_block_mask(causal, None, None, 20, 20)
    with pytest.raises(ValueError, match=r"larger length than you're using it for"):
        flex_attention(q, k, v, block_mask=mask)
    with pytest.raises(ValueError, match=r"smaller length than you're using it for"):
        flex_attention(q, k, v, block_mask=create_block_mask(causal, None, None, 4, 4))
    with pytest.raises(NotImplementedError, match="must be 4D tensors"):
        flex_attention(q[0], k[0], v[0])
    with pytest.raises(ValueError, match="the same number of heads but got Hq=4 and Hkv=2"):
        flex_attention(q, k[:, :2], v[:, :2])
    with pytest.raises(ValueError, match="the same batch size"):
        flex_attention(q, k[:1], v[:1])
    with pytest.raises(ValueError, match="Cannot specify both return_lse and return_aux"):
        flex_attention(q, k, v, return_lse=True, return_aux=AuxRequest(lse=True))
    with pytest.raises(TypeError, match="3 is not a callable object"):
        create_block_mask(3, 1, 1, 4, 4)  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="Expected 4 or 5 positional args, got 2"):
        create_mask(lambda a, b: a, 1, 1, 4, 4)
