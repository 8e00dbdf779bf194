"""What a user may say for a dissimilarity, its policy and a prototype, turned into objects."""

from __future__ import annotations

from typing import Any

from discreet.errors import ParameterError
from discreet.operators.quantifier_reading import as_quantifier
from discreet.operators.quantifiers import Quantifier
from discreet.operators.sequences import Medoid, SequenceOperator, sequence_operator_named, sequence_operator_names
from discreet.parameters import AnyOf, Choice, Constraint, Instance, Optional, Text
from discreet.scales.dissimilarities import OSSOWA, Dissimilarity, dissimilarity_named, dissimilarity_names

__all__ = ["DISTANCE", "PROTOTYPE", "QUANTIFIER", "as_dissimilarity", "as_sequence_operator"]

DISTANCE: Constraint = AnyOf(Choice(dissimilarity_names()), Instance(Dissimilarity, "a Dissimilarity"))
"""What `distance` may be, wherever a method has one."""

QUANTIFIER: Constraint = Optional(AnyOf(Text('text such as "power:2"'), Instance(Quantifier, "a Quantifier")))
"""What `quantifier` may be."""

PROTOTYPE: Constraint = AnyOf(Choice(sequence_operator_names()), Instance(SequenceOperator, "an operator on sequences"))
"""What `prototype` may be."""


def as_dissimilarity(owner: str, distance: Any, quantifier: Any = None) -> Dissimilarity:
    """Return a dissimilarity from itself or its name; a quantifier is the policy of ``"oss-owa"`` and of no other.

    Examples
    --------
    >>> as_dissimilarity("KSHC", "oss-owa", "power:2")
    OSSOWA(quantifier=Power(alpha=2.0))
    >>> as_dissimilarity("KSHC", "lcs", "power:2")
    Traceback (most recent call last):
    discreet.errors.ParameterError: KSHC: quantifier must be None for the distance 'lcs', which has no policy.
    """
    if quantifier is None:
        return distance if isinstance(distance, Dissimilarity) else dissimilarity_named(distance)()
    if isinstance(distance, Dissimilarity):
        raise ParameterError(
            f"{owner}: quantifier must be None where distance is an object; got both.",
            hint="Give the quantifier to the object: OSSOWA(quantifier).",
        )
    if distance != OSSOWA.name:
        raise ParameterError(f"{owner}: quantifier must be None for the distance {distance!r}, which has no policy.")
    return OSSOWA(as_quantifier(quantifier))


def as_sequence_operator(prototype: Any, distance: Dissimilarity) -> SequenceOperator:
    """Return an operator from itself or its name; the medoid is taken by `distance`.

    Examples
    --------
    >>> as_sequence_operator("medoid", OSSOWA())
    Medoid(distance=OSSOWA(quantifier=None))
    """
    if isinstance(prototype, SequenceOperator):
        return prototype
    cls = sequence_operator_named(prototype)
    return Medoid(distance) if cls is Medoid else cls()
