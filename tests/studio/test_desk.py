"""The work behind the pages, without any page."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from discreet import workflow
from discreet.errors import DataError, SchemaError
from discreet.masking.microaggregation.numbers.mdav import MDAV
from discreet.progress import listening
from discreet.studio.desk import Desk
from discreet.studio.map_points import study_map
from discreet.studio.session_values import Answer, Given, History, adopt, read_protocol
from discreet.workflow import Intruder, Protocol, Step


@pytest.fixture
def desk():
    return Desk()


BUSINESS = Given("sample", "business", "sample: business", n=120)


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "data.csv"
    rng = np.random.default_rng(0)
    rows = [
        f"p{i},{rng.integers(1, 9)},{rng.choice(['low', 'mid', 'high'])},{1000 * rng.random():.1f}" for i in range(90)
    ]
    rows[3] = "p3,-9,?,5.0"
    path.write_text("person_id,rooms,heat,rent\n" + "\n".join(rows) + "\n")
    return Given("file", str(path), "survey.csv")


def test_opening_tells_types_counts_and_reasons(desk, survey):
    opened = desk.open(survey)
    assert opened.n_records == 90
    assert opened.schema["person_id"].role == "identifier"
    assert opened.schema["heat"].missing == ("?",)
    assert opened.missing["heat"] == 1
    assert set(opened.reasons) == set(opened.types) == {"person_id", "rooms", "heat", "rent"}
    assert len(opened.rows) == 20
    assert "p3" not in repr(opened), "rows are for who asks"
    pickle.dumps(opened)


def test_answers_become_a_declaration(desk, survey):
    schema = desk.open(survey).schema
    levels = schema["heat"].scale.levels
    order = tuple(levels.index(word) for word in ("low", "mid", "high"))
    answers = {
        "heat": Answer("confidential", "ordinal", ("?",), order, "heating"),
        "rooms": Answer("key", "ordinal", ("-9",)),
    }
    declared = desk.declare(survey, schema, answers)
    assert declared.schema["heat"].scale.levels == ("low", "mid", "high")
    assert declared.schema["heat"].scale.kind == "ordinal"
    assert declared.schema["heat"].label == "heating"
    assert -9 not in declared.schema["rooms"].scale.levels
    assert declared.missing["rooms"] == 1
    assert declared.schema["rent"] == schema["rent"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [(Answer("king", "nominal"), "there is no role"),
     (Answer("key", "nominal", ("?",), (0, 0, 1)), "in the order once"),
     (Answer("key", "sequence", ("?",)), "cannot be made sequence"), (Answer("key", "numeric", ("?",)), "heat")],
)  # fmt: skip
def test_wrong_answers_are_refused(desk, survey, answer, message):
    schema = desk.open(survey).schema
    with pytest.raises((SchemaError, DataError), match=message):
        desk.declare(survey, schema, {"heat": answer})


def test_the_risk_of_an_unprotected_file(desk):
    given = Given("sample", "housing", "sample: housing", n=150)
    schema = desk.open(given).schema
    risk = desk.risk(given, schema, [Intruder("neighbour", ("BUILT", "RENT"))])
    assert {m.name for m in risk.measurements} >= {
        "uniques",
        "k-anonymity",
        "distance-linkage",
        "probabilistic-linkage",
    }
    assert {c.name for c in risk.contributions} == set(schema.keys)
    without = [c.expected_without for c in risk.contributions]
    assert without == sorted(without)
    assert all(c.expected_without <= c.expected_now + 1e-9 for c in risk.contributions)
    assert risk.scenarios["neighbour"]
    pickle.dumps(risk)


def test_steps_are_the_same_as_those_of_the_library(desk):
    schema = desk.open(BUSINESS).schema
    steps = [Step("mdav", {"k": 4}), Step("rank-swapping", {"p": 5.0})]
    first = desk.protect(BUSINESS, schema, steps, 7)
    again = Desk().protect(BUSINESS, schema, steps, 7)
    assert first.assessment == again.assessment, "an empty desk gives the same"
    from discreet.datasets import business

    masked = workflow.Chain(steps, 7).mask(business(120, 0))
    assert workflow.assess(business(120, 0), masked).score == first.assessment.score
    assert all(svg.startswith("<svg") for _, svg in first.charts)
    assert len(first.charts) >= 3


def test_a_study_is_told_as_it_goes(desk, tmp_path):
    schema = desk.open(BUSINESS).schema
    told, labels = [], set()
    desk.tell = told.append
    with listening(lambda label, *_: labels.add(label)):
        study = desk.compare(BUSINESS, schema, [MDAV(k=3), MDAV(k=9)], 1, 0, str(tmp_path / "rows.jsonl"))
    assert [len(one.points) for one in told] == [0, 1, 2]
    assert "experiments" in labels
    assert (study.done, study.total) == (2, 2)
    assert adopt(MDAV(k=9)) == Step("mdav", {"k": 9})
    lines = {p.label: p for p in study.points}
    low, high = lines["mdav(k=9)"], lines["mdav(k=3)"]
    assert low.risk < high.risk
    assert low.x < high.x
    assert low.loss > high.loss
    assert low.y < high.y, "more loss is further up, and a picture counts from its top"


def test_a_map_of_nothing():
    assert study_map([], 5).points == ()


def test_an_attack_with_the_original_a_register_and_no_common_name(desk, tmp_path):
    schema = desk.open(BUSINESS).schema
    steps = [Step("mdav", {"k": 3})]
    own = desk.attack(BUSINESS, schema, steps, 1, "distance", {})
    assert own.rate == pytest.approx(100 * own.expected / 120)
    assert own.chance == 1.0
    assert own.chance_rate == pytest.approx(100 / 120)
    workflow.write_dataset("business", tmp_path / "register.csv", n=120)
    held = Given("file", str(tmp_path / "register.csv"), "register.csv")
    by_column = desk.attack(BUSINESS, schema, steps, 1, "distance", {}, held, schema.of_role("identifier")[0])
    assert by_column.rate == pytest.approx(own.rate)
    unknown = desk.attack(BUSINESS, schema, steps, 1, "distance", {}, held)
    assert unknown.rate is None
    assert unknown.with_candidate == 120
    apart = desk.attack(BUSINESS, schema, steps, 1, "structural", {}, held, "order")
    assert apart.rate is not None
    (tmp_path / "short.csv").write_text("EMPLOYEES\n1\n2\n3\n")
    short = Given("file", str(tmp_path / "short.csv"), "short.csv")
    with pytest.raises(DataError, match="cannot say who is who"):
        desk.attack(BUSINESS, schema, steps, 1, "distance", {"attributes": ["EMPLOYEES"]}, short, "order")
    (tmp_path / "other.csv").write_text("x,y\n1,2\n2,3\n3,5\n")
    with pytest.raises(SchemaError, match="no column name in common"):
        desk.attack(BUSINESS, schema, steps, 1, "distance", {}, Given("file", str(tmp_path / "other.csv"), "o.csv"))


def test_a_release_is_complete_and_repeats(desk, tmp_path):
    schema = desk.open(BUSINESS).schema
    steps = [Step("rank-swapping", {"p": 5.0})]
    for place in ("first", "second"):
        (tmp_path / place).mkdir()
        released = desk.release(BUSINESS, schema, steps, 3, (), {"risk_at_most": 100.0}, str(tmp_path / place))
    assert [v.met for v in released.verdicts] == [True]
    for file in released.files:
        one, two = (tmp_path / place / file.name for place in ("first", "second"))
        assert one.read_bytes() == two.read_bytes(), file.name
    assert (tmp_path / "first" / "release.zip").read_bytes() == (tmp_path / "second" / "release.zip").read_bytes()
    public = json.loads((tmp_path / "first" / "manifest-external.json").read_text())
    assert "protocol" not in public
    again = workflow.run(tmp_path / "first" / "protocol.toml")
    workflow.write(again.masked, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "first" / "masked.csv").read_bytes()
    assert "import discreet" in (tmp_path / "first" / "release.py").read_text()


def test_history_forgets_what_was_taken_back_only_for_a_new_step():
    history = History().add(Step("a")).add(Step("b")).add(Step("c"))
    assert not history.can_go_forward
    back = history.back().back()
    assert [step.method for step in back.steps] == ["a"]
    assert back.forward().forward() == history
    assert back.go(99) == history
    assert not back.go(-5).can_go_back
    assert [step.method for step in back.add(Step("d")).all_steps] == ["a", "d"]


def test_a_protocol_is_read_back(desk):
    schema = desk.open(BUSINESS).schema
    text = Protocol(schema, [Step("mdav", {"k": 4})], seed=5).to_toml()
    assert read_protocol(text).steps == (Step("mdav", {"k": 4}),)
