"""Which words and numbers stand for no value, and which are values: the borders worked by hand."""

from __future__ import annotations

import pyarrow as pa
import pytest

from discreet.data.inferring.absent_codes import find_missing_codes

MANY = 10
"""How often each number comes: with three of them, well beyond the fewest records that numbers are judged on."""


@pytest.mark.parametrize(
    ("numbers", "codes"),
    [
        ([1, 2, 3, -9], (-9,)),
        ([1, 2, -9, -8, -1], (-9, -8, -1)),
        ([0, -9], (-9,)),
        ([-9, -8], ()),  # nothing but codes: then they are numbers
        ([1, 2, -9, -5], ()),  # -5 is no code, so the column goes below zero
        ([1, 2, -1, -2, -3, -7, -8, -9], (-9, -8, -7, -3, -2, -1)),
        ([1, 2, -1, -2, -3, -7, -8, -9, -77], ()),  # more than six kinds of silence
        ([1, 2, 3, 99], (99,)),
        ([1, 2, 20, 97, 98, 99], (97, 98, 99)),
        ([1, 2, 21, 99], ()),
        ([1, 2, 120, 999], (999,)),
        ([1, 2, 121, 999], ()),
        ([1, 2, 300, 9999], (9999,)),
        ([1, 2, 301, 9999], ()),
        ([1, 99], ()),  # one other number tells nothing
        ([1.5, 2, 99], ()),
        ([1, 2, 60, 99, 999], ()),  # they run on up to ninety-nine
        ([1, 2, 49, 98, 999], (98, 999)),  # and here they stop at half of it
        ([1, 2, 50, 99, 999], ()),
        ([1, 2, 3, -9, 99], (-9, 99)),
    ],
)
def test_numbers_that_stand_apart(numbers, codes):
    assert find_missing_codes(pa.array(numbers * MANY)) == codes
    assert find_missing_codes(pa.array(numbers * MANY), numbers=False) == ()
    texts = [str(number) for number in numbers * MANY]
    assert sorted(map(int, find_missing_codes(pa.array(texts)))) == sorted(codes)
    assert find_missing_codes(pa.array(texts), numbers=False) == ()


def test_few_records_have_no_codes_among_numbers():
    assert find_missing_codes(pa.array([1] * 18 + [-9])) == ()
    assert find_missing_codes(pa.array([1] * 19 + [-9])) == (-9,)
    assert find_missing_codes(pa.array([1] * 18 + [None, -9])) == ()
    assert find_missing_codes(pa.array([float("nan")] + [1.0] * 19 + [-9.0])) == (-9,)


@pytest.mark.parametrize(
    ("texts", "codes"),
    [
        (["a", "?", "NA", "b"], ("?", "NA")),
        (["a", "unknown", "-"], ()),  # among words they may be categories
        (["1", "2", "unknown", "-"], ("-", "unknown")),
        (["1", "?", " -", "2"], ("?", " -")),
        (["a", "-9", "-99", "b"], ("-9", "-99")),
        (["1", "2", "-9"], ()),  # a number among few numbers
        (["?", "."], ("?", ".")),
        (["-9"], ()),
        (["?", "-9", "x"], ("?", "-9")),
        ([" ?", "?", "x"], (" ?", "?")),
        ([None, "x"], ()),
    ],
)
def test_words_that_stand_for_nothing(texts, codes):
    assert find_missing_codes(pa.array(texts, pa.string())) == codes


def test_other_types_have_no_codes():
    assert find_missing_codes(pa.array([True, False] * 20)) == ()
    assert find_missing_codes(pa.array([0] * 40).cast(pa.int32()).cast(pa.date32())) == ()
