"""Transformers (Vaswani et al. 2017): layers, stacks of them, and both together."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import facula

from ..._core import state as _state
from ..._tensor import Tensor
from .. import functional as F
from .. import init
from ..functional.attention import _canonical_mask, _none_or_dtype
from .activation import GELU, ReLU
from .attention import MultiheadAttention
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

Activation = str | Callable[[Tensor], Tensor]


# ---- masks


def _generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
    mask: Tensor = facula.full((sz, sz), float("-inf"), dtype=dtype, device=device).triu(diagonal=1)
    return mask


def _length(x: Tensor, batch_first: bool) -> int:
    return x.size(1 if x.dim() == 3 and batch_first else 0)


def _detect_is_causal_mask(mask: Tensor | None, is_causal: bool | None = None, size: int | None = None) -> bool:
    """Whether a mask hides just what comes later: as told, else by looking at it."""
    if is_causal is not None or mask is None:
        return is_causal is True
    n = size if size is not None else mask.size(-2)
    later = _generate_square_subsequent_mask(n, dtype=mask.dtype) if mask.dtype.is_floating_point else None
    return later is not None and tuple(mask.shape) == (n, n) and bool(mask.eq(later).all())


def _as_sums(
    mask: Tensor | None, padding: Tensor | None, names: tuple[str, str], dtype: Any
) -> tuple[Tensor | None, Tensor | None]:
    """Both masks as numbers to be added to scores."""
    padding = _canonical_mask(padding, names[1], _none_or_dtype(mask), names[0], dtype)
    return _canonical_mask(mask, names[0], None, "", dtype), padding


# ---- layers


def _get_activation_fn(activation: str) -> Callable[[Tensor], Tensor]:
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    found: Callable[[Tensor], Tensor] = getattr(F, activation)
    return found


def _attended(
    attention: Module, x: Tensor, to: Tensor, attn_mask: Any, key_padding_mask: Any, is_causal: bool
) -> Tensor:
    masks = {"attn_mask": attn_mask, "key_padding_mask": key_padding_mask, "is_causal": is_causal}
    found: Tensor = attention(x, to, to, need_weights=False, **masks)[0]
    return found


class _Layer(Module):
    """The parts of a layer, and the steps that layers of both kinds take."""

    def _add_parts(
        self, attentions: list[str], d_model: int, nhead: int, dim_feedforward: int, dropout: float,
        layer_norm_eps: float, batch_first: bool, norm_first: bool, bias: bool, options: dict[str, Any],
    ) -> None:  # fmt: skip
        for name in attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **options))
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **options)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **options)
        self.norm_first = norm_first
        numbers = range(1, len(attentions) + 2)
        for i in numbers:
            setattr(self, f"norm{i}", LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **options))
        for i in numbers:
            setattr(self, f"dropout{i}", Dropout(dropout))

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if not hasattr(self, "activation"):
            self.activation: Callable[..., Tensor] = F.relu

    def _through(self, x: Tensor, *blocks: Callable[[Tensor], Tensor]) -> Tensor:
        """Blocks around which the input goes on, normalized before each or after it has been added."""
        for i, block in enumerate(blocks, 1):
            norm = getattr(self, f"norm{i}")
            x = x + block(norm(x)) if self.norm_first else norm(x + block(x))
        return x

    def _sa_block(self, x: Tensor, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Tensor:
        found: Tensor = self.dropout1(_attended(self.self_attn, x, x, attn_mask, key_padding_mask, is_causal))
        return found

    def _fed_forward(self, x: Tensor, last: Module) -> Tensor:
        found: Tensor = last(self.linear2(self.dropout(self.activation(self.linear1(x)))))
        return found


class TransformerEncoderLayer(_Layer):
    """Self-attention, then two linear layers with an activation between."""

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Activation = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._add_parts(
            ["self_attn"], d_model, nhead, dim_feedforward, dropout, layer_norm_eps, batch_first, norm_first, bias,
            {"device": device, "dtype": dtype},
        )  # fmt: skip
        if isinstance(activation, str):
            activation = _get_activation_fn(activation)
        self.activation_relu_or_gelu = _kind_of_activation(activation)
        self.activation = activation

    def forward(
        self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        names = ("src_mask", "src_key_padding_mask")
        src_mask, src_key_padding_mask = _as_sums(src_mask, src_key_padding_mask, names, src.dtype)
        return self._through(
            src, lambda x: self._sa_block(x, src_mask, src_key_padding_mask, is_causal), self._ff_block
        )

    def _ff_block(self, x: Tensor) -> Tensor:
        return self._fed_forward(x, self.dropout2)


def _kind_of_activation(activation: Any) -> int:
    if activation is F.relu or isinstance(activation, ReLU):
        return 1
    return 2 if activation is F.gelu or isinstance(activation, GELU) else 0


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to an encoder's output, then two linear layers with an activation between."""

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Activation = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self._add_parts(
            ["self_attn", "multihead_attn"], d_model, nhead, dim_feedforward, dropout, layer_norm_eps, batch_first,
            norm_first, bias, {"device": device, "dtype": dtype},
        )  # fmt: skip
        self.activation = _get_activation_fn(activation) if isinstance(activation, str) else activation

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False, memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        return self._through(
            tgt,
            lambda x: self._sa_block(x, tgt_mask, tgt_key_padding_mask, tgt_is_causal),
            lambda x: self._mha_block(x, memory, memory_mask, memory_key_padding_mask, memory_is_causal),
            self._ff_block,
        )

    def _mha_block(
        self, x: Tensor, mem: Tensor, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False
    ) -> Tensor:
        found: Tensor = self.dropout2(_attended(self.multihead_attn, x, mem, attn_mask, key_padding_mask, is_causal))
        return found

    def _ff_block(self, x: Tensor) -> Tensor:
        return self._fed_forward(x, self.dropout3)


# ---- stacks


def _get_clones(module: Module, n: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(n)])


class TransformerEncoder(Module):
    """Copies of an encoder layer, one after the other, and a normalization at the end if there is one."""

    def __init__(
        self, encoder_layer: Any, num_layers: int, norm: Module | None = None, enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        reason = _why_not_nested(encoder_layer)
        if enable_nested_tensor and reason:
            warnings.warn(
                f"enable_nested_tensor is True, but self.use_nested_tensor is False because {reason}", stacklevel=2
            )
            self.use_nested_tensor = False

    def forward(
        self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:  # fmt: skip
        mask, src_key_padding_mask = _as_sums(mask, src_key_padding_mask, ("mask", "src_key_padding_mask"), src.dtype)
        batch_first = self.layers[0].self_attn.batch_first
        is_causal = _detect_is_causal_mask(mask, is_causal, _length(src, batch_first))
        out: Any = src
        for layer in self.layers:
            out = layer(out, src_mask=mask, is_causal=is_causal, src_key_padding_mask=src_key_padding_mask)
        if mask is None and src_key_padding_mask is not None and self._drops_padding(src, src_key_padding_mask):
            out = out.masked_fill(src_key_padding_mask.ne(0).unsqueeze(-1), 0.0)
        return out if self.norm is None else self.norm(out)

    def _drops_padding(self, src: Tensor, padding: Tensor) -> bool:
        """Whether PyTorch would leave the padding out, for speed: its outputs are zeros then."""
        if not self.use_nested_tensor or self.training or self.layers[0].training or src.dim() != 3:
            return False
        seen = padding._array == 0
        if self.mask_check and bool((seen[:, 1:] & ~seen[:, :-1]).any()):
            return False
        return not (_state.grad_enabled() and any(t.requires_grad for t in (src, *self.layers[0].parameters())))


def _why_not_nested(layer: Any) -> str:
    """Why PyTorch would not use nested tensors for this layer; nothing if it would."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    if layer.norm_first:
        return "encoder_layer.norm_first was True"
    attention = layer.self_attn
    if not attention.batch_first:
        return (
            "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)"
        )
    if not attention._qkv_same_embed_dim:
        return "encoder_layer.self_attn._qkv_same_embed_dim was not True"
    if attention.in_proj_bias is None:
        return "encoder_layer.self_attn was passed bias=False"
    if not layer.activation_relu_or_gelu:
        return "encoder_layer.activation_relu_or_gelu was not True"
    if layer.norm1.eps != layer.norm2.eps:
        return "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps"
    return "encoder_layer.self_attn.num_heads is odd" if attention.num_heads % 2 else ""


class TransformerDecoder(Module):
    """Copies of a decoder layer, one after the other, and a normalization at the end if there is one."""

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        length = _length(tgt, self.layers[0].self_attn.batch_first)
        tgt_is_causal = _detect_is_causal_mask(tgt_mask, tgt_is_causal, length)
        masks = {
            "tgt_mask": tgt_mask, "tgt_key_padding_mask": tgt_key_padding_mask, "tgt_is_causal": tgt_is_causal,
            "memory_mask": memory_mask, "memory_key_padding_mask": memory_key_padding_mask,
            "memory_is_causal": memory_is_causal,
        }  # fmt: skip
        out: Any = tgt
        for layer in self.layers:
            out = layer(out, memory, **masks)
        return out if self.norm is None else self.norm(out)


class Transformer(Module):
    """An encoder of the source, and a decoder that goes by its output and by the target so far."""

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6,
        dim_feedforward: int = 2048, dropout: float = 0.1, activation: Activation = F.relu,
        custom_encoder: Any = None, custom_decoder: Any = None, layer_norm_eps: float = 1e-5,
        batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        given = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        options: dict[str, Any] = {"device": device, "dtype": dtype}

        def norm() -> LayerNorm:
            return LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **options)

        if custom_encoder is not None:
            self.encoder = custom_encoder
        else:
            self.encoder = TransformerEncoder(TransformerEncoderLayer(*given, **options), num_encoder_layers, norm())
        if custom_decoder is not None:
            self.decoder = custom_decoder
        else:
            self.decoder = TransformerDecoder(TransformerDecoderLayer(*given, **options), num_decoder_layers, norm())
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self, src: Tensor, tgt: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch) != tgt.size(batch):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if {src.size(-1), tgt.size(-1)} != {self.d_model}:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        of_source = {"mask": src_mask, "src_key_padding_mask": src_key_padding_mask, "is_causal": src_is_causal}
        of_target = {
            "tgt_mask": tgt_mask, "tgt_key_padding_mask": tgt_key_padding_mask, "tgt_is_causal": tgt_is_causal,
            "memory_mask": memory_mask, "memory_key_padding_mask": memory_key_padding_mask,
            "memory_is_causal": memory_is_causal,
        }  # fmt: skip
        found: Tensor = self.decoder(tgt, self.encoder(src, **of_source), **of_target)
        return found

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """A mask to be added: -inf for what comes later, 0 for the rest."""
        return _generate_square_subsequent_mask(sz, device, dtype)

    def _reset_parameters(self) -> None:
        for p in self.parameters():
            if p.dim() > 1:
                init.xavier_uniform_(p)
