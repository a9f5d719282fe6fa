"""``torch.sparse``: functions of sparse tensors, which ``ops.sparse`` makes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from . import Tensor
from ._core import dtypes
from .ops.creation.from_data import LegacyMeta
from .ops.machine.public import FUNCTIONS
from .ops.sparse.coo import is_sparse

mm = FUNCTIONS["_sparse_mm"]
sum = FUNCTIONS["_sparse_sum"]
addmm = FUNCTIONS["_sparse_addmm"]
softmax = FUNCTIONS["_sparse_softmax"]
log_softmax = FUNCTIONS["_sparse_log_softmax"]
spdiags = FUNCTIONS["_spdiags"]


class check_sparse_tensor_invariants:
    """Whether all parts of new sparse tensors are looked at.

    Here they are unless ``check_invariants=False`` says otherwise, whatever is switched on or off.
    """

    _enabled = False

    def __init__(self, enable: bool = True) -> None:
        self.state = enable
        self.saved_state: bool | None = None

    @staticmethod
    def is_enabled() -> bool:
        return check_sparse_tensor_invariants._enabled

    @staticmethod
    def enable() -> None:
        check_sparse_tensor_invariants._enabled = True

    @staticmethod
    def disable() -> None:
        check_sparse_tensor_invariants._enabled = False

    def __enter__(self) -> None:
        if self.saved_state is not None:
            raise RuntimeError(
                "This context manager instance is already activated. Use a different context manager instance for "
                "context nesting."
            )
        self.saved_state = self.is_enabled()
        check_sparse_tensor_invariants._enabled = self.state

    def __exit__(self, *exc: object) -> None:
        assert self.saved_state is not None
        check_sparse_tensor_invariants._enabled = self.saved_state
        self.saved_state = None

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(fn)
        def checked(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.state):
                return fn(*args, **kwargs)

        return checked


class _SparseMeta(LegacyMeta):
    def __instancecheck__(cls, t: Any) -> bool:
        return isinstance(t, Tensor) and is_sparse(t) and t.dtype is cls.scalar

    def __repr__(cls) -> str:
        return f"<class 'torch.sparse.{cls.__name__}'>"


def _legacy_class(name: str, scalar: dtypes.dtype) -> Any:
    def new(cls: Any, *args: Any) -> Any:
        make = FUNCTIONS["sparse_coo_tensor"]
        if args and isinstance(args[0], Tensor):
            return make(*args, dtype=scalar)
        sizes = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
        return make(tuple(sizes), dtype=scalar)

    return _SparseMeta(name, (), {"__new__": new, "scalar": scalar, "__module__": __name__, "dtype": scalar})


_NAMED = ("BFloat16", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short")
globals().update(
    {f"{n}Tensor": _legacy_class(f"{n}Tensor", d) for d, n in dtypes.SCALAR_TYPE_NAMES.items() if n in _NAMED}
)

__all__ = ["addmm", "check_sparse_tensor_invariants", "log_softmax", "mm", "softmax", "spdiags", "sum"]
