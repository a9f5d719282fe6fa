"""The entries of the database, and how facula spells each of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import OpInfo, SampleInput

import facula

from .translate import rebound

LEFT_OUT = (
    "jiterator_", "ops.aten.", "torch.ops.", "sparse.", "to_sparse", "torch._scaled_mm", "_batch_norm_with_update",
    "_upsample_bilinear2d_aa", "max_pool2d_with_indices_backward",
)  # fmt: skip
"""No functions of PyTorch's but operators behind them, or of layouts and dtypes that facula does not have."""

RANDOM = {
    "bernoulli", "cauchy", "exponential", "geometric", "log_normal", "multinomial", "normal", "poisson", "rand_like",
    "randint", "randint_like", "randn", "randn_like", "uniform", "nn.functional.alpha_dropout", "nn.functional.dropout",
    "nn.functional.dropout2d", "nn.functional.dropout3d", "nn.functional.feature_alpha_dropout", "nn.functional.rrelu",
    "nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d", "svd_lowrank", "pca_lowrank",
}  # fmt: skip
"""Draws differ between the libraries: their values are not compared."""

INDICES_OF_EQUALS = {"argsort": 0, "kthvalue": 1, "mode": 0, "sort": 0, "topk": 1}
"""Which one of equal elements is meant is a matter of choice: compared is what the indices point at. The number is the
position of ``dim`` among the arguments after the first."""

UNINITIALISED = {
    "empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided", "resize_", "resize_as_",
}  # fmt: skip

SPELLINGS: dict[str, Callable[[], Any]] = {
    "slice": lambda: _slice,
    "native_dropout_backward": lambda: import_module("facula.ops.dropouts").native_dropout_backward_op,
    "_segment_reduce": lambda: facula.segment_reduce,
}
"""Entries that are no public function in PyTorch: the operator of ``torch.ops`` behind one."""


def _slice(input: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    slice_along = import_module("facula.ops.parts").slice_along
    return slice_along(input, dim % input.ndim, *slice(start, end).indices(input.shape[dim])[:2], step)


class Entry:
    """One operator of the database, in one of its variants."""

    def __init__(self, info: OpInfo) -> None:
        self.info = info
        self.name = info.name
        self.full_name = info.name + (f".{info.variant_test_name}" if info.variant_test_name else "")
        self.compares_values = info.name not in RANDOM | UNINITIALISED
        self.made: dict[Any, list[SampleInput]] = {}
        """Samples, to be thrown away when all questions are answered."""

    def __repr__(self) -> str:
        return self.full_name

    @property
    def theirs(self) -> Any:
        return self.info.op

    @property
    def ours(self) -> Any:
        """facula's function; an AttributeError if it has none."""
        if self.name in SPELLINGS:
            return SPELLINGS[self.name]()
        op = self.info.op
        if getattr(op, "__name__", "") == "<lambda>":
            return rebound(op)
        found: Any = facula
        try:
            for part in self.name.split("."):
                found = getattr(found, part)
        except AttributeError:
            found = getattr(facula.Tensor, self.name)
        if isinstance(found, facula.dtype):  # ``float`` and such: the method is meant
            found = getattr(facula.Tensor, self.name)
        return found

    def has_values(self, sample: SampleInput) -> bool:
        """Whether a sample's results can be compared: nothing is drawn at random, nothing left unset."""
        if self.name == "nn.functional.multi_head_attention_forward":
            return not (sample.kwargs["training"] and sample.args[9])
        return self.compares_values and not sample.kwargs.get("dropout_p")

    def dtypes(self) -> set[Any]:
        return set(self.info.supported_dtypes("cpu"))

    def main_dtype(self) -> Any:
        """The dtype whose samples tell most."""
        supported = self.dtypes()
        return next(d for d in (torch.float64, torch.complex128, torch.int64, torch.bool, *supported) if d in supported)

    def samples(self, d: Any, most: int, requires_grad: bool) -> list[SampleInput]:
        """At most so many samples, from all over the list of them, the same ones every time."""
        requires_grad = requires_grad and (d.is_floating_point or d.is_complex)
        found = self.made.get((d, requires_grad))
        if found is None:
            with seeds(self.full_name):
                found = list(islice(self.info.sample_inputs("cpu", d, requires_grad=requires_grad), 2000))
            self.made[d, requires_grad] = found
        if len(found) <= most:
            return found
        return [found[i * (len(found) - 1) // max(most - 1, 1)] for i in range(most)]

    def error_inputs(self) -> list[Any]:
        if self.info.error_inputs_func is None:
            return []
        with seeds(self.full_name):
            return list(self.info.error_inputs("cpu"))


class seeds:
    """PyTorch's, NumPy's and Python's random numbers start anew, by name."""

    def __init__(self, name: str) -> None:
        self.seed = sum(name.encode())

    def __enter__(self) -> None:
        torch.manual_seed(self.seed)
        facula.manual_seed(self.seed)
        np.random.seed(self.seed)
        random.seed(self.seed)

    def __exit__(self, *_: Any) -> None:
        pass


def entries() -> Iterator[Entry]:
    seen = set()
    for info in op_db:
        if not info.name.startswith(LEFT_OUT) and info.supported_dtypes("cpu"):
            entry = Entry(info)
            assert entry.full_name not in seen, entry
            seen.add(entry.full_name)
            yield entry


ENTRIES = {entry.full_name: entry for entry in entries()}
