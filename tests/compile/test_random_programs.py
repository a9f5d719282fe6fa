"""Random programs of which a part is compiled; ``python -m tests.fuzz --compiled numpy`` makes long runs."""

from __future__ import annotations

import pytest

from tests.fuzz.compiled import Compiled

from .conftest import has_compiler


@pytest.mark.parametrize(
    ("backend", "count"),
    [("numpy", 60), pytest.param("c", 12, marks=pytest.mark.skipif(not has_compiler(), reason="no C compiler"))],
)
def test_parts_of_programs(backend: str, count: int) -> None:
    judge = Compiled(backend)
    reports = [report for n in range(count) if (report := judge.report(11, n)) is not None]
    assert not reports, "\n".join(reports)
    assert judge.captured > count // 4
