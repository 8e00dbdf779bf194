"""What a page leaves out: levels that are as good as the values of records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from discreet.contracts.masked import Provenance
from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical, Nominal
from discreet.errors import DiscreetError
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Step

__all__ = ["abridge_protocol", "abridge_record", "telling_attributes"]

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
    telling = {}
    for attribute in table.schema:
        scale = attribute.scale
        if not isinstance(scale, Categorical) or len(scale) <= _MANY or attribute.role == "identifier":
            continue
        codes = table.encoded(attribute.name)
        counts = np.bincount(codes[codes >= 0], minlength=len(scale))
        if 2 * int((counts < _FEW_RECORDS).sum()) >= len(scale):
            telling[attribute.name] = frozenset(map(str, scale.levels))
    return telling


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
