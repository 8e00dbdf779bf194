from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from discreet import catalogue
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
    ("contract", "name"), [("maskers", "mdav"), ("maskers", "level-map"), ("measures", "dist"), ("linkers", "distance")]
)
def test_a_picture_says_what_it_shows(tool, contract, name):
    picture = tool.picture_of(contract, name)
    assert "<svg" in picture
    assert re.search(r'aria-label="[^"]*' + name, picture)
    assert "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", picture)


def test_a_parameter_of_the_class_above_has_its_words_too(tool):
    text = tool.all_pages(pictures=False)["methods/mdav.md"]
    row = next(line for line in text.splitlines() if line.startswith("| `blocks` |"))
    assert row.rstrip("| ").split(" | ")[-1].strip() not in {"", "list of different attribute names"}
    assert len(row.split(" | ")[3]) > 20
