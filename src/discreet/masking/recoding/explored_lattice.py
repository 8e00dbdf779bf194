"""Every combination of steps looked at: which keep the models, what each suppresses and what each costs."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet.typing import BoolArray, FloatArray, IntArray, Json

__all__ = ["ExploredLattice"]


@dataclass(frozen=True, eq=False, repr=False)
class ExploredLattice:
    """The nodes of a lattice of generalisations.

    Attributes
    ----------
    names : tuple of str
        The keys.
    heights : tuple of int
        The highest step of each.
    steps : (nodes, keys) int64
        The step of every key at every node.
    suppressed : (nodes,) int64
        The records that would have to be suppressed; −1 where nothing could be released.
    values : (nodes,) float64
        What each costs with these suppressed.
    objective : str
    limit, n : int
        The most records that may be suppressed, and how many there are.
    """

    names: tuple[str, ...]
    heights: tuple[int, ...]
    steps: IntArray
    suppressed: IntArray
    values: FloatArray
    objective: str
    limit: int
    n: int
    satisfied: BoolArray = field(init=False)
    """(nodes,) bool: whether the models are kept within the limit of suppression."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "satisfied", (self.suppressed >= 0) & (self.suppressed <= self.limit))

    @property
    def nodes(self) -> int:
        """How many combinations of steps there are."""
        return int(np.prod([float(height + 1) for height in self.heights]))

    @property
    def finished(self) -> bool:
        """Whether all of them were looked at."""
        return len(self.steps) == self.nodes

    @property
    def best(self) -> int | None:
        """The place of the node that costs least among those that satisfy; None where none does."""
        if not self.satisfied.any():
            return None
        return int(np.argmin(np.where(self.satisfied, self.values, np.inf)))

    @property
    def minimal(self) -> BoolArray:
        """(nodes,) bool: nodes that satisfy and have no finer one, a step less in one key, that does."""
        places = {tuple(node): place for place, node in enumerate(self.steps.tolist())}
        result = self.satisfied.copy()
        for place in np.flatnonzero(self.satisfied).tolist():
            node = self.steps[place].tolist()
            for a, step in enumerate(node):
                finer = places.get((*node[:a], step - 1, *node[a + 1 :]))
                if finer is not None and self.satisfied[finer]:
                    result[place] = False
                    break
        return result

    @property
    def order(self) -> IntArray:
        """The places of the nodes: those that satisfy from the cheapest on, then those that suppress fewest."""
        need = np.where(self.suppressed < 0, self.n + 1, self.suppressed)
        by = (self.values, np.where(self.satisfied, 0, need), ~self.satisfied)
        return np.lexsort(by)

    def rows(self, most: int | None = None, *, satisfying: bool = False) -> list[Json]:
        """Return nodes as plain values, in `order`.

        Parameters
        ----------
        most : int, optional
            So many of them.
        satisfying : bool
            Only those that satisfy.
        """
        minimal, best = self.minimal, self.best
        order = self.order[: int(self.satisfied.sum())] if satisfying else self.order
        result: list[Json] = []
        for place in order[:most].tolist():
            released = self.suppressed[place] >= 0
            result.append(
                {
                    "steps": dict(zip(self.names, self.steps[place].tolist(), strict=True)),
                    "satisfies": bool(self.satisfied[place]),
                    "suppressed": int(self.suppressed[place]) if released else None,
                    self.objective: float(self.values[place]) if released else None,
                    "minimal": bool(minimal[place]),
                    "best": place == best,
                }
            )
        return result

    def to_text(self) -> str:
        """Return all nodes as CSV."""
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        figures = ("satisfies", "suppressed", self.objective, "minimal", "best")
        writer.writerow([*self.names, *figures])
        for row in self.rows():
            cells: list[Any] = [*row["steps"].values(), *(row[figure] for figure in figures)]
            writer.writerow([_cell(cell) for cell in cells])
        return buffer.getvalue()

    def to_dict(self) -> Json:
        """Return the figures of the whole as plain values."""
        return {
            "keys": dict(zip(self.names, self.heights, strict=True)),
            "nodes": self.nodes,
            "looked_at": len(self.steps),
            "satisfying": int(self.satisfied.sum()),
            "minimal": int(self.minimal.sum()),
            "objective": self.objective,
            "records": self.n,
            "suppression_limit": self.limit,
            "sentence": self.sentence,
        }

    @property
    def sentence(self) -> str:
        """What there is, in a sentence."""
        looked = f"All {self.nodes}" if self.finished else f"{len(self.steps)} of {self.nodes}"
        satisfying = int(self.satisfied.sum())
        told = (
            f"{looked} combinations of steps were looked at; {satisfying} keep the models with at most {self.limit} of "
            f"{self.n} records suppressed, {int(self.minimal.sum())} of them with no finer one beside them that does."
        )
        if self.best is None:
            return told
        return f"{told} The least {self.objective} is {self.values[self.best]:.6g}."

    def __repr__(self) -> str:
        return f"ExploredLattice({self.nodes} nodes, {int(self.satisfied.sum())} satisfy)"


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else value
