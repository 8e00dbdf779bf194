from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from tests.conftest import slow_tests

ROOT = Path(__file__).parents[2]
specification = importlib.util.spec_from_file_location("time_of_tests", ROOT / "tools" / "time_of_tests.py")
time_of_tests = importlib.util.module_from_spec(specification)
specification.loader.exec_module(time_of_tests)


@pytest.mark.parametrize("name", slow_tests())
def test_what_is_left_out_exists(name):
    file, function = name.split("::")
    (path,) = (ROOT / "tests").rglob(file)
    assert re.search(rf"^def {function}\(", path.read_text(encoding="utf-8"), re.MULTILINE)


def test_times_are_summed_by_function():
    said = "2.00s setup    a/test_b.py::test_c[1]\n1.00s call     a/test_b.py::test_c[2 3]\n"
    said += "0.5s call a/test_b.py::test_d\n"
    seconds, cases = time_of_tests.time_of(said + "= 3 passed in 4s =\n")
    assert seconds == {"a/test_b.py::test_c": 3.0, "a/test_b.py::test_d": 0.5}
    assert cases["a/test_b.py::test_c"] == 1
