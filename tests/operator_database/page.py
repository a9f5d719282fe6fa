"""docs/operators.md: the table of operators and aspects."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from facula._lazy import load_all
from facula._operators import summary

from .answers import COUNTS, DIFFERENTIABLE, ERRORS, VERSION, Answers

PAGE = Path(__file__).parent.parent.parent / "docs" / "operators.md"

_HEAD = f"""# Operators

How facula's operators compare with those of PyTorch {VERSION}, by PyTorch's own database of operators and samples of
their inputs, which go through both libraries. This page is written by `python -m tests.operator_database`, which needs
`pip install torch=={VERSION} expecttest`; with the names of operators behind it, it prints what they answer.

| aspect | what is compared |
|---|---|
| value | values, shapes and dtypes of results in float64 (in integers, for operators of integers) |
| float32, bfloat16, complex128, int64, bool | the same in other dtypes |
| view | whether results share memory with arguments, and what writing to a view does to its base |
| version | which arguments a call changes, by their versions, and whether it returns them |
| requires_grad, grad_fn | which results have a history, and the name of the node that made them |
| gradient, complex gradient | gradients for random cotangents |
| second gradient | gradients of these gradients |
| method, in-place, out | the other forms: value, node, gradient |
| errors | for inputs that must fail: the type of the exception, and its message |
| kind, batching, autocast | not compared: what facula declares, if all primitives of an operator agree (`facula ops`) |

Left out are sparse and quantized tensors, what PyTorch compiles for GPUs, and operators of `torch.ops` that are no
functions. Results that are drawn at random are compared in shape and dtype only, and eigenvectors and such up to what
is a matter of choice.
"""

RECORD = ("kind", "batching", "autocast")
"""Columns that tell of the operator's record."""

_YES, _NO, _NONE = "✓", "✗", "·"


def page(answers: dict[str, Answers], different: dict[str, dict[str, str]]) -> str:
    """``different``: for each entry the aspects that differ, and why."""
    aspects = next([a for a in given if a not in COUNTS] for given in answers.values() if "missing" not in given)
    good = sum(not listed for listed in different.values())
    missing = sum("missing" in listed for listed in different.values())
    lines = [
        _HEAD,
        f"{good} of {len(answers)} operators are as in PyTorch in all aspects, {missing} missing.\n",
        *_shares(answers),
        _row("", *aspects),
        _row("---", *["---"] * len(aspects)),
        _row(f"{_YES} as in PyTorch", *[str(_count(answers, a, "")) for a in aspects]),
        _row(f"{_NO} different", *[str(sum(a in listed for listed in different.values())) for a in aspects]),
        _row(f"{_NONE} does not apply", *[str(_count(answers, a, None)) for a in aspects]),
        "\n## What is different, and why\n",
    ]
    for name, listed in different.items():
        by_reason: dict[str, list[str]] = {}
        for aspect, why in listed.items():
            by_reason.setdefault(why, []).append(aspect)
        lines += [f"- `{name}`, {', '.join(those)}: {_escaped(why)}" for why, those in by_reason.items()]
    lines += ["\n## All\n", _row("operator", *aspects), _row("---", *["---"] * len(aspects))]
    for name, given in answers.items():
        cells = [_NO if given.get(a) else _YES if given.get(a) == "" else _NONE for a in aspects]
        lines.append(_row(f"`{name}`", *(["missing", *[""] * (len(aspects) - 1)] if "missing" in given else cells)))
    return with_records("\n".join(lines) + "\n")


def with_records(text: str) -> str:
    """A page with what facula declares by now of each operator in the last columns of its table."""
    load_all()
    before, table = text.split("## All\n")
    lines: list[str] = []
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if cells:
            if len(lines) == 1:
                asked = [cell for cell in cells if cell not in RECORD]
            name = cells[0].strip("`")
            more = RECORD if len(lines) == 1 else ["---"] * len(RECORD) if len(lines) == 2 else record_cells(name)
            line = _row(*cells[: len(asked)], *more)
        lines.append(line)
    return f"{before}## All\n" + "\n".join(lines) + "\n"


def record_cells(name: str) -> Sequence[str]:
    """What facula declares of an operator; a variant of one is called ``operator.variant``."""
    found = summary(name)
    if not any(found) and "." in name:
        found = summary(name.rpartition(".")[0])
    return [word.replace("_", " ") or _NONE for word in found]


def _shares(answers: dict[str, Answers]) -> list[str]:
    """What part of the differentiable operators, and of wrong inputs, is as in PyTorch."""
    differentiable = [given for given in answers.values() if given.get(DIFFERENTIABLE) != "False"]

    def share(*aspects: str) -> str:
        asked = [given for given in differentiable if any(given.get(a, "missing") is not None for a in aspects)]
        return _part(sum("missing" not in given and not any(given[a] for a in aspects) for given in asked), len(asked))

    told = [(given.get(ERRORS) or "0/0").split("/") for given in answers.values()]
    good, all_ = (sum(int(pair[i]) for pair in told) for i in (0, 1))
    return [
        _row("of the differentiable operators, as in PyTorch", ""),
        _row("---", "---"),
        _row("values and gradients (float64, float32, complex128)", share(*_VALUES_AND_GRADIENTS)),
        _row("second gradients", share("second gradient")),
        _row("names of nodes", share("grad_fn")),
        _row("type and message of exceptions, of all inputs that must fail", _part(good, all_)),
        "",
    ]


_VALUES_AND_GRADIENTS = ("value", "float32", "complex128", "gradient", "complex gradient")


def _part(n: int, of: int) -> str:
    return f"{n} of {of}, {100 * n / max(of, 1):.1f} %"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _count(answers: dict[str, Answers], aspect: str, answer: str | None) -> int:
    return sum(given.get(aspect, "missing") == answer for given in answers.values())


def _escaped(text: str) -> str:
    return text.replace("*", r"\*").replace("<", "&lt;").replace("_", r"\_")


def listed_on(text: str) -> set[tuple[str, str]]:
    """The (entry, aspect) pairs that a page's table marks as different."""
    table = [line for line in text.split("## All")[1].splitlines() if "|" in line]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table]
    aspects = rows[0][1:]
    found = set()
    for name, *cells in rows[2:]:
        if cells[0] == "missing":
            found.add((name.strip("`"), "missing"))
        found |= {(name.strip("`"), aspect) for aspect, cell in zip(aspects, cells) if cell == _NO}
    return found
