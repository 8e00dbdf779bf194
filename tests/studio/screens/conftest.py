"""Screens whose work is done at once, in the server itself: what they say is looked at, not how long it takes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.datastructures import FormData
from tests.studio.loops import awaited

from discreet.studio.desk import Desk
from discreet.studio.jobs import Job, Worker, _answer
from discreet.studio.session_values import Given
from discreet.studio.sessions import Session


class Held(Worker):
    """A worker that does what it is given before it returns; what it was given is remembered."""

    def __init__(self) -> None:
        super().__init__()
        self.desk = Desk()
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def submit(
        self,
        title: str,
        page: str,
        call: str,
        arguments: dict[str, Any],
        finish: Callable[[Any], None],
        partial: Callable[[Any], None] = lambda _: None,
        *,
        form: dict[str, Any] | None = None,
        ended: Callable[[Job, str], None] = lambda *_: None,
    ) -> Job | None:
        self.calls.append((call, arguments))
        self._count += 1
        job = self.job = Job(self._count, title, page, form=form or {}, on_end=ended)
        self.desk.tell = partial
        kind, *rest = _answer(self.desk, call, arguments, lambda *_: None)
        if kind == "done":
            finish(rest[0])
            job.end("done")
        else:
            job.end("failed", *rest, broken=kind == "broken")
        return job


@pytest.fixture
def desk(client: Any) -> Iterator[Any]:
    """A session with a sample, without a process of its own."""
    client.session.worker.stop()
    client.session.worker = Held()
    client.open_sample("housing", 60)
    yield client
    client.session.worker.job = None


class Idle:
    """A worker that takes what it is given, and does nothing."""

    def __init__(self) -> None:
        self.job: Job | None = None
        self.busy = False
        self.given: list[SimpleNamespace] = []

    def submit(
        self, title: str, page: str, call: str, arguments: Any, finish: Any, partial: Any, **options: Any
    ) -> Job:
        names = {"title": title, "page": page, "call": call, "arguments": arguments, "finish": finish}
        self.given.append(SimpleNamespace(**names, partial=partial, **options))
        return Job(1, title, page)


class Alone:
    """A project with a sample of ten records, without a server: forms go to their functions."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.session = Session("p", "csrf", folder, "/s/p/p", worker=Idle())  # type: ignore[arg-type]
        self.session.given = Given("sample", "business", "sample: business", n=10)
        self.session.opened = Desk().open(self.session.given)
        self.patch = patch
        self.parts: tuple[str, ...] = ()

    @property
    def work(self) -> SimpleNamespace:
        """What the worker was given last."""
        return self.session.worker.given[-1]  # type: ignore[attr-defined, no-any-return]

    def send(self, function: Any, *pairs: tuple[str, str], **fields: str) -> str:
        """Send a form, and return where the browser is sent."""

        async def read_form(_request: Any, _session: Any, *parts: str) -> FormData:
            self.parts = parts
            return FormData([*pairs, *((name.replace("_", "-"), text) for name, text in fields.items())])

        self.patch.setattr(sys.modules[function.__module__], "read_form", read_form)
        return str(awaited(function(None, self.session)).headers["location"])

    @property
    def said(self) -> list[str]:
        """What was left for the next page, which is taken away."""
        notices, self.session.notices = self.session.notices, []
        return [notice.text for notice in notices]

    @property
    def asked(self) -> dict[str, Any]:
        """The last question."""
        return list(self.session.questions.values())[-1]


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Alone:
    """A project without a server."""
    return Alone(tmp_path, monkeypatch)
