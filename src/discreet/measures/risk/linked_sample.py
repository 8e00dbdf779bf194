"""Linkage of a sample: some records against everybody, where all against all would take too long.

Up to a million records everybody is asked for. Beyond, some are, each is compared with everybody, and the sentence
states the interval in which the rate lies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from discreet.contracts.links import Linked
from discreet.contracts.measure import PairScope
from discreet.contracts.measurement import Measurement
from discreet.data.microdata import Microdata
from discreet.data.scales import GapFlag
from discreet.errors import DataError, MissingValueError
from discreet.linkage.nearest_so_far import NearestSoFar
from discreet.measures.risk.directions import DIRECTIONS, TwoWayRisk
from discreet.statistics import question
from discreet.statistics.question import Inquiry, Present, Together
from discreet.statistics.sampled_pairs import PairSample
from discreet.typing import FloatArray, Json

__all__ = ["SAMPLE", "LinkedSample", "Search", "comparable_keys", "everybody_is_asked", "link_sample", "told_of_sample"]

SAMPLE = 2_000
"""Records that are looked for among everybody."""


class _Nearest(Protocol):
    """A question for the nearest of everybody, which knows how far the true record is."""

    @property
    def original(self) -> tuple[str, ...]: ...

    @property
    def released(self) -> tuple[str, ...]: ...

    def own(self, truth: Microdata) -> FloatArray: ...


class Search(Protocol):
    """How a linker looks for records of one file among those of the other."""

    def __call__(self, asked: Microdata, /, *, of_release: bool) -> _Nearest: ...


@dataclass(frozen=True, repr=False)
class LinkedSample:
    """What was linked of a sample.

    Attributes
    ----------
    linked : dict of str to Linked
        By direction.
    size : int
    gaps : bool
        Whether a cell is missing in what was compared.
    """

    linked: dict[str, Linked]
    size: int
    gaps: bool


def everybody_is_asked(scope: PairScope) -> bool:
    """Say whether the tables are small enough for all records to be compared with all."""
    return scope.n <= question.MOST_AT_ONCE


def comparable_keys(owner: str, scope: PairScope) -> tuple[str, ...]:
    """Return the attributes whose values mean the same in both tables: codes of other levels say nothing."""
    names = tuple(name for name in scope.names if scope.before[name].scale == scope.after[name].scale)
    if not names:
        raise DataError(
            f"{owner}: no key is released with the levels of the original, and beyond {question.MOST_AT_ONCE:,} "
            "records others are not compared."
        )
    return names


def link_sample(
    n: int, names: tuple[str, ...], search: Search, direction: str, *, refuses_gaps: str = ""
) -> Inquiry[LinkedSample]:
    """Look for some records among everybody, in one direction or both.

    Parameters
    ----------
    n : int
        The number of records.
    names : tuple of str
        What is compared.
    search : Search
    direction : {"worse", "release", "original"}
    refuses_gaps : str
        The linker that has no rule for a missing cell, if it has none.
    """
    answers = yield Together((Present(names), PairSample(names, SAMPLE, n)))
    present, pairs = answers.statistics
    absent = 2 * n - present.before - present.after
    if refuses_gaps and absent.any():
        place = int(absent.argmax())
        raise MissingValueError(
            f"{refuses_gaps}: column {names[place]!r} has {absent[place]} missing values in the two files.",
            hint="Leave the column out of attributes, or drop those records.",
        )
    before, after = pairs.tables()
    questions = {"release": search(after, of_release=True)}
    if direction != "release":
        questions["original"] = search(before, of_release=False)
    truth = {"release": before, "original": after}
    nearest: tuple[NearestSoFar, ...] = (yield Together(tuple(questions.values()))).statistics
    linked = {
        name: one.evaluate(questions[name].own(truth[name])) for name, one in zip(questions, nearest, strict=True)
    }
    return LinkedSample(linked, len(before), bool(absent.any()))


def told_of_sample(
    measure: TwoWayRisk, intruder: str, sample: LinkedSample, names: tuple[str, ...], scope: PairScope
) -> Measurement:
    """Return the measurement of a sample; of everybody it is the one of all records, word for word."""
    linked, direction = sample.linked, str(measure.direction)
    if direction == "worse":
        direction = max(DIRECTIONS, key=lambda name: linked[name].rate)
    declared = [name for name in names if not isinstance(scope.before[name].scale, GapFlag)]
    details: Json = {"known": declared}
    remarks = ""
    if sample.size < scope.n:
        low, high = linked[direction].interval()
        details |= {"exact": False}
        remarks += f" The rate is between {100 * low:.1f} and {100 * high:.1f} % with 95 % confidence."
        remarks += f" Compared: a sample of {sample.size} of {scope.n} records, each with everybody."
    # A number that is missing was filled before, and has a flag that says so.
    if sample.gaps or len(declared) < len(names):
        remarks += " A missing cell counts as a value of its own."
    left_out = [name for name in scope.names if name not in names]
    if left_out:
        verb = "was" if len(left_out) == 1 else "were"
        details |= {"left_out": left_out, "complete": False}
        remarks += (
            f" Of {len(scope.names)} keys {', '.join(left_out)} {verb} left out, because they are released with other "
            "levels: who uses them too may find more."
        )
    return measure.told(intruder, linked, direction, details, remarks)
