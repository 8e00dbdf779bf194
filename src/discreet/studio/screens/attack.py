"""Attack: link the release with what an intruder holds."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from discreet import workflow
from discreet.errors import DiscreetError, FileError
from discreet.studio.controls import offer_linker, offer_linkers, read_fields
from discreet.studio.drafts import private
from discreet.studio.forms import receive
from discreet.studio.jobs import Job
from discreet.studio.layouts import read_layout
from discreet.studio.pages import Mine, begin, busy, page, refuse, studio_of, to
from discreet.studio.screens.protect import named
from discreet.studio.session_values import Attacked, Given
from discreet.workflow import Schema

__all__ = ["router"]

router = APIRouter()


@router.get("/attack")
async def show(session: Mine, linker: str = "distance") -> Response:
    """Show the linkers and what the last attack found."""
    if session.schema is None:
        return to("/open")
    offers = offer_linkers(session.schema)
    usable = {name: offer for name, offer in offers.items() if not offer.obstacle}
    current = usable.get(linker) or next(iter(usable.values()), None)
    columns = session.schema.names
    return page(
        session, "attack.html", "attack", shows=(f"attack:{current.name}",) if current is not None else (),
        schema=session.schema, offers=usable, chosen=current, columns=columns, endings=workflow.readable_endings(),
    )  # fmt: skip


@router.post("/attack")
async def attack(request: Request, session: Mine) -> Response:
    """Link the release with the original, or with a file that was sent."""
    if session.schema is None or session.given is None:
        return to("/open")
    if session.worker.busy:
        return busy(session, "/attack")
    schema, steps = session.schema, session.history.steps
    intruder_file: Given | None = None
    linker = ""
    path, draft, typed = "/attack", "", dict[str, list[str]]()
    upload = None
    try:
        scratch = studio_of(request).scratch.path
        upload = await receive(request, session, {"file": workflow.readable_endings()}, scratch)
        linker = upload.texts.get("linker", "")
        offer = offer_linker(schema, linker)
        if offer is None or offer.obstacle:
            upload.discard()
            raise HTTPException(400, "There is no such linker for this file.")
        path, draft = f"/attack?linker={linker}", f"attack:{linker}"
        typed = {name: [text] for name, text in upload.texts.items() if not private(name)}
        session.keep_draft(draft, typed)
        keys = [name for i, name in enumerate(schema.names) if f"known-{i}" in upload.texts]
        fields = {f.name: [upload.texts[f"p-{f.name}"]] for f in offer.fields if f"p-{f.name}" in upload.texts}
        if keys and "attributes" in {f.name for f in offer.fields}:
            fields["attributes"] = keys
        parameters: dict[str, Any] = read_fields("linker", linker, fields)
        if "file" in upload.files and upload.texts.get("held") != "file":
            raise FileError("A second file was chosen, but the intruder is said to hold the original itself.",
                            hint="Tick “A second file”, or choose none.")  # fmt: skip
        if upload.texts.get("held") == "file":
            if "file" not in upload.files:
                raise FileError("No file was chosen.", hint="Choose what the intruder holds.")
            name, where = upload.files["file"]
            intruder_file = Given("file", str(where), name, **read_layout(upload.texts, workflow.ending_of(where)))
        else:
            upload.discard()
    except DiscreetError as error:
        if upload is not None:
            upload.discard()
        return refuse(session, error, path, draft, ["file", *parameters_of(linker, schema)])
    truth = upload.texts.get("truth", "")
    truth = truth if truth == "order" else named(schema, truth) or ""

    def finish(outcome: Attacked) -> None:
        if session.schema is schema:
            session.attacked = outcome
            session.change("study", f"Attacked with {linker}.")

    def ended(_: Job, __: str) -> None:
        upload.discard()

    arguments = {
        "given": session.given,
        "schema": schema,
        "steps": steps,
        "seed": session.need_seed(),
        "linker": linker,
        "parameters": parameters,
        "held": intruder_file,
        "truth": truth,
    }
    # A file that was sent is gone when the attack is over: such an attack cannot be begun again by itself.
    again: dict[str, Any] = {"draft": draft}
    if intruder_file is None:
        again |= {"path": "/attack", "fields": typed, "multipart": True}
    return begin(session, f"Attacking with {linker}", path, "attack", arguments, finish, form=again, ended=ended,
                 names=parameters_of(linker, schema))  # fmt: skip


def parameters_of(linker: str, schema: Schema) -> list[str]:
    """Return what the form of a linker asks for, by name."""
    offer = offer_linker(schema, linker)
    return [field.name for field in offer.fields] if offer is not None else []
