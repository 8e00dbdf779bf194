"""JSON that others wrote: whatever it is, it is read, or it is no JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

__all__ = ["parse_json", "read_json"]


def parse_json(text: str | bytes) -> Any:
    """Return what a JSON text holds.

    Raises
    ------
    ValueError
        It is no JSON, or nested so deeply that it cannot be read.

    Examples
    --------
    >>> parse_json(b'{"study": "x"}')
    {'study': 'x'}
    >>> parse_json("[" * 100_000)
    Traceback (most recent call last):
    ValueError: The JSON is nested too deeply.
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("The JSON is nested too deeply.") from None


def read_json(path: str | os.PathLike[str]) -> Any:
    """Return what a JSON file holds; it raises OSError where there is none to read, else as :func:`parse_json`."""
    return parse_json(Path(path).read_text(encoding="utf-8"))
