"""Records as machine words, coarse or fine, a field an attribute: what group-bys and joins work on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from discreet.kernels.linking.patterns import pack
from discreet.linkage.record_classes import Classes, Words, distinct_rows
from discreet.linkage.shared.agreement import Agreement
from discreet.typing import CodeArray, IntArray, LevelArray

__all__ = ["Layout", "PackedFiles", "class_table", "rows_of_classes"]


@dataclass(frozen=True, repr=False)
class Layout:
    """Where every attribute's field lies in a packed record, and what it holds at every level."""

    word: tuple[int, ...]
    shift: tuple[int, ...]
    width: tuple[int, ...]
    fields: tuple[tuple[IntArray, ...], ...]
    """By attribute and level (0 is none), the field of every code; the flag is its highest bit."""
    ups: tuple[tuple[IntArray, ...], ...]
    """By attribute and level from 1, the field one level up of every value of the field."""
    flags: Words

    @property
    def words(self) -> int:
        """The number of 64-bit words a record."""
        return self.flags.size

    @classmethod
    def of(cls, agreements: Sequence[Agreement]) -> Layout:
        """Lay the fields out, first come first served."""
        tables = [_fields(agreement) for agreement in agreements]
        widths = [(max(2, *(count for _, count in table)) - 1).bit_length() + 1 for table in tables]
        word, shift, bits_of_word = [], [], [0]
        for width in widths:
            at = next((w for w, bits in enumerate(bits_of_word) if bits + width <= 64), len(bits_of_word))
            if at == len(bits_of_word):
                bits_of_word.append(0)
            word.append(at)
            shift.append(bits_of_word[at])
            bits_of_word[at] += width
        flags = np.zeros(len(bits_of_word), dtype=np.uint64)
        fields, ups = [], []
        for table, width, w, s in zip(tables, widths, word, shift, strict=True):
            flag = 1 << (width - 1)
            flags[w] |= np.uint64(flag << s)
            by_level = [np.where(f < 0, flag | ~f, f) for f, _ in table]  # ~f undoes the mark of a flagged field
            fields.append(tuple(by_level))
            steps = []
            for coarse, fine in pairwise(by_level):
                up = np.zeros(1 << width, dtype=np.int64)
                up[fine] = coarse
                steps.append(up)
            ups.append(tuple(steps))
        return cls(tuple(word), tuple(shift), tuple(widths), tuple(fields), tuple(ups), flags)

    @property
    def levels(self) -> int:
        """The most levels of an attribute."""
        return max(len(fields) for fields in self.fields) - 1

    def at_every_level(self, codes: Sequence[LevelArray]) -> Words:
        """Return records packed at level 1, at level 2, … side by side; an attribute without the level stays empty."""
        parts = []
        for level in range(1, self.levels + 1):
            own = [level if level < len(fields) else 0 for fields in self.fields]
            parts.append(self.packed(codes, own))
        return np.ascontiguousarray(np.concatenate(parts, axis=1))

    def packed(self, codes: Sequence[LevelArray], levels: Sequence[int]) -> Words:
        """Return records packed at the given level of each attribute."""
        result = np.zeros((codes[0].size, self.words), dtype=np.uint64)
        for j, (column, level) in enumerate(zip(codes, levels, strict=True)):
            if level:
                pack(self.fields[j][level][column], self.word[j], self.shift[j], result)
        return result


def _fields(agreement: Agreement) -> list[tuple[IntArray, int]]:
    """Return by level the field of every code and their number; a code of class −1 has its field marked by ~.

    A marked field still tells apart what a coarser level needs to tell apart.
    """
    zero = np.zeros(agreement.size, dtype=np.int64)
    result = [(zero, 1)]
    finer: IntArray = zero
    for classes in agreement.classes:
        pairs = finer * (int(classes.max(initial=0)) + 2) + classes + 1
        _, finer = np.unique(pairs, return_inverse=True)
        finer = finer.astype(np.int64)
        result.append((np.where(classes < 0, ~finer, finer), int(finer.max(initial=0)) + 1))
    return result


@dataclass(frozen=True, repr=False)
class PackedFiles:
    """The distinct records of two files, packed once for counting and for every search.

    Attributes
    ----------
    agreements : tuple of Agreement
    layout : Layout
        Of the agreements.
    first, second : Classes
        The distinct records of A and of B.
    """

    agreements: tuple[Agreement, ...]
    layout: Layout
    first: Classes
    second: Classes

    @classmethod
    def of(
        cls,
        agreements: Sequence[Agreement],
        frequencies: tuple[IntArray | None, IntArray | None] = (None, None),
    ) -> PackedFiles:
        """Find the distinct records; `frequencies` say how many records every row of A and of B stands for."""
        layout = Layout.of(agreements)
        finest = [agreement.states - 1 for agreement in agreements]
        sides = ([agreement.a for agreement in agreements], [agreement.b for agreement in agreements])
        first, second = (
            distinct_rows(layout.packed(codes, finest)).standing_for(some)
            for codes, some in zip(sides, frequencies, strict=True)
        )
        return cls(tuple(agreements), layout, first, second)

    @cached_property
    def codes(self) -> tuple[list[LevelArray], list[LevelArray]]:
        """By attribute, the codes of the distinct records of A and of B."""
        return (
            [agreement.a[self.first.first] for agreement in self.agreements],
            [agreement.b[self.second.first] for agreement in self.agreements],
        )

    @cached_property
    def finest(self) -> tuple[Words, Words]:
        """The distinct records of A and of B packed at the finest level of every attribute."""
        levels = [agreement.states - 1 for agreement in self.agreements]
        return self.layout.packed(self.codes[0], levels), self.layout.packed(self.codes[1], levels)

    @cached_property
    def by_level(self) -> tuple[Words, Words]:
        """The same packed at level 1, at level 2, … side by side; an attribute without the level stays empty."""
        return self.layout.at_every_level(self.codes[0]), self.layout.at_every_level(self.codes[1])

    @cached_property
    def classes(self) -> tuple[LevelArray, LevelArray]:
        """The classes of the distinct records of A and of B, a row a level of an attribute; −1 agrees with nobody."""
        return class_table(self.agreements, self.codes[0]), class_table(self.agreements, self.codes[1])

    @cached_property
    def strides(self) -> CodeArray:
        """By level of an attribute, what agreeing on it adds to the position of a pattern."""
        shape = [agreement.states for agreement in self.agreements]
        strides = np.cumprod([1, *shape[:0:-1]])[::-1]
        return np.repeat(strides, [states - 1 for states in shape]).astype(np.int32)

    def swapped(self) -> PackedFiles:
        """Return the same with the files in each other's place, and what was packed already."""
        agreements = tuple(agreement.swapped() for agreement in self.agreements)
        back = PackedFiles(agreements, self.layout, self.second, self.first)
        for name in ("codes", "finest", "by_level", "classes"):
            if name in self.__dict__:
                back.__dict__[name] = self.__dict__[name][::-1]
        return back


def class_table(agreements: Sequence[Agreement], codes: Sequence[LevelArray]) -> LevelArray:
    """Return the classes of some records, a row a level of an attribute, in as few bytes as they need."""
    levels = [classes for agreement in agreements for classes in agreement.classes]
    most = max(int(classes.max(initial=0)) for classes in levels)
    kind = next(kind for kind in (np.int8, np.int16, np.int32) if most <= np.iinfo(kind).max)
    table = np.empty((len(levels), codes[0].size), dtype=kind)
    columns = (column for agreement, column in zip(agreements, codes, strict=True) for _ in agreement.classes)
    for row, classes, column in zip(table, levels, columns, strict=True):
        row[:] = classes[column]
    return table


def rows_of_classes(classes: LevelArray) -> LevelArray:
    """Return classes with a row a record, to be compared: who agrees with nobody is then not like another such."""
    return np.ascontiguousarray(np.where(classes < 0, classes.dtype.type(-2), classes).T)
