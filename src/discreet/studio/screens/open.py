"""Open: a sample, a file, or a saved protocol with its file. What was open before stays a project of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from discreet import workflow
from discreet.errors import DiscreetError, FileError
from discreet.studio.forms import read_form, receive, whole_number
from discreet.studio.jobs import Job
from discreet.studio.layouts import FIELDS, read_layout
from discreet.studio.pages import Mine, begin, busy, page, refuse, studio_of, to
from discreet.studio.projects import Projects
from discreet.studio.session_values import Given, Opened, read_protocol
from discreet.studio.sessions import Session
from discreet.workflow import Protocol

__all__ = ["router"]

router = APIRouter()


@router.get("/open")
async def show(request: Request, session: Mine, rows: str = "") -> Response:
    """Show what can be opened, and what is open: types and counts; rows only on request.

    Work that was done before this page could ask for it is followed from here, once, to the project it made.
    """
    studio = studio_of(request)
    job = session.worker.job
    if job is not None and job.state == "done" and job.goes_to:
        place, job.goes_to = job.goes_to, ""
        return to(place)
    return page(
        session,
        "open.html",
        "open",
        samples=workflow.list_datasets(),
        endings=workflow.readable_endings(),
        limit=studio.limit,
        local=studio.local,
        rows=rows == "1",
        changed=session.what_changed(),
        folder=session.folder,
        shows=("path", "again"),
    )


@router.post("/open/sample")
async def open_sample(request: Request, session: Mine) -> Response:
    """Open a bundled data set."""
    form = await read_form(request, session)
    name = str(form.get("sample", ""))
    if name not in workflow.list_datasets():
        return refuse(session, FileError("There is no such sample."), "/open")
    n = whole_number(form.get("n"), 1000, 50, 100_000)
    again = {"path": "/open/sample", "fields": {"sample": [name], "n": [str(n)]}}
    return _open(request, session, Given("sample", name, f"sample: {name}", n=n), None, form=again)


@router.post("/open/path")
async def open_path(request: Request, session: Mine) -> Response:
    """Open a file where it is: nothing is copied."""
    form = await read_form(request, session)
    typed = str(form.get("path", "")).strip()
    answers = {one.name: str(form.get(one.name, "")).strip() for one in FIELDS}
    fields = {"path": [typed], **{name: [text] for name, text in answers.items()}}
    session.keep_draft("path", fields)
    try:
        source = _at(typed, answers, local=studio_of(request).local)
    except DiscreetError as error:
        return refuse(session, error, "/open#path", "path", ["path"])
    return _open(request, session, source, None, form={"path": "/open/path", "fields": fields, "draft": "path"})


def _at(typed: str, answers: Mapping[str, str], *, local: bool) -> Given:
    if not local:
        raise FileError("Other machines can reach this studio, so it opens no path of this one.", hint="Send the file.")
    if not typed:
        raise FileError("No path was given.", hint="Type where the file is, or send it below.")
    try:
        path = Path(typed).expanduser()
        there = path.is_file()
    except (OSError, RuntimeError):  # longer than a path may be, or in the home of somebody who has none
        raise FileError("This is no path of this machine.", hint="Type where the file is, or send it below.") from None
    if workflow.ending_of(path) not in workflow.readable_endings():
        raise FileError(f"A file that ends in {path.suffix or 'nothing'!r} cannot be opened.",
                        hint=f"Known endings: {', '.join(workflow.readable_endings())}.")  # fmt: skip
    # A pipe or a device would keep the reader waiting for ever.
    if not there:
        raise FileError(f"There is no file {typed!r}.", hint="Type the whole path, from the root of the disk on.")
    return Given("file", str(path.resolve()), path.name, **read_layout(answers, workflow.ending_of(path)))


@router.post("/open/file")
async def open_file(request: Request, session: Mine) -> Response:
    """Open a file that was sent, with a protocol or without."""
    if session.worker.busy:
        return busy(session, "/open")
    # The file goes where it will stay: into this project if it is empty, else into one of its own.
    target = session if session.given is None else studio_of(request).projects.create()
    upload = None
    protocol: Protocol | None = None
    try:
        endings = {"file": workflow.readable_endings(), "protocol": (".toml",)}
        upload = await receive(request, session, endings, target.folder)
        if "protocol" in upload.files:
            path = upload.files["protocol"][1]
            protocol = read_protocol(path.read_text(encoding="utf-8", errors="replace"))
            path.unlink()
            path.parent.rmdir()
        if "file" not in upload.files:
            raise FileError(  # noqa: TRY301 - what arrived is cleared away in one place
                "No file was chosen.", hint="A protocol holds choices, not data: choose the data file as well."
            )
    except BaseException as error:
        if upload is not None:
            upload.discard()
        if target is not session:
            studio_of(request).projects.end(target)
        if not isinstance(error, DiscreetError):
            raise
        return refuse(session, error, "/open#own")
    name, path = upload.files["file"]
    layout = read_layout(upload.texts, workflow.ending_of(path), None if protocol is None else protocol.source)
    source = Given("file", str(path), name, **layout)

    def ended(_: Job, state: str) -> None:
        if state != "done":
            upload.discard()

    return _open(request, session, source, protocol, target=target, ended=ended)


@router.post("/open/again")
async def open_again(request: Request, session: Mine) -> Response:
    """Read the file of the project again: its rows are not kept, and it may have changed or moved."""
    form = await read_form(request, session)
    if session.given is None or session.opened is None or session.schema is None:
        return to("/open")
    source, before, schema = session.given, session.opened, session.schema
    if "path" in form:
        session.keep_draft("again", {"path": [str(form["path"])]})
        try:
            location = _at(str(form["path"]).strip(), {}, local=studio_of(request).local)
        except DiscreetError as error:
            return refuse(session, error, "/open", "again", ["path"])
        source = replace(source, where=location.where, name=location.name)

    def finish(opened: Opened) -> None:
        same = opened.identity.get("sha256") == before.identity.get("sha256")
        session.given = source
        if same:
            session.opened = replace(before, rows=opened.rows, identity=opened.identity)
            session.save()
            return
        # What was measured was measured on another file; choices stay.
        session.forget_answers()
        session.opened = replace(opened, schema=schema)
        session.change("declaration", f"Read {source.name} again: it had changed.")

    arguments: dict[str, Any] = {"given": source, "schema": schema}
    path = "/open?rows=1#rows" if form.get("rows") == "1" else "/open"
    fields = {key: [str(form[key])] for key in ("rows", "path") if key in form}
    again = {"path": "/open/again", "fields": fields, "draft": "again"}
    return begin(session, f"Reading {source.name} again", path, "open", arguments, finish, form=again, names=["path"])


def _open(
    request: Request,
    session: Session,
    source: Given,
    protocol: Protocol | None,
    *,
    target: Session | None = None,
    form: dict[str, Any] | None = None,
    ended: Callable[[Job, str], None] = lambda *_: None,
) -> Response:
    """Open a table into an empty project; one that has a file stays as it is, and the table gets its own."""
    projects: Projects = studio_of(request).projects
    if session.worker.busy:
        if target is not None and target is not session:
            projects.end(target)
        return busy(session, "/open")
    place = target if target is not None else session if session.given is None else projects.create()

    def finish(opened: Opened) -> None:
        place.begin(source, opened)
        if protocol is not None:
            place.take_over(protocol)
        job = session.worker.job
        if place is not session and job is not None:
            job.goes_to = f"{place.root}/open"

    def settle(job: Job, state: str) -> None:
        ended(job, state)
        if state != "done" and place is not session:
            projects.end(place)

    arguments: dict[str, Any] = {"given": source, "schema": None if protocol is None else protocol.schema}
    return begin(session, f"Opening {source.name}", "/open", "open", arguments, finish, form=form, names=["path"],
                 ended=settle)  # fmt: skip
