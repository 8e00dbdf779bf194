"""The release of every masker's every example, to the last cell: what changes here changes for every user.

``python -m tests.masking.test_releases_stay`` records what the present code gives; a commit that does so says why.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from tests.battery import SCHEMA, sample, with_nulls

from discreet import catalogue
from discreet.data.microdata import Microdata
from discreet.errors import DiscreetError

RECORDED = Path(__file__).with_name("releases.json")


def cases():
    """Every example as it is and, where the method has strata, within those of the battery's table."""
    for name, cls in catalogue.maskers().items():
        for place, example in enumerate(cls.examples()):
            masker = example.clone()
            if "random_state" in masker.get_params():
                masker.set_params(random_state=7)
            yield f"{name}-{place}", masker
            if "strata" in masker.get_params():
                yield f"{name}-{place}-strata", masker.clone().set_params(strata=["region"])


def tables():
    """The battery's table, and one in which a value of every kind is missing."""
    whole = sample(120, seed=11)
    gaps = whole
    for name, rows in (("income", [3, 50]), ("size", [4, 50, 51]), ("fuel", [5])):
        gaps = with_nulls(gaps, name, rows)
    return {"whole": Microdata(whole, SCHEMA), "gaps": Microdata(gaps, SCHEMA)}


def outcome(masker, table):
    """What came out, as a short text: a hash of all cells, and one of what the provenance says beside them."""
    try:
        masked = masker.clone().mask(table)
    except DiscreetError as error:
        return f"refused: {error.message}"
    cells = json.dumps(masked.microdata.to_arrow().to_pydict(), default=str)
    told = masked.provenance
    promises = json.dumps([[promise.sentence for promise in told.guarantees], told.attributes, told.removed])
    return f"{_short(cells)} of {len(masked)}; notes {_short(json.dumps(told.notes))}; promises {_short(promises)}"


def _short(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def record():
    found = {key: {kind: outcome(masker, table) for kind, table in tables().items()} for key, masker in cases()}
    RECORDED.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


@pytest.mark.parametrize(("key", "masker"), [pytest.param(key, masker, id=key) for key, masker in cases()])
def test_the_release_is_what_it_was(key, masker):
    expected = json.loads(RECORDED.read_text(encoding="utf-8"))[key]
    assert {kind: outcome(masker, table) for kind, table in tables().items()} == expected


if __name__ == "__main__":
    record()
