"""The attacks of an intruder on a release: all linkers that he has, on all that he knows and on parts of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from discreet import catalogue
from discreet.contracts.assessment import NotComputed
from discreet.contracts.engine import Engine
from discreet.contracts.intruder import Intruder
from discreet.contracts.masked import Masked
from discreet.contracts.measure import Measure
from discreet.contracts.measurement import Measurement
from discreet.data.microdata import Microdata
from discreet.data.table import StoredTable
from discreet.evaluation.exact_matching import exact_match
from discreet.evaluation.further_linkers import linked_by
from discreet.evaluation.intruder_view import as_released
from discreet.evaluation.measuring import emptied, take_measures
from discreet.statistics import question
from discreet.statistics.question import Need

__all__ = [
    "ALL_KEYS",
    "EXACT",
    "MEASURED",
    "Attack",
    "Attacks",
    "as_recoded",
    "attacks_of",
    "is_used_by",
    "monotone",
    "seen_by",
]

_UNTOLD = (
    "How the file was masked is not known here, so nobody was played who knows it (--method, --protocol, or a manifest "
    "beside the file tells it)."
)

Table = TypeVar("Table", Microdata, StoredTable)

ALL_KEYS = "all keys"
"""What the intruder is called who knows every key, where no other is declared."""

MEASURED = {"distance": "distance-linkage", "probabilistic": "probabilistic-linkage"}
"""Linkers whose success is a measure already."""

_PLAIN = frozenset(MEASURED.values())

EXACT = "exact match"
"""How the attack is called that looks for the very same keys."""


@dataclass(frozen=True)
class Attack:
    """How many records one intruder finds in one way.

    Attributes
    ----------
    intruder : str
    linker : str
        How he links, in words.
    known : tuple of str
        The keys that he uses: all that he knows, or a part of it.
    percent : float
        Of the released records, those that he finds, ties shared.
    interval : tuple of float, optional
        95 % interval, where it was measured on a sample.
    part : str
        What part of his keys he uses: nothing for all of them, ``"categories"`` or ``"numbers"``.
    of : int
        How many keys that part has, where the linker takes fewer of them; else 0.
    """

    intruder: str
    linker: str
    known: tuple[str, ...]
    percent: float
    interval: tuple[float, float] | None = None
    part: str = ""
    of: int = 0

    @property
    def name(self) -> str:
        """A short name for the ingredients of a score."""
        return f"{self.linker} on {self.part}" if self.part else self.linker

    @property
    def remark(self) -> str:
        """How many keys a linker used that does not take as many as there are."""
        if not self.of:
            return ""
        text = f"{self.name} used {len(self.known)} of {self.of} keys."
        return text[0].upper() + text[1:]


@dataclass(frozen=True)
class Attacks:
    """All attacks of one intruder, and those that could not be computed, with the reason."""

    intruder: str
    known: tuple[str, ...]
    made: tuple[Attack, ...]
    absent: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def worst(self) -> Attack:
        """The attack that finds most; on ties the one on most keys that was made first."""
        return max(self.made, key=lambda attack: attack.percent)


def seen_by(known: Iterable[str], table: Table) -> Table:
    """Return a table in which what an intruder knows is a key, and every other key is not."""
    names = tuple(known)
    for name in names:
        table.schema[name]
    roles = {name: "other" for name in table.schema.keys if name not in names}
    roles |= dict.fromkeys(names, "key")
    if isinstance(table, StoredTable):
        same_files = copy(table)
        same_files.schema = table.schema.with_roles(**roles)
        return same_files
    view = Microdata(table.to_native(), table.schema.with_roles(**roles))
    view.share_encoding(table)
    return view


def attacks_of(
    intruder: Intruder,
    before: Microdata | StoredTable,
    release: Masked | Microdata | StoredTable,
    *,
    known: Microdata | None = None,
    measured: Sequence[Measurement] = (),
    without: Sequence[NotComputed] = (),
    engine: Engine | None = None,
    progress: bool = False,
) -> Attacks:
    """Attack a release in every way that an intruder has: all linkers, on all that he knows and on parts of it.

    Parameters
    ----------
    intruder : Intruder
    before, release
        As :func:`~discreet.evaluation.measuring.paired` gives them.
    known : Microdata, optional
        The original as the intruder makes it fit the release; made here where it is not at hand.
    measured, without : sequences, optional
        What was measured of him on all his keys already, and what could not be: it is not computed again.
    progress : bool
        Whether to report which measure is worked on.

    Notes
    -----
    Beyond a million records, those linkers remain that can be asked for some of the records; what is absent is said.
    """
    if len(before) > question.MOST_AT_ONCE:
        return _attacks_on_some(intruder, before, release, known, measured, engine)
    if isinstance(before, StoredTable) or isinstance(release, StoredTable):
        columns, same = tuple(before.schema.keys), release is before
        tables = (table.in_memory(columns) if isinstance(table, StoredTable) else table for table in (before, release))
        before, release = cast("tuple[Microdata, Masked | Microdata]", tuple(tables))
        release = before if same else release  # a file beside itself
    after = release.microdata if isinstance(release, Masked) else release
    recoded = as_released(before, release) if known is None else known
    released = tuple(name for name in intruder.known if name in after.schema)
    names = tuple(name for name in released if name not in emptied(before, release, released))
    provenance = release.provenance if isinstance(release, Masked) else None
    attacks: list[Attack] = []
    absent: list[str] = []
    if names:
        percent = exact_match(recoded, after, names)
        attacks.append(Attack(intruder.name, EXACT, names, percent))
    for part, keys in _parts(after, released, names) if names else ():
        whole = not part
        linkages = {one.name for one in _linkages(intruder)}
        risks = {m.name: m for m in measured if m.kind == "risk" and (m.in_score or m.name in linkages)}
        risks = risks if whole else {}
        refused = {one.name: one.reason for one in without} if whole else {}
        table = seen_by(keys, recoded)
        fitting = [one for one in _linkages(intruder) if one.applies_to(table.schema, after.schema)]
        fitting = [one for one in fitting if one.is_told(provenance)]
        pending = [one for one in fitting if one.name not in risks and one.name not in refused]
        beside = f" on {part}" if part else ""
        results, failed = take_measures(
            pending, before, release, known=table, engine=engine, beside=beside if progress else None
        )
        made = {**risks, **{one.name: one for one in results}}
        reasons = {**refused, **{no.name: no.reason for no in failed}}
        for measure in fitting:
            if measure.name in made:
                attacks += _attacks(intruder.name, made[measure.name], keys, part)
            elif whole and not measure.knows_masking and not measure.joins:
                absent.append(f"{measure.title}: {reasons[measure.name]}")
        plain = table if recoded is before else seen_by(keys, before)
        counted = {one.name for one in fitting if one.name in made}
        for name in intruder.linkers:
            if name in MEASURED or f"{name}-linkage" in counted:
                continue
            one = risks.get(f"{name}-linkage")
            if one is None:
                one = linked_by(intruder, name, (plain, table), release, engine, needed=whole)
            if one is not None:
                attacks += _attacks(intruder.name, one, keys, part)
    if not attacks:
        # Nothing that he knows is in the release: he guesses.
        attacks.append(Attack(intruder.name, "guessing", (), 100.0 / max(len(before), 1)))
    told = provenance is not None and bool(provenance.attributes)
    untold = () if told or after is before else (_UNTOLD,)
    return Attacks(intruder.name, tuple(intruder.known), tuple(attacks), tuple(dict.fromkeys(absent)), untold)


def _attacks_on_some(
    intruder: Intruder,
    before: Microdata | StoredTable,
    release: Masked | Microdata | StoredTable,
    known: Microdata | None,
    measured: Sequence[Measurement],
    engine: Engine | None,
) -> Attacks:
    """Attack some of the records of a release that has too many for all to be compared with all."""
    after = release.microdata if isinstance(release, Masked) else release
    recoded = as_recoded(before, release) if known is None else known
    keys = tuple(name for name in intruder.known if name in after.schema)
    linkages = _linkages(intruder)
    attacks: list[Attack] = []
    absent: list[str] = []
    if any(one.need is not Need.ASKED for one in linkages):
        absent.append(
            f"Only a sample is linked by distance beyond {question.MOST_AT_ONCE:,} records, and not by agreement."
        )
    for part, names in _parts(after, keys, keys) if keys else ():
        risks = {} if part else {one.name: one for one in measured}
        table = before if recoded is None else seen_by(names, recoded)
        for measure in linkages:
            # What lies in files keeps its schema, and the measure is told which keys are meant.
            fitting = measure if recoded is not None else measure.clone().set_params(attributes=list(names))
            if measure.need is not Need.ASKED or not fitting.applies_to(table.schema, after.schema):
                continue
            results = [risks[measure.name]] if measure.name in risks else []
            if not results:
                views = None if recoded is None else cast("Microdata", table)
                results, failed = take_measures([fitting], before, release, known=views, engine=engine)
                absent += [f"{no.title}: {no.reason}" for no in failed if not part]
            for one in results:
                attacks += _attacks(intruder.name, one, names, part)
                left_out = one.details.get("left_out")
                if left_out and not part:
                    absent.append(f"Not compared: {', '.join(left_out)}.")
    if not attacks:
        attacks.append(Attack(intruder.name, "guessing", (), 100.0 / len(before)))
        absent.append("No key can be compared at this size.")
    return Attacks(intruder.name, tuple(intruder.known), tuple(attacks), tuple(dict.fromkeys(absent)))


def as_recoded(before: Microdata | StoredTable, release: Masked | Microdata | StoredTable) -> Microdata | None:
    """Return the original as the intruder makes it fit the release, of tables in memory."""
    stored = isinstance(before, StoredTable) or isinstance(release, StoredTable)
    return None if stored else as_released(cast("Microdata", before), release)


def _parts(
    after: Microdata | StoredTable, released: tuple[str, ...], names: tuple[str, ...]
) -> list[tuple[str, tuple[str, ...]]]:
    """Return what an intruder tries: everything, and each kind of key by itself where there are several."""
    parts: list[tuple[str, tuple[str, ...]]] = [("", released)]
    numbers = after.schema.of_scale("numeric", among=names)
    categories = after.schema.of_scale("ordinal", "nominal", among=names)
    if numbers and categories:
        parts += [("categories", categories), ("numbers", numbers)]
    return parts


def is_used_by(intruder: Intruder, measure: Measure) -> bool:
    """Say whether an intruder attacks as a measure does, or it is no attack.

    Unless a scenario says how he links, he looks in both ways together, and knows how the file was masked.
    """
    linkages = {MEASURED.get(name) for name in intruder.linkers}
    if measure.in_headline:
        named = any(f"{name}-linkage" == measure.name for name in intruder.linkers)
        return named or linkages >= _PLAIN
    if measure.joins:
        return linkages >= set(measure.joins)
    return measure.name not in _PLAIN or measure.name in linkages


def _linkages(intruder: Intruder) -> list[Measure]:
    """Return the measures of linkage that are an intruder's, those of the papers first."""
    risks = [cls() for cls in catalogue.measures("risk").values() if cls.in_score or cls.in_headline]
    return sorted((one for one in risks if is_used_by(intruder, one)), key=lambda one: one.in_headline)


def _attacks(intruder: str, one: Measurement, keys: tuple[str, ...], part: str) -> list[Attack]:
    linker = _in_words(one)
    names = tuple(name for name in one.details.get("known", keys) if name in keys) or keys
    interval = one.details.get("interval_percent") if one.details.get("exact") is False else None
    ends = (float(interval[0]), float(interval[1])) if interval else None
    # An intruder may ignore keys: an attack on some of them stands beside those on all, and is told as what it is.
    capped = one.details.get("complete") is False or bool(one.details.get("left_out"))
    # The headline counts one guess a record: what several find between them is told beside it.
    single = one.details.get("percent_of_one_guess")
    percent = one.value if single is None else float(single)
    attacks = [Attack(intruder, linker, names, min(percent, 100.0), ends, part, len(keys) if capped else 0)]
    informed = one.details.get("percent_with_known_m")
    if informed is not None:
        how = f"{linker} with known rates of change"
        attacks.append(Attack(intruder, how, names, min(float(informed), 100.0), None, part))
    return attacks


def _in_words(one: Measurement) -> str:
    return one.title.removeprefix("Re-identified by ").removesuffix(" (two guesses)")


def monotone(found: Mapping[str, Attacks]) -> dict[str, Attacks]:
    """Return the attacks of intruders who may ignore what they know: each has those of everybody who knows less too.

    An attack that is not computed of somebody who knows less may be the one that is high.
    """
    result = {}
    for name, one in found.items():
        less = [other for label, other in found.items() if label != name and set(other.known) <= set(one.known)]
        own = {(attack.linker, attack.known) for attack in one.made}
        weaker = [a for other in less for a in other.made if (a.linker, a.known) not in own]
        absent = dict.fromkeys(reason for each in (one, *less) for reason in each.absent)
        result[name] = replace(one, made=(*one.made, *weaker), absent=tuple(absent))
    return result
