"""Recoding by a hierarchy: every level has a chain of ever broader names."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self, cast

from discreet.contracts.estimator import register
from discreet.contracts.plan import Scope
from discreet.data.scales import Categorical
from discreet.data.schema import Schema
from discreet.errors import FileError, ParameterError
from discreet.masking.recoding.level_change import LevelPlan, LevelRecoding
from discreet.masking.recoding.level_map import recode
from discreet.parameters import AnyOf, ByName, Instance, Integer, Text
from discreet.parameters.declaration import parameter
from discreet.statistics.question import Inquiry
from discreet.typing import Level

__all__ = ["Hierarchy", "HierarchyRecoding"]


class Hierarchy:
    """A level's names from the finest to the broadest, one row a level.

    Parameters
    ----------
    rows : iterable of sequence of str
        Each row begins with a level of the data and goes on with its broader names; all rows are equally long. A
        repeated row counts once.

    Raises
    ------
    ParameterError
        Rows of different lengths; a level with two different rows; a name whose broader names differ between rows. The
        message counts them.

    Examples
    --------
    >>> fuels = Hierarchy([["gas", "fossil", "any"], ["oil", "fossil", "any"], ["sun", "renewable", "any"]])
    >>> fuels.height
    2
    >>> fuels.targets(["gas", "sun"], 1)
    ['fossil', 'renewable']
    """

    def __init__(self, rows: Iterable[Sequence[Level]]) -> None:
        texts = list(dict.fromkeys(tuple(str(name) for name in row) for row in rows))
        lengths = {len(row) for row in texts}
        if len(lengths) != 1 or lengths.pop() < 2:
            raise ParameterError(
                f"Hierarchy: the {len(texts)} rows must be equally long, a level and at least one broader name.",
                hint="Repeat the broadest name where a chain is shorter.",
            )
        leaves = [row[0] for row in texts]
        ambiguous = len({leaf for leaf in leaves if leaves.count(leaf) > 1})
        if ambiguous:
            raise ParameterError(f"Hierarchy: {ambiguous} levels have two different rows.")
        for step in range(1, len(texts[0]) - 1):
            above: dict[str, set[str]] = {}
            for row in texts:
                above.setdefault(row[step], set()).add(row[step + 1])
            torn = sum(len(parents) > 1 for parents in above.values())
            if torn:
                raise ParameterError(f"Hierarchy: {torn} names of step {step} belong to two different broader names.")
        self.rows: dict[str, tuple[str, ...]] = {row[0]: row for row in texts}

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Hierarchy:
        """Read a hierarchy from a text file: one row a level, fields separated by semicolons, commas or tabs."""
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            raise FileError(f"The hierarchy file {str(path)!r} does not exist.") from None
        except (OSError, UnicodeDecodeError):
            raise FileError(f"The hierarchy file {str(path)!r} cannot be read as UTF-8 text.") from None
        first = text.split("\n", 1)[0]
        delimiter = max(";,\t", key=first.count)
        lines = csv.reader(text.splitlines(), delimiter=delimiter)
        return cls([[field.strip() for field in row] for row in lines if any(field.strip() for field in row)])

    @property
    def height(self) -> int:
        """How many steps there are above the levels."""
        return len(next(iter(self.rows.values()))) - 1

    def targets(self, levels: Iterable[Level], step: int) -> list[str]:
        """Return the name of every level at a step; raise and count where levels have no row."""
        texts = [str(level) for level in levels]
        absent = sum(level not in self.rows for level in texts)
        if absent:
            raise ParameterError(
                f"Hierarchy: {absent} of {len(texts)} levels have no row.", hint="Add a row for each level."
            )
        return [self.rows[level][step] for level in texts]

    def __repr__(self) -> str:
        return f"Hierarchy({len(self.rows)} levels, {self.height} steps)"


class HierarchyByName(ByName):
    """A hierarchy for each of some attributes: as an object, as the text file that holds it, or as rows in a protocol.

    Examples
    --------
    >>> HierarchyByName().read({"fuel": [["gas", "fossil"], ["oil", "fossil"]], "town": "t.csv"}, "/survey")
    {'fuel': Hierarchy(2 levels, 1 steps), 'town': '/survey/t.csv'}
    """

    def __init__(self) -> None:
        super().__init__(
            AnyOf(Instance(Hierarchy, "a Hierarchy"), Text("the path of a text file"), Instance(os.PathLike, "a path"))
        )

    def read(self, value: Any, folder: str | os.PathLike[str] | None = None) -> Any:
        if not isinstance(value, Mapping):
            return super().read(value, folder)
        return {name: _beside(one, folder or ".") for name, one in value.items()}


def _beside(source: Any, folder: str | os.PathLike[str]) -> Any:
    if isinstance(source, (str, os.PathLike)):
        return str(Path(folder) / source)
    return Hierarchy(source) if isinstance(source, list) else source


@register("hierarchy-recoding")
class HierarchyRecoding(LevelRecoding):
    """Levels exchanged for their broader names, the same step for all records.

    Keeps every value true; destroys the detail below the step.

    Parameters
    ----------
    hierarchies : dict of str to Hierarchy or path
        By attribute, its hierarchy or the text file that holds it (see :meth:`Hierarchy.load`).
    step : int or dict of str to int
        How many steps up; 0 leaves an attribute as it is.

    Notes
    -----
    O(n). Every declared level must have a row; levels without one and levels with two are counted in the error. The
    release has a new scale, ordered where the original is and its groups are runs of neighbours. Missing values stay
    missing.

    References
    ----------
    Samarati (2001), Protecting respondents' identities in microdata release.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.scales import Nominal
    >>> from discreet.data.schema import Attribute, Schema
    >>> schema = Schema([Attribute("fuel", Nominal(["gas", "oil", "sun"]), "key")])
    >>> broader = Hierarchy([["gas", "fossil"], ["oil", "fossil"], ["sun", "renewable"]])
    >>> fuels = pl.DataFrame({"fuel": ["gas", "oil", "sun"]})
    >>> HierarchyRecoding({"fuel": broader}).mask(fuels, schema).to_native()["fuel"].to_list()
    ['fossil', 'fossil', 'renewable']
    """

    scales: ClassVar[frozenset[str]] = frozenset({"ordinal", "nominal"})
    perturbative: ClassVar[bool] = False
    handles_missing: ClassVar[bool] = True
    hierarchies: Mapping[str, Hierarchy | str | os.PathLike[str]] = parameter(HierarchyByName(), kw_only=False)
    step: int | Mapping[str, int] = parameter(AnyOf(Integer(0), ByName(Integer(0))), default=1)

    @classmethod
    def examples(cls) -> list[Self]:
        sizes = Hierarchy([[s, "small" if s in {"xs", "s"} else "large", "any"] for s in ("xs", "s", "m", "l", "xl")])
        fuels = Hierarchy([["gas", "fossil"], ["oil", "fossil"], ["wood", "renewable"], ["sun", "renewable"]])
        return [cls({"size": sizes, "fuel": fuels})]

    def columns_for(self, schema: Schema) -> tuple[str, ...]:
        for name in self.hierarchies:
            kind = schema[name].scale.kind
            if kind not in self.scales:
                raise ParameterError(f"HierarchyRecoding: attribute {name!r} is {kind}; it has no levels.")
        steps = self.step if isinstance(self.step, Mapping) else {}
        strangers = [name for name in steps if name not in self.hierarchies]
        if strangers:
            raise ParameterError(f"HierarchyRecoding: step names {strangers[0]!r}, which has no hierarchy.")
        return tuple(name for name in schema.names if name in self.hierarchies)

    def inquire(self, scope: Scope) -> Inquiry[LevelPlan]:
        changes, steps = {}, {}
        for name in scope.names:
            attribute, declared = scope.schema[name], self.hierarchies[name]
            hierarchy = declared if isinstance(declared, Hierarchy) else Hierarchy.load(declared)
            step = self.step.get(name, 1) if isinstance(self.step, Mapping) else self.step
            if step > hierarchy.height:
                raise ParameterError(
                    f"HierarchyRecoding: step must be at most {hierarchy.height} for {name!r}; got {step}."
                )
            levels = cast("Categorical", attribute.scale).levels
            try:
                targets = hierarchy.targets(levels, step)
            except ParameterError as error:
                raise ParameterError(
                    f"HierarchyRecoding: attribute {name!r}: {error.message}", hint=error.hint
                ) from None
            changes[name] = recode(attribute, list(levels) if step == 0 else [*targets])
            steps[name] = step
        yield from ()  # the declaration says everything
        return LevelPlan.of(changes, {"steps": steps})
