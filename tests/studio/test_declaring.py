"""What a form says about a column, turned into its declaration."""

from __future__ import annotations

import polars as pl
import pytest

from discreet.data.microdata import Microdata
from discreet.data.scales import Date, Nominal, Numeric, Ordinal, Sequence
from discreet.data.schema import Attribute, Schema
from discreet.errors import SchemaError
from discreet.studio.declaring import declared
from discreet.studio.session_values import Answer

SIZE = Attribute("size", Ordinal(["s", "m", "l"]), "key", ("?",))
YEAR = Attribute("year", Numeric(), "key", (-1,))
WAYS = Attribute("ways", Sequence(["a", "b"]), "key")
TABLE = Microdata(
    pl.DataFrame({"size": ["s", "m", "l", "?"], "year": [10, 9, -1, 9], "ways": ["a", "b", "a", "b"]}),
    Schema([SIZE, YEAR, WAYS]),
)


def test_no_answer_changes_nothing_and_the_same_answer_neither():
    assert declared(SIZE, None, TABLE) is SIZE
    same = declared(SIZE, Answer("key", "ordinal", ("?",), (0, 1, 2)), TABLE)
    assert (same.scale, same.role, same.missing) == (SIZE.scale, "key", ("?",))


def test_role_label_and_order():
    turned = declared(SIZE, Answer("confidential", "ordinal", ("?",), (2, 0, 1), "Size of it"), TABLE)
    assert (turned.name, turned.role, turned.label) == ("size", "confidential", "Size of it")
    assert turned.scale == Ordinal(["l", "s", "m"])
    with pytest.raises(SchemaError, match="there is no role 'boss'"):
        declared(SIZE, Answer("boss", "ordinal"), TABLE)
    for order in ((0, 1), (0, 1, 1), (1, 2, 3)):
        with pytest.raises(SchemaError, match="every level must be in the order once"):
            declared(SIZE, Answer("key", "ordinal", ("?",), order), TABLE)


def test_another_scale_has_the_known_levels_first_and_then_what_occurs():
    assert declared(SIZE, Answer("key", "nominal", ("?",)), TABLE).scale == Nominal(["s", "m", "l"])
    assert declared(SIZE, Answer("key", "numeric", ("?",)), TABLE).scale == Numeric()
    assert declared(SIZE, Answer("key", "date", ("?",)), TABLE).scale == Date()
    # Numbers in the order of numbers: 9 before 10.
    assert declared(YEAR, Answer("key", "ordinal", ("-1",)), TABLE).scale == Ordinal([9, 10])


def test_codes_that_are_missing_no_more_are_levels_and_others_none():
    opened = declared(SIZE, Answer("key", "ordinal", ()), TABLE)
    assert (opened.scale, opened.missing) == (Ordinal(["s", "m", "l", "?"]), ())
    closed = declared(SIZE, Answer("key", "ordinal", ("?", "m")), TABLE)
    assert (closed.scale, closed.missing) == (Ordinal(["s", "l"]), ("?", "m"))
    with pytest.raises(SchemaError, match="has no value that is not a missing code"):
        declared(SIZE, Answer("key", "nominal", ("s", "m", "l", "?")), TABLE)


def test_codes_are_what_they_were_declared_as_or_the_number_they_look_like():
    codes = declared(YEAR, Answer("key", "numeric", ("-1", "99", "2.5", "none")), TABLE).missing
    assert codes == (-1, 99, 2.5, "none")
    assert [type(code) for code in codes] == [int, int, float, str]
    text = Attribute("year", Numeric(), "key", ("99",))
    assert declared(text, Answer("key", "numeric", ("99",)), TABLE).missing == ("99",)


def test_sequences_stay_sequences():
    assert declared(WAYS, Answer("confidential", "sequence", ("x",)), TABLE).scale == WAYS.scale
    with pytest.raises(SchemaError, match="'ways' cannot be made nominal here"):
        declared(WAYS, Answer("key", "nominal"), TABLE)
    with pytest.raises(SchemaError, match="'size' cannot be made sequence here"):
        declared(SIZE, Answer("key", "sequence", ("?",)), TABLE)
