"""Alternatives to begin with, from the kinds of keys that a file has: what an office would try."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.data.toml_text import Places
from discreet.errors import SchemaError
from discreet.release.alternatives import LIMIT, combine_steps, read_alternatives
from discreet.release.ceilings import ReleaseType
from discreet.release.chain import Chain

__all__ = ["propose_alternatives", "propose_chains", "rounding_bases"]

_MANY_RECORDS = 100_000
"""Records beyond which groups are cut rather than gathered, which takes far less time."""

_MANY_KEYS = 12
"""Keys beyond which hardly any two records agree on all, and suppressing until they do leaves nothing."""

Table = dict[str, Any]


def propose_alternatives(
    schema: Schema,
    records: int,
    kind: ReleaseType,
    missing: Mapping[str, int] | None = None,
    bases: Mapping[str, float] | None = None,
) -> list[list[Table]]:
    """Return open chains for a file, each a list of steps as a protocol with alternatives would have them.

    Parameters
    ----------
    schema : Schema
    records : int
    kind : ReleaseType
        From whose group sizes the parameters follow.
    missing : mapping of str to int, optional
        How many values each column lacks.
    bases : mapping of str to float, optional
        What to round each number to a multiple of (:func:`rounding_bases`).

    Notes
    -----
    Numbers: tails coded, then groups averaged, ranks swapped, or noise added. Categories: rare levels joined, then
    values suppressed, groups given one value, levels drawn anew, or everything generalised. Both: groups over all keys,
    or numbers first and then what still stands out suppressed. Sequences are grouped beside any of these.
    """
    sizes = sorted({kind.smallest_group, kind.k, 2 * kind.k})
    keys = schema.keys
    numbers = list(schema.of_scale("numeric", among=keys))
    categories = list(schema.of_scale("ordinal", "nominal", among=keys))
    sequences = list(schema.of_scale("sequence", among=keys))
    gaps: Table = {"missing": "pattern"} if any((missing or {}).get(name) for name in numbers) else {}
    few_keys, gathered = len(numbers) + len(categories) <= _MANY_KEYS, records <= _MANY_RECORDS
    # A step that names no column masks every key on its scales.
    on_numbers: Table = {"attributes": numbers} if categories else {}
    tails = {"method": "top-coding", "share": [0.01, 0.05], **on_numbers, "optional": True}
    rare = {"method": "global-recoding", "p": [2, 5], "optional": True}
    means: Table = {"method": "mdav", "k": sizes, **gaps} if gathered else {"method": "mondrian", "k": sizes}
    suppress = {"method": "local-suppression", "k": sorted({kind.smallest_group, kind.k})}
    plans: list[list[Table]] = []
    if numbers and categories:
        groups = [{"method": "mondrian", "k": sizes}]
        groups += [{"method": "mixed-mdav", "k": sizes}] if gathered else []
        plans.append([tails, rare, {"any_of": groups}])
        averaged = {**means, "k": sizes[:2]} if gathered else {**means, "k": sizes[:2], "attributes": numbers}
        if few_keys:
            plans.append([rare, averaged, suppress])  # numbers that were averaged count as equal where they are
            if bases:
                plans.append([{"method": "rounding", "base": dict(bases)}, rare, suppress])
        plans.append([{"method": "rank-swapping", "p": [5, 15], "attributes": numbers},
                      {"method": "pram", "theta": [0.1, 0.3]}])  # fmt: skip
        plans.append([{"method": "additive-noise", "level": [0.1, 0.3]}, {"method": "pram", "theta": [0.1, 0.3]}])
    elif numbers:
        others: list[Table] = [{"method": "individual-ranking", "k": sizes}, {"method": "mondrian", "k": sizes}]
        plans.append([tails, {"any_of": [means, *others] if gathered else others}])
        plans.append([tails, {"any_of": [
            {"method": "rank-swapping", "p": [5, 15]},
            {"method": "additive-noise", "level": [0.1, 0.3]},
            {"method": "correlated-noise", "level": [0.1, 0.3]},
        ]}])  # fmt: skip
    elif categories:
        groups = [{"method": "kmodes", "k": sizes}, {"method": "mondrian", "k": sizes}]
        plans.append([rare, {"any_of": [suppress, *groups] if few_keys else groups}])
        plans.append([rare, {"method": "pram", "theta": [0.1, 0.3, 0.6]}])
        if few_keys:
            plans.append([{"method": "generalisation", "k": suppress["k"], "suppression": 0.05}])
    for name in sequences:
        step: Table = {"any_of": [{"method": "sequence-mdav", "k": sizes, "attributes": [name]}]}
        plans = [[*plan, step] for plan in plans] or [[step]]
    return plans


def rounding_bases(table: Microdata) -> dict[str, float]:
    """Return for every numeric key a round number, of which nine tenths of its values span about ten.

    Examples
    --------
    >>> import polars as pl
    >>> from discreet.data.microdata import microdata
    >>> wages = microdata(pl.DataFrame({"wage": [900.5 + 10 * i for i in range(101)]}))
    >>> rounding_bases(wages)
    {'wage': 50.0}
    """
    bases = {}
    for name in table.schema.of_scale("numeric", among=table.schema.keys):
        values = np.asarray(table.encoded(name), dtype=np.float64)
        values = values[np.isfinite(values)]
        width = float(np.subtract(*np.quantile(values, [0.95, 0.05]))) / 10 if values.size else 0.0
        if width > 0:
            power = 10.0 ** math.floor(math.log10(width))
            bases[name] = power * max(one for one in (1.0, 2.0, 5.0) if one * power <= width)
    return bases


def propose_chains(
    schema: Schema,
    records: int,
    kind: ReleaseType,
    missing: Mapping[str, int] | None = None,
    bases: Mapping[str, float] | None = None,
    *,
    limit: int = LIMIT,
) -> list[Chain]:
    """Return the chains of :func:`propose_alternatives`, each once.

    Examples
    --------
    >>> from discreet.datasets import business
    >>> from discreet.release.ceilings import release_type
    >>> found = propose_chains(business(100).schema, 100, release_type("research"))
    >>> len(found), found[0].label().endswith("→ mdav(k=3)")
    (45, True)
    """
    if not schema.keys:
        raise SchemaError(
            "No column looks like a key, so there is nothing to protect from an intruder.",
            hint="Say what an intruder may know: --keys NAME,NAME.",
        )
    found: dict[str, Chain] = {}
    for plan in propose_alternatives(schema, records, kind, missing, bases):
        choices = tuple(read_alternatives(table, place, Places("")) for place, table in enumerate(plan))
        for chain in combine_steps(choices, limit):
            found.setdefault(chain.description(), chain)
    return list(found.values())
