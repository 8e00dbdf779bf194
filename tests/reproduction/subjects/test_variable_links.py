"""Torra (2004), Table IV: variables that are found again, and how each file is judged."""

from __future__ import annotations

from types import SimpleNamespace as Namespace

import numpy as np
import pytest
from scipy.stats import norm, t

from discreet.reproduction.subjects import variable_links


def test_columns_are_put_on_the_unit_interval_and_constant_ones_left_out():
    table = np.array([[1.0, 5.0, 2.0], [3.0, 5.0, 0.0], [2.0, 5.0, 1.0]])
    asked = []

    def numbers(name, columns, codes):
        asked.append((name, columns, codes))
        return table

    data = Namespace(columns=lambda _: {"a": 0, "b": 0, "c": 0, "class": 0}, numbers=numbers)
    assert variable_links.values(data, "iris").tolist() == [[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]]
    assert asked == [("iris", ["a", "b", "c"], variable_links.CODES["iris"])]


def test_columns_of_one_half_are_shuffled_and_those_found_again_counted(monkeypatch):
    table = np.arange(35.0).reshape(7, 5)
    asked = []

    def matched(first, second, method, restarts, rng):
        asked.append((len(first), len(second), method, restarts))
        rows = sorted([*(first[:, 0] // 5), *(second.min(axis=1) // 5)])
        assert rows == [0, 1, 2, 3, 4, 5, 6], "every record is in one of the halves"
        # The remainder says which column it is.
        assert first[0].tolist() == sorted(first[0])
        truth = {int(value % 5): place for place, value in enumerate(second[0])}
        image = [truth[column] for column in range(5)]
        if len(asked) == 2:
            image[0], image[1] = image[1], image[0]
        return np.array(image), 0.0

    monkeypatch.setattr(variable_links, "match_columns", matched)
    rng = np.random.default_rng(0)
    assert variable_links.correct(table, "owa", rng) == 5
    assert variable_links.correct(table, "both", rng) == 3
    assert asked == [(3, 4, "owa", 20), (3, 4, "both", 20)]


@pytest.mark.parametrize("full", [False, True])
def test_every_file_is_judged_by_the_spread_of_its_splits(monkeypatch, full):
    splits = 100 if full else 20
    counts = {"owa": [], "both": []}

    def correct(table, method, rng):
        assert isinstance(rng, np.random.Generator)
        counts[method].append(table)
        return {"owa": 6, "both": 8}[method] + (1 if len(counts[method]) % 2 else -1)

    monkeypatch.setattr(variable_links, "correct", correct)
    monkeypatch.setattr(variable_links, "values", lambda _, name: name)
    data = Namespace(find=lambda name: None if name == "ionosphere" else name, needs=lambda name: f"needs {name}")
    (table,) = variable_links.tables(data, full=full)
    assert {method: [names.count(name) for name in ("iris", "abalone")] for method, names in counts.items()} == {
        "owa": [splits, splits],
        "both": [splits, splits],
    }
    spread = np.sqrt(splits / (splits - 1))
    own = spread / np.sqrt(splits)
    iris, abalone, ionosphere = table.rows
    assert [row.label for row in table.rows] == [
        "iris (4 variables)",
        "abalone (8 variables)",
        "ionosphere (33 variables)",
    ]
    for row in (iris, abalone):
        assert (row.cells[1].printed, row.cells[1].ours) == ("", f"8.0 ± {own:.1f}")
        assert row.cells[1].error == pytest.approx(own)
    assert (iris.cells[0].verdict, iris.cells[0].printed, iris.cells[0].ours) == (
        "otherwise",
        "0.0",
        f"6.0 ± {own:.1f}",
    )
    assert (abalone.cells[0].verdict, abalone.cells[0].printed, abalone.cells[0].z) == ("sampling", "6.0", 0.0)
    assert abalone.cells[0].ours == f"6.0 ± {own:.1f}"
    assert abalone.cells[0].error == pytest.approx(np.sqrt(spread**2 + own**2))
    assert [(cell.printed, cell.reason, cell.verdict) for cell in ionosphere.cells] == [
        ("10", "needs ionosphere", "not run"),
        ("", "needs ionosphere", "not run"),
    ]
    assert table.note == f"Mean ± standard error over {splits} random splits; one split is printed."
    assert (table.name, table.title, table.corner) == ("Table IV", "Number of re-identified variables", "file")


def test_a_file_far_off_has_its_known_reason_or_the_limit(monkeypatch):
    monkeypatch.setattr(variable_links, "values", lambda _, name: name)
    turns = iter([28, 30] * 40)
    monkeypatch.setattr(variable_links, "correct", lambda *_: next(turns))
    monkeypatch.setattr(variable_links, "TABLE_IV", {"ionosphere": (10, 33)})
    (table,) = variable_links.tables(Namespace(find=lambda name: name))
    cell = table.rows[0].cells[0]
    assert (cell.verdict, cell.reason) == ("differs", variable_links._REASON["ionosphere"])
    error = np.sqrt(20 / 19 + 1 / 19)
    assert cell.z == pytest.approx(norm.isf(t.sf(19 / error, 19)))
