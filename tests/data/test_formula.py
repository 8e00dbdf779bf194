from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from discreet.data.formula import Formula, LevelColumn, columns_of
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
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


ROW = {
    "x": np.array([-2.5, 0.0, 4.0]),
    "y": np.array([2.0, 2.0, 3.0]),
    "flag": LevelColumn(np.array([1, 0, -1]), ("False", "True"), ordered=False),
    "size": LevelColumn(np.array([0, 1, 2]), ("s", "m", "l"), ordered=True),
    "other": LevelColumn(np.array([2, 1, 0]), ("xl", "m", "s"), ordered=True),
    "grade": LevelColumn(np.array([0, 1, -1]), ("1", "2.5"), ordered=False),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abs(x)", [2.5, 0, 4]),
        ("sqrt(x * x)", [2.5, 0, 4]),
        ("log(exp(x))", [-2.5, 0, 4]),
        ("floor(x)", [-3, 0, 4]),
        ("ceil(x)", [-2, 0, 4]),
        ("round(x + 0.2)", [-2, 0, 4]),
        ("min(x, y)", [-2.5, 0, 3]),
        ("max(x, y)", [2, 2, 4]),
        ("x + y", [-0.5, 2, 7]),
        ("x - y", [-4.5, -2, 1]),
        ("x * y", [-5, 0, 12]),
        ("x / y", [-1.25, 0, 4 / 3]),
        ("x % y", [1.5, 0, 1]),
        ("y ** 2", [4, 4, 9]),
        ("-x", [2.5, 0, -4]),
        ("+x", [-2.5, 0, 4]),
        ("(x > 0) + 1", [1, 1, 2]),
        ("grade * 2", [2, 5, None]),
        ("x < 0", [True, False, False]),
        ("x <= 0", [True, True, False]),
        ("x > 0", [False, False, True]),
        ("x >= 0", [False, True, True]),
        ("x != 0", [True, False, True]),
        ("0 > x", [True, False, False]),
        ("0 >= x", [True, True, False]),
        ("0 < x", [False, False, True]),
        ("0 <= x", [False, True, True]),
        ("0 != x", [True, False, True]),
        ("x in (0, 4)", [False, True, True]),
        ("x not in [0, 4]", [True, False, False]),
        ("flag == True", [True, False, False]),
        ("flag", None),
        ("flag != True", [False, True, True]),
        ("True and x > 0", [False, False, True]),
        ("False or x > 0", [False, False, True]),
        ("x > 0 and y > 2 and True", [False, False, True]),
        ("x < 0 or y > 2", [True, False, True]),
        ("not x > 0", [True, True, False]),
        ("size == 'm'", [False, True, False]),
        ("size != 'm'", [True, False, True]),
        ("size < 'm'", [True, False, False]),
        ("size <= 'm'", [True, True, False]),
        ("size > 'm'", [False, False, True]),
        ("'m' > size", [True, False, False]),
        ("'m' >= size", [True, True, False]),
        ("'m' < size", [False, False, True]),
        ("size < 'none of them'", [False, False, False]),
        ("size >= 'none of them'", [False, False, False]),
        ("size == 'none of them'", [False, False, False]),
        ("size != 'none of them'", [True, True, True]),
        ("size == other", [True, True, False]),
        ("size <= other", [True, True, False]),  # xl is no size
        ("size in ('s', 'l')", [True, False, True]),
        ("size not in ('s', 'l')", [False, True, False]),
        ("missing(flag)", [False, False, True]),
        ("missing(x)", [False, False, False]),
        ("1 < y < 3 > x", [True, True, False]),
    ],
)
def test_every_operator_and_function(text, expected):
    if expected is None:
        with pytest.raises(ParameterError, match="numbers where texts belong"):
            Formula(f"not {text}", "Test").value(ROW)
        return
    value = Formula(text, "Test").value(ROW)
    assert [None if one != one else one for one in value.tolist()] == pytest.approx(expected)


def test_nearly_equal_numbers_are_equal_in_every_comparison():
    columns = {"a": np.array([1.0, 1.0, 1.0]), "b": np.array([1 + 5e-10, 1 + 2e-9, np.inf])}
    for text, expected in (
        ("a == b", [True, False, False]),
        ("a != b", [False, True, True]),
        ("a < b", [False, True, True]),
        ("a <= b", [True, True, True]),
        ("a > b", [False, False, False]),
        ("a >= b", [True, False, False]),
        ("b == b", [True, True, True]),
        ("b - 1 == b", [False, False, True]),
    ):
        assert Formula(text, "Test").value(columns).tolist() == expected
    whole = {"a": np.array([1000.0, 1000.0]), "b": np.array([1000.5, 1001.0])}
    assert Formula("a == b", "Test").value(whole, slack=0.5).tolist() == [True, False]
    assert Formula("a < b", "Test").value(whole, slack=0.5).tolist() == [False, True]
    assert Formula("a in (b, 7)", "Test").value(whole, slack=0.5).tolist() == [True, False]


def test_names_in_their_order_and_those_that_are_needed():
    formula = Formula("`b c` = a + min(`b c`, _d) and not missing(e) and (missing(a) or `x` > 0)", "Test")
    assert formula.names == ("b c", "a", "_d", "e", "x")
    assert formula.needed == ("b c", "a", "_d", "x")
    assert Formula("a == '`b`' or a == '='", "Test").names == ("a",)
    assert Formula("a=1 or a==1 or a!=1 or a<=1 or a>=1", "Test").value({"a": np.array([5.0])}).tolist() == [True]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("missing()", "missing takes a column"),
        ("missing(a, b)", "missing takes a column"),
        ("missing('a')", "missing takes a column"),
        ("missing(a, b=1)", "missing takes a column"),
        ("min(a)", "a function that is not known, or has other arguments"),
        ("abs(a, key=1)", "a function that is not known, or has other arguments"),
        ("min(a, __import__('os'))", "a function that is not known, or has other arguments"),
        ("None == a", "neither a number nor a text"),
        ("1j == a", "neither a number nor a text"),
        ("a // 2", "an operator that is not known"),
        ("~a", "an operator that is not known"),
        ("a is not b", "a comparison that is not known"),
        ("a == (1, 2)", "a comparison that is not known"),
        ("a in b", "a comparison that is not known"),
        ("(a, b)", "something that is not known"),
        ("(1, 2) == a", "something that is not known"),
        ("a + b.c", "something that is not known"),
        ("not b.c", "something that is not known"),
        ("a or b.c", "something that is not known"),
        ("a in (1, b.c)", "something that is not known"),
    ],
)
def test_what_is_refused_is_said(text, said):
    with pytest.raises(ParameterError) as caught:
        Formula(text, "Test")
    assert said in caught.value.message
    assert caught.value.message.endswith(f" in the formula {text!r}.")


def test_long_formulas_are_refused_and_shown_in_short():
    longest = "a" + " + 1" * 249 + "   "
    assert len(longest) == 1000
    assert Formula(longest, "Test").value({"a": np.array([1.0])}).tolist() == [250.0]
    with pytest.raises(ParameterError) as caught:
        Formula(longest + " ", "Test")
    assert caught.value.message == f"Test: {longest[:77] + '...'!r} is no formula."
    for length, shown in ((80, "(" * 80), (81, "(" * 77 + "...")):
        with pytest.raises(ParameterError) as caught:
            Formula("(" * length, "Test")
        assert caught.value.message == f"Test: {shown!r} is no formula."


def test_columns_of_a_table_as_a_formula_reads_them():
    schema = Schema(
        [Attribute("x", Numeric(), "key"), Attribute("c", Nominal([2, 1]), "key"), Attribute("o", Ordinal("ab"), "key")]
    )
    table = Microdata(pa.table({"x": [1, None], "c": [1, None], "o": ["b", "a"]}), schema)
    columns = columns_of(table, ("c", "o", "x"))
    assert list(columns) == ["c", "o", "x"]
    assert (columns["c"].codes.tolist(), columns["c"].levels, columns["c"].ordered) == ([1, -1], ("2", "1"), False)
    assert (columns["o"].codes.tolist(), columns["o"].levels, columns["o"].ordered) == ([1, 0], ("a", "b"), True)
    assert columns["x"].tolist()[0] == 1.0
    assert np.isnan(columns["x"][1])
    assert columns["c"].numbers[0] == 1.0
    assert np.isnan(columns["c"].numbers[1])
    assert columns["o"].numbers is None
    assert columns["c"].places(("1", "3")).tolist() == [0, -1]
    assert columns["c"].places(("3",)).tolist() == [-2, -1]
