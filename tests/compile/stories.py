"""Stories: small programs that call a compiled function several times and change something in between.

A story is given ``compiled``, which leaves functions as they are in an eager run, and notes what it sees. Both runs
must have seen the same: values, dtypes, strides, versions, gradients, errors.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import facula as torch

Story = Callable[[Callable[..., Any], Callable[..., None]], None]
STORIES: dict[str, Story] = {}


def story(tell: Story) -> Story:
    assert tell.__name__ not in STORIES
    STORIES[tell.__name__] = tell
    return tell


def seen(value: Any) -> Any:
    """What can be seen of a value."""
    if isinstance(value, torch.Tensor):
        strides = [s for s, n in zip(value.stride(), value.shape) if n > 1]
        has = (value.requires_grad, value.is_leaf, value._version, None if not value.is_leaf else seen(value.grad))
        elements = value.detach().clone().as_subclass(torch.Tensor)
        return type(value).__name__, value.dtype, value.device, value.shape, strides, has, elements
    if isinstance(value, dict):
        return type(value), [(key, seen(item)) for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value), [seen(item) for item in value]
    if isinstance(value, Exception):
        return type(value), str(value)
    return value


def told(tell: Story, compiled: Callable[..., Any]) -> list[Any]:
    notes: list[Any] = []
    torch.compiler.reset()
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tell(compiled, lambda *values: notes.append(seen(values)))
    return notes


def assert_same(found: Any, expected: Any, where: str = "") -> None:
    if isinstance(expected, torch.Tensor):
        if expected.is_meta:
            assert found.is_meta, where
        else:
            torch.testing.assert_close(found, expected, equal_nan=True, msg=lambda text: f"{where}: {text}")
    elif type(expected) in (list, tuple):
        assert type(found) is type(expected) and len(found) == len(expected), (where, found, expected)
        for i, (a, b) in enumerate(zip(found, expected)):
            assert_same(a, b, f"{where}[{i}]")
    else:
        assert type(found) is type(expected) and (found == expected or found != found), (where, found, expected)


def attempted(fn: Callable[..., Any], *args: Any) -> Any:
    """What a call gives, or the error that it raises."""
    try:
        return fn(*args)
    except Exception as error:
        return error
