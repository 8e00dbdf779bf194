from __future__ import annotations

import contextlib
import importlib.util
import io
import re
import shlex
import sys
from pathlib import Path

import pytest
from tools.method_drawings import LIGHT

from discreet import catalogue
from discreet.cli import main
from discreet.parameters import describe

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("method_pages", ROOT / "tools" / "method_pages.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["method_pages"] = module
    spec.loader.exec_module(module)
    return module


def test_every_registered_method_has_a_page_with_its_parameters_cost_and_reference(tool):
    pages = tool.all_pages(pictures=False)
    for kind in ("maskers", "linkers", "measures"):
        for name, cls in getattr(catalogue, kind)().items():
            text = pages[f"methods/{name}.md"]
            assert text.startswith(f"# {name}\n")
            for key in cls.parameter_names():
                if key in cls.parameters:
                    row = next(line for line in text.splitlines() if line.startswith(f"| `{key}` |"))
                    assert row.count(" | ") == 3
            assert "## Definition and cost" in text, name
            assert re.search(r"O\(|[Cc]ost|n²|[Ll]inear|once a scenario|passes|As for", describe(cls).notes), name
            assert "## References" in text, name
            assert f"[{name}]({name}.md)" in pages["methods/index.md"]


def test_a_parameter_has_the_words_of_its_docstring(tool):
    text = tool.all_pages(pictures=False)["methods/pram.md"]
    row = next(line for line in text.splitlines() if line.startswith("| `theta` |"))
    assert "How much is changed, between 0 and 1." in row


@pytest.mark.parametrize(
    ("contract", "name"),
    [
        (f"{kind[:-1]}s", name)
        for kind in ("maskers", "linkers", "measures")
        for name in sorted(getattr(catalogue, kind)())
    ],
)
def test_a_picture_says_what_it_shows(tool, contract, name):
    picture = tool.picture_of(contract, name)
    assert "<svg" in picture
    assert re.search(r'aria-label="[^"]*' + name, picture)
    assert name in re.search("<figcaption>(.*?)</figcaption>", picture)[1]
    assert "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", picture)


def test_a_parameter_of_the_class_above_has_its_words_too(tool):
    text = tool.all_pages(pictures=False)["methods/mdav.md"]
    row = next(line for line in text.splitlines() if line.startswith("| `blocks` |"))
    assert row.rstrip("| ").split(" | ")[-1].strip() not in {"", "list of different attribute names"}
    assert len(row.split(" | ")[3]) > 20


def marks(picture, colour):
    return len(re.findall(f'fill="{colour}"', picture))


def test_a_picture_shows_what_its_method_does(tool):
    # Groups of three: after is at a third of the places at most, and all sixty are still drawn.
    places = set(re.findall(r'<path d="M([\d.,]+)L[^"]*" fill="#0b6e4f"', tool.picture_of("maskers", "mdav")))
    assert 10 <= len(places) <= 21  # one of them is the legend's
    # Of the sampled and of those who leave, crosses; of a method that keeps everybody, none.
    assert marks(tool.picture_of("maskers", "record-suppression"), "#a92f1b") > 5
    assert marks(tool.picture_of("maskers", "additive-noise"), "#a92f1b") == 0
    # Two of four columns are gone, in seven rows; the cells of the others are as they were.
    assert marks(tool.picture_of("maskers", "identifiers"), LIGHT) == 10


PLACES = """[[attribute]]
name = "latitude"
role = "key"
scale = "numeric"

[[attribute]]
name = "longitude"
role = "key"
scale = "numeric"
"""


@pytest.mark.parametrize("name", sorted(catalogue.maskers()))
def test_the_commands_of_a_page_can_be_typed_as_they_stand(tool, name, tmp_path):
    from discreet.datasets.patients import AREAS

    (block,) = re.findall(
        r"^```text\n(.*?)^```", tool.all_pages(pictures=False)[f"methods/{name}.md"], re.MULTILINE | re.DOTALL
    )
    # What a reader brings along: where records are, and how many people live in an area.
    (tmp_path / "places.toml").write_text(PLACES)
    places = [f"{47 + i % 10 / 100},{8 + i % 7 / 100}" for i in range(50)]
    (tmp_path / "places.csv").write_text("latitude,longitude\n" + "\n".join(places) + "\n")
    (tmp_path / "people.csv").write_text("zip,people\n" + "".join(f"{area},{n}\n" for area, n in AREAS.items()))
    quietly = io.StringIO()
    with contextlib.chdir(tmp_path), contextlib.redirect_stdout(quietly), contextlib.redirect_stderr(quietly):
        for line in block.splitlines():
            words = shlex.split(line)[1:]
            few = ["--n", "300"] if words[0] == "datasets" else []
            assert main._code([*words, *few]) == 0, (line, quietly.getvalue())
    assert (tmp_path / "masked.csv").stat().st_size
