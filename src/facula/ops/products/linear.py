"""``linear``: ``addmm(bias, input, weight.t())``, or ``mm``, in one call that makes both nodes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import state
from ..._tensor import Tensor
from ...autograd.saved import PLAIN
from ...overrides import call_override, overridden
from ..machine.autocast import is_on, lowered
from ..machine.call import Call, made
from ..machine.errors import type_of
from ..machine.public import FUNCTIONALS, write_out
from ..views.shape import view_op
from ..views.transpose import t, t_op
from .addmm import addmm, addmm_op
from .matmul import matmul
from .matrix_products import mm_op, require_tensors


def _recipe(call: Call) -> None:
    """The steps of a call, for two operators: the transposed weight is ``mat2`` of the product."""
    bias = ["input"] if call.op is addmm_op else []
    x = "mat1" if bias else "input"
    tensors = [x, "weight", *bias]
    otherwise = f"_any_state({', '.join(tensors)})"
    transposed = Call(t_op)
    transposed.lines = call.lines
    call.say(0, f"def _call({', '.join(tensors)}):",
                "    global _node_class, _t_op_class, _known_code")  # fmt: skip
    call.guard(tensors, otherwise)
    call.arrays(tensors, otherwise)
    call.say(1, f"_dt = _a_{x}.dtype",
                f"if (_dt is not _F32 and _dt is not _F64) or _a_weight.dtype is not _dt or _a_{x}.ndim != 2 or (",
                f"    _a_weight.ndim != 2 or _a_{x}.shape[1] != _a_weight.shape[1]",
                *["    or _a_input.dtype is not _dt or _a_input.shape != _a_weight.shape[:1]"] * len(bias),
                "    or weight._meta is not None and weight._meta.inference):",
                f"    return {otherwise}")  # fmt: skip
    call.state(otherwise, ", ".join(tensors))
    call.say(1, "_a_mat2 = _a_weight.T")
    depth = call.natively(1, ["_a_input", "_a_mat1", "_a_mat2", "1", "1"] if bias else ["_a_input", "_a_mat2"])
    call.say(depth, f"_result = _a_{x}.dot(_a_mat2)",
                    *["_add(_result, _a_input, _result)"] * len(bias))  # fmt: skip
    call.wrap(1)
    call.edges(1, [*bias, x, "weight"], tensors)
    call.say(1, "if _e_weight is not None:")
    transposed.node(2, edges="_e_weight", op="_t_op")
    transposed.save(2)
    transposed.place(2, done="")
    call.say(1, "    _e_weight = _node",
                "mat2 = _m_mat2 = None",
                f"if _e_{x} is not None:",
                "    mat2 = _new(_Tensor)",
                "    mat2._array = _a_mat2",
                "    mat2._node = _e_weight",
                "    mat2._meta = None",
                "    mat2._counter = weight._shared_counter()",
                "_e_mat2 = _e_weight",
                *["beta = alpha = 1"] * len(bias))  # fmt: skip
    call.node(1)
    call.optional = True
    call.save(1)
    call.say(1, "if _e_weight is not None:",  # which was made just now
                "    _node.code = _e_weight.code",
                "    _node.instruction = _e_weight.instruction",
                "else:",
                "    _node.code, _node.instruction = _place(2)")  # fmt: skip
    call.number(1)


def linear(input: Any, weight: Any, bias: Any = None, *, out: Any = None) -> Any:
    """``input @ weight.t() + bias``, with ``weight`` of shape (out, in)."""
    if out is not None:
        return write_out("linear", out, _any_linear(input, weight, bias), (input, weight))
    if type(input) in PLAIN:
        x = input._array
        if x.ndim == 2:
            return _hot_mm(input, weight) if bias is None else _hot_addmm(input, weight, bias)
        if (
            bias is not None
            and x.ndim
            and x.size
            and x.flags.c_contiguous
            and type(weight) in PLAIN
            and weight._array.ndim == 2
            and state.how() != state.GENERAL
        ):
            rows = view_op.call(input, (x.size // x.shape[-1], x.shape[-1]))
            return view_op.call(_hot_addmm(rows, weight, bias), (*x.shape[:-1], weight._array.shape[0]))
    return _measured_linear(input, weight, bias)


def _measured_linear(input: Any, weight: Any, bias: Any = None) -> Any:
    if state.special and state.modes.profiled is not None:
        from ...profiler import _recorder  # loaded when first used

        return _recorder.function("aten::linear", (input, weight, bias), _any_linear, {})
    return _any_linear(input, weight, bias)


def _any_linear(input: Any, weight: Any, bias: Any = None) -> Any:
    given = (input, weight, bias)
    if overridden(given):
        return call_override(_any_linear, linear, given if bias is not None else given[:2], {})
    return composed_linear(input, weight, bias)


def composed_linear(input: Any, weight: Any, bias: Any = None) -> Any:
    if is_on():
        input, weight, bias = lowered(input, weight, bias)
    require_tensors("linear", ("input", input), ("weight", weight))
    x, w = input._array, weight._array
    if x.ndim == 0 or w.ndim == 0:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {x.ndim}D and {w.ndim}D")
    if bias is None:
        return matmul(input, t(weight))
    if not isinstance(bias, Tensor):
        raise TypeError(f"linear(): argument 'bias' (position 3) must be Tensor, not {type_of(bias)}")
    if x.ndim == 2:
        return addmm(bias, input, t(weight))
    if x.flags.c_contiguous and w.ndim == 2:
        rows = view_op(input, (math.prod(x.shape[:-1]), x.shape[-1]))
        out = matmul(rows, t(weight)) + bias if weight.is_sparse else addmm(bias, rows, t(weight))
        return view_op(out, (*x.shape[:-1], w.shape[0]))
    return matmul(input, t(weight)) + bias


_own = {"_t_op": t_op, "_t_op_class": None, "_add": np.add}
_hot_mm, _hot_addmm = (made(op, _recipe, _measured_linear, **_own) for op in (mm_op, addmm_op))


FUNCTIONALS["linear"] = linear
linear.plain = composed_linear  # type: ignore[attr-defined]
