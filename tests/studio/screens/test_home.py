"""What is behind every screen: projects, the present work, drafts, questions, the end."""

from __future__ import annotations

import re

import httpx


def studio(client, method, path, data=None):
    """Ask for a page of the studio, outside of any project."""
    address = f"{client.running.origin}{client.running.studio.root}{path}"
    headers = {"Origin": client.running.origin}
    return client.http.request(method, address, data=data, headers=headers)


def token(client):
    return re.search(r'name="csrf" value="([^"]+)"', studio(client, "GET", "/").text)[1]


def test_projects_are_listed_begun_and_removed_after_a_question(client):
    projects = client.running.studio.projects
    client.session.save()
    key = client.session.key
    csrf = token(client)
    for path in ("/new", "/remove"):
        assert studio(client, "POST", path, {"csrf": "wrong", "key": key, "sure": "yes"}).status_code == 403
    before = {one.key for one in projects.list()}
    answer = studio(client, "POST", "/new", {"csrf": csrf})
    assert str(answer.url).endswith("/open")
    assert len(list(projects)) >= 2
    assert str(studio(client, "GET", "/remove?key=nothing").url).endswith(client.running.studio.root + "/")
    assert key not in before or 'name="sure"' in studio(client, "GET", f"/remove?key={key}").text  # fmt: skip
    answer = studio(client, "POST", "/remove", {"csrf": csrf, "key": key})
    assert "ended=1" not in str(answer.url)
    assert projects.find(key) is not None
    answer = studio(client, "POST", "/remove", {"csrf": csrf, "key": "nothing", "sure": "yes"})
    assert "ended=1" not in str(answer.url)


def test_a_used_link_lets_nobody_in(client):
    link = client.running.link()
    with httpx.Client(follow_redirects=False) as first:
        answer = first.get(link)
        assert answer.status_code == 303
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert f"path={client.running.studio.root}".lower() in cookie
    with httpx.Client(follow_redirects=False) as second:
        assert second.get(link).status_code in (401, 403)


def test_the_first_page_of_a_project_is_what_is_open(client):
    assert str(client.get("/").url).endswith("/open")
    assert str(client.get("/ask/unknown").url).endswith("/open")


def test_alive_says_which_start_and_which_state(client):
    answer = client.get("/alive").json()
    assert answer == {"instance": client.running.studio.instance, "stamp": client.session.stamp, "gone": False}
    assert studio(client, "GET", "/alive").json() == {**answer, "stamp": ""}
    lost = client.http.get(f"{client.running.origin}{client.running.studio.root}/p/20260101-abcdefghij/alive").json()
    assert lost == {**answer, "stamp": "", "gone": True}


def test_the_present_work_is_told_cancelled_and_forgotten(desk):
    assert desk.get("/job").json()["title"] == "Opening sample: housing"
    assert str(desk.post("/job/cancel").url).endswith("/open")
    desk.session.worker.job = None
    assert desk.get("/job").json() == {"state": "none"}
    assert str(desk.post("/job/cancel").url).endswith("/open")
    desk.session.interrupted = {"title": "x", "page": "/risk", "form": {}}
    for here, page in (("declare", "/declare"), ("../x", "/open"), ("", "/open")):
        assert str(desk.post("/job/forget", {"here": here}).url).endswith(page)
    assert desk.session.interrupted == {}


def test_drafts_of_known_forms_are_kept_and_discarded(desk):
    assert desk.post("/draft", {"draft": "declare", "role-0": "key"}).json() == {"kept": True}
    assert desk.session.drafts["declare"].fields["role-0"] == ["key"]
    assert desk.post("/draft", {"draft": "protect:" + "m" * 72}).status_code == 200
    for name in ("other", "", "protect:" + "m" * 73):
        assert desk.post("/draft", {"draft": name}).status_code == 400
    for page, end in (("declare", "/declare"), ("protect?method=x", "/protect?method=x"), ("../x", "/open")):
        desk.post("/draft", {"draft": "declare", "role-0": "key"})
        assert str(desk.post("/draft/discard", {"discard": f"declare@{page}"}).url).endswith(end)
        assert "declare" not in desk.session.drafts


def test_the_end_is_asked_about_where_there_is_something_to_lose(client, desk):
    page = desk.post("/end").text
    assert "End the project sample: housing?" in page
    assert "The data themselves stay where they are." in page
    projects = desk.running.studio.projects
    assert projects.find(desk.session.key) is not None
    answer = desk.post("/end", {"sure": "yes"})
    assert str(answer.url).endswith("/?ended=1")
    assert desk.session.key not in {one.key for one in projects}


def test_an_empty_project_ends_at_once(client):
    assert str(client.post("/end").url).endswith("/?ended=1")
