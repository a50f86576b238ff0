"""A picture with its heading and caption, for any width."""

__all__ = ["Drawing", "drawn", "not_drawn"]

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sparktune.report.svg.picture import Missing, Picture


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """``caption`` has to be said below it. ``both``: narrow pages get a picture of their own.

    Drawings that follow each other with one heading share a section and its caption; ``subtitle`` tells them apart.
    """

    heading: str
    draw: Callable[[float], Picture | Missing]
    caption: str
    both: bool = True
    subtitle: str = ""


def drawn(drawings: Iterable[Drawing], width: float) -> tuple[Picture, ...]:
    """Return the pictures that there are, for files."""
    found = (drawing.draw(width) for drawing in drawings)
    return tuple(picture for picture in found if isinstance(picture, Picture))


def not_drawn(drawings: Iterable[Drawing], width: float) -> tuple[str, ...]:
    """Return why the others are none, each with its heading."""
    found = ((drawing.heading, drawing.draw(width)) for drawing in drawings)
    return tuple(dict.fromkeys(f"{heading}: {one.why}" for heading, one in found if isinstance(one, Missing)))
