"""Markup from names, attributes and text, for SVG and HTML; text of others cannot become markup.

Source: XML 1.0, section 2.2: most control characters may not be in a document at all, not even escaped, so that they
are written as what Python calls them.
"""

__all__ = ["Attribute", "Markup", "element", "joined", "number"]

import math
from collections.abc import Iterable
from html import escape

from sparktune.report.bench.words import printable

Attribute = str | float | None
_VOID = frozenset({"br", "meta", "link", "hr", "col"})
_KEPT = str.maketrans({"\n": " ", "\t": " ", "\r": " "})


class Markup(str):
    """Text that is markup already, and is not escaped again."""

    __slots__ = ()


def element(name: str, *children: str, **attributes: Attribute) -> Markup:
    """Return an element. Children and attributes that are no Markup are escaped.

    An attribute's ``_`` becomes ``-``, one at its end (``class_``) is dropped; an attribute that is None is left out.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{value if isinstance(value, Markup) else _plain(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    inner = joined(children)
    return Markup(f"<{name}{written}>{inner}</{name}>")


def joined(parts: Iterable[str]) -> Markup:
    """Return parts one after the other, escaped where they are no Markup."""
    return Markup("".join(part if isinstance(part, Markup) else escape(_text(part), quote=False) for part in parts))


def number(value: float) -> str:
    """Write a coordinate: a tenth of a pixel is enough. Raises ValueError for one that is no finite number."""
    if not math.isfinite(value):
        message = f"{value} is no place in a picture"
        raise ValueError(message)
    written = f"{value:.1f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


def _plain(value: str | float) -> str:
    return escape(_text(value)) if isinstance(value, str) else number(value)


def _text(text: str) -> str:
    return printable(text.translate(_KEPT))
