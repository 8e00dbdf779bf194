from __future__ import annotations

import re
from pathlib import Path

import pytest

from discreet.contracts.links import Links
from tools import gallery

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def drawn():
    return dict(gallery.pictures(gallery.PAGE.read_text(encoding="utf-8")))


def test_the_pictures_are_what_the_lines_above_them_draw(drawn):
    assert len(drawn) == len(re.findall(r"^!\[", gallery.PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    for name, svg in drawn.items():
        assert (gallery.PAGE.parent / name).read_text(encoding="utf-8") == svg, f"{name}: run tools/gallery.py"


def test_no_picture_is_left_over(drawn):
    folder = gallery.PAGE.parent / "pictures" / "gallery"
    assert {path.relative_to(gallery.PAGE.parent).as_posix() for path in folder.iterdir()} == set(drawn)


def test_every_picture_says_what_it_shows_and_loads_nothing(drawn):
    for svg in drawn.values():
        assert svg.startswith("<svg ") or "<svg " in svg
        assert 'aria-label="' in svg
        assert "http" not in re.sub(r'xmlns="[^"]*"', "", svg)


# One picture a function of ours that draws: a new kind of chart has to find its place in the gallery.
def test_every_kind_of_chart_is_there():
    page = gallery.PAGE.read_text(encoding="utf-8")
    charts = (ROOT / "src" / "discreet" / "report" / "charts.py").read_text(encoding="utf-8")
    for name in re.findall(r"^def ([a-z]\w+_chart)\(", charts, re.MULTILINE):
        assert f"{name}(" in page, name
    kinds = re.search(r"kind : \{(.*?)\}", Links.plot.__doc__)[1].replace('"', "").split(", ")
    assert len(kinds) == 4
    for kind in kinds[1:]:  # the first is the default
        assert f'plot("{kind}")' in page, kind
