"""Where the studio listens, which names lead to it, and what it says of what cannot be done."""

from __future__ import annotations

import errno
import socket
from types import SimpleNamespace

import pytest

pytest.importorskip("fastapi", reason="the extra `studio` is not installed")

from fastapi import HTTPException
from tests.studio.loops import awaited

from discreet.errors import DataError, DiscreetError, FileError
from discreet.studio import app
from discreet.studio.forms import ConflictError

NAMES = {"127.0.0.1", "localhost", "[::1]"}
NO_SESSION = (
    "Open the link that `discreet studio` printed in the console. Each link works once, for one browser; projects are "
    "there again behind every link."
)
DEFECT = "A defect in Discreet: {}. Please report it, with what you chose."
SECRET = "31 High Street"  # noqa: S105 - a value that must never be shown


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True), ("0.0.0.0", False),  # noqa: S104
     ("192.168.1.5", False), ("example.org", False)],
)  # fmt: skip
def test_what_only_this_machine_reaches(host, local):
    assert app._is_loopback(host) is local


@pytest.mark.parametrize(
    ("host", "further"),
    [
        ("127.0.0.1", set()),
        ("localhost", set()),
        ("::1", set()),
        ("Analyst.example", {"analyst.example"}),
        ("192.168.1.5", {"192.168.1.5"}),
        ("fe80::1", {"[fe80::1]"}),
        ("0.0.0.0", {"this-machine", "10.0.0.7"}),  # noqa: S104
        ("::", {"this-machine", "10.0.0.7"}),
    ],
)
def test_only_names_of_this_machine_lead_here(monkeypatch, host, further):
    monkeypatch.setattr(socket, "gethostname", lambda: "This-Machine")
    asked = []
    address = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.7", 0))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *values: asked.append(values) or [address])
    assert sorted(app._hosts(host, 8766)) == sorted(f"{name}:8766" for name in NAMES | further)
    assert sorted(app._hosts(host, 80)) == sorted([*NAMES, *further, *(f"{name}:80" for name in NAMES | further)])
    assert asked == [("This-Machine", None, socket.AF_INET)] * (2 if len(further) == 2 else 0)


def test_a_machine_whose_name_is_not_known_is_called_by_it_all_the_same(monkeypatch):
    def unknown(*_):
        raise OSError("no such name")

    monkeypatch.setattr(socket, "gethostname", lambda: "here")
    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert sorted(app._hosts("::", 9)) == sorted(f"{name}:9" for name in NAMES | {"here"})


def test_a_port_that_is_taken_is_an_error_and_nothing_is_left_open():
    with app.listen() as first:
        host, port = first.getsockname()
        assert (host, port > 0, first.proto) == ("127.0.0.1", True, socket.IPPROTO_TCP)
        with pytest.raises(OSError, match="in use"):
            app.listen("127.0.0.1", port)
        with socket.create_connection((host, port)):
            pass


def test_the_family_follows_from_the_host(monkeypatch):
    made = []

    class Socket:
        def __init__(self, family, kind, protocol):
            made.append((family, kind, protocol))

        def setsockopt(self, *values):
            made.append(values)

        def bind(self, where):
            made.append(where)
            if where[0] == "taken":
                raise OSError(98, "in use")

        def listen(self, waiting):
            made.append(waiting)

        def close(self):
            made.append("closed")

    monkeypatch.setattr(socket, "socket", Socket)
    app.listen("::1", 5)
    reuse = (socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    assert made == [(socket.AF_INET6, socket.SOCK_STREAM, socket.IPPROTO_TCP), reuse, ("::1", 5), 128]
    made.clear()
    with pytest.raises(OSError, match="in use"):
        app.listen("taken", 5)
    assert made == [(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP), reuse, ("taken", 5), "closed"]


class Served:
    """A server that ends as soon as it runs."""

    def __init__(self, monkeypatch, error=None):
        self.done = []
        listener = SimpleNamespace(getsockname=lambda: ("any", 4711, 0, 0), close=lambda: self.done.append("closed"))
        gate = SimpleNamespace(issue=lambda: "token")

        def create_app(**options):
            self.options = options
            if error is not None:
                raise error
            return SimpleNamespace(studio=SimpleNamespace(gate=gate))

        def server(config):
            self.config = config
            return SimpleNamespace(run=lambda *, sockets: self.done.append(sockets == [listener]))

        monkeypatch.setattr(app, "listen", lambda *where: self.done.append(where) or listener)
        monkeypatch.setattr(app, "create_app", create_app)
        monkeypatch.setattr(app.uvicorn, "Config", lambda _, **options: options)
        monkeypatch.setattr(app.uvicorn, "Server", server)


@pytest.mark.parametrize(
    ("host", "address"),
    [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("::", "[::1]"), ("::1", "[::1]"),  # noqa: S104
     ("fe80::1", "[fe80::1]"), ("example.org", "example.org")],
)  # fmt: skip
@pytest.mark.parametrize("port", [0, 8766])
def test_the_link_leads_to_where_it_listens(monkeypatch, tmp_path, host, address, port):
    served = Served(monkeypatch)
    opened, announced = [], []
    app.serve(host, port, limit=5, projects=tmp_path, opened=opened.append, announce=announced.append)
    link = f"http://{address}:4711/start?token="
    assert (opened, announced) == ([f"{link}token"], [])
    served.options.pop("announce")("another")
    assert announced == [f"{link}another"]
    assert served.options == {
        "host": host, "port": 4711, "limit": 5, "projects": tmp_path, "returning": port != 0,
    }  # fmt: skip
    assert served.done == [(host, port), True]
    assert served.config == {
        "log_level": "warning", "access_log": False, "server_header": False, "timeout_graceful_shutdown": 3,
    }  # fmt: skip


def test_a_studio_that_cannot_be_made_lets_go_of_its_port(monkeypatch):
    served = Served(monkeypatch, FileError("The folder is not yours."))
    with pytest.raises(FileError):
        app.serve()
    assert served.done == [("127.0.0.1", 8766), "closed"]
    assert served.options["limit"] == 1024 * 1024 * 1024
    assert served.options["projects"] is None


@pytest.fixture
def handlers(monkeypatch):
    """What is done with every error, and pages as what they are made of."""
    found = {}

    class Kept:
        def exception_handler(self, kind):
            return lambda function: found.setdefault(kind, function)

    app._add_errors(Kept())
    monkeypatch.setattr(app, "_away", lambda request, *page: (request, *page))

    def handle(error):
        kind = next(one for one in type(error).__mro__ if one in found)
        work = found[kind]("request", error)
        try:
            work.send(None)
        except StopIteration as end:
            return end.value
        raise AssertionError("it waits for something")

    return handle


@pytest.mark.parametrize(
    ("error", "page"),
    [
        (app.NoSessionError(), (403, "No session", NO_SESSION)),
        (HTTPException(404), (404, "There is no such page", "Go back to where you were.")),
        (HTTPException(404, "There is no release yet."), (404, "There is no such page", "There is no release yet.")),
        (HTTPException(413, "Too many."), (413, "The file is too large", "Too many.")),
        (HTTPException(400, "Not so."), (400, "This cannot be done", "Not so.")),
        (app.RequestValidationError([]),
         (404, "There is no such page", "The address holds something that does not belong there.")),
        (DataError("One value is missing.", hint="Fill it in."),
         (409, "This cannot be done", "One value is missing. Fill it in.")),
        (DataError("One value is missing."), (409, "This cannot be done", "One value is missing.")),
        (OSError(errno.EIO, SECRET), (500, "Something went wrong", DEFECT.format("OSError"))),
        (ZeroDivisionError(SECRET), (500, "Something went wrong", DEFECT.format("ZeroDivisionError"))),
    ],
)  # fmt: skip
def test_every_error_has_its_page(handlers, error, page):
    assert handlers(error) == ("request", *page)


def test_a_full_disk_is_said_in_words(handlers):
    request, status, title, text = handlers(OSError(errno.ENOSPC, "No space left on device"))
    assert (request, status, title) == ("request", 507, "The disk is full")
    assert text == " ".join(app.full_disk(OSError(errno.ENOSPC, "")))


@pytest.mark.parametrize("stale", [False, True])
def test_answers_to_a_page_of_before_are_asked_about(handlers, monkeypatch, stale):
    asked = []
    monkeypatch.setattr(app, "ask", lambda *question: asked.append(question) or "asked")
    fields = {"k": ["3"], "order-heat": ["1"], "csrf-order-": ["x"]}
    parts = ["declaration", "seed"] if stale else ["seed"]
    assert handlers(ConflictError("session", "/release/file", fields, parts)) == "asked"
    changed = " and ".join(app._PARTS[part] for part in parts)
    order = " Only an order of levels would have to be given again." if stale else ""
    kept = {name: texts for name, texts in fields.items() if not (stale and name == "order-heat")}
    assert asked == [(
        "session", "/release/file", kept, "The project has changed meanwhile",
        [f"Since this page was made, {changed} changed: in another tab or window, or by work that has ended.",
         f"Nothing has been done with what you sent, and nothing of it is lost.{order}"],
        "Send my answers all the same", "/release",
    )]  # fmt: skip


@pytest.mark.parametrize(
    ("known", "key", "root"), [(True, "20260101-a", "/s/p/20260101-a"), (True, "", "/s"), (False, "20260101-a", "")]
)
def test_a_browser_that_is_known_finds_the_way_back(monkeypatch, known, key, root):
    shown = []

    def admitted(_):
        if not known:
            raise app.NoSessionError

    monkeypatch.setattr(app, "admitted", admitted)
    monkeypatch.setattr(app, "studio_of", lambda _: SimpleNamespace(root="/s"))
    monkeypatch.setattr(app, "render", lambda *values, **options: shown.append((values, options)) or "page")
    page = app._away(SimpleNamespace(scope={"project": key} if key else {}), 409, "No", "It cannot be done.")
    assert (page.status_code, page.body) == (409, b"page")
    words = {"root": root, "status": 409, "title": "No", "text": "It cannot be done."}
    assert shown == [(("away.html",), words)]
    assert app._refused(409, "No", "It cannot be done.", root) == "page"
    assert shown[1] == shown[0]


@pytest.mark.parametrize("returning", [False, True])
def test_an_application_is_made_of_its_folders_and_ends_with_them(monkeypatch, tmp_path, returning):
    done = []
    monkeypatch.setattr(app.workflow, "describe_methods", lambda: done.append("described"))
    monkeypatch.setattr(app, "compile_templates", lambda: done.append("compiled"))
    made = {}

    def kept(name, kind):
        def make(*values, **options):
            made[name] = (values, options)
            return kind(*values, **options)

        monkeypatch.setattr(app, name, make)

    kept("Browsers", app.Browsers)
    kept("Projects", app.Projects)
    monkeypatch.setattr(app, "default_folder", lambda: tmp_path / "default")
    guard = app.create_app(
        host="127.0.0.1", port=4711, limit=99, base=tmp_path, projects=tmp_path / "mine", idle=7.0, warm=False,
        returning=returning, announce="announce",
    )  # fmt: skip
    studio = guard.studio
    assert made["Browsers"] == ((tmp_path / "mine" / ".studio-4711.json" if returning else None,), {"lasting": 7.0})
    assert made["Projects"] == (
        (tmp_path / "mine",),
        {"secret": studio.browsers.secret, "root": studio.browsers.root, "idle": 7.0, "warm": False},
    )
    assert (studio.limit, studio.announce) == (99, "announce")
    assert guard.app.state.studio is studio
    assert "/static" in {getattr(route, "path", "") for route in guard.app.routes}
    assert {DiscreetError, OSError, Exception, ConflictError} <= set(guard.app.exception_handlers)
    assert (studio.cookie, studio.local, len(studio.instance)) == ("discreet_studio_4711", True, 16)
    studio.projects.put_all_away = lambda: done.append("put away")

    async def live():
        async with guard.app.router.lifespan_context(guard.app):
            done.append(studio.scratch.path.is_dir())

    awaited(live())
    assert done == ["described", "compiled", True, "put away"]
    assert not studio.scratch.path.exists()
    app.create_app(base=tmp_path, warm=False).studio.scratch.close()
    assert (tmp_path / "default").is_dir(), "where nothing else is named"
