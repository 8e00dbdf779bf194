"""Folders of servers that were killed are removed, and nobody else's."""

from __future__ import annotations

import os
import stat

from discreet.studio.private_folder import PrivateFolder


def test_a_folder_is_private_and_goes_with_its_server(tmp_path):
    folder = PrivateFolder(tmp_path)
    (folder.path / "held.csv").write_text("x")
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert folder.removed == 0
    folder.close()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_server_left_is_removed_and_what_a_living_one_uses_is_not(tmp_path):
    living = PrivateFolder(tmp_path)
    dead = tmp_path / "discreet-studio-dead"
    dead.mkdir()
    (dead / "lock").write_text("")
    (dead / "held.csv").write_text("x")
    later = PrivateFolder(tmp_path)
    assert later.removed == 1
    assert not dead.exists()
    assert living.path.exists()
    later.close()
    living.close()


def test_links_files_and_other_names_are_left_alone(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "lock").write_text("")
    (tmp_path / "discreet-studio-link").symlink_to(elsewhere)
    (tmp_path / "discreet-studio-file").write_text("x")
    folder = PrivateFolder(tmp_path)
    assert folder.removed == 0
    assert (elsewhere / "lock").exists()
    folder.close()


def test_a_folder_without_a_lock_is_given_an_hour(tmp_path):
    young, old = tmp_path / "discreet-studio-young", tmp_path / "discreet-studio-old"
    for one, age in ((young, 3500), (old, 3700)):
        one.mkdir()
        moment = one.stat().st_mtime - age
        os.utime(one, (moment, moment))
    folder = PrivateFolder(tmp_path)
    assert (folder.removed, young.exists(), old.exists()) == (1, True, False)
    folder.close()
