from __future__ import annotations

import json
import re

import pytest

from discreet.report.study_map import _specification, map_html, map_png, map_svg

ENTRIES = [
    {
        "label": f"mdav(k={k})", "method": "mdav", "experiments": 3, "score": 10.0 + k, "score_low": 9.0 + k,
        "score_high": 11.0 + k, "risk": 30.0 - k, "risk_low": 29.0 - k, "risk_high": 31.0 - k, "loss": 5.0 + 2 * k,
        "loss_low": 4.0 + 2 * k, "loss_high": 6.0 + 2 * k,
    }
    for k in (2, 5)
]  # fmt: skip


def test_points_bars_and_the_front():
    chart = _specification(ENTRIES, ENTRIES[::-1])
    text = json.dumps(chart)
    for wanted in ("risk_low", "risk_high", "loss_low", "loss_high", "step-after", "over seeds"):
        assert wanted in text
    assert text.count('"type": "rule"') == 2
    assert text.count('"type": "circle"') == 1


@pytest.mark.parametrize("draw", [map_svg, map_html])
def test_text_pictures(draw):
    text = draw(ENTRIES, ENTRIES)
    assert "mdav" in text
    assert not re.search(r'src="https?://', text)  # nothing is loaded from elsewhere


def test_pixels():
    assert map_png(ENTRIES, ENTRIES).startswith(b"\x89PNG")
