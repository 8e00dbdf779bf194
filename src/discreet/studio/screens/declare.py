"""Declare: what every attribute is, and what intruders know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from discreet import workflow
from discreet.errors import DiscreetError
from discreet.studio.drafts import of_form
from discreet.studio.forms import read_form, whole_number
from discreet.studio.pages import Mine, ask, begin, page, refuse, to
from discreet.studio.session_values import Answer, Declared
from discreet.studio.sessions import Session
from discreet.workflow import Intruder, Schema

__all__ = ["router"]

router = APIRouter()

_MANY = 60
"""Attributes with more levels are not put into order by hand."""


@router.get("/declare")
async def show(session: Mine) -> Response:
    """Show the table of attributes and the intruders."""
    if session.opened is None or session.schema is None:
        return to("/open")
    return page(session, "declare.html", "declare", shows=("declare", "intruders"), roles=workflow.ROLES, many=_MANY,
                **_table_of_attributes(session, session.schema))  # fmt: skip


def _table_of_attributes(session: Session, schema: Schema) -> dict[str, Any]:
    missing = session.declared.missing if session.declared is not None else session.opened.missing  # type: ignore[union-attr]
    linkable = [a.name for a in schema if a.role not in {"identifier", "weight"}]
    return {"schema": schema, "missing": missing, "linkable": linkable}


@router.post("/declare")
async def declare(request: Request, session: Mine) -> Response:
    """Check the answers against the table; they are kept until it has agreed."""
    form = await read_form(request, session, "declaration")
    schema, source = session.schema, session.given
    if schema is None or source is None:
        return to("/open")
    answers = {a.name: _answer(form, i, a) for i, a in enumerate(schema)}
    move = str(form.get("move", ""))
    if move:
        answers = _moved(answers, schema, move)
    fields = of_form(form)
    if move:
        fields |= {f"order-{i}": [",".join(map(str, answers[a.name].order))] for i, a in enumerate(schema)}
    session.keep_draft("declare", fields)
    then = str(form.get("then", "/declare"))
    path = then if then in {"/declare", "/risk"} and not move else "/declare"
    if session.measured and form.get("sure") != "yes" and any(_differs(a, answers[a.name]) for a in schema):
        sentences = [
            f"Under the present declaration were worked out: {', '.join(session.measured)}.",
            "They do not hold for another one and are put aside. Steps, alternatives and rows of studies are kept.",
            "Files of releases that were written stay in the project's folder.",
        ]
        carried = fields | {"then": [path]}
        return ask(session, "/declare", carried, "Change the declaration?", sentences, "Change it", "/declare")

    def finish(declared: Declared) -> None:
        if session.given is not source:
            return
        excluded = set(declared.schema.of_role("identifier", "weight"))
        scenarios = [_without(scenario, excluded) for scenario in session.scenarios]
        if not _same_but_labels(declared.schema, schema):
            session.forget_answers()
        session.declared = declared
        session.scenarios = tuple(scenario for scenario in scenarios if scenario is not None)
        keys = ", ".join(declared.schema.keys) or "none"
        session.change("declaration", f"Declared {len(declared.schema)} attributes; keys: {keys}.")

    arguments = {"given": source, "schema": schema, "answers": answers}
    again = {"path": "/declare", "fields": fields | {"sure": ["yes"]}, "draft": "declare"}
    title = "Checking the declaration"
    return begin(session, title, path, "declare", arguments, finish, form=again, names=schema.names)


def _differs(attribute: Any, answer: Answer) -> bool:
    """Whether an answer says something else about an attribute than its declaration, its label apart."""
    order = answer.order and answer.order != tuple(range(len(answer.order)))
    missing = {str(code) for code in attribute.missing}
    return bool(
        order or answer.role != attribute.role or answer.scale != attribute.scale.name or set(answer.missing) != missing
    )


def _same_but_labels(one: Schema, other: Schema) -> bool:
    return [(a.name, a.role, a.scale, a.missing) for a in one] == [(a.name, a.role, a.scale, a.missing) for a in other]


def _answer(form: FormData, i: int, attribute: Any) -> Answer:
    order = tuple(int(text) for text in str(form.get(f"order-{i}", "")).split(",") if text.strip().isdigit())
    codes = str(form.get(f"missing-{i}", "")).split(",")
    return Answer(
        str(form.get(f"role-{i}", attribute.role)),
        str(form.get(f"scale-{i}", attribute.scale.name)),
        tuple(dict.fromkeys(code.strip() for code in codes if code.strip())),
        order,
        str(form.get(f"label-{i}", attribute.label))[:200],
    )


def _moved(answers: dict[str, Answer], schema: Schema, move: str) -> dict[str, Answer]:
    """Return the answers with one level moved by one place: what the arrows do where no script runs."""
    parts = move.split(":")
    i, place = whole_number(parts[0], 0, 0, len(schema) - 1), whole_number(parts[1] if parts[1:] else "", 0, 0, 10**6)
    name = schema.names[i]
    order = list(answers[name].order)
    other = place + (-1 if parts[-1] == "up" else 1)
    if 0 <= place < len(order) and 0 <= other < len(order):
        order[place], order[other] = order[other], order[place]
    old = answers[name]
    return answers | {name: Answer(old.role, old.scale, old.missing, tuple(order), old.label)}


def _without(scenario: Intruder, names: set[str]) -> Intruder | None:
    keys = tuple(name for name in scenario.known if name not in names)
    return replace(scenario, known=keys) if keys else None


@router.post("/declare/scenarios")
async def scenarios(request: Request, session: Mine) -> Response:
    """Take over what each intruder is assumed to know."""
    form = await read_form(request, session, "declaration", "intruders")
    schema = session.schema
    if schema is None:
        return to("/open")
    session.keep_draft("intruders", of_form(form))
    intruders = []
    try:
        for j in range(whole_number(form.get("count"), 0, 0, 20)):
            name = str(form.get(f"name-{j}", "")).strip()[:80]
            places = [whole_number(text, -1, -1, len(schema) - 1) for text in form.getlist(f"known-{j}")]
            keys = [schema.names[i] for i in places if i >= 0]
            if name and keys:
                intruders.append(Intruder(name, tuple(keys)))
        workflow.Protocol(schema, scenarios=intruders)
    except DiscreetError as error:
        return refuse(session, error, "/declare#intruders", "intruders")
    if tuple(intruders) == session.scenarios:
        session.drop_draft("intruders")
        return to("/declare#intruders")
    if (session.risk is not None or session.protected) and form.get("sure") != "yes":
        sentences = ["The risk as it is, and results of steps, were worked out for the present intruders.",
                     "They are put aside; the steps are kept and can be measured again."]  # fmt: skip
        return ask(session, "/declare/scenarios", of_form(form), "Change the intruders?", sentences, "Change them",
                   "/declare#intruders")  # fmt: skip
    session.scenarios = tuple(intruders)
    session.risk = None
    session.protected.clear()
    session.drafts.pop("intruders", None)
    session.change("intruders", f"Intruders: {', '.join(s.name for s in intruders) or 'one who knows every key'}.")
    session.say("done", f"{len(intruders)} intruders are kept." if len(intruders) != 1 else "One intruder is kept.")
    return to("/declare#intruders")
