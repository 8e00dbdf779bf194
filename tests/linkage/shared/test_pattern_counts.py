from __future__ import annotations

import numpy as np
import pytest
from tests.reference import linkage as twin

from discreet.contracts.engine import InProcess
from discreet.engines.memory import MemoryEngine
from discreet.errors import DataError
from discreet.linkage.record_classes import distinct_rows
from discreet.linkage.shared import pattern_counts
from discreet.linkage.shared.agreement import equality, nested
from discreet.linkage.shared.packed_records import Layout, PackedFiles
from discreet.linkage.shared.pattern_counts import count_patterns


def random_agreements(seed, n_a, n_b, attributes, *, missing="ignore", absent=0.0, levels=3, coarse=False):
    rng = np.random.default_rng(seed)
    agreements = []
    for j in range(attributes):
        size = levels + j
        a, b = rng.integers(0, size, n_a), rng.integers(0, size, n_b)
        a[rng.random(n_a) < absent] = -1
        b[rng.random(n_b) < absent] = -1
        coarser = [np.arange(size) // 2] if coarse and j % 2 else []
        agreements.append(nested(f"v{j}", a.astype(np.int64), b.astype(np.int64), coarser, missing))
    return agreements


@pytest.fixture(params=["grouped", "compared"])
def way(request, monkeypatch):
    """Both ways of counting, whatever the size of the files."""
    monkeypatch.setattr(pattern_counts, "_PAIRS_A_ROW", 0 if request.param == "grouped" else 10**9)
    return request.param


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("coarse", [False, True])
@pytest.mark.parametrize(("missing", "absent"), [("ignore", 0.0), ("ignore", 0.2), ("disagree", 0.2), ("agree", 0.2)])
@pytest.mark.parametrize(("n_a", "n_b", "attributes"), [(13, 13, 1), (12, 30, 3), (25, 9, 5), (1, 4, 2)])
def test_counts_are_those_of_looking_at_every_pair(n_a, n_b, attributes, missing, absent, coarse):
    agreements = random_agreements(7, n_a, n_b, attributes, missing=missing, absent=absent, coarse=coarse)
    counts = count_patterns(PackedFiles.of(agreements), InProcess())
    assert np.array_equal(counts.between, twin.pattern_counts(agreements))
    within, own = twin.within_counts(agreements)
    assert np.array_equal(counts.within, within)
    assert np.array_equal(counts.own, own)
    assert counts.between.sum() == n_a * n_b


@pytest.mark.parametrize("coarse", [False, True])
def test_cutting_a_long_list_into_classes_changes_nothing(monkeypatch, coarse):
    monkeypatch.setattr(pattern_counts, "_PAIRS_A_ROW", 0)
    agreements = random_agreements(3, 400, 300, 5, absent=0.1, missing="disagree", coarse=coarse)
    whole = count_patterns(PackedFiles.of(agreements), InProcess())
    monkeypatch.setattr(pattern_counts, "_CACHED", 20)
    cut = count_patterns(PackedFiles.of(agreements), InProcess())
    threaded = count_patterns(PackedFiles.of(agreements), MemoryEngine(workers=3))
    for other in (cut, threaded):
        assert np.array_equal(whole.between, other.between)
        assert np.array_equal(whole.within, other.within)


@pytest.mark.parametrize("absent", [0.0, 0.1])
@pytest.mark.parametrize("coarse", [False, True])
def test_looking_at_the_pairs_of_small_groups_changes_nothing(monkeypatch, coarse, absent):
    monkeypatch.setattr(pattern_counts, "_PAIRS_A_ROW", 0)
    monkeypatch.setattr(pattern_counts, "are_few", lambda *_: False)
    agreements = random_agreements(5, 400, 300, 6, absent=absent, missing="disagree", coarse=coarse)
    looked_at = count_patterns(PackedFiles.of(agreements), InProcess())
    monkeypatch.setattr(pattern_counts, "_MOST_PAIR_SUMS", 0)
    cut = count_patterns(PackedFiles.of(agreements), InProcess())
    assert np.array_equal(looked_at.between, cut.between)
    assert np.array_equal(looked_at.within, cut.within)


def test_small_files_are_compared_and_large_ones_grouped(monkeypatch):
    compared = []
    monkeypatch.setattr(
        pattern_counts, "tabulate_pairs", lambda _, shape, __: compared.append(1) or (np.zeros(shape, int),) * 2
    )
    for n_a in (5, 6):  # group-bys of 1, 900, 900 and n_a + 900 rows, each worth two pairs
        agreements = [equality(name, np.arange(n_a), np.arange(900)) for name in ("x", "y")]
        count_patterns(PackedFiles.of(agreements), InProcess())
    assert len(compared) == 1


@pytest.mark.usefixtures("way")
def test_records_wider_than_one_word():
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 40_000, 200) for _ in range(5)]  # 5 fields of 17 bits
    agreements = [equality(f"v{j}", c, np.where(rng.random(200) < 0.5, c, 0)) for j, c in enumerate(columns)]
    assert Layout.of(agreements).words == 2
    assert np.array_equal(
        count_patterns(PackedFiles.of(agreements), InProcess()).between, twin.pattern_counts(agreements)
    )


def test_distinct_rows_in_order_of_appearance():
    words = np.array([[5], [7], [5], [5], [9], [7]], dtype=np.uint64)
    classes = distinct_rows(words)
    assert classes.label.tolist() == [0, 1, 0, 0, 2, 1]
    assert classes.first.tolist() == [0, 1, 4]
    assert classes.size.tolist() == [3, 2, 1]


def test_too_many_patterns_are_refused():
    agreements = [equality(f"v{j}", np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.int64)) for j in range(21)]
    with pytest.raises(DataError, match="2097152 agreement patterns are too many"):
        count_patterns(PackedFiles.of(agreements), InProcess())
