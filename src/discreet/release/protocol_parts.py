"""The parts of a protocol: where the data are, and one masking step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from discreet.contracts.intruder import Intruder
from discreet.data.toml_text import Places, at_line, check_keys, toml_value
from discreet.errors import SchemaError
from discreet.typing import Json

__all__ = ["SOURCE", "Source", "Step", "read_scenario", "read_step"]

SOURCE = ("file", "delimiter", "encoding", "sequence", "header", "decimal", "thousands", "leave_out")


@dataclass(frozen=True)
class Step:
    """One masking step.

    Parameters
    ----------
    method : str
        A masker's registered name.
    parameters : mapping
        Its parameters by name, `attributes` and `random_state` among them, as a TOML file can hold them. Without
        `random_state` the draws come from the protocol's seed and the position of the step.
    unit : str, optional
        The attribute that says who belongs together, such as a household's number: the step masks one record for each
        unit, and all its members get the same values.
    line : int
        Where the step stands in its file, for messages; 0 where it has none.

    Examples
    --------
    >>> Step("mdav", {"k": 5})
    Step(method='mdav', parameters={'k': 5}, unit=None)
    """

    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    unit: str | None = None
    line: int = field(default=0, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", dict(self.parameters))

    def to_dict(self) -> Json:
        """Return what a TOML file keeps of the step; a parameter that is None is left out."""
        fields: Json = {"method": self.method}
        if self.unit is not None:
            fields["unit"] = self.unit
        return fields | {name: toml_value(value) for name, value in self.parameters.items() if value is not None}


@dataclass(frozen=True)
class Source:
    """The file to protect, relative to the protocol's folder, and how to read it, as ``dc.read`` is told."""

    file: str
    delimiter: str | None = None
    encoding: str | None = None
    sequence: str | None = None
    header: bool | None = None
    decimal: str | None = None
    thousands: str | None = None
    leave_out: str | None = None

    def __post_init__(self) -> None:
        lines: Any = self.leave_out
        if lines is not None and not isinstance(lines, str):
            object.__setattr__(self, "leave_out", ",".join(str(line) for line in lines) or "none")

    def to_dict(self) -> Json:
        """Return what a TOML file keeps of the source."""
        return {name: value for name in SOURCE if (value := getattr(self, name)) is not None}


def read_step(table: Any, index: int, where: Places) -> Step:
    """Read one step of the text."""
    line = where.line("step", index)
    what = f"{at_line(line)}[[step]] number {index + 1}"
    if isinstance(table, dict) and ("any_of" in table or isinstance(table.get("optional"), bool)):
        word = "any_of" if "any_of" in table else "optional"
        raise SchemaError(
            f"{what} leaves something open ({word}), and a protocol that is run says what to do.",
            hint="`discreet tune DATA -p PROTOCOL -o chosen.toml` chooses among the alternatives.",
        )
    if not isinstance(table, dict) or not isinstance(table.get("method"), str):
        raise SchemaError(f"{what} must name its method.", hint='method = "mdav"; `discreet methods` lists them.')
    unit = table.get("unit")
    if unit is not None and not isinstance(unit, str):
        raise SchemaError(f"{what}: unit must be the name of an attribute.")
    rest = {name: value for name, value in table.items() if name not in ("method", "unit")}
    for name, value in rest.items():
        try:
            toml_value(value)
        except SchemaError:
            raise SchemaError(f"{what}: {name} must be text, numbers, or lists or tables of these.") from None
    return Step(table["method"], rest, unit, line)


def read_scenario(table: Any, index: int, where: Places) -> Intruder:
    """Read one intruder of the text."""
    what = f"[[scenario]] number {index + 1}"
    check_keys(table, ("name", "known", "linkers", "in_words"), what, where, "scenario", index)
    line = where.line("scenario", index)
    if "known" not in table:
        raise SchemaError(f"{at_line(line)}{what} must say what the intruder knows.", hint='known = ["AGE", "SEX"]')
    try:
        linkers = table.get("linkers", Intruder.linkers)
        name, words = table.get("name", f"scenario {index + 1}"), table.get("in_words", "")
        return Intruder(name, table["known"], linkers, line, words)
    except SchemaError as error:
        raise SchemaError(f"{at_line(line)}{error.message}", hint=error.hint) from None
