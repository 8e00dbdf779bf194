"""Pages as text: numbers as people write them, and addresses of the project."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from fastapi import HTTPException

from discreet.errors import FileError
from discreet.studio import pages
from discreet.studio.drafts import Draft
from discreet.studio.jobs import Job
from discreet.studio.pages import NoSessionError, _environment, _number, begin, compile_templates, page, render, to
from discreet.studio.sessions import Notice, Session


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (None, 1, "–"), (1234567, 1, "1\u202f234\u202f567"), (999, 1, "999"), (1234.56, 1, "1\u202f234.6"),
        (0.5, 2, "0.50"), (-1234.0, 0, "-1\u202f234"),
    ],
)  # fmt: skip
def test_numbers_as_people_write_them(value, digits, text):
    assert _number(value, digits) == text
    assert _number(12.345) == "12.3"


def test_addresses_begin_with_the_project(monkeypatch):
    texts = {"x.html": '<a href="/open">a</a><img src="/static/i.png"><form action="/secret/p/1/end">{{ name }}</form>'}
    environment = _environment().overlay()
    environment.loader = type(environment.loader)("/nowhere")
    monkeypatch.setattr("discreet.studio.pages._environment", lambda: _Templates(environment, texts))
    page = render("x.html", root="/secret/p/1", name='" href="/evil')
    assert '<a href="/secret/p/1/open">' in page
    assert 'src="/static/i.png"' in page
    assert 'action="/secret/p/1/end"' in page
    assert "&#34; href=&#34;/evil" in page
    bare = render("x.html", name="n")
    assert '<a href="/open">' in bare
    assert 'action="/secret/p/1/end"' in bare


class _Templates:
    def __init__(self, environment, texts):
        self.environment, self.texts = environment, texts

    def get_template(self, name):
        return self.environment.from_string(self.texts[name])


def test_every_template_compiles_and_browsers_are_sent_on():
    compile_templates()
    answer = to("/open")
    assert (answer.status_code, answer.headers["location"]) == (303, "/open")


# ------------------------------------------------------------------------------------ a project without a process


@pytest.fixture
def session(tmp_path):
    """A project in which nothing is open; what its worker is given is remembered."""
    given = []

    def submit(*values, **options):
        given.append((values, options))
        return worker.job

    worker = SimpleNamespace(job=Job(1, "Title", "/page"), busy=False, submit=submit)
    one = Session("p", "csrf", tmp_path / "p", "/s/p/p", worker=worker)
    one.given_work = given
    return one


@pytest.fixture
def rendered(monkeypatch):
    """What a template is given."""
    seen = []
    monkeypatch.setattr(pages, "render", lambda template, **context: seen.append((template, context)) or "text")
    return seen


def notices(session, rendered, **options):
    page(session, "x.html", "here", **options)
    return [(one.kind, one.text, one.hint) for one in rendered[-1][1]["notices"]]


def test_a_page_shows_what_was_left_for_it_once(session, rendered):
    session.say("info", "Left.")
    answer = page(session, "x.html", "open", 404, shows=("form",), more=1)
    assert (answer.status_code, answer.body) == (404, b"text")
    template, context = rendered[0]
    assert (template, context["root"], context["here"], context["more"]) == ("x.html", "/s/p/p", "open", 1)
    assert (context["session"], context["job"], context["again"]) == (session, session.worker.job, {})
    assert context["notices"] == [Notice("info", "Left.")]
    assert notices(session, rendered) == []
    session.worker.job = None
    assert notices(session, rendered) == []


def test_how_work_ended_is_said_once(session, rendered):
    job = session.worker.job
    assert notices(session, rendered) == []
    assert not job.shown
    job.end("failed", "No.", "Try.")
    assert notices(session, rendered) == [("error", "No.", "Try.")]
    assert job.shown
    assert notices(session, rendered) == []
    for again, said in (({}, [("info", "Title: cancelled. What was finished before is still there.", "")]),
                        ({"title": "Title"}, [])):  # fmt: skip
        session.worker.job = Job(2, "Title", "/page", state="cancelled")
        session.interrupted = again
        assert notices(session, rendered) == said
        assert rendered[-1][1]["again"] == again
    session.worker.job = Job(3, "Title", "/page", state="done")
    assert notices(session, rendered) == []


@pytest.mark.parametrize(
    ("where", "shows", "said"), [("k", ("form",), 0), ("k", ("other",), 1), ("", ("form",), 1), ("k", (), 1)]
)
def test_what_stands_beside_its_field_is_not_said_above(session, rendered, where, shows, said):
    session.drafts["form"] = Draft({"k": ["1"]}, session.stamp, "No.", "", where)
    session.worker.job = Job(2, "Title", "/page", state="failed", message="No.", form={"draft": "form"})
    assert len(notices(session, rendered, shows=shows)) == said


def test_a_project_that_is_not_saved_says_so_on_every_page(session, rendered, tmp_path):
    session.unsaved = "No Space"
    said = (
        "error", "The project could not be saved (no space): a restart would lose the last changes.",
        f"Make room in {tmp_path}; it is tried again with every step.",
    )  # fmt: skip
    assert [notices(session, rendered), notices(session, rendered)] == [[said], [said]]


def test_a_question_has_an_address_of_its_own(session):
    answer = pages.ask(session, "/do", {"a": ["1"]}, "Sure?", ["It goes."], "Yes", "/back")
    ((name, question),) = session.questions.items()
    assert (answer.status_code, answer.headers["location"]) == (303, f"/ask/{name}")
    assert question == {
        "path": "/do", "fields": {"a": ["1"]}, "title": "Sure?", "sentences": ["It goes."], "yes": "Yes",
        "back": "/back",
    }  # fmt: skip


BUSY = Notice("error", "Another piece of work is running.", "Wait for it, or cancel it; what you typed is kept.")


def test_what_is_refused_is_said_beside_its_field_where_it_is_known(session):
    error = FileError("k must be 2.", hint="Say 3.")
    assert pages.refuse(session, error, "/here").headers["location"] == "/here"
    assert session.notices == [Notice("error", "k must be 2.", "Say 3.")]
    for names, where in ((["p", "k"], "k"), (["p", "q"], ""), (["p"], "p"), ([], "")):
        session.notices = []
        draft = session.drafts["form"] = Draft({"k": ["1"]})
        pages.refuse(session, error, "/here", "form", iter(names))
        assert (draft.message, draft.hint, draft.where) == ("k must be 2.", "Say 3.", where)
        assert session.notices == ([] if where else [Notice("error", "k must be 2.", "Say 3.")])


def test_work_is_begun_as_it_is_given(session):
    session.interrupted = {"title": "old"}
    saved = []
    session.save = lambda: saved.append(1)
    answer = begin(session, "Title", "/page", "protect", {"a": 1}, "finish", "partial", form={"path": "/p"})
    assert answer.headers["location"] == "/page"
    ((values, options),) = session.given_work
    assert values == ("Title", "/page", "protect", {"a": 1}, "finish", "partial")
    assert options["form"] == {"path": "/p"}
    assert (session.interrupted, saved, session.notices) == ({}, [1], [])


def test_one_piece_of_work_is_begun_at_a_time(session):
    session.worker.busy = True
    assert begin(session, "Title", "/page", "protect", {}, print).headers["location"] == "/page"
    assert (session.notices, session.given_work) == ([BUSY], [])
    session.worker.busy = False
    session.worker.job = None  # somebody was quicker
    assert begin(session, "Title", "/page", "protect", {}, print).headers["location"] == "/page"
    assert session.notices == [BUSY, BUSY]


def test_a_file_that_is_another_one_is_read_again_first(session):
    session.what_changed = lambda: "gone"
    assert begin(session, "Title", "/page", "protect", {}, print).headers["location"] == "/open"
    assert session.given_work == []
    (notice,) = session.notices
    assert notice.text == "The data file is not the one that was opened: it has changed, or is not where it was."
    assert notice.hint == "Read it again here; declaration and steps are kept."
    assert begin(session, "Title", "/page", "open", {}, print).headers["location"] == "/page"
    assert len(session.given_work) == 1


@pytest.mark.parametrize(
    ("state", "broken", "draft_stays", "blamed", "again"),
    [
        ("done", False, False, False, False),
        ("failed", False, True, True, False),
        ("failed", True, True, True, True),
        ("cancelled", False, True, False, True),
    ],
)
def test_what_is_left_when_work_has_ended(session, state, broken, draft_stays, blamed, again):
    heard = []
    form = {"path": "/p", "draft": "form"}
    begin(session, "T", "/page", "protect", {}, print, form=form, names=iter(["p", "k"]),
          ended=lambda *what: heard.append(what))  # fmt: skip
    settle = session.given_work[0][1]["ended"]
    draft = session.drafts["form"] = Draft({"k": ["1"]})
    session.interrupted = {"title": "old"}
    job = Job(2, "T", "/page", message="k is wrong.", hint="Try.", broken=broken, form=form)
    settle(job, state)
    assert ("form" in session.drafts) is draft_stays
    assert (draft.where, draft.message, draft.hint) == (("k", "k is wrong.", "Try.") if blamed else ("", "", ""))
    assert session.interrupted == ({"title": "T", "page": "/page", "form": form} if again else {})
    assert heard == [(job, state)]


@pytest.mark.parametrize(
    ("inside", "cookie", "known", "admitted"),
    [(True, "c", True, True), (False, "c", True, False), (True, "", True, False), (True, "c", False, False)],
)
def test_who_is_let_in(inside, cookie, known, admitted):
    found = {"here": "session"}
    studio = SimpleNamespace(
        cookie="name",
        browsers=SimpleNamespace(knows=lambda _key: known, root="/s"),
        projects=SimpleNamespace(find=found.get),
    )
    request = SimpleNamespace(
        app=SimpleNamespace(state=SimpleNamespace(studio=studio)), cookies={"name": cookie},
        scope={"inside": inside, "project": "here"},
    )  # fmt: skip
    if not admitted:
        with pytest.raises(NoSessionError):
            pages.admitted(request)
        return
    assert pages.admitted(request) == "c"
    assert pages.current(request, "c") == "session"
    request.scope["project"] = "there"
    with pytest.raises(HTTPException, match="There is no such project any more") as gone:
        pages.current(request, "c")
    assert gone.value.status_code == 404
