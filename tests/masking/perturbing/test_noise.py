from __future__ import annotations

import csv
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import discreet as dc
from discreet.data.block import Block
from discreet.data.microdata import Microdata
from discreet.data.scales import Date, Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, ParameterError
from discreet.io.reading import write
from discreet.masking.perturbing.noise import (
    AdditiveNoise,
    CorrelatedNoise,
    MultiplicativeNoise,
    NoisePlan,
    _consistent,
    _correlations,
)

SCHEMA = Schema([Attribute(name, Numeric(), "key") for name in "ab"])
KINDS = (AdditiveNoise, CorrelatedNoise, MultiplicativeNoise)


def line(n=20_000, offset=0.0, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(10, 2, n)
    return Microdata(pa.table({"a": a + offset, "b": 3 * a + rng.normal(0, 3, n) + offset}), SCHEMA)


def block(data):
    return data.numeric(["a", "b"])


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_additive_noise_has_the_stated_size_whatever_the_offset(offset):
    data = line(offset=offset)
    noise = block(AdditiveNoise(0.3, random_state=1).mask(data).microdata) - block(data)
    assert np.allclose(noise.std(axis=0), 0.3 * block(data).std(axis=0), rtol=0.03)
    assert abs(np.corrcoef(noise.T)[0, 1]) < 0.03


def test_correlated_noise_keeps_correlations():
    data = line()
    after = block(CorrelatedNoise(0.8, random_state=1).mask(data).microdata)
    before = np.cov(block(data).T)
    assert np.allclose(np.cov(after.T), (1 + 0.8**2) * before, rtol=0.04)
    restored = block(CorrelatedNoise(0.8, restore=True, random_state=1).mask(data).microdata)
    assert np.allclose(np.cov(restored.T), before, rtol=0.04)


def test_multiplicative_noise_keeps_signs_zeros_and_means():
    values = np.concatenate([np.zeros(10), -np.ones(10), np.full(50_000, 4.0)])
    data = Microdata(pa.table({"a": values, "b": values}), SCHEMA)
    after = block(MultiplicativeNoise(0.2, decimals="exact", random_state=1).mask(data).microdata)[:, 0]
    assert np.array_equal(np.sign(after), np.sign(values))
    assert after[20:].mean() == pytest.approx(4.0, rel=0.01)
    assert after[20:].std() / 4 == pytest.approx(0.2, rel=0.05)


@pytest.mark.parametrize("kind", KINDS)
def test_restored_moments_are_exact(kind):
    data = line(500)
    after = block(kind(0.5, restore=True, random_state=1).mask(data).microdata)
    assert np.allclose(after.mean(axis=0), block(data).mean(axis=0))
    assert np.allclose(after.std(axis=0), block(data).std(axis=0))


@pytest.mark.parametrize("kind", KINDS)
def test_missing_values_and_constants_stay(kind):
    table = pa.table({"a": pa.array([1.0, None, 3.0, 4.0]), "b": [5.0] * 4})
    after = kind(0.5, random_state=0).mask(table, SCHEMA).microdata
    assert after.missing("a").tolist() == [False, True, False, False]
    if kind is not MultiplicativeNoise:
        assert np.allclose(after.encoded("b"), 5.0)


def test_standard_deviations_are_those_of_the_stratum():
    values = np.concatenate([np.full(500, 7.0), np.random.default_rng(0).normal(0, 1, 500)])
    table = pa.table({"a": values, "b": values, "s": ["x"] * 500 + ["y"] * 500})
    schema = Schema([*SCHEMA, Attribute("s", Nominal(("x", "y")), "stratum")])
    after = AdditiveNoise(0.5, strata=["s"], random_state=0).mask(table, schema).microdata.encoded("a")
    assert (after[500:] - values[500:]).std() == pytest.approx(0.5 * values[500:].std(), rel=0.15)
    # Where a stratum does not vary its values would come out as they are: it gets the noise of the whole column.
    assert (after[:500] - values[:500]).std() == pytest.approx(0.5 * values.std(), rel=0.15)


STRATA = Schema([*SCHEMA, Attribute("s", Nominal(("x", "y")), "stratum")])


def strata_of(small, rest=20):
    rng = np.random.default_rng(4)
    return pa.table(
        {
            "a": np.concatenate([small, rng.normal(0, 1, rest)]),
            "b": rng.normal(0, 1, len(small) + rest),
            "s": ["x"] * len(small) + ["y"] * rest,
        }
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("size", "restore"), [(1, False), (2, False), (1, True), (2, True), (4, True)])
def test_strata_too_small_to_hide_a_value_are_refused_without_showing_it(kind, size, restore):
    if kind is MultiplicativeNoise and not restore:
        pytest.skip("factors do not depend on other records")
    table = strata_of([74213.0, 31850.0, 50000.0, 61234.0][:size])
    with pytest.raises(DataError, match="'a' has values, but fewer than [35], in 1 of 2 strata.*Merge strata") as error:
        kind(0.5, restore=restore, strata=["s"], random_state=1).mask(table, STRATA)
    assert "74213" not in str(error.value)


def test_a_stratum_without_any_value_has_nothing_to_hide():
    table = strata_of([np.nan] * 6)
    after = AdditiveNoise(0.5, restore=True, strata=["s"], random_state=1).mask(table, STRATA).microdata
    assert after.missing("a").sum() == 6


@pytest.mark.parametrize("kind", KINDS)
def test_restored_strata_that_do_not_vary_are_refused(kind):
    with pytest.raises(DataError, match="'a' does not vary in 1 of 2 strata"):
        kind(0.5, restore=True, strata=["s"], random_state=1).mask(strata_of([74213.0] * 8), STRATA)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 2])
def test_a_column_with_one_or_two_values_is_refused(kind, size):
    values = np.full(50, np.nan)
    values[[17, 30][:size]] = [74213.0, 31850.0][:size]
    table = pa.table({"a": values, "b": np.arange(50.0)})
    with pytest.raises(DataError, match=f"'a' has {size} values; it takes 5"):
        kind(0.5, restore=True, random_state=1).mask(table, SCHEMA)


def test_a_column_that_does_not_vary_is_said_to_hide_nothing():
    table = pa.table({"a": np.arange(9.0), "b": [5.0] * 9})
    for masker in (AdditiveNoise(2.0, random_state=1), MultiplicativeNoise(2.0, restore=True, random_state=1)):
        notes = masker.mask(table, SCHEMA).provenance.notes
        assert "b does not vary; nothing of it is hidden." in notes
        assert not any("larger level" in note and note.startswith("b") for note in notes)


# ------------------------------------------------------------------------------ correlated noise with skip patterns

THREE = Schema([Attribute(name, Numeric(), "key") for name in "abc"])


def skipping(both, n=1000):
    """Everybody has a, the employed b, the others c; `both` records have all."""
    rng = np.random.default_rng(1)
    b, c = rng.lognormal(7.5, 0.5, (2, n))
    employed = rng.random(n) < 0.6
    a = 40 + 10 * np.log(np.where(employed, b, c)) + rng.normal(0, 5, n)
    b[~employed], c[employed] = np.nan, np.nan
    b[:both], c[:both] = rng.lognormal(7.5, 0.5, (2, both))
    return Microdata(pa.table({"a": a, "b": b, "c": c}), THREE)


@pytest.mark.parametrize("both", [0, 1, 2, 3, 6, 30])
def test_every_column_and_combination_gets_noise_where_few_records_are_complete(both):
    data = skipping(both)
    before = data.numeric("abc")
    masked = CorrelatedNoise(0.5, decimals="exact", random_state=9).mask(data)
    noise = masked.microdata.numeric("abc") - before
    spread = np.nanstd(before, axis=0)
    assert np.allclose(np.nanstd(noise, axis=0), 0.5 * spread, rtol=0.1)
    for j in (1, 2):
        pair = (noise / spread)[~np.isnan(noise[:, j])][:, [0, j]]
        assert abs(np.corrcoef(pair.T)[0, 1]) < 0.97, "one column's noise tells the other's"
    told = any("1 of 3 pairs" in note for note in masked.provenance.notes)
    assert told == (both < 5)


def test_correlations_come_from_the_records_that_have_both_values():
    data = skipping(0, 20_000)
    before = data.numeric("abc")
    after = CorrelatedNoise(1.0, random_state=2).mask(data).microdata.numeric("abc")
    for j in (1, 2):
        joint = ~np.isnan(before[:, j])
        r, s = (np.corrcoef(x[joint][:, [0, j]].T)[0, 1] for x in (before, after - before))
        assert r > 0.4
        assert s == pytest.approx(r, abs=0.05)


def test_correlations_that_contradict_each_other_leave_no_combination_without_noise():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(900, 3))
    x[:300, 1], x[:300, 2] = x[:300, 0], np.nan
    x[300:600, 2], x[300:600, 1] = x[300:600, 0], np.nan
    x[600:, 2], x[600:, 0] = -x[600:, 1], np.nan
    data = Microdata(pa.table(dict(zip("abc", x.T, strict=True))), THREE)
    noise = CorrelatedNoise(0.5, decimals="exact", random_state=1).mask(data).microdata.numeric("abc") - x
    assert np.allclose(np.nanstd(noise, axis=0), 0.5 * np.nanstd(x, axis=0), rtol=0.1)
    assert np.abs(noise[:300, 0] - noise[:300, 1]).std() > 0.05


def test_noise_on_fewer_records_than_attributes_is_not_collinear():
    x = np.random.default_rng(0).normal(size=(3, 3))
    data = Microdata(pa.table(dict(zip("abc", x.T, strict=True))), THREE)
    after = CorrelatedNoise(0.5, decimals="exact", random_state=1).mask(data).microdata.numeric("abc")
    normal = np.linalg.svd(x - x.mean(axis=0))[2][-1]
    assert np.ptp(after @ normal) > 0.01


def test_exact_collinearity_stays_with_many_records():
    a = np.random.default_rng(0).normal(50, 9, 400)
    after = block(
        CorrelatedNoise(0.7, decimals="exact", random_state=1).mask(pa.table({"a": a, "b": 2 * a}), SCHEMA).microdata
    )
    assert np.allclose(after[:, 1], 2 * after[:, 0])


def test_values_beyond_the_range_of_the_column_are_counted(tmp_path):
    small = np.random.default_rng(3).integers(0, 30, 400).astype(np.uint32)
    schema = Schema([Attribute("small", Numeric(), "key")])
    masked = AdditiveNoise(1.0, random_state=1).mask(pa.table({"small": small}), schema)
    write(masked, tmp_path / "out.csv")
    written = [float(line) for line in (tmp_path / "out.csv").read_text().split()[1:]]
    beyond = sum(value < small.min() or value > small.max() for value in written)
    assert beyond > 50
    note = f"small: {beyond} of 400 released values lie outside of the range of the original column"
    assert any(one.startswith(note) for one in masked.provenance.notes)


def incomes(n=400, seed=0):
    rng = np.random.default_rng(seed)
    income = np.round(rng.lognormal(8, 1, n), 2) * (rng.random(n) < 0.8)
    return pl.DataFrame({"income": income, "age": rng.integers(0, 95, n)})


BOUNDED = Schema([Attribute("income", Numeric(), "key"), Attribute("age", Numeric(), "key")])


@pytest.mark.parametrize("kind", [AdditiveNoise, CorrelatedNoise, MultiplicativeNoise])
def test_released_numbers_keep_to_their_bounds(kind, tmp_path):
    masker = kind(1.5, within={"income": "0:", "age": [0, 95]}, random_state=3)
    masked = masker.mask(incomes(), BOUNDED)
    dc.write(masked, tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = [(float(row["income"]), float(row["age"])) for row in csv.DictReader(file)]
    assert min(income for income, _ in rows) >= 0
    assert all(0 <= age <= 95 and age == int(age) for _, age in rows)
    free = kind(1.5, random_state=3).mask(incomes(), BOUNDED).to_native()
    beyond = {
        "income": int((free["income"] < 0).sum()),
        "age": int((~free["age"].is_between(0, 95)).sum()),
    }
    reflected = masked.provenance.details["reflected"]
    assert list(reflected) == ["income", "age"]
    if kind is MultiplicativeNoise:
        assert reflected["income"] == beyond["income"] == 0
    else:
        assert reflected["income"] > 50
        note = f"income: {reflected['income']} of 400 values were reflected at its bounds"
        assert any(sentence.startswith(note) for sentence in masked.provenance.notes)
        zero = incomes()["income"].to_numpy() == 0
        assert (np.array([income for income, _ in rows])[zero] > 0).mean() > 0.95, "who has nothing is not told"


def test_bounds_between_the_digits_of_the_data_hold_too():
    masked = AdditiveNoise(2.0, within={"age": [0.5, 94.5]}, attributes=["age"], random_state=1)
    frame = incomes().with_columns(pl.col("age").clip(1, 94))
    ages = masked.mask(frame, BOUNDED).to_native()["age"]
    assert ages.min() >= 1
    assert ages.max() <= 94


def test_bounds_are_checked():
    frame = incomes()
    with pytest.raises(
        DataError, match=r"AdditiveNoise: \d+ of 400 values of 'income' lie beyond the bounds of within"
    ):
        AdditiveNoise(0.1, within={"income": "100:"}).mask(frame, BOUNDED)
    with pytest.raises(ParameterError, match="within names 'wage', which is not masked"):
        AdditiveNoise(0.1, within={"wage": "0:"}).mask(frame, BOUNDED)
    with pytest.raises(ParameterError, match="restore must be False with within"):
        AdditiveNoise(0.1, within={"income": "0:"}, restore=True).mask(frame, BOUNDED)
    with pytest.raises(ParameterError, match="within must be None or a mapping of names to values, each an interval"):
        AdditiveNoise(0.1, within={"income": "much"}).mask(frame, BOUNDED)


def test_bounds_are_typed_and_written_as_text():
    parsed = AdditiveNoise.parameters["within"].parse("income=0:; age=0:95")
    assert parsed == {"income": "0:", "age": "0:95"}
    masked = AdditiveNoise(0.1, within=parsed, random_state=2).mask(incomes(), BOUNDED)
    assert masked.provenance.parameters["within"] == parsed


def test_noise_for_outliers_leaves_the_others_as_they_are():
    numbers = [*range(10, 30), 400, -300]
    schema = dc.Schema([dc.Attribute("x", dc.Numeric(), "key")])
    frame = pl.DataFrame({"x": [float(number) + 0.25 for number in numbers]})
    masked = dc.AdditiveNoise(0.3, outliers=True, random_state=1).mask(frame, schema)
    released = masked.microdata.column("x").to_pylist()
    assert released[:20] == frame["x"].to_list()[:20]
    assert all(a != b for a, b in zip(released[20:], frame["x"].to_list()[20:], strict=True))
    assert masked.provenance.details["records_with_noise"] == 2
    assert any("2 of 22 records have a value far from the others" in note for note in masked.provenance.notes)
    with pytest.raises(ParameterError, match="restore must be False with outliers"):
        dc.AdditiveNoise(0.3, outliers=True, restore=True).mask(frame, schema)


# ------------------------------------------------------------------------------------------------------ the parts

LONG = [*range(10, 30), 400, -300]


@pytest.mark.parametrize("kind", KINDS)
def test_only_outliers_get_noise_of_any_kind(kind):
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key")])
    frame = pl.DataFrame({"x": [number + 0.25 for number in LONG], "y": [float(i % 5) for i in range(22)]})
    masked = kind(0.3, outliers=True, random_state=1).mask(frame, schema)
    after, before = masked.microdata.numeric("xy"), frame.to_numpy()
    assert (after[:20] == before[:20]).all()
    assert (after[20:, 0] != before[20:, 0]).all()
    assert masked.provenance.details == {"records_with_noise": 2}
    told = [note for note in masked.provenance.notes if "far from the others" in note]
    said = "2 of 22 records have a value far from the others and got noise; the others are released as they are, and "
    assert told == [said + "whoever knows their numbers finds them."]
    assert kind(0.3).touches_all
    assert not kind(0.3, outliers=True).touches_all


def test_outliers_lie_beyond_the_fences_not_at_them():
    """Of nine values the second, 2, and the seventh, 6, are the quarters: fences at 2 − 6 and 6 + 6."""
    schema = Schema([Attribute("x", Numeric(), "key")])
    frame = pl.DataFrame({"x": [-4.0, 2.0, 3.0, 4.0, 5.0, 5.0, 6.0, 7.0, 12.0]})
    assert AdditiveNoise(5.0, outliers=True).mask(frame, schema).provenance.details["records_with_noise"] == 0
    for changed in ({"x": [-4.5, *frame["x"][1:]]}, {"x": [*frame["x"][:-1], 12.5]}):
        masked = AdditiveNoise(5.0, outliers=True).mask(pl.DataFrame(changed), schema)
        assert masked.provenance.details["records_with_noise"] == 1


def test_noise_is_a_draw_times_level_and_spread():
    values, normal = np.array([[1.0, -2.0], [np.nan, 0.0]]), np.array([[1.0, -1.0], [2.0, 0.5]])
    plan = NoisePlan(draws=None, names=("a", "b"), spread=np.array([10.0, 100.0]))
    assert AdditiveNoise(0.5)._noisy(values, plan, normal) == pytest.approx(
        np.array([[6.0, -52.0], [np.nan, 25.0]]), nan_ok=True
    )
    mixed = replace(plan, factor=np.array([[1.0, 0.0], [0.6, 0.8]]))
    # The second gets 0.6 of the first draw and 0.8 of its own.
    assert CorrelatedNoise(0.5)._noisy(values, mixed, normal) == pytest.approx(
        np.array([[6.0, -2.0 + 50 * (0.6 - 0.8)], [np.nan, 50 * (1.2 + 0.4)]]), nan_ok=True
    )
    variance = np.log(1.25)
    assert MultiplicativeNoise(0.5)._noisy(values, plan, normal) == pytest.approx(
        values * np.exp(np.sqrt(variance) * normal - variance / 2), nan_ok=True
    )


def test_what_noise_cannot_be_added_to_is_said():
    schema = Schema([Attribute("born", Date(), "key"), Attribute("a", Numeric(), "key")])
    with pytest.raises(ParameterError) as caught:
        MultiplicativeNoise().columns_for(schema)
    said = "MultiplicativeNoise: 1 attributes are dates or times, the first 'born', which have no zero to be multiplied"
    assert str(caught.value).startswith(said)
    assert MultiplicativeNoise(attributes=["a"]).columns_for(schema) == ("a",)
    assert AdditiveNoise().columns_for(schema) == ("born", "a")
    with pytest.raises(
        ParameterError, match="AdditiveNoise: within must be bounds of numbers; 'born' is a date or time"
    ):
        AdditiveNoise(within={"born": "0:"}).columns_for(schema)


@pytest.mark.parametrize(
    ("lowest", "complete", "shrunk"),
    [(-0.5, True, True), (0.005, True, False), (0.005, False, True), (0.02, False, False), (0.0, False, False)],
)
def test_correlations_are_shrunk_only_where_no_data_have_them(lowest, complete, shrunk):
    given = np.array([[1.0, 1.0 - lowest], [1.0 - lowest, 1.0]])
    found = _consistent(given, complete=complete)
    if not shrunk:
        assert found is given
    else:
        assert np.linalg.eigvalsh(found)[0] == pytest.approx(0.01)
        assert np.diag(found).tolist() == [1.0, 1.0]


def correlations_of(columns, cuts, n=None):
    """Answer the questions of correlated noise from blocks."""
    names = tuple(columns)
    data = Microdata(pa.table(columns), Schema([Attribute(name, Numeric(), "key") for name in names]))
    values = data.numeric(names)
    moments = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
    inquiry = _correlations(SimpleNamespace(names=names, n=n or len(values)), moments)
    question, asked = next(inquiry), []
    while True:
        asked.append(type(question).__name__)
        parts = [question.summarise(Block(rows, data.take(rows))) for rows in np.split(np.arange(len(values)), cuts)]
        answer = parts[0]
        for part in parts[1:]:
            answer = answer.merge(part)
        try:
            question = inquiry.send(answer)
        except StopIteration as end:
            return *end.value, asked


@pytest.mark.parametrize("cuts", [[], [3, 7]])
def test_correlations_are_those_of_the_records_that_have_both(cuts):
    rng = np.random.default_rng(2)
    a, b = rng.normal(5, 2, 30), rng.normal(size=30)
    c = 0.3 * a + rng.normal(size=30)
    found, apart, asked = correlations_of({"a": a, "b": b, "c": c}, cuts)
    assert found == pytest.approx(np.corrcoef([a, b, c]), abs=1e-9)
    assert (apart, asked) == (0, ["_Pairs"])
    c[:20] = np.nan
    found, apart, _ = correlations_of({"a": a, "b": b, "c": c}, cuts)
    assert found[0, 1] == pytest.approx(np.corrcoef(a, b)[0, 1], abs=1e-9)
    assert found[0, 2] == pytest.approx(np.corrcoef(a[20:], c[20:])[0, 1], abs=1e-9)
    assert apart == 0


@pytest.mark.parametrize(("present", "apart"), [(4, 1), (5, 0)])
def test_fewer_than_five_tell_no_correlation(present, apart):
    a = np.array([1.0, 5.0, 2.0, 8.0, 3.0, 9.0, 4.0])
    b = np.where(np.arange(7) < present, a**2, np.nan)
    found, number, _ = correlations_of({"a": a, "b": b}, [])
    assert number == apart
    expected = 0.0 if apart else np.corrcoef(a[:present], b[:present])[0, 1]
    assert found[0, 1] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("values", "apart"), [([1.0, 2.0] * 5, 1), ([1.0, 2.0, 4.0] * 4, 0), ([3.0] * 9, 0)])
def test_a_line_through_two_points_is_none(values, apart):
    """Of two attributes that are exactly collinear three different points have to be seen."""
    a = np.array(values)
    found, number, asked = correlations_of({"a": a, "b": -2 * a}, [2, 5])
    varies = a.std() > 0
    assert asked == ["_Pairs", "_DifferentPoints"][: 1 + varies]
    assert number == apart
    assert found[0, 1] == pytest.approx(-1.0 if varies and not apart else 0.0)


def test_correlations_that_are_not_kept_are_counted():
    data = skipping(0, 60)
    notes = CorrelatedNoise(0.5, random_state=1).mask(data).provenance.notes
    assert "Correlations of 1 of 3 pairs of attributes are not kept: too few records have both." in notes


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_without_values_has_no_outliers(kind):
    frame = pa.table({"a": [*map(float, LONG)], "b": pa.array([None] * 22, pa.float64())})
    masked = kind(0.3, outliers=True, random_state=1).mask(frame, SCHEMA)
    assert masked.provenance.details["records_with_noise"] == 2
    assert masked.microdata.missing("b").all()
    nothing = pa.table({"a": pa.array([None] * 5, pa.float64()), "b": pa.array([None] * 5, pa.float64())})
    assert kind(0.3, outliers=True).mask(nothing, SCHEMA).provenance.details["records_with_noise"] == 0


def test_values_beyond_a_fence_are_far_and_those_on_it_are_not():
    values = np.array([[1.0, 5.0], [0.9, 5.0], [2.0, 7.1], [2.0, 7.0], [np.nan, 6.0]])
    plan = SimpleNamespace(fences=(np.array([1.0, 4.0]), np.array([2.0, 7.0])))
    assert AdditiveNoise._far(plan, values).tolist() == [False, True, True, False, False]
    assert AdditiveNoise._far(SimpleNamespace(fences=None), values).tolist() == [True] * 5
