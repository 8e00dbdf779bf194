from __future__ import annotations

import pytest
from tests.engines.table_bodies import Fail, TableBodies

from discreet.engines.streaming import StreamingEngine


class TestLocal(TableBodies):
    @pytest.fixture(params=[(1, 1200), (2, 97), (3, 500)], ids=lambda p: f"{p[0]}x{p[1]}")
    def engine(self, request):
        return StreamingEngine(request.param[0], batch=request.param[1])


def test_temporary_files_are_removed_after_an_error(tmp_path):
    from tests.engines.table_bodies import Part, written

    source = written(tmp_path / "in")
    spill = tmp_path / "spill"
    spill.mkdir()
    engine = StreamingEngine(2, batch=100, folder=str(spill))
    parts = engine.apply(engine.open(source, ["wage"]), Part(), {"#row": "int", "wage": "float", "part": "int"})
    with pytest.raises(ValueError, match="secret"):
        engine.collect(engine.split(parts, "part", 7, Fail(), {"#row": "int"}))
    assert list(spill.iterdir()) == []
