"""Masked tensors: how they print, what functions make of their masks, and their gradients."""

from __future__ import annotations

import functools
import warnings
from typing import Any

from .observe import case, error, see, warned


def quiet(fn: Any) -> Any:
    """Without the warning that masked tensors are a prototype."""

    @functools.wraps(fn)
    def call(*args: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return fn(*args)

    return call


def three(torch: Any) -> Any:
    """Two masked tensors of one mask, and one of the other."""
    data, mask = torch.tensor([1.5, -2.25, 3.0]), torch.tensor([True, False, True])
    make = torch.masked.masked_tensor
    return make(data, mask), make(data + 1, mask), make(data, ~mask)


def square(torch: Any) -> Any:
    data = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]])
    mask = torch.tensor([[True, False, True], [False, True, True]])
    return torch.masked.masked_tensor(data, mask, requires_grad=True)


@case
@quiet
def printing(torch):
    make = torch.masked.masked_tensor
    data = torch.arange(12).reshape(2, 2, 3)
    made = [
        make(data.float() * 1000, data % 2 == 0), make(data, data % 3 == 0), make(data > 5, data > 2),
        make(torch.tensor(2.5), torch.tensor(True)), make(torch.tensor(2), torch.tensor(False)),
        make(torch.tensor([100000.5, 1.0]), torch.tensor([True, False])),
    ]  # fmt: skip
    return [repr(t) for t in made] + [str(made[0])]


@case
@quiet
def data_and_mask(torch):
    a, _, _ = three(torch)
    kinds = [type(a).__name__, type(a.get_data()).__name__, torch.masked.is_masked_tensor(a)]
    facts = [list(a.shape), str(a.dtype), a.dim(), a.numel(), a.requires_grad, a.is_contiguous(), str(a.layout), len(a)]
    return [kinds, facts, a.get_data().tolist(), a.get_mask().tolist(), a.to_tensor(-1.0).tolist()]


@case
@quiet
def a_copy_of_the_data(torch):
    data, mask = torch.ones(2), torch.tensor([True, False])
    made = torch.masked.masked_tensor(data, mask)
    data.zero_()
    mask.logical_not_()
    return repr(made)


@case
def warnings_when_they_are_made(torch):
    mask = torch.tensor([True])
    with_history = warned(lambda: torch.masked.masked_tensor(torch.ones(1, requires_grad=True), mask))
    return [warned(lambda: torch.masked.masked_tensor(torch.ones(1), mask)), with_history]


@case
@quiet
def what_is_refused(torch):
    make = torch.masked.masked_tensor
    data, mask = torch.ones(3), torch.tensor([True, False, True])
    masked = three(torch)[0]
    wrong = [(1, mask), (data, 1), (data, data), (data, mask[:2]), (data, mask[None]), (data.to(torch.complex64), mask),
             (data.bfloat16(), mask), (masked, mask), (data, masked)]  # fmt: skip
    return [error(lambda pair=pair: make(*pair)) for pair in wrong]


@case
@quiet
def functions_of_one(torch):
    a, _, _ = three(torch)
    names = "abs sqrt exp log neg floor sign square sigmoid tanh reciprocal isnan nan_to_num round signbit".split()
    made = [getattr(torch, name)(a) for name in names] + [-a, a**2, a.clamp(0, 2), a.pow(3), a.double()]
    made.append(a.to(torch.int64))
    return [repr(t) for t in [*made, a.clone(), a.detach(), torch.ones_like(a), a.contiguous()]]


@case
@quiet
def functions_of_two(torch):
    a, b, c = three(torch)
    plain = torch.tensor([2.0, 2.0, 4.0])
    made = [
        a + b, a * b, a / b, a - b, a * 2, a + plain, plain * a, a < b, a == b, a >= 1, torch.maximum(a, b), a % 2,
        a // 2, torch.logaddexp(a, b), torch.atan2(a, b), torch.fmin(a, plain),
    ]  # fmt: skip
    return [[repr(t) for t in made], error(lambda: a + c), error(lambda: a.mul(c))]


@case
@quiet
def changes_in_place(torch):
    a, b, _ = three(torch)
    return [a.sin_() is a, repr(a), repr(a.add_(b)), repr(a.mul_(2)), error(lambda: a.sub_(three(torch)[2]))]


@case
@quiet
def parts(torch):
    a, b, _ = three(torch)
    z = square(torch).detach()
    made = [
        a[0], a[1], a[1:], z[0], z[:, 1:], z[1, 2], z.t(), z.transpose(0, 1), a.unsqueeze(0), a.view(3, 1),
        z.reshape(3, 2), torch.stack([a, b]), torch.cat([a, b]), a.expand(2, 3), *a.split(2), z[torch.tensor([1, 0])],
    ]  # fmt: skip
    return [repr(t) for t in made]


@case
@quiet
def reductions(torch):
    z = square(torch).detach()
    empty = torch.masked.masked_tensor(z.get_data(), torch.zeros(2, 3, dtype=torch.bool))
    made = []
    for name in "sum mean amax amin prod var argmax argmin".split():
        made += [getattr(z, name)(), getattr(torch, name)(z, 0), getattr(z, name)(1, keepdim=True)]
    made += [empty.sum(), empty.sum(0), (z > 2).all(), (z > 2).all(0), z.sum(dim=(0, 1)), z.mean(dim=-1)]
    return [repr(t) for t in made] + [z.sum().item(), error(lambda: z[0, 1].item())]


@case
@quiet
def choices(torch):
    a, _, c = three(torch)
    plain, condition = torch.tensor([7.0, 8.0, 9.0]), torch.tensor([True, True, False])
    made = [torch.where(condition, a, c), torch.where(condition, a, plain), torch.where(condition, plain, a)]
    return [repr(t) for t in made]


@case
@quiet
def softmax(torch):
    z = square(torch).detach()
    return [repr(torch.softmax(z, 1)), repr(z.softmax(0))]


def gradient_of(torch: Any, function: Any) -> list[str]:
    z = square(torch)

    result = function(z)
    result.backward()
    return [repr(result), repr(z.grad), type(z.grad).__name__]


@case
@quiet
def gradients(torch):
    functions = [
        lambda z: z.sum(), lambda z: (z * z).sum(), lambda z: z.mean(), lambda z: z.exp().sum(), lambda z: z[0].sum(),
        lambda z: z.amax(), lambda z: (z / 3).sum(1).sum(), lambda z: z.var(), lambda z: (z - 1).abs().sum(),
        lambda z: z.softmax(0).sum(), lambda z: z.view(-1).sum(), lambda z: z.pow(3).sum(), lambda z: z.sqrt().sum(),
        lambda z: z.get_data().sum(), lambda z: z.to_tensor(0).sum(), lambda z: (z + z).sum(), lambda z: z[:, 1:].sum(),
        lambda z: torch.cat([z, z]).sum(), lambda z: z.sum(0).sum(), lambda z: z.transpose(0, 1).sum(),
    ]  # fmt: skip
    return [gradient_of(torch, function) for function in functions]


@case
@quiet
def gradients_that_count_only_where_they_were_chosen(torch):
    x = torch.tensor([-10.0, -5.0, 0.0, 5.0, 100.0])
    mask = x < 0

    mx = torch.masked.masked_tensor(x, mask, requires_grad=True)
    my = torch.masked.masked_tensor(torch.ones_like(x), ~mask, requires_grad=True)
    torch.where(mask, torch.exp(mx), my).sum().backward()
    a = torch.masked.masked_tensor(torch.tensor(0.5), torch.tensor(True), requires_grad=True)
    chosen = torch.where(torch.tensor(False), a / 0, torch.ones(()))
    return [repr(mx.grad), repr(my.grad), repr(chosen), repr(torch.autograd.grad(chosen, a))]


@case
@quiet
def gradients_of_a_tensor_under_a_mask(torch):
    x = torch.tensor([1.0, 1.0], requires_grad=True)
    divisor = torch.tensor([0.0, 1.0])

    loss = torch.masked.as_masked_tensor(x / divisor, divisor != 0)
    loss.sum().backward()
    return [repr(loss), repr(x.grad), type(x.grad).__name__]


@case
def medians_under_masks_keep_the_dtype_of_floats(torch):
    x, mask = torch.tensor([[1, 2, 3], [6, 5, 4]]), torch.tensor([[True, False, True], [True, True, True]])
    median, nothing = torch.masked.median, torch.tensor([[True, False, True], [False, False, False]])
    found = [
        median(x, 1, mask=mask), median(x, 1, mask=mask, dtype=torch.float64), median(x.half(), 1, dtype=torch.float64),
        median(x.bool(), 1),
    ]  # fmt: skip
    return [*map(str, found), error(lambda: median(x, 1, mask=nothing))]


@case
def normalizing_under_masks_takes_several_dimensions(torch):
    x, mask = torch.tensor([[1.0, 2, 3], [6, 5, 4]]), torch.tensor([[True, False, True], [True, True, True]])
    normalize = torch.masked.normalize
    return [str(normalize(x, 2, dim, mask=mask)) for dim in ((0, 1), None, [], 1)]


@case
def reductions_under_masks_refuse_what_is_no_dtype_or_dimension(torch):
    x, m = torch.tensor([[1.0, 2, 3], [6, 5, 4]]), torch.masked
    calls = (
        lambda: m.amax(x, 0, dtype=[]),
        lambda: m.sum(x, 0, dtype=1.5),
        lambda: m.sum(x, 1.5),
        lambda: m.sum(x, (0, 0)),
        lambda: m.var(x, 0, unbiased=True, correction=1),
        lambda: m.norm(x, "abc", 0),
        lambda: m.argmax(x, "abc"),
        lambda: m.logsumexp(x, 0, keepdim=2),
    )
    return [error(call) for call in calls]


@case
def masks_in_the_shape_of_the_input(torch):
    x, m = torch.arange(6).reshape(2, 3), torch.masked
    masks = (
        torch.tensor([True, False, True]), torch.tensor([[True], [False]]), torch.tensor([[1.0, 0, 2], [0, 0, 1]]),
        torch.ones(4, dtype=torch.bool), torch.ones(1, 2, 3, dtype=torch.bool), None,
    )  # fmt: skip
    dims = ((None, 3), (-1, 3), ((0, -1), 3), ((0, 0), 3), (5, 3), ((), 3), (0, 0), ([2, 0], 3))
    found = [error(lambda mask=mask: m._input_mask(x, 0, keepdim=True, mask=mask).tolist()) for mask in masks]
    return [found, [error(lambda given=given: list(m._canonical_dim(*given))) for given in dims]]


@case
def reductions_of_a_number_along_its_dimension(torch):
    x, m = torch.tensor(2.0, requires_grad=True), torch.masked
    names = ("sum", "prod", "mean", "amax", "amin", "var", "std", "logsumexp", "cumsum", "cumprod", "softmax")
    found = []
    for name in names:
        for dim in (0, -1) if name in ("cumsum", "cumprod", "softmax") else (0, -1, (), (0,), None):
            options = {"unbiased": False} if name in ("var", "std") else {}
            found.append((name, dim, error(lambda n=name, d=dim, o=options: told(getattr(m, n)(x, d, **o)))))
    whole = torch.tensor(3, dtype=torch.int32)
    return [found, [str(m.prod(whole, *given).dtype) for given in ((), (0,), ((),))]]


def told(result):
    return [result.tolist(), type(result.grad_fn).__name__]


@case
def where_results_count(torch):
    m = torch.masked
    x, mask = torch.arange(6.0).reshape(2, 3), torch.tensor([[True, False, False], [False, False, False]])
    found = [
        m._output_mask(m.sum, x, 1, mask=mask), m._output_mask(m.sum, x, mask=mask),
        m._output_mask(m.mean, x, (0, 1), keepdim=True, mask=mask), m._output_mask(m.norm, x, 2.0, -1, mask=mask),
        m._output_mask(m.softmax, x, 0, mask=mask[0]), m._output_mask(m.amax, x, dim=0, mask=mask),
    ]  # fmt: skip
    refused = lambda: m._output_mask(3, x, mask=mask), lambda: m._output_mask(m.sum, x, 1)
    return [see(torch, found), *(error(f) for f in refused)]
