"""Records as machine words: fields, levels, flags and positions."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.linkage.shared.agreement import equality, nested
from discreet.linkage.shared.packed_records import Layout, PackedFiles, class_table, rows_of_classes

A, B = np.array([0, 1, 2, 3, -1]), np.array([3, 0, -1])
COARSE = nested("x", A, B, [np.array([0, 0, 1, 1])], "disagree")
PLAIN = equality("y", np.array([1, 1, 0, 1, 0]), np.array([0, 1, 1]))


def test_fields_lie_side_by_side_with_a_flag_each() -> None:
    layout = Layout.of([COARSE, PLAIN])
    # Five codes need three bits, two codes one; and a flag.
    assert (layout.width, layout.shift, layout.word) == ((4, 2), (0, 4), (0, 0))
    assert layout.flags.tolist() == [(1 << 3) | (1 << 5)]
    assert (layout.words, layout.levels) == (1, 2)


@pytest.mark.parametrize(("sizes", "words", "shifts"), [
    ([2**20] * 3, (0, 0, 0), (0, 21, 42)),
    ([2**20] * 4, (0, 0, 0, 1), (0, 21, 42, 0)),
    # A narrow field goes where there is room left.
    ([2**40, 2**30, 2**22], (0, 1, 0), (0, 0, 41)),
    ([2**40, 2**30, 2**23], (0, 1, 1), (0, 0, 31)),
])  # fmt: skip
def test_fields_are_put_where_they_fit_first(sizes, words, shifts, monkeypatch) -> None:
    zero = np.zeros(1, dtype=np.int64)
    tables = {size: [(zero, 1), (zero, size)] for size in sizes}
    monkeypatch.setattr("discreet.linkage.shared.packed_records._fields", lambda size: tables[size])
    monkeypatch.setattr("discreet.linkage.shared.packed_records.pairwise", lambda _: [])
    layout = Layout.of(sizes)
    assert (layout.word, layout.shift) == (words, shifts)
    assert layout.words == max(words) + 1


def equal_fields(layout, j, level, codes):
    """Return which codes have equal fields without a flag."""
    fields, flag = layout.fields[j][level], 1 << (layout.width[j] - 1)
    return [[fields[a] == fields[b] and not fields[a] & flag for b in codes] for a in codes]


@pytest.mark.parametrize("missing", ["ignore", "disagree", "agree"])
def test_codes_have_equal_fields_where_they_agree(missing) -> None:
    one = nested("x", A, B, [np.array([0, 0, 1, 1])], missing)
    layout = Layout.of([one])
    codes = range(one.size)
    for level, classes in enumerate(one.classes, start=1):
        expected = [[classes[a] == classes[b] >= 0 for b in codes] for a in codes]
        assert equal_fields(layout, 0, level, codes) == expected
    assert layout.fields[0][0].tolist() == [0] * one.size
    # One level up of every field is the field of the level above.
    for level, up in enumerate(layout.ups[0]):
        assert up[layout.fields[0][level + 1]].tolist() == layout.fields[0][level].tolist()


def test_records_are_packed_at_the_levels_asked_for() -> None:
    layout = Layout.of([COARSE, PLAIN])
    codes = [COARSE.a, PLAIN.a]
    fields = layout.fields
    for levels in ((0, 0), (1, 0), (2, 1), (0, 1)):
        expected = [
            sum(int(fields[j][level][codes[j][i]]) << layout.shift[j] for j, level in enumerate(levels) if level)
            for i in range(5)
        ]
        assert layout.packed(codes, levels).ravel().tolist() == expected
    both = layout.at_every_level(codes)
    assert both[:, 0].tolist() == layout.packed(codes, (1, 1)).ravel().tolist()
    assert both[:, 1].tolist() == layout.packed(codes, (2, 0)).ravel().tolist()


def test_classes_and_strides_by_level() -> None:
    files = PackedFiles.of([COARSE, PLAIN])
    first, second = files.classes
    assert first.tolist() == [[0, 0, 1, 1, -1], [0, 1, 2, 3, -1], [1, 1, 0, 1, 0]]
    assert second.tolist() == [[1, 0, -1], [3, 0, -1], [0, 1, 1]]
    assert rows_of_classes(second).tolist() == [[1, 3, 0], [0, 0, 1], [-2, -2, 1]]
    # Two levels of x are worth a row of two patterns of y each.
    assert files.strides.tolist() == [2, 2, 1]
    three = PackedFiles.of([COARSE, COARSE, PLAIN])
    assert three.strides.tolist() == [6, 6, 2, 2, 1]
    assert files.first.first.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("most", "kind"), [(127, np.int8), (128, np.int16), (32_767, np.int16), (32_768, np.int32)])
def test_classes_take_as_few_bytes_as_they_need(most, kind) -> None:
    one = equality("v", np.array([most, 0]), np.array([0]))
    found = class_table([one], [one.a])
    assert found.dtype == kind
    assert found.tolist() == [[most, 0]]


def test_distinct_records_stand_for_several() -> None:
    one = equality("v", np.array([1, 0, 1]), np.array([0, 0]))
    files = PackedFiles.of([one])
    assert (files.first.size.tolist(), files.second.size.tolist()) == ([2, 1], [2])
    assert [codes.tolist() for side in files.codes for codes in side] == [[1, 0], [0]]
    often = PackedFiles.of([one], (np.array([1, 2, 3]), np.array([4, 5])))
    assert (often.first.size.tolist(), often.second.size.tolist()) == ([4, 2], [9])


def test_swapped_files_are_packed_no_second_time() -> None:
    files = PackedFiles.of([COARSE, PLAIN])
    kept = {name: getattr(files, name) for name in ("codes", "finest", "by_level", "classes")}
    back = files.swapped()
    for name, (first, second) in kept.items():
        assert back.__dict__[name][0] is second, name
        assert back.__dict__[name][1] is first, name
    assert back.first is files.second
    assert back.second is files.first
    assert [one.a.tolist() for one in back.agreements] == [COARSE.b.tolist(), PLAIN.b.tolist()]
    fresh = PackedFiles.of([COARSE, PLAIN]).swapped()
    assert not {"codes", "finest", "by_level", "classes"} & set(fresh.__dict__)
