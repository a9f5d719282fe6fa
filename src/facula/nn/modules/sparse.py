"""Tables of rows: embeddings."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .linear import _empty
from .module import Module


class _Table(Module):
    weight: Parameter
    padding_idx: int | None

    def _fill(self, size: tuple[int, int], given: Tensor | None, freeze: bool, device: Any, dtype: Any) -> None:
        if given is None:
            self.weight = Parameter(_empty(size, device, dtype), requires_grad=not freeze)
            self.reset_parameters()
            return
        assert list(given.shape) == list(size), "Shape of weight does not match num_embeddings and embedding_dim"
        self.weight = Parameter(given, requires_grad=not freeze)

    def reset_parameters(self) -> None:
        """Normal, with zeros for padding."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self) -> None:
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)


def _padding(padding_idx: int | None, rows: int, name: str) -> int | None:
    if padding_idx is None:
        return None
    assert not (padding_idx >= rows or padding_idx < -rows), f"{name} must be within num_embeddings"
    return padding_idx + rows if padding_idx < 0 else padding_idx


class Embedding(_Table):
    """Rows of a table by number."""

    __constants__ = [
        "num_embeddings", "embedding_dim", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse",
    ]  # fmt: skip

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False, _weight: Tensor | None = None,
        _freeze: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = _padding(padding_idx, num_embeddings, "Padding_idx")
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self._fill((num_embeddings, embedding_dim), _weight, _freeze, device, dtype)
        self.sparse = sparse

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )

    def extra_repr(self) -> str:
        told = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            told += f", padding_idx={self.padding_idx}"
        return told + _other_settings(self)

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
    ) -> Embedding:  # fmt: skip
        """A layer with this table."""
        assert embeddings.dim() == 2, "Embeddings parameter is expected to be 2-dimensional"
        rows, columns = embeddings.shape
        return cls(
            rows, columns, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, _weight=embeddings,
            _freeze=freeze,
        )  # fmt: skip


def _other_settings(module: Any) -> str:
    told = ""
    if module.max_norm is not None:
        told += f", max_norm={module.max_norm}"
    if module.norm_type != 2:
        told += f", norm_type={module.norm_type}"
    if module.scale_grad_by_freq is not False:
        told += f", scale_grad_by_freq={module.scale_grad_by_freq}"
    if module.sparse is not False:
        told += ", sparse=True"
    return told


_OF_A_BAG = (
    "max_norm", "norm_type", "scale_grad_by_freq", "mode", "sparse", "include_last_offset", "padding_idx",
)  # fmt: skip


class EmbeddingBag(_Table):
    """Sums, means or maxima of rows of a table."""

    __constants__ = ["num_embeddings", "embedding_dim", *_OF_A_BAG]

    def __init__(
        self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None, norm_type: float = 2.0,
        scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, _weight: Tensor | None = None,
        include_last_offset: bool = False, padding_idx: int | None = None, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.padding_idx = _padding(padding_idx, num_embeddings, "padding_idx")
        self._fill((num_embeddings, embedding_dim), _weight, False, device, dtype)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None
    ) -> Tensor:
        settings = {name: getattr(self, name) for name in _OF_A_BAG}
        return F.embedding_bag(input, self.weight, offsets, per_sample_weights=per_sample_weights, **settings)

    def extra_repr(self) -> str:
        told = f"{self.num_embeddings}, {self.embedding_dim}{_other_settings(self)}, mode={self.mode!r}"
        return told if self.padding_idx is None else f"{told}, padding_idx={self.padding_idx}"

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, max_norm: float | None = None, norm_type: float = 2.0,
        scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:  # fmt: skip
        """A layer with this table."""
        assert embeddings.dim() == 2, "Embeddings parameter is expected to be 2-dimensional"
        rows, columns = embeddings.shape
        made = cls(
            rows, columns, max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings, include_last_offset,
            padding_idx,
        )  # fmt: skip
        made.weight.requires_grad = not freeze
        return made
