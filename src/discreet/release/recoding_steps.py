"""Recodings as they are typed, ``age=0,15,30,75+``: the steps they stand for, before the main method or alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from discreet.contracts.masker import Masker
from discreet.data.scales.calendar_unit import UNITS
from discreet.errors import ParameterError
from discreet.masking.recoding.band_rule import BandRule
from discreet.masking.running.units import PerUnit
from discreet.release.chain import Chain, masker_for, masker_of
from discreet.release.protocol_parts import Step

__all__ = ["HOW", "recode_steps", "recoded_masker", "recoding_maskers"]

HOW = (
    "bands 0,15,30,75+ or nice:10, equal:5, width:10, log:6, count:5, optimal:5 (with /mean, /median, /midpoint, /5 "
    "for the fewest records of a band, /refuse for empty ones); @hierarchy.csv:2; a map wood>other,>unknown; rare:5; "
    f"prefix:3; or {', '.join(UNITS)}"
)
"""What may stand behind the name of a column."""


def recode_steps(texts: Iterable[str]) -> list[Step]:
    """Return the steps that typed recodings stand for; those of one kind are one step.

    A column that is named again is recoded again, as it came out of what was said of it before; in the same way it
    can be recoded once.

    Examples
    --------
    >>> for step in recode_steps(["age=0,15,75+", "income=nice:10", "zip=prefix:3", "fuel=wood>other,>none"]):
    ...     print(step.method, step.parameters)
    banding {'bands': {'age': '0,15,75+', 'income': 'nice:10'}}
    code-truncation {'digits': {'zip': 3}}
    level-map {'maps': {'fuel': {'wood': 'other'}}, 'missing': {'fuel': 'none'}}
    >>> [step.method for step in recode_steps(["town=prefix:1", "town=rare:5"])]
    ['code-truncation', 'rare-levels']
    """
    steps: list[Step] = []
    places: dict[str, list[int]] = {}
    for text in texts:
        column, equals, how = (part.strip() for part in text.partition("="))
        if not equals or not column or not how:
            raise ParameterError(f"--recode must be COLUMN=HOW; got {text!r}.", hint=f"HOW: {HOW}.")
        step = _step(column, how)
        earlier = places.setdefault(column, [])
        _refuse_again(column, step, [steps[place].method for place in earlier])
        # What is said of a column later is done later.
        place = next((n for n in range(max(earlier, default=-1) + 1, len(steps)) if _same_kind(steps[n], step)), None)
        if place is None:
            place = len(steps)
            steps.append(step)
        else:
            steps[place] = Step(step.method, _joined(steps[place].parameters, step.parameters))
        earlier.append(place)
    return steps


def _refuse_again(column: str, step: Step, before: list[str]) -> None:
    """Refuse a second recoding of a column that does not follow from the first."""
    if step.method in before:
        raise ParameterError(
            f"--recode names {column!r} twice for the same kind of recoding ({step.method}).",
            hint="Say what the column shall be in one of them; a different kind may follow, such as rare:5.",
        )
    if before and step.method in ("banding", "date-coarsening"):
        raise ParameterError(
            f"--recode names {column!r} twice: {step.method} needs the numbers or dates themselves, and {before[-1]} "
            "comes before it.",
            hint="Put it first, or leave the other out.",
        )


def _same_kind(one: Step, other: Step) -> bool:
    """Say whether two steps differ in nothing but what they say of single columns."""
    if one.method != other.method:
        return False
    if one.method == "rare-levels":
        names = {"attributes"}
        return _without(one.parameters, names) == _without(other.parameters, names)
    plain = [{n: v for n, v in step.parameters.items() if not isinstance(v, Mapping)} for step in (one, other)]
    return plain[0] == plain[1]


def _without(parameters: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if name not in names}


def _joined(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(one)
    for name, value in other.items():
        if isinstance(value, Mapping):
            result[name] = {**result.get(name, {}), **value}
        elif name == "attributes":
            result[name] = [*result[name], *value]
    return result


def _step(column: str, how: str) -> Step:
    head, _, rest = how.partition(":")
    if how.startswith("@"):
        return _by_hierarchy(column, how[1:])
    if how in UNITS:
        return Step("date-coarsening", {"to": {column: how}})
    if head == "prefix":
        return Step("code-truncation", {"digits": {column: _whole(column, rest, 1)}})
    if head == "rare":
        return _rare(column, rest)
    if ">" in how:
        return _map(column, how)
    return _bands(column, how)


def _bands(column: str, how: str) -> Step:
    rule, *further = [part.strip() for part in how.split("/")]
    try:
        BandRule.of(rule)
    except ValueError:
        raise ParameterError(f"--recode {column}: {how!r} says no recoding.", hint=f"It is one of: {HOW}.") from None
    parameters: dict[str, Any] = {"bands": {column: rule}}
    for word in further:
        if word in ("label", "midpoint", "mean", "median"):
            parameters["release"] = word
        elif word in ("keep", "refuse"):
            parameters["empty"] = word
        else:
            parameters["min_count"] = _whole(column, word, 2)
    return Step("banding", parameters)


def _by_hierarchy(column: str, how: str) -> Step:
    path, colon, step = how.rpartition(":")
    if not colon or not step.isdigit():
        path, step = how, "1"
    return Step("hierarchy-recoding", {"hierarchies": {column: path}, "step": {column: int(step)}})


def _rare(column: str, how: str) -> Step:
    count, arrow, category = (part.strip() for part in how.partition(">"))
    count, _, into = count.partition("/")
    if into not in ("", "nearest", "other"):
        raise ParameterError(f"--recode {column}: rare levels go to 'other' or 'nearest'; got {into!r}.")
    parameters: dict[str, Any] = {"min_count": _whole(column, count, 2), "attributes": [column]}
    parameters |= {"into": into} if into else {}
    return Step("rare-levels", parameters | ({"category": category} if arrow else {}))


def _map(column: str, how: str) -> Step:
    pairs = [tuple(part.strip() for part in pair.partition(">")) for pair in how.split(",") if pair.strip()]
    if not all(arrow and new for _, arrow, new in pairs):
        raise ParameterError(f"--recode {column}: a map must be OLD>NEW,OLD>NEW; got {how!r}.")
    if any(">" in new for _, _, new in pairs):
        raise ParameterError(
            f"--recode {column}: a new level must not hold '>'.",
            hint="Pairs are told apart by commas: OLD>NEW,OLD>NEW.",
        )
    olds = [old for old, _, _ in pairs]
    twice = next((old for old in olds if olds.count(old) > 1), None)
    if twice is not None:
        raise ParameterError(f"--recode {column}: the map names {twice!r} twice.")
    levels = {old: new for old, _, new in pairs if old}
    absent = next((new for old, _, new in pairs if not old), None)
    if not levels:
        raise ParameterError(f"--recode {column}: a map must name a level beside the missing values.")
    return Step("level-map", {"maps": {column: levels}, **({"missing": {column: absent}} if absent else {})})


def _whole(column: str, text: str, low: int) -> int:
    if not text.strip().isdigit() or int(text) < low:
        raise ParameterError(
            f"--recode {column}: {text.strip()!r} must be a whole number of at least {low}.", hint=f"HOW: {HOW}."
        )
    return int(text)


def recoding_maskers(texts: Iterable[str]) -> list[Masker]:
    """Return the maskers of typed recodings."""
    return [masker_of(step, place) for place, step in enumerate(recode_steps(texts))]


def recoded_masker(
    recodes: Iterable[str],
    method: str | None = None,
    parameters: Mapping[str, Any] | None = None,
    unit: str | None = None,
) -> Masker | PerUnit | Chain:
    """Return what recodes columns as typed, and masks what comes out with a method, or with none.

    Parameters
    ----------
    recodes : iterable of str
        Each ``COLUMN=HOW``; see ``discreet protect --help``.
    method : str, optional
        A registered masker, with its `parameters`; for each `unit` where one is named.
    """
    steps: list[Masker | PerUnit] = [*recoding_maskers(recodes)]
    parameters = parameters or {}
    if method is not None:
        steps.append(masker_for(method, parameters, unit))
    elif unit is not None:
        raise ParameterError("A unit is for the method that masks; recodings change record by record.")
    if len(steps) == 1:
        return steps[0]
    seed = parameters.get("random_state")
    return Chain(steps, seed if isinstance(seed, int) else None)
