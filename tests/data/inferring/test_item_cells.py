"""Cells that hold several words: sets of a small vocabulary, or something else."""

from __future__ import annotations

from itertools import combinations

import pyarrow as pa
import pytest

from discreet.data.inferring.item_cells import holds_sets

PAIRS = [f"{one};{other}" for one, other in combinations("abcdefg", 2)]
"""Twenty-one pairs of seven items."""


@pytest.mark.parametrize(
    ("cells", "mark"),
    [
        (PAIRS, ";"),
        (PAIRS[:20], ""),  # too few different cells
        ([cell.replace(";", " ") for cell in PAIRS], ""),  # blanks alone tell nothing
        ([cell.replace(";", "|") for cell in PAIRS], "|"),
        ([*PAIRS, "a;a"], ""),  # an item that stands twice
        ([*PAIRS, *(f"alone{i}" for i in range(3))], ";"),
        ([*PAIRS, *(f"alone{i}" for i in range(5))], ";"),  # 12 words in 26 cells
        ([*PAIRS, *(f"alone{i}" for i in range(7))], ""),  # 14 words in 28 cells
    ],
)
def test_the_same_items_in_many_combinations(cells, mark):
    assert holds_sets(pa.array(cells)) == mark


@pytest.mark.parametrize(
    ("cells", "mark"),
    [
        ([*PAIRS[:9], *"abcdefg" * 3], ""),  # three cells in ten hold several
        ([*PAIRS[:9], *("abcdefg" * 3)[:20]], ";"),
        (["a;b", "b;c", "a;c"] * 8, ""),  # three words are no vocabulary
        (["a;b", "b;c", "a;d"] * 8, ";"),
    ],
)
def test_many_cells_hold_several_of_at_least_four_words(cells, mark):
    assert holds_sets(pa.array(cells)) == mark
