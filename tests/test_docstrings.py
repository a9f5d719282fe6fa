"""Every public name says what it is and how it is called, and its example prints what stands there."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import facula
from facula import _lazy, docstrings

from . import docstrings as room

FILES = sorted(room.ROOM.glob("*.txt"))
ENTRIES = [entry for file in FILES for entry in room.entries(file)]

MODULES = """
    amp autograd autograd.forward_ad autograd.function autograd.functional autograd.graph compiler cpu distributed
    distributions fft func fx futures hub library linalg masked multiprocessing nn nn.attention nn.functional nn.init
    nn.parallel nn.utils nn.utils.parametrizations nn.utils.parametrize nn.utils.prune nn.utils.rnn optim
    optim.lr_scheduler optim.swa_utils overrides profiler quasirandom random return_types safetensors serialization
    signal.windows special storage testing utils.checkpoint utils.data utils.dlpack utils.hooks viz
""".split()

ANY_ARGUMENTS = {
    "nn.Module", "nn.Identity", "nn.LogSigmoid", "nn.Sigmoid", "nn.Softmax2d", "nn.Softsign", "nn.Tanh",
    "nn.Tanhshrink",
    "autograd.Function", "autograd.function.BackwardCFunction", "autograd.function.Function",
    "autograd.function.NestedIOFunction", "utils.checkpoint.CheckpointFunction", "utils.data.StackDataset",
    "autograd.forward_ad.Dual", "fx.GraphModule", "Tensor", "gru", "lstm", "rnn_relu", "rnn_tanh",
}  # fmt: skip
"""What truly takes any arguments, or several sets of them; legacy classes of tensors and storages besides."""

WITHOUT_EXAMPLE = """
    Generator chain_matmul cuda eig frobenius_norm is_coalesced lstsq matrix_rank multi_head_attention_forward
    nuclear_norm pin_memory qr range record_stream resize resize_as set_default_tensor_type solve storage symeig
    triangular_solve upsample upsample_bilinear upsample_nearest xpu
""".split()
"""What is deprecated, refuses, or takes too many arguments."""


def public_names() -> Iterator[tuple[str, Any]]:
    """All public functions, classes, methods and properties of facula's own, as users write them after ``torch.``"""
    for module in ["", *MODULES]:
        owner = importlib.import_module(f"facula.{module}".rstrip("."))
        for name in getattr(owner, "__all__", None) or dir(owner):
            value = None if name.startswith("_") else getattr(owner, name)
            home = getattr(value, "__module__", None) or ""
            if callable(value) and (hasattr(value, "primitive") or home.startswith(("facula", "torch"))):
                yield f"{module}.{name}".lstrip("."), value
    for name in dir(facula.Tensor):
        if not name.startswith("_"):
            getattr(facula.Tensor, name)
            value = inspect.getattr_static(facula.Tensor, name)
            if callable(value) or isinstance(value, property):
                yield f"Tensor.{name}", value


NAMES = dict(public_names())


def test_every_public_name_has_a_docstring() -> None:
    assert len(NAMES) > 2000
    assert [name for name, value in NAMES.items() if not value.__doc__] == []


def test_every_public_name_has_a_signature() -> None:
    silent = []
    for name, value in NAMES.items():
        if isinstance(value, property) or name.endswith(("Tensor", "Storage")):
            continue
        if isinstance(value, type) and issubclass(value, (Exception, dict, type)):
            continue  # Python's own do not tell
        kinds = {p.kind for p in inspect.signature(value).parameters.values()}
        if kinds == {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD} and name not in ANY_ARGUMENTS:
            silent.append(name)
    assert silent == []


def test_signatures_of_operators() -> None:
    shown = {
        "relu": "(input: 'Tensor', *, out: 'Tensor | None' = None) -> 'Tensor'",
        "Tensor.sin": "(self: 'Tensor') -> 'Tensor'",
        "Tensor.add": "(self: 'Tensor', other: 'Tensor | complex', *, alpha: 'float' = 1) -> 'Tensor'",
        "Tensor.mul_": "(self: 'Tensor', other: 'Tensor | complex') -> 'Tensor'",
    }
    assert {name: str(inspect.signature(NAMES[name])) for name in shown} == shown
    assert not [name for name, value in NAMES.items() if "<object object" in _signature(value)]


def _signature(value: Any) -> str:
    try:
        return str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""


def test_every_operator_has_an_example() -> None:
    told = docstrings.texts()
    operators = [name for name in NAMES if name in _lazy.FUNCTIONS and not name.endswith(("_", "Tensor"))]
    operators += [name for name in NAMES if name.startswith(("nn.functional.", "linalg.", "fft.", "special."))]
    operators += [f"Tensor.{name}" for table in _lazy._lazy_names.METHODS.values() for name in table.split()]
    aliases = {"Tensor.const_data_ptr": "Tensor.data_ptr"}
    missing = []
    for name in operators:
        short = name.rpartition(".")[2]
        value = NAMES.get(name)
        if short.endswith("_") or value is None or isinstance(value, (property, type)):
            continue
        texts = [told.get(each, "") for each in (aliases.get(name, name), short, value.__name__)]
        if not any(">>> " in text for text in texts) and short not in WITHOUT_EXAMPLE:
            missing.append(name)
    assert [name for name in missing if not name.rpartition(".")[2].startswith(("has_", "handle_"))] == []


WITH_CLASSES = ("nn", "optim", "optim.lr_scheduler", "optim.swa_utils", "distributions", "utils.data")


def test_every_class_has_an_example() -> None:
    classes = [name for name, v in NAMES.items() if isinstance(v, type) and name.rpartition(".")[0] in WITH_CLASSES]
    assert len(classes) > 270
    assert [name for name in classes if ">>> " not in (NAMES[name].__doc__ or "")] == []


def test_no_text_is_for_a_name_that_does_not_exist() -> None:
    assert sorted(docstrings.texts().keys() - NAMES.keys()) == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
@pytest.mark.filterwarnings("ignore")
def test_examples_print_what_stands_there(file: Any) -> None:
    try:
        current = room.written(file)
    except ImportError as error:
        pytest.skip(str(error))
    assert current == file.read_text(encoding="utf-8"), "python -m tests.docstrings brings the texts up to date"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_pytorch_prints_the_same(file: Any) -> None:
    torch = pytest.importorskip("torch")
    differs = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for entry in room.entries(file):
            if entry.names == ["alias"]:  # PyTorch has it among its operators only
                continue
            example = room.example(torch, entry.statements)
            node = room.facts(torch, entry.names, entry.statements).partition("Node: ")[2]
            wrong = node and "Node: " in entry.text and f"Node: {node}" not in entry.text
            if wrong or example not in entry.text:
                differs.append((entry.names[0], example, node))
    assert differs == []


def test_importing_reads_no_text() -> None:
    program = "import facula; from facula import docstrings; assert docstrings.texts.cache_info().currsize == 0"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_help_shows_it() -> None:
    program = "import facula as torch; help(torch.sin)"
    shown = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    for part in ("sin(input: 'Tensor', *, out", "The sine of each element", "Node: SinBackward0", ">>> torch.sin("):
        assert part in shown
