"""The application: routes, errors and the server's life."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from discreet import workflow
from discreet.studio.forms import read_form
from discreet.studio.pages import Mine, NoSessionError, Studio, compile_templates, render, studio_of, to
from discreet.studio.screens import attack, compare, declare, open, protect, release, risk  # noqa: A004 - a screen's name
from discreet.studio.security import Gate, Guard
from discreet.studio.sessions import PrivateFolder, Sessions

__all__ = ["create_app", "listen", "serve"]

_MB = 2**20
_IDLE = 12 * 3600.0


def create_app(
    *,
    host: str = "127.0.0.1",
    port: int = 8766,
    limit: int = 1024 * _MB,
    base: Path | None = None,
    idle: float = _IDLE,
    warm: bool = True,
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
        Where the private folder is made; by default the system's folder for temporary files.
    idle : float
        Seconds after which a session that nobody uses is ended.
    warm : bool
        Whether the process of a session is started with it, or with its first piece of work.
    announce : callable
        Told a new link when the one before has been used.
    """
    folder = PrivateFolder(base)
    studio = Studio(Gate(), Sessions(folder.path, idle=idle, warm=warm), f"discreet_studio_{port}", limit, announce)

    @contextlib.asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        workflow.describe_methods()  # every method is imported, and every template compiled, before the first page
        compile_templates()
        try:
            yield
        finally:
            studio.sessions.end_all()
            folder.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=life)
    app.state.studio = studio
    app.mount("/static", StaticFiles(directory=Path(__file__).parent / "static"), name="static")
    for screen in (open, declare, risk, protect, compare, attack, release):
        app.include_router(screen.router)
    _add_common_routes(app)
    _add_errors(app)
    return Guard(app, _hosts(host, port), limit, studio)


def _hosts(host: str, port: int) -> list[str]:
    """Return what the Host header may say: names and numbers of this machine, so that no other name leads here."""
    names = {"127.0.0.1", "localhost", "[::1]"}
    if host not in {"127.0.0.1", "localhost", "::1", "0.0.0.0", "::"}:  # noqa: S104 - a comparison
        names.add(host)
    if host in {"0.0.0.0", "::"}:  # noqa: S104
        names.add(socket.gethostname().lower())
        with contextlib.suppress(OSError):
            names |= {str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    return [f"{name}:{port}" for name in names] + ([*names] if port == 80 else [])


def _add_common_routes(app: FastAPI) -> None:
    @app.get("/")
    async def home() -> Response:
        return to("/open")

    @app.get("/start")
    async def start(request: Request, token: str = "") -> Response:
        studio = studio_of(request)
        if not studio.gate.redeem(token):
            raise NoSessionError
        session = studio.sessions.begin()
        studio.announce(studio.gate.issue())
        response = RedirectResponse("/open", 303)
        response.set_cookie(studio.cookie, session.key, httponly=True, samesite="strict", path="/")
        return response

    @app.get("/job")
    async def job(session: Mine) -> Response:
        current = session.worker.job
        return JSONResponse(current.to_dict() if current is not None else {"state": "none"})

    @app.post("/job/cancel")
    async def cancel(request: Request, session: Mine) -> Response:
        await read_form(request, session)
        running = session.worker.job
        session.worker.cancel()
        return to(running.page if running is not None else "/open")

    @app.post("/end")
    async def end(request: Request, session: Mine) -> Response:
        await read_form(request, session)
        studio = studio_of(request)
        studio.sessions.end(session)
        response = HTMLResponse(render("away.html", status=200, title="The session has ended",
                                       text="Every file of it has been removed from this machine."))  # fmt: skip
        response.delete_cookie(studio.cookie, path="/")
        return response


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(NoSessionError)
    async def no_session(_: Request, __: Exception) -> Response:
        text = "Open the link that `discreet studio` printed in the console. Each link works once, for one browser."
        return HTMLResponse(render("away.html", status=403, title="No session", text=text), 403)

    @app.exception_handler(HTTPException)
    async def refused(_: Request, error: HTTPException) -> Response:
        title = "There is no such page" if error.status_code == 404 else "This cannot be done"
        text = str(error.detail) if error.status_code != 404 else "Go back to where you were."
        return HTMLResponse(render("away.html", status=error.status_code, title=title, text=text), error.status_code)

    @app.exception_handler(Exception)
    async def defect(_: Request, error: Exception) -> Response:
        # Its message may quote a value: only its kind is shown.
        text = f"A defect in Discreet: {type(error).__name__}. Please report it, with what you chose."
        return HTMLResponse(render("away.html", status=500, title="Something went wrong", text=text), 500)


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
    opened: Callable[[str], None] = lambda _: None,
    announce: Callable[[str], None] = lambda _: None,
) -> None:
    """Listen until interrupted; `opened` is told the first link, `announce` those for further browsers."""
    listener = listen(host, port)
    port = listener.getsockname()[1]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104

    def link(token: str) -> str:
        return f"http://{shown}:{port}/start?token={token}"

    app = create_app(host=host, port=port, limit=limit, announce=lambda token: announce(link(token)))
    opened(link(app.studio.gate.issue()))
    # No access log: the first line of it would be a link with its token.
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=3
    )
    uvicorn.Server(config).run(sockets=[listener])
