from __future__ import annotations

import json

from tests.cli.test_manners import discreet

from discreet import workflow
from discreet.release import warming


def test_it_says_what_was_compiled_and_where(monkeypatch, tmp_path):
    monkeypatch.setattr(workflow, "warm", lambda every: (tmp_path, {"read": 2, "compiled": 3 + every}))
    code, out, _ = discreet("warm", cwd=tmp_path)
    assert code == 0
    assert " ".join(out.split()).startswith("3 loops compiled, 2 were there; kept in ")
    code, out, _ = discreet("warm", "--all", "--json", cwd=tmp_path)
    assert json.loads(out) == {"folder": str(tmp_path), "read": 2, "compiled": 4}
    assert discreet("warm", "-q", cwd=tmp_path) == (0, "", "")


def test_a_folder_that_is_not_safe_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(warming, "cache_folder", lambda: None)
    code, _, err = discreet("warm", cwd=tmp_path)
    assert code == 2
    assert "nobody but its owner can write to" in err
    assert "DISCREET_CACHE_DIR" in err
