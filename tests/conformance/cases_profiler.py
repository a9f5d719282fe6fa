"""The profiler: the table's layout on made-up events, names of events, schedules, and what errors say."""

from __future__ import annotations

import importlib
import tempfile
import warnings
from pathlib import Path

from .observe import case, error, warned


def util(torch):
    return importlib.import_module(torch.__name__ + ".autograd.profiler_util")


_LONG = "b.py(4): a_very_long_function_name_that_does_not_fit_in_the_column_for_sources_at_all"


def made_up(torch, stacks=False, flops=10, **options):
    """Events with known times: nested, in two threads, with and without shapes, memory and stacks."""
    u = util(torch)
    event = u.FunctionEvent
    events = [
        event(1, "outer", 1, 0.0, 2500000.0, input_shapes=[], cpu_memory_usage=5000, is_user_annotation=True, scope=7,
              stack=["a.py(3): f", _LONG, "c.py(5): g"]),
        event(2, "aten::mul", 1, 10.0, 1510.5, input_shapes=[[3, 4], []], cpu_memory_usage=4800, sequence_nr=3,
              flops=12, stack=["a.py(3): f", "b.py(4): h"]),
        event(3, "aten::add", 1, 20.0, 30.25, input_shapes=[[3], []], cpu_memory_usage=-5 * 2**20, sequence_nr=4,
              flops=flops, stack=["a.py(3): f"]),
        event(4, "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", 1, 2000.0, 2100.0,
              input_shapes=[[[1, 2], [3]] * 9], cpu_memory_usage=3 * 2**30),
        event(5, "MulBackward0", 1, 2000.5, 2090.0, sequence_nr=3, scope=1, fwd_thread=1),
        event(6, "MulBackward0", 1, 2010.5, 2080.0, sequence_nr=3, scope=1),
        event(7, "aten::add", 2, 5.0, 8.0, input_shapes=[[2]]),
        event(8, "mine", 2, 50.0, 80.0, is_user_annotation=True),
        event(9, "async", 1, 100.0, 3000000.0, is_async=True),
        event(10, "[memory]", 0, 0, 0, cpu_memory_usage=-2048),
    ]  # fmt: skip
    for e in events:
        e.flops = e.flops or 0
        e.stack = (e.stack or []) if stacks else []
    found = u.EventList(events, use_device=None, **options)
    found._build_tree()
    return found


@case
def tables(torch):
    return [
        made_up(torch).table(), str(made_up(torch)),
        made_up(torch, profile_memory=True).table(sort_by="cpu_memory_usage"),
        made_up(torch, with_flops=True).table(row_limit=3),
        made_up(torch, with_flops=True, flops=5e10).table(sort_by="count"),
        made_up(torch, stacks=True).table(header="Hello"),
        made_up(torch, stacks=True).table(max_src_column_width=20, max_name_column_width=20, max_shapes_column_width=20,
                                          top_level_events_only=True, header="both"),
        made_up(torch).table(row_limit=-1, max_name_column_width=None), made_up(torch).table(row_limit=0),
        [made_up(torch).table(row_limit=2, time_unit=unit) for unit in ("s", "ms", "us", "h")],
        util(torch).EventList([]).table(),
    ]  # fmt: skip


@case
def tables_of_averages(torch):
    return [
        made_up(torch).key_averages().table(),
        made_up(torch, profile_memory=True, stacks=True).key_averages(True, 2).table(row_limit=-1),
        made_up(torch).key_averages(group_by_input_shapes=True).table(row_limit=3, max_shapes_column_width=15),
        made_up(torch, stacks=True).key_averages(group_by_stack_n=1).table(sort_by="self_cpu_time_total"),
        repr(made_up(torch)[1]), repr(made_up(torch).key_averages()[0]), repr(made_up(torch).total_average()),
        repr(made_up(torch).key_averages().total_average()), repr(util(torch).EventList([]).total_average()),
    ]  # fmt: skip


@case
def attributes_of_events(torch):
    def told(e):
        return [
            e.name, e.key, e.count, e.cpu_time, e.cpu_time_total, e.self_cpu_time_total, e.cpu_memory_usage,
            e.self_cpu_memory_usage, e.input_shapes, e.stack, e.cpu_time_str, e.cpu_time_total_str,
            e.self_cpu_time_total_str, [child.id for child in e.cpu_children], e.cpu_parent and e.cpu_parent.id,
            e.time_range.elapsed_us(), e.is_async, e.scope, e.thread, e.trace_name, e.device_time_total,
        ]  # fmt: skip

    events = made_up(torch, stacks=True)
    averages = events.key_averages(True)
    names = (
        "key", "count", "cpu_time", "cpu_time_total", "self_cpu_time_total", "cpu_memory_usage", "stack", "flops",
        "self_cpu_memory_usage", "input_shapes", "is_async", "is_user_annotation", "scope", "overload_name",
    )  # fmt: skip
    return [[told(e) for e in events], [[getattr(a, n) for n in names] for a in averages], events.self_cpu_time_total]


@case
def stacks_for_flame_graphs(torch):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stacks.txt"
        made_up(torch, stacks=True).export_stacks(str(path), "self_cpu_time_total")
        return [path.read_text(), error(lambda: made_up(torch, stacks=True).export_stacks(str(path), "nope"))]


@case
def mistakes_with_events(torch):
    u = util(torch)
    events = made_up(torch)
    average = u.FunctionEventAvg()
    average.add(events[1])
    return [
        error(lambda: events.table(sort_by="nope")), error(lambda: events.key_averages().table(sort_by="nope")),
        error(lambda: average.add(events[0])), error(lambda: average.add(3)),
        error(lambda: events[0].append_cpu_child(3)),
    ]  # fmt: skip


def backward_names(names):
    return [n for n in names if "Backward" in n or "AccumulateGrad" in n]


def program(torch, options, activities=True):
    x = torch.linspace(-1, 1, 6).reshape(2, 3).requires_grad_()
    w = torch.linspace(0, 1, 12).reshape(4, 3).requires_grad_()
    b = torch.zeros(4, requires_grad=True)
    chosen = {"activities": [torch.profiler.ProfilerActivity.CPU]} if activities else {}
    with torch.profiler.profile(**chosen, **options) as p:
        with torch.profiler.record_function("forward"):
            y = torch.nn.functional.linear(x, w, b)
            loss = (torch.tanh(y) * y).sum()
        with torch.profiler.record_function("backward"):
            loss.backward()
    return p


_SEEN = ("forward", "backward", "aten::linear", "aten::addmm", "aten::tanh")
"""What both libraries show. Inside backward nodes PyTorch shows operators, too; facula's nodes call NumPy there."""


@case
def names_of_a_program(torch):
    p = program(torch, {"record_shapes": True})
    averages = {a.key: a for a in p.key_averages()}
    names = [e.name for e in p.events()]
    shown = {e.name: [s for s in e.input_shapes if s] for e in p.events() if e.name in _SEEN or e.scope == 1}
    return [
        backward_names(names), [averages[n].count for n in _SEEN], shown,
        [(e.name, e.cpu_parent.name) for e in p.events() if e.name in ("aten::addmm", "aten::tanh") or e.scope == 1],
        [e.name for e in p.events() if e.is_user_annotation], [n for n in names if n in _SEEN],
        p.key_averages().table(row_limit=0).splitlines()[1].split("  "),
        sorted({(e.name, e.scope) for e in p.events() if e.scope}),
    ]  # fmt: skip


@case
def threads_of_the_operators_that_nodes_belong_to(torch):
    events = program(torch, {}).events()
    return [[e.name, e.fwd_thread] for e in events if backward_names([e.name]) or e.name in _SEEN]


@case
def headings(torch):
    def of(options, **grouping):
        table = program(torch, options).key_averages(**grouping).table()
        return [column.strip() for column in table.splitlines()[1].split("  ") if column.strip()]

    return [
        of({}), of({"profile_memory": True}), of({"record_shapes": True}),
        of({"record_shapes": True}, group_by_input_shape=True),
        of({"record_shapes": True, "profile_memory": True, "with_flops": True}, group_by_input_shape=True),
    ]  # fmt: skip


@case
def schedules(torch):
    schedule = torch.profiler.schedule
    return [
        [[str(s(i)) for i in range(14)] for s in (
            schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1),
            schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1, skip_first_wait=1),
            schedule(wait=0, warmup=1, active=1), schedule(wait=2, warmup=2, active=3, skip_first=3),
        )],
        error(lambda: schedule(wait=-1, warmup=0, active=1)), error(lambda: schedule(wait=0, warmup=0, active=0)),
        warned(lambda: schedule(wait=0, warmup=0, active=1)), error(lambda: schedule(wait=0, warmup=1, active=1)(-1)),
    ]  # fmt: skip


@case
def steps(torch):
    found = []
    for plan in (
        {"wait": 1, "warmup": 1, "active": 2, "repeat": 1}, {"wait": 0, "warmup": 1, "active": 1},
        {"wait": 0, "warmup": 1, "active": 2, "repeat": 2, "skip_first": 1},
    ):  # fmt: skip
        ready = []

        def on_ready(p, ready=ready):
            names = [e.trace_name for e in p.events()]
            ready.append([p.step_num, [n for n in names if n.startswith("ProfilerStep")], names.count("aten::exp"),
                          [a.key for a in p.key_averages() if a.key.startswith("ProfilerStep")]])  # fmt: skip

        x = torch.ones(3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with torch.profiler.profile(schedule=torch.profiler.schedule(**plan), on_trace_ready=on_ready) as p:
                for _ in range(7):
                    torch.exp(x)
                    p.step()
        found.append([ready, p.step_num])
    return found


@case
def mistakes(torch):
    p, a = torch.profiler, torch.autograd.profiler
    unused = p.profile()
    with a.profile() as done:
        torch.ones(3)

    def twice():
        with a.profile() as q, q:
            pass

    def timeline(of, path):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            of.export_memory_timeline(path)

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "trace.json")
        with p.profile() as saved:
            torch.ones(3)
        saved.export_chrome_trace(path)
        return [
            error(lambda: unused.key_averages()), error(lambda: unused.events()),
            error(lambda: unused.export_chrome_trace(path)), error(lambda: unused.export_stacks(path)),
            error(lambda: p.profile(activities=[])), error(lambda: p.profile(activities=["cpu"])),
            error(lambda: saved.export_chrome_trace(path)), error(lambda: saved.export_stacks(path)),
            error(lambda: timeline(saved, path)), error(twice),
            error(lambda: a.profile(use_cpu=False)), error(lambda: a.emit_nvtx().__enter__()),
            warned(lambda: a.profile(use_cuda=True)), warned(lambda: p.profile(use_cuda=False)),
            error(lambda: p.profile(schedule=3)), error(lambda: p.schedule()),
            [m.name for m in p.supported_activities()], p.kineto_available(), [str(m) for m in p.ProfilerAction],
            a.profile(enabled=False).__enter__(), a.emit_itt(enabled=False).__enter__(),
            isinstance(done.total_average().count, int),
        ]  # fmt: skip


@case
def optimizers_and_loaders(torch):
    layer = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    data = torch.utils.data.TensorDataset(torch.ones(4, 2))
    with torch.profiler.profile() as p:
        for (batch,) in torch.utils.data.DataLoader(data, batch_size=2):
            optimizer.zero_grad()
            layer(batch).sum().backward()
            optimizer.step()
    return [e.name for e in p.events() if "#" in e.name]


@case
def custom_functions(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return g * 2 * ctx.saved_tensors[0]

    x = torch.ones(3, requires_grad=True)
    with torch.profiler.profile() as p:
        Square.apply(x).sum().backward()
    events = list(p.events())
    return [
        [e.name for e in events if "Square" in e.name],
        [e.cpu_parent.name for e in events if e.name == "aten::mul"], backward_names([e.name for e in events]),
    ]  # fmt: skip
