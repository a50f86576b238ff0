"""Lines of a user's file that may be shown: without secrets, or not at all."""

__all__ = ["Lines", "diff_text"]

import difflib
import re
from collections.abc import Mapping

from sparktune.model.document import Document
from sparktune.redact import MASK, redact_argv, redact_text
from sparktune.report.bench.words import printable

_MOST = 160
_SECRET = re.compile(r"(?:api|access|private)[-_]?key|token\b|secret|passw|credential|bearer|cookie", re.IGNORECASE)
_HIDDEN = "(not shown: it may hold a secret)"


class Lines:
    """The lines of one file; which of them hold secrets is found once, however many are asked for."""

    def __init__(self, document: Document) -> None:
        """Look through the file."""
        self._rows = document.text.removeprefix("\ufeff").split("\n")
        self._hidden = _secret_lines(document)

    def shown(self, line: int) -> str:
        """Return a line as it may be shown, "" where there is none."""
        return _shown(self._rows[line - 1], hidden=line in self._hidden) if 0 < line <= len(self._rows) else ""


def diff_text(documents: Mapping[str, Document], texts: Mapping[str, str], *, now: str = "fixed") -> str:
    """Return what edits change, for reading: secrets are gone from the lines around them."""
    found: list[str] = []
    for name, text in texts.items():
        document = documents[name]
        hidden = {document.text.split("\n")[line - 1] for line in _secret_lines(document)}
        lines = difflib.unified_diff(
            document.text.split("\n"), text.split("\n"), fromfile=name, tofile=f"{name} ({now})", n=2, lineterm=""
        )
        for line in lines:
            marker, row = line[:1], line[1:]
            kept = line if line.startswith(("---", "+++", "@@")) else marker + _shown(row, hidden=row in hidden)
            found.append(printable(kept))
    return "\n".join((*found, "")) if found else ""


def _shown(row: str, *, hidden: bool) -> str:
    if hidden:
        return _HIDDEN
    shown = redact_text(row).rstrip()
    if _SECRET.search(shown) and MASK not in shown and not row.lstrip().startswith("#") and _has_value(row):
        return _HIDDEN
    return shown if len(shown) <= _MOST else f"{shown[:_MOST]} ..."


def _has_value(row: str) -> bool:
    """Whether more stands there than a name: ``HF_TOKEN:`` and ``${HF_TOKEN}`` are no secrets."""
    rest = re.sub(r"\$\{?\w+\}?|\{\w+\}", "", row)
    return re.search(r"[=:\s,\"']\s*[\"']?[A-Za-z0-9+/_-]{6,}[\"']?\s*[,\]\\]?\s*$", rest) is not None


def _secret_lines(document: Document) -> frozenset[int]:
    """Return the lines of words that follow an option for a secret."""
    found: set[int] = set()
    for command in document.commands:
        shown = redact_argv(word.text for word in command.words)
        found |= {
            word.line for word, text in zip(command.words, shown, strict=True) if text != word.text and text == MASK
        }
    return frozenset(found)
