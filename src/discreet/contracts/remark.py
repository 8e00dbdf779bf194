"""A remark on a weak choice: found by advice, shown by reports, the command line and the studio."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.typing import Json

__all__ = ["Remark"]


@dataclass(frozen=True)
class Remark:
    """One remark on a weak choice.

    Attributes
    ----------
    code : str
        A name that stays, for machines: ``small-k``, ``no-confidential``, ``identifiers-present``,
        ``frequency-after-perturbation``, ``uniques-left``, ``no-schema``, ``key-unmasked``, ``no-seed``,
        ``not-compared``, ``solvable-aggregates``, ``incomplete-risk``, ``above-guessing``, ``no-better``,
        ``threshold-met-unmasked``, ``masked-key-told``, ``household-rebuilt``, ``person-shifted-apart``.
    sentence : str
        What is weak: columns and counts, never a record's value.
    hint : str
        What can be done about it.
    """

    code: str
    sentence: str
    hint: str

    def to_dict(self) -> Json:
        """Return the remark as JSON values."""
        return {"code": self.code, "sentence": self.sentence, "hint": self.hint}
