"""A documentation page for every operator, made of its docstring, how it is typed, and a picture.

mkdocs calls :func:`on_files` (see `hooks` in mkdocs.yml), so that a new operator has its page without being named here.
The pictures are computed when the pages are built: what becomes of a collection while one of its values grows.
"""

from __future__ import annotations

import html
from typing import Any

import altair as alt
import vl_convert

from discreet.catalogue import describe_operators
from discreet.operators import operator_named
from discreet.operators.operator import Operator
from discreet.operators.prototypes import SEQUENCE_OPERATORS
from discreet.operators.typed_operator import stands_for
from discreet.parameters.description import as_markdown, describe

RESULT, OTHERS = "#0b6e4f", "#8a929a"
TYPED = {
    "choquet-integral": "choquet:additive:0.2,0.3,0.5",
    "cwow-median": "cwow-median:alpha=2 beta=0.3",
    "defuzzifier": "defuzzifier:convex-hull > wow:2 > median",
    "mean-hierarchy": "mean-hierarchy:log@0.5,0.5 & power:2@0.5,0.5 > power:1@0.5,0.5",
    "numeric-median": "median",
    "ordinal-choquet": "choquet:measure=0,2,1,4,3,5,5,8 logic=minimum",
    "ordinal-median": "median:upper",
    "ordinal-sugeno": "sugeno:0,2,1,4",
    "ordinal-weighted-mean": "ordinal-weighted-mean:nilpotent-minimum",
    "owa": "owa:most",
    "plurality": "mode",
    "quasi-mean": "power-mean:p=2",
    "quasi-weighted-mean": "quasi-weighted-mean:log",
    "sugeno-integral": "sugeno:possibility:0.3,1,0.6",
    "symmetric-sugeno": "symmetric-sugeno:most",
    "trimmed-mean": "trimmed-mean:0.1",
    "wow": "wow:operator=weighted-median alpha=2",
    "wowa": "wowa:quantifier=most weights=0.2,0.3,0.5",
}
"""How an operator is typed where its name alone does not show it."""

_LEVELS = 7


def typed_as(name: str) -> str:
    """Return a text that means an operator."""
    return TYPED.get(name, name)


def page(name: str, entry: dict[str, Any], *, picture: str = "") -> str:
    """Return the page of one operator."""
    cls = operator_named(name)
    about = describe(cls)
    weights = "takes weights" if entry["weighted"] else "gives every value the same say"
    masker = "mdav" if "numeric" in entry["scales"] else "mixed-mdav"
    lines = [f"# {name}", "", f"**{as_markdown(about.summary)}**", "", as_markdown(about.more), ""]
    if picture:
        lines += [picture, ""]
    lines += [f"`dc.operators.{entry['class']}` · of {', '.join(entry['scales'])} values · {weights}", ""]
    short = [f"`{word}`" for word in entry["also"]]
    if short:
        lines += [f"Also typed as {', '.join(short)}.", ""]
    lines += [
        "```text",
        f'discreet protect survey.csv -s survey.toml --method {masker} --operator "{typed_as(name)}" -o masked.csv',
        "```",
        "",
    ]
    if entry["parameters"]:
        lines += ["## Parameters", "", "| name | default | may be | meaning |", "| --- | --- | --- | --- |"]
        for key, text in entry["parameters"].items():
            words = as_markdown(about.parameters.get(key, ""))
            cells = (f"`{key}`", f"`{entry['defaults'][key]!r}`", as_markdown(text), words)
            lines.append("| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |")
        lines.append("")
    for key, title in {"Notes": "Definition and cost", "References": "References"}.items():
        if key in about.sections:
            lines += [f"## {title}", "", as_markdown(about.sections[key]), ""]
    if "Examples" in about.sections:
        lines += ["## Example", "", "```pycon", about.sections["Examples"], "```", ""]
    return "\n".join(lines)


def picture_of(name: str) -> str:
    """Return the picture of an operator as SVG inside the page."""
    operator = operator_named(name).examples()[0]
    chart, text = _levels(operator) if "numeric" not in operator.scales else _numbers(operator)
    svg: str = vl_convert.vegalite_to_svg(chart.configure_view(stroke=None).configure(font="sans-serif").to_dict())
    said = html.escape(f"{name}: {text}", quote=True)
    return f'<figure role="img" aria-label="{said}">{svg}<figcaption>{said}</figcaption></figure>'


def _numbers(operator: Operator) -> tuple[Any, str]:
    size = operator.arity or 4
    fixed = [0.2 + 0.6 * i / max(size - 2, 1) for i in range(size - 1)]
    steps = [0.02 + 0.98 * i / 48 for i in range(49)]
    rows = [{"x": x, "value": operator([*fixed, x]), "what": "result"} for x in steps]
    rows += [{"x": x, "value": sum([*fixed, x]) / size, "what": "mean"} for x in steps]
    told = ", ".join(f"{value:.2g}" for value in fixed)
    return _chart(rows, point=False), f"what becomes of {told} and a value that grows (green), beside the mean (grey)."


def _levels(operator: Operator) -> tuple[Any, str]:
    size = operator.arity or 5
    top = min(_LEVELS - 1, int(min(operator.domain[1], _LEVELS - 1)))
    fixed = [round(i * top / max(size - 2, 1)) for i in range(size - 1)]
    rows = [{"x": x, "value": operator([*fixed, x, *([x] if operator.arity is None else [])]), "what": "result"}
            for x in range(top + 1)]  # fmt: skip
    twice = "two values" if operator.arity is None else "a value"
    told = ", ".join(map(str, fixed))
    return _chart(rows, point=True), f"on levels 0 to {top}, what becomes of {told} and {twice} of the level below."


def _chart(rows: list[dict[str, Any]], *, point: bool) -> Any:
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("x:Q", title="the value that grows", axis=alt.Axis(grid=False)),
        y=alt.Y("value:Q", title="result"),
        color=alt.Color(
            "what:N", title=None, legend=None, scale=alt.Scale(domain=["result", "mean"], range=[RESULT, OTHERS])
        ),
    )
    drawn = base.mark_line(interpolate="step-after", point=True) if point else base.mark_line()
    return drawn.properties(width=360, height=200)


def all_pages(*, pictures: bool = True) -> dict[str, str]:
    """Return every page by its path under docs/."""
    described = describe_operators()
    overview = ["# Every operator", "", "What a group of values is released as, on the command line, in a protocol, in"]
    overview += ["the studio and in Python: [how](../how-to/operators.md).", ""]
    overview += ["| name | values | typed as | what it does |", "| --- | --- | --- | --- |"]
    result = {}
    for name, entry in described.items():
        result[f"operators/{name}.md"] = page(name, entry, picture=picture_of(name) if pictures else "")
        overview.append(
            f"| [{name}]({name}.md) | {', '.join(entry['scales'])} | `{typed_as(name)}` | "
            f"{as_markdown(entry['summary'])} |".replace("||", "\\|\\|")
        )
    overview += ["", "## Short words", "", "| word | on numbers | on ordered levels | on unordered levels |"]
    overview += ["| --- | --- | --- | --- |"]
    for word, meanings in stands_for().items():
        cells = [f"`{meanings[kind]}`" if kind in meanings else "" for kind in ("numeric", "ordinal", "nominal")]
        overview.append(f"| `{word}` | {' | '.join(cells)} |")
    overview += ["", "## Of event sequences", "", "| name | what it does |", "| --- | --- |"]
    overview += [
        f"| `{name}` | {as_markdown(describe(cls).summary)} |" for name, cls in SEQUENCE_OPERATORS.classes().items()
    ]
    result["operators/index.md"] = "\n".join([*overview, ""])
    return result


def on_files(files: Any, config: Any) -> Any:
    """Add the pages to those that mkdocs builds."""
    from mkdocs.structure.files import File

    for path, text in all_pages().items():
        files.append(File.generated(config, path, content=text))
    return files
