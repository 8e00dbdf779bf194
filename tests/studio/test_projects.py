"""A project saves itself: browsers close, servers die, tabs meet, and nobody loses work. Mostly in a real browser."""

from __future__ import annotations

import hashlib
import hmac
import http.server
import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.stand_ins import instead
from tests.studio.accessibility import complaints
from tests.studio.conftest import PATIENCE
from tests.studio.test_walk import open_sample, screen, settle, work

from discreet.errors import FileError
from discreet.studio import projects
from discreet.studio.app import listen
from discreet.studio.projects import Listed, Projects

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


class Server:
    """`discreet studio` in a process of its own, which can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with listen() as free:
            self.port = free.getsockname()[1]
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> str:
        """Start it, and return its first link."""
        command = [sys.executable, "-m", "discreet", "studio", "--no-browser", "--port", str(self.port),
                   "--projects", str(self.folder)]  # fmt: skip
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env={**os.environ, "COLUMNS": "300"}
        )
        for line in self.process.stdout:
            found = re.search(r"http://\S+", line)
            if found:
                return found.group()
        raise AssertionError("it did not start")

    def kill(self) -> None:
        """Kill it as the system would, with no chance to clean up."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process.stdout.close()
            self.process = None


@pytest.fixture
def server(tmp_path):
    one = Server(tmp_path / "projects")
    yield one
    one.kill()


@pytest.fixture
def context(browser):
    one = browser.new_context(viewport={"width": 1280, "height": 900})
    yield one
    one.close()


def step(tab, method, **answers):
    tab.goto(f"{tab.url.split('/p/')[0]}/p/{tab.url.split('/p/')[1].split('/')[0]}/protect?method={method}")
    for name, value in answers.items():
        tab.get_by_label(name, exact=True).fill(value)
    work(tab, tab.get_by_role("button", name="Take this step"))


def project(tab):
    """What addresses of the present project begin with."""
    return re.match(r"http://[^/]+/[^/]+/p/[^/]+", tab.url).group()


def test_a_killed_server_is_said_and_the_page_goes_on_when_it_is_back(server, context):
    tab = context.new_page()
    tab.goto(server.start())
    open_sample(tab, "business", 150)
    step(tab, "individual-ranking", k="4")
    figures = tab.locator("aside .big").inner_text()
    screen(tab, "Declare")
    # One after the other, each until it is kept: an answer that comes before it is waited for would never be seen.
    with tab.expect_response(lambda answer: answer.url.endswith("/draft")):
        tab.get_by_label("Role of COMPANY").select_option("other")
    with tab.expect_response(lambda answer: answer.url.endswith("/draft")):
        tab.get_by_label("Label of COMPANY").fill("the firm")
    server.kill()
    tab.locator("#server").get_by_text("does not answer").wait_for()
    assert complaints(tab) == []
    tab.get_by_role("button", name="Check only").click()
    assert tab.get_by_label("Label of COMPANY").input_value() == "the firm", "what was typed is not sent into the void"
    server.start()
    tab.locator("#server").get_by_text("started again").wait_for()
    tab.reload()
    assert tab.get_by_label("Label of COMPANY").input_value() == "the firm", "and it is kept when the page is not"
    assert tab.get_by_label("Role of COMPANY").input_value() == "other"
    screen(tab, "Protect")
    assert tab.locator("aside .big").inner_text() == figures, "figures are there without working them out again"
    assert tab.locator("ol.history li").count() == 2
    work(tab, tab.get_by_role("button", name="Draw them again"))
    assert tab.locator("figure img").count() >= 3
    assert tab.locator("aside .big").inner_text() == figures, "the seed was kept"


def test_work_that_a_dying_server_took_along_is_offered_again(server, context):
    tab = context.new_page()
    tab.goto(server.start())
    open_sample(tab, "business", 3000)
    step(tab, "rounding")
    here = project(tab)
    tab.goto(f"{here}/protect?method=refine")
    tab.get_by_text("Further settings").click()
    tab.get_by_label("budget", exact=True).fill("10m")
    tab.get_by_role("button", name="Take this step").click()
    tab.wait_for_selector("#job")
    server.kill()
    link = server.start()
    tab.close()
    # Another browser, by the new link: the project is in the list, with what was interrupted.
    other = context.browser.new_context()
    tab = other.new_page()
    tab.goto(link)
    assert "interrupted: Protecting with refine" in tab.locator("main").inner_text()
    assert complaints(tab) == []
    tab.get_by_role("link", name="Go on with sample: business").click()
    screen(tab, "Protect")
    assert tab.locator("ol.history li").count() == 2, "the step before is there"
    assert "did not come to its end" in tab.locator("#again").inner_text()
    assert complaints(tab) == []
    tab.get_by_role("button", name="Start it again").click()
    tab.wait_for_selector("#job")
    tab.get_by_role("button", name="Cancel").click()
    tab.get_by_role("button", name="Leave it").click()
    assert tab.locator("#again").count() == 0
    other.close()


def test_a_killed_worker_is_said_and_can_be_started_again(tab, running):
    open_sample(tab, "business", 3000)
    session = next(iter(running.studio.projects))
    for one in running.studio.projects:
        if one.root in tab.url:
            session = one
    tab.goto(f"{tab.address}/protect?method=refine")
    tab.get_by_text("Further settings").click()
    tab.get_by_label("budget", exact=True).fill("10m")
    tab.get_by_role("button", name="Take this step").click()
    tab.wait_for_selector("#job")
    while session.worker.job.label == "starting":
        tab.wait_for_timeout(20)
    os.kill(session.worker._process.pid, signal.SIGKILL)
    tab.locator("#again").wait_for()
    assert "The work ended unexpectedly" in tab.locator("main").inner_text()
    tab.get_by_text("Further settings").click()
    assert tab.get_by_label("budget", exact=True).input_value() == "10m", "every answer is kept"
    tab.get_by_role("button", name="Start it again").click()
    tab.wait_for_selector("#job")
    tab.get_by_role("button", name="Cancel").click()


def test_a_refused_declaration_keeps_every_answer_and_says_where(tab, tmp_path):
    data = tmp_path / "survey.csv"
    data.write_text("town,income\n" + "".join(f"t{i % 4},x{i % 7}\n" for i in range(40)))
    tab.fill("#where", str(data))
    work(tab, tab.get_by_role("button", name="Open it there"))
    screen(tab, "Declare")
    tab.get_by_label("Role of town").select_option("confidential")
    tab.get_by_label("Label of town").fill("where they live")
    tab.get_by_label("Missing codes of town").fill("-9")
    tab.get_by_label("Scale of income").select_option("numeric")
    with tab.expect_navigation():
        tab.get_by_role("button", name="Check only").click()
    # What is wrong may stand there before the work is said to have ended, and the page is then renewed once more.
    settle(tab)
    tab.locator("tr.faulty .wrong").wait_for(timeout=PATIENCE)
    row = tab.locator("tr.faulty")
    row.get_by_label("Role of income").wait_for(timeout=PATIENCE)  # beside the attribute that it is about
    assert tab.get_by_label("Role of town").input_value() == "confidential"
    assert tab.get_by_label("Label of town").input_value() == "where they live"
    assert tab.get_by_label("Missing codes of town").input_value() == "-9"
    assert tab.get_by_label("Scale of income").input_value() == "numeric"
    assert complaints(tab) == []
    tab.get_by_label("Scale of income").select_option("nominal")
    work(tab, tab.get_by_role("button", name="Check only"))
    assert tab.locator(".wrong").count() == 0
    assert tab.get_by_label("Role of town").input_value() == "confidential"
    assert data.read_text().startswith("town,income"), "the data stay where they are"


def test_a_failed_open_keeps_what_was_open(tab, tmp_path):
    open_sample(tab, "business", 150)
    step(tab, "rounding")
    here = project(tab)
    screen(tab, "Open")
    bad = tmp_path / "bad.csv"
    bad.write_text("a,b\n1,2\n3,4,5\n")
    tab.set_input_files("#file", bad)
    with tab.expect_navigation():
        tab.get_by_role("button", name="Open the file").click()
    settle(tab)
    tab.locator(".notice.error").wait_for(timeout=PATIENCE)
    assert project(tab) == here
    assert "150 records" in tab.locator("main").inner_text()
    tab.fill("#where", str(tmp_path / "nowhere.csv"))
    tab.get_by_role("button", name="Open it there").click()
    tab.locator(".field .wrong").wait_for()
    assert tab.input_value("#where") == str(tmp_path / "nowhere.csv")
    screen(tab, "Protect")
    assert tab.locator("ol.history li").count() == 2
    # Another file is another project; the one before is in the list.
    good = tmp_path / "good.csv"
    good.write_text("a,b\n" + "".join(f"{i},{i % 3}\n" for i in range(50)))
    screen(tab, "Open")
    tab.fill("#where", str(good))
    work(tab, tab.get_by_role("button", name="Open it there"))
    tab.wait_for_url(lambda url: not url.startswith(here), timeout=PATIENCE)
    assert "50 records" in tab.locator("main").inner_text()
    tab.get_by_role("link", name="Projects").click()
    tab.get_by_role("link", name="Go on with sample: business").first.click()
    assert project(tab) == here


def test_a_second_tab_does_not_overwrite_the_first(tab, context, running):
    open_sample(tab, "business", 150)
    second = tab.context.new_page()
    for page in (tab, second):
        page.goto(f"{tab.address}/declare")
    tab.get_by_label("Name of intruder 1").fill("neighbour")
    tab.get_by_role("checkbox", name="Intruder 1 knows").first.check()
    tab.get_by_role("button", name="Keep the intruders").click()
    tab.get_by_text("One intruder is kept").wait_for()
    second.locator("#elsewhere").wait_for()
    assert "changed in another tab" in second.locator("#elsewhere").inner_text()
    second.get_by_label("Name of intruder 1").fill("employer")
    second.get_by_role("checkbox", name="Intruder 1 knows").nth(1).check()
    second.get_by_role("button", name="Keep the intruders").click()
    assert second.locator("h1").inner_text() == "The project has changed meanwhile"
    assert complaints(second) == []
    tab.reload()
    assert tab.get_by_label("Name of intruder 1").input_value() == "neighbour", "nothing was overwritten"
    second.get_by_role("button", name="Send my answers all the same").click()
    assert second.get_by_label("Name of intruder 1").input_value() == "employer", "and nothing was lost"
    second.close()


def test_going_back_and_choosing_anew_keeps_the_other_branch(tab):
    open_sample(tab, "business", 150)
    step(tab, "individual-ranking", k="4")
    step(tab, "rounding")
    first = tab.locator("aside .big").inner_text()
    tab.get_by_role("button", name="Go to step 1").click()
    step(tab, "rank-swapping")
    assert "kept among the alternatives" in tab.locator(".notice").inner_text()
    assert "individual-ranking k=4 → rounding" in tab.locator("ul.others").inner_text()
    assert complaints(tab) == []
    tab.get_by_role("button", name="Go over to alternative 1").click()
    assert tab.locator("aside .big").inner_text() == first
    tab.get_by_role("button", name="Forget alternative 1").click()
    assert tab.locator("h1").inner_text() == "Forget this alternative?"
    tab.get_by_role("link", name="No, leave everything").click()
    assert tab.locator("ul.others li").count() == 1
    tab.get_by_role("button", name="Forget alternative 1").click()
    tab.get_by_role("button", name="Forget it").click()
    assert tab.locator("ul.others").count() == 0
    # The browser's own way back leads through the question and does nothing.
    tab.go_back()
    assert tab.locator("h1").inner_text() == "Forget this alternative?"
    tab.go_back()
    assert tab.locator("h1").inner_text() == "Protect"
    assert tab.locator("ol.history li").count() == 3
    assert tab.locator("ul.others").count() == 0


def test_the_way_back_of_the_browser_shows_the_present_state(tab):
    open_sample(tab, "business", 150)
    screen(tab, "Protect")
    step(tab, "rounding")
    screen(tab, "Release")
    tab.go_back()
    tab.wait_for_load_state()
    assert tab.locator("ol.history li").count() == 2
    tab.go_back()
    tab.wait_for_load_state()
    tab.go_forward()
    tab.wait_for_load_state()
    tab.goto(f"{tab.address}/protect")
    assert tab.locator("ol.history li").count() == 2, "no step was repeated and none was lost"


def test_a_page_that_was_left_during_work_does_not_pull_one_back(tab):
    open_sample(tab, "business", 1500)
    tab.goto(f"{tab.address}/protect?method=refine")
    tab.get_by_text("Further settings").click()
    tab.get_by_label("budget", exact=True).fill("3s")
    tab.get_by_role("button", name="Take this step").click()
    tab.wait_for_selector("#job")
    tab.goto(f"{tab.address}/declare")
    tab.get_by_role("link", name="See the result").wait_for(timeout=PATIENCE)
    assert tab.locator("h1").inner_text() == "Declare"
    tab.get_by_role("link", name="See the result").click()
    assert tab.locator("h1").inner_text() == "Protect"


def test_a_changed_declaration_asks_before_results_go(tab):
    open_sample(tab, "business", 150)
    screen(tab, "Risk now")
    work(tab, tab.get_by_role("button", name="Measure the risk"))
    screen(tab, "Declare")
    work(tab, tab.get_by_role("button", name="Check only"))
    screen(tab, "Risk now")
    assert tab.locator(".figure").count() > 1, "checking the same declaration again loses nothing"
    screen(tab, "Declare")
    role = tab.get_by_role("combobox", name="Role of").nth(2)
    role.select_option("other")
    with tab.expect_navigation():
        tab.get_by_role("button", name="Check only").click()
    assert tab.locator("h1").inner_text() == "Change the declaration?"
    assert complaints(tab) == []
    tab.get_by_role("link", name="No, leave everything").click()
    assert tab.get_by_role("combobox", name="Role of").nth(2).input_value() == "other", "the answers are still there"
    with tab.expect_navigation():
        tab.get_by_role("button", name="Check only").click()
    work(tab, tab.get_by_role("button", name="Change it"))
    assert tab.get_by_role("combobox", name="Role of").nth(2).input_value() == "other"


def test_ending_asks_and_a_closed_browser_comes_back(browser, running):
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(running.link())
    session = running.studio.projects.create()
    tab.goto(f"{running.origin}{session.root}/open")
    open_sample(tab, "business", 150)
    tab.get_by_role("button", name="End project").click()
    assert "End the project" in tab.locator("h1").inner_text()
    assert complaints(tab) == []
    context.close()
    running.studio.projects.put_away(session)
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(running.link())
    tab.get_by_role("link", name="Go on with sample: business").first.click()
    assert "150 records" in tab.locator("main").inner_text()
    tab.get_by_role("button", name="Show the first rows").click()
    tab.locator("#rows").wait_for(timeout=PATIENCE)
    tab.get_by_role("button", name="End project").click()
    tab.get_by_role("button", name="End it and remove its files").click()
    assert "The project has ended" in tab.locator(".notice").inner_text()
    assert not session.folder.exists()
    context.close()


def test_the_cookie_reaches_no_other_port(browser, running):
    seen: list[str] = []

    class Stranger(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.headers.get("Cookie", ""))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Stranger) as stranger:
        thread = threading.Thread(target=stranger.serve_forever)
        thread.start()
        context = browser.new_context()
        tab = context.new_page()
        tab.goto(running.link())
        assert context.cookies(), "the browser has a cookie"
        port = stranger.server_address[1]
        for path in ("/", "/open", "/p/20260101-abcdefghij/open", "/start?token=x"):
            tab.goto(f"http://127.0.0.1:{port}{path}")
        context.close()
        stranger.shutdown()
        thread.join()
    assert len(seen) >= 4
    assert set(seen) == {""}


# -------------------------------------------------------------------------------------- folders, without a browser


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {}, "/home/analyst/.local/share"),
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data"),
        ("linux", {"XDG_DATA_HOME": "data"}, "/home/analyst/.local/share"),
        ("darwin", {"XDG_DATA_HOME": "/data"}, "/home/analyst/Library/Application Support"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local"),
        ("win32", {}, "/home/analyst/AppData/Local"),
    ],
)
def test_projects_are_where_the_system_keeps_a_users_data(monkeypatch, platform, environment, folder):
    for name in ("XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(projects.sys, "platform", platform)
    monkeypatch.setattr(projects.Path, "home", lambda: Path("/home/analyst"))
    assert projects.default_folder() == Path(folder) / "discreet" / "studio"


def test_a_folder_that_is_made_is_for_one_user_alone(tmp_path):
    tmp_path.chmod(0o755)
    folder = projects.private_folder(tmp_path / "a" / "b")
    assert folder == tmp_path / "a" / "b"
    assert [path.stat().st_mode & 0o777 for path in (folder, folder.parent, tmp_path)] == [0o700, 0o700, 0o755]
    assert projects.private_folder(folder) == folder
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="is no folder that projects can be kept in"):
        projects.private_folder(tmp_path / "file")
    with pytest.raises(FileError, match=r"for projects cannot be made \(Not a directory\)\. Hint: Name another"):
        projects.private_folder(tmp_path / "file" / "below")


@pytest.mark.parametrize("missing", [os.W_OK, os.X_OK])
def test_a_folder_that_one_may_not_write_into_is_refused(monkeypatch, tmp_path, missing):
    monkeypatch.setattr(projects, "os", instead(projects.os, access=lambda _, asked: not asked & missing))
    with pytest.raises(FileError, match="is no folder that projects can be kept in"):
        projects.private_folder(tmp_path)


KEYS = [f"2026010{n}-abcdefghij" for n in range(6)]


def state(name, changed, **others):
    """A project as it is kept, as much of it as a list shows."""
    return json.dumps({
        "name": name, "changed": changed, "opened": {"n_records": 7}, "interrupted": {},
        "history": {"position": 2, "others": [1, 2, 3]}, **others,
    })  # fmt: skip


def written(folder, key, text):
    (folder / key).mkdir()
    (folder / key / "project.json").write_text(text)


@pytest.fixture
def kept(tmp_path):
    return Projects(tmp_path / "projects", secret=b"x" * 32, root="/s", idle=100.0, warm=False)


def test_projects_are_listed_the_last_one_first(kept):
    written(kept.folder, KEYS[0], state("first", "2026-01-01"))
    written(kept.folder, KEYS[1], state("third", "2026-01-03", interrupted={"title": "Measuring"}))
    written(kept.folder, KEYS[2], "{")
    written(kept.folder, KEYS[3], state("as late", "2026-01-03"))
    written(kept.folder, "another-name", state("no project", "2026-01-09"))
    (kept.folder / KEYS[4]).symlink_to(kept.folder / KEYS[0])
    (kept.folder / KEYS[5]).mkdir()
    assert kept.list() == [
        Listed(KEYS[3], "as late", "2026-01-03", 7, 2, 3, ""),
        Listed(KEYS[1], "third", "2026-01-03", 7, 2, 3, "Measuring"),
        Listed(KEYS[0], "first", "2026-01-01", 7, 2, 3, ""),
        Listed(KEYS[2], KEYS[2], "", 0, 0, 0, "", readable=False),
    ]


def test_a_project_is_begun_found_again_and_ended(kept):
    session = kept.create()
    assert (session.root, len(kept), list(kept)) == (f"/s/p/{session.key}", 1, [session])
    assert re.fullmatch(r"\d{8}-[0-9a-z]{10}", session.key)
    assert session.folder.stat().st_mode & 0o777 == 0o700
    assert session.csrf == hmac.new(b"x" * 32, session.key.encode(), hashlib.sha256).hexdigest()
    session.used = 0.0
    assert kept.find(session.key) is session
    assert session.used > 0.0
    with pytest.raises(FileError, match="Another studio on this machine is at work on this project"):
        kept._take(session.key, session.folder)
    kept.end(session)
    assert (len(kept), session.folder.exists()) == (0, False)
    assert kept.find(session.key) is None


def test_what_is_no_project_is_not_found(kept, tmp_path):
    written(kept.folder, "another-name", state("no project", "2026"))
    written(tmp_path, KEYS[0], state("elsewhere", "2026"))
    (kept.folder / KEYS[0]).symlink_to(tmp_path / KEYS[0])
    (kept.folder / KEYS[1]).mkdir()
    for key in ("another-name", KEYS[0], KEYS[1], KEYS[2], f"../{KEYS[0]}"):
        assert kept.find(key) is None
    for key in ("another-name", KEYS[0], KEYS[2], f"../{KEYS[0]}"):
        assert kept.discard(key) is False
    assert (tmp_path / KEYS[0] / "project.json").exists()
    assert kept.discard(KEYS[1]) is True
    assert not (kept.folder / KEYS[1]).exists()


def test_a_project_that_cannot_be_read_is_said_and_stays(kept):
    written(kept.folder, KEYS[0], "{}")
    with pytest.raises(FileError, match="This project cannot be read") as told:
        kept.find(KEYS[0])
    assert told.value.hint == f"It is still in {str(kept.folder / KEYS[0])!r}; protocol.toml there holds its choices."
    assert len(kept) == 0
    assert kept.discard(KEYS[0]) is True, "nobody holds it"
    assert not (kept.folder / KEYS[0]).exists()


def test_one_that_another_server_is_at_work_on_is_not_taken_away(kept):
    session = kept.create()
    other = Projects(kept.folder, secret=b"y" * 32, warm=False)
    assert session.folder.exists(), "it is unfinished, and not left behind"
    with pytest.raises(FileError, match="Another studio on this machine is at work on this project") as told:
        other.discard(session.key)
    assert told.value.hint == "Stop that one first."
    assert session.folder.exists()
    assert kept.discard(session.key) is True
    assert (len(kept), session.folder.exists()) == (0, False)


def test_what_a_killed_server_left_unfinished_is_cleared(tmp_path):
    for key in KEYS[:2]:
        (tmp_path / key).mkdir()
    (tmp_path / KEYS[1] / "project.json").write_text("{}")
    (tmp_path / "another-name").mkdir()
    (tmp_path / KEYS[2]).symlink_to(tmp_path / "another-name")
    Projects(tmp_path, secret=b"x", warm=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == [KEYS[1], KEYS[2], "another-name"]


def test_the_idle_are_put_away_unless_they_work_and_all_at_the_end(kept, monkeypatch):
    now = float(int(projects.time.monotonic()))  # a little before sessions that are made from here on
    monkeypatch.setattr(projects, "time", instead(projects.time, monotonic=lambda: now))
    idle, used, busy, opened = (kept.create() for _ in range(4))
    done = []
    for session in (idle, used, busy, opened):
        session.worker = SimpleNamespace(busy=session is busy, job=None, stop=lambda: None)
        session.remove = lambda session=session: done.append(("removed", session))
        session.close = lambda session=session: done.append(("closed", session))
    opened.given = "a file"
    idle.used, used.used, busy.used, opened.used = now - 101.0, now - 100.0, now - 1000.0, now - 100.5
    kept.sweep()
    assert done == [("removed", idle), ("closed", opened)]
    assert list(kept) == [used, busy]
    kept.put_all_away()
    assert done[2:] == [("removed", used), ("removed", busy)]
    assert len(kept) == 0
    for session in (idle, used, busy, opened):
        session.on_close()


@pytest.mark.parametrize("warm", [False, True])
def test_the_process_of_a_project_is_started_with_it_where_that_is_asked_for(monkeypatch, tmp_path, warm):
    started = []
    worker = SimpleNamespace(start=lambda: started.append(True), stop=lambda: None, busy=False, job=None)
    monkeypatch.setattr(
        projects, "Session", lambda *values: SimpleNamespace(key=values[0], worker=worker, used=0.0, given=None)
    )
    Projects(tmp_path, secret=b"x", warm=warm).create().on_close()
    assert started == [True] * warm
