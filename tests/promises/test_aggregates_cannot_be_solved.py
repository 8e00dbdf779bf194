"""Aggregates carry no more digits than their data, and nobody solves for their members."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from tests.promises import intruder, judge, releases, tables

import discreet as dc

AGGREGATING = {
    name: cls for name, cls in dc.methods("masker").items() if cls.groups or "replacement" in cls.parameter_names()
}
CASES = [one for one in releases.CASES if one.values[0].method in AGGREGATING]
NUMERIC = [name for name, cls in AGGREGATING.items() if cls.groups and "numeric" in cls.scales]
LOW, HIGH = 18, 89  # ages that anybody would take for possible
SURVEY = tables.survey(400, seed=21, weights=True)


@pytest.mark.parametrize("case", CASES)
def test_a_released_number_has_the_decimals_of_its_column(case):
    release = releases.released(case)
    if release.written is None:
        return
    for name in set(tables.NUMBERS) & set(release.masked.provenance.attributes):
        most = max(
            judge.decimals(cell) for cell in judge.column(release.before, name) if judge.number(cell) is not None
        )
        digits = [judge.decimals(c) for c in judge.column(release.after, name) if judge.number(c) is not None]
        assert max(digits, default=0) <= most, name


def classes(cells, names):
    """Return the records of every class of equal text."""
    members = defaultdict(list)
    for row, key in enumerate(zip(*(cells[name] for name in names), strict=True)):
        members[key].append(row)
    return list(members.values())


def solutions(mean, tolerance, weights):
    """Return all whole ages of some people whose weighted mean is the released one, as far as its digits tell."""
    ages = np.arange(LOW, HIGH + 1, dtype=float)
    grids = np.meshgrid(*[ages] * (len(weights) - 1), indexing="ij")
    partial = sum(w * grid for w, grid in zip(weights, grids, strict=False))
    last = (mean * weights.sum() - partial) / weights[-1]
    whole = np.round(last)
    fits = (np.abs(last - whole) * weights[-1] <= tolerance * weights.sum()) & (whole >= LOW) & (whole <= HIGH)
    return np.stack([*(grid[fits] for grid in grids), whole[fits]], axis=1)


def solved(cells, truth, names, *, weighted):
    """Return the cells that an intruder is expected to get right by solving, and by taking the mean for everybody."""
    weights = intruder.numbers(cells["weight"]) if weighted else np.ones(len(truth))
    by_solving = by_guessing = 0.0
    tried = [rows for rows in classes(cells, names) if len(rows) == 3]
    tried += [rows for rows in classes(cells, names) if len(rows) == 4][:12]
    for rows in tried:
        cell = cells["age"][rows[0]]
        if judge.number(cell) is None:
            continue
        mean, ages = float(cell), truth[rows]
        guess = float((ages == round(mean)).sum())
        by_guessing += guess
        found = solutions(
            mean, 0.5 * 10.0 ** -judge.decimals(cell) if judge.decimals(cell) < 9 else 1e-9, weights[rows]
        )
        # Where arithmetic leaves many ages open he does what everybody does.
        by_solving += float((found == ages).sum(axis=1).mean()) if 0 < len(found) <= 5 else guess
    return by_solving, by_guessing, len(tried)


@pytest.mark.parametrize("method", NUMERIC)
def test_known_weights_and_whole_ages_give_no_member_away(method, tmp_path):
    path = tables.write(SURVEY, tmp_path / "survey.csv")
    made = AGGREGATING[method].examples()[0].set_params(k=3)
    if "random_state" in made.get_params():
        made.set_params(random_state=8)
    with releases.quiet():
        masked = made.mask(dc.read(path, path.with_suffix(".toml")))
        dc.write(masked, tmp_path / "out.csv")
    cells = intruder.cells_of(tmp_path / "out.csv")
    truth = intruder.numbers(SURVEY.column("age"))
    for names in releases.promised_sets(releases.Release(path, path, None, masked, "", "")):
        if "age" not in names:
            continue
        for weighted in (False, True):
            solving, guessing, tried = solved(cells, truth, names, weighted=weighted)
            assert tried or method in {"individual-ranking", "local-suppression"}
            assert solving <= guessing + 3.0 * max(guessing, 1.0) ** 0.5 + 3.0, (weighted, solving, guessing)


def test_the_solver_solves_what_can_be_solved():
    weights, ages = np.array([123.4, 87.9, 311.2]), np.array([31.0, 44.0, 67.0])
    found = solutions((weights * ages).sum() / weights.sum(), 1e-9, weights)
    assert [31.0, 44.0, 67.0] in found.tolist()
    assert len(found) <= 2


@pytest.mark.parametrize("method", [m for m in NUMERIC if "weighted" in AGGREGATING[m].parameter_names()])
def test_nothing_is_weighted_unasked_and_asking_is_warned_of(method, tmp_path, capsys):
    made = AGGREGATING[method]() if method != "refine" else AGGREGATING[method](budget=100)
    assert made.get_params()["weighted"] is False
    path = tables.write(SURVEY, tmp_path / "survey.csv")
    options = ["--method", method, "--set", "weighted=true", "-o", tmp_path / "out.csv"]
    options += ["--set", "budget=100"] if method == "refine" else []
    said = releases.answer("protect", path, "-s", path.with_suffix(".toml"), *options)
    words = [*said["notes"], *map(str, said["advice"]), *releases.WARNED, capsys.readouterr().err]
    assert "weight" in " ".join(words).lower()
