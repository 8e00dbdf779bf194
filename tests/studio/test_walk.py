"""The whole walk in a real browser: from opening the sample to downloading the release."""

from __future__ import annotations

import hashlib
import json
import zipfile

import pytest
from tests.studio.accessibility import complaints
from tests.studio.conftest import PATIENCE

SCREENS = ("Open", "Declare", "Risk now", "Protect", "Compare", "Attack", "Release")


def settle(tab):
    """Wait until the work that the page has begun has ended, well or not, and the page that says so is there."""
    tab.wait_for_load_state()
    tab.wait_for_selector("#job", state="detached", timeout=PATIENCE)
    tab.wait_for_load_state()  # what shows the work is also gone while the page of its result is on its way


def finish(tab):
    """Wait until the work that the page has begun is done and shown."""
    settle(tab)
    assert tab.locator(".notice.error").count() == 0, tab.locator(".notice.error").all_inner_texts()


def work(tab, button):
    """Press a button that begins a piece of work, and wait for the result."""
    with tab.expect_navigation(timeout=PATIENCE):
        button.click()
    finish(tab)


def open_sample(tab, name="business", n=150):
    tab.check(f"input[value={name}]")
    tab.fill("#n", str(n))
    work(tab, tab.get_by_role("button", name="Open the sample"))


def screen(tab, name):
    tab.get_by_role("navigation", name="Steps").get_by_role("link", name=name).click()
    assert tab.locator("h1").inner_text() == name
    assert len(tab.locator(".purpose").inner_text()) > 20


def test_from_the_sample_to_the_release(tab, tmp_path):
    # Open: types and counts; rows only on request.
    assert tab.get_by_role("navigation", name="Steps").get_by_role("link").count() == 1, "nothing to do without a file"
    open_sample(tab, "housing", 200)
    assert "200 records" in tab.locator("main").inner_text()
    assert tab.locator("#rows").count() == 0
    tab.get_by_role("link", name="Show the first 20 rows").click()
    assert tab.locator("section[aria-labelledby=rows] tbody tr").count() == 20
    assert complaints(tab) == []

    # Declare: roles, the order of levels, an intruder.
    screen(tab, "Declare")
    for name in ("WHYMOVE", "WHYTOH", "WHYTON", "TRAN1", "WFUEL"):
        tab.get_by_label(f"Role of {name}").select_option("other")
    row = tab.locator("tr", has=tab.get_by_label("Role of DEGREE"))
    row.locator("summary").click()
    levels = row.locator("ol.levels li span").all_inner_texts()
    row.locator("ol.levels li").first.get_by_role("button", name="down").click()
    assert row.locator("ol.levels li span").all_inner_texts()[:2] == [levels[1], levels[0]]
    row.locator("ol.levels li").first.drag_to(row.locator("ol.levels li").nth(1), target_position={"x": 40, "y": 22})
    row.locator("ol.levels li.dragged").wait_for(state="detached")
    assert row.locator("ol.levels li span").all_inner_texts()[:2] == levels[:2], "dragging puts it back"
    row.locator("ol.levels li").first.get_by_role("button", name="down").click()
    assert row.locator("ol.levels li span").all_inner_texts()[:2] == [levels[1], levels[0]]
    assert complaints(tab) == []
    work(tab, tab.get_by_role("button", name="Check only"))
    assert "checked against the file" in tab.locator("main").inner_text()
    row = tab.locator("tr", has=tab.get_by_label("Role of DEGREE"))
    row.locator("summary").click()
    assert row.locator("ol.levels li span").all_inner_texts()[:2] == [levels[1], levels[0]], "the order is kept"
    tab.get_by_label("Name of intruder 1").fill("neighbour")
    tab.get_by_label("Intruder 1 knows BUILT").check()
    tab.get_by_label("Intruder 1 knows RENT").check()
    tab.get_by_role("button", name="Keep the intruders").click()
    assert tab.get_by_label("Name of intruder 1").input_value() == "neighbour"
    assert tab.get_by_label("Name of intruder 2").count() == 1

    # Risk now.
    screen(tab, "Risk now")
    work(tab, tab.get_by_role("button", name="Measure the risk"))
    text = tab.locator("main").inner_text()
    assert "Unique records" in text
    assert "Which keys make it risky" in text
    assert "Intruder: neighbour" in text
    assert tab.locator(".figure").count() >= 5
    assert complaints(tab) == []

    # Protect: two steps, back and forward.
    screen(tab, "Protect")
    assert complaints(tab) == []
    tab.get_by_role("navigation", name="Methods").get_by_role("link", name="mixed-mdav", exact=True).first.click()
    assert complaints(tab) == []
    tab.get_by_label("k", exact=True).fill("1")
    tab.get_by_role("button", name="Take this step").click()
    assert tab.locator("#job").count() == 0, "the browser itself refuses what the constraint forbids"
    tab.get_by_label("k", exact=True).fill("4")
    work(tab, tab.get_by_role("button", name="Take this step"))
    first = tab.locator("aside .big").inner_text()
    assert "score" in first
    assert tab.locator("figure img").count() >= 3
    for picture in tab.locator("figure img").all():
        picture.scroll_into_view_if_needed()
    tab.wait_for_function(
        "() => [...document.querySelectorAll('figure img')].every((i) => i.complete && i.naturalWidth > 0)",
        timeout=PATIENCE,
    )
    assert complaints(tab) == []
    tab.goto(f"{tab.address}/protect?method=top-coding")
    work(tab, tab.get_by_role("button", name="Take this step"))
    assert tab.locator("ol.history li").count() == 3
    tab.get_by_role("button", name="Step back").click()
    assert tab.locator("aside .big").inner_text() == first
    assert tab.locator("ol.history li.future").count() == 1
    tab.get_by_role("button", name="Step forward").click()
    assert tab.locator("ol.history li.future").count() == 0
    tab.get_by_role("button", name="Go back to the original").click()
    assert "No step has been taken" in tab.locator("aside").inner_text()
    tab.get_by_role("button", name="Go to step 1").click()
    assert tab.locator("aside .big").inner_text() == first

    # Attack: the original in the intruder's hands.
    screen(tab, "Attack")
    work(tab, tab.get_by_role("button", name="Attack"))
    assert "linked correctly; guessing finds 1.0 records" in tab.locator("main").inner_text()
    assert complaints(tab) == []

    # Release.
    screen(tab, "Release")
    tab.fill("#risk_at_most", "90")
    tab.fill("#smallest_group", "50")
    work(tab, tab.get_by_role("button", name="Write the release"))
    assert tab.locator(".tag.good", has_text="met").count() == 1
    assert tab.locator(".tag.bad", has_text="not met").count() == 1
    assert complaints(tab) == []
    with tab.expect_download() as download:
        tab.get_by_role("link", name="masked.csv").click()
    masked = tmp_path / "masked.csv"
    download.value.save_as(masked)
    row = tab.locator("tr", has=tab.get_by_role("link", name="masked.csv"))
    assert hashlib.sha256(masked.read_bytes()).hexdigest() in row.inner_text()
    assert "HOUSEHOLD" not in masked.read_text().split("\n")[0], "identifiers are not released"
    with tab.expect_download() as download:
        tab.get_by_role("link", name="Download everything").click()
    archive = tmp_path / "release.zip"
    download.value.save_as(archive)
    with zipfile.ZipFile(archive) as packed:
        names = set(packed.namelist())
        assert names >= {"masked.csv", "masked.toml", "internal-report.html", "external-report.html", "protocol.toml",
                         "release.py", "manifest.json", "housing.csv"}  # fmt: skip
        listed = json.loads(packed.read("manifest.json"))["files"]
        for entry in listed:
            assert hashlib.sha256(packed.read(entry["name"])).hexdigest() == entry["sha256"]
        packed.extractall(tmp_path / "release")

    # The protocol gives the same file again, opened in the studio and run in Python.
    screen(tab, "Open")
    tab.set_input_files("#file", tmp_path / "release" / "housing.csv")
    tab.set_input_files("#protocol", tmp_path / "release" / "protocol.toml")
    work(tab, tab.get_by_role("button", name="Open the file"))
    assert "declared by the protocol" in tab.locator("main").inner_text()
    screen(tab, "Protect")
    work(tab, tab.get_by_role("button", name="Take all 1 steps"))
    assert tab.locator("aside .big").inner_text() == first


def test_the_study_fills_the_map_and_a_point_is_adopted(tab):
    open_sample(tab, "business", 150)
    screen(tab, "Compare")
    assert complaints(tab) == []
    tab.get_by_label("Method", exact=True).select_option("individual-ranking")
    tab.get_by_role("button", name="Choose").click()
    tab.get_by_label("k", exact=True).fill("3, 9")
    tab.get_by_role("button", name="Add to the plan").click()
    tab.get_by_role("button", name="Remove mondrian from the plan").click()
    assert "individual-ranking" in tab.locator("#plan").inner_text()
    assert "mondrian" not in tab.locator("#plan").inner_text()
    tab.get_by_role("button", name="Run the study").click()
    seen = set()
    while tab.locator("#job").count():
        seen.add(tab.locator("#map circle.dot").count())
        tab.wait_for_timeout(20)
    finish(tab)
    points = tab.locator("#map circle.dot").count()
    assert points >= 8
    assert complaints(tab) == []
    # By keyboard: where two candidates cost nearly the same, one dot lies on the other.
    tab.get_by_role("link", name="individual-ranking(k=9): risk").press("Enter")
    tab.wait_for_selector("#chosen")
    assert "individual-ranking(k=9)" in tab.locator("#chosen").inner_text()
    work(tab, tab.get_by_role("button", name="Adopt"))
    assert tab.locator("h1").inner_text() == "Protect"
    assert "individual-ranking" in tab.locator("ol.history").inner_text()
    assert "k=9" in tab.locator("ol.history").inner_text()


def test_cancelling_is_immediate_and_leaves_the_rest(tab):
    open_sample(tab, "business", 3000)
    tab.goto(f"{tab.address}/protect?method=individual-ranking")
    work(tab, tab.get_by_role("button", name="Take this step"))
    tab.goto(f"{tab.address}/protect?method=refine")
    tab.get_by_text("Further settings").click()
    tab.get_by_label("budget", exact=True).fill("10m")
    tab.get_by_role("button", name="Take this step").click()
    tab.wait_for_selector("#job")
    tab.goto(f"{tab.address}/declare")
    assert tab.locator("h1").inner_text() == "Declare", "a job does not block pages"
    assert tab.locator("#job").count() == 1
    tab.get_by_role("button", name="Cancel").click()
    tab.wait_for_load_state()
    assert tab.locator("#job").count() == 0
    assert "cancelled" in tab.locator(".notice").inner_text()
    assert tab.locator("h1").inner_text() == "Protect"
    assert tab.locator("ol.history li").count() == 2, "the cancelled step is not in the history, the one before is"
    tab.goto(f"{tab.address}/protect?method=rounding")
    work(tab, tab.get_by_role("button", name="Take this step"))
    assert tab.locator("ol.history li").count() == 3


@pytest.mark.parametrize("linker", ["structural", "probabilistic"])
def test_attacking_with_a_second_file(tab, tmp_path, linker):
    from discreet import workflow

    held = tmp_path / "register.csv"
    workflow.write_dataset("business", held, n=150)
    open_sample(tab, "business", 150)
    tab.goto(f"{tab.address}/attack?linker={linker}")
    tab.get_by_label("A second file").check()
    tab.set_input_files("#file", held)
    truth = "by the column COMPANY" if linker == "probabilistic" else "the same records in the same order"
    tab.get_by_label("Who is who in the second file").select_option(label=truth)
    work(tab, tab.get_by_role("button", name="Attack"))
    assert "linked correctly; guessing finds 1.0 records" in tab.locator("main").inner_text()
    tab.get_by_label("A second file").check()
    tab.set_input_files("#file", held)
    work(tab, tab.get_by_role("button", name="Attack"))
    assert "It is not known who is who" in tab.locator("main").inner_text()


def test_a_script_in_a_name_stays_text(tab, tmp_path):
    hostile = tmp_path / "survey.csv"
    name = "<script>document.title='owned'</script>"
    rows = "".join(f"{i % 3},<img src=x onerror=document.title='owned'>,{i}\n" for i in range(60))
    hostile.write_text(f"{name},note,number\n{rows}")
    tab.set_input_files("#file", hostile)
    work(tab, tab.get_by_role("button", name="Open the file"))
    pages = ("open?rows=1", "declare", "risk", "protect?method=mondrian", "compare?method=pram", "attack", "release")
    for path in pages:
        tab.goto(f"{tab.address}/{path}")
        assert "owned" not in tab.title()
        assert tab.locator("main script, main img[src=x]").count() == 0
    tab.goto(f"{tab.address}/declare")
    assert name in tab.locator("main").inner_text()


def test_the_keyboard_alone_is_enough(tab):
    def press(*keys):
        for key in keys:
            tab.keyboard.press(key)

    def tab_to(text):
        for _ in range(120):
            press("Tab")
            found = tab.evaluate(
                "() => { const e = document.activeElement; "
                "return (e.innerText || e.getAttribute('aria-label') || e.name || '').trim(); }"
            )
            if found == text:
                outline = tab.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
                assert outline != "none", f"{text} does not show that it has the focus"
                return
        pytest.fail(f"the keyboard does not reach {text}")

    def enter(*, works=False):
        with tab.expect_navigation(timeout=PATIENCE):
            press("Enter")
        if works:
            finish(tab)

    press("Tab")
    assert tab.evaluate("() => document.activeElement.innerText") == "Skip to the content"
    tab_to("Open the sample")
    enter(works=True)
    tab_to("Continue: declare the attributes")
    enter()
    tab_to("Check, and go on to the risk")
    enter(works=True)
    assert tab.locator("h1").inner_text() == "Risk now"
    tab_to("Measure the risk")
    enter(works=True)
    assert "Which keys make it risky" in tab.locator("main").inner_text()
    tab_to("Continue: protect the file")
    enter()
    tab_to("rank-swapping")
    enter()
    tab_to("Take this step")
    enter(works=True)
    tab_to("◀ Step back")
    enter()
    assert tab.locator("ol.history li.future").count() == 1


def test_it_works_without_scripts(browser, running):
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(running.link())
    tab.fill("#n", "60")
    tab.get_by_role("button", name="Open the sample").click()
    tab.get_by_role("link", name="Continue: declare").wait_for(timeout=PATIENCE)
    tab.get_by_role("link", name="Continue: declare").click()
    row = tab.locator("tr", has=tab.get_by_label("Role of DEGREE"))
    row.locator("summary").click()
    levels = row.locator("ol.levels li span").all_inner_texts()
    row.locator("ol.levels li").first.get_by_role("button", name="down").click()
    tab.get_by_text("checked against the file").wait_for(timeout=PATIENCE)
    row = tab.locator("tr", has=tab.get_by_label("Role of DEGREE"))
    row.locator("summary").click()
    assert row.locator("ol.levels li span").all_inner_texts()[:2] == [levels[1], levels[0]]
    context.close()


def test_chains_are_proposed_or_written_compared_and_adopted(tab):
    open_sample(tab, "business", 60)
    screen(tab, "Declare")
    for name in ("EXPORTS", "RESEARCH", "DEBT", "ASSETS"):
        tab.get_by_label(f"Role of {name}").select_option("other")
    work(tab, tab.get_by_role("button", name="Check, and go on to the risk"))
    screen(tab, "Compare")
    while tab.locator("#plan button.small").count():
        tab.locator("#plan button.small").first.click()
    tab.get_by_role("button", name="Propose chains for this file").click()
    assert tab.locator("#plan summary").count() == 2
    tab.locator("#plan summary").first.click()
    assert "top-coding" in tab.locator("#plan pre").first.inner_text()
    assert complaints(tab) == []
    while tab.locator("#plan button.small").count():
        tab.locator("#plan button.small").first.click()
    box = tab.get_by_label("Steps with alternatives, as a protocol has them")
    box.fill('[[step]]\nmethod = "mdav"\nk = []\n')
    tab.get_by_role("button", name="Add the chains to the plan").click()
    assert "k must list one value" in tab.locator("main").inner_text()
    box.fill('[[step]]\nmethod = "top-coding"\nshare = 0.1\n[[step]]\nmethod = "rank-swapping"\np = [5, 9]\n')
    tab.get_by_role("button", name="Add the chains to the plan").click()
    work(tab, tab.get_by_role("button", name="Run the study"))
    assert tab.locator("#map circle.dot").count() == 2
    assert "the unmasked file" in tab.locator("#map").inner_text()
    label = "top-coding(p=1, share=0.1) → rank-swapping(p=9)"
    tab.get_by_role("link", name=f"{label}: risk").press("Enter")
    tab.wait_for_selector("#chosen")
    risk = tab.locator("#chosen tbody tr").first.locator("td").first.inner_text()
    work(tab, tab.get_by_role("button", name="Adopt"))
    steps = tab.locator("ol.history").inner_text()
    assert "top-coding" in steps
    assert "rank-swapping" in steps
    assert f"{float(risk.split()[0]):.1f} %" in tab.locator("aside tr", has_text="Risk, worst case").inner_text()
