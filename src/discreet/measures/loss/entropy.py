"""What the two entropy-based losses share: where their probabilities come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from discreet.base import Pair
from discreet.errors import UnknownNameError
from discreet.measures.loss.categorical import CategoricalLoss
from discreet.measures.posterior import Posterior, posterior
from discreet.microdata import Microdata
from discreet.parameters import ByName, Constraint, Instance, Optional
from discreet.typing import Json

__all__ = ["EntropyLoss"]


class _Matrix(Constraint):
    """A table of numbers; whether its rows are probabilities is checked where its size is known."""

    def accepts(self, value: Any) -> bool:
        try:
            return np.asarray(value, dtype=np.float64).ndim == 2
        except (TypeError, ValueError):
            return False

    def describe(self) -> str:
        return "a matrix"


class EntropyLoss(CategoricalLoss):
    """A loss in bits: how uncertain the original value still is once the released one is known."""

    parameters: ClassVar[Mapping[str, Constraint]] = {
        **CategoricalLoss.parameters,
        "matrices": Optional(ByName(_Matrix())),
        "reference_file": Optional(Instance(Microdata, "a Microdata")),
    }

    def __init__(
        self,
        *,
        attributes: Sequence[str] | None = None,
        weighted: bool = False,
        matrices: Mapping[str, Any] | None = None,
        reference_file: Microdata | None = None,
    ) -> None:
        super().__init__(attributes=attributes, weighted=weighted)
        self.matrices = matrices
        self.reference_file = reference_file

    def _posteriors(self, pair: Pair) -> dict[str, Posterior]:
        weights, owner = self._weights(pair), type(self).__name__
        for name in self.matrices or {}:
            if name not in pair.names:
                raise UnknownNameError(f"{owner}: matrices has {name!r}, which is not among the compared attributes.")
        return {name: posterior(owner, pair, name, weights, self.matrices, self.reference_file) for name in pair.names}

    def _shares(self, bits: Mapping[str, float], beliefs: Mapping[str, Posterior]) -> dict[str, float]:
        """Return bits in percent of what was uncertain before the release, 100 at most."""
        result = {}
        for name, belief in beliefs.items():
            before = belief.prior_entropy * belief.counts.sum()
            result[name] = min(100.0 * bits[name] / before, 100.0) if before > 0 else 0.0
        return result

    def _sources(self, bits: Mapping[str, float]) -> Json:
        given = list(self.matrices or {})
        return {
            "bits": sum(bits.values()),
            "probabilities_of_original": "reference file" if self.reference_file is not None else "file that is masked",
            "transitions_given_for": given,
            "transitions_estimated_for": [name for name in bits if name not in given],
        }
