"""Linkage within blocks: only pairs that agree on some attributes are compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from discreet.contracts.engine import Engine
from discreet.contracts.estimator import register
from discreet.contracts.linker import Linker
from discreet.contracts.links import Links
from discreet.data.microdata import Microdata
from discreet.errors import SchemaError
from discreet.linkage.nearest import gather
from discreet.linkage.record_classes import classes_of_codes
from discreet.linkage.shared.agreement import agreements_on
from discreet.linkage.shared.distance import DistanceLinkage
from discreet.parameters import Instance, Names, Optional
from discreet.parameters.declaration import parameter
from discreet.progress import track
from discreet.typing import IntArray

__all__ = ["BlockedLinkage"]


@register("blocked")
class BlockedLinkage(Linker):
    """Link within blocks of records that agree on some attributes, each block by another linker.

    Quicker where blocks are small and the blocking attributes are sure to be unchanged. An intruder need not block:
    over all pairs the other linkers find at least as much, and this shows how much blocking would overlook.

    Parameters
    ----------
    by : list of str, optional
        What a pair must agree on; by default the first of the attributes.
    linker : Linker, optional
        Who links within a block; distance-based linkage by default. Its own attributes are not used.
    attributes : list of str, optional
        What the intruder knows; by default the keys that both files have. The blocking attributes are among them.

    Notes
    -----
    The cost is that of the linker on every block. A record whose block is empty in the first file has no link. A
    missing value makes a block of its own. Estimates and standardisation are those of the block.

    References
    ----------
    Jaro (1989), Advances in record-linkage methodology.

    Examples
    --------
    >>> import polars as pl
    >>> a = pl.DataFrame({"town": ["x", "x", "y"], "age": [30.0, 50.0, 31.0]})
    >>> b = pl.DataFrame({"town": ["x", "y", "y"], "age": [31.0, 32.0, 50.0]})
    >>> import discreet as dc
    >>> schema = dc.Schema([dc.Attribute("town", dc.Nominal("xy"), "key"), dc.Attribute("age", dc.Numeric(), "key")])
    >>> BlockedLinkage(by=["town"]).link(a, b, schema).best.tolist()
    [0, 2, 2]
    """

    scales: ClassVar[frozenset[str]] = frozenset({"numeric", "ordinal", "nominal"})
    joins_levels: ClassVar[bool] = True
    by: Sequence[str] | None = parameter(Optional(Names()), default=None)
    linker: Linker | None = parameter(Optional(Instance(Linker, "a linker")), default=None)
    attributes: Sequence[str] | None = parameter(Optional(Names()), default=None)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(by=["fuel"]), cls(by=["owner", "size"])]

    def _link(self, a: Microdata, b: Microdata, names: tuple[str, ...], engine: Engine) -> Links:
        by = names[:1] if self.by is None else tuple(self.by)
        strange = [name for name in by if name not in a.schema or name not in b.schema]
        if strange:
            raise SchemaError(f"BlockedLinkage: there is no attribute {strange[0]!r} in both files to block by.")
        rest = [name for name in names if name not in by] or list(names)
        linker = DistanceLinkage() if self.linker is None else self.linker.clone()
        linker.set_params(attributes=rest)
        agreements = agreements_on(type(self).__name__, a, b, by, missing="agree", bins=None)
        both = [np.concatenate([agreement.a, agreement.b]) for agreement in agreements]
        label = classes_of_codes(both).label
        a_rows, b_rows = _members(label[: len(a)]), _members(label[len(a) :])
        shared = [block for block in b_rows if block in a_rows]
        parts = []
        for block in track(shared, "linking blocks", len(shared)):
            links = linker.link(a.take(a_rows[block]), b.take(b_rows[block]), engine=engine)
            parts.append((a_rows[block], b_rows[block], links))
        return _together(parts, len(a), len(b), names, type(self).name)


def _members(label: IntArray) -> dict[int, IntArray]:
    order = np.argsort(label, kind="stable")
    values, starts = np.unique(label[order], return_index=True)
    return dict(zip(values.tolist(), np.split(order, starts[1:]), strict=True))


def _together(
    parts: list[tuple[IntArray, IntArray, Links]], n_a: int, n_b: int, names: tuple[str, ...], method: str
) -> Links:
    higher = bool(parts) and parts[0][2].higher_is_better
    worst = -np.inf if higher else np.inf
    fields: dict[str, Any] = {
        "best": np.full(n_b, -1, dtype=np.int64),
        "second": np.full(n_b, -1, dtype=np.int64),
        "score": np.full(n_b, worst),
        "second_score": np.full(n_b, worst),
        "ties": np.zeros(n_b, dtype=np.int64),
    }
    classes = np.arange(n_a, dtype=np.int64)
    rows, offsets, tied = np.full(n_b, -1, dtype=np.int64), [np.zeros(1, dtype=np.int64)], []
    first_row = first_tied = 0
    for a_rows, b_rows, links in parts:
        # A class is named after its first record, which no other block can have.
        _, first = np.unique(links.classes, return_index=True)
        named = a_rows[first]
        classes[a_rows] = named[links.classes]
        for name in ("best", "second"):
            inner = getattr(links, name)
            fields[name][b_rows] = np.where(inner < 0, -1, a_rows[np.maximum(inner, 0)])
        for name in ("score", "second_score", "ties"):
            fields[name][b_rows] = getattr(links, name)
        inner_rows = np.arange(links.n_b) if links.rows is None else links.rows
        rows[b_rows] = np.where(inner_rows < 0, -1, inner_rows + first_row)
        offsets.append(links.tied_offsets[1:] + first_tied)
        tied.append(named[links.tied])
        first_row += links.tied_offsets.size - 1
        first_tied += links.tied.size
    all_offsets = np.concatenate(offsets)
    all_tied = np.concatenate([np.empty(0, dtype=np.int64), *tied])
    lengths = np.where(rows < 0, 0, np.diff(all_offsets, append=all_offsets[-1:])[rows])
    starts = np.where(rows < 0, 0, all_offsets[rows])
    return Links(
        n_a=n_a,
        n_b=n_b,
        **fields,
        tied_offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        tied=all_tied[gather(starts, lengths)],
        classes=classes,
        attributes=names,
        method=method,
        higher_is_better=higher,
    )
