"""Compare: many candidates on one map of risk and loss; a click adopts one."""

from __future__ import annotations

import hashlib

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import HTMLResponse, Response

from discreet.errors import DiscreetError, ParameterError
from discreet.studio import session_values
from discreet.studio.controls import (
    CHAINS,
    offer_masker,
    offer_maskers,
    plan_candidates,
    read_candidates,
    suggest_chains,
    suggest_study,
)
from discreet.studio.drafts import of_form
from discreet.studio.forms import read_form, whole_number
from discreet.studio.pages import Mine, ask, begin, busy, page, refuse, render, to
from discreet.studio.screens.protect import run_steps
from discreet.studio.session_values import StudyMap

__all__ = ["router"]

router = APIRouter()


@router.get("/compare")
async def show(session: Mine, method: str = "", point: str = "") -> Response:
    """Show the plan of the study and its map."""
    if session.schema is None:
        return to("/open")
    if not session.plan_made:
        session.plan, session.plan_made = suggest_study(session.schema), True
        session.save()
    offers = offer_maskers(session.schema)
    points = session.study.points if session.study is not None else ()
    number = whole_number(point, -1, -1, len(points))
    selection = points[number] if 0 <= number < len(points) else None
    return page(
        session,
        "compare.html",
        "compare",
        shows=(f"compare:{method}", "compare:chains"),
        offers=offers,
        method=offers.get(method),
        chosen=selection,
    )


@router.get("/compare/map")
async def show_map(session: Mine) -> Response:
    """Return the map alone, as far as it has got."""
    return HTMLResponse(render("map.html", root=session.root, study=session.study, chosen=None))


@router.post("/compare/add")
async def add(request: Request, session: Mine) -> Response:
    """Put a method with ranges of its parameters into the plan."""
    form = await read_form(request, session, "declaration", "plan")
    if session.schema is None:
        return to("/open")
    method = str(form.get("method", ""))
    offer = offer_masker(session.schema, method)
    if offer is None or offer.obstacle:
        raise HTTPException(400, "There is no such method for this file.")
    ranges = {f.name: str(form.get(f"p-{f.name}", "")).strip() for f in offer.fields if f"p-{f.name}" in form}
    ranges = {name: text for name, text in ranges.items() if text}
    draft = f"compare:{method}"
    session.keep_draft(draft, of_form(form))
    try:
        read_candidates(method, {name: [text] for name, text in ranges.items()})
    except DiscreetError as error:
        return refuse(session, error, f"/compare?method={method}#plan", draft, [field.name for field in offer.fields])
    session.plan.append((method, ranges))
    session.drafts.pop(draft, None)
    session.change("plan")
    return to("/compare#plan")


@router.post("/compare/propose")
async def propose(request: Request, session: Mine) -> Response:
    """Put the chains into the plan that would be tried of a file nobody has said anything about."""
    form = await read_form(request, session, "declaration", "plan")
    if session.schema is None or session.opened is None:
        return to("/open")
    try:
        lines = suggest_chains(session.schema, session.opened.n_records, str(form.get("for", "research")))
    except DiscreetError as error:
        return refuse(session, error, "/compare#plan")
    session.plan += [line for line in lines if line not in session.plan]
    session.change("plan")
    return to("/compare#plan")


@router.post("/compare/alternatives")
async def alternatives(request: Request, session: Mine) -> Response:
    """Put steps with alternatives, as a protocol has them, into the plan."""
    form = await read_form(request, session, "declaration", "plan")
    if session.schema is None:
        return to("/open")
    draft = "compare:chains"
    session.keep_draft(draft, of_form(form))
    line = (CHAINS, {"steps": str(form.get("steps", ""))})
    try:
        plan_candidates([line])
    except DiscreetError as error:
        return refuse(session, error, "/compare#chains", draft, ["steps"])
    session.plan.append(line)
    session.drafts.pop(draft, None)
    session.change("plan")
    return to("/compare#plan")


@router.post("/compare/remove")
async def remove(request: Request, session: Mine) -> Response:
    """Take a line out of the plan."""
    form = await read_form(request, session, "declaration", "plan")
    number = whole_number(form.get("number"), -1, -1, 10_000)
    if 0 <= number < len(session.plan):
        del session.plan[number]
        session.change("plan")
    return to("/compare#plan")


@router.post("/compare/run")
async def run(request: Request, session: Mine) -> Response:
    """Run the study."""
    form = await read_form(request, session, "declaration", "plan")
    if session.schema is None or session.given is None or session.opened is None:
        return to("/open")
    schema = session.schema
    plan = [(method, dict(ranges)) for method, ranges in session.plan]
    try:
        by_label = plan_candidates(plan)
        candidates = list(by_label.values())
        if not candidates:
            raise ParameterError("The plan is empty.", hint="Add a method first.")
    except DiscreetError as error:
        return refuse(session, error, "/compare#plan")
    if session.worker.busy:
        return busy(session, "/compare")
    repetitions = whole_number(form.get("repetitions"), 1, 1, 20)
    seed = session.need_seed()
    labels = list(by_label)
    # The same study goes on in its own file; another one, or one of other data, gets another.
    identity = session.opened.identity.get("sha256") or repr(session.given)
    digest = hashlib.sha256(repr((identity, schema.to_toml(), labels, repetitions, seed)).encode()).hexdigest()[:16]
    study = {"file": f"study-{digest}.jsonl", "total": len(candidates), "plan": plan, "repetitions": repetitions}
    if session.study is not None and session.study_kept.get("file") != study["file"] and form.get("sure") != "yes":
        sentences = [
            f"The map shows {session.study.done} runs of another plan.",
            "Its rows are kept in the project: running that plan again brings the map back at once.",
        ]
        fields = of_form(form)
        return ask(session, "/compare/run", fields, "Replace the map?", sentences, "Run the new plan", "/compare")

    def keep(study_map: StudyMap) -> None:
        if session.schema is schema:
            first = session.study_kept.get("file") != study["file"]
            session.study, session.study_kept = study_map, study | {"total": study_map.total}
            session.candidates = dict(by_label)
            if first:
                session.change("study")

    def finish(study_map: StudyMap) -> None:
        keep(study_map)
        session.change("study", f"Compared {len(candidates)} candidates.")

    arguments = {
        "given": session.given,
        "schema": schema,
        "candidates": candidates,
        "repetitions": repetitions,
        "seed": seed,
        "store": str(session.folder / str(study["file"])),
        "scenarios": session.scenarios,
    }
    again = {"path": "/compare/run", "fields": of_form(form) | {"sure": ["yes"]}}
    title = f"Comparing {len(candidates)} candidates"
    return begin(session, title, "/compare", "compare", arguments, finish, keep, form=again)


@router.post("/compare/adopt")
async def adopt(request: Request, session: Mine) -> Response:
    """Protect the original with a candidate of the map, by the draw that was measured.

    The steps so far stay among the alternatives.
    """
    form = await read_form(request, session, "declaration", "steps")
    label = str(form.get("label", ""))
    candidate = session.candidates.get(label)
    if candidate is None or session.schema is None:
        raise HTTPException(404, "There is no such candidate any more.")
    points = session.study.points if session.study is not None else ()
    seed = next((point.draw.get("seed") for point in points if point.label == label), None)
    again = {"path": "/compare/adopt", "fields": of_form(form)}
    steps = session_values.adopt_steps(candidate, seed)
    history = session.history.go(0)
    for step in steps:
        history = history.add(step)
    return run_steps(session, history.go(len(steps)), form=again, decision=f"Adopted {label}.")
