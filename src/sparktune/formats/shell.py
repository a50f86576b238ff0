r"""Command lines as the program reads them that starts the server: words with their places, operators, comments.

Nothing is expanded: ``${X:-y}``, ``$(...)``, backquotes and ``{placeholder}`` stay as they are, each in one word.

Sources: POSIX, Shell Command Language, 2.2 and 2.3 (``shell``); github.com/mattn/go-shellwords, with which compose
splits a command that is a string (``compose``: no comments, nothing behind an operator, a backslash keeps the next
character, ``\n`` and ``\t`` excepted); systemd.syntax(7) and systemd.service(5) (``systemd``); systemd 252
was asked what it makes of quotes within words (they count there, too) and of unknown escapes (they stay).
"""

__all__ = ["SYSTEMD_ESCAPED", "Dialect", "ShellWord", "Token", "lex"]

import re
from dataclasses import dataclass

from sparktune.formats.located import Located
from sparktune.formats.quoting import Dialect, within

_BLANKS = " \t\r"
_SYSTEMD_ESCAPES = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "s": " ",
    "\\": "\\", '"': '"', "'": "'",
}  # fmt: skip
SYSTEMD_ESCAPED = frozenset("abfnrtvs\\\"'xuU01234567")  # what may stand behind a backslash
_DEEPEST = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellWord:
    """A word: ``start`` to ``end`` of the text it was read from, with its quotes; ``inner`` is it without them.

    ``raw`` has for each character of ``inner`` where it begins and ends in that text. ``style`` is the quote around all
    of it, "" for none, "mixed" for quotes within.
    """

    start: int
    end: int
    inner: Located
    raw: tuple[tuple[int, int], ...]
    style: str

    @property
    def text(self) -> str:
        """The word without quotes."""
        return self.inner.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A word, an operator (``&&``, a line end ...) or a comment; ``start`` to ``end`` of the text."""

    kind: str
    start: int
    end: int
    word: ShellWord | None = None


def lex(source: Located, dialect: Dialect) -> tuple[Token, ...]:
    """Return what a text consists of. Raises ValueError, with the reason, where a quote or bracket is left open."""
    return tuple(_Lexer(source, dialect).tokens())


class _Lexer:
    def __init__(self, source: Located, dialect: Dialect) -> None:
        self.source, self.text, self.dialect = source, source.text, dialect
        self.place = 0
        self.chars: list[tuple[str, int, int]] = []
        self.documents: list[str] = []
        self.styles: set[str] = set()

    def tokens(self) -> list[Token]:
        found: list[Token] = []
        while self.place < len(self.text):
            token = self._token()
            if token is not None:
                found.append(token)
                self._here_document(found)
        return found

    def _here_document(self, found: list[Token]) -> None:
        """Skip the text of ``<<WORD`` below the line that has it; its end is a line with that word alone."""
        token = found[-1]
        if token.word is not None and len(found) > 1 and self._said(found[-2]) in {"<<", "<<-"}:
            self.documents.append(token.word.text)
        elif self.documents and self._said(token) == "\n":
            for end in self.documents:
                place = self.place
                while place < len(self.text):
                    last = self.text.find("\n", place)
                    row = self.text[place : last if last >= 0 else None]
                    place += len(row) + 1
                    if row.strip("\t\r") == end:
                        break
                self.place = min(place, len(self.text))
            self.documents = []

    def _said(self, token: Token) -> str:
        return self.text[token.start : token.end] if token.kind == "operator" else ""

    def _token(self) -> Token | None:
        letter, start = self.text[self.place], self.place
        if letter in _BLANKS or (letter == "\n" and self.dialect is not Dialect.SHELL):
            self.place += 1
            return None
        if self.dialect is Dialect.SHELL:
            return self._shell_token(letter, start)
        if self.dialect is Dialect.COMPOSE and letter in ";&|<>":
            self.place += 1
            return Token(kind="operator", start=start, end=self.place)
        if self.dialect is Dialect.SYSTEMD and letter == ";" and self._ends(start + 1):
            self.place += 1
            return Token(kind="operator", start=start, end=self.place)
        return self._word()

    def _shell_token(self, letter: str, start: int) -> Token | None:
        if letter == "\\" and self._continues():
            self._skip_line_end()
            return None
        if letter == "#":
            end = self.text.find("\n", start)
            self.place = len(self.text) if end < 0 else end
            return Token(kind="comment", start=start, end=self.place)
        if letter in ";&|()<>\n":
            self.place += 3 if self.text.startswith(("<<-", "<<<"), start) else self._operator_size(start)
            return Token(kind="operator", start=start, end=self.place)
        return self._word()

    def _operator_size(self, start: int) -> int:
        return 2 if self.text[start : start + 2] in {"&&", "||", ";;", ">>", "<<", ">&", "<&"} else 1

    def _ends(self, place: int) -> bool:
        return place >= len(self.text) or self.text[place] in " \t\r\n"

    def _continues(self) -> bool:
        return self.text.startswith(("\\\n", "\\\r\n"), self.place)

    def _skip_line_end(self) -> None:
        self.place += 3 if self.text.startswith("\\\r\n", self.place) else 2

    def _word(self) -> Token:
        start = self.place
        self.chars, self.styles = [], set()
        while self.place < len(self.text) and not self._stops():
            self._piece()
        word = self._finished(start, self.place)
        return Token(kind="word", start=start, end=self.place, word=word)

    def _stops(self) -> bool:
        letter = self.text[self.place]
        if letter in " \t\r\n":
            return True
        if self.dialect is Dialect.SHELL:
            return letter in ";&|()<>"
        return self.dialect is Dialect.COMPOSE and letter in ";&|<>"

    def _piece(self) -> None:
        letter = self.text[self.place]
        if letter in "'\"":
            self.styles.add(letter)
            self._quoted(letter)
        elif letter == "\\":
            self._escaped()
        elif letter in "$`":
            self.styles.add("")
            self._kept(self._expansion_end(self.place))
        else:
            self.styles.add("")
            self._kept(self.place + 1)

    def _kept(self, end: int) -> None:
        self.chars += [(self.text[place], place, place + 1) for place in range(self.place, end)]
        self.place = end

    def _quoted(self, quote: str) -> None:
        opened = self.place
        self.place += 1
        while self.place < len(self.text) and self.text[self.place] != quote:
            letter = self.text[self.place]
            if letter == "\\" and (quote == '"' or self.dialect is Dialect.SYSTEMD):
                self._escaped(quote)
            elif letter in "$`" and quote == '"':
                self._kept(self._expansion_end(self.place))
            else:
                self._kept(self.place + 1)
        if self.place >= len(self.text):
            message = f"a quote {quote} is never closed"
            raise _Open(message, self.source.place(opened))
        self.place += 1

    def _escaped(self, quote: str = "") -> None:
        start = self.place
        following = self.text[start + 1 : start + 2]
        if self.dialect is Dialect.SHELL and self._continues():
            self._skip_line_end()
            return
        if not quote:
            self.styles.add("mixed")
        if self.dialect is Dialect.SHELL and quote and following not in {"$", "`", '"', "\\"}:
            self._kept(start + 1)
            return
        if not following:
            message = "it ends in a backslash"
            raise _Open(message, self.source.place(start))
        if self.dialect is Dialect.SYSTEMD and following not in SYSTEMD_ESCAPED:
            self._kept(start + 2)
            return
        size, letter = self._escape_value(following, start)
        self.chars.append((letter, start, start + size))
        self.place = start + size

    def _escape_value(self, following: str, start: int) -> tuple[int, str]:
        if self.dialect is Dialect.COMPOSE:
            return 2, {"n": "\n", "t": "\t"}.get(following, following)
        if self.dialect is Dialect.SYSTEMD:
            number = re.compile(r"x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})").match(self.text, start + 1)
            if number:
                code = int(next(filter(None, number.groups())), 16)
                return 1 + len(number[0]), chr(code) if code <= 0x10FFFF else "\ufffd"  # noqa: PLR2004 - Unicode's last
            octal = re.compile(r"[0-3][0-7]{2}").match(self.text, start + 1)
            if octal:
                return 4, chr(int(octal[0], 8))
            return 2, _SYSTEMD_ESCAPES.get(following, following)
        return 2, following

    def _expansion_end(self, start: int, depth: int = 0) -> int:
        """Return where an expansion ends that begins with a dollar sign or a backquote; it stays as it is."""
        if self.dialect is Dialect.SYSTEMD:
            return start + 1
        if self.text[start] == "`":
            if self.dialect is Dialect.COMPOSE:
                return start + 1
            end = self.text.find("`", start + 1)
            return self._closed(end, start)
        if self.text.startswith("${", start):
            return self._bracketed(start, "{", "}", depth)
        if self.text.startswith("$(", start):
            return self._bracketed(start, "(", ")", depth)
        return start + 1

    def _bracketed(self, start: int, opening: str, closing: str, depth: int) -> int:
        level, place = 0, start + 1
        while place < len(self.text):
            letter = self.text[place]
            if letter == "$" and self.text[place + 1 : place + 2] in {"{", "("} and depth < _DEEPEST:
                place = self._expansion_end(place, depth + 1)
                continue
            if letter == "'" and opening == "(":
                place = self._closed(self.text.find("'", place + 1), place)
                continue
            level += (letter == opening) - (letter == closing)
            place += 2 if letter == "\\" else 1
            if not level:
                return min(place, len(self.text))
        return self._closed(-1, start)

    def _closed(self, end: int, start: int) -> int:
        if end < 0:
            message = f"{self.text[start]} opens something that is never closed"
            raise _Open(message, self.source.place(start))
        return end + 1

    def _finished(self, start: int, end: int) -> ShellWord:
        style = next(iter(self.styles)) if len(self.styles) == 1 else "mixed" if self.styles else ""
        if style in {"'", '"'} and self.text[start:end].count(style) > _QUOTES and self._several(start, style):
            style = "mixed"
        outer, enclosed = self.source.encode, within(style, self.dialect)
        encode = (lambda text: outer(enclosed(text))) if outer is not None and enclosed is not None else None
        inner = Located(
            text="".join(letter for letter, _, _ in self.chars),
            starts=tuple(self.source.starts[begin] for _, begin, _ in self.chars),
            ends=tuple(self.source.ends[last - 1] for _, _, last in self.chars),
            before=self.source.starts[start] if not style else self.source.ends[start],
            after=self.source.ends[end - 1] if not style else self.source.starts[end - 1],
            encode=encode,
            fixed=self.source.fixed or ("" if encode else "its quotes do not enclose it as one"),
        )
        return ShellWord(
            start=start, end=end, inner=inner, raw=tuple((begin, last) for _, begin, last in self.chars), style=style
        )

    def _several(self, start: int, style: str) -> bool:
        """Whether a word has several quoted parts side by side (``'a''b'``)."""
        return (len(self.chars) and self.chars[0][1] != start + 1) or any(
            after[1] > before[2] and style in self.text[before[2] : after[1]]
            for before, after in zip(self.chars, self.chars[1:], strict=False)
        )


_QUOTES = 2


class _Open(ValueError):
    """Something is never closed; ``place`` is where in the file it was opened."""

    def __init__(self, message: str, place: int) -> None:
        super().__init__(message)
        self.place = place
