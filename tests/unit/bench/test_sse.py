"""Events are whole when the second line end of their blank line has arrived, and not before."""

import pytest

from sparktune.bench.sse import data_of, read_events


def test_an_event_arrives_with_the_read_that_ends_it() -> None:
    data = b"data: a\n\ndata: b\n\n"

    #                         a without its last LF; that LF and b without its end; the end
    events = read_events(data, [8, 17, 18], [100, 200, 300])

    assert (events.payloads, events.at_ns, events.rest) == ([b"a", b"b"], [200, 300], b"")


def test_two_events_of_one_read_share_its_arrival() -> None:
    events = read_events(b"data: a\n\ndata: b\n\n", [18], [100])

    assert events.at_ns == [100, 100]


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_comments_and_other_fields_are_nothing(line_end: bytes) -> None:
    lines = [b": ping", b"", b"event: message", b"id: 4", b"data: a", b"", b"retry: 10", b"", b"data: b", b"", b""]
    data = line_end.join(lines)

    events = read_events(data, [len(data)], [7])

    assert (events.payloads, events.at_ns) == ([b"a", b"b"], [7, 7])


def test_carriage_returns_do_not_shift_arrivals() -> None:
    """The first read ends between CR and LF of the line end that completes the event."""
    events = read_events(b"data: a\r\n\r\ndata: b\r\n\r\n", [10, 22], [100, 200])

    assert events.at_ns == [200, 200]


def test_what_follows_the_last_blank_line_is_kept_apart() -> None:
    events = read_events(b"data: a\n\ndata: [DO", [19], [1])

    assert (events.payloads, events.rest) == ([b"a"], b"data: [DO")


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (b"data: a", b"a"),
        (b"data:a", b"a"),
        (b"data:  a", b" a"),
        (b"data: a\ndata: b", b"a\nb"),
        (b"data:", b""),
        (b"\ndata: a", b"a"),
        (b": data: a", None),
        (b"database: a", None),
        (b"", None),
    ],
)
def test_data_lines(event: bytes, expected: bytes | None) -> None:
    assert data_of(event) == expected
