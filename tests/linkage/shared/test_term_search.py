"""Links by terms by hand: limits, frequencies, one to one, and both directions."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from discreet.contracts.engine import InProcess
from discreet.data.microdata import Microdata
from discreet.data.scales import Numeric
from discreet.data.schema import Attribute, Schema
from discreet.linkage.record_classes import classes_of
from discreet.linkage.shared import every_pair, term_search
from discreet.linkage.shared.coordinates import BothSpreads, Spread
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.linkage.shared.every_pair import trees_save_nothing
from discreet.linkage.shared.term_search import DistanceSearch, link_both_by_terms, link_by_terms
from discreet.linkage.shared.terms import Terms
from discreet.linkage.shared.yardstick import Yardstick, yardstick


def numbers(a: list[float], b: list[float], metric: int = 1) -> Terms:
    none = np.empty((len(a), 0), dtype=np.uint8), np.empty((len(b), 0), dtype=np.uint8)
    return Terms((), ("x",), *none, np.array(a)[:, None], np.array(b)[:, None], (), metric, np.zeros(1))


@pytest.mark.parametrize("metric", [0, 1, 2])
def test_equal_records_with_other_limits_are_other_questions(metric: int) -> None:
    terms = numbers([0.0, 2.0, 3.0, 9.0], [2.0, 2.0, 2.0, 2.0], metric)
    limits = np.array([[0.0], [2.5], [-1.0], [4.0]]), np.array([[9.0], [9.0], [0.0], [8.0]])
    links = link_by_terms(DistanceLinkage, terms, ("x",), InProcess(), limits=limits)
    assert links.best.tolist() == [1, 2, 0, -1]
    assert links.second.tolist() == [2, 3, -1, -1]
    assert links.score.tolist() == [0.0, 1.0, 2.0, np.inf]
    assert links.second_score.tolist() == [1.0, 7.0, np.inf, np.inf]
    assert links.ties.tolist() == [1, 1, 1, 0]
    assert (links.method, links.attributes) == ("distance", ("x",))


def test_nobody_is_given_who_is_outside_the_limits() -> None:
    terms = numbers([0.0, 2.0, 4.0], [2.0, 2.0, 1.0])
    limits = np.array([[0.0], [2.5], [0.0]]), np.array([[2.0], [4.0], [0.5]])
    links = link_by_terms(DistanceLinkage, terms, ("x",), InProcess(), one_to_one=True, limits=limits)
    assert (links.best.tolist(), links.score.tolist()) == ([1, 2, 0], [0.0, 2.0, 1.0])
    free = link_by_terms(DistanceLinkage, terms, ("x",), InProcess(), one_to_one=True)
    assert sorted(free.best.tolist()) == [0, 1, 2]
    assert free.score.sum() == 3.0


def test_rows_that_stand_for_several_records_are_tied_with_themselves() -> None:
    terms = numbers([0.0, 2.0, 3.0], [2.0, 0.5])
    frequencies = np.array([1, 3, 1])
    links = link_by_terms(DistanceLinkage, terms, ("x",), InProcess(), frequencies=frequencies)
    assert (links.best.tolist(), links.ties.tolist()) == ([1, 0], [3, 1])
    assert links.second.tolist() == [1, 1]
    assert links.second_score.tolist() == [0.0, 1.5]
    plain = link_by_terms(DistanceLinkage, terms, ("x",), InProcess())
    assert (plain.ties.tolist(), plain.second.tolist(), plain.second_score.tolist()) == ([1, 1], [2, 1], [1.0, 1.5])


@pytest.mark.parametrize("few", [0, 4096])
def test_the_release_is_asked_first_and_then_the_original(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(term_search, "_FEW_RECORDS", few)
    terms = numbers([0.0, 5.0, 5.0], [4.0, 1.0])
    of_release, of_original = link_both_by_terms(DistanceLinkage, terms, ("x",), InProcess())
    assert (of_release.best.tolist(), of_release.score.tolist()) == ([1, 0], [1.0, 1.0])
    assert (of_release.ties.tolist(), of_release.second.tolist()) == ([2, 1], [2, 1])
    assert of_release.classes.tolist() == [0, 1, 1]
    assert (of_original.best.tolist(), of_original.score.tolist()) == ([1, 0, 0], [1.0, 1.0, 1.0])
    assert of_original.second.tolist() == [0, 1, 1]
    assert of_original.second_score.tolist() == [4.0, 4.0, 4.0]
    assert (of_original.n_a, of_original.n_b, of_original.method) == (2, 3, "distance")


def coded(categories: int, *, levels: int = 3, metric: int = 0, largest: float = 1.0) -> tuple[Terms, ...]:
    rng = np.random.default_rng(1)
    a, b = (rng.integers(0, 3, (n, categories)).astype(np.uint8) for n in (6, 5))
    table = np.full((levels, levels), largest) * (1.0 - np.eye(levels))
    tables = (*[1.0 - np.eye(3)] * (categories - 1), table)
    names = tuple(f"v{j}" for j in range(categories))
    terms = Terms(names, ("x",), a, b, np.ones((6, 1)), np.zeros((5, 1)), tables, metric, np.zeros(1))
    return terms, classes_of(a, terms.a_numbers), classes_of(b, terms.b_numbers)


def test_every_pair_is_looked_at_in_small_files_of_four_categories_and_more(monkeypatch: pytest.MonkeyPatch) -> None:
    assert trees_save_nothing(*coded(4))
    assert trees_save_nothing(*coded(4, metric=1))
    assert not trees_save_nothing(*coded(3))
    assert not trees_save_nothing(*coded(4, metric=2))
    # As many levels as a byte tells apart, and numbers that single precision holds, however far some levels are.
    assert trees_save_nothing(*coded(4, levels=256))
    assert not trees_save_nothing(*coded(4, levels=257))
    assert trees_save_nothing(*coded(4, largest=1e15))
    assert not trees_save_nothing(*coded(4, largest=1.01e15))
    terms, a, b = coded(4)
    terms.tables[-1][0, 1] = np.inf
    assert trees_save_nothing(terms, a, b)
    for side in (terms.a_numbers, terms.b_numbers):
        side[2] = -2e15
        assert not trees_save_nothing(terms, a, b)
        side[2] = 0.0
    steps = Terms(*[getattr(terms, name) for name in ("categories", "numbers", "a_codes", "b_codes", "a_numbers")],
                  terms.b_numbers, (*terms.tables[:3], np.arange(3.0)), 0)  # fmt: skip
    assert not trees_save_nothing(steps, a, b)
    monkeypatch.setattr(every_pair, "_FEW_PAIRS", a.first.size * b.first.size)
    assert trees_save_nothing(terms, a, b)
    monkeypatch.setattr(every_pair, "_FEW_PAIRS", a.first.size * b.first.size - 1)
    assert not trees_save_nothing(terms, a, b)


SCHEMA = Schema([Attribute("x", Numeric(), "key")])
A, B = (Microdata(pl.DataFrame({"x": x}), SCHEMA) for x in ([0.0, 2.0, 2.0, 6.0, 4.0], [2.0, 3.0, 2.0, 7.0, 1.0]))
UNIT = np.sqrt(4.16)  # the deviation of the first file


def measured() -> Yardstick:
    spreads = BothSpreads(Spread.of(A.numeric(("x",))), Spread.of(B.numeric(("x",))))
    return yardstick("X", (SCHEMA, SCHEMA), spreads, ("x",), "manhattan")


def test_who_is_tied_in_a_block_is_told_by_class_for_every_record_that_is_asked_for() -> None:
    rows = np.array([10, 30, 50, 70, 90])
    search = DistanceSearch(measured(), B)
    found, tied = search.tied_among(A, rows)
    assert (found.records, found.best.tolist(), found.ties.tolist()) == (5, [30, 30, 30, 70, 10], [2, 3, 2, 1, 3])
    assert found.second.tolist() == [50, 50, 50, 90, 30]
    assert found.score * UNIT == pytest.approx([0, 1, 0, 1, 1])
    assert found.second_score * UNIT == pytest.approx([0, 1, 0, 3, 1])
    assert tied.owner.tolist() == [0, 1, 1, 2, 3, 4, 4]
    assert tied.group.tolist() == [1, 1, 3, 1, 2, 0, 1]
    assert tied.sums * UNIT == pytest.approx([0, 1, 1, 0, 1, 1, 1])
    assert tied.label.tolist() == [0, 1, 1, 2, 3]
    # In blocks, the same are nearest.
    for cut in range(6):
        parts = [search.among(A.take(range(*run)), rows[slice(*run)]) for run in ((0, cut), (cut, 5))]
        merged = parts[0].merge(parts[1])
        for name in ("best", "second", "ties", "score", "second_score"):
            assert getattr(merged, name) == pytest.approx(getattr(found, name)), name


@pytest.mark.parametrize("of_release", [True, False])
def test_a_block_of_both_files_is_searched_for_the_other_one(of_release: bool) -> None:
    block = SimpleNamespace(original=A, release=B, rows=np.arange(5))
    found = DistanceSearch(measured(), B if of_release else A, of_release).summarise(block)
    if of_release:
        assert (found.best.tolist(), found.second.tolist()) == ([1, 1, 1, 3, 0], [2, 2, 2, 4, 1])
    else:
        assert (found.best.tolist(), found.second.tolist()) == ([4, 0, 0, 3, 1], [0, 2, 2, 1, 0])
        assert found.second_score * UNIT == pytest.approx([2, 0, 0, 3, 2])
        assert found.ties.tolist() == [1, 2, 2, 1, 1]
