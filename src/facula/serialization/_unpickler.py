"""An interpreter for the pickle program of a checkpoint that runs nothing but what is on a list.

Python's own unpickler imports any module and calls any function that a file names. This one knows the instructions
that files of tensors use; names are looked up in ``_safe_globals`` and never imported, and each call is looked at,
with its arguments, before it is made. It keeps its own stack, so nesting in a file does not become recursion here, and
takes no memory that the file has not paid for with bytes.
"""

from __future__ import annotations

import struct
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections import Counter, OrderedDict
from collections.abc import Callable
from functools import cached_property
from pickle import UnpicklingError
from typing import Any

from .._core.size import Size
from .._tensor import Tensor
from ._names import StorageType
from ._rebuild import set_state
from ._safe_globals import ALLOWED, BLOCKED_MODULES, MAY_CALL, added_by_name, can_be_key
from ._shown import shown

_CONTAINERS = (dict, OrderedDict, Counter)


class Malformed(UnpicklingError):
    """The program is not one that a pickler could have written."""


def decoded(data: bytes, encoding: str, errors: str = "strict") -> str:
    try:
        return data.decode(encoding, errors)
    except UnicodeDecodeError as error:
        raise Malformed(f"a text in the file's program is none: {error.reason}") from None


class Unpickler:
    """Runs one program, which begins at ``position`` of ``program``; afterwards ``position`` is behind its end."""

    def __init__(
        self, program: bytes | memoryview, persistent_load: Callable[[Any], Any], position: int = 0,
        encoding: str = "utf-8",
    ) -> None:  # fmt: skip
        self.program = program
        self.position = position
        self.persistent_load = persistent_load
        self.encoding = encoding
        self.protocol = 0
        self.memo: dict[int, Any] = {}
        self.stack: list[Any] = []
        self.marked: list[list[Any]] = []

    @cached_property
    def added(self) -> dict[str, Any]:
        """What the user allows, by name."""
        return added_by_name()

    @cached_property
    def trusted(self) -> set[int]:
        """The same by identity."""
        return {id(value) for value in self.added.values()}

    def load(self) -> Any:
        program, instructions = self.program, _INSTRUCTIONS
        while True:
            if self.position >= len(program):
                raise EOFError("Ran out of input: the file's program has no end")
            code = program[self.position]
            self.position += 1
            if code == _STOP:
                return self.pop()
            run = instructions.get(code)
            if run is None:
                raise UnpicklingError(f"Unsupported operand {code}")
            run(self)

    # ---- bytes and stack

    def take(self, count: int) -> bytes:
        """The next bytes of the program, of which there must be so many."""
        end = self.position + count
        if count < 0 or end > len(self.program):
            left = len(self.program) - self.position
            raise EOFError(f"Ran out of input: {count} bytes are announced, {left} are left")
        found = bytes(self.program[self.position : end])
        self.position = end
        return found

    def number(self, form: str) -> Any:
        code = _FORMS[form]
        end = self.position + code.size
        if end > len(self.program):
            raise EOFError("Ran out of input: a number is cut off")
        (value,) = code.unpack_from(self.program, self.position)
        self.position = end
        return value

    def byte(self) -> int:
        if self.position >= len(self.program):
            raise EOFError("Ran out of input: a number is cut off")
        value = self.program[self.position]
        self.position += 1
        return value

    def line(self) -> str:
        program = self.program
        for end in range(self.position, min(len(program), self.position + _MAX_NAME)):
            if program[end] == 10:
                text = bytes(program[self.position : end])
                self.position = end + 1
                return decoded(text, "utf-8")
        raise Malformed("a name in the file's program has no end")

    def pop(self) -> Any:
        if not self.stack:
            raise Malformed("the file's program takes a value where there is none")
        return self.stack.pop()

    def top(self) -> Any:
        if not self.stack:
            raise Malformed("the file's program uses a value where there is none")
        return self.stack[-1]

    def pop_mark(self) -> list[Any]:
        if not self.marked:
            raise Malformed("the file's program goes back to a mark where there is none")
        items = self.stack
        self.stack = self.marked.pop()
        return items

    def mark(self) -> None:
        self.marked.append(self.stack)
        self.stack = []

    # ---- values

    def push_proto(self) -> None:
        self.protocol = self.number("<B")
        if self.protocol > 5:
            raise Malformed(f"unsupported pickle protocol: {self.protocol}")

    def push_unicode(self, form: str) -> None:
        self.stack.append(decoded(self.take(self.number(form)), "utf-8", "surrogatepass"))

    def push_string(self, form: str) -> None:
        data = self.take(self.number(form))
        self.stack.append(data if self.encoding == "bytes" else data.decode(self.encoding))

    def push_long(self, form: str) -> None:
        self.stack.append(int.from_bytes(self.take(self.number(form)), "little", signed=True))

    def push_short_tuple(self, count: int) -> None:
        items = [self.pop() for _ in range(count)]
        self.stack.append(tuple(reversed(items)))

    # ---- containers

    def append(self, items: list[Any]) -> None:
        target = self.top()
        if type(target) is not list:
            raise UnpicklingError(f"Can only append to lists, but got {type(target)}")
        target.extend(items)

    def set_items(self, items: list[Any]) -> None:
        target = self.top()
        if type(target) not in _CONTAINERS and id(type(target)) not in self.trusted:
            raise UnpicklingError(
                "Can only SETITEM for dict, collections.OrderedDict, collections.Counter, "
                f"but got {type(target)}"
            )
        if len(items) % 2:
            raise Malformed("the file's program gives a key without a value")
        for key, value in zip(items[::2], items[1::2]):
            self.check_key(key)
            target[key] = value

    def add_items(self, items: list[Any]) -> None:
        target = self.top()
        if type(target) is not set:
            raise UnpicklingError(f"Can only add to sets, but got {type(target)}")
        for item in items:
            self.check_key(item)
        target.update(items)

    def push_frozenset(self) -> None:
        items = self.pop_mark()
        for item in items:
            self.check_key(item)
        self.stack.append(frozenset(items))

    def check_key(self, key: Any) -> None:
        if not can_be_key(key):
            raise UnpicklingError(f"a {type(key)} cannot be a key of a dict or in a set, or is nested too deep")

    # ---- memo

    def get(self, index: int) -> None:
        try:
            self.stack.append(self.memo[index])
        except KeyError:
            raise Malformed(f"the file's program remembers {index}, which it has not seen") from None

    def put(self, index: int) -> None:
        self.memo[index] = self.top()

    # ---- names, calls, objects

    def push_global(self, module: str, name: str) -> None:
        if self.protocol <= 2:
            if (module, name) in NAME_MAPPING:
                module, name = NAME_MAPPING[module, name]
            elif module in IMPORT_MAPPING:
                module = IMPORT_MAPPING[module]
        full = f"{module}.{name}"
        if full in ALLOWED:
            self.stack.append(ALLOWED[full])
        elif module.partition(".")[0] in BLOCKED_MODULES:
            raise UnpicklingError(f"Trying to load unsupported GLOBAL {full} whose module {module} is blocked.")
        elif full in self.added:
            self.stack.append(self.added[full])
        else:
            shown = name if module == "builtins" else full
            raise UnpicklingError(
                f"Unsupported global: GLOBAL {shown} was not an allowed global by default. Please use "
                f"`torch.serialization.add_safe_globals([{shown}])` or the "
                f"`torch.serialization.safe_globals([{shown}])` context manager to allowlist this global if you trust "
                "this class/function."
            )

    def push_stack_global(self) -> None:
        name, module = self.pop(), self.pop()
        if type(name) is not str or type(module) is not str:
            raise Malformed("STACK_GLOBAL requires str")
        self.push_global(module, name)

    def reduce(self) -> None:
        args, func = self.pop(), self.pop()
        self.stack.append(self.call(func, args))

    def call(self, func: Any, args: Any) -> Any:
        if type(args) is not tuple:
            raise Malformed(f"the file's program calls a function with {type(args)} for its arguments")
        check = MAY_CALL.get(id(func))
        if check is None and id(func) in self.trusted:
            return func(*args)
        if check is None:
            raise UnpicklingError(f"Trying to call reduce for unrecognized function {shown(func)}")
        if not check(args):
            kinds = ", ".join(type(a).__name__ for a in args[:20])
            raise UnpicklingError(f"Trying to call {func.__name__} with arguments that it may not have here: ({kinds})")
        try:
            return func(*args)
        except (TypeError, ValueError, OverflowError, AttributeError, LookupError) as error:
            raise UnpicklingError(f"Trying to call {func.__name__}: {str(error)[:200]}") from None

    def new_object(self) -> None:
        args, cls = self.pop(), self.pop()
        self.stack.append(self.make(cls, args, {}))

    def new_object_ex(self) -> None:
        kwargs, args, cls = self.pop(), self.pop(), self.pop()
        if type(kwargs) is not dict or not all(type(key) is str for key in kwargs):
            raise Malformed("the file's program makes an object with wrong keyword arguments")
        self.stack.append(self.make(cls, args, kwargs))

    def make(self, cls: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        if any(cls is known for known in (OrderedDict, Counter, Size)) and not kwargs:
            return cls() if not args else self.call(cls, args)
        if id(cls) in self.trusted and isinstance(cls, type) and type(args) is tuple:
            return cls.__new__(cls, *args, **kwargs)
        raise UnpicklingError(
            "Can only create new object for nn.Parameter or classes allowlisted via `add_safe_globals` but got "
            f"{cls if isinstance(cls, type) else type(cls)}"
        )

    def build(self) -> None:
        state, target = self.pop(), self.top()
        kind = type(target)
        if kind is OrderedDict or kind is Counter:
            if type(state) is not dict or not all(type(key) is str for key in state):
                raise Malformed(f"the state of {kind} must be a dict")
            target.__dict__.update(state)
        elif id(kind) in self.trusted:
            own = getattr(target, "__setstate__", None)
            if own is not None:
                own(state)
            else:
                _fill(target, state)
        elif isinstance(target, Tensor):
            set_state(target, state)
        else:
            raise UnpicklingError(
                "Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, "
                f"but got {type(target)}"
            )

    def push_persistent(self) -> None:
        pid = self.pop()
        if type(pid) is not tuple and type(pid) is not int:
            raise UnpicklingError(f"persistent_load id must be tuple or int, but got {type(pid)}")
        if type(pid) is tuple and pid and pid[0] not in ("storage", "module", b"storage", b"module"):
            raise UnpicklingError(f"Only persistent_load of storage is allowed, but got {type(pid[0])}")
        self.stack.append(self.persistent_load(pid))


def _fill(target: Any, state: Any) -> None:
    """What Python's unpickler does with the state of an object without ``__setstate__``."""
    slots = None
    if isinstance(state, tuple) and len(state) == 2:
        state, slots = state
    if state:
        target.__dict__.update(state)
    for name, value in (slots or {}).items():
        setattr(target, name, value)


_FORMS = {form: struct.Struct(form) for form in ("<B", "<H", "<I", "<Q", "<i", ">d")}
_MAX_NAME = 4096
_STOP = 0x2E


def _instructions() -> dict[int, Callable[[Unpickler], None]]:
    U = Unpickler

    def constant(value: Any) -> Callable[[Unpickler], None]:
        return lambda u: u.stack.append(value)

    def numeric(form: str) -> Callable[[Unpickler], None]:
        return lambda u: u.stack.append(u.number(form))

    table: dict[bytes, Callable[[Unpickler], None]] = {
        b"\x80": U.push_proto,
        b"\x95": lambda u: u.number("<Q"),  # a frame: only a hint of how much to read at once
        b"N": constant(None), b"\x88": constant(True), b"\x89": constant(False), b")": constant(()),
        b"]": lambda u: u.stack.append([]),
        b"}": lambda u: u.stack.append({}),
        b"\x8f": lambda u: u.stack.append(set()),
        b"J": numeric("<i"), b"K": lambda u: u.stack.append(u.byte()), b"M": numeric("<H"), b"G": numeric(">d"),
        b"\x8a": lambda u: u.push_long("<B"), b"\x8b": lambda u: u.push_long("<i"),
        b"X": lambda u: u.push_unicode("<I"), b"\x8c": lambda u: u.push_unicode("<B"),
        b"\x8d": lambda u: u.push_unicode("<Q"),
        b"U": lambda u: u.push_string("<B"), b"T": lambda u: u.push_string("<i"),
        b"C": lambda u: u.stack.append(u.take(u.number("<B"))), b"B": lambda u: u.stack.append(u.take(u.number("<I"))),
        b"\x8e": lambda u: u.stack.append(u.take(u.number("<Q"))),
        b"\x96": lambda u: u.stack.append(bytearray(u.take(u.number("<Q")))),
        b"(": U.mark,
        b"0": lambda u: u.pop(),
        b"1": lambda u: u.pop_mark().clear(),
        b"t": lambda u: (lambda items: u.stack.append(tuple(items)))(u.pop_mark()),
        b"l": lambda u: (lambda items: u.stack.append(items))(u.pop_mark()),
        b"\x85": lambda u: u.push_short_tuple(1), b"\x86": lambda u: u.push_short_tuple(2),
        b"\x87": lambda u: u.push_short_tuple(3),
        b"a": lambda u: u.append([u.pop()]), b"e": lambda u: u.append(u.pop_mark()),
        b"s": lambda u: u.set_items([u.pop(), u.pop()][::-1]), b"u": lambda u: u.set_items(u.pop_mark()),
        b"\x90": lambda u: u.add_items(u.pop_mark()),
        b"\x91": U.push_frozenset,
        b"h": lambda u: u.get(u.byte()), b"j": lambda u: u.get(u.number("<I")),
        b"q": lambda u: u.put(u.byte()), b"r": lambda u: u.put(u.number("<I")),
        b"\x94": lambda u: u.put(len(u.memo)),
        b"c": lambda u: u.push_global(u.line(), u.line()),
        b"\x93": U.push_stack_global,
        b"R": U.reduce,
        b"\x81": U.new_object, b"\x92": U.new_object_ex,
        b"b": U.build,
        b"Q": U.push_persistent,
    }  # fmt: skip
    return {code[0]: run for code, run in table.items()}


_INSTRUCTIONS = _instructions()


def names_in(program: bytes) -> set[str]:
    """The full names that a program uses, found without running any of it."""
    import pickletools  # loaded when first used

    found: set[str] = set()
    strings: list[str] = []
    for opcode, argument, _ in pickletools.genops(program):
        if opcode.name == "GLOBAL" and isinstance(argument, str):
            module, name = argument.split(" ", 1)
            if (module, name) in NAME_MAPPING:
                module, name = NAME_MAPPING[module, name]
            found.add(f"{IMPORT_MAPPING.get(module, module)}.{name}")
        elif opcode.name == "STACK_GLOBAL" and len(strings) >= 2:
            found.add(f"{strings[-2]}.{strings[-1]}")
        elif isinstance(argument, str) and "UNICODE" in opcode.name:
            strings.append(argument)
    return found


__all__ = ["Malformed", "StorageType", "Unpickler", "names_in"]
