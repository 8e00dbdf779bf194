"""One object from the file to the report: a survey that is declared, looked at, protected, attacked and written.

::

    survey = dc.survey("survey.csv", keys=["age", "region"], confidential=["income"])
    survey.risk()
    release = survey.protect("top-coding", share=0.02).protect("mdav", k=5)
    release.assess()
    release.report("internal.html")
    release.write("masked.csv")

Nothing is changed in place: every step gives a new object, and the one before it is still there (:meth:`undo`). What is
done is what the functions of the package do, by the same doors.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from discreet import catalogue
from discreet.contracts.assessment import Assessment
from discreet.contracts.chart import Chart
from discreet.contracts.dossier import Dossier
from discreet.contracts.file_risk import FileRisk
from discreet.contracts.intruder import Intruder
from discreet.contracts.linker import Linker
from discreet.contracts.links import Links
from discreet.contracts.masked import Masked
from discreet.contracts.masker import Masker
from discreet.contracts.measure import Measure
from discreet.contracts.measurement import Measurement
from discreet.contracts.remark import Remark
from discreet.contracts.stepwise import MaskingStage
from discreet.data.keyed_draws import drawn_seed
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.engines.memory import MemoryEngine
from discreet.errors import FileError, NotFittedError, ParameterError, door
from discreet.evaluation.advice import advise
from discreet.evaluation.assessing import assess, attack, measure
from discreet.io import reading
from discreet.masking.running.units import PerUnit
from discreet.notebook import listing, panel, table
from discreet.plain import plain
from discreet.release.chain import Chain
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Source, Step
from discreet.release.writing import write_report, write_risk
from discreet.stopping import stoppable

__all__ = ["ProtectedSurvey", "Survey", "survey"]

PathLike = str | os.PathLike[str]

_OF_A_RELEASE = ("advice", "attack", "masked", "measure", "protocol", "seed", "steps", "write")
"""What only a protected survey has, beside what a survey refuses or does itself."""


class Survey(Microdata):
    """A declared table that says what it risks and is protected step by step; otherwise a table as any other.

    :func:`discreet.survey` makes one.
    """

    def risk(self, **options: Any) -> FileRisk:
        """Say what releasing the file as it stands would risk; options as for :func:`discreet.risk`."""
        from discreet.evaluation.risk_of_file import risk  # compiled code, which only this question needs

        return risk(self, **options)

    def protect(
        self,
        method: str | Masker | PerUnit | Chain = "mdav",
        *,
        unit: str | None = None,
        seed: int | None = None,
        **parameters: Any,
    ) -> ProtectedSurvey:
        """Take the first step; this survey stays as it is.

        Parameters
        ----------
        method : str, Masker, PerUnit or Chain
            A registered name (``discreet.methods("masker")``) with its `parameters`, or what has them already.
        unit : str, optional
            Mask once for each of its values, such as a household.
        seed : int, optional
            Where the draws of all steps come from, together with the values. Without one, 128 bits are drawn.
        **parameters
            Of the method.

        Returns
        -------
        ProtectedSurvey
        """
        start = ProtectedSurvey(self, drawn_seed() if seed is None else seed, (), (MaskingStage(self, self),))
        return start.protect(method, unit=unit, **parameters)

    @door
    def report(self, path: PathLike, *, audience: str = "internal", **options: Any) -> Path:
        """Write what releasing the file as it stands would risk, as a page (``.html``), for internal use.

        What else :meth:`ProtectedSurvey.report` takes is about a release, and refused before the first step.
        """
        if audience != "internal" or options:
            told = next(iter(options), "audience")
            raise ParameterError(f"report: {told} is about a release, and no step was taken.", hint=_PROTECT_FIRST)
        if Path(path).suffix.lower() not in (".html", ".htm"):
            raise FileError(
                "Before the first step, a report is the risk of the file as it stands, written as .html.",
                hint=_PROTECT_FIRST,
            )
        read_from = [self.origin["path"]] if "path" in self.origin else []
        write_risk(self.risk(), path, inputs=read_from)
        return Path(path)

    def assess(self, **options: Any) -> NoReturn:  # noqa: ARG002 - as that of a protected survey
        """Refuse: before the first step there is no release to assess. :meth:`risk` speaks of the file as it stands."""
        raise _no_release("assess")

    def undo(self, steps: int = 1) -> NoReturn:  # noqa: ARG002 - as that of a protected survey
        """Refuse: there is no step to undo."""
        raise ParameterError("undo: no step was taken, or all are undone.", hint=_PROTECT_FIRST)

    if not TYPE_CHECKING:  # a type checker knows that there is nothing else

        def __getattr__(self, name: str) -> Any:
            if name in _OF_A_RELEASE:
                raise _no_release(name)
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


_PROTECT_FIRST = 'Protect first: survey.protect("mdav", k=5). What the file as it stands would risk is survey.risk().'


def _no_release(verb: str) -> NotFittedError:
    return NotFittedError(f"{verb}: no step was taken, so there is no release yet.", hint=_PROTECT_FIRST)


class ProtectedSurvey:
    """A survey, the steps that were taken, and the release they gave.

    Attributes
    ----------
    original : Survey
    steps : tuple of Step
        In this order; each saw what the one before it released.
    masked : Masked
        The release.
    seed : int
        Where draws come from. For the internal record only.
    """

    def __init__(self, original: Survey, seed: int, steps: tuple[Step, ...], stages: tuple[MaskingStage, ...]) -> None:
        self.original = original
        self.seed = seed
        self.steps = steps
        self._stages = stages

    @cached_property
    def masked(self) -> Masked:
        """The release, with how it came about."""
        return Chain(self.steps, self.seed).finish(self._stages[-1])

    # ------------------------------------------------------------------------------------------------------- steps

    @door
    @stoppable()
    def protect(
        self, method: str | Masker | PerUnit | Chain = "mdav", *, unit: str | None = None, **parameters: Any
    ) -> ProtectedSurvey:
        """Take another step, on what the last one released; arguments as for :meth:`Survey.protect`."""
        if "seed" in parameters:
            raise ParameterError(
                "protect: the first step has set the seed of all.", hint="random_state=… is the seed of one step."
            )
        added = _steps(method, unit, parameters)
        chain = Chain([*self.steps, *added], self.seed)
        maskers = chain.prepare(self.original)
        stages = list(self._stages)
        for place in range(len(self.steps), len(chain.steps)):
            stages.append(chain.advance(stages[-1], place, maskers[place], MemoryEngine()))
        return ProtectedSurvey(self.original, self.seed, (*self.steps, *added), tuple(stages))

    def undo(self, steps: int = 1) -> ProtectedSurvey | Survey:
        """Return what was there before the last step, or before the last few; the original before the first."""
        if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= len(self.steps):
            raise ParameterError(f"undo: steps must be a whole number from 1 to {len(self.steps)}.")
        if steps == len(self.steps):
            return self.original
        return ProtectedSurvey(self.original, self.seed, self.steps[:-steps], self._stages[:-steps])

    # --------------------------------------------------------------------------------------------- what it is worth

    def risk(self, **options: Any) -> FileRisk:
        """Say what the release would risk by itself; options as for :func:`discreet.risk`."""
        from discreet.evaluation.risk_of_file import risk  # compiled code, which only this question needs

        return risk(self.masked, **options)

    def attack(self, linker: str | Linker = "distance", **parameters: Any) -> Links:
        """Link the release back to the original; arguments as for :func:`discreet.attack`."""
        return attack(self.original, self.masked, linker, **parameters)

    def measure(self, measures: str | Measure | Sequence[str | Measure] | None = None) -> tuple[Measurement, ...]:
        """Measure the release without scoring it; arguments as for :func:`discreet.measure`."""
        return measure(self.original, self.masked, measures)

    def assess(self, *, measures: Sequence[str | Measure] | None = None) -> Assessment:
        """Measure what the release risks and what it lost, and score it; the default measures once, and kept."""
        if measures is not None:
            return assess(self.original, self.masked, measures=measures)
        return self._assessment

    @cached_property
    def _assessment(self) -> Assessment:
        return assess(self.original, self.masked)

    @property
    def advice(self) -> tuple[Remark, ...]:
        """What is weak about the declaration, the release and its assessment."""
        return advise(self.original, self.masked, self._assessment)

    # ----------------------------------------------------------------------------------------------------- leaving

    @door
    def report(
        self,
        path: PathLike,
        *,
        audience: str = "internal",
        about: Dossier | Mapping[str, Any] | None = None,
        intruders: Sequence[Intruder] = (),
        **options: Any,
    ) -> Path:
        """Write a report: ``.html``, ``.pdf`` or ``.json`` by the ending of its name.

        Parameters
        ----------
        path : path
        audience : {"internal", "external"}
        about : Dossier or mapping, optional
            Title, date, purpose, recipients, decision.
        intruders : sequence of Intruder, optional
            What somebody may know, scenario by scenario; without any, one who knows every key.
        **options
            As for :func:`discreet.write_report`.
        """
        kinds = {".html": "html", ".htm": "html", ".pdf": "pdf", ".json": "json"}
        kind = kinds.get(Path(path).suffix.lower())
        if kind is None:
            raise FileError("A report is written as .html, .pdf or .json.", hint='report("internal.html")')
        internal = audience == "internal"
        if intruders:
            after = assess(self.original, self.masked, intruders=intruders)
            before = assess(self.original, self.original, intruders=intruders) if internal else {}
        else:
            after = {"all keys": self._assessment}
            before = {"all keys": assess(self.original, self.original)} if internal else {}
        inputs = [self.original.origin["path"]] if "path" in self.original.origin else []
        targets: dict[str, Any] = {kind: path}
        write_report(
            self.original, self.masked, self._assessment, **targets, audience=audience, before=before, after=after,
            advice=self.advice if internal else (), about=about, intruders=intruders, inputs=inputs, **options,
        )  # fmt: skip
        return Path(path)

    @door
    def write(self, path: PathLike) -> Path:
        """Write the release: what it promises is counted on the written bytes, and no input is written over."""
        reading.write(self.masked, path)
        return Path(path)

    def protocol(
        self,
        *,
        scenarios: Sequence[Intruder] = (),
        thresholds: Mapping[str, float] | None = None,
        about: Dossier | Mapping[str, Any] | None = None,
    ) -> Protocol:
        """Return a protocol that gives this release again; the file it was read from is named where there is one."""
        path = self.original.origin.get("path")
        return Protocol(
            self.original.schema, self.steps, scenarios, thresholds or {}, self.seed,
            None if path is None else Source(Path(path).name), about=Dossier.of(about),
        )  # fmt: skip

    # ----------------------------------------------------------------------------------------------------- showing

    def plot(self) -> Chart:
        """Return by attribute the share of cells that hold another value than in the original."""
        return self.masked.plot()

    def __len__(self) -> int:
        return len(self.masked)

    def __repr__(self) -> str:
        return f"ProtectedSurvey({len(self)} records: {' → '.join(_label(step) for step in self.steps)})"

    def _repr_html_(self) -> str:
        rows = [(place, step.method, _said(step)) for place, step in enumerate(self.steps, start=1)]
        return panel(
            f"{len(self)} records, {len(self.steps)} step{'' if len(self.steps) == 1 else 's'}",
            self.plot()._repr_html_(),
            table(("step", "method", "parameters"), rows, numbers=(0,)),
            listing(self.masked.provenance.notes),
        )


def _said(step: Step) -> str:
    signature = catalogue.method("masker", step.method).signature()
    defaults = {name: one.default for name, one in signature.items()}
    # How large groups are is told always; of the rest, what is not as usual.
    parameters = {name: defaults[name] for name in ("k",) if name in defaults} | {
        name: value
        for name, value in step.parameters.items()
        if name != "random_state"
        and (name not in defaults or type(value) is not type(defaults[name]) or value != defaults[name])
    }
    unit = [f"unit={step.unit}"] if step.unit else []
    return ", ".join([*(f"{name}={value}" for name, value in parameters.items()), *unit])


def _label(step: Step) -> str:
    return f"{step.method}({_said(step)})"


def _steps(
    method: str | Masker | PerUnit | Chain, unit: str | None, parameters: Mapping[str, Any]
) -> tuple[Step, ...]:  # fmt: skip
    """Return the steps that were asked for, as a protocol writes them down."""
    if isinstance(method, (Masker, PerUnit, Chain)):
        if parameters or unit is not None:
            name = next(iter(parameters), "unit")
            raise ParameterError(f"protect: {name} cannot be given beside a method that has its parameters already.")
        parts = method.steps if isinstance(method, Chain) else (method,)
        return tuple(part if isinstance(part, Step) else _as_step(part) for part in parts)
    return (Step(method, {name: value for name, value in parameters.items() if value is not None}, unit),)


def _as_step(masker: Masker | PerUnit) -> Step:
    unit = masker.unit if isinstance(masker, PerUnit) else None
    inner = masker.masker if isinstance(masker, PerUnit) else masker
    said = {name: plain(value) for name, value in inner.get_params(deep=False).items() if value is not None}
    return Step(inner.name, said, unit)


@door
def survey(
    data: Any,
    *,
    keys: str | Sequence[str] = (),
    confidential: str | Sequence[str] = (),
    weight: str | None = None,
    household: str | None = None,
    strata: str | Sequence[str] = (),
    identifiers: str | Sequence[str] = (),
    others: str | None = None,
    numeric: str | Sequence[str] = (),
    ordinal: str | Sequence[str] = (),
    nominal: str | Sequence[str] = (),
    schema: Schema | PathLike | None = None,
    **reading_options: Any,
) -> Survey:
    """Declare a survey in one line, and protect it step by step.

    What is known of the table is named, and the rest is inferred.

    Parameters
    ----------
    data : path, pandas.DataFrame, polars.DataFrame, pyarrow.Table or Microdata
    keys : sequence of str
        What an intruder may know. Names or patterns, here and below: ``"region*"`` is every column that begins so. A
        list that is given is whole; without it, keys are inferred.
    confidential : sequence of str
        What must not become known of a person.
    weight : str, optional
        The survey weight.
    household : str, optional
        The number that says who lives together. It is not released; `household-risk` and steps with a unit use it.
    strata : sequence of str
        Within whose combinations the sample was drawn.
    identifiers : sequence of str
        What is never released. What looks like one is one, unless it is named otherwise.
    others : {"key", "confidential", "identifier", "other", "drop"}, optional
        The role of all columns that are not named; ``"drop"`` leaves them out. Inferred by default.
    numeric, ordinal, nominal : sequence of str
        Scales that are not to be inferred. Levels are taken from the data.
    schema : Schema or path of a TOML file, optional
        What is declared already; it may be partial.
    **reading_options
        For a path: as for :func:`read`.

    Returns
    -------
    Survey
        A table as every function takes it, with verbs of its own: :meth:`Survey.risk`, :meth:`Survey.protect`. Its
        schema says of every attribute what was inferred (:attr:`Attribute.inferred`), and so does its `repr`.

    Examples
    --------
    >>> from discreet.datasets import business
    >>> companies = survey(business(100))
    >>> release = companies.protect("top-coding", share=0.1, seed=1).protect("mdav", k=4)
    >>> release
    ProtectedSurvey(100 records: top-coding(share=0.1) → mdav(k=4))
    >>> release.undo()
    ProtectedSurvey(100 records: top-coding(share=0.1))
    >>> release.undo().undo() is companies
    True
    """
    declared = reading.survey(
        data, keys=keys, confidential=confidential, weight=weight, household=household, strata=strata,
        identifiers=identifiers, others=others, numeric=numeric, ordinal=ordinal, nominal=nominal, schema=schema,
        **reading_options,
    )  # fmt: skip
    result = Survey(declared.to_native(), declared.schema, origin=declared.origin)
    result.share_encoding(declared)
    return result
