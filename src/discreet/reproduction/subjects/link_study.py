"""The study of Domingo-Ferrer and Torra (2002): categorical linkage falls where information is lost.

36 masked files (top coding, bottom coding, global recoding and PRAM, nine parameters each) are attacked by
distance-based, probabilistic and masking-aware linkage on five groups of attributes, and the share of correct links is
correlated with seven losses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from discreet import catalogue
from discreet.contracts.engine import Engine
from discreet.contracts.masked import Masked
from discreet.contracts.masker import Masker
from discreet.data.microdata import Microdata
from discreet.data.scales import Ordinal
from discreet.progress import track

__all__ = [
    "GROUPS",
    "LINKERS",
    "LOSSES",
    "PRINTED",
    "LinkageExperiment",
    "LinkageStudy",
    "linkage_study",
    "ranks_alone",
]

GROUPS: dict[str, tuple[str, ...]] = {
    "u": ("BUILT", "GRADE1", "TRAN1", "WHYMOVE", "WHYTOH", "WHYTON"),
    "l": ("BUILT", "GRADE1", "WHYMOVE"),
    "s": ("DEGREE", "METRO", "SCH", "SHP"),
    "m": ("TRAN1", "WHYTOH", "WHYTON"),
    "o": ("BUILT", "DEGREE", "GRADE1"),
}
"""Table 2: groups of attributes."""

LINKERS = {"PRL": "probabilistic", "DBRL": "distance", "aware": "masking-aware"}

LOSSES = ("Dist", "CTBIL", "ACTBIL", "EBILRF", "ILRF", "EBILMF", "ILMF")

PRINTED: dict[str, tuple[float, float]] = {
    "Dist": (-0.846, -0.911),
    "CTBIL": (-0.822, -0.924),
    "ACTBIL": (-0.706, -0.823),
    "EBILRF": (-0.833, -0.842),
    "ILRF": (-0.908, -0.878),
    "EBILMF": (-0.910, -0.892),
    "ILMF": (-0.909, -0.889),
}
"""Table 5: correlations of each loss with probabilistic and distance-based linkage."""


@dataclass(frozen=True)
class LinkageExperiment:
    """One masked file seen through one group of attributes."""

    method: str
    p: int
    group: str
    linked: dict[str, float]
    """Correct links by linker, in percent, ties shared: what an intruder who picks one of the tied can expect."""
    at_best: dict[str, float]
    """The same where every tie that holds the true record counts as a correct link."""
    second: dict[str, float]
    """Records whose true record is the second nearest, in percent."""
    losses: dict[str, float]


@dataclass(frozen=True, repr=False)
class LinkageStudy:
    """All experiments of the study, and what follows from them."""

    experiments: tuple[LinkageExperiment, ...]

    def averages(self, *, at_best: bool = False) -> dict[str, float]:
        """Return the mean percentage of correct links of every linker, ties shared or counted as correct."""
        return {name: float(np.mean(self._links(name, self.experiments, at_best))) for name in LINKERS}

    def second_nearest(self) -> dict[str, float]:
        """Return the mean percentage of records that every linker links to their record in the second place only."""
        return {name: float(np.mean([e.second[name] for e in self.experiments])) for name in LINKERS}

    def correlations(self, *, at_best: bool = False, within_groups: bool = False) -> dict[str, dict[str, float]]:
        """Return, for every loss, its correlation with the correct links of each linker.

        Over all experiments; or within every group of attributes and averaged, because groups differ in how easily
        they are linked before anything is masked.
        """
        parts = [[e for e in self.experiments if e.group == group] for group in GROUPS]
        return {
            loss: {
                name: float(
                    np.mean(
                        [
                            _correlation([e.losses[loss] for e in part], self._links(name, part, at_best))
                            for part in (parts if within_groups else [self.experiments])
                        ]
                    )
                )
                for name in LINKERS
            }
            for loss in LOSSES
        }

    def _links(self, linker: str, experiments: Sequence[LinkageExperiment], at_best: bool) -> list[float]:
        return [(e.at_best if at_best else e.linked)[linker] for e in experiments]

    def to_text(self) -> str:
        """Return the averages and the table of correlations as text, beside the printed figures."""
        lines = [f"{len(self.experiments)} experiments. Correct links of 100, mean:"]
        for label, at_best in (("ties shared", False), ("ties count as correct", True)):
            means = ", ".join(f"{name} {value:.1f}" for name, value in self.averages(at_best=at_best).items())
            lines.append(f"  {label:22s}{means}")
        lines.append(f"  {'printed':22s}PRL 57.9, DBRL 59.3, aware 66.3")
        lines.append("Correlation of correct links with each loss: probabilistic (PRL), distance-based (DBRL):")
        heads = ("ties shared", "within groups", "ties counted", "within groups", "printed")
        lines.append(f"  {'':8s}" + "".join(f"{head:>16s}" for head in heads))
        columns = [
            self.correlations(at_best=at_best, within_groups=within)
            for at_best in (False, True)
            for within in (False, True)
        ]
        for loss in LOSSES:
            cells = [(column[loss]["PRL"], column[loss]["DBRL"]) for column in columns]
            lines.append(f"  {loss:8s}" + "".join(f"{a:8.3f}{b:8.3f}" for a, b in [*cells, PRINTED[loss]]))
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"LinkageStudy({len(self.experiments)} experiments)"


def _correlation(first: Sequence[float], second: Sequence[float]) -> float:
    return float(np.corrcoef(first, second)[0, 1]) if np.std(first) > 0 and np.std(second) > 0 else 0.0


def ranks_alone(data: Microdata) -> Microdata:
    """Return the file whose ordered attributes have ranks and no intervals of numbers behind them.

    The distance of two levels is then Definition 1 of the paper, the difference of their ranks divided by the number of
    levels. The intervals of the survey's BUILT belong to another paper, on the semantics of ordered scales.
    """
    ordered = (data.schema[name] for name in data.schema.of_scale("ordinal"))
    plain = (replace(attribute, scale=Ordinal(cast(Ordinal, attribute.scale).levels)) for attribute in ordered)
    return Microdata(data.to_arrow(), data.schema.replacing(*plain))


def linkage_study(
    data: Microdata, reference: Microdata, *, random_state: int = 0, engine: Engine | None = None
) -> LinkageStudy:
    """Run the study.

    Parameters
    ----------
    data : Microdata
        The housing survey, or a file with its ten categorical attributes.
    reference : Microdata
        Another file like it, for the losses with reference-file estimates.
    random_state : int
        For PRAM.
    engine : Engine, optional

    Notes
    -----
    Levels of ordered attributes are as far apart as their ranks (Definition 1), intervals behind them are set aside,
    and distances of attributes add up with equal weights.
    Every method masks all ten attributes, unordered ones in the order in which their levels are declared. Merged levels
    are released as one of them, so that both files have one scale. P(V' | V) of PRAM is its matrix. How the paper
    counted ties is not said: 1,000 of 1,000 records found on four attributes cannot come from ties shared, and 3 of
    1,000 where nearly everything is tied cannot come from ties counted as correct, so both are given. 180 experiments.
    """
    data, reference = ranks_alone(data), ranks_alone(reference)
    names = tuple(dict.fromkeys(name for group in GROUPS.values() for name in group))
    maskers = _maskers(names, random_state)
    experiments = []
    for method, p, masker in track(maskers, "masking and attacking", len(maskers)):
        masked = masker.mask(data)
        for group, attributes in GROUPS.items():
            experiments.append(
                LinkageExperiment(
                    method,
                    p,
                    group,
                    *_linked(data, masked, attributes, engine),
                    _losses(data, masked, attributes, reference),
                )
            )
    return LinkageStudy(tuple(experiments))


def _maskers(names: tuple[str, ...], seed: int) -> list[tuple[str, int, Masker]]:
    makers: dict[str, Callable[[int], Masker]] = {
        "top": lambda p: catalogue.method("masker", "top-coding")(p, attributes=names),
        "bottom": lambda p: catalogue.method("masker", "bottom-coding")(p, attributes=names),
        "global": lambda p: catalogue.method("masker", "global-recoding")(p, weighted=False, attributes=names),
        "pram": lambda p: catalogue.method("masker", "pram")(
            p / 10, weighted=False, attributes=names, random_state=seed + p
        ),
    }
    return [(method, p, make(p)) for method, make in makers.items() for p in range(1, 10)]


def _linked(
    data: Microdata, masked: Masked, attributes: tuple[str, ...], engine: Engine | None
) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Return the correct links of every linker in percent, ties shared and counted, and those to the second nearest."""
    shared, counted, second = {}, {}, {}
    for label, name in LINKERS.items():
        options = {} if name == "probabilistic" else {"metric": "manhattan"}  # distances of attributes add up
        method = catalogue.method("linker", name)(attributes=list(attributes), **options)
        linked = method.link(data, masked, engine=engine).evaluate()
        counted[label], shared[label] = 100.0 * linked.optimistic / linked.n, 100.0 * linked.rate
        second[label] = 100.0 * (linked.second or 0) / linked.n
    return shared, counted, second


def _losses(data: Microdata, masked: Masked, attributes: tuple[str, ...], reference: Microdata) -> dict[str, float]:
    matrices = masked.provenance.details.get("matrices")
    pram_matrices = {name: matrices[name] for name in attributes if name in matrices} if matrices else None

    def value(measure: str, **options: Any) -> float:
        method = catalogue.method("measure", measure)(attributes=list(attributes), **options)
        return float(method.measure(data, masked).value)

    result = {"Dist": value("dist"), "CTBIL": value("ctbil"), "ACTBIL": value("actbil")}
    for label, file in (("RF", reference), ("MF", None)):
        result[f"EBIL{label}"] = value("ebil", matrices=pram_matrices, reference_file=file)
        result[f"IL{label}"] = value("il", matrices=pram_matrices, reference_file=file)
    return result
