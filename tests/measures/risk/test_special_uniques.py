from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference import measures as reference

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError
from discreet.measures.risk.special_uniques import SpecialUniques, minimal_uniques

SIZES = (2, 3, 3, 4, 6)


def draw(seed, n=40, missing=0.0):
    rng = np.random.default_rng(seed)
    rows = np.stack([np.minimum(rng.geometric(0.45, n) - 1, size - 1) for size in SIZES], axis=1)
    return [[None if rng.random() < missing else int(v) for v in row] for row in rows]


def coded(rows):
    return [
        np.array([SIZES[j] if row[j] is None else row[j] for row in rows], dtype=np.int64) for j in range(len(SIZES))
    ]


def table(rows, weights=None):
    columns = {f"k{j}": pl.Series([row[j] for row in rows], dtype=pl.Int64) for j in range(len(SIZES))}
    attributes = [Attribute(f"k{j}", Nominal(range(size)), "key") for j, size in enumerate(SIZES)]
    if weights is not None:
        columns["w"] = pl.Series(weights)
        attributes.append(Attribute("w", Numeric(), "weight"))
    return Microdata(pl.DataFrame(columns), Schema(attributes))


def as_set(found):
    return {
        (int(record), tuple(j for j in range(len(SIZES)) if subset >> j & 1))
        for record, subset in zip(found.records, found.subsets, strict=True)
    }


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("deepest", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(4))
def test_minimal_uniques_equal_the_definition(seed, deepest, missing):
    rows = draw(seed, missing=missing)
    found = minimal_uniques(coded(rows), [size + 1 for size in SIZES], deepest)
    assert as_set(found) == reference.minimal_uniques(rows, deepest)
    assert found.sizes.tolist() == [int(s).bit_count() for s in found.subsets]


@settings(max_examples=min(40, settings().max_examples), deadline=None)
@given(st.lists(st.tuples(*(st.integers(0, size - 1) for size in SIZES)), min_size=1, max_size=12))
def test_minimal_uniques_of_anything(rows):
    found = minimal_uniques(coded(rows), [size + 1 for size in SIZES], len(SIZES))
    assert as_set(found) == reference.minimal_uniques(rows, len(SIZES))


def test_tables_beyond_the_limit_are_sorted_instead(monkeypatch):
    rows = draw(7, n=60)
    usual = minimal_uniques(coded(rows), [size + 1 for size in SIZES], 5)
    monkeypatch.setattr("discreet.measures.risk.special_uniques._TABLE", 1)
    many = [np.concatenate([column, column[:1]]) * 1000 for column in coded(rows)]
    few = [np.concatenate([column, column[:1]]) for column in coded(rows)]
    sparse = minimal_uniques(many, [5000 + size for size in SIZES], 5)
    assert as_set(sparse) == as_set(minimal_uniques(few, [size + 1 for size in SIZES], 5))
    assert usual.records.size > 0


@pytest.mark.parametrize("max_size", [1, 2, 3, 4, 5, 8])
def test_scores_and_contributions_equal_the_definition(max_size):
    rows = draw(3)
    m = len(SIZES)
    twin = reference.minimal_uniques(rows, min(max_size, m))
    largest = min(max_size, m - 1)
    scores, keys = np.zeros(len(rows)), np.zeros(m)
    for record, chosen in twin:
        score = np.prod([m - i for i in range(len(chosen), largest + 1)])
        scores[record] += score
        for j in chosen:
            keys[j] += score
    measure = SpecialUniques(max_size)
    assert measure.per_record(table(rows), table(rows)) == pytest.approx(scores)
    result = measure.measure(table(rows), table(rows))
    assert result.value == pytest.approx(100 * np.count_nonzero(scores) / len(rows))
    total = scores.sum() or 1
    assert list(result.per_attribute.values()) == pytest.approx((100 * keys / total).tolist())
    sizes = {str(k): sum(len(chosen) == k for _, chosen in twin) for k in range(1, min(max_size, m) + 1)}
    assert result.details["minimal_uniques_by_size"] == sizes


def test_levels_of_fewer_than_three_records_are_not_shown():
    rows = draw(5, n=25)
    result = SpecialUniques().measure(table(rows), table(rows))
    twin = reference.minimal_uniques(rows, 3)
    for j, size in enumerate(SIZES):
        shown = result.details["levels"][f"k{j}"]
        counts = [sum(row[j] == level for row in rows) for level in range(size)]
        assert set(shown["contribution_percent"]) == {str(level) for level in range(size) if counts[level] >= 3}
        assert shown["levels_not_shown"] == sum(0 < count < 3 for count in counts)
        for level, percent in shown["contribution_percent"].items():
            part = sum(
                np.prod([5 - i for i in range(len(chosen), 4)])
                for record, chosen in twin
                if j in chosen and str(rows[record][j]) == level
            )
            total = sum(np.prod([5 - i for i in range(len(chosen), 4)]) for _, chosen in twin)
            assert percent == pytest.approx(100 * part / total)
    assert any(result.details["levels"][f"k{j}"]["levels_not_shown"] for j in range(5))


def test_dis_is_the_chance_that_a_unique_match_is_correct():
    rows = draw(1)
    unique = sum(rows.count(row) == 1 for row in rows)
    doubles = sum(rows.count(row) == 2 for row in rows) / 2
    expected = 100 * unique * 0.1 / (unique * 0.1 + 2 * doubles * 0.9)
    result = SpecialUniques(sampling_fraction=0.1).measure(table(rows), table(rows))
    assert result.details["dis_percent"] == pytest.approx(expected)
    weighted = SpecialUniques().measure(table(rows, [10.0] * 40), table(rows, [10.0] * 40))
    assert weighted.details["dis_percent"] == pytest.approx(expected)
    assert "dis_percent" not in SpecialUniques().measure(table(rows), table(rows)).details
    census = SpecialUniques(sampling_fraction=1.0).measure(table(rows), table(rows))
    assert census.details["dis_percent"] == 100


def test_a_file_without_uniques_and_too_many_keys():
    rows = [row for row in draw(0) for _ in range(2)]
    result = SpecialUniques().measure(table(rows), table(rows))
    assert result.value == 0
    assert set(result.per_attribute.values()) == {0}
    wide = pl.DataFrame({f"c{j}": [0, 1] for j in range(63)})
    schema = Schema(Attribute(name, Nominal([0, 1]), "key") for name in wide.columns)
    with pytest.raises(ParameterError, match="attributes must be at most 62; got 63"):
        SpecialUniques(attributes=wide.columns).measure(Microdata(wide, schema), Microdata(wide, schema))
    with pytest.raises(DataError, match="attributes must be at most 62; got 63"):  # an assessment goes on without it
        SpecialUniques().measure(Microdata(wide, schema), Microdata(wide, schema))


def test_numbers_and_missing_codes_single_out_and_a_bound_is_said(monkeypatch):
    frame = pl.DataFrame({"years": [31, 31, 40, -8, -9, -9], "sex": ["f", "m", "f", "f", "m", "m"]})
    schema = Schema([Attribute("years", Numeric(), "key", (-8, -9)), Attribute("sex", Nominal("fm"), "key")])
    data = Microdata(frame, schema)
    told = SpecialUniques().measure(data, data)
    assert told.details["minimal_uniques_by_size"] == {"1": 2, "2": 2}, "40 and −8; 31 with either sex"
    assert told.value == pytest.approx(100 * 4 / 6)
    assert "by 2 keys or fewer of 2" in told.sentence
    assert "not looked at" not in told.sentence
    monkeypatch.setattr("discreet.measures.risk.special_uniques._MOST_VISITS", 12)
    few = SpecialUniques().measure(data, data)
    assert few.details["max_size"] == 1
    assert "sets of more than 1 were not looked at" in few.sentence


def test_special_uniques_are_told_whole():
    # Four records on three keys: the last is alone by a, the third by b; a and c together tell the first two apart.
    frame = pl.DataFrame({"a": ["x", "x", "x", "y"], "b": ["p", "p", "q", "p"], "c": ["0", "1", "1", "1"]})
    schema = Schema(Attribute(name, Nominal(sorted(set(frame[name]))), "key") for name in "abc")
    data = Microdata(frame, schema)
    result = SpecialUniques(2, sampling_fraction=0.5).measure(data, data)
    # Alone by one key: the first (c), the third (b), the fourth (a); by two: the second, by none, for bc holds the
    # fourth as well, ab the first, and ac the third. An MSU of one key of three scores 2 · 1.
    assert result.value == 75
    assert result.per_attribute == pytest.approx({"a": 100 / 3, "b": 100 / 3, "c": 100 / 3})
    assert result.sentence == ("3 of 4 records are singled out by 2 keys or fewer of 3; a takes part in 33 % of it.")
    assert result.details == {
        "keys": ["a", "b", "c"], "perturbative": None, "missing": "category", "max_size": 2,
        "minimal_uniques_by_size": {"1": 3, "2": 0}, "mean_score": 1.5,
        "levels": {
            "a": {"contribution_percent": {"x": 0.0}, "levels_not_shown": 1},
            "b": {"contribution_percent": {"p": 0.0}, "levels_not_shown": 1},
            "c": {"contribution_percent": {"1": 0.0}, "levels_not_shown": 1},
        },
        "dis_percent": 100.0, "sampling_fraction": 0.5,
        "records_above_dis_percent": {"1": 3, "5": 3, "10": 3, "50": 3},
    }  # fmt: skip
    assert SpecialUniques(2).per_record(data, data).tolist() == [2, 0, 2, 2]


def test_a_bound_is_kept_and_said(monkeypatch):
    rows = draw(2, n=20)
    monkeypatch.setattr("discreet.measures.risk.special_uniques._MOST_VISITS", 20 * (5 + 10))
    result = SpecialUniques(3).measure(table(rows), table(rows))
    assert result.details["max_size"] == 2
    assert result.sentence.endswith(
        " Sets of up to 3 keys were asked for; of 5 keys and 20 records there are too many, and sets of more than 2 "
        "were not looked at."
    )
    monkeypatch.setattr("discreet.measures.risk.special_uniques._MOST_VISITS", 20 * (5 + 10) - 1)
    assert SpecialUniques(3).measure(table(rows), table(rows)).details["max_size"] == 1
    monkeypatch.setattr("discreet.measures.risk.special_uniques._MOST_VISITS", 1)
    assert SpecialUniques(3).measure(table(rows), table(rows)).details["max_size"] == 1


def test_matches_where_nobody_is_alone_or_nobody_double():
    pairs = [(0,) * len(SIZES)] * 2 + [(1,) * len(SIZES)] * 2
    result = SpecialUniques(sampling_fraction=0.5).measure(table(pairs), table(pairs))
    assert result.sentence == "No record is singled out by 3 keys or fewer of 5."
    assert (result.details["dis_percent"], result.details["mean_score"]) == (0, 0)
    assert set(result.details["records_above_dis_percent"].values()) == {0}
    three = [(0,) * len(SIZES)] * 3
    assert SpecialUniques(sampling_fraction=1.0).measure(table(three), table(three)).details["dis_percent"] == 0
    # Weights below one person each are those of a census.
    light = SpecialUniques().measure(table(pairs, [0.5] * 4), table(pairs, [0.5] * 4))
    assert light.details["sampling_fraction"] == 1
