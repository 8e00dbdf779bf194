from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest
from tests import conftest
from tests.conftest import slow_tests

ROOT = Path(__file__).parents[2]
specification = importlib.util.spec_from_file_location("time_of_tests", ROOT / "tools" / "time_of_tests.py")
time_of_tests = importlib.util.module_from_spec(specification)
specification.loader.exec_module(time_of_tests)


def test_what_is_left_out_exists():
    for name, (one_in, first) in slow_tests().items():
        file, function = name.split("::")
        text = (ROOT / "tests" / file).read_text(encoding="utf-8")
        assert re.search(rf"^def {function}\(", text, re.MULTILINE), name
        assert first < max(one_in, 1), name


def test_a_test_is_left_out_by_its_path_and_one_case_in_so_many_stays(items_of, monkeypatch):
    listed = {"a/test_x.py::test_f": (3, 0), "b/test_x.py::test_f": (0, 0), "d/test_x.py::test_f": (3, 2)}
    monkeypatch.setattr(conftest, "slow_tests", lambda: listed)
    items = items_of({"a/test_x.py": 7, "b/test_x.py": 2, "c/test_x.py": 2, "d/test_x.py": 6})
    conftest.pytest_collection_modifyitems(items)
    slow = {folder: [one.slow for one in items if one.path.parent.name == folder] for folder in "abcd"}
    assert slow == {
        "a": [False, True, True, False, True, True, False], "b": [True, True], "c": [False, False],
        "d": [True, True, False, True, True, False],
    }  # fmt: skip


def test_of_many_cases_some_stay_from_here_and_there(items_of, monkeypatch):
    monkeypatch.setattr(conftest, "slow_tests", dict)
    monkeypatch.setattr(conftest, "MOST_CASES", 12)
    paths = ["a/test_x.py", "b/test_x.py", "c/test_x.py"]
    items = items_of(dict(zip(paths, (12, 13, 30), strict=True)))
    conftest.pytest_collection_modifyitems(items)
    kept = {folder: [place for place, one in enumerate(
        one for one in items if one.path.parent.name == folder) if not one.slow] for folder in "abc"}  # fmt: skip
    starts = [sum(f"{path}::test_f".encode()) for path in paths]
    assert kept == {
        "a": list(range(12)), "b": list(range(starts[1] % 2, 13, 2)), "c": list(range(starts[2] % 3, 30, 3)),
    }  # fmt: skip


def test_a_browser_is_left_to_all_tests(items_of):
    items = items_of({"a/test_x.py": 3})
    items[1].fixturenames = ["tab", "browser"]
    items[2].fixturenames = ["client"]
    conftest.pytest_collection_modifyitems(items)
    assert [one.slow for one in items] == [False, True, False]


@pytest.fixture
def items_of():
    class Item:
        def __init__(self, path):
            self.path, self.name, self.slow = path, "test_f", False

        def add_marker(self, _marker):
            self.slow = True

    return lambda cases: [Item(conftest.TESTS / path) for path, count in cases.items() for _ in range(count)]


def test_times_are_summed_by_function():
    said = "2.00s setup    a/test_b.py::test_c[1]\n1.00s call     a/test_b.py::test_c[2 3]\n"
    said += "0.5s call a/test_b.py::test_d\n"
    seconds, cases = time_of_tests.time_of(said + "= 3 passed in 4s =\n")
    assert seconds == {"a/test_b.py::test_c": 3.0, "a/test_b.py::test_d": 0.5}
    assert cases["a/test_b.py::test_c"] == 1
