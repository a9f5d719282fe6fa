"""Programs with modules: in training and evaluation, with hooks, buffers and states, called by ``functional_call``, as
ensembles, and differentiated by their parameters in reverse mode, forward mode and transforms.
"""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

from .arguments import Maker
from .program import Program
from .run import Session
from .scope import NothingFits

OF_ROWS = """
Linear(n,3) Linear(n,2,bias=False) LayerNorm(n) RMSNorm(n) Tanh() GELU() Softmax(-1) PReLU() PReLU(n) ELU(0.5)
Sequential(nn.Linear(n,3),nn.Tanh(),nn.Linear(3,2)) Sequential(nn.Linear(n,4),nn.LayerNorm(4),nn.SiLU()) LogSoftmax(-1)
BatchNorm1d(n) BatchNorm1d(n,affine=False) BatchNorm1d(n,track_running_stats=False) BatchNorm1d(n,momentum=None)
Dropout(0.0) Sequential(nn.Linear(n,n),nn.ReLU(),nn.Dropout(0.0)) Identity() Softplus(2.0) Hardtanh(-0.5,0.5)
LeakyReLU(0.2,inplace=True) Sequential(nn.Linear(n,3),nn.ReLU(inplace=True)) Bilinear(n,n,2) GLU() Threshold(0.1,0.5)
utils.parametrizations.weight_norm(nn.Linear(n,2)) utils.parametrizations.orthogonal(nn.Linear(n,n))
utils.parametrizations.spectral_norm(nn.Linear(n,2)) Softshrink(0.2) CELU() Mish() LogSigmoid() Hardswish()
""".split()

OF_SEQUENCES = """
Conv1d(n,2,1) Conv1d(n,2,2,padding=1) ConvTranspose1d(n,2,2) InstanceNorm1d(n) InstanceNorm1d(n,affine=True)
BatchNorm1d(n) GroupNorm(1,n) MaxPool1d(2,1) AvgPool1d(2,1) AdaptiveAvgPool1d(2) Flatten() Upsample(scale_factor=2)
Sequential(nn.Conv1d(n,3,1),nn.BatchNorm1d(3),nn.ReLU()) ConstantPad1d(1,0.5) ReflectionPad1d(1) Dropout1d(0.0)
Sequential(nn.Conv1d(n,2,2,padding=1),nn.Tanh(),nn.AdaptiveMaxPool1d(1)) LocalResponseNorm(2) Unflatten(1,(1,n))
""".split()

OF_TIME = """
RNN(n,2,batch_first=True) LSTM(n,2) GRU(n,2,2) LSTM(n,2,batch_first=True,bidirectional=True) GRU(n,3,bias=False)
MultiheadAttention(n,1,batch_first=True) TransformerEncoderLayer(n,1,4,dropout=0.0,batch_first=True)
TransformerEncoderLayer(n,1,4,dropout=0.0,norm_first=True,activation='gelu')
""".split()

OF_IMAGES = """
Conv2d(n,2,1) Conv2d(n,2,2,padding=1,bias=False) Conv2d(n,n,1,groups=n) ConvTranspose2d(n,2,2) BatchNorm2d(n)
GroupNorm(1,n) InstanceNorm2d(n,track_running_stats=True) MaxPool2d(2,1) AvgPool2d(2,1) AdaptiveAvgPool2d((1,2))
Sequential(nn.Conv2d(n,3,2,padding=1),nn.BatchNorm2d(3),nn.ReLU(inplace=True)) PixelUnshuffle(1) ZeroPad2d(1)
Upsample(scale_factor=2,mode='bilinear') Dropout2d(0.0) LPPool2d(2,1) ChannelShuffle(1) Flatten(1) ReplicationPad2d(1)
Sequential(nn.Conv2d(n,2,1),nn.Flatten(),nn.LazyLinear(2))
""".split()


def make(rng: Random, torch: Any) -> tuple[Program, Session]:
    maker = Maker(rng, torch)
    given = _module(maker)
    for _ in range(rng.choice([1, 2, 3])):
        with suppress(NothingFits):
            rng.choice(USES)(maker, *given)
    return maker.program, maker.session


def _module(maker: Maker) -> tuple[str, str, bool]:
    """An input and a module for it, as they are called; whether calls change it."""
    rng = maker.rng

    def size() -> int:
        return rng.choice([2, 2, 3])

    kind = rng.random()
    if kind < 0.4:
        table, shape = OF_ROWS, [size(), size()]
        n = shape[1]
    elif kind < 0.6:
        table, shape = OF_SEQUENCES, [size(), size(), 4]
        n = shape[1]
    elif kind < 0.75:
        table, shape = OF_TIME, [size(), size(), rng.choice([2, 3])]
        n = shape[2]
    else:
        table, shape = OF_IMAGES, [size(), rng.choice([1, 2]), 3, 3]
        n = shape[1]
    text = rng.choice(table)
    if "GLU" in text:
        shape[-1] = n = 2
    wants = rng.choice(["", ", requires_grad=True"])
    maker.add(f"x = {maker.scope.literal(shape, 'float64', wants)}", "x")
    maker.program.inputs = 1
    module = "".join(str(n) if c == "n" and _is_alone(text, i) else c for i, c in enumerate(text))
    maker.add(f"torch.manual_seed({rng.randint(0, 99)})")
    module = module.replace("(nn.", "(torch.nn.").replace(",nn.", ",torch.nn.")
    maker.add(f"m = torch.nn.{module}.double()")
    if rng.random() < 0.35:
        maker.add("m.eval()")
    call = "m(x)"
    if text.startswith(("RNN", "LSTM", "GRU")):
        call = "m(x)[0] * 1"
    elif text.startswith("Multihead"):
        call = "m(x, x, x)[0]"
    elif text.startswith("Bilinear"):
        call = "m(x, x)"
    if "inplace" in text or "Lazy" in text:
        call = call.replace("(x", "(x * 1")
    if "Lazy" in text:
        maker.add("m(x.detach())")
    return call, text, any(word in text for word in ("BatchNorm", "track", "spectral"))


def _is_alone(text: str, i: int) -> bool:
    return not (text[i - 1].isalnum() or text[i - 1] in "_.'") and not (text[i + 1].isalnum() or text[i + 1] in "_.='")


def in_passes(maker: Maker, call: str, text: str, changes: bool) -> None:
    """Hooks, ``backward()``, what is in ``.grad``, a second derivative."""
    rng = maker.rng
    r = f"r{maker.count}"
    if rng.random() < 0.3:
        maker.add(rng.choice([
            "m.register_forward_pre_hook(lambda m, a: (a[0] * 2, *a[1:]))",
            "m.register_forward_hook(lambda m, a, out: out if isinstance(out, tuple) else out + 1)",
            "m.register_full_backward_hook(lambda m, gi, go: log.append((gi, go)))",
            "m.register_full_backward_pre_hook(lambda m, go: tuple(g * 0.5 for g in go))",
            "[p.register_hook(lambda g: g * 2) for p in m.parameters()] and None",
            "[p.requires_grad_(False) for p in list(m.parameters())[:1]] and None", "m.requires_grad_(False)",
            "m.zero_grad()", "m.load_state_dict({k: v * 1.5 for k, v in m.state_dict().items()})", "m.train()",
            "m = __import__('copy').deepcopy(m)", "m.to(memory_format=torch.channels_last)", "m.float().double()",
        ]))  # fmt: skip
    if rng.random() < 0.25:
        kind = rng.choice(["True", "False"])
        call = f"checkpoint(lambda x: {call}, x, use_reentrant={kind})"
    maker.add(f"{r} = {call}", maker.new())
    value = maker.session.names.get(r)
    if value is None or not value.requires_grad:
        return
    names = "[x, *m.parameters()]" if maker.session.names["x"].requires_grad else "list(m.parameters())"
    names = f"[t for t in {names} if t.requires_grad]"
    if rng.random() < 0.4:
        maker.add(f"({r} * {r}).sum().backward({rng.choice(['', 'create_graph=True'])})")
        maker.add("gradients = [None if p.grad is None else p.grad * 1 for p in m.parameters()]")
    else:
        first = f"torch.autograd.grad(({r} * {r}).sum(), {names}, create_graph=True, allow_unused=True)"
        maker.add(f"{r}_g = {first}")
        total = f"sum(g.sin().sum() for g in {r}_g if g is not None and g.requires_grad)"
        maker.add(f"{r}_h = torch.autograd.grad({total}, {names}, allow_unused=True)")
    maker.add("state = [b * 1 for b in m.buffers()]")


TRANSFORMS = """
torch.func.grad(loss)(p,b,X) torch.func.grad(loss,argnums=2)(p,b,X) torch.func.grad(loss,argnums=(0,2))(p,b,X)
torch.func.grad_and_value(loss)(p,b,X) torch.func.vjp(lambda_p:f(p,b,X),p)[1](f(p,b,X).cos())
torch.func.jacrev(lambda_p:f(p,b,X).sum(0))(p) torch.func.jacfwd(lambda_x:f(p,b,x).sum(0))(X)
torch.func.jvp(lambda_p:f(p,b,X),(p,),({k:v.detach().cos()_for_k,v_in_p.items()},))
torch.func.jvp(lambda_x:f(p,b,x),(X,),(X.cos(),)) torch.func.vmap(f,in_dims=(None,None,0))(p,b,X[:,None])
torch.func.vmap(torch.func.grad(loss),in_dims=(None,None,0))(p,b,X[:,None])
torch.func.vmap(f,in_dims=(None,None,1),out_dims=1)(p,b,X[:,None])
torch.func.vmap(torch.func.grad(loss),in_dims=(None,None,0),chunk_size=1)(p,b,X[:,None])
torch.func.grad(lambda_x:sum(g.sin().sum()_for_g_in_torch.func.grad(loss)(p,b,x).values()))(X)
torch.func.hessian(lambda_x:loss(p,b,x))(X[:1])
""".split()


def in_transforms(maker: Maker, call: str, text: str, changes: bool) -> None:
    rng = maker.rng
    if changes and maker.session.names["m"].training:
        maker.add("m.eval()")  # what a transform's function changes, PyTorch refuses in vmap
    names, rest = call[2 : call.rindex(")")], call[call.rindex(")") + 1 :]
    inner = f"torch.func.functional_call(m, (p, b), ({names},)){rest}"
    maker.add("p = {k: v.detach() * 1 for k, v in m.named_parameters()}")
    maker.add("b = {k: v * 1 for k, v in m.named_buffers()}")
    maker.add(f"def f(p, b, x):\n    return {inner}")
    maker.add("def loss(p, b, x):\n    return f(p, b, x).sin().sum()")
    forms = TRANSFORMS
    if not maker.session.names["p"]:  # PyTorch's trees without leaves are not what they are
        forms = [t for t in forms if "lambda_p" not in t]
    if text.startswith(("RNN", "LSTM", "GRU")):  # in vmap PyTorch's write to what is no batch
        forms = [t for t in forms if "vmap" not in t]
    form = rng.choice(forms)
    for word in ("lambda_", "_for_", "_in_"):
        form = form.replace(word, word.replace("_", " "))
    maker.add(f"r{maker.count} = {form.replace('X', 'x.detach()')}", maker.new())


def ensembles(maker: Maker, call: str, text: str, changes: bool) -> None:
    """Several modules at once."""
    if not text.startswith(("Linear", "Sequential(nn.L", "Conv", "LayerNorm", "PReLU", "Bilinear", "Sequential(nn.C")):
        raise NothingFits
    rng = maker.rng
    names = call[call.index("(") + 1 : call.rindex(")")]
    maker.add("m.eval()")
    maker.add("ms = [__import__('copy').deepcopy(m) for _ in range(3)]")
    maker.add("for i, each in enumerate(ms):\n    [q.data.mul_(i + 1) for q in each.parameters()]")
    maker.add("p, b = torch.func.stack_module_state(ms)")
    maker.add("p = {k: v.detach() for k, v in p.items()}")
    maker.add(f"def f(p, b, x):\n    return torch.func.functional_call(m, (p, b), ({names},))")
    maker.add("def loss(p, b, x):\n    return f(p, b, x).sin().sum()")
    form = rng.choice([
        "torch.func.vmap(f, in_dims=(0, 0, None))(p, b, x.detach())",
        "torch.func.vmap(f, in_dims=(0, 0, 0))(p, b, torch.stack([x.detach()] * 3))",
        "torch.func.vmap(torch.func.grad(loss), in_dims=(0, 0, None))(p, b, x.detach())",
        "torch.func.vmap(torch.func.vmap(f, in_dims=(None, None, 0)), in_dims=(0, 0, None))(p, b, x.detach()[:, None])",
        "torch.func.grad(lambda p: torch.func.vmap(loss, in_dims=(0, 0, None))(p, b, x.detach()).sum())(p)",
        "torch.func.vmap(f, in_dims=(0, 0, None), randomness='same', chunk_size=2)(p, b, x.detach())",
    ])  # fmt: skip
    maker.add(f"r{maker.count} = {form}", maker.new())


USES = [in_passes, in_passes, in_transforms, in_transforms, ensembles]
