"""``torch._dynamo``: what it says of captured functions, and back ends that users write."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import pytest

import facula as torch
from facula import _dynamo
from facula._dynamo.testing import CompileCounter, EagerAndRecordGraphs
from facula._dynamo.utils import counters

from .test_capture import FUNCTIONS, WITHOUT_GRADIENT, same


@pytest.mark.parametrize("dynamic", [False, True], ids=["fixed", "general"])
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in WITHOUT_GRADIENT])
def test_graphs_of_back_ends_compute_the_same(name: str, dynamic: bool) -> None:
    fn, make = FUNCTIONS[name]
    c = torch.compile(fn, backend=lambda gm, example_inputs: gm.forward, dynamic=dynamic)
    for seed in range(2):
        torch.manual_seed(seed)
        x = make().requires_grad_()
        y = x.detach().clone().requires_grad_()
        a, b = (torch.utils._pytree.tree_leaves(f(t))[0] for f, t in ((c, x), (fn, y)))
        same(a, b)
        a.sum().backward()
        b.sum().backward()
        same(x.grad, y.grad, atol=1e-5)


def test_graphs_of_back_ends_have_names_of_pytorch() -> None:
    kept = EagerAndRecordGraphs()
    torch.compile(lambda x, w: torch.relu(x @ w) * 2 + x, backend=kept)(torch.ones(2, 2), torch.ones(2, 2))
    nodes = [(node.op, node.target, node.name) for node in kept.graphs[0].graph.nodes]
    assert nodes == [
        ("placeholder", "L_x_", "l_x_"), ("placeholder", "L_w_", "l_w_"),
        ("call_function", operator.matmul, "mm"), ("call_function", torch.relu, "relu"),
        ("call_function", operator.mul, "mul"), ("call_function", operator.add, "add"),
        ("output", "output", "output"),
    ]  # fmt: skip


def test_registered_back_ends() -> None:
    counter = CompileCounter()
    _dynamo.register_backend(counter, name="counting")
    fn = torch.compile(lambda x: x.sin() + 1, backend="counting")
    assert fn(torch.zeros(2)).tolist() == fn(torch.zeros(2)).tolist() == [1, 1]
    assert (counter.frame_count, counter.op_count) == (1, 2)
    assert "counting" in torch.compiler.list_backends()
    with pytest.raises(AssertionError, match="duplicate name"):
        _dynamo.register_backend(counter, name="counting")


def test_explain() -> None:
    found = _dynamo.explain(lambda x: x.sin() + 1)(torch.ones(2))
    assert (found.graph_count, found.graph_break_count, found.op_count) == (1, 0, 2)
    assert "torch.sin" in found.graphs[0].code and str(found).startswith("Graph Count: 1\n")

    def prints(x: torch.Tensor) -> torch.Tensor:
        print("seen")
        return x

    found = _dynamo.explain(prints)(torch.ones(2))
    assert (found.graph_count, found.graph_break_count) == (0, 1)
    assert "test_dynamo.py" in str(found.break_reasons[0].user_stack[0])


def test_config() -> None:
    config: Any = _dynamo.config
    with config.patch(recompile_limit=2, automatic_dynamic_shapes=False):
        assert config.cache_size_limit == 2
        fn = torch.compile(lambda x: x * 2, backend="eager")
        with pytest.warns(UserWarning, match=r"torch._dynamo hit config.recompile_limit \(2\)") as told:
            for n in (2, 3, 4, 5):
                assert fn(torch.ones(n)).tolist() == [2] * n
        assert len(told) == 1 and len(fn.compiled.programs) == 2
    assert (config.recompile_limit, config.automatic_dynamic_shapes) == (8, True)
    with pytest.raises(AttributeError, match=r"torch\._dynamo\.config\.nope does not exist"):
        config.nope = 1
    config.verbose = False


def test_counters_and_breaks() -> None:
    counters.clear()
    torch.compile(lambda x: x * 2 + 1, backend="eager")(torch.ones(2))
    assert counters["stats"] == {"unique_graphs": 1, "calls_captured": 2}

    def breaks(x: torch.Tensor) -> torch.Tensor:
        _dynamo.graph_break("here")
        return x * 2

    fn = torch.compile(breaks, backend="eager")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fn(torch.ones(1)).item() == 2
    assert sum(counters["graph_break"].values()) == 1
    with pytest.raises(_dynamo.exc.Unsupported, match="here"):
        torch.compile(breaks, backend="eager", fullgraph=True)(torch.ones(1))


def test_older_names() -> None:
    fn = _dynamo.optimize("eager")(lambda x: x + 1)
    assert fn(torch.ones(1)).item() == 2 and len(fn.compiled.programs) == 1
    assert _dynamo.run(fn)(torch.ones(2)).tolist() == [2, 2] and len(fn.compiled.programs) == 1
    with pytest.raises(_dynamo.exc.Unsupported):
        _dynamo.optimize("eager", nopython=True)(lambda x: print(x))(torch.ones(1))


def test_too_many_programs_can_be_an_error() -> None:
    fn = torch.compile(lambda x: x + 1, backend="eager", dynamic=False)
    with _dynamo.config.patch(recompile_limit=2, fail_on_recompile_limit_hit=True):
        assert [fn(torch.ones(n)).sum().item() for n in (2, 3)] == [4, 6]
        with pytest.raises(_dynamo.exc.FailOnRecompileLimitHit):
            fn(torch.ones(4))
    with _dynamo.config.patch(recompile_limit=2), pytest.warns(UserWarning, match="recompile_limit"):
        assert fn(torch.ones(4)).sum() == 8
    assert not issubclass(_dynamo.exc.FailOnRecompileLimitHit, _dynamo.exc.TorchDynamoException)
