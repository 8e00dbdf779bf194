"""The files of a release and of a study: reports, pages, tables, put in place together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from discreet import io
from discreet.contracts.assessment import Assessment, Verdict
from discreet.contracts.dossier import Dossier, FileListed
from discreet.contracts.engine import Engine
from discreet.contracts.file_risk import FileRisk
from discreet.contracts.intruder import Intruder
from discreet.contracts.masked import Masked, Provenance
from discreet.contracts.pairing import aligned
from discreet.contracts.remark import Remark
from discreet.data.microdata import Microdata
from discreet.data.table import StoredTable
from discreet.errors import ParameterError, wrong_type
from discreet.evaluation.study import Study
from discreet.io.atomic import whole_file
from discreet.io.reading import check_outputs, make_folder, save_schema, write, written_together
from discreet.release.gathering import SMALLEST, gather
from discreet.release.manifest import PathLike, list_files, write_manifest
from discreet.release.running import Run
from discreet.release.stored_run import StoredRun, copy_release

__all__ = ["release_paths", "write_report", "write_risk", "write_run", "write_study"]


def write_risk(risk: FileRisk, path: PathLike, *, title: str = "the file", inputs: Iterable[PathLike] = ()) -> None:
    """Write what one file would risk as a self-contained page.

    Parameters
    ----------
    risk : FileRisk
    path : path
    title : str
        What the file is called.
    inputs : sequence of path, optional
        Files that must not be written over.
    """
    from discreet.report.risk_page import render_risk

    check_outputs([path], inputs)
    io.write_text(path, render_risk(risk, title))


def write_report(
    original: Any,
    masked: Masked | Microdata | StoredTable,
    assessment: Assessment,
    *,
    provenance: Provenance | None = None,
    html: PathLike | None = None,
    json: PathLike | None = None,
    pdf: PathLike | None = None,
    audience: str = "internal",
    before: Mapping[str, Assessment] | None = None,
    after: Mapping[str, Assessment] | None = None,
    verdicts: Sequence[Verdict] = (),
    advice: Sequence[Remark] = (),
    certificate: Any = None,
    study: Study | None = None,
    protocol: str | None = None,
    inputs: Iterable[PathLike] = (),
    domains: Sequence[str] = (),
    tell: Sequence[str] = (),
    engine: Engine | None = None,
    about: Dossier | Mapping[str, Any] | None = None,
    files: Mapping[str, PathLike] | None = None,
    intruders: Sequence[Intruder] = (),
) -> None:
    """Write a report: a self-contained page for people, JSON for machines, a PDF for the file.

    Parameters
    ----------
    original : Microdata, frame or StoredTable
    masked : Masked, or StoredTable with its `provenance`
    assessment : Assessment
    provenance : Provenance, optional
        Of a release in files, how it came about: ``protect(stored, output=…).provenance``.
    html, json, pdf : path, optional
        What to write; a PDF needs the extra ``discreet[pdf]``. `html` that ends in ``.pdf`` is a PDF.
    audience : {"internal", "external"}
        The internal report holds parameters, seeds, risks and where they sit: for the people who sign the release. The
        external one tells data users what was done and what it cost, without anything that would help an intruder.
    before, after : mapping of str to Assessment, optional
        By intruder scenario, of the original and of the release. Without `after`, the assessment is the only scenario.
    verdicts : sequence of Verdict, optional
    advice : sequence of Remark, optional
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
    engine : Engine, optional
        Of tables in files.
    about : Dossier or mapping, optional
        Title, date, purpose, legal basis, recipients, decision: what the internal report is signed under. Data users
        are told the title, the kind of release and the date.
    files : mapping of str to path, optional
        By what they are (``"masked"``), the files that are released; reports list them with their SHA-256, the
        internal one the `inputs` too.
    intruders : sequence of Intruder, optional
        Their `in_words` are shown beside the scenarios of `after`.

    Notes
    -----
    A release in files has the report of one in memory. Beyond a million records pictures and correlations are of a
    sample of 100,000, which the report says, and the combinations of keys at which single records stand are left out.
    No report for data users holds a seed. Counts below ten are not told there, nor those that leave fewer than ten, nor
    anything else of an attribute with so few changed cells; losses are told in classes, shares in steps of ten records
    or more, and no mean or correlation of the original: beside the release each would be an equation in hidden values.
    The same results give the same bytes: a report holds no time of day. Pictures show no bar that stands for fewer than
    five records, ten in the external report.
    """
    if not isinstance(masked, Masked) and (provenance is None or not isinstance(masked, (Microdata, StoredTable))):
        raise wrong_type(
            "write_report", "masked must be what a masker gave", masked, "masked = MDAV(k=5).mask(original)"
        )
    record = masked.provenance if isinstance(masked, Masked) else provenance
    assert record is not None  # noqa: S101 - for the type checker
    if not isinstance(assessment, Assessment):
        raise wrong_type("write_report", "assessment must be what assess gave", assessment, "assess(original, masked)")
    from discreet.report.page import render_html, render_json

    if html is not None and Path(html).suffix.lower() == ".pdf":
        if pdf is not None:
            raise ParameterError("write_report: two files are asked for as a PDF.", hint="Leave out one of them.")
        html, pdf = None, html
    strangers = [name for name in tell if name not in ("noise", "pram")]
    if strangers:
        raise ParameterError(f"write_report: tell knows 'noise' and 'pram'; got {strangers[0]!r}.")
    if audience not in SMALLEST:
        raise ParameterError(f"write_report: audience must be 'internal' or 'external'; got {audience!r}.")
    outputs: list[PathLike] = [path for path in (html, json, pdf) if path is not None]
    sources = tuple(inputs)
    check_outputs(outputs, sources)
    contents = gather(
        *_side_by_side(original, masked, record),
        record,
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
        engine,
        Dossier.of(about),
        (*list_files("original", sources if audience == "internal" else ()), *_released(files or {})),
        intruders,
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


def _released(files: Mapping[str, PathLike]) -> list[FileListed]:
    return [one for what, path in files.items() for one in list_files(what, [path])]


def _side_by_side(original: Any, masked: Any, provenance: Provenance) -> tuple[Any, Any]:
    """Return a table and its release with the same records in the same order, in memory or in files."""
    if isinstance(masked, StoredTable) and (provenance.rows is not None or not isinstance(original, StoredTable)):
        masked = masked.in_memory(masked.schema.names)
    if isinstance(masked, StoredTable):
        return aligned(original, masked)
    if isinstance(original, StoredTable):
        original = original.in_memory(original.schema.names)
    return aligned(original, masked if isinstance(masked, Masked) else Masked(masked, provenance))


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

        entries, kind = (study.ranking(), study.front(), study.unmasked_entry()), Path(picture).suffix.lower()
        if kind == ".png":
            with whole_file(picture, inputs) as temporary:
                temporary.write_bytes(map_png(*entries))
        else:
            io.write_text(picture, (map_svg if kind == ".svg" else map_html)(*entries), inputs)


def write_run(run: Run | StoredRun, folder: PathLike | None = None, released: Masked | None = None) -> dict[str, Path]:
    """Write what a run made, as :meth:`Run.write` says."""
    paths = release_paths(run, folder)
    with written_together(paths.values(), [*run.inputs, *run.sources]):
        _write_files(run, paths, released)
    return paths


def _write_files(run: Run | StoredRun, paths: Mapping[str, Path], released: Masked | None) -> None:
    assessment = run.assessment
    shared: dict[str, Any] = {"before": run.before, "after": run.after, "inputs": run.inputs, **run.protocol.public}
    shared |= {"about": run.protocol.about, "intruders": run.protocol.scenarios}
    if isinstance(run, StoredRun):
        copy_release(run.masked, paths["masked"], run.inputs)
        save_schema(run.masked.schema, paths["schema"], run.inputs)
        shared |= {"provenance": run.masked.provenance, "engine": run.engine}
    else:
        table = run.masked if released is None else released
        write(table, paths["masked"], run.inputs)
        save_schema(table.schema, paths["schema"], run.inputs)
    shared["files"] = {name: paths[name] for name in ("masked", "schema")}
    remarks = run.advice
    internal: dict[str, Any] = {"html": paths.get("internal"), "json": paths.get("json"), "pdf": paths.get("pdf")}
    if any(internal.values()):
        write_report(
            run.original, _table(run), assessment, **internal, audience="internal", verdicts=run.verdicts,
            advice=remarks, protocol=run.text, **shared,
        )  # fmt: skip
    if "external" in paths:
        write_report(run.original, _table(run), assessment, html=paths["external"], audience="external", **shared)
    if "manifest" in paths:
        listed = {name: path for name, path in paths.items() if name != "manifest"}
        thresholds = {verdict.name: verdict.met for verdict in run.verdicts}
        write_manifest(paths["manifest"], listed, protocol=run.text, inputs=run.inputs, thresholds=thresholds)


def _table(run: Run | StoredRun) -> Any:
    return run.masked.table if isinstance(run, StoredRun) else run.masked


def release_paths(run: Run | StoredRun, folder: PathLike | None = None) -> dict[str, Path]:
    """Return where the files of a release go, by name, and make their folder."""
    base = Path(folder) if folder is not None else (run.inputs[0].parent if run.inputs else Path())
    make_folder(base)
    named = {name: base / file for name, file in run.protocol.release.items()}
    named.setdefault("masked", base / ("masked.parquet" if isinstance(run, StoredRun) else "masked.csv"))
    return {"masked": named["masked"], "schema": named["masked"].with_suffix(".toml"), **named}
