"""Names, dates, telephones, batteries, weights: what a column is by rules that hold for any file."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import discreet as dc
from discreet.data.inference import join_proposals, propose_schema
from discreet.data.inferring.batteries import codes_after_gap
from discreet.errors import DataError

N = 200
RNG = np.random.default_rng(20)
DAYS = pd.Series(pd.Timestamp("1990-01-01") + pd.to_timedelta(RNG.integers(0, 9000, N), "D"))


def proposed(values, name="x", **others):
    table = pa.table({name: pa.array(values), "other": pa.array(np.arange(N) * 1.5), **others})
    proposal = propose_schema(table)
    return proposal.schema[name], proposal


def written(style, **at):
    texts = DAYS.dt.strftime(style).tolist()
    for place, text in at.items():
        texts[int(place[1:])] = text
    return texts


def test_codes_of_diagnoses_are_no_quantities():
    attribute, _ = proposed(RNG.choice([470, 871, 291, 392, 603], N), "DRG", diagnosis=["I10", "E11"] * 100)
    assert attribute.scale == dc.Nominal((291, 392, 470, 603, 871))


# --------------------------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    "name",
    ["FirstName", "LAST_NAME", "surname", "vorname", "Nachname", "nom", "prénom", "apellido1", "naam", "achternaam",
     "patient_name", "NOM_CLIENT"],
)  # fmt: skip
@pytest.mark.parametrize("beside", [{}, {"diagnosis": ["I10", "E11"] * 100, "blood": [1.5, 2.5] * 100}])
def test_what_a_person_is_called_is_an_identifier_however_few_names_there_are(name, beside):
    attribute, _ = proposed(["Anna", "Ben"] * 100, name, **beside)
    assert attribute.role == "identifier"
    assert attribute.scale.levels == ("",)


@pytest.mark.parametrize(
    ("name", "values"),
    [("country_name", ["A", "B"] * 100), ("nombre_hijos", [0, 1, 2, 3] * 50), ("nombre", [0, 1, 2, 3] * 50),
     ("has_surname", [True, False] * 100)],
)  # fmt: skip
def test_other_names_are_none(name, values):
    assert proposed(values, name)[0].role != "identifier"


# -------------------------------------------------------------------------------------------------------------- orders


def frames_with_order():
    words = ["low", "mid", "top"] * 20
    numbers = np.arange(60) * 1.5
    levels = ["top", "low", "mid"]  # neither the alphabet nor a known order
    yield pd.DataFrame({"g": pd.Categorical(words, levels, ordered=True), "x": numbers})
    yield pl.DataFrame({"g": pl.Series(words, dtype=pl.Enum(levels)), "x": numbers})
    places = pa.array([levels.index(word) for word in words], pa.int8())
    yield pa.table({"g": pa.DictionaryArray.from_arrays(places, pa.array(levels), ordered=True), "x": numbers})


@pytest.mark.parametrize("frame", list(frames_with_order()), ids=["pandas", "polars", "arrow"])
def test_a_survey_keeps_the_order_that_inspect_sees(frame):
    expected = dc.Ordinal(("top", "low", "mid"))
    assert dc.inspect(frame).schema["g"].scale == expected
    assert dc.survey(frame).schema["g"].scale == expected
    assert dc.survey(frame, keys=["g"]).schema["g"].scale == expected
    assert dc.survey(frame, ordinal=["g"]).schema["g"].scale == expected


def test_intervals_and_periods_are_ordered_labels():
    years = np.arange(N) % 90
    frame = pd.DataFrame({"band": pd.cut(years, [-1, 9, 29, 100]), "x": np.arange(N) * 1.5}, index=np.arange(N) + 7)
    frame["month"] = pd.PeriodIndex(DAYS, freq="M")
    frame["bare"] = pd.arrays.IntervalArray.from_tuples([(i % 3, i % 3 + 1) for i in range(N)])
    table = dc.survey(frame, keys=["band", "month"])
    assert table.schema["band"].scale == dc.Ordinal(("(-1, 9]", "(9, 29]", "(29, 100]"))
    assert table.schema["bare"].scale == dc.Ordinal(("(0, 1]", "(1, 2]", "(2, 3]"))
    months = table.schema["month"].scale
    assert isinstance(months, dc.Ordinal)
    assert list(months.levels) == sorted({str(month) for month in frame["month"]})
    assert table.to_native().index.equals(frame.index)
    assert table.to_native()["band"].astype(str).tolist() == frame["band"].astype(str).tolist()
    assert isinstance(frame["band"].dtype.categories, pd.IntervalIndex)  # what came in is as it was


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, dict])
@pytest.mark.parametrize("cell", [{"secret": 1}, [{"secret": 1}]])
def test_dicts_in_cells_are_refused_by_name(make, cell):
    for ask in (dc.inspect, dc.survey):
        with pytest.raises(DataError, match="Column 'd' holds dicts") as caught:
            ask(make({"d": [cell] * 30, "x": list(range(30))}))
        assert "secret" not in str(caught.value)


# --------------------------------------------------------------------------------------------------------------- dates


@pytest.mark.parametrize("kind", [str, int, float])
def test_eight_digits_are_dates(kind):
    attribute, proposal = proposed([kind(text) for text in written("%Y%m%d")], "EINTRITT")
    assert attribute.scale == dc.Date()
    assert attribute.role == "key"
    assert proposal.question("EINTRITT") == ""


def test_eight_digits_that_are_no_dates_are_none():
    assert proposed(RNG.integers(18_500_000, 21_000_000, N), "turnover")[0].scale == dc.Numeric()
    assert not isinstance(proposed([20_040_101, 20_040_102] * 100, "code")[0].scale, dc.Date)
    assert isinstance(proposed([20_040_101, 20_040_102] * 100, "date")[0].scale, dc.Date)


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        (written("%d.%m.%Y", p5="99.99.9999", p9="00.00.0000"), ("00.00.0000", "99.99.9999")),
        (written("%Y-%m-%d", p0="0000-00-00", p9="9999-12-31"), ("0000-00-00", "9999-12-31")),
        (written("%Y-%m-%d", p9="9999-12-31"), ("9999-12-31",)),
        (written("%d/%m/%Y", p9="unknown"), ("unknown",)),
        (written("%Y-%m-%d %H:%M:%S", p9="0000-00-00 00:00:00"), ("0000-00-00 00:00:00",)),
        ([int(text) for text in written("%Y%m%d", p0="0", p3="99999999")], (0, 99999999)),
    ],
)
def test_codes_among_dates_are_missing_codes(values, codes):
    attribute, proposal = proposed(values, "seen")
    assert isinstance(attribute.scale, dc.Date | dc.DateTime)
    assert attribute.missing == codes
    assert proposal.missing["seen"] == len(codes)
    assert proposal.question("seen") == ""
    table = dc.survey(pa.table({"seen": values, "other": np.arange(N) * 1.5}))
    assert int(table.missing("seen").sum()) == len(codes)


@pytest.mark.parametrize("place", ["p0", "p77"])
@pytest.mark.parametrize(
    ("style", "stranger"), [("%d.%m.%Y", "29.02.2003"), ("%Y-%m-%d", "2003-02-29"), ("%Y%m%d", "20030229")]
)
def test_an_impossible_date_is_asked_about_by_count(place, style, stranger):
    values = written(style, **{place: stranger})
    attribute, proposal = proposed(values, "seen")
    assert isinstance(attribute.scale, dc.Date)
    assert attribute.role == "key"
    assert f"1 of {N} values are no dates" in proposal.question("seen")
    assert stranger not in repr(proposal)
    with pytest.raises(DataError, match=f"Column 'seen': 1 of {N} values are no dates") as caught:
        dc.survey(pa.table({"seen": values, "other": np.arange(N) * 1.5}))
    assert stranger not in str(caught.value)


def test_words_among_which_a_few_are_dates_are_words():
    assert isinstance(proposed(["a", "b", "2004-05-06", "2004-05-07"] * 50)[0].scale, dc.Nominal)


@pytest.mark.parametrize("style", ["%Y-%m", "%m/%Y", "%m.%Y"])
def test_months_of_a_year_are_ordered_and_no_identifiers(style):
    months = pd.date_range("1950-01-01", periods=N, freq="MS").strftime(style)
    attribute, _ = proposed(list(RNG.permutation(months)), "period")
    assert attribute.role == "key"
    assert attribute.scale == dc.Ordinal(tuple(months))


# ---------------------------------------------------------------------------------------------------------- telephones


@pytest.mark.parametrize("name", ["TEL", "phone", "téléphone", "Telefonnummer", "x"])
def test_blank_separated_telephone_numbers_are_identifiers(name):
    numbers = ["0{} {:02} {:02} {:02} {:02}".format(*RNG.integers(1, 6, 5)) for _ in range(N)]
    assert proposed(numbers, name)[0].role == "identifier"
    if name != "x":
        assert proposed(numbers[:2] * 100, name)[0].role == "identifier"


def test_groups_of_digits_are_no_sequence_of_events():
    groups = ["{} {} {}".format(*RNG.integers(10, 16, 3)) for _ in range(N)]
    assert proposed(groups)[0].scale.kind == "nominal"
    states = [" ".join(map(str, RNG.integers(1, 4, 6))) for _ in range(N)]
    assert proposed(states)[0].scale.kind == "sequence"
    assert proposed(states, "phone")[0].scale.kind == "nominal"


# ----------------------------------------------------------------------------------------------------------- batteries


def battery(answers, count=20, stem="q"):
    return {f"{stem}{i}": RNG.choice(answers, N) for i in range(1, count + 1)}


@pytest.mark.parametrize(
    ("answers", "levels", "codes"),
    [
        ([1, 2, 3, 4, 5], (1, 2, 3, 4, 5), ()),
        ([1, 2, 3, 4, 5, 7, 8, 9], (1, 2, 3, 4, 5), (7, 8, 9)),
        ([*range(11), 77, 88, 99], tuple(range(11)), (77, 88, 99)),
        ([1, 2, 3, 4, 5, -8, -9], (1, 2, 3, 4, 5), (-9, -8)),
    ],
)
@pytest.mark.parametrize("stem", ["q", "ppltrst", "item_"])
def test_questions_of_a_battery_are_opinions(answers, levels, codes, stem):
    table = pa.table({"sex": ["f", "m"] * 100, **battery(answers, stem=stem)})
    proposal = propose_schema(table)
    assert proposal.schema.keys == ("sex",)
    for attribute in proposal.schema:
        if attribute.name != "sex":
            assert attribute.role == "confidential"
            assert attribute.scale == dc.Ordinal(levels)
            assert set(attribute.missing) == set(codes)
            column = table.column(attribute.name).to_numpy()
            assert proposal.missing[attribute.name] == np.isin(column, codes).sum()


def test_a_battery_is_found_across_groups_of_columns():
    columns = battery([1, 2, 3, 4, 5, 8, 9], count=6)
    first = {name: columns[name] for name in list(columns)[:4]}
    rest = {name: columns[name] for name in list(columns)[4:]}
    parts = [propose_schema(pa.table({"sex": ["f", "m"] * 100, **first})), propose_schema(pa.table(rest))]
    together = propose_schema(pa.table({"sex": ["f", "m"] * 100, **columns}))
    joined = join_proposals(parts)
    assert joined.schema == together.schema
    assert joined.missing == together.missing
    assert joined.schema["q6"].missing == (8, 9)


@pytest.mark.parametrize(("count", "missing"), [(4, ()), (5, (7, 9))])
def test_five_questions_are_a_battery(count, missing):
    assert propose_schema(pa.table(battery([1, 2, 3, 7, 9], count=count))).schema["q1"].missing == missing


def test_what_is_no_battery():
    few = propose_schema(pa.table(battery([1, 2, 3, 7, 9], count=3)))
    assert few.schema["q1"].missing == ()
    assert "after a gap, stand for no answer?" in few.question("q1")
    truths = propose_schema(pa.table({"sex": ["f", "m"] * 100, **battery([0, 1])}))
    assert truths.schema["q1"].scale.kind == "nominal"
    rooms = propose_schema(pa.table({"sex": ["f", "m"] * 100, **battery([1, 2, 3, 4], stem="rooms")}))
    assert rooms.schema["rooms1"].role == "key"
    state = RNG.integers(1, 5, N)
    course = {}
    for age in range(15, 31):
        state = np.where(RNG.random(N) < 0.1, RNG.integers(1, 5, N), state)
        course[f"a{age}"] = state
    assert propose_schema(pa.table(course)).schema["a15..a30"].role == "key"  # one sequence of states


@pytest.mark.parametrize(
    ("levels", "codes"),
    [((1, 2, 3, 4, 8, 9), (8, 9)), ((0, 1, 2, 3, 4, 5, 6, 7, 8, 9), ()), ((1, 2, 3, 5), ()), ((1, 2, 3, 12, 99), ()),
     ((*range(1, 51), 66), ()), ((2, 3, 9), ()), ((1, 9), ())],
)  # fmt: skip
def test_codes_after_a_gap(levels, codes):
    assert codes_after_gap(levels) == codes


# ------------------------------------------------------------------------------------------------- weights and incomes


@pytest.mark.parametrize("name", ["HOCHR", "Hochrechnungsfaktor", "Gewicht", "POIDS", "pond", "coef", "COEF_EXT"])
def test_weights_by_their_names(name):
    assert proposed(np.round(RNG.gamma(5, 2, N), 3) + 0.01, name)[0].role == "weight"


def test_whole_coefficients_are_no_weights():
    assert proposed(RNG.integers(1, 9, N), "coef")[0].role != "weight"


@pytest.mark.parametrize("name", ["NETTO", "Einkommen", "Nettolohn", "salaire", "SALAIRES", "ingresos", "sueldo"])
def test_incomes_are_confidential(name):
    attribute, _ = proposed(np.round(RNG.lognormal(7, 1, N), 2), name, sex=["f", "m"] * 100)
    assert attribute.role == "confidential"


@pytest.mark.parametrize(
    ("first", "told"),
    [([0.0], "0 are missing, 1 are zero"), ([-1.5, -2.5], "0 are missing, 0 are zero and 2"),
     ([None], "1 are missing, 0 are zero")],
)  # fmt: skip
def test_weights_that_nobody_can_use_are_told(first, told, tmp_path):
    frame = pl.DataFrame({"w": [*first, *[1.5] * (30 - len(first))], "x": [1, 2, 3] * 10})
    with pytest.raises(DataError, match=f"Column 'w': of 30 weights {told}"):
        dc.survey(frame, weight="w", keys=["x"])
    frame.write_csv(tmp_path / "w.csv")
    with pytest.raises(DataError, match=told):
        dc.survey(tmp_path / "w.csv", weight="w", keys=["x"])
    assert dc.survey(frame[3:], weight="w", keys=["x"]).schema.weight == "w"


def test_identifiers_with_empty_words_are_proposed():
    attribute, _ = proposed([f"p{i}@x.org" if i else "" for i in range(N)], "email")
    assert attribute.role == "identifier"
    assert json.dumps(attribute.to_dict())
