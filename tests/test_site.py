"""The pages of the site that are written from facula: the reference, and which of PyTorch's names are there."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import facula

from . import readme_picture
from .browser import PROGRAM, Browser
from .pytorch_names import FILE

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
    pytest.importorskip("torch")
    code = "from tests.pytorch_names import lines; print('\\n'.join(lines()))"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.splitlines() == FILE.read_text(encoding="utf-8").splitlines(), done.stderr


def test_links_out_of_the_site_are_text(hooks: Any) -> None:
    told = "[one](../tests/conformance), [two](notes/engine.md), [three](../CONTRIBUTING.md), [four](https://pytorch.org)"
    page = SimpleNamespace(file=SimpleNamespace(src_uri="page.md"))
    left = "one, [two](notes/engine.md), three, [four](https://pytorch.org)"
    assert hooks.on_page_markdown(told, page) == left
    page.file.src_uri = "tutorials/graph.md"
    assert hooks.on_page_markdown("[a](../seeing.md#b), [c](../../src)", page) == "[a](../seeing.md#b), c"


def test_the_picture_of_the_readme_shows_what_facula_says() -> None:
    drawn = readme_picture.FILE.read_text(encoding="utf-8").replace("\u00a0", " ")
    said = " ".join(readme_picture.report())
    for part in ("train.py:2", "train.py:3", "ExpBackward0", "# changed here", "# saved here", "To mend it: "):
        assert part in said and part in drawn
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 120


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("material", reason="needs mkdocs-material")
    folder = tmp_path_factory.mktemp("site")
    paths = os.pathsep.join([str(Path(facula.__file__).parent.parent), str(ROOT)])
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "PYTHONPATH": paths, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run(command, check=True, cwd=ROOT, env=environment)
    return folder


@pytest.mark.skipif(PROGRAM is None, reason="needs Chromium")
def test_search_works_from_a_folder(site: Path, tmp_path: Path) -> None:
    with Browser(tmp_path) as browser:
        browser.open(site / "index.html", ready="Boolean(document.querySelector('.md-search__input'))")
        browser.run("document.querySelector('.md-search__input').focus()")
        browser.enter("linear")
        links: list[str] = []
        end = time.monotonic() + 60
        while not links and time.monotonic() < end:
            links = browser.run("[...document.querySelectorAll('.md-search-result__link')].map(a => a.href)")
            time.sleep(0.05)
        assert browser.errors == []
        assert [url for url in browser.requests if not url.startswith(("file:", "data:"))] == []
        assert f"{(site / 'api/nn.html').as_uri()}?h=linear#linear" in links
