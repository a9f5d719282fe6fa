"""The list of expectations, the page made of it and the database fit together."""

from __future__ import annotations

import pytest

from .answers import quiet, why_no_oracle
from .holding import EXPECTED
from .page import PAGE, listed_on, with_records


def test_every_expected_difference_has_a_reason() -> None:
    assert all(why for listed in EXPECTED.values() for why in listed.values())


def test_the_page_shows_what_is_expected() -> None:
    listed = {(name, aspect) for name, listed in EXPECTED.items() for aspect in listed}
    assert listed_on(PAGE.read_text()) == listed, "python -m tests.operator_database --expect writes both anew"


def test_every_entry_of_the_database_is_listed() -> None:
    if why := why_no_oracle():
        pytest.skip(why)
    with quiet():
        from .entries import ENTRIES
    assert sorted(ENTRIES) == sorted(EXPECTED)


def test_the_page_tells_what_records_say() -> None:
    text = PAGE.read_text()
    assert with_records(text) == text, "python -m tests.operator_database --records writes them anew"
