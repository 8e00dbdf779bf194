"""What a type checker must find: every line that is marked, and no other. Nobody calls this function."""
# ruff: noqa: B018 - names are asked for, no more

from __future__ import annotations

import discreet as dc
from discreet.operators import OWA, ChoquetIntegral, NumericMedian, OrdinalMedian, TrimmedMean


def mistakes() -> str:
    """Make one mistake a line."""
    dc.nonsense  # wrong: a name that does not exist
    dc.mdav  # wrong: the case of a name
    dc.errors.NoSuchError  # wrong: a name in a module of the package
    dc.MDAV(k="three")  # wrong: text for a number
    dc.MDAV(k=3, weighted="yes")  # wrong: text for a flag
    dc.MDAV(blocs=2)  # wrong: a misspelt parameter of a base
    dc.MDAV(serach="exact")  # wrong: a misspelt parameter of its own
    dc.MDAV(search="fast")  # wrong: a word that is none of the choices
    dc.MDAV(missing="any")  # wrong: a word that another method's parameter has
    dc.MDAV(3, 4)  # wrong: a second parameter by position
    dc.MDAV(attributes=5)  # wrong: a number for names
    dc.MDAV(operator=3)  # wrong: a number for an operator
    dc.MDAV(decimals="all")  # wrong: a word that is not "exact"
    dc.IndividualRanking(blocks=2)  # wrong: a parameter that the method does not offer
    dc.BalancedKModes(missing="wildcard")  # wrong: a parameter of a sister
    dc.SortedGroups(importance={"a": 2.0})  # wrong: a parameter of another sister
    dc.Refine(3, start=dc.PRAM())  # wrong: a method of another kind
    dc.RankSwapping(p="much")  # wrong: text for a number
    dc.PRAM(teta=0.2)  # wrong: a misspelt parameter
    dc.PRAM(0.2, "uniform")  # wrong: by position what goes by name
    dc.HierarchyRecoding()  # wrong: without what must be given
    dc.LevelMap(maps=["a"])  # wrong: a list for a mapping
    dc.Rounding(base={"a": "ten"})  # wrong: text in a mapping of numbers
    dc.DistanceLinkage(metric="cosine")  # wrong: a linker's choice
    dc.DistanceLinkage(["a"])  # wrong: nothing goes by position
    dc.BlockedLinkage(linker=dc.MDAV())  # wrong: a masker for a linker
    dc.KAnonymityViolations(k=2.5)  # wrong: a fraction for a whole number
    dc.TCloseness(missing="any")  # wrong: a parameter that a base of a base leaves out
    dc.DistanceLinkageRisk(direction="backwards")  # wrong: a measure's choice
    NumericMedian("middle")  # wrong: an operator's choice
    OrdinalMedian(sides="upper")  # wrong: an operator's misspelt parameter
    TrimmedMean("a tenth")  # wrong: text for an operator's number
    ChoquetIntegral()  # wrong: an operator without its measure
    OWA(wieghts=[0.5, 0.5])  # wrong: a misspelt parameter of an operator with its own __init__
    dc.MDAV(3).mask()  # wrong: a door without a table
    dc.MDAV(3).maks(None)  # wrong: a misspelt door
    dc.assess(None)  # wrong: a verb without its second table
    dc.Attribute("a", "numeric")  # wrong: a word for a scale
    k: str = dc.MDAV().k  # wrong: the type of what is read back
    return k
