"""Questions that others are made of."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistics.small import CUTS, answer, blocks

from discreet.errors import DataError
from discreet.statistics import question
from discreet.statistics.question import Everything, OfBothFiles, Present, Together, check_at_once
from discreet.statistics.suppressed_cells import Suppressions


@pytest.mark.parametrize("cut", CUTS)
def test_cells_that_hold_a_value_in_either_file(cut):
    asked = Present(("x", "y", "s"))
    assert (asked.original, asked.released) == (("x", "y", "s"), ("x", "y", "s"))
    found = answer(asked, blocks(cut))
    assert (found.before.tolist(), found.after.tolist()) == ([5, 6, 5], [5, 6, 5])
    lacking = answer(Present(("x", "s")), blocks((5, 1))[:1])
    assert (lacking.before.tolist(), lacking.after.tolist()) == ([4, 4], [4, 4])
    fourth = answer(Present(("x", "s")), blocks((3, 1, 2))[1:2])
    assert (fourth.before.tolist(), fourth.after.tolist()) == ([0, 0], [1, 1])


@pytest.mark.parametrize("cut", CUTS)
def test_several_questions_are_answered_together(cut):
    asked = Together((Suppressions(("x", "s"), "w"), Present(("s", "y"))))
    assert (asked.original, asked.released) == (("x", "s", "w", "y"), ("x", "s", "y"))
    gone, present = answer(asked, blocks(cut)).statistics
    assert gone.gone.tolist() == [1, 1]
    assert present.before.tolist() == [5, 6]


def test_the_weight_is_looked_at_in_the_original_alone():
    plain, weighed = OfBothFiles(), OfBothFiles()
    plain.names, plain.weight = ("x",), None
    weighed.names, weighed.weight = ("x", "y"), "w"
    assert (plain.original, plain.released) == (("x",), ("x",))
    assert (weighed.original, weighed.released) == (("x", "y", "w"), ("x", "y"))


def test_as_many_records_as_fit_are_brought_together_and_not_one_more(monkeypatch):
    monkeypatch.setattr(question, "MOST_AT_ONCE", 5)
    check_at_once("Ward", 5)
    with pytest.raises(DataError) as caught:
        check_at_once("Ward", 1234567)
    assert caught.value.message == (
        "Ward needs all records at once; the files have 1,234,567, and up to 5 are brought together."
    )
    assert caught.value.hint == "Take it of a sample of the records."
    with pytest.raises(DataError) as caught:
        check_at_once("Ward", 6, "Take another.")
    assert caught.value.hint == "Take another."


def test_whoever_cannot_have_all_records_is_named(monkeypatch):
    monkeypatch.setattr(question, "MOST_AT_ONCE", 5)
    block, error = blocks((6,))[0], DataError("The files cannot be read.")
    asked = Everything("Ward", ("x",), ("x",), "Take another.")
    assert asked.admit(block, 6) is block
    with pytest.raises(DataError, match=r"^Ward needs all records at once") as caught:
        asked.admit(error, 6)
    assert caught.value.hint == "Take another."
    with pytest.raises(DataError, match=r"^The files cannot be read\.") as caught:
        asked.admit(error, 5)
    assert caught.value is error
    assert np.array_equal(block.rows, np.arange(6))


def test_up_to_a_million_records_are_brought_together():
    check_at_once("Ward", 1_000_000)
    with pytest.raises(DataError, match="the files have 1,000,001, and up to 1,000,000 are brought together"):
        check_at_once("Ward", 1_000_001)
