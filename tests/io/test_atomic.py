from __future__ import annotations

import pytest

from discreet.errors import FileError
from discreet.io.atomic import check_target, whole_file, write_text


def test_a_failing_block_leaves_nothing_behind(tmp_path):
    target = tmp_path / "out.txt"
    for error in (RuntimeError, KeyboardInterrupt):
        with pytest.raises(error), whole_file(target) as temporary:
            temporary.write_text("half")
            raise error
        assert list(tmp_path.iterdir()) == []


def test_a_failing_block_leaves_the_old_file_alone(tmp_path):
    target = tmp_path / "out.txt"
    target.write_text("old")
    with pytest.raises(RuntimeError), whole_file(target) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert target.read_text() == "old"
    write_text(target, "new")
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


def test_never_over_an_input_by_any_name(tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("x")
    (tmp_path / "link.csv").symlink_to(source)
    (tmp_path / "hard.csv").hardlink_to(source)
    for name in ("in.csv", "link.csv", "hard.csv", "../" + tmp_path.name + "/in.csv"):
        with pytest.raises(FileError, match="also an input"):
            check_target(tmp_path / name, [source])


def test_missing_folder_and_folder(tmp_path):
    with pytest.raises(FileError, match="folder .* does not exist"):
        check_target(tmp_path / "none" / "out.csv")
    with pytest.raises(FileError, match="is a folder"):
        check_target(tmp_path)


def test_permissions_follow_the_umask(tmp_path):
    write_text(tmp_path / "a", "x")
    (tmp_path / "b").write_text("x")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode
