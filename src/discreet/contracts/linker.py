"""The contract of a linker: two files to links."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

from discreet.contracts.engine import Engine, InThreads
from discreet.contracts.estimator import Estimator, one_of
from discreet.contracts.links import Links
from discreet.contracts.pairing import as_microdata
from discreet.data.microdata import Microdata
from discreet.data.scales.gap_flag import GapFlag, flagged_by
from discreet.data.schema import Schema
from discreet.errors import DataError, SchemaError, door
from discreet.statistics.question import Inquiry
from discreet.stopping import stoppable

__all__ = ["Linker", "Looking", "nothing_in_common"]


class Looking(NamedTuple):
    """How some records are looked for among everybody, who pass in blocks.

    `search(asked, of_release=True)` is a question to all blocks; `refuses_gaps` says that a missing cell has no rule.
    """

    names: tuple[str, ...]
    search: Any
    refuses_gaps: bool = False


class Linker(Estimator, ABC):
    """Two files to links.

    Subclasses set `scales` and write ``_link``. `attributes`, where a subclass has it, says what the intruder knows
    (default: the keys that both files have).
    """

    contract: ClassVar[str] = "linker"
    scales: ClassVar[frozenset[str]]
    joins_levels: ClassVar[bool] = False
    """Whether an attribute may have other levels in the second file, as after a recoding."""
    needs_common_attributes: ClassVar[bool] = True
    """Whether the two files must share attributes; not for linkers that work on the structure of records."""
    knows_masking: ClassVar[bool] = False
    """Whether it reads off the provenance what each value can have become."""
    leaves_out_emptied: ClassVar[bool] = False
    """Whether it links without the attributes of which no record of the second file has a value."""

    @abstractmethod
    def _link(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> Links:
        """Link two checked files on `names`."""

    def _link_best(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> Links:
        """Link for somebody who asks for the best candidates alone: a linker may leave the second ones open."""
        return self._link(a, b, names, engine)

    @door
    @stoppable()
    def link(
        self, a: Any, b: Any, schema: Schema | None = None, *, engine: Engine | None = None, second: bool = True
    ) -> Links:
        """Find for every record of `b` (the release) whom it belongs to in `a` (what the intruder holds).

        Parameters
        ----------
        a, b : Microdata, Masked or frame
        schema : Schema, optional
            For plain frames.
        engine : Engine, optional
            By default this machine's memory, on a thread a core.
        second : bool
            Whether the second-best candidates are wanted: they are most of the work, and no risk reads them.
        """
        linked = self._link if second else self._link_best
        return linked(*self._admitted(a, b, schema), engine or InThreads())

    def link_both(
        self, a: Any, b: Any, schema: Schema | None = None, *, engine: Engine | None = None, second: bool = True
    ) -> tuple[Links, Links]:
        """Link in both directions, and do what they share once.

        Parameters
        ----------
        a, b : Microdata, Masked or frame
        schema : Schema, optional
            For plain frames.
        engine : Engine, optional
        second : bool
            Whether the second-best candidates are wanted.

        Returns
        -------
        release : Links
            Of every record of `b` (the release), whom it belongs to in `a`: what :meth:`link` gives.
        original : Links
            Of every record of `a` (a person whom the intruder knows), which record of `b` is theirs. In these links the
            first file is `b`.
        """
        linked = self._link_both if second else self._link_best_both
        return linked(*self._admitted(a, b, schema), engine or InThreads())

    def _link_both(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> tuple[Links, Links]:
        return self._link(a, b, names, engine), self._link(b, a, names, engine)

    def _link_best_both(
        self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine
    ) -> tuple[Links, Links]:
        return self._link_both(a, b, names, engine)

    def looking(self, schemas: tuple[Schema, Schema]) -> Inquiry[Looking] | None:  # noqa: ARG002
        """Ask how some records of a file are looked for among all of another that is larger than memory.

        None, as here, where that cannot be: a model of all pairs needs all records at once.
        """
        return None

    def _admitted(self, a: Any, b: Any, schema: Schema | None) -> tuple[Microdata, Microdata, tuple[str, ...]]:
        """Check the parameters and both files, and say what they are linked on."""
        self.check_parameters()
        first, second = as_microdata(a, schema), as_microdata(b, schema)
        names = self._names(first.schema, second.schema)
        for table, which in ((first, "first"), (second, "second")):
            if not len(table):
                raise DataError(f"{type(self).__name__}: the {which} file has no records.")
        return first, second, _with_values(second, names) if self.leaves_out_emptied else names

    def _names(self, a: Schema, b: Schema) -> tuple[str, ...]:
        owner, attributes = type(self).__name__, getattr(self, "attributes", None)
        names = a.keys if attributes is None else tuple(attributes)
        if attributes is None:
            names = tuple(name for name in names if name in b)
        if not names:
            raise nothing_in_common(owner, shared=any(name in b for name in a.names))
        for name in names:
            if a[name].role == "identifier":
                raise SchemaError(f"{owner}: {name!r} is an identifier; linking on it shows nothing about the masking.")
            same_kind = a[name].scale.kind == b[name].scale.kind
            if a[name].scale != b[name].scale and not (self.joins_levels and same_kind):
                raise SchemaError(f"{owner}: attribute {name!r} has different scales or levels in the two files.")
            if a[name].scale.kind not in self.scales:
                raise SchemaError(
                    f"{owner}: attribute {name!r} is {a[name].scale.kind}; it links {one_of(self.scales)} attributes.",
                    hint="Pass attributes without it.",
                )
        return names


def _with_values(table: Microdata, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the attributes of which some record has a value, with the flags of their gaps; all where none has one.

    An attribute that was wiped out tells no two records of the table apart. A linker that filled it, or took a gap for
    a value like others, would look for the records of the other file that happen to be near the filling.
    """
    empty = {name for name in names if table.missing(name).all()}
    for name in names:
        scale = table.schema[name].scale
        if isinstance(scale, GapFlag) and (table.encoded(name) == scale.levels.index("yes")).all():
            empty |= {name, flagged_by(name)}
    return tuple(name for name in names if name not in empty) or names


def nothing_in_common(owner: str, *, shared: bool) -> SchemaError:
    """Return what is to be said of two files without a common key, whether or not other attributes are `shared`."""
    if shared:
        return SchemaError(
            f"{owner}: the two files have no key in common.",
            hint='Give role = "key" to what an intruder may know, or pass attributes; the linker "structural" needs '
            "no common attribute.",
        )
    return SchemaError(
        f"{owner}: the two files have no attribute in common.",
        hint='Use the linker "structural", which needs none, or "representatives"; or rename what means the same.',
    )
