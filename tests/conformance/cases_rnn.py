"""Recurrent networks and packed sequences: outputs, gradients, names, printed forms, errors."""

from __future__ import annotations

import copy
import math
import pickle
import warnings

from .observe import case, error, graph, name_of, see, warned


def wave(torch, *shape, phase=0.0, dtype=None):
    n = math.prod(shape)
    return torch.sin(torch.arange(n, dtype=dtype or torch.float64) * 0.7 + phase).reshape(shape)


def settled(torch, module):
    """A module whose parameters are given by a formula."""
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(wave(torch, *p.shape, phase=k) * 0.6)
    return module


def flat(torch, value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for part in value if part is not None for t in flat(torch, part)]


def rounded(value):
    """Numbers with the digits that matter, to keep the record small."""
    return [rounded(v) for v in value] if isinstance(value, list) else round(value, 7)


def run(torch, module, inputs, *args):
    """Outputs, and the gradients of all inputs and parameters by a weighted sum of them."""
    leaves = [t for t in inputs if t.requires_grad]
    results = module(*args)
    outs = [t for t in flat(torch, results) if t.dtype.is_floating_point]
    loss = sum((t * wave(torch, *t.shape, phase=i, dtype=t.dtype)).sum() for i, t in enumerate(outs))
    grads = torch.autograd.grad(loss, [*leaves, *module.parameters()])
    return [
        [[rounded(t.tolist()), name_of(t.grad_fn), list(t.stride()), str(t.dtype)] for t in outs],
        [rounded(g.tolist()) for g in grads],
    ]


def in_all_modes(torch, kind, **options):
    nn = torch.nn
    found = []
    for more in (
        {}, {"bias": False}, {"num_layers": 2}, {"bidirectional": True}, {"batch_first": True},
        {"num_layers": 2, "bidirectional": True, "batch_first": True},
    ):  # fmt: skip
        net = settled(torch, getattr(nn, kind)(2, 2, **options, **more, dtype=torch.float64))
        states = net.num_layers * (2 if net.bidirectional else 1)
        x = wave(torch, 3, 2, 2).requires_grad_()
        inside = x.transpose(0, 1) if net.batch_first else x
        found.append(run(torch, net, [x], inside))
        if not more.get("bidirectional"):
            row = wave(torch, 3, 2, phase=1).requires_grad_()
            found.append(run(torch, net, [row], row))
        hidden = [wave(torch, states, 2, options.get("proj_size", 2), phase=2).requires_grad_()]
        if kind == "LSTM":
            hidden.append(wave(torch, states, 2, 2, phase=3).requires_grad_())
        hx = tuple(hidden) if kind == "LSTM" else hidden[0]
        found.append(run(torch, net, [x, *hidden], inside, hx))
        for lengths in ([3, 2], [1, 3]):
            packed = nn.utils.rnn.pack_padded_sequence(
                inside, lengths, batch_first=net.batch_first, enforce_sorted=lengths[0] > lengths[1]
            )
            found.append(run(torch, net, [x, *hidden], packed, hx))
    return found


@case
def rnn_with_tanh(torch):
    return in_all_modes(torch, "RNN")


@case
def rnn_with_relu(torch):
    return in_all_modes(torch, "RNN", nonlinearity="relu")


@case
def lstm(torch):
    return in_all_modes(torch, "LSTM")


@case
def lstm_with_projections(torch):
    return in_all_modes(torch, "LSTM", proj_size=1)


@case
def gru(torch):
    return in_all_modes(torch, "GRU")


@case
def in_single_precision(torch):
    found = []
    for kind in ("RNN", "LSTM", "GRU"):
        net = settled(torch, getattr(torch.nn, kind)(2, 3, 2, bidirectional=True))
        x = wave(torch, 3, 2, 2, dtype=torch.float32).requires_grad_()
        found.append(run(torch, net, [x], x))
        one = settled(torch, getattr(torch.nn, kind)(2, 3, batch_first=True))
        found.append(run(torch, one, [x], x))
        with torch.no_grad():
            found.append([see(torch, t) for t in flat(torch, one(x))])
    return found


@case
def a_long_sequence(torch):
    found = []
    for kind in ("RNN", "LSTM", "GRU"):
        net = settled(torch, getattr(torch.nn, kind)(4, 5, dtype=torch.float64))
        x = wave(torch, 40, 3, 4).requires_grad_()
        out, _ = net(x)
        (g,) = torch.autograd.grad(out[-1].sum(), x)
        found.append([out[-1].tolist(), g[0].tolist(), g[-1].tolist()])
    return found


@case
def dropout_between_layers(torch):
    net = settled(torch, torch.nn.GRU(2, 3, 2, dropout=1.0, dtype=torch.float64))
    x = wave(torch, 3, 2, 2)
    return [net(x)[0].tolist(), net.eval()(x)[0].tolist()]


@case
def second_derivatives(torch):
    found = []
    for kind in ("RNN", "LSTM", "GRU"):
        net = settled(torch, getattr(torch.nn, kind)(2, 2, dtype=torch.float64))
        x = wave(torch, 3, 2, 2).requires_grad_()
        (g,) = torch.autograd.grad((net(x)[0] ** 2).sum(), x, create_graph=True)
        found.append([g.tolist(), [h.tolist() for h in torch.autograd.grad((g**2).sum(), [x, *net.parameters()])]])
    return found


@case
def outputs_may_be_changed_in_place(torch):
    found = []
    for kind in ("RNN", "GRU"):
        net = settled(torch, getattr(torch.nn, kind)(2, 2, dtype=torch.float64))
        x = wave(torch, 3, 2, 2).requires_grad_()
        out, _ = net(x)
        out.mul_(2)
        found.append(torch.autograd.grad(out.sum(), x)[0].tolist())
    return found


@case
def hooks_and_retained_gradients(torch):
    net = settled(torch, torch.nn.LSTM(2, 2, dtype=torch.float64))
    x = wave(torch, 3, 2, 2).requires_grad_()
    calls = []
    x.register_hook(lambda g: calls.append(g.sum().item()))
    out, (h, c) = net(x * 1)
    out.retain_grad()
    h.retain_grad()
    (out.sum() + h.sum() * 2 + c.sum()).backward()
    return [calls, out.grad.tolist(), h.grad.tolist(), x.grad.tolist()]


@case
def empty_batches(torch):
    found = []
    for kind in ("RNN", "LSTM", "GRU"):
        net = settled(torch, getattr(torch.nn, kind)(2, 3))
        found.append([list(t.shape) for t in flat(torch, net(torch.zeros(4, 0, 2)))])
        found.append(error(lambda net=net: net(torch.zeros(0, 2, 2))))
    return found


@case
def on_the_meta_device(torch):
    found = []
    for kind in ("RNN", "LSTM", "GRU"):
        net = getattr(torch.nn, kind)(2, 3, 2, device="meta")
        found.append([[list(t.shape), str(t.device)] for t in flat(torch, net(torch.zeros(4, 5, 2, device="meta")))])
    return found


# ---- parameters, names, printed forms


@case
def parameters_and_printed_forms(torch):
    nn = torch.nn
    nets = [
        nn.RNN(2, 3), nn.RNN(2, 3, 2, "relu"), nn.RNN(2, 3, nonlinearity="relu", bias=False),
        nn.LSTM(2, 3, 2, bias=False, batch_first=True, dropout=0.25, bidirectional=True, proj_size=1),
        nn.LSTM(2, 3, proj_size=2), nn.GRU(2, 3, bidirectional=True), nn.RNNBase("GRU", 2, 3),
        nn.RNNCell(2, 3), nn.RNNCell(2, 3, bias=False, nonlinearity="relu"), nn.LSTMCell(2, 3), nn.GRUCell(2, 3, False),
    ]  # fmt: skip
    return [
        [repr(net), [[k, list(v.shape)] for k, v in net.state_dict().items()], net.__dict__.get("mode"),
         net.__dict__.get("nonlinearity")]
        for net in nets
    ]  # fmt: skip


@case
def all_weights(torch):
    net = torch.nn.LSTM(2, 3, 2, bidirectional=True, proj_size=1)
    names = {id(p): n for n, p in net.named_parameters()}
    net.flatten_parameters()
    return [[names[id(w)] for w in weights] for weights in net.all_weights] + [net._flat_weights_names]


@case
def initial_values_are_bounded(torch):
    found = []
    for net in (torch.nn.LSTM(3, 16, 2), torch.nn.GRUCell(3, 16)):
        found += [bool(p.abs().max() <= 0.25) and bool(p.abs().max() > 0.15) for p in net.parameters()]
    return found


@case
def copies(torch):
    found = []
    x = wave(torch, 3, 2, 2, dtype=torch.float32)
    net = settled(torch, torch.nn.GRU(2, 3))
    for twin in (copy.deepcopy(net), pickle.loads(pickle.dumps(net)), torch.nn.GRU(2, 3)):
        twin.load_state_dict(net.state_dict())
        found.append([bool((twin(x)[0] == net(x)[0]).all()), twin.weight_ih_l0 is net.weight_ih_l0])
    half = copy.deepcopy(net).double()
    return [found, str(half(x.double())[0].dtype)]


@case
def a_replaced_weight_counts(torch):
    net = settled(torch, torch.nn.RNN(2, 2, dtype=torch.float64))
    net.weight_hh_l0 = torch.nn.Parameter(torch.zeros(2, 2, dtype=torch.float64))
    return net(wave(torch, 3, 1, 2))[0].tolist()


@case
def errors_of_options(torch):
    nn = torch.nn

    def made(kind, args, kwargs):
        return error(lambda: repr(kind(*args, **kwargs)))

    return [
        [
            made(kind, args, kwargs)
            for args, kwargs in (
                ((4,), {}), ((4, 3), {"foo": 1}), ((4.0, 3), {}), ((4, 3.0), {}), ((0, 3), {}), ((4, 0), {}),
                ((4, 3, 0), {}), ((4, 3), {"bias": 1}), ((4, 3), {"batch_first": 1}), ((4, 3), {"dropout": 2}),
                ((4, 3), {"dropout": True}), ((4, 3), {"dropout": "a"}), ((4, 3), {"num_layers": 1.5}),
                ((4, 3), {"proj_size": -1}), ((4, 3), {"proj_size": 3}),
            )
        ]
        for kind in (nn.RNN, nn.LSTM, nn.GRU)
    ] + [
        error(lambda: nn.RNNBase("FOO", 4, 3)), error(lambda: nn.RNN(4, 3, nonlinearity="foo")),
        error(lambda: nn.RNNBase("GRU", 4, 3)(torch.zeros(2, 2, 4))), warned(lambda: nn.GRU(4, 3, dropout=0.5)),
        error(lambda: nn.RNNCell(4, 3, nonlinearity="foo")(torch.zeros(2, 4))),
    ]  # fmt: skip


@case
def errors_of_sizes(torch):
    found = []
    x = torch.zeros(5, 2, 4)
    for kind in ("RNN", "LSTM", "GRU"):
        net = getattr(torch.nn, kind)(4, 3)

        def state(*size, kind=kind):
            return (torch.zeros(size), torch.zeros(size)) if kind == "LSTM" else torch.zeros(size)

        for args in (
            (x[0, 0],), (x[None],), (x[..., :2],), (x, state(1, 3)), (x[0], state(1, 2, 3)), (x, state(1, 3, 3)),
            (x, state(2, 2, 3)), (x[0], state(2, 3)), (x.double(),), (x.long(),),
        ):  # fmt: skip
            found.append(error(lambda net=net, args=args: net(*args) and None))
    net = torch.nn.LSTM(4, 3)
    found.append(error(lambda: net(x, (torch.zeros(1, 2, 3), torch.zeros(1, 2, 4)))))
    found.append(error(lambda: net(x, (torch.zeros(1, 2, 3), torch.zeros(2, 4)))))
    projected = torch.nn.LSTM(4, 3, proj_size=2)
    found.append(error(lambda: projected(x, (torch.zeros(1, 2, 3), torch.zeros(1, 2, 3)))))
    pack = torch.nn.utils.rnn.pack_padded_sequence
    for kind in ("RNN", "LSTM", "GRU"):
        net = getattr(torch.nn, kind)(4, 3)
        found.append(error(lambda net=net: net(pack(x[..., :2], [5, 3])) and None))
    return found


# ---- cells


@case
def cells(torch):
    nn = torch.nn
    found = []
    for cell in (nn.RNNCell(2, 3), nn.RNNCell(2, 3, nonlinearity="relu"), nn.LSTMCell(2, 3), nn.GRUCell(2, 3),
                 nn.GRUCell(2, 3, bias=False), nn.LSTMCell(2, 3, bias=False)):  # fmt: skip
        settled(torch, cell.double())
        x = wave(torch, 2, 2).requires_grad_()
        row = wave(torch, 2, phase=1).requires_grad_()
        h, c = wave(torch, 2, 3, phase=2).requires_grad_(), wave(torch, 2, 3, phase=3).requires_grad_()
        is_lstm = isinstance(cell, nn.LSTMCell)
        found.append(run(torch, cell, [x], x))
        found.append(run(torch, cell, [row], row))
        found.append(run(torch, cell, [x, h, c] if is_lstm else [x, h], x, (h, c) if is_lstm else h))
        out = cell(x)
        found.append(graph((out[0] if is_lstm else out).grad_fn))
    return found


@case
def errors_of_cells(torch):
    found = []
    x = torch.zeros(5, 2, 4)
    for kind in ("RNNCell", "LSTMCell", "GRUCell"):
        cell = getattr(torch.nn, kind)(4, 3)

        def state(*size, kind=kind):
            return (torch.zeros(size), torch.zeros(size)) if kind == "LSTMCell" else torch.zeros(size)

        for args in (
            (x,), (x[0], state(1, 2, 3)), (x[0, :, :2],), (x[0], state(3, 3)), (x[0], state(2, 5)),
            (x[0, 0], state(2, 3)), (x[0].double(),),
        ):  # fmt: skip
            found.append(error(lambda cell=cell, args=args: cell(*args) and None))
    return found


@case
def functions(torch):
    x, h = wave(torch, 3, 2, 2), wave(torch, 1, 2, 3)
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, [3, 1])
    found = []
    for name, gates in (("lstm", 4), ("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1)):
        rows = gates * 3
        params = [wave(torch, rows, 2), wave(torch, rows, 3, phase=1), wave(torch, rows, phase=2), wave(torch, rows)]
        hx = (h, h) if name == "lstm" else h
        fn = getattr(torch, name)
        found.append(see(torch, list(fn(x, hx, params, True, 1, 0.0, False, False, False))))
        found.append(see(torch, list(fn(packed.data, packed.batch_sizes, hx, params, True, 1, 0.0, False, False))))
        found.append(
            see(torch, list(fn(
                input=x, hx=hx, params=params[:2], has_biases=False, num_layers=1, dropout=0.0, train=True,
                bidirectional=False, batch_first=False,
            )))
        )  # fmt: skip
        cell = getattr(torch, f"{name}_cell")
        one = (h[0], h[0]) if name == "lstm" else h[0]
        found.append(see(torch, cell(x[0], one, *params)))
        found.append(see(torch, cell(input=x[0], hx=one, w_ih=params[0], w_hh=params[1], b_ih=params[2])))
        few = (x, hx, params[:3], True, 1, 0.0, False, False, False)
        found.append(error(lambda fn=fn, few=few: fn(*few)))
        found.append(error(lambda cell=cell, one=one, params=params: cell(x[0, :, :1], one, *params)))
    found.append(error(lambda: torch.lstm(x, [h], params, True, 1, 0.0, False, False, False)))
    found.append(error(lambda: torch.lstm_cell(x[0], [h[0]], *params)))
    return found


# ---- packed sequences


@case
def packing(torch):
    rnn = torch.nn.utils.rnn
    x = torch.arange(24.0).view(4, 3, 2).requires_grad_()
    found = []
    for lengths, options in (
        ([4, 2, 1], {}), ([4, 4, 1], {}), ([4, 4, 4], {}), ([2, 2, 1], {}), (torch.tensor([4, 2, 1]), {}),
        ([2, 4, 1], {"enforce_sorted": False}), ([3, 2, 1, 1], {"batch_first": True}),
        (torch.tensor([1, 3, 2, 3]), {"batch_first": True, "enforce_sorted": False}),
    ):  # fmt: skip
        packed = rnn.pack_padded_sequence(x, lengths, **options)
        weights = wave(torch, *packed.data.shape, dtype=torch.float32)
        (g,) = torch.autograd.grad((packed.data * weights).sum(), x, retain_graph=True)
        first = options.get("batch_first", False)
        found.append([see(torch, list(packed)), g.tolist(), repr(packed)])
        for more in ({}, {"padding_value": -1.0, "total_length": 6}):
            padded, sizes = rnn.pad_packed_sequence(packed, batch_first=first, **more)
            (g,) = torch.autograd.grad(
                (padded * wave(torch, *padded.shape, dtype=torch.float32)).sum(), x, retain_graph=True
            )
            found.append([see(torch, padded), see(torch, sizes), list(padded.stride()), g.tolist()])
    return found


@case
def padding(torch):
    rnn = torch.nn.utils.rnn
    each = [torch.ones(3, 2, requires_grad=True), torch.ones(1, 2) * 2, torch.ones(2, 2) * 3]
    found = []
    for options in ({}, {"batch_first": True, "padding_value": -1.0}, {"batch_first": True, "padding_side": "left"}):
        padded = rnn.pad_sequence(each, **options)
        found.append([see(torch, padded), list(padded.stride())])
    (g,) = torch.autograd.grad((padded * wave(torch, *padded.shape, dtype=torch.float32)).sum(), each[0])
    packed = rnn.pack_sequence(each, enforce_sorted=False)
    return [
        found, g.tolist(), see(torch, list(packed)), see(torch, rnn.unpack_sequence(packed)),
        see(torch, rnn.unpad_sequence(rnn.pad_sequence(each), torch.tensor([3, 1, 2]))),
        see(torch, rnn.pad_sequence([torch.tensor([1, 2]), torch.tensor([3])], True, 9)),
        see(torch, rnn.pad_sequence(torch.ones(2, 3))), see(torch, rnn.pad_sequence(torch.ones(i) for i in (1, 2))),
        see(torch, rnn.invert_permutation(torch.tensor([2, 0, 1]))), rnn.invert_permutation(None),
    ]  # fmt: skip


@case
def packed_sequences_are_named_tuples(torch):
    rnn = torch.nn.utils.rnn
    p = rnn.pack_sequence([torch.ones(1, 2), torch.ones(3, 2)], enforce_sorted=False)
    casts = [p.double(), p.half(), p.int(), p.long(), p.short(), p.char(), p.byte(), p.to(torch.float64)]
    plain = rnn.PackedSequence(torch.ones(2), torch.tensor([2]))
    return [
        len(p), p[0] is p.data, isinstance(p, tuple), list(p._fields), [str(q.data.dtype) for q in casts],
        p.to("cpu") is p, p.float() is p, p.cpu() is p, p.is_cuda, p.is_pinned(), type(p).__name__, repr(plain),
        repr(pickle.loads(pickle.dumps(plain))), repr(rnn.PackedSequence((torch.ones(2), torch.tensor([2])))),
        repr(rnn.PackedSequence(torch.ones(2), torch.tensor([2]), torch.tensor([1, 0]))),
        error(lambda: rnn.PackedSequence(torch.ones(2))),
    ]  # fmt: skip


@case
def errors_of_packing(torch):
    rnn = torch.nn.utils.rnn
    x = torch.arange(24.0).view(4, 3, 2)
    packed = rnn.pack_padded_sequence(x, [4, 2, 1])
    pack, pad, unpack = rnn.pack_padded_sequence, rnn.pad_sequence, rnn.pad_packed_sequence
    calls = [
        lambda: pack(x, [2, 4, 1]), lambda: pack(x, [4, 2, 0]), lambda: pack(x, [4, 2, -1]), lambda: pack(x, [4, 2]),
        lambda: pack(x, torch.tensor([[4, 2, 1]])), lambda: pack(x[:0], [4, 2, 1]), lambda: pack(x[:, 0, 0], [4, 2, 1]),
        lambda: unpack(packed, total_length=3), lambda: unpack(x), lambda: pad(3), lambda: pad([]),
        lambda: pad([torch.ones(2, 3), torch.ones(2, 4)]), lambda: pad([torch.tensor(1.0)]), lambda: pad([[1, 2], [3]]),
        lambda: pad([torch.ones(1)], padding_side="foo"), lambda: rnn.pack_sequence([torch.ones(1), torch.ones(2)]),
        lambda: rnn.unpad_sequence(x, [2, 4, 1]),
    ]  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [error(call) for call in calls]


@case
def batched_gradients_of_recurrent_layers(torch):
    """``jacrev`` and ``is_grads_batched``, which pass all rows of a matrix through the layer at once."""
    x = torch.arange(8, dtype=torch.float64).reshape(2, 2, 2).sin()
    told = []
    for cls, options in (("LSTM", {}), ("GRU", {"bidirectional": True}), ("RNN", {"num_layers": 2, "bias": False})):
        torch.manual_seed(0)
        m = getattr(torch.nn, cls)(2, 2, **options).double()
        p = {k: v.detach() for k, v in m.named_parameters()}

        def f(p, x, m=m):
            return torch.func.functional_call(m, (p, {}), (x,))[0].sum(0)

        by_p, by_x = torch.func.jacrev(f, argnums=(0, 1))(p, x)
        y = f(p, (leaf := x.clone().requires_grad_()))
        weights = torch.stack([torch.ones_like(y), y.detach()])
        told.append([see(torch, list(by_p.values())), see(torch, by_x)])
        told.append(see(torch, torch.autograd.grad(y, leaf, weights, is_grads_batched=True)[0]))
    return told
