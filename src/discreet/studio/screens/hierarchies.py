"""Hierarchies of a project: sent as a file or built from the data, and used by the steps that recode by them."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import Response

from discreet import workflow
from discreet.errors import DiscreetError, FileError, ParameterError
from discreet.studio.drafts import of_form
from discreet.studio.forms import read_form, receive
from discreet.studio.pages import Mine, begin, refuse, to
from discreet.studio.screens.protect import named
from discreet.studio.sessions import Session
from discreet.workflow import Schema

__all__ = ["router"]

router = APIRouter()

ENDINGS = (".csv", ".txt", ".grc", ".toml")


def _page(method: str) -> str:
    known = method if method in workflow.describe_methods()["maskers"] else ""
    return f"/protect?method={known}#trees"


def _keep(session: Session, column: str, rows: list[list[str]]) -> None:
    session.trees = {**session.trees, column: rows}
    session.change("steps", f"Took a hierarchy of {len(rows)} rows for {column}.")


@router.post("/protect/tree")
async def send(request: Request, session: Mine) -> Response:
    """Take a file that holds a hierarchy."""
    if session.schema is None:
        return to("/open")
    upload = await receive(request, session, {"tree": ENDINGS}, session.folder)
    place = _page(upload.texts.get("method", ""))
    try:
        column = _column(session.schema, upload.texts.get("column", ""))
        if "tree" not in upload.files:
            raise FileError("No file was chosen.", hint=f"Endings: {', '.join(ENDINGS)}.")
        scale = session.schema[column].scale
        path = Path(upload.files["tree"][1])
        if path.suffix.lower() == ".grc" and scale.kind == "numeric":
            return _read_ranges(session, column, path, place)
        tree = workflow.read_hierarchy(upload.files["tree"][1], getattr(scale, "levels", None))
        if tree.cyclic:
            raise ParameterError(f"{tree.cyclic} rows come back to a name that they have left.")
    except DiscreetError as error:
        return refuse(session, error, place)
    finally:
        upload.discard()
    _keep(session, column, [list(row) for row in tree.rows.values()])
    return to(place)


def _read_ranges(session: Session, column: str, path: Path, place: str) -> Response:
    """Read a recode file of a number, whose ranges hold what the column does."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return refuse(session, FileError("The file cannot be read as UTF-8 text."), place)
    schema = session.schema

    def finish(rows: list[list[str]]) -> None:
        if session.schema is schema:
            _keep(session, column, rows)

    arguments = {"given": session.given, "schema": schema, "column": column, "text": text, "ending": ".grc"}
    return begin(session, "Reading a hierarchy", place, "read_tree", arguments, finish)


@router.post("/protect/tree/build")
async def build(request: Request, session: Mine) -> Response:
    """Build a hierarchy from the data."""
    form = await read_form(request, session, "declaration")
    if session.schema is None:
        return to("/open")
    place = _page(str(form.get("method", "")))
    try:
        column = _column(session.schema, str(form.get("column", "")))
    except DiscreetError as error:
        return refuse(session, error, place)
    schema = session.schema

    def finish(rows: list[list[str]]) -> None:
        if session.schema is schema:
            _keep(session, column, rows)

    arguments = {
        "given": session.given,
        "schema": schema,
        "column": column,
        "by": str(form.get("by", "")),
        "steps": str(form.get("steps", "")),
    }
    again = {"path": "/protect/tree/build", "fields": of_form(form)}
    return begin(session, "Building a hierarchy", place, "build_tree", arguments, finish, form=again)


@router.post("/protect/tree/forget")
async def forget(request: Request, session: Mine) -> Response:
    """Forget a hierarchy; steps that were taken with it keep it."""
    form = await read_form(request, session, "declaration")
    column = None if session.schema is None else named(session.schema, str(form.get("column", "")))
    if column in session.trees:
        session.trees = {name: rows for name, rows in session.trees.items() if name != column}
        session.change("steps", f"Forgot the hierarchy of {column}.")
    return to(_page(str(form.get("method", ""))))


def _column(schema: Schema, place: str) -> str:
    column = named(schema, place)
    if column is None or schema[column].scale.kind == "sequence":
        raise ParameterError("Choose the attribute that the hierarchy is for.")
    return column
