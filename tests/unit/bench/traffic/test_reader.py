"""Traces of anybody: what is there is taken, what is missing is filled or told with its line."""

import json
from typing import Any

import pytest

from sparktune.bench.traffic.reader import read_traffic
from sparktune.errors import UsageError
from sparktune.model.traffic import Traffic


def _read(*lines: dict[str, Any] | str, limit: int | None = None) -> Traffic:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    return read_traffic("t.jsonl", [text.encode() + b"\n" for text in texts], limit=limit)


def _shares(traffic: Traffic) -> list[tuple[int | None, int]]:
    return [(request.shared_with, request.shared_tokens) for request in traffic.requests]


def test_mooncake_lines_are_blocks_of_512_tokens() -> None:
    traffic = _read(
        {"timestamp": 1000, "input_length": 1300, "output_length": 5, "hash_ids": [0, 1, 2]},
        {"timestamp": 1500.5, "input_length": 1400, "output_length": 6, "hash_ids": [0, 1, 3]},
        {"timestamp": 3000, "input_length": 600, "output_length": 7, "hash_ids": [4, 1]},
        {"timestamp": 3000, "input_length": 1300, "output_length": 8, "hash_ids": [0, 1, 2]},
    )

    assert [request.at_s for request in traffic.requests] == [0, 0.5005, 2, 2]
    assert [request.output_tokens for request in traffic.requests] == [5, 6, 7, 8]
    # Block 1 behind another beginning is no shared prefix, and a repeated prompt is shared whole.
    assert _shares(traffic) == [(None, 0), (0, 1024), (None, 0), (0, 1300)]


def test_blocks_of_another_size_are_seen_by_their_number() -> None:
    traffic = _read(
        {"timestamp": 0, "input_length": 60, "output_length": 1, "hash_ids": [1, 2, 3, 4]},
        {"timestamp": 1, "input_length": 50, "output_length": 1, "hash_ids": [1, 2, 5, 6]},
    )

    assert _shares(traffic) == [(None, 0), (0, 32)]


def test_what_is_missing_is_filled() -> None:
    """Other tools write other names, and fewer of them."""
    traffic = _read(
        {"input_tokens": 10, "created_time": 5, "text": "let be"}, "", {"input_length": 20}, {"input_length": 30}
    )

    assert [(one.at_s, one.prompt_tokens, one.output_tokens) for one in traffic.requests] == [
        (0, 10, None),
        (0, 20, None),
        (0, 30, None),
    ]


def _own(number: int, at_ms: float, parent: int | None = None, shared: int = 0, status: int | None = 200) -> Any:  # noqa: ANN401
    ours = {"request": number, "shared_with": parent, "shared_tokens": shared, "status": status}
    return {"timestamp": at_ms, "input_length": 100, "output_length": 4, "hash_ids": [0], "sparktune": ours}


def test_our_own_lines_tell_tokens_and_blocks_are_not_needed() -> None:
    traffic = _read(_own(4, 0), _own(5, 10, 4, 77), _own(6, 20, 5, 100))

    assert _shares(traffic) == [(None, 0), (0, 77), (1, 100)]


def test_what_the_server_refused_is_left_out_and_said() -> None:
    traffic = _read(
        _own(0, 0), _own(1, 10, status=503), _own(2, 20, status=None), _own(3, 30, 1, 50), _own(4, 40, 0, 9)
    )

    assert len(traffic.requests) == 3
    assert _shares(traffic) == [(None, 0), (None, 0), (0, 9)]
    assert traffic.notes == ("2 requests that the server refused are left out",)


def test_lines_are_sorted_by_time_and_limited_by_it() -> None:
    lines = [{"timestamp": at, "input_length": at + 1} for at in (30, 10, 20)]
    whole, some = _read(*lines), _read(*lines, limit=2)

    assert [one.prompt_tokens for one in whole.requests] == [11, 21, 31]
    assert [one.prompt_tokens for one in some.requests] == [11, 21]
    assert whole.digest != some.digest
    assert whole.digest == _read(*reversed(lines)).digest


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (("{",), ("t.jsonl line 1",)),
        (({"input_length": 5}, "[]"), ("t.jsonl line 2", "object")),
        (({"timestamp": 0},), ("line 1", "no input_length")),
        (({"input_length": 0},), ("line 1", "input_length of 0")),
        (({"input_length": -4},), ("line 1", ">= 0")),
        (({"input_length": 5, "timestamp": -1},), ("line 1", ">= 0")),
        (({"input_length": 5, "hash_ids": 7},), ("line 1", "hash_ids")),
        ((), ("holds no request",)),
        ((_own(0, 0, status=500),), ("holds no request that was answered",)),
        (({"input_length": 50_000_000},), ("50,000,000", "--limit")),
    ],
)
def test_an_error_names_the_line_and_the_way_out(lines: tuple[Any, ...], words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as caught:
        _read(*lines)
    told = f"{caught.value} {caught.value.hint}"

    assert [word for word in words if word not in told] == [], told
    assert caught.value.hint


def test_too_many_requests_are_refused_before_they_take_the_memory() -> None:
    lines = [{"input_length": 5}] * 5001
    with pytest.raises(UsageError, match="5,001 requests"):
        _read(*lines)

    assert len(_read(*lines, limit=5000).requests) == 5000
