"""What is said of a release: words and days, kept by a protocol as they were written."""

from __future__ import annotations

import datetime as dt

import pytest

from discreet.contracts.dossier import Dossier
from discreet.errors import SchemaError
from discreet.release.protocol import Protocol

TEXT = """
[about]
title = "Homes"
date = 2026-11-30
recipients = "Institute A"
exceptions = ["AGE by single years", "REGION"]

[[scenario]]
name = "neighbour"
known = ["age"]
in_words = "Next door."

[[attribute]]
name = "age"
role = "key"
scale = "numeric"
"""


def test_a_protocol_keeps_what_it_is_about():
    protocol = Protocol.from_toml(TEXT)
    assert protocol.about == Dossier(
        "Homes", date="2026-11-30", recipients=["Institute A"], exceptions=("AGE by single years", "REGION")
    )
    assert protocol.scenarios[0].in_words == "Next door."
    assert Protocol.from_toml(protocol.to_toml()) == protocol
    assert not Protocol.from_toml(TEXT[TEXT.index("[[scenario]]") :]).about


def test_days_are_days():
    assert Dossier(date=dt.date(2026, 1, 2)).date == "2026-01-02"
    for day in ("soon", "2026-13-01", 7, dt.datetime(2026, 1, 2, tzinfo=dt.UTC)):
        with pytest.raises(SchemaError):
            Dossier(review_date=day)


@pytest.mark.parametrize(("field", "value"), [("title", 7), ("recipients", [1]), ("exceptions", [""]), ("reasons", [])])
def test_words_are_words(field, value):
    with pytest.raises(SchemaError, match=field):
        Dossier.of({field: value})


def test_a_key_that_is_none_is_named_with_its_line_and_the_nearest():
    with pytest.raises(SchemaError, match=r"Line 3: \[about\] has an unknown key 'titel'.*title"):
        Protocol.from_toml(TEXT.replace("title", "titel"))
    with pytest.raises(SchemaError, match="unknown key 'titel'"):
        Dossier.of({"titel": "x"})


def test_a_text_over_several_lines_is_one_and_a_review_comes_later():
    assert Dossier(purpose="Research\n  on homes").purpose == "Research on homes"
    assert Dossier(date="2026-01-02", review_date="2027-01-02").review_date == "2027-01-02"
    with pytest.raises(SchemaError, match="review_date must lie after date"):
        Dossier(date="2026-01-02", review_date="2026-01-02")
