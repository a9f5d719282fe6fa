"""Modes with ``__torch_dispatch__``: which operators they see, what they may change; operations counted by modules."""

from __future__ import annotations

from importlib import import_module

from .observe import case, error, name_of, plain, see, warned


def modules(torch):
    found = ("_python_dispatch", "flop_counter", "module_tracker")
    return [import_module(f"{torch.__name__}.utils.{name}") for name in found]


def logged(torch, run):
    """The operators that run, and shapes of tensors and values of others among their arguments."""

    def told(value):
        if isinstance(value, (list, tuple)):
            return [told(v) for v in value]
        return list(value.shape) if isinstance(value, torch.Tensor) else value

    class Log(modules(torch)[0].TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            result = func(*args, **(kwargs or {}))
            found.append([str(func), plain(told(args))])
            return result

    found = []
    with Log():
        run()
    return [call for call in found if call[0] != "aten.detach.default"]  # PyTorch's own, of what nodes save


def leaf(torch, *shape):
    count = torch.ones(shape).numel()
    return (torch.arange(count, dtype=torch.float32).reshape(shape) / count).requires_grad_()


@case
def pointwise_operators(torch):
    a, b = leaf(torch, 3, 4), leaf(torch, 3, 4)

    def run():
        a + b, a - b, a * b, a / (b + 1.5), a**2, a ** b.detach(), a.exp(), a.sigmoid(), a.relu(), -a
        torch.nn.functional.gelu(a), torch.nn.functional.leaky_relu(a), torch.where(a > 0.5, a, b), a.clamp(0.25, 0.5)

    return logged(torch, run)


@case
def shapes_and_sums(torch):
    a = leaf(torch, 3, 4)

    def run():
        a.view(4, 3), a.t(), a.transpose(0, 1), a.permute(1, 0), a[0], a[:, 1:3], a.flatten(), a.unsqueeze(0)
        a.expand(2, 3, 4), a.squeeze(), torch.cat([a, a]), torch.stack([a, a], 1), a.split(2), a.clone()
        a.t().contiguous(), a.sum(), a.sum(1, keepdim=True), a.mean(), a.mean(0), a.max(1), a.double()
        a.gather(1, torch.zeros_like(a, dtype=torch.int64)), a.masked_fill(a.detach() > 0.5, 1.0)

    return logged(torch, run)


@case
def layers(torch):
    f = torch.nn.functional
    a, w, b, x = leaf(torch, 3, 4), leaf(torch, 5, 4), leaf(torch, 5), leaf(torch, 2, 3, 4)
    image, filters = leaf(torch, 2, 3, 6, 6), leaf(torch, 4, 3, 3, 3)

    def run():
        f.linear(a, w, b), f.linear(x, w, b), f.linear(x, w), a @ w.t(), x @ x.transpose(1, 2), a @ w[0]
        f.softmax(a, -1), f.log_softmax(a, -1), f.layer_norm(a, (4,), w[0], w[1]), f.mse_loss(a, a.detach())
        f.conv2d(image, filters, padding=1), f.conv_transpose2d(image, filters[:3]), f.avg_pool2d(image, 2)
        f.embedding(torch.zeros(2, dtype=torch.int64), w)

    calls = logged(torch, run)
    return [call for call in calls if call[0] != "aten.zeros.default"]  # of which PyTorch tells more arguments


@case
def operators_of_a_backward_pass(torch):
    f = torch.nn.functional
    a, w, b, image, filters = leaf(torch, 3, 4), leaf(torch, 5, 4), leaf(torch, 5), leaf(torch, 2, 3, 6, 6), None
    filters = leaf(torch, 4, 3, 3, 3)
    losses = [
        f.linear(a, w, b).sum(), f.conv2d(image, filters).sum(), f.softmax(a, -1)[0, 0], a.relu().sum(),
        f.mse_loss(a, a.detach() + 1), a.sigmoid().sum(), f.gelu(a).sum(), f.avg_pool2d(image, 2).sum(),
    ]  # fmt: skip
    wanted = ("mm", "convolution_backward", "_softmax_backward_data", "threshold_backward", "mse_loss_backward",
              "sigmoid_backward", "gelu_backward", "avg_pool2d_backward", "select_backward")  # fmt: skip
    calls = []
    for loss in losses:
        calls += logged(torch, loss.backward)
    return sorted([call for call in calls if call[0].split(".")[1] in wanted], key=str)


@case
def changes_in_place(torch):
    z = torch.zeros(3)
    x = leaf(torch, 3)

    def run():
        z.add_(x.detach()), z.mul_(z), z.zero_(), z.copy_(x.detach()), z.addcmul_(z, z)

    calls = logged(torch, run)
    y = x * 1
    before = y._version
    logged(torch, lambda: y.mul_(y.detach()))
    return calls, see(torch, z), y._version - before, name_of(y.grad_fn)


@case
def a_result_may_be_another(torch):
    class Tenfold(modules(torch)[0].TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            out = func(*args, **(kwargs or {}))
            return out * 10 if func is torch.ops.aten.sin.default else out

    x = torch.tensor([1.0], requires_grad=True)
    with Tenfold():
        y = torch.sin(x)
    y.backward()
    return see(torch, [y, x.grad]), see(torch, torch.sin(x))


@case
def modes_within_modes(torch):
    dispatch = modules(torch)[0]
    seen = []

    class Named(dispatch.TorchDispatchMode):
        def __init__(self, name):
            super().__init__()
            self.name = name

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append([self.name, str(func), str(func._overloadpacket), func.name(), len(types)])
            return func(*args, **(kwargs or {}))

    with Named("outer") as outer, Named("inner") as inner:
        torch.ones(1).sin()
        current = dispatch._get_current_dispatch_mode() is inner
        stack = [m.name for m in dispatch._get_current_dispatch_mode_stack()]
        with outer:
            torch.cos(torch.full((1,), 0.5))
    return seen, current, stack, dispatch._get_current_dispatch_mode() is None


@case
def a_mode_that_says_nothing(torch):
    class Silent(modules(torch)[0].TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return NotImplemented

    def run():
        with Silent():
            torch.ones(1)

    told = error(run)
    return told["raises"], told["message"].split("\n")[0]


# ---- counts


def counted(torch, run):
    counter = modules(torch)[1].FlopCounterMode(display=False)
    with counter:
        out = run()
        forward = counter.get_total_flops()
        out = out[0] if isinstance(out, tuple) else out
        out.sum().backward()
    return [forward, counter.get_total_flops(), {str(k): n for k, n in counter.get_flop_counts()["Global"].items()}]


@case
def counts_of_products(torch):
    def r(*shape):
        return leaf(torch, *shape)

    f = torch.nn.functional
    runs = [
        lambda: r(3, 4) @ r(4, 5), lambda: r(2, 3, 4) @ r(2, 4, 5), lambda: r(2, 3, 4) @ r(4, 5),
        lambda: r(2, 2, 3, 4) @ r(2, 1, 4, 5), lambda: torch.addmm(r(5), r(3, 4), r(4, 5)),
        lambda: torch.baddbmm(r(2, 3, 5), r(2, 3, 4), r(2, 4, 5)), lambda: f.linear(r(4), r(5, 4), r(5)),
        lambda: f.linear(r(2, 3, 4), r(5, 4), r(5)), lambda: torch.einsum("bij,bjk->bik", r(2, 3, 4), r(2, 4, 5)),
        lambda: torch.tensordot(r(3, 4), r(4, 5), 1), lambda: torch.linalg.multi_dot([r(3, 4), r(4, 5), r(5, 2)]),
    ]  # fmt: skip
    return [counted(torch, run) for run in runs]


@case
def counts_of_convolutions(torch):
    def r(*shape):
        return leaf(torch, *shape)

    f = torch.nn.functional
    runs = [
        lambda: f.conv1d(r(2, 4, 9), r(6, 2, 3), r(6), groups=2, stride=2),
        lambda: f.conv2d(r(2, 4, 5, 5).detach(), r(4, 4, 3, 3)),
        lambda: f.conv_transpose2d(r(2, 4, 5, 5), r(4, 6, 3, 3), r(6), stride=2),
        lambda: f.conv3d(r(2, 4, 5, 5, 5), r(4, 4, 3, 3, 3)),
    ]
    return [counted(torch, run) for run in runs]


@case
def a_convolution_by_its_longer_name(torch):
    image, filters = leaf(torch, 2, 3, 4, 4).detach(), leaf(torch, 4, 3, 3, 3).detach()
    sizes = ([1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    longer = torch.ops.aten._convolution(image, filters, None, *sizes, False, False, True, True)
    return see(torch, longer), torch.equal(longer, torch.ops.aten.convolution(image, filters, None, *sizes))


@case
def counts_of_layers(torch):
    nn = torch.nn
    x = leaf(torch, 2, 3, 8)
    attention = nn.MultiheadAttention(8, 2, batch_first=True)
    encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0.0)
    return [
        counted(torch, lambda: nn.LSTM(8, 5)(x)), counted(torch, lambda: nn.GRU(8, 5)(x)),
        counted(torch, lambda: nn.RNN(8, 5)(x)), counted(torch, lambda: nn.LSTMCell(8, 5)(x[0])),
        counted(torch, lambda: attention(x, x, x)), counted(torch, lambda: encoder(x)),
        counted(torch, lambda: nn.functional.scaled_dot_product_attention(x[None], x[None], x[None])),
    ]  # fmt: skip


def network(torch):
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 8, 3, padding=1)
            self.body = nn.Sequential(nn.ReLU(), nn.Flatten(), nn.Linear(512, 10))

        def forward(self, x):
            return self.body(self.conv(x))

    return Net()


@case
def counts_by_modules(torch):
    counter_class = modules(torch)[1].FlopCounterMode
    net = network(torch)
    x = leaf(torch, 2, 3, 8, 8)
    with counter_class(display=False, depth=3) as counter:
        net(x).sum().backward()
    counts = {name: {str(k): n for k, n in ops.items()} for name, ops in sorted(counter.get_flop_counts().items())}
    return counts, counter.get_total_flops(), warned(lambda: counter_class(net, display=False))


@case
def further_formulas(torch):
    flops = modules(torch)[1]
    sine = {torch.ops.aten.sin: lambda x, out_shape=None, **kwargs: x[0] * out_shape[0]}
    with flops.FlopCounterMode(display=False, custom_mapping=sine) as counter:
        torch.sin(leaf(torch, 3))
    twice = error(lambda: flops.register_flop_formula(torch.ops.aten.mm)(lambda *args: 1))
    return counter.get_total_flops(), twice


@case
def modules_at_work(torch):
    tracker_class = modules(torch)[2].ModuleTracker
    seen = []

    class Look(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            seen.append([sorted(tracker.parents), tracker.is_bw])
            return x * 1

        @staticmethod
        def backward(ctx, g):
            seen.append([sorted(tracker.parents), tracker.is_bw])
            return g

    class Part(torch.nn.Module):
        def forward(self, x):
            return Look.apply(x)

    class Whole(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = Part()
            self.rest = torch.nn.ModuleList([Part(), Part()])

        def forward(self, x):
            x = Look.apply(self.first(x))
            for part in self.rest:
                x = part(x)
            return x

    whole = Whole()
    with tracker_class() as tracker:
        whole(leaf(torch, 2)).sum().backward()
        seen.append([sorted(tracker.parents), tracker.is_bw])
        with torch.no_grad():
            torch.nn.Sequential(whole)(leaf(torch, 2))
    return seen


@case
def backward_begins_with_ones_like_what_it_is_called_on(torch):
    def run():
        x = leaf(torch, 2)
        x.exp().sum().backward()
        torch.autograd.grad((x * x).sum(), x)

    return [name for name in (str(entry[0]) for entry in logged(torch, run)) if "ones" in name]


@case
def functions_that_no_handler_takes_say_who_was_asked(torch):
    class Refusing:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return NotImplemented

        def __repr__(self):
            return "<a mode>"

    one, ones = Refusing(), torch.ones(2)

    def within(run):
        with Mode():
            run()

    runs = (
        lambda: torch.mul(one, 3),
        lambda: ones.add(one),
        lambda: torch.cat([ones, one]),
        lambda: within(lambda: torch.mul(one, one)),
        lambda: within(lambda: torch.exp(ones)),
    )
    return [error(run) for run in runs]


@case
def functions_and_generators_run_on_a_device(torch):
    from importlib import import_module

    tools = import_module(f"{torch.__name__}.utils._device")

    @tools.set_device("meta")
    def one(x):
        return str(torch.ones(x).device)

    @tools.set_device("meta")
    def more():
        got = yield str(torch.ones(1).device)
        try:
            yield [got, str(torch.ones(1).device)]
        except ValueError:
            yield str(torch.zeros(1).device)
        return "end"

    generator, told = more(), []
    told.append([next(generator), str(torch.ones(1).device), generator.send(3), str(torch.ones(1).device)])
    told.append(generator.throw(ValueError()))
    return [one(2), one.__name__, told, list(generator), error(lambda: tools.set_device("meta")(int))]
