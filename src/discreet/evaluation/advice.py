"""Weak choices, said in words: what a careful colleague would mention before the file leaves the house."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from discreet import catalogue
from discreet.contracts.assessment import Assessment
from discreet.contracts.masked import Masked, Provenance
from discreet.contracts.masker import Masker
from discreet.contracts.remark import Remark
from discreet.data.inference import propose_schema
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.data.table import StoredTable
from discreet.errors import wrong_type
from discreet.evaluation.telling_columns import on_households, on_repeated_persons, on_telling_columns

__all__ = [
    "advise",
    "advise_study",
    "advise_tables",
    "advise_thresholds",
    "on_aggregates",
    "on_groups",
    "on_identifiers",
    "on_schema",
    "unmasked",
    "without_identifiers",
]

_SMALLEST_GROUP = 3


_LOOKED_AT = 1000


_NAMES = 5


def advise(
    original: Microdata | StoredTable,
    masked: Masked | Microdata | StoredTable | None = None,
    assessment: Assessment | None = None,
    *,
    schema_given: bool = True,
    seed_given: bool = True,
    provenance: Provenance | None = None,
) -> tuple[Remark, ...]:
    """Return what is weak about a schema, a release and its assessment; as much as is given is looked at.

    Parameters
    ----------
    original : Microdata or StoredTable
    masked : Masked, Microdata or StoredTable, optional
        The release; how it was masked is known of a Masked, or told by `provenance`.
    assessment : Assessment, optional
    schema_given, seed_given : bool
        Whether a person declared the attributes, and chose where random draws come from.
    provenance : Provenance, optional
        How the release came about, where `masked` does not say so itself.

    Examples
    --------
    >>> from discreet.datasets import business
    >>> from discreet.masking.microaggregation.numbers.mdav import MDAV
    >>> data = business(60)
    >>> [advice.code for advice in advise(data, MDAV(k=2).mask(data))]
    ['no-confidential', 'small-k']
    """
    if not isinstance(original, (Microdata, StoredTable)):
        raise wrong_type("advise", "original must be Microdata", original, "dc.advise(dc.read(path, schema))")
    if masked is not None and not isinstance(masked, (Masked, Microdata, StoredTable)):
        raise wrong_type("advise", "masked must be what a masker gave, or Microdata", masked)
    if assessment is not None and not isinstance(assessment, Assessment):
        raise wrong_type("advise", "assessment must be what assess gave", assessment)
    remarks: list[Remark] = []
    if not schema_given:
        remarks.append(
            Remark(
                "no-schema",
                "No schema was given: roles and scales were guessed from the file.",
                "Write the proposal with `discreet inspect DATA -o schema.toml`, and look at every role.",
            )
        )
    remarks += on_schema(original.schema)
    release = masked.microdata if isinstance(masked, Masked) else masked
    record = masked.provenance if isinstance(masked, Masked) else provenance
    if release is not None:
        remarks += on_identifiers(release, () if record is None else _replaced(record))
    if record is not None and release is not None:
        remarks += _on_relations(original, record, release.schema)
        remarks += _on_masking(original.schema, record, release.schema, seed_given=seed_given)
    if assessment is not None:
        remarks += _on_risk(assessment)
    return tuple(remarks)


def advise_study(original: Microdata, candidates: Iterable[Masker], *, schema_given: bool = True) -> tuple[Remark, ...]:
    """Return what is weak about a comparison: the schema that it stands on, and candidates not to be chosen."""
    remarks = list(advise(original, schema_given=schema_given))
    remarks += on_identifiers(without_identifiers(original))
    remarks += on_groups((one.name, one.get_params(deep=False).get("k")) for one in candidates)
    return tuple(remarks)


def advise_tables(tables: Mapping[str, Microdata], on: Mapping[str, str]) -> tuple[Remark, ...]:
    """Return what is weak about tables in which only the column that joins them was exchanged.

    Parameters
    ----------
    tables : mapping of str to Microdata
    on : mapping of str to str
        By table, the column that holds fresh numbers, which look like an identifier and are none.
    """
    remarks = []
    for name, table in tables.items():
        rest = table.select(column for column in table.names if column != on.get(name))
        remarks += [replace(remark, sentence=f"{name}: {remark.sentence}") for remark in on_identifiers(rest)]
    return tuple(remarks)


def advise_thresholds(names: Sequence[str]) -> tuple[Remark, ...]:
    """Return what is weak about thresholds that the unmasked file meets already."""
    if not names:
        return ()
    verb = "is" if len(names) == 1 else "are"
    return (
        Remark(
            "threshold-met-unmasked",
            f"{_list(names)} {verb} met by the unmasked file already: such a threshold says nothing about the masking.",
            "Set it below what the unmasked file has, or take it out.",
        ),
    )


def without_identifiers(table: Microdata) -> Microdata:
    """Return what a release would have, whatever masks it: identifiers that are declared are left out."""
    return table.select(name for name in table.names if table.schema[name].role != "identifier")


def on_schema(schema: Schema) -> Iterator[Remark]:
    """Remark on what a schema declares."""
    if not schema.of_role("confidential"):
        yield Remark(
            "no-confidential",
            "No attribute is declared confidential, so nothing is measured of what an intruder would learn.",
            'Give role = "confidential" to what must not become known of a person.',
        )


def on_identifiers(release: Microdata | StoredTable, replaced: Collection[str] = ()) -> Iterator[Remark]:
    """Remark on columns that look like identifiers; not on those that a method has `replaced` by what is none."""
    present = [name for name in release.schema.of_role("identifier") if name not in replaced]
    others = [name for name in release.schema.of_role("other", "key", "confidential") if name not in replaced]
    if others and len(release):
        if isinstance(release, StoredTable):
            sample = next(release.batches(_LOOKED_AT, others))
        else:
            sample = release.take(range(min(len(release), _LOOKED_AT))).select(others)
        present += propose_schema(sample.to_native()).schema.of_role("identifier")
    if present:
        yield Remark(
            "identifiers-present",
            f"The release still has {_columns(present)} that {_look(present)} like identifiers: {_list(present)}.",
            'Give them role = "identifier", so that they are left out.',
        )


def _on_relations(original: Microdata | StoredTable, provenance: Provenance, released: Schema) -> Iterator[Remark]:
    """Remark on what columns that were left alone, and the order of records, tell of what was masked or left out."""
    steps = _steps(provenance)
    touched = {name for step in steps for name in step.attributes}
    yield from on_telling_columns(original, released, touched)
    yield from on_households(original, released, touched, reordered=any(_moves(step) for step in steps))
    if any(step.method == "date-shifting" and not step.parameters.get("person") for step in steps):
        yield from on_repeated_persons(original)


def _replaced(provenance: Provenance) -> set[str]:
    """Return the columns whose every value a step replaced, so that what looks like an identifier is none."""
    return {name for step in _steps(provenance) if _is(step, "replaces") for name in step.attributes}


def _moves(step: Provenance) -> bool:
    """Say whether records stand elsewhere after a step; by its parameters, some methods leave records out."""
    return step.rows is not None or _is(step, "reorders")


def _is(step: Provenance, what: str) -> bool:
    masker = catalogue.known("masker", step.method)
    return masker is not None and bool(getattr(masker, what))


def _on_masking(schema: Schema, provenance: Provenance, released: Schema, *, seed_given: bool) -> Iterator[Remark]:
    steps = _steps(provenance)
    yield from on_groups((step.method, step.parameters.get("k")) for step in steps)
    yield from on_aggregates(schema, ((step.method, step.parameters) for step in steps))
    touched = {name for step in steps for name in step.attributes}
    untouched = [name for name in schema.keys if name not in touched and name in released]
    if untouched:
        yield unmasked(untouched, "is" if len(untouched) == 1 else "are")
    if not seed_given and any(step.seed is not None and step.perturbative for step in steps) and _drew(steps):
        yield Remark(
            "no-seed",
            "No seed was given: one of 128 bits was drawn, and the next run will differ.",
            "To make the same file again, give the seed that stands in the internal report; keep it in the house.",
        )


def on_groups(asked: Iterable[tuple[str, Any]]) -> Iterator[Remark]:
    """Remark on every method that was asked for groups of fewer than three, once."""
    smallest: dict[str, int] = {}
    for method, k in asked:
        if isinstance(k, int) and not isinstance(k, bool) and k < _SMALLEST_GROUP:
            smallest[method] = min(k, smallest.get(method, k))
    for method, k in smallest.items():
        yield Remark(
            "small-k",
            f"{method} was asked for groups of as few as {k} records: a member can subtract itself and see the rest.",
            f"Use k = {_SMALLEST_GROUP} or more.",
        )


def on_aggregates(schema: Schema, steps: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[Remark]:
    """Remark on aggregates that are released with survey weights in them or with all their digits."""
    for method, parameters in steps:
        masker = catalogue.known("masker", method)
        if masker is None or not masker.groups:
            continue
        weighted = bool(parameters.get("weighted")) and schema.weight is not None
        exact = parameters.get("decimals") == "exact"
        if weighted or exact:
            content = " and ".join(["survey weights"] * weighted + ["all digits"] * exact)
            yield Remark(
                "solvable-aggregates",
                f"{method} was asked for aggregates with {content}: members of small groups may be solved from them.",
                "Leave weighted and decimals as they are, or do not release the weights.",
            )


def _on_risk(assessment: Assessment) -> Iterator[Remark]:
    measured = {m.name: m for m in assessment.measurements}
    counting = {name for name, cls in catalogue.measures("risk").items() if cls.counts_equal_keys}
    if any(m.details.get("perturbative") for name, m in measured.items() if name in counting):
        yield Remark(
            "frequency-after-perturbation",
            "Risks that count equal keys were measured after a method that makes values untrue: they say little about "
            "who can be found.",
            "Judge this release by the linkage risks.",
        )
    yield from _on_gaps(assessment)
    yield from _on_headline(assessment)
    yield from _on_guessing(assessment)
    uniques = int(measured["uniques"].details.get("uniques", 0)) if "uniques" in measured else 0
    if uniques:
        alone = "is the only one with its" if uniques == 1 else "are the only ones with their"
        yield Remark(
            "uniques-left",
            f"{uniques} of {assessment.n_records} released records {alone} combination of keys.",
            "Recode or suppress, starting with the keys that the report lists as riskiest.",
        )


def _on_headline(assessment: Assessment) -> Iterator[Remark]:
    score, unmasked = assessment.score, assessment.unmasked
    if score.incomplete:
        yield Remark(
            "incomplete-risk",
            f"The risk is at least {score.risk:.1f} %; it is not the whole worst case: {' '.join(score.incomplete)}",
            "Do not judge the release by it alone; attack a sample of the file that can be linked whole.",
        )
    if unmasked is not None and score.name == "worst-case" and score.loss > 0 and score.risk >= unmasked.risk > 0:
        yield Remark(
            "no-better",
            f"The release risks as much as the unmasked file, {score.risk:.1f} %, and lost {score.loss:.1f} %.",
            f"Mask the keys by which records are found: {_list(score.known)}.",
        )


def _on_guessing(assessment: Assessment) -> Iterator[Remark]:
    """Remark on every measure outside the headline that says what guessing reaches, and reaches more."""
    for m in assessment.of_kind("risk"):
        guessing = m.details.get("guessing_percent")
        if guessing is not None and not m.in_score and m.value > float(guessing):
            yield Remark(
                "above-guessing",
                f"{m.title}: {m.value:.1f} {m.unit}, where guessing reaches {float(guessing):.1f} {m.unit}.",
                "Read what the measure says, and mask so that it says no more than guessing.",
            )


def _on_gaps(assessment: Assessment) -> Iterator[Remark]:
    """Say which measures are not the whole truth: what has no value left, or another scale, is not in them."""
    absent = [one.title for one in assessment.not_computed if one.in_score]
    counted = [m for m in assessment.measurements if m.in_score]
    left_out: dict[tuple[str, ...], list[str]] = {}
    for m in counted:
        absent_keys = {*m.details.get("not_compared", ()), *m.details.get("left_out", ())}
        if absent_keys:
            left_out.setdefault(tuple(sorted(absent_keys)), []).append(m.title)
    if not absent and not left_out:
        return
    parts = []
    for columns, titles in left_out.items():
        where = "" if len(titles) == len(counted) else f" in {_list(titles)}"
        parts.append(f"without {_list(columns)}{where}")
    if absent:
        parts.append(f"without the measures that could not be computed ({', '.join(absent)})")
    yield Remark(
        "not-compared",
        f"The papers' measures stand {' and '.join(parts)}: values that were emptied, released on a scale of another "
        "kind, or too many to compare, are not in them. The score counts what those cells lost.",
        "Look at the measure of suppression and at each loss.",
    )


def _steps(provenance: Provenance) -> Sequence[Provenance]:
    """Return the single steps of a chain, or the only one."""
    return provenance.history or (provenance,)


def _drew(steps: Iterable[Provenance]) -> bool:
    """Say whether a result depends on draws; a method that forms groups of all records exactly does not."""
    return any(step.labels is None for step in steps)


def _list(names: Sequence[str]) -> str:
    rest = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return ", ".join(names[:_NAMES]) + rest


def _columns(names: Sequence[str]) -> str:
    return "1 column" if len(names) == 1 else f"{len(names)} columns"


def _look(names: Sequence[str]) -> str:
    return "looks" if len(names) == 1 else "look"


def unmasked(names: Sequence[str], verb: str) -> Remark:
    """Remark on keys that are not masked."""
    count = "1 key" if len(names) == 1 else f"{len(names)} keys"
    return Remark(
        "key-unmasked",
        f"{count} {verb} released as {_they(names)} came: {_list(names)}.",
        "Mask them with a further step, or say by their role that no intruder can know them.",
    )


def _they(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "they"
