"""Rank swapping, PRAM, coding, recoding, suppression, categories and sequences at scale, against the same in memory."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.data.scales import Nominal, Numeric, Ordinal, Sequence
from discreet.data.schema import Attribute, Schema
from discreet.engines.streaming import StreamingEngine
from discreet.errors import DataError, ParameterError
from discreet.io.stored_parquet import ParquetSource, ParquetTarget
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.masking.microaggregation.records.kmodes import KModes
from discreet.masking.microaggregation.sequences.kshc import KSHC
from discreet.masking.perturbing.pram import PRAM
from discreet.masking.perturbing.swapping import RankSwapping
from discreet.masking.recoding.coding import BottomCoding, TopCoding
from discreet.masking.recoding.global_recoding import GlobalRecoding
from discreet.masking.running.condensed import Lookup
from discreet.masking.withholding.suppression import LocalSuppression

SCHEMA = Schema(
    [
        Attribute("x", Numeric(), "key"),
        Attribute("f", Nominal(list("abcdefg")), "key"),
        Attribute("s", Ordinal(list("pqrst")), "key"),
        Attribute("w", Numeric(), "weight"),
    ]
)


def data(n=3000):
    rng = np.random.default_rng(2)
    x = np.where(rng.random(n) < 0.3, 0.0, rng.normal(size=n))
    return pl.DataFrame(
        {
            "x": [None if d < 0.02 else v for d, v in zip(rng.random(n), x.tolist(), strict=True)],
            "f": rng.choice(list("abcdef"), n, p=[0.5, 0.3, 0.1, 0.05, 0.03, 0.02]),
            "s": rng.choice(list("pqrst"), n),
            "w": rng.uniform(1, 3, n),
        }
    )


def run(folder, table, masker, *, block=400, schema=SCHEMA, batch=501):
    table.write_parquet(folder / "in.parquet", row_group_size=700)
    out = folder / "out.parquet"
    out.unlink(missing_ok=True)
    source = ParquetSource(folder / "in.parquet", schema)
    provenance, released = masker.mask_into(
        source, ParquetTarget(out), StreamingEngine(2, batch=batch), block_size=block
    )
    return pl.read_parquet(out), provenance, released


def ranks_between(column, low, high):
    return int(((column > low) & (column < high)).sum())


def test_rank_swapping_keeps_values_and_windows(tmp_path):
    table = data()
    release, provenance, _ = run(tmp_path, table, RankSwapping(5, random_state=1))
    for name in ("x", "f", "s"):
        assert release[name].drop_nulls().sort().to_list() == table[name].drop_nulls().sort().to_list()
        assert (release[name].is_null() == table[name].is_null()).all()
    before, after = table["x"].drop_nulls().to_numpy(), release["x"].drop_nulls().to_numpy()
    window = provenance.details["window"]["x"]
    assert window == int(0.05 * before.size)
    moved = np.flatnonzero(before != after)
    assert moved.size > 0.4 * before.size
    for i in moved:
        assert ranks_between(before, min(before[i], after[i]), max(before[i], after[i])) < window


def test_one_block_swaps_like_any_other(tmp_path):
    release, _, _ = run(tmp_path, data(), RankSwapping(window=3, random_state=1), block=10_000)
    assert (release["x"] != data()["x"]).mean() > 0.5


@pytest.mark.parametrize("weight", [None, 0.0, -1.0])
def test_unfit_weights_are_refused_as_in_memory(tmp_path, weight):
    table = data()
    table = table.with_columns(w=pl.Series([weight, *table["w"].to_list()[1:]]))
    with pytest.raises(DataError) as in_memory:
        PRAM(0.5).mask(table, SCHEMA)
    with pytest.raises(DataError) as at_scale:
        run(tmp_path, table, PRAM(0.5))
    assert in_memory.value.message == at_scale.value.message
    assert "1 of 3000 weights" in at_scale.value.message


def test_weights_that_are_asked_for_must_be_declared(tmp_path):
    table, schema = data().drop("w"), Schema(a for a in SCHEMA if a.name != "w")
    with pytest.raises(ParameterError) as in_memory:
        MDAV(3, weighted=True, missing="fill", attributes=["x"]).mask(table, schema)
    with pytest.raises(ParameterError) as at_scale:
        run(tmp_path, table, MDAV(3, weighted=True, missing="fill", attributes=["x"]), schema=schema)
    assert in_memory.value.message == at_scale.value.message


def test_pram_draws_from_the_whole_tables_matrix(tmp_path):
    table = data()
    release, provenance, _ = run(tmp_path, table, PRAM(0.5, random_state=1))
    plain = PRAM(0.5, random_state=1).mask(table, SCHEMA).provenance.details["matrices"]
    for name, matrix in provenance.details["matrices"].items():
        assert np.allclose(matrix, plain[name])
    kept = (release["f"] == table["f"]).mean()
    expected = np.mean([provenance.details["kept"]["f"]["abcdefg".index(v)] for v in table["f"].to_list()])
    assert kept == pytest.approx(expected, abs=0.03)
    again, _, _ = run(tmp_path, table, PRAM(0.5, random_state=1), batch=77)
    assert again.equals(release)


@pytest.mark.parametrize(
    "masker", [GlobalRecoding(3), GlobalRecoding(2, category="other"), GlobalRecoding(9, weighted=False)]
)
def test_recoding_is_that_of_memory(tmp_path, masker):
    release, _, released = run(tmp_path, data(), masker)
    plain = masker.mask(data(), SCHEMA).microdata
    assert release.equals(plain.to_polars())
    assert released == plain.schema


@pytest.mark.parametrize(
    "masker",
    [
        TopCoding(2, share=0.1),
        TopCoding(1, threshold=1.0, replacement="mean"),
        TopCoding(2, share=0.05, replacement="median", category="high"),
        BottomCoding(1, share=0.2, replacement="median"),
        BottomCoding(1, share=0.6),
    ],
    ids=repr,
)
def test_coding_is_that_of_memory(tmp_path, masker):
    release, _, released = run(tmp_path, data(), masker)
    plain = masker.mask(data(), SCHEMA).microdata
    assert release.drop("x").equals(plain.to_polars().drop("x"))
    assert np.allclose(release["x"].to_numpy(), plain.to_polars()["x"].to_numpy(), equal_nan=True)
    assert released == plain.schema


@pytest.mark.parametrize("k", [3, 40, 400])
def test_suppression_meets_k(tmp_path, k):
    table = data()
    masker = LocalSuppression(k, attributes=["f", "s"])
    release, provenance, _ = run(tmp_path, table, masker)
    assert release.group_by("f", "s").len()["len"].min() >= k
    for name in ("f", "s"):
        assert ((release[name] == table[name]) | release[name].is_null()).all()
        assert provenance.details["suppressed"][name] == release[name].null_count()


def test_suppression_with_diversity(tmp_path):
    schema = Schema([SCHEMA["f"], Attribute("s", SCHEMA["s"].scale, "confidential")])
    table = data().select("f", "s").with_columns(s=pl.when(pl.col("f") == "f").then(pl.lit("p")).otherwise(pl.col("s")))
    release, _, _ = run(tmp_path, table, LocalSuppression(5, l=2), schema=schema)
    assert release.group_by("f").agg(pl.col("s").n_unique())["s"].min() >= 2


def test_categories_are_grouped_by_their_counts(tmp_path):
    table, masker = data(), KModes(140, weighted=False, random_state=1)
    release, provenance, _ = run(tmp_path, table, masker, block=2900)
    assert release.group_by("f", "s").len()["len"].min() >= 140
    assert provenance.details["blocks"][0]["different_records"] == table.select("f", "s").n_unique()
    assert (release["f"] == table["f"]).mean() > 0.5
    plain = masker.mask(table, SCHEMA).microdata.to_polars()
    # The same groups: a combination that occurs k times stands for itself in both.
    assert (release["f"] == plain["f"]).mean() > 0.9
    smaller, _, _ = run(tmp_path, table, masker, block=600)
    assert smaller.group_by("f", "s").len()["len"].min() >= 140


def test_sequences_are_those_of_memory(tmp_path):
    rng = np.random.default_rng(3)
    trips = [" ".join(rng.choice(list("abc"), size)) for size in rng.integers(1, 4, 400)]
    schema = Schema([Attribute("trip", Sequence(list("abc"), delimiter=" "), "key")])
    table = pl.DataFrame({"trip": trips})
    masker = KSHC(4)
    release, _, _ = run(tmp_path, table, masker, schema=schema)
    assert release.group_by("trip").len()["len"].min() >= 4
    plain = masker.mask(table.sort("trip"), schema).microdata.to_polars()
    assert release["trip"].n_unique() == pytest.approx(plain["trip"].n_unique(), abs=3)


def test_strata_and_generators_are_those_of_memory(tmp_path):
    masker = PRAM(0.3, strata=["s"], attributes=["f"], random_state=3)
    release, provenance, _ = run(tmp_path, data(), masker)
    plain = masker.mask(data(), SCHEMA)
    assert release.equals(plain.microdata.to_polars())
    assert provenance.details["by_stratum"] == plain.provenance.details["by_stratum"]
    drawn = [PRAM(0.3, random_state=np.random.default_rng(1)) for _ in range(2)]
    assert run(tmp_path, data(), drawn[0])[0].equals(drawn[1].mask(data(), SCHEMA).microdata.to_polars())


def test_a_lookup_refuses_what_it_never_saw():
    table = data()
    from discreet.data.microdata import microdata

    lookup = Lookup.of({"f": np.array([0, 1], dtype=np.int32)}, {"f": np.array([1, 1], dtype=np.int32)})
    with pytest.raises(DataError, match="were not there when the table was counted"):
        lookup(microdata(table, SCHEMA))


def test_columns_with_values_too_few_for_every_block_are_refused(tmp_path):
    table = data().with_columns(x=pl.Series([1.0, 2.0, 3.0] + [None] * 2997))
    with pytest.raises(DataError, match="'x' has 3 values; it takes"):
        run(tmp_path, table, RankSwapping(50, random_state=1))
    # Thirty are enough for one part, and leave some of eight with a value alone, which would stay as it is.
    table = data().with_columns(x=pl.Series([float(j) for j in range(30)] + [None] * 2970))
    with pytest.raises(DataError, match="'x' has 30 values; it takes 160"):
        run(tmp_path, table, RankSwapping(50, random_state=1))
    few = data(40).with_columns(x=pl.Series([float(j) for j in range(10)] + [None] * 30))
    assert run(tmp_path, few, RankSwapping(50, random_state=1))[0]["x"].drop_nulls().len() == 10
