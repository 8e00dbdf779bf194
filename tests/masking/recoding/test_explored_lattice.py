"""Every node of a lattice, as looking at each by itself finds it."""

from __future__ import annotations

import csv
import io
from itertools import product

import numpy as np
import polars as pl
import pytest
from tests.masking.recoding.test_exhaustive import drawn, expected_of
from tests.masking.recoding.test_lattice_search import CASES, NAMES, TREES, fast
from tests.reference import generalisation as slow

import discreet as dc
from discreet.masking.recoding.explored_lattice import ExploredLattice


@pytest.mark.parametrize("place", [1, 2, 10, 21, 22])
@pytest.mark.parametrize("objective", ["loss", "kl", "payout"])
def test_every_node_is_what_its_definition_says(place, objective):
    model, twin = CASES[place]
    columns, sensitive = drawn(place + 7)
    survey = fast(columns, sensitive, [model], objective, 6).survey(10**6)
    shares = {value: sensitive.count(value) / len(sensitive) for value in range(4)}
    order = [survey.names.index(name) for name in NAMES]
    looked = {
        tuple(node[order].tolist()): (int(lost), float(value))
        for node, lost, value in zip(survey.steps, survey.suppressed, survey.values, strict=True)
    }
    assert survey.finished
    assert len(looked) == survey.nodes == 24
    for levels in product(range(3), range(2), range(4)):
        outcome = slow.suppressed_at(
            levels, columns, TREES, [twin], sensitive, (), (shares, list(range(4)), {}), False, objective
        )
        assert (looked[levels][0] < 0) == (outcome is None)
        if outcome is not None:
            assert looked[levels][0] == len(outcome[1])
            expected = slow.value_at(objective, levels, *outcome, columns, TREES, [twin])
            assert looked[levels][1] == pytest.approx(expected, rel=1e-9, abs=1e-12)
    best = expected_of(columns, sensitive, [twin], objective, 6)
    assert (survey.best is None) == (best is None)
    if best is not None:
        assert survey.values[survey.best] == pytest.approx(best[0], rel=1e-9, abs=1e-12)


def test_nodes_are_minimal_where_no_finer_neighbour_satisfies():
    columns, sensitive = drawn(3, 40)
    survey = fast(columns, sensitive, [CASES[0][0]], "loss", 8).survey(10**6)
    fine = {tuple(node) for node, good in zip(survey.steps.tolist(), survey.satisfied, strict=True) if good}
    for node, minimal in zip(survey.steps.tolist(), survey.minimal, strict=True):
        finer = [tuple(s - (b == a) for b, s in enumerate(node)) for a in range(3)]
        assert minimal == (tuple(node) in fine and not any(one in fine for one in finer))
    assert survey.minimal.any()


@pytest.fixture
def fuels():
    schema = dc.Schema(
        [dc.Attribute("fuel", dc.Nominal(["gas", "oil", "sun"]), "key"), dc.Attribute("sex", dc.Nominal("fm"), "key")]
    )
    table = pl.DataFrame({"fuel": ["gas", "oil", "oil", "sun", "sun", "gas"], "sex": list("ffmmff")})
    tree = dc.Hierarchy([["gas", "fossil", "any"], ["oil", "fossil", "any"], ["sun", "renewable", "any"]])
    return dc.Microdata(table, schema), {"fuel": tree}


def test_a_table_is_explored_in_the_order_of_its_keys(fuels):
    table, trees = fuels
    masker = dc.Generalisation(k=2, hierarchies=trees, attributes=["fuel", "sex"], suppression=0.34)
    lattice = masker.explore(table)
    assert lattice.names == ("fuel", "sex")
    assert lattice.heights == (2, 1)
    first = lattice.rows(1)[0]
    masked = masker.mask(table)
    assert first["best"]
    assert first["steps"] == masked.provenance.details["steps"]
    assert first["loss"] == pytest.approx(masked.provenance.details["value"])
    assert len(lattice.rows(satisfying=True)) == lattice.satisfied.sum() < lattice.nodes
    rows = list(csv.DictReader(io.StringIO(lattice.to_text())))
    assert len(rows) == 6
    assert rows[0]["best"] == "true"
    assert "6 combinations of steps" in lattice.sentence
    assert "gas" not in repr(lattice) + lattice.to_text()


def test_a_budget_ends_it_early_and_it_says_so(fuels):
    table, trees = fuels
    masker = dc.Generalisation(k=2, hierarchies=trees, attributes=["fuel", "sex"], budget=4)
    lattice = masker.explore(table)
    assert not lattice.finished
    assert lattice.sentence.startswith("4 of 6 combinations")
    assert np.isfinite(lattice.values[lattice.suppressed >= 0]).all()


def explored(suppressed, values, limit=3, heights=(1, 1), steps=((0, 0), (0, 1), (1, 0), (1, 1))):
    return ExploredLattice(
        ("fuel", "sex"), heights, np.array(steps), np.array(suppressed), np.array(values), "loss", limit, 9
    )


def test_a_lattice_by_hand():
    lattice = explored([-1, 4, 3, 0], [np.inf, 0.2, 0.5, 0.75])
    assert lattice.satisfied.tolist() == [False, False, True, True]
    assert lattice.minimal.tolist() == [False, False, True, False]
    assert lattice.best == 2
    assert lattice.order.tolist() == [2, 3, 1, 0]
    assert lattice.rows(3) == [
        {
            "steps": {"fuel": 1, "sex": 0},
            "satisfies": True,
            "suppressed": 3,
            "loss": 0.5,
            "minimal": True,
            "best": True,
        },
        {
            "steps": {"fuel": 1, "sex": 1},
            "satisfies": True,
            "suppressed": 0,
            "loss": 0.75,
            "minimal": False,
            "best": False,
        },
        {
            "steps": {"fuel": 0, "sex": 1},
            "satisfies": False,
            "suppressed": 4,
            "loss": 0.2,
            "minimal": False,
            "best": False,
        },
    ]
    assert lattice.rows()[3]["suppressed"] is lattice.rows()[3]["loss"] is None
    assert len(lattice.rows(satisfying=True)) == 2
    assert lattice.to_text() == (
        "fuel,sex,satisfies,suppressed,loss,minimal,best\n"
        "1,0,true,3,0.5,true,true\n"
        "1,1,true,0,0.75,false,false\n"
        "0,1,false,4,0.2,false,false\n"
        "0,0,false,,,false,false\n"
    )
    sentence = (
        "All 4 combinations of steps were looked at; 2 keep the models with at most 3 of 9 records suppressed, 1 of "
        "them with no finer one beside them that does. The least loss is 0.5."
    )
    assert lattice.to_dict() == {
        "keys": {"fuel": 1, "sex": 1},
        "nodes": 4,
        "looked_at": 4,
        "satisfying": 2,
        "minimal": 1,
        "objective": "loss",
        "records": 9,
        "suppression_limit": 3,
        "sentence": sentence,
    }
    assert repr(lattice) == "ExploredLattice(4 nodes, 2 satisfy)"


def test_a_lattice_that_nothing_satisfies_and_one_half_looked_at():
    lattice = explored([4, 5, 5, 4], [0.1, 0.2, 0.3, 0.0])
    assert lattice.best is None
    assert not lattice.minimal.any()
    assert lattice.order.tolist() == [3, 0, 1, 2], "those that suppress fewest first, then the cheapest"
    assert lattice.sentence == (
        "All 4 combinations of steps were looked at; 0 keep the models with at most 3 of 9 records suppressed, 0 of "
        "them with no finer one beside them that does."
    )
    half = explored([2, 0], [0.4, 0.6], heights=(2, 1), steps=((0, 1), (2, 1)))
    assert not half.finished
    assert half.nodes == 6
    assert half.minimal.tolist() == [True, True]
    assert half.sentence.startswith("2 of 6 combinations of steps were looked at; 2 keep")
