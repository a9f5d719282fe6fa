"""Devices in files: which tag a storage is written with, and where ``map_location`` puts it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core import devices
from .._core.storage import UntypedStorage

_packages: list[tuple[int, Callable[[Any], str | None], Callable[[Any, str], Any]]] = []


def register_package(
    priority: int, tagger: Callable[[Any], str | None], deserializer: Callable[[Any, str], Any]
) -> None:
    """Teach ``save`` and ``load`` another kind of device: how to tag its storages, and how to restore tagged ones."""
    _packages.append((priority, tagger, deserializer))
    _packages.sort(key=lambda entry: entry[0])


def location_tag(storage: Any) -> str:
    """The device of a storage, as files have it."""
    for _, tagger, _ in _packages:
        location = tagger(storage)
        if location:
            return location
    raise RuntimeError(f"don't know how to determine data location of {type(storage).__name__}")


def default_restore_location(storage: Any, location: str) -> Any:
    """A storage that was just read, on the device that it is tagged with."""
    for _, _, deserializer in _packages:
        found = deserializer(storage, location)
        if found is not None:
            return found
    raise RuntimeError(
        f"don't know how to restore data location of torch.storage.{type(storage).__name__} (tagged with {location})"
    )


def restorer(map_location: Any) -> Callable[[Any, str], Any]:
    """What ``map_location`` means, as a function of a storage and its tag."""
    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        return lambda storage, location: default_restore_location(storage, map_location.get(location, location))
    if isinstance(map_location, (str, bytes)):
        tag = map_location.decode() if isinstance(map_location, bytes) else map_location
        return lambda storage, location: default_restore_location(storage, tag)
    if isinstance(map_location, devices.device):
        return lambda storage, location: default_restore_location(storage, str(map_location))

    def restore(storage: Any, location: str) -> Any:
        found = map_location(storage, location)
        return default_restore_location(storage, location) if found is None else found

    return restore


def is_meta(map_location: Any, location: str) -> bool:
    """Whether a storage goes where it needs no bytes, so that they need not be read."""
    if map_location is None:
        return location == "meta"
    return str(map_location) == "meta"


def _cuda_tag(storage: Any) -> str | None:
    return storage.device.type if storage.device.type == "cuda" else None


def _restore_cuda(storage: Any, location: str) -> Any:
    if location.startswith("cuda"):
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If you are "
            "running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your "
            "storages to the CPU."
        )
    return None


def _restore_meta(storage: Any, location: str) -> Any:
    if location != "meta":
        return None
    return UntypedStorage(devices.empty_meta((storage.nbytes(),), "uint8"))


register_package(
    10, lambda storage: "cpu" if storage.device.type == "cpu" else None,
    lambda storage, location: storage if location == "cpu" else None,
)  # fmt: skip
register_package(20, _cuda_tag, _restore_cuda)
register_package(22, lambda storage: "meta" if storage.device.type == "meta" else None, _restore_meta)
