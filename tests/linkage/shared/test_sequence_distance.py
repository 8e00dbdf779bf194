"""Linkage by the dissimilarity of sequences, against all pairs by definition."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import sequences as reference

from discreet.data.microdata import Microdata
from discreet.data.scales import Numeric, Sequence
from discreet.data.schema import Attribute, Schema
from discreet.engines.memory import MemoryEngine
from discreet.errors import MissingValueError, ParameterError, SchemaError
from discreet.linkage.shared.sequence_distance import SequenceLinkage, _nearest
from discreet.masking.microaggregation.sequences.kshc import KSHC
from discreet.progress import listening

EVENTS = tuple("abcd")
SCHEMA = Schema([Attribute("path", Sequence(EVENTS), "key")])
FILES = st.lists(st.lists(st.sampled_from(EVENTS), max_size=4), min_size=1, max_size=12)


def microdata(paths):
    return Microdata(pa.table({"path": pa.array(paths, pa.list_(pa.string()))}), SCHEMA)


@given(a=FILES, b=FILES)
def test_links_are_those_of_all_pairs(a, b):
    links = SequenceLinkage(distance="levenshtein").link(microdata(a), microdata(b))
    for j, release in enumerate(b):
        distances = [reference.levenshtein(s, release) for s in a]
        order = sorted(range(len(a)), key=lambda i: (distances[i], i))
        assert links.best[j] == order[0]
        assert links.score[j] == pytest.approx(distances[order[0]])
        tied = {i for i, d in enumerate(distances) if d == min(distances)}
        assert links.ties[j] == len(tied)
        classes = links.tied[links.tied_offsets[j] : links.tied_offsets[j + 1]]
        assert {i for i in range(len(a)) if links.classes[i] in classes} == tied
        if len(a) > 1:
            assert links.second_score[j] == pytest.approx(distances[order[1]])
            assert distances[links.second[j]] == distances[order[1]]
            assert links.second[j] != links.best[j]
        else:
            assert links.second[j] == -1


def test_an_unmasked_file_of_different_sequences_is_linked_wholly_and_a_masked_one_hardly():
    rng = np.random.default_rng(0)
    paths = [list(rng.choice(list(EVENTS), rng.integers(3, 9))) for _ in range(120)]
    data = microdata(paths)
    distinct = len({tuple(p) for p in paths})
    for linker in SequenceLinkage.examples():
        assert linker.link(data, data).evaluate().expected == pytest.approx(distinct, rel=0.05)
        masked = KSHC(5).mask(data)
        linked = linker.link(data, masked).evaluate()
        assert linked.expected <= 120 / 5 + 1


def test_blocks_and_threads_change_nothing(monkeypatch):
    rng = np.random.default_rng(1)
    a, b = (microdata([list(rng.choice(list(EVENTS), rng.integers(0, 5))) for _ in range(60)]) for _ in range(2))
    whole = SequenceLinkage(quantifier="power:0.4").link(a, b)
    monkeypatch.setattr("discreet.linkage.shared.sequence_distance._PAIRS", 100)
    parts = SequenceLinkage(quantifier="power:0.4").link(a, b, engine=MemoryEngine(workers=2))
    for field in ("best", "second", "score", "ties", "tied", "tied_offsets"):
        np.testing.assert_array_equal(getattr(whole, field), getattr(parts, field))


def test_several_attributes_count_alike():
    schema = Schema([Attribute("out", Sequence(EVENTS), "key"), Attribute("back", Sequence(EVENTS), "key")])
    a = Microdata(pa.table({"out": ["a b", "a b"], "back": ["c", "d"]}), schema)
    b = Microdata(pa.table({"out": ["a b"], "back": ["d"]}), schema)
    assert SequenceLinkage().link(a, b).best.tolist() == [1]
    assert SequenceLinkage(attributes=["out"]).link(a, b).ties.tolist() == [2]


def test_bad_input():
    good = microdata([["a"], ["b"]])
    with pytest.raises(MissingValueError, match="column 'path' has 1 missing sequences of 2"):
        SequenceLinkage().link(good, microdata([["a"], None]))
    with pytest.raises(ParameterError, match="SequenceLinkage: quantifier must be None for the distance 'lcs'"):
        SequenceLinkage(distance="lcs", quantifier="power:2").link(good, good)
    with pytest.raises(SchemaError, match="attribute 'x' is numeric; it links sequence attributes"):
        numbers = Microdata(pa.table({"x": [1.0]}), Schema([Attribute("x", Numeric(), "key")]))
        SequenceLinkage().link(numbers, numbers)


def test_the_nearest_two_of_every_row():
    table = np.array([[2.0, 1.0, 1.0, 3.0], [0.0, 5.0, 4.0, 4.0]])
    (best, score, second, second_score, counts), tied = _nearest(table)
    assert (best.tolist(), score.tolist()) == ([1, 0], [1.0, 0.0])
    assert (second.tolist(), second_score.tolist()) == ([2, 2], [1.0, 4.0])
    assert (counts.tolist(), tied.tolist()) == ([2, 1], [1, 2, 0])
    assert table[0, 1] == 1.0
    (_, _, second, second_score, _), _ = _nearest(table[:, :1])
    assert (second.tolist(), second_score.tolist()) == ([-1, -1], [np.inf, np.inf])


def test_progress_is_told_block_by_block(monkeypatch):
    monkeypatch.setattr("discreet.linkage.shared.sequence_distance._PAIRS", 4)
    a, b = microdata([["a"], ["b"]]), microdata([["a"], ["b"], ["c"], ["d"], ["a", "b"]])
    told = []
    with listening(lambda *report: told.append(report)):
        links = SequenceLinkage(distance="levenshtein").link(a, b)
    assert told == [("linking", done, 3) for done in (1, 2, 3)]
    assert links.best.tolist() == [0, 1, 0, 0, 0]


def test_a_search_says_what_it_looks_at():
    data = microdata([["a"], ["b"]])
    linker = SequenceLinkage()
    of_release, of_original = linker.search(data), linker.search(data, of_release=False)
    assert (of_release.original, of_release.released) == (("path",), ())
    assert (of_original.original, of_original.released) == ((), ("path",))
    looking = linker.looking((SCHEMA, SCHEMA))
    with pytest.raises(StopIteration) as done:
        next(looking)
    found = done.value.value
    assert (found.names, found.refuses_gaps) == (("path",), True)
    assert found.search(data).asked is data


@pytest.mark.parametrize("of_release", [True, False])
def test_blocks_that_pass_leave_the_same_nearest_as_the_whole_file(of_release):
    asked = microdata([["a"], ["b", "b"], ["d"], ["a"], ["a", "b", "c", "d"]])
    paths, rows = [["a"], ["b"], ["a"], ["a", "b", "c"], ["c", "d"]], np.array([3, 5, 6, 10, 20])
    others = microdata(paths)
    search = SequenceLinkage(distance="levenshtein").search(asked, of_release=of_release)
    sides = (others, asked) if of_release else (asked, others)
    whole = search.summarise(SimpleNamespace(original=sides[0], release=sides[1], rows=rows))
    assert (whole.records, whole.best[[0, 3]].tolist(), whole.second[[0, 3]].tolist()) == (5, [3, 3], [6, 6])
    assert (whole.best[[1, 4]].tolist(), whole.ties[[0, 1, 3, 4]].tolist()) == ([5, 10], [2, 1, 2, 1])
    assert whole.score[0] == whole.second_score[0] == 0 < whole.score[1] < whole.second_score[1]
    links = SequenceLinkage(distance="levenshtein").link(others, asked)
    for name in ("best", "second"):
        assert getattr(whole, name).tolist() == rows[getattr(links, name)].tolist()
    assert (whole.ties.tolist(), whole.score.tolist()) == (links.ties.tolist(), links.score.tolist())
    assert whole.second_score.tolist() == links.second_score.tolist()
    for cut in range(1, 5):
        parts = [search.among(others.take(range(*run)), rows[slice(*run)]) for run in ((0, cut), (cut, 5))]
        merged = parts[0].merge(parts[1])
        for name in ("best", "second", "ties", "score", "second_score"):
            assert getattr(merged, name).tolist() == getattr(whole, name).tolist(), name
    assert search.own(asked).tolist() == [0.0] * 5
    assert search.own(others).tolist()[0] == 0 < search.own(others).tolist()[1] == whole.score[1]
