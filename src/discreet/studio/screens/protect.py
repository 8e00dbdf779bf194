"""Protect: one step after the other, each measured against the original, with a history."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from discreet import workflow
from discreet.errors import DiscreetError
from discreet.studio.forms import read_form, whole_number
from discreet.studio.pages import Mine, begin, page, refuse, to
from discreet.studio.sessions import Session
from discreet.workflow import History, Protected, Step

__all__ = ["router", "run_steps"]

router = APIRouter()


@router.get("/protect")
async def show(session: Mine, method: str = "") -> Response:
    """Show the methods for the scales of the file, the steps so far, and what they led to."""
    if session.schema is None:
        return to("/open")
    offers = workflow.offer_maskers(session.schema)
    chosen = offers.get(method)
    return page(session, "protect.html", "protect", schema=session.schema, offers=offers, chosen=chosen)


@router.post("/protect/add")
async def add(request: Request, session: Mine) -> Response:
    """Take a step."""
    form = await read_form(request, session)
    if session.schema is None:
        return to("/open")
    method = str(form.get("method", ""))
    offer = workflow.offer_maskers(session.schema).get(method)
    if offer is None or offer.obstacle:
        raise HTTPException(400, "There is no such method for this file.")
    try:
        step = Step(method, workflow.read_fields("masker", method, answers(form, offer)), str(form.get("unit")) or None)
        workflow.Protocol(session.schema, [step])
    except DiscreetError as error:
        return refuse(session, error, f"/protect?method={method}#settings")
    return run_steps(session, session.history.add(step))


def answers(form: FormData, offer: workflow.Offer) -> dict[str, list[str]]:
    """Return the answers to the fields of a method; nothing else of the form is looked at."""
    names = [field.name for field in offer.fields if f"p-{field.name}" in form]
    return {name: [str(text) for text in form.getlist(f"p-{name}")] for name in names}


@router.post("/protect/go")
async def go(request: Request, session: Mine) -> Response:
    """Step back or forward in the history."""
    form = await read_form(request, session)
    if session.worker.busy:
        session.say("error", "Another piece of work is running.", "Wait for it, or cancel it.")
        return to("/protect")
    history = session.history.go(whole_number(form.get("position"), session.history.position, 0, 10_000))
    if history.steps and repr(history.steps) not in session.protected:
        return run_steps(session, history)
    session.history = history
    return to("/protect")


def run_steps(session: Session, history: History) -> Response:
    """Take all steps of a history and measure; the history counts once that has succeeded."""
    schema = session.schema

    def finish(result: Protected) -> None:
        if session.schema is schema:
            session.history = history
            session.protected[repr(history.steps)] = result
            session.release = None

    title = f"Protecting with {history.steps[-1].method}"
    arguments = {
        "given": session.given,
        "schema": schema,
        "steps": history.steps,
        "seed": session.seed,
        "scenarios": session.scenarios,
    }
    return begin(session, title, "/protect", "protect", arguments, finish)


@router.get("/protect/chart/{number}.svg")
async def chart(session: Mine, number: int) -> Response:
    """Return a picture of the present result."""
    charts = session.result.charts if session.result is not None else ()
    if not 0 <= number < len(charts):
        raise HTTPException(404, "There is no such picture.")
    return Response(charts[number][1], media_type="image/svg+xml")
