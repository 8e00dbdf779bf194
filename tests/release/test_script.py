"""Scripts that do what a command does: they run, and write the same bytes."""

from __future__ import annotations

import pytest

from discreet import workflow
from discreet.data.survey import Declaration
from discreet.errors import SchemaError
from discreet.release.protocol_text import read_seed, seed_line
from discreet.release.script import protect_script


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("age;pay\n" + "\n".join(f"{20 + j};{1000 * j % 7}" for j in range(12)) + "\n")
    return path


def test_a_script_does_what_it_says(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = protect_script(data, tmp_path / "out.csv", "mdav", {"k": 4}, delimiter=";", encoding=None)
    assert "encoding" not in script
    exec(compile(script, "script", "exec"), {})  # noqa: S102 - it is ours
    masked = workflow.protect(workflow.read(data, delimiter=";"), "mdav", k=4)
    workflow.write(masked, tmp_path / "again.csv")
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "again.csv").read_bytes()


def test_schemas_reports_and_declarations_are_arguments():
    plain = protect_script("a.csv", "b.csv", "mdav", schema="s.toml").splitlines()
    assert plain[0] == "import discreet as dc"
    assert plain[2] == "original = dc.read('a.csv', 's.toml')"
    assert plain[3].startswith("masked = dc.MDAV(")
    assert plain[-1] == "dc.write(masked, 'b.csv')"
    told = protect_script("a.csv", "b.csv", "mdav", schema=Declaration(keys=("age",)), report="r.html").splitlines()
    assert told[2].startswith("original = dc.survey('a.csv', ")
    assert told[-2:] == [
        "assessment = dc.assess(original, masked)",
        "dc.write_report(original, masked, assessment, html='r.html')",
    ]


def test_seeds_as_files_and_people_give_them():
    assert (read_seed(None), read_seed(0), read_seed(7), read_seed("12")) == (None, 0, 7, 12)
    assert read_seed("9" * 79) == int("9" * 79)
    for wrong in (-1, 1.5, True, "", "-1", "x", "٣", "9" * 80):
        with pytest.raises(SchemaError, match="seed must be a whole number of at least 0"):
            read_seed(wrong)
    assert (seed_line(None), seed_line(5)) == ("", "seed = 5\n")
    assert seed_line(2**70) == f'seed = "{2**70}"\n'


def masked_by(*arguments, **options):
    return protect_script("a.csv", "b.csv", *arguments, **options).splitlines()[3]


def test_chains_and_units_are_written_as_they_are_called():
    assert masked_by("mdav", {"k": 4}, unit="home") == "masked = dc.PerUnit(dc.MDAV(k=4), unit='home').mask(original)"
    both = masked_by("rank-swapping", {"p": 7, "random_state": 9}, recode=["town=prefix:2"])
    assert both.startswith("masked = dc.Chain([dc.CodeTruncation(")
    assert both.endswith("], seed=9).mask(original)")
    assert "dc.RankSwapping(p=7, random_state=9)" in both
    alone = masked_by(None, recode=["town=prefix:2", "job=rare:5"])
    assert "seed" not in alone
    assert alone.count("dc.") == 3
    assert protect_script("a.csv", "b.csv").endswith("dc.write(masked, 'b.csv')\n")
