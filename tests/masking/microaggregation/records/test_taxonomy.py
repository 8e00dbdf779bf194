from __future__ import annotations

import csv
from collections import Counter
from math import log2

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.engines.streaming import StreamingEngine
from discreet.errors import ParameterError
from discreet.io.stored_parquet import ParquetSource, ParquetTarget
from discreet.masking.microaggregation.records.taxonomy import taxonomy_distances

FUELS = dc.Hierarchy(
    [["gas", "fossil", "any"], ["oil", "fossil", "any"], ["sun", "renewable", "any"], ["wind", "renewable", "any"]]
)
LEVELS = ("gas", "oil", "sun", "wind")


def twin(rows, a, b, kind):
    """By the definitions, on sets of names."""
    one, other = ({row[i:] for i in range(len(row)) if i == 0 or row[i] != row[i - 1]} for row in (rows[a], rows[b]))
    both = one & other
    if kind == "wu-palmer":
        return 1 - 2 * len(both) / (len(one) + len(other))
    return log2(1 + len(one ^ other) / len(one | other))


@pytest.mark.parametrize("kind", ["wu-palmer", "log"])
@given(names=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=8))
def test_distances_are_those_of_the_twin(kind, names):
    # Level i under a and b; a name holds those above it, so that it has one name above.
    rows = [(f"l{i}", f"{b}{a}", f"{b}", "any") for i, (a, b) in enumerate(names)]
    table = taxonomy_distances(dc.Hierarchy(rows), [row[0] for row in rows], kind)
    by_name = {row[0]: row for row in rows}
    for i in range(len(rows)):
        for j in range(len(rows)):
            assert table[i, j] == pytest.approx(twin(by_name, f"l{i}", f"l{j}", kind))
    assert table.min() >= 0
    assert table.max() <= 1


def test_depths_by_hand():
    table = taxonomy_distances(FUELS, LEVELS)
    assert table[0, 1] == pytest.approx(1 - 2 * 2 / 6)  # fossil is the second name from the top, gas and oil the third
    assert table[0, 2] == pytest.approx(1 - 2 * 1 / 6)
    assert taxonomy_distances(FUELS, LEVELS, "log")[0, 2] == pytest.approx(log2(1 + 4 / 5))


def test_rows_without_a_common_name_have_one_above_and_repeated_names_count_once():
    apart = dc.Hierarchy([["gas", "fossil"], ["oil", "fossil"], ["sun", "sun"]])
    table = taxonomy_distances(apart, ("gas", "oil", "sun"))
    assert table[0, 2] == pytest.approx(1 - 2 * 1 / (3 + 2))


def table_of(levels, numbers=None):
    attributes = [Attribute("fuel", Nominal(LEVELS), "key")]
    columns = {"fuel": list(levels)}
    if numbers is not None:
        attributes.append(Attribute("rent", Numeric(), "key"))
        columns["rent"] = list(numbers)
    return dc.microdata(columns, Schema(attributes))


def test_groups_are_formed_by_meaning():
    """Two gas, two oil, two sun, two wind: alike or different alone tears fossil fuels apart, meaning does not."""
    data = table_of(["gas", "sun", "oil", "wind", "gas", "sun", "oil", "wind"])
    groups = dc.MixedMDAV(4, taxonomies={"fuel": FUELS}).mask(data).labels
    fossil = np.array([0, 2, 4, 6])
    assert len(set(groups[fossil].tolist())) == 1
    assert len(set(groups.tolist())) == 2


@pytest.mark.parametrize("kind", ["wu-palmer", "log"])
def test_k_holds_in_the_written_file_and_the_loss_of_meaning_is_less(kind, tmp_path):
    draws = np.random.default_rng(1)
    columns = {name: draws.choice(LEVELS, 120, p=[0.4, 0.3, 0.2, 0.1]).tolist() for name in ("cook", "heat", "wash")}
    data = dc.microdata(columns, Schema([Attribute(name, Nominal(LEVELS), "key") for name in columns]))
    far = taxonomy_distances(FUELS, LEVELS, kind)

    def loss(masked):
        return sum(far[data.encoded(name), masked.microdata.encoded(name)].sum() for name in columns)

    by_meaning = dc.MixedMDAV(5, taxonomies=dict.fromkeys(columns, FUELS), taxonomy_distance=kind).mask(data)
    assert loss(by_meaning) < loss(dc.MixedMDAV(5).mask(data))
    dc.write(by_meaning, tmp_path / "released.csv")
    with (tmp_path / "released.csv").open(newline="") as file:
        assert min(Counter(tuple(row.values()) for row in csv.DictReader(file)).values()) >= 5


def test_an_operator_that_is_named_comes_first():
    data = table_of(["gas", "gas", "oil", "sun", "sun", "wind"])
    masked = dc.MixedMDAV(3, taxonomies={"fuel": FUELS}, operators="fuel=mode").mask(data)
    assert set(masked.microdata.column("fuel").to_pylist()) == {"gas", "sun"}


def test_a_protocol_holds_the_rows_and_a_file_its_path(tmp_path):
    rows = [list(row) for row in FUELS.rows.values()]
    from discreet import catalogue

    built = catalogue.build("masker", "mixed-mdav", {"k": 3, "taxonomies": {"fuel": rows}})
    data = table_of(["gas", "oil", "sun", "wind"] * 3)
    expected = dc.MixedMDAV(3, taxonomies={"fuel": FUELS}).mask(data).labels
    assert built.mask(data).labels.tolist() == expected.tolist()
    (tmp_path / "fuel.csv").write_text("\n".join(";".join(row) for row in rows) + "\n")
    typed = catalogue.build("masker", "mixed-mdav", {"taxonomies": f"fuel={tmp_path / 'fuel.csv'}"}, typed=True)
    assert typed.mask(data).labels.tolist() == expected.tolist()


def test_what_cannot_be_measured_is_refused():
    data = table_of(["gas", "oil", "sun", "wind"] * 3, np.arange(12.0))
    short = dc.Hierarchy([["gas", "any"], ["oil", "any"]])
    for trees, words in (
        ({"fuel": short}, "of 'fuel', 2 of 4 levels have no row"),
        ({"town": FUELS}, "taxonomies names 'town', which is not masked"),
        ({"rent": FUELS}, "unordered categories; 'rent' is numeric"),
    ):
        with pytest.raises(ParameterError, match=words):
            dc.MixedMDAV(3, taxonomies=trees).mask(data)
    ordered = Schema([Attribute("g", Ordinal(LEVELS), "key")])
    with pytest.raises(ParameterError, match="'g' is ordinal"):
        dc.MixedMDAV(3, taxonomies={"g": FUELS}).mask(dc.microdata({"g": ["gas", "oil", "sun", "wind"]}, ordered))


@pytest.mark.parametrize("block_size", [None, 48])
def test_the_release_does_not_depend_on_the_engine(block_size, tmp_path):
    draws = np.random.default_rng(7)
    data = table_of(draws.choice(LEVELS, 150), draws.integers(1, 40, 150).astype(float))
    pq.write_table(data.to_arrow(), tmp_path / "in.parquet", row_group_size=37)
    masker = dc.MixedMDAV(4, taxonomies={"fuel": FUELS}, random_state=1)
    expected = masker.mask(data, block_size=block_size).microdata.to_arrow()
    source = ParquetSource(tmp_path / "in.parquet", data.schema)
    masker.clone().mask_into(source, ParquetTarget(tmp_path / "out"), StreamingEngine(2, batch=29), block_size)
    assert pq.read_table(tmp_path / "out").to_pydict() == expected.to_pydict()
