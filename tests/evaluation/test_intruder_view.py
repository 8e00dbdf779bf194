"""What an intruder does before he links."""

from __future__ import annotations

import tracemalloc

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet import workflow
from discreet.contracts.masked import Masked, Provenance
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.evaluation.intruder_view import _targets, as_released, fit_to_compare, without_gaps
from discreet.masking.recoding.hierarchy import Hierarchy


def table(gaps=0, n=40):
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    x[:gaps] = np.nan
    frame = pl.DataFrame({"x": x, "fuel": rng.choice(["gas", "oil", "sun", "wood"], n)})
    schema = Schema(
        [Attribute("x", Numeric(), "key"), Attribute("fuel", Nominal(["gas", "oil", "sun", "wood"]), "key")]
    )
    return Microdata(frame, schema)


BROADER = Hierarchy([["gas", "fossil"], ["oil", "fossil"], ["sun", "new"], ["wood", "new"]])


def test_categories_that_were_renamed_are_known_by_their_new_names():
    data = table()
    masked = dc.HierarchyRecoding({"fuel": BROADER}).mask(data)
    for release in (masked, masked.microdata):  # by the transitions, and by what is seen
        recoded = as_released(data, release)
        assert recoded.encoded("fuel").tolist() == masked.microdata.encoded("fuel").tolist()
        assert recoded.schema["fuel"].scale == masked.microdata.schema["fuel"].scale
        assert recoded.schema["fuel"].role == "key"
    assert as_released(data, data) is data


@pytest.mark.parametrize("levels", [("gas", "oil", "*"), ("*", "oil", "gas")])
def test_of_levels_that_tie_a_level_goes_to_its_own_name(levels):
    before = Microdata(
        pl.DataFrame({"fuel": ["gas"] * 4 + ["oil"] * 3}), Schema([Attribute("fuel", Nominal(["gas", "oil"]), "key")])
    )
    after = Microdata(
        pl.DataFrame({"fuel": ["gas", "gas", "*", "*", "*", "*", "oil"]}),
        Schema([Attribute("fuel", Nominal(levels), "key")]),
    )
    assert as_released(before, after).to_polars()["fuel"].to_list() == ["gas"] * 4 + ["*"] * 3


@pytest.mark.parametrize("seed", range(30))
def test_a_level_goes_where_most_of_its_records_went_and_keeps_its_name_in_a_tie(seed):
    rng = np.random.default_rng(seed)
    texts = np.array(list("abcdefgh"))
    old, new = (Nominal(rng.permutation(texts)[: rng.integers(1, 7)].tolist()) for _ in range(2))
    before, after = (rng.integers(-1, len(scale), 25).astype(np.int32) for scale in (old, new))
    expected = []
    for place, level in enumerate(old.levels):
        went = [new.levels[code] for code in after[before == place] if code >= 0]
        best = sorted(set(went), key=lambda name: (-went.count(name), name != level, name))
        expected.append(new.levels.index(best[0]) if best else -1)
    assert _targets(before, after, old, new).tolist() == expected


def test_where_many_levels_went_needs_no_table_of_them():
    before, after = Nominal(tuple(range(6_000))), Nominal(tuple(range(1, 6_001)))
    codes = np.arange(6_000, dtype=np.int32)
    tracemalloc.start()
    try:
        targets = _targets(codes, codes[::-1].copy(), before, after)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert targets.tolist() == codes[::-1].tolist()
    assert peak < 6_000**2 / 5


def test_a_release_with_new_levels_can_be_assessed_and_is_linked_by_them():
    data = table()
    masked = dc.HierarchyRecoding({"fuel": BROADER}).mask(data)
    found = workflow.assess(data, masked)
    # x is released as it was: everybody is found, whatever his fuel is called.
    assert found["distance-linkage"].value == 100.0
    only = workflow.assess(data, masked, intruders=[workflow.Intruder("fuel", ("fuel",))])["fuel"]
    # Two classes of equal records: one of each is found, on average.
    assert only["distance-linkage"].value == pytest.approx(100 * 2 / 40)


def test_the_masking_aware_intruder_is_handed_what_he_knows_and_not_what_he_would_make_of_it():
    data = table()
    masked = dc.HierarchyRecoding({"fuel": BROADER}).mask(data)
    expected = dc.MaskingAwareLinkage(attributes=["fuel"]).link(data, masked).evaluate().rate
    one = [workflow.Intruder("aware", ("fuel",), ("masking-aware", "blocked"))]
    found = workflow.assess(data, masked, intruders=one)["aware"]
    assert found["masking-aware-linkage"].value == pytest.approx(100 * expected)
    assert found["blocked-linkage"].value > 0


def test_gaps_are_like_gaps():
    data = table(gaps=3)
    before, after = without_gaps(data, data)
    assert before.names == ("x", "fuel", "x is missing")
    assert before.encoded("x is missing").tolist() == [1] * 3 + [0] * 37
    assert np.isfinite(before.encoded("x")).all()
    assert after.schema == before.schema
    whole = table()
    assert without_gaps(whole, whole) == (whole, whole)


def test_a_table_with_missing_numbers_can_be_assessed():
    data = table(gaps=3)
    found = workflow.assess(data, workflow.protect(data, "identifiers"))
    fuels = data.encoded("fuel")[:3]
    expected = 37 + sum(1 / (fuels == f).sum() for f in fuels)  # those with gaps are told apart by their fuel alone
    assert found["distance-linkage"].value == pytest.approx(100 * expected / 40)
    release = workflow.protect(data, "identifiers")
    aware = workflow.assess(data, release, intruders=[workflow.Intruder("a", ("x", "fuel"), ("masking-aware",))])["a"]
    assert aware["masking-aware-linkage"].value == pytest.approx(100 * expected / 40)


def test_who_knows_the_masking_compares_what_became_unordered_or_a_range():
    data = table()
    schema = data.schema.replacing(Attribute("fuel", Ordinal(["gas", "oil", "sun", "wood"]), "key"))
    ordered = Microdata(data.to_native(), schema)
    recoded = dc.LevelMap({"fuel": {"gas": "old", "wood": "old"}}).mask(ordered)
    assert recoded.microdata.schema["fuel"].scale.kind == "nominal"
    seen = fit_to_compare(ordered, as_released(ordered, recoded), recoded)
    assert seen.schema["fuel"].scale == Nominal(["gas", "oil", "sun", "wood"])
    assert seen.encoded("fuel").tolist() == ordered.encoded("fuel").tolist()
    ranges = dc.Mondrian(k=4, release="range").mask(ordered)
    seen = fit_to_compare(ordered, as_released(ordered, ranges), ranges)
    assert seen.encoded("x").tolist() == ranges.microdata.encoded("x").tolist()
    assert fit_to_compare(data, data, data) is data
    for release in (recoded, ranges):
        one = [workflow.Intruder("aware", ("x", "fuel"), ("masking-aware",))]
        assert workflow.assess(ordered, release, intruders=one)["aware"]["masking-aware-linkage"].value > 0


def test_sentences_count_the_keys_that_were_declared_and_no_flags_of_gaps():
    data = table(gaps=3)
    schema = Schema([*data.schema, Attribute("debt", Numeric(), "confidential")])
    data = Microdata(data.to_arrow().append_column("debt", [np.arange(40.0)]), schema)
    masked = workflow.protect(data, "identifiers")
    intruder = workflow.Intruder("all", ("x", "fuel"), ("distance", "blocked"))
    found = workflow.assess(data, masked, intruders=[intruder])["all"]
    measured = [found["distance-linkage"], found["blocked-linkage"], dc.assess(data, masked)["attribute-disclosure"]]
    for one in measured:
        assert one.details["known"] == ["x", "fuel"], one.name
        assert "is missing" not in one.sentence
    assert "knows 2 true keys of" in measured[0].sentence
    assert "A missing cell counts as a value of its own." in measured[0].sentence
    assert "knows 2 keys of" in measured[1].sentence
    assert "From 2 keys," in measured[2].sentence
    assert all("is missing" not in name for name in found.score.known)


def test_a_column_that_is_called_like_a_flag_is_a_key_like_any_other():
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("x is missing", Nominal(("no", "yes")), "key")])
    frame = pl.DataFrame({"x": [1.0, None, 3.0, 4.0], "x is missing": ["no", "yes", "no", "no"]})
    data = Microdata(frame, schema)
    found = dc.assess(data, workflow.protect(data, "identifiers"))
    assert found["distance-linkage"].details["known"] == ["x", "x is missing"]


# ------------------------------------------------------------------------------------------------------------- by hand


def words(levels, cells, role="key", scale=None):
    schema = dc.Schema([dc.Attribute("c", scale or dc.Nominal(levels), role)])
    return dc.microdata(pl.DataFrame({"c": cells}, schema={"c": pl.String}), schema)


@pytest.mark.parametrize(
    ("before", "after", "known"),
    [
        # Where most of a level went, there it goes; a gap stays a gap.
        ("aaab", "xxyy", "xxxy"),
        (["a", "a", None, "b"], "xxyy", ["x", "x", None, "y"]),
        (["a", "a", "b", "b"], ["x", None, None, None], ["x", "x", None, None]),
        # Of those that tie, to the first by name, however they are declared.
        ("aabb", "yxyx", "xxxx"),
    ],
)
def test_a_level_goes_where_most_of_its_records_went(before, after, known):
    found = as_released(words(("a", "b"), list(before)), words(("y", "x"), list(after)))
    assert found.column("c").to_pylist() == list(known)
    assert found.schema["c"].scale.levels == ("y", "x")


def test_a_level_that_ties_with_its_own_name_keeps_it():
    found = as_released(words(("b", "a"), list("aabb")), words(("z", "a", "b"), list("azbz")))
    assert found.column("c").to_pylist() == list("aabb")


def test_what_the_recoding_says_for_certain_counts_more_than_what_most_did():
    before, after = words(("a", "b"), list("aaab")), words(("x", "y"), list("xxyy"))
    certain = np.array([[False, True], [True, True]])
    masked = Masked(after, Provenance("m", {}, ("c",), 4, transitions={"c": certain}))
    assert as_released(before, masked).column("c").to_pylist() == list("yyyy")
    with_gaps = np.array([[False, True, False], [True, False, False], [False, False, True]])
    masked = Masked(after, Provenance("m", {}, ("c",), 4, transitions={"c": with_gaps}))
    assert as_released(before, masked).column("c").to_pylist() == list("yyyx")


def test_numbers_that_became_ranges_go_where_their_records_went():
    schema = dc.Schema([dc.Attribute("c", dc.Numeric(), "confidential")])
    numbers = dc.microdata(pl.DataFrame({"c": [1.0, None, 9.0]}), schema)
    ranges = words(("low", "high"), ["low", "low", "high"])
    found = as_released(numbers, ranges)
    assert found.column("c").to_pylist() == ["low", None, "high"]
    assert found.schema["c"].role == "confidential"
    assert as_released(ranges, numbers) is ranges
    assert as_released(numbers, numbers) is numbers
    same = words(("a",), ["a"])
    assert as_released(same, words(("a",), ["a"])) is same
    named = words(("a", "b"), ["a", "b"], "identifier")
    assert as_released(named, words(("x", "y"), ["x", "y"])) is named


def test_gaps_are_filled_by_the_mean_of_the_original_and_flagged():
    roles = {"x": "key", "y": "key", "x is missing": "other"}
    schema = dc.Schema([dc.Attribute(name, dc.Numeric(), role) for name, role in roles.items()])

    def table(x, y):
        cells = {"x": x, "y": y, "x is missing": [0.0] * 3}
        return dc.microdata(pl.DataFrame(cells, schema=dict.fromkeys(roles, pl.Float64)), schema)

    before, after = table([1.0, None, 4.0], [1.0, 2.0, 3.0]), table([None, 2.0, 4.0], [1.0, 2.0, 3.0])
    first, second = without_gaps(before, after)
    assert first.encoded("x").tolist() == [1.0, 2.5, 4.0]
    assert second.encoded("x").tolist() == [2.5, 2.0, 4.0]
    flag = "x is missing?"
    assert first.column(flag).to_pylist() == ["no", "yes", "no"]
    assert second.column(flag).to_pylist() == ["yes", "no", "no"]
    assert first.schema[flag].role == "key"
    assert "y is missing" not in first.schema
    assert without_gaps(table([1.0] * 3, [1.0] * 3), table([1.0] * 3, [1.0] * 3))[0].names == schema.names
    empty, _ = without_gaps(table([None] * 3, [1.0] * 3), after)
    assert empty.encoded("x").tolist() == [0.0] * 3
    masked = Masked(after, Provenance("m", {}, ("x",), 3))
    held = without_gaps(before, masked)[1]
    assert isinstance(held, Masked)
    assert held.microdata.column(flag).to_pylist() == ["yes", "no", "no"]


def test_who_knows_the_masking_compares_unordered_levels_as_such():
    ordered = words(None, ["a", "b"], scale=dc.Ordinal(("b", "a")))
    loose = fit_to_compare(ordered, ordered, words(("x", "y"), ["x", "y"]))
    assert (loose.schema["c"].scale.kind, loose.schema["c"].scale.levels) == ("nominal", ("b", "a"))
    assert loose.column("c").to_pylist() == ["a", "b"]
    assert fit_to_compare(ordered, ordered, ordered) is ordered
    schema = dc.Schema([dc.Attribute("c", dc.Numeric(), "key")])
    numbers = dc.microdata(pl.DataFrame({"c": [1.0, 9.0]}), schema)
    ranges = words(("low", "high"), ["low", "high"])
    assert fit_to_compare(numbers, ranges, ranges).column("c").to_pylist() == ["low", "high"]
    assert fit_to_compare(ranges, ranges, numbers) is ranges
