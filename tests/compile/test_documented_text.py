"""The text in C that the guide shows is what a back end writes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from facula._compile.c.build import has_compiler

PAGE = Path(__file__).parent.parent.parent / "docs" / "compiling.md"


@pytest.mark.usefixtures("with_library")
@pytest.mark.skipif(not has_compiler(), reason="needs a C compiler")
def test_the_program_of_the_guide_in_c() -> None:
    page = PAGE.read_text(encoding="utf-8")
    example = re.search(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    shown = re.search(r"^```c\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert example is not None and shown is not None
    space: dict[str, Any] = {}
    code = example[1].replace('backend="numpy"', 'backend="c"').replace("assert torch.equal", "assert torch.allclose")
    exec(code, space)
    text = space["fast"].source()
    functions = [each.strip() for each in shown[1].split("\n\n")]
    assert len(functions) == 2
    for each in functions:
        assert each in text
