"""A hierarchy: every level has a chain of ever broader names."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

from discreet.data.microdata import Microdata
from discreet.errors import FileError, ParameterError, door, wrong_type
from discreet.masking.recoding import hierarchy_steps as steps_of
from discreet.masking.recoding.hierarchy_text import ENDINGS, hierarchy_text, read_rows
from discreet.parameters import AnyOf, ByName, Instance, Text
from discreet.typing import Level

__all__ = ["Hierarchy", "HierarchyByName", "read_hierarchy"]

_EXAMPLE = 'Hierarchy([["gas", "fossil"], ["oil", "fossil"]])'


class Hierarchy:
    """A level's names from the finest to the broadest, one row a level.

    Parameters
    ----------
    rows : iterable of sequence of str
        Each row begins with a level of the data and goes on with its broader names; all rows are equally long. A
        repeated row counts once.
    missing : sequence of str
        The missing codes that a recode file of μ-Argus names; kept for writing one, and not used otherwise.

    Raises
    ------
    ParameterError
        Rows of different lengths; a level with two different rows; a name whose broader names differ between rows. The
        message counts them, and says in which row the first stands.

    Examples
    --------
    >>> fuels = Hierarchy([["gas", "fossil", "any"], ["oil", "fossil", "any"], ["sun", "renewable", "any"]])
    >>> fuels.height
    2
    >>> fuels.targets(["gas", "sun"], 1)
    ['fossil', 'renewable']
    """

    def __init__(self, rows: Iterable[Sequence[Level]], missing: Sequence[str] = ()) -> None:
        if isinstance(rows, str) or not isinstance(rows, Iterable):
            raise wrong_type("Hierarchy", "rows must be a list of rows", rows, _EXAMPLE)
        numbered: dict[tuple[str, ...], int] = {}
        for number, row in enumerate(rows, 1):
            if isinstance(row, str) or not isinstance(row, Sequence):
                raise wrong_type("Hierarchy", "every row must be a list of names", row, _EXAMPLE)
            numbered.setdefault(tuple(str(name) for name in row), number)
        texts = list(numbered)
        width = Counter(len(row) for row in texts).most_common(1)[0][0] if texts else 0
        odd = next((numbered[row] for row in texts if len(row) != width or width < 2), 0)
        if odd or not texts:
            where = f" Row {odd} is not." if odd and len(texts) > 1 else ""
            raise ParameterError(
                f"Hierarchy: the {len(texts)} rows must be equally long, a level and at least one broader name.{where}",
                hint="Repeat the broadest name where a chain is shorter.",
            )
        times = Counter(row[0] for row in texts)
        ambiguous = [row for row in texts if times[row[0]] > 1]
        if ambiguous:
            different = len({row[0] for row in ambiguous})
            raise ParameterError(
                f"Hierarchy: {different} levels have two different rows, the first in row {numbered[ambiguous[0]]}."
            )
        for step in range(1, width - 1):
            above: dict[str, str] = {}
            torn: dict[str, int] = {}
            for row in texts:
                if above.setdefault(row[step], row[step + 1]) != row[step + 1]:
                    torn.setdefault(row[step], numbered[row])
            if torn:
                raise ParameterError(
                    f"Hierarchy: {len(torn)} names of step {step} belong to two different broader names, the first in "
                    f"row {min(torn.values())}.",
                    hint="A name has one name above it; give its parts different names, or one above.",
                )
        _refuse_circles(texts, numbered)
        self.rows: dict[str, tuple[str, ...]] = {row[0]: row for row in texts}
        self.missing = tuple(missing)

    # ---------------------------------------------------------------------------------------------------- builders

    @classmethod
    @door
    def from_intervals(cls, numbers: Iterable[float], steps: Sequence[Any], top: str | None = "*") -> Hierarchy:
        """Put numbers into bands, and these into broader ones.

        Parameters
        ----------
        numbers : iterable of float
            What the column may hold, a row each.
        steps : sequence
            For each step a width (5), breaks ([0, 15, 30, "75+"]), or text as :class:`Banding` takes it.
        top : str, optional
            The name of all; None: the last step is the broadest.

        Examples
        --------
        >>> Hierarchy.from_intervals(range(100), [5, 20, [0, 60, "60+"]]).rows["42"]
        ('42', '40–44', '40–59', '0–59', '*')
        """
        return cls(_topped(steps_of.interval_rows(numbers, steps), top))

    @classmethod
    @door
    def from_order(cls, levels: Iterable[Level], sizes: Sequence[int], top: str | None = "*") -> Hierarchy:
        """Join neighbours of an ordered scale: at each step so many of its levels, counted from the lowest.

        Examples
        --------
        >>> Hierarchy.from_order(["xs", "s", "m", "l", "xl"], [2, 4]).rows["m"]
        ('m', 'm–l', 'xs–l', '*')
        """
        return cls(_topped(steps_of.order_rows(levels, sizes), top))

    @classmethod
    @door
    def from_prefix(
        cls, codes: Iterable[Level], digits: Sequence[int] | None = None, *, mask: str = "*", width: int | None = None,
        from_left: bool = False, top: str | None = "*",
    ) -> Hierarchy:  # fmt: skip
        """Redact codes from their end, or cut them where `mask` is empty.

        Parameters
        ----------
        codes : iterable
        digits : sequence of int, optional
            How many characters are kept at each step, descending; by default one fewer each time.
        mask : str
            What stands for a character that is not kept; nothing: codes are cut.
        width : int, optional
            How many digits a code has: zeros that a spreadsheet took away are put back.
        from_left : bool
            Whether the first characters go, and not the last.

        Examples
        --------
        >>> Hierarchy.from_prefix(["81667", "81675", "50667"], [3, 2]).rows["81667"]
        ('81667', '816**', '81***', '*')
        """
        return cls(_topped(steps_of.prefix_rows(codes, digits, mask, width, from_left=from_left), top))

    @classmethod
    @door
    def from_frequency(
        cls, counts: Mapping[Level, float], min_counts: Sequence[int], category: str = "other", top: str | None = "*"
    ) -> Hierarchy:
        """Join the levels that fewer records have than each step asks for.

        Rows keep the order of `counts`, and no number is in them. Whoever sees the hierarchy learns at which step a
        level is joined, and so between which of `min_counts` its number of records lies.

        Examples
        --------
        >>> Hierarchy.from_frequency({"gas": 90, "oil": 40, "sun": 3, "wood": 4}, [5, 50]).rows["oil"]
        ('oil', 'oil', 'other', '*')
        """
        return cls(_topped(steps_of.frequency_rows(counts, min_counts, category), top))

    @classmethod
    @door
    def from_cooccurrence(
        cls, data: Microdata, column: str, groups: Sequence[int], beside: Sequence[str] | None = None,
        top: str | None = "*",
    ) -> Hierarchy:  # fmt: skip
        """Join levels that occur with the same values of other attributes.

        Parameters
        ----------
        data : Microdata
        column : str
            A categorical attribute.
        groups : sequence of int
            How many groups are left at each step, descending.
        beside : list of str, optional
            The attributes that levels are compared by; by default every other key. Numbers count by their eighths.

        Notes
        -----
        At every turn the two groups are joined that lose least of the information about the other attributes
        (agglomerative information bottleneck, Slonim and Tishby 1999); ties go to the levels declared first. O(L³)
        at most, for L levels.
        """
        return cls(_topped(steps_of.cooccurrence_rows(data, column, groups, beside), top))

    @classmethod
    @door
    def from_dates(
        cls, dates: Iterable[str | date], units: Sequence[str] = ("month", "quarter", "year"), top: str | None = "*"
    ) -> Hierarchy:
        """Put days into months, quarters, years or decades, from the finest on.

        Examples
        --------
        >>> Hierarchy.from_dates(["2020-05-17"], ["month", "year", "decade"]).rows["2020-05-17"]
        ('2020-05-17', '2020-05', '2020', '2020s', '*')
        """
        return cls(_topped(steps_of.date_rows(dates, units), top))

    # ------------------------------------------------------------------------------------------------------- files

    @classmethod
    @door
    def load(cls, path: str | os.PathLike[str], levels: Iterable[Level] | None = None) -> Hierarchy:
        """Read a hierarchy from a file.

        Parameters
        ----------
        path : path
            Text with one row a level, fields separated by semicolons (as ARX has it), commas or tabs; ``.grc``, a
            recode file of μ-Argus, whose codes that are not mentioned stay as they are; ``.toml`` with `rows`.
        levels : iterable, optional
            What a column holds: ranges of a recode file say no more than from where to where.
        """
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            raise FileError(f"The hierarchy file {str(path)!r} does not exist.") from None
        except (OSError, UnicodeDecodeError):
            raise FileError(f"The hierarchy file {str(path)!r} cannot be read as UTF-8 text.") from None
        return cls(*read_rows(text, Path(path).suffix.lower(), levels))

    def to_text(self, ending: str = ".csv", step: int = 1) -> str:
        """Return the hierarchy as a file holds it: ``.csv`` as ARX reads it, ``.toml``, or ``.grc`` of one step."""
        if ending == ".grc" and not 1 <= step <= self.height:
            raise ParameterError(f"Hierarchy: step must be between 1 and {self.height}; got {step}.")
        return hierarchy_text(list(self.rows.values()), ending, step, self.missing)

    @door
    def write(self, path: str | os.PathLike[str], *, step: int = 1) -> None:
        """Write a new file, by the ending of its name: ``.csv``, ``.toml`` or ``.grc``; never over one that is there.

        Parameters
        ----------
        path : path
        step : int
            The step that a recode file of μ-Argus, which has one, is for.
        """
        text = self.to_text(Path(path).suffix.lower(), step)
        try:
            with Path(path).open("x", encoding="utf-8", newline="") as file:
                file.write(text)
        except FileExistsError:
            raise FileError(f"{str(path)!r} exists already.", hint="Write to another file.") from None
        except OSError:
            raise FileError(f"{str(path)!r} cannot be written.", hint="Check the folder and its permissions.") from None

    # ------------------------------------------------------------------------------------------------------ asking

    @property
    def height(self) -> int:
        """How many steps there are above the levels."""
        return len(next(iter(self.rows.values()))) - 1

    @property
    def cyclic(self) -> int:
        """How many rows come back to a name that they have left."""
        count = 0
        for row in self.rows.values():
            runs = [row[0], *(after for before, after in pairwise(row) if after != before)]
            count += len(set(runs)) < len(runs)
        return count

    def targets(self, levels: Iterable[Level], step: int) -> list[str]:
        """Return the name of every level at a step; raise and count where levels have no row."""
        texts = [str(level) for level in levels]
        absent = sum(level not in self.rows for level in texts)
        if absent:
            raise ParameterError(
                f"Hierarchy: {absent} of {len(texts)} levels have no row.", hint="Add a row for each level."
            )
        return [self.rows[level][step] for level in texts]

    def __repr__(self) -> str:
        return f"Hierarchy({len(self.rows)} levels, {self.height} steps)"


def _topped(rows: Iterable[tuple[str, ...]], top: str | None) -> list[tuple[str, ...]]:
    return [row if top is None else (*row, top) for row in rows]


@door
def read_hierarchy(path: str | os.PathLike[str], levels: Iterable[Level] | None = None) -> Hierarchy:
    """Read a hierarchy: ARX's CSV, a recode file of μ-Argus (``.grc``), or our TOML.

    Parameters
    ----------
    path : path
    levels : iterable, optional
        What the column holds, for a recode file with open ranges.

    See Also
    --------
    Hierarchy.load
    """
    if not isinstance(path, (str, os.PathLike)):
        raise wrong_type("read_hierarchy", "path must be the path of a file", path, f"Endings: {', '.join(ENDINGS)}.")
    if levels is not None and (isinstance(levels, str) or not isinstance(levels, Iterable)):
        raise wrong_type("read_hierarchy", "levels must be a list of levels", levels)
    return Hierarchy.load(path, levels)


def _refuse_circles(rows: Sequence[tuple[str, ...]], numbered: Mapping[tuple[str, ...], int]) -> None:
    """Refuse a broader name that something narrower bears which it does not hold: W under N, while N is under north.

    Numbers are left alone: recode files count new codes from 1 on, whatever the old ones were.
    """
    for step in range(1, len(rows[0])):
        broader = {row[step] for row in rows if not row[step].strip().lstrip("-").isdigit()}
        strangers = [row for row in rows if any(name in broader and name != row[step] for name in row[:step])]
        if strangers:
            raise ParameterError(
                f"Hierarchy: broader names of step {step} are also those of narrower levels that they do not hold, in "
                f"{len(strangers)} rows, the first row {numbered[strangers[0]]}.",
                hint="A tree has no circles: give the broader name a word of its own.",
            )


class HierarchyByName(ByName):
    """A hierarchy for each of some attributes: as an object, as the text file that holds it, or as rows in a protocol.

    Examples
    --------
    >>> HierarchyByName().read({"fuel": [["gas", "fossil"], ["oil", "fossil"]], "town": "t.csv"}, "/survey")
    {'fuel': Hierarchy(2 levels, 1 steps), 'town': '/survey/t.csv'}
    """

    def __init__(self) -> None:
        super().__init__(
            AnyOf(Instance(Hierarchy, "a Hierarchy"), Text("the path of a text file"), Instance(os.PathLike, "a path"))
        )

    def parse(self, text: str) -> dict[str, Any]:
        # Entries are told apart by semicolons, as everywhere, or by commas where a name and = follow.
        return super().parse(text if ";" in text else re.sub(r",(?=[^,=;]+=)", ";", text))

    def read(self, value: Any, folder: str | os.PathLike[str] | None = None) -> Any:
        if not isinstance(value, Mapping):
            return super().read(value, folder)
        return {name: _beside(one, folder or ".") for name, one in value.items()}


def _beside(source: Any, folder: str | os.PathLike[str]) -> Any:
    if isinstance(source, (str, os.PathLike)):
        return str(Path(folder) / source)
    return Hierarchy(source) if isinstance(source, list) else source
