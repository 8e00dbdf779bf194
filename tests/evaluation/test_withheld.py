"""Certificates of missing values: proven for both readings, from every form of a release, and honest about the rest."""

from __future__ import annotations

import csv
import json
import time
from collections import Counter

import numpy as np
import polars as pl
import pytest
from tests.masking.withholding.test_fewest_values import readable, tables
from tests.masking.withholding.test_suppression_polish import microdata
from tests.reference import fewest_values as twin

import discreet as dc
from discreet import workflow
from discreet.contracts.masked import Masked, Provenance
from discreet.contracts.withholding_proof import SuppressionCertificate
from discreet.data.microdata import Microdata
from discreet.errors import DataError, ParameterError
from discreet.evaluation.withheld import _is_readable, _observed, _strata, certify_withheld, withheld_cells
from discreet.masking.recoding.hierarchy import Hierarchy

SEVEN = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


@pytest.fixture(scope="module")
def survey():
    rng = np.random.default_rng(1)
    return microdata(np.minimum(rng.geometric(0.45, (120, 3)), 6))


@pytest.mark.parametrize("missing", ["category", "wildcard"])
def test_tiny_tables_are_proven_exactly(missing):
    least = twin.least_category if missing == "category" else twin.least_wildcard
    for keys, k, _ in tables(70, 8, most=6):
        table = microdata(keys)
        proof = dc.certify(table, dc.LocalSuppression(k, missing=missing, polish=3).mask(table))
        assert proof.k == k
        assert proof.missing == missing
        assert proof.value == proof.bound == least(readable(keys), k, [1] * keys.shape[1])
        assert proof.gap == 0.0
        assert proof.cells == proof.value
        assert "no release that keeps" in proof.sentence


@pytest.mark.parametrize("missing", ["category", "wildcard"])
def test_every_form_of_a_release_gives_the_same(survey, missing):
    masked = dc.LocalSuppression(3, missing=missing).mask(survey)
    proofs = [
        dc.certify(survey, masked),
        dc.certify(survey, masked.microdata, 3, missing=missing),
        dc.certify(survey, masked.to_native(), 3, missing=missing, attributes=list(survey.schema.names)),
    ]
    for proof in proofs:
        assert isinstance(proof, SuppressionCertificate)
        assert proof.cells == sum(masked.provenance.details["suppressed"].values())
        assert 0 < proof.bound <= proof.value
    assert len({(p.value, p.bound, p.k, p.missing, p.sentence) for p in proofs}) == 1
    assert json.loads(json.dumps(proofs[0].to_dict()))["blank_records_would_take"] == (
        6 if missing == "wildcard" else None
    )


def test_without_being_told_the_stricter_reading_is_taken_if_it_holds(survey):
    strict = dc.LocalSuppression(3).mask(survey).microdata
    loose = dc.LocalSuppression(3, missing="wildcard").mask(survey).microdata
    assert dc.certify(survey, strict, 3).missing == "category"
    assert dc.certify(survey, loose, 3).missing == "wildcard"
    with pytest.raises(DataError, match="fewer than k = 3"):
        dc.certify(survey, loose, 3, missing="category")


def test_importance_is_the_price_of_a_value(survey):
    masked = dc.LocalSuppression(3, importance={"k0": 5.0}).mask(survey)
    proof = dc.certify(survey, masked)
    gone = masked.provenance.details["suppressed"]
    assert proof.value == 5 * gone["k0"] + gone["k1"] + gone["k2"]
    assert proof.priced
    assert 0 < proof.bound <= proof.value


def test_strata_are_bounded_one_by_one(survey):
    masked = dc.LocalSuppression(3, attributes=["k0", "k1"], strata=["k2"]).mask(survey)
    apart = dc.certify(survey, masked)
    together = dc.certify(survey, masked.microdata, 3, attributes=["k0", "k1"])
    assert together.bound <= apart.bound <= apart.value == together.value


def test_records_that_lose_more_than_they_need_are_told():
    """One blank record of six meets the bare count; the certificate does not call that the fewest."""
    levels = ["a", "b", "c", "d", "e", "f"]
    table = pl.DataFrame({"x": ["a"] * 6, "y": levels, "z": levels})
    schema = microdata(np.ones((1, 3), dtype=int)).schema
    schema = dc.Schema([dc.Attribute(n, schema["k0"].scale, "key") for n in "xyz"])
    blank = table.with_columns([pl.Series("x", [None, *["a"] * 5]), *(pl.Series(n, [None, *levels[1:]]) for n in "yz")])
    proof = dc.certify(dc.Microdata(table, schema), dc.Microdata(blank, schema), 2, missing="wildcard")
    assert proof.value == 3
    assert proof.beyond == 1
    assert proof.blank == 3
    both = table.with_columns(pl.Series("y", [None, *levels[1:]]), pl.Series("z", [None, *levels[1:]]))
    proof = dc.certify(dc.Microdata(table, schema), dc.Microdata(both, schema), 2, missing="wildcard")
    assert (proof.value, proof.bound, proof.beyond, proof.gap) == (2, 2, 0, 0)


def test_what_the_bound_does_not_ask_for_is_told():
    keys = microdata(np.array([[1, 1], [1, 1], [2, 1], [2, 2], [1, 2], [2, 1]]))
    ill = dc.Attribute("ill", keys.schema["k0"].scale, "confidential")
    table = pl.from_arrow(keys.to_native()).with_columns(pl.Series("ill", list("abababab"[:6])))
    data = dc.Microdata(table, dc.Schema([*keys.schema, ill]))
    proof = dc.certify(data, dc.LocalSuppression(2, l=2).mask(data))
    assert "2 different values of ill" in proof.sentence
    with pytest.raises(DataError, match="for some combinations of the keys only"):
        dc.certify(data, dc.LocalSuppression(2, combinations=1).mask(data))


def test_bad_input(survey):
    masked = dc.LocalSuppression(3).mask(survey)
    with pytest.raises(DataError, match="fewer than k = 50"):
        dc.certify(survey, masked, 50)
    with pytest.raises(ParameterError, match="missing"):
        dc.certify(survey, masked, missing="whatever")
    with pytest.raises(DataError, match="missing is for a release of which values only went missing"):
        dc.certify(survey, dc.PRAM(random_state=0).mask(survey), missing="category")


def test_steps_that_were_proven_and_what_single_values_would_take(survey):
    rows = [[c, "left" if c < "d" else "right", "*"] for c in "abcdef"]
    masker = dc.Generalisation(k=4, hierarchies={n: Hierarchy(rows) for n in ("k0", "k1", "k2")}, suppression=0.3)
    masked = masker.mask(survey)
    begin = time.monotonic()
    proof = dc.certify(survey, masked)
    assert 0.0 <= proof.seconds <= time.monotonic() - begin
    assert proof.gap == 0.0
    assert proof.sentence.startswith("no steps of the hierarchies give a lower loss with at most 36 of 120 records")
    assert proof.suppressed == masked.provenance.details["suppressed"] > 0
    if proof.fewest is not None:
        assert 0 < proof.fewest <= proof.cells == 3 * proof.suppressed
    cut = dc.Generalisation(k=4, hierarchies=masker.hierarchies, suppression=0.3, budget=1).mask(survey)
    early = dc.certify(survey, cut)
    assert early.bound <= proof.value <= early.value


@pytest.mark.parametrize(("missing", "fewest"), [("category", 187), ("wildcard", 92)])
def test_the_written_file_of_a_survey(data_dir, tmp_path, missing, fewest):
    """sdcMicro's test data, k = 2: counted on the bytes by other code, and nothing better exists."""
    data = dc.read(data_dir / "sdc" / "testdata.csv")
    masked = dc.LocalSuppression(2, missing=missing, attributes=SEVEN, polish=3).mask(data)
    path = tmp_path / "released.csv"
    dc.write(masked, path)
    with path.open(newline="") as lines:
        after = [tuple(row[name] for name in SEVEN) for row in csv.DictReader(lines)]
    with (data_dir / "sdc" / "testdata.csv").open(newline="") as lines:
        before = [tuple(row[name] for name in SEVEN) for row in csv.DictReader(lines)]
    assert all(a in (b, "") for one, two in zip(before, after, strict=True) for b, a in zip(one, two, strict=True))
    assert sum(value == "" for row in after for value in row) == fewest
    classes = Counter(after)
    if missing == "category":
        assert min(classes.values()) >= 2
    else:
        for row, number in classes.items():
            other = sum(
                n for r, n in classes.items() if all(x in (y, "") or y == "" for x, y in zip(r, row, strict=True))
            )
            assert other >= 2, number
    proof = dc.certify(data, workflow.read_release(path, data), 2, attributes=SEVEN, missing=missing, budget="600s")
    assert proof.bound == proof.value == fewest


def test_entropy_prices_are_those_of_the_masking(survey):
    masked = dc.LocalSuppression(3, importance="entropy").mask(survey)
    costs, gone = masked.provenance.details["costs"], masked.provenance.details["suppressed"]
    proof = dc.certify(survey, masked)
    assert len(set(costs.values())) > 1
    assert proof.value == pytest.approx(sum(costs[name] * gone[name] for name in gone))
    assert 0 < proof.bound <= proof.value


def test_a_release_outside_of_what_is_bounded_is_not_said_to_be_above_a_bound():
    frame = pl.DataFrame(
        {"x": list("aaaabb"), "y": [None, None, "b", "a", "b", "b"], "z": ["b", "b", None, "a", "a", "a"]}
    )
    schema = dc.Schema([dc.Attribute(name, dc.Nominal(("a", "b")), "key") for name in "xyz"])
    data = dc.microdata(frame, schema)
    masked = dc.LocalSuppression(3, missing="wildcard").mask(data)
    proof = dc.certify(data, masked, k=3, missing="wildcard", budget="30s")
    assert (proof.value < proof.bound) == ("no bound on such releases" in proof.figures) == ("outside" in repr(proof))
    assert proof.value >= proof.bound or proof.beyond > 0


# --------------------------------------------------------------------------------------------- which cells went missing

LEVELS = dc.Nominal(("a", "b", "1"))


def cells(x, y=None, scale=LEVELS, role="key"):
    columns = {"x": x} | ({} if y is None else {"y": y})
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    attributes = [dc.Attribute("x", scale, role), *([] if y is None else [dc.Attribute("y", LEVELS, "key")])]
    return Microdata(frame, dc.Schema(attributes))


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        (["a", "b", None], ["a", "b", None], [False, False, False]),
        (["a", "b", None], ["a", None, None], [False, True, False]),
        (["a", "b", None], [None, None, None], [True, True, False]),
        (["a", "b", None], ["a", "b", "a"], None),
        (["a", "b", None], ["b", "b", None], None),
        (["a", "b", None], ["b", None, None], None),
    ],
)
@pytest.mark.parametrize("scale", [LEVELS, dc.Nominal(("1", "b", "a"))], ids=["same scale", "other order of levels"])
def test_cells_that_went_missing_are_told_unless_another_changed(before, after, gone, scale):
    found = withheld_cells(cells(before), cells(after, scale=scale), ["x"])
    if gone is None:
        assert found is None
    else:
        assert found is not None
        assert (found[0], found[1].ravel().tolist()) == (("x",), gone)


def test_numbers_that_became_words_are_the_same_values():
    numbers = Microdata(pl.DataFrame({"x": [1, 2, 3]}), dc.Schema([dc.Attribute("x", dc.Numeric(), "key")]))
    words = Microdata(
        pl.DataFrame({"x": ["1", None, "3"]}), dc.Schema([dc.Attribute("x", dc.Nominal(("1", "3")), "key")])
    )
    assert withheld_cells(numbers, words, ["x"])[1].ravel().tolist() == [False, True, False]
    other = Microdata(
        pl.DataFrame({"x": ["1", None, "2"]}), dc.Schema([dc.Attribute("x", dc.Nominal(("1", "2")), "key")])
    )
    assert withheld_cells(numbers, other, ["x"]) is None


def test_without_names_all_keys_of_both_files_are_looked_at():
    before, after = cells(["a", "b"], ["a", "b"]), cells(["a", None], [None, "b"])
    names, gone = withheld_cells(before, after, None)
    assert (names, gone.tolist()) == (("x", "y"), [[False, True], [True, False]])
    assert withheld_cells(before, after.select(["x"]), None)[0] == ("x",)
    assert withheld_cells(cells(["a", "b"], ["a", "b"], role="other"), after, None)[0] == ("y",)
    assert withheld_cells(before, after, ["y"])[1].tolist() == [[True], [False]]
    assert withheld_cells(before, after, ["z"]) is None
    trips = dc.datasets.itineraries(5)
    assert withheld_cells(trips, trips, None)[0] == ()
    assert withheld_cells(trips, trips, list(trips.schema.keys)) is None


def test_strata_are_the_records_that_share_them():
    table = cells(["a", "b", None, "a"], ["a", "a", "a", "b"])
    assert [rows.tolist() for rows in _strata(table, ())] == [[0, 1, 2, 3]]
    assert sorted(rows.tolist() for rows in _strata(table, ["x"])) == [[0, 3], [1], [2]]
    assert sorted(rows.tolist() for rows in _strata(table, ["x", "y"])) == [[0], [1], [2], [3]]


def test_hierarchies_are_read_again_where_they_are_files(tmp_path):
    file = tmp_path / "h.csv"
    file.write_text("a;*\n")
    assert _is_readable(None)
    assert _is_readable({})
    assert _is_readable({"x": str(file)})
    assert _is_readable(str(tmp_path))
    assert not _is_readable(str(tmp_path / "no.csv"))
    assert not _is_readable({"x": str(file), "y": str(tmp_path / "no.csv")})
    assert not _is_readable({"x": str(tmp_path)})
    assert not _is_readable({"x": [["a", "*"]]})
    assert not _is_readable([["a", "*"]])


def test_steps_are_observed_from_what_became_of_the_records():
    before = cells(["a", "b", "1", None, "a"])

    def observed(after, rows=None, **details):
        details = details or {"records_dropped": 0}
        record = Provenance("generalisation", {}, ("x",), 5, rows=rows, details=details)
        return _observed(before, Masked(cells(after), record))

    keys = observed(["a", "a", "1", None, "a"])
    # Equal where the released are equal, and 0 where the original has no value.
    assert keys[3, 0] == 0
    assert keys[0, 0] == keys[1, 0] == keys[4, 0] != keys[2, 0] > 0
    assert observed(["a", "a", "1", None, "a"], other=1) is None
    part = observed(["a", "b"], rows=np.array([4, 1]))
    assert part is None, "nobody who is released had the third value"
    whole = observed(["a", "b", "1"], rows=np.array([4, 1, 2]))
    assert len({*whole[:3, 0].tolist()}) == 3
    assert (whole[4, 0], whole[3, 0]) == (whole[0, 0], 0)


def test_a_certificate_has_all_its_figures(survey):
    masked = dc.LocalSuppression(3).mask(survey)
    begin = time.monotonic()
    proof = dc.certify(survey, masked)
    assert 0.0 <= proof.seconds <= time.monotonic() - begin
    assert (proof.k, proof.n_records, proof.attributes, proof.missing) == (3, 120, ("k0", "k1", "k2"), "category")
    assert (proof.priced, proof.beyond, proof.demands) == (False, 0, ())
    assert proof.method
    alone = microdata(np.array([[1, 1], [1, 1], [2, 2]]))
    hidden = withheld_cells(alone, alone, None)
    with pytest.raises(DataError, match="match nobody else"):
        certify_withheld(alone, *hidden, None, "category", None, 5.0)
