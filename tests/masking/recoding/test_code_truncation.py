"""Codes cut to their first digits, and small areas by a table that the user brings."""

from __future__ import annotations

import pyarrow as pa
import pytest

import discreet as dc
from discreet.masking.recoding.code_truncation import truncated_codes
from discreet.masking.recoding.population_table import population_by_prefix


def codes(values: list[object]) -> dc.Microdata:
    levels = tuple(dict.fromkeys(values))
    return dc.Microdata(pa.table({"zip": values}), dc.Schema([dc.Attribute("zip", dc.Nominal(levels), "key")]))


def test_small_and_unknown_areas_are_one_code(tmp_path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("zip,people\n10001,21000\n10002,80000\n3601,14000\n02139,20000\n", encoding="utf-8")
    homes = codes(["10001", "10002", "03601", "02139", "99999"])
    masked = dc.CodeTruncation(3, population=str(path)).mask(homes).microdata
    # Exactly 20 000 people is not more than 20 000.
    assert masked.column("zip").to_pylist() == ["100", "100", "000", "000", "000"]


def test_zeros_that_a_spreadsheet_took_away_come_back() -> None:
    masked = dc.CodeTruncation(3, width=5).mask(codes([2139, 10001, 601])).microdata
    assert masked.column("zip").to_pylist() == ["021", "100", "006"]


def test_a_file_that_is_none_is_refused(tmp_path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("zip,people\n10001,LOTS\n", encoding="utf-8")
    with pytest.raises(dc.errors.ParameterError, match="has 1 of 1 lines") as caught:
        dc.CodeTruncation(3, population=path).mask(codes(["10001", "2"]))
    assert "LOTS" not in str(caught.value)
    with pytest.raises(dc.errors.FileError, match="does not exist"):
        dc.CodeTruncation(3, population=tmp_path / "none.csv").mask(codes(["10001", "2"]))
    with pytest.raises(dc.errors.ParameterError, match="digits names 'town'"):
        dc.CodeTruncation({"town": 3}).mask(codes(["10001", "2"]))
    assert population_by_prefix({"1": 5}, 3) == {"001": 5.0}


@pytest.mark.parametrize(
    ("levels", "digits", "width", "people", "expected"),
    [
        (["10001", "2", " 333 "], 3, None, None, ["100", "2", "333"]),
        ([601, 10001], 3, 5, None, ["006", "100"]),
        (["10001", "20001", "30001"], 3, None, {"100": 20_001, "200": 20_000}, ["100", "000", "000"]),
    ],
)
def test_codes_by_hand(levels, digits, width, people, expected) -> None:
    assert truncated_codes(levels, digits, width, people, 20_000, "000") == expected


def test_codes_that_are_not_cut_are_told() -> None:
    masked = dc.CodeTruncation(3).mask(codes(["10001", "200", "30"]))
    assert "zip: 2 of 3 codes have no more than 3 characters." in masked.provenance.notes
    assert not dc.CodeTruncation(3).mask(codes(["10001", "2000"])).provenance.notes
    assert not dc.CodeTruncation(3, width=5).mask(codes(["10001", "200"])).provenance.notes
    schema = dc.Schema([dc.Attribute(name, dc.Nominal(("1234", "5678")), "key") for name in "ab"])
    two = dc.Microdata(pa.table({"a": ["1234", "5678"], "b": ["1234", "5678"]}), schema)
    masked = dc.CodeTruncation({"b": 1}).mask(two)
    assert masked.microdata.column("a").to_pylist() == ["1234", "5678"]
    assert masked.microdata.column("b").to_pylist() == ["1", "5"]
