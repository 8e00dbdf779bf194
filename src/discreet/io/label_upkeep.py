"""Labels kept true: what a release may say of its columns and codes after masking, and in a file's metadata."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import pyarrow as pa

from discreet.contracts.masked import Provenance
from discreet.data.labels import Labels, is_number, is_range, whole
from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical, Numeric
from discreet.data.schema import Attribute, Schema
from discreet.typing import Level

__all__ = ["after_masking", "from_metadata", "occurring", "to_metadata"]

_KEY = b"discreet.data.labels"


_JOIN = " / "


_LONGEST = 120
"""Characters of a label; the formats that limit them allow no more."""


def after_masking(labels: Labels, declared: Schema, table: Microdata, provenance: Provenance | None) -> Labels:
    """Return labels that fit a release.

    Parameters
    ----------
    labels : Labels
        Of the original.
    declared : Schema
        Of the original.
    table : Microdata
        The release.
    provenance : Provenance, optional
        What was done. A level that several others were merged into is called by all their labels; a level that no
        released record has loses its label, as far as its column was masked. Without it, only levels that are declared
        no more lose theirs.
    """
    masked = set() if provenance is None else {name for name, count in provenance.changed.items() if count}
    values: dict[str, Mapping[Level, str]] = {}
    for name, texts in labels.values.items():
        if name not in table.schema:
            continue
        scale, missing = table.schema[name].scale, table.schema[name].missing
        of_missing = {code: text for code, text in texts.items() if whole(code) in missing or _letter(code, texts)}
        if isinstance(scale, Categorical) and name in masked and provenance is not None:
            values[name] = _fresh(texts, _sources(provenance, declared, table, name), table, name) | of_missing
        elif isinstance(scale, Numeric) and name in masked:
            values[name] = of_missing  # a number that came about by masking is not the code that it may look like
        elif isinstance(scale, Categorical) and scale != declared[name].scale:
            values[name] = {code: text for code, text in texts.items() if whole(code) in scale.levels} | of_missing
        else:
            values[name] = texts
    names = set(table.schema.names)
    return replace(
        labels,
        variables={n: text for n, text in labels.variables.items() if n in names},
        values=values,
        measures={n: _measure(table.schema[n], m) for n, m in labels.measures.items() if n in names},
        missing={n: codes for n, codes in labels.missing.items() if n in names},
        formats={n: text for n, text in labels.formats.items() if n in names and table.schema[n] == declared[n]},
    )


def occurring(labels: Labels, table: Microdata) -> Labels:
    """Return the labels of what is in a table: its columns, and the codes that occur in them.

    What a code is called that no record has, only the original can tell. The same goes for its title and its notes.
    Numbers that were masked keep the labels of missing codes alone.
    """
    names = set(table.schema.names)
    values: dict[str, Mapping[Level, str]] = {}
    missing: dict[str, list[Any]] = {}
    for name in table.schema.names:
        entries, texts = labels.missing.get(name, []), labels.values.get(name, {})
        if not entries and not texts:
            continue
        column = table.column(name)
        present = {} if pa.types.is_nested(column.type) else {str(whole(v)): v for v in column.unique().to_pylist()}
        letters = table.origin.get("verbatim_missing", {}).get(name)
        if letters is not None:
            at = letters.combine_chunks() if isinstance(letters, pa.ChunkedArray) else letters
            present |= {letter: letter for letter in at.filter(column.is_null()).unique().drop_null().to_pylist()}
        absent = {str(whole(code)) for code in table.schema[name].missing}
        if isinstance(table.schema[name].scale, Numeric) and name in table.origin.get("replaced", ()):
            present = {text: v for text, v in present.items() if text in absent or isinstance(v, str)}
        values[name] = {code: text for code, text in texts.items() if str(whole(code)) in present}
        missing[name] = [entry for entry in entries if _occurs(entry, present)]
    return replace(
        labels,
        title="",
        notes=(),
        variables={n: text for n, text in labels.variables.items() if n in names},
        values={n: texts for n, texts in values.items() if texts},
        measures={n: text for n, text in labels.measures.items() if n in names},
        missing={n: entries for n, entries in missing.items() if entries},
        formats={n: text for n, text in labels.formats.items() if n in names},
    )


def _occurs(entry: Any, present: Mapping[str, Any]) -> bool:
    if is_range(entry):
        return any(is_number(v) and entry["lo"] <= v <= entry["hi"] for v in present.values())
    return str(whole(entry["lo"] if isinstance(entry, Mapping) else entry)) in present


def _fresh(
    texts: Mapping[Level, str], sources: Mapping[Level, list[Level]], table: Microdata, name: str
) -> dict[Level, str]:
    """Return what the levels that occur in a masked column are called."""
    levels = table.schema[name].scale.levels  # type: ignore[attr-defined]
    before = {str(whole(code)): text for code, text in texts.items()}
    was_text = all(isinstance(code, str) for code in texts)
    fresh: dict[Level, str] = {}
    for code in sorted(set(table.encoded(name).tolist()) - {-1}):
        level = levels[code]
        own = before.get(str(whole(level)))
        parts = [str(whole(one)) for one in sources.get(level, ())]
        # Parts that had no label have nothing to say; beside one that had, they must be named.
        merged = [before.get(part, part) for part in parts] if any(part in before for part in parts) else []
        if own is None and isinstance(level, str) and not was_text:
            fresh[level] = level  # codes that a hierarchy or a map gave a name
        elif len(merged) > 1:
            fresh[level] = _JOIN.join(merged)[:_LONGEST]
        elif own is not None or merged:
            fresh[level] = own or merged[0]
    return fresh


def _letter(code: Level, texts: Mapping[Level, str]) -> bool:
    """Say whether a code is one of the letters that stand for missing numbers in Stata and SAS."""
    return isinstance(code, str) and len(code) == 1 and not all(isinstance(other, str) for other in texts)


def _measure(attribute: Attribute, before: str) -> str:
    if before not in {"nominal", "ordinal", "scale"}:
        return before
    return {"numeric": "scale", "ordinal": "ordinal", "nominal": "nominal"}.get(attribute.scale.kind, before)


def _sources(provenance: Provenance, declared: Schema, table: Microdata, name: str) -> dict[Level, list[Level]]:
    """Return, for a recoding, which levels each released level stands for; nothing for a method that draws."""
    matrix, before, after = provenance.transitions.get(name), declared[name].scale, table.schema[name].scale
    if matrix is None or not isinstance(before, Categorical) or not isinstance(after, Categorical):
        return {}
    possible = matrix[: len(before), : len(after)]
    if possible.shape != (len(before), len(after)) or (possible.sum(axis=1) > 1).any():
        return {}
    return {
        level: [before.levels[i] for i in possible[:, j].nonzero()[0].tolist()] for j, level in enumerate(after.levels)
    }


def to_metadata(labels: Labels) -> dict[bytes, bytes]:
    """Return labels as an entry of the metadata of an Arrow schema."""
    fields = asdict(labels)
    # JSON has text keys only: codes are kept beside their labels.
    fields["values"] = {name: [[code, text] for code, text in texts.items()] for name, texts in labels.values.items()}
    return {_KEY: json.dumps(fields, ensure_ascii=False).encode()}


def from_metadata(metadata: Mapping[bytes, bytes] | None) -> Labels | None:
    """Return the labels in the metadata of an Arrow schema, or None; what cannot be read is left alone."""
    if not metadata or _KEY not in metadata:
        return None
    try:
        fields = json.loads(metadata[_KEY])
        fields["values"] = {name: dict(pairs) for name, pairs in fields["values"].items()}
        fields["notes"] = tuple(fields["notes"])
        return Labels(**fields)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
