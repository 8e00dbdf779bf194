"""The input is never touched, and an output is written whole or not at all."""

from __future__ import annotations

import hashlib

import pytest
from tests.promises import judge, releases, tables

LIMITED = """
import resource, sys
from discreet.cli.main import run
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))  # a disk that is full after four kilobytes
sys.argv = ["discreet", *sys.argv[1:]]
run()
"""


@pytest.mark.parametrize("case", releases.CASES)
def test_the_file_that_was_read_has_its_bytes(case):
    release = releases.released(case)
    assert hashlib.sha256(release.original.read_bytes()).hexdigest() == release.digest
    assert judge.read_cells(release.original)[1], "and can be read"


@pytest.mark.parametrize("case", releases.CASES)
def test_a_release_is_whole(case):
    release = releases.released(case)
    if release.written is None:
        assert not (releases.folder() / "out" / f"{case.id}.{case.format}").exists()
        return
    header, rows = release.after
    assert all(len(row) == len(header) for row in rows)
    assert len(rows) == len(release.masked)
    assert {row[header.index("serial")] for row in rows} <= set(judge.column(release.before, "serial"))


@pytest.mark.parametrize("ending", tables.FORMATS)
def test_nothing_is_written_over_an_input(ending, tmp_path):
    path = tables.write(tables.survey(60), tmp_path / f"survey.{ending}")
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    for target in (path, path.with_suffix(".toml")):
        code = releases.discreet("protect", path, "-s", path.with_suffix(".toml"), "-o", target, "--quiet")
        assert code == 2
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("ending", "old"),
    [("csv", None), *((ending, b"what was there before") for ending in ("csv", "parquet", "xlsx", "sav"))],
)
def test_a_full_disk_leaves_the_old_file_or_none(nursery, ending, old, tmp_path):
    path = tables.write(tables.survey(400), tmp_path / f"survey.{ending}")
    target = tmp_path / f"out.{ending}"
    if old is not None:
        target.write_bytes(old)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    command = ["protect", path, "-s", path.with_suffix(".toml"), "--method", "identifiers", "-o", target]
    ended = nursery.run(LIMITED, command, tmp_path)
    assert ended.returncode == 2
    assert "no room left on the disk" in ended.stderr
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before
