"""The headline: a worst case that cannot flatter, the unmasked file beside it, and one number for one release."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet import Attribute, Nominal, Numeric, Schema, workflow
from discreet.contracts.assessment import Assessment, Score
from discreet.contracts.intruder import Intruder
from discreet.contracts.measurement import Measurement
from discreet.data.microdata import Microdata
from discreet.errors import DataError
from discreet.evaluation.attacking import Attack, Attacks, monotone
from discreet.evaluation.exact_matching import exact_match, risk_of_unmasked
from discreet.evaluation.experiment import Originals, Scoring, plan, run
from discreet.evaluation.headline import loss_of, unmasked_score, worst_case, worst_of
from discreet.evaluation.told_masking import told
from discreet.measures.loss.cell_loss import CellLoss
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Step
from discreet.studio.desk import Desk
from discreet.studio.session_values import Given, adopt


@pytest.fixture(scope="module")
def data():
    return dc.datasets.housing(120)


def masker(name, **given):
    return dc.methods("masker")[name](**given)


# ------------------------------------------------------------------------------------------------------------ the risk


def test_the_risk_is_the_highest_of_all_attacks_and_the_sentence_says_which(data):
    found = dc.assess(data, masker("mdav", k=5).mask(data))
    risks = {name: value for name, value in found.score.ingredients.items() if name != "cell-loss"}
    assert found.score.name == "worst-case"
    assert found.score.risk == max(risks.values())
    # Numbers were masked, categories were not: he looks at those alone, and finds more than with everything.
    assert found.score.risk >= max(found["distance-linkage"].value, found["probabilistic-linkage"].value)
    assert "all keys" in found.score.sentence
    assert found.score.linker in found.score.sentence
    assert found.score.known[0] in found.score.sentence
    assert found.score.value == (found.score.risk + found.score.loss) / 2
    assert found.score.loss == found["cell-loss"].value


def test_who_knows_more_never_finds_less(data):
    keys = data.schema.keys
    categories = data.schema.of_scale("ordinal", "nominal", among=keys)
    few = categories[:3]
    intruders = [Intruder("all", keys), Intruder("categories", categories), Intruder("few", few)]
    for release in (
        masker("mixed-mdav", k=4).mask(data),
        masker("additive-noise", level=0.8, random_state=2).mask(data),
        masker("local-suppression", k=2).mask(data),
    ):
        found = workflow.assess(data, release, intruders=intruders)
        assert found["all"].score.risk >= found["categories"].score.risk >= found["few"].score.risk
        assert found["all"].unmasked.risk >= found["categories"].unmasked.risk >= found["few"].unmasked.risk
        for one in found.values():
            assert one.score.risk >= one["distance-linkage"].value
            assert one.score.risk >= one["probabilistic-linkage"].details["percent_with_known_m"]


def test_an_intruder_has_the_attacks_of_those_who_know_less():
    less = Attacks("neighbour", ("a",), (Attack("neighbour", "distance", ("a",), 40.0),), ("Something: too large.",))
    more = Attacks("office", ("a", "b"), (Attack("office", "distance", ("a", "b"), 10.0),))
    other = Attacks("stranger", ("c",), (Attack("stranger", "distance", ("c",), 5.0),))
    found = monotone({one.intruder: one for one in (less, more, other)})
    assert found["office"].worst.percent == 40.0
    assert found["office"].absent == less.absent
    assert found["stranger"] == other


def test_exact_match_by_hand():
    a = Microdata(pl.DataFrame({"x": [1.0, 1.0, None, None, 5.0]}), Schema([Attribute("x", Numeric(), "key")]))
    b = Microdata(pl.DataFrame({"x": [1.0, 2.0, None, None, 5.0]}), a.schema)
    assert exact_match(a, b, ["x"]) == pytest.approx(100 * (0.5 + 0 + 0.5 + 0.5 + 1) / 5)
    assert risk_of_unmasked(a, ["x"]) == pytest.approx(100 * 3 / 5)


# --------------------------------------------------------------------------------------------------- the unmasked file


def test_the_unmasked_file_is_its_own_headline(data):
    found = dc.assess(data, data)
    assert found.score.loss == 0.0
    assert found.score.risk == found.unmasked.risk
    assert found.score.value == found.unmasked.value
    assert "near 50" not in found.score.sentence


def test_gaps_do_not_part_the_unmasked_file_from_itself():
    rng = np.random.default_rng(3)
    x = [None if rng.random() < 0.3 else int(v) for v in rng.integers(0, 6, 80)]
    y = [None if rng.random() < 0.3 else v for v in rng.choice(list("abc"), 80)]
    schema = Schema([Attribute("x", Numeric(), "key"), Attribute("y", Nominal(list("abc")), "key")])
    table = Microdata(pl.DataFrame({"x": x, "y": y}), schema)
    found = dc.assess(table, table)
    assert found.score.risk == found.unmasked.risk == pytest.approx(100 * len(set(zip(x, y, strict=True))) / 80)


def test_a_study_has_the_unmasked_file_beside_it(data):
    study = dc.compare(data, [masker("mixed-mdav", k=5)])
    beside = study.unmasked_entry()
    assert beside["risk"] == dc.assess(data, data).score.risk
    assert beside["loss"] == 0.0
    assert "unmasked file" in study._repr_html_()


# ------------------------------------------------------------------------------------------------------- the one figure


def test_one_release_has_one_number_everywhere(data, tmp_path):
    step = Step("rank-swapping", {"p": 10.0, "random_state": 5})
    release = masker("rank-swapping", p=10.0, random_state=5).mask(data)
    score = dc.assess(data, release).score
    figures = (score.risk, score.loss, score.value)

    def same(other):
        assert (other.risk, other.loss, other.value) == pytest.approx(figures, abs=1e-9)

    assert score.linker == "masking-aware linkage"
    # A file alone does not say how it was masked, and the headline says that; whoever tells it has the one number.
    alone = dc.assess(data, release.microdata).score
    assert alone.risk < score.risk
    assert "nobody was played who knows it" in alone.sentence
    assert "nobody was played" not in score.sentence
    same(dc.assess(data, told(data, release.microdata, masker("rank-swapping", p=10.0))).score)
    same(dc.assess(data, release, measures=["il1s", "distance-linkage"]).score)
    same(workflow.assess(data, release, intruders=())["all keys"].score)
    dc.write(data, tmp_path / "a.parquet")
    dc.write(release.microdata, tmp_path / "b.parquet")
    stored = dc.scan(tmp_path / "a.parquet", data.schema)
    written = dc.scan(tmp_path / "b.parquet", data.schema)
    same(dc.assess(stored, written, provenance=release.provenance).score)
    unsaid = dc.assess(stored, written).score
    assert (unsaid.risk, unsaid.sentence) == (pytest.approx(alone.risk), alone.sentence)
    run_ = workflow.run(Protocol(data.schema, [step], [Intruder("all keys", data.schema.keys)]), original=data)
    same(run_.assessment.score)
    (experiment,) = plan([masker("rank-swapping", p=10.0)], {"all": data.schema.keys}, 1, 0)
    row = run(replace(experiment, seed=5), Originals(data), [CellLoss()], Scoring(defaults=False))
    assert (row["risk"], row["loss"], row["score"]) == pytest.approx(figures, abs=1e-9)


def test_adopting_a_point_adopts_the_draw_that_was_measured():
    desk, given = Desk(), Given("sample", "housing", "sample: housing", n=80)
    schema = desk.open(given).schema
    candidate = masker("rank-swapping", p=8.0)

    def told(store):
        return desk.compare(given, schema, [candidate], 3, 11, store)

    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        study = told(f"{folder}/rows.jsonl")
    (point,) = study.points
    step = adopt(candidate, point.draw["seed"])
    protected = desk.protect(given, schema, [step], seed=999)
    score = protected.assessment.score
    assert (score.risk, score.loss, score.value) == (point.draw["risk"], point.draw["loss"], point.draw["score"])
    assert study.unmasked.risk == protected.assessment.unmasked.risk


# ----------------------------------------------------------------------------------------------------------- thresholds


def partial(percent):
    """Return an assessment of which a part could not be computed."""
    table = dc.datasets.business(30)
    found = dc.assess(table, masker("mdav", k=3).mask(table))
    attacks = Attacks("all keys", found.known, (Attack("all keys", "distance", found.known, percent),), ("Not this.",))
    return replace(found, score=worst_case(attacks, found["cell-loss"], 100.0))


def test_a_partial_risk_above_the_limit_misses_it_and_below_is_no_answer():
    found = partial(30.0)
    assert "at least 30.0 %" in found.score.sentence
    (verdict,) = workflow.verify(found, {"risk_at_most": 20})
    assert not verdict.met
    assert "at least" in verdict.sentence
    with pytest.raises(DataError, match="cannot be verified"):
        workflow.verify(found, {"risk_at_most": 40})


def test_larger_tables_say_that_the_risk_is_at_least_so_much(data, monkeypatch, tmp_path):
    release = masker("mixed-mdav", k=4).mask(data)
    whole = dc.assess(data, release)
    dc.write(data, tmp_path / "a.parquet")
    dc.write(release.microdata, tmp_path / "b.parquet")
    monkeypatch.setattr("discreet.statistics.question.MOST_AT_ONCE", 50)
    found = dc.assess(data, release)
    stored = dc.assess(
        *(dc.scan(tmp_path / name, data.schema) for name in ("a.parquet", "b.parquet")), provenance=release.provenance
    )
    assert stored.score.sentence == found.score.sentence
    assert [(m.name, m.sentence) for m in stored.measurements] == [(m.name, m.sentence) for m in found.measurements]
    assert {m.name for m in stored.not_computed} == {m.name for m in found.not_computed}
    assert found.score.incomplete
    assert found.score.risk <= whole.score.risk + 1e-9
    assert found.unmasked.risk == whole.unmasked.risk
    with pytest.raises(DataError, match="cannot be verified"):
        workflow.verify(found, {"risk_at_most": 100})


def test_a_threshold_that_the_unmasked_file_meets_is_said_to_ask_for_nothing():
    levels = ["a", "b"]
    schema = Schema([Attribute("x", Nominal(levels), "key"), Attribute("y", Numeric(), "confidential")])
    table = Microdata(pl.DataFrame({"x": levels * 30, "y": np.arange(60.0)}), schema)
    steps = [Step("pram", {"random_state": 1})]
    run_ = workflow.run(Protocol(schema, steps, thresholds={"risk_at_most": 20.0}), original=table)
    assert run_.met
    assert "asks for nothing" in run_.verdicts[0].sentence
    assert "threshold-met-unmasked" in [remark.code for remark in run_.advice]


def test_proposed_ceilings_lie_below_the_unmasked_file(tmp_path):
    low = pl.DataFrame({"sex": ["f", "m"] * 60, "home": ["own", "own", "rent", "rent"] * 30})
    low.write_csv(tmp_path / "low.csv")
    plan_ = workflow.propose(tmp_path / "low.csv")
    unmasked = 100 * 4 / 120
    assert 0 < plan_.thresholds["risk_at_most"] < unmasked
    assert "smallest_group" not in plan_.thresholds  # thirty of each already
    dc.write(dc.datasets.housing(60), tmp_path / "high.csv")
    assert workflow.propose(tmp_path / "high.csv").thresholds == {"risk_at_most": 20.0, "smallest_group": 3}
    public = workflow.propose(tmp_path / "high.csv", release="public")
    assert public.thresholds["risk_at_most"] == 10.0
    assert public.steps[0].parameters["k"] == 10


def test_a_certificate_of_numbers_among_categories_is_in_points():
    table = dc.datasets.housing(60)
    release = masker("mixed-mdav", k=5).mask(table)
    said = workflow.certify(table, release, budget="1s")
    assert said.beside
    assert "points of 100" in said.sentence
    assert "%" not in said.sentence


# ------------------------------------------------------------------------------------------------------ many keys


def wide(columns=40, n=60):
    rng = np.random.default_rng(8)
    names = [f"q{j:02}" for j in range(columns)]
    schema = Schema(Attribute(name, Nominal(tuple("abc")), "key") for name in names)
    return Microdata(pl.DataFrame({name: rng.choice(list("abc"), n) for name in names}), schema)


def test_a_linker_that_cannot_take_all_keys_is_told_as_what_it_is_and_leaves_the_headline_whole():
    data = wide()
    masked = masker("pram", theta=0.4, random_state=1).mask(data)
    found = dc.assess(data, masked)
    assert len(found["probabilistic-linkage"].details["known"]) == 20
    assert found.score.remarks == ("Probabilistic linkage used 20 of 40 keys.",)
    assert found.score.sentence.endswith("Probabilistic linkage used 20 of 40 keys.")
    assert found.score.to_dict()["remarks"] == list(found.score.remarks)
    # Distance-based linkage took all of them, so that the worst case is one.
    assert found.score.incomplete == ()
    assert len(found["distance-linkage"].details["known"]) == 40
    assert found.score.risk >= max(found["distance-linkage"].value, found["probabilistic-linkage"].value)
    (verdict,) = workflow.verify(found, {"risk_at_most": 100})
    assert verdict.met


def test_few_keys_need_no_remark(data):
    assert dc.assess(data, masker("mdav", k=5).mask(data)).score.remarks == ()


def test_what_somebody_used_who_knows_less_is_told_where_it_counts():
    loss = CellLoss().measure(wide(3), wide(3))
    less = Attacks("less", ("a", "b"), (Attack("less", "some linkage", ("a",), 30.0, of=2),))
    more = Attacks("more", ("a", "b", "c"), (Attack("more", "some linkage", ("a", "b"), 10.0, of=3),))
    both = monotone({"less": less, "more": more})
    assert worst_case(both["less"], loss, 100.0).remarks == ("Some linkage used 1 of 2 keys.",)
    assert set(worst_case(both["more"], loss, 100.0).remarks) == {
        "Some linkage used 1 of 2 keys.",
        "Some linkage used 2 of 3 keys.",
    }
    quiet = Attacks("less", ("a", "b"), (replace(less.made[0], percent=1.0),))
    alone = monotone({"less": quiet, "more": more})["more"]
    assert worst_case(alone, loss, 100.0).remarks == ("Some linkage used 2 of 3 keys.",)


@pytest.mark.parametrize("sizes", [(5, 5, 5), (10, 10), (7, 3, 3, 7), (49, 1)])
def test_a_file_of_equal_records_risks_exactly_its_classes(sizes):
    values = [float(place) for place, size in enumerate(sizes) for _ in range(size)]
    table = Microdata(pl.DataFrame({"x": values}), Schema([Attribute("x", Numeric(), "key")]))
    assert risk_of_unmasked(table, ["x"]) == 100.0 * len(sizes) / sum(sizes)


# ----------------------------------------------------------------------------------------------------- sentences whole


def lost(value, name="cell-loss", **details):
    return Measurement(name, "Loss", "loss", value, 0.0, 100.0, "%", "", details=details)


REST = "The score is the mean of both, 0 is best; the unmasked file has 40.0 (risk 80.0 %, loss 0)."


@pytest.mark.parametrize(
    ("attack", "loss", "sentence"),
    [
        (Attack("he", "guessing", (), 2.0), lost(0.0, worst="age"),
         "finds 2.0 % of the records, by guessing. The cells lost 0.0 %."),
        (Attack("he", "d", ("a",), 2.0), lost(0.04, worst="age"),
         "finds 2.0 % of the records, by d on 1 key (a). The cells lost less than 0.1 %, most in age."),
        (Attack("he", "d", tuple("abcd"), 2.0), lost(0.05),
         "finds 2.0 % of the records, by d on 4 keys (a, b, c, d). The cells lost 0.1 %."),
        (Attack("he", "d", tuple("abcdef"), 2.0, (1.0, 3.25)), lost(7.0),
         ("finds 2.0 % of the records, by d on 6 keys (a, b, c, d and 2 more), 1.0 to 3.2 % from a sample. The cells "
          "lost 7.0 %.")),
        (Attack("he", "d", ("a",), 2.0, part="numbers"), lost(7.0),
         "finds 2.0 % of the records, by d on 1 numbers alone (a). The cells lost 7.0 %."),
        (Attack("he", "d", ("a", "b"), 2.0, part="numbers"), lost(120.0),
         "finds 2.0 % of the records, by d on 2 numbers alone (a, b). The cells lost 100.0 %."),
    ],
)  # fmt: skip
def test_the_worst_case_in_words(attack, loss, sentence):
    score = worst_case(Attacks("he", ("a",), (attack,)), loss, 80.0)
    assert score.sentence == f"Worst case: the intruder “he” {sentence} {REST}"


def test_the_headline_of_several_intruders_has_all_that_they_try():
    one = Attacks(
        "one", ("a",), (Attack("one", "d", ("a",), 4.0), Attack("one", "d", ("a",), 9.0, part="numbers")),
        ("No e.",), ("Untold.",),
    )  # fmt: skip
    two = Attacks(
        "two", ("b",), (Attack("two", "d", ("b",), 6.0, of=2), Attack("one", "d", ("a",), 3.0)), ("No e.", "No f.")
    )  # fmt: skip
    score = worst_case((one, two), lost(5.0, worst="age"), 80.0)
    assert (score.name, score.value, score.loss, score.risk) == ("worst-case", 7.0, 5.0, 9.0)
    assert score.ingredients == {"one: d": 4.0, "one: d on numbers": 9.0, "two: d": 6.0, "cell-loss": 5.0}
    assert (score.intruder, score.linker, score.known, score.worst_column) == ("one", "d", ("a",), "age")
    assert score.incomplete == ("No e.", "No f.")
    assert score.remarks == ("D used 1 of 2 keys.", "Untold.")
    assert score.sentence == (
        "Worst case: the intruder “one” finds at least 9.0 % of the records, by d on 1 numbers alone (a). The cells "
        f"lost 5.0 %, most in age. {REST} Not in the risk: No e. No f. D used 1 of 2 keys. Untold."
    )
    alone = worst_case(one, lost(0.0, worst="age"), 80.0)
    assert alone.ingredients == {"d": 4.0, "d on numbers": 9.0, "cell-loss": 0.0}
    assert (alone.worst_column, alone.value) == ("", 4.5)
    assert worst_case(one, lost(5.0), 80.0).worst_column == ""


def test_the_headline_of_the_unmasked_file():
    assert unmasked_score(30.0, "he", ["a", "b"]).to_dict() == {
        "name": "worst-case", "value": 15.0, "loss": 0.0, "risk": 30.0,
        "sentence": "The unmasked file: records that differ in what the intruder “he” knows are found, 30.0 %.",
        "ingredients": {"exact match": 30.0, "cell-loss": 0.0},
        "intruder": "he", "linker": "exact match", "known": ["a", "b"], "worst_column": "",
        "incomplete": [], "remarks": [],
    }  # fmt: skip
    assert unmasked_score(30.0).intruder == "all keys"


def test_the_worst_scenario_is_the_first_of_those_that_risk_most():
    def assessment(risk, value):
        return Assessment(5, (), (), Score("worst-case", value, 0.0, risk, ""))

    found = {"a": assessment(3.0, 9.0), "b": assessment(5.0, 1.0), "c": assessment(5.0, 2.0)}
    assert worst_of(found) == ("b", found["b"])


def test_what_the_cells_lost_is_measured_unless_it_was_of_all_keys():
    data = dc.datasets.business(30)
    release = masker("mdav", k=3).mask(data)
    measured = loss_of(data, release)
    keys = list(data.schema.keys)
    assert measured.name == "cell-loss"
    assert measured.value > 0
    given = lost(77.0, counted=[*keys, "more"])
    assert loss_of(data, release, [lost(1.0, "il1s", counted=keys), given]) is given
    assert loss_of(data, release, [lost(77.0, counted=keys[1:])]).value == measured.value
    assert loss_of(data, release, [lost(77.0)]).value == measured.value
