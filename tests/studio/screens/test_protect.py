"""Steps back, forward and aside: what each press of a button leaves behind."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from fastapi import HTTPException
from starlette.datastructures import FormData
from tests.studio.loops import awaited

from discreet.errors import ParameterError
from discreet.studio.screens import protect
from discreet.studio.session_values import History, Released
from discreet.workflow import Step

STEPS = {"method": "rounding", "p-base": "10"}
OTHER = {"method": "rank-swapping", "p-p": "5"}


def methods(client):
    history = client.session.history
    return [step.method for step in history.steps], [[step.method for step in line] for line in history.others]


def test_without_a_file_there_is_nothing_to_protect(client):
    assert str(client.get("/protect").url).endswith("/open")
    for path in ("add", "lattice", "draw", "go"):
        answer = client.post(f"/protect/{path}", {"method": "rounding"})
        assert answer.status_code == 200
    assert client.session.history.steps == ()
    assert client.session.worker.job is None


def test_steps_go_back_forward_and_aside(desk):
    desk.post("/protect/add", STEPS)
    assert methods(desk) == (["rounding"], [])
    call, arguments = desk.session.worker.calls[-1]
    assert call == "protect"
    assert [step.method for step in arguments["steps"]] == ["rounding"]
    assert arguments["seed"] == desk.session.need_seed()
    desk.session.release = Released("r", (), ())
    desk.post("/protect/add", OTHER)
    assert methods(desk) == (["rounding", "rank-swapping"], [])
    assert desk.session.release is None
    taken = len(desk.session.worker.calls)
    desk.post("/protect/go", {"position": "1"})
    assert methods(desk)[0] == ["rounding"]
    desk.post("/protect/go", {"position": "0"})
    assert methods(desk)[0] == []
    desk.post("/protect/go", {"position": "nowhere"})
    assert methods(desk)[0] == []
    assert len(desk.session.worker.calls) == taken  # results that are there are not worked out again
    page = desk.post("/protect/add", OTHER).text
    assert methods(desk) == (["rank-swapping"], [["rounding", "rank-swapping"]])
    assert "kept among the alternatives" in page
    desk.post("/protect/go", {"other": "0"})
    assert methods(desk) == (["rounding", "rank-swapping"], [["rank-swapping"]])
    desk.post("/protect/go", {"other": "1", "position": "1"})
    assert methods(desk) == (["rounding"], [["rank-swapping"]])
    told = str(desk.session.decisions)
    for sentence in ("Took the step rounding.", "Went to step 1.", "Went back to the original.",
                     "Went over to an alternative."):  # fmt: skip
        assert sentence in told


def test_an_alternative_is_forgotten_after_a_question(desk):
    desk.post("/protect/add", STEPS)
    desk.post("/protect/go", {"position": "0"})
    desk.post("/protect/add", OTHER)
    for number in ("1", "-1", "x"):
        assert str(desk.post("/protect/forget", {"other": number, "sure": "yes"}).url).endswith("/protect")
        assert methods(desk)[1] == [["rounding"]]
    page = desk.post("/protect/forget", {"other": "0"}).text
    assert "Forget this alternative?" in page
    assert "Its steps: rounding." in page
    assert methods(desk)[1] == [["rounding"]]
    desk.post("/protect/forget", {"other": "0", "sure": "yes"})
    assert methods(desk) == (["rank-swapping"], [])
    assert "Forgot the alternative rounding." in str(desk.session.decisions)


def test_what_a_form_cannot_ask_for(desk):
    for method in ("no-such", "mdav-of-nothing"):
        assert desk.post("/protect/add", {"method": method}).status_code == 400
    page = desk.post("/protect/add", {"method": "rounding", "p-base": "nought"}).text
    assert "base must be" in page
    assert methods(desk) == ([], [])
    assert desk.session.drafts["protect:rounding"].where == "base"


def test_results_that_are_gone_are_worked_out_again(desk):
    desk.post("/protect/add", STEPS)
    desk.post("/protect/go", {"position": "0"})
    desk.session.protected.clear()
    taken = len(desk.session.worker.calls)
    desk.post("/protect/go", {"position": "1"})
    assert len(desk.session.worker.calls) == taken + 1
    assert methods(desk)[0] == ["rounding"]
    assert "Went to step 1." in str(desk.session.decisions)
    desk.post("/protect/draw")
    assert len(desk.session.worker.calls) == taken + 2
    assert "Drew the pictures again." in str(desk.session.decisions)


def pictures(page):
    return re.findall(r'src="[^"]*(/protect/chart/[^"]+)"', page)


def test_a_page_that_is_left_still_gets_its_own_pictures(desk):
    desk.post("/protect/add", STEPS)
    drawn = [svg for _, svg in desk.session.result.charts]
    shown = pictures(desk.get("/protect").text)
    assert len(shown) == len(drawn) >= 1
    desk.post("/protect/add", OTHER)
    desk.post("/protect/go", {"position": "0"})
    assert pictures(desk.get("/protect").text) == []
    for path, svg in zip(shown, drawn, strict=True):
        answer = desk.get(path)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("image/svg+xml")
        assert answer.text == svg
    for other in ("0", "-1", "0" * 24):
        assert desk.get(f"/protect/chart/{other}.svg").status_code == 404


def test_only_the_pictures_shown_last_are_kept(desk):
    names = [desk.session.show_picture(f"<svg>{i}</svg>") for i in range(70)]
    assert desk.session.show_picture("<svg>20</svg>") == names[20]
    assert len(desk.session.pictures) == 60
    assert [name in desk.session.pictures for name in (names[9], names[10], names[20])] == [False, True, True]


@pytest.mark.parametrize("path", ["go", "add"])
def test_one_piece_of_work_at_a_time(desk, path):
    desk.session.worker.job.state = "running"
    page = desk.post(f"/protect/{path}", STEPS).text
    assert "Another piece of work is running." in page
    assert methods(desk) == ([], [])
    desk.session.worker.job.state = "done"


# ------------------------------------------------------------------------------------ without a server

WRITTEN = Released("release-1", (), ())
ROUNDING, SWAPPING = Step("rounding", {"base": 10}), Step("rank-swapping", {"p": 5})


def taken(*lines):
    """A history of lines of steps, the last of which counts."""
    return History(lines[-1], len(lines[-1]), tuple(lines[:-1]))


def offer(*names, kinds=None, takes=True, needs=False, obstacle=""):
    fields = [SimpleNamespace(name=n, control=SimpleNamespace(kind=(kinds or {}).get(n, "text"))) for n in names]
    return SimpleNamespace(name="m", fields=fields, takes_trees=takes, needs_trees=needs, obstacle=obstacle)


def test_a_step_is_taken_once_its_work_has_succeeded(alone):
    session = alone.session
    session.release = WRITTEN
    assert alone.send(protect.add, method="rounding", p_base="10", unit="0") == "/protect"
    assert alone.parts == ("declaration", "steps")
    work = alone.work
    assert (work.title, work.page, work.call) == ("Protecting with rounding", "/protect", "protect")
    (step,) = work.arguments["steps"]
    assert (step.method, step.parameters["base"], step.unit) == ("rounding", 10, session.schema.names[0])
    assert (work.arguments["given"], work.arguments["schema"]) == (session.given, session.schema)
    assert (work.arguments["seed"], work.arguments["scenarios"]) == (session.seed, session.scenarios)
    fields = {"method": ["rounding"], "p-base": ["10"], "unit": ["0"]}
    place = "/protect?method=rounding#settings"
    assert work.form == {"path": "/protect/add", "fields": fields, "draft": "protect:rounding", "page": place}
    assert session.drafts["protect:rounding"].fields == fields
    assert (session.history.steps, session.release) == ((), WRITTEN)
    work.finish("result")
    assert (session.history.steps, session.release, session.result) == ((step,), None, "result")
    assert session.decisions[-1]["what"] == "Took the step rounding."
    assert (session.versions["steps"], alone.said) == (1, [])
    session.history = session.history.go(0)
    alone.send(protect.add, method="rank-swapping", p_p="5")
    assert alone.work.arguments["steps"][0].unit is None
    alone.work.finish("other")
    assert alone.said == ["The steps that were here before are kept among the alternatives."]
    alone.send(protect.add, method="rounding", p_base="10")
    session.opened = None  # another file meanwhile
    before = session.history
    alone.work.finish("late")
    assert session.history is before


def test_a_step_that_cannot_be_is_said_beside_its_field(alone):
    place = "/protect?method=rounding#settings"
    assert alone.send(protect.add, method="rounding", p_base="nought") == place
    assert alone.session.drafts["protect:rounding"].where == "base"
    assert alone.session.worker.given == []
    with pytest.raises(HTTPException, match="There is no such method for this file") as none:
        alone.send(protect.add, method="none")
    assert none.value.status_code == 400


@pytest.mark.parametrize("obstacle", ["", "It has none."])
def test_a_lattice_is_looked_at_with_the_settings_of_its_form(alone, monkeypatch, obstacle):
    session = alone.session
    session.trees = {"EMPLOYEES": [["1", "2"]]}
    monkeypatch.setattr(protect, "offer_masker", lambda *_: offer("k", "attributes", obstacle=obstacle))
    monkeypatch.setattr(protect, "read_fields", lambda *values: {"read": values})
    where = alone.send(protect.explore, p_k="3")
    assert alone.parts == ("declaration",)
    if obstacle:
        assert (where, session.worker.given, session.drafts) == ("/protect", [], {})
        session.opened = None
        assert alone.send(protect.explore) == "/open"
        return
    work = alone.work
    assert where == work.page == "/protect?method=generalisation#lattice"
    assert (work.title, work.call) == ("Looking at the lattice", "explore")
    read = ("masker", "generalisation", {"k": ["3"]})
    parameters = {protect.TREES: session.trees, "read": read}
    assert work.arguments == {"given": session.given, "schema": session.schema, "parameters": parameters, "most": 40}
    assert work.form == {"path": "/protect/lattice", "fields": {"p-k": ["3"]}}
    assert session.drafts["protect:generalisation"].fields == {"p-k": ["3"]}
    work.finish({"rows": []})
    assert session.lattice == {"rows": []}

    def refuse(*_values):
        raise ParameterError("k must be 2.")

    monkeypatch.setattr(protect, "read_fields", refuse)
    assert alone.send(protect.explore, p_k="1") == "/protect?method=generalisation#settings"
    assert session.drafts["protect:generalisation"].where == "k"
    session.opened = None
    work.finish({"rows": ["late"]})
    assert session.lattice == {"rows": []}


def test_attributes_are_ticked_by_their_place(alone):
    schema = alone.session.schema
    last = len(schema) - 1
    form = FormData([("p-a", "1"), ("p-a", str(last)), ("p-a", str(last + 1)), ("p-a", "-1"), ("p-k", "3"), ("z", "1")])
    found = protect.answers(form, offer("a", "k", "absent", kinds={"a": "names"}), schema)
    assert found == {"a": [schema.names[1], schema.names[last]], "k": ["3"]}
    none = protect.answers(FormData([("p-a", "x")]), offer("a", kinds={"a": "names"}), schema)
    assert none == {"a": []}, "ticked, and none of them is there"
    assert protect.named(schema, "0") == schema.names[0]


def test_numbers_with_a_hierarchy_go_along_with_what_is_ticked(alone):
    session = alone.session
    first, second = session.schema.names[:2]
    session.trees = {first: [], second: [], "gone": []}
    ticked = {"attributes": [second]}
    assert protect._with_trees(session, offer(), ticked) == {"attributes": [second, first]}
    assert protect._with_trees(session, offer(takes=False), ticked) == ticked
    assert protect._with_trees(session, offer(), {"attributes": []}) == {"attributes": []}
    assert protect._with_trees(session, offer(), {"k": ["3"]}) == {"k": ["3"]}
    assert protect._trees(session, offer()) == {protect.TREES: session.trees}
    assert protect._trees(session, offer(takes=False)) == {}
    session.trees = {}
    assert protect._trees(session, offer()) == {}
    with pytest.raises(ParameterError, match="m: there is no hierarchy yet"):
        protect._trees(session, offer(needs=True))


def test_going_back_and_aside_is_done_at_once_where_results_are_there(alone):
    session = alone.session
    session.history = taken((SWAPPING,), (ROUNDING, SWAPPING))
    session.keep_result((ROUNDING,), "result")
    session.release = WRITTEN
    session.worker.busy = True
    assert alone.send(protect.go, position="1") == "/protect"
    assert (alone.said, session.history.position) == (["Another piece of work is running."], 2)
    session.worker.busy = False
    assert alone.send(protect.go, position="2") == "/protect"
    work = alone.work
    assert work.form == {"path": "/protect/go", "fields": {"position": ["2"]}}
    work.finish("both")
    assert (session.release, session.decisions[-1]["what"]) == (WRITTEN, "Went to step 2.")
    assert alone.send(protect.go, position="1") == "/protect"
    assert (session.history.position, session.release) == (1, None)
    assert session.decisions[-1]["what"] == "Went to step 1."
    alone.send(protect.go, position="0", other="1")
    assert (session.history.position, session.decisions[-1]["what"]) == (0, "Went back to the original.")
    assert len(session.worker.given) == 1
    session.keep_result((SWAPPING,), "swapped")
    alone.send(protect.go, other="0")
    assert (session.history.steps, session.decisions[-1]["what"]) == ((SWAPPING,), "Went over to an alternative.")
    assert alone.parts == ("declaration", "steps")


def test_an_alternative_is_forgotten_only_when_it_is_sure(alone):
    session = alone.session
    session.history = taken((SWAPPING, ROUNDING), (ROUNDING,))
    for number in ("1", "-1", "x"):
        assert alone.send(protect.forget, other=number, sure="yes") == "/protect"
        assert len(session.history.others) == 1
    assert alone.send(protect.forget, other="0").startswith("/ask/")
    asked = alone.asked
    assert (asked["path"], asked["fields"], asked["back"]) == ("/protect/forget", {"other": ["0"]}, "/protect")
    assert (asked["title"], asked["yes"]) == ("Forget this alternative?", "Forget it")
    assert asked["sentences"] == ["Its steps: rank-swapping, then rounding.", "They would have to be chosen again."]
    assert len(session.history.others) == 1
    assert alone.send(protect.forget, other="0", sure="yes") == "/protect"
    assert (session.history.others, session.versions["steps"]) == ((), 1)
    assert session.decisions[-1]["what"] == "Forgot the alternative rank-swapping, then rounding."


def test_pictures_are_drawn_again_where_there_are_steps(alone):
    session = alone.session
    assert alone.send(protect.draw) == "/protect"
    assert session.worker.given == []
    session.history = taken((ROUNDING,))
    assert alone.send(protect.draw) == "/protect"
    assert alone.work.form == {"path": "/protect/draw", "fields": {}}
    alone.work.finish("result")
    assert session.decisions[-1]["what"] == "Drew the pictures again."
    name = session.show_picture("<svg/>")
    answer = awaited(protect.chart(session, name))
    assert (answer.body, answer.media_type) == (b"<svg/>", "image/svg+xml")
    with pytest.raises(HTTPException, match="There is no such picture") as none:
        awaited(protect.chart(session, "none"))
    assert none.value.status_code == 404
