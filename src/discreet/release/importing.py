"""From what other tools keep to a protocol: scripts of sdcMicro, projects of ARX, metadata and recodings of μ-Argus."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from discreet import io
from discreet.data.survey import Declaration
from discreet.errors import FileError, ParameterError, SchemaError, wrong_type
from discreet.io.atomic import whole_file
from discreet.io.fixed_width import read_rda
from discreet.masking.recoding.hierarchy_text import check_recoding, read_rows
from discreet.release.arx_project import read_arx
from discreet.release.imported import Imported, Unread
from discreet.release.proposal import propose
from discreet.release.protocol import Protocol
from discreet.release.protocol_parts import Step
from discreet.release.sdcmicro_script import read_sdcmicro
from discreet.scratch import scratch_folder

__all__ = ["ImportedProtocol", "import_protocol", "save_imported"]

PathLike = str | os.PathLike[str]

_WORDS = {"RECODEABLE", "NUMERIC", "WEIGHT", "HOUSE_ID", "HOUSEHOLD", "IDLEVEL", "DECIMALS"}
_MANY = ("keys", "confidential", "identifiers", "strata", "numeric", "nominal")
_ROLE_WORDS = {"identifiers": "identifier", "keys": "key", "weight": "weight", "household": "household",
               "strata": "stratum", "confidential": "confidential", "others": "other"}  # fmt: skip
_ENDINGS = (".R", ".deid", ".rda", ".grc")


@dataclass(frozen=True)
class ImportedProtocol:
    """A protocol made of another tool's file.

    Attributes
    ----------
    protocol : Protocol
        Its comments say from where each step is.
    unread : tuple of Unread
        What has no equivalent or needs a person, each with its line.
    files : mapping of str to bytes
        What the other tool's file holds beside and the protocol names: data and hierarchies.
    tool : str
    """

    protocol: Protocol
    unread: tuple[Unread, ...]
    files: Mapping[str, bytes]
    tool: str

    def __repr__(self) -> str:
        steps = ", ".join(step.method for step in self.protocol.steps) or "no step"
        return f"ImportedProtocol(from {self.tool}: {steps}; {len(self.unread)} parts not taken over)"


def import_protocol(
    path: PathLike,
    *,
    data: PathLike | None = None,
    attribute: str | None = None,
    folder: PathLike | None = None,
    **layout: Any,
) -> ImportedProtocol:
    """Make a protocol of a script of sdcMicro, a project of ARX, or metadata or a recoding of μ-Argus.

    Parameters
    ----------
    path : path
        ``.R``, ``.deid``, ``.rda`` (metadata of a file of fixed width) or ``.grc`` (one recoding).
    data : path, optional
        The file to protect. By default the one that the script, the project or the metadata name.
    attribute : str, optional
        For a recoding: the column it is of; by default the name of its file.
    folder : path, optional
        Where the protocol will stand (default: where `path` is).
    **layout
        As for :func:`~discreet.read`.

    Notes
    -----
    Nothing of a script is run. What has no equivalent is listed in `unread` and in the protocol's last comment, by its
    line.
    Scales, and roles that nobody named, are inferred from the data; thresholds are proposed as ``discreet init`` does.
    """
    if not isinstance(path, str | os.PathLike):
        raise wrong_type("import_protocol", "path must be the path of a file", path, 'import_protocol("script.R")')
    source = Path(path)
    if not source.is_file():
        raise FileError(f"There is no file {str(path)!r}.")
    imported = _read(source, attribute)
    home = Path(folder) if folder is not None else source.parent
    target = _data_of(imported, source, data)
    packed = data is None and imported.data in imported.files
    if packed:
        with scratch_folder() as private:
            unpacked = private / imported.data
            unpacked.write_bytes(imported.files[imported.data])
            protocol = _proposed(imported, unpacked, private, layout)
    else:
        protocol = _proposed(imported, target, home, layout)
    return ImportedProtocol(protocol, tuple(imported.unread), dict(imported.files), imported.tool)


def save_imported(imported: ImportedProtocol, path: PathLike, inputs: Sequence[PathLike] = ()) -> None:
    """Write a protocol and, beside it, what came along; never over an input."""
    for name, content in imported.files.items():
        target = Path(path).parent / name
        if not any(target.resolve() == Path(one).resolve() for one in inputs):
            with whole_file(target, inputs) as temporary:
                temporary.write_bytes(content)
    io.write_text(path, imported.protocol.to_toml(), inputs)


def _read(source: Path, attribute: str | None) -> Imported:
    ending = source.suffix.lower()
    if ending == ".r":
        return read_sdcmicro(_text(source))
    if ending == ".deid":
        return read_arx(source)
    if ending == ".rda":
        return _metadata(source)
    if ending == ".grc":
        return _recoding(source, attribute or source.stem)
    raise FileError(
        f"{source.name!r} is none of {', '.join(_ENDINGS)}.",
        hint="A script of sdcMicro, a project of ARX, metadata or a recoding of μ-Argus can be imported.",
    )


def _text(source: Path) -> str:
    """Return the text of a file, in UTF-8, UTF-16 or as Windows writes it; refuse what is no text."""
    content = source.read_bytes()
    wide = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        text = content.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace")
    text = text.rstrip("\x1a")
    if not text.strip() or any(ord(one) < 32 and one not in "\t\n\r\f" for one in text):
        why = "is no text" if text.strip() else "is empty"
        raise FileError(f"{source.name!r} {why}: nothing in it can be read.", hint="Is it the file that was meant?")
    return text


def _recoding(source: Path, name: str) -> Imported:
    """Read a recoding line by line; of one with lines that cannot be read, those that can are kept in a copy."""
    imported = Imported("μ-Argus")
    lines = _text(source).splitlines()
    kept, unread = [], set()
    for number, line in enumerate(lines, 1):
        word = line.strip().partition(">")[0].upper()
        try:
            # Words alone recode nothing: a rule beside them tells whether they are known.
            read_rows(f"{line}\n1: 1" if word.startswith("<") else line, ".grc", ()) if word else ()
        except FileError as error:
            why = error.message.removeprefix("Line 1 of the recode file ").rstrip(".")
            imported.skip(f"line {number}", "a line of the recoding", f"not taken over: it {why}")
            unread.add(number)
            continue
        if word in ("<CODELIST", "<TREERECODE"):
            imported.skip(f"line {number}", f"{word}>", "not taken over")
        elif word == "<MISSING":
            imported.skip(f"line {number}", "<MISSING>", "declare these codes of the attribute, as missing = [...]")
        kept.append(line)
    if not any(line.strip() and not line.strip().startswith("<") for line in kept):
        raise FileError(
            f"Nothing in {source.name!r} could be read as a recoding of μ-Argus.",
            hint="Its lines are NEW: OLD, FROM-TO, …",
        )
    check_recoding("\n".join("" if place in unread else line for place, line in enumerate(lines, 1)))
    whole = kept == lines and _is_utf8(source.read_bytes())
    file = source.name if whole else f"{source.stem}-read.grc"
    note = f"the recoding {source.name}" if whole else f"the recoding {source.name}, as far as it could be read"
    imported.steps.append((Step("hierarchy-recoding", {"hierarchies": {name: file}}), note))
    imported.declare("nominal", [name])
    imported.declare("keys", [name])
    imported.files[file] = source.read_bytes() if whole else ("\n".join(kept) + "\n").encode()
    return imported


def _is_utf8(content: bytes) -> bool:
    try:
        return "\x1a" not in content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False


def _metadata(source: Path) -> Imported:
    imported = Imported("μ-Argus")
    variables = read_rda(source)
    first = next(
        (n for n, line in enumerate(_text(source).splitlines(), 1) if line.split()[:1] == [variables[0].name]), 1
    )
    for number, line in enumerate(_text(source).splitlines()[: first - 1], 1):
        if line.strip().startswith("<"):
            word = line.strip()[1:].partition(">")[0].upper()
            imported.skip(f"line {number}", f"<{word}>", "not taken over: it stands before the first variable")
    for variable in variables:
        for word, value in variable.words.items():
            where = f"line {variable.lines[word]}"
            if word not in _WORDS:
                imported.skip(where, f"<{word}>", f"not taken over, of the variable {variable.name}")
            elif word == "IDLEVEL" and not value.isdigit():
                imported.skip(where, "<IDLEVEL>", f"its number cannot be read, of the variable {variable.name}")
            elif word == "HOUSEHOLD":
                imported.skip(where, "<HOUSEHOLD>", f"{variable.name} is taken for a variable like others")
    levels = {v.name: int(v.words.get("IDLEVEL", "0")) for v in variables if v.words.get("IDLEVEL", "0").isdigit()}
    levels = {name: level for name, level in levels.items() if level > 0}
    if levels:
        imported.declare("keys", list(levels))
        imported.skip("identification levels", "combinations", "every combination is asked for that μ-Argus would take")
        step = Step("local-suppression", {"k": 2, "levels": levels, "attributes": list(levels)})
        imported.steps.append((step, "identification levels as in the metadata; set k to your threshold"))
    beside = [source.with_suffix(ending) for ending in (".asc", ".dat", ".fwf", ".ASC", ".DAT")]
    imported.data = next((one.name for one in beside if one.is_file()), "")
    return imported


def _data_of(imported: Imported, source: Path, data: PathLike | None) -> Path:
    if data is not None:
        return Path(data)
    if not imported.data:
        raise ParameterError(
            f"{source.name!r} does not say which file it is about.", hint="Name it: --data survey.csv."
        )
    if imported.data in imported.files:
        return source.parent / imported.data
    target = source.parent / Path(imported.data.replace("\\", "/"))
    if not target.is_file():
        raise FileError(
            f"{source.name!r} reads {imported.data!r}, which is not there.", hint="Name the data: --data survey.csv."
        )
    return target


def _proposed(imported: Imported, target: Path, home: Path, layout: Mapping[str, Any]) -> Protocol:
    options = {**imported.layout, **{name: value for name, value in layout.items() if value is not None}}
    declared = _declaration(imported, target, options)
    proposal = propose(target, schema=declared, folder=home, **options)
    names = proposal.schema.names
    steps = [
        _unmasked_strata(imported, replace(step, parameters=_by_name(step.parameters, names)), note)
        for step, note in imported.steps
    ]
    comments = {key: text for key, text in proposal.comments.items() if not key.startswith("step:") and key != "end"}
    comments |= {f"step:{place}": note for place, (_, note) in enumerate(imported.steps)}
    comments["protocol"] = (
        f"A protocol of Discreet, made of a file of {imported.tool}. Look at every role and step, then run it: "
        "`discreet run PROTOCOL`."
    )
    if imported.unread:
        listed = "\n".join(f"- {one}" for one in imported.unread)
        comments["end"] = f"What was not taken over, by where it stands:\n{listed}"
    strangers = [
        name
        for step in steps
        for name in (*step.parameters.get("attributes", ()), *_mapped(step.parameters))
        if name not in names
    ]
    if strangers:
        raise SchemaError(
            f"The file of {imported.tool} masks {strangers[0]!r}, which the data do not have.",
            hint=f"The data have {len(names)} columns; is it the file that was meant? Name it with --data.",
        )
    return replace(proposal, steps=tuple(steps), comments=comments)


def _mapped(parameters: Mapping[str, Any]) -> Sequence[str]:
    """Return the columns that a step names as keys of a table."""
    tables = [parameters.get(name) for name in ("bands", "maps", "hierarchies")]
    return [name for table in tables if isinstance(table, Mapping) for name in table]


def _declaration(imported: Imported, target: Path, options: Mapping[str, Any]) -> Declaration:
    """Return what was said of columns, those that were numbered by their names."""
    numbered = any(isinstance(name, int) for names in imported.columns.values() for name in names)
    columns: Sequence[str] = ()
    if numbered:
        table, _ = io.read_table(target, **options)
        columns = table.column_names
    named = {role: _names(names, columns) for role, names in imported.columns.items()}
    # A column may be said to be several things: the strictest is taken. What an intruder knows stays known.
    taken: set[str] = set()
    for role in ("identifiers", "keys", "weight", "household", "strata", "confidential", "others"):
        for name in named.get(role, []):
            if name in taken:
                why = f"not taken over: {name!r} is {_role_of(name, named)} already, and a column has one role"
                imported.skip(imported.places.get(role, imported.tool), f"the role {_ROLE_WORDS[role]}", why)
        named[role] = [name for name in named.get(role, []) if name not in taken]
        taken |= set(named[role])
    for role in ("weight", "household"):
        for name in named[role][1:]:
            why = f"not taken over: {named[role][0]!r} is it, and there is one"
            imported.skip(imported.places.get(role, imported.tool), f"the {role} {name!r}", why)
    others: tuple[dict[str, Any], ...] = tuple({"name": name, "role": "other"} for name in named["others"])
    lists = {role: tuple(named.get(role, ())) for role in _MANY}
    lists["numeric"] = tuple(name for name in lists["numeric"] if name not in set(lists["nominal"]))
    one = {role: named[role][0] if named[role] else None for role in ("weight", "household")}
    return Declaration(**lists, **one, attributes=others)  # type: ignore[arg-type]


def _role_of(name: str, named: Mapping[str, Sequence[str]]) -> str:
    """Return what a column is already, in words."""
    role = next(role for role in _ROLE_WORDS if name in named.get(role, ()))
    return {"identifiers": "an identifier", "keys": "a key"}.get(role, f"the {_ROLE_WORDS[role]}")


def _unmasked_strata(imported: Imported, step: Step, note: str) -> Step:
    """Return a step whose strata are none of the columns that it masks; list those that were."""
    strata, masked = step.parameters.get("strata"), step.parameters.get("attributes", ())
    if not isinstance(strata, list) or not set(strata) & set(masked):
        return step
    both = ", ".join(repr(name) for name in strata if name in masked)
    why = f"not taken over: the step masks {both}, by which it cannot be stratified"
    imported.skip(note.partition(":")[0], f"strata of {step.method}", why)
    left = [name for name in strata if name not in masked]
    parameters = {name: value for name, value in step.parameters.items() if name != "strata"}
    return replace(step, parameters={**parameters, "strata": left} if left else parameters)


def _names(names: Sequence[str | int], columns: Sequence[str]) -> list[str]:
    texts = []
    for name in names:
        if isinstance(name, int):
            if not 1 <= name <= len(columns):
                raise SchemaError(f"Column {name} is named by its place, and the data have {len(columns)} columns.")
            texts.append(columns[name - 1])
        else:
            texts.append(name)
    return texts


def _by_name(parameters: Mapping[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    """Return parameters in which columns that were numbered have their names."""
    texts = dict(parameters)
    for name in ("attributes", "strata"):
        if isinstance(texts.get(name), list):
            texts[name] = _names(texts[name], columns)
    return texts
