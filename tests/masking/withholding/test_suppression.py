from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.battery import microdata
from tests.reference import masking_classic as twin

from discreet.data.guarantees import still_true
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError
from discreet.masking.withholding import suppression
from discreet.masking.withholding.key_classes import KeyCoder, classes_of, distinct_values, wildcard_counts
from discreet.masking.withholding.suppression import LocalSuppression, entropy_cost

LEVELS = tuple("abcd")
VALUE = st.sampled_from([*LEVELS, None])


def schema(names="xyz", sensitive=False):
    keys = [Attribute(name, Nominal(LEVELS), "key") for name in names]
    return Schema([*keys, Attribute("ill", Nominal(("no", "yes", "very")), "confidential")] if sensitive else keys)


def table(rows, names="xyz"):
    return pa.table({name: pa.array([row[j] for row in rows], pa.string()) for j, name in enumerate(names)})


def released(masked, names="xyz"):
    return list(zip(*(masked.microdata.column(name).to_pylist() for name in names), strict=True))


def rows_of(size):
    return st.lists(st.tuples(*[VALUE] * size), min_size=4, max_size=30)


def only_suppressed(before, after):
    return all(
        b == a or a is None for one, two in zip(before, after, strict=True) for b, a in zip(one, two, strict=True)
    )


@given(rows_of(3), st.integers(2, 4), st.sampled_from(["category", "wildcard"]))
def test_every_record_shares_its_keys_with_k(rows, k, missing):
    masked = LocalSuppression(k, missing=missing).mask(table(rows), schema())
    after = released(masked)
    assert only_suppressed(rows, after)
    assert min(twin.class_sizes(after, missing)) >= k
    if missing == "category":
        assert np.bincount(masked.labels).min() >= k


@given(rows_of(3), st.integers(2, 3), st.sampled_from(["category", "wildcard"]))
def test_records_that_do_not_stand_out_are_left_alone_with_wildcards(rows, k, missing):
    after = released(LocalSuppression(k, missing=missing).mask(table(rows), schema()))
    if missing == "wildcard":
        for size, before, now in zip(twin.class_sizes(rows, "wildcard"), rows, after, strict=True):
            assert size < k or before == now


@given(rows_of(4), st.integers(2, 3), st.sampled_from(["category", "wildcard"]), st.booleans())
def test_chosen_combinations_are_shared(rows, k, missing, listed):
    chosen = [["w", "x"], ["x", "y", "z"]] if listed else list(combinations("wxyz", 2))
    masker = LocalSuppression(k, combinations=chosen if listed else 2, missing=missing)
    after = released(masker.mask(table(rows, "wxyz"), schema("wxyz")), "wxyz")
    assert only_suppressed(rows, after)
    for subset in chosen:
        projected = [tuple(row["wxyz".index(name)] for name in subset) for row in after]
        assert min(twin.class_sizes(projected, missing)) >= k


def promised(masked):
    return {promise.attributes: promise.k for promise in masked.provenance.guarantees}


@given(rows_of(3), st.sampled_from(["category", "wildcard"]), st.sampled_from([{1: 4, 2: 3, 3: 2}, {1: 2, 2: 4}]))
def test_a_k_for_each_number_of_keys(rows, missing, asked):
    masker = LocalSuppression(3, combinations=asked, missing=missing)
    masked = masker.mask(table(rows), schema())
    after = released(masked)
    assert only_suppressed(rows, after)
    expected = {}
    for size, k in asked.items():
        for subset in combinations("xyz", size):
            expected[subset] = k
            projected = [tuple(row["xyz".index(name)] for name in subset) for row in after]
            assert min(twin.class_sizes(projected, missing)) >= k, subset
    assert promised(masked) == expected
    assert still_true(masked.provenance.guarantees, masked.microdata.to_polars())[1] == []
    written = LocalSuppression(combinations={str(size): k for size, k in asked.items()}, missing=missing)
    assert released(written.mask(table(rows), schema())) == after, "as a protocol writes it"


def test_a_k_for_each_number_of_keys_in_blocks():
    rng = np.random.default_rng(5)
    rows = [tuple(LEVELS[v] for v in np.minimum(row, 3)) for row in rng.geometric(0.5, (400, 3)) - 1]
    asked = {1: 30, 2: 12, 3: 5}
    for parameters in ({}, {"block_size": 100}):
        masked = LocalSuppression(combinations=asked).mask(table(rows), schema(), **parameters)
        after = released(masked)
        for size, k in asked.items():
            for subset in combinations(range(3), size):
                assert min(twin.class_sizes([tuple(row[j] for j in subset) for row in after], "category")) >= k
        assert promised(masked)["x",] == 30
        assert still_true(masked.provenance.guarantees, masked.microdata.to_polars())[1] == []


@pytest.mark.parametrize(
    ("levels", "sizes", "expected"),
    [
        ({"w": 1, "x": 2, "y": 3, "z": 3}, None, ["wxy", "wxz"]),
        ({"w": 1, "x": 1, "y": 2}, None, ["wx", "wy", "xy"]),
        ({"w": 1, "x": 2, "y": 3, "z": 3}, {1: 2, 2: 3}, ["w", "wx"]),
        ({"w": 1, "x": 2, "y": 2, "z": 3}, 3, ["wxy", "wxz", "wyz"]),
    ],
)
def test_combinations_by_identification_level(levels, sizes, expected):
    rows = [tuple("aabb"[(i >> j) % 4] for j in range(4)) for i in range(24)]
    masked = LocalSuppression(2, levels=levels, combinations=sizes).mask(table(rows, "wxyz"), schema("wxyz"))
    assert sorted(map("".join, promised(masked))) == expected
    after = released(masked, "wxyz")
    for names, k in promised(masked).items():
        assert k == (sizes[len(names)] if isinstance(sizes, dict) else 2)
        projected = [tuple(row["wxyz".index(name)] for name in names) for row in after]
        assert min(twin.class_sizes(projected, "category")) >= k


@given(st.dictionaries(st.sampled_from("wxyz"), st.integers(1, 3), min_size=1))
def test_levels_choose_what_their_definition_says(levels):
    """One key for each level, all different, each of that level or below: tried place by place."""
    highest = max(levels.values())
    places = [[name for name in levels if levels[name] <= level] for level in range(1, highest + 1)]
    expected = {tuple(sorted(chosen)) for chosen in product(*places) if len(set(chosen)) == highest}
    masker = LocalSuppression(2, levels=levels)
    if not expected:
        with pytest.raises(ParameterError, match="levels must make a combination"):
            masker.mask(table([("a",) * 4] * 4, "wxyz"), schema("wxyz"))
        return
    assert set(masker.combined(tuple("wxyz"))) == expected


def test_what_combinations_cannot_be():
    data = table([("a", "a", "a")] * 6)
    for parameters, sentence in [
        ({"combinations": {1: 7}}, "combinations must ask for at most the number of records, 6; got 7"),
        ({"combinations": {4: 2}}, "combinations must be at most the number of keys, 3; got 4"),
        ({"combinations": {0: 2}}, "combinations must be"),
        ({"combinations": {"1": 2, 1: 3}}, "combinations must be"),
        ({"levels": {"x": 1}, "combinations": [["x"]]}, "levels must be None where combinations are listed"),
        ({"levels": {"x": 1}, "combinations": 2}, "levels must make a combination"),
        ({"levels": {"x": 1}, "polish": 2}, "polish must be None with l, combinations or levels"),
        ({"levels": {"u": 1}}, "levels names 'u', which is not masked"),
    ]:
        with pytest.raises(ParameterError, match=sentence):
            LocalSuppression(2, **parameters).mask(data, schema())


def test_by_entropy_the_key_goes_that_tells_least():
    rows = [("a", one) for one in "aabbccdd"] + [("b", "a"), ("b", "b")]
    x, y = (round(-sum(v / 10 * np.log2(v / 10) for v in counts), 2) for counts in ((8, 2), (3, 3, 2, 2)))
    data, keys = table(rows, "xy"), schema("xy")
    masked = LocalSuppression(2, importance="entropy", missing="wildcard").mask(data, keys)
    assert masked.provenance.details["costs"] == {"x": x, "y": y}
    assert masked.provenance.details["suppressed"] == {"x": 2, "y": 0}
    alike = LocalSuppression(2, missing="wildcard").mask(data, keys)
    assert alike.provenance.details["suppressed"]["x"] == 0, "at one cost for all, the key with most levels goes"
    in_blocks = LocalSuppression(2, importance="entropy", missing="wildcard").mask(data, keys, block_size=8)
    assert in_blocks.provenance.details["costs"] == {"x": x, "y": y}
    assert in_blocks.provenance.details["suppressed"] == {"x": 2, "y": 0}


@pytest.mark.parametrize("seed", range(8))
def test_hiding_for_one_combination_never_breaks_another(seed):
    """As categories, a value that goes missing for one pair takes its record out of the classes of other pairs."""
    rng = np.random.default_rng(seed)
    rows = [tuple(LEVELS[v] for v in np.minimum(row, 3)) for row in rng.geometric(0.5, (60, 4)) - 1]
    after = released(LocalSuppression(4, combinations=2).mask(table(rows, "wxyz"), schema("wxyz")), "wxyz")
    for one, two in combinations(range(4), 2):
        assert min(twin.class_sizes([(row[one], row[two]) for row in after], "category")) >= 4


@given(rows_of(2), st.data(), st.sampled_from(["category", "wildcard"]))
def test_classes_are_diverse(rows, data, missing):
    ill = data.draw(st.lists(st.sampled_from(["no", "yes", "very"]), min_size=len(rows), max_size=len(rows)))
    if len(set(ill)) < 2:
        return
    frame = table(rows, "xy").append_column("ill", pa.array(ill))
    after = released(LocalSuppression(2, l=2, missing=missing).mask(frame, schema("xy", sensitive=True)), "xy")
    assert min(twin.class_sizes(after, missing)) >= 2
    assert min(twin.class_diversity(after, ill, missing)) >= 2


def test_the_cheapest_value_goes():
    """The last two differ in z alone; the first two are protected already."""
    rows = [("a", "a", "a"), ("a", "a", "a"), ("b", "b", "c"), ("b", "b", "d")]
    assert released(LocalSuppression(2).mask(table(rows), schema())) == [*rows[:2], ("b", "b", None), ("b", "b", None)]
    one = released(LocalSuppression(2, missing="wildcard").mask(table(rows), schema()))
    assert one == [*rows[:2], ("b", "b", None), rows[3]]


def test_wildcards_hide_only_as_many_as_the_others_need():
    """Fifty records that differ in one key and k = 3: two hidden values make all the others match three."""
    levels = tuple(f"v{i}" for i in range(50))
    keys = Schema([Attribute("x", Nominal(("a",)), "key"), Attribute("y", Nominal(levels), "key")])
    masked = LocalSuppression(3, missing="wildcard").mask(pa.table({"x": ["a"] * 50, "y": list(levels)}), keys)
    assert masked.provenance.details["suppressed"] == {"x": 0, "y": 2}


def test_importance_in_order_and_by_cost():
    rows = [("a", "b", "c"), ("a", "d", "d"), ("d", "b", "d"), ("d", "d", "c")]

    def hidden(importance):
        masked = LocalSuppression(2, importance=importance).mask(table(rows), schema())
        return masked.provenance.details["suppressed"]

    assert hidden(["x"]) == {"x": 0, "y": 4, "z": 4}
    assert hidden(["y", "z"]) == {"x": 4, "y": 0, "z": 4}
    assert hidden({"z": 5.0, "y": 2.0}) == {"x": 4, "y": 4, "z": 0}


def test_numbers_are_keys_too():
    frame = pa.table({"age": [30.0, 30.0, 41.0, 41.0, 55.0]})
    masked = LocalSuppression(2).mask(frame, Schema([Attribute("age", Numeric(), "key")]))
    after = [(value,) for value in masked.microdata.column("age").to_pylist()]
    assert min(twin.class_sizes(after, "category")) >= 2
    assert masked.provenance.changed["age"] == 3, "the lonely value and one pair with it"


def test_strata_are_protected_one_by_one():
    data = microdata(200)
    masked = LocalSuppression(4, attributes=["size", "fuel"], strata=["region"]).mask(data)
    rows = released(masked, ("size", "fuel", "region"))
    assert min(twin.class_sizes(rows, "category")) >= 4


def test_transitions_say_that_values_stay_or_go():
    data = microdata(100)
    masked = LocalSuppression(5, attributes=["size", "grade"]).mask(data)
    possible = masked.provenance.transitions["size"]
    assert possible[data.encoded("size"), masked.microdata.encoded("size")].all()
    assert not possible[0, 1]
    assert masked.provenance.changed["size"] + masked.provenance.changed["grade"] > 0


def test_bad_parameters_are_refused():
    with pytest.raises(ParameterError, match="importance names 'note', which is not masked"):
        LocalSuppression(importance=["note"]).mask(microdata())
    with pytest.raises(ParameterError, match="combinations names 'note', which is not masked"):
        LocalSuppression(combinations=[["note"]]).mask(microdata())
    with pytest.raises(ParameterError, match="combinations must be at most the number of keys, 7; got 8"):
        LocalSuppression(combinations=8).mask(microdata())
    with pytest.raises(ParameterError, match="l must be at most the number of different values of 'illness', 3; got 4"):
        LocalSuppression(l=4).mask(microdata())
    with pytest.raises(ParameterError, match="l must be given with sensitive"):
        LocalSuppression(sensitive="illness").mask(microdata())


# ----------------------------------------------------------------------------------------------------------- counting


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=40))
def test_counts_are_those_of_the_twin(rows):
    keys = np.array(rows, dtype=np.int64)
    readable = [tuple(value or None for value in row) for row in rows]
    labels, sizes = classes_of(KeyCoder(keys).numbers(slice(None), np.zeros(3, dtype=bool)))
    assert sizes[labels].tolist() == twin.class_sizes(readable, "category")
    assert wildcard_counts(keys).tolist() == twin.class_sizes(readable, "wildcard")
    found = distinct_values(labels, sizes.size, keys[:, 0])[labels]
    assert found.tolist() == twin.class_diversity(readable, keys[:, 0].tolist(), "category")


def test_keys_with_more_combinations_than_numbers_are_told_apart():
    rng = np.random.default_rng(0)
    keys = rng.integers(1, 100_000, (200, 6))
    keys[100:] = keys[:100]
    keys[150:, 5] += 1
    nothing = np.zeros(6, dtype=bool)
    coder = KeyCoder(keys)
    assert not coder.comparable
    labels, sizes = classes_of(coder.numbers(slice(None), nothing))
    assert sizes[labels].tolist() == twin.class_sizes([tuple(row) for row in keys], "category")
    masked = coder.numbers(slice(None), np.array([False] * 5 + [True]))
    assert np.bincount(classes_of(masked)[0]).tolist() == [2] * 100


def test_many_keys_are_tried_in_a_bounded_number_of_sets():
    rng = np.random.default_rng(0)
    names = [f"k{i}" for i in range(16)]
    rows = [tuple(LEVELS[v] for v in row) for row in rng.integers(0, 4, (60, 16))]
    keys = Schema([Attribute(name, Nominal(LEVELS), "key") for name in names])
    after = released(LocalSuppression(3).mask(table(rows, names), keys), names)
    assert min(twin.class_sizes(after, "category")) >= 3


# ------------------------------------------------------------------------------------------------------ the parts


@pytest.mark.parametrize(
    ("importance", "expected"),
    [
        (None, [1 + 1e-9, 1, 1 + 2e-9]),  # the key with the most levels goes first
        ({"x": 2.5}, [2.5 + 1e-9, 1, 1 + 2e-9]),
        (["y"], [1 * (1 + 1e-9), 6, 1 * (1 + 2e-9)]),
        (["x", "z"], [12 * (1 + 1e-9), 1, 6 * (1 + 2e-9)]),
        ("entropy", [0.5 + 1e-9, 0.75, 0.01 + 2e-9]),
    ],
)
def test_what_a_missing_value_costs(importance, expected):
    masker = LocalSuppression(3, importance=importance)
    entropies = {"x": 0.5, "y": 0.75, "z": 0.01} if importance == "entropy" else {}
    costs = masker._costs(("x", "y", "z"), np.array([3, 5, 2]), entropies)
    assert costs.tolist() == pytest.approx(expected, abs=1e-13)
    plain = masker.prices(("x", "y", "z"), entropies)
    assert plain.tolist() == pytest.approx(np.round(expected, 6).tolist(), abs=1e-13)


def test_entropy_has_no_cost_where_nobody_counted_it():
    with pytest.raises(ParameterError, match="importance by entropy has one cost a key only without strata"):
        LocalSuppression(3, importance="entropy").prices(("x",))


def test_entropies_of_small_keys():
    assert entropy_cost(np.array([1, 1, 1]), None) == 0.01
    assert entropy_cost(np.array([0, 0]), None) == 0.01
    assert entropy_cost(np.array([1, 2, 2, 2]), None) == 0.81
    assert entropy_cost(np.array([1, 4]), np.array([1, 3])) == 0.81
    assert entropy_cost(np.array([1, 2, 0]), np.array([3, 3, 90])) == 1.0


def test_sets_come_from_the_cheapest_to_the_dearest(monkeypatch):
    def named(costs):
        return ["".join("xyz"[j] for j in np.flatnonzero(mask)) for mask in suppression._sets(np.array(costs))]

    assert named([1.0, 5.0, 2.5]) == ["x", "z", "xz", "y", "xy", "yz", "xyz"]
    assert named([1.0, 1.0, 1.0]) == ["x", "y", "z", "xy", "xz", "yz", "xyz"]
    monkeypatch.setattr(suppression, "_TRIED", 4)
    assert named([1.0, 5.0, 2.5]) == ["x", "z", "xz", "y", "xy", "xyz"], "the cheapest are tried together as well"
    monkeypatch.setattr(suppression, "_TRIED", 2)
    assert named([4.0, 5.0, 2.5]) == ["z", "x", "y", "xz", "xyz"]


def hidden_of(rows, k, *, missing="category", costs=None, sensitive=None, l=1):  # noqa: E741 - the letter of l-diversity
    keys = np.array(rows, dtype=np.int64)
    hide = suppression._hide_category if missing == "category" else suppression._hide_wildcard
    target = suppression._ClassDemand(k, l, None if sensitive is None else np.array(sensitive))
    hidden = hide(keys, np.ones(keys.shape[1]) if costs is None else np.array(costs), target)
    return ["".join("x" if gone else "." for gone in row) for row in hidden]


@pytest.mark.parametrize(
    ("rows", "k", "expected"),
    [
        # One who agrees with nobody: the last of a class that can spare one joins.
        ([[1, 1]] * 3 + [[2, 2]], 2, ["..", "..", "xx", "xx"]),
        ([[1, 1]] * 5 + [[2, 2]], 3, ["..", "..", "..", "xx", "xx", "xx"]),
        ([[1, 1]] * 4 + [[2, 2]], 3, ["xx"] * 5),  # none can spare two
        ([[1, 1]] * 4 + [[2, 2], [3, 3]], 3, ["..", "..", "..", "xx", "xx", "xx"]),  # two lack one
        # The largest class gives, not the first.
        ([[1, 1]] * 2 + [[3, 3]] * 3 + [[2, 2]], 2, ["..", "..", "..", "..", "xx", "xx"]),
        # None can spare any: the class joins that costs least, the first of those that cost the same.
        ([[1, 1]] * 2 + [[3, 3]] * 2 + [[2, 2]], 2, ["xx", "xx", "..", "..", "xx"]),
        ([[1, 1]] * 2 + [[3, 0]] * 2 + [[2, 2]], 2, ["..", "..", "x.", "x.", "xx"]),
        # Nobody is left: those who stand out are enough by themselves.
        ([[1, 1]] * 3 + [[2, 2], [3, 3]], 2, ["..", "..", "..", "xx", "xx"]),
        # They join those who lack the key already, although these do not stand out.
        ([[1, 0]] * 2 + [[1, 2]], 2, ["..", "..", ".x"]),
    ],
)
def test_the_rest_is_joined_by_as_few_as_it_needs(rows, k, expected, monkeypatch):
    assert hidden_of(rows, k) == expected
    monkeypatch.setattr("discreet.masking.withholding.key_classes._LIMIT", 2)  # whatever the keys, too many of them
    assert hidden_of(rows, k) == expected


def test_the_rest_is_joined_by_whole_classes_where_these_are_diverse():
    rows = [[1, 1]] * 4 + [[3, 3]] * 3 + [[2, 2]]
    assert hidden_of(rows, 2, sensitive=[1, 2, 1, 2, 1, 2, 2, 1], l=2) == [".."] * 4 + ["xx"] * 4
    # The class of three does not have three values, even with the one who is left: another has to come.
    rows = [[1, 1]] * 4 + [[3, 3]] * 3 + [[2, 2]]
    assert hidden_of(rows, 2, sensitive=[1, 2, 3, 1, 1, 2, 2, 1], l=3) == ["xx"] * 8


@pytest.mark.parametrize("missing", ["category", "wildcard"])
@pytest.mark.parametrize("seed", range(6))
def test_too_many_combinations_for_one_number_change_nothing(seed, missing, monkeypatch):
    rng = np.random.default_rng(seed)
    rows = rng.integers(1, 5, (40, 3))
    rows[rng.random(rows.shape) < 0.05 * (seed % 2)] = 0
    sensitive = rng.integers(0, 3, 40) if seed > 3 else None
    expected = hidden_of(rows, 3, missing=missing, costs=[1.0, 1.5, 1.2], sensitive=sensitive, l=2)
    assert "x" in "".join(expected)
    monkeypatch.setattr("discreet.masking.withholding.key_classes._LIMIT", 17)
    assert not KeyCoder(rows).comparable
    assert hidden_of(rows, 3, missing=missing, costs=[1.0, 1.5, 1.2], sensitive=sensitive, l=2) == expected


def test_wildcards_that_match_too_few_even_then_are_refused():
    with pytest.raises(DataError, match="LocalSuppression: 2 records match too few others even with every key hidden"):
        hidden_of([[1], [2]], 3, missing="wildcard")


def test_details_tell_what_went():
    data = table([("a", "a"), ("a", "a"), ("a", "a"), ("b", "b"), ("b", "c")], "xy")
    for missing, gone, touched in (("category", 2, 2), ("wildcard", 1, 1)):
        masked = LocalSuppression(2, missing=missing).mask(data, schema("xy"))
        assert masked.provenance.details["suppressed"] == {"x": 0, "y": gone}
        assert masked.provenance.details.get("records_touched", touched) == touched


@pytest.mark.parametrize(
    ("masker", "said"),
    [
        (
            LocalSuppression(2, combinations={1: 2, 2: 6}),
            "combinations must ask for at most the number of records, 5; got 6.",
        ),
        (LocalSuppression(2, combinations=4), "combinations must be at most the number of keys, 3; got 4."),
        (LocalSuppression(2, combinations=[["x", "w"]]), "combinations names 'w', which is not masked."),
        (LocalSuppression(2, levels={"w": 1}), "levels names 'w', which is not masked."),
        (LocalSuppression(2, importance=["x", "w"]), "importance names 'w', which is not masked."),
        (LocalSuppression(2, sensitive="x"), "l must be given with sensitive."),
        (
            LocalSuppression(2, l=2, sensitive="x"),
            "sensitive must name an attribute that is not masked; the schema has 0",
        ),
    ],
)
def test_what_is_asked_too_much_is_said(masker, said):
    rows = [("a", "a", "b"), ("a", "b", "b"), ("a", "a", "b"), ("b", "b", "c"), ("b", "c", "a")]
    with pytest.raises(ParameterError) as caught:
        masker.mask(table(rows), schema())
    assert f"LocalSuppression: {said}" in str(caught.value)


def test_combinations_ask_for_no_more_than_there_are():
    rows = [("a", "a", "b"), ("a", "b", "b"), ("a", "a", "b"), ("b", "b", "c"), ("b", "c", "a")]
    after = released(LocalSuppression(2, combinations={1: 5}).mask(table(rows), schema()))
    assert after == [(None, None, None)] * 5
    assert len(released(LocalSuppression(5, combinations=3).mask(table(rows), schema()))) == 5
