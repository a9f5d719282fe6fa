"""What the documentation names is there: files, folders, modules, links."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "facula"
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *SOURCE.rglob("*.md"), *(ROOT / "examples").rglob("*.md")]
)
FOLDERS = [
    ROOT, SOURCE, SOURCE / "ops", SOURCE / "ops/machine", ROOT / "tests", ROOT / "tests/conformance",
    ROOT / "tests/operator_database",
]  # fmt: skip
"""Where a path that a page names may begin, besides the page's own folder."""

USERS_OWN = {"program.py", "train.py", "model.pt", "file.py", "trace.json", "checkpoint.pt", "conftest.py"}
"""Files of whoever reads the page."""

_PATH = re.compile(r"[\w.*-]*(?:/[\w.*-]+)*(?:/|\.(?:py|md|svg|zip|toml|json|xz))")
_MODULE = re.compile(r"(?:facula|tests|benchmarks)(?:\.\w+)+")


def words(page: Path) -> list[str]:
    """What stands in backticks in a page's prose."""
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    found = []
    for quoted in re.findall(r"`([^`\n]+)`", prose):
        found += re.findall(r"python -m ([\w.]+)", quoted) or [quoted]
    return found


def is_there(path: str, page: Path) -> bool:
    return any(any(folder.glob(path.rstrip("/"))) for folder in (page.parent, *FOLDERS))


def resolves(name: str) -> bool:
    """Whether a dotted name leads to a module or to something in one."""
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:n]))
        except ModuleNotFoundError:
            continue
        try:
            for part in parts[n:]:
                value = getattr(value, part)
        except AttributeError:
            return False
        return True
    return False


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_names_in_a_page_lead_somewhere(page: Path) -> None:
    lost = []
    for word in words(page):
        if _PATH.fullmatch(word) and word not in USERS_OWN and not word.startswith("/"):
            if not is_there(word, page):
                lost.append(word)
        elif _MODULE.fullmatch(word) and not resolves(word):
            lost.append(word)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
        if not target.startswith(("http:", "https:")) and not (page.parent / target).exists():
            lost.append(target)
    assert not lost, f"{page.name} names what is not there: {', '.join(lost)}"


def test_pages_are_found() -> None:
    assert {"README.md", "CONTRIBUTING.md", "engine.md", "differences.md"} <= {page.name for page in PAGES}
    assert not is_there("ops/nowhere.py", ROOT / "README.md") and not resolves("facula.nowhere")
