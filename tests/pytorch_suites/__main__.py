"""``python -m tests.pytorch_suites DIRECTORY test_autograd ... [-k EXPR] [--out FILE]``: see README.md."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path

from .outcomes import Outcome, Outcomes, compared
from .run import Unanswered, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.pytorch_suites")
    parser.add_argument("directory", type=Path, help="PyTorch's folder test/, as in its sources")
    parser.add_argument("files", nargs="+", help="test_autograd, functorch/test_vmap ...")
    parser.add_argument("-k", action="append", help="only tests with this in their names, or like this pattern with *")
    parser.add_argument("--out", type=Path, default=Path("pytorch_suites.json"), help="where outcomes are remembered")
    parser.add_argument("--limit", type=float, default=60, help="seconds that a test may take")
    parser.add_argument("--failing", action="store_true", help="on facula, only tests that did not pass last time")
    given = parser.parse_args()
    outcomes = Outcomes(given.out)
    for file in given.files:
        print(suite(outcomes, given.directory, file, chosen_by(given.k), given.limit, given.failing), flush=True)
    return 0


def chosen_by(patterns: list[str] | None) -> Callable[[str], bool]:
    """As unittest's ``-k``."""
    wide = [pattern if "*" in pattern else f"*{pattern}*" for pattern in patterns or ["*"]]
    return lambda test: any(fnmatchcase(test, pattern) for pattern in wide)


def suite(
    outcomes: Outcomes, directory: Path, file: str, chosen: Callable[[str], bool], limit: float, failing: bool
) -> str:
    """Run a file's tests, on PyTorch those that it has not run yet, then on facula those that pass there."""
    outcomes.forget_unless_same(file, Path(directory, file).with_suffix(".py").read_bytes())
    pytorch, facula = outcomes.of("torch", file), outcomes.of("facula", file)

    def tell_in(place: dict[str, Outcome]) -> Callable[[str, Outcome], None]:
        def tell(test: str, outcome: Outcome) -> None:
            place[test] = outcome
            if len(place) % 50 == 0:
                outcomes.keep()

        return tell

    def untried(tests: list[str]) -> list[str]:
        return [test for test in tests if chosen(test) and test not in pytorch]

    def passing(_: list[str]) -> list[str]:
        tests = [test for test, (result, _) in pytorch.items() if result == "pass" and chosen(test)]
        return [test for test in tests if not failing or facula.get(test, ("", ""))[0] != "pass"]

    try:
        if file not in outcomes.tests or untried(outcomes.tests[file]):
            outcomes.tests[file] = run("torch", directory, file, untried, limit, tell_in(pytorch))
            outcomes.keep()
        run("facula", directory, file, passing, limit, tell_in(facula))
    except Unanswered as error:
        return f"{file}: it cannot be loaded: {' '.join(error.args)}"
    finally:
        outcomes.keep()
    return compared(file, pytorch, facula, chosen)


if __name__ == "__main__":
    sys.exit(main())
