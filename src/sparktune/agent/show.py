"""Values for people's eyes: short, on one line, and never what is in a file, which may be a secret."""

__all__ = ["quoted", "shown"]

import hashlib
from typing import Any

from sparktune.agent.kind import Kind

_LONGEST = 200
_DIGITS = 12
_OF_CONTENT = "file"
_NO_SUCH_VALUE = "what no such step reads"


def shown(kind: Kind, value: Any) -> str | None:  # noqa: ANN401 - as in a reading
    """Return a value as its kind shows it, cut when it is long; None for what is not there."""
    try:
        text = kind.shown(value)
    except (TypeError, KeyError, AttributeError, ValueError, IndexError):  # of a damaged journal
        return _NO_SUCH_VALUE
    if text is None:
        return None
    if kind.name == _OF_CONTENT or "\n" in text:
        data = text.encode("utf-8", "replace")
        return f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()[:_DIGITS]}"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def quoted(text: str | None) -> str:
    """Return a shown value inside of a sentence."""
    return "nothing" if text is None else repr(text)
