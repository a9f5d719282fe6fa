"""``facula.steps``: the same as backward, one node at a time, forth and back."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import facula as torch
from facula.autograd.steps import Steps


def two_uses() -> tuple[Any, Any, Any]:
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    return a, b, (a + b) * (b * 2)


def names(steps: Steps) -> list[str]:
    return [type(step.node).__name__ for step in steps]


def test_each_node_is_a_step() -> None:
    _, _, e = two_uses()
    assert names(torch.steps(e)) == ["MulBackward0", "MulBackward0", "AddBackward0", "AccumulateGrad", "AccumulateGrad"]


def test_a_step_tells_what_came_and_what_goes() -> None:
    a, _, e = two_uses()
    step = next(torch.steps(e))
    assert step.node is e.grad_fn
    assert [g.item() for g in step.incoming] == [1.0]
    assert [g.item() for g in step.outgoing] == [6.0, 5.0]
    assert {name: t.item() for name, t in step.saved.items()} == {"self": 5.0, "other": 6.0}
    assert step.source is not None and step.source.function == "two_uses"
    assert a.grad is None


def network() -> tuple[Any, Any]:
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(4, 8), torch.nn.LayerNorm(8), torch.nn.GELU(), torch.nn.Linear(8, 3), torch.nn.LogSoftmax(1)
    )
    x = torch.randn(5, 4)
    return model, lambda: -model(x)[:, 0].mean() + model(x).chunk(3, 1)[1].sum()


def test_gradients_are_those_of_backward() -> None:
    model, loss = network()
    loss().backward()
    expected = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    for _ in torch.steps(loss()):
        pass
    for p, g in zip(model.parameters(), expected):
        assert torch.equal(p.grad, g)
    for _ in torch.steps(loss()):
        pass
    for p, g in zip(model.parameters(), expected):
        assert torch.equal(p.grad, g + g)


def test_the_order_is_that_of_backward() -> None:
    _, loss = network()
    root = loss()
    order: list[Any] = []
    nodes = list(torch.autograd.graph.walk(root.grad_fn))
    for node in nodes:
        node.register_prehook(lambda grads, node=node: order.append(node))
    stepped = [step.node for step in torch.steps(root, retain_graph=True)]
    in_steps, order[:] = order[:], []
    root.backward()
    assert in_steps == stepped == order and len(order) == len(nodes)


def test_hooks_and_retained_gradients_are_as_in_backward() -> None:
    seen = []
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y.retain_grad()
    y.register_hook(lambda g: g * 10)
    x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.tolist()))
    for _ in torch.steps((y * y).sum()):
        pass
    assert y.grad.tolist() == [60.0, 120.0]
    assert x.grad.tolist() == [180.0, 360.0]
    assert seen == [[180.0, 360.0]]


def test_callbacks_wait_for_the_end() -> None:
    told = []
    x = torch.tensor(1.0, requires_grad=True)
    y = x * 2
    queue = torch.autograd.Variable._execution_engine.queue_callback
    y.register_hook(lambda g: queue(lambda: told.append(x.grad.item())))
    steps = torch.steps(y.exp())
    next(steps), next(steps)
    assert told == []
    list(steps)
    assert told == [x.grad.item()]


def test_leaving_early_leaves_what_has_arrived_and_the_graph() -> None:
    a, b, e = two_uses()
    for step in torch.steps(e):
        if isinstance(step.node, type(a.exp().grad_fn.next_functions[0][0])):
            break
    assert [a.grad.item(), b.grad] == [6.0, None]
    e.backward()
    assert a.grad.item() == 12.0 and b.grad.item() == 16.0


def test_back_and_forth() -> None:
    a, b, e = two_uses()
    b.grad = torch.tensor(100.0)
    kept: Any = b.grad
    steps = torch.steps(e, retain_graph=True)
    first = names(steps)
    assert (a.grad.item(), b.grad.item()) == (6.0, 116.0)
    assert steps.back().node.variable is a
    assert (a.grad.item(), b.grad.item()) == (6.0, 100.0)
    assert steps.back().node.name() == "AddBackward0"
    assert [a.grad, b.grad.item()] == [None, 100.0]
    steps.rewind()
    assert steps.current is None and steps.back() is None
    assert names(steps) == first
    assert (a.grad.item(), b.grad.item()) == (6.0, 116.0) and b.grad is kept


def test_several_outputs_go_back_too() -> None:
    x = torch.arange(6.0).requires_grad_()
    first, second, third = x.chunk(3)
    steps = torch.steps((first * second).sum() + (third * second).sum(), retain_graph=True)
    list(steps)
    once = x.grad.clone()
    while steps.back() is not None:
        pass
    assert x.grad is None
    list(steps)
    assert torch.equal(x.grad, once)  # type: ignore[arg-type]
    assert once.tolist() == [2.0, 3.0, 4.0, 6.0, 2.0, 3.0]


def test_a_gradient_can_be_changed() -> None:
    a, b, e = two_uses()
    steps = torch.steps(e)
    step = next(steps)
    step.outgoing = (torch.tensor(60.0), None)
    list(steps)
    assert (a.grad.item(), b.grad.item()) == (60.0, 60.0)


def test_a_gradient_changed_in_place_changes_along_one_edge_alone() -> None:
    x, y = (torch.ones(2, requires_grad=True) for _ in range(2))
    steps = torch.steps((x + y).sum())
    next(steps)
    next(steps).outgoing[0].mul_(5)
    list(steps)
    assert (x.grad.tolist(), y.grad.tolist()) == ([5.0, 5.0], [1.0, 1.0])


def test_a_changed_gradient_must_fit() -> None:
    _, _, e = two_uses()
    step = next(torch.steps(e))
    with pytest.raises(ValueError, match="MulBackward0 sends 2 gradients on, but 1 were given"):
        step.outgoing = torch.tensor(1.0)
    with pytest.raises(ValueError, match=r"has shape \[\] and dtype float32, but the one given has shape \[3\]"):
        step.outgoing = (torch.ones(3), None)
    with pytest.raises(TypeError, match="gradient 1 must be a Tensor or None, but is float"):
        step.outgoing = (None, 1.0)


def test_second_derivatives() -> None:
    x = torch.tensor(3.0, requires_grad=True)
    steps = torch.steps(x**3, create_graph=True)
    g = next(steps).outgoing[0]
    assert g.item() == 27.0
    assert torch.autograd.grad(g, x)[0].item() == 18.0


def test_a_custom_function_shows_what_it_saved() -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 2 * g * ctx.saved_tensors[0]

    x = torch.tensor(3.0, requires_grad=True)
    step = next(torch.steps(Square.apply(x)))
    assert step.saved["saved_tensors[0]"].item() == 3.0
    assert step.outgoing[0].item() == 6.0


def test_a_failing_step_can_be_tried_again() -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x * 2
    fails = [True]

    def hook(g: Any) -> None:
        if fails.pop():
            raise KeyError("hook")

    y.register_hook(hook)
    fails.append(False)
    fails.append(True)
    steps = torch.steps(y * 3)
    next(steps)
    with pytest.raises(KeyError):
        next(steps)
    list(steps)
    assert x.grad.item() == 6.0
    assert torch.is_grad_enabled()


def test_the_end_frees_the_graph_and_errors_name_the_line() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x.exp()
    steps = torch.steps(y)
    list(steps)
    with pytest.raises(RuntimeError, match=r"a second time(.|\n)*freed by the backward call at .*test_steps.py:\d+"):
        y.backward()
    with pytest.raises(RuntimeError, match=r"ended and freed its graph \(it began at .*test_steps.py:\d+\)"):
        steps.back()


def test_a_freed_graph_says_who_freed_it() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x.exp().sin()
    y.backward()
    with pytest.raises(RuntimeError, match=r"freed by the backward call at .*test_steps.py:\d+"):
        torch.steps(y)


def test_no_history_says_where_it_was_cut() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x.detach() * 2
    with pytest.raises(RuntimeError, match=r"does not require grad(.|\n)*detach\(\) at .*test_steps.py:\d+"):
        torch.steps(y)


def test_what_is_no_scalar_needs_a_gradient() -> None:
    x = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"only for scalar outputs\nThe tensor is of shape \[3\]. Pass a gradient"):
        torch.steps(x * 2)
    list(torch.steps(x * 2, torch.tensor([1.0, 0.0, 2.0])))
    assert x.grad.tolist() == [2.0, 0.0, 4.0]


def test_what_is_no_tensor() -> None:
    with pytest.raises(TypeError, match="takes the tensor to go backward from, but got list"):
        torch.steps([1.0])


def test_not_inside_a_transform() -> None:
    with pytest.raises(RuntimeError, match="inside a transform"):
        torch.func.grad(lambda x: torch.steps(x * 2))(torch.tensor(1.0))


def test_a_graph_of_another_thread() -> None:
    made: list[Any] = []
    worker = threading.Thread(target=lambda: made.extend(two_uses()))
    worker.start()
    worker.join()
    a, b, e = made
    steps = torch.steps(e)
    next(steps)
    worker = threading.Thread(target=lambda: list(steps))
    worker.start()
    worker.join()
    assert (a.grad.item(), b.grad.item()) == (6.0, 16.0)


def test_a_long_chain() -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(20_000):
        y = y + 0.0
    steps = torch.steps(y)
    for _ in steps:
        steps.forget()
    assert steps.total == 20_001 and x.grad.item() == 1.0


def test_a_leaf_is_a_step_of_its_own() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    assert names(torch.steps(x)) == ["AccumulateGrad"]
    assert x.grad.item() == 1.0
