"""A project of ARX (``.deid``): its attribute types, hierarchies, privacy models and data."""

from __future__ import annotations

import math
import re
import shlex
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

from discreet.errors import DiscreetError, FileError
from discreet.models.model_text import read_model
from discreet.release.imported import Imported
from discreet.release.protocol_parts import Step

__all__ = ["read_arx"]

_ROLES = {
    "IDENTIFYING_ATTRIBUTE": "identifiers",
    "QUASI_IDENTIFYING_ATTRIBUTE": "keys",
    "SENSITIVE_ATTRIBUTE": "confidential",
    "INSENSITIVE_ATTRIBUTE": "others",
}
_NUMBER = r"([0-9.]+(?:[eE][-+]?[0-9]+)?)"
_MODELS = (
    (rf"{_NUMBER}-anonymity", "k={0}"),
    (rf"distinct-{_NUMBER}-diversity for attribute '(.*)'", "l-diversity={0} {1}"),
    (
        rf"(?:shannon-|grassberger-)?entropy-{_NUMBER}-diversity for attribute '(.*)'",
        "l-diversity={0} {1} kind_of=entropy",
    ),
    (
        rf"recursive-\({_NUMBER},{_NUMBER}\)-diversity for attribute '(.*)'",
        "l-diversity={1} {2} kind_of=recursive c={0}",
    ),
    (
        rf"{_NUMBER}-closeness with (?:equal|hierarchical|ordered) [\w ]*distance for attribute '(.*)'",
        "t-closeness={0} {1}",
    ),
    (rf"(?:equal-distance |ordered-distance )?{_NUMBER}-closeness for attribute '(.*)'", "t-closeness={0} {1}"),
    (rf"enhanced-{_NUMBER}-(?:beta-)?likeness for attribute '(.*)'", "beta-likeness={0} {1} enhanced=true"),
    (rf"(?:basic-)?{_NUMBER}-(?:beta-)?likeness for attribute '(.*)'", "beta-likeness={0} {1}"),
    (rf"{_NUMBER}-disclosure(?:-privacy)? for attribute '(.*)'", "delta-disclosure={0} {1}"),
)
"""What the models are called there, and here; a name of an attribute is the last group."""
_OBJECTIVES = {"loss": "loss", "precision": "precision", "entropy": "entropy", "discernability": "discernibility",
               "discernibility": "discernibility", "average equivalence class size": "class-size",
               "ambiguity": "ambiguity", "kl divergence": "kl"}  # fmt: skip

_LISTED = ("suppressedAttributeTypes", "practicalMonotonicity")


def read_arx(path: Path) -> Imported:
    """Return what a project declares and asks for; its data and hierarchies come along as files."""
    try:
        with zipfile.ZipFile(path) as project:
            names = set(project.namelist())
            definition = _part(project, names, "input/definition.xml", path)
            config = _part(project, names, "input/config.xml", path)
            files = {
                name: project.read(name)
                for name in sorted(names)
                if name == "data/input.csv" or re.fullmatch(r"input/hierarchies/[^/]+\.csv", name)
            }
    except FileError:
        raise
    except (zipfile.BadZipFile, ET.ParseError, KeyError, OSError, RuntimeError):
        raise FileError(
            f"{path.name!r} is no project of ARX that can be read.", hint="Save it again with ARX 3 or newer."
        ) from None
    imported = Imported("ARX")
    hierarchies: dict[str, str] = {}
    keys: list[str] = []
    for place, assignment in enumerate(definition.iter("assigment"), start=1):
        fields = {child.tag: (child.text or "").strip() for child in assignment}
        name, where = fields.get("name", ""), f"attribute {place}"
        kind = _ROLES.get(fields.get("type", ""))
        if not name or kind is None:
            imported.skip(where, fields.get("type") or "no type", "its role is not known; declare it by hand")
            continue
        imported.declare(kind, [name])
        if fields.get("datatype") in ("Integer", "Decimal") and kind != "keys":
            imported.declare("numeric", [name])
        _hierarchy(imported, files, fields, where, hierarchies)
        if kind == "keys":
            keys.append(name)
    if "data/input.csv" in files:
        imported.data = f"{path.stem}.csv"
        imported.files[imported.data] = files["data/input.csv"]
    _generalise(imported, config, hierarchies, keys)
    return imported


def _part(project: zipfile.ZipFile, names: set[str], name: str, path: Path) -> ET.Element:
    if name not in names:
        raise FileError(f"{path.name!r} holds no {name!r}.", hint="Save the project again with ARX 3 or newer.")
    if project.getinfo(name).file_size > 1 << 26:
        raise FileError(f"{path.name!r}: {name!r} is too large to be what its name says.")
    text = project.read(name)
    if b"<!ENTITY" in text or b"<!DOCTYPE" in text:
        raise FileError(f"{path.name!r}: {name!r} declares entities, which no project does.")
    return ET.fromstring(text)  # noqa: S314 - without entities there is nothing to expand


def _hierarchy(
    imported: Imported, files: dict[str, bytes], fields: dict[str, str], where: str, hierarchies: dict[str, str]
) -> None:
    name, reference = fields["name"], fields.get("ref")
    if fields.get("microAggregationFunction"):
        imported.skip(where, f"microaggregation of {name!r}", "add a step mdav, kmodes or mixed-mdav after the first")
    if not reference:
        return
    packed = f"input/{reference}"
    if packed not in files:
        imported.skip(where, f"hierarchy of {name!r}", "the project does not hold its file")
        return
    stem = f"hierarchy_{re.sub(r'[^A-Za-z0-9_-]+', '-', name)}"
    target, place = f"{stem}.csv", 2
    while target.lower() in {other.lower() for other in imported.files}:  # other names may be written alike
        target, place = f"{stem}-{place}.csv", place + 1
    imported.files[target] = files[packed]
    hierarchies[name] = target
    for end in ("min", "max"):
        if fields.get(end, "All") != "All":
            imported.skip(
                where, f"{end}imum step of {name!r}", "the search takes every step; shorten the hierarchy instead"
            )


def _generalise(imported: Imported, config: ET.Element, hierarchies: dict[str, str], keys: list[str]) -> None:
    models = []
    for criterion in config.iter("criterion"):
        text = (criterion.text or "").strip()
        for pattern, model in _MODELS:
            match = re.fullmatch(pattern, text, re.IGNORECASE)
            if match:
                numbers, attribute = list(match.groups()), ""
                if "'" in text:
                    attribute = numbers.pop()
                groups = [re.sub(r"\.0+$", "", group) if place == 0 else group for place, group in enumerate(numbers)]
                groups += [_quoted(attribute)] if attribute else []
                if _is_model(model.format(*groups)):
                    models.append(model.format(*groups))
                else:
                    imported.skip("config", "a privacy model", f"its number is none that {_shape(text)} can have here")
                break
        else:
            imported.skip("config", "a privacy model", f"no equivalent is known of {_shape(text)}")
    parameters: dict[str, object] = {"attributes": keys} if keys else {}
    if hierarchies:
        parameters["hierarchies"] = {name: hierarchies[name] for name in hierarchies if name in keys or not keys}
    if models:
        parameters["models"] = "; ".join(models)
    if len(list(config.iter("relativeMaxOutliers"))) > 1:
        imported.skip(
            "config", "the share of records that may be suppressed", "it is said more than once; the first is"
        )
    for tag in _LISTED:
        if any("".join(one.itertext()).strip().lower() not in ("", "false") for one in config.iter(tag)):
            imported.skip("config", tag, "not taken over")
    limit = config.findtext("relativeMaxOutliers")
    share = _number(limit)
    if share is not None:
        parameters["suppression"] = min(max(share, 0.0), 1.0)
    elif limit:
        imported.skip("config", "the share of records that may be suppressed", "it is no number; none may be")
        parameters["suppression"] = 0.0
    metric = (config.findtext("metric") or "").lower()
    objective = next((ours for theirs, ours in _OBJECTIVES.items() if theirs in metric), None)
    if objective:
        parameters["objective"] = objective
    elif metric:
        imported.skip("config", "the utility measure", "no objective of that name; loss is made least")
    weights = {}
    for one in config.iter("attributeWeight"):
        name, weight = one.findtext("attribute", ""), _number(one.findtext("weight") or "0")
        if weight is None:
            imported.skip("config", f"the weight of {name!r}", "it is no number")
        elif weight > 0 and name in keys:
            weights[name] = weight
    if weights and len(set(weights.values())) > 1:
        parameters["importance"] = weights
    if not models:
        imported.skip("config", "privacy models", "none is set that is known here; k = 5 stands in")
        parameters["k"] = 5
    note = "ARX's search: full-domain generalisation. ARX keeps suppressed records as rows of *; here they are left out"
    imported.steps.append((Step("generalisation", parameters), note))


def _is_model(text: str) -> bool:
    """Whether there is a model of these numbers: records and different values are counted in whole ones.

    Examples
    --------
    >>> _is_model("k=5"), _is_model("k=2.5"), _is_model("l-diversity=2.5 ill"), _is_model("t-closeness=7 ill")
    (True, False, False, False)
    """
    try:
        read_model(text)
    except DiscreetError:
        return False
    counted = re.match(r"(?:k|l-diversity)=([0-9.eE+-]+)", text)
    number = _number(counted[1]) if counted and "kind_of=entropy" not in text else None
    return number is None or number.is_integer()


def _quoted(name: str) -> str:
    """Return a name as a model's text takes it: in quotes where it has blanks or the like."""
    return name if re.fullmatch(r"[^\s'\"\\]+", name) else shlex.quote(name)


def _number(text: str | None) -> float | None:
    """Return the finite number that a text is, or None."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _shape(text: str) -> str:
    """Return the words of a model without its numbers and names."""
    words = re.sub(r"'[^']*'", "", re.sub(r"[0-9.,()]+", "", text)).split()
    return " ".join(words[:6]) or "an empty one"
