"""Microaggregation of categories and mixed records: kernels against their twins, and what all methods share."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.battery import microdata
from tests.reference import masking_classic, masking_records

from discreet.contracts.engine import InProcess
from discreet.contracts.masker import MaskingJob
from discreet.contracts.plan import Scope
from discreet.data.encoded_rows import ROW
from discreet.data.keyed_draws import Draws
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.scales.semantics import IntervalSemantics
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.kernels.groups.mixed_groups import mixed_mdav
from discreet.kernels.values.nearest_prototypes import (
    accumulate_memberships,
    assign_records,
    greedy_start,
    relocate_records,
)
from discreet.masking.microaggregation.records import record_groups
from discreet.masking.microaggregation.records.group_operators import aggregated
from discreet.masking.microaggregation.records.kmodes import KModes
from discreet.masking.microaggregation.records.kprototypes import KPrototypes
from discreet.masking.microaggregation.records.mixed_mdav import MixedMDAV
from discreet.masking.microaggregation.records.mondrian import Mondrian
from discreet.masking.microaggregation.records.record_groups import encode_records
from discreet.masking.microaggregation.records.sorted_groups import SortedGroups
from discreet.masking.running.border_repair import Scaling, Space
from discreet.operators import ArithmeticMean, NumericMedian, OrdinalMedian, Plurality, convex_rage

YEARS = IntervalSemantics((0, 1, 5), (1, 5, 6))
MIXED = Schema(
    [
        Attribute("n", Nominal(tuple("abc")), "key"),
        Attribute("o", Ordinal(tuple("pqrs")), "key"),
        Attribute("y", Ordinal(("early", "middle", "late"), YEARS), "key"),
        Attribute("x", Numeric(), "key"),
    ]
)
METHODS = (KModes, KPrototypes, MixedMDAV, SortedGroups, Mondrian)


def table(n, seed, missing=0.15):
    rng = np.random.default_rng(seed)

    def column(values, kind=None):
        return pa.array([None if rng.random() < missing else v for v in values], kind)

    return pa.table(
        {
            "n": column(rng.choice(list("abc"), n), pa.string()),
            "o": column(rng.choice(list("pqrs"), n), pa.string()),
            "y": column(rng.choice(["early", "middle", "late"], n), pa.string()),
            "x": column((rng.integers(0, 4, n) / 2).tolist(), pa.float64()),
        }
    )


def encoded(n, seed, missing="category", names=("n", "o", "y", "x")):
    data = Microdata(table(n, seed), MIXED)
    job = MaskingJob(data, tuple(names), np.random.default_rng(seed), InProcess())
    return encode_records(job, names, {"o": 2.0}, missing, semantics=True)


SIZES = given(st.integers(1, 25), st.integers(1, 6), st.integers(0, 500), st.sampled_from(["category", "wildcard"]))


@SIZES
def test_nearest_centres_are_those_of_the_twin(n, c, seed, missing):
    records, centres = encoded(n, seed, missing), encoded(c, seed + 1000, missing)
    labels = np.empty(n, dtype=np.int64)
    assign_records(
        records.codes, records.numbers, centres.codes, centres.numbers, *records.geometry, np.empty(c), labels
    )
    apart = masking_records.distances(records, centres)
    assert np.allclose(apart[np.arange(n), labels], apart.min(axis=1))
    # Sums taken in another order may tell equal distances apart by a rounding; beyond that, ties go to the first.
    first = np.round(apart, 9).argmin(axis=1)
    gap = apart[np.arange(n), first] - apart[np.arange(n), labels]
    assert ((labels == first) | ((gap != 0) & (np.abs(gap) < 1e-9))).all()


@SIZES
def test_greedy_start_is_that_of_the_twin(n, c, seed, missing):
    records, weights = encoded(n, seed, missing), np.random.default_rng(seed).integers(1, 5, n).astype(float)
    seeds = np.empty(c, dtype=np.int64)
    taken = greedy_start(records.codes, records.numbers, weights, *records.geometry, np.empty(n), np.empty(n), seeds)
    expected = masking_records.greedy_seeds(records, weights, c)
    assert taken == len(expected)
    assert seeds[:taken].tolist() == expected


@SIZES
def test_memberships_are_those_of_the_twin(n, c, seed, missing):
    names = ("n", "o", "y")
    records, centres = encoded(n, seed, missing, names), encoded(c, seed + 1000, missing, names)
    weights = np.random.default_rng(seed).random(n)
    gathered = np.empty((c, int(records.sizes.sum())))
    accumulate_memberships(
        records.codes, records.numbers, weights, centres.codes, centres.numbers, *records.geometry, records.places,
        1.7, np.empty(c), gathered,
    )  # fmt: skip
    assert np.allclose(gathered, masking_records.memberships(records, centres, weights, 1.7))


@given(st.integers(2, 30), st.integers(2, 5), st.integers(0, 500), st.sampled_from(["category", "wildcard"]))
def test_mdav_is_that_of_the_twin(n, k, seed, missing):
    if k > n:
        return
    records = encoded(n, seed, missing)
    labels = mixed_mdav(records.codes, records.numbers, *records.geometry, k)
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert sizes.max() < 2 * k
    assert labels.tolist() == masking_records.mixed_mdav(records, k).tolist()


@given(st.integers(4, 40), st.integers(1, 10), st.integers(2, 6), st.integers(0, 500))
def test_relocation_reaches_k_with_no_more_moves_than_needed(n, groups, k, seed):
    rng = np.random.default_rng(seed)
    records, counts = encoded(n, seed), rng.integers(1, 4, n)
    if counts.sum() < k:
        return
    labels = np.unique(rng.integers(0, groups, n), return_inverse=True)[1]
    groups = labels.max() + 1
    centres = records.take(np.array([np.flatnonzero(labels == g)[0] for g in range(groups)]))
    before = np.bincount(labels, weights=counts)
    moved = labels.copy()
    moves = relocate_records(
        records.codes, records.numbers, counts, centres.codes, centres.numbers, *records.geometry, k, moved
    )
    after = np.bincount(moved, weights=counts, minlength=groups)
    assert after[after > 0].min() >= k
    assert (moved != labels).sum() <= moves
    # A group that was too small costs at most its own different records; one that was not costs nothing.
    small = np.flatnonzero(before < k)
    assert (moved != labels).sum() <= np.isin(labels, small).sum()
    if not small.size:
        assert moved.tolist() == labels.tolist()


def test_a_small_group_is_filled_by_one_move_where_dissolving_takes_two():
    """Group 1 lacks one record of five; a neighbour of its centre can be spared, its four members stay."""
    codes = np.array([[0] * 6 + [1] * 4], dtype=np.int32)
    ordinal = Schema([Attribute("o", Ordinal(tuple("ab")), "key")])
    data = Microdata(pa.table({"o": ["ab"[c] for c in codes[0]]}), ordinal)
    job = MaskingJob(data, ("o",), np.random.default_rng(0), InProcess())
    records = encode_records(job, ["o"], {}, "category", semantics=True)
    labels = codes[0].astype(np.int64)
    centres = records.take(np.array([0, 9]))
    moves = relocate_records(
        records.codes, records.numbers, np.ones(10, dtype=np.int64), centres.codes, centres.numbers,
        *records.geometry, 5, labels,
    )  # fmt: skip
    assert moves == 1
    assert labels.tolist() == [1] + [0] * 5 + [1] * 4


def test_tables_hold_the_scales_distances_and_what_a_missing_value_is_worth():
    def tables(missing):
        records = encoded(5, 0, missing)
        ends = records.starts + records.sizes**2
        pieces = [records.table[s:e].reshape(z, z) for s, e, z in zip(records.starts, ends, records.sizes, strict=True)]
        return pieces, records.absent

    (nominal, ordinal, years), absent = tables("category")
    assert nominal[0].tolist() == [0, 1, 1, 1]
    assert nominal[3].tolist() == [1, 1, 1, 0]
    assert ordinal[0].tolist() == [0, 0.5, 1.0, 1.5, 1.5], "positions over the number of levels, importance 2"
    assert np.allclose(years[0], [0, 2.5**2 / 25, 1, 1]), "squared centres over the largest"
    assert absent.tolist() == [1.0]
    (nominal, ordinal, years), absent = tables("wildcard")
    assert nominal[0].tolist() == [0, 1, 1, 0]
    assert ordinal[4].tolist() == [0] * 5
    assert absent.tolist() == [0.0]


# -------------------------------------------------------------------------------------------------- what is released


@given(
    st.integers(4, 40),
    st.integers(2, 4),
    st.integers(0, 300),
    st.sampled_from(METHODS),
    st.sampled_from(["category", "wildcard"]),
    st.sampled_from(["median", "mode", "random"]),
)
def test_minimum_group_size_means_minimum(n, k, seed, method, missing, prototype):
    masker = method(k, missing=missing, prototype=prototype, random_state=seed)
    masked = masker.mask(table(n, seed), MIXED)
    assert np.bincount(masked.labels).min() >= k
    rows = list(zip(*(masked.microdata.column(a).to_pylist() for a in masked.provenance.attributes), strict=True))
    assert min(masking_classic.class_sizes(rows, missing)) >= k
    if missing == "category":
        assert min(Counter(rows).values()) >= k


def test_a_wildcard_stays_and_has_no_say():
    schema = Schema([Attribute("n", Nominal(tuple("ab")), "key")])
    frame = pa.table({"n": pa.array(["a", None, None, None, "a"])})
    assert KModes(5, missing="wildcard").mask(frame, schema).microdata.column("n").to_pylist() == frame["n"].to_pylist()
    assert KModes(5).mask(frame, schema).microdata.column("n").to_pylist() == [None] * 5
    half = pa.table({"n": pa.array(["a", None, None, "b", "a"])})
    assert KModes(5).mask(half, schema).microdata.column("n").to_pylist() == ["a"] * 5


def test_aggregates_of_groups_with_missing_values():
    values, labels = np.array([0, 0, 2, -1, -1, -1, 1], dtype=np.int32), np.array([0, 0, 0, 0, 1, 1, 1])
    assert aggregated(Plurality(), values, labels, 2).tolist() == [0, -1]
    assert aggregated(Plurality(), values, labels, 2, missing="wildcard").tolist() == [0, 1]
    counts = np.array([1, 1, 5, 1, 1, 1, 1])
    assert aggregated(Plurality(), values, labels, 2, counts).tolist() == [2, -1]
    assert aggregated(OrdinalMedian(), values, labels, 2, counts, missing="wildcard").tolist() == [2, 1]
    numbers = np.array([1.0, 3.0, np.nan])
    assert aggregated(ArithmeticMean(), numbers, np.zeros(3, dtype=np.int64), 1).tolist() == [2.0]


def test_weights_count_in_prototypes_but_not_in_k():
    schema = Schema([Attribute("n", Nominal(tuple("ab")), "key"), Attribute("w", Numeric(), "weight")])
    frame = pa.table({"n": ["a", "a", "b"], "w": [1.0, 1.0, 9.0]})
    assert KModes(3, weighted=True).mask(frame, schema).microdata.column("n").to_pylist() == ["b"] * 3
    assert KModes(3).mask(frame, schema).microdata.column("n").to_pylist() == ["a"] * 3
    with pytest.raises(ParameterError, match="k must be at most the number of records, 3; got 4"):
        KModes(4).mask(frame, schema)


def test_no_operator_is_silently_ignored():
    data = microdata()
    with pytest.raises(ParameterError, match="operators has 'sequence', which is neither"):
        KModes(operators={"sequence": Plurality()}).mask(data)
    with pytest.raises(ParameterError, match="OrdinalMedian does not aggregate nominal values, and 'fuel' is nominal"):
        KModes(operators={"fuel": OrdinalMedian()}).mask(data)
    with pytest.raises(ParameterError, match="'size', OrdinalMedian, takes no weights"):
        KModes(operators={"ordinal": OrdinalMedian()}, weighted=True).mask(data)
    with pytest.raises(ParameterError, match="importance names 'income', which is not masked"):
        KModes(importance={"income": 2.0}).mask(data)
    chosen = {"ordinal": OrdinalMedian(side="upper"), "size": Plurality(), "age": NumericMedian()}
    masked = KPrototypes(5, operators=chosen, weighted=False).mask(data)
    groups, age = masked.labels, data.encoded("age")
    for label in np.unique(groups):
        assert (masked.microdata.encoded("age")[groups == label] == np.median(age[groups == label])).all()


def test_random_operators_draw_from_the_seed():
    data = microdata(200)
    one, two = (KModes(20, prototype="random", random_state=seed).mask(data) for seed in (1, 2))
    assert not np.array_equal(one.microdata.encoded("grade"), two.microdata.encoded("grade"))
    rage = KModes(20, operators={"ordinal": convex_rage(random_state=987654321)}).mask(data)
    assert np.bincount(rage.labels).min() >= 20
    assert "987654321" not in str(rage.provenance.to_dict()), "not even an operator's seed is released"
    assert "RAGE" in str(rage.provenance.to_dict())


def test_semantics_are_used_unless_refused():
    frame = pa.table({"y": ["early", "early", "late", "late", "late", "late"]})
    schema = Schema([Attribute("y", Ordinal(("early", "middle", "late"), YEARS), "key")])
    assert SortedGroups(6).mask(frame, schema).microdata.column("y").to_pylist() == ["middle"] * 6
    assert SortedGroups(6, semantics=False).mask(frame, schema).microdata.column("y").to_pylist() == ["late"] * 6


def test_the_cost_of_a_group_is_the_squared_distance_to_its_centre():
    points = np.array([[1.0, 0.0], [3.0, 0.0], [10.0, 5.0], [10.0, 7.0], [10.0, 9.0]])
    assert record_groups._costs(points, np.array([0, 0, 1, 1, 1])).tolist() == [2.0, 8.0]
    assert record_groups._costs(points, np.array([1, 1, 0, 0, 0])).tolist() == [8.0, 2.0]


def test_unordered_levels_are_columns_half_a_unit_apart_in_squares():
    data = Microdata(table(40, 1), MIXED)
    space = SimpleNamespace(names=("n", "x"), scope=SimpleNamespace(schema=MIXED))
    part = {name: data.encoded(name) for name in space.names}
    points = np.column_stack([np.zeros(40), np.nan_to_num(part["x"], nan=np.nan)])
    embedded = record_groups._embedded(space, part, points)
    assert embedded.shape == (40, 4)
    assert np.isfinite(embedded).all()
    for i, j in ((0, 1), (2, 3), (4, 9), (5, 17)):
        apart = ((embedded[i, :3] - embedded[j, :3]) ** 2).sum()
        both = part["n"][i] >= 0 and part["n"][j] >= 0
        expected = float(part["n"][i] != part["n"][j]) if both else 0.5 * float(part["n"][i] != part["n"][j])
        assert apart == pytest.approx(expected)


# --------------------------------------------------------------------------------------- parts of a table that is cut


XY = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key"), Attribute("w", Numeric(), "weight")])


def space_of(names, spread, schema=XY, weight=None):
    scope = Scope(schema, tuple(names), 100, 100, weight, Draws(bytes(32)))
    scaling = Scaling(tuple(names), np.zeros(len(names)), np.array(spread))
    return Space(scope, tuple(names), scaling, (), 0, repairs=True)


def part_of(**columns):
    n = len(next(iter(columns.values())))
    return {ROW: np.arange(n), **{name: np.asarray(column) for name, column in columns.items()}}


def test_levels_are_scaled_by_their_number_and_numbers_by_their_range():
    scope = space_of(("n", "x", "o"), np.ones(3), MIXED).scope
    sample = {"n": np.array([0, 1, -1]), "x": np.array([4.0, np.nan, 12.0]), "o": np.array([2, 2, 3])}
    (scaling,) = MixedMDAV(2)._spaces(scope, sample)
    assert scaling.names == ("n", "x", "o")
    assert scaling.middle.tolist() == [0.0, 4.0, 0.0]
    assert scaling.spread.tolist() == [3.0, 8.0, 4.0]
    (scaling,) = MixedMDAV(2)._spaces(scope, {**sample, "x": np.array([5.0, 5.0, np.nan])})
    assert (scaling.middle[1], scaling.spread[1]) == (5.0, 1.0), "what is constant is not divided by nothing"
    (scaling,) = MixedMDAV(2)._spaces(scope, {**sample, "x": np.full(3, np.nan)})
    assert (scaling.middle[1], scaling.spread[1]) == (0.0, 1.0)


def test_a_part_too_small_for_two_groups_is_one():
    rng = np.random.default_rng(0)
    for n, groups in ((5, 1), (6, 2)):
        part = part_of(x=[0.0] * 3 + [9.0] * (n - 3), y=np.zeros(n))
        labels, absent = MixedMDAV(3)._space_groups(space_of("xy", [9.0, 1.0]), part, np.zeros((n, 2)), rng)
        assert labels.dtype == np.int64
        assert labels.max() + 1 == groups
        assert absent.shape == (n, 2)
        assert not absent.any()


def test_a_part_is_measured_by_the_range_of_the_whole_table():
    """Of two columns, the one that spans more of the whole table divides the part, unless the other is important."""
    part = part_of(x=np.array([0.0, 0.0, 1.0, 1.0]), y=np.array([0.0, 1.0, 0.0, 1.0]))
    by_x, by_y = [0, 0, 1, 1], [0, 1, 0, 1]

    def pairs(masker, spread):
        labels = masker._grouped_alone(space_of("xy", spread), part, np.random.default_rng(0))
        return (labels ^ labels[0]).tolist()

    assert pairs(MixedMDAV(2), [2.0, 20.0]) == by_x
    assert pairs(MixedMDAV(2), [20.0, 2.0]) == by_y
    assert pairs(MixedMDAV(2, importance={"x": 50.0}), [20.0, 2.0]) == by_x
    assert pairs(MixedMDAV(2, importance={"y": 50.0}), [2.0, 20.0]) == by_y
    assert pairs(MixedMDAV(2, importance={"y": 50.0}), [2.0, 200.0]) == by_x
    masker = MixedMDAV(2, importance={"y": 50.0})
    pairs(masker, [2.0, 20.0])
    assert masker.importance == {"y": 50.0}, "nothing is changed for later parts"


def test_the_loosest_half_of_groups_is_formed_anew_where_that_is_tighter():
    x = np.array([0.0, 10.0, 0.0, 10.0, 50.0, 50.0, 70.0, 70.0])
    part, space = part_of(x=x, y=np.zeros(8)), space_of("xy", [70.0, 1.0])
    points = space.scaling.points(part)
    crossed = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    mended = MixedMDAV(2)._mended(space, part, points, crossed, 0)
    assert mended[[4, 5, 6, 7]].tolist() == [0, 0, 1, 1], "the others come first and stay"
    assert sorted(mended[[0, 1]].tolist()) == [2, 3]
    assert mended[[0, 1]].tolist() == mended[[2, 3]].tolist()
    assert mended.dtype == np.int64
    assert crossed.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    good = np.array([0, 1, 0, 1, 2, 2, 3, 3])
    assert MixedMDAV(2)._mended(space, part, points, good, 0) is good, "what is no better is not taken"


def test_two_groups_are_formed_anew_even_if_they_are_all():
    x = np.array([0.0, 10.0, 0.0, 10.0])
    part, space = part_of(x=x, y=np.zeros(4)), space_of("xy", [10.0, 1.0])
    mended = MixedMDAV(2)._mended(space, part, space.scaling.points(part), np.array([0, 0, 1, 1]), 0)
    assert sorted(mended[[0, 1]].tolist()) == [0, 1]
    assert mended[[0, 1]].tolist() == mended[[2, 3]].tolist()


def test_the_loosest_groups_are_those_with_the_largest_cost_a_record():
    """A large group costs more in all; two crossed small ones cost more a record, and are mended."""
    x = np.concatenate([[0.0, 10.0, 0.0, 10.0], 100.0 + np.tile([0.0, 6.0], 12), 200.0 + np.tile([0.0, 6.0], 12)])
    part, space = part_of(x=x, y=np.zeros(52)), space_of("xy", [1.0, 1.0])
    labels = np.concatenate([[0, 0, 1, 1], np.full(24, 2), np.full(24, 3)])
    mended = MixedMDAV(2)._mended(space, part, space.scaling.points(part), labels, 0)
    assert mended[4:].tolist() == [0] * 24 + [1] * 24
    assert mended[[0, 1]].tolist() == mended[[2, 3]].tolist()


def test_a_part_is_released_by_its_groups_and_with_weights_where_they_count():
    part = part_of(x=np.array([0.0, 4.0, 10.0, 30.0]), y=np.array([1.0, np.nan, 5.0, 7.0]), w=[3.0, 1.0, 1.0, 1.0])
    labels, rng = np.array([0, 0, 1, 1]), np.random.default_rng(0)

    def released(masker, weight=None):
        space = space_of("xy", [1.0, 1.0], weight=weight)
        values = masker._released_groups(space, part, labels, np.zeros((4, 2)), rng)
        assert list(values) == ["x", "y"]
        return values

    assert released(MixedMDAV(2))["x"].tolist() == [2.0, 2.0, 20.0, 20.0]
    assert released(MixedMDAV(2))["y"][2:].tolist() == [6.0, 6.0]
    assert released(MixedMDAV(2, weighted=True), "w")["x"].tolist() == [1.0, 1.0, 20.0, 20.0]
    chosen = MixedMDAV(2, operators={"x": NumericMedian()}, missing="wildcard")
    assert np.isnan(released(chosen)["y"]).tolist() == [False, True, False, False]
    assert released(chosen)["y"][0] == 1.0


def test_a_span_that_is_hardly_a_number_makes_no_infinite_factor():
    def factors(values, **importance):
        data = Microdata(pa.table({"x": values}), Schema([Attribute("x", Numeric(), "key")]))
        job = MaskingJob(data, ("x",), np.random.default_rng(0), InProcess())
        return encode_records(job, ["x"], importance, "category", semantics=True).factors.tolist()

    assert factors([0.0, 4.0]) == [0.25]
    assert factors([0.0, 4.0], x=2.0) == [0.5]
    assert factors([3.0, 3.0]) == [1.0]
    assert factors([0.0, 5e-324]) == [1e290]
    assert factors([0.0, 5e-324], x=100.0) == [1e290]


def test_what_was_encoded_is_kept_until_something_else_is_asked():
    data = Microdata(table(10, 0), MIXED)
    job = MaskingJob(data, ("n", "o", "y", "x"), np.random.default_rng(0), InProcess())
    given = {"n": np.array([[0.0, 2.0, 4.0], [2.0, 0.0, 4.0], [4.0, 4.0, 0.0]])}

    def asked(names=("n", "o", "y"), importance=(), missing="category", semantics=True, tables=None):
        return encode_records(job, names, dict(importance), missing, semantics=semantics, tables=tables)

    first = asked()
    assert asked() is first
    others = [
        asked(names=("n", "y")),
        asked(importance=(("o", 2.0),)),
        asked(missing="wildcard"),
        asked(semantics=False),
        asked(tables=given),
        asked(tables={"n": given["n"] * np.array([[1.0, 1.0, 0.5]])}),
    ]
    assert len({id(one) for one in [first, *others]}) == 7
    assert others[4].table[:4].tolist() == [0.0, 0.5, 1.0, 1.0], "over the largest, as far as a missing value"
    assert asked(tables={"x": given["n"], "elsewhere": given["n"]}) is first, (
        "tables of what is not there do not matter"
    )
