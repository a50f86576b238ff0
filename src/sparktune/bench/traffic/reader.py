"""Read a trace: one request per line, as ``sparktune record`` writes it, or as Mooncake's traces and their kin have it.

Source: Mooncake's FAST'25 traces (512 tokens per ``hash_ids`` entry, times in milliseconds); other tools write the same
members as ``input_tokens``, ``output_tokens`` and ``created_time``, and some traces have blocks of 16 tokens.
"""

__all__ = ["read_traffic"]

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import msgspec

from sparktune.bench.traffic.ledger import BLOCK_TOKENS
from sparktune.errors import UsageError
from sparktune.model.traffic import Traffic, TrafficRequest
from sparktune.units import Tokens

_HINT = 'a line looks like {"timestamp": 0, "input_length": 655, "output_length": 52, "hash_ids": [46, 47]}'
_MS_PER_S = 1000
_DIGEST_CHARS = 12
_BLOCKS = (BLOCK_TOKENS, 1024, 256, 128, 64, 32, 16)
_MOST_REQUESTS = 5_000
_MOST_TOKENS: Tokens = 40_000_000
_FIRST_ERROR = 400
_Count = Annotated[int, msgspec.Meta(ge=0, le=100_000_000)]
_Time = Annotated[float, msgspec.Meta(ge=0, le=1e12)]


class _Ours(msgspec.Struct, frozen=True):
    """What ``record`` adds; see ``bench.traffic.ledger``."""

    request: _Count
    shared_with: _Count | None = None
    shared_tokens: _Count = 0
    status: int | None = None


class _Line(msgspec.Struct, frozen=True):
    """A line; members that are not known are let be."""

    input_length: _Count | None = None
    input_tokens: _Count | None = None
    output_length: _Count | None = None
    output_tokens: _Count | None = None
    timestamp: _Time | None = None
    created_time: _Time | None = None
    hash_ids: tuple[int | str, ...] | None = None
    sparktune: _Ours | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    place: str
    at_ms: float
    prompt: Tokens
    output: Tokens | None
    ids: tuple[int | str, ...]
    ours: _Ours | None


def read_traffic(name: str, lines: Iterable[bytes], *, limit: int | None = None) -> Traffic:
    """Return the requests of a trace in the order of their times, the first ``limit`` of them.

    Raises UsageError with the line for what is no request, and for more than one replay can hold.
    """
    read, left_out = _read_all(name, lines)
    read.sort(key=lambda one: one.at_ms)
    _refuse_too_many(name, read[:limit])
    ours = bool(read) and all(one.ours is not None for one in read)
    lineage = _own_lineage(read) if ours else _block_lineage(read)
    began_ms = read[0].at_ms if read else 0.0
    requests = tuple(
        TrafficRequest(
            number=number,
            at_s=(one.at_ms - began_ms) / _MS_PER_S,
            prompt_tokens=one.prompt,
            output_tokens=one.output,
            shared_with=parent,
            shared_tokens=shared,
            place=one.place,
        )
        for number, (one, (parent, shared)) in enumerate(zip(read, lineage, strict=True))
    )[:limit]
    if not requests:
        message = f"{name} holds no request{' that was answered' if left_out else ''}"
        raise UsageError(message, hint=_HINT)
    notes = (f"{left_out} requests that the server refused are left out",) if left_out else ()
    return Traffic(name=name, digest=_digest(requests), requests=requests, notes=notes)


def _read_all(name: str, lines: Iterable[bytes]) -> tuple[list[_Read], int]:
    found: list[_Read] = []
    left_out, at_ms = 0, 0.0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        one = _read(f"{name} line {number}", line, at_ms)
        at_ms = one.at_ms
        refused = one.ours is not None and (one.ours.status is None or one.ours.status >= _FIRST_ERROR)
        left_out += refused
        if not refused:
            found.append(one)
    return found, left_out


def _read(place: str, line: bytes, before_ms: float) -> _Read:
    """Read a line; one without a time comes with the line before it."""
    try:
        read = msgspec.json.decode(line.removeprefix(b"\xef\xbb\xbf"), type=_Line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        message = f"{place}: {str(error).replace('`', '')}"
        raise UsageError(message, hint=_HINT) from None
    prompt = read.input_tokens if read.input_length is None else read.input_length
    if not prompt:
        message = f"{place}: it has {'no input_length' if prompt is None else 'an input_length of 0'}"
        raise UsageError(message, hint=_HINT)
    at_ms = read.created_time if read.timestamp is None else read.timestamp
    return _Read(
        place=place,
        at_ms=before_ms if at_ms is None else at_ms,
        prompt=prompt,
        output=read.output_tokens if read.output_length is None else read.output_length,
        ids=read.hash_ids or (),
        ours=read.sparktune,
    )


def _refuse_too_many(name: str, read: Sequence[_Read]) -> None:
    tokens = sum(one.prompt for one in read)
    if len(read) > _MOST_REQUESTS or tokens > _MOST_TOKENS:
        message = (
            f"{name} holds {len(read):,} requests with {tokens:,} prompt tokens; a replay prepares all of them first, "
            f"at most {_MOST_REQUESTS:,} with {_MOST_TOKENS:,}"
        )
        raise UsageError(message, hint="take the first ones of it: --limit 1000")


def _own_lineage(read: Sequence[_Read]) -> Iterator[tuple[int | None, Tokens]]:
    """Yield per request the place of the one that it shares with, and the tokens; a missing one shares nothing."""
    places: Mapping[int, int] = {one.ours.request: place for place, one in enumerate(read) if one.ours is not None}
    for place, one in enumerate(read):
        told = one.ours.shared_with if one.ours is not None else None
        parent = None if told is None else places.get(told)
        if one.ours is None or parent is None or parent >= place:
            yield None, 0
        else:
            yield parent, min(one.ours.shared_tokens, one.prompt, read[parent].prompt)


def _block_lineage(read: Sequence[_Read]) -> Iterator[tuple[int | None, Tokens]]:
    """Follow the numbers of blocks: what two prompts share is their common beginning."""
    size = _block_size(read)
    nodes: dict[tuple[int, int | str], int] = {}
    owner: list[int] = []
    for place, one in enumerate(read):
        node, parent, known = -1, None, 0
        for depth, block in enumerate(one.ids):
            after = nodes.get((node, block))
            if after is None:
                after = nodes[node, block] = len(owner)
                owner.append(place)
            elif known == depth:
                parent, known = owner[after], depth + 1
            node = after
        yield parent, 0 if parent is None else min(known * size, one.prompt, read[parent].prompt)


def _block_size(read: Sequence[_Read]) -> Tokens:
    """Return the tokens of a block: the size by which every list is as long as its prompt, 512 where none is."""
    with_ids = [one for one in read if one.ids]

    def fits(size: Tokens) -> bool:
        return all(len(one.ids) in {one.prompt // size, -(-one.prompt // size)} for one in with_ids)

    return next((size for size in _BLOCKS if fits(size)), BLOCK_TOKENS)


def _digest(requests: Sequence[TrafficRequest]) -> str:
    plain = [replace(one, place="") for one in requests]
    return hashlib.sha256(msgspec.json.encode(plain)).hexdigest()[:_DIGEST_CHARS]
