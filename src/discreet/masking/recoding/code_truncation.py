"""Codes cut to their first digits: a postal code to its area, an occupation to its group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self, cast

from discreet.contracts.estimator import register
from discreet.contracts.plan import Scope
from discreet.data.scales import Categorical
from discreet.data.schema import Schema
from discreet.errors import ParameterError
from discreet.masking.recoding.level_change import LevelPlan, LevelRecoding
from discreet.masking.recoding.level_map import recode
from discreet.masking.recoding.population_table import Population, PopulationSource, population_by_prefix
from discreet.parameters import AnyOf, ByName, Integer, Names, Number, Optional, Text
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Inquiry
from discreet.typing import Level

__all__ = ["CodeTruncation", "truncated_codes"]


def truncated_codes(
    levels: Sequence[Level],
    digits: int,
    width: int | None,
    people: Mapping[str, float] | None,
    fewest: float,
    small: str,
) -> list[Level]:
    """Return codes by their first digits; those of areas with too few people, or with none known, are all `small`.

    Examples
    --------
    >>> truncated_codes(["10001", "03601"], 3, None, {"100": 102000.0, "036": 14000.0}, 20000, "000")
    ['100', '000']
    """
    texts = [str(level).strip() for level in levels]
    prefixes = [(text.zfill(width) if width is not None else text)[:digits] for text in texts]
    if people is None:
        return list(prefixes)
    return [prefix if people.get(prefix, 0.0) > fewest else small for prefix in prefixes]


@register("code-truncation")
class CodeTruncation(LevelRecoding):
    """Codes released by their first digits, and those of small areas as one code.

    Keeps every released code true in the coarser sense; destroys the digits that are cut off, and where people of small
    areas live.

    Parameters
    ----------
    digits : int or dict of str to int
        How many characters of a code are released; by attribute, and those that are not named then stay.
    population : dict of str to number, or path, optional
        How many people live in an area, by its code: a mapping, or a text file with a code and a number a line. Codes
        with more characters than are released are added up.
    fewest : float
        With `population`: an area is released where more people than this live in it. An area that is not in the table
        is not released.
    small : str
        What stands for all other areas.
    width : int, optional
        How many digits a code has: zeros that a spreadsheet took away are put back before it is cut.
    attributes : list of str, optional
        What to mask; by default every categorical key, which is seldom meant.

    Notes
    -----
    O(n). The release has a new scale of text. Missing values stay missing.

    References
    ----------
    45 CFR 164.514(b)(2)(i)(B), where a three-digit ZIP code is released if more than 20 000 people live there;
    Willenborg and de Waal (2001).

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("zip", Nominal(["10001", "10002", "03601"]), "key")])
    >>> homes = pl.DataFrame({"zip": ["10001", "10002", "03601"]})
    >>> people = {"100": 1500000, "036": 14000}
    >>> CodeTruncation(3, population=people, attributes=["zip"]).mask(homes, schema).to_native()["zip"].to_list()
    ['100', '100', '000']
    """

    digits: int | Mapping[str, int] = parameter(AnyOf(Integer(1), ByName(Integer(1))), default=3, kw_only=False)
    population: Population | None = parameter(Optional(PopulationSource()), default=None)
    fewest: float = parameter(Number(0), default=20_000)
    small: str = parameter(Text("a code"), default="000")
    width: int | None = parameter(Optional(Integer(1)), default=None)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)
    scales: ClassVar[frozenset[str]] = frozenset({"ordinal", "nominal"})

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(1, attributes=["fuel", "size"]),
            cls({"fuel": 2, "size": 1}, population={"gas": 9, "oil": 3, "s": 7}, fewest=5, small="??"),
        ]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        names = super().columns_for(schema)
        if not isinstance(self.digits, Mapping):
            return names
        strangers = [name for name in self.digits if name not in names]
        if strangers:
            raise ParameterError(
                f"CodeTruncation: digits names {strangers[0]!r}, which is not masked.",
                hint="Codes are nominal or ordinal attributes.",
            )
        return tuple(name for name in names if name in self.digits)

    def inquire(self, scope: Scope) -> Inquiry[LevelPlan]:
        changes, notes = {}, []
        for name in scope.names:
            attribute = scope.schema[name]
            digits = self.digits[name] if isinstance(self.digits, Mapping) else self.digits
            people = None if self.population is None else population_by_prefix(self.population, digits)
            levels = cast("Categorical", attribute.scale).levels
            targets = truncated_codes(levels, digits, self.width, people, self.fewest, self.small)
            changes[name] = recode(attribute, targets)
            uncut = sum(len(str(level).strip()) <= digits for level in levels) if self.width is None else 0
            if uncut:
                notes.append(f"{name}: {uncut} of {len(levels)} codes have no more than {digits} characters.")
        yield from ()  # the declaration says everything
        return LevelPlan.of(changes, notes=notes)
