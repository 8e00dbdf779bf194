from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
specification = importlib.util.spec_from_file_location("check_rooms", ROOT / "tools" / "check_rooms.py")
check_rooms = importlib.util.module_from_spec(specification)
specification.loader.exec_module(check_rooms)


def violations(tmp_path, where, code):
    path = tmp_path / where
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(code)
    return [v.text for v in check_rooms.check(tmp_path)]


def test_the_house_is_in_order():
    assert check_rooms.check(ROOT / "src" / "discreet") == []


@pytest.mark.parametrize(
    ("where", "code", "message"),
    [
        ("masking/a.py", "from discreet.linkage.distance import DistanceLinkage", "do not know each other"),
        ("linkage/a.py", "import discreet.masking", "do not know each other"),
        ("scales/a.py", "from discreet.operators import OWA", "scales may not import operators"),
        ("kernels/a.py", "from discreet.errors import DataError", "kernels may not import errors"),
        ("masking/a.py", "import numba", "numba stays in kernels"),
        ("masking/a.py", "def f():\n    import numba", "numba stays in kernels"),
        ("report/a.py", "from discreet.measures.loss.il1s import IL1s", "report may not import measures"),
        ("cli/a.py", "from discreet import io", "cli may not import io"),
        ("studio/a.py", "from discreet.cli import main", "studio may not import cli"),
        ("measures/a.py", "from discreet.evaluation.score import mean_score", "which is above it"),
        ("masking/deep/a.py", "from ...linkage import distance", "do not know each other"),
        ("base.py", "from discreet.masking.microaggregation.mdav import MDAV", "which is above it"),
        ("masking/a.py", "import discreet", "imports the package itself"),
        ("masking/a.py", "import requests", "in no room's list"),
        ("misc.py", "", "misc is on no floor"),
    ],
)
def test_catches_what_the_table_forbids(tmp_path, where, code, message):
    found = violations(tmp_path, where, code)
    assert len(found) == 1
    assert message in found[0]


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("masking/a.py", "import numpy as np\nimport json\nfrom discreet.kernels.mdav import mdav"),
        ("operators/a.py", "from discreet.scales import Ordinal"),
        ("measures/a.py", "from discreet.linkage.distance import DistanceLinkage"),
        ("cli/a.py", "from discreet import workflow"),
    ],
)
def test_allows_what_the_table_allows(tmp_path, where, code):
    assert violations(tmp_path, where, code) == []
