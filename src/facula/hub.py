"""``torch.hub``: weights from the network. Programs from repositories are not loaded."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
import warnings
import zipfile
from typing import Any
from urllib.parse import urlparse
from urllib.request import Request, urlopen

import facula

from ._core.progress import Progress

__all__ = ["download_url_to_file", "get_dir", "load_state_dict_from_url", "set_dir"]

ENV_TORCH_HOME = "TORCH_HOME"
ENV_XDG_CACHE_HOME = "XDG_CACHE_HOME"
DEFAULT_CACHE_DIR = "~/.cache"
READ_DATA_CHUNK = 128 * 1024
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")

_hub_dir: str | None = None


def _get_torch_home() -> str:
    cache = os.getenv(ENV_XDG_CACHE_HOME, DEFAULT_CACHE_DIR)
    return os.path.expanduser(os.getenv(ENV_TORCH_HOME, os.path.join(cache, "torch")))


def get_dir() -> str:
    """Where downloads are kept."""
    return _hub_dir if _hub_dir is not None else os.path.join(_get_torch_home(), "hub")


def set_dir(d: str | os.PathLike[str]) -> None:
    """Keep downloads somewhere else."""
    global _hub_dir
    _hub_dir = os.path.expanduser(d)


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Download a file; with ``hash_prefix``, only if its SHA-256 begins so. ``progress`` shows how far it is."""
    request = Request(url, headers={"User-Agent": "torch.hub"})
    digest = hashlib.sha256()
    dst = os.path.expanduser(dst)
    unfinished = None
    try:
        with (
            urlopen(request) as source,
            tempfile.NamedTemporaryFile(dir=os.path.dirname(dst) or ".", suffix=".partial", delete=False) as file,
        ):
            unfinished = file.name
            length = source.headers.get("Content-Length")
            shown = Progress(os.path.basename(dst), int(length) if length else None) if progress else None
            while chunk := source.read(READ_DATA_CHUNK):
                file.write(chunk)
                digest.update(chunk)
                if shown is not None:
                    shown(file.tell())
        found = digest.hexdigest()
        if hash_prefix is not None and not found.startswith(hash_prefix):
            raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{found}")')
        shutil.move(unfinished, dst)
        unfinished = None
    finally:
        if unfinished is not None:
            os.remove(unfinished)


def load_state_dict_from_url(
    url: str, model_dir: str | None = None, map_location: Any = None, progress: bool = True, check_hash: bool = False,
    file_name: str | None = None, weights_only: bool = False,
) -> Any:  # fmt: skip
    """Download weights, unless they are here already, and load them."""
    if os.getenv("TORCH_MODEL_ZOO"):
        warnings.warn("TORCH_MODEL_ZOO is deprecated, please use env TORCH_HOME instead", stacklevel=2)
    folder = os.path.join(get_dir(), "checkpoints") if model_dir is None else model_dir
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, file_name or os.path.basename(urlparse(url).path))
    if not os.path.exists(path):
        sys.stdout.write(f'Downloading: "{url}" to {path}\n')
        match = HASH_REGEX.search(os.path.basename(path)) if check_hash else None
        download_url_to_file(url, path, match.group(1) if match else None, progress)
    return facula.load(path, map_location=map_location, weights_only=weights_only)


class _Counter:
    """Counts without showing anything, where the package tqdm is missing."""

    def __init__(self, total: Any = None, disable: bool = False, **_: Any) -> None:
        self.total, self.disable, self.n = total, disable, 0

    def update(self, n: int) -> None:
        self.n += n

    def __enter__(self) -> _Counter:
        return self

    def __exit__(self, *exc: object) -> None:
        pass


def __getattr__(name: str) -> Any:
    if name != "tqdm":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped]  # optional
    except ImportError:
        return _Counter
    return tqdm


def _is_legacy_zip_format(filename: str) -> bool:
    if not zipfile.is_zipfile(filename):
        return False
    names = zipfile.ZipFile(filename).infolist()
    return len(names) == 1 and not names[0].is_dir()
