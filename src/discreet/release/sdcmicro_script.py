"""A script of sdcMicro: the usual calls, as roles and steps of a protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from discreet.release.imported import Imported
from discreet.release.protocol_parts import Step
from discreet.release.r_calls import RCall, RName, r_calls

__all__ = ["read_sdcmicro"]

_READERS = {"read.csv", "read.csv2", "read.table", "read.delim", "read_csv", "read_csv2", "read_delim", "fread",
            "read_dta", "read_sav", "read_spss", "read.dta", "read.spss", "read_parquet"}  # fmt: skip
_SILENT = {"library", "require", "suppressWarnings", "suppressMessages", "options", "rm", "setwd", "cat", "message",
           "head", "summary", "str", "names", "nrow", "ncol", "dim", "View", "plot", "set.seed"}  # fmt: skip
_MEASURED = {
    "print": "every report shows it",
    "measure_risk": "`discreet risk` and every assessment",
    "indivRisk": "the measure individual-risk",
    "freqCalc": "the measures uniques and k-anonymity",
    "suda2": "the measure suda2",
    "ldiversity": "the measure l-diversity; to enforce it, l of local-suppression",
    "modRisk": "the measure loglinear-risk",
    "dRisk": "the measures deviation-interval and distance-linkage",
    "dRiskRMD": "the measure mahalanobis-interval",
    "dUtility": "the measures il1s and eigenvalues",
    "riskyCells": "`discreet risk`",
    "report": "`discreet run` writes the internal and the external report",
    "writeSafeFile": "`discreet run` writes the release; its name stands in [release]",
    "extractManipData": "`discreet run` writes the release",
    "write.csv": "`discreet run` writes the release",
    "write_dta": "`discreet run` writes the release",
    "write_sav": "`discreet run` writes the release",
    "calcRisks": "every assessment",
}
_ROLES = {"keyVars": "keys", "numVars": "keys", "pramVars": "keys", "strataVar": "strata",
          "sensibleVar": "confidential", "excludeVars": "identifiers", "weightVar": "weight",
          "hhId": "household"}  # fmt: skip
_NOISE = {"additive": "additive-noise", "correlated": "correlated-noise", "correlated2": "correlated-noise",
          "restr": "correlated-noise", "ROMM": "romm"}  # fmt: skip
_GROUPS = {"mdav": "mdav", "rmd": "mdav", "onedims": "individual-ranking", "single": "sorted-groups",
           "simple": "sorted-groups", "pca": "projection", "mcdpca": "projection", "pppca": "projection"}  # fmt: skip


def read_sdcmicro(text: str) -> Imported:
    r"""Return what the usual calls of a script ask for; every other line is listed.

    Examples
    --------
    >>> script = 'sdc <- createSdcObj(dat, keyVars = c("age", "sex"))\nsdc <- kAnon(sdc, k = 3)\nfit(x)'
    >>> imported = read_sdcmicro(script)
    >>> imported.columns["keys"], imported.steps[0][0].method, str(imported.unread[0])
    (['age', 'sex'], 'local-suppression', 'line 3: fit: no call of sdcMicro that is known here')
    """
    imported = Imported("sdcMicro")
    for call in r_calls(text):
        where = f"line {call.line}"
        if not call.function:
            imported.skip(where, "an expression", "it would have to be run; what it does to the data is not taken over")
        elif call.function in _READERS:
            _data(imported, call, where)
        elif call.function == "set.seed":
            imported.skip(where, call.function, "R's draws cannot be had again; the protocol has a seed of its own")
        elif call.function in _SILENT:
            continue
        elif call.function in _MEASURED:
            imported.skip(where, call.function, f"no step; see {_MEASURED[call.function]}")
        elif call.function in _CALLS:
            _CALLS[call.function](imported, call, where)
        else:
            imported.skip(where, call.function, "no call of sdcMicro that is known here")
    return imported


def _data(imported: Imported, call: RCall, where: str) -> None:
    path = call.argument("file", 0)
    if not isinstance(path, str):
        imported.skip(where, call.function, "the name of its file is not written out; give --data")
        return
    imported.data = path
    separator = call.argument("sep")
    separator = ";" if call.function in ("read.csv2", "read_csv2") else separator
    if isinstance(separator, str) and len(separator) == 1 and separator != ",":
        imported.layout["delimiter"] = separator


def _names(value: Any) -> list[str | int] | None:
    """Return the columns that a value names, by name or place; None where it is no list of columns."""
    values = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else [value]
    names = [one for one in values if isinstance(one, str | int) and not isinstance(one, bool)]
    return names if names and len(names) == len(values) else None


def _create(imported: Imported, call: RCall, where: str) -> None:
    for name, value in call.named.items():
        if name in ("dat", "alpha", "seed", "options", "randomizeRecords") or value is None:
            continue
        columns = _names(value)
        if name == "ghostVars":
            _ghosts(imported, value, where)
        elif name not in _ROLES:
            imported.skip(where, f"createSdcObj({name})", "not taken over")
        elif columns is None:
            imported.skip(where, f"createSdcObj({name})", "the columns are not written out; declare them by hand")
        else:
            _declare(imported, name, columns)
    for place, name in enumerate(("keyVars", "numVars", "pramVars"), start=1):
        columns = _names(call.places[place]) if place < len(call.places) else None
        if columns is not None:
            _declare(imported, name, columns)


def _declare(imported: Imported, name: str, columns: list[str | int]) -> None:
    imported.declare(_ROLES[name], columns)
    imported.sets[name] = columns
    if name == "numVars":
        imported.declare("numeric", columns)


def _ghosts(imported: Imported, value: Any, where: str) -> None:
    pairs = value.values() if isinstance(value, dict) else []
    ghosts: dict[str, list[str]] = {}
    for pair in pairs:
        parts = list(pair.values()) if isinstance(pair, dict) else pair if isinstance(pair, list) else []
        if len(parts) == 2 and all(_names(part) for part in parts):
            leaders, followers = (_names(part) or [] for part in parts)
            ghosts |= {str(leader): [str(name) for name in followers] for leader in leaders}
    if ghosts:
        imported.steps.append((Step("ghost-suppression", {"ghosts": ghosts}), f"{where}: ghostVars"))
    else:
        imported.skip(where, "createSdcObj(ghostVars)", "the columns are not written out")


def _columns(imported: Imported, call: RCall, where: str, default: str) -> dict[str, Any]:
    """Return the parameter `attributes` of a call: the columns that it names, or those of the object's own list."""
    value = call.argument("variables", 1)
    columns = None if value is None or isinstance(value, RName | RCall) else _names(value)
    if value is not None and columns is None:
        imported.skip(where, f"{call.function}(variables)", f"the columns are not written out; {default} are taken")
    columns = columns or imported.sets.get(default)
    return {"attributes": list(columns)} if columns else {}


def _rest(imported: Imported, call: RCall, where: str, *used: str) -> None:
    for name, value in call.named.items():
        if name not in (*used, "obj") and value is not None:
            imported.skip(where, f"{call.function}({name})", "not taken over")


def _number(value: Any, default: float) -> Any:
    if isinstance(value, list) and value and all(isinstance(one, int | float) for one in value):
        return value[0]
    return value if isinstance(value, int | float) and not isinstance(value, bool) else default


def _suppress(imported: Imported, call: RCall, where: str) -> None:
    parameters: dict[str, Any] = {}
    k, combinations = call.argument("k", 1), call.argument("combs")
    if isinstance(k, list) and isinstance(combinations, list) and len(k) == len(combinations):
        parameters["combinations"] = {str(size): one for size, one in zip(combinations, k, strict=True)}
    else:
        parameters["k"] = int(_number(k, 2))
        if combinations is not None:
            imported.skip(where, f"{call.function}(combs)", "sizes of combinations go with as many k")
    importance, keys = call.argument("importance"), imported.sets.get("keyVars", [])
    parameters |= {"attributes": list(keys)} if keys else {}
    if isinstance(importance, list):
        if len(importance) == len(keys) and all(isinstance(key, str) for key in keys):
            ranked = sorted(zip(importance, [str(key) for key in keys], strict=True))
            parameters["importance"] = [name for _, name in ranked]
        else:
            imported.skip(where, f"{call.function}(importance)", "it does not say one number for every named key")
    parameters["missing"] = "wildcard"
    _rest(imported, call, where, "k", "combs", "importance")
    note = (
        f"{where}: {call.function}. sdcMicro takes a missing value for any value, as here; "
        'missing = "category" is stricter'
    )
    imported.steps.append((Step("local-suppression", parameters), note))


def _individual(imported: Imported, call: RCall, where: str) -> None:
    threshold, key = call.argument("threshold", 1), call.argument("keyVar", 2)
    suppressed = {"suppress": [key]} if isinstance(key, str) else {}
    parameters = {"threshold": _number(threshold, 0.15), **suppressed, "missing": "wildcard"}
    imported.steps.append((Step("risk-suppression", parameters), f"{where}: localSupp"))


def _recode(imported: Imported, call: RCall, where: str) -> None:
    column, breaks = call.argument("column", 1), call.argument("breaks", 2)
    if not isinstance(column, str) or not isinstance(breaks, list | int):
        imported.skip(where, "globalRecode", "its column or breaks are not written out")
        return
    if call.argument("labels") is not None:
        imported.skip(where, "globalRecode(labels)", "bands are named by their numbers; rename them with level-map")
    if isinstance(breaks, int):
        bands = f"equal:{breaks}"
    else:
        numbers = [f"{one:g}" for one in breaks if isinstance(one, int | float) and abs(one) < 1e15]
        bands = ",".join(numbers)
    note = f"{where}: globalRecode. R's intervals are open at the left, (15, 30]; bands here at the right, [15, 30)"
    imported.declare("numeric", [column])
    imported.steps.append((Step("banding", {"bands": {column: bands}}), note))


def _rename(imported: Imported, call: RCall, where: str) -> None:
    column, before, after = (call.argument(*one) for one in (("var", 1), ("before", 2), ("after", 3)))
    before = before if isinstance(before, list) else [before]
    after = after if isinstance(after, list) else [after] * len(before)
    texts = [*before, *after]
    if not isinstance(column, str) or len(before) != len(after) or not all(isinstance(one, str | int) for one in texts):
        imported.skip(where, "groupAndRename", "its column or levels are not written out")
        return
    maps = {str(old): str(new) for old, new in zip(before, after, strict=True)}
    imported.declare("nominal", [column])
    imported.steps.append((Step("level-map", {"maps": {column: maps}}), f"{where}: groupAndRename"))


def _ends(imported: Imported, call: RCall, where: str) -> None:
    column, value = call.argument("column"), call.argument("value", 1)
    method = "bottom-coding" if call.argument("kind") == "bottom" else "top-coding"
    if not isinstance(column, str) or not isinstance(value, int | float):
        imported.skip(where, "topBotCoding", "its column or value is not written out")
        return
    replacement = call.argument("replacement", 2)
    if replacement not in (None, value):
        imported.skip(where, "topBotCoding(replacement)", "the threshold is released; or replacement = mean, median")
    imported.declare("numeric", [column])
    imported.steps.append((Step(method, {"threshold": value, "attributes": [column]}), f"{where}: topBotCoding"))


def _aggregate(imported: Imported, call: RCall, where: str) -> None:
    method = call.argument("method") or "mdav"
    if method not in _GROUPS:
        imported.skip(where, f"microaggregation(method = {method!r})", "no such grouping here; mdav is taken")
    parameters: dict[str, Any] = {
        "k": int(_number(call.argument("aggr"), 3)),
        **_columns(imported, call, where, "numVars"),
    }
    if method in ("mcdpca", "pppca"):
        parameters["axis"] = "robust"
    if method == "rmd":
        imported.skip(where, "microaggregation(method = 'rmd')", "distances are not robust here; mdav is taken")
    strata = call.argument("strata_variables")
    if strata is not None and _names(strata):
        parameters["strata"] = _names(strata)
    _rest(imported, call, where, "method", "aggr", "variables", "strata_variables")
    imported.steps.append((Step(_GROUPS.get(str(method), "mdav"), parameters), f"{where}: microaggregation"))


def _gower(imported: Imported, call: RCall, where: str) -> None:
    parameters = {"k": int(_number(call.argument("k"), 3)), **_columns(imported, call, where, "keyVars")}
    imported.steps.append((Step("mixed-mdav", parameters), f"{where}: microaggrGower"))


def _pram(imported: Imported, call: RCall, where: str) -> None:
    stays = call.argument("pd", 2)
    parameters: dict[str, Any] = {"theta": round(1 - float(_number(stays, 0.8)), 12), "invariant": True}
    parameters |= _columns(imported, call, where, "pramVars")
    strata = call.argument("strata_variables")
    if strata is not None and _names(strata):
        parameters["strata"] = _names(strata)
    _rest(imported, call, where, "variables", "pd", "strata_variables")
    note = (
        f"{where}: pram. pd is the least probability to stay; theta is the share that may change, and invariant "
        "keeps totals"
    )
    imported.steps.append((Step("pram", parameters), note))


def _noise(imported: Imported, call: RCall, where: str) -> None:
    method = str(call.argument("method") or "additive")
    if method not in _NOISE:
        imported.skip(where, f"addNoise(method = {method!r})", "no such noise here; additive noise is taken")
    name = _NOISE.get(method, "additive-noise")
    if name == "romm":
        parameters = _columns(imported, call, where, "numVars")
    else:
        percent = float(_number(call.argument("noise"), 150))
        parameters = {"level": percent / 100, **_columns(imported, call, where, "numVars")}
    _rest(imported, call, where, "method", "noise", "variables", "p")
    note = f"{where}: addNoise. noise is in percent of a standard deviation; level is its hundredth"
    imported.steps.append((Step(name, parameters), note))


def _swap(imported: Imported, call: RCall, where: str) -> None:
    parameters = {"p": _number(call.argument("P"), 5), **_columns(imported, call, where, "numVars")}
    _rest(imported, call, where, "P", "variables")
    imported.steps.append((Step("rank-swapping", parameters), f"{where}: rankSwap"))


def _shuffle(imported: Imported, _call: RCall, where: str) -> None:
    imported.skip(where, "shuffle(form)", "name what predicts in predictors")
    attributes = {"attributes": imported.sets["numVars"]} if "numVars" in imported.sets else {}
    imported.steps.append((Step("shuffling", attributes), f"{where}: shuffle"))


def _identifiers(imported: Imported, call: RCall, where: str) -> None:
    columns = _names(call.argument("var", 1))
    if columns is None:
        imported.skip(where, "removeDirectID", "the columns are not written out")
    else:
        imported.declare("identifiers", columns)


def _undo(imported: Imported, _call: RCall, where: str) -> None:
    if imported.steps:
        step, _ = imported.steps.pop()
        imported.skip(where, "undolast", f"the step {step.method} before it was left out")


def _scale(kind: str) -> Callable[[Imported, RCall, str], None]:
    def declare(imported: Imported, call: RCall, where: str) -> None:
        columns = _names(call.argument("var", 1))
        if columns is None:
            imported.skip(where, call.function, "the columns are not written out")
        else:
            imported.declare(kind, columns)

    return declare


_CALLS: dict[str, Callable[[Imported, RCall, str], None]] = {
    "createSdcObj": _create,
    "localSuppression": _suppress,
    "kAnon": _suppress,
    "localSupp": _individual,
    "globalRecode": _recode,
    "groupAndRename": _rename,
    "topBotCoding": _ends,
    "microaggregation": _aggregate,
    "mafast": _aggregate,
    "microaggrGower": _gower,
    "pram": _pram,
    "addNoise": _noise,
    "rankSwap": _swap,
    "shuffle": _shuffle,
    "removeDirectID": _identifiers,
    "undolast": _undo,
    "varToFactor": _scale("nominal"),
    "varToNumeric": _scale("numeric"),
}
