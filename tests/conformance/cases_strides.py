"""How results lie in memory: in which order of dimensions, and by which strides along those of size 1."""

from __future__ import annotations

import itertools

from tests.conformance.observe import case


def _odd(torch):
    """Tensors whose strides along dimensions of size 1, or that were broadcast, do not follow from their shapes."""
    return [
        torch.zeros(3, 1, 1, 1).swapdims(1, 3).swapdims(0, 2), torch.zeros(2, 3).T[None], torch.zeros(1, 2).T,
        torch.zeros(3).as_strided((2, 3, 2, 1), (0, 1, 0, 3)), torch.zeros(2, 3, 4, 1).permute(2, 0, 3, 1),
        torch.zeros(3, 2).t()[None].expand(3, 1, 2, 3), torch.zeros(2, 1, 1).movedim(0, 2), torch.zeros(1, 3)[:, :1],
        torch.zeros(2, 3, 1).permute(1, 2, 0),
    ]  # fmt: skip


@case
def read_by_indices_beside_none(torch):
    y = torch.zeros(4, 3, 2).permute(2, 1, 0)
    one, two, pair = torch.tensor([1]), torch.tensor([1, 0]), torch.tensor([[0, 1]])
    keys = [
        (None, two), (None, slice(None), two), (slice(None), None, two), (two, None, two), (None, two, None), (pair,),
        (None, None, one, two), (None, one, two), (None, None, two), (slice(None), pair), (one, slice(None), pair),
        (None, one), (None, pair.T), (pair.T, None),
    ]  # fmt: skip
    tensors = [y, y[..., None], torch.zeros(4, 2, 2)]
    small = torch.zeros(2, 3).T[:, :, None][:, :1]
    found = [[list(t[key].stride()) for key in keys] for t in tensors]
    return found, [list(small[key].stride()) for key in ((None, two), (two,), (slice(None), None, one - 1))]


@case
def results_of_two_operands(torch):
    sources = [*_odd(torch), torch.zeros(2, 3, 3), torch.zeros(1, 1), torch.zeros(3), torch.zeros(3, 1, 2)]
    found = []
    for i, x in enumerate(sources):
        for y in sources[i % 2 :: 2]:
            try:
                results = x + y, y * x, torch.maximum(x, y), torch.where(x > y, x, y)
                found.append([[s for s, n in zip(r.stride(), r.shape) if n > 1] for r in results])
            except RuntimeError:
                found.append(None)
    return found


@case
def results_of_one_operand(torch):
    functions = [
        lambda x: x.exp(), lambda x: x * 2, lambda x: 2**x, lambda x: x**2, lambda x: x.to(torch.float64),
        lambda x: x.clone(), torch.zeros_like, lambda x: x.sigmoid(), torch.nn.functional.logsigmoid, lambda x: x > 0,
        torch.nn.functional.hardtanh, lambda x: x.frexp()[0], lambda x: torch.nn.functional.prelu(x, torch.ones(1)),
        lambda x: x.clamp(0, 1), lambda x: x.isinf(), lambda x: x.to(torch.complex64).angle(), lambda x: x.angle(),
        lambda x: x.masked_fill(x > 0, 1.0), lambda x: x.nan_to_num(),
    ]  # fmt: skip
    shown = [[[s for s, n in zip(f(x).stride(), x.shape) if n > 1] for f in functions] for x in _odd(torch)]
    dense = [x for x in _odd(torch) if 0 not in x.stride()]
    return shown, [[list(f(x).stride()) for f in (torch.clone, lambda x: x.to(torch.float64))] for x in dense]


@case
def results_in_tensors_that_were_resized(torch):
    sources = [
        torch.zeros(2, 3, 4).permute(2, 0, 1), torch.zeros(2, 3, 8)[:, :, ::2].transpose(0, 2),
        torch.zeros(1, 1, 4, 12)[:, :, :, ::2].permute(2, 3, 0, 1), torch.zeros(4, 1, 3).permute(1, 2, 0),
        torch.zeros(5, 3, 1, 1).to(memory_format=torch.channels_last), torch.zeros(1, 1), torch.zeros(3, 0, 1).mT,
    ]  # fmt: skip
    found = []
    for x in sources:
        for device in ("cpu", "meta"):
            x = x.to(device)
            out, wide = torch.empty(0, device=device), torch.empty(0, device=device, dtype=torch.float64)
            flags = torch.empty(0, device=device, dtype=torch.bool)
            made = torch.add(x, x, out=out), torch.exp(x, out=wide), torch.eq(x, x[..., :1], out=flags)
            found.append([list(t.stride()) for t in made])
    kept = torch.arange(20.0)
    out = torch.add(torch.arange(6.0).view(1, 2, 3).permute(2, 0, 1), 30, out=kept[:0])
    return found, out.tolist(), list(out.stride()), kept.tolist()


@case
def elements_of_given_ranks_lie_row_by_row(torch):
    x = torch.arange(24.0).reshape(2, 3, 4).sin()
    found = {}
    for order in itertools.permutations(range(3)):
        for dim in range(3):
            y = x.permute(order)
            for name in ("median", "nanmedian", "mode"):
                for keepdim in (False, True):
                    found[f"{order} {dim} {name} {keepdim}"] = [t.stride() for t in getattr(y, name)(dim, keepdim)]
    return found
