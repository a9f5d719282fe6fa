"""Elementwise operators: arithmetic, powers, exponentials, trigonometry, activations, comparison."""

from __future__ import annotations

import numpy as np

from ._elementwise import elementwise
from ._forms import expose

mul = elementwise(
    "mul", np.multiply, "MulBackward0",
    input=lambda g, other, xp: g * xp.conj(other),
    other=lambda g, input, xp: g * xp.conj(input),
)  # fmt: skip
expose(mul, "mul multiply", "mul multiply", "mul_ multiply_", "__mul__ __rmul__", "__imul__")

add = elementwise("add", np.add, "AddBackward0", input=lambda g: g, other=lambda g: g)
expose(add, "add", "add", "add_", "__add__ __radd__", "__iadd__")
tanh = elementwise("tanh", np.tanh, "TanhBackward0", promote="float", input=lambda g, out: g * (1 - out * out))
expose(tanh, "tanh", "tanh", "tanh_")
