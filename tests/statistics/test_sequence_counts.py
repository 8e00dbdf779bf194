"""Events, lengths and followers of sequences, counted by hand."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.statistics.small import answer, blocks

from discreet.data.microdata import Microdata
from discreet.data.scales import Numeric, Sequence
from discreet.data.schema import Attribute, Schema
from discreet.statistics.sequence_counts import SequenceCounts, owned_bigrams


def sequences(alphabet, rows, weights=None):
    columns = {"q": pa.array(rows, pa.list_(pa.string()))}
    attributes = [Attribute("q", Sequence(alphabet), "key")]
    if weights:
        columns["w"] = pa.array(weights)
        attributes.append(Attribute("w", Numeric(), "weight"))
    return Microdata(pa.table(columns), Schema(attributes))


BEFORE = sequences(("a", "b"), [["a", "b", "a"], [], ["b"], None, ["a", "a"]], [1.0, 2.0, 3.0, 4.0, 5.0])
AFTER = sequences(("b", "c", "a"), [["a", "c"], ["b"], ["b", "b"], ["a"], None])


def listed(tally):
    return list(zip(tally.codes.tolist(), tally.weights.tolist(), strict=True))


@pytest.mark.parametrize("cut", [(5,), (2, 3), (1,) * 5])
def test_what_sequences_are_made_of(cut):
    question = SequenceCounts.asked(("q",), (BEFORE.schema, AFTER.schema), None)
    assert question.alphabets == ((("a", "b"), ("b", "c", "a")),)
    parts = answer(question, blocks(cut, BEFORE, AFTER))
    # The first three have a sequence in both files. a, b and c are 0 to 2.
    assert (parts.records, parts.sizes) == ({"q": 3}, {"q": 3})
    assert [listed(side) for side in parts.events["q"]] == [[(0, 2), (1, 2)], [(0, 1), (1, 3), (2, 1)]]
    assert [listed(side) for side in parts.lengths["q"]] == [[(0, 1), (1, 1), (3, 1)], [(1, 1), (2, 2)]]
    assert [listed(side) for side in parts.bigrams["q"]] == [[(1, 1), (3, 1)], [(2, 1), (4, 1)]]
    question = SequenceCounts.asked(("q",), (BEFORE.schema, AFTER.schema), "w")
    assert (question.original, question.released) == (("q", "w"), ("q",))
    weighed = answer(question, blocks(cut, BEFORE, AFTER))
    assert [listed(side) for side in weighed.events["q"]] == [[(0, 2), (1, 4)], [(0, 1), (1, 8), (2, 1)]]
    assert [listed(side) for side in weighed.lengths["q"]] == [[(0, 2), (1, 3), (3, 1)], [(1, 2), (2, 4)]]
    assert [listed(side) for side in weighed.bigrams["q"]] == [[(1, 1), (3, 1)], [(2, 1), (4, 3)]]


@pytest.mark.parametrize(
    ("rows", "pairs"),
    [
        ([], []),
        ([["a"]], []),
        ([["a"], ["b"]], []),
        ([["a", "b"]], [(0, 1, 0)]),
        ([[], ["a", "b"], [], ["b", "b", "a"], []], [(0, 1, 1), (1, 1, 3), (1, 0, 3)]),
        ([["a", "b"], ["a", "b"]], [(0, 1, 0), (0, 1, 1)]),
    ],
)
def test_followers_stay_within_their_sequence(rows, pairs):
    encoded = sequences(("a", "b"), rows).encoded("q")
    assert [tuple(map(int, one)) for one in zip(*owned_bigrams(encoded), strict=True)] == pairs
