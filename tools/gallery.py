"""Draw the pictures of docs/gallery.md by running the page: after each block, `chart` is the picture that follows it.

    python tools/gallery.py

The same code gives the same bytes; a test compares them.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent.parent / "docs" / "gallery.md"
_PART = re.compile(
    r"^```python\n(?P<code>.*?)^```|^!\[(?P<text>[^\]]+)\]\((?P<file>[^)]+\.svg)\)", re.MULTILINE | re.DOTALL
)


def pictures(page: str) -> Iterator[tuple[str, str]]:
    r"""Run a page and yield each of its pictures, as the name of its file and as SVG.

    Examples
    --------
    >>> list(pictures("```python\nchart = '<svg/>'\n```\n\n![A picture](a.svg)\n"))
    [('a.svg', '<svg/>\n')]
    """
    namespace: dict[str, Any] = {}
    for part in _PART.finditer(page):
        if part["code"] is None:
            yield part["file"], f"{namespace.pop('chart')}\n"
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a weak choice is fine for a picture
            exec(compile(part["code"], "gallery.md", "exec"), namespace)  # noqa: S102 - our own documentation


def main() -> None:
    """Write every picture."""
    for name, svg in pictures(PAGE.read_text(encoding="utf-8")):
        path = PAGE.parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
