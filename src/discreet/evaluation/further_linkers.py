"""The success of linkers that no measure stands for, in the shape of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discreet import catalogue
from discreet.contracts.engine import Engine
from discreet.contracts.intruder import Intruder
from discreet.contracts.links import Links
from discreet.contracts.measurement import Measurement
from discreet.data.microdata import Microdata
from discreet.data.scales import GapFlag
from discreet.data.table import StoredTable
from discreet.errors import DataError, ParameterError
from discreet.evaluation.intruder_view import fit_to_compare, without_gaps

__all__ = ["emptied", "knows_masking", "linked_by"]


def knows_masking(linker: str) -> bool:
    """Say whether a linker reads off the provenance what each value can have become; False for a name that is none."""
    cls = catalogue.known("linker", linker)
    return cls is not None and cls.knows_masking


def emptied(table: Microdata | StoredTable, names: Sequence[str]) -> list[str]:
    """Return those of some columns in which no record of a table has a value; one column is read after the other."""
    found = []
    for name in names:
        column = table.in_memory((name,)) if isinstance(table, StoredTable) else table
        if column.missing(name).all():
            found.append(name)
    return found


def linked_by(
    intruder: Intruder,
    name: str,
    tables: tuple[Microdata, Microdata],
    release: Any,
    engine: Engine | None = None,
    *,
    needed: bool = True,
) -> Measurement | None:
    """Return the success of a linker, or None where it has nothing to link and is not `needed`.

    `tables` are what the intruder knows, as it is, and recoded like the release for linkers that do not see how.
    """
    cls = catalogue.method("linker", name, f"Scenario {intruder.name!r}")
    table = fit_to_compare(*tables, release) if cls.knows_masking else tables[1]
    if cls.scales & {"numeric"} and cls.scales & {"nominal"}:
        table, release = without_gaps(table, release)
    names = table.schema.of_scale(*cls.scales, among=table.schema.keys)
    if not names:
        if not needed:
            return None
        raise ParameterError(
            f"Scenario {intruder.name!r}: the linker {name!r} links {', '.join(sorted(cls.scales))} attributes, and "
            f"the intruder knows none.",
            hint="Leave the linker out of the scenario.",
        )
    linker = cls(attributes=list(names)) if "attributes" in cls.parameter_names() else cls()
    try:
        links: Links = linker.link(table, release, engine=engine)
    except DataError:
        if needed:
            raise
        return None
    linked = links.evaluate()
    declared = [name for name in names if not isinstance(table.schema[name].scale, GapFlag)]
    keys = "1 key" if len(declared) == 1 else f"{len(declared)} keys"
    low, high = linked.interval()
    value = 100.0 * linked.rate
    return Measurement(
        name=f"{name}-linkage",
        title=f"Re-identified by {name} linkage",
        kind="risk",
        value=value,
        low=0.0,
        high=100.0,
        unit="%",
        sentence=(
            f"An intruder who knows {keys} of everybody and links by the method {name} re-identifies about "
            f"{linked.expected:.0f} of {linked.n} records ({value:.1f} %); guessing finds {linked.chance:.0f}."
        ),
        details={
            "known": declared,
            "expected": linked.expected,
            "optimistic": linked.optimistic,
            "pessimistic": linked.pessimistic,
            "n": linked.n,
            "chance_percent": 100.0 * linked.chance / linked.n,
            "interval_percent": [100.0 * low, 100.0 * high],
        },
        in_score=True,
    )
