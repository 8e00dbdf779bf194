"""Attacks from a page: with the original, with a second file, and what is refused."""

from __future__ import annotations

ROWS = "RENT,BUILT\n" + "".join(f"{400 + i},{1950 + i}\n" for i in range(20))


def sent(client, texts, **files):
    """Send a form with files, or one whose file was left empty."""
    content = {name: (f"{name}.csv", text.encode()) for name, text in files.items()} or {"none": ("", b"")}
    return client.post("/attack", texts, files=content)


def received(client):
    """What was sent and is still there."""
    return [path for path in client.running.studio.scratch.path.rglob("*") if path.suffix == ".csv"]


def test_without_a_file_there_is_nothing_to_attack(client):
    assert str(client.get("/attack").url).endswith("/open")


def test_an_attack_is_begun_with_what_is_ticked(desk):
    session = desk.session
    assert "distance" in desk.get("/attack?linker=no-such").text
    rent, built = (session.schema.names.index(name) for name in ("RENT", "BUILT"))
    page = sent(desk, {"linker": "distance", f"known-{rent}": "on", f"known-{built}": "on", "held": "file"}, file=ROWS)
    call, arguments = session.worker.calls[-1]
    assert call == "attack"
    assert arguments["linker"] == "distance"
    assert arguments["parameters"]["attributes"] == ["BUILT", "RENT"]
    assert arguments["held"].name == "file.csv"
    assert (arguments["truth"], arguments["steps"]) == ("", ())
    assert arguments["seed"] == session.need_seed()
    assert page.status_code == 200
    assert received(desk) == []  # what was sent is gone when the attack is over


def test_what_a_form_cannot_ask_for(desk):
    taken = len(desk.session.worker.calls)
    assert sent(desk, {"linker": "no-such", "held": "file"}, file=ROWS).status_code == 400
    page = sent(desk, {"linker": "distance", "held": "original"}, file=ROWS).text
    assert "A second file was chosen, but the intruder is said to hold the original itself." in page
    assert len(desk.session.worker.calls) == taken
    assert received(desk) == []
    desk.session.worker.job.state = "running"
    assert "Another piece of work is running." in sent(desk, {"linker": "distance"}, file=ROWS).text
    desk.session.worker.job.state = "done"
