"""What a report shows, gathered from the original, the release and its assessments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet import catalogue
from discreet.contracts.assessment import Assessment, Verdict
from discreet.contracts.dossier import Dossier, FileListed
from discreet.contracts.engine import Engine, TablePair
from discreet.contracts.intruder import Intruder
from discreet.contracts.masked import Provenance
from discreet.contracts.remark import Remark
from discreet.data.block import Block
from discreet.data.microdata import Microdata
from discreet.data.table import StoredTable
from discreet.errors import DiscreetError
from discreet.evaluation.assessing import engine_for
from discreet.evaluation.changes import CellCounts, CellTally, changes_told, suppressions_told
from discreet.evaluation.group_sizes import group_sizes
from discreet.evaluation.pictures import flows, profile, relations, shares
from discreet.evaluation.study import Study
from discreet.parameters import summary_of
from discreet.release.abridged import LevelCounts, abridge_protocol, abridge_record, many_levels, telling_of
from discreet.statistics import question
from discreet.statistics.sampled_pairs import PairSample

__all__ = ["SMALLEST", "gather"]

SMALLEST = {"internal": 5, "external": 10}
"""The fewest records that a bar of a picture may stand for: a published one is held to the usual rule of ten."""


_PICTURES = 24
"""How many attributes are drawn, of each kind; a file of hundreds would make a report that nobody opens."""


_DRAWN = 100_000
"""Records that pictures are made of where there are too many to hold; what is counted is counted of all."""


@dataclass(frozen=True, repr=False)
class _Looked:
    """What is seen of a table and its release: all of it, or counts of all and some records."""

    first: Microdata
    second: Microdata
    tally: CellTally
    telling: Mapping[str, Any]
    drawn: str = ""


def gather(
    original: Microdata | StoredTable,
    released: Microdata | StoredTable,
    provenance: Provenance,
    assessment: Assessment,
    audience: str,
    before: Mapping[str, Assessment],
    after: Mapping[str, Assessment],
    verdicts: Sequence[Verdict],
    advice: Sequence[Remark],
    certificate: Any,
    study: Study | None,
    protocol: str | None,
    domains: Sequence[str] = (),
    tell: Sequence[str] = (),
    engine: Engine | None = None,
    about: Dossier | None = None,
    files: Sequence[FileListed] = (),
    intruders: Sequence[Intruder] = (),
) -> Any:
    """Return what a page for an audience shows, of two tables with the same records in the same order."""
    from discreet.report.contents import Contents

    looked = _looked(original, released, domains, engine)
    first, second, telling = looked.first, looked.second, looked.telling
    steps = provenance.history or (provenance,)
    smallest = SMALLEST[audience]
    maskers = catalogue.maskers()
    touched = {name for step in steps for name in step.attributes}
    from discreet.evaluation.exposure import expose  # compiled code, which only a report needs

    exposed = audience == "internal" and not looked.drawn  # who is alone among some need not be alone among all
    keys = _keys(assessment, *after.values())
    shared = [name for name in keys if name in first.schema and name in second.schema]
    return Contents(
        provenance=abridge_record(provenance, telling),
        assessment=assessment,
        schema=original.schema,
        summaries={step.method: summary_of(maskers[step.method]) for step in steps if step.method in maskers},
        before=before,
        after=after or {"all keys": assessment},
        distributions=tuple(
            d for d in profile(first, second, smallest, by_release=audience == "external") if d.name in touched
        )[:_PICTURES],
        shares=tuple(s for s in shares(first, second, smallest) if s.name in touched)[:_PICTURES],
        flows=flows(first, second, smallest),
        correlations=relations(first, second),
        exposure=expose(first, second, keys) if exposed else None,
        verdicts=tuple(verdicts),
        remarks=tuple(advice),
        certificate=_sentences(certificate),
        ranking=tuple(study.ranking()) if study is not None else (),
        front=tuple(study.front()) if study is not None else (),
        protocol=abridge_protocol(protocol, telling),
        changes=changes_told(looked.tally, _cell_losses(assessment), smallest),
        suppressions=suppressions_told(looked.tally, released.schema, smallest),
        tell=tuple(tell),
        unmasked_study=study.unmasked_entry() if study is not None else None,
        drawn=looked.drawn,
        about=about or Dossier(),
        files=tuple(files),
        classes={step.method: maskers[step.method].iso_20889 for step in steps if step.method in maskers},
        in_words={intruder.name: intruder.in_words for intruder in intruders if intruder.in_words},
        sizes_before=group_sizes(first, shared) if exposed else (),
        sizes_after=group_sizes(second, shared) if exposed else (),
    )


def _looked(
    original: Microdata | StoredTable, released: Microdata | StoredTable, domains: Sequence[str], engine: Engine | None
) -> _Looked:
    """Look at two tables: as a whole where they fit into memory, else in a pass, with some of their records."""
    n = len(original)
    names = tuple(a.name for a in original.schema if a.role != "identifier" and a.name in released.schema)
    levels = LevelCounts(many_levels(original.schema))
    if not TablePair(original, released).stored or n <= question.MOST_AT_ONCE:
        first, second = (
            table.in_memory(table.schema.names) if isinstance(table, StoredTable) else table
            for table in (original, released)
        )
        telling = telling_of(first.schema, levels.counted(first))
        cells = CellCounts(tuple(_domains(first, domains, telling)), names)
        return _Looked(first, second, cells.summarise(Block(np.arange(n), first, second)), telling)
    where = engine or engine_for(original, released)
    cells = CellCounts(tuple(_domains(original, domains, {})), names)
    questions: list[Any] = [cells, PairSample(names, _DRAWN, n), *([levels] if levels.original else [])]
    statistics = where.summarise(TablePair(original, released), questions)
    for one in statistics:
        if isinstance(one, DiscreetError):
            raise one
    tally, sample, *held = statistics
    telling = telling_of(original.schema, held[0].counts if held else {})
    tally = replace(tally, domains={name: groups for name, groups in tally.domains.items() if name not in telling})
    first, second = sample.tables()
    drawn = f"Pictures and correlations are of a sample of {len(first):,} of {n:,} records; changed cells are of all."
    return _Looked(first, second, tally, telling, drawn)


def _cell_losses(assessment: Assessment) -> Mapping[str, float]:
    return next((m.per_attribute for m in assessment.measurements if m.name == "cell-loss"), {})


def _domains(table: Microdata | StoredTable, domains: Sequence[str], telling: Mapping[str, Any]) -> list[str]:
    """Return what suppressed cells are counted by; levels that tell records apart are no groups."""
    names = domains or table.schema.of_scale("ordinal", "nominal", among=table.schema.of_role("stratum"))
    return [name for name in names if name not in telling]


def _keys(*assessments: Assessment) -> tuple[str, ...]:
    """Return what any of the intruders knows, each key once."""
    return tuple(dict.fromkeys(name for assessment in assessments for name in assessment.known))


def _sentences(certificate: Any) -> tuple[str, ...]:
    if certificate is None:
        return ()
    sentence = certificate if isinstance(certificate, str) else str(certificate.sentence)
    return (f"{sentence[:1].upper()}{sentence[1:].rstrip('.')}.",)
