"""Numbers are searched in blocks or in a tree, with the same answers as a table of all distances."""

from __future__ import annotations

import numpy as np
import pytest
from tests.reference.linkage import best as best_of_rows

from discreet.contracts.engine import InProcess
from discreet.linkage.record_classes import classes_of
from discreet.linkage.shared import number_search
from discreet.linkage.shared.number_search import search_numbers
from discreet.linkage.shared.terms import Terms


def drawn(metric: int, categories: int, scale: float = 1.0) -> Terms:
    rng = np.random.default_rng(metric + 10 * categories)
    a_codes, b_codes = (rng.integers(0, 3, (n, categories)).astype(np.uint8) for n in (90, 70))
    a, b = (scale * rng.integers(0, 5, (n, 2)) for n in (90, 70))
    tables = tuple(np.round(rng.random((3, 3)), 1) for _ in range(categories))
    names = tuple(f"c{j}" for j in range(categories))
    return Terms(names, ("x", "y"), a_codes, b_codes, a, b, tables, metric, np.zeros(2))


@pytest.mark.parametrize("limited", [True, False])
@pytest.mark.parametrize("categories", [0, 2])
@pytest.mark.parametrize("metric", [0, 1, 2])
def test_answers_are_those_of_all_pairs(metric: int, categories: int, limited: bool, monkeypatch) -> None:
    monkeypatch.setattr(number_search, "_TOGETHER", 8)  # so that there are several blocks of questions
    for scale in (1.0, 1e15):  # beyond single precision, blocks are of no use
        terms = drawn(metric, categories, scale)
        reach = scale * np.random.default_rng(5).choice([0.0, 1.0, 9.0], (70, 2))
        limits = (terms.b_numbers - reach, terms.b_numbers + reach / 2) if limited else None
        if limits is not None:
            limits[0][3], limits[1][3] = 99.0 * scale, 100.0 * scale  # nobody is there
        sought = terms.b_numbers if limits is None else np.concatenate([terms.b_numbers, *limits], axis=1)
        a, b = classes_of(terms.a_codes, terms.a_numbers), classes_of(terms.b_codes, sought)
        assert a.first.size < 90
        found = search_numbers(terms, a, b, limits, InProcess())
        sums = terms.matrix(b.first)
        if limits is not None:
            x = terms.a_numbers[None]
            inside = (x >= limits[0][b.first][:, None]) & (x <= limits[1][b.first][:, None])
            sums[~inside.all(axis=2)] = np.inf
            assert np.isinf(sums).all(axis=1).any()
        for k, (order, ties) in enumerate(best_of_rows(sums, terms.slack(b.first), squared=metric == 0)):
            assert (found.best[k], found.ties[k]) == (order[0] if order else -1, len(ties))
            assert found.score[k] == terms.scores(sums[k].min())
            assert found.second[k] == (order[1] if len(order) > 1 else -1)
            if len(order) > 1:
                assert found.second_score[k] == terms.scores(sums[k].min() if order[1] in ties else sums[k, order[1]])


def test_blocks_are_for_squares_of_numbers_of_moderate_size(monkeypatch) -> None:
    searched = []
    for name in ("_search_in_blocks", "_search_in_tree"):
        monkeypatch.setattr(number_search, name, lambda *_, name=name, **__: searched.append(name))
    for terms in (drawn(0, 0), drawn(1, 0), drawn(2, 0), drawn(0, 1), drawn(0, 0, 1e15)):
        a, b = (classes_of(*side) for side in ((terms.a_codes, terms.a_numbers), (terms.b_codes, terms.b_numbers)))
        search_numbers(terms, a, b, None, InProcess())
    assert searched == ["_search_in_blocks", *["_search_in_tree"] * 4]
    # By the norm of the farthest record of the first file, up to 1e15.
    for far, where in ((1e15, "_search_in_blocks"), (1.01e15, "_search_in_tree")):
        for point in ([far, 0.0], [0.6 * far, -0.8 * far]):
            terms = drawn(0, 0)
            terms.a_numbers[:] = 0.0
            terms.a_numbers[7] = point
            terms.b_numbers[:] = 9e15
            a, b = (classes_of(*side) for side in ((terms.a_codes, terms.a_numbers), (terms.b_codes, terms.b_numbers)))
            search_numbers(terms, a, b, None, InProcess())
            assert searched[-1] == where
