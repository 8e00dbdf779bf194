"""The search of the built pages, for who opens them from the disk: its index as a script beside the one for servers.

mkdocs calls :func:`on_post_build` (see `hooks` in mkdocs.yml). A page from the disk may not fetch a file, but it may
load a script; the theme looks for this one where its address begins with ``file:``. The worker that searches is
docs/scripts/search-from-disk.js.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def index_script(index: str) -> str:
    r"""Return the search index as a script.

    Examples
    --------
    >>> index_script('{"docs": ["a\u2028b"]}')
    'var __index = {"docs": ["a\\u2028b"]};\n'
    """
    return f"var __index = {json.dumps(json.loads(index))};\n"


def on_post_build(config: Any) -> None:
    """Write the script where mkdocs has written the index."""
    folder = Path(config["site_dir"]) / "search"
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    (folder / "search_index.js").write_text(index_script(index), encoding="utf-8")
