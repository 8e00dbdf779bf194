"""The risk of the table as it is: measured when it is asked for, of what is declared."""

from __future__ import annotations

from discreet.studio.session_values import Declared


def test_without_a_file_there_is_no_risk(client):
    assert str(client.get("/risk").url).endswith("/open")
    assert str(client.post("/risk").url).endswith("/open")
    assert client.session.worker.job is None
    assert client.session.risk is None


def test_it_is_measured_when_it_is_asked_for(desk):
    before = desk.get("/risk")
    assert before.status_code == 200
    assert desk.session.risk is None
    desk.post("/risk")
    call, arguments = desk.session.worker.calls[-1]
    assert call == "risk"
    assert arguments["schema"] is desk.session.schema
    assert arguments["given"] == desk.session.given
    assert arguments["scenarios"] == desk.session.scenarios
    job = desk.session.worker.job
    assert (job.title, job.page, job.form) == ("Measuring the risk as it is", "/risk", {"path": "/risk", "fields": {}})
    assert job.state == "done", job.message
    assert desk.session.risk is not None
    assert desk.get("/risk").text != before.text


def test_it_is_kept_before_the_work_is_over(desk):
    # A result that cannot be kept is no result: whoever looks must not be told that it is there.
    saved = []
    save, submit = desk.session.save, desk.session.worker.submit
    desk.session.save = lambda: (saved.append(desk.session.risk is not None), save())[1]

    def watched(title, page, call, arguments, finish, *further, **options):
        def finished(risk):
            finish(risk)
            assert saved[-1], "nothing was kept when the work was taken over"

        return submit(title, page, call, arguments, finished, *further, **options)

    desk.session.worker.submit = watched
    desk.post("/risk")
    assert desk.session.worker.job.state == "done"


def test_that_of_a_table_declared_otherwise_meanwhile_is_not_taken(desk):
    submit = desk.session.worker.submit

    def late(title, page, call, arguments, finish, *further, **options):
        desk.session.declared = Declared(desk.session.schema.with_roles(WFUEL="other"), {})
        return submit(title, page, call, arguments, finish, *further, **options)

    desk.session.worker.submit = late
    assert desk.post("/risk").status_code == 200
    assert desk.session.worker.calls[-1][0] == "risk"
    assert desk.session.worker.job.state == "done"
    assert desk.session.risk is None
