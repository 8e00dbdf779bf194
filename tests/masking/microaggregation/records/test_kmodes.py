from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.battery import microdata

import discreet as dc
from discreet.contracts.masker import Masker
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.masking.microaggregation.records.kmodes import (
    KModes,
    _strongest_together,
    association,
    number_of_clusters,
)
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
