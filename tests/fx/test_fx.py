"""What cannot be compared with PyTorch's answers word by word: files, tracebacks, stacks, copies, laziness."""

from __future__ import annotations

import pickle
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

import pytest

import facula as torch
from facula import fx


@fx.wrap
def whole(x: Any, y: Any) -> Any:
    return x + y if x.sum() > 0 else y


fx.wrap("len")


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(2, 3)
        self.scale = torch.nn.Parameter(torch.ones(3))
        self.register_buffer("shift", torch.zeros(3))

    def forward(self, x: Any) -> Any:
        return torch.relu(self.linear(x)) * self.scale + self.shift


def test_importing_facula_does_not_load_fx() -> None:
    code = "import sys, facula; sys.exit(any(m.startswith('facula.fx') for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_wrapped_functions_are_one_node() -> None:
    gm = fx.symbolic_trace(lambda x, y: whole(x, y) * len(x))
    assert [str(n.target.__name__) for n in gm.graph.nodes if n.op == "call_function"] == ["whole", "len", "mul"]
    assert gm(torch.ones(2), torch.ones(2)).tolist() == [4.0, 4.0]
    assert gm.code.startswith('\ntorch.fx._symbolic_trace.wrap("')
    assert whole(torch.ones(1), torch.ones(1)).tolist() == [2.0]  # and what it was before
    assert pickle.loads(pickle.dumps(gm)).code == gm.code


def test_wrap_belongs_at_the_top_of_a_module() -> None:
    with pytest.raises(NotImplementedError, match="top level"):
        fx.wrap("len")
    with pytest.raises(RuntimeError, match="Unsupported type"):
        fx.wrap(3)  # type: ignore[arg-type]


def test_tracebacks_show_the_generated_code() -> None:
    gm = fx.symbolic_trace(lambda x, y: torch.matmul(x, y) + 1)
    with pytest.raises(RuntimeError) as e:
        gm(torch.ones(2, 3), torch.ones(2, 3))
    shown = "".join(traceback.format_exception(e.value))
    assert "matmul = torch.matmul(x, y);  x = y = None" in shown
    assert f"from {__file__}:" in shown  # the function that was traced


def test_an_interpreter_tells_the_node() -> None:
    gm = fx.symbolic_trace(lambda x, y: torch.matmul(x, y) + 1)
    with pytest.raises(RuntimeError, match=r"While executing %matmul : .*call_function\[target=torch.matmul\]"):
        fx.Interpreter(gm).run(torch.ones(2, 3), torch.ones(2, 3))


def test_nodes_know_their_lines() -> None:
    tracer = fx.Tracer()
    tracer.record_stack_traces = True

    def fn(x: Any) -> Any:
        y = x + 1
        return torch.relu(y)

    graph = tracer.trace(fn)
    traces = [n.stack_trace for n in graph.nodes if n.op == "call_function"]
    assert [t.split("\n")[-1].strip() for t in traces if t] == ["y = x + 1", "return torch.relu(y)"]
    assert all(
        t and "facula" not in t.split('"')[1].replace(str(Path(__file__).parent.parent.parent), "") for t in traces
    )
    text = fx.GraphModule({}, graph).print_readable(print_output=False)
    assert f"# File: {__file__}:" in text and "code: y = x + 1" in text


def test_meta_is_preserved() -> None:
    gm = fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    for n in gm.graph.nodes:
        n.meta["tag"] = n.name
    with fx.traceback.preserve_node_meta():
        again = fx.Tracer().trace(lambda x: fx.Interpreter(gm).run(x))
    assert [n.meta.get("tag") for n in again.nodes if n.op == "call_function"] == ["relu", "add"]


def test_to_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gm = fx.symbolic_trace(Net())
    gm.to_folder(tmp_path / "written", "Net")
    monkeypatch.syspath_prepend(tmp_path)
    program = (
        "import sys, facula; facula.as_torch(); import torch, written; print(written.Net()(torch.ones(1, 2)).tolist())"
    )
    said = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == str(gm(torch.ones(1, 2)).tolist())


def test_to_folder_writes_modules_that_have_no_text(tmp_path: Path) -> None:
    net = torch.nn.ModuleDict({"inner": torch.nn.Sequential(torch.nn.Linear(2, 1))})
    graph = fx.Graph()
    graph.output(graph.call_module("inner", (graph.placeholder("x"),)))
    fx.GraphModule(net, graph).to_folder(tmp_path / "written", "Net")
    program = "import facula; facula.as_torch(); import torch, written; print(written.Net()(torch.ones(1, 2)).tolist())"
    said = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == str(net["inner"](torch.ones(1, 2)).tolist())


def test_copies_share_nothing() -> None:
    import copy

    gm = fx.symbolic_trace(Net())
    deep = copy.deepcopy(gm)
    deep.linear.weight.data.zero_()
    assert gm.linear.weight.abs().sum() > 0
    assert {id(n) for n in gm.graph.nodes}.isdisjoint(id(n) for n in deep.graph.nodes)
    again = pickle.loads(pickle.dumps(gm))
    assert torch.equal(again(torch.ones(1, 2)), gm(torch.ones(1, 2)))
    assert str(pickle.loads(pickle.dumps(gm.graph))) == str(gm.graph)


def test_graph_modules_train() -> None:
    net = Net()
    gm = fx.symbolic_trace(net)
    gm(torch.ones(4, 2)).sum().backward()
    assert net.scale.grad is not None and gm.scale is net.scale


def test_a_proxyable_class_is_recorded() -> None:
    class Pair(metaclass=fx.ProxyableClassMeta):
        def __init__(self, a: Any, b: Any) -> None:
            self.a, self.b = a, b

        def total(self) -> Any:
            return self.a + self.b

    assert "pair.total()" in fx.symbolic_trace(lambda x, y: Pair(x, y).total() * 2).code
    gm = fx.symbolic_trace(lambda x, y: Pair(x, y))
    assert gm(1, 2).total() == 3


def test_parameters_with_constant_shapes() -> None:
    class Shaped(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = torch.nn.Parameter(torch.ones(2, 3))

        def forward(self, x: Any) -> Any:
            return x * self.w.shape[0] if self.w.dim() == 2 and self.w.numel() == 6 else x

    graph = fx.Tracer(param_shapes_constant=True).trace(Shaped())
    assert "x * 2" in graph.python_code("self").src


def test_names_mean_what_they_say() -> None:
    """The code of a graph runs, whatever the functions in it are called here."""
    F = torch.nn.functional

    def fn(x: Any) -> Any:
        return (
            F.gelu(x), F.logsigmoid(x), torch.special.expit(x), torch.linalg.norm(x), torch.fft.fft(x).real, x.T,
            torch.einsum("ij->j", x), F.softplus(x), torch.split(x, 1)[0], F.threshold(x, 0.1, 0.0),
            torch.concat([x, x]),
        )  # fmt: skip

    x = torch.randn(2, 3)
    for a, b in zip(fx.symbolic_trace(fn)(x), fn(x), strict=True):
        assert torch.equal(a, b)


def test_tables(capsys: pytest.CaptureFixture[str]) -> None:
    fx.symbolic_trace(lambda x: x.relu()).graph.print_tabular()
    assert capsys.readouterr().out == (
        "opcode       name    target    args     kwargs\n"
        "-----------  ------  --------  -------  --------\n"
        "placeholder  x       x         ()       {}\n"
        "call_method  relu    relu      (x,)     {}\n"
        "output       output  output    (relu,)  {}\n"
    )


def test_drawing_needs_pydot() -> None:
    from facula.fx.passes.graph_drawer import FxGraphDrawer

    gm = fx.symbolic_trace(Net())
    try:
        import pydot  # type: ignore[import-not-found]  # noqa: F401
    except ImportError:
        with pytest.raises(RuntimeError, match="requires the pydot package"):
            FxGraphDrawer(gm, "net")
    else:
        drawn = FxGraphDrawer(gm, "net").get_dot_graph().to_string()
        assert "linear -> relu" in drawn and '"linear.weight" -> linear' in drawn


def test_modules_that_say_so_are_no_dead_code() -> None:
    class Counting(torch.nn.ReLU):
        _is_impure = True

    class Model(torch.nn.Module):
        def __init__(self, inner: torch.nn.Module) -> None:
            super().__init__()
            self.inner = inner

        def forward(self, x: Any) -> Any:
            self.inner(x)
            return x * 2

    class Tracer(fx.Tracer):
        def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
            return True

    for inner, is_dead in ((Counting(), False), (torch.nn.ReLU(), True)):
        model = Model(inner)
        traced = fx.GraphModule(model, Tracer().trace(model))
        assert traced.graph.eliminate_dead_code() is is_dead


def test_code_may_end_as_a_user_says() -> None:
    class Listed(fx.graph.CodeGen):
        def generate_output(self, output_args: Any) -> str:  # type: ignore[override]
            return f"return list({output_args!r})"

    graph = fx.Tracer().trace(lambda x: (x + 1, x + 2))
    graph.set_codegen(Listed())
    assert fx.GraphModule({}, graph)(torch.ones(())) == [2, 3]


def test_replicas_run() -> None:
    traced = fx.symbolic_trace(Net())
    x = torch.ones(1, 2)
    replica = traced._replicate_for_data_parallel()
    assert replica._is_replica and torch.equal(replica(x), traced(x))


def test_nested_arguments_are_traced_again() -> None:
    def either(b: Any, a: Any) -> Any:
        return a["a"] if b else a["z"]

    nest = {"a": {"a": fx.PH, "z": fx.PH}, "b": True}
    again = fx.symbolic_trace(fx.symbolic_trace(either, concrete_args=nest))
    assert again(b=True, a={"z": torch.zeros(1), "a": torch.ones(1), "more": 1}).tolist() == [1]


def test_containers_of_users_are_taken_apart_by_a_plan() -> None:
    from facula.fx import _pytree as by_plan
    from facula.utils import _pytree

    class Pair:
        def __init__(self, first: Any, second: Any) -> None:
            self.first, self.second = first, second

    _pytree.register_pytree_node(Pair, lambda p: ([p.first, p.second], None), lambda c, _: Pair(*c))
    spec = _pytree.tree_flatten([Pair(1, 2), {"k": 3}])[1]
    assert by_plan.tree_flatten_spec([Pair(4, 5), {"k": 6}], spec) == [4, 5, 6]
    with pytest.raises(RuntimeError, match="is different from expected spec"):
        by_plan.tree_flatten_spec([7, {"k": 6}], spec)
    by_plan.register_pytree_flatten_spec(Pair, lambda p, _: [p.second, p.first])
    assert by_plan.tree_flatten_spec([Pair(4, 5), {"k": 6}], spec) == [5, 4, 6]


def test_old_names_of_interpolate_are_traced_as_interpolate() -> None:
    with pytest.warns(UserWarning, match="upsample_bilinear"):
        traced = fx.symbolic_trace(lambda x: torch.nn.functional.upsample_bilinear(x, scale_factor=2))
    assert [node.target for node in traced.graph.nodes][1] is torch.nn.functional.interpolate
    assert traced(torch.ones(1, 1, 2, 2)).shape == (1, 1, 4, 4)
