"""A picture that an object gives of itself: an SVG, shown by a notebook as it is."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Chart"]


@dataclass(frozen=True, repr=False)
class Chart:
    """A picture of figures; no mark in it stands for one record.

    Attributes
    ----------
    svg : str
        The picture, as it can be written to a file or put into a page.
    text : str
        What it shows, in words.
    """

    svg: str
    text: str

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Chart({self.text})"

    def _repr_html_(self) -> str:
        # Letters are dark: on a page that is dark, too, the picture brings its paper along.
        return f'<div style="background:#fff;width:fit-content;max-width:100%;overflow-x:auto">{self.svg}</div>'
