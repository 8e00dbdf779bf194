"""Pages: templates, the session behind a request, and how work is begun from a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import jinja2
from fastapi import Depends, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from discreet._version import __version__
from discreet.errors import DiscreetError
from discreet.studio.security import Gate
from discreet.studio.sessions import Session, Sessions

__all__ = [
    "SCREENS",
    "Mine",
    "NoSessionError",
    "Studio",
    "begin",
    "compile_templates",
    "current",
    "page",
    "refuse",
    "render",
    "studio_of",
    "to",
]

SCREENS: tuple[tuple[str, str], ...] = (
    ("open", "Open"),
    ("declare", "Declare"),
    ("risk", "Risk now"),
    ("protect", "Protect"),
    ("compare", "Compare"),
    ("attack", "Attack"),
    ("release", "Release"),
)


class NoSessionError(Exception):
    """A request without a session."""


@dataclass
class Studio:
    """What all requests share: tokens, sessions and settings. No data."""

    gate: Gate
    sessions: Sessions
    cookie: str
    limit: int
    announce: Callable[[str], None]


def studio_of(request: Request) -> Studio:
    """Return what all requests share."""
    studio: Studio = request.app.state.studio
    return studio


def current(request: Request) -> Session:
    """Return the session of a request, or refuse it."""
    studio = studio_of(request)
    key = request.cookies.get(studio.cookie, "")
    session = studio.sessions.find(key) if key else None
    if session is None:
        raise NoSessionError
    return session


Mine = Annotated[Session, Depends(current)]


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        # Everything is escaped: a column's name is the user's, and may be anything.
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["number"] = _number
    environment.globals.update(screens=SCREENS, version=__version__)
    return environment


def compile_templates() -> None:
    """Compile every template, so that no page waits for it."""
    for name in _environment().list_templates():
        _environment().get_template(name)


def _number(value: float | None, digits: int = 1) -> str:
    """Return a number as people write it: thousands apart, few digits; a dash for none."""
    if value is None:
        return "–"
    if isinstance(value, int):
        return f"{value:,}".replace(",", "\u202f")
    return f"{value:,.{digits}f}".replace(",", "\u202f")


def render(template: str, **context: Any) -> str:
    """Return the text of a template."""
    return _environment().get_template(template).render(**context)


def page(session: Session, template: str, here: str, status: int = 200, **context: Any) -> HTMLResponse:
    """Return a screen; sentences that were left for it are shown once."""
    notices, session.notices = session.notices, []
    job = session.worker.job
    if job is not None and not job.running and not job.shown:
        job.shown = True
        if job.state == "failed":
            notices.append(_failure(session, job.message, job.hint))
        elif job.state == "cancelled":
            notices.append(_notice("info", f"{job.title}: cancelled. What was finished before is still there."))
    text = render(template, session=session, here=here, notices=notices, job=job, **context)
    return HTMLResponse(text, status)


def _notice(kind: str, text: str, hint: str = "") -> Any:
    from discreet.studio.sessions import Notice

    return Notice(kind, text, hint)


def _failure(session: Session, message: str, hint: str) -> Any:
    return _notice("error", _named(session, message), hint)


def _named(session: Session, message: str) -> str:
    """Return a message that calls the file by the name its owner knows."""
    if session.given is not None and session.given.kind == "file":
        message = message.replace(session.given.where, session.given.name)
    return message.replace(f"{session.folder}/", "")


def to(path: str) -> RedirectResponse:
    """Send the browser to a page of ours, with GET."""
    return RedirectResponse(path, 303)


def refuse(session: Session, error: DiscreetError, path: str) -> Response:
    """Go back to a page and say what is wrong."""
    session.say("error", _named(session, error.message), error.hint)
    return to(path)


def begin(
    session: Session,
    title: str,
    path: str,
    call: str,
    arguments: dict[str, Any],
    finish: Callable[[Any], None],
    partial: Callable[[Any], None] = lambda _: None,
) -> Response:
    """Begin a piece of work and go to the page that shows how it gets on."""
    if session.worker.submit(title, path, call, arguments, finish, partial) is None:
        session.say("error", "Another piece of work is running.", "Wait for it, or cancel it.")
    return to(path)
