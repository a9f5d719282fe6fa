"""Layers with inputs of wrong dtypes, shapes and classes: what is said of them, and in which order it is asked."""

from __future__ import annotations

import warnings
from functools import partial

from .observe import case, error, see

SHAPES = [(), (4,), (2, 4), (2, 4, 4), (2, 3, 4), (2, 4, 4, 4), (2, 4, 4, 4, 4)]
DTYPES = ["float32", "float64", "int64", "bool", "complex64"]


def answer(torch, call):
    """The shape and dtype of what comes out, or what is raised: its class and the beginning of its sentence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = call()
        except Exception as e:
            return f"{type(e).__name__}: {' '.join(str(e).split())[:90]}"
    return [list(found.shape), str(found.dtype)] if isinstance(found, torch.Tensor) else type(found).__name__


def answers(torch, make, calls):
    """Of one layer, for inputs of all shapes and dtypes; ``calls`` say what goes with the input."""
    found = {}
    for shape in SHAPES:
        for dtype in DTYPES:
            x = (torch.arange(max(torch.Size(shape).numel(), 1)).reshape(shape) % 3).to(getattr(torch, dtype))
            for name, call in calls.items():
                found[f"{dtype}{list(shape)} {name}"] = answer(torch, lambda: call(make(), x))  # noqa: B023
    return found


ALONE = {"": lambda m, x: m(x)}


@case
def bilinear_layers_refuse(torch):
    calls = {"": lambda m, x: m(x, x), "other": lambda m, x: m(x, torch.ones(2, 4))}
    return answers(torch, lambda: torch.nn.Bilinear(4, 4, 3), calls)


@case
def convolutions_refuse(torch):
    nn = torch.nn
    return [answers(torch, partial(cls, 4, 3, 2), ALONE) for cls in (nn.Conv1d, nn.Conv2d, nn.Conv3d)]


@case
def transposed_convolutions_refuse(torch):
    nn, F = torch.nn, torch.nn.functional
    layers = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
    x, w, b = torch.ones(1, 1, 4), torch.ones(1, 1, 2), torch.ones(1)
    calls = [
        lambda: F.conv_transpose1d(x, w, b.double()), lambda: F.conv_transpose1d(x.double(), w.double(), b),
        lambda: F.conv_transpose1d(x.long(), w.long(), b), lambda: F.conv_transpose1d(x, w, b.long()),
        lambda: F.conv_transpose3d(x[..., None, None], w[..., None, None], b.double()),
    ]  # fmt: skip
    return [[answers(torch, partial(cls, 4, 3, 2), ALONE) for cls in layers], [answer(torch, call) for call in calls]]


@case
def normalizations_refuse(torch):
    nn = torch.nn
    makes = (lambda: nn.LayerNorm(4), lambda: nn.GroupNorm(2, 4), lambda: nn.RMSNorm(4), lambda: nn.LayerNorm((4, 4)))
    return [answers(torch, make, ALONE) for make in makes]


@case
def mirrors_of_booleans_are_refused(torch):
    layers = [f"{kind}Pad{n}d" for kind in ("Reflection", "Replication", "Circular") for n in (1, 2, 3)]
    return [answers(torch, lambda: getattr(torch.nn, name)(1), ALONE) for name in layers]  # noqa: B023


@case
def losses_refuse(torch):
    found = {}
    for name in ("KLDivLoss", "SoftMarginLoss", "BCELoss", "NLLLoss"):
        calls = {
            "itself": lambda m, x: m(x, x), "classes": lambda m, x: m(x, torch.zeros(2, dtype=torch.long)),
            "floats": lambda m, x: m(x, torch.ones(2, 4)), "three": lambda m, x: m(x, torch.ones(3)),
        }  # fmt: skip
        found[name] = answers(torch, getattr(torch.nn, name), calls)
    return found


@case
def losses_of_sequences_refuse(torch):
    F, labels = torch.nn.functional, torch.ones(4, 1, dtype=torch.long)
    shapes = [(4,), (2, 2, 4, 4), (2, 0, 4), (0, 4), (2, 4, 0), (4, 4, 3)]
    return [
        answer(torch, lambda: F.ctc_loss(torch.ones(s).to(d), labels, (2,) * 4, (1,) * 4))  # noqa: B023
        for s in shapes
        for d in (torch.float32, torch.int64)
    ]


@case
def layers_of_what_is_no_tensor(torch):
    nn = torch.nn
    makes = (nn.Sigmoid, nn.Tanh, nn.ReLU, nn.GELU, lambda: nn.Linear(4, 3), lambda: nn.LayerNorm(4), nn.GLU)
    return [answer(torch, lambda: make()(bad)) for make in makes for bad in (None, "abc", [1.0], 3.5)]  # noqa: B023


@case
def states_of_a_cell_are_two(torch):
    cell, x = torch.nn.LSTMCell(4, 3), torch.ones(2, 4)
    states = (torch.ones(3), torch.ones(2, 3), torch.ones(2, 5), (torch.ones(2, 3), torch.ones(2, 3)), (), (x, x, x))
    return [answer(torch, lambda: cell(given, hx)) for given in (x, x[0]) for hx in states]  # noqa: B023


@case
def bags_of_embeddings_by_the_operator(torch):
    """``torch.embedding_bag``, below what ``nn.functional`` checks."""
    weight, index, starts = torch.arange(12.0).reshape(4, 3), torch.tensor([0, 1, 3, 3]), torch.tensor([0, 2])
    bags, several = torch.embedding_bag, (False, 0, False)
    calls = [
        lambda: bags(weight, index, starts), lambda: bags(weight, index.reshape(2, 2), starts),
        lambda: bags(weight, index, starts, False, 1), lambda: bags(weight, index, starts, False, 2),
        lambda: bags(weight, index, starts, *several, torch.arange(4.0)), lambda: bags(weight, index[0], starts),
        lambda: bags(weight, index[None, None], starts), lambda: bags(weight, index, starts[None]),
        lambda: bags(weight, index, starts[0]), lambda: bags(weight[0], index, starts),
        lambda: bags(weight[None], index, starts), lambda: bags(weight, index, starts.float()),
        lambda: bags(weight, index.float(), starts), lambda: bags(weight, index, starts, False, 5),
        lambda: bags(weight, index, starts, *several, torch.ones(3)),
        lambda: bags(weight, index, starts, *several, torch.ones(2, 2)),
        lambda: bags(weight, index, starts, False, 1, False, torch.ones(4)),
    ]  # fmt: skip
    return [error(lambda call=call: [see(torch, t) for t in call()]) for call in calls]
