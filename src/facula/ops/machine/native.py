"""Native kernels: C in place of NumPy for arrays that are large enough, where a library has been built.

The record of an operator may name one, and the size of its first array from which it pays::

    @primitive("SoftmaxBackward0", native=("rows:softmax", 64))

That is ``softmax`` in ``facula.native.operators.rows``. It takes what the operator's kernel takes and returns the same,
or None where it does not apply; then the kernel does the work. Whoever writes a text that runs a kernel begins with
``otherwise``. Who has only arrays calls ``op.on_arrays``, the kernel with its native one in front.

A look at the folder tells once whether there may be a library. If there is none, nothing of this is ever called and
texts are as they were without it; if there is one, it is loaded when a large array first meets a native kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...native import presence
from .text import Text, compiled_when_called

if TYPE_CHECKING:
    from .primitive import Primitive

expected = presence.expected()
"""Whether there may be a library. One that is built later is used by the next process."""

always = False
"""Whether sizes do not matter: tests set it before anything is called."""


def is_wanted(op: Primitive) -> bool:
    return expected and op.native is not None


def otherwise(op: Primitive, given: list[str], optional: bool = False) -> str:
    """A text's ``if``, under which the kernel is run, since the native one has not given ``_result``.

    ``given``: the arguments; ``optional``: whether the first may be None.
    """
    assert op.native is not None
    least, first = 0 if always else op.native[1], given[0]
    none = f"{first} is None or " if optional else ""
    small = f"{none}{first}.size < {least} or " if least else none
    return f"if {small}(_result := _native({', '.join(given)})) is None:"


def found_when_called(op: Primitive, names: dict[str, Any]) -> Callable[..., Any]:
    """What ``_native`` is in a text with these names: the first call replaces it by the function itself."""

    def find(*args: Any) -> Any:
        names["_native"] = found = native_function(op)
        return found(*args)

    return find


def native_function(op: Primitive) -> Callable[..., Any]:
    """The native kernel of an operator; without a library, one that never applies."""
    from ...native import library  # loaded when first used

    assert op.native is not None
    module, _, name = op.native[0].partition(":")
    if library.load() is None:
        return _never
    found: Callable[..., Any] = getattr(import_module(f"facula.native.operators.{module}"), name)
    return found


def _never(*args: Any) -> None:
    return None


def kernel_of(op: Primitive) -> Callable[..., Any]:
    """The kernel of an operator, with its native one in front if that may be there."""
    if not is_wanted(op):
        return op.kernel

    def text(names: dict[str, Any]) -> Callable[..., Any]:
        kernel = getattr(op.kernel, "__wrapped__", op.kernel)
        defaults = getattr(kernel, "__defaults__", None) or ()
        names.update(_kernel=op.kernel, _native=found_when_called(op, names), _defaults=defaults)
        given = [*op.tensor_names, *op.attribute_names]
        bare = len(given) - len(defaults)
        parameters = [*given[:bare], *[f"{name}=_defaults[{i}]" for i, name in enumerate(given[bare:])]]
        optional = getattr(kernel, "__annotations__", {}).get(given[0]) == "Array | None"
        chosen = Text(op)
        chosen.say(0, f"def _chosen({', '.join(parameters)}):",
                      f"    {otherwise(op, given, optional)}",
                      f"        return _kernel({', '.join(given)})",
                      "    return _result")  # fmt: skip
        return chosen.compiled("_chosen", names)

    found: Callable[..., Any] = compiled_when_called(text, {})
    return found
