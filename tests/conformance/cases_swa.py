"""Averages of weights: AveragedModel, SWALR, update_bn."""

from __future__ import annotations

from importlib import import_module

from .observe import case, error, see, warned


def utils(torch):
    return import_module(f"{torch.__name__}.optim.swa_utils")


def model_of(torch):
    nn = torch.nn
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))
    with torch.no_grad():
        for i, p in enumerate(model.parameters()):
            p.copy_(torch.linspace(-1, 1, p.numel()).reshape(p.shape) + 0.1 * i)
    return model


def data(torch):
    return torch.linspace(-1, 2, 12).reshape(6, 2)


def train(torch, model, averaged, steps=4):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(steps):
        optimizer.zero_grad()
        (model(data(torch)) ** 2).mean().backward()
        optimizer.step()
        averaged.update_parameters(model)


@case
def averages(torch):
    swa = utils(torch)
    found = []
    for mode in (
        {},
        {"use_buffers": True},
        {"avg_fn": swa.get_swa_avg_fn()},
        {"avg_fn": swa.get_ema_avg_fn(0.8)},
        {"multi_avg_fn": swa.get_ema_multi_avg_fn(0.8)},
        {"multi_avg_fn": swa.get_swa_multi_avg_fn()},
        {"multi_avg_fn": swa.get_ema_multi_avg_fn(0.8), "use_buffers": True},
        {"avg_fn": lambda average, current, n: average + (current - average) / (n + 2)},
    ):
        model = model_of(torch)
        averaged = swa.AveragedModel(model, **mode)
        train(torch, model, averaged)
        averaged.eval()
        found.append([see(torch, dict(averaged.state_dict())), averaged(data(torch)).tolist()])
    return found


@case
def averaged_models_print_and_keep_state(torch):
    swa = utils(torch)
    averaged = swa.AveragedModel(torch.nn.Linear(2, 1))
    other = swa.AveragedModel(torch.nn.Linear(2, 1))
    other.load_state_dict(averaged.state_dict())
    return [repr(averaged), list(averaged.state_dict()), see(torch, averaged.n_averaged), averaged.training]


@case
def refusals(torch):
    swa = utils(torch)
    model = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    return [
        error(lambda: swa.AveragedModel(model, avg_fn=abs, multi_avg_fn=abs)),
        error(lambda: swa.get_ema_avg_fn(2)),
        error(lambda: swa.get_ema_multi_avg_fn(-1)),
        error(lambda: swa.SWALR(optimizer, 0.05, anneal_strategy="x")),
        error(lambda: swa.SWALR(optimizer, 0.05, anneal_epochs=-1)),
        error(lambda: swa.SWALR(optimizer, 0.05, anneal_epochs="a")),
        error(lambda: swa.SWALR(optimizer, [0.1, 0.2])),
    ]


@case
def learning_rates(torch):
    swa = utils(torch)
    found = []
    for mode in (
        {"swa_lr": 0.05},
        {"swa_lr": [0.05, 0.5], "anneal_epochs": 3},
        {"swa_lr": 0.05, "anneal_strategy": "linear"},
        {"swa_lr": 0.05, "anneal_epochs": 0},
    ):
        params = [{"params": [torch.nn.Parameter(torch.ones(1))], "lr": lr} for lr in (0.1, 0.3)]
        optimizer = torch.optim.SGD(params)
        scheduler = swa.SWALR(optimizer, **mode)
        seen = [[g["lr"] for g in optimizer.param_groups]]
        for _ in range(12):
            optimizer.step()
            scheduler.step()
            seen.append(scheduler.get_last_lr())
        other = swa.SWALR(optimizer, **mode)
        other.load_state_dict(scheduler.state_dict())
        found.append([seen, scheduler.state_dict(), other.state_dict(), warned(scheduler.get_lr)])
    return found


@case
def statistics_anew(torch):
    model = model_of(torch)
    batches = [data(torch), [data(torch) * 2, torch.ones(6)], (data(torch) + 1,)]
    model.eval()
    utils(torch).update_bn(batches, model)
    norm = model[1]
    plain = torch.nn.Linear(2, 2)
    return [
        see(torch, norm.running_mean),
        see(torch, norm.running_var),
        norm.num_batches_tracked.item(),
        norm.momentum,
        model.training,
        utils(torch).update_bn([data(torch)], plain),
    ]


@case
def averages_of_integers(torch):
    swa, seen = utils(torch), []
    olds = [[torch.ones(2), torch.tensor([4])], [torch.tensor([4]), torch.ones(2)], [torch.tensor([4])]]
    news = [[torch.zeros(2), torch.tensor([9])], [torch.tensor([9]), torch.zeros(2)], [torch.tensor([9])]]
    for old, new in zip(olds, news):
        for change in (swa.get_swa_multi_avg_fn(), swa.get_ema_multi_avg_fn(0.75)):
            for count in (1, torch.tensor(1)):
                averages = [t.clone() for t in old]
                refused = error(lambda: change(averages, new, count))  # noqa: B023
                seen += [refused, [see(torch, t) for t in averages]]
    return seen


@case
def plain_means_of_statistics(torch):
    """Batch normalization counts its batches by an integer."""
    seen = []
    for given in ({}, {"multi_avg_fn": utils(torch).get_swa_multi_avg_fn()}):
        model = model_of(torch)
        average = utils(torch).AveragedModel(model, use_buffers=True, **given)
        model(data(torch))
        average.update_parameters(model)
        model(data(torch) * 3)
        refused = error(lambda: average.update_parameters(model))  # noqa: B023
        seen += [refused, [see(torch, b) for b in average.buffers()] if "raises" not in refused else None]
    return seen
