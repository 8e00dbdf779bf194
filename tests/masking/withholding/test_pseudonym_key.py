"""Key files and what is made with a key: sentences, lengths, and letters by hand."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from discreet.errors import FileError, MissingExtraError, ParameterError
from discreet.masking.withholding.pseudonym_key import (
    KeyFile,
    PseudonymKey,
    _bytes,
    _letters,
    is_key_file,
    new_key,
)

KEY = PseudonymKey(bytes(32))
MAKE = "discreet key new FILE makes one."


def told(error, call, *arguments):
    with pytest.raises(error) as caught:
        call(*arguments)
    return caught.value.message, caught.value.hint


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"\x00", "00"),
        (b"\x01", "04"),
        (b"\xff", "zw"),
        (b"\x08\x00", "1000"),
        (b"\x00\x44\x32\x14\xc7", "01234567"),
        (b"\xff\xff\xff\xff\xff", "zzzzzzzz"),
    ],
)
def test_bytes_in_letters_of_five_bits(content, text):
    assert _letters(content) == text
    assert _bytes(text) == _bytes(text.upper()) == content


@pytest.mark.parametrize("text", ["", "0i", "l0", "o0", "u0", "0-0", "0 0"])
def test_letters_that_are_taken_for_others_are_none(text):
    assert _bytes(text) is None
    assert KEY.reveal("a", text) is None


def test_a_pseudonym_is_cut_and_is_of_its_domain():
    whole = KEY.pseudonym("a", "word", 99)
    assert len(whole) == 52  # 256 bits, five a letter
    assert KEY.pseudonym("a", "word", 7) == whole[:7]
    assert KEY.pseudonym("b", "word", 99) != whole
    assert KEY.pseudonym("a", "wort", 99) != whole


@pytest.mark.parametrize(("length", "letters"), [(0, 52), (15, 52), (16, 77), (31, 77), (32, 103)])
def test_sealed_words_show_their_length_in_steps_of_sixteen(length, letters):
    sealed = KEY.seal("a", "w" * length)
    assert len(sealed) == letters  # of 16 bytes more than the word and its end take
    assert KEY.reveal("a", sealed) == KEY.reveal("a", sealed.upper()) == "w" * length
    assert KEY.reveal("b", sealed) is None
    assert KEY.reveal("a", sealed[:-2]) is None


def test_what_a_seal_lacks_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    assert told(MissingExtraError, KEY.seal, "a", "word") == (
        "Pseudonyms that can be turned back need the package cryptography.",
        "pip install 'discreet[pseudonyms]'",
    )


@pytest.mark.parametrize("secret", [b"", bytes(31), "0" * 32, bytearray(32)])
def test_a_secret_has_at_least_thirty_two_bytes(secret):
    assert told(ParameterError, PseudonymKey, secret) == ("A key has at least 32 bytes.", MAKE)
    assert PseudonymKey(bytes(33)) != KEY


def test_every_way_in_which_a_file_is_no_key_has_its_sentence(tmp_path):
    load = PseudonymKey.load
    assert told(FileError, load, tmp_path / "absent") == ("The key file does not exist.", MAKE)
    assert told(FileError, load, tmp_path) == ("The key file is no file.", MAKE)
    path = new_key(tmp_path / "a.key")
    assert told(FileError, load, path / "below") == ("The key file cannot be read.", "Check its permissions.")
    path.write_bytes(path.read_bytes() + b"more\n")
    assert is_key_file(path)
    assert told(FileError, load, path) == ("The file is no key file.", MAKE)
    path.chmod(0o604)
    assert told(FileError, load, path) == (
        "The key file can be read or written by others than its owner.",
        "chmod 600 makes it yours alone; if others may have read it, make a new key.",
    )
    assert told(FileError, new_key, path) == (
        f"{str(path)!r} exists already.",
        "A key that is lost cannot be made again: give another name.",
    )
    nowhere = tmp_path / "no" / "b.key"
    assert told(FileError, new_key, nowhere) == (
        f"{str(nowhere)!r} cannot be made.",
        "Check the folder and its permissions.",
    )
    assert not is_key_file(nowhere)
    assert not is_key_file(tmp_path)


def test_lines_may_end_as_elsewhere(tmp_path):
    path = new_key(str(tmp_path / "a.key"))
    lines = path.read_bytes()
    assert lines.startswith(b"discreet pseudonym key 1\n")
    assert len(lines.splitlines()[1]) == 64
    key = PseudonymKey.load(path)
    assert key == PseudonymKey(bytes.fromhex(lines.splitlines()[1].decode()))
    path.write_bytes(lines.replace(b"\n", b"\r\n"))
    assert PseudonymKey.load(path) == key


def test_a_key_file_as_a_parameter(tmp_path):
    constraint = KeyFile()
    assert [constraint.accepts(value) for value in (None, "a.key", tmp_path, KEY, 7, b"a.key")] == [True] * 4 + [
        False
    ] * 2
    assert constraint.describe() == "the path of a key file"
    assert constraint.parse("a=b") == "a=b"
    assert constraint.read("a.key", tmp_path) == str(tmp_path / "a.key")
    assert constraint.read("a.key") == "a.key"
    assert constraint.read(Path("a.key"), tmp_path) == Path("a.key")
    assert constraint.control().kind == "text"
