from __future__ import annotations

import ast
import importlib.util
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
specification = importlib.util.spec_from_file_location("mutate", ROOT / "tools" / "mutate.py")
mutate = importlib.util.module_from_spec(specification)
specification.loader.exec_module(mutate)


def changed(tmp_path, code):
    """By kind, what every change makes of a file."""
    (tmp_path / "a.py").write_text(code)
    source = code.encode()
    return [(one.kind, one.apply(source).decode()) for one in mutate.mutants_of(Path("a.py"), tmp_path)]


@pytest.mark.parametrize(
    ("code", "mutants"),
    [
        ("x = a < b", {("comparison", "x = (a <= b)")}),
        ("x = a + b", {("arithmetic", "x = (a - b)")}),
        ("x = a and b", {("and/or", "x = (a or b)")}),
        ("x = not a", {("sign", "x = (a)")}),
        ("x = 5", {("constant", "x = 6"), ("constant", "x = 4")}),
        ("x = True", {("constant", "x = False")}),
        ("x = 0.5", {("constant", "x = 1.0")}),
        ("x = f(a, b)", {("arguments", "x = (f(b, a))")}),
        ("x = a if b else c", {("condition", "x = (c if b else a)")}),
        ("def f():\n    return a", {("result", "def f():\n    return None")}),
        ("if a:\n    b()", {("condition", "if (not (a)):\n    b()"), ("statement", "if a:\n    None")}),
        ("x = 'é', a < b", {("comparison", "x = 'é', (a <= b)")}),
    ],
)
def test_every_kind_of_change(tmp_path, code, mutants):
    assert set(changed(tmp_path, code)) == mutants


@pytest.mark.parametrize(
    "code",
    ["raise Error(1)", "x: Literal[1] = a", "x = f'{1}'", "x = max(a, b)", "report('a', 1, 2)", "x = 'a' + b",
     "if TYPE_CHECKING:\n    x = 1", "@f(1)\ndef g(): pass", "x = 1e-9", "x = line(strokeWidth=2)"],
)  # fmt: skip
def test_what_no_test_should_look_at_is_left_alone(tmp_path, code):
    assert changed(tmp_path, code) == []


def test_a_draw_follows_from_its_seed_and_stays_in_its_rooms():
    mutants = mutate.draw(30, 4, ["data/scales", "kernels/groups/mdav"], ["data/scales/dissimilarities"])
    assert mutants == mutate.draw(30, 4, ["data/scales", "kernels/groups/mdav"], ["data/scales/dissimilarities"])
    assert mutants != mutate.draw(30, 5, ["data/scales", "kernels/groups/mdav"], ["data/scales/dissimilarities"])
    places = {one.path.relative_to("src/discreet").as_posix() for one in mutants}
    assert all(place.startswith(("data/scales", "kernels/groups/mdav")) for place in places)
    assert not any("dissimilarities" in place for place in places)
    assert max(Counter((one.path, one.statement) for one in mutants).values()) == 1
    for one in mutants:
        ast.parse(one.apply((ROOT / one.path).read_bytes()))


def test_the_nearest_tests_come_first_and_none_twice():
    path = next(one.relative_to(ROOT) for one in (ROOT / "src").rglob("pram.py"))
    rings = list(mutate.rings(path))
    assert rings[0][0] == path.as_posix()
    assert Path(rings[0][1]).name == "test_pram.py"
    assert mutate.QUICK[0] not in rings[0]
    batteries = [ring for ring in rings if "-k" in ring]
    assert {ring[0] for ring in batteries} == {f"tests/{one}" for one in mutate.BATTERIES["masking"]}
    assert all(ring[1:3] == ["-k", "pram"] for ring in batteries)
    files = [one for ring in rings if "-k" not in ring for one in ring if one.endswith(".py")]
    assert len(files) == len(set(files))
    assert all((ROOT / one).exists() for ring in rings for one in ring if one.startswith("tests/"))


def test_where_no_test_has_the_name_of_a_file_those_that_import_it_run_whole(monkeypatch):
    monkeypatch.setattr(mutate, "tests_named_after", lambda _path: [])
    path = Path("src/discreet/reproduction/subjects/median_operators.py")
    own, importing, *_ = mutate.rings(path)
    assert own == [path.as_posix()]
    assert "tests/reproduction/test_recorded.py" in importing
    assert mutate.QUICK[0] not in importing


def test_a_cluster_is_started_for_engines_alone():
    def asked(path):
        return {Path(one).name for ring in mutate.rings(Path(path)) for one in ring if "spark" in one}

    assert not asked("src/discreet/data/microdata.py")
    assert "test_spark.py" in asked("src/discreet/engines/spark.py")


def test_a_file_is_broken_for_a_while_and_its_bytecode_never_outlives_it(tmp_path, monkeypatch):
    monkeypatch.setattr(mutate, "cache_folder", lambda: None)
    path = Path("src/discreet/kernels/groups/mdav.py")
    mutant = mutate.mutants_of(path)[0]
    workshop = mutate.Workshop(tmp_path / "project")
    workshop.bytecode = tmp_path / "bytecode"
    file = workshop.folder / path
    compiled = workshop.bytecode / file.parent.relative_to("/")
    compiled.mkdir(parents=True)
    own, other = compiled / "mdav.cpython-311.pyc", compiled / "mdav_other.cpython-311.pyc"
    source = file.read_bytes()
    own.touch()
    other.touch()
    with workshop.broken(mutant):
        assert file.read_bytes() == mutant.apply(source) != source
        assert not own.exists()
        assert other.exists()
        own.touch()
    assert file.read_bytes() == source == (ROOT / path).read_bytes()
    assert not own.exists()
    assert other.exists()
    workshop.close()
    assert not other.exists()


def test_a_test_that_fails_anyway_does_not_silence_the_others_of_its_ring(monkeypatch, capsys):
    asked = []

    def failing_test(_workshop, arguments):
        asked.append(arguments)
        if arguments == ["t::broken"]:
            return "t::broken"
        if arguments[0] != "t":
            return None
        return "t::notices" if "--deselect" in arguments else "t::broken"

    workshop = mutate.Workshop.__new__(mutate.Workshop)
    monkeypatch.setattr(mutate.Workshop, "failing_test", failing_test)
    monkeypatch.setattr(mutate.Workshop, "broken", lambda _workshop, _mutant: nullcontext())
    monkeypatch.setattr(mutate, "rings", lambda *_, **__: iter([["a"], [], ["t"], ["b"]]))
    mutant = mutate.Mutant(Path("a.py"), 0, 1, "x", "sign", 1)
    assert workshop.try_out(mutant, whole=False) == "t::notices"
    assert asked == [["a"], ["t"], ["t::broken"], ["t", "--deselect", "t::broken"], ["t::notices"]]
    assert capsys.readouterr().out == "  t::broken fails without the change too\n"
    monkeypatch.setattr(mutate, "rings", lambda *_, **__: iter([["a"], ["b"]]))
    assert workshop.try_out(mutant, whole=False) is None
