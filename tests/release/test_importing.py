"""Files of other tools become protocols that run, and nothing of them is dropped without a word."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import discreet as dc
from discreet.cli import main
from discreet.errors import FileError, ParameterError, SchemaError
from discreet.release import importing
from discreet.release.imported import Imported, Unread
from discreet.release.importing import ImportedProtocol, import_protocol, save_imported
from discreet.release.protocol_parts import Step

PEOPLE = pl.DataFrame(
    {
        "name": [f"person {i}" for i in range(60)],
        "region": [("north", "south")[i % 2] for i in range(60)],
        "sex": [("f", "m")[i // 2 % 2] for i in range(60)],
        "age": [20 + i % 50 for i in range(60)],
        "income": [1000.5 + 37 * i for i in range(60)],
        "illness": [("flu", "none", "cold")[i % 3] for i in range(60)],
    }
)
SCRIPT = """\
d <- read.csv("people.csv")
sdc <- createSdcObj(d, keyVars = c("region", "sex", "age"), numVars = "income", sensibleVar = "illness")
sdc <- globalRecode(sdc, column = "age", breaks = c(20, 40, 60, 80))
sdc <- kAnon(sdc, k = 3)
sdc <- microaggregation(sdc, aggr = 3)
mystery(sdc)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    PEOPLE.write_csv(tmp_path / "people.csv")
    (tmp_path / "script.R").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_script_becomes_a_protocol_that_runs_and_keeps_k(folder):
    assert main._code(["import", "script.R", "-o", "protocol.toml"]) == 0
    text = (folder / "protocol.toml").read_text()
    assert "# - line 6: mystery: no call of sdcMicro that is known here" in text
    protocol = dc.Protocol.load("protocol.toml")
    assert [step.method for step in protocol.steps] == ["banding", "local-suppression", "mdav"]
    assert {a.name: a.role for a in protocol.schema}["illness"] == "confidential"
    assert {a.name: a.role for a in protocol.schema}["income"] == "key"
    assert main._code(["run", "protocol.toml", "-o", "release"]) in (0, 1)  # its own thresholds may be missed
    released = pl.read_csv(folder / "release" / "people-masked.csv", infer_schema=False)
    sizes = released.group_by("region", "sex", "age").len()
    assert sizes.filter(pl.all_horizontal(pl.col("region", "sex", "age").is_not_null()))["len"].min() >= 3
    assert PEOPLE["income"].cast(pl.String).to_list() != released["income"].to_list()


def test_columns_by_their_places(folder):
    (folder / "places.R").write_text(
        "sdc <- createSdcObj(d, keyVars = c(2, 3), numVars = 5)\nrankSwap(sdc, variables = 5)"
    )
    imported = import_protocol("places.R", data="people.csv")
    assert imported.protocol.schema.keys == ("region", "sex", "income")
    assert imported.protocol.steps[0].parameters["attributes"] == ["income"]
    (folder / "far.R").write_text("sdc <- createSdcObj(d, keyVars = c(2, 30))")
    with pytest.raises(SchemaError, match="Column 30 is named by its place, and the data have 6 columns"):
        import_protocol("far.R", data="people.csv")


def project(definition, config, **files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr("input/definition.xml", definition)
        packed.writestr("input/config.xml", config)
        for name, text in files.items():
            packed.writestr(name.replace("__", "/").replace("_csv", ".csv"), text)
    return buffer.getvalue()


def assignment(name, kind, **more):
    extra = "".join(f"<{key}>{value}</{key}>" for key, value in more.items())
    return f"<assigment><name>{name}</name><type>{kind}</type><datatype>String</datatype>{extra}</assigment>"


DEFINITION = "<definition>" + "".join(
    [
        assignment("name", "IDENTIFYING_ATTRIBUTE"),
        assignment("region", "QUASI_IDENTIFYING_ATTRIBUTE", ref="hierarchies/region.csv", min="All", max="All"),
        assignment("sex", "QUASI_IDENTIFYING_ATTRIBUTE", ref="hierarchies/sex.csv", min="0", max="All"),
        assignment("age", "INSENSITIVE_ATTRIBUTE"),
        assignment("income", "INSENSITIVE_ATTRIBUTE"),
        assignment("illness", "SENSITIVE_ATTRIBUTE"),
    ]
) + "</definition>"  # fmt: skip
CONFIG = (
    "<config><relativeMaxOutliers>0.05</relativeMaxOutliers><metric>Non-uniform entropy</metric><criteria>"
    "<criterion>5-anonymity</criterion><criterion>distinct-2-diversity for attribute 'illness'</criterion>"
    "<criterion>(0.1, 0.2)-mystery for 3 'x'</criterion></criteria></config>"
)


def arx(folder, config=CONFIG):
    content = project(
        DEFINITION, config, data__input_csv=PEOPLE.write_csv(separator=";"),
        input__hierarchies__region_csv="north;*\nsouth;*\n", input__hierarchies__sex_csv="f;*\nm;*\n",
    )  # fmt: skip
    (folder / "project.deid").write_bytes(content)


def test_a_project_brings_its_data_and_hierarchies_and_runs(folder):
    arx(folder)
    (folder / "arx").mkdir()
    assert main._code(["import", "project.deid", "-o", "arx/protocol.toml"]) == 0
    assert sorted(path.name for path in (folder / "arx").iterdir()) == [
        "hierarchy_region.csv", "hierarchy_sex.csv", "project.csv", "protocol.toml",
    ]  # fmt: skip
    protocol = dc.Protocol.load("arx/protocol.toml")
    (step,) = protocol.steps
    assert step.parameters["models"] == "k=5; l-diversity=2 illness"
    assert (step.parameters["suppression"], step.parameters["objective"]) == (0.05, "entropy")
    roles = {a.name: a.role for a in protocol.schema}
    assert roles == {"name": "identifier", "region": "key", "sex": "key", "age": "other", "income": "other",
                     "illness": "confidential"}  # fmt: skip
    text = (folder / "arx" / "protocol.toml").read_text()
    assert "config: a privacy model: no equivalent is known of -mystery for" in text
    assert "minimum step of 'sex'" in text
    assert main._code(["run", "arx/protocol.toml", "-o", "arx/release"]) in (0, 1)
    released = pl.read_csv(folder / "arx" / "release" / "project-masked.csv", separator=";")
    assert "name" not in released.columns
    sizes = released.group_by("region", "sex").agg(pl.len(), pl.col("illness").n_unique())
    assert sizes["len"].min() >= 5
    assert sizes["illness"].min() >= 2


def test_metadata_and_recodings_of_argus(folder):
    lines = [f"{'NS'[i % 2]}{20 + i % 50}{i % 2 + 1}" for i in range(40)]
    (folder / "survey.asc").write_text("\n".join(lines) + "\n")
    (folder / "survey.rda").write_text(
        "region 1 1\n<RECODEABLE>\n<IDLEVEL> 1\nage 2 2\n<NUMERIC>\nsex 4 1\n<RECODEABLE>\n<IDLEVEL> 2\n<TRUNCABLE>\n"
    )
    imported = import_protocol("survey.rda")
    (step,) = imported.protocol.steps
    assert step.parameters["levels"] == {"region": 1, "sex": 2}
    assert "line 9: <TRUNCABLE>: not taken over, of the variable sex" in map(str, imported.unread)
    (folder / "region.grc").write_text("all:north,south\n")
    imported = import_protocol("region.grc", data="people.csv")
    assert imported.protocol.steps[0].parameters["hierarchies"] == {"region": "region.grc"}
    save_imported(imported, folder / "there.toml", [folder / "region.grc"])
    assert dc.run("there.toml").masked.microdata.column("region").to_pylist() == ["all"] * 60


def test_lines_of_a_recoding_that_cannot_be_read_are_listed_and_the_rest_runs(folder):
    (folder / "region.grc").write_bytes(
        "north: north\nno rule\n\nsüd: south\n<ODD> 3\n<CODELIST> a.cdl\n9: -\n<MISSING> 3\n".encode("cp1252")
    )
    imported = import_protocol("region.grc", data="people.csv")
    assert [(one.where, one.what) for one in imported.unread] == [
        ("line 2", "a line of the recoding"),
        ("line 5", "a line of the recoding"),
        ("line 6", "<CODELIST>"),
        ("line 7", "a line of the recoding"),
        ("line 8", "<MISSING>"),
    ]
    assert main._code(["import", "region.grc", "--data", "people.csv", "-o", "there.toml"]) == 0
    assert set(dc.run("there.toml").masked.microdata.column("region").to_pylist()) == {"north", "süd"}


def test_open_ends_of_breaks_run(folder):
    (folder / "open.R").write_text(
        'sdc <- createSdcObj(d, keyVars = c("age", "sex"))\nglobalRecode(sdc, "age", c(-Inf, 30, 40, Inf))\n'
    )
    assert main._code(["import", "open.R", "--data", "people.csv", "-o", "open.toml"]) == 0
    assert set(dc.run("open.toml").masked.microdata.column("age").to_pylist()) == {"<30", "30–39", "40+"}


@pytest.mark.parametrize("name", ["nothing.R", "nothing.grc"])
@pytest.mark.parametrize("content", [b"", b" \n\n", bytes(range(256)) * 4, b"just some words\nand more\n"])
def test_a_file_in_which_nothing_can_be_read_is_refused(folder, name, content):
    (folder / name).write_bytes(content)
    assert main._code(["import", name, "--data", "people.csv", "--attribute", "region", "-o", "out.toml"]) == 2
    assert sorted(path.name for path in folder.iterdir()) == sorted([name, "people.csv", "script.R"])


def test_bad_input_gets_its_sentence_and_no_file(folder):
    (folder / "x.txt").write_text("")
    (folder / "none.R").write_text("kAnon(sdc)")
    (folder / "broken.deid").write_bytes(b"PK no zip")
    (folder / "gone.R").write_text('d <- read.csv("gone.csv")')
    (folder / "stranger.R").write_text('sdc <- createSdcObj(d, keyVars = "sex")\nrankSwap(sdc, variables = "shoe")')
    for path, error, message in [
        ("x.txt", FileError, "is none of .R, .deid, .rda, .grc"),
        ("none.R", ParameterError, "does not say which file it is about"),
        ("broken.deid", FileError, "no project of ARX that can be read"),
        ("gone.R", FileError, "which is not there"),
        ("missing.R", FileError, "There is no file"),
    ]:
        with pytest.raises(error, match=message):
            import_protocol(path)
        assert main._code(["import", path, "-o", "out.toml"]) == 2
    with pytest.raises(SchemaError, match="masks 'shoe', which the data do not have"):
        import_protocol("stranger.R", data="people.csv")
    bomb = project('<!DOCTYPE d [<!ENTITY a "aa">]><definition/>', CONFIG)
    (folder / "bomb.deid").write_bytes(bomb)
    with pytest.raises(FileError, match="declares entities"):
        import_protocol("bomb.deid")
    assert not (folder / "out.toml").exists()
    (folder / "protocol.toml").write_text("mine")
    assert main._code(["import", "script.R", "-o", "protocol.toml"]) == 2
    assert (folder / "protocol.toml").read_text() == "mine"


def test_every_word_of_metadata_is_read_or_listed_by_its_line(folder):
    lines = [f"{'NS'[i % 2]}{20 + i % 50}{i % 2 + 1}{1 + i % 3}.50" for i in range(40)]
    (folder / "survey.asc").write_text("\n".join(lines) + "\n")
    (folder / "survey.rda").write_text(
        "<VERSION> 4\nregion 1 1\n<RECODEABLE> <IDLEVEL> one\nage 2 2\n<NUMERIC>\nsex 4 1\n<RECODEABLE>\n"
        "<HOUSEHOLD>\nw 5 4\n<NUMERIC> <DECIMALS> 2 <WEIGHT>\n"
    )
    imported = import_protocol("survey.rda")
    assert [(one.where, one.what) for one in imported.unread] == [
        ("line 1", "<VERSION>"), ("line 3", "<IDLEVEL>"), ("line 8", "<HOUSEHOLD>"),
    ]  # fmt: skip
    assert imported.protocol.schema["w"].role == "weight"


@pytest.mark.parametrize(
    "text", ["1: 1\n2: 1, 2\n", "1: 0-14\n\njunk\n2: 10-20\n", "1: 30-\n2: 95\n", "1: -5\n2: 3-\n"]
)
def test_a_recoding_that_says_two_things_of_one_code_is_not_imported(folder, text):
    (folder / "sex.grc").write_text(text)
    number = text.splitlines().index(next(line for line in text.splitlines() if line.startswith("2:"))) + 1
    with pytest.raises(FileError, match=rf"Lines 1 and {number} of the recode file both recode one code"):
        import_protocol("sex.grc", data="survey.csv")


@pytest.mark.parametrize("argument", ["strataVar", "weightVar", "hhId", "sensibleVar"])
@pytest.mark.parametrize("column", ['"region"', "2"])
def test_a_key_that_is_something_else_too_stays_known_to_the_intruder(folder, argument, column):
    (folder / "both.R").write_text(
        f'sdc <- createSdcObj(d,\n keyVars = c("region", "sex"), {argument} = {column})\nsdc <- kAnon(sdc, k = 3)\n'
    )
    imported = import_protocol("both.R", data="people.csv")
    assert imported.protocol.schema.keys == ("region", "sex")
    (step,) = imported.protocol.steps
    assert step.parameters["attributes"] == ["region", "sex"]
    assert "strata" not in step.parameters
    listed = list(map(str, imported.unread))
    assert "not taken over: 'region' is a key already" in listed[0]
    assert listed[0].startswith("line 1: the role ")
    assert [one.partition(": not")[0] for one in listed[1:]] == (
        ["line 3: strata of local-suppression"] if argument == "strataVar" else []
    )
    assert all(one in imported.protocol.to_toml().replace("\n# ", " ") for one in listed)
    assert main._code(["import", "both.R", "--data", "people.csv", "-o", "both.toml"]) == 0
    dc.run("both.toml")


def test_strata_that_a_step_does_not_mask_stay_its_strata(folder):
    (folder / "both.R").write_text(
        'sdc <- createSdcObj(d, keyVars = c("region", "sex"), numVars = "income", strataVar = "region")\n'
        "sdc <- microaggregation(sdc, aggr = 3)\n"
    )
    imported = import_protocol("both.R", data="people.csv")
    assert imported.protocol.steps[0].parameters["strata"] == ["region"]
    assert [one.what for one in imported.unread] == ["the role stratum"]


def test_of_several_weights_one_is_taken_and_the_others_are_listed(folder):
    (folder / "two.R").write_text('sdc <- createSdcObj(d, keyVars = "sex", weightVar = c("income", "age"))\n')
    imported = import_protocol("two.R", data="people.csv")
    assert imported.protocol.schema.weight == "income"
    assert [(one.where, one.what) for one in imported.unread] == [("line 1", "the weight 'age'")]


# ------------------------------------------------------------------------------------------------------- part by part


def test_every_line_of_a_recoding_is_kept_or_listed(tmp_path):
    path = tmp_path / "AGE.grc"
    path.write_text("1: 1-5\nzz zz zz\n<MISSING> 9\n<CODELIST> c.cdl\n<TREERECODE>\n<WHAT> 3\n\n2: 6-9\n")
    imported = importing._read(path, None)
    assert (imported.tool, imported.columns) == ("μ-Argus", {"nominal": ["AGE"], "keys": ["AGE"]})
    assert [(step.method, dict(step.parameters), note) for step, note in imported.steps] == [
        ("hierarchy-recoding", {"hierarchies": {"AGE": "AGE-read.grc"}},
         "the recoding AGE.grc, as far as it could be read")
    ]  # fmt: skip
    assert list(map(str, imported.unread)) == [
        "line 2: a line of the recoding: not taken over: it must be NEW: OLD, FROM-TO, …",
        "line 3: <MISSING>: declare these codes of the attribute, as missing = [...]",
        "line 4: <CODELIST>: not taken over",
        "line 5: <TREERECODE>: not taken over",
        "line 6: a line of the recoding: not taken over: it begins with a word that is not known",
    ]
    assert imported.files == {"AGE-read.grc": b"1: 1-5\n<MISSING> 9\n<CODELIST> c.cdl\n<TREERECODE>\n\n2: 6-9\n"}
    for content, name in (
        (b"1: 1-5\n2: 6-9\n", "AGE.grc"), (b"\xef\xbb\xbf1: 1-5\n", "AGE.grc"), (b"\xe9: 1-5\n", "AGE-read.grc"),
        (b"1: 1-5\n\x1a", "AGE-read.grc"), ("1: 1-5\n".encode("utf-16"), "AGE-read.grc"),
    ):  # fmt: skip
        path.write_bytes(content)
        imported = importing._read(path, "years")
        assert imported.columns["keys"] == ["years"]
        assert list(imported.files) == [name]
        assert imported.files[name] == (
            content if name == "AGE.grc" else importing._text(path).rstrip("\n").encode() + b"\n"
        )
        assert imported.unread == []


def test_every_word_of_metadata_and_the_data_beside_them(tmp_path):
    path = tmp_path / "s.rda"
    path.write_text(
        "<VERSION> 1\n<x> 2\nA 1 2\n <IDLEVEL> 2\n <FOO> 1\n <RECODEABLE>\nB 3 1\n <IDLEVEL> x\n <HOUSEHOLD>\n"
        "C 4 1\n <IDLEVEL> 0\nD 5 1\n<IDLEVEL> 1\n"
    )
    imported = importing._read(path, None)
    assert (imported.columns, imported.data) == ({"keys": ["A", "D"]}, "")
    assert [(step.method, dict(step.parameters), note) for step, note in imported.steps] == [
        ("local-suppression", {"k": 2, "levels": {"A": 2, "D": 1}, "attributes": ["A", "D"]},
         "identification levels as in the metadata; set k to your threshold")
    ]  # fmt: skip
    assert list(map(str, imported.unread)) == [
        "line 1: <VERSION>: not taken over: it stands before the first variable",
        "line 2: <X>: not taken over: it stands before the first variable",
        "line 5: <FOO>: not taken over, of the variable A",
        "line 8: <IDLEVEL>: its number cannot be read, of the variable B",
        "line 9: <HOUSEHOLD>: B is taken for a variable like others",
        "identification levels: combinations: every combination is asked for that μ-Argus would take",
    ]
    for ending in (".fwf", ".dat", ".asc"):
        (tmp_path / f"s{ending}").write_text("x")
        assert importing._read(path, None).data == f"s{ending}"
    path.write_text("A 1 2\n")
    plain = importing._read(path, None)
    assert (plain.steps, plain.unread, plain.columns) == ([], [], {})


def test_a_column_has_one_role_and_the_strictest_is_taken():
    imported = Imported("T", places={"keys": "line 2"})
    imported.columns = {
        "identifiers": ["a"], "keys": ["a", "b"], "weight": ["w", "v"], "confidential": ["b", "c"],
        "strata": ["s", "w"], "household": ["h"], "numeric": ["b", "c"], "nominal": ["c"], "others": ["o", "a"],
    }  # fmt: skip
    assert importing._declaration(imported, Path("unread.csv"), {}) == dc.Declaration(
        keys=("b",), confidential=("c",), identifiers=("a",), strata=("s",), weight="w", household="h", numeric=("b",),
        nominal=("c",), attributes=({"name": "o", "role": "other"},),
    )  # fmt: skip
    end = "already, and a column has one role"
    assert list(map(str, imported.unread)) == [
        f"line 2: the role key: not taken over: 'a' is an identifier {end}",
        f"T: the role stratum: not taken over: 'w' is the weight {end}",
        f"T: the role confidential: not taken over: 'b' is a key {end}",
        f"T: the role other: not taken over: 'a' is an identifier {end}",
        "T: the weight 'v': not taken over: 'w' is it, and there is one",
    ]


def test_strata_that_a_step_masks_are_listed():
    imported = Imported("T")
    for given, left, why in (
        ({"strata": ["a", "b"], "attributes": ["b", "c"]}, {"strata": ["a"], "attributes": ["b", "c"]}, "'b'"),
        ({"strata": ["a", "b"], "attributes": ["b", "a"]}, {"attributes": ["b", "a"]}, "'a', 'b'"),
        ({"strata": ["a"], "attributes": ["b"]}, {"strata": ["a"], "attributes": ["b"]}, None),
        ({"attributes": ["b"]}, {"attributes": ["b"]}, None), ({"strata": ["a"]}, {"strata": ["a"]}, None),
    ):  # fmt: skip
        imported.unread.clear()
        step = importing._unmasked_strata(imported, Step("pram", given, "home"), "line 3: pram. why")
        assert (step.method, dict(step.parameters), step.unit) == ("pram", left, "home")
        end = f"not taken over: the step masks {why}, by which it cannot be stratified"
        assert list(map(str, imported.unread)) == ([] if why is None else [f"line 3: strata of pram: {end}"])


def test_columns_that_are_numbered_get_their_names():
    assert importing._names(["x", 1, 3], ["a", "b", "c"]) == ["x", "a", "c"]
    for place in (0, 4, -1):
        with pytest.raises(SchemaError, match=f"Column {place} is named by its place, and the data have 3 columns"):
            importing._names([place], ["a", "b", "c"])
    given = {"attributes": [2], "strata": ["x", 1], "k": [3]}
    assert importing._by_name(given, ["a", "b"]) == {"attributes": ["b"], "strata": ["x", "a"], "k": [3]}
    assert given["attributes"] == [2]
    assert importing._by_name({"attributes": None}, []) == {"attributes": None}
    mapped = {"bands": {"a": "1"}, "maps": {"b": {}, "c": {}}, "hierarchies": 3, "levels": {"d": 1}}
    assert importing._mapped(mapped) == ["a", "b", "c"]


def test_which_file_it_is_about(tmp_path):
    source = tmp_path / "script.R"
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.csv").write_text("x")
    assert importing._data_of(Imported("T"), source, "own.csv") == Path("own.csv")
    assert importing._data_of(Imported("T", data="sub\\a.csv"), source, None) == tmp_path / "sub" / "a.csv"
    assert importing._data_of(Imported("T", data="in.csv", files={"in.csv": b""}), source, None) == tmp_path / "in.csv"
    with pytest.raises(ParameterError, match="'script.R' does not say which file it is about"):
        importing._data_of(Imported("T"), source, None)
    with pytest.raises(FileError, match="'script.R' reads 'b.csv', which is not there"):
        importing._data_of(Imported("T", data="b.csv"), source, None)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"a\xc3\xa9\n", "aé\n"), (b"\xef\xbb\xbfa", "a"), ("aé".encode("utf-16"), "aé"), (b"a\xe9\x93", "aé“"),
        (b"a\t\r\n\x0c\x1a\x1a", "a\t\r\n\x0c"), (b"a\xfe\xff", "aþÿ"),
    ],
)  # fmt: skip
def test_texts_of_every_kind(tmp_path, content, text):
    (tmp_path / "a.R").write_bytes(content)
    assert importing._text(tmp_path / "a.R") == text


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"", "is empty"), (b" \n\x1a", "is empty"), (b"a\0b", "is no text"), (b"\x1fa", "is no text")],
)
def test_what_is_no_text_is_refused(tmp_path, content, why):
    (tmp_path / "a.R").write_bytes(content)
    with pytest.raises(FileError, match=f"'a.R' {why}: nothing in it can be read"):
        importing._text(tmp_path / "a.R")


def test_what_came_along_is_written_beside_and_never_over_an_input(tmp_path):
    plan = dc.Protocol(dc.Schema([dc.Attribute("x", dc.Numeric(), "key")]), [Step("mdav", {"k": 3})])
    imported = ImportedProtocol(plan, (Unread("line 1", "a", "b"),), {"a.csv": b"new", "b.csv": b"other"}, "ARX")
    assert repr(imported) == "ImportedProtocol(from ARX: mdav; 1 parts not taken over)"
    assert repr(replace(imported, protocol=replace(plan, steps=()))) == (
        "ImportedProtocol(from ARX: no step; 1 parts not taken over)"
    )
    (tmp_path / "a.csv").write_bytes(b"old")
    save_imported(imported, tmp_path / "p.toml", [tmp_path / "a.csv"])
    assert [(tmp_path / name).read_bytes() for name in ("a.csv", "b.csv")] == [b"old", b"other"]
    assert (tmp_path / "p.toml").read_text(encoding="utf-8") == plan.to_toml()
    with pytest.raises(FileError, match="also an input"):
        save_imported(imported, tmp_path / "p.toml", [tmp_path / "p.toml"])
