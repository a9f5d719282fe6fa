"""The tensors that a program has so far, and random arguments that fit them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

Test = Callable[[Any], bool]


class NothingFits(Exception):
    """No tensor of the program is what a statement needs."""


class Scope:
    """Tensors by name, with the library that computes them while the program is made."""

    def __init__(self, rng: Random, torch: Any, *, strays: float = 0.01) -> None:
        self.rng = rng
        self.torch = torch
        self.strays = strays
        """How often a dimension or a size is wrong on purpose."""
        self.tensors: dict[str, Any] = {}
        self.eager = True
        """Whether what asks for the elements of a tensor may be written: inside transforms it may not."""

    # ---- which tensor

    def tensor(self, *tests: Test) -> str:
        """A tensor that passes; later ones are likelier."""
        fitting = [name for name, t in self.tensors.items() if all(test(t) for test in tests)]
        if not fitting:
            raise NothingFits
        return self.rng.choice(fitting[-3:] if self.rng.random() < 0.5 else fitting)

    def number(self, *tests: Test) -> str:
        return self.tensor(is_number, *tests)

    def real(self, *tests: Test) -> str:
        return self.tensor(is_floating, *tests)

    def partner(self, name: str, *tests: Test) -> str:
        """Something that broadcasts with a tensor: another one, a number, a new tensor."""
        t, choice = self.tensors[name], self.rng.random()
        if choice < 0.55:
            return self.tensor(is_number, lambda other: broadcasts(t.shape, other.shape), *tests)
        if choice < 0.7 or tests:
            return self.scalar()
        return self.literal(self.some_of(t.shape), self.rng.choice(["float64", "float64", "float32", "int64"]))

    def some_of(self, shape: Any) -> list[int]:
        """A shape that broadcasts with another."""
        kept = list(shape[self.rng.randint(0, len(shape)) :]) if self.rng.random() < 0.4 else list(shape)
        return [1 if self.rng.random() < 0.2 else n for n in kept]

    # ---- numbers and new tensors

    def scalar(self) -> str:
        return self.rng.choice(["2", "0.5", "-1.5", "3", "1.25", "-2"])

    def scalar_tensor(self) -> str:
        """A tensor without dimensions: one of the program, or a new one."""
        fitting = [n for n, t in self.tensors.items() if not t.dim() and is_floating(t)]
        wants = ", requires_grad=True" if self.eager and self.rng.random() < 0.5 else ""
        if fitting and self.rng.random() < 0.7:
            return self.rng.choice(fitting)
        return self.literal([], "float64", wants)

    def literal(self, shape: list[int], dtype: str, suffix: str = "") -> str:
        return f"torch.tensor({self.values(shape, dtype)}, dtype=torch.{dtype}{suffix})"

    def values(self, shape: list[int], dtype: str) -> Any:
        if shape:
            return [self.values(shape[1:], dtype) for _ in range(shape[0])]
        if dtype == "bool":
            return self.rng.random() < 0.6
        if "int" in dtype:
            return self.rng.choice([-3, -2, -1, 1, 2, 3, 4] if dtype != "uint8" else [1, 2, 3, 4, 5])
        value = round(self.rng.uniform(0.1, 1.9), 2) * self.rng.choice([-1, 1])
        return complex(value, round(self.rng.uniform(-1.5, 1.5), 2)) if "complex" in dtype else value

    def shape(self) -> list[int]:
        if self.rng.random() < 0.06:
            return [self.rng.choice([1, 2, 2, 3]) for _ in range(4)]
        largest = [0, 1, 2, 3] if self.rng.random() < 0.04 else [1, 2, 2, 3, 3, 4]
        return [self.rng.choice(largest) for _ in range(self.rng.choice([0, 1, 1, 2, 2, 2, 3]))]

    # ---- dimensions and indices

    def dim(self, name: str) -> int:
        n = max(self.tensors[name].dim(), 1)
        if self.rng.random() < self.strays:
            return self.rng.choice([n, -n - 1])
        return self.rng.randint(-n, n - 1)

    def dims(self, name: str) -> list[int]:
        n = self.tensors[name].dim()
        chosen = self.rng.sample(range(n), self.rng.randint(1, n)) if n else []
        return [d - n if self.rng.random() < 0.4 else d for d in chosen]

    def size(self, name: str, dim: int) -> int:
        shape = self.tensors[name].shape
        return shape[dim] if -len(shape) <= dim < len(shape) else 1

    def place(self, size: int) -> int:
        """The place of one of ``size`` elements."""
        if size == 0 or self.rng.random() < self.strays:
            return self.rng.choice([size, -size - 1])
        return self.rng.randint(-size, size - 1)

    def places(self, size: int, count: int, *, once: bool = False) -> list[int]:
        if once and size >= count:
            return self.rng.sample(range(size), count)
        return [self.rng.randint(0, size - 1) for _ in range(count)] if size else []

    def index(self, name: str, *, basic: bool = False) -> str:
        """What stands between brackets."""
        shape = self.tensors[name].shape
        if not basic and self.eager and shape and self.rng.random() < 0.15:
            return self.mask(name)
        parts: list[str] = []
        arrays = 0
        for size in shape[: self.rng.randint(0, len(shape))]:
            kind = self.rng.random()
            if kind < 0.35:
                parts.append(str(self.place(size)))
            elif kind < 0.75 or basic or not size or arrays == 2:
                parts.append(self.slice(size))
            else:
                arrays += 1
                parts.append(self.places_in(size))
        for _ in range(self.rng.choice([0, 0, 0, 0, 0, 1, 2])):
            parts.insert(self.rng.randint(0, len(parts)), "None")
        if self.rng.random() < 0.15:
            parts.append("...")
        elif self.rng.random() < 0.1 and shape and not basic:
            n = shape[-1]
            parts = ["...", self.rng.choice([self.slice(n), str(self.place(n)), self.places_in(n)])]
        return ", ".join(parts) or "()"

    def places_in(self, size: int) -> str:
        """Places of a dimension: as numbers or as a mask, as a list or as a tensor of some shape."""
        kind = self.rng.random()
        if kind < 0.15 or not size:
            return self.literal([size], "bool")
        places = [p - size if self.rng.random() < 0.2 else p for p in self.places(size, self.rng.choice([1, 2, 2]))]
        if kind < 0.4:
            return str(places)
        if kind < 0.5:
            return f"torch.tensor({[places, places]})"
        if kind < 0.55:
            return f"torch.tensor({places[0]})"
        return f"torch.tensor({places})"

    def slice(self, size: int) -> str:
        start, stop = sorted((self.rng.randint(0, size), self.rng.randint(0, size + 1)))
        step = self.rng.choice(["", "", "", ":2"])
        return self.rng.choice([":", f"{start}:{stop}{step}", f":{stop}", f"{start}:", f"-1:{step}", "::2"])

    def mask(self, name: str) -> str:
        if self.rng.random() < 0.5 and is_floating(self.tensors[name]):
            return f"{name} > {self.rng.choice(['0', '0.5', '-0.4'])}"
        return self.literal(list(self.tensors[name].shape), "bool")


# ---- what a tensor is


def is_number(t: Any) -> bool:
    return "bool" not in str(t.dtype)


def is_floating(t: Any) -> bool:
    return t.dtype.is_floating_point


def is_complex(t: Any) -> bool:
    return t.dtype.is_complex


def is_differentiable(t: Any) -> bool:
    return t.dtype.is_floating_point or t.dtype.is_complex


def has_dimensions(t: Any) -> bool:
    return t.dim() > 0


def is_matrix(t: Any) -> bool:
    return t.dim() == 2


def is_small(t: Any) -> bool:
    return t.numel() <= 200


def has_equals(t: Any) -> bool:
    """Whether elements are equal."""
    try:
        return len(set(t.data.flatten().tolist())) < t.numel()
    except RuntimeError:  # zeros that PyTorch does not store
        return True


def all_finite(t: Any) -> bool:
    try:
        return bool(t.data.isfinite().all())
    except RuntimeError:  # zeros that PyTorch does not store
        return False


def has_own_elements(t: Any) -> bool:
    """Not as ``as_strided`` may make them: what is written to elements that overlap is not defined.

    Where they do by a stride of 0, PyTorch refuses.
    """
    reach = 1
    for stride, n in sorted(zip(t.stride(), t.shape)):
        if n > 1 and stride:
            if stride < reach:
                return False
            reach = stride * (n - 1) + reach
    return True


def may_have_hooks(t: Any) -> bool:
    """Not a view of no_grad: on such PyTorch's ``register_hook`` ends the process.

    So it does on a view that has not been asked for its node since its base got one: programs ask for it.
    """
    try:
        return t.grad_fn is not None or t._base is None
    except RuntimeError:  # a view that may not be used any more
        return False


def broadcasts(a: Any, b: Any) -> bool:
    return all(m == n or m == 1 or n == 1 for m, n in zip(reversed(a), reversed(b)))


def put(text: str, **values: str) -> str:
    """A text with names of one letter replaced."""
    out, word = [], ""
    for c in text + "\0":
        if c.isalnum() or c in "_.'" or (word and word[-1] == "."):
            word += c
            continue
        if word:
            head, dot, tail = word.partition(".")
            out.append(values.get(head, head) + dot + tail)
            word = ""
        out.append(c)
    return "".join(out[:-1])
