"""Microaggregation of sequences: the rule, the guarantee, blocks, several attributes."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import sequences as reference

from discreet.data.microdata import Microdata
from discreet.data.scales import EncodedSequences, Nominal, Sequence
from discreet.data.scales.dissimilarities import OSSOWA, OptimalMatching, dissimilarity_named, dissimilarity_names
from discreet.data.scales.query_log import QueryLog
from discreet.data.schema import Attribute, Schema
from discreet.datasets import trips
from discreet.engines.memory import MemoryEngine
from discreet.errors import DataError, MissingValueError, ParameterError
from discreet.masking.microaggregation.sequences import sequence_groups, sequence_mdav
from discreet.masking.microaggregation.sequences.kshc import KSHC
from discreet.masking.microaggregation.sequences.sequence_groups import Items, join_leftovers, split_into_blocks
from discreet.masking.microaggregation.sequences.sequence_mdav import SequenceMDAV
from discreet.operators.prototypes import MajorityByPosition
from discreet.progress import listening

EVENTS = tuple("abcdef")
SCHEMA = Schema([Attribute("path", Sequence(EVENTS), "key")])
SEQUENCES = st.lists(st.sampled_from(EVENTS), max_size=6)
FILES = st.lists(SEQUENCES, min_size=6, max_size=40)
METHODS = [
    *(KSHC(2, linkage=linkage) for linkage in ("single", "complete", "average")),
    KSHC(3, quantifier="power:0.4", prototype="medoid"),
    KSHC(3, quantifier="sigmoid:0.8", prototype="majority", block_size=6),
    *(
        KSHC(2, distance=name, block_size=5)
        for name in dissimilarity_names()
        if "events" in dissimilarity_named(name).contents
    ),
    KSHC(2, distance=OptimalMatching(0.5), prototype=MajorityByPosition()),
    SequenceMDAV(2),
    SequenceMDAV(3, quantifier="power:4", prototype="medoid", block_size=6),
    SequenceMDAV(4, distance="hamming", prototype="majority"),
]


def microdata(paths):
    return Microdata(pa.table({"path": pa.array(paths, pa.list_(pa.string()))}), SCHEMA)


def items(collection, counts=None, distance=OSSOWA()):  # noqa: B008 - a value
    encoded = EncodedSequences.of(collection)
    return Items([encoded], np.ones(len(encoded), np.int64) if counts is None else np.asarray(counts), [distance])


@pytest.mark.parametrize("method", METHODS, ids=repr)
@given(paths=FILES)
def test_every_released_sequence_appears_at_least_k_times(method, paths):
    masked = method.mask(microdata(paths))
    released = Counter(map(tuple, masked.microdata.column("path").to_pylist()))
    assert min(released.values()) >= method.k
    groups = [[paths[i] for i in np.flatnonzero(masked.labels == g)] for g in range(masked.labels.max() + 1)]
    for g, group in enumerate(groups):
        assert len(group) >= method.k
        lengths = [len(s) for s in group]
        prototype = masked.microdata.column("path").to_pylist()[int(np.flatnonzero(masked.labels == g)[0])]
        assert max(min(lengths), min(1, max(lengths))) <= len(prototype) <= max(lengths)
    # Equal sequences stay together, and one of k records is released as it is.
    for path, count in Counter(map(tuple, paths)).items():
        where = [i for i, other in enumerate(paths) if tuple(other) == path]
        assert len(set(masked.labels[where].tolist())) == 1
        if count >= method.k and len(set(map(tuple, groups[masked.labels[where[0]]]))) == 1:
            assert masked.microdata.column("path").to_pylist()[where[0]] == list(path)


@given(
    collection=st.lists(st.lists(st.integers(0, 3), max_size=5), min_size=2, max_size=12, unique_by=tuple),
    data=st.data(),
    k=st.integers(2, 5),
    linkage=st.sampled_from(["single", "complete", "average", "median"]),
)
def test_kshc_follows_the_rule(collection, data, k, linkage):
    counts = data.draw(st.lists(st.integers(1, 3), min_size=len(collection), max_size=len(collection)))
    if sum(counts) < k:
        counts[0] += k
    block = items(collection, counts)
    labels = KSHC(k, linkage=linkage)._partition(block)
    found = sorted(sorted(np.flatnonzero(labels == g).tolist()) for g in range(labels.max() + 1))
    assert found == reference.kshc(block.compare().matrix().tolist(), counts, k, linkage)


def test_kshc_groups_have_k_to_2k_minus_1_records_where_no_sequence_repeats():
    rng = np.random.default_rng(3)
    collection = list({tuple(rng.integers(0, 6, rng.integers(3, 9)).tolist()) for _ in range(300)})
    for k in (2, 3, 5, 8):
        sizes = np.bincount(KSHC(k)._partition(items(collection)))
        assert sizes.min() >= k
        assert sizes.max() <= 2 * k - 1


def test_leftovers_join_the_nearest_group_with_room():
    distances = np.array([[0.0, 0.1, 0.3, 0.9, 0.9], [0.2, 0.0, 0.3, 0.4, 0.9]])
    labels = np.array([-1, -1, 0, 1, 1])
    counts = np.array([1, 1, 2, 1, 1])
    near = labels.copy()
    join_leftovers(distances, np.array([0, 1]), near, counts, None)
    assert near.tolist() == [0, 0, 0, 1, 1]
    # Group 0 has room for one: the first comes first on the tie, the second goes to the next nearest.
    tight = labels.copy()
    join_leftovers(distances, np.array([0, 1]), tight, counts, 3)
    assert tight.tolist() == [0, 1, 0, 1, 1]
    full = labels.copy()
    join_leftovers(distances, np.array([0, 1]), full, counts, 2)
    assert full.tolist() == [0, 0, 0, 1, 1], "no group has room, so room does not count"


def test_mdav_starts_at_the_edge_and_takes_the_nearest():
    # 0 1 2 is in the middle; 3 4 5 shares nothing with anybody but 3 4 6.
    collection = [[0, 1, 2], [0, 1, 3], [0, 2, 1], [3, 4, 5], [3, 4, 6], [1, 0, 2]]
    labels = SequenceMDAV(2)._partition(items(collection))
    groups = {tuple(np.flatnonzero(labels == g).tolist()) for g in range(labels.max() + 1)}
    assert (3, 4) in groups
    assert np.bincount(labels).tolist() == [2, 2, 2]


def test_mdav_medoid_sums_stay_exact():
    rng = np.random.default_rng(0)
    collection = list({tuple(rng.integers(0, 5, rng.integers(2, 8)).tolist()) for _ in range(80)})
    counts = rng.integers(1, 3, len(collection))
    block = items(collection, counts)
    labels = SequenceMDAV(4)._partition(block)
    assert labels.tolist() == _mdav_by_definition(block.compare().matrix(), counts, 4)


def _mdav_by_definition(matrix, counts, k):
    labels = np.full(counts.size, -1)
    left = [i for i in range(counts.size) if counts[i] < k]
    group = 0
    for i in range(counts.size):
        if counts[i] >= k:
            labels[i] = group
            group += 1

    def take(seed):
        nonlocal group, left
        total = 0
        for i in [seed, *sorted((j for j in left if j != seed), key=lambda j: (matrix[seed, j], j))]:
            labels[i] = group
            total += counts[i]
            if total >= k:
                break
        left = [i for i in left if labels[i] < 0]
        group += 1

    while sum(counts[left]) >= 2 * k:
        medoid = min(left, key=lambda i: (sum(np.rint(matrix[i, left] * 2**40) * counts[left]), i))
        first = max(left, key=lambda i: (matrix[medoid, i], -i))
        take(first)
        if sum(counts[left]) >= 2 * k:
            take(max(left, key=lambda i: (matrix[first, i], -i)))
    if sum(counts[left]) >= k:
        labels[left] = group
    else:
        for i in sorted(left, key=lambda i: (min(matrix[i, j] for j in range(counts.size) if labels[j] >= 0), i)):
            best = min((matrix[i, j], labels[j]) for j in range(counts.size) if labels[j] >= 0 and j not in left)
            labels[i] = best[1]
    return labels.tolist()


@given(
    collection=st.lists(st.lists(st.integers(0, 3), max_size=5), min_size=1, max_size=60, unique_by=tuple),
    size=st.integers(4, 20),
)
def test_blocks_cover_every_item_once_and_none_is_small(collection, size):
    blocks = split_into_blocks(items(collection), size)
    together = np.sort(np.concatenate(blocks))
    assert together.tolist() == list(range(len(collection)))
    if len(blocks) > 1:
        assert min(map(len, blocks)) >= size // 2
    assert max(map(len, blocks)) <= size
    assert [int(b[0]) for b in blocks] == sorted(int(b[0]) for b in blocks)


def test_blocks_keep_similar_sequences_together():
    near = [[0, 1, 2, i] for i in range(4, 10)]
    far = [[20, 21, 22, i] for i in range(24, 30)]
    mixed = [s for pair in zip(near, far, strict=True) for s in pair]
    blocks = split_into_blocks(items(mixed), 6)
    assert sorted(sorted(b.tolist()) for b in blocks) == [[0, 2, 4, 6, 8, 10], [1, 3, 5, 7, 9, 11]]


def test_several_sequence_attributes_are_masked_together():
    rng = np.random.default_rng(1)
    paths = [[" ".join(rng.choice(list(EVENTS), rng.integers(1, 4))) for _ in range(30)] for _ in range(2)]
    schema = Schema([Attribute("out", Sequence(EVENTS), "key"), Attribute("back", Sequence(EVENTS), "key")])
    data = Microdata(pa.table({"out": paths[0], "back": paths[1]}), schema)
    for method in (KSHC(3), SequenceMDAV(3, prototype="medoid"), KSHC(3, block_size=8)):
        release = method.mask(data).microdata.to_arrow().to_pylist()
        assert min(Counter((row["out"], row["back"]) for row in release).values()) >= 3
    alone = KSHC(3, attributes=["back"]).mask(data)
    assert alone.microdata.column("out").to_pylist() == paths[0]
    assert any("did not mask (1): out" in note for note in alone.provenance.notes)


def test_other_attributes_are_released_as_they_are():
    table = pa.table({"path": ["a b", "a b", "c", "c d"], "sex": ["f", "m", "f", "m"]})
    schema = Schema([Attribute("path", Sequence(EVENTS), "key"), Attribute("sex", Nominal(("f", "m")), "key")])
    masked = KSHC(2).mask(Microdata(table, schema))
    assert masked.microdata.column("sex").to_pylist() == ["f", "m", "f", "m"]
    assert masked.microdata.column("path").to_pylist()[:2] == ["a b", "a b"]


def test_details_say_what_it_cost():
    masked = KSHC(2).mask(microdata([["a", "b"], ["a", "b"], ["c"], ["c", "d"]]))
    details = masked.provenance.details
    # "c d" is released as "c d" for both: c at its place in a release of one event more, d unpaired: 1 of 3.
    assert masked.microdata.column("path").to_pylist()[2:] == [["c", "d"]] * 2
    assert details["sse"] == pytest.approx((1 / 3) ** 2)
    assert details["mean_squared_dissimilarity"] == pytest.approx((1 / 3) ** 2 / 4)
    assert details["distinct_sequences"] == 3
    assert details["blocks"] == 1


def test_threads_and_progress():
    rng = np.random.default_rng(4)
    paths = [list(rng.choice(list(EVENTS), rng.integers(0, 7))) for _ in range(200)]
    method, seen = KSHC(3, block_size=12), []
    with listening(lambda label, done, total: seen.append((label, done, total))):
        one = method.mask(microdata(paths), engine=MemoryEngine(workers=1))
    two = method.mask(microdata(paths), engine=MemoryEngine(workers=2))
    assert one.microdata.to_arrow().equals(two.microdata.to_arrow())
    assert ("grouping", seen[-1][2], seen[-1][2]) in seen
    assert seen[-1][2] > 8


def test_row_order_does_not_matter_where_there_are_no_ties():
    paths = [["a", "b", "c", "d"], ["a", "b", "c"], ["e", "f"], ["e", "f", "f"]]
    straight = KSHC(2).mask(microdata(paths)).microdata.column("path").to_pylist()
    back = KSHC(2).mask(microdata(paths[::-1])).microdata.column("path").to_pylist()
    assert straight == back[::-1]


def test_bad_input():
    data = microdata([["a"], ["b"], ["c"], []])
    with pytest.raises(ParameterError, match="KSHC: k must be at most the number of records, 4; got 5"):
        KSHC(5).mask(data)
    with pytest.raises(ParameterError, match="KSHC: block_size must be at least 2k = 8; got 7"):
        KSHC(4, block_size=7).mask(data)
    with pytest.raises(ParameterError, match="KSHC: distance must be one of 'own', 'dtw', .* got 'tea'"):
        KSHC(2, distance="tea").mask(data)
    with pytest.raises(ParameterError, match="KSHC: quantifier must be None for the distance 'lcs'"):
        KSHC(2, distance="lcs", quantifier="power:2").mask(data)
    with pytest.raises(ParameterError, match=r"SequenceMDAV: prototype must be one of 'own', 'dtw-barycentre'"):
        SequenceMDAV(2, prototype="mean").mask(data)
    with pytest.raises(MissingValueError, match="KSHC: column 'path' has 1 missing value of 4"):
        KSHC(2).mask(microdata([["a"], None, ["c"], []]))
    with pytest.raises(DataError, match="Column 'path': 1 of 3 events are not in the declared alphabet of 6 events"):
        KSHC(2).mask(microdata([["a"], ["z"], ["c"], []]))


def test_web_sessions_of_20000_visitors(data_dir):
    import polars as pl

    sessions = pl.read_csv(data_dir / "uci" / "msnbc_sessions_sample20000.csv", columns=["sequence"])
    schema = Schema([Attribute("sequence", Sequence(tuple(str(page) for page in range(1, 18))), "key")])
    masked = KSHC(5, quantifier="power:2").mask(Microdata(sessions, schema), engine=MemoryEngine(workers=2))
    released = Counter(masked.microdata.column("sequence").to_pylist())
    assert min(released.values()) >= 5
    assert len(masked) == 20000
    assert masked.provenance.details["blocks"] > 1
    assert min(len(sequence.split()) for sequence in released) >= 3


@pytest.mark.parametrize("distance", ["synchronous", "hausdorff", "frechet", "edr"])
def test_trajectories_are_grouped_alike_whether_pairs_are_compared_once_or_twice(distance, monkeypatch):
    data = trips(60, random_state=5)
    monkeypatch.setattr(sequence_mdav, "_ROWS", 7)
    once = SequenceMDAV(3, distance=distance, block_size=30).mask(data)
    monkeypatch.setattr(dissimilarity_named(distance), "properties", frozenset())
    twice = SequenceMDAV(3, distance=distance, block_size=30).mask(data)
    assert once.provenance.labels.tolist() == twice.provenance.labels.tolist()


def test_fewer_trajectories_than_events_are_treated_together_unless_said():
    walks = SequenceMDAV(3)
    assert walks._most([dissimilarity_named("synchronous")()]) == 2_500
    assert walks._most([dissimilarity_named("lcs")()]) == 10_000
    assert SequenceMDAV(2_000)._most([dissimilarity_named("synchronous")()]) == 4_000
    assert SequenceMDAV(3, block_size=70)._most([dissimilarity_named("synchronous")()]) == 70


def test_the_least_of_several_attributes_is_treated_together():
    distances = [dissimilarity_named(name)() for name in ("lcs", "synchronous", "lcs")]
    assert SequenceMDAV(3)._most(distances) == 2_500
    assert SequenceMDAV(3)._most(distances[::-1]) == 2_500


LOGS = Schema(
    [
        Attribute("asked", QueryLog(["rome", "tea", "oslo", "unasked"]), "key"),
        Attribute("remark", Nominal(("?",)), "other"),
        Attribute("who", Nominal(("?",)), "identifier"),
    ]
)


def rare(logs, counts, k, schema=LOGS, names=("asked",)):
    logs = LOGS["asked"].scale.encode(logs)
    return sequence_groups._rare_elsewhere(schema, names, Items([logs], np.array(counts), []), k)


def test_terms_of_fewer_than_k_people_are_looked_for_in_other_released_columns():
    """Rome has three people, tea one more who asks twice, Oslo two, and a term of nobody is not rare but absent."""
    logs = [["rome tea"], ["tea", "tea"], ["oslo"]]
    asked = rare(logs, [3, 1, 2], 4)
    assert asked.names == ("remark",), "identifiers are not released, and the log itself is masked"
    assert asked.original == ("remark",)
    assert asked.released == ()
    assert asked.words == {"rome", "oslo"}
    assert rare(logs, [3, 1, 2], 3).words == {"oslo"}
    assert rare(logs, [3, 1, 2], 2) is None
    assert rare(logs, [3, 1, 2], 4, LOGS.select(["asked", "who"])) is None, "there is no other column"
    paths = Schema([Attribute("asked", Sequence(("?", "*", "rome", "tea", "oslo"))), LOGS["remark"]])
    assert rare(logs, [3, 1, 2], 4, paths) is None, "events are no words"


def test_a_word_counts_once_a_record_whatever_its_capitals():
    asked = sequence_groups._WordsElsewhere(("remark",), frozenset({"rome", "strasse", "oslo"}))
    texts = ["Rome, ROME and rome", "from Rome(Straße)", None, "", "romeo"]
    assert asked.count(pa.array(texts)) == {"rome": 2, "strasse": 1}
    assert asked.count(pa.array([1, 2])) == {}


def test_words_of_two_blocks_are_added_and_told_if_they_are_few():
    first = sequence_groups._WordCounts({"remark": Counter(rome=1, oslo=2), "note": Counter(rome=1)})
    second = sequence_groups._WordCounts({"remark": Counter(rome=1, tea=3), "note": Counter()})
    both = first.merge(second)
    assert both.counts == {"remark": {"rome": 2, "oslo": 2, "tea": 3}, "note": {"rome": 1}}
    ending = "people have in asked stand in this column, which is released; mask it too, or leave it out."
    assert sequence_groups._say_words(LOGS, ["asked"], both, 3) == (
        f"remark: 2 words that fewer than 3 {ending}",
        f"note: 1 words that fewer than 3 {ending}",
    )
    (said,) = sequence_groups._say_words(LOGS, ["remark", "asked"], both, 2)
    assert said.startswith("note: 1 words that fewer than 2 people have in asked stand")
    assert sequence_groups._say_words(LOGS, ["asked"], both, 1) == ()


def test_groups_are_numbered_by_the_first_item_and_every_block_is_told():
    class Halves(KSHC):
        def _partition(self, items):
            return (np.arange(items.counts.size) < 2).astype(np.int64)

    collection = items([[0], [1], [2], [3], [4], [5], [0, 1], [0, 2]])
    told = []
    with listening(lambda *said: told.append(said)):
        blocks = [np.array([0, 3, 4, 7]), np.array([1, 2, 5, 6])]
        groups = Halves(2)._groups(collection, blocks, MemoryEngine(workers=1))
    # The first two of each block are its group 1, the others 0.
    assert groups.tolist() == [0, 1, 1, 0, 2, 3, 3, 2]
    assert told == [("grouping", 0, 2), ("grouping", 1, 2), ("grouping", 2, 2)]


def test_a_leftover_fills_a_group_with_all_its_records():
    distances = np.array([[0.0, 0.9, 0.1, 0.5], [0.9, 0.0, 0.2, 0.6]])
    labels = np.array([-1, -1, 0, 1])
    for first, second in ((1, 0), (2, 1)):
        joined = labels.copy()
        join_leftovers(distances, np.array([0, 1]), joined, np.array([first, 1, 2, 2]), 4)
        assert joined.tolist() == [0, second, 0, 1]


def test_leftovers_do_not_draw_each_other():
    """The second is nearest to the first, but only items that are in a group already count."""
    distances = np.array([[0.0, 0.01, 0.3, 0.9], [0.01, 0.0, 0.8, 0.4]])
    labels = np.array([-1, -1, 0, 1])
    join_leftovers(distances, np.array([0, 1]), labels, np.ones(4, np.int64), None)
    assert labels.tolist() == [0, 1, 0, 1]


def test_a_block_is_halved_between_two_far_items():
    rng = np.random.default_rng(8)
    collection = items(list({tuple(rng.integers(0, 5, rng.integers(1, 7)).tolist()) for _ in range(60)}))
    matrix = collection.compare().matrix()

    def halved(block):
        if len(block) <= 7:
            return [block]
        one = max(block, key=lambda i: matrix[block[0], i])
        other = max(block, key=lambda i: matrix[one, i])
        order = sorted(block, key=lambda i: matrix[one, i] - matrix[other, i])
        half = len(block) // 2
        return [*halved(sorted(order[:half])), *halved(sorted(order[half:]))]

    expected = sorted(halved(list(range(len(collection.counts)))))
    assert len(expected) >= 8
    assert [block.tolist() for block in split_into_blocks(collection, 7)] == expected


class Known:
    """A comparison whose distances are given."""

    def __init__(self, matrix, mirrored):
        self._matrix, self.mirrored = np.array(matrix, dtype=float), mirrored

    def matrix(self):
        return self._matrix.copy()

    def rows(self, which, among=None):
        return self._matrix[np.asarray(which)] if among is None else self._matrix[np.ix_(which, among)]


def known(matrix, counts, mirrored=True):
    return SimpleNamespace(compare=lambda: Known(matrix, mirrored), counts=np.array(counts))


@pytest.mark.parametrize(("records", "group"), [(2, 0), (3, 1), (4, 1)])
def test_a_cluster_of_2k_less_one_records_takes_no_leftover(records, group):
    """The last item is nearest to the first, which has room as long as it stands for fewer than three records."""
    matrix = [[0.0, 0.9, 0.1], [0.9, 0.0, 0.5], [0.1, 0.5, 0.0]]
    labels = KSHC(2)._partition(known(matrix, [records, 2, 1]))
    assert labels.tolist() == [0, 1, group]
    assert KSHC(2)._partition(known(matrix, [3, 3, 1])).tolist() == [0, 1, 0], "no cluster has room"


@pytest.mark.parametrize("mirrored", [True, False])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_mdav_of_sequences_is_that_of_the_definition(k, mirrored, monkeypatch):
    monkeypatch.setattr(sequence_mdav, "_ROWS", 4)
    for seed in range(25):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 23))
        half = np.triu(rng.integers(1, 9, (n, n)) / 8, 1)
        counts = rng.integers(1, 4 if seed % 3 else 2, n)
        if counts.sum() < k:
            continue
        labels = SequenceMDAV(k)._partition(known(half + half.T, counts, mirrored))
        sizes = np.bincount(labels, weights=counts)
        assert sizes.min() >= k
        assert labels.tolist() == _mdav_by_definition(half + half.T, counts, k)


def test_few_sequences_left_join_their_nearest_or_are_the_only_group():
    matrix = [[0.0, 0.9, 0.1, 0.8], [0.9, 0.0, 0.5, 0.2], [0.1, 0.5, 0.0, 0.3], [0.8, 0.2, 0.3, 0.0]]
    assert SequenceMDAV(3)._partition(known(matrix, [3, 4, 1, 1])).tolist() == [0, 1, 0, 1]
    assert SequenceMDAV(3)._partition(known(matrix, [3, 4, 2, 1])).tolist() == [0, 1, 2, 2]
    assert SequenceMDAV(9)._partition(known(matrix, [1, 1, 1, 1])).tolist() == [0] * 4
