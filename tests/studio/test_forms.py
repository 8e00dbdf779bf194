"""Forms, sent as a browser sends them: what is taken over, what is refused, and what is asked first."""

from __future__ import annotations

import re

import pytest

from discreet.studio.forms import display_name, whole_number
from discreet.studio.wording import reworded


@pytest.mark.parametrize(
    ("text", "number"), [("3", 3), (" 4 ", 4), ("0", 1), ("99", 20), ("-5", 1), ("x", 7), (None, 7), ("2.5", 7)]
)
def test_a_number_is_brought_within_its_bounds(text, number):
    assert whole_number(text, 7, 1, 20) == number


def test_a_file_is_called_by_the_last_part_of_its_name():
    assert display_name("a/b\\c.csv") == "c.csv"
    assert display_name("x\x1b[31m.csv") == "x[31m.csv"
    assert display_name("\x00") == "file"
    assert display_name("n" * 200) == "n" * 120


def test_a_message_is_reworded_where_it_is_about_a_parameter_and_nowhere_else():
    assert reworded(None, "header must be yes or no.", "")[0].startswith("“First line”")
    untouched = "Column 'header' has 2 missing values."
    assert reworded(None, untouched, "")[0] == untouched


def test_a_plan_is_made_changed_run_and_adopted(client):
    assert client.post("/compare/run").url.path.endswith("/open"), "nothing is open yet"
    assert client.post("/compare/add", {"method": "mdav"}).url.path.endswith("/open")
    client.open_sample("business", 60)
    session = client.session
    client.get("/compare")
    assert session.plan, "a plan is proposed"
    for _ in list(session.plan):
        client.post("/compare/remove", {"number": "0"})
    assert session.plan == []
    assert "The plan is empty" in client.post("/compare/run").text
    assert client.post("/compare/add", {"method": "nonsense"}).status_code == 400
    refused = client.post("/compare/add", {"method": "mdav", "p-k": "1"})
    assert "must be" in refused.text
    assert session.plan == []
    client.post("/compare/add", {"method": "rounding"})
    client.post("/compare/add", {"method": "mdav", "p-k": " 3, 4 ", "p-blocks": ""})
    assert session.plan == [("rounding", {}), ("mdav", {"k": "3, 4"})]
    for number in ("2", "-1", "x"):
        client.post("/compare/remove", {"number": number})
    assert len(session.plan) == 2, "there is no such line"

    client.post("/compare/run", {"repetitions": "0"})
    assert client.wait().state == "done", session.worker.job.message
    assert (session.study.done, session.study.total, session.study_kept["repetitions"]) == (3, 3, 1)
    assert "Compared 3 candidates." in str(session.decisions)
    assert client.get("/compare/map").text.count("circle") >= 3

    client.post("/compare/remove", {"number": "0"})
    asked = client.post("/compare/run")
    assert "Replace the map?" in asked.text
    assert session.study.total == 3, "not before it is answered"
    client.post("/compare/run", {"sure": "yes"})
    assert client.wait().state == "done"
    assert session.study.total == 2

    assert client.post("/compare/adopt", {"label": "mdav(k=99)"}).status_code == 404
    label = next(one for one in session.candidates if "k=4" in one)
    client.post("/compare/adopt", {"label": label})
    assert client.wait().state == "done", session.worker.job.message
    (step,) = session.history.steps
    assert (step.method, step.parameters["k"]) == ("mdav", 4)


def test_a_form_of_an_earlier_state_changes_nothing(client):
    client.open_sample("business", 60)
    client.get("/compare")
    session = client.session
    stamp, plan = session.stamp, list(session.plan)
    client.post("/compare/add", {"method": "rounding", "stamp": stamp})
    assert session.plan == [*plan, ("rounding", {})]
    late = client.post("/compare/add", {"method": "rounding", "stamp": stamp})
    assert "The project has changed meanwhile" in late.text
    assert session.plan == [*plan, ("rounding", {})]


def test_a_draft_that_arrives_behind_its_form_takes_nothing_away(client):
    client.open_sample()
    client.post("/draft", {"draft": "protect:mdav", "p-k": "17"})
    kept = client.session.drafts["protect:mdav"]
    kept.message, kept.where = "k is too large.", "k"
    client.post("/draft", {"draft": "protect:mdav", "p-k": "17"})
    assert client.session.draft("protect:mdav").message == "k is too large."
    client.post("/draft", {"draft": "protect:mdav", "p-k": "5"})
    assert client.session.draft("protect:mdav").message == "", "other answers, of which nothing was found yet"


def test_a_draft_is_kept_shown_and_discarded(client):
    client.open_sample("business", 60)
    session = client.session
    assert client.post("/draft", {"draft": "protect:mdav", "p-k": "17"}).json() == {"kept": True}
    assert re.search(r'name="p-k"[^>]*value="17"', client.get("/protect?method=mdav").text)
    for name in ("nonsense", "protect:" + "x" * 80):
        assert client.post("/draft", {"draft": name}).status_code == 400
    assert client.post("/draft/discard", {"discard": "protect:mdav@protect?method=mdav"}).status_code == 200
    assert "protect:mdav" not in session.drafts
    assert client.post("/draft/discard", {"discard": "protect:mdav@../x"}).url.path.endswith("/open")


def test_a_project_is_removed_after_a_question_and_not_without(client, another):
    studio = client.running.studio
    another.open_sample("business", 60)
    home = f"{client.running.origin}{studio.root}"
    key = another.session.root.rsplit("/", 1)[-1]
    asked = client.http.get(f"{home}/remove", params={"key": key})
    csrf = re.search(r'name="csrf" value="(\w+)"', asked.text)[1]
    headers = {"Origin": client.running.origin}

    def is_listed():
        return key in [one.key for one in studio.projects.list()]

    for fields, code in (({"csrf": csrf}, 200), ({"csrf": "0" * 64, "sure": "yes"}, 403)):
        assert client.http.post(f"{home}/remove", data={"key": key, **fields}, headers=headers).status_code == code
        assert is_listed()
    answer = client.http.post(f"{home}/remove", data={"key": key, "csrf": csrf, "sure": "yes"}, headers=headers)
    assert "ended=1" in str(answer.url)
    assert not is_listed()
    assert client.http.get(f"{home}/remove", params={"key": key}).url.path == f"{studio.root}/"


def test_a_file_that_was_not_asked_for_is_refused(client):
    assert client.post("/open/file", files={"other": ("a.csv", b"a\n1\n")}).status_code == 400
    two = [("file", ("a.csv", b"a\n1\n")), ("file", ("b.csv", b"a\n1\n"))]
    assert client.post("/open/file", files=two).status_code == 400
    assert client.http.post("/declare", content=b"{}", headers={
        "Origin": client.running.origin, "Content-Type": "application/json",
    }).status_code == 415  # fmt: skip
    assert client.session.given is None
