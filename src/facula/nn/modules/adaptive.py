"""Softmax over many classes in clusters: frequent classes get more capacity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..._tensor import Tensor
from .. import functional as F
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module


class _ASMoutput(NamedTuple):
    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """Efficient softmax approximation (Grave et al. 2017).

    The head chooses among the most frequent classes and the clusters of the others; each cluster has a smaller network
    to choose among its own. ``cutoffs`` are the numbers at which clusters begin.
    """

    in_features: int
    n_classes: int
    cutoffs: list[int]
    div_value: float
    head_bias: bool
    shortlist_size: int
    n_clusters: int
    head_size: int
    head: Linear
    tail: ModuleList

    def __init__(
        self, in_features: int, n_classes: int, cutoffs: Sequence[int], div_value: float = 4.0,
        head_bias: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        cutoffs = list(cutoffs)
        if len(cutoffs) == 0:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        rising = all(low < high for low, high in zip([0, *cutoffs], [*cutoffs, n_classes]))
        if not rising or any(int(c) != c for c in cutoffs):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                "value is between 1 and n_classes-1"
            )
        clusters = len(cutoffs)
        vars(self).update(
            in_features=in_features, n_classes=n_classes, cutoffs=[*cutoffs, n_classes], div_value=div_value,
            head_bias=head_bias, shortlist_size=cutoffs[0], n_clusters=clusters, head_size=cutoffs[0] + clusters,
        )  # fmt: skip

        def projection(inputs: int, outputs: int, bias: bool = False) -> Linear:
            return Linear(inputs, outputs, bias, device, dtype)

        self.head = projection(in_features, self.head_size, head_bias)
        self.tail = ModuleList()
        for i, (low, high) in enumerate(self._clusters(), 1):
            hidden = int(in_features // div_value**i)
            self.tail.append(Sequential(projection(in_features, hidden), projection(hidden, high - low)))

    def _clusters(self) -> list[tuple[int, int]]:
        return list(zip(self.cutoffs, self.cutoffs[1:]))

    def reset_parameters(self) -> None:
        self.head.reset_parameters()
        for cluster in self.tail:
            for part in cluster.children():
                part.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        """The logarithm of the probability of each target, and the mean of their negatives."""
        dims = target_.dim()
        if dims == 1:
            if input_.size(0) != target_.size(0):
                raise RuntimeError("Input and target should have the same size in the batch dimension.")
            if input_.dim() != 2:
                raise RuntimeError(
                    f"1D target tensor expects 2D input tensors, but found inputs with size {input_.size()}"
                )
        elif dims == 0:
            if input_.dim() != 1:
                raise RuntimeError(
                    f"0D target tensor expects 1D input tensors, but found inputs with size {input_.size()}"
                )
        else:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        input = input_ if dims else input_.unsqueeze(0)
        target = target_ if dims else target_.unsqueeze(0)
        output = input.new_zeros(target.size(0))
        place = target.clone()
        """Where the head has the class itself, or its cluster."""
        found = int((target < self.shortlist_size).sum()) - int((target < 0).sum())
        for i, (low, high) in enumerate(self._clusters()):
            rows = ((target >= low) & (target < high)).nonzero().squeeze(1)
            if rows.numel() == 0:
                continue
            within = F.log_softmax(self.tail[i](input.index_select(0, rows)), dim=1)
            chosen = within.gather(1, (target.index_select(0, rows) - low).unsqueeze(1)).squeeze(1)
            output.index_copy_(0, rows, chosen)
            place.index_fill_(0, rows, self.shortlist_size + i)
            found += rows.numel()
        if found != target.size(0):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range [{target.min().item()}, "
                f"{target.max().item()}] were found. "
            )
        head = F.log_softmax(self.head(input), dim=1)
        output += head.gather(1, place.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return _ASMoutput(output if dims else output.squeeze(0), loss)

    def _get_full_log_prob(self, input: Tensor, head_output: Tensor) -> Tensor:
        """The logarithm of the probability of every class, given what the head said."""
        out = input.new_empty((head_output.size(0), self.n_classes))
        head = F.log_softmax(head_output, dim=1)
        short = self.shortlist_size
        out[:, :short] = head[:, :short]
        for i, (low, high) in enumerate(self._clusters()):
            within = F.log_softmax(self.tail[i](input), dim=1)
            out[:, low:high] = within + head[:, short + i].unsqueeze(1)
        return out

    def log_prob(self, input: Tensor) -> Tensor:
        """The logarithm of the probability of every class."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: Tensor) -> Tensor:
        """The most likely class; clusters are looked at only for rows whose head chooses one."""
        head = self.head(input)
        chosen: Tensor = head.argmax(dim=1)
        beyond = chosen >= self.shortlist_size
        if not bool(beyond.any()):
            return chosen
        if bool(beyond.all()):
            return self._get_full_log_prob(input, head).argmax(dim=1)
        chosen[beyond] = self._get_full_log_prob(input[beyond], head[beyond]).argmax(dim=1)
        return chosen
