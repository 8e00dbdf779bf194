from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.linkage.unshared import problems
from tests.reference import representatives as reference
from tests.reproduction.subjects.test_representatives_example import FILE_A, FILE_B, TABLE_III

from discreet.contracts.engine import InProcess
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError, SchemaError
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.linkage.shared.probabilistic import ProbabilisticLinkage
from discreet.linkage.unshared.representatives import (
    FAMILIES,
    RepresentativeLinkage,
    _among_all,
    _by_linker,
    family,
    representatives,
)
from discreet.linkage.unshared.unshared import one_each
from discreet.operators import OWA, Power, Sigmoid, SymmetricSugeno, Threshold

CELLS = st.one_of(st.floats(0, 1), st.just(np.nan))
ROWS = st.lists(st.lists(CELLS, min_size=5, max_size=5), min_size=1, max_size=6)


@given(rows=ROWS, name=st.sampled_from(FAMILIES))
def test_representatives_by_definition(rows, name):
    found = representatives(np.array(rows), family(name))
    for row, expected in zip(found, reference.representatives(rows, name), strict=True):
        if expected is None:
            assert np.isnan(row).all()
        else:
            assert row == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("file", [FILE_A, FILE_B])
def test_table_iii(file):
    printed = np.array([[float(cell) for cell in line.split()] for line in TABLE_III.strip().splitlines()])
    found = representatives(np.array(file), family("owa:power"))
    assert found[0, 1] == pytest.approx(0.35157, abs=5e-6)  # printed 0.351
    printed[0, 1] = 0.352
    assert np.abs(found - printed).max() <= 0.5e-3 + 1e-9


def test_attributes_in_another_order_are_all_re_identified():
    # The example of P2, section 3.2, on the files as they are: a column of 0 and 1 makes ranging the identity.
    ends = [(0.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 1.0)]
    a, b = np.array([*FILE_A, *ends]), np.array([*FILE_B, *ends])
    links = RepresentativeLinkage(operators="owa:power", normalise="ranging").link(
        problems.table(a, "a"), problems.table(b, "b")
    )
    assert links.evaluate().expected == pytest.approx(12)
    assert links.score == pytest.approx(np.zeros(12), abs=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "root"])
@pytest.mark.parametrize("how", ["ranging", "standard"])
def test_nearest_by_definition(how, metric):
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 4, (25, 3)).astype(float), rng.integers(0, 4, (18, 4)).astype(float)
    linker = RepresentativeLinkage(operators="owa:threshold", normalise=how, metric=metric)
    links = linker.link(problems.table(a, "a"), problems.table(b, "b"))
    first, second = (
        reference.representatives(getattr(reference, how)(side.tolist()), "owa:threshold") for side in (a, b)
    )
    for j, v in enumerate(second):
        distances = [reference.distance(u, v, metric) for u in first]
        nearest = min(distances)
        tied = [i for i, d in enumerate(distances) if d <= nearest + 1e-9]
        assert links.score[j] == pytest.approx(nearest, abs=1e-9)
        assert links.best[j] in tied
        assert 1 <= links.ties[j] <= len(tied)
        rest = sorted(distances)[1]
        assert links.second_score[j] == pytest.approx(rest, abs=1e-9)
        assert links.second[j] != links.best[j]


def test_ties_are_shared_and_equal_files_are_at_chance():
    a = np.column_stack([np.r_[np.zeros(10), np.ones(10)], np.r_[np.zeros(10), np.ones(10)]])
    linked = RepresentativeLinkage().link(problems.table(a, "a"), problems.table(a[:, :1], "b")).evaluate()
    assert linked.expected == pytest.approx(2)
    assert linked.pessimistic == 0
    assert linked.optimistic == 20


# A mean of 15 runs strays by two thirds of a link; the full table of 200 runs is in benchmarks/structural_linkage.py.
@pytest.mark.parametrize("name", problems.PRINTED)
def test_tables_v_to_viii_of_p2(data_dir, name):
    halves = problems.load(data_dir, name)
    rng = np.random.default_rng(0)
    runs, found = 15, np.zeros((2, 6))
    for _ in range(runs):
        a, b, truth = problems.draw(halves, 100, rng)
        for row, how in enumerate(("ranging", "standard")):
            for column, operators in enumerate(FAMILIES):
                links = RepresentativeLinkage(operators=operators, normalise=how).link(a, b)
                found[row, column] += links.evaluate(truth).expected / runs
    gaps = found - np.array(problems.PRINTED[name])
    assert np.abs(gaps).max() < 3.5
    assert np.sqrt((gaps**2).mean()) < 1.8


def test_missing_values_are_projected_away_or_zero():
    a = np.array([[1.0, 2.0], [3.0, np.nan], [np.nan, np.nan], [5.0, 9.0]])
    b = np.array([[9.0], [1.5], [np.nan], [2.6]])
    links = RepresentativeLinkage().link(problems.table(a, "a"), problems.table(b, "b"))
    assert links.best[2] == -1
    assert links.ties[2] == 0
    assert 2 not in links.best.tolist()
    assert links.evaluate(np.array([3, 0, 2, 1])).probability[2] == 0
    filled = RepresentativeLinkage(missing="zero").link(problems.table(a, "a"), problems.table(b, "b"))
    assert (filled.best >= 0).all()


def test_another_linker_and_own_operators():
    rng = np.random.default_rng(0)
    a, b = problems.table(rng.random((40, 3)), "a"), problems.table(rng.random((30, 2)), "b")
    own = RepresentativeLinkage(operators=[OWA("power:1"), OWA("power:3")]).link(a, b)
    other = RepresentativeLinkage(operators=[OWA("power:1"), OWA("power:3")], linker=DistanceLinkage()).link(a, b)
    assert own.n_b == other.n_b == 30
    assert (own.best == other.best).mean() > 0.4  # the other linker standardises the representatives again
    assert other.attributes == ("a0", "a1", "a2", "b0", "b1")


def test_blocks_are_linked_by_themselves():
    schema = Schema(
        [Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key"), Attribute("town", Nominal("uvw"), "key")]
    )
    a = pl.DataFrame({"x": [1.0, 2.0, 1.0, 2.0, 3.0], "town": ["u", "u", "v", "v", "v"]})
    b = pl.DataFrame({"y": [9.0, 5.0, 6.0, 7.0, 1.0], "town": ["u", "v", "v", "v", "w"]})
    links = RepresentativeLinkage(by=["town"]).link(a, b, schema)
    assert links.best[1:].tolist() == [2, 3, 4, -1]
    assert links.ties.tolist() == [2, 1, 1, 1, 0]  # alone in its block of B, the first fits both
    linked = links.evaluate(np.array([1, 2, 3, 4, -1]))
    assert linked.probability.tolist() == [0.5, 1, 1, 1, 0]


def test_an_intruder_with_a_few_records(data_dir):
    halves = problems.load(data_dir, "wdbc")
    few = np.arange(0, 200, 10)
    a, b = problems.table(halves[0][:200], "a"), problems.table(halves[1][few], "b")
    for one_to_one in (False, True):
        links = RepresentativeLinkage(normalise="rank_gauss", one_to_one=one_to_one).link(a, b)
        assert (links.n_a, links.n_b) == (200, 20)
        assert links.evaluate(few).expected > 5 * links.evaluate(few).chance
    back = RepresentativeLinkage(one_to_one=True).link(b, a)
    assert (back.best >= 0).sum() == 20
    assert np.unique(back.best[back.best >= 0]).size == 20


def test_bad_input():
    good = problems.table(np.arange(12.0).reshape(6, 2), "a")
    with pytest.raises(ParameterError, match="RepresentativeLinkage: operators must be one of 'owa:power'"):
        RepresentativeLinkage(operators="mean").link(good, good)
    with pytest.raises(ParameterError, match="RepresentativeLinkage: metric must be"):
        RepresentativeLinkage(metric="cosine").link(good, good)
    flat = problems.table(np.ones((6, 2)), "b")
    with pytest.raises(DataError, match="none of the 2 attributes of the second file varies"):
        RepresentativeLinkage().link(good, flat)
    with pytest.raises(DataError, match="the second file has 1 record; structure needs at least 2"):
        RepresentativeLinkage().link(good, good.take([2]))
    with pytest.raises(DataError, match="the first file has no records"):
        RepresentativeLinkage().link(good.take([]), good)
    words = Microdata(pl.DataFrame({"w": ["x", "y"]}), Schema([Attribute("w", Nominal("xy"), "key")]))
    with pytest.raises(SchemaError, match="the first file has no numeric key"):
        RepresentativeLinkage().link(words, good)
    with pytest.raises(SchemaError, match="'w' is nominal"):
        RepresentativeLinkage(attributes_a=["w"]).link(words, good)
    with pytest.raises(SchemaError, match="blocks are formed by 'w', which is not in both files"):
        RepresentativeLinkage(by=["w"]).link(words, good)
    with pytest.raises(SchemaError, match="'a0' must be ordinal or nominal"):
        RepresentativeLinkage(by=["a0"]).link(good, good)
    with pytest.raises(ParameterError, match="family: name must be one of"):
        family("owa")


def test_families_are_those_of_the_paper():
    assert [one.quantifier for one in family("owa:power")] == [Power(step / 5) for step in range(1, 11)]
    assert [one.quantifier for one in family("owa:threshold")] == [Threshold(step / 10) for step in range(10)]
    assert [one.quantifier for one in family("sugeno:sigmoid")] == [Sigmoid(step / 10) for step in range(10)]
    assert family("owa:sigmoid", "plain")[3].quantifier == Sigmoid(0.3, ends="plain")
    assert {type(one) for one in family("owa:sigmoid")} == {OWA}
    assert {(type(one), one.strict) for one in family("sugeno:power")} == {(SymmetricSugeno, False)}
    with pytest.raises(ParameterError, match="family: name must be one of owa:power, .*; got 'owa:cubic'"):
        family("owa:cubic")


def test_records_without_a_value_have_no_representative():
    values = np.array([[np.nan, np.nan], [1.0, 3.0], [np.nan, 5.0]])
    found = representatives(values, [OWA("power:1"), OWA(Threshold(0.0))])
    assert np.isnan(found[0]).all()
    assert found[1:].tolist() == [[2.0, 3.0], [5.0, 5.0]]
    assert np.isnan(representatives(values[:1], [OWA("power:1")])).tolist() == [[True]]


def test_links_among_some_are_links_among_all():
    nearest = one_each(np.array([1, -1]), np.array([0, -1]), np.array([0.5, np.inf]), np.array([0.75, np.inf]))
    found = _among_all(nearest, np.array([0, 3]), np.array([1, 2]), 4, 3)
    assert (found.best.tolist(), found.second.tolist()) == ([-1, 3, -1], [-1, 0, -1])
    assert (found.score.tolist(), found.second_score.tolist()) == ([np.inf, 0.5, np.inf], [np.inf, 0.75, np.inf])
    assert (found.ties.tolist(), found.row.tolist()) == ([0, 1, 0], [-1, 0, 1])
    # Who has no representative is a class of his own, after those who have.
    assert found.classes.tolist() == [0, 2, 3, 1]
    assert (found.row_offsets.tolist(), found.tied.tolist()) == ([0, 1, 1], [1])
    assert _among_all(nearest, np.arange(2), np.arange(2), 2, 2) is nearest
    assert _among_all(nearest, np.arange(2), np.arange(2), 3, 2).classes.tolist() == [0, 1, 2]


@pytest.mark.parametrize(("linker", "sign"), [(DistanceLinkage(), 1), (ProbabilisticLinkage(bins=None), -1)])
def test_another_linker_is_handed_the_representatives_and_its_weights_become_distances(linker, sign):
    x, y = np.array([[1.0, 5.0], [2.0, 4.0], [2.0, 4.0]]), np.array([[2.0, 4.0], [1.0, 5.0]])
    nearest = _by_linker(linker, x, y, InProcess())
    schema = Schema(Attribute(name, Numeric(), "key") for name in ("r1", "r2"))
    files = [Microdata(pl.DataFrame(side, schema=["r1", "r2"]), schema) for side in (x, y)]
    links = linker.link(*files)
    assert nearest.best.tolist() == links.best.tolist() == [1, 0]
    assert nearest.ties.tolist() == [2, 1]
    assert nearest.second.tolist() == links.second.tolist()
    assert nearest.score.tolist() == (sign * links.score).tolist()
    assert nearest.second_score.tolist() == (sign * links.second_score).tolist()
    assert nearest.class_of_records(3).tolist() == links.classes.tolist()


def test_missing_values_are_zero_after_normalising():
    values = np.array([[1.0, 2.0], [3.0, np.nan], [5.0, 9.0]])
    linker = RepresentativeLinkage(missing="zero", operators=["owa:power:1"], normalise="ranging")
    assert linker._represented(values).ravel().tolist() == pytest.approx([0.0, 0.25, 1.0])
    projected = RepresentativeLinkage(operators=["owa:power:1"], normalise="ranging")
    assert projected._represented(values).ravel().tolist() == pytest.approx([0.0, 0.5, 1.0])
