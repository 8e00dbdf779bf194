"""Sequences in pairs: one alphabet, records that have both, and distributions apart."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.data.microdata import Microdata
from discreet.data.scales import Sequence
from discreet.data.schema import Attribute, Schema
from discreet.errors import MissingValueError
from discreet.measures.sequence_pairs import in_percent, sequence_pair, total_variation


def ways(cells: list[str | None], alphabet: list[str]) -> Microdata:
    frame = pl.DataFrame({"s": pl.Series(cells, dtype=pl.String)})
    return Microdata(frame, Schema([Attribute("s", Sequence(alphabet), "key")]))


def test_records_that_have_both_in_the_alphabet_of_the_original() -> None:
    before = ways(["x y", None, "y", "x"], ["x", "y"])
    after = ways(["y x", "x", None, "z y"], ["z", "y", "x"])
    pair = sequence_pair("Loss", before, after, "s", np.array([1.0, 2.0, 3.0, 4.0]))
    assert pair.n_events == 3
    assert (pair.before.codes.tolist(), pair.before.lengths.tolist()) == ([0, 1, 0], [2, 1])
    assert (pair.after.codes.tolist(), pair.after.lengths.tolist()) == ([1, 0, 2, 1], [2, 2])
    assert pair.weights is not None
    assert pair.weights.tolist() == [1.0, 4.0]
    same = sequence_pair("Loss", before, before, "s")
    assert (same.n_events, same.weights, len(same.before)) == (2, None, 3)


def test_no_record_that_has_both_is_refused_where_somebody_asks() -> None:
    before, after = ways(["x", None], ["x"]), ways([None, "x"], ["x"])
    with pytest.raises(MissingValueError, match="Loss: column 's' has no record"):
        sequence_pair("Loss", before, after, "s")
    assert len(sequence_pair("", before, after, "s").before) == 0


def test_total_variation_by_hand() -> None:
    one, two = np.array([3, 3, 5, 9]), np.array([3, 5, 5, 7])
    # Shares of 3, 5, 7 and 9: ½ ¼ 0 ¼ and ¼ ½ ¼ 0.
    assert total_variation(one, two) == pytest.approx(0.5)
    assert total_variation(one, one) == 0
    assert total_variation(one, two, np.array([1.0, 1, 1, 1]), np.array([1.0, 2, 2, 5])) == pytest.approx(
        0.5 * (0.4 + 0.15 + 0.5 + 0.25)
    )
    nothing = np.array([], dtype=np.int64)
    assert total_variation(nothing, one) == 1
    assert total_variation(one, nothing) == 1
    assert total_variation(nothing, nothing) == 0


def test_the_mean_of_attributes_in_percent() -> None:
    assert in_percent({"a": 0.25, "b": 0.75}) == (50.0, {"a": 25.0, "b": 75.0})
