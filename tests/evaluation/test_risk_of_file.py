from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, DiscreetError, ParameterError
from discreet.evaluation import risk_of_file
from discreet.statistics.key_frequencies import benedetti_franconi

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([1, 2, None])), min_size=1, max_size=25)


def frame(rows):
    return pl.DataFrame(rows, schema={"a": pl.String, "b": pl.Int64}, orient="row")


def test_equal_to_sdcmicro_on_its_test_data(data_dir):
    found = dc.risk(data_dir / "sdc" / "testdata.csv", keys=KEYS, weight="sampling_weight", household="ori_hid")
    assert found.n_records == 4580
    assert dict(found.below) == {2: 157, 3: 281, 5: 458}
    assert 100 * found.expected["population"] / 4580 == pytest.approx(0.2353, abs=5e-5)
    assert 100 * found.expected["household"] / 4580 == pytest.approx(1.131, abs=5e-4)
    assert found.population == 458_000
    assert found.chosen == "pitman"
    assert found.value == pytest.approx(100 * max(found.expected.values()) / 4580)
    assert len(found.lines()) <= 40


@settings(max_examples=min(12, settings().max_examples), deadline=None)
@given(ROWS, st.sampled_from([1.0, 0.5, 0.03]))
def test_figures_equal_counting_by_hand(rows, fraction):
    found = dc.risk(frame(rows), keys=["a", "b"], fraction=fraction)
    shared = [rows.count(row) for row in rows]
    assert dict(found.below) == {k: sum(count < k for count in shared) for k in (2, 3, 5)}
    assert found.expected["file"] == pytest.approx(sum(1 / count for count in shared))
    sizes = np.array(shared)
    assert found.expected["population"] == pytest.approx(benedetti_franconi(sizes, sizes / fraction).sum())
    assert found.value == pytest.approx(100 * max(found.expected.values()) / len(rows))
    assert sum(size.records for size in found.sizes) == len(rows)
    assert sum(size.groups for size in found.sizes) == found.groups == len(set(rows))
    assert all(0 <= count <= sum(c == 1 for c in shared) + 1e-9 for count in found.uniques.values())


def test_the_headline_is_that_of_an_assessment_of_the_unmasked_file():
    rng = np.random.default_rng(5)
    people = dc.survey(
        pl.DataFrame({"a": rng.choice(list("pqrs"), 120), "b": rng.choice(list("uvwxyz"), 120)}), keys=["a", "b"]
    )
    assert dc.risk(people).value == pytest.approx(dc.assess(people, people).score.risk)


def test_a_household_is_found_through_any_member():
    people = pl.DataFrame({"sex": list("ffffmmmm"), "job": list("aabbabab"), "home": [1, 1, 2, 2, 3, 3, 4, 4]})
    found = dc.risk(people, keys=["sex", "job"], household="home")
    assert found.expected["file household"] == pytest.approx(8 * (1 - 0.5**2))
    assert found.value == 75.0
    assert "household" in found.sentence


def test_without_a_fraction_it_says_what_needs_one():
    found = dc.risk(frame([("a", 1), ("a", 1), ("b", 2)]), keys=["a", "b"])
    assert found.population is None
    assert not found.uniques
    assert "population" not in found.expected
    assert any("weight" in one.reason for one in found.not_computed)


def test_the_threshold_brings_the_population_down():
    rng = np.random.default_rng(0)
    people = frame(list(zip(rng.choice(list("abc"), 300).tolist(), rng.integers(1, 40, 300).tolist(), strict=True)))
    found = dc.risk(people, keys=["a", "b"], fraction=0.1, wanted=1.0)
    _, place, count = np.unique(people.to_pandas().astype(str).sum(axis=1), return_inverse=True, return_counts=True)
    sizes = count[place]
    risks = benedetti_franconi(sizes, sizes / 0.1)
    assert found.threshold is not None
    assert np.minimum(risks, found.threshold[1] / 100).mean() == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("columns", "keys", "options"),
    [
        ({"a": list("aabc")}, ["a"], {}),
        ({"a": ["x"], "b": [1]}, ["a", "b"], {"fraction": 0.1}),
        ({"a": pl.Series([None] * 5, dtype=pl.String), "b": list("xxyyz")}, ["a", "b"], {"population": 100}),
        ({"a": pl.Series([None] * 5, dtype=pl.String)}, ["a"], {"population": 100}),
        ({f"c{i}": [0, 1, 1, 0, 2, 1] for i in range(200)}, [f"c{i}" for i in range(200)], {"fraction": 0.2}),
        ({"a": [0, 1, 1, 2] * 30, "b": [1, 2, 3] * 40}, ["a", "b"], {"population": 120}),
    ],
    ids=["one key", "one record", "a key without values", "no value at all", "200 keys", "a census"],
)
def test_files_of_strange_shapes(columns, keys, options):
    found = dc.risk(pl.DataFrame(columns), keys=keys, **options)
    assert 0 < found.value <= 100
    assert json.loads(found.to_json())["risk"] == found.value
    assert "Worst case" in repr(found)
    assert found.sentence in repr(found)
    assert "<table" in found._repr_html_()


def test_no_value_is_shown():
    secret = ["Zaphod", "Zaphod", "Zaphod", "Trillian", "Marvin"]
    people = pl.DataFrame({"name": secret, "town": ["Ursa", "Ursa", "Beta", "Beta", "Beta"]})
    found = dc.risk(people, keys=["name", "town"], fraction=0.2)
    for text in (repr(found), found.to_json(), found._repr_html_()):
        assert not any(value in text for value in ("Zaphod", "Trillian", "Marvin", "Ursa", "Beta"))
    assert "town" in repr(found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keys": []}, "at least one"),
        ({"keys": ["zz"]}, "zz"),
        ({"fraction": 0.0}, "fraction"),
        ({"fraction": 0.1, "population": 9}, "not both"),
        ({"population": 1}, "at least the 3 records"),
        ({"population": float("nan")}, "population"),
        ({"wanted": 1.0}, "wanted"),
        ({"wanted": 0.0, "fraction": 0.1}, "wanted"),
        ({"weight": "w"}, "weights"),
        ({"weight": "a"}, "a"),
    ],
)
def test_bad_input(options, message):
    people = pl.DataFrame({"a": list("xyz"), "w": [1.0, -1.0, 2.0]})
    with pytest.raises(DiscreetError, match=message):
        dc.risk(people, **{"keys": ["a"], **options})


def test_no_records():
    with pytest.raises(DataError):
        dc.risk(pl.DataFrame({"a": pl.Series([], dtype=pl.String)}), keys=["a"])


def test_a_table_in_files_gives_the_same(tmp_path):
    rng = np.random.default_rng(3)
    people = pl.DataFrame(
        {"a": rng.choice(list("abcd"), 400), "b": rng.integers(0, 30, 400), "w": rng.uniform(2, 9, 400)}
    )
    people.write_parquet(tmp_path / "people.parquet")
    memory = dc.survey(people, keys=["a", "b"], weight="w", nominal=["b"])
    stored = dc.scan(tmp_path / "people.parquet", memory.schema)
    here, there = (dc.risk(table).to_dict() for table in (memory, stored))
    assert isinstance(memory, Microdata)
    for name in ("risk", "records_below", "group_sizes", "exposure", "dankar"):
        assert here[name] == pytest.approx(there[name]) if name == "risk" else here[name] == there[name]
    assert here["expected_reidentifications"] == pytest.approx(there["expected_reidentifications"])
    assert here["alone_in_population"] == pytest.approx(there["alone_in_population"])
    with pytest.raises(ParameterError, match="keys"):
        dc.risk(stored, keys=["a"])


@pytest.mark.parametrize(("keys", "counted"), [(62, True), (63, False)])
def test_as_many_keys_as_a_number_has_bits_for_are_looked_at_together(keys, counted):
    schema = Schema([Attribute(f"x{j}", Nominal(["a", "b"]), "key") for j in range(keys)])
    measures = risk_of_file._measures(schema, 10, schema.names, None, None, None)
    assert ("suda2" in measures) is counted
