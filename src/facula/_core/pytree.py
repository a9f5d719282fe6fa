"""Nested containers of values: taking them apart into leaves and a plan, and putting them together again.

What facula itself needs of them; ``utils._pytree`` has the rest of PyTorch's names.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from typing import Any

from ..return_types import Result
from .size import Size

PyTree = Any


class Kind:
    """How one type of container is taken apart and put together."""

    __slots__ = ("flatten", "unflatten")

    def __init__(self, flatten: Callable[[Any], tuple[list[Any], Any]], unflatten: Callable[[list[Any], Any], Any]):
        self.flatten = flatten
        self.unflatten = unflatten

    @property
    def flatten_fn(self) -> Callable[[Any], tuple[list[Any], Any]]:
        """PyTorch's name for it, as others use it."""
        return self.flatten

    @property
    def unflatten_fn(self) -> Callable[[list[Any], Any], Any]:
        return self.unflatten


def _flatten_namedtuple(x: Any) -> tuple[list[Any], Any]:
    return list(x), type(x)


_RESULT = Kind(_flatten_namedtuple, lambda values, cls: cls(values))  # of an operator, as in ``return_types``
_NAMEDTUPLE = Kind(_flatten_namedtuple, lambda values, cls: cls(*values))

KINDS: dict[Any, Kind] = {
    namedtuple: _NAMEDTUPLE,
    tuple: Kind(lambda x: (list(x), None), lambda values, _: tuple(values)),
    list: Kind(lambda x: (list(x), None), lambda values, _: list(values)),
    Size: Kind(lambda x: (list(x), None), lambda values, _: tuple(values)),  # as leaves need not be numbers
    dict: Kind(lambda x: (list(x.values()), list(x)), lambda values, keys: dict(zip(keys, values))),
    OrderedDict: Kind(lambda x: (list(x.values()), list(x)), lambda values, keys: OrderedDict(zip(keys, values))),
    defaultdict: Kind(
        lambda x: (list(x.values()), (x.default_factory, list(x))),
        lambda values, how: defaultdict(how[0], zip(how[1], values)),
    ),
    deque: Kind(lambda x: (list(x), x.maxlen), lambda values, maxlen: deque(values, maxlen)),
}

_DICTS = {dict, OrderedDict, defaultdict}  # one stands for the other where trees are walked together
_BUILTIN = {tuple, list, deque} | _DICTS


_STANDS_FOR: dict[type, type] = {}


def stands_for(cls: type, other: type) -> None:
    """Make a class a container that is taken for one of another class."""
    KINDS[cls] = KINDS[other]
    _STANDS_FOR[cls] = other


def node_type(x: Any) -> type:
    """The class that a container counts as."""
    return _STANDS_FOR.get(type(x), type(x))


def is_namedtuple_class(cls: type) -> bool:
    return issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple)


def kind_of(x: Any) -> Kind | None:
    """How a container is taken apart; None for a leaf."""
    found = KINDS.get(type(x))
    return _kind_of_tuple(type(x)) if found is None and isinstance(x, tuple) else found


def _kind_of_tuple(cls: type) -> Kind | None:
    if not issubclass(cls, tuple):
        return None
    return _RESULT if issubclass(cls, Result) else _NAMEDTUPLE if is_namedtuple_class(cls) else None


def _is_same_context(a: Any, b: Any) -> bool:
    """Keys of dicts may be tensors, which are the same if they are one."""
    if a is b:
        return True
    if type(a) is list and type(b) is list:
        return len(a) == len(b) and all(x is y or (not hasattr(x, "shape") and x == y) for x, y in zip(a, b))
    return bool(a == b)


class TreeSpec:
    """The plan of a nested container: its type, what else it takes to make it, and the plans of its children."""

    __slots__ = ("children_specs", "context", "num_children", "num_leaves", "num_nodes", "type")

    def __init__(self, type: Any, context: Any, children_specs: list[TreeSpec]) -> None:
        self.type = type
        self.context = context
        self.children_specs = children_specs
        self.num_children = len(children_specs)
        leaves = 1 if type is None else 0
        nodes = 1
        for s in children_specs:
            leaves += s.num_leaves
            nodes += s.num_nodes
        self.num_leaves: int = leaves
        self.num_nodes: int = nodes

    def is_leaf(self) -> bool:
        return self.type is None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TreeSpec)
            and self.type is other.type
            and _is_same_context(self.context, other.context)
            and self.children_specs == other.children_specs
        )

    def __hash__(self) -> int:
        return hash((self.type, self.num_leaves))

    def __repr__(self) -> str:
        if self.type is None:
            return "*"
        children = ",\n  ".join(repr(s).replace("\n", "\n  ") for s in self.children_specs)
        return f"TreeSpec({self.type.__name__}, {self.context}, [{children}])"

    def children(self) -> list[TreeSpec]:
        return list(self.children_specs)

    def child(self, index: int) -> TreeSpec:
        return self.children_specs[index]

    def flatten_up_to(self, tree: Any) -> list[Any]:
        return flatten_up_to(self, tree)

    def unflatten(self, leaves: Any) -> Any:
        return tree_unflatten(leaves, self)


class LeafSpec(TreeSpec):
    """The plan of a leaf."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(None, None, [])


LEAF = LeafSpec()


def tree_flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], TreeSpec]:
    """The leaves of a nested container, in order, and its plan."""
    leaves: list[Any] = []
    return leaves, _flatten_into(tree, leaves, is_leaf)


def _flatten_into(tree: Any, leaves: list[Any], is_leaf: Callable[[Any], bool] | None) -> TreeSpec:
    kind = None if is_leaf is not None and is_leaf(tree) else kind_of(tree)
    if kind is None:
        leaves.append(tree)
        return LEAF
    children, context = kind.flatten(tree)
    return TreeSpec(node_type(tree), context, [_flatten_into(c, leaves, is_leaf) for c in children])


def tree_unflatten(leaves: Any, spec: TreeSpec) -> Any:
    """Put a nested container together from its leaves."""
    leaves = list(leaves)
    if len(leaves) != spec.num_leaves:
        raise ValueError(
            f"tree_unflatten(leaves, treespec): `leaves` has length {len(leaves)} but the spec refers to a pytree that "
            f"holds {spec.num_leaves} items ({spec})."
        )
    return _unflatten(iter(leaves), spec)


def _unflatten(leaves: Any, spec: TreeSpec) -> Any:
    if spec.type is None:
        return next(leaves)
    kind: Any = KINDS.get(spec.type) or _kind_of_tuple(spec.type)
    return kind.unflatten([_unflatten(leaves, s) for s in spec.children_specs], spec.context)


def tree_leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> TreeSpec:
    return tree_flatten(tree, is_leaf)[1]


def tree_map(fn: Callable[..., Any], tree: Any, *rests: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """The same container with ``fn`` of each leaf (and of the leaves of others like it)."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [flatten_up_to(spec, r) for r in rests]
    return tree_unflatten([fn(*given) for given in zip(leaves, *others, strict=True)], spec)


def flatten_up_to(spec: TreeSpec, tree: Any) -> list[Any]:
    """The parts of a container that stand where a plan has leaves."""
    if spec.type is None:
        return [tree]
    kind = kind_of(tree)
    of_dicts = spec.type in _DICTS and node_type(tree) in _DICTS
    if kind is None or not (of_dicts or node_type(tree) is spec.type):
        which = "Node type" if spec.type in _BUILTIN or is_namedtuple_class(spec.type) else "Type"
        raise ValueError(f"{which} mismatch; expected {spec.type!r}, but got {type(tree)!r}.")
    children, context = kind.flatten(tree)
    if len(children) != spec.num_children:
        raise ValueError(f"Node arity mismatch; expected {spec.num_children}, but got {len(children)}.")
    if of_dicts:
        children = _in_order_of(spec, tree)
    elif spec.type not in _BUILTIN and not _is_same_context(context, spec.context):
        raise ValueError(f"Node context mismatch for custom node type {spec.type!r}.")
    return [leaf for s, c in zip(spec.children_specs, children) for leaf in flatten_up_to(s, c)]


def _in_order_of(spec: TreeSpec, tree: dict[Any, Any]) -> list[Any]:
    """The values of a dict in the order of the keys of another one, of which there is the plan."""
    keys = spec.context[1] if spec.type is defaultdict else spec.context
    if not _is_same_context(keys, list(tree)):
        expected, got = set(keys), set(tree)
        if expected != got:
            missing = f" missing key(s): {expected - got};" if expected - got else ""
            extra = f" extra key(s): {got - expected};" if got - expected else ""
            raise ValueError(f"Node keys mismatch;{missing}{extra}"[:-1] + ".")
    return [tree[key] for key in keys]


def broadcast_to_and_flatten(tree: Any, spec: TreeSpec) -> list[Any] | None:
    """Leaves for a plan from a container that may stop early: a leaf counts for all below it. None if nothing fits."""
    if spec.type is None:
        return [tree] if kind_of(tree) is None else None
    kind = kind_of(tree)
    if kind is None:
        return [tree] * spec.num_leaves
    if node_type(tree) is not spec.type:
        return None
    children, context = kind.flatten(tree)
    if len(children) != spec.num_children or context != spec.context:
        return None
    found: list[Any] = []
    for child, s in zip(children, spec.children_specs):
        part = broadcast_to_and_flatten(child, s)
        if part is None:
            return None
        found += part
    return found


def register(
    cls: type, flatten: Callable[[Any], tuple[Any, Any]], unflatten: Callable[[Any, Any], Any]
) -> None:
    """Make a class a container."""
    KINDS[cls] = Kind(lambda x: (lambda parts: (list(parts[0]), parts[1]))(flatten(x)), unflatten)
