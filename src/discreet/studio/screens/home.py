"""What is behind every screen: letting a browser in, the list of projects, the present work, drafts, the end."""

from __future__ import annotations

import hashlib
import hmac

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from discreet.errors import FileError
from discreet.studio.drafts import of_form
from discreet.studio.forms import read_form
from discreet.studio.pages import Admitted, Mine, NoSessionError, Studio, ask, render, studio_of, to
from discreet.studio.projects import Listed
from discreet.studio.security import same

__all__ = ["router"]

router = APIRouter()

_FORMS = ("declare", "intruders", "release", "protect:", "compare:", "attack:")
"""Forms whose answers are kept while they are typed."""


@router.get("/start")
async def start(request: Request, token: str = "") -> Response:
    """Let a browser in that brings a token, and tell it the secret address."""
    studio = studio_of(request)
    if not studio.gate.redeem(token):
        raise NoSessionError
    key = studio.browsers.admit()
    studio.announce(studio.gate.issue())
    place = f"{studio.root}/" if studio.projects.list() else f"{studio.projects.create().root}/open"
    response = RedirectResponse(place, 303)
    response.set_cookie(
        studio.cookie, key, httponly=True, samesite="strict", path=studio.root, max_age=int(studio.browsers.lasting)
    )
    return response


@router.get("/")
async def home(request: Request, _: Admitted, ended: str = "") -> Response:
    """Show the projects; the first page of a project is what is open in it."""
    if request.scope.get("project"):
        return to("/open")
    studio = studio_of(request)
    return _list(studio, studio.projects.list(), ended=ended == "1")


def _list(studio: Studio, listed: list[Listed], *, ended: bool = False, sure: bool = False) -> Response:
    return HTMLResponse(render("projects.html", root=studio.root, projects=listed, csrf=_token(studio), ended=ended,
                               sure=sure, folder=studio.projects.folder))  # fmt: skip


def _token(studio: Studio) -> str:
    return hmac.new(studio.browsers.secret, b"studio", hashlib.sha256).hexdigest()


@router.post("/new")
async def new(request: Request, _: Admitted) -> Response:
    """Begin a project."""
    form = await request.form(max_files=0, max_fields=10)
    studio = studio_of(request)
    if not same(str(form.get("csrf", "")), _token(studio)):
        raise HTTPException(403, "The form does not belong to this studio. Go back, reload the page and try again.")
    return RedirectResponse(f"{studio.projects.create().root}/open", 303)


@router.get("/remove")
async def ask_to_remove(request: Request, _: Admitted, key: str = "") -> Response:
    """Ask before a project of the list is removed."""
    studio = studio_of(request)
    listed = [one for one in studio.projects.list() if one.key == key]
    return _list(studio, listed, sure=True) if listed else RedirectResponse(f"{studio.root}/", 303)


@router.post("/remove")
async def remove(request: Request, _: Admitted) -> Response:
    """Remove a project of the list, which has been asked about."""
    form = await request.form(max_files=0, max_fields=10)
    studio = studio_of(request)
    if not same(str(form.get("csrf", "")), _token(studio)):
        raise HTTPException(403, "The form does not belong to this studio. Go back, reload the page and try again.")
    key = str(form.get("key", ""))
    removed = form.get("sure") == "yes" and studio.projects.discard(key)
    return RedirectResponse(f"{studio.root}/?ended=1" if removed else f"{studio.root}/", 303)


@router.get("/ask/{name}")
async def question(session: Mine, name: str) -> Response:
    """Show a question that has to be answered before something is lost."""
    entry = session.questions.get(name)
    if entry is None:
        return to("/open")
    return HTMLResponse(render("ask.html", root=session.root, session=session, **entry))


@router.get("/alive")
async def alive(request: Request, _: Admitted) -> Response:
    """Say that the server is there, which start of it this is, and which state of the project is the present one."""
    studio = studio_of(request)
    key = str(request.scope.get("project", ""))
    session = None
    if key:
        try:
            session = studio.projects.find(key)
        except FileError:
            session = None
    lost = bool(key) and session is None
    stamp = session.stamp if session is not None else ""
    return JSONResponse({"instance": studio.instance, "stamp": stamp, "gone": lost})


@router.get("/job")
async def job(session: Mine) -> Response:
    """Say how the present piece of work gets on."""
    current = session.worker.job
    told = current.to_dict() if current is not None else {"state": "none"}
    # Asked of what is told, not of the work: it may have come to its end since, and nobody would have been sent there.
    if current is not None and told["state"] == "done":
        current.goes_to = ""  # the page goes there now, and nobody a second time
    return JSONResponse(told)


@router.post("/job/cancel")
async def cancel(request: Request, session: Mine) -> Response:
    """End the present piece of work."""
    await read_form(request, session)
    running = session.worker.job
    session.worker.cancel()
    return to(running.page if running is not None else "/open")


@router.post("/job/forget")
async def forget(request: Request, session: Mine) -> Response:
    """Do not offer again what was interrupted."""
    form = await read_form(request, session)
    session.interrupted = {}
    session.save()
    page = str(form.get("here", "open"))
    return to(f"/{page}" if page.isalpha() else "/open")


@router.post("/draft")
async def draft(request: Request, session: Mine) -> Response:
    """Keep what is being typed into a form, so that a closed browser does not lose it."""
    form = await read_form(request, session, "declaration")
    name = str(form.get("draft", ""))
    if not name.startswith(_FORMS) or len(name) > 80:
        raise HTTPException(400, "There is no such form.")
    # What is on its way while the form itself is sent may arrive behind it, and says nothing new: what was found wrong
    # with these answers stays beside them.
    if session.draft(name).fields != (fields := of_form(form)):
        session.keep_draft(name, fields)
    return JSONResponse({"kept": True})


@router.post("/draft/discard")
async def discard(request: Request, session: Mine) -> Response:
    """Forget answers that were not taken over."""
    form = await read_form(request, session)
    name, _, page = str(form.get("discard", "")).partition("@")
    session.drop_draft(name)
    return to(f"/{page}" if page.split("?")[0].isalpha() else "/open")


@router.post("/end")
async def end(request: Request, session: Mine) -> Response:
    """End the project, after a question: its files are removed."""
    form = await read_form(request, session)
    studio = studio_of(request)
    if session.given is not None and form.get("sure") != "yes":
        lost = ["Declaration, steps and alternatives, studies, releases and decisions of this project are removed."]
        lost.append(
            "The copy of the data that was sent here is removed with it."
            if session.uploaded
            else "The data themselves stay where they are."
        )
        lost.append("To go on another time, simply close the page: the project saves itself.")
        return ask(session, "/end", {}, f"End the project {session.given.name}?", lost, "End it and remove its files",
                   "/open")  # fmt: skip
    studio.projects.end(session)
    return RedirectResponse(f"{studio.root}/?ended=1", 303)
