"""Optimizers besides their steps: what they refuse, how they print, groups, state, hooks, copies."""

from __future__ import annotations

import copy
import pickle
from importlib import import_module

from .observe import case, error, see, warned

NAMES = (
    "SGD",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "RAdam",
    "Adadelta",
    "Adagrad",
    "Adafactor",
    "ASGD",
    "RMSprop",
    "Rprop",
    "LBFGS",
    "Muon",
    "SparseAdam",
)


def parameter(torch, *shape):
    return torch.nn.Parameter(torch.ones(*(shape or (2,))))


def settings(optimizer):
    return [{k: str(v) for k, v in group.items() if k != "params"} for group in optimizer.param_groups]


@case
def names(torch):
    return {
        name: sorted(n for n in import_module(f"{torch.__name__}.optim.{name}").__all__)
        for name in ("adam", "adamw", "sgd", "lbfgs", "rmsprop", "lr_scheduler", "swa_utils", "sparse_adam", "_muon")
    }


@case
def all_print_with_their_defaults(torch):
    return [repr(getattr(torch.optim, name)([parameter(torch, 2, 2)])) for name in NAMES]


@case
def defaults(torch):
    return [
        {k: str(v) for k, v in getattr(torch.optim, name)([parameter(torch, 2, 2)]).defaults.items()} for name in NAMES
    ]


@case
def wrong_arguments(torch):
    wrong = [
        {"lr": -1.0},
        {"lr": torch.tensor([0.1, 0.2])},
        {"eps": -1.0},
        {"betas": (1.0, 0.9)},
        {"betas": (0.9, 1.0)},
        {"betas": (-0.1, 0.9)},
        {"weight_decay": -1.0},
        {"momentum": -1.0},
        {"alpha": -1.0},
        {"rho": -1.0},
        {"rho": 2.0},
        {"lr_decay": -1.0},
        {"initial_accumulator_value": -1.0},
        {"momentum_decay": -1.0},
        {"etas": (1.0, 2.0)},
        {"etas": (0.5, 1.0)},
        {"beta2_decay": 1.0},
        {"d": 0.0},
        {"nesterov": True},
        {"nesterov": True, "momentum": 0.0},
        {"nesterov": True, "momentum": 0.9, "dampening": 0.1},
        {"adjust_lr_fn": "x"},
        {"fused": True, "foreach": True},
        {"fused": True, "differentiable": True},
        {"unknown": 1},
        {"lr": float("nan")},
        {"lr": torch.tensor(0.1), "foreach": True},
        {"betas": (torch.tensor(0.9), 0.99)},
        {"betas": (torch.tensor(0.9), torch.tensor(0.99)), "foreach": True},
        {"betas": (torch.tensor([0.9, 0.8]), torch.tensor(0.99))},
    ]
    found = []
    for name in NAMES:
        cls = getattr(torch.optim, name)
        for mode in wrong:
            seen = error(lambda cls=cls, mode=mode: cls([parameter(torch, 2, 2)], **mode) and None)
            if seen.get("raises") == "TypeError":
                seen = "TypeError"
            if "betas" in mode and len(mode) == 2 and name != "Adam" and name != "AdamW":
                continue
            found.append([name, str(mode), seen])
    return found


@case
def adafactor_refuses_its_eps(torch):
    p = parameter(torch, 2, 2)
    return [error(lambda eps=eps: torch.optim.Adafactor([p], eps=eps) and None) for eps in ((-1.0, 1e-3), (None, -1.0))]


@case
def steps_refused(torch):
    found = []
    for name in NAMES[:12]:
        cls = getattr(torch.optim, name)
        for mode in ({"capturable": True}, {"foreach": True, "differentiable": True}):
            p = parameter(torch)
            q = p * 1 if "differentiable" in mode else p
            try:
                optimizer = cls([q], **mode)
            except TypeError:
                found.append([name, "TypeError"])
                continue
            q.grad = torch.ones(2)
            found.append([name, error(optimizer.step)])
    return found


@case
def more_refusals(torch):
    p, q = parameter(torch), parameter(torch)
    z = torch.nn.Parameter(torch.ones(2, 2, dtype=torch.complex64))
    z.grad = torch.ones(2, 2, dtype=torch.complex64)
    p.grad = torch.ones(2)
    optim = torch.optim
    return [
        error(lambda: optim.SparseAdam([p]).step()),
        error(lambda: optim.LBFGS([{"params": [p]}, {"params": [q]}])),
        error(lambda: optim.LBFGS([p]).step()),
        error(lambda: optim.LBFGS([p], line_search_fn="x").step(lambda: (p * p).sum())),
        error(lambda: optim.Muon([p])),
        error(lambda: optim.Muon([parameter(torch, 2, 2, 2)])),
        error(lambda: optim.Muon([z]).step()),
        error(lambda: optim.Adafactor([z]).step()),
        error(lambda: optim.SGD([z], fused=True).step()),
        error(lambda: optim.Adam([z], fused=True).step()),
        error(lambda: optim.Adam([p], differentiable=True).step()),
        error(lambda: optim.SGD([p], differentiable=True).step()),
        error(lambda: optim.SGD(None)),
        error(lambda: optim.SGD(3)),
        error(lambda: optim.SGD([[p]])),
        error(lambda: optim.SGD({"a": p})),
        error(lambda: optim.SGD([("a", "b")])),
        error(lambda: optim.SGD([("a", p), q])),
        error(lambda: optim.Adam([p]).step(1)),
    ]


@case
def required_settings(torch):
    module = import_module(f"{torch.__name__}.optim.optimizer")

    class Mine(module.Optimizer):
        def __init__(self, params):
            super().__init__(params, {"lr": module.required})

    p = parameter(torch)
    return [
        repr(module.required),
        error(lambda: Mine([p])),
        settings(Mine([{"params": [p], "lr": 1}])),
        error(lambda: Mine([{"params": [p], "lr": 1}]).step()),
    ]


@case
def groups(torch):
    p, q, r = parameter(torch), parameter(torch), parameter(torch)
    optimizer = torch.optim.SGD([{"params": [p], "own": 3}, {"params": iter([q]), "lr": 0.5}], lr=0.1)
    optimizer.add_param_group({"params": r, "momentum": 0.9})
    return [
        settings(optimizer),
        [len(group["params"]) for group in optimizer.param_groups],
        error(lambda: optimizer.add_param_group([p])),
        error(lambda: optimizer.add_param_group({"lr": 1})),
        error(lambda: optimizer.add_param_group({"params": [p]})),
        error(lambda: optimizer.add_param_group({"params": {parameter(torch)}})),
        error(lambda: optimizer.add_param_group({"params": [parameter(torch) * 2]})),
        error(lambda: optimizer.add_param_group({"params": [("x", parameter(torch))]})),
        warned(lambda: torch.optim.SGD([p, p])),
    ]


@case
def named_parameters(torch):
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.Adam(model.named_parameters(), lr=0.1)
    plain = torch.optim.Adam(model.parameters(), lr=0.2)
    state = optimizer.state_dict()
    before = settings(plain)
    plain.load_state_dict(state)
    optimizer.load_state_dict(torch.optim.Adam(model.parameters(), lr=0.3).state_dict())
    return [
        see(torch, state),
        before,
        settings(plain),
        settings(optimizer),
        error(lambda: optimizer.add_param_group({"params": [parameter(torch)]})),
        repr(optimizer),
    ]


@case
def loading_casts_state_to_the_parameter(torch):
    p = torch.nn.Parameter(torch.ones(2, dtype=torch.float64))
    p.grad = torch.ones(2, dtype=torch.float64)
    first = torch.optim.Adam([p])
    first.step()
    half, single = (torch.nn.Parameter(torch.ones(2, dtype=d)) for d in (torch.float16, torch.float32))
    found = []
    for q in (half, single, p):
        second = torch.optim.Adam([q])
        second.load_state_dict(first.state_dict())
        found.append([see(torch, second.state_dict()), second.state[q]["exp_avg"] is first.state[p]["exp_avg"]])
    return found


@case
def loading_refuses(torch):
    optimizer = torch.optim.SGD([parameter(torch)])
    return [
        error(lambda: optimizer.load_state_dict({"state": {}, "param_groups": []})),
        error(lambda: optimizer.load_state_dict({"state": {}, "param_groups": [{"params": [0, 1]}]})),
        error(lambda: optimizer.load_state_dict({"state": {}})),
    ]


@case
def training_goes_on_from_saved_state(torch):
    found = []
    for name in ("SGD", "Adam", "RAdam", "Adagrad", "ASGD", "Rprop"):

        def run(stop, name=name):
            p, q = torch.nn.Parameter(torch.tensor([1.0, 2.0])), torch.nn.Parameter(torch.tensor([[0.5]]))
            mode = {"momentum": 0.9} if name == "SGD" else {}
            optimizer = getattr(torch.optim, name)([p, q], lr=0.1, **mode)
            for t in range(6):
                if t == stop:
                    state = copy.deepcopy(optimizer.state_dict())
                    optimizer = getattr(torch.optim, name)([p, q], lr=5.0, **mode)
                    optimizer.load_state_dict(state)
                optimizer.zero_grad()
                ((p * p).sum() + (q * 3).sum() * t).backward()
                optimizer.step()
            return [p.tolist(), q.tolist()]

        found.append([run(None), run(3)])
    return found


@case
def copies(torch):
    """Pickled and deep-copied optimizers have parameters of their own, and go on alike."""
    p = parameter(torch)
    p.grad = torch.ones(2)
    found = []
    for name in ("SGD", "Adam", "NAdam", "Rprop"):
        optimizer = getattr(torch.optim, name)([p])
        optimizer.step(lambda: (p * p).sum())
        for other in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
            (own,) = other.param_groups[0]["params"]
            own.grad = torch.full((2,), 0.5)
            other.step(lambda own=own: (own * own).sum())
            found.append([own is p, p.tolist(), own.tolist(), len(other.state), repr(other) == repr(optimizer)])
    return found


@case
def state_of_older_versions(torch):
    p = parameter(torch)
    optimizer = torch.optim.Adam([p])
    optimizer.load_state_dict(
        {
            "state": {0: {"step": 3, "exp_avg": torch.ones(2), "exp_avg_sq": torch.ones(2)}},
            "param_groups": [{"params": [0], "lr": 0.1, "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0}],
        }
    )
    p.grad = torch.ones(2)
    optimizer.step()
    return [p.tolist(), see(torch, optimizer.state[p]), sorted(optimizer.param_groups[0])]


@case
def step_hooks(torch):
    module = import_module(f"{torch.__name__}.optim.optimizer")
    p = parameter(torch)
    p.grad = torch.ones(2)
    optimizer = torch.optim.SGD([p], lr=0.1)
    seen = []

    def note(word):
        return lambda o, args, kwargs: seen.append([word, type(o).__name__, len(args), sorted(kwargs)])

    handles = [
        module.register_optimizer_step_pre_hook(note("every pre")),
        module.register_optimizer_step_post_hook(note("every post")),
        optimizer.register_step_pre_hook(note("pre")),
        optimizer.register_step_post_hook(note("post")),
    ]
    try:
        optimizer.step()
        optimizer.step(closure=lambda: 5)
        torch.optim.Adam([p]).step()
    finally:
        for handle in handles:
            handle.remove()
    optimizer.step()
    optimizer.register_step_pre_hook(lambda o, args, kwargs: ((o, lambda: 7), {}))
    changed = optimizer.step()
    optimizer.register_step_pre_hook(lambda o, args, kwargs: 3)
    wrong = error(optimizer.step)
    wrong["message"] = wrong["message"].split("must")[-1]
    return [seen, changed, wrong]


@case
def state_dict_hooks(torch):
    optimizer = torch.optim.SGD([parameter(torch)], lr=0.1)
    seen = []
    optimizer.register_state_dict_pre_hook(lambda o: seen.append("before"))
    optimizer.register_state_dict_pre_hook(lambda o: seen.append("before that"), prepend=True)
    optimizer.register_state_dict_post_hook(lambda o, state: {**state, "more": 1})
    optimizer.register_load_state_dict_pre_hook(lambda o, state: seen.append(sorted(state)))
    optimizer.register_load_state_dict_pre_hook(
        lambda o, state: {**state, "param_groups": [{**state["param_groups"][0], "lr": 7}]}
    )
    optimizer.register_load_state_dict_post_hook(lambda o: seen.append(o.param_groups[0]["lr"]))
    optimizer.load_state_dict(optimizer.state_dict())
    return [seen, sorted(optimizer.state_dict())]


@case
def zero_grad(torch):
    p, q = parameter(torch), parameter(torch)
    optimizer = torch.optim.SGD([p, q], lr=0.1)
    p.grad = p * 2
    optimizer.zero_grad(set_to_none=False)
    kept = [see(torch, p.grad), q.grad is None]
    optimizer.zero_grad()
    return [kept, p.grad is None]


@case
def closures(torch):
    p = parameter(torch)
    found = []
    for name in NAMES[:12]:
        optimizer = getattr(torch.optim, name)([p], lr=0.1)

        def closure(optimizer=optimizer):
            optimizer.zero_grad()
            loss = (p * p).sum()
            loss.backward()
            return loss

        with torch.no_grad():
            found.append(optimizer.step(closure).item())
    return [found, p.tolist()]


@case
def optimizers_written_by_others(torch):
    """One in the style of many that are published."""
    module = import_module(f"{torch.__name__}.optim.optimizer")

    class Lion(module.Optimizer):
        def __init__(self, params, lr=1e-2, betas=(0.9, 0.99), weight_decay=0.1):
            super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

        def __setstate__(self, state):
            super().__setstate__(state)
            for group in self.param_groups:
                group.setdefault("maximize", False)

        @torch.no_grad()
        def step(self, closure=None):
            loss = None
            if closure is not None:
                with torch.enable_grad():
                    loss = closure()
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is None:
                        continue
                    grad = p.grad.data
                    state = self.state[p]
                    if len(state) == 0:
                        state["step"] = 0
                        state["exp_avg"] = torch.zeros_like(p.data, memory_format=torch.preserve_format)
                    state["step"] += 1
                    p.data.mul_(1 - group["lr"] * group["weight_decay"])
                    exp_avg, (beta1, beta2) = state["exp_avg"], group["betas"]
                    update = exp_avg.clone().mul_(beta1).add(grad, alpha=1 - beta1).sign_()
                    p.add_(update, alpha=-group["lr"])
                    exp_avg.mul_(beta2).add_(grad, alpha=1 - beta2)
                    denominator = exp_avg.abs().add_(1.0)
                    p.data.addcdiv_(exp_avg, denominator, value=-group["lr"])
                    p.addcmul_(exp_avg, denominator, value=1e-3)
            return loss

    class Foreach(module.Optimizer):
        def __init__(self, params, lr=0.1):
            super().__init__(params, {"lr": lr, "differentiable": False})

        @module._use_grad_for_differentiable
        def step(self, closure=None):
            for group in self.param_groups:
                params = [p for p in group["params"] if p.grad is not None]
                grads = [p.grad for p in params]
                means = [self.state[p].setdefault("mean", torch.zeros_like(p)) for p in params]
                torch._foreach_lerp_(means, grads, 0.1)
                scales = torch._foreach_norm(means)
                torch._foreach_add_(scales, 1e-3)
                updates = torch._foreach_div(means, scales)
                torch._foreach_mul_(updates, group["lr"])
                torch._foreach_sub_(params, updates)

    found = []
    for cls in (Lion, Foreach):
        model = torch.nn.Linear(3, 2)
        with torch.no_grad():
            model.weight.copy_(torch.linspace(-1, 1, 6).reshape(2, 3))
            model.bias.zero_()
        optimizer = cls(model.parameters())
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
        for _ in range(5):
            optimizer.zero_grad()
            (model(torch.ones(4, 3)) ** 2).mean().backward()
            optimizer.step()
            scheduler.step()
        again = cls(model.parameters())
        again.load_state_dict(optimizer.state_dict())
        found.append([model.weight.tolist(), model.bias.tolist(), see(torch, again.state_dict())])
    return found
