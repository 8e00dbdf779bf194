from __future__ import annotations

import numpy as np
import pytest

from discreet.data.formula import Formula, LevelColumn
from discreet.errors import ParameterError

COLUMNS = {
    "age": np.array([10.0, 20.0, 70.0, np.nan]),
    "net pay": np.array([0.1, 0.2, 0.3, 0.4]),
    "size": LevelColumn(np.array([0, 1, 2, -1]), ("s", "m", "l"), ordered=True),
    "fuel": LevelColumn(np.array([0, 1, 1, 0]), ("gas", "oil"), ordered=False),
    "grade": LevelColumn(np.array([0, 1, 2, 2]), ("1", "2", "3"), ordered=True),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("age >= 15", [False, True, True]),
        ("age >= 15 or fuel == 'gas'", [True, True, True]),
        ("not (fuel = 'gas') and age < 70", [False, True, False]),
        ("10 < age <= 70", [False, True, True]),
        ("`net pay` * 3 == 0.3", [True, False, False]),
        ("size >= 'm'", [False, True, True]),
        ("'m' <= size", [False, True, True]),
        ("fuel in ('oil', 'sun')", [False, True, True]),
        ("fuel not in ('oil',)", [True, False, False]),
        ("grade + 1 > 2", [False, True, True]),
        ("min(age, 30) = max(20, 5)", [False, True, False]),
        ("-age ** 2 < -100", [False, True, True]),
        ('fuel == "a = b" or True', [True, True, True]),
    ],
)
def test_values(text, expected):
    assert Formula(text, "Test").value(COLUMNS)[:3].tolist() == expected


def test_a_record_that_lacks_a_needed_value_is_not_known():
    assert Formula("age > 1", "Test").known(COLUMNS, 4).tolist() == [True, True, True, False]
    formula = Formula("missing(age) or fuel == 'oil'", "Test")
    assert formula.names == ("age", "fuel")
    assert formula.known(COLUMNS, 4).all()
    assert formula.value(COLUMNS).tolist() == [False, True, True, True]


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "age.real > 1",
        "(lambda: 1)()",
        "[x for x in age]",
        "age if age else 1",
        "age[0]",
        "open('x')",
        "abs(age, 1)",
        "age is 3",
        "f'{age}' == 'x'",
        "(age := 3)",
        "age @ age",
        "missing(age + 1)",
        "age ==",
        "",
        "1; 2",
        "b'x' == age",
        "~age",
        "age in 3",
        "age == exec('1')",
        "age in (1, fuel.upper)",
        "age < (lambda: 1)",
        "(" * 2000 + "age" + ")" * 2000,
    ],
)
def test_what_the_language_does_not_have_is_refused_at_once(text):
    with pytest.raises(ParameterError, match="^Test: "):
        Formula(text, "Test")


@pytest.mark.parametrize("text", ["fuel + 1 > 2", "fuel > 'gas'", "age == 'old'", "not age", "age and age", "size > 3"])
def test_numbers_and_texts_are_not_mixed(text):
    with pytest.raises(ParameterError, match="numbers where texts belong"):
        Formula(text, "Test").value(COLUMNS)


def test_huge_powers_end_at_infinity():
    assert Formula("9 ** 9 ** 9 ** 9 > age", "Test").value(COLUMNS)[:3].all()


def test_sums_of_decimals_are_equal_and_slack_is_added():
    columns = {"a": np.array([0.3]), "b": np.array([0.1]), "c": np.array([0.2])}
    assert Formula("a = b + c", "Test").value(columns).all()
    columns["a"] = np.array([0.8])
    assert not Formula("a = b + c", "Test").value(columns).any()
    assert Formula("a = b + c", "Test").value(columns, slack=0.5).all()
