"""Questions answered block by block, and what becomes of errors."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from tests.statistics.small import CUTS, blocks

from discreet.errors import DataError, LibraryError
from discreet.statistics.class_sizes import ClassSizes
from discreet.statistics.counts import Counts
from discreet.statistics.level_totals import LevelTotals
from discreet.statistics.passes import DigestedRows, EncodedKeys, columns_asked, merged, or_error, summarised
from discreet.statistics.question import Present
from discreet.statistics.suppressed_cells import Suppressions


@dataclass(frozen=True)
class Rows:
    """The positions of records, in the order in which blocks were put together."""

    rows: tuple[int, ...]

    def merge(self, later):
        return Rows(self.rows + later.rows)


@dataclass(frozen=True)
class AskRows:
    """Ask for positions; the block that holds one of the `bad` records fails."""

    bad: tuple[int, ...] = ()
    original = released = ("x",)

    def summarise(self, block):
        for row in block.rows:
            if row in self.bad:
                raise DataError(f"Record {row} is bad.")
        return Rows(tuple(block.rows.tolist()))


@pytest.mark.parametrize("cut", CUTS)
def test_statistics_are_put_together_in_order_and_the_first_error_stays(cut):
    questions = [AskRows(), AskRows((4, 1)), AskRows((5,)), AskRows((0, 5))]
    found = merged(summarised(questions, block) for block in blocks(cut))
    assert found[0] == Rows((0, 1, 2, 3, 4, 5))
    first = [str(error) for error in found[1:]]
    assert [type(error) for error in found[1:]] == [DataError] * 3
    assert first == ["Record 1 is bad.", "Record 5 is bad.", "Record 0 is bad."]
    assert merged([]) == []
    assert merged(iter([[1, 2]])) == [1, 2]


def test_what_cannot_be_done_is_returned():
    def bad():
        raise DataError("It is bad.", hint="Mend it.")

    assert or_error(lambda: 7) == 7
    found = or_error(bad)
    assert isinstance(found, DataError)
    assert found.message == "It is bad."


@pytest.mark.parametrize(("name", "told"), [("Weighing", "Weighing"), ("", "works")])
def test_a_failure_of_the_package_names_who_failed(name, told):
    def works():
        raise LookupError("7 is out of range")

    works.__qualname__ = "works"
    found = or_error(works, name)
    assert isinstance(found, LibraryError)
    assert found.message.startswith(f"{told} failed inside a library (LookupError")


def test_what_is_asked_of_an_original_alone_is_kept_with_it():
    block = blocks((6,))[0]
    alone, both = LevelTotals(("s",), (2,)), Suppressions(("x",))
    first, second = (summarised([alone, both], block) for _ in range(2))
    assert first[0] is second[0]
    assert first[1] is not second[1]
    assert first[0].of("s").tolist() == [3, 2]


def test_columns_that_are_asked_for_come_once_in_the_order_of_questions():
    questions = [Suppressions(("y", "x"), "w"), LevelTotals(("s", "t"), (2, 2)), Present(("t", "x"))]
    assert columns_asked(iter(questions)) == (("y", "x", "w", "s", "t"), ("y", "x", "t"))
    assert columns_asked([]) == ((), ())


def test_an_engine_that_counts_is_given_keys_and_digests_what_it_counted():
    counts = Counts(("s", "t"), "w", ClassSizes())
    keys = EncodedKeys(counts)
    assert (keys.original, keys.released) == (("w",), ("s", "t"))
    block = blocks((6,))[0]
    encoded = keys.summarise(block)
    assert list(encoded) == ["key 0", "key 1", "gaps 0", "weight"]
    # ab cb aa ab –b aa: ab and aa twice, the others once.
    first = np.array([0, 1, 2, 4])
    rows = {name: column[first] for name, column in encoded.items() if name != "weight"}
    rows |= {"#count": np.array([2, 1, 2, 1]), "#total": np.array([3.0, 2.0, 4.0, 1.0])}
    told = DigestedRows((counts, Counts(("s", "t"), "w", ClassSizes("any"))))(rows)
    assert list(told) == ["digests"]
    assert told["digests"].shape == (1,)
    plain, any_ = pickle.loads(told["digests"][0])  # noqa: S301 - our own bytes
    assert (plain.sizes.tolist(), plain.combinations.tolist(), plain.gaps, plain.alone) == ([1, 2], [2, 2], 1, 1.5)
    # –b agrees with ab and cb, of which the latter is no longer alone.
    assert (any_.sizes.tolist(), any_.combinations.tolist()) == ([2, 3, 4], [2, 1, 1])
