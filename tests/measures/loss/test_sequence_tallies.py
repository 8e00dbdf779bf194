"""Events, lengths and steps of sequences, counted by hand."""

from __future__ import annotations

import polars as pl
import pytest

import discreet as dc
from discreet.errors import MissingValueError
from discreet.measures.loss.sequence_tallies import EventFrequencies, SequenceLengths, Transitions

VISITS = dc.Attribute("visits", dc.Sequence("abc"), "key")
SCHEMA = dc.Schema([VISITS])
BEFORE, AFTER = ["a b c", "a b", "c", None, "a"], ["a b c", "b a", "c c", "a", None]


def measured(measure, before=BEFORE, after=AFTER, weights=None):
    schema = SCHEMA if weights is None else dc.Schema([VISITS, dc.Attribute("w", dc.Numeric(), "weight")])
    frames = [pl.DataFrame({"visits": pl.Series(side, dtype=pl.String)}) for side in (before, after)]
    if weights is not None:
        frames = [frame.with_columns(w=pl.Series(weights)) for frame in frames]
    return measure.measure(*frames, schema)


def test_events_by_hand():
    result = measured(EventFrequencies())
    # Two of each became two, two and three; whoever has no sequence in either file does not count.
    assert result.value == result.per_attribute["visits"] == pytest.approx(100 * 2 / 21)
    assert result.details == {"events_gone": {"visits": 0}}
    assert result.sentence == (
        "9.5 % of the events would have to be others for the frequencies to be the original ones."
    )
    gone = measured(EventFrequencies(), ["a b", "c c"], ["b b", "b b"])
    assert (gone.value, gone.details) == (75, {"events_gone": {"visits": 2}})
    assert measured(EventFrequencies(weighted=True), ["a", "b"], ["a", "a"], [1.0, 3.0]).value == 75


def test_lengths_by_hand():
    result = measured(SequenceLengths())
    assert result.value == pytest.approx(100 / 3)
    assert result.details == {"mean_before": {"visits": 2.0}, "mean_after": {"visits": pytest.approx(7 / 3)}}
    assert result.sentence == (
        "Up to some length there are 33.3 % more, or fewer, of all sequences than before; the mean length of visits "
        "was 2.00 and is 2.33."
    )
    weighted = measured(SequenceLengths(weighted=True), ["a", "a b"], ["a b", "a b"], [3.0, 1.0])
    assert weighted.value == 75
    assert weighted.details["mean_before"] == {"visits": pytest.approx(1.25)}
    longer = measured(SequenceLengths(), ["a b", "a b"], ["a", "a b c a"])
    assert longer.value == 50


def test_steps_by_hand():
    result = measured(Transitions())
    # ab twice and bc became ab, bc, ba and cc. After b came c always, and now every other time.
    assert result.value == pytest.approx(50)
    assert result.details == {
        "transition_matrix_percent": pytest.approx(100 / 6),
        "transition_matrix_by_attribute": {"visits": pytest.approx(100 / 6)},
    }
    assert result.sentence == (
        "50.0 % of the steps from one event to the next would have to be others for the flow to be the original one."
    )


@pytest.mark.parametrize(
    ("before", "after", "matrix"),
    [
        (["a b c"], ["a b"], 50),  # nothing follows b any more
        (["a b", "b c"], ["a c", "b c"], 50),
        (["a", "b"], ["c", "b"], 0),
        (["a", "b"], ["a b", "b"], 100),
        (["a b", "b"], ["a", "b"], 100),
    ],
)
def test_rows_of_the_matrix_by_hand(before, after, matrix):
    assert measured(Transitions(), before, after).details["transition_matrix_percent"] == pytest.approx(matrix)


@pytest.mark.parametrize("measure", [EventFrequencies(), SequenceLengths(), Transitions()])
def test_a_column_without_a_sequence_in_both_files_is_named(measure):
    with pytest.raises(
        MissingValueError, match=f"{type(measure).__name__}: column 'visits' has no record with a sequence in both"
    ):
        measured(measure, ["a b", None], [None, "a b"])
