"""Every operator called with bad arguments: ``python -m tests.argument_attack`` tells where facula answers otherwise.

The recorded samples of the operator database are valid calls. In each, one argument after the other is replaced by
something that it is not meant to be, and parameters that the sample leaves out are given by name; functions are called
as methods, too. Where PyTorch is installed both libraries are called, and what they raise is compared: whether, which
class, and of sentences about arguments the whole text. Names choose entries, ``*`` and ``?`` match anything.
"""

from __future__ import annotations

import argparse
import fnmatch
import inspect
import re
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import facula

from .operator_database import golden
from .operator_database.answers import expected

EXPECTED = expected()

BAD: dict[str, Any] = {
    "None": lambda torch: None,
    "'abc'": lambda torch: "abc",
    "[]": lambda torch: [],
    "()": lambda torch: (),
    "2**70": lambda torch: 2**70,
    "-1": lambda torch: -1,
    "True": lambda torch: True,
    "1.5": lambda torch: 1.5,
    "object()": lambda torch: object(),
    "1j": lambda torch: 1j,
    "a bool tensor": lambda torch: torch.tensor([True, False]),
    "an array": lambda torch: np.ones(2),
    "{}": lambda torch: {},
    "nan": lambda torch: float("nan"),
    "['abc']": lambda torch: ["abc"],
    "[1.5]": lambda torch: [1.5],
}
"""What is given in place of an argument, by name."""

ERRORS = {
    "TypeError", "RuntimeError", "ValueError", "IndexError", "NotImplementedError", "AssertionError", "ImportError",
    "LinAlgError", "OverflowError",
}  # fmt: skip
"""Classes of what PyTorch raises."""

_SENTENCES = re.compile(r"must be|received an invalid combination|unexpected keyword|positional argument")
_OF_NUMPY = re.compile(r"ufunc|__array|setting an array element|truth value of an array|too small depth|_op\b")


class Hang(BaseException):
    """A call does not end."""


def _end(*_: Any) -> None:
    raise Hang


signal.signal(signal.SIGVTALRM, _end)


@dataclass
class Attack:
    """One call with one bad argument."""

    entry: str
    call: str
    args: list[Any]
    kwargs: dict[str, Any]
    at: int | str
    bad: str

    def __str__(self) -> str:
        shown = [*map(_shown, self.args), *(f"{k}={_shown(v)}" for k, v in self.kwargs.items() if k != self.at)]
        if isinstance(self.at, int):
            shown[self.at] = self.bad
        else:
            shown.append(f"{self.at}={self.bad}")
        return f"{self.call.replace('method:', 'Tensor.').removeprefix('function:')}({', '.join(shown)})"

    def run(self, torch: Any) -> Answer:
        args, kwargs = golden.read(torch, [self.args, {"dict": self.kwargs}])
        value = BAD[self.bad](torch)
        if isinstance(self.at, int):
            args[self.at] = value
        else:
            kwargs[self.at] = value
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            signal.setitimer(signal.ITIMER_VIRTUAL, 2)
            try:
                golden.function(torch, self.call)(*args, **kwargs)
            except (Exception, Hang) as e:
                return Answer(type(e).__name__.lstrip("_"), " ".join(str(e).split()))
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        return Answer()


@dataclass
class Answer:
    """What came of a call: nothing raised, or an error."""

    error: str = ""
    text: str = field(default="", compare=False)

    @property
    def sentence(self) -> str:
        """The text, if it is about an argument and its type. What follows a combination is a list of overloads."""
        if self.error != "TypeError" or not _SENTENCES.search(self.text):
            return ""
        told, _, kinds = self.text.partition(", but expected ")[0].partition("got (")
        return f"{told}{sorted(kinds.strip('() ,').split(', '))}"  # PyTorch puts names in no order

    def __str__(self) -> str:
        return f"{self.error}: {self.text[:160]}" if self.error else "no error"


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        ((kind, given),) = value.items()
        if kind == "tensor":
            return f"{given[0]}{given[1]}"
        return f"({', '.join(map(_shown, given))})" if kind == "tuple" else f"{given}"
    return f"[{', '.join(map(_shown, value))}]" if isinstance(value, list) else repr(value)


def attacks(patterns: list[str]) -> Iterator[Attack]:
    """All of them, by entry."""
    seen = set()
    for entry, samples in golden.load().items():
        if patterns and not any(fnmatch.fnmatchcase(entry, p) for p in patterns):
            continue
        valid = [s for s in samples if "raises" not in s["seen"]]
        if not valid or "missing" in EXPECTED.get(entry, {}):
            continue
        sample = max(valid, key=lambda s: (len(s["args"]) + len(s["kwargs"]["dict"]), _elements(s)))
        args, kwargs = sample["args"], sample["kwargs"]["dict"]
        for call in _forms(sample["call"], args):
            if (call, len(args), *kwargs) in seen:
                continue
            seen.add((call, len(args), *kwargs))
            first = 1 if call.startswith("method:") else 0
            places = [*range(first, len(args)), *kwargs, *_left_out(call, len(args), kwargs)]
            for at in places:
                for bad in BAD:
                    yield Attack(entry, call, args, kwargs, at, bad)


def _elements(sample: Any) -> int:
    first = sample["args"][0] if sample["args"] else None
    return int(np.prod(first["tensor"][1])) if isinstance(first, dict) and "tensor" in first else 0


def _forms(call: str, args: list[Any]) -> Iterator[str]:
    yield call
    kind, _, name = call.partition(":")
    if kind == "function" and args and isinstance(args[0], dict) and "tensor" in args[0]:
        name = name.rpartition(".")[2] if not name.startswith(("nn.", "linalg.", "special.", "fft.")) else ""
        if callable(getattr(facula.Tensor, name, None)):
            yield f"method:{name}"


def _left_out(call: str, n: int, kwargs: dict[str, Any]) -> list[str]:
    """Parameters that a sample does not give."""
    try:
        parameters = list(inspect.signature(golden.function(facula, call)).parameters.values())
    except ValueError:
        return []
    named = [p.name for p in parameters[n:] if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return [name for name in named if name not in kwargs and not name.startswith("_") and name != "out"]


def is_foreign(answer: Answer) -> bool:
    """Whether an error is none of PyTorch's: by its class, or because it speaks of NumPy or of facula's inside."""
    asked = re.search(r"object has no attribute '([a-z]\w*)'", answer.text)
    if answer.error == "AttributeError" and asked and hasattr(facula.Tensor, asked[1]):
        return False  # functions in Python ask for what tensors have
    return bool(answer.error) and (answer.error not in ERRORS or not answer.text or bool(_OF_NUMPY.search(answer.text)))


def difference(theirs: Answer, ours: Answer) -> str:
    """What kind of difference there is, if any."""
    if "object 'Tensor' has no attribute" in theirs.text:
        return ""  # facula has more methods
    if theirs.error != ours.error:
        return f"{theirs.error or 'no error'} / {ours.error or 'no error'}"
    if theirs.sentence and theirs.sentence != ours.sentence.replace("facula.", "torch."):
        return "other sentence"
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.argument_attack", description=__doc__)
    parser.add_argument("entries", nargs="*")
    parser.add_argument("--kind", help="only differences of this kind, all of them")
    options = parser.parse_args()
    import torch

    kinds: Counter[str] = Counter()
    total = 0
    for attack in attacks(options.entries):
        if options.kind is None:
            print(attack, file=sys.stderr, flush=True)
        theirs, ours = attack.run(torch), attack.run(facula)
        total += 1
        kind = difference(theirs, ours)
        if kind:
            kinds[kind] += 1
            if options.kind in (None, kind):
                print(f"[{kind}] {attack}\n    torch:  {theirs}\n    facula: {ours}")
    print(f"{total} calls, {kinds.total()} differences:")
    for kind, n in kinds.most_common():
        print(f"{n:6} {kind}")


if __name__ == "__main__":
    main()
