"""Release: the masked file with everything that belongs to it."""

from __future__ import annotations

import shutil
from pathlib import Path

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import FileResponse, Response

from discreet import workflow
from discreet.errors import DiscreetError, ParameterError
from discreet.studio.drafts import of_form
from discreet.studio.forms import read_form
from discreet.studio.jobs import Job
from discreet.studio.pages import Mine, ask, begin, busy, page, refuse, to
from discreet.studio.session_values import Released

__all__ = ["router"]

router = APIRouter()

_THRESHOLDS = ("risk_at_most", "loss_at_most", "smallest_group")


@router.get("/release")
async def show(session: Mine) -> Response:
    """Show what a release needs, and its files."""
    if session.schema is None:
        return to("/open")
    endings = [ending for ending in workflow.writable_endings() if ending not in {".txt", ".tsv", ".pq"}]
    return page(session, "release.html", "release", shows=("release",), endings=endings)


@router.post("/release")
async def make(request: Request, session: Mine) -> Response:
    """Write the release."""
    form = await read_form(request, session, "declaration", "steps", "seed")
    if session.schema is None:
        return to("/open")
    session.keep_draft("release", of_form(form))
    schema, steps = session.schema, session.history.steps
    ending = str(form.get("ending", ".csv"))
    try:
        if not steps:
            raise ParameterError("Nothing protects the file yet.", hint="Take a step on the page Protect first.")
        thresholds = {name: _limit(name, str(form.get(name, ""))) for name in _THRESHOLDS}
        seed = _seed(str(form.get("seed", "")))
    except DiscreetError as error:
        return refuse(session, error, "/release", "release", ("seed", *(n.replace("_", " ") for n in _THRESHOLDS)))
    if ending not in workflow.writable_endings():
        raise HTTPException(400, "Files of this kind cannot be written.")
    if session.worker.busy:
        return busy(session, "/release")
    if seed is not None and seed != session.seed:
        if session.protected and form.get("sure") != "yes":
            sentences = ["What the steps led to was measured with another seed, and has to be measured again.",
                         "The release is made with the seed that you typed."]  # fmt: skip
            return ask(session, "/release", of_form(form), "Change the seed?", sentences, "Change it", "/release")
        session.seed, session.seed_drawn = seed, False
        session.protected.clear()
        session.change("seed", "Another seed was given.")
    session.thresholds = {name: limit for name, limit in thresholds.items() if limit is not None}
    folder = session.new_folder("release-")

    def finish(released: Released) -> None:
        session.releases.append(folder.name)
        if session.schema is schema and session.history.steps == steps:
            session.release = released
        session.change("study", f"Wrote a release after {len(steps)} steps, into {folder.name}.")

    def ended(_: Job, state: str) -> None:
        if state != "done":
            shutil.rmtree(folder, ignore_errors=True)

    arguments = {
        "given": session.given,
        "schema": schema,
        "steps": steps,
        "seed": session.need_seed(),
        "scenarios": session.scenarios,
        "thresholds": session.thresholds,
        "folder": str(folder),
        "ending": ending,
    }
    again = {"path": "/release", "fields": of_form(form), "draft": "release"}
    return begin(session, "Writing the release", "/release", "release", arguments, finish, form=again, ended=ended)


def _seed(text: str) -> int | None:
    """Return the seed that somebody typed; nothing typed leaves the one that was drawn, or draws one."""
    if not text.strip():
        return None
    if not text.strip().isdecimal() or len(text.strip()) > 60:
        raise ParameterError("The seed must be a whole number of at least 0, or nothing.")
    return int(text)


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
