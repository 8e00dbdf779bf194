"""A writer of small, plain .sas7bdat files, so that reading them can be tested without a copy of SAS.

The layout follows what is publicly known of the format: a header, one page of metadata made of subheaders (row size,
column size, text, names, attributes, one format and label a column), and pages of uncompressed rows. Little-endian,
with words of four or of eight bytes. Rows may also stand on the page of metadata, as SAS does with small files. A
catalogue of value labels (.sas7bcat) has a header, a page that lists its blocks, and a block for each format.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Column", "write_sas7bcat", "write_sas7bdat"]

_MAGIC = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
_CATALOGUE = bytes(12) + bytes.fromhex("c2ea8163b31411cfbd92080009c7318c181f1011")
_ENCODINGS = {"utf-8": 20, "latin-1": 29}
_META, _DATA, _MIX = 0x0000, 0x0100, 0x0200


@dataclass(frozen=True)
class Column:
    """A column: `width` 0 is a number, otherwise text of so many bytes."""

    name: str
    width: int = 0
    label: str = ""
    format: str = ""


class _Text:
    """The one block of text that names, labels and formats are kept in, and references to it."""

    def __init__(self, encoding: str) -> None:
        self.encoding = encoding
        self.blob = bytearray(28)  # its own length, and what a file of SAS says about compression

    def add(self, text: str) -> bytes:
        raw = text.encode(self.encoding)
        if not raw:
            return struct.pack("<HHH", 0, 0, 0)
        place = len(self.blob)
        self.blob += raw + bytes(-len(raw) % 4)
        return struct.pack("<HHH", 0, place, len(raw))


def _number(value: float | str | None) -> bytes:
    """Return a number, or the NaN that stands for a missing value: None for ``.``, a letter for ``.A`` to ``.Z``."""
    if value is None:
        return struct.pack("<Q", 0xFFFFFE0000000000)
    if isinstance(value, str):
        return struct.pack("<Q", (0xFFFF00 | (0xFF & ~(ord(value) - ord("A") + 2))) << 40)
    return struct.pack("<d", value)


def write_sas7bdat(
    path: Path,
    columns: Sequence[Column],
    rows: Sequence[Mapping[str, float | str | None]],
    *,
    title: str = "",
    wide: bool = True,
    mixed: bool = False,
    encoding: str = "utf-8",
    page_size: int = 8192,
) -> None:
    """Write a table.

    Parameters
    ----------
    rows : sequence of mapping
        By column: a number, text, ``None`` for a missing value, or a letter for a special missing number.
    title : str
        The label of the file.
    wide : bool
        Whether words have eight bytes (64-bit SAS) or four.
    mixed : bool
        Whether rows begin on the page of metadata.
    """
    word, sign = ("Q", 8) if wide else ("I", 4)
    length = sum(column.width or 8 for column in columns)
    text = _Text(encoding)
    told = text.add(title)
    refs = [(text.add(c.name), text.add(c.format), text.add(c.label)) for c in columns]

    def signed(mark: int, size: int) -> bytearray:
        part = bytearray(size)
        part[:sign] = struct.pack(f"<{word}", mark)
        return part

    def counted(mark: int, entries: Sequence[bytes]) -> bytes:
        """Return a subheader that says how many bytes follow, as SAS counts them."""
        part = signed(mark, sign + 8) + b"".join(entries) + bytes(12)
        part[sign : sign + 2] = struct.pack("<H", len(part) - 4 - 2 * sign)
        return bytes(part)

    every = (1 << (8 * sign)) - 1
    blob = bytes(text.blob) + bytes(-len(text.blob) % 8 + 4)
    words = signed(every - 2, sign) + blob
    words[sign : sign + 2] = struct.pack("<H", len(words) - 4 - 2 * sign)

    size = signed(0xF7F7F7F7, 808 if wide else 480)
    at = (40, 48, 72, 120) if wide else (20, 24, 36, 60)
    header, pointer = (40, 24) if wide else (24, 12)
    for place, value in zip(at[:3], (length, len(rows), len(columns)), strict=True):
        size[place : place + sign] = struct.pack(f"<{word}", value)
    size[len(size) - 130 : len(size) - 124] = told

    width = signed(0xF6F6F6F6, 24 if wide else 12)
    width[sign : 2 * sign] = struct.pack(f"<{word}", len(columns))

    names = counted(every, [name + bytes(2) for name, _, _ in refs])
    starts = [sum(c.width or 8 for c in columns[:i]) for i in range(len(columns))]
    attributes = counted(
        every - 3,
        [
            struct.pack(f"<{word}IHBB", start, c.width or 8, 0x400, 2 if c.width else 1, 0)
            for start, c in zip(starts, columns, strict=True)
        ],
    )
    formats = []
    for _, kind, label in refs:
        part = signed(every - 0x401, 64 if wide else 52)
        place = 46 if wide else 34
        part[place : place + 6], part[place + 6 : place + 12] = kind, label
        formats.append(bytes(part))

    parts = [bytes(size), bytes(width), bytes(words), names, attributes, *formats]
    records = [b"".join(_field(c, row.get(c.name), encoding) for c in columns) for row in rows]
    room = page_size - sum(map(len, parts)) - header - pointer * (len(parts) + 1) - 8
    if room < 0:
        raise ValueError("the metadata do not fit on one page")
    first = min(len(records), room // length) if mixed else 0
    size[at[3] : at[3] + sign] = struct.pack(f"<{word}", first)
    parts[0] = bytes(size)

    pages = [_meta_page(parts, records[:first], page_size, header, pointer, word, _MIX if mixed else _META)]
    fits = (page_size - header) // length
    for start in range(first, len(records), fits):
        chunk = records[start : start + fits]
        pages.append(_page_head(_DATA, len(chunk), 0, header) + b"".join(chunk))
    body = b"".join(page.ljust(page_size, b"\0") for page in pages)
    path.write_bytes(_head(wide, encoding, page_size, len(pages)) + body)


def _field(column: Column, value: float | str | None, encoding: str) -> bytes:
    if not column.width:
        return _number(value)
    raw = str(value or "").encode(encoding)
    if len(raw) > column.width:
        raise ValueError("a text is too long for its column")
    return raw.ljust(column.width, b" ")


def _page_head(kind: int, blocks: int, subheaders: int, header: int) -> bytes:
    return bytes(header - 8) + struct.pack("<HHHH", kind, blocks, subheaders, 0)


def _meta_page(
    parts: Sequence[bytes], records: Sequence[bytes], page_size: int, header: int, pointer: int, word: str, kind: int
) -> bytes:
    """Return a page whose subheaders stand at its end, from the last to the first, as SAS writes them."""
    page = bytearray(page_size)
    page[:header] = _page_head(kind, len(parts) + len(records), len(parts), header)
    end = page_size
    for place, part in enumerate(parts):
        end -= len(part)
        page[end : end + len(part)] = part
        start = header + place * pointer
        entry = struct.pack(f"<{word}{word}BB", end, len(part), 0, 0)
        page[start : start + len(entry)] = entry
    begin = header + len(parts) * pointer
    begin += -begin % 8
    page[begin : begin + sum(map(len, records))] = b"".join(records)
    return bytes(page)


def write_sas7bcat(path: Path, formats: Mapping[str, Mapping[float | str, str]], *, page_size: int = 8192) -> None:
    """Write a catalogue: by the name of a format (text begins with ``$``), what its values are called."""
    pages = [bytearray(page_size) for _ in range(4 + len(formats))]
    for place, (name, labels) in enumerate(formats.items()):
        page, pos = 4 + place, 64
        entry = bytearray(288)
        entry[:4] = b"XLSR"
        entry[8:12], entry[16:20], entry[78:79] = struct.pack("<I", page + 1), struct.pack("<I", pos), b"O"
        start = 1008 + place * len(entry)
        pages[1][start : start + len(entry)] = entry
        block = _catalogue_block(name, labels)
        link = struct.pack("<QHH", 0, 0, len(block)).ljust(32, b"\0")
        pages[page][pos : pos + len(link) + len(block)] = link + block
    path.write_bytes(_head(True, "utf-8", page_size, len(pages), _CATALOGUE) + b"".join(pages))


def _catalogue_block(name: str, labels: Mapping[float | str, str]) -> bytes:
    block = bytearray(138)
    block[8:16] = name.encode().ljust(8)
    block[42:46] = block[50:54] = struct.pack("<I", len(labels))
    for place, value in enumerate(labels):
        entry = bytearray(38 if isinstance(value, str) else 30)
        entry[2] = len(entry) - 6
        entry[14:18] = struct.pack("<I", place)
        if isinstance(value, str):
            entry[22:38] = value.encode().ljust(16)
        else:
            entry[22:30] = struct.pack(">d", -value)  # numbers are kept with the other sign, whatever the machine
        block += entry
    for text in labels.values():
        raw = text.encode()
        block += bytes(8) + struct.pack("<H", len(raw)) + raw + bytes(1)
    return bytes(block)


def _head(wide: bool, encoding: str, page_size: int, pages: int, magic: bytes = _MAGIC) -> bytes:
    header = bytearray(8192 if wide else 1024)
    header[:32] = magic
    header[32] = 0x33 if wide else 0x22  # words of eight bytes
    header[35] = 0x33 if wide else 0x32  # four bytes more before the times
    header[37] = 1  # little-endian
    header[39:40] = b"1"  # Unix
    header[70] = _ENCODINGS[encoding]
    header[84:92] = b"SAS FILE"
    header[92:124] = b"TABLE".ljust(32)
    header[156:164] = b"DATA    "
    at = 164 + (4 if wide else 0)
    header[at : at + 16] = struct.pack("<dd", 0.0, 0.0)  # created and changed at the first second of 1960
    at += 32
    header[at : at + 8] = struct.pack("<II", len(header), page_size)
    at += 8
    counted = struct.pack("<Q" if wide else "<I", pages)
    header[at : at + len(counted)] = counted
    at += len(counted) + 8
    header[at : at + 8] = b"9.0401M6"
    header[at + 8 : at + 24] = b"Linux".ljust(16, b"\0")
    return bytes(header)
