from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.errors import DataError, ParameterError
from discreet.evaluation.table_correction import correct_table

SEX, WORK = ("f", "m"), ("none", "part", "full")
SCHEMA = dc.Schema(
    [
        dc.Attribute("sex", dc.Nominal(SEX), "key"),
        dc.Attribute("work", dc.Ordinal(WORK), "key"),
        dc.Attribute("age", dc.Numeric(), "other"),
    ]
)
P = {"sex": np.array([[0.8, 0.2], [0.3, 0.7]]), "work": np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.0, 0.3, 0.7]])}


def people(n=600, seed=0):
    rng = np.random.default_rng(seed)
    sex = rng.choice(2, n, p=[0.3, 0.7])
    work = np.minimum(2, rng.binomial(2, np.where(sex == 0, 0.3, 0.8)))
    return pl.DataFrame(
        {"sex": np.array(SEX)[sex], "work": np.array(WORK)[work], "age": rng.integers(20, 60, n).astype(float)}
    )


def counts(frame, names):
    sizes = {"sex": SEX, "work": WORK}
    result = np.zeros([len(sizes[name]) for name in names])
    for row in frame.select(names).rows():
        result[tuple(sizes[name].index(value) for name, value in zip(names, row, strict=True))] += 1
    return result


def test_unbiased_with_the_spread_it_says():
    """Over 225 releases: means within 4.5 standard errors of the truth, deviations within a fifth of those stated."""
    frame = people()
    releases = [dc.PRAM(matrix=P, random_state=seed).mask(frame, SCHEMA) for seed in range(225)]
    for names in (["work"], ["sex", "work"]):
        truth = counts(frame, names).ravel()
        tables = [correct_table(masked, names) for masked in releases]
        assert all(np.isclose(table.counts.sum(), len(frame)) for table in tables)
        estimates = [table.counts.ravel() for table in tables]
        error = np.std(estimates, axis=0) / 15
        assert (np.abs(np.mean(estimates, axis=0) - truth) < 4.5 * error).all()
        biased = np.mean([table.observed.ravel() for table in tables], axis=0)
        assert (np.abs(biased - truth) / error).max() > 10, "as they stand, the counts are far off"
        stated = np.mean([np.diagonal(table.covariance) for table in tables], axis=0)
        assert np.allclose(np.sqrt(stated), 15 * error, rtol=0.2)


def test_covariances_are_those_of_the_definition():
    frame = people(100)
    table = correct_table(frame, ["sex"], matrices={"sex": P["sex"]}, schema=SCHEMA)
    inverse = np.linalg.inv(P["sex"].T)
    estimate = inverse @ counts(frame, ["sex"])
    spread = sum(t * (np.diag(p) - np.outer(p, p)) for t, p in zip(estimate, P["sex"], strict=True))
    assert np.allclose(table.counts, estimate)
    assert np.allclose(table.covariance, inverse @ spread @ inverse.T)
    assert np.allclose(table.standard_errors**2, np.diagonal(table.covariance))


def test_what_was_not_masked_is_exact_and_an_invariant_matrix_keeps_totals():
    frame = people()
    identity = correct_table(frame, ["sex", "work"], matrices={"sex": np.eye(2)}, schema=SCHEMA)
    assert np.array_equal(identity.counts, counts(frame, ["sex", "work"]))
    assert np.allclose(identity.covariance, 0, atol=1e-9)
    masked = dc.PRAM(0.3, design="uniform", invariant=True, attributes=["work"], random_state=1).mask(frame, SCHEMA)
    table = correct_table(masked, ["sex", "work"])
    # Nobody changed sex, so that its margin is exact.
    assert np.allclose(table.counts.sum(axis=1), counts(frame, ["sex"]))


def test_gaps_are_left_out_and_told():
    frame = people().with_columns(pl.when(pl.int_range(600) < 7).then(None).otherwise("work").alias("work"))
    masked = dc.PRAM(matrix=P, random_state=1).mask(frame, SCHEMA)
    table = correct_table(masked, ["work"])
    assert table.left_out == 7
    assert np.isclose(table.counts.sum(), 593)
    rows = table.to_frame()
    assert rows.columns == ["work", "observed", "estimate", "standard_error"]
    assert rows["work"].to_list() == list(WORK)
    assert repr(table) == "CorrectedTable(work: 3 cells)"


def test_bad_input_is_refused():
    frame = people(60)
    masked = dc.PRAM(0.2, random_state=1).mask(frame, SCHEMA)
    with pytest.raises(ParameterError, match="'age' is numeric, and has no levels"):
        correct_table(masked, ["work", "age"])
    with pytest.raises(ParameterError, match="no matrix is known of work"):
        correct_table(frame, ["work"], schema=SCHEMA)
    with pytest.raises(ParameterError, match="the matrix of 'sex' must hold probabilities, 2 rows and columns"):
        correct_table(frame, ["sex"], matrices={"sex": [[0.5, 0.6], [0.5, 0.5]]}, schema=SCHEMA)
    with pytest.raises(DataError, match="cannot be inverted"):
        correct_table(frame, ["sex"], matrices={"sex": [[0.5, 0.5], [0.5, 0.5]]}, schema=SCHEMA)
    with pytest.raises(ParameterError, match="each once"):
        correct_table(masked, ["sex", "sex"])
    strata = dc.PRAM(0.2, strata=["sex"], attributes=["work"], random_state=1).mask(frame, SCHEMA)
    with pytest.raises(ParameterError, match="drew within strata"):
        correct_table(strata, ["work"])
    swapped = dc.RankSwapping(30, random_state=2)
    twice = dc.Chain([dc.PRAM(0.2, random_state=1), swapped]).mask(frame, SCHEMA)
    assert twice.provenance.changed["work"] > masked.provenance.changed["work"], "the swap changed some of these"
    with pytest.raises(ParameterError, match="2 steps changed these attributes, one of them rank-swapping"):
        correct_table(twice, ["work"])
