"""fx tracing: what modules and functions become, as graphs and as code."""

from __future__ import annotations

import copy
import dataclasses
import math
import operator
import warnings
from collections import namedtuple

from .observe import case, error, see

Pair = namedtuple("Pair", "a b")


def both(gm):
    return [str(gm.graph), gm.code]


def traced(torch, fn, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return both(torch.fx.symbolic_trace(fn, **options))
        except Exception as e:
            return [type(e).__name__, str(e)]


def bag(torch):
    nn = torch.nn

    class Bag(nn.Module):
        def __init__(self):
            super().__init__()
            self.p = nn.Parameter(torch.ones(2))
            self.register_buffer("b", torch.ones(2))
            self.t = torch.ones(2)
            self.linear = nn.Linear(2, 2)
            self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(2)])
            self.named = nn.ParameterDict({"a": nn.Parameter(torch.ones(2))})
            self.seq = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU(), nn.Dropout(0.1)))
            self.bn = nn.BatchNorm1d(2)
            self.times = 3

        def forward(self, x, y=None, *, k: int = 3):
            x = (x + self.p + self.b) * self.t
            x = self.linear(x) @ self.linear.weight
            for layer in self.layers:
                x = layer(x)
            x = self.seq(x) + self.named["a"] * self.times
            x = self.bn(x) + self.bn.running_mean + self.p
            if self.training:
                x = x.view(x.size(0), -1)
            return {"x": x, "shape": self.p.shape, "rest": (self.b.sum(), [self.p.sum(), k, None])}

    return Bag()


@case
def modules(torch):
    module = bag(torch)
    gm = torch.fx.symbolic_trace(module)
    x = torch.arange(4.0).view(2, 2)
    same = torch.equal(module.eval()(x)["x"], torch.fx.symbolic_trace(module).eval()(x, None, 3)["x"])
    keys = [[name, list(n.meta.get("nn_module_stack", {}))] for name, n in ((n.name, n) for n in gm.graph.nodes)]
    return both(gm), str(gm), sorted(gm.state_dict()), type(gm).__name__, same, keys, traced(torch, module)


@case
def tracers(torch):
    nn = torch.nn

    class Inside(torch.fx.Tracer):
        def is_leaf_module(self, m, name):
            return isinstance(m, nn.BatchNorm1d)

    class Buffers(torch.fx.Tracer):
        proxy_buffer_attributes = True

    class Named(torch.fx.Tracer):
        def call_module(self, m, forward, args, kwargs):
            seen.append(self.path_of_module(m))
            return super().call_module(m, forward, args, kwargs)

        def create_arg(self, a):
            return super().create_arg(a.v if isinstance(a, Wrapper) else a)

    class Wrapper:
        def __init__(self, v):
            self.v = v

    class Other(nn.Module):
        def other(self, x):
            return torch.relu(Wrapper(x).v)

    seen = []
    module = bag(torch)
    found = [str(tracer().trace(module)) for tracer in (Inside, Buffers, Named)]
    tracer = Named()
    tracer.traced_func_name = "other"
    found += [seen, str(tracer.trace(Other())), str(Named().trace(lambda x: Wrapper(x)))]
    tracer = torch.fx.Tracer()
    tracer.trace(module)
    found.append([tracer.path_of_module(module.layers[1]), error(lambda: tracer.path_of_module(nn.ReLU()))])
    found.append([error(lambda: torch.fx.Tracer().trace(3)), tracer.create_arg(3)])
    return found


@case
def layers_looked_into(torch):
    nn = torch.nn

    class Inside(torch.fx.Tracer):
        def is_leaf_module(self, m, name):
            return False

    found = []
    for module in (
        nn.Linear(2, 3), nn.ReLU(), nn.ReLU(inplace=True), nn.Dropout(0.3), nn.GELU(),
        nn.Softmax(1), nn.LayerNorm(3), nn.Embedding(3, 4), nn.Flatten(), nn.MSELoss(), nn.Identity(),
        nn.CrossEntropyLoss(), nn.LeakyReLU(), nn.MaxPool2d(2), nn.AdaptiveAvgPool2d(1),
        nn.GroupNorm(1, 2), nn.SiLU(), nn.ELU(), nn.Upsample(scale_factor=2), nn.LogSoftmax(1), nn.PixelShuffle(2),
    ):  # fmt: skip
        try:
            nodes = Inside().trace(module).nodes
            found.append([n.format_node() if n.op == "call_function" else n.target for n in nodes])
        except Exception as e:
            found.append([type(e).__name__, str(e)])
    return found


@case
def python_on_proxies(torch):
    def unpacked(x):
        a, b = x
        return a + b

    def starred(x):
        a, *_ = x
        return a

    def changed(x, y):
        x += y
        x -= 1
        x *= 2
        return x

    def set_item(x):
        x[0] = 1
        return x

    def in_no_grad(x):
        with torch.no_grad():
            return x + 1

    @dataclasses.dataclass
    class Two:
        a: int
        b: int

    return [
        traced(torch, fn)
        for fn in (
            lambda x: x if x.sum() > 0 else -x, lambda x: [y + 1 for y in x], unpacked, starred, changed, set_item,
            lambda x: len(x), lambda x: int(x), lambda x: 1 in x, lambda x: not x, lambda x: {x: 1}, lambda x: {1, x},
            lambda x: isinstance(x, torch.Tensor), lambda x: dict(**x), lambda x: x.foo.bar(1).baz, lambda x: x(1, k=2),
            lambda x, y: (x < y, x <= y, x == y, x != y, x > y, x >= y, x & y, x | y, x ^ y, x << y, x >> y),
            lambda x, y: (x // y, x % y, x**y, abs(x), +x, -x, ~x, x @ y, x / y),
            lambda x: (x > 1, 1 - x, 1 / x, 1 // x, 1 % x, 2**x, 1 & x, 1 | x, 1 ^ x, 1 << x, 1 >> x),
            lambda x: math.floor(x), lambda x: (x.shape[0], x.size(0), x.T.mT, x.device, x.dtype), in_no_grad,
            lambda x: x[0:2, ..., None, [1, 2]], lambda x: x[x > 0], lambda x: copy.copy(x), lambda x: x.keys(),
            lambda x, *a, **k: x + a[0] + k["q"], lambda x, y=3, *, z=4: x + y + z, lambda: torch.ones(2),
            lambda x: (x, [x, {"a": x}], "s", 1.5, None, torch.float32, slice(x, None)), lambda x: Pair(x, 1),
            lambda x: Two(x, 1), lambda x: getattr(x, "foo", None), lambda x: operator.index(x), lambda x: x is None,
            lambda x: torch._assert(x.shape[0] == 2, "bad"), lambda x: x.to(torch.float64).numpy(),
        )
    ]  # fmt: skip


@case
def functions_on_proxies(torch):
    F = torch.nn.functional
    t = torch.ones(2, 2)
    return [
        traced(torch, fn)
        for fn in (
            lambda x: torch.cat([x, x], dim=0),
            lambda x: torch.stack((x, x)),
            lambda x: torch.einsum("ij,jk", x, x),
            lambda x: torch.einsum("ij,jk", (x, x)),
            lambda x: torch.where(x > 0, x, 0),
            lambda x: torch.split(x, 2),
            lambda x: x.split(2),
            lambda x: torch.norm(x),
            lambda x: torch.max(x, dim=1).values,
            lambda x: torch.add(x, 1, alpha=2),
            lambda x: torch.add(input=x, other=x),
            lambda x: torch.clamp(x, min=0.0),
            lambda x: torch.zeros(x.shape, device=x.device),
            lambda x: torch.full((2,), x),
            lambda x: torch.numel(x),
            lambda x: torch.is_floating_point(x),
            lambda x: x + t,
            lambda x: t + x,
            lambda x: t @ x,
            lambda x: t.add_(x),
            lambda x: torch.mul(t, x),
            lambda x: torch.matmul(t, x),
            lambda x: t[x],
            lambda x: t.view(x),
            lambda x: torch.cat([t, x]),
            lambda x: t.copy_(x),
            lambda x: t.addmm_(x, x),
            lambda x: t.masked_fill(x, 0.0),
            lambda x: F.relu(x),
            lambda x: F.relu(x, inplace=True),
            lambda x: F.dropout(x, 0.2),
            lambda x: F.softmax(x, 1),
            lambda x: F.softmax(x, dim=-1, dtype=torch.float64),
            lambda x: F.gelu(x, approximate="tanh"),
            lambda x, y: F.cross_entropy(x, y, label_smoothing=0.1),
            lambda x, y: F.mse_loss(x, y),
            lambda x: F.mse_loss(t, x),
            lambda x: F.layer_norm(x, (2,)),
            lambda x: F.interpolate(x, scale_factor=2),
            lambda x: F.pad(x, (1, 1)),
            lambda x, w: F.linear(x, w),
            lambda x, w, b: F.linear(x, w, b),
            lambda x, w: F.conv2d(x, w, stride=2),
            lambda x, w: F.embedding(x, w),
            lambda x: F.max_pool2d(x, 2),
            lambda x: F.normalize(x),
            lambda x: F.batch_norm(x, t, t),
            lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
            lambda x: torch.linalg.inv(x),
            lambda x: torch.fft.fft(x),
            lambda x: torch.special.zeta(x, 1.0),
            lambda x: torch.relu(torch.relu_(x)),
        )
    ]


@case
def arguments_that_are_known(torch):
    def chosen(x, y, z=None):
        if y:
            return x + 1
        return x if z is None else x + z

    def nested(d):
        return {"sum": d["a"] + d["b"][0] * d["b"][1], "all": [d["a"]]}

    PH = torch.fx.PH
    given = ({"y": True}, {"y": False, "z": None}, {"y": 1.5}, {"y": "s"}, (PH, True, None), {"y": torch.ones(1)})
    found = [traced(torch, chosen, concrete_args=known) for known in given]
    gm = torch.fx.symbolic_trace(nested, concrete_args={"d": {"a": PH, "b": [PH, PH]}})
    found.append([both(gm), gm({"a": 1, "b": [2, 3]}), torch.fx.Interpreter(gm).run({"a": 1, "b": [2, 3]})])
    gm = torch.fx.symbolic_trace(chosen, concrete_args={"y": True, "z": None})
    return [*found, gm(1, True), error(lambda: gm(1, False)), error(lambda: gm(1, True, 3))]


@case
def transformers(torch):
    class Replacing(torch.fx.Transformer):
        def call_function(self, target, args, kwargs):
            if target is torch.relu:
                return super().call_function(torch.sigmoid, args, kwargs).neg()
            return super().call_function(target, args, kwargs)

        def call_module(self, target, args, kwargs):
            return super().call_module(target, args, kwargs) * 2

    gm = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU()))
    plain = torch.fx.symbolic_trace(lambda x, y=2: (torch.relu(x) + y, {"k": x}))
    made = Replacing(plain).transform()
    return both(Replacing(gm).transform()), both(made), see(torch, made(torch.ones(2)))


@case
def proxies_by_hand(torch):
    graph = torch.fx.Graph()
    tracer = torch.fx.proxy.GraphAppendingTracer(graph)
    x, y = (torch.fx.Proxy(graph.placeholder(name), tracer) for name in "xy")
    a = torch.relu(x) + y.sum(dim=1)
    b = torch.nn.functional.mse_loss(a, y.T)
    c = torch.matmul(torch.fx.Proxy(a.node, tracer), b)
    graph.output((c.node, [a.node]))
    errors = error(lambda: bool(x)), error(lambda: len(x))
    return str(graph), repr(a), repr(x.foo), str(c), type(x.foo).__name__, errors


@case
def modules_and_proxyable_objects_as_arguments(torch):
    fx, nn = torch.fx, torch.nn

    class Pair(metaclass=fx.ProxyableClassMeta):
        def __init__(self, a, b):
            self.a, self.b = a, b

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(2, 2)

        def forward(self, x):
            return x.apply(self.inner), x.meet(Pair(1, 2)), Pair(x, 3).a

    gm = fx.symbolic_trace(Net())
    return [(node.op, node.name, str(node.args)) for node in gm.graph.nodes], type(gm._Pair_constant_0).__name__


@case
def copies_and_transformed_graphs_keep_what_is_known(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(1))

        def forward(self, x):
            return self.weight + x

    gm = torch.fx.symbolic_trace(Net())
    for node in gm.graph.nodes:
        node.meta["custom"] = node.name
    gm.meta["itself"] = gm
    import copy

    copied = copy.deepcopy(gm)
    made = torch.fx.Transformer(gm).transform()
    return copied.meta["itself"] is copied, [(node.name, node.meta.get("custom")) for node in made.graph.nodes]


def operators(torch, fn, *args):
    """The operators of a function, and of its gradients. Copies without history are left out."""
    make_fx = __import__(f"{torch.__name__}.fx.experimental.proxy_tensor", fromlist=["make_fx"]).make_fx

    def gradients(*args):
        leaves = [x.detach().requires_grad_() if x.is_floating_point() else x for x in args]
        return torch.autograd.grad(fn(*leaves).sum(), [x for x in leaves if x.requires_grad])

    return [
        [str(node.target) for node in make_fx(f)(*args).graph.nodes
         if node.op == "call_function" and str(node.target) != "aten.detach.default"]
        for f in (lambda *given: fn(*given), gradients)
    ]  # fmt: skip


@case
def operators_of_pointwise_functions(torch):
    F = torch.nn.functional
    x, y = torch.rand(3, 4), torch.rand(3, 4)
    functions = [
        F.gelu, F.relu, F.elu, F.selu, F.celu, F.leaky_relu, F.hardswish, F.softplus, F.hardsigmoid, F.hardtanh, F.glu,
        F.softshrink, F.hardshrink, torch.tanh, torch.sigmoid, torch.sqrt, torch.log1p, torch.erf,
        lambda a: F.threshold(a, 0.1, 0.2), lambda a: 1 - a, lambda a: 2**a, lambda a: a**2, lambda a: a % 0.3,
        lambda a: torch.addcmul(a, a, a, value=2), lambda a: a.to(torch.float64), lambda a: a.clone().add_(1),
    ]  # fmt: skip
    pairs = [F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss, torch.logaddexp]
    return [operators(torch, f, x) for f in functions] + [operators(torch, f, x, y) for f in pairs]


@case
def operators_of_reductions(torch):
    x = torch.rand(3, 4)
    functions = [
        lambda a: a.sum(), lambda a: a.sum(1, keepdim=True), lambda a: a.mean(), lambda a: a.mean(0),
        lambda a: a.var(0), lambda a: a.softmax(1), lambda a: a.log_softmax(1), lambda a: a.cumsum(1),
        lambda a: a.max(1)[0], lambda a: a.logsumexp(1),
    ]  # fmt: skip
    return [operators(torch, f, x) for f in functions]


@case
def operators_of_views_and_indices(torch):
    x = torch.rand(3, 4)
    functions = [
        lambda a: a.view(-1), lambda a: a.t().reshape(2, 6), lambda a: a[0, :, None], lambda a: a[1:, ::2],
        lambda a: a[-1], lambda a: a[None].squeeze(0), lambda a: a[:, :1].expand(3, 5), lambda a: a.unfold(1, 2, 1),
        lambda a: a.index_select(0, torch.tensor([0, 2])), lambda a: a[torch.tensor([0, 2])],
        lambda a: a.gather(1, torch.tensor([[0], [1], [2]])), lambda a: a.masked_fill(a > 0.5, 0.0),
        lambda a: a.scatter(1, torch.tensor([[0], [1], [2]]), 1.0), lambda a: torch.cat([a, a]),
        lambda a: a.repeat(2, 1), lambda a: a.repeat_interleave(2, 0), lambda a: torch.diagonal(a),
        lambda a: a + torch.arange(4), lambda a: a + torch.tensor(2.0), lambda a: a + torch.eye(3, 4),
    ]  # fmt: skip
    return [operators(torch, f, x) for f in functions]


@case
def operators_of_products_and_networks(torch):
    F = torch.nn.functional
    r = torch.rand
    return [
        operators(torch, torch.mm, r(3, 4), r(4, 2)), operators(torch, torch.matmul, r(2, 3, 4), r(4, 2)),
        operators(torch, torch.bmm, r(2, 3, 4), r(2, 4, 1)), operators(torch, torch.mv, r(3, 4), r(4)),
        operators(torch, lambda a, b: torch.einsum("ij,jk->ik", a, b), r(3, 4), r(4, 2)),
        operators(torch, F.conv2d, r(1, 2, 5, 5), r(3, 2, 3, 3), r(3)),
        operators(torch, lambda a: F.avg_pool2d(a, 2), r(1, 2, 4, 4)),
        operators(torch, lambda a: F.adaptive_avg_pool2d(a, 2), r(1, 2, 4, 4)),
        operators(torch, lambda a: F.unfold(a, 2), r(1, 2, 4, 4)),
        operators(torch, lambda a: F.pad(a, (1, 2)), r(3, 4)),
        operators(torch, F.embedding, torch.tensor([0, 2]), r(3, 2)),
        operators(torch, F.cross_entropy, r(3, 4), torch.tensor([0, 1, 2])),
    ]  # fmt: skip


@case
def what_functions_say_that_they_return_is_written_into_code(torch):
    make_fx = __import__(f"{torch.__name__}.fx.experimental.proxy_tensor", fromlist=["make_fx"]).make_fx

    def alone(x: torch.Tensor) -> torch.Tensor:
        return x.sin()

    def several(x) -> tuple[torch.Tensor, int]:
        return x.sin(), 3

    def by_name(x) -> dict[str, torch.Tensor]:
        return {"a": x.sin()}

    def of_a_list(x: list) -> torch.Tensor:
        return x[0].sin()

    class OfModule(torch.nn.Module):
        def forward(self, x) -> torch.Tensor:
            return x.sin()

    x = torch.ones(2)
    traced = [alone, several, by_name, torch.func.functionalize(alone), OfModule()]
    return [make_fx(f)(x).code for f in traced], make_fx(of_a_list)([x]).code
