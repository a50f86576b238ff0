"""Parts of texts that know their places, and texts made of such parts."""

__all__ = ["cut", "joined"]

from collections.abc import Iterable
from dataclasses import replace

from sparktune.formats.located import Located


def cut(source: Located, start: int, end: int) -> Located:
    """Return a part of a text."""
    return replace(
        source,
        text=source.text[start:end],
        starts=source.starts[start:end],
        ends=source.ends[start:end],
        before=source.place(start),
        after=source.behind(end) if end > start else source.place(start),
    )


def joined(pieces: Iterable[Located], source: Located) -> Located:
    """Return one text of several, which cannot be edited as one; ``source`` says where it begins and ends."""
    kept = tuple(pieces)
    return replace(
        source,
        text="".join(one.text for one in kept),
        starts=tuple(place for one in kept for place in one.starts),
        ends=tuple(place for one in kept for place in one.ends),
        encode=None,
        fixed="its values are filled in",
    )
