"""Recoding by a hierarchy: levels, numbers and dates exchanged for broader names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, cast

import numpy as np

from discreet.contracts.estimator import register
from discreet.contracts.plan import Scope
from discreet.data.block import Block
from discreet.data.scales import Categorical, Nominal, Numeric, Ordinal
from discreet.data.schema import Attribute, Schema
from discreet.errors import DiscreetError, ParameterError
from discreet.masking.recoding.hierarchy import Hierarchy, HierarchyByName
from discreet.masking.recoding.hierarchy_steps import number_text
from discreet.masking.recoding.key_ladders import leaf_numbers
from discreet.masking.recoding.level_change import LevelPlan, LevelRecoding
from discreet.masking.recoding.level_map import recode
from discreet.parameters import AnyOf, ByName, Integer
from discreet.parameters.declaration import parameter
from discreet.statistics.band_tallies import DistinctNumbers, NumberCounts
from discreet.statistics.question import Inquiry
from discreet.typing import CodeArray, FloatArray

__all__ = ["HierarchyRecoding"]


@register("hierarchy-recoding")
class HierarchyRecoding(LevelRecoding):
    """Levels exchanged for their broader names, the same step for all records.

    Keeps every value true; destroys the detail below the step.

    Parameters
    ----------
    hierarchies : dict of str to Hierarchy or path
        By attribute, its hierarchy or the file that holds it: ARX's CSV, a recode file of μ-Argus, or TOML (see
        :meth:`Hierarchy.load`).
    step : int or dict of str to int
        How many steps up; 0 leaves an attribute as it is.

    Notes
    -----
    O(n). Every declared level must have a row, and of numbers and dates every one that occurs; those without one and
    those with two are counted in the error. Rows that the data do not have are allowed, and a note counts them. A
    number is found by the row that says the same number, a date by the row that says the same day. The release has a
    new scale, ordered where the original is and its groups are runs of neighbours. Missing values stay missing.

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
            if kind not in {*self.scales, "numeric"}:
                raise ParameterError(f"HierarchyRecoding: attribute {name!r} is {kind}; it has no levels.")
        steps = self.step if isinstance(self.step, Mapping) else {}
        strangers = [name for name in steps if name not in self.hierarchies]
        if strangers:
            raise ParameterError(f"HierarchyRecoding: step names {strangers[0]!r}, which has no hierarchy.")
        return tuple(name for name in schema.names if name in self.hierarchies)

    def inquire(self, scope: Scope) -> Inquiry[_TreePlan]:
        numeric = scope.schema.of_scale("numeric", among=scope.names)
        occurring: NumberCounts | None = (yield DistinctNumbers(numeric)) if numeric else None
        changes, steps, notes, numbers = {}, {}, [], {}
        declared: list[Attribute] = []
        for name in scope.names:
            attribute = scope.schema[name]
            step = self.step.get(name, 1) if isinstance(self.step, Mapping) else self.step
            steps[name] = step
            if name in numeric:
                assert occurring is not None  # noqa: S101 - for the type checker: they were asked for
                values, counts = occurring.columns[name]
                hierarchy = self._hierarchy(name, step, [number_text(value) for value in values.tolist()])
                leaves, targets = _number_targets(name, attribute, hierarchy, step, values, counts)
                spare = len(hierarchy.rows) - int(np.isin(leaves, values).sum())
                numbers[name] = leaves, np.array([], dtype=np.int32)
                if step:
                    released, codes = _released(attribute, targets)
                    declared.append(released)
                    numbers[name] = leaves, codes
            else:
                levels = cast("Categorical", attribute.scale).levels
                hierarchy = self._hierarchy(name, step, levels)
                try:
                    names = hierarchy.targets(levels, step)
                except ParameterError as error:
                    raise ParameterError(
                        f"HierarchyRecoding: attribute {name!r}: {error.message}", hint=error.hint
                    ) from None
                changes[name] = recode(attribute, list(levels) if step == 0 else [*names])
                spare = len(hierarchy.rows) - len({str(level) for level in levels})
            if spare > 0:
                notes.append(f"{name}: {spare} of {len(hierarchy.rows)} leaves of the hierarchy are not in the data.")
        plan = LevelPlan.of(changes, {"steps": steps}, notes)
        return _TreePlan(
            tables=plan.tables,
            transitions=plan.transitions,
            attributes=(*plan.attributes, *declared),
            details=plan.details,
            notes=plan.notes,
            numbers=numbers,
        )

    def _hierarchy(self, name: str, step: int, levels: Any) -> Hierarchy:
        """Return the hierarchy of an attribute, read where it is in a file; refuse one that does not rise."""
        source = self.hierarchies[name]
        try:
            hierarchy = source if isinstance(source, Hierarchy) else Hierarchy.load(source, levels)
        except DiscreetError as error:
            raise type(error)(f"HierarchyRecoding: attribute {name!r}: {error.message}", hint=error.hint) from None
        if step > hierarchy.height:
            raise ParameterError(
                f"HierarchyRecoding: step must be at most {hierarchy.height} for {name!r}; got {step}."
            )
        if hierarchy.cyclic:
            raise ParameterError(
                f"HierarchyRecoding: attribute {name!r}: {hierarchy.cyclic} of {len(hierarchy.rows)} rows of the "
                "hierarchy come back to a name that they have left.",
                hint="A row goes from a level to ever broader names.",
            )
        return hierarchy

    def apply(self, plan: LevelPlan, block: Block) -> dict[str, Any]:
        values = super().apply(plan, block)
        for name, (leaves, codes) in cast("_TreePlan", plan).numbers.items():
            encoded = block.original.encoded(name)
            if not codes.size:  # step 0: as it is
                values[name] = encoded
                continue
            places = np.minimum(np.searchsorted(leaves, encoded), leaves.size - 1)
            values[name] = np.where(np.isnan(encoded), -1, codes[places]).astype(np.int32)
        return values


@dataclass(frozen=True, kw_only=True)
class _TreePlan(LevelPlan):
    """Where levels go; and of numbers, the leaves in order with the code that each goes to, none where they stay."""

    numbers: Mapping[str, tuple[FloatArray, CodeArray]]


def _number_targets(
    name: str, attribute: Attribute, hierarchy: Hierarchy, step: int, values: FloatArray, counts: Any
) -> tuple[FloatArray, list[str]]:
    """Return the numbers that have a row, in order, and the name of each at the step."""
    by_number = leaf_numbers(hierarchy, cast("Numeric", attribute.scale))
    leaves = np.array(sorted(by_number))
    strangers = ~np.isin(values, leaves)
    if strangers.any():
        raise ParameterError(
            f"HierarchyRecoding: attribute {name!r}: {int(strangers.sum())} of {values.size} levels in the data "
            f"({int(counts[strangers].sum())} records) have no row in the hierarchy.",
            hint="Add a row for each level.",
        )
    return leaves, [hierarchy.rows[by_number[number]][step] for number in leaves.tolist()]


def _released(attribute: Attribute, targets: list[str]) -> tuple[Attribute, CodeArray]:
    """Return the declaration of numbers that are released as names, and the code of every leaf."""
    levels = tuple(dict.fromkeys(targets)) or ("*",)
    codes = np.array([levels.index(target) for target in targets], dtype=np.int32)
    ordered = bool((np.diff(codes) >= 0).all())
    missing = tuple(code for code in attribute.missing if code not in levels)
    return replace(attribute, scale=Ordinal(levels) if ordered else Nominal(levels), missing=missing), codes
