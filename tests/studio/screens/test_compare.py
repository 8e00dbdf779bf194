"""The plan of a study, its map, and what adopting a point does."""

from __future__ import annotations

from discreet.studio.controls import CHAINS

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
