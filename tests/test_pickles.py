"""Pickles of earlier versions can be read, and those written today name modules that will stay."""

from __future__ import annotations

import io
import pickle
import pickletools
import zipfile
from typing import Any

import pytest

import facula as torch

from .pickles import FILE, saved, things

THINGS = things()
OLD = [name for name in THINGS if name != "generator"]


def content(thing: Any) -> Any:
    """What a thing holds, in plain Python: to be compared."""
    kind = type(thing).__name__
    if isinstance(thing, torch.Tensor):
        lazy = isinstance(thing, torch.nn.parameter.UninitializedTensorMixin)
        if lazy or thing.is_meta:
            return kind, str(thing.dtype), None if lazy else tuple(thing.shape)
        return kind, str(thing.dtype), thing.tolist(), thing.stride(), thing.requires_grad
    if isinstance(thing, torch.Generator):
        return kind, thing.get_state().tolist()
    if isinstance(thing, (torch.nn.Module, torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler)):
        state = thing.__dict__ if isinstance(thing, torch.nn.LazyLinear) else thing.state_dict()
        return kind, {name: content(value) for name, value in state.items() if not name.startswith("_")}
    if isinstance(thing, dict):
        return {name: content(value) for name, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return kind, [content(each) for each in thing]
    if isinstance(thing, (torch.distributions.Distribution, torch.utils.data.Dataset, torch.amp.GradScaler)):
        return kind, {name: content(value) for name, value in sorted(thing.__dict__.items())}
    if isinstance(thing, (torch.storage.TypedStorage, torch.storage.UntypedStorage)):
        return "storage", thing.tolist()  # files of either class are read as TypedStorage, as in PyTorch
    return kind, repr(thing)


def recorded(name: str) -> bytes:
    with zipfile.ZipFile(FILE) as archive:
        return archive.read(name)


@pytest.mark.parametrize("name", OLD)
def test_an_old_pickle_is_read(name: str) -> None:
    assert content(pickle.loads(recorded(f"{name}.pickle"))) == content(THINGS[name])


@pytest.mark.parametrize("name", OLD)
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_an_old_file_is_read(name: str) -> None:
    loaded = torch.load(io.BytesIO(recorded(f"{name}.pt")), weights_only=False)
    assert content(loaded) == content(THINGS[name])


def test_an_old_generator_is_refused() -> None:
    """It drew other numbers than PyTorch's, with another engine, and cannot go on."""
    with pytest.raises(RuntimeError, match="Expected a CPUGeneratorImplState of size 5056"):
        pickle.loads(recorded("generator.pickle"))
    with pytest.raises(RuntimeError, match="Expected a CPUGeneratorImplState of size 5056"):
        torch.load(io.BytesIO(recorded("generator.pt")), weights_only=False)


@pytest.mark.parametrize("name", THINGS)
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_what_is_written_today_is_read(name: str) -> None:
    assert content(pickle.loads(pickle.dumps(THINGS[name]))) == content(THINGS[name])
    assert content(torch.load(io.BytesIO(saved(THINGS[name])), weights_only=False)) == content(THINGS[name])


def test_old_pickles_share_memory() -> None:
    whole, part = pickle.loads(recorded("shared.pickle"))
    part.zero_()
    assert whole.tolist() == [0, 1, 0, 0, 4, 5]


def modules_in(data: bytes) -> set[str]:
    """The modules that a pickle names."""
    texts: list[str] = []
    found = set()
    memo: dict[int, str] = {}
    for op, argument, _ in pickletools.genops(data):
        if isinstance(argument, str):
            texts.append(argument)
        elif op.name == "MEMOIZE":
            memo[len(memo)] = texts[-1] if texts else ""
        elif op.name in ("BINGET", "LONG_BINGET"):
            texts.append(memo.get(argument or 0, ""))
        elif op.name == "STACK_GLOBAL":
            found.add(texts[-2])
    return {module for module in found if module.split(".")[0] == "facula"}


@pytest.mark.parametrize("name", THINGS)
def test_pickles_name_public_modules(name: str) -> None:
    """Or ``_utils``, which PyTorch's name, too: nothing that moves when facula's own files do."""
    named = modules_in(pickle.dumps(THINGS[name]))
    assert not [module for module in named - {"facula._utils"} if "._" in module]


def test_public_classes_say_where_they_are() -> None:
    for name in ("Tensor", "Size", "device", "dtype", "layout", "memory_format", "finfo", "iinfo", "Generator"):
        assert getattr(torch, name).__module__ == "facula"
    assert torch.UntypedStorage.__module__ == torch.TypedStorage.__module__ == "facula.storage"
    assert all(pickle.loads(pickle.dumps(d)) is d for d in torch.dtype._by_name.values())
