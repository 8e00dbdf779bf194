"""Every path that a command writes goes through one door: inputs, other files and other outputs survive."""

from __future__ import annotations

import inspect
import json
import os
from pathlib import Path
from typing import get_args

import pytest

from discreet import workflow
from discreet.cli import main
from discreet.cli.main import app
from discreet.errors import FileError
from discreet.evaluation.row_store import RowStore

# By command, the options that name what is read and what is written. Every path of every command is one of them, and
# `test_every_path_is_known` fails for a new one until it is entered here and so goes through the tests below.
READ = {
    "inspect": {"data", "schema"}, "risk": {"data", "schema"}, "protect": {"data", "schema"},
    "hierarchy": {"data", "schema"}, "lattice": {"data", "schema"},
    "assess": {"original", "masked", "schema", "protocol"}, "certify": {"original", "masked", "schema"},
    "init": {"data", "schema"}, "import": {"source", "data"}, "run": {"protocol"}, "check": {"protocol", "masked"},
    "approve": {"release", "key"}, "verify": {"manifest", "signers"}, "renumber": {"files", "key"},
    "key": set(), "reveal": {"data", "key"},
    "attack": {"original", "masked", "schema", "protocol"}, "link": {"a", "b", "schema", "schema_b"},
    "match": {"a", "b", "schema", "schema_b"},
    "compare": {"data", "schema", "protocol"},
    "tune": {"data", "schema", "protocol"}, "papers": {"data"},
    "methods": set(), "datasets": set(), "demo": set(), "warm": set(),
    "studio": {"projects"},  # a folder of its own, in which nothing but projects is written
}  # fmt: skip
WRITTEN = {
    "inspect": {"output"}, "risk": {"html"}, "protect": {"target", "output", "report", "external", "manifest"},
    "hierarchy": {"output"}, "lattice": {"output"}, "import": {"output"},
    "init": {"output"}, "run": {"output"}, "renumber": {"output"}, "key": {"file"}, "reveal": {"output"},
    "link": {"output"}, "compare": {"output", "picture", "store"},
    "tune": {"output", "picture", "store"}, "papers": {"html", "store"}, "datasets": {"output"}, "demo": {"output"},
}  # fmt: skip
OPTION = {
    "output": "-o", "picture": "--map", "store": "--store", "report": "--report", "external": "--external",
    "manifest": "--manifest", "html": "--html",
}  # fmt: skip
BASE = {
    "inspect": ["inspect", "data.csv"],
    "risk": ["risk", "data.csv", "-s", "schema.toml"],
    "protect": ["protect", "data.csv", "-s", "schema.toml", "--k", "3"],
    "hierarchy": ["hierarchy", "data.csv", "EMPLOYEES", "-s", "schema.toml", "--force"],
    "init": ["init", "data.csv", "-s", "schema.toml", "--force"],
    "import": ["import", "script.R", "--data", "data.csv", "--force"],
    "link": ["link", "data.csv", "other.csv", "-s", "schema.toml"],
    "compare": ["compare", "data.csv", "-s", "schema.toml", "-c", "mdav k=3", "--workers", "1"],
    "tune": ["tune", "data.csv", "-s", "schema.toml", "-c", "mdav k=3,4", "--workers", "1"],
    "papers": ["papers", "p0", "--data", "public"],
}


def option(name):
    """Return what stands before a path: nothing before the masked file of ``protect``."""
    return [OPTION[name]] if name in OPTION else []


FILES = [(command, name) for command in BASE for name in sorted(WRITTEN[command])]
INPUTS = ["data.csv", "schema.toml"]


def paths_of(command):
    signature = inspect.signature(command.callback, eval_str=True)
    return {name for name, one in signature.parameters.items() if "pathlib.Path" in repr(one.annotation)
            or Path in get_args(one.annotation)}  # fmt: skip


def test_every_path_is_known():
    for command in app.registered_commands:
        name = command.callback.__name__
        assert paths_of(command) == READ[name] | WRITTEN.get(name, set()), name
        assert not READ[name] & WRITTEN.get(name, set())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    workflow.write_dataset("business", tmp_path / "data.csv", n=30)
    (tmp_path / "data.toml").rename(tmp_path / "schema.toml")
    workflow.write_dataset("business", tmp_path / "other.csv", n=30, random_state=1)
    (tmp_path / "script.R").write_text('sdc <- createSdcObj(d, keyVars = "EMPLOYEES")\n')
    (tmp_path / "public").mkdir()
    (tmp_path / "public" / "iris.csv").write_text("a\n1\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def kept(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("how", ["same", "dotted", "absolute", "symbolic", "hard"])
@pytest.mark.parametrize(("command", "name"), FILES)
def test_no_output_is_an_input(folder, command, name, how):
    source = "public/iris.csv" if command == "papers" else "data.csv"
    target = {"same": source, "dotted": f"./public/../{source}", "absolute": str(folder / source)}.get(how, "link.csv")
    if how == "symbolic":
        (folder / "link.csv").symlink_to(folder / source)
    if how == "hard":
        os.link(folder / source, folder / "link.csv")
    before = kept(folder)
    resumed = ["--resume"] if name == "store" else []
    assert main._code([*BASE[command], *option(name), target, *resumed]) == 2
    assert kept(folder) == before


@pytest.mark.parametrize(
    ("command", "name"), [pair for pair in FILES if pair[0] not in {"papers", "inspect", "import"}]
)
def test_no_output_is_a_schema(folder, command, name):
    before = kept(folder)
    assert main._code([*BASE[command], *option(name), "schema.toml"]) == 2
    assert kept(folder) == before


@pytest.mark.parametrize("option", ["-o", "--map", "--store"])
@pytest.mark.parametrize("target", ["data.csv", "schema.toml", "open.toml", "region.csv"])
def test_a_signed_protocol_is_never_an_input(folder, target, option):
    (folder / "region.csv").write_text("a;*\n")
    (folder / "open.toml").write_text(
        (folder / "schema.toml").read_text()
        + '[[step]]\nmethod = "hierarchy-recoding"\n[step.hierarchies]\nREGION = "region.csv"\n'
    )
    before = kept(folder)
    command = ["tune", "data.csv", "-s", "schema.toml", "-p", "open.toml", "--force", "--budget", "2"]
    assert main._code([*command, option, target]) == 2
    assert kept(folder) == before


@pytest.mark.parametrize("how", ["same", "dotted", "case", "symbolic", "hard"])
@pytest.mark.parametrize(
    ("command", "first", "second"),
    [(command, a, b) for command in ("protect", "compare", "tune", "papers") for a in sorted(WRITTEN[command])
     for b in sorted(WRITTEN[command]) if a < b],
)  # fmt: skip
def test_no_two_outputs_are_one_file(folder, command, first, second, how):
    # An ending that each of them takes, so that nothing else is refused.
    endings = {"report": ".html", "external": ".html", "html": ".html", "picture": ".svg"}
    ending = next((endings[name] for name in (first, second) if name in endings), ".csv")
    one = f"out{ending}"
    other = {"same": one, "dotted": f"public/../{one}", "case": f"OUT{ending}"}.get(how, f"link{ending}")
    if how == "symbolic":
        (folder / other).symlink_to(folder / one)
    if how == "hard":
        (folder / one).write_text("before")
        os.link(folder / one, folder / other)
    before = kept(folder)
    assert main._code([*BASE[command], *option(first), one, *option(second), other]) == 2
    assert kept(folder) == before


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"my notes\n",
        b'{"study": "x"}',
        b'{"a": 1}\n',
        b"[1]\n",
        b'{"study": 1}\n',
        b"\xff\n",
        b"[" * 4000,
        b"[" * 4000 + b"\n",
    ],
)
@pytest.mark.parametrize("resumed", [[], ["--resume"]])
@pytest.mark.parametrize("command", ["compare", "tune", "papers"])
def test_a_store_is_a_study_or_left_alone(folder, command, resumed, content):
    (folder / "notes.txt").write_bytes(content)
    assert main._code([*BASE[command], "--store", "notes.txt", *resumed]) == 2
    assert (folder / "notes.txt").read_bytes() == content


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["inspect", "data.csv", "-o", "mine.toml"], "mine.toml"),
        (["datasets", "business", "--n", "20", "-o", "mine.csv"], "mine.toml"),
        (["datasets", "business", "--n", "20", "-o", "mine.csv"], "mine.csv"),
        (["init", "data.csv", "-o", "mine.toml"], "mine.toml"),
    ],
)
def test_what_somebody_wrote_is_written_over_only_by_force(folder, arguments, named):
    (folder / named).write_text("mine")
    before = kept(folder)
    assert main._code(arguments) == 2
    assert kept(folder) == before
    assert main._code([*arguments, "--force"]) == 0
    assert (folder / named).read_text() != "mine"


@pytest.mark.parametrize(
    "arguments", [["verify"], ["inspect"], ["inspect", "data.csv", "-o"], ["datasets", "business", "-o"]]
)
def test_a_path_that_is_too_long_is_refused(folder, arguments):
    assert main._code([*arguments, "a" * 5000 + ".csv"]) == 2


def test_a_store_cuts_off_half_a_line_and_nothing_else(tmp_path):
    path = tmp_path / "rows.jsonl"
    with RowStore(path, "x", 1, resume=False) as store:
        store.add([{"experiment": 0}])
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"experiment": 1, "sc')
    with RowStore(path, "x", 1, resume=True) as store:
        assert store.rows == {0: {"experiment": 0}}
    assert path.read_bytes() == whole
    for changed in (whole + b"not a row\n" + b'{"experiment": 2}\n', whole.replace(b'"x"', b'"y"')):
        path.write_bytes(changed)
        with pytest.raises(FileError):
            RowStore(path, "x", 1, resume=True)
        assert path.read_bytes() == changed


PROTOCOL = """seed = 1
[data]
file = "data.csv"
{attributes}
[[step]]
method = "mdav"
k = 3
[release]
{release}
"""


@pytest.mark.parametrize(
    "release",
    [
        'masked = "protocol.csv"',  # its schema would be protocol.toml
        'masked = "data.csv"',
        'masked = "m.csv"\ninternal = "m.csv"',
        'masked = "m.csv"\ninternal = "./M.CSV"',
        'masked = "m.csv"\nmanifest = "m.toml"',
        'masked = "m.csv"\nmanifest = "protocol.toml"',
    ],
)
def test_a_protocol_is_not_written_over_and_writes_nothing_twice(folder, release):
    text = PROTOCOL.format(attributes=(folder / "schema.toml").read_text(), release=release)
    (folder / "protocol.toml").write_text(text)
    before = kept(folder)
    assert main._code(["run", "protocol.toml"]) == 2
    assert kept(folder) == before


def test_a_hierarchy_is_an_input(folder):
    (folder / "tree.csv").write_text("x,all\ny,all\n")
    (folder / "words.csv").write_text("c\n" + "x\ny\n" * 6)
    (folder / "words.toml").write_text(
        '[[attribute]]\nname = "c"\nscale = "nominal"\nrole = "key"\nlevels = ["x", "y"]\n'
    )
    command = [
        "protect",
        "words.csv",
        "-s",
        "words.toml",
        "-m",
        "hierarchy-recoding",
        "--set",
        "hierarchies=c:tree.csv",
    ]
    before = kept(folder)
    main._code([*command, "-o", "tree.csv"])
    assert kept(folder) == before


def test_files_of_a_release_come_together_or_not_at_all(folder, monkeypatch):
    from discreet.release import manifest

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(manifest, "_fingerprint", fail)
    before = kept(folder)
    command = [*BASE["protect"], "-o", "out.csv", "--report", "out.html", "--manifest", "out.json"]
    assert main._code(command) == 130
    assert kept(folder) == before
    monkeypatch.undo()
    os.chdir(folder)
    assert main._code(command) == 0
    listed = json.loads((folder / "out.json").read_text())["files"]
    assert [entry["name"] for entry in listed] == ["out.csv", "out.html"]
    assert [entry["bytes"] for entry in listed] == [(folder / name).stat().st_size for name in ("out.csv", "out.html")]
    assert not list(folder.glob(".*.part"))


def test_what_is_no_file_stays_what_it_is(folder):
    os.mkfifo(folder / "pipe.csv")
    assert main._code([*BASE["protect"], "-o", "pipe.csv"]) == 2
    assert (folder / "pipe.csv").is_fifo()


def test_a_release_does_not_go_into_the_folder_that_it_is_made_from(folder):
    (folder / "parts").mkdir()
    workflow.write(workflow.read("data.csv", "schema.toml"), folder / "parts" / "a.parquet")
    before = kept(folder)
    command = ["protect", "parts", "-s", "schema.toml", "--k", "3"]
    assert main._code([*command, "-o", "parts/out.parquet"]) == 2
    assert main._code([*command, "-o", "parts/out"]) == 2
    assert kept(folder) == before
