"""The protocol at work: proposed from a file, run from beginning to end, and used to check a release."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from discreet import catalogue, io
from discreet.draws import drawn_seed
from discreet.errors import SchemaError
from discreet.evaluation.headline import ALL_KEYS, worst_of
from discreet.inference import Proposal
from discreet.microdata import Microdata
from discreet.protocol import Protocol, Scenario, Source, Step, Tables, seed_line
from discreet.results import Assessment, Masked, Verdict
from discreet.scales import Nominal
from discreet.schema import Schema
from discreet.workflow.advice import Advice, advise, advise_thresholds
from discreet.workflow.ceilings import Ceilings, ReleaseType, propose_ceilings, release_type
from discreet.workflow.chain import apply_steps, masker_of
from discreet.workflow.files import files_named, inspect, make_folder, read, save_schema, write, written_together
from discreet.workflow.reports import write_manifest, write_report
from discreet.workflow.scenarios import assess_scenarios, check_thresholds, met_unmasked, verify
from discreet.workflow.steps import protect
from discreet.workflow.units import is_constant, unit_labels

__all__ = [
    "Run",
    "load_protocol",
    "opened",
    "propose_protocol",
    "protect_script",
    "read_source",
    "release_paths",
    "run_protocol",
    "save_protocol",
    "with_seed",
    "write_release",
]

PathLike = str | os.PathLike[str]

_FEW_KEYS = 6
_MANY = 100_000
"""Records beyond which groups are cut rather than gathered, which takes far less time."""


@dataclass(frozen=True, repr=False)
class Run:
    """What running a protocol gave.

    Attributes
    ----------
    protocol : Protocol
    original : Microdata
    masked : Masked
    before, after : dict of str to Assessment
        By scenario, of the original without its identifiers and of the release.
    verdicts : tuple of Verdict
    text : str
        The protocol as it was written.
    inputs : tuple of path
        The files that were read.
    sources : tuple of path
        What else must not be written over: the protocol itself, and files that its steps name.
    """

    protocol: Protocol
    original: Microdata
    masked: Masked
    before: Mapping[str, Assessment]
    after: Mapping[str, Assessment]
    verdicts: tuple[Verdict, ...]
    text: str = ""
    inputs: tuple[Path, ...] = ()
    sources: tuple[Path, ...] = ()

    @property
    def met(self) -> bool:
        """Whether every threshold is met."""
        return all(verdict.met for verdict in self.verdicts)

    @property
    def advice(self) -> tuple[Advice, ...]:
        """What is weak about the schema, the release and its assessment."""
        found = advise(self.original, self.masked, self.assessment)
        return (*found, *advise_thresholds(met_unmasked(self.after, self.protocol.thresholds, self.before)))

    @property
    def assessment(self) -> Assessment:
        """The assessment in the scenario that does worst: its score is the headline of the release."""
        return worst_of(self.after)[1]

    def __repr__(self) -> str:
        met = sum(verdict.met for verdict in self.verdicts)
        return f"Run({self.masked!r}; {met} of {len(self.verdicts)} thresholds met)"


# ---------------------------------------------------------------------------------------------------------- proposing


def propose_protocol(
    path: PathLike,
    *,
    schema: Schema | None = None,
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
    schema : Schema, optional
        What is declared already; by default it is proposed too.
    folder : path, optional
        Where the protocol will stand: the data's path is written relative to it (default: the data's folder).
    release : {"research", "public"}
        Who will have the file.
    delimiter, encoding, **layout
        As for :func:`~discreet.workflow.files.read`; the protocol remembers them.

    Notes
    -----
    A starting point for a person, who knows what an intruder knows: nothing is confidential in a proposal, every key
    counts as known, and the thresholds are common ones for the type of release, not those of your organisation; never
    above what the unmasked file risks (:func:`~discreet.workflow.ceilings.propose_ceilings`).
    """
    kind = release_type(release)
    options = {"delimiter": delimiter, "encoding": encoding, **layout}
    proposal = inspect(path, **options)
    declared = proposal.schema if schema is None else schema
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
    ending = target.suffix.lower() if io.can_write(target) else ".csv"
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


def _proposed_scenarios(schema: Schema) -> tuple[list[Scenario], dict[str, str]]:
    if not schema.keys:
        return [], {}
    linkers = ("distance", "probabilistic")
    found = [Scenario(ALL_KEYS, schema.keys, linkers)]
    about = {"scenario:all keys": "The worst case: an intruder who knows every key of everybody, exactly."}
    categorical = schema.of_scale("ordinal", "nominal", among=schema.keys)
    if 1 < len(categorical) < len(schema.keys):
        found.append(Scenario("categories only", categorical, linkers))
        about["scenario:categories only"] = (
            "Somebody who knows what neighbours know. Write a scenario for each source that an intruder may have."
        )
    return found, about


def load_protocol(path: PathLike) -> Protocol:
    """Read a protocol from a TOML file."""
    return Protocol.load(path)


def save_protocol(protocol: Protocol, path: PathLike, inputs: Sequence[PathLike] = ()) -> None:
    """Write a protocol as a TOML file, whole or not at all, and never over an input."""
    io.write_text(path, protocol.to_toml(), inputs)


# ------------------------------------------------------------------------------------------------------------ running


def run_protocol(
    protocol: Protocol | PathLike,
    *,
    original: Microdata | None = None,
    folder: PathLike | None = None,
    before: bool = True,
) -> Run:
    """Read, mask, attack and verify as a protocol says; nothing is written.

    Parameters
    ----------
    protocol : Protocol or path
    original : Microdata, optional
        The table, where it is at hand already; by default the file that the protocol names.
    folder : path, optional
        Where files that the protocol names are looked for; the folder of its file by default.
    before : bool
        Whether to assess the original too.

    Returns
    -------
    Run
    """
    plan, text, base = opened(protocol, folder)
    if not plan.steps:
        raise SchemaError("The protocol has no [[step]].", hint='[[step]] with method = "mdav"; `discreet methods`.')
    sources = [] if isinstance(protocol, Protocol) else [Path(protocol)]
    for place, step in enumerate(plan.steps):
        # What cannot be run is said before a file is read.
        sources += files_named(masker_of(step, place, plan.seed, base).get_params())
    plan, text, seed = with_seed(plan, text)
    wanted = check_thresholds(plan.thresholds)
    if original is None:
        table, inputs = read_source(plan, base)
    else:
        table, inputs = Microdata(original.to_native(), plan.schema, origin=original.origin).validate(), ()
    masked = apply_steps(table, plan.steps, seed, folder=base)
    unprotected = assess_scenarios(table, protect(table, "identifiers"), plan.scenarios) if before else {}
    after = assess_scenarios(table, masked, plan.scenarios, measures=wanted)
    verdicts = verify(after, plan.thresholds, masked, unprotected)
    return Run(plan, table, masked, unprotected, after, verdicts, text, inputs, tuple(sources))


def write_release(run: Run, folder: PathLike | None = None, *, released: Masked | None = None) -> dict[str, Path]:
    """Write what the protocol's [release] names, and return the paths by name.

    Parameters
    ----------
    run : Run
    folder : path, optional
        Made where it does not exist; by default the folder of the data.
    released : Masked, optional
        The table to write where it has more columns than were assessed: numbers that join it with others.

    Notes
    -----
    Beside the masked file goes its schema (``masked.toml``), with the levels that occur, which data users need and
    :func:`~discreet.workflow.checking.check_release` reads. Every file is written whole or not at all; the manifest
    comes last, so that a folder with one is complete.
    """
    paths = release_paths(run, folder)
    with written_together(paths.values(), [*run.inputs, *run.sources]):
        _write_files(run, paths, released)
    return paths


def _write_files(run: Run, paths: Mapping[str, Path], released: Masked | None) -> None:
    assessment = run.assessment
    table = run.masked if released is None else released
    write(table, paths["masked"], run.inputs)
    save_schema(table.schema, paths["schema"], run.inputs)
    shared: dict[str, Any] = {"before": run.before, "after": run.after, "inputs": run.inputs, **run.protocol.public}
    remarks = run.advice
    internal: dict[str, Any] = {"html": paths.get("internal"), "json": paths.get("json"), "pdf": paths.get("pdf")}
    if any(internal.values()):
        write_report(
            run.original, run.masked, assessment, **internal, audience="internal", verdicts=run.verdicts,
            advice=remarks, protocol=run.text, **shared,
        )  # fmt: skip
    if "external" in paths:
        write_report(run.original, run.masked, assessment, html=paths["external"], audience="external", **shared)
    if "manifest" in paths:
        listed = {name: path for name, path in paths.items() if name != "manifest"}
        write_manifest(paths["manifest"], listed, protocol=run.text, inputs=run.inputs)


def release_paths(run: Run, folder: PathLike | None = None) -> dict[str, Path]:
    """Return where the files of a release go, by name, and make their folder."""
    base = Path(folder) if folder is not None else (run.inputs[0].parent if run.inputs else Path())
    make_folder(base)
    named = {name: base / file for name, file in run.protocol.release.items()}
    named.setdefault("masked", base / "masked.csv")
    return {"masked": named["masked"], "schema": named["masked"].with_suffix(".toml"), **named}


def opened(protocol: Protocol | PathLike, folder: PathLike | None) -> tuple[Protocol, str, Path]:
    """Return a protocol, its text, and the folder in which the files that it names are looked for."""
    if isinstance(protocol, Protocol):
        return protocol, protocol.to_toml(), Path(folder or ".")
    plan = Protocol.load(protocol)
    text = Path(protocol).read_text(encoding="utf-8")
    return plan, text, Path(protocol).parent if folder is None else Path(folder)


P = TypeVar("P", Protocol, Tables)


def with_seed(plan: P, text: str) -> tuple[P, str, int]:
    """Return a protocol with a seed, its text with it, and the seed: its own, or one that is drawn for this run."""
    if plan.seed is not None:
        return plan, text, plan.seed
    seed = drawn_seed()
    # Whatever the file begins with, a value before its first table belongs to the whole file.
    return replace(plan, seed=seed), f"# Drawn for this run.\n{seed_line(seed)}\n{text}", seed


def read_source(plan: Protocol, base: Path) -> tuple[Microdata, tuple[Path, ...]]:
    """Read the file that a protocol names, and return the table and the files that were read."""
    if plan.source is None:
        raise SchemaError("The protocol names no data.", hint='[data] with file = "survey.csv".')
    path = base / plan.source.file
    options = {name: value for name, value in plan.source.to_dict().items() if name != "file"}
    table = read(path, plan.schema, **options)
    beside = [Path(table.origin["catalogue"])] if "catalogue" in table.origin else []
    return table, (path, *beside)


# ------------------------------------------------------------------------------------------------------------- Python


def protect_script(
    data: PathLike,
    output: PathLike,
    method: str = "mdav",
    parameters: Mapping[str, Any] | None = None,
    *,
    schema: PathLike | None = None,
    report: PathLike | None = None,
    **options: Any,
) -> str:
    """Return the Python script that does what ``discreet protect`` does with these arguments."""
    masker = catalogue.method("masker", method)(**(parameters or {}))
    given = [repr(str(data)), *([repr(str(schema))] if schema is not None else [])]
    given += [f"{name}={value!r}" for name, value in options.items() if value is not None]
    lines = [
        "import discreet as dc",
        "",
        f"original = dc.read({', '.join(given)})",
        f"masked = dc.{masker!r}.mask(original)",
        f"dc.write(masked, {str(output)!r})",
    ]
    if report is not None:
        lines += [
            "assessment = dc.assess(original, masked)",
            f"dc.write_report(original, masked, assessment, html={str(report)!r})",
        ]
    return "\n".join([*lines, ""])
