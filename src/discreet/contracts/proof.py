"""How far a release is from the least possible loss, with its proof."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.notebook import panel, table
from discreet.typing import Json

__all__ = ["Certificate"]

_TELLING = 1e-3
"""The part of a loss below which a bound on it is not expressed in percent."""


@dataclass(frozen=True, repr=False)
class Certificate:
    """How far the information loss of a release can be from the least possible, proven.

    Attributes
    ----------
    value : float
        Information loss of the release: 100·SSE/SST on z-scores.
    bound : float
        What no release in which at least `k` records share every combination of values can stay below.
    k : int
    n_records : int
    attributes : tuple of str
        Those whose loss is certified; empty where only positions are known.
    method : {"column generation", "fast", "exact-univariate", "one group"}
        Where the bound comes from; several, joined by commas, for several blocks of attributes.
    seconds : float
        Time spent.
    beside : tuple of str
        Other attributes that were masked with them: groups that have to serve these as well may not reach the bound, so
        that the gap is an upper limit and not a fault of the method.
    """

    value: float
    bound: float
    k: int
    n_records: int
    attributes: tuple[str, ...]
    method: str
    seconds: float = 0.0
    beside: tuple[str, ...] = ()

    @property
    def gap(self) -> float:
        """Percent by which the loss can be above the least possible, at most; infinite if nothing useful is proven.

        A bound of nearly nothing, as of numbers that many records share, says nothing in percent of itself.
        """
        if self.value <= self.bound:
            return 0.0
        return 100.0 * (self.value / self.bound - 1.0) if self.bound > _TELLING * self.value else float("inf")

    @property
    def sentence(self) -> str:
        """The certificate in words, for a release note; the percentage is rounded up."""
        of = "" if not self.beside else "of the numbers "
        if self.gap <= 1e-6:
            text = f"the information loss {of}is the least possible for k = {self.k}"
        elif not np.isfinite(self.gap) and self.bound <= 0.0:
            text = f"no bound on the least possible information loss {of}for k = {self.k} was found"
        elif not np.isfinite(self.gap) or self.beside:
            points = np.ceil((self.value - self.bound) * 100 - 1e-9) / 100
            text = (
                f"the information loss {of}is at most {points:.2f} points of 100 above the least possible for "
                f"k = {self.k}"
            )
        else:
            digits = 1 if self.gap >= 0.1 else 4
            percent = np.ceil(self.gap * 10**digits - 1e-9) / 10**digits
            text = f"the information loss is at most {percent:.{digits}f} % above the least possible for k = {self.k}"
        if self.beside:
            names = ", ".join(self.beside[:3]) + (f" and {len(self.beside) - 3} more" if len(self.beside) > 3 else "")
            text += f"; groups that serve {names} as well may not reach it"
        return text

    @property
    def figures(self) -> str:
        """The loss and its bound, in a line."""
        return f"Information loss {self.value:.4f} %, never below {self.bound:.4f} %."

    def to_dict(self) -> Json:
        """Return the certificate as JSON values; an infinite gap becomes null."""
        return {
            "k": self.k,
            "n_records": self.n_records,
            "attributes": list(self.attributes),
            "beside": list(self.beside),
            "information_loss": self.value,
            "lower_bound": self.bound,
            "gap_percent": self.gap if np.isfinite(self.gap) else None,
            "method": self.method,
            "seconds": self.seconds,
            "sentence": self.sentence,
        }

    def __repr__(self) -> str:
        return f"Certificate(k = {self.k}: loss {self.value:.4f} %, at least {self.bound:.4f} % by {self.method})"

    def _repr_html_(self) -> str:
        rows = [(f"{self.value:.4f} %", f"{self.bound:.4f} %", self.method, self.n_records)]
        grid = table(("information loss", "lower bound", "method", "records"), rows, numbers=(0, 1, 3))
        return panel(f"{self.sentence[:1].upper()}{self.sentence[1:]}.", grid)
