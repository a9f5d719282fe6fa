"""What is said of exports: sizes, refusals, files."""

from __future__ import annotations

import dataclasses
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

import facula as torch
from facula import nn
from facula.export import Dim, ShapesCollection, export


class Function(nn.Module):
    def __init__(self, fn: Callable[..., Any]) -> None:
        super().__init__()
        self.fn = fn

    def forward(self, x: Any) -> Any:
        return self.fn(x)


class Two(nn.Module):
    def forward(self, x: Any, y: Any) -> Any:
        return x + y


def named(error: BaseException) -> str:
    return f"{type(error).__module__}.{type(error).__qualname__}"


def refused(fn: Callable[[], Any]) -> tuple[str, str]:
    with pytest.raises(Exception) as info:
        fn()
    return named(info.value), str(info.value)


def test_a_program_is_for_other_sizes() -> None:
    batch = Dim("batch", min=2, max=64)
    model = nn.Sequential(nn.Conv2d(3, 4, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(36, 2))
    module = export(model, (torch.randn(4, 3, 8, 8),), dynamic_shapes={"input": {0: batch}}).module()
    x = torch.randn(7, 3, 8, 8)
    torch.testing.assert_close(module(x), model(x))
    kind, text = refused(lambda: module(torch.randn(65, 3, 8, 8)))
    assert (kind, text) == ("builtins.AssertionError", "Guard failed: input.size()[0] <= 64")
    assert refused(lambda: module(torch.randn(7, 3, 8, 9)))[1] == "Guard failed: input.size()[3] == 8"


def test_numbers_of_sizes_are_computed() -> None:
    model = Function(lambda x: x.reshape(x.shape[0] * 2, -1) + torch.arange(x.shape[1] // 2))
    module = export(model, (torch.randn(4, 6),), dynamic_shapes={"x": {0: Dim("rows"), 1: 2 * Dim("half")}}).module()
    for shape in ((3, 8), (5, 6), (2, 2)):
        x = torch.randn(shape)
        assert torch.equal(module(x), model(x))
    assert "Guard failed" in refused(lambda: module(torch.randn(3, 7)))[1]


def test_branches_on_sizes_are_ranges() -> None:
    model = Function(lambda x: x * 2 if x.shape[0] > 3 else x)
    program = export(model, (torch.randn(4, 3),), dynamic_shapes={"x": {0: Dim.DYNAMIC}})
    assert repr(program.range_constraints) == "{s77: VR[4, int_oo]}"
    assert refused(lambda: program.module()(torch.randn(2, 3)))[1] == "Guard failed: x.size()[0] >= 4"
    kind, text = refused(lambda: export(model, (torch.randn(4, 3),), dynamic_shapes={"x": {0: Dim("n", max=9)}}))
    assert kind == "torch._dynamo.exc.UserError" and "n = Dim('n', min=4, max=9)" in text


def test_as_many_as_a_size_is_one_size() -> None:
    for fn in (lambda x: torch.stack([row * 2 for row in x]), lambda x: torch.cat(x.split(2)), lambda x: x * len(x)):
        program = export(Function(fn), (torch.ones(4, 3),), dynamic_shapes={"x": {0: Dim.AUTO}})
        assert program.range_constraints == {}
        with pytest.raises(AssertionError, match="Guard failed"):
            program.module()(torch.ones(6, 3))


def test_what_is_told_of_tensors_depends_on_sizes() -> None:
    model = Function(lambda x: x / torch.numel(x) + x.nbytes + x.stride(1) + x.size(0))
    module = export(model, (torch.ones(4, 3, 2),), dynamic_shapes={"x": {0: Dim("a"), 2: Dim("b")}}).module()
    x = torch.randn(5, 3, 6)
    torch.testing.assert_close(module(x), model(x))


def test_sizes_that_must_be_equal_are_one() -> None:
    program = export(Two(), (torch.ones(4), torch.ones(4)), dynamic_shapes=({0: Dim.AUTO}, {0: Dim.AUTO}))
    assert len(program.range_constraints) == 1
    assert program.module()(torch.ones(6), torch.ones(6)).shape == (6,)
    assert refused(lambda: program.module()(torch.ones(6), torch.ones(5)))[1] == (
        "Guard failed: y.size()[0] == x.size()[0]"
    )
    a, b = torch.export.dims("a", "b")
    kind, text = refused(lambda: export(Two(), (torch.ones(4), torch.ones(4)), dynamic_shapes=({0: a}, {0: b})))
    assert kind == "torch._dynamo.exc.UserError"
    assert "The values of b = L['y'].size()[0] and a = L['x'].size()[0] must always be equal" in text


@pytest.mark.parametrize("dim", [Dim("width"), Dim.DYNAMIC])
def test_a_size_that_is_one_number_is_refused(dim: Any) -> None:
    kind, text = refused(lambda: export(nn.Linear(3, 2), (torch.ones(4, 3),), dynamic_shapes={"input": {1: dim}}))
    assert kind == "torch._dynamo.exc.UserError"
    assert "but your code specialized it to be a constant (3)" in text


def test_a_size_that_is_not_any_is_refused() -> None:
    model = Function(lambda x: x.view(-1, 2))
    kind, text = refused(lambda: export(model, (torch.ones(4),), dynamic_shapes={"x": {0: Dim("n")}}))
    assert kind == "torch._dynamo.exc.UserError" and "Not all values of n = L['x'].size()[0]" in text
    module = export(model, (torch.ones(4),), dynamic_shapes={"x": {0: Dim.AUTO}}).module()
    assert module(torch.ones(6)).shape == (3, 2)
    assert "is invalid for input of size 5" in refused(lambda: module(torch.ones(5)))[1]


def test_shapes_are_said_by_tensor() -> None:
    x, shapes = torch.ones(4), ShapesCollection()
    shapes[x] = {0: Dim("n")}
    assert export(Function(lambda x: x + 1), (x,), dynamic_shapes=shapes).module()(torch.ones(9)).shape == (9,)
    more = torch.export.AdditionalInputs()
    more.add((torch.ones(7),))
    program = export(Function(lambda x: x + 1), (x,), dynamic_shapes=more)
    more.verify(program)
    assert program.module()(torch.ones(9)).shape == (9,)


def test_branches_on_data_are_refused() -> None:
    for fn in (lambda x: x if x.sum() > 0 else -x, lambda x: x * (1 if x[0].item() > 0 else 2)):
        kind, text = refused(lambda: export(Function(fn), (torch.ones(2),)))  # noqa: B023
        assert kind == "torch.fx.experimental.symbolic_shapes.GuardOnDataDependentSymNode"
        assert text.startswith("Could not guard on data-dependent expression")
    _, text = refused(lambda: export(Function(lambda x: torch.tensor(x.numpy())), (torch.ones(2),)))
    assert text.startswith(".numpy()")


def test_gradients_are_switched_off_where_they_were() -> None:
    def forward(x: Any) -> Any:
        with torch.no_grad():
            y = x * 2
        return x * y

    x = torch.ones(3, requires_grad=True)
    (gradient,) = torch.autograd.grad(export(Function(forward), (x,)).module()(x).sum(), x)
    assert gradient.tolist() == [2, 2, 2]


@dataclasses.dataclass
class Pair:
    first: torch.Tensor
    second: torch.Tensor | None = None


def test_dataclasses_are_arguments_and_results() -> None:
    torch.export.register_dataclass(Pair, serialized_type_name="tests.Pair")
    program = export(Function(lambda p: Pair(p.first * 2)), (Pair(torch.ones(2)),))
    file = io.BytesIO()
    torch.export.save(program, file, extra_files={"note": "a word"})
    note = {"note": ""}
    found = torch.export.load(file, extra_files=note).module()(Pair(torch.ones(2)))
    assert isinstance(found, Pair) and found.first.tolist() == [2, 2] and note == {"note": "a word"}


def test_a_program_has_its_modules_again() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.Linear(3, 2)))
    again = torch.export.unflatten(export(model, (torch.ones(2, 3),)))
    assert [name for name, _ in again.named_parameters()] == [name for name, _ in model.named_parameters()]
    assert torch.equal(again(torch.ones(2, 3)), model(torch.ones(2, 3)))


def test_operators_are_replaced_by_a_table() -> None:
    program = export(nn.Linear(3, 2), (torch.ones(4, 3),))
    aten: Any = torch.ops.aten
    table = {aten.linear.default: lambda x, weight, bias=None: torch.addmm(bias, x, weight.t())}
    changed = program.run_decompositions(table)
    assert [n.target for n in changed.graph.nodes if n.op == "call_function"] == [
        aten.t.default, aten.addmm.default,
    ]  # fmt: skip
    x = torch.randn(4, 3)
    torch.testing.assert_close(changed.module()(x), program.module()(x))


def test_it_knows_that_it_exports() -> None:
    program = export(Function(lambda x: x + 1 if torch.compiler.is_exporting() else x), (torch.ones(2),))
    assert program.module()(torch.ones(2)).tolist() == [2, 2] and not torch.compiler.is_exporting()


# ---- files that lie


def changed_file(change: Callable[[dict[str, Any]], None]) -> io.BytesIO:
    file = io.BytesIO()
    torch.export.save(export(nn.Linear(3, 2), (torch.ones(4, 3),)), file)
    with zipfile.ZipFile(file) as archive:
        records = {name: archive.read(name) for name in archive.namelist()}
    told = json.loads(records["program.json"])
    change(told)
    records["program.json"] = json.dumps(told).encode()
    again = io.BytesIO()
    with zipfile.ZipFile(again, "w") as archive:
        for name, content in records.items():
            archive.writestr(name, content)
    return again


def call_node(told: dict[str, Any]) -> Any:
    return next(node for node in told["nodes"] if node[0] == "call_function")


HOSTILE: dict[str, Callable[[dict[str, Any]], None]] = {
    "load": lambda told: call_node(told).__setitem__(2, "torch.load"),
    "hub": lambda told: call_node(told).__setitem__(2, "torch.hub.load"),
    "operator": lambda told: call_node(told).__setitem__(2, "operator.attrgetter"),
    "file": lambda told: call_node(told).__setitem__(2, "aten::from_file.default"),
    "dunder": lambda told: call_node(told).__setitem__(2, "aten::__reduce__.default"),
    "namespace": lambda told: call_node(told).__setitem__(2, "__loader__::load_module.default"),
    "module": lambda told: call_node(told).__setitem__(0, "call_module"),
    "name": lambda told: call_node(told).__setitem__(1, "x); import os; (x"),
    "parameter": lambda told: told["nodes"][0].__setitem__(2, "x=__import__('os')"),
    "argument": lambda told: told["modules"][0][1].__setitem__(2, ["x, y=exit()"]),
    "dtype": lambda told: call_node(told).__setitem__(3, {"tuple": [{"dtype": "load"}]}),
    "missing": lambda told: told.pop("nodes"),
    "unknown": lambda told: call_node(told).__setitem__(3, {"tuple": [{"node": "nobody"}]}),
    "version": lambda told: told.__setitem__("version", 7),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_files_can_only_call_operators(kind: str) -> None:
    with pytest.raises(RuntimeError, match="this is no file of an exported program"):
        torch.export.load(changed_file(HOSTILE[kind]))


def test_other_files_are_refused() -> None:
    with pytest.raises(zipfile.BadZipFile):
        torch.export.load(io.BytesIO(b"abc"))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("program.json", "[" * 100_000)
    with pytest.raises(RuntimeError, match="is compressed"):
        torch.export.load(packed)
