"""What a conformance case may look at, told in plain JSON-able values.

A case is a function of one argument, the library under test (PyTorch, or facula standing in for it). It does
something and returns what it observed. The same case runs on both libraries; the observations must agree:
numbers within a tolerance, everything else exactly. See ``README.md`` beside this file.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

Case = Callable[[Any], Any]


def case(fn: Case) -> Case:
    """Mark a function of a ``cases_*`` module as a conformance case."""
    fn.is_case = True  # type: ignore[attr-defined]
    return fn


def cases_of(module: Any) -> dict[str, Case]:
    return {name: fn for name, fn in vars(module).items() if getattr(fn, "is_case", False)}


def name_of(fn: Any) -> str | None:
    """The name of a graph node, None where there is none."""
    return None if fn is None else type(fn).__name__


def see(torch: Any, t: Any) -> Any:
    """Everything observable of a tensor (or of tensors in lists, tuples and dicts)."""
    if isinstance(t, torch.Tensor):
        if t.device.type == "meta":
            values: Any = "meta"
        elif t.dtype == torch.bfloat16:
            values = t.detach().to(torch.float32).tolist()
        else:
            values = plain(t.detach().resolve_conj().resolve_neg().tolist())
        return {
            "values": values,
            "shape": list(t.shape),
            "dtype": str(t.dtype),
            "requires_grad": t.requires_grad,
            "grad_fn": name_of(t.grad_fn),
        }
    if isinstance(t, dict):
        return {str(k): see(torch, v) for k, v in t.items()}
    if isinstance(t, (list, tuple)):
        return [see(torch, v) for v in t]
    return plain(t)


def plain(v: Any) -> Any:
    """Complex numbers and tuples as JSON can hold them; anything JSON cannot hold as its string."""
    if isinstance(v, complex):
        return {"complex": [v.real, v.imag]}
    if isinstance(v, (list, tuple)):
        return [plain(x) for x in v]
    if isinstance(v, dict):
        return {str(k): plain(x) for k, x in v.items()}
    if v is None or isinstance(v, (bool, int, float, str)):
        return v
    return str(v)


def error(fn: Callable[[], Any]) -> Any:
    """The exception that ``fn`` raises, as ``{"raises": type, "message": text}``; what it returned if none."""
    try:
        result = fn()
    except Exception as e:
        return {"raises": type(e).__name__, "message": str(e)}
    return {"returned": plain(result)}


def warned(fn: Callable[[], Any]) -> list[list[str]]:
    """Category and first line of each warning that ``fn`` gives."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        fn()
    return [[w.category.__name__, str(w.message).split("\n")[0]] for w in seen]


def graph(fn: Any) -> Any:
    """A graph below a node as nested names: ``["AddBackward0", [["MulBackward0", 0, [...]], None]]``."""
    if fn is None:
        return None
    return [name_of(fn), [None if n is None else [nr, graph(n)] for n, nr in fn.next_functions]]
