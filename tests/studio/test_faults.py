"""What once went wrong: names, workbooks, full disks and addresses that nobody expects."""

from __future__ import annotations

import errno
import io
import json
import os
import stat
import zipfile

import pytest

from discreet.studio import sessions
from discreet.studio.desk import Desk
from discreet.studio.jobs import full_disk
from discreet.studio.keeping import pack, unpack
from discreet.studio.session_values import Answer, Given
from discreet.workflow import Step

ROWS = 60
CANARY = "canary-7391"


def table(*names):
    head = ",".join(f'"{name}"' for name in names)
    return (head + "\n" + "".join(f"t{i % 3},v{i % 7},{i * 13 % 97}\n" for i in range(ROWS))).encode()


def open_table(client, data, name="survey.csv"):
    client.post("/open/file", files={"file": (name, data)})
    assert client.wait().state == "done", client.session.worker.job.message


def protect(client, data):
    client.post("/protect/add", data)
    assert client.wait().state == "done", client.session.worker.job.message


def test_names_with_signs_of_a_pattern_are_protected_and_reported(client):
    open_table(client, table("dept\\x", "a\\g<0>{x}", "50%\\1\\"))
    protect(client, {"method": "rank-swapping", "p-p": "20"})
    client.post("/release", {"ending": ".csv"})
    assert client.wait().state == "done", client.session.worker.job.message
    assert client.get("/release/file/internal").status_code == 200


def test_a_name_with_a_line_break_can_be_masked(client):
    open_table(client, table("kind\nof work", "dept", "n"))
    text = client.get("/protect?method=mondrian").text
    assert 'name="p-attributes" value="0"' in text, "attributes are ticked by place: a browser changes line breaks"
    protect(client, {"method": "mondrian", "p-k": "3", "p-attributes": "0"})
    assert client.session.history.steps[0].parameters["attributes"] == ["kind\nof work"]
    client.post("/release", {"ending": ".csv"})
    assert client.wait().state == "done", client.session.worker.job.message


def workbook(cells):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
        archive.writestr("xl/worksheets/sheet1.xml", b"<worksheet><sheetData>" + cells + b"</sheetData></worksheet>")
    return content.getvalue()


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (b'<c r="A1"><v>1</v></c><c r="XFD1048576"><v>1</v></c>', "spans"),
        (b"<c><v>1</v></c>" * 8_000_000, "would expand"),
    ],
)
def test_a_workbook_that_would_fill_the_memory_is_refused(tmp_path, cells, message):
    from discreet.errors import FileError
    from discreet.io.workbooks import check_workbook

    path = tmp_path / "small.xlsx"
    path.write_bytes(workbook(cells))
    assert path.stat().st_size < 2**20
    with pytest.raises(FileError, match=message):
        check_workbook(path)
    fine = tmp_path / "fine.xlsx"
    fine.write_bytes(workbook(b'<c r="A1"><v>1</v></c><c r="B2"><v>1</v></c>'))
    check_workbook(fine)


def test_a_workbook_that_lies_about_its_size_is_refused(tmp_path):
    from discreet.errors import FileError
    from discreet.io.workbooks import check_workbook

    honest = workbook(b'<c r="A1"><v>1</v></c>' * 1000)
    with zipfile.ZipFile(io.BytesIO(honest)) as archive:
        size = archive.getinfo("xl/worksheets/sheet1.xml").file_size.to_bytes(4, "little")
    path = tmp_path / "liar.xlsx"
    path.write_bytes(honest.replace(size, (100).to_bytes(4, "little")))
    with pytest.raises(FileError, match="cannot be read|not an Excel workbook"):
        check_workbook(path)


def test_a_full_disk_is_said():
    assert "disk is full" in full_disk(OSError(errno.ENOSPC, "x"))[0]
    assert "disk is full" in full_disk(RuntimeError("IO error: No space left on device (os error 28)"))[0]
    assert full_disk(ValueError("something else")) is None
    assert full_disk(OSError(errno.EACCES, "x")) is None


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")  # noqa: PTH110
def test_a_project_that_cannot_be_saved_says_so_and_goes_on(client, monkeypatch):
    client.open_sample("business", 60)

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(sessions, "_write", full)
    client.session.save()
    answer = client.get("/declare")
    assert answer.status_code == 200
    assert "The project could not be saved (no space left on device)" in answer.text
    monkeypatch.undo()
    client.session.save()
    assert "could not be saved" not in client.get("/declare").text


def test_an_upload_onto_a_full_disk_is_told_in_a_page(client, monkeypatch):
    from discreet.studio import forms

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(forms.tempfile, "mkdtemp", full)
    answer = client.post("/open/file", files={"file": ("a.csv", b"a\n1\n")})
    assert answer.status_code == 507
    assert "The disk is full" in answer.text
    assert "defect" not in answer.text


def test_the_page_for_a_file_that_is_too_large_is_a_page(client):
    answer = client.post("/open/file", files={"file": ("big.csv", b"a,b\n" + b"1,2\n" * 1_500_000)})
    assert answer.status_code == 413
    assert "studio.css" in answer.text
    assert "The file is too large" in answer.text
    assert f'href="{client.session.root}/open"' in answer.text


def test_an_address_with_nonsense_gets_a_page(client):
    client.open_sample("business", 60)
    for path in ("/compare?point=abc", "/compare?point=9e9", "/open?rows=x", "/protect/chart/abc.svg",
                 "/compare?point=-7", "/protect?method=%00", "/attack?linker=none"):  # fmt: skip
        answer = client.get(path)
        assert answer.status_code in {200, 404}
        assert answer.headers["content-type"].startswith("text/html")
        assert "<h1>" in answer.text


@pytest.mark.parametrize("text", ["a = " + "[" * 100_000, "a = " + "{b=" * 100_000, "seed = " + "9" * 5000])
def test_a_protocol_that_goes_on_for_ever_is_refused(client, text):
    answer = client.post(
        "/open/file", files={"file": ("t.csv", b"town\na\nb\na\n"), "protocol": ("p.toml", text.encode())}
    )
    assert answer.status_code == 200
    assert "nested too deeply" in answer.text or "not valid TOML" in answer.text
    assert not list(client.session.folder.rglob("data*"))


def test_a_second_file_without_its_tick_is_not_passed_over(client):
    client.open_sample("business", 60)
    data = {"linker": "distance", "held": "original", "known-1": "1"}
    answer = client.post("/attack", data, files={"file": ("register.csv", table("a", "b", "n"))})
    assert "A second file was chosen, but" in answer.text
    assert client.session.attacked is None
    assert not list(client.running.studio.scratch.path.rglob("data*")), "and it is removed"


def test_a_release_with_suppressed_values_can_be_attacked(tmp_path):
    data = tmp_path / "a.csv"
    data.write_bytes(table("dept", "kind", "n"))
    desk, given = Desk(), Given("file", str(data), "a.csv")
    schema = desk.open(given).schema
    schema = desk.declare(given, schema, {a.name: Answer("key", a.scale.kind) for a in schema}).schema
    steps = [Step("local-suppression", {"k": 3})]
    for linker in ("distance", "probabilistic"):
        found = desk.attack(given, schema, steps, 1, linker, {})
        assert found.rate is not None
        assert set(found.known) | set(found.left_out) == {"dept", "kind", "n"}
        assert set(found.known).isdisjoint(found.left_out)


# ------------------------------------------------------------------------------------------------- what is on disk


def test_nothing_of_a_record_is_in_the_files_of_a_project(client, tmp_path):
    rows = "".join(f"t{i % 3},{CANARY}-{i},{i}.5,{1000 + i}\n" for i in range(ROWS))
    data = tmp_path / "survey.csv"
    data.write_text(f"town,name,share,income\n{rows}")
    client.post("/open/path", {"path": str(data)})
    assert client.wait().state == "done", client.session.worker.job.message
    client.post("/declare", {"role-0": "key", "role-1": "identifier", "role-2": "key", "role-3": "confidential"})
    assert client.wait().state == "done", client.session.worker.job.message
    client.post("/risk")
    client.wait()
    protect(client, {"method": "mdav", "p-k": "5", "p-attributes": "2"})
    client.post("/attack", {"linker": "distance", "held": "original", "known-2": "1"}, files={"none": (None, "")})
    assert client.wait().state == "done", client.session.worker.job.message
    folder = client.session.folder
    assert not list(folder.rglob("data*")), "the data stay where they are"
    for path in folder.rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert CANARY not in text, path.name
            assert "1037" not in text, path.name
            if os.name == "posix":
                assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0 or path.name == "lock"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    kept = json.loads((folder / "project.json").read_text())
    assert kept["given"]["where"] == str(data.resolve())
    assert len(kept["opened"]["identity"]["map"]["sha256"]) == 64


def test_the_protocol_in_the_folder_runs(client, tmp_path):
    from discreet import workflow

    data = tmp_path / "survey.csv"
    data.write_bytes(table("dept", "kind", "n"))
    client.post("/open/path", {"path": str(data)})
    client.wait()
    protect(client, {"method": "rank-swapping", "p-p": "20"})
    protocol = workflow.load_protocol(client.session.folder / "protocol.toml")
    assert [step.method for step in protocol.steps] == ["rank-swapping"]
    assert protocol.seed == client.session.seed
    assert protocol.seed > 1, "drawn, not proposed"
    assert 'placeholder="drawn"' in client.get("/release").text
    assert str(client.session.seed) not in client.get("/release").text, "a seed that was drawn is not shown about"


def test_two_projects_draw_different_seeds(client, another):
    for one in (client, another):
        one.open_sample("business", 60)
        protect(one, {"method": "rank-swapping", "p-p": "20"})
    assert client.session.seed != another.session.seed


def test_a_file_that_changed_or_went_is_said(client, tmp_path):
    data = tmp_path / "survey.csv"
    data.write_bytes(table("dept", "kind", "n"))
    client.post("/open/path", {"path": str(data)})
    client.wait()
    protect(client, {"method": "rank-swapping", "p-p": "20"})
    os.utime(data, (1, 1))
    assert "has changed since" in client.get("/open").text
    client.post("/open/again")
    client.wait()
    assert client.session.result is not None, "only its time had changed"
    moved = data.rename(tmp_path / "moved.csv")
    assert "not where it was" in client.get("/open").text
    client.post("/open/again", {"path": str(moved)})
    assert client.wait().state == "done", client.session.worker.job.message
    assert client.session.given.where == str(moved.resolve())
    assert client.session.result is not None, "it is the same file"
    moved.write_bytes(table("dept", "kind", "n").replace(b"t1", b"t2"))
    assert "it has changed, or is not where it was" in client.post("/risk").text, "no figures of two files"
    client.post("/open/again")
    assert client.wait().state == "done", client.session.worker.job.message
    assert client.session.result is None, "what was measured was measured on another file"
    assert len(client.session.history.steps) == 1, "the steps are kept"


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "/",
        "/dev/zero.csv",
        "/etc/passwd",
        "relative.csv",
        "/nowhere/a.csv",
        "\x00.csv",
        "/" + "a" * 5000 + ".csv",
        "~nobody-of-that-name/a.csv",
    ],
)
def test_a_path_that_is_no_table_is_refused(client, typed):
    answer = client.post("/open/path", {"path": typed})
    assert answer.status_code == 200
    assert 'class="wrong"' in answer.text or 'class="notice error"' in answer.text
    assert client.session.given is None


def test_what_is_kept_comes_back():
    given = Given("sample", "business", "sample: business", n=60)
    desk = Desk()
    opened = desk.open(given)
    risk = desk.risk(given, opened.schema)
    protected = desk.protect(given, opened.schema, [Step("rank-swapping", {"p": 20.0})], 5)
    for value in (given, opened, risk, protected):
        back = unpack(json.loads(json.dumps(pack(value))))
        assert pack(back) == pack(value)
    assert unpack(pack(opened)).rows == ()
    assert unpack(pack(protected)).charts == ()
    assert unpack(pack({"is": 1, "map": 2})) == {"is": 1, "map": 2}, "a column may be called anything"


def test_a_project_of_another_making_is_said_and_not_lost(client):
    projects = client.running.studio.projects
    client.open_sample("business", 60)
    session = client.session
    projects.put_away(session)
    (session.folder / "project.json").write_text('{"format": 99}')
    answer = client.get("/open")
    assert answer.status_code == 409
    assert "cannot be read" in answer.text
    assert (session.folder / "protocol.toml").exists()
    assert [one.readable for one in projects.list() if one.key == session.key] == [False]
    projects.discard(session.key)


def test_two_servers_do_not_work_on_one_project(client):
    from discreet.errors import FileError
    from discreet.studio.projects import Projects

    client.open_sample("business", 60)
    other = Projects(client.running.folder, secret=b"y" * 32, warm=False)
    with pytest.raises(FileError, match="Another studio"):
        other.find(client.session.key)
    with pytest.raises(FileError, match="Another studio"):
        other.discard(client.session.key)


# --------------------------------------------------------------------------------------------------- who is let in


def test_a_restarted_server_knows_its_browsers_and_keeps_no_cookie(tmp_path):
    from discreet.studio.browsers import Browsers

    file = tmp_path / ".studio-1.json"
    first = Browsers(file, lasting=100.0)
    cookie = first.admit()
    again = Browsers(file, lasting=100.0)
    assert (again.root, again.secret) == (first.root, first.secret)
    assert again.knows(cookie)
    assert not again.knows(cookie + "x")
    assert not again.knows("")
    assert cookie not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    again.dismiss(cookie)
    other = Browsers(file, lasting=100.0)
    assert not other.knows(cookie)
    assert other.root != first.root, "an address that nobody uses is not used again"
    assert not Browsers(file, lasting=-1.0).knows(other.admit())


def test_a_study_that_was_stopped_goes_on_and_one_that_was_run_is_there_at_once(tmp_path):
    from discreet.studio.controls import read_candidates
    from discreet.studio.desk import stored_study

    desk, told = Desk(), []
    given = Given("sample", "business", "sample: business", n=60)
    schema = desk.open(given).schema
    candidates, store = read_candidates("rounding", {}) + read_candidates("mdav", {"k": ["3, 4"]}), tmp_path / "s.jsonl"
    whole = desk.compare(given, schema, candidates, 1, 5, str(store))
    lines = store.read_bytes().splitlines(keepends=True)
    store.write_bytes(b"".join(lines[:-1]) + lines[-1][:20])  # killed in the middle of a row
    assert stored_study(store, 3).done == 2
    desk.tell = told.append
    assert desk.compare(given, schema, candidates, 1, 5, str(store)) == whole
    assert [found.done for found in told] == [2, 3], "what was finished is not run again"
    assert stored_study(tmp_path / "none.jsonl", 3) is None
