"""Plain functions that other classes may take over by ``__torch_function__``.

Operators ask for overrides themselves. Functions that are made of operators (most of ``nn.functional``) would have to
ask first, which would take every program's time for the few that override anything. So they are only noted here. When
the first class or mode appears that could take them over, ``let_ask`` gives each of them other code, which asks; they
stay the same objects.
"""

from __future__ import annotations

from typing import Any

from ..._core import state
from ...autograd.saved import DIRECT
from ...overrides import asking, call_override, overridden
from .text import as_it_was, replaced_code

_noted: list[Any] = []


def overridable(*functions: Any) -> None:
    """Note functions of a module that classes may take over."""
    _noted.extend(functions)
    if asking.begun:
        let_ask()


def let_ask() -> None:
    """From now on, have the functions ask their arguments before anything else."""
    asking.begun = True
    while _noted:
        fn = _noted.pop()
        plain = as_it_was(fn)
        fn.__code__, fn.plain = _asking_code(fn, plain), plain


def _asking_code(fn: Any, plain: Any) -> Any:
    """Code with the same parameters. What it needs is among its constants: its globals are those of the function.

    The constants are hashable, as code is hashed by them.
    """
    code = fn.__code__
    names = code.co_varnames[: code.co_argcount]
    keywords = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    required = names[: len(names) - len(fn.__defaults__ or ())]
    optional = [*names[len(required) :], *keywords]
    tensors = [n for n in required if fn.__annotations__.get(n) == "Tensor"] or names[:1]
    lines = [
        f"def {fn.__name__}({', '.join(names)}{', *, ' if keywords else ''}{', '.join(keywords)}):",
        f"    if {' and '.join(f'{_DIRECT!r}({n}.__class__)' for n in tensors)} and not {_MODES!r}():",
        f"        return {_PLAIN!r}({', '.join([*names, *(f'{n}={n}' for n in keywords)])})",
        f"    return {_ASK!r}({_PLAIN!r}, {_PUBLIC!r}, ({''.join(f'{n}, ' for n in required)}), "
        f"{{{', '.join(f'{n!r}: {n}' for n in optional)}}})",
    ]  # fmt: skip
    meant = {_DIRECT: DIRECT.__contains__, _MODES: _modes_are_on, _PLAIN: plain, _ASK: _ask, _PUBLIC: fn}
    return replaced_code(lines, fn, meant)


_DIRECT, _MODES, _PLAIN, _ASK, _PUBLIC = (f"<{name}>" for name in ("direct", "modes", "plain", "ask", "public"))


def _modes_are_on() -> bool:
    return bool(state.special and state.modes.function_modes)


def _ask(plain: Any, public: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not overridden(args, kwargs):
        return plain(*args, **kwargs)
    defaults = dict(zip(kwargs, plain.__defaults__ or ())) | (plain.__kwdefaults__ or {})
    given = {name: v for name, v in kwargs.items() if name not in defaults or v is not defaults[name]}
    return call_override(plain, public, args, given)


asking.begin = staticmethod(let_ask)
