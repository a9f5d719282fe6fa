"""Samples of recurrent layers, packed sequences, and what transformers use."""

from __future__ import annotations

from typing import Any

import facula as torch
from facula.ops.machine.primitive import REGISTRY

from .op_samples import direct, real, sample

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _shapes(mode: str, bias: bool, projected: bool) -> list[tuple[int, ...] | None]:
    """Of a batch of 2, 2 features and a width of 3: states, weights, biases, projection."""
    rows, state = 3 * _GATES[mode], 2 if projected else 3
    states = [(2, state), (2, 3) if mode == "LSTM" else None]
    biases = [(rows,), (rows,)] if bias else [None, None]
    return [*states, (rows, 2), (rows, state), *biases, (2, 3) if projected else None]


def _layer(name: str, mode: str, sizes: Any, reverse: bool, bias: bool = True, projected: bool = False) -> None:
    shapes = [(3, 2, 2) if sizes is None else (sum(sizes), 2), *_shapes(mode, bias, projected)]

    def run(*given: Any) -> Any:
        tensors = iter(given)
        arguments = [None if shape is None else next(tensors) for shape in shapes]
        out, hidden, cell, _, _ = REGISTRY[name](*arguments, mode, sizes, reverse, True)
        return (out, hidden, cell) if mode == "LSTM" else (out, hidden)

    sample(name, run, *[real(*shape) * 0.7 for shape in shapes if shape is not None])


for _mode in _GATES:
    _layer("padded_recurrent_layer", _mode, None, False)
    _layer("padded_recurrent_layer", _mode, None, True, bias=False)
    _layer("packed_recurrent_layer", _mode, (2, 2, 1), False)
    _layer("packed_recurrent_layer", _mode, (2, 1), True)
_layer("onednn_recurrent_layer", "LSTM", None, False)
_layer("padded_recurrent_layer", "LSTM", None, False, projected=True)
_layer("packed_recurrent_layer", "LSTM", (2, 1, 1), True, projected=True)

for _first in (False, True):
    sample("pack_rows", direct("pack_rows", (2, 1), _first), real(2, 2, 3))
    sample("unpack_rows", direct("unpack_rows", (2, 1), _first, (2, 3) if _first else (3, 2)), real(3))
sample(
    "pack_rows",
    lambda x: torch.nn.utils.rnn.pack_padded_sequence(x, [2, 3], enforce_sorted=False).data, real(3, 2, 2),
)  # fmt: skip
sample("gelu_and_derivative", lambda x: REGISTRY["gelu_and_derivative"](x, "none")[0], real(2, 3))
