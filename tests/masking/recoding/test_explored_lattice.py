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
