"""Multi-head attention and transformers: outputs, gradients, masks, names, printed forms, errors."""

from __future__ import annotations

import copy
import importlib
import pickle
import warnings

from .cases_rnn import rounded, settled, wave
from .observe import case, error, name_of, warned


def quiet(fn):
    """Without the warnings that tell why a quicker way is not taken."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fn()


def told(t):
    return None if t is None else [rounded(t.tolist()), name_of(t.grad_fn), list(t.shape), str(t.dtype)]


def run(torch, module, leaves, args, options=None, with_parameters=True):
    """A module's output (or several, or None) and the gradients of a weighted sum of them."""
    result = module(*args, **(options or {}))
    outs = [result] if isinstance(result, torch.Tensor) else list(result)
    loss = sum(
        (t * wave(torch, *t.shape, phase=i, dtype=t.dtype)).sum() for i, t in enumerate(outs) if t is not None
    )
    wanted = [*leaves, *(module.parameters() if with_parameters else ())]
    grads = torch.autograd.grad(loss, wanted, allow_unused=True)
    return [[told(t) for t in outs], [None if g is None else rounded(g.tolist()) for g in grads]]


def mask_of(torch, n, m=None, dtype=None):
    return torch.full((n, n if m is None else m), float("-inf"), dtype=dtype or torch.float64).triu(1)


# ---- attention


@case
def attention_with_options(torch):
    nn = torch.nn
    found = []
    for options in (
        {}, {"bias": False}, {"batch_first": True}, {"add_bias_kv": True}, {"add_zero_attn": True},
        {"kdim": 3, "vdim": 2}, {"add_bias_kv": True, "add_zero_attn": True, "batch_first": True},
    ):  # fmt: skip
        attention = settled(torch, nn.MultiheadAttention(4, 2, **options, dtype=torch.float64))
        q = wave(torch, 2, 3, 4).requires_grad_()
        k = wave(torch, 2, 3, options.get("kdim", 4), phase=1).requires_grad_()
        v = wave(torch, 2, 3, options.get("vdim", 4), phase=2).requires_grad_()
        found.append([repr(attention), [[n, list(p.shape)] for n, p in attention.state_dict().items()]])
        found.append(run(torch, attention, [q, k, v], (q, k, v)))
        found.append(
            run(torch, attention, [q, k, v], (q, k, v), {"need_weights": False}, False)
        )
    return found


@case
def attention_with_masks(torch):
    attention = settled(torch, torch.nn.MultiheadAttention(4, 2, dtype=torch.float64))
    q = wave(torch, 3, 2, 4).requires_grad_()
    k = wave(torch, 3, 2, 4, phase=1).requires_grad_()
    hidden = torch.tensor([[False, False, True], [False, True, False]])
    later = mask_of(torch, 3)
    each = torch.stack([later * (i % 2) for i in range(4)]).nan_to_num(0.0)
    found = []
    for options in (
        {"attn_mask": later}, {"attn_mask": later == 0}, {"attn_mask": each}, {"key_padding_mask": hidden},
        {"key_padding_mask": hidden, "attn_mask": torch.zeros(3, 3, dtype=torch.bool)},
        {"key_padding_mask": hidden.double() * -2, "attn_mask": later}, {"attn_mask": later, "is_causal": True},
        {"average_attn_weights": False},
    ):  # fmt: skip
        if options.get("attn_mask") is not None and options["attn_mask"].dtype == torch.bool:
            options["attn_mask"] = options["attn_mask"] & ~torch.eye(3, dtype=torch.bool)
        for weights in (True, False):
            found.append(
                run(torch, attention, [q, k], (q, k, k), {"need_weights": weights, **options}, False)
            )
    return found


@case
def attention_to_itself_and_without_a_batch(torch):
    found = []
    for first in (True, False):
        attention = settled(torch, torch.nn.MultiheadAttention(4, 2, batch_first=first, dtype=torch.float64))
        x = wave(torch, 2, 3, 4).requires_grad_()
        row, source = wave(torch, 3, 4).requires_grad_(), wave(torch, 2, 4, phase=1).requires_grad_()
        for weights in (True, False):
            found.append(run(torch, attention, [x], (x, x, x), {"need_weights": weights}))
            found.append(run(torch, attention, [row], (row, row, row), {"need_weights": weights}))
            found.append(
                run(torch, attention, [row, source], (row, source, source), {"need_weights": weights})
            )
        padding = torch.tensor([False, True])
        found.append(
            run(torch, attention, [row], (row, source, source), {"key_padding_mask": padding})
        )
        found.append(run(torch, attention, [row], (row, row, row), {"attn_mask": wave(torch, 2, 3, 3)}))
    return found


@case
def errors_of_attention(torch):
    nn = torch.nn
    a = nn.MultiheadAttention(4, 2)
    x, z = torch.zeros(3, 2, 4), torch.zeros
    later = mask_of(torch, 3, dtype=torch.float32)
    calls = [
        lambda: nn.MultiheadAttention(5, 2), lambda: nn.MultiheadAttention(0, 2), lambda: nn.MultiheadAttention(4, 0),
        lambda: a(x[0, 0], x, x), lambda: a(x, x[0], x[0]), lambda: a(x[0], x, x), lambda: a(z(3, 2, 6), x, x),
        lambda: a(x, x, z(4, 2, 4)), lambda: a(x, x, x, key_padding_mask=z(3, 2).bool()),
        lambda: a(x, x, x, key_padding_mask=z(2, 3).long()), lambda: a(x, x, x, key_padding_mask=z(2, 3, 1).bool()),
        lambda: a(x, x, x, attn_mask=z(2, 2)), lambda: a(x, x, x, attn_mask=z(3, 3, 3)),
        lambda: a(x, x, x, attn_mask=z(3)), lambda: a(x, x, x, attn_mask=z(3, 3).long()),
        lambda: a(x[0], x[0], x[0], attn_mask=z(3, 2, 2)), lambda: a(x, x, x, is_causal=True),
        lambda: a(x[None], x, x), lambda: a(x, z(4, 3, 4), z(4, 3, 4)),
    ]  # fmt: skip
    return [error(lambda call=call: call() and None) for call in calls] + [
        warned(lambda: a(x, x, x, key_padding_mask=z(2, 3).bool(), attn_mask=later))
    ]


# ---- layers


def layers(torch, kind, d_model=4, heads=2, width=3, **more):
    nn = torch.nn
    for options in (
        {}, {"norm_first": True}, {"batch_first": True}, {"activation": "gelu"}, {"activation": torch.tanh},
        {"activation": nn.SiLU()}, {"bias": False}, {"layer_norm_eps": 1e-2},
    ):  # fmt: skip
        layer = getattr(nn, kind)(d_model, heads, width, dropout=0.0, dtype=torch.float64, **options, **more)
        yield options, settled(torch, layer)


@case
def encoder_layers(torch):
    found = []
    x = wave(torch, 3, 2, 4).requires_grad_()
    for options, layer in layers(torch, "TransformerEncoderLayer"):
        n = 2 if options.get("batch_first") else 3
        found.append([repr(layer), list(layer.state_dict()), layer.activation_relu_or_gelu])
        found.append(run(torch, layer, [x], (x,)))
        mask = mask_of(torch, n)
        hidden = torch.zeros(5 - n, n, dtype=torch.float64)
        hidden[0, -1] = -3
        found.append(
            run(torch, layer, [x], (x,), {"src_mask": mask, "src_key_padding_mask": hidden}, False)
        )
        found.append(run(torch, layer, [x], (x, mask), {"is_causal": True}, False))
        found.append(run(torch, layer, [x], (x[0],), {}, False))
    return found


@case
def decoder_layers(torch):
    found = []
    x = wave(torch, 3, 2, 4).requires_grad_()
    for options, layer in layers(torch, "TransformerDecoderLayer"):
        first = options.get("batch_first")
        memory = wave(torch, *((3, 4, 4) if first else (4, 2, 4)), phase=1).requires_grad_()
        n = 2 if first else 3
        found.append([repr(layer), list(layer.state_dict())])
        found.append(run(torch, layer, [x, memory], (x, memory)))
        masks = {
            "tgt_mask": mask_of(torch, n), "memory_mask": mask_of(torch, n, 4),
            "memory_key_padding_mask": torch.zeros(5 - n, 4, dtype=torch.float64), "tgt_is_causal": True,
        }  # fmt: skip
        found.append(
            run(torch, layer, [x, memory], (x, memory), masks, False)
        )
    return found


# ---- stacks


@case
def encoders(torch):
    nn = torch.nn
    found = []
    x = wave(torch, 2, 3, 4).requires_grad_()
    for options in ({"batch_first": True}, {"batch_first": True, "norm_first": True}, {}):
        layer = nn.TransformerEncoderLayer(4, 2, 3, 0.0, dtype=torch.float64, **options)
        for norm in (None, nn.LayerNorm(4, dtype=torch.float64)):
            encoder = settled(torch, quiet(lambda layer=layer, norm=norm: nn.TransformerEncoder(layer, 2, norm)))
            n = 3 if options else 2
            mask = mask_of(torch, n)
            hidden = torch.zeros(5 - n, n, dtype=torch.bool)
            hidden[0, -1] = True
            found.append([repr(encoder), list(encoder.state_dict()), encoder.use_nested_tensor, encoder.num_layers])
            found.append(run(torch, encoder, [x], (x,)))
            found.append(run(torch, encoder, [x], (x, mask), {}, False))
            found.append(run(torch, encoder, [x], (x, mask), {"is_causal": True}, False))
            found.append(run(torch, encoder, [x], (x,), {"src_key_padding_mask": hidden}, False))
            with torch.no_grad():
                found.append(told(quiet(lambda e=encoder, h=hidden: e.eval()(x, src_key_padding_mask=h))))
                found.append(told(encoder(x, mask)))
    return found


@case
def decoders(torch):
    nn = torch.nn
    found = []
    x, memory = wave(torch, 3, 2, 4).requires_grad_(), wave(torch, 2, 2, 4, phase=1).requires_grad_()
    layer = nn.TransformerDecoderLayer(4, 2, 3, 0.0, dtype=torch.float64)
    for norm in (None, nn.LayerNorm(4, dtype=torch.float64)):
        decoder = settled(torch, nn.TransformerDecoder(layer, 2, norm))
        later = mask_of(torch, 3)
        found.append([repr(decoder), list(decoder.state_dict())])
        found.append(run(torch, decoder, [x, memory], (x, memory)))
        for options in (
            {"tgt_mask": later}, {"tgt_mask": later, "tgt_is_causal": False},
            {"tgt_mask": later, "tgt_is_causal": True},
            {"memory_mask": mask_of(torch, 3, 2)},
            {"memory_mask": mask_of(torch, 3, 2), "memory_is_causal": True},
            {"memory_key_padding_mask": torch.tensor([[False, True], [False, False]])},
        ):  # fmt: skip
            found.append(run(torch, decoder, [x, memory], (x, memory), options, False))
    return found


@case
def whole_transformers(torch):
    nn = torch.nn
    found = []
    for options in ({}, {"batch_first": True, "norm_first": True, "activation": "gelu"}, {"bias": False}):
        net = settled(torch, quiet(lambda o=options: nn.Transformer(4, 2, 1, 2, 3, 0.0, dtype=torch.float64, **o)))
        src, tgt = wave(torch, 2, 2, 4).requires_grad_(), wave(torch, 2, 2, 4, phase=1).requires_grad_()
        found.append([repr(net), list(net.state_dict()), net.d_model, net.nhead, net.batch_first])
        found.append(run(torch, net, [src, tgt], (src, tgt)))
        mask = net.generate_square_subsequent_mask(2, dtype=torch.float64)
        found.append(
            run(torch, net, [src, tgt], (src, tgt), {"src_mask": mask, "tgt_mask": mask, "tgt_is_causal": True})
        )
        found.append(run(torch, net, [src, tgt], (src[0], tgt[0]), {}, False))
    return found


@case
def masks_of_what_comes_later(torch):
    make = torch.nn.Transformer.generate_square_subsequent_mask
    return [make(3).tolist(), str(make(2, dtype=torch.float64).dtype), str(make(2, device="meta").device)]


@case
def initial_values(torch):
    net = quiet(lambda: torch.nn.Transformer(8, 2, 1, 1, 16))
    layer = net.encoder.layers[0]
    return [
        layer.self_attn.in_proj_bias.abs().max().item(), layer.norm1.weight.tolist(), layer.norm1.bias.tolist(),
        bool(layer.linear1.weight.abs().max() <= 0.5),
        bool(layer.self_attn.in_proj_weight.abs().max() <= (6 / 32) ** 0.5),
    ]  # fmt: skip


@case
def layers_are_copies(torch):
    nn = torch.nn
    layer = nn.TransformerEncoderLayer(4, 2, 3, 0.0, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 2)
    x = wave(torch, 2, 3, 4, dtype=torch.float32)
    same = encoder.layers[0].linear1.weight is encoder.layers[1].linear1.weight
    twins = [copy.deepcopy(encoder), pickle.loads(pickle.dumps(encoder))]
    return [
        same, encoder.layers[0] is layer, bool((encoder.layers[0].linear1.weight == layer.linear1.weight).all()),
        [bool((twin(x) == encoder(x)).all()) for twin in twins],
    ]  # fmt: skip


@case
def dropout_of_everything(torch):
    layer = settled(torch, torch.nn.TransformerEncoderLayer(4, 2, 3, dropout=1.0, dtype=torch.float64))
    x = wave(torch, 3, 2, 4)
    return [rounded(layer(x).tolist()), rounded(layer.eval()(x).tolist())]


@case
def custom_parts(torch):
    nn = torch.nn

    class Encoder(nn.Module):
        def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
            return src * 2

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.seen = []
            self.self_attn = nn.MultiheadAttention(4, 2)

        def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
            self.seen.append([src_mask is None, src_key_padding_mask is None, is_causal])
            return src + 1

    net = quiet(lambda: nn.Transformer(4, 2, 1, 1, 3, custom_encoder=Encoder()))
    encoder = quiet(lambda: nn.TransformerEncoder(Layer(), 2))
    out = encoder(torch.zeros(3, 2, 4), mask_of(torch, 3, dtype=torch.float32))
    return [type(net.encoder).__name__, list(net(torch.ones(2, 1, 4), torch.ones(3, 1, 4)).shape), out.sum().item(),
            encoder.layers[0].seen]  # fmt: skip


@case
def errors(torch):
    nn, z = torch.nn, torch.zeros
    layer, decoder = nn.TransformerEncoderLayer(8, 2, 16), nn.TransformerDecoderLayer(8, 2, 16)
    first = quiet(lambda: nn.Transformer(8, 2, 1, 1, 16, batch_first=True))
    net = quiet(lambda: nn.Transformer(8, 2, 1, 1, 16))
    x = z(3, 2, 8)
    calls = [
        lambda: nn.TransformerEncoderLayer(8, 2, 16, activation="tanh"),
        lambda: nn.TransformerDecoderLayer(8, 2, 16, activation="tanh"), lambda: nn.TransformerEncoderLayer(8, 3, 16),
        lambda: first(z(2, 3, 8), z(3, 3, 8)), lambda: first(z(2, 3, 8), z(2, 3, 7)), lambda: net(x, z(2, 4, 8)),
        lambda: net(x, z(5, 8)), lambda: layer(x, src_mask=z(2, 2)),
        lambda: layer(x, src_key_padding_mask=z(3, 2).bool()), lambda: layer(x, src_key_padding_mask=z(2, 3).long()),
        lambda: layer(x, src_mask=z(3, 3).long()), lambda: layer(x, is_causal=True), lambda: layer(x[0, 0]),
        lambda: layer(x[None]), lambda: layer(z(3, 2, 6)), lambda: decoder(x, z(4, 3, 8)),
        lambda: decoder(x, z(4, 2, 6)), lambda: decoder(x, x, memory_is_causal=True),
    ]  # fmt: skip
    return [error(lambda call=call: call() and None) for call in calls]


@case
def warnings_given(torch):
    nn, z = torch.nn, torch.zeros
    odd = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    odd.norm1.eps = 1e-3
    given = [
        nn.TransformerEncoderLayer(8, 2, 16), nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), odd,
        nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True), nn.Linear(2, 2),
        nn.TransformerEncoderLayer(9, 3, 16, batch_first=True),
        nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, bias=False),
        nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, activation=torch.tanh),
    ]  # fmt: skip
    layer, x = given[0], z(3, 2, 8)
    return [
        [warned(lambda layer=layer: nn.TransformerEncoder(layer, 1)) for layer in given],
        warned(lambda: layer(x, src_mask=z(3, 3), src_key_padding_mask=z(2, 3).bool())),
        warned(lambda: nn.Transformer(8, 2, 1, 1, 16)),
    ]


@case
def causal_masks_print_as_tensors(torch):
    bias = importlib.import_module(f"{torch.__name__}.nn.attention.bias")
    return [str(bias.causal_lower_right(2, 3)), str(bias.causal_upper_left(2, 3))]
