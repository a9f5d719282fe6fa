"""Compiled programs are tested with a native library, which is built once for all tests, where there is a compiler."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from facula._compile.c.build import has_compiler
from facula.native import library

from ..native_library import shared_folder


@pytest.fixture(scope="session")
def native_folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(shared_folder(tmp_path_factory)) if os.name == "posix" and has_compiler() else ""


@pytest.fixture
def with_library(native_folder: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if native_folder:
        monkeypatch.delenv("FACULA_NATIVE", raising=False)
        monkeypatch.setenv("FACULA_CACHE", native_folder)
        monkeypatch.setattr(library, "_loaded", _loaded[-1] if _loaded else None)
        monkeypatch.setattr(library, "_reason", library._reason)
    yield
    if native_folder and library._loaded is not None:
        _loaded[:] = [library._loaded]


_loaded: list[library.Library] = []
"""The library, for the tests that use it alone."""
