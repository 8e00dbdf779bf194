"""Households are masked once; what joins tables goes on joining them."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import workflow
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, FileError, ParameterError, SchemaError, UnknownNameError
from discreet.masking.running.units import unit_labels
from discreet.release import households
from discreet.release.protocol_parts import Step

HOMES = st.lists(st.integers(1, 5), min_size=6, max_size=30)


def people(sizes, seed=0, *, missing=False):
    rng = np.random.default_rng(seed)
    home = np.repeat([f"h{i}" for i in range(len(sizes))], sizes).astype(object)
    rooms, region = rng.choice([1, 2, 3, 4, 5], len(sizes)), rng.choice(["n", "s", "w"], len(sizes))
    rent = np.round(rng.normal(900, 200, len(sizes)))
    each = np.repeat(np.arange(len(sizes)), sizes)
    order = rng.permutation(len(each))
    home, each = home[order], each[order]
    if missing:
        home[0] = None
    frame = pl.DataFrame(
        {
            "HID": pl.Series(home.tolist(), dtype=pl.String),
            "ROOMS": rooms[each],
            "REGION": region[each],
            "RENT": rent[each],
            "AGE": rng.integers(0, 99, len(each)).astype(float),
            "SEX": rng.choice(["f", "m"], len(each)),
        }
    )
    schema = Schema(
        [
            Attribute("HID", Nominal(("",)), "identifier"),
            Attribute("ROOMS", Ordinal([1, 2, 3, 4, 5]), "key"),
            Attribute("REGION", Nominal(["n", "s", "w"]), "key"),
            Attribute("RENT", Numeric(), "key"),
            Attribute("AGE", Numeric(), "key"),
            Attribute("SEX", Nominal(["f", "m"]), "key"),
        ]
    )
    return Microdata(frame, schema)


def constant(frame, home, name):
    return (frame.with_columns(pl.Series("home", home)).group_by("home").agg(pl.col(name).n_unique()))[name].max() == 1


SHARED = ["ROOMS", "REGION", "RENT"]
HOUSEHOLD_STEPS = [
    Step("mdav", {"k": 3, "attributes": ["RENT"]}),
    Step("mixed-mdav", {"k": 3}),
    Step("pram", {"theta": 0.5, "attributes": ["ROOMS", "REGION"]}),
    Step("rank-swapping", {"p": 40}),
    Step("local-suppression", {"k": 2, "attributes": ["ROOMS", "REGION"]}),
    Step("additive-noise", {"level": 0.5, "attributes": ["RENT"]}),
]


@given(HOMES, st.sampled_from(HOUSEHOLD_STEPS), st.integers(0, 3))
def test_what_households_share_stays_shared(sizes, step, seed):
    data = people(sizes, seed)
    masked = workflow.protect_households(
        data,
        household="HID",
        household_attributes=SHARED,
        household_step=step,
        person_step=Step("mdav", {"k": 2}),
        seed=seed,
    )
    home = unit_labels(data, "HID")
    frame = masked.to_native()
    for name in SHARED:
        assert constant(frame, home, name)
    # The fresh number says who lives together, and nothing else.
    assert (unit_labels(masked.microdata, "HID") == home).all()
    assert sorted({int(number) for number in frame["HID"]}) == list(range(1, len(sizes) + 1))
    assert masked.provenance.history[0].details["n_units"] == len(sizes)


@given(HOMES, st.integers(0, 3))
def test_groups_hold_at_least_k_households(sizes, seed):
    data = people(sizes, seed)
    step = Step("mdav", {"k": 3, "attributes": ["RENT"]}, unit="HID")
    masked = workflow.Chain([step], seed=seed).mask(data)
    home = unit_labels(data, "HID")
    for group in np.unique(masked.labels):
        assert np.unique(home[masked.labels == group]).size >= 3
    # Slow twin: the same method on a table of households.
    first = np.unique(home, return_index=True)[1]
    alone = workflow.Chain([Step("mdav", {"k": 3, "attributes": ["RENT"]})], seed=seed).mask(data.take(first))
    assert masked.to_native()["RENT"].to_list() == [alone.to_native()["RENT"].to_list()[h] for h in home]


@given(HOMES, st.integers(0, 3))
def test_households_are_sampled_and_reordered_as_a_whole(sizes, seed):
    data = people(sizes, seed)
    home = unit_labels(data, "HID")
    sampled = workflow.Chain([Step("sampling", {"share": 0.5}, unit="HID")], seed=seed).mask(data)
    rows = sampled.provenance.rows
    kept = set(home[rows].tolist())
    assert len(kept) == max(1, round(0.5 * len(sizes)))
    assert sorted(rows.tolist()) == [i for i in range(len(data)) if home[i] in kept]
    ordered = workflow.Chain([Step("record-order", unit="HID")], seed=seed).mask(data)
    found = home[ordered.provenance.rows]
    assert sorted(ordered.provenance.rows.tolist()) == list(range(len(data)))
    assert (np.diff(found) != 0).sum() == len(sizes) - 1  # members stand together


def test_an_attribute_that_differs_within_households_is_refused_with_a_count():
    data = people([2, 3, 1, 2, 4, 2])
    frame = data.to_native().with_columns(pl.Series("RENT", np.arange(len(data), dtype=float)))
    with pytest.raises(DataError) as caught:
        workflow.protect_households(
            Microdata(frame, data.schema),
            household="HID",
            household_attributes=["RENT"],
            household_step=Step("mdav"),
        )
    assert "'RENT' differs within 5 of 6 units of 'HID'" in caught.value.message
    assert "h0" not in str(caught.value)


def test_a_person_without_a_household_is_one_alone():
    data = people([2, 2, 2, 2, 2], missing=True)
    labels = unit_labels(data, "HID")
    assert np.bincount(labels).tolist().count(1) == 2
    assert labels[0] == 0


def test_a_later_step_may_not_tear_households_apart():
    steps = [Step("mdav", {"k": 2, "attributes": ["RENT"]}, unit="HID"), Step("mdav", {"k": 2})]
    with pytest.raises(ParameterError, match="would mask 'RENT' record by record") as caught:
        workflow.Chain(steps).mask(people([2] * 6))
    assert "['AGE']" in caught.value.hint


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"household_attributes": []}, "at least one attribute"),
        ({"household_attributes": ["HID"]}, "who belongs together"),
        ({"household_step": Step("mdav", {"attributes": ["AGE"]})}, "not shared by households"),
        ({"person_step": Step("mdav", {"attributes": ["RENT"]})}, "masked once a household"),
    ],
)
def test_what_is_contradictory_is_refused(change, message):
    given_ = {"household_attributes": ["RENT"], "household_step": Step("mdav", {"k": 2})} | change
    with pytest.raises(ParameterError, match=message):
        workflow.protect_households(people([2] * 6), household="HID", **given_)


@given(HOMES, st.integers(0, 3))
def test_tables_are_joined_after_as_before(sizes, seed):
    data = people(sizes, seed)
    tables = workflow.split_households(data, "HID", SHARED)
    assert len(tables["households"]) == len(sizes)
    done = workflow.renumber_keys(tables, "HID", seed=seed)
    homes, persons = (done[name].to_native() for name in ("households", "persons"))
    joined = persons.join(homes, on="HID", how="left", maintain_order="left").select(SHARED)
    assert joined.equals(data.to_native().select(SHARED))
    assert done["persons"].schema["HID"].role == "other"
    assert set(map(int, homes["HID"])) == set(range(1, len(sizes) + 1))


def test_keys_of_different_names_and_types_are_one_mapping():
    a = Microdata(pl.DataFrame({"HID": [10, 20, 30, None]}), Schema([Attribute("HID", Numeric(), "identifier")]))
    b = Microdata(pl.DataFrame({"home": ["30", "10", "99"]}), Schema([Attribute("home", Nominal(("",)), "identifier")]))
    c = Microdata(pl.DataFrame({"z": [1.0]}), Schema([Attribute("z", Numeric())]))
    done = workflow.renumber_keys({"a": a, "b": b, "c": c}, {"a": "HID", "b": "home"}, seed=0)
    left, right = done["a"].to_native()["HID"].to_list(), done["b"].to_native()["home"].to_list()
    assert str(left[0]) == right[1]
    assert str(left[2]) == right[0]
    assert left[3] is None
    assert len({*map(str, left[:3]), right[2]}) == 4
    assert done["c"] is c


def test_bad_keys_are_refused():
    data = people([2] * 4)
    with pytest.raises(SchemaError, match="None of the 1 tables"):
        workflow.renumber_keys({"a": data}, "nothing")
    with pytest.raises(SchemaError, match="no table named 'b'"):
        workflow.renumber_keys({"a": data}, {"b": "HID"})
    with pytest.raises(DataError, match="1 of 8 persons have no household"):
        workflow.split_households(people([2] * 4, missing=True), "HID", ["RENT"])


def test_a_household_has_the_mean_weight_of_its_members():
    data = people([2, 1, 3, 2, 2, 1])
    rng = np.random.default_rng(1)
    weights = rng.uniform(1, 9, len(data))
    frame = data.to_native().with_columns(pl.Series("W", weights))
    weighted = Microdata(frame, Schema([*data.schema, Attribute("W", Numeric(), "weight")]))
    step = Step("mdav", {"k": 3, "attributes": ["RENT"], "weighted": True})
    masked = workflow.Chain([Step(step.method, step.parameters, "HID")]).mask(weighted)
    home = unit_labels(data, "HID")
    first = np.unique(home, return_index=True)[1]
    mean = np.bincount(home, weights) / np.bincount(home)
    homes = weighted.take(first).replacing({"W": mean})
    alone = workflow.Chain([step]).mask(homes).to_native()["RENT"].to_numpy()
    assert masked.to_native()["RENT"].to_list() == pytest.approx(alone[home].tolist())
    assert masked.to_native()["W"].to_list() == weights.tolist()


@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_every_kind_of_frame_gives_the_same(kind):
    data = people([2, 1, 3, 2, 2, 1, 4])
    frame = data.to_pandas() if kind == "pandas" else data.to_arrow()
    if kind == "pandas":
        frame.index = frame.index[::-1] * 7  # values must not be matched by index
    steps = [
        Step("mdav", {"k": 3, "attributes": ["RENT"]}, unit="HID"),
        Step("sampling", {"share": 0.6}, unit="HID"),
        Step("pram", {"attributes": ["SEX"]}),
        Step("identifiers", {"renumber": ["HID"]}),
    ]
    expected = workflow.Chain(steps, seed=2).mask(data).microdata.to_arrow().to_pydict()
    found = workflow.Chain(steps, seed=2).mask(Microdata(frame, data.schema)).microdata.to_arrow().to_pydict()
    for name, values in expected.items():
        assert [str(value) for value in found[name]] == [str(value) for value in values]


# ------------------------------------------------------------------------------------------------------- part by part


def test_a_step_masks_nothing_but_what_is_its_own():
    schema = people([2] * 6).schema
    found = households._among(Step("mdav", {"k": 2}), schema, ["ROOMS", "RENT"], "HID")
    assert (found.parameters, found.unit) == ({"k": 2, "attributes": ["RENT"]}, "HID")
    named = households._among(Step("mdav", {"k": 2, "attributes": ["AGE"]}, "HID"), schema, ["AGE", "SEX"], None)
    assert (named.parameters, named.unit) == ({"k": 2, "attributes": ["AGE"]}, None)
    for unit, whose in (("HID", "households"), (None, "persons")):
        with pytest.raises(ParameterError, match=f"the step mdav finds nothing of {whose} to mask"):
            households._among(Step("mdav"), schema, ["SEX"], unit)
    with pytest.raises(ParameterError, match="the step mdav names 'AGE', which is not shared by households"):
        households._among(Step("mdav", {"attributes": ["RENT", "AGE", "SEX"]}), schema, ["RENT"], "HID")


def test_the_number_of_a_household_is_left_out_where_it_is_not_exchanged():
    told = {"household": "HID", "household_attributes": ["RENT"], "household_step": [Step("rounding", {"base": 100})]}
    data = people([2] * 6)
    kept = workflow.protect_households(data, **told, seed=1)
    assert "HID" in kept.to_native().columns
    assert [one.method for one in kept.provenance.history] == ["rounding", "identifiers"]
    assert "HID" not in workflow.protect_households(data, **told, renumber=False, seed=1).to_native().columns
    with pytest.raises(UnknownNameError, match="RENTS"):
        workflow.protect_households(data, **{**told, "household_attributes": ["RENTS"]})


def test_households_come_in_the_order_of_their_first_members_with_the_columns_of_each():
    data = people([2, 3, 1])
    tables = workflow.split_households(data, "HID", ["RENT", "ROOMS"])
    homes, persons = tables["households"], tables["persons"]
    assert set(homes.names) == {"HID", "RENT", "ROOMS"}
    assert list(persons.names) == ["HID", "REGION", "AGE", "SEX"]
    seen = list(dict.fromkeys(data.to_native()["HID"].to_list()))
    assert sorted(homes.to_native()["HID"].to_list()) == sorted(seen)
    assert len(persons) == 6


@pytest.fixture
def files(tmp_path):
    (tmp_path / "homes.csv").write_text("HID,rent\na1,500\nb2,600\nc3,700\n")
    (tmp_path / "people.csv").write_text("home,age\nb2,31\na1,40\nb2,7\nx9,50\n")
    return [tmp_path / "homes.csv", tmp_path / "people.csv"]


def test_files_are_joined_after_as_before_and_nothing_else_changes(files, tmp_path):
    remarks = []
    paths = households.renumber_files(files, ["HID", "home"], tmp_path / "out" / "new", seed=3, remarks=remarks)
    assert paths == {name: tmp_path / "out" / "new" / name for name in ("homes.csv", "people.csv")}
    homes, persons = (pl.read_csv(path, infer_schema=False) for path in paths.values())
    assert (homes["rent"].to_list(), persons["age"].to_list()) == (["500", "600", "700"], ["31", "40", "7", "50"])
    numbers = dict(zip(("a1", "b2", "c3"), homes["HID"].to_list(), strict=True))
    assert persons["home"].to_list()[:3] == [numbers["b2"], numbers["a1"], numbers["b2"]]
    assert persons["home"].to_list()[3] not in numbers.values()
    assert set(homes["HID"]) | set(persons["home"]) == {"1", "2", "3", "4"}
    again = households.renumber_files(files, ["HID", "home"], tmp_path / "again", seed=3)
    assert again["homes.csv"].read_bytes() == paths["homes.csv"].read_bytes()


@pytest.mark.parametrize(
    ("on", "options", "message"),
    [
        (["HID", "home", "x"], {}, "name one column for all files, or one for each of 2"),
        ([], {}, "name one column for all files, or one for each of 2"),
        (["HID", "home"], {"domain": "home"}, "domain and reversible are of pseudonyms, which need a key"),
        (["HID", "home"], {"reversible": True}, "domain and reversible are of pseudonyms, which need a key"),
        (["HID", "home"], {"key": "k", "seed": 3}, "pseudonyms follow from the key; they have no seed"),
    ],
)
def test_what_cannot_be_renumbered_is_said_and_nothing_is_written(files, tmp_path, on, options, message):
    with pytest.raises(ParameterError, match=message):
        households.renumber_files(files, on, tmp_path / "out", **options)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "homes.csv").write_text("HID\na1\n")
    with pytest.raises(ParameterError, match="two files have the same name"):
        households.renumber_files([files[0], tmp_path / "sub" / "homes.csv"], ["HID"], tmp_path / "out")
    assert not (tmp_path / "out").exists()
    with pytest.raises(FileError, match="is also an input"):
        households.renumber_files(files, ["HID", "home"], tmp_path)
    assert files[0].read_text().startswith("HID,rent\na1,500")


def test_pseudonyms_of_files_are_of_the_domain_of_the_first_column_unless_it_is_named(files, tmp_path, monkeypatch):
    asked = []

    def noted(tables, columns, key, domain, *, reversible):
        asked.append((list(tables), columns, key, domain, reversible))
        return tables

    monkeypatch.setattr(households, "pseudonyms_together", noted)
    monkeypatch.setattr(households, "PseudonymKey", SimpleNamespace(load=lambda path: f"key of {path}"))
    columns = {"homes.csv": "HID", "people.csv": "home"}
    households.renumber_files(files, ["HID", "home"], tmp_path / "a", key="k")
    households.renumber_files(files, ["HID", "home"], tmp_path / "b", key="k", domain="homes", reversible=True)
    assert asked == [
        (list(columns), columns, "key of k", "HID", False), (list(columns), columns, "key of k", "homes", True),
    ]  # fmt: skip
