"""Steps back, forward and aside: what each press of a button leaves behind."""

from __future__ import annotations

import re

import pytest

from discreet.studio.session_values import Released

STEPS = {"method": "rounding", "p-base": "10"}
OTHER = {"method": "rank-swapping", "p-p": "5"}


def methods(client):
    history = client.session.history
    return [step.method for step in history.steps], [[step.method for step in line] for line in history.others]


def test_without_a_file_there_is_nothing_to_protect(client):
    assert str(client.get("/protect").url).endswith("/open")
    for path in ("add", "lattice", "draw", "go"):
        answer = client.post(f"/protect/{path}", {"method": "rounding"})
        assert answer.status_code == 200
    assert client.session.history.steps == ()
    assert client.session.worker.job is None


def test_steps_go_back_forward_and_aside(desk):
    desk.post("/protect/add", STEPS)
    assert methods(desk) == (["rounding"], [])
    call, arguments = desk.session.worker.calls[-1]
    assert call == "protect"
    assert [step.method for step in arguments["steps"]] == ["rounding"]
    assert arguments["seed"] == desk.session.need_seed()
    desk.session.release = Released("r", (), ())
    desk.post("/protect/add", OTHER)
    assert methods(desk) == (["rounding", "rank-swapping"], [])
    assert desk.session.release is None
    taken = len(desk.session.worker.calls)
    desk.post("/protect/go", {"position": "1"})
    assert methods(desk)[0] == ["rounding"]
    desk.post("/protect/go", {"position": "0"})
    assert methods(desk)[0] == []
    desk.post("/protect/go", {"position": "nowhere"})
    assert methods(desk)[0] == []
    assert len(desk.session.worker.calls) == taken  # results that are there are not worked out again
    page = desk.post("/protect/add", OTHER).text
    assert methods(desk) == (["rank-swapping"], [["rounding", "rank-swapping"]])
    assert "kept among the alternatives" in page
    desk.post("/protect/go", {"other": "0"})
    assert methods(desk) == (["rounding", "rank-swapping"], [["rank-swapping"]])
    desk.post("/protect/go", {"other": "1", "position": "1"})
    assert methods(desk) == (["rounding"], [["rank-swapping"]])
    told = str(desk.session.decisions)
    for sentence in ("Took the step rounding.", "Went to step 1.", "Went back to the original.",
                     "Went over to an alternative."):  # fmt: skip
        assert sentence in told


def test_an_alternative_is_forgotten_after_a_question(desk):
    desk.post("/protect/add", STEPS)
    desk.post("/protect/go", {"position": "0"})
    desk.post("/protect/add", OTHER)
    for number in ("1", "-1", "x"):
        assert str(desk.post("/protect/forget", {"other": number, "sure": "yes"}).url).endswith("/protect")
        assert methods(desk)[1] == [["rounding"]]
    page = desk.post("/protect/forget", {"other": "0"}).text
    assert "Forget this alternative?" in page
    assert "Its steps: rounding." in page
    assert methods(desk)[1] == [["rounding"]]
    desk.post("/protect/forget", {"other": "0", "sure": "yes"})
    assert methods(desk) == (["rank-swapping"], [])
    assert "Forgot the alternative rounding." in str(desk.session.decisions)


def test_what_a_form_cannot_ask_for(desk):
    for method in ("no-such", "mdav-of-nothing"):
        assert desk.post("/protect/add", {"method": method}).status_code == 400
    page = desk.post("/protect/add", {"method": "rounding", "p-base": "nought"}).text
    assert "base must be" in page
    assert methods(desk) == ([], [])
    assert desk.session.drafts["protect:rounding"].where == "base"


def test_results_that_are_gone_are_worked_out_again(desk):
    desk.post("/protect/add", STEPS)
    desk.post("/protect/go", {"position": "0"})
    desk.session.protected.clear()
    taken = len(desk.session.worker.calls)
    desk.post("/protect/go", {"position": "1"})
    assert len(desk.session.worker.calls) == taken + 1
    assert methods(desk)[0] == ["rounding"]
    assert "Went to step 1." in str(desk.session.decisions)
    desk.post("/protect/draw")
    assert len(desk.session.worker.calls) == taken + 2
    assert "Drew the pictures again." in str(desk.session.decisions)


def pictures(page):
    return re.findall(r'src="[^"]*(/protect/chart/[^"]+)"', page)


def test_a_page_that_is_left_still_gets_its_own_pictures(desk):
    desk.post("/protect/add", STEPS)
    drawn = [svg for _, svg in desk.session.result.charts]
    shown = pictures(desk.get("/protect").text)
    assert len(shown) == len(drawn) >= 1
    desk.post("/protect/add", OTHER)
    desk.post("/protect/go", {"position": "0"})
    assert pictures(desk.get("/protect").text) == []
    for path, svg in zip(shown, drawn, strict=True):
        answer = desk.get(path)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("image/svg+xml")
        assert answer.text == svg
    for other in ("0", "-1", "0" * 24):
        assert desk.get(f"/protect/chart/{other}.svg").status_code == 404


def test_only_the_pictures_shown_last_are_kept(desk):
    names = [desk.session.show_picture(f"<svg>{i}</svg>") for i in range(70)]
    assert desk.session.show_picture("<svg>20</svg>") == names[20]
    assert len(desk.session.pictures) == 60
    assert [name in desk.session.pictures for name in (names[9], names[10], names[20])] == [False, True, True]


@pytest.mark.parametrize("path", ["go", "add"])
def test_one_piece_of_work_at_a_time(desk, path):
    desk.session.worker.job.state = "running"
    page = desk.post(f"/protect/{path}", STEPS).text
    assert "Another piece of work is running." in page
    assert methods(desk) == ([], [])
    desk.session.worker.job.state = "done"
