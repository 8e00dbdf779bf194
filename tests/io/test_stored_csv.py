"""A CSV file that is streamed gives the release of the same file in memory, byte by byte, and few parts are held."""

from __future__ import annotations

import bz2
import codecs
import gc
import gzip
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import discreet as dc
from discreet import workflow
from discreet.engines.streaming import StreamingEngine
from discreet.errors import BrokenGuaranteeError, DiscreetError, FileError, ParameterError
from discreet.io import recount, stored_csv, text_spool
from discreet.io.stored_csv import read_stored_text

ENGINE = StreamingEngine(workers=2, batch=50)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch, tmp_path_factory):
    """Parts of a size that no file here fits into, in a temporary folder of their own."""
    monkeypatch.setattr(stored_csv, "PART", 64)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path_factory.mktemp("scratch")))


def people(n=400, seed=3):
    """Columns as text: codes, dates, quoted fields, spaces, numbers as people write them, gaps."""
    rng = np.random.default_rng(seed)
    towns = ["Aa", "Bb ", '"C, D"', '"say ""no"""', '"two\nlines"', ""]
    return {
        "code": [f"{code:03}" for code in rng.integers(0, 40, n)],
        "born": [f"{d:02}.{m:02}.{y}" for d, m, y in rng.integers((1, 1, 1940), (28, 12, 2000), (n, 3))],
        "pay": [f"{value:.2f}" for value in rng.normal(3000, 800, n)],
        "size": [str(value) for value in rng.integers(1, 90, n)],
        "town": [towns[place] for place in rng.integers(0, len(towns), n)],
        "late": ["5"] * (n - 3) + ["5.5", "5", "n/a"],
    }


def text_of(columns, delimiter=",", newline="\n"):
    lines = [delimiter.join(columns), *(delimiter.join(row) for row in zip(*columns.values(), strict=True))]
    return newline.join(lines) + newline


def european(columns):
    swapped = {name: [value.replace(".", ";").replace(",", ".").replace(";", ",") for value in values]
               for name, values in columns.items() if name in {"pay", "size", "late"}}  # fmt: skip
    return {**{name: columns[name] for name in ("code", "born")}, **swapped}


def accounts(n=300):
    amounts = [f"({place})" if place <= 100 else f"{place}.50" for place in range(1, n + 1)]
    return {"amount": amounts, "note": ["yes", "no", "", "yes"] * (n // 4)}


def thousands(n=200):
    return {
        "big": [f"€ {place % 900 + 1}.{place % 1000:03},5" for place in range(n)],
        "size": [str(p % 50) for p in range(n)],
    }


FILES = {
    "plain": text_of(people()).encode(),
    "windows": text_of(people(), newline="\r\n").encode(),
    "semicolons": text_of(european(people()), delimiter=";").encode(),
    "tabs": text_of(people(), delimiter="\t").encode(),
    "with a mark": codecs.BOM_UTF8 + text_of(people()).encode(),
    "utf-16": text_of(people()).encode("utf-16"),
    "all quoted": text_of({f'"{n}"': [f'"{v}"' for v in vs] for n, vs in european(people()).items()}).encode(),
    "accounts": text_of(accounts()).encode(),
    "thousands": text_of(thousands(), delimiter=";").encode(),
    "blank lines": text_of(people()).replace("\n", "\n\n", 3).encode(),
    "one column": ("size\n" + "\n".join(str(place % 40) for place in range(300)) + "\n").encode(),
    "no end of line": text_of(people()).encode()[:-1],
}


def release_in_memory(path, target, masker, schema=None, block_size=None, **layout):
    table = dc.read(path, schema, **layout)
    masked = masker.clone().mask(table, block_size=block_size)
    dc.write(masked, target)
    return table, masked.provenance


def release_streamed(path, target, masker, schema=None, block_size=None, **layout):
    table = dc.scan(path, schema, **layout)
    return table, dc.protect(table, masker.clone(), output=target, engine=ENGINE, block_size=block_size).provenance


def compare(path, folder, masker, ending=".csv", schema=None, block_size=None, **layout):
    one, two = folder / f"memory{ending}", folder / f"stream{ending}"
    table, first = release_in_memory(path, one, masker, schema, block_size, **layout)
    stored, second = release_streamed(path, two, masker, schema, block_size, **layout)
    assert stored.schema == table.schema
    assert len(stored) == len(table)
    assert stored.in_memory(stored.schema.names).to_arrow().equals(table.to_arrow())
    assert one.read_bytes() == two.read_bytes()
    assert (first.notes, first.guarantees, first.changed) == (second.notes, second.guarantees, second.changed)
    return two


@pytest.mark.parametrize("kind", FILES)
def test_the_same_bytes_as_in_memory(kind, tmp_path):
    path = tmp_path / "file.csv"
    path.write_bytes(FILES[kind])
    layout = {"thousands": "."} if kind == "thousands" else {}
    schema = dc.read(path, **layout).schema
    numbers = [a.name for a in schema if a.scale.kind == "numeric" and a.name in {"size", "pay", "amount", "big"}]
    for masker in (
        dc.MDAV(3, attributes=numbers, random_state=1),
        dc.RankSwapping(attributes=numbers[:1], random_state=1),
    ):
        compare(path, tmp_path, masker, schema=schema, **layout)
    compare(path, tmp_path, dc.MDAV(3, attributes=numbers, random_state=1), schema=schema, block_size=60, **layout)


@pytest.mark.parametrize("ending", [".csv.gz", ".csv.bz2", ".csv.zst", ".tsv", ".txt"])
def test_packed_and_named_otherwise(ending, tmp_path):
    content = text_of(people(), delimiter="\t" if ending == ".tsv" else ",").encode()
    path = tmp_path / f"file{ending}"
    packing = {".gz": gzip.compress, ".bz2": bz2.compress, ".zst": lambda raw: pa.compress(raw, "zstd", asbytes=True)}
    path.write_bytes(packing.get(Path(ending).suffix, bytes)(content))
    compare(path, tmp_path, dc.MDAV(4, attributes=["pay", "size"]), ending)


def test_columns_left_alone_come_as_they_went(tmp_path):
    path = tmp_path / "file.csv"
    path.write_bytes(FILES["plain"])
    compare(path, tmp_path, dc.PRAM(attributes=["town"], random_state=1))  # record by record, in batches
    out = compare(path, tmp_path, dc.MDAV(4, attributes=["size"]))
    before, after = (dc.read(one).to_arrow() for one in (path, out))
    assert FILES["plain"].count(b'"two\nlines"') == out.read_bytes().count(b'"two\nlines"') > 0
    for name in ("code", "born", "pay", "town", "late"):
        assert before.column(name).equals(after.column(name))


def test_a_chain_keeps_the_text_of_columns_that_no_step_touched(tmp_path):
    path = tmp_path / "file.csv"
    path.write_bytes(FILES["plain"])
    chain = dc.Chain([dc.MDAV(4, attributes=["size"]), dc.PRAM(attributes=["town"])], 7)
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    dc.write(chain.mask(dc.read(path)), one)
    dc.protect(dc.scan(path), dc.Chain([dc.MDAV(4, attributes=["size"]), dc.PRAM(attributes=["town"])], 7), output=two,
               engine=ENGINE)  # fmt: skip
    assert one.read_bytes() == two.read_bytes()


def test_between_formats(tmp_path):
    path = tmp_path / "file.csv"
    path.write_bytes(FILES["semicolons"])
    masker = dc.MDAV(4, attributes=["size", "pay"])
    dc.write(masker.mask(dc.read(path)), tmp_path / "one.parquet")
    dc.protect(dc.scan(path), masker.clone(), output=tmp_path / "two.parquet", engine=ENGINE)
    one, two = (dc.read(tmp_path / f"{name}.parquet").to_arrow() for name in ("one", "two"))
    assert one.equals(two)
    dc.write(masker.mask(dc.read(tmp_path / "one.parquet")), tmp_path / "one.csv")
    dc.protect(dc.scan(tmp_path / "one.parquet"), masker.clone(), output=tmp_path / "two.csv", engine=ENGINE)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()


BROKEN = {
    "ragged": FILES["plain"] + b"1,2\n1,2,3\n",
    "open quote": FILES["windows"][:-2] + b'\r\n001,01.01.1950,1.00,3,"Zz,5\r\n002,01.01.1950,1.00,3,Zz,5\r\n',
    "totals": text_of({**accounts(), "note": [*accounts()["note"][:-1], "Total"]}).encode(),
    "sum": ("a,b\n" + "".join(f"{p},{p * 2}\n" for p in [*range(1, 300), sum(range(300))])).encode(),
    "units": ("name,weight\ntext,kg\n" + "".join(f"w{p},{p}\n" for p in range(200))).encode(),
    "a title": b"A survey of people\n" + FILES["plain"],
    "records as names": ("12,30,4\n" + "".join(f"{p},{p + 2},{p % 7}\n" for p in range(200))).encode(),
    "two ways": ("a,b\n" + "".join(f"{p % 9 + 1}.{p:03},x\n" for p in range(200))).encode(),
    "two marks": ("a;b\n" + "".join(f"{p}.5;{p}\n" for p in range(150)) + "3,5;1\n").encode(),
    "not text": FILES["plain"] + b"\xff\xfe\xfa,1,1,1,1,1\n",
    "no records": b"a,b\n",
    "empty": b"",
    "same names": b"a,a\n1,2\n3,4\n",
    "no name": b"a,,b\n1,2,3\n3,4,5\n",
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_what_is_wrong_is_said_in_the_same_words(kind, tmp_path):
    path = tmp_path / "file.csv"
    path.write_bytes(BROKEN[kind])
    with pytest.raises(DiscreetError) as whole:
        dc.read(path)
    with pytest.raises(type(whole.value)) as streamed:
        dc.scan(path)
    assert str(streamed.value) == str(whole.value)
    assert not leftovers()


def leftovers():
    gc.collect()
    return list(Path(tempfile.gettempdir()).glob("discreet-work-*/text.arrow"))


def test_a_damaged_file_is_called_so_and_nothing_stays(tmp_path):
    path = tmp_path / "file.csv.gz"
    rng = np.random.default_rng(1)
    path.write_bytes(gzip.compress(text_of({"a": [str(v) for v in rng.integers(0, 10**9, 60_000)]}).encode())[:-2000])
    with pytest.raises(FileError, match=r"damaged, or its end is missing"):
        dc.scan(path)
    assert not leftovers()


def test_values_in_no_message(tmp_path):
    path = tmp_path / "file.csv"
    path.write_bytes(FILES["plain"] + b"secret,1\nsecret,2,3\n")
    with pytest.raises(FileError) as error:
        dc.scan(path)
    assert "2 rows" in str(error.value)
    assert "secret" not in str(error.value)


def test_the_temporary_folder_goes_with_the_table(tmp_path):
    path = tmp_path / "file.csv"
    path.write_bytes(FILES["plain"])
    before = set(leftovers())
    table = dc.scan(path)
    assert len(set(leftovers()) - before) == 1
    del table
    assert set(leftovers()) <= before


def test_neither_the_input_nor_its_schema_is_written_over(tmp_path):
    path = tmp_path / "file.csv"
    path.write_bytes(FILES["plain"])
    with pytest.raises(FileError):
        dc.protect(dc.scan(path), dc.MDAV(4, attributes=["size"]), output=path, engine=ENGINE)
    assert path.read_bytes() == FILES["plain"]


def test_lines_are_left_out_of_whole_files_alone(tmp_path):
    path = tmp_path / "file.csv"
    path.write_bytes(b"A title\n" + FILES["plain"])
    with pytest.raises(ParameterError, match="read whole"):
        dc.scan(path, leave_out=[1])


def test_layout_is_for_text(tmp_path):
    path = tmp_path / "file.parquet"
    dc.write(dc.microdata(pa.table({"a": [1.5, 2.5, 3.5]})), path)
    with pytest.raises(ParameterError, match="delimiter cannot be set for a Parquet file"):
        dc.scan(path, delimiter=";")


def test_a_field_in_a_later_block_of_text_decides_the_type(tmp_path):
    path = tmp_path / "file.csv"
    rows = [f"{place},{place % 97}" for place in range(300_000)]
    rows[250_000] = "250000,007"
    path.write_text("id,code\n" + "\n".join(rows) + "\n")
    stored = dc.scan(path)
    assert stored.in_memory(["code"]).to_arrow().column("code").type == pa.string()
    assert stored.in_memory(stored.schema.names).to_arrow().equals(dc.read(path).to_arrow())


def test_few_records_are_held_at_a_time(tmp_path, monkeypatch):
    """What is added to the spool, typed and written is a part; no look at a column holds two."""
    path = tmp_path / "file.csv"
    path.write_bytes(text_of(people(3000)).encode())
    sizes = []
    for cls, name in ((text_spool.TextSpool, "add"), (stored_csv._Release, "add"), (stored_csv._Release, "_text_of")):
        plain = getattr(cls, name)

        def noting(self, table, *rest, plain=plain):
            sizes.append(len(table))
            return plain(self, table, *rest)

        monkeypatch.setattr(cls, name, noting)
    schema = dc.read(path).schema
    held = pa.total_allocated_bytes()
    stored = dc.scan(path, schema)
    dc.protect(stored, dc.PRAM(attributes=["town"], random_state=1), output=tmp_path / "out.csv", engine=ENGINE)
    assert max(sizes) <= 64
    assert len(sizes) > 3 * 3000 / 64
    gc.collect()
    assert pa.total_allocated_bytes() - held < 100_000


def test_large_releases_are_counted_a_part_at_a_time(tmp_path, monkeypatch):
    path = tmp_path / "file.csv"
    path.write_bytes(FILES["plain"])
    monkeypatch.setattr(recount, "_LARGE", 1)
    monkeypatch.setattr(recount, "_text_frame", None)
    monkeypatch.setattr(recount, "unpacked", None)
    for ending in (".csv", ".csv.gz"):
        compare(path, tmp_path, dc.MDAV(4, attributes=["size", "pay"]), ending)
    target = stored_csv.CsvTarget(tmp_path / "broken.csv")
    table = dc.scan(path)
    target.guarantees = dc.MDAV(4, attributes=["pay"]).mask(dc.read(path)).provenance.guarantees
    with pytest.raises(BrokenGuaranteeError):
        target.write(table.batches(50))
    assert not (tmp_path / "broken.csv").exists()


def test_assessed_as_in_memory(tmp_path):
    path, out = tmp_path / "file.csv", tmp_path / "out.csv"
    path.write_bytes(FILES["semicolons"])
    table = dc.read(path)
    masked = dc.MDAV(4, attributes=["size", "pay"]).mask(table)
    dc.write(masked, out)
    stored = dc.scan(path)
    release = workflow.scan_release(out, stored)
    whole = dc.assess(table, workflow.read_release(out, table))
    streamed = dc.assess(stored, release, engine=ENGINE)
    assert {m.name: (m.value, m.sentence) for m in streamed.measurements} == {
        m.name: (pytest.approx(m.value, rel=1e-9), m.sentence) for m in whole.measurements
    }
    assert streamed.score.value == pytest.approx(whole.score.value)


def test_the_text_of_columns_is_read_when_it_is_asked_for(tmp_path, monkeypatch):
    path = tmp_path / "file.csv"
    path.write_bytes(FILES["plain"])
    stored = dc.scan(path)

    def never(*_):
        raise AssertionError("read")

    monkeypatch.setattr(text_spool.TextSpool, "rows", never)
    tables = list(stored.batches(100))
    assert sum(map(len, tables)) == len(stored)
    assert "pay" in tables[0].origin["verbatim"]
    with pytest.raises(AssertionError, match="read"):
        tables[0].origin["verbatim"]["pay"]


def test_options_of_text(tmp_path):
    path = tmp_path / "file.csv"
    path.write_bytes(text_of({"ort": ["Köln", "Bonn"] * 20, "n": ["1", "2"] * 20}, ";").encode("latin-1"))
    text = read_stored_text(path, encoding="latin-1", delimiter=";")
    assert text.origin["dialect"]["encoding"] == "latin-1"
    with pytest.raises(FileError, match=r"not utf-8 text"):
        read_stored_text(path)


# ------------------------------------------------------------------------------------------------------- part by part


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.csv"
    path.write_bytes(b"age;pay;town\n31;1,50;Aa\n42;2,25;Bb\n27;3,00;Aa\n55;4,75;Cc\n")
    return path


NAMES = ("age", "pay", "town")
DECLARED = dc.Schema([
    dc.Attribute("age", dc.Numeric(), "key"), dc.Attribute("pay", dc.Numeric(), "key"),
    dc.Attribute("town", dc.Nominal(["Aa", "Bb", "Cc"]), "key"),
])  # fmt: skip


def test_endings_of_text():
    assert [stored_csv.is_text(f"a{one}") for one in (".csv", ".TSV", ".txt", ".csv.gz", ".tsv.zst")] == [True] * 5
    assert [stored_csv.is_text(f"a{one}") for one in (".parquet", ".ndjson", ".ndjson.gz", "")] == [False] * 4


def test_a_text_is_read_into_a_table_with_what_its_writer_needs(small, tmp_path):
    text = read_stored_text(small)
    assert (text.origin["path"], text.origin["dialect"]["decimal"], text.origin["format"]) == (str(small), ",", "csv")
    assert list(text.remembered) == ["pay"]
    source = stored_csv.CsvSource(text, DECLARED, [small, tmp_path / "s.toml", small])
    assert source.inputs == (str(small), str(tmp_path / "s.toml"))
    assert (repr(source), len(source), source.decimal) == ("CsvSource(4 records)", 4, ",")
    some = source.in_memory(["pay", "age"]).to_arrow().to_pydict()
    assert some == {"age": [31, 42, 27, 55], "pay": [1.5, 2.25, 3, 4.75]}
    parts = list(source.batches(3))
    assert [len(part) for part in parts] == [3, 1]
    assert [part.origin["verbatim"]["pay"].to_pylist() for part in parts] == [["1,50", "2,25", "3,00"], ["4,75"]]
    assert "pay" not in source.in_memory(["age"]).origin["verbatim"]


def test_a_release_is_written_as_its_original_and_can_be_read_at_once(small, tmp_path):
    source = dc.scan(small, DECLARED)
    target = stored_csv.CsvTarget(tmp_path / "out.csv", [small])
    masked = [part.replacing({"age": [40.0] * len(part)}) for part in source.batches(3)]
    target.write(masked)
    content = (tmp_path / "out.csv").read_bytes()
    assert content == b"age;pay;town\n40;1,50;Aa\n40;2,25;Bb\n40;3,00;Aa\n40;4,75;Cc\n"
    stored = target.stored(DECLARED)
    assert (len(stored), stored.inputs, stored.decimal) == (4, (str(tmp_path / "out.csv"),), ",")
    assert stored.in_memory(NAMES).to_arrow().column("age").to_pylist() == [40] * 4
    step = source.step_target(tmp_path / "unused")
    step.write(masked)
    again = step.stored(DECLARED)
    assert (again.inputs, again.in_memory(["age"]).to_arrow().column("age").to_pylist()) == ((), [40] * 4)
    assert [part.origin["verbatim"]["pay"].to_pylist() for part in again.batches(3)][1] == ["4,75"]
    with pytest.raises(FileError, match="also an input"):
        stored_csv.CsvTarget(small, [small])


def test_numbers_that_were_masked_in_one_part_are_written_anew_in_all(small, tmp_path):
    source = dc.scan(small, DECLARED)
    first, second = source.batches(3)
    target = stored_csv.CsvTarget(tmp_path / "out.csv.gz", [small])
    other = dc.Microdata(second.replacing({"pay": [9.5]}).to_native(), DECLARED, origin=second.origin)
    target.write([first, other])
    lines = gzip.decompress((tmp_path / "out.csv.gz").read_bytes()).decode().splitlines()
    assert lines == ["age;pay;town", "31;1,5;Aa", "42;2,25;Bb", "27;3;Aa", "55;9,5;Cc"]


def test_other_encodings_are_written_a_part_at_a_time(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("town,n\n".encode("utf-16") + "".join(f"é{i},{i}\n" for i in range(150)).encode("utf-16-le"))
    schema = dc.read(path).schema
    target = stored_csv.CsvTarget(tmp_path / "out.csv")
    target.write(dc.scan(path, schema).batches(70))
    assert (tmp_path / "out.csv").read_bytes() == path.read_bytes()


def test_the_last_bytes_of_a_file_packed_or_not(tmp_path):
    content = bytes(range(200)) * 3
    (tmp_path / "a.csv").write_bytes(content)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(content))
    (tmp_path / "b.csv").write_bytes(b"short")
    assert stored_csv._last_bytes(tmp_path / "a.csv") == stored_csv._last_bytes(tmp_path / "a.csv.gz") == content[-64:]
    assert stored_csv._last_bytes(tmp_path / "b.csv") == b"short"


def test_a_release_that_fails_leaves_nothing(small, tmp_path):
    source = dc.scan(small, DECLARED)

    def broken():
        yield next(iter(source.batches(3)))
        raise RuntimeError("no more")

    for target in (stored_csv.CsvTarget(tmp_path / "out.csv"), stored_csv._StepTarget()):
        with pytest.raises(RuntimeError, match="no more"):
            target.write(broken())
    assert [path.name for path in tmp_path.iterdir()] == ["small.csv"]
    gc.collect()
    assert not list(Path(tempfile.gettempdir()).glob("discreet-work-*/released.parquet"))
