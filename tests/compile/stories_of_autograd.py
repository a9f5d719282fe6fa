"""Stories about gradients, memory and training: what is changed between calls, and what a function leaves behind."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import facula as torch
from facula import nn
from facula.nn.utils import parametrizations, parametrize
from facula.optim.swa_utils import AveragedModel
from facula.utils.checkpoint import checkpoint

from .stories import attempted, story

Compiled = Callable[..., Any]


def leaf(*values: float) -> Any:
    return torch.tensor(values, requires_grad=True)


@story
def small_whole_numbers_wrap(compiled: Compiled, note: Compiled) -> None:
    fast = compiled(lambda x: ((x * x + 0.5).log1p(), (x * x) // 3, -(x * x) > 0, ~(x + x)))
    for dtype in (torch.int8, torch.uint8, torch.int16, torch.int32):
        for _ in range(2):
            note(fast(torch.tensor([3, 100, 90, 17], dtype=dtype)))


@story
def gradients_that_are_given_to_tensors(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any) -> Any:
        x.grad = torch.ones_like(x)
        y, z = x * 2, x[:1]
        y.grad = z.grad = None
        return y

    def of_results(x: Any, of_view: bool) -> Any:
        y = x[:1] if of_view else x * 2
        y.grad = y.detach().clone()
        return y

    fast, other = compiled(fn), compiled(of_results)
    for x in (torch.tensor([1, 2]), torch.ones(2), torch.ones(2), torch.ones(2) * 3):
        note(fast(x), x, other(x, False), other(x, True))


@story
def packed_tensors_that_cannot_be_unpacked(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any) -> Any:
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: 1):
            return x * x

    fast = compiled(fn)
    for _ in range(2):
        y = fast(leaf(1.0, 2.0))
        note(y, attempted(y.sum().backward))


@story
def storages_that_are_written_to(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any) -> Any:
        y = x * 2
        y.untyped_storage().fill_(0)
        x.untyped_storage().fill_(0)
        return y

    fast = compiled(fn)
    for _ in range(3):
        x = torch.ones(2)
        note(fast(x), x)


@story
def elements_seen_as_others(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any) -> Any:
        y = x * 2
        return y, y.view(torch.int32)

    fast = compiled(fn)
    for i in range(3):
        y, bits = fast(torch.full((2,), float(i)))
        bits.add_(1)
        note(y, bits)


@story
def gradients_that_are_changed_in_place(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any) -> Any:
        g = torch.autograd.grad(x[None].sum() ** 2, x)[0]
        g.index_fill_(0, torch.tensor([0]), leaf(1.5).sum())
        return g * 2

    fast = compiled(fn)
    for _ in range(3):
        note(fast(leaf(1.0, 2.0)))


@story
def requires_grad_comes_and_goes(compiled: Compiled, note: Compiled) -> None:
    layer = nn.Linear(2, 2)
    fast = compiled(lambda x: layer(x).sum())
    for weight, bias, given in ((True, True, False), (False, True, True), (False, False, False), (True, False, True)):
        layer.weight.requires_grad_(weight)
        layer.bias.requires_grad_(bias)
        layer.zero_grad()
        x = torch.ones(2, requires_grad=given)
        y = fast(x)
        note(y, str(attempted(y.backward)).partition("\n")[0], x, layer.weight, layer.bias)


@story
def modes_outside(compiled: Compiled, note: Compiled) -> None:
    w = leaf(1.0, 2.0)
    fast = compiled(lambda x: (x * w, torch.is_grad_enabled(), torch.mm(w[None], w[:, None])))
    modes = (torch.enable_grad, torch.no_grad, torch.enable_grad, lambda: torch.autocast("cpu", torch.bfloat16))
    for mode in (*modes, *modes):
        with mode():
            note(fast(torch.ones(2)))
    with torch.inference_mode():
        note(fast(torch.ones(2))[0].is_inference())
    torch.set_default_dtype(torch.float64)
    note(compiled(lambda: torch.ones(2) * 1.5)())
    torch.set_default_dtype(torch.float32)
    note(fast(torch.ones(2)))


@story
def train_and_eval(compiled: Compiled, note: Compiled) -> None:
    module = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Dropout(0.5))
    fast, x = compiled(module), torch.randn(4, 2)
    for is_training in (True, False, True, True, False):
        module.train(is_training)
        note(fast(x), module[1].running_mean, module[1].num_batches_tracked)
    module[1].momentum = 0.5
    module.train()
    note(fast(x), module[1].running_var)
    module[1].eval()
    note(fast(x), module[1].running_var)


@story
def buffers_and_parameters_that_are_exchanged(compiled: Compiled, note: Compiled) -> None:
    class Own(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(2))
            self.register_buffer("shift", torch.zeros(2))

        def forward(self, x: Any) -> Any:
            return x * self.weight + (0 if self.shift is None else self.shift)

    module = Own()
    fast, x = compiled(module), torch.ones(2)
    note(fast(x))
    for change in (
        lambda: module.register_buffer("shift", torch.ones(2)), lambda: module._buffers.__setitem__("shift", None),
        lambda: setattr(module, "weight", nn.Parameter(torch.full((2,), 3.0))),
        lambda: module.load_state_dict({"weight": torch.full((2,), 4.0)}),
        lambda: module.load_state_dict({"weight": torch.full((2,), 5.0)}, assign=True),
        lambda: setattr(module.weight, "data", torch.full((2,), 6.0)), lambda: module.double(), lambda: module.float(),
        lambda: module.weight.data.mul_(2), lambda: delattr(module, "shift"),
    ):  # fmt: skip
        change()
        note(attempted(fast, x))


@story
def hooks_that_come_and_go(compiled: Compiled, note: Compiled) -> None:
    layer = nn.Linear(2, 1)
    fast, x = compiled(layer), torch.ones(2)

    def look() -> None:
        layer.zero_grad()
        fast(x).sum().backward()
        note(fast(x), layer.weight, layer.bias)

    look()
    for attach in (
        lambda: layer.register_forward_hook(lambda m, a, y: y * 2),
        lambda: layer.register_forward_pre_hook(lambda m, a: (a[0] * 3,)),
        lambda: layer.register_full_backward_hook(lambda m, gi, go: None),
        lambda: layer.weight.register_hook(lambda g: g * 5),
        lambda: layer.weight.register_post_accumulate_grad_hook(lambda p: setattr(p, "grad", p.grad * 7)),
    ):
        handle = attach()
        look()
        handle.remove()
        look()


@story
def weights_that_are_tied(compiled: Compiled, note: Compiled) -> None:
    a, b = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
    fast = compiled(lambda x: b(a(x)).sum())
    for tied in (False, True, False):
        b.weight = a.weight if tied else nn.Parameter(torch.eye(2))
        a.zero_grad()
        fast(torch.ones(2)).backward()
        note(fast(torch.ones(2)), a.weight, b.weight)


@story
def parametrizations_that_come_and_go(compiled: Compiled, note: Compiled) -> None:
    layer = nn.Linear(2, 2)
    fast, x = compiled(layer), torch.ones(2)
    note(fast(x))
    parametrizations.weight_norm(layer)
    note(fast(x))
    with torch.no_grad():
        layer.parametrizations.weight.original0.mul_(2)
    note(fast(x))
    parametrize.remove_parametrizations(layer, "weight")
    note(fast(x))


@story
def optimizers_whose_groups_change(compiled: Compiled, note: Compiled) -> None:
    a, b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
    for kind in (torch.optim.SGD, torch.optim.AdamW):
        optimizer = kind([a], lr=0.1)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)

        def step(optimizer: Any = optimizer) -> Any:
            optimizer.zero_grad()
            loss = (a * b).sum()
            loss.backward()
            optimizer.step()
            return loss

        fast = compiled(step)
        for i in range(7):
            if i == 3:
                optimizer.add_param_group({"params": [b], "lr": 0.5})
            if i == 5:
                optimizer.param_groups[0]["weight_decay"] = 0.1
            note(fast(), a, b, scheduler.get_last_lr())
            scheduler.step()


@story
def averages_of_models(compiled: Compiled, note: Compiled) -> None:
    model = nn.Linear(2, 2)
    average = AveragedModel(model, avg_fn=lambda kept, new, n: 0.9 * kept + 0.1 * new)
    fast, slow = compiled(model), compiled(average)
    for i in range(3):
        with torch.no_grad():
            model.weight.add_(i)
        average.update_parameters(model)
        note(fast(torch.ones(2)), slow(torch.ones(2)))


@story
def copies_of_compiled_modules(compiled: Compiled, note: Compiled) -> None:
    model = nn.Linear(2, 2)
    fast = compiled(model)
    note(fast(torch.ones(2)))
    other = copy.deepcopy(fast)
    with torch.no_grad():
        for p in other.parameters():
            p.fill_(3.0)
    note(fast(torch.ones(2)), other(torch.ones(2)))
    fast.load_state_dict(other.state_dict())
    note(fast(torch.ones(2)), model(torch.ones(2)))


@story
def views_that_are_written_to(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any, y: Any) -> Any:
        x[0] = y.sum()
        x.view(-1)[1:].mul_(2)
        return x, x[1], y.t()

    fast = compiled(fn)
    for _ in range(2):
        a = torch.ones(2, 2)
        note(fast(a, torch.full((2, 2), 2.0)), a)
        note(fast(a, a), a)
        note(fast(a, a[:1]), fast(a[:], a[1:]), a)
        results = fast(a, torch.ones(2, 2))
        results[1].fill_(9)
        note(results[0] is a, a)


@story
def functions_of_the_user(compiled: Compiled, note: Compiled) -> None:
    class Scaled(torch.autograd.Function):
        by = 2.0

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * Scaled.by

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.saved_tensors[0] * Scaled.by

    fast = compiled(lambda x: Scaled.apply(x).sum())
    for by in (2.0, 3.0, 2.0):
        Scaled.by = by
        x = leaf(1.0, 2.0)
        y = fast(x)
        y.backward()
        note(y, x)


@story
def checkpoints_inside_and_outside(compiled: Compiled, note: Compiled) -> None:
    layer = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5), nn.Tanh())
    inside = compiled(lambda x: checkpoint(layer, x, use_reentrant=False).sum())
    whole = compiled(layer)
    for _ in range(3):
        layer.zero_grad()
        x = leaf(1.0, 2.0)
        inside(x).backward()
        checkpoint(whole, x, use_reentrant=False).sum().backward()
        note(x, layer[0].weight)


@story
def transforms_inside_and_outside(compiled: Compiled, note: Compiled) -> None:
    by = [2.0]

    def fn(x: Any) -> Any:
        return (x**3).sum() * by[0]

    fast = compiled(fn)
    inside = compiled(lambda x: (torch.func.grad(fn)(x), torch.vmap(lambda r: r * by[0])(x), torch.func.hessian(fn)(x)))
    for by[0] in (2.0, 3.0, 2.0):
        x = torch.tensor([1.0, 2.0])
        note(torch.func.grad(fast)(x), torch.vmap(fast)(x[:, None]), torch.func.jvp(fast, (x,), (x,)), inside(x))


@story
def generators_that_are_seeded(compiled: Compiled, note: Compiled) -> None:
    own = torch.Generator().manual_seed(3)
    fast = compiled(lambda x: (torch.rand_like(x), torch.rand(2, generator=own), nn.functional.dropout(x, 0.5)))
    for seed in (1, 1, 2, None):
        if seed is not None:
            torch.manual_seed(seed)
            own.manual_seed(seed)
        note(fast(torch.ones(4)), torch.rand(1))
    kept = torch.get_rng_state()
    note(fast(torch.ones(4)))
    torch.set_rng_state(kept)
    note(fast(torch.ones(4)))


@story
def second_derivatives(compiled: Compiled, note: Compiled) -> None:
    w = leaf(2.0, 3.0)
    fast = compiled(lambda x: ((x * w) ** 3).sum())
    for i in range(3):
        x = leaf(1.0 + i, 2.0)
        (g,) = torch.autograd.grad(fast(x), x, create_graph=True)
        g.sum().backward()
        note(g.detach(), x, w)


@story
def backward_twice_and_after_changes(compiled: Compiled, note: Compiled) -> None:
    fast = compiled(lambda x: (x.exp() * x).sum())
    for change in (False, True, False):
        x = leaf(1.0, 2.0)
        y = fast(x)
        y.backward(retain_graph=True)
        if change:
            with torch.no_grad():
                x.mul_(2)
        note(type(attempted(y.backward)), type(attempted(y.backward)))
        note(x)


@story
def a_view_of_what_was_given_a_history(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any, z: Any) -> Any:
        return checkpoint(lambda p: (p * p).sum(), x, use_reentrant=True), z.real

    fast = compiled(fn)
    for _ in range(3):
        x, w = torch.tensor([-1.25, 0.24]), leaf(-0.79)
        z = torch.view_as_complex(x)
        x /= w
        fast(x, z)[1].sum().backward()
        note(w)


@story
def a_tensor_beside_what_was_detached_from_it(compiled: Compiled, note: Compiled) -> None:
    for detached in (torch.Tensor.detach, lambda t: t.data, torch.clone):
        fast = compiled(lambda a, b: a * a * b)
        for _ in range(3):
            x = leaf(2.0, 3.0)
            (slope,) = torch.autograd.grad(fast(x, detached(x)).sum(), x, create_graph=True)
            note(slope.detach(), torch.autograd.grad(slope.sum(), x))


@story
def views_made_in_inference_mode(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any) -> Any:
        with torch.inference_mode():
            return x.t()

    fast = compiled(fn)
    for _ in range(3):
        x = torch.ones(2, 2, requires_grad=True)
        note(attempted(fast(x).mul_, 2), attempted(fast(x).add, x))


@story
def a_result_without_a_gradient_whose_derivative_is_infinite(compiled: Compiled, note: Compiled) -> None:
    fast = compiled(lambda x: (x * 3, (x - x).sqrt(), x.flatten().cov()))
    for which in (0, 1, 0):
        x = leaf(2.0)
        fast(x)[which].sum().backward()
        note(x)


@story
def gradients_of_many_directions(compiled: Compiled, note: Compiled) -> None:
    fast = compiled(lambda x: torch.einsum("i,j->ij", x, x))
    for dtype in (torch.float32, torch.complex64, torch.complex64):
        x = torch.ones(3, dtype=dtype, requires_grad=True)
        y = fast(x) ** 2
        note(torch.autograd.grad(y, x, torch.stack([torch.ones_like(y), y.detach()]), is_grads_batched=True)[0])


@story
def gradients_lie_as_their_leaves(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any, y: Any) -> Any:
        leaves = [t.detach().requires_grad_() for t in (x.t().contiguous().t(), x[:, :1], y)]
        for t in leaves:
            (t * t.detach().contiguous()).sum().backward()
            (t * t).sum().backward()
        return [t.grad * 1 for t in leaves]

    fast = compiled(fn)
    y = torch.arange(24.0).reshape(1, 2, 3, 4).contiguous(memory_format=torch.channels_last)
    for _ in range(3):
        note(fast(torch.arange(6.0).reshape(3, 2), y))


@story
def layers_that_get_their_shapes_from_the_first_input(compiled: Compiled, note: Compiled) -> None:
    made = nn.Sequential(nn.LazyConv1d(3, 2), nn.LazyBatchNorm1d(), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2))
    for module in (copy.deepcopy(made), made):
        fast = compiled(module)
        for _ in range(3):
            torch.manual_seed(1)
            x = torch.randn(2, 4, 5, requires_grad=True)
            fast(x).sum().backward()
            note(x, [*module.parameters()], module[1].running_mean)


@story
def gradients_of_arguments_that_retain_them_or_have_hooks(compiled: Compiled, note: Compiled) -> None:
    fast = compiled(lambda h: torch.autograd.grad((h * h).sum(), [h])[0])
    for prepared in ("nothing", "retained", "hooked", "nothing"):
        h = torch.ones(2, requires_grad=True) * 2
        if prepared == "retained":
            h.retain_grad()
        elif prepared == "hooked":
            h.register_hook(lambda g: g * 3)
        note(fast(h), h.grad if prepared == "retained" else None)


@story
def results_that_were_given_a_hook(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any) -> Any:
        y, z = x.exp(), x.sin()
        y.register_hook(lambda g: g * 3)
        z[:1].register_hook(lambda g: g * 5)
        return y, z

    fast = compiled(fn)
    for _ in range(3):
        x = torch.ones(2, requires_grad=True)
        y, z = fast(x)
        note(torch.autograd.grad((y * z).sum(), [y, z, x]))
