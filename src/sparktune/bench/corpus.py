"""Text that prompts are cut from: windows chosen by a hash, so that the same key always gives the same text."""

__all__ = ["Corpus", "OwnPrompt"]

import hashlib
from dataclasses import dataclass, field

from sparktune.model.prepared import Messages
from sparktune.model.traffic import Traffic
from sparktune.units import Tokens

_JOIN = "\n\n"
_LONGEST_WORD = 64  # beyond this, text has no word borders (Chinese, base64) and a window may start anywhere


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPrompt:
    """A prompt that a user wrote: ``place`` is its file and line, ``output_tokens`` None is as the cell has it."""

    place: str
    messages: Messages = field(repr=False)
    output_tokens: Tokens | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """``name`` says where ``text`` came from and is recorded with a run.

    ``prompts`` are whole prompts, of a file that holds such: they are sent as they are. ``traffic`` is the shape that a
    trace recorded: text of this corpus is sent in it.
    """

    name: str
    text: str = field(repr=False)
    prompts: tuple[OwnPrompt, ...] = field(default=(), repr=False)
    traffic: Traffic | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Refuse a corpus that has no word in it."""
        if not self.text.strip():
            message = f"corpus {self.name} holds no text"
            raise ValueError(message)

    def window(self, key: str, chars: int) -> str:
        """Return ``chars`` characters from a place that the hash of ``key`` chooses; a longer window begins the same.

        It starts with a word where the text has words, and goes on with the beginning of the text behind its end.
        """
        start = self._start(key)
        text = self.text[start : start + chars]
        missing = chars - len(text)
        if missing > 0:
            lap = _JOIN + self.text
            text += (lap * (missing // len(lap) + 1))[:missing]
        return text

    def _start(self, key: str) -> int:
        digest = hashlib.sha256(key.encode()).digest()
        place = int.from_bytes(digest[:8]) % len(self.text)
        around = self.text[place : place + _LONGEST_WORD]
        # Inside the last word of the text the next one is the first: the text goes on with its beginning.
        otherwise = 0 if place + _LONGEST_WORD >= len(self.text) else place
        border = next((index for index, char in enumerate(around) if char.isspace()), None)
        if border is None:
            return otherwise
        word = next((index for index in range(border, len(around)) if not around[index].isspace()), None)
        return otherwise if word is None else place + word
