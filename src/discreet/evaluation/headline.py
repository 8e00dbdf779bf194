"""The headline of a release: its worst case, and what its cells lost. One function, wherever the figure is shown.

Risk is the most that any intruder achieves with any linker, never a mean: a release is as safe as its weakest side. An
intruder may ignore what he knows, so his risk is never below that of somebody who knows less: he also tries the
categories and the numbers by themselves, and whatever intruders try whose knowledge is a part of his. Loss is what the
cells lost (:class:`~discreet.measures.loss.cell_loss.CellLoss`), which sees every column that was changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet import catalogue
from discreet.base import Engine, Measure
from discreet.errors import DataError
from discreet.evaluation.further_linkers import linked_by
from discreet.evaluation.measuring import applicable, emptied, take_measure, take_measures
from discreet.evaluation.recoded import as_released
from discreet.microdata import Microdata
from discreet.protocol import Scenario
from discreet.results import Assessment, Masked, Measurement, NotComputed, Score
from discreet.scales import EncodedSequences
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

ALL_KEYS = "all keys"
"""What the intruder is called who knows every key, where no other is declared."""

MEASURED = {"distance": "distance-linkage", "probabilistic": "probabilistic-linkage"}
"""Linkers whose success is a measure already."""

_EXACT = "exact match"
_NAMES = 4


def headlines(
    original: Microdata,
    before: Microdata,
    release: Masked | Microdata,
    intruders: Sequence[Scenario],
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
    original : Microdata
        The whole original, whatever part of it is released.
    before, release
        As :func:`~discreet.evaluation.measuring.paired` gives them.
    intruders : sequence of Scenario
    known : Microdata, optional
        The original as an intruder makes it fit the release.
    taken : mapping, optional
        By intruder, what was measured on all his keys already, and what could not be.
    losses : sequence of Measurement, optional
        Among which the loss of the cells may be.
    """
    done = taken or {}
    fitting = as_released(before, release) if known is None else known
    attacks = {}
    for one in intruders:
        measured, without = done.get(one.name, ((), ()))
        attacks[one.name] = attacks_of(
            one, before, release, known=fitting, measured=measured, without=without, engine=engine
        )
    attacks = monotone(attacks)
    measured_losses = [*losses, *(m for measured, _ in done.values() for m in measured)]
    loss = loss_of(before, release, measured_losses)
    result = {}
    for one in intruders:
        risk = risk_of_unmasked(original, one.known)
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
        said = f"{self.name} used {len(self.known)} of {self.of} keys."
        return said[0].upper() + said[1:]


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


def seen_by(known: Iterable[str], table: Microdata) -> Microdata:
    """Return a table in which what an intruder knows is a key, and every other key is not."""
    names = tuple(known)
    for name in names:
        table.schema[name]
    roles = {name: "other" for name in table.schema.keys if name not in names}
    roles |= dict.fromkeys(names, "key")
    seen = Microdata(table.to_native(), table.schema.with_roles(**roles))
    seen.share_encoding(table)
    return seen


def attacks_of(
    intruder: Scenario,
    before: Microdata,
    release: Masked | Microdata,
    *,
    known: Microdata | None = None,
    measured: Sequence[Measurement] = (),
    without: Sequence[NotComputed] = (),
    engine: Engine | None = None,
) -> Attacks:
    """Attack a release in every way that an intruder has: all linkers, on all that he knows and on parts of it.

    Parameters
    ----------
    intruder : Scenario
    before, release
        As :func:`~discreet.evaluation.measuring.paired` gives them.
    known : Microdata, optional
        The original as the intruder makes it fit the release; made here where it is not at hand.
    measured, without : sequences, optional
        What was measured of him on all his keys already, and what could not be: it is not computed again.
    """
    after = release.microdata if isinstance(release, Masked) else release
    recoded = as_released(before, release) if known is None else known
    released = tuple(name for name in intruder.known if name in after.schema)
    names = tuple(name for name in released if name not in emptied(before, release, released))
    made: list[Attack] = []
    absent: list[str] = []
    if names:
        found = exact_match(recoded, after, names)
        made.append(Attack(intruder.name, _EXACT, names, found))
    for part, keys in _parts(after, released, names) if names else ():
        whole = not part
        taken = {m.name: m for m in measured if m.kind == "risk" and m.in_score} if whole else {}
        refused = {one.name: one.reason for one in without} if whole else {}
        table = seen_by(keys, recoded)
        for measure in _linkages(intruder):
            if not measure.applies_to(table.schema, after.schema):
                continue
            if measure.name in refused and not taken.get(measure.name):
                absent.append(f"{measure.title}: {refused[measure.name]}")
                continue
            one = taken.get(measure.name)
            if one is None:
                results, failed = take_measures([measure], before, release, known=table, engine=engine)
                absent += [f"{no.title}: {no.reason}" for no in failed if whole]
                one = results[0] if results else None
            if one is not None:
                made += _attacks(intruder.name, one, keys, part)
        plain = table if recoded is before else seen_by(keys, before)
        for name in intruder.linkers:
            if name in MEASURED:
                continue
            one = taken.get(f"{name}-linkage")
            if one is None:
                one = linked_by(intruder, name, (plain, table), release, engine, needed=whole)
            if one is not None:
                made += _attacks(intruder.name, one, keys, part)
    if not made and not absent:
        # Nothing that he knows is in the release: he guesses.
        made.append(Attack(intruder.name, "guessing", (), 100.0 / max(len(before), 1)))
    if not made:
        raise DataError(f"The score needs the success of one linker at least: {absent[0]}")
    return Attacks(intruder.name, tuple(intruder.known), tuple(made), tuple(dict.fromkeys(absent)))


def _parts(after: Microdata, released: tuple[str, ...], names: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
    """Return what an intruder tries: everything, and each kind of key by itself where there are several."""
    parts: list[tuple[str, tuple[str, ...]]] = [("", released)]
    numbers = after.schema.of_scale("numeric", among=names)
    categories = after.schema.of_scale("ordinal", "nominal", among=names)
    if numbers and categories:
        parts += [("categories", categories), ("numbers", numbers)]
    return parts


def _linkages(intruder: Scenario) -> list[Measure]:
    """Return the measures of linkage that are an intruder's: those in the score, with the linkers that he uses."""
    wanted = {MEASURED.get(name) for name in intruder.linkers}
    kept = []
    for name, cls in catalogue.measures("risk").items():
        if cls.in_score and (name in wanted or name not in MEASURED.values()):
            kept.append(cls())
    return kept


def _attacks(intruder: str, one: Measurement, keys: tuple[str, ...], part: str) -> list[Attack]:
    linker = _in_words(one)
    known = tuple(name for name in one.details.get("known", keys) if name in keys) or keys
    interval = one.details.get("interval_percent") if one.details.get("exact") is False else None
    ends = (float(interval[0]), float(interval[1])) if interval else None
    # An intruder may ignore keys: an attack on some of them stands beside those on all, and is told as what it is.
    capped = one.details.get("complete") is False or bool(one.details.get("left_out"))
    made = [Attack(intruder, linker, known, min(one.value, 100.0), ends, part, len(keys) if capped else 0)]
    informed = one.details.get("percent_with_known_m")
    if informed is not None:
        how = f"{linker} with known rates of change"
        made.append(Attack(intruder, how, known, min(float(informed), 100.0), None, part))
    return made


def _in_words(one: Measurement) -> str:
    return one.title.removeprefix("Re-identified by ")


def exact_match(known: Microdata, after: Microdata, names: Sequence[str]) -> float:
    """Return the percentage of released records that are found by looking for the very same keys.

    A released record is looked for among the originals with equal keys; a gap is like a gap. Of t such originals one is
    taken at random, so that the true one, if it is among them, counts 1/t. For an unmasked file nobody can do better.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.microdata import microdata
    >>> a, b = pl.DataFrame({"x": [1.5, 1.5, 9.0, 8.5]}), pl.DataFrame({"x": [1.5, 1.5, 9.0, 9.0]})
    >>> exact_match(microdata(a), microdata(b), ["x"])  # 1/2 + 1/2 + 1 + 0 of four
    50.0
    """
    n = len(after)
    combination = np.zeros(2 * n, dtype=np.int64)
    for name in names:
        pair = [table.encoded(name) for table in (known, after)]
        codes = _joint(pair) if known.schema[name].scale == after.schema[name].scale else _texts(known, after, name)
        combination = np.unique(combination * (int(codes.max()) + 1) + codes, return_inverse=True)[1].ravel()
    first, second = combination[:n], combination[n:]
    sizes = np.bincount(first, minlength=int(combination.max(initial=0)) + 1)
    return float(100.0 * (1.0 / sizes[first[first == second]]).sum() / n)


def exact_groups(table: Microdata, names: Sequence[str]) -> IntArray:
    """Return how many records have each combination of values that occurs."""
    combination = np.zeros(len(table), dtype=np.int64)
    for name in names:
        codes = _joint([table.encoded(name)])
        combination = np.unique(combination * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[1].ravel()
    return np.bincount(combination)


def _joint(columns: Sequence[Any]) -> IntArray:
    """Return codes of the values of several columns on one list: equal where the values are; a gap is like a gap."""
    if isinstance(columns[0], EncodedSequences):
        keys = np.array([key for one in columns for key in EncodedSequences.keys(one)], dtype=object)
        return np.unique(keys, return_inverse=True)[1].ravel().astype(np.int64)
    values = np.concatenate([np.asarray(one) for one in columns])
    if values.dtype.kind == "f":
        values = values + 0.0  # one nought
    return np.unique(values, return_inverse=True)[1].ravel().astype(np.int64)


def _texts(known: Microdata, after: Microdata, name: str) -> IntArray:
    """Return codes of an attribute whose scales differ in the two tables: equal where they are written the same."""
    texts = [str(value) for table in (known, after) for value in table.column(name).to_pylist()]
    return np.unique(np.array(texts, dtype=object), return_inverse=True)[1].ravel().astype(np.int64)


def risk_of_unmasked(original: Microdata, known: Sequence[str]) -> float:
    """Return the percentage of records that an intruder finds in the file as it is, whatever linker he uses.

    Records that are alike in all that he knows cannot be told apart, and all others are: he finds as many as there are
    different combinations of values. Exact, in one sort.
    """
    names = tuple(name for name in original.schema.names if name in set(known))

    def count() -> float:
        return exact_match(original, original, names) if names else 100.0 / max(len(original), 1)

    return original.once(("risk of the unmasked file", names), count)


def monotone(found: Mapping[str, Attacks]) -> dict[str, Attacks]:
    """Return the attacks of intruders who may ignore what they know: each has those of everybody who knows less too.

    An attack that is not computed of somebody who knows less may be the one that is high.
    """
    result = {}
    for name, one in found.items():
        less = [other for label, other in found.items() if label != name and set(other.known) <= set(one.known)]
        own = {(attack.linker, attack.known) for attack in one.made}
        taken = [a for other in less for a in other.made if (a.linker, a.known) not in own]
        absent = dict.fromkeys(reason for each in (one, *less) for reason in each.absent)
        result[name] = replace(one, made=(*one.made, *taken), absent=tuple(absent))
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
    told = {worst.intruder, *(one.intruder for one in several)}
    made = [attack for one in several for attack in one.made if attack.intruder in told]
    remarks = tuple(dict.fromkeys(attack.remark for attack in made if attack.of))
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
    said = (
        f"Worst case: the intruder “{worst.intruder}” finds {least}{worst.percent:.1f} % of the records, by {by}"
        f"{sampled}. The cells lost {_amount(lost)} %{column}. The score is the mean of both, 0 is best; the unmasked "
        f"file has {unmasked / 2:.1f} (risk {unmasked:.1f} %, loss 0)."
    )
    if incomplete:
        said += f" Not in the risk: {' '.join(incomplete)}"
    return " ".join([said, *remarks])


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


def loss_of(before: Microdata, release: Masked | Microdata, measured: Sequence[Measurement] = ()) -> Measurement:
    """Return what the cells lost, measured now unless it was before."""
    for one in measured:
        if one.name == "cell-loss" and set(one.details.get("counted", ())) >= set(before.schema.keys):
            return one
    measure = catalogue.method("measure", "cell-loss")()
    fitting, _ = applicable([measure], before, before, release)
    return take_measure(fitting[0], before, release)
