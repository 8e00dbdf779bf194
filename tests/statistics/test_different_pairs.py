"""Different records of two files: equal rows become one, and nothing is lost on the way."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from discreet.data.block import Block
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError
from discreet.statistics import different_pairs
from discreet.statistics.different_pairs import DifferentPairs

SCHEMA = Schema(
    [
        Attribute("home", Nominal(["h1", "h2", "h3"]), "identifier"),
        Attribute("fuel", Nominal(["gas", "oil"]), "key"),
        Attribute("rent", Numeric(), "key", (-9,)),
        Attribute("w", Numeric(), "weight"),
    ]
)


def table(seed: int, n: int = 200) -> Microdata:
    rng = np.random.default_rng(seed)
    rents = rng.choice([1.5, 2.5, -9.0, np.nan], n)
    columns = {
        "home": rng.choice(["h1", "h2", "h3"], n).tolist(),
        "fuel": rng.choice(["gas", "oil"], n).tolist(),
        "rent": [None if np.isnan(x) else float(x) for x in rents],
        "w": rng.integers(1, 5, n).astype(float).tolist(),
    }
    return Microdata(pa.table(columns), SCHEMA)


def asked(question, original, release, cuts):
    edges = [0, *cuts, len(original)]
    parts = [np.arange(low, high) for low, high in itertools.pairwise(edges)]
    blocks = [Block(rows, original.take(rows), release.take(rows)) for rows in parts]
    rows = question.summarise(blocks[0])
    for block in blocks[1:]:
        rows = rows.merge(question.summarise(block))
    return rows


def tallied(rows, names_before, names_after):
    """Records and weights by what a reader of the two files sees."""
    before, after = rows.original.to_arrow(), rows.release.to_arrow()
    columns = [before.column(n).to_pylist() for n in names_before] + [after.column(n).to_pylist() for n in names_after]
    records, weights = Counter(), Counter()
    totals = rows.records if rows.totals is None else rows.totals
    for seen, count, total in zip(zip(*columns, strict=True), rows.records, totals, strict=True):
        records[seen] += int(count)
        weights[seen] += float(total)
    return records, weights


@pytest.mark.parametrize("cuts", [[], [3], [50, 100, 150], list(range(7, 200, 7))])
def test_rows_stand_for_the_same_records_however_they_are_cut(cuts, monkeypatch):
    monkeypatch.setattr(different_pairs, "_FEW", 10)
    original, release = table(1), table(2)
    names = (("home", "fuel"), ("fuel", "rent"))
    question = DifferentPairs(*names, "w")
    whole = question.summarise(Block(np.arange(200), original, release))
    assert tallied(asked(question, original, release, cuts), *names) == tallied(whole, *names)


def test_equal_rows_become_one_and_missing_codes_stay_apart(monkeypatch):
    monkeypatch.setattr(different_pairs, "_FEW", 10)
    rows = asked(DifferentPairs((), ("fuel", "rent")), table(1), table(2), list(range(7, 200, 7))).distinct()
    assert len(rows) == 8  # two fuels by 1.5, 2.5, −9 and an empty cell
    assert rows.records.sum() == 200
    assert np.unique(rows.cell_keys("rent")).size == 4


def test_a_single_block_is_handed_on_as_it_is():
    original, release = table(1), table(2)
    rows = DifferentPairs(("fuel",), ("rent",)).summarise(Block(np.arange(200), original, release))
    assert rows.original is original
    assert rows.release is release
    assert rows.counts is None


def test_more_different_rows_than_fit_are_refused(monkeypatch):
    monkeypatch.setattr("discreet.statistics.value_counts.MOST_DIFFERENT", 7)
    monkeypatch.setattr(different_pairs, "_FEW", 10)
    with pytest.raises(DataError, match="8 different records"):
        asked(DifferentPairs((), ("fuel", "rent")), table(1), table(2), [100])


def small(rows):
    columns = {"home": ["h1", "h1", "h2", "h1"], "fuel": ["gas", "gas", "gas", "oil"], "rent": [1.5, 1.5, 1.5, -9.0]}
    return Microdata(pa.table({**columns, "w": [1.0, 2.0, 4.0, 8.0]}), SCHEMA).take(np.array(rows))


def test_rows_of_one_block_stand_for_one_record_each():
    question = DifferentPairs(("home",), ("fuel",), "w")
    assert (question.original, question.released) == (("home", "w"), ("fuel",))
    assert DifferentPairs(("home",), ("fuel",)).original == ("home",)
    rows = question.summarise(Block(np.arange(4), small(range(4)), small(range(4))))
    assert (len(rows), rows.records.tolist(), rows.weights.tolist()) == (4, [1] * 4, [1, 2, 4, 8])
    plain = DifferentPairs(("home",), ("fuel",)).summarise(Block(np.arange(4), small(range(4)), small(range(4))))
    assert (plain.counts, plain.totals, plain.weights) == (None, None, None)


@pytest.mark.parametrize("weight", [None, "w"])
def test_equal_rows_of_both_files_become_one(weight):
    question = DifferentPairs(("home",), ("fuel",), weight)
    parts = [question.summarise(Block(np.array(rows), small(rows), small(rows))) for rows in ([0, 1], [2, 3])]
    merged = parts[0].merge(parts[1])
    assert (len(merged), merged.different) == (4, 0), "few rows are not compared yet"
    assert merged.records.tolist() == [1] * 4
    once = merged.distinct()
    found = sorted(
        zip(
            once.original.column("home").to_pylist(),
            once.release.column("fuel").to_pylist(),
            once.records.tolist(),
            once.weights.tolist(),
            strict=True,
        )
    )
    heavy = (3.0, 8.0, 4.0) if weight else (2.0, 1.0, 1.0)
    assert found == [("h1", "gas", 2, heavy[0]), ("h1", "oil", 1, heavy[1]), ("h2", "gas", 1, heavy[2])]
    assert once.different == 3
    again = once.merge(parts[0])
    assert (len(again), again.different, again.records.tolist()[3:]) == (5, 3, [1, 1])


@pytest.mark.parametrize(("few", "length"), [(3, 3), (4, 4)])
def test_rows_are_compared_once_there_are_more_than_a_few(few, length, monkeypatch):
    monkeypatch.setattr(different_pairs, "_FEW", few)
    question = DifferentPairs(("home",), ("fuel",))
    parts = [question.summarise(Block(np.array(rows), small(rows), small(rows))) for rows in ([0, 1], [2, 3])]
    assert len(parts[0].merge(parts[1])) == length


@pytest.mark.parametrize(("names", "different"), [((("home",), ()), 2), (((), ("rent",)), 2), (((), ()), 1)])
def test_where_nothing_is_asked_of_a_file_the_other_tells(names, different, monkeypatch):
    monkeypatch.setattr(different_pairs, "_FEW", 1)
    question = DifferentPairs(*names)
    parts = [question.summarise(Block(np.array(rows), small(rows), small(rows))) for rows in ([0, 1], [2, 3])]
    merged = parts[0].merge(parts[1])
    assert (len(merged), merged.records.sum()) == (different, 4)
