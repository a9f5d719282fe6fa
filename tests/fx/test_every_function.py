"""Proxies through every public function: each call is one node, whatever the function does inside.

With PyTorch installed, the nodes are the same as PyTorch's, but for functions that are one here and two there.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import facula
from facula import _lazy
from facula.overrides import get_ignored_functions

PLACES = ("", "nn.functional.", "linalg.", "special.", "fft.")

NOT_TRACED = re.compile(
    r"_foreach|sym_|_assert|from_|frombuffer|is_tensor|can_cast|set_|get_(?!device)|manual_seed|seed$|initial_seed|to_dlpack"
    r"|is_distributed|.*_indices$|autocast|typename|compile|_check|are_|use_|as_torch|load$|save$|vmap|upsample"
    r"|promote_types|is_storage|broadcast_shapes|.*freq$|native_channel_shuffle|clear_|is_(?:grad|inference_mode|anomaly|warn"
    r"|vulkan|autocast|determ)|compiled_with|init_num|resize_as_|_is_view"
    r"|(?:add|sub|subtract|true_divide|fill_diagonal)_$"  # methods alone in PyTorch
)


def functions(library: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public functions that take tensors, by path."""
    ignored = get_ignored_functions()
    for place in PLACES:
        home = library
        for part in place.split(".")[:-1]:
            home = getattr(home, part)
        for name in sorted(dir(home)):
            if (
                name.startswith("__")
                or (place and name.startswith(("_", "has_", "handle_")))
                or NOT_TRACED.match(name)
                or (not place and name not in _lazy.FUNCTIONS)
            ):
                continue
            value = getattr(home, name)
            if inspect.isroutine(value) and value not in ignored:
                yield f"{place}{name}", value


def required(function: Callable[..., Any]) -> int | None:
    """How many arguments a call needs; None if that is not known."""
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    positional = [p for p in parameters if p.kind is not p.KEYWORD_ONLY and p.kind is not p.VAR_KEYWORD]
    return len([p for p in positional if p.default is p.empty])


def nodes(library: Any, function: Callable[..., Any], count: int) -> list[Any]:
    """The nodes of a call with nothing but proxies."""
    names = ", ".join(f"a{i}" for i in range(count))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph = library.fx.Tracer().trace(eval(f"lambda {names}: f({names})", {"f": function}))
    return [node for node in graph.nodes if node.op not in ("placeholder", "output")]


def test_each_function_is_one_node() -> None:
    tried = 0
    wrong = []
    for path, function in functions(facula):
        count = required(function)
        if not count:
            continue
        tried += 1
        try:
            found = nodes(facula, function, count)
        except Exception as e:
            wrong.append(f"{path}: {type(e).__name__}: {e}")
            continue
        if len(found) != 1 or found[0].op != "call_function":
            wrong.append(f"{path}: {found}")
        elif facula.fx._names.resolve(name := facula.fx._names.qualified_name(found[0].target)) is not found[0].target:
            wrong.append(f"{path}: the code says {name}, which is something else")
    assert tried > 500
    assert not wrong, "\n".join(wrong)


ONE_HERE = re.compile(
    r"special\.|absolute|arc|clip$|concat|divide$|fix$|ger$|greater|less|moveaxis|multiply|negative|not_equal|row_stack"
    r"|subtract|swapdims|trapz|pca_lowrank|svd_lowrank|nn\.functional\.(?:celu|selu|threshold)"
)
"""Names of one function here, which prints by the first of them, and of several in PyTorch."""

OTHER_ARGUMENTS = ("tensordot", "unravel_index", "l1_loss", "one_hot", "multi_head_attention_forward", "with_indices")
"""Functions that PyTorch hands its arguments on in a way of its own."""


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")
def test_nodes_are_those_of_pytorch() -> None:
    import torch

    compared = 0
    wrong = []
    overridable = torch.overrides.get_testing_overrides()
    for path, function in functions(facula):
        theirs: Any = torch
        for part in path.split("."):
            theirs = getattr(theirs, part, None)
        if theirs is None or theirs not in overridable or ONE_HERE.match(path) or path.endswith(OTHER_ARGUMENTS):
            continue
        count = required(overridable[theirs]) or 2
        try:
            expected = [node.format_node() for node in nodes(torch, theirs, count)]
        except Exception:
            continue
        compared += 1
        try:
            found = [node.format_node() for node in nodes(facula, function, count)]
        except Exception as e:
            found = [f"{type(e).__name__}: {e}"]
        if found != expected:
            wrong.append(f"{path}: {found}, not {expected}")
    assert compared > 500
    assert not wrong, "\n".join(wrong)
