"""Schedulers of the learning rate: their curves, state, errors and warnings."""

from __future__ import annotations

import copy
import pickle
import warnings

from .observe import case, error, plain, warned


def optimizer_of(torch, lr=0.1, groups=1, cls="SGD", **mode):
    params = [{"params": [torch.nn.Parameter(torch.ones(2))], "lr": lr * (i + 1)} for i in range(groups)]
    return getattr(torch.optim, cls)(params, lr=lr, **mode)


def numbers(values):
    return [v.item() if hasattr(v, "item") else v for v in values]


def curve(torch, make, steps=12, groups=2, **mode):
    """Learning rates (and momentum, if it moves) after each step."""
    optimizer = optimizer_of(torch, groups=groups, **mode)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # schedulers in schedulers warn of their own order
        scheduler = make(torch.optim.lr_scheduler, optimizer)
    seen = [numbers(g["lr"] for g in optimizer.param_groups)]
    for _ in range(steps):
        optimizer.step()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scheduler.step()
        row = numbers(g["lr"] for g in optimizer.param_groups)
        if numbers(scheduler.get_last_lr()) != row:
            row.append("last_lr differs")
        group = optimizer.param_groups[0]
        row.append(group["betas"][0] if "betas" in group else group.get("momentum"))
        seen.append(row)
    return [seen, told(scheduler.state_dict())]


def told(state):
    """A state dict without what is only ours or theirs."""
    if isinstance(state, dict):
        return {str(k): told(v) for k, v in state.items()}
    return [told(v) for v in state] if isinstance(state, (list, tuple)) else plain(state)


SIMPLE = {
    "lambda": lambda s, o: s.LambdaLR(o, lambda e: 0.95**e),
    "lambdas": lambda s, o: s.LambdaLR(o, [lambda e: 0.95**e, lambda e: 1 / (e + 1)]),
    "multiplicative": lambda s, o: s.MultiplicativeLR(o, lambda e: 0.9 if e % 2 else 1.1),
    "step": lambda s, o: s.StepLR(o, 3, 0.5),
    "multi_step": lambda s, o: s.MultiStepLR(o, [2, 5, 5, 9], 0.5),
    "constant": lambda s, o: s.ConstantLR(o, 0.25, 4),
    "linear": lambda s, o: s.LinearLR(o, 0.25, 0.75, 6),
    "exponential": lambda s, o: s.ExponentialLR(o, 0.9),
    "polynomial": lambda s, o: s.PolynomialLR(o, 8, 2.0),
    "cosine": lambda s, o: s.CosineAnnealingLR(o, 5, 0.01),
    "warm_restarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 3, 2, 0.01),
    "warm_restarts_alike": lambda s, o: s.CosineAnnealingWarmRestarts(o, 4),
}


@case
def curves(torch):
    return {name: curve(torch, make) for name, make in SIMPLE.items()}


@case
def curves_of_cycles(torch):
    made = {
        "triangular": lambda s, o: s.CyclicLR(o, 0.01, [0.1, 0.2], 3, 2),
        "triangular2": lambda s, o: s.CyclicLR(o, 0.01, 0.1, 2, mode="triangular2"),
        "exp_range": lambda s, o: s.CyclicLR(
            o, [0.01, 0.02], 0.1, 2, mode="exp_range", gamma=0.9, cycle_momentum=False
        ),
        "scaled": lambda s, o: s.CyclicLR(o, 0.01, 0.1, 2, scale_fn=lambda x: 0.5, scale_mode="iterations"),
        "one": lambda s, o: s.OneCycleLR(o, 0.1, total_steps=12),
        "one_linear": lambda s, o: s.OneCycleLR(o, [0.1, 0.3], epochs=3, steps_per_epoch=4, anneal_strategy="linear"),
        "one_in_three": lambda s, o: s.OneCycleLR(
            o, 0.1, total_steps=12, three_phase=True, pct_start=0.4, div_factor=10.0
        ),
        "one_without": lambda s, o: s.OneCycleLR(o, 0.1, total_steps=12, cycle_momentum=False, final_div_factor=100.0),
    }
    return {name: [curve(torch, make, momentum=0.5), curve(torch, make, cls="Adam")] for name, make in made.items()}


@case
def curves_of_combinations(torch):
    made = {
        "sequential": lambda s, o: s.SequentialLR(o, [s.ConstantLR(o, 0.1, 3), s.ExponentialLR(o, 0.9)], [4]),
        "warm_up": lambda s, o: s.SequentialLR(
            o, [s.LinearLR(o, 0.1, total_iters=3), s.CosineAnnealingLR(o, 6), s.StepLR(o, 2)], [3, 8]
        ),
        "chained": lambda s, o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 3), s.ExponentialLR(o, 0.9)]),
        "restarts": lambda s, o: s.SequentialLR(
            o, [s.LinearLR(o, 0.5, total_iters=2), s.CosineAnnealingWarmRestarts(o, 4)], [3]
        ),
        "nested": lambda s, o: s.SequentialLR(
            o,
            [s.SequentialLR(o, [s.ConstantLR(o, 0.5, 2), s.StepLR(o, 1, 0.5)], [2]), s.ExponentialLR(o, 0.5)],
            [5],
        ),
    }
    return {name: curve(torch, make) for name, make in made.items()}


@case
def learning_rates_that_are_tensors(torch):
    found = {}
    for name, make in SIMPLE.items():
        optimizer = optimizer_of(torch, cls="Adam")
        group = optimizer.param_groups[0]
        group["lr"] = lr = torch.tensor(0.1)
        scheduler = make(torch.optim.lr_scheduler, optimizer) if name != "lambdas" else None
        for _ in range(4 if scheduler else 0):
            optimizer.step()
            scheduler.step()
        found[name] = [group["lr"] is lr, lr.item()]
    return found


@case
def plateau(torch):
    found = []
    values = [1.0, 0.9, 0.9, 0.9, 0.89999, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8]
    for mode in (
        {},
        {"patience": 1},
        {"patience": 1, "threshold": 0.05, "threshold_mode": "abs"},
        {"mode": "max", "patience": 2},
        {"patience": 0, "cooldown": 2, "factor": 0.5},
        {"patience": 0, "min_lr": [0.05, 0.001]},
        {"patience": 1, "mode": "max", "threshold_mode": "abs", "eps": 0.05},
    ):
        optimizer = optimizer_of(torch, groups=2)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **mode)
        seen = []
        for value in values:
            scheduler.step(torch.tensor(value))
            seen.append([*scheduler.get_last_lr(), scheduler.num_bad_epochs, scheduler.in_cooldown])
        found.append([seen, told(scheduler.state_dict())])
    return found


@case
def plateau_with_new_groups(torch):
    found = []
    for least in (0.01, [0.01]):
        optimizer = optimizer_of(torch)
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, min_lr=least)
        optimizer.add_param_group({"params": [torch.nn.Parameter(torch.ones(1))]})
        scheduler.step(1.0)
        found.append([error(lambda s=scheduler: s.step(2.0)), [g["lr"] for g in optimizer.param_groups]])
    return found


@case
def closed_forms(torch):
    """``step(epoch)`` jumps, with a warning."""
    found = {}
    for name in ("lambda", "step", "multi_step", "constant", "linear", "exponential", "polynomial", "cosine"):
        optimizer = optimizer_of(torch, groups=2)
        scheduler = SIMPLE[name](torch.optim.lr_scheduler, optimizer)
        optimizer.step()
        told_so = [warned(lambda e=e, s=scheduler: s.step(e)) for e in (4, 7, 2)]
        found[name] = [scheduler.get_last_lr(), scheduler.last_epoch, told_so]
    for name in ("warm_restarts", "warm_restarts_alike"):
        optimizer = optimizer_of(torch)
        scheduler = SIMPLE[name](torch.optim.lr_scheduler, optimizer)
        seen = []
        for epoch in (0.5, 2.25, 5, 9.5, 30, 1):
            scheduler.step(epoch)
            seen.append([scheduler.get_last_lr(), scheduler.last_epoch, scheduler.T_cur, scheduler.T_i])
        found[name] = seen
    return found


@case
def going_on_from_an_epoch(torch):
    """``last_epoch`` given, with an optimizer that was loaded."""
    found = {}
    for name, make in {
        "lambda": lambda s, o: s.LambdaLR(o, lambda e: 0.9**e, last_epoch=3),
        "multiplicative": lambda s, o: s.MultiplicativeLR(o, lambda e: 0.9, last_epoch=3),
        "step": lambda s, o: s.StepLR(o, 2, last_epoch=3),
        "multi_step": lambda s, o: s.MultiStepLR(o, [4, 6], last_epoch=3),
        "constant": lambda s, o: s.ConstantLR(o, 0.5, 6, last_epoch=3),
        "linear": lambda s, o: s.LinearLR(o, 0.5, total_iters=6, last_epoch=3),
        "exponential": lambda s, o: s.ExponentialLR(o, 0.9, last_epoch=3),
        "polynomial": lambda s, o: s.PolynomialLR(o, 8, last_epoch=3),
        "cosine": lambda s, o: s.CosineAnnealingLR(o, 8, last_epoch=3),
        "restarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 8, last_epoch=3),
        "cyclic": lambda s, o: s.CyclicLR(o, 0.01, 0.1, 3, last_epoch=3),
    }.items():
        optimizer = optimizer_of(torch, momentum=0.9)
        optimizer.param_groups[0]["initial_lr"] = 0.2
        scheduler = make(torch.optim.lr_scheduler, optimizer)
        seen = [scheduler.get_last_lr()]
        for _ in range(5):
            optimizer.step()
            scheduler.step()
            seen.append(scheduler.get_last_lr())
        found[name] = seen
    return found


class Falling:
    """A function with state."""

    def __init__(self):
        self.rate = 0.5

    def __call__(self, epoch):
        return self.rate**epoch


@case
def state_dicts(torch):
    """Loaded into another scheduler, they go on alike."""
    found = {}
    made = {
        **SIMPLE,
        "object": lambda s, o: s.LambdaLR(o, Falling()),
        "cyclic": lambda s, o: s.CyclicLR(o, 0.01, 0.1, 3, mode="exp_range", gamma=0.9),
        "cyclic_scaled": lambda s, o: s.CyclicLR(o, 0.01, 0.1, 3, scale_fn=Falling()),
        "one_cycle": lambda s, o: s.OneCycleLR(o, 0.1, total_steps=20),
        "sequential": lambda s, o: s.SequentialLR(o, [s.ConstantLR(o, 0.1, 3), s.ExponentialLR(o, 0.9)], [4]),
        "chained": lambda s, o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 3), s.ExponentialLR(o, 0.9)]),
    }
    for name, make in made.items():
        first, second = (optimizer_of(torch, groups=2, momentum=0.9) for _ in range(2))
        scheduler, other = (make(torch.optim.lr_scheduler, o) for o in (first, second))
        for _ in range(3):
            first.step()
            scheduler.step()
        other.load_state_dict(copy.deepcopy(scheduler.state_dict()))
        second.load_state_dict(first.state_dict())
        for _ in range(3):
            second.step()
            other.step()
        found[name] = [told(scheduler.state_dict()), other.get_last_lr()]
    return found


@case
def copies(torch):
    found = {}
    for name in ("step", "cosine", "warm_restarts", "multi_step"):
        optimizer = optimizer_of(torch)
        scheduler = SIMPLE[name](torch.optim.lr_scheduler, optimizer)
        optimizer.step()
        scheduler.step()
        seen = []
        for other in (copy.deepcopy(scheduler), pickle.loads(pickle.dumps(scheduler))):
            seen.append([other.optimizer is optimizer, other.get_last_lr(), told(other.state_dict())])
        found[name] = seen
    return found


@case
def order_of_steps(torch):
    s = torch.optim.lr_scheduler
    optimizer = optimizer_of(torch)
    scheduler = s.StepLR(optimizer, 1)
    seen = [warned(scheduler.step), warned(scheduler.step)]
    optimizer = optimizer_of(torch)
    scheduler = s.StepLR(optimizer, 1)
    optimizer.step()
    seen += [warned(scheduler.step), warned(scheduler.get_lr), warned(lambda: scheduler.step(3))]
    optimizer = optimizer_of(torch)
    scheduler = s.StepLR(optimizer, 1)
    optimizer.step = lambda: None
    seen.append(warned(scheduler.step))
    optimizer = optimizer_of(torch)
    first, second = s.StepLR(optimizer, 1), s.ExponentialLR(optimizer, 0.5)
    optimizer.step()
    return [*seen, warned(first.step), warned(second.step), optimizer.step.__name__, optimizer._opt_called]


@case
def refusals(torch):
    s = torch.optim.lr_scheduler

    def new(groups=1, **mode):
        return optimizer_of(torch, groups=groups, **mode)

    o = new()
    wrong = [
        lambda: s.StepLR("x", 1),
        lambda: s.StepLR(new(), 1, last_epoch=3),
        lambda: s.LambdaLR(new(2), [abs]),
        lambda: s.MultiplicativeLR(new(2), [abs]),
        lambda: s.ConstantLR(new(), 2),
        lambda: s.ConstantLR(new(), -1),
        lambda: s.LinearLR(new(), 0),
        lambda: s.LinearLR(new(), 2),
        lambda: s.LinearLR(new(), end_factor=2),
        lambda: s.LinearLR(new(), end_factor=-1),
        lambda: s.CosineAnnealingWarmRestarts(new(), 0),
        lambda: s.CosineAnnealingWarmRestarts(new(), 2.5),
        lambda: s.CosineAnnealingWarmRestarts(new(), 2, 0),
        lambda: s.CosineAnnealingWarmRestarts(new(), 2, 1.5),
        lambda: s.CosineAnnealingWarmRestarts(new(), 2, eta_min="a"),
        lambda: s.CosineAnnealingWarmRestarts(new(), 2).step(-1),
        lambda: s.CyclicLR(new(), 0.1, 0.2, mode="x"),
        lambda: s.CyclicLR(new(2), [0.1], 0.2),
        lambda: s.CyclicLR(new(cls="Adagrad"), 0.1, 0.2),
        lambda: s.CyclicLR(3, 1, 2),
        lambda: s.OneCycleLR(new(), 0.1),
        lambda: s.OneCycleLR(new(), 0.1, total_steps=-1),
        lambda: s.OneCycleLR(new(), 0.1, total_steps=1.5),
        lambda: s.OneCycleLR(new(), 0.1, epochs=-1, steps_per_epoch=2),
        lambda: s.OneCycleLR(new(), 0.1, epochs=1, steps_per_epoch=0),
        lambda: s.OneCycleLR(new(), 0.1, total_steps=5, pct_start=2),
        lambda: s.OneCycleLR(new(), 0.1, total_steps=5, anneal_strategy="x"),
        lambda: s.OneCycleLR(3, 1, 2),
        lambda: s.OneCycleLR(new(cls="Adagrad"), 0.1, 3),
        lambda: s.ReduceLROnPlateau(new(), factor=1.0),
        lambda: s.ReduceLROnPlateau(new(), mode="x"),
        lambda: s.ReduceLROnPlateau(new(), threshold_mode="x"),
        lambda: s.ReduceLROnPlateau("x"),
        lambda: s.ReduceLROnPlateau(new(2), min_lr=[1]),
        lambda: s.ReduceLROnPlateau(new()).step(),
        lambda: s.ReduceLROnPlateau(new()).get_lr(),
        lambda: s.SequentialLR(new(), [], []),
        lambda: s.SequentialLR(o, [s.StepLR(o, 1)], [1]),
        lambda: s.SequentialLR(o, [s.StepLR(o, 1), s.StepLR(new(), 1)], [1]),
        lambda: s.SequentialLR(o, [s.StepLR(o, 1), s.ReduceLROnPlateau(o)], [1]),
        lambda: s.SequentialLR(o, [s.StepLR(o, 1), 3], [1]),
        lambda: s.ChainedScheduler([]),
        lambda: s.ChainedScheduler([s.StepLR(o, 1), s.StepLR(new(), 1)]),
        lambda: s.ChainedScheduler([3]),
        lambda: s.ChainedScheduler([s.StepLR(o, 1), 3]),
        lambda: s.ChainedScheduler([s.ReduceLROnPlateau(o)]),
        lambda: s.LRScheduler(new()),
        lambda: s._LRScheduler(new()),
    ]
    return [error(lambda make=make: make() and None) for make in wrong]


@case
def one_cycle_ends(torch):
    optimizer = optimizer_of(torch, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=2)
    seen = []
    for _ in range(4):
        optimizer.step()
        seen.append(error(scheduler.step))
    return [seen, scheduler.get_last_lr()]


@case
def own_schedulers(torch):
    found = []
    for base in (torch.optim.lr_scheduler.LRScheduler, torch.optim.lr_scheduler._LRScheduler):

        class WarmUp(base):
            def __init__(self, optimizer, steps, last_epoch=-1):
                self.steps = steps
                super().__init__(optimizer, last_epoch)

            def get_lr(self):
                return [lr * min(1.0, (self.last_epoch + 1) / self.steps) for lr in self.base_lrs]

        optimizer = optimizer_of(torch, groups=2)
        scheduler = WarmUp(optimizer, 4)
        seen = [scheduler.get_last_lr()]
        for _ in range(5):
            optimizer.step()
            scheduler.step()
            seen.append(scheduler.get_last_lr())
        found.append([seen, told(scheduler.state_dict())])
    return found
