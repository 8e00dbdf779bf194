"""Scales: what a value is. Order, distance, encoding; never an average."""

from __future__ import annotations

from discreet.data.scales.date import Date
from discreet.data.scales.date_time import DateTime
from discreet.data.scales.gap_flag import GapFlag
from discreet.data.scales.item_set import ItemSet
from discreet.data.scales.moment import Moment
from discreet.data.scales.nominal import Nominal
from discreet.data.scales.numeric import Numeric
from discreet.data.scales.ordinal import Ordinal
from discreet.data.scales.query_log import QueryLog
from discreet.data.scales.scale import Categorical, Scale
from discreet.data.scales.semantics import IntervalSemantics, Negation
from discreet.data.scales.sequence import EncodedSequences, Sequence
from discreet.data.scales.succession import Succession
from discreet.data.scales.time_series import TimeSeries
from discreet.data.scales.trajectory import Trajectory
from discreet.errors import SchemaError
from discreet.registry import unknown_name
from discreet.typing import Json

__all__ = [
    "SCALES",
    "Categorical",
    "Date",
    "DateTime",
    "EncodedSequences",
    "GapFlag",
    "IntervalSemantics",
    "ItemSet",
    "Moment",
    "Negation",
    "Nominal",
    "Numeric",
    "Ordinal",
    "QueryLog",
    "Scale",
    "Sequence",
    "Succession",
    "TimeSeries",
    "Trajectory",
    "scale_from_dict",
]

SCALES: dict[str, type[Scale]] = {
    scale.name: scale
    for scale in (Numeric, Ordinal, Nominal, Sequence, ItemSet, TimeSeries, Trajectory, QueryLog, Date, DateTime)
}


def scale_from_dict(kind: str, fields: Json) -> Scale:
    """Make the scale called `kind` from the fields that its ``to_dict`` gave."""
    if kind not in SCALES:
        raise unknown_name("scale", kind, SCALES, error=SchemaError)
    try:
        return SCALES[kind].from_dict(fields)
    except KeyError as error:
        raise SchemaError(f"A scale named {kind!r} needs the field {error.args[0]!r}.") from None
