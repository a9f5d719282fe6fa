"""Running passes in an order that fits, until nothing changes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from graphlib import CycleError, TopologicalSorter
from typing import Any

from ...graph_module import GraphModule
from .pass_base import PassResult

__all__ = ["PassManager", "pass_result_wrapper", "this_before_that_pass_constraint"]


def pass_result_wrapper(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A pass that returns nothing, or a module, as one that returns a ``PassResult``."""
    @wraps(fn)
    def wrapped(gm: Any) -> PassResult | None:
        result = fn(gm)
        if result is None:
            return PassResult(gm, True)
        return result if isinstance(result, PassResult) else PassResult(result, True)

    if not inspect.isfunction(fn):
        wrapped.__name__ = type(fn).__name__
    return wrapped


def this_before_that_pass_constraint(this: Any, that: Any) -> Callable[[Any, Any], bool]:
    """A constraint: wherever both are, ``this`` comes before ``that``."""

    def depends_on(a: Any, b: Any) -> bool:
        return a != that or b != this

    return depends_on


class PassManager:
    """Runs passes on a graph module: ``steps`` times, or until a round changes nothing."""

    passes: list[Callable[..., Any]]
    constraints: list[Callable[[Any, Any], bool]]

    def __init__(
        self, passes: Any = None, constraints: Any = None, steps: int | None = None,
        run_checks_after_each_pass: bool = False, suppress_check_failures: bool = False,
    ) -> None:  # fmt: skip
        self.passes = passes or []
        self.constraints = constraints or []
        self.steps = steps if steps is not None else 1
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures
        self._validated = False

    def add_pass(self, _pass: Callable[..., Any]) -> None:
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint: Callable[[Any, Any], bool]) -> None:
        self.constraints.append(constraint)
        self._validated = False

    def validate_constraints(self) -> None:
        """Raise if the order of the passes breaks a constraint."""
        if self._validated:
            return
        for constraint in self.constraints:
            for i, a in enumerate(self.passes):
                for j, b in enumerate(self.passes[i + 1 :], i + 1):
                    if not constraint(a, b):
                        raise RuntimeError(
                            f"pass schedule constraint violated. Expected {a} before {b} but found {a} at index {i} "
                            f"and {b} at index {j} in pass list."
                        )
        self._validated = True

    def solve_constraints(self) -> None:
        """Put the passes into an order that breaks no constraint."""
        sorter: TopologicalSorter[int] = TopologicalSorter()
        for i, a in enumerate(self.passes):
            sorter.add(i)
            for j, b in enumerate(self.passes):
                if i != j and not all(constraint(b, a) for constraint in self.constraints):
                    sorter.add(j, i)
        try:
            self.passes = [self.passes[i] for i in sorter.static_order()]
        except CycleError as e:
            circle = [self.passes[i] for i in e.args[1][:-1]]
            raise RuntimeError(f"Circular dependency detected within the following passes: {circle}") from None
        self._validated = True

    def add_checks(self, check: Callable[..., Any]) -> None:
        """Have a function of the module raise if something is wrong."""
        if len(inspect.signature(check).parameters) != 1:
            raise TypeError("PassManager check function should only take in one variable, a module")
        self.check = check  # type: ignore[method-assign]

    def check(self, module: Any) -> None:
        pass

    def __call__(self, module: Any) -> PassResult:
        if not self._validated:
            self.solve_constraints()
        self.check(module)
        modified = False
        for _ in range(self.steps):
            changed = False
            for number, each in enumerate(self.passes):
                result = self._run(each, module, self.passes[:number])
                module = result.graph_module
                if isinstance(module, GraphModule):
                    module.recompile()
                changed = changed or result.modified
                if self.run_checks_after_each_pass:
                    self.check(module)
            modified = modified or changed
            if not changed:
                break
        return PassResult(module, modified)

    def _run(self, each: Any, module: Any, before: list[Any]) -> PassResult:
        name = getattr(each, "__name__", type(each).__name__)
        try:
            result = each(module)
            if not isinstance(result, PassResult) and not hasattr(result, "graph_module"):
                raise TypeError(
                    f"The result of the pass {name} should be type PassResult."
                    " Please wrap it with pass_result_wrapper()"
                )
        except Exception as e:
            names = [getattr(p, "__name__", type(p).__name__) for p in before]
            told = f"An error occurred when running the '{name}' pass after the following passes: {names}"
            raise Exception(told) from e
        return result
