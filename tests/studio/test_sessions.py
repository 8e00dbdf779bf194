"""What a project's folder holds after a crash: its own file and its releases, and nothing that was given up."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from types import SimpleNamespace

import pytest

from discreet.errors import SchemaError
from discreet.studio import sessions
from discreet.studio.desk import Desk
from discreet.studio.drafts import Draft
from discreet.studio.session_values import Given, History, Released
from discreet.studio.sessions import Session
from discreet.workflow import Intruder, Protocol, Step


@pytest.mark.parametrize(("uploaded", "kept"), [(True, {"files-own", "release-1"}), (False, {"release-1"})])
def test_only_what_the_project_speaks_of_is_left(tmp_path, uploaded, kept):
    for name in ("files-own", "files-given-up", "release-1", "release-unfinished"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "data.csv").write_text("x")
    (tmp_path / "half.part").write_text("x")
    (tmp_path / "project.json").write_text("{}")
    given = Given("file", str(tmp_path / "files-own" / "data.csv"), "data.csv")
    project = SimpleNamespace(folder=tmp_path, given=given, uploaded=uploaded, releases=["release-1"])
    Session.clear_strangers(project)
    assert {path.name for path in tmp_path.iterdir()} == kept | {"project.json"}


def test_before_anything_is_opened_nothing_is_kept(tmp_path):
    (tmp_path / "files-given-up").mkdir()
    Session.clear_strangers(SimpleNamespace(folder=tmp_path, given=None, uploaded=True, releases=[]))
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------ a project without a process


@pytest.fixture
def session(tmp_path):
    """A project that has opened a sample of ten records; saving it is counted."""
    folder = tmp_path / "20260101-abcdefghij"
    folder.mkdir()
    stopped = []
    worker = SimpleNamespace(job=None, busy=False, stop=lambda: stopped.append("stop"))
    one = Session("20260101-abcdefghij", "csrf", folder, "/s/p/20260101-abcdefghij", worker=worker)
    one.given = Given("sample", "business", "sample: business", n=10)
    one.opened = Desk().open(one.given)
    one.stopped = stopped
    return one


def test_what_would_be_lost_is_said_in_words(session):
    assert session.measured == []
    session.risk = "risk"
    assert session.measured == ["the risk as it is"]
    session.keep_result(("a",), "first")
    assert session.measured == ["the risk as it is", "one result of steps"]
    session.keep_result(("b",), "second")
    session.study = SimpleNamespace(done=7)
    session.attacked = "attacked"
    session.release = "released"
    assert session.measured == [
        "the risk as it is",
        "2 results of steps",
        "the map of 7 runs",
        "the last attack",
        "the list of the release's files",
    ]
    assert session.result_of(("a",)) == "first"
    assert session.result_of(("c",)) is None
    session.history = History(("a",), 1)
    assert session.result == "first"
    session.forget_answers()
    assert session.measured == []
    assert session.result is None
    assert (session.plan, session.plan_made, session.study_kept, session.candidates) == ([], False, {}, {})


def test_the_declaration_that_counts_is_the_checked_one(session):
    assert session.schema is session.opened.schema
    session.declared = SimpleNamespace(schema="checked")
    assert session.schema == "checked"
    session.declared = session.opened = None
    assert session.schema is None


def test_a_form_carries_the_state_it_was_made_for(session):
    assert session.stamp == "0.0.0.0.0.0"
    stamp = session.stamp
    session.change("steps", "Took a step.")
    session.change("steps")
    session.change("seed")
    assert session.stamp == "0.0.2.0.0.1"
    assert session.changed_since(stamp, ("declaration", "steps", "seed")) == ["steps", "seed"]
    assert session.changed_since(stamp, ("declaration", "plan")) == []
    assert session.changed_since("", ("plan",)) == ["plan"], "a form without a stamp is of no state"
    assert [one["what"] for one in session.decisions] == ["Took a step."]


def test_the_last_decisions_questions_and_pictures_are_kept(session, monkeypatch):
    for name, most in (("_DECISIONS", 3), ("_QUESTIONS", 2), ("_PICTURES", 2)):
        monkeypatch.setattr(sessions, name, most)
    monkeypatch.setattr(sessions, "_now", lambda: "2026-01-01T00:00:00+00:00")
    for number in range(5):
        session.change("plan", f"Decision {number}.")
    assert session.decisions == [{"at": "2026-01-01T00:00:00+00:00", "what": f"Decision {n}."} for n in (2, 3, 4)]
    names = [session.put_question({"title": str(number)}) for number in range(3)]
    assert list(session.questions.items()) == [(names[1], {"title": "1"}), (names[2], {"title": "2"})]
    first, second = session.show_picture("<svg>1"), session.show_picture("<svg>2")
    assert len(first) == 24
    assert session.show_picture("<svg>1") == first, "shown again, it is the last one"
    third = session.show_picture("<svg>3")
    assert session.pictures == {first: "<svg>1", third: "<svg>3"}
    assert list(session.pictures) == [first, third]
    assert second not in session.pictures


def test_where_the_data_are_and_what_has_happened_to_them(session, tmp_path):
    assert (session.uploaded, session.what_changed()) == (False, ""), "a sample is always there"
    sent, outside = session.new_file(".csv"), tmp_path / "own.csv"
    assert (sent.name, sent.parent.parent, sent.parent.name[:6]) == ("data.csv", session.folder, "files-")
    for path, uploaded in ((sent, True), (outside, False)):
        path.write_text("x\n1\n")
        session.given = Given("file", str(path), "own.csv")
        status = path.stat()
        identity = {"size": status.st_size, "changed": status.st_mtime_ns}
        assert session.uploaded is uploaded
        for known, said in (
            (identity, ""),
            ({}, ""),
            ({**identity, "size": 5}, "changed"),
            ({**identity, "changed": 5}, "changed"),
        ):
            session.opened = replace(session.opened, identity=known)
            assert session.what_changed() == said, known
        path.unlink()
        assert session.what_changed() == "gone"
    session.given = None
    assert (session.uploaded, session.what_changed()) == (False, "")


def test_a_seed_is_drawn_once_and_one_of_a_protocol_is_kept(session):
    assert session.seed is None
    drawn = session.need_seed()
    assert session.seed_drawn is True
    assert 0 <= drawn < 2**128
    assert session.need_seed() == session.seed == drawn
    protocol = Protocol(session.schema, (Step("mdav", {"k": 3}),), (), {"risk_at_most": 5.0}, 11, None)
    session.take_over(protocol)
    assert (session.seed, session.seed_drawn) == (11, False)
    assert (session.history.steps, session.history.position) == ((Step("mdav", {"k": 3}),), 1)
    assert session.thresholds == {"risk_at_most": 5.0}
    assert session.decisions[-1]["what"] == "Took over a protocol with 1 steps."
    assert session.versions["steps"] == 1
    session.take_over(Protocol(session.schema, (), (), {}, None, None))
    assert session.seed_drawn is True, "a protocol without a seed gets one"


def test_answers_are_kept_until_they_are_taken_over_or_the_declaration_is_another(session):
    assert session.draft("risk") == Draft()
    kept = session.keep_draft("risk", {"k": ["3"]})
    assert session.draft("risk") is kept
    session.change("steps")
    assert session.draft("risk") is kept
    session.change("declaration")
    assert session.draft("risk") == Draft()
    saved = []
    session.save = lambda: saved.append(True)
    session.drop_draft("risk")
    session.drop_draft("risk")
    assert (session.drafts, saved) == ({}, [True])


def test_a_project_comes_back_as_it_was_left(session, tmp_path):
    session.begin(session.given, session.opened)
    session.scenarios = (Intruder("neighbour", ("EMPLOYEES",)),)
    session.thresholds = {"risk_at_most": 5.0}
    session.history = History((Step("mdav", {"k": 3}),), 1)
    session.trees = {"REGION": [["a", "b"]]}
    session.plan, session.plan_made = [("mdav", {"k": "3-5"})], True
    session.keep_draft("release", {"seed": ["3"]})
    session.keep_result(session.history.steps, Released("none", (), ()))
    (session.folder / "release-1").mkdir()
    session.releases = ["release-1"]
    session.release = Released(str(session.folder / "release-1"), (), ())
    session.interrupted = {"title": "Measuring"}
    session.need_seed()
    again = Session(session.key, "csrf", session.folder, worker=SimpleNamespace(job=None))
    again.load()
    for name in ("given", "declared", "scenarios", "thresholds", "seed", "seed_drawn", "history", "trees", "plan",
                 "plan_made", "releases", "release", "drafts", "versions", "decisions", "interrupted", "created",
                 "protected", "study", "risk", "attacked"):  # fmt: skip
        assert getattr(again, name) == getattr(session, name), name
    assert again.opened == replace(session.opened, rows=()), "records are not written into it"
    assert again.decisions[0]["what"].startswith("Opened sample: business: 10 records, ")
    assert stat.S_IMODE((session.folder / "project.json").stat().st_mode) == 0o600
    assert "mdav" in (session.folder / "protocol.toml").read_text()
    (session.folder / "release-1").rmdir()
    gone = Session(session.key, "csrf", session.folder, worker=SimpleNamespace(job=None))
    gone.load()
    assert gone.release is None


def test_a_project_that_was_sent_a_file_may_be_moved(session, tmp_path):
    path = session.new_file(".csv")
    path.write_text("age,sex\n1,f\n2,m\n")
    session.given = Given("file", str(path), "mine.csv")
    session.save()
    moved = tmp_path / "elsewhere"
    session.folder.rename(moved)
    again = Session(session.key, "csrf", moved, worker=SimpleNamespace(job=None))
    again.load()
    assert again.given == Given("file", str(moved / path.parent.name / "data.csv"), "mine.csv")
    assert again.uploaded


def test_results_that_this_version_cannot_read_are_left_out(session):
    session.save()
    file = session.folder / "project.json"
    state = json.loads(file.read_text())
    state["results"]["risk"] = {"kind": "of another version"}
    state["results"]["protected"] = [[state["history"], {"?": 1}], [{"?": 1}, state["history"]]]
    state["study"] = {"plan": [], "total": 3}
    state["versions"] |= {"steps": 7, "of another version": 3}
    file.write_text(json.dumps(state))
    again = Session(session.key, "csrf", session.folder, worker=SimpleNamespace(job=None))
    again.load()
    assert (again.risk, again.protected, again.study) == (None, {}, None)
    assert again.versions == {**dict.fromkeys(sessions.PARTS, 0), "steps": 7}


def test_work_that_runs_is_kept_as_interrupted(session):
    session.interrupted = {"title": "before"}
    assert session._state()["interrupted"] == {"title": "before"}
    session.worker.job = SimpleNamespace(ended=None, to_restart=lambda: {"title": "running"})
    assert session._state()["interrupted"] == {"title": "running"}
    session.worker.job.ended = 3.0
    assert session._state()["interrupted"] == {"title": "before"}


@pytest.mark.parametrize("busy", [False, True])
def test_closing_ends_the_work_and_keeps_the_project_and_removing_removes_it(session, busy):
    session.save()
    session.worker.busy = busy
    session.worker.job = SimpleNamespace(ended=None, to_restart=lambda: {"title": "running"}) if busy else None
    session.on_close = lambda: session.stopped.append("closed")
    session.close()
    assert session.stopped == ["stop", "closed"]
    assert session.interrupted == ({"title": "running"} if busy else {})
    assert (session.folder / "project.json").exists()
    session.remove()
    assert session.stopped == ["stop", "closed"] * 2
    assert not session.folder.exists()


def test_a_disk_that_is_full_is_said_and_leaves_the_file_as_it_was(session, monkeypatch):
    session.save()
    before = (session.folder / "project.json").read_bytes()

    def full(self, target):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(sessions.Path, "replace", full)
        session.change("steps")
    assert session.unsaved == "No space left on device"
    assert (session.folder / "project.json").read_bytes() == before
    assert sorted(path.name for path in session.folder.iterdir()) == ["project.json", "protocol.toml"]
    session.save()
    assert session.unsaved == ""


def test_without_a_file_there_is_nothing_to_save(tmp_path):
    session = Session("key", "csrf", tmp_path, worker=SimpleNamespace(job=None))
    session.save()
    session.change("steps")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SchemaError, match="Nothing is open, so there is no protocol"):
        session.protocol()


def test_a_protocol_names_the_file_or_that_of_a_sample(session):
    assert session.protocol().source.file == "business.csv"
    session.given = Given("file", "/data/mine.csv", "mine.csv", delimiter=";")
    source = session.protocol().source
    assert (source.file, source.delimiter) == ("/data/mine.csv", ";")


def test_a_study_is_brought_back_from_its_rows(session, monkeypatch):
    asked = []
    monkeypatch.setattr(sessions, "plan_candidates", lambda plan: {"of": plan})
    monkeypatch.setattr(sessions, "stored_study", lambda path, total: asked.append((path, total)) or "map")
    session.bring_study_back({})
    assert (session.study, session.study_kept, asked) == (None, {}, [])
    study = {"plan": ["mdav"], "file": "/moved/rows.jsonl", "total": "12"}
    session.bring_study_back(study)
    assert (session.study, session.candidates, session.study_kept) == ("map", {"of": ["mdav"]}, study)
    assert asked == [(session.folder / "rows.jsonl", 12)]


def test_sentences_are_left_for_the_next_page(session):
    session.say("error", "It cannot be read.", "Try again.")
    session.say("info", "Done.")
    assert session.notices == [
        sessions.Notice(kind="error", text="It cannot be read.", hint="Try again."),
        sessions.Notice(kind="info", text="Done.", hint=""),
    ]
