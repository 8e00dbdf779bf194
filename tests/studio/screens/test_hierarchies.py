"""Hierarchies of a project: sent, built and forgotten, each for its attribute, and what is refused."""

from __future__ import annotations

import pytest

from discreet.studio.session_values import Declared

HERE = {"method": "hierarchy-recoding"}


def place(client, name):
    return str(client.session.schema.names.index(name))


def sent(client, name, text, ending=".csv", **further):
    """Send a file as the hierarchy of an attribute."""
    data = HERE | {"column": place(client, name) if name in client.session.schema else name} | further
    return client.post("/protect/tree", data, files={"tree": (f"t{ending}", text.encode())})


def received(client):
    """What was sent and is still there."""
    return [path for path in client.session.folder.rglob("t.*") if path.suffix in (".csv", ".grc", ".txt")]


def rows_of(client, name="WFUEL"):
    levels = client.session.schema[name].scale.levels
    return "".join(f"{level};{'first' if at % 2 else 'second'};any\n" for at, level in enumerate(levels))


def test_without_a_file_there_is_nothing_to_have_a_hierarchy(client):
    files = {"tree": ("t.csv", b"a;x\n")}
    assert str(client.post("/protect/tree", HERE | {"column": "0"}, files=files).url).endswith("/open")
    assert str(client.post("/protect/tree/build", HERE | {"column": "0"}).url).endswith("/open")
    assert client.post("/protect/tree/forget", HERE | {"column": "0"}).url.path.endswith("/open")
    assert client.session.trees == {}
    assert client.session.worker.job is None


def test_a_file_is_kept_for_its_attribute(desk):
    page = sent(desk, "WFUEL", rows_of(desk))
    assert page.url.path.endswith("/protect")
    assert page.url.query == b"method=hierarchy-recoding"
    levels = desk.session.schema["WFUEL"].scale.levels
    assert set(desk.session.trees) == {"WFUEL"}
    kept = desk.session.trees["WFUEL"]
    assert [row[0] for row in kept] == list(levels)
    assert [row[1:] for row in kept] == [["first" if at % 2 else "second", "any"] for at in range(len(levels))]
    assert f"Took a hierarchy of {len(levels)} rows for WFUEL." in str(desk.session.decisions)
    assert received(desk) == []  # what was sent is gone
    # Another one beside it, and one in its place.
    sent(desk, "WFUEL", rows_of(desk).replace("first", "third"))
    assert {row[1] for row in desk.session.trees["WFUEL"]} == {"third", "second"}


@pytest.mark.parametrize(("text", "words"), [
    ("a;x;p\nb;x;q\n", "belong to two different broader names"), ("a;x\nb\n", "equally long"), ("", "hierarch"),
])  # fmt: skip
def test_what_is_no_hierarchy_is_refused_and_gone(desk, text, words):
    page = sent(desk, "WFUEL", text)
    assert words in page.text
    assert desk.session.trees == {}
    assert received(desk) == []


def test_no_file_and_no_attribute_are_said(desk):
    page = desk.post("/protect/tree", HERE | {"column": place(desk, "WFUEL")}, files={"none": ("", b"")})
    assert "No file was chosen." in page.text
    for column in ("99", "-1", "", "x"):
        page = desk.post("/protect/tree", HERE | {"column": column}, files={"tree": ("t.csv", b"a;x\n")})
        assert "Choose the attribute that the hierarchy is for." in page.text
        page = desk.post("/protect/tree/build", HERE | {"column": column})
        assert "Choose the attribute that the hierarchy is for." in page.text
    assert desk.session.trees == {}


def test_a_row_that_comes_back_to_a_name_it_has_left_is_refused(desk):
    levels = desk.session.schema["WFUEL"].scale.levels
    text = "".join(f"{level};first;{level if at == 0 else 'any'};any\n" for at, level in enumerate(levels[:1]))
    text += "".join(f"{level};second;other;any\n" for level in levels[1:])
    page = sent(desk, "WFUEL", text)
    assert "come back to a name that they have left" in page.text or "rows come back" in page.text
    assert desk.session.trees == {}


def test_ranges_of_a_number_are_read_with_the_data(desk):
    schema = desk.session.schema
    number = next(n for n in schema.names if schema[n].scale.kind == "numeric" and schema[n].role == "key")
    taken = len(desk.session.worker.calls)
    sent(desk, number, "1: -500\n2: 501-\n", ".grc")
    call, arguments = desk.session.worker.calls[-1]
    assert len(desk.session.worker.calls) == taken + 1
    assert call == "read_tree"
    assert (arguments["column"], arguments["ending"], arguments["schema"]) == (number, ".grc", schema)
    assert arguments["text"] == "1: -500\n2: 501-\n"
    # What is no text of ours is said.
    page = desk.post(
        "/protect/tree", HERE | {"column": place(desk, number)}, files={"tree": ("t.grc", b"1: \xff\xfe-500\n")}
    )
    assert "The file cannot be read as UTF-8 text." in page.text
    assert len(desk.session.worker.calls) == taken + 1
    assert received(desk) == []


def test_one_is_built_from_the_data(desk):
    desk.post("/protect/tree/build", HERE | {"column": place(desk, "WFUEL"), "by": "frequency", "steps": "2"})
    call, arguments = desk.session.worker.calls[-1]
    assert call == "build_tree"
    assert (arguments["column"], arguments["by"], arguments["steps"]) == ("WFUEL", "frequency", "2")
    assert arguments["schema"] is desk.session.schema
    assert desk.session.worker.job.form["path"] == "/protect/tree/build"
    assert desk.session.worker.job.form["fields"]["steps"] == ["2"]
    assert {row[0] for row in desk.session.trees["WFUEL"]} <= set(desk.session.schema["WFUEL"].scale.levels)
    before = dict(desk.session.trees)
    desk.post("/protect/tree/build", HERE | {"column": place(desk, "WFUEL"), "by": "colour", "steps": "2"})
    assert desk.session.worker.job.state == "failed"
    assert desk.session.trees == before


def test_what_was_declared_otherwise_meanwhile_is_not_taken(desk):
    submit = desk.session.worker.submit

    def late(title, page, call, arguments, finish, *further, **options):
        desk.session.declared = Declared(desk.session.schema.with_roles(WFUEL="other"), {})
        return submit(title, page, call, arguments, finish, *further, **options)

    desk.session.worker.submit = late
    desk.post("/protect/tree/build", HERE | {"column": place(desk, "WFUEL"), "by": "frequency", "steps": "2"})
    assert desk.session.worker.calls[-1][0] == "build_tree"
    assert desk.session.worker.job.state == "done"
    assert desk.session.trees == {}


def test_one_is_forgotten_and_the_others_stay(desk):
    desk.session.trees = {"WFUEL": [["a", "b"]], "RENT": [["1", "2"]]}
    for column in ("99", "", place(desk, "BUILT")):
        desk.post("/protect/tree/forget", HERE | {"column": column})
    assert set(desk.session.trees) == {"WFUEL", "RENT"}
    page = desk.post("/protect/tree/forget", HERE | {"column": place(desk, "WFUEL")})
    assert page.url.query == b"method=hierarchy-recoding"
    assert set(desk.session.trees) == {"RENT"}
    assert "Forgot the hierarchy of WFUEL." in str(desk.session.decisions)


def test_only_methods_that_there_are_are_gone_back_to(desk):
    page = desk.post("/protect/tree/forget", {"method": "no-such", "column": place(desk, "WFUEL")})
    assert page.url.query == b"method="
