from __future__ import annotations

from discreet.kernels import jit
from discreet.release import warming


def test_the_usual_work_is_done_by_kernels(monkeypatch, tmp_path):
    eager = []
    monkeypatch.setattr(warming, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(warming, "protect", lambda sample, *_, **__: sample)
    monkeypatch.setattr(warming, "assess", lambda *_: eager.append(jit._eager))
    folder, kernels = warming.warm()
    assert (folder, eager) == (tmp_path, [True, True])
    assert kernels == {"read": 0, "compiled": 0}
    assert not jit._eager
