"""Bands and hierarchies in the studio: typed, sent, built, used, kept, and refused in a sentence."""

from __future__ import annotations

from discreet.studio.sessions import Session


def place(client, name):
    return str(client.session.schema.names.index(name))


def take(client, path, data):
    client.post(path, data)
    job = client.wait()
    assert job.state == "done", job.message
    return client.get("/protect")


def test_numbers_are_put_into_bands_by_a_form(client):
    client.open_sample("business", 60)
    page = client.get("/protect?method=banding").text
    assert 'name="p-bands"' in page
    data = {"method": "banding", "p-bands": "EMPLOYEES=<10,50,250+; TURNOVER=nice:5", "p-release": "label"}
    page = take(client, "/protect/add", data).text
    assert "banding" in page
    step = client.session.history.steps[0]
    assert step.parameters["bands"] == {"EMPLOYEES": "<10,50,250+", "TURNOVER": "nice:5"}
    client.post("/protect/add", {"method": "banding", "p-bands": "RESEARCH=50,10"})
    assert client.wait().state == "failed"
    assert "must ascend" in client.get("/protect?method=banding").text


def test_a_hierarchy_is_sent_and_another_built_and_both_are_used(client):
    client.open_sample("housing", 60)
    schema = client.session.schema
    fuel, number = (
        "WFUEL",
        next(n for n in schema.names if schema[n].scale.kind == "numeric" and schema[n].role == "key"),
    )
    page = client.get("/protect?method=hierarchy-recoding").text
    assert "There is none yet" in page
    refused = client.post("/protect/add", {"method": "hierarchy-recoding"})
    assert "there is no hierarchy yet" in refused.text
    rows = "".join(
        f"{level};{'first' if at % 2 else 'second'};any\n" for at, level in enumerate(schema[fuel].scale.levels)
    )
    sent = {"method": "hierarchy-recoding", "column": place(client, fuel)}
    page = client.post("/protect/tree", sent, files={"tree": ("fuel.csv", rows.encode())}).text
    assert f"<b>{fuel}</b> {len(schema[fuel].scale.levels)} rows, 2 steps" in page
    take(client, "/protect/tree/build", {"method": "hierarchy-recoding", "column": place(client, number), "steps": ""})
    assert set(client.session.trees) == {fuel, number}
    page = take(client, "/protect/add", {"method": "hierarchy-recoding", "p-step": "2"}).text
    assert f"hierarchies={fuel}, {number}" in page or f"hierarchies={number}, {fuel}" in page
    provenance = client.session.result.provenance
    assert provenance["changed_cells"][fuel] == 60
    # The protocol holds the rows, and a project that is read again has them.
    assert "first" in client.session.protocol().to_toml()
    again = Session(client.session.key, "x", client.session.folder)
    again.load()
    assert again.trees == client.session.trees
    client.post("/protect/tree/forget", {"method": "hierarchy-recoding", "column": place(client, fuel)})
    assert set(client.session.trees) == {number}


def test_a_file_that_is_no_hierarchy_is_refused(client):
    client.open_sample("housing", 60)
    column = {"method": "hierarchy-recoding", "column": place(client, "WFUEL")}
    for text, sentence in (("a;x;p\nb;x;q\n", "belong to two different broader names"), ("a;x\nb\n", "equally long")):
        page = client.post("/protect/tree", column, files={"tree": ("t.csv", text.encode())}).text
        assert sentence in page
    page = client.post("/protect/tree", column | {"column": "99"}, files={"tree": ("t.csv", b"a;x\n")}).text
    assert "Choose the attribute" in page
    assert client.session.trees == {}


def test_the_lattice_is_shown_with_the_settings_of_the_form(client):
    client.open_sample("housing", 60)
    levels = client.session.schema["WFUEL"].scale.levels
    rows = "".join(f"{level};{'first' if at % 2 else 'second'};any\n" for at, level in enumerate(levels))
    sent = {"method": "generalisation", "column": place(client, "WFUEL")}
    client.post("/protect/tree", sent, files={"tree": ("fuel.csv", rows.encode())})
    assert "Show all combinations of steps" in client.get("/protect?method=generalisation").text
    client.post("/protect/lattice", {"method": "generalisation", "p-k": "3", "p-suppression": "0.1"})
    assert client.wait().state == "done"
    page = client.get("/protect?method=generalisation").text
    assert "All 3 combinations of steps were looked at" in page
    assert "yes, and costs least" in page
    client.post("/protect/lattice", {"method": "generalisation", "p-k": "one"})
    assert "k must be" in client.get("/protect?method=generalisation").text


def test_a_recode_file_with_open_ranges_is_read_with_the_numbers_of_the_column(client):
    client.open_sample("business", 60)
    sent = {"method": "generalisation", "column": place(client, "EMPLOYEES")}
    text = "1: -49\n2: 50-249\n3: 250-\n"
    client.post("/protect/tree", sent, files={"tree": ("size.grc", text.encode())})
    assert client.wait().state == "done"
    assert {row[1] for row in client.session.trees["EMPLOYEES"]} <= {"1", "2", "3"}
    assert len(client.session.trees["EMPLOYEES"]) > 3


def test_numbers_with_a_hierarchy_are_searched_with_what_is_ticked(client):
    client.open_sample("housing", 60)
    schema = client.session.schema
    number = next(n for n in schema.names if schema[n].scale.kind == "numeric" and schema[n].role == "key")
    take(client, "/protect/tree/build", {"method": "generalisation", "column": place(client, number), "steps": ""})
    sent = {"method": "generalisation", "p-k": "2", "p-suppression": "1", "p-attributes": [place(client, "WFUEL")]}
    client.post("/protect/lattice", sent)
    assert client.wait().state == "done"
    assert set(client.session.lattice["keys"]) == {"WFUEL", number}
