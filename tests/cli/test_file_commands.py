"""Files looked at, masked and assessed on the command line: names, kinds and lines that are shown."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from discreet import workflow
from discreet.cli import console, file_commands, main
from discreet.cli.file_commands import _beside, _kind, _parts_of, _show_assessment, _show_masked
from discreet.errors import FileError

ROWS = "id,age,sex,pay\n" + "".join(f"{i},{20 + i % 9},{'fm'[i % 2]},{1000.5 + 7 * i}\n" for i in range(40))


@pytest.fixture
def survey(tmp_path, monkeypatch):
    (tmp_path / "survey.csv").write_text(ROWS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "kind"), [("a.html", "html"), ("a.HTM", "html"), ("a.pdf", "pdf"), ("a.json", "json")]
)
def test_the_kind_of_a_report(name, kind):
    assert _kind(Path(name)) == kind


def test_other_kinds_of_reports_are_refused():
    with pytest.raises(FileError, match=r"written as \.html, \.pdf or \.json; got 'a\.txt'"):
        _kind(Path("a.txt"))


@pytest.mark.parametrize(
    ("data", "target"),
    [("a.csv", "a-masked.csv"), ("a.CSV", "a-masked.CSV"), ("a.csv.gz", "a-masked.csv.gz"),
     ("a.sas7bdat", "a-masked.csv"), ("a", "a-masked"), ("a.b.parquet", "a.b-masked.parquet")],
)  # fmt: skip
def test_a_release_without_a_name_goes_beside_its_data(tmp_path, data, target):
    assert _beside(tmp_path / data, force=False) == tmp_path / target
    (tmp_path / target).write_text("")
    assert _beside(tmp_path / data, force=True) == tmp_path / target
    with pytest.raises(FileError, match="exists already"):
        _beside(tmp_path / data, force=False)


def test_the_parts_of_a_release_in_a_folder(tmp_path):
    (tmp_path / "b").mkdir()
    for name in ("2.parquet", "1.parquet", "b/3.parquet", "_note.txt"):
        (tmp_path / name).write_text("")
    names = {key: path.relative_to(tmp_path).as_posix() for key, path in _parts_of(tmp_path).items()}
    assert names == {"masked 1": "1.parquet", "masked 2": "2.parquet", "masked 3": "b/3.parquet"}
    assert _parts_of(tmp_path / "1.parquet") == {"masked": tmp_path / "1.parquet"}


def test_a_file_is_looked_at(survey, capsys):
    assert main._code(["inspect", "survey.csv", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["n_records"] == 40
    rows = {row["name"]: row for row in told["attributes"]}
    assert (rows["id"]["role"], rows["id"]["confidence"]) == ("identifier", 0.75)
    assert rows["sex"]["missing_values"] == 0
    assert rows["age"]["inferred"] == ["role", "scale"]
    assert main._code(["inspect", "survey.csv", "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert main._code(["inspect", "survey.csv"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "survey.csv: 40 records" in shown
    assert "75 %" in shown
    assert "This is a proposal. Write it with -o schema.toml" in shown
    assert main._code(["inspect", "survey.csv", "-o", "s.toml"]) == 0
    assert "Written to s.toml. Look at every role" in " ".join(capsys.readouterr().out.split())
    assert main._code(["inspect", "survey.csv", "-o", "s.toml"]) == 2
    assert main._code(["inspect", "survey.csv", "-o", "survey.csv", "--force"]) == 2
    capsys.readouterr()
    assert main._code(["inspect", "survey.csv", "-s", "s.toml", "--force", "-o", "t.toml"]) == 0
    assert "declared" in capsys.readouterr().out


def test_a_file_is_masked_under_one_name(survey, capsys):
    command = ["protect", "survey.csv", "--method", "rounding", "--set", "base=10", "--attributes", "pay"]
    assert main._code([*command, "a.csv", "-o", "b.csv"]) == 2
    assert "named twice" in capsys.readouterr().err
    assert main._code([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["files"] == {"masked": "survey-masked.csv"}
    assert told["changed_cells"] == {"pay": 40}
    assert "engine" not in told
    assert main._code(command) == 2
    assert main._code([*command, "--force", "--manifest", "m.json"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "rounding: 40 records" in out
    assert "Written to m.json: the manifest." in out
    assert (survey / "survey.csv").read_text() == ROWS


def provenance(**more):
    return {"method": "mdav", "n_records": 9, "changed_cells": {"x": 4}, "notes": ["A note."], **more}


def test_what_is_shown_of_a_release(capsys):
    _show_masked(provenance(groups={"count": 3, "smallest": 2, "largest": 4}), Path("m.csv"), "streaming")
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.startswith("mdav: 9 records, streaming ")
    for part in ("3 groups of 2 to 4 records.", "• A note.", "Written to m.csv."):
        assert part in shown
    _show_masked(provenance(guarantees=[{"sentence": f"Promise {i}."} for i in range(7)]), Path("m.csv"))
    shown = " ".join(capsys.readouterr().out.split())
    assert "streaming" not in shown
    assert "• Promise 4. Counted in the written file." in shown
    assert "Promise 5." not in shown
    assert "• 2 more such promises were counted" in shown


def measure(kind, title, value, unit="%", **details):
    return SimpleNamespace(kind=kind, title=title, value=value, unit=unit, details=details, sentence=f"{title} means.")


def score(value, risk, loss, incomplete=False):
    return SimpleNamespace(value=value, risk=risk, loss=loss, incomplete=incomplete, sentence="In words.")


def assessment(measures, known=("a", "b"), not_computed=(), **more):
    fields = {"score": score(12.5, 10, 15), "unmasked": score(50, 100, 0, incomplete=True), "papers": None, **more}
    return SimpleNamespace(
        measurements=measures, known=known, not_computed=not_computed,
        of_kind=lambda kind: [one for one in measures if one.kind == kind], **fields,
    )  # fmt: skip


def test_the_highest_risks_and_losses_are_shown_in_order(capsys):
    measures = [
        measure("risk", "Low attack (two guesses)", 90.0, chance_percent=1.0, percent_of_one_guess=20.0),
        measure("risk", "High attack", 40.0, chance_percent=1.0),
        measure("risk", "Uniques", 99.0),
        measure("loss", "Means", 5.0),
        measure("loss", "Variances", 7.0),
        measure("loss", "Bits", 300.0, unit="bits"),
    ]
    gone = [SimpleNamespace(kind="loss", title=f"Gone {i}", sentence="Too large.") for i in range(3)]
    _show_assessment(assessment(measures, not_computed=gone))
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "Score 12.50  In words."
    assert lines[1] == "this release       risk 10.00 %   loss 15.00 %   score 12.50"
    assert "risk ≥ 100.00 %   loss 0.00 %   score ≥ 50.00" in lines[2]
    text = "\n".join(lines)
    assert text.index("40.00 %  High attack") < text.index("20.00 %  Low attack (one guess)")
    assert "Uniques" not in text
    assert text.index("7.00 %  Variances") < text.index("5.00 %  Means")
    assert "Bits" not in text
    assert "Not computed: Gone 0, Gone 1 and 1 more; --all says why." in text
    assert "5 more measures, and what each means: --all." in text
    assert lines[-1] == "The intruder is assumed to know: a, b."


def test_a_brief_and_a_whole_assessment(capsys):
    measures = [measure("risk", "Attack", 40.0), measure("loss", "Means", 5.0)]
    _show_assessment(assessment(measures, score=score(1.0, 1, 1, incomplete=True)), brief=True)
    assert capsys.readouterr().out.strip() == "Score at least 1.00  In words."
    many = tuple(f"k{i}" for i in range(file_commands._NAMED + 2))
    _show_assessment(assessment(measures, many, papers=score(33.333, 1, 1)), everything=True)
    shown = " ".join(capsys.readouterr().out.split())
    assert "Attack means." in shown
    assert "The papers' mean score: 33.33." in shown
    assert many[-1] in shown
    _show_assessment(assessment(measures, many, unmasked=None))
    shown = " ".join(capsys.readouterr().out.split())
    assert "and 2 more." in shown
    assert many[-1] not in shown
    assert "the unmasked file" not in shown
    assert "more measures" not in shown


def test_three_of_a_kind_are_the_highest_and_six_keys_are_named(capsys):
    measures = [measure("loss", f"L{i}", float(i)) for i in range(5)]
    _show_assessment(assessment(measures, tuple("abcdef")))
    text = capsys.readouterr().out
    titles = tuple(f"L{i}" for i in range(5))
    assert [line.split()[-1] for line in text.splitlines() if line.endswith(titles)] == ["L4", "L3", "L2"]
    assert "Attacks that find most" not in text
    assert "Not computed" not in text
    assert "2 more measures, and what each means: --all." in text
    assert "The intruder is assumed to know: a, b, c, d, e, f.\n" in text
    gone = [SimpleNamespace(kind="loss", title=f"G{i}", sentence="Too large.") for i in range(2)]
    _show_assessment(assessment(measures[:3], tuple("abcdefg"), not_computed=gone))
    text = capsys.readouterr().out
    assert "Not computed: G0, G1; --all says why." in text
    assert "2 more measures" in text
    assert "know: a, b, c, d, e, f and 1 more.\n" in text


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ((1, 7, 7), "1 group of 7 records"),
        ((1, 6, 7), "1 group of 6 to 7 records"),
        ((2, 5, 5), "2 groups of 5 records"),
        ((200, 5, 9), "200 groups of 5 to 9 records"),
    ],
)
def test_groups_in_words(groups, words):
    assert file_commands._groups_in_words(dict(zip(("count", "smallest", "largest"), groups, strict=True))) == words


# --------------------------------------------------------------------------------------- what is asked for, whole


class Table(list):
    """So many records."""

    schema = "schema"

    def __init__(self, name, n=3, provenance=None):
        super().__init__([0] * n)
        self.name, self.provenance = name, provenance

    def __eq__(self, other):
        return self is other

    __hash__ = None


def told(name, **more):
    return SimpleNamespace(to_dict=lambda **options: {"told": name, **options}, **more)


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """What is asked of the library, without a file; lines are not broken."""
    calls = []
    monkeypatch.chdir(tmp_path)
    for one in (console.out, console.err):
        monkeypatch.setattr(one, "_width", 200)

    @contextlib.contextmanager
    def opened(name, answer, *values, **options):
        calls.append((name, *values, options))
        yield answer
        calls.append((f"end of {name}",))

    def stand_in(name, answer=None, owner=workflow):
        def call(*values, **options):
            calls.append((name, *values, options))
            return answer(*values, **options) if callable(answer) else answer

        monkeypatch.setattr(owner, name, call)

    monkeypatch.setattr(workflow, "engine_named", lambda *values: opened("engine", "where", *values))
    monkeypatch.setattr(
        workflow, "written_together", lambda *values, **options: opened("together", None, *values, **options)
    )
    monkeypatch.setattr(file_commands, "progress", lambda **options: opened("bars", None, **options))
    stand_in("tell_inferred", owner=file_commands)
    return calls, stand_in


def of(calls, name):
    return [call[1:] for call in calls if call[0] == name]


REMARKS = [
    told("weak", code="small-k", sentence="k is small.", hint="Think."),
    told("alone", code="key-unmasked", sentence="A key is left alone.", hint="Mask it."),
]
TEXT = ["--delimiter", ";", "--encoding", "latin1"]
READ = {"delimiter": ";", "encoding": "latin1"}


class Provenance:
    """How a table was masked."""

    @staticmethod
    def to_dict(**options):
        return provenance(**options)


@pytest.fixture
def masking(asked):
    calls, stand_in = asked
    original, masked = Table("original"), Table("masked", provenance=Provenance)
    figures = {"score": 1, "unmasked": 2, "papers_score": 3, "more": 4}
    made = SimpleNamespace(**vars(assessment([])), to_dict=lambda: figures)
    for name, answer in (("recode_steps", []), ("operator_parameter", {"operator": "o"}),
                         ("parse_parameters", {"k": 5}), ("files_named", [Path("h.csv")]), ("check_outputs", None),
                         ("protect_script", "print('[x]')\n"), ("recoded_masker", "masker"), ("scan", original),
                         ("stored_release", (original, masked)), ("read", original), ("protect", masked),
                         ("write", None), ("assess", made), ("advise", REMARKS), ("write_report", None),
                         ("write_manifest", None)):  # fmt: skip
        stand_in(name, answer)
    return calls, stand_in, original, masked, made


def test_a_release_with_its_reports_is_asked_for_as_typed(masking, capsys):
    calls, _, original, masked, made = masking
    command = ["protect", "a.csv", "m.csv", "-s", "s.toml", "--method", "mdav", "--k", "5", "--seed", "3", *TEXT,
               "--unit", "home", "--sequence", "visits", "--quantifier", "power:2", "--set", "x=y", "--block-size", "9",
               "--operator", "median", "--report", "in.html", "--external", "ex.pdf", "--domain", "sex", "--tell",
               "noise", "--manifest", "man.json", "--engine", "memory"]  # fmt: skip
    assert main._code(command) == 0
    inputs = [Path("a.csv"), Path("s.toml"), Path("h.csv")]
    outputs = [Path("m.csv"), Path("in.html"), Path("ex.pdf"), Path("man.json")]
    typed = {"x": "y", "k": "5", "random_state": "3", "quantifier": "power:2", "operator": "o"}
    assert of(calls, "operator_parameter") == [("mdav", ["median"], {})]
    assert of(calls, "parse_parameters") == [("masker", "mdav", typed, {})]
    assert of(calls, "check_outputs") == [(outputs, inputs, {})]
    assert of(calls, "recoded_masker") == [((), "mdav", {"k": 5}, "home", {})]
    assert of(calls, "together") == [(outputs, inputs, {"last": True})]
    assert of(calls, "engine") == [("memory", None, {})]
    assert of(calls, "read") == [(Path("a.csv"), Path("s.toml"), {**READ, "sequence": "visits"})]
    assert of(calls, "protect") == [(original, "masker", {"block_size": 9})]
    assert of(calls, "write") == [(masked, Path("m.csv"), inputs, {})]
    assert of(calls, "assess") == [
        (original, masked, {"engine": "where", "provenance": Provenance}),
        (original, original, {"engine": "where"}),
    ]
    seen = {"schema_given": True, "seed_given": True, "provenance": Provenance}
    assert of(calls, "advise") == [(original, masked, made, seen)]
    same = {"provenance": Provenance, "json": None, "before": {"all keys": made}, "after": {"all keys": made},
            "advice": REMARKS, "inputs": inputs, "domains": ["sex"], "tell": ["noise"], "engine": "where"}  # fmt: skip
    assert of(calls, "write_report") == [
        (original, masked, made, {**same, "html": Path("in.html"), "pdf": None, "audience": "internal"}),
        (original, masked, made, {**same, "html": None, "pdf": Path("ex.pdf"), "audience": "external"}),
    ]
    files = {"masked": Path("m.csv"), "internal": Path("in.html"), "external": Path("ex.pdf")}
    assert of(calls, "write_manifest") == [(Path("man.json"), files, {"steps": [Provenance], "inputs": inputs})]
    names = [call[0] for call in calls]
    assert names.index("write_manifest") < names.index("end of together")
    shown = capsys.readouterr()
    lines = shown.out.splitlines()
    assert lines[-5:] == [
        "Written to m.csv.",
        "Score 12.50  In words.",
        "Written to in.html: the internal report.",
        "Written to ex.pdf: the external report.",
        "Written to man.json: the manifest.",
    ]
    assert shown.err == "Note: k is small. Think.\n"
    assert main._code([*command, "--json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out) == {
        **provenance(internal=True), "files": {**{n: str(p) for n, p in files.items()}, "manifest": "man.json"},
        "score": 1, "unmasked": 2, "papers_score": 3, "advice": [{"told": "weak"}, {"told": "alone"}],
    }  # fmt: skip
    assert shown.err == ""
    assert main._code([*command, "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    assert [call["quiet"] for (call,) in of(calls, "bars")] == [False, True, True]


def test_a_release_alone_is_neither_assessed_nor_reported(masking, capsys):
    calls, stand_in, original, masked, _ = masking
    stand_in("recode_steps", [SimpleNamespace(parameters={"x": 1})])
    assert main._code(["protect", "a.csv", "--recode", "age=month", "--seed", "0", "-q"]) == 0
    # Beside a recoding a seed alone asks for no method.
    assert of(calls, "parse_parameters") == []
    assert of(calls, "files_named") == [([{}, {"x": 1}], {})]
    assert of(calls, "recoded_masker") == [(["age=month"], None, {}, None, {})]
    assert of(calls, "write") == [(masked, Path("a-masked.csv"), [Path("a.csv"), Path("h.csv")], {})]
    assert (of(calls, "assess"), of(calls, "write_report"), of(calls, "write_manifest")) == ([], [], [])
    seen = {"schema_given": False, "seed_given": True, "provenance": Provenance}
    assert of(calls, "advise") == [(original, masked, None, seen)]
    calls.clear()
    assert main._code(["protect", "a.csv", "--recode", "age=month", "--k", "4", "-q"]) == 0
    assert of(calls, "parse_parameters") == [("masker", "mdav", {"k": "4"}, {})]
    assert of(calls, "advise")[0][-1]["seed_given"] is False
    calls.clear()
    assert main._code(["protect", "a.csv", "--recode", "age=month", "--operator", "median", "-q"]) == 0
    assert of(calls, "operator_parameter") == [("mdav", ["median"], {})]
    calls.clear()
    assert main._code(["protect", "a.csv", "--external", "ex.json", "--json"]) == 0
    assert len(of(calls, "assess")) == 1  # the original is assessed for the internal report only
    options = of(calls, "write_report")[0][-1]
    assert (options["json"], options["html"], options["before"]) == (Path("ex.json"), None, {})
    assert (options["domains"], options["tell"]) == ((), ())


def test_a_script_is_shown_and_nothing_else_is_done(masking, capsys):
    calls, *_ = masking
    command = ["protect", "a.csv", "-o", "m.csv", "-s", "s.toml", *TEXT, "--unit", "home", "--sequence", "visits"]
    assert main._code([*command, "--report", "in.html", "--print-python"]) == 0
    assert capsys.readouterr() == ("print('[x]')\n", "")
    assert of(calls, "protect_script") == [
        (Path("a.csv"), Path("m.csv"), "mdav", {"k": 5},
         {"recode": (), "schema": Path("s.toml"), "report": Path("in.html"), "unit": "home", **READ,
          "sequence": "visits"}),
    ]  # fmt: skip
    assert (of(calls, "read"), of(calls, "write"), of(calls, "recoded_masker")) == ([], [], [])


def test_a_file_that_is_streamed_is_scanned_and_its_manifest_comes_last(masking, capsys):
    calls, stand_in, original, *_ = masking
    stand_in("engine_of", "streaming", owner=file_commands)
    stand_in("streamed_layout", {"sep": ";"}, owner=file_commands)
    stand_in("refuse_streamed", owner=file_commands)
    written = SimpleNamespace(provenance=Provenance)
    stand_in("protect", written)
    command = ["protect", "a.csv", "-o", "out", "--engine", "e", "--master", "m", "--report", "in.html", *TEXT,
               "--manifest", "man.json", "--block-size", "8"]  # fmt: skip
    assert main._code(command) == 0
    assert of(calls, "engine_of") == [(Path("a.csv"), "e", "m", {"quiet": False})]
    assert of(calls, "streamed_layout") == [(Path("a.csv"), READ)]
    assert of(calls, "refuse_streamed") == [({"sequence": None, "print_python": False},)]
    inputs = [Path("a.csv"), Path("h.csv")]
    assert of(calls, "check_outputs") == [([Path("in.html"), Path("man.json")], [*inputs, Path("out")], {})]
    assert of(calls, "together") == [([], inputs, {"last": True})]
    assert of(calls, "engine") == [("streaming", "m", {})]
    assert of(calls, "scan") == [(Path("a.csv"), None, {"sep": ";"})]
    assert of(calls, "protect") == [
        (original, "masker", {"output": Path("out"), "engine": "where", "block_size": 8}),
    ]
    assert of(calls, "stored_release") == [(original, Path("out"), written, {})]
    assert (of(calls, "read"), of(calls, "write")) == ([], [])
    files = {"masked": Path("out"), "internal": Path("in.html")}
    options = {"steps": [Provenance], "inputs": [Path("a.csv")]}
    ((manifest, listed, how),) = of(calls, "write_manifest")
    assert (manifest, listed, {**how, "inputs": list(how["inputs"])}) == (Path("man.json"), files, options)
    names = [call[0] for call in calls]
    assert names.index("write_manifest") > names.index("end of together")
    shown = capsys.readouterr().out
    assert "mdav: 9 records, streaming" in shown
    assert "No schema was given: the proposal of the first 100,000 records was used." in shown
    assert main._code([*command, "-s", "s.toml"]) == 0
    assert "No schema was given" not in capsys.readouterr().out
    assert main._code([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["engine"] == "streaming"
    assert of(calls, "engine_of")[-1][-1] == {"quiet": True}
    assert main._code([*command[:-1], "7"]) == 2  # fewer records than a block may have


@pytest.fixture
def assessing(asked):
    calls, stand_in = asked
    before, after = Table("before"), Table("after")
    made = SimpleNamespace(**vars(assessment([])), to_dict=lambda: {"figures": 1})
    further = [told("further", title="A [title]", value=1.005, unit="bits", sentence="So much.")]
    spans = [told("span", sentence="Between [1] and 2.")]
    verdict = SimpleNamespace(met=True, sentence="The risk is fine.")
    for name, answer in (("parse_measure", lambda text: f"parsed {text}"), ("read", before), ("read_release", after),
                         ("scan", before), ("scan_release", after), ("told_release", None), ("assess", made),
                         ("measure", further), ("loss_intervals", spans), ("advise", REMARKS),
                         ("verify", [verdict])):  # fmt: skip
        stand_in(name, answer)
    return calls, stand_in, before, after, made, verdict


def test_an_assessment_is_asked_for_as_typed_and_shown(assessing, capsys):
    calls, stand_in, before, after, made, _ = assessing
    command = ["assess", "a.csv", "m.csv", "-s", "s.toml", *TEXT, "--sequence", "visits", "--measure", "x", "--measure",
               "y", "--intervals", "20", "--method", "mdav k=4", "--protocol", "p.toml"]  # fmt: skip
    assert main._code(command) == 0
    assert of(calls, "read") == [(Path("a.csv"), Path("s.toml"), {**READ, "sequence": "visits"})]
    assert of(calls, "read_release") == [(Path("m.csv"), before, READ)]
    how = {"methods": ["mdav k=4"], "protocol": Path("p.toml")}
    assert of(calls, "told_release") == [(before, after, Path("m.csv"), how)]
    assert of(calls, "assess") == [(before, after, {"engine": "where"})]
    assert of(calls, "measure") == [(before, after, ["parsed x", "parsed y"], {"engine": "where"})]
    assert of(calls, "loss_intervals") == [(before, after, {"replicates": 20})]
    assert of(calls, "advise") == [(before, after, made, {"schema_given": True})]
    shown = capsys.readouterr()
    assert shown.out.splitlines()[-3:] == [
        "The intruder is assumed to know: a, b.",
        "A [title]: 1.00 bits. So much.",
        "Between [1] and 2.",
    ]
    assert shown.err == "Note: k is small. Think.\nNote: A key is left alone. Mask it.\n"
    known = Table("known")
    stand_in("told_release", known)
    assert main._code([*command, "--json"]) == 0
    assert of(calls, "assess")[-1] == (before, known, {"engine": "where"})
    assert of(calls, "measure")[-1][1] is known
    assert of(calls, "loss_intervals")[-1][1] is after
    shown = capsys.readouterr()
    assert json.loads(shown.out) == {
        "figures": 1, "further": [{"told": "further"}], "loss_intervals": [{"told": "span"}],
        "advice": [{"told": "weak"}, {"told": "alone"}],
    }  # fmt: skip
    assert shown.err == ""
    assert main._code(["assess", "a.csv", "m.csv", "--quiet"]) == 0
    assert capsys.readouterr() == ("Score 12.50  In words.\n", "")
    assert (len(of(calls, "measure")), len(of(calls, "loss_intervals"))) == (2, 2)
    assert of(calls, "told_release")[-1][-1] == {"methods": (), "protocol": None}
    assert of(calls, "advise")[-1][-1] == {"schema_given": False}
    assert main._code(["assess", "a.csv", "m.csv", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == ["figures", "advice"]
    assert [call["quiet"] for (call,) in of(calls, "bars")] == [False, True, True, True]
    assert [call[-1]["quiet"] for call in of(calls, "tell_inferred")] == [False, True, True, True]


@pytest.mark.parametrize("n", [3, 4])
def test_of_many_records_a_sample_is_linked_and_it_is_said(assessing, monkeypatch, capsys, n):
    calls, stand_in, *_ = assessing
    monkeypatch.setattr(workflow, "MOST_AT_ONCE", 3)
    before = Table("before", n)
    stand_in("engine_of", "streaming", owner=file_commands)
    stand_in("streamed_layout", {"sep": ";"}, owner=file_commands)
    stand_in("refuse_streamed", owner=file_commands)
    stand_in("scan", before)
    assert main._code(["assess", "a.csv", "m.csv", "--engine", "e", "--master", "m", *TEXT]) == 0
    assert of(calls, "engine_of") == [(Path("a.csv"), "e", "m", {"quiet": False})]
    assert of(calls, "streamed_layout") == [(Path("a.csv"), READ)]
    assert of(calls, "refuse_streamed") == [({"sequence": None},)]
    assert of(calls, "scan") == [(Path("a.csv"), None, {"sep": ";"})]
    assert of(calls, "scan_release") == [(Path("m.csv"), before, {"sep": ";"})]
    assert of(calls, "engine") == [("streaming", "m", {})]
    assert len(of(calls, "told_release")) == (1 if n == 3 else 0)
    said = "More than 3 records: linkage is measured on a sample of them.\n"
    assert capsys.readouterr().err.startswith(said) is (n == 4)
    for way in ("--quiet", "--json"):
        assert main._code(["assess", "a.csv", "m.csv", way]) == 0
        assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("met", "sentence", "said"),
    [(True, "The risk is fine.", False), (True, "It was met already.", True), (False, "The [risk] is high.", True)],
)
def test_a_risk_above_the_most_ends_with_one(assessing, capsys, met, sentence, said):
    calls, *_, made, verdict = assessing
    verdict.met, verdict.sentence = met, sentence
    assert main._code(["assess", "a.csv", "m.csv", "--max-risk", "0", "--quiet"]) == int(not met)
    assert of(calls, "verify") == [(made, {"risk_at_most": 0.0}, {})]
    assert capsys.readouterr().err == (f"{sentence}\n" if said else "")


def test_a_demonstration_is_shown_or_told(asked, capsys):
    calls, stand_in = asked
    record = provenance(attributes=["x", "y"], groups={"count": 3, "smallest": 2, "largest": 4})
    masked = Table("masked", provenance=SimpleNamespace(to_dict=lambda: record))
    made = SimpleNamespace(**vars(assessment([measure("loss", "Means", 5.0)])), to_dict=lambda: {"figures": 1})
    paths = {"masked": Path("demo/m.csv"), "report": Path("demo/r.html")}
    stand_in("demo", (masked, made, paths))
    assert main._code(["demo"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "mdav: 9 records, 2 attributes masked, in 3 groups of 2 to 4 records.",
        "Score 12.50  In words.",
    ]
    assert lines[-1] == "Written to demo: m.csv, r.html."
    assert of(calls, "demo") == [(Path("demo"), 2000, 5, {})]
    assert of(calls, "together") == [({"last": True},)]
    assert main._code(["demo", "--n", "10", "--k", "2", "-o", "try", "--all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2:] == ["  masked    demo/m.csv", "  report    demo/r.html"]
    assert "Written to demo/m.csv." in lines
    assert any("Means means." in line for line in lines)
    assert of(calls, "demo")[-1] == (Path("try"), 10, 2, {})
    assert main._code(["demo", "--json"]) == 0
    files = {"masked": "demo/m.csv", "report": "demo/r.html"}
    assert json.loads(capsys.readouterr().out) == {"files": files, "assessment": {"figures": 1}}
    assert main._code(["demo", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    assert [call["quiet"] for (call,) in of(calls, "bars")] == [False, False, True, True]
    assert (main._code(["demo", "--n", "9"]), main._code(["demo", "--k", "1"])) == (2, 2)
