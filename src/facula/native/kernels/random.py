"""Random numbers: called by ``Generator.natively`` with the generator's state, which they move on, as first argument.

Each answers True, or False if it does not take the arrays that it was given, and then has drawn nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from ..library import kernel

DRAWS: dict[str, Callable[..., bool]] = {
    name: kernel(name, letters, cost)
    for name, letters, cost in (
        ("uniform", "uwnsss", 1.0),
        ("normal", "uwnss", 3.0),
        ("normal_pairs", "uwwn", 20.0),
        ("log_normal", "uwwnss", 30.0),
        ("bernoulli", "uwnn", 1.5),
        ("bernoulli_mask", "uunn", 1.5),
        ("integers", "uxnnn", 1.5),
        ("permutation", "uxn", 5.0),
        ("exponential", "uwns", 3.0),
        ("geometric", "uwns", 3.0),
        ("poisson", "ufwn", 30.0),
        ("binomial", "uffwn", 50.0),
        ("gamma", "uwffwwn", 40.0),
    )
}
