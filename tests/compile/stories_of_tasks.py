"""Stories about state, data and derivatives of programs that people write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import facula as torch
from facula import nn

from .stories import attempted, story

Compiled = Callable[..., Any]
F = nn.functional


def x23() -> Any:
    return torch.arange(6.0).reshape(2, 3) / 4 - 0.5


def leaf(*shape: int) -> Any:
    return torch.randn(shape, requires_grad=True)


@story
def a_queue_of_what_was_seen(compiled: Compiled, note: Compiled) -> None:
    class Queue(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("queue", torch.zeros(4, 2))
            self.register_buffer("at", torch.zeros((), dtype=torch.long))

        @torch.no_grad()
        def push(self, keys: Any) -> None:
            at = int(self.at)
            self.queue[at : at + len(keys)] = keys
            self.at.fill_((at + len(keys)) % 4)

        def forward(self, x: Any) -> Any:
            scores = x @ self.queue.clone().t()
            self.push(x)
            return scores

    queue = Queue()
    fast = compiled(queue)
    for _ in range(5):
        x = leaf(2, 2)
        fast(x).sum().backward()
        note(x, queue.queue, queue.at)


@story
def running_means_in_buffers(compiled: Compiled, note: Compiled) -> None:
    class Normed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("mean", torch.zeros(3))
            self.register_buffer("count", torch.tensor(0))
            self.momentum: float | None = None

        def forward(self, x: Any) -> Any:
            if self.training:
                self.count += 1
                by = 1 / float(self.count) if self.momentum is None else self.momentum
                self.mean.mul_(1 - by).add_(x.detach().mean(0), alpha=by)
            return x - self.mean

    module = Normed()
    fast = compiled(module)
    for i in range(6):
        module.momentum = 0.5 if i > 3 else None
        module.train(i != 2)
        note(fast(torch.randn(4, 3)), module.mean, module.count)
    module.load_state_dict(Normed().state_dict())
    note(fast(torch.ones(1, 3)), module.count)


@story
def weights_that_are_pruned(compiled: Compiled, note: Compiled) -> None:
    from facula.nn.utils import prune

    layer = nn.Linear(4, 2)
    fast, x = compiled(layer), torch.ones(1, 4)
    note(fast(x))
    prune.l1_unstructured(layer, "weight", amount=0.5)
    fast(x).sum().backward()
    note(fast(x), layer.weight_orig, layer.weight_mask)
    prune.remove(layer, "weight")
    note(fast(x), sorted(layer.state_dict()))


@story
def spectra_that_are_normed(compiled: Compiled, note: Compiled) -> None:
    layer = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 3), n_power_iterations=1)
    fast = compiled(layer)
    for i in range(4):
        layer.train(i != 2)
        note(fast(x23()), layer.parametrizations.weight[0]._u)


@story
def data_that_is_augmented(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any, p: float) -> Any:
        if torch.rand(1).item() < p:
            x = x.flip(-1)
        if torch.rand(1) < p:
            x = torch.roll(x, 1, 0)
        return x + 0.1 * torch.randn(x.shape)

    fast = compiled(fn)
    for i in range(8):
        torch.manual_seed(i)
        note(fast(x23(), 0.5), torch.rand(1))


@story
def pictures_are_mixed(compiled: Compiled, note: Compiled) -> None:
    def mixed(x: Any, y: Any, alpha: float) -> Any:
        share = torch.distributions.Beta(alpha, alpha).sample()
        order = torch.randperm(x.shape[0])
        return share * x + (1 - share) * x[order], share * y + (1 - share) * y[order]

    fast = compiled(mixed)
    for alpha in (1.0, 1.0, 0.2):
        note(fast(x23(), torch.eye(2), alpha))


@story
def nothing_is_left(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any) -> Any:
        kept = x[x > 0]
        if kept.numel() == 0:
            return x.new_zeros(())
        return kept.mean()

    fast = compiled(fn)
    for x in (x23(), -torch.ones(2), torch.ones(3), torch.empty(0), x23()):
        x.requires_grad_()
        y = fast(x)
        note(y)
        if y.requires_grad:
            y.backward()
            note(x)


@story
def newton_until_it_is_near(compiled: Compiled, note: Compiled) -> None:
    def root(x: Any, tolerance: float = 1e-4, most: int = 20) -> Any:
        y = torch.ones_like(x)
        for n in range(most):
            after = 0.5 * (y + x / y)
            if (after - y).abs().max() < tolerance:
                return after, n
            y = after
        return y, most

    fast = compiled(root)
    for x in (2.0, 2.1, 100.0, 3.0, 1e-3):
        t = torch.tensor([x, 1.0], requires_grad=True)
        y, n = fast(t)
        y.sum().backward()
        note(y, n, t)


@story
def halves_until_it_is_small(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any) -> Any:
        n = 0
        while x.norm() > 1:
            x, n = x / 2, n + 1
        return x, n

    fast = compiled(fn)
    for size in (1.0, 3.0, 0.1, 50.0, 3.0):
        note(fast(torch.full((2,), size)))


@story
def an_inner_loop_of_learning(compiled: Compiled, note: Compiled) -> None:
    model = nn.Linear(2, 1)

    def adapted(x: Any, y: Any, rate: float, steps: int) -> Any:
        weights = dict(model.named_parameters())
        for _ in range(steps):
            loss = F.mse_loss(torch.func.functional_call(model, weights, (x,)), y)
            slopes = torch.autograd.grad(loss, [*weights.values()], create_graph=True)
            weights = {name: w - rate * g for (name, w), g in zip(weights.items(), slopes)}
        return F.mse_loss(torch.func.functional_call(model, weights, (x,)), y)

    fast = compiled(adapted)
    for rate, steps in ((0.1, 1), (0.1, 2), (0.2, 2), (0.2, 0)):
        model.zero_grad()
        fast(torch.randn(3, 2), torch.randn(3, 1), rate, steps).backward()
        note(model.weight, model.bias)


@story
def a_penalty_on_slopes_of_a_compiled_model(compiled: Compiled, note: Compiled) -> None:
    model = nn.Sequential(nn.Linear(2, 4), nn.Softplus(), nn.Linear(4, 1))
    fast = compiled(model)
    for _ in range(3):
        x = leaf(3, 2)
        model.zero_grad()
        y = fast(x)
        (slope,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        (y.square().mean() + slope.square().sum(1).mean()).backward()
        note(slope.detach(), [p.grad for p in model.parameters()], x)


@story
def physics_from_derivatives(compiled: Compiled, note: Compiled) -> None:
    net = nn.Sequential(nn.Linear(1, 4), nn.Tanh(), nn.Linear(4, 1))

    def residual(t: Any, k: float) -> Any:
        t = t.clone().requires_grad_()
        u = net(t)
        du = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
        ddu = torch.autograd.grad(du.sum(), t, create_graph=True)[0]
        return (ddu + k * u).square().mean() + (net(torch.zeros(1, 1)) - 1).square().sum()

    fast = compiled(residual)
    for k in (1.0, 1.0, 4.0):
        net.zero_grad()
        fast(torch.linspace(0, 1, 5)[:, None], k).backward()
        note([p.grad for p in net.parameters()])


@story
def gradients_of_each_sample(compiled: Compiled, note: Compiled) -> None:
    model = nn.Linear(3, 1)
    weights = {name: p.detach() for name, p in model.named_parameters()}

    def loss_of(weights: Any, x: Any, y: Any) -> Any:
        return F.mse_loss(torch.func.functional_call(model, weights, (x[None],)), y[None])

    fast = compiled(torch.func.vmap(torch.func.grad(loss_of), in_dims=(None, 0, 0)))
    for n in (3, 3, 5):
        note(fast(weights, torch.randn(n, 3), torch.randn(n, 1)))
        weights = {name: w * 0.9 for name, w in weights.items()}


@story
def many_models_at_once(compiled: Compiled, note: Compiled) -> None:
    models = [nn.Linear(3, 2) for _ in range(3)]
    weights, buffers = torch.func.stack_module_state(models)

    def one(weights: Any, buffers: Any, x: Any) -> Any:
        return torch.func.functional_call(models[0], (weights, buffers), (x,))

    fast = compiled(lambda w, x: torch.func.vmap(one, in_dims=(0, 0, None))(w, buffers, x))
    for _ in range(3):
        y = fast(weights, x23())
        y.sum().backward()
        note(y, weights["weight"])


@story
def numbers_that_are_read_out(compiled: Compiled, note: Compiled) -> None:
    history: list[float] = []

    def step(x: Any) -> Any:
        loss = x.square().mean()
        return loss, float(loss), loss.item() * 2, bool(loss > 1), int(loss)

    fast = compiled(step)
    for scale in (1.0, 2.0, 1.0, 5.0):
        _, value, *rest = fast(x23() * scale)
        history.append(round(value, 4))
        note(history, rest)


@story
def best_values_are_kept(compiled: Compiled, note: Compiled) -> None:
    class Best:
        value = float("inf")
        weight: Any = None

    best, layer = Best(), nn.Linear(3, 1)

    def step(x: Any) -> Any:
        loss = layer(x).square().mean()
        if loss < best.value:
            best.value, best.weight = loss.item(), layer.weight.detach().clone()
        return loss

    fast = compiled(step)
    for scale in (3.0, 1.0, 2.0, 0.5):
        fast(x23() * scale).backward()
        note(round(best.value, 4), best.weight)


@story
def results_are_changed_by_the_caller(compiled: Compiled, note: Compiled) -> None:
    base = torch.zeros(3)
    fast = compiled(lambda x: (x + base, [x * 2, {"a": x[0], "b": base}], x.unbind()))
    for i in range(3):
        total, (twice, named), rows = fast(x23() + i)
        total.add_(1)
        twice.zero_()
        named["b"].add_(1)
        named["c"] = 1
        note(total, twice, named, rows, base)


@story
def slices_are_assigned(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any, mask: Any, i: int) -> Any:
        y = x.clone()
        y[i] = -1
        y[:, ::2] += 10
        y[mask] = 0
        y[..., -1:] *= y[0, 0].clone()
        return y

    fast = compiled(fn)
    for i in (0, 1, -1, 0):
        x = x23().requires_grad_()
        fast(x, x23() > 0, i).sum().backward()
        note(fast(x, x23() < i, i), x)


@story
def weights_of_classes_and_labels_to_ignore(compiled: Compiled, note: Compiled) -> None:
    weight = torch.tensor([1.0, 2.0, 0.5])

    def fn(logits: Any, y: Any, smoothing: float) -> Any:
        return F.cross_entropy(logits, y, weight, ignore_index=-1, label_smoothing=smoothing)

    fast = compiled(fn)
    for labels, smoothing in (([0, 2], 0.0), ([-1, 2], 0.0), ([-1, -1], 0.0), ([0, 1], 0.1)):
        x = x23().requires_grad_()
        y = fast(x, torch.tensor(labels), smoothing)
        y.backward()
        note(y, x)
    weight[0] = 3.0
    note(fast(x23(), torch.tensor([0, 1]), 0.1))


@story
def scaled_losses_in_half_precision(compiled: Compiled, note: Compiled) -> None:
    model = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    @compiled
    def loss_of(x: Any) -> Any:
        with torch.autocast("cpu", torch.bfloat16):
            y = model(x)
        return y.float().square().mean(), y.dtype

    for scale in (1.0, 128.0, 128.0):
        optimizer.zero_grad()
        loss, dtype = loss_of(x23())
        (loss * scale).backward()
        for p in model.parameters():
            p.grad.div_(scale)
        optimizer.step()
        note(loss, dtype, model.weight)


@story
def other_dtypes_and_shapes_in_turn(compiled: Compiled, note: Compiled) -> None:
    fast = compiled(lambda x, y: (x + y, x * 2, (x > y).sum(), x.to(y.dtype)))
    for a, b in ((torch.float32, torch.float64), (torch.int64, torch.float32), (torch.bool, torch.int32),
                 (torch.float32, torch.complex64), (torch.int64, torch.float32)):  # fmt: skip
        x, y = torch.ones(2, 3, dtype=a), torch.arange(3).to(b)
        note(attempted(fast, x, y) if b.is_complex else fast(x, y))


@story
def zero_dimensional_tensors_and_numbers(compiled: Compiled, note: Compiled) -> None:
    fast = compiled(lambda x, s: (x * s, s + 1, x.sum() * s, x.pow(s) if not isinstance(s, bool) else x))
    for s in (2, torch.tensor(2), 2.0, torch.tensor(2.0), torch.tensor(2.0, dtype=torch.float64), 3, 2.5, True):
        note(fast(torch.tensor([1.0, 2.0]), s))


@story
def layouts_of_images(compiled: Compiled, note: Compiled) -> None:
    model = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
    fast = compiled(model)
    x = torch.randn(2, 2, 4, 4)
    for given in (x, x.contiguous(memory_format=torch.channels_last), x.transpose(2, 3), x[:1], x[:, :, ::2]):
        model.zero_grad()
        y = fast(given)
        y.sum().backward()
        note(y, model[0].bias)


@story
def hooks_that_watch_activations(compiled: Compiled, note: Compiled) -> None:
    model = nn.Sequential(nn.Linear(3, 2), nn.ReLU())
    seen: list[Any] = []
    fast = compiled(model)
    note(fast(x23()))
    handle = model[0].register_forward_hook(lambda m, a, y: seen.append(y.detach().clone()))
    note(fast(x23()), fast(x23() + 1), seen)
    handle.remove()
    note(fast(x23()), len(seen))


@story
def slopes_that_are_turned_around(compiled: Compiled, note: Compiled) -> None:
    class Turned(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, by: float) -> Any:
            ctx.by = by
            return x.view_as(x)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return -ctx.by * g, None

    features, domain = nn.Linear(3, 2), nn.Linear(2, 1)
    fast = compiled(lambda x, by: domain(Turned.apply(features(x), by)).sum())
    for by in (0.0, 0.5, 1.0):
        features.zero_grad()
        fast(x23(), by).backward()
        note(features.weight)


@story
def steps_through_which_gradients_pass(compiled: Compiled, note: Compiled) -> None:
    book = nn.Parameter(torch.tensor([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))

    def quantized(x: Any) -> Any:
        nearest = torch.cdist(x, book).argmin(-1)
        q = book[nearest]
        loss = F.mse_loss(q, x.detach()) + 0.25 * F.mse_loss(x, q.detach())
        return x + (q - x).detach(), loss, nearest

    fast = compiled(quantized)
    for i in range(3):
        x = (x23() + i / 2).requires_grad_()
        book.grad = None
        q, loss, nearest = fast(x)
        (q.sum() + loss).backward()
        note(q, nearest, x, book)


@story
def schedules_by_a_function(compiled: Compiled, note: Compiled) -> None:
    model = nn.Linear(3, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: min(1.0, (n + 1) / 3) * 0.9**n)

    def step(x: Any) -> Any:
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss

    fast = compiled(step)
    for _ in range(6):
        fast(x23())
        schedule.step()
        note(model.weight, schedule.get_last_lr())
    optimizer.load_state_dict(optimizer.state_dict())
    fast(x23())
    note(model.weight)


@story
def an_optimizer_that_asks_again(compiled: Compiled, note: Compiled) -> None:
    w = nn.Parameter(torch.tensor([1.5, -0.5]))
    optimizer = torch.optim.LBFGS([w], lr=0.5, max_iter=4)

    @compiled
    def closure() -> Any:
        optimizer.zero_grad()
        loss = (1 - w[0]) ** 2 + 10 * (w[1] - w[0] ** 2) ** 2
        loss.backward()
        return loss

    for _ in range(3):
        note(optimizer.step(closure), w)


@story
def modules_of_modules_of_other_kinds(compiled: Compiled, note: Compiled) -> None:
    parts = nn.ModuleDict({"a": nn.Linear(3, 3), "b": nn.Identity()})
    fast = compiled(lambda x, name: parts[name](x))
    for name in ("a", "b", "a"):
        note(fast(x23(), name))
    parts["b"] = nn.Softmax(-1)
    del parts["a"]
    note(fast(x23(), "b"), attempted(fast, x23(), "a"))
    parts.update({"a": nn.Tanh()})
    note(fast(x23(), "a"), list(parts))
