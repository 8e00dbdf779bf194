"""Measures on a release that may lack what they look at: what can be computed is, and the rest is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

from discreet.contracts.assessment import NotComputed
from discreet.contracts.engine import Engine, InProcess, TablePair
from discreet.contracts.masked import Masked, Provenance
from discreet.contracts.measure import Measure
from discreet.contracts.measurement import Measurement
from discreet.contracts.pairing import aligned
from discreet.data.freed_memory import give_back
from discreet.data.levels import JoinedLevels
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.data.table import StoredTable
from discreet.errors import DataError, DiscreetError, MissingValueError
from discreet.evaluation.intruder_view import as_released, fit_to_compare, needs_numbers, without_gaps
from discreet.progress import report
from discreet.statistics import question
from discreet.statistics.passes import or_error
from discreet.statistics.question import Inquiry, Need, Present
from discreet.stopping import stoppable

__all__ = ["applicable", "emptied", "paired", "take_measure", "take_measures"]

_NAMES = 5


def paired(original: Any, masked: Any, schema: Schema | None = None) -> tuple[Any, Any]:
    """Return the original in the order of the release, and the release as one in that order; or both as stored."""
    before, after = aligned(original, masked, schema)
    release = masked if isinstance(masked, Masked) else after
    if isinstance(release, Masked) and release.provenance.rows is not None:
        # The original is in the release's order now; it must not be put into that order a second time.
        release = replace(release, provenance=replace(release.provenance, rows=None))
    return before, release


def emptied(before: Microdata, release: Masked | Microdata, names: Sequence[str]) -> list[str]:
    """Return the attributes among `names` that have no value in one of the two files."""
    after = release.microdata if isinstance(release, Masked) else release
    return [n for n in names if n in after.schema and (before.missing(n).all() or after.missing(n).all())]


def _narrowed(
    measure: Measure, tables: TablePair, provenance: Provenance | None, engine: Engine, levels: dict[str, JoinedLevels]
) -> Inquiry[Measurement]:
    """Inquire; a measure that has no rule for an attribute without any value leaves it out and says so."""
    try:
        return (yield from measure.measured(measure.scope(tables, provenance, engine, levels)))
    except MissingValueError:
        names = measure.columns_for(tables.original.schema)  # what it would look at
        released = tuple(name for name in names if name in tables.released.schema)
        if not released or "attributes" not in measure.parameter_names():
            raise
        present = yield Present(released)
        cells = zip(released, present.before, present.after, strict=True)
        empty = [name for name, before, after in cells if not before or not after]
        rest = [name for name in names if name not in empty]
        if not empty or not rest:
            raise
    narrower = measure.clone().set_params(attributes=rest)
    measurement = yield from narrower.measured(narrower.scope(tables, provenance, engine, levels))
    verb = "has" if len(empty) == 1 else "have"
    return replace(
        measurement,
        sentence=f"{measurement.sentence} Not compared: {', '.join(empty)}, which {verb} no value left.",
        details={
            **measurement.details,
            "not_compared": [*measurement.details.get("not_compared", []), *empty],
            "emptied": empty,
        },
    )


def take_measure(
    measure: Measure,
    before: Microdata | StoredTable,
    release: Masked | Microdata | StoredTable,
    engine: Engine | None = None,
) -> Measurement:
    """Measure a release; a measure that has no rule for an attribute without any value leaves it out and says so.

    Raises
    ------
    MissingValueError
        Nothing is left that the measure could look at, or values are missing elsewhere.
    """
    # Whoever measures one release is handed what the measure itself would be, risks included.
    (measurement,), _ = take_measures([measure], before, release, engine=engine, needed=True, as_given=True)
    return measurement


def applicable(
    measures: Sequence[Measure],
    before: Microdata | StoredTable,
    known: Microdata | StoredTable,
    release: Masked | Microdata | StoredTable,
    provenance: Provenance | None = None,
) -> tuple[list[Measure], list[NotComputed]]:
    """Return the measures that fit the release, and those that fit the original alone, with the reason."""
    after = release.microdata if isinstance(release, Masked) else release
    fitting, without = [], []
    provenance = release.provenance if isinstance(release, Masked) else provenance
    for one in measures:
        if not one.is_told(provenance):
            continue  # the headline says so
        table = known if one.kind == "risk" else before
        if one.applies_to(table.schema, after.schema):
            fitting.append(one)
        elif one.applies_to(table.schema):
            names = one.columns_for(table.schema)  # what it would look at
            listed = ", ".join(names[:_NAMES]) + (f" and {len(names) - _NAMES} more" if len(names) > _NAMES else "")
            verb = "is" if len(names) == 1 else "are"
            reason = f"{listed} {verb} released on a scale of another kind."
            without.append(NotComputed(one.name, one.title, one.kind, reason, in_score=one.in_score))
    return fitting, without


def _named(inquiry: Inquiry[Measurement], label: str) -> Inquiry[Measurement]:
    """Report an inquiry while it makes something of an answer; asking takes no time, and a pass is for several."""
    try:
        query = next(inquiry)
    except StopIteration as end:
        return cast("Measurement", end.value)
    while True:
        try:
            resume = partial(inquiry.send, (yield query))
        except DiscreetError as error:
            resume = partial(inquiry.throw, error)
        report(label, 0, 1)
        try:
            query = resume()
        except StopIteration as end:
            return cast("Measurement", end.value)
        finally:
            report(label, 1, 1)


@stoppable()
def take_measures(
    measures: Sequence[Measure],
    before: Microdata | StoredTable,
    release: Masked | Microdata | StoredTable,
    *,
    known: Microdata | None = None,
    engine: Engine | None = None,
    needed: bool = False,
    progress: bool = False,
    beside: str | None = None,
    as_given: bool = False,
    provenance: Provenance | None = None,
) -> tuple[list[Measurement], list[NotComputed]]:
    """Take several measures, and say of those that cannot be computed why.

    What they ask is answered together: tables are aligned and levels joined once, and equal questions are asked once.

    Parameters
    ----------
    before, release
        As :func:`paired` gives them, or both in files.
    known : Microdata, optional
        What risks are measured against: the original as an intruder makes it fit the release
        (:func:`~discreet.evaluation.intruder_view.as_released`).
    needed : bool
        Whether a measure that cannot be computed is an error: somebody asked for it by name.
    progress : bool
        Whether to report how many measures are done, and which one is worked on; not where many releases are measured.
    beside : str, optional
        What is reported beside the name of the measure that is worked on, where it is one of a part; by default that is
        not reported without `progress`.
    as_given : bool
        Whether risks are measured on the tables as they are.
    provenance : Provenance, optional
        How the release came about, where it does not say so itself.
    """
    where, finished, label = engine or InProcess(), 0, "" if progress and beside is None else beside
    provenance = release.provenance if isinstance(release, Masked) else provenance

    def measured(measure: Measure, tables: TablePair, levels: dict[str, JoinedLevels]) -> Inquiry[Measurement]:
        nonlocal finished
        inquiry = _narrowed(measure, tables, provenance, where, levels)
        try:
            answer = yield from inquiry if label is None else _named(inquiry, f"measuring {measure.name}{label}")
            return answer if measure.name in awaited else replace(answer, found={})
        finally:
            finished += 1
            if progress:
                report("measuring", finished, len(measures))

    if progress:
        report("measuring", 0, len(measures))
    views = _Views(before, release, known)
    answers: dict[int, Measurement | DiscreetError] = {}
    kinds = ["" if as_given else views.kind_of(one) for one in measures]
    # What is put together from others that are taken here waits for them.
    plain = {one.name for one in measures if not one.joins and one.get_params() == type(one)().get_params()}
    later = [place for place, one in enumerate(measures) if one.joins and set(one.joins) <= plain and not as_given]
    awaited = {name for place in later for name in measures[place].joins}

    def take(kind: str, places: Sequence[int]) -> None:
        tables = or_error(partial(views.tables, kind)) if places else None
        if isinstance(tables, DiscreetError):
            answers.update(dict.fromkeys(places, tables))
        elif tables is not None:
            levels: dict[str, JoinedLevels] = {}
            inquiries = {place: measured(measures[place], tables, levels) for place in places}
            answers.update(where.answer(tables, inquiries))

    def take_all(places: Sequence[int]) -> None:
        for kind in dict.fromkeys(kinds[place] for place in places):
            take(kind, [place for place in places if kinds[place] == kind])

    def put_together(place: int) -> None:
        nonlocal finished
        parts = [answers[other] for other, one in enumerate(measures) if one.name in measures[place].joins]
        errors = [one for one in parts if isinstance(one, DiscreetError)]
        joined = (
            None if errors else measures[place].put_together([one for one in parts if isinstance(one, Measurement)])
        )
        if errors or joined is not None:
            answers[place] = joined or errors[0]
            finished += 1
            if progress:
                report("measuring", finished, len(measures))
        else:
            take(kinds[place], [place])

    # What others are put together from comes first: what it found, as large as the file, is held no longer than they
    # need it. Of files, every measure is asked for in the same passes.
    rest = [place for place in range(len(measures)) if place not in later]
    early = rest if views.stored else [place for place in rest if measures[place].name in awaited]
    take_all(early)
    for place in later:
        put_together(place)
    answers.update({p: replace(one, found={}) for p, one in answers.items() if isinstance(one, Measurement)})
    give_back(len(before))  # linkages need most of all, and others should not be held beside what they needed
    take_all([place for place in rest if place not in early])
    results: list[Measurement] = []
    without: list[NotComputed] = []
    for place, one in enumerate(measures):
        answer = answers[place]
        if isinstance(answer, Measurement):
            results.append(answer)
        elif needed or not isinstance(answer, DataError):
            raise answer
        else:
            without.append(NotComputed(one.name, one.title, one.kind, answer.message, in_score=one.in_score))
    return results, without


@dataclass(frozen=True, repr=False)
class _Views:
    """The tables that measures are taken on: as they are, as an intruder makes them fit, and that without gaps."""

    before: Microdata | StoredTable
    release: Masked | Microdata | StoredTable
    known: Microdata | None

    def kind_of(self, measure: Measure) -> str:
        """Say which tables a measure is taken on."""
        together = len(self.before) <= question.MOST_AT_ONCE and measure.need in (Need.ALL, Need.ASKED)
        if measure.kind != "risk" or (self.stored and not together):
            return ""  # what is counted in files is the release alone
        if measure.knows_masking:
            return "aware"
        return "numbers" if needs_numbers(measure) else "known"

    @property
    def stored(self) -> bool:
        """Whether one of the tables lies in files."""
        return isinstance(self.before, StoredTable) or isinstance(self.release, StoredTable)

    def tables(self, kind: str) -> TablePair:
        """Return the tables of a kind, aligned."""
        if not kind:
            return TablePair(*aligned(self.before, self.release))
        recoded, release = self._recoded()
        if kind == "aware" and not self.stored:
            # Levels keep their names, of which the provenance speaks; who knows what is in the recoded table.
            before = cast("Microdata", self.before)
            keys = [name for name in recoded.schema.keys if name in before.schema]
            roles = {name: "other" for name in before.schema.keys if name not in keys} | dict.fromkeys(keys, "key")
            plain = Microdata(before.to_native(), before.schema.with_roles(**roles))
            plain.share_encoding(before)
            return TablePair(*aligned(*without_gaps(fit_to_compare(plain, recoded, release), release)))
        if kind == "aware":
            kind = "numbers"
        return TablePair(*aligned(*(without_gaps(recoded, release) if kind == "numbers" else (recoded, release))))

    def _recoded(self) -> tuple[Microdata, Masked | Microdata]:
        if not self.stored:
            recoded = cast("Microdata", self.before) if self.known is None else self.known
            return recoded, cast("Masked | Microdata", self.release)
        whole = TablePair(*aligned(self.before, self.release)).whole([_NotOther(self.before.schema)])
        return as_released(whole.original, whole.release), whole.release


@dataclass(frozen=True)
class _NotOther:
    """All columns but those that nobody masks."""

    schema: Schema

    @property
    def original(self) -> tuple[str, ...]:
        return tuple(a.name for a in self.schema if a.role not in ("other", "identifier"))

    released = original
