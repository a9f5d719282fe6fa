"""Two more questions of the database's differentiable entries: forward mode, and ``vmap``.

Tangents are compared with those of ``torch.func.jvp``, batches with a loop over their items. ``summary`` counts.
"""

from __future__ import annotations

from typing import Any

import torch

import facula
from facula._core.pytree import tree_flatten, tree_unflatten
from facula._levels import batched
from facula.func import jvp, vmap

from .entries import RANDOM, Entry, SampleInput
from .translate import Difference, Translation, compare, tensors_of

SAMPLES, ITEMS = 4, 3

KNOWN = {
    "as_strided.partial_views": "a sample is a view beyond its memory, which arrays of NumPy cannot be",
    "chalf": "there is no arithmetic in complex32",
    "nn.functional.multi_head_attention_forward": "dropout draws random numbers, which vmap refuses, as in PyTorch",
}
"""Entries that are not asked, and why."""

REFUSALS = (
    "vmap: inplace arithmetic(self, *extra_args) is not possible", "Batch norm got a batched tensor as input",
    "linalg_eig_backward: The eigenvectors in the complex case",
)  # fmt: skip
"""What both libraries refuse."""


WITHIN: dict[str, Any] = {
    "cholesky_inverse": lambda t: t.tril() * t.triu(),
    **dict.fromkeys(("cholesky", "linalg.cholesky", "linalg.cholesky_ex"), lambda t: t + t.mT),
}
"""Directions in which a function is defined: matrices that stay symmetric, or, whichever half counts, diagonal."""


def applies(entry: Entry) -> bool:
    supported = entry.info.supports_autograd and torch.float64 in entry.dtypes()
    return supported and entry.name not in RANDOM and entry.full_name not in KNOWN


class Problem:
    """A sample as a function of the tensors it is differentiable in, in both libraries."""

    def __init__(self, entry: Entry, sample: SampleInput) -> None:
        translation = Translation()
        given = ((sample.input, *sample.args), sample.kwargs)
        self.theirs = entry.theirs
        self.ours = entry.ours
        self.their_leaves, self.spec = tree_flatten(given)
        self.our_leaves, _ = tree_flatten(translation(given))
        wanted = {id(t) for t in tensors_of(given) if t.requires_grad}
        self.places = [i for i, leaf in enumerate(self.their_leaves) if id(leaf) in wanted]
        self.their_inputs = tuple(self.their_leaves[i].detach() for i in self.places)
        self.inputs = tuple(self.our_leaves[i].detach() for i in self.places)

    def our_function(self, *inputs: Any) -> tuple[Any, ...]:
        return self._call(self.ours, self.our_leaves, inputs, facula.Tensor)

    def their_function(self, *inputs: Any) -> tuple[Any, ...]:
        return self._call(self.theirs, self.their_leaves, inputs, torch.Tensor)

    def _call(self, function: Any, leaves: list[Any], inputs: Any, kind: Any) -> tuple[Any, ...]:
        leaves = list(leaves)
        for i, x in zip(self.places, inputs):
            leaves[i] = x.clone()
        args, kwargs = tree_unflatten(leaves, self.spec)
        found, _ = tree_flatten(function(*args, **kwargs))
        return tuple(t for t in found if isinstance(t, kind) and (t.is_floating_point() or t.is_complex()))


def problems(entry: Entry) -> list[Problem]:
    found = [Problem(entry, sample) for sample in entry.samples(torch.float64, SAMPLES, True)]
    return [p for p in found if p.inputs]


def check_tangents(entry: Entry) -> bool:
    """Whether it applies; raises if tangents differ."""
    if not entry.info.supports_forward_ad:
        return False
    asked = False
    for problem in problems(entry):
        directions = [torch.cos(torch.arange(x.numel(), dtype=torch.float64)).reshape(x.shape) for x in problem.inputs]
        if entry.name in WITHIN:
            directions = [WITHIN[entry.name](d) for d in directions]
        theirs: Any = None
        try:
            theirs = torch.func.jvp(problem.their_function, problem.their_inputs, tuple(directions))
        except Exception:
            continue  # PyTorch has none for this sample
        if not theirs[0]:
            continue
        ours = jvp(problem.our_function, problem.inputs, tuple(facula.from_numpy(d.numpy()) for d in directions))
        for value, wanted in zip((*ours[0], *ours[1]), (*theirs[0], *theirs[1]), strict=True):
            compare(wanted.detach(), value, loose=1000)
        asked = True
    return asked


def check_batches(entry: Entry) -> tuple[bool, set[str]]:
    """Whether it applies, and what was run for each item alone; raises if batches differ from a loop."""
    asked = False
    alone: set[str] = set()
    for problem in problems(entry):
        items = tuple(facula.stack([x * (1 - 0.003 * k) for k in range(ITEMS)]) for x in problem.inputs)
        batched._told.clear()
        try:
            found = vmap(problem.our_function)(*items)
            looped = [problem.our_function(*[x[k] for x in items]) for k in range(ITEMS)]
        except RuntimeError as e:
            if str(e).startswith(REFUSALS):
                continue
            raise
        for got, column in zip(found, zip(*looped, strict=True), strict=True):
            wanted = facula.stack(list(column))
            if got.shape != wanted.shape or got.dtype is not wanted.dtype:
                told = [f"{t.dtype} {list(t.shape)}" for t in (got, wanted)]
                raise Difference(f"{told[0]} from vmap, {told[1]} from a loop")
            if not facula.allclose(got, wanted, rtol=1e-6, atol=1e-8, equal_nan=True):
                raise Difference("other values than a loop's")
        alone |= set(batched._told)
        asked = True
    return asked, alone
