"""Combinations of keys as text, and how often they come."""

from __future__ import annotations

import pytest
from tests.statistics.small import CUTS, after, answer, blocks, table

from discreet.statistics.released_texts import ReleasedTexts, texts_of


@pytest.mark.parametrize("cut", CUTS)
def test_combinations_as_text(cut):
    question = ReleasedTexts(("s", "x"))
    assert (question.original, question.released) == ((), ("s", "x"))
    records = answer(question, blocks(cut))
    assert dict(records.counts) == {("a", "1"): 1, ("c", "2"): 1, ("a", "4"): 2, ("", ""): 1, ("a", "6"): 1}
    assert records.n == 6
    every = [("a", "1"), ("c", "2"), ("a", "4"), ("a", "4"), ("", ""), ("a", "6")]
    assert question.records(after()) == every


def test_levels_and_numbers_have_codes_with_texts():
    codes, texts = texts_of(after(), "s")
    assert [texts[code] for code in codes] == ["a", "c", "a", "a", "", "a"]
    codes, texts = texts_of(table(x=[2.5, None, 2.0, 2.5, 10.0, 0.0]), "x")
    assert (codes.tolist(), texts) == ([2, 4, 1, 2, 3, 0], ["0", "2", "2.5", "10", ""])
