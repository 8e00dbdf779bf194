"""Numbers of half the world: how a column writes them, what they are to a computer, and written back."""

from __future__ import annotations

import pyarrow as pa
import pytest

from discreet.errors import ParameterError
from discreet.io.number_text import (
    Reading,
    Style,
    as_accountants,
    canonical,
    check_marks,
    looks_like_number,
    read_style,
    reads_in_two_ways,
    restyled,
)
from discreet.io.text_parts import Texts

PLAIN, COMMA = Style(), Style(",")
DOTTED, ENGLISH, SPACED, SWISS = Style(",", "."), Style(".", ","), Style(".", " "), Style(".", "'")
WHOLE, DECIMAL, WORDS = Reading((PLAIN,), kind="whole"), Reading((PLAIN,), kind="decimal"), Reading()


def texts(values, cut=None):
    parts = [values] if cut is None else [values[:cut], values[cut:]]
    return pa.chunked_array([pa.array(part, pa.string()) for part in parts])


@pytest.mark.parametrize(
    ("values", "told", "reading"),
    [
        (["1", "2"], {}, WHOLE),
        (["0", "-5", None], {}, WHOLE),
        (["9219999999999999999"], {}, WHOLE),
        (["9223372036854775807"], {}, WORDS),  # beyond what surely fits
        (["12345678901234567890.5", "1"], {}, WORDS),
        (["-0"], {}, DECIMAL),
        (["1.5", "2"], {}, DECIMAL),
        (["1e5", "2.5e-3"], {}, DECIMAL),
        (["0.234"], {}, DECIMAL),
        (["1234.567"], {}, DECIMAL),
        (["1.5", "2"], {"decimal": ","}, WORDS),
        # A thousand, or a bit more than one: nobody can tell, unless the user says.
        (["1.234", "12"], {}, Reading((PLAIN, DOTTED), (), True)),
        (["1.234", "5.678"], {"decimal": "."}, DECIMAL),
        (["1.234", "5.678"], {"decimal": ",", "thousands": "."}, Reading((DOTTED,))),
        (["1.234", "5.678"], {"thousands": "."}, Reading((PLAIN, DOTTED), (), True)),
        (["1.234", "5.678"], {"thousands": ""}, DECIMAL),
        (["1,234", "5,678"], {}, Reading((COMMA, ENGLISH), (), True)),
        (["1,234", "5,678"], {"decimal": ",", "thousands": ""}, Reading((COMMA,))),
        (["1,234", "5,678"], {"decimal": ".", "thousands": ","}, Reading((ENGLISH,))),
        (["1,5", "2"], {}, Reading((COMMA,))),
        (["1,5", "2"], {"decimal": "."}, WORDS),
        (["1,5e3"], {}, Reading((COMMA,))),
        (["1,234", "5,678.5"], {}, Reading((ENGLISH,))),
        (["1.234,5", "2"], {}, Reading((DOTTED,))),
        (["1234", "1,234"], {}, Reading((COMMA,))),
        (["1234", "1,234"], {"decimal": ".", "thousands": ","}, Reading((ENGLISH,))),
        (["1,00,000", "5"], {}, Reading((ENGLISH,))),
        (["12,34,567.5"], {}, Reading((ENGLISH,))),
        (["1 234", "56"], {}, Reading((SPACED,))),
        (["12\u202f345", "999"], {}, Reading((SPACED,))),
        (["123 456,5"], {}, Reading((Style(",", " "),))),
        (["123 456", "789 012"], {}, Reading((SPACED,), (), True)),  # codes of six digits?
        (["123 456", "789 012"], {"thousands": " "}, Reading((SPACED,))),
        (["1'234", "5"], {}, Reading((SWISS,))),
        (["1’234", "5.5"], {}, Reading((SWISS,))),
        (["007", "12"], {}, WORDS),
        (["0.5", "00.5"], {}, WORDS),
        (["a", "b"], {}, WORDS),
        (["1", "a"], {}, WORDS),
        (["."], {}, WORDS),
        ([None, None], {}, WORDS),
        ([], {}, WORDS),
        (["1", "NA"], {}, Reading((PLAIN,), ("NA",))),
        (["1,5", "NA", ""], {}, Reading((COMMA,), ("", "NA"))),
        (["NA", "n/a"], {}, WORDS),
        (["€ 5", "€ 7"], {}, Reading((Style(prefix="€ "),))),
        (["€ 5", "7"], {}, WORDS),
        (["EUR 5,5", "EUR -7"], {}, Reading((Style(",", prefix="EUR "),))),
        (["5 %", "7 %"], {}, Reading((Style(suffix=" %"),))),
        (["-7%", "5%"], {}, Reading((Style(suffix="%"),))),
        (["$1,234.50", "$2"], {}, Reading((Style(".", ",", "$"),))),
        (["(4)", "5"], {}, Reading((PLAIN,))),
        (["(4)", "(5)"], {}, WORDS),
        (["4-", "5"], {}, Reading((PLAIN,))),
        (["+5", "7"], {}, Reading((PLAIN,))),
        (["+491234567"], {}, WORDS),
        (["−5", "3"], {}, Reading((PLAIN,))),
        ([" 5 ", "6"], {}, Reading((PLAIN,))),
    ],
)  # fmt: skip
def test_how_a_column_writes_its_numbers(values, told, reading):
    assert read_style(texts(values), **told) == reading
    parts = Texts(lambda: [pa.array(part, pa.string()) for part in (values[:1], values[1:])])
    assert read_style(parts, **told) == reading


def test_words_beyond_the_first_thousand_are_seen():
    numbers = [f"{n},5" for n in range(1, 1001)]
    assert read_style(texts([*numbers, "word"])) == WORDS
    assert read_style(texts([*numbers, "."])) == Reading((COMMA,), (".",))
    assert read_style(texts([*numbers, "7,5"])) == Reading((COMMA,))


@pytest.mark.parametrize(
    ("values", "style", "words", "numbers"),
    [
        (["1.234,5", " 2 ", "−3"], DOTTED, (), ["1234.5", "2", "-3"]),
        (["1 234", "12\u202f345"], SPACED, (), ["1234", "12345"]),
        (["€ 5", "-€ 7", "€ -8"], Style(prefix="€ "), (), ["5", "-7", "-8"]),
        (["€ 5", "7"], Style(prefix="€ "), (), ["5", "?"]),
        (["5%", "7 %"], Style(suffix="%"), (), ["5", "7 "]),
        (["(4)", "5", "6-", "-7"], PLAIN, (), ["-4", "5", "-6", "-7"]),
        (["(4)", "(5)"], PLAIN, (), ["(4)", "(5)"]),
        (["€1", "n/a", None, "-"], Style(prefix="€"), ("n/a", "-"), ["1", "n/a", None, "-"]),
        (["€1", "n/a"], Style(prefix="€"), (), ["1", "?"]),
        (["+5", "+491234567", "+1.5e3"], PLAIN, (), ["5", "+491234567", "1.5e3"]),
    ],
)
def test_numbers_as_computers_write_them(values, style, words, numbers):
    assert canonical(texts(values, 1), style, words).to_pylist() == numbers
    assert canonical(texts(values).chunk(0), style, iter(words)).to_pylist() == numbers


def test_what_accountants_write_is_told_of_the_whole_column():
    assert canonical(texts(["(4)"]), PLAIN, accounts=True).to_pylist() == ["-4"]
    assert canonical(texts(["(4)", "5"]), PLAIN, accounts=False).to_pylist() == ["(4)", "5"]
    for values, told in ((["(4)", "5"], True), (["4-", "5"], True), (["(4)"], False), (["4", "5"], False), ([], False)):
        assert as_accountants(Texts.of(texts(values))) is told


@pytest.mark.parametrize(
    ("values", "style", "written"),
    [
        (["1.5", "-2", "a", None, "1-2"], COMMA, ["1,5", "-2", "a", None, "1-2"]),
        (["1.5", "[1.5, 2)"], Style(",", "", "€ ", ""), ["€ 1,5", "[1.5, 2)"]),
        (["15", "x"], Style(suffix=" %"), ["15 %", "x"]),
        (["1.5e3", ".5"], COMMA, ["1,5e3", ",5"]),
        (["1.5"], PLAIN, ["1.5"]),
        # Three decimals in all of them would be read as thousands.
        (["1.234", "2"], PLAIN, ["1.2340", "2"]),
        (["1.234", "2"], COMMA, ["1,2340", "2"]),
        (["1.234", "2.5"], COMMA, ["1,234", "2,5"]),
    ],
)
def test_numbers_are_written_in_the_style_of_their_column(values, style, written):
    assert restyled(texts(values), style).to_pylist() == written
    assert restyled(texts(values), style._asdict()).to_pylist() == written


def test_whether_three_decimals_are_all_is_told_of_the_whole_column():
    assert restyled(texts(["1.234"]), COMMA, two_ways=False).to_pylist() == ["1,234"]
    assert restyled(texts(["1.234", "2.5"]), COMMA, two_ways=True).to_pylist() == ["1,2340", "2,5"]
    cases = {("1.234", "-12"): True, ("1.234", "1.5"): False, ("0.234",): False, ("1234.567",): False, (): False}
    assert {values: reads_in_two_ways(Texts.of(texts(list(values)))) for values in cases} == cases


@pytest.mark.parametrize(
    ("decimal", "thousands", "marks"),
    [
        (None, None, (None, None)), (".", None, (".", None)), (",", ".", (",", ".")), (None, ".", (",", ".")),
        (None, ",", (".", ",")), (None, "space", (None, " ")), (None, "'", (None, "'")),
        (",", "apostrophe", (",", "'")), (None, "none", (None, "")), (".", "none", (".", "")),
    ],
)  # fmt: skip
def test_marks_in_one_spelling(decimal, thousands, marks):
    assert check_marks(decimal, thousands) == marks


@pytest.mark.parametrize(
    ("decimal", "thousands", "message"),
    [(";", None, "a point or a comma"), (None, "_", "thousands must be"), (None, "", "thousands must be"),
     (".", ".", "cannot be the same"), (",", ",", "cannot be the same")],
)  # fmt: skip
def test_marks_that_cannot_be_used(decimal, thousands, message):
    with pytest.raises(ParameterError, match=message):
        check_marks(decimal, thousands)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("5", True), ("-5", True), ("+5", True), ("1.234,5", True), ("1 234", True), ("€ 5", True), ("5 kr.", True),
        ("1e5", True), (",5", True), ("(4)", True), ("4-", True), ("1,00,000", True), (" 5 ", True), ("", False),
        (".", False), ("€", False), ("a5", False), ("1-2", False), ("12:30", False), ("1,23,45", False), ("()", False),
    ],
)  # fmt: skip
def test_what_would_be_a_number_somewhere(text, number):
    assert looks_like_number(text) is number
