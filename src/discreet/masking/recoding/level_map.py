"""Recoding by a map that the user writes: this level becomes that one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self, cast

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.plan import Scope
from discreet.data.scales import Categorical, Nominal, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import ParameterError
from discreet.masking.recoding.level_change import LevelChange, LevelPlan, LevelRecoding, change_levels
from discreet.parameters import AnyOf, ByName, Constraint, Control, Flag, Number, Optional, Text
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Inquiry
from discreet.typing import Level

__all__ = ["LevelMap", "recode"]


class _Map(Constraint):
    """Old level to new level."""

    def accepts(self, value: Any) -> bool:
        levels = (str, int, float, bool)
        if not isinstance(value, Mapping) or not value:
            return False
        return all(isinstance(old, levels) and isinstance(new, levels) for old, new in value.items())

    def describe(self) -> str:
        return "a mapping of levels to levels"

    def parse(self, text: str) -> dict[str, str]:
        pairs = [pair.partition(">") for pair in text.split(",") if pair.strip()]
        if not all(arrow and ">" not in new for _, arrow, new in pairs):
            raise ValueError(text)
        return {old.strip(): new.strip() for old, _, new in pairs}

    def control(self) -> Control:
        return Control("text")


@register("level-map")
class LevelMap(LevelRecoding):
    """Levels recoded by a map: several old levels may become one new level.

    Keeps every value true in the coarser sense; destroys the difference between levels that share a target.

    Parameters
    ----------
    maps : dict of str to dict
        By attribute, old level to new level. A level that is not mentioned stays. On the command line:
        ``maps="fuel=wood>other,sun>other; size=xs>s"``.
    missing : dict of str to level, optional
        By attribute, the level that missing values become; otherwise they stay missing. A level of their own makes an
        ordered scale unordered.

    Notes
    -----
    O(n). Where every target is a level of the original scale, that scale is kept, vanished levels included; otherwise
    the release gets a new one with the levels that are left. An ordered scale stays ordered where the map keeps the
    order; otherwise it becomes unordered and a note says so.

    References
    ----------
    Willenborg and de Waal (2001), Elements of Statistical Disclosure Control.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil", "wood"]), "key")])
    >>> fuels = pl.DataFrame({"fuel": ["gas", "oil", "wood", "gas"]})
    >>> LevelMap({"fuel": {"oil": "other", "wood": "other"}}).mask(fuels, schema).to_native()["fuel"].to_list()
    ['gas', 'other', 'other', 'gas']
    """

    scales: ClassVar[frozenset[str]] = frozenset({"ordinal", "nominal"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    maps: Mapping[str, Mapping[Level, Level]] = parameter(ByName(_Map()), kw_only=False)
    missing: Mapping[str, Level] | None = parameter(
        Optional(ByName(AnyOf(Text("a level"), Number(), Flag()))), default=None
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls({"size": {"xs": "s", "xl": "l"}, "fuel": {"sun": "wood"}}),
            cls({"size": {"xs": "small", "s": "small"}, "fuel": {"sun": "other", "wood": "other"}}),
        ]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        strangers = [name for name in self.missing or () if name not in self.maps]
        if strangers:
            raise ParameterError(f"LevelMap: missing names {strangers[0]!r}, which has no map.")
        for name in self.maps:
            if schema[name].scale.kind not in self.scales:
                raise ParameterError(f"LevelMap: attribute {name!r} is {schema[name].scale.kind}; it has no levels.")
        return tuple(name for name in schema.names if name in self.maps)

    def inquire(self, scope: Scope) -> Inquiry[LevelPlan]:
        changes, notes = {}, []
        for name in scope.names:
            attribute = scope.schema[name]
            levels = cast("Categorical", attribute.scale).levels
            typed = {_typed(old, levels): _typed(new, levels) for old, new in self.maps[name].items()}
            unknown = sum(old not in levels for old in typed)
            if unknown:
                raise ParameterError(f"LevelMap: maps has {unknown} levels for {name!r} that it does not have.")
            change = recode(attribute, [typed.get(level, level) for level in levels])
            if name in (self.missing or {}):
                change = _with_missing(attribute, change, _typed((self.missing or {})[name], levels))
            changes[name] = change
            if change.attribute is not None and change.attribute.scale.kind != attribute.scale.kind:
                notes.append(f"The map of {name} does not keep its order; it is released as unordered.")
        yield from ()  # the declaration says everything
        return LevelPlan.of(changes, notes=notes)


def recode(attribute: Attribute, targets: list[Level]) -> LevelChange:
    """Send each level of an attribute to its target; the scale is kept where every target is one of its levels."""
    scale = cast("Categorical", attribute.scale)
    if all(target in scale.levels for target in targets):
        return change_levels(attribute, np.array([scale.levels.index(target) for target in targets]))
    if len({type(target) for target in targets}) > 1:
        targets = [str(target) for target in targets]
    remaining = list(dict.fromkeys(targets))
    if not isinstance(scale, Ordinal):
        # What stays keeps its place before what is new.
        remaining = [level for level in remaining if level in scale.levels] + [
            level for level in remaining if level not in scale.levels
        ]
    return change_levels(attribute, np.array([remaining.index(target) for target in targets]), remaining)


def _with_missing(attribute: Attribute, change: LevelChange, target: Level) -> LevelChange:
    """Send missing values to a level too: one that is there, or one of their own at the end."""
    released = change.attribute or attribute
    scale = cast("Categorical", released.scale)
    levels = scale.levels
    if target not in levels:
        if len({type(level) for level in (*levels, target)}) > 1:
            levels, target = tuple(str(level) for level in levels), str(target)
        levels = (*levels, target)
        scale = Nominal(levels)
    code = levels.index(target)
    table = change.table.copy()
    table[-1] = code
    transitions = np.zeros((change.transitions.shape[0], len(levels) + 1), dtype=np.bool_)
    transitions[np.arange(table.size), table] = True
    return LevelChange(table, replace(released, scale=scale, missing=()), transitions)


def _typed(level: Level, levels: tuple[Level, ...]) -> Level:
    """Return what was typed on a command line as the level it stands for."""
    if level in levels:
        return level
    same = [declared for declared in levels if str(declared) == str(level)]
    return same[0] if same else level
