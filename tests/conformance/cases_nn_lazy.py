"""Lazy modules, and containers of parameters and modules."""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict

from .observe import case, error, see, warned

# ---- lazy modules


@case
def lazy_modules(torch):
    nn = torch.nn
    seen = []
    for make, shape in (
        (lambda: nn.LazyLinear(3), (2, 4)), (lambda: nn.LazyLinear(3, bias=False), (2, 2, 4)),
        (lambda: nn.LazyConv1d(4, 3), (1, 2, 5)), (lambda: nn.LazyConv2d(4, 3, groups=2), (1, 2, 5, 5)),
        (lambda: nn.LazyConv3d(2, 2, padding=1, bias=False), (1, 2, 3, 3, 3)),
        (lambda: nn.LazyConvTranspose1d(4, 3), (2, 5)), (lambda: nn.LazyConvTranspose2d(4, 3, stride=2), (1, 2, 5, 5)),
        (lambda: nn.LazyConvTranspose3d(4, 2), (1, 2, 2, 2, 2)), (lambda: nn.LazyBatchNorm1d(), (3, 4)),
        (lambda: nn.LazyBatchNorm2d(affine=False), (2, 3, 2, 2)),
        (lambda: nn.LazyBatchNorm3d(bias=False), (2, 3, 2, 2, 2)),
        (lambda: nn.LazyInstanceNorm1d(), (2, 3, 4)), (lambda: nn.LazyInstanceNorm2d(affine=False), (2, 3, 4, 4)),
        (lambda: nn.LazyInstanceNorm3d(track_running_stats=False), (2, 3, 4, 4, 2)),
    ):  # fmt: skip
        module = make()
        before = [repr(module), {k: str(v) for k, v in module.state_dict().items()}, module.has_uninitialized_params(),
                  type(module).__name__]  # fmt: skip
        module.double()
        out = module(torch.arange(float(torch.ones(shape).numel()), dtype=torch.float64).reshape(shape))
        after = [repr(module), type(module).__name__, {k: list(v.shape) for k, v in module.state_dict().items()},
                 list(out.shape), str(out.dtype), hasattr(module, "_initialize_hook"),
                 len(module._forward_pre_hooks)]  # fmt: skip
        seen.append([before, after])
    return seen


@case
def lazy_modules_are_copied(torch):
    import copy
    import pickle

    made = torch.nn.Sequential(torch.nn.LazyConv1d(3, 2), torch.nn.LazyLinear(3))
    copies = [copy.deepcopy(made), pickle.loads(pickle.dumps(made)), made]
    x = torch.ones(2, 4, 5)
    return [[list(each(x).shape), list(each(x).shape), repr(each), len(each[0]._forward_pre_hooks),
             len(each[0]._load_state_dict_pre_hooks)] for each in copies]  # fmt: skip


@case
def lazy_modules_load_states(torch):
    nn = torch.nn
    seen = []
    lazy = nn.LazyLinear(3)
    seen += [str(lazy.load_state_dict(nn.Linear(4, 3).state_dict())), repr(lazy), lazy.has_uninitialized_params()]
    lazy(torch.ones(1, 4))
    seen.append(repr(lazy))
    copied = copy.deepcopy(nn.LazyConv2d(2, 3))
    again = pickle.loads(pickle.dumps(nn.LazyLinear(3)))
    seen += [repr(copied), type(copied.weight).__name__, repr(again), type(again.weight).__name__]
    seen.append(str(nn.LazyLinear(3).load_state_dict(nn.LazyLinear(3).state_dict())))
    seen.append([error(fn) for fn in (
        lambda: nn.LazyLinear(2).load_state_dict({}),
        lambda: nn.Linear(2, 2).load_state_dict(nn.LazyLinear(2).state_dict()),
        lambda: nn.LazyConv2d(4, 3)(torch.ones(2, 2)), lambda: nn.LazyBatchNorm2d()(torch.ones(2, 2)),
        lambda: nn.LazyLinear(2).share_memory(), lambda: nn.LazyLinear(2).weight.shape,
        lambda: nn.LazyLinear(2)._replicate_for_data_parallel(),
    )])  # fmt: skip
    return seen


@case
def lazy_modules_of_ones_own(torch):
    nn = torch.nn
    mixin = nn.modules.lazy.LazyModuleMixin

    class Scale(mixin, nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.UninitializedParameter()
            self.register_buffer("seen", nn.UninitializedBuffer())

        def initialize_parameters(self, x, factor=1):
            if self.has_uninitialized_params():
                self.scale.materialize((x.shape[-1],))
                self.seen.materialize(x.shape)
                nn.init.constant_(self.scale, factor)

        def forward(self, x, factor=1):
            return x * self.scale

    class Forgetful(mixin, nn.Module):
        def __init__(self):
            super().__init__()
            self.p = nn.UninitializedParameter()

        def initialize_parameters(self, x):
            pass

    class Missing(mixin, nn.Module):
        pass

    module = Scale()
    out = module(torch.ones(2, 3), factor=2)
    return [see(torch, out), type(module.scale).__name__, list(module.seen.shape), type(module).__name__,
            error(lambda: Forgetful()(1)), error(lambda: Missing()(1)),
            nn.parameter.is_lazy(nn.UninitializedParameter()),
            nn.parameter.is_lazy(module.scale)]  # fmt: skip


@case
def uninitialized_parameters(torch):
    nn = torch.nn
    p = nn.UninitializedParameter(requires_grad=False, dtype=torch.float64)
    b = nn.UninitializedBuffer(persistent=False)
    seen = [repr(p), isinstance(p, nn.Parameter), p.requires_grad, str(p.dtype), repr(b), isinstance(b, nn.Buffer),
            error(lambda: p.shape)["message"][:60]]  # fmt: skip
    raised = [error(fn) for fn in (lambda: p + 1, lambda: p.sum(), lambda: p[0], lambda: torch.add(b, 1))]
    seen += [[e["raises"], e["message"][:48]] for e in raised]
    p.materialize((2, 3))
    b.materialize((2,), dtype=torch.int64)
    return [*seen, type(p).__name__, list(p.shape), str(p.dtype), p.requires_grad, type(b).__name__, str(b.dtype)]


# ---- containers of parameters


@case
def parameter_lists(torch):
    nn = torch.nn
    one = torch.ones
    made = nn.ParameterList([nn.Parameter(one(2)), one(3), 3, "a", nn.Parameter(one(2, 2, dtype=torch.float64))])
    seen = [repr(made), len(made), sorted(made.state_dict()), type(made[1]).__name__, made[1].requires_grad,
            list(made[-1].shape), repr(made[1:3]), [type(v).__name__ for v in made]]  # fmt: skip
    made.append(torch.zeros(1))
    made.extend([1, one(1)])
    made += [one(4)]
    made[0] = torch.zeros(5)
    seen += [len(made), list(made[0].shape), sorted(made._parameters), "0" in dir(made)]
    seen += [repr(nn.ParameterList()), repr(nn.ParameterList([nn.ParameterList([one(1)])]))]
    seen += [error(fn) for fn in (lambda: made[20], lambda: made["a"], lambda: made(1), lambda: made.extend(3),
                                  lambda: nn.ParameterList(3))]  # fmt: skip
    return seen


@case
def parameter_dicts(torch):
    nn = torch.nn
    one = torch.ones
    made = nn.ParameterDict({"b": nn.Parameter(one(2)), "a": one(3), "c": 3})
    seen = [repr(made), len(made), list(made), sorted(made.state_dict()), list(made.keys()),
            [k for k, _ in made.items()],
            [type(v).__name__ for v in made.values()]]  # fmt: skip
    made["d"] = one(1)
    made["e"] = nn.ReLU()
    seen += [repr(made), "d" in made, type(made.pop("d")).__name__, list(made), made.popitem()[0], made.get("zz"),
             made.get("zz", 3), type(made.setdefault("q", one(1))).__name__, list(made.copy()),
             list(reversed(made))]  # fmt: skip
    made.update({"z": 1})
    made.update([("y", 2)])
    seen += [list(made), repr(made.fromkeys(["k", "l"], 1)), list(made | {"h": 1}), sorted({"h": 1} | made)]
    made |= {"w": 1}
    del made["w"]
    seen += [error(fn) for fn in (
        lambda: made["w"], lambda: made(1), lambda: made.update(3), lambda: made.update([3]),
        lambda: made.update([(1, 2, 3)]), lambda: nn.ParameterDict().__setitem__(3, 1),
        lambda: nn.ParameterDict({"a.b": one(1)}),
    )]  # fmt: skip
    made.clear()
    return [*seen, repr(made), repr(nn.ParameterDict(OrderedDict(z=1, a=2)))]


@case
def sequential_in_corners(torch):
    nn = torch.nn
    made = nn.Sequential(nn.ReLU(), nn.Tanh())
    made.insert(0, nn.Sigmoid())
    made.extend([nn.Tanh()])
    seen = [repr(made * 2), repr(made[1:]), repr(made + made), repr(made.pop(0)), len(made)]
    made += nn.Sequential(nn.ReLU())
    made *= 2
    del made[1:3]
    made[0] = nn.GELU()
    seen.append(repr(made))
    seen += [{**e, "message": e.get("message", "")[:25]} for e in (error(fn) for fn in (
        lambda: made + [1],  # noqa: RUF005
        lambda: made * 0, lambda: made * 1.5, lambda: made.insert(90, nn.ReLU()),
        lambda: made.insert(0, 3), lambda: made.append(3), lambda: made[50], lambda: nn.Sequential(3),
    ))]  # fmt: skip
    return [*seen, warned(lambda: nn.Container(a=nn.ReLU()))]
