"""Files of fixed width (``.asc``, ``.dat``, ``.fwf``) with the metadata of μ-Argus (``.rda``) beside them, in and out.

The metadata are lines of text: a variable with its first position, its width and its missing codes, and below it what
it is, a word in angle brackets a line. ``<RECODEABLE>`` is a category, ``<NUMERIC>`` a number with ``<DECIMALS>``, and
``<WEIGHT>``, ``<HOUSE_ID>`` and ``<IDLEVEL>`` tell its role; further words are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.inference import Proposal
from discreet.data.microdata import Microdata
from discreet.data.scales import Categorical, Nominal, Numeric, Ordinal
from discreet.data.scales.scale import as_arrow, hide_missing
from discreet.data.schema import Attribute, Schema
from discreet.errors import DataError, FileError, SchemaError
from discreet.io.atomic import whole_file
from discreet.typing import Json

__all__ = [
    "FIXED",
    "Variable",
    "declared_by_rda",
    "places_in",
    "rda_text",
    "read_fixed_width",
    "read_rda",
    "write_fixed_width",
]

FIXED = (".asc", ".dat", ".fwf")
_VARIABLE = re.compile(r"(?P<name>[^\s<>]+)\s+(?P<start>[0-9]+)\s+(?P<width>[0-9]+)(?P<missing>(\s+\S+)*)")
_WORD = re.compile(r"<(?P<word>[A-Za-z_]+)>\s*(?P<value>[^<]*)")
_WHOLE, _DECIMAL = r"^[+-]?(0|[1-9][0-9]{0,17})$", r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)$"


@dataclass(frozen=True)
class Variable:
    """Where a variable stands in a line, and what the metadata say of it."""

    name: str
    start: int
    width: int
    missing: tuple[str, ...] = ()
    words: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict, compare=False, repr=False)
    """Where the words stand in the metadata."""

    @property
    def decimals(self) -> int:
        """How many of its digits stand behind a point that is not written, where none is."""
        text = self.words.get("DECIMALS", "0")
        return int(text) if text.isdigit() else 0


def rda_of(path: Path) -> Path:
    """Return the metadata beside a file, whatever the case of its ending."""
    candidates = [path.with_suffix(ending) for ending in (".rda", ".RDA", ".Rda")]
    found = next((one for one in candidates if one.is_file()), None)
    if found is None:
        raise FileError(
            f"{str(path)!r} has fixed width, and no {candidates[0].name!r} beside it says what stands where.",
            hint="A line a variable: its name, first position and width; see the page on files.",
        )
    return found


def read_rda(path: Path) -> tuple[Variable, ...]:
    """Read the metadata of μ-Argus; what is not understood is told by the number of its line."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        text = path.read_text(encoding="cp1252", errors="replace")
    if "\0" in text or text.startswith(("RDX", "\x1f")):
        raise FileError(f"{str(path)!r} is no text: files of R have the same ending.", hint="Save the table as .csv.")
    variables: list[Variable] = []
    for number, line in enumerate(text.splitlines(), start=1):
        part = line.strip()
        if not part or part.startswith(("#", "//")):
            continue
        words = list(_WORD.finditer(part)) if part.startswith("<") else []  # a line may hold several
        if words and not variables:
            if any(word["word"].upper() == "SEPARATOR" for word in words):
                raise FileError(f"{str(path)!r} is of a file with a separator.", hint="Read it as .csv, --no-header.")
            continue
        if words:
            variables[-1].words.update({word["word"].upper(): word["value"].strip() for word in words})
            variables[-1].lines.update({word["word"].upper(): number for word in words})
            continue
        variable = _VARIABLE.fullmatch(part)
        if variable is None or not int(variable["start"]) or not int(variable["width"]):
            raise FileError(
                f"Line {number} of {str(path)!r} is neither a variable nor a word in angle brackets.",
                hint="Such as: AGE 12 3 999",
            )
        codes = tuple(dict.fromkeys(code.strip('"') for code in variable["missing"].split()))
        variables.append(Variable(variable["name"], int(variable["start"]), int(variable["width"]), codes))
    if not variables:
        raise FileError(f"{str(path)!r} names no variable.")
    names = [variable.name for variable in variables]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise SchemaError(f"{str(path)!r} names the variable {twice!r} {names.count(twice)} times.")
    places = sorted(variables, key=lambda one: one.start)
    for first, second in pairwise(places):
        if first.start + first.width > second.start:
            raise SchemaError(f"{str(path)!r} lets the variables {first.name!r} and {second.name!r} overlap.")
    return tuple(variables)


def read_fixed_width(path: Path, *, encoding: str = "utf-8") -> tuple[pa.Table, Json]:
    """Return the table and its origin, which remembers where variables stand."""
    variables = read_rda(rda_of(path))
    content = path.read_bytes()
    if not content.strip():
        raise FileError(f"{str(path)!r} is empty.")
    text = content.decode("utf-8-sig" if encoding.lower().replace("_", "-") in {"utf-8", "utf8"} else encoding)
    if "\0" in text:
        raise FileError(f"{str(path)!r} is not a text file.")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\x1a").split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    longest = max(variable.start + variable.width - 1 for variable in variables)
    width = max(variable.start for variable in variables)
    short = [number for number, line in enumerate(lines, start=1) if len(line) < width]
    if short:
        raise FileError(
            f"{len(short)} of {len(lines)} lines of {str(path)!r} are too short for the last variable, the first in "
            f"line {short[0]}.",
            hint="Check the metadata, or fill the lines up with blanks.",
        )
    columns = {}
    for one in variables:
        fields = pa.array([line[one.start - 1 : one.start - 1 + one.width].strip() or None for line in lines])
        columns[one.name] = _typed(fields.cast(pa.string()), one)
    layout = {one.name: one for one in variables}
    crlf = "\r\n" if b"\r\n" in content else "\n"
    origin: Json = {"format": "fixed", "path": str(path), "fixed": layout, "line": (longest, crlf)}
    return pa.table(columns), origin


def _typed(fields: pa.Array, variable: Variable) -> pa.Array:
    """Return numbers where the metadata say so, or where that loses nothing; codes with leading zeros stay text."""
    present = fields.drop_null()
    if "NUMERIC" in variable.words or "WEIGHT" in variable.words:
        plain = pc.replace_substring(fields, ",", ".")
        present = plain.drop_null()
        if len(present) and not pc.all(pc.match_substring_regex(present, _DECIMAL)).as_py():
            raise DataError(f"Column {variable.name!r} is numeric, and some of its fields are no numbers.")
        points = pc.any(pc.match_substring(present, ".")).as_py()
        if variable.decimals and not points:
            return pc.divide(plain.cast(pa.float64()), 10.0**variable.decimals)
        whole = not points and pc.all(pc.match_substring_regex(present, r"^[+-]?[0-9]{1,18}$")).as_py()
        return pc.replace_substring(plain, "+", "").cast(pa.int64() if whole else pa.float64())
    if len(present) and pc.all(pc.match_substring_regex(present, _WHOLE)).as_py():
        return pc.replace_substring(fields, "+", "").cast(pa.int64())
    return fields


def declared_by_rda(proposal: Proposal, table: Any, variables: dict[str, Variable]) -> Proposal:
    """Return a proposal in which what the metadata say goes before what was guessed."""
    attributes, reasons, missing = [], dict(proposal.reasons), dict(proposal.missing)
    for attribute in proposal.schema:
        variable = variables[attribute.name]
        column = as_arrow(table.column(attribute.name))
        codes = tuple(_code(code, column) for code in variable.missing)
        changed = _declared(attribute, variable, column, codes)
        if isinstance(changed.scale, Categorical):
            levels = tuple(level for level in changed.scale.levels if level not in codes)
            changed = replace(changed, scale=type(changed.scale)(levels or ("(no value)",)))  # type: ignore[call-arg]
        changed = replace(changed, missing=codes)
        attributes.append(changed)
        missing[attribute.name] = int(hide_missing(column, codes).null_count)
        words = [f"<{word}>" for word in variable.words if word in _KNOWN]
        if words:
            reasons[attribute.name] = f"the metadata of μ-Argus say {', '.join(words)}"
    return replace(proposal, schema=Schema(attributes), reasons=reasons, missing=missing)


_KNOWN = {"RECODEABLE", "NUMERIC", "WEIGHT", "HOUSE_ID", "HOUSEHOLD", "IDLEVEL", "DECIMALS"}


def _code(code: str, column: pa.Array) -> str | int | float:
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        return code
    number = float(code.replace(",", ".")) if re.fullmatch(r"[+-]?[0-9]*[.,]?[0-9]+", code) else None
    return code if number is None else int(number) if number.is_integer() else number


def _declared(attribute: Attribute, variable: Variable, column: pa.Array, codes: Sequence[Any]) -> Attribute:
    words = variable.words
    if "WEIGHT" in words:
        return replace(attribute, scale=Numeric(), role="weight", missing=())
    if "HOUSE_ID" in words:
        return replace(attribute, scale=Nominal(("",)), role="identifier", missing=())
    if "RECODEABLE" in words:
        levels = hide_missing(column, tuple(codes)).unique().drop_null().to_pylist()
        scale = attribute.scale
        if levels and not isinstance(scale, Ordinal):
            scale = Nominal(tuple(sorted(levels)))
        level = words.get("IDLEVEL", "1")
        return replace(attribute, scale=scale, role="other" if level == "0" else "key", missing=())
    if "NUMERIC" in words:
        return replace(attribute, scale=Numeric(), role="confidential", missing=())
    return replace(attribute, missing=())


# --------------------------------------------------------------------------------------------------------------- out


def write_fixed_width(table: Microdata, path: Path, inputs: tuple[Path, ...] = ()) -> None:
    """Write a table with fixed width; its metadata are written beside it by whoever asked (:func:`rda_text`)."""
    fields, variables = _laid_out(table)
    width = max(one.start + one.width - 1 for one in variables)
    ending = table.origin.get("line", (0, "\n"))[1]
    columns = [(one, fields[one.name]) for one in variables]
    with whole_file(path, inputs) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        for row in range(len(table)):
            line = [" "] * width
            for one, texts in columns:
                line[one.start - 1 : one.start - 1 + one.width] = texts[row]
            file.write("".join(line) + ending)


def _laid_out(table: Microdata) -> tuple[dict[str, list[str]], list[Variable]]:
    """Return every field filled up to its width, and where it stands: as in the original, as far as all have room."""
    layout: dict[str, Variable] = table.origin.get("fixed", {})
    texts = {name: _texts(table, name, layout.get(name)) for name in table.names}
    widths = {name: max([1, *map(len, column)]) for name, column in texts.items()}
    fits = all(name in layout and widths[name] <= layout[name].width for name in table.names)
    variables, start = [], 1
    for name in table.names:
        known = layout.get(name)
        one = Variable(name, start, widths[name]) if known is None else replace(known, start=start, width=widths[name])
        variables.append(known if fits and known is not None else one)
        start += widths[name] + 1
    right = {n for n in table.names if isinstance(table.schema[n].scale, Numeric)}
    padded = {
        one.name: [t.rjust(one.width) if one.name in right else t.ljust(one.width) for t in texts[one.name]]
        for one in variables
    }
    return padded, variables


def _texts(table: Microdata, name: str, variable: Variable | None) -> list[str]:
    column = as_arrow(table.to_arrow().column(name))
    if pa.types.is_nested(column.type):
        raise DataError(f"Column {name!r} has no form of fixed width.", hint="Write it as .csv or .parquet.")
    if variable is not None and variable.decimals and pa.types.is_floating(column.type):
        texts = [None if v is None else f"{v:.{variable.decimals}f}" for v in column.to_pylist()]
    else:
        texts = column.cast(pa.string()).to_pylist()
    if any(text is not None and re.search(r"[\r\n]", text) for text in texts):
        raise DataError(f"Column {name!r} has line ends in its text, which a file of fixed width has no room for.")
    if any(text is not None and (text != text.strip() or not text) for text in texts):
        raise DataError(f"Column {name!r} has text that is empty or begins or ends with a blank.", hint="Write a .csv.")
    return ["" if text is None else text for text in texts]


def rda_text(table: Microdata) -> str:
    """Return the metadata of a table as it is written with fixed width."""
    lines = []
    for one in _laid_out(table)[1]:
        attribute = table.schema[one.name]
        codes = [str(code) for code in attribute.missing]
        if re.search(r"[\s<>]", one.name) or any(re.search(r"\s", code) or not code for code in codes):
            raise SchemaError(
                f"{one.name!r} has a blank in its name or its missing codes, which the metadata of μ-Argus cannot hold."
            )
        lines.append(" ".join([one.name, str(one.start), str(one.width), *codes]))
        lines += [f"  {word}" for word in _words(attribute, one)]
    return "\n".join(lines) + "\n"


def places_in(text: str) -> dict[str, slice]:
    """Return where columns stand, as the text of the metadata says."""
    lines = [line.split() for line in text.splitlines() if line and not line.startswith(" ")]
    return {name: slice(int(start) - 1, int(start) - 1 + int(width)) for name, start, width, *_ in lines}


def _words(attribute: Attribute, variable: Variable) -> list[str]:
    if attribute.role == "weight":
        return ["<NUMERIC>", *_decimals(variable), "<WEIGHT>"]
    if isinstance(attribute.scale, Numeric):
        return ["<NUMERIC>", *_decimals(variable)]
    if attribute.role == "identifier":
        return ["<HOUSE_ID>"]
    return ["<RECODEABLE>", f"<IDLEVEL> {1 if attribute.role == 'key' else 0}"]


def _decimals(variable: Variable) -> list[str]:
    return [f"<DECIMALS> {variable.decimals}"] if variable.decimals else []
