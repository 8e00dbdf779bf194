"""The risk–utility map of a study as a page and as pixels."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

from discreet.contracts.risk_utility_map import MAP_TITLE, Entries, map_svg
from discreet.errors import MissingExtraError
from discreet.notebook import printable

__all__ = ["map_html", "map_png", "map_svg"]

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>body {{ margin: 1rem auto; max-width: 60rem; }} svg {{ max-width: 100%; height: auto; }}</style></head>
<body>{picture}</body></html>
"""


def map_png(entries: Entries, front: Entries, unmasked: Mapping[str, Any] | None = None) -> bytes:
    """Return the map as pixels, fine enough for print."""
    try:
        import vl_convert
    except ImportError:
        raise MissingExtraError(
            "A picture of pixels needs the library vl-convert, which is not installed.",
            hint="pip install 'discreet[png]', or ask for .svg or .html.",
        ) from None
    pixels: bytes = vl_convert.svg_to_png(map_svg(entries, front, unmasked), scale=2)
    return pixels


def map_html(entries: Entries, front: Entries, unmasked: Mapping[str, Any] | None = None) -> str:
    """Return the map as a self-contained page with names on hover; nothing is loaded from elsewhere."""
    return _PAGE.format(title=html.escape(printable(MAP_TITLE)), picture=map_svg(entries, front, unmasked))
