"""The code on the pages for readers runs, block after block, and prints what stands beside it.

A block that is not meant to run begins with ```` ```python fragment ````, and is listed here.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import facula

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FRAGMENTS = {"docs/notes/provenance.md": 1}
"""How many blocks of a page are not meant to run."""

BLOCK = re.compile(r"^```python(.*?)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, kind: str) -> list[str]:
    """The code of a page, on the lines where it stands there."""
    text = page.read_text(encoding="utf-8")
    return ["\n" * text[: m.start(2)].count("\n") + m[2] for m in BLOCK.finditer(text) if m[1].strip() == kind]


WITH_CODE = [page for page in PAGES if blocks(page, "")]


def test_fragments_are_few_and_known() -> None:
    assert {name(page): len(found) for page in PAGES if (found := blocks(page, "fragment"))} == FRAGMENTS


def test_every_block_is_one_or_the_other() -> None:
    for page in PAGES:
        opened = re.findall(r"^```py.*$", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert len(opened) == len(blocks(page, "")) + len(blocks(page, "fragment")), name(page)
    assert len(WITH_CODE) > 5


RUN = """
import json, sys
space = {"__name__": "page"}
for code in json.load(sys.stdin):
    exec(compile(code, sys.argv[1], "exec"), space)
"""


@pytest.mark.parametrize("page", WITH_CODE, ids=name)
def test_the_code_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    code = blocks(page, "")
    paths = os.pathsep.join([str(Path(facula.__file__).parent.parent), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(page)], input=json.dumps(code), capture_output=True, encoding="utf-8",
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = re.findall(r"^print\(.*\) +# (.*)$", "".join(code), re.MULTILINE)
    shown = re.sub("0x[0-9a-f]+", "0x...", done.stdout).splitlines()
    assert shown[: len(told)] == told
