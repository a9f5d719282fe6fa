"""Recurrent layers: ``lstm``, ``gru``, ``rnn_tanh``, ``rnn_relu``, on padded batches and on packed sequences.

One direction of one layer is one primitive, and its gradient, backpropagation through time (see ``arrays.recurrent``),
is another. Composed of cells, step by step, the same layer has derivatives of every order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import state as _state
from ..._core.dtypes import F32, F64, SCALAR_TYPE_NAMES, float32, promote_types
from ..._tensor import Tensor
from ...autograd.differentiate import grad
from ...autograd.grad_mode import set_grad_enabled
from ..activations.dropout import dropped
from ..activations.relu import relu
from ..arrays.meta import by_zeros
from ..arrays.recurrent import BACKWARD, FORWARD, layer, layer_gradients, steps_of
from ..arrays.types import Array
from ..machine import autocast
from ..machine.errors import NoOverload
from ..machine.primitive import Primitive, primitive
from ..machine.public import public
from ..moving.joining import cat, stack
from ..pointwise.transcendental import tanh_op
from ..products.linear import linear
from ..products.matrix_products import shapes_cannot_be_multiplied
from .recurrent_cells import gru_step, lstm_step

# ---- the primitives


@by_zeros
def _layer(
    input: Array, hx: Array, cx: Array, w_ih: Array, w_hh: Array, b_ih: Array, b_hh: Array, w_hr: Array, mode: str,
    batch_sizes: Any, reverse: bool, keep: bool,
) -> tuple[Array, ...]:  # fmt: skip
    """(outputs, last hidden state, last cell state or something empty, factors and states for the backward pass).

    ``input`` has the rows of all steps if there are ``batch_sizes``, else it is (steps, batch, features).
    """
    return layer(FORWARD[mode], input, hx, cx, (w_ih, w_hh, b_ih, b_hh, w_hr), batch_sizes, reverse, keep)


@primitive(
    name="recurrent_layer_backward", outputs=8, native=("recurrent:layer_backward", 1024, "input"), lowering="library"
)
def recurrent_layer_backward_op(
    grad_out: Array | None, grad_hidden: Array | None, grad_cell: Array | None, input: Array, hx: Array,
    cx: Array | None, w_ih: Array, w_hh: Array, b_ih: Array | None, b_hh: Array | None, w_hr: Array | None,
    factors: Array, states: Array, mode: str, batch_sizes: Any, reverse: bool, needs: tuple[bool, ...],
) -> list[Array | None]:  # fmt: skip
    """Backpropagation through time."""
    weights = (w_ih, w_hh, b_ih, b_hh, w_hr)
    gradients = (grad_out, grad_hidden, grad_cell)
    return layer_gradients(
        BACKWARD[mode], np.matmul, mode, gradients, input, hx, cx, weights, factors, states, batch_sizes, reverse, needs
    )


@recurrent_layer_backward_op.compose
def _composed_gradients(
    grad_out: Any, grad_hidden: Any, grad_cell: Any, input: Any, hx: Any, cx: Any, w_ih: Any, w_hh: Any, b_ih: Any,
    b_hh: Any, w_hr: Any, factors: Any, states: Any, mode: str, batch_sizes: Any, reverse: bool, needs: Any,
) -> list[Any]:  # fmt: skip
    given = (input, hx, cx, w_ih, w_hh, b_ih, b_hh, w_hr)
    is_recorded = _state.grad_enabled()  # if it is not, the gradients are those of a batch
    with set_grad_enabled(True):
        # Views have none of the hooks that the tensors themselves may have.
        views: list[Any] = [a if a is None or not need else a.view_as(a) for a, need in zip(given, needs)]
        outs = _composed(*(*views, mode, batch_sizes, reverse))
        pairs = [(o, g) for o, g in zip(outs, (grad_out, grad_hidden, grad_cell)) if o is not None and g is not None]
        wanted = [a for a, need in zip(views, needs) if need]
        roots, cotangents = zip(*pairs)
        found = iter(grad(roots, wanted, cotangents, create_graph=is_recorded, allow_unused=True))
    return [next(found) if need else None for need in needs]


def _composed(
    input: Any, hx: Any, cx: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any, w_hr: Any, mode: str, batch_sizes: Any,
    reverse: bool,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """The same layer of cells: (outputs, last hidden state, last cell state)."""
    from_inputs = linear(input, w_ih, b_ih).flatten(0, -2)
    h, c = hx, cx
    outs = []
    for rows, n in steps_of(batch_sizes or tuple(input.shape[1:2]) * input.shape[0], reverse):
        x, h_n = from_inputs[rows], h[:n]
        from_hidden = linear(h_n, w_hh, b_hh)
        if mode == "LSTM":
            new, c_n = lstm_step(x + from_hidden, c[:n])
            new = new if w_hr is None else linear(new, w_hr)
            c = cat([c_n, c[n:]])
        elif mode == "GRU":
            new = gru_step(x, from_hidden, h_n)
        else:
            new = (relu if mode == "RNN_RELU" else tanh_op)(x + from_hidden)
        outs.append(new)
        h = cat([new, h[n:]])
    out = cat(outs[::-1] if reverse else outs)
    return out.view(*input.shape[:-1], h.shape[-1]), h, c


def _composed_layer(*args: Any) -> list[Any]:
    *given, _ = args
    return [*_composed(*given), None, None]


def _layer_primitive(name: str, node: str) -> Primitive:
    op = Primitive(
        name, _layer, node, outputs=5, saved_names=dict.fromkeys(("out3", "out4"), ""),
        native=("recurrent:layer", 1024), lowering="library",
    )  # fmt: skip
    op.gradient(
        recurrent_layer_backward_op, *op.tensor_names, grad_out="g0", grad_hidden="g1", grad_cell="g2", factors="out3",
        states="out4",
    )  # fmt: skip
    op.compose(_composed_layer)
    return op


onednn_layer_op = _layer_primitive("onednn_recurrent_layer", "MkldnnRnnLayerBackward0")
padded_layer_op = _layer_primitive("padded_recurrent_layer", "StackBackward0")
packed_layer_op = _layer_primitive("packed_recurrent_layer", "CatBackward0")
"""Three names of the same, as PyTorch's graphs show what gives the outputs of the steps."""

padded_layer_op.is_fused = packed_layer_op.is_fused = True


# ---- several layers


def _network(
    mode: str, input: Tensor, batch_sizes: tuple[int, ...] | None, hx: list[Tensor], params: Any, has_biases: bool,
    num_layers: int, dropout_p: float, train: bool, bidirectional: bool,
) -> tuple[Tensor, list[Tensor]]:  # fmt: skip
    """(outputs, last states), with inputs that have the steps first."""
    weights = _by_layer(mode, params, has_biases, hx)
    directions = 2 if bidirectional else 1
    op = padded_layer_op if batch_sizes is None else packed_layer_op
    whole = op is padded_layer_op and mode == "LSTM" and weights[0][4] is None
    if whole and (input._array.dtype == F32 or (autocast.is_on() and input.dtype is _state.modes.autocast)):
        op = onednn_layer_op
    if batch_sizes is None and not input._array.shape[0]:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    if hx[0]._array.shape[0] < num_layers * directions:
        raise RuntimeError("Expected more hidden states in stacked_rnn")
    keep = _state.grad_enabled() and any(t.requires_grad for t in (input, *hx, *params))
    finals: list[list[Tensor]] = [[] for _ in hx]
    x = input
    for depth in range(num_layers):
        outs = []
        for direction in range(directions):
            at = depth * directions + direction
            states = [state[at] for state in hx]
            w_ih, w_hh = weights[at][:2]
            _check(x, states[0], w_ih, w_hh, batch_sizes[0] if batch_sizes else x._array.shape[1])
            out, hidden, cell, _, _ = op(
                x, *states, *[None] * (2 - len(hx)), *weights[at], mode, batch_sizes, direction == 1, keep
            )
            outs.append(out)
            for kept, state in zip(finals, (hidden, cell)):
                kept.append(state)
        x = outs[0] if len(outs) == 1 else cat(outs, -1)
        if depth < num_layers - 1:
            x = dropped(x, dropout_p, train, False)
    return x, [stack(states) for states in finals]


def _by_layer(mode: str, params: Any, has_biases: bool, hx: list[Tensor]) -> list[tuple[Any, ...]]:
    """(weight_ih, weight_hh, bias_ih, bias_hh, weight_hr) of each layer and direction."""
    projected = mode == "LSTM" and hx[0]._array.shape[-1] != hx[1]._array.shape[-1]
    stride = 2 + 2 * has_biases + projected
    if len(params) % stride:
        if mode == "LSTM" and not projected and hx[0]._array.dtype == F32:
            raise RuntimeError(f"MatrixRef: ArrayRef size {len(params)} not divisible by stride {stride}")
        raise RuntimeError("got an incorrect number of RNN parameters")
    found = []
    for start in range(0, len(params), stride):
        w_ih, w_hh, *rest = params[start : start + stride]
        biases = rest[:2] if has_biases else [None, None]
        found.append((w_ih, w_hh, *biases, rest[-1] if projected else None))
    return found


def _check(x: Tensor, state: Tensor, w_ih: Tensor, w_hh: Tensor, batch: int) -> None:
    """Refuse sizes and dtypes that do not fit, as the products inside would."""
    for a, w in ((x, w_ih), (state, w_hh)):
        if a.dtype is not w.dtype:
            names = [SCALAR_TYPE_NAMES[t.dtype] for t in (a, w)]
            raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {names[0]} and {names[1]}")
        if a._array.shape[-1] != w._array.shape[1]:
            raise shapes_cannot_be_multiplied(a._array.reshape(-1, a._array.shape[-1]), w._array.T)
    if state._array.shape[0] != batch:
        raise RuntimeError(
            f"The size of tensor a ({state._array.shape[0]}) must match the size of tensor b ({batch}) at "
            "non-singleton dimension 0"
        )


def _run(mode: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Tensor, list[Tensor]]:
    """Arguments of either overload, given any way."""
    packed = "batch_sizes" in kwargs or (len(args) > 1 and isinstance(args[1], Tensor) and not _is_padded(args, kwargs))
    names = _PACKED if packed else _PADDED
    given = dict(zip(names, args))
    if len(args) > len(names) or given.keys() & kwargs.keys() or {*given, *kwargs} != {*names}:
        raise NoOverload
    given |= kwargs
    hx = list(given["hx"]) if mode == "LSTM" else [given["hx"]]
    if len(hx) != (2 if mode == "LSTM" else 1):
        raise RuntimeError("lstm expects two hidden states")
    x, params = given["data" if packed else "input"], given["params"]
    casts = autocast.is_on() and x._array.dtype != F64
    if casts:
        x, hx, params, lowers = _cast(mode, packed, x, hx, params)
    out, states = _layers(mode, x, hx, params, given)
    if casts and lowers:
        out, states[0] = autocast.lowered(out, states[0])
    return out, states


def _layers(mode: str, x: Tensor, hx: list[Tensor], params: Any, given: dict[str, Any]) -> tuple[Tensor, list[Tensor]]:
    options = [params, *[given[n] for n in ("has_biases", "num_layers", "dropout", "train", "bidirectional")]]
    if "batch_sizes" in given:
        return _network(mode, x, tuple(given["batch_sizes"].tolist()), hx, *options)
    if x.dim() < 3:
        x.size(2)
    if not given["batch_first"]:
        return _network(mode, x, None, hx, *options)
    out, states = _network(mode, x.transpose(0, 1), None, hx, *options)
    return (out.transpose(0, 1) if mode == "LSTM" else out.transpose_(0, 1)), states


def _cast(mode: str, packed: bool, x: Tensor, hx: list[Tensor], params: Any) -> tuple[Any, Any, Any, bool]:
    """The tensors as autocast wants them, and whether outputs are to be lowered, too.

    Products are lowered. What the steps hand on is so only where PyTorch has the whole layer from oneDNN, or where the
    states are nothing but products with an activation; else it has the widest of the products' and the states' dtypes.
    """
    low = _state.modes.autocast
    projects = mode == "LSTM" and hx[0]._array.shape[-1] != hx[1]._array.shape[-1]
    whole = mode == "LSTM" and not packed and not projects and x.dtype in (float32, low)
    to = low if whole or mode.startswith("RNN") else promote_types(low, hx[-1].dtype)
    x, *params = [t.to(to) for t in autocast.lowered(x, *params)]
    return x, [h.to(to) for h in hx], params, projects


_PADDED = ("input", "hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional", "batch_first")
_PACKED = ("data", "batch_sizes", "hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional")


def _is_padded(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the second argument is the states: then the parameters come next."""
    return "params" in kwargs or (len(args) > 2 and isinstance(args[2], (list, tuple)) and _is_bool(args[3:4]))


def _is_bool(value: Any) -> bool:
    return not value or isinstance(value[0], bool)


@public("lstm", overloads=True)
def lstm(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Layers of LSTMs: (outputs, last hidden states, last cell states)."""
    out, (hidden, cell) = _run("LSTM", args, kwargs)
    return out, hidden, cell


@public("gru", overloads=True)
def gru(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """Layers of GRUs: (outputs, last hidden states)."""
    out, (hidden,) = _run("GRU", args, kwargs)
    return out, hidden


@public("rnn_tanh", overloads=True)
def rnn_tanh(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """Layers of plain recurrent networks with tanh: (outputs, last hidden states)."""
    out, (hidden,) = _run("RNN_TANH", args, kwargs)
    return out, hidden


@public("rnn_relu", overloads=True)
def rnn_relu(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
    """The same with relu."""
    out, (hidden,) = _run("RNN_RELU", args, kwargs)
    return out, hidden
