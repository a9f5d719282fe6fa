"""Each pass alone: a small program, and exactly what becomes of it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from facula._compile.passes.algebra import simplified
from facula._compile.passes.graph import cleaned, fold_constants, remove_dead, share_common
from facula._compile.passes.in_place import in_place
from facula._compile.passes.memory import lifetimes, place
from facula._compile.passes.schedule import schedule
from facula._compile.passes.space import refined, space_of
from facula._compile.passes.views import same_order, viewed
from facula._compile.programs.scalars import Statement
from facula._compile.programs.steps import Buffer, Check, Copy, LibraryCall, Loop, Plan, Product, Value, Written, dense
from facula.ops.machine.primitive import REGISTRY

from .graphs import Builder, all_operators

all_operators()
F32, BOOL = np.dtype(np.float32), np.dtype(bool)


def array(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def named(graph: Any) -> list[str]:
    return [getattr(node.target, "name", node.op) for node in graph.nodes if node.op == "call_function"]


def said(loop: Loop) -> list[str]:
    """The operations of a loop, loads left out."""
    return [s.op for s in loop.statements if s.op not in ("load", "const")]


def kinds(plan: Plan) -> list[str]:
    return [type(step).__name__ for step in plan.steps]


def arena(shape: tuple[int, ...], name: str = "t") -> Value:
    size = int(np.prod(shape))
    return Value(Buffer("arena", F32, size, name=name), 0, shape, dense(shape))


# ---- graphs


def test_what_nobody_uses_goes_with_what_only_it_used() -> None:
    b = Builder()
    (x,) = b.inputs(x=array(3))
    b.call("tanh", b.call("exp", x))
    kept = b.call("sin", x)
    b.program([kept])
    assert remove_dead(b.graph) == 2
    assert named(b.graph) == ["sin"]


def test_a_check_and_a_draw_stay() -> None:
    b = Builder()
    (x,) = b.inputs(x=array(1))
    b.check(b.call("sum_all", x, None))
    b.program([x])
    assert remove_dead(b.graph) == 0


def test_what_is_computed_twice_is_computed_once() -> None:
    b = Builder()
    (x,) = b.inputs(x=array(3))
    first, again, other = b.call("mul", x, 2.0), b.call("mul", x, 2.0), b.call("mul", x, -2.0)
    out = b.call("add", b.call("add", first, again), other)
    b.program([out])
    assert share_common(b.graph) == 1
    assert [node.args for node in b.graph.nodes if node.op == "call_function"][2] == (first, first)
    assert again not in list(b.graph.nodes)


@pytest.mark.parametrize(("one", "other"), [(0.0, -0.0), (1, 1.0), (True, 1)])
def test_numbers_that_are_equal_and_not_the_same(one: Any, other: Any) -> None:
    b = Builder()
    (x,) = b.inputs(x=array(3))
    b.program([b.call("mul", x, one), b.call("mul", x, other)])
    assert share_common(b.graph) == 0


def test_constants_are_computed_now() -> None:
    b = Builder()
    (x,) = b.inputs(x=array(2))
    constant = np.array([1.0, 4.0], np.float32)
    out = b.call("mul", x, b.call("sqrt", constant))
    b.program([out])
    assert fold_constants(b.graph) == 1
    assert named(b.graph) == ["mul"]
    assert out.args[1].tolist() == [1.0, 2.0]


def test_a_program_is_cleaned_in_a_copy() -> None:
    b = Builder()
    (x,) = b.inputs(x=array(3))
    b.call("exp", x)
    program = b.program([b.call("neg", b.call("neg", x))])
    assert named(cleaned(program).graph) == ["neg", "neg"]
    assert named(program.graph) == ["exp", "neg", "neg"]


# ---- algebra

X = Statement("load", (), F32, 0)


def number(value: float) -> Statement:
    return Statement("const", (), F32, value)


@pytest.mark.parametrize(
    ("op", "value", "expected"),
    [
        ("mul", 1.0, 0), ("mul", -1.0, "neg"), ("mul", 0.0, None), ("add", 0.0, None), ("add", -0.0, 0),
        ("sub", 0.0, 0), ("sub", -0.0, None), ("div", 1.0, 0), ("div", 4.0, "mul"), ("div", 3.0, None),
        ("pow", 2.0, "mul"), ("pow", 1.0, 0), ("pow", 3.0, None), ("pow", -1.0, "reciprocal"),
    ],
)  # fmt: skip
def test_an_operation_with_a_number(op: str, value: float, expected: Any) -> None:
    """What is exact for every number is simpler, and nothing else."""
    found = simplified([X, number(value)], op, (0, 1), F32, None)
    assert (found[0] if isinstance(found, tuple) else found) == expected
    for x in (-0.0, 0.0, 1.5, -2.25, np.inf, -np.inf, np.nan, 1e-42):
        if isinstance(found, int):
            before = getattr(np, {"mul": "multiply", "add": "add", "sub": "subtract", "div": "divide",
                                  "pow": "power"}[op])(np.float32(x), np.float32(value))  # fmt: skip
            assert before.tobytes() == np.float32(x).tobytes() or (before != before and x != x)


def test_a_choice() -> None:
    condition = Statement("load", (), BOOL, 1)
    not_it = Statement("not", (1,), BOOL)
    assert simplified([X, condition], "where", (1, 0, 0), F32, None) == 0
    turned = simplified([X, condition, not_it, number(2)], "where", (2, 0, 3), F32, None)
    assert turned == ("where", (1, 3, 0), F32, None)
    assert simplified([X, condition, not_it], "not", (2,), BOOL, None) == 1


# ---- spaces and views


def test_the_coarsest_dimensions_of_which_shapes_are_made() -> None:
    assert refined([(8, 32), (256,), (2, 4, 32)], 256) == (2, 4, 32)
    assert refined([(6,), (2, 3)], 6) == (2, 3)
    assert refined([(2, 3), (3, 2)], 6) is None


def test_a_loop_passes_through_dense_arrays_in_one_dimension() -> None:
    loop = Loop(24)
    loop.stores.append((loop.load(arena((2, 3, 4))), arena((6, 4))))
    space = space_of(loop)
    assert space is not None and space.sizes == (24,)
    column = loop.load(arena((6, 1)).broadcast((6, 4)))
    loop.stores.append((column, arena((6, 4))))
    space = space_of(loop)
    assert space is not None and (space.sizes, space.loads) == ((6, 4), [(4, 1), (1, 0)])


def test_a_transposed_array_is_walked_as_it_lies() -> None:
    loop = Loop(12)
    source, target = (Value(Buffer("arena", F32, 12), 0, (3, 4), (1, 3)) for _ in range(2))
    loop.stores.append((loop.load(source), target))
    space = space_of(loop)
    assert space is not None and (space.sizes, space.loads, space.stores) == ((12,), [(1,)], [(1,)])


def test_views_are_tried_on_an_array() -> None:
    assert viewed(REGISTRY["transpose"], (2, 3), (3, 1), (0, 1)) == ((3, 2), (1, 3), 0)
    assert viewed(REGISTRY["view"], (2, 3), (1, 2), ((6,),)) is None
    assert same_order((1, 3, 4), (3, 1, 4)) and not same_order((3, 4), (4, 3))


# ---- fusion


def test_a_chain_is_one_loop_without_arrays_in_between() -> None:
    b = Builder()
    x, y = b.inputs(x=array(3, 4), y=array(4, seed=1))
    plan = schedule(b.program([b.call("tanh", b.call("add", b.call("mul", x, 2.0), y))]))
    (loop,) = plan.steps
    assert isinstance(loop, Loop)
    assert said(loop) == ["mul", "add", "tanh"]
    assert [v.strides for v in loop.loads] == [(4, 1), (0, 1)]
    assert [v.buffer.kind for _, v in loop.stores] == ["output"]


def test_what_is_summed_is_not_stored() -> None:
    b = Builder()
    x, y = b.inputs(x=array(3, 4), y=array(3, 4, seed=1))
    plan = schedule(b.program([b.call("sum_dim", b.call("mul", x, y), (1,), False, None)]))
    (loop,) = plan.steps
    assert isinstance(loop, Loop)
    assert not loop.stores
    assert [(r.kind, r.dims, r.out.buffer.kind) for r in loop.reductions] == [("sum", (1,), "output")]


def test_two_loops_over_the_same_arrays_are_one() -> None:
    b = Builder()
    x, y = b.inputs(x=array(5), y=array(5, seed=1))
    plan = schedule(b.program([b.call("add", x, y), b.call("mul", x, y)]))
    (loop,) = plan.steps
    assert isinstance(loop, Loop)
    assert said(loop) == ["add", "mul"] and len(loop.loads) == len(loop.stores) == 2


def test_a_bias_is_added_by_the_product_itself() -> None:
    b = Builder()
    bias, x, w = b.inputs(bias=array(5), x=array(3, 4), w=array(4, 5))
    plan = schedule(b.program([b.call("relu", b.call("addmm", bias, x, w, 1, 1))]))
    assert kinds(plan) == ["Product", "Loop"]
    product = plan.steps[0]
    assert isinstance(product, Product) and product.bias is not None and product.bias.buffer.name == "bias"


def test_a_matrix_for_a_whole_batch_is_one_product() -> None:
    b = Builder()
    x, w = b.inputs(x=array(6, 1, 4), w=array(1, 4, 5))
    plan = schedule(b.program([b.call("bmm", x, b.call("expand", w, (6, 4, 5)))]))
    (product,) = plan.steps
    assert isinstance(product, Product)
    assert (product.a.shape, product.b.shape, product.out.shape) == ((6, 4), (4, 5), (6, 5))


def test_columns_times_rows_are_a_loop() -> None:
    b = Builder()
    x, y = b.inputs(x=array(6, 3, 1), y=array(6, 1, 4))
    plan = schedule(b.program([b.call("tanh", b.call("bmm", x, y))]))
    (loop,) = plan.steps
    assert isinstance(loop, Loop)
    assert said(loop) == ["mul", "tanh"]


# ---- memory


def chain(*lengths: int) -> Plan:
    """Loops that each read the array that the one before wrote."""
    values = [Value(Buffer("input", F32, lengths[0], 0), 0, (lengths[0],), (1,)), *[arena((n,)) for n in lengths[1:]]]
    steps = []
    for source, target in pairwise(values):
        loop = Loop(target.size)
        loop.stores.append((loop.load(Value(source.buffer, 0, target.shape, (1 if source.size > 1 else 0,))), target))
        steps.append(loop)
    return Plan([*steps], [values[0]], [])


def test_arrays_share_memory_where_they_are_not_needed_together() -> None:
    plan = chain(16, 16, 16, 16)
    place(plan)
    first, second, third = [v.buffer for step in plan.steps for v in step.writes()]
    assert list(lifetimes(plan).values()) == [(0, 1), (1, 2), (2, 2)]
    assert first.index == third.index and abs(second.index - first.index) == 64
    assert plan.arena == 128


def test_places_are_aligned() -> None:
    plan = chain(3, 3, 3)
    place(plan)
    assert sorted([v.buffer.index for step in plan.steps for v in step.writes()]) == [0, 64]


# ---- in place


def update(*between: Any) -> tuple[Plan, Value, Value]:
    """An input, doubled in the arena, put back into its memory at the end."""
    given = Value(Buffer("input", F32, 4, 0, name="p"), 0, (4,), (1,))
    made = arena((4,), "new")
    loop = Loop(4)
    loop.stores.append((loop.add("mul", (loop.load(given), loop.number(2.0, F32)), F32), made))
    return Plan([loop, *between, Copy(made, given)], [given], [None]), given, made


def test_a_new_value_is_computed_where_it_belongs() -> None:
    plan, given, _ = update()
    in_place(plan)
    (loop,) = plan.steps
    assert isinstance(loop, Loop) and [v.buffer for _, v in loop.stores] == [given.buffer]


def test_not_where_a_check_may_still_fail() -> None:
    plan, _, made = update(Check(arena(()), 1.0, 0))
    in_place(plan)
    assert kinds(plan) == ["Loop", "Check", "Copy"]
    assert next(iter(plan.steps[0].writes())).buffer is made.buffer


@pytest.mark.parametrize("declines", [True, False])
def test_not_where_a_kernel_may_still_decline(declines: bool) -> None:
    kernel = LibraryCall("nll", [arena((2,)), arena((2,))], (1,), [], [], may_decline=declines)
    plan, _, _ = update(kernel)
    in_place(plan)
    assert kinds(plan) == (["Loop", "LibraryCall", "Copy"] if declines else ["Loop", "LibraryCall"])


def test_not_where_the_old_value_is_read_later() -> None:
    plan, given, _ = update()
    reader = Written("", [given, arena((4,))], (1,), 1.0)
    plan.steps.insert(1, reader)
    in_place(plan)
    assert kinds(plan) == ["Loop", "Written", "Copy"]


def test_a_later_reader_of_the_new_value_reads_it_there() -> None:
    plan, given, made = update()
    reader = Written("", [made, arena((4,))], (1,), 1.0)
    plan.steps.insert(1, reader)
    in_place(plan)
    assert kinds(plan) == ["Loop", "Written"]
    assert reader.arrays[0].buffer is given.buffer
