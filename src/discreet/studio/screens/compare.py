"""Compare: many candidates on one map of risk and loss; a click adopts one."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, Response

from discreet import workflow
from discreet.errors import DiscreetError, ParameterError
from discreet.studio.forms import read_form, whole_number
from discreet.studio.pages import Mine, begin, page, refuse, render, to
from discreet.studio.screens.protect import run_steps
from discreet.workflow import StudyMap

__all__ = ["router"]

router = APIRouter()


@router.get("/compare")
async def show(session: Mine, method: str = "", point: int = -1) -> Response:
    """Show the plan of the study and its map."""
    if session.schema is None:
        return to("/open")
    if not session.plan_made:
        session.plan, session.plan_made = workflow.suggest_study(session.schema), True
    offers = workflow.offer_maskers(session.schema)
    points = session.study.points if session.study is not None else ()
    chosen = points[point] if 0 <= point < len(points) else None
    return page(session, "compare.html", "compare", offers=offers, method=offers.get(method), chosen=chosen)


@router.get("/compare/map")
async def show_map(session: Mine) -> Response:
    """Return the map alone, as far as it has got."""
    return HTMLResponse(render("map.html", study=session.study, chosen=None))


@router.post("/compare/add")
async def add(request: Request, session: Mine) -> Response:
    """Put a method with ranges of its parameters into the plan."""
    form = await read_form(request, session)
    if session.schema is None:
        return to("/open")
    method = str(form.get("method", ""))
    offer = workflow.offer_maskers(session.schema).get(method)
    if offer is None or offer.obstacle:
        raise HTTPException(400, "There is no such method for this file.")
    given = {f.name: str(form.get(f"p-{f.name}", "")).strip() for f in offer.fields if f"p-{f.name}" in form}
    given = {name: text for name, text in given.items() if text}
    try:
        workflow.read_candidates(method, {name: [text] for name, text in given.items()})
    except DiscreetError as error:
        return refuse(session, error, f"/compare?method={method}#plan")
    session.plan.append((method, given))
    return to("/compare#plan")


@router.post("/compare/remove")
async def remove(request: Request, session: Mine) -> Response:
    """Take a line out of the plan."""
    form = await read_form(request, session)
    number = whole_number(form.get("number"), -1, -1, 10_000)
    if 0 <= number < len(session.plan):
        del session.plan[number]
    return to("/compare#plan")


@router.post("/compare/run")
async def run(request: Request, session: Mine) -> Response:
    """Run the study."""
    form = await read_form(request, session)
    if session.schema is None:
        return to("/open")
    schema = session.schema
    try:
        candidates = [
            candidate
            for method, given in session.plan
            for candidate in workflow.read_candidates(method, {name: [text] for name, text in given.items()})
        ]
        if not candidates:
            raise ParameterError("The plan is empty.", hint="Add a method first.")
    except DiscreetError as error:
        return refuse(session, error, "/compare#plan")
    if session.worker.busy:
        session.say("error", "Another piece of work is running.", "Wait for it, or cancel it.")
        return to("/compare")
    session.study = None
    session.candidates = {candidate.label(): candidate for candidate in candidates}

    def keep(study: StudyMap) -> None:
        if session.schema is schema:
            session.study = study

    arguments = {
        "given": session.given,
        "schema": schema,
        "candidates": candidates,
        "repetitions": whole_number(form.get("repetitions"), 1, 1, 20),
        "seed": session.seed,
        "store": str(session.new_file(".jsonl")),
        "scenarios": session.scenarios,
    }
    return begin(session, f"Comparing {len(candidates)} candidates", "/compare", "compare", arguments, keep, keep)


@router.post("/compare/adopt")
async def adopt(request: Request, session: Mine) -> Response:
    """Protect the original with a candidate of the map, by the draw that was measured: the first and only step."""
    form = await read_form(request, session)
    label = str(form.get("label", ""))
    candidate = session.candidates.get(label)
    if candidate is None or session.schema is None:
        raise HTTPException(404, "There is no such candidate any more.")
    points = session.study.points if session.study is not None else ()
    seed = next((point.draw.get("seed") for point in points if point.label == label), None)
    return run_steps(session, session.history.go(0).add(workflow.adopt(candidate, seed)))
