"""What a page leaves out: levels that are as good as the values of records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np

from discreet.contracts.masked import Provenance
from discreet.data.block import Block
from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical, Nominal
from discreet.data.schema import Schema
from discreet.errors import DiscreetError
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Step
from discreet.typing import IntArray

__all__ = ["LevelCounts", "abridge_protocol", "abridge_record", "many_levels", "telling_attributes", "telling_of"]

_MANY = 20
_FEW_RECORDS = 5
_BY_LEVEL = ("maps", "hierarchies")
"""Parameters that list the levels of an attribute."""

_WORDS = re.compile(r'(?<=")[^"\n]+(?=")|[\w.+-]+')
"""Where a level may stand in the text of a protocol: in quotes, or bare as a number."""


def telling_attributes(table: Microdata) -> dict[str, frozenset[str]]:
    """Return the attributes whose levels tell records apart, with these levels as text.

    More than twenty levels, of which at least half are held by fewer than five records: postcodes of a small file,
    dates of birth, names. The levels of others are a codebook, which a page may show.
    """
    return telling_of(table.schema, LevelCounts(many_levels(table.schema)).counted(table))


def many_levels(schema: Schema) -> tuple[str, ...]:
    """Return the attributes with so many levels that these may tell records apart."""
    return tuple(
        a.name for a in schema if isinstance(a.scale, Categorical) and len(a.scale) > _MANY and a.role != "identifier"
    )


def telling_of(schema: Schema, counts: Mapping[str, IntArray]) -> dict[str, frozenset[str]]:
    """Return the same of how many records have each level, counted in memory or block by block."""
    return {
        name: frozenset(map(str, cast("Categorical", schema[name].scale).levels))
        for name, held in counts.items()
        if 2 * int((held < _FEW_RECORDS).sum()) >= held.size
    }


@dataclass(frozen=True)
class HeldLevels:
    """By attribute, how many records have each level."""

    counts: dict[str, IntArray]

    def merge(self, later: HeldLevels, /) -> HeldLevels:
        return HeldLevels({name: held + later.counts[name] for name, held in self.counts.items()})


@dataclass(frozen=True)
class LevelCounts:
    """Ask how many records of the original have each level of some attributes."""

    original: tuple[str, ...]
    released: ClassVar[tuple[str, ...]] = ()

    def counted(self, table: Microdata) -> dict[str, IntArray]:
        """Return the counts of a table by attribute."""
        counts = {}
        for name in self.original:
            codes = table.encoded(name)
            size = len(cast("Categorical", table.schema[name].scale))
            counts[name] = np.bincount(codes[codes >= 0], minlength=size).astype(np.int64)
        return counts

    def summarise(self, block: Block, /) -> HeldLevels:
        return HeldLevels(self.counted(block.original))


def abridge_record(known: Provenance, telling: Mapping[str, frozenset[str]]) -> Provenance:
    """Return the record of a masking in which the levels of some attributes are counted and not named."""
    if not telling:
        return known
    return replace(
        known,
        parameters=_abridged(known.parameters, telling),
        history=tuple(abridge_record(step, telling) for step in known.history),
    )


def abridge_protocol(text: str | None, telling: Mapping[str, frozenset[str]]) -> str | None:
    """Return the text of a protocol in which the levels of some attributes are counted and not named."""
    if text is None or not any(levels & set(_WORDS.findall(text)) for levels in telling.values()):
        return text
    try:
        plan = Protocol.from_toml(text)
    except DiscreetError:
        return None  # what cannot be read cannot be abridged
    hidden = [replace(plan.schema[n], scale=Nominal((_count(len(c)),))) for n, c in telling.items() if n in plan.schema]
    steps = [Step(step.method, _abridged(dict(step.parameters), telling), step.unit) for step in plan.steps]
    abridged = replace(plan, schema=plan.schema.replacing(*hidden), steps=steps, comments={})
    note = f"# Levels that would tell records apart are left out here: {', '.join(telling)}.\n"
    return note + abridged.to_toml()


def _abridged(parameters: Mapping[str, Any], telling: Mapping[str, frozenset[str]]) -> dict[str, Any]:
    """Count what is said of the levels of an attribute, in the parameters of a step or of several."""
    result: dict[str, Any] = {}
    for name, value in parameters.items():
        if name in _BY_LEVEL and isinstance(value, Mapping):
            result[name] = {
                attribute: _count(len(levels)) if attribute in telling and not isinstance(levels, str) else levels
                for attribute, levels in value.items()
            }
        elif name == "steps" and isinstance(value, list):
            result[name] = [_abridged(one, telling) if isinstance(one, Mapping) else one for one in value]
        else:
            result[name] = value
    return result


def _count(levels: int) -> str:
    return f"{levels} levels"
