"""Tables of P4 of experiments that are made up: which figure stands where."""

from __future__ import annotations

import pytest

from discreet.reproduction.subjects import categorical_links
from discreet.reproduction.subjects.categorical_links import TABLE_3, TABLE_4, figure, tables
from discreet.reproduction.subjects.link_study import (
    GROUPS,
    LINKERS,
    LOSSES,
    PRINTED,
    LinkageExperiment,
    LinkageStudy,
    _correlation,
)


def experiment(method, p, group):
    place = sorted(TABLE_3).index(method) + list(GROUPS).index(group) / 10
    linked = {name: 5.0 * p + place + j for j, name in enumerate(LINKERS)}
    at_best = {name: 6.0 * p + place + 2 * j + p % 2 for j, name in enumerate(LINKERS)}
    second = {name: 1.0 + j for j, name in enumerate(LINKERS)}
    losses = {name: 100.0 - (j + 1) * p + place for j, name in enumerate(LOSSES)}
    return LinkageExperiment(method, p, group, linked, at_best, second, losses)


@pytest.fixture(scope="module")
def found():
    return LinkageStudy(tuple(experiment(m, p, g) for m in TABLE_3 for p in range(1, 10) for g in GROUPS))


@pytest.fixture(scope="module")
def printed(found):
    return {table.name: table for table in tables(found)}


def test_tables_stand_in_the_order_of_the_paper(printed):
    assert list(printed) == ["Table 2", "Table 3", "Table 4", "Section 3.4", "Table 5"]
    assert all(table.data == categorical_links.STAND_IN for table in printed.values())


def test_the_stand_in_has_the_groups_and_categories_that_are_printed(printed):
    table = printed["Table 2"]
    assert not table.failed
    assert {cell.verdict for _, _, cell in table.cells} == {"built"}
    assert [(row.label, row.cells[0].printed, row.cells[1].printed) for row in table.rows[:2]] == [
        ("BUILT", "25", "u l o"), ("DEGREE", "8", "s o"),
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "linker", "counts"), [("Table 3", "PRL", TABLE_3), ("Table 4", "DBRL", TABLE_4)])
def test_links_of_group_s_are_a_range_beside_what_is_printed(printed, found, name, linker, counts):
    table = printed[name]
    assert table.columns == ("Bottom", "Global", "PRAM", "Top")
    assert [row.label for row in table.rows] == [str(p) for p in range(1, 10)]
    for row in table.rows:
        for method, cell in zip(("bottom", "global", "pram", "top"), row.cells, strict=True):
            one = experiment(method, int(row.label), "s")
            assert cell.printed == str(counts[method][int(row.label) - 1])
            assert cell.ours == f"{10 * one.linked[linker]:.0f} to {10 * one.at_best[linker]:.0f}"
            assert cell.verdict == "ours"


def test_averages_are_of_a_thousand_records(printed, found):
    table = printed["Section 3.4"]
    assert table.columns == ("ties shared", "ties counted", "to the second nearest")
    for name, row in zip(("PRL", "DBRL", "aware"), table.rows, strict=True):
        shared = sum(e.linked[name] for e in found.experiments) / 180
        counted = sum(e.at_best[name] for e in found.experiments) / 180
        second = 1.0 + list(LINKERS).index(name)
        assert [cell.ours for cell in row.cells] == [f"{10 * value:.2f}" for value in (shared, counted, second)]
    assert [row.cells[0].printed for row in table.rows] == ["579.32", "593.06", "663.49"]
    assert [row.cells[2].printed for row in table.rows] == [""] * 3


def test_correlations_stand_by_loss_linker_and_way_of_counting(printed, found):
    table = printed["Table 5"]
    counted, within = found.correlations(at_best=True), found.correlations(within_groups=True)
    assert [row.label for row in table.rows] == list(LOSSES)
    for row in table.rows:
        loss = row.label
        expected = [counted[loss]["PRL"], counted[loss]["DBRL"], within[loss]["PRL"], within[loss]["DBRL"]]
        assert [cell.ours for cell in row.cells] == [f"{value:.3f}" for value in expected]
        assert [cell.printed for cell in row.cells] == [f"{value:.3f}" for value in PRINTED[loss] * 2]


def test_points_are_links_and_losses_of_every_experiment(found):
    drawn = figure(found)
    assert len(drawn.points) == 180
    assert (drawn.points[0].label, drawn.points[0].group) == ("Bottom 1, group u", "Bottom")
    first = found.experiments[0]
    assert (drawn.points[0].x, drawn.points[0].y) == (first.linked["DBRL"], first.losses["Dist"])


def test_what_does_not_vary_is_not_correlated():
    assert _correlation([1.0, 2.0], [3.0, 1.0]) == pytest.approx(-1.0)
    assert _correlation([1.0, 1.0], [3.0, 1.0]) == 0.0
    assert _correlation([1.0, 2.0], [3.0, 3.0]) == 0.0


def test_a_study_is_told_in_text(found):
    lines = found.to_text().splitlines()
    assert repr(found) == "LinkageStudy(180 experiments)"
    assert lines[0] == "180 experiments. Correct links of 100, mean:"
    shared, counted = found.averages(), found.averages(at_best=True)
    assert (
        lines[1].split("shared")[1].split()
        == f"PRL {shared['PRL']:.1f}, DBRL {shared['DBRL']:.1f}, aware {shared['aware']:.1f}".split()
    )
    assert f"PRL {counted['PRL']:.1f}, DBRL {counted['DBRL']:.1f}" in lines[2]
    last = lines[-1].split()
    loss = list(LOSSES)[-1]
    ways = [found.correlations(at_best=b, within_groups=w)[loss] for b in (False, True) for w in (False, True)]
    expected = [f"{value:.3f}" for way in ways for value in (way["PRL"], way["DBRL"])]
    assert last == [loss, *expected, *(f"{value:.3f}" for value in PRINTED[loss])]
