"""Who may speak to the studio, and what every answer carries.

A page on another site can make a browser send requests to this machine. So a request is answered only if its Host is
one of ours (no rebinding of names), a request that changes something must come from our own pages (Origin, and a token
in the form), and nothing is shown without the cookie that the one-time link of the console was exchanged for, at an
address that was told to that browser alone.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Callable, Iterable
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["HEADERS", "Gate", "Guard", "TooLarge", "same"]

HEADERS = {
    # Everything comes from this server, and no script is written into a page: a name that is a script stays text.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Nothing to other sites. Not "no-referrer": with it browsers send "Origin: null", which is what strangers send.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


class TooLarge(HTTPException):
    """A request brought more than it may."""

    def __init__(self, most: int) -> None:
        super().__init__(413, _larger_than(most))


def same(given: str, expected: str) -> bool:
    """Compare two secrets in a time that does not tell how much of them is equal."""
    return hmac.compare_digest(given.encode(), expected.encode())


class Gate:
    """One-time tokens: each opens the studio for one browser, and is spent."""

    def __init__(self) -> None:
        self._open: set[str] = set()
        self._lock = threading.Lock()

    def issue(self) -> str:
        """Return a new token."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._open.add(token)
        return token

    def redeem(self, token: str) -> bool:
        """Say whether a token is good, and spend it."""
        with self._lock:
            for open_token in self._open:
                if same(token, open_token):
                    self._open.discard(open_token)
                    return True
        return False


class Guard:
    """The outermost layer: Host, Origin, size of the request, and the headers of every answer.

    Parameters
    ----------
    app : ASGI application
    hosts : iterable of str
        What the Host header may say, with the port.
    most : int
        The largest request in bytes.
    studio : object
        What the application shares, for whoever starts it.
    root : str
        The secret that addresses begin with; ``/p/`` and the name of a project follow it. Pages see neither.
    refused : callable
        Makes the page of a refusal from a status, a title, a sentence, and what the addresses of pages begin with.
    """

    def __init__(
        self, app: ASGIApp, hosts: Iterable[str], most: int, studio: Any = None, *, root: str = "",
        refused: Callable[[int, str, str, str], str] = lambda _, title, text, __: f"{title}. {text}",
    ) -> None:  # fmt: skip
        self.app = app
        self.studio = studio
        self.root = root
        self.refused = refused
        self.hosts = frozenset(host.lower() for host in hosts)
        self.most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no web sockets here
        refusal = self._refusal(scope)
        scope, base = self._within(scope)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                place = headers.get("location", "")
                if base and place.startswith("/") and not place.startswith(f"{self.root}/"):
                    headers["location"] = base + place
            await send(message)

        if refusal is not None:
            if refusal.status_code == 413:
                await self._drain(receive)
            await refusal(scope, receive, send_guarded)
            return
        await self.app(scope, self._counted(receive), send_guarded)

    def _within(self, scope: Scope) -> tuple[Scope, str]:
        """Return the request as pages see it, with the name of its project, and what its addresses begin with."""
        path: str = scope["path"]
        inner = {**scope, "project": "", "inside": False}
        if path != self.root and not path.startswith(f"{self.root}/"):
            return inner, ""  # nothing that is said there may hold the secret
        path, base = path[len(self.root) :] or "/", self.root
        inner["inside"] = True
        if path.startswith("/p/"):
            key, slash, rest = path[3:].partition("/")
            inner["project"], path, base = key, slash + rest or "/", f"{self.root}/p/{key}"
        inner["path"], inner["raw_path"] = path, path.encode()
        return inner, base

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        if host not in self.hosts or len(headers.getlist("host")) != 1:
            return PlainTextResponse("Discreet Studio does not answer to this host name.", 421)
        if scope["method"] not in {"GET", "HEAD", "POST"}:
            return PlainTextResponse("Only GET and POST are understood.", 405)
        if scope["method"] == "POST":
            # Every browser names the origin of a form; who does not is none, or hides.
            if headers.get("origin", "").lower() != f"http://{host}":
                return PlainTextResponse("This request does not come from a page of Discreet Studio.", 403)
            if headers.get("sec-fetch-site", "same-origin") != "same-origin":
                return PlainTextResponse("This request does not come from a page of Discreet Studio.", 403)
            length = headers.get("content-length", "0")
            if not length.isdigit() or int(length) > self.most:
                page = self.refused(413, "The file is too large", _larger_than(self.most), self._within(scope)[1])
                return HTMLResponse(page, 413, headers={"Connection": "close"})
        return None

    async def _drain(self, receive: Receive) -> None:
        """Let a file that is too large pass by unread: a browser shows the answer only once it has sent everything."""
        n_bytes = 0
        while n_bytes < 10 * self.most:
            message = await receive()
            n_bytes += len(message.get("body", b""))
            if message["type"] != "http.request" or not message.get("more_body", False):
                return

    def _counted(self, receive: Receive) -> Receive:
        n_bytes = 0

        async def counted() -> Message:
            nonlocal n_bytes
            message = await receive()
            if message["type"] == "http.request":
                n_bytes += len(message.get("body", b""))
                if n_bytes > self.most:
                    raise TooLarge(self.most)
            return message

        return counted


def _larger_than(most: int) -> str:
    return (
        f"What was sent is larger than {most // 2**20} MB. Open the file where it is (“A file on this machine”), or "
        "start the studio with a larger --limit."
    )
