"""Without PyTorch: the same program in other ways, which must come to the same.

A program of statements is run again with nothing that requires a gradient. Of a program with transforms, the forward
derivative of its function is compared with the reverse one and with finite differences.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

import facula

from .compare import close, tolerance
from .program import Program
from .run import Session

STEP = 1e-6


def differences(program: Program) -> list[str]:
    if any(s.startswith("def f0") for s in program.statements):
        with suppress(NameError, RuntimeError):  # shrunk too far; refused, as of what was changed in place
            return derivatives(program)
        return []
    return values_without_gradients(program)


def values_without_gradients(program: Program) -> list[str]:
    """What a program computes does not depend on what is recorded, unless recording forbids one of its steps."""
    plain = Program([s.replace(", requires_grad=True", "") for s in program.statements], program.inputs)
    with_gradients, without = (Session(facula, p).run() for p in (program, plain))
    if with_gradients.errors or any("grad" in s or "backward" in s for s in plain.statements[:-1]):
        return []
    expected, actual = without.observed(), with_gradients.observed()
    bound = tolerance(expected)
    return [
        f"values of {key}: {value.tolist()} without gradients, {actual[key].tolist()} with them"
        for key, value in expected.items()
        if isinstance(value, np.ndarray) and key in actual and not close(value, actual[key], bound)
    ]


def derivatives(program: Program) -> list[str]:
    body = [s for s in program.statements if not s.startswith("r = ")]
    names = Session(facula, Program(body, program.inputs)).run().names
    if any("vmap" in s or "detach" in s for s in body) or not {"f0", "x", "y"} <= names.keys():
        return []  # f0 then takes other shapes than x and y have; or a smaller program lacks something
    f, x, y = (names[n] for n in ("f0", "x", "y"))
    directions = x.cos(), y * 0.5
    value, forward = facula.func.jvp(f, (x, y), directions)
    weights = value.cos()
    back = facula.func.vjp(f, x, y)[1](weights)
    by_forward = float((forward * weights).sum())
    by_reverse = float(sum((g * d).sum() for g, d in zip(back, directions)))
    ahead, behind = (f(x + s * directions[0], y + s * directions[1]) for s in (STEP, -STEP))
    halfway = f(x + STEP / 2 * directions[0], y + STEP / 2 * directions[1])
    if not bool((abs(ahead - 2 * value + behind) < 1e-7).all()) or not bool((abs(halfway - value) < 1e-2).all()):
        return []  # a step of a function that has none here, or too steep
    by_differences = float((((ahead - behind) / (2 * STEP)) * weights).sum())
    found = []
    for name, number, bound in (("reverse", by_reverse, 1e-8), ("finite differences", by_differences, 1e-3)):
        if np.isfinite(number) and abs(number - by_forward) > bound * (1 + abs(number)):
            found.append(f"values of the derivative: {by_forward} forward, {number} by {name}")
    return found
