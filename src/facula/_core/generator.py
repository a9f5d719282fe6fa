"""Generator: a NumPy bit generator behind PyTorch's interface.

The numbers are not PyTorch's, only their distributions are. Loading ``numpy.random`` takes time, so that waits for the
first draw.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from .._levels.needs_values import DrawsDiffer
from . import devices
from . import state as _state

_DEFAULT_SEED = 67280421310721
_STATE_BYTES = 48
"""32 of the bit generator, 8 of the half word it may hold back, 8 of the seed."""


class Generator:
    """A stream of random numbers of its own."""

    __module__ = "facula"

    def __init__(self, device: Any = "cpu") -> None:
        self.device = device if isinstance(device, devices.device) else devices.device(device)
        if self.device.type != "cpu":
            raise RuntimeError(f"{self.device.type.upper()} device type not an accelerator.")
        self._seed = _DEFAULT_SEED
        self._stream: Any = None

    @property
    def numpy(self) -> Any:
        """The NumPy generator that draws."""
        if self._stream is None:
            self._stream = np.random.Generator(np.random.SFC64(self._seed))
        return self._stream

    def manual_seed(self, seed: Any) -> Generator:
        """Begin the stream that belongs to ``seed``."""
        if not isinstance(seed, (int, np.integer)):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = int(seed) % 2**64
        self._stream = None
        return self

    def seed(self) -> int:
        """Begin a stream that nobody can foresee, and tell its seed."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little"))
        return self._seed

    def initial_seed(self) -> int:
        return self._seed

    def get_state(self) -> Any:
        """Where the stream is, as a tensor of bytes."""
        from ..ops.machine.any_state import wrap  # loaded when first used

        state = self.numpy.bit_generator.state
        words = np.empty(_STATE_BYTES // 8, np.uint64)
        words[:4] = state["state"]["state"]
        words[4] = state["has_uint32"] << 32 | state["uinteger"]
        words[5] = self._seed
        return wrap(words.view(np.uint8))

    def set_state(self, new_state: Any) -> Generator:
        """Continue from a state that ``get_state`` gave."""
        array = getattr(new_state, "_array", None)
        if array is None or array.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if array.size != _STATE_BYTES:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {_STATE_BYTES} but found the input RNG state size to be "
                f"{array.size}"
            )
        words = np.ascontiguousarray(array).view(np.uint64)
        self._seed = int(words[5])
        self.numpy.bit_generator.state = {
            "bit_generator": "SFC64",
            "state": {"state": words[:4].copy()},
            "has_uint32": int(words[4]) >> 32,
            "uinteger": int(words[4]) & 0xFFFFFFFF,
        }
        return self

    def clone_state(self) -> Generator:
        """Another generator at the same place."""
        return Generator().set_state(self.get_state())

    graphsafe_get_state = clone_state

    def graphsafe_set_state(self, state: Generator) -> Generator:
        """Continue from where another generator is."""
        return self.set_state(state.get_state())

    def get_offset(self) -> int:
        raise RuntimeError("CPU Generator does not use offset")

    def set_offset(self, offset: int) -> None:
        raise RuntimeError("CPU Generator does not use offset")

    def __reduce__(self) -> Any:
        return Generator, (), self.get_state()

    def __setstate__(self, state: Any) -> None:
        self.set_state(state)


default_generator = Generator()


def stream_of(generator: Any) -> Any:
    """The NumPy generator behind the argument ``generator=``; None means the default one."""
    if _state.modes.levels:
        check_randomness(_state.modes.levels)
    if generator is None:
        return default_generator.numpy
    if not isinstance(generator, Generator):
        raise TypeError(f"argument 'generator' must be torch.Generator, not {type(generator).__name__}")
    return generator.numpy


def check_randomness(levels: tuple[Any, ...]) -> None:
    """What ``vmap(..., randomness=)`` says of random numbers: none, the same for all items, or others for each."""
    for level in reversed(levels):
        if level.randomness == "error":
            raise RuntimeError(
                "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
                "'different' randomness flags on vmap or perform the randomness operation out of vmap"
            )
        if level.randomness == "different":
            raise DrawsDiffer(level)
