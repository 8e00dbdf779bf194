"""Columns that say who somebody is: names, addresses, numbers, places on a map."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.inferring.looking import Guess, Look
from discreet.data.inferring.vocabulary import listed_words, name_words
from discreet.data.scales.scale import is_text

__all__ = ["content_of", "identifies"]

_PATTERNS = {
    "addresses of mail": r"^\s*[^@\s]+@[^@\s]+\.[A-Za-z]{2,}\s*$",
    "addresses of the web": r"^\s*(https?://|www\.)\S+$",
    "network addresses": r"^\s*([0-9]{1,3}\.){3}[0-9]{1,3}\s*$|^\s*([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}\s*$",
    "account numbers": r"^\s*[A-Z]{2}[0-9]{2}( ?[A-Z0-9]{4}){3,7}( ?[A-Z0-9]{1,3})?\s*$",
    "telephone numbers": r"^\s*(\+|00)[0-9]{1,3}[ ./()-]?[0-9 ./()-]{6,}$|^\s*0[0-9]{1,4}[ /-][0-9 -]{5,}$",
    "social security numbers": r"^\s*[0-9]{3}-[0-9]{2}-[0-9]{4}\s*$|^\s*756\.[0-9]{4}\.[0-9]{4}\.[0-9]{2}\s*$",
    "universal identifiers": r"^\s*[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\s*$",
}
_COORDINATES = {"latitude", "longitude", "lat", "lon", "lng", "coord", "coordinate", "coordinates"}
_KINDS = frozenset(
    listed_words(
        "firm company enterprise betrieb unternehmen person patient customer kunde client employee student member case "
        "respondent empresa entreprise bedrijf impresa business establishment user subject policy invoice order "
        "contract unit worker"
    )
)
"""What is numbered."""
_MANY = 0.5
_ALWAYS = {"uid", "uuid", "guid", "ssn", "mrn", "bsn", "passport", "iban", "email", "imei", "siret", "siren"}
"""Words for what identifies, however often a value comes."""


_NAMES = frozenset(
    listed_words(
        "firstname lastname surname forename fullname familyname givenname middlename maidenname birthname vorname "
        "vornamen nachname familienname geburtsname maedchenname prenom prenoms nomfamille nomdefamille nomprenom "
        "patronyme apellido apellidos primerapellido segundoapellido nombrecompleto cognome nomecognome cognom "
        "cognoms voornaam voornamen achternaam familienaam roepnaam apelido apelidos sobrenome efternamn fornavn "
        "etternavn efternavn nazwisko imie"
    )
)
"""What a person is called, however few are called different things."""
_NAME = frozenset(listed_words("name names namen nom noms nombre nombres nome naam namn navn"))
"""Words that say a person's name where nothing beside them says what else is named."""
_PHONE = re.compile(r"(tele?)?(phone?|fono|foon|fon)(nr|no|num|number|nummer)?|tel|telnr|telno|mobile?|handy|fax|natel")


def identifies(look: Look) -> Guess | None:
    """Say whether a column identifies a person or a company, by its content or by its name."""
    if not len(look.values):
        return None
    by_content = _by_content(look)
    if by_content:
        return _identifier(f"its values look like {by_content}", 0.97)
    words = set(name_words(look.name))
    if words & _COORDINATES and look.numbers is not None and not look.whole:
        return _identifier("its name says a place on a map", 0.95)
    if pa.types.is_boolean(look.values.type):
        return None
    if _is_name(look):
        return _identifier("its name says what a person is called", 0.95)
    if any(_PHONE.fullmatch(word) for word in words) and _has_long_numbers(look):
        return _identifier("its name says a telephone", 0.95)
    if look.speaks_of("amount", "weight", "count", "age", "date", "health", "opinion") and look.numbers is not None:
        return None
    if look.is_temporal or look.is_year_month:
        return None
    if words & _ALWAYS:
        return _identifier("its name says a person's or a company's own number", 0.95)
    share = look.share_distinct
    fractional = look.numbers is not None and not look.whole
    many = share > 0.2 or len(look.distinct) > 50
    if many and look.speaks_of("person") and not fractional and not look.speaks_of("place", "work", "demographic"):
        return _identifier("its name says a person's or a company's own data", 0.95)
    if look.speaks_of("household") and not fractional and share > 0.5 and not look.speaks_of("demographic", "place"):
        return _identifier("its name says a household, and its values are many", 0.85)
    if _is_numbered(look) and not fractional and share > _MANY:
        return _identifier("its name and its many different values say identifier", 0.95)
    if look.numbers is None and len(look.values) > 20 and share > 0.9 and not look.speaks_of("date") and not look.order:
        return _identifier("nearly every value is different", 0.85)
    whole = look.whole and not pa.types.is_floating(look.column.type)
    if whole and len(look.values) > 20 and share == 1.0 and not look.subjects:
        numbers = look.levels
        if numbers[0] in (0, 1) and numbers[-1] - numbers[0] == len(numbers) - 1:
            return _identifier("it counts the records", 0.85)
        if len(str(numbers[0])) == len(str(numbers[-1])) >= 5:
            return _identifier("whole numbers of one length, all different", 0.7)
    return None


def _is_name(look: Look) -> bool:
    """Say whether the name of the column says what a person is called."""
    words = name_words(look.name)
    if set(words) & _NAMES:
        return True
    # The French count with the word that the Spanish are called by.
    alone = [word for word in words if word not in _NAME]
    if look.numbers is not None or len(alone) == len(words):
        return False
    return not alone or all(any(kind in word for kind in _KINDS) for word in alone)


def _has_long_numbers(look: Look) -> bool:
    texts = look.distinct.cast(pa.string()).slice(0, 2000)
    fitting = pc.sum(pc.match_substring_regex(texts, r"^\s*[+(]?[0-9][0-9 ()./-]{5,}$")).as_py() or 0
    return bool(fitting > 0.8 * len(texts))


def _is_numbered(look: Look) -> bool:
    """Say whether the name speaks of a number that somebody or something has."""
    if look.speaks_of("number") and not re.search(r"(?i)num_?[0-9]", look.name):
        return True
    words = name_words(look.name)
    ends = any(re.search(r"(id|nr|no|num|nummer)$", word) for word in words)
    return ends and any(kind in word for word in words for kind in _KINDS)


def _by_content(look: Look) -> str:
    return _kind_of(look.distinct.cast(pa.string())) if is_text(look.values) else ""


def content_of(texts: Sequence[str]) -> str:
    """Return what different texts look like: addresses, telephone numbers …; empty where they look like nothing.

    Examples
    --------
    >>> content_of(["a@example.org", "b@example.org", "c@example.org"]), content_of(["red", "blue"])
    ('addresses of mail', '')
    """
    return _kind_of(pa.array(texts, pa.string()))


def _kind_of(distinct: pa.Array) -> str:
    texts = distinct.slice(0, 2000)
    for kind, pattern in _PATTERNS.items():
        fitting = pc.sum(pc.match_substring_regex(texts, pattern)).as_py() or 0
        if fitting > 0.8 * len(texts) and len(distinct) > 2:
            return kind
    return ""


def _identifier(reason: str, confidence: float) -> Guess:
    return Guess(f"{reason}: it will not be released", confidence, "identifier", holds_for="identifier")
