"""Runs a mishap: a program with its guilty line marked, or the mended program.

In a program ``# guilty`` marks the line to be named (any of them, if there are several), ``# raises Kind: text`` the
line where it ends, ``# symptom`` a check of what is wrong with it. ``# mended: code`` stands for the line above it in
the mended program, which has no symptom.

``python -m tests.mishaps.run`` prints what is told of each.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import facula
from facula._core import state
from facula._explain import ask, errors, unasked
from facula._explain import watch as watching
from facula.autograd import exits

FOLDER = Path(__file__).parent
INNOCENT = sorted((FOLDER / "innocent").glob("*.py"))
"""Programs that look like mishaps and are none."""
PROGRAMS = sorted(path for path in FOLDER.glob("*.py") if path.name not in ("__init__.py", "run.py"))


class Outcome(NamedTuple):
    """What a program came to, and what was said of it."""

    error: BaseException | None
    said: str
    lines: set[int]


def guilty(path: Path) -> set[int]:
    """The numbers of the lines to be named."""
    return {n for n, text in enumerate(path.read_text().splitlines(), 1) if "# guilty" in text}


def expected(path: Path) -> tuple[str, str] | None:
    """The kind of error that the program ends with, and words of its message."""
    found = re.search(r"# raises (\w+): (.*)", path.read_text())
    return None if found is None else (found[1], found[2])


def mended(path: Path) -> str:
    """The program without its mistake. Its lines have the same numbers."""
    lines = path.read_text().splitlines()
    for n, text in enumerate(lines):
        found = re.match(r"(\s*)# mended: (.*)", text)
        if found is not None:
            indent = re.match(r"\s*", lines[n - 1])[0]  # type: ignore[index]
            lines[n - 1], lines[n] = indent + found[2], ""
        elif "# symptom" in text:
            lines[n] = ""
    return "\n".join(lines)


def run(path: Path, text: str, asked: bool) -> Outcome:
    """Run a program; ``asked``: with ``--explain --watch``. Another text than the file's gets a file of its own."""
    if text == path.read_text():
        return _run(path, text, asked)
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder, path.name)
        other.write_text(text)
        return _run(other, text, asked)


def _run(path: Path, text: str, asked: bool) -> Outcome:
    code = compile(text, str(path), "exec")
    error: BaseException | None = None
    said = io.StringIO()
    exits._warned = False
    unasked.forget()
    state.modes.exits = None
    watch = facula.watch(quiet=True).__enter__() if asked else None
    with warnings.catch_warnings(record=True) as seen, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        try:
            exec(code, {"__name__": "__main__", "__file__": str(path)})
        except Exception as e:
            error = e
        finally:
            state.update(grad_enabled=True, inference=False, switch=None)
            if watch is not None:
                watch.__exit__(None, None, None)
    for warning in seen:
        print(f"{warning.filename}:{warning.lineno}: {warning.message}", file=said)
    if error is not None:
        print(error, *getattr(error, "__notes__", ()), sep="\n", file=said)
    if asked and watch is not None:
        if error is None:
            print(watch.report.text(), file=said)
        elif errors.report_of(error) is None:
            print(ask.of_error(error).text(), file=said)
    watching.last = None
    lines = {int(n) for n in re.findall(re.escape(str(path)) + r":(\d+)", said.getvalue())}
    return Outcome(error, said.getvalue(), lines)


def named(outcome: Outcome, path: Path) -> bool:
    """Whether the guilty line is named, and not as one of many."""
    return bool(outcome.lines & guilty(path)) and len(outcome.lines) <= 5


def main(names: list[str]) -> Any:
    score = [0, 0]
    for path in PROGRAMS:
        if names and path.stem not in names:
            continue
        text = path.read_text()
        results = [run(path, text, asked) for asked in (False, True)]
        told = [named(each, path) for each in results]
        fixed = run(path, mended(path), True)
        score = [score[0] + told[0], score[1] + told[1]]
        quiet = fixed.error is None and not fixed.lines
        print(f"{path.stem:28s} unasked {told[0]!s:5} asked {told[1]!s:5} mended {'silent' if quiet else 'LOUD'}")
        if names or not told[1]:
            print(*[f"    {line}" for line in results[1].said.splitlines()[-8:]], sep="\n")
            if names:
                print(*[f"  un {line}" for line in results[0].said.splitlines()[-8:]], sep="\n")
        if not quiet:
            print(f"    mended: {fixed.error!r}", *[f"    {line}" for line in fixed.said.splitlines()[-6:]], sep="\n")
        want = expected(path)
        error = results[0].error
        if (want is None) != (error is None) or (
            want and (type(error).__name__ != want[0] or want[1] not in str(error))
        ):
            print(f"    SYMPTOM: {error!r} but {want}")
    print(score, "of", len(names or PROGRAMS))


if __name__ == "__main__":
    main(sys.argv[1:])
