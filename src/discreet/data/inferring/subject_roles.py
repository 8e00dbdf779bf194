"""The role of a column by what it speaks of: what neighbours know is a key, what people keep to themselves is not."""

from __future__ import annotations

import numpy as np

from discreet.data.inferring.looking import Guess, Look
from discreet.data.inferring.vocabulary import name_words
from discreet.data.scales import Moment, Numeric, Scale

__all__ = ["is_clinical", "role_of"]

_WHY = {
    "health": "its name speaks of health", "opinion": "its name speaks of what somebody thinks or believes",
    "amount": "its name says an amount of money",
}  # fmt: skip
_KEYS = {
    "age": "its name says age or birth", "education": "its name says education", "work": "its name says work",
    "demographic": "its name says what neighbours know", "place": "its name says a place",
    "count": "its name says a number of persons or things", "household": "its name says a household",
}  # fmt: skip
_SIZES = {"employees", "staff", "headcount", "beschaeftigte", "mitarbeiter", "fte", "size", "groesse", "taille"}


_HOW_MANY = {"nb", "nbr", "anzahl", "aantal", "nombre", "numero", "count", "how"}


def role_of(look: Look, scale: Scale, *, clinical: bool = False) -> Guess:
    """Return the role of a column that is no identifier, weight or stratum."""
    if len(look.distinct) <= 1 and len(look.values) >= 10:
        return Guess("it is the same for everybody", 0.9, "other")
    words = set(name_words(look.name))
    if look.whole and name_words(look.name)[:1] and name_words(look.name)[0] in _HOW_MANY and len(look.distinct) <= 200:
        return Guess(_KEYS["count"] + ": an intruder may know it", 0.85, "key")
    if words & _SIZES and not look.speaks_of("amount", "health"):
        return Guess(_KEYS["count"], 0.85, "key")
    for subject in ("opinion", "health", "amount"):
        if not look.speaks_of(subject):
            continue
        if subject != "amount" and look.speaks_of("age", "demographic") and not look.speaks_of("amount"):
            continue
        if subject == "amount" and look.speaks_of("place", "work") and look.numbers is None:
            continue
        return Guess(_WHY[subject], 0.9, "confidential")
    fractional = look.numbers is not None and not look.whole
    for subject, why in _KEYS.items():
        if look.speaks_of(subject) and not (fractional and subject in {"place", "work", "demographic"}):
            if clinical and subject == "household":
                continue
            return Guess(f"{why}: an intruder may know it", 0.9, "key")
    if isinstance(scale, Moment):
        return Guess("a date: an intruder may know it", 0.8, "key")
    if clinical:
        return Guess("it stands among health data", 0.6, "confidential")
    if isinstance(scale, Numeric) and _has_heavy_tail(look):
        return Guess("most values are small and a few are very large, as amounts are", 0.6, "confidential")
    return Guess("an intruder may know it; change the role if not", 0.5, "key")


def is_clinical(looks: list[Look]) -> bool:
    """Say whether a table is one of patients: several columns speak of health, or one of a diagnosis."""
    health = [look for look in looks if look.speaks_of("health")]
    named = any("diagnosis" in word or "patient" in word for look in looks for word in name_words(look.name))
    return len(health) >= 3 or (named and bool(health))


def _has_heavy_tail(look: Look) -> bool:
    numbers = look.numbers
    if numbers is None or numbers.size < 30 or len(look.distinct) <= 20 or (numbers < 0).mean() > 0.3:
        return False
    sizes = np.abs(numbers)
    middle = float(np.median(sizes))
    return bool(middle > 0 and sizes.max() > max(1000.0, 8 * middle) and sizes.mean() > 1.3 * middle)
