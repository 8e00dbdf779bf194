from __future__ import annotations

import builtins

import pytest

from discreet.errors import FileError, MissingExtraError
from discreet.report import pdf

PAGE = "<!doctype html><html lang='en'><head><title>A report</title></head><body><h1>What it risks</h1></body></html>"


@pytest.mark.parametrize(("error", "words"), [(ImportError, "not installed"), (OSError, "Pango")])
def test_says_what_is_missing_and_what_to_do_instead(monkeypatch, error, words):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "weasyprint":
            raise error
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=words) as caught:
        pdf.render_pdf(PAGE)
    assert "discreet[pdf]" in caught.value.hint
    assert "print" in caught.value.hint


def test_nothing_is_fetched():
    with pytest.raises(FileError, match="must not load"):
        pdf._nothing("https://example.org/logo.png")


@pytest.mark.filterwarnings("ignore")
def test_the_same_page_gives_the_same_document():
    pytest.importorskip("weasyprint", exc_type=(ImportError, OSError))
    first, second = pdf.render_pdf(PAGE), pdf.render_pdf(PAGE)
    assert first.startswith(b"%PDF-")
    assert first == second
