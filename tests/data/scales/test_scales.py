from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from tests.reference.edit_distance import edit_distance

from discreet.data.scales import Nominal, Numeric, Ordinal, Sequence, scale_from_dict
from discreet.data.scales.semantics import IntervalSemantics
from discreet.errors import DataError, SchemaError

LEVELS = ("low", "middle", "high", "top")


class TestNumeric:
    @pytest.mark.parametrize(
        "values",
        [
            [1, None, 3],
            [1.0, float("nan"), 3.0],
            pd.array([1, None, 3], dtype="Int64"),
            pl.Series([1, None, 3]).to_arrow(),
            ["1", None, " 3.0 "],
            pa.array(["1", "?", "3"]).dictionary_encode(),
        ],
    )
    def test_reads_numbers_from_anything(self, values):
        assert np.array_equal(Numeric().encode(values, missing=("?",)), [1, np.nan, 3], equal_nan=True)

    def test_missing_codes_match_text_and_numbers(self):
        assert np.isnan(Numeric().encode([-9, 1, -9.0], missing=(-9,))).tolist() == [True, False, True]
        assert np.isnan(Numeric().encode(["-9", "1"], missing=("-9",))).tolist() == [True, False]
        assert np.isnan(Numeric().encode([-9, 1], missing=("-9",))).tolist() == [True, False]

    def test_minus_999_is_a_number_unless_it_is_declared_missing(self):
        assert Numeric().encode([-999, 1]).tolist() == [-999, 1]

    def test_refuses_words_and_infinities_by_count(self):
        with pytest.raises(DataError, match="2 of 3 values are not numbers"):
            Numeric().encode(["a", "1", "b"])
        with pytest.raises(DataError, match="1 of 2 values are infinite"):
            Numeric().encode([np.inf, 1.0])

    def test_refuses_what_no_distance_can_be_taken_of(self):
        with pytest.raises(DataError, match="2 of 3 values are larger than 1e\\+152") as raised:
            Numeric().encode([8.98e307, 1.0, -1e155])
        assert "8.98" not in str(raised.value)

    @given(st.lists(st.floats(min_value=-1e152, max_value=1e152, allow_nan=False) | st.none(), min_size=1))
    def test_round_trip(self, values):
        scale = Numeric()
        assert scale.decode(scale.encode(pa.array(values, pa.float64()))).to_pylist() == values


class TestCategories:
    @pytest.mark.parametrize("scale", [Nominal(LEVELS), Ordinal(LEVELS)])
    def test_round_trip_with_missing(self, scale):
        values = ["top", None, "low", "low"]
        codes = scale.encode(values)
        assert codes.dtype == np.int32
        assert codes.flags.c_contiguous
        assert codes.tolist() == [3, -1, 0, 0]
        assert scale.decode(codes).to_pylist() == values

    @pytest.mark.parametrize(
        ("levels", "values"),
        [
            ((1, 2, 3), ["1", "3", "2"]),
            ((1, 2, 3), [1.0, 3.0, 2.0]),
            (("1", "2", "3"), [1, 3, 2]),
            (("1", "2", "3"), [1.0, 3.0, 2.0]),
            ((1.5, 2.5, 3.5), ["1.5", "3.5", "2.50"]),
        ],
    )
    def test_text_and_numbers_meet(self, levels, values):
        assert Nominal(levels).encode(values).tolist() == [0, 2, 1]

    def test_codes_with_leading_zeros_are_not_numbers(self):
        with pytest.raises(DataError, match="1 of 2 values are not among the 2 declared levels"):
            Nominal(("01", "2")).encode(["1", "2"])

    def test_an_undeclared_level_is_counted_never_shown(self):
        with pytest.raises(DataError, match="2 of 3 values are not among the 4 declared levels") as caught:
            Nominal(LEVELS).encode(["low", "secret", "secret"])
        assert "secret" not in str(caught.value)

    @pytest.mark.parametrize("levels", [(), ("a", "a"), ("a", 1), (True, "x")])
    def test_bad_levels_are_refused(self, levels):
        with pytest.raises(SchemaError):
            Nominal(levels)

    def test_truth_values(self):
        scale = Nominal((False, True))
        assert scale.encode([True, False, None]).tolist() == [1, 0, -1]
        assert scale.encode(["TRUE", "false"]).tolist() == [1, 0]

    def test_decoding_a_code_outside_the_levels_is_refused(self):
        with pytest.raises(DataError, match="between −1 and 3"):
            Nominal(LEVELS).decode([4])

    @pytest.mark.parametrize(
        "scale",
        [Nominal(LEVELS), Ordinal(LEVELS), Ordinal(LEVELS, IntervalSemantics((0, 1, 3, 4), (1, 3, 4, 9)))],
        ids=["nominal", "ordinal", "semantics"],
    )
    def test_distance_is_a_dissimilarity(self, scale):
        d = scale.distance_matrix()
        assert np.array_equal(d, d.T)
        assert (np.diag(d) == 0).all()
        assert (d[~np.eye(4, dtype=bool)] > 0).all()
        assert scale.distance(-1, -1) == 0
        assert scale.distance(-1, 2) == d.max()

    def test_ordinal_distance_of_p4_is_rank_difference_over_the_number_of_levels(self):
        assert Ordinal(LEVELS).distance_matrix()[0].tolist() == [0, 0.25, 0.5, 0.75]

    def test_semantics_give_the_squared_distance_of_centres(self):
        scale = Ordinal(("old", "new"), IntervalSemantics((1900, 1950), (1950, 1960)))
        assert scale.distance(0, 1) == (1925 - 1955) ** 2

    def test_semantics_must_fit_the_levels(self):
        with pytest.raises(SchemaError, match="2 intervals for 4 levels"):
            Ordinal(LEVELS, IntervalSemantics((0, 1), (1, 2)))


class TestSequence:
    SCALE = Sequence(("a", "b", "c"))

    @pytest.mark.parametrize(
        "values", [["a b a", "", None, "c"], [["a", "b", "a"], [], None, ["c"]], ["a  b a ", "", None, "c"]]
    )
    def test_text_and_lists_give_the_same(self, values):
        encoded = self.SCALE.encode(pa.array(values))
        assert encoded.codes.tolist() == [0, 1, 0, 2]
        assert encoded.offsets.tolist() == [0, 3, 3, 3, 4]
        assert encoded.missing.tolist() == [False, False, True, False]
        assert self.SCALE.decode(encoded).to_pylist() == [["a", "b", "a"], [], None, ["c"]]

    def test_another_delimiter(self):
        assert Sequence((1, 2), delimiter=";").encode(["1;2", "2"]).codes.tolist() == [0, 1, 1]

    def test_an_unknown_event_is_counted_never_shown(self):
        with pytest.raises(DataError, match="1 of 3 events are not in the declared alphabet of 3 events") as caught:
            self.SCALE.encode(["a b", "secret"])
        assert "secret" not in str(caught.value)

    def test_numbers_are_no_sequence(self):
        with pytest.raises(DataError, match="text or a list"):
            self.SCALE.encode([1, 2])

    def test_an_event_that_holds_the_delimiter_cannot_be_written_as_text(self):
        scale = Sequence(("main gate", "lake"))
        with pytest.raises(SchemaError, match="1 events hold the delimiter"):
            scale.to_text(scale.decode(scale.encode([["main gate", "lake"]])))

    @pytest.mark.parametrize("arguments", [((),), (("a", "a"),), (("a",), "")])
    def test_bad_alphabets_are_refused(self, arguments):
        with pytest.raises(SchemaError):
            Sequence(*arguments)

    @given(st.lists(st.tuples(st.text("abc", max_size=6), st.text("abc", max_size=6)), min_size=1, max_size=8))
    def test_distance_equals_the_plain_definition(self, pairs):
        first, second = (
            self.SCALE.encode(pa.array([list(p[i]) for p in pairs], pa.list_(pa.string()))) for i in (0, 1)
        )
        expected = [edit_distance(a, b) / max(len(a), len(b), 1) for a, b in pairs]
        assert self.SCALE.distance(first, second) == pytest.approx(expected)


@pytest.mark.parametrize(
    "scale",
    [
        Numeric(),
        Nominal(("x", "y")),
        Nominal((True, False)),
        Ordinal((3, 1, 2)),
        Ordinal(("a", "b"), IntervalSemantics((0, 0.1), (0.1, 1))),
        Sequence(("u", "v"), delimiter=";"),
    ],
)
def test_scales_come_back_from_their_dictionary(scale):
    assert scale_from_dict(scale.kind, scale.to_dict()) == scale


def test_unknown_scale_and_missing_field_are_named():
    with pytest.raises(SchemaError, match="no scale named 'ratio'"):
        scale_from_dict("ratio", {})
    with pytest.raises(SchemaError, match="needs the field 'levels'"):
        scale_from_dict("nominal", {})
