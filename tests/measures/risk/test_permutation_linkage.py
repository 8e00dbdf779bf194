from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.data.scales import Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import MissingValueError
from discreet.measures.risk.permutation_linkage import PermutationLinkageRisk

SCHEMA = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key")])


def mean_ranks(column):
    """A value's rank: the mean of the places that its equals take in the sorted column."""
    ordered = sorted(column)
    return [(2 * ordered.index(v) + 1 + ordered.count(v)) / 2 for v in column]


def share_found(before, after):
    """Everybody against everybody, by the definition."""
    a = list(zip(*map(mean_ranks, before), strict=True))
    b = list(zip(*map(mean_ranks, after), strict=True))
    found = 0.0
    for i, row in enumerate(b):
        far = [max(abs(p - q) for p, q in zip(row, other, strict=True)) for other in a]
        found += (far[i] == min(far)) / far.count(min(far))
    return 100 * found / len(a)


@settings(max_examples=30)
@given(st.integers(1, 25), st.integers(0, 10_000))
def test_it_is_what_everybody_against_everybody_finds(n, seed):
    draws = np.random.default_rng(seed)
    before, after = draws.integers(0, 12, (2, n)).astype(float), draws.integers(0, 12, (2, n)).astype(float)
    frames = [pl.DataFrame({"x": f[0], "y": f[1]}) for f in (before, after)]
    measured = PermutationLinkageRisk().measure(*frames, SCHEMA).value
    assert measured == pytest.approx(share_found(before.tolist(), after.tolist()))


def test_only_ranks_matter():
    data = dc.datasets.business(100)
    stretched = data.to_polars().with_columns(pl.col("TURNOVER") * 7 + 3)
    assert PermutationLinkageRisk(attributes=["TURNOVER"]).measure(data, stretched).value == pytest.approx(
        PermutationLinkageRisk(attributes=["TURNOVER"]).measure(data, data).value
    )


def test_who_has_all_of_both_finds_no_less_among_swapped_ranks_and_says_what_he_holds_for_true():
    data = dc.datasets.business(300)
    wide, narrow = (
        PermutationLinkageRisk().measure(data, dc.RankSwapping(p, random_state=1).mask(data)) for p in (60, 3)
    )
    assert narrow.value > wide.value
    assert narrow.details["held_for_more_than_chance"] > 0.5 * 300
    assert narrow.details["right_among_those_held"] > 0.8 * narrow.details["held_for_more_than_chance"]
    assert min(narrow.details["rank_correlation"].values()) > 0.95 > min(wide.details["rank_correlation"].values())


def test_the_largest_displacement_is_that_of_the_window():
    column = np.random.default_rng(2).permutation(200).astype(float)
    data = dc.microdata({"x": column.tolist()}, Schema([Attribute("x", Numeric(), "key")]))
    measured = PermutationLinkageRisk().measure(data, dc.RankSwapping(5, random_state=1).mask(data))
    assert 3 <= measured.details["largest_displacement_percent"] <= 5


def test_a_file_whose_columns_were_shuffled_is_as_far_as_chance():
    draws = np.random.default_rng(4)
    columns = draws.normal(size=(2, 1000))
    before = pl.DataFrame({"x": columns[0], "y": columns[1]})
    after = pl.DataFrame({"x": draws.permutation(columns[0]), "y": draws.permutation(columns[1])})
    measured = PermutationLinkageRisk().measure(before, after, SCHEMA)
    assert measured.value < 1.0
    # A twentieth of the links is held for more than chance by chance: 50, within four standard deviations.
    assert abs(measured.details["held_for_more_than_chance"] - 50) < 4 * np.sqrt(50)


def test_a_constant_release_tells_nothing():
    before = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]})
    measured = PermutationLinkageRisk().measure(before, pl.DataFrame({"x": [5.0] * 4}))
    assert measured.value == pytest.approx(25.0)  # ranks 2 and 3 are as near to 2.5: two of four have a half
    assert measured.details["rank_correlation"] == {"x": None}
    number = Schema([Attribute("x", Numeric(), "key")])
    from_one = PermutationLinkageRisk().measure(pl.DataFrame({"x": [5.0] * 4}), before, number)
    assert from_one.details["rank_correlation"] == {"x": None}, "nor does a constant original"


def test_levels_have_ranks_and_gaps_are_left_out():
    schema = Schema([Attribute("g", Ordinal(["a", "b", "c"]), "key")])
    before, after = pl.DataFrame({"g": ["a", "b", "c", None]}), pl.DataFrame({"g": ["a", "b", "c", "c"]})
    measured = PermutationLinkageRisk().measure(before, after, schema)
    assert measured.value == 100.0
    assert measured.details["n"] == 3
    with pytest.raises(MissingValueError, match="no record has a value"):
        PermutationLinkageRisk().measure(pl.DataFrame({"g": ["a", None]}), pl.DataFrame({"g": [None, "a"]}), schema)


def test_links_are_told_whole():
    before = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, None], "y": [5.0, 5.0, 5.0, 5.0, 1.0]})
    after = pl.DataFrame({"x": [1.0, 3.0, 2.0, 9.0, 7.0], "y": [5.0, 5.0, 5.0, 5.0, 2.0]})
    result = PermutationLinkageRisk().measure(before, after, SCHEMA)
    # The second and the third changed places: whoever looks for them is sure of the other one.
    assert result.value == 50
    assert result.details == {
        "known": ["x", "y"], "expected": 2, "n": 4, "held_for_more_than_chance": 0, "right_among_those_held": 0,
        "rank_correlation": {"x": pytest.approx(0.8), "y": None}, "largest_displacement_percent": 25,
    }  # fmt: skip
    assert result.sentence == (
        "An intruder who has all original records and not who is who re-identifies about 2 of 4 records by their ranks "
        "(50.0 %); guessing finds 1. He would hold 0 links for more than chance, and 0 of them are right."
    )


def test_a_missing_level_is_no_rank():
    schema = Schema([Attribute("x", Ordinal(["s", "m", "l"]), "key")])
    data = pl.DataFrame({"x": ["s", None, "l", "l"]})
    result = PermutationLinkageRisk().measure(data, data, schema)
    assert (result.details["n"], result.value) == (3, pytest.approx(100 * (1 + 0.5 + 0.5) / 3))
