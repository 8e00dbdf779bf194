from __future__ import annotations

import tempfile

import pytest
from tests.stand_ins import instead

from discreet.errors import FileError
from discreet.io import atomic
from discreet.io.atomic import check_target, looked_at, whole_file, whole_folder, write_text


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


def test_what_is_written_is_looked_at_before_it_is_put_in_place(tmp_path):
    seen = []

    def look(path):
        seen.append(path.read_text())
        assert path.name.startswith(".a.txt.")
        assert path.suffix == ".part"
        assert path.parent == tmp_path
        assert not (tmp_path / "a.txt").exists()

    with looked_at(look):
        write_text(tmp_path / "a.txt", "ü\n")
    assert seen == ["ü\n"]
    assert (tmp_path / "a.txt").read_bytes() == "ü\n".encode()
    write_text(tmp_path / "a.txt", "x")
    assert len(seen) == 1, "outside the block nobody looks"

    def refuse(path):
        raise FileError("broken")

    with pytest.raises(FileError, match="broken"), looked_at(refuse):
        write_text(tmp_path / "b.txt", "x")
    with pytest.raises(FileError, match="broken"), looked_at(refuse), whole_folder(tmp_path / "c") as folder:
        (folder / "x").write_text("x")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    with pytest.raises(RuntimeError, match="without being looked at"), looked_at(look):
        pass
    with pytest.raises(KeyError), looked_at(look):
        raise KeyError


def test_a_folder_comes_whole_with_the_rights_of_any_other(tmp_path):
    with whole_folder(tmp_path / "out") as folder:
        assert (folder.parent, folder.name[:5], folder.suffix) == (tmp_path, ".out.", ".part")
        (folder / "x").write_text("1")
        assert not (tmp_path / "out").exists()
    (tmp_path / "other").mkdir()
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "other").stat().st_mode
    assert (tmp_path / "out" / "x").read_text() == "1"
    with pytest.raises(RuntimeError), whole_folder(tmp_path / "half") as folder:
        (folder / "x").write_text("1")
        raise RuntimeError
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "out"]


def test_a_long_name_is_cut_and_a_folder_that_refuses_is_named(tmp_path, monkeypatch):
    with whole_file(tmp_path / ("n" * 200)) as temporary:
        assert temporary.name.startswith(f".{'n' * 40}.")
    assert (tmp_path / ("n" * 200)).is_file()

    def refuse(**_):
        raise PermissionError

    monkeypatch.setattr(atomic, "tempfile", instead(tempfile, mkstemp=refuse))
    with pytest.raises(FileError, match=f"The folder {str(tmp_path)!r} cannot be written to"):
        write_text(tmp_path / "a", "x")
