"""What was not masked comes out as it went in, and what is said to have changed is what changed."""

from __future__ import annotations

import pytest
from tests.promises import judge, releases, tables


def pairs(case, release, name):
    """Return the cells of a column before and after, record by record: a serial number tells who is who."""
    before = dict(zip(judge.column(release.before, "serial"), judge.column(release.before, name), strict=True))
    after = zip(judge.column(release.after, "serial"), judge.column(release.after, name), strict=True)
    return [(before[serial], cell) for serial, cell in after]


@pytest.mark.parametrize("case", releases.CASES)
def test_every_other_column_is_as_it_was(case):
    release = releases.released(case)
    if release.written is None:
        return
    touched = {*release.masked.provenance.changed, "hid"}
    for name in release.after[0]:
        if name not in touched:
            assert all(a == b for a, b in pairs(case, release, name)), name


@pytest.mark.parametrize("case", releases.CASES)
def test_identifiers_are_not_in_the_file(case):
    release = releases.released(case)
    if release.written is None:
        return
    header, rows = release.after
    secrets = {cell for name in ("person", "hid") if name in release.before[0]
               for cell in judge.column(release.before, name)}  # fmt: skip
    assert "person" not in header
    assert not secrets & {cell for row in rows for cell in row}
    assert {*header, "hid"} == {*release.before[0], "hid"} - {"person"}


@pytest.mark.parametrize("case", releases.CASES)
def test_the_number_of_changed_cells_is_told(case):
    """A missing cell may be written as another one: whether that is a change is left open, and nothing else is."""
    release = releases.released(case)
    if release.written is None:
        return
    missing = {"", *tables.READINGS[case.reading]}
    for name, told in release.masked.provenance.changed.items():
        if name not in release.after[0] or name in {"person", "hid"}:
            continue
        both = pairs(case, release, name)
        changed = sum(not judge.equal_cells(a, b) for a, b in both)
        rewritten = sum(not judge.equal_cells(a, b) and a in missing and b in missing for a, b in both)
        if len(both) < releases.N:
            continue  # records were left out: cells of theirs may have been changed before
        assert changed - rewritten <= told <= changed, name
