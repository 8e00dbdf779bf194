"""The headline of a release: its worst case, and what its cells lost. One function, wherever the figure is shown.

Risk is the most that any intruder achieves with any linker, never a mean: a release is as safe as its weakest side. An
intruder may ignore what he knows, so his risk is never below that of somebody who knows less: he also tries the
categories and the numbers by themselves, and whatever intruders try whose knowledge is a part of his. Loss is what the
cells lost (:class:`~discreet.measures.loss.cell_loss.CellLoss`), which sees every column that was changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from discreet import catalogue
from discreet.contracts.assessment import Assessment, NotComputed, Score
from discreet.contracts.engine import Engine
from discreet.contracts.intruder import Intruder
from discreet.contracts.masked import Masked
from discreet.contracts.measurement import Measurement
from discreet.data.microdata import Microdata
from discreet.data.table import StoredTable
from discreet.evaluation.attacking import ALL_KEYS, EXACT, Attack, Attacks, as_recoded, attacks_of, monotone
from discreet.evaluation.exact_matching import risk_of_unmasked
from discreet.evaluation.measuring import applicable, take_measure

__all__ = ["headlines", "loss_of", "unmasked_score", "worst_case", "worst_of"]

_NAMES = 4


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
    progress: bool = False,
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
    progress : bool
        Whether to report which measure is worked on; not where many releases are measured.
    """
    measurements = taken or {}
    fitting = as_recoded(before, release) if known is None else known
    attacks = {}
    for one in intruders:
        measured, without = measurements.get(one.name, ((), ()))
        attacks[one.name] = attacks_of(
            one, before, release, known=fitting, measured=measured, without=without, engine=engine, progress=progress
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
    untold = [remark for one in several for remark in one.remarks]
    remarks = tuple(dict.fromkeys([*(attack.remark for attack in relevant if attack.of), *untold]))
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
        {EXACT: risk, "cell-loss": 0.0},
        intruder=intruder,
        linker=EXACT,
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
