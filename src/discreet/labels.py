"""What a file says about its columns: labels, measurement levels, missing codes; read into a schema and kept true.

SPSS, Stata and SAS files describe themselves. A :class:`Labels` travels with the table (in ``Microdata.origin``) from
the reader to the writer. In between, masking merges categories, renames them and empties some, so the writer asks
:func:`after_masking` for labels that fit the release.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import pyarrow as pa

from discreet.inference import Proposal
from discreet.microdata import Microdata
from discreet.results import Provenance
from discreet.scales import Categorical, Nominal, Numeric, Ordinal
from discreet.scales.base import as_arrow, hide_missing, is_text
from discreet.schema import Attribute, Schema
from discreet.typing import Level

__all__ = ["Labels", "after_masking", "declared_by_labels", "from_metadata", "occurring", "to_metadata"]

_KEY = b"discreet.labels"
_JOIN = " / "
_NUMBERS = {"int8", "int16", "int32", "int64", "float", "double"}
_LONGEST = 120
"""Characters of a label; the formats that limit them allow no more."""


@dataclass(frozen=True)
class Labels:
    """What a file says about itself and its columns.

    Attributes
    ----------
    title : str
        The label of the file.
    notes : tuple of str
    variables : dict of str to str
        By column, what it is called.
    values : dict of str to dict
        By column, what its codes are called.
    measures : dict of str to str
        By column, ``"nominal"``, ``"ordinal"`` or ``"scale"``.
    missing : dict of str to list
        By column, codes and ranges (``{"lo": …, "hi": …}``) that stand for no value.
    formats : dict of str to str
        By column, how the program that wrote the file shows it; means something to that program only.
    source : str
        The ending of the file's format.
    """

    title: str = ""
    notes: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[Level, str]] = field(default_factory=dict)
    measures: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, list[Any]] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)
    source: str = ""

    def __repr__(self) -> str:
        return f"Labels({len(self.variables)} columns labelled, {len(self.values)} with labelled values)"


# ---------------------------------------------------------------------------------------------------------- declaring


def declared_by_labels(proposal: Proposal, table: Any, labels: Labels) -> Proposal:
    """Return a proposal in which what the file says about its columns goes before what was guessed.

    User-missing codes become missing codes; a column with labelled values becomes a category with all labelled levels,
    ordered where the file says so; a column that is measured on a scale becomes numeric.
    """
    attributes, reasons, missing = [], dict(proposal.reasons), dict(proposal.missing)
    for attribute in proposal.schema:
        name = attribute.name
        column = as_arrow(table.column(name))
        codes = _missing_codes(column, labels, name)
        changed, why = _declared(attribute, column, labels, codes)
        attributes.append(changed)
        if why:
            role = (
                []
                if changed.role != attribute.role
                else [part for part in proposal.reasons[name].split("; ")[1:] if "missing code" not in part]
            )
            reasons[name] = "; ".join([why, *role])
        missing[name] = int(hide_missing(column, changed.missing).null_count)
    known = {name: dict(values) for name, values in labels.values.items()}
    return replace(proposal, schema=Schema(attributes), reasons=reasons, missing=missing, value_labels=known)


def _missing_codes(column: Any, labels: Labels, name: str) -> tuple[Level, ...]:
    entries = labels.missing.get(name, [])
    single = [e["lo"] if isinstance(e, Mapping) else e for e in entries if not _is_range(e)]
    ranges = [entry for entry in entries if _is_range(entry)]
    if ranges:
        # A range names no codes: those that occur in it, or have a label, are listed.
        seen = [v for v in [*column.unique().to_pylist(), *labels.values.get(name, {})] if _is_number(v)]
        single += [v for v in seen if any(one["lo"] <= v <= one["hi"] for one in ranges)]
    return tuple(sorted({_whole(code) for code in single}, key=lambda code: (isinstance(code, str), code)))


def _is_range(entry: Any) -> bool:
    return isinstance(entry, Mapping) and entry["lo"] != entry["hi"]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _whole(code: Any) -> Any:
    return int(code) if isinstance(code, float) and code.is_integer() else code


def _declared(attribute: Attribute, column: Any, labels: Labels, codes: tuple[Level, ...]) -> tuple[Attribute, str]:
    name = attribute.name
    missing = tuple(dict.fromkeys([*codes, *(attribute.missing if not codes else ())]))
    named = replace(attribute, label=labels.variables.get(name, ""), missing=())
    measure, values = labels.measures.get(name, ""), labels.values.get(name, {})
    text, number = is_text(column), str(column.type) in _NUMBERS
    if named.role in {"identifier", "weight"} or not (text or number):
        return _fitting(named, missing), ""
    known = [_whole(code) for code in values if _whole(code) not in missing and isinstance(code, str) == text]
    if not known and measure not in {"nominal", "ordinal"}:
        if measure == "scale" and number:
            return replace(named, scale=Numeric(), missing=missing), f"numbers; the file says scale{_said(missing)}"
        return _fitting(named, missing), ""
    present = [_whole(v) for v in hide_missing(column, missing).drop_null().unique().to_pylist()]
    why = _said(missing)
    all_named = bool(known) and set(present) <= set(known)
    if known and (measure in {"nominal", "ordinal"} or all_named):
        levels = tuple(known) if text and all_named else tuple(sorted({*known, *present}))
        scale: Categorical = Ordinal(levels) if measure == "ordinal" else Nominal(levels)
        said = f"the file says {measure}" if measure in {"nominal", "ordinal"} else "all its codes have labels"
        return replace(named, scale=scale, missing=missing), f"{len(known)} labelled values; {said}{why}"
    if measure == "scale" and not text:
        return replace(named, scale=Numeric(), missing=missing), f"numbers; the file says scale{why}"
    if measure in {"nominal", "ordinal"} and present:
        if measure == "nominal" and named.role == "key" and len(present) > max(20, 0.9 * len(column)):
            hidden = replace(named, scale=Nominal(("",)), role="identifier", missing=missing)
            return hidden, f"{len(present)} different codes; nearly every value is different: it will not be released"
        levels = tuple(sorted(present))
        scale = Ordinal(levels) if measure == "ordinal" else Nominal(levels)
        return replace(named, scale=scale, missing=missing), f"{len(levels)} values; the file says {measure}{why}"
    return _fitting(named, missing), ""


def _said(missing: tuple[Level, ...]) -> str:
    return f"; {len(missing)} missing code{'' if len(missing) == 1 else 's'} in the file" if missing else ""


def _fitting(attribute: Attribute, missing: tuple[Level, ...]) -> Attribute:
    """Return the guessed attribute with the file's missing codes, which are then no levels."""
    scale = attribute.scale
    if isinstance(scale, Categorical) and set(scale.levels) & set(missing):
        left = tuple(level for level in scale.levels if level not in missing)
        scale = type(scale)(left or ("",))  # type: ignore[call-arg]
    return replace(attribute, scale=scale, missing=missing)


# ------------------------------------------------------------------------------------------------------ after masking


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
    for name, known in labels.values.items():
        if name not in table.schema:
            continue
        scale, missing = table.schema[name].scale, table.schema[name].missing
        kept = {code: text for code, text in known.items() if _whole(code) in missing or _letter(code, known)}
        if isinstance(scale, Categorical) and name in masked and provenance is not None:
            values[name] = _fresh(known, _sources(provenance, declared, table, name), table, name) | kept
        elif isinstance(scale, Numeric) and name in masked:
            values[name] = kept  # a number that came about by masking is not the code that it may look like
        elif isinstance(scale, Categorical) and scale != declared[name].scale:
            values[name] = {code: text for code, text in known.items() if _whole(code) in scale.levels} | kept
        else:
            values[name] = known
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
        entries, known = labels.missing.get(name, []), labels.values.get(name, {})
        if not entries and not known:
            continue
        column = table.column(name)
        present = {} if pa.types.is_nested(column.type) else {str(_whole(v)): v for v in column.unique().to_pylist()}
        letters = table.origin.get("verbatim_missing", {}).get(name)
        if letters is not None:
            at = letters.combine_chunks() if isinstance(letters, pa.ChunkedArray) else letters
            present |= {letter: letter for letter in at.filter(column.is_null()).unique().drop_null().to_pylist()}
        absent = {str(_whole(code)) for code in table.schema[name].missing}
        if isinstance(table.schema[name].scale, Numeric) and name in table.origin.get("replaced", ()):
            present = {text: v for text, v in present.items() if text in absent or isinstance(v, str)}
        values[name] = {code: text for code, text in known.items() if str(_whole(code)) in present}
        missing[name] = [entry for entry in entries if _occurs(entry, present)]
    return replace(
        labels,
        title="",
        notes=(),
        variables={n: text for n, text in labels.variables.items() if n in names},
        values={n: known for n, known in values.items() if known},
        measures={n: text for n, text in labels.measures.items() if n in names},
        missing={n: entries for n, entries in missing.items() if entries},
        formats={n: text for n, text in labels.formats.items() if n in names},
    )


def _occurs(entry: Any, present: Mapping[str, Any]) -> bool:
    if _is_range(entry):
        return any(_is_number(v) and entry["lo"] <= v <= entry["hi"] for v in present.values())
    return str(_whole(entry["lo"] if isinstance(entry, Mapping) else entry)) in present


def _fresh(
    known: Mapping[Level, str], sources: Mapping[Level, list[Level]], table: Microdata, name: str
) -> dict[Level, str]:
    """Return what the levels that occur in a masked column are called."""
    levels = table.schema[name].scale.levels  # type: ignore[attr-defined]
    before = {str(_whole(code)): text for code, text in known.items()}
    was_text = all(isinstance(code, str) for code in known)
    fresh: dict[Level, str] = {}
    for code in sorted(set(table.encoded(name).tolist()) - {-1}):
        level = levels[code]
        own = before.get(str(_whole(level)))
        parts = [str(_whole(one)) for one in sources.get(level, ())]
        # Parts that had no label have nothing to say; beside one that had, they must be named.
        merged = [before.get(part, part) for part in parts] if any(part in before for part in parts) else []
        if own is None and isinstance(level, str) and not was_text:
            fresh[level] = level  # codes that a hierarchy or a map gave a name
        elif len(merged) > 1:
            fresh[level] = _JOIN.join(merged)[:_LONGEST]
        elif own is not None or merged:
            fresh[level] = own or merged[0]
    return fresh


def _letter(code: Level, known: Mapping[Level, str]) -> bool:
    """Say whether a code is one of the letters that stand for missing numbers in Stata and SAS."""
    return isinstance(code, str) and len(code) == 1 and not all(isinstance(other, str) for other in known)


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


# ------------------------------------------------------------------------------------------ in Parquet and Arrow files


def to_metadata(labels: Labels) -> dict[bytes, bytes]:
    """Return labels as an entry of the metadata of an Arrow schema."""
    fields = asdict(labels)
    # JSON has text keys only: codes are kept beside their labels.
    fields["values"] = {name: [[code, text] for code, text in known.items()] for name, known in labels.values.items()}
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
