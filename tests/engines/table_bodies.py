"""The checks that every table engine must pass: one body, run by each engine's own test file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

from discreet.data.encoded_rows import MASKED, ROW
from discreet.data.keyed_draws import Draws
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.engines.streaming import StreamingEngine
from discreet.errors import DataError, MissingValueError, ParameterError
from discreet.io.stored_parquet import ParquetSource, ParquetTarget
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.masking.microaggregation.records.balanced import BalancedKModes
from discreet.masking.microaggregation.records.kmodes import KModes
from discreet.masking.perturbing.pram import PRAM
from discreet.masking.perturbing.swapping import RankSwapping
from discreet.masking.recoding.coding import TopCoding
from discreet.masking.withholding.suppression import LocalSuppression

N = 1200
SCHEMA = Schema(
    [
        Attribute("person", Numeric(), "identifier"),
        Attribute("wage", Numeric(), "key"),
        Attribute("age.years", Numeric(), "key"),
        Attribute("fuel", Nominal(["gas", "oil", "sun", "wood"]), "key"),
        Attribute("size", Ordinal(["s", "m", "l"]), "key"),
        Attribute("weight", Numeric(), "weight"),
        Attribute("remark", Nominal(["x", "y"]), "other"),
    ]
)


def frame(n: int = N) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    fuel = [None if d < 0.03 else v for d, v in zip(rng.random(n), rng.choice(["gas", "oil", "sun"], n), strict=True)]
    return pl.DataFrame(
        {
            "person": np.arange(n) + 10_000,
            "wage": np.exp(rng.normal(size=n)),
            "age.years": rng.integers(18, 90, n),
            "fuel": fuel,
            "size": rng.choice(["s", "m", "l"], n, p=[0.6, 0.3, 0.1]),
            "weight": rng.uniform(1, 5, n),
            "remark": rng.choice(["x", "y"], n),
        }
    )


def written(folder, table: pl.DataFrame | None = None) -> ParquetSource:
    """Two files with row groups of odd sizes: positions must not depend on either."""
    table = frame() if table is None else table
    folder.mkdir(exist_ok=True)
    table.head(500).write_parquet(folder / "a.parquet", row_group_size=170)
    table.tail(len(table) - 500).write_parquet(folder / "b.parquet", row_group_size=400)
    return ParquetSource(folder, SCHEMA)


def read(path) -> pl.DataFrame:
    return pl.read_parquet(str(path) + "/*.parquet" if path.is_dir() else path)


@dataclass(frozen=True)
class Double:
    def __call__(self, block):
        return {ROW: block[ROW], "twice": 2.0 * block["wage"]}


@dataclass(frozen=True)
class Part:
    def __call__(self, block):
        return {**block, "part": block[ROW] % 7}


@dataclass(frozen=True)
class Whole:
    """Every record with how many share its block, and the block's smallest position."""

    def __call__(self, block):
        assert len(set(block["part"].tolist())) == 1
        n = len(block[ROW])
        first = np.full(n, block[ROW].min())
        return {ROW: block[ROW], "size": np.full(n, n, dtype=np.int64), "first": first}


@dataclass(frozen=True)
class Total:
    def __call__(self, block):
        return {"n": np.array([len(block[ROW])]), "wage": np.array([block["wage"].sum()])}


@dataclass(frozen=True)
class Fail:
    def __call__(self, block):
        raise ValueError(f"secret {block['wage'][0]}")


@dataclass(frozen=True)
class Refuse:
    def __call__(self, _block):
        raise DataError("This block cannot be masked.", hint="Try another.")


MASKERS = [
    (MDAV(5, random_state=7), 200),
    (RankSwapping(10, random_state=7), 300),
    (PRAM(0.4, random_state=7), 300),
    (KModes(150, random_state=7), 700),
    (LocalSuppression(20, attributes=["fuel", "size"]), 300),
    (TopCoding(1, share=0.1, attributes=["wage", "size"]), 300),
]


class TableBodies:
    """Subclasses give the fixture `engine`."""

    @pytest.fixture
    def source(self, tmp_path):
        return written(tmp_path / "in")

    def test_columns_come_encoded_with_their_positions(self, engine, source):
        block = engine.collect(engine.open(source, ["wage", "age.years", "fuel"]))
        table = frame()
        assert block[ROW].tolist() == list(range(N))
        assert block["wage"].tolist() == table["wage"].to_list()
        assert block["age.years"].tolist() == table["age.years"].to_list()
        levels = ["gas", "oil", "sun", "wood"]
        assert block["fuel"].tolist() == [-1 if v is None else levels.index(v) for v in table["fuel"].to_list()]

    def test_functions_run_on_all_records_and_on_whole_blocks(self, engine, source):
        rows = engine.open(source, ["wage"])
        doubled = engine.collect(engine.apply(rows, Double(), {ROW: "int", "twice": "float"}))
        assert doubled["twice"].tolist() == (2 * frame()["wage"].to_numpy()).tolist()
        parts = engine.apply(rows, Part(), {ROW: "int", "wage": "float", "part": "int"})
        found = engine.collect(engine.split(parts, "part", 7, Whole(), {ROW: "int", "size": "int", "first": "int"}))
        assert found[ROW].tolist() == list(range(N))
        assert found["first"].tolist() == [i % 7 for i in range(N)]
        assert found["size"].tolist() == [len(range(i % 7, N, 7)) for i in range(N)]

    def test_counts_of_keys_and_weights(self, engine, source):
        found = engine.collect(
            engine.count(engine.open(source, ["fuel", "size", "weight"]), ["fuel", "size"], "weight")
        )
        table = frame()
        pairs = list(zip(table["fuel"].to_list(), table["size"].to_list(), strict=True))
        assert sorted(found["#count"].tolist()) == sorted(Counter(pairs).values())
        assert found["#total"].sum() == pytest.approx(table["weight"].sum())

    def test_grouping_sets(self, engine, source):
        sets = [["fuel"], ["size"], ["fuel", "size"]]
        found = engine.count_sets(engine.open(source, ["fuel", "size"]), sets)
        table = frame()
        for names, block in zip(sets, found, strict=True):
            naive = Counter(zip(*(table[name].to_list() for name in names), strict=True))
            assert block["#count"].sum() == N
            assert sorted(block["#count"].tolist()) == sorted(naive.values())
        assert found[1]["size"].tolist() == [0, 1, 2]
        assert found[1]["#count"].tolist() == [int((table["size"] == s).sum()) for s in ("s", "m", "l")]

    def test_a_sample_is_that_of_the_smallest_draws(self, engine, source):
        found = engine.sample(engine.open(source, ["wage"]), 100, N, seed=3)
        expected = np.sort(np.argsort(Draws.of(3, None, "sample").uniform(np.arange(N)))[:100])
        assert found[ROW].tolist() == expected.tolist()

    def test_sums_in_one_pass(self, engine, source):
        found = engine.fold(engine.open(source, ["wage"]), Total())
        assert found["n"].tolist() == [N]
        assert found["wage"][0] == pytest.approx(frame()["wage"].sum())

    def test_columns_side_by_side(self, engine, source):
        parts = [engine.open(source, ["wage"]), engine.open(source, ["fuel"])]
        both = engine.collect(engine.beside(parts, {ROW: "int", "wage": "float", "fuel": "code"}))
        assert both["wage"].tolist() == frame()["wage"].to_list()
        pair = engine.collect(engine.pair(source, source, ["wage"]))
        assert pair["wage" + MASKED].tolist() == pair["wage"].tolist()

    def test_an_error_of_ours_arrives_as_it_is(self, engine, source):
        rows = engine.open(source, ["wage"])
        with pytest.raises(DataError, match="This block cannot be masked") as caught:
            engine.collect(engine.apply(rows, Refuse(), {ROW: "int"}))
        assert caught.value.hint == "Try another."

    def test_missing_values_are_refused_by_name_and_count(self, engine, tmp_path):
        table = frame().with_columns(wage=pl.when(pl.int_range(N) == 3).then(None).otherwise(pl.col("wage")))
        with pytest.raises(MissingValueError, match="'wage' has 1 missing value of 1200"):
            MDAV(5).mask_into(written(tmp_path / "gap", table), ParquetTarget(tmp_path / "out"), engine)
        assert not (tmp_path / "out").exists()

    def test_a_method_that_needs_all_records_says_so(self, engine, source, tmp_path):
        masker = BalancedKModes(3)
        with pytest.raises(ParameterError, match="BalancedKModes: the method needs all records at once") as caught:
            masker.mask_into(source, ParquetTarget(tmp_path / "out"), engine, 300)
        assert "use kmodes" in caught.value.hint
        assert not (tmp_path / "out").exists()

    @pytest.mark.parametrize(("masker", "block"), MASKERS, ids=lambda v: getattr(v, "name", ""))
    def test_every_engine_gives_the_same_release(self, engine, source, tmp_path, masker, block):
        before = [(file.name, file.read_bytes()) for file in sorted((tmp_path / "in").iterdir())]
        masker.mask_into(source, ParquetTarget(tmp_path / "out"), engine, block_size=block)
        assert [(file.name, file.read_bytes()) for file in sorted((tmp_path / "in").iterdir())] == before
        local = StreamingEngine(1, batch=N)
        masker.mask_into(source, ParquetTarget(tmp_path / "one.parquet"), local, block_size=block)
        release, expected = read(tmp_path / "out"), read(tmp_path / "one.parquet")
        assert release.equals(expected)
        assert release.columns == [c for c in frame().columns if c != "person"]
        assert release["remark"].to_list() == frame()["remark"].to_list()
        assert not release.drop("remark", "weight").equals(frame().drop("person", "remark", "weight"))
        if masker.groups:
            names = masker.columns_for(SCHEMA)
            assert release.group_by(list(names)).len()["len"].min() >= masker.k
