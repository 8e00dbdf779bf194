"""The door that written paths go through: what is refused, and that all files of a work come together or none."""

from __future__ import annotations

import pytest

from discreet.errors import FileError
from discreet.io.door import (
    check_folder,
    check_target,
    check_targets,
    content_of,
    is_same_file,
    named_at_once,
    put_in_place,
    written_together,
)


def test_one_file_by_whatever_name(tmp_path):
    one, other = tmp_path / "a.csv", tmp_path / "b.csv"
    one.write_text("1")
    other.write_text("1")
    assert not is_same_file(one, other)
    (tmp_path / "link.csv").symlink_to(one)
    assert is_same_file(one, tmp_path / "link.csv")
    assert is_same_file(tmp_path / "new.csv", tmp_path / "x" / ".." / "NEW.csv")
    assert is_same_file(tmp_path / "caf\u00e9.csv", tmp_path / "cafe\u0301.csv")
    assert not is_same_file(tmp_path / "new.csv", one)


def test_paths_that_cannot_be_written(tmp_path):
    source, folder = tmp_path / "in.csv", tmp_path / "folder"
    source.write_text("1")
    folder.mkdir()
    for path, inputs, message in [
        (tmp_path / "none" / "x.csv", (), "does not exist"),
        (folder, (), "is a folder"),
        (source, (source,), "is also an input"),
        (folder / "x.csv", (folder,), "lies in the input folder"),
    ]:
        with pytest.raises(FileError, match=message):
            check_target(path, inputs)
    assert check_target(tmp_path / "x.csv", (source, folder)) == tmp_path / "x.csv"
    assert check_target(source) == source
    with pytest.raises(FileError, match="are one file"):
        check_targets([tmp_path / "x.csv", tmp_path / "X.csv"])
    with pytest.raises(FileError, match="is also an input"):
        check_targets(iter([tmp_path / "x.csv", source]), iter([source]))
    check_targets([tmp_path / "x.csv", tmp_path / "y.csv"])


def test_folders_that_may_be_made(tmp_path):
    full, empty, file = tmp_path / "full", tmp_path / "empty", tmp_path / "file"
    full.mkdir()
    empty.mkdir()
    file.write_text("")
    (full / "x").write_text("")
    for path, inputs, message in [
        (full, (), "is not an empty folder"),
        (file, (), "is not an empty folder"),
        (tmp_path / "none" / "x", (), "does not exist"),
        (tmp_path / "full" / "new", (full,), "lies in the input folder"),
    ]:
        with pytest.raises(FileError, match=message):
            check_folder(path, inputs)
    assert check_folder(empty) == empty
    assert check_folder(tmp_path / "new") == tmp_path / "new"


def written(folder, name, text):
    temporary = folder / f".{name}.part"
    temporary.write_text(text)
    put_in_place(temporary, folder / name)


def test_files_get_their_names_together(tmp_path):
    names = [tmp_path / "a.csv", tmp_path / "b.csv"]
    with written_together(names):
        written(tmp_path, "a.csv", "1")
        assert not names[0].exists()
        assert content_of(names[0]).read_text() == "1"
        assert content_of(tmp_path / "c.csv") == tmp_path / "c.csv"
        with named_at_once():
            written(tmp_path, "own.csv", "3")
            assert (tmp_path / "own.csv").read_text() == "3"
        with written_together([names[1]]):
            written(tmp_path, "b.csv", "2")
        assert not names[1].exists()
    assert [path.read_text() for path in names] == ["1", "2"]
    assert content_of(names[0]) == names[0]
    written(tmp_path, "a.csv", "4")
    assert names[0].read_text() == "4"


def test_nothing_is_left_of_a_work_that_failed(tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("0")
    with pytest.raises(RuntimeError), written_together([tmp_path / "a.csv"]):
        written(tmp_path, "a.csv", "1")
        raise RuntimeError
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]
    with pytest.raises(FileError, match="written twice"), written_together([]):
        written(tmp_path, "a.csv", "1")
        written(tmp_path, "A.csv", "1")
    assert not (tmp_path / "a.csv").exists()
    with pytest.raises(FileError, match="is also an input"), written_together([source], [source]):
        pytest.fail("the block is not entered")
    with written_together([], [source]), pytest.raises(FileError, match="is also an input"):
        check_target(source)
    assert check_target(source) == source
    assert source.read_text() == "0"


def test_a_folder_takes_the_place_of_an_empty_one(tmp_path):
    target, temporary = tmp_path / "release", tmp_path / ".part"
    target.mkdir()
    temporary.mkdir()
    (temporary / "x").write_text("1")
    put_in_place(temporary, target)
    assert (target / "x").read_text() == "1"
    assert not temporary.exists()
