"""Combinations of keys as they are counted, and as an engine counts them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.statistics.small import after, blocks, table

from discreet.data.block import Block
from discreet.errors import DataError
from discreet.statistics import value_counts
from discreet.statistics.counts import Combinations, Counts, agreeing, written_codes


def listed(combinations):
    return sorted(
        zip(
            [tuple(row) for row in combinations.absent.astype(int).tolist()],
            combinations.counts.tolist(),
            combinations.totals.tolist(),
            strict=True,
        )
    )


def test_a_block_of_all_records():
    question = Counts(("s", "t"), "w", None)
    assert (question.original, question.released) == (("w",), ("s", "t"))
    assert Counts(("s",), None, None).original == ()
    assert question.counted == (("s", "t"), "w")
    # ab cb aa ab –b aa, weighing 1 2 1 2 1 3.
    combinations = question.combinations(blocks((6,))[0])
    assert listed(combinations) == [((0, 0), 1, 2), ((0, 0), 2, 3), ((0, 0), 2, 4), ((1, 0), 1, 1)]
    plain = Counts(("s", "t"), None, None).combinations(blocks((6,))[0])
    assert plain.totals.tolist() == plain.counts.tolist()


@pytest.mark.parametrize("keys", [("s", "t"), ("t",), ("x", "s")])
@pytest.mark.parametrize("weight", [None, "w"])
def test_an_engine_is_given_numbers_and_gives_them_back(keys, weight):
    question = Counts(keys, weight, None)
    block = blocks((6,))[0]
    encoded = question.encoded(block)
    assert list(encoded) == list(question.columns)
    assert set(question.columns.values()) <= {"int", "float"}
    names = [name for name in encoded if name != "weight"]
    rows, place, counts = np.unique(
        np.stack([encoded[name] for name in names], axis=1), axis=0, return_inverse=True, return_counts=True
    )
    totals = np.bincount(place.ravel(), weights=encoded.get("weight", np.ones(6)))
    back = question.decoded(dict(zip(names, rows.T, strict=True)), counts, totals)
    assert listed(back) == listed(question.combinations(block))
    assert back.codes.shape == back.absent.shape == (len(counts), len(keys))


def test_gaps_of_more_keys_than_one_number_holds():
    names = [f"k{i}" for i in range(64)]
    columns = {name: [None if i in (0, 61, 62, 63) else 1.0, 1.0] for i, name in enumerate(names)}
    wide = table(**columns)
    question = Counts(tuple(names), None, None)
    encoded = question.encoded(Block(np.arange(2), wide, wide))
    assert [name for name in question.columns if name.startswith("gaps")] == ["gaps 0", "gaps 1"]
    assert encoded["gaps 0"].tolist() == [1 + 2**61, 0]
    assert encoded["gaps 1"].tolist() == [3, 0]
    back = question.decoded(encoded, np.ones(2, dtype=np.int64), np.ones(2))
    assert np.flatnonzero(back.absent[0]).tolist() == [0, 61, 62, 63]
    assert not back.absent[1].any()
    assert list(Counts(tuple(names[:62]), None, None).columns)[-1] == "gaps 0"


def test_codes_are_equal_where_a_file_shows_the_same():
    codes, size, values = written_codes(after(), "s")
    assert (size, values) == (values + 1, int(codes.max()))
    assert codes[0] == codes[2] == codes[3] == codes[5] != codes[1]
    assert codes[4] == values
    codes, size, values = written_codes(table(x=[1.0, 3.0, 1.0]), "x")
    assert (size, values, codes[0] == codes[2]) == (2, 2, True)


def test_missing_values_agree_with_everything():
    # Keys 1x, 1y, –x, ––, 2y with counts 1, 2, 4, 8, 16.
    rows = np.array([[1, 0], [1, 1], [0, 0], [0, 0], [2, 1]])
    absent = np.array([[0, 0], [0, 0], [1, 0], [1, 1], [0, 0]], dtype=bool)
    counts = np.array([1, 2, 4, 8, 16])
    expected = [1 + 4 + 8, 2 + 8, 1 + 4 + 8, 31, 16 + 8]
    found, totals = agreeing(rows, absent, [3, 2], counts, counts * 0.5)
    assert found.tolist() == expected
    assert totals.tolist() == [0.5 * count for count in expected]
    combinations = Combinations(rows, absent, counts, counts * 0.5)
    assert combinations.agreeing()[0].tolist() == expected
    assert combinations.agreeing()[1].tolist() == totals.tolist()
    whole = Combinations(rows[:2], absent[:2], counts[:2], counts[:2] * 0.5)
    assert whole.agreeing()[0].tolist() == [1, 2]


def test_too_many_combinations_with_gaps_are_refused(monkeypatch):
    monkeypatch.setattr(value_counts, "MOST_DIFFERENT", 3)
    combinations = Counts(("s", "t"), None, None).combinations(blocks((6,))[0])
    with pytest.raises(DataError, match="There are 4 different combinations of keys"):
        combinations.agreeing()
