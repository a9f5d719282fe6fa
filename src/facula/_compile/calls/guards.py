"""The test whether a call is one that a program is for, and the arrays to run it on: a function, written out."""

from __future__ import annotations

import functools
import keyword
import linecache
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any

import numpy as np

from ..._core import dtypes, state
from ..._core.pytree import tree_flatten
from ..._tensor import Tensor
from ...native import versions
from ..capture.asked import Asked
from ..capture.capture import Capture
from ..capture.inputs import Input, owner
from .entry import Entry
from .places import MISSING, SIMPLE, Read, Snapshot, is_same
from .reads import BY_NAME, Reads

_SIZES = iter(range(10**9))
MISSED: Any = object()
"""What a call comes to that a program is not for."""


class Guard:
    """Made from the arguments of the captured call and all that it may have read."""

    def __init__(
        self, capture: Capture, entry: Entry, reads: Reads, args: tuple[Any, ...], kwargs: dict[str, Any],
        asked: Asked,
    ) -> None:  # fmt: skip
        inputs = entry.inputs
        self.lines: list[str] = []
        self.names: dict[str, Any] = {
            "_state": state, "_ndarray": np.ndarray, "_dtypes": dtypes, "_flatten": tree_flatten, "_type": type,
            "_MISSING": object(), "MISSED": MISSED,
        }  # fmt: skip
        self.known: dict[int, str] = {}
        """What values are called, by their id."""
        self.sources: dict[int, str] = {}
        """Where the tensor of an input is found, in the text."""
        nodes = {id(given.tensor): given.node for given in inputs if given.tensor is not None}
        self.general = {
            of: [d for d in dims if (nodes.get(of), d) not in capture.settled] for of, dims in capture.sizes.items()
        }
        """Tensors of which not all sizes are looked at, and in which dimensions they are not."""
        self._modes()
        leaves = self._arguments(args, kwargs)
        numbers = [at for at, node in capture.arguments.items() if (node, -1) not in capture.settled]
        by_id = {id(met.tensor): met for met in capture.met.values()}
        for i, (name, leaf) in enumerate(leaves):
            if i in numbers:
                self._any_number(name, leaf)
            else:
                self._argument(name, leaf, by_id)
        self._aliases([(name, leaf) for name, leaf in leaves if isinstance(leaf, Tensor)])
        self.grads = self._gradients(capture, entry, reads)
        known = set(self.grads)
        for i, given in enumerate(inputs):
            self._input(i, given, by_id)
        for met in capture.met.values():
            if met.tensor is not met.input.tensor and not met.input.is_constant:  # one array of two tensors
                self.say(f"{self._source(met.tensor)}._array is not {self._array(met.input)}")
        if capture.runs_backward:
            self._hooks([met for met in capture.met.values() if met.needs_grad])
        self._memory(inputs, set(entry.commits.values()))
        for t, has_grad in self.grads.values():
            meta = f"{self._source(t)}._meta"
            self.say(f"{meta} is None or {meta}.grad is None" if has_grad else
                     f"{meta} is not None and {meta}.grad is not None")  # fmt: skip
        self.numbers = {i: self._number(i, *given.place) for i, given in enumerate(inputs) if given.place is not None}
        """Where the arrays of numbers are found, in the text."""
        for tensor, condition in asked.tensors(known):
            self.say(f"{self._source(tensor)}{condition}")
        for fn, answer in asked.library():
            self.say(f"{self.name(fn)}() != {self.name(answer)}")
        self._attributes_of([(name, leaf) for name, leaf in leaves if isinstance(leaf, Tensor)], reads.names)
        self.snapshot = self._module_state(reads)
        self.reads = reads.reads
        self._reads(reads.reads)
        self.arrays = [self.numbers.get(i) or self._array(given) for i, given in enumerate(inputs)]
        """What the program is given, in the text."""
        self.tensors = [self._held(given) for given in inputs]
        """Whose arrays those are."""
        self.grads.clear()

    @property
    def text(self) -> str:
        """A function that tells whether a call is one that the program is for."""
        return self._text("enter", ["return True"])

    @functools.cached_property
    def enter(self) -> Callable[..., Any]:
        return self._compiled("enter", self.text, {})

    def call(self, body: list[str], names: dict[str, Any]) -> Callable[..., Any]:
        """A function of ``(args, kwargs)`` that gives ``MISSED``, or does what the lines of the body say."""
        return self._compiled("call", self._text("call", [f"arrays = [{', '.join(self.arrays)}]", *body]), names)

    def say(self, condition: str) -> None:
        self.lines.append(f"if {condition}: return MISSED")

    def name(self, value: Any, hint: str = "v") -> str:
        name = self.known.get(id(value))
        if name is None:
            name = self.known[id(value)] = f"_{hint}{len(self.names)}"
            self.names[name] = value
        return name

    # ---- modes

    def _modes(self) -> None:
        self.modes = expected = modes_now()
        if state.grad_enabled() and expected == (True, False, None, (), None):
            self.lines += ["if _state.special:", "    if not _plain_modes(): return MISSED"]
        else:
            self.say("not _same_modes()")
        self.names["_plain_modes"] = self.names["_same_modes"] = _comparing(expected)
        self.say(f"_dtypes.default is not {self.name(dtypes.default)}")

    # ---- arguments

    def _arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[str, Any]]:
        flat = all(tree_flatten(value)[1].is_leaf() for value in (*args, *kwargs.values()))
        if flat:
            self.say(f"[*kwargs] != {[*kwargs]}" if kwargs else "kwargs" if args else "args or kwargs")
            found = [(f"x{i}", value) for i, value in enumerate(args)]
            if args:  # another number of them is an error
                self.lines.append(f"{', '.join(name for name, _ in found)}, = args")
            for key, value in kwargs.items():
                name = f"x{len(found)}"
                self.lines.append(f"{name} = kwargs[{key!r}]")
                found.append((name, value))
            return found
        leaves, plan = tree_flatten((args, kwargs))
        found = [(f"x{i}", value) for i, value in enumerate(leaves)]
        self.lines.append("_leaves, _plan = _flatten((args, kwargs))")
        self.say(f"_plan != {self.name(plan)}")
        if leaves:
            self.lines.append(f"{', '.join(name for name, _ in found)}, = _leaves")
        return found

    def _argument(self, name: str, leaf: Any, met: dict[int, Any]) -> None:
        if isinstance(leaf, Tensor):
            self.sources.setdefault(id(leaf), name)
            needs = met[id(leaf)].needs_grad if id(leaf) in met else leaf.requires_grad
            self._tensor(name, leaf, needs)
        elif type(leaf) in SIMPLE:
            if leaf is None or isinstance(leaf, bool):
                self.say(f"{name} is not {leaf!r}")
            elif isinstance(leaf, (float, complex)) and (leaf != leaf or 0 in (leaf.real, leaf.imag)):
                self.names["_same"] = is_same  # signs of zero count
                self.say(f"not _same({name}, {self.name(leaf)})")
            else:
                self.say(f"_type({name}) is not {self.name(type(leaf))} or {name} != {self.name(leaf)}")
        else:
            self.say(f"{name} is not {self.name(leaf)}")

    def _any_number(self, name: str, value: Any) -> None:
        """A number of the same kind. 0 and 1 are never general."""
        special = f" or {name} == 0 or {name} == 1" if isinstance(value, int) else ""
        self.say(f"_type({name}) is not {self.name(type(value))}{special}")

    def _tensor(self, name: str, t: Tensor, needs_grad: bool, array: str = "") -> None:
        """A tensor like the one captured."""
        a: Any = t._array
        kind, dtype = self.name(type(t)), self.name(a.dtype)
        array = array or f"a_{name}"
        self.say(f"_type({name}) is not {kind}")
        self.lines.append(f"{array} = {name}._array")
        self.say(f"_type({array}) is not _ndarray or {array}.dtype is not {dtype} and {array}.dtype != {dtype} or "
                 f"{self._other_layout(array, _plain(a), self.general.get(id(t)))}")  # fmt: skip
        self._requires(name, needs_grad, t.is_inference())

    def _other_layout(self, array: str, like: Any, general: list[int] | None) -> str:
        """That an array is laid out otherwise than another one. Sizes of 0 and 1 are never general."""
        if not general:
            return f"{array}.shape != {like.shape} or {array}.strides != {like.strides}"
        sizes = [f"{array}.shape[{d}] < 2" if d in general else f"{array}.shape[{d}] != {n}"
                 for d, n in enumerate(like.shape)]  # fmt: skip
        if like.flags.c_contiguous:
            order = f"not {array}.flags.c_contiguous"
        else:
            self.names["_order"] = _order
            order = f"_order({array}) != {_order(like)}"
        return f"{array}.ndim != {like.ndim} or {' or '.join(sizes)} or {order}"

    def _requires(self, name: str, needs_grad: bool, is_inference: bool) -> None:
        if needs_grad:
            self.say(f"{name}._node is None and not {name}.requires_grad")
        elif is_inference:
            self.say(f"not {name}.is_inference() or {name}.requires_grad")
        else:
            meta = f"{name}._meta"
            self.say(f"{name}._node is not None or {meta} is not None and ({name}.requires_grad or {meta}.inference)")

    def _aliases(self, tensors: list[tuple[str, Tensor]]) -> None:
        """Which arguments are one and the same."""
        for i, (name, t) in enumerate(tensors):
            for other, u in tensors[:i]:
                if t is u:
                    self.say(f"{name} is not {other}")
                elif _plain(t._array).ndim == _plain(u._array).ndim and t._array.dtype == u._array.dtype and (
                    self.general or _plain(t._array).shape == _plain(u._array).shape
                ):
                    self.say(f"{name} is {other}")

    # ---- inputs that are no arguments

    def _gradients(self, capture: Capture, entry: Entry, reads: Reads) -> dict[int, tuple[Tensor, bool]]:
        """Whether leaves had a gradient: those that get another one, and parameters of optimizers."""
        before = {id(met.tensor): met.grad for met in capture.met.values()}
        leaves: list[Any] = [entry.inputs[at].tensor for at, *_ in entry.grads] + list(reads.parameters.values())
        now = {id(t): None if t._meta is None else t._meta.grad for t in leaves}
        return {id(t): (t, before.get(id(t), now[id(t)]) is not None) for t in leaves}

    def _input(self, i: int, given: Input, met: dict[int, Any]) -> None:
        t = given.tensor
        if given.is_constant or t is None or given.place is not None:
            return
        if id(t) in self.sources:
            return
        owner = next((m for m in met.values() if m.grad is t), None)
        if owner is not None:  # a gradient that is added to
            name = f"g{i}"
            self.lines.append(f"{name} = {self._source(owner.tensor)}.grad")
            self.sources[id(t)] = name
            self.say(f"{name} is None")
            self._tensor(name, t, False, f"a_{name}")
            return
        name = self.name(t, "t")
        self.sources[id(t)] = name
        self.say(f"{name}._array is not {self.name(given.array)}")
        needs = met[id(t)].needs_grad if id(t) in met else t.requires_grad
        if needs and t.is_leaf:
            _, has_grad = self.grads.pop(id(t), (t, None))
            grad = "" if has_grad is None else f" or meta.grad is {'' if has_grad else 'not '}None"
            self.lines.append(f"meta = {name}._meta")
            self.say(f"{name}._node is not None or meta is None or not meta.requires_grad{grad}")
        else:
            self._requires(name, needs, t.is_inference())

    def _hooks(self, mets: list[Any]) -> None:
        """Hooks of leaves are those that they had. Arguments have none."""
        fixed = []
        for met in mets:
            source = self.sources.get(id(met.tensor), "")
            if source.startswith("x"):
                self.say(f"{source}._node is {'not ' * (met.leaf is None)}None")
                m = f"{source}._meta"
                self.say(f"{m} is not None and ({m}.hooks or {m}.post_accumulate_hooks or {m}.retains_grad)")
            else:
                fixed.append(met.tensor)
        expected, known = list(map(_hooks_of, fixed)), [state.hooks]

        def same_hooks() -> bool:
            known[0] = state.hooks
            return list(map(_hooks_of, fixed)) == expected

        self.say(f"_state.hooks != {self.name(known)}[0] and not {self.name(same_hooks)}()")

    def _memory(self, inputs: list[Input], written: set[int]) -> None:
        """What is written to shares its memory with no other input."""
        given = [(at, self._array(each), each.array) for at, each in enumerate(inputs) if each.is_tensor]
        moving = [(at, name) for at, name, _ in given if name.startswith("a_")]
        fixed = [(at, array) for at, name, array in given if not name.startswith("a_")]
        self.names.update(_id=id, _shares=_shares, _share=_share)
        for at, name in moving:
            others = _by_owner([array for other, array in fixed if at in written or other in written])
            if others:
                known = self.name(others)
                self.say(f"_id({name} if {name}.base is None else {name}.base) in {known} and _shares({name}, {known})")
        ours = [name for at, name in moving if at in written]
        if ours and len(moving) > 1:
            rest = [name for at, name in moving if at not in written]
            self.say(f"_share(({', '.join(ours)},), ({''.join(f'{name}, ' for name in rest)}))")

    def _source(self, t: Tensor) -> str:
        if id(t) not in self.sources:
            self.sources[id(t)] = self.name(t, "t")
        return self.sources[id(t)]

    def _held(self, given: Input) -> str:
        if given.argument is not None:
            return f"x{given.argument}"
        return "None" if given.is_constant or given.place is not None else self.sources[id(given.tensor)]

    def _array(self, given: Input) -> str:
        if given.is_constant:
            return self.name(given.node.meta["value"])
        if given.argument is not None:
            return f"x{given.argument}"
        name = self.sources[id(given.tensor)]
        return f"a_{name}" if name[0] in "xg" else self.name(given.array)

    def _attributes_of(self, tensors: list[tuple[str, Tensor]], names: set[str]) -> None:
        """What users hang on tensors, as far as the function may read it."""
        self.names["_same"] = is_same
        for name, t in tensors:
            for key, value in vars(t).items():
                if key in names:
                    self.say(f"not _same({name}.__dict__.get({key!r}, _MISSING), {self.name(value)})")
            if not BY_NAME.isdisjoint(names):
                self.say(f"len({name}.__dict__) != {len(vars(t))}")

    # ---- everything else

    def _module_state(self, reads: Reads) -> Snapshot | None:
        if not reads.modules:
            return None
        snapshot = Snapshot(list(reads.modules.values()))
        known = self.names["_known"] = [state.changes if snapshot.is_counted() else -1]

        def unchanged() -> bool:
            now = state.changes
            if snapshot.holds():
                known[0] = now if snapshot.is_counted() else -1
                return True
            return False

        self.names["_unchanged"] = unchanged
        self.say("_state.changes != _known[0] and not _unchanged()")
        return snapshot

    def _number(self, i: int, holder: Any, key: str) -> str:
        """Lines that look a number up; an array is made of it when it is another one than last time."""
        last = self.name([(None, None)])
        self.names["_as_array"] = _as_array
        self.lines += [
            f"number = {self.name(holder)}[{key!r}]", f"n{i} = {last}[0]", f"if n{i}[0] is not number:",
            f"    if _type(number) is not {self.name(float)}: return MISSED",
            f"    n{i} = {last}[0] = number, _as_array(number)",
        ]  # fmt: skip
        return f"n{i}[1]"

    def _reads(self, reads: list[Read]) -> None:
        """All else that was read, by what holds it."""
        held: dict[int, dict[Any, Read]] = {}
        classes: dict[type, list[Read]] = {}
        for read in reads:
            held.setdefault(id(read.holder), {}).setdefault((read.expression, id(read.key)), read)
        for those in map(list, map(dict.values, held.values())):
            items = [read for read in those if read.expression == "item"]
            holder = those[0].holder
            is_whole = len(items) > 1 and len(items) == len(holder)
            if is_whole and type(holder) is list and [read.key for read in items] == [*range(len(holder))]:
                self._unpacked(self.name(holder), items)
                those = [read for read in those if read.expression not in ("item", "length")]
            elif is_whole and isinstance(holder, dict) and all(isinstance(read.key, Tensor) for read in items):
                of = self.name(holder)  # a hash of a tensor takes longer than all this
                self._unpacked(of, [Read("item", None, None, key) for key in holder])
                self._unpacked(f"{of}.values()", [items[at] for at in _order_of(items, holder)])
                those = [read for read in those if read not in items]
            if isinstance(holder, type):
                classes[holder] = those
                continue
            name = self.name(holder)
            if len(those) > 1:
                self.lines.append(f"held = {name}")
            for read in those:
                self._read(self._look("held" if len(those) > 1 else name, read), read.value)
        self._of_classes(classes)

    def _of_classes(self, classes: dict[type, list[Read]]) -> None:
        """What was found in classes is looked at when one of them has been changed, if there is a way to know."""
        before, self.lines = self.lines, []
        for cls, reads in classes.items():
            name = self.name(cls)
            methods = [read for read in reads if callable(read.value) and getattr(cls, read.key, None) is read.value]
            if len(methods) > 1:  # in one call: quicker than one by one
                look = attrgetter(*[read.key for read in methods])
                self.say(f"{self.name(look)}({name}) != {self.name(tuple([read.value for read in methods]))}")
                reads = [read for read in reads if read not in methods]
            for read in reads:
                self._read(self._look(name, read), read.value)
        looks, self.lines = self.lines, before
        are_same = versions.watch([*classes]) if looks else None
        if are_same is not None:
            self.names["_are_same"] = are_same
            looks = [f"_are_same({versions.NOTE})", *looks, f"_are_same({versions.SURE})"]
            looks = ["if not _are_same():", *["    " + line for line in looks]]
        self.lines += looks

    def _unpacked(self, expression: str, items: list[Read]) -> None:
        """Just these items, in order; another number of them is an error."""
        names = [f"i{k}" for k in range(len(items))]
        self.lines.append(f"{', '.join(names)}, = {expression}")
        for name, item in zip(names, items):
            self._read(name, item.value)

    def _look(self, holder: str, read: Read) -> str:
        match read.expression:
            case "cell":
                return f"{holder}.cell_contents"
            case "attribute":
                if _is_plain_attribute(read.holder, read.key):
                    return f"{holder}.{read.key}"
                return f"{holder}.__dict__.get({read.key!r}, _MISSING)"
            case "slot":
                if read.value is MISSING:
                    return f"getattr({holder}, {read.key!r}, {self.name(MISSING)})"
                return f"{holder}.{read.key}"
            case "attributes":
                return f"len({holder}.__dict__)"
            case "attribute_names":
                return f"tuple({holder}.__dict__)"
            case "absent_attributes":
                return f"{holder}.__dict__.keys().isdisjoint({self.name(read.key)})"
            case "absent":
                return f"{holder}.keys().isdisjoint({self.name(read.key)})"
            case "empty" | "elements" | "bytes" | "context" | "referent" | "values":
                return f"{self.name(read.look)}()"
            case "registered":
                return f"{holder}.get_cache_token()"
            case "cache":
                return f"({holder}.cache_info().misses >= {read.key})"
            case "item":
                return f"{holder}[{repr(read.key) if type(read.key) in (int, str) else self.name(read.key)}]"
            case "length":
                return f"len({holder})"
        return f"tuple({holder})"

    def _read(self, look: str, value: Any) -> None:
        if type(value) in SIMPLE or type(value) is tuple:
            if value is None or isinstance(value, bool):
                self.say(f"{look} is not {value!r}")
            elif value == () and look.startswith("tuple("):
                self.say(look[len("tuple(") : -1])
            elif look.startswith("len("):
                self.say(f"{look} != {value}")
            else:
                self.names["_same"] = is_same
                expected = self.name(value)
                self.say(f"{look} is not {expected} and not _same({look}, {expected})")
        else:
            self.say(f"{look} is not {self.name(value)}")

    # ---- the text

    def _text(self, name: str, body: list[str]) -> str:
        lines = ["try:", *["    " + line for line in self.lines]]
        lines.append("except (AttributeError, LookupError, ValueError):  # something is not there any more")
        lines.append("    return MISSED")
        return f"def {name}(args, kwargs):\n" + "".join([f"    {line}\n" for line in (*lines, *body)])

    def _compiled(self, name: str, text: str, names: dict[str, Any]) -> Callable[..., Any]:
        filename = f"<guards {next(_SIZES)}>"
        linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
        namespace = self.names | names
        exec(compile(text, filename, "exec"), namespace)
        made: Callable[..., Any] = namespace[name]
        return made


def _plain(array: Any) -> Any:
    return array.view(np.ndarray)


def _hooks_of(t: Any) -> list[Any]:
    meta, node = t._meta, None if t._meta is None or t._meta.accumulator is None else t._meta.accumulator()
    attached = None if node is None else node.attached
    held = [] if attached is None else [attached.pre, attached.post]
    hooks = [] if meta is None else [meta.hooks, meta.post_accumulate_hooks, *held]
    return [list(each.items()) for each in hooks if each]


def _by_owner(arrays: Iterable[Any]) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    for array in arrays:
        found.setdefault(id(owner(array)), []).append(array)
    return found


def _shares(array: Any, others: dict[int, list[Any]]) -> bool:
    return any(np.may_share_memory(array, other) for other in others.get(id(owner(array)), ()))


def _share(written: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    """Whether arrays that are written to share memory with each other, or with others."""
    seen: dict[int, list[Any]] = {}
    for array in written:
        same = seen.setdefault(id(owner(array)), [])
        if same and _shares(array, seen):
            return True
        same.append(array)
    return any(_shares(array, seen) for array in others)


def _order(array: Any) -> Any:
    """In which order the dimensions of an array lie in memory, if without gaps; else its strides."""
    order = sorted(range(array.ndim), key=lambda d: (-array.strides[d], d))
    return order if array.transpose(order).flags.c_contiguous else array.strides


def _as_array(number: float) -> Any:
    return np.array(number, np.float64)


def _is_plain_attribute(holder: Any, name: str) -> bool:
    """Whether an attribute that an object has itself is what one gets by its name, or an error once it has gone."""
    kind = type(holder)
    has_usual = kind.__getattribute__ is object.__getattribute__ and not hasattr(kind, "__getattr__")
    return has_usual and name.isidentifier() and not keyword.iskeyword(name) and not hasattr(kind, name)


def _order_of(items: list[Read], holder: dict[Any, Any]) -> list[int]:
    """Where the items of a dict, in its order, are in a list."""
    places = {id(item.key): at for at, item in enumerate(items)}
    return [places[id(key)] for key in holder]


def _comparing(expected: tuple[Any, ...]) -> Callable[[], bool]:
    def same() -> bool:
        modes = state.modes
        others = modes.levels or modes.function_modes or modes.kernels is not None or state.anomaly
        return modes_now() == expected and not others

    return same


MODES = ("grad_mode", "inference_mode", "autocast", "saved_tensors_hooks", "device")


def modes_now() -> tuple[Any, ...]:
    """What they are."""
    modes = state.modes
    return modes.grad_enabled, modes.inference, modes.autocast, modes.saved_hooks, modes.device
