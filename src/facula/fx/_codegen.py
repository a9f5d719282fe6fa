"""A graph as Python code."""

from __future__ import annotations

import enum
import inspect
import keyword
import re
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args, get_origin

import facula

from ..utils import _pytree
from . import _names
from . import _pytree as _fx_pytree
from ._namespace import ALWAYS_THERE, _Namespace, register_module
from ._texts import Paint, colored, plain, tensor_text
from .node import Node

register_module("fx_pytree", _fx_pytree)
register_module("pytree", _pytree)

_BINARY = {
    "add": "+", "and_": "&", "eq": "==", "floordiv": "//", "ge": ">=", "gt": ">", "le": "<=", "lshift": "<<", "lt": "<",
    "matmul": "@", "mod": "%", "mul": "*", "ne": "!=", "or_": "|", "pow": "**", "rshift": ">>", "sub": "-",
    "truediv": "/", "xor": "^",
}  # fmt: skip
_FORMATS = {
    **{name: f"{{}} {sign} {{}}" for name, sign in _BINARY.items()},
    "getitem": "{}[{}]", "invert": "~{}", "neg": "-{}", "pos": "+{}",
}  # fmt: skip
_CHANGES = {
    "setitem": "{}[{}] = {}",
    **{
        f"i{name.rstrip('_')}": f"{{}} {_BINARY[name]}= {{}}"
        for name in ("add", "and_", "floordiv", "lshift", "mod", "mul", "matmul", "or_", "pow", "rshift", "sub",
                     "truediv", "xor")
    },
}  # fmt: skip


@dataclass
class PythonCode:
    """Code, and what the names in it mean."""

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] | None = field(default=None)
    """The number of the node that each line of the body is about."""
    _prologue_start: int = 0


class Style:
    """What else than the bare code is wanted."""

    def __init__(
        self, verbose: bool = False, include_stride: bool = False, include_device: bool = False, colored_: bool = False,
        expanded_def: bool = False, additional_meta: list[str] | None = None,
    ) -> None:  # fmt: skip
        self.verbose = verbose
        self.stride = include_stride
        self.device = include_device
        self.paint: Paint = colored if colored_ else plain
        self.expanded_def = expanded_def
        self.additional_meta = additional_meta or []


class CodeGen:
    """Writes the code of a graph. Its methods are what one overrides to have other code."""

    def __init__(self) -> None:
        self._body_transformer: Callable[[list[str]], list[str]] | None = None
        self._func_name = "forward"

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False) -> str:
        """The line that begins the function."""
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        if expanded_def:
            names = "".join(f"    {name},\n" for name in free_vars)
            return f"def {self._func_name}(\n{names}){maybe_return_annotation}:"
        return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"

    def generate_output(
        self, output_args: Any, *, descs: Sequence[str] | None = None, repr_fn: Callable[[object], str] | None = None
    ) -> str:
        """The statement that ends it."""
        return f"return {(repr_fn or repr)(output_args)}"

    def process_inputs(self, *args: Any) -> Any:
        """From what the function is called with to the values of the placeholders."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """From the value of the output node to what the function returns."""
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """Names besides those that the nodes need, and what they mean."""
        return []

    def _gen_python_code(
        self, nodes: Iterable[Node], root_module: str, namespace: _Namespace, *, verbose: bool = False,
        include_stride: bool = False, include_device: bool = False, colored: bool = False, expanded_def: bool = False,
        record_func: bool = False, additional_meta: list[str] | None = None,
    ) -> PythonCode:  # fmt: skip
        style = Style(verbose, include_stride, include_device, colored, expanded_def, additional_meta)
        return _Writer(self, list(nodes), root_module, namespace, style).written()


class _Writer:
    """The code of one graph, while it is written."""

    def __init__(self, codegen: CodeGen, nodes: list[Node], root: str, namespace: _Namespace, style: Style) -> None:
        self.codegen = codegen
        self.nodes = nodes
        self.root = root
        self.namespace = namespace
        self.style = style
        self.globals: dict[str, Any] = {}
        self.wrapped: dict[str, None] = {}
        self.parameters: list[str] = []
        self.body: list[str] = []
        self.returns = ""
        self.last_uses = last_uses(nodes)
        self.told = ""

    def written(self) -> PythonCode:
        for name, (_, value) in ALWAYS_THERE.items():
            self.add_global(name, value)
        for name, value in self.codegen.additional_globals():
            self.add_global(name, value)
        lines: dict[int, int | None] = {}
        for number, node in enumerate(self.nodes):
            before = len(self.body)
            if self.style.verbose:
                self.comment(node)
            getattr(self, node.op)(node)
            for _ in range(sum(text.count("\n") for text in self.body[before:])):
                lines[len(lines) + 1] = number
        if not self.body:
            self.body.append("pass\n")
        wraps = "\n".join(f'torch.fx._symbolic_trace.wrap("{name}")' for name in self.wrapped)
        body = self.body
        if self.codegen._body_transformer is not None:
            body = self.codegen._body_transformer(body)
        more = {"expanded_def": True} if self.style.expanded_def else {}
        head = f"{wraps}\n\n{self.codegen.gen_fn_def(self.parameters, self.returns, **more)}"
        code = "\n".join(f"    {line}" for line in "".join(body).split("\n"))
        return PythonCode(f"\n{head}\n{code}", self.globals, lines, head.count("\n") + 2)

    # ---- names

    def add_global(self, hint: str, value: Any) -> str:
        """The name by which the code can speak of a value."""
        if value is not facula.device and hint.startswith("torch.") and _names.resolve(hint) is value:
            return hint
        name = hint.replace(".", "_")
        if self.globals.get(name) is value and name in self.globals:
            return name
        name = self.namespace.create_name(name, value)
        self.globals[name] = value
        return name

    def function(self, target: Any) -> str:
        name = _names.qualified_name(target)
        return self.add_global(name if not name.startswith("torch.Tensor.") else name.replace(".", "_"), target)

    def annotation(self, kind: Any) -> str:
        text, origin = _names.type_name(kind), get_origin(kind)
        if isinstance(kind, types.UnionType):
            return "|".join(map(self.annotation, get_args(kind)))
        if origin is None:
            return self.add_global(text, kind)
        if text.startswith("typing."):
            name = "Union" if origin is typing.Union else text.removeprefix("typing.").split("[")[0]
            of = self.add_global(f"typing.{name}", getattr(typing, name))
        else:
            of = self.add_global(_names.type_name(origin), origin)
        args = ",".join(map(self.annotation, get_args(kind)))
        return f"{of}[{args}]" if args else of

    # ---- values

    def name(self, node: Node) -> str:
        return self.namespace.create_name(node.name, node)

    def value(self, x: Any) -> str:
        """The expression for an argument."""
        if isinstance(x, Node):
            return self.name(x)
        if isinstance(x, tuple):
            items = ", ".join(map(self.value, x))
            if hasattr(x, "_fields"):
                return f"{self.add_global(_names.type_name(type(x)), type(x))}({items})"
            return f"({items},)" if len(x) == 1 else f"({items})"
        if isinstance(x, list):
            return f"[{', '.join(map(self.value, x))}]"
        if isinstance(x, dict):
            return "{" + ", ".join(f"{k!r}: {self.value(v)}" for k, v in x.items()) + "}"
        if isinstance(x, slice):
            return f"slice({self.value(x.start)}, {self.value(x.stop)}, {self.value(x.step)})"
        if isinstance(x, enum.Enum):
            return f"{self.add_global(type(x).__name__, type(x))}.{x.name}"
        if getattr(x, "_qualified_op_name", None):
            return self.function(x)
        if isinstance(x, (bool, int, float)) and self.style.paint is not plain:
            return self.style.paint("blue", repr(x))
        return repr(x)

    def arguments(self, args: Iterable[Any], kwargs: dict[str, Any]) -> str:
        return ", ".join([*map(self.value, args), *(f"{k} = {self.value(v)}" for k, v in kwargs.items())])

    def described(self, node: Node) -> str:
        """What stands between a name and ``=``: a type that was given; in the long form, what is known of a tensor."""
        if self.style.verbose:
            value = node.meta.get("val", node.meta.get("example_value", node.meta.get("tensor_meta")))
            if hasattr(value, "shape") and hasattr(value, "dtype"):
                style = self.style
                return f': "{tensor_text(value, stride=style.stride, device=style.device, paint=style.paint)}"'
            if hasattr(value, "sizes"):  # a number that the program computes
                return f': "Sym({value})"'
        return f" : {self.annotation(node.type)}" if node.type is not None else ""

    # ---- statements

    def emit(self, node: Node, expression: str) -> None:
        self.body.append(f"{self.name(node)}{self.described(node)} = {expression}")
        self.let_go(node)

    def let_go(self, node: Node) -> None:
        """End the line with what is not needed after it."""
        done = [self.name(n) for n in self.last_uses.get(node, ())]
        if not node.users:
            done.append(self.name(node))
        text = self.style.paint("dim", f"{' = '.join(done)} = None") if done else ""
        self.body.append(f";  {text}\n" if done else "\n")

    def placeholder(self, node: Node) -> None:
        default = f" = {self.value(node.args[0])}" if node.args else ""
        self.parameters.append(f"{node.target}{self.described(node)}{default}")
        parameter = node.target.replace("*", "")
        if parameter != self.name(node):
            self.body.append(f"{self.name(node)} = {parameter}\n")

    def get_attr(self, node: Node) -> None:
        self.emit(node, _path(self.root, node.target))

    def call_module(self, node: Node) -> None:
        self.emit(node, f"{_path(self.root, node.target)}({self.arguments(node.args, node.kwargs)})")

    def call_method(self, node: Node) -> None:
        of = _path(self.value(node.args[0]), node.target)
        self.emit(node, f"{of}({self.arguments(node.args[1:], node.kwargs)})")

    def call_function(self, node: Node) -> None:
        target, args = node.target, node.args
        if getattr(target, "__module__", None) == "_operator" and not node.kwargs:
            name = target.__name__
            if name in _FORMATS:
                return self.emit(node, _FORMATS[name].format(*map(self.value, args)))
            if name in _CHANGES:
                changed = self.value(args[0])
                self.body.append(f"{_CHANGES[name].format(*map(self.value, args))};  ")
                return self.emit(node, changed)
        if target is getattr and len(args) == 2 and _is_name(args[1]) and not node.kwargs:
            return self.emit(node, _path(self.value(args[0]), args[1]))
        name = self.function(target)
        if node.meta.get("is_wrapped"):
            self.wrapped[name] = None
        return self.emit(node, f"{name}({self.arguments(args, node.kwargs)})")

    def output(self, node: Node) -> None:
        if node.type is not None:
            self.returns = f" -> {self.annotation(node.type)}"
        generate: Callable[..., str] = self.codegen.generate_output
        more = {"repr_fn": self.value} if "repr_fn" in inspect.signature(generate).parameters else {}
        self.body.append(f"{generate(node.args[0], **more)}\n")

    # ---- comments

    def comment(self, node: Node) -> None:
        """Where the node came from, if the one before it came from elsewhere."""
        if node.op in ("placeholder", "output"):
            return
        text = _line_of(node.stack_trace) if node.stack_trace else "No stacktrace found for following nodes"
        if text and text != self.told:
            self.body.append(("\n" if self.body else "") + self.style.paint("dim", f"# {text}") + "\n")
            self.told = text


def _line_of(trace: str) -> str:
    """The last line of a trace: ``File: model.py:3 in forward, code: return x``."""
    found = re.findall(r'^ *File "(.+)", line (\d+), in (.+)\n    (.+)$', trace, re.MULTILINE)
    if not found:
        return ""
    file, line, name, code = found[-1]
    return f"File: {file}:{line} in {name}, code: {code}"


def last_uses(nodes: list[Node]) -> dict[Node, list[Node]]:
    """By node, whose values are not needed after it."""
    seen: set[Node] = set()
    found: dict[Node, list[Node]] = {}

    for node in reversed(nodes):
        for used in node._input_nodes:
            if used not in seen:
                seen.add(used)
                found.setdefault(node, []).append(used)
    return found


def _is_name(x: Any) -> bool:
    return isinstance(x, str) and x.isidentifier() and not keyword.iskeyword(x)


def _path(base: str, target: str) -> str:
    """An attribute of an attribute of ...; some have names that only ``getattr`` can say."""
    for part in target.split("."):
        base = f"{base}.{part}" if _is_name(part) else f'getattr({base}, "{part}")'
    return base
