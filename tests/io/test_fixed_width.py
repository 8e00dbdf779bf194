"""Files of fixed width with the metadata of μ-Argus."""

from __future__ import annotations

import pyarrow as pa
import pytest

import discreet as dc
from discreet.data.inference import Proposal
from discreet.errors import DataError, DiscreetError, FileError, SchemaError
from discreet.io import fixed_width
from discreet.io.fixed_width import Variable, read_rda

RDA = """REGION 1 2 99 98
  <RECODEABLE>
  <CODELIST> region.cdl
  <IDLEVEL> 1
AGE 3 3 999
  <NUMERIC>
JOB 6 4
  <RECODEABLE>
  <IDLEVEL> 0
  <SUPPRESSWEIGHT> 50
INCOME 11 7
  <NUMERIC>
  <DECIMALS> 2
W 19 5
  <NUMERIC>
  <DECIMALS> 1
  <WEIGHT>
HH 25 4
  <HOUSE_ID>
"""


def line(i):
    region = "99" if i % 20 == 0 else f"{i % 3 + 1:2d}"
    return f"{region}{20 + i % 40:3d}{i % 4:04d} {100 * i + 25:7d} {1.5 + i % 2:5.1f} {i:04d}"


def survey(folder, n=60, rda=RDA, ending=".asc", end="\r\n"):
    (folder / "s.rda").write_text(rda)
    (folder / f"s{ending}").write_bytes("".join(line(i) + end for i in range(n)).encode())
    return folder / f"s{ending}"


@pytest.mark.parametrize("ending", [".asc", ".dat", ".fwf"])
def test_the_metadata_become_the_schema(ending, tmp_path):
    table = dc.read(survey(tmp_path, ending=ending))
    about = {a.name: (a.role, a.scale.kind, a.missing) for a in table.schema}
    assert about["AGE"] == ("confidential", "numeric", (999,))
    assert about["REGION"][0] == "key"
    assert about["REGION"][2] == (99, 98)
    assert about["JOB"][0] == "other"
    assert about["W"] == ("weight", "numeric", ())
    assert about["HH"][0] == "identifier"
    assert table.missing("REGION").sum() == 3
    cells = table.to_arrow().slice(1, 1).to_pylist()[0]
    assert cells == {"REGION": 2, "AGE": 21, "JOB": "0001", "INCOME": 1.25, "W": 2.5, "HH": "0001"}


def test_a_release_stands_where_the_original_did_with_metadata_of_its_own(tmp_path):
    masked = dc.protect(dc.read(survey(tmp_path)), "mdav", k=5, attributes=["AGE"])
    dc.write(masked, tmp_path / "m.asc")
    lines = (tmp_path / "m.asc").read_bytes().decode().split("\r\n")
    ages = [int(text[2:5]) for text in lines[:-1]]
    assert ages == masked.microdata.column("AGE").to_pylist()
    assert min(ages.count(age) for age in ages) >= 5
    assert [text[5:9] for text in lines[:-1]] == [f"{i % 4:04d}" for i in range(60)]
    assert all(not text[24:].strip() for text in lines), "the household's number is an identifier"
    about = {one.name: one for one in read_rda(tmp_path / "m.rda")}
    assert "HH" not in about
    assert (about["AGE"].start, about["AGE"].width) == (3, 3)
    assert about["W"].words == {"NUMERIC": "", "DECIMALS": "1", "WEIGHT": ""}
    back = dc.read(tmp_path / "m.asc").to_arrow()
    assert back.to_pydict() == masked.microdata.to_arrow().to_pydict()


def test_a_frame_gets_a_layout_of_its_own(tmp_path):
    frame = {"age": [31, 45, 27] * 4, "town": ["Oslo", "Bergen", "Vik"] * 4, "wage": [1.5, 20.25, 3.0] * 4}
    dc.write(dc.microdata(frame), tmp_path / "m.fwf")
    text = (tmp_path / "m.fwf").read_text().splitlines()
    assert text[:2] == ["31 Oslo     1.5", "45 Bergen 20.25"]
    assert dc.read(tmp_path / "m.fwf").to_arrow().to_pydict() == frame


@pytest.mark.parametrize(
    ("rda", "error", "said"),
    [
        ("", FileError, "names no variable"),
        ("AGE one 2\n", FileError, "Line 1 .* is neither"),
        ("AGE 0 2\n", FileError, "Line 1 .* is neither"),
        ("A 1 2\nA 3 2\n", SchemaError, "'A' 2 times"),
        ("A 1 3\nB 2 2\n", SchemaError, "'A' and 'B' overlap"),
        ('<SEPARATOR> ";"\nA 1 2\n', FileError, "with a separator"),
        ("A 1 2\nZ 900 4\n", FileError, "60 of 60 lines .* too short"),
        ("A 6 4\n <NUMERIC>\nB 1 5\n <NUMERIC>\n", DataError, "no numbers"),
        ("RDX3\nX\n", FileError, "files of R"),
    ],
)
def test_metadata_that_do_not_fit_are_refused(rda, error, said, tmp_path):
    path = survey(tmp_path, rda=rda)
    if "no numbers" in said:
        path.write_text("12 x secret\n" * 60)
    with pytest.raises(error, match=said) as caught:
        dc.read(path)
    assert "secret" not in str(caught.value)


def test_hostile_files_are_refused_and_nothing_is_left(tmp_path):
    path = survey(tmp_path)
    for content in (b"", b"\n\n", b"\0" * 100, b"short\n"):
        path.write_bytes(content)
        with pytest.raises(DiscreetError):
            dc.read(path)
    (tmp_path / "alone.asc").write_text("12\n")
    with pytest.raises(FileError, match="no 'alone.rda' beside it"):
        dc.read(tmp_path / "alone.asc")


@pytest.mark.parametrize("text", ["two\nlines", " blank", ""])
def test_text_that_would_not_come_back_is_refused(text, tmp_path):
    with pytest.raises(DataError):
        dc.write(dc.microdata({"a": [text, "x", "y"], "b": [1, 2, 3]}), tmp_path / "m.asc")
    assert not list(tmp_path.iterdir())


def test_both_files_are_written_or_none(tmp_path):
    survey(tmp_path)
    table = dc.read(tmp_path / "s.asc")
    before = (tmp_path / "s.rda").read_bytes()
    with pytest.raises(FileError, match="also an input"):
        dc.write(table, tmp_path / "s.dat", [tmp_path / "s.rda"])
    assert (tmp_path / "s.rda").read_bytes() == before
    assert not (tmp_path / "s.dat").exists()


def test_a_variable_of_which_nothing_is_said_stays_as_it_looks(tmp_path):
    plain = RDA.replace("AGE 3 3 999\n  <NUMERIC>", "AGE 3 3 59")
    schema = dc.inspect(survey(tmp_path, rda=plain)).schema
    assert schema["AGE"].missing == (59,)
    assert schema["AGE"].scale == dc.inspect(survey(tmp_path)).schema["AGE"].scale
    assert schema["REGION"].role == "key"


@pytest.mark.parametrize(
    ("fields", "words", "read"),
    [
        (["1", "+2", "-3", None], {}, [1, 2, -3, None]),
        (["0", "7"], {}, [0, 7]),
        (["01", "7"], {}, ["01", "7"]),
        (["1.5", "7"], {}, ["1.5", "7"]),
        (["9" * 18, "1"], {}, [10**18 - 1, 1]),
        (["9" * 19, "1"], {}, ["9" * 19, "1"]),
        ([None, None], {}, [None, None]),
        (["01", "+7"], {"NUMERIC": ""}, [1, 7]),
        (["01", "7"], {"WEIGHT": ""}, [1, 7]),
        (["1,5", "7."], {"NUMERIC": ""}, [1.5, 7.0]),
        ([".5", "+7"], {"NUMERIC": ""}, [0.5, 7.0]),
        (["9" * 19, "1"], {"NUMERIC": ""}, [1e19, 1.0]),
        (["125", "-50", None], {"NUMERIC": "", "DECIMALS": "2"}, [1.25, -0.5, None]),
        (["1.25", "50"], {"NUMERIC": "", "DECIMALS": "2"}, [1.25, 50.0]),
        (["125"], {"NUMERIC": "", "DECIMALS": "x"}, [125]),
        (["125"], {"NUMERIC": "", "DECIMALS": "0"}, [125]),
        ([None], {"NUMERIC": ""}, [None]),
    ],
)  # fmt: skip
def test_fields_are_numbers_where_the_metadata_say_so_or_nothing_is_lost(fields, words, read):
    typed = fixed_width._typed(pa.array(fields, pa.string()), Variable("x", 1, 20, (), words)).to_pylist()
    assert (typed, [type(one) for one in typed]) == (read, [type(one) for one in read])


@pytest.mark.parametrize(
    ("code", "kind", "value"),
    [
        ("99", pa.int64(), 99), ("099", pa.string(), "099"), ("9,5", pa.float64(), 9.5), ("9.0", pa.float64(), 9),
        ("-1", pa.int64(), -1), (".5", pa.float64(), 0.5), ("NA", pa.int64(), "NA"), ("9.", pa.int64(), "9."),
    ],
)  # fmt: skip
def test_missing_codes_are_of_the_type_of_their_column(code, kind, value):
    found = fixed_width._code(code, pa.array([], kind))
    assert (found, type(found)) == (value, type(value))


def test_every_part_of_the_metadata(tmp_path):
    path = tmp_path / "s.rda"
    path.write_bytes(
        '\ufeff# about\n// more\n<VERSION> 2\n\nAGE  1 3 "999" 998 999\n <numeric> <DECIMALS> 1\nB 4 1\n\n'
        "  <IDLEVEL>  3\n\t<Codelist> b.cdl <X>\nÄ 6 2\n".encode()
    )
    age, second, third = read_rda(path)
    assert age == Variable("AGE", 1, 3, ("999", "998"), {"NUMERIC": "", "DECIMALS": "1"})
    assert (age.lines, age.decimals) == ({"NUMERIC": 6, "DECIMALS": 6}, 1)
    assert second == Variable("B", 4, 1, (), {"IDLEVEL": "3", "CODELIST": "b.cdl", "X": ""})
    assert (second.lines, second.decimals) == ({"IDLEVEL": 9, "CODELIST": 10, "X": 10}, 0)
    assert third == Variable("Ä", 6, 2)
    path.write_bytes("Ä 1 2\n".encode("cp1252"))
    assert read_rda(path) == (Variable("Ä", 1, 2),)
    for text in ("\x1f\x8b", "A 1 2\n\0", "RDX2\n"):
        path.write_text(text)
        with pytest.raises(FileError, match="files of R"):
            read_rda(path)
    for text in ("A 1 0\n", "A 1 2\nA B\n", "<A\n"):
        path.write_text(text)
        with pytest.raises(FileError, match=f"Line {text.count(chr(10))} .* neither a variable"):
            read_rda(path)
    for text, said in (("B 3 2\nA 1 3\n", "'A' and 'B' overlap"), ("A 1 1\nB 2 1\nA 5 1\nA 7 1\n", "'A' 3 times")):
        path.write_text(text)
        with pytest.raises(SchemaError, match=said):
            read_rda(path)
    path.write_text("B 3 2\nA 1 2\n")
    assert [one.name for one in read_rda(path)] == ["B", "A"]


@pytest.mark.parametrize("ending", [".rda", ".RDA", ".Rda"])
def test_lines_of_every_kind(tmp_path, ending):
    (tmp_path / f"s{ending}").write_text("B 3 3\nA 1 2\n")
    path = tmp_path / "s.dat"
    path.write_bytes(b"\xef\xbb\xbfa 1\r\nb 2  x\rc 345\n \t\n\x1a")
    table, origin = fixed_width.read_fixed_width(path)
    assert table.to_pydict() == {"B": [1, 2, 345], "A": ["a", "b", "c"]}
    assert origin == {
        "format": "fixed", "path": str(path), "fixed": {"B": Variable("B", 3, 3), "A": Variable("A", 1, 2)},
        "line": (5, "\r\n"),
    }  # fmt: skip
    path.write_bytes("é 1\nb\nü\n".encode("latin-1"))
    with pytest.raises(FileError, match="2 of 3 lines .* the first in line 2"):
        fixed_width.read_fixed_width(path, encoding="latin-1")
    path.write_bytes("é 1\n".encode("latin-1"))
    table, origin = fixed_width.read_fixed_width(path, encoding="latin-1")
    assert (table.to_pydict(), origin["line"]) == ({"B": [1], "A": ["é"]}, (5, "\n"))
    for content, said in ((b" \n", "is empty"), (b"a 1\0\n", "not a text file")):
        path.write_bytes(content)
        with pytest.raises(FileError, match=said):
            fixed_width.read_fixed_width(path)


def laid_out(values, layout=None, roles=None, missing=None, scales=None):
    attributes = [
        dc.Attribute(name, (scales or {}).get(name, dc.Numeric()), (roles or {}).get(name, "other"),
                     (missing or {}).get(name, ()))
        for name in values
    ]  # fmt: skip
    origin = {} if layout is None else {"fixed": layout, "line": (9, "\r\n")}
    return dc.Microdata(pa.table(values), dc.Schema(attributes), origin=origin)


def test_a_release_is_laid_out_as_the_original_as_far_as_all_have_room(tmp_path):
    layout = {"x": Variable("x", 4, 3, ("9",), {"NUMERIC": "", "DECIMALS": "1"}), "t": Variable("t", 1, 2)}
    scales, path = {"t": dc.Nominal(["a", "bb"])}, tmp_path / "m.dat"

    def written(values, **changes):
        table = laid_out(values, **{"layout": layout, "scales": scales, **changes})
        fixed_width.write_fixed_width(table, path)
        return path.read_bytes(), fixed_width.rda_text(table)

    about = "{} {} {}\n  <NUMERIC>\n  <DECIMALS> 1\n{} {} {}\n  <RECODEABLE>\n  <IDLEVEL> 0\n"
    assert written({"x": [1.25, None], "t": ["a", "bb"]}) == (
        b"a  1.2\r\nbb    \r\n", about.format("x", 4, 3, "t", 1, 2)
    )  # fmt: skip
    # One that has no room, or stood nowhere, and all stand anew.
    assert written({"x": [10.0, None], "t": ["a", "bb"]}) == (
        b"10.0 a \r\n     bb\r\n", about.format("x", 1, 4, "t", 6, 2)
    )  # fmt: skip
    content, told = written({"x": [1.0, 2.0], "n": [5, None]})
    assert content == b"1.0 5\r\n2.0  \r\n"
    assert told == "x 1 3\n  <NUMERIC>\n  <DECIMALS> 1\nn 5 1\n  <NUMERIC>\n"
    assert written({"x": [3, 20], "t": ["a", "a"]}) == (
        b"a    3\r\na   20\r\n", about.format("x", 4, 3, "t", 1, 2)
    )  # fmt: skip
    assert written({"t": [None, "a"]}, layout=None)[0] == b" \na\n"


def test_the_metadata_say_what_a_column_is():
    table = laid_out(
        {"w": [1.5], "k": ["a"], "o": ["b"], "id": ["c"], "n": [2]},
        roles={"w": "weight", "k": "key", "id": "identifier"},
        scales={name: dc.Nominal(["a", "b", "c"]) for name in ("k", "o", "id")},
        missing={"k": ("zz", "y"), "n": (-9,)},
    )
    text = fixed_width.rda_text(table)
    assert text == (
        "w 1 3\n  <NUMERIC>\n  <WEIGHT>\nk 5 1 zz y\n  <RECODEABLE>\n  <IDLEVEL> 1\no 7 1\n  <RECODEABLE>\n"
        "  <IDLEVEL> 0\nid 9 1\n  <HOUSE_ID>\nn 11 1 -9\n  <NUMERIC>\n"
    )
    assert fixed_width.places_in(text) == {
        "w": slice(0, 3), "k": slice(4, 5), "o": slice(6, 7), "id": slice(8, 9), "n": slice(10, 11),
    }  # fmt: skip
    for values, missing in (
        ({"a b": [1]}, {}),
        ({"a<": [1]}, {}),
        ({"a": [1]}, {"a": ("",)}),
        ({"a": [1]}, {"a": ("x y",)}),
    ):
        with pytest.raises(SchemaError, match="cannot hold"):
            fixed_width.rda_text(laid_out(values, missing=missing, scales={n: dc.Nominal([1]) for n in values}))


@pytest.mark.parametrize(
    ("words", "role", "kind", "levels"),
    [
        ({"WEIGHT": "", "NUMERIC": ""}, "weight", "numeric", None),
        ({"HOUSE_ID": ""}, "identifier", "nominal", ("",)),
        ({"RECODEABLE": ""}, "key", "nominal", (1, 3)),
        ({"RECODEABLE": "", "IDLEVEL": "1"}, "key", "nominal", (1, 3)),
        ({"RECODEABLE": "", "IDLEVEL": "0"}, "other", "nominal", (1, 3)),
        ({"NUMERIC": ""}, "confidential", "numeric", None),
        ({"DECIMALS": "1"}, "key", "numeric", None),
        ({"FURTHER": "1"}, "key", "numeric", None),
        ({}, "key", "numeric", None),
    ],
)
def test_what_is_declared_goes_before_what_was_guessed(words, role, kind, levels):
    proposal = Proposal(
        dc.Schema([dc.Attribute("x", dc.Numeric(), "key")]), reasons={"x": "guessed"}, n_records=5, missing={"x": 0}
    )  # fmt: skip
    table = pa.table({"x": [3, 1, 9, None, 8]})
    found = fixed_width.declared_by_rda(proposal, table, {"x": Variable("x", 1, 1, ("9", "8"), words)})
    attribute = found.schema["x"]
    assert (attribute.role, attribute.scale.kind, getattr(attribute.scale, "levels", None)) == (role, kind, levels)
    assert (attribute.missing, found.missing) == ((9, 8), {"x": 3})
    known = [f"<{word}>" for word in words if word != "FURTHER"]
    assert found.reasons == {"x": f"the metadata of μ-Argus say {', '.join(known)}" if known else "guessed"}


def test_a_declared_order_stays_and_a_column_without_values_has_a_level():
    proposal = Proposal(
        dc.Schema([dc.Attribute("x", dc.Ordinal([3, 9, 1]), "key"), dc.Attribute("y", dc.Nominal([9]), "key")]),
        reasons={}, n_records=2, missing={},
    )  # fmt: skip
    about = {name: Variable(name, 1, 1, ("9",), {"RECODEABLE": ""}) for name in ("x", "y")}
    found = fixed_width.declared_by_rda(proposal, pa.table({"x": [1, 3], "y": [9, 9]}), about)
    assert found.schema["x"].scale == dc.Ordinal([3, 1])
    assert found.schema["y"].scale == dc.Nominal(["(no value)"])
    assert found.missing == {"x": 0, "y": 2}
