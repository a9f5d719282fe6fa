"""``torch.utils.weak``: references that keep nothing alive, and dictionaries whose keys are told apart by identity."""

from __future__ import annotations

import copy
import operator
import weakref
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from typing import Any
from weakref import ref

from .._tensor import Tensor

WeakRef = ref

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]


class _KeyRef(ref):
    """A weak reference that stands for a key: it keeps its hash when the key has gone."""

    __slots__ = ("_id",)
    _hash_of: Any
    _are_same: Any

    def __init__(self, key: Any, callback: Any = None) -> None:
        super().__init__(key, callback)  # type: ignore[call-arg]
        self._id: int = self._hash_of(key)

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        here, there = self(), other() if isinstance(other, ref) else None
        if here is None or there is None:
            return self is other
        return bool(self._are_same(here, there))


class WeakIdRef(_KeyRef):
    """A weak reference that equals another by the identity of what it refers to."""

    __slots__ = ()
    _hash_of = staticmethod(id)
    _are_same = staticmethod(operator.is_)


class _WeakHashRef(_KeyRef):
    """A weak reference that equals another if what they refer to is equal."""

    __slots__ = ()
    _hash_of = staticmethod(hash)
    _are_same = staticmethod(operator.eq)


class WeakIdKeyDictionary(MutableMapping[Any, Any]):
    """A dictionary that forgets an item when nothing else refers to its key."""

    def __init__(self, dict: Any = None, ref_type: Any = WeakIdRef) -> None:
        self.data: dict_[Any, Any] = {}
        self.ref_type = ref_type
        this = ref(self)

        def remove(reference: Any) -> None:
            found = this()
            if found is not None:
                found.data.pop(reference, None)

        self._remove = remove
        if dict is not None:
            self.update(dict)

    def _living(self) -> Iterator[tuple[Any, Any]]:
        """Items whose keys are there, even if others come and go meanwhile."""
        for reference, value in list(self.data.copy().items()):
            key = reference()
            if key is not None:
                yield key, value

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self.ref_type(key, self._remove)] = value

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __len__(self) -> int:
        return len(self.data)

    def __contains__(self, key: object) -> bool:
        try:
            reference = self.ref_type(key)
        except TypeError:
            return False
        return reference in self.data

    def __iter__(self) -> Iterator[Any]:
        return (key for key, _ in self._living())

    def keys(self) -> Any:
        return iter(self)

    def values(self) -> Any:
        return (value for _, value in self._living())

    def items(self) -> Any:
        return self._living()

    def keyrefs(self) -> list[Any]:
        """References to the keys; they may have gone."""
        return list(self.data)

    def popitem(self) -> tuple[Any, Any]:
        while True:
            reference, value = self.data.popitem()
            key = reference()
            if key is not None:
                return key, value

    def pop(self, key: Any, *default: Any) -> Any:
        return self.data.pop(self.ref_type(key), *default)

    def get(self, key: Any, default: Any = None) -> Any:
        return self.data.get(self.ref_type(key), default)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        return self.data.setdefault(self.ref_type(key, self._remove), default)

    def update(self, dict: Any = None, /, **kwargs: Any) -> None:
        items: Iterable[Any] = ()
        if dict is not None:
            items = dict.items() if hasattr(dict, "items") else dict_(dict).items()
        for key, value in items:
            self[key] = value
        for name, value in kwargs.items():
            self[name] = value

    def copy(self) -> WeakIdKeyDictionary:
        return WeakIdKeyDictionary(self, self.ref_type)

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> WeakIdKeyDictionary:
        new = self.__class__(ref_type=self.ref_type)
        for key, value in self._living():
            new[key] = copy.deepcopy(value, memo)
        return new

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, Mapping):
            return NotImplemented
        new = self.copy()
        new.update(other)
        return new

    def __ror__(self, other: Any) -> Any:
        if not isinstance(other, Mapping):
            return NotImplemented
        new = self.__class__(ref_type=self.ref_type)
        new.update(other)
        new.update(self)
        return new

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        mine = {id(key): value for key, value in self.items()}
        return mine == {id(key): value for key, value in other.items()}

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self.__class__.__name__} at {id(self):#x}>"


dict_ = dict
WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor."""

    ref: weakref.ref[Tensor]

    def __init__(self, tensor: Tensor) -> None:
        if not isinstance(tensor, Tensor):
            raise AssertionError(f"expected torch.Tensor, got {type(tensor)}.")
        self.ref = weakref.ref(tensor)

    def __call__(self) -> Tensor | None:
        return self.ref()
