"""What Python prints of its data, read back as far as it can be: ``{'a': X(b=1)}``, ``<Mode.FULL: 2>``, ``...``.

Logs have it of objects that nobody can build again: a call is read as the map of its names, an enumeration as its
value's name, what cannot be read as nothing. A log may be cut off anywhere, and people shorten what they quote.
"""

__all__ = ["members_of"]

import re
from collections.abc import Iterator
from typing import Any

from sparktune.model.setting import Value

_NAME = re.compile(r"[A-Za-z_][\w.]*", re.ASCII)
_NUMBER = re.compile(r"[-+]?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
_STRING = re.compile(r"[bru]?('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ENUM = re.compile(r"<(\w+)\.(\w+): [^<>]*>")
_WORDS = {"True": True, "False": False, "None": None}
_CLOSING = {"{": "}", "[": "]", "(": ")"}
_DEEPEST = 30
_BARE = re.compile(r"[^\s,{}\[\]()'\"]+")


def members_of(text: str, start: int = 0) -> dict[str, Value]:
    """Return the members of a map, or of names with values (``a=1, b=2``), that begins at ``start``."""
    reader = _Reader(text, start)
    reader.blanks()
    if reader.peek("{"):
        value = reader.value(0)
        return dict(value) if isinstance(value, dict) else {}
    return dict(reader.members("", 0))


class _Unreadable(ValueError):
    """What stands here is no value."""


class _Reader:
    def __init__(self, text: str, at: int) -> None:
        self.text, self.at = text, at

    def peek(self, sign: str) -> bool:
        return self.text.startswith(sign, self.at)

    def blanks(self) -> None:
        while self.at < len(self.text) and (self.text[self.at] in " \t,;" or self.peek("...")):
            self.at += 3 if self.peek("...") else 1

    def members(self, closing: str, depth: int) -> Iterator[tuple[str, Value]]:
        """Yield names with their values up to the closing sign; what is neither is skipped."""
        while self.at < len(self.text):
            self.blanks()
            if closing and self.peek(closing):
                self.at += 1
                return
            before = self.at
            try:
                name = self.name()
                if name is not None:
                    yield name, self.value(depth + 1)
                    continue
            except _Unreadable:
                pass
            self.at = max(self.at, before + 1)

    def name(self) -> str | None:
        """Return a name and go behind its sign, or go behind what is none."""
        string = _STRING.match(self.text, self.at)
        plain = _NAME.match(self.text, self.at)
        found = string or plain
        if found is None:
            return None
        self.at = found.end()
        sign = re.compile(r"\s*[:=]\s*").match(self.text, self.at)
        if sign is None:
            return None
        self.at = sign.end()
        return _unquoted(string[1]) if string else found[0]

    def value(self, depth: int) -> Value:
        self.blanks_only()
        letter = self.text[self.at : self.at + 1]
        if not letter or depth > _DEEPEST:
            raise _Unreadable
        if letter == "{":
            self.at += 1
            return dict(self.members("}", depth))
        if letter in "[(":
            self.at += 1
            return tuple(self.elements(_CLOSING[letter], depth))
        return self.single(depth)

    def blanks_only(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in " \t":
            self.at += 1

    def elements(self, closing: str, depth: int) -> Iterator[Value]:
        while self.at < len(self.text):
            self.blanks()
            if self.peek(closing):
                self.at += 1
                return
            before = self.at
            try:
                yield self.value(depth + 1)
            except _Unreadable:
                self.at = max(self.at, before + 1)

    def single(self, depth: int) -> Value:
        for pattern in (_STRING, _ENUM, _NUMBER):
            found = pattern.match(self.text, self.at)
            if found is not None:
                self.at = found.end()
                return (
                    _unquoted(found[1]) if pattern is _STRING else found[2] if pattern is _ENUM else _number(found[0])
                )
        name = _NAME.match(self.text, self.at)
        if name is not None and self.text.startswith("(", name.end()):
            self.at = name.end() + 1
            return dict(self.members(")", depth))
        bare = _BARE.match(self.text, self.at)
        if bare is None or bare[0] in "...":
            raise _Unreadable
        self.at = bare.end()
        return _WORDS.get(bare[0], bare[0])


def _unquoted(text: str) -> str:
    return _ESCAPE.sub(lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), text[1:-1])


def _number(text: str) -> Any:  # noqa: ANN401 - one of int and float
    plain = text.replace("_", "")
    return int(plain) if re.fullmatch(r"[-+]?\d+", plain) else float(plain)
