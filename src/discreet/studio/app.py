"""The application: routes, errors and the server's life."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles

from discreet import workflow
from discreet.errors import DiscreetError
from discreet.studio.browsers import Browsers
from discreet.studio.forms import ConflictError
from discreet.studio.jobs import full_disk
from discreet.studio.pages import NoSessionError, Studio, admitted, ask, compile_templates, render, studio_of
from discreet.studio.private_folder import PrivateFolder
from discreet.studio.projects import Projects, default_folder, private_folder
from discreet.studio.screens import (
    attack,
    compare,
    declare,
    hierarchies,
    home,
    open,  # noqa: A004 - a screen's name
    protect,
    release,
    risk,
)
from discreet.studio.security import Gate, Guard
from discreet.studio.wording import reworded

__all__ = ["create_app", "listen", "serve"]

_MB = 2**20
_IDLE = 12 * 3600.0
_PARTS = {
    "declaration": "the declaration",
    "intruders": "what intruders know",
    "steps": "the steps",
    "plan": "the plan of the study",
    "study": "the study",
    "seed": "the seed",
}


def create_app(
    *,
    host: str = "127.0.0.1",
    port: int = 8766,
    limit: int = 1024 * _MB,
    base: Path | None = None,
    projects: Path | None = None,
    idle: float = _IDLE,
    warm: bool = True,
    returning: bool = True,
    announce: Callable[[str], None] = lambda _: None,
) -> Guard:
    """Return the application, guarded, and with a gate whose tokens let browsers in.

    Parameters
    ----------
    host, port
        Where it will listen: what the Host header may say follows from it.
    limit : int
        The largest request in bytes.
    base : path, optional
        Where the private folder for passing files is made; by default the system's folder for temporary files.
    projects : path, optional
        Where projects save themselves; by default where this system keeps a user's data.
    idle : float
        Seconds after which a project that nobody looks at is put away, and a browser that nobody uses forgotten.
    warm : bool
        Whether the process of a project is started with it, or with its first piece of work.
    returning : bool
        Whether the next server on this port shall know the browsers of this one.
    announce : callable
        Told a new link when the one before has been used.
    """
    folder = private_folder(projects if projects is not None else default_folder())
    browsers = Browsers(folder / f".studio-{port}.json" if returning else None, lasting=idle)
    project_store = Projects(folder, secret=browsers.secret, root=browsers.root, idle=idle, warm=warm)
    scratch = PrivateFolder(base)
    studio = Studio(
        Gate(), browsers, project_store, scratch, f"discreet_studio_{port}", limit, announce, _is_loopback(host),
        secrets.token_hex(8),
    )  # fmt: skip

    @contextlib.asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        workflow.describe_methods()  # every method is imported, and every template compiled, before the first page
        compile_templates()
        try:
            yield
        finally:
            project_store.put_all_away()
            scratch.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=life)
    app.state.studio = studio
    app.mount("/static", StaticFiles(directory=Path(__file__).parent / "static"), name="static")
    for screen in (home, open, declare, risk, protect, hierarchies, compare, attack, release):
        app.include_router(screen.router)
    _add_errors(app)
    return Guard(app, _hosts(host, port), limit, studio, root=browsers.root, refused=_refused)


def _is_loopback(host: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def _hosts(host: str, port: int) -> list[str]:
    """Return what the Host header may say: names and numbers of this machine, so that no other name leads here."""
    names = {"127.0.0.1", "localhost", "[::1]"}
    if host not in {"127.0.0.1", "localhost", "::1", "0.0.0.0", "::"}:  # noqa: S104 - a comparison
        names.add(f"[{host}]" if ":" in host else host.lower())
    if host in {"0.0.0.0", "::"}:  # noqa: S104
        names.add(socket.gethostname().lower())
        with contextlib.suppress(OSError):
            names |= {str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    return [f"{name}:{port}" for name in names] + ([*names] if port == 80 else [])


def _refused(status: int, title: str, text: str, root: str) -> str:
    return render("away.html", root=root, status=status, title=title, text=text)


def _away(request: Request, status: int, title: str, text: str) -> Response:
    """Return a page that is none of the screens, with the way back for a browser that we know."""
    root = ""
    with contextlib.suppress(NoSessionError):
        admitted(request)
        key = request.scope.get("project", "")
        root = studio_of(request).root + (f"/p/{key}" if key else "")
    return HTMLResponse(render("away.html", root=root, status=status, title=title, text=text), status)


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(NoSessionError)
    async def no_session(request: Request, _: Exception) -> Response:
        text = (
            "Open the link that `discreet studio` printed in the console. Each link works once, for one browser; "
            "projects are there again behind every link."
        )
        return _away(request, 403, "No session", text)

    @app.exception_handler(ConflictError)
    async def conflict(_: Request, error: ConflictError) -> Response:
        # Places in an order of levels belong to the levels of that page: they are not carried over to others.
        stale = "declaration" in error.parts
        fields = {name: texts for name, texts in error.fields.items() if not (stale and name.startswith("order-"))}
        changed = " and ".join(_PARTS[part] for part in error.parts)
        sentences = [
            f"Since this page was made, {changed} changed: in another tab or window, or by work that has ended.",
            "Nothing has been done with what you sent, and nothing of it is lost."
            + (" Only an order of levels would have to be given again." if stale else ""),
        ]
        page = error.path.split("/")[1]
        return ask(error.session, error.path, fields, "The project has changed meanwhile", sentences,
                   "Send my answers all the same", f"/{page}")  # fmt: skip

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        titles = {404: "There is no such page", 413: "The file is too large"}
        text = "Go back to where you were." if error.detail == "Not Found" else str(error.detail)
        return _away(request, error.status_code, titles.get(error.status_code, "This cannot be done"), text)

    @app.exception_handler(RequestValidationError)
    async def misread(request: Request, _: Exception) -> Response:
        return _away(request, 404, "There is no such page", "The address holds something that does not belong there.")

    @app.exception_handler(DiscreetError)
    async def told(request: Request, error: DiscreetError) -> Response:
        return _away(request, 409, "This cannot be done", " ".join(reworded(None, error.message, error.hint)).strip())

    @app.exception_handler(OSError)
    async def no_room(request: Request, error: OSError) -> Response:
        explanation = full_disk(error)
        if explanation is None:
            return _defect(request, error)
        return _away(request, 507, "The disk is full", " ".join(explanation))

    @app.exception_handler(Exception)
    async def defect(request: Request, error: Exception) -> Response:
        return _defect(request, error)


def _defect(request: Request, error: Exception) -> Response:
    # Its message may quote a value: only its kind is shown.
    text = f"A defect in Discreet: {type(error).__name__}. Please report it, with what you chose."
    return _away(request, 500, "Something went wrong", text)


def listen(host: str = "127.0.0.1", port: int = 0) -> socket.socket:
    """Return a socket that listens; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named, because only then answers are sent at once instead of 40 ms later (TCP_NODELAY).
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


def serve(
    host: str = "127.0.0.1",
    port: int = 8766,
    *,
    limit: int = 1024 * _MB,
    projects: Path | None = None,
    opened: Callable[[str], None] = lambda _: None,
    announce: Callable[[str], None] = lambda _: None,
) -> None:
    """Listen until interrupted; `opened` is told the first link, `announce` those for further browsers."""
    listener = listen(host, port)
    returning = port != 0  # a port that was free by chance is another the next time: no browser comes back to it
    port = listener.getsockname()[1]
    address = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104

    def link(token: str) -> str:
        return f"http://{address}:{port}/start?token={token}"

    try:
        app = create_app(
            host=host, port=port, limit=limit, projects=projects, returning=returning,
            announce=lambda token: announce(link(token)),
        )  # fmt: skip
    except BaseException:
        listener.close()
        raise
    opened(link(app.studio.gate.issue()))
    # No access log: the first line of it would be a link with its token.
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=3
    )
    uvicorn.Server(config).run(sockets=[listener])
