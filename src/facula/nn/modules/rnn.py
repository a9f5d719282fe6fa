"""Recurrent networks as modules."""

from __future__ import annotations

import inspect
import math
import numbers
import warnings
from typing import Any

from ..._core.own_methods import own
from ..._tensor import Tensor
from ...ops.machine.autocast import is_on
from ...ops.machine.signatures import mistake
from ...ops.networks import recurrent, recurrent_cells
from .. import init
from ..parameter import Parameter
from ..utils.rnn import PackedSequence
from .linear import _empty
from .module import Module

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
_FUNCTIONS = {
    "LSTM": recurrent.lstm, "GRU": recurrent.gru, "RNN_TANH": recurrent.rnn_tanh, "RNN_RELU": recurrent.rnn_relu,
}  # fmt: skip


def apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    """A tensor's entries along a dimension in another order."""
    warnings.warn(
        "apply_permutation is deprecated, please use tensor.index_select(dim, permutation) instead", FutureWarning,
        stacklevel=2,
    )  # fmt: skip
    return _permuted(tensor, permutation, dim)


def _permuted(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    found: Tensor = tensor.index_select(dim, permutation)
    return found


class RNNBase(Module):
    """What recurrent networks share: parameters for each layer and direction, checks, states in order."""

    def __init__(
        self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._check_options(dropout)
        self._all_weights = [
            self._add_layer(layer, suffix, device, dtype)
            for layer in range(num_layers)
            for suffix in (("", "_reverse") if bidirectional else ("",))
        ]
        self._flat_weights_names = [name for names in self._all_weights for name in names]
        self.reset_parameters()

    def _check_options(self, dropout: Any) -> None:
        if not isinstance(dropout, numbers.Number) or not 0 <= self.dropout <= 1 or isinstance(dropout, bool):
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if self.dropout > 0 and self.num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={self.num_layers}", stacklevel=4,
            )  # fmt: skip
        for name in ("bias", "batch_first"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} should be of type bool, got: {type(getattr(self, name)).__name__}")
        for name in ("input_size", "hidden_size"):
            if not isinstance(getattr(self, name), int):
                raise TypeError(f"{name} should be of type int, got: {type(getattr(self, name)).__name__}")
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if self.mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + self.mode)

    def _add_layer(self, layer: int, suffix: str, device: Any, dtype: Any) -> list[str]:
        """The parameters of one layer and direction, and their names."""
        rows = _GATES[self.mode] * self.hidden_size
        state = self.proj_size or self.hidden_size
        width = self.input_size if layer == 0 else state * (2 if self.bidirectional else 1)
        shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, width), "weight_hh": (rows, state)}
        if self.bias:
            shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
        if self.proj_size:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        names = []
        for kind, shape in shapes.items():
            names.append(f"{kind}_l{layer}{suffix}")
            setattr(self, names[-1], Parameter(_empty(shape, device, dtype)))
        return names

    def reset_parameters(self) -> None:
        """Uniform within ±1/sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_flat_weights": self._flat_weights}  # as PyTorch expects it in files

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({name: value for name, value in state.items() if name != "_flat_weights"})

    @property
    def _flat_weights(self) -> list[Any]:
        given: list[Any] | None = self.__dict__.get("_given_weights")
        if given is not None:
            return given
        own = self._parameters
        return [own[name] if name in own else getattr(self, name, None) for name in self._flat_weights_names]

    @_flat_weights.setter
    def _flat_weights(self, weights: list[Any]) -> None:
        """Compute with other tensors than the parameters, as programs do that differentiate through training."""
        own = [getattr(self, name, None) for name in self._flat_weights_names]
        same = len(own) == len(weights) and all(a is b for a, b in zip(own, weights))
        self.__dict__["_given_weights"] = None if same else list(weights)

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def flatten_parameters(self) -> None:
        """Nothing: parameters need not lie in one piece of memory here."""

    # ---- checks

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        dtype = self._flat_weights[0].dtype
        if input.dtype is not dtype and not is_on():
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype}). Convert input: "
                f"input.to({dtype}), or convert model: model.to({input.dtype})"
            )
        wanted = 2 if batch_sizes is not None else 3
        if input.dim() != wanted:
            raise RuntimeError(f"input must have {wanted} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def _state_size(self, input: Tensor, batch_sizes: Tensor | None, width: int) -> tuple[int, int, int]:
        batch = int(batch_sizes[0]) if batch_sizes is not None else input.size(0 if self.batch_first else 1)
        return self.num_layers * (2 if self.bidirectional else 1), batch, width

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        return self._state_size(input, batch_sizes, self.proj_size or self.hidden_size)

    def check_hidden_size(
        self, hx: Tensor, expected_hidden_size: tuple[int, int, int], msg: str = "Expected hidden size {}, got {}"
    ) -> None:
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        return hx if permutation is None else _permuted(hx, permutation)

    # ---- running

    def _run(self, input: Tensor, hx: Any, batch_sizes: Tensor | None) -> Any:
        options = (self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        function = _FUNCTIONS[self.mode]
        given = (input, hx, *options, self.batch_first) if batch_sizes is None else (input, batch_sizes, hx, *options)
        if self.bidirectional.__class__ is not bool:
            wrong = mistake(self.mode.lower(), given, {}, False)
            if wrong is not None:
                raise wrong
        return function(*given)

    def extra_repr(self) -> str:
        told = [f"{self.input_size}, {self.hidden_size}"]
        usual = {
            "proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0, "bidirectional": False,
        }  # fmt: skip
        told += [f"{name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value]
        return ", ".join(told)


class _OneState(RNNBase):
    """The forward pass of networks with a hidden state and no cell state."""

    _instead = "instead"

    def forward(self, input: Any, hx: Tensor | None = None) -> Any:
        """(outputs of the last layer, last hidden states)."""
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        ndim = input.dim()
        if ndim not in (2, 3):
            raise ValueError(f"{self._get_name()}: Expected input to be 2D or 3D, got {ndim}D {self._instead}")
        batched = ndim == 3
        at = 0 if self.batch_first else 1
        if hx is not None and hx.dim() != ndim:
            kind = "batched 3-D" if batched else "unbatched 2-D"
            raise RuntimeError(f"For {kind} input, hx should also be {ndim}-D but got {hx.dim()}-D tensor")
        if not batched:
            input = input.unsqueeze(at)
            hx = None if hx is None else hx.unsqueeze(1)
        if hx is None:
            hx = input.new_zeros(self.get_expected_hidden_size(input, None))
        self.check_forward_args(input, hx, None)
        out, hidden = self._run(input, hx, None)
        return (out, hidden) if batched else (out.squeeze(at), hidden.squeeze(1))

    def _forward_packed(self, input: PackedSequence, hx: Tensor | None) -> Any:
        data, batch_sizes, sorted_indices, unsorted_indices = input
        if hx is None:
            hx = data.new_zeros(self.get_expected_hidden_size(data, batch_sizes))
        else:
            hx = self.permute_hidden(hx, sorted_indices)
        assert hx is not None
        self.check_forward_args(data, hx, batch_sizes)
        out, hidden = self._run(data, hx, batch_sizes)
        packed = PackedSequence(out, batch_sizes, sorted_indices, unsorted_indices)
        return packed, self.permute_hidden(hidden, unsorted_indices)


def _refuse_projection(options: dict[str, Any]) -> None:
    if "proj_size" in options:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


class RNN(_OneState):
    """Plain recurrent layers: each step ``tanh`` (or ``relu``) of products with the input and the last state."""

    _instead = "tensor instead"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse_projection(kwargs)
        *sizes, kind = args[:4] if len(args) > 3 else (*args, kwargs.pop("nonlinearity", "tanh"))
        if kind not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{kind}'. Select from 'tanh' or 'relu'.")
        self.nonlinearity = kind
        super().__init__(f"RNN_{kind.upper()}", *sizes, *args[4:], **kwargs)


class GRU(_OneState):
    """Layers of gated recurrent units (Cho et al. 2014)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse_projection(kwargs)
        super().__init__("GRU", *args, **kwargs)


own("forward", RNN, GRU)


class LSTM(RNNBase):
    """Layers with long short-term memory (Hochreiter and Schmidhuber 1997), with projections if wanted."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        return self._state_size(input, batch_sizes, self.hidden_size)

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        self.check_input(input, batch_sizes)
        sizes = self.get_expected_hidden_size(input, batch_sizes), self.get_expected_cell_size(input, batch_sizes)
        for i, size in enumerate(sizes):
            self.check_hidden_size(hidden[i], size, f"Expected hidden[{i}] size {{}}, got {{}}")

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        return hx if permutation is None else (_permuted(hx[0], permutation), _permuted(hx[1], permutation))

    def forward(self, input: Any, hx: Any = None) -> Any:
        """(outputs of the last layer, (last hidden states, last cell states))."""
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        ndim = input.dim()
        if ndim not in (2, 3):
            raise ValueError(f"LSTM: Expected input to be 2D or 3D, got {ndim}D instead")
        batched = ndim == 3
        at = 0 if self.batch_first else 1
        if not batched:
            input = input.unsqueeze(at)
        if hx is None:
            hx = self._zeros(input, None)
        else:
            if hx[0].dim() != ndim or hx[1].dim() != ndim:
                kind = "batched 3-D" if batched else "unbatched 2-D"
                raise RuntimeError(
                    f"For {kind} input, hx and cx should also be {ndim}-D but got ({hx[0].dim()}-D, {hx[1].dim()}-D) "
                    "tensors"
                )
            if not batched:
                hx = (hx[0].unsqueeze(1), hx[1].unsqueeze(1))
        self.check_forward_args(input, hx, None)
        out, hidden, cell = self._run(input, hx, None)
        if not batched:
            return out.squeeze(at), (hidden.squeeze(1), cell.squeeze(1))
        return out, (hidden, cell)

    def _forward_packed(self, input: PackedSequence, hx: Any) -> Any:
        data, batch_sizes, sorted_indices, unsorted_indices = input
        hx = self._zeros(data, batch_sizes) if hx is None else self.permute_hidden(hx, sorted_indices)
        out, *states = self._run(data, hx, batch_sizes)
        packed = PackedSequence(out, batch_sizes, sorted_indices, unsorted_indices)
        return packed, self.permute_hidden(tuple(states), unsorted_indices)

    def _zeros(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[Tensor, Tensor]:
        hidden = input.new_zeros(self.get_expected_hidden_size(input, batch_sizes))
        return hidden, input.new_zeros(self.get_expected_cell_size(input, batch_sizes)) if self.proj_size else hidden


def _show_settings() -> None:
    """The parameters of recurrent layers, which their constructors pass on."""
    settings = dict(inspect.signature(RNNBase.__init__).parameters)
    del settings["mode"]
    lstm = [p for p in settings.values() if p.name != "self"]
    gru = [p for p in lstm if p.name != "proj_size"]
    kind = inspect.Parameter("nonlinearity", inspect.Parameter.POSITIONAL_OR_KEYWORD, default="tanh", annotation="str")
    for cls, shown in ((LSTM, lstm), (GRU, gru), (RNN, [*gru[:3], kind, *gru[3:]])):
        cls.__signature__ = inspect.Signature(shown)  # type: ignore[union-attr]


_show_settings()


# ---- cells


class RNNCellBase(Module):
    """What single steps share."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        self.weight_ih = Parameter(_empty((rows, input_size), device, dtype))
        self.weight_hh = Parameter(_empty((rows, hidden_size), device, dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(_empty(rows, device, dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Uniform within ±1/sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        told = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            told += f", bias={self.bias}"
        nonlinearity = self.__dict__.get("nonlinearity", "tanh")
        return told if nonlinearity == "tanh" else f"{told}, nonlinearity={nonlinearity}"

    def _check(self, what: str, t: Tensor) -> None:
        if t.dim() not in (1, 2):
            raise ValueError(f"{self._get_name()}: Expected {what} to be 1D or 2D, got {t.dim()}D instead")

    def _weights(self) -> tuple[Any, ...]:
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _step(self, function: Any, input: Tensor, hx: Tensor | None) -> Tensor:
        """A step of a cell with one state."""
        self._check("input", input)
        if hx is not None:
            self._check("hidden", hx)
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        if hx is None:
            hx = x.new_zeros((x.size(0), self.hidden_size))
        else:
            hx = hx if batched else hx.unsqueeze(0)
        found: Tensor = function(x, hx, *self._weights())
        return found if batched else found.squeeze(0)


class RNNCell(RNNCellBase):
    """One step of a plain recurrent network."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        cells: Any = {"tanh": recurrent_cells.rnn_tanh_cell, "relu": recurrent_cells.rnn_relu_cell}
        if self.nonlinearity not in cells:
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(cells[self.nonlinearity], input, hx)


class LSTMCell(RNNCellBase):
    """One step of an LSTM."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        """(hidden state, cell state)."""
        self._check("input", input)
        if hx is not None:
            for i, state in enumerate(hx):
                self._check(f"hx[{i}]", state)
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        if hx is None:
            zeros = x.new_zeros((x.size(0), self.hidden_size))
            hx = (zeros, zeros)
        elif not batched:
            hx = (hx[0].unsqueeze(0), hx[1].unsqueeze(0))
        if isinstance(hx, Tensor):
            raise TypeError("lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor")
        hidden, cell = recurrent_cells.lstm_cell(x, hx, *self._weights())
        return (hidden, cell) if batched else (hidden.squeeze(0), cell.squeeze(0))


class GRUCell(RNNCellBase):
    """One step of a GRU."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._step(recurrent_cells.gru_cell, input, hx)
