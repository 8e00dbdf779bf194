from __future__ import annotations

import re
import sys

import pytest

from discreet.errors import MissingExtraError
from discreet.report.study_map import map_html, map_png, map_svg

ENTRIES = [
    {
        "label": f"mdav(k={k})", "method": "mdav", "experiments": 3, "score": 10.0 + k, "score_low": 9.0 + k,
        "score_high": 11.0 + k, "risk": 30.0 - k, "risk_low": 29.0 - k, "risk_high": 31.0 - k, "loss": 5.0 + 2 * k,
        "loss_low": 4.0 + 2 * k, "loss_high": 6.0 + 2 * k,
    }
    for k in (2, 5)
]  # fmt: skip


def test_points_bars_and_the_front():
    svg = map_svg(ENTRIES, ENTRIES[::-1])
    points = re.findall(r'<circle role="img" aria-label="([^"]*)" cx="([\d.]+)" cy="([\d.]+)"', svg)
    assert [label for label, _, _ in points] == [
        "candidate: mdav(k=2); score: 12; over seeds: 11 – 13; risk: 28; loss: 9",
        "candidate: mdav(k=5); score: 15; over seeds: 14 – 16; risk: 25; loss: 15",
    ]
    (_, x2, y2), (_, x5, y5) = points
    assert float(x2) > float(x5), "k = 2 risks more, and stands further right"
    assert float(y2) > float(y5), "and loses less, and stands lower"
    # The front goes from k = 5 to the right at its loss, then down to k = 2.
    (stairs,) = re.findall(r'aria-label="The front, 2 candidates." d="M([^"]*)"', svg)
    assert stairs.split("L") == [f"{x5},{y5}", f"{x2},{y5}", f"{x2},{y2}"]
    assert svg.count('stroke-width="2"') == 4 + 1, "two bars a candidate, and the front"


def test_the_unmasked_file_is_a_cross_and_everything_is_inside():
    unmasked = {"risk": 95.0, "loss": 0.0, "score": 47.5}
    svg = map_svg(ENTRIES, [], unmasked)
    assert "candidate: unmasked file; score: 47.5; risk: 95; loss: 0" in svg
    for label, x, y in re.findall(r'<circle role="img" aria-label="([^"]*)" cx="([\d.]+)" cy="([\d.]+)"', svg):
        assert 64 <= float(x) <= 704, label
        assert 56 <= float(y) <= 476, label


@pytest.mark.parametrize("draw", [map_svg, map_html])
def test_text_pictures(draw):
    text = draw(ENTRIES, ENTRIES)
    assert "mdav" in text
    assert not re.search(r'src="https?://', text)  # nothing is loaded from elsewhere


def test_pixels():
    assert map_png(ENTRIES, ENTRIES).startswith(b"\x89PNG")


def test_without_the_extra_pixels_are_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtraError, match="pixels needs the library vl-convert") as caught:
        map_png(ENTRIES, ENTRIES)
    assert "discreet[png]" in str(caught.value)
