"""What people read is what machines read: every figure of --json stands in the words and tables, in its row."""

from __future__ import annotations

import json

import pytest
from tests.cli.test_cli import discreet

import discreet as dc
from discreet.cli import console

SAME = ("-s", "b.toml")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("words")
    assert discreet("datasets", "business", "--n", 40, "-o", "b.csv", cwd=path).returncode == 0
    few = (*SAME, "--attributes", "EMPLOYEES,WAGES,TAXES")
    for name, k in (("m.csv", 4), ("other.csv", 2)):
        run = discreet("protect", "b.csv", *few, "--k", k, "--seed", 1, "-o", name, "-q", cwd=path)
        assert run.returncode == 0, run.stderr
    return path


@pytest.fixture
def both(folder, monkeypatch):
    """Run a command for people and for machines: rows of cells with all words in one line, and the figures."""
    monkeypatch.setattr(console.out, "_width", 600)  # the variable COLUMNS is asked only when a process begins

    def run(*arguments, code=0, apart=lambda _name: ()):
        said = discreet(*arguments, *apart("words"), cwd=folder)
        told = discreet(*arguments, *apart("figures"), "--json", cwd=folder)
        assert said.returncode == told.returncode == code, (said.stderr, told.stderr)
        rows = [
            [cell.strip() for cell in line.strip("│ ").split("│")] for line in said.stdout.splitlines() if "│" in line
        ]
        return rows, " ".join(said.stdout.split()), json.loads(told.stdout)

    return run


def test_inspect(both):
    rows, words, told = both("inspect", "b.csv")
    assert f"b.csv: {told['n_records']} records" in words
    assert [row[:3] for row in rows] == [[one["name"], one["role"], one["scale"]] for one in told["attributes"]]
    assert all(one["reason"] == row[-1] for row, one in zip(rows, told["attributes"], strict=True))
    assert all(one["inferred"] == ["role", "scale"] for one in told["attributes"])
    declared = both("inspect", "b.csv", *SAME)[2]
    assert all(one["inferred"] == [] for one in declared["attributes"])


def test_protect(both):
    rows, words, told = both("protect", "b.csv", *SAME, "--k", 3, "--seed", 1, apart=lambda name: ("-o", f"{name}.csv"))
    assert {row[0]: int(row[1]) for row in rows} == told["changed_cells"]
    assert f"mdav: {told['n_records']} records" in words
    groups = told["groups"]
    assert f"{groups['count']} groups of {groups['smallest']} to {groups['largest']} records." in words
    assert all(f"• {promise['sentence']} Counted in the written file." in words for promise in told["guarantees"])
    assert all(f"• {note}" in words for note in told["notes"])
    assert "Written to words.csv." in words
    assert told["files"] == {"masked": "figures.csv"}
    assert (told["method"], told["seed"]) == ("mdav", 1)


def test_assess(both):
    rows, words, told = both("assess", "b.csv", "m.csv", *SAME, "--method", "mdav k=4", "--all")
    measured = [
        (m["kind"], m["title"], f"{m['value']:.2f} {m['unit']}", m["sentence"]) for m in told["risks"] + told["losses"]
    ]
    assert [tuple(row) for row in rows[: len(measured)]] == measured, "risks come first"
    absent = rows[len(measured) : len(measured) + len(told["not_computed"])]
    for row, one in zip(absent, told["not_computed"], strict=True):
        assert row[:3] == [one["kind"], one["title"], "–"]
        assert one["reason"].rstrip(".") in row[3]
    for name, key in (("this release", "score"), ("the unmasked file", "unmasked")):
        one = told[key]
        assert not one["incomplete"]
        assert [name, f"{one['risk']:.2f} %", f"{one['loss']:.2f} %", f"{one['value']:.2f}"] in rows
    assert f"Score {told['score']['value']:.2f} {told['score']['sentence']}" in words
    assert f"The papers' mean score: {told['papers_score']['value']:.2f}." in words
    assert f"The intruder is assumed to know: {', '.join(told['known_to_the_intruder'])}." in words


def test_assess_fits_on_a_screen(both):
    _, words, told = both("assess", "b.csv", "m.csv", *SAME, "--method", "mdav k=4")
    score = told["score"]
    assert f"Score {score['value']:.2f} {score['sentence']}" in words
    assert f"this release risk {score['risk']:.2f} % loss {score['loss']:.2f} % score {score['value']:.2f}" in words
    measures = told["risks"] + told["losses"]
    attacks = [m for m in told["risks"] if "chance_percent" in m["details"] and m["unit"] == "%"]
    # As the headline counts them: one guess a record.
    highest = max(m["details"].get("percent_of_one_guess", m["value"]) for m in attacks)
    assert f"Attacks that find most: {highest:.2f} % Re-identified by" in words
    assert highest <= score["risk"]
    losses = [m for m in told["losses"] if m["unit"] == "%"]
    rest = len(measures) + len(told["not_computed"]) - min(3, len(attacks)) - min(3, len(losses))
    assert f"{rest} more measures, and what each means: --all." in words


def test_attack(both):
    _, words, told = both("attack", "b.csv", "m.csv", *SAME)
    low, high = told["interval"]
    assert f"{told['expected']:.1f} of {told['n']} records linked correctly ({100 * told['rate']:.2f} %, " in words
    assert f"95 % interval {100 * low:.2f} to {100 * high:.2f} %); guessing finds {told['chance']:.1f}." in words
    assert f"Ties all for the intruder: {told['optimistic']}; all against: {told['pessimistic']}." in words
    assert f"The true record is the second nearest for {told['second']} more." in words
    assert f"The intruder is assumed to know: {', '.join(told['known'])}." in words
    assert "n_records" not in told, "nobody was left out of the sample"
    assert "Compared: a sample" not in words
    assert "is told how the file was masked" not in words


def test_an_attack_by_who_knows_the_masking_says_so(both):
    _, words, told = both("attack", "b.csv", "m.csv", *SAME, "--linker", "masking-aware", "--method", "mdav k=4")
    assert f"The intruder is told how the file was masked ({told['masking_known']}): {told['masking']}." in words


def test_several_linkers_together(both):
    _, words, told = both("attack", "b.csv", "m.csv", *SAME, "--linker", "distance,probabilistic")
    start = f"{told['expected']:.1f} of {told['n']} records linked correctly by at least one linker"
    assert f"{start} ({100 * told['rate']:.2f} %); as many guesses find {told['chance']:.1f}." in words
    each = ", ".join(f"{name} {expected:.1f}" for name, expected in told["each"].items())
    assert list(told["each"]) == ["distance", "probabilistic"]
    assert f"Each alone: {each}; all of them: {told['all_of_them']:.1f}." in words


def test_link(both, folder):
    arguments = ("link", "b.csv", "m.csv", *SAME)
    _, words, told = both(*arguments, apart=lambda name: ("-o", f"{name}-links.csv"))
    assert f"{told['with_a_candidate']} of {told['n_b']} records have a best candidate among {told['n_a']}" in words
    assert f", {told['decided']} of them above the threshold of a link; {told['tied']} are tied." in words
    assert f"Linked on: {', '.join(told['on'])}. Written to words-links.csv." in words
    assert (folder / "words-links.csv").read_bytes() == (folder / "figures-links.csv").read_bytes()


def test_compare(both):
    grid = ("-c", "mdav k=3,5", "-c", "rank-swapping p=5", "--seed", 1, "--workers", 1)
    rows, words, told = both("compare", "b.csv", *SAME, *grid)
    table = {row[0]: row[1:] for row in rows if row[0] != "candidate"}
    for one in told["ranking"]:
        assert table[one["label"]][0] == f"{one['score']:.2f}"
        assert table[one["label"]][2:] == [f"{one['risk']:.2f}", f"{one['loss']:.2f}"]
    assert [one["label"] for one in told["ranking"]] == list(table)[: len(told["ranking"])]
    assert told["best"] == told["ranking"][0]
    best = told["best"]
    assert (
        f"Best: {best['label']}, score {best['score']:.2f}, risk {best['risk']:.2f}, loss {best['loss']:.2f}." in words
    )
    assert table["the unmasked file"][2:] == ["100.00", "0.00"]


def test_tune_signs_what_it_shows(both, folder):
    dc.write(dc.datasets.business(40).select(["EMPLOYEES", "WAGES", "TAXES"]), folder / "few.csv")
    arguments = ("tune", "few.csv", "--keys", "EMPLOYEES,WAGES,TAXES", "--budget", 6, "--seed", 1, "--risk-at-most", 90)
    rows, words, told = both(*arguments)
    tried = {one["candidate"]: one for one in told["tried"]}
    shown = [row for row in rows if row[0] in tried]
    assert shown[0][0] == told["best"]["label"], "the best comes first"
    for name, risk, loss, outcome in shown:
        one = tried[name]
        assert risk == ("–" if one["risk"] is None else f"{one['risk']:.2f}") or one["risk_at_least"] is not None
        assert loss == ("–" if one["loss"] is None else f"{one['loss']:.2f}")
        assert outcome
    draw = told["best"]["draw"]
    limits = ", ".join(f"{name} = {limit:g}" for name, limit in told["thresholds"].items())
    sentence = f"Signed: {told['best']['label']}, risk {draw['risk']:.2f} %, loss {draw['loss']:.2f} %; keeps {limits}."
    assert sentence in words
    assert told["met"]
    assert not told["misses"]
    assert told["protocol"] is None
    assert f"{told['space']} candidates:" in words
    assert ["the unmasked file", f"{told['unmasked']['risk']:.2f}", "0.00"] in rows


def test_a_protocol_is_run_as_it_is_told(both, folder):
    assert discreet("init", "b.csv", *SAME, "-o", "p.toml", "-q", cwd=folder).returncode == 0
    rows, words, told = both("run", "p.toml", apart=lambda name: ("-o", name))
    for name, one in told["scenarios"].items():
        row = [name, f"{one['risk']:.2f}", f"{one['loss']:.2f}", f"{one['score']:.2f}"]
        assert rows[rows.index(row) + 1][:2] == ["the unmasked file", f"{one['risk_before']:.2f}"]
    assert f"Score {told['headline']['value']:.2f} {told['headline']['sentence']}" in words
    for verdict in told["verdicts"]:
        assert f"{'met' if verdict['met'] else 'missed'} {verdict['name']}: {verdict['sentence']}" in words
    assert all(f"{what} words/{path.removeprefix('figures/')}" in words for what, path in told["files"].items())
    assert all(f"• {note}" in words for note in told["masking"]["notes"])
    _, words, told = both("verify", "words/b-manifest.json")
    assert set(told["files"].values()) == {"unchanged"}
    assert all(name in words for name in told["files"])


def test_methods(both):
    rows, words, told = both("methods", "mdav")
    (entry,) = told["maskers"].values()
    assert {row[0]: row[2] for row in rows} == entry["parameters"]
    assert {row[0]: row[1] for row in rows} == {name: repr(default) for name, default in entry["defaults"].items()}
    assert f"What it brings together: {entry['needs']}." in words
    rows, _, told = both("methods")
    for kind in told.values():
        for name, entry in kind.items():
            assert any(name == row[0] and entry["summary"] in row for row in rows), name


def test_certify(both):
    _, words, told = both("certify", "b.csv", "m.csv", *SAME, "--attributes", "EMPLOYEES", "--k", 4)
    assert told["k"] == 4
    assert f"{told['n_records']} records: {told['sentence']}." in words
