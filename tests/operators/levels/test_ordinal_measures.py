from __future__ import annotations

import pytest
from hypothesis import given
from tests.reference.ordinal_strategies import measures

from discreet.errors import ParameterError
from discreet.operators import OrdinalSugeno, possibility_levels
from discreet.operators.levels.ordinal_measures import measure_arity, read_measure


@given(measures())
def test_monotone_tables_are_accepted(pair):
    values, table = pair
    assert measure_arity("Sugeno", table) == len(values)
    assert read_measure("Sugeno", table).tolist() == table.tolist()


def test_a_possibility_is_the_maximum_over_its_sources():
    table = possibility_levels([2, 6, 4])
    for subset in range(8):
        assert table[subset] == max([level for s, level in enumerate([2, 6, 4]) if subset >> s & 1], default=0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: OrdinalSugeno([0, 2, 1])([1]), "2 \\*\\* n entries"),
        (lambda: OrdinalSugeno([0, 3, 5, 4])([1, 2]), r"monotone; it falls from \{1\} to \{0, 1\}"),
        (lambda: OrdinalSugeno([1, 3, 2, 4])([1, 2]), "must be 0 for no source"),
        (lambda: OrdinalSugeno([0.0, 0.3, 0.2, 1.0])([1, 2]), "list of integers"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
