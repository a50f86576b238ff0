"""One file per kind of text; each exports ``FORMAT``."""

__all__ = ["all_formats", "format_of", "read_text"]

import sys
from functools import cache

from sparktune.formats.broken import refuse_no_text
from sparktune.model.document import Document, Format, NotThisFormat
from sparktune.plugins import load_plugins


@cache
def all_formats() -> tuple[Format, ...]:
    """Return every format, strict ones first."""
    found = load_plugins(sys.modules[__name__], "FORMAT", Format)
    return tuple(sorted(found, key=lambda one: (one.order, one.id)))


def format_of(name: str, text: str) -> Format:
    """Return the format that recognises a file. Raises NotThisFormat, which says what is supported, when none does."""
    refuse_no_text(text)
    for one in all_formats():
        if one.recognises(name, text):
            return one
    titles = ", ".join(one.title for one in all_formats())
    message = "empty" if not text.strip() else "no kind of text that is known"
    raise NotThisFormat(message, hint=f"supported: {titles}")


def read_text(name: str, text: str) -> Document:
    """Read a file by what it looks like. Raises NotThisFormat with line and hint."""
    return format_of(name, text).read(name, text)
