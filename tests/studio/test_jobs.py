"""Work in a process of its own: how it ends, well or not."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import threading
import time
from types import SimpleNamespace

import pytest
from tests.stand_ins import instead

from discreet.errors import FileError
from discreet.progress import report
from discreet.studio import desk, jobs
from discreet.studio.jobs import Job, Worker, full_disk
from discreet.studio.session_values import Given
from discreet.workflow import Step

SMALL = Given("sample", "business", "sample: business", n=60)
LARGE = Given("sample", "business", "sample: business", n=3000)


@pytest.fixture(scope="module")
def worker():
    one = Worker()
    one._context = multiprocessing.get_context("spawn")  # as outside tests; other tests of the studio fork
    yield one
    one.stop()
    assert one._process is None


def run(worker, call, **arguments):
    results = []
    job = worker.submit("a title", "/page", call, arguments, results.append)
    while job.running:
        time.sleep(0.02)
    return job, results


def endless(worker):
    """Begin work that would take ten minutes, and wait until it is at it."""
    schema = run(worker, "open", given=LARGE)[1][0].schema
    steps = [Step("refine", {"k": 3, "budget": "10m"})]
    arguments = {"given": LARGE, "schema": schema, "steps": steps, "seed": 0}
    job = worker.submit("endless", "/page", "protect", arguments, lambda _: pytest.fail("it cannot be done"))
    while job.label == "starting":
        time.sleep(0.02)
    return job


def test_a_result_comes_back(worker):
    job, results = run(worker, "open", given=SMALL)
    assert job.state == "done"
    assert results[0].n_records == 60
    assert (job.label, job.done, job.total, job.percent) == ("reading", 2, 2, 100)


def test_an_error_is_told_and_the_process_goes_on(worker):
    before = run(worker, "open", given=SMALL)[0]
    process = worker._process.pid
    job, results = run(worker, "open", given=Given("sample", "nothing", "nothing"))
    assert (job.state, results) == ("failed", [])
    assert "There is no sample named 'nothing'" in job.message
    defect, _ = run(worker, "open", given=None)
    assert defect.message == "A defect in Discreet: AttributeError.", "its own message might quote a value"
    assert worker._process.pid == process
    assert defect.number > before.number


def test_one_piece_of_work_at_a_time_and_cancelling_it(worker):
    job = endless(worker)
    process = worker._process
    assert worker.busy
    assert worker.submit("another", "/", "open", {"given": SMALL}, lambda _: None) is None
    worker.cancel()
    assert job.state == "cancelled"
    assert not process.is_alive()
    assert not worker.busy
    assert run(worker, "open", given=SMALL)[0].state == "done", "a new process takes the next piece of work"
    worker.cancel()
    assert worker.job.state == "done", "cancelling what is done changes nothing"


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_process_that_dies_is_noticed(worker):
    job = endless(worker)
    os.kill(worker._process.pid, signal.SIGKILL)
    while job.running:
        time.sleep(0.02)
    assert (job.state, job.message) == ("failed", "The work ended unexpectedly.")
    assert run(worker, "open", given=SMALL)[0].state == "done"


def test_the_first_end_of_a_job_counts():
    job = Job(1, "title", "/page")
    job.end("cancelled")
    job.end("done")
    assert job.state == "cancelled"
    assert job.to_dict()["state"] == "cancelled"
    assert (job.message, job.broken) == ("", False)


# ------------------------------------------------------------------------------------ without a process

FULL = ("The disk is full: there is no room to write.", "Make room, and start it again; nothing was lost.")


def test_what_a_page_asks_for_again_and_again(monkeypatch):
    monkeypatch.setattr(jobs, "time", instead(time, monotonic=lambda: 12.34))
    job = Job(3, "Title", "/page", started=10.0, form={"path": "/p", "page": "/form"}, goes_to="/other")
    job.label, job.done, job.total = "part", 2, 3
    told = {
        "number": 3, "state": "running", "title": "Title", "label": "part", "done": 2, "total": 3, "percent": 66,
        "seconds": 2.3, "page": "/page", "goes_to": "/other", "form": "/form",
    }  # fmt: skip
    assert job.to_dict() == told
    assert job.to_restart() == {"title": "Title", "page": "/page", "form": {"path": "/p", "page": "/form"}}
    job.ended = 11.0
    assert job.seconds == 1.0
    assert Job(1, "a", "/page").to_dict()["form"] == "/page"


@pytest.mark.parametrize(("done", "total", "percent"), [(0, 0, 0), (5, 0, 0), (1, 3, 33), (3, 3, 100), (4, 3, 100)])
def test_how_much_is_done(done, total, percent):
    assert Job(1, "a", "/", done=done, total=total).percent == percent


def test_who_is_told_of_an_end_finds_everything_in_its_place():
    seen = []
    job = Job(1, "a", "/", on_end=lambda one, state: seen.append((one.state, state, one.message, one.hint, one.broken)))
    job.end("failed", "No.", "Try.", broken=True)
    job.end("failed", "Again.", "")
    assert seen == [("running", "failed", "No.", "Try.", True)]
    assert (job.state, job.running, job.ended is None) == ("failed", False, False)


class Line:
    """A pipe that has said all it will say."""

    def __init__(self, *messages, broken=False):
        self.messages, self.broken, self.sent, self.closed = list(messages), broken, [], False

    def recv(self):
        if not self.messages:
            raise EOFError
        return self.messages.pop(0)

    def send(self, message):
        if self.broken:
            raise BrokenPipeError
        self.sent.append(message)

    def close(self):
        self.closed = True


class AtOnce:
    """A thread that is over when it has started."""

    def __init__(self, target, args, daemon):
        assert daemon
        self.start = lambda: target(*args)


@pytest.fixture
def without(monkeypatch):
    """A worker whose process is none: its pipe, and what was done with it."""
    done = []
    lines = []

    class Process:
        pid = 4711

        def __init__(self, target, args, name):
            self.alive = False
            assert (target, args, name) == (jobs._work, (lines[-1][1],), "discreet-studio-worker")

        def start(self):
            self.alive = True
            done.append("start")

        def is_alive(self):
            return self.alive

        def join(self, seconds):
            done.append(("join", seconds))

    def pipe():
        lines.append((lines.pop() if lines and isinstance(lines[-1], Line) else Line(), Line()))
        return lines[-1]

    monkeypatch.setattr(jobs, "_live", set())
    monkeypatch.setattr(jobs, "threading", instead(threading, Thread=AtOnce))
    monkeypatch.setattr(jobs, "_kill", lambda process: done.append("kill") or setattr(process, "alive", False))
    one = Worker()
    one._context = SimpleNamespace(Pipe=pipe, Process=Process)
    return one, lines, done


def test_work_is_followed_to_its_end(without):
    worker, lines, done = without
    lines.append(Line(("progress", "part", 2, 5), ("partial", "half"), ("done", "whole"), ("partial", "too late")))
    heard = []
    job = worker.submit(
        "Title", "/page", "open", {"a": 1}, lambda value: heard.append(("finish", value)),
        lambda value: heard.append(("partial", value)), form={"path": "/p"},
        ended=lambda one, state: heard.append((one.number, state)),
    )  # fmt: skip
    assert heard == [("partial", "half"), ("finish", "whole"), (1, "done")]
    assert (job.state, job.label, job.done, job.total, job.form) == ("done", "part", 2, 5, {"path": "/p"})
    (ours, theirs), *_ = lines
    assert ours.sent == [("open", {"a": 1})]
    assert (theirs.closed, ours.closed, done) == (True, False, ["start"])
    assert worker in jobs._live
    ours.messages = [("failed", "No.", "Try.")]
    job = worker.submit("Title", "/page", "open", {}, heard.append)
    assert (job.number, job.state, job.message, job.hint, job.broken) == (2, "failed", "No.", "Try.", False)
    ours.messages = [("broken", "No memory.", "")]
    assert worker.submit("Title", "/page", "open", {}, heard.append).broken
    assert done == ["start"], "one process does it all"


def test_a_process_that_says_no_more_is_put_away(without):
    worker, lines, done = without
    job = worker.submit("Title", "/page", "open", {}, pytest.fail)
    assert (job.state, job.message, job.broken) == ("failed", "The work ended unexpectedly.", True)
    assert "run out of memory" in job.hint
    assert (worker._process, worker._pipe, lines[0][0].closed) == (None, None, True)
    assert done == ["start", "kill", ("join", 10)]


def test_work_that_cannot_be_sent_has_failed(without):
    worker, lines, done = without
    lines.append(Line(broken=True))
    job = worker.submit("Title", "/page", "open", {}, pytest.fail)
    assert (job.state, job.message, job.hint, job.broken) == (
        "failed", "The work could not be started.", "Try again.", True,
    )  # fmt: skip
    assert (worker._process, done) == (None, ["start", "kill", ("join", 10)])


def test_a_result_that_cannot_be_kept_has_failed(without):
    worker, lines, _ = without

    def finish(_value):
        raise OSError(errno.ENOSPC, "No room")

    lines.append(Line(("done", "whole")))
    job = worker.submit("Title", "/page", "open", {}, finish)
    assert (job.state, job.message, job.hint, job.broken) == ("failed", *FULL, True)


def test_what_is_cancelled_is_ended_and_a_new_process_is_warm(without):
    worker, lines, done = without
    worker.cancel()
    assert done == [], "nothing was running"
    worker.start()
    assert done == ["start"]
    worker.start()
    assert done == ["start"], "it is alive"
    job = worker.job = Job(1, "a", "/")
    assert worker.busy
    assert worker.submit("b", "/", "open", {}, pytest.fail) is None
    worker.cancel()
    assert (job.state, job.message) == ("cancelled", "Cancelled.")
    assert (done, len(lines)) == (["start", "kill", ("join", 10), "start"], 2)
    worker._process.alive = False
    worker.start()
    assert len(lines) == 3, "a process that has died is replaced"


def test_who_is_cancelled_hears_nothing_more(without):
    worker, *_ = without
    job = Job(1, "a", "/")
    line = Line(("done", "whole"))
    said, line.recv = line.recv, lambda: job.end("cancelled") or said()
    worker._follow(job, line, pytest.fail, pytest.fail)
    assert job.state == "cancelled"


def test_stopping_is_for_good(without):
    worker, _, done = without
    worker.start()
    job = worker.job = Job(1, "a", "/")
    jobs._stop_all()
    assert (job.state, job.message) == ("cancelled", "The session has ended.")
    assert (worker in jobs._live, worker._process, worker._pipe) == (False, None, None)
    assert done == ["start", "kill", ("join", 10)]
    worker.stop()
    assert done == ["start", "kill", ("join", 10)], "there is nothing left to end"


@pytest.mark.parametrize(("group", "ended"), [(7, ["group 7 9"]), (8, ["one"]), (None, ["one"])])
def test_a_process_is_ended_with_its_own_group_only(monkeypatch, group, ended):
    done = []

    def getpgid(_number):
        if group is None:
            raise ProcessLookupError
        return group

    stand_in = instead(os, getpgid=getpgid, killpg=lambda number, how: done.append(f"group {number} {int(how)}"))
    monkeypatch.setattr(jobs, "os", stand_in)
    jobs._kill(SimpleNamespace(pid=7, kill=lambda: done.append("one")))
    assert done == ended


class Told:
    """A desk that says how it gets on."""

    tell = None

    def open(self, counts):
        for label, count in counts:
            report(label, count, 9)
        self.tell("half")
        return "whole"

    def fail(self, error):
        raise error


def test_a_process_tells_now_and_then_and_answers_until_the_pipe_is_closed(monkeypatch):
    ticks = iter([0.0, 0.05, 0.1, 0.15, 0.2, 0.25])
    groups = []
    monkeypatch.setattr(jobs, "os", instead(os, setpgid=lambda *numbers: groups.append(numbers)))
    monkeypatch.setattr(jobs, "signal", instead(signal, signal=lambda *what: groups.append(what)))
    monkeypatch.setattr(jobs, "time", instead(time, monotonic=lambda: next(ticks)))
    monkeypatch.setattr(desk, "Desk", Told)
    counts = [("a", 1), ("a", 2), ("a", 3), ("a", 4), ("b", 1), ("b", 9)]
    line = Line(("open", {"counts": counts}), ("fail", {"error": FileError("No.", hint="Try.")}))
    jobs._work(line)
    assert groups == [(0, 0), (signal.SIGINT, signal.SIG_IGN)]
    told = [("a", 1), ("a", 4), ("b", 1), ("b", 9)]
    assert line.sent == [
        *(("progress", label, count, 9) for label, count in told),
        ("partial", "half"),
        ("done", "whole"),
        ("failed", "No.", "Try."),
    ]
    deaf = Line(("fail", {"error": FileError("No.")}), ("open", {"counts": []}), broken=True)
    jobs._work(deaf)
    assert len(deaf.messages) == 1, "nobody waits for the answer, and no more is done"


def caused(by):
    error = FileError("It could not be written.", hint="Why?")
    error.__cause__ = by
    return error


DEFECT = ("A defect in Discreet: ValueError.", "Please report it, with what you chose.")
SHORT = ("There is not enough memory for this.", "Try fewer attributes, or a method that needs less.")


@pytest.mark.parametrize(
    ("error", "answer"),
    [
        (FileError("No.", hint="Try."), ("failed", "No.", "Try.")),
        (caused(OSError(errno.ENOSPC, "x")), ("broken", *FULL)),
        (MemoryError(), ("broken", *SHORT)),
        (ValueError("4711"), ("failed", *DEFECT)),
        (ValueError("write: Disk quota exceeded (os error 122)"), ("broken", *FULL)),
        (OSError(errno.EDQUOT, "x"), ("broken", *FULL)),
    ],
)
def test_how_work_that_fails_is_answered(error, answer):
    assert jobs._answer(Told(), "fail", {"error": error}, print) == answer


def test_a_full_disk_is_known_by_number_words_or_cause():
    assert full_disk(None) is None
    assert full_disk(OSError(errno.ENOENT, "gone")) is None
    assert full_disk(RuntimeError("there is not enough space on the disk")) == FULL
    within = ValueError("outer")
    within.__context__ = OSError(errno.ENOSPC, "x")
    assert full_disk(within) == FULL
