"""What a session asks for and is told: small, frozen, and without records but for the few rows of a preview."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from discreet.contracts.assessment import Assessment, Verdict
from discreet.contracts.masker import Masker
from discreet.contracts.measurement import Measurement
from discreet.data.schema import Schema
from discreet.errors import door
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Step
from discreet.studio.controls import refuse_paths
from discreet.typing import Json

__all__ = [
    "Answer",
    "Attacked",
    "Contribution",
    "Declared",
    "Given",
    "History",
    "Opened",
    "Point",
    "Protected",
    "Released",
    "ReleasedFile",
    "RiskNow",
    "StudyMap",
    "adopt",
    "adopt_steps",
    "read_protocol",
]


@dataclass(frozen=True)
class Given:
    """What a session works on: a sample by its name, or a file that the session keeps.

    `where` is a sample's name or a path of the session's own making; `name` is what to call it.
    """

    kind: str
    where: str
    name: str
    n: int = 1000
    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    decimal: str | None = None
    thousands: str | None = None
    leave_out: str | None = None

    @property
    def layout(self) -> dict[str, Any]:
        """How a text file is read, where it does not say so itself."""
        names = ("delimiter", "encoding", "header", "decimal", "thousands", "leave_out")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Opened:
    """What a table is, before anybody has declared anything: counts and types, and a few rows for who asks."""

    n_records: int
    schema: Schema
    types: Mapping[str, str]
    missing: Mapping[str, int]
    reasons: Mapping[str, str]
    rows: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    identity: Mapping[str, int | str] = field(default_factory=dict, repr=False)
    """Of a file: its size, the time of its last change, and its SHA-256."""


@dataclass(frozen=True)
class Answer:
    """What a form says about one attribute: `order` lists the positions of its present levels."""

    role: str
    scale: str
    missing: tuple[str, ...] = ()
    order: tuple[int, ...] = ()
    label: str = ""


@dataclass(frozen=True)
class Declared:
    """A declaration that was checked against the table, and how many values each attribute lacks."""

    schema: Schema
    missing: Mapping[str, int]


@dataclass(frozen=True)
class Contribution:
    """How much one key adds to the risk.

    Attributes
    ----------
    alone : float
        Percent of records that nobody else shares this value with.
    without : float
        Percent of records in groups smaller than k if the intruder did not know this key.
    share : float, optional
        Percent of the SUDA2 scores that comes from small sets of keys which this key is in.
    expected_now, expected_without : float
        Expected re-identifications in percent of the records, with every key and if the intruder did not know this one:
        what keys are put in order by.
    """

    name: str
    alone: float
    without: float
    share: float | None = None
    expected_now: float = 0.0
    expected_without: float = 0.0


@dataclass(frozen=True)
class RiskNow:
    """The risk of releasing the table with nothing but its identifiers removed."""

    n_records: int
    measurements: tuple[Measurement, ...]
    contributions: tuple[Contribution, ...]
    scenarios: Mapping[str, tuple[Measurement, ...]]
    assessment: Assessment


@dataclass(frozen=True)
class Protected:
    """What the steps did, what it risks and what it lost; pictures as SVG."""

    provenance: Json
    assessment: Assessment
    """In the scenario that does worst: its score is the headline of the release."""
    charts: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    scenarios: Mapping[str, tuple[Measurement, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Point:
    """A candidate of a study on the map: `x` and `y` in a picture of 640 × 360, risk to the right and loss upwards.

    `draw` is what adopting it adopts: the seed of a run that was measured, and its own risk, loss and score.
    """

    number: int
    label: str
    method: str
    family: int
    risk: float
    loss: float
    score: float
    x: float
    y: float
    front: bool
    draw: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StudyMap:
    """A study as a page shows it, finished or not."""

    points: tuple[Point, ...]
    line: tuple[tuple[float, float], ...]
    risks: tuple[tuple[float, str], ...]
    losses: tuple[tuple[float, str], ...]
    failures: tuple[tuple[str, str], ...]
    done: int
    total: int
    unmasked: Point | None = None
    """The unmasked file, beside the candidates."""


@dataclass(frozen=True)
class Attacked:
    """What linking a release with another file found.

    Attributes
    ----------
    known : tuple of str
        What was compared; empty where the files share nothing.
    with_candidate, tied : int
        Records of the release with a best candidate, and with more than one.
    chance : float
        Correct links of an intruder who guesses.
    expected, rate, low, high : float, optional
        Correct links and their share in percent with its 95 % interval, where it is known who is who.
    left_out : tuple of str
        What was to be compared and could not be, because values are missing there that the linker has no rule for.
    """

    linker: str
    known: tuple[str, ...]
    n_held: int
    n_released: int
    with_candidate: int
    tied: int
    chance: float
    expected: float | None = None
    optimistic: int | None = None
    pessimistic: int | None = None
    rate: float | None = None
    low: float | None = None
    high: float | None = None
    left_out: tuple[str, ...] = ()

    @property
    def chance_rate(self) -> float:
        """Share of the released records that guessing links correctly, in percent."""
        return 100.0 * self.chance / self.n_released


@dataclass(frozen=True)
class ReleasedFile:
    """One file of a release: whom it is for, what it is, and its fingerprint."""

    key: str
    name: str
    title: str
    audience: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Released:
    """A release: its files in a folder, and whether the thresholds are met."""

    folder: str
    files: tuple[ReleasedFile, ...]
    verdicts: tuple[Verdict, ...]
    assessment: Assessment | None = None
    """In the scenario that does worst: its score is the headline of the release."""


@dataclass(frozen=True)
class History:
    """Steps that were taken, how many of them count, and the lines of steps that were left for another.

    Stepping back keeps what follows. A new step taken from there begins another line, and the line before stays among
    the alternatives: choosing anew destroys nothing.

    Examples
    --------
    >>> history = History().add(Step("mdav", {"k": 3})).add(Step("rank-swapping")).back()
    >>> [step.method for step in history.steps], history.can_go_forward
    (['mdav'], True)
    >>> branched = history.add(Step("rounding"))
    >>> [step.method for step in branched.steps], [[step.method for step in line] for line in branched.others]
    (['mdav', 'rounding'], [['mdav', 'rank-swapping']])
    >>> [step.method for step in branched.switch(0).steps]
    ['mdav', 'rank-swapping']
    """

    all_steps: tuple[Step, ...] = ()
    position: int = 0
    others: tuple[tuple[Step, ...], ...] = ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps that count."""
        return self.all_steps[: self.position]

    @property
    def can_go_back(self) -> bool:
        """Whether a step can be taken back."""
        return self.position > 0

    @property
    def can_go_forward(self) -> bool:
        """Whether a step that was taken back can be taken again."""
        return self.position < len(self.all_steps)

    def add(self, step: Step) -> History:
        """Take a step; a line that went on differently from here becomes an alternative."""
        line = (*self.steps, step)
        if self.all_steps[: len(line)] == line:
            return self.forward()  # the step that was taken back: what follows it still does
        alternatives = (*self.others, self.all_steps) if self.can_go_forward else self.others
        # A line that the new one runs along whole is no alternative to it.
        others = tuple(other for other in alternatives if line[: len(other)] != other)
        return History(line, len(line), others)

    def switch(self, number: int) -> History:
        """Go over to an alternative, whole; the present line becomes one in its place."""
        line = self.others[number]
        rest = (*self.others[:number], *self.others[number + 1 :])
        return History(line, len(line), (*rest, self.all_steps) if self.all_steps else rest)

    def without(self, number: int) -> History:
        """Forget an alternative."""
        return History(self.all_steps, self.position, (*self.others[:number], *self.others[number + 1 :]))

    def go(self, position: int) -> History:
        """Go to a place in the history, as near as there is one."""
        return History(self.all_steps, min(max(position, 0), len(self.all_steps)), self.others)

    def back(self) -> History:
        """Take the last step back."""
        return self.go(self.position - 1)

    def forward(self) -> History:
        """Take the step again that was taken back last."""
        return self.go(self.position + 1)


@door
def adopt(masker: Masker, seed: int | str | None = None) -> Step:
    """Return the step that a candidate of a study stands for, with the seed of the draw that was measured.

    Examples
    --------
    >>> from discreet.masking.perturbing.swapping import RankSwapping
    >>> adopt(RankSwapping(p=7), "12").parameters
    {'p': 7, 'random_state': 12}
    """
    plain = type(masker)().get_params(deep=False)
    parameters = masker.get_params(deep=False)
    changed = {n: v for n, v in parameters.items() if n != "random_state" and (n == "k" or v != plain[n])}
    if seed is not None and "random_state" in parameters:
        changed["random_state"] = int(seed)
    return Step(masker.name, changed)


@door
def adopt_steps(candidate: Any, seed: int | str | None = None) -> tuple[Step, ...]:
    """Return the steps that a candidate of a study stands for, each with the seed of the draw that was measured.

    Examples
    --------
    >>> from discreet.masking.perturbing.swapping import RankSwapping
    >>> from discreet.release.chain import Chain
    >>> [step.parameters for step in adopt_steps(Chain([Step("rounding"), RankSwapping(p=7)]), 12)][0]
    {'random_state': 12}
    """
    from discreet.release.chain import Chain, seed_of  # what masks is not loaded before it is needed
    from discreet.release.tuned_protocol import steps_of

    if not isinstance(candidate, Chain):
        return (adopt(candidate, seed),)
    steps = []
    for place, (step, masker) in enumerate(zip(steps_of(candidate), candidate.maskers, strict=True)):
        own = masker.get_params(deep=False)
        draws = "random_state" in own and own["random_state"] is None and seed is not None
        fresh = {"random_state": seed_of(int(seed), place)} if draws and seed is not None else {}
        steps.append(replace(step, parameters={**step.parameters, **fresh}))
    return tuple(steps)


@door
def read_protocol(text: str) -> Protocol:
    """Read a protocol that somebody sent: what could name a file on this machine is refused."""
    protocol = Protocol.from_toml(text)
    for step in protocol.steps:
        refuse_paths(step.method, step.parameters)
    return protocol
