"""Where public files are found, and what is read of them."""

from __future__ import annotations

import pytest

from discreet.errors import DataError
from discreet.reproduction import public_files
from discreet.reproduction.public_files import DataFolder, MissingFileError, PublicFile


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setitem(public_files.PUBLIC, "toy", PublicFile("uci/toy.csv", 2, "a shop"))
    return tmp_path


def test_a_file_lies_in_its_subfolder_or_beside_it(folder, monkeypatch):
    assert DataFolder(folder).find("toy") is None
    (folder / "toy.csv").write_text("a,b\n1,x\n2,y\n")
    assert DataFolder(folder).find("toy") == folder / "toy.csv"
    (folder / "uci").mkdir()
    (folder / "uci" / "toy.csv").write_text("a,b\n3,x\n4,y\n")
    assert DataFolder(folder).find("toy") == folder / "uci" / "toy.csv"
    monkeypatch.setenv("DISCREET_DATA", str(folder))
    assert DataFolder().folder == folder
    assert DataFolder(folder / "uci").folder == folder / "uci"
    monkeypatch.delenv("DISCREET_DATA")
    assert DataFolder().folder is None
    assert DataFolder().find("toy") is None


def test_columns_are_numbers_and_words_have_codes(folder):
    with pytest.raises(MissingFileError, match=r"papers: needs file uci/toy.csv from a shop\."):
        DataFolder(folder).columns("toy")
    (folder / "toy.csv").write_text("a,b,c\n1,x,7\n2,y,8\n")
    data = DataFolder(folder)
    assert list(data.columns("toy")) == ["a", "b", "c"]
    assert data.numbers("toy", ["c", "a"]).tolist() == [[7.0, 1.0], [8.0, 2.0]]
    assert data.numbers("toy", ["a", "b"], {"x": 0.5, "y": -1.0}).tolist() == [[1.0, 0.5], [2.0, -1.0]]
    (folder / "toy.csv").write_text("a,b\n1,x\n2,y\n3,z\n")
    with pytest.raises(DataError, match=r"toy.csv has 3 records; the paper's has 2\."):
        DataFolder(folder).columns("toy")
