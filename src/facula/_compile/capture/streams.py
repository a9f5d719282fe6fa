"""The random streams that a captured function draws from."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.generator import default_generator


class Streams:
    """What a capture knows of them."""

    is_active: bool

    def __init__(self) -> None:
        self.drawn = False
        """Whether someone took a random stream, and what was drawn from it is not written down yet."""
        self.generators: list[Any] = []
        """Those that the function draws from besides the default one."""
        self.taken: list[tuple[Any, Any]] = []
        """The streams that the public function being run has taken, and where they were."""
        self.moved: Any = None

    def give_up(self, what: str, asked: bool = False) -> None:
        raise NotImplementedError

    def moves(self, generator: Any) -> None:
        """A random stream is put somewhere else, perhaps for a while only, as checkpoints do."""
        if self.is_active and self.moved is None and hasattr(generator, "_engine"):
            self.moved = (generator, generator.get_state()._array)

    def is_back(self) -> bool:
        """Whether the stream is where it would be without that."""
        if self.moved is not None and np.array_equal(self.moved[0].get_state()._array, self.moved[1]):
            self.moved = None
        return self.moved is None

    def draws(self, generator: Any = None) -> None:
        """Someone takes a random stream: the default one, or that of a generator."""
        if generator is not None and generator not in self.generators:
            self.generators.append(generator)
        self.drawn = True
        source = default_generator if generator is None else generator
        self.taken.append((source, source.place()))
        if self.is_active and not self.is_back():
            self.give_up("random numbers from a stream that begins anew")
