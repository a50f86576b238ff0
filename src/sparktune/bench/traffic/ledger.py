"""The lines of a trace: requests in the order in which they were whole, each with what it shares with an earlier one.

Source of the form: the traces of Mooncake (FAST'25, github.com/kvcache-ai/Mooncake): ``timestamp`` in milliseconds,
``input_length`` and ``output_length`` in tokens, ``hash_ids`` one number per 512 tokens of prompt, equal where prompts
begin alike. Numbers here are given in order, so that nothing about a text can be computed back from them. What else is
known is in one object of our own, ``sparktune``.
"""

__all__ = ["BLOCK_TOKENS", "Ledger", "Line"]

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from sparktune.bench.traffic.asked import Asked
from sparktune.bench.traffic.density import CHARS_PER_TOKEN, Density
from sparktune.bench.traffic.exchanges import End, Exchange
from sparktune.bench.traffic.prefix import PrefixTree, SharedPrefix
from sparktune.units import NS_PER_S, Nanoseconds, Tokens

BLOCK_TOKENS: Tokens = 512
_MOST_WAITING = 10_000  # finished requests that wait for an earlier one; then that one is written as it is
_MS_PER_S = 1000
_NEAR = (0.5, 1.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the trace; ``estimated``: a length in it was not told by the server."""

    text: bytes
    input_tokens: Tokens
    output_tokens: Tokens
    cached_tokens: Tokens | None
    shared_tokens: Tokens
    estimated: bool


@dataclass(slots=True)
class _Entry:
    exchange: Exchange
    asked: Asked
    shared: SharedPrefix | None
    session: int
    text: object
    finished: bool = False


class Ledger:
    """Numbers requests, and yields their lines: a line is due when its request and all before it are over.

    ``with_text`` puts the request's own body into its line.
    """

    def __init__(self, key: bytes, *, with_text: bool = False) -> None:
        """Begin; ``key`` is random and kept nowhere else."""
        self._tree = PrefixTree(key)
        self._with_text = with_text
        self._began_ns: Nanoseconds | None = None
        self._waiting: dict[int, _Entry] = {}
        self._next = 0
        self._due = 0
        self._finished: list[int] = []
        self._session_of: dict[int, int] = {}
        self._named: dict[bytes, int] = {}
        self._blocks: dict[int, list[int]] = {}
        self._lengths: dict[int, Tokens] = {}
        self._block_count = 0
        self._density = Density()
        self.sessions = 0

    @property
    def forgotten(self) -> int:
        """How many beginnings were forgotten, oldest first, to keep memory bounded."""
        return self._tree.forgotten

    @property
    def open(self) -> int:
        """Requests that are under way."""
        return sum(not entry.finished for entry in self._waiting.values())

    def begin(self, exchange: Exchange, asked: Asked) -> None:
        """Take a whole request; gives it its number."""
        number = exchange.number = self._next
        self._next += 1
        self._began_ns = exchange.at_ns if self._began_ns is None else self._began_ns
        shared = self._tree.add(number, asked.pieces)
        text = msgspec.json.decode(exchange.body) if self._with_text else None
        self._waiting[number] = _Entry(exchange, asked, shared, self._session(number, asked, shared), text)
        exchange.body = b""

    def finish(self, exchange: Exchange) -> Iterator[Line]:
        """Take the end of a request, and yield the lines that are due by it."""
        if exchange.number is None or exchange.number not in self._waiting:
            return
        self._waiting[exchange.number].finished = True
        heapq.heappush(self._finished, exchange.number)
        while self._due in self._waiting and (self._waiting[self._due].finished or self._too_many()):
            yield self._line(self._due, self._waiting.pop(self._due))
            self._due += 1
        while self._finished and self._finished[0] < self._due:
            heapq.heappop(self._finished)

    def rest(self, at_ns: Nanoseconds) -> Iterator[Line]:
        """Yield a line for everything that is left; what is not over ends now."""
        for number in sorted(self._waiting):
            entry = self._waiting[number]
            if not entry.finished:
                entry.exchange.end, entry.exchange.end_ns = End.RECORDING_ENDED, at_ns
            yield self._line(number, entry)
        self._waiting.clear()

    def _too_many(self) -> bool:
        return len(self._finished) > _MOST_WAITING

    def _session(self, number: int, asked: Asked, shared: SharedPrefix | None) -> int:
        """Return the conversation: as the client names it, else the one whose last prompt this one goes on with."""
        if asked.session:
            name = self._tree.name(asked.session)
            if name not in self._named:
                self._named[name] = self._new_session()
            session = self._named[name]
        elif shared is not None and shared.whole:
            session = self._session_of[shared.number]
        else:
            session = self._new_session()
        self._session_of[number] = session
        return session

    def _new_session(self) -> int:
        self.sessions += 1
        return self.sessions

    def _line(self, number: int, entry: _Entry) -> Line:
        exchange, asked, told = entry.exchange, entry.asked, entry.exchange.answer.counts
        input_from, input_tokens = self._input(asked, told.input_tokens)
        output_from, output_tokens = self._output(exchange)
        parent, shared_tokens, shared_from = self._shared(entry, input_tokens)
        self._lengths[number] = input_tokens
        ours = {
            "version": 1,
            "request": number,
            "input_from": input_from,
            "output_from": output_from,
            "shared_with": parent,
            "shared_tokens": shared_tokens,
            "shared_from": shared_from,
            **_seen(entry),
        }
        line = {
            "timestamp": _ms(self._began_ns or 0, exchange.at_ns),
            "input_length": input_tokens,
            "output_length": output_tokens,
            "hash_ids": self._block_ids(number, parent, shared_tokens, input_tokens),
            "sparktune": ours,
        }
        return Line(
            text=msgspec.json.encode(line) + b"\n",
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cached_tokens=told.cached_tokens,
            shared_tokens=shared_tokens,
            estimated=input_from == "estimate" or output_from not in {"usage", "nothing"},
        )

    def _input(self, asked: Asked, told: Tokens | None) -> tuple[str, Tokens]:
        known = told or asked.tokens
        if known:
            if not asked.other_parts:
                self._density.learn(asked.chars, known)
            return ("usage" if told else "token ids"), known
        return "estimate", max(1, round(asked.chars * self._density.tokens_per_char))

    def _output(self, exchange: Exchange) -> tuple[str, Tokens]:
        """Return the tokens of an answer: as told, else its events, else its characters."""
        answer = exchange.answer
        if answer.counts.output_tokens is not None and exchange.end is End.DONE:
            return "usage", answer.counts.output_tokens
        if answer.events:
            return "events", answer.events
        if answer.chars:
            return "estimate", max(1, round(answer.chars / CHARS_PER_TOKEN))
        return "nothing", 0

    def _shared(self, entry: _Entry, input_tokens: Tokens) -> tuple[int | None, Tokens, str | None]:
        """Return the request that a prompt begins like, for how many tokens, and where that number is from.

        What the server found in its cache is its own count of that beginning, where it is near the estimate: far below,
        the cache had lost a part; far above, it holds answers, too.
        """
        shared, chars = entry.shared, entry.asked.chars
        if shared is None or not chars:
            return None, 0, None
        most = min(input_tokens, self._lengths.get(shared.number, input_tokens))
        if shared.whole:  # the next turn: everything that was sent before is in it, where an answer begins too
            return shared.number, most, "whole prompt"
        own = (chars - shared.chars) * self._density.slope(input_tokens / chars)
        tokens = min(most, max(0, int(input_tokens - own)))
        cached = entry.exchange.answer.counts.cached_tokens
        if cached is not None and _NEAR[0] * tokens <= cached <= min(most, _NEAR[1] * tokens):
            return shared.number, cached, "cache"
        return shared.number, tokens, "estimate"

    def _block_ids(self, number: int, parent: int | None, shared: Tokens, total: Tokens) -> list[int]:
        """Return a number per block; blocks that are shared whole have the numbers of the request they come from."""
        count = -(-total // BLOCK_TOKENS)
        before = self._blocks.get(parent, []) if parent is not None else []
        # A last block that is not full is the same one only where the whole prompt is.
        whole = count if shared == total and len(before) == count else shared // BLOCK_TOKENS
        ids = before[:whole]
        new = range(self._block_count, self._block_count + count - len(ids))
        self._block_count += len(new)
        ids += new
        self._blocks[number] = ids
        return ids


def _seen(entry: _Entry) -> dict[str, Any]:
    """Return what a line says of the exchange itself, however its tokens were counted."""
    exchange, asked = entry.exchange, entry.asked
    return {
        "cached_tokens": exchange.answer.counts.cached_tokens,
        "session": entry.session,
        "session_from": "client" if asked.session else "prefix",
        "route": asked.route,
        "model": asked.model,
        "stream": asked.stream,
        "tools": asked.tools,
        "other_parts": asked.other_parts,
        "max_tokens": asked.max_tokens,
        "status": exchange.status,
        "end": exchange.end.value if exchange.end else "not read",
        "ttft_ms": _ms(exchange.at_ns, exchange.answer.first_ns),
        "duration_ms": _ms(exchange.at_ns, exchange.end_ns or None),
        **({"text": entry.text} if entry.text is not None else {}),
    }


def _ms(from_ns: Nanoseconds, to_ns: Nanoseconds | None) -> float | None:
    return None if to_ns is None else round((to_ns - from_ns) / NS_PER_S * _MS_PER_S, 3)
