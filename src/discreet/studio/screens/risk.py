"""Risk now: what releasing the table as it is would risk."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from discreet.studio.forms import read_form
from discreet.studio.pages import Mine, begin, page, to
from discreet.studio.session_values import RiskNow

__all__ = ["router"]

router = APIRouter()


@router.get("/risk")
async def show(session: Mine) -> Response:
    """Show the risk, or offer to measure it."""
    if session.schema is None:
        return to("/open")
    return page(session, "risk.html", "risk", schema=session.schema)


@router.post("/risk")
async def measure(request: Request, session: Mine) -> Response:
    """Measure the risk."""
    await read_form(request, session)
    if session.schema is None:
        return to("/open")
    schema = session.schema

    def finish(risk: RiskNow) -> None:
        if session.schema is schema:
            session.risk = risk
            session.save()

    arguments = {"given": session.given, "schema": schema, "scenarios": session.scenarios}
    return begin(session, "Measuring the risk as it is", "/risk", "risk", arguments, finish,
                 form={"path": "/risk", "fields": {}})  # fmt: skip
