"""A picture, whole: with a title and a description for those who cannot see it; inside a page or as a file."""

__all__ = ["OWN", "Missing", "Picture", "as_file", "as_part"]

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sparktune.report.svg.markup import Markup, element
from sparktune.report.svg.palette import DARK, LIGHT, rules

OWN = "\x00"
"""In a body it becomes the picture's own id, for what is named inside; text of others cannot have it."""

_EDGE, _HEAD, _LINE = 12.0, 40.0, 17.0  # around a picture that is a file, in pixels
_NARROWEST = 456.0
_MOST_LINES = 8
_LETTER = 6.9  # pixels of a letter, rather too wide


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """``name`` is that of its file, ``title`` and ``description`` are words; ``body`` is drawn in width x height."""

    name: str
    title: str
    description: str
    body: Markup
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Missing:
    """Why there is no picture, in words for a person."""

    why: str


def as_part(picture: Picture, ident: str) -> Markup:
    """Return a picture for a page whose style has the rules of the palette; ``ident`` is unique in the page."""
    return _svg(picture, ident, style=Markup(""), backdrop=Markup(""))


def as_file(picture: Picture, theme: Mapping[str, str] | None = None, *, stamp: str = "") -> str:
    """Return a picture as a file of its own: light, or dark where the reader's system is; or as one theme alone.

    Its title stands above it, and ``stamp`` below: what must not be lost when it is shared without its page.
    """
    style = rules(theme or LIGHT)
    if theme is None:
        style += f"@media (prefers-color-scheme:dark){{{rules(DARK)}}}"
    letters = int(max(picture.width, _NARROWEST) / _LETTER)
    stamps = textwrap.wrap(stamp, letters, max_lines=_MOST_LINES, placeholder=" …")
    framed = replace(
        picture,
        width=max(picture.width, _NARROWEST) + 2 * _EDGE,
        height=picture.height + _HEAD + _LINE * len(stamps) + _EDGE,
    )
    title = textwrap.shorten(picture.title, letters, placeholder=" …")
    above = element("text", title, x=_EDGE, y=_HEAD - 14, class_="t-bold")
    moved = element("g", picture.body, transform=Markup(f"translate({_EDGE:.0f} {_HEAD:.0f})"))
    below = [
        element("text", line, x=_EDGE, y=_HEAD + picture.height + _LINE * place, class_="t-muted")
        for place, line in enumerate(stamps, start=1)
    ]
    body = Markup("".join((above, moved, *below)))
    backdrop = element("rect", width=framed.width, height=framed.height, class_="f-surface")
    svg = _svg(replace(framed, body=body), picture.name, style=element("style", Markup(style)), backdrop=backdrop)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}\n'


def _svg(picture: Picture, ident: str, *, style: Markup, backdrop: Markup) -> Markup:
    return element(
        "svg",
        element("title", picture.title, id=f"{ident}-t"),
        element("desc", picture.description, id=f"{ident}-d"),
        style,
        backdrop,
        Markup(picture.body.replace(OWN, ident)),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {picture.width:.0f} {picture.height:.0f}",
        width=picture.width,
        height=picture.height,
        role="img",
        aria_labelledby=f"{ident}-t {ident}-d",
        class_="sv",
    )
