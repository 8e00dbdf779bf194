"""A documentation page for every registered method, made of its docstring, its constraints and a picture.

mkdocs calls :func:`on_files` (see `hooks` in mkdocs.yml), so that a new method has its page without being named here.
The pictures are computed when the pages are built: a masker on a small bundled file, a linker and a measure along a
mask that grows.
"""

from __future__ import annotations

import html
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

import altair as alt
import vl_convert

import discreet as dc
from discreet import catalogue
from discreet.contracts.linker import Linker
from discreet.masking.recoding.hierarchy import Hierarchy
from discreet.parameters.description import as_markdown, describe
from discreet.workflow import describe_methods

BEFORE, AFTER, CHANCE = "#8a929a", "#0b6e4f", "#b3341f"
# Methods that cannot be made without being told something about the file.
TOLD: dict[str, Callable[[list[Any]], dict[str, Any]]] = {
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
}
CONTRACTS = {"maskers": "masker", "linkers": "linker", "measures": "measure"}


def page(contract: str, name: str, entry: dict[str, Any], cls: type[Any], *, picture: str = "") -> str:
    """Return the page of one method."""
    about = describe(cls)
    lines = [f"# {name}", "", f"**{as_markdown(about.summary)}**", "", as_markdown(about.more), ""]
    if picture:
        lines += [picture, ""]
    needs = f" · needs {entry['needs']}" if "needs" in entry else ""
    lines += [f"`dc.{entry['class']}` · {contract[:-1]} of {', '.join(entry['scales'])} attributes{needs}", ""]
    if contract == "maskers":
        lines += [
            "```text",
            f"discreet protect survey.csv --schema survey.toml --method {name} -o masked.csv",
            "```",
            "",
        ]
    if entry["parameters"]:
        lines += ["## Parameters", "", "| name | default | may be | meaning |", "| --- | --- | --- | --- |"]
        for key, text in entry["parameters"].items():
            cells = (f"`{key}`", f"`{entry['defaults'][key]!r}`", text, as_markdown(about.parameters.get(key, "")))
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        lines.append("")
    titles = {"Notes": "Definition and cost", "References": "References"}
    for key, title in titles.items():
        if key in about.sections:
            lines += [f"## {title}", "", as_markdown(about.sections[key]), ""]
    if "Examples" in about.sections:
        lines += ["## Example", "", "```pycon", about.sections["Examples"], "```", ""]
    return "\n".join(lines)


# ------------------------------------------------------------------------------------------------------------ pictures


def picture_of(contract: str, name: str) -> str:
    """Return the picture of a method as SVG inside the page, or nothing where a small file cannot show it."""
    cls = catalogue.method(CONTRACTS[contract], name)
    draw: Callable[[str, type[Any]], Any] = _masker if contract == "maskers" else _curve
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a weak choice is fine for a picture
        try:
            chart, text = draw(name, cls)
        except dc.DiscreetError:
            return ""
    svg: str = vl_convert.vegalite_to_svg(chart.configure_view(stroke=None).configure(font="sans-serif").to_dict())
    said = html.escape(text, quote=True)
    return f'<figure role="img" aria-label="{said}">{svg}<figcaption>{said}</figcaption></figure>'


def _masker(name: str, cls: type[Any]) -> tuple[Any, str]:
    scales = cls.scales
    if "numeric" in scales:
        data = dc.datasets.business(120)
        data = _with_roles(data, _others(data, ("TURNOVER", "WAGES")))
        release = cls(**_seeded(cls, TOLD[name]([]) if name in TOLD else {})).mask(data)
        rows = release.provenance.rows
        before = data if rows is None else data.take(rows)
        return _scatter(
            before, release.microdata
        ), f"120 companies before (grey) and after {name} (green): turnover and wages."
    if "sequence" in scales:
        trips = dc.datasets.itineraries(120)
        release = cls(**_seeded(cls, {})).mask(trips)
        return _transitions(
            trips, release.microdata
        ), f"120 itineraries: how often each place follows another, before and after {name}."
    survey = dc.datasets.housing(400)
    chosen = "DEGREE" if "ordinal" in scales else "METRO"
    keys = ("DEGREE", "GRADE1") if "ordinal" in scales else ("METRO", "SCH")
    survey = _with_roles(survey, _others(survey, keys))
    told = TOLD[name](list(survey.schema["DEGREE"].scale.levels)) if name in TOLD else {}
    release = cls(**_seeded(cls, told)).mask(survey)
    return _heat(
        survey, release.microdata, chosen
    ), f"400 households: {chosen} before (rows) and after {name} (columns)."


def _others(data: Any, keys: Iterable[str]) -> dict[str, str]:
    return {key: "other" for key in data.schema.keys if key not in set(keys)}


def _seeded(cls: type[Any], parameters: dict[str, Any]) -> dict[str, Any]:
    return parameters | ({"random_state": 0} if "random_state" in cls.parameter_names() else {})


def _scatter(before: Any, after: Any) -> Any:
    rows = []
    for file, table in (("before", before), ("after", after)):
        x, y = table.encoded("TURNOVER"), table.encoded("WAGES")
        rows += [{"x": float(a), "y": float(b), "file": file} for a, b in zip(x, y, strict=True) if a > 0 and b > 0]
    scale = alt.Scale(type="log", nice=False)
    return (
        alt.Chart(alt.InlineData(values=rows))
        .mark_circle(size=34, opacity=0.75)
        .encode(
            x=alt.X("x:Q", title="turnover", scale=scale, axis=alt.Axis(format="~s", grid=False)),
            y=alt.Y("y:Q", title="wages", scale=scale, axis=alt.Axis(format="~s", grid=False)),
            color=alt.Color("file:N", title=None, scale=alt.Scale(domain=["before", "after"], range=[BEFORE, AFTER])),
        )
        .properties(width=420, height=260)
    )


def _heat(before: Any, after: Any, name: str) -> Any:
    counts: dict[tuple[str, str], int] = {}
    for old, new in zip(before.column(name).to_pylist(), after.column(name).to_pylist(), strict=True):
        pair = (str(old), "missing" if new is None else str(new))
        counts[pair] = counts.get(pair, 0) + 1
    rows = [{"before": old, "after": new, "records": count} for (old, new), count in counts.items()]
    orders = [[str(level) for level in table.schema[name].scale.levels] for table in (before, after)]
    return (
        alt.Chart(alt.InlineData(values=rows))
        .mark_rect()
        .encode(
            x=alt.X("after:N", sort=orders[1], title="after"),
            y=alt.Y("before:N", sort=orders[0], title="before"),
            color=alt.Color("records:Q", scale=alt.Scale(scheme="greens")),
        )
        .properties(width=360, height=220)
    )


def _transitions(before: Any, after: Any) -> Any:
    rows = []
    for file, table in (("before", before), ("after", after)):
        name = table.schema.of_scale("sequence")[0]
        counts: dict[tuple[str, str], int] = {}
        for path in table.column(name).to_pylist():
            steps = path.split() if isinstance(path, str) else list(path)
            for pair in pairwise(steps):
                counts[pair] = counts.get(pair, 0) + 1
        rows += [{"from": a, "to": b, "times": count, "file": file} for (a, b), count in counts.items()]
    chart = alt.Chart(alt.InlineData(values=rows)).mark_rect().encode(
        x=alt.X("to:N", title="then"),
        y=alt.Y("from:N", title="first"),
        color=alt.Color("times:Q", scale=alt.Scale(scheme="greens")),
    ).properties(width=230, height=230)  # fmt: skip
    return chart.facet(column=alt.Column("file:N", title=None, sort=["before", "after"]))


def _curve(name: str, cls: type[Any]) -> tuple[Any, str]:
    """Draw a measure, or the correct links of a linker, along a mask that grows."""
    if issubclass(cls, Linker) and not cls.needs_common_attributes:
        return _without_common_attributes(name, cls)
    parameters = TOLD[name]([]) if name in TOLD else {}
    last: dc.DiscreetError | None = None
    for data, steps, label in _growing_masks(cls.scales):
        try:
            rows = [_point(cls(**parameters), data, masker, strength) for strength, masker in steps.items()]
        except dc.DiscreetError as error:  # a risk of frequencies means nothing after a mask that perturbs
            last = error
            continue
        base = alt.Chart(alt.InlineData(values=rows)).encode(
            x=alt.X("strength:Q", scale=alt.Scale(type="log", base=2), title=label)
        )
        unit = "correct links (%)" if issubclass(cls, Linker) else name
        line = base.mark_line(point=True, color=AFTER).encode(y=alt.Y("value:Q", title=unit))
        chance = base.mark_line(strokeDash=[4, 3], color=CHANCE).encode(y="chance:Q")
        method = next(iter(steps.values())).name
        text = f"{name} on {len(data)} records along a mask that grows: {method}, {label}."
        return (line + chance).properties(width=420, height=220), text
    raise last or dc.DiscreetError("No small file shows this.")


def _growing_masks(scales: frozenset[str]) -> Iterator[tuple[Any, dict[int, Any], str]]:
    if scales == {"sequence"}:
        yield dc.datasets.itineraries(150), {k: dc.KSHC(k=k) for k in (2, 4, 8, 16)}, "k, the smallest group"
        return
    if "numeric" in scales:
        data = dc.datasets.business(200)
        roles = _others(data, ("EMPLOYEES", "TURNOVER", "WAGES", "ASSETS")) | {"EXPORTS": "confidential"}
        yield _with_roles(data, roles), {k: dc.MDAV(k=k) for k in (2, 4, 8, 16, 32)}, "k, the smallest group"
    data = dc.datasets.housing(300)
    data = _with_roles(data, _others(data, ("DEGREE", "GRADE1", "METRO", "SCH")) | {"WHYMOVE": "confidential"})
    yield data, {k: dc.KModes(k=k) for k in (2, 4, 8, 16, 32)}, "k, the smallest group"
    yield data, {p: dc.GlobalRecoding(p=p) for p in (1, 2, 3, 4)}, "p, the number of merged levels"
    person = _with_roles(data, {"HOUSEHOLD": "other"})
    yield person, {p: dc.GlobalRecoding(p=p) for p in (1, 2, 3, 4)}, "p, the number of merged levels"


def _point(method: Any, data: Any, masker: Any, strength: int) -> dict[str, Any]:
    release = masker.mask(data)
    if isinstance(method, Linker):
        found = method.link(data, release).evaluate()
        return {"strength": strength, "value": 100 * found.rate, "chance": 100 * found.chance / found.n}
    return {"strength": strength, "value": method.measure(data, release).value, "chance": None}


def _without_common_attributes(name: str, cls: type[Any]) -> tuple[Any, str]:
    """Draw the correct links between two halves of the attributes of the same companies."""
    rows = []
    for n in (20, 40, 80, 160):
        companies = dc.datasets.business(n).to_native()
        names = [column for column in companies.column_names if column != "COMPANY"]
        halves = [dc.microdata(companies.select(names[part::2])) for part in (0, 1)]
        linker = cls(**({"truth": list(range(n))} if "truth" in cls.parameter_names() else {}))
        found = linker.link(*halves).evaluate()
        rows.append({"n": n, "value": 100 * found.rate, "chance": 100 * found.chance / found.n})
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("n:Q", scale=alt.Scale(type="log", base=2), title="records in each file")
    )
    line = base.mark_line(point=True, color=AFTER).encode(y=alt.Y("value:Q", title="correct links (%)"))
    chance = base.mark_line(strokeDash=[4, 3], color=CHANCE).encode(y="chance:Q")
    text = f"{name} between two files of the same companies that share no attribute; dashed: guessing."
    return (line + chance).properties(width=420, height=220), text


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
            overview.append(f"| [{name}]({name}.md) | {', '.join(entry['scales'])} | {as_markdown(entry['summary'])} |")
        overview.append("")
    result["methods/index.md"] = "\n".join(overview)
    return result


def on_files(files: Any, config: Any) -> Any:
    """Add the pages to those that mkdocs builds."""
    from mkdocs.structure.files import File

    for path, text in all_pages().items():
        files.append(File.generated(config, path, content=text))
    return files
