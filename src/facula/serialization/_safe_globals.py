"""Which names a file may use: those that tensors and containers are made of, and those that the user adds."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

from .._core.devices import device
from .._core.dtypes import dtype
from .._core.size import Size
from .._core.storage import TypedStorage, UntypedStorage
from .._tensor import Tensor
from ..nn.parameter import Parameter
from . import _rebuild
from ._names import STORAGE_NAMES, StorageType, torch_name

_added: list[Any] = []


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Let files use these classes and functions; a pair gives the full name that a file has for one."""
    for item in safe_globals:
        if item not in _added:
            _added.append(item)


def get_safe_globals() -> list[Any]:
    """What the user has added."""
    return list(_added)


def clear_safe_globals() -> None:
    """Take back all that was added."""
    _added.clear()


class safe_globals:
    """Add names for the length of a ``with`` block."""

    def __init__(self, safe_globals: list[Any]) -> None:
        self.safe_globals = safe_globals

    def __enter__(self) -> None:
        self._before = list(_added)
        add_safe_globals(self.safe_globals)

    def __exit__(self, *exc: object) -> None:
        _added[:] = self._before


def added_by_name() -> dict[str, Any]:
    """What the user added, by the names that files have for it."""
    found: dict[str, Any] = {}
    for item in _added:
        if isinstance(item, tuple):
            if len(item) != 2:
                raise ValueError(
                    "Expected tuple of length 2 (global, str of callable full path), but got tuple of length: "
                    f"{len(item)}"
                )
            if type(item[1]) is not str:
                raise TypeError(
                    f"Expected second item in tuple to be str of callable full path, but got: {type(item[1])}"
                )
            found[item[1]] = item[0]
        else:
            module, name = item.__module__, item.__qualname__
            found[f"{module}.{name}"] = item
            known = torch_name(module, name)
            if known is not None:
                found[".".join(known)] = item
    return found


# ---- calls that files may make without asking, and what they may be called with


def _count(least: int, most: int) -> Callable[[Any], bool]:
    return lambda args: least <= len(args) <= most


def _bytearray_args(args: Any) -> bool:
    return not args or isinstance(args[0], (bytes, bytearray)) or (len(args) >= 2 and args[1] in _ENCODINGS)


def _encode_args(args: Any) -> bool:
    return len(args) == 2 and type(args[0]) is str and args[1] in _ENCODINGS


_ENCODINGS = ("latin1", "latin-1", "utf-8", "ascii")


def _set_args(args: Any) -> bool:
    return not args or (len(args) == 1 and isinstance(args[0], (list, tuple, set)) and all(map(can_be_key, args[0])))


def _numbers(args: Any) -> bool:
    return len(args) <= 2 and all(type(a) in (int, float) for a in args)


def _pairs(args: Any) -> bool:
    return not args or (
        len(args) == 1
        and isinstance(args[0], (list, tuple, dict))
        and (
            all(map(can_be_key, args[0]))
            if isinstance(args[0], dict)
            else all(isinstance(p, (list, tuple)) and len(p) == 2 and can_be_key(p[0]) for p in args[0])
        )
    )


def _counts(args: Any) -> bool:
    return not args or (len(args) == 1 and isinstance(args[0], dict))


def _size_args(args: Any) -> bool:
    return len(args) == 1 and isinstance(args[0], (tuple, list)) and all(type(n) is int for n in args[0])


def _device_args(args: Any) -> bool:
    return 1 <= len(args) <= 2 and type(args[0]) is str and (len(args) == 1 or type(args[1]) in (int, type(None)))


def _from_type_args(args: Any) -> bool:
    """The function within must be one that makes tensors, and the class one of tensors."""
    return (
        len(args) == 4
        and any(args[0] is maker for maker in _TENSOR_MAKERS)
        and isinstance(args[1], type)
        and issubclass(args[1], Tensor)
        and isinstance(args[2], tuple)
        and isinstance(args[3], (dict, tuple, type(None)))
    )


_MAX_KEY_DEPTH = 20
_MAX_KEY_SIZE = 10_000


def can_be_key(value: Any) -> bool:
    """Whether a dict may have a key: hashing must neither run foreign code, nor go deep, nor take long."""
    return _key_size(value, 0, {}) <= _MAX_KEY_SIZE


def _key_size(value: Any, depth: int, known: dict[int, int]) -> int:
    """How many items hashing looks at: those of a tuple as often as it occurs, which may be exponentially often."""
    if not isinstance(value, tuple):
        return _MAX_KEY_SIZE + 1 if isinstance(value, (list, dict, set, bytearray)) else 1
    size = known.get(id(value))
    if size is None:
        size = 1
        for item in value:
            size += _key_size(item, depth + 1, known) if depth < _MAX_KEY_DEPTH else _MAX_KEY_SIZE
            if size > _MAX_KEY_SIZE:
                break
        known[id(value)] = size
    return size


_TENSOR_MAKERS: tuple[Any, ...] = (
    _rebuild.tensor, _rebuild.tensor_v2, _rebuild.tensor_v3, _rebuild.parameter, _rebuild.parameter_with_state,
    _rebuild.meta_tensor, _rebuild.device_tensor_from_cpu_tensor, _rebuild.sparse_tensor,
)  # fmt: skip

Checked = Callable[[Any], bool]

_CALLS: dict[str, tuple[Any, Checked]] = {
    "collections.OrderedDict": (OrderedDict, _pairs),
    "collections.Counter": (Counter, _counts),
    "builtins.set": (set, _set_args),
    "builtins.bytearray": (bytearray, _bytearray_args),
    "builtins.complex": (complex, _numbers),
    "torch.Size": (Size, _size_args),
    "torch.device": (device, _device_args),
    "torch._utils._rebuild_tensor": (_rebuild.tensor, _count(4, 4)),
    "torch._utils._rebuild_tensor_v2": (_rebuild.tensor_v2, _count(6, 7)),
    "torch._utils._rebuild_tensor_v3": (_rebuild.tensor_v3, _count(7, 8)),
    "torch._utils._rebuild_sparse_tensor": (
        _rebuild.sparse_tensor, lambda args: len(args) == 2 and isinstance(args[1], tuple),
    ),
    "torch._utils._rebuild_parameter": (_rebuild.parameter, _count(3, 3)),
    "torch._utils._rebuild_parameter_with_state": (_rebuild.parameter_with_state, _count(4, 4)),
    "torch._utils._rebuild_meta_tensor_no_storage": (
        _rebuild.meta_tensor, lambda args: len(args) == 4 and isinstance(args[0], dtype),
    ),
    "torch._utils._rebuild_device_tensor_from_cpu_tensor": (
        _rebuild.device_tensor_from_cpu_tensor,
        lambda args: len(args) == 4 and isinstance(args[0], Tensor) and isinstance(args[1], dtype),
    ),
    "torch._tensor._rebuild_from_type_v2": (_rebuild.from_type_v2, _from_type_args),
    "torch.serialization._get_layout": (_rebuild.layout, lambda args: len(args) == 1 and type(args[0]) is str),
    "torch.nn.parameter.Parameter": (Parameter, lambda args: False),
    "torch.Tensor": (Tensor, lambda args: False),
    "torch.storage.TypedStorage": (TypedStorage, lambda args: False),
    "torch.storage.UntypedStorage": (UntypedStorage, lambda args: False),
}  # fmt: skip


def _encode(text: str, encoding: str) -> bytes:
    return text.encode(encoding)


def allowed_by_name() -> dict[str, Any]:
    """All that files may name without asking."""
    found: dict[str, Any] = {name: value for name, (value, _) in _CALLS.items()}
    found["_codecs.encode"] = _encode
    for name, d in dtype._by_name.items():
        found[f"torch.{name}"] = d
    for name in STORAGE_NAMES:
        found[f"torch.{name}"] = found[f"torch.cuda.{name}"] = StorageType(name)
    return found


ALLOWED = allowed_by_name()
MAY_CALL: dict[int, Checked] = {id(value): check for value, check in _CALLS.values()} | {id(_encode): _encode_args}
"""By identity: what REDUCE may call, and whether with these arguments."""

BLOCKED_MODULES = frozenset(("sys", "os", "posix", "nt"))
