"""Screens whose work is done at once, in the server itself: what they say is looked at, not how long it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from discreet.studio.desk import Desk
from discreet.studio.jobs import Job, Worker, _answer


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
