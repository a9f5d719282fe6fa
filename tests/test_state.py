"""Modes of threads: what one leaves switched on when it ends troubles nobody."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from typing import Any

import pytest

import facula as torch
from facula._core import state


def in_thread(fn: Any) -> None:
    failures: list[BaseException] = []

    def run() -> None:
        try:
            fn()
        except BaseException as e:
            failures.append(e)

    thread = threading.Thread(target=run)
    thread.start()
    joined(thread)
    if failures:
        raise failures[0]


def joined(thread: threading.Thread) -> None:
    """``join`` may return a moment before the thread's own variables are gone."""
    thread.join()
    end = time.monotonic() + 10
    while thread.ident in state._threads and time.monotonic() < end:
        time.sleep(0.001)


@pytest.fixture(autouse=True)
def plain() -> Any:
    assert state.special == 0
    yield
    assert state.special == 0
    assert threading.get_ident() in state._threads


ENTERED: list[Any] = [
    lambda: torch.no_grad().__enter__(),
    lambda: torch.inference_mode().__enter__(),
    lambda: torch.set_grad_enabled(False),
    lambda: torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t).__enter__(),
    lambda: torch.autocast("cpu", dtype=torch.bfloat16).__enter__(),
    lambda: [mode.__enter__() for mode in (torch.no_grad(), torch.inference_mode())],
]


@pytest.mark.parametrize("enter", ENTERED)
def test_a_thread_that_ends_in_a_mode_is_counted_no_more(enter: Any) -> None:
    counts = []

    def run() -> None:
        enter()
        counts.append(state.special)

    for _ in range(3):
        in_thread(run)
    assert counts == [1, 1, 1]
    x = torch.ones(2, requires_grad=True)
    assert (x * 2).requires_grad


def test_a_thread_that_goes_on_is_still_counted() -> None:
    inside, go_on = threading.Event(), threading.Event()
    found = []

    def stays() -> None:
        with torch.no_grad():
            inside.set()
            go_on.wait(10)
            found.append((torch.ones(1, requires_grad=True) * 2).requires_grad)
        found.append((torch.ones(1, requires_grad=True) * 2).requires_grad)

    thread = threading.Thread(target=stays)
    thread.start()
    inside.wait(10)
    in_thread(lambda: torch.no_grad().__enter__())
    assert state.special == 1
    go_on.set()
    joined(thread)
    assert found == [False, True]


def test_a_thread_that_left_its_mode_is_not_counted_twice() -> None:
    def run() -> None:
        with torch.no_grad():
            pass
        with torch.inference_mode():
            pass

    in_thread(run)


def test_threads_that_ended_are_not_kept() -> None:
    before = set(state._threads)
    for _ in range(5):
        in_thread(lambda: torch.ones(1) + 1)
        in_thread(lambda: torch.no_grad().__enter__())
    assert set(state._threads) == before


def test_a_thread_that_ends_while_a_profiler_is_on() -> None:
    with torch.profiler.profile() as p:
        in_thread(lambda: torch.no_grad().__enter__())
        in_thread(lambda: torch.ones(2).exp())
        assert state.special == 1
    assert "aten::exp" in [e.name for e in p.events()]

    started, go_on = threading.Event(), threading.Event()

    def outlasts() -> None:
        torch.no_grad().__enter__()
        torch.ones(2).sin()
        started.set()
        go_on.wait(10)

    thread = threading.Thread(target=outlasts)
    with torch.profiler.profile():
        thread.start()
        started.wait(10)
        assert state.special == 2
    go_on.set()
    joined(thread)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_counts_only_its_own_thread() -> None:
    code = """
import os, threading, warnings
warnings.simplefilter("ignore")
import facula as torch
from facula._core import state as _state
inside, go_on = threading.Event(), threading.Event()
def stays():
    torch.no_grad().__enter__()
    inside.set()
    go_on.wait(10)
thread = threading.Thread(target=stays)
thread.start()
inside.wait(10)
child = os.fork()
if child == 0:
    with torch.no_grad():
        here = _state.special
    os._exit(0 if (here, _state.special) == (1, 0) else 1)
_, status = os.waitpid(child, 0)
before = _state.special
go_on.set()
thread.join()
print(status, before, _state.special)
"""
    assert run_python(code) == "0 1 0\n"


def test_the_end_of_the_program_is_quiet() -> None:
    code = """
import threading, time
import facula as torch
def stays():
    torch.no_grad().__enter__()
    time.sleep(60)
threading.Thread(target=stays, daemon=True).start()
time.sleep(0.05)
torch.no_grad().__enter__()
"""
    assert run_python(code) == ""


def run_python(code: str) -> str:
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert found.returncode == 0, found.stderr
    assert found.stderr == ""
    return found.stdout


def test_outputs_of_a_refused_function_can_be_differentiated() -> None:
    class Both(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            x.add_(1)
            y.mul_(2)
            ctx.mark_dirty(x, y)
            return y, x

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            return h, g * 2

    x = torch.ones(2, requires_grad=True)
    y = x * 3
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad has been used in an in-place operation"):
        Both.apply(x, y)
    assert type(y.grad_fn).__name__ == "BothBackward"
    y.sum().backward()  # PyTorch reads memory that is not set
    assert x.grad.tolist() == [6.0, 6.0]
