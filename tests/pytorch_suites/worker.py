"""A process that runs tests of one file: ``python -m tests.pytorch_suites.worker LIBRARY DIRECTORY FILE``.

It writes the names of the file's tests, then takes names, one a line, and answers each with its outcome.
"""

from __future__ import annotations

import json
import os
import sys
import unittest
import warnings
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from .stand_in import ReadWithStandIns


def main(library: str, directory: str, file: str) -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what tests print is no answer
    questions = os.fdopen(os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ["PYTORCH_TESTING_DEVICE_ONLY_FOR"] = "cpu"
    os.environ["PYTORCH_TEST_WITH_SLOW"] = "0"
    assert library == "torch" or "facula" in sys.modules, "sitecustomize was not run"
    path = Path(directory, file).with_suffix(".py").resolve()
    sys.argv[:] = [str(path)]  # the main program, the tests' tools take it to be
    sys.path[:0] = [str(path.parent), str(Path(directory).resolve())]
    module = load(path)
    tests = {test.id(): test for test in each(unittest.defaultTestLoader.loadTestsFromModule(module))}
    print(json.dumps(list(tests)), file=answers)
    for line in questions:
        print(json.dumps(outcome(tests[line.rstrip("\n")])), file=answers)


def load(path: Path) -> ModuleType:
    """The module of tests, under its own name: what it pickles is found again."""
    spec = spec_from_file_location(path.stem, path, loader=ReadWithStandIns(path.stem, str(path)))
    assert spec is not None and spec.loader is not None
    module = sys.modules[path.stem] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def each(suite: unittest.TestSuite | unittest.TestCase) -> Iterator[unittest.TestCase]:
    if isinstance(suite, unittest.TestCase):
        yield suite
    else:
        for test in suite:
            yield from each(test)


def outcome(test: unittest.TestCase) -> tuple[str, str]:
    """``pass``, ``fail`` or ``skip``, and why."""
    result = unittest.TestResult()
    with warnings.catch_warnings():
        unittest.TestSuite([test]).run(result)
    if errors := [text for _, text in [*result.errors, *result.failures]]:
        return "fail", first_line(errors[0])
    if result.unexpectedSuccesses:
        return "fail", "it was expected to fail, and passed"
    if result.skipped:
        return "skip", result.skipped[0][1]
    return "pass", ""


def first_line(traceback: str) -> str:
    """What an error says first: the last traceback's line that is not indented, below its frames."""
    lines = traceback.splitlines()
    start = max((place for place, line in enumerate(lines) if line.startswith("Traceback (")), default=-1)
    return next((line for line in lines[start + 1 :] if line and not line.startswith(" ")), lines[-1] if lines else "")


if __name__ == "__main__":
    main(*sys.argv[1:])
