"""What a parameter may be, and what is said about it: constraints check and read, descriptions tell."""

from discreet.parameters.constraints import (
    AnyOf,
    ByName,
    Choice,
    Constraint,
    Control,
    CountsBySize,
    Flag,
    Instance,
    Integer,
    ListOf,
    Names,
    Number,
    Optional,
    Seed,
    Text,
    check_parameters,
)
from discreet.parameters.description import Description, describe, summary_of

__all__ = [
    "AnyOf",
    "ByName",
    "Choice",
    "Constraint",
    "Control",
    "CountsBySize",
    "Description",
    "Flag",
    "Instance",
    "Integer",
    "ListOf",
    "Names",
    "Number",
    "Optional",
    "Seed",
    "Text",
    "check_parameters",
    "describe",
    "summary_of",
]
