"""How far a release is from the fewest missing values, or from the best steps of its hierarchies, with its proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from discreet.notebook import panel, table
from discreet.typing import Json

__all__ = ["RecodingCertificate", "SuppressionCertificate"]


@dataclass(frozen=True, repr=False)
class SuppressionCertificate:
    """How far the missing values of a release can be from the fewest possible, proven.

    Attributes
    ----------
    value : float
        What the missing values of the release cost: their number, or the sum of their prices.
    bound : float
        What no release can stay below that keeps `k`, read as `missing` says.
    k : int
    n_records : int
    attributes : tuple of str
        The keys.
    method : {"integer programme", "linear programme", "cheapest company", "nothing stands out", "none"}
        Where the bound comes from; several, joined by commas, for several strata.
    missing : {"category", "wildcard"}
        Whether a missing value is a value of its own, or matches every value. Then the bound is that of releases in
        which no record loses more than it would need by itself: k − 1 records that show nothing would match everybody
        and be enough, and protect nobody.
    cells : int
        How many values went missing.
    priced : bool
        Whether some keys are more important than others, so that `value` is no number of values.
    beyond : int
        With wildcards, records that lose more than they need: such a release can be below the bound.
    demands : tuple of str
        What the release keeps besides, so that the bound may be out of its reach.
    seconds : float
        Time spent.
    """

    value: float
    bound: float
    k: int
    n_records: int
    attributes: tuple[str, ...]
    method: str
    missing: Literal["category", "wildcard"]
    cells: int
    priced: bool = False
    beyond: int = 0
    demands: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def gap(self) -> float:
        """Percent by which the release can be above the fewest, at most; infinite if nothing is proven."""
        if self.value <= self.bound * (1.0 + 1e-9):
            return 0.0
        return 100.0 * (self.value / self.bound - 1.0) if self.bound > 0 else float("inf")

    @property
    def blank(self) -> int | None:
        """With wildcards, the values of k − 1 records that show nothing, which would meet the bare count."""
        return (self.k - 1) * len(self.attributes) if self.missing == "wildcard" else None

    @property
    def sentence(self) -> str:
        """The certificate in words, for a release note; the percentage is rounded up."""
        count = f"{self.cells} value{' is' if self.cells == 1 else 's are'} missing"
        keeps = f"keeps k = {self.k}"
        if self.missing == "wildcard":
            keeps += " and takes from no record more than it needs by itself"
        if self.beyond and self.value < self.bound:
            text = (
                f"{count}, fewer than the {self.bound:g} of any release that {keeps}: {self.beyond} records lose more"
            )
        elif self.gap == 0.0:
            text = f"{count}, and no release that {keeps} {'costs less' if self.priced else 'has fewer'}"
        elif not np.isfinite(self.gap):
            text = f"{count}, and no bound on a release that {keeps} was found"
        else:
            percent = np.ceil(self.gap * 10 - 1e-9) / 10
            more = "which cost" if self.priced else "which is"
            text = f"{count}, {more} at most {percent:.1f} % more than any release needs that {keeps}"
        reading = "counts as a value of its own" if self.missing == "category" else "matches every value"
        text += f"; a missing value {reading}"
        if self.demands:
            text += f"; the release also keeps {', '.join(self.demands)}, which the bound does not ask for"
        return text

    @property
    def figures(self) -> str:
        """The missing values and their bound, in a line."""
        if self.value < self.bound:
            return f"{self.cells} missing values cost {self.value:g}; {self.bound:g} is no bound on such releases."
        return f"{self.cells} missing values cost {self.value:g}, never below {self.bound:g}."

    def to_dict(self) -> Json:
        """Return the certificate as JSON values; an infinite gap becomes null."""
        return {
            "k": self.k,
            "n_records": self.n_records,
            "attributes": list(self.attributes),
            "missing": self.missing,
            "cells": self.cells,
            "cost": self.value,
            "lower_bound": self.bound,
            "gap_percent": self.gap if np.isfinite(self.gap) else None,
            "records_beyond_need": self.beyond,
            "blank_records_would_take": self.blank,
            "also_kept": list(self.demands),
            "method": self.method,
            "seconds": self.seconds,
            "sentence": self.sentence,
        }

    def __repr__(self) -> str:
        bound = f"at least {self.bound:g} by {self.method}" if self.value >= self.bound else "outside what is bounded"
        return f"SuppressionCertificate(k = {self.k}: cost {self.value:g}, {bound})"

    def _repr_html_(self) -> str:
        rows = [(self.cells, f"{self.value:g}", f"{self.bound:g}", self.method, self.n_records)]
        grid = table(("missing values", "cost", "lower bound", "method", "records"), rows, numbers=(0, 1, 2, 4))
        return panel(f"{self.sentence[:1].upper()}{self.sentence[1:]}.", grid)


@dataclass(frozen=True, repr=False)
class RecodingCertificate:
    """How far the steps of a generalisation can be from the best ones, and what hiding single values there would take.

    Attributes
    ----------
    value : float
        The objective at the steps of the release.
    bound : float
        What no steps stay below that need no more suppressed records than were allowed.
    objective : str
    n_records : int
        Of the original.
    attributes : tuple of str
    suppressed, limit : int
        Records that were suppressed, and how many were allowed.
    nodes : int
        Combinations of steps.
    finished : bool
        Whether all of them were looked at or ruled out.
    k : int, optional
        Where the release keeps k on all keys.
    cells : int, optional
        With `k`, the values that the suppressed records lose.
    fewest : float, optional
        With `k`, the number of values that no release with the same steps can do without, where single values are
        hidden and a missing value is a value of its own.
    seconds : float
    """

    value: float
    bound: float
    objective: str
    n_records: int
    attributes: tuple[str, ...]
    suppressed: int
    limit: int
    nodes: int
    finished: bool
    k: int | None = None
    cells: int | None = None
    fewest: float | None = None
    seconds: float = 0.0

    @property
    def method(self) -> str:
        return "lattice" if self.finished else "part of the lattice"

    @property
    def gap(self) -> float:
        """Percent by which the objective can be above the least possible, at most."""
        if self.value <= self.bound * (1.0 + 1e-9):
            return 0.0
        return 100.0 * (self.value / self.bound - 1.0) if self.bound > 0 else float("inf")

    @property
    def sentence(self) -> str:
        """The certificate in words, for a release note."""
        allowed = f"with at most {self.limit} of {self.n_records} records suppressed"
        if self.gap == 0.0:
            text = f"no steps of the hierarchies give a lower {self.objective} {allowed}"
        elif np.isfinite(self.gap):
            percent = np.ceil(self.gap * 10 - 1e-9) / 10
            text = (
                f"the {self.objective} is at most {percent:.1f} % above that of any steps of the hierarchies {allowed}"
            )
        else:
            text = f"no bound on the least {self.objective} {allowed} was found"
        if self.fewest is not None and self.cells is not None:
            text += (
                f"; {self.suppressed} suppressed records lose {self.cells} values, where hiding single values at these "
                f"steps takes at least {self.fewest:g}"
            )
        return text

    @property
    def figures(self) -> str:
        """The objective and its bound, in a line."""
        return f"{self.objective.capitalize()} {self.value:.6g}, never below {self.bound:.6g}."

    def to_dict(self) -> Json:
        """Return the certificate as JSON values; an infinite gap becomes null."""
        return {
            "objective": self.objective,
            "value": self.value,
            "lower_bound": self.bound,
            "gap_percent": self.gap if np.isfinite(self.gap) else None,
            "n_records": self.n_records,
            "attributes": list(self.attributes),
            "suppressed_records": self.suppressed,
            "suppression_limit": self.limit,
            "combinations_of_steps": self.nodes,
            "k": self.k,
            "suppressed_values": self.cells,
            "fewest_values_by_local_suppression": self.fewest,
            "method": self.method,
            "seconds": self.seconds,
            "sentence": self.sentence,
        }

    def __repr__(self) -> str:
        return f"RecodingCertificate({self.objective} {self.value:.6g}, at least {self.bound:.6g} by {self.method})"

    def _repr_html_(self) -> str:
        rows = [(f"{self.value:.6g}", f"{self.bound:.6g}", self.suppressed, self.nodes)]
        grid = table((self.objective, "lower bound", "suppressed", "combinations of steps"), rows, numbers=(0, 1, 2, 3))
        return panel(f"{self.sentence[:1].upper()}{self.sentence[1:]}.", grid)
