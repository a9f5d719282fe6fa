"""Forward mode by hand, as in ``torch.autograd.forward_ad``: make a dual, compute with it, take it apart."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._core import state, strides
from .._levels.dual import Dual
from .._levels.dual import begin_dual as _dual
from .._levels.wrapped import enter, leave
from .._tensor import Tensor
from ..ops.machine.errors import type_of
from .grad_mode import _Setting
from .views import set_apart


class UnpackedDualTensor(NamedTuple):
    """A value and its tangent, which is None for a constant."""

    primal: Any
    tangent: Any


def enter_dual_level() -> int:
    """Begin forward mode. There is one level of it; ``func.jvp`` can be nested."""
    if state.modes.dual is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    state.modes.dual = enter()
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """End forward mode: all duals are plain tensors again."""
    if level is not None and (level != 0 or state.modes.dual is None):
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    if state.modes.dual is None:
        raise RuntimeError("Dual level must be a positive number.")
    leave(state.modes.dual)
    state.modes.dual = None


def _is_fwd_grad_enabled() -> bool:
    return state.modes.forward_grad


class _set_fwd_grad_enabled(_Setting):
    """Have operations carry tangents forward, or drop them: at once, or within a block."""

    name = "forward_grad"


class dual_level:
    """A block in which there are duals."""

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exc: object) -> None:
        exit_dual_level()

    def __call__(self, fn: Any) -> Any:
        import functools  # loaded when first used

        @functools.wraps(fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self:
                return fn(*args, **kwargs)

        return call


def _current(level: int | None) -> Any:
    if level is not None and (isinstance(level, bool) or not hasattr(level, "__index__")):
        raise TypeError(f"_make_dual(): argument 'level' must be int, not {type_of(level)}")
    if level:
        raise RuntimeError("Invalid level given to _make_dual")
    if state.modes.dual is None:
        raise RuntimeError(
            "Trying to access a forward AD level with an invalid index. This index was either not created or is "
            "already deleted."
        )
    return state.modes.dual


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Any:
    """A tensor that carries a tangent. It shares memory with ``tensor``, as a view does."""
    if level < 0 if level is not None else state.modes.dual is None:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    if not (tensor.is_floating_point() or tensor.is_complex()):
        raise ValueError(f"Expected primal to be floating point or complex, but got: {tensor.dtype}")
    if not (tangent.is_floating_point() or tangent.is_complex()):
        raise ValueError(f"Expected tangent to be floating point or complex, but got: {tangent.dtype}")
    current = _current(level)
    if tensor.__class__ is Dual and tensor._level is current:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not "
            "supported."
        )
    if tangent.__class__ is Dual and tangent._level is current:
        raise RuntimeError(
            "Setting a forward grad that itself has a forward gradient at the same level0 is not supported."
        )
    check_fits(tensor, tangent)
    if state.modes.inference:
        return tensor.view_as(tensor)
    if tangent.dtype != tensor.dtype:
        tangent = tangent.to(tensor.dtype)
    if not (tensor.wraps or tangent.wraps or _lie_alike(tensor._array, tangent._array)):
        tangent = tensor.new_empty_strided(tensor.shape, tensor.stride()).copy_(tangent)
    dual = _dual(_apart(tensor), tangent, current)
    dual._given = True
    return dual


def _lie_alike(one: Any, other: Any) -> bool:
    """Whether two arrays of one shape have the same strides, in storages of the same size."""
    return one.__class__ is not other.__class__ or (
        strides.root_of(one).nbytes == strides.root_of(other).nbytes
        and all(s == t for s, t, n in zip(one.strides, other.strides, one.shape) if n != 1)
    )


def check_fits(tensor: Any, tangent: Any) -> None:
    """Whether a tensor may have this tangent."""
    if tangent.shape != tensor.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(tensor.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}."
        )


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """The value and the tangent of a tensor."""
    is_outside = level < 0 if level is not None else state.modes.dual is None
    if not isinstance(tensor, Tensor) and not is_outside:
        raise TypeError(f"_unpack_dual(): argument 'dual' (position 1) must be Tensor, not {type_of(tensor)}")
    if state.modes.dual is None:
        return UnpackedDualTensor(tensor, None)
    if isinstance(tensor, Tensor) and tensor.__class__ is Dual and tensor._level is state.modes.dual:
        return UnpackedDualTensor(_apart(tensor._primal), tensor._tangent)
    return UnpackedDualTensor(_apart(tensor), None)


def _apart(tensor: Any) -> Any:
    """A view of a tensor that has no part in its tangent."""
    view = tensor.view_as(tensor)
    if view.wraps:
        view._view_of = None
    else:
        set_apart(view, tensor)
    return view


def __getattr__(name: str) -> Any:
    if name == "_current_level":  # -1 outside of forward mode, 0 inside
        return -1 if state.modes.dual is None else 0
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
