"""The headline cannot flatter: the worst intruder, every changed column, and one number wherever it is shown."""

from __future__ import annotations

import functools
import json

import pytest
from tests.promises import judge, releases, tables

import discreet as dc
from discreet import workflow

SURVEY = {"n": 150, "seed": 41, "leaving_out": ("visits",)}
KEEPING = {
    name: cls for name, cls in dc.methods("masker").items()
    if cls.examples() and cls.scales != frozenset({"sequence"}) and not cls.reorders
}  # fmt: skip
CATEGORIES = [name for name in tables.SCALES if name not in tables.NUMBERS and name != "visits"]


def survey(tmp_path, ending="csv", **more):
    path = tables.write(tables.survey(**{**SURVEY, **more}), tmp_path / f"survey.{ending}")
    return path, dc.read(path, path.with_suffix(".toml"))


def masked_by(method, table):
    made = KEEPING[method].examples()[0]
    if "random_state" in made.get_params():
        made.set_params(random_state=3)
    with releases.quiet():
        return made.mask(table)


def from_files(path, target, *options):
    """Ask the command line for the figures of two files."""
    return releases.answer("assess", path, target, "-s", path.with_suffix(".toml"), *options)


def different_cells(path, target):
    """Return how many cells differ between two files of the same records."""
    before, after = judge.read_cells(path), judge.read_cells(target)
    return sum(
        not judge.equal_cells(a, b)
        for name in after[0]
        for a, b in zip(judge.column(before, name), judge.column(after, name), strict=True)
    )


@functools.cache
def release_of(method):
    """Write one release of every masker, and return its files and both assessments."""
    folder = releases.folder() / f"headline-{method}"
    folder.mkdir(exist_ok=True)
    path, table = survey(folder)
    masked = masked_by(method, table)
    dc.write(masked, folder / "out.csv")
    # A file alone does not say how it was masked; its manifest does.
    workflow.write_manifest(folder / "manifest.json", {"masked": folder / "out.csv"}, steps=[masked.provenance])
    with releases.quiet():
        inside = dc.assess(table, masked)
    return path, folder / "out.csv", inside, from_files(path, folder / "out.csv"), table, masked


@pytest.mark.parametrize("method", KEEPING)
def test_memory_and_files_show_one_headline(method):
    _, _, inside, outside, _, _ = release_of(method)
    assert outside["score"]["risk"] == pytest.approx(inside.score.risk, abs=1e-6)
    assert outside["score"]["loss"] == pytest.approx(inside.score.loss, abs=1e-6)


def test_levels_that_tie_count_alike_however_they_are_declared(tmp_path):
    # As many records of a level became "*" as stayed; a file names its levels in another order than the masker.
    path, table = survey(tmp_path)
    broader = dc.Generalisation.examples()[0].hierarchies
    with releases.quiet():
        masked = dc.Generalisation(k=3, hierarchies=broader, suppression=0.1, suppressed="generalised").mask(table)
        dc.write(masked, tmp_path / "out.csv")
        inside = dc.assess(table, masked)
    outside = from_files(path, tmp_path / "out.csv")
    assert masked.provenance.details["suppressed"] == 7
    assert inside.score.loss == pytest.approx(100 * 7 * 2 / (7 * 150))
    assert outside["score"]["loss"] == pytest.approx(inside.score.loss, abs=1e-9)
    assert outside["score"]["risk"] == pytest.approx(inside.score.risk, abs=1e-9)
    linkage = next(one["value"] for one in outside["risks"] if one["name"] == "distance-linkage")
    assert linkage == pytest.approx(inside["distance-linkage"].value, abs=1e-9)


@pytest.mark.parametrize("method", KEEPING)
def test_no_linkage_finds_more_than_the_headline_says(method):
    _, _, _, outside, table, masked = release_of(method)
    # The headline counts one guess a record, where a measure may tell of several.
    linkages = {
        one["name"]: one["details"].get("percent_of_one_guess", one["value"])
        for one in outside["risks"]
        if "linkage" in one["name"]
    }
    assert linkages
    for linker in ("distance", "probabilistic"):
        try:
            with releases.quiet():
                linkages[linker] = 100 * dc.attack(table, masked, linker).evaluate().rate
        except dc.DiscreetError:
            continue  # released on another scale: this linker does not apply
    assert outside["score"]["risk"] >= max(linkages.values()) - 1e-6, linkages


@pytest.mark.parametrize("method", KEEPING)
def test_a_changed_cell_is_a_loss(method):
    path, target, _, outside, _, _ = release_of(method)
    if KEEPING[method].renumbers:  # other names for the same categories, one for one: nothing is lost
        assert outside["score"]["loss"] == 0
        return
    assert (outside["score"]["loss"] > 0) == (different_cells(path, target) > 0)


@pytest.mark.parametrize("method", KEEPING)
def test_no_rule_of_thumb_stands_for_the_unmasked_file(method):
    assert "near 50" not in release_of(method)[3]["score"]["sentence"]


@pytest.mark.parametrize("method", ["mdav", "pram", "local-suppression"])
def test_a_report_shows_the_same_headline(method, tmp_path):
    path, _ = survey(tmp_path)
    options = ["--method", method, "-o", tmp_path / "out.csv", "--report", tmp_path / "report.json", "--quiet"]
    options += ["--manifest", tmp_path / "manifest.json"]
    assert releases.discreet("protect", path, "-s", path.with_suffix(".toml"), *options) == 0
    told = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["assessment"]["score"]
    seen = from_files(path, tmp_path / "out.csv")["score"]
    assert (told["risk"], told["loss"]) == pytest.approx((seen["risk"], seen["loss"]), abs=1e-6)


@pytest.mark.parametrize("method", ["identifiers", "mdav", "mixed-mdav", "pram", "additive-noise", "top-coding"])
def test_who_knows_more_keys_finds_no_fewer_people(method, tmp_path):
    _, table = survey(tmp_path)
    masked = masked_by(method, table)
    with releases.quiet():
        everything = dc.assess(table, masked).score.risk
        for known in (CATEGORIES, CATEGORIES[:2], list(tables.NUMBERS), ["age", "fuel"]):
            roles = {name: "other" for name in tables.SCALES if name not in known and name != "visits"}
            # All else is released as it is, and he knows nothing of it.
            fewer = [dc.Microdata(m.to_native(), m.schema.with_roles(**roles)) for m in (table, masked.microdata)]
            assert everything >= dc.assess(*fewer).score.risk - 1e-6, known


def released_without(path, target, name, rows):
    """Write the original without identifiers and without some cells of a column."""
    header, records = judge.read_cells(path)
    place, person = header.index(name), header.index("person")
    lines = [header, *([("" if c == place and r in rows else cell) for c, cell in enumerate(record)]
                       for r, record in enumerate(records))]  # fmt: skip
    target.write_text("".join(",".join(cell for c, cell in enumerate(line) if c != person) + "\n" for line in lines),
                      encoding="utf-8")  # fmt: skip
    return len(header) - 1


@pytest.mark.parametrize("name", ["age", "fuel", "illness"])
def test_suppressed_cells_are_lost(name, tmp_path):
    path, _ = survey(tmp_path)
    losses = []
    for share in (0.0, 0.25, 0.55, 1.0):
        rows = set(range(int(share * SURVEY["n"])))
        columns = released_without(path, tmp_path / "out.csv", name, rows)
        losses.append(from_files(path, tmp_path / "out.csv")["score"]["loss"])
        assert losses[-1] >= 100 * share / columns - 1e-9, "at least the share of all cells that is gone"
    assert losses == sorted(losses)
    assert losses[0] == 0


@pytest.mark.parametrize("name", ["illness", "note", "serial"])
def test_what_is_no_key_counts_when_it_changes(name, tmp_path):
    path, _ = survey(tmp_path)
    header, records = judge.read_cells(path)
    place = header.index(name)
    moved = [record[place] for record in records]
    moved = moved[1:] + moved[:1]
    lines = [
        header,
        *([*record[:place], cell, *record[place + 1 :]] for record, cell in zip(records, moved, strict=True)),
    ]
    person = header.index("person")
    (tmp_path / "out.csv").write_text(
        "".join(",".join(cell for c, cell in enumerate(line) if c != person) + "\n" for line in lines), encoding="utf-8"
    )
    assert from_files(path, tmp_path / "out.csv")["score"]["loss"] > 0


@pytest.mark.parametrize("method", ["mdav", "pram"])
def test_out_of_core_shows_the_same_headline_or_says_that_it_cannot(method, tmp_path):
    path, table = survey(tmp_path, "parquet")
    dc.write(masked_by(method, table), tmp_path / "out.parquet")
    here = from_files(path, tmp_path / "out.parquet")["score"]
    there = from_files(path, tmp_path / "out.parquet", "--engine", "streaming")["score"]
    for part in ("risk", "loss"):
        assert there[part] is None or there[part] == pytest.approx(here[part], abs=1e-6), part


def test_a_threshold_is_held_against_the_headline(tmp_path):
    path, table = survey(tmp_path)
    dc.write(masked_by("mdav", table), tmp_path / "out.csv")
    risk = from_files(path, tmp_path / "out.csv")["score"]["risk"]
    command = ["assess", path, tmp_path / "out.csv", "-s", path.with_suffix(".toml"), "--quiet", "--max-risk"]
    assert releases.discreet(*command, risk + 0.01) == 0
    assert releases.discreet(*command, risk - 0.01) == 1
