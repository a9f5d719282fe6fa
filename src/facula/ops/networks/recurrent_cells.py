"""One step of recurrent networks: ``lstm_cell``, ``gru_cell``, ``rnn_tanh_cell``, ``rnn_relu_cell``."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from ..activations.relu import relu
from ..machine.public import public
from ..pointwise.transcendental import sigmoid_op, tanh_op
from ..products.linear import linear
from ..views.splitting import unsafe_chunk


def check_sizes(input: Tensor, states: Any, w_hh: Tensor, wanted: int) -> None:
    """Refuse an input and states that do not fit each other, or the weights."""
    x = input._array
    if x.ndim < 2:
        input.size(1)
    if x.shape[1] != wanted:
        raise RuntimeError(f"input has inconsistent input_size: got {x.shape[1]} expected {wanted}")
    for i, state in enumerate(states):
        h = state._array
        if x.shape[0] != h.shape[0]:
            raise RuntimeError(f"Input batch size {x.shape[0]} doesn't match hidden{i} batch size {h.shape[0]}")
        width = w_hh._array.shape[1]
        if h.shape[1] != width:
            raise RuntimeError(f"hidden{i} has inconsistent hidden_size: got {h.shape[1]}, expected {width}")


def lstm_step(gates: Tensor, cx: Tensor) -> tuple[Tensor, Tensor]:
    """(hidden state, cell state) from the sums of products with the weights."""
    i, f, g, o = unsafe_chunk(gates, 4, 1)
    cell = sigmoid_op(f) * cx + sigmoid_op(i) * tanh_op(g)
    return sigmoid_op(o) * tanh_op(cell), cell


def gru_step(from_input: Tensor, from_hidden: Tensor, hx: Tensor) -> Tensor:
    r_in, z_in, n_in = unsafe_chunk(from_input, 3, 1)
    r_hidden, z_hidden, n_hidden = unsafe_chunk(from_hidden, 3, 1)
    reset = sigmoid_op(r_hidden + r_in)
    update = sigmoid_op(z_hidden + z_in)
    new = tanh_op(n_in + n_hidden * reset)
    return (hx - new) * update + new


@public("lstm_cell")
def lstm_cell(
    input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """One step of an LSTM: (hidden state, cell state)."""
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    check_sizes(input, hx, w_hh, w_ih.size(1))
    return lstm_step(linear(hx[0], w_hh, b_hh) + linear(input, w_ih, b_ih), hx[1])


@public("gru_cell")
def gru_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """One step of a GRU: the hidden state."""
    check_sizes(input, (hx,), w_hh, w_ih.size(1))
    return gru_step(linear(input, w_ih, b_ih), linear(hx, w_hh, b_hh), hx)


@public("rnn_tanh_cell")
def rnn_tanh_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """``tanh(input @ w_ih.T + b_ih + hx @ w_hh.T + b_hh)``."""
    check_sizes(input, (hx,), w_hh, w_ih.size(1))
    return tanh_op(linear(hx, w_hh, b_hh) + linear(input, w_ih, b_ih))


@public("rnn_relu_cell")
def rnn_relu_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """The same with relu."""
    check_sizes(input, (hx,), w_hh, w_ih.size(1))
    return relu(linear(hx, w_hh, b_hh) + linear(input, w_ih, b_ih))
