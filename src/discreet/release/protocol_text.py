"""The text of a protocol: TOML read with its lines, so that a message can name one, and written with its remarks."""

from __future__ import annotations

import os
from typing import Any

from discreet.data import toml_text
from discreet.data.toml_text import whole_number
from discreet.errors import SchemaError

__all__ = ["load_text", "read_seed", "seed_line"]


def seed_line(seed: int | None) -> str:
    """Return the line that holds a seed, if there is one; as text where a whole number would be too large."""
    return "" if seed is None else f"seed = {whole_number(seed)}\n"


def read_seed(given: Any) -> int | None:
    """Return the seed that a file or a person gives: a whole number, or its digits as text."""
    seed = int(given) if isinstance(given, str) and given.isascii() and given.isdigit() and len(given) < 80 else given
    if seed is None or (isinstance(seed, int) and not isinstance(seed, bool) and seed >= 0):
        return seed
    raise SchemaError("Protocol: seed must be a whole number of at least 0.", hint="Leave it out, and one is drawn.")


def load_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a protocol."""
    return toml_text.load_text(path, "protocol", hint="`discreet init data.csv -o protocol.toml` makes one.")
