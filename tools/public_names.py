"""Write the front door: src/discreet/__init__.py, with every public name and the module it lives in.

    python tools/public_names.py            write it
    python tools/public_names.py --check    exit code 1 where it is not what would be written

Verbs, words and modules are listed here; methods are read off the registry. Where a name lives is found by looking, so
that the file is written anew after modules have moved.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import discreet
from discreet import catalogue

DOOR = Path(__file__).parent.parent / "src" / "discreet" / "__init__.py"

NAMES: tuple[str, ...] = (
    # declare
    "Attribute", "Schema", "Numeric", "Ordinal", "Nominal", "Sequence", "ItemSet",
    "TimeSeries", "Trajectory", "QueryLog", "Date", "DateTime",
    "Microdata", "microdata", "Declaration", "Hierarchy", "read_hierarchy", "build_hierarchy",
    # read and write
    "read", "scan", "survey", "Survey", "ProtectedSurvey", "write", "inspect",
    "MemoryEngine", "StreamingEngine", "SparkEngine",
    # mask, attack, measure, score
    "methods", "protect", "Chain", "PerUnit",
    "risk", "attack", "attack_together", "combine", "match_variables", "measure", "correct_table", "loss_intervals",
    "assess", "certify", "compare", "tune", "grid", "chains", "privacy_utility",
    # report and release
    "advise", "write_report", "check",
    "Protocol", "OpenProtocol", "Intruder",
    "propose", "import_protocol", "run", "tune_protocol",
    # what can go wrong
    "DiscreetError", "DiscreetWarning",
)  # fmt: skip

MODULES: dict[str, str] = {
    "datasets": "discreet",
    "errors": "discreet",
    "models": "discreet",
    "operators": "discreet",
    "progress": "discreet",
    "release": "discreet",
    "scales": "discreet.data",
}

ROOMS: dict[str, str] = {
    "certify": "evaluation",
    "compare": "evaluation",
    "measure": "evaluation",
    "run": "workflow",
    "risk": "evaluation",
    "survey": "release",
    "tune": "evaluation",
}
"""The room of a name that two rooms have."""

FRONT_ENDS = ("__main__", "cli", "studio")
"""Rooms that are not looked through: they show the package to people and offer nothing to programs."""


def modules() -> list[ModuleType]:
    """Return every module of the package but the front ends."""
    names = [module.name for module in pkgutil.walk_packages(discreet.__path__, "discreet.")]
    return [importlib.import_module(name) for name in names if name.split(".")[1] not in FRONT_ENDS]


def homes() -> dict[str, str]:
    """Return the module of every public name but the modules themselves."""
    result = {cls.__name__: cls.__module__ for cls in methods()}
    among = modules()
    for name in NAMES:
        if name in result:
            raise SystemExit(f"{name} is a method as well: {result[name]}.")
        result[name] = home(name, among)
    return result


def methods() -> list[type[Any]]:
    """Return the class of every registered method."""
    return [*catalogue.maskers().values(), *catalogue.linkers().values(), *catalogue.measures().values()]


def home(name: str, among: list[ModuleType]) -> str:
    """Return the module that a name is taken from: where it is defined, or the front of a room that wraps it."""
    offers = [module for module in among if name in getattr(module, "__all__", ())]
    if name in ROOMS:
        offers = [module for module in offers if module.__name__.split(".")[1] == ROOMS[name]]
    # A room may wrap the functions it shows (`errors.door`): they are taken as it shows them.
    wrapped = [m for m in offers if inspect.isfunction(getattr(m, name)) and hasattr(m, "__path__")]
    defined = [m for m in offers if getattr(m, name).__module__ == m.__name__]
    found = sorted({module.__name__ for module in wrapped or defined})
    if len(found) != 1:
        raise SystemExit(f"{name} must have one home; it has {', '.join(found) or 'none'}. Name its room in ROOMS.")
    return found[0]


def _place(name: str, module: str) -> tuple[str, int, str]:
    """Return where an import stands: by module, then constants, classes and functions, as the linter sorts them."""
    return (module, 0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def written() -> str:
    """Return the text of the front door."""
    table = homes()
    by_place = sorted([*MODULES.items(), *table.items()], key=lambda item: _place(*item))
    return _TEXT.format(
        imports="\n".join(_import(name, module) for name, module in by_place),
        homes="\n".join(f'        "{name}": "{table[name]}",' for name in sorted(table)),
        modules="\n".join(f'        "{name}": "{place}.{name}",' for name, place in MODULES.items()),
        names="\n".join(f'    "{name}",' for name in sorted([*table, *MODULES, "__version__"], key=_listed)),
    )


def _import(name: str, module: str) -> str:
    """Return the import of a name under its own name, which is how checkers know that it is meant to be seen."""
    line = f"    from {module} import {name} as {name}"
    return line if len(line) <= 120 else f"    from {module} import (\n        {name} as {name},\n    )"


def _listed(name: str) -> tuple[int, str]:
    return (0 if name.isupper() else 1 if name.lstrip("_")[0].isupper() else 2, name)


_TEXT = '''\
"""Statistical disclosure control: mask microdata, attack the release, measure what it cost.

>>> import discreet as dc
>>> survey = dc.datasets.business(200)
>>> masked = dc.MDAV(k=5).mask(survey)
>>> verdict = dc.assess(survey, masked)
>>> 0 < verdict.score.value < 50
True

Written by tools/public_names.py, in two halves. Type checkers and editors read the first and know every name; the
interpreter reads the second, which imports the one module a name lives in when it is used, so that importing the
package stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discreet._version import __version__

if TYPE_CHECKING:
{imports}
else:
    _HOMES = {{
{homes}
    }}
    _MODULES = {{
{modules}
    }}

    def __getattr__(name: str) -> Any:
        import importlib

        if name in _MODULES:
            return importlib.import_module(_MODULES[name])
        if name not in _HOMES:
            raise AttributeError(_unknown(name))
        value = getattr(importlib.import_module(_HOMES[name]), name)
        if _HOMES[name] != f"discreet.{{name}}":  # a function must not hide the module it is named like
            globals()[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted(__all__)

    def _unknown(name: str) -> str:
        like = ""
        if not name.startswith("_"):  # notebooks and test runners ask for many such names, and want no advice
            import difflib

            names = {{one.lower(): one for one in __all__}}
            close = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.7)
            like = f" Did you mean {{names[close[0]]!r}}?" if close else ""
        return f"module 'discreet' has no attribute {{name!r}}.{{like}}"


__all__ = [
{names}
]
'''


def main() -> int:
    """Write the file, or say whether it is as it would be written."""
    text = written()
    if "--check" not in sys.argv[1:]:
        DOOR.write_text(text, encoding="utf-8")
        return 0
    if DOOR.read_text(encoding="utf-8") == text:
        return 0
    print("src/discreet/__init__.py is out of date: python tools/public_names.py")
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
