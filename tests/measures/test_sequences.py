"""Losses and risks of sequences: by hand, by definition, and on a masked file."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import sequences as reference

from discreet.data.microdata import Microdata
from discreet.data.scales import EncodedSequences, Numeric, Sequence
from discreet.data.schema import Attribute, Schema
from discreet.errors import MissingValueError, SchemaError
from discreet.masking.microaggregation.sequences.kshc import KSHC
from discreet.masking.microaggregation.sequences.sequence_mdav import SequenceMDAV
from discreet.measures.loss.sequence_movement import SequenceDissimilarity
from discreet.measures.loss.sequence_patterns import FrequentSubsequences, frequent_subsequences
from discreet.measures.loss.sequence_tallies import EventFrequencies, SequenceLengths, Transitions
from discreet.measures.risk.linked import SequenceLinkageRisk
from discreet.measures.risk.sequence_knowledge import KnownEvents

EVENTS = tuple("abcde")
SCHEMA = Schema([Attribute("path", Sequence(EVENTS), "key")])
PATHS = st.lists(st.sampled_from(EVENTS), max_size=5)
MEASURES = [
    SequenceDissimilarity(),
    EventFrequencies(),
    Transitions(),
    SequenceLengths(),
    FrequentSubsequences(),
    KnownEvents(),
    SequenceLinkageRisk(),
]


def microdata(paths, events=EVENTS):
    schema = Schema([Attribute("path", Sequence(events), "key")])
    return Microdata(pa.table({"path": pa.array(paths, pa.list_(pa.string()))}), schema)


def files(data, least=1):
    before = data.draw(st.lists(PATHS, min_size=least, max_size=10))
    after = data.draw(st.lists(PATHS, min_size=len(before), max_size=len(before)))
    return before, after


@given(data=st.data())
def test_dissimilarity_by_definition(data):
    before, after = files(data)
    found = SequenceDissimilarity(quantifier="power:2").measure(microdata(before), microdata(after))
    far = [reference.oss_owa(s, r, lambda x: x**2) for s, r in zip(before, after, strict=True)]
    assert found.value == pytest.approx(100 * np.mean(np.square(far)), abs=1e-9)
    assert found.details["sse"] == pytest.approx(np.square(far).sum(), abs=1e-9)
    assert found.details["mean_dissimilarity"] == pytest.approx(np.mean(far), abs=1e-9)


def shares(cells):
    return {cell: cells.count(cell) / len(cells) for cell in set(cells)}


def variation(before, after):
    if not before or not after:
        return float(bool(before) != bool(after))
    p, q = shares(before), shares(after)
    return sum(abs(p.get(cell, 0) - q.get(cell, 0)) for cell in p.keys() | q.keys()) / 2


def pairs_of(paths):
    return [pair for path in paths for pair in pairwise(path)]


@given(data=st.data())
def test_events_transitions_and_lengths_by_definition(data):
    before, after = files(data)
    a, b = microdata(before), microdata(after)
    events = [[x for path in side for x in path] for side in (before, after)]
    assert EventFrequencies().measure(a, b).value == pytest.approx(100 * variation(*events))
    assert Transitions().measure(a, b).value == pytest.approx(100 * variation(pairs_of(before), pairs_of(after)))
    lengths = [[len(path) for path in side] for side in (before, after)]
    gap = max(abs(np.mean(np.array(lengths[0]) <= x) - np.mean(np.array(lengths[1]) <= x)) for x in range(6))
    assert SequenceLengths().measure(a, b).value == pytest.approx(100 * gap)


def test_transition_matrices_by_hand():
    # Rows before: a→b 2 of 3, a→c 1 of 3; b→a 1 of 1. After: a→b 1 of 1, and nothing follows b.
    before, after = [["a", "b"], ["a", "b", "a", "c"]], [["a", "b"], ["c"]]
    found = Transitions().measure(microdata(before), microdata(after))
    assert found.details["transition_matrix_percent"] == pytest.approx(100 * (3 / 4 * 1 / 3 + 1 / 4 * 1))
    # Joint: ab 1/2, ba 1/4, ac 1/4 against ab 1.
    assert found.value == pytest.approx(50)


@given(paths=st.lists(PATHS, min_size=1, max_size=10), least=st.integers(1, 4), longest=st.integers(1, 4))
def test_frequent_subsequences_by_definition(paths, least, longest):
    codes = [[EVENTS.index(x) for x in path] for path in paths]
    found = frequent_subsequences(EncodedSequences.of(codes), len(EVENTS), least, longest)
    assert found == reference.frequent_subsequences(codes, [1] * len(codes), least, longest)


def test_patterns_kept_lost_and_added():
    before, after = [["a", "b", "c"]] * 2, [["a", "c", "d"]] * 2
    found = FrequentSubsequences(support=0.5, longest=2).measure(microdata(before), microdata(after))
    # Before: a b c ab ac bc; after: a c d ac ad cd.
    assert found.details["by_attribute"]["path"] == {
        "before": 6,
        "kept": 3,
        "lost": 3,
        "added": 3,
        "mean_change_of_support_percent": 0.0,
    }
    assert found.value == pytest.approx(100 * (1 - 3 / 9))
    nothing = FrequentSubsequences().measure(microdata([[], []]), microdata([[], []]))
    assert nothing.value == 0


@given(data=st.data(), known=st.integers(1, 4), ordered=st.booleans())
def test_known_events_by_definition(data, known, ordered):
    before, after = files(data)
    holds = reference.is_subsequence if ordered else reference.contains_all
    unique, chances = 0, []
    for i, path in enumerate(before):
        chance = 0.0
        for part in combinations(path, min(known, len(path))):
            holders = sum(holds(part, other) for other in after)
            if holds(part, after[i]):
                chance = max(chance, 1 / holders)
        unique += chance == 1
        chances.append(chance)
    found = KnownEvents(known=known, ordered=ordered, draws=10).measure(microdata(before), microdata(after))
    assert found.value == pytest.approx(100 * unique / len(before))
    assert found.details["by_attribute"]["path"]["mean_chance_percent"] == pytest.approx(100 * np.mean(chances))


def test_known_events_are_sampled_where_there_are_many():
    rng = np.random.default_rng(0)
    paths = [list(rng.choice(list(EVENTS), 12)) for _ in range(40)]
    data = microdata(paths)
    few, many = (KnownEvents(known=5, draws=draws).measure(data, data).value for draws in (2, 400))
    assert 0 < few < many
    again = KnownEvents(known=5, draws=2).measure(data, data).value
    other = [KnownEvents(known=5, draws=2, random_state=seed).measure(data, data).value for seed in range(1, 6)]
    assert again == few
    assert len({few, *other}) > 1


@pytest.mark.parametrize("masker", [KSHC(3), SequenceMDAV(4, prototype="medoid")], ids=repr)
def test_in_a_k_anonymous_release_nobody_is_singled_out(masker):
    rng = np.random.default_rng(3)
    paths = [list(rng.choice(list(EVENTS), rng.integers(1, 9))) for _ in range(100)]
    data = microdata(paths)
    masked = masker.mask(data)
    for ordered in (True, False):
        found = KnownEvents(known=4, ordered=ordered, draws=70).measure(data, masked)
        detail = found.details["by_attribute"]["path"]
        assert found.value == 0
        assert detail["mean_chance_percent"] <= 100 / masker.k
        assert detail["unique_before_percent"] > 0
    assert SequenceLinkageRisk().measure(data, masked).value <= 100 / masker.k + 1
    assert SequenceDissimilarity().measure(data, masked).details["sse"] == pytest.approx(
        masked.provenance.details["sse"]
    )


def test_a_release_with_another_alphabet_is_read_in_that_of_the_original():
    before = microdata([["a", "b"], ["c"]])
    same = microdata([["a", "b"], ["c"]], events=("z", "c", "b", "a"))
    for measure in (SequenceDissimilarity(), EventFrequencies(), Transitions(), FrequentSubsequences(support=0.4)):
        assert measure.measure(before, same).value == 0, measure
    new = microdata([["a", "b"], ["z"]], events=("z", "c", "b", "a"))
    assert EventFrequencies().measure(before, new).value == pytest.approx(100 / 3)


@pytest.mark.parametrize("measure", MEASURES[:-1], ids=repr)
def test_records_without_a_sequence_are_left_out(measure):
    before, after = microdata([["a"], None, ["b"]]), microdata([["a"], ["c"], None])
    assert measure.measure(before, after).value in (0.0, 100.0)
    with pytest.raises(MissingValueError, match="column 'path' has no record with a sequence in both files"):
        measure.measure(microdata([["a"], None]), microdata([None, ["a"]]))


def test_linkage_refuses_missing_sequences():
    with pytest.raises(MissingValueError, match="column 'path' has 1 missing sequences of 2"):
        SequenceLinkageRisk().measure(microdata([["a"], None]), microdata([["a"], ["b"]]))


WEIGHTED = [SequenceDissimilarity, EventFrequencies, Transitions, SequenceLengths, FrequentSubsequences]


@pytest.mark.parametrize("measure", WEIGHTED)
def test_a_weight_of_three_is_three_records(measure):
    rng = np.random.default_rng(3)
    before, after = ([rng.choice(EVENTS, rng.integers(0, 6)).tolist() for _ in range(30)] for _ in range(2))
    times = rng.integers(1, 5, 30)
    schema = Schema([Attribute("path", Sequence(EVENTS), "key"), Attribute("w", Numeric(), "weight")])

    def weighed(paths):
        return Microdata(pa.table({"path": pa.array(paths, pa.list_(pa.string())), "w": times.astype(float)}), schema)

    def repeated(paths):
        return microdata([path for path, count in zip(paths, times, strict=True) for _ in range(count)])

    found = measure(weighted=True).measure(weighed(before), weighed(after))
    plain = measure().measure(repeated(before), repeated(after))
    assert found.value == pytest.approx(plain.value)
    assert found.value != pytest.approx(measure().measure(weighed(before), weighed(after)).value)
    with pytest.raises(SchemaError, match="weighted is True, and the schema names no weight"):
        measure(weighted=True).measure(microdata(before), microdata(after))


def two_paths(first, second, weights=None):
    """A table with two columns of sequences."""
    schema = [Attribute(name, Sequence(EVENTS), "key") for name in ("path", "way")]
    columns = {"path": pa.array(first, pa.list_(pa.string())), "way": pa.array(second, pa.list_(pa.string()))}
    if weights is not None:
        schema.append(Attribute("w", Numeric(), "weight"))
        columns["w"] = pa.array(weights)
    return Microdata(pa.table(columns), Schema(schema))


STILL = [list("ab"), list("c"), list("ab")]
BEFORE = two_paths([list("ab"), list("abc"), list("c")], STILL)
AFTER = two_paths([list("ab"), list("cba"), list("d")], STILL)


def test_counts_of_sequences_are_told_whole():
    events = EventFrequencies().measure(BEFORE, AFTER)
    # Of six events one c became a d.
    assert events.per_attribute == pytest.approx({"path": 100 / 6, "way": 0})
    assert events.sentence == "8.3 % of the events would have to be others for the frequencies to be the original ones."
    assert events.details == {"events_gone": {"path": 0, "way": 0}}
    steps = Transitions().measure(BEFORE, AFTER)
    # ab ab bc became ab cb ba.
    assert steps.per_attribute == pytest.approx({"path": 200 / 3, "way": 0})
    assert steps.sentence == (
        "33.3 % of the steps from one event to the next would have to be others for the flow to be the original one."
    )
    # From a it still goes to b, from b it went to c and goes to a.
    assert steps.details == {
        "transition_matrix_percent": pytest.approx(100 / 6),
        "transition_matrix_by_attribute": {"path": pytest.approx(100 / 3), "way": 0},
    }
    shorter = two_paths([list("a"), list("abc"), []], STILL)
    lengths = SequenceLengths().measure(BEFORE, shorter)
    # Two, three and one became one, three and none: up to none there is one of three more, up to one as well.
    assert lengths.per_attribute == pytest.approx({"path": 100 / 3, "way": 0})
    assert lengths.sentence == (
        "Up to some length there are 16.7 % more, or fewer, of all sequences than before; the mean length of path was "
        "2.00 and is 1.33."
    )
    assert lengths.details == {
        "mean_before": {"path": 2, "way": pytest.approx(5 / 3)},
        "mean_after": {"path": pytest.approx(4 / 3), "way": pytest.approx(5 / 3)},
    }
    gone = EventFrequencies().measure(BEFORE, two_paths([list("ab"), list("ab"), list("a")], STILL))
    assert gone.details == {"events_gone": {"path": 1, "way": 0}}


def test_a_flow_that_stops_altogether():
    still = two_paths([list("a"), list("b"), list("c")], STILL)
    steps = Transitions().measure(BEFORE, still)
    assert steps.per_attribute == {"path": 100, "way": 0}
    assert steps.details["transition_matrix_by_attribute"] == {"path": 100, "way": 0}
    assert Transitions().measure(still, still).details["transition_matrix_percent"] == 0
    # Nothing follows on b any more: that row has nothing to be compared with, and counts one third.
    ended = Transitions().measure(BEFORE, two_paths([list("ab"), list("ab"), list("c")], STILL))
    assert ended.details["transition_matrix_by_attribute"]["path"] == pytest.approx(100 / 3)


def test_movement_of_sequences_is_told_whole():
    moved = SequenceDissimilarity(distance="levenshtein").measure(BEFORE, AFTER)
    # ab as it was; abc and cba share one place of three; c and d nothing.
    far = [0, 2 / 3, 1]
    assert moved.per_attribute == pytest.approx({"path": 100 * np.mean(np.square(far)), "way": 0})
    assert moved.details["sse"] == pytest.approx(np.square(far).sum())
    assert moved.details["mean_dissimilarity"] == pytest.approx(np.mean(far) / 2)
    assert moved.sentence == (
        f"Released sequences lie at a mean squared dissimilarity of {np.mean(np.square(far)) / 2:.3f} from the "
        "originals; 1 would be nothing in common."
    )
    same = SequenceDissimilarity().measure(BEFORE, BEFORE)
    assert (same.value, same.sentence) == (0, "Every sequence is released as it was.")
    weighted = SequenceDissimilarity(distance="levenshtein", weighted=True).measure(
        two_paths([list("ab"), list("abc"), list("c")], STILL, [1.0, 3.0, 4.0]),
        two_paths([list("ab"), list("cba"), list("d")], STILL, [1.0] * 3),
    )
    assert weighted.per_attribute["path"] == pytest.approx(100 * (3 * 4 / 9 + 4) / 8)
    assert weighted.details["mean_dissimilarity"] == pytest.approx((3 * 2 / 3 + 4) / 8 / 2)
    assert weighted.details["sse"] == pytest.approx(np.square(far).sum()), "the sum is of records"


def test_patterns_and_known_events_are_told_whole():
    patterns = FrequentSubsequences(support=0.6, longest=2).measure(BEFORE, AFTER)
    # In two of three: a, b, c and ab before; a and b after, for c is in one.
    assert patterns.details["by_attribute"]["path"] == {
        "before": 4, "kept": 2, "lost": 2, "added": 0, "mean_change_of_support_percent": 0.0,
    }  # fmt: skip
    assert patterns.per_attribute == pytest.approx({"path": 50, "way": 0})
    assert patterns.sentence == "Of 7 frequent subsequences 5 still are, and 0 others have become frequent."
    known = KnownEvents(known=1).measure(BEFORE, AFTER)
    # b is in two releases, a as well; c of the last is in cba, which is not his.
    assert known.details["by_attribute"]["path"] == {
        "unique": 1, "records": 3, "unique_before_percent": 0.0, "mean_chance_percent": pytest.approx(100 * 1.5 / 3),
        "mean_chance_before_percent": 50.0,
    }  # fmt: skip
    assert known.per_attribute == pytest.approx({"path": 100 / 3, "way": 100 / 3})
    assert known.sentence == (
        "Knowing 1 events of a person, in their order, singles out 1 of 3 records in the release (33.3 %); before "
        "masking it was 0.0 %."
    )
