"""Linkage of a sample with everybody, and other measures of tables larger than memory, against those in memory."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest

from discreet import catalogue
from discreet.contracts.changed_counts import CountChanged
from discreet.contracts.engine import TablePair
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal, Sequence
from discreet.data.schema import Attribute, Schema
from discreet.engines.memory import MemoryEngine
from discreet.engines.streaming import StreamingEngine
from discreet.errors import MissingValueError
from discreet.io.stored_parquet import ParquetSource
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.masking.perturbing.pram import PRAM
from discreet.masking.recoding.global_recoding import GlobalRecoding

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
    return StreamingEngine(2, batch=request.param)


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


@pytest.mark.parametrize("name", ["ctbil", "actbil", "dist", "ebil", "il"])
def test_levels_that_were_recoded(tmp_path, engine, name):
    before = original()
    after = GlobalRecoding(2, category="rest").mask(before).microdata
    measure = catalogue.method("measure", name)()
    expected, found = measure.measure(before, after), measure.measure(*sources(tmp_path, before, after), engine=engine)
    assert found.value == pytest.approx(expected.value)
    assert found.sentence == expected.sentence


@pytest.mark.parametrize("k", [2, 7, 40])
def test_equal_keys_tell_missing_codes_numbers_and_sequences_apart(tmp_path, engine, k):
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
    pair = sources(tmp_path, data, data)
    groups = Counter(map(str, frame.rows()))
    for missing in ("category", "any"):
        for name, parameters in (("k-anonymity", {"k": k}), ("uniques", {}), ("individual-risk", {})):
            measure = catalogue.method("measure", name)(missing=missing, **parameters)
            expected, found = measure.measure(data, data), measure.measure(*pair, engine=engine)
            assert found.sentence == expected.sentence
            assert found.details.keys() == expected.details.keys()
            for detail, figure in expected.details.items():
                plain_value = isinstance(figure, float)
                assert found.details[detail] == (pytest.approx(figure) if plain_value else figure), (name, detail)
            if name == "uniques" and missing == "category":
                assert found.details["uniques"] == sum(size == 1 for size in groups.values())
            if name == "k-anonymity":
                assert found.details["combinations"] == len(groups)


@pytest.fixture
def beyond_memory(monkeypatch):
    """Every table is too large for all its records to be compared with all."""
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 10)


def linkage(pair, engine, **parameters):
    return catalogue.method("measure", "distance-linkage")(**parameters).measure(*pair, engine=engine)


@pytest.mark.parametrize("direction", ["worse", "release", "original"])
def test_linkage_of_everybody_is_exact(tmp_path, engine, monkeypatch, direction):
    before, after = original(), masked()
    expected = plain("distance-linkage", before, after, direction=direction)
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 10)
    found = linkage(sources(tmp_path, before, after), engine, direction=direction)
    assert found.value == pytest.approx(expected.value)
    assert found.sentence == expected.sentence
    assert found.details.keys() == expected.details.keys()
    assert found.details["optimistic"] == expected.details["optimistic"]


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_means_of_pairs_are_tied_with_both(tmp_path, engine, monkeypatch, offset):
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Numeric(), "key")])
    x = np.random.default_rng(1).lognormal(size=(200, 2)) + offset
    before = Microdata(pl.DataFrame({"x": x[:, 0], "y": x[:, 1]}), schema)
    after = MDAV(2, decimals="exact").mask(before).microdata
    expected = plain("distance-linkage", before, after)
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 10)
    found = linkage(sources(tmp_path, before, after), engine)
    assert found.value == pytest.approx(expected.value)
    assert 40.0 < found.value <= 50.0, "a stranger may be nearer than both"
    for direction, figures in found.details["directions"].items():
        assert figures["pessimistic"] == 0, "nobody is found alone"
        for name in ("expected", "optimistic", "pessimistic"):
            assert figures[name] == pytest.approx(expected.details["directions"][direction][name])


def test_linkage_of_a_sample_states_its_bound(tmp_path, engine, monkeypatch):
    before, after = original(), MDAV(4).mask(original()).microdata
    expected = plain("distance-linkage", before, after)
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 10)
    monkeypatch.setattr("discreet.measures.risk.linked_sample.SAMPLE", 300)
    found = linkage(sources(tmp_path, before, after), engine)
    low, high = found.details["interval_percent"]
    assert found.details["exact"] is False
    assert found.details["n"] == 300
    assert low < expected.value < high
    assert f"between {low:.1f} and {high:.1f} % with 95 % confidence" in found.sentence
    assert "a sample of 300 of 700 records, each with everybody" in found.sentence
    in_memory = linkage((before, after), MemoryEngine())
    assert (in_memory.value, in_memory.sentence) == (pytest.approx(found.value), found.sentence)


def test_keys_with_other_levels_are_left_out_by_name(tmp_path, engine, beyond_memory):
    before = original()
    after = GlobalRecoding(2, category="rest", attributes=["f"]).mask(before).microdata
    found = linkage(sources(tmp_path, before, after), engine)
    if after.schema["f"].scale == before.schema["f"].scale:
        pytest.fail("the recoding must change the levels")
    assert found.details["left_out"] == ["f"]
    assert found.details["known"] == ["x", "y", "s"]
    assert "Of 4 keys f was left out" in found.sentence
    assert found.value == 100.0


def test_missing_cells_are_values_of_their_own(tmp_path, engine, monkeypatch):
    before = original().to_polars().with_columns(x=pl.when(pl.int_range(N) % 7 == 0).then(None).otherwise(pl.col("x")))
    data = Microdata(before, SCHEMA)
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 10)
    found = linkage(sources(tmp_path, data, data), engine)
    assert found.value == 100.0
    assert "A missing cell counts as a value of its own." in found.sentence


@pytest.mark.parametrize("gap", [False, True])
def test_sequences_of_a_sample(tmp_path, engine, monkeypatch, gap):
    rng = np.random.default_rng(2)
    schema = Schema([Attribute("way", Sequence("abc"), "key")])
    ways = [rng.choice(list("abc"), rng.integers(1, 6)).tolist() for _ in range(60)]
    released = [way if i % 3 else ["c", *way] for i, way in enumerate(ways)]
    if gap:
        released[7] = None
    tables = [Microdata(pl.DataFrame({"way": column}), schema) for column in (ways, released)]
    measure = catalogue.method("measure", "sequence-linkage")()
    expected = None if gap else measure.measure(*tables)
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 10)
    pair = sources(tmp_path, *tables)
    if gap:
        with pytest.raises(MissingValueError, match="'way' has 1 missing values in the two files"):
            measure.measure(*pair, engine=engine)
        return
    found = measure.measure(*pair, engine=engine)
    assert (found.value, found.sentence) == (pytest.approx(expected.value), expected.sentence)


def test_changed_cells(tmp_path, engine):
    before, after = original(), GlobalRecoding(2, category="rest").mask(masked()).microdata
    names = ("x", "f", "w")
    counted = engine.summarise(TablePair(*sources(tmp_path, before, after)), [CountChanged(names)])[0]
    frames = before.to_polars(), after.to_polars()
    assert counted.counts == {n: int((frames[0][n] != frames[1][n]).sum()) for n in names}
