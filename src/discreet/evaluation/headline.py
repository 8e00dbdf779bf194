"""The headline of a release: its worst case, and what its cells lost. One function, wherever the figure is shown.

Risk is the most that any intruder achieves with any linker, never a mean: a release is as safe as its weakest side. An
intruder may ignore what he knows, so his risk is never below that of somebody who knows less: he also tries the
categories and the numbers by themselves, and whatever intruders try whose knowledge is a part of his. Loss is what the
cells lost (:class:`~discreet.measures.loss.cell_loss.CellLoss`), which sees every column that was changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import numpy as np

from discreet import catalogue
from discreet.contracts.assessment import Assessment, NotComputed, Score
from discreet.contracts.engine import Engine, TableEngine
from discreet.contracts.intruder import Intruder
from discreet.contracts.masked import Masked
from discreet.contracts.measure import Measure
from discreet.contracts.measurement import Measurement
from discreet.data.encoded_rows import EncodedRows
from discreet.data.microdata import Microdata
from discreet.data.scales import EncodedSequences
from discreet.data.table import StoredTable
from discreet.errors import DataError
from discreet.evaluation.further_linkers import linked_by
from discreet.evaluation.intruder_view import as_released
from discreet.evaluation.measuring import applicable, emptied, take_measure, take_measures
from discreet.statistics import question
from discreet.statistics.question import Need
from discreet.typing import IntArray

__all__ = [
    "ALL_KEYS",
    "Attack",
    "Attacks",
    "attacks_of",
    "exact_groups",
    "exact_match",
    "headlines",
    "monotone",
    "risk_of_unmasked",
    "seen_by",
    "unmasked_score",
    "worst_case",
    "worst_of",
]

Table = TypeVar("Table", Microdata, StoredTable)

ALL_KEYS = "all keys"
"""What the intruder is called who knows every key, where no other is declared."""

MEASURED = {"distance": "distance-linkage", "probabilistic": "probabilistic-linkage"}
"""Linkers whose success is a measure already."""

_EXACT = "exact match"
_NAMES = 4
_MOST_COMBINATIONS = 1 << 62  # that a code can tell apart


def headlines(
    original: Microdata | StoredTable,
    before: Microdata | StoredTable,
    release: Masked | Microdata | StoredTable,
    intruders: Sequence[Intruder],
    *,
    known: Microdata | None = None,
    taken: Mapping[str, tuple[Sequence[Measurement], Sequence[NotComputed]]] | None = None,
    losses: Sequence[Measurement] = (),
    engine: Engine | None = None,
) -> dict[str, tuple[Score, Score]]:
    """Return by intruder the headline of a release, and that of the unmasked file.

    Every figure of risk, loss and score that is shown as the one of a release comes from here.

    Parameters
    ----------
    original : Microdata or StoredTable
        The whole original, whatever part of it is released.
    before, release
        As :func:`~discreet.evaluation.measuring.paired` gives them.
    intruders : sequence of Intruder
    known : Microdata, optional
        The original as an intruder makes it fit the release.
    taken : mapping, optional
        By intruder, what was measured on all his keys already, and what could not be.
    losses : sequence of Measurement, optional
        Among which the loss of the cells may be.
    """
    measurements = taken or {}
    fitting = _recoded(before, release) if known is None else known
    attacks = {}
    for one in intruders:
        measured, without = measurements.get(one.name, ((), ()))
        attacks[one.name] = attacks_of(
            one, before, release, known=fitting, measured=measured, without=without, engine=engine
        )
    attacks = monotone(attacks)
    measured_losses = [*losses, *(m for measured, _ in measurements.values() for m in measured)]
    loss = loss_of(before, release, measured_losses, engine)
    result = {}
    for one in intruders:
        risk = risk_of_unmasked(original, one.known, engine)
        result[one.name] = (
            worst_case(attacks[one.name], loss, risk),
            unmasked_score(risk, one.name, one.known),
        )
    return result


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

    Notes
    -----
    Beyond a million records, those linkers remain that can be asked for some of the records; what is absent is said.
    """
    if len(before) > question.MOST_AT_ONCE:
        return _attacks_on_some(intruder, before, release, known, measured, engine)
    if isinstance(before, StoredTable) or isinstance(release, StoredTable):
        columns = tuple(before.schema.keys)
        tables = (table.in_memory(columns) if isinstance(table, StoredTable) else table for table in (before, release))
        before, release = cast("tuple[Microdata, Masked | Microdata]", tuple(tables))
    after = release.microdata if isinstance(release, Masked) else release
    recoded = as_released(before, release) if known is None else known
    released = tuple(name for name in intruder.known if name in after.schema)
    names = tuple(name for name in released if name not in emptied(before, release, released))
    attacks: list[Attack] = []
    absent: list[str] = []
    if names:
        percent = exact_match(recoded, after, names)
        attacks.append(Attack(intruder.name, _EXACT, names, percent))
    for part, keys in _parts(after, released, names) if names else ():
        whole = not part
        risks = {m.name: m for m in measured if m.kind == "risk" and m.in_score} if whole else {}
        refused = {one.name: one.reason for one in without} if whole else {}
        table = seen_by(keys, recoded)
        for measure in _linkages(intruder):
            if not measure.applies_to(table.schema, after.schema):
                continue
            if measure.name in refused and not risks.get(measure.name):
                absent.append(f"{measure.title}: {refused[measure.name]}")
                continue
            one = risks.get(measure.name)
            if one is None:
                results, failed = take_measures([measure], before, release, known=table, engine=engine)
                absent += [f"{no.title}: {no.reason}" for no in failed if whole]
                one = results[0] if results else None
            if one is not None:
                attacks += _attacks(intruder.name, one, keys, part)
        plain = table if recoded is before else seen_by(keys, before)
        for name in intruder.linkers:
            if name in MEASURED:
                continue
            one = risks.get(f"{name}-linkage")
            if one is None:
                one = linked_by(intruder, name, (plain, table), release, engine, needed=whole)
            if one is not None:
                attacks += _attacks(intruder.name, one, keys, part)
    if not attacks and not absent:
        # Nothing that he knows is in the release: he guesses.
        attacks.append(Attack(intruder.name, "guessing", (), 100.0 / max(len(before), 1)))
    if not attacks:
        raise DataError(f"The score needs the success of one linker at least: {absent[0]}")
    return Attacks(intruder.name, tuple(intruder.known), tuple(attacks), tuple(dict.fromkeys(absent)))


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
    recoded = _recoded(before, release) if known is None else known
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


def _recoded(before: Microdata | StoredTable, release: Masked | Microdata | StoredTable) -> Microdata | None:
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


def _linkages(intruder: Intruder) -> list[Measure]:
    """Return the measures of linkage that are an intruder's: those in the score, with the linkers that he uses."""
    measure_names = {MEASURED.get(name) for name in intruder.linkers}
    linkages = []
    for name, cls in catalogue.measures("risk").items():
        if cls.in_score and (name in measure_names or name not in MEASURED.values()):
            linkages.append(cls())
    return linkages


def _attacks(intruder: str, one: Measurement, keys: tuple[str, ...], part: str) -> list[Attack]:
    linker = _in_words(one)
    names = tuple(name for name in one.details.get("known", keys) if name in keys) or keys
    interval = one.details.get("interval_percent") if one.details.get("exact") is False else None
    ends = (float(interval[0]), float(interval[1])) if interval else None
    # An intruder may ignore keys: an attack on some of them stands beside those on all, and is told as what it is.
    capped = one.details.get("complete") is False or bool(one.details.get("left_out"))
    attacks = [Attack(intruder, linker, names, min(one.value, 100.0), ends, part, len(keys) if capped else 0)]
    informed = one.details.get("percent_with_known_m")
    if informed is not None:
        how = f"{linker} with known rates of change"
        attacks.append(Attack(intruder, how, names, min(float(informed), 100.0), None, part))
    return attacks


def _in_words(one: Measurement) -> str:
    return one.title.removeprefix("Re-identified by ")


def exact_match(known: Microdata, after: Microdata, names: Sequence[str]) -> float:
    """Return the percentage of released records that are found by looking for the very same keys.

    A released record is looked for among the originals with equal keys; a gap is like a gap. Of t such originals one is
    taken at random, so that the true one, if it is among them, counts 1/t. For an unmasked file nobody can do better.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.microdata import microdata
    >>> a, b = pl.DataFrame({"x": [1.5, 1.5, 9.0, 8.5]}), pl.DataFrame({"x": [1.5, 1.5, 9.0, 9.0]})
    >>> exact_match(microdata(a), microdata(b), ["x"])  # 1/2 + 1/2 + 1 + 0 of four
    50.0
    """
    n = len(after)
    if known is after:
        combination = _combined(_joint([after.encoded(name)]) for name in names)
        first = second = combination
    else:
        combination = _combined(_codes_of_both(known, after, name) for name in names)
        first, second = combination[:n], combination[n:]
    sizes = np.bincount(first, minlength=int(combination.max(initial=0)) + 1)
    return float(100.0 * (1.0 / sizes[first[first == second]]).sum() / n)


def exact_groups(table: Microdata, names: Sequence[str]) -> IntArray:
    """Return how many records have each combination of values that occurs."""
    if not names:
        return np.bincount(np.zeros(len(table), dtype=np.int64))
    return np.bincount(_combined(_joint([table.encoded(name)]) for name in names))


def _combined(columns: Iterable[IntArray]) -> IntArray:
    """Return combinations of codes as numbers, counted in their sequence."""
    combination, most = np.zeros(1, dtype=np.int64), 1
    for codes in columns:
        levels = int(codes.max(initial=0)) + 1
        if most * levels > _MOST_COMBINATIONS:
            combination = np.unique(combination, return_inverse=True)[1].ravel()
            most = int(combination.max(initial=0)) + 1
        combination, most = combination * levels + codes, most * levels
    return np.unique(combination, return_inverse=True)[1].ravel()


def _codes_of_both(known: Microdata, after: Microdata, name: str) -> IntArray:
    if known.schema[name].scale != after.schema[name].scale:
        return _texts(known, after, name)
    return _joint([known.encoded(name), after.encoded(name)])


def _joint(columns: Sequence[Any]) -> IntArray:
    """Return codes of the values of several columns on one list: equal where the values are; a gap is like a gap."""
    if isinstance(columns[0], EncodedSequences):
        keys = np.array([key for one in columns for key in EncodedSequences.keys(one)], dtype=object)
        return np.unique(keys, return_inverse=True)[1].ravel().astype(np.int64)
    values = np.concatenate([np.asarray(one) for one in columns])
    if values.dtype.kind == "i":
        return values.astype(np.int64) + 1  # positions of levels, −1 for a gap
    if values.dtype.kind == "f":
        values = values + 0.0  # one nought
    return np.unique(values, return_inverse=True)[1].ravel().astype(np.int64)


def _texts(before: Microdata, after: Microdata, name: str) -> IntArray:
    """Return codes of an attribute whose scales differ in the two tables: equal where they are written the same."""
    texts = [str(value) for table in (before, after) for value in table.column(name).to_pylist()]
    return np.unique(np.array(texts, dtype=object), return_inverse=True)[1].ravel().astype(np.int64)


def risk_of_unmasked(original: Microdata | StoredTable, known: Sequence[str], engine: Engine | None = None) -> float:
    """Return the percentage of records that an intruder finds in the file as it is, whatever linker he uses.

    Records that are alike in all that he knows cannot be told apart, and all others are: he finds as many as there are
    different combinations of values. Exact, in one sort.
    """
    names = tuple(name for name in original.schema.names if name in set(known))
    if isinstance(original, StoredTable):
        if len(original) > question.MOST_AT_ONCE and names:
            return 100.0 * _combinations(original, names, cast("TableEngine", engine)) / len(original)
        original = original.in_memory(names)

    def count() -> float:
        return exact_match(original, original, names) if names else 100.0 / max(len(original), 1)

    return original.once(("risk of the unmasked file", names), count)


def _combinations(original: StoredTable, names: Sequence[str], engine: TableEngine) -> int:
    counted = engine.count(engine.open(original, names), names)
    return int(engine.fold(counted, _count_rows)["combinations"][0])


def _count_rows(block: EncodedRows) -> EncodedRows:
    return {"combinations": np.array([len(block["#count"])])}


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


def worst_case(attacks: Attacks | Iterable[Attacks], loss: Measurement, unmasked: float) -> Score:
    """Return the headline: the mean of the worst risk and of what the cells lost.

    Parameters
    ----------
    attacks : Attacks or several
        Of the intruders that count.
    loss : Measurement
        Of :class:`~discreet.measures.loss.cell_loss.CellLoss`.
    unmasked : float
        The risk of the unmasked file, in percent, for the same intruders.

    Notes
    -----
    Where an attack could not be computed, `incomplete` says which and why, and the risk is at least the one stated.
    Where a linker cannot take all keys, `remarks` says how many it used: an attack on a part of them is a further one,
    and the risk that is stated is the highest of all that were made.
    """
    several = (attacks,) if isinstance(attacks, Attacks) else tuple(attacks)
    worst = max((one.worst for one in several), key=lambda attack: attack.percent)
    incomplete = tuple(dict.fromkeys(reason for one in several for reason in one.absent))
    # What somebody does who knows less is told of him alone, unless it is what counts.
    intruders = {worst.intruder, *(one.intruder for one in several)}
    relevant = [attack for one in several for attack in one.made if attack.intruder in intruders]
    remarks = tuple(dict.fromkeys(attack.remark for attack in relevant if attack.of))
    ingredients: dict[str, float] = {}
    for one in several:
        for attack in one.made:
            label = attack.name if len(several) == 1 else f"{attack.intruder}: {attack.name}"
            ingredients[label] = max(attack.percent, ingredients.get(label, 0.0))
    risk, lost = worst.percent, min(loss.value, 100.0)
    value = (risk + lost) / 2
    return Score(
        "worst-case",
        value,
        lost,
        risk,
        _sentence(worst, lost, loss, unmasked, incomplete, remarks),
        {**ingredients, loss.name: lost},
        intruder=worst.intruder,
        linker=worst.linker,
        known=worst.known,
        worst_column=str(loss.details.get("worst", "")) if lost > 0 else "",
        incomplete=incomplete,
        remarks=remarks,
    )


def _sentence(
    worst: Attack,
    lost: float,
    loss: Measurement,
    unmasked: float,
    incomplete: Sequence[str],
    remarks: Sequence[str],
) -> str:
    by = worst.linker
    if worst.known:
        what = {"": "keys"}.get(worst.part, f"{worst.part} alone")
        named = ", ".join(worst.known[:_NAMES])
        more = f" and {len(worst.known) - _NAMES} more" if len(worst.known) > _NAMES else ""
        by += f" on {len(worst.known)} {what if len(worst.known) != 1 else what.replace('keys', 'key')} ({named}{more})"
    sampled = "" if worst.interval is None else f", {worst.interval[0]:.1f} to {worst.interval[1]:.1f} % from a sample"
    least = "at least " if incomplete else ""
    column = f", most in {loss.details['worst']}" if lost > 0 and loss.details.get("worst") else ""
    sentence = (
        f"Worst case: the intruder “{worst.intruder}” finds {least}{worst.percent:.1f} % of the records, by {by}"
        f"{sampled}. The cells lost {_amount(lost)} %{column}. The score is the mean of both, 0 is best; the unmasked "
        f"file has {unmasked / 2:.1f} (risk {unmasked:.1f} %, loss 0)."
    )
    if incomplete:
        sentence += f" Not in the risk: {' '.join(incomplete)}"
    return " ".join([sentence, *remarks])


def _amount(value: float) -> str:
    return f"{value:.1f}" if value == 0 or value >= 0.05 else "less than 0.1"


def unmasked_score(risk: float, intruder: str = ALL_KEYS, known: Sequence[str] = ()) -> Score:
    """Return the headline of the unmasked file: it loses nothing, and risks what its keys tell apart."""
    return Score(
        "worst-case",
        risk / 2,
        0.0,
        risk,
        f"The unmasked file: records that differ in what the intruder “{intruder}” knows are found, {risk:.1f} %.",
        {_EXACT: risk, "cell-loss": 0.0},
        intruder=intruder,
        linker=_EXACT,
        known=tuple(known),
    )


def worst_of(assessments: Mapping[str, Assessment]) -> tuple[str, Assessment]:
    """Return the scenario in which a release does worst, the first of those that tie: what it is judged by."""
    name = max(assessments, key=lambda scenario: assessments[scenario].score.risk)
    return name, assessments[name]


def loss_of(
    before: Microdata | StoredTable,
    release: Masked | Microdata | StoredTable,
    measured: Sequence[Measurement] = (),
    engine: Engine | None = None,
) -> Measurement:
    """Return what the cells lost, measured now unless it was before."""
    for one in measured:
        if one.name == "cell-loss" and set(one.details.get("counted", ())) >= set(before.schema.keys):
            return one
    measure = catalogue.method("measure", "cell-loss")()
    fitting, _ = applicable([measure], before, before, release)
    return take_measure(fitting[0], before, release, engine)
