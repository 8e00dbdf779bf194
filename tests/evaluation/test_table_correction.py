from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.contracts.masked import Masked, Provenance
from discreet.errors import DataError, ParameterError
from discreet.evaluation.table_correction import CorrectedTable, _checked, _of_provenance, correct_table

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


def test_a_table_of_two_attributes_is_that_of_the_product_of_their_matrices():
    frame = people(80)
    table = correct_table(frame, ["work", "sex"], matrices=P, schema=SCHEMA)
    whole = np.kron(P["work"], P["sex"])
    observed = counts(frame, ["work", "sex"])
    estimate = np.linalg.inv(whole.T) @ observed.ravel()
    spread = sum(t * (np.diag(p) - np.outer(p, p)) for t, p in zip(estimate, whole, strict=True))
    assert np.array_equal(table.observed, observed)
    assert np.allclose(table.counts.ravel(), estimate)
    assert np.allclose(table.covariance, np.linalg.inv(whole.T) @ spread @ np.linalg.inv(whole))
    assert (table.attributes, table.levels, table.left_out) == (("work", "sex"), (WORK, SEX), 0)
    rows = table.to_frame()
    assert list(zip(rows["work"], rows["sex"], strict=True)) == [(w, s) for w in WORK for s in SEX]
    assert rows["observed"].to_list() == observed.ravel().tolist()
    assert np.allclose(rows["standard_error"], np.sqrt(np.maximum(np.diagonal(table.covariance), 0)))
    assert repr(table) == "CorrectedTable(work × sex: 6 cells)"
    minus = CorrectedTable(("sex",), (SEX,), np.ones(2), np.ones(2), np.diag([-1.0, 4.0]), 0)
    assert minus.standard_errors.tolist() == [0.0, 2.0]


@pytest.mark.parametrize(
    "matrix",
    ["text", [[1.0, 0.0]], np.eye(3), [[np.nan, 1.0], [0.0, 1.0]], [[1.5, -0.5], [0.0, 1.0]], [[0.9, 0.2], [0.0, 1.0]]],
)
def test_a_matrix_holds_probabilities_of_every_level(matrix):
    with pytest.raises(ParameterError, match="the matrix of 'sex' must hold probabilities, 2 rows and columns"):
        _checked("sex", matrix, 2)
    assert _checked("sex", [[1, 0], [0, 1]], 2).tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_names_and_sizes_that_cannot_be_are_refused():
    frame = people(20)
    with pytest.raises(ParameterError, match="matrices name 'height', which is not in the table"):
        correct_table(frame, ["sex"], matrices={"sex": P["sex"], "height": np.eye(2)}, schema=SCHEMA)
    for attributes in ("sex", 3, ["sex", 3]):
        with pytest.raises((ParameterError, TypeError), match="attributes must be a list of names"):
            correct_table(frame, attributes, matrices=P, schema=SCHEMA)
    for attributes in ([], ["sex", "sex"]):
        with pytest.raises(ParameterError, match="attributes must be one or more names, each once"):
            correct_table(frame, attributes, matrices=P, schema=SCHEMA)
    levels = tuple(str(i) for i in range(64))
    schema = dc.Schema([dc.Attribute(name, dc.Nominal(levels), "key") for name in "ab"])
    wide = pl.DataFrame({"a": ["1"], "b": ["2"]})
    with pytest.raises(ParameterError, match="a table of 64 × 64 cells is too large"):
        correct_table(wide, ["a", "b"], matrices={"a": np.eye(64)}, schema=schema)


def step(method, attributes, changed=None, **details):
    return Provenance(method, {}, tuple(attributes), 4, changed=changed or {}, details=details)


def test_matrices_are_those_of_the_one_step_that_touched_the_attributes():
    table = dc.microdata(people(4), SCHEMA)

    def of(*steps):
        whole = Provenance("chain", {}, ("sex", "work"), 4, history=steps) if len(steps) > 1 else steps[0]
        return _of_provenance(Masked(table, whole), ["sex"])

    pram = step("pram", ["sex"], matrices={"sex": "P"})
    assert of(pram) == {"sex": "P"}
    assert of(pram, step("mdav", ["age"], {"age": 3})) == {"sex": "P"}
    assert of(pram, step("recoding", ["sex"], {"sex": 0})) == {"sex": "P"}, "nothing of it was changed"
    assert of(step("mdav", ["age"], {"age": 3})) == {}
    assert of(step("pram", ["sex"])) == {}
    with pytest.raises(ParameterError, match="2 steps changed these attributes; one PRAM can be corrected for"):
        of(pram, pram)
    with pytest.raises(ParameterError, match="1 steps changed these attributes, one of them recoding; one PRAM"):
        of(step("recoding", ["sex"], {"sex": 1}))
