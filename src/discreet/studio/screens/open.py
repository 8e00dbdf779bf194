"""Open: a sample, a file, or a saved protocol with its file."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from discreet import workflow
from discreet.errors import DiscreetError, FileError
from discreet.studio.forms import read_form, receive, whole_number
from discreet.studio.pages import Mine, begin, page, refuse, studio_of, to
from discreet.studio.sessions import Session
from discreet.workflow import Given, Opened, Protocol

__all__ = ["router"]

router = APIRouter()


@router.get("/open")
async def show(request: Request, session: Mine, rows: int = 0) -> Response:
    """Show what can be opened, and what is open: types and counts; rows only on request."""
    return page(
        session,
        "open.html",
        "open",
        samples=workflow.list_datasets(),
        endings=workflow.readable_endings(),
        limit=studio_of(request).limit,
        rows=bool(rows),
    )


@router.post("/open/sample")
async def open_sample(request: Request, session: Mine) -> Response:
    """Open a bundled data set."""
    form = await read_form(request, session)
    name = str(form.get("sample", ""))
    if name not in workflow.list_datasets():
        return refuse(session, FileError("There is no such sample."), "/open")
    n = whole_number(form.get("n"), 1000, 50, 100_000)
    return _open(session, Given("sample", name, f"sample: {name}", n=n), None)


@router.post("/open/file")
async def open_file(request: Request, session: Mine) -> Response:
    """Open a file that was sent, with a protocol or without."""
    if session.worker.busy:
        session.say("error", "Another piece of work is running.", "Wait for it, or cancel it.")
        return to("/open")
    protocol: Protocol | None = None
    upload = None
    try:
        upload = await receive(request, session, {"file": workflow.readable_endings(), "protocol": (".toml",)})
        if "protocol" in upload.files:
            path = upload.files["protocol"][1]
            protocol = workflow.read_protocol(path.read_text(encoding="utf-8", errors="replace"))
            path.unlink()
        if "file" not in upload.files:
            raise FileError(
                "No file was chosen.", hint="A protocol holds choices, not data: choose the data file as well."
            )
    except DiscreetError as error:
        if upload is not None:
            upload.discard()
        return refuse(session, error, "/open")
    name, path = upload.files["file"]
    text = {key: value.strip() or None for key, value in upload.texts.items()}
    header = {"yes": True, "no": False}.get(text.get("header") or "")
    delimiter = {"tab": "\t"}.get(text.get("delimiter") or "", text.get("delimiter"))
    if path.suffix in {".csv", ".tsv", ".txt"}:
        given = Given(
            "file", str(path), name, delimiter=delimiter, encoding=text.get("encoding"), header=header,
            decimal=text.get("decimal"), thousands=text.get("thousands"), leave_out=text.get("leave_out"),
        )  # fmt: skip
    elif path.suffix == ".xlsx":
        given = Given("file", str(path), name, header=header)
    else:
        given = Given("file", str(path), name)
    return _open(session, given, protocol)


def _open(session: Session, given: Given, protocol: Protocol | None) -> Response:
    if session.worker.busy:
        session.say("error", "Another piece of work is running.", "Wait for it, or cancel it.")
        return to("/open")
    session.start_over(given)

    def finish(opened: Opened) -> None:
        if session.given is not given:
            return
        session.opened = opened
        if protocol is not None:
            _take_over(session, protocol)

    arguments: dict[str, Any] = {"given": given, "schema": None if protocol is None else protocol.schema}
    return begin(session, f"Opening {given.name}", "/open", "open", arguments, finish)


def _take_over(session: Session, protocol: Protocol) -> None:
    session.scenarios = tuple(protocol.scenarios)
    session.thresholds = dict(protocol.thresholds)
    session.seed = session.seed if protocol.seed is None else protocol.seed
    session.history = workflow.History(tuple(protocol.steps), len(protocol.steps))
