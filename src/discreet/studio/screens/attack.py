"""Attack: link the release with what an intruder holds."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from discreet import workflow
from discreet.errors import DiscreetError, FileError
from discreet.studio.forms import receive
from discreet.studio.pages import Mine, begin, page, refuse, to
from discreet.workflow import Attacked, Given

__all__ = ["router"]

router = APIRouter()


@router.get("/attack")
async def show(session: Mine, linker: str = "distance") -> Response:
    """Show the linkers and what the last attack found."""
    if session.schema is None:
        return to("/open")
    offers = workflow.offer_linkers(session.schema)
    usable = {name: offer for name, offer in offers.items() if not offer.obstacle}
    chosen = usable.get(linker) or next(iter(usable.values()), None)
    columns = session.schema.names
    return page(
        session, "attack.html", "attack", schema=session.schema, offers=usable, chosen=chosen, columns=columns,
        endings=workflow.readable_endings(),
    )  # fmt: skip


@router.post("/attack")
async def attack(request: Request, session: Mine) -> Response:
    """Link the release with the original, or with a file that was sent."""
    if session.schema is None or session.given is None:
        return to("/open")
    if session.worker.busy:
        session.say("error", "Another piece of work is running.", "Wait for it, or cancel it.")
        return to("/attack")
    schema, steps = session.schema, session.history.steps
    held: Given | None = None
    path = "/attack"
    upload = None
    try:
        upload = await receive(request, session, {"file": workflow.readable_endings()})
        linker = upload.texts.get("linker", "")
        offer = workflow.offer_linkers(schema).get(linker)
        if offer is None or offer.obstacle:
            raise HTTPException(400, "There is no such linker for this file.")
        path = f"/attack?linker={linker}"
        known = [name for i, name in enumerate(schema.names) if f"known-{i}" in upload.texts]
        fields = {f.name: [upload.texts[f"p-{f.name}"]] for f in offer.fields if f"p-{f.name}" in upload.texts}
        if known and "attributes" in {f.name for f in offer.fields}:
            fields["attributes"] = known
        parameters: dict[str, Any] = workflow.read_fields("linker", linker, fields)
        if upload.texts.get("held") == "file":
            if "file" not in upload.files:
                raise FileError("No file was chosen.", hint="Choose what the intruder holds.")
            name, where = upload.files["file"]
            held = Given("file", str(where), name)
        else:
            upload.discard()
    except DiscreetError as error:
        if upload is not None:
            upload.discard()
        return refuse(session, error, path)
    truth = upload.texts.get("truth", "")
    truth = truth if truth == "order" or truth in schema.names else ""

    def finish(found: Attacked) -> None:
        if session.schema is schema:
            session.attacked = found

    arguments = {
        "given": session.given,
        "schema": schema,
        "steps": steps,
        "seed": session.seed,
        "linker": linker,
        "parameters": parameters,
        "held": held,
        "truth": truth,
    }
    session.attacked = None
    return begin(session, f"Attacking with {linker}", path, "attack", arguments, finish)
