"""``vmap`` and what it meets: operators whose results vary from item to item, random numbers, views in forward mode."""

from __future__ import annotations

import warnings

from .cases_func import seen
from .observe import case


def without_warnings(f):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return f()


@case
def results_of_varying_shape(torch):
    """Those that PyTorch calls for each item are joined, if they can be."""
    vmap = torch.func.vmap
    even, uneven = torch.tensor([[1, 0, 2], [0, 3, 4]]), torch.tensor([[1, 0, 2], [0, 0, 4]])
    functions = (
        torch.argwhere, lambda x: x.bincount(minlength=5), lambda x: torch.repeat_interleave(x, output_size=None),
    )  # fmt: skip
    of_mask = (lambda x: x[x > 0], lambda x: x.masked_select(x > 0))
    refused = (torch.nonzero, torch.unique, torch.unique_consecutive, *of_mask)
    return [
        without_warnings(lambda: seen(torch, lambda: vmap(f)(x)))  # noqa: B023
        for f, inputs in [*((f, (even, uneven)) for f in functions), *((f, (uneven,)) for f in refused)]
        for x in inputs
    ]


@case
def indices_that_are_mapped(torch):
    vmap = torch.func.vmap
    x, i = torch.arange(24.0).reshape(2, 2, 3, 2), torch.tensor([[0, 1], [1, 1]])
    mask = torch.tensor([True, False])

    def write(x, *index):
        x = x.clone()
        x[index] = -1.0
        return x

    return seen(
        torch,
        lambda: vmap(lambda x, i: x[mask, i])(x, i),
        lambda: vmap(lambda x, i: x[:, i])(x, i),
        lambda: vmap(lambda x, i: x[i, :, i])(x, i),
        lambda: vmap(lambda x, i: write(x, slice(None), i))(x, i),
        lambda: vmap(lambda x, i: write(x, i, slice(None), i))(x, i),
        lambda: vmap(lambda x, i: write(x, slice(None), i, torch.tensor([1, 0])))(x, i),
        lambda: vmap(lambda x, i: write(x, i, None, 1))(x, i),
    )


@case
def numbers_drawn_by_items(torch):
    vmap, F = torch.func.vmap, torch.nn.functional
    weights, one = torch.tensor([[0.1, 0.5, 0.4], [0.3, 0.3, 0.4]]), torch.full((1, 4), 0.5)
    functions = (
        lambda x: torch.multinomial(x, 2),
        lambda x: torch.multinomial(x, 4, replacement=True),
        lambda x: x.clone().bernoulli_(x),
        lambda x: torch.multinomial(one[0], 2) + x.sum(),
        lambda x: F.dropout(one) + x.sum(),
        lambda x: F.dropout(one),
        lambda x: F.dropout1d(one),
        lambda x: F.dropout2d(one[None, None]),
        lambda x: F.alpha_dropout(one),
        lambda x: torch.dropout(x, 0.5, True),
    )
    found = []
    for how in ("error", "same", "different"):
        for f in functions:
            torch.manual_seed(3)
            found.append(seen(torch, lambda: vmap(f, randomness=how)(weights)))  # noqa: B023
    return found


@case
def diagonals_of_views_in_forward_mode(torch):
    func = torch.func
    x = torch.arange(1.0, 7.0).reshape(3, 2)

    def filled(x, wrap=False):
        x = torch.stack([x, x + 1]) * 1
        x[1, 1:].fill_diagonal_(0.5, wrap)
        x[-1:, 2:, 1].fill_diagonal_(7.0)
        return x

    def tall(x):
        x = x.repeat(3, 1)
        x[1:].fill_diagonal_(0.5, wrap=True)
        return x

    return seen(
        torch,
        *(lambda f=f: func.jvp(f, (x,), (x,)) for f in (filled, tall)),
        *(lambda f=f: without_warnings(lambda: func.vmap(f)(torch.stack([x, x * 2]))) for f in (filled, tall)),
        *(lambda f=f: func.grad(lambda x: (f(x) * torch.arange(12.0).reshape(f(x).shape)).sum())(x) for f in (filled,)),
        lambda: without_warnings(lambda: func.vmap(lambda x: func.jvp(filled, (x,), (x,))[1])(torch.stack([x, x * 2]))),
    )


@case
def linearized_although_reverse_mode_refuses(torch):
    x = torch.arange(1.0, 5.0).reshape(2, 2)

    def parts(x):
        y = x * 2
        first, second = y.unbind()
        y.add_(1)
        return first * 3 + second

    def kept(x):
        y = x * 2
        with torch.no_grad():
            view = y[0]
        view.mul_(1)
        return y.sum()

    def slopes(f):
        return without_warnings(lambda: torch.func.linearize(f, x)[1](x.cos()))

    return seen(torch, lambda: slopes(parts), lambda: slopes(kept))
