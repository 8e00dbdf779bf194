"""A documentation page for every registered method, made of its docstring, its constraints and a picture.

mkdocs calls :func:`on_files` (see `hooks` in mkdocs.yml), so that a new method has its page without being named here.
The pictures are computed when the pages are built: what a masker does to a few records, whom a linker takes for whom,
what a measure counts, and the last two along a mask that grows (`method_drawings.py`).
"""

from __future__ import annotations

import html
import math
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import discreet as dc
from discreet import catalogue
from discreet.contracts.linker import Linker
from discreet.datasets.patients import AREAS
from discreet.drawing import Canvas
from discreet.masking.recoding.hierarchy import Hierarchy
from discreet.masking.withholding.pseudonym_key import PseudonymKey
from discreet.parameters.description import as_markdown, describe
from discreet.workflow import describe_methods

sys.path.insert(0, str(Path(__file__).parent))  # a hook is loaded by its path
from method_drawings import cells, curve, flow, lines, pairs, plane, sizes, strips

# Methods that cannot be made without being told something about the file.
TOLD: dict[str, Callable[[list[Any]], dict[str, Any]]] = {
    "banding": lambda _: {"bands": "nice:6", "release": "midpoint"},
    "kmodes": lambda _: {"k": 12},
    "balanced-kmodes": lambda _: {"k": 12},
    "adjacent-merging": lambda _: {"max_levels": 3},
    "ghost-suppression": lambda _: {"ghosts": {"TURNOVER": ["WAGES"]}},
    "level-map": lambda levels: {"maps": {"DEGREE": {level: levels[i // 2 * 2] for i, level in enumerate(levels)}}},
    "hierarchy-recoding": lambda levels: {
        "hierarchies": {
            "DEGREE": Hierarchy([level, f"part {1 + 3 * i // len(levels)}"] for i, level in enumerate(levels))
        }
    },
    "record-swapping": lambda _: {"hierarchy": ["DEGREE"], "rate": 0.3},
    "refine": lambda _: {"budget": 2000},
    "household-risk": lambda _: {"household": "STRATUM"},
    "regression": lambda _: {"outcome": "WAGES", "predictors": ["TURNOVER", "ASSETS"]},
    "classification": lambda _: {"outcome": "WHYMOVE", "predictors": ["DEGREE", "METRO"]},
    "own-statistics": lambda _: {"statistics": ["mean(WAGES)", "sum(WAGES) / sum(TURNOVER)"]},
    "relations-broken": lambda _: {"relations": ["WAGES <= TURNOVER"]},
    "suppression-by": lambda _: {"by": "STRATUM"},
    "k-map": lambda _: {"k": 20, "population": dc.datasets.housing(3000, 1)},
    "presence": lambda _: {"least": 0.0, "most": 0.2, "population": dc.datasets.housing(3000, 0)},
    "t-close-mdav": lambda _: {"k": 3, "t": 0.3, "sensitive": ["EXPORTS"]},
    "record-suppression": lambda _: {"k": None, "outliers": 0.9, "limit": 0.5},
    "sampling": lambda _: {"share": 0.7},
}
# Risks that look at values instead of records with equal keys.
OF_NUMBERS = {"deviation-interval", "mahalanobis-interval", "rank-interval", "reconstruction", "intruder-scenarios"}
_DATES = ("BORN", "ADMITTED", "DISCHARGED")
# Samples of what runs in time, by scale.
IN_TIME = {"series": dc.datasets.loads, "trajectory": dc.datasets.trips, "queries": dc.datasets.searches}
# Methods of which a few rows of a table show most: the sample, its columns, and what they are told.
CELLS: dict[str, tuple[str, tuple[str, ...], Callable[[Any], dict[str, Any]]]] = {
    "identifiers": ("patients", ("NAME", "PHONE", "SEX", "AGE"), lambda _: {}),
    "pseudonyms": (
        "patients",
        ("RECORD", "SEX", "AGE"),
        lambda _: {"exchange": ["RECORD"], "key": PseudonymKey(bytes(range(32))), "domain": "patient"},
    ),
    "record-order": ("housing", ("METRO", "DEGREE", "SCH"), lambda _: {}),
    "date-coarsening": ("patients", _DATES, lambda _: {"to": "month"}),
    "date-shifting": ("patients", _DATES, lambda _: {"days": 30, "person": "RECORD"}),
    "safe-harbour": (
        "patients",
        ("BORN", "AGE", "ZIP", "ADMITTED"),
        lambda _: {"ages": ["AGE"], "births": ["BORN"], "codes": ["ZIP"], "population": dict(AREAS)},
    ),
    "code-truncation": ("patients", ("ZIP", "SEX", "AGE"), lambda _: {"attributes": ["ZIP"]}),
    "local-suppression": ("housing", ("METRO", "DEGREE", "SCH"), lambda _: {"k": 3}),
    "risk-suppression": ("housing", ("METRO", "DEGREE", "SCH"), lambda _: {}),
    "ghost-suppression": ("housing", ("METRO", "DEGREE", "SCH"), lambda _: {"ghosts": {"METRO": ["SCH"]}}),
    "generalisation": (
        "housing",
        ("DEGREE", "METRO"),
        lambda data: {
            "k": 3,
            "suppression": 0.05,
            "hierarchies": {
                name: Hierarchy(
                    [str(level), f"part {1 + 3 * place // len(levels)}", "*"] for place, level in enumerate(levels)
                )
                for name, levels in ((name, data.schema[name].scale.levels) for name in ("DEGREE", "METRO"))
            },
        },
    ),
}
CONTRACTS = {"maskers": "masker", "linkers": "linker", "measures": "measure"}
_METHODS = {"masker": catalogue.maskers, "linker": catalogue.linkers, "measure": catalogue.measures}


# What a command has to say beside the method, and what has to be there before.
SAID: dict[str, str] = {
    "adjacent-merging": "--set max_levels=3",
    "generalisation": "--k 5 --set attributes=METRO,SCH --set suppression=0.05",
    "ghost-suppression": "--set ghosts=METRO=SCH",
    "hierarchy-recoding": "--recode VALUE=@value.csv:1",
    "level-map": "--recode 'WFUEL=fuel oil>other,kerosene>other'",
    "pseudonyms": "--set exchange=HOUSEHOLD --set key=register.key",
    "record-suppression": "--set attributes=METRO,SCH --set limit=0.2",
    "record-swapping": "--set hierarchy=METRO",
    "safe-harbour": "--set population=people.csv",
}
BEFORE: dict[str, str] = {
    "hierarchy-recoding": "discreet hierarchy survey.csv VALUE -s survey.toml --steps '50000; 200000' -o value.csv",
    "pseudonyms": "discreet key new register.key",
}
# Samples other than households; of places there is none, and of people in areas a file of one's own is needed.
SAMPLES = {
    "date-coarsening": "patients",
    "date-shifting": "patients",
    "safe-harbour": "patients",
    "t-close-mdav": "patients",
}
WITHOUT_SAMPLE = {"donut": "places", "grid-cells": "places"}


def commands(name: str, cls: type[Any]) -> list[str]:
    """Return the lines that a reader can type to see a masker at work."""
    data = WITHOUT_SAMPLE.get(name, "survey")
    sample = SAMPLES.get(name, "itineraries" if cls.scales == {"sequence"} else "housing")
    first = [] if name in WITHOUT_SAMPLE else [f"discreet datasets {sample} -o survey.csv"]
    between = [BEFORE[name]] if name in BEFORE else []
    said = SAID.get(name, "")
    method = "" if said.startswith("--recode") else f" --method {name}"
    protect = f"discreet protect {data}.csv --schema {data}.toml{method}{' ' if said else ''}{said} -o masked.csv"
    return [*first, *between, protect]


def _marked(text: str) -> str:
    """Return the text of a docstring for a page; where it names the class of a method, that method's page is linked."""
    pages = {cls.__name__: name for kind in CONTRACTS.values() for name, cls in _METHODS[kind]().items()}
    text = re.sub(
        r":class:`~?[\w.]*?(\w+)`",
        lambda found: f"[{pages[found[1]]}]({pages[found[1]]}.md)" if found[1] in pages else found[0],
        text,
    )
    return as_markdown(text)


def page(contract: str, name: str, entry: dict[str, Any], cls: type[Any], *, picture: str = "") -> str:
    """Return the page of one method."""
    about = describe(cls)
    lines = [f"# {name}", "", f"**{_marked(about.summary)}**", "", _marked(about.more), ""]
    if picture:
        lines += [picture, ""]
    needs = f" · needs {entry['needs']}" if "needs" in entry else ""
    lines += [f"`dc.{entry['class']}` · {contract[:-1]} of {', '.join(entry['scales'])} attributes{needs}", ""]
    if contract == "maskers":
        lines += ["```text", *commands(name, cls), "```", ""]
    if entry["parameters"]:
        lines += ["## Parameters", "", '<div class="parameters" markdown>', ""]
        lines += ["| name | default | may be | meaning |", "| --- | --- | --- | --- |"]
        for key, text in entry["parameters"].items():
            default = f"`{entry['defaults'][key]!r}`" if key in entry["defaults"] else "must be given"
            cells = (f"`{key}`", default, text, _marked(about.parameters.get(key, "")))
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        lines += ["", "</div>", ""]
    titles = {"Notes": "Definition and cost", "References": "References"}
    for key, title in titles.items():
        if key in about.sections:
            lines += [f"## {title}", "", _marked(about.sections[key]), ""]
    if "Examples" in about.sections:
        lines += ["## Example", "", "```pycon", about.sections["Examples"], "```", ""]
    return "\n".join(lines)


# ------------------------------------------------------------------------------------------------------------ pictures


def picture_of(contract: str, name: str) -> str:
    """Return the picture of a method as SVG inside the page, or nothing where a small file cannot show it."""
    cls = catalogue.method(CONTRACTS[contract], name)
    draw: Callable[[str, type[Any]], tuple[list[Canvas], str]] = {
        "maskers": _masker,
        "linkers": _linker,
        "measures": _measure,
    }[contract]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a weak choice is fine for a picture
        try:
            drawn, text = draw(name, cls)
        except dc.DiscreetError:
            return ""
    parts = "".join(canvas.svg(text) for canvas in drawn)  # side by side, or one below the other on a small screen
    return f'<figure class="drawn">{parts}<figcaption>{html.escape(text)}</figcaption></figure>'


# ---- maskers: the same few records before and after


def _masker(name: str, cls: type[Any]) -> tuple[list[Canvas], str]:
    if name in CELLS:
        return _cells(name, cls)
    if cls.scales == {"sequence"}:
        before, after, alphabet = _itineraries(cls(**_seeded(cls, {})), 60, 16)
        return [strips(before, after, alphabet)], f"16 of 60 itineraries before and after {name}; a colour is a place."
    if name in {"donut", "grid-cells"}:
        return _places(name, cls)
    if "numeric" in cls.scales:
        data = _companies(60)
        release = cls(**_seeded(cls, _told(name))).mask(data)
        return [_moved(data, release)], f"60 companies before and after {name}: turnover and wages."
    levels = "DEGREE" if "ordinal" in cls.scales else "METRO"
    survey = _households(400, ("DEGREE", "GRADE1") if levels == "DEGREE" else ("METRO", "SCH"))
    release = cls(**_seeded(cls, _told(name))).mask(survey)
    return [_flow(survey, release, levels)], f"400 households: {levels} before (left) and after {name} (right)."


def _companies(n: int) -> Any:
    """Return companies of the middle, so that no giant decides what the picture shows."""
    data = dc.datasets.business(4 * n)
    turnover, wages = data.encoded("TURNOVER"), data.encoded("WAGES")
    data = data.take(np.flatnonzero((turnover > 100) & (turnover < 2500) & (wages > 0))[:n])
    return _with_roles(data, _others(data, ("TURNOVER", "WAGES")) | {"EXPORTS": "confidential"})


def _households(n: int, keys: tuple[str, ...]) -> Any:
    survey = dc.datasets.housing(n)
    return _with_roles(survey, _others(survey, keys))


def _moved(data: Any, release: Any) -> Canvas:
    rows = release.provenance.rows
    old, new = (
        [(float(x), float(y)) for x, y in zip(table.encoded("TURNOVER"), table.encoded("WAGES"), strict=True)]
        for table in (data, release.microdata)
    )
    kept = range(len(old)) if rows is None else [int(row) for row in rows]
    after = {
        place: (x, y)
        for place, (x, y) in zip(kept, new, strict=True)
        if not math.isnan(x + y)  # a suppressed number is nowhere
    }
    return plane(old, after, ("turnover", "wages"))


def _flow(survey: Any, release: Any, name: str) -> Canvas:
    columns = [[_word(value) for value in table.column(name).to_pylist()] for table in (survey, release.microdata)]
    orders = [[str(level) for level in table.schema[name].scale.levels] for table in (survey, release.microdata)]
    return flow(columns[0], columns[1], (orders[0], orders[1]))


def _places(name: str, cls: type[Any]) -> tuple[list[Canvas], str]:
    draws = np.random.default_rng(4)
    homes = pa.table({"lat": 47 + draws.normal(0, 0.01, 50), "lon": 8 + draws.normal(0, 0.015, 50)})
    data = dc.microdata(homes, dc.Schema([dc.Attribute(side, dc.Numeric(), "key") for side in ("lat", "lon")]))
    size = {"inner": 200, "outer": 600} if name == "donut" else {"metres": 500}
    release = cls(**_seeded(cls, {"latitude": "lat", "longitude": "lon", **size})).mask(data)
    old, new = (
        [(float(x), float(y)) for x, y in zip(table.encoded("lon"), table.encoded("lat"), strict=True)]
        for table in (data, release.microdata)
    )
    return [plane(old, dict(enumerate(new)), ("longitude", "latitude"))], f"50 places before and after {name}."


def _itineraries(masker: Any, n: int, shown: int) -> tuple[list[list[str]], list[list[str]], list[str]]:
    trips = dc.datasets.itineraries(n)
    release = masker.mask(trips)
    column = trips.schema.of_scale("sequence")[0]
    labels = release.provenance.labels
    order = range(n) if labels is None else np.argsort(labels, kind="stable")
    before, after = (
        [[str(event) for event in (row.split(" > ") if isinstance(row, str) else row)] for row in rows]
        for rows in (table.column(column).to_pylist() for table in (trips, release.microdata))
    )
    chosen = [int(place) for place in order][:shown]
    alphabet = sorted({event for place in chosen for event in (*before[place], *after[place])})
    return [before[place] for place in chosen], [after[place] for place in chosen], alphabet


def _cells(name: str, cls: type[Any]) -> tuple[list[Canvas], str]:
    """Draw a few rows of a table: what becomes of single cells is what such a method does."""
    source, columns, parameters = CELLS[name]
    data = dc.datasets.patients(60) if source == "patients" else _households(200, columns)
    release = cls(**_seeded(cls, parameters(data))).mask(data)
    table = release.microdata
    names = [column for column in columns if column in data.schema]
    texts = [
        {
            column: [_word(value) for value in side.column(column).to_pylist()]
            for column in names
            if column in side.schema
        }
        for side in (data, table)
    ]
    rows = range(len(data)) if release.provenance.rows is None else [int(row) for row in release.provenance.rows]
    changed = [
        place
        for place, row in enumerate(rows)
        if any(column not in texts[1] or texts[1][column][place] != texts[0][column][row] for column in names)
    ]
    places = sorted([*changed[:5], *[place for place in range(len(rows)) if place not in set(changed)][:2]])[:7]
    before = [[texts[0][column][rows[place]] for column in names] for place in places]
    after = [[texts[1][column][place] if column in texts[1] else "" for column in names] for place in places]
    if name == "record-order":
        before = [[texts[0][column][place] for column in names] for place in range(6)]
        after = [[texts[1][column][place] for column in names] for place in range(6)]
    return [cells(names, before, after)], f"Some rows of a table before and after {name}; changed cells are green."


def _word(value: Any) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


# ---- linkers: which record was taken for which


def _linker(name: str, cls: type[Any]) -> tuple[list[Canvas], str]:
    if not cls.needs_common_attributes:
        rows = []
        for n in (20, 40, 80, 160):
            links = _halves(cls, n)
            outcome = links.evaluate()
            rows.append((n, 100 * outcome.rate, 100 * outcome.chance / outcome.n))
        titles = ("records in each file", "correct links (%)")
        right = curve([(n, rate) for n, rate, _ in rows], [chance for *_, chance in rows], titles)
        left = pairs(_halves(cls, 20).best.tolist(), ("some attributes", "the others"))
        text = f"{name}: 20 companies in two files that share no attribute, who is taken for whom, and larger files."
        return [left, right], text
    data, steps, label = next(iter(_growing_masks(cls.scales, name)))
    small = data.take(np.arange(24))
    left = pairs(cls(**_told(name)).link(small, list(steps.values())[1].mask(small)).best.tolist())
    right, text = _along(name, cls, data, steps, label, "correct links (%)")
    return [left, right], f"Whom {name} takes for whom among 24 records, and its correct links. {text}"


def _halves(cls: type[Any], n: int) -> Any:
    companies = dc.datasets.business(n).to_native()
    names = [column for column in companies.column_names if column != "COMPANY"]
    halves = [dc.microdata(companies.select(names[part::2])) for part in (0, 1)]
    return cls(**({"truth": list(range(n))} if "truth" in cls.parameter_names() else {})).link(*halves)


# ---- measures: what is counted, and the figure along a mask that grows


def _measure(name: str, cls: type[Any]) -> tuple[list[Canvas], str]:
    last: dc.DiscreetError | None = None
    for data, steps, label in _growing_masks(cls.scales, name):
        try:
            right, text = _along(name, cls, data, steps, label, name)
        except dc.DiscreetError as error:  # a risk of frequencies means nothing after a mask that perturbs
            last = error
            continue
        left, counted = _counted(name, cls, data, list(steps.values()))
        return [left, right], f"{counted} {text}"
    raise last or dc.DiscreetError("No small file shows this.")


def _in_time(data: Any, masker: Any) -> tuple[Canvas, str]:
    """Draw one record of series or trajectories as a line, of query logs as its first queries."""
    (key,) = data.schema.of_scale("sequence")
    before, after = (table.column(key).to_pylist() for table in (data, masker.mask(data).microdata))
    if key == "SEARCHES":
        rows = [[[", ".join(cell[:3])] for cell in cells_of[:8]] for cells_of in (before, after)]
        return cells([key], rows[0], rows[1]), "Counted are terms of query logs before and after (first queries drawn)."
    if key == "WAY":
        ways = [[tuple(map(float, point.split(",")[2:0:-1])) for point in cells_of[0]] for cells_of in (before, after)]
        return lines(ways[0], ways[1], ("east", "north")), "Compared are trajectories before and after (one drawn)."
    series = [[(float(at), float(value)) for at, value in enumerate(cells_of[0])] for cells_of in (before, after)]
    return lines(series[0], series[1], ("time", key)), "Compared are series before and after (one drawn)."


def _counted(name: str, cls: type[Any], data: Any, maskers: list[Any]) -> tuple[Canvas, str]:
    masker = maskers[1]
    if cls.scales & set(IN_TIME):
        return _in_time(data, masker)
    if data.schema.of_scale("sequence"):
        before, after, alphabet = _itineraries(masker, 150, 14)
        return strips(before, after, alphabet), "Counted are events of sequences before and after."
    numeric = "numeric" in cls.scales and "TURNOVER" in data.schema
    if "linkage" in name:
        small = data.take(np.arange(24))
        links = dc.DistanceLinkage().link(small, masker.mask(small))
        return pairs(links.best.tolist()), "Counted are records that are linked with themselves (24 of them drawn)."
    if cls.kind == "risk" and name not in OF_NUMBERS:
        release = maskers[0].mask(data)
        groups = Counter(zip(*(release.microdata.column(key).to_pylist() for key in data.schema.keys), strict=True))
        return sizes(list(groups.values()), 3), "Counted are records by how many share their keys."
    if numeric:
        small = _companies(60)
        return _moved(small, masker.mask(small)), "Compared are numbers before and after (two of them drawn)."
    key = data.schema.keys[0]
    return _flow(data, masker.mask(data), key), f"Compared are levels before and after ({key} drawn)."


def _along(name: str, cls: type[Any], data: Any, steps: Mapping[int, Any], label: str, unit: str) -> tuple[Canvas, str]:
    rows = [_point(cls(**_told(name)), data, masker, strength) for strength, masker in steps.items()]
    method = next(iter(steps.values())).name
    text = f"{name} on {len(data)} records along a mask that grows: {method}, {label}."
    drawn = curve([(strength, value) for strength, value, _ in rows], [chance for *_, chance in rows], (label, unit))
    return drawn, text


def _growing_masks(scales: frozenset[str], name: str) -> Iterator[tuple[Any, dict[int, Any], str]]:
    smallest, merged = "k, the smallest group", "p, the number of merged levels"
    if in_time := [IN_TIME[scale] for scale in sorted(scales) if scale in IN_TIME]:
        yield in_time[0](60), {k: dc.KSHC(k=k) for k in (2, 4, 8, 16)}, smallest
        return
    if scales <= {"sequence", "events", "items"}:
        yield dc.datasets.itineraries(150), {k: dc.KSHC(k=k) for k in (2, 4, 8, 16)}, smallest
        return
    data = dc.datasets.housing(300)
    data = _with_roles(data, _others(data, ("DEGREE", "GRADE1", "METRO", "SCH")) | {"WHYMOVE": "confidential"})
    if name in {"suppression", "suppression-by", "cell-loss"}:
        yield data, {k: dc.LocalSuppression(k=k) for k in (2, 4, 8, 16)}, smallest
    if "numeric" in scales and name != "classification":
        companies = dc.datasets.business(200)
        roles = _others(companies, ("EMPLOYEES", "TURNOVER", "WAGES", "ASSETS")) | {"EXPORTS": "confidential"}
        yield _with_roles(companies, roles), {k: dc.MDAV(k=k) for k in (2, 4, 8, 16, 32)}, smallest
    yield data, {k: dc.KModes(k=k) for k in (2, 4, 8, 16, 32)}, smallest
    yield data, {p: dc.GlobalRecoding(p=p) for p in (1, 2, 3, 4)}, merged
    person = _with_roles(data, {"HOUSEHOLD": "other"})
    yield person, {p: dc.GlobalRecoding(p=p) for p in (1, 2, 3, 4)}, merged


def _point(method: Any, data: Any, masker: Any, strength: int) -> tuple[int, float, float | None]:
    release = masker.mask(data)
    if isinstance(method, Linker):
        outcome = method.link(data, release).evaluate()
        return strength, 100 * outcome.rate, 100 * outcome.chance / outcome.n
    return strength, float(method.measure(data, release).value), None


def _told(name: str) -> dict[str, Any]:
    levels = list(dc.datasets.housing(10).schema["DEGREE"].scale.levels)
    return TOLD[name](levels) if name in TOLD else {}


def _others(data: Any, keys: Iterable[str]) -> dict[str, str]:
    return {key: "other" for key in data.schema.keys if key not in set(keys)}


def _seeded(cls: type[Any], parameters: dict[str, Any]) -> dict[str, Any]:
    return parameters | ({"random_state": 0} if "random_state" in cls.parameter_names() else {})


def _with_roles(data: Any, roles: dict[str, str]) -> Any:
    return dc.Microdata(data.to_native(), data.schema.with_roles(**roles))


# ------------------------------------------------------------------------------------------------------------- mkdocs


def all_pages(*, pictures: bool = True) -> dict[str, str]:
    """Return every page by its path under docs/."""
    described = describe_methods()
    result, overview = {}, ["# Every method", ""]
    for contract, entries in described.items():
        overview += [f"## {contract.capitalize()}", "", "| name | scales | what it does |", "| --- | --- | --- |"]
        for name, entry in entries.items():
            cls = catalogue.method(CONTRACTS[contract], name)
            drawn = picture_of(contract, name) if pictures else ""
            result[f"methods/{name}.md"] = page(contract, name, entry, cls, picture=drawn)
            overview.append(f"| [{name}]({name}.md) | {', '.join(entry['scales'])} | {_marked(entry['summary'])} |")
        overview.append("")
    result["methods/index.md"] = "\n".join(overview)
    return result


def on_files(files: Any, config: Any) -> Any:
    """Add the pages to those that mkdocs builds."""
    from mkdocs.structure.files import File

    for path, text in all_pages().items():
        files.append(File.generated(config, path, content=text))
    return files
