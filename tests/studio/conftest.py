"""A studio that listens, and a browser that looks at it."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

pytest.importorskip("fastapi", reason="the extra `studio` is not installed")
pytest.importorskip("httpx", reason="httpx is not installed (it comes with the extra `dev`)")

import httpx
import uvicorn

from discreet import catalogue
from discreet.studio import jobs
from discreet.studio.app import create_app, listen

CHROMIUM = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip


PATIENCE = 240_000
"""Milliseconds that a browser may take for anything: machines are shared, and no test is about time."""


class Running(NamedTuple):
    """A studio that listens."""

    origin: str
    app: Any
    studio: Any
    folder: Path

    def link(self) -> str:
        return f"{self.origin}/start?token={self.studio.gate.issue()}"

    @property
    def inside(self) -> str:
        """What addresses of a project begin with, for who has no cookie: the project does not exist."""
        return f"{self.origin}{self.studio.root}/p/20260101-abcdefghij"


@pytest.fixture(scope="session")
def warm_workers() -> Iterator[None]:
    """Let the process of a session be forked from one that has imported everything: there are hundreds of them.

    How a studio starts them by itself is seen in `test_jobs` and by the servers of `test_projects`.
    """
    if not hasattr(os, "fork"):
        yield
        return
    catalogue.maskers(), catalogue.linkers(), catalogue.measures()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["numba", "discreet.studio.desk", *(m for m in sys.modules if m.startswith("discreet."))]
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "multiprocessing", SimpleNamespace(get_context=lambda _method: context))
        yield


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory, warm_workers: None) -> Iterator[Running]:
    """A studio for the whole run, with a small limit on uploads."""
    base, projects = tmp_path_factory.mktemp("studio"), tmp_path_factory.mktemp("projects")
    listener = listen()
    port = listener.getsockname()[1]
    app = create_app(port=port, limit=5 * 2**20, base=base, projects=projects, warm=False)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.01)
    yield Running(f"http://127.0.0.1:{port}", app.app, app.studio, projects)
    server.should_exit = True
    thread.join(20)
    assert list(base.iterdir()) == [], "the private folder is gone when the server has ended"


@pytest.fixture(autouse=True)
def nothing_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """End projects that a test has left in the studio, so that no test depends on those before it."""
    studio = request.getfixturevalue("running").studio if "running" in request.fixturenames else None
    yield
    for one in list(studio.projects) if studio else []:
        studio.projects.end(one)


class Client:
    """A browser without a screen: a cookie, and forms with the session's own token."""

    def __init__(self, running: Running) -> None:
        self.session = running.studio.projects.create()
        address = running.origin + self.session.root
        self.http = httpx.Client(base_url=address, follow_redirects=True, timeout=300)
        self.running = running
        answer = self.http.get(running.link())
        assert answer.status_code == 200

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.http.get(path, **options)

    def post(self, path: str, data: dict[str, Any] | None = None, **options: Any) -> httpx.Response:
        headers = {"Origin": self.running.origin, **options.pop("headers", {})}
        return self.http.post(path, data={"csrf": self.session.csrf, **(data or {})}, headers=headers, **options)

    def wait(self) -> Any:
        """Wait until the present piece of work is done, and return it; the next page says how it ended.

        It may have ended before the page that began it was answered, which then said it once and for all.
        """
        job = self.session.worker.job
        while job.running:
            time.sleep(0.02)
        job.shown = False
        return job

    def open_sample(self, name: str = "housing", n: int = 200) -> None:
        assert self.post("/open/sample", {"sample": name, "n": str(n)}).status_code == 200
        assert self.wait().state == "done", self.session.worker.job.message


@pytest.fixture
def client(running: Running) -> Iterator[Client]:
    """One session, ended afterwards."""
    one = Client(running)
    yield one
    one.http.close()
    running.studio.projects.end(one.session)


@pytest.fixture
def another(running: Running) -> Iterator[Client]:
    """A second session."""
    one = Client(running)
    yield one
    one.http.close()
    running.studio.projects.end(one.session)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's chromium, driven by Playwright."""
    path = os.environ.get("DISCREET_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no chromium: `make test-studio` installs it, or set DISCREET_CHROMIUM to its path")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra `dev`)")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=CHROMIUM, timeout=PATIENCE)
        new_context = chromium.new_context

        def patient_context(**options: Any) -> Any:
            context = new_context(**options)
            context.set_default_timeout(PATIENCE)
            return context

        chromium.new_context = patient_context
        yield chromium
        chromium.close()


def told(said: Any) -> str:
    """What a page said in the console, and the path of what it speaks of."""
    return f"{said.text} ({urlsplit(said.location.get('url', '')).path})"


@pytest.fixture
def tab(browser: Any, running: Running) -> Iterator[Any]:
    """A page of a fresh session; anything that a page complains about fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(told(said)) if said.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(running.link())
    session = running.studio.projects.create()
    page.address = running.origin + session.root
    page.goto(f"{page.address}/open")
    yield page
    context.close()
    for one in running.studio.projects:
        running.studio.projects.end(one)
    assert complaints == []
