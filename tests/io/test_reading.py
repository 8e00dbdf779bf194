"""What the one room that opens files says of a table that is no file."""

from __future__ import annotations

import polars as pl

import discreet as dc


def test_a_frame_is_looked_at_as_its_file_is_where_something_is_declared(tmp_path):
    frame = pl.DataFrame({"code": [3, 1, 2, 3, 1, 2] * 8, "pay": [10.5 * i for i in range(48)]})
    frame.write_csv(tmp_path / "pay.csv")
    declared = dc.Declaration(confidential=["pay"], keys=["code"])
    of_frame, of_file = dc.inspect(frame, declared), dc.inspect(tmp_path / "pay.csv", declared)
    assert of_frame.schema.keys == of_file.schema.keys == ("code",)
    assert of_frame.schema["pay"].role == of_file.schema["pay"].role == "confidential"
    assert (of_frame.n_records, of_frame.missing) == (of_file.n_records, of_file.missing) == (48, {"code": 0, "pay": 0})
