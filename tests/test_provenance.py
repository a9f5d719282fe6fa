"""Every node knows the line that made it, and errors name the lines involved, after PyTorch's own sentence."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import facula as torch
from facula.autograd.graph import walk


def line(offset: int = 0) -> int:
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    return frame.f_back.f_lineno + offset


def here(number: int) -> str:
    return f"{__file__}:{number}"


def message_of(fn: Any) -> str:
    with pytest.raises(RuntimeError) as caught:
        fn()
    return str(caught.value)


def test_a_node_knows_its_line() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    assert str(y.grad_fn.source) == here(line(-1))
    assert y.grad_fn.source.function == "test_a_node_knows_its_line"


def test_nodes_made_deep_inside_facula_know_the_users_line() -> None:
    x = torch.ones(3, 3, requires_grad=True)
    results = [
        x.sum(0),
        x.reshape(9),
        x[0],
        x.std(),
        torch.einsum("ij->j", x),
        x.softmax(0),
    ]
    first = line(-7)
    assert [r.grad_fn.source.line for r in results] == [first + i for i in range(6)]
    assert {r.grad_fn.source.filename for r in results} == {__file__}


def test_nodes_below_a_composite_know_the_users_line_too() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    y = torch.ones(3) @ x.T
    expected = line(-1)
    seen = set()
    stack = [y.grad_fn]
    while stack:
        node = stack.pop()
        if node is None or node.name().endswith("AccumulateGrad"):
            continue
        seen.add(node.source.line)
        stack += [n for n, _ in node.next_functions]
    assert seen == {expected}


def test_a_leafs_accumulator_was_made_by_no_line() -> None:
    x = torch.ones(2, requires_grad=True)
    assert (x * 2).grad_fn.next_functions[0][0].source is None


def test_a_node_keeps_no_frame_alive() -> None:
    class Big:
        pass

    import weakref

    def make() -> tuple[Any, Any]:
        big = Big()
        y = torch.ones(2, requires_grad=True) * 2
        return y, weakref.ref(big)

    y, reference = make()
    assert y.grad_fn.source is not None
    assert reference() is None


def test_modified_in_place_names_both_lines() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 1
    z = y * y
    saved = line(-1)
    y.add_(1)
    changed = line(-1)
    message = message_of(z.sum().backward)
    assert message.startswith("one of the variables needed for gradient computation has been modified by an inplace")
    assert f"at {here(saved)}" in message
    assert f"at {here(changed)}" in message
    assert "clone()" in message


def test_a_saved_output_changed_in_place_names_both_lines() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    saved = line(-1)
    y += 1
    changed = line(-1)
    message = message_of(y.sum().backward)
    assert f"at {here(saved)}" in message and f"at {here(changed)}" in message


def test_changes_through_views_and_indices_are_named_too() -> None:
    x = torch.ones(2, 2, requires_grad=True)
    y = x * 1
    z = y * y
    y[0, 1] = 5.0
    changed = line(-1)
    assert f"changed in place at {here(changed)}" in message_of(z.sum().backward)


def test_second_backward_names_the_line_of_the_first() -> None:
    x = torch.ones(2, requires_grad=True)
    loss = (x * x).sum()
    loss.backward()
    first = line(-1)
    message = message_of(loss.backward)
    assert message.startswith("Trying to backward through the graph a second time")
    assert f"freed by the backward call at {here(first)}" in message


def test_freed_by_autograd_grad() -> None:
    x = torch.ones(2, requires_grad=True)
    loss = (x * x).sum()
    torch.autograd.grad(loss, x)
    first = line(-1)
    assert here(first) in message_of(loss.backward)


@pytest.mark.parametrize("how", ["detach()", ".data", "detach_()"])
def test_no_grad_fn_names_the_line_that_cut_the_graph(how: str) -> None:
    x = torch.ones(1, requires_grad=True)
    y = x * 2
    if how == "detach()":
        y = y.detach()
    elif how == ".data":
        y = y.data
    else:
        y.detach_()
    message = message_of(y.backward)
    assert message.startswith("element 0 of tensors does not require grad and does not have a grad_fn")
    assert re.search(rf"{re.escape(how)} at {re.escape(__file__)}:\d+", message)


def test_the_cut_is_found_through_later_operations() -> None:
    x = torch.ones(1, requires_grad=True)
    y = (x * 2).detach()
    cut = line(-1)
    z = (y + 1) * 3
    message = message_of(z.backward)
    assert f"detach() at {here(cut)}" in message


def test_no_grad_is_named_as_the_cut() -> None:
    x = torch.ones(1, requires_grad=True)
    with torch.no_grad():
        y = x * 2
        cut = line(-1)
    message = message_of(y.backward)
    assert "no_grad" in message and here(cut) in message


def test_an_integer_dtype_is_named_as_the_reason() -> None:
    message = message_of(torch.ones(1, dtype=torch.int64).backward)
    assert "torch.int64" in message


def test_item_is_no_mystery() -> None:
    x = torch.ones(1, requires_grad=True)
    y = torch.tensor((x * 2).item())
    assert message_of(y.backward).startswith("element 0 of tensors does not require grad")


def test_what_a_recorded_backward_makes_is_ascribed_to_the_line_that_asked_for_it() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    y = torch.nn.functional.linear(x.tanh(), torch.ones(4, 3, requires_grad=True)).exp().sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    asked = line(-1)
    made = [node for node in walk(g.grad_fn) if node.source is not None and node.source.line == asked]
    assert g.grad_fn in made and len(made) >= 3


def test_hooks_and_custom_functions_have_lines_of_their_own_in_a_recorded_backward() -> None:
    lines = {}

    def hook(g: Any) -> Any:
        lines["hook"] = line(1)
        return torch.nn.functional.softplus(g)

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            lines["backward"] = line(1)
            return torch.nn.functional.softplus(g)

    x = torch.ones(2, requires_grad=True)
    y = x * x
    y.register_hook(hook)
    (g,) = torch.autograd.grad(Twice.apply(y).exp().sum(), x, create_graph=True)
    made = {node.source.line for node in walk(g.grad_fn) if node.source and node.name() == "SoftplusBackward0"}
    assert made == {lines["hook"], lines["backward"]}


def test_what_an_operator_records_inside_a_transform_is_ascribed_to_its_caller() -> None:
    nodes = []

    def loss(w: Any, x: Any) -> Any:
        out = torch.nn.functional.linear(x, w)
        nodes.append((out.grad_fn, line(-1)))
        return out.sum()

    torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(torch.ones(4, 3), torch.ones(5, 2, 3))
    ((node, number),) = nodes
    assert node.source.line == number


def test_lines_are_those_of_this_file() -> None:
    assert Path(__file__).exists()
