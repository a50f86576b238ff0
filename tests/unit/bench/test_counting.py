"""Counts at their edges, where a wrong rule would give a rate that looks right."""

import pytest

from sparktune.bench.counting import Counted, count
from sparktune.bench.stream import Stream
from sparktune.model.timeline import CountMethod

_UNTOLD = -1


def _stream(*rows: tuple[str | None, int, int], finish_ns: int | None = None, finish_row: int | None = None) -> Stream:
    """Rows of (text, ids, running total), 10 ns apart from 10 on."""
    stream = Stream(finish_ns=finish_ns, finish_row=finish_row)
    for place, (text, ids, running) in enumerate(rows, start=1):
        stream.rows.append((10 * place, text, ids, running))
        stream.counted += running != _UNTOLD
    return stream


def _told(counted: Counted) -> tuple[CountMethod, list[int], list[int] | None, int | None]:
    tokens = None if counted.output_tokens is None else list(counted.output_tokens)
    return counted.method, list(counted.output_ns), tokens, counted.first_tokens


def test_text_without_a_new_token_is_output_of_no_tokens() -> None:
    """Held-back text may be flushed in a chunk of its own."""
    counted = count(_stream(("a", -1, 2), ("b", -1, 2), ("c", -1, 3)), 3, None)

    assert _told(counted) == (CountMethod.RUNNING_USAGE, [10, 20, 30], [2, 0, 1], 2)


def test_the_last_token_goes_to_the_finish_chunk() -> None:
    counted = count(_stream(("a", -1, 1), ("b", -1, 2), finish_ns=99), 3, None)

    assert _told(counted) == (CountMethod.RUNNING_USAGE, [10, 20, 99], [1, 1, 1], 1)


def test_the_last_token_goes_to_a_finish_chunk_that_has_text() -> None:
    counted = count(_stream(("a", 1, -1), ("b", 1, -1), finish_ns=20, finish_row=1), 3, None)

    assert _told(counted) == (CountMethod.TOKEN_IDS, [10, 20], [1, 2], 1)


def test_bytes_of_a_character_that_never_ended_belong_to_the_finish_chunk() -> None:
    """llama.cpp tells 62 of 64 tokens when two are the first bytes of a character: their text is never sent."""
    counted = count(_stream(("a", -1, 10), ("b", -1, 16), finish_ns=99), 19, None)

    assert _told(counted) == (CountMethod.RUNNING_USAGE, [10, 20, 99], [10, 6, 3], 10)


def test_a_quarter_of_a_short_answer_is_not_given_to_its_end() -> None:
    counted = count(_stream(("a", -1, 4), ("b", -1, 5), finish_ns=99), 8, None)

    assert counted.method is CountMethod.TOTAL_ONLY
    assert counted.notes == ("the counts of the chunks add up to 5 tokens, the final usage says 8",)


def test_output_after_the_finish_reason_keeps_the_times_in_order() -> None:
    """Gaps between tokens are differences of neighbours: one that is negative would be a rate from nowhere."""
    counted = count(_stream(("a", 1, -1), ("b", 2, -1), finish_ns=15), 4, None)

    assert _told(counted) == (CountMethod.TOKEN_IDS, [10, 15, 20], [1, 1, 2], 1)


def test_a_small_rest_without_a_finish_stays_where_it_is() -> None:
    """Within 2 % the counts per chunk are used as they are; nothing is invented to make them fit."""
    counted = count(_stream(("a", -1, 50), ("b", -1, 99)), 100, None)

    assert _told(counted) == (CountMethod.RUNNING_USAGE, [10, 20], [50, 49], 50)


def test_a_large_rest_is_told_and_not_used() -> None:
    counted = count(_stream(("a", -1, 50), ("b", -1, 90), finish_ns=99), 100, None)

    assert _told(counted) == (CountMethod.TOTAL_ONLY, [10, 20], None, None)
    assert counted.notes == ("the counts of the chunks add up to 90 tokens, the final usage says 100",)


def test_more_than_the_total_is_told_too() -> None:
    counted = count(_stream(("a", 60, -1), ("b", 60, -1)), 100, None)

    assert counted.output_tokens is None
    assert len(counted.notes) == 1


def test_a_total_that_falls_back_adds_nothing() -> None:
    counted = count(_stream(("a", -1, 2), ("b", -1, 1), ("c", -1, 3)), 3, None)

    assert _told(counted) == (CountMethod.RUNNING_USAGE, [10, 20, 30], [2, 0, 1], 2)


def test_a_count_on_some_chunks_only_is_not_used() -> None:
    counted = count(_stream(("a", -1, 2), ("b", -1, -1), ("c", -1, 6)), 6, None)

    assert _told(counted) == (CountMethod.TOTAL_ONLY, [10, 20, 30], None, None)


def test_counts_without_a_final_usage_are_used() -> None:
    counted = count(_stream(("a", 1, -1), (None, 2, -1)), None, None)

    assert _told(counted) == (CountMethod.TOKEN_IDS, [10, 20], [1, 2], 1)


def test_ids_win_over_a_running_total() -> None:
    assert count(_stream(("a", 1, 1), ("b", 1, 2)), 2, None).method is CountMethod.TOKEN_IDS


def test_a_chunk_with_ids_alone_counts_as_a_chunk() -> None:
    """Ids on one chunk only give no timeline, but the chunk was output."""
    counted = count(_stream(("a", -1, -1), (None, 1, -1)), 2, None)

    assert _told(counted) == (CountMethod.ONE_PER_CHUNK, [10, 20], [1, 1], 1)


@pytest.mark.parametrize("first", [None, 9])
def test_an_impossible_first_count_is_not_used(first: int | None) -> None:
    assert count(_stream(("a b", -1, -1)), 3, first).method is CountMethod.TOTAL_ONLY


def test_no_output_and_a_total_of_zero_is_a_total() -> None:
    assert _told(count(Stream(), 0, None)) == (CountMethod.TOTAL_ONLY, [], None, None)
