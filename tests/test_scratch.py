"""Folders of temporary files: private, gone at the end, and cleared by whoever comes next; and disks that are full."""

from __future__ import annotations

import errno
import gc
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from discreet import scratch, workflow
from discreet.cli import main
from discreet.errors import FileError
from discreet.scratch import clear_stale, saying_if_full, scratch_folder

HOLDS = """
import sys, time
from discreet.scratch import scratch_folder
with scratch_folder(sys.argv[1]) as folder:
    (folder / "values.arrow").write_text("4711")
    print("working", flush=True)
    time.sleep(600)
"""

SMALL_DISK = """
import resource, sys
from discreet import catalogue, workflow
from discreet.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
sys.exit(main._code(sys.argv[1:]))
"""


def test_only_its_owner_may_enter_and_it_is_gone_at_the_end(tmp_path):
    with scratch_folder(tmp_path) as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not list(tmp_path.iterdir())


def test_what_a_killed_process_left_is_cleared_by_the_next_and_what_is_in_use_is_not(tmp_path):
    running = [
        subprocess.Popen([sys.executable, "-c", HOLDS, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    try:
        for process in running:
            assert process.stdout.readline().strip() == "working"
        running[0].send_signal(signal.SIGKILL)
        running[0].wait()
        assert len(list(tmp_path.iterdir())) == 2
        with scratch_folder(tmp_path):
            assert len(list(tmp_path.iterdir())) == 2, "one is in use, one is ours"
        assert len(list(tmp_path.iterdir())) == 1
    finally:
        for process in running:
            process.kill()
            process.communicate()
    clear_stale(tmp_path)
    assert not list(tmp_path.iterdir())


def test_links_and_strangers_are_left_alone(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "lock").touch()
    (tmp_path / "discreet-work-link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "discreet-work-file").touch()
    clear_stale(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"elsewhere", "discreet-work-link", "discreet-work-file"}


def fail(number):
    """Fail as a library does that tells of a full disk in its own words."""
    try:
        os.write(os.open(os.devnull, os.O_RDONLY), b"x")
    except OSError as error:
        error.errno = number
        raise RuntimeError("a library's own words") from error


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_says_so(tmp_path, number):
    with pytest.raises(FileError, match="no room left on the disk"), saying_if_full(tmp_path / "a.csv"):
        fail(number)


def test_other_errors_stay_what_they_are(tmp_path):
    with pytest.raises(ZeroDivisionError), saying_if_full(tmp_path / "a.csv"):
        1 / 0  # noqa: B018


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".arrow", ".xlsx", ".sav", ".dta"])
def test_a_file_that_does_not_fit_is_told_and_not_left(nursery, tmp_path, ending):
    workflow.write_dataset("business", tmp_path / "data.csv", n=3000)
    # Compiled here, where it can be kept for the next.
    workflow.protect(workflow.read(tmp_path / "data.csv", tmp_path / "data.toml"), "rank-swapping")
    before = {path.name for path in tmp_path.iterdir()}
    command = ["protect", "data.csv", "-s", "data.toml", "-m", "rank-swapping", "-o", f"o{ending}"]
    done = nursery.run(SMALL_DISK, command, tmp_path)
    assert done.returncode == 2, done.stderr
    assert "no room left on the disk" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["inspect", "data.csv", "--delimiter", "é"],
        ["inspect", "data.csv", "--delimiter", ""],
        ["inspect", "data.csv", "--encoding", "hex"],
        ["inspect", "data.csv", "--encoding", "utf-16"],
        ["inspect", "data.csv", "--encoding", "undefined"],
        ["compare", "data.csv", "-c", ""],
        ["demo", "-o", "data.csv", "--n", "20"],
        ["renumber", "data.csv", "--on", "EMPLOYEES", "-o", "data.csv"],
        ["protect", "data.csv", "-s", "missing.toml", "-o", "out.csv"],
        ["protect", "data.csv", "-s", "delimiter.toml", "-o", "out.csv"],
    ],
)
def test_bad_input_ends_with_two(tmp_path, monkeypatch, capsys, arguments):
    monkeypatch.chdir(tmp_path)
    workflow.write_dataset("business", "data.csv", n=30)
    text = (tmp_path / "data.toml").read_text()
    (tmp_path / "missing.toml").write_text(
        text.replace('role = "key"', 'role = "key"\nmissing = 9223372036854775808', 1)
    )
    sequence = '[[attribute]]\nname = "s"\nscale = "sequence"\nalphabet = ["a"]\ndelimiter = -1\n'
    (tmp_path / "delimiter.toml").write_text(text + sequence)
    assert main._code(arguments) == 2
    assert "defect" not in capsys.readouterr().err


def test_a_column_without_a_value_and_keys_without_a_number(tmp_path, monkeypatch):
    import pyarrow as pa
    import pyarrow.parquet as pq

    monkeypatch.chdir(tmp_path)
    words = [["u", "v", "w"][i * i % 3] for i in range(200)]
    pq.write_table(pa.table({"c": words, "n": pa.nulls(200), "d": words[::-1]}), "data.parquet")
    entry = '[[attribute]]\nname = "{}"\nscale = "{}"\nrole = "key"\nlevels = {}\n'
    levels = '["u", "v", "w"]'
    text = (
        entry.format("c", "nominal", levels)
        + entry.format("n", "ordinal", "[1, 2]")
        + entry.format("d", "nominal", levels)
    )
    (tmp_path / "data.toml").write_text(text)
    protect = ["protect", "data.parquet", "-s", "data.toml", "-m", "mixed-mdav", "--k", "3"]
    assert main._code([*protect, "-o", "out.parquet"]) == 0
    assert (
        main._code(
            [*protect, "--attributes", "c,d", "--engine", "streaming", "--block-size", "50", "-o", "large.parquet"]
        )
        == 0
    )


def test_a_folder_that_cannot_be_made_names_where(tmp_path, monkeypatch):
    with pytest.raises(FileError) as told:
        scratch._locked(tmp_path / "absent")
    assert str(told.value) == (
        f"No temporary folder can be made in {str(tmp_path / 'absent')!r}. Hint: Set TMPDIR to one."
    )
    monkeypatch.setattr(scratch.tempfile, "gettempdir", lambda: "/the/systems/own")

    def refused(**_):
        raise PermissionError

    monkeypatch.setattr(scratch.tempfile, "mkdtemp", refused)
    with pytest.raises(FileError, match=r"in '/the/systems/own'\."):
        scratch._locked(None)


def test_one_whose_lock_was_taken_meanwhile_is_left_for_another(tmp_path, monkeypatch):
    tried = []

    def second(lock):
        tried.append(lock)
        return len(tried) > 1

    monkeypatch.setattr(scratch, "_locks", second)
    folder, lock = scratch._locked(tmp_path)
    assert [one.closed for one in tried] == [True, False]
    assert (lock is tried[1], folder / "lock") == (True, Path(lock.name))
    assert len(list(tmp_path.iterdir())) == 2
    lock.close()


def test_a_lock_is_held_by_one_alone(tmp_path):
    with (tmp_path / "lock").open("w") as one, (tmp_path / "lock").open("w") as other:
        assert scratch._locks(one) is True
        assert scratch._locks(other) is False


def test_a_place_is_gone_when_it_is_closed_or_nobody_holds_it():
    closed, dropped = scratch.ScratchPlace(), scratch.ScratchPlace()
    folders = [closed.folder, dropped.folder]
    assert all(folder.is_dir() for folder in folders)
    closed.close()
    assert not folders[0].exists()
    closed.close()
    del dropped
    gc.collect()
    assert not folders[1].exists()


def test_a_full_disk_is_told_by_the_error_or_by_what_caused_it():
    full, other = OSError(errno.ENOSPC, "full"), OSError(errno.EIO, "broken")
    assert scratch.is_full(full)
    assert not scratch.is_full(other)
    assert not scratch.is_full(ValueError("full"))
    caused, met = ValueError("write failed"), ValueError("write failed")
    caused.__cause__ = other
    assert not scratch.is_full(caused)
    caused.__cause__, met.__context__ = full, full
    assert scratch.is_full(caused)
    assert scratch.is_full(met)


@pytest.mark.parametrize(("number", "room"), [(errno.ENOSPC, False), (errno.EDQUOT, False), (errno.EACCES, True)])
def test_a_little_more_is_tried_where_a_library_does_not_tell(tmp_path, monkeypatch, number, room):
    assert scratch._has_room(tmp_path) is True

    def refused(**_):
        raise OSError(number, "refused")

    monkeypatch.setattr(scratch.tempfile, "TemporaryFile", refused)
    assert scratch._has_room(tmp_path) is room
    kind = RuntimeError if room else FileError
    with pytest.raises(kind), saying_if_full(tmp_path / "file.csv"):
        raise RuntimeError("could not write")
    for passing in (MemoryError(), FileError("no")):
        with pytest.raises(type(passing)) as told, saying_if_full(tmp_path):
            raise passing
        assert told.value is passing
