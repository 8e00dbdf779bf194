"""What is gathered of another tool's file: columns once, remarks as they came."""

from __future__ import annotations

from discreet.release.imported import Imported, Unread


def test_columns_are_declared_once_and_in_order():
    imported = Imported("sdcMicro")
    imported.declare("keys", ["age", 3, "age"])
    imported.declare("keys", ["sex", "age", 3])
    imported.declare("weight", ["w"])
    assert imported.columns == {"keys": ["age", 3, "sex"], "weight": ["w"]}
    imported.declare("strata", [])
    assert imported.columns["strata"] == []


def test_what_is_skipped_is_remembered_with_its_reason():
    imported = Imported("ARX")
    imported.skip("line 3", "pca", "no equivalent")
    imported.skip("line 9", "plot", "a picture")
    assert imported.unread == [Unread("line 3", "pca", "no equivalent"), Unread("line 9", "plot", "a picture")]
    assert [str(one) for one in imported.unread] == ["line 3: pca: no equivalent", "line 9: plot: a picture"]


def test_two_files_share_nothing():
    first, second = Imported("a"), Imported("b")
    first.declare("keys", ["x"])
    first.skip("here", "this", "so")
    first.files["d.csv"] = b"x,y"
    assert (second.columns, second.unread, second.files, second.steps, second.layout) == ({}, [], {}, [], {})
    assert (first.data, first.thresholds, first.sets) == ("", {}, {})
    assert "x,y" not in repr(first)  # what it holds of data is not shown
