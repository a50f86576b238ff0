"""What the reference server knows about each request: when it came, and when each chunk was written."""

__all__ = ["Arrival", "Entry", "TruthRecord", "decode_log", "encode_log"]

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

import msgspec

from sparktune.io.reference.plan import Fault
from sparktune.units import Nanoseconds, Seconds, Tokens, TokensPerSecond, seconds_between


class TruthRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One generation request that has ended. All instants are CLOCK_MONOTONIC nanoseconds of this host.

    ``arrived_ns`` is when its last packet came (kernel; None where the kernel gave no stamp), ``received_ns`` when the
    server process had read all of it; ``start_ns`` is the one of the two from which ``due_ns``, the due instant of
    the first chunk, is counted (or the start of its turn when it had to queue). Output chunk i carried ``tokens[i]``
    and its ``send`` ran from ``before_ns[i]`` to ``after_ns[i]``; ``role_ns`` is the same pair for a role chunk.
    ``blocked`` counts chunks that did not fit into the socket: their ``after_ns`` is when the rest was taken.
    ``late_max_ns`` is the longest time from a due instant to its ``before``; ``inflight`` the requests that ran or
    waited when this one came, itself included. ``status`` is the HTTP status, ``fault`` what went wrong, on purpose
    or not.
    """

    request_id: str
    path: str
    stream: bool
    peer_port: int
    arrived_ns: Nanoseconds | None
    received_ns: Nanoseconds
    start_ns: Nanoseconds
    due_ns: Nanoseconds
    end_ns: Nanoseconds
    role_ns: tuple[Nanoseconds, Nanoseconds] | None
    before_ns: tuple[Nanoseconds, ...]
    after_ns: tuple[Nanoseconds, ...]
    tokens: tuple[Tokens, ...]
    prompt_tokens: Tokens
    cached_tokens: Tokens
    status: int
    fault: Fault
    inflight: int
    late_max_ns: Nanoseconds
    blocked: int

    @property
    def output_tokens(self) -> Tokens:
        """All tokens that were written."""
        return sum(self.tokens)

    @property
    def origin_ns(self) -> Nanoseconds:
        """The better of the two instants of arrival."""
        return self.received_ns if self.arrived_ns is None else self.arrived_ns

    @property
    def receive_to_write_s(self) -> Seconds | None:
        """From the request's arrival to the write of the first chunk; None when nothing was written."""
        if not self.before_ns:
            return None
        return seconds_between(self.origin_ns, self.before_ns[0])

    @property
    def rate_tok_s(self) -> TokensPerSecond | None:
        """Tokens after the first chunk over the time from the first write to the last; None for a single chunk."""
        if not self.before_ns or self.before_ns[-1] == self.before_ns[0]:
            return None
        return (self.output_tokens - self.tokens[0]) / seconds_between(self.before_ns[0], self.before_ns[-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """What is known of a request when it comes; fields as in TruthRecord."""

    request_id: str
    path: str
    stream: bool
    peer_port: int
    arrived_ns: Nanoseconds | None
    received_ns: Nanoseconds
    prompt_tokens: Tokens
    cached_tokens: Tokens
    inflight: int

    @property
    def origin_ns(self) -> Nanoseconds:
        """The better of the two instants of arrival."""
        return self.received_ns if self.arrived_ns is None else self.arrived_ns


class Entry:
    """The record of a request while it runs: cheap to append to."""

    def __init__(self, arrival: Arrival, fault: Fault) -> None:
        """Start the record of a request that has just come."""
        self.arrival = arrival
        self.fault = fault
        self.status = HTTPStatus.OK.value
        self.start_ns = self.due_ns = arrival.origin_ns
        self.role_ns: tuple[Nanoseconds, Nanoseconds] | None = None
        self.late_max_ns = 0
        self._before = array("q")
        self._after = array("q")
        self._tokens: list[Tokens] = []
        self._blocked = 0
        self._waiting = 0

    def wrote(self, before_ns: Nanoseconds, after_ns: Nanoseconds, sizes: Sequence[Tokens], *, whole: bool) -> None:
        """Note one send call with its chunks; not ``whole``: the socket did not take all of it yet."""
        for size in sizes:
            self._before.append(before_ns)
            self._after.append(after_ns)
            self._tokens.append(size)
        if not whole:
            self._blocked += len(sizes)
            self._waiting += len(sizes)

    def unblocked(self, at_ns: Nanoseconds) -> None:
        """Note that the chunks which waited for the socket, always the last ones, are written now."""
        for index in range(len(self._after) - self._waiting, len(self._after)):
            self._after[index] = at_ns
        self._waiting = 0

    def record(self, end_ns: Nanoseconds) -> TruthRecord:
        """Return the finished record."""
        arrival = self.arrival
        return TruthRecord(
            request_id=arrival.request_id,
            path=arrival.path,
            stream=arrival.stream,
            peer_port=arrival.peer_port,
            arrived_ns=arrival.arrived_ns,
            received_ns=arrival.received_ns,
            start_ns=self.start_ns,
            due_ns=self.due_ns,
            end_ns=end_ns,
            role_ns=self.role_ns,
            before_ns=tuple(self._before),
            after_ns=tuple(self._after),
            tokens=tuple(self._tokens),
            prompt_tokens=arrival.prompt_tokens,
            cached_tokens=arrival.cached_tokens,
            status=self.status,
            fault=self.fault,
            inflight=arrival.inflight,
            late_max_ns=self.late_max_ns,
            blocked=self._blocked,
        )


_decoder = msgspec.json.Decoder(tuple[TruthRecord, ...])


def encode_log(records: Sequence[TruthRecord]) -> bytes:
    """Return the records as a JSON array."""
    return msgspec.json.encode(records)


def decode_log(data: bytes) -> tuple[TruthRecord, ...]:
    """Return the records of a JSON array; raises msgspec.ValidationError for other data."""
    return _decoder.decode(data)
