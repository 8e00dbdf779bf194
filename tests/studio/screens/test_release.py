"""A release from a page: what is asked for first, what is handed to the work, and which files are given out."""

from __future__ import annotations

import re

import pytest

from discreet.studio.jobs import Job
from discreet.studio.screens import release
from discreet.studio.session_values import Declared, Released, ReleasedFile
from discreet.workflow import Step

FORM = {"ending": ".parquet", "seed": "7", "risk_at_most": "20.5", "loss_at_most": " ", "smallest_group": "3"}


class Writing:
    """Work that is only noted down, and ended by hand."""

    def __init__(self, session):
        self.asked = []
        self.session = session
        session.worker.submit = self.submit

    def submit(self, title, page, call, arguments, finish, _=None, *, form=None, ended=None):
        self.asked.append((title, page, call, arguments))
        self.finish, self.ended, self.form = finish, ended, form
        return Job(1, title, page)


@pytest.fixture
def writing(desk):
    desk.session.history = desk.session.history.add(Step("rounding", {"base": 10}))
    desk.session.seed = 5
    return Writing(desk.session)


def test_without_a_file_there_is_nothing_to_release(client):
    assert str(client.get("/release").url).endswith("/open")
    assert str(client.post("/release").url).endswith("/open")
    assert client.session.drafts == {}
    assert client.get("/release/file/masked").status_code == 404


def test_without_a_step_nothing_is_written(desk):
    taken = len(desk.session.worker.calls)
    page = desk.post("/release", FORM)
    assert "Nothing protects the file yet." in page.text
    assert "Take a step on the page Protect first." in page.text
    assert len(desk.session.worker.calls) == taken
    assert desk.session.seed is None


def test_kinds_of_files_are_offered_once(desk):
    desk.session.history = desk.session.history.add(Step("rounding", {"base": 10}))
    text = desk.get("/release").text
    offered = re.findall(r"<option[^>]*>([.\w]+)<", text)
    assert {".csv", ".parquet"} <= set(offered)
    assert len(offered) == len(set(offered))
    assert not {".txt", ".tsv", ".pq"} & set(offered)


def test_what_was_asked_for_is_handed_to_the_work(desk, writing):
    session = desk.session
    assert str(desk.post("/release", FORM).url).endswith("/release")
    ((title, page, call, arguments),) = writing.asked
    folder = session.folder / arguments.pop("folder").rsplit("/", 1)[1]
    assert (title, page, call) == ("Writing the release", "/release", "release")
    assert arguments == {
        "given": session.given, "schema": session.schema, "steps": session.history.steps, "seed": 7,
        "scenarios": session.scenarios, "thresholds": {"risk_at_most": 20.5, "smallest_group": 3.0},
        "ending": ".parquet",
    }  # fmt: skip
    assert session.thresholds == {"risk_at_most": 20.5, "smallest_group": 3.0}
    assert (session.seed, session.seed_drawn, session.versions["seed"]) == (7, False, 1)
    assert session.decisions[-1]["what"] == "Another seed was given."
    assert folder.is_dir()
    assert folder.name.startswith("release-")
    assert writing.form["path"] == "/release"
    assert writing.form["draft"] == "release"
    assert writing.form["fields"]["seed"] == ["7"]
    released = Released(str(folder), (), ())
    writing.finish(released)
    assert (session.release, session.releases) == (released, [folder.name])
    assert session.decisions[-1]["what"] == f"Wrote a release after 1 steps, into {folder.name}."
    assert session.versions["study"] == 1
    writing.ended(Job(1, "a title", "/release"), "done")
    assert folder.is_dir()
    writing.ended(Job(1, "a title", "/release"), "cancelled")
    assert not folder.exists()


def test_the_seed_of_the_project_is_no_other_seed(desk, writing):
    session = desk.session
    session.keep_result(session.history.steps, "measured")
    for text in ("5", "", "  "):
        desk.post("/release", {**FORM, "seed": text})
        assert writing.asked[-1][3]["seed"] == 5
    assert (session.versions["seed"], session.result) == (0, "measured")


def test_another_seed_is_asked_about_where_something_was_measured(desk, writing):
    session = desk.session
    session.keep_result(session.history.steps, "measured")
    page = desk.post("/release", FORM)
    assert "/ask/" in str(page.url)
    assert "Change the seed?" in page.text
    assert writing.asked == []
    assert (session.seed, session.result) == (5, "measured")
    (question,) = session.questions.values()
    assert (question["path"], question["back"], question["yes"]) == ("/release", "/release", "Change it")
    assert question["sentences"] == [
        "What the steps led to was measured with another seed, and has to be measured again.",
        "The release is made with the seed that you typed.",
    ]
    desk.post("/release", {**FORM, "sure": "yes"})
    assert (session.seed, session.result, len(writing.asked)) == (7, None, 1)


@pytest.mark.parametrize("changed", ["schema", "steps", "nothing"])
def test_a_release_of_what_is_no_longer_so_is_kept_and_not_shown(desk, writing, changed):
    session = desk.session
    desk.post("/release", FORM)
    if changed == "steps":
        session.history = session.history.back()
    elif changed == "schema":
        session.declared = Declared(session.schema.with_roles(WFUEL="other"), {})
    released = Released("folder", (), ())
    writing.finish(released)
    assert session.release is (released if changed == "nothing" else None)
    assert len(session.releases) == 1


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"seed": "-1"}, "The seed must be a whole number of at least 0, or nothing."),
        ({"risk_at_most": "low"}, "risk at most must be a number."),
        ({"smallest_group": "three"}, "smallest group must be a number."),
    ],
)
def test_what_cannot_be_meant_stands_beside_its_field(desk, writing, answers, said):
    page = desk.post("/release", {**FORM, **answers})
    assert said in page.text
    assert writing.asked == []
    assert desk.session.draft("release").where
    assert desk.session.seed == 5


def test_kinds_that_cannot_be_written_and_work_that_runs_are_refused(desk, writing):
    assert desk.post("/release", {**FORM, "ending": ".exe"}).status_code == 400
    desk.session.worker.job = Job(1, "Measuring", "/risk")
    page = desk.post("/release", FORM)
    assert "Another piece of work is running." in page.text
    assert writing.asked == []
    desk.session.worker.job.end("done")


@pytest.mark.parametrize(
    ("text", "seed"), [("", None), ("  ", None), ("0", 0), (" 12 ", 12), ("9" * 60, int("9" * 60))]
)
def test_seeds_are_whole_numbers_or_nothing(text, seed):
    assert release._seed(text) == seed


@pytest.mark.parametrize("text", ["-1", "1.5", "x", "9" * 61, "1e3"])
def test_other_seeds_are_refused(text):
    with pytest.raises(release.ParameterError, match="a whole number of at least 0"):
        release._seed(text)


@pytest.mark.parametrize(("text", "limit"), [("", None), (" ", None), ("0", 0.0), ("2.5", 2.5)])
def test_limits_are_numbers_or_nothing(text, limit):
    assert release._limit("risk_at_most", text) == limit


def test_files_of_a_release_are_given_out_by_what_they_are(desk):
    session = desk.session
    folder = session.new_folder("release-")
    (folder / "masked.csv").write_text("x\n1\n")
    (folder / "release.zip").write_bytes(b"zip")
    file = ReleasedFile("masked", "masked.csv", "The release", "public", 4, "0" * 64)
    session.release = Released(str(folder), (file,), ())
    for key, name, content in (("masked", "masked.csv", b"x\n1\n"), ("all", "release.zip", b"zip")):
        answer = desk.get(f"/release/file/{key}")
        assert (answer.status_code, answer.content) == (200, content)
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    for strange in ("protocol", "masked.csv", "..%2Fproject.json"):
        assert desk.get(f"/release/file/{strange}").status_code == 404
