"""``make_fx``: programs that were traced at some values compute the same as the function at others."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import facula as torch
import facula.nn.functional as F
from facula.fx.experimental.proxy_tensor import get_proxy_mode, make_fx
from facula.utils._pytree import tree_flatten
from tests.op_samples import SAMPLES, WITHOUT_NUMBERS

NOT_SEEN = {"padded_recurrent_layer", "packed_recurrent_layer", "onednn_recurrent_layer"}
"""Their gradients differentiate other functions, for which gradients must be recorded: that is refused."""

NAMES = [name for name in sorted(SAMPLES) if name not in WITHOUT_NUMBERS | NOT_SEEN]


def is_input(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and (x.is_floating_point() or x.is_complex())


def copies(values: Any) -> list[Any]:
    return [v.detach().clone() if isinstance(v, torch.Tensor) else v for v in values]


def gradients(fn: Callable[..., Any]) -> Callable[..., Any]:
    def run(*inputs: Any) -> Any:
        own = [x.detach().requires_grad_() if is_input(x) else x for x in inputs]
        outs = [o for o in tree_flatten(fn(*own))[0] if isinstance(o, torch.Tensor) and o.requires_grad]
        total = sum((o * o.conj()).real.sum() if o.is_complex() else (o * o).sum() for o in outs)
        return torch.autograd.grad(total, [x for x in own if is_input(x)], allow_unused=True)

    return run


def check(fn: Callable[..., Any], *inputs: Any, others: Any = None) -> Any:
    """Trace at ``inputs``, compare at ``others``: results, and what was written into the arguments."""
    program = make_fx(fn)(*copies(inputs))
    others = [torch.randn_like(x) if is_input(x) else x for x in inputs] if others is None else others
    first, second = copies(others), copies(others)
    torch.manual_seed(3)
    expected = fn(*first)
    torch.manual_seed(3)
    found = program(*second)
    for a, b in zip(tree_flatten([expected, first])[0], tree_flatten([found, second])[0], strict=True):
        assert a == b if not isinstance(a, torch.Tensor) else torch.allclose(a, b, rtol=1e-6, atol=1e-9, equal_nan=True)
    return program


@pytest.mark.parametrize("name", NAMES[::4])
def test_gradients_of_primitives(name: str) -> None:
    fn, inputs = SAMPLES[name][0]
    torch.manual_seed(5)
    near = [x * (1 + 0.003 * torch.rand_like(x.real if x.is_complex() else x)) if is_input(x) else x for x in inputs]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(gradients(fn), *inputs, others=near)


def test_code_is_in_operators() -> None:
    program = check(lambda x, y: torch.relu(x + y) * 2, torch.randn(2, 3), torch.randn(3))
    assert program.code.split("\n")[3:-1] == [
        "def forward(self, x_1, y_1):",
        "    add = torch.ops.aten.add.Tensor(x_1, y_1);  x_1 = y_1 = None",
        "    relu = torch.ops.aten.relu.default(add);  add = None",
        "    mul = torch.ops.aten.mul.Tensor(relu, 2);  relu = None",
        "    return mul",
    ]
    assert [tuple(n.meta["val"].shape) for n in program.graph.nodes if n.op != "output"] == [
        (2, 3),
        (3,),
        *[(2, 3)] * 3,
    ]


def test_a_network_and_its_gradients() -> None:
    def loss(x: Any, w1: Any, b: Any, w2: Any) -> Any:
        w1, b, w2 = (p.detach().requires_grad_() for p in (w1, b, w2))
        out = F.layer_norm(F.linear(torch.relu(F.linear(x, w1, b)), w2), (4,))
        total = F.cross_entropy(out, torch.tensor([0, 1])) + F.mse_loss(out, out.detach() * 2) + F.gelu(out).sum()
        return total, torch.autograd.grad(total, (w1, b, w2))

    program = check(loss, torch.randn(2, 3), torch.randn(5, 3), torch.randn(5), torch.randn(4, 5))
    assert [n.target for n in program.graph.nodes if n.op == "get_attr"] == ["_tensor_constant0"]


def test_backward_and_second_derivatives() -> None:
    def step(x: Any, w: Any) -> Any:
        w = w.detach().requires_grad_()
        (x @ w).tanh().pow(2).mean().backward()
        return w - 0.1 * w.grad

    def second(x: Any) -> Any:
        x = x.detach().requires_grad_()
        (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
        return torch.autograd.grad(g.sum(), x)

    check(step, torch.randn(2, 3), torch.randn(3, 2))
    check(second, torch.randn(2, 3))
    check(torch.func.grad(lambda x: (x**2).sum() + x.softmax(1).log().sum()), torch.randn(2, 3))


def test_writes_and_views() -> None:
    def write(x: Any) -> Any:
        z = x.clone()
        v = z[0]
        v.add_(1)
        z[1] = 5
        z.mul_(2)
        x.copy_(z)
        return z, v, torch.add(x, 1, out=torch.empty(2, 3))

    check(write, torch.randn(2, 3))


def test_random_numbers_are_drawn_anew() -> None:
    check(lambda x: F.dropout(x, 0.5) + torch.rand(2, 3) + torch.bernoulli(torch.full((2, 3), 0.5)), torch.randn(2, 3))


def test_modules_keep_their_parameters() -> None:
    net = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.ReLU()).eval()
    program = check(net, torch.randn(2, 1, 8, 8))
    assert dict(program.named_parameters())["_param_constant0"] is net[0].weight
    attention = torch.nn.MultiheadAttention(4, 2).eval()
    check(lambda q: attention(q, q, q)[0], torch.randn(3, 2, 4))


def test_nested_arguments_and_results() -> None:
    def fn(d: Any) -> Any:
        return {"sum": d["a"] + d["b"][0], "same": [d["a"]]}

    given = {"a": torch.ones(2), "b": [torch.ones(2)]}
    program = make_fx(fn)(given)
    found = program({"a": torch.zeros(2), "b": [torch.ones(2)]})
    assert found["sum"].tolist() == [1.0, 1.0] and found["same"][0].tolist() == [0.0, 0.0]


def test_what_cannot_be_traced_is_refused() -> None:
    x = torch.ones(2)
    with pytest.raises(RuntimeError, match="trying to get value out of a tracing tensor"):
        make_fx(lambda x: x.sum().item())(x)
    with pytest.raises(RuntimeError, match="trying to get value out of a tracing tensor"):
        make_fx(lambda x: x if x.sum() > 0 else -x)(x)
    with pytest.raises(NotImplementedError, match="vmap"):
        make_fx(lambda x: torch.func.vmap(torch.sin)(x))(x)
    with pytest.raises(NotImplementedError, match="real tensors"):
        make_fx(torch.sin, tracing_mode="symbolic")
    with pytest.raises(AssertionError, match="tracing_mode"):
        make_fx(torch.sin, tracing_mode="other")
    assert get_proxy_mode() is None


def test_the_mode_is_known_inside() -> None:
    def fn(x: Any) -> Any:
        seen.append(get_proxy_mode() is not None)
        return x + 1

    seen: list[bool] = []
    make_fx(fn)(torch.ones(2))
    assert seen == [True]
