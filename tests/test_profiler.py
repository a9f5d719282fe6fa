"""The profiler: what it sees, that it changes nothing, and that nothing is left of it once it is off."""

from __future__ import annotations

import gzip
import json
import threading
from typing import Any

import numpy as np
import pytest

import facula
from facula._core import state
from facula.profiler import ProfilerActivity, profile, record_function, schedule, tensorboard_trace_handler


@pytest.fixture(autouse=True)
def off_again() -> Any:
    yield
    assert state.profiler is None
    assert state.special == 0
    assert state.modes.how == state.RECORDING


def network() -> tuple[Any, Any]:
    facula.manual_seed(0)
    layers = facula.nn.Sequential(
        facula.nn.Conv2d(1, 2, 3), facula.nn.ReLU(), facula.nn.Flatten(), facula.nn.Linear(72, 4), facula.nn.Softmax(1)
    )
    return layers, facula.linspace(-1, 1, 128).reshape(2, 1, 8, 8)


def names(p: Any) -> list[str]:
    return [e.name for e in p.events()]


def test_results_are_those_without_a_profiler() -> None:
    def gradients() -> list[np.ndarray[Any, Any]]:
        layers, x = network()
        out = layers(x)
        (out * out).sum().backward()
        return [out.detach().numpy(), *(p.grad.numpy() for p in layers.parameters())]

    plain = gradients()
    with profile(record_shapes=True, profile_memory=True, with_stack=True, with_flops=True):
        profiled = gradients()
    for a, b in zip(plain, profiled, strict=True):
        np.testing.assert_array_equal(a, b)


def test_graph_is_the_same() -> None:
    x = facula.ones(3, requires_grad=True)
    with profile():
        y = (x * 2).tanh().sum()
    assert type(y.grad_fn).__name__ == "SumBackward0"
    assert y.grad_fn.source.filename == __file__
    assert type(y.grad_fn.next_functions[0][0]).__name__ == "TanhBackward0"


def test_times_add_up() -> None:
    layers, x = network()
    with profile() as p, record_function("all"):
        layers(x).sum().backward()
    outer = p.events()[0]
    assert outer.name == "all"
    inner = sum(e.self_cpu_time_total for e in p.events())
    assert inner == pytest.approx(outer.cpu_time_total)
    assert all(e.self_cpu_time_total >= 0 for e in p.events())
    assert p.key_averages().total_average().self_cpu_time_total == pytest.approx(inner)


def test_operators_within_functions() -> None:
    layers, x = network()
    with profile() as p:
        layers(x)
    parents = {e.name: e.cpu_parent and e.cpu_parent.name for e in p.events()}
    assert parents["aten::convolution"] == "aten::conv2d"
    assert parents["aten::addmm"] == "aten::linear"
    assert parents["aten::linear"] is None


def test_in_place_and_views() -> None:
    y = facula.zeros(3)
    with profile() as p:
        y.add_(1)
        y.copy_(facula.ones(3))
        y.fill_(2)
        y[0] = 3
        y.view(3, 1)
        y[1:]
    assert names(p) == [
        "aten::add_", "aten::ones", "aten::copy_", "aten::fill_", "aten::select", "aten::copy_", "aten::view",
        "aten::slice",
    ]  # fmt: skip
    assert y.tolist() == [3, 2, 2]


def test_all_threads_are_seen() -> None:
    x = facula.ones(3, requires_grad=True)
    go, ready, done = threading.Event(), threading.Event(), threading.Event()

    def early() -> None:
        with facula.no_grad():
            x.exp()  # makes the thread's modes known before the profiler starts
            ready.set()
            go.wait()
            x.exp()
        done.set()

    def late() -> None:
        with record_function("in a thread"):
            (x * x).sum().backward()

    threads = [threading.Thread(target=early)]
    threads[0].start()
    ready.wait()
    with profile() as p:
        go.set()
        threads.append(threading.Thread(target=late))
        threads[1].start()
        done.wait()
        threads[1].join()
        x.tanh()
    threads[0].join()
    seen = {(e.name, e.thread) for e in p.events()}
    where = dict(seen)
    assert {"aten::exp", "aten::tanh", "in a thread", "MulBackward0"} <= set(where)
    assert len({where["aten::exp"], where["aten::tanh"], where["in a thread"]}) == 3
    assert where["MulBackward0"] == where["in a thread"]
    parents = {e.name: e.cpu_parent and e.cpu_parent.name for e in p.events()}
    assert parents["aten::sum"] == "in a thread"


def test_a_thread_that_outlives_the_profiler_goes_on_as_before() -> None:
    x = facula.ones(3, requires_grad=True)
    started, stopped = threading.Event(), threading.Event()
    found: list[Any] = []

    def work() -> None:
        with facula.no_grad():
            x.exp()
            started.set()
            stopped.wait()
            found.append(x.exp().requires_grad)
        found.append(x.exp().requires_grad)
        with facula.no_grad():
            found.append(x.exp().requires_grad)
            found.append(state.modes.how)

    thread = threading.Thread(target=work)
    with profile() as p:
        thread.start()
        started.wait()
    stopped.set()
    thread.join()
    assert found == [False, True, False, state.NOT_RECORDING]
    assert names(p).count("aten::exp") == 1


def test_memory_is_counted_when_made_and_when_gone() -> None:
    with profile(profile_memory=True) as p:
        a = facula.ones(1000)
        b = a * 2
        c = b.view(10, 100)
        del b, c
        with record_function("inside"):
            a.exp()
    averages = {e.key: e for e in p.key_averages()}
    assert averages["aten::ones"].cpu_memory_usage == 4000
    assert averages["aten::mul"].self_cpu_memory_usage == 4000
    assert averages["aten::view"].cpu_memory_usage == 0
    assert averages["[memory]"].cpu_memory_usage == -4000
    assert averages["inside"].cpu_memory_usage == 0
    assert averages["inside"].self_cpu_memory_usage == -4000
    assert "CPU Mem" in p.key_averages().table()


def test_gradients_are_not_counted_twice() -> None:
    x = facula.ones(1000, requires_grad=True)
    for _ in range(2):
        with profile(profile_memory=True) as p:
            (x * 2).backward(facula.ones(1000))
        found = {e.key: e.cpu_memory_usage for e in p.key_averages()}
        assert found["MulBackward0"] == 4000
        assert found["torch::autograd::AccumulateGrad"] == 0


def test_lines_of_the_program() -> None:
    x = facula.ones(3, requires_grad=True)

    def squared() -> Any:
        return x * x

    with profile(with_stack=True) as p:
        y = squared()
        y.sum().backward()
    line = squared.__code__.co_firstlineno + 1
    stacks = {e.name: e.stack for e in p.events()}
    assert stacks["aten::mul"][0].endswith(f"test_profiler.py({line}): squared")
    assert stacks["aten::mul"][1].endswith(f"test_profiler.py({line + 3}): test_lines_of_the_program")
    assert stacks["MulBackward0"] == stacks["aten::mul"]
    assert stacks["autograd::engine::evaluate_function: MulBackward0"][0].endswith("test_lines_of_the_program")
    table = p.key_averages(group_by_stack_n=1).table()
    assert "Source Location" in table
    assert f"test_profiler.py({line}): squared" in table


def test_a_graph_made_before_is_known_by_its_line() -> None:
    x = facula.ones(3, requires_grad=True)
    y = (x * x).sum()
    with profile(with_stack=True) as p:
        y.backward()
    (stack,) = [e.stack for e in p.events() if e.name == "MulBackward0"]
    assert len(stack) == 1
    assert "test_a_graph_made_before_is_known_by_its_line" in stack[0]


def test_stacks_to_a_file(tmp_path: Any) -> None:
    with profile(with_stack=True) as p:
        facula.randn(200, 200).mm(facula.randn(200, 200))
    p.export_stacks(str(tmp_path / "stacks.txt"))
    lines = (tmp_path / "stacks.txt").read_text().splitlines()
    assert any("test_stacks_to_a_file " in line and int(line.rsplit(" ", 1)[1]) > 0 for line in lines)


def test_flops() -> None:
    a = facula.ones(64, 32)
    with profile(with_flops=True) as p:
        a.mm(a.t())
        a * 2
        facula.nn.functional.conv2d(facula.ones(1, 3, 8, 8), facula.ones(4, 3, 3, 3))
    found = {e.key: e.flops for e in p.key_averages()}
    assert found["aten::mm"] == 2 * 64 * 32 * 64
    assert found["aten::mul"] == 64 * 32
    assert found["aten::conv2d"] == 2 * 4 * 6 * 6 * 27


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz"])
def test_chrome_trace(tmp_path: Any, name: str) -> None:
    x = facula.ones(3, requires_grad=True)
    with profile(record_shapes=True, profile_memory=True) as p:
        with record_function("mine", "some arguments"):
            (x * 2).sum().backward()
        p.add_metadata("note", "a text")
        p.add_metadata_json("number", "3")
    p.export_chrome_trace(str(tmp_path / name))
    written = (tmp_path / name).read_bytes()
    trace = json.loads(gzip.decompress(written) if name.endswith("gz") else written)
    assert trace["note"] == "a text"
    assert trace["number"] == 3
    events = trace["traceEvents"]
    complete = {e["name"]: e for e in events if e["ph"] == "X"}
    mine, mul = complete["mine"], complete["aten::mul"]
    assert mine["cat"] == "user_annotation"
    assert mul["cat"] == "cpu_op"
    assert mul["args"]["Input Dims"] == [[3], []]
    assert mine["ts"] <= mul["ts"]
    assert mul["ts"] + mul["dur"] <= mine["ts"] + mine["dur"]
    arrows = {e["ph"]: e for e in events if e.get("cat") == "fwdbwd" and e["id"] == mul["args"]["Sequence number"]}
    assert arrows["s"]["ts"] == mul["ts"]
    assert arrows["f"]["ts"] == complete["MulBackward0"]["ts"]
    assert any(e["ph"] == "i" and e["args"]["Bytes"] == 12 for e in events)
    assert {e["ph"] for e in events} == {"M", "X", "s", "f", "i"}


def test_traces_for_tensorboard(tmp_path: Any) -> None:
    with profile(
        schedule=schedule(wait=0, warmup=1, active=1, repeat=2),
        on_trace_ready=tensorboard_trace_handler(str(tmp_path / "logs"), "worker"),
    ) as p:
        for _ in range(4):
            facula.ones(3)
            p.step()
    files = sorted((tmp_path / "logs").iterdir())
    assert len(files) == 2
    assert all(f.name.startswith("worker.") and f.name.endswith(".pt.trace.json") for f in files)
    seen = {e["name"] for e in json.loads(files[0].read_text())["traceEvents"]}
    assert {"ProfilerStep#1", "aten::ones"} <= seen


def test_an_error_leaves_nothing_open() -> None:
    x = facula.ones(3)
    with profile() as p:
        for _ in range(2):
            with pytest.raises(RuntimeError):
                x.mm(x)
            with pytest.raises(RuntimeError), record_function("fails"):
                x + facula.ones(2)
        x.exp()
    (last,) = [e for e in p.events() if e.name == "aten::exp"]
    assert last.cpu_parent is None
    with pytest.raises(ZeroDivisionError), profile():
        1 / 0


def test_under_transforms_and_modes() -> None:
    x = facula.ones(2, 3)
    with profile() as p:
        facula.func.vmap(facula.sin)(x)
        facula.func.grad(lambda t: t.cos().sum())(x)
        with facula.inference_mode():
            x.exp()
        with facula.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            (x.requires_grad_() * x).sum().backward()
    assert {"aten::sin", "aten::cos", "aten::exp", "MulBackward0", "CosBackward0"} <= set(names(p))


def test_higher_derivatives_show_the_operators_within_nodes() -> None:
    x = facula.ones(3, requires_grad=True)
    with profile() as p:
        facula.autograd.grad((x * x).sum(), x, create_graph=True)
    assert "MulBackward0" in {e.cpu_parent.name for e in p.events() if e.name == "aten::mul" and e.cpu_parent}


def test_hooks_belong_to_the_evaluation_of_their_node() -> None:
    x = facula.ones(3, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: g.exp())
    x.register_hook(lambda g: g.sin())
    with profile() as p:
        y.sum().backward()
    parents = {e.name: e.cpu_parent and e.cpu_parent.name for e in p.events()}
    assert parents["aten::exp"] == "autograd::engine::evaluate_function: MulBackward0"
    assert parents["aten::sin"] == "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad"


def test_gradients_are_handed_over_without_a_copy() -> None:
    x = facula.ones(100_000, requires_grad=True)
    with profile(profile_memory=True) as p:
        (x * 2).backward(facula.ones(100_000))
    (node,) = [e for e in p.events() if e.name == "torch::autograd::AccumulateGrad"]
    assert node.cpu_memory_usage == 0


def test_one_within_another() -> None:
    x = facula.ones(3)
    with profile() as outer:
        x.exp()
        with profile() as inner:
            x.sin()
    assert names(inner) == ["aten::sin"]
    assert names(outer) == ["aten::exp"]


def test_collected_over_cycles() -> None:
    p = profile(acc_events=True, activities=[ProfilerActivity.CPU])
    for _ in range(2):
        p.start()
        facula.ones(3)
        p.stop()
        p.events()
    assert names(p) == ["aten::ones"] * 2


def test_paused() -> None:
    with profile() as p:
        facula.ones(3)
        p.toggle_collection_dynamic(False, [ProfilerActivity.CPU])
        facula.zeros(3)
        p.toggle_collection_dynamic(True, [ProfilerActivity.CPU])
        facula.full((3,), 2)
    assert names(p) == ["aten::ones", "aten::full"]


def test_old_interface() -> None:
    x = facula.ones(3, requires_grad=True)
    with facula.autograd.profiler.profile(record_shapes=True) as p:
        (x * 2).sum().backward()
    assert p.function_events[0].name == "aten::mul"
    assert p.self_cpu_time_total > 0
    assert p.total_average().count == len(p.function_events)
    assert str(p) == p.table()
    assert p.key_averages(group_by_input_shape=True)[0].input_shapes == [[3], []]
    assert p.table(row_limit=1).count("aten::") == 1


def test_off_nothing_looks_for_it() -> None:
    """The hot paths know nothing of the profiler: no name of it is in their code."""
    x = facula.ones(3, requires_grad=True)
    (x * 2).tanh().sum().backward()
    from facula.autograd import engine
    from facula.ops.machine.primitive import REGISTRY

    mul: Any = REGISTRY["mul"]
    tanh: Any = REGISTRY["tanh"]
    for fn in (mul.operator, tanh.call, engine._execute):
        assert not {"profiled", "profiler"}.intersection(fn.__code__.co_names)
