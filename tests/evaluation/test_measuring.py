"""A release that lacks what a measure looks at: the rest is measured, and what is not is said."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import discreet as dc
from discreet import workflow
from discreet.cli.main import app
from discreet.contracts.masked import Masked, Provenance
from discreet.data.microdata import Microdata
from discreet.errors import DataError, MissingValueError
from discreet.evaluation.measuring import _named, _Views, applicable, emptied, paired, take_measure, take_measures
from discreet.masking.recoding.hierarchy import Hierarchy
from discreet.measures.loss.numbers import IL1s
from discreet.progress import listening

SCHEMA = dc.Schema(
    [
        dc.Attribute("AGE", dc.Numeric(), "key"),
        dc.Attribute("INC", dc.Numeric(), "key"),
        dc.Attribute("FUEL", dc.Nominal(["gas", "oil", "sun", "wood"]), "key"),
    ]
)


def frame(n=60):
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "AGE": rng.integers(20, 80, n).astype(float),
            "INC": np.round(rng.normal(1000, 100, n), 1),
            "FUEL": rng.choice(["gas", "oil", "sun", "wood"], n),
        }
    )


def without(*names):
    kinds = {"AGE": pl.Float64, "INC": pl.Float64, "FUEL": pl.String}
    moved = frame().with_columns((pl.col("AGE") + 5.0).alias("AGE"))
    return Microdata(moved.with_columns(pl.lit(None, dtype=kinds[n]).alias(n) for n in names), SCHEMA)


def masked_without(*names):
    table = without(*names)
    return Masked(table, Provenance("local-suppression", {}, ("INC",), len(table), changed={"INC": 60}))


@pytest.fixture
def original():
    return Microdata(frame(), SCHEMA)


def test_a_column_without_values_is_left_out_of_what_cannot_compare_it_and_named(original):
    found = dc.assess(original, without("INC"))
    alone = IL1s(attributes=["AGE"]).measure(original, without("INC"))
    assert alone.value > 0
    il1s = found["il1s"]
    assert il1s.value == alone.value
    assert il1s.details["not_compared"] == ["INC"]
    assert il1s.sentence.endswith("Not compared: INC, which has no value left.")
    for name in ("deviation-interval", "rank-interval", "means", "pil", "hellinger", "wasserstein", "sse"):
        assert "INC" in found[name].details["not_compared"], name
    assert found["suppression"].value == pytest.approx(100 / 3)
    assert found.not_computed == ()
    codes = {a.code: a for a in dc.advise(original, without("INC"), found)}
    assert "INC" in codes["not-compared"].sentence


def test_measures_with_nothing_left_to_look_at_are_not_computed_and_say_why(original):
    found = dc.assess(original, without("AGE", "INC"))
    absent = {one.name: one for one in found.not_computed}
    assert {"il1s", "deviation-interval", "rank-interval", "means", "sse"} <= set(absent)
    assert absent["il1s"].sentence.startswith("Not computed: ")
    assert absent["il1s"].in_score
    assert absent["il1s"].kind == "loss"
    assert absent["rank-interval"].kind == "risk"
    with pytest.raises(KeyError):
        found["il1s"]
    assert {one["name"] for one in found.to_dict()["not_computed"]} == set(absent)
    assert "Not computed: " in found._repr_html_()
    assert any(a.code == "not-compared" for a in dc.advise(original, without("AGE", "INC"), found))


def test_a_category_without_values_does_not_end_an_assessment(original):
    found = dc.assess(original, without("FUEL"))
    assert found["suppression"].value == pytest.approx(100 / 3)
    assert found["il1s"].details.get("not_compared", []) == []


def test_a_whole_release_says_nothing_of_gaps(original):
    found = dc.assess(original, dc.MDAV(k=4).mask(original))
    assert found.not_computed == ()
    assert all("not_compared" not in m.details for m in found.measurements)
    assert all(a.code != "not-compared" for a in dc.advise(original, dc.MDAV(k=4).mask(original), found))


def test_what_somebody_asked_for_by_name_is_an_error(original):
    with pytest.raises(MissingValueError, match="'AGE' has no record with a value in both files"):
        dc.measure(original, without("AGE", "INC"), ["il1s"])
    assert dc.measure(original, without("INC"), ["il1s"])[0].details["not_compared"] == ["INC"]


def test_gaps_that_are_no_emptied_column_stay_an_error(original):
    class Strict(IL1s):
        def conclude(self, statistics, scope):  # noqa: ARG002 - it refuses whatever it is told
            raise MissingValueError("Strict: 3 values are missing.")

    with pytest.raises(MissingValueError, match="3 values"):
        take_measure(Strict(), original, original)
    assert emptied(original, without("INC"), ["AGE", "INC", "FUEL"]) == ["INC"]


def test_thresholds_are_not_met_by_what_was_not_measured(original):
    after = dc.assess(original, without("AGE", "INC"), intruders=())
    with pytest.raises(DataError, match="rank-interval_at_most cannot be verified: .*'AGE'"):
        dc.release.verify(after, {"rank-interval_at_most": 50})
    fine = dc.assess(original, without("INC"), intruders=())
    assert dc.release.verify(fine, {"risk_at_most": 100, "rank-interval_at_most": 100})[0].met


def test_a_risk_without_one_of_its_parts_is_not_verified(original):
    found = dc.assess(original, without("INC"))
    partial = replace(found, score=replace(found.score, incomplete=("Linkage: too large.",)))
    with pytest.raises(DataError, match="risk_at_most cannot be verified.*Linkage"):
        dc.release.verify(partial, {"risk_at_most": 100})
    assert dc.release.verify(partial, {"loss_at_most": 100})[0].met


def test_reports_say_what_was_not_computed(original, tmp_path):
    masked = masked_without("AGE", "INC")
    found = dc.assess(original, masked)
    paths = {k: tmp_path / f"{k}.html" for k in ("internal", "external")}
    for audience, path in paths.items():
        dc.write_report(
            original, masked, found, html=path, json=path.with_suffix(".json"), audience=audience,
            after={"every key": found},
        )  # fmt: skip
        assert "Not computed: " in path.read_text(encoding="utf-8")
    inside = json.loads((tmp_path / "internal.json").read_text(encoding="utf-8"))
    assert {"il1s", "rank-interval"} <= {one["name"] for one in inside["assessment"]["not_computed"]}
    outside = json.loads((tmp_path / "external.json").read_text(encoding="utf-8"))
    told = {one["name"] for one in outside["loss"]["not_computed"]}
    assert "il1s" in told
    assert "rank-interval" not in told  # a risk, which data users are not told about


def test_the_command_line_goes_on_and_says_so(original, tmp_path):
    frame().write_csv(tmp_path / "a.csv")
    without("AGE", "INC").to_native().write_csv(tmp_path / "b.csv")
    workflow.save_schema(SCHEMA, tmp_path / "a.toml")
    arguments = ["assess", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "-s", str(tmp_path / "a.toml")]
    shown = CliRunner().invoke(app, arguments, env={"COLUMNS": "220"})
    assert shown.exit_code == 0, shown.stderr
    assert "Not computed: " in shown.stdout
    everything = CliRunner().invoke(app, [*arguments, "--all"], env={"COLUMNS": "220"})
    assert "Not computed: IL1s" in everything.stdout
    told = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    assert "il1s" in {one["name"] for one in told["not_computed"]}
    assert "not-compared" in {one["code"] for one in told["advice"]}


# -------------------------------------------------------------------------------------------------------------- studies

BROADER = Hierarchy([["gas", "fossil"], ["oil", "fossil"], ["sun", "new"], ["wood", "new"]])


@pytest.mark.parametrize(
    "masker",
    [
        dc.HierarchyRecoding({"FUEL": BROADER}),
        dc.LevelMap({"FUEL": {"gas": "burnt", "oil": "burnt", "wood": "burnt"}}),
        dc.GlobalRecoding(p=1, attributes=["FUEL"]),
        dc.Mondrian(k=4),
        dc.TopCoding(share=0.1, attributes=["AGE", "INC"]),
        dc.Sampling(share=0.5),
        dc.RecordOrder(),
    ],
    ids=repr,
)
def test_a_study_measures_recoded_candidates_as_an_assessment_does(original, masker):
    study = dc.compare(original, [masker], workers=1)
    row = study.rows[0]
    assert row["error"] is None
    one = masker.clone()
    if "random_state" in one.get_params(deep=False):
        one.set_params(random_state=row["seed"])
    found = dc.assess(original, one.mask(original))
    assert row["risk"] == pytest.approx(found.score.risk)
    assert row["loss"] == pytest.approx(found.score.loss)
    assert row["measure_distance-linkage"] == pytest.approx(found["distance-linkage"].value)


def test_a_renamed_level_protects_nobody_in_a_study_either(original):
    renamed = dc.LevelMap({"FUEL": {"gas": "A", "oil": "B", "sun": "C", "wood": "D"}})
    study = dc.compare(original, [renamed, dc.Identifiers()], workers=1)
    assert study.rows[0]["risk"] == pytest.approx(study.rows[1]["risk"])


def test_a_number_released_as_a_range_is_found_by_its_range(original):
    masked = dc.Mondrian(k=5, release="range").mask(original)
    groups = np.unique(masked.labels).size
    found = dc.assess(original, masked)
    assert found["distance-linkage"].value == pytest.approx(100 * groups / 60)
    assert {one.name for one in found.not_computed} >= {"il1s", "means"}
    assert "AGE, INC are released on a scale of another kind" in found.not_computed[0].reason


@pytest.mark.parametrize(
    ("masker", "said"),
    [
        (dc.Mondrian(k=5, release="range"), "another kind"),
        (dc.LocalSuppression(k=3), "cannot be computed, so there is no score"),
    ],
    ids=repr,
)
def test_a_candidate_without_a_comparable_score_says_why(original, masker, said):
    study = dc.compare(original, [masker, dc.MDAV(k=3)], workers=1, score="mean")
    assert said in study.rows[0]["error"]
    assert [entry["method"] for entry in study.ranking()] == ["mdav"]
    # The headline counts what those cells lost, so that both are ranked.
    assert len(dc.compare(original, [masker, dc.MDAV(k=3)], workers=1).ranking()) == 2


# --------------------------------------------------------------------------------------------- larger than memory


def test_tables_larger_than_memory_are_told_the_same(original, tmp_path):
    dc.write(original, tmp_path / "a.parquet")
    for name, empty in (("one", ("INC",)), ("both", ("AGE", "INC")), ("none", ())):
        dc.write(without(*empty), tmp_path / f"{name}.parquet")
    one = dc.assess(dc.scan(tmp_path / "a.parquet", SCHEMA), dc.scan(tmp_path / "one.parquet", SCHEMA))
    assert one["il1s"].value == pytest.approx(IL1s(attributes=["AGE"]).measure(original, without("INC")).value)
    assert one["il1s"].details["not_compared"] == ["INC"]
    assert "Not compared: INC" in one["il1s"].sentence
    assert one.not_computed == ()
    both = dc.assess(dc.scan(tmp_path / "a.parquet", SCHEMA), dc.scan(tmp_path / "both.parquet", SCHEMA))
    assert both.not_computed == dc.assess(original, without("AGE", "INC")).not_computed
    assert {found.name for found in both.not_computed} >= {"il1s", "sse", "means", "variances"}
    whole = dc.assess(dc.scan(tmp_path / "a.parquet", SCHEMA), dc.scan(tmp_path / "none.parquet", SCHEMA))
    assert "not_compared" not in whole["il1s"].details
    assert whole.not_computed == ()


def reports_of(original, masked, **options):
    reports = []
    with listening(lambda *report: reports.append(report)):
        assessment = dc.assess(original, masked, **options)
    return assessment, reports


def test_the_measure_that_is_worked_on_is_named(original):
    masked = dc.MDAV(k=3).mask(original)
    assessment, reports = reports_of(original, masked)
    counted = [report for report in reports if report[0] == "measuring"]
    total = len(assessment.measurements) + len(assessment.not_computed)
    assert counted == [("measuring", done, total) for done in range(total + 1)]
    names = [label.removeprefix("measuring ") for label, *_ in reports if label.startswith("measuring ")]
    # What is put together from others takes no time of its own.
    assert {one.name for one in assessment.measurements} - {"combined-linkage"} <= set(names)
    assert {"distance-linkage on numbers", "probabilistic-linkage on categories"} <= set(names)
    # One begins and ends before the next: whoever shows a bar for each shows one at a time.
    own = [report for report in reports if report[0].startswith("measuring ")]
    assert [report[1:] for report in own] == [(0, 1), (1, 1)] * (len(own) // 2)
    assert all(begun[0] == ended[0] for begun, ended in zip(own[::2], own[1::2], strict=True))
    # While it links, it is the one that is named.
    at = [place for place, report in enumerate(reports) if report[0] == "linking"]
    assert all(
        "linkage" in next(r[0] for r in reversed(reports[:place]) if r[0].startswith("measuring ")) for place in at
    )


def test_a_measure_that_cannot_be_computed_is_not_left_open(original):
    assessment, reports = reports_of(original, without("AGE", "INC", "FUEL"), measures=None)
    assert assessment.not_computed
    last = {label: (done, total) for label, done, total in reports if label.startswith("measuring")}
    assert last
    assert all(done == total for done, total in last.values())


def test_the_command_line_tells_how_long_each_measure_took(tmp_path):
    frame().write_csv(tmp_path / "a.csv")
    frame().with_columns(pl.col("INC") + 1.0).write_csv(tmp_path / "b.csv")
    workflow.save_schema(SCHEMA, tmp_path / "a.toml")
    arguments = [
        "assess",
        str(tmp_path / "a.csv"),
        str(tmp_path / "b.csv"),
        "-s",
        str(tmp_path / "a.toml"),
        "--verbose",
    ]
    told = CliRunner().invoke(app, arguments, env={"COLUMNS": "220"})
    assert told.exit_code == 0, told.stderr
    assert "measuring distance-linkage: 1 steps in " in told.stderr


# ------------------------------------------------------------------------------------------------------- piece by piece


def measure(name):
    return dc.methods("measure")[name]()


@pytest.mark.parametrize(
    ("name", "memory", "stored"),
    [("il1s", "", ""), ("classification", "", ""), ("uniques", "known", ""), ("k-anonymity", "known", ""),
     ("probabilistic-linkage", "known", ""), ("distance-linkage", "numbers", "numbers"),
     ("combined-linkage", "numbers", "numbers"), ("masking-aware-linkage", "aware", "aware")],
)  # fmt: skip
def test_a_risk_is_taken_on_what_an_intruder_knows_and_a_loss_on_the_files(
    original, tmp_path, monkeypatch, name, memory, stored
):
    assert _Views(original, original, None).kind_of(measure(name)) == memory
    dc.write(original, tmp_path / "a.parquet")
    file = dc.scan(tmp_path / "a.parquet", SCHEMA)
    for pair in ((file, file), (original, file), (file, original)):
        assert _Views(*pair, None).kind_of(measure(name)) == stored
        assert _Views(*pair, None).stored
    assert not _Views(original, original, None).stored
    # Beyond what is compared at once, files are looked at as they are; 60 records are not beyond 60.
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 60)
    assert _Views(file, file, None).kind_of(measure(name)) == stored
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 59)
    assert _Views(file, file, None).kind_of(measure(name)) == ""


def test_what_does_not_fit_the_release_is_told_with_the_first_five_columns():
    def wide(columns, scale):
        names = [f"x{j}" for j in range(columns)]
        values = [1.0, 2.0] if scale.kind == "numeric" else ["a", "b"]
        return Microdata(
            pl.DataFrame(dict.fromkeys(names, values)), dc.Schema([dc.Attribute(n, scale, "key") for n in names])
        )

    reasons = []
    for columns in (1, 2, 5, 6, 8):
        before, after = wide(columns, dc.Numeric()), wide(columns, dc.Nominal(("a", "b")))
        fitting, ((no),) = applicable([measure("il1s")], before, before, after)
        assert fitting == []
        assert (no.name, no.title, no.kind, no.in_score) == ("il1s", measure("il1s").title, "loss", True)
        reasons.append(no.reason)
    assert reasons == [
        "x0 is released on a scale of another kind.",
        "x0, x1 are released on a scale of another kind.",
        "x0, x1, x2, x3, x4 are released on a scale of another kind.",
        "x0, x1, x2, x3, x4 and 1 more are released on a scale of another kind.",
        "x0, x1, x2, x3, x4 and 3 more are released on a scale of another kind.",
    ]
    words = wide(2, dc.Nominal(("a", "b")))
    assert applicable([measure("il1s")], words, words, words) == ([], [])
    numbers = wide(2, dc.Numeric())
    (only,), none = applicable([measure("il1s")], numbers, words, numbers)
    assert (only.name, none) == ("il1s", [])
    # A risk is of what is known.
    (one,), none = applicable([measure("uniques")], numbers, words, words)
    assert (one.name, none) == ("uniques", [])


def test_who_must_be_told_how_the_file_was_masked_is_left_out_without_it(original):
    masked = dc.MDAV(k=3).mask(original)
    aware = [measure("masking-aware-linkage")]
    assert applicable(aware, original, original, masked.microdata) == ([], [])
    assert applicable(aware, original, original, masked) == (aware, [])
    assert applicable(aware, original, original, masked.microdata, masked.provenance) == (aware, [])


def test_what_has_no_value_in_one_of_the_files_is_emptied(original):
    names = ["AGE", "INC", "FUEL", "other"]
    assert emptied(original, without("INC"), names) == ["INC"]
    assert emptied(without("FUEL"), masked_without("INC"), names) == ["INC", "FUEL"]
    assert emptied(original, without("INC").select(["AGE"]), names) == []
    assert emptied(original, without("INC"), ["AGE"]) == []


def test_a_release_in_another_order_is_put_in_order_once(original):
    moved = dc.RecordOrder(random_state=1).mask(original)
    before, release = paired(original, moved)
    assert release.provenance.rows is None
    assert before.column("INC").to_pylist() == release.microdata.column("INC").to_pylist()
    masked = dc.MDAV(k=3).mask(original)
    assert paired(original, masked)[1] is masked
    assert paired(original, masked.microdata)[1] is masked.microdata


def test_an_inquiry_that_asks_nothing_is_at_its_end_and_is_not_reported():
    def silent():
        return "answer"
        yield

    def asks():
        first = yield "one"
        try:
            second = yield "two"
        except DataError:
            second = "error"
        return (first, second)

    reports = []
    with listening(lambda *report: reports.append(report)):
        named = _named(silent(), "label")
        with pytest.raises(StopIteration) as end:
            next(named)
        assert (end.value.value, reports) == ("answer", [])
        named = _named(asks(), "label")
        assert next(named) == "one"
        assert reports == []
        assert named.send(1) == "two"
        assert reports == [("label", 0, 1), ("label", 1, 1)]
        with pytest.raises(StopIteration) as end:
            named.throw(DataError("no"))
        assert end.value.value == (1, "error")
        assert reports == [("label", 0, 1), ("label", 1, 1)] * 2


def test_measures_come_back_in_their_order_and_hold_nothing_found(original):
    masked = dc.MDAV(k=3).mask(original)
    names = ["combined-linkage", "il1s", "distance-linkage", "uniques", "probabilistic-linkage"]
    reports = []
    with listening(lambda *report: reports.append(report)):
        results, without_ = take_measures([measure(name) for name in names], original, masked, progress=True)
    assert [one.name for one in results] == names
    assert without_ == []
    assert all(one.found == {} for one in results)
    assert [r for r in reports if r[0] == "measuring"] == [("measuring", done, 5) for done in range(6)]
    alone, _ = take_measures([measure("combined-linkage")], original, masked)
    assert alone[0].value == pytest.approx(results[0].value)
    quiet = []
    with listening(lambda *report: quiet.append(report[0])):
        take_measures([measure("il1s")], original, masked)
        take_measures([measure("il1s")], original, masked, beside=" on this")
    assert [label for label in quiet if label.startswith("measuring")] == ["measuring il1s on this"] * 2


def test_what_cannot_be_measured_is_told_or_an_error_where_it_is_needed(original):
    both = without("AGE", "INC")
    results, (no,) = take_measures([measure("il1s"), measure("suppression")], original, both)
    assert [one.name for one in results] == ["suppression"]
    assert (no.name, no.kind, no.in_score) == ("il1s", "loss", True)
    with pytest.raises(MissingValueError):
        take_measures([measure("il1s")], original, both, needed=True)
    with pytest.raises(MissingValueError):
        take_measure(measure("il1s"), original, both)
