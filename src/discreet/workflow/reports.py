"""Results → pages, tables and pictures, and the manifest that closes a release."""

from __future__ import annotations

import hashlib
import json as json_
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, TypeAlias

from discreet import catalogue, io
from discreet._version import __version__
from discreet.base import aligned
from discreet.errors import FileError, ParameterError
from discreet.evaluation.changes import column_changes, suppressions_by_group
from discreet.evaluation.flow import flows
from discreet.evaluation.profile import profile, relations, shares
from discreet.evaluation.study import Study
from discreet.io.atomic import whole_file
from discreet.microdata import Microdata
from discreet.results import Assessment, Masked
from discreet.workflow.abridged import abridge_protocol, abridge_record, telling_attributes
from discreet.workflow.advice import Advice
from discreet.workflow.files import check_outputs

__all__ = ["check_manifest", "find_manifest", "write_manifest", "write_report", "write_study"]

PathLike: TypeAlias = str | os.PathLike[str]

_SMALLEST = {"internal": 5, "external": 10}
"""The fewest records that a bar of a picture may stand for: a published one is held to the usual rule of ten."""

_PICTURES = 24
"""How many attributes are drawn, of each kind; a file of hundreds would make a report that nobody opens."""

_DEPENDENCIES = (
    "numpy",
    "scipy",
    "numba",
    "scikit-learn",
    "polars",
    "pyarrow",
    "narwhals",
    "altair",
    "vl-convert-python",
)


def write_report(
    original: Any,
    masked: Masked,
    assessment: Assessment,
    *,
    html: PathLike | None = None,
    json: PathLike | None = None,
    pdf: PathLike | None = None,
    audience: str = "internal",
    before: Mapping[str, Assessment] | None = None,
    after: Mapping[str, Assessment] | None = None,
    verdicts: Sequence[Any] = (),
    advice: Sequence[Advice] = (),
    certificate: Any = None,
    study: Study | None = None,
    protocol: str | None = None,
    inputs: Iterable[PathLike] = (),
    domains: Sequence[str] = (),
    tell: Sequence[str] = (),
) -> None:
    """Write a report: a self-contained page for people, JSON for machines, a PDF for the file.

    Parameters
    ----------
    original : Microdata or frame
    masked : Masked
    assessment : Assessment
    html, json, pdf : path, optional
        What to write; a PDF needs the extra ``discreet[pdf]``.
    audience : {"internal", "external"}
        The internal report holds parameters, seeds, risks and where they sit: for the people who sign the release. The
        external one tells data users what was done and what it cost, without anything that would help an intruder.
    before, after : mapping of str to Assessment, optional
        By intruder scenario, of the original and of the release. Without `after`, the assessment is the only scenario.
    verdicts : sequence, optional
        Thresholds with ``name``, ``value``, ``limit``, ``met`` and ``sentence``.
    advice : sequence of Advice, optional
    certificate : Certificate or str, optional
    study : Study, optional
        Its risk–utility map is shown in the internal report.
    protocol : str, optional
        The text of the protocol, for the internal report.
    inputs : iterable of path
        Files that must not be written over.
    domains : sequence of str
        Attributes by whose released levels suppressed cells are counted; by default those with the role ``stratum``.
    tell : sequence of {"noise", "pram"}
        What data users are told of the parameters, by choice: the level of noise, and the matrix of PRAM. An analysis
        that corrects for the masking needs them; without the original an intruder cannot draw the same numbers again.

    Notes
    -----
    No report for data users holds a seed. Counts below ten are not told there, nor those that leave fewer than ten, nor
    anything else of an attribute with so few changed cells; losses are told in classes, shares in steps of ten records
    or more, and no mean or correlation of the original: beside the release each would be an equation in hidden values.
    The same results give the same bytes: a report holds no time of day. Pictures show no bar that stands for fewer than
    five records, ten in the external report.
    """
    from discreet.report.page import render_html, render_json

    strangers = [name for name in tell if name not in ("noise", "pram")]
    if strangers:
        raise ParameterError(f"write_report: tell knows 'noise' and 'pram'; got {strangers[0]!r}.")
    if audience not in _SMALLEST:
        raise ParameterError(f"write_report: audience must be 'internal' or 'external'; got {audience!r}.")
    wanted: list[PathLike] = [path for path in (html, json, pdf) if path is not None]
    sources = tuple(inputs)
    check_outputs(wanted, sources)
    contents = _gather(
        original,
        masked,
        assessment,
        audience,
        before or {},
        after or {},
        verdicts,
        advice,
        certificate,
        study,
        protocol,
        domains,
        tell,
    )
    page = render_html(contents, audience) if html is not None or pdf is not None else ""
    if pdf is not None:
        from discreet.report.pdf import render_pdf

        document = render_pdf(page)
        with whole_file(pdf, sources) as temporary:
            temporary.write_bytes(document)
    if html is not None:
        io.write_text(html, page, sources)
    if json is not None:
        io.write_text(json, render_json(contents, audience), sources)


def _gather(
    original: Any,
    masked: Masked,
    assessment: Assessment,
    audience: str,
    before: Mapping[str, Assessment],
    after: Mapping[str, Assessment],
    verdicts: Sequence[Any],
    advice: Sequence[Advice],
    certificate: Any,
    study: Study | None,
    protocol: str | None,
    domains: Sequence[str] = (),
    tell: Sequence[str] = (),
) -> Any:
    from discreet.report.contents import Contents, Remark, ThresholdLine

    first, second = aligned(original, masked)
    steps = masked.provenance.history or (masked.provenance,)
    smallest = _SMALLEST[audience]
    known = catalogue.maskers()
    touched = {name for step in steps for name in step.attributes}
    from discreet.evaluation.exposure import expose  # compiled code, which only a report needs

    telling = telling_attributes(first)
    return Contents(
        provenance=abridge_record(masked.provenance, telling),
        assessment=assessment,
        schema=first.schema,
        summaries={step.method: _summary(known[step.method]) for step in steps if step.method in known},
        before=before,
        after=after or {"all keys": assessment},
        distributions=tuple(
            d for d in profile(first, second, smallest, by_release=audience == "external") if d.name in touched
        )[:_PICTURES],
        shares=tuple(s for s in shares(first, second, smallest) if s.name in touched)[:_PICTURES],
        flows=flows(first, second, smallest),
        correlations=relations(first, second),
        exposure=expose(first, second, _keys(assessment, *after.values())) if audience == "internal" else None,
        verdicts=tuple(ThresholdLine(v.name, v.value, v.limit, bool(v.met), v.sentence) for v in verdicts),
        remarks=tuple(Remark(a.code, a.sentence, a.hint) for a in advice),
        certificate=_sentences(certificate),
        ranking=tuple(study.ranking()) if study is not None else (),
        front=tuple(study.front()) if study is not None else (),
        protocol=abridge_protocol(protocol, telling),
        changes=column_changes(first, second, _cell_losses(assessment), smallest),
        suppressions=suppressions_by_group(first, second, _domains(first, domains, telling), smallest),
        tell=tuple(tell),
        unmasked_study=study.unmasked_entry() if study is not None else None,
    )


def _cell_losses(assessment: Assessment) -> Mapping[str, float]:
    return next((m.per_attribute for m in assessment.measurements if m.name == "cell-loss"), {})


def _domains(table: Microdata, wanted: Sequence[str], telling: Mapping[str, Any]) -> list[str]:
    """Return what suppressed cells are counted by; levels that tell records apart are no groups."""
    names = wanted or table.schema.of_scale("ordinal", "nominal", among=table.schema.of_role("stratum"))
    return [name for name in names if name not in telling]


def _keys(*assessments: Assessment) -> tuple[str, ...]:
    """Return what any of the intruders knows, each key once."""
    return tuple(dict.fromkeys(name for assessment in assessments for name in assessment.known))


def _summary(cls: type[Any]) -> str:
    return " ".join((cls.__doc__ or "").strip().split("\n\n", 1)[0].split()).replace("`", "")


def _sentences(certificate: Any) -> tuple[str, ...]:
    if certificate is None:
        return ()
    said = certificate if isinstance(certificate, str) else str(certificate.sentence)
    return (f"{said[:1].upper()}{said[1:].rstrip('.')}.",)


def write_manifest(
    path: PathLike,
    files: Mapping[str, PathLike],
    *,
    protocol: str | None = None,
    inputs: Iterable[PathLike] = (),
    audience: str = "internal",
) -> None:
    """Write the manifest that closes a release: what every file is, its size and its SHA-256, and what made it.

    Parameters
    ----------
    path : path
        A JSON file.
    files : mapping of str to path
        By what they are (``"masked"``, ``"internal"``, …), the files of the release.
    protocol : str, optional
        The text of the protocol.
    inputs : iterable of path
        The files that the release was made from; they are listed too.
    audience : {"internal", "external"}
        A manifest to publish holds no protocol (there are seeds in it) and says nothing of the inputs.

    Notes
    -----
    The same files give the same bytes: no time of day, no name of a machine, and no folders but those below its own.
    """
    target = io.check_target(path, [*files.values(), *inputs])
    folder = target.resolve().parent
    fields: dict[str, Any] = {
        "manifest": 1,
        "audience": audience,
        "discreet": __version__,
        "python": platform.python_version(),
        "dependencies": {name: metadata.version(name) for name in _DEPENDENCIES},
        "files": [{"role": role, **_fingerprint(Path(name), folder)} for role, name in files.items()],
    }
    if audience == "internal":
        fields["inputs"] = [_fingerprint(Path(name), folder) for name in inputs]
        if protocol is not None:
            fields["protocol"] = {"sha256": hashlib.sha256(protocol.encode()).hexdigest(), "text": protocol}
    io.write_text(target, json_.dumps(fields, indent=2, ensure_ascii=False) + "\n", [*files.values(), *inputs])


def find_manifest(path: PathLike) -> Path:
    """Return the path of a manifest: a file itself, or the only manifest of a folder."""
    given = Path(path)
    if not given.is_dir():
        return given
    found = sorted({*given.glob("manifest.json"), *given.glob("*-manifest.json")})
    if len(found) != 1:
        raise FileError(
            f"The folder {str(given)!r} holds {len(found) or 'no'} manifest{'s' if len(found) > 1 else ''}.",
            hint="Name the file, such as release/manifest.json.",
        )
    return found[0]


def check_manifest(path: PathLike) -> dict[str, str]:
    """Compare the files of a release with its manifest: by name, ``"unchanged"``, ``"changed"`` or ``"absent"``."""
    source = Path(path)
    try:
        listed = io.read_json(source)
        entries = [(str(entry["name"]), str(entry["sha256"])) for entry in listed["files"]]
    except FileNotFoundError:
        raise FileError(f"The manifest {str(source)!r} does not exist.") from None
    except (OSError, ValueError, KeyError, TypeError):
        raise FileError(f"{str(source)!r} is not a manifest of Discreet.") from None
    found = {}
    for name, expected in entries:
        file = source.parent / name
        found[name] = "absent" if not _is_file(file) else "unchanged" if _sha256(file) == expected else "changed"
    return found


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that no file can have
        return False


def _fingerprint(path: Path, folder: Path) -> dict[str, Any]:
    whole, content = path.resolve(), io.content_of(path)
    if not content.is_file():
        raise FileError(f"The file {str(path)!r} does not exist, so the manifest cannot list it.")
    name = whole.relative_to(folder).as_posix() if whole.is_relative_to(folder) else whole.name
    return {"name": name, "bytes": content.stat().st_size, "sha256": _sha256(whole)}


def _sha256(path: Path) -> str:
    with io.content_of(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_study(
    study: Study,
    *,
    table: PathLike | None = None,
    picture: PathLike | None = None,
    inputs: Iterable[PathLike] = (),
) -> None:
    """Write the rows of a study (CSV or Parquet) and its risk–utility map (HTML, SVG or PNG)."""
    check_outputs([path for path in (table, picture) if path is not None], inputs)
    if table is not None:
        io.write_frame(study.to_frame(), table, inputs)
    if picture is not None:
        from discreet.report.study_map import map_html, map_png, map_svg

        shown, kind = (study.ranking(), study.front(), study.unmasked_entry()), Path(picture).suffix.lower()
        if kind == ".png":
            with whole_file(picture, inputs) as temporary:
                temporary.write_bytes(map_png(*shown))
        else:
            io.write_text(picture, (map_svg if kind == ".svg" else map_html)(*shown), inputs)
