"""The pages of the site that are written from facula: the reference, and which of PyTorch's names are there."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

import facula

from . import readme_picture

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def hooks() -> Any:
    spec = importlib.util.spec_from_file_location("site_hooks", ROOT / "docs/site/hooks.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("ignore")
def test_the_reference_has_every_name(hooks: Any) -> None:
    for page, path in hooks.REFERENCE.items():
        text = hooks.reference(page, path)
        missing = [name for name, _ in hooks.public(hooks.owner_of(path)) if f"\n## {name}\n" not in text]
        assert missing == [], page
    functions = hooks.reference("torch", "facula")
    for part in ("torch.sin(input: Tensor", "The sine of each element", "Node: SinBackward0", ">>> torch.sin("):
        assert part in functions


@pytest.mark.filterwarnings("ignore")
def test_names_that_are_there_and_names_that_are_not(hooks: Any) -> None:
    text = hooks.is_it_there()
    there, absent = text.partition("## torch.Tensor")[0].split("**Not there:**")
    assert "`matmul`" in there and "`matmul`" not in absent
    assert all(hasattr(facula, name.strip(" `\n")) for name in there.rpartition("**There:**")[2].split(","))


def test_pytorch_has_these_names() -> None:
    torch = pytest.importorskip("torch")
    listed = (ROOT / "tests/data/pytorch_names.txt").read_text(encoding="utf-8").splitlines()
    functions = listed[0].partition(": ")[2].split()
    assert len(functions) > 700 and [name for name in functions if not hasattr(torch, name)] == []


def test_links_out_of_the_site_are_text(hooks: Any) -> None:
    told = "[one](../tests/conformance), [two](notes/engine.md), [three](../CONTRIBUTING.md)"
    assert hooks.on_page_markdown(told, None) == "one, [two](notes/engine.md), three"


def test_the_picture_of_the_readme_shows_what_facula_says() -> None:
    drawn = readme_picture.FILE.read_text(encoding="utf-8").replace("\u00a0", " ")
    said = " ".join(readme_picture.report())
    for part in ("train.py:2", "train.py:3", "ExpBackward0", "# changed here", "# saved here", "To mend it: "):
        assert part in said and part in drawn
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 120
