"""Release: the masked file with everything that belongs to it."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import FileResponse, Response

from discreet import workflow
from discreet.errors import DiscreetError, ParameterError
from discreet.studio.forms import read_form, whole_number
from discreet.studio.pages import Mine, begin, page, refuse, to
from discreet.workflow import Released

__all__ = ["router"]

router = APIRouter()

_THRESHOLDS = ("risk_at_most", "loss_at_most", "smallest_group")


@router.get("/release")
async def show(session: Mine) -> Response:
    """Show what a release needs, and its files."""
    if session.schema is None:
        return to("/open")
    endings = [ending for ending in workflow.writable_endings() if ending not in {".txt", ".tsv", ".pq"}]
    return page(session, "release.html", "release", endings=endings)


@router.post("/release")
async def make(request: Request, session: Mine) -> Response:
    """Write the release."""
    form = await read_form(request, session)
    if session.schema is None:
        return to("/open")
    schema, steps = session.schema, session.history.steps
    ending = str(form.get("ending", ".csv"))
    try:
        if not steps:
            raise ParameterError("Nothing protects the file yet.", hint="Take a step on the page Protect first.")
        thresholds = {name: _limit(name, str(form.get(name, ""))) for name in _THRESHOLDS}
        session.thresholds = {name: limit for name, limit in thresholds.items() if limit is not None}
    except DiscreetError as error:
        return refuse(session, error, "/release")
    if ending not in workflow.writable_endings():
        raise HTTPException(400, "Files of this kind cannot be written.")
    seed = whole_number(form.get("seed"), session.seed, 0, 2**31 - 1)
    if seed != session.seed:
        session.seed = seed
        session.protected.clear()

    def finish(released: Released) -> None:
        if session.schema is schema and session.history.steps == steps:
            session.release = released

    arguments = {
        "given": session.given,
        "schema": schema,
        "steps": steps,
        "seed": session.seed,
        "scenarios": session.scenarios,
        "thresholds": session.thresholds,
        "folder": str(session.new_folder()),
        "ending": ending,
    }
    session.release = None
    return begin(session, "Writing the release", "/release", "release", arguments, finish)


def _limit(name: str, text: str) -> float | None:
    if not text.strip():
        return None
    try:
        return float(text)
    except ValueError:
        raise ParameterError(f"{name.replace('_', ' ')} must be a number.") from None


@router.get("/release/file/{key}")
async def download(session: Mine, key: str) -> Response:
    """Hand out one file of the release, by the name of what it is."""
    if session.release is None:
        raise HTTPException(404, "There is no release yet.")
    names = {file.key: file.name for file in session.release.files} | {"all": "release.zip"}
    if key not in names:
        raise HTTPException(404, "There is no such file.")
    path = Path(session.release.folder) / names[key]
    # Always a download: a report is opened from the user's own disk, outside the pages of the studio.
    return FileResponse(path, media_type="application/octet-stream", filename=names[key])
