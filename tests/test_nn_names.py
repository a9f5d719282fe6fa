"""``facula.nn`` and ``nn.functional`` load layers and operators when first asked for, and nobody can tell."""

from __future__ import annotations

import inspect
import re
import types

import pytest

import facula as torch
import facula.nn as nn
import facula.nn.functional as F

from .test_lazy_names import in_new_process


def test_importing_loads_no_family() -> None:
    program = "import sys, facula.nn, facula.nn.functional; print(*sys.modules)"
    loaded = in_new_process("-c", program).split()
    assert [name for name in loaded if re.match(r"facula\.ops\.(?!machine|arrays)", name)] == []
    assert not {"facula.nn.modules.conv", "facula.nn.modules.loss", "facula.nn.init", "facula.nn.utils"} & set(loaded)


def test_every_name_resolves_and_is_listed() -> None:
    for module in (nn, F, nn.modules, nn.utils):
        assert set(module.__all__) <= set(dir(module))
        assert [name for name in module.__all__ if getattr(module, name, None) is None] == []


def test_layers_are_at_both_places() -> None:
    for name in nn.modules.__all__:
        assert getattr(nn, name) is getattr(nn.modules, name)
        assert getattr(nn, name).__module__.startswith("facula.nn.")


@pytest.mark.parametrize("statement", [
    "from facula.nn import *; assert Linear(1, 1) and functional.relu",
    "from facula.nn.functional import *; assert relu and conv2d and pad",
    "from facula.nn.functional import relu, interpolate, mse_loss",
    "from facula.nn.modules.utils import _pair; from facula.nn.modules.conv import Conv2d, _ConvNd",
    "import facula.nn.utils.spectral_norm; assert facula.nn.utils.spectral_norm(facula.nn.Linear(2, 2))",
    "import facula, facula.nn.modules.batchnorm as b; assert b._BatchNorm is facula.nn.BatchNorm1d.__mro__[1]",
    "from facula.nn import modules, Transformer; assert modules.transformer.Transformer is Transformer",
])  # fmt: skip
def test_first_imports(statement: str) -> None:
    in_new_process("-c", statement)


def test_functions_can_be_inspected() -> None:
    assert list(inspect.signature(F.cross_entropy).parameters)[:2] == ["input", "target"]
    assert inspect.signature(F.conv2d).parameters and isinstance(F.relu, types.FunctionType)
    assert not hasattr(F, "no_such_function") and not hasattr(nn, "NoSuchLayer")
    with pytest.raises(AttributeError, match=r"^module 'facula\.nn\.functional' has no attribute 'no_such_function'$"):
        _ = F.no_such_function  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["Conv2d", "ConvTranspose1d", "MaxUnpool2d", "ReflectionPad2d", "AvgPool3d"])
def test_missing_arguments_are_those_of_the_layer(name: str) -> None:
    with pytest.raises(TypeError, match=rf"^{name}.__init__\(\) missing"):
        getattr(nn, name)()


def test_names_of_types() -> None:
    assert torch.typename(nn.functional.relu) == "torch.nn.functional.relu"
    assert torch.typename(torch.sin) == "torch.sin" and torch.typename(len) == "len"
    assert torch.typename(nn.Linear(1, 1)).endswith("nn.modules.linear.Linear")
    with pytest.raises(TypeError, match=r"^torch\.nn\.functional\.relu is not a Module subclass"):
        nn.Sequential(nn.functional.relu)


def test_a_number_is_no_row_for_a_linear_layer() -> None:
    with pytest.raises(RuntimeError, match=r"^both arguments to linear need to be at least 1D, but they are 0D and 2D"):
        nn.Linear(3, 2)(torch.ones(()))


@pytest.mark.parametrize("times", [1, 2])
def test_warnings_are_at_the_users_line(times: int) -> None:
    """Also in the first call of a function, which is compiled then."""
    program = (
        "import facula as torch, warnings\n"
        "x, grid = torch.ones(1, 1, 2, 2), torch.zeros(1, 2, 2, 2)\n"
        "with warnings.catch_warnings(record=True) as told:\n"
        "    warnings.simplefilter('always')\n"
        f"    for _ in range({times}): torch.nn.functional.grid_sample(x, grid)\n"
        "print(*[(w.filename, w.lineno) for w in told])"
    )
    assert in_new_process("-c", program).strip() == " ".join(["('<string>', 5)"] * times)
