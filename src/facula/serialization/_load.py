"""``load``: what ``save`` wrote, here or in PyTorch. Nothing that a file says is run unless the caller asks for it."""

from __future__ import annotations

import io
import mmap as mmap_module
import os
import pickle
import sys
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from .._core import devices, dtypes
from .._core.storage import TypedStorage, UntypedStorage
from . import _config, _locations
from ._archive import Reader
from ._names import StorageType, find
from ._shown import shown
from ._unpickler import Unpickler, names_in

UNSAFE_MESSAGE = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to "
    "`True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in "
    "arbitrary code execution. Do it only if you got the file from a trusted source."
)
_DOCUMENTATION = (
    "\n\nCheck the documentation of torch.load to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)
_MAX_VERSION = 10


def load(
    f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: bool | None = None,
    mmap: bool | None = None, **pickle_load_args: Any,
) -> Any:  # fmt: skip
    """Read what ``save`` wrote, from a file given by name or open.

    A pickle can run any code. Unless ``weights_only=False`` is given, as it may be for files that you trust, only
    tensors, numbers, strings and containers of them are loaded, and what ``serialization.add_safe_globals`` names.
    """
    weights_only = _is_to_be_safe(weights_only, pickle_module)
    if pickle_load_args and weights_only:
        warnings.warn("pickle_load_args only works if `weights_only=False`.", stacklevel=2)
        for name in pickle_load_args.keys() - {"encoding"}:
            raise TypeError(f"Unpickler.__init__() got an unexpected keyword argument '{name}'")
    is_path = isinstance(f, (str, os.PathLike))
    if not is_path:
        _check_seekable(f)
    if mmap and not is_path:
        raise ValueError("f must be a file path in order to use the mmap argument")
    pickle_load_args.setdefault("encoding", "utf-8")
    module = pickle if pickle_module is None else pickle_module
    job = Job(_locations.restorer(map_location), map_location, weights_only, module, pickle_load_args)
    with open(f, "rb") if is_path else nullcontext(f) as file:
        start = file.tell()
        is_zip = file.read(4) == b"PK\x03\x04"
        file.seek(start)
        if is_zip:
            return _load_archive(job, file if start == 0 else io.BytesIO(file.read()), f if mmap else None)
        if mmap:
            raise RuntimeError(
                f"mmap can only be used with files saved with `torch.save({f}, _use_new_zipfile_serialization=True), "
                "please torch.save your checkpoint with this option in order to use mmap."
            )
        from ._legacy import load_legacy  # it imports this module

        return load_legacy(job, file)


def _is_to_be_safe(weights_only: bool | None, pickle_module: Any) -> bool:
    """Whether only what is harmless is loaded: as asked for, else by default; the environment has a say, too."""
    always, never = (
        os.environ.get(f"TORCH_FORCE_{name}WEIGHTS_ONLY_LOAD", "0") in ("1", "y", "yes", "true") for name in ("", "NO_")
    )
    if always and never:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` should be set, but both "
            "were set."
        )
    if always:
        weights_only = True
    elif never and weights_only is None:
        warnings.warn(
            "Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the`weights_only` argument was not "
            "explicitly passed to `torch.load`, forcing weights_only=False.",
            UserWarning,
            stacklevel=3,
        )
        weights_only = False
    if weights_only is None:
        return pickle_module is None
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    return weights_only


def _check_seekable(f: Any) -> None:
    for name in ("read", "seek", "tell"):
        if not hasattr(f, name):
            shown = "seek" if name == "read" and not hasattr(f, "seek") else name
            raise AttributeError(
                f"'{type(f).__name__}' object has no attribute '{shown}'. You can only torch.load from a file that is "
                "seekable. Please pre-load the data into a buffer like io.BytesIO and try to load from it instead."
            )


class Job:
    """What the caller of ``load`` asked for, and how to run a program under these terms."""

    def __init__(
        self, restore: Callable[[Any, str], Any], map_location: Any, safe: bool, module: Any, args: dict[str, Any]
    ) -> None:
        self.restore = restore
        self.map_location = map_location
        self.safe = safe
        self.module = module
        self.args = args

    def run(self, program: Any, persistent_load: Callable[[Any], Any], position: int = 0) -> tuple[Any, int]:
        """The object that a program makes, and where the program ends."""
        if not self.safe:
            file = io.BytesIO(program[position:])
            loaded = _unpickler(self.module, file, persistent_load, self.args).load()
            return loaded, position + file.tell()
        unpickler = Unpickler(program, persistent_load, position, self.args["encoding"])
        try:
            return unpickler.load(), unpickler.position
        except pickle.UnpicklingError as error:
            raise pickle.UnpicklingError(_explained(str(error))) from None
        except RecursionError:
            raise pickle.UnpicklingError(_explained("the file is nested too deep")) from None

    def storage_type(self, kind: Any) -> dtypes.dtype:
        """The dtype of a storage's class."""
        if kind is UntypedStorage:
            return dtypes.uint8
        if not isinstance(kind, StorageType):
            raise RuntimeError(f"a storage's type must be a class of storages, but got {shown(kind)}")
        return kind.dtype


def as_text(value: Any) -> Any:
    """What Python 2 wrote as a string is bytes if the caller asked for that; names of storages are text."""
    return value.decode("ascii", "replace") if isinstance(value, bytes) else value


def check_name(key: Any, location: Any, numel: Any) -> None:
    """Refuse what cannot be the key, the location and the size of a storage."""
    if type(key) is not str or type(location) is not str or type(numel) is not int or not 0 <= numel < 2**63:
        told = ", ".join(map(shown, (key, location, numel)))
        raise RuntimeError(f"a storage's key, location and size are wrong: {told}")


def _explained(message: str) -> str:
    if "was not an allowed global by default" in message:
        return (
            "Weights only load failed. This file can still be loaded, to do so you have two options, \033[1mdo those "
            f"steps only if you trust the source of the checkpoint\033[0m. \n\t(1) {UNSAFE_MESSAGE}\n\t(2) "
            "Alternatively, to load with `weights_only=True` please check the recommended steps in the following error "
            f"message.\n\tWeightsUnpickler error: {message}{_DOCUMENTATION}"
        )
    if "is blocked" in message:
        return f"Weights only load failed. {UNSAFE_MESSAGE}\n\n\n{message}{_DOCUMENTATION}"
    return (
        f"Weights only load failed. {UNSAFE_MESSAGE}\nPlease file an issue with the following so that we can make "
        f"`weights_only=True` compatible with your use case: WeightsUnpickler error: \n\n{message}{_DOCUMENTATION}"
    )


def _unpickler(module: Any, file: Any, persistent_load: Callable[[Any], Any], args: dict[str, Any]) -> Any:
    """Python's own unpickler, which finds facula's things under PyTorch's names."""

    def find_class(self: Any, owner: str, name: str) -> Any:
        if owner == "torch" or owner.startswith("torch."):
            return find(owner, name)
        return module.Unpickler.find_class(self, owner, name)

    made = type("Unpickler", (module.Unpickler,), {"find_class": find_class})(file, **args)
    made.persistent_load = persistent_load
    return made


def _load_archive(job: Job, file: Any, path: Any) -> Any:
    archive = Reader(file)
    _check_version(archive)
    if archive.has("constants.pkl"):
        if job.safe:
            raise RuntimeError(
                "Cannot use ``weights_only=True`` with TorchScript archives passed to ``torch.load``. " + UNSAFE_MESSAGE
            )
        raise RuntimeError("facula does not run TorchScript archives; save the model's state_dict instead")
    swapped = _byteorder(archive) != sys.byteorder
    memory = _mapped(path) if path is not None else None
    storages: dict[str, Any] = {}

    def read(key: str, nbytes: int, dtype: dtypes.dtype, location: str) -> UntypedStorage:
        name = f"data/{key}"
        length = archive.length(name)
        if length != nbytes:
            raise RuntimeError(
                f"record size ({length} bytes) does not match expected size ({nbytes} bytes = {nbytes} elements * 1 "
                "bytes/element) for dtype Byte"
            )
        if _locations.is_meta(job.map_location, location):
            return UntypedStorage(devices.empty_meta((nbytes,), np.uint8))
        if _config.skips_data():
            return UntypedStorage(np.empty(nbytes, np.uint8))
        if memory is not None and nbytes:
            data: Any = np.frombuffer(memory, np.uint8, nbytes, archive.begin(name))
        else:
            data = archive.array(name)
        storage = UntypedStorage(data)
        if swapped:
            storage.byteswap(dtype)
        return storage

    def persistent_load(pid: Any) -> Any:
        if type(pid) is not tuple:
            raise AssertionError(f"saved_id must be a tuple, got {type(pid).__name__}")
        pid = tuple(map(as_text, pid))
        if len(pid) != 5 or pid[0] != "storage":
            given = shown(pid[0]) if pid else ""
            raise AssertionError(f"Unknown typename for persistent_load, expected 'storage' but got '{given}'")
        _, kind, key, location, numel = pid
        dtype = job.storage_type(kind)
        check_name(key, location, numel)
        if key not in storages:
            storages[key] = job.restore(read(key, numel * dtype.itemsize, dtype, location), location)
        return TypedStorage(wrap_storage=storages[key], dtype=dtype, _internal=True)

    return job.run(archive.read("data.pkl"), persistent_load)[0]


def _check_version(archive: Reader) -> None:
    name = "version" if archive.has("version") else ".data/version"
    if not archive.has(name):
        raise RuntimeError(
            'Expected hasRecord("version") to be true, but got false.  (Could this error message be improved?  If so, '
            "please report an enhancement request to PyTorch.)"
        )
    text = archive.read(name)[:32].strip()
    if not text.isdigit():
        raise RuntimeError(f"Couldn't parse the version {text!r} as Long Long.")
    if int(text) > _MAX_VERSION:
        raise RuntimeError(
            f"Attempted to read a PyTorch file with version {int(text)}, but the maximum supported version for reading "
            f"is {_MAX_VERSION}. The version of your PyTorch installation may be too old, please upgrade PyTorch to "
            "latest version to mitigate this issue."
        )


def _byteorder(archive: Reader) -> str:
    if archive.has("byteorder"):
        order = archive.read("byteorder")[:32].decode("ascii", "replace")
        if order not in ("little", "big"):
            raise ValueError("Unknown endianness type: " + order)
        return order
    default = _config.get_default_load_endianness()
    if default is _config.LoadEndianness.BIG:
        return "big"
    return sys.byteorder if default is _config.LoadEndianness.NATIVE else "little"


def _mapped(path: Any) -> Any:
    """The file's bytes, read when they are looked at; the file changes with them only if the mapping is shared."""
    shared = _config.get_default_mmap_options() == getattr(mmap_module, "MAP_SHARED", 1)
    with open(path, "r+b" if shared else "rb") as file:
        return mmap_module.mmap(
            file.fileno(), 0, access=mmap_module.ACCESS_WRITE if shared else mmap_module.ACCESS_COPY
        )


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """The names that a file uses and that ``load`` would not allow, without loading it."""
    from ._safe_globals import ALLOWED, added_by_name  # it imports this module

    with open(f, "rb") if isinstance(f, (str, os.PathLike)) else nullcontext(f) as file:
        if file.read(4) != b"PK\x03\x04":
            raise ValueError("Expected input to be a checkpoint returned by torch.save")
        program = Reader(file).read("data.pkl")
    known = {*ALLOWED, *added_by_name()}
    return sorted(name for name in names_in(program) if name not in known)
