"""Shapes, text and axes of a picture, in pixels of its own coordinates."""

__all__ = [
    "circle",
    "fitting",
    "hatched",
    "hatching",
    "line",
    "path",
    "rect",
    "square",
    "text",
    "text_width",
    "tooltip",
    "x_axis",
    "y_axis",
]

from collections.abc import Callable, Sequence

from sparktune.report.svg.markup import Markup, element, joined, number
from sparktune.report.svg.picture import OWN
from sparktune.report.svg.scale import Linear, Log

_LETTER = 0.58  # of the font's size: the mean width of a letter of the usual fonts, rather too wide
_SIZE = 12.0
_TICK = 4
_NEAR = 6


def rect(x: float, y: float, width: float, height: float, look: str, *children: str, round_: float = 0) -> Markup:
    """Return a rectangle; ``look`` names classes, a child may be a tooltip."""
    return element("rect", *children, x=x, y=y, width=max(0.0, width), height=height, rx=round_ or None, class_=look)


def line(x1: float, y1: float, x2: float, y2: float, look: str, *children: str) -> Markup:
    """Return a line."""
    return element("line", *children, x1=x1, y1=y1, x2=x2, y2=y2, class_=look)


def circle(x: float, y: float, radius: float, look: str, *children: str) -> Markup:
    """Return a disc."""
    return element("circle", *children, cx=x, cy=y, r=radius, class_=look)


def square(x: float, y: float, half: float, look: str, *children: str) -> Markup:
    """Return a square around a point."""
    return rect(x - half, y - half, 2 * half, 2 * half, look, *children)


def path(points: Sequence[tuple[float, float]], look: str, *, closed: bool = False) -> Markup:
    """Return a line through points."""
    steps = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    return element("path", d=f"M{steps}{'Z' if closed else ''}", class_=look)


def text(x: float, y: float, words: str, look: str = "", *children: str) -> Markup:
    """Return words whose base line begins at a point (``t-end`` and ``t-mid`` align them otherwise)."""
    return element("text", words, *children, x=x, y=y, class_=look or None)


def tooltip(words: str) -> Markup:
    """Return what a pointer shows, and what a screen reader says."""
    return element("title", words)


def text_width(words: str, size: float = _SIZE) -> float:
    """Return about how many pixels words take, rather too many."""
    return len(words) * size * _LETTER


def fitting(words: str, width: float, size: float = _SIZE) -> str:
    """Return words, cut in the middle where they do not fit: names differ at their ends."""
    most = max(3, int(width / (size * _LETTER)))
    if len(words) <= most:
        return words
    end = (most - 1) // 2
    return f"{words[: most - 1 - end]}…{words[-end:]}"


def hatching() -> Markup:
    """Return the definition of a hatched fill; a picture that calls ``hatched`` has it once."""
    lines = element("path", d="M-1 7L7 -1", class_="s-muted none")
    ident = Markup(f"{OWN}-h")
    pattern = element("pattern", lines, id=ident, width=6.0, height=6.0, patternUnits="userSpaceOnUse")
    return element("defs", pattern)


def hatched(x: float, y: float, width: float, height: float, round_: float = 0) -> Markup:
    """Return a hatched rectangle."""
    fill = Markup(f"url(#{OWN}-h)")
    return element("rect", x=x, y=y, width=max(0.0, width), height=height, rx=round_ or None, fill=fill, class_="soft")


def x_axis(scale: Linear | Log, *, top: float, bottom: float, words: Callable[[float], str], count: int = 5) -> Markup:
    """Return grid lines from ``top`` to ``bottom`` with their values below; those that would touch are left out."""
    parts: list[str] = []
    last = float("-inf")
    for value in scale.ticks(count):
        x, label = scale.place(value), words(value)
        parts.append(line(x, top, x, bottom, "s-grid"))
        half = text_width(label, 11) / 2
        if x - half > last + _NEAR:
            parts.append(text(x, bottom + 15, label, "t-muted t-small t-mid"))
            last = x + half
    return joined(parts)


def y_axis(scale: Linear | Log, *, left: float, right: float, words: Callable[[float], str], count: int = 5) -> Markup:
    """Return grid lines from ``left`` to ``right`` with their values at the left."""
    parts: list[str] = []
    for value in scale.ticks(count):
        y = scale.place(value)
        parts += [
            line(left, y, right, y, "s-grid"),
            text(left - _NEAR, y + _TICK, words(value), "t-muted t-small t-end"),
        ]
    return joined(parts)
