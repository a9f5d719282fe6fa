"""What error messages tell of a file's values: never more than a few words, whatever the file has made of them."""

from __future__ import annotations

from typing import Any

_MOST = 60


def shown(value: Any) -> str:
    """A short text, a name or a number of moderate size as it is; of anything else the type."""
    if type(value) is str:
        return repr(value if len(value) <= _MOST else value[:_MOST] + "...")
    if type(value) is int and value.bit_length() <= 128:
        return str(value)
    if type(value) in (bool, float, type(None)) or isinstance(value, type):
        return str(value)
    return str(type(value))


def all_shown(values: Any) -> str:
    """Several of them as a list."""
    told = [shown(value) for value in values[:_MOST]]
    return f"[{', '.join(told)}{', ...' * (len(values) > _MOST)}]"
