"""What columns the rules of the safe harbour are for, by what a schema says of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from discreet.data.inferring.personal_data import content_of
from discreet.data.inferring.vocabulary import name_words, subject_of
from discreet.data.scales import Categorical, Moment, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.statistics.census import Reach
from discreet.typing import Level

__all__ = ["HarbourColumns", "find_columns", "may_tell_age", "refuse_uncovered"]

_BIRTH = re.compile(
    "birth(y|yr|year|date|day)?|dob|yob|yearofbirth|dateofbirth|dayofbirth|born|geburt|geburtsjahr|geburtsdatum|"
    "gebjahr|gebdat|gebdatum|naissance|datenaissance|anneenaissance|anaissance|nacimiento|nascita|geboorte[a-z]*|"
    "naixement"
)
_NO_BIRTH = re.compile("birth(place|weight|order)|geburts(ort|gewicht)|place|weight|order|ort|country|gewicht")
_AGE = re.compile("age|ages|ageyears|ageinyears|alter|altersjahre|edad|eta|leeftijd|edat|agegroup|altersgruppe[a-z]*")
_ZIP = re.compile("zip|zip(code|plus|five)[a-z]*|plz|postal(code)?|postcode|postleitzahl|codigopostal|cp|codepostal")
_LARGE = re.compile("state|states|country|pays|pais|paese|continent|bundesland|land|native|urban|rural|urbrur|nuts")
_WIDE_CODE = re.compile("[0-9]{5}(-?[0-9]{4})?")
_OLD, _OLDEST = 90, 125


class HarbourColumns(NamedTuple):
    """By rule, the attributes that it is for."""

    ages: tuple[str, ...]
    births: tuple[str, ...]
    codes: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        return (*self.ages, *self.births, *self.codes)


def find_columns(schema: Schema, named: HarbourColumns, keep: Collection[str]) -> HarbourColumns:
    """Return what was named, and what the names, scales and levels of other attributes say.

    Examples
    --------
    >>> from discreet.data.scales import Date, Nominal, Numeric
    >>> schema = Schema([Attribute("Age", Numeric()), Attribute("DOB", Date()), Attribute("ZIP", Nominal(["02138"]))])
    >>> find_columns(schema, HarbourColumns((), (), ()), ())
    HarbourColumns(ages=('Age',), births=('DOB',), codes=('ZIP',))
    """
    ages, births, codes = (list(names) for names in named)
    for attribute in schema:
        name = attribute.name
        if attribute.role == "identifier" or name in keep or name in named.all or attribute.scale.kind == "sequence":
            continue
        if _says(attribute, _BIRTH) and not _says(attribute, _NO_BIRTH):
            births.append(name)
        elif _says(attribute, _AGE) and not isinstance(attribute.scale, Moment):
            if not isinstance(attribute.scale, Categorical) or _are_ages(attribute):
                ages.append(name)
        elif _is_zip(attribute):
            codes.append(name)
    return HarbourColumns(tuple(ages), tuple(births), tuple(codes))


def refuse_uncovered(schema: Schema, names: Collection[str], keep: Collection[str]) -> None:
    """Refuse attributes that no rule was found for and that the safe harbour does not let out as they are."""
    banded, personal, small, numbered = [], [], [], []
    for attribute in schema:
        if attribute.role in ("identifier", "weight") or attribute.name in names or attribute.name in keep:
            continue
        subjects = subject_of(attribute.name, attribute.label)
        levels = attribute.scale.levels if isinstance(attribute.scale, Categorical) else ()
        texts = [str(level) for level in levels]
        if _says(attribute, _AGE) and any(int(n) > _OLD for text in texts for n in re.findall("[0-9]{1,3}", text)):
            banded.append(attribute.name)
        elif isinstance(attribute.scale, Ordinal) and _are_ages(attribute) and may_tell_age(attribute, _reach(levels)):
            numbered.append(attribute.name)
        elif content_of(texts) or ("person" in subjects and (len(levels) > 2 or not levels)):
            personal.append(attribute.name)
        elif "place" in subjects and not _says(attribute, _LARGE) and len(levels) != 1:
            small.append(attribute.name)
    for found, what, hint in (
        (banded, "tells ages beyond 90", "Recode it first, so that 90 and above is one class"),
        (numbered, "may hold ages, some of them 90 or more", "Name it in ages"),
        (personal, "looks like a name, a contact or a number of a person", "Leave it out (--identifiers)"),
        (small, "looks like an area smaller than a state", "Leave it out (--identifiers)"),
    ):
        if found:
            raise ParameterError(
                f"SafeHarbour: {', '.join(map(repr, found))} {what}, and would be released as it came.",
                hint=f"{hint}; or, where you looked and it is none, name it in keep.",
            )


def may_tell_age(attribute: Attribute, reach: Reach) -> bool:
    """Say whether numbers may be ages with some from 90 on, or years of birth that tell such ages."""
    if not reach.present or subject_of(attribute.name, attribute.label) - {"age", "number", "date", "person"}:
        return False
    age = reach.low >= 0 and _OLD <= reach.high <= _OLDEST
    return age or (1850 <= reach.low <= 1940 and reach.high <= 2100)


def _says(attribute: Attribute, pattern: re.Pattern[str]) -> bool:
    return any(pattern.fullmatch(word) for text in (attribute.name, attribute.label) for word in name_words(text))


def _reach(levels: Sequence[Level]) -> Reach:
    numbers = [float(level) for level in levels]
    return Reach(len(numbers), min(numbers), max(numbers))


def _are_ages(attribute: Attribute) -> bool:
    levels = attribute.scale.levels  # type: ignore[attr-defined]
    return all(re.fullmatch(r"[0-9]{1,3}(\.0*)?", str(level).strip()) for level in levels)


def _is_zip(attribute: Attribute) -> bool:
    if _says(attribute, _ZIP):
        return True
    if not isinstance(attribute.scale, Categorical) or subject_of(attribute.name, attribute.label) - {"place"}:
        return False
    texts = [str(level).strip() for level in attribute.scale.levels]
    return sum(bool(_WIDE_CODE.fullmatch(text)) for text in texts) > 0.8 * len(texts)
