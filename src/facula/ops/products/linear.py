"""``linear``: ``addmm(bias, input, weight.t())``, or ``mm``, in one call that makes both nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..machine.call import Call, made
from ..views.transpose import t_op
from .addmm import addmm_op
from .matrix_products import mm_op


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
    call.state(otherwise)
    call.say(1, "_a_mat2 = _a_weight.T",
                f"_result = _a_{x}.dot(_a_mat2)",
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


def hot_linear(any_state: Any) -> tuple[Any, Any]:
    """Functions of (input, weight) and of (input, weight, bias). What is unusual they give to ``any_state``."""
    own = {"_t_op": t_op, "_t_op_class": None, "_add": np.add}
    return made(mm_op, _recipe, any_state, **own), made(addmm_op, _recipe, any_state, **own)
