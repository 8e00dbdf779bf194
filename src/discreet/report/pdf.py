"""The page as a PDF: the same text, tables and pictures, set by the page's own print style."""

from __future__ import annotations

from discreet.errors import FileError, MissingExtraError

__all__ = ["render_pdf"]

_HINT = "pip install 'discreet[pdf]', or open the HTML report in a browser and print it: it has a style for paper."


def render_pdf(page: str) -> bytes:
    """Return the page as a tagged PDF; nothing is fetched from anywhere."""
    try:
        import weasyprint
    except ImportError:
        raise MissingExtraError("A PDF needs the library weasyprint, which is not installed.", hint=_HINT) from None
    except OSError:  # the library is there, and the system's library of text layout is not
        raise MissingExtraError(
            "A PDF needs Pango on this system, which weasyprint did not find.", hint=_HINT
        ) from None
    document: bytes = weasyprint.HTML(string=page, url_fetcher=_nothing).write_pdf(pdf_variant="pdf/ua-1")
    return document


def _nothing(url: str, *_args: object, **_kwargs: object) -> dict[str, object]:
    """Refuse every address: a report is made offline."""
    raise FileError(f"A report must not load anything; it names an address of {len(url)} characters.")
