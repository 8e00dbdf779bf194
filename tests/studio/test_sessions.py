"""What a project's folder holds after a crash: its own file and its releases, and nothing that was given up."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from discreet.studio.session_values import Given
from discreet.studio.sessions import Session


@pytest.mark.parametrize(("uploaded", "kept"), [(True, {"files-own", "release-1"}), (False, {"release-1"})])
def test_only_what_the_project_speaks_of_is_left(tmp_path, uploaded, kept):
    for name in ("files-own", "files-given-up", "release-1", "release-unfinished"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "data.csv").write_text("x")
    (tmp_path / "half.part").write_text("x")
    (tmp_path / "project.json").write_text("{}")
    given = Given("file", str(tmp_path / "files-own" / "data.csv"), "data.csv")
    project = SimpleNamespace(folder=tmp_path, given=given, uploaded=uploaded, releases=["release-1"])
    Session.clear_strangers(project)
    assert {path.name for path in tmp_path.iterdir()} == kept | {"project.json"}


def test_before_anything_is_opened_nothing_is_kept(tmp_path):
    (tmp_path / "files-given-up").mkdir()
    Session.clear_strangers(SimpleNamespace(folder=tmp_path, given=None, uploaded=True, releases=[]))
    assert list(tmp_path.iterdir()) == []
