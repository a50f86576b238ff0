"""What looks broken in a text: loops, characters that could not be decoded, letters that make no words.

It finds the coarse damage that a wrong kernel, a wrong cast or a broken cache does, and nothing finer: a text without
any of it may still be wrong. A language that is not written in Latin letters is only looked at for loops and
characters.
"""

__all__ = ["garbled"]

import re
import unicodedata
from typing import Final

_REPLACED: Final = "\ufffd"
_LOOP: Final = re.compile(r"(.{1,80}?)\1{4,}", re.DOTALL)
_LOOP_LETTERS = 60
"""A loop is a piece that follows itself five times or more, over so many characters; prompts here ask for none."""
_RULER: Final = frozenset("-_=*#|.~+: \t\n")
"""Of these people draw lines: they may follow themselves."""
_WORD: Final = re.compile(r"[^\W\d_]+")
_VOWELS: Final = frozenset("aeiouy")
_FEWEST_WORDS = 8
_LONGEST_WORD = 30
_NO_VOWEL_FROM = 4
_BROKEN_WORDS = 0.3


def garbled(text: str) -> str:
    """Return what looks broken, "" when nothing does. Half a character at the end is not: the answer was cut there."""
    if not text.strip():
        return "nothing was answered"
    body = text.rstrip(_REPLACED)
    if _REPLACED in body:
        return f"{body.count(_REPLACED)} characters could not be decoded"
    control = [letter for letter in body if unicodedata.category(letter) == "Cc" and not letter.isspace()]
    if control:
        return f"{len(control)} control characters"
    return _loop(body) or _no_words(body)


def _loop(text: str) -> str:
    for found in _LOOP.finditer(text):
        unit = found[1]
        if len(found[0]) >= _LOOP_LETTERS and not _RULER.issuperset(unit):
            return f"{unit.strip()[:30]!r} follows itself {len(found[0]) // len(unit)} times"
    return ""


def _no_words(text: str) -> str:
    words = _WORD.findall(text)
    latin = [word for word in words if _is_latin(word[0])]
    if len(latin) < _FEWEST_WORDS:
        return ""
    broken = [word for word in latin if _is_broken(word)]
    if len(broken) < _BROKEN_WORDS * len(latin):
        return ""
    return f"{len(broken)} of {len(latin)} words are none, like {broken[0][:20]!r}"


def _is_latin(letter: str) -> bool:
    return "LATIN" in unicodedata.name(letter, "")


def _is_broken(word: str) -> bool:
    if not all(map(_is_latin, word)) or len(word) > _LONGEST_WORD:
        return True
    plain = unicodedata.normalize("NFKD", word).lower()
    return len(word) >= _NO_VOWEL_FROM and not word.isupper() and not _VOWELS.intersection(plain)
