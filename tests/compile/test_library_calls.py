"""Operators that are C in programs: kernels of the library and copies, in training steps, beside eager."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import facula as torch
from facula import nn
from facula._compile.c.build import has_compiler
from facula._compile.c.text import CProgram
from facula._compile.programs import emit
from facula._compile.programs.steps import PythonCall

from .graphs import Builder, all_operators

pytestmark = [
    pytest.mark.usefixtures("with_library"), pytest.mark.skipif(not has_compiler(), reason="needs a C compiler")
]  # fmt: skip
F = nn.functional
all_operators()


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of NumPy's kernels that programs call."""
    from facula._compile.c import build as c_build

    names: list[str] = []
    loaded = c_build.Loaded.__init__

    def note(self: Any, program: CProgram) -> None:
        names.extend([s[0].name for s in program.segments if isinstance(s[0], PythonCall)])
        loaded(self, program)

    monkeypatch.setattr(c_build.Loaded, "__init__", note)
    return names


def alike(function: Any, *leaves: Any) -> None:
    """Values and gradients of a function and of its program."""
    compiled = torch.compile(function, backend="c")
    for _ in range(2):
        found = []
        for f in (function, compiled):
            own = [leaf.detach().clone().requires_grad_() for leaf in leaves]
            out = f(*own)
            out.square().sum().backward()
            found.append([out.detach(), *[leaf.grad for leaf in own]])
        for a, b in zip(*found, strict=True):
            largest = max(1.0, float(a.abs().max())) if a.numel() else 1.0
            np.testing.assert_allclose(b.numpy(), a.numpy(), rtol=2e-5, atol=2e-5 * largest)
            assert a.stride() == b.stride()


@pytest.mark.parametrize("shape", [(6, 8), (2, 3, 8), (4, 2, 8)])
def test_layer_norm(shape: tuple[int, ...], called: list[str]) -> None:
    torch.manual_seed(0)
    weight = torch.randn(shape[-1])
    alike(lambda x, w: F.layer_norm(x, shape[-1:], w), torch.randn(shape), weight)
    alike(lambda x: F.layer_norm(x, shape[1:]), torch.randn(shape))
    assert not called


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_attention_of_parts_of_one_array(causal: bool, dtype: Any, called: list[str]) -> None:
    """What a transformer does: split, view, transpose; then the gradients, joined again."""
    rng = np.random.default_rng(0)
    b = Builder()
    x, g = b.inputs(
        x=rng.standard_normal((2, 5, 24)).astype(dtype), g=rng.standard_normal((2, 2, 5, 4)).astype(dtype)
    )
    parts = b.call("split", x, 8, 2)
    heads = [b.call("transpose", b.call("view", b.item(parts, i), (2, 5, 2, 4)), 1, 2) for i in range(3)]
    attended = b.call("flash_attention", *heads, None, 0.0, causal, None, False)
    out, logs, shares = (b.item(attended, i) for i in range(3))
    needs = (True, True, True)
    back = b.call("flash_attention_backward", g, *heads, None, out, logs, shares, 0.0, causal, None, needs)
    joined = b.call("cat_op", tuple([b.item(back, i) for i in range(3)]), 3, (4, 8, 12), None)
    found = emit.build_c(b.program([out, logs, joined]))(b.arrays)
    for value, node in zip(found, (out, logs, joined), strict=True):
        np.testing.assert_allclose(value, b.values[node], rtol=2e-5, atol=2e-5)
    assert not called


@pytest.mark.parametrize(
    "how", [{}, {"stride": 2, "padding": 1}, {"dilation": 2}, {"groups": 2, "padding": (2, 0)}], ids=str
)
def test_convolution(how: dict[str, Any], called: list[str]) -> None:
    torch.manual_seed(0)
    x, weight = torch.randn(2, 4, 9, 8), torch.randn(6, 4 // how.get("groups", 1), 3, 3)
    alike(lambda x, w, b: F.conv2d(x, w, b, **how), x, weight, torch.randn(6))
    alike(lambda x, w: F.conv2d(x, w, **how).tanh(), x, weight)
    alike(lambda x: F.conv2d(x, weight, **how), x)
    assert not called


@pytest.mark.parametrize("shape", [(1, 4, 3, 3), (2, 4, 3, 3), (1, 4, 1, 1)], ids=str)
def test_convolution_to_one_position(shape: tuple[int, ...]) -> None:
    torch.manual_seed(0)
    x, bias = torch.randn(shape), torch.randn(6)
    alike(lambda x, w, b: F.conv2d(x, w, b), x, torch.randn(6, 4, *shape[2:]), bias)
    alike(lambda x, w, b: F.conv2d(x, w, b, padding=1, stride=3), x[..., :1, :1], torch.randn(6, 4, 3, 3), bias)


@pytest.mark.filterwarnings("ignore")  # of what is not finite
def test_convolution_of_numbers_that_are_not_finite() -> None:
    """A kernel that declines does so in the middle of a step, before anything has changed."""
    torch.manual_seed(0)
    x, weight = torch.randn(1, 4, 6, 6), torch.randn(3, 4, 3, 3)
    found = []
    for compiled in (False, True):
        layer = nn.Conv2d(4, 3, 3, bias=False)
        layer.weight.data.copy_(weight)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)

        def step(x: Any, layer: Any = layer, optimizer: Any = optimizer) -> Any:
            optimizer.zero_grad()
            loss = layer(x).sum()
            loss.backward()
            optimizer.step()
            return loss

        run = torch.compile(step, backend="c") if compiled else step
        losses = [run(x).item() for _ in range(2)] + [run(x * torch.inf).item(), run(x).item()]
        found.append([*losses, layer.weight.detach().clone()])
    (*a, eager), (*b, own) = found
    np.testing.assert_allclose(b, a, rtol=1e-5)
    torch.testing.assert_close(own, eager, equal_nan=True)


@pytest.mark.parametrize("how", [{}, {"stride": 1}, {"padding": 1, "ceil_mode": True}, {"dilation": 2}], ids=str)
def test_max_pooling(how: dict[str, Any], called: list[str]) -> None:
    torch.manual_seed(0)
    alike(lambda x: F.max_pool2d(x, 3, **how), torch.randn(2, 3, 9, 8))
    alike(lambda x: F.max_pool2d(x * 2, 3, **how).tanh(), torch.randn(3, 9, 8))
    assert not called


@pytest.mark.parametrize("affine", [True, False])
def test_batch_norm(affine: bool, called: list[str]) -> None:
    torch.manual_seed(0)
    layers = [nn.BatchNorm2d(3, affine=affine) for _ in range(2)]
    compiled = torch.compile(layers[1], backend="c")
    for i in range(3):
        found = []
        for layer, run in ((layers[0], layers[0]), (layers[1], compiled)):
            torch.manual_seed(i)
            x = torch.randn(4, 3, 5, 2, requires_grad=True)
            layer.zero_grad()
            run(x).sin().sum().backward()
            found.append([x.grad, *[p.grad for p in layer.parameters()], *layer.buffers()])
        torch.testing.assert_close(found[1], found[0])
    assert not called
    for layer in layers:
        layer.eval()
    with torch.no_grad():
        for _ in range(2):
            torch.testing.assert_close(compiled(x), layers[0](x))
    assert not called


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("weighted", [False, True])
def test_cross_entropy(reduction: str, weighted: bool, called: list[str]) -> None:
    torch.manual_seed(0)
    target = torch.tensor([0, 3, -100, 1])
    weight = torch.rand(5) if weighted else None
    alike(lambda x: F.cross_entropy(x, target, weight, reduction=reduction), torch.randn(4, 5))
    assert not called


def test_gradients_of_each_sample(called: list[str]) -> None:
    torch.manual_seed(0)
    weight, x, y = torch.randn(5, 3), torch.randn(7, 3), torch.arange(7) % 5

    def loss(weight: Any, x: Any, y: Any) -> Any:
        return F.cross_entropy((x @ weight.t()).tanh().unsqueeze(0), y.unsqueeze(0))

    gradients = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    compiled = torch.compile(gradients, backend="c", fullgraph=True)
    for target in (y, y.flip(0)):
        torch.testing.assert_close(compiled(weight, x, target), gradients(weight, x, target))
    assert not called and len(compiled.compiled.programs) == 1
    ignored = torch.where(y == 2, -100, y)
    torch.testing.assert_close(compiled(weight, x, ignored), gradients(weight, x, ignored), equal_nan=True)


def test_a_class_that_does_not_exist_is_refused_as_always() -> None:
    loss = torch.compile(lambda x, y: F.cross_entropy(x, y), backend="c")
    x, y = torch.randn(4, 5), torch.tensor([0, 1, 2, 3])
    loss(x, y)
    good = loss(x, y)
    with pytest.raises(IndexError, match="out of bounds"):
        loss(x, torch.tensor([0, 1, 2, 7]))
    assert torch.allclose(loss(x, y), good)


def test_a_step_that_is_refused_changes_nothing() -> None:
    net = nn.Linear(3, 5)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        return loss

    compiled = torch.compile(step, backend="c")
    x = torch.randn(4, 3)
    for _ in range(3):
        compiled(x, torch.tensor([0, 1, 2, 3]))
    before = net.weight.detach().clone()
    with pytest.raises(IndexError):
        compiled(x, torch.tensor([0, 1, 2, 9]))
    assert torch.equal(net.weight, before)


def test_embedding(called: list[str]) -> None:
    torch.manual_seed(0)
    index = torch.tensor([[1, 4, 1], [0, 2, 4]])
    alike(lambda w: F.embedding(index, w).tanh(), torch.randn(5, 3))
    assert {*called} <= {"_check_rows"}
    compiled = torch.compile(lambda w, i: F.embedding(i, w), backend="c")
    for i in (index, index):
        assert compiled(torch.eye(5), i).shape == (2, 3, 5)
    with pytest.raises(IndexError, match="index out of range in self"):
        compiled(torch.eye(5), index + 1)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_cat(dim: int, called: list[str]) -> None:
    torch.manual_seed(0)
    alike(lambda a, b: torch.cat([a, b.t(), a * 2], dim), torch.randn(3, 3), torch.randn(3, 3))
    assert not called


def test_a_copy_does_not_read_what_another_has_written() -> None:
    def swap(a: Any, b: Any) -> None:
        old = a.clone()
        a.copy_(-b)
        b.copy_(old)

    for backend in ("c", "numpy"):
        compiled = torch.compile(swap, backend=backend)
        for _ in range(3):
            a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
            compiled(a, b)
            assert a.tolist() == [-3, -4] and b.tolist() == [1, 2]


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_results_do_not_depend_on_the_number_of_threads(backend: str) -> None:
    """Sums of whole arrays, of rows and of columns, loops in pieces, products, norms: bit by bit."""
    torch.manual_seed(0)
    x, w = torch.randn(400, 300), torch.randn(300, 300, requires_grad=True)

    def work(x: Any, w: Any) -> Any:
        y = F.layer_norm(torch.tanh(x @ w), (300,))
        return F.gelu(y).sum(0).sin().sum() + (y * y).mean() + y.sum(1).abs().max() + torch.softmax(y, 1).square().sum()

    found = []
    before = torch.get_num_threads()
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            compiled = torch.compile(work, backend=backend)
            for _ in range(2):
                w.grad = None
                out = compiled(x, w)
                out.backward()
            found.append((out.item(), w.grad.clone()))
    finally:
        torch.set_num_threads(before)
    for value, gradient in found[1:]:
        assert value == found[0][0] and torch.equal(gradient, found[0][1])


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
@pytest.mark.parametrize("options", [{}, {"bias": False}, {"bidirectional": True}, {"num_layers": 2}])
def test_recurrent_layers(kind: str, options: dict[str, Any], called: list[str]) -> None:
    """Outputs and last states, and all gradients, also those of the first states."""
    torch.manual_seed(0)
    net = getattr(nn, kind)(3, 5, **options)
    names = [name for name, _ in net.named_parameters()]
    x, states = torch.randn(4, 2, 3), torch.randn(2, len(names) // (2 if "bias" in options else 4), 2, 5)

    def run(x: Any, states: Any, *weights: Any) -> Any:
        given = (states[0], states[1]) if kind == "LSTM" else states[0]
        out, last = torch.func.functional_call(net, dict(zip(names, weights, strict=True)), (x, given))
        return torch.cat([out.flatten(), *[s.flatten() for s in (last if kind == "LSTM" else [last])]])

    alike(run, x, states, *net.parameters())
    alike(lambda x, *weights: run(x, states, *weights)[:7], x, *net.parameters())
    assert not called


def test_recurrent_layer_without_gradients(called: list[str]) -> None:
    torch.manual_seed(0)
    net, x = nn.LSTM(3, 5), torch.randn(4, 2, 3)
    with torch.no_grad():
        out, (hidden, cell) = torch.compile(net, backend="c")(x)
        for found, wanted in zip((out, hidden, cell), (lambda o, s: (o, *s))(*net(x)), strict=True):
            torch.testing.assert_close(found, wanted)
    assert not called


def test_stacked(called: list[str]) -> None:
    torch.manual_seed(0)
    x, y = torch.randn(3, 4), torch.randn(4, 3)
    for dim in (0, 1, 2, -1):
        alike(partial(lambda x, y, dim: torch.stack([x, y.t(), x * 2], dim), dim=dim), x, y)
    alike(lambda x: torch.stack([x.sum(), x[0, 0], x.max()]), x)
    assert not called


def test_gradients_of_parts(called: list[str]) -> None:
    torch.manual_seed(0)
    x = torch.randn(4, 6)
    alike(lambda x: x[-1] * 2, x)
    alike(lambda x: x[:, 2].exp(), x)
    alike(lambda x: x[:, 1:-1:2].sin() + x[:, 3:5], x)
    alike(lambda x: (x.t()[1:4] @ x[:2].t()[:4, :1].expand(4, 2)) * x[1:3, 0], x)
    assert not called


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_gelu_and_its_slope_share_an_exponential(dtype: Any) -> None:
    def both(x: Any) -> tuple[Any, Any]:
        out = F.gelu(x)
        return out, torch.autograd.grad(out.sum(), x)[0]

    extremes = torch.tensor([float("nan"), float("inf"), 0.0, -0.0, 1e-40, 30.0, -30.0, 1e30])
    x = torch.cat([torch.linspace(-6, 6, 1000), extremes]).to(dtype).requires_grad_()
    compiled = torch.compile(both, backend="c")
    for found, wanted in zip(compiled(x), both(x), strict=True):
        torch.testing.assert_close(found, wanted, equal_nan=True)
    text = compiled.source()
    assert "error_function_with" in text and text.count("exponential_f") == 1


IMAGES: dict[str, Any] = {
    "group norm": (lambda x, w: F.group_norm(x, 2, w, -w), (2, 6, 4, 5), (6,)),
    "group norm without weights": (lambda x: F.group_norm(x, 3), (2, 6, 4)),
    "matrices at each position": (lambda x, w, b: F.conv2d(x, w, b), (3, 4, 5, 6), (7, 4, 1, 1), (7,)),
    "one matrix, one sample": (lambda x, w: F.conv1d(x, w), (1, 4, 5), (2, 4, 1)),
    "averages": (lambda x: F.avg_pool2d(x, 2), (2, 3, 6, 7)),
    "averages with borders": (
        lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False), (2, 3, 6, 7)
    ),
    "averages of volumes": (lambda x: F.avg_pool3d(x, 2, 1, divisor_override=3), (2, 3, 4, 3, 5)),
    "softmax of channels": (lambda x: F.softmax(x, 1), (2, 5, 3, 4)),
    "logarithms of it": (lambda x: F.log_softmax(x, 0), (4, 6)),
}  # fmt: skip
MOVED: dict[str, Any] = {
    "flip": lambda x: x.flip(0, 2),
    "flip of a transpose": lambda x: x.transpose(0, 1).flip(1),
    "roll": lambda x: x.roll((1, -7), (0, 2)),
    "roll of a transpose": lambda x: x.transpose(0, 2).roll(2, 1),
    "pad": lambda x: F.pad(x, (1, 2, 0, 3), value=1.5),
    "pad and cut": lambda x: F.pad(x, (-1, 2, 1, -2)),
    "cut": lambda x: F.pad(x, (-1, -1)),
    "cut to the border": lambda x: F.pad(x, (-4, 1)),
    "glu": lambda x: F.glu(x, 2),
    "glu of a transpose": lambda x: F.glu(x.transpose(0, 2), 0),
}
LOSSES: dict[str, Any] = {
    "smooth": lambda x, y: F.smooth_l1_loss(x, y, beta=0.7),
    "huber, each": lambda x, y: F.huber_loss(x, y, reduction="none", delta=0.4),
    "logits": lambda x, y: F.binary_cross_entropy_with_logits(x * y, (x > 0).float()),
    "logits, added up": lambda x, y: F.binary_cross_entropy_with_logits(x + y, (x > 0).float(), reduction="sum"),
    "mish": lambda x, y: F.mish(x * y),
    "hardswish": lambda x, y: F.hardswish(x * 3 + y),
}


@pytest.mark.parametrize("name", IMAGES)
def test_images(name: str, called: list[str]) -> None:
    torch.manual_seed(0)
    function, *shapes = IMAGES[name]
    alike(function, *[torch.randn(shape) for shape in shapes])
    assert not called


@pytest.mark.parametrize("name", MOVED)
def test_elements_that_are_moved(name: str, called: list[str]) -> None:
    torch.manual_seed(0)
    alike(MOVED[name], torch.randn(3, 5, 4))
    assert not called


@pytest.mark.parametrize("name", LOSSES)
def test_losses_and_activations(name: str, called: list[str]) -> None:
    torch.manual_seed(0)
    alike(LOSSES[name], torch.randn(4, 5), torch.randn(4, 5))
    assert not called
