"""Sessions: what is opened, declared and done in one project, and how it is kept in the project's folder."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from discreet.errors import DiscreetError, SchemaError
from discreet.studio.controls import plan_candidates
from discreet.studio.desk import stored_study
from discreet.studio.drafts import Draft
from discreet.studio.jobs import Worker
from discreet.studio.keeping import pack, unpack
from discreet.studio.session_values import (
    Attacked,
    Declared,
    Given,
    History,
    Opened,
    Protected,
    Released,
    RiskNow,
    StudyMap,
)
from discreet.workflow import Intruder, Protocol, Schema, Source

__all__ = ["PARTS", "Notice", "Session"]

PARTS = ("declaration", "intruders", "steps", "plan", "study", "seed")
"""What a form may have been made for, each with a count of its changes."""

_FILE = "project.json"
_FORMAT = 1
_DECISIONS = 500
_QUESTIONS = 20
_PICTURES = 60


@dataclass(frozen=True)
class Notice:
    """One sentence for the top of the next page."""

    kind: str
    text: str
    hint: str = ""


@dataclass
class Session:
    """What is worked on in one project. Answers belong to the declaration they were made for.

    Attributes
    ----------
    key : str
        The project's name on disk and in addresses.
    csrf : str
        What forms of its pages carry.
    folder : path
        The project's own, which outlives the server.
    root : str
        What addresses of its pages begin with.
    """

    key: str
    csrf: str
    folder: Path
    root: str = ""
    worker: Worker = field(default_factory=Worker)
    used: float = field(default_factory=time.monotonic)
    notices: list[Notice] = field(default_factory=list)

    given: Given | None = None
    opened: Opened | None = None
    declared: Declared | None = None
    scenarios: tuple[Intruder, ...] = ()
    thresholds: dict[str, float] = field(default_factory=dict)
    seed: int | None = None
    seed_drawn: bool = False
    """Whether the seed was drawn here, and not given by anybody."""
    risk: RiskNow | None = None
    history: History = field(default_factory=History)
    trees: dict[str, list[list[str]]] = field(default_factory=dict)
    """By attribute, the rows of the hierarchy that was sent or built for it."""
    lattice: dict[str, Any] | None = None
    """The combinations of steps that were looked at last; not kept on disk."""
    protected: dict[str, tuple[Any, Protected]] = field(default_factory=dict)
    candidates: dict[str, Any] = field(default_factory=dict)
    plan: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    plan_made: bool = False
    study: StudyMap | None = None
    study_kept: dict[str, Any] = field(default_factory=dict)
    """Where the rows of the study are, how many there will be, and the plan it was made from."""
    attacked: Attacked | None = None
    release: Released | None = None
    releases: list[str] = field(default_factory=list)
    """Folders of all releases that were written, in the project's own."""

    drafts: dict[str, Draft] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PARTS, 0))
    decisions: list[dict[str, str]] = field(default_factory=list)
    interrupted: dict[str, Any] = field(default_factory=dict)
    """A piece of work that did not come to its end, and the form that began it."""
    questions: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What was asked before something is lost, and not answered yet; a restart forgets it, and drafts do not."""
    pictures: dict[str, str] = field(default_factory=dict, repr=False)
    """The pictures that pages have shown last, by name; not kept on disk, because they show the data."""
    called: dict[str, str] = field(default_factory=dict, repr=False)
    """What files that were sent are called, by where they were put; messages call them so."""
    unsaved: str = ""
    """Why the project could not be written, if it could not."""
    created: str = ""
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    on_close: Callable[[], None] = field(default=lambda: None, repr=False)

    # --------------------------------------------------------------------------------------------- what there is

    @property
    def schema(self) -> Schema | None:
        """The declaration that counts: the checked one, or else the proposal."""
        if self.declared is not None:
            return self.declared.schema
        return self.opened.schema if self.opened is not None else None

    @property
    def result(self) -> Protected | None:
        """What the steps that count have led to, if it has been worked out."""
        return self.result_of(self.history.steps)

    def result_of(self, steps: Any) -> Protected | None:
        """Return what some steps led to, if it has been worked out."""
        entry = self.protected.get(repr(steps))
        return entry[1] if entry is not None else None

    @property
    def measured(self) -> list[str]:
        """What has been worked out for the present declaration, in words: it would be lost with it."""
        results = []
        if self.risk is not None:
            results.append("the risk as it is")
        if self.protected:
            n = len(self.protected)
            results.append("one result of steps" if n == 1 else f"{n} results of steps")
        if self.study is not None:
            results.append(f"the map of {self.study.done} runs")
        if self.attacked is not None:
            results.append("the last attack")
        if self.release is not None:
            results.append("the list of the release's files")
        return results

    @property
    def stamp(self) -> str:
        """What a form on a page carries: the state that it was made for."""
        return ".".join(str(self.versions[part]) for part in PARTS)

    def changed_since(self, stamp: str, parts: tuple[str, ...]) -> list[str]:
        """Return which parts have changed since a form was made."""
        versions = dict(zip(PARTS, stamp.split("."), strict=False))
        return [part for part in parts if versions.get(part) != str(self.versions[part])]

    @property
    def uploaded(self) -> bool:
        """Whether the data are a copy in the project's folder, which goes when the project is ended."""
        return self.given is not None and self.given.kind == "file" and self.folder in Path(self.given.where).parents

    def what_changed(self) -> str:
        """Return what has happened to the file since it was opened ("gone", "changed"), or nothing."""
        if self.given is None or self.opened is None or self.given.kind != "file":
            return ""
        try:
            status = Path(self.given.where).stat()
        except OSError:
            return "gone"
        identity = self.opened.identity
        same = (status.st_size, status.st_mtime_ns) == (identity.get("size"), identity.get("changed"))
        return "" if same or not identity else "changed"

    # ------------------------------------------------------------------------------------------------- what changes

    def say(self, kind: str, text: str, hint: str = "") -> None:
        """Leave a sentence for the next page."""
        self.notices.append(Notice(kind, text, hint))

    def change(self, part: str, decision: str = "") -> None:
        """Note that a part has changed, and keep the project."""
        with self._lock:
            self.versions[part] += 1
            if decision:
                self.decisions = [*self.decisions, {"at": _now(), "what": decision}][-_DECISIONS:]
        self.save()

    def begin(self, given: Given, opened: Opened) -> None:
        """Take over a table that has been opened: the beginning of a project."""
        self.given, self.opened, self.created = given, opened, _now()
        self.trees, self.lattice = {}, None
        self.change("declaration", f"Opened {given.name}: {opened.n_records} records, {len(opened.schema)} attributes.")

    def take_over(self, protocol: Protocol) -> None:
        """Take over the choices of a protocol."""
        self.scenarios, self.thresholds = tuple(protocol.scenarios), dict(protocol.thresholds)
        self.seed, self.seed_drawn = protocol.seed, False
        self.history = History(tuple(protocol.steps), len(protocol.steps))
        self.need_seed()
        self.change("steps", f"Took over a protocol with {len(protocol.steps)} steps.")

    def forget_answers(self) -> None:
        """Forget what was worked out for another declaration; the steps themselves stay."""
        self.declared = self.risk = self.study = self.attacked = self.release = self.lattice = None
        self.protected, self.candidates = {}, {}
        self.plan, self.plan_made, self.study_kept = [], False, {}

    def need_seed(self) -> int:
        """Return the seed; where nobody gave one it is drawn, once, and kept with the project."""
        with self._lock:
            if self.seed is None:
                self.seed, self.seed_drawn = secrets.randbits(128), True
        self.save()
        return self.seed

    def keep_result(self, steps: Any, result: Protected) -> None:
        """Keep what steps led to."""
        self.protected[repr(steps)] = (steps, result)

    def show_picture(self, svg: str) -> str:
        """Keep a picture while its page asks for it, and return its name.

        A page that is being left asks for its own pictures still, when the result that counts is another one already.
        """
        name = hashlib.sha256(svg.encode()).hexdigest()[:24]
        with self._lock:
            self.pictures.pop(name, None)
            self.pictures = dict([*self.pictures.items(), (name, svg)][-_PICTURES:])
        return name

    def put_question(self, question: dict[str, Any]) -> str:
        """Keep a question until it is answered, and return its name."""
        name = secrets.token_hex(8)
        self.questions = dict([*self.questions.items(), (name, question)][-_QUESTIONS:])
        return name

    # ------------------------------------------------------------------------------------------------------ drafts

    def draft(self, form: str) -> Draft:
        """Return the answers of a form that were not taken over; none where the declaration is another by now."""
        draft = self.drafts.get(form)
        if draft is None or self.changed_since(draft.stamp, ("declaration",)):
            return Draft()
        return draft

    def keep_draft(self, form: str, fields: dict[str, list[str]]) -> Draft:
        """Keep the answers of a form until they have been taken over."""
        draft = self.drafts[form] = Draft(fields, self.stamp)
        self.save()
        return draft

    def drop_draft(self, form: str) -> None:
        """Forget the answers of a form: they have been taken over, or given up."""
        if self.drafts.pop(form, None) is not None:
            self.save()

    # ------------------------------------------------------------------------------------------------------- files

    def new_file(self, ending: str) -> Path:
        """Return a path for a new file, of our own making."""
        return self.new_folder() / f"data{ending}"

    def new_folder(self, prefix: str = "files-") -> Path:
        """Make a new folder in the project's own."""
        return Path(tempfile.mkdtemp(prefix=prefix, dir=self.folder))

    def clear_strangers(self) -> None:
        """Remove what no part of the project speaks of: uploads that were given up, releases that were not finished."""
        folders = {Path(self.given.where).parent} if self.given is not None and self.uploaded else set()
        folders |= {self.folder / name for name in self.releases}
        for path in self.folder.iterdir():
            if path.is_dir() and path not in folders:
                shutil.rmtree(path, ignore_errors=True)
            elif path.suffix == ".part":
                path.unlink(missing_ok=True)

    def save(self) -> None:
        """Write the project: whole or not at all, readable for nobody else. Nothing is kept before a file is open."""
        if self.given is None or self.opened is None:
            return
        with self._lock:
            try:
                _write(self.folder / _FILE, json.dumps(self._state(), ensure_ascii=False))
                _write(self.folder / "protocol.toml", self.protocol().to_toml())
                self.unsaved = ""
            except OSError as error:
                self.unsaved = error.strerror or type(error).__name__

    def protocol(self) -> Protocol:
        """Return the choices so far as a protocol."""
        if self.schema is None or self.given is None:
            raise SchemaError("Nothing is open, so there is no protocol.")
        where = self.given.where if self.given.kind == "file" else f"{self.given.where}.csv"
        source = Source(where, **self.given.layout)
        return Protocol(self.schema, self.history.steps, self.scenarios, self.thresholds, self.seed, source)

    def _state(self) -> dict[str, Any]:
        source = self.given
        if source is not None and self.uploaded:
            source = replace(source, where=str(Path(source.where).relative_to(self.folder)))
        job = self.worker.job
        running = job is not None and job.ended is None
        return {
            "format": _FORMAT,
            "name": source.name if source is not None else "",
            "created": self.created,
            "changed": _now(),
            "uploaded": self.uploaded,
            "given": pack(source),
            "opened": pack(self.opened),
            "declared": pack(self.declared),
            "scenarios": pack(self.scenarios),
            "thresholds": self.thresholds,
            "seed": self.seed,
            "seed_drawn": self.seed_drawn,
            "history": pack(self.history),
            "trees": self.trees,
            "results": {
                "risk": _or_none(self.risk),
                "protected": [[pack(steps), _or_none(result)] for steps, result in self.protected.values()],
                "attacked": _or_none(self.attacked),
                "release": _or_none(self._release_kept()),
            },
            "plan": [[method, ranges] for method, ranges in self.plan],
            "plan_made": self.plan_made,
            "study": self.study_kept,
            "releases": self.releases,
            "drafts": {form: draft.to_json() for form, draft in self.drafts.items()},
            "versions": self.versions,
            "decisions": self.decisions,
            "interrupted": job.to_restart() if job is not None and running else self.interrupted,
        }

    def _release_kept(self) -> Released | None:
        return replace(self.release, folder=Path(self.release.folder).name) if self.release is not None else None

    def load(self) -> None:
        """Read the project again. What this version cannot read of its results is left out, and worked out again."""
        state = json.loads((self.folder / _FILE).read_text(encoding="utf-8"))
        source: Given = unpack(state["given"])
        if state.get("uploaded"):
            source = replace(source, where=str(self.folder / source.where))
        self.given, self.opened = source, unpack(state["opened"])
        self.declared = unpack(state["declared"])
        self.scenarios = unpack(state["scenarios"])
        self.thresholds = {str(name): float(limit) for name, limit in state["thresholds"].items()}
        self.seed, self.seed_drawn = state["seed"], bool(state["seed_drawn"])
        self.history = unpack(state["history"])
        self.trees = {str(name): [list(map(str, row)) for row in rows] for name, rows in state.get("trees", {}).items()}
        self.plan = [(str(method), dict(ranges)) for method, ranges in state["plan"]]
        self.plan_made = bool(state["plan_made"])
        self.releases = [str(name) for name in state["releases"]]
        self.drafts = {str(form): Draft.from_json(draft) for form, draft in state["drafts"].items()}
        self.versions |= {part: int(count) for part, count in state["versions"].items() if part in PARTS}
        self.decisions = [{"at": str(one["at"]), "what": str(one["what"])} for one in state["decisions"]]
        self.interrupted = dict(state["interrupted"])
        self.created = str(state["created"])
        self._load_results(state["results"], dict(state["study"]))
        self.clear_strangers()

    def _load_results(self, results: dict[str, Any], study: dict[str, Any]) -> None:
        readable = _Readable()
        self.risk, self.attacked = readable(results["risk"]), readable(results["attacked"])
        for steps, result in results["protected"]:
            before, after = readable(steps), readable(result)
            if before is not None and after is not None:
                self.keep_result(before, after)
        release: Released | None = readable(results["release"])
        if release is not None:
            folder = self.folder / Path(release.folder).name
            self.release = replace(release, folder=str(folder)) if folder.is_dir() else None
        with contextlib.suppress(DiscreetError, OSError, KeyError, TypeError, ValueError):
            self.bring_study_back(study)

    def bring_study_back(self, study: dict[str, Any]) -> None:
        """Make the map again from the rows of a study that are there."""
        if not study:
            return
        self.study_kept = study
        self.candidates = plan_candidates(study["plan"])
        self.study = stored_study(self.folder / Path(study["file"]).name, int(study["total"]))

    def close(self) -> None:
        """End the work; the project stays."""
        if self.worker.busy and self.worker.job is not None:
            self.interrupted = self.worker.job.to_restart()
            self.save()
        self.worker.stop()
        self.on_close()

    def remove(self) -> None:
        """End the work and remove every file of the project; data that were not copied stay where they are."""
        self.worker.stop()
        self.on_close()
        shutil.rmtree(self.folder, ignore_errors=True)


class _Readable:
    """Unpacks what this version can read; anything else is worked out again."""

    def __call__(self, kept: Any) -> Any:
        try:
            return unpack(kept)
        except (DiscreetError, KeyError, TypeError, ValueError, AttributeError):
            return None


def _or_none(value: Any) -> Any:
    try:
        return pack(value)
    except DiscreetError:
        return None


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all, for this user alone."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
