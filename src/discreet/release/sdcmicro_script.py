"""A script of sdcMicro: the usual calls, as roles and steps of a protocol."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from discreet import catalogue
from discreet.errors import DiscreetError, FileError
from discreet.release.imported import Imported
from discreet.release.protocol_parts import Step
from discreet.release.r_calls import RCall, RName, is_literal, r_calls

__all__ = ["read_sdcmicro"]

_READERS = {"read.csv", "read.csv2", "read.table", "read.delim", "read_csv", "read_csv2", "read_delim", "fread",
            "read_dta", "read_sav", "read_spss", "read.dta", "read.spss", "read_parquet"}  # fmt: skip
_SILENT = {"library", "require", "suppressPackageStartupMessages", "options", "rm", "setwd", "cat", "message",
           "head", "summary", "str", "names", "nrow", "ncol", "dim", "View", "plot", "set.seed"}  # fmt: skip
_READING = {"file", "sep", "dec", "header", "stringsAsFactors", "as.is", "check.names", "use.value.labels",
            "to.data.frame", "data.table", "show_col_types", "verbose", "showProgress"}  # fmt: skip
"""Of calls that read a table: what is taken over, and what changes nothing here."""
_WRAPPERS = {"suppressWarnings", "suppressMessages", "invisible"}
_VALUES = {"c", "list", "seq", "rep", "paste", "paste0", "colnames", "setdiff", "which", "factor"}
"""Calls that give a value and do nothing to the data by themselves; a name that gets it stays unknown."""
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


_FORMALS: dict[str, tuple[str, ...]] = {
    "createSdcObj": ("dat", "keyVars", "numVars", "pramVars", "ghostVars", "weightVar", "hhId", "strataVar",
                     "sensibleVar", "excludeVars", "options", "seed", "randomizeRecords", "alpha"),
    "localSuppression": ("obj", "k", "importance", "combs"),
    "kAnon": ("obj", "k", "importance", "combs"),
    "localSupp": ("obj", "threshold", "keyVar"),
    "globalRecode": ("obj", "column", "breaks", "labels", "method"),
    "groupAndRename": ("obj", "var", "before", "after", "addNA"),
    "topBotCoding": ("obj", "value", "replacement", "kind", "column"),
    "microaggregation": ("obj", "variables", "aggr", "strata_variables", "method"),
    "mafast": ("obj", "variables", "by", "aggr", "measure"),
    "microaggrGower": ("obj", "variables", "aggr"),
    "pram": ("obj", "variables", "strata_variables", "pd", "alpha"),
    "addNoise": ("obj", "variables", "noise", "method"),
    "rankSwap": ("obj", "variables", "TopPercent", "BottomPercent", "K0", "R0", "P"),
    "shuffle": ("obj", "form", "method"),
    "removeDirectID": ("obj", "var"),
    "varToFactor": ("obj", "var"),
    "varToNumeric": ("obj", "var"),
}  # fmt: skip
"""The arguments of calls in R's order, as far as they go without a name."""
_SUPPRESSED, _MASKED = ("k", "importance", "combs"), ("variables", "strata_variables", "method")
_NEEDED = {
    "localSuppression": _SUPPRESSED, "kAnon": _SUPPRESSED, "localSupp": ("threshold", "keyVar"),
    "microaggregation": ("aggr", *_MASKED), "mafast": ("aggr", *_MASKED), "microaggrGower": ("aggr", "k", *_MASKED),
    "pram": ("pd", *_MASKED), "addNoise": ("noise", *_MASKED), "rankSwap": ("P", *_MASKED),
}  # fmt: skip
"""What a step is made of: where one of these cannot be told, there is no step."""
_FURTHER = {
    "microaggregation": ("weights", "nc", "clustermethod", "measure", "trim", "varsort", "transf"),
    "microaggrGower": ("dist_var", "by", "mixed", "mixed.constant", "trace", "weights", "numFun", "catFun",
                       "addRandom"),
    "rankSwap": ("missing", "seed"),
    "shuffle": ("weights", "covmethod", "regmethod", "gadp"),
}  # fmt: skip
"""Arguments that are never taken over, and which the beginning of a name may mean as well."""
_RELEASES = {"extractManipData", "writeSafeFile"}
"""Calls that say which object's data leave the house."""
_NUMBERS = {"k", "threshold", "aggr", "pd", "noise", "P"}


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
    history: list[int] = []
    recognised = False
    calls = [_unwrapped(call) for call in r_calls(text)]
    left_out = _left_out(calls)
    for place, call in enumerate(calls):
        where = f"line {call.line}"
        recognised |= call.function in _READERS | _SILENT | _MEASURED.keys() | _CALLS.keys() | {"undolast"}
        if call.literal:
            continue
        inner = _inner(call)
        if _unread(call, inner):
            history.append(_NOT_READ)
        if inner and call.function not in _WRAPPERS | _VALUES:
            imported.skip(where, call.function, f"not read: {inner} stands within it; give it a line of its own")
        elif place in left_out:
            imported.skip(where, call.function, left_out[place])
        elif call.function in {"", *_WRAPPERS, *_VALUES}:
            imported.skip(where, "an expression", "it would have to be run; what it does to the data is not taken over")
        elif call.function in _READERS:
            _data(imported, call, where)
        elif call.function == "set.seed":
            imported.skip(where, call.function, "R's draws cannot be had again; the protocol has a seed of its own")
        elif call.function in _SILENT:
            continue
        elif call.function in _MEASURED:
            imported.skip(where, call.function, f"no step; see {_MEASURED[call.function]}")
            _shuffle_records(imported, call, where)
        elif call.function == "undolast":
            _undo(imported, history, where)
        elif call.function in _CALLS:
            before = len(imported.steps)
            _take(imported, call, where)
            if call.function != "createSdcObj":
                history.append(len(imported.steps) - before)
        else:
            imported.skip(where, call.function, "no call of sdcMicro that is known here")
    # What follows a suppression, and the order of records, come when every other step was taken.
    imported.steps += imported.last_steps
    if not recognised:
        raise FileError(
            "Nothing in the file could be read as a script of sdcMicro.",
            hint="It must be the text of an R script, with calls such as createSdcObj, localSuppression or pram.",
        )
    return imported


_NOT_READ = -1
"""In the history of calls: something that may have been any number of them."""


def _unread(call: RCall, inner: str) -> bool:
    """Whether nobody can tell how often a statement changed the object, for one that takes the last change back."""
    if inner or (call.function in _MEASURED and call.result):
        return True
    return call.function not in _READERS | _SILENT | _MEASURED.keys() | _CALLS.keys() | {"undolast"}


def _inner(call: RCall) -> str:
    """Return the call that stands within another one and would be dropped with it, by its name; else nothing."""
    changes = _CALLS.keys() | {"undolast"}
    # What an object is made of is looked at where its roles are taken over.
    changed = call.function in changes - {"createSdcObj"} and not call.piped
    first = call.argument("obj", 0) if changed else None
    if isinstance(first, RCall):
        return first.function
    if isinstance(first, RName) and re.search(r"[^\w.`]", first.text):
        return "an expression"
    for value in _deep([*call.places[call.piped :], *call.named.values()]):
        if isinstance(value, RCall) and value.function in changes:
            return value.function
        for name in re.findall(r"[\w.]+(?=\()", value.text) if isinstance(value, RName) else ():
            if name in changes:
                return str(name)
    return ""


def _deep(values: Sequence[Any]) -> Iterator[Any]:
    """Yield values and what stands within them, however deep."""
    for value in values:
        yield value
        if isinstance(value, RCall):
            yield from _deep([*value.places, *value.named.values()])
        elif isinstance(value, list | dict):
            yield from _deep(list(value.values() if isinstance(value, dict) else value))


def _left_out(calls: Sequence[RCall]) -> dict[int, str]:
    """Return the calls that the released object does not come from, by their places, and why each is left out.

    An object is known by the call that it was last changed by. The released one is that which the last call gave, or
    which was asked for its data since; what it does not come from belongs to other objects, or came to nothing.
    """
    changing = {place for place, call in enumerate(calls) if call.function in _CALLS or call.function == "undolast"}
    made = any(calls[place].function == "createSdcObj" for place in changing)
    held: dict[str, int] = {}  # by the names of objects, "" for one that got none
    before: dict[int, int | None] = {}
    strangers: set[int] = set()
    last: int | None = None
    released: int | None = None
    flow: int | None = None  # what goes through a chain of pipes
    for place, call in enumerate(calls):
        result = call.result.strip("`")
        known = [held[word] for word in call.words if word in held]
        if place not in changing:
            flow = flow if call.piped else next(iter(known), None)
            if known and any(word.split("::")[-1] in _RELEASES for word in (call.function, *call.words)):
                released = known[-1]
            if result and len(set(known)) == 1:
                held[result] = known[0]
            elif result:
                held.pop(result, None)
            continue
        name = _object_name(call)
        earlier = flow if call.piped else held.get(name, next(iter(known), held.get("")))
        if call.function == "createSdcObj":
            earlier = None
        elif earlier is None and made:
            strangers.add(place)
            continue
        before[place] = earlier
        last = released = flow = place
        if place + 1 < len(calls) and calls[place + 1].piped:
            continue
        # A call whose result nobody keeps counts as one that changes its object.
        unnamed = call.function == "createSdcObj" or (name not in held and "" in held)
        held[result or ("" if unnamed else name)] = place
    if released == last and last is not None:
        released = _still_used(calls, last, before)
    kept: set[int] = set()
    while released is not None:
        kept.add(released)
        released = before[released]
    why = "not taken over: it is about another object than the one that is released"
    unmade = "not taken over: its object is none that the script makes"
    return {place: unmade if place in strangers else why for place in sorted(changing - kept)}


def _still_used(calls: Sequence[RCall], last: int, before: dict[int, int | None]) -> int:
    """Return the last change, or one before it where its result is never looked at again and its object is."""
    place: int | None = last
    while place is not None:
        call, earlier = calls[place], before[place]
        later = {word for one in calls[last + 1 :] if one.function != "rm" for word in one.words}
        name = _object_name(call)
        dead = call.result and call.result.strip("`") not in later and call.result.strip("`") != name and name in later
        if not dead or earlier is None:
            return place
        place = earlier
    return last


def _object_name(call: RCall) -> str:
    """Return what the object is called that a call changes."""
    first = call.argument(_FORMALS[call.function][0] if call.function in _FORMALS else "obj", 0)
    return first.text.strip("`") if isinstance(first, RName) else ""


def _unwrapped(call: RCall) -> RCall:
    """Return the call that stands in one that only keeps it quiet."""
    if call.function in _WRAPPERS and call.places and isinstance(call.places[0], RCall):
        return _unwrapped(replace(call.places[0], result=call.result, words=call.words))
    return call


def _take(imported: Imported, call: RCall, where: str) -> None:
    """Take a call over, or list why not; what is not written out, or what the method refuses, gives no step."""
    wholes = {name: _whole_name(call.function, name) for name in call.named}
    for name, whole in wholes.items():
        if not whole or list(wholes.values()).count(whole) > 1:
            why = "it may be the beginning of several arguments, or one is given twice; the call is not taken over"
            imported.skip(where, f"{call.function}({name})", why)
            return
    call = replace(call, named={wholes[name]: value for name, value in call.named.items()})
    left = [name for name in _FORMALS[call.function] if name not in call.named]
    for _ in call.places[len(left) :]:
        imported.skip(where, call.function, "it has more arguments without a name than are known here")
    named = {**dict(zip(left, call.places, strict=False)), **call.named}
    needed = _NEEDED.get(call.function, ())
    for name in needed:
        value = named.get(name)
        if isinstance(value, list) and len(value) == 1 and (name in _NUMBERS or name in ("method", "keyVar")):
            named[name] = value[0]
    refusals = {name: _refusal(name, named.get(name)) for name in needed}
    for name, why in refusals.items():
        if why:
            imported.skip(where, f"{call.function}({name})", f"{why}; the call is not taken over")
    if any(refusals.values()):
        return
    before, listed = len(imported.steps), len(imported.unread)
    _CALLS[call.function](imported, replace(call, places=(), named=named), where)
    for step, _ in imported.steps[before:]:
        given = {name: value for name, value in step.parameters.items() if name not in ("attributes", "strata")}
        try:
            catalogue.build("masker", step.method, given, call.function)
        except DiscreetError as error:
            del imported.steps[before:], imported.unread[listed:]
            owner = catalogue.method("masker", step.method).__name__
            why = error.message.removeprefix(f"{call.function}: ").removeprefix(f"{owner}: ").rstrip(".")
            imported.skip(where, call.function, f"{step.method} refuses it: {why}; the call is not taken over")
            return


def _whole_name(function: str, name: str) -> str:
    """Return the argument that a name stands for, which R lets one begin only; nothing where it could be several.

    Examples
    --------
    >>> [_whole_name("microaggregation", name) for name in ("aggr", "agg", "me", "cores")]
    ['aggr', 'aggr', '', 'cores']
    """
    known = dict.fromkeys((*_FORMALS[function], *_FURTHER.get(function, ()), *_NEEDED.get(function, ())))
    meant = [one for one in known if one.startswith(name)]
    if name in known:
        return name
    # R tells large letters from small ones; who mixes them up means something that is not the default.
    mixed = any(one.lower() == name.lower() for one in _NEEDED.get(function, ()))
    return meant[0] if len(meant) == 1 else "" if meant or mixed else name


def _refusal(name: str, value: Any) -> str:
    """Return why nothing can be made of an argument; nothing where something can, or where it is not given."""
    if not is_literal(value):
        return "its value is not written out"
    if value is None:
        return ""
    if name in _NUMBERS:
        numbers = value if name == "k" and isinstance(value, list) and value else [value]
        return "" if all(_is_number(one) for one in numbers) else "it must be one number"
    if name in ("variables", "strata_variables"):
        return "" if _names(value) else "it names no columns"
    if name in ("method", "keyVar"):
        return "" if isinstance(value, str) else "it must be one name"
    return ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _whole(value: Any) -> Any:
    """Return a number that is whole as such; any other as it is, for the method to refuse."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _data(imported: Imported, call: RCall, where: str) -> None:
    path = call.argument("file", 0)
    if not isinstance(path, str):
        imported.skip(where, call.function, "the name of its file is not written out; give --data")
        return
    if imported.data not in ("", path):
        imported.skip(where, call.function, "a second file is read; the protocol is about this one alone")
    imported.data = path
    imported.layout.clear()
    separator = call.argument("sep")
    separator = ";" if call.function in ("read.csv2", "read_csv2") else separator
    if isinstance(separator, str) and len(separator) == 1 and separator != ",":
        imported.layout["delimiter"] = separator
    if call.argument("dec") in (".", ","):
        imported.layout["decimal"] = call.argument("dec")
    if isinstance(call.argument("header"), bool):
        imported.layout["header"] = call.argument("header")
    for name, value in call.named.items():
        if name in ("na.strings", "na", "user_na"):
            why = "declare these codes of the attributes that have them, as missing = [...]"
            imported.skip(where, f"{call.function}({name})", why)
        elif name in ("dec", "header", "sep") and name not in _said(imported) and value not in (",", ""):
            imported.skip(where, f"{call.function}({name})", "its value cannot be read; see [data]")
        elif name not in _READING:
            imported.skip(where, f"{call.function}({name})", "not taken over; see [data]")


def _said(imported: Imported) -> set[str]:
    """Return what was taken over of how a table is read, by R's names."""
    names = {"delimiter": "sep", "decimal": "dec", "header": "header"}
    return {names[name] for name in imported.layout if name in names}


def _names(value: Any) -> list[str | int] | None:
    """Return the columns that a value names, each once, by name or place; None where it is no list of columns."""
    values = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else [value]
    names = [one for one in values if isinstance(one, str | int) and not isinstance(one, bool)]
    return list(dict.fromkeys(names)) if names and len(names) == len(values) else None


def _create(imported: Imported, call: RCall, where: str) -> None:
    for name, value in call.named.items():
        if name == "dat":
            _made_of(imported, value, where)
            continue
        if value is None:
            continue
        columns = _names(value)
        if name == "seed":
            imported.skip(where, "createSdcObj(seed)", "R's draws cannot be had again; the protocol has a seed")
        elif name == "randomizeRecords":
            _shuffle_records(imported, call, where)
        elif name == "ghostVars":
            _ghosts(imported, value, where)
        elif name not in _ROLES:
            imported.skip(where, f"createSdcObj({name})", "not taken over")
        elif columns is None:
            imported.skip(where, f"createSdcObj({name})", "the columns are not written out; declare them by hand")
        else:
            _declare(imported, name, columns)
            imported.places.setdefault(_ROLES[name], where)


def _made_of(imported: Imported, value: Any, where: str) -> None:
    """Take over which file an object is made of where it is read on the spot; list what else is done to the data."""
    if isinstance(value, RCall) and value.function in _READERS:
        _data(imported, value, where)
    elif isinstance(value, RCall) or (isinstance(value, RName) and re.search(r"[^\w.`]", value.text)):
        why = "what is done to the data here is not taken over; they are read as they are"
        imported.skip(where, "createSdcObj(dat)", why)


def _shuffle_records(imported: Imported, call: RCall, where: str) -> None:
    """Put the records into an order that says nothing, at the end, where a call asks for it."""
    asked = next((value for name, value in call.named.items() if "randomizeRecords".startswith(name)), None)
    if asked in (None, "no"):
        return
    if asked != "simple":
        why = "households do not stay together: all records are put into another order"
        imported.skip(where, f"{call.function}(randomizeRecords)", why)
    if all(step.method != "record-order" for step, _ in imported.last_steps):
        imported.last_steps.append((Step("record-order", {}), f"{where}: randomizeRecords"))


def _declare(imported: Imported, name: str, columns: list[str | int]) -> None:
    imported.declare(_ROLES[name], columns)
    imported.sets[name] = columns
    if name == "numVars":
        imported.declare("numeric", columns)


def _ghosts(imported: Imported, value: Any, where: str) -> None:
    pairs = list(value.values()) if isinstance(value, dict) else []
    ghosts: dict[str, list[str]] = {}
    for pair in pairs:
        parts = list(pair.values()) if isinstance(pair, dict) else pair if isinstance(pair, list) else []
        if len(parts) == 2 and all(_names(part) for part in parts):
            leaders, followers = (_names(part) or [] for part in parts)
            ghosts |= {str(leader): [str(name) for name in followers] for leader in leaders}
        elif len(pairs) > 1:
            imported.skip(where, "createSdcObj(ghostVars)", "the columns of one pair are not written out")
    if ghosts:
        note = f"{where}: ghostVars. What is suppressed in a key is here, too: after every suppression"
        imported.last_steps.insert(0, (Step("ghost-suppression", {"ghosts": ghosts}), note))
    else:
        imported.skip(where, "createSdcObj(ghostVars)", "the columns are not written out")


def _columns(imported: Imported, call: RCall, default: str) -> dict[str, Any]:
    """Return the parameter `attributes` of a call: the columns that it names, or those of the object's own list."""
    value = call.argument("variables")
    columns = imported.sets.get(default) if value is None else _names(value)
    return {"attributes": list(columns)} if columns else {}


def _strata(imported: Imported, call: RCall) -> dict[str, Any]:
    """Return the parameter `strata` of a call: what it names, or what the object is stratified by, as sdcMicro does."""
    value = call.argument("strata_variables")
    strata = imported.sets.get("strataVar") if value is None else _names(value)
    return {"strata": list(strata)} if strata else {}


def _rest(imported: Imported, call: RCall, where: str, *used: str) -> None:
    for name, value in call.named.items():
        if name not in (*used, "obj") and value is not None:
            imported.skip(where, f"{call.function}({name})", "not taken over")


def _suppress(imported: Imported, call: RCall, where: str) -> None:
    parameters: dict[str, Any] = {}
    k, combinations = call.argument("k"), call.argument("combs")
    if isinstance(k, list) and isinstance(combinations, list) and len(k) == len(combinations):
        parameters["combinations"] = {str(_whole(size)): _whole(one) for size, one in zip(combinations, k, strict=True)}
    else:
        parameters["k"] = 2 if k is None else _whole(max(k) if isinstance(k, list) else k)
        if isinstance(k, list):
            imported.skip(where, f"{call.function}(k)", "several numbers without as many combs; the largest is taken")
        if combinations is not None:
            imported.skip(where, f"{call.function}(combs)", "sizes of combinations go with as many k")
    importance, keys = call.argument("importance"), imported.sets.get("keyVars", [])
    parameters |= {"attributes": list(keys)} if keys else {}
    parameters |= _strata(imported, call)
    if importance is not None:
        numbers = importance if isinstance(importance, list) else [importance]
        if len(numbers) == len(keys) and all(map(_is_number, numbers)) and all(isinstance(key, str) for key in keys):
            ranked = sorted(zip(numbers, [str(key) for key in keys], strict=True))
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
    threshold, key = call.argument("threshold"), call.argument("keyVar")
    suppressed = {"suppress": [key]} if key is not None else {}
    parameters = {"threshold": 0.15 if threshold is None else threshold, **suppressed, "missing": "wildcard"}
    _rest(imported, call, where, "threshold", "keyVar")
    imported.steps.append((Step("risk-suppression", parameters), f"{where}: localSupp"))


def _recode(imported: Imported, call: RCall, where: str) -> None:
    column, breaks = call.argument("column"), call.argument("breaks")
    bands = _bands(breaks)
    if not isinstance(column, str) or not bands:
        names = [name for name, odd in (("column", not isinstance(column, str)), ("breaks", not bands)) if odd]
        imported.skip(where, "globalRecode", f"its {' and '.join(names)} cannot be read; the call is not taken over")
        return
    if call.argument("labels") is not None:
        imported.skip(where, "globalRecode(labels)", "bands are named by their numbers; rename them with level-map")
    _rest(imported, call, where, "column", "breaks", "labels")
    note = f"{where}: globalRecode. R's intervals are open at the left, (15, 30]; bands here at the right, [15, 30)"
    imported.declare("numeric", [column])
    imported.steps.append((Step("banding", {"bands": {column: bands}}), note))


def _bands(breaks: Any) -> str:
    """Return breaks as bands are written, infinite ones as open ends; nothing where they make no bands.

    Examples
    --------
    >>> _bands([0, 20, 40, math.inf]), _bands([-math.inf, 15]), _bands(4), _bands([1, "x"])
    ('0,20,40+', '<15', 'equal:4', '')
    """
    breaks = breaks[0] if isinstance(breaks, list) and len(breaks) == 1 else breaks
    if not isinstance(breaks, list):
        return f"equal:{_whole(breaks)}" if _is_number(breaks) else ""
    if not all(_is_number(one) or one in (math.inf, -math.inf) for one in breaks) or len(set(breaks)) < len(breaks):
        return ""
    edges = [f"{one:.15g}" for one in sorted(breaks) if math.isfinite(one)]
    if edges and -math.inf in breaks:
        edges = [f"<{edges[0]}", *edges[1:]]
    if edges and math.inf in breaks:
        # One edge with both ends open is written twice.
        edges = [*edges, f"{edges[0][1:]}+"] if edges[-1].startswith("<") else [*edges[:-1], f"{edges[-1]}+"]
    return ",".join(edges)


def _rename(imported: Imported, call: RCall, where: str) -> None:
    column, before, after = (call.argument(name) for name in ("var", "before", "after"))
    before = before if isinstance(before, list) else [before]
    after = (
        after
        if isinstance(after, list) and len(after) > 1
        else [*(after if isinstance(after, list) else [after])] * len(before)
    )
    texts = [*before, *after]
    if not isinstance(column, str) or len(before) != len(after) or not all(isinstance(one, str | int) for one in texts):
        why = "its var, before or after is not written out; the call is not taken over"
        imported.skip(where, "groupAndRename", why)
        return
    _rest(imported, call, where, "var", "before", "after")
    maps = {str(old): str(new) for old, new in zip(before, after, strict=True)}
    imported.declare("nominal", [column])
    imported.steps.append((Step("level-map", {"maps": {column: maps}}), f"{where}: groupAndRename"))


def _ends(imported: Imported, call: RCall, where: str) -> None:
    column, value, kind = (call.argument(name) for name in ("column", "value", "kind"))
    method = "bottom-coding" if kind == "bottom" else "top-coding"
    good = {"column": isinstance(column, str), "value": _is_number(value), "kind": kind in (None, "top", "bottom")}
    if not all(good.values()):
        names = " and ".join(name for name, read in good.items() if not read)
        imported.skip(where, "topBotCoding", f"its {names} cannot be read; the call is not taken over")
        return
    _rest(imported, call, where, "column", "value", "kind", "replacement")
    replacement = call.argument("replacement")
    if replacement not in (None, value):
        imported.skip(where, "topBotCoding(replacement)", "the threshold is released; or replacement = mean, median")
    imported.declare("numeric", [column])
    imported.steps.append((Step(method, {"threshold": value, "attributes": [column]}), f"{where}: topBotCoding"))


def _aggregate(imported: Imported, call: RCall, where: str) -> None:
    method = call.argument("method") or "mdav"
    if method not in _GROUPS:
        imported.skip(where, f"microaggregation(method = {method!r})", "no such grouping here; mdav is taken")
    parameters: dict[str, Any] = {
        "k": 3 if call.argument("aggr") is None else _whole(call.argument("aggr")),
        **_columns(imported, call, "numVars"),
    }
    if method in ("mcdpca", "pppca"):
        parameters["axis"] = "robust"
    if method == "rmd":
        imported.skip(where, "microaggregation(method = 'rmd')", "distances are not robust here; mdav is taken")
    if call.function == "microaggregation":
        parameters |= _strata(imported, call)
    _rest(imported, call, where, "method", "aggr", "variables", "strata_variables")
    imported.steps.append((Step(_GROUPS.get(str(method), "mdav"), parameters), f"{where}: microaggregation"))


def _gower(imported: Imported, call: RCall, where: str) -> None:
    size = call.argument("aggr") if call.argument("k") is None else call.argument("k")
    parameters = {"k": 3 if size is None else _whole(size), **_columns(imported, call, "keyVars")}
    _rest(imported, call, where, "k", "aggr", "variables")
    imported.steps.append((Step("mixed-mdav", parameters), f"{where}: microaggrGower"))


def _pram(imported: Imported, call: RCall, where: str) -> None:
    stays = 0.8 if call.argument("pd") is None else float(call.argument("pd"))
    parameters: dict[str, Any] = {"theta": round(1 - stays, 12), "invariant": True}
    parameters |= _columns(imported, call, "pramVars") | _strata(imported, call)
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
        parameters = _columns(imported, call, "numVars")
    else:
        percent = 150.0 if call.argument("noise") is None else float(call.argument("noise"))
        parameters = {"level": percent / 100, **_columns(imported, call, "numVars")}
    _rest(imported, call, where, "method", "noise", "variables")
    note = f"{where}: addNoise. noise is in percent of a standard deviation; level is its hundredth"
    imported.steps.append((Step(name, parameters), note))


def _swap(imported: Imported, call: RCall, where: str) -> None:
    parameters = {
        "p": 5 if call.argument("P") is None else _whole(call.argument("P")),
        **_columns(imported, call, "numVars"),
    }
    _rest(imported, call, where, "P", "variables")
    imported.steps.append((Step("rank-swapping", parameters), f"{where}: rankSwap"))


def _shuffle(imported: Imported, call: RCall, where: str) -> None:
    imported.skip(where, "shuffle(form)", "name what predicts in predictors")
    _rest(imported, call, where, "form")
    attributes = {"attributes": imported.sets["numVars"]} if "numVars" in imported.sets else {}
    imported.steps.append((Step("shuffling", attributes), f"{where}: shuffle"))


def _identifiers(imported: Imported, call: RCall, where: str) -> None:
    columns = _names(call.argument("var"))
    if columns is None:
        imported.skip(where, "removeDirectID", "its var is not written out; the call is not taken over")
    else:
        imported.declare("identifiers", columns)
        imported.places.setdefault("identifiers", where)


def _undo(imported: Imported, history: list[int], where: str) -> None:
    """Take back what the last call gave, which may be nothing: then the step before it is not touched."""
    if history and history[-1] == _NOT_READ:
        imported.skip(where, "undolast", "what stands before it was not read; nothing is taken back")
        return
    if history and history.pop():
        step, _ = imported.steps.pop()
        imported.skip(where, "undolast", f"the step {step.method} before it was left out")
        return
    if imported.steps:
        imported.skip(where, "undolast", "the call before it gave no step; nothing is taken back")


def _scale(kind: str) -> Callable[[Imported, RCall, str], None]:
    def declare(imported: Imported, call: RCall, where: str) -> None:
        columns = _names(call.argument("var"))
        if columns is None:
            imported.skip(where, call.function, "its var is not written out; the call is not taken over")
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
    "varToFactor": _scale("nominal"),
    "varToNumeric": _scale("numeric"),
}
