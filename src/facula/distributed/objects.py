"""Python objects between processes, as pickles: only for programs whose processes trust each other."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from .._tensor import Tensor
from .collectives import root_of
from .point_to_point import recv, send
from .process_group import ProcessGroup, resolved
from .queries import warn_not_in_group

__all__ = [
    "all_gather_object", "broadcast_object_list", "gather_object", "recv_object_list", "scatter_object_list",
    "send_object_list",
]  # fmt: skip

Array = np.ndarray[Any, Any]


def _packed(value: Any) -> Array:
    return np.frombuffer(pickle.dumps(value), np.uint8).copy()


def _unpacked(array: Array) -> Any:
    return pickle.loads(array.tobytes())


def _everybodys(own: Array, group: ProcessGroup, call: str) -> list[Array]:
    """The bytes of all."""
    sizes = np.empty(group.size(), np.int64)
    group.start(call, call, group.data.all_gather(np.array([own.size]), sizes), None, None, False)
    counts = sizes.tolist()
    found = np.empty(sum(counts), np.uint8)
    group.start(call, call, group.data.all_gather_parts(own, found, counts), None, None, False)
    return np.split(found, np.cumsum(counts)[:-1])


def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """Everybody's object, to all."""
    among = resolved(group)
    if among is None:
        return warn_not_in_group("all_gather_object")
    for i, found in enumerate(_everybodys(_packed(obj), among, "all_gather_object()")):
        object_list[i] = _unpacked(found)
    return None


def gather_object(
    obj: Any, object_gather_list: list[Any] | None = None, dst: int | None = None, group: Any = None,
    group_dst: int | None = None,
) -> None:  # fmt: skip
    """Everybody's object, to one."""
    among = resolved(group)
    if among is None:
        return warn_not_in_group("gather_object")
    root = root_of(among, "gather", "dst", 0 if dst is group_dst is None else dst, group_dst)
    if among.rank() == root and not object_gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    if among.rank() != root and object_gather_list:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    for i, found in enumerate(_everybodys(_packed(obj), among, f"gather_object(dst={among.ranks[root]})")):
        if object_gather_list:
            object_gather_list[i] = _unpacked(found)
    return None


def _from_root(own: Array | None, root: int, group: ProcessGroup, call: str) -> Array:
    """The root's bytes."""
    size = np.array([0 if own is None else own.size])
    group.start(call, call, group.data.broadcast(size, root), None, None, False)
    found = np.empty(int(size[0]), np.uint8) if own is None else own
    group.start(call, call, group.data.broadcast(found, root), None, None, False)
    return found


def broadcast_object_list(
    object_list: list[Any], src: int | None = None, group: Any = None, device: Any = None, group_src: int | None = None
) -> None:
    """One process's objects, to all."""
    among = resolved(group)
    if among is None:
        return warn_not_in_group("broadcast_object_list")
    root = root_of(among, "broadcast", "src", 0 if src is group_src is None else src, group_src)
    own = _packed(list(object_list)) if among.rank() == root else None
    found = _unpacked(_from_root(own, root, among, f"broadcast_object_list(src={among.ranks[root]})"))
    if own is None:
        object_list[:] = found
    return None


def scatter_object_list(
    scatter_object_output_list: list[Any], scatter_object_input_list: list[Any] | None = None, src: int | None = None,
    group: Any = None, group_src: int | None = None,
) -> None:  # fmt: skip
    """The i-th of one process's objects, to the i-th process."""
    if not isinstance(scatter_object_output_list, list) or len(scatter_object_output_list) < 1:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    among = resolved(group)
    if among is None:
        return warn_not_in_group("scatter_object_list")
    root = root_of(among, "scatter", "src", 0 if src is group_src is None else src, group_src)
    own = None
    if among.rank() == root:
        if not scatter_object_input_list or len(scatter_object_input_list) != among.size():
            raise ValueError("Expected argument scatter_object_input_list to have one object for each rank.")
        own = _packed([pickle.dumps(each) for each in scatter_object_input_list])
    found = _from_root(own, root, among, f"scatter_object_list(src={among.ranks[root]})")
    scatter_object_output_list[0] = pickle.loads(_unpacked(found)[among.rank()])
    return None


def send_object_list(
    object_list: list[Any], dst: int | None = None, group: Any = None, device: Any = None, group_dst: int | None = None,
    use_batch: bool = False,
) -> None:  # fmt: skip
    """Objects, to one process."""
    data = _packed(list(object_list))
    send(Tensor._wrap(np.array([data.size])), dst, group, group_dst=group_dst)
    send(Tensor._wrap(data), dst, group, group_dst=group_dst)


def recv_object_list(
    object_list: list[Any], src: int | None = None, group: Any = None, device: Any = None, group_src: int | None = None,
    use_batch: bool = False,
) -> int:  # fmt: skip
    """Objects that another process sends, and who it was."""
    size = Tensor._wrap(np.zeros(1, np.int64))
    source = recv(size, src, group, group_src=group_src)
    data = Tensor._wrap(np.empty(int(size._array[0]), np.uint8))
    recv(data, source, group)
    object_list[:] = _unpacked(data._array)
    return source
