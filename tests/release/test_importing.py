"""Files of other tools become protocols that run, and nothing of them is dropped without a word."""

from __future__ import annotations

import io
import zipfile

import polars as pl
import pytest

import discreet as dc
from discreet.cli import main
from discreet.errors import FileError, ParameterError, SchemaError
from discreet.release.importing import import_protocol, save_imported

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
