"""``export``: from a module and example arguments to a program."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .._compile.errors import ConstraintViolationError, UserError
from .._core.generator import default_generator
from .._core.pytree import kind_of, tree_flatten, tree_unflatten
from .._tensor import Tensor
from ..fx._aten import aten
from ..fx.graph import Graph
from ..fx.graph_module import GraphModule
from ..nn.modules.module import Module, register_module_forward_hook, register_module_forward_pre_hook
from . import _symbols
from ._capture import Exported, Recorder, Value
from ._symbols import Number, Sizes, Specialized, Symbol, Unified, Unknown
from .dynamic_shapes import Dim, _DimHint, _DimHintType, by_leaf, combined, int_oo
from .exported_program import VR, ExportedProgram, ModuleCallEntry, ModuleCallSignature
from .graph_signature import (
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    SymBoolArgument,
    SymFloatArgument,
    SymIntArgument,
    TensorArgument,
)


class Leaf:
    """A leaf of the example arguments."""

    def __init__(self, name: str, path: str, value: Any, wanted: Any) -> None:
        self.name = name
        self.path = path
        self.value = value
        self.wanted = wanted


class Wanted:
    """Which sizes are symbols, and how much the user insists on it."""

    def __init__(self, leaves: list[Leaf]) -> None:
        self.leaves = leaves
        self.symbols: list[Symbol] = []
        self.places: dict[tuple[int, int], tuple[Symbol, int, int]] = {}
        """(leaf, dimension): the symbol, times a factor, plus an offset. Dimension -1: the leaf is a number."""
        self.named: dict[Symbol, str] = {}
        """What users call those that must be symbols."""
        self.hinted: set[Symbol] = set()
        """Those that are to be symbols by ``Dim.DYNAMIC``."""
        self._roots: dict[str, Symbol] = {}
        for i, leaf in enumerate(leaves):
            if isinstance(leaf.value, Tensor):
                for d, dim in (leaf.wanted or {}).items():
                    self._add(i, d, dim, leaf.value.shape[d], f"L{leaf.path}.size()[{d}]")
            elif type(leaf.value) in (int, float) and leaf.wanted is not None:
                self._add(i, -1, leaf.wanted, leaf.value, f"L{leaf.path}")

    def _add(self, leaf: int, d: int, dim: Any, size: int, source: str) -> None:
        if isinstance(dim, int):
            if dim != size:
                raise _violation(f"Static shape constraint of {dim} does not match input size of {size}, for {source}")
            return
        if dim is None or (isinstance(dim, _DimHint) and dim.type is _DimHintType.STATIC):
            return
        if isinstance(dim, _DimHint):
            self._add_hint(leaf, d, dim, size, source)
        else:
            self._add_dim(leaf, d, dim, size, source)

    def _add_hint(self, leaf: int, d: int, dim: _DimHint, size: int, source: str) -> None:
        if size in (0, 1) and d >= 0:
            where = f"inputs{self.leaves[leaf].path}.shape[{d}]"
            if dim.type is _DimHintType.DYNAMIC:
                raise ValueError(
                    "Found the following conflicts between user-specified ranges and inferred ranges from model "
                    "tracing:\n"
                    f"- Received user-specified dim hint Dim.DYNAMIC(min={dim.min}, max={dim.max}), but export 0/1 "
                    f"specialized due to hint of {size} for dimension {where}."
                )
            return
        lower = 2 if d >= 0 else 0
        symbol = self._symbol(source, size, max(lower, dim.min or lower), dim.max)
        self.places[leaf, d] = (symbol, 1, 0)
        if dim.type is _DimHintType.DYNAMIC:
            self.named[symbol] = source
            self.hinted.add(symbol)

    def _add_dim(self, leaf: int, d: int, dim: Dim, size: int, source: str) -> None:
        if size in (0, 1) and dim.root.__name__ not in self._roots:
            raise UserError(_specialized(dim.root.__name__, size, True))
        if not dim.min <= size <= dim.max:
            raise _violation(f"{size} not in range [{dim.min}, {dim.max}]")
        value, rest = divmod(size - dim.offset, dim.factor)
        if rest:
            raise _violation(f"{size} is not {dim.__name__} for any {dim.root.__name__}, for {source}")
        symbol = self._roots.get(dim.root.__name__)
        if symbol is None:
            upper = None if dim.root.max is int_oo else dim.root.max
            symbol = self._symbol(source, value, dim.root.min, upper)
            self._roots[dim.root.__name__] = symbol
            self.named[symbol] = dim.root.__name__
        elif symbol.hint != value:
            raise UserError(
                f"Constraints violated ({dim.__name__})! For more information, run with TORCH_LOGS=\"+dynamic\".\n  "
                "- The "
                f"sizes of {dim.__name__} in the example are {symbol.hint} and {value}; they must always be equal."
            )
        else:
            symbol.name = _symbols.symbol_name(source, {s.name for s in self.symbols})
        self.places[leaf, d] = (symbol, dim.factor, dim.offset)

    def _symbol(self, source: str, hint: int, lower: int, upper: int | None) -> Symbol:
        name = _symbols.symbol_name(source, {symbol.name for symbol in self.symbols})
        symbol = Symbol(name, hint, lower, upper)
        symbol.source = source
        self.symbols.append(symbol)
        return symbol

    # ---- what was found out

    def specialize(self, symbol: Symbol) -> None:
        """A symbol is one number after all."""
        if symbol in self.named:
            name = self.named[symbol]
            raise UserError(_specialized(name, symbol.hint, symbol not in self.hinted))
        self.symbols.remove(symbol)
        self.places = {at: place for at, place in self.places.items() if place[0] is not symbol}

    def unify(self, kept: Symbol, dropped: Symbol) -> None:
        """Two symbols are one."""
        names = [self.named[s] for s in (dropped, kept) if s in self.named and s not in self.hinted]
        if len(names) == 2:
            raise UserError(
                f"Constraints violated ({', '.join(sorted(names))})! For more information, run with "
                f"TORCH_LOGS=\"+dynamic\".\n  - The values of {names[1]} = {kept.source} and {names[0]} = "
                f"{dropped.source} "
                f"must always be equal.\nSuggested fixes:\n  {names[1]} = {names[0]}"
            )
        if dropped in self.named and dropped not in self.hinted:
            kept, dropped = dropped, kept
        kept.lower = max(kept.lower, dropped.lower)
        uppers = [u for u in (kept.upper, dropped.upper) if u is not None]
        kept.upper = min(uppers) if uppers else None
        if dropped in self.named and kept not in self.named:
            self.named[kept] = self.named[dropped]
            self.hinted.add(kept)
        self.symbols.remove(dropped)
        self.places = {at: (kept if symbol is dropped else symbol, factor, offset)
                       for at, (symbol, factor, offset) in self.places.items()}  # fmt: skip

    def check_ranges(self, sizes: Sizes) -> None:
        """What users said of named sizes must be enough."""
        for symbol, (lower, upper) in sizes.ranges.items():
            name = self.named.get(symbol)
            if name is None or symbol in self.hinted or (lower == symbol.lower and upper == symbol.upper):
                continue
            bounds = "".join([f", min={lower}" if lower > 0 else "", "" if upper is None else f", max={upper}"])
            told = [] if symbol.lower <= 2 else [f"{symbol.lower} <= {name}"]
            told += [] if symbol.upper is None else [f"{name} <= {symbol.upper}"]
            ranges = " and ".join([f"{lower} <= {symbol.source}", *(
                [] if upper is None else [f"{symbol.source} <= {upper}"])])  # fmt: skip
            where = " ".join(["in the specified range", *told])
            raise UserError(
                f'Constraints violated ({name})! For more information, run with TORCH_LOGS="+dynamic".\n'
                f"  - Not all values of {name} = {symbol.source} {where} satisfy the generated guard {ranges}\n"
                f"Suggested fixes:\n  {name} = Dim('{name}'{bounds})"
            )
        for symbol, (point, error) in sizes.refusals.items():
            name = self.named.get(symbol)
            if name is not None and symbol not in self.hinted:
                raise UserError(
                    f'Constraints violated ({name})! For more information, run with TORCH_LOGS="+dynamic".\n'
                    f"  - Not all values of {name} = {symbol.source} in the specified range satisfy the generated "
                    "guard: it "
                    f"cannot be {sizes.points[point][symbol]}, {error}"
                )
        for op, a, b in sizes.guards:
            for symbol in _symbols_in((op, a, b)):
                if symbol in self.named and symbol not in self.hinted:
                    name = self.named[symbol]
                    shown = [_symbols.text(x, lambda s: s.source) for x in (a, b)]
                    raise UserError(
                        f'Constraints violated ({name})! For more information, run with TORCH_LOGS="+dynamic".\n'
                        f"  - Not all values of {name} = {symbol.source} in the specified range satisfy the "
                        "generated guard "
                        f"({shown[0]}) {_SIGNS[op]} {shown[1]}."
                    )


_SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _symbols_in(tree: Any) -> Iterator[Symbol]:
    if isinstance(tree, Symbol):
        yield tree
    elif isinstance(tree, tuple):
        for part in tree[1:]:
            yield from _symbols_in(part)


def _violation(text: str) -> Exception:
    error = ConstraintViolationError.__new__(ConstraintViolationError)
    Exception.__init__(error, text)
    return error


def _specialized(name: str, size: int, suggests: bool) -> str:
    text = (
        f'Constraints violated ({name})! For more information, run with TORCH_LOGS="+dynamic".\n'
        f"  - You marked {name} as dynamic but your code specialized it to be a constant ({size}). If you're using "
        "mark_dynamic, either remove it or use maybe_mark_dynamic. If you're using Dim.DYNAMIC, replace it with either "
        "Dim.STATIC or Dim.AUTO."
    )
    return f"{text}\nSuggested fixes:\n  {name} = {size}" if suggests else text


# ---- arguments


def _leaves(named: dict[str, Any], shapes: Any) -> list[Leaf]:
    wanted = by_leaf(named, shapes)
    found: list[Leaf] = []

    def visit(name: str, path: str, value: Any) -> None:
        kind = kind_of(value)
        if kind is None:
            found.append(Leaf(name, path, value, wanted[len(found)]))
            return
        children, _ = kind.flatten(value)
        keys = list(value) if isinstance(value, dict) else range(len(children))
        for key, child in zip(keys, children):
            visit(f"{name}_{key}", f"{path}[{key!r}]", child)

    for name, value in named.items():
        visit(name, f"['{name}']", value)
    return found


def export_module(mod: Any, args: Any, kwargs: Any, shapes: Any) -> ExportedProgram:
    """The program of a module."""
    if not isinstance(args, tuple):
        raise UserError(f"Expecting `args` to be a tuple of example positional inputs, got {type(args)}")
    kwargs = dict(kwargs or {})
    named = combined(mod, args, kwargs)
    parameters = list(inspect.signature(mod.forward).parameters)
    kwargs = dict(sorted(kwargs.items(), key=lambda item: parameters.index(item[0]) if item[0] in parameters else 999))
    if hasattr(shapes, "dynamic_shapes"):
        shapes = shapes.dynamic_shapes(mod, args, kwargs)
    leaves = _leaves(named, shapes)
    wanted = Wanted(leaves)
    tried: set[Any] = set()
    while True:
        try:
            return _Trace(mod, args, kwargs, leaves, wanted, list(named)).program()
        except Specialized as found:
            wanted.specialize(found.symbol)
        except Unified as found:
            pair = (found.kept, found.dropped)
            if pair in tried:
                wanted.specialize(found.dropped)
            else:
                tried.add(pair)
                wanted.unify(*pair)


class _Trace:
    """One run of a module that is written down."""

    def __init__(
        self, mod: Any, args: Any, kwargs: Any, leaves: list[Leaf], wanted: Wanted, names: list[str]
    ) -> None:
        self.mod = mod
        self.args, self.kwargs = args, kwargs
        self.leaves = leaves
        self.wanted = wanted
        self.names = names
        self.sizes = Sizes(list(wanted.symbols))
        self.graph = Graph()
        self.recorder = Recorder(mod, self.graph, self.sizes)
        self.inputs: list[InputSpec] = []

    def program(self) -> ExportedProgram:
        state = {
            **dict(self.mod.named_parameters(remove_duplicate=False)),
            **dict(self.mod.named_buffers(remove_duplicate=False)),
        }
        self._place_state(state)
        before = len(self.graph.nodes)
        flat, plan = tree_flatten((self.args, self.kwargs))
        given = tree_unflatten([self._given(i, leaf) for i, leaf in enumerate(self.leaves)], plan)
        placed = list(self.graph.nodes)
        self.recorder.first_input = placed[before] if len(placed) > before else None
        with _as_before([*state.values(), *flat], self.mod) as written, self._watched(), self.recorder:
            result = self.mod(*given[0], **given[1])
        for name, value in written.items():
            self._assigned(name, value)
        results, out = tree_flatten(result)
        outputs = [self._output(value) for value in results]
        self.graph.output(tuple([node for node, _ in outputs]))
        self.sizes.is_active = False
        self.wanted.check_ranges(self.sizes)
        for node in reversed(list(self.graph.nodes)):
            if not node.users and type(node.meta.get("val")) is Number and node.op == "call_function":
                self.graph.erase_node(node)
        self.graph.lint()
        return self._finished(state, plan, out, [spec for _, spec in outputs])

    def _place_state(self, state: dict[str, Tensor]) -> None:
        persistent = set(self.mod.state_dict(keep_vars=True))
        parameters = {name for name, _ in self.mod.named_parameters(remove_duplicate=False)}
        for name, t in state.items():
            letter, kind = ("p", InputKind.PARAMETER) if name in parameters else ("b", InputKind.BUFFER)
            node = self.graph.placeholder(f"{letter}_{name.replace('.', '_')}")
            node.meta["val"] = Value(t.dtype, list(t.shape), t.device)
            self.recorder.known[id(t)] = node
            kept = None if letter == "p" else name in persistent
            self.inputs.append(InputSpec(kind, TensorArgument(node.name), name, kept))
            if letter == "b" and self.sizes.points:
                self.recorder.shadows[id(t)] = [t.clone() for _ in self.sizes.points]

    def _given(self, i: int, leaf: Leaf) -> Any:
        node = self.graph.placeholder(leaf.name)
        value = leaf.value
        if not isinstance(value, Tensor):
            place = self.wanted.places.get((i, -1))
            if place is None:
                node.meta["val"] = value
                return value
            symbol = place[0]
            self.recorder.sources[symbol] = (node, -1)
            number = self.sizes.number(self.sizes.values_of(symbol), symbol, node)
            node.meta["val"] = number
            return number
        general = {d: place for (at, d), place in self.wanted.places.items() if at == i}
        shadows = [self._at(value, general, point) for point in self.sizes.points]
        for d, (symbol, factor, offset) in general.items():
            if (factor, offset) == (1, 0):
                self.recorder.sources[symbol] = (node, d)
        plain = value.detach().clone().requires_grad_(value.requires_grad)
        return self.recorder.shell(plain, node, shadows)

    @staticmethod
    def _at(t: Tensor, general: dict[int, Any], point: dict[Symbol, int]) -> Tensor:
        """A tensor like the example, in other sizes."""
        sizes = list(t.shape)
        for d, (symbol, factor, offset) in general.items():
            sizes[d] = point.get(symbol, symbol.hint) * factor + offset
        array = t._array
        for d, n in enumerate(sizes):
            array = np.take(array, np.arange(n) % array.shape[d], axis=d)
        found = Tensor._wrap(np.ascontiguousarray(array).reshape(array.shape))
        return found.requires_grad_(t.requires_grad)

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Know which modules are being run."""
        stack, names = self.recorder.modules, {id(m): name for name, m in self.mod.named_modules()}

        def begins(module: Module, args: Any) -> None:
            name = names.get(id(module), "")
            stack.append((name, (name, f"{type(module).__module__}.{type(module).__qualname__}")))

        def ends(module: Module, args: Any, result: Any) -> None:
            stack.pop()

        hooks = [register_module_forward_pre_hook(begins), register_module_forward_hook(ends)]
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()

    def _assigned(self, name: str, value: Any) -> None:
        """A buffer was given another tensor: that is a write into it."""
        if name in dict(self.mod.named_buffers()) and isinstance(value, Tensor):
            into, new = self.recorder.node_of(self.mod.get_buffer(name)), self.recorder.node_of(value)
            self.graph.call_function(aten.copy_.default, (into, new), name="copy__default")

    def _output(self, value: Any) -> tuple[Any, OutputSpec]:
        kind = OutputKind.USER_OUTPUT
        if isinstance(value, Tensor):
            node = self.recorder.node_of(value)
            return node, OutputSpec(kind, TensorArgument(node.name), None)
        if type(value) in (Number, Unknown):
            node = self.recorder.argument(value)
            cls = {bool: SymBoolArgument, int: SymIntArgument, float: SymFloatArgument}[type(value.hint)]
            return node, OutputSpec(kind, cls(node.name), None)
        if value is None or isinstance(value, (bool, int, float, str, complex)):
            return value, OutputSpec(kind, ConstantArgument("", value), None)
        raise RuntimeError(
            f"Found {type(value)} in output, which is not a known type. If this type holds tensors, you need to "
            "register a "
            "pytree for it."
        )

    def _finished(self, state: dict[str, Tensor], plan: Any, out: Any, outputs: list[OutputSpec]) -> ExportedProgram:
        persistent = set(self.mod.state_dict(keep_vars=True))
        constants: dict[str, Any] = dict(self.recorder.constants)
        for node in self.graph.nodes:
            if node.op == "placeholder" and "constant" in node.meta:
                self.inputs.append(
                    InputSpec(InputKind.CONSTANT_TENSOR, TensorArgument(node.name), node.meta["constant"])
                )
        given = [node for node in self.graph.nodes if node.op == "placeholder"]
        taken = {node.name for node in self.graph.nodes}
        for node in given:
            node.name = node.target if node.target not in taken else node.name
        order = [node.name for node in given]
        for name, leaf in zip(order[len(order) - len(self.leaves) :], self.leaves):
            arg: Any = ConstantArgument(name, leaf.value)
            if isinstance(leaf.value, Tensor):
                arg = TensorArgument(name)
            elif any(self.leaves[i] is leaf for i, d in self.wanted.places if d < 0):
                arg = SymIntArgument(name)
            self.inputs.append(InputSpec(InputKind.USER_INPUT, arg, None))
        self.inputs.sort(key=lambda spec: order.index(spec.arg.name))
        module = GraphModule(Module(), self.graph)
        ranges: dict[Any, Any] = {symbol: VR(low, high) for symbol, (low, high) in self.sizes.ranges.items()}
        ranges.update({number: VR(None, None, type(number.hint)) for number in self.recorder.unknowns})
        constants.update({name: t for name, t in state.items() if name not in persistent})
        signature = ModuleCallSignature([], [], plan, out, self._parameter_names())
        calls = [ModuleCallEntry("", signature)]
        calls += [ModuleCallEntry(name) for name, _ in self.mod.named_modules() if name]
        return ExportedProgram(
            root=module, graph=self.graph, graph_signature=ExportGraphSignature(self.inputs, outputs),
            state_dict={name: t for name, t in state.items() if name in persistent}, range_constraints=ranges,
            module_call_graph=calls, example_inputs=(self.args, self.kwargs), constants=constants,
            guards=self._guards(), paths=[_spoken(leaf.path) for leaf in self.leaves],
        )  # fmt: skip

    def _parameter_names(self) -> list[str]:
        found: list[str] = []
        for name, parameter in inspect.signature(self.mod.forward).parameters.items():
            if name in self.names and parameter.kind is not inspect.Parameter.VAR_KEYWORD:
                value = combined(self.mod, self.args, self.kwargs)[name]
                if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                    found += [f"{name}_{i}" for i in range(len(value))]
                else:
                    found.append(name)
        return found + [name for name in self.kwargs if name not in found]

    # ---- guards

    def _guards(self) -> list[Any]:
        found: list[Any] = []
        first: dict[Symbol, Any] = {}
        for i, leaf in enumerate(self.leaves):
            if isinstance(leaf.value, Tensor):
                for d, n in enumerate(leaf.value.shape):
                    place = self.wanted.places.get((i, d))
                    if place is None:
                        found.append(("eq", ["size", i, d], n))
                        continue
                    symbol, factor, offset = place
                    if (factor, offset) != (1, 0):
                        if offset or factor != 1:
                            found.append(("eq", ["mod", ["sub", ["size", i, d], offset], factor], 0))
                    elif symbol not in first:
                        first[symbol] = ["size", i, d]
                    else:
                        found.append(("eq", ["size", i, d], first[symbol]))
            elif leaf.value is None or isinstance(leaf.value, (bool, int, float, str)):
                place = self.wanted.places.get((i, -1))
                if place is None:
                    found.append(("eq", ["value", i], leaf.value))
                else:
                    first[place[0]] = ["value", i]
        for (i, d), (symbol, factor, offset) in self.wanted.places.items():
            if (factor, offset) != (1, 0):
                affine = ["floordiv", ["sub", ["size", i, d], offset], factor]
                if symbol in first:
                    found.append(("eq", affine, first[symbol]))
                first.setdefault(symbol, affine)
        for symbol, (lower, upper) in self.sizes.ranges.items():
            if lower > 2:
                found.append(("ge", first[symbol], lower))
            if upper is not None:
                found.append(("le", first[symbol], upper))
        for op, a, b in self.sizes.guards:
            found.append((op, _operand(a, first), _operand(b, first)))
        return found


def _operand(tree: Any, first: dict[Symbol, Any]) -> Any:
    if isinstance(tree, Symbol):
        return first[tree]
    return [tree[0], *[_operand(part, first) for part in tree[1:]]] if isinstance(tree, tuple) else tree


def _spoken(path: str) -> str:
    """``['x'][0]`` as it is written: ``x[0]``."""
    name, _, rest = path[2:].partition("']")
    return name + rest


@contextmanager
def _as_before(tensors: list[Any], mod: Module) -> Iterator[dict[str, Any]]:
    """Put back what a run of a module changes: tensors, attributes, the random stream. Gives what it assigned."""
    copies = [(t, t._array.copy(), None if t._counter is None else t._counter[0]) for t in tensors
              if isinstance(t, Tensor)]  # fmt: skip
    held = [(m, dict(vars(m)), dict(m._buffers)) for m in mod.modules()]
    place = default_generator.place()
    written: dict[str, Any] = {}
    try:
        yield written
    finally:
        default_generator.go_back(place)
        names = {id(m): name for name, m in mod.named_modules()}
        for m, attributes, buffers in held:
            prefix = f"{names[id(m)]}." if names[id(m)] else ""
            for key, value in buffers.items():
                if m._buffers.get(key) is not value:
                    written[prefix + key] = m._buffers[key]
                    m._buffers[key] = value
            for key in [key for key, value in vars(m).items() if isinstance(value, Exported)]:
                warnings.warn(
                    f"The tensor attribute self.{prefix}{key} was assigned during export. Such attributes must be "
                    "registered as buffers using the `register_buffer` API "
                    "(https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer).",
                    stacklevel=4,
                )
                if key in attributes:
                    vars(m)[key] = attributes[key]
                else:
                    del vars(m)[key]
        for t, array, version in copies:
            if version is not None and t._counter is not None and t._counter[0] != version:
                np.copyto(t._array, array)
                t._counter[0] = version
            elif not np.array_equal(t._array, array, equal_nan=t._array.dtype.kind in "fc"):
                np.copyto(t._array, array)
