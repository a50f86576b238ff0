"""Bytes into lines: noise before the greeting is nobody's answer, and nothing may grow without end."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.io.transport.incoming import Incoming
from sparktune.io.transport.wire import NotTheAgent

_GREETING = b"\nsparktune-agent word\n"


def _feed(incoming: Incoming, data: bytes, cuts: list[int]) -> list[bytes]:
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    return [line for start, end in pairwise(places) for line in incoming.feed(data[start:end])]


@given(st.binary(max_size=60).filter(lambda noise: _GREETING not in b"\n" + noise), st.lists(st.integers(0, 120)))
def test_lines_after_the_greeting_come_whole_however_they_are_cut(noise: bytes, cuts: list[int]) -> None:
    incoming = Incoming("word")

    lines = _feed(incoming, noise + _GREETING + b"one\n\ntwo\nthree", cuts)

    assert lines == [b"one", b"", b"two"]
    assert incoming.greeted


def test_a_greeting_at_the_very_beginning_counts() -> None:
    assert Incoming("word").feed(_GREETING[1:] + b"one\n") == [b"one"]


def test_a_greeting_with_another_word_is_noise() -> None:
    """A line like it could be in a log that a login shell prints."""
    incoming = Incoming("other")

    assert incoming.feed(_GREETING + b"{}\n") == []
    assert not incoming.greeted


def test_endless_noise_is_refused() -> None:
    incoming = Incoming("word")

    with pytest.raises(NotTheAgent, match="something else"):
        _feed(incoming, b"y\n" * 100_000, list(range(0, 200_000, 1000)))


@pytest.mark.parametrize("piece", [b"x" * 30, b"x" * 30 + b"\n", b"ok\n" + b"x" * 30])
def test_a_line_that_is_too_long_is_refused_before_it_ends(piece: bytes) -> None:
    incoming = Incoming("word", longest_bytes=29)
    incoming.feed(_GREETING)

    with pytest.raises(NotTheAgent, match="more than 29 bytes"):
        incoming.feed(piece)


def test_a_long_line_in_small_pieces_is_refused_too() -> None:
    incoming = Incoming("word", longest_bytes=29)
    incoming.feed(_GREETING)

    with pytest.raises(NotTheAgent, match="more than 29 bytes"):
        _feed(incoming, b"x" * 30, list(range(30)))
