"""Protect: one step after the other, each measured against the original, with a history."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from discreet import workflow
from discreet.errors import DiscreetError, ParameterError
from discreet.studio.controls import TREES, Offer, offer_masker, offer_maskers, read_fields
from discreet.studio.drafts import of_form
from discreet.studio.forms import read_form, whole_number
from discreet.studio.pages import Mine, ask, begin, busy, page, refuse, to
from discreet.studio.session_values import History, Protected
from discreet.studio.sessions import Session
from discreet.workflow import Schema, Step

__all__ = ["named", "router", "run_steps"]

router = APIRouter()

WAYS = ("intervals", "order", "prefix", "frequency", "cooccurrence", "dates")
"""How a hierarchy is built; by default what fits the scale."""


MOST_NODES_SHOWN = 40


@router.get("/protect")
async def show(session: Mine, method: str = "") -> Response:
    """Show the methods for the scales of the file, the steps so far, and what they led to."""
    if session.schema is None:
        return to("/open")
    offers = offer_maskers(session.schema)
    current = offers.get(method)
    return page(session, "protect.html", "protect", shows=(f"protect:{method}",), schema=session.schema, offers=offers,
                chosen=current, ways=WAYS)  # fmt: skip


@router.post("/protect/add")
async def add(request: Request, session: Mine) -> Response:
    """Take a step."""
    form = await read_form(request, session, "declaration", "steps")
    if session.schema is None:
        return to("/open")
    method = str(form.get("method", ""))
    offer = offer_masker(session.schema, method)
    if offer is None or offer.obstacle:
        raise HTTPException(400, "There is no such method for this file.")
    draft = f"protect:{method}"
    session.keep_draft(draft, of_form(form))
    names = [field.name for field in offer.fields]
    try:
        fields = _with_trees(session, offer, answers(form, offer, session.schema))
        unit = named(session.schema, str(form.get("unit", "")))
        step = Step(method, {**_trees(session, offer), **read_fields("masker", method, fields)}, unit)
        workflow.Protocol(session.schema, [step])
    except DiscreetError as error:
        return refuse(session, error, f"/protect?method={method}#settings", draft, names)
    place = f"/protect?method={method}#settings"
    again = {"path": "/protect/add", "fields": of_form(form), "draft": draft, "page": place}
    return run_steps(session, session.history.add(step), form=again, names=names)


@router.post("/protect/lattice")
async def explore(request: Request, session: Mine) -> Response:
    """Look at every combination of steps of a generalisation, with the settings that are in its form."""
    form = await read_form(request, session, "declaration")
    offer = None if session.schema is None else offer_masker(session.schema, "generalisation")
    if session.schema is None or offer is None or offer.obstacle:
        return to("/open" if session.schema is None else "/protect")
    session.keep_draft("protect:generalisation", of_form(form))
    place, names = "/protect?method=generalisation#lattice", [field.name for field in offer.fields]
    try:
        fields = _with_trees(session, offer, answers(form, offer, session.schema))
        parameters = {**_trees(session, offer), **read_fields("masker", "generalisation", fields)}
    except DiscreetError as error:
        return refuse(session, error, "/protect?method=generalisation#settings", "protect:generalisation", names)
    schema = session.schema

    def finish(lattice: dict[str, Any]) -> None:
        if session.schema is schema:
            session.lattice = lattice

    arguments = {"given": session.given, "schema": schema, "parameters": parameters, "most": MOST_NODES_SHOWN}
    again = {"path": "/protect/lattice", "fields": of_form(form)}
    return begin(session, "Looking at the lattice", place, "explore", arguments, finish, form=again, names=names)


def answers(form: FormData, offer: Offer, schema: Schema) -> dict[str, list[str]]:
    """Return the answers to the fields of a method; nothing else of the form is looked at.

    Attributes are ticked by their place: a browser sends a name with a line break as another one.
    """
    fields: dict[str, list[str]] = {}
    for field in offer.fields:
        texts = [str(text) for text in form.getlist(f"p-{field.name}")]
        if field.control.kind == "names":
            texts = [name for name in (named(schema, text) for text in texts) if name is not None]
        if texts or f"p-{field.name}" in form:
            fields[field.name] = texts
    return fields


def _with_trees(session: Session, offer: Offer, fields: dict[str, list[str]]) -> dict[str, list[str]]:
    """Add numbers that have a hierarchy to the attributes that are ticked: no box stands for them."""
    ticked = fields.get("attributes")
    if not offer.takes_trees or not ticked or session.schema is None:
        return fields
    numeric = session.schema.of_scale("numeric", among=[name for name in session.trees if name in session.schema])
    return {**fields, "attributes": [*ticked, *(name for name in numeric if name not in ticked)]}


def _trees(session: Session, offer: Offer) -> dict[str, Any]:
    """Return the hierarchies of the project as a parameter of the methods that recode by them."""
    if offer.needs_trees and not session.trees:
        raise ParameterError(
            f"{offer.name}: there is no hierarchy yet.", hint="Send a file or build one, below the settings."
        )
    return {TREES: dict(session.trees)} if offer.takes_trees and session.trees else {}


def named(schema: Schema, place: str) -> str | None:
    """Return the attribute at a place, if there is one."""
    number = whole_number(place, -1, -1, len(schema))
    return schema.names[number] if 0 <= number < len(schema) else None


@router.post("/protect/go")
async def go(request: Request, session: Mine) -> Response:
    """Step back or forward in the history, or go over to an alternative."""
    form = await read_form(request, session, "declaration", "steps")
    if session.worker.busy:
        return busy(session, "/protect")
    other = whole_number(form.get("other"), -1, -1, 10_000)
    if 0 <= other < len(session.history.others):
        history = session.history.switch(other)
        decision = "Went over to an alternative."
    else:
        history = session.history.go(whole_number(form.get("position"), session.history.position, 0, 10_000))
        decision = f"Went to step {history.position}." if history.position else "Went back to the original."
    if history.steps and session.result_of(history.steps) is None:
        again = {"path": "/protect/go", "fields": of_form(form)}
        return run_steps(session, history, form=again, decision=decision)
    _go(session, history, decision)
    return to("/protect")


@router.post("/protect/forget")
async def forget(request: Request, session: Mine) -> Response:
    """Forget an alternative, after a question."""
    form = await read_form(request, session, "declaration", "steps")
    other = whole_number(form.get("other"), -1, -1, 10_000)
    if not 0 <= other < len(session.history.others):
        return to("/protect")
    line = ", then ".join(step.method for step in session.history.others[other])
    if form.get("sure") != "yes":
        return ask(session, "/protect/forget", of_form(form), "Forget this alternative?",
                   [f"Its steps: {line}.", "They would have to be chosen again."], "Forget it", "/protect")  # fmt: skip
    session.history = session.history.without(other)
    session.change("steps", f"Forgot the alternative {line}.")
    return to("/protect")


def _go(session: Session, history: History, decision: str) -> None:
    if history.steps != session.history.steps:
        session.release = None
    session.history = history
    session.change("steps", decision)


def run_steps(
    session: Session, history: History, *, form: dict[str, Any] | None = None, names: Iterable[str] = (),
    decision: str = "",
) -> Response:  # fmt: skip
    """Take all steps of a history and measure; the history counts once that has succeeded."""
    schema = session.schema
    n_added = len(history.others) - len(session.history.others)

    def finish(result: Protected) -> None:
        if session.schema is schema:
            session.keep_result(history.steps, result)
            _go(session, history, decision or f"Took the step {history.steps[-1].method}.")
            if n_added > 0:
                session.say("info", "The steps that were here before are kept among the alternatives.")

    title = f"Protecting with {history.steps[-1].method}"
    arguments = {
        "given": session.given,
        "schema": schema,
        "steps": history.steps,
        "seed": session.need_seed(),
        "scenarios": session.scenarios,
    }
    return begin(session, title, "/protect", "protect", arguments, finish, form=form, names=names)


@router.post("/protect/draw")
async def draw(request: Request, session: Mine) -> Response:
    """Draw the pictures of the present result again: they show the data and are not kept on disk."""
    await read_form(request, session, "declaration", "steps")
    if session.schema is None or not session.history.steps:
        return to("/protect")
    again = {"path": "/protect/draw", "fields": dict[str, list[str]]()}
    return run_steps(session, session.history, form=again, decision="Drew the pictures again.")


@router.get("/protect/chart/{name}.svg")
async def chart(session: Mine, name: str) -> Response:
    """Return a picture that a page of this project shows."""
    svg = session.pictures.get(name)
    if svg is None:
        raise HTTPException(404, "There is no such picture.")
    return Response(svg, media_type="image/svg+xml")
