"""Texts in a file of their own: cut as asked, found by their numbers, read when somebody looks."""

from __future__ import annotations

import gzip

import pyarrow as pa
import pytest

from discreet.io import stored_csv, text_spool
from discreet.io.text_spool import LateTexts, TextSpool, recut


@pytest.mark.parametrize(
    ("sizes", "size", "cut"),
    [
        ([3, 2, 4], 4, [4, 4, 1]), ([8], 4, [4, 4]), ([1, 1, 1], 5, [3]), ([5], 5, [5]), ([0, 2, 0], 1, [1, 1]),
        ([10], 3, [3, 3, 3, 1]), ([], 3, []), ([0], 3, []),
    ],
)  # fmt: skip
def test_records_are_cut_anew_in_their_order(sizes, size, cut):
    starts = [sum(sizes[:place]) for place in range(len(sizes))]
    tables = [pa.table({"x": pa.array(range(a, a + n), pa.int64())}) for a, n in zip(starts, sizes, strict=True)]
    parts = list(recut(tables, size))
    assert [part.num_rows for part in parts] == cut
    assert [value for part in parts for value in part.column("x").to_pylist()] == list(range(sum(sizes)))
    assert all(part.column("x").num_chunks == 1 for part in parts)


def test_parts_are_joined_as_asked():
    joined = []

    def join(tables):
        joined.append([table.num_rows for table in tables])
        return pa.concat_tables(tables)

    tables = [pa.table({"x": [1, 2]}), pa.table({"x": [3]}), pa.table({"x": [4]})]
    assert [part.column("x").to_pylist() for part in recut(tables, 3, join)] == [[1, 2, 3], [4]]
    assert joined == [[2, 1], [0, 1]]


@pytest.fixture
def spool(tmp_path):
    found = TextSpool(tmp_path / "texts.arrow", ["a", "b"])
    for first, size in ((0, 3), (3, 0), (3, 1), (4, 4)):
        rows = range(first, first + size)
        columns = [pa.array([f"{name}{row}" if row % 3 else None for row in rows], pa.string()) for name in "ab"]
        found.add(pa.table(columns, names=["x", "y"]))
    found.close()
    found.close()
    return found


def told(name, start, stop):
    return [f"{name}{row}" if row % 3 else None for row in range(start, stop)]


def test_records_are_found_by_their_numbers(spool):
    assert (len(spool), spool.names) == (8, ("a", "b"))
    for start in range(8):
        for stop in range(start + 1, 9):
            assert spool.rows("b", start, stop).to_pylist() == told("b", start, stop)
    assert spool.rows("a", 2, 2).to_pylist() == []


def test_columns_are_read_part_by_part(spool):
    assert [part.num_rows for part in spool.parts()] == [3, 1, 4]
    assert [part.column_names for part in spool.parts()] == [["a", "b"]] * 3
    assert [part.column_names for part in spool.parts(["b"])] == [["b"]] * 3
    texts = spool.texts("b")
    for _ in range(2):
        assert [value for part in texts.parts() for value in part.to_pylist()] == told("b", 0, 8)


def test_texts_are_read_when_they_are_asked_for(spool, monkeypatch):
    late = LateTexts(spool, {"size": "a", "pay": "b"}, 2, 5)
    assert late["pay"].to_pylist() == told("b", 2, 5)
    assert late["size"].to_pylist() == told("a", 2, 5)
    assert (list(late), len(late), repr(late)) == (["size", "pay"], 2, "LateTexts(2 columns of 3 records)")
    monkeypatch.setattr(text_spool.TextSpool, "rows", None)
    assert ("pay" in late, "b" in late) == (True, False)
    with pytest.raises(KeyError):
        late["b"]


def test_nothing_is_written_where_nothing_comes(tmp_path):
    empty = TextSpool(tmp_path / "none.arrow", [])
    empty.close()
    assert len(empty) == 0
    assert not (tmp_path / "none.arrow").exists()


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 200])
def test_the_last_bytes_of_a_file_packed_or_not(tmp_path, size):
    content = bytes(32 + place % 90 for place in range(size))
    (tmp_path / "a.csv").write_bytes(content)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(content))
    for name in ("a.csv", "a.csv.gz"):
        assert stored_csv._last_bytes(tmp_path / name) == content[-64:]
