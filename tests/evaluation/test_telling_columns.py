"""What a release tells beside its masked columns: judged on written files, with code that shares nothing."""

from __future__ import annotations

import csv

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.cli import main
from discreet.evaluation import telling_columns
from discreet.masking.withholding.pseudonym_key import new_key


def people(n: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    size = rng.integers(1, 5, n)
    home = np.repeat(np.arange(n), size)[:n]
    age = rng.integers(18, 80, n).astype(float)
    pay, rent = rng.normal(2000, 300, n).round(2), rng.normal(800, 90, n).round(2)
    return pl.DataFrame(
        {
            "hid": home,
            "person": [int((home[:i] == h).sum()) + 1 for i, h in enumerate(home)],
            "age": age,
            "born": 2023 - age,
            "pay": pay,
            "rent": rent,
            "total": (pay + rent).round(2),
            "shoe": rng.integers(35, 48, n).astype(float),
        }
    )


def declared(frame: pl.DataFrame, **further: object) -> dc.Microdata:
    numeric = [name for name in frame.columns if name != "hid"]
    given = {"keys": ["age", "pay"], "others": "other", "numeric": numeric, "household": "hid", **further}
    return dc.survey(frame, **given)


def remarks(table: dc.Microdata, masked: dc.Masked) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in dc.advise(table, masked):
        found.setdefault(one.code, []).append(f"{one.sentence} {one.hint}")
    return found


def test_a_function_of_a_masked_key_is_named():
    table = declared(people())
    told = remarks(table, dc.MDAV(k=3).mask(table))["masked-key-told"]
    assert len(told) == 2
    assert "born" in told[0]
    assert " age, which was masked" in told[0]
    assert "rent, total" in told[1]
    assert " pay, which was masked" in told[1]
    assert "shoe" not in "".join(told)


def test_nothing_is_said_where_both_are_masked_or_nothing_tells():
    frame = people().drop("total")
    both = declared(frame, keys=["age", "born", "pay"])
    assert "masked-key-told" not in remarks(both, dc.MDAV(k=3).mask(both))
    without = declared(frame.drop("born"))
    assert "masked-key-told" not in remarks(without, dc.MDAV(k=3).mask(without))


def test_a_near_function_and_a_finer_category_tell():
    frame = people().with_columns(
        born=pl.when(pl.int_range(pl.len()) < 2).then(1900.0).otherwise(pl.col("born")),
        town=pl.col("shoe").cast(int).cast(str), area=(pl.col("shoe") // 5).cast(int).cast(str),
    )  # fmt: skip
    numeric = [name for name in people().columns if name != "hid"]
    table = declared(frame, keys=["age", "area"], numeric=numeric, nominal=["town", "area"])
    told = remarks(table, dc.MDAV(k=3, attributes=["age"]).mask(table))["masked-key-told"]
    assert len(told) == 1
    told = remarks(table, dc.PRAM(attributes=["area"], random_state=1).mask(table))["masked-key-told"]
    assert {"shoe" in one or "town" in one for one in told} == {True}


@pytest.mark.parametrize("numbered", [True, False])
def test_households_that_the_order_tells(tmp_path, monkeypatch, capsys, numbered):
    monkeypatch.chdir(tmp_path)
    frame = people() if numbered else people().drop("person")
    frame.write_csv("data.csv")
    typed = ["protect", "data.csv", "--keys", "age,pay", "--others", "other", "--household", "hid", "--numeric",
             "age,pay", "-m", "mdav", "--k", "3", "--attributes", "age,pay", "-o", "out.csv"]  # fmt: skip
    assert main._code(typed) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "hid is left out, but records of a household stand together" in said
    assert "record-order" in said
    assert ("person begins anew" in said) is numbered
    if numbered:  # and so it is: the intruder numbers the households of the written file
        released = list(csv.DictReader((tmp_path / "out.csv").read_text().splitlines()))
        assert "hid" not in released[0]
        rebuilt = np.cumsum([row["person"] == "1" for row in released]) - 1
        assert rebuilt.tolist() == people()["hid"].to_list()


def test_households_in_another_order_are_not_told():
    table = declared(people())
    masked = dc.Chain([dc.MDAV(k=3), dc.RecordOrder(random_state=1)]).mask(table)
    assert "household-rebuilt" not in remarks(table, masked)
    scattered = declared(people().sample(fraction=1.0, shuffle=True, seed=1))
    assert "household-rebuilt" not in remarks(scattered, dc.MDAV(k=3).mask(scattered))


def test_dates_of_one_person_that_move_apart_are_noticed():
    seen = [f"2020-01-{i % 28 + 1:02}" for i in range(60)]
    frame = pl.DataFrame({"mrn": [f"M{i // 2}" for i in range(60)], "seen": seen})
    table = dc.survey(frame, identifiers=["mrn"], keys=["seen"])
    assert "person = 'mrn'" in remarks(table, dc.DateShifting(90).mask(table))["person-shifted-apart"][0]
    assert "person-shifted-apart" not in remarks(table, dc.DateShifting(90, person="mrn").mask(table))


def test_no_step_is_undone_by_advice(tmp_path):
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({
        "mrn": [f"M{i:05}" for i in range(80)], "Lat": rng.uniform(41, 42, 80).round(5),
        "Lon": rng.uniform(-71, -70, 80).round(5), "pain": ["a", "b"] * 40,
    })  # fmt: skip
    table = dc.survey(frame, identifiers=["mrn"], keys=["Lat", "Lon"], numeric=["Lat", "Lon"], confidential=["pain"])
    for masker in (dc.DonutDisplacement("Lat", "Lon"), dc.GridCells("Lat", "Lon")):
        assert "identifiers-present" not in remarks(table, masker.mask(table))
    masked = dc.Pseudonyms(["mrn"], key=new_key(tmp_path / "k.key")).mask(table)
    assert "mrn" in masked.microdata.names
    assert "mrn" not in " ".join(remarks(table, masked).get("identifiers-present", []))
    with pytest.raises(dc.errors.ParameterError, match="--numeric Lat,Lon"):
        dc.DonutDisplacement("Lat", "Lon").mask(frame)


def test_a_column_without_a_value_is_passed_over():
    """Warnings are errors here: a standard deviation of nothing was one."""
    rng = np.random.default_rng(1)
    columns = {"a": rng.normal(size=60), "b": rng.normal(size=60), "empty": pl.Series([None] * 60, dtype=pl.Float64)}
    schema = dc.Schema([dc.Attribute(name, dc.Numeric(), "key") for name in columns])
    data = dc.microdata(pl.DataFrame(columns), schema)
    masked = dc.AdditiveNoise(0.1, attributes=["a"], random_state=1).mask(data)
    assert "masked-key-told" not in {remark.code for remark in dc.advise(data, masked)}


# ------------------------------------------------------------------------------------------------------------- by hand


@pytest.mark.parametrize(
    ("by", "goal", "tells"),
    [
        ([0, 0, 1, 1], [5, 5, 7, 7], True),
        ([0, 0, 1, 1], [5, 7, 5, 7], False),
        ([0, 0, 1, 1], [5, 5, 5, 5], False),  # there is nothing to tell
        ([0, 1, 2, 2], [5, 7, 8, 8], False),  # hardly one comes twice
        ([0, 0, 0, 1], [5, 5, 5, 7], False),  # a group of one is a miss
        # One of fifty that the most frequent value does not tell may be missed.
        ([0] * 50 + [1] * 50, [0] * 50 + [1] * 49 + [2], True),
        ([0] * 50 + [1] * 50, [0] * 51 + [1] * 49, False),
        ([0] * 50 + [1] * 50, [0] * 25 + [1] * 25 + [1] * 50, False),
    ],
)
def test_a_column_tells_where_its_values_go_with_one_each(by, goal, tells):
    assert telling_columns._tells(*(telling_columns._codes(np.array(one)) for one in (by, goal))) is tells


def test_codes_count_from_nought_and_a_gap_is_one_value():
    assert telling_columns._codes(np.array([2.5, 1.0, 2.5])).tolist() == [1, 0, 1]
    assert telling_columns._codes(np.array(["b", None, "a", None, ""], dtype=object)).tolist() == [3, 0, 2, 0, 1]


def numbers(**columns):
    return dc.microdata(pl.DataFrame(columns), dc.Schema([dc.Attribute(name, dc.Numeric(), "key") for name in columns]))


@pytest.mark.parametrize("n", [19, 20, 22, 23, 25, 26, 60])
def test_a_sum_is_found_of_enough_records(n):
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(2, n))
    # Twenty records, and three more for every column that varies.
    assert telling_columns._sum_of(numbers(t=2 * x - y, x=x, y=y), "t", ["x", "y"]) == (["x", "y"] if n >= 26 else [])
    assert telling_columns._sum_of(numbers(t=2 * x, x=x), "t", ["x"]) == (["x"] if n >= 23 else [])


def test_sums_leave_out_what_does_not_count_and_are_none_where_something_is_added():
    rng = np.random.default_rng(1)
    x, y, z = rng.normal(size=(3, 60))
    still = np.full(60, 3.0)
    table = numbers(t=x + 3 * y, x=x, y=y, z=z, still=still, other=x + z * y)
    assert telling_columns._sum_of(table, "t", ["z", "x", "still", "y"]) == ["x", "y"]
    assert telling_columns._sum_of(table, "other", ["x", "y", "z"]) == []
    assert telling_columns._sum_of(table, "still", ["x", "y"]) == []
    assert telling_columns._sum_of(table, "t", ["still"]) == []
    assert telling_columns._sum_of(table, "t", []) == []
    near = numbers(t=x + 1e-6 * z, x=x)
    assert telling_columns._sum_of(near, "t", ["x"]) == ["x"]
    gaps = numbers(t=[None, *x[1:].tolist()], x=[*x[:-1].tolist(), None])
    assert telling_columns._sum_of(gaps, "t", ["x"]) == ["x"]


@pytest.mark.parametrize(
    ("tellers", "verb", "sentence"),
    [
        (["a"], "tells nearly all of",
         "The column a, that was released as it came, tells nearly all of x, which was masked."),
        (["a"], "together give back", "The column a, that was released as it came, gives back x, which was masked."),
        (["a", "b"], "together give back",
         "The columns a, b, that were released as they came, together give back x, which was masked."),
    ],
)  # fmt: skip
def test_what_tells_is_said_in_words(tellers, verb, sentence):
    remark = telling_columns._told("x", tellers, verb)
    assert (remark.code, remark.sentence) == ("masked-key-told", sentence)
    assert remark.hint == f"Mask x and {tellers[-1]} by the same step, or leave {tellers[-1]} out of the release."


@pytest.mark.parametrize(
    ("scale", "counted"),
    [
        (dc.Numeric(), True), (dc.Nominal(("1", "2")), True), (dc.Ordinal((0, 1)), True),
        (dc.Nominal(("1", "b")), False),
        (dc.Date("%Y-%m-%d"), False), (dc.Sequence(("a", "b"), delimiter=" "), False),
    ],
)  # fmt: skip
def test_scales_that_can_count_members(scale, counted):
    assert telling_columns._is_counted(scale) is counted


@pytest.mark.parametrize(
    ("counted", "restarts"),
    [([0, 1, 0, 1, 2], True), ([1, 2, 1, 2, 3], True), ([2, 3, 2, 3, 4], False), ([1, 2, 3, 4, 5], False)],
)
def test_numbers_of_members_begin_anew(counted, restarts):
    assert telling_columns._restarts(np.array(counted, dtype=float), np.array([0, 1, 0, 1, 2])) is restarts


def test_numbers_of_levels_are_what_they_say():
    table = dc.microdata(
        pl.DataFrame({"c": ["2", "10", None]}), dc.Schema([dc.Attribute("c", dc.Nominal(("10", "2")), "key")])
    )
    assert telling_columns._numbers(table, "c").tolist()[:2] == [2.0, 10.0]
    assert np.isnan(telling_columns._numbers(table, "c")[2])


def homes(values, person):
    schema = dc.Schema(
        [
            dc.Attribute("home", dc.Numeric(), "identifier", household=True),
            dc.Attribute("person", dc.Numeric(), "other"),
        ]
    )
    return dc.microdata(pl.DataFrame({"home": values, "person": person}), schema)


@pytest.mark.parametrize(
    ("values", "person", "words"),
    [
        ([1, 1, 2, 2], [1, 2, 1, 2], "person begins anew with each"),
        ([1, 1, 2, 2], [7, 7, 7, 7], "agree in what a household shares"),
        ([1, 2, 3, 4], [1, 1, 1, 1], ""),
        ([1, 2, 1, 2], [1, 1, 2, 2], ""),
    ],
)
def test_households_that_stand_together_can_be_read_off(values, person, words):
    table = homes(values, person)
    released = table.schema.select(["person"])
    found = [one.sentence for one in telling_columns.on_households(table, released, (), reordered=False)]
    assert [words in one for one in found] == ([True] if words else [])
    assert list(telling_columns.on_households(table, released, (), reordered=True)) == []
    assert list(telling_columns.on_households(table, table.schema, (), reordered=False)) == []
    masked = [one.sentence for one in telling_columns.on_households(table, released, ["person"], reordered=False)]
    assert ["begins anew" in one for one in masked] == ([False] if words else [])


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["a", "a", "b", "c"], True),
        (["a", "a", "b", "b"], False),
        (list("abcd"), False),
        (["a", "b", "c", None], False),
    ],
)
def test_persons_that_come_several_times(values, said):
    schema = dc.Schema([dc.Attribute("p", dc.Nominal(tuple("abcd")), "identifier")])
    found = list(telling_columns.on_repeated_persons(dc.microdata(pl.DataFrame({"p": values}), schema)))
    assert [one.code for one in found] == ["person-shifted-apart"] * said
    if said:
        assert "(3 different in 4 records)" in found[0].sentence
