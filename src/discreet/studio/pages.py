"""Pages: templates, the session behind a request, and how work is begun from a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import jinja2
from fastapi import Depends, HTTPException, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from discreet._version import __version__
from discreet.errors import DiscreetError
from discreet.studio.browsers import Browsers
from discreet.studio.drafts import Draft, spoken_of
from discreet.studio.jobs import Job
from discreet.studio.layouts import FIELDS
from discreet.studio.private_folder import PrivateFolder
from discreet.studio.projects import Projects
from discreet.studio.security import Gate
from discreet.studio.sessions import Notice, Session
from discreet.studio.wording import reworded

__all__ = [
    "SCREENS",
    "Admitted",
    "Mine",
    "NoSessionError",
    "Studio",
    "admitted",
    "ask",
    "begin",
    "busy",
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
    """What all requests share: tokens, projects and settings. No data."""

    gate: Gate
    browsers: Browsers
    projects: Projects
    scratch: PrivateFolder
    cookie: str
    limit: int
    announce: Callable[[str], None]
    local: bool = True
    """Whether only this machine can reach the server: then a path that somebody types is a path of his own."""
    instance: str = ""
    """What tells one start of the server from the next."""

    @property
    def root(self) -> str:
        """The secret that addresses begin with."""
        return self.browsers.root


def studio_of(request: Request) -> Studio:
    """Return what all requests share."""
    studio: Studio = request.app.state.studio
    return studio


def admitted(request: Request) -> str:
    """Return the cookie of a browser that has spent a link, or refuse the request."""
    studio = studio_of(request)
    key = request.cookies.get(studio.cookie, "")
    if not request.scope.get("inside") or not key or not studio.browsers.knows(key):
        raise NoSessionError
    return key


Admitted = Annotated[str, Depends(admitted)]


def current(request: Request, _: Admitted) -> Session:
    """Return the project that a request is about, or refuse it."""
    session = studio_of(request).projects.find(str(request.scope.get("project", "")))
    if session is None:
        raise HTTPException(404, "There is no such project any more.")
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
    environment.globals.update(screens=SCREENS, version=__version__, nothing=Draft(), layout_fields=FIELDS)
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


_ADDRESS = re.compile(r'\b(href|src|action|formaction)="/(?!static/)')


def render(template: str, *, root: str = "", **context: Any) -> str:
    """Return the text of a template; its addresses begin with `root`, which no template has to think of.

    What a user has named is escaped, quotes too, so that only our own attributes are found here.
    """
    text = _environment().get_template(template).render(root=root, **context)
    whole = f"{root.partition('/p/')[0][1:]}/"  # what begins with the secret is whole already

    def prefixed(match: re.Match[str]) -> str:
        return match[0] if root and text.startswith(whole, match.end()) else f'{match[1]}="{root}/'

    return _ADDRESS.sub(prefixed, text)


def page(
    session: Session, template: str, here: str, status: int = 200, *, shows: tuple[str, ...] = (), **context: Any
) -> HTMLResponse:
    """Return a screen; sentences that were left for it are shown once.

    Parameters
    ----------
    shows : tuple of str
        The forms on it whose answers may have been kept: what is wrong with one of their fields stands beside it.
    """
    notices, session.notices = session.notices, []
    job = session.worker.job
    again: dict[str, Any] = session.interrupted
    if job is not None and not job.running and not job.shown:
        job.shown = True
        name = str(job.form.get("draft", ""))
        if job.state == "failed" and not (name in shows and session.draft(name).where):
            notices.append(Notice("error", *reworded(session, job.message, job.hint)))
        elif job.state == "cancelled" and not again:
            notices.append(Notice("info", f"{job.title}: cancelled. What was finished before is still there."))
    if session.unsaved:
        text = f"The project could not be saved ({session.unsaved.lower()}): a restart would lose the last changes."
        hint = f"Make room in {session.folder.parent}; it is tried again with every step."
        notices.append(Notice("error", text, hint))
    text = render(
        template, root=session.root, session=session, here=here, notices=notices, job=job, again=again, **context
    )
    return HTMLResponse(text, status)


def ask(
    session: Session, path: str, fields: dict[str, list[str]], title: str, sentences: list[str], yes: str, back: str
) -> Response:
    """Ask before something is lost; the answers of the form are carried along and nothing is done.

    The question has an address of its own, so that the browser's way back leads through it without sending anything
    again.
    """
    question = {"path": path, "fields": fields, "title": title, "sentences": sentences, "yes": yes, "back": back}
    return to(f"/ask/{session.put_question(question)}")


def to(path: str) -> RedirectResponse:
    """Send the browser to a page of the project, with GET."""
    return RedirectResponse(path, 303)


def busy(session: Session, path: str) -> Response:
    """Go back to a page and say that one piece of work is done at a time; drafts keep what was typed."""
    session.say("error", "Another piece of work is running.", "Wait for it, or cancel it; what you typed is kept.")
    return to(path)


def refuse(session: Session, error: DiscreetError, path: str, draft: str = "", names: Iterable[str] = ()) -> Response:
    """Go back to a page and say what is wrong: beside the field where it is known, with every answer kept.

    Parameters
    ----------
    draft : str
        The form whose answers are kept.
    names : iterable of str
        Its fields, or what its fields are about: the first that the message speaks of gets the message beside it.
    """
    answers = session.drafts.get(draft)
    if answers is None:
        session.say("error", *reworded(session, error.message, error.hint))
    else:
        _blame(session, answers, error.message, error.hint, names)
        if not answers.where:
            session.say("error", answers.message, answers.hint)
    return to(path)


def _blame(session: Session, draft: Draft, message: str, hint: str, names: Iterable[str]) -> None:
    candidates = list(names)
    draft.message, draft.hint = reworded(session, message, hint)
    draft.where = spoken_of(draft.message, candidates) or (candidates[0] if len(candidates) == 1 else "")
    session.save()


def begin(
    session: Session,
    title: str,
    path: str,
    call: str,
    arguments: dict[str, Any],
    finish: Callable[[Any], None],
    partial: Callable[[Any], None] = lambda _: None,
    *,
    form: dict[str, Any] | None = None,
    names: Iterable[str] = (),
    ended: Callable[[Job, str], None] = lambda *_: None,
) -> Response:
    """Begin a piece of work and go to the page that shows how it gets on.

    Parameters
    ----------
    form : dict, optional
        The form that began it: ``path`` and ``fields``, to begin it again after it was interrupted, and ``draft``, the
        name under which its answers are kept until the work has succeeded.
    names : iterable of str
        What the fields of that form are about, to say what went wrong beside the right one.
    """
    fields = tuple(names)

    def settle(job: Job, state: str) -> None:
        draft = str(job.form.get("draft", ""))
        if state == "done":
            session.interrupted = {}
            session.drafts.pop(draft, None)
        else:
            # What was refused is for its form; what was cancelled or died can be begun again as it was.
            session.interrupted = job.to_restart() if state == "cancelled" or job.broken else {}
            answers = session.drafts.get(draft)
            if state == "failed" and answers is not None:
                _blame(session, answers, job.message, job.hint, fields)
        session.save()
        ended(job, state)

    if session.worker.busy:
        return busy(session, path)
    if call != "open" and session.what_changed():
        session.say("error", "The data file is not the one that was opened: it has changed, or is not where it was.",
                    "Read it again here; declaration and steps are kept.")  # fmt: skip
        return to("/open")
    session.interrupted = {}
    if session.worker.submit(title, path, call, arguments, finish, partial, form=form, ended=settle) is None:
        return busy(session, path)
    session.save()
    return to(path)
