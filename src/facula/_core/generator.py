"""Generator: the Mersenne twister of PyTorch's CPU, with its seeds, its words and its states.

Loading ``numpy.random`` takes time, so that waits for the first draw.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from .._levels.needs_values import DrawsDiffer
from . import devices
from . import state as _state

_beginning = threading.Lock()
_DEFAULT_SEED = 67280421310721
_WORDS = 624
_STATE = np.dtype(
    [("seed", "<u8"), ("left", "<i4"), ("seeded", "<i4"), ("next", "<u8"), ("words", "<u8", _WORDS), ("x", "<f8"),
     ("normal", "<f8"), ("rho", "<f8"), ("has_normal", "<i4"), ("gap", "<i4"), ("float_normal", "<f4"),
     ("has_float_normal", "<i4")]
)  # fmt: skip
"""PyTorch's layout. ``normal`` is the second one of a pair, kept for the next draw; x, rho, the floats: not used."""


class Generator:
    """A stream of random numbers of its own."""

    __module__ = "facula"

    next_normal: float | None
    """Normal numbers come in pairs: the second of the last pair, if nobody has asked for it yet."""

    def __init__(self, device: Any = "cpu") -> None:
        if not (device is None or isinstance(device, (str, int, devices.device))):
            raise TypeError(f"Generator(): argument 'device' must be torch.device, not {type(device).__name__}")
        self.device = device if isinstance(device, devices.device) else devices.device(device or "cpu")
        if self.device.type != "cpu":
            raise RuntimeError(f"{self.device.type.upper()} device type not an accelerator.")
        self._begin(_DEFAULT_SEED)

    def _begin(self, seed: int) -> None:
        if _state.special and _state.modes.capture is not None:
            _state.modes.capture.moves(self)
        self._seed = seed
        self._engine: Any = None
        self._raw: Any = self._first_words
        self._held: Any = None
        self.next_normal = None

    def words(self, n: int) -> Any:
        """The next ``n`` words of 32 bits, as an array of uint64."""
        return self._raw(n)

    def _first_words(self, n: int) -> Any:
        if not n:
            return np.empty(0, np.uint64)
        self._raw = self._seeded_engine().random_raw
        return self._raw(n)

    def natively(self, name: str, *given: Any) -> bool:
        """Draw by a kernel of the native library (``native/kernels/random.py``).

        False: there is none, or it does not take these arrays; then nothing has been drawn.
        """
        kernels = _native_draws()
        if kernels is None:
            return False
        engine, memory = self._held or self._hold()
        with engine.lock:
            if self._raw != self._first_words:
                return kernels[name](memory, *given)
            before = memory.tobytes()
            done = kernels[name](memory, *given)
            if memory.tobytes() != before:
                self._raw = engine.random_raw
        return done

    def _hold(self) -> Any:
        engine = self._seeded_engine()
        self._held = engine, _memory_of(engine)
        return self._held

    def place(self) -> Any:
        """Where the stream is, for ``go_back``: what ``get_state`` tells, but sooner."""
        if not _is_memory_known():
            return self.get_state()
        _, memory = self._held or self._hold()
        return memory.tobytes(), self._raw == self._first_words, self.next_normal, self._seed

    def go_back(self, place: Any) -> None:
        """Go on from a place where the stream was."""
        if type(place) is not tuple:
            self.set_state(place)
            return
        engine, memory = self._held or self._hold()
        words, is_first, self.next_normal, self._seed = place
        with engine.lock:
            memory[:] = np.frombuffer(words, np.uint8)
        self._raw = self._first_words if is_first else engine.random_raw

    def _seeded_engine(self) -> Any:
        if self._engine is None:
            with _beginning:
                if self._engine is None:
                    engine: Any = np.random.MT19937(0)
                    engine._legacy_seeding(self._seed & 0xFFFFFFFF)
                    self._engine = engine
        return self._engine

    def manual_seed(self, seed: Any) -> Generator:
        """Begin the stream that belongs to ``seed``."""
        if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._begin(int(seed) % 2**64)
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

        engine = self._seeded_engine().state["state"]
        record = np.zeros((), _STATE)
        record["seed"], record["seeded"], record["words"] = self._seed, 1, engine["key"]
        at = int(engine["pos"])
        record["left"] = _WORDS + 1 - at
        record["next"] = 0 if self._raw == self._first_words else at
        if self.next_normal is not None:
            record["normal"], record["has_normal"] = self.next_normal, 1
        return wrap(np.frombuffer(record.tobytes(), np.uint8).copy())

    def set_state(self, new_state: Any) -> Generator:
        """Continue from a state that ``get_state`` gave, here or in PyTorch."""
        array = getattr(new_state, "_array", None)
        if array is None:
            raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
        if array.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if not array.flags.c_contiguous:
            raise RuntimeError("RNG state must be contiguous")
        if array.size != _STATE.itemsize:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {_STATE.itemsize} but found the input RNG state size to be "
                f"{array.size}"
            )
        record = np.frombuffer(array.tobytes(), _STATE)[0]
        left, at = int(record["left"]), int(record["next"])
        if not (record["seeded"] == 1 and 0 < left <= _WORDS and at <= _WORDS):
            raise RuntimeError("Invalid mt19937 state")
        self._begin(int(record["seed"]))
        if record["has_normal"]:
            self.next_normal = float(record["normal"])
        self._engine = np.random.MT19937(0)
        self._engine.state = {
            "bit_generator": "MT19937", "state": {"key": record["words"].astype(np.uint32), "pos": _WORDS + 1 - left},
        }  # fmt: skip
        if at:
            self._raw = self._engine.random_raw
        return self

    def clone_state(self) -> Generator:
        """Another generator at the same place."""
        return Generator().set_state(self.get_state())

    graphsafe_get_state = clone_state

    def graphsafe_set_state(self, state: Generator) -> Generator:
        """Continue from where another generator is."""
        if not isinstance(state, Generator):
            raise TypeError(f"expected a Generator, but got {type(state).__name__}")
        return self.set_state(state.get_state())

    def get_offset(self) -> int:
        raise RuntimeError("CPU Generator does not use offset")

    def set_offset(self, offset: int) -> None:
        raise RuntimeError("CPU Generator does not use offset")

    def __reduce__(self) -> Any:
        return Generator, (), self.get_state()

    def __setstate__(self, state: Any) -> None:
        self.set_state(state)


def _memory_of(engine: Any) -> Any:
    """The bytes of NumPy's twister, where they lie: its words, and the place of the next one. It must be kept alive."""
    import ctypes  # loaded when first used

    held = (ctypes.c_uint8 * (4 * _WORDS + 4)).from_address(engine.ctypes.state_address)
    return np.frombuffer(memoryview(held), np.uint8)


@functools.cache
def _native_draws() -> dict[str, Callable[..., bool]] | None:
    from ..native import presence  # loaded when first used

    if not presence.expected():
        return None
    from ..native import library  # loaded when there may be one
    from ..native.kernels.random import DRAWS  # the same

    return DRAWS if library.in_use() and _is_memory_known() else None


@functools.cache
def _is_memory_known() -> bool:
    """Whether the twister's words lie where they are expected."""
    engine = np.random.MT19937(0)
    state = engine.state["state"]
    expected = state["key"].tobytes() + np.int32(state["pos"]).tobytes()
    return bool(_memory_of(engine).tobytes() == expected)


default_generator = Generator()


def stream_of(generator: Any) -> Generator:
    """The generator that the argument ``generator=`` means; None is the default one."""
    if _state.modes.levels:
        check_randomness(_state.modes.levels)
    if generator is not None and not isinstance(generator, Generator):
        raise TypeError(f"argument 'generator' must be torch.Generator, not {type(generator).__name__}")
    if _state.special and _state.modes.capture is not None:
        _state.modes.capture.draws(generator)
    return default_generator if generator is None else generator


class RandomnessError(RuntimeError):
    """Random numbers were asked for inside a ``vmap`` that allows none."""


RandomnessError.__name__ = RandomnessError.__qualname__ = "RuntimeError"


def refuse_out() -> None:
    """Refuse random numbers for ``out=`` inside ``vmap``."""
    if any(level.size >= 0 for level in _state.modes.levels):
        raise RandomnessError(
            "vmap: We do not support calling out variants of random operations inside of vmap. Please use non-out "
            "variants as a workaround"
        )


def check_randomness(levels: tuple[Any, ...]) -> None:
    """What ``vmap(..., randomness=)`` says of random numbers: none, the same for all items, or others for each."""
    for level in reversed(levels):
        if level.randomness == "error":
            raise RandomnessError(
                "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
                "'different' randomness flags on vmap or perform the randomness operation out of vmap"
            )
        if level.randomness == "different":
            raise DrawsDiffer(level)
