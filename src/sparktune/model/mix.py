"""Mixes: waves whose requests differ on purpose - two agents of a household, own prompts, or recorded traffic."""

__all__ = ["Household", "OwnPrompts", "Replay"]

from dataclasses import dataclass

from sparktune.units import Tokens


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Household:
    """Two agents: one talks in turns that share a growing prefix, the other sends one long prompt meanwhile.

    Request of turn k (from 0) has ``opening_tokens`` + k x ``turn_tokens``: everything of the turns before it, a reply
    that stands for the server's, and a new message; each asks for ``reply_tokens``. A turn is sent when the one before
    it has ended. The long prompt of ``long_tokens`` is sent while the answer to turn ``interrupted`` is being written.
    """

    opening_tokens: Tokens
    turns: int
    turn_tokens: Tokens
    reply_tokens: Tokens
    long_tokens: Tokens
    long_reply_tokens: Tokens

    def __post_init__(self) -> None:
        """Refuse what cannot be sent, and a session without a turn before and after."""
        sizes = (self.opening_tokens, self.turn_tokens, self.reply_tokens, self.long_tokens, self.long_reply_tokens)
        if min(sizes) < 1 or self.turns < 2:  # noqa: PLR2004 - one turn is no session
            message = f"a household needs two turns at least and positive lengths: {self}"
            raise ValueError(message)

    @property
    def streams(self) -> int:
        """Requests of one wave: the turns, then the long prompt."""
        return self.turns + 1

    @property
    def long_stream(self) -> int:
        """The long prompt's place in the wave."""
        return self.turns

    @property
    def interrupted(self) -> int:
        """The turn, from 0, whose answer is being written when the long prompt arrives."""
        return self.turns // 2

    @property
    def longest_tokens(self) -> Tokens:
        """Tokens of the longest request."""
        return max(self.long_tokens, self.prompt_tokens(self.turns - 1))

    def prompt_tokens(self, turn: int) -> Tokens:
        """Return how many tokens the request of a turn has."""
        return self.opening_tokens + turn * self.turn_tokens

    @property
    def label(self) -> str:
        """What a row's name says: opening, turns and what each adds, reply; the other agent's prompt and reply."""
        session = f"{self.opening_tokens}+{self.turns}x{self.turn_tokens} tg{self.reply_tokens}"
        return f"household {session} / pp{self.long_tokens} tg{self.long_reply_tokens}"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class OwnPrompts:
    """Prompts of a file: its ``name``, the ``digest`` of what it holds, and how many there are.

    A wave sends every prompt of the file once: stream i of ``concurrency`` takes prompts i, i + concurrency, ..., each
    when the one before it has ended. ``nonce`` puts words that are new in every wave in front of each prompt; without
    it the prompts are sent as they are, so that they may share prefixes, and every wave repeats the one before.
    """

    name: str
    digest: str
    count: int
    nonce: bool = False

    def __post_init__(self) -> None:
        """Refuse an empty file."""
        if self.count < 1:
            message = f"{self.name} holds no prompt"
            raise ValueError(message)

    @property
    def label(self) -> str:
        """What a row's name says: the file, a part of its digest, and whether a nonce is put in front."""
        return f"{_file_label(self.name, self.digest)} x{self.count}{' nonce' if self.nonce else ''}"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Replay:
    """Recorded traffic: a trace's ``name``, the ``digest`` of what is sent of it, and how many requests that are.

    A wave sends every request once, at its recorded time after the first one, times ``time_scale``, whatever has become
    of the others. Prompts begin alike where the recorded ones did, and are new in every wave.
    """

    name: str
    digest: str
    count: int
    time_scale: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what cannot be sent."""
        if self.count < 1 or not 0 <= self.time_scale < float("inf"):
            message = f"a replay needs requests, and a scale of time that is not negative: {self}"
            raise ValueError(message)

    @property
    def label(self) -> str:
        """What a row's name says: the file, a part of its digest, how many requests, and the scale of time."""
        scale = "" if self.time_scale == 1 else f" time x{self.time_scale:g}"
        return f"replay {_file_label(self.name, self.digest)} x{self.count}{scale}"


def _file_label(name: str, digest: str) -> str:
    # The name is somebody's file: nothing in a row's name may steer a terminal.
    told = "".join(letter if letter.isprintable() else "?" for letter in f"{name}:{digest[:6]}")
    return " ".join(told.split())
