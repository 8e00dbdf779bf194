from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.data.microdata import Microdata
from discreet.data.scales import Nominal, Numeric
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


# ------------------------------------------------------------------------------------------------------ by hand, whole


def test_the_headline_says_who_finds_whom_and_who_is_alone():
    one = dc.risk(frame([("a", 1), ("a", 1), ("b", 2)]), keys=["a", "b"])
    assert one.sentence == (
        "66.67 % of the records (2.0 of 3) are expected to be re-identified by an intruder who knows who is in the "
        "file; 1 is the only one with its keys."
    )
    two = dc.risk(frame([("a", 1), ("b", 1), ("c", 2), ("c", 2)]), keys=["a", "b"])
    assert two.sentence == (
        "75.00 % of the records (3.0 of 4) are expected to be re-identified by an intruder who knows who is in the "
        "file; 2 are the only ones with their keys."
    )
    assert (two.value, two.groups, two.highest, dict(two.below)) == (75.0, 3, 100.0, {2: 2, 3: 4, 5: 4})
    assert two.expected == {"file": 3.0}
    pairs = dc.risk(frame([("a", 1), ("a", 1), ("b", 2), ("b", 2)]), keys=["a", "b"])
    assert (pairs.highest, pairs.chosen, pairs.threshold, pairs.population) == (50.0, "", None, None)
    assert [one.name for one in pairs.not_computed] == ["population-uniques"]
    assert pairs.not_computed[0].reason == (
        "Nothing says how many people the file was drawn from: declare the weight, or give fraction or population."
    )


def test_whoever_is_found_in_most_ways_is_named():
    people = pl.DataFrame({"sex": list("ffffmmmm"), "job": list("aabbabab"), "home": [1, 1, 2, 2, 3, 3, 4, 4]})
    found = dc.risk(people, keys=["sex", "job"], household="home", fraction=0.5)
    assert set(found.expected) == {"file", "population", "file household", "household"}
    assert list(found.expected)[2:] == ["file household", "household"]
    assert "through a member of their household by an intruder who knows who is in the file" in found.sentence
    assert "file household" not in [m.name for m in found.measurements]
    assert len([m for m in found.measurements if m.name == "household-risk"]) == 1


@pytest.mark.parametrize(
    ("fraction", "population", "share"),
    [(None, None, None), (0.25, None, 0.25), (1.0, None, 1.0), (None, 40, 0.25), (None, 10, 1.0)],
)
def test_the_share_that_is_in_the_file(fraction, population, share):
    assert risk_of_file._fraction(10, fraction, population) == share


@pytest.mark.parametrize(("fraction", "population"), [(0.0, None), (1.5, None), (None, 9.5), (None, float("inf"))])
def test_a_share_that_cannot_be(fraction, population):
    with pytest.raises(ParameterError, match="risk: (fraction|population) must be"):
        risk_of_file._fraction(10, fraction, population)


def test_measures_are_those_that_what_is_known_allows(monkeypatch):
    schema = Schema([Attribute("a", Nominal(["x"]), "key"), Attribute("i", Numeric(), "confidential")])

    def names(n=10, home=None, share=None, weight=None, of=schema):
        found = risk_of_file._measures(of, n, ("a",), home, share, weight)
        return {label: one.get_params().get("sampling_fraction") for label, one in found.items()}

    assert names() == {"suda2": None, "numbers": None}
    assert names(share=0.5) == {"suda2": 0.5, "loglinear": 0.5, "numbers": None}
    assert names(weight="w") == {"suda2": None, "loglinear": None, "numbers": None}
    assert names(home="h") == {"suda2": None, "file household": 1.0, "numbers": None}
    assert names(home="h", share=0.5) == {
        "suda2": 0.5, "file household": 1.0, "household": 0.5, "loglinear": 0.5, "numbers": None,
    }  # fmt: skip
    monkeypatch.setattr(risk_of_file, "_MOST_NUMBERS", 10)
    assert "numbers" in names(10)
    assert "numbers" not in names(11)
    assert "numbers" not in names(of=schema.with_roles(i="other"))


def test_a_share_of_people_may_be_wanted_and_needs_to_be_known():
    people = frame([("a", 1), ("a", 2), ("b", 1), ("b", 2), ("b", 2)])
    for wanted in (0.0, 100.0, -1.0):
        with pytest.raises(ParameterError, match="wanted must be a percentage above 0 and below 100"):
            dc.risk(people, keys=["a", "b"], fraction=0.1, wanted=wanted)
    with pytest.raises(ParameterError, match="wanted is a share of the population's"):
        dc.risk(people, keys=["a", "b"], wanted=3.0)
    found = dc.risk(people, keys=["a", "b"], fraction=0.1, wanted=3.0)
    assert found.threshold[0] == 3.0
    assert found.population == pytest.approx(50)
    assert found.uniques["weights"] == pytest.approx(3 * 0.1)
    assert set(found.uniques) >= {"weights", "loglinear"}
    assert found.highest == pytest.approx(100 * float(benedetti_franconi(np.array([1]), np.array([10.0]))[0]))


def test_more_keys_than_can_be_looked_at_are_said():
    columns = {f"c{i}": [0, 1, 1] for i in range(63)}
    found = dc.risk(pl.DataFrame(columns), keys=list(columns))
    (no,) = [one for one in found.not_computed if one.name == "suda2"]
    assert no.reason == "SUDA2 looks at 62 keys at most; there are 63."
    assert (no.kind, no.title) == ("risk", dc.methods("measure")["suda2"].title)


def test_files_that_are_too_large_are_counted_and_not_looked_into(tmp_path, monkeypatch):
    people = frame([("a", 1), ("a", 2), ("b", 1), ("b", 2), ("b", 2)]).with_columns(w=pl.Series([1.0, 2, 3, 4, 5]))
    people.write_parquet(tmp_path / "p.parquet")
    schema = dc.survey(people, keys=["a", "b"], weight="w", nominal=["b"]).schema
    stored = dc.scan(tmp_path / "p.parquet", schema)
    memory = dc.risk(dc.survey(people, schema=schema))
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 5)
    assert dc.risk(stored).exposure == memory.exposure
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 4)
    large = dc.risk(stored)  # nobody has to name an engine that reads them in parts
    assert large.exposure is None
    reasons = {one.name: one for one in large.not_computed}
    assert reasons["exposure"].reason == "the files have more than 4 records."
    assert (reasons["exposure"].title, reasons["exposure"].kind) == ("Riskiest keys", "risk")
    assert (large.value, large.groups, large.population) == (memory.value, memory.groups, 15.0)


def test_a_measure_that_cannot_be_taken_is_said_and_a_fault_of_the_question_is_raised(monkeypatch):
    people = frame([("a", 1), ("a", 2), ("b", 1)])

    whole = risk_of_file.SpecialUniques

    class Refused(whole):
        def scope(self, *_):
            raise DataError("not on these.")

    monkeypatch.setattr(risk_of_file, "SpecialUniques", Refused)
    found = dc.risk(people, keys=["a", "b"])
    assert [(one.name, one.reason) for one in found.not_computed if one.name == "suda2"] == [("suda2", "not on these.")]

    def measured(error):
        class Broken(whole):
            def scope(self, *_):
                return None

            def measured(self, _):
                raise error
                yield

        return Broken

    monkeypatch.setattr(risk_of_file, "SpecialUniques", measured(DataError("none here.")))
    found = dc.risk(people, keys=["a", "b"])
    assert ("suda2", "none here.") in [(one.name, one.reason) for one in found.not_computed]
    monkeypatch.setattr(risk_of_file, "SpecialUniques", measured(ParameterError("asked wrongly.")))
    with pytest.raises(ParameterError, match="asked wrongly"):
        dc.risk(people, keys=["a", "b"])


def test_what_is_asked_of_a_release_is_asked_of_its_table():
    people = dc.survey(frame([("a", 1), ("a", 1), ("b", 2), ("b", 2)]), keys=["a", "b"])
    masked = dc.PRAM(random_state=1).mask(people)
    assert dc.risk(masked, keys=["a"]).to_dict() == dc.risk(masked.microdata, keys=["a"]).to_dict()
    with pytest.raises(DiscreetError, match="schema must be a Schema"):
        dc.risk(people, 5)


def test_riskiest_keys_are_exposed_with_the_weights_that_a_share_gives(monkeypatch):
    given = []
    monkeypatch.setattr(risk_of_file, "expose", lambda *tables, weights: given.append((tables, weights)) or "exposed")
    table = Microdata(
        frame([("a", 1), ("b", 2)]),
        Schema([Attribute("a", Nominal(("a", "b")), "key"), Attribute("b", Numeric(), "key")]),
    )
    absent = []
    assert risk_of_file._exposed(table, ("a",), None, absent) == "exposed"
    assert risk_of_file._exposed(table, ("a", "b"), 0.25, absent) == "exposed"
    (first, none), (second, weights) = given
    assert (first, none) == ((table, table, ("a",)), None)
    assert (second, weights.tolist()) == ((table, table, ("a", "b")), [4.0, 4.0])
    assert absent == []


def test_files_beyond_what_fits_at_once_are_not_exposed_and_say_so(tmp_path, monkeypatch):
    frame([("a", 1), ("b", 2), ("b", 3)]).write_parquet(tmp_path / "a.parquet")
    schema = Schema([Attribute("a", Nominal(("a", "b")), "key"), Attribute("b", Numeric(), "weight")])
    stored = dc.scan(tmp_path / "a.parquet", schema)
    seen = []
    monkeypatch.setattr(risk_of_file, "expose", lambda table, *_, weights: seen.append((table.names, weights)))
    monkeypatch.setattr(risk_of_file.question, "MOST_AT_ONCE", 3)
    absent = []
    risk_of_file._exposed(stored, ("a",), None, absent)
    assert (seen, absent) == ([(("a", "b"), None)], [])
    monkeypatch.setattr(risk_of_file.question, "MOST_AT_ONCE", 2)
    assert risk_of_file._exposed(stored, ("a",), None, absent) is None
    assert [(one.name, one.title, one.kind, one.reason) for one in absent] == [
        ("exposure", "Riskiest keys", "risk", "the files have more than 2 records.")
    ]
    with pytest.raises(ParameterError, match="risk: weight of a table in files is what its schema says"):
        risk_of_file._declared(stored, None, None, "b", None)
    with pytest.raises(ParameterError, match="risk: keys must name at least one column"):
        risk_of_file._declared(frame([("a", 1)]), None, [], None, None)
