"""What prompts share is told in tokens and in blocks, in the order of the requests, and means nothing by itself."""

import json
from itertools import pairwise
from typing import Any

import pytest
from tests.support.traffic import KEY, answer, chat, recorded, request

from sparktune.bench.traffic import prefix
from sparktune.bench.traffic.asked import Piece
from sparktune.bench.traffic.density import Density
from sparktune.bench.traffic.prefix import PrefixTree
from sparktune.bench.traffic.recorder import Recorder

_SYSTEM = "You are a careful helper of people. " * 60


def _told(tokens: int) -> bytes:
    return answer(json.dumps({"choices": [], "usage": {"prompt_tokens": tokens, "completion_tokens": 2}}).encode())


def _pass(*bodies: tuple[dict[str, Any], int | None]) -> list[dict[str, Any]]:
    """Let requests pass; each with the prompt tokens that the server tells, or None."""
    passed = []
    for body, tokens in bodies:
        down = answer(b'{"choices": []}') if tokens is None else _told(tokens)
        passed += [("up", request(body)), ("down", down)]
    return recorded(passed).lines


def test_a_shared_system_prompt_is_shared_and_the_rest_is_not() -> None:
    """The template's own tokens are the same in all: a character's worth of tokens is learned from what differs."""
    users = [letter * count for letter, count in zip("abcd", (40, 400, 1000, 1600), strict=True)]
    lines = _pass(
        *[(chat(("system", _SYSTEM), ("user", text)), 30 + (len(_SYSTEM) + len(text)) // 4) for text in users]
    )
    shared = [line["sparktune"]["shared_tokens"] for line in lines]

    assert [line["sparktune"]["shared_with"] for line in lines] == [None, 0, 0, 0]
    assert shared[-1] == pytest.approx(30 + len(_SYSTEM) / 4, abs=6)
    assert [line["sparktune"]["session"] for line in lines] == [1, 2, 3, 4]


def test_the_next_turn_shares_all_that_was_sent_before() -> None:
    turns = [("user", "what is a token?")], [("assistant", "a piece"), ("user", "of what?")]
    first, second = turns[0], turns[0] + turns[1]
    lines = _pass((chat(*first), 20), (chat(*second), 41))

    assert [line["sparktune"]["shared_tokens"] for line in lines] == [0, 20]
    assert [line["sparktune"]["session"] for line in lines] == [1, 1]


def test_blocks_have_the_numbers_of_those_they_repeat() -> None:
    """As other tools read them: 512 tokens a number, the last one not full, equal only where all before is equal."""
    lines = _pass((chat(("user", "a" * 4000)), 1100), (chat(("user", "a" * 4000), ("user", "b" * 400)), 1300))
    first, second = (line["hash_ids"] for line in lines)

    assert (first, len(second)) == ([0, 1, 2], 3)
    assert second[:2] == [0, 1]
    assert second[2] not in first


def test_the_same_prompt_has_the_same_blocks() -> None:
    body = chat(("user", "a" * 4000))
    lines = _pass((body, 1100), (body, 1100))

    assert lines[0]["hash_ids"] == lines[1]["hash_ids"]


def test_lengths_that_nobody_told_are_estimated_and_say_so() -> None:
    lines = _pass((chat(("user", "a" * 991)), 500), (chat(("user", "b" * 1991)), None))

    assert [line["sparktune"]["input_from"] for line in lines] == ["usage", "estimate"]
    assert lines[1]["input_length"] == 1000


def test_a_session_that_the_client_names_is_a_number() -> None:
    lines = _pass(*[(chat(("user", f"{index}"), user=name), 9) for index, name in enumerate(("ann", "bob", "ann"))])

    assert [line["sparktune"]["session"] for line in lines] == [1, 2, 1]
    assert {line["sparktune"]["session_from"] for line in lines} == {"client"}
    assert "ann" not in json.dumps(lines)


def test_lines_come_in_the_order_of_requests_though_answers_do_not() -> None:
    written: list[dict[str, Any]] = []
    recorder = Recorder(KEY, lambda line: bool(written.append(json.loads(line)) or True))
    for connection in (1, 2, 3):
        recorder.opened(connection)
        recorder.up(connection, request(chat(("user", f"{connection}"))), connection * 1_000_000)
    for connection in (3, 2):
        recorder.down(connection, _told(5), 10_000_000)
    assert written == []
    recorder.down(1, _told(5), 20_000_000)

    assert [line["sparktune"]["request"] for line in written] == [0, 1, 2]
    assert all(before["timestamp"] < after["timestamp"] for before, after in pairwise(written))


def test_a_file_that_cannot_be_written_is_counted_and_nothing_else_happens() -> None:
    recorder = Recorder(KEY, lambda _line: False)
    recorder.opened(1)
    recorder.up(1, request(chat(("user", "x"))), 1)
    recorder.down(1, _told(5), 2)

    assert (recorder.tally().requests, recorder.tally().unwritten) == (0, 1)


def test_digests_of_another_key_are_others() -> None:
    """Without the key nobody can try texts until one fits."""
    one, other = PrefixTree(b"one"), PrefixTree(b"other")

    assert one.name("hello") == one.name("hello")
    assert one.name("hello") != other.name("hello")


def test_beginnings_that_were_not_used_for_long_are_forgotten_first() -> None:
    tree = PrefixTree(KEY, most_units=3)
    pieces = {name: (Piece(name * 64, 64),) for name in "abcd"}
    for number, name in enumerate("abcad"):
        tree.add(number, pieces[name])

    assert tree.forgotten == 1
    assert tree.add(9, pieces["b"]) is None
    known = tree.add(10, pieces["d"])
    assert known is not None
    assert (known.number, known.whole) == (4, True)


@pytest.mark.parametrize(
    ("told", "slope"),
    [([], 7.0), ([(100, 40), (200, 65)], 7.0), ([(100, 40), (200, 65), (400, 115)], 0.25), ([(9, 3)] * 5, 7.0)],
)
def test_the_slope_needs_prompts_that_differ(told: list[tuple[int, int]], slope: float) -> None:
    density = Density()
    for chars, tokens in told:
        density.learn(chars, tokens)

    assert density.slope(7.0 if slope == 7.0 else 0.3) == pytest.approx(slope)


def test_behind_what_any_model_reads_a_message_is_one_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A body of 200 MB in small units took longer than the end of a recording waits for it."""
    monkeypatch.setattr(prefix, "_FINE_UNITS", 4)
    tree, unit = PrefixTree(KEY), 64  # characters
    long = "x" * 100 * unit

    assert tree.add(0, [Piece(long, len(long))]) is None
    same = tree.add(1, [Piece(long, len(long))])
    assert same is not None
    assert (same.chars, same.whole) == (len(long), True)
    early = tree.add(2, [Piece(long[: 2 * unit] + "y" * unit, 3 * unit)])
    assert early is not None
    assert early.chars == 2 * unit, "within what is fine it is as exact as ever"
    late = tree.add(3, [Piece(long[:-1] + "y", len(long))])
    assert late is not None
    assert late.chars == 4 * unit, "behind it only the whole counts"
