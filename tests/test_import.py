from __future__ import annotations

import subprocess
import sys

import pytest

import discreet as dc

HEAVY = ("numba", "altair", "pyspark", "sklearn", "scipy", "polars", "pandas")


def loaded_after(code: str) -> set[str]:
    script = f"{code}\nimport sys; print(' '.join(m for m in {HEAVY!r} if m in sys.modules))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    assert loaded_after("import discreet") == set()


def test_help_and_version_load_nothing_heavy():
    assert loaded_after("import discreet.cli.main") == set()


def test_declaring_a_schema_loads_no_compiler():
    assert not loaded_after("import discreet as dc; dc.Schema([dc.Attribute('a', dc.Numeric())])") & {"numba", "altair"}


def test_a_front_end_loads_no_compiler_before_it_works():
    assert loaded_after("from discreet import workflow") & {"numba", "altair"} == set()


def test_every_public_name_is_there():
    for name in dc.__all__:
        assert getattr(dc, name) is not None
    assert {"MDAV", "DistanceLinkage", "IL1s"} <= set(dir(dc))
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        dc.Nonsense  # noqa: B018
