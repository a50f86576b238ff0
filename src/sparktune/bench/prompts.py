"""Prompts of exactly the asked number of tokens, unique from the first word on.

A prompt is a nonce, a window of the corpus and, where the last word of the window would be too much, a few filler
words. Counting is somebody else's work: ``fit`` yields candidates and is sent their counts.
"""

__all__ = ["CHARS_PER_TOKEN", "PROMPT_WORDS", "Fitted", "TooSmall", "fit"]

from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace

from sparktune.bench.nonce import NONCE_WORDS, WORD_CHARS
from sparktune.units import Tokens

CHARS_PER_TOKEN = 4.0  # English prose and code in a large vocabulary; only the first guess depends on it
PROMPT_WORDS = 12 * NONCE_WORDS
_CLOSE = 3  # tokens that filler words may replace
_CUT_STEPS = 10
_PAD_STEPS = 12
_SNAP_CHARS = 40  # how far a cut goes back to end with a whole word
_REACH_CHARS = 400  # how much white space a text may hold in a row
_GAP = "\n\n"
_STEP_CHARS = WORD_CHARS + 1
_NONCE_CHARS = NONCE_WORDS * _STEP_CHARS - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """A text and what it counted, which is not ``target`` when the tokenizer allows no text of exactly that length.

    The text is ``nonce_chars`` characters of nonce words and ``rest``: another nonce gives another text of the same
    shape. ``steps`` is how many candidates were counted; ``chars_per_token`` serves the next first guess.
    """

    target: Tokens
    tokens: Tokens
    words: tuple[str, ...] = field(repr=False)
    nonce_chars: int
    rest: str = field(repr=False)
    steps: int
    chars_per_token: float

    @property
    def text(self) -> str:
        """The text; what was counted, unless it was renewed."""
        return " ".join(self.words)[: self.nonce_chars] + self.rest

    def renewed(self, words: tuple[str, ...]) -> "Fitted":
        """Return the same text behind another nonce; ``words`` are as many as ``fit`` got."""
        return replace(self, words=words)


@dataclass(frozen=True, slots=True, kw_only=True)
class TooSmall:
    """No prompt is that short: ``smallest`` tokens are counted for one letter (a chat template costs tokens)."""

    target: Tokens
    smallest: Tokens


@dataclass(frozen=True, slots=True)
class _Try:
    size: int
    nonce_chars: int
    rest: str
    tokens: Tokens


class _Search:
    """The candidates so far: counts them, and keeps the nearest."""

    def __init__(self, target: Tokens, words: tuple[str, ...]) -> None:
        self.target = target
        self.words = words
        self.steps = 0
        self.best: _Try | None = None

    def count(self, size: int, nonce_chars: int, rest: str) -> Generator[str, Tokens, _Try]:
        tokens = yield " ".join(self.words)[:nonce_chars] + rest
        self.steps += 1
        tried = _Try(size, nonce_chars, rest, tokens)
        if self.best is None or abs(tokens - self.target) < abs(self.best.tokens - self.target):
            self.best = tried
        return tried


def fit(
    target: Tokens,
    words: tuple[str, ...],
    window: Callable[[int], str],
    *,
    chars_per_token: float = CHARS_PER_TOKEN,
) -> Generator[str, Tokens, Fitted | TooSmall]:
    """Yield candidate texts, take the server's count of each, and return the text of ``target`` tokens, or the nearest.

    ``words`` are PROMPT_WORDS words: the nonce and, behind it, filler; ``window`` gives the first n characters of a
    text. Counts may include anything that is always sent along (template, context). A prompt that is too short for
    nonce and text is nonce alone, as many words as fit: it has no 96 bits then.
    """
    search = _Search(target, words)
    empty = yield from search.count(0, _NONCE_CHARS, "")
    if empty.tokens > target:
        base = yield from search.count(0, WORD_CHARS, "")
        if base.tokens > target:  # a word of several tokens may still be cut
            base = yield from search.count(0, 1, "")
        if base.tokens > target:
            return TooSmall(target=target, smallest=base.tokens)
    else:
        base = yield from _cut(search, window, empty, chars_per_token)
    if base.tokens < target:
        yield from _pad(search, base)
    best = search.best or base
    text_tokens = base.tokens - empty.tokens
    return Fitted(
        target=target,
        tokens=best.tokens,
        words=words,
        nonce_chars=best.nonce_chars,
        rest=best.rest,
        steps=search.steps,
        chars_per_token=base.size / text_tokens if text_tokens > _CLOSE else chars_per_token,
    )


def _cut(
    search: _Search, window: Callable[[int], str], empty: _Try, chars_per_token: float
) -> Generator[str, Tokens, _Try]:
    """Find how much of the window fits: whole words, as few tokens below the target as a few candidates allow."""
    low = empty
    high: _Try | None = None
    slope = chars_per_token
    for _ in range(_CUT_STEPS):
        missing = search.target - low.tokens
        if missing <= _CLOSE:
            break
        text = _between(window, low.size, high.size if high else None, low.size + round(missing * slope))
        if text is None:
            break
        tried = yield from search.count(len(text), _NONCE_CHARS, _GAP + text)
        if tried.tokens > search.target:
            high = tried
        else:
            low = tried
        slope = _slope(low, high or empty, slope)
    return low


def _between(window: Callable[[int], str], low: int, high: int | None, wanted: int) -> str | None:
    """Return text longer than ``low`` and shorter than ``high``, near the wanted size; None when there is none."""
    text = _whole_words(window(wanted))
    if len(text) <= low:
        text = _one_word_more(window, low)
    if high is not None and len(text) >= high:
        text = window((low + high) // 2).rstrip()
    return text if low < len(text) and (high is None or len(text) < high) else None


def _slope(one: _Try, other: _Try, before: float) -> float:
    """Characters per token between two candidates, or as before when they are too close to tell."""
    tokens = abs(one.tokens - other.tokens)
    return abs(one.size - other.size) / tokens if tokens > 2 * _CLOSE else before


def _whole_words(text: str) -> str:
    """Cut back to the end of a word when one is near; text without spaces is cut anywhere."""
    for index in range(len(text) - 1, max(0, len(text) - _SNAP_CHARS), -1):
        if text[index].isspace():
            return text[:index].rstrip()
    return text


def _one_word_more(window: Callable[[int], str], size: int) -> str:
    """Go on to the end of the next word, whatever white space is in front of it."""
    text = window(size + _REACH_CHARS)
    start = next((index for index in range(size, len(text)) if not text[index].isspace()), size)
    end = next((index for index in range(start, len(text)) if text[index].isspace()), len(text))
    return text[: min(end, start + _SNAP_CHARS)]


def _pad(search: _Search, base: _Try) -> Generator[str, Tokens, None]:
    """Add filler, whole words first; then, for tokenizers that count words otherwise, as many letters as it takes.

    One letter more is at most one token more, so the wanted count lies between a size below it and one above it.
    """
    stream = " ".join(search.words)
    filler = stream[_NONCE_CHARS if base.rest else base.nonce_chars :]
    low, high = 0, len(filler) + 1
    size = _STEP_CHARS * (search.target - base.tokens)
    for _ in range(_PAD_STEPS):
        size = min(max(size, low + 1), high - 1)
        if size <= low:
            return
        if base.rest:
            tried = yield from search.count(size, base.nonce_chars, base.rest + filler[:size])
        else:
            tried = yield from search.count(size, base.nonce_chars + size, "")
        missing = search.target - tried.tokens
        if missing == 0:
            return
        if missing < 0:
            high = size
        else:
            low = size
        size = low + _STEP_CHARS * missing if high > len(filler) else (low + high) // 2
