"""What intruders of given knowledge make of a release, one assessment each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from discreet import catalogue
from discreet.contracts.assessment import Assessment
from discreet.contracts.engine import Engine
from discreet.contracts.intruder import Intruder
from discreet.contracts.masked import Masked, Provenance
from discreet.contracts.measure import Measure
from discreet.data.microdata import Microdata, microdata
from discreet.data.schema import Schema
from discreet.data.table import StoredTable
from discreet.engines.memory import MemoryEngine
from discreet.engines.streaming import StreamingEngine
from discreet.errors import SchemaError
from discreet.evaluation.attacking import ALL_KEYS, MEASURED, is_used_by, seen_by
from discreet.evaluation.further_linkers import linked_by
from discreet.evaluation.headline import headlines
from discreet.evaluation.intruder_view import as_released
from discreet.evaluation.measuring import applicable, paired, take_measures
from discreet.evaluation.score import papers_score
from discreet.progress import report as report_progress
from discreet.statistics import question

__all__ = ["assess_intruders", "within_memory"]


def assess_intruders(
    original: Any,
    masked: Any,
    intruders: Sequence[Intruder] = (),
    *,
    schema: Schema | None = None,
    measures: Iterable[str | Measure] = (),
    engine: Engine | None = None,
    provenance: Provenance | None = None,
) -> dict[str, Assessment]:
    """Assess a release once for each intruder.

    Parameters
    ----------
    original : Microdata, frame or StoredTable
    masked : Masked, Microdata, frame or StoredTable
        The same records in the same order, unless its provenance says which they are.
    intruders : sequence of Intruder
        Without any, one intruder who knows every key.
    schema : Schema, optional
        For plain frames.
    measures : iterable of str or Measure
        Measures to add to those that are taken unasked.
    engine : Engine, optional
    provenance : Provenance, optional
        How a release in files came about.

    Returns
    -------
    dict of str to Assessment
        By scenario. In each, what the intruder knows is a key and every other key is not; the score's risk is the
        highest success of the scenario's linkers, on all that he knows, on parts of it, and of every other intruder
        whose knowledge is a part of his. Losses are those of the whole release and the same in all.

    Examples
    --------
    >>> from discreet.datasets import business
    >>> from discreet.masking.microaggregation.numbers.mdav import MDAV
    >>> data = business(60)
    >>> assessments = assess_intruders(data, MDAV(k=4).mask(data), [Intruder("tax office", ("TURNOVER", "EMPLOYEES"))])
    >>> assessments["tax office"].known
    ('EMPLOYEES', 'TURNOVER')
    """
    original, masked = within_memory(original, masked, provenance)
    stored = isinstance(original, StoredTable) or isinstance(masked, StoredTable)
    whole: Any = original if isinstance(original, (Microdata, StoredTable)) else microdata(original, schema)
    before, release = paired(whole, masked, schema)
    runner = engine or (StreamingEngine() if stored else MemoryEngine())
    if not before.schema.keys and not intruders:
        raise SchemaError(
            "The schema names no key, so there is no intruder to measure against.",
            hint='Give role = "key" to what an intruder may know, or write a [[scenario]].',
        )
    everybody = list(intruders) or [Intruder(ALL_KEYS, before.schema.keys)]
    added = {item if isinstance(item, str) else item.name: item for item in measures}
    applied, unfit = applicable(_measures_of("loss", added), before, before, release)
    losses, lost = take_measures(applied, before, release, engine=runner, provenance=provenance)
    recoded = before if stored else as_released(before, release)
    measured = {}
    for number, intruder in enumerate(everybody):
        report_progress("attacking", number, len(everybody))
        table = seen_by(intruder.known, recoded)
        possible = [m for m in _measures_of("risk", added) if is_used_by(intruder, m)]
        applied, unseen = applicable(possible, before, table, release, provenance)
        risks, without = take_measures(
            # What lies in files is not recoded: who knows what is in the schema of the table.
            applied, table if stored else before, release, known=None if stored else table, engine=runner,
            provenance=provenance,
        )  # fmt: skip
        tables = (table if recoded is before else seen_by(intruder.known, before), table)
        held = {one.name for one in risks}
        for name in () if stored else intruder.linkers:
            if name in MEASURED or f"{name}-linkage" in held:
                continue
            if (linked_risk := linked_by(intruder, name, tables, release, runner)) is not None:
                risks.append(linked_risk)
        measured[intruder.name] = (risks, [*without, *unseen])
    fitting = None if stored else recoded
    scores = headlines(whole, before, release, everybody, known=fitting, taken=measured, losses=losses, engine=runner)
    report_progress("attacking", len(everybody), len(everybody))
    return {
        one.name: Assessment(
            len(before),
            tuple(name for name in before.schema.names if name in one.known),
            (*measured[one.name][0], *losses),
            scores[one.name][0],
            (*measured[one.name][1], *lost, *unfit),
            unmasked=scores[one.name][1],
            papers=papers_score([*measured[one.name][0], *losses]),
        )
        for one in everybody
    }


def within_memory(original: Any, masked: Any, provenance: Provenance | None) -> tuple[Any, Any]:
    """Bring tables in files into memory where they fit there for certain: they are then assessed as any.

    Somebody who knows how the file was masked attacks it too, which needs all records.
    """
    stored = [table for table in (original, masked) if isinstance(table, StoredTable)]
    if not stored or max(map(len, stored)) > question.MOST_AT_ONCE:
        return original, masked
    first = original.in_memory(original.schema.names) if isinstance(original, StoredTable) else original
    same = masked is original  # a file beside itself, as it is
    second = first if same else masked.in_memory(masked.schema.names) if isinstance(masked, StoredTable) else masked
    known = provenance is not None and isinstance(second, Microdata)
    return first, Masked(second, provenance) if known and provenance is not None else second


def _measures_of(kind: str, added: Mapping[str, str | Measure]) -> list[Measure]:
    """Return the measures of a kind that are taken unasked, and those that were added, as they were given."""
    measures: list[Measure] = []
    for name, cls in catalogue.measures(kind).items():
        item = added.get(name)
        measure = item if isinstance(item, Measure) else cls()
        if measure.default or name in added:
            measures.append(measure)
    return measures
