"""Where each optimizer goes in 20 steps, in each of its modes; its state and the versions of the parameters then."""

from __future__ import annotations

import math

from .observe import case, error, plain, see

SHAPES = ((3, 2), (4,), ())


def parameters(torch, dtype):
    """Tensors with values that repeat from run to run."""
    made = []
    for i, shape in enumerate(SHAPES):
        values = [math.sin(1.7 * (i + 1) * (j + 1)) for j in range(math.prod(shape))]
        if dtype.is_complex:
            values = [complex(v, math.cos(3 * v)) for v in values]
        made.append(torch.nn.Parameter(torch.tensor(values, dtype=dtype).reshape(shape)))
    return made


def loss_of(params, t):
    """A loss that bends, and changes a little from step to step."""
    total = 0
    for p in params:
        size = (p * p.conj()).real if p.is_complex() else p * p
        slope = (p * (0.3 + 0.05 * t)).sum()
        total = total + (size.sum() - 1) ** 2 * 0.1 + (slope.real if p.is_complex() else slope)
    return total


def path(torch, make, dtype, count=3, steps=20):
    params = parameters(torch, dtype)[:count]
    optimizer = make(params)
    seen = []
    for t in range(steps):
        optimizer.zero_grad()
        loss = loss_of(params, t)
        loss.backward()
        optimizer.step()
        if t in (0, 4, steps - 1):
            seen.append([loss.item(), [plain(p.tolist()) for p in params]])
    state = {
        key: {name: plain(v.tolist()) if torch.is_tensor(v) else v for name, v in kept.items()}
        for key, kept in optimizer.state_dict()["state"].items()
    }
    return [seen, {str(k): v for k, v in state.items()}, [p._version for p in params]]


def paths(torch, cls, modes, dtypes=("float32", "float64", "complex64", "complex128"), count=3, state=True):
    """One path for each mode; every other dtype than the first in the first mode alone."""
    found = []
    for i, mode in enumerate(modes):
        for name in dtypes if i == 0 else dtypes[:1]:

            def make(params, mode=mode):
                return cls(params, **(mode(torch) if callable(mode) else mode))

            seen = path(torch, make, getattr(torch, name), count)
            found.append(seen if state else seen[0])
    return found


def fused(torch, cls, modes):
    """Paths alone: PyTorch's fused kernels do not count as in-place changes."""
    found = []
    for mode in modes:
        seen = path(torch, lambda params, mode=mode: cls(params, fused=True, **mode), torch.float32)
        found.append(seen[:2])
    return found


@case
def sgd(torch):
    modes = [
        {"lr": 0.05},
        {"lr": 0.05, "momentum": 0.9},
        {"lr": 0.05, "momentum": 0.8, "dampening": 0.3, "weight_decay": 0.1},
        {"lr": 0.05, "momentum": 0.9, "nesterov": True, "weight_decay": 0.05},
        {"lr": 0.01, "maximize": True},
        {"lr": 0.01, "maximize": True, "momentum": 0.5, "weight_decay": 0.1},
        {"lr": 0.05, "foreach": True, "momentum": 0.9},
        lambda torch: {"lr": torch.tensor(0.05), "momentum": 0.5},
        lambda torch: {"lr": torch.tensor(0.05), "weight_decay": torch.tensor(0.1)},
    ]
    return [
        paths(torch, torch.optim.SGD, modes),
        fused(torch, torch.optim.SGD, [{"lr": 0.05}, {"lr": 0.05, "momentum": 0.9}]),
    ]


@case
def adam(torch):
    modes = [
        {"lr": 0.1},
        {"lr": 0.1, "amsgrad": True, "weight_decay": 0.1},
        {"lr": 0.1, "maximize": True},
        {"lr": 0.1, "betas": (0.6, 0.9), "eps": 1e-3},
        {"lr": 0.1, "foreach": True, "amsgrad": True},
        {"lr": 0.1, "decoupled_weight_decay": True, "weight_decay": 0.1},
        lambda torch: {"lr": torch.tensor(0.1)},
        lambda torch: {"lr": 0.1, "betas": (torch.tensor(0.8), torch.tensor(0.95))},
    ]
    return [
        paths(torch, torch.optim.Adam, modes),
        fused(torch, torch.optim.Adam, [{"lr": 0.1}, {"lr": 0.1, "amsgrad": True}]),
    ]


@case
def adamw(torch):
    modes = [
        {"lr": 0.1},
        {"lr": 0.1, "amsgrad": True, "weight_decay": 0.2},
        {"lr": 0.1, "maximize": True},
        {"lr": 0.1, "weight_decay": 0},
        {"lr": 0.1, "foreach": True},
        lambda torch: {"lr": torch.tensor(0.1)},
    ]
    return [paths(torch, torch.optim.AdamW, modes), fused(torch, torch.optim.AdamW, [{"lr": 0.1}])]


@case
def adamax(torch):
    modes = [{"lr": 0.1}, {"lr": 0.1, "weight_decay": 0.1}, {"maximize": True}, {"foreach": True, "betas": (0.8, 0.9)}]
    return paths(torch, torch.optim.Adamax, modes)


@case
def nadam(torch):
    modes = [
        {"lr": 0.1},
        {"lr": 0.1, "weight_decay": 0.1},
        {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True},
        {"momentum_decay": 0.1},
        {"maximize": True},
        {"lr": 0.1, "foreach": True},
    ]
    return paths(torch, torch.optim.NAdam, modes, ("float32", "float64", "complex128"))


@case
def radam(torch):
    modes = [
        {"lr": 0.1},
        {"lr": 0.1, "weight_decay": 0.1},
        {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True},
        {"betas": (0.8, 0.9), "lr": 0.1},
        {"maximize": True},
        {"lr": 0.1, "foreach": True},
    ]
    return paths(torch, torch.optim.RAdam, modes)


@case
def adadelta(torch):
    modes = [{}, {"lr": 0.5, "rho": 0.8, "eps": 1e-4, "weight_decay": 0.1}, {"maximize": True}, {"foreach": True}]
    return paths(torch, torch.optim.Adadelta, modes)


@case
def adagrad(torch):
    modes = [
        {"lr": 0.3},
        {"lr": 0.3, "weight_decay": 0.1, "lr_decay": 0.1, "initial_accumulator_value": 0.1},
        {"lr": 0.1, "maximize": True},
        {"lr": 0.3, "foreach": True},
        lambda torch: {"lr": torch.tensor(0.3)},
    ]
    return [paths(torch, torch.optim.Adagrad, modes), fused(torch, torch.optim.Adagrad, [{"lr": 0.3}])]


@case
def adafactor(torch):
    modes = [
        {"lr": 0.05},
        {"lr": 0.05, "weight_decay": 0.1, "beta2_decay": -0.5, "d": 1.5, "eps": (1e-10, 1e-2)},
        {"lr": 0.05, "maximize": True},
        {"lr": 0.05, "foreach": True},
    ]
    return paths(torch, torch.optim.Adafactor, modes, ("float32", "float64"))


@case
def asgd(torch):
    modes = [
        {"lr": 0.05},
        {"lr": 0.05, "weight_decay": 0.1, "t0": 5, "lambd": 0.01, "alpha": 0.5},
        {"lr": 0.005, "maximize": True},
        {"lr": 0.05, "foreach": True},
    ]
    return paths(torch, torch.optim.ASGD, modes)


@case
def rmsprop(torch):
    modes = [
        {"lr": 0.05},
        {"lr": 0.02, "weight_decay": 0.1, "momentum": 0.9, "centered": True},
        {"lr": 0.01, "momentum": 0.5},
        {"lr": 0.01, "alpha": 0.9, "eps": 1e-2, "centered": True},
        {"maximize": True},
        {"lr": 0.05, "foreach": True},
    ]
    return paths(torch, torch.optim.RMSprop, modes, ("float64", "float32", "complex128"))


@case
def rprop(torch):
    modes = [
        {"lr": 0.05},
        {"lr": 0.05, "etas": (0.3, 1.5), "step_sizes": (1e-3, 0.1)},
        {"maximize": True},
        {"foreach": True},
    ]
    return paths(torch, torch.optim.Rprop, modes)


@case
def muon(torch):
    modes = [
        {"lr": 0.01},
        {"lr": 0.01, "nesterov": False, "weight_decay": 0.0},
        {"lr": 0.01, "adjust_lr_fn": "match_rms_adamw"},
        {"lr": 0.01, "adjust_lr_fn": "original", "ns_steps": 3, "momentum": 0.5},
    ]
    found = []
    for mode in modes:
        p = torch.nn.Parameter(torch.tensor([[math.sin(3 * i + j) for j in range(3)] for i in range(4)]))
        optimizer = torch.optim.Muon([p], **mode)
        for t in range(5):
            p.grad = torch.tensor([[math.cos(i - j + t) for j in range(3)] for i in range(4)])
            optimizer.step()
        found.append([p.tolist(), optimizer.state[p]["momentum_buffer"].tolist(), p._version])
    return found


def valley(torch, **mode):
    """L-BFGS down a bent valley: losses, points, how often the loss was computed."""
    x = torch.nn.Parameter(torch.tensor([-1.5, 2.0], dtype=torch.float64))
    y = torch.nn.Parameter(torch.tensor([[0.5]], dtype=torch.float64))
    optimizer = torch.optim.LBFGS([x, y], **mode)
    calls = []

    def closure():
        optimizer.zero_grad()
        loss = (1 - x[0]) ** 2 + 2 * (x[1] - x[0] ** 2) ** 2 + (y * y).sum()
        loss.backward()
        calls.append(loss.item())
        return loss

    seen = [[optimizer.step(closure).item(), x.tolist(), y.tolist(), len(calls)] for _ in range(3)]
    return [seen, list(optimizer.state[x]), x._version, optimizer.state[x]["n_iter"], optimizer.state[x]["func_evals"]]


@case
def lbfgs(torch):
    return [
        valley(torch),
        valley(torch, max_iter=3),
        valley(torch, lr=0.5, history_size=2, max_iter=8),
        valley(torch, line_search_fn="strong_wolfe"),
        valley(torch, line_search_fn="strong_wolfe", lr=0.01, max_iter=4),
        valley(torch, line_search_fn="strong_wolfe", lr=5.0, max_iter=4),
        valley(torch, lr=torch.tensor(0.5), max_iter=6),
        valley(torch, max_iter=0),
    ]


@case
def lbfgs_on_complex_numbers(torch):
    z = torch.nn.Parameter(torch.tensor([1 + 2j, -0.5 + 0.1j], dtype=torch.complex128))
    optimizer = torch.optim.LBFGS([z], max_iter=5)

    def closure():
        optimizer.zero_grad()
        loss = ((z * z.conj()).real * torch.tensor([1.0, 3.0], dtype=torch.float64)).sum()
        loss.backward()
        return loss

    return [optimizer.step(closure).item(), plain(z.tolist())]


def through_steps(torch, cls, mode, steps=3):
    """Gradients of the parameters after some differentiable steps with respect to what they were before."""
    starts = [p.double().detach().requires_grad_() for p in parameters(torch, torch.float64)]
    weight = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    params = [p * 1 for p in starts]
    optimizer = cls(params, differentiable=True, **(mode(torch) if callable(mode) else mode))
    for t in range(steps):
        for p in params:
            p.grad = p.clone() * weight + 0.1 * t
        optimizer.step()
    total = sum((p * p).sum() for p in params)
    return [[p.tolist() for p in params], [g.tolist() for g in torch.autograd.grad(total, [*starts, weight])]]


@case
def differentiable_steps(torch):
    made = [
        ("SGD", {"lr": 0.1}),
        ("SGD", {"lr": 0.1, "momentum": 0.9}),
        ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
        ("Adam", {"lr": 0.1, "eps": 0.1}),
        ("AdamW", {"lr": 0.1, "eps": 0.1}),
        ("RAdam", {"lr": 0.1, "betas": (0.8, 0.9)}),
        ("NAdam", {"lr": 0.1, "eps": 0.1}),
        ("Adagrad", {"lr": 0.1}),
        ("RMSprop", {"lr": 0.1, "eps": 0.1, "momentum": 0.9}),
        ("ASGD", {"lr": 0.1}),
        ("Adadelta", {}),
    ]
    return [through_steps(torch, getattr(torch.optim, name), mode) for name, mode in made]


@case
def gradient_of_the_learning_rate(torch):
    lr = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)
    start = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    p = start.clone()
    optimizer = torch.optim.SGD([p], lr=lr, differentiable=True)
    for _ in range(3):
        p.grad = p.clone() * 2
        optimizer.step()
    return [g.tolist() for g in torch.autograd.grad(p.sum(), [lr, start])]


@case
def many_small_parameters_with_gaps(torch):
    """Parameters of mixed size and dtype, some without a gradient in some steps."""
    found = []
    for name in ("SGD", "Adam", "NAdam", "RMSprop", "ASGD"):
        params = [
            torch.nn.Parameter(torch.linspace(-1, 1, n, dtype=torch.float64 if i % 5 == 4 else torch.float32))
            for i, n in enumerate([3, 1, 7, 2, 5, 4, 6, 1])
        ]
        mode = {"momentum": 0.9} if name in ("SGD", "RMSprop") else {}
        optimizer = getattr(torch.optim, name)(params, lr=0.1, **mode)
        for t in range(8):
            for i, p in enumerate(params):
                p.grad = None if (t + i) % 4 == 3 and t > 2 else (p * p + 0.1 * t).detach()
            optimizer.step()
        steps = [float(optimizer.state[p].get("step", -1)) for p in params]
        found.append([[p.tolist() for p in params], steps, [p._version for p in params]])
    return found


@case
def large_parameters(torch):
    """Larger than any block that a step may work on at once."""
    found = []
    for name in ("SGD", "Adam", "Adagrad"):
        p = torch.nn.Parameter(torch.linspace(0.5, 2, 70001).reshape(1, 70001))
        q = torch.nn.Parameter(torch.linspace(0.5, 3, 12000).reshape(100, 120).t())
        optimizer = getattr(torch.optim, name)([p, q], lr=0.1, weight_decay=0.01)
        for _ in range(3):
            optimizer.zero_grad()
            ((p * p).sum() + (q * q * q).sum()).backward()
            optimizer.step()
        found.append([p[0, ::7000].tolist(), q[::13, ::17].tolist()])
    return found


@case
def parameters_in_the_same_memory(torch):
    whole = torch.linspace(-1, 1, 6)
    a, b = whole[:4].requires_grad_(), whole.detach()[2:].requires_grad_()
    optimizer = torch.optim.SGD([a, b], lr=0.1, momentum=0.9)
    for _ in range(3):
        a.grad, b.grad = torch.ones(4), torch.full((4,), 2.0)
        optimizer.step()
    return whole.detach().tolist()


@case
def state_that_users_change(torch):
    """Reset, replaced, changed in place between steps."""

    def run(change):
        params = [torch.nn.Parameter(torch.linspace(-1, 1, n)) for n in (3, 2, 4)]
        optimizer = torch.optim.Adam(params, lr=0.1)
        for t in range(4):
            for p in params:
                p.grad = (p * 2 + t).detach()
            if t == 2:
                change(optimizer, params)
            optimizer.step()
        return [p.tolist() for p in params]

    def replace(optimizer, params):
        optimizer.state[params[1]]["exp_avg"] = torch.ones(2)

    def reset_one(optimizer, params):
        optimizer.state[params[1]] = {}

    def move(optimizer, params):
        params[0].data = torch.zeros(3)

    def halve(optimizer, params):
        optimizer.state[params[2]]["exp_avg_sq"].mul_(0.5)

    def rewind(optimizer, params):
        optimizer.state[params[2]]["step"].fill_(0)

    def swap(optimizer, params):
        params[0] = optimizer.param_groups[0]["params"][0] = torch.nn.Parameter(torch.ones(5))
        params[0].grad = torch.ones(5)

    changes = [
        lambda o, p: None,
        replace,
        reset_one,
        lambda o, p: o.state.clear(),
        move,
        halve,
        rewind,
        swap,
        lambda o, p: o.param_groups[0].update(lr=0.5),
        lambda o, p: o.load_state_dict(o.state_dict()),
    ]
    return [run(change) for change in changes]


@case
def steps_as_functions_of_lists(torch):
    from importlib import import_module

    functional = import_module(f"{torch.__name__}.optim._functional")
    p = [torch.tensor([1.0, 2.0]), torch.tensor([[3.0]])]
    g = [torch.tensor([0.5, -1.0]), torch.tensor([[0.25]])]

    def zeros():
        return [torch.zeros_like(t) for t in p]

    def steps():
        return [torch.tensor(0.0) for _ in p]

    buffers = [None, None]
    for _ in range(2):
        functional.sgd(
            p, g, buffers, weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0, nesterov=False, maximize=False
        )
    a, b, n = zeros(), zeros(), steps()
    for _ in range(2):
        functional.adam(
            p, g, a, b, [], n, amsgrad=False, beta1=0.9, beta2=0.99, lr=0.1, weight_decay=0.0, eps=1e-8, maximize=False
        )
        functional.adamw(
            p, g, a, b, [], n, amsgrad=False, beta1=0.9, beta2=0.99, lr=0.1, weight_decay=0.1, eps=1e-8, maximize=False
        )
    functional.adamax(p, g, zeros(), zeros(), steps(), eps=1e-8, beta1=0.9, beta2=0.99, lr=0.1, weight_decay=0.0)
    ones = [torch.tensor(1.0) for _ in p]
    functional.nadam(
        p,
        g,
        zeros(),
        zeros(),
        ones,
        steps(),
        beta1=0.9,
        beta2=0.99,
        lr=0.1,
        weight_decay=0.0,
        momentum_decay=0.004,
        eps=1e-8,
    )
    functional.radam(p, g, zeros(), zeros(), steps(), beta1=0.9, beta2=0.99, lr=0.1, weight_decay=0.0, eps=1e-8)
    functional.adadelta(p, g, zeros(), zeros(), steps(), lr=1.0, rho=0.9, eps=1e-6, weight_decay=0.0, maximize=False)
    functional.adagrad(p, g, zeros(), steps(), lr=0.1, weight_decay=0.0, lr_decay=0.0, eps=1e-10, maximize=False)
    functional.rmsprop(
        p,
        g,
        zeros(),
        zeros(),
        zeros(),
        steps(),
        lr=0.1,
        alpha=0.9,
        eps=1e-8,
        weight_decay=0.0,
        momentum=0.5,
        centered=True,
    )
    functional.rprop(
        p,
        g,
        zeros(),
        [torch.full_like(t, 0.1) for t in p],
        steps(),
        step_size_min=1e-6,
        step_size_max=50.0,
        etaminus=0.5,
        etaplus=1.2,
    )
    wrong = error(
        lambda: functional.adam(
            p,
            g,
            a,
            b,
            [],
            [1, 1],
            amsgrad=False,
            beta1=0.9,
            beta2=0.99,
            lr=0.1,
            weight_decay=0.0,
            eps=1e-8,
            maximize=False,
        )
    )
    return [
        [t.tolist() for t in p],
        [t.tolist() for t in buffers],
        [t.tolist() for t in a],
        [t.item() for t in n],
        wrong,
    ]


@case
def counts_that_are_plain_numbers_are_loaded(torch):
    seen = []
    for kind in (torch.optim.Adafactor, torch.optim.Adam, torch.optim.SparseAdam):
        p = torch.nn.Parameter(torch.ones(2, 2))
        optimizer = kind([p])
        p.grad = torch.ones(2, 2) if kind is not torch.optim.SparseAdam else torch.eye(2).to_sparse()
        optimizer.step()
        saved = optimizer.state_dict()
        saved["state"][0]["step"] = float(saved["state"][0]["step"])
        optimizer.load_state_dict(saved)
        optimizer.step()
        seen.append([see(torch, p), see(torch, optimizer.state[p]["step"])])
    return seen


@case
def differentiable_steps_are_recorded_within_no_grad_too(torch):
    found = []
    for name in ("SGD", "Adam", "RMSprop"):
        leaf = torch.ones(2, requires_grad=True)
        p = leaf * 2
        p.grad = torch.ones(2)
        optimizer = getattr(torch.optim, name)([p], lr=0.1, differentiable=True)
        with torch.no_grad():
            optimizer.step()
        found.append([p.grad_fn.name(), torch.autograd.grad(p.sum(), leaf)[0].tolist()])
    return found
