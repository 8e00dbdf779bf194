from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
specification = importlib.util.spec_from_file_location("check_rooms", ROOT / "tools" / "check_rooms.py")
check_rooms = importlib.util.module_from_spec(specification)
specification.loader.exec_module(check_rooms)


def violations(tmp_path, files):
    for where, code in files.items():
        path = tmp_path / where
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code)
    return [v.text for v in check_rooms.check(tmp_path)]


def test_the_house_is_in_order():
    assert check_rooms.check(ROOT / "src" / "discreet") == []


def test_architecture_shows_the_rooms_and_libraries_there_are():
    assert list(check_rooms.check_page(ROOT / "src" / "discreet", ROOT / "ARCHITECTURE.md")) == []


def test_tests_stand_where_their_files_do():
    assert list(check_rooms.check_tests(check_rooms.read(ROOT / "src" / "discreet"), ROOT / "tests")) == []


def test_tests_that_stand_elsewhere_are_found(tmp_path):
    for where in ("src/io/csv.py", "src/data/scales/scale.py", "src/report/page.py", "src/plain.py",
                  "tests/io/test_csv.py", "tests/io/test_page.py", "tests/data/test_scale.py", "tests/data/test_all.py",
                  "tests/data/others/test_b.py", "tests/promises/test_csv.py", "tests/test_plain.py"):  # fmt: skip
        (tmp_path / where).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / where).write_text("")
    tests = tmp_path / "tests"
    violations = check_rooms.check_tests(check_rooms.read(tmp_path / "src"), tests)
    assert {(one.path.relative_to(tests).as_posix(), one.text) for one in violations} == {
        (".", "there are no tests of report"),
        ("data/others/test_b.py", "data/others is no folder of discreet"),
        ("data/test_scale.py", "is named after a file of data/scales, and stands elsewhere"),
        ("io/test_page.py", "is named after a file of report, and stands elsewhere"),
    }


@pytest.fixture
def house(tmp_path):
    """A package of two files, and a page that tells the truth about it."""
    for where, code in {"report/a.py": "import jinja2", "cli/b.py": "import numpy\nimport rich, typer"}.items():
        (tmp_path / "src" / where).parent.mkdir(parents=True)
        (tmp_path / "src" / where).write_text(code)
    rooms = check_rooms.rooms().replace(" |\n", " | more of it |\n").replace("it |\n", "it |\n| --- | --- |\n", 1)
    page = tmp_path / "ARCHITECTURE.md"
    page.write_text(f"# House\n\n{rooms}\n\nText.\n\n{check_rooms.third_party(tmp_path / 'src')}\n\nText.\n")
    return tmp_path / "src", page


def test_a_page_that_tells_the_truth_may_say_more(house):
    assert list(check_rooms.check_page(*house)) == []


@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [
        ("| 1 | `kernels` |", "| 2 | `kernels` |", "not | 1 | `kernels` | `stopping`, `typing` |;", "| 2 | `kernels`"),
        ("| `typing` | nothing |", "| `typing` | `errors` |", "not | 0 | `typing` | nothing |;", "| 0 | `typing`"),
        ("| jinja2 | `report` |", "| jinja2 | `cli` |", "not | jinja2 | `report` |;", "| jinja2"),
        ("| rich | `cli` |", "| httpx | `cli` |\n| rich | `cli` |", "not | rich | `cli` |;", "| httpx"),
        ("| jinja2 | `report` |\n", "", "not | jinja2 | `report` |;", "| rich"),
        ("| typer | `cli` |\n", "", "not | typer | `cli` |;", ""),
        ("| typer | `cli` |\n", "| typer | `cli` |\n| uvicorn | `cli` |\n", "a row too many;", "| uvicorn"),
        ("| library | rooms |", "| name | rooms |", "there is no table | library | rooms |;", "# House"),
    ],
)
def test_a_page_that_shows_something_else_is_found(house, old, new, message, line):
    root, page = house
    text = page.read_text()
    assert text.count(old) == 1
    page.write_text(text.replace(old, new))
    (violation,) = check_rooms.check_page(root, page)
    assert violation.text.startswith(message)
    assert page.read_text().splitlines()[violation.line - 1].startswith(line)


@pytest.mark.parametrize(
    ("where", "code", "message"),
    [
        ("masking/a.py", "from discreet.linkage.chance import x", "do not know each other"),
        ("linkage/a.py", "import discreet.masking", "do not know each other"),
        ("engines/a.py", "from discreet.masking.running import units", "do not know each other"),
        ("data/scales/a.py", "from discreet.operators import OWA", "data.scales may not import operators"),
        ("data/scales/a.py", "from discreet.data.schema import Schema", "data.scales may not import data"),
        ("data/scales/a.py", "from discreet.data import schema", "data.scales may not import data"),
        ("data/a.py", "from discreet.contracts.masked import Masked", "which is above it"),
        ("kernels/a.py", "from discreet.errors import DataError", "kernels may not import errors"),
        ("masking/a.py", "import numba", "numba stays in kernels"),
        ("masking/a.py", "def f():\n    import numba", "numba stays in kernels"),
        ("report/a.py", "from discreet.measures.loss.numbers import IL1s", "report may not import measures"),
        ("io/a.py", "from discreet.operators import OWA", "io may not import operators"),
        ("cli/a.py", "from discreet import io", "cli may not import io"),
        ("cli/a.py", "from discreet.evaluation.score import mean_score", "cli may not import evaluation"),
        ("studio/a.py", "from discreet.cli import main", "do not know each other"),
        (
            "studio/screens/a.py",
            "from discreet.release.chain import Chain",
            "studio.screens may not import release",
        ),
        ("workflow.py", "from discreet.studio.desk import Desk", "which is above it"),
        ("release/a.py", "from discreet.reproduction import sections", "do not know each other"),
        ("measures/a.py", "from discreet.evaluation.score import mean_score", "which is above it"),
        ("masking/deep/a.py", "from ...linkage import distance", "do not know each other"),
        ("contracts/a.py", "from discreet.masking.running.strata import x", "which is above it"),
        ("masking/a.py", "import discreet", "imports the package itself"),
        ("masking/a.py", "import requests", "in no room's list"),
        ("misc.py", "", "misc is on no floor"),
    ],
)
def test_catches_what_the_table_forbids(tmp_path, where, code, message):
    texts = violations(tmp_path, {where: code})
    assert len(texts) == 1
    assert message in texts[0]


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("masking/a.py", "import numpy as np\nimport json\nfrom discreet.kernels.groups.mdav import mdav"),
        ("operators/a.py", "from discreet.data.scales import Ordinal"),
        ("data/a.py", "from discreet.data.scales import Ordinal\nfrom discreet.data import schema"),
        ("measures/a.py", "from discreet.linkage.chance import x"),
        ("evaluation/a.py", "from discreet.io.atomic import write_text"),
        ("studio/screens/a.py", "from discreet.studio.desk import Desk"),
        ("cli/a.py", "from discreet import workflow"),
    ],
)
def test_allows_what_the_table_allows(tmp_path, where, code):
    assert violations(tmp_path, {where: code}) == []


def test_a_file_name_stands_once(tmp_path):
    assert violations(tmp_path, {"masking/a.py": "", "linkage/shared/a.py": ""}) == [
        "a.py stands in linkage/shared already"
    ]


def test_a_method_and_its_kernel_have_one_name(tmp_path):
    files = {"masking/mdav.py": "", "kernels/groups/mdav.py": "", "masking/__init__.py": "", "kernels/__init__.py": ""}
    assert violations(tmp_path, files) == []
    assert violations(tmp_path, {"kernels/linking/mdav.py": ""}) == ["mdav.py stands in kernels/groups already"]


def test_a_public_name_is_not_that_of_a_room(tmp_path):
    files = {"__init__.py": '_HOMES = {"report": "discreet.workflow", "read": "discreet.workflow"}', "report/a.py": ""}
    assert violations(tmp_path, files) == ["report is a public name and a room, which would shadow it"]


def test_a_module_may_be_a_public_name(tmp_path):
    assert violations(tmp_path, {"__init__.py": '_HOMES = {"report": "discreet.report"}', "report/a.py": ""}) == []


@pytest.mark.parametrize("member", ["_size = 1", "_size: int", "def _size(self): ...", "def f(self): self._size = 1"])
def test_private_names_stay_in_their_room(tmp_path, member):
    files = {
        "masking/a.py": f"class A:\n    {member}\n",
        "evaluation/b.py": "def f(masker):\n    return masker._size\n",
    }
    assert violations(tmp_path, files) == ["_size is private to a class of masking; evaluation may not use it"]


def test_a_room_uses_its_own_private_names(tmp_path):
    code = "class A:\n    _size = 1\n"
    files = {"masking/a.py": code, "masking/b.py": "def f(masker):\n    return masker._size\n"}
    assert violations(tmp_path, files) == []


def test_a_class_uses_what_it_inherits(tmp_path):
    code = "class B(A):\n    def f(self):\n        return self._size + super()._size\n"
    assert violations(tmp_path, {"contracts/a.py": "class A:\n    _size = 1\n", "masking/b.py": code}) == []


def test_prints_the_table_of_libraries(tmp_path):
    violations(tmp_path, {"kernels/a.py": "import numba\nimport numpy", "data/scales/b.py": "import pyarrow as pa"})
    assert check_rooms.third_party(tmp_path).splitlines() == [
        "| library | rooms |",
        "| --- | --- |",
        "| numba | `kernels` |",
        "| pyarrow | `data.scales` |",
    ]
