"""How far sequences moved: parts that add up, and sentences."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.errors import MissingValueError
from discreet.measures.loss.sequence_movement import MovedSequences, SequenceDissimilarity

SCHEMA = dc.Schema([dc.Attribute("visits", dc.Sequence("abcd"), "key")])


def measured(before, after, **options):
    frames = (pl.DataFrame({"visits": pl.Series(side, dtype=pl.String)}) for side in (before, after))
    return SequenceDissimilarity(**options).measure(*frames, SCHEMA)


def test_parts_add_up():
    def part(*figures):
        return MovedSequences(*(np.array([float(one), 10.0 * one]) for one in figures[:4]), figures[4])

    both = part(1, 2, 3, 4, 5.0).merge(part(10, 20, 30, 40, 50.0))
    for name, total in (("records", 11), ("weight", 22), ("moved", 33), ("squared", 44)):
        assert getattr(both, name).tolist() == [total, 10 * total]
    assert both.plain_squares == 55


def test_a_small_movement_is_told_too():
    n = 200
    moved = measured(["a b"] * n, ["a b"] * (n - 1) + ["c d"])
    assert moved.value == pytest.approx(0.5)
    assert moved.sentence == (
        "Released sequences lie at a mean squared dissimilarity of 0.005 from the originals; 1 would be nothing in "
        "common."
    )
    assert moved.details["sse"] == pytest.approx(1)
    assert moved.details["mean_dissimilarity"] == pytest.approx(1 / n)
    assert measured(["a b"], ["a b"]).sentence == "Every sequence is released as it was."


def test_records_without_a_sequence_are_left_out_and_a_column_without_any_is_named():
    assert measured(["a b", None, "a b"], ["c d", "a", None]).value == 100
    with pytest.raises(
        MissingValueError, match="SequenceDissimilarity: column 'visits' has no record with a sequence in both files"
    ):
        measured(["a b", None], [None, "a b"])
