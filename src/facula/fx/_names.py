"""The names that PyTorch prints for functions and types, and what such a name means here."""

from __future__ import annotations

import builtins
import operator
import re
import types
from collections.abc import Callable, Iterator
from typing import Any

import facula

from .. import _lazy
from .._tensor import Tensor
from .._tensor.described import Described
from ..ops.machine.primitive import Primitive
from ..ops.machine.public import FUNCTIONS, LINALG

_PLACES = {
    f"torch.{place}{name}": f"torch.{home}.{name}"
    for place, home, names in (
        ("nn.functional.", "_C._nn", """
            avg_pool2d avg_pool3d elu_ gelu hardtanh_ leaky_relu_ linear one_hot scaled_dot_product_attention softplus
            softshrink
        """),
        ("", "functional", """
            atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist
            chain_matmul einsum lu meshgrid norm split stft tensordot unique unique_consecutive unravel_index
        """),
        ("", "_lobpcg", "lobpcg"),
        ("", "random", "get_rng_state initial_seed manual_seed seed set_rng_state"),
        ("", "serialization", "load save"),
    )
    for name in names.split()
} | {
    "torch.nn.functional.logsigmoid": "torch._C._nn.log_sigmoid",
}  # fmt: skip
"""Functions that PyTorch has, and prints, elsewhere than where users find them."""

_OPERATOR_MODULES = ("_operator", "operator")


def qualified_name(function: Callable[..., Any]) -> str:
    """Where PyTorch has a function: ``torch.relu``, ``torch._C._nn.gelu``, ``_operator.add``, ``mine.f``."""
    name = getattr(function, "__name__", None)
    if name is not None and getattr(builtins, name, None) is function:
        return str(name)
    if overload := getattr(function, "_qualified_op_name", None):
        return f"torch.ops.{overload.replace('::', '.')}"
    if (known := of_facula(function)) is not None:
        return known
    if name is None:
        raise AttributeError(f"'{_type_path(type(function))}' object has no attribute '__name__'")
    module = getattr(function, "__module__", None)
    if module is None:
        raise RuntimeError(f"cannot find module for {function}")
    if module.startswith("facula.") and not isinstance(function, type):
        parts = torch_path(module).split(".")
        paths = (".".join([*parts[:n], name]) for n in range(1, len(parts) + 1))
        return next((path for path in paths if resolve(path) is function), f"{torch_path(module)}.{name}")
    if isinstance(function, types.FunctionType) and name == "<lambda>":
        name = "lambda"
    return f"{torch_path(module)}.{name}"


def of_facula(function: Any) -> str | None:
    """PyTorch's name of one of facula's functions; None for any other."""
    module = getattr(function, "__module__", None)
    if module is not None and not module.startswith("facula"):
        return None
    try:
        found = _found.get(function)
    except TypeError:  # not hashable
        return None
    if found is None and not isinstance(function, (type, Primitive)):
        found = next(_homes(function), None)
        if found is not None:
            _found[function] = found = _PLACES.get(found, found)
    return found


_found: dict[Any, str] = {}


def _homes(function: Any) -> Iterator[str]:
    """The public places of a function. It exists, so its family is loaded: only such ones are looked at.

    Where it has several names, the one that it was declared by counts, and then the shortest.
    """
    wanted = [getattr(getattr(function, "record", None), "title", ""), getattr(function, "__name__", "")]
    for place, table in _tables():
        names = [name for name, value in table.items() if value is function]
        if names:
            yield place + next((name for name in wanted if name in names), min(names, key=len))


def _tables() -> Iterator[tuple[str, dict[str, Any]]]:
    yield "torch.", FUNCTIONS
    yield "torch.nn.functional.", vars(facula.nn.functional)
    yield "torch._C._linalg.linalg_", LINALG
    for place in ("special", "fft"):
        module = _lazy.load({"special": "ops.pointwise.special", "fft": "ops.signals.fft"}[place])
        yield f"torch._C._{place}.{place}_", getattr(module, place.upper())
    yield "torch.", {name: value for name, value in vars(facula).items() if not name.startswith("__")}
    own = {**vars(Described), **vars(Tensor)}
    methods = {name: m.value if isinstance(m, _lazy.Promised) else m for name, m in own.items()}
    yield "torch.Tensor.", methods


def method_name(function: Any) -> str | None:
    """The name of a method of Tensor; None for any other function."""
    name = of_facula(function)
    if name is None and getattr(function, "__module__", "") in _MAKERS:
        method = re.sub(r"_(?:tensor|number)(?=_?$)", "", function.__name__)
        return method if hasattr(Tensor, method) else None
    if name is None or not name.startswith("torch.Tensor."):
        return None
    method = name.removeprefix("torch.Tensor.")
    return _OPERATORS.get(method, method)


_MAKERS = ("facula.ops.machine.elementwise", "facula.ops.machine.text", "facula.ops.machine.write", None)
"""Where forms of operators are made; not all of them are attributes of Tensor."""

_OPERATORS = {
    f"__{i}{name}__": {"truediv": "div", "mod": "remainder"}.get(name, name) + "_" * len(i)
    for name in "add sub mul truediv matmul pow mod eq ne lt le gt ge".split()
    for i in ("", "i")
}


def is_python(name: str) -> bool:
    """Whether PyTorch has written a function in Python: such ones hand on their arguments by parameter."""
    return name.startswith(("torch.nn.functional.", "torch.functional.", "torch._lobpcg."))


def torch_path(module: str) -> str:
    """A module's name, as PyTorch calls it."""
    return re.sub(r"^facula(?=\.|$)", "torch", module)


def _type_path(cls: type) -> str:
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{torch_path(cls.__module__)}.{cls.__qualname__}"


def type_name(annotation: Any) -> str:
    """How an annotation is written in the text of a graph."""
    if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
        return _type_path(annotation)
    return re.sub(r"\bfacula\.", "torch.", repr(annotation))


def target_name(target: Any) -> str:
    """How a target is written in the text of a graph."""
    if isinstance(target, str):
        return target
    module, name = getattr(target, "__module__", None), getattr(target, "__name__", "")
    if module in _OPERATOR_MODULES and getattr(operator, name, None) is target:
        return f"operator.{name}"
    if module == "builtins":
        return f"builtins.{name}"
    return qualified_name(target)


def short_name(function: Any) -> str:
    """What nodes that call a function are named after."""
    if getattr(function, "_qualified_op_name", None) is None and (known := of_facula(function)) is not None:
        return known.rpartition(".")[2]
    return str(function.__name__)


def resolve(name: str) -> Any:
    """What a name that begins with ``torch.`` means here; None if nothing."""
    value: Any = facula
    for part in name.split(".")[1:]:
        value = getattr(value, part, None)
        if value is None:
            return None
    return value


class Reference:
    """One of facula's functions, while it is pickled: by its public name, wherever it is written."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __reduce__(self) -> Any:
        return resolve, (self.name,)

    @staticmethod
    def to(target: Any) -> Any:
        """The reference that is pickled for a target; others are pickled as they are."""
        name = None if isinstance(target, str) else of_facula(target)
        return target if name is None else Reference(name)
