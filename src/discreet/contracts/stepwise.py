"""The contract of a masking in several steps: what a study needs to know of it, to compute shared beginnings once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Self

from discreet.contracts.engine import Engine
from discreet.contracts.masked import Masked, Provenance
from discreet.contracts.masker import Masker
from discreet.data.microdata import Microdata
from discreet.data.schema import Schema
from discreet.typing import IntArray

__all__ = ["MaskingStage", "StepwiseMasking"]


@dataclass(frozen=True, repr=False)
class MaskingStage:
    """A table after some of the steps, and how it came about: what the next step starts from.

    Attributes
    ----------
    original : Microdata
    current : Microdata
        What the last step released.
    rows : (m,) int64, optional
        Which records of the original these are, where some are left out or reordered.
    history : tuple of Provenance
        One a step.
    schemas : tuple of pairs of Schema
        Before and after each step.
    removed : frozenset of str
        What steps left out, beside identifiers.
    """

    original: Microdata
    current: Microdata
    rows: IntArray | None = None
    history: tuple[Provenance, ...] = ()
    schemas: tuple[tuple[Schema, Schema], ...] = ()
    removed: frozenset[str] = frozenset()


class StepwiseMasking(ABC):
    """Several steps that mask as one, each of which sees what the one before it released.

    Two of them whose first steps are the same (:meth:`step_keys`) release the same after these steps, so that a study
    takes them once: :meth:`prepare` one, :meth:`advance` from a stage that another one reached, :meth:`finish`.
    """

    @abstractmethod
    def label(self) -> str:
        """Return the steps with what was chosen: how tables and charts call a candidate."""

    @abstractmethod
    def description(self) -> str:
        """Return all that is chosen in the steps, as text that is the same wherever it is written down."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The methods of the steps."""

    @property
    @abstractmethod
    def draws(self) -> bool:
        """Whether a step draws, and has no seed of its own."""

    @abstractmethod
    def seeded(self, seed: int) -> Self:
        """Return the same steps, drawing from a seed."""

    @abstractmethod
    def step_keys(self) -> tuple[Hashable, ...]:
        """Return what tells each step from others: method, parameters, seed, unit, folder. Fixed seeds only."""

    @abstractmethod
    def prepare(self, original: Microdata) -> tuple[Masker, ...]:
        """Return the masker of every step; steps that cannot go together are refused before one is taken."""

    @abstractmethod
    def advance(
        self, stage: MaskingStage, place: int, masker: Masker, engine: Engine, *, block_size: int | None = None
    ) -> MaskingStage:
        """Take the step at a place."""

    @abstractmethod
    def finish(self, stage: MaskingStage) -> Masked:
        """Return the release after the last step, with one record of all of them."""
