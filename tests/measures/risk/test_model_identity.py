from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema
from discreet.models.privacy_model import MODELS

SCHEMA = Schema([Attribute(name, Nominal("xyz"), "key") for name in "abc"])
cell = st.sampled_from(["x", "y", "z", None])
tables = st.lists(st.tuples(cell, cell, cell), min_size=1, max_size=25)


def frame(rows):
    return pl.DataFrame(rows, schema=dict.fromkeys("abc", pl.String), orient="row")


def short(rows, size, k, *, items):
    """Say for every record whether some of its cells are shared by fewer than k records."""
    result = [False] * len(rows)
    for chosen in combinations(range(3), size):
        counts = Counter(tuple(row[c] for c in chosen) for row in rows)
        for place, row in enumerate(rows):
            cells = tuple(row[c] for c in chosen)
            result[place] |= counts[cells] < k and not (items and None in cells)
    return result


@settings(max_examples=min(30, settings().max_examples))
@given(tables, st.integers(1, 4))
def test_combinations_are_counted_by_their_definition(rows, k):
    table = frame(rows)
    broken = np.any([short(rows, size, k, items=True) for size in (1, 2)], axis=0)
    assert dc.KMItems(k, 2).measure(table, table, SCHEMA).value == pytest.approx(100 * broken.mean())
    assert dc.KMItems(k, 2).per_record(table, table, SCHEMA).tolist() == broken.astype(float).tolist()
    broken = np.any([short(rows, 1, k + 1, items=False), short(rows, 3, k, items=False)], axis=0)
    measure = dc.KCombinations({1: k + 1, 3: k, 4: 99})
    assert measure.measure(table, table, SCHEMA).value == pytest.approx(100 * broken.mean())


@settings(max_examples=min(30, settings().max_examples))
@given(tables)
def test_chances_are_those_of_the_groups(rows):
    table, counts = frame(rows), Counter(rows)
    assert dc.HighestRiskOfRecords().measure(table, table, SCHEMA).value == pytest.approx(100 / min(counts.values()))
    average = np.mean([1 / counts[row] for row in rows])
    assert dc.AverageRiskOfRecords().measure(table, table, SCHEMA).value == pytest.approx(100 * average)
    alone = sum(count == 1 for count in counts.values())
    value = dc.UniquenessOfRecords(1000).measure(table, table, SCHEMA).value
    assert value == pytest.approx(100 * alone * (len(rows) / 1000) / len(rows))
    assert dc.UniquenessOfRecords().measure(table, table, SCHEMA).value == pytest.approx(100 * alone / len(rows))


def test_every_model_has_a_measure_of_its_name():
    # k has two: of all keys together, and by the size of a combination.
    names = {"k-anonymity" if name == "k" else name for name in MODELS.names()}
    assert names <= set(dc.methods("measure"))
    assert "k-combinations" in dc.methods("measure")


def test_an_enforced_model_is_a_measure_of_nought():
    rng = np.random.default_rng(5)
    schema = Schema([*(SCHEMA[name] for name in "abc"), Attribute("s", Nominal("pqr"), "confidential")])
    table = frame([tuple(row) for row in rng.choice(list("xyz"), (120, 3))]).with_columns(
        s=pl.Series(rng.choice(list("pqr"), 120))
    )
    for model, measure in [
        (dc.models.K({1: 30, 2: 12}), dc.KCombinations({1: 30, 2: 12})),
        (dc.models.KM(12, 2), dc.KMItems(12, 2)),
        (dc.models.LDiversity(3, "s"), dc.LDiversityViolations(3)),
        (dc.models.AlphaK(0.5, 4, "s"), dc.AlphaKViolations(0.5, 4)),
    ]:
        masked = dc.Generalisation([model], attributes=list("abc"), suppression=0.3).mask(table, schema)
        kept = dc.microdata(table, schema).take(
            np.arange(120) if masked.provenance.rows is None else masked.provenance.rows
        )
        assert measure.measure(kept, masked.microdata).value == 0
        assert measure.measure(table, table, schema).value > 0
    masked = dc.Generalisation([dc.models.AverageRisk(0.1)], attributes=list("abc"), suppression=0.3).mask(
        table, schema
    )
    kept = dc.microdata(table, schema).take(
        np.arange(120) if masked.provenance.rows is None else masked.provenance.rows
    )
    assert dc.AverageRiskOfRecords().measure(kept, masked.microdata).value <= 10


SEVEN = [("x", "x", "x")] * 3 + [("x", "y", "x")] * 2 + [("z", "y", "x"), ("z", None, "x")]
AS_SHOWN = " A missing cell counts as a value of its own, as the file shows it."
READING = {"keys": ["a", "b", "c"], "perturbative": None, "missing": "category"}


@pytest.mark.parametrize(
    ("measure", "value", "sentence", "details"),
    [
        (
            dc.HighestRiskOfRecords(0.5),
            100,
            (
                "Whoever knows that a record is in the file, and its 3 keys, is right with a chance of up to 100.0 %; "
                "for 2 of 7 records with more than 50 %."
            ),
            {"risk": 0.5, "records_above": 2, "smallest_group": 1},
        ),
        (
            dc.HighestRiskOfRecords(1 / 3),
            100,
            (
                "Whoever knows that a record is in the file, and its 3 keys, is right with a chance of up to 100.0 %; "
                "for 4 of 7 records with more than 33.3333 %."
            ),
            {"risk": 1 / 3, "records_above": 4, "smallest_group": 1},
        ),
        (
            dc.AverageRiskOfRecords(),
            400 / 7,
            "Whoever looks for all 7 records by their 3 keys is right for 4 of them (57.14 %).",
            {"groups": 4},
        ),
        (
            dc.RecordsWorthAttack(gain=8.0, cost=4.0),
            200 / 7,
            (
                "For 2 of 7 records a guess by their 3 keys is worth more than it costs, where finding one brings 8 "
                "and a guess costs 4."
            ),
            {"records_worth_attack": 2},
        ),
        (
            dc.UniquenessOfRecords(28),
            100 * 2 / 4 / 7,
            (
                "2 of 7 records are the only ones with their 3 keys; about 0.5 of them are the only ones in the "
                "population."
            ),
            {"uniques": 2, "sampling_fraction": 0.25},
        ),
        (
            dc.UniquenessOfRecords(3),
            200 / 7,
            (
                "2 of 7 records are the only ones with their 3 keys; about 2.0 of them are the only ones in the "
                "population."
            ),
            {"uniques": 2, "sampling_fraction": 1.0},
        ),
        (
            dc.KMItems(3, 2),
            400 / 7,
            (
                "4 of 7 records have a combination of some of their 3 keys that too few records share (asked: 3 for "
                "1, 3 for 2)."
            ),
            {"records_by_size": {"1": 2, "2": 4}},
        ),
        (
            dc.KMItems(1, 9),
            0,
            "Every combination of some of the 3 keys is shared by enough records (asked: 1 for 1, 1 for 2, 1 for 3).",
            {"records_by_size": {"1": 0, "2": 0, "3": 0}},
        ),
        (
            dc.KCombinations({1: 2, 3: 2}),
            200 / 7,
            (
                "2 of 7 records have a combination of some of their 3 keys that too few records share (asked: 2 for "
                "1, 2 for 3)."
            ),
            {"records_by_size": {"1": 1, "3": 2}},
        ),
        (
            dc.KCombinations(),
            100,
            (
                "7 of 7 records have a combination of some of their 3 keys that too few records share (asked: 10 for "
                "1, 3 for 2)."
            ),
            {"records_by_size": {"1": 7, "2": 4}},
        ),
    ],
)
def test_what_is_counted_is_told_whole(measure, value, sentence, details):
    table = frame(SEVEN)
    result = measure.measure(table, table, SCHEMA)
    assert result.value == pytest.approx(value)
    assert result.sentence == sentence + AS_SHOWN
    assert result.details == {**READING, **details}


def test_figures_of_single_records():
    table = frame(SEVEN)
    for measure, expected in (
        (dc.RecordsWorthAttack(gain=8.0, cost=4.0), [0, 0, 0, 0, 0, 1, 1]),
        (dc.RecordsWorthAttack(gain=8.1, cost=4.0), [0, 0, 0, 1, 1, 1, 1]),
        (dc.UniquenessOfRecords(28), [0, 0, 0, 0, 0, 0.25, 0.25]),
        (dc.KCombinations({1: 2}), [0, 0, 0, 0, 0, 0, 1]),
        (dc.KMItems(2, 1), [0] * 7),
        (dc.HighestRiskOfRecords(), [1 / 3, 1 / 3, 1 / 3, 0.5, 0.5, 1, 1]),
    ):
        assert measure.per_record(table, table, SCHEMA).tolist() == expected
