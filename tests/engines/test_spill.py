"""Records put into buckets on disk and taken back in the order in which they came."""

from __future__ import annotations

import numpy as np

from discreet.engines.spill import Spill


def test_records_come_back_by_bucket_in_their_order(tmp_path):
    spill = Spill(tmp_path, {"x": "float", "row": "int"}, 4)
    assert spill.buckets == 4
    spill.add({"x": np.array([0.5, 1.5, 2.5, 3.5]), "row": np.arange(4)}, np.array([2, 0, 2, 0]))
    spill.add({"x": np.array([4.5, 5.5]), "row": np.array([4, 5])}, np.array([3, 2]))
    spill.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.arrow", "2.arrow", "3.arrow"]
    found = {bucket: spill.take(bucket) for bucket in range(4)}
    assert found[0]["x"].tolist() == [1.5, 3.5]
    assert found[2]["row"].tolist() == [0, 2, 5]
    assert found[3]["x"].tolist() == [4.5]
    assert {name: column.tolist() for name, column in found[1].items()} == {"x": [], "row": []}
    assert list(tmp_path.iterdir()) == []
