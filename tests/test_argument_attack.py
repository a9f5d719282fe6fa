"""Bad arguments are refused as PyTorch refuses them: part of what ``python -m tests.argument_attack`` asks."""

from __future__ import annotations

import fnmatch
import importlib.util
import inspect
import itertools

import pytest

import facula
from facula.ops.machine import handed
from facula.ops.machine.front import Fronts

from . import signatures
from .argument_attack import Attack, attacks, difference, is_foreign

ENTRIES = """
abs add addmm all amax any argmax bitwise_and cat chunk clamp cumsum diagonal eq expand fft.fft flip gather
index_select kthvalue linalg.norm linalg.solve logsumexp masked_fill matmul max.reduction_with_dim mean median mul
narrow nn.functional.gelu nn.functional.softplus permute pow prod repeat reshape roll select softmax sort split squeeze
std sum take topk transpose tril unbind unfold unsqueeze var view where zeros
""".split()
EVERY = 5
"""Of so many calls one is made."""

KNOWN = {
    "*clamp(*, 1j)": "complex numbers are refused as such",
    "*eq(*an array*": "arrays of NumPy are compared as tensors are",
    "eq(2[*][*]70, *": "the number is refused before its place is",
    "*logsumexp(*, [[]], *": "all dimensions are meant, and computed",
    "*logsumexp(*, (), *": "all dimensions are meant, and computed",
    "*softplus(*threshold=*": "a threshold beyond all numbers is one that none reaches",
    "Tensor.repeat(*, True)": "a size of one",
    "*sort(*, stable=*": "what is sorted is always stable",
    "split('abc', *": "strings have a method of that name, which PyTorch calls",
    "zeros(*pin_memory=True)": "there is no memory to pin, and nothing is lost",
}
"""Calls that are answered otherwise, and why."""

HAS_TORCH = importlib.util.find_spec("torch") is not None


def sample(entries: list[str], every: int) -> list[Attack]:
    return list(itertools.islice(attacks(entries), 0, None, every))


@pytest.mark.parametrize("entry", ENTRIES)
def test_errors_are_never_those_of_numpy_or_of_the_inside(entry: str) -> None:
    found = {str(attack): attack.run(facula) for attack in sample([entry], EVERY)}
    assert found
    assert not {call: str(answer) for call, answer in found.items() if is_foreign(answer)}


@pytest.mark.skipif(not HAS_TORCH, reason="compares with PyTorch")
def test_errors_are_those_of_pytorch() -> None:
    import torch

    different = []
    for attack in sample(ENTRIES, EVERY):
        theirs, ours = attack.run(torch), attack.run(facula)
        if difference(theirs, ours) and not any(fnmatch.fnmatchcase(str(attack), call) for call in KNOWN):
            different.append(f"{attack}\n    torch:  {theirs}\n    facula: {ours}")
    assert not different, "\n".join(different)


@pytest.mark.parametrize("name", sorted(name for name in handed.names() if name.startswith("F.")))
def test_what_is_left_out_is_plain(name: str) -> None:
    """Else every call would be looked at closely."""
    fronts = Fronts([name[2:]], inspect.unwrap(getattr(facula.nn.functional, name[2:])), is_functional=True)
    named = [p for p in fronts.parameters if p.default is not p.empty]
    plain = {p.name: fronts.by_name[p.name] for p in named}
    assert {p.name for p in named if plain[p.name] is not None and type(p.default) not in plain[p.name]} == set()


@pytest.mark.skipif(not HAS_TORCH, reason="asks PyTorch")
def test_signatures_are_up_to_date() -> None:
    assert signatures.FILE.read_text(encoding="utf-8").splitlines() == list(signatures.written())
