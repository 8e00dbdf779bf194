from __future__ import annotations

from tests.battery import microdata

from discreet.masking.withholding.record_order import RecordOrder


def test_order_is_a_permutation_that_no_record_shows():
    data = microdata(100)
    masked = RecordOrder(random_state=1).mask(data)
    assert sorted(masked.provenance.rows.tolist()) == list(range(100))
    assert masked.provenance.rows.tolist() != list(range(100))
    assert masked.microdata.encoded("wealth").tolist() == data.encoded("wealth")[masked.provenance.rows].tolist()
    assert str(masked.provenance.rows[0]) not in str(masked.provenance.to_dict()["details"])
    assert masked.provenance.details["records_dropped"] == 0
    assert len(masked) == 100
