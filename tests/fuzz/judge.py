"""Program ``n`` of a seed, made, run, compared, and told if it differs."""

from __future__ import annotations

import gc
import re
from random import Random
from typing import Any

import facula

from . import compare
from .kinds import KINDS, LIKELY
from .program import Program
from .run import Session
from .shrink import shrink

MOVES = (1e-9, -3e-9, 1e-6)
ROUNDINGS = (3e-16, -3e-16)


class Judge:
    """Makes programs of a seed and compares what facula does with the oracle's answers."""

    def __init__(self, *, alone: bool = False, kind: str | None = None) -> None:
        self.kind = kind
        self.oracle: Any = None
        if not alone:
            try:
                import torch

                torch.set_num_threads(1)
                torch.backends.opt_einsum.enabled = False  # another package, which decides on another order
                self.oracle = torch
            except ImportError:
                pass
        self.against = "PyTorch" if self.oracle else "facula's own other ways"
        self.unstable = 0
        self.ended = 0
        """How many programs ended PyTorch's process; see ``apart``."""

    def make(self, seed: int, n: int) -> tuple[Program, Session]:
        rng = Random(f"{seed}:{n}")
        kind = self.kind or rng.choice(LIKELY)
        return KINDS[kind](rng, self.oracle or facula)

    def program(self, seed: int, n: int) -> Program:
        return self.make(seed, n)[0]

    def verdict(self, seed: int, n: int) -> list[str]:
        program, session = self.make(seed, n)
        return self.compared(program, session)

    def compared(self, program: Program, session: Session | None = None) -> list[str]:
        if self.oracle is None:
            from . import alone  # where PyTorch is, it is not needed

            return alone.differences(program)
        expected = (session or Session(self.oracle, program).run()).observed()
        actual = Session(facula, program).run().observed()
        found = compare.differences(expected, actual, program.made_by_writing())
        if program.transforms():
            found = [line for line in found if not re.fullmatch(r"log\[\d+\]\[2\]: False expected, got True", line)]
        if found and compare.refused(expected, actual, in_transform=program.transforms()):
            return []
        if found and program.changes_a_gradient(expected):
            return []
        if found and self.logged_gradients_change(program, actual, found):
            return []
        if found and program.may_swallow_nan() and compare.nan_alone(expected, actual):
            return []
        if found and program.transforms() and self.changes_saved(program, expected, actual):
            return []
        if found and (program.misses_a_change(actual) or program.overflows(expected)):
            return []
        if found and program.may_have_nan_alone() and compare.nan_alone(expected, actual, of=expected):
            return []
        if found and program.derives_tangents_of_norms(found):
            return []
        if found and self.decided_by_ties(program, actual):
            return []
        if found and self.moves(program, expected):
            self.unstable += 1
            return []
        if found and (self.loses_digits(program, expected, found) or self.rounds_otherwise(program, found)):
            self.unstable += 1
            return []
        return found

    def changes_saved(self, program: Program, expected: dict[str, Any], actual: dict[str, Any]) -> bool:
        """Whether facula tells that a function changes what its gradient needs, and the oracle does, too.

        Inside transforms it does not notice, and computes with what has been changed: so it is asked without them.
        """
        told = [[v[1] for k, v in seen.items() if k.startswith("error")] for seen in (expected, actual)]
        if all(any("modified inplace" in text or "by an inplace operation" in text for text in each) for each in told):
            return True  # both tell, for one or the other reason
        if not any("modified by an inplace operation" in text for text in told[1]):
            return False
        body = next((i for i, s in enumerate(program.statements) if s.startswith("def f0")), None)
        if body is None:
            return False
        plain = Program([*program.statements[: body + 1], "x.requires_grad_(); y.requires_grad_()"], program.inputs)
        plain.statements += ["f0(x, y).sum().backward()"]
        errors = Session(self.oracle, plain).run().errors.values()
        return any("modified by an inplace operation" in text for _, text in errors)

    def logged_gradients_change(self, program: Program, actual: dict[str, Any], found: list[str]) -> bool:
        """Whether only the oracle's logged gradients are written to afterwards: whose memory they share nobody says."""
        if not all(line.startswith(("values of log[", "log[")) for line in found):
            return False
        copying = program.with_copies_in_log()
        expected_copies = Session(self.oracle, copying).run().observed()
        copies = Session(facula, copying).run().observed()
        return not compare.differences(expected_copies, copies) and not compare.differences(copies, actual)

    def moves(self, program: Program, expected: dict[str, Any]) -> bool:
        """Whether the oracle's own answer changes when the inputs, or all numbers on the way, change by little."""
        sessions = [Session(self.oracle, program, m) for m in MOVES]
        sessions += [Session(self.oracle, program, m, everywhere=True) for m in ROUNDINGS]
        sessions += [Session(self.oracle, program, m, signs=True) for m in (1, -1) if program.looks_at_signs()]
        return any(compare.differences(expected, session.run().observed()) for session in sessions)

    def decided_by_ties(self, program: Program, actual: dict[str, Any]) -> bool:
        """Whether the oracle agrees once its sorts are stable: in which order equal numbers come is not promised."""
        stable = program.with_stable_sorts()
        if stable is None:
            return False
        expected = Session(self.oracle, stable).run().observed()
        return not compare.differences(expected, actual, program.made_by_writing())

    def rounds_otherwise(self, program: Program, found: list[str]) -> bool:
        """Whether numbers alone differ, and no more once facula goes on, at each statement, with the oracle's."""
        if not all(line.startswith("values of ") for line in found):
            return False
        oracle = Session(self.oracle, program)
        led = Session(facula, program, leader=oracle)
        led.run()
        return not compare.differences(oracle.observed(), led.observed(), program.made_by_writing())

    def loses_digits(self, program: Program, expected: dict[str, Any], found: list[str]) -> bool:
        """Whether numbers alone differ, and the oracle's own do so in wider dtypes."""
        if not all(line.startswith("values of ") for line in found):
            return False
        usual = self.oracle.get_default_dtype()
        self.oracle.set_default_dtype(self.oracle.float64)
        try:
            wide = Session(self.oracle, program.wider()).run().observed()
        finally:
            self.oracle.set_default_dtype(usual)
        bound = compare.tolerance(expected) / 4
        keys = [line.removeprefix("values of ").partition(": values")[0] + ": values" for line in found]
        pairs = [(expected[k], wide[k]) for k in keys if k in wide and wide[k].dtype.kind == expected[k].dtype.kind]
        return any(e.shape != w.shape or not compare.close(e.astype(w.dtype), w, bound) for e, w in pairs)

    def report(self, seed: int, n: int) -> str | None:
        """What to tell of a program that differs."""
        return self.report_of(seed, n, *self.make(seed, n))

    def report_of(self, seed: int, n: int, program: Program, session: Session) -> str | None:
        found = self.compared(program, session)
        if not found:
            if n % 50 == 0:
                gc.collect()
            return None
        kinds = set(map(kind_of, found))
        smaller = shrink(program, lambda p: not kinds.isdisjoint(map(kind_of, self.compared(p))))
        told = "\n".join(f"# {line}" for line in self.compared(smaller))
        return f"# ---- seed {seed}, program {n}\n{smaller.script()}\n{told}\n"


def kind_of(difference: str) -> str:
    """A difference without names and numbers: a smaller program must differ in the same way."""
    about, _, text = difference.partition(": ")
    return re.sub(r"\d+", "", about + text[:100]) if about.startswith("error") else text.partition(":")[0]
