from __future__ import annotations

from types import SimpleNamespace

import pytest

from discreet.errors import DiscreetError, FileError
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


def test_every_example_is_tried_on_each_sample_until_one_fits(monkeypatch, tmp_path):
    told, masked = [], []

    class Fussy:
        def __init__(self, name, wanted):
            self.name, self.wanted = name, wanted

        def mask(self, sample):
            masked.append((self.name, sample))
            if sample not in self.wanted:
                raise DiscreetError("of another kind")

    examples = [Fussy("a", ["homes"]), Fussy("b", ["firms"]), Fussy("c", [])]
    counts = iter([{"read": 2, "compiled": 3}, {"read": 7, "compiled": 4}])
    monkeypatch.setattr(warming, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(warming, "cached_calls", lambda: next(counts))
    monkeypatch.setattr(warming, "business", lambda *_: "firms")
    monkeypatch.setattr(warming, "housing", lambda *_: "homes")
    monkeypatch.setattr(warming, "protect", lambda sample, method, k: (sample, method, k))
    monkeypatch.setattr(warming, "assess", lambda *parts: masked.append(parts))
    monkeypatch.setattr(warming, "maskers", lambda: {"x": SimpleNamespace(examples=lambda: examples)})
    monkeypatch.setattr(warming, "report", lambda *parts: told.append(parts))
    assert warming.warm(every=True) == (tmp_path, {"read": 5, "compiled": 1})
    assert masked == [
        ("firms", ("firms", "mdav", 3)), ("homes", ("homes", "mdav", 3)), ("a", "firms"), ("a", "homes"),
        ("b", "firms"), ("c", "firms"), ("c", "homes"),
    ]  # fmt: skip
    assert told == [("compiling", number, 5) for number in range(1, 6)]


def test_without_a_folder_nothing_is_compiled(monkeypatch):
    monkeypatch.setattr(warming, "cache_folder", lambda: None)
    monkeypatch.setattr(warming, "assess", None)
    with pytest.raises(FileError, match="There is no folder for compiled code"):
        warming.warm()
