"""What compiling tells: messages, reasons, times; and names of PyTorch's that go with it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import facula as torch
from facula import _dynamo, _inductor, _logging


@pytest.fixture(autouse=True)
def _quiet_again() -> Iterator[None]:
    yield
    _logging.set_logs()


def scaled(x: Any, n: Any) -> Any:
    return x * n


def test_recompiles_are_told_with_their_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    _logging.set_logs(recompiles=True)
    fn = torch.compile(scaled, backend="eager", dynamic=False)
    x = torch.ones(3)
    for call in ((x, 2), (x, 3), (torch.ones(3, 3), 3), (x.double(), 3), (torch.ones(4), 3)):
        fn(*call)
    text = capsys.readouterr().err
    assert text.count("Recompiling function scaled in") == 4 and f"{__file__}:" in text
    for reason in (
        "/0: n == 2", "/1: tensor 'x' rank mismatch. expected 1, actual 2",
        "/2: tensor 'x' dtype mismatch. expected Float, actual Double",
        "/1: tensor 'x' size mismatch at index 0. expected 3, actual 4",
    ):  # fmt: skip
        assert reason in text, reason
    assert all("[__recompiles]" in line for line in text.splitlines())


def test_recompiles_tell_what_changed_around(capsys: pytest.CaptureFixture[str]) -> None:
    _logging.set_logs(recompiles=True)
    namespace: dict[str, Any] = {"scale": 2.0, "thing": SimpleNamespace(of=[1, 2]), "layer": torch.nn.Dropout()}
    exec("def f(x):\n    return layer(x) * scale * len(thing.of)", namespace)
    fn, x = torch.compile(namespace["f"], backend="eager"), torch.ones(2)
    changes = {
        "G['scale'] == 2.0": lambda: namespace.update(scale=3.0),
        "len(G['thing'].of) == 2": lambda: namespace["thing"].of.append(3),
        "G['layer'].training == True": namespace["layer"].eval,
        "GLOBAL_STATE changed: grad_mode": lambda: torch.set_grad_enabled(False),
    }
    try:
        fn(x)
        for told, change in changes.items():
            change()
            fn(x)
            text = capsys.readouterr().err
            assert f": {told}\n" in text, (told, text)
    finally:
        torch.set_grad_enabled(True)


def test_recompiles_can_be_errors() -> None:
    fn = torch.compile(lambda x: x + 1, backend="eager")
    fn(torch.ones(2))
    with _dynamo.config.patch(error_on_recompile=True):
        fn(torch.ones(2))
        with pytest.raises(_dynamo.exc.RecompileError, match=r"dtype mismatch\. expected Float, actual Double"):
            fn(torch.ones(2).double())
    assert fn(torch.ones(2).double()).dtype == torch.float64


def test_other_things_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    _logging.set_logs(graph_code=True, guards=True, output_code=True, aot_graphs=True, graph_breaks=True)
    torch.compile(lambda x: x.sin() * 2, backend="numpy")(torch.ones(2))
    text = capsys.readouterr().err
    for line in (
        "[__graph_code]     def forward(self, L_x_", "[__guards] def enter(", "[__aot_graphs] sin", "[__output_code] "
    ):
        assert line in text, line
    with pytest.warns(UserWarning, match="runs eagerly"):
        torch.compile(lambda x: (print("a word"), x + 1)[1], backend="numpy")(torch.ones(2))
    assert "[__graph_breaks] Graph break in user code at" in capsys.readouterr().err
    _logging.set_logs()
    torch.compile(lambda x: x.sin() * 2, backend="numpy")(torch.ones(2))
    assert capsys.readouterr().err == ""


def test_the_environment_asks_for_messages() -> None:
    code = "import facula as t; f = t.compile(lambda x: x + 1, backend='eager'); f(t.ones(2)); f(t.ones(2).double())"
    for name in ("TORCH_LOGS", "FACULA_LOGS"):
        done = subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path), name: "+dynamo,recompiles"},
            capture_output=True, text=True,
        )  # fmt: skip
        assert "dtype mismatch" in done.stderr, done.stderr


def test_logs_have_pytorchs_names() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'nosuch'"):
        _logging.set_logs(nosuch=True)
    with pytest.raises(ValueError, match="Expected bool to enable artifact guards"):
        _logging.set_logs(guards=3)
    assert _logging.getArtifactLogger("a", "guards").name == "a.__guards"


def test_times_are_kept() -> None:
    torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
    text = _dynamo.utils.compile_times()
    assert text.startswith("TorchDynamo compilation metrics:\nFunction, Runtimes (s)\n_compile.compile_inner, 0.")
    names, rows = _dynamo.utils.compile_times(repr="csv", aggregate=True)
    assert names == ["_compile.compile_inner"] and len(rows[0]) == 1


def test_all_names_of_the_compiler_are_there() -> None:
    theirs = pytest.importorskip("torch").compiler.__all__
    assert set(theirs) - set(dir(torch.compiler)) <= {"config"}


def test_the_default_back_end() -> None:
    seen = []

    def backend(gm: Any, example_inputs: Any) -> Any:
        seen.append(gm)
        return gm.forward

    torch.compiler.set_default_backend(backend)
    try:
        assert torch.compiler.get_default_backend() is backend
        torch.compile(lambda x: x + 1)(torch.ones(2))
    finally:
        torch.compiler.set_default_backend(None)
    assert len(seen) == 1 and torch.compiler.get_default_backend() == "inductor"
    with pytest.raises(_dynamo.exc.InvalidBackend):
        torch.compiler.set_default_backend("nosuch")


def test_functions_of_arrays() -> None:
    import numpy as np

    assert torch.compiler.wrap_numpy(lambda a: {"y": np.sin(a)})(torch.zeros(2))["y"].tolist() == [0, 0]
    assert torch.compiler.nested_compile_region(scaled) is scaled


def test_settings_of_inductor() -> None:
    config: Any = _inductor.config
    assert config.max_autotune is False
    with config.patch(max_autotune=True):
        assert config.max_autotune
    config.some_thing = 3
    assert config.some_thing == 3 and "max_autotune" in _inductor.list_options()
    with pytest.raises(AttributeError):
        config.no_such_thing
    with pytest.raises(NotImplementedError, match=r"torch\.export\.save"):
        _inductor.aoti_compile_and_package(None)
    assert set(_inductor.list_mode_options()) == {
        "default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune"
    }  # fmt: skip


def test_draws_of_a_call_that_is_thrown_away_are_taken_back() -> None:
    generator = torch.Generator().manual_seed(3)

    def draw(x: Any) -> Any:
        noise = torch.rand(2, generator=generator)
        return noise * 2 if x.sum() > 0 else noise

    fn = torch.compile(draw, backend="numpy", fullgraph=True)
    ones = torch.ones(2)
    for x in (ones, -ones, ones, -ones):
        generator.manual_seed(3)
        found = fn(x)
        after = generator.get_state()
        generator.manual_seed(3)
        assert torch.equal(found, draw(x))
        assert torch.equal(after, generator.get_state())


def test_a_marked_size_must_stay_general() -> None:
    x = torch.ones(4, 3)
    _dynamo.mark_dynamic(x, 0)
    with pytest.raises(RuntimeError, match=r"specialized it to be a constant \(4\)") as info:
        torch.compile(lambda x: x.view(4, 3) * 2, backend="eager")(x)
    assert type(info.value).__name__ == "ConstraintViolationError"
    y = torch.ones(4, 3)
    _dynamo.maybe_mark_dynamic(y, 0)
    assert torch.compile(lambda x: x.view(4, 3) * 2, backend="eager")(y).shape == (4, 3)
