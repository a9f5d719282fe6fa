"""Writing and reading of a checkpoint by a group of processes."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from ...futures import Future
from .. import process_group as groups
from ..objects import all_gather_object

__all__ = ["CheckpointException", "FileSystemReader", "FileSystemWriter", "async_save", "load", "save"]

CONTENTS = ".metadata"
VERSION = 1


class CheckpointException(BaseException):
    """Some ranks have failed; ``failures`` says which, and how."""

    def __init__(self, msg: str, failures: dict[int, BaseException | str]) -> None:
        super().__init__(msg, failures)
        self._failures = failures

    @property
    def failures(self) -> dict[int, BaseException | str]:
        return self._failures

    def __str__(self) -> str:
        each = "".join(f"\nRank {rank}: {failure}" for rank, failure in self._failures.items())
        return f"CheckpointException ranks:{list(self._failures)}{each}"


class FileSystemWriter:
    """A directory to write into."""

    def __init__(self, path: str | os.PathLike[str], *args: Any, **kwargs: Any) -> None:
        self.path = Path(path)


class FileSystemReader:
    """A directory to read from."""

    def __init__(self, path: str | os.PathLike[str], *args: Any, **kwargs: Any) -> None:
        self.path = Path(path)


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[str, Any]]:
    """The tensors and other values within nested dicts and lists, by their paths."""
    if hasattr(value, "state_dict") and not isinstance(value, dict):
        value = value.state_dict()
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from _leaves(each, (*path, key))
    elif isinstance(value, (list, tuple)) and value:
        for i, each in enumerate(value):
            yield from _leaves(each, (*path, i))
    else:
        yield ".".join(map(str, path)), value


def _among(process_group: Any, no_dist: bool) -> groups.ProcessGroup | None:
    if no_dist or not groups.is_initialized():
        return None
    return groups.resolved(process_group)


def _everybodys(value: Any, group: groups.ProcessGroup | None) -> list[Any]:
    if group is None:
        return [value]
    found: list[Any] = [None] * group.size()
    all_gather_object(found, value, group)
    return found


def _all_well(error: Exception | None, group: groups.ProcessGroup | None) -> None:
    """If it failed anywhere, it has failed."""
    failures = {rank: told for rank, told in enumerate(_everybodys(error and repr(error), group)) if told is not None}
    if failures:
        raise CheckpointException("checkpoint", failures) from error


def _directory(checkpoint_id: Any, storage: Any) -> Path:
    if checkpoint_id is None and storage is None:
        raise RuntimeError("`checkpoint_id` must be specified if storage_reader and storage_writer are None.")
    return Path(checkpoint_id if checkpoint_id is not None else storage.path)


def _shares(sizes: list[dict[str, int]]) -> list[list[str]]:
    """Which keys each process writes: the largest first, each by the one of its owners that has least so far."""
    owners: dict[str, list[int]] = {}
    largest: dict[str, int] = {}
    for rank, mine in enumerate(sizes):
        for key, size in mine.items():
            owners.setdefault(key, []).append(rank)
            largest[key] = max(size, largest.get(key, 0))
    loads = [0] * len(sizes)
    shares: list[list[str]] = [[] for _ in sizes]
    for key in sorted(owners, key=lambda key: (-largest[key], key)):
        rank = min(owners[key], key=loads.__getitem__)
        shares[rank].append(key)
        loads[rank] += largest[key]
    return shares


def save(
    state_dict: dict[str, Any], *, checkpoint_id: str | os.PathLike[str] | None = None, storage_writer: Any = None,
    planner: Any = None, process_group: Any = None, no_dist: bool = False, use_collectives: bool = True,
) -> dict[str, Any]:  # fmt: skip
    """Write a state that all processes of a group have, or each a part of; its table of contents."""
    from ...serialization import save as save_file  # loaded when first used

    group = _among(process_group, no_dist)
    rank = 0 if group is None else group.rank()
    directory = _directory(checkpoint_id, storage_writer)
    leaves = dict(_leaves(state_dict))
    share = _shares(_everybodys({key: _bytes(value) for key, value in leaves.items()}, group))[rank]
    name = f"__{rank}_{uuid.uuid4().hex}.distcp"
    error: Exception | None = None
    try:
        directory.mkdir(parents=True, exist_ok=True)
        if share:
            _written(directory / name, lambda file: save_file({key: _own(leaves[key]) for key in share}, file))
    except Exception as caught:
        error = caught
    _all_well(error, group)
    table: dict[str, Any] = {}
    for file, keys in _everybodys((name, share), group):
        table.update(dict.fromkeys(keys, file))
    contents = {"version": VERSION, "files": table}
    if rank == 0:
        try:
            _replace_contents(directory, contents)
        except Exception as caught:
            error = caught
    _all_well(error, group)
    return contents


def _bytes(value: Any) -> int:
    return value.numel() * value.element_size() if isinstance(value, Tensor) else 0


def _own(value: Any) -> Any:
    """Without the rest of a storage that it may be a small view of."""
    return value.detach().clone() if isinstance(value, Tensor) else value


def _written(path: Path, write: Any) -> None:
    """A new file that is on disk, or none."""
    try:
        with open(path, "xb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _replace_contents(directory: Path, contents: dict[str, Any]) -> None:
    """The one step in which the new checkpoint takes the place of the old one; then the old files go."""
    new = directory / f"{CONTENTS}.{uuid.uuid4().hex}"
    _written(new, lambda file: file.write(json.dumps(contents).encode()))
    os.replace(new, directory / CONTENTS)
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(directory, os.O_DIRECTORY)
        os.fsync(handle)
        os.close(handle)
    used = set(contents["files"].values())
    for path in (*directory.glob("__*.distcp"), *directory.glob(f"{CONTENTS}.*")):
        if path.name not in used:
            path.unlink(missing_ok=True)


def load(
    state_dict: dict[str, Any], *, checkpoint_id: str | os.PathLike[str] | None = None, storage_reader: Any = None,
    planner: Any = None, process_group: Any = None, no_dist: bool = False,
) -> None:  # fmt: skip
    """Fill a state with what was saved: tensors in place, everything else anew."""
    group = _among(process_group, no_dist)
    error: Exception | None = None
    try:
        _read(state_dict, _directory(checkpoint_id, storage_reader))
    except Exception as caught:
        error = caught
    _all_well(error, group)


def _read(state_dict: dict[str, Any], directory: Path) -> None:
    from ...serialization import load as load_file  # loaded when first used

    table = json.loads((directory / CONTENTS).read_text())["files"]
    opened: dict[str, Any] = {}

    def saved(path: tuple[Any, ...]) -> Any:
        key = ".".join(map(str, path))
        if key not in table:
            raise RuntimeError(f"Missing key in checkpoint state_dict: {key}.")
        file = table[key]
        if file not in opened:
            opened[file] = load_file(directory / file)
        return opened[file][key]

    _fill(state_dict, (), saved)


def _fill(value: Any, path: tuple[Any, ...], saved: Any) -> None:
    items = list(value.items() if isinstance(value, dict) else enumerate(value))
    for key, each in items:
        here = (*path, key)
        if hasattr(each, "state_dict") and hasattr(each, "load_state_dict"):
            state = each.state_dict()
            _fill(state, here, saved)
            each.load_state_dict(state)
        elif isinstance(each, Tensor):
            found = saved(here)
            if found.shape != each.shape:
                raise ValueError(
                    f"Size mismatch between saved {found.shape} and current: {each.shape} for "
                    f"{'.'.join(map(str, here))}"
                )
            with no_grad():
                each.copy_(found)
        elif isinstance(each, (dict, list)) and each:
            _fill(each, here, saved)
        elif isinstance(each, tuple) and each:
            listed = list(each)
            _fill(listed, here, saved)
            value[key] = tuple(listed)
        else:
            value[key] = saved(here)


def async_save(state_dict: dict[str, Any], **kwargs: Any) -> Future[Any]:
    """``save``, as a future. It is done when it returns: processes that go on would have to write from threads."""
    done: Future[Any] = Future()
    kwargs = {k: v for k, v in kwargs.items() if not k.startswith("async_")}
    done.set_result(save(state_dict, **kwargs))
    return done


def save_state_dict(state_dict: dict[str, Any], storage_writer: Any, process_group: Any = None, **kwargs: Any) -> Any:
    """The old name of ``save``."""
    return save(state_dict, storage_writer=storage_writer, process_group=process_group)


def load_state_dict(state_dict: dict[str, Any], storage_reader: Any, process_group: Any = None, **kwargs: Any) -> None:
    """The old name of ``load``."""
    load(state_dict, storage_reader=storage_reader, process_group=process_group)
