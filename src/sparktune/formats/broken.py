"""What is wrong with a text that cannot be read: no text, several documents, tabs, indentation that was lost."""

__all__ = ["known_hint", "parsed_yaml", "refuse_no_text", "yaml_hint"]

import re
from collections.abc import Collection
from itertools import pairwise
from typing import Any

from ruamel.yaml.error import YAMLError

from sparktune.formats.compose_yaml import UNREADABLE, parsed_compose
from sparktune.model.document import NotThisFormat

_LONGEST = 256 * 1024  # characters; far above any file that people write, and read in some seconds
_MOST_LINES = 10_000
_EMPTY_KEY = re.compile(r"(?P<key>[A-Za-z_]\w*)\s*:\s*(?:[|>][-+]?\s*)?(?:#.*)?", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_QUOTED = re.compile(r"""".*"|'[^']*'""")
_TABS = "replace the tabs in front of the line by spaces: YAML allows none"
_SEVERAL = "it has several documents (---): put each into a file of its own"
_ANY_HINT = "look at that line and the one above it: a missing colon, quote or bracket, or other indentation"
_HINTS = {
    "single document": _SEVERAL,
    "another document": _SEVERAL,
    "'\\t'": _TABS,
    "duplicate key": "take one of the two out: which one counts is not defined",
    "undefined alias": "write the anchor (&name) before the alias that uses it",
    "constructor for the tag": "take the tag (!...) out: it means nothing here",
    "aliases stand for": "write the values out instead of repeating aliases of aliases",
}
_SIGN = 5  # up to three characters between quotes


def refuse_no_text(text: str) -> None:
    """Raise NotThisFormat for what is no text: bytes of a program or an archive, or far too long."""
    found = _CONTROL.search(text)
    if found is not None:
        line = text.count("\n", 0, found.start()) + 1
        message = f"no text: character {ord(found[0])} in line {line}"
        raise NotThisFormat(message, line=line, hint="name the file that a person wrote, not a program or an archive")
    if text.count("\ufffd") * 10 > len(text):
        message = "no text, or not UTF-8"
        raise NotThisFormat(message, hint="save it as UTF-8")
    lines = text.count("\n")
    if len(text) > _LONGEST or lines > _MOST_LINES:
        message = f"{len(text)} characters in {lines} lines are more than {_LONGEST} in {_MOST_LINES}"
        raise NotThisFormat(message, hint="name the file that a person wrote, not a log or a dump")


def parsed_yaml(text: str, sections: Collection[str]) -> tuple[Any, Any]:
    """Return the data of a YAML text and its nodes. ``sections`` are keys that have something indented below them.

    Raises NotThisFormat with line and hint.
    """
    refuse_no_text(text)
    try:
        data, root = parsed_compose(text)
    except UNREADABLE as error:
        _refuse_flattened(text, sections, all_of_it=False)
        raise _refusal(text, error) from None
    _refuse_flattened(text, sections, all_of_it=True)
    return data, root


def _refuse_flattened(text: str, sections: Collection[str], *, all_of_it: bool) -> None:
    line = _flattened(text, sections, all_of_it=all_of_it)
    if line:
        message = f"line {line}: what belongs below this key is not indented: the text has lost its indentation"
        hint = "copy the original file, or indent by two spaces what belongs to a key: pasting often loses it"
        raise NotThisFormat(message, line=line, hint=hint)


def _flattened(text: str, sections: Collection[str], *, all_of_it: bool) -> int:
    """Return the line of a key of ``sections`` below which nothing is indented although keys follow, 0 for none.

    ``all_of_it``: only where no line at all is indented, since a key may well say nothing.
    """
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if _says_something(line)]
    if all_of_it and any(line.startswith((" ", "\t")) for _, line in lines):
        return 0
    for (number, line), (_, following) in pairwise(lines):
        found = _EMPTY_KEY.fullmatch(line.lstrip("\ufeff").strip())
        deeper = len(following) - len(following.lstrip()) > len(line) - len(line.lstrip())
        if found and found["key"] in sections and not deeper and not following.startswith(("- ", "]", "}", "---")):
            return number
    return 0


def _says_something(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _shown_quote(found: re.Match[str]) -> str:
    """Keep what names a sign of YAML's (``','``, ``'<stream end>'``); anything longer may be the file's own words."""
    return found[0] if len(found[0]) <= _SIGN or found[0].startswith("'<") else "..."


def _refusal(text: str, error: Exception) -> NotThisFormat:
    """Say where it breaks without quoting the line: a file may hold secrets."""
    mark = getattr(error, "problem_mark", None)
    line = mark.line + 1 if mark is not None else 0
    told = str(error) if type(error) is YAMLError else getattr(error, "problem", None)
    told = "it is nested too deeply" if isinstance(error, RecursionError) else told
    problem = " ".join(str(told or type(error).__name__).split())
    where = f", line {line}" if line else ""
    hint = yaml_hint(text, line, problem, str(getattr(error, "context", "") or ""))
    shown = _QUOTED.sub(_shown_quote, problem) if type(error) is not YAMLError else problem
    return NotThisFormat(f"not readable as YAML: {shown[:80]}{where}", line=line, hint=hint)


def yaml_hint(text: str, line: int, problem: str, context: str) -> str:
    """Return what mends a text that is no YAML, by the words of its reader and the line (from 1) that it names."""
    lines = text.split("\n")
    row = lines[line - 1] if 0 < line <= len(lines) else ""
    if "\t" in row[: len(row) - len(row.lstrip())]:
        return _TABS
    return known_hint(f"{context} {problem}") or _ANY_HINT


def known_hint(told: str) -> str:
    """Return what mends what a reader of YAML told, "" where that is not known."""
    return next((hint for words, hint in _HINTS.items() if words in told), "")
