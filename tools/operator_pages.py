"""A documentation page for every operator, made of its docstring, how it is typed, and a picture.

mkdocs calls :func:`on_files` (see `hooks` in mkdocs.yml), so that a new operator has its page without being named here.
The pictures are computed when the pages are built: what becomes of a collection while one of its values grows.
"""

from __future__ import annotations

import html
from typing import Any

from discreet.catalogue import describe_operators
from discreet.drawing import AFTER, BEFORE, Canvas, Plot
from discreet.operators import operator_named
from discreet.operators.operator import Operator
from discreet.operators.prototypes import SEQUENCE_OPERATORS
from discreet.operators.typed_operator import stands_for
from discreet.parameters.description import as_markdown, describe

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
        lines += ["## Parameters", "", '<div class="parameters" markdown>', ""]
        lines += ["| name | default | may be | meaning |", "| --- | --- | --- | --- |"]
        for key, text in entry["parameters"].items():
            words = as_markdown(about.parameters.get(key, ""))
            default = f"`{entry['defaults'][key]!r}`" if key in entry["defaults"] else "must be given"
            cells = (f"`{key}`", default, as_markdown(text), words)
            lines.append("| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |")
        lines += ["", "</div>", ""]
    for key, title in {"Notes": "Definition and cost", "References": "References"}.items():
        if key in about.sections:
            lines += [f"## {title}", "", as_markdown(about.sections[key]), ""]
    if "Examples" in about.sections:
        lines += ["## Example", "", "```pycon", about.sections["Examples"], "```", ""]
    return "\n".join(lines)


def picture_of(name: str) -> str:
    """Return the picture of an operator as SVG inside the page."""
    operator = operator_named(name).examples()[0]
    canvas, text = _levels(operator) if "numeric" not in operator.scales else _numbers(operator)
    text = f"{name}: {text}"
    return f'<figure class="drawn">{canvas.svg(text)}<figcaption>{html.escape(text)}</figcaption></figure>'


def _numbers(operator: Operator) -> tuple[Canvas, str]:
    size = operator.arity or 4
    fixed = [0.2 + 0.6 * i / max(size - 2, 1) for i in range(size - 1)]
    steps = [0.02 + 0.98 * i / 48 for i in range(49)]
    results = [(x, float(operator([*fixed, x]))) for x in steps]
    means = [(x, sum([*fixed, x]) / size) for x in steps]
    told = ", ".join(f"{value:.2g}" for value in fixed)
    return _drawn(results, means), f"what becomes of {told} and a value that grows (green), beside the mean (grey)."


def _levels(operator: Operator) -> tuple[Canvas, str]:
    size = operator.arity or 5
    top = min(_LEVELS - 1, int(min(operator.domain[1], _LEVELS - 1)))
    fixed = [round(i * top / max(size - 2, 1)) for i in range(size - 1)]
    results = [
        (float(x), float(operator([*fixed, x, *([x] if operator.arity is None else [])]))) for x in range(top + 1)
    ]
    twice = "two values" if operator.arity is None else "a value"
    told = ", ".join(map(str, fixed))
    return _drawn(results, []), f"on levels 0 to {top}, what becomes of {told} and {twice} of the level below."


def _drawn(results: list[tuple[float, float]], means: list[tuple[float, float]]) -> Canvas:
    canvas = Canvas(440, 276)
    plot = Plot(canvas, 62, 12, 360, 210)
    values = [value for _, value in (*results, *means)]
    edge = 0.04 * (max(values) - min(values) or 1.0)
    across = plot.across(results[0][0], results[-1][0])
    upwards = plot.upwards(min(values) - edge, max(values) + edge)
    plot.bottom_axis(across, "the value that grows", grid=False)
    plot.left_axis(upwards, "result")
    if means:
        canvas.line([(across(x), upwards(y)) for x, y in means], BEFORE, 1.5)
        canvas.line([(across(x), upwards(y)) for x, y in results], AFTER, 2)
        return canvas
    for (x, y), (following, _) in zip(results, [*results[1:], results[-1]], strict=True):  # a level stays to the next
        canvas.line([(across(x), upwards(y)), (across(following), upwards(y))], AFTER, 2)
        canvas.dot(across(x), upwards(y), AFTER)
    return canvas


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
