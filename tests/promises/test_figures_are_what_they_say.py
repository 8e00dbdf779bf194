"""Every figure counts what its sentence says: recomputed by plain loops over the text of the same two files."""

from __future__ import annotations

import functools
import math
from collections import Counter

import pytest
from tests.promises import judge, releases, tables

import discreet as dc

KEYS = ["age", "size", "fuel", "owner"]
METHODS = {
    "identifiers": dc.methods("masker")["identifiers"](),
    "local-suppression": dc.LocalSuppression(3),
    "mixed-mdav": dc.MixedMDAV(3, random_state=2),
    "mdav": dc.MDAV(3, missing="pattern", random_state=2),
    "rank-swapping": dc.RankSwapping(random_state=2),
    "rounding": dc.Rounding(10),
}
GRID = [
    (method, reading, bool((place + shift) % 2))
    for place, method in enumerate(METHODS)
    for shift, reading in enumerate(tables.READINGS)
    if (place + shift) % 2 == 0 or reading in {"two", "question"}
]


@functools.cache
def files(method, reading, weights):
    """Write a survey of few keys, some of which repeat, and its release."""
    left_out = tuple(name for name in tables.SCALES if name not in KEYS)
    made = tables.survey(200, seed=31, reading=reading, weights=weights, leaving_out=left_out)
    path = tables.write(made, releases.folder() / f"figures-{reading}-{weights}.csv")
    target = releases.folder() / f"figures-{method}-{reading}-{weights}-out.csv"
    with releases.quiet():
        dc.write(METHODS[method].mask(dc.read(path, path.with_suffix(".toml"))), target)
    return path, target


@functools.cache
def assessed(method, reading, weights):
    """Ask the command line for its figures of two files."""
    path, target = files(method, reading, weights)
    return releases.answer("assess", path, target, "-s", path.with_suffix(".toml"))


def figure(answer, name):
    """Return one figure, or nothing where it was not computed."""
    return next((one for one in (*answer["risks"], *answer["losses"]) if one["name"] == name), None)


def sizes(table):
    return judge.class_sizes(table, KEYS)


@pytest.mark.parametrize(("method", "reading", "weights"), GRID)
def test_frequencies_count_every_key_as_written(method, reading, weights):
    answer = assessed(method, reading, weights)
    table = judge.read_cells(files(method, reading, weights)[1])
    counts, n = sizes(table), len(table[1])
    uniques, groups = figure(answer, "uniques"), figure(answer, "k-anonymity")
    assert uniques is not None
    assert groups is not None
    assert uniques["value"] == pytest.approx(100 * counts.count(1) / n)
    k = groups["details"]["k"]
    assert groups["value"] == pytest.approx(100 * sum(f < k for f in counts) / n)
    assert groups["details"]["smallest_group"] == min(counts)
    for one in answer["risks"]:
        if "keys" in one["details"]:
            assert set(one["details"]["keys"]) == set(KEYS), one["name"]


def expected_inverse(f, p):
    """E[1/F] of a negative binomial number of people, of whom f are in the file: summed term by term."""
    if p >= 1:
        return 1 / f
    total, term, size = 0.0, p**f, f
    while term > 1e-12 or size < 2 * f / p:
        total += term / size
        term *= (1 - p) * size / (size - f + 1)
        size += 1
    return total


@pytest.mark.parametrize(("method", "reading", "weights"), GRID)
def test_expected_reidentifications(method, reading, weights):
    one = figure(assessed(method, reading, weights), "individual-risk")
    if one is None:
        return
    table = judge.read_cells(files(method, reading, weights)[1])
    keys = judge.combinations(table, KEYS)
    heavy = [float(cell) for cell in judge.column(table, "weight")] if weights else [1.0] * len(keys)
    counts, totals = Counter(keys), Counter()
    for key, weight in zip(keys, heavy, strict=True):
        totals[key] += weight
    risks = {key: expected_inverse(f, f / max(totals[key], f)) for key, f in counts.items()}
    expected = sum(risks[key] for key in keys)
    assert one["value"] == pytest.approx(100 * expected / len(keys), rel=1e-4)


@pytest.mark.parametrize(("method", "reading", "weights"), GRID)
def test_diversity_and_suppression(method, reading, weights):
    answer = assessed(method, reading, weights)
    before, after = map(judge.read_cells, files(method, reading, weights))
    diversity = figure(answer, "l-diversity")
    if diversity is not None:
        keys = judge.combinations(after, KEYS)
        values = {}
        for key, illness in zip(keys, judge.column(after, "illness"), strict=True):
            values.setdefault(key, set()).add(illness)
        few = sum(len(values[key]) < 2 for key in keys)
        assert diversity["value"] == pytest.approx(100 * few / len(keys))
    missing = {"", *tables.READINGS[reading]}
    gone = sum(
        a not in missing and b in missing
        for name in KEYS
        for a, b in zip(judge.column(before, name), judge.column(after, name), strict=True)
    )
    suppression = figure(answer, "suppression")
    assert suppression is not None
    assert suppression["details"]["suppressed"] == gone


@pytest.mark.parametrize(("method", "reading", "weights"), GRID)
def test_prosecutor_and_marketer(method, reading, weights):
    path, target = files(method, reading, weights)
    table = judge.read_cells(target)
    released = target.with_suffix(".toml")
    released.write_text(tables.declaration(table[0], reading), encoding="utf-8")
    with releases.quiet():
        tables_read = dc.read(path, path.with_suffix(".toml")), dc.read(target, released)
        names = ["prosecutor"] if weights else ["prosecutor", "marketer"]
        measured = {one.name: one.value for one in dc.measure(*tables_read, names)}
    counts = sizes(table)
    assert measured["prosecutor"] == pytest.approx(100 / min(counts))
    if not weights:
        assert measured["marketer"] == pytest.approx(100 * sum(1 / f for f in counts) / len(counts))


# ------------------------------------------------------------------------------------------------------------- linkage


LINKED = [name for name in tables.SCALES if name != "visits"]


def coordinates(table, reference):
    """Return the records as numbers: in standard deviations, in positions over levels, or as names of their level."""
    points = []
    for name in LINKED:
        cells = judge.column(table, name)
        if name in tables.NUMBERS:
            first = [float(cell) for cell in judge.column(reference, name)]
            mean = sum(first) / len(first)
            spread = math.sqrt(sum((x - mean) ** 2 for x in first) / len(first))
            points.append([float(cell) / spread for cell in cells])
        elif tables.SCALES[name] == "ordinal":
            levels = tables.LEVELS[name]
            points.append([levels.index(cell) / len(levels) for cell in cells])
        else:
            points.append([tables.LEVELS[name].index(cell) for cell in cells])
    return list(zip(*points, strict=True))


def distance(a, b):
    total = 0.0
    for name, x, y in zip(LINKED, a, b, strict=True):
        total += (x != y) if tables.SCALES[name] == "nominal" else (x - y) ** 2
    return total


def linked_percent(first, second):
    """Return the share of the second file's records whose nearest record of the first is their own, ties shared."""
    hits = 0.0
    for place, record in enumerate(second):
        distances = [distance(record, other) for other in first]
        least = min(distances)
        nearest = [row for row, d in enumerate(distances) if d <= least + 1e-9]
        hits += (place in nearest) / len(nearest)
    return 100 * hits / len(second)


@pytest.mark.parametrize("method", ["identifiers", "mixed-mdav", "mdav", "rank-swapping", "additive-noise", "pram"])
def test_distance_linkage_by_a_double_loop(method, tmp_path):
    path = tables.write(tables.survey(150, seed=32, leaving_out=("visits",)), tmp_path / "survey.csv")
    masker = dc.methods("masker")[method].examples()[0].set_params(random_state=2)
    with releases.quiet():
        dc.write(masker.mask(dc.read(path, path.with_suffix(".toml"))), tmp_path / "out.csv")
    said = releases.answer("assess", path, tmp_path / "out.csv", "-s", path.with_suffix(".toml"))
    before, after = judge.read_cells(path), judge.read_cells(tmp_path / "out.csv")
    a, b = coordinates(before, before), coordinates(after, before)
    forth, back = linked_percent(a, b), linked_percent(b, a)
    told = figure(said, "distance-linkage")["value"]
    assert min(abs(told - forth), abs(told - back)) < 1e-6, (told, forth, back)
    assert said["score"]["risk"] >= max(forth, back) - 1e-6


@pytest.mark.parametrize(("method", "reading", "weights"), GRID)
def test_every_linkage_uses_every_key(method, reading, weights):
    """What is known is said, and is everything that the release still shows."""
    after = judge.read_cells(files(method, reading, weights)[1])
    shown = {name for name in KEYS if len(set(judge.column(after, name))) > 1}
    for one in assessed(method, reading, weights)["risks"]:
        if one["name"] in {"distance-linkage", "probabilistic-linkage"}:
            assert shown <= set(one["details"]["known"]), one["name"]


def test_no_key_is_left_out_where_there_are_many(tmp_path):
    """Every additional key makes twice as many patterns of agreement, three times where something is missing."""
    made = tables.survey(150, seed=33, reading="blank", leaving_out=("visits",))
    path = tables.write(made, tmp_path / "many.csv")
    with releases.quiet():
        dc.write(dc.PRAM(0.3, random_state=1).mask(dc.read(path, path.with_suffix(".toml"))), tmp_path / "out.csv")
    said = releases.answer("assess", path, tmp_path / "out.csv", "-s", path.with_suffix(".toml"))
    keys = {name for name in tables.SCALES if name != "visits"}
    for one in said["risks"]:
        if one["name"] in {"distance-linkage", "probabilistic-linkage"}:
            assert keys <= set(one["details"]["known"]), one["name"]
        if "keys" in one["details"]:
            assert keys <= set(one["details"]["keys"]), one["name"]
