"""Plain functions of ``nn.functional``, held to what PyTorch's take.

NOTE [held functions]: a function gets other code, with the same parameters, which asks for the classes of those that
may not be left out or are no tensors, calls the plain function, and tells of a failure what PyTorch tells. So it stays
the same object, and a valid call takes a tenth of a microsecond longer.
"""

from __future__ import annotations

from typing import Any

from .errors import unreal
from .front import Fronts
from .handed import steps
from .text import as_it_was, replaced_code

_ASKED = frozenset(["bool", "int", "SymInt", "float", "Number", "str"])


def hold(fn: Any, name: str) -> None:
    """Hold a function of ``nn.functional`` to PyTorch's forms, if they are known."""
    if not steps(f"F.{name}"):
        return
    plain = as_it_was(fn)
    fronts = Fronts([name], plain, is_functional=True)
    asked = {p.name for p in fronts.known if p.kind in _ASKED and not p.size}
    asked |= {p.name for p in fronts.known if p.kind == "Tensor" and not p.nullable}
    classes = {n: c for n, c in fronts.by_name.items() if n in asked and c is not None}
    growing = {n for n, c in classes.items() if isinstance(c, set)}  # no constants: code is hashed by its constants
    meant: dict[str, Any] = {f"<{n}>": c.__contains__ if n in growing else c for n, c in classes.items()}

    def failed(e: Exception, given: dict[str, Any]) -> Any:
        again = fronts.widened((), given) if type(e) is OverflowError else None
        if again is not None:
            return plain(**again[1])
        unfit = unreal((*given.values(),), {}) if isinstance(e, TypeError) else None
        raise (fronts.mistake((), given, False) or unfit or e) from None

    def unusual(given: dict[str, Any]) -> Any:
        wrong = fronts.mistake((), given, False)
        if wrong is not None:
            raise wrong
        return plain(**fronts.unwrapped((), given)[1])

    code = fn.__code__
    names = code.co_varnames[: code.co_argcount]
    keywords = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    given = f"{{{', '.join(f'{n!r}: {n}' for n in (*names, *keywords))}}}"
    tests = [f"'<{n}>'({n}.__class__)" if n in growing else f"{n}.__class__ in '<{n}>'" for n in classes]
    usual = " and ".join(tests) or "True"
    text = [
        f"def {fn.__name__}({', '.join(names)}{', *, ' if keywords else ''}{', '.join(keywords)}):",
        "    try:",
        f"        if {usual}:",
        f"            return '<plain>'({', '.join([*names, *(f'{n}={n}' for n in keywords)])})",
        "    except Exception as _error:",
        f"        return '<failed>'(_error, {given})",
        f"    return '<unusual>'({given})",
    ]
    fn.__code__ = replaced_code(text, fn, {**meant, "<plain>": plain, "<failed>": failed, "<unusual>": unusual})
    fn.plain = plain
