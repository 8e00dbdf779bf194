"""Opening a path, a file that was sent, and the file of a project once more."""

from __future__ import annotations

import pytest
from tests.studio.screens.conftest import Held

ROWS = "id,age,sex\n" + "".join(f"{i},{20 + i % 9},{'fm'[i % 2]}\n" for i in range(40))


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.csv"
    path.write_text(ROWS)
    return path


@pytest.fixture
def empty(client):
    client.session.worker.stop()
    client.session.worker = Held()
    yield client
    client.session.worker.job = None


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("", "No path was given."),
        ("~nobody-of-that-name/x.csv", "is no path of this machine"),
        ("/x" * 3000 + ".csv", "is no path of this machine"),
        ("/nowhere/x.exe", "A file that ends in &#39;.exe&#39; cannot be opened."),
        ("/nowhere/x", "A file that ends in &#39;nothing&#39; cannot be opened."),
        ("/nowhere/x.csv", "There is no file"),
    ],
)
def test_paths_that_are_none(empty, typed, sentence):
    page = empty.post("/open/path", {"path": typed}).text
    assert sentence in page
    assert empty.session.given is None
    assert empty.session.drafts["path"].where == "path"


def test_a_path_is_opened_where_it_is_and_others_get_projects_of_their_own(empty, survey):
    session = empty.session
    empty.post("/open/path", {"path": f" {survey} "})
    assert (session.given.where, session.given.name) == (str(survey), "survey.csv")
    assert session.opened.n_records == 40
    before = len(list(empty.running.studio.projects))
    empty.post("/open/sample", {"sample": "business", "n": "7"})
    assert session.given.name == "survey.csv"
    assert len(list(empty.running.studio.projects)) == before + 1
    assert session.worker.calls[-1][1]["given"].n == 50  # no fewer
    assert "There is no such sample." in empty.post("/open/sample", {"sample": "none"}).text


def test_machines_that_others_reach_open_no_path(empty, survey, monkeypatch):
    monkeypatch.setattr(empty.running.studio, "local", False)
    empty.post("/open/path", {"path": str(survey)})
    assert "Other machines can reach this studio" in empty.session.drafts["path"].message
    assert empty.session.given is None


def test_a_file_is_sent_and_kept_or_refused(empty):
    session = empty.session
    page = empty.post("/open/file", files={"protocol": ("p.toml", b"nothing [")}).text
    assert "notice" in page
    assert session.given is None
    empty.post("/open/file", files={"file": ("my survey.csv", ROWS.encode())})
    assert session.given.name == "my survey.csv"
    assert session.opened.n_records == 40
    folder = session.folder
    kept = list(folder.rglob("*.csv"))
    assert len(kept) == 1
    session.worker.job.state = "running"
    assert "Another piece of work is running." in empty.post("/open/file", files={"file": ("b.csv", b"a\n1\n")}).text
    session.worker.job.state = "done"
    empty.post("/open/file", files={"file": ("broken.csv", b"")})
    assert session.given.name == "my survey.csv"


def test_a_file_is_read_again_whether_it_has_changed_or_not(empty, survey):
    session = empty.session
    assert str(empty.post("/open/again").url).endswith("/open")
    empty.post("/open/path", {"path": str(survey)})
    schema = session.schema
    session.scenarios = ()
    empty.post("/risk")
    assert session.risk is not None
    answer = empty.post("/open/again", {"rows": "1"})
    assert "rows=1" in str(answer.url)
    assert session.risk is not None, "the same file: what was measured holds"
    survey.write_text(ROWS + "99,33,f\n")
    empty.post("/open/again")
    assert session.risk is None
    assert session.opened.n_records == 41
    assert session.schema == schema
    assert "Read survey.csv again: it had changed." in str(session.decisions)
    moved = survey.rename(survey.with_name("moved.csv"))
    assert "no file" in empty.post("/open/again", {"path": str(survey)}).text
    empty.post("/open/again", {"path": f" {moved} "})
    assert (session.given.where, session.given.name) == (str(moved), "moved.csv")
