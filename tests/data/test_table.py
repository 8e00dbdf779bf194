"""What a stored table and a target promise whoever runs through them."""

from __future__ import annotations

import polars as pl
import pytest

import discreet as dc
from discreet.data.microdata import Microdata
from discreet.data.table import StoredTable, Target


def test_nobody_is_a_table_or_a_target_who_leaves_something_open():
    assert StoredTable.__abstractmethods__ == {"__len__", "batches", "in_memory"}
    assert Target.__abstractmethods__ == {"write", "count_again"}
    for contract in (StoredTable, Target):
        with pytest.raises(TypeError):
            contract()
    assert Target.guarantees == ()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_in_a_file_keeps_the_contract(tmp_path, ending):
    frame = pl.DataFrame({"x": [float(i) for i in range(7)], "s": list("abcabca")})
    path = tmp_path / f"t.{ending}"
    frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)
    schema = dc.Schema([dc.Attribute("x", dc.Numeric(), "key"), dc.Attribute("s", dc.Nominal(list("abc")), "key")])
    table = dc.scan(path, schema)
    assert isinstance(table, StoredTable)
    assert len(table) == sum(table.sizes) == 7
    assert [len(batch) for batch in table.batches(3)] == [3, 3, 1]
    whole = [row for batch in table.batches(3) for row in batch.column("x").to_pylist()]
    assert whole == frame["x"].to_list()
    assert [batch.schema.names for batch in table.batches(7, ["s"])] == [("s",)]
    some = table.in_memory(["s", "nobody"])
    assert isinstance(some, Microdata)
    assert (some.schema.names, some.column("s").to_pylist()) == (("s",), list("abcabca"))
    assert str(path) in table.inputs
    assert len(table.files) == len(table.sizes) == 1
