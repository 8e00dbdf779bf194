"""Measures of large tables against the same measures in memory."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import polars as pl
import pytest

from discreet import catalogue
from discreet.engines.local import LocalEngine
from discreet.errors import DataError, ParameterError
from discreet.io.large import ParquetSource
from discreet.masking.microaggregation.mdav import MDAV
from discreet.masking.pram import PRAM
from discreet.masking.recoding import GlobalRecoding
from discreet.measures import at_scale
from discreet.microdata import Microdata
from discreet.scales import Nominal, Numeric, Ordinal, Sequence
from discreet.schema import Attribute, Schema

SCHEMA = Schema(
    [
        Attribute("x", Numeric(), "key"),
        Attribute("y", Numeric(), "key"),
        Attribute("f", Nominal(list("abcd")), "key"),
        Attribute("s", Ordinal(list("pqr")), "key"),
        Attribute("w", Numeric(), "weight"),
    ]
)
N = 700


@pytest.fixture(params=[131_072, 97])
def engine(request):
    return LocalEngine(2, batch=request.param)


def original() -> Microdata:
    rng = np.random.default_rng(4)
    x = rng.normal(size=N) + 1e6
    frame = {"x": x, "y": x + rng.normal(size=N), "f": rng.choice(list("abcd"), N), "s": rng.choice(list("pqr"), N)}
    return Microdata(pl.DataFrame({**frame, "w": rng.uniform(1, 9, N)}), SCHEMA)


def masked() -> Microdata:
    numbers = MDAV(4).mask(original()).microdata
    return PRAM(0.5, random_state=1).mask(numbers).microdata


def sources(folder, before, after):
    result = []
    for name, table in (("a", before), ("b", after)):
        table.to_polars().write_parquet(folder / f"{name}.parquet", row_group_size=150)
        result.append(ParquetSource(folder / f"{name}.parquet", table.schema))
    return result


def plain(name, before, after, **parameters):
    return catalogue.method("measure", name)(**parameters).measure(before, after)


def test_losses_of_numbers(tmp_path, engine):
    before, after = original(), masked()
    found = {m.name: m for m in at_scale.number_losses(*sources(tmp_path, before, after), engine)}
    assert set(found) == {"il1s", "sse", "means", "variances", "covariances", "correlations"}
    for name, measurement in found.items():
        expected = plain(name, before, after)
        assert measurement.value == pytest.approx(expected.value, rel=1e-6, abs=1e-6), name
        assert measurement.per_attribute == pytest.approx(expected.per_attribute, rel=1e-6, abs=1e-6)
        assert measurement.in_score == expected.in_score


def test_losses_of_categories(tmp_path, engine):
    before, after = original(), masked()
    pair = sources(tmp_path, before, after)
    found = {m.name: m for m in (*at_scale.category_losses(*pair, engine), *at_scale.table_loss(*pair, engine))}
    assert set(found) == {"dist", "ebil", "ctbil"}
    for name, measurement in found.items():
        assert measurement.value == pytest.approx(plain(name, before, after).value), name


def test_tables_of_recoded_levels(tmp_path, engine):
    before = original()
    after = GlobalRecoding(2, category="rest").mask(before).microdata
    pair = sources(tmp_path, before, after)
    assert at_scale.table_loss(*pair, engine)[0].value == pytest.approx(plain("ctbil", before, after).value)
    assert at_scale.category_losses(*pair, engine)[0].value == pytest.approx(plain("dist", before, after).value)


def test_frequency_risks(tmp_path, engine):
    before, after = original(), masked()
    found = {m.name: m for m in at_scale.frequency_risks(*sources(tmp_path, before, after), engine, k=3)}
    assert_told_alike(found, before, after, 3)


def assert_told_alike(found, before, after, k):
    """Every figure and every sentence is that of the measure in memory; medians need all records at once."""
    for name, parameters in (("k-anonymity", {"k": k}), ("uniques", {}), ("individual-risk", {})):
        expected = plain(name, before, after, **parameters)
        assert found[name].value == pytest.approx(expected.value), name
        assert found[name].sentence == expected.sentence
        assert found[name].details["keys"] == list(before.schema.keys)
        for detail, figure in expected.details.items():
            if not detail.startswith("median"):
                assert found[name].details[detail] == pytest.approx(figure), (name, detail)


@pytest.mark.parametrize("k", [2, 7, 40])
def test_frequency_risks_tell_missing_codes_numbers_and_sequences_apart(tmp_path, engine, k):
    rng = np.random.default_rng(8)
    n = 600
    frame = pl.DataFrame(
        {
            "years": pl.Series(
                [None if v == 0 else -8 if v == 1 else -9 if v == 2 else int(v) for v in rng.integers(0, 7, n)]
            ),
            "sex": rng.choice(["f", "m", "?", "NA"], n, p=[0.45, 0.45, 0.05, 0.05]),
            "pay": rng.choice(["1", "1.0", "2", "NA"], n),
            "way": [[["a"], ["a", "b"], [], None][v] for v in rng.integers(0, 4, n)],
        }
    )
    schema = Schema(
        [
            Attribute("years", Numeric(), "key", (-8, -9)),
            Attribute("sex", Nominal(["f", "m"]), "key", ("?", "NA")),
            Attribute("pay", Numeric(), "key", ("NA",)),
            Attribute("way", Sequence("ab"), "key"),
        ]
    )
    data = Microdata(frame, schema)
    found = {m.name: m for m in at_scale.frequency_risks(*sources(tmp_path, data, data), engine, k=k)}
    assert_told_alike(found, data, data, k)
    groups = Counter(map(str, frame.rows()))
    assert found["uniques"].details["uniques"] == sum(size == 1 for size in groups.values())
    assert found["k-anonymity"].details["combinations"] == len(groups)


@pytest.mark.parametrize("some", [1, 60])
@pytest.mark.parametrize("dimensions", [0, 12])
def test_linkage_by_tree_and_by_products_of_matrices_is_exact(tmp_path, engine, monkeypatch, dimensions, some):
    monkeypatch.setattr("discreet.measures.at_scale.linkage._TREE_DIMENSIONS", dimensions)
    monkeypatch.setattr("discreet.measures.at_scale.linkage._SOME", some)
    before, after = original(), masked()
    found = at_scale.distance_linkage(*sources(tmp_path, before, after), engine, sample=10**6)[0]
    assert found.value == pytest.approx(plain("distance-linkage", before, after).value, abs=1e-9)


def test_linkage_of_everybody_is_exact(tmp_path, engine):
    before, after = original(), masked()
    found = at_scale.distance_linkage(*sources(tmp_path, before, after), engine, sample=10**6)[0]
    expected = plain("distance-linkage", before, after)
    assert found.details["exact"]
    assert found.value == pytest.approx(expected.value)
    assert found.details["optimistic"] == expected.details["optimistic"]


@pytest.mark.parametrize("offset", [0.0, 1e9])
@pytest.mark.parametrize("dimensions", [0, 12])
def test_means_of_pairs_are_tied_with_both(tmp_path, engine, monkeypatch, dimensions, offset):
    monkeypatch.setattr("discreet.measures.at_scale.linkage._TREE_DIMENSIONS", dimensions)
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key")])
    x = np.random.default_rng(1).lognormal(size=(200, 2)) + offset
    before = Microdata(pl.DataFrame({"x": x[:, 0], "y": x[:, 1]}), schema)
    after = MDAV(2, decimals="exact").mask(before).microdata
    found = at_scale.distance_linkage(*sources(tmp_path, before, after), engine, sample=10**6)[0]
    expected = plain("distance-linkage", before, after)
    assert found.value == pytest.approx(expected.value)
    assert 40.0 < found.value <= 50.0, "a stranger may be nearer than both"
    for direction, figures in found.details["directions"].items():
        assert figures["pessimistic"] == 0, "nobody is found alone"
        for name in ("expected", "optimistic", "pessimistic"):
            assert figures[name] == pytest.approx(expected.details["directions"][direction][name])


def test_linkage_of_a_sample_states_its_bound(tmp_path, engine):
    before, after = original(), MDAV(4).mask(original()).microdata
    found = at_scale.distance_linkage(*sources(tmp_path, before, after), engine, sample=300)[0]
    low, high = found.details["interval_percent"]
    assert not found.details["exact"]
    assert found.details["n"] == 300
    assert low < plain("distance-linkage", before, after).value < high
    assert "95 % confidence" in found.sentence


def test_changed_cells(tmp_path, engine):
    before, after = original(), masked()
    rows = engine.pair(*sources(tmp_path, before, after), ["x", "f", "w"])
    counts = at_scale.changed_cells(rows, ["x", "f", "w"], engine)
    expected = {n: int((before.encoded(n) != after.encoded(n)).sum()) for n in ("x", "f", "w")}
    assert counts == expected


def test_agreement_patterns_are_those_of_all_pairs(tmp_path, engine):
    a, b = original().take(range(60)), original().take(range(30, 90))
    names = ["f", "s"]
    pair = sources(tmp_path, a, b)
    found = at_scale.agreement_patterns(*pair, names, engine)
    first, second = a.codes(names), b.codes(names)
    same = first[:, None, :] == second[None, :, :]
    for pattern in itertools.product([True, False], repeat=2):
        assert found[pattern] == int((same == np.array(pattern)).all(axis=2).sum())
    assert sum(found.values()) == 60 * 60


def test_agreement_patterns_check_their_names(tmp_path, engine):
    pair = sources(tmp_path, original(), GlobalRecoding(2, category="rest").mask(original()).microdata)
    with pytest.raises(ParameterError, match="1 to 12 attributes; got 0"):
        at_scale.agreement_patterns(*pair, [], engine)
    with pytest.raises(DataError, match="'f' has different scales or levels"):
        at_scale.agreement_patterns(*pair, ["f"], engine)
