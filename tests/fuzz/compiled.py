"""Random programs of which a part is a compiled function: they must do what they do without ``compile``.

The first statements are run as they are, the next ones are the function, and the last ones work on what it returned. So
it gets tensors that are views of each other and have a history, and its results are written to and differentiated. All
is done several times: the first call is captured, later ones have other numbers, and then the first ones again.
"""

from __future__ import annotations

import re
import warnings
from random import Random
from typing import Any

import facula

from . import compare, eager
from .program import Program, assigned, mentions
from .run import move, names_of, observe
from .shrink import shrink

CALLS = (0.0, 0.25, 0.0)
"""By which part of themselves the inputs of each run are moved."""

ALLOWED = (
    "a second time",  # a function's nodes are freed together
    "does not currently support double backward of a function",
    "which is run again for its second derivative",
    *("Can't detach views in-place", "is a view and is being modified inplace", "an input that is a view of another"),
    # whether a result is a view of what the function did not return
    "When use_reentrant=True",  # such a checkpoint may lie between a function and what its other results depend on
)
"""What docs/compiling.md tells of."""

BETWEEN = "# ----"
"""A statement that stands before and behind those of the function."""


_HISTORY = re.compile(r"\.(?:grad|backward)\([^\[]*\[|(?=\b\w+\.grad_fn)|\.output_nr|get_gradient_edge\(")
"""Results of a function do not lead to each other, as they do not in PyTorch: there are no gradients of one for another
one, nor hooks that see them. And all that goes in comes before all that comes out. They are outputs of one node."""


_SAME = re.compile(r"(\w+) = (\w+)\.(?:double|float|half|to|type|type_as|contiguous)\(")
"""Statements that may give a tensor itself."""


class NotOne(Exception):
    """A program that was made smaller than it can be."""


def parts(program: Program) -> tuple[list[str], str, list[str]]:
    """What comes before the function, the function with its call, and what comes behind."""
    if program.statements.count(BETWEEN) != 2:
        raise NotOne
    statements = program.statements
    start = statements.index(BETWEEN)
    end = statements.index(BETWEEN, start + 1)
    before, inside, behind = statements[:start], statements[start + 1 : end], statements[end + 1 :]
    known = [name for s in before if (name := assigned(s)) is not None]
    given = [name for name in dict.fromkeys(known) if any(mentions(s, name) for s in inside)]
    made = list(dict.fromkeys(name for s in inside if (name := assigned(s)) is not None))
    results = [*made, *[found[1] for s in behind if (found := _SAME.match(s)) and found[2] in made]]
    asking = [s for s in behind if _HISTORY.search(s) and any(mentions(_HISTORY.split(s)[-1], n) for n in results)]
    behind = [s for s in behind if s not in asking]
    if len(made) > 1:
        before = [s for s in before if ".register_" not in s]
    if not inside:
        raise NotOne
    body = "\n".join([*inside, f"return [{', '.join(made)}]"]).replace("\n", "\n    ")
    taken = f"[{', '.join(made)}] = " if made else ""
    return before, f"def f({', '.join(given)}):\n    {body}\n#\n{taken}f({', '.join(given)})", behind


class Compiled:
    """A judge of programs by one back end."""

    def __init__(self, backend: str) -> None:
        self.backend = backend
        self.captured = self.eager = 0
        """How many programs were captured, and how many run as they are."""

    def program(self, seed: int, n: int) -> Program:
        """One cut in three. Statements that cannot be run are behind the function, if anywhere."""
        rng = Random(f"{seed}:{n}:compiled")
        program, session = eager.make(rng, facula)
        count = len(program.statements)
        start = program.inputs if rng.random() < 0.5 else rng.randint(program.inputs, count)
        end = count if rng.random() < 0.3 else rng.randint(start, count)
        program.statements.insert(end, BETWEEN)
        program.statements.insert(start, BETWEEN)
        for place in sorted(session.errors, reverse=True):
            if place < end:
                place += place >= start
                program = program.without(range(place, place + 1))
        return program

    def differences(self, program: Program) -> list[str]:
        try:
            return self.of(program, *parts(program))
        except (NotOne, NameError, UnboundLocalError, SyntaxError):
            return []

    def report(self, seed: int, n: int) -> str | None:
        """What to tell of a program that differs."""
        program = self.program(seed, n)
        found = self.differences(program)
        if not found:
            return None
        kinds = set(map(kind_of, found))
        smaller = shrink(program, lambda p: not kinds.isdisjoint(map(kind_of, self.differences(p))))
        before, function, behind = parts(smaller)
        told = [f"# {line}" for line in self.differences(smaller)]
        return "\n".join([f"# ---- seed {seed}, program {n}, {self.backend}", *before, function, *behind, *told, ""])

    def of(self, program: Program, before: list[str], function: str, behind: list[str]) -> list[str]:
        facula.compiler.reset()
        definition, call = function.split("\n#\n")
        plain, fast = names_of(facula), names_of(facula)
        for names in plain, fast:
            exec(definition, names)
        fast["f"] = compiled = facula.compile(fast["f"], backend=self.backend)
        known = [*plain]
        found = []
        for n, moved in enumerate(CALLS):
            statements = [*before, call, *behind]
            expected = run(statements, len(before), program, plain, known, moved)
            actual = run(statements, len(before), program, fast, known, moved)
            if any(text in str(seen.get("error")) for text in ALLOWED for seen in (expected, actual)):
                continue
            if any("modified by an inplace" in str(seen.get("error")) for seen in (expected, actual)):
                continue  # what is needed for one of several results is needed for all; what is not, is not saved
            found += [f"call {n}: {line}" for line in compare.differences(expected, actual)]
        if compiled.compiled.programs:
            self.captured += 1
        else:
            self.eager += 1
        return found


def run(
    statements: list[str], before: int, program: Program, names: dict[str, Any], known: list[str], moved: float
) -> dict[str, Any]:
    """What a program did, until its end or the first error. ``names`` are those of the function, too."""
    for name in [*names]:
        if name not in known:
            del names[name]
    names["log"] = []
    seen: dict[str, Any] = {}
    given: list[str] = []
    facula.manual_seed(0)
    for place, statement in enumerate(statements):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(statement, names)
        except (NameError, UnboundLocalError):
            raise
        except Exception as e:
            seen["error"] = type(e).__name__, str(e).partition("\n")[0]  # lines of facula's own follow
            break
        if moved and place < program.inputs and not names[statement.split(" ")[0]].is_meta:
            move(facula, names[statement.split(" ")[0]], moved)
        if place == before - 1:
            given = [*names]
    gradients = program.gradients()
    watched = {name: value for name, value in names.items() if name not in known or name == "log"}
    for name, value in watched.items():
        look(name, value, seen, name in given, name in gradients)
    seen["shared memory"] = str(shared({n: t for n, t in watched.items() if isinstance(t, facula.Tensor)}))
    return seen


def look(name: str, value: Any, seen: dict[str, Any], was_given: bool, is_gradient: bool) -> None:
    """The versions of what a function made are its own business, and how gradients lie in memory."""
    observe(facula, name, value, seen, coarsely=True)
    if isinstance(value, facula.Tensor):
        if not is_gradient:
            seen[f"{name}: strides"] = [s for s, n in zip(value.stride(), value.shape) if n > 1]
        if was_given and not value.is_inference():
            seen[f"{name}: version"] = value._version
        if f"error of {name}" not in seen and (value.is_leaf or value.retains_grad) and value.grad is not None:
            observe(facula, f"{name}.grad", value.grad, seen, coarsely=True)


def shared(tensors: dict[str, Any]) -> list[list[str]]:
    """The names of tensors by the memory that they lie in."""
    by_memory: dict[int, list[str]] = {}
    for name, t in tensors.items():
        if t.numel():
            by_memory.setdefault(t.untyped_storage().data_ptr(), []).append(name)
    return sorted(names for names in by_memory.values() if len(names) > 1)




def kind_of(difference: str) -> str:
    """A difference without names and numbers."""
    about, _, text = difference.partition(": ")[2].partition(": ")
    if about == "error":
        return "error " + re.sub(r"\d+|0x[0-9a-f]+", "", text)[:100]
    return "values" if about.startswith("values") else text.partition(":")[0]
