"""Terms of the model that tells files apart, by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.contracts.engine import InProcess
from discreet.contracts.measure import Pair
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.measures.loss import propensity
from discreet.measures.loss.propensity import PropensityLoss, _standard, _terms


def pair(scale, before, after):
    schema = Schema([Attribute("x", scale, "key")])
    kind = pl.Float64 if isinstance(scale, Numeric) else pl.String
    tables = [Microdata(pl.DataFrame({"x": side}, schema={"x": kind}), schema) for side in (before, after)]
    return Pair(*tables, ("x",), None, InProcess())


def standard(*sides):
    """Both files with mean 0 and deviation 1, over both."""
    numbers = np.array(sides, dtype=float)
    return (numbers - numbers.mean()) / numbers.std()


def test_columns_are_standardised_over_both_files():
    found = _standard(np.array([[1.0, 3.0], [5.0, 7.0]]))
    assert found == pytest.approx(np.array([[-3.0, -1.0], [1.0, 3.0]]) / np.sqrt(5))
    assert _standard(np.full((2, 3), 0.1)).tolist() == [[0.0] * 3] * 2
    assert not _standard(np.array([[1e9, 1e9], [1e9, 1e9 + 1e-6]])).any(), "what rounding leaves is no spread"


def test_numbers_have_a_square_and_a_flag_of_gaps():
    terms, summaries = _terms(pair(Numeric(), [1.0, 2.0, 4.0], [1.0, 3.0, 9.0]))
    column = standard([1, 2, 4], [1, 3, 9])
    assert terms == pytest.approx(np.stack([column, standard(*column**2)], axis=1))
    assert summaries == pytest.approx(column[:, None])
    terms, summaries = _terms(pair(Numeric(), [1.0, None, 4.0], [1.0, 3.0, 6.0]))
    # The gap is the mean of what there is, 3.
    filled = standard([1, 3, 4], [1, 3, 6])
    flag = standard([0, 1, 0], [0, 0, 0])
    assert terms == pytest.approx(np.stack([flag, filled, standard(*filled**2)], axis=1))
    assert summaries == pytest.approx(filled[:, None])
    terms, _ = _terms(pair(Numeric(), [None, None], [None, None]))
    assert not terms.any()
    assert terms.shape == (2, 3, 2)


def test_ordered_levels_are_numbers_and_unordered_ones_have_a_column_each(monkeypatch):
    letters = ("s", "m", "l")
    terms, _ = _terms(pair(Ordinal(letters), ["s", "m", "l"], ["s", "l", "l"]))
    column = standard([0, 1, 2], [0, 2, 2])
    assert terms == pytest.approx(np.stack([column, standard(*column**2)], axis=1))
    terms, summaries = _terms(pair(Nominal(letters), ["m", "m", "l", None], ["m", "s", "l", None]))
    # The most frequent first, ties as they are declared, the missing value as a level; none for a level nobody has.
    shown = [
        standard([1, 1, 0, 0], [1, 0, 0, 0]),
        standard([0, 0, 1, 0], [0, 0, 1, 0]),
        standard([0, 0, 0, 1], [0, 0, 0, 1]),
        standard([0, 0, 0, 0], [0, 1, 0, 0]),
    ]
    assert terms == pytest.approx(np.stack(shown, axis=1))
    assert summaries == pytest.approx(shown[0][:, None])
    monkeypatch.setattr(propensity, "_LEVELS", 2)
    terms, _ = _terms(pair(Nominal(letters), ["m", "m", "l", None], ["m", "s", "l", None]))
    assert terms == pytest.approx(np.stack(shown[:2], axis=1))


def test_an_order_with_levels_of_the_release_alone_is_none():
    before, after = (
        Microdata(pl.DataFrame({"x": x}), Schema([Attribute("x", Ordinal(levels), "key")]))
        for x, levels in ((["s", "m"], ("s", "m")), (["s", "xl"], ("s", "xl")))
    )
    terms, _ = _terms(Pair(before, after, ("x",), None, InProcess()))
    assert terms.shape == (2, 3, 2), "a column for s, m and xl"


def test_blocks_of_records_give_the_same_and_the_figure_is_told(monkeypatch):
    rng = np.random.default_rng(2)
    a = pl.DataFrame({"x": rng.normal(size=50), "y": rng.normal(size=50)})
    b = a.with_columns(x=pl.Series(rng.normal(0.5, 1, size=50)))
    whole = PropensityLoss().measure(a, b)
    monkeypatch.setattr(propensity, "_BLOCK", 7)
    parts = PropensityLoss().measure(a, b)
    assert parts.value == pytest.approx(whole.value, rel=1e-9)
    # Two numbers, two squares and a product.
    assert whole.details == {"terms": 5, "expected_of_samples": 2.5}
    assert whole.sentence == (
        f"Original and released records can be told apart by {whole.value:.1f} % (0 not at all, 100 always); two "
        "samples of the same population would show 2.5 %."
    )
    few = PropensityLoss().measure(a[:1], b[:1])
    assert few.details["expected_of_samples"] == 100
