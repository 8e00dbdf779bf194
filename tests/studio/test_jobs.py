"""Work in a process of its own: how it ends, well or not."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time

import pytest

from discreet.studio.jobs import Job, Worker
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
