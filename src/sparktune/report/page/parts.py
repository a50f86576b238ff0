"""The parts of a page: sections, tables, facts, figures; and the page around them."""

__all__ = [
    "NARROW",
    "WIDE",
    "Column",
    "alarm",
    "badge",
    "bound",
    "bullets",
    "facts",
    "figure",
    "folded",
    "lead",
    "page",
    "section",
    "sections",
    "table",
]

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from sparktune.report.charts.drawing import Drawing
from sparktune.report.layout import keep_units
from sparktune.report.page.style import STYLE
from sparktune.report.svg.markup import Markup, element, joined
from sparktune.report.svg.picture import Missing, Picture, as_part

WIDE, NARROW = 780.0, 342.0
"""Widths of pictures in pixels: on a desktop, and on a phone of 390."""
_MARK: Final = "\0"
_QUANTITY: Final = re.compile(r"([-+]?[\d.,]*\d(?:\0[^\s\0]{1,6})+)")
"""A number with its unit, or several as in 2 min 05 s, where each blank between them is the mark; nothing long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a table: its head; numbers go to the right, long words may wrap."""

    head: str
    number: bool = False
    words: bool = False


def section(title: str, *parts: str, ident: str) -> Markup:
    """Return a section with its heading."""
    return element("section", element("h2", title, id=ident), *parts, aria_labelledby=ident)


def bound(text: str) -> Markup:
    """Return text in which no number parts from its unit at the end of a line; its words and blanks stay."""
    if isinstance(text, Markup):
        return text
    parts = _QUANTITY.split(keep_units(text, _MARK))
    words = (part.replace(_MARK, " ") for part in parts)
    return joined(element("span", part, class_="q") if at % 2 else part for at, part in enumerate(words))


def badge(glyph: str, words: str, look: str) -> Markup:
    """Return the verdict of a page in a frame; ``look`` is its class: ok, bad and the like."""
    return element(
        "p", element("span", glyph, aria_hidden="true"), " ", element("span", bound(words)), class_=f"badge {look}"
    )


def alarm(sentence: str) -> Markup:
    """Return a sentence that warns."""
    return element("p", bound(sentence), class_="bad")


def lead(sentence: str) -> Markup:
    """Return the sentence that a page is about; a number stays beside its unit."""
    return element("p", Markup(keep_units(joined([sentence]), "&nbsp;")), class_="lead")


def facts(entries: Iterable[tuple[str, str]], *, big: int = 0) -> Markup:
    """Return names with their values, the first ``big`` of them large."""
    return element(
        "dl",
        *(
            element("div", element("dt", name), element("dd", value, class_="big" if place < big else None))
            for place, (name, value) in enumerate(entries)
        ),
        class_="facts",
    )


def table(columns: Sequence[Column], rows: Iterable[Sequence[str]], *, about: str, listed: bool = False) -> Markup:
    """Return a table that scrolls alone where it is too wide; ``about`` names it for a screen reader.

    One with many words in its last columns would be nothing but gaps on a phone: with ``listed`` a row is a list there.
    """
    looks = ["n" if column.number else "w" if column.words else None for column in columns]
    # Heads are written once, as variables of the table: in each cell they would double the page.
    heads_as_style = ";".join(f"--h{at}:{_css_text(column.head)}" for at, column in enumerate(columns, 1))
    heads = (element("th", column.head, scope="col", class_="n" if column.number else None) for column in columns)
    body = (
        element("tr", *(element("td", value, class_=look) for value, look in zip(row, looks, strict=True)))
        for row in rows
    )
    inner = element("table", element("thead", element("tr", *heads)), element("tbody", *body))
    return element(
        "div",
        inner,
        class_="scroll stack" if listed else "scroll",
        style=heads_as_style if listed else None,
        tabindex="0",
        role="region",
        aria_label=about,
    )


def _css_text(text: str) -> str:
    """Return a text of CSS (CSS Syntax, 4.3.5): what could end it is written as its code."""
    return "'" + "".join(letter if letter not in "'\\\n<>;" else f"\\{ord(letter):06x}" for letter in text) + "'"


def bullets(lines: Iterable[str]) -> Markup:
    """Return a list, nothing for no lines."""
    items = [element("li", bound(line)) for line in lines]
    return element("ul", *items) if items else Markup("")


def folded(title: str, *parts: str) -> Markup:
    """Return parts that are unfolded by a click."""
    return element("details", element("summary", title), *parts)


def figure(draw: Callable[[float], Picture | Missing], caption: str, *, both: bool = True) -> Markup:
    """Draw a picture for wide pages and, with ``both``, again for narrow ones; where it is missing, say why."""
    picture = draw(WIDE)
    if isinstance(picture, Missing):
        return element("p", f"Not shown: {picture.why}.", class_="muted")
    drawn = [(picture, "wide" if both else "")]
    if both:
        drawn += [(again, "narrow") for again in (draw(NARROW),) if isinstance(again, Picture)]
    parts = [
        element(
            "div",
            as_part(one, f"{one.name}-{look or 'one'}"),
            class_=f"scroll {look}".strip(),
            tabindex=None if both else "0",
            role=None if both else "region",
            aria_label=None if both else one.title,
        )
        for one, look in drawn
    ]
    return element("figure", *parts, *([element("figcaption", bound(caption))] if caption else []))


def sections(drawings: Iterable[Drawing]) -> list[Markup]:
    """Return a section per heading, with its pictures."""
    found = []
    for place, (heading, group) in enumerate(itertools.groupby(drawings, key=lambda drawing: drawing.heading)):
        parts: list[str] = []
        together = list(group)
        for drawing in together:
            parts += [element("h3", drawing.subtitle)] if drawing.subtitle else []
            caption = drawing.caption if drawing is together[-1] else ""
            parts.append(figure(drawing.draw, caption, both=drawing.both))
        found.append(section(heading, *parts, ident=f"s{place}"))
    return found


def page(title: str, parts: Iterable[str], *, record: str) -> str:
    """Return the whole page; ``record`` is JSON, kept inside for programs."""
    # Nothing in it can end the script element: JSON has no need of these letters outside of strings.
    kept = record.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name_="color-scheme", content="light dark"),
        element("meta", http_equiv="Content-Security-Policy", content="default-src 'none'; style-src 'unsafe-inline'"),
        element("title", title),
        element("style", Markup(STYLE)),
    )
    data = element("script", Markup(kept), type="application/json", id="result")
    return (
        f"<!DOCTYPE html>\n{element('html', head, element('body', element('main', joined(parts)), data), lang='en')}\n"
    )
