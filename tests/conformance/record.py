"""Record what PyTorch does in every conformance case: ``python -m tests.conformance.record [module ...]``.

Needs the oracle (torch==2.13.0). Writes ``golden/<module>.json``, which the plain test command replays.
"""

from __future__ import annotations

import importlib
import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

from .observe import cases_of

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"


def module_names() -> list[str]:
    return sorted(p.stem for p in HERE.glob("cases_*.py"))


def load(name: str) -> Any:
    return importlib.import_module(f"tests.conformance.{name}")


@cache
def recorded(name: str) -> Any:
    """PyTorch's answers to the cases of a module."""
    return json.loads((GOLDEN / f"{name}.json").read_text())


def observe(case: Any, library: Any) -> Any:
    """Run one case in a clean state and bring its observation into the form that JSON gives back."""
    library.manual_seed(0)
    return json.loads(json.dumps(case(library)))


def main() -> None:
    import torch

    for name in sys.argv[1:] or module_names():
        answers = {}
        for case_name, case in cases_of(load(name)).items():
            first, second = observe(case, torch), observe(case, torch)
            if json.dumps(first) != json.dumps(second):
                raise SystemExit(f"{name}.{case_name} observes something that changes from run to run")
            answers[case_name] = first
        path = GOLDEN / f"{name}.json"
        lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in answers.items())
        path.write_text("{\n" + lines + "\n}\n")
        print(f"{path.name}: {len(answers)} cases")


if __name__ == "__main__":
    main()
