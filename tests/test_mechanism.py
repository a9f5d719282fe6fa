"""How operators are declared and called: registration, hot path, forms, provenance, promotion."""

from __future__ import annotations

import inspect
import json
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import facula as torch
from facula._lazy import load_all
from facula.autograd import graph
from facula.autograd.graph import walk
from facula.autograd.saved import DIRECT, PLAIN
from facula.ops.machine.elementwise import Elementwise, elementwise
from facula.ops.machine.elementwise import any_state as general
from facula.ops.machine.namespaces import ARRAYS, TENSORS
from facula.ops.machine.primitive import REGISTRY, Primitive, primitive
from facula.ops.machine.public import FUNCTIONS, expose, public
from facula.ops.machine.write import inplace_form
from facula.ops.products.linear import _any_linear, linear

load_all()
GOLDEN = json.loads((Path(__file__).parent / "conformance" / "golden" / "cases_dtypes.json").read_text())


@pytest.fixture(autouse=True)
def forget_what_is_registered() -> Iterator[None]:
    """Primitives and functions that a test declares are gone after it."""
    places: list[dict[str, Any]] = [REGISTRY, FUNCTIONS, ARRAYS.__dict__, TENSORS.__dict__]
    before = [dict(p) for p in places]
    methods = set(torch.Tensor.__dict__)
    yield
    for place, kept in zip(places, before, strict=True):
        place.clear()
        place.update(kept)
    for name in set(torch.Tensor.__dict__) - methods:
        delattr(torch.Tensor, name)


def leaf(values: Any, dtype: Any = torch.float64) -> Any:
    return torch.tensor(values, dtype=dtype, requires_grad=True)


# ---- registration


def scale_kernel(input, other, by: float):  # type: ignore[no-untyped-def]
    return input * other * by


def scale() -> Primitive:
    op = primitive("ScaleBackward0", name="probe_scale")(scale_kernel)
    op.vjp(
        input=lambda g, other, by, xp: g * xp.conj(other) * by,
        other=lambda g, input, by, xp: g * xp.conj(input) * by,
    )
    return op


def test_parameters_without_annotation_are_tensors() -> None:
    op = scale()
    assert op.tensor_names == ["input", "other"]
    assert op.attribute_names == ["by"]
    assert REGISTRY["probe_scale"] is op
    assert ARRAYS.probe_scale is scale_kernel and TENSORS.probe_scale is op.call


def test_the_parameters_of_rules_are_what_is_saved() -> None:
    assert scale().slot_names == ["by", "other", "input"]


@pytest.mark.parametrize("unknown", ["third", "weight_shape", "input_colour", "outer"])
def test_a_rule_that_names_an_unknown_argument_fails_at_once(unknown: str) -> None:
    rule = eval(f"lambda g, {unknown}: g")
    with pytest.raises(TypeError, match=f"probe_scale: a rule asks for '{unknown}'"):
        primitive("ScaleBackward0", name="probe_scale")(scale_kernel).vjp(input=rule)


def test_a_rule_for_an_unknown_argument_fails_at_once() -> None:
    with pytest.raises(TypeError, match="a rule for 'third', which is none of"):
        scale().vjp(third=lambda g: g)


def test_the_first_parameter_of_a_rule_is_g() -> None:
    with pytest.raises(TypeError, match="the first parameter of a rule is g"):
        scale().vjp(input=lambda other: other)


def test_tensors_come_before_attributes() -> None:
    def kernel(by: float, input):  # type: ignore[no-untyped-def]
        return input * by

    with pytest.raises(TypeError, match="tensor parameters come before attributes"):
        primitive("ProbeBackward0", name="probe")(kernel)


def test_a_namespace_has_nothing_that_was_not_declared() -> None:
    for xp in (ARRAYS, TENSORS):
        with pytest.raises(AttributeError, match="there is no primitive called 'no_such_thing'"):
            _ = xp.no_such_thing


# ---- calling, recording, saving


def test_a_primitive_records_only_if_an_input_requires_grad() -> None:
    op = scale()
    a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    assert op(a, b, 2.0).grad_fn is None
    with torch.no_grad():
        assert op(leaf([1.0]), leaf([1.0]), 2.0).grad_fn is None
    assert op(leaf([1.0]), leaf([2.0]), 2.0).grad_fn.name() == "ScaleBackward0"


def test_only_what_live_edges_need_is_saved() -> None:
    op = scale()
    a, b = leaf([1.0, 2.0]), torch.tensor([3.0, 4.0], dtype=torch.float64)
    node = op(a, b, 2.0).grad_fn
    assert node._saved_self is None
    assert node._saved_other.tolist() == [3.0, 4.0]
    assert node._saved_by == 2.0
    assert node.next_functions[1] == (None, 0)


def test_attributes_are_saved_whichever_edges_live() -> None:
    x, w = leaf([[1.0, 2.0]]), torch.tensor([[1.0], [2.0]], dtype=torch.float64)
    node = (x @ w).grad_fn
    assert node._saved_mat2_sym_sizes == (2, 1)
    assert node._saved_self_sym_sizes == (1, 2)
    assert node._saved_self_sym_strides == (2, 1)


def test_rules_run_in_both_namespaces_and_agree() -> None:
    op = scale()
    a, b = leaf([1.0, -2.0]), leaf([0.5, 3.0])
    g = torch.tensor([1.0, 10.0], dtype=torch.float64)
    raw = torch.autograd.grad(op(a, b, 2.0), (a, b), g)
    recorded = torch.autograd.grad(op(a, b, 2.0), (a, b), g, create_graph=True)
    assert [x.tolist() for x in raw] == [x.tolist() for x in recorded] == [[1.0, 60.0], [2.0, -40.0]]
    assert all(not x.requires_grad for x in raw) and all(x.requires_grad for x in recorded)
    assert torch.autograd.gradgradcheck(lambda x, y: op(x, y, 2.0), (a, b))


def test_hidden_saved_values_have_no_attribute() -> None:
    node = torch.addmm(leaf([1.0]), leaf([[1.0]]), leaf([[1.0]])).grad_fn
    names = [n for n in dir(node) if n.startswith("_saved_")]
    assert "_saved_self_sym_sizes" not in names and "_saved_mat1_sym_sizes" in names


def test_a_variadic_primitive_gives_each_tensor_its_gradient() -> None:
    def kernel(tensors, by: float):  # type: ignore[no-untyped-def]
        return sum(tensors) * by

    op = primitive("TotalBackward0", name="probe_total")(kernel)
    op.vjp(tensors=lambda g, by, position: g * by * (position + 1))
    a, b, c = leaf([1.0]), leaf([2.0]), leaf([3.0])
    total = op([a, b, c], 2.0)
    assert total.tolist() == [12.0]
    grads = torch.autograd.grad(total, (a, b, c), torch.ones(1, dtype=torch.float64))
    assert [x.item() for x in grads] == [2.0, 4.0, 6.0]


def test_several_outputs_have_ports_and_missing_gradients_are_none() -> None:
    def kernel(input):  # type: ignore[no-untyped-def]
        return np.sin(input), np.cos(input)

    seen = []

    def rule(g, input, xp):  # type: ignore[no-untyped-def]
        seen.append([x is None for x in g])
        total = 0 * input
        if g[0] is not None:
            total = total + g[0] * xp.cos(input)
        if g[1] is not None:
            total = total - g[1] * xp.sin(input)
        return total

    op = primitive("SincosBackward0", name="probe_sincos", outputs=2)(kernel)
    op.vjp(input=rule)
    x = leaf([0.5])
    s, c = op(x)
    assert (s.output_nr, c.output_nr) == (0, 1) and s.grad_fn is c.grad_fn
    (g,) = torch.autograd.grad(c, x)
    assert g.item() == pytest.approx(-np.sin(0.5))
    assert seen == [[True, False]]


def test_indices_beside_values_stay_out_of_the_graph() -> None:
    values, indices = leaf([1.0, 3.0, 2.0]).max(0)
    assert values.requires_grad and not indices.requires_grad


# ---- the hot path against the general one

UNARY = ["neg", "exp", "tanh", "sin", "abs", "sqrt", "relu", "sigmoid", "reciprocal"]
BINARY = ["add", "sub", "mul", "div", "maximum", "atan2"]
SHAPES = [((), ()), ((3,), (3,)), ((2, 3), (3,)), ((3,), (2, 1)), ((2, 1), (1, 3)), ((0,), (1,)), ((2, 3), ())]

numbers = st.floats(0.25, 3.0).map(lambda v: round(v, 3))
dtypes = st.sampled_from([torch.float32, torch.float64])
flags = st.booleans()


def tensors(shape: tuple[int, ...], values: list[float], dtype: Any, requires_grad: bool, computed: bool) -> Any:
    size = int(np.prod(shape))
    array = np.resize(np.array(values or [1.0]), size).reshape(shape)
    t = torch.tensor(array.tolist() if size else np.zeros(shape).tolist(), dtype=dtype).reshape(shape)
    if requires_grad:
        t.requires_grad_()
        if computed:
            t = t * 1.0
    return t


def described(t: Any) -> Any:
    node = t.grad_fn
    if node is None:
        return t.tolist(), t.dtype, t.shape, None
    saved = {n: getattr(node, n) for n in dir(node) if n.startswith("_saved_")}
    return (
        t.tolist(), t.dtype, t.shape, node.name(), [n for n, _ in node.next_functions], node.adapt,
        {n: v.tolist() if isinstance(v, torch.Tensor) else v for n, v in saved.items()},
    )  # fmt: skip


def gradients(t: Any, inputs: list[Any]) -> Any:
    wanted = [x for x in inputs if isinstance(x, torch.Tensor) and x.requires_grad]
    if not t.requires_grad:
        return None
    found = torch.autograd.grad(t, wanted, torch.ones_like(t), allow_unused=True, retain_graph=True)
    return [None if g is None else (g.tolist(), g.dtype, g.shape) for g in found]


def assert_same(hot: Any, general: Any, inputs: list[Any]) -> None:
    assert described(hot) == described(general)
    assert gradients(hot, inputs) == gradients(general, inputs)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(UNARY), st.sampled_from(SHAPES), st.lists(numbers, max_size=4), dtypes, flags, flags)
def test_hot_path_of_one(name: str, shapes: Any, values: Any, dtype: Any, requires: bool, computed: bool) -> None:
    op = REGISTRY[name]
    assert isinstance(op, Elementwise)
    x = tensors(shapes[0], values, dtype, requires, computed)
    assert_same(op.call(x), general(op, (x,)), [x])
    with torch.no_grad():
        assert_same(op.call(x), general(op, (x,)), [x])


@settings(max_examples=120, deadline=None)
@given(
    st.sampled_from(BINARY), st.sampled_from(SHAPES), st.lists(numbers, min_size=1, max_size=4), dtypes, dtypes,
    st.tuples(flags, flags, flags), st.sampled_from(["tensor", "float", "int"]),
)  # fmt: skip
def test_hot_path_of_two(
    name: str, shapes: Any, values: Any, dtype: Any, other_dtype: Any, requires: Any, kind: str
) -> None:
    op = REGISTRY[name]
    assert isinstance(op, Elementwise)
    if kind != "tensor" and not op.numbers:
        kind = "tensor"
    x = tensors(shapes[0], values, dtype, requires[0], requires[2])
    y: Any = tensors(shapes[1], values[::-1], other_dtype, requires[1], requires[2])
    if kind != "tensor":
        y = float(values[0]) if kind == "float" else 2
    assert_same(op.call(x, y), general(op, (x, y)), [x, y])
    if kind == "tensor":
        assert_same(op.operator(x, y), general(op, (x, y)), [x, y])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 3), st.integers(1, 3), st.integers(1, 3), dtypes, st.tuples(flags, flags, flags), flags)
def test_hot_path_of_linear_and_matmul(
    rows: int, inner: int, columns: int, dtype: Any, requires: Any, computed: bool
) -> None:
    x = tensors((rows, inner), [0.5, 2.0, 1.25], dtype, requires[0], computed)
    w = tensors((columns, inner), [1.5, 0.75], dtype, requires[1], computed)
    b = tensors((columns,), [0.25, 3.0], dtype, requires[2], computed)
    hot, general = linear(x, w, b), _any_linear(x, w, b)
    assert gradients(hot, [x, w, b]) == gradients(general, [x, w, b])
    names = [[n.name() for n in walk(t.grad_fn)] if t.requires_grad else [] for t in (hot, general)]
    assert names[0] == names[1]
    assert described(hot)[:4] == described(general)[:4]
    m = w.detach().t().contiguous().requires_grad_(requires[1])
    assert_same(x @ m, torch.mm(x, m), [x, m])


def test_hot_path_sees_a_saved_tensor_change() -> None:
    x = torch.ones(2, 2, requires_grad=True)
    for make in (lambda y: y @ x, lambda y: y * x, lambda y: linear(y, x, x[0].detach())):
        y = torch.ones(2, 2)
        out = make(y)
        y += 1
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            out.sum().backward()


def test_saved_tensors_that_were_changed_before_are_fine() -> None:
    x = torch.ones(2, 2, requires_grad=True)
    y = torch.ones(2, 2)
    y += 1
    for out in (y @ x, y * x, linear(y, x, x[0].detach())):
        x.grad = None
        out.sum().backward()
        assert x.grad is not None


# ---- provenance


def line(offset: int = 0) -> int:
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    return frame.f_back.f_lineno + offset


def sources(t: Any) -> set[tuple[str, int]]:
    return {(n.source.filename, n.source.line) for n in walk(t.grad_fn) if n.source is not None}


def test_a_primitive_called_directly_knows_the_line() -> None:
    a = leaf([1.0])
    y = scale()(a, a, 2.0)
    assert sources(y) == {(__file__, line(-1))}


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x + 1,
        lambda x: 2.0 * x,
        lambda x: x.exp(),
        lambda x: torch.exp(x),
        lambda x: x @ x,
        lambda x: x.matmul(x),
        lambda x: torch.mm(x, x),
        lambda x: linear(x, x, x[0].detach()),
        lambda x: linear(x[None], x),
        lambda x: x[None] @ x[None],
        lambda x: torch.einsum("ij,jk,kl->il", x, x, x),
        lambda x: torch.tensordot(x, x, 1),
        lambda x: torch.linalg.matrix_power(x, 3),
        lambda x: x.view(4).unsqueeze(0).t(),
        lambda x: x.sum(0),
        lambda x: x.clone().mul_(2),
        lambda x: x.clone().addmm_(x, x),
    ],
)
def test_nodes_know_the_line_however_they_are_made(make: Any) -> None:
    y = make(torch.eye(2, requires_grad=True))
    assert sources(y) == {(__file__, make.__code__.co_firstlineno)}


# ---- forms: methods, in place, out=


def test_expose_gives_all_forms_of_an_elementwise_primitive() -> None:
    op = elementwise("probe_twice", lambda input: input * 2, "TwiceBackward0", input=lambda g: g * 2)
    expose(op, "probe_twice", "probe_twice", "probe_twice_")
    x: Any = torch.tensor([1.0, 2.0])
    out = torch.zeros(2)
    assert FUNCTIONS["probe_twice"](x).tolist() == x.probe_twice().tolist() == [2.0, 4.0]
    assert FUNCTIONS["probe_twice"](x, out=out) is out and out.tolist() == [2.0, 4.0]
    assert x.probe_twice_() is x and x.tolist() == [2.0, 4.0]
    assert FUNCTIONS["probe_twice_"](x) is x and x.tolist() == [4.0, 8.0]


def test_the_in_place_form_bumps_the_version_and_rebases_history() -> None:
    a = leaf([1.0, 2.0])
    x = a * 1.0
    before = x.grad_fn
    changed = inplace_form(scale())(x, torch.tensor([3.0, 4.0], dtype=torch.float64), 2.0)
    assert changed is x and x._version == 1
    assert x.grad_fn.name() == "ScaleBackward0" and x.grad_fn.next_functions[0][0] is before
    x.sum().backward()
    assert a.grad.tolist() == [6.0, 8.0]


def test_the_in_place_form_saves_its_input_as_it_was() -> None:
    a, b = leaf([1.0, 2.0]), leaf([5.0, 7.0])
    x = a * 1.0
    inplace_form(scale())(x, b, 1.0)
    x.sum().backward()
    assert b.grad.tolist() == [1.0, 2.0]


def test_in_place_on_a_leaf_is_refused() -> None:
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        inplace_form(scale())(leaf([1.0]), torch.ones(1, dtype=torch.float64), 2.0)


def test_in_place_keeps_dtype_and_shape() -> None:
    x = torch.tensor([1, 2])
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        x.mul_(1.5)
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        torch.ones(2).add_(torch.ones(3, 2))
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.ones(1).expand(3).add_(1)


def test_out_is_written_resized_and_checked() -> None:
    m = torch.eye(2)
    empty = torch.zeros(0)
    assert torch.mm(m, m, out=empty) is empty and empty.shape == (2, 2) and empty._version == 1
    with pytest.warns(UserWarning, match="An output with one or more elements was resized"):
        torch.add(torch.ones(3), 1, out=torch.zeros(2))
    with pytest.raises(RuntimeError, match="result type Float can't be cast"):
        torch.add(torch.ones(2), 1, out=torch.zeros(2, dtype=torch.int64))
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype float, but got double instead"):
        torch.mm(m, m, out=torch.zeros(2, 2, dtype=torch.float64))
    with pytest.raises(RuntimeError, match=r"mm\(\): functions with out=... arguments don't support automatic"):
        torch.mm(m.requires_grad_(), m, out=torch.zeros(2, 2))


def test_public_functions_take_numpys_names_and_out() -> None:
    @public("probe_total", "probe_total", out=True)
    def total(input: Any, dim: int = 0) -> Any:
        return input.sum(dim)

    x: Any = torch.ones(2, 3)
    assert FUNCTIONS["probe_total"](x, axis=1).tolist() == x.probe_total(dim=1).tolist() == [3.0, 3.0]
    out = torch.zeros(3)
    assert FUNCTIONS["probe_total"](x, out=out) is out and out.tolist() == [2.0, 2.0, 2.0]


# ---- classes


class Quiet(torch.Tensor):
    """A subclass that operators treat as Tensor itself."""


class Loud(torch.Tensor):
    seen: list[str] = []

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.seen.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs)


@pytest.fixture
def quiet() -> Iterator[type]:
    for classes in (DIRECT, PLAIN):
        classes.add(Quiet)
    yield Quiet
    for classes in (DIRECT, PLAIN):
        classes.discard(Quiet)


def test_plain_classes_go_the_hot_path_and_give_tensors(quiet: type) -> None:
    x = torch.ones(2, 2).as_subclass(quiet)
    assert type(x) is Quiet
    for y in (x * 2, x + x, x @ x, x.exp(), linear(x, x, torch.ones(2)), x.view(4)):
        assert type(y) is torch.Tensor


def test_other_subclasses_are_asked_and_kept() -> None:
    x = torch.ones(2, 2).as_subclass(Loud)
    Loud.seen.clear()
    results = [x * 2, x @ x, x.exp(), torch.mm(x, x), linear(x, x, torch.ones(2)), torch.einsum("ij->j", x)]
    assert [type(r) for r in results] == [Loud] * 6
    assert {"mul", "matmul", "exp", "mm", "linear", "einsum"} <= {n.strip("_") for n in Loud.seen}


def test_graphs_die_with_their_tensors() -> None:
    x = torch.ones(2, 2, requires_grad=True)
    y = linear(x, x, x[0])
    node = weakref.ref(y)
    del y
    assert node() is None


# ---- promotion


def promoted(fn: Any) -> str:
    try:
        result = fn()
    except Exception as e:
        return type(e).__name__
    return str(getattr(result, "dtype", result)).removeprefix("torch.")


def test_promotion_is_pytorchs() -> None:
    for a, row in GOLDEN["promote_types_table"].items():
        for b, expected in row.items():
            x, y = getattr(torch, a), getattr(torch, b)
            assert promoted(lambda x=x, y=y: torch.promote_types(x, y)) == expected, (a, b)


@pytest.mark.parametrize(
    ("table", "shapes"),
    [
        ("addition_dtype_table", (2, 2)),
        ("result_type_of_tensor_and_zero_dim_tensor", (0, 2)),
        ("result_type_of_zero_dim_tensors", (0, 0)),
    ],
)
def test_elementwise_operators_promote_by_pytorchs_tables(table: str, shapes: tuple[int, int]) -> None:
    for a, row in GOLDEN[table].items():
        for b, expected in row.items():
            x, y = (
                torch.ones((n,) if n else (), dtype=getattr(torch, d)) for n, d in zip(shapes, (a, b), strict=True)
            )
            if expected != "complex32":  # which facula has not
                assert promoted(lambda x=x, y=y: x + y) == expected, (a, b)


def test_gradients_come_back_in_the_dtype_and_shape_of_the_inputs() -> None:
    a, b = leaf([[1.0], [2.0]], torch.float32), leaf([1.0, 2.0, 3.0])
    (a * b).sum().backward()
    assert (a.grad.dtype, a.grad.shape) == (torch.float32, (2, 1))
    assert (b.grad.dtype, b.grad.shape) == (torch.float64, (3,))


def test_nodes_with_other_numbers_still_run_after_all_that_lead_to_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "renumbered", False)
    x = leaf([0.3, 0.7])
    a = x.sin()
    b = (a * a).exp()
    c = b + a
    order = []
    for name, t in (("a", a), ("b", b), ("c", c)):
        t.grad_fn.register_prehook(lambda _, name=name: order.append(name))
    (expected,) = torch.autograd.grad(c.sum(), x, retain_graph=True)
    a.grad_fn._set_sequence_nr(10**9)  # as if it were the newest
    (found,) = torch.autograd.grad(c.sum(), x)
    assert order == ["c", "b", "a"] * 2
    assert found.tolist() == expected.tolist()
