"""The plan of a study, its map, and what adopting a point does."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from fastapi import HTTPException
from tests.studio.loops import awaited

from discreet.studio.controls import CHAINS, plan_candidates
from discreet.studio.screens import compare
from discreet.studio.session_values import History
from discreet.workflow import Step

PLAN = {"method": "rounding", "p-base": "10, 20"}


def test_without_a_file_there_is_nothing_to_compare(client):
    assert str(client.get("/compare").url).endswith("/open")
    for path in ("add", "propose", "alternatives", "run"):
        assert str(client.post(f"/compare/{path}", PLAN).url).endswith("/open")
    assert client.post("/compare/adopt", {"label": "x"}).status_code == 404


def test_lines_of_the_plan_are_added_refused_and_removed(desk):
    session = desk.session
    desk.get("/compare")
    suggested = list(session.plan)
    assert suggested
    desk.get("/compare")
    assert session.plan == suggested
    desk.post("/compare/add", {**PLAN, "p-replacement": " "})
    assert session.plan == [*suggested, ("rounding", {"base": "10, 20"})]
    assert "compare:rounding" not in session.drafts
    page = desk.post("/compare/add", {"method": "rounding", "p-base": "nought"}).text
    assert "base must be" in page
    assert session.drafts["compare:rounding"].where == "base"
    assert desk.post("/compare/add", {"method": "no-such"}).status_code == 400
    for number in ("-1", "99", "x"):
        desk.post("/compare/remove", {"number": number})
        assert len(session.plan) == len(suggested) + 1
    desk.post("/compare/remove", {"number": "0"})
    assert session.plan == [*suggested[1:], ("rounding", {"base": "10, 20"})]


def test_chains_are_proposed_once_or_written(desk):
    session = desk.session
    session.plan, session.plan_made = [], True
    desk.post("/compare/propose", {"for": "research"})
    proposed = list(session.plan)
    assert proposed
    desk.post("/compare/propose", {"for": "research"})
    assert session.plan == proposed
    page = desk.post("/compare/propose", {"for": "nobody"}).text
    assert "nobody" not in str(session.plan)
    assert "notice" in page
    session.plan = []
    page = desk.post("/compare/alternatives", {"steps": "no toml ["}).text
    assert session.plan == []
    assert session.drafts["compare:chains"].where == "steps"
    text = '[[step]]\nmethod = "rounding"\nbase = 10\n'
    desk.post("/compare/alternatives", {"steps": text})
    assert session.plan == [(CHAINS, {"steps": text})]
    assert "compare:chains" not in session.drafts


def test_a_study_is_run_replaced_after_a_question_and_adopted(desk):
    session = desk.session
    session.plan, session.plan_made = [], True
    assert "The plan is empty." in desk.post("/compare/run").text
    session.plan = [("rank-swapping", {"p": "5, 9"})]
    desk.post("/compare/run", {"repetitions": "1"})
    call, arguments = session.worker.calls[-1]
    assert call == "compare"
    assert (len(arguments["candidates"]), arguments["repetitions"]) == (2, 1)
    assert arguments["seed"] == session.need_seed()
    assert session.study.done == session.study.total == 2
    assert "Compared 2 candidates." in str(session.decisions)
    file = session.study_kept["file"]
    desk.post("/compare/run", {"repetitions": "1"})  # the same plan goes on in its own file
    assert session.study_kept["file"] == file
    session.plan = [("rank-swapping", {"p": "5"})]
    page = desk.post("/compare/run", {"repetitions": "1"}).text
    assert "Replace the map?" in page
    assert "The map shows 2 runs of another plan." in page
    assert session.study_kept["file"] == file
    assert len(session.candidates) == 2
    for point, shown in (("0", True), ("1", True), ("2", False), ("-1", False), ("x", False)):
        page = desk.get(f"/compare?point={point}").text
        assert ('action="' in page and "/compare/adopt" in page) == shown
    assert "<svg" in desk.get("/compare/map").text
    label = session.study.points[0].label
    desk.post("/compare/adopt", {"label": label})
    (step,) = session.history.steps
    assert step.method == "rank-swapping"
    assert step.parameters["random_state"] == int(session.study.points[0].draw["seed"])
    assert f"Adopted {label}." in str(session.decisions)
    assert desk.post("/compare/adopt", {"label": "gone"}).status_code == 404


# ------------------------------------------------------------------------------------ without a server


def point(label, seed):
    return SimpleNamespace(label=label, draw={"seed": seed})


def drawn(*points, done=2, total=2):
    return SimpleNamespace(points=points, done=done, total=total)


def test_a_page_shows_the_plan_and_the_point_that_was_chosen(alone, monkeypatch):
    shown = []
    monkeypatch.setattr(compare, "page", lambda *values, **context: shown.append((values, context)))
    session = alone.session
    awaited(compare.show(session))
    assert (session.plan_made, bool(session.plan)) == (True, True)
    session.plan = []
    first, second = point("a", 1), point("b", 2)
    session.study = drawn(first, second)
    chosen = []
    for number in ("0", "1", "2", "-1", "x", ""):
        awaited(compare.show(session, "rounding", number))
        chosen.append(shown[-1][1]["chosen"])
    assert chosen == [first, second, None, None, None, None]
    assert session.plan == [], "a plan that was made is not made again"
    values, context = shown[-1]
    assert values == (session, "compare.html", "compare")
    assert context["shows"] == ("compare:rounding", "compare:chains")
    assert context["method"] is context["offers"]["rounding"]
    session.opened = None
    assert awaited(compare.show(session)).headers["location"] == "/open"


def test_a_line_is_put_into_the_plan_or_refused(alone):
    session = alone.session
    line = ("rounding", {"base": "10, 20"})
    assert alone.send(compare.add, method="rounding", p_base=" 10, 20 ", p_attributes=" ", other="x") == "/compare#plan"
    assert (session.plan, session.drafts, session.versions["plan"]) == ([line], {}, 1)
    assert alone.parts == ("declaration", "plan")
    assert alone.send(compare.add, method="rounding", p_base="nought") == "/compare?method=rounding#plan"
    assert session.drafts["compare:rounding"].fields == {"method": ["rounding"], "p-base": ["nought"]}
    assert session.drafts["compare:rounding"].where == "base"
    assert (session.plan, session.versions["plan"]) == ([line], 1)
    with pytest.raises(HTTPException, match="There is no such method for this file") as none:
        alone.send(compare.add, method="none")
    assert none.value.status_code == 400


def test_chains_are_put_into_the_plan_or_refused(alone, monkeypatch):
    session, asked = alone.session, []
    session.plan = [("a", {})]
    lines = [("a", {}), ("b", {})]
    monkeypatch.setattr(compare, "suggest_chains", lambda *values: asked.append(values) or lines)
    assert alone.send(compare.propose) == "/compare#plan"
    alone.send(compare.propose, **{"for": "public"})
    assert session.plan == lines
    assert asked == [(session.schema, 10, "research"), (session.schema, 10, "public")]
    assert (alone.parts, session.versions["plan"]) == (("declaration", "plan"), 2)
    assert alone.send(compare.alternatives, steps="no toml [") == "/compare#chains"
    assert (session.plan, session.drafts["compare:chains"].where) == (lines, "steps")
    text = '[[step]]\nmethod = "rounding"\nbase = 10\n'
    assert alone.send(compare.alternatives, steps=text) == "/compare#plan"
    assert (session.plan, session.drafts) == ([*lines, (CHAINS, {"steps": text})], {})
    assert alone.parts == ("declaration", "plan")
    for number, left in (("3", 3), ("-1", 3), ("x", 3), ("2", 2), ("0", 1)):
        assert alone.send(compare.remove, number=number) == "/compare#plan"
        assert len(session.plan) == left
    assert session.plan == [("b", {})]
    assert session.versions["plan"] == 5


def test_a_study_is_begun_and_kept(alone):
    session = alone.session
    assert alone.send(compare.run) == "/compare#plan"
    assert alone.said == ["The plan is empty."]
    session.plan = [("rank-swapping", {"p": "5, 9"})]
    session.worker.busy = True
    assert alone.send(compare.run) == "/compare"
    assert alone.said == ["Another piece of work is running."]
    session.worker.busy = False
    assert alone.send(compare.run, repetitions="3") == "/compare"
    work = alone.work
    assert (work.title, work.page, work.call) == ("Comparing 2 candidates", "/compare", "compare")
    assert work.form == {"path": "/compare/run", "fields": {"repetitions": ["3"], "sure": ["yes"]}}
    arguments = work.arguments
    assert [masker.p for masker in arguments["candidates"]] == [5, 9]
    assert (arguments["repetitions"], arguments["seed"]) == (3, session.seed)
    assert (arguments["given"], arguments["schema"]) == (session.given, session.schema)
    assert arguments["scenarios"] == session.scenarios
    half = drawn(point("a", 1), done=1, total=6)
    work.partial(half)
    work.partial(half)
    file = session.study_kept["file"]
    assert arguments["store"] == str(session.folder / file)
    assert session.study_kept == {
        "file": file, "total": 6, "plan": [("rank-swapping", {"p": "5, 9"})], "repetitions": 3,
    }  # fmt: skip
    assert (session.study, list(session.candidates)) == (half, list(plan_candidates(session.plan)))
    assert session.versions["study"] == 1, "only the first of its answers makes another map"
    work.finish(drawn(done=6, total=6))
    assert (session.study.done, session.versions["study"]) == (6, 2)
    assert session.decisions[-1]["what"] == "Compared 2 candidates."
    alone.send(compare.run, repetitions="3")
    assert (alone.work.arguments["store"], session.questions) == (arguments["store"], {})


def test_another_study_replaces_the_map_after_a_question(alone):
    session = alone.session
    session.plan = [("rank-swapping", {"p": "5"})]
    session.study, session.study_kept = drawn(done=4), {"file": "study-old.jsonl"}
    assert alone.send(compare.run, repetitions="2").startswith("/ask/")
    assert session.worker.given == []
    asked = alone.asked
    assert (asked["path"], asked["back"], asked["yes"]) == ("/compare/run", "/compare", "Run the new plan")
    assert (asked["fields"], asked["title"]) == ({"repetitions": ["2"]}, "Replace the map?")
    assert asked["sentences"][0] == "The map shows 4 runs of another plan."
    assert alone.send(compare.run, repetitions="2", sure="yes") == "/compare"
    stores = [alone.work.arguments["store"]]
    for fields in ({"repetitions": "1"}, {"repetitions": "99"}, {"repetitions": "20"}, {"repetitions": "x"}):
        alone.send(compare.run, sure="yes", **fields)
        stores.append(alone.work.arguments["store"])
    assert stores[2] == stores[3], "twenty at most"
    assert stores[1] == stores[4], "one by default"
    assert len(set(stores)) == 3
    work = alone.work
    session.opened = None  # opened anew while it was at work
    session.study = None
    work.partial(drawn())
    assert session.study is None


def test_a_point_is_adopted_with_the_draw_that_was_measured(alone):
    session = alone.session
    session.candidates = plan_candidates([("rank-swapping", {"p": "5, 9"})])
    first, second = session.candidates
    session.study = drawn(point(first, 11), point(second, 22))
    old = Step("rounding", {"base": 10})
    session.history = History().add(old)
    assert alone.send(compare.adopt, label=second) == "/protect"
    assert alone.parts == ("declaration", "steps")
    work = alone.work
    (step,) = work.arguments["steps"]
    assert (step.method, step.parameters["p"], step.parameters["random_state"]) == ("rank-swapping", 9, 22)
    assert work.form == {"path": "/compare/adopt", "fields": {"label": [second]}}
    work.finish(SimpleNamespace())
    assert session.history.steps == (step,)
    assert session.history.others == ((old,),)
    assert session.decisions[-1]["what"] == f"Adopted {second}."
    session.study = None
    alone.send(compare.adopt, label=first)
    assert alone.work.arguments["steps"][0].parameters.get("random_state") is None
    with pytest.raises(HTTPException, match="no such candidate any more") as gone:
        alone.send(compare.adopt, label="gone")
    assert gone.value.status_code == 404
