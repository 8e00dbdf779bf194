"""Records that share their keys, counted by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.statistics.small import after, before, table

from discreet.statistics.key_frequencies import benedetti_franconi, key_frequencies


def listed(found):
    return found.labels.tolist(), found.sizes.tolist(), found.totals.tolist()


def test_records_that_share_keys_and_what_they_weigh():
    weights = np.array([1.0, 2.0, 1.0, 2.0, 1.0, 3.0])
    # After: ab cb aa ab –b aa.
    plain, weighed = key_frequencies(after(), ("s", "t")), key_frequencies(after(), ("s", "t"), weights)
    for found in (plain, weighed):
        labels = found.labels
        assert labels[0] == labels[3]
        assert labels[2] == labels[5]
        assert len(set(labels.tolist())) == 4
        assert found.sizes.tolist() == [2, 1, 2, 2, 1, 2]
    assert plain.totals.tolist() == [2, 1, 2, 2, 1, 2]
    assert plain.totals.dtype == np.float64
    assert weighed.totals.tolist() == [3, 2, 4, 3, 1, 4]


def test_missing_cells_that_agree_with_everything():
    found = key_frequencies(after(), ("s", "t"), np.array([1.0, 2.0, 1.0, 2.0, 1.0, 3.0]), missing="any")
    # –b agrees with both ab and with cb.
    assert found.sizes.tolist() == [3, 2, 2, 3, 4, 2]
    assert found.totals.tolist() == [4, 3, 4, 4, 6, 4]
    whole = key_frequencies(before(), ("t",), missing="any")
    assert (whole.sizes.tolist(), whole.totals.tolist()) == ([3] * 6, [3.0] * 6)
    numbers = key_frequencies(table(x=[1.0, 1.0, None, 2.0]), ("x",), missing="any")
    assert numbers.sizes.tolist() == [3, 3, 4, 2]
    assert key_frequencies(table(x=[1.0, 1.0, None, 2.0]), ("x",)).sizes.tolist() == [2, 2, 1, 1]


def test_the_chance_of_a_guess_is_the_mean_of_one_over_the_people():
    def expected(size, total):
        """Sum 1/F over the people F with the same keys, negative binomial."""
        p = size / max(total, size)
        chances = (
            math.comb(people - 1, size - 1) * p**size * (1 - p) ** (people - size) for people in range(size, 900)
        )
        return sum(chance / people for people, chance in zip(range(size, 900), chances, strict=True))

    cases = [(1, 17.0), (1, 1.0), (2, 2.0), (2, 5.5), (3, 40.0), (5, 6.0), (4, 1.5)]
    found = benedetti_franconi(np.array([size for size, _ in cases]), np.array([total for _, total in cases]))
    assert found == pytest.approx([expected(*case) for case in cases], rel=1e-9)
