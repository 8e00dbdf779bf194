"""Survey weights: positive numbers whose name says so, and which weigh no body."""

from __future__ import annotations

from collections.abc import Iterable

from discreet.data.inferring.looking import Guess, Look
from discreet.data.inferring.vocabulary import name_words, subject_of

__all__ = ["is_weight"]

_OF_SURVEYS = {"sampling", "sample", "survey", "design", "final", "base", "person", "household", "households", "pers",
               "cross", "calibrated", "calibration", "analytic", "factor", "faktor", "adjusted", "normalized", "pop",
               "population", "hh", "hhw", "proba", "inverse", "sondage", "de", "muestral", "expansion",
               "individual"}  # fmt: skip


def is_weight(look: Look, names: Iterable[str]) -> Guess | None:
    """Say whether a column holds survey weights; `names` are those of all columns."""
    numbers = look.numbers
    words = name_words(look.name)
    if numbers is None or not (numbers > 0).all():
        return None
    if words in {("w",), ("wi",), ("wgts",)} and not look.label:
        return Guess("positive, and its name says weight", 0.85, "weight", holds_for="weight")
    if not look.speaks_of("weight") or look.speaks_of("physical", "health"):
        return None
    if look.whole and any(word.startswith(("coef", "koef")) for word in words) and not set(words) & _OF_SURVEYS:
        return None
    parts = {word for word in words if not subject_of(word) & {"weight"}}
    plain = [word for word in words if len(word) > 1]
    if parts - _OF_SURVEYS and len(plain) > 1 and "weight" in words and not parts & _OF_SURVEYS:
        return None  # a noun before weight says whose: the whole weight of a shell
    others = {word for name in names for word in name_words(name)}
    if words == ("weight",) and others & {"height", "heightcm", "bmi", "groesse", "taille", "stature", "estatura"}:
        return None
    return Guess("positive, and its name says weight", 0.95, "weight", holds_for="weight")
