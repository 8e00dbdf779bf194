"""What comes in: answers of forms, and files, which go straight into a private folder under names of our own."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from fastapi import HTTPException, Request
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.datastructures import FormData

from discreet.errors import FileError
from discreet.studio.drafts import of_form
from discreet.studio.security import same
from discreet.studio.sessions import Session
from discreet.workflow import ending_of

__all__ = ["ConflictError", "Upload", "display_name", "read_form", "receive", "whole_number"]

_MOST_FIELDS = 20_000
_LONGEST = 1 << 20
_NOT_OURS = "The form does not belong to this project. Go back, reload the page and try again."


class ConflictError(Exception):
    """A form was made for a state that is not the present one: another tab, or work that has ended, changed it."""

    def __init__(self, session: Session, path: str, fields: dict[str, list[str]], parts: list[str]) -> None:
        super().__init__()
        self.session, self.path, self.fields, self.parts = session, path, fields, parts


async def read_form(request: Request, session: Session, *parts: str) -> FormData:
    """Return the answers of a form that was made for this project.

    Parameters
    ----------
    parts : str
        What the form speaks of: where one of these has changed since the page was made, nothing is done, and the
        answers are shown again with a question.
    """
    if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        raise HTTPException(415, "A form was expected.")
    form = await request.form(max_files=0, max_fields=_MOST_FIELDS)
    if not same(str(form.get("csrf", "")), session.csrf):
        raise HTTPException(403, _NOT_OURS)
    changed = session.changed_since(str(form["stamp"]), parts) if "stamp" in form else []
    if changed:
        raise ConflictError(session, request.url.path, of_form(form), changed)
    return form


def whole_number(text: Any, default: int, low: int, high: int) -> int:
    """Return a whole number within bounds, whatever was sent."""
    try:
        return min(max(int(str(text)), low), high)
    except ValueError:
        return default


@dataclass
class Upload:
    """The answers of a form with files: texts by name, and for each file what it was called and where it is now."""

    texts: dict[str, str] = field(default_factory=dict)
    files: dict[str, tuple[str, Path]] = field(default_factory=dict)

    def discard(self) -> None:
        """Remove the files again, with the folders that were made for them."""
        for _, path in self.files.values():
            shutil.rmtree(path.parent, ignore_errors=True)


def display_name(name: str) -> str:
    r"""Return what to call a file: the last part of its name, short and printable. It is shown, never opened.

    Examples
    --------
    >>> display_name("../../etc/passwd.csv"), display_name("C:\\data\\survey.csv")
    ('passwd.csv', 'survey.csv')
    """
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(c for c in last if c.isprintable())[:120] or "file"


async def receive(request: Request, session: Session, endings: Mapping[str, Iterable[str]], folder: Path) -> Upload:
    """Read a form with files as it comes in, writing each file into a folder of its own in `folder`.

    Parameters
    ----------
    endings : dict of field name to endings
        The files that are expected; any other is refused. The ending is all that is taken from a file's name.
    """
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if kind != b"multipart/form-data" or b"boundary" not in options:
        raise HTTPException(415, "A form with a file was expected.")
    reader = _Reader(session, endings, folder)
    parser = MultipartParser(options[b"boundary"], reader.callbacks())  # type: ignore[arg-type]
    try:
        async for chunk in request.stream():
            parser.write(chunk)
        parser.finalize()
    except BaseException:
        reader.close()
        reader.upload.discard()
        raise
    reader.close()
    if not reader.trusted:
        reader.upload.discard()
        raise HTTPException(403, _NOT_OURS)
    return reader.upload


class _Reader:
    """Follows a multipart parser: one part after the other, texts kept and files written."""

    def __init__(self, session: Session, endings: Mapping[str, Iterable[str]], folder: Path) -> None:
        self.session = session
        self.folder = folder
        self.endings = endings
        self.upload = Upload()
        self.trusted = False
        self._header, self._value = bytearray(), bytearray()
        self._disposition = b""
        self._name = ""
        self._text = bytearray()
        self._file: IO[bytes] | None = None
        self._skip = False
        self._parts = 0

    def callbacks(self) -> dict[str, Any]:
        return {
            "on_part_begin": self.on_part_begin,
            "on_header_field": lambda data, start, end: self._header.extend(data[start:end]),
            "on_header_value": lambda data, start, end: self._value.extend(data[start:end]),
            "on_header_end": self.on_header_end,
            "on_headers_finished": self.on_headers_finished,
            "on_part_data": self.on_part_data,
            "on_part_end": self.on_part_end,
        }

    def on_part_begin(self) -> None:
        self._parts += 1
        if self._parts > 100:
            raise HTTPException(400, "The form has too many parts.")
        self._disposition, self._name, self._skip = b"", "", False
        self._text.clear()

    def on_header_end(self) -> None:
        if bytes(self._header).lower() == b"content-disposition":
            self._disposition = bytes(self._value)
        self._header.clear()
        self._value.clear()

    def on_headers_finished(self) -> None:
        _, options = parse_options_header(self._disposition)
        self._name = options.get(b"name", b"").decode("utf-8", "replace")
        if b"filename" not in options:
            return
        # The token stands first in our forms: nothing is written for a form that is not ours.
        if not self.trusted:
            raise HTTPException(403, _NOT_OURS)
        name = display_name(options[b"filename"].decode("utf-8", "replace"))
        if not options[b"filename"]:
            self._skip = True  # a file field that was left empty
            return
        if self._name not in self.endings or self._name in self.upload.files:
            raise HTTPException(400, "A file was sent that was not asked for.")
        ending = ending_of(name)
        allowed = tuple(self.endings[self._name])
        if ending not in allowed:
            raise FileError(f"A file that ends in {ending or 'nothing'!r} cannot be opened.",
                            hint=f"Known endings: {', '.join(allowed)}.")  # fmt: skip
        own = Path(tempfile.mkdtemp(prefix="files-", dir=self.folder))
        path = own / f"data{allowed[allowed.index(ending)]}"
        self._file = path.open("xb")
        self.upload.files[self._name] = (name, path)
        self.session.called[str(path)] = name

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self._file is not None:
            self._file.write(data[start:end])
        elif not self._skip:
            self._text += data[start:end]
            if len(self._text) > _LONGEST:
                raise HTTPException(413, "A text of the form is too long.")

    def on_part_end(self) -> None:
        if self._file is not None:
            self.close()
        elif not self._skip:
            text = self._text.decode("utf-8", "replace")
            if self._name == "csrf":
                self.trusted = same(text, self.session.csrf)
            self.upload.texts[self._name] = text

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
