"""The two questions that an intruder may ask of a release, and how the answers are told.

*Release*: for every released record, whose is it? *Original*: for every person whom the intruder knows, which released
record is theirs? Both read the same distances (or weights), one by rows and one by columns, and a record may be nearest
to its own in one direction and not in the other. An intruder asks what serves him, so the worse direction counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal

from discreet.contracts.links import Linked, Links
from discreet.contracts.measure import Measure
from discreet.contracts.measurement import Measurement
from discreet.linkage.nearest import evaluate_rows
from discreet.parameters import Choice
from discreet.parameters.declaration import parameter
from discreet.typing import IntArray, Json

__all__ = ["DIRECTION", "DIRECTIONS", "TwoWayRisk", "worse"]

DIRECTIONS = ("release", "original")
DIRECTION = Choice(("worse", *DIRECTIONS))

_ASKED = {
    "release": "asking of every released record whose it is",
    "original": "asking of every person which released record is theirs",
}


def worse(
    links: tuple[Links, Links], direction: str = "worse", records: IntArray | None = None
) -> tuple[str, dict[str, Linked]]:
    """Return the direction that counts and what both find; of equals, the released records are asked.

    `records` are those that every row of the links stands for, where it is not one.
    """
    linked = {
        name: one.evaluate() if records is None else evaluate_rows(one, records)
        for name, one in zip(DIRECTIONS, links, strict=True)
    }
    if direction == "worse":
        direction = max(DIRECTIONS, key=lambda name: linked[name].rate)
    return direction, linked


class TwoWayRisk(Measure):
    """A risk that links in one direction or both, and whose value is the worse of what it looked at."""

    kind: ClassVar[str] = "risk"
    keys_only: ClassVar[bool] = True
    direction: Literal["worse", "release", "original"] = parameter(DIRECTION, default="worse")

    def told(
        self,
        intruder: str,
        linked: dict[str, Linked],
        direction: str,
        details: Json,
        remarks: str = "",
        links: Sequence[Links] = (),
    ) -> Measurement:
        """Return the measurement.

        Parameters
        ----------
        intruder : str
            Who links, as the sentence begins.
        linked : dict of str to Linked
            By direction; one or both.
        direction : str
            The one that counts.
        remarks : str
            What the sentence adds, such as how missing cells were read.
        links : sequence of Links
            By direction, whom every record was taken for; none where rows stand for several records, or some for all.
        """
        best = linked[direction]
        value = 100.0 * best.rate
        sentence = (
            f"{intruder} re-identifies about {best.expected:.0f} of {best.n} records ({value:.1f} %), "
            f"{_ASKED[direction]}; guessing finds {best.chance:.0f}."
        )
        other = next((one for name, one in linked.items() if name != direction), None)
        if other is not None:
            sentence += f" The other way round it is {100.0 * other.rate:.1f} %."
        measurement = self.result(
            value,
            sentence + remarks,
            details={
                **details,
                **_figures(best),
                "direction": direction,
                "directions": {name: _figures(one) for name, one in linked.items()},
            },
        )
        return replace(measurement, found=dict(zip(DIRECTIONS, links, strict=False)))


def _figures(linked: Linked) -> Json:
    low, high = linked.interval()
    return {
        "percent": 100.0 * linked.rate,
        "expected": linked.expected,
        "optimistic": linked.optimistic,
        "pessimistic": linked.pessimistic,
        "n": linked.n,
        "chance_percent": 100.0 * linked.chance / linked.n,
        "interval_percent": [100.0 * low, 100.0 * high],
    }
