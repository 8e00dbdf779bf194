"""The protocol that a search would sign: from a file, a protocol with alternatives, or nothing at all."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from discreet.contracts.masker import Masker
from discreet.data.keyed_draws import drawn_seed
from discreet.data.microdata import Microdata
from discreet.errors import ParameterError, door, wrong_type
from discreet.evaluation.experiment import Candidate
from discreet.evaluation.tuning import Tuned, tune
from discreet.io.reading import Declared, files_named
from discreet.masking.running.units import PerUnit
from discreet.release.alternatives import LIMIT, OpenProtocol
from discreet.release.ceilings import release_type
from discreet.release.chain import Chain
from discreet.release.proposal import propose
from discreet.release.proposed_chains import propose_chains, rounding_bases
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Source, Step
from discreet.release.running import PathLike, read_source

__all__ = ["TunedProtocol", "steps_of", "tune_protocol"]

_LINES = 14
"""The most lines of what was tried that are written into a protocol."""


@dataclass(frozen=True, repr=False)
class TunedProtocol:
    """What a search would sign, and how it came to that.

    Attributes
    ----------
    protocol : Protocol
        To be run as it is: it gives the very figures that were found. What was tried stands in its comments.
    tuned : Tuned
    original : Microdata
        The table as it was read.
    """

    protocol: Protocol
    tuned: Tuned
    original: Microdata

    def __repr__(self) -> str:
        return f"TunedProtocol({self.tuned!r})"


@door
def tune_protocol(
    path: PathLike,
    *,
    protocol: OpenProtocol | PathLike | None = None,
    schema: Declared = None,
    release: str = "research",
    budget: int | str | None = "5m",
    thresholds: Mapping[str, float] | None = None,
    repetitions: int = 1,
    random_state: int | None = None,
    workers: int | None = None,
    store: PathLike | None = None,
    resume: bool = False,
    folder: PathLike | None = None,
    limit: int = LIMIT,
    **layout: Any,
) -> TunedProtocol:
    """Find the protocol to release a file with.

    Parameters
    ----------
    path : path
        The data.
    protocol : OpenProtocol or path, optional
        With alternatives to choose from, and its own schema, scenarios and thresholds. Without one, all of that is
        proposed: roles and scales are inferred as far as `schema` does not declare them, and the alternatives follow
        from the kinds of keys (:func:`~discreet.release.proposed_chains.propose_alternatives`).
    schema : Schema, Declaration or path, optional
    release : {"research", "public"}
        Who will have the file: thresholds and group sizes follow.
    budget : int or str, optional
        As in :func:`~discreet.evaluation.tuning.tune`.
    thresholds : mapping of str to float, optional
        In place of what the protocol or the proposal says of the same.
    repetitions, random_state, workers, store, resume
        As in :func:`~discreet.evaluation.tuning.tune`.
    folder : path, optional
        Where the protocol will stand; the folder of the data by default.
    limit : int
        The most combinations of alternatives.
    **layout
        How the file is read, as for :func:`discreet.read`.

    Returns
    -------
    TunedProtocol
        Where no candidate meets every threshold, with the one that comes nearest; ``tuned.misses`` says by what.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise wrong_type("tune_protocol", "path must be the path of a file", path, 'dc.tune_protocol("survey.csv")')
    if protocol is not None and not isinstance(protocol, (OpenProtocol, str, os.PathLike)):
        raise wrong_type("tune_protocol", "protocol must be an OpenProtocol or the path of its file", protocol)
    plan = _planned(path, protocol, schema, release, folder, layout)
    if thresholds:
        plan = replace(plan, thresholds={**plan.thresholds, **thresholds})
    base = Path(folder) if folder is not None else Path(path).parent
    table, _ = read_source(plan, base)
    space = _candidates(protocol, table, release, limit)
    _check_files(space, base)
    if not table.schema.keys:
        raise ParameterError("tune: no column is a key, so nobody could find anybody.", hint="--keys NAME,NAME")
    tuned = tune(
        table, space, thresholds=plan.thresholds, budget=budget, repetitions=repetitions, workers=workers, store=store,
        resume=resume, scenarios=plan.scenarios, measures=[], random_state=_seed(random_state, store, resume=resume),
    )  # fmt: skip
    chosen = replace(
        plan,
        steps=steps_of(tuned.masker),
        seed=tuned.masker.seed if isinstance(tuned.masker, Chain) else drawn_seed(),
        comments={
            **{name: text for name, text in plan.comments.items() if not name.startswith(("step:", "end"))},
            "protocol": _head(tuned, plan.comments.get("protocol", "")),
            "step:0": _told(tuned, len(table)),
        },
    )
    return TunedProtocol(chosen, tuned, table)


def _check_files(space: Sequence[Chain], base: Path) -> None:
    """Refuse to write a protocol elsewhere than beside the files that its steps name: it would not find them."""
    for chain in space:
        there = Path(chain.folder or base).resolve()
        if there != base.resolve() and files_named([masker.get_params() for masker in chain.maskers]):
            raise ParameterError(
                "tune: the alternatives name files, so that the chosen protocol must stand beside them.",
                hint="Write it into the folder of the protocol with the alternatives: -o FOLDER/chosen.toml.",
            )


def _seed(random_state: int | None, store: PathLike | None, *, resume: bool) -> int | None:
    return random_state if random_state is not None or (store is not None and resume) else drawn_seed()


def _planned(
    path: PathLike,
    protocol: OpenProtocol | PathLike | None,
    schema: Declared,
    release: str,
    folder: PathLike | None,
    layout: Mapping[str, Any],
) -> Protocol:
    """Return the protocol without its steps: that of the file with alternatives, or a proposal."""
    release_type(release)
    if protocol is None:
        return propose(path, schema=schema, release=release, folder=folder, **layout)
    opened = protocol if isinstance(protocol, OpenProtocol) else OpenProtocol.load(protocol)
    base = Path(folder) if folder is not None else Path(path).parent
    same = opened.protocol.source
    options = {} if same is None else {n: v for n, v in same.to_dict().items() if n != "file"}
    options |= {name: value for name, value in layout.items() if value is not None}
    target = os.path.relpath(Path(path).resolve(), base.resolve())
    file = Path(target).as_posix() if not target.startswith("..") else str(Path(path).resolve())
    release_files = opened.protocol.release or {"masked": f"{Path(path).stem}-masked.csv"}
    return replace(opened.protocol, source=Source(file, **options), release=release_files)


def _candidates(protocol: OpenProtocol | PathLike | None, table: Microdata, release: str, limit: int) -> list[Chain]:
    if protocol is None:
        missing = {name: int(table.missing(name).sum()) for name in table.schema.keys}
        kind, bases = release_type(release), rounding_bases(table)
        return propose_chains(table.schema, len(table), kind, missing, bases, limit=limit)
    opened = protocol if isinstance(protocol, OpenProtocol) else OpenProtocol.load(protocol)
    return opened.chains(limit)


def steps_of(candidate: Candidate) -> tuple[Step, ...]:
    """Return the steps of a protocol that a candidate stands for; a masker keeps its own seed.

    Examples
    --------
    >>> from discreet.masking.perturbing.swapping import RankSwapping
    >>> steps_of(RankSwapping(p=7, random_state=12))
    (Step(method='rank-swapping', parameters={'p': 7, 'random_state': 12}, unit=None),)
    """
    if isinstance(candidate, Chain):
        return tuple(one if isinstance(one, Step) else _as_step(one) for one in candidate.steps)
    if isinstance(candidate, Masker):
        return (_as_step(candidate),)
    raise ParameterError("Only maskers and chains can be written as the steps of a protocol.")


def _as_step(one: Masker | PerUnit) -> Step:
    masker = one.masker if isinstance(one, PerUnit) else one
    defaults = type(masker)().get_params(deep=False)
    parameters = masker.get_params(deep=False)
    changed = {n: v for n, v in parameters.items() if n == "k" or repr(v) != repr(defaults[n])}
    return Step(masker.name, changed, one.unit if isinstance(one, PerUnit) else None)


# ----------------------------------------------------------------------------------------------------- what is told


def _head(tuned: Tuned, before: str) -> str:
    best = tuned.best["draw"]
    figures = f"risk {best['risk']:.2f} %, loss {best['loss']:.2f} % on {tuned.records:,} records"
    if tuned.met:
        first = f"Chosen among {tuned.space} candidates: {figures}. `discreet run` gives these very figures."
    else:
        first = (
            f"NO CANDIDATE OF {tuned.space} MEETS EVERY THRESHOLD. This one comes nearest: {figures}.\n"
            f"It misses: {'; '.join(tuned.misses)}."
        )
    return "\n".join([first, *([before] if before else [])])


def _told(tuned: Tuned, records: int) -> str:
    """Return what was tried, the chosen one first, as lines of comment."""
    rungs = ", ".join(
        f"{rung.candidates} on {'all ' if rung.records == records else ''}{rung.records:,} records"
        for rung in tuned.rungs
    )
    tried = sorted(tuned.tried, key=lambda one: (one["candidate"] != tuned.best["label"], -one["records"]))
    lines = [f"Tried, {rungs}; figures of a sample only chose who went on:"]
    for one in tried[:_LINES]:
        least = f"at least {one['risk_at_least']:.2f}" if one["risk_at_least"] is not None else ""
        risk = f"{one['risk']:.2f}" if one["risk"] is not None else least or "–"
        loss = f"{one['loss']:.2f}" if one["loss"] is not None else "–"
        lines.append(f"  {one['candidate']}: risk {risk}, loss {loss}, {one['records']:,} records, {one['outcome']}")
    if len(tried) > _LINES:
        lines.append(f"  and {len(tried) - _LINES} more")
    return "\n".join(lines)
