"""Nothing leaks: errors, answers, reports and logs name columns and counts, never a record's value."""

from __future__ import annotations

import pytest
from tests.promises import releases, tables

import discreet as dc

SECRETS = {"person": "p-Ottokar-4711", "wealth": "73412987.125", "visits": "tower tower lake tower gate lake"}
"""Cells that no other record has, and that nothing computed from the others would show."""
KEEPING = [name for name, cls in dc.methods("masker").items() if cls.examples() and cls.scales != {"sequence"}]


def told(tmp_path, capsys):
    """Return everything that was said or written, the release apart."""
    captured = capsys.readouterr()
    texts = [captured.out, captured.err, *releases.WARNED]
    endings = {".html", ".json", ".toml", ".log", ".md", ".txt"}
    texts += [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.suffix in endings]
    return "\n".join(texts)


def with_secrets(table, **cells):
    """Return a survey whose record 17 holds the secret cells."""
    rows = [list(row) for row in table.rows]
    for name, cell in (SECRETS | cells).items():
        if name in table.header:
            rows[17][table.header.index(name)] = cell
    return tables.Survey(table.header, tuple(map(tuple, rows)), table.toml, table.reading, table.codes, table.numeric)


@pytest.mark.parametrize("method", KEEPING)
def test_a_release_is_spoken_of_in_columns_and_counts(method, tmp_path, capsys):
    made = with_secrets(tables.survey(120, seed=51, weights=True, leaving_out=("visits",)))
    path = tables.write(made, tmp_path / "survey.csv")
    masker = dc.methods("masker")[method].examples()[0]
    with releases.quiet():
        table = dc.read(path, path.with_suffix(".toml"))
        masked = masker.mask(table)
        shown = [repr(table), repr(masked), str(masked.provenance), repr(masker), masked._repr_html_(),
                 table._repr_html_(), str(masked.provenance.to_dict(internal=True))]  # fmt: skip
    said = "\n".join([told(tmp_path, capsys), *shown])
    assert not [name for name in ("person", "wealth") if SECRETS[name] in said]
    assert "73412987" not in said


@pytest.mark.parametrize("method", ["mdav", "local-suppression", "additive-noise", "top-coding"])
def test_reports_and_answers_hold_no_record(method, tmp_path, capsys):
    made = with_secrets(tables.survey(120, seed=52, weights=True, leaving_out=("visits",)))
    path = tables.write(made, tmp_path / "survey.csv")
    files = ["--report", tmp_path / "in.html", "--external", tmp_path / "ex.html", "--manifest", tmp_path / "m.json"]
    command = ["protect", path, "-s", path.with_suffix(".toml"), "--method", method, "-o", tmp_path / "out.csv"]
    assert releases.discreet(*command, *files) == 0
    assert releases.discreet("assess", path, tmp_path / "out.csv", "-s", path.with_suffix(".toml")) == 0
    assert releases.discreet("inspect", path) == 0
    said = told(tmp_path, capsys)
    assert "Ottokar" not in said
    assert "73412987" not in said
    assert "73,412,987" not in said


BAD = {
    "a level that nobody declared": {"fuel": "fuel-Ottokar-4711"},
    "a number that is none": {"age": "age-Ottokar-4711"},
    "an event that nobody declared": {"visits": "gate Ottokar-4711"},
    "a weight below nought": {"weight": "-4711.25"},
    "a sequence with a strange end": {"visits": "gate;Ottokar-4711"},
}


@pytest.mark.parametrize("fault", BAD)
@pytest.mark.parametrize("command", ["protect", "assess", "run"])
def test_a_refusal_names_the_column_and_not_the_cell(fault, command, tmp_path, capsys):
    made = tables.survey(80, seed=53, weights=True)
    path = tables.write(with_secrets(made, **BAD[fault]), tmp_path / "survey.csv")
    schema = path.with_suffix(".toml")
    if command == "run":
        words = f'seed = 5\n[data]\nfile = "survey.csv"\n{made.toml}\n[[step]]\nmethod = "mixed-mdav"\n'
        (tmp_path / "protocol.toml").write_text(words, encoding="utf-8")
        code = releases.discreet("run", tmp_path / "protocol.toml", "-o", tmp_path / "release")
    elif command == "protect":
        code = releases.discreet("protect", path, "-s", schema, "--method", "mixed-mdav", "-o", tmp_path / "out.csv")
    else:
        code = releases.discreet("assess", path, path, "-s", schema)
    said = told(tmp_path, capsys)
    assert "Ottokar" not in said
    assert "4711" not in said
    if {"fuel", "age"} & set(BAD[fault]):  # masked by that method, and looked at by every figure
        assert code == 2
        assert next(iter(BAD[fault])) in said
    assert not (tmp_path / "out.csv").exists() or code == 0
