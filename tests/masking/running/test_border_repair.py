"""Guarantees of microaggregation at scale, for small blocks."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from discreet import catalogue
from discreet.data.encoded_rows import ROW
from discreet.data.scales import Nominal, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.engines.streaming import StreamingEngine
from discreet.errors import ParameterError
from discreet.io.stored_parquet import ParquetSource, ParquetTarget
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.masking.microaggregation.numbers.univariate import IndividualRanking
from discreet.masking.microaggregation.numbers.vmdav import VMDAV
from discreet.masking.microaggregation.records.mixed_mdav import MixedMDAV
from discreet.masking.running.border_repair import centres_of, number_scaling, settled
from discreet.masking.running.space_partition import build_partition, cut_at_medians, cut_groups

SCHEMA = Schema([Attribute(name, Numeric(), "key") for name in ("x", "y", "z")])


def masked(folder, table, masker, schema=SCHEMA, *, block, workers=1, batch=1000):
    table.write_parquet(folder / "in.parquet", row_group_size=333)
    out = folder / "out.parquet"
    out.unlink(missing_ok=True)
    engine = StreamingEngine(workers, batch=batch)
    provenance, _ = masker.mask_into(
        ParquetSource(folder / "in.parquet", schema), ParquetTarget(out), engine, block_size=block
    )
    return pl.read_parquet(out), provenance


def numbers(n, seed=0, ties=0.0):
    rng = np.random.default_rng(seed)
    x = np.exp(rng.normal(size=(n, 3)))
    x[rng.random((n, 3)) < ties] = 0.0
    return pl.DataFrame({name: x[:, j] for j, name in enumerate("xyz")})


def smallest(table, names=("x", "y", "z")):
    return table.group_by(list(names)).len()["len"].min()


@settings(max_examples=min(15, settings().max_examples), phases=[Phase.explicit, Phase.generate])
@given(
    n=st.integers(10, 700),
    k=st.integers(2, 6),
    factor=st.integers(4, 30),
    ties=st.sampled_from([0.0, 0.5, 1.0]),
    seed=st.integers(0, 5),
)
def test_every_group_has_k_records_for_any_block_size(tmp_path_factory, n, k, factor, ties, seed):
    table = numbers(n, seed, ties)
    k = min(k, n)
    folder = tmp_path_factory.mktemp("blocks")
    release, _ = masked(folder, table, MDAV(k, random_state=seed), block=factor * k)
    assert smallest(release) >= k
    # The mean of a group keeps the mean of the table.
    assert np.allclose(release.mean().to_numpy(), table.mean().to_numpy())


def test_one_block_is_the_plain_method(tmp_path):
    table = numbers(400)
    release, provenance = masked(tmp_path, table, MDAV(4), block=1000)
    plain = MDAV(4).mask(table, SCHEMA)
    assert release.equals(plain.microdata.to_polars())
    assert provenance.details == plain.provenance.details


def test_workers_and_batches_change_nothing(tmp_path):
    table = numbers(2000)
    first, _ = masked(tmp_path, table, MDAV(5, random_state=3), block=200)
    second, _ = masked(tmp_path, table, MDAV(5, random_state=3), block=200, workers=3, batch=77)
    assert first.equals(second)
    other, _ = masked(tmp_path, table, MDAV(5, random_state=4), block=200)
    assert not first.equals(other)


@pytest.mark.parametrize("block", [200, 500])
def test_repaired_borders_lose_little(tmp_path, block):
    table = numbers(4000)
    x = table.to_numpy()

    def loss(release):
        return (((release.to_numpy() - x) ** 2).sum(axis=0) / ((x - x.mean(axis=0)) ** 2).sum(axis=0)).mean()

    whole = loss(MDAV(5).mask(table, SCHEMA).microdata.to_polars())
    release, _ = masked(tmp_path, table, MDAV(5, random_state=1), block=block)
    assert loss(release) < 1.02 * whole


@pytest.mark.parametrize(
    "masker",
    [
        VMDAV(4),
        IndividualRanking(4),
        MDAV(4, blocks=[["x", "y"], ["z"]], random_state=1),
        MDAV(4, missing="fill", random_state=1),
    ],
)
def test_other_numeric_methods(tmp_path, masker):
    table = numbers(900)
    if getattr(masker, "missing", "") == "fill":
        table = table.with_columns(x=pl.when(pl.int_range(900) % 50 == 0).then(None).otherwise(pl.col("x")))
    release, _ = masked(tmp_path, table, masker, block=100)
    names = ["z"] if masker.blocks or isinstance(masker, IndividualRanking) else ["x", "y", "z"]
    assert smallest(release, names) >= 4
    assert release["x"].null_count() == 0


def test_missing_patterns_stay(tmp_path):
    table = numbers(600).with_columns(x=pl.when(pl.int_range(600) % 3 == 0).then(None).otherwise(pl.col("x")))
    release, _ = masked(tmp_path, table, MDAV(3, missing="pattern", random_state=1), block=60)
    assert smallest(release) >= 3
    assert (release["x"].is_null() | table["x"].is_not_null()).all()


def test_mixed_records(tmp_path):
    rng = np.random.default_rng(1)
    table = numbers(800).with_columns(fuel=pl.Series(rng.choice(["gas", "oil", "sun"], 800)))
    schema = Schema([*SCHEMA.attributes, Attribute("fuel", Nominal(["gas", "oil", "sun"]), "key")])
    release, _ = masked(tmp_path, table, MixedMDAV(4, random_state=1), schema, block=100)
    assert smallest(release, ["x", "y", "z", "fuel"]) >= 4
    assert (release["fuel"] == table["fuel"]).mean() > 0.6


def test_blocks_must_hold_four_groups(tmp_path):
    with pytest.raises(ParameterError, match="block_size must be at least 4k = 40; got 39"):
        masked(tmp_path, numbers(100), MDAV(10), block=39)


@pytest.mark.parametrize("block", [60, 150])
def test_strata_are_grouped_each_for_itself(tmp_path, block):
    fuels = np.random.default_rng(3).choice(["gas", "oil"], 300, p=[0.7, 0.3])
    table = numbers(300).with_columns(fuel=pl.Series(fuels))
    schema = Schema([*SCHEMA.attributes, Attribute("fuel", Nominal(["gas", "oil"]), "other")])
    release, provenance = masked(tmp_path, table, MDAV(3, strata=["fuel"]), schema, block=block)
    assert release["fuel"].to_list() == table["fuel"].to_list()
    assert smallest(release, ("fuel", "x", "y", "z")) >= 3
    for name in ("x", "y", "z"):
        # A mean of rounded means: no value crosses from one stratum into another.
        means = [
            one.group_by("fuel").agg(pl.col(name).mean()).sort("fuel")[name].to_numpy() for one in (table, release)
        ]
        assert np.allclose(*means, rtol=1e-3)
    spaces = [stratum["space"][0] for stratum in provenance.details["by_stratum"]]
    assert [space["repairs"] for space in spaces] == ([2, 2] if block == 60 else [2, 0])


@settings(max_examples=min(30, settings().max_examples))
@given(st.integers(1, 600), st.integers(8, 100), st.integers(0, 3), st.booleans())
def test_partitions_send_every_point_to_one_block(n, size, seed, oblique):
    points = np.random.default_rng(seed).normal(size=(n, 2)).round(seed)
    rng = np.random.default_rng(9) if oblique else None
    partition = build_partition(points, n, size, rng)
    leaves = partition.leaves_of(points)
    counts = np.bincount(leaves, minlength=len(partition.deals))
    least = max(1, size // 4)
    fitted = partition.fitted(counts, least, size)
    blocks = fitted.blocks_of(points, np.arange(n))
    found = np.bincount(blocks, minlength=fitted.blocks)
    assert blocks.min() >= 0
    assert found.size == fitted.blocks
    assert found.min() >= min(least, n)


def test_a_crowd_of_equal_records_is_dealt_out():
    points = np.zeros((50_000, 2))
    partition = build_partition(points, 50_000, 1000)
    fitted = partition.fitted(np.array([50_000]), 10, 1000)
    counts = np.bincount(fitted.blocks_of(points, np.arange(50_000)))
    assert fitted.blocks == counts.size == 50_000 // 850 + 1
    assert counts.max() <= 1000


@given(st.integers(1, 300), st.integers(8, 64))
def test_cuts_in_memory_are_balanced(n, size):
    points = np.random.default_rng(n).normal(size=(n, 2))
    parts = cut_at_medians(points, size)
    assert np.sort(np.concatenate(parts)).tolist() == list(range(n))
    assert max(part.size for part in parts) <= size
    assert len(parts) == 1 or min(part.size for part in parts) >= size // 2
    groups = cut_groups(points, np.full(n, 3), 3 * size)
    assert max(3 * part.size for part in groups) <= 3 * size


def test_positions_are_part_of_the_contract():
    assert ROW == "#row"


@pytest.mark.parametrize("block", [400, 2000])
def test_groups_that_lack_the_same_cells_survive_the_repair_of_borders(tmp_path, block):
    rng = np.random.default_rng(3)
    x = rng.lognormal(size=(4000, 3))
    x[rng.random(x.shape) < 0.004] = np.nan
    table = pl.DataFrame({name: x[:, j] for j, name in enumerate("xyz")}).fill_nan(None)
    release, _ = masked(tmp_path, table, MDAV(10, missing="pattern", random_state=1), block=block)
    assert smallest(release) >= 10


@pytest.mark.parametrize("name", ["vmdav", "mhm", "ward", "projection"])
def test_methods_without_a_seed_give_one_file_for_one_table(tmp_path, name):
    table, cls = numbers(900), catalogue.method("masker", name)
    releases = [masked(tmp_path, table, cls(k=3), block=100, workers=workers)[0] for workers in (1, 2)]
    assert releases[0].equals(releases[1])


def test_patterns_of_too_few_take_their_cells_from_others(tmp_path):
    """Two records lack y: a third loses it, so that what is released lacks the same cells at least three times."""
    table = numbers(400).with_columns(y=pl.when(pl.int_range(400).is_in([5, 7])).then(None).otherwise(pl.col("y")))
    release, _ = masked(tmp_path, table, MDAV(3, missing="pattern", random_state=1), block=60)
    assert smallest(release) >= 3
    assert release["y"].is_null()[5]
    assert release["y"].is_null()[7]
    for names in (["y"], ["x"], ["z"]):
        absent = release.filter(pl.col(names[0]).is_null()).height
        assert absent == 0 or absent >= 3
    assert release["y"].null_count() > 2


@pytest.mark.parametrize(
    ("how", "middle", "spread"),
    [
        ("zscore", [4.0, 1.0, 7.0, 0.0], [np.sqrt(6.0), np.sqrt(2 / 3), 1.0, 1.0]),
        ("range", [1.0, 0.0, 7.0, 0.0], [6.0, 2.0, 1.0, 1.0]),
        ("robust", [4.0, 1.0, 7.0, 0.0], [3.0, 1.0, 1.0, 1.0]),
        ("none", [4.0, 1.0, 7.0, 0.0], [1.0, 1.0, 1.0, 1.0]),
    ],
)
def test_scalings_of_a_sample(how, middle, spread):
    """Numbers 1, 4 and 7, codes 0 to 2, a constant, and nothing at all; a missing one counts nowhere."""
    sample = {
        "numbers": np.array([7.0, np.nan, 1.0, 4.0]),
        "codes": np.array([2, 0, -1, 1], dtype=np.int32),
        "constant": np.array([7.0, 7.0, np.nan, 7.0]),
        "nothing": np.full(4, np.nan),
    }
    scaling = number_scaling(sample, tuple(sample), how)
    assert scaling.names == tuple(sample)
    assert scaling.middle.tolist() == pytest.approx(middle)
    assert scaling.spread.tolist() == pytest.approx(spread)
    points = scaling.points(sample)
    assert points[:, 0] == pytest.approx((sample["numbers"] - middle[0]) / spread[0], nan_ok=True)
    assert points[:, 1] == pytest.approx((np.array([2, 0, np.nan, 1]) - middle[1]) / spread[1], nan_ok=True)


def test_numbers_that_agree_but_for_one_have_their_deviation_as_robust_spread():
    scaling = number_scaling({"x": np.array([5.0] * 9 + [15.0])}, ("x",), "robust")
    assert (scaling.middle[0], scaling.spread[0]) == (5.0, pytest.approx(3.0))


def test_centres_are_means_and_settling_moves_records_to_the_nearer_group():
    points = np.array([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]])
    wrong = np.array([0, 0, 1, 1, 1, 0])
    assert centres_of(points, wrong).ravel() == pytest.approx([9.3 / 3, 18.3 / 3])
    better = settled(points, 3, wrong, 0)
    assert better[0] == better[1] == better[2] != better[3]
    assert better[3] == better[4] == better[5]
    one = np.zeros(6, np.int64)
    assert settled(points, 3, one, 0) is one
    lacking = np.where(points == 9.0, np.nan, points)
    assert settled(lacking, 3, wrong, 0) is wrong


def test_too_many_columns_at_once_are_refused(tmp_path):
    names = [f"x{j}" for j in range(63)]
    table = pl.DataFrame({name: np.arange(80.0) for name in names})
    schema = Schema([Attribute(name, Numeric(), "key") for name in names])
    with pytest.raises(ParameterError, match="MDAV: 63 attributes are masked together; at most 62 can be"):
        masked(tmp_path, table, MDAV(3), schema, block=40)
    release, _ = masked(tmp_path, table.drop("x62"), MDAV(3), schema.select(names[:62]), block=40)
    assert smallest(release, names[:62]) >= 3


def test_details_say_how_space_was_cut(tmp_path):
    table = numbers(300)
    _, provenance = masked(tmp_path, table, MDAV(3, blocks=[["x", "y"], ["z"]]), block=100)
    space = provenance.details["space"]
    assert [(part["attributes"], part["repairs"]) for part in space] == [(["x", "y"], 2), (["z"], 2)]
    assert all(part["blocks"] >= 3 for part in space)
    assert provenance.details["joint"] is False
    assert "Groups of 3 hold within each of 2 blocks of attributes." in provenance.notes
