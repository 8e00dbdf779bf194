from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from discreet.kernels import code_cache
from discreet.kernels.code_cache import VARIABLE, is_safe

SCRIPT = """
import numpy as np
from discreet.kernels.code_cache import cached_calls
from discreet.kernels.grouping import counting_order
order = np.empty(3, dtype=np.int64)
counting_order(np.array([1, 0, 1]), np.array([0, 1]), order)
print(order.tolist(), cached_calls())
"""


def run(script: str = SCRIPT, source: Path | None = None, **variables: str) -> str:
    environment = {key: value for key, value in os.environ.items() if key not in {VARIABLE, "XDG_CACHE_HOME"}}
    if source is not None:
        environment["PYTHONPATH"] = str(source)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env={**environment, **variables}
    )
    return done.stdout.strip()


def test_code_is_kept_where_the_variable_says_and_read_from_there(tmp_path):
    assert run(DISCREET_CACHE_DIR=str(tmp_path / "code")).endswith("{'read': 0, 'compiled': 1}")
    assert run(DISCREET_CACHE_DIR=str(tmp_path / "code")).endswith("{'read': 1, 'compiled': 0}")


def test_code_is_kept_in_the_users_cache_folder_which_is_closed_to_others(tmp_path):
    if sys.platform in {"win32", "darwin"}:
        pytest.skip("another folder there")
    assert run(XDG_CACHE_HOME=str(tmp_path)).startswith("[1, 0, 2]")
    assert (tmp_path / "discreet").stat().st_mode & 0o777 == 0o700
    assert list((tmp_path / "discreet").glob("grouping-*/*.nbc"))


def test_code_of_other_sources_is_not_used(tmp_path):
    home = Path(code_cache.__file__).parents[2]
    copy = tmp_path / "src"
    shutil.copytree(home / "discreet", copy / "discreet", ignore=shutil.ignore_patterns("__pycache__"))
    folder = str(tmp_path / "code")
    assert run(source=copy, DISCREET_CACHE_DIR=folder).endswith("'compiled': 1}")
    # A constant or a loop that a kernel takes from another file changes what it is compiled to.
    jit = copy / "discreet" / "kernels" / "jit.py"
    jit.write_text(jit.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert run(source=copy, DISCREET_CACHE_DIR=folder).endswith("'compiled': 1}")
    assert len(list(Path(folder).glob("grouping-*"))) == 2


def test_a_module_depends_on_those_it_imports_kernels_from():
    from discreet.kernels import fingerprint  # noqa: F401

    own = code_cache._digest.__wrapped__("discreet.kernels.fingerprint")
    sources = dict.fromkeys(["discreet.kernels.draws"], "STEP = 0")
    original = code_cache._source
    try:
        code_cache._source = lambda module: sources.get(module) or original(module)
        assert code_cache._digest.__wrapped__("discreet.kernels.fingerprint") != own
    finally:
        code_cache._source = original


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners of files")
@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757])
def test_a_folder_that_others_can_write_to_is_not_used(tmp_path, mode):
    folder = tmp_path / "code"
    folder.mkdir()
    folder.chmod(mode)
    assert not is_safe(folder)
    assert run(DISCREET_CACHE_DIR=str(folder)) == "[1, 0, 2] {'read': 0, 'compiled': 0}"
    assert not list(folder.iterdir())


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no owners of files")
def test_a_folder_below_one_that_others_can_write_to_is_not_used(tmp_path):
    (tmp_path / "shared" / "code").mkdir(parents=True)
    assert is_safe(tmp_path / "shared" / "code")
    (tmp_path / "shared").chmod(0o777)
    assert not is_safe(tmp_path / "shared" / "code")
    (tmp_path / "shared").chmod(0o1777)
    assert is_safe(tmp_path / "shared" / "code")


def test_a_spoilt_cache_is_made_again(tmp_path):
    folder = tmp_path / "code"
    run(DISCREET_CACHE_DIR=str(folder))
    for path in folder.glob("*/*"):
        path.write_bytes(b"not code")
    assert run(DISCREET_CACHE_DIR=str(folder)).startswith("[1, 0, 2]")


def test_a_folder_that_cannot_be_made_is_no_reason_to_stop(tmp_path):
    (tmp_path / "file").write_text("")
    assert run(DISCREET_CACHE_DIR=str(tmp_path / "file" / "code")).startswith("[1, 0, 2]")


def test_code_of_earlier_sources_is_forgotten_after_months(tmp_path):
    old, recent = tmp_path / f"grouping-{'0' * 16}", tmp_path / f"grouping-{'1' * 16}"
    other = tmp_path / f"grouping.more-{'0' * 16}"
    for folder in (old, recent, other):
        folder.mkdir()
    long_ago = time.time() - 100 * 86400
    for folder in (old, other):
        os.utime(folder, (long_ago, long_ago))
    code_cache._forget_old(tmp_path, "grouping")
    assert sorted(tmp_path.iterdir()) == [other, recent] or sorted(tmp_path.iterdir()) == [recent, other]
