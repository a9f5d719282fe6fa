"""``facula.as_torch()``: the name torch, in a process of its own, because it stays for good."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import facula
from facula.torch_version import TorchVersion

START = "import facula\ntorch = facula.as_torch()\n"


def in_new_process(program: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(Path(facula.__file__).parent.parent)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_all_ways_to_import_give_the_same_modules() -> None:
    program = START + """
import importlib, sys
import torch as again
import torch.nn.functional as F
from torch import nn, optim
from torch.nn.modules.utils import _pair
from torch.optim.lr_scheduler import StepLR
import torch.utils.data
assert again is torch is facula.as_torch() is sys.modules["torch"] is torch.torch
assert F is nn.functional is facula.nn.functional is torch.nn.functional
assert importlib.import_module("torch.optim") is optim is facula.optim is sys.modules["torch.optim"]
assert torch.Tensor is facula.Tensor and torch.add is facula.add and nn.Linear is facula.nn.Linear
assert nn.__name__ == nn.__spec__.name == "facula.nn" and nn.__package__ == "facula.nn"
assert torch.utils.data is facula.utils.data and torch.autograd is facula.autograd
assert set(facula.__all__) <= set(dir(torch))
scope = {}
exec("from torch import *", scope)
assert scope["add"] is facula.add
print(_pair(3), StepLR.__name__, torch.__name__, repr(torch)[:15])
"""
    assert in_new_process(program) == "(3, 3) StepLR torch <module 'torch'"


def test_versions_are_each_its_own() -> None:
    program = START + """
import importlib.metadata
print(torch.__version__, torch.version.__version__, importlib.metadata.version("torch"))
print(facula.__version__ != torch.__version__, torch.version.cuda, torch.__version__ >= (2, 0), type(torch.__version__))
print(importlib.metadata.distribution("torch").metadata["Name"])
"""
    assert in_new_process(program).splitlines() == [
        "2.13.0 2.13.0 2.13.0",
        "True None True <class 'torch.torch_version.TorchVersion'>",
        "torch",
    ]


def test_version_compares_as_a_version() -> None:
    version = TorchVersion("2.13.0")
    assert isinstance(version, str) and version == "2.13.0" and version == (2, 13) and version != "2.12"
    assert version > "2.2" and version > (1, 9) and version < "10" and version >= "2.13.0a0" and version <= "2.13"
    assert version > "2.13.0rc1" and version > "2.13.0.dev20260101" and version < "2.13.0.post1"
    assert version < "2.13.0+cpu" and version.split(".") == ["2", "13", "0"] and hash(version) == hash("2.13.0")
    assert version != 3
    with pytest.raises(TypeError):
        _ = version > 3


def test_what_is_lacking_is_named() -> None:
    program = START + """
import importlib.util
for code in ["torch.no_such_thing", "torch.nn.NoSuchLayer", "torch.quantize_per_tensor", "torch.onnx.export"]:
    try:
        eval(code)
    except AttributeError as e:
        print(e)
statements = [
    "from torch import quantize_per_tensor", "from torch.onnx import export", "import torch.no.such",
    "import torch.utils.mobile_optimizer",
]
for code in statements:
    try:
        exec(code)
    except ImportError as e:
        print(type(e).__name__, e)
print(hasattr(torch, "quantize_per_tensor"), hasattr(torch.nn, "x"), getattr(torch, "quantize_per_tensor", 1))
find = importlib.util.find_spec
print(find("torch").name, find("torch.no"), find("torch.nn") is None)
"""
    v = facula.__version__
    assert in_new_process(program).splitlines() == [
        f"module 'torch' has no attribute 'no_such_thing' (facula {v}, which runs in place of PyTorch here, lacks it)",
        f"module 'torch.nn' has no attribute 'NoSuchLayer' (facula {v}, which runs in place of PyTorch here, lacks it)",
        f"module 'torch' has no attribute 'quantize_per_tensor' (PyTorch has it, but facula {v} lacks it)",
        f"module 'torch.onnx' has no attribute 'export' (PyTorch has it, but facula {v} lacks it)",
        f"ImportError cannot import name 'quantize_per_tensor' from 'torch' (PyTorch has it, but facula {v} lacks it)",
        f"ImportError cannot import name 'export' from 'torch.onnx' (PyTorch has it, but facula {v} lacks it)",
        f"ModuleNotFoundError No module named 'torch.no' (facula {v}, which runs in its place here, lacks it)",
        f"ModuleNotFoundError No module named 'torch.utils.mobile_optimizer' (PyTorch has it, but facula {v}, which "
        "runs in its place here, lacks it)",
        "False False 1",
        "torch None False",
    ]


def test_it_refuses_when_torch_is_there_already() -> None:
    program = """
import sys, types
real = sys.modules["torch"] = types.ModuleType("torch")
real.__version__ = "2.13.0+cpu"
import facula
before = list(sys.meta_path)
try:
    facula.as_torch()
except RuntimeError as e:
    print(e)
print(sys.modules["torch"] is real, sys.meta_path == before)
"""
    refusal, kept = in_new_process(program).splitlines()
    assert refusal.startswith("facula cannot take the name torch: PyTorch 2.13.0+cpu has already been imported")
    assert "before anything imports torch" in refusal
    assert kept == "True True"


def test_importing_facula_does_not_take_the_name() -> None:
    program = """
import sys, facula
facula.nn, facula.optim, facula.ones(2)
print("torch" in sys.modules, any("facula" in repr(f) for f in sys.meta_path))
"""
    assert in_new_process(program) == "False False"


def test_what_is_set_on_torch_is_set_on_facula() -> None:
    program = START + """
torch.mine = 1
assert facula.mine == 1
del torch.mine
assert not hasattr(facula, "mine") and not hasattr(torch, "mine")
from unittest import mock
with mock.patch("torch.cuda.is_available", return_value=True):
    assert facula.cuda.is_available()
with mock.patch("torch.add", return_value=5):
    assert torch.add(1, 2) == 5 == facula.add
assert torch.add is facula.add and not torch.cuda.is_available()
""".replace("== 5 == facula.add", "== 5 == facula.add(1, 2)")
    in_new_process(program)


def test_pickles_that_name_torch_are_found() -> None:
    program = START + """
import pickle
assert pickle.loads(b"ctorch\\nfloat32\\n.") is torch.float32
assert pickle.loads(b"ctorch.nn.modules.linear\\nLinear\\n.") is torch.nn.Linear
assert pickle.loads(b"ctorch\\nSize\\n((I2\\nI3\\ntt\\x81.") == torch.Size([2, 3])
"""
    in_new_process(program)


def test_questions_that_programs_ask_first() -> None:
    """What packages probe is there, and the answers are true."""
    program = START + """
import importlib.util
import torch.distributed as dist
assert not torch.cuda.is_available() and torch.cuda.device_count() == 0 and not torch.cuda.is_bf16_supported()
assert not torch.backends.mps.is_available() and not torch.backends.cudnn.is_available()
assert not torch.mps.is_available() and not torch.xpu.is_available() and not torch.mtia.is_available()
assert torch.accelerator.current_accelerator() is None and torch.cpu.is_available()
assert dist.is_available() == (importlib.util.find_spec('mpi4py') is not None) and not dist.is_initialized()
assert not torch.jit.is_scripting() and not torch.jit.is_tracing() and not torch.compiler.is_compiling()
assert torch._C._get_tracing_state() is None and not torch.onnx.is_in_onnx_export()
assert torch._C.has_lapack and not torch._C._has_cuda and torch.testing._utils.freeze_rng_state
assert torch.version.cuda is None and torch.version.hip is None
@torch.jit.script
def double(x): return 2 * x
@torch.jit.ignore(drop=True)
@torch.jit.unused
@torch.jit.export
@torch.compiler.disable
@torch.fx.wrap
def half(x): return x / 2
@torch.compile(mode="max-autotune")
def both(x): return half(double(x))
assert both(torch.ones(2)).tolist() == [1.0, 1.0]
assert torch.jit.wait(torch.jit.fork(half, torch.ones(1))).item() == 0.5
assert repr(torch.jit.Attribute(3, int)) == "Attribute(value=3, type=<class 'int'>)"
assert not isinstance(both, torch.jit.ScriptFunction) and not isinstance(1, torch.SymInt)
assert torch.get_device_module("cpu") is torch.cpu and torch.nn.DataParallel(torch.nn.Identity())(3) == 3
load = torch.ops.load_library
for ask in (torch.cuda.current_device, torch.cuda.get_device_name, dist.get_rank, lambda: load("x.so")):
    try:
        ask()
    except (AssertionError, ValueError, OSError) as e:
        print(e)
"""
    assert in_new_process(program).splitlines() == [
        "Torch not compiled with CUDA enabled",
        "Torch not compiled with CUDA enabled",
        "Default process group has not been initialized, please make sure to call init_process_group.",
        "Could not load this library: x.so (facula lacks what PyTorch's compiled extensions need)",
    ]


def test_names_of_pytorch_that_facula_has_are_not_called_lacking() -> None:
    from facula._torch.names import MODULES, names_of

    assert "nn" in names_of("torch") and "Linear" in names_of("torch.nn") and "torch.optim.lr_scheduler" in MODULES
    assert "no_such_thing" not in names_of("torch")


def test_modules_have_what_they_import() -> None:
    """In PyTorch ``from torch.distributions.multivariate_normal import Distribution`` works, and is used."""
    code = """
import facula; facula.as_torch()
import torch, math
from torch.distributions.multivariate_normal import Distribution, lazy_property
from torch.nn.functional import grad
assert Distribution is torch.distributions.Distribution and grad is torch.nn.grad
assert torch.autograd.torch is torch and torch.nn.modules.linear.math is math
try:
    from torch.nn.modules.linear import nothing_of_the_kind
except ImportError:
    print("ok")
"""
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "ok\n"


def test_every_name_of_the_table_is_there() -> None:
    code = """
import facula; facula.as_torch()
import warnings; warnings.simplefilter("ignore")
from facula._torch.reexports import REEXPORTS, reexported
for module, entries in REEXPORTS.items():
    for entry in entries.split():
        name, _, place = entry.partition("=")
        reexported(module, name or place.partition(":")[2])
print("ok")
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout == "ok\n", found.stderr


CLASSES = '''
import importlib, json, sys, warnings
warnings.simplefilter("ignore")
found = {}
for name in """
    torch torch.amp torch.autograd torch.autograd.graph torch.distributions torch.fx torch.hub
    torch.linalg torch.nn torch.nn.attention torch.nn.parallel torch.nn.parameter
    torch.nn.utils.parametrize torch.nn.utils.prune torch.optim torch.optim.lr_scheduler
    torch.optim.swa_utils torch.overrides torch.profiler torch.serialization torch.storage
    torch.utils.checkpoint torch.utils.data torch.utils.hooks
""".split():
    module = importlib.import_module(name)
    for key in sorted({*vars(module), *getattr(module, "__all__", ())}):
        cls = getattr(module, key, None)
        if isinstance(cls, type) and cls.__module__.partition(".")[0] in ("torch", "facula"):
            found[f"{name}.{key}"] = f"{cls.__module__}.{cls.__qualname__}"
            if "pickled by their names" in sys.argv:
                place = importlib.import_module(cls.__module__)
                for part in cls.__qualname__.split("."):
                    place = getattr(place, part)
                assert place is cls, cls
print(json.dumps(found))
'''


def test_classes_say_what_pytorchs_say() -> None:
    pytest.importorskip("torch")
    ours = json.loads(in_new_process(START + CLASSES))
    theirs = json.loads(in_new_process(CLASSES))
    differ = {name for name in ours if name in theirs and ours[name] != theirs[name]}
    assert len(ours) > 400 and differ == {
        # pybind's classes, and what PyTorch keeps in modules that facula has under another name
        "torch.Future", "torch.PyTorchFileReader", "torch.ScriptFunction", "torch.ScriptModule",
        "torch.SymBool", "torch.SymFloat", "torch.SymInt",
        "torch.autograd.detect_anomaly", "torch.autograd.set_detect_anomaly",
        "torch.autograd._unsafe_preserve_version_counter",
        "torch.nn.LinearCrossEntropyOptions", "torch.nn.attention.SDPBackend", "torch.profiler.DeviceType",
        "torch.profiler.ProfilerActivity", "torch.profiler._ExperimentalConfig", "torch.serialization.LoadEndianness",
        "torch.serialization.StorageType", "torch.serialization.set_default_mmap_options",
    }  # fmt: skip


def test_classes_are_found_where_they_say() -> None:
    found = json.loads(in_new_process(START + "import sys\nsys.argv.append('pickled by their names')\n" + CLASSES))
    assert found["torch.Tensor"] == "torch.Tensor" and found["torch.nn.Linear"] == "torch.nn.modules.linear.Linear"
    assert found["torch.nn.MultiheadAttention"] == "torch.nn.modules.activation.MultiheadAttention"
    assert found["torch.optim.Muon"] == "torch.optim.Muon"
    assert found["torch.linalg.LinAlgError"] == "torch._C._LinAlgError"


def test_what_is_loaded_late_says_it_too() -> None:
    program = START + """
import inspect, pickle
try:
    torch.linalg.inv(torch.zeros(2, 2))
except RuntimeError as e:
    print(type(e))
print(type((torch.ones(1, requires_grad=True) * 2).grad_fn), type(torch.ones(2).max(0)))
print(inspect.getsource(torch.nn.Identity).splitlines()[0])
print(facula.viz.__name__, torch.nn.functional.__name__)
from torch.nn.utils import parametrizations
print(type(parametrizations.weight_norm(torch.nn.Linear(1, 1))))
assert type(pickle.loads(pickle.dumps(torch.nn.Linear(1, 1)))) is torch.nn.Linear
"""
    assert in_new_process(program).splitlines() == [
        "<class 'torch._C._LinAlgError'>",
        "<class 'MulBackward0'> <class 'torch.return_types.max'>",
        "class Identity(Module):",
        "facula.viz facula.nn.functional",
        "<class 'torch.nn.utils.parametrize.ParametrizedLinear'>",
    ]


def test_saved_modules_are_loaded_by_both(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    file = tmp_path / "model.pt"
    in_new_process(START + f"""
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.MultiheadAttention(4, 2))
torch.nn.init.constant_(model[0].weight, 0.5)
torch.save(model, {str(file)!r})
assert type(torch.load({str(file)!r}, weights_only=False)) is torch.nn.Sequential
""")
    for library in (facula, torch):
        model = library.load(file, weights_only=False)
        assert type(model[2]) is library.nn.MultiheadAttention and model[0].weight.tolist() == [[0.5, 0.5]] * 3


@pytest.mark.parametrize(("code", "end"), [
    ("torch.optim.Adm", "Did you mean: 'Adam'?"),
    ("torch.ones(2).ad_d", "Did you mean: 'add'?"),
    ("torch.jit.trace(torch.nn.Linear(1, 1), torch.ones(1)).graph", "give back what they are given)"),
    ("torch.ones(2).qscheme()", "which runs in its place here, lacks it)"),
])  # fmt: skip
def test_errors_of_misspelt_names_help(code: str, end: str) -> None:
    command = [sys.executable, "-m", "facula", "run", "-c", f"import torch\n{code}\n"]
    environment = {**os.environ, "PYTHONPATH": str(Path(facula.__file__).parent.parent)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and done.stderr.rstrip().endswith(end)


def test_what_tensors_lack_is_known() -> None:
    torch = pytest.importorskip("torch")
    from facula._torch.names import OF_TENSORS

    lacking = {name for name in dir(torch.Tensor) if not name.startswith("_") and not hasattr(facula.Tensor, name)}
    assert lacking == OF_TENSORS
