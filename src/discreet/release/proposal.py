"""A protocol proposed for a file: its schema, an intruder, steps, thresholds."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from discreet import io
from discreet.contracts.intruder import Intruder
from discreet.data.inference import Proposal
from discreet.data.keyed_draws import drawn_seed
from discreet.data.scales import Nominal
from discreet.data.schema import Schema
from discreet.errors import wrong_type
from discreet.evaluation.attacking import ALL_KEYS
from discreet.io.reading import Declared, inspect, read
from discreet.masking.running.units import is_constant, unit_labels
from discreet.release.ceilings import Ceilings, ReleaseType, propose_ceilings, release_type
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Source, Step
from discreet.release.running import PathLike

__all__ = ["propose"]

_FEW_KEYS = 6


_MANY = 100_000
"""Records beyond which groups are cut rather than gathered, which takes far less time."""


def propose(
    path: PathLike,
    *,
    schema: Declared = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    folder: PathLike | None = None,
    release: str = "research",
    **layout: Any,
) -> Protocol:
    """Propose a protocol for a file, with the reason for every choice in its comments.

    Parameters
    ----------
    path : path
        The data.
    schema : Schema, Declaration or path of a TOML file, optional
        What is declared already; the rest is proposed too.
    folder : path, optional
        Where the protocol will stand: the data's path is written relative to it (default: the data's folder).
    release : {"research", "public"}
        Who will have the file.
    delimiter, encoding, **layout
        As for :func:`~discreet.io.reading.read`; the protocol remembers them.

    Notes
    -----
    A starting point for a person, who knows what an intruder knows: nothing is confidential in a proposal, every key
    counts as known, and the thresholds are common ones for the type of release, not those of your organisation; never
    above what the unmasked file risks (:func:`~discreet.release.ceilings.propose_ceilings`).
    """
    if not isinstance(path, (str, os.PathLike)):
        raise wrong_type("propose", "path must be the path of a file", path, 'dc.propose("survey.csv")')
    kind = release_type(release)
    options = {"delimiter": delimiter, "encoding": encoding, **layout}
    proposal = inspect(path, schema, **options)
    declared = schema if isinstance(schema, Schema) else proposal.schema
    home, shared = "", tuple[str, ...]()
    if schema is None:
        declared, home, shared = _with_household(path, proposal, options)
    target = Path(path)
    base = target.parent if folder is None else Path(folder)
    try:
        file = target.resolve().relative_to(base.resolve()).as_posix()
    except ValueError:
        file = str(target.resolve())
    steps, why = _proposed_steps(declared, proposal, kind)
    limits = Ceilings({}, "")
    if declared.keys:
        limits = propose_ceilings(read(path, declared, **options), kind)
    scenarios, about = _proposed_scenarios(declared)
    ending = io.ending_of(target) if io.can_write(target) else ".csv"
    comments = {
        "protocol": _HEAD.format(command="discreet run PROTOCOL", n=proposal.n_records),
        "data": "What to protect. Nothing is ever written over it.",
        "release": "What `discreet run` writes. The internal report and this file hold seeds: keep them in the house.",
        "thresholds": f"{_THRESHOLDS}\n{limits.reason}",
        **{f"attribute:{a.name}": _about(a.name, declared, proposal) for a in declared},
        **about,
        **{f"step:{i}": text for i, text in enumerate(why)},
        "end": _END.format(
            unit=json.dumps(home or "HOUSEHOLD", ensure_ascii=False),
            shared=json.dumps(list(shared) or ["REGION"], ensure_ascii=False),
            about=_about_home(home, shared),
        ),
    }
    if home:
        comments[f"attribute:{home}"] = (
            "It looks like the number of a household: it will not be released. The end of this file says how to mask\n"
            "once for each household what its members share, and how to release a fresh number."
        )
    return Protocol(
        declared,
        tuple(steps),
        tuple(scenarios),
        limits.thresholds,
        drawn_seed(),
        Source(file, **options),
        {
            "masked": f"{target.stem}-masked{ending}",
            "internal": f"{target.stem}-internal.html",
            "external": f"{target.stem}-external.html",
            "manifest": f"{target.stem}-manifest.json",
        },
        comments,
    )


_HEAD = """\
A protocol of Discreet: all that is needed to protect the file in the same way again.
It is a proposal for {n} records. Look at every role and level, then run it: `{command}`.
The same file, protocol and version of Discreet give the same release, byte for byte."""


_THRESHOLDS = """\
A release that misses one of these ends with exit code 1.
risk_at_most is the worst case: the most that any scenario finds with any linker, in percent; loss_at_most is what the
cells lost, in percent; smallest_group is the fewest records with the same known keys;
<measure>_at_most works for every measure of `discreet methods`."""


_END = """\
Further steps are taken in their order. {about}

[[step]]
method = "mixed-mdav"         # once for each household instead of each record
unit = {unit}
attributes = {shared}
k = 5

[[step]]
method = "identifiers"        # fresh numbers that still say who belongs together
renumber = [{unit}]"""


_HOUSEHOLD = re.compile(
    r"(^|[^a-z])(hid|hhid|hh_?id|hhnr|household|haushalt|menage|hogar|family_?id)([^a-z]|$)", re.IGNORECASE
)


def _with_household(
    path: PathLike, proposal: Proposal, options: Mapping[str, Any]
) -> tuple[Schema, str, tuple[str, ...]]:
    """Find a column that looks like the number of a household, and the keys that its members share."""
    schema = proposal.schema
    named = [a.name for a in schema if _HOUSEHOLD.search(a.name) or _HOUSEHOLD.search(a.label)]
    if not named:
        return schema, "", ()
    table = read(path, schema, **options)
    for name in named:
        labels = unit_labels(table, name)
        if not 0.02 * len(labels) <= labels.max() + 1 <= 0.95 * len(labels):
            continue
        others = [key for key in schema.keys if key != name and schema[key].scale.kind != "sequence"]
        shared = tuple(key for key in others if is_constant(table, labels, key))
        if shared:
            scale = Nominal(("",)) if schema[name].scale.kind == "nominal" else schema[name].scale
            return schema.replacing(replace(schema[name], role="identifier", scale=scale)), name, shared
    return schema, "", ()


def _about_home(home: str, shared: Sequence[str]) -> str:
    if not home:
        return "For example, with households:"
    return (
        f"{home} looks like the number of a household, whose members share\n{', '.join(shared)}. "
        "To keep that so, leave these out of the step above and put before and after it:"
    )


def _about(name: str, schema: Schema, proposal: Proposal) -> str:
    reason = proposal.reasons.get(name, "declared already")
    absent = proposal.missing.get(name, 0)
    lines = [f"{reason}{f'; {absent} of {proposal.n_records} are missing' if absent else ''}."]
    labels = proposal.value_labels.get(name, {})
    if labels and len(labels) <= 60:
        lines.append("; ".join(f"{code} = {text}" for code, text in labels.items()) + ".")
    if schema[name].role == "key":
        lines.append('If nobody outside can know it, write role = "confidential" or "other".')
    return "\n".join(lines)


def _proposed_steps(schema: Schema, proposal: Proposal, kind: ReleaseType) -> tuple[list[Step], list[str]]:
    steps, why, k, few = [], [], kind.k, kind.smallest_group
    numeric = schema.of_scale("numeric", among=schema.keys)
    categorical = schema.of_scale("ordinal", "nominal", among=schema.keys)
    if numeric and categorical:
        method = "mixed-mdav" if proposal.n_records <= _MANY else "mondrian"
        steps.append(Step(method, {"k": k, "attributes": [*numeric, *categorical]}))
        why.append(
            f"Numbers and categories: groups of at least {k} similar records get the same values in all of them.\n"
            "One step for both scales, because groups that are formed scale by scale cut each other into pieces;\n"
            "with keys of which an intruder knows one scale only, mdav and local-suppression lose less."
        )
    elif numeric:
        absent = any(proposal.missing.get(name, 0) for name in numeric)
        rule: dict[str, Any] = {"missing": "pattern"} if absent else {}
        steps.append(Step("mdav", {"k": k, **rule, "attributes": list(numeric)}))
        why.append(
            f"Numbers: groups of at least {k} similar records get the same values, so that means stay."
            + ("\nRecords that lack the same numbers are grouped together, and stay without them." if absent else "")
            + "\nLarger k: safer and coarser. Compare: `discreet compare DATA -c 'mdav k=3,5,10'`."
        )
    elif len(categorical) > _FEW_KEYS:
        steps.append(Step("kmodes", {"k": k, "attributes": list(categorical)}))
        why.append(f"Many categories: groups of at least {k} similar records get the same values.")
    elif categorical:
        steps.append(Step("local-suppression", {"k": few, "attributes": list(categorical)}))
        why.append(
            f"Categories: as few values as possible go missing until everybody shares theirs with {few - 1} others.\n"
            "Where too much goes missing, recode first: global-recoding, hierarchy-recoding or level-map."
        )
    for name in schema.of_scale("sequence", among=schema.keys):
        steps.append(Step("sequence-mdav", {"k": few, "attributes": [name]}))
        why.append(f"Sequences: groups of at least {few} similar ones get the same sequence.")
    if not steps:
        steps.append(Step("identifiers"))
        why.append("No key is declared: identifiers are left out, and nothing else is protected.")
    return steps, why


def _proposed_scenarios(schema: Schema) -> tuple[list[Intruder], dict[str, str]]:
    if not schema.keys:
        return [], {}
    linkers = ("distance", "probabilistic")
    everything = "Somebody who knows every key of everybody in the file, exactly: the worst that is assumed."
    scenarios = [Intruder(ALL_KEYS, schema.keys, linkers, in_words=everything)]
    about = {"scenario:all keys": "The worst case: an intruder who knows every key of everybody, exactly."}
    categorical = schema.of_scale("ordinal", "nominal", among=schema.keys)
    if 1 < len(categorical) < len(schema.keys):
        words = "Somebody who knows the categories of people around him, and none of their numbers."
        scenarios.append(Intruder("categories only", categorical, linkers, in_words=words))
        about["scenario:categories only"] = (
            "Somebody who knows what neighbours know. Write a scenario for each source that an intruder may have."
        )
    return scenarios, about
