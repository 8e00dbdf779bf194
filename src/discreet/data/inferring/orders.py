"""Categories in order: bands of numbers, answers on a scale, grades of education and size, in several languages."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

__all__ = ["in_order"]

_RANKS = (
    """
    strongly disagree|trifft gar nicht zu|stimme gar nicht zu|pas du tout d'accord|muy en desacuerdo
    |fortemente in disaccordo|helemaal oneens|molt en desacord|tout a fait en desaccord
    disagree|trifft nicht zu|trifft eher nicht zu|stimme nicht zu|pas d'accord|en desacuerdo|in disaccordo
    |oneens|en desacord|plutot pas d'accord|somewhat disagree
    neutral|neither|neither agree nor disagree|teils teils|teils/teils|weder noch|ni d'accord ni pas d'accord
    |ni de acuerdo ni en desacuerdo|indifferent|neutraal|indiferent|neutrale
    agree|trifft zu|trifft eher zu|stimme zu|d'accord|de acuerdo|d'accordo|eens|d'acord|plutot d'accord
    |somewhat agree
    strongly agree|trifft voll zu|stimme voll zu|tout a fait d'accord|muy de acuerdo|fortemente d'accordo
    |helemaal eens|molt d'acord
    """,
    """
    never|nie|niemals|jamais|nunca|mai|nooit|not at all|ueberhaupt nicht
    rarely|selten|rarement|raramente|zelden|rara vez|seldom|a little
    sometimes|manchmal|parfois|a veces|a volte|soms|de vegades|moderately
    often|oft|haeufig|souvent|a menudo|spesso|vaak|sovint
    always|immer|toujours|siempre|sempre|altijd|very often|sehr oft|extremely
    """,
    """
    very bad|very poor|sehr schlecht|tres mauvais|muy malo|muy mala|pessimo|zeer slecht|molt dolenta
    bad|poor|schlecht|mauvais|mauvaise|malo|mala|cattivo|slecht|dolenta
    fair|average|moderate|mittelmaessig|mittel|moyen|moyenne|regular|discreto|matig|acceptable|mittelmassig
    good|gut|bon|bonne|bueno|buena|buono|goed|bona
    very good|sehr gut|tres bon|tres bonne|muy bueno|muy buena|molto buono|zeer goed|molt bona
    excellent|ausgezeichnet|excelente|eccellente|uitstekend|excel·lent
    """,
    """
    very dissatisfied|sehr unzufrieden|tres insatisfait|muy insatisfecho|zeer ontevreden
    dissatisfied|unzufrieden|insatisfait|insatisfecho|insoddisfatto|ontevreden
    neither satisfied nor dissatisfied|neutral
    satisfied|zufrieden|satisfait|satisfecho|soddisfatto|tevreden
    very satisfied|sehr zufrieden|tres satisfait|muy satisfecho|zeer tevreden
    """,
    """
    very low|sehr niedrig|tres bas|muy bajo|molto basso|zeer laag|lowest|minimal|micro|none|no|keine|aucun
    |ninguno
    low|niedrig|bas|bajo|basso|laag|baix|small|klein|petit|pequeno|piccolo|petita|s|mild|leicht|leger|leve
    |minor
    medium|mittel|moyen|medio|middelbaar|mitja|middle|m|mid|moderate|moderat|modere|moderado|mittelgross
    high|hoch|haut|alto|hoog|alt|large|gross|grand|grande|groot|gran|l|severe|schwer|grave|major|big
    very high|sehr hoch|tres haut|muy alto|molto alto|zeer hoog|highest|xl|very large|sehr gross|critical
    |extreme
    """,
    """
    none|no schooling|no education|illiterate|ohne abschluss|kein abschluss|aucun|aucun diplome|sin estudios
    |ninguno|nessuno|nessun titolo|geen|sense estudis|preschool|kindergarten
    primary|elementary|grundschule|volksschule|primaire|primaria|primarios|basisonderwijs|primaris|1st-4th
    |5th-6th|licenza elementare
    lower secondary|hauptschule|college|secundaria|secondaria inferiore|vmbo|7th-8th|middle school|eso
    |licenza media|9th|compulsory|incomplete compulsory school
    secondary|realschule|mittlere reife|secondaire|bachillerato|secondaria|mbo|10th|apprenticeship|brevet
    |secundarios|secundaris
    11th
    12th
    upper secondary|high school|abitur|matura|maturity|baccalaureat|bac|diploma|havo|hs-grad|havo/vwo|vwo
    |secondaria superiore|batxillerat
    vocational|some-college|berufsschule|lehre|formation professionnelle|formacion profesional|fp
    |post-secondary|technical or vocational school|meister
    assoc-voc
    assoc-acdm|associate
    tertiary|bachelor|bachelors|fachhochschule|licence|grado|diplomatura|laurea triennale|hbo|university
    |universitaet|universite|universidad|universita|universitarios|universitaris|universiteit|superieur|higher
    |hochschule|universitat|laurea
    master|masters|maitrise|laurea magistrale|wo|postgraduate|posgrado
    prof-school
    doctorate|doctor|phd|doktorat|promotion|doctorat|doctorado|dottorato|doctoraat
    """,
)
"""Families of answers, a rank a line; what stands at one rank is separated by bars, which may begin a line."""

_ENDS = {"low", "high", "niedrig", "hoch", "small", "large", "klein", "gross", "bajo", "alto", "laag", "hoog"}
"""Two of these alone are an order."""

_BAND = re.compile(
    r"^(?P<below>[<≤]=?|under|unter|bis|below|less than|menos de|moins de|hasta|jusqu'a|fino a|tot|onder|up to)?\s*"
    r"(?P<above>[>≥]=?|over|ueber|above|mas de|plus de|oltre|meer dan|more than|from|ab|desde|vanaf)?\s*"
    r"[€$£]?\s*(?P<low>\d[\d.,' ]*)(?P<thousand>\s?[kK])?\s*[€$£]?\s*"
    r"(?:(?:-|–|to|bis|a|à|tot|und unter|<)\s*[€$£]?\s*(?P<high>\d[\d.,' ]*)\s?[kK]?\s*[€$£]?|"
    r"(?P<plus>\+|and over|and more|und mehr|und aelter|et plus|y mas|e oltre|en meer|or more|plus))?\s*[\w%€]{0,10}$"
)


def in_order(levels: list[str]) -> tuple[str, ...] | None:
    """Return the levels from lowest to highest, or None where no order is known.

    Examples
    --------
    >>> in_order(["65+", "18-24", "25-64"])
    ('18-24', '25-64', '65+')
    >>> in_order(["gut", "sehr gut", "schlecht"])
    ('schlecht', 'gut', 'sehr gut')
    >>> in_order(["gas", "oil"]) is None
    True
    """
    if not 2 <= len(levels) <= 60:
        return None
    plain = {level: _plain(level) for level in levels}
    return _ranked(plain) or _banded(plain)


def _plain(level: str) -> str:
    word = unicodedata.normalize("NFKD", level.strip().lower().replace("ß", "ss").replace("’", "'"))
    return "".join(char for char in word if not unicodedata.combining(char))


@cache
def _families() -> tuple[tuple[str, ...], ...]:
    """Return the ranks of every family."""
    joined = (re.sub(r"\n\s*\|", "|", family) for family in _RANKS)
    return tuple(tuple(line.strip() for line in family.splitlines() if line.strip()) for family in joined)


def _ranked(plain: dict[str, str]) -> tuple[str, ...] | None:
    for family in _families():
        rank = {word: place for place, words in enumerate(family) for word in words.split("|")}
        places = {level: rank[word] for level, word in plain.items() if word in rank}
        # Two words may be anything: no and high are no scale. Some schools have a name of their own.
        several = len(set(places.values())) >= 3
        if len(places) == len(plain) and (several or (len(plain) == 2 and set(plain.values()) <= _ENDS)):
            shared = sorted(places, key=lambda level: (places[level], list(rank).index(plain[level]), level))
            return tuple(shared)
    return None


def _banded(plain: dict[str, str]) -> tuple[str, ...] | None:
    places: dict[str, tuple[float, int]] = {}
    bands = 0
    for level, word in plain.items():
        match = _BAND.match(word)
        if match is None:
            return None
        marks = [match[name] for name in ("below", "above", "high", "plus")]
        bands += any(marks)
        number = re.sub(r"[^\d]", "", match["low"])
        places[level] = (float(number), -1 if match["below"] else 1 if match["above"] or match["plus"] else 0)
    if bands < max(1, len(plain) // 2) or len(set(places.values())) < len(places):
        return None
    return tuple(sorted(places, key=lambda level: places[level]))
