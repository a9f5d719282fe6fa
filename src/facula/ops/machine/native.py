"""Native kernels: C in place of NumPy for arrays that are large enough, where a library has been built.

The record of an operator may name one, and the size of its first array from which it pays::

    @primitive("SoftmaxBackward0", native=("rows:softmax", 64))

That is ``softmax`` in ``facula.native.operators.rows``. It takes what the operator's kernel takes and returns the same,
or None where it does not apply; then the kernel does the work. Whoever writes a text that runs a kernel begins with
``otherwise``. Who has only arrays calls ``op.on_arrays``, the kernel with its native one in front.

If there is no library (see ``_core.natively``), texts are as they would be without it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..._core.devices import MetaArray
from ..._core.natively import expected, native_function
from ...native import presence
from .text import Text, compiled_when_called

if TYPE_CHECKING:
    from .primitive import Primitive

Native = tuple[str, int] | tuple[str, int, str]
"""A native kernel, from what size on it pays, and of which array if not of the first."""


def is_wanted(op: Primitive) -> bool:
    return expected and op.native is not None


def otherwise(op: Primitive, given: list[str], optional: bool = False) -> str:
    """A text's ``if``, under which the kernel is run, since the native one has not given ``_result``.

    ``given``: the arguments; ``optional``: whether the one that is measured may be None.
    """
    assert op.native is not None
    _, least, *named = op.native
    measured = given[op.tensor_names.index(named[0])] if named else given[0]
    none = f"{measured} is None or " if optional else ""
    small = f"{none}{measured}.size < {least} or " if not presence.always else none
    return f"if {small}(_result := _native({', '.join(given)})) is None:"


def found_when_called(op: Primitive, names: dict[str, Any]) -> Callable[..., Any]:
    """What ``_native`` is in a text with these names: the first call replaces it by the function itself."""

    assert op.native is not None
    kernel = op.native[0]

    def find(*args: Any) -> Any:
        names["_native"] = found = native_function(kernel)
        return found(*args)

    return find


def kernel_of(op: Primitive, instead: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """The kernel of an operator, with its native one in front if that may be there.

    ``instead``: what to call in place of the kernel, where it is known that this does.
    """
    if not is_wanted(op):
        return instead or op.kernel

    def text(names: dict[str, Any]) -> Callable[..., Any]:
        kernel = getattr(op.kernel, "__wrapped__", op.kernel)
        defaults = getattr(kernel, "__defaults__", None) or ()
        names.update(_kernel=instead or op.kernel, _native=found_when_called(op, names), _defaults=defaults)
        names.update(_type=type, _Meta=MetaArray)
        given = [*op.tensor_names, *op.attribute_names]
        bare = len(given) - len(defaults)
        parameters = [*given[:bare], *[f"{name}=_defaults[{i}]" for i, name in enumerate(given[bare:])]]
        optional = getattr(kernel, "__annotations__", {}).get(given[0]) == "Array | None"
        chosen = Text(op)
        own = " or ".join([f"_type({name}) is _Meta" for name in op.tensor_names])
        chosen.say(0, f"def _chosen({', '.join(parameters)}):",
                      f"    if {own}:",
                      f"        return _kernel({', '.join(given)})",
                      f"    {otherwise(op, given, optional)}",
                      f"        return _kernel({', '.join(given)})",
                      "    return _result")  # fmt: skip
        return chosen.compiled("_chosen", names)

    found: Callable[..., Any] = compiled_when_called(text, {})
    return found
