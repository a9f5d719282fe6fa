"""Running a program on a library, and observing what it did."""

from __future__ import annotations

import contextlib
import warnings
from typing import Any

import numpy as np

from .functions import SOURCES
from .program import Program, assigned, changed

_FUNCTIONS: dict[str, dict[str, Any]] = {}


def names_of(torch: Any) -> dict[str, Any]:
    """The names that every program may use."""
    if torch.__name__ not in _FUNCTIONS:
        names = {"torch": torch, "F": torch.nn.functional, "checkpoint": torch.utils.checkpoint.checkpoint}
        for source in SOURCES.values():
            exec(source, names)
        _FUNCTIONS[torch.__name__] = names
    return dict(_FUNCTIONS[torch.__name__], log=[])


class Session:
    """A program while it runs, statement by statement. A statement that fails is noted, and the next one is run."""

    def __init__(
        self, torch: Any, program: Program, moved: float = 0.0, *, everywhere: bool = False, signs: bool = False,
        leader: Session | None = None,
    ) -> None:  # fmt: skip
        self.torch = torch
        self.program = program
        self.names = names_of(torch)
        self.known = set(self.names)
        self.moved = moved
        """By which part of themselves the inputs are moved."""
        self.everywhere = everywhere
        """Whether what is computed is moved, too, as if it were rounded otherwise."""
        self.signs = signs
        """Whether zeros and NaN that are computed get the sign of ``moved``."""
        self.leader = leader
        """Who takes each step first, and whose numbers are then taken over if they are these but for rounding."""
        self.errors: dict[int, tuple[str, str]] = {}
        self.at = 0
        self.seen: dict[str, Any] | None = None

    def step(self, statement: str) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(statement, self.names)
        except Exception as e:
            self.errors[self.at] = type(e).__name__, str(e)
        if self.moved and not self.signs and self.at < self.program.inputs:
            move(self.torch, self.names[statement.split(" ")[0]], self.moved)
        elif (self.everywhere or self.signs) and (name := assigned(statement) or changed(statement)) in self.names:
            value = self.names[name]
            if isinstance(value, self.torch.Tensor) and not value._is_view() and not value.is_inference():
                (turn_signs if self.signs else move)(self.torch, value, self.moved)
        elif self.leader is not None and self.at >= self.program.inputs:
            follow(self, self.leader)
        self.at += 1

    def run(self) -> Session:
        for statement in self.program.statements:
            if self.leader is not None:
                self.leader.step(statement)
            self.step(statement)
        return self

    def observed(self) -> dict[str, Any]:
        """Everything that can be seen in the end, by where it is seen; it is looked at once."""
        if self.seen is None:
            self.seen = self._looked()
        return self.seen

    def _looked(self) -> dict[str, Any]:
        seen: dict[str, Any] = {}
        gradients = self.program.gradients() | {"log", "r"}
        for name, value in self.names.items():
            if name not in self.known or name == "log":
                observe(self.torch, name, value, seen, coarsely=name in gradients)
        for place, (kind, message) in self.errors.items():
            seen[f"error of statement {place}"] = (kind, message)
        return seen


def move(torch: Any, t: Any, part: float) -> None:
    """Move the numbers of a tensor as rounding would, by one unit in the last place at least; nobody is told."""
    if t.is_floating_point() or t.is_complex():
        part = np.copysign(max(abs(part), torch.finfo(t.dtype).eps), part)
        signs = torch.tensor([i.bit_count() % 2 * 2 - 1 for i in range(t.numel())], dtype=t.dtype).reshape(t.shape)
        with contextlib.suppress(RuntimeError):  # elements that share their memory cannot be written
            t.data.mul_(1 + part * signs * (1 + 1j if t.is_complex() else 1))


def turn_signs(torch: Any, t: Any, sign: float) -> None:
    """Give zeros and NaN this sign: which one they have nobody promises."""
    if t.is_floating_point():
        with contextlib.suppress(RuntimeError):
            t.data.copy_(torch.where((t.data == 0) | t.data.isnan(), t.data.copysign(sign), t.data))


def follow(session: Session, leader: Session) -> None:
    """Let tensors of a session have the numbers of those of another, where only rounding tells them apart."""
    for name, mine in session.names.items():
        its = leader.names.get(name)
        if name in session.known or not (isinstance(mine, session.torch.Tensor) and is_plain(mine) and is_plain(its)):
            continue
        with contextlib.suppress(Exception):
            e, a = (t.detach().double().numpy() for t in (its, mine))
            eps = session.torch.finfo(mine.dtype).eps
            if e.shape == a.shape and not np.array_equal(e, a) and np.allclose(a, e, 16 * eps, 4 * eps):
                mine.data.copy_(session.torch.tensor(e.tolist(), dtype=mine.dtype))


def is_plain(t: Any) -> bool:
    return t.is_floating_point() and not t._is_view() and not t.is_inference()


def names_behind(fn: Any) -> set[str]:
    """The names of a node and of all that it leads to."""
    found, left = {fn}, [fn]
    while left:
        new = {n for n, _ in left.pop().next_functions if n is not None} - found
        found |= new
        left.extend(new)
    return {type(n).__name__ for n in found}


def observe(torch: Any, name: str, value: Any, seen: dict[str, Any], coarsely: bool = False) -> None:
    if name.startswith("__"):  # Python's own, such as what has been warned of
        return
    try:
        look_at(torch, name, value, seen, coarsely)
    except Exception as e:  # such as of views that may not be used any more
        seen[f"error of {name}"] = type(e).__name__, str(e)


def strides(t: Any) -> list[int]:
    """Those that tell where elements are."""
    return [s for s, n in zip(t.stride(), t.shape) if n > 1]


def look_at(torch: Any, name: str, value: Any, seen: dict[str, Any], coarsely: bool = False) -> None:
    """Of gradients, only what they are: by which nodes and in which memory is not promised."""
    if isinstance(value, dict):
        seen[f"{name}: keys"] = str(list(value))
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        seen[f"{name}: length"] = len(value)
        for i, item in enumerate(value):
            observe(torch, f"{name}[{i}]", item, seen, coarsely)
        return
    if not isinstance(value, torch.Tensor):
        if value is None or isinstance(value, (bool, int, float, str, torch.dtype)):
            seen[name] = str(value)
        return
    plain = value.detach().float() if value.dtype == torch.bfloat16 else value
    seen[f"{name}: values"] = plain.detach().resolve_conj().resolve_neg().numpy(force=True).copy()
    seen[f"{name}: shape and dtype"] = (tuple(value.shape), str(value.dtype))
    fn = value.grad_fn
    refused = fn is not None and coarsely and "NotImplemented" in names_behind(fn)
    seen[f"{name}: requires_grad, is_leaf"] = "refused" if refused else (value.requires_grad, value.is_leaf)
    if coarsely:
        return
    seen[f"{name}: grad_fn"] = type(fn).__name__
    if fn is not None:
        seen[f"{name}: next_functions"] = [type(n).__name__ for n, _ in fn.next_functions]
    if value._is_view() and value.numel():
        base = value._base
        seen[f"{name}: view"] = base.shape, strides(base), strides(value), value.storage_offset()
    elif value.numel():
        seen[f"{name}: strides"] = strides(value)
    seen[f"{name}: version"] = value._version
    if (value.is_leaf or value.retains_grad) and value.grad is not None:
        observe(torch, f"{name}.grad", value.grad, seen, coarsely=True)
