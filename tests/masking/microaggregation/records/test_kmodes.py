from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.battery import microdata

import discreet as dc
from discreet.contracts.engine import InProcess
from discreet.contracts.masker import Masker, MaskingJob
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.masking.microaggregation.records.kmodes import (
    KModes,
    _strongest_together,
    association,
    compact,
    distinct_records,
    number_of_clusters,
)
from discreet.masking.microaggregation.records.kprototypes import KPrototypes
from discreet.masking.microaggregation.records.record_groups import encode_records
from discreet.masking.perturbing.pram import PRAM
from discreet.masking.perturbing.swapping import RankSwapping
from discreet.masking.recoding.coding import BottomCoding, TopCoding
from discreet.masking.recoding.global_recoding import GlobalRecoding
from discreet.operators import OrdinalMedian

# Torra 2004, Table 1.
SETS = {
    "g": ["DEGREE", "METRO", "SCH", "SHP", "TRAN1", "WFUEL", "WHYTOH", "WHYTON"],
    "m": ["DEGREE", "METRO", "SCH", "SHP"],
    "o": ["BUILT", "DEGREE", "GRADE1"],
    "p": ["BUILT", "GRADE1", "WHYMOVE"],
    "z": ["TRAN1", "WFUEL", "WHYTOH", "WHYTON"],
}
LETTERS = Schema([Attribute(name, Nominal(tuple("abc")), "key") for name in "xyz"])

ROWS = st.lists(st.tuples(*[st.sampled_from("abc")] * 3), min_size=3, max_size=40)


@pytest.fixture(scope="module")
def housing():
    return dc.datasets.housing(1000)


@pytest.mark.parametrize("name", SETS)
def test_the_papers_parameterisations_run(housing, name):
    """Ends and middle of the grid of section 4.2, each with the guarantee of its blocks."""
    for prototype, alpha, convex in (("median", 0.2, True), ("random", 2.0, False), ("mode", 1.0, True)):
        for n_vars, k in ((1, 2), (2, 5), (9, 9)):
            masker = KModes(
                k, n_vars=n_vars, prototype=prototype, alpha=alpha, convex=convex, semantics=False, start="random",
                attributes=SETS[name], random_state=k,
            )  # fmt: skip
            masked = masker.mask(housing)
            blocks = masked.provenance.details["blocks"]
            assert len(blocks) == -(-len(SETS[name]) // n_vars)
            for block in blocks:
                rows = zip(*(masked.microdata.column(a).to_pylist() for a in block["attributes"]), strict=True)
                assert min(Counter(rows).values()) >= k
            assert masked.provenance.details["joint"] == (len(blocks) == 1)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("p", range(1, 10))
def test_the_papers_other_maskers_run(housing, name, p):
    chosen = {"attributes": SETS[name]}
    maskers = [TopCoding(p, **chosen), BottomCoding(p, **chosen), GlobalRecoding(p, **chosen)]
    maskers += [PRAM(p / 10, random_state=1, **chosen), RankSwapping(p, random_state=1, **chosen)]
    for masker in maskers:
        masked = masker.mask(housing)
        assert set(masked.provenance.attributes) == set(SETS[name])
        assert masked.microdata.schema.select(SETS[name]) == housing.schema.select(SETS[name]), "scores need one scale"


def test_blocks_have_partitions_of_their_own():
    masked = KModes(4, n_vars=2).mask(microdata())
    assert masked.labels.shape == (60, 2)
    groups = masked.provenance.to_dict()["groups"]
    assert groups["smallest"] >= 4
    assert len(groups["blocks"]) == 2


def test_association_and_blocks():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 4, 500), rng.integers(0, 3, 500)
    codes = np.stack([a, b, (a + (rng.random(500) < 0.1)) % 4, b, np.zeros(500)], axis=1).astype(np.int32)
    strength = association(codes)
    assert strength[1, 3] == pytest.approx(1.0)
    assert strength[0, 2] > 0.8
    assert strength[0, 1] < 0.2
    assert (strength[4, :4] == 0).all()
    assert _strongest_together(tuple("abcde"), strength, 2) == [("b", "d"), ("a", "c"), ("e",)]
    assert _strongest_together(tuple("abcde"), strength, 1) == [(name,) for name in "abcde"]
    assert sum(map(len, _strongest_together(tuple("abcde"), strength, 3))) == 5


@settings(max_examples=min(25, settings().max_examples))
@given(rows=ROWS, k=st.integers(2, 3), seed=st.integers(0, 99))
def test_row_order_does_not_matter(rows, k, seed):
    order = np.random.default_rng(seed).permutation(len(rows))

    def released(records):
        frame = pa.table({name: [row[j] for row in records] for j, name in enumerate("xyz")})
        after = KModes(k).mask(frame, LETTERS).microdata
        return list(zip(*(after.column(name).to_pylist() for name in "xyz"), strict=True))

    assert [released(rows)[i] for i in order] == released([rows[i] for i in order])


def test_frequent_records_are_left_alone():
    frame = pa.table({name: list("aaaabbbbc") for name in "xyz"})
    after = KModes(4).mask(frame, LETTERS).microdata
    assert after.column("x").to_pylist()[:8] == list("aaaabbbb")
    assert after.column("x").to_pylist()[8] in {"a", "b"}


@given(st.lists(st.integers(1, 9), min_size=1, max_size=20), st.integers(2, 6))
def test_the_number_of_clusters_can_be_reached(counts, k):
    counts = np.array(counts)
    clusters = number_of_clusters(counts, k)
    assert 1 <= clusters <= max(1, counts.sum() // k)
    assert clusters <= counts.size


def test_restarts_never_make_it_worse(housing, monkeypatch):
    monkeypatch.setattr(Masker, "_purpose", lambda *_: "one for all")  # other parameters have other draws otherwise

    def spread(**parameters):
        masked = KModes(5, attributes=SETS["m"], **parameters).mask(housing)
        return masked.provenance.details["blocks"][0]["mean_distance"]

    one = spread(start="random", random_state=3)
    assert spread(start="random", restarts=4, random_state=3) <= one
    assert spread() < one, "the greedy start is the better one here"


def test_fuzzy_partitions(housing):
    masked = KModes(5, attributes=SETS["m"], fuzziness=1.5).mask(housing)
    assert np.bincount(masked.labels).min() >= 5
    assert masked.provenance.details["blocks"][0]["mean_distance"] < 1
    with pytest.raises(ParameterError, match="fuzziness needs operators that take weights; OrdinalMedian takes none"):
        KModes(5, fuzziness=2.0, weighted=False, operators={"ordinal": OrdinalMedian()}).mask(microdata())
    with pytest.raises(ParameterError, match="fuzziness must be None or a number above 1"):
        KModes(fuzziness=1.0).mask(microdata())


def test_one_record_of_each_kind_and_all_alike():
    frame = pa.table({name: list("abc") for name in "xyz"})
    masked = KModes(3).mask(frame, LETTERS)
    assert masked.labels.tolist() == [0, 0, 0]
    alike = pa.table({name: list("aaaaaaa") for name in "xyz"})
    assert sum(KModes(3).mask(alike, LETTERS).provenance.changed.values()) == 0


# ------------------------------------------------------------------------------------------------------ the parts


def test_details_of_numbers_by_hand():
    """Two groups of three, 1, 0, 1 and 2, 0, 2 from their means, over a range of 44."""
    wages = pa.table({"wage": [10.0, 50.0, 11.0, 12.0, 52.0, 54.0]})
    masked = KPrototypes(3).mask(wages, Schema([Attribute("wage", dc.Numeric(), "key")]))
    (block,) = masked.provenance.details["blocks"]
    assert block == {
        "attributes": ["wage"],
        "groups": 2,
        "distinct_records": 6,
        "mean_distance": pytest.approx(1 / 44),
        "moved": 0,
    }


def test_details_of_categories_by_hand():
    """Three of one kind and three others: the last differs from the prototype of its group on one key."""
    frame = pa.table({"x": list("aaabbc"), "y": list("aaabbb"), "z": list("aaaaaa")})
    masked = KModes(3).mask(frame, LETTERS)
    (block,) = masked.provenance.details["blocks"]
    assert block == {
        "attributes": ["x", "y", "z"],
        "groups": 2,
        "distinct_records": 3,
        "mean_distance": pytest.approx(1 / 6),
        "moved": 0,
    }
    assert masked.labels.tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("counts", "k", "clusters"),
    [([7, 3, 1, 1, 1], 3, 3), ([1], 3, 1), ([2, 2], 5, 1), ([3, 2], 3, 1), ([3, 2, 1], 3, 2), ([4, 4, 1, 1], 4, 2)],
)
def test_numbers_of_clusters_by_hand(counts, k, clusters):
    assert number_of_clusters(np.array(counts), k) == clusters


def test_association_by_hand():
    """A table of 3, 1 and 1, 3 has χ² = 2 and V = 1/2; three by two levels are compared by the fewer."""
    first, second = np.array([0, 0, 0, 0, 1, 1, 1, 1]), np.array([0, 0, 0, 1, 0, 1, 1, 1])
    third = np.array([-1, -1, 0, 0, 1, 1, 1, 1])
    found = association(np.stack([first, second, third], axis=1).astype(np.int32))
    assert found.tolist() == [
        [1.0, pytest.approx(0.5), 1.0],
        [pytest.approx(0.5), 1.0, found[2, 1]],
        [1.0, found[1, 2], 1.0],
    ]
    # Levels −1, 0, 1 with 2, 2, 4 records, of which 2, 1 and 1 have the first level, where 1, 1 and 2 are expected.
    assert found[1, 2] == pytest.approx(np.sqrt((1 + 0 + 0.5 + 1 + 0 + 0.5) / 8))


@pytest.mark.parametrize(
    ("size", "blocks"),
    [
        (1, ["a", "b", "c", "d", "e"]),
        (2, ["bd", "ac", "e"]),
        # After b and d comes whoever is closest to both on average: c, though a has the same highest.
        (3, ["bcd", "ae"]),
        (4, ["abcd", "e"]),
        (5, ["abcde"]),
        (9, ["abcde"]),
    ],
)
def test_blocks_of_the_strongest(size, blocks):
    strength = np.eye(5)
    for pair, value in {"bd": 0.9, "ac": 0.8, "ab": 0.5, "bc": 0.5, "cd": 0.3, "ad": 0.1, "ae": 0.05}.items():
        a, b = ("abcde".index(name) for name in pair)
        strength[a, b] = strength[b, a] = value
    assert ["".join(block) for block in _strongest_together(tuple("abcde"), strength, size)] == blocks


def test_blocks_of_a_masker(housing):
    names = ("DEGREE", "METRO", "SCH", "SHP")
    by_order = KModes(3, n_vars=3, attributes=list(names), max_iter=1).mask(housing)
    assert [block["attributes"] for block in by_order.provenance.details["blocks"]] == [list(names[:3]), ["SHP"]]
    strength = association(housing.codes(names))
    by_strength = KModes(3, n_vars=3, grouping="association", attributes=list(names), max_iter=1).mask(housing)
    assert [tuple(block["attributes"]) for block in by_strength.provenance.details["blocks"]] == _strongest_together(
        names, strength, 3
    )


def test_groups_that_are_left_are_numbered_in_their_order():
    assert compact(np.array([4, 1, 4, 7])).tolist() == [1, 0, 1, 2]
    assert compact(np.array([0, 0])).tolist() == [0, 0]


@pytest.mark.parametrize("weights", [None, np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])])
def test_different_records_come_in_order_with_their_numbers(weights):
    schema = Schema([Attribute("n", Nominal(tuple("ab")), "key"), Attribute("x", dc.Numeric(), "key")])
    data = dc.Microdata(pa.table({"n": ["b", "a", "b", None, "b", "a"], "x": [1.0, 2.0, None, 2.0, 1.0, 0.0]}), schema)
    job = MaskingJob(data, ("n", "x"), np.random.default_rng(0), InProcess())
    records = encode_records(job, ("n", "x"), {}, "category", semantics=True)
    distinct = distinct_records(records, weights, "category")
    # a 0, a 2, b without x, b 1 twice, and 2 without n
    assert distinct.records.codes.tolist() == [[0, 0, 1, 1, 2]]
    assert distinct.records.numbers.tolist() == [[0.0, 1.0, pytest.approx(np.nan, nan_ok=True), 0.5, 1.0]]
    assert distinct.inverse.tolist() == [3, 1, 2, 4, 3, 0]
    assert distinct.counts.tolist() == [1, 1, 1, 2, 1]
    assert distinct.missing == "category"
    assert (None if weights is None else distinct.weights.tolist()) == (None if weights is None else [32, 2, 4, 17, 8])


def test_a_random_start_gives_every_cluster_a_record():
    data = microdata()
    masker = KModes(3, start="random")
    job = MaskingJob(data, masker.columns_for(data.schema), np.random.default_rng(0), InProcess())
    records = encode_records(job, job.names, {}, "category", semantics=True)
    distinct = distinct_records(records, None, "category")
    m = distinct.counts.size
    for clusters in (1, 2, m):
        labels = masker._start(distinct, clusters, np.random.default_rng(1), greedy=False)
        assert labels.size == m
        assert set(labels.tolist()) == set(range(clusters))
        again = masker._start(distinct, clusters, np.random.default_rng(1), greedy=False)
        assert labels.tolist() == again.tolist()
