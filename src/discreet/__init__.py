"""Statistical disclosure control: mask microdata, attack the release, measure what it cost.

>>> import discreet as dc
>>> survey = dc.datasets.business(200)
>>> masked = dc.MDAV(k=5).mask(survey)
>>> verdict = dc.assess(survey, masked)
>>> 0 < verdict.score.value < 50
True

Names are looked up when they are used, so that importing the package stays quick: a method by its class name
(``dc.MDAV``), everything else in the table below.
"""

from __future__ import annotations

import importlib
from typing import Any

from discreet._version import __version__

_HOMES = {
    "Attribute": "discreet.schema",
    "Schema": "discreet.schema",
    "Numeric": "discreet.scales",
    "Ordinal": "discreet.scales",
    "Nominal": "discreet.scales",
    "Sequence": "discreet.scales",
    "IntervalSemantics": "discreet.scales",
    "Negation": "discreet.scales",
    "Microdata": "discreet.microdata",
    "microdata": "discreet.microdata",
    "propose": "discreet.inference",
    "LocalEngine": "discreet.engines.local",
    "SparkEngine": "discreet.engines.spark",
    "protect_file": "discreet.workflow",
    "assess_files": "discreet.workflow",
    "read": "discreet.workflow",
    "write": "discreet.workflow",
    "inspect": "discreet.workflow",
    "protect": "discreet.workflow",
    "attack": "discreet.workflow",
    "assess": "discreet.workflow",
    "measure": "discreet.workflow",
    "certify": "discreet.evaluation.certificate",
    "compare": "discreet.evaluation.study",
    "tune": "discreet.evaluation.tuning",
    "grid": "discreet.evaluation.candidates",
    "write_report": "discreet.workflow",
    "write_manifest": "discreet.workflow",
    "advise": "discreet.workflow",
    "Protocol": "discreet.protocol",
    "Scenario": "discreet.protocol",
    "Source": "discreet.protocol",
    "Step": "discreet.protocol",
    "Tables": "discreet.protocol",
    "apply_steps": "discreet.workflow",
    "assess_scenarios": "discreet.workflow",
    "check_release": "discreet.workflow",
    "propose_protocol": "discreet.workflow",
    "protect_households": "discreet.workflow",
    "renumber_keys": "discreet.workflow",
    "split_households": "discreet.workflow",
    "run_protocol": "discreet.workflow",
    "run_tables": "discreet.workflow",
    "verify": "discreet.workflow",
    "write_release": "discreet.workflow",
    "write_tables": "discreet.workflow",
    "DiscreetError": "discreet.errors",
    "DiscreetWarning": "discreet.errors",
}
_MODULES = ("catalogue", "datasets", "errors", "operators", "progress", "scales")

__all__ = ["__version__", *_HOMES, *_MODULES]  # noqa: PLE0604 - strings all


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name in _MODULES:
        return importlib.import_module(f"discreet.{name}")
    if name[:1].isupper():  # methods are classes; looking for one imports them all, which a module's name must not
        from discreet.catalogue import class_named

        found = class_named(name)
        if found is not None:
            return found
    raise AttributeError(f"module 'discreet' has no attribute {name!r}")


def __dir__() -> list[str]:
    from discreet import catalogue

    methods = [*catalogue.maskers().values(), *catalogue.linkers().values(), *catalogue.measures().values()]
    return sorted([*__all__, *(cls.__name__ for cls in methods)])
