"""The gate before every writer: a table as strangers may have it."""

from __future__ import annotations

from discreet.data.cleaning import cleaned, released_schema
from discreet.data.labels import Labels
from discreet.data.microdata import Microdata
from discreet.io.label_upkeep import occurring

__all__ = ["at_the_gate"]

_BY_RECORD = ("verbatim", "verbatim_missing", "styles")
"""What a reader remembers by column; of a column that is not released, nothing is."""


def at_the_gate(table: Microdata) -> Microdata:
    """Return a table with what is written of it, and nothing else.

    Its frame holds cells alone (:mod:`discreet.data.cleaning`); its schema lists the levels and missing codes that
    occur; its labels name columns and values that are there. Free text about the original as a whole (its title, notes
    and metadata of any program) stays in the house: nobody can tell what it says.
    """
    clean = cleaned(table)
    origin = {key: value for key, value in table.origin.items() if key != "metadata"}
    for key in _BY_RECORD:
        if key in origin:
            origin[key] = {name: texts for name, texts in origin[key].items() if name in clean.names}
    labels: Labels | None = origin.get("labels")
    if labels is not None:
        origin["labels"] = occurring(labels, clean)
    return Microdata(clean.to_native(), released_schema(clean), origin=origin)
