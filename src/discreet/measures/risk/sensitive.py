"""What the risks of attributes within groups share: groups of equal keys, and the confidential attributes in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from discreet.measures.risk.frequency import FrequencyRisk
from discreet.parameters import Constraint, Names, Optional
from discreet.schema import Schema

__all__ = ["SensitiveRisk"]


class SensitiveRisk(FrequencyRisk):
    """A risk of learning a confidential attribute from the group a record is in.

    A missing cell is a value of its own.
    """

    guessed: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    """The scales of what is learnt: a sequence may be a key, and is not guessed."""

    parameters: ClassVar[Mapping[str, Constraint]] = {"attributes": Optional(Names()), "sensitive": Optional(Names())}

    def __init__(self, *, attributes: Sequence[str] | None = None, sensitive: Sequence[str] | None = None) -> None:
        super().__init__(attributes=attributes, missing="category")
        self.sensitive = sensitive

    def _sensitive(self, schema: Schema) -> tuple[str, ...]:
        wanted = schema.of_role("confidential") if self.sensitive is None else tuple(self.sensitive)
        for name in wanted:
            schema[name]
        return schema.of_scale(*self.guessed, among=wanted)

    def _candidates(self, schema: Schema) -> tuple[str, ...]:
        sensitive = self._sensitive(schema)
        return tuple(name for name in super()._candidates(schema) if name not in sensitive) if sensitive else ()

    def _comparable(self, names: tuple[str, ...], before: Schema, after: Schema) -> tuple[str, ...]:
        sensitive = self._sensitive(before)
        if not any(name in after for name in sensitive):
            return ()
        return tuple(name for name in super()._comparable(names, before, after) if name not in sensitive)
