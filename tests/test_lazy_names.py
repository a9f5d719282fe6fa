"""Operators are loaded when first asked for, and nobody can tell."""

from __future__ import annotations

import inspect
import os
import pickle
import re
import subprocess
import sys
from typing import Any

import pytest

import facula
from facula import _lazy, _lazy_names
from facula.ops.machine.namespaces import ARRAYS, TENSORS
from facula.ops.machine.public import FUNCTIONS

from .lazy_names import FILE

TensorClass: Any = facula.Tensor


def in_new_process(*arguments: str) -> str:
    done = subprocess.run([sys.executable, "-W", "error", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def names(table: dict[str, str]) -> list[str]:
    return [name for listed in table.values() for name in listed.split()]


def test_the_table_is_what_the_modules_provide() -> None:
    current = in_new_process("-m", "tests.lazy_names", "--print")
    assert current == FILE.read_text(), "python -m tests.lazy_names brings the table up to date"


def test_no_name_has_two_providers() -> None:
    for table in (_lazy_names.FUNCTIONS, _lazy_names.METHODS, _lazy_names.PRIMITIVES):
        assert len(names(table)) == len(set(names(table)))


def test_importing_facula_loads_no_family() -> None:
    loaded = in_new_process("-c", "import sys, facula; print(*sys.modules)").split()
    assert [name for name in loaded if re.match(r"facula\.ops\.(?!machine|arrays)", name)] == []
    assert not {f"facula.{module}" for module in (*_lazy_names.FUNCTIONS, *_lazy_names.METHODS)} & set(loaded)


def test_functions_come_from_their_modules() -> None:
    for name in names(_lazy_names.FUNCTIONS):
        assert getattr(facula, name) is FUNCTIONS[name]
        assert getattr(facula, name) is vars(facula)[name]


def test_methods_are_in_place_once_asked_for() -> None:
    for name in names(_lazy_names.METHODS):
        assert getattr(facula.Tensor, name) is not None
        assert not isinstance(vars(facula.Tensor)[name], _lazy.Promised), name


def test_rules_find_every_primitive() -> None:
    for name in names(_lazy_names.PRIMITIVES):
        assert getattr(ARRAYS, name) is not None and getattr(TENSORS, name) is not None


def test_names_are_listed_before_they_are_loaded() -> None:
    program = """
import facula
assert set(facula.__all__) <= set(dir(facula)) and {"sort", "einsum", "nn", "save"} <= set(dir(facula))
assert {"sort", "cumsum_", "__matmul__", "T"} <= set(dir(facula.Tensor))
assert hasattr(facula, "__path__") and not hasattr(facula, "no_such_name")
"""
    in_new_process("-c", program)
    public = {name for name in _lazy.FUNCTIONS if not name.startswith("_")}
    assert public <= set(facula.__all__) <= set(dir(facula))
    assert set(names(_lazy_names.METHODS)) <= set(dir(facula.Tensor)) & set(dir(facula.ones(1)))


def test_the_errors_for_unknown_names() -> None:
    with pytest.raises(AttributeError, match=r"^'Tensor' object has no attribute 'no_such_name'$"):
        facula.ones(1).no_such_name  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"^type object 'Tensor' has no attribute 'no_such_name'$"):
        TensorClass.no_such_name
    with pytest.raises(AttributeError, match=r"^module 'facula' has no attribute 'no_such_name'$"):
        facula.no_such_name  # type: ignore[attr-defined]
    with pytest.raises(KeyError, match="no_such_name"):
        FUNCTIONS["no_such_name"]


FIRST_USES = [
    "(x * 2).tolist() == [6.0, 2.0, 4.0]",
    "(2 - x).tolist() == [-1.0, 1.0, 0.0]",
    "(x == x).tolist() == [True, True, True]",
    "float(x[0]) == 3.0 and bool(x[0])",
    "x[1:].tolist() == [1.0, 2.0]",
    "x.sort().values.tolist() == [1.0, 2.0, 3.0]",
    "torch.Tensor.sort(x)[1].tolist() == [1, 2, 0]",
    "x.reshape(1, 3).T.shape == (3, 1)",
    "torch.sort(x)[0].tolist() == [1.0, 2.0, 3.0]",
    "torch.FloatTensor([1.0]).dtype is torch.float32",
    "2.0 in x and 5.0 not in x",
    "__import__('numpy').asarray(x).tolist() == [3.0, 1.0, 2.0]",
    "__import__('copy').deepcopy(x).tolist() == [3.0, 1.0, 2.0]",
    "len(__import__('pickle').dumps(x)) > 0",
    "super(torch.nn.Parameter, torch.nn.Parameter(x)).sum().item() == 6.0",
    "[float(v) for v in x] == [3.0, 1.0, 2.0]",
    "exec('from facula import *') is None",
]


def failures(statements: list[str]) -> str:
    """Those that fail if each of them is the first that a process runs."""
    program = """
import os, sys, traceback
import numpy, facula as torch
for statement in sys.argv[1:]:
    child = os.fork()
    if not child:
        try:
            x = torch.Tensor._wrap(numpy.array([3.0, 1.0, 2.0], "float32"))
            exec(statement)
            os._exit(0)
        except BaseException:
            traceback.print_exc(file=sys.stdout)
        finally:
            os._exit(1)
    if os.waitpid(child, 0)[1]:
        print(statement)
"""
    return in_new_process("-u", "-c", program, *statements)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_first_uses() -> None:
    assert failures([f"assert {use}" for use in FIRST_USES]) == ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_every_module_can_be_the_first() -> None:
    modules = {*_lazy_names.FUNCTIONS, *_lazy_names.METHODS, *_lazy_names.PRIMITIVES}
    assert failures([f"import facula.{module}" for module in sorted(modules)]) == ""


def test_a_property_is_set_at_first_use() -> None:
    program = """
import facula as torch
x = torch.tensor([1 + 2j])
x.real = 5.0
assert x.tolist() == [5 + 2j] and "real" not in vars(x)
"""
    in_new_process("-c", program)


def test_subclasses_do_not_load_everything_and_see_properties() -> None:
    program = """
import sys, facula as torch
seen = []
class Sub(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        seen.append(func)
        return super().__torch_function__(func, types, args, kwargs)
assert "facula.ops.reductions.sorting" not in sys.modules
x = torch.ones(2, 3).as_subclass(Sub)
assert x.T.shape == (3, 2) and type(x.sort()[0]) is Sub
assert torch.Tensor.T.__get__ in seen and torch.Tensor.sort in seen
"""
    in_new_process("-c", program)


def test_what_was_patched_stays_patched() -> None:
    program = """
import facula as torch
torch.Tensor.sort = lambda self: "mine"
x = torch.ones(2)
x.topk(1)
assert x.sort() == "mine"
"""
    in_new_process("-c", program)


def test_threads_never_meet_half_a_family() -> None:
    program = """
import sys, threading, numpy
import facula as torch
sys.setswitchinterval(1e-6)
n = 8
start = threading.Barrier(n)
found = []
def work():
    x = torch.Tensor._wrap(numpy.ones(3)).requires_grad_()
    start.wait()
    y = (x * x).cumsum(0).sort(descending=True).values.prod()
    y.backward()
    found.append(x.grad.tolist())
threads = [threading.Thread(target=work) for _ in range(n)]
for t in threads: t.start()
for t in threads: t.join()
assert found == [found[0]] * n and found[0] == [22.0, 10.0, 4.0], found
"""
    for _ in range(3):
        in_new_process("-c", program)


def test_functions_keep_what_describes_them() -> None:
    for called in (facula.sum, TensorClass.sum):
        assert called.__name__ == "sum" and called.__doc__ and called.__module__.startswith("facula")
        assert "dim" in inspect.signature(called).parameters
    assert pickle.loads(pickle.dumps(facula.sum)) is facula.sum
    assert pickle.loads(pickle.dumps(facula.ones(2))).tolist() == [1.0, 1.0]


def test_gradcheck_is_a_function_and_a_module() -> None:
    program = """
import sys, facula as torch
assert "facula.autograd.checks.finite_differences" not in sys.modules
from facula.autograd.gradcheck import GradcheckError
x = torch.ones(2, dtype=torch.float64, requires_grad=True)
assert torch.autograd.gradcheck(lambda x: x * x, (x,)) and issubclass(GradcheckError, RuntimeError)
"""
    in_new_process("-c", program)
