"""Codes cut to their first digits, and small areas by a table that the user brings."""

from __future__ import annotations

import pyarrow as pa
import pytest

import discreet as dc
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
