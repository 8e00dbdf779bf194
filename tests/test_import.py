from __future__ import annotations

import subprocess
import sys

import pytest

import discreet as dc

HEAVY = ("numba", "jinja2", "pyspark", "sklearn", "scipy", "polars", "pandas")


def loaded_after(code: str) -> set[str]:
    script = f"{code}\nimport sys; print(' '.join(m for m in {HEAVY!r} if m in sys.modules))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    assert loaded_after("import discreet") == set()


def test_help_and_version_load_nothing_heavy():
    assert loaded_after("import discreet.cli.main") == set()


def test_declaring_a_schema_loads_no_compiler():
    assert not loaded_after("import discreet as dc; dc.Schema([dc.Attribute('a', dc.Numeric())])") & {"numba", "jinja2"}


def test_a_front_end_loads_no_compiler_before_it_works():
    assert loaded_after("from discreet import workflow") & {"numba", "jinja2"} == set()


def test_every_public_name_is_there():
    for name in dc.__all__:
        assert getattr(dc, name) is not None
    assert {"MDAV", "DistanceLinkage", "IL1s"} <= set(dir(dc))
    with pytest.raises(AttributeError, match=r"no attribute 'Nonsense'\.$"):
        dc.Nonsense  # noqa: B018


def test_a_name_that_is_nearly_right_is_answered_with_the_right_one():
    with pytest.raises(AttributeError, match=r"no attribute 'mdav'\. Did you mean 'MDAV'\?$"):
        dc.mdav  # noqa: B018
    with pytest.raises(AttributeError, match=r"no attribute 'asess'\. Did you mean 'assess'\?$"):
        dc.asess  # noqa: B018


def test_a_method_is_loaded_with_what_it_needs_and_no_other():
    script = "import discreet as dc; dc.MDAV; import sys; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    modules = {name for name in run.stdout.split() if name.startswith("discreet.")}
    assert dc.MDAV.__module__ in modules
    assert not {dc.PRAM.__module__, dc.KModes.__module__, dc.DistanceLinkage.__module__, dc.IL1s.__module__} & modules
    assert "discreet.catalogue" not in modules
