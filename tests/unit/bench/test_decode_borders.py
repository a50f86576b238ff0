"""Where the network cuts a stream says nothing about it: only arrival times may move."""

from bisect import bisect_left

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.support.decode_cases import DecodeCase, load_cases
from tests.support.recordings import HEAD, chunked, lengths_of, recording, split_at
from tests.support.samples import STREAMS, sample_stream

from sparktune.bench.decode import decode
from sparktune.model.engine import Engine
from sparktune.model.recording import End, Recording
from sparktune.model.timeline import Timeline

_CASES = load_cases()
_WHOLE = [case for case in _CASES if case.framing in {"chunked", "length", "close"} and not case.cut]
_FEW = settings(max_examples=20)  # per stream, and there are many
_CUTS = st.lists(st.integers(min_value=0, max_value=100_000), max_size=40)


def _read_at(data: bytes, cuts: list[int], end: End, detail: str = "") -> Recording:
    """Cut the same bytes into other reads; read ``i`` arrives at ``i`` + 1 ns."""
    return recording(list(enumerate(split_at(data, cuts), start=1)), end=end, detail=detail)


def _decode(case: DecodeCase, recorded: Recording) -> Timeline:
    return decode(
        recorded,
        case.engine,
        output_tokens_asked=case.asked,
        fixed_length=case.fixed,
        first_tokens=case.first_tokens,
    )


def _timeless(timeline: Timeline) -> tuple[object, ...]:
    return (
        len(timeline.output_ns),
        timeline.output_tokens,
        timeline.first_tokens,
        timeline.count_method,
        timeline.visible_ns is None,
        timeline.usage,
        timeline.timings,
        timeline.finish_reason,
        timeline.failure,
        timeline.unknown_fields,
        timeline.first_text,
        timeline.notes,
    )


@pytest.mark.parametrize("case", _CASES, ids=lambda case: case.name)
@_FEW
@given(cuts=_CUTS)
def test_read_borders_change_nothing_but_times(case: DecodeCase, cuts: list[int]) -> None:
    sent = case.recorded()

    moved = _read_at(sent.data, cuts, case.end, case.detail)

    assert _timeless(_decode(case, moved)) == _timeless(_decode(case, sent))


@pytest.mark.parametrize("case", _WHOLE, ids=lambda case: case.name)
@_FEW
@given(chunk_cuts=_CUTS, read_cuts=_CUTS)
def test_http_chunk_borders_change_nothing_but_times(
    case: DecodeCase, chunk_cuts: list[int], read_cuts: list[int]
) -> None:
    """Any proxy may frame a body anew."""
    head = "\r\n".join([*case.head, "Transfer-Encoding: chunked", "", ""]).encode()
    data = head + b"".join(chunked(split_at(case.body, chunk_cuts)))

    moved = _read_at(data, read_cuts, End.COMPLETE, case.detail)

    assert _timeless(_decode(case, moved)) == _timeless(_decode(case, case.recorded()))


def _blank_lines_after(piece: bytes) -> int:
    """Bytes after the blank line that ends the piece's last event: more blank lines belong to no event."""
    line_end = b"\r\n" if b"\r\n" in piece else b"\n"
    return max(0, len(piece) - len(piece.rstrip(line_end)) - 2 * len(line_end))


@pytest.mark.parametrize("case", _WHOLE, ids=lambda case: case.name)
@_FEW
@given(cuts=_CUTS)
@example(cuts=[221])  # in one case between blank lines that belong to no event
def test_every_output_has_the_arrival_of_the_read_that_completed_it(case: DecodeCase, cuts: list[int]) -> None:
    """Found anew from the byte at which each event of the case ends."""
    head = "\r\n".join([*case.head, f"Content-Length: {len(case.body)}", "", ""]).encode()
    moved = _read_at(head + case.body, cuts, End.COMPLETE)
    as_sent = _decode(case, case.recorded())
    times = [at for at, _ in case.sent]
    piece_ends = lengths_of(piece for _, piece in case.sent)
    event_ends = [end - _blank_lines_after(piece) for end, (_, piece) in zip(piece_ends, case.sent, strict=True)]
    # Outputs of one case come at different times, so a time names the event.
    ends = [event_ends[times.index(at_ns / 1_000_000)] for at_ns in as_sent.output_ns]
    reads = [bisect_left(moved.read_ends, len(head) + end) for end in ends]

    timeline = _decode(case, moved)

    assert list(timeline.output_ns) == [moved.arrival_ns[read] for read in reads]


@pytest.mark.parametrize("name", STREAMS)
@_FEW
@given(chunk_cuts=_CUTS, read_cuts=_CUTS)
def test_captured_streams_decode_the_same_however_they_are_cut(
    name: str, chunk_cuts: list[int], read_cuts: list[int]
) -> None:
    engine, body = sample_stream(name)
    data = HEAD + b"".join(chunked(split_at(body, chunk_cuts)))

    timeline = _decode_stream(_read_at(data, read_cuts, End.COMPLETE), engine)

    truth = STREAMS[name]
    assert timeline.count_method is truth.method
    assert len(timeline.output_ns) == truth.chunks
    assert (None if timeline.output_tokens is None else tuple(timeline.output_tokens)) == truth.tokens
    assert (timeline.usage.completion_tokens, timeline.usage.cached_tokens) == (truth.total, truth.cached)
    assert (timeline.failure.type if timeline.failure else None) is truth.failure
    whole = _decode_stream(_read_at(HEAD + b"".join(chunked([body])), [], End.COMPLETE), engine)
    assert _timeless(timeline) == _timeless(whole)


def _decode_stream(recorded: Recording, engine: Engine) -> Timeline:
    return decode(recorded, engine, output_tokens_asked=None, fixed_length=False)
