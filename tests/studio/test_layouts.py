"""Files that do not say how they are read: every question of a message has its field, and is asked in its words."""

from __future__ import annotations

import ast
import html
import re
from pathlib import Path

import pytest

import discreet.io
from discreet.io.csv import _OTHER_MARKS
from discreet.studio import app
from discreet.studio.layouts import FIELDS, read_layout
from discreet.studio.wording import reworded
from discreet.workflow import Source

OPTION = re.compile(r"(?<!-)--[a-z]")
HEADERLESS = "".join(f"K{i % 7:03d};{1000 + i};{i * 13 % 97},5\n" for i in range(60))
PROTOCOL = """
[data]
file = "survey.csv"
delimiter = ";"
header = false
decimal = ","
leave_out = "-1"
[[attribute]]
name = "column_1"
role = "key"
scale = "nominal"
levels = ["K000", "K001", "K002", "K003", "K004", "K005", "K006"]
[[attribute]]
name = "column_3"
role = "other"
scale = "numeric"
[[attribute]]
name = "column_2"
role = "key"
scale = "numeric"
[[step]]
method = "mdav"
attributes = ["column_2"]
k = 3
"""


def page_of(client):
    client.wait()
    return html.unescape(client.get("/open").text)


def test_a_path_without_names_is_asked_about_and_opened_with_the_answer(client, tmp_path):
    data = tmp_path / "survey.csv"
    data.write_text(HEADERLESS, encoding="utf-8")
    client.post("/open/path", {"path": str(data), "decimal": ",", "thousands": "none"})
    text = page_of(client)
    assert client.session.worker.job.state == "failed"
    assert "Choose “First line: a record”" in text
    assert "--" not in client.session.drafts["path"].hint
    assert '<select id="path-header" name="header">' in text
    assert '<option value="none" selected>nothing</option>' in text, "what was answered is kept"
    client.post("/open/path", {"path": str(data), "decimal": ",", "header": "no"})
    assert client.wait().state == "done", client.session.worker.job.message
    assert (client.session.given.header, client.session.given.decimal) == (False, ",")
    assert client.session.opened.n_records == 60


@pytest.mark.parametrize("second", [False, True])
def test_a_file_that_was_sent_is_called_by_its_name(client, second):
    if second:  # then it goes into a project of its own
        client.open_sample()
    client.post("/open/file", files={"file": ("my survey.csv", HEADERLESS.encode())})
    text = page_of(client)
    assert client.session.worker.job.state == "failed"
    assert "'my survey.csv'" in text
    assert "data.csv" not in text
    assert "files-" not in text
    assert "--no-header" not in text


def test_a_protocol_says_how_its_file_is_read_where_the_form_does_not(client):
    text = HEADERLESS + "Sum;1;2,5\n"
    files = {"file": ("survey.csv", text.encode()), "protocol": ("p.toml", PROTOCOL.encode())}
    client.post("/open/file", files=files)
    assert client.wait().state == "done", client.session.worker.job.message
    given = client.session.given
    assert (given.delimiter, given.header, given.decimal, given.leave_out) == (";", False, ",", "-1")
    assert client.session.opened.n_records == 60
    source = Source("a.csv", header=False, decimal=",")
    assert read_layout({"header": "yes", "decimal": " "}, ".csv", source)["header"] is True
    assert read_layout({"header": "yes", "decimal": " "}, ".csv", source)["decimal"] == ","


def test_a_second_file_without_names_can_be_attacked_with(client):
    client.open_sample()
    assert 'id="held-header"' in client.get("/attack").text
    client.post("/attack", {"linker": "distance", "held": "file"}, files={"file": ("own.csv", HEADERLESS.encode())})
    client.wait()
    text = html.unescape(client.get("/attack").text)
    assert "'own.csv'" in text
    assert "Choose “First line: a record”" in text
    assert "--" not in client.session.drafts["attack:distance"].hint


def test_no_option_of_the_command_line_is_left_in_what_a_reader_says():
    texts = [
        node.value
        for path in Path(discreet.io.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and OPTION.search(node.value)
    ]
    assert len(texts) >= 10
    assert [text for text in texts if OPTION.search(reworded(None, "", text)[1])] == []


def test_every_mark_that_is_asked_about_can_be_chosen():
    choices = next(one.choices for one in FIELDS if one.name == "delimiter")
    offered = {read_layout({"delimiter": value}, ".csv")["delimiter"] for value, _ in choices}
    assert set(_OTHER_MARKS) <= offered


def test_a_server_on_a_port_by_chance_leaves_no_file_of_its_browsers(tmp_path, monkeypatch):
    monkeypatch.setattr(app.uvicorn.Server, "run", lambda _, sockets: sockets[0].close())
    made = []
    create = app.create_app
    monkeypatch.setattr(app, "create_app", lambda **given: made.append(create(**given, base=tmp_path)) or made[-1])
    app.serve(port=0, projects=tmp_path / "projects")
    made[0].studio.browsers.admit()
    made[0].studio.scratch.close()
    assert list((tmp_path / "projects").iterdir()) == []


def test_a_second_file_that_is_open_at_once_is_followed_into_its_project_once(client, tmp_path):
    client.open_sample()
    before = str(client.get("/open").url)
    good = tmp_path / "good.csv"
    good.write_text("a,b\n" + "".join(f"{i},{i % 3}\n" for i in range(50)), encoding="utf-8")
    client.post("/open/path", {"path": str(good)})
    assert client.wait().state == "done"
    client.session.worker.job.goes_to = "/elsewhere"  # as if nobody had asked yet, however quick the work was
    assert str(client.get("/open").url) != before
    assert str(client.get("/open").url) == before


def test_work_that_ends_while_its_state_is_told_is_followed_all_the_same(client, monkeypatch):
    client.open_sample()
    job = client.session.worker.job
    job.state, job.goes_to = "running", "/elsewhere"

    def told(self):
        answer = original(self)
        self.state = "done"  # in the other thread, after its state was read
        return answer

    original = type(job).to_dict
    with monkeypatch.context() as patch:
        patch.setattr(type(job), "to_dict", told)
        assert client.get("/job").json()["state"] == "running"
    assert client.get("/job").json()["goes_to"] == "/elsewhere", "nobody had been told"
    assert client.get("/job").json()["goes_to"] == "", "and now somebody has"
