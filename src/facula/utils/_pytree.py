"""``torch.utils._pytree``: what other packages use of PyTorch's nested containers."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from .._core.pytree import KINDS as SUPPORTED_NODES
from .._core.pytree import (
    LeafSpec,
    PyTree,
    TreeSpec,
    is_namedtuple_class,
    kind_of,
    node_type,
    tree_flatten,
    tree_leaves,
    tree_map,
    tree_structure,
    tree_unflatten,
)
from .._core.pytree import broadcast_to_and_flatten as _broadcast_to_and_flatten  # noqa: F401
from .._core.pytree import register as _register
from ..return_types import Result

__all__ = [
    "LeafSpec", "MappingKey", "PyTree", "SequenceKey", "TreeSpec", "is_namedtuple_class", "is_namedtuple_instance",
    "keystr", "register_pytree_node", "tree_all", "tree_all_only", "tree_any", "tree_any_only", "tree_flatten",
    "tree_flatten_with_path", "tree_is_leaf", "tree_iter", "tree_leaves", "tree_leaves_with_path", "tree_map",
    "tree_map_", "tree_map_only", "tree_map_only_", "tree_map_with_path", "tree_structure", "tree_unflatten",
]  # fmt: skip

Context = Any
_IsLeaf = Callable[[Any], bool] | None
PyTreeSpec = TreeSpec


def is_namedtuple_instance(obj: object) -> bool:
    return is_namedtuple_class(type(obj))


def _get_node_type(tree: Any) -> Any:
    """By what a container is registered: its class, or ``namedtuple`` for classes made by that."""
    return namedtuple if is_namedtuple_instance(tree) and not isinstance(tree, Result) else node_type(tree)


def register_pytree_node(
    cls: type, flatten_fn: Callable[[Any], tuple[Any, Any]], unflatten_fn: Callable[[Any, Any], Any], **_: Any
) -> None:
    """Make a class a container."""
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    _register(cls, flatten_fn, unflatten_fn)


_register_pytree_node = register_pytree_node


def tree_is_leaf(tree: Any, is_leaf: _IsLeaf = None) -> bool:
    return kind_of(tree) is None or (is_leaf is not None and is_leaf(tree))


def tree_iter(tree: Any, is_leaf: _IsLeaf = None) -> Iterable[Any]:
    return iter(tree_leaves(tree, is_leaf))


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: _IsLeaf = None) -> Any:
    """Call ``func`` on each leaf, and return the container as it is."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


# ---- only some leaves


def _test_of(kind: Any) -> Callable[[Any], bool]:
    if isinstance(kind, (type, tuple)) or hasattr(kind, "__or__"):
        return lambda x: isinstance(x, kind)
    if callable(kind):
        test: Callable[[Any], bool] = kind
        return test
    raise TypeError("Argument must be a type, a tuple of types, or a callable.")


def map_only(type_or_types_or_pred: Any, /) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """A decorator: leave other leaves as they are."""
    fits = _test_of(type_or_types_or_pred)

    def decorate(func: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda x: func(x) if fits(x) else x

    return decorate


def tree_map_only(
    type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: Any, is_leaf: _IsLeaf = None
) -> Any:
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(
    type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: Any, is_leaf: _IsLeaf = None
) -> Any:
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: _IsLeaf = None) -> bool:
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: _IsLeaf = None) -> bool:
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(kind: Any, /, pred: Callable[[Any], bool], tree: Any, is_leaf: _IsLeaf = None) -> bool:
    return all(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, kind))


def tree_any_only(kind: Any, /, pred: Callable[[Any], bool], tree: Any, is_leaf: _IsLeaf = None) -> bool:
    return any(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, kind))


# ---- leaves and the way to them


class SequenceKey(NamedTuple):
    """A place in a list or tuple."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        return sequence[self.idx]


class MappingKey(NamedTuple):
    """A key of a dict."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        return mapping[self.key]


class GetAttrKey(NamedTuple):
    """An attribute."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        return getattr(obj, self.name)


KeyPath = tuple[Any, ...]


def keystr(kp: KeyPath) -> str:
    """A way to a leaf as Python would write it."""
    return "".join(map(str, kp))


def arg_tree_leaves(*args: Any, **kwargs: Any) -> list[Any]:
    """The leaves among the arguments of a call."""
    return [*tree_leaves(args), *tree_leaves(kwargs)]


def tree_leaves_with_path(tree: Any, is_leaf: _IsLeaf = None) -> list[tuple[KeyPath, Any]]:
    kind = None if is_leaf is not None and is_leaf(tree) else kind_of(tree)
    if kind is None:
        return [((), tree)]
    children, _ = kind.flatten(tree)
    keys: list[Any]
    if isinstance(tree, dict):
        keys = [MappingKey(k) for k in tree]
    elif is_namedtuple_instance(tree):
        keys = [GetAttrKey(name) for name in tree._fields]
    else:
        keys = [SequenceKey(i) for i in range(len(children))]
    return [
        ((key, *path), leaf)
        for key, child in zip(keys, children)
        for path, leaf in tree_leaves_with_path(child, is_leaf)
    ]


def tree_flatten_with_path(tree: Any, is_leaf: _IsLeaf = None) -> tuple[list[tuple[KeyPath, Any]], TreeSpec]:
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: _IsLeaf = None) -> Any:
    """The same container with ``func(path, leaf)`` of each leaf."""
    found, spec = tree_flatten_with_path(tree, is_leaf)
    others = [tree_leaves(r, is_leaf) for r in rests]
    return tree_unflatten([func(path, leaf, *more) for (path, leaf), *more in zip(found, *others)], spec)


# ---- parts by which other packages build containers of their own


def _dict_flatten(d: dict[Any, Any]) -> tuple[list[Any], Any]:
    return list(d.values()), list(d)


def _dict_unflatten(values: Iterable[Any], context: Any) -> dict[Any, Any]:
    return dict(zip(context, values))


def _dict_flatten_with_keys(d: dict[Any, Any]) -> tuple[list[tuple[Any, Any]], Any]:
    return [(MappingKey(key), value) for key, value in d.items()], list(d)


def _list_flatten(d: list[Any]) -> tuple[list[Any], Any]:
    return d, None


def _list_unflatten(values: Iterable[Any], context: Any) -> list[Any]:
    return list(values)


def _list_flatten_with_keys(d: list[Any]) -> tuple[list[tuple[Any, Any]], Any]:
    return [(SequenceKey(i), v) for i, v in enumerate(d)], None


def _namedtuple_flatten(d: Any) -> tuple[list[Any], Any]:
    return list(d), type(d)


def _namedtuple_unflatten(values: Iterable[Any], context: Any) -> Any:
    return context(*values)


def is_structseq_instance(obj: object) -> bool:
    """Whether it is of a class like those of ``torch.return_types``."""
    return isinstance(obj, Result)
