"""What a file says about its columns and codes, read into a schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from discreet.data.inference import Proposal
from discreet.data.scales import Categorical, Nominal, Numeric, Ordinal
from discreet.data.scales.scale import as_arrow, hide_missing, is_text
from discreet.data.schema import Attribute, Schema
from discreet.typing import Level

__all__ = ["Labels", "declared_by_labels", "is_number", "is_range", "whole"]

_NUMBERS = {"int8", "int16", "int32", "int64", "float", "double"}


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
    texts = {name: dict(values) for name, values in labels.values.items()}
    attributes = [_with_reason(attribute, reasons[attribute.name]) for attribute in attributes]
    return replace(proposal, schema=Schema(attributes), reasons=reasons, missing=missing, value_labels=texts)


def _with_reason(attribute: Attribute, reason: str) -> Attribute:
    """Return the attribute with why it is so; what the file says of a scale is not asked again."""
    inferred = attribute.inferred
    if inferred is None:
        return attribute
    said = "the file says" in reason or "labels" in reason
    return replace(attribute, inferred=replace(inferred, reason=reason, question="" if said else inferred.question))


def _missing_codes(column: Any, labels: Labels, name: str) -> tuple[Level, ...]:
    entries = labels.missing.get(name, [])
    single = [e["lo"] if isinstance(e, Mapping) else e for e in entries if not is_range(e)]
    ranges = [entry for entry in entries if is_range(entry)]
    if ranges:
        # A range names no codes: those that occur in it, or have a label, are listed.
        numbers = [v for v in [*column.unique().to_pylist(), *labels.values.get(name, {})] if is_number(v)]
        single += [v for v in numbers if any(one["lo"] <= v <= one["hi"] for one in ranges)]
    return tuple(sorted({whole(code) for code in single}, key=lambda code: (isinstance(code, str), code)))


def is_range(entry: Any) -> bool:
    """Say whether a missing code stands for a range."""
    return isinstance(entry, Mapping) and entry["lo"] != entry["hi"]


def is_number(value: Any) -> bool:
    """Say whether a code is a number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def whole(code: Any) -> Any:
    """Return a whole number as such."""
    return int(code) if isinstance(code, float) and code.is_integer() else code


def _declared(attribute: Attribute, column: Any, labels: Labels, codes: tuple[Level, ...]) -> tuple[Attribute, str]:
    name = attribute.name
    missing = tuple(dict.fromkeys([*codes, *(attribute.missing if not codes else ())]))
    named = replace(attribute, label=labels.variables.get(name, ""), missing=())
    measure, values = labels.measures.get(name, ""), labels.values.get(name, {})
    text, number = is_text(column), str(column.type) in _NUMBERS
    if named.role in {"identifier", "weight"} or not (text or number):
        return _fitting(named, missing), ""
    labelled = [whole(code) for code in values if whole(code) not in missing and isinstance(code, str) == text]
    if not labelled and measure not in {"nominal", "ordinal"}:
        if measure == "scale" and number:
            return replace(
                named, scale=Numeric(), missing=missing
            ), f"numbers; the file says scale{_count_of_codes(missing)}"
        return _fitting(named, missing), ""
    present = [whole(v) for v in hide_missing(column, missing).drop_null().unique().to_pylist()]
    why = _count_of_codes(missing)
    all_named = bool(labelled) and set(present) <= set(labelled)
    if labelled and (measure in {"nominal", "ordinal"} or all_named):
        levels = tuple(labelled) if text and all_named else tuple(sorted({*labelled, *present}))
        scale: Categorical = Ordinal(levels) if measure == "ordinal" else Nominal(levels)
        reason = f"the file says {measure}" if measure in {"nominal", "ordinal"} else "all its codes have labels"
        return replace(named, scale=scale, missing=missing), f"{len(labelled)} labelled values; {reason}{why}"
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


def _count_of_codes(missing: tuple[Level, ...]) -> str:
    return f"; {len(missing)} missing code{'' if len(missing) == 1 else 's'} in the file" if missing else ""


def _fitting(attribute: Attribute, missing: tuple[Level, ...]) -> Attribute:
    """Return the guessed attribute with the file's missing codes, which are then no levels."""
    scale = attribute.scale
    if isinstance(scale, Categorical) and set(scale.levels) & set(missing):
        levels = tuple(level for level in scale.levels if level not in missing)
        scale = type(scale)(levels or ("",))  # type: ignore[call-arg]
    return replace(attribute, scale=scale, missing=missing)
