"""What a form says about an attribute, turned into its declaration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discreet.data.microdata import Microdata
from discreet.data.scales import SCALES, Categorical, Date, DateTime, Nominal, Numeric, Ordinal, Succession
from discreet.data.schema import ROLES, Attribute
from discreet.errors import SchemaError
from discreet.studio.session_values import Answer
from discreet.typing import Level

__all__ = ["declared"]

_OF_NUMBERS = {"numeric": Numeric, "date": Date, "datetime": DateTime}


def declared(attribute: Attribute, answer: Answer | None, table: Microdata) -> Attribute:
    """Return the attribute as an answer says; levels that a new scale needs are read off the table."""
    if answer is None:
        return attribute
    if answer.role not in ROLES:
        raise SchemaError(f"Attribute {attribute.name!r}: there is no role {answer.role!r}.")
    missing = tuple(_code(text, attribute.missing) for text in answer.missing)
    scale = attribute.scale
    if isinstance(scale, Categorical) and answer.order:
        if sorted(answer.order) != list(range(len(scale))):
            raise SchemaError(f"Attribute {attribute.name!r}: every level must be in the order once.")
        levels = tuple(scale.levels[i] for i in answer.order)
        if levels != scale.levels:
            scale = (Ordinal if scale.ordered else Nominal)(levels)
    if answer.scale != scale.name or set(missing) != set(attribute.missing):
        scale = _scale(attribute, answer.scale, missing, scale, table)
    return Attribute(attribute.name, scale, answer.role, missing, answer.label)


def _scale(attribute: Attribute, kind: str, missing: tuple[Level, ...], present: Any, table: Microdata) -> Any:
    """Return a scale of another kind, with the levels that are in the table: known levels first, in their order."""
    if kind == present.name and not isinstance(present, (Categorical, Succession)):
        return present
    if kind in _OF_NUMBERS:
        return _OF_NUMBERS[kind]()
    if issubclass(SCALES.get(kind, Numeric), Succession) or isinstance(present, Succession):
        if isinstance(present, Succession) and kind == present.name:
            return present
        raise SchemaError(
            f"Attribute {attribute.name!r} cannot be made {kind} here.",
            hint="Declare it in a protocol or a schema file.",
        )
    absent = {str(code) for code in missing}
    plain = Microdata(table.to_native(), table.schema).column(attribute.name)
    values = [v for v in dict.fromkeys(plain.drop_null().to_pylist()) if str(v) not in absent]
    declared = {str(level): level for level in getattr(present, "levels", ())}
    remaining = [level for text, level in declared.items() if text not in absent]
    new = [v for v in values if str(v) not in declared]
    numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in new)
    levels = [*remaining, *sorted(new, key=None if numbers else str)]
    if not levels:
        raise SchemaError(f"Attribute {attribute.name!r} has no value that is not a missing code.")
    return (Ordinal if kind == "ordinal" else Nominal)(tuple(levels))


def _code(text: str, declared: Sequence[Level]) -> Level:
    """Return a missing code as it was declared before, or else as the number it looks like, or as text."""
    for code in declared:
        if str(code) == text:
            return code
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
