from __future__ import annotations

import csv
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.data.scales import Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.masking.microaggregation.numbers import c_means
from discreet.masking.microaggregation.numbers.c_means import CMeans, _halves, _memberships
from discreet.progress import listening

SCHEMA = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key")])


def table(points):
    return pa.table({"x": points[:, 0], "y": points[:, 1]})


def twin_memberships(values, centres, m):
    """Bezdek's formula, one at a time: 1 / sum over c' of (d_c / d_c') ** (2 / (m - 1))."""
    rows = []
    for value in values:
        far = [sum((a - b) ** 2 for a, b in zip(value, centre, strict=True)) ** 0.5 for centre in centres]
        if min(far) == 0:
            rows.append([(d == 0) / far.count(0) for d in far])
        else:
            rows.append([1 / sum((d / other) ** (2 / (m - 1)) for other in far) for d in far])
    return rows


@given(st.integers(1, 8), st.integers(2, 4), st.floats(1.2, 5), st.integers(0, 999))
def test_memberships_are_those_of_the_twin(n, c, m, seed):
    draws = np.random.default_rng(seed)
    values, centres = draws.integers(0, 5, (n, 2)).astype(float), draws.integers(0, 5, (c, 2)).astype(float)
    expected = twin_memberships(values.tolist(), centres.tolist(), m)
    np.testing.assert_allclose(_memberships(values, centres, m), expected, atol=1e-9)


def test_memberships_by_hand():
    # Distances 1 and 3 with m = 2: shares 1 / (1 + 1/9) and 1 / (9 + 1).
    np.testing.assert_allclose(_memberships(np.array([[1.0]]), np.array([[0.0], [4.0]]), 2.0), [[0.9, 0.1]])
    np.testing.assert_allclose(_memberships(np.array([[1.0]]), np.array([[0.0], [4.0]]), 1.0), [[1.0, 0.0]])


@settings(max_examples=40)
@given(st.integers(6, 60), st.integers(2, 5), st.integers(2, 5), st.sampled_from([1.0, 1.5, 2.0]), st.integers(0, 99))
def test_groups_have_k_to_2k_less_one_records(n, k, clusters, fuzziness, seed):
    points = np.random.default_rng(seed).integers(0, 7, (n, 2)).astype(float)
    masked = CMeans(k=k, clusters=clusters, fuzziness=fuzziness, random_state=1).mask(table(points), SCHEMA)
    sizes = np.bincount(masked.labels)
    assert sizes.min() >= min(k, n)
    assert sizes.max() <= max(2 * k - 1, n if n < 2 * k else 0)


@pytest.mark.parametrize("fuzziness", [1.0, 2.0])
def test_k_holds_in_the_written_file(fuzziness, tmp_path):
    data = dc.datasets.business(150)
    masked = CMeans(k=5, fuzziness=fuzziness, random_state=3).mask(data)
    dc.write(masked, tmp_path / "released.csv")
    with (tmp_path / "released.csv").open(newline="") as file:
        rows = [tuple(row[name] for name in masked.provenance.attributes) for row in csv.DictReader(file)]
    assert min(Counter(rows).values()) >= 5


def test_clusters_that_stand_apart_are_not_torn():
    draws = np.random.default_rng(2)
    sizes = [4, 5, 3]
    points = np.concatenate(
        [draws.normal(at, 0.01, (size, 2)) for at, size in zip((0.0, 5.0, 9.0), sizes, strict=True)]
    )
    labels = CMeans(k=3, clusters=3, random_state=1).mask(table(points), SCHEMA).labels
    assert sorted(Counter(labels.tolist()).values()) == sorted(sizes)
    assert len({tuple(sorted(set(labels[s].tolist()))) for s in (slice(0, 4), slice(4, 9), slice(9, 12))}) == 3


def test_equal_records_are_cut_by_number():
    assert _halves(np.zeros((5, 1))).tolist() == [0, 0, 1, 1, 1]
    masked = CMeans(k=2, random_state=0).mask(table(np.zeros((9, 2))), SCHEMA)
    assert np.bincount(masked.labels).min() >= 2


def test_bad_parameters_are_refused():
    for name, value in (("clusters", 1), ("fuzziness", 0.5), ("k", 1)):
        with pytest.raises(ParameterError, match=f"CMeans: {name} must be"):
            CMeans(**{name: value}).mask(table(np.zeros((9, 2))), SCHEMA)


class Chosen:
    """In place of draws: the first centres are these records."""

    def __init__(self, rows):
        self.rows = rows

    def choice(self, n, size, replace):
        assert not replace
        assert max(self.rows) < n
        return np.array(self.rows[:size])


@pytest.mark.parametrize("fuzziness", [1.0, 2.0, 3.5])
def test_centres_move_to_the_means_by_memberships_until_they_stand_still(fuzziness, monkeypatch):
    values = np.random.default_rng(4).normal(size=(14, 2))
    for rounds in (1, 2, 60):
        monkeypatch.setattr(c_means, "_ROUNDS", rounds)
        centres = values[[3, 7]].tolist()
        for _ in range(rounds):
            shares = twin_memberships(values.tolist(), centres, fuzziness) if fuzziness > 1 else None
            if shares is None:
                far = ((values[:, None] - np.array(centres)[None]) ** 2).sum(axis=2)
                shares = np.eye(2)[far.argmin(axis=1)]
            power = np.array(shares) ** fuzziness
            centres = [(power[:, c, None] * values).sum(axis=0) / power[:, c].sum() for c in range(2)]
        expected = ((values[:, None] - np.array(centres)[None]) ** 2).sum(axis=2).argmin(axis=1)
        found = CMeans(k=2, fuzziness=fuzziness)._cut(values, Chosen([3, 7]))
        assert found.tolist() == expected.tolist()


def test_a_cluster_that_is_too_small_goes_to_the_nearest_of_the_others():
    """At 0, 5 and 8 with three, one and four records: the one at 5 goes to 8."""
    values = np.array([0.0, 0.1, 0.2, 5.0, 8.0, 8.1, 8.2, 8.3, 8.4])[:, None]
    masker = CMeans(k=3, clusters=3, fuzziness=1.0)
    assert masker._cut(values, Chosen([0, 3, 4])).tolist() == [0, 0, 0, 1, 1, 1, 1, 1, 1]
    near = values.copy()
    near[3] = 3.0
    assert masker._cut(near, Chosen([0, 3, 4])).tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 1]
    assert masker._cut(values[:8], Chosen([0, 4])).tolist() == [0, 0, 0, 1, 1, 1, 1, 1], "eight hold two of three only"


def test_what_cannot_be_cut_by_clusters_is_cut_by_number_across_the_widest_attribute():
    values = np.array([[0.0, 5.0], [1.0, 1.0], [0.5, 3.0], [0.0, 2.0], [0.0, 90.0]])
    assert _halves(values).tolist() == [1, 0, 1, 0, 1]
    assert CMeans(k=2, fuzziness=1.0)._cut(values, Chosen([4, 0])).tolist() == [1, 0, 1, 0, 1]


def test_groups_are_numbered_part_by_part_and_told():
    values, heard = np.array([0.0, 50.0, 0.1, 50.1, 100.0, 100.1, 0.2])[:, None], []
    cuts = iter([np.array([0, 1, 0, 1, 2, 2, 0]), None])
    masker = CMeans(k=2, clusters=3)
    object.__setattr__(masker, "_cut", lambda *_: next(cuts))
    with listening(lambda *said: heard.append(said)):
        labels = masker._partition(SimpleNamespace(values=values, rng=None))
    assert labels.tolist() == [0, 1, 0, 1, 2, 2, 0]
    assert heard == [("grouping", 3, 7), ("grouping", 5, 7), ("grouping", 7, 7)]
