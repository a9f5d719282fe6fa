"""What a compiled function is given and gives back has the history, the memory and the hooks that it has without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import facula as torch

from .test_capture import same

pytestmark = [
    pytest.mark.filterwarnings("ignore:compile. "), pytest.mark.filterwarnings("ignore:Using backward.. with create"),
    pytest.mark.filterwarnings("ignore:Use of masked_fill_ on expanded"),
]  # fmt: skip


def compiled(fn: Callable[..., Any]) -> Any:
    return torch.compile(fn, backend="numpy")


def leaf(*numbers: float) -> Any:
    return torch.tensor(numbers or (1.0, 2.0, 3.0, 4.0), requires_grad=True)


# ---- memory


def written_and_read(a: Any, b: Any) -> Any:
    a.add_(1)
    return b * 2


@pytest.mark.parametrize("first", ["apart", "shared"])
def test_arguments_that_share_memory(first: str) -> None:
    c = compiled(written_and_read)
    kinds = ["apart", "shared", "overlapping", "neighbours", "apart"]
    for kind in kinds if first == "apart" else kinds[::-1]:
        found = []
        for fn in (c, written_and_read):
            x = torch.zeros(8)
            b = {"apart": torch.zeros(4), "shared": x[:4], "overlapping": x[2:6], "neighbours": x[4:]}[kind]
            found.append([fn(x[:4], b), x])
        same(found[0], found[1])


def test_arguments_in_the_memory_of_a_parameter() -> None:
    w = torch.nn.Parameter(torch.zeros(4))

    def step(x: Any) -> Any:
        with torch.no_grad():
            w.mul_(2).add_(1)
        return x * 3

    c = compiled(step)
    found = []
    for fn in (c, step):
        with torch.no_grad():
            w.zero_()
        found.append([fn(torch.zeros(2)), fn(w.detach()[1:3]), fn(torch.zeros(2)), fn(w.detach()[1:3])])
    same(found[0], found[1])


def test_results_that_share_memory_are_written_to() -> None:
    def fn(x: Any) -> Any:
        y = x.sin()
        return y, y.view(2, 2), y.detach(), y.view(2, 2)[0]

    c = compiled(fn)
    for _ in range(2):
        found = []
        for f in (c, fn):
            x = leaf()
            y, square, constant, row = f(x)
            assert row._base is not None and constant._version == y._version
            y.mul_(2)
            (square * constant.view(2, 2)).sum().backward()
            found.append([y.detach(), row.detach(), x.grad])
        same(found[0], found[1])


@pytest.mark.parametrize("backend", ["eager", "numpy"])
def test_constants_that_are_returned_are_new_in_each_call(backend: str) -> None:
    c = torch.compile(lambda x: (torch.zeros(3), torch.ones(2, 3)[0], x + 1), backend=backend)
    for _ in range(3):
        zeros, ones, _ = c(torch.ones(3))
        assert zeros.tolist() == [0, 0, 0] and ones.tolist() == [1, 1, 1]
        zeros.add_(1)
        ones.add_(1)


def test_memory_that_elements_share() -> None:
    def fn(x: Any) -> Any:
        (g,) = torch.autograd.grad(x.sum(), x)
        return g.masked_fill_(torch.tensor([True, False, False, False]), 0.5)

    same(compiled(fn)(leaf()), fn(leaf()))


@pytest.mark.parametrize("change", ["unsqueeze_(0)", "t_()", "resize_(2)"])
def test_arguments_that_become_views_of_themselves(change: str) -> None:
    def fn(x: Any) -> Any:
        eval(f"x.{change}", {"x": x})
        return x * 2

    c = compiled(fn)
    for _ in range(2):
        same(c(torch.ones(3)), fn(torch.ones(3)))


@pytest.mark.parametrize("what", ["an argument", "a parameter", "a result", "a view of a result"])
def test_what_backward_needs_is_changed(what: str) -> None:
    w = torch.nn.Parameter(torch.ones(4))

    def fn(x: Any) -> Any:
        y = (x * w * w).exp()
        return y, y.view(2, 2)

    c = compiled(fn)
    for create_graph in (False, True):
        x = torch.ones(4)
        y, square = c(x)
        total = y.sum()
        with torch.no_grad():
            {"an argument": x, "a parameter": w, "a result": y, "a view of a result": square}[what].add_(1)
        with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
            total.backward(create_graph=create_graph)


def test_a_result_without_history_lies_in_what_backward_needs() -> None:
    def fn(x: Any) -> Any:
        y = x.exp()
        return y.detach(), y * x

    c = compiled(fn)
    for _ in range(2):
        constant, y = c(leaf())
        constant.add_(1)
        with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
            y.sum().backward()


def test_what_backward_does_not_need_is_changed() -> None:
    c = compiled(lambda x, w: (x * w + 1).tanh().cumsum(0))
    w = torch.ones(4, requires_grad=True)
    x = torch.ones(4)
    y = c(x, w)
    y.mul_(2)
    y.sum().backward()
    assert w.grad.tolist() == torch.autograd.grad((2 * (w + 1).tanh().cumsum(0)).sum(), w)[0].tolist()


# ---- views and modes


def test_views_of_arguments() -> None:
    def fn(x: Any) -> Any:
        recorded = x[:2]
        with torch.no_grad():
            unrecorded = x[2:]
        return recorded, unrecorded, x.detach()[1:], x.data

    c = compiled(fn)
    for _ in range(2):
        found = []
        for f in (c, fn):
            views = f(leaf())
            found.append([(t.requires_grad, t.is_leaf, t._is_view()) for t in views])
        assert found[0] == found[1]


def test_views_that_become_leaves() -> None:
    c = compiled(lambda x: (y := x * 2, y[1:].requires_grad_()))
    for _ in range(2):
        y, part = c(torch.ones(3))
        assert part.requires_grad and part.is_leaf and not y.requires_grad


def test_hooks_on_views_that_are_returned() -> None:
    def fn(x: Any) -> Any:
        y = x[:2]
        y.register_hook(lambda g: g * 10)
        return y

    c = compiled(fn)
    for _ in range(2):
        x = leaf()
        c(x).sum().backward()
        assert x.grad.tolist() == [10, 10, 0, 0]


# ---- arguments with a history


def test_arguments_with_a_history_are_changed_in_place() -> None:
    def fn(h: Any) -> Any:
        h.mul_(2)
        return h.sin()

    c = compiled(fn)
    for _ in range(2):
        found = []
        for f in (c, fn):
            x = leaf()
            h = x * 3
            f(h).sum().backward()
            found.append([x.grad, h.detach()])
        same(found[0], found[1])


def test_the_history_of_an_argument_is_looked_at() -> None:
    c = compiled(lambda h: h * 2 if h.is_leaf else h * 3)
    x = leaf()
    for _ in range(2):
        assert c(x * 1).tolist() == [3, 6, 9, 12]
        assert c(x).tolist() == [2, 4, 6, 8]


def test_backward_of_an_argument_itself() -> None:
    c = compiled(lambda h: h.backward(torch.ones_like(h)))
    for _ in range(2):
        x = leaf()
        c(x * 3)
        assert x.grad.tolist() == [3, 3, 3, 3]


def test_gradients_between_arguments() -> None:
    c = compiled(lambda a, b: torch.autograd.grad((b * 2).sum(), a)[0])
    for _ in range(2):
        a = leaf() * 1
        assert c(a, a * a).tolist() == [4, 8, 12, 16]


def test_views_of_what_was_changed() -> None:
    c = compiled(lambda v: torch.autograd.grad((v * v).sum(), v)[0])
    for _ in range(2):
        y = leaf() * 1
        view = y.view(2, 2)
        y.mul_(3)
        assert c(view).tolist() == [[6, 12], [18, 24]]


def test_custom_functions_that_change_their_argument() -> None:
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    c = compiled(lambda h: Twice.apply(h).sum())
    for _ in range(2):
        x = leaf()
        c(x * 3).backward()
        assert x.grad.tolist() == [6, 6, 6, 6]


# ---- gradients


def test_inputs_that_no_gradient_comes_from() -> None:
    c = compiled(lambda x, y: (x * 2, y * 3))
    for _ in range(2):
        x, y = leaf(), leaf()
        first, _ = c(x, y)
        first.sum().backward()
        assert x.grad.tolist() == [2, 2, 2, 2] and y.grad is None


def test_a_loss_that_was_differentiated_inside() -> None:
    def fn(x: Any) -> Any:
        loss = (x * x).sum()
        loss.backward()
        return loss

    c = compiled(fn)
    for _ in range(2):
        x = leaf()
        loss = c(x)
        with pytest.raises(RuntimeError, match="backward through the graph a second time"):
            torch.autograd.grad(loss, x, allow_unused=True)
        assert loss.grad_fn.next_functions[0][0].variable is x


def test_gradients_with_a_history_stay_behind() -> None:
    def fn(x: Any) -> None:
        x.pow(3).sum().backward(create_graph=True)

    c = compiled(fn)
    for _ in range(2):
        x = leaf()
        c(x)
        assert x.grad.requires_grad
        x.grad = None


@pytest.mark.parametrize("kind", ["detach", "no_grad", "in place", "data"])
def test_first_and_second_derivatives_where_history_is_cut(kind: str) -> None:
    def fn(x: Any) -> Any:
        if kind == "detach":
            return (x.detach() * x * x).sum()
        if kind == "data":
            return (x.data * x * x).sum()
        if kind == "no_grad":
            with torch.no_grad():
                y = x * 2
            return (x * x * y).sum()
        y = x * x
        with torch.no_grad():
            y += 1
        return (y.sin() * x).sum()

    c = compiled(fn)
    for _ in range(2):
        found = []
        for f in (c, fn):
            x = leaf()
            (g,) = torch.autograd.grad(f(x), x, create_graph=True)
            found.append([g.detach(), *torch.autograd.grad(g.square().sum(), x)])
        same(found[0], found[1])


def test_derivatives_of_what_is_written_to_an_unsafe_view() -> None:
    def fn(x: Any) -> Any:
        product = x.matmul(x).mul_(2)
        part = (x * 3).unsafe_split(1)[0].mul_(2)
        flat = x.mT.reshape(-1)
        flat[1:].sin_()
        return product.sum() + (part * part).sum() + (flat * flat).sum()

    c = compiled(fn)
    for _ in range(2):
        found = []
        for f in (c, fn):
            x = torch.arange(8, dtype=torch.float64).reshape(2, 2, 2).sin().requires_grad_()
            (g,) = torch.autograd.grad(f(x), x, create_graph=True)
            found.append([g.detach(), *torch.autograd.grad(g.square().sum(), x)])
        same(found[0], found[1])


def test_gradients_at_the_edge_of_an_argument() -> None:
    def fn(x: Any, y: Any) -> Any:
        return torch.autograd.grad(y.sum(), torch.autograd.graph.get_gradient_edge(x), retain_graph=True)[0]

    c = compiled(fn)
    for _ in range(2):
        x = leaf()
        y = x.sinh()
        same([fn(x, y)], [c(x, y)])


def test_a_function_is_not_run_again_if_it_would_do_something_else() -> None:
    factor = 2.0

    def fn(x: Any) -> Any:
        return (x.detach() * x).sum() * factor

    x = leaf()
    y = compiled(fn)(x)
    factor = 3.0
    with pytest.raises(RuntimeError, match="something that it reads is no longer what it was"):
        torch.autograd.grad(y, x, create_graph=True)


# ---- hooks


def test_hooks_of_leaves_run_once_for_second_derivatives() -> None:
    c = compiled(lambda x: x.pow(3).sum())
    x = leaf()
    seen: list[Any] = []
    x.register_hook(lambda g: seen.append(g.detach().tolist()))
    c(x).backward(create_graph=True)
    assert seen == [[3, 12, 27, 48]]


def test_hooks_that_come_later() -> None:
    p = leaf()

    def step(x: Any) -> None:
        p.grad = None
        (p * x).sum().backward()

    c = compiled(step)
    c(torch.ones(4))
    c(torch.ones(4))
    handle = p.register_hook(lambda g: g * 10)
    c(torch.ones(4))
    assert p.grad.tolist() == [10, 10, 10, 10]
    handle.remove()
    c(torch.ones(4))
    assert p.grad.tolist() == [1, 1, 1, 1]


def test_hooks_that_do_more_than_compute() -> None:
    p = leaf()
    seen: list[Any] = []
    p.register_hook(lambda g: seen.append(g.tolist()))

    def step(x: Any) -> None:
        p.grad = None
        (p * x).sum().backward()

    c = compiled(step)
    for i in range(3):
        with pytest.warns(UserWarning, match="may do more than compute") if i == 0 else _silence():
            c(torch.ones(4))
    assert seen == [[1, 1, 1, 1]] * 3

    def register(x: Any) -> Any:
        y = x * 2
        y.register_hook(lambda g: seen.append("inside"))
        return y.sum()

    seen.clear()
    with pytest.warns(UserWarning, match="may do more than compute"):
        y = compiled(register)(leaf())
    assert seen == []
    y.backward()
    assert seen == ["inside"]


def test_hooks_on_arguments_are_not_forgotten() -> None:
    c = compiled(lambda x: x.register_hook(lambda g: g * 2) and None)
    for _ in range(2):
        x = leaf()
        c(x)
        x.sum().backward()
        assert x.grad.tolist() == [2, 2, 2, 2]


class _silence:
    def __enter__(self) -> None: ...

    def __exit__(self, *exc: object) -> None: ...
