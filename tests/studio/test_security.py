"""What a stranger, a hostile page and a hostile file can do to the studio: nothing."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
from tests.studio.loops import awaited

from discreet.studio.app import _hosts
from discreet.studio.private_folder import PrivateFolder
from discreet.studio.security import HEADERS, Gate, Guard, TooLarge

PAGES = ["/open", "/declare", "/risk", "/protect", "/compare", "/compare/map", "/attack", "/release",
         "/release/file/masked", "/protect/chart/0123.svg", "/job", "/alive", "/", "/remove", "/ask/0123"]  # fmt: skip
POSTS = ["/open/sample", "/open/file", "/open/path", "/open/again", "/declare", "/declare/scenarios", "/risk",
         "/protect/add", "/protect/go", "/protect/forget", "/protect/draw", "/protect/tree", "/protect/tree/build",
         "/protect/tree/forget", "/protect/lattice",
         "/compare/add", "/compare/remove", "/compare/propose", "/compare/alternatives",
         "/compare/run", "/compare/adopt", "/attack", "/release", "/job/cancel", "/job/forget", "/draft",
         "/draft/discard", "/new", "/remove", "/end"]  # fmt: skip
SCRIPT = "<script>document.title='owned'</script>"


def test_every_route_is_listed_here(running):
    routes = {(m, r.path) for r in _routes(running.app) for m in r.methods if m in {"GET", "POST"}}
    asked = {("GET", p) for p in PAGES} | {("POST", p) for p in POSTS}
    known = {("GET", "/start")}
    plain = {(m, p.replace("{key}", "masked").replace("{name}", "0123").replace("{number}", "0")) for m, p in routes}
    assert plain - known == asked, "a new route is tried without a session, too"


def _routes(app):
    """Return the routes of an application, those of included routers among them."""
    found, todo = [], list(app.routes)
    while todo:
        route = todo.pop()
        inner = getattr(route, "original_router", None) or getattr(route, "router", None)
        if getattr(route, "methods", None) and hasattr(route, "path"):
            found.append(route)
        elif inner is not None:
            todo += list(inner.routes)
    return found


@pytest.mark.parametrize("path", PAGES)
def test_without_a_session_no_page_is_shown(running, path):
    for address in (running.inside, running.origin + running.studio.root, running.origin):
        answer = httpx.get(address + path)
        assert answer.status_code == 403
        assert "No session" in answer.text
        assert running.studio.root not in answer.text
        assert running.studio.root not in str(answer.headers)


@pytest.mark.parametrize("path", POSTS)
def test_without_a_session_nothing_can_be_done(running, path):
    for address in (running.inside, running.origin):
        answer = httpx.post(address + path, data={"csrf": "x"}, headers={"Origin": running.origin})
        assert answer.status_code == 403


def test_a_wrong_token_opens_nothing(running):
    for token in ("", "x", running.studio.gate.issue()[:-1]):
        answer = httpx.get(f"{running.origin}/start", params={"token": token})
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers


def test_a_token_works_once(running):
    link = running.link()
    first = httpx.get(link)
    assert first.status_code == 303
    assert httpx.get(link).status_code == 403


def test_the_cookie_is_for_this_site_and_not_for_scripts(running):
    answer = httpx.get(running.link())
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert f"path={running.studio.root};" in answer.headers["set-cookie"].lower().replace(
        running.studio.root.lower(), running.studio.root
    )
    assert running.studio.root not in running.link(), "the link in the console does not hold the secret"


def test_tokens_are_compared_whole():
    gate = Gate()
    token = gate.issue()
    assert not gate.redeem(token + "x")
    assert gate.redeem(token)
    assert not gate.redeem(token)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1.evil.example", ""])
def test_another_host_name_is_refused(client, host):
    answer = client.get("/open", headers={"Host": host})
    assert answer.status_code == 421
    assert "sample" not in answer.text


def test_only_names_of_this_machine_are_hosts():
    own = {"127.0.0.1:9", "localhost:9", "[::1]:9"}
    for host in ("127.0.0.1", "localhost", "::1"):
        assert set(_hosts(host, 9)) == own
    assert set(_hosts("192.168.1.5", 9)) == {*own, "192.168.1.5:9"}
    assert set(_hosts("Office.example", 9)) == {*own, "office.example:9"}
    assert set(_hosts("fd00::7", 9)) == {*own, "[fd00::7]:9"}, "a browser puts it in brackets"
    assert set(_hosts("localhost", 80)) == {"127.0.0.1", "localhost", "[::1]"} | {
        f"{name}:80" for name in ("127.0.0.1", "localhost", "[::1]")
    }


@pytest.mark.parametrize("everywhere", ["0.0.0.0", "::"])  # noqa: S104 - nothing listens
def test_who_listens_everywhere_is_asked_for_by_its_names(everywhere, monkeypatch):
    monkeypatch.setattr("socket.gethostname", lambda: "Office")
    monkeypatch.setattr("socket.getaddrinfo", lambda *_: [(2, 1, 6, "", ("192.168.1.5", 0))])
    assert set(_hosts(everywhere, 9)) == {"127.0.0.1:9", "localhost:9", "[::1]:9", "office:9", "192.168.1.5:9"}


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": ""}, {"Sec-Fetch-Site": "cross-site"},
     {"Origin": "https://127.0.0.1"}],
)  # fmt: skip
def test_a_post_from_another_site_is_refused(client, headers):
    answer = client.post("/open/sample", {"sample": "housing", "n": "100"}, headers=headers)
    assert answer.status_code == 403
    assert client.session.given is None


def test_a_post_without_an_origin_is_refused(client):
    answer = client.http.post("/open/sample", data={"csrf": client.session.csrf, "sample": "housing"})
    assert answer.status_code == 403


@pytest.mark.parametrize("token", ["", "x", None])
def test_a_form_without_the_token_of_the_session_is_refused(client, token):
    data = {"sample": "housing"} | ({} if token is None else {"csrf": token})
    answer = client.http.post("/open/sample", data=data, headers={"Origin": client.running.origin})
    assert answer.status_code == 403
    assert client.session.given is None


def test_the_token_of_another_session_is_refused(client, another):
    answer = client.post("/open/sample", {"csrf": another.session.csrf, "sample": "housing"})
    assert answer.status_code == 403


def test_a_file_is_not_written_before_the_token_was_right(client):
    files = [("csrf", (None, "wrong")), ("file", ("a.csv", b"x,y\n1,2\n"))]
    answer = client.http.post("/open/file", files=files, headers={"Origin": client.running.origin})
    assert answer.status_code == 403
    assert not list(client.session.folder.rglob("data*"))


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_refused(client, method):
    assert client.http.request(method, "/open").status_code == 405


@pytest.mark.parametrize("path", ["/open", "/nowhere", "/static/studio.css", "/start"])
def test_every_answer_carries_the_headers(client, path):
    answer = client.get(path)
    for name, value in HEADERS.items():
        assert answer.headers[name] == value
    assert "unsafe" not in answer.headers["Content-Security-Policy"]


def test_pages_have_no_script_or_style_of_their_own(client):
    client.open_sample()
    for path in PAGES[:8]:
        text = client.get(path).text
        assert "<script>" not in text
        assert "<style" not in text
        assert " style=" not in text
        assert " onclick" not in text
        assert "http://" not in text.replace("http://www.w3.org", "")
        assert "https://" not in text


def test_a_file_beyond_the_limit_is_refused_and_leaves_nothing(client):
    big = b"a,b\n" + b"1,2\n" * 1_500_000
    answer = client.post("/open/file", files={"file": ("big.csv", big)})
    assert answer.status_code == 413
    assert not list(client.session.folder.rglob("data*"))


def test_a_file_that_hides_its_size_is_refused_and_leaves_nothing(client):
    boundary = "cut"
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n{client.session.csrf}\r\n'
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    ).encode()

    def chunks():
        yield head
        for _ in range(100):
            yield b"1,2\n" * 25_000

    answer = client.http.post(
        "/open/file", content=chunks(),
        headers={"Origin": client.running.origin, "Content-Type": f"multipart/form-data; boundary={boundary}"},
    )  # fmt: skip
    assert answer.status_code == 413
    assert not list(client.session.folder.rglob("data*"))


def test_the_name_of_a_file_never_becomes_a_path_and_the_file_is_removed(client):
    rows = b"income,town\n" + b"".join(b"%d,t%d\n" % (100 + i * 7 % 90, i % 4) for i in range(40))
    projects = client.running.studio.projects
    first = client.session
    for n, name in enumerate(("../../../etc/evil.csv", "..\\..\\evil.csv", "/etc/passwd.csv", "a\x00b.csv"), start=1):
        assert client.post("/open/file", files={"file": (name, rows)}).status_code == 200
        assert client.wait().state == "done", client.session.worker.job.message
        ours = [one for one in projects if one is first or one.given is not None]
        assert len(ours) == n, "every file has a project of its own"
        for one in ours:
            written = {path.name for path in one.folder.rglob("*") if path.is_file()}
            assert written == {"data.csv", "lock", "project.json", "protocol.toml"}, "one copy, under our own name"
        everything = {path.parent for path in client.running.folder.rglob("data*")}
        assert everything <= {Path(one.given.where).parent for one in ours}
        assert "/etc" not in client.get("/open").text
    for one in ours:
        client.http.base_url = client.running.origin + one.root
        assert "End the project" in client.post("/end", {"csrf": one.csrf}).text
        assert one.folder.exists(), "it asks first"
        client.post("/end", {"csrf": one.csrf, "sure": "yes"})
        assert not one.folder.exists()


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py",
                                  "/release/file/../../../etc/passwd", "/release/file/..%2f..%2fetc%2fpasswd",
                                  "/protect/chart/..%2f0.svg"])  # fmt: skip
def test_no_path_leads_out(client, path):
    answer = client.get(path)
    assert answer.status_code in {404, 422}
    assert "import" not in answer.text
    assert "root:" not in answer.text


@pytest.mark.parametrize("ending", [".exe", ".toml", "", ".html"])
def test_other_kinds_of_files_are_refused(client, ending):
    answer = client.post("/open/file", files={"file": (f"a{ending}", b"x")})
    assert "cannot be opened" in answer.text
    assert not list(client.session.folder.rglob("data*"))


HOSTILE = """seed = 1
[data]
file = "/etc/passwd"
[release]
masked = "/tmp/owned.csv"
[[attribute]]
name = "town"
role = "key"
scale = "nominal"
levels = ["a", "b"]
[[step]]
method = "hierarchy-recoding"
[step.hierarchies]
town = "/etc/passwd"
"""


def test_a_protocol_that_names_a_file_of_this_machine_is_refused(client):
    answer = client.post(
        "/open/file", files={"file": ("t.csv", b"town\na\nb\na\n"), "protocol": ("p.toml", HOSTILE.encode())}
    )
    assert "cannot be taken from an uploaded protocol" in answer.text
    assert not list(client.session.folder.rglob("data*"))


def test_names_that_are_scripts_are_shown_as_text(client):
    head = f'"{SCRIPT}","<img src=x onerror=alert(1)>","a\'b&quot;"\n'
    rows = "".join(f"{SCRIPT if i % 2 else 'x'},{i % 3},{i * 1.5}\n" for i in range(60))
    client.post("/open/file", files={"file": (f"{SCRIPT}.csv", (head + rows).encode())})
    assert client.wait().state == "done", client.session.worker.job.message
    client.post("/declare", {"role-0": "key", "scale-0": "nominal", "order-0": "1,0", "label-0": SCRIPT})
    client.wait()
    client.post("/declare/scenarios", {"count": "1", "name-0": SCRIPT, "known-0": "0"})
    client.post("/risk")
    assert client.wait().state == "done", client.session.worker.job.message
    client.post("/protect/add", {"method": "rank-swapping", "p-p": "50"})
    assert client.wait().state == "done", client.session.worker.job.message
    for path in [*PAGES[:8], "/open?rows=1", "/protect?method=pram", "/compare?method=pram"]:
        text = client.get(path).text
        assert SCRIPT not in text, path
        assert "<img src=x" not in text, path
        assert "&lt;script&gt;" in text or path not in {"/open", "/declare", "/risk"}, path


def test_errors_do_not_show_values(client):
    rows = b"a,b\n" + b"1,x\n" * 30 + b"1,SECRETVALUE,3\n"
    client.post("/open/file", files={"file": ("a.csv", rows)})
    assert client.wait().state == "failed"
    assert "SECRETVALUE" not in client.get("/open").text


def test_projects_are_apart(client, another):
    client.open_sample("housing", 200)
    assert "housing" in client.get("/declare").text
    assert another.get("/declare").url.path.endswith("/open"), "there is nothing to declare in the other project"
    assert "200 records" not in another.get("/open").text
    assert another.session.folder != client.session.folder
    assert another.get("/release/file/masked").status_code == 404
    client.post("/end", {"sure": "yes"})
    assert client.get("/open").status_code == 404
    assert another.get("/open").status_code == 200


@pytest.mark.skipif(os.name != "posix", reason="modes are a matter of POSIX")
def test_folders_are_private(client):
    for folder in (client.session.folder, client.session.folder.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.skipif(os.name != "posix", reason="locks of POSIX")
def test_folders_of_servers_that_were_killed_are_removed_at_start(tmp_path: Path):
    code = (
        "import sys, os; from pathlib import Path; from discreet.studio.private_folder import PrivateFolder\n"
        "p = PrivateFolder(Path(sys.argv[1])); (p.path / 'data.csv').write_text('secret'); print(p.path, flush=True)\n"
        "os._exit(9)"
    )
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    left = Path(killed.stdout.strip())
    assert (left / "data.csv").exists()
    (tmp_path / "discreet-studio-link").symlink_to(left)
    living = PrivateFolder(tmp_path)
    assert not left.exists()
    assert living.removed == 1
    other = PrivateFolder(tmp_path)
    assert living.path.exists(), "a folder that is in use stays"
    other.close()
    living.close()
    assert not living.path.exists()


def test_projects_that_nobody_looks_at_are_put_away_and_stay_on_disk(tmp_path):
    from discreet.studio.desk import Desk
    from discreet.studio.projects import Projects
    from discreet.studio.session_values import Given

    projects = Projects(tmp_path, secret=b"x" * 32, idle=-1.0, warm=False)
    empty, first = projects.create(), projects.create()
    assert not empty.folder.exists(), "one without a file is none"
    given = Given("sample", "business", "sample: business", n=60)
    first.begin(given, Desk().open(given))
    second = projects.create()
    assert len(projects) == 1
    again = projects.find(first.key)
    assert again is not first
    assert again.given == given
    for one in (again, second):
        projects.end(one)
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def test_the_command_line_does_not_expose_by_accident():
    from discreet.cli.studio_command import studio
    from discreet.errors import ParameterError

    for host in ("0.0.0.0", "192.168.1.5", "example.org"):  # noqa: S104 - it is refused
        with pytest.raises(ParameterError, match="lets other machines reach"):
            studio(host=host, browser=False)


# ----------------------------------------------------------------------------------- the guard, without a server


def guarded(path="/s/risk", method="GET", bodies=(b"",), kind="http", answer=None, most=100, **headers):
    """What the application is asked and what is sent, by a guard before a studio below /s."""
    asked, sent = [], []
    named = {"host": "localhost:1", **{name.replace("_", "-"): value for name, value in headers.items()}}
    scope = {"type": kind, "path": path, "method": method,
             "headers": [(name.encode(), value.encode()) for name, value in named.items()]}  # fmt: skip
    waiting = [{"type": "http.request", "body": body, "more_body": place + 1 < len(bodies)}
               for place, body in enumerate(bodies)]  # fmt: skip

    async def application(inner, receive, send):
        asked.append(inner)
        for _ in bodies:
            await receive()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"location", (answer or "").encode())]})

    async def receive():
        return waiting.pop(0)

    async def send(message):
        sent.append(message)

    guard = Guard(application, ["LocalHost:1"], most, root="/s")
    awaited(guard(scope, receive, send))
    return SimpleNamespace(asked=asked, sent=sent, left=len(waiting))


def said(outcome):
    """The status, and the words where there are some."""
    start, *rest = outcome.sent
    return start["status"], b"".join(message.get("body", b"") for message in rest).decode()


FORM = {"method": "POST", "origin": "http://localhost:1"}
ELSEWHERE = (403, "This request does not come from a page of Discreet Studio.")


@pytest.mark.parametrize(
    ("request_of", "status"),
    [
        ({}, (200, "")),
        ({"method": "HEAD"}, (200, "")),
        ({"host": "LOCALHOST:1"}, (200, "")),
        ({"host": "localhost:2"}, (421, "Discreet Studio does not answer to this host name.")),
        ({"host": ""}, (421, "Discreet Studio does not answer to this host name.")),
        ({"method": "PUT"}, (405, "Only GET and POST are understood.")),
        (FORM, (200, "")),
        ({**FORM, "origin": "HTTP://localhost:1"}, (200, "")),
        ({"method": "POST"}, ELSEWHERE),
        ({**FORM, "origin": "http://localhost:2"}, ELSEWHERE),
        ({**FORM, "sec_fetch_site": "same-origin"}, (200, "")),
        ({**FORM, "sec_fetch_site": "cross-site"}, ELSEWHERE),
        ({**FORM, "content_length": "100"}, (200, "")),
    ],
)
def test_who_is_let_in(request_of, status):
    outcome = guarded(**request_of)
    assert said(outcome) == status
    assert len(outcome.asked) == int(status[0] == 200)


@pytest.mark.parametrize("length", ["101", "-5", "many", "1e2", ""])
def test_a_length_that_is_too_large_or_none_is_refused_before_anything_is_read(length):
    outcome = guarded(**FORM, content_length=length, bodies=(b"a", b"b"))
    status, text = said(outcome)
    assert status == 413
    assert text.startswith("The file is too large. What was sent is larger than 0 MB.")
    assert (b"connection", b"close") in outcome.sent[0]["headers"]
    assert (outcome.asked, outcome.left) == ([], 0), "what is sent passes by unread"


@pytest.mark.parametrize(
    ("bodies", "left"),
    [
        ((b"x" * 50,) * 30, 10),  # ten times the limit is listened to, and no more
        ((b"x" * 999, b"x", b"x"), 1),
        ((b"x" * 1000, b"x"), 1),
        ((b"",) * 5, 0),
    ],
)
def test_a_browser_is_listened_to_up_to_ten_times_the_limit(bodies, left):
    assert guarded(**FORM, content_length="101", bodies=bodies).left == left


def test_a_body_that_hides_its_size_is_counted():
    assert said(guarded(**FORM, bodies=(b"x" * 60, b"x" * 40))) == (200, "")
    with pytest.raises(TooLarge):
        guarded(**FORM, bodies=(b"x" * 60, b"x" * 41))


@pytest.mark.parametrize(
    ("path", "project", "inside", "seen"),
    [
        ("/s", "", True, "/"),
        ("/s/", "", True, "/"),
        ("/s/risk", "", True, "/risk"),
        ("/s/p/key", "key", True, "/"),
        ("/s/p/key/", "key", True, "/"),
        ("/s/p/key/risk/x", "key", True, "/risk/x"),
        ("/static/a.css", "", False, "/static/a.css"),
        ("/secret/risk", "", False, "/secret/risk"),
    ],
)
def test_pages_see_their_project_and_not_where_they_are(path, project, inside, seen):
    (scope,) = guarded(path).asked
    assert (scope["project"], scope["inside"], scope["path"]) == (project, inside, seen)
    assert not inside or scope["raw_path"] == seen.encode()


@pytest.mark.parametrize(
    ("path", "answer", "place"),
    [
        ("/s/risk", "/open", "/s/open"),
        ("/s/p/key/risk", "/open", "/s/p/key/open"),
        ("/s/p/key/risk", "/s/p/other", "/s/p/other"),
        ("/s/risk", "http://elsewhere/", "http://elsewhere/"),
        ("/start", "/open", "/open"),
    ],
)
def test_answers_lead_back_into_the_project(path, answer, place):
    (start,) = guarded(path, answer=answer).sent
    headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    assert headers["location"] == place
    assert {name.lower(): value for name, value in HEADERS.items()}.items() <= headers.items()


def test_what_is_no_page_is_passed_on_or_left():
    assert len(guarded(kind="lifespan").asked) == 1
    socket = guarded(kind="websocket")
    assert (socket.asked, socket.sent) == ([], [])
