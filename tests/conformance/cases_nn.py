"""Modules and optimizers: registration, printing, state, hooks, and the paths that optimizers take."""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict

from .observe import case, error, graph, see, warned


def filled(torch, *shape):
    """A parameter-like tensor with values that repeat from run to run."""
    n = 1
    for d in shape:
        n *= d
    return torch.tensor([((7 * i) % 11 - 5) / 8 for i in range(n)]).view(*shape)


def small_model(torch):
    nn = torch.nn
    model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(filled(torch, *p.shape))
    return model


def nested(torch):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(2, 2, bias=False)
            self.scale = nn.Parameter(torch.ones(2))
            self.register_buffer("count", torch.zeros(1))
            self.register_buffer("scratch", torch.zeros(1), persistent=False)
            self.register_parameter("absent", None)

        def forward(self, x):
            return self.inner(x) * self.scale

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = Block()
            self.rest = nn.ModuleList([Block(), nn.ReLU()])

        def forward(self, x):
            for m in [self.first, *self.rest]:
                x = m(x)
            return x

    return Net()


# ---- parameters


@case
def parameter_prints(torch):
    nn = torch.nn
    t = torch.tensor([1.0, 2.0])
    return [repr(nn.Parameter(t)), repr(nn.Parameter(t, requires_grad=False)), str(nn.Parameter(t))]


@case
def parameter_is_a_leaf_that_requires_grad(torch):
    p = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    return [p.is_leaf, p.requires_grad, p.grad_fn is None, isinstance(p, torch.Tensor)]


@case
def parameter_inside_no_grad_still_requires_grad(torch):
    with torch.no_grad():
        return torch.nn.Parameter(torch.ones(1)).requires_grad


@case
def parameter_operations_give_plain_tensors(torch):
    p = torch.nn.Parameter(torch.ones(2))
    found = [p * 2, p.view(-1), p.detach(), p.data, p.clone(), -p]
    return [type(t) is torch.Tensor for t in found]


@case
def parameter_shares_memory_with_its_data(torch):
    t = torch.zeros(2)
    p = torch.nn.Parameter(t)
    with torch.no_grad():
        p.add_(1)
    return see(torch, t)


@case
def parameter_from_a_non_leaf_is_a_leaf(torch):
    x = torch.ones(2, requires_grad=True)
    return see(torch, torch.nn.Parameter(x * 3))


@case
def parameter_of_integers(torch):
    return [error(lambda: torch.nn.Parameter(torch.tensor([1, 2]))),
            see(torch, torch.nn.Parameter(torch.tensor([1, 2]), requires_grad=False))]  # fmt: skip


@case
def parameter_copies_and_pickles(torch):
    p = torch.nn.Parameter(torch.tensor([1.0, 2.0]), requires_grad=False)
    found = []
    for q in (copy.deepcopy(p), pickle.loads(pickle.dumps(p)), copy.copy(p)):
        found.append([type(q).__name__, q is p, see(torch, q)])
    return found


@case
def buffer_is_a_marked_tensor(torch):
    nn = torch.nn
    b = nn.Buffer(torch.ones(2))
    plain = torch.ones(2)
    return [isinstance(b, nn.Buffer), type(b) is torch.Tensor, isinstance(plain, nn.Buffer), b.persistent]


@case
def gradients_of_parameters(torch):
    p = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    (p * p).sum().backward()
    return [see(torch, p.grad), type(p.grad) is torch.Tensor]


# ---- modules


@case
def module_prints(torch):
    nn = torch.nn
    return [
        repr(nn.Linear(2, 3)),
        repr(nn.Linear(2, 3, bias=False)),
        repr(nn.Sequential()),
        repr(nn.Sequential(nn.Linear(1, 2), nn.ReLU(True), nn.Sequential(nn.Tanh(), nn.Softmax(dim=1)))),
        repr(nn.Sequential(OrderedDict(a=nn.Sigmoid(), b=nn.Identity(3)))),
        repr(nn.ModuleList([nn.Linear(1, 2) for _ in range(4)] + [nn.ReLU()])),
        repr(nn.ModuleDict({"a": nn.ReLU(), "b": nn.ModuleList([nn.Tanh(), nn.Tanh()])})),
        repr(nested(torch)),
    ]


@case
def activations_and_losses_print(torch):
    nn = torch.nn
    made = [
        nn.ReLU(), nn.ReLU(inplace=True), nn.ReLU6(), nn.Tanh(), nn.Sigmoid(), nn.Softmax(1), nn.LogSoftmax(),
        nn.GELU(), nn.SiLU(), nn.SiLU(inplace=True), nn.ELU(), nn.ELU(2.0, inplace=True), nn.LeakyReLU(0.2),
        nn.Softplus(), nn.Hardtanh(), nn.Hardtanh(-2.0, 2.0, True), nn.SELU(), nn.CELU(), nn.Mish(), nn.Hardsigmoid(),
        nn.Hardswish(), nn.LogSigmoid(), nn.Softsign(), nn.Tanhshrink(), nn.Softshrink(), nn.Hardshrink(),
        nn.Threshold(0.1, 20.0), nn.GLU(), nn.PReLU(), nn.Softmin(), nn.Dropout(),
        nn.Flatten(), nn.Bilinear(2, 3, 4), nn.MSELoss(), nn.L1Loss(),
    ]  # fmt: skip
    return [repr(m) for m in made]


@case
def extra_repr_of_one_and_of_several_lines(torch):
    nn = torch.nn

    class One(nn.Module):
        def extra_repr(self):
            return "x=1"

    class Two(nn.Module):
        def extra_repr(self):
            return "a\nb"

    with_child, with_none = One(), Two()
    with_child.add_module("c", nn.ReLU())
    with_none.add_module("n", None)
    return [repr(One()), repr(Two()), repr(with_child), repr(with_none)]


@case
def names_of_parameters_buffers_and_modules(torch):
    net = nested(torch)
    return [
        [n for n, _ in net.named_parameters()],
        [n for n, _ in net.named_parameters(recurse=False)],
        [n for n, _ in net.named_parameters(prefix="net")],
        [n for n, _ in net.named_buffers()],
        [n for n, _ in net.named_modules()],
        [n for n, _ in net.named_children()],
        [type(m).__name__ for m in net.modules()],
    ]


@case
def shared_modules_are_named_once(torch):
    nn = torch.nn
    shared = nn.Linear(1, 1)
    s = nn.Sequential(shared, shared)
    return [
        [n for n, _ in s.named_parameters()],
        [n for n, _ in s.named_parameters(remove_duplicate=False)],
        [n for n, _ in s.named_modules()],
        list(s.state_dict()),
    ]


@case
def wrong_registrations(torch):
    nn = torch.nn
    m = nested(torch).first

    def assign(name, value):
        setattr(m, name, value)

    return [
        error(lambda: assign("scale", torch.ones(2))),
        error(lambda: assign("inner", 3)),
        error(lambda: assign("count", 3)),
        error(lambda: m.nothing),
        error(lambda: m.register_parameter("a.b", None)),
        error(lambda: m.register_parameter("", None)),
        error(lambda: m.register_parameter(3, None)),
        error(lambda: m.register_parameter("w", torch.ones(1))),
        error(lambda: m.register_parameter("w", 3)),
        error(lambda: m.register_parameter("forward", None)),
        error(lambda: m.register_buffer("a.b", None)),
        error(lambda: m.register_buffer("", None)),
        error(lambda: m.register_buffer("b", 3)),
        error(lambda: m.register_buffer("forward", None)),
        error(lambda: m.add_module("a.b", None)),
        error(lambda: m.add_module("", None)),
        error(lambda: m.add_module("c", 3)),
        error(lambda: m.add_module("forward", None)),
        error(lambda: nn.Module()(1)),
        error(lambda: nn.Module(1)),
        error(lambda: m.train(3)),
    ]


@case
def registering_before_init(torch):
    nn = torch.nn
    values = [nn.Parameter(torch.ones(1)), nn.ReLU(), nn.Buffer(torch.ones(1))]

    def make(value):
        class Early(nn.Module):
            def __init__(self):
                self.x = value

        return error(Early)

    return [make(v) for v in values]


@case
def reassigning_moves_between_kinds(torch):
    nn = torch.nn
    m = nn.Module()
    m.x = 3
    m.x = nn.Parameter(torch.ones(1))
    one = [list(m._parameters), "x" in m.__dict__]
    m.x = None
    two = [list(m._parameters), m.x is None]
    m.y = nn.ReLU()
    m.y = nn.Parameter(torch.ones(1))
    three = [list(m._parameters), list(m._modules)]
    del m.y
    return [one, two, three, list(m._parameters), hasattr(m, "y")]


@case
def paths_to_submodules(torch):
    net = nested(torch)
    return [
        repr(net.get_submodule("rest.1")),
        net.get_submodule("") is net,
        net.get_parameter("first.scale") is net.first.scale,
        net.get_buffer("first.count") is net.first.count,
        error(lambda: net.get_submodule("first.x")),
        error(lambda: net.get_submodule("first.scale")),
        error(lambda: net.get_parameter("first.x")),
        error(lambda: net.get_parameter("first.count")),
        error(lambda: net.get_buffer("first.scale")),
    ]


@case
def train_and_eval(torch):
    net = nested(torch)
    net.eval()
    before = [m.training for m in net.modules()]
    net.first.train()
    return [before, [m.training for m in net.modules()]]


@case
def apply_goes_children_first(torch):
    seen = []
    nested(torch).apply(lambda m: seen.append(type(m).__name__))
    return seen


@case
def casting_keeps_the_parameter_objects(torch):
    net = nested(torch)
    before = list(net.parameters())
    net.first.scale.grad = torch.ones(2)
    net.double()
    after = list(net.parameters())
    return [
        all(a is b for a, b in zip(before, after)),
        [str(p.dtype) for p in after],
        [str(b.dtype) for b in net.buffers()],
        str(net.first.scale.grad.dtype),
        str(net.to(torch.float32).first.scale.dtype),
        error(lambda: net.to(torch.int64)),
    ]


@case
def requires_grad_and_zero_grad(torch):
    m = torch.nn.Linear(2, 1)
    m.weight.grad = torch.ones(1, 2)
    g = m.weight.grad
    m.zero_grad(set_to_none=False)
    kept = [m.weight.grad is g, see(torch, g)]
    m.zero_grad()
    return [kept, m.weight.grad is None, [p.requires_grad for p in m.requires_grad_(False).parameters()]]


@case
def linear_forward_and_backward(torch):
    m = small_model(torch)
    x = filled(torch, 4, 2).requires_grad_()
    y = m(x)
    y.sum().backward()
    return [see(torch, y), graph(y.grad_fn), see(torch, x.grad), [see(torch, p.grad) for p in m.parameters()]]


@case
def linear_without_bias_and_with_other_ranks(torch):
    m = torch.nn.Linear(2, 3, bias=False)
    with torch.no_grad():
        m.weight.copy_(filled(torch, 3, 2))
    return [see(torch, m(filled(torch, *shape, 2))) for shape in [(), (4,), (2, 2)]]


@case
def linear_with_wrong_sizes(torch):
    return error(lambda: torch.nn.Linear(2, 3)(torch.ones(4, 5)))


# ---- state


@case
def state_dict_of_a_nest(torch):
    net = nested(torch)
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(filled(torch, *p.shape))
    state = net.state_dict()
    return [see(torch, state), list(state), {k: dict(v) for k, v in state._metadata.items()},
            list(net.state_dict(prefix="p."))]  # fmt: skip


@case
def state_dict_is_detached_and_shares_memory(torch):
    m = torch.nn.Linear(1, 1)
    state = m.state_dict()
    with torch.no_grad():
        m.weight.fill_(5)
    kept = m.state_dict(keep_vars=True)
    return [see(torch, state["weight"]), kept["weight"] is m.weight]


@case
def load_state_dict_copies(torch):
    a, b = small_model(torch), torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
    result = b.load_state_dict(a.state_dict())
    with torch.no_grad():
        a[0].weight.fill_(0)
    return [repr(result), see(torch, b.state_dict())]


@case
def load_state_dict_strictly(torch):
    m = torch.nn.Sequential(torch.nn.Linear(2, 3))
    ones = torch.ones
    return [
        error(lambda: m.load_state_dict({"0.weight": ones(3, 2), "x": ones(1)})),
        error(lambda: m.load_state_dict({"0.weight": ones(3, 2), "0.bias": ones(3), "0.bias.y": ones(1)})),
        error(lambda: m.load_state_dict({"0.weight": ones(3, 3), "0.bias": ones(3)})),
        error(lambda: m.load_state_dict({"0.weight": ones(3, 3), "1.bias": ones(3)})),
        error(lambda: m.load_state_dict({"0.weight": 3, "0.bias": ones(3)})),
        error(lambda: m.load_state_dict([1])),
        repr(m.load_state_dict({"0.weight": ones(3, 2), "x": ones(1)}, strict=False)),
    ]


@case
def load_state_dict_assigning(torch):
    m = torch.nn.Linear(1, 1)
    state = {"weight": torch.ones(1, 1), "bias": torch.ones(1)}
    m.load_state_dict(state, assign=True)
    return [type(m.weight).__name__, m.weight.requires_grad, m.weight.data_ptr() == state["weight"].data_ptr()]


@case
def extra_state(torch):
    loaded = []

    class WithExtra(torch.nn.Module):
        def get_extra_state(self):
            return 5

        def set_extra_state(self, state):
            loaded.append(state)

    m = WithExtra()
    return [
        dict(m.state_dict()),
        repr(m.load_state_dict({"_extra_state": 6})),
        loaded,
        error(lambda: m.load_state_dict({})),
        error(lambda: torch.nn.ReLU().load_state_dict({"_extra_state": 1})),
    ]


@case
def modules_copy_and_pickle(torch):
    m = torch.nn.Linear(2, 2)
    with torch.no_grad():
        m.weight.copy_(filled(torch, 2, 2))
        m.bias.zero_()
    found = []
    for c in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        found.append([repr(c), c.weight is m.weight, see(torch, dict(c.state_dict()))])
    return found


# ---- hooks


class Times:
    """Makes a module whose forward is ``x * k``."""

    @staticmethod
    def of(torch):
        class Times(torch.nn.Module):
            def forward(self, x, k=1):
                return x * k

        return Times()


@case
def forward_pre_hooks(torch):
    m = Times.of(torch)
    found = []
    for hook, options in [
        (lambda m, a: (a[0] + 1,), {}),
        (lambda m, a: a[0] + 1, {}),
        (lambda m, a: None, {}),
        (lambda m, a, k: (a, {"k": 5}), {"with_kwargs": True}),
        (lambda m, a, k: None, {"with_kwargs": True}),
    ]:
        handle = m.register_forward_pre_hook(hook, **options)
        found.append(m(1))
        handle.remove()
    m.register_forward_pre_hook(lambda m, a, k: 3, with_kwargs=True)
    return [found, error(lambda: m(1))]


@case
def forward_hooks(torch):
    m = Times.of(torch)
    found = []
    for hook, options in [
        (lambda m, a, out: out + 100, {}),
        (lambda m, a, out: None, {}),
        (lambda m, a, k, out: [list(a), k, out], {"with_kwargs": True}),
    ]:
        with m.register_forward_hook(hook, **options):
            found.append(m(1, k=2))
    order = []
    m.register_forward_hook(lambda m, a, out: order.append("a"))
    m.register_forward_hook(lambda m, a, out: order.append("b"), prepend=True)
    m(1)
    return [found, order]


@case
def forward_hook_that_is_always_called(torch):
    class Fails(torch.nn.Module):
        def forward(self, x):
            raise ValueError("no")

    m, seen = Fails(), []
    m.register_forward_hook(lambda m, a, out: seen.append(out), always_call=True)
    return [error(lambda: m(1)), seen]


@case
def full_backward_hooks(torch):
    m = torch.nn.Linear(2, 1, bias=False)
    with torch.no_grad():
        m.weight.copy_(torch.tensor([[2.0, 3.0]]))
    seen = []
    handle = m.register_full_backward_hook(lambda m, gi, go: seen.append([see(torch, gi), see(torch, go)]))
    x = torch.ones(1, 2, requires_grad=True)
    y = m(x)
    y.backward()
    handle.remove()
    m.register_full_backward_pre_hook(lambda m, go: (go[0] * 10,))
    m(x).backward()
    return [seen, type(y.grad_fn).__name__, see(torch, x.grad), see(torch, m.weight.grad)]


# ---- containers


@case
def sequential_as_a_list(torch):
    nn = torch.nn
    s = nn.Sequential(nn.Linear(1, 1), nn.ReLU(), nn.Tanh())
    found = [repr(s[0]), repr(s[1:]), repr(s[-1]), len(s), error(lambda: s[5]), error(lambda: s[-4])]
    del s[1]
    s.append(nn.ReLU())
    s.insert(0, nn.Sigmoid())
    found.append(repr(s))
    s.extend([nn.Tanh()])
    found += [repr(s.pop(0)), repr(s), repr(s + nn.Sequential(nn.ReLU())), repr(s * 2), len(s)]
    s[0] = nn.Tanh()
    found += [repr(s[0]), error(lambda: s + 3), error(lambda: s.append(3)), error(lambda: s.insert(99, nn.ReLU()))]
    return found


@case
def module_list_as_a_list(torch):
    nn = torch.nn
    m = nn.ModuleList([nn.ReLU(), nn.Tanh()])
    m.insert(1, nn.Linear(1, 1))
    found = [repr(m), repr(m[0:1]), len(m), repr(m[-1]), repr(m + nn.ModuleList([nn.ReLU()])), error(lambda: m[7])]
    del m[0]
    m += [nn.Tanh()]
    m.append(nn.Tanh())
    m[0] = nn.Sigmoid()
    return [*found, repr(m), error(lambda: m.extend(3)), error(lambda: m(1)), [type(x).__name__ for x in m]]


@case
def module_dict_as_a_dict(torch):
    nn = torch.nn
    m = nn.ModuleDict({"x": nn.ReLU()})
    m["y"] = nn.Tanh()
    m.update([["z", nn.Sigmoid()]])
    found = [repr(m), "x" in m, list(m), list(m.keys()), [repr(v) for v in m.values()], len(m), repr(m.pop("x"))]
    del m["y"]
    return [*found, repr(m), error(lambda: m["no"]), error(lambda: m.update(3)), error(lambda: m.update([[1]]))]


# ---- functions, losses, initial values


@case
def mse_loss_in_all_reductions(torch):
    found = []
    for reduction in ("none", "mean", "sum"):
        x = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
        y = torch.tensor([0.5, 3.0, 4.0], requires_grad=True)
        loss = torch.nn.MSELoss(reduction=reduction)(x, y)
        loss.sum().backward()
        found.append([see(torch, loss), graph(loss.grad_fn), see(torch, x.grad), see(torch, y.grad)])
    return found


@case
def mse_loss_saves(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    node = torch.nn.functional.mse_loss(x, torch.zeros(2)).grad_fn
    return [see(torch, node._saved_self), see(torch, node._saved_target), node._saved_reduction]


@case
def mse_loss_twice_differentiated(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([3.0, 5.0], requires_grad=True)
    (g,) = torch.autograd.grad(torch.nn.functional.mse_loss(x, y), x, create_graph=True)
    return [see(torch, g), see(torch, torch.autograd.grad((g * g).sum(), [x, y]))]


@case
def mse_loss_of_wrong_things(torch):
    f = torch.nn.functional
    return [
        error(lambda: f.mse_loss(torch.ones(2), torch.ones(2), reduction="x")),
        error(lambda: f.mse_loss(torch.tensor([1, 2]), torch.tensor([1, 2]))),
        warned(lambda: f.mse_loss(torch.ones(2, 1), torch.zeros(2))),
        warned(lambda: f.mse_loss(torch.ones(2), torch.zeros(2), size_average=False)),
        see(torch, f.mse_loss(torch.ones(2), torch.zeros(2, dtype=torch.float64))),
    ]


@case
def l1_loss_in_all_reductions(torch):
    found = []
    for reduction in ("none", "mean", "sum"):
        x = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
        loss = torch.nn.L1Loss(reduction=reduction)(x, torch.tensor([0.5, 3.0, 4.0]))
        loss.sum().backward()
        found.append([see(torch, loss), graph(loss.grad_fn), see(torch, x.grad)])
    return found


@case
def activation_modules_compute(torch):
    nn = torch.nn
    x = torch.tensor([[-1.5, 0.0, 0.5, 3.0]])
    made = [
        nn.ReLU(), nn.ReLU6(), nn.Tanh(), nn.Sigmoid(), nn.Softmax(1), nn.LogSoftmax(1), nn.GELU(), nn.SiLU(), nn.ELU(),
        nn.LeakyReLU(0.2), nn.Softplus(), nn.Hardtanh(), nn.SELU(), nn.CELU(), nn.Mish(), nn.Hardsigmoid(),
        nn.Hardswish(), nn.LogSigmoid(), nn.Softsign(), nn.Tanhshrink(), nn.Softshrink(), nn.Hardshrink(),
        nn.Threshold(0.1, 20.0), nn.GLU(), nn.PReLU(), nn.Softmin(1), nn.Identity(), nn.Flatten(0),
    ]  # fmt: skip
    return [[repr(m), see(torch, m(x))] for m in made]


@case
def inplace_activations(torch):
    x = torch.tensor([-1.0, 2.0])
    y = torch.nn.ReLU(inplace=True)(x)
    return [y is x, see(torch, x)]


@case
def implicit_softmax_dimension(torch):
    return warned(lambda: torch.nn.functional.softmax(torch.ones(2, 2)))


@case
def fixed_initial_values(torch):
    init = torch.nn.init
    t = torch.ones(2, 3, requires_grad=True)
    return [see(torch, f(t)) for f in (init.zeros_, init.ones_, lambda t: init.constant_(t, 0.5), init.eye_)]


@case
def random_initial_values_keep_their_bounds(torch):
    init = torch.nn.init
    big = torch.empty(64, 100)
    found = []
    for fill, bound in [
        (lambda t: init.uniform_(t, -2, 3), 3),
        (init.kaiming_uniform_, (6 / 100) ** 0.5 * (2**0.5) / 2**0.5),
        (init.xavier_uniform_, (6 / 164) ** 0.5),
        (lambda t: init.trunc_normal_(t, std=0.5, a=-1, b=1), 1),
    ]:
        fill(big)
        largest = big.abs().max().item()
        found.append([bound * 0.9 <= largest <= bound * 1.0001])
    kaiming, xavier = (2 / 100) ** 0.5, (2 / 164) ** 0.5
    for fill, std in [(init.normal_, 1.0), (init.kaiming_normal_, kaiming), (init.xavier_normal_, xavier)]:
        fill(big)
        found.append(abs(((big * big).mean().item() ** 0.5) / std - 1) < 0.1)
    m = torch.nn.Linear(100, 64)
    return [*found, m.weight.abs().max().item() <= 0.1, m.bias.abs().max().item() <= 0.1]


@case
def gains_and_fans(torch):
    init = torch.nn.init
    names = ["linear", "conv1d", "sigmoid", "tanh", "relu", "leaky_relu", "selu"]
    return [
        [float(init.calculate_gain(n)) for n in names],
        float(init.calculate_gain("leaky_relu", 0.2)),
        error(lambda: init.calculate_gain("foo")),
        error(lambda: init.kaiming_uniform_(torch.ones(2))),
        error(lambda: init.xavier_normal_(torch.ones(2))),
        error(lambda: init.kaiming_uniform_(torch.ones(2, 2), mode="x")),
        error(lambda: init.eye_(torch.ones(2))),
        warned(lambda: init.kaiming_uniform_(torch.empty(0, 2))),
    ]


# ---- optimizers


def path(torch, make, steps=20):
    """Where an optimizer takes two parameters of a fixed, curved loss."""
    a = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
    b = torch.nn.Parameter(torch.tensor([[0.5]]))
    optimizer = make([a, b])
    seen = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = ((a * a).sum() - 1) * b.tanh().sum() + (b * b).sum() + (a * 0.3).sum()
        loss.backward()
        optimizer.step()
        seen.append([a.tolist(), b.tolist(), loss.item()])
    return [seen, see(torch, optimizer.state_dict()["state"])]


@case
def sgd_path(torch):
    return path(torch, lambda p: torch.optim.SGD(p, lr=0.05))


@case
def sgd_momentum_path(torch):
    return path(torch, lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9), steps=12)


@case
def sgd_dampening_and_decay_path(torch):
    return path(torch, lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.8, dampening=0.3, weight_decay=0.1))


@case
def sgd_nesterov_path(torch):
    return path(torch, lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9, nesterov=True, weight_decay=0.01))


@case
def sgd_maximize_path(torch):
    return path(torch, lambda p: torch.optim.SGD(p, lr=0.01, maximize=True, momentum=0.5), steps=10)


@case
def sgd_tensor_learning_rate_path(torch):
    return path(torch, lambda p: torch.optim.SGD(p, lr=torch.tensor(0.05)))


@case
def adam_path(torch):
    return path(torch, lambda p: torch.optim.Adam(p, lr=0.1))


@case
def adam_decay_and_amsgrad_path(torch):
    return path(torch, lambda p: torch.optim.Adam(p, lr=0.1, betas=(0.8, 0.95), weight_decay=0.1, amsgrad=True))


@case
def adam_maximize_path(torch):
    return path(torch, lambda p: torch.optim.Adam(p, lr=0.05, maximize=True))


@case
def adamw_path(torch):
    return path(torch, lambda p: torch.optim.AdamW(p, lr=0.1, weight_decay=0.2))


@case
def groups_with_their_own_settings(torch):
    return path(torch, lambda p: torch.optim.SGD([{"params": [p[0]]}, {"params": [p[1]], "lr": 0.5}], lr=0.05), steps=5)


@case
def complex_parameters(torch):
    found = []
    for make in (lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), lambda p: torch.optim.Adam(p, lr=0.1)):
        z = torch.nn.Parameter(torch.tensor([1 + 2j, -0.5 + 0.1j]))
        optimizer = make([z])
        for _ in range(5):
            optimizer.zero_grad()
            (z * z.conj()).real.sum().backward()
            optimizer.step()
        found.append([see(torch, z), see(torch, optimizer.state_dict()["state"])])
    return found


@case
def optimizers_print(torch):
    p, q = (torch.nn.Parameter(torch.ones(1)) for _ in range(2))
    made = [
        torch.optim.SGD([p], lr=0.1),
        torch.optim.Adam([{"params": [p], "lr": 1}, {"params": q}]),
        torch.optim.AdamW([p]),
        torch.optim.SGD([("w", p)], lr=1),
        torch.optim.Optimizer([p], {}),
    ]
    return [repr(o) for o in made]


@case
def optimizers_refuse(torch):
    p, q = (torch.nn.Parameter(torch.ones(2)) for _ in range(2))
    sgd, adam = torch.optim.SGD, torch.optim.Adam
    return [
        error(lambda: sgd([])),
        error(lambda: sgd(p)),
        error(lambda: sgd([3])),
        error(lambda: sgd([p * 1])),
        error(lambda: sgd([p], lr=-1)),
        error(lambda: sgd([p], momentum=-1)),
        error(lambda: sgd([p], weight_decay=-1)),
        error(lambda: sgd([p], nesterov=True)),
        error(lambda: sgd([p], lr=torch.tensor([1.0, 2.0]))),
        error(lambda: sgd([{"params": [p]}, {"params": [p]}])),
        error(lambda: sgd([{"params": {p}}])),
        error(lambda: sgd([{"params": [p]}, 3])),
        error(lambda: sgd([("a", p), q])),
        warned(lambda: sgd([p, p])),
        error(lambda: adam([p], lr=-1)),
        error(lambda: adam([p], eps=-1)),
        error(lambda: adam([p], betas=(1.0, 0.9))),
        error(lambda: adam([p], betas=(0.9, 1.0))),
        error(lambda: adam([p], weight_decay=-1)),
        error(lambda: torch.optim.Optimizer([p], {}).step()),
    ]


@case
def optimizer_state_dict(torch):
    p, q = (torch.nn.Parameter(torch.ones(1)) for _ in range(2))
    o = torch.optim.SGD([{"params": [p]}, {"params": [q], "lr": 1.0}], lr=0.1, momentum=0.9)
    q.grad = torch.ones(1)
    o.step()
    return see(torch, o.state_dict())


@case
def optimizer_resumes_from_a_state_dict(torch):
    def run(stop):
        p = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
        o = torch.optim.Adam([p], lr=0.1)
        for i in range(6):
            if i == stop:
                state = copy.deepcopy(o.state_dict())
                o = torch.optim.Adam([p], lr=5.0)
                o.load_state_dict(state)
            o.zero_grad()
            (p * p).sum().backward()
            o.step()
        return see(torch, p)

    return [run(None), run(3)]


@case
def optimizer_load_state_dict_refuses(torch):
    o = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)
    return [
        error(lambda: o.load_state_dict({"state": {}, "param_groups": []})),
        error(lambda: o.load_state_dict({"state": {}, "param_groups": [{"params": [0, 1]}]})),
        error(lambda: o.add_param_group(3)),
        error(lambda: o.add_param_group({"params": o.param_groups[0]["params"]})),
    ]


@case
def optimizer_zero_grad(torch):
    p = torch.nn.Parameter(torch.ones(2))
    o = torch.optim.SGD([p], lr=0.1)
    p.grad = torch.ones(2)
    g = p.grad
    o.zero_grad(set_to_none=False)
    kept = [p.grad is g, see(torch, g)]
    o.zero_grad()
    return [kept, p.grad is None]


@case
def optimizer_step_skips_parameters_without_gradient_and_returns_the_loss(torch):
    p, q = (torch.nn.Parameter(torch.ones(1)) for _ in range(2))
    o = torch.optim.SGD([p, q], lr=0.1)

    def closure():
        o.zero_grad()
        loss = (p * 3).sum()
        loss.backward()
        return loss

    loss = o.step(closure)
    return [see(torch, loss), see(torch, p), see(torch, q), o.step()]


@case
def optimizer_step_counts_as_an_in_place_change(torch):
    p = torch.nn.Parameter(torch.ones(1))
    o = torch.optim.SGD([p], lr=0.1)
    loss = (p * p).sum()
    p.grad = torch.ones(1)
    before = p._version
    o.step()
    return [p._version - before, error(loss.backward)]


@case
def optimizer_hooks(torch):
    p = torch.nn.Parameter(torch.ones(1))
    o = torch.optim.SGD([p], lr=0.1)
    p.grad = torch.ones(1)
    seen = []
    pre = o.register_step_pre_hook(lambda o, a, k: seen.append(["pre", len(a), k]))
    o.register_step_post_hook(lambda o, a, k: seen.append(["post", len(a), k]))
    o.step()
    pre.remove()
    o.step()
    o.register_state_dict_pre_hook(lambda o: seen.append("saving"))
    o.register_state_dict_post_hook(lambda o, s: seen.append("saved"))
    o.register_load_state_dict_pre_hook(lambda o, s: seen.append("loading"))
    o.register_load_state_dict_post_hook(lambda o: seen.append("loaded"))
    o.load_state_dict(o.state_dict())
    return seen


@case
def custom_optimizer(torch):
    class Signs(torch.optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr})

        @torch.no_grad()
        def step(self):
            for group in self.param_groups:
                for p in group["params"]:
                    p.sub_(torch.sign(p.grad) * group["lr"])
                    self.state[p]["steps"] = self.state[p].get("steps", 0) + 1

    p = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
    o = Signs([p], 0.5)
    for _ in range(3):
        o.zero_grad()
        (p * p).sum().backward()
        o.step()
    return [see(torch, p), o.state_dict()]


@case
def training_a_small_model(torch):
    model = small_model(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x = filled(torch, 8, 2)
    y = (x * x).sum(1, keepdim=True)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return [losses, see(torch, dict(model.state_dict()))]
