"""What one file would risk, on one screen: counts, expected re-identifications, models, and where it comes from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from discreet.contracts.assessment import Exposure, NotComputed
from discreet.contracts.chart import Chart
from discreet.contracts.measurement import Measurement
from discreet.contracts.object_charts import sizes_chart
from discreet.notebook import listing, panel, printable, table
from discreet.typing import Json

__all__ = ["FileRisk", "GroupSizes"]

_WIDTH = 40
_NAMES = 6
_SHOWN = 4


@dataclass(frozen=True)
class GroupSizes:
    """Groups of records with equal keys whose sizes lie between two numbers.

    Attributes
    ----------
    least, most : int
        `most` is 0 where there is no upper end.
    groups, records : int
    """

    least: int
    most: int
    groups: int
    records: int

    @property
    def label(self) -> str:
        """The sizes as a chart names them."""
        if self.least == self.most:
            return str(self.least)
        return f"{self.least}–{self.most}" if self.most else f"{self.least}+"


@dataclass(frozen=True, repr=False)
class FileRisk:
    """What releasing one file as it stands would risk.

    Attributes
    ----------
    n_records : int
    keys : tuple of str
        What the intruder is assumed to know.
    value : float
        The headline: the worst of the expected re-identifications, in percent of the records.
    sentence : str
        What the headline is.
    population : float, optional
        How many people the file was drawn from, by its weights or as told; None where nothing says so.
    below : dict of int to int
        Records that violate 2-, 3- and 5-anonymity.
    groups : int
        Different combinations of keys.
    sizes : tuple of GroupSizes
    expected : dict of str to float
        Expected re-identifications: ``"file"``, of an intruder who knows who is in the file, ``"population"``, of one
        who does not; ``"file household"`` and ``"household"``, the same through any member of a household.
    highest : float
        The largest chance of one record, by the most cautious of these that was computed, in percent.
    uniques : dict of str to float
        Records expected to be alone in the population by ``"pitman"``, ``"zayatz"``, ``"snb"``, ``"weights"`` and
        ``"loglinear"``, as far as they could be computed.
    chosen : str
        The model of the first three that Dankar's rule believes.
    threshold : (float, float), optional
        A wanted share of re-identifications in the population, and the individual risk above which records have to be
        protected for it, both in percent.
    measurements : tuple of Measurement
    exposure : Exposure, optional
        Which keys and sets of keys single records out: names and counts.
    not_computed : tuple of NotComputed
    """

    n_records: int
    keys: tuple[str, ...]
    value: float
    sentence: str
    population: float | None
    below: Mapping[int, int]
    groups: int
    sizes: tuple[GroupSizes, ...]
    expected: Mapping[str, float]
    highest: float
    uniques: Mapping[str, float] = field(default_factory=dict)
    chosen: str = ""
    threshold: tuple[float, float] | None = None
    measurements: tuple[Measurement, ...] = ()
    exposure: Exposure | None = None
    not_computed: tuple[NotComputed, ...] = ()

    def __getitem__(self, name: str) -> Measurement:
        for measurement in self.measurements:
            if measurement.name == name:
                return measurement
        raise KeyError(name)

    def to_dict(self) -> Json:
        """Return the risk as JSON values: names of columns and figures, no record's value and no level."""
        return {
            "n_records": self.n_records,
            "keys": list(self.keys),
            "risk": self.value,
            "sentence": self.sentence,
            "population": self.population,
            "records_below": {str(k): count for k, count in self.below.items()},
            "groups": self.groups,
            "group_sizes": [
                {"from": s.least, "to": s.most or None, "groups": s.groups, "records": s.records} for s in self.sizes
            ],
            "expected_reidentifications": dict(self.expected),
            "highest_percent": self.highest,
            "alone_in_population": dict(self.uniques),
            "dankar": self.chosen or None,
            "threshold": None
            if self.threshold is None
            else {"wanted_percent": self.threshold[0], "individual_risk_percent": self.threshold[1]},
            "measurements": [_without_levels(m.to_dict()) for m in self.measurements],
            "exposure": None if self.exposure is None else self.exposure.to_dict(),
            "not_computed": [one.to_dict() for one in self.not_computed],
        }

    def to_json(self) -> str:
        """Return the risk as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    @property
    def sections(self) -> tuple[tuple[str, tuple[tuple[str, str, str], ...]], ...]:
        """What is told beside the headline: titled rows of a name, a figure, and a remark."""
        parts = (
            ("Records that share their keys with", self._anonymity()),
            ("Expected re-identifications", self._expected()),
            ("Alone in the population", self._uniques()),
            ("Where it comes from", self._origins()),
            ("Not computed", tuple((one.title, "–", one.reason) for one in self.not_computed)),
        )
        return tuple((title, rows) for title, rows in parts if rows)

    @property
    def about(self) -> str:
        """What was looked at."""
        people = "the file is taken for the population" if self.population is None else f"of {self.population:,.0f}"
        return f"{self.n_records:,} records, {people}; the intruder knows {_some(self.keys)}."

    def lines(self) -> list[str]:
        """Return the whole as lines of text, for a terminal."""
        result = [f"Worst case: {self.sentence}", self.about]
        for title, rows in self.sections:
            result.append(f"{title}")
            result += [f"  {name:<32} {figure:>18}  {remark}".rstrip() for name, figure, remark in rows]
        result.append("Groups by size                  groups     records")
        most = max((size.records for size in self.sizes), default=0)
        for size in self.sizes:
            bar = "█" * (-(-_WIDTH * size.records // most) if size.records else 0)
            result.append(f"  {size.label:>10} {size.groups:>19,} {size.records:>11,}  {bar}".rstrip())
        return [printable(line) for line in result]

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def plot(self) -> Chart:
        """Return how many records share their keys with how many others, as bars."""
        return sizes_chart(self.sizes)

    def _repr_html_(self) -> str:
        parts = [listing([self.about])]
        for title, rows in self.sections:
            parts.append(table((title, "", ""), rows, numbers=(1,)))
        bars = [(s.label, f"{s.groups:,}", f"{s.records:,}") for s in self.sizes]
        parts.append(table(("group size", "groups", "records"), bars, numbers=(1, 2)))
        return panel(f"Worst case: {self.sentence}", self.plot()._repr_html_(), *parts)

    def _anonymity(self) -> tuple[tuple[str, str, str], ...]:
        words = {2: "nobody", 3: "at most 1 other", 5: "at most 3 others"}
        return tuple(
            (words.get(k, f"at most {k - 2} others"), self._share(count), f"violates {k}-anonymity" if count else "")
            for k, count in self.below.items()
        )

    def _expected(self) -> tuple[tuple[str, str, str], ...]:
        words = {
            "file": ("known to be in the file", f"of {self.groups:,} groups, one each"),
            "population": ("known to be in the population", f"one record at most {self.highest:.2g} %"),
            "file household": ("household, known to be in it", "through any of its members"),
            "household": ("household, in the population", "through any of its members"),
        }
        rows = [(words[name][0], self._share(count), words[name][1]) for name, count in self.expected.items()]
        if self.threshold is not None:
            wanted, limit = self.threshold
            rows.append((f"for {wanted:g} % in the population", f"{limit:.4g} %", "is the highest risk to leave"))
        return tuple(rows)

    def _uniques(self) -> tuple[tuple[str, str, str], ...]:
        words = {
            "pitman": "Pitman", "zayatz": "Zayatz", "snb": "shifted negative binomial",
            "weights": "weights, one by one", "loglinear": "log-linear model",
        }  # fmt: skip
        limits = {
            "pitman": "for samples up to a tenth", "zayatz": "too high for small samples", "snb": "for larger samples",
            "weights": "Benedetti and Franconi", "loglinear": "main effects of the keys",
        }  # fmt: skip
        return tuple(
            (words[name], self._share(count), limits[name] + ("; believed (Dankar)" if name == self.chosen else ""))
            for name, count in self.uniques.items()
        )

    def _origins(self) -> tuple[tuple[str, str, str], ...]:
        rows = []
        for m in self.measurements:
            if m.name == "suda2":
                dis = f"; DIS {m.details['dis_percent']:.2f} %" if "dis_percent" in m.details else ""
                sizes = m.details["max_size"]
                rows.append((f"singled out by {sizes} keys or fewer", f"{m.value:.2f} %", f"SUDA2{dis}"))
            if m.name == "mahalanobis-interval":
                rows.append(("numbers near nobody's", f"{m.value:.2f} %", "robust Mahalanobis"))
        if self.exposure is not None and self.exposure.by_key:
            falls = [(name, falls) for name, (falls, _) in self.exposure.by_key.items()]
            words = ", ".join(f"{name} (−{fall:,.1f})" for name, fall in falls[:_SHOWN])
            rows.append(("riskiest keys", f"{len(falls)} looked at", words))
            worst = [c for c in self.exposure.combinations if c.before][:_SHOWN]
            rows += [("alone on", f"{one.before:,}", " + ".join(one.keys)) for one in worst]
        return tuple(rows)

    def _share(self, count: float) -> str:
        figure = f"{count:,}" if isinstance(count, int) else f"{count:,.1f}"
        return f"{figure} {100.0 * count / self.n_records:>7.2f} %"


def _some(names: tuple[str, ...]) -> str:
    words = ", ".join(names[:_NAMES])
    return words + (f" and {len(names) - _NAMES} more" if len(names) > _NAMES else "")


def _without_levels(fields: Json) -> Json:
    """Leave out what says which levels are rare."""
    return {**fields, "details": {name: value for name, value in fields["details"].items() if name != "levels"}}
