"""The entries of the database, and how facula spells each of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch.testing._internal import common_utils
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo import core
from torch.testing._internal.opinfo.core import OpInfo, SampleInput

import facula

from ..oracle import only_the_cpu
from .translate import rebound, tensors_of

only_the_cpu(torch)
core.extract_test_fn = common_utils.extract_test_fn = lambda: None
"""The database looks through the stack for the test of PyTorch's that asks for samples: there is none."""

LEFT_OUT = ("jiterator_", "ops.aten.", "torch.ops.", "sparse.", "to_sparse", "torch._scaled_mm")
"""Compiled for GPUs, no functions of PyTorch's but operators behind them, or of layouts and dtypes that facula does not
have."""

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

LARGEST = 1_000_000
"""Samples of more elements are left out: they take seconds, and ask what other sizes of the same ask as well."""


@dataclass
class How:
    """How the samples are chosen."""

    seed: int = 0
    factor: float = 1.0
    """So many times the usual number of samples."""
    reference: bool = False
    """The database's larger lists of samples, where it has them."""
    noncontiguous: bool = False
    """Tensors of which every other element is not part."""


HOW = How()


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
        op = self.info.op
        if isinstance(op, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
            return getattr(facula.ops.aten, self.name)
        if getattr(op, "__name__", "") == "<lambda>" or getattr(op, "__module__", "").startswith("torch.testing"):
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
            found = self.made[d, requires_grad] = self._make(d, requires_grad)
        most = max(1, round(most * HOW.factor))
        if len(found) <= most:
            return found
        return [found[i * (len(found) - 1) // max(most - 1, 1)] for i in range(most)]

    def _make(self, d: Any, requires_grad: bool) -> list[SampleInput]:
        found: list[SampleInput] = []
        at_most = 2000 if d is self.main_dtype() else 200  # some lists are long, and take longer than the questions
        for make in (self.info.reference_inputs, self.info.sample_inputs)[not HOW.reference :]:
            try:
                with seeds(self.full_name):
                    found = list(islice(make("cpu", d, requires_grad=requires_grad), at_most))
                break
            except ValueError:  # some of the larger lists want gradients of integers
                continue
        changed = [sample.noncontiguous() for sample in found] if HOW.noncontiguous else found
        return [sample.transform(as_leaf) for sample in changed if size(sample) <= LARGEST]

    def error_inputs(self) -> list[Any]:
        if self.info.error_inputs_func is None:
            return []
        with seeds(self.full_name):
            return list(self.info.error_inputs("cpu"))


def size(sample: SampleInput) -> int:
    """The number of elements of all tensors of a sample."""
    return sum(t.numel() for t in tensors_of([sample.input, sample.args, sample.kwargs]))


def as_leaf(value: Any) -> Any:
    """A leaf that is a view as a leaf that is none: changed after it was made, it would get no gradient."""
    if isinstance(value, torch.Tensor) and value.is_leaf and value.requires_grad and value._is_view():
        return value.detach().requires_grad_()
    return value


class seeds:
    """PyTorch's, NumPy's and Python's random numbers start anew, by name."""

    def __init__(self, name: str) -> None:
        self.seed = sum(name.encode()) + 10007 * HOW.seed

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
