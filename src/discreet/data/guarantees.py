"""What a release promises about records that look alike, and how that is counted on the release itself.

A method states its promise when it masks; the promise is counted again on the written file before the file is put in
place. What is counted is what stands in the file: whatever is told apart there is told apart in the count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from discreet.data.promised_rules import PromisedRule, RuleCount
from discreet.data.scales.scale import as_arrow, hide_missing
from discreet.errors import BrokenGuaranteeError
from discreet.typing import Json, Level

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Guarantee", "Recount", "Tally", "absent_cells", "all_hold", "recount_of", "require", "still_true"]

_COUNT, _CLASS, _PLACE = "#records", "#class", "#place"
_DEFECT = (
    "Nothing was put in place. This is a defect in Discreet, or the table was changed after it was masked; please "
    "report it."
)


@dataclass(frozen=True)
class Guarantee:
    """At least `k` records share every combination of some attributes.

    Attributes
    ----------
    method : str
        Who promises it.
    attributes : tuple of str
        Whose combinations are shared.
    k : int
    strata : tuple of str
        Attributes within whose combinations it holds.
    l, sensitive : int and str, optional
        Every class also holds at least `l` different values of `sensitive`.
    wildcard : bool
        Whether a missing value of `attributes` matches every value; otherwise it is a value of its own.
    unit : str, optional
        Where units such as households share, and not single records: what says who belongs together. Where it is not
        released, records are counted, of which every unit has at least one.
    risk, weight : float and str, optional
        No record's individual risk is above `risk`, counted with the survey weights of that name; `k` is then 1.
    missing : dict of str to tuple
        The declared missing codes of `attributes`, `sensitive` and `unit`, for those who read them as missing.
    rule : PromisedRule, optional
        What classes keep besides their size; `k` is then 1.

    Examples
    --------
    >>> Guarantee("mdav", ("age", "wage"), 5).sentence
    'Every record shares its age, wage with at least 4 others; a missing value counts as a value of its own.'
    """

    method: str
    attributes: tuple[str, ...]
    k: int
    strata: tuple[str, ...] = ()
    l: int | None = None  # noqa: E741 - the letter of l-diversity
    sensitive: str | None = None
    wildcard: bool = False
    unit: str | None = None
    risk: float | None = None
    weight: str | None = None
    missing: Mapping[str, tuple[Level, ...]] = field(default_factory=dict)
    rule: PromisedRule | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that it speaks of."""
        more = (name for name in (self.sensitive, self.unit, self.weight) if name is not None)
        return tuple(dict.fromkeys((*self.strata, *self.attributes, *more)))

    @property
    def sentence(self) -> str:
        """What is promised, in words."""
        if self.rule is not None:
            return self.rule.sentence(", ".join(self.attributes), self.sensitive)
        others = f"at least {self.k - 1} other{'' if self.k == 2 else 's'}"
        if self.unit is not None:
            others = f"at least {self.k - 1} other unit{'' if self.k == 2 else 's'} of {self.unit}"
        inside = f" within its {', '.join(self.strata)}" if self.strata else ""
        diverse = f", who have at least {self.l} different values of {self.sensitive}" if self.l is not None else ""
        reading = "matches every value" if self.wildcard else "counts as a value of its own"
        shared = ", ".join(self.attributes)
        if self.risk is not None:
            whose = f"unit of {self.unit}" if self.unit is not None else "record"
            return (
                f"No {whose} has an individual risk above {self.risk:g} by its {shared}{inside}, counted with the "
                f"weights {self.weight}; a missing value {reading}."
            )
        return f"Every record shares its {shared} with {others}{inside}{diverse}; a missing value {reading}."

    @property
    def subject(self) -> str:
        """What is promised, in a few words."""
        if self.rule is not None:
            return f"the rule “{self.rule.kind}”"
        return f"groups of {self.k}" if self.risk is None else f"individual risks of at most {self.risk:g}"

    def to_dict(self) -> Json:
        """Return the promise as JSON values."""
        if self.rule is not None:
            about: Json = {"attributes": list(self.attributes), "rule": self.rule.kind, "sentence": self.sentence}
            return about | ({"sensitive": self.sensitive} if self.sensitive is not None else {})
        fields: Json = {"attributes": list(self.attributes), "k": self.k, "sentence": self.sentence}
        fields |= {"strata": list(self.strata)} if self.strata else {}
        fields |= {"l": self.l, "sensitive": self.sensitive} if self.l is not None else {}
        fields |= {"unit": self.unit} if self.unit is not None else {}
        fields |= {"risk": self.risk, "weight": self.weight} if self.risk is not None else {}
        return fields | {"missing": "wildcard" if self.wildcard else "category"}


class Tally(NamedTuple):
    """What a count found: the smallest class, and how many records fall short of the promise.

    Where a missing value matches everything and no record falls short, `smallest` is only known to be enough.
    """

    smallest: int
    short: int


class Recount:
    """A promise counted again on tables that are handed over one after the other.

    Classes are known by a hash of 64 bits, which is far faster than comparing text and lets memory hold two numbers a
    class; that two of a million classes share one has a chance of 1 in 10 million, and hides nothing unless one of them
    is too small. Where a missing value matches everything, classes are kept as they are.
    """

    def __init__(self, guarantee: Guarantee) -> None:
        self.guarantee = guarantee
        self._table: pl.DataFrame | None = None
        self._keys: list[str] = []
        self._more: list[str] = []
        rule = guarantee.rule
        self._rule = (
            None if rule is None else RuleCount(rule, guarantee.attributes, guarantee.sensitive, guarantee.missing)
        )

    def add(self, frame: pl.DataFrame, *, quoted: bool = False) -> None:
        """Count the records of a table; columns that are not in it were not released, and tell nobody apart.

        Parameters
        ----------
        quoted : bool
            Whether cells are the text of JSON values.
        """
        import polars as pl

        if self._rule is not None:
            self._rule.add(frame, quoted=quoted)
            return
        promise = self.guarantee
        names = [name for name in dict.fromkeys((*promise.strata, *promise.attributes)) if name in frame.columns]
        more = [name for name in (promise.sensitive, promise.unit) if name is not None and name in frame.columns]
        if not names or not frame.height:
            return
        if promise.wildcard:
            part, keys = frame.select(*names, *more), names
        else:
            part, keys = frame.select(*more, frame.select(names).hash_rows(seed=0).alias(_CLASS)), [_CLASS]
        part = part.group_by([*keys, *more]).agg(pl.len().cast(pl.Int64).alias(_COUNT))
        if self._table is not None:
            both = pl.concat([self._table, part.select(self._table.columns)], how="vertical_relaxed")
            part = both.group_by([*keys, *more]).agg(pl.col(_COUNT).sum())
        self._table, self._keys, self._more = part, keys, more

    def tally(self) -> Tally | None:
        """Return what was found; None where nothing of what the promise speaks of was released."""
        import polars as pl

        if self._rule is not None:
            counted = self._rule.short()
            return None if counted is None else Tally(*counted)
        if self._table is None:
            return None
        promise, table = self.guarantee, self._table
        records = pl.col(_COUNT).sum()
        others = records
        if promise.unit in self._more:
            # Members of a unit are counted once; a record without a unit is one of its own.
            unit = str(promise.unit)
            table = table.with_columns(absent_cells(table, unit, promise.missing.get(unit, ())).alias("#alone"))
            homes = pl.col(unit).filter(~pl.col("#alone")).n_unique().cast(pl.Int64)
            others = homes + pl.col(_COUNT).filter(pl.col("#alone")).sum()
        sensitive = promise.sensitive if promise.sensitive in self._more else None
        values = [pl.col(sensitive).n_unique().alias("#values")] if sensitive else []
        classes = table.group_by(self._keys).agg(records.alias("#rows"), others.alias("#others"), *values)
        if promise.wildcard:
            classes = _matches(classes, self._keys, promise, table if sensitive else None)
        falls = pl.col("#others") < promise.k
        if sensitive and promise.l is not None:
            falls = falls | (pl.col("#values") < promise.l)
        return Tally(int(classes["#others"].min() or 0), int(classes.filter(falls)["#rows"].sum()))  # type: ignore[arg-type]


def absent_cells(table: pl.DataFrame, name: str, codes: tuple[Level, ...]) -> pl.Series:
    """Say of every cell whether it is missing: empty, or one of the declared codes."""
    import polars as pl

    hidden = hide_missing(as_arrow(table[name].to_arrow()), codes)
    absent = pl.Series(name, hidden.is_null())
    return absent | (table[name] == "").fill_null(False) if table[name].dtype == pl.String else absent


def _matches(classes: pl.DataFrame, names: list[str], promise: Guarantee, records: pl.DataFrame | None) -> pl.DataFrame:
    """Count for every class the others that it matches, a missing value matching everything.

    Classes are taken by what they lack; two kinds are compared on what neither lacks, the most frequent first, and a
    class that has found enough is compared no further. O(classes × kinds) as a rule, × kinds² at worst.
    """
    import polars as pl

    free = [name for name in names if name in promise.attributes]
    lacks = {name: absent_cells(classes, name, promise.missing.get(name, ())) for name in free}
    table = classes.with_columns(series.alias(f"#lacks {name}") for name, series in lacks.items())
    table = table.rename({"#others": "#own"}).with_columns(pl.lit(0, pl.Int64).alias("#others")).with_row_index(_PLACE)
    kinds = [
        ({name for name, absent in zip(free, flags, strict=True) if absent}, part)
        for flags, part in table.group_by([f"#lacks {name}" for name in free], maintain_order=True)
    ]
    kinds.sort(key=lambda kind: -int(kind[1]["#own"].sum()))
    counted = []
    for lacking, part in kinds:
        waiting, sightings = part, []
        for absent, other in kinds:
            shared = [name for name in names if name not in lacking | absent]
            if shared:
                sums = other.group_by(shared).agg(pl.col("#own").sum().alias("#sum"))
                joined = waiting.join(sums, on=shared, how="left", nulls_equal=True)
                waiting = joined.with_columns(pl.col("#others") + pl.col("#sum").fill_null(0)).drop("#sum")
            else:
                waiting = waiting.with_columns(pl.col("#others") + int(other["#own"].sum()))
            if records is not None:
                sightings.append(_values_of_matches(part, other, shared, names, promise, records))
                continue
            counted.append(waiting.filter(pl.col("#others") >= promise.k).select(_PLACE, "#rows", "#others"))
            waiting = waiting.filter(pl.col("#others") < promise.k)
            if not waiting.height:
                break
        counts = waiting.select(_PLACE, "#rows", "#others")
        if records is not None:
            different = pl.concat(sightings).group_by(_PLACE).agg(pl.col("#value").n_unique().alias("#values"))
            counts = counts.join(different, on=_PLACE, how="left")
        counted.append(counts)
    return pl.concat(counted)


def _values_of_matches(
    part: pl.DataFrame,
    other: pl.DataFrame,
    shared: list[str],
    names: list[str],
    promise: Guarantee,
    records: pl.DataFrame,
) -> pl.DataFrame:
    """Return by class the sensitive values of those that it matches."""
    import polars as pl

    inside = records.join(other.select(names), on=names, how="semi", nulls_equal=True)
    values = inside.select(*shared, pl.col(str(promise.sensitive)).alias("#value")).unique()
    places = part.select(_PLACE, *shared)
    if not shared:
        return places.join(values, how="cross").select(_PLACE, "#value")
    return places.join(values, on=shared, how="inner", nulls_equal=True).select(_PLACE, "#value")


def recount_of(promise: Guarantee) -> Recount:
    """Return what counts a promise again."""
    if promise.risk is None:
        return Recount(promise)
    from discreet.data.risk_recount import RiskRecount  # made of this module's own

    return RiskRecount(promise)


def still_true(
    guarantees: Iterable[Guarantee], frames: pl.DataFrame | Iterable[pl.DataFrame]
) -> tuple[list[Guarantee], list[Guarantee]]:
    """Return the promises that a table keeps, and those that it does not keep; it may come in parts."""
    import polars as pl

    holding: list[Guarantee] = []
    broken: list[Guarantee] = []
    counts = [recount_of(promise) for promise in guarantees]
    for frame in [frames] if isinstance(frames, pl.DataFrame) else frames:
        for count in counts:
            count.add(frame)
    for count in counts:
        tally = count.tally()
        (broken if tally is not None and tally.short else holding).append(count.guarantee)
    return holding, broken


def all_hold(guarantees: Iterable[Guarantee], columns: Mapping[str, Sequence[Any]]) -> bool:
    """Say whether a table, given by its columns, keeps every promise.

    Examples
    --------
    >>> all_hold([Guarantee("mdav", ("age",), 2)], {"age": [31, 31, 40]})
    False
    """
    import polars as pl

    return not still_true(guarantees, pl.DataFrame([pl.Series(name, cells) for name, cells in columns.items()]))[1]


def require(counts: Iterable[Recount], place: str = "the written file") -> None:
    """Refuse a file, or a release in memory, in which a promise does not hold.

    Parameters
    ----------
    place : str
        What was counted, in words.

    Raises
    ------
    BrokenGuaranteeError
        It names columns and counts.
    """
    for count in counts:
        tally, promise = count.tally(), count.guarantee
        if tally is not None and tally.short and promise.rule is not None:
            raise BrokenGuaranteeError(
                f"{promise.method}: in {place} {tally.short} records are in classes of equal "
                f"{', '.join(promise.attributes)} that do not keep what was promised: {promise.sentence}",
                hint=_DEFECT,
            )
        if tally is not None and tally.short and promise.risk is not None:
            raise BrokenGuaranteeError(
                f"{promise.method}: in {place} {tally.short} records have an individual risk above "
                f"{promise.risk:g} by their {', '.join(promise.attributes)}, as promised they would not.",
                hint=_DEFECT,
            )
        if tally is not None and tally.short:
            raise BrokenGuaranteeError(
                f"{promise.method}: in {place} {tally.short} records do not share their "
                f"{', '.join(promise.attributes)} as promised (k = {promise.k}); the smallest class has "
                f"{tally.smallest}.",
                hint=_DEFECT,
            )
