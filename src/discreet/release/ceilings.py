"""Thresholds to begin with: from who will have the file, and from what it risks as it is."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.data.microdata import Microdata
from discreet.errors import ParameterError
from discreet.evaluation.exact_matching import exact_groups, risk_of_unmasked

__all__ = ["RELEASE_TYPES", "Ceilings", "ReleaseType", "propose_ceilings", "release_type"]


@dataclass(frozen=True)
class ReleaseType:
    """Who will have the file, and what is usual then.

    Attributes
    ----------
    name : str
    who : str
    k : int
        The smallest group of a method that averages; nobody in one is found with a chance above 1/k.
    smallest_group : int
        What is asked of any release.
    """

    name: str
    who: str
    k: int
    smallest_group: int

    @property
    def risk(self) -> float:
        """The usual ceiling on risk: what groups of k keep."""
        return 100.0 / self.k


RELEASE_TYPES = {
    one.name: one
    for one in (
        ReleaseType("research", "researchers under a contract", 5, 3),
        ReleaseType("public", "anybody", 10, 5),
    )
}


def release_type(name: str) -> ReleaseType:
    """Return a type of release by its name."""
    if name not in RELEASE_TYPES:
        raise ParameterError(f"The type of a release is one of {', '.join(RELEASE_TYPES)}; got {name!r}.")
    return RELEASE_TYPES[name]


@dataclass(frozen=True)
class Ceilings:
    """Proposed thresholds, and why."""

    thresholds: dict[str, float]
    reason: str


def propose_ceilings(table: Microdata, kind: ReleaseType) -> Ceilings:
    """Propose thresholds for a table whose intruder knows every key.

    Notes
    -----
    The ceiling on risk is the usual one for the type of release where the unmasked file is above it, and half of what
    the unmasked file risks where it is not: a limit that nothing has to be done for protects nobody.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.microdata import microdata
    >>> wages = microdata(pl.DataFrame({"wage": [10.5, 11.0, 12.0, 50.0, 52.0, 54.0]}))
    >>> propose_ceilings(wages, RELEASE_TYPES["public"]).thresholds
    {'risk_at_most': 10.0, 'smallest_group': 5}
    """
    keys = table.schema.keys
    if not keys:
        return Ceilings({}, "")
    unmasked = risk_of_unmasked(table, keys)
    smallest = int(exact_groups(table, keys).min())
    limits: dict[str, float] = {}
    reason = [
        f"Proposed for {kind.who} (release type {kind.name!r}). The unmasked file has a risk of {unmasked:.2f} %:"
    ]
    if unmasked > kind.risk:
        limits["risk_at_most"] = kind.risk
        reason.append(f"the usual ceiling, what groups of {kind.k} keep, lies below that.")
    else:
        limits["risk_at_most"] = float(f"{unmasked / 2:.2g}")
        reason.append(f"it is below the usual ceiling of {kind.risk:g} % already, so half of its own is asked for.")
    if smallest < kind.smallest_group:
        limits["smallest_group"] = kind.smallest_group
    else:
        reason.append(
            f"Its smallest group of records with the same keys has {smallest}, so no smallest_group is asked for."
        )
    return Ceilings(limits, "\n".join(reason))
