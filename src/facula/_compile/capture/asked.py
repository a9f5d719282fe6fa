"""What a function asks of tensors and of the library that no array tells: other calls may get other answers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import CodeType, FrameType, FunctionType
from typing import Any

from ... import random
from ..._core import settings
from ..._tensor import Tensor
from ...autograd.graph import is_internal

_NONE = "None or not"
_OF_TENSORS = {
    "is_inference": "()", "storage_offset": "()", "is_shared": "()", "_is_view": "()", "is_leaf": "",
    "retains_grad": "", "output_nr": "", "_base": _NONE, "grad": _NONE, "grad_fn": _NONE,
}  # fmt: skip
"""What may be asked of a tensor, and the rest of the expression that is compared."""

_BACKENDS = "facula.backends."
_ALWAYS_ANOTHER = ("_version", "data_ptr")

_OF_LIBRARY: tuple[Any, ...] = (
    settings.are_deterministic_algorithms_enabled, settings.is_deterministic_algorithms_warn_only_enabled,
    settings.get_deterministic_debug_mode, settings.get_num_threads, settings.get_num_interop_threads,
    settings.get_float32_matmul_precision, settings.is_warn_always_enabled, random.initial_seed,
)  # fmt: skip


def _code(name: str) -> CodeType:
    found: Any = inspect.getattr_static(Tensor, name)
    code: CodeType = getattr(found, "fget", found).__code__
    return code


_NAMES: dict[int, str] = {id(_code(name)): name for name in (*_OF_TENSORS, *_ALWAYS_ANOTHER)}
_FUNCTIONS: dict[int, Callable[..., Any]] = {id(fn.__code__): fn for fn in _OF_LIBRARY}


class Asked:
    """The answers that the user's code got while a program was captured."""

    def __init__(self, capture: Any) -> None:
        self.capture = capture
        self._of_tensors: dict[tuple[int, str], tuple[Tensor, Any]] = {}
        self._of_library: dict[Callable[..., Any], Any] = {}

    def note(self, frame: FrameType, answer: Any) -> None:
        """A function in Python has returned."""
        code = id(frame.f_code)
        if frame.f_globals.get("__name__", "").startswith(_BACKENDS) and not frame.f_code.co_argcount:
            self._of_backend(frame, answer)
        elif (code in _NAMES or code in _FUNCTIONS) and frame.f_back is not None:
            if is_internal(frame.f_back.f_code.co_filename) and _NAMES.get(code) != "grad":  # as zero_grad() asks
                return
            if code in _FUNCTIONS:
                self._of_library[_FUNCTIONS[code]] = answer
            else:
                self._of_tensor(frame.f_locals["self"], _NAMES[code], answer)

    def _of_backend(self, frame: FrameType, answer: Any) -> None:
        """A question about what is switched on, which is not there: users may set and ask it nevertheless."""
        asked: Any = frame.f_globals.get(frame.f_code.co_name)
        is_answer = isinstance(asked, FunctionType) and type(answer) in (bool, int, str)
        if is_answer and frame.f_back is not None and not is_internal(frame.f_back.f_code.co_filename):
            self._of_library[asked] = answer

    def _of_tensor(self, t: Tensor, name: str, answer: Any) -> None:
        met = self.capture.met.get(id(t))
        if met is None or met.tensor is not t or met.input.is_constant:
            return
        if name in _ALWAYS_ANOTHER or (met.leaf is not None and name in ("retains_grad", "output_nr")):
            self.capture.give_up(f"{name} of a tensor of before")
        if name == "grad":
            answer = met.grad
        expected = answer is None if _OF_TENSORS.get(name) == _NONE else answer
        self._of_tensors.setdefault((id(t), name), (t, expected))

    def tensors(self, known: set[int]) -> Iterator[tuple[Tensor, str]]:
        """A tensor of before, and what follows its name in a condition that does not hold.

        Of those ``known``, by their id, is known whether they have a gradient.
        """
        for (of, name), (t, expected) in self._of_tensors.items():
            if name == "grad" and of in known:
                continue
            rest = _OF_TENSORS[name]
            yield t, f".{name}{rest} != {expected!r}" if rest != _NONE else f".{name} is {'not ' * expected}None"

    def library(self) -> Iterator[tuple[Callable[..., Any], Any]]:
        """A function without arguments, and its answer."""
        yield from self._of_library.items()
