"""Lists and dicts that cannot be changed: what the arguments of a node are kept in."""

from __future__ import annotations

from typing import Any, NoReturn

from .._core.pytree import KINDS, Kind

__all__ = ["immutable_dict", "immutable_list"]


def _no_mutation(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    raise TypeError(
        f"'{type(self).__name__}' object does not support mutation. If you are attempting to modify the kwargs or args "
        "of a torch.fx.Node object,\ninstead create a new copy of it and assign the copy to the node:\n\n"
        "    new_args = ...  # copy and mutate args\n    node.args = new_args"
    )


class immutable_list(list[Any]):
    """A list that can be read and hashed."""

    append = extend = insert = pop = remove = clear = reverse = sort = _no_mutation
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _no_mutation

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> Any:
        return type(self), (tuple(self),)


class immutable_dict(dict[Any, Any]):
    """A dict that can be read and hashed."""

    clear = pop = popitem = setdefault = update = _no_mutation
    __setitem__ = __delitem__ = __ior__ = _no_mutation

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> Any:
        return type(self), (tuple(self.items()),)


KINDS[immutable_list] = Kind(lambda x: (list(x), None), lambda values, _: immutable_list(values))
KINDS[immutable_dict] = Kind(
    lambda x: (list(x.values()), list(x)), lambda values, keys: immutable_dict(zip(keys, values))
)
