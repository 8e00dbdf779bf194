from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference.balance import release_cost

from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.datasets import housing
from discreet.errors import ParameterError
from discreet.masking.microaggregation.records import balanced
from discreet.masking.microaggregation.records.balanced import BalancedKModes
from discreet.masking.microaggregation.records.kmodes import KModes
from discreet.measures.loss.category_moves import CategoryDistance
from discreet.measures.loss.category_tables import TableLoss
from discreet.measures.loss.category_uncertainty import EntropyBasedLoss
from discreet.progress import listening

NAMES = ("DEGREE", "METRO", "SCH")


@pytest.fixture(scope="module")
def survey():
    data = housing(300)
    return data.select(name for name in data.names if name in NAMES)


def distances(data, names):
    levels = [np.arange(len(data.schema[name].scale)) for name in names]
    return [
        np.abs(v[:, None] - v[None, :]) / v.size if data.schema[n].scale.ordered else (v[:, None] != v[None, :]) * 1.0
        for n, v in zip(names, levels, strict=True)
    ]


def test_it_loses_less_than_its_start_and_keeps_k(survey):
    start = KModes(5, semantics=False).mask(survey)
    masked = BalancedKModes(5, semantics=False).mask(survey)
    assert np.bincount(masked.labels).min() >= 5
    for measure in (TableLoss(), EntropyBasedLoss()):
        assert measure.measure(survey, masked).value < measure.measure(survey, start).value
    total = sum(m.measure(survey, masked).value for m in (TableLoss(), EntropyBasedLoss(), CategoryDistance()))
    before = sum(m.measure(survey, start).value for m in (TableLoss(), EntropyBasedLoss(), CategoryDistance()))
    assert total < 0.9 * before


def test_every_round_costs_less_as_the_twin_counts_it(survey):
    tables = distances(survey, NAMES)
    before = survey.codes(NAMES)
    costs = [release_cost(before, KModes(4, semantics=False).mask(survey).microdata.codes(NAMES), tables)]
    for rounds in (1, 2, 3, 20):
        masked = BalancedKModes(4, rounds=rounds, semantics=False).mask(survey)
        costs.append(release_cost(before, masked.microdata.codes(NAMES), tables))
    assert all(b <= a + 1e-6 for a, b in pairwise(costs))
    assert costs[-1] < costs[0]


def test_no_single_change_of_a_prototype_would_cost_less(survey):
    """The last round found nothing: so does the twin, which counts everything anew for every change."""
    names = NAMES[:2]
    data = survey.select(names).take(np.arange(80))
    masked = BalancedKModes(6, rounds=200, semantics=False).mask(data)
    tables, before, after = distances(data, names), data.codes(names), masked.microdata.codes(names)
    least = release_cost(before, after, tables)
    for g in range(masked.labels.max() + 1):
        inside = masked.labels == g
        for a in range(len(names)):
            for v in np.unique(before[inside, a]):
                other = after.copy()
                other[inside, a] = v
                assert release_cost(before, other, tables) >= least - 1e-6


@given(
    rows=st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 2), st.integers(0, 1)), min_size=6, max_size=40),
    k=st.integers(2, 5),
    n_vars=st.sampled_from([None, 2]),
)
def test_released_combinations_are_shared_by_k(rows, k, n_vars):
    attributes = [
        Attribute("a", Ordinal(["0", "1", "2", "3"]), "key"),
        Attribute("b", Nominal(["0", "1", "2"]), "key"),
        Attribute("c", Nominal(["0", "1"]), "key"),
    ]
    columns = {
        attribute.name: [None if row[j] < 0 else str(row[j]) for row in rows] for j, attribute in enumerate(attributes)
    }
    data = Microdata(pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String)), Schema(attributes))
    masked = BalancedKModes(k, n_vars=n_vars).mask(data)
    blocks = [("a", "b", "c")] if n_vars is None else [("a", "b"), ("c",)]
    for block in blocks:
        codes = masked.microdata.codes(block)
        assert np.unique(codes, axis=0, return_counts=True)[1].min() >= k


def test_weights_and_records_order(survey):
    order = np.random.default_rng(0).permutation(len(survey))
    one, two = (BalancedKModes(4).mask(data).microdata.codes(NAMES) for data in (survey, survey.take(order)))
    assert np.array_equal(one[order], two)  # a greedy start has no draws, and different records are sorted


def test_parameters_that_it_does_not_have():
    with pytest.raises(ParameterError, match="no parameter 'fuzziness'"):
        BalancedKModes().set_params(fuzziness=2.0)
    with pytest.raises(ParameterError, match="rounds must be an integer of at least 1"):
        BalancedKModes(rounds=0).mask(housing(50))


def test_tables_lie_one_after_the_other_and_large_ones_are_left_out(monkeypatch):
    monkeypatch.setattr(balanced, "_LARGEST_TABLE", 12)
    pairs, cells, tables = balanced._layout(np.array([3, 4, 5]))
    # Of three levels, of four by three, of four, then of five by three, which is too large, as is five by four.
    assert pairs.tolist() == [[0, -1, -1], [3, 15, -1], [-1, -1, 19]]
    assert (cells, tables) == (24, 4)
    pairs, cells, tables = balanced._layout(np.array([20]))
    assert (pairs.tolist(), cells, tables) == ([[0]], 20, 1)


def test_a_bit_counts_for_one_over_the_entropy_of_its_attribute():
    codes = np.array([[0, 1, 2, 2], [1, 1, 1, 1], [0, 0, 3, 3]], dtype=np.int32)
    records = SimpleNamespace(codes=codes, sizes=np.array([4, 2, 5]))
    assert balanced._bit_costs(records, np.ones(4)).tolist() == pytest.approx([1 / 1.5, 0.0, 1.0])
    # With weights the levels have 2, 1 and 1 of four, then 3 and 1.
    weighted = balanced._bit_costs(records, np.array([2.0, 1.0, 0.5, 0.5])).tolist()
    assert weighted == pytest.approx([1 / 1.5, 0.0, 1 / (2 - 0.75 * np.log2(3))])


def test_rounds_are_told_until_nothing_changes(survey, monkeypatch):
    answers, heard, looked = iter([(1, 0), (0, 2), (0, 0), (0, 0)]), [], []
    now = [None]

    def settled(*_given):
        now[0] = next(answers)
        return now[0][0]

    def moved(*given):
        looked.append((given[3], given[-3].size, given[-2].size))
        return now[0][1]

    monkeypatch.setattr(balanced, "settle_prototypes", settled)
    monkeypatch.setattr(balanced, "move_records", moved)
    with listening(lambda *said: heard.append(said)):
        masked = BalancedKModes(40, rounds=9).mask(survey)
    block = masked.provenance.details["blocks"][0]
    assert block["rounds"] == 3
    assert block["attributes"] == [name for name in survey.names if name in NAMES]
    assert block["groups"] == masked.labels.max() + 1
    assert [said for said in heard if said[0] == "balancing"] == [("balancing", done, 9) for done in (0, 1, 2, 9)]
    assert looked == [(40, min(balanced._NEAR, block["groups"]), min(balanced._NEAR, block["groups"]))] * 3
