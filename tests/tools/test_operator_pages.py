from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

from discreet.operators import operator_named, operator_names
from discreet.operators.typed_operator import as_operator, kinds_of

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("operator_pages", ROOT / "tools" / "operator_pages.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["operator_pages"] = module
    spec.loader.exec_module(module)
    return module


def test_every_operator_has_a_page_that_shows_how_it_is_typed(tool):
    pages = tool.all_pages(pictures=False)
    for name in operator_names():
        text = pages[f"operators/{name}.md"]
        assert text.startswith(f"# {name}\n")
        assert f'--operator "{tool.typed_as(name)}"' in text
        assert f"[{name}]({name}.md)" in pages["operators/index.md"]
        for line in text.splitlines():
            if line.startswith("| `"):
                assert len(re.findall(r"(?<!\\)\|", line)) == 5, line
    assert "`medoid`" in pages["operators/index.md"]


def test_what_is_typed_means_the_operator(tool):
    for name in operator_names():
        kinds = kinds_of(tool.typed_as(name)) & operator_named(name).scales
        assert any(as_operator(tool.typed_as(name), kind).name == name for kind in kinds), name


@pytest.mark.parametrize("name", operator_names())
def test_every_picture_is_small_and_says_what_it_shows(tool, name):
    picture = tool.picture_of(name)
    assert "<svg" in picture
    assert f'aria-label="{name}: ' in picture
    assert "http" not in re.sub(r'xmlns(:\w+)?="[^"]*"', "", picture)
    assert len(picture) < 40_000


def test_a_picture_is_always_the_same_and_shows_its_operator(tool):
    assert tool.picture_of("owa") == tool.picture_of("owa")
    assert tool.picture_of("owa") != tool.picture_of("mean")
