"""A module that runs a graph: its ``forward`` is the code of the graph."""

from __future__ import annotations

import copy
import itertools
import linecache
import os
import textwrap
from pathlib import Path
from typing import Any

import facula

from ..nn import Module, Parameter
from . import _names
from ._arguments import PyTreeCodeGen
from ._codegen import PythonCode
from ._namespace import ALWAYS_THERE
from .graph import Graph

__all__ = ["GraphModule"]

_MISSING: Any = object()

_key = itertools.count()


def _compiled(code: PythonCode, where: str) -> Any:
    """The function that the code defines. Python finds its lines when it prints a traceback."""
    filename = f"<eval_with_key>.{next(_key)}{where}"
    lines = [f"{line}\n" for line in code.src.split("\n")]
    linecache.cache[filename] = (len(code.src), None, lines, filename)
    names = dict(code.globals)
    exec(compile(code.src, filename, "exec"), names)
    return names["forward"]


# ---- attributes at paths


def _get_attr(module: Any, path: str) -> Any:
    for part in path.split("."):
        if not hasattr(module, part):
            return _MISSING
        module = getattr(module, part)
    return module


def is_missing(value: Any) -> bool:
    return value is _MISSING


def _assign_attr(value: Any, module: Module, path: str) -> None:
    """Put a value at a path, with plain modules on the way. A plain tensor becomes a buffer."""
    *prefix, name = path.split(".")
    for part in prefix:
        inner = getattr(module, part, None)
        if inner is None:
            inner = Module()
            setattr(module, part, inner)
        module = inner
    if isinstance(value, facula.Tensor) and not isinstance(value, Parameter):
        module.register_buffer(name, value)
    else:
        setattr(module, name, value)


def _copy_attr(source: Module, to: Module, path: str) -> None:
    """Give a module what another one has at a path, and plain modules for those on the way."""
    *prefix, name = path.split(".")
    for part in prefix:
        inner = getattr(source, part)
        known = getattr(to, part, None)
        if inner is known:
            return
        if known is None:
            known = Module()
            setattr(to, part, known)
        source, to = inner, known
    value = getattr(source, name)
    if isinstance(value, facula.Tensor) and not isinstance(value, Parameter):
        to.register_buffer(name, value)
    else:
        setattr(to, name, value)


class GraphModule(Module):
    """A module made of a graph. ``root`` provides what the graph calls and reads: a module, or a dict by path.

    When the graph was changed, ``recompile()`` makes the code anew. Each object has a class of its own, whose
    ``forward`` is that code.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> GraphModule:
        for base in cls.__mro__:
            if not vars(base).get("_is_made_for_one"):
                made = type(cls.__name__, (base,), {"_is_made_for_one": True, "__module__": cls.__module__})
                return super().__new__(made)
        raise AssertionError

    def __init__(self, root: Module | dict[str, Any], graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        type(self).__name__ = class_name
        if isinstance(root, Module):
            if hasattr(root, "training"):
                self.training = root.training
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module"):
                    _copy_attr(root, self, node.target)
        elif isinstance(root, dict):
            wanted = [node for node in graph.nodes if node.op in ("get_attr", "call_module")]
            for node in wanted:
                if node.target not in root:
                    raise RuntimeError(
                        f"Node {node} referenced target {node.target} but that target was not provided in ``root``!"
                    )
            for target in sorted(dict.fromkeys(node.target for node in wanted), key=lambda t: t.count(".")):
                _assign_attr(root[target], self, target)
        else:
            raise RuntimeError(f"Unsupported type {root} passed for root!")
        self.graph = graph
        self.meta: dict[str, Any] = {}
        self._tracer_cls = graph._tracer_cls
        self._tracer_extras = graph._tracer_extras or {}

    @property
    def graph(self) -> Graph:
        """The graph. Setting it makes the code anew; changing it does not, see ``recompile``."""
        graph: Graph = self._graph
        return graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self._graph = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The code that runs."""
        if "_code" not in vars(self):
            raise RuntimeError("Code has not been generated! Please report a bug to PyTorch")
        code: str = self._code
        return code

    def recompile(self) -> PythonCode:
        """Make the code anew from the graph."""
        codegen = self._graph._codegen
        if isinstance(codegen, PyTreeCodeGen):
            self._in_spec, self._out_spec = codegen.in_spec, codegen.out_spec
        code = self._graph.python_code("self")
        self._code = code.src
        self._lineno_map = code._lineno_map
        self._prologue_start = code._prologue_start
        where = self._graph._traced_from
        type(self).forward = _compiled(code, f" from {where}" if where else "")
        return code

    # ---- modules in it

    def add_submodule(self, target: str, m: Module) -> bool:
        """Add a module at a path, with plain modules on the way; False if something else is in the way."""
        *prefix, name = target.split(".")
        module: Module = self
        for part in prefix:
            inner = getattr(module, part, None)
            if inner is None:
                inner = Module()
                setattr(module, part, inner)
            if not isinstance(inner, Module):
                return False
            module = inner
        module.add_module(name, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Take out the module at a path; False if there is none."""
        *prefix, name = target.split(".")
        module: Any = self
        for part in prefix:
            module = getattr(module, part, None)
            if not isinstance(module, Module):
                return False
        if not isinstance(getattr(module, name, None), Module):
            return False
        delattr(module, name)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Take out all modules that the graph neither calls nor reads, and that hold none of those."""
        used: set[str] = set()
        for node in self.graph.nodes:
            if node.op in ("call_module", "get_attr"):
                parts = node.target.split(".")
                used.update(".".join(parts[:n]) for n in range(1, len(parts) + 1))
                if node.op == "call_module":
                    inner = _get_attr(self, node.target)
                    if isinstance(inner, Module):
                        used.update(f"{node.target}.{name}" for name, _ in inner.named_modules() if name)
        for name in [name for name, _ in self.named_modules() if name and name not in used]:
            self.delete_submodule(name)

    # ---- copying

    def __reduce__(self) -> Any:
        own = vars(self).copy()
        graph = own.pop("_graph")
        own.pop("_compiled_call_impl", None)
        base = next(c for c in type(self).__mro__ if not vars(c).get("_is_made_for_one"))
        return _rebuilt, (base, own, graph, type(self).__name__)

    def __deepcopy__(self, memo: dict[int, Any]) -> GraphModule:
        made = memo[id(self)] = GraphModule.__new__(GraphModule)  # before its parts, which may lead back to it
        own = {name: value for name, value in vars(self).items() if name in _COPIED}
        graph = copy.deepcopy(self._graph, memo)
        return _filled(made, copy.deepcopy(own, memo), graph, type(self).__name__)

    def __copy__(self) -> GraphModule:
        made = GraphModule(self, self.graph, type(self).__name__)
        made.meta = self.meta
        return made

    def _replicate_for_data_parallel(self) -> GraphModule:
        made = self.__copy__()
        vars(made)["_is_replica"] = True
        return made

    # ---- text

    def __str__(self) -> str:
        more = "# To see more debug info, please use `graph_module.print_readable()`"
        return f"{super().__str__()}\n{self._code}\n{more}"

    def print_readable(
        self, print_output: bool = True, include_stride: bool = False, include_device: bool = False,
        colored: bool = False, *, fast_sympy_print: bool = False, expanded_def: bool = False,
        additional_meta: list[str] | None = None,
    ) -> str:  # fmt: skip
        """The code with what is known of its values, of the graphs inside it, too."""
        style = {
            "include_stride": include_stride, "include_device": include_device, "colored": colored,
            "expanded_def": expanded_def, "additional_meta": additional_meta,
        }  # fmt: skip
        text = _readable(self, type(self).__name__, style)
        if print_output:
            print(text)
        return text

    # ---- files

    def to_folder(self, folder: str | os.PathLike[str], module_name: str = "FxModule") -> None:
        """Write a package that has this module as a class, and its state."""
        place = Path(folder)
        place.mkdir(exist_ok=True)
        facula.save(self.state_dict(), place / "state_dict.pt")
        lines = []
        for name, module in self._modules.items():
            lines.append(f"setattr(self, '{name}', {_construction(module, place, name)})")
        for name, buffer in self._buffers.items():
            if buffer is not None:
                shape, dtype = list(buffer.shape), buffer.dtype
                lines.append(f"self.register_buffer('{name}', torch.empty({shape}, dtype={dtype}))")
        for name, parameter in self._parameters.items():
            if parameter is not None:
                shape, dtype = list(parameter.shape), parameter.dtype
                lines.append(f"setattr(self, '{name}', torch.nn.Parameter(torch.empty({shape}, dtype={dtype})))")
        state = f"{folder}/state_dict.pt"
        lines.append(f"self.load_state_dict(torch.load(r'{state}'))")
        code = self._graph.python_code("self")
        (place / "module.py").write_text(
            f"import torch\n{_imports(code.globals)}\n\nfrom torch.nn import *\nclass {module_name}(torch.nn.Module):\n"
            f"    def __init__(self):\n        super().__init__()\n{textwrap.indent(chr(10).join(lines), ' ' * 8)}\n"
            f"{textwrap.indent(code.src, '    ')}\n"
        )
        (place / "__init__.py").write_text("from .module import *")


_COPIED = (
    "training", "_parameters", "_buffers", "_non_persistent_buffers_set", "_modules", "meta", "_tracer_cls",
    "_tracer_extras",
)  # fmt: skip
"""What a deep copy takes over. Hooks and what users have set are not."""


def _rebuilt(cls: type[GraphModule], own: dict[str, Any], graph: Graph, name: str) -> GraphModule:
    """A module of its parts."""
    return _filled(GraphModule.__new__(cls), own, graph, name)


def _filled(made: GraphModule, own: dict[str, Any], graph: Graph, name: str) -> GraphModule:
    Module.__init__(made)
    type(made).__name__ = name
    vars(made).update(own)
    made.graph = graph
    return made


def _readable(module: Any, name: str, style: dict[str, Any]) -> str:
    code = module._graph.python_code("self", verbose=True, **style).src.lstrip("\n")
    code = code.replace("\n    \n", "\n\n").rstrip(" ")
    parts = [f"class {name}(torch.nn.Module):\n{textwrap.indent(code, '    ')}"]
    for path, inner in module.named_children():
        if hasattr(inner, "graph") and isinstance(inner, GraphModule):
            parts.append(textwrap.indent(_readable(inner, path, style), "    "))
    return "\n".join(parts)


def _construction(module: Any, folder: Path, name: str) -> str:
    """An expression that makes a module: its text, if that is one, and a file with it otherwise."""
    if _names.torch_path(type(module).__module__).startswith("torch.nn") and not module._modules:
        return str(module).replace("\n", "")
    facula.save(module, folder / f"{name}.pt")
    return f"torch.load(r'{folder / f'{name}.pt'}', weights_only=False)"


def _imports(names: dict[str, Any]) -> str:
    """The statements that give names their meanings."""
    lines = []
    for name, value in names.items():
        if name in ALWAYS_THERE:
            lines.append(ALWAYS_THERE[name][0])
            continue
        full = _names.target_name(value) if callable(value) else repr(value)
        module, _, attribute = full.rpartition(".")
        if module:
            lines.append(f"from {module} import {attribute}" + (f" as {name}" if attribute != name else ""))
        elif not callable(value):
            lines.append(f"{name} = {value!r}")
    return "\n".join(lines)
