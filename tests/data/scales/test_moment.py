"""What dates and times share: read from any kind of column, and written as they came."""

from __future__ import annotations

from datetime import date

import numpy as np
import pyarrow as pa
import pytest

from discreet.data.scales import Date, DateTime
from discreet.errors import DataError, SchemaError

DAY = 12_544
"""The sixth of May 2004, in days since 1970."""
NOON = pa.array(np.array(["2004-05-06T12:00:00"], "datetime64[us]"))


@pytest.mark.parametrize(
    "column",
    [
        pa.array([date(2004, 5, 6), None]),
        pa.array([date(2004, 5, 6), None]).cast(pa.date64()),
        pa.array(np.array(["2004-05-06", "NaT"], "datetime64[us]")),
        pa.array(np.array(["2004-05-06", "NaT"], "datetime64[ns]")),
        pa.array(["2004-05-06", None]),
        pa.array(["06.05.2004", None], pa.large_string()),
        pa.array([20040506, None]),
        pa.array([20040506.0, None]),
    ],
)
def test_one_day_from_every_kind_of_column(column):
    encoded = Date().encode(column)
    assert encoded[0] == DAY
    assert np.isnan(encoded[1])
    assert encoded.dtype == np.float64


def test_columns_without_a_date():
    assert np.isnan(Date().encode(pa.nulls(2))).all()
    assert np.isnan(Date().encode(pa.array([None, None], pa.string()))).all()
    assert np.isnan(Date().encode(["0000-00-00"], missing=("0000-00-00",))).all()
    assert Date().encode(pa.array([], pa.string())).tolist() == []
    with pytest.raises(DataError, match="2 of 3 values are no dates"):
        Date().encode(pa.array([True, False, None]))


def test_what_cannot_be_read_is_refused_by_count():
    with pytest.raises(DataError, match=r"^1 of 4 values are no dates\.") as caught:
        Date().encode(["2004-05-06", "2004-05-07", "2004-05-06", "secret"])
    assert "secret" not in str(caught.value)
    with pytest.raises(DataError, match=r"^2 of 4 values are no dates in the format %d\.%m\.%Y\."):
        Date("%d.%m.%Y").encode(["06.05.2004", "2004-05-06", None, "secret"])
    with pytest.raises(DataError, match=r"^3 of 3 values are no datetimes\."):
        DateTime().encode(["x", "x", "y"])
    with pytest.raises(DataError, match="read in two ways") as caught:
        Date().encode(["01/02/2004", "03/04/2004"])
    assert '"%d/%m/%Y"' in str(caught.value)
    assert '"%m/%d/%Y"' in str(caught.value)
    with pytest.raises(DataError, match="years have two digits"):
        Date().encode(["31.12.04"])
    with pytest.raises(SchemaError, match="format must be text"):
        Date(5)


@pytest.mark.parametrize(
    ("column", "form"),
    [
        (pa.array(["06.05.2004", "17.05.2004"]), "%d.%m.%Y"),
        (pa.array([20040506, None]), "%Y%m%d"),
        (pa.array(["01/02/2004"]), None),  # in two ways
        (pa.array(["31.12.04"]), None),
        (pa.array(["x"]), None),
        (pa.array([date(2004, 5, 6)]), None),
    ],
)
def test_a_scale_is_completed_by_what_a_column_tells(column, form):
    assert Date().completed(column).format == form
    assert Date("%Y.%m.%d").completed(column).format == "%Y.%m.%d"
    assert Date(form) == Date()
    assert Date(form).to_dict() == ({} if form is None else {"format": form})


@pytest.mark.parametrize(
    "column",
    [
        pa.array([date(2004, 5, 6), None]),
        pa.array([date(2004, 5, 6), None]).cast(pa.date64()),
        pa.array(np.array(["2004-05-06", "NaT"], "datetime64[ns]")),
        pa.array(["06.05.2004", None]),
        pa.array([20040506, None], pa.int32()),
        pa.array([20040506.0, None]),
    ],
)
def test_what_is_written_is_what_was_read(column):
    scale = Date().completed(column)
    back = scale.written(scale.encode(column), column)
    assert back.type == column.type
    assert back.to_pylist() == column.to_pylist()
    later = scale.written(np.array([DAY + 1.0, np.nan]), column)
    assert scale.encode(later)[0] == DAY + 1


def test_time_zones_are_kept():
    zoned = NOON.cast(pa.timestamp("us", "UTC")).cast(pa.timestamp("us", "Europe/Zurich"))
    scale = DateTime()
    assert scale.written(scale.encode(zoned), zoned).equals(zoned)
    offset = pa.array(["2004-05-06T12:00:00+0200", "2004-05-06T13:00:00+0200"])
    assert scale.written(scale.encode(offset), offset).to_pylist() == offset.to_pylist()
    several = pa.array(["2004-05-06T12:00:00+0200", "2004-05-06T13:00:00+0100"])
    written = scale.written(scale.encode(several), several).to_pylist()
    assert written == ["2004-05-06T10:00:00+0000", "2004-05-06T12:00:00+0000"]


def test_what_lies_beyond_the_calendar_stays_at_its_ends():
    text = pa.array(["2004-05-06"])
    assert Date().written(np.array([-1e9, 1e9]), text).to_pylist() == ["0001-01-01", "9999-12-31"]
    fine = pa.array(np.array(["2004-05-06"], "datetime64[ns]"))
    low, high = Date().written(np.array([-1e9, 1e9]), fine).cast(pa.int64()).to_pylist()
    assert (low, high) == (-((2**63 - 1) // 1000 * 1000), (2**63 - 1) // 1000 * 1000)


def test_days_and_their_beginnings():
    scale = DateTime()
    encoded = scale.encode(NOON)
    assert scale.days(encoded).tolist() == [DAY]
    assert scale.of_days(np.array([float(DAY)])).tolist() == (encoded - 43_200 * 1_000_000 / scale.micros).tolist()
    assert np.isnan(scale.days(np.array([np.nan]))[0])
    assert Date().days(np.array([DAY + 0.0, -0.5])).tolist() == [DAY, -1]
    assert Date().of_days(np.array([3.0])).tolist() == [3]


def test_texts_without_a_format_are_written_plainly():
    empty = pa.array([None], pa.string())
    assert Date().written(np.array([float(DAY)]), empty).to_pylist() == ["2004-05-06"]
    assert DateTime().written(DateTime().encode(NOON), empty).to_pylist() == ["2004-05-06T12:00:00"]
