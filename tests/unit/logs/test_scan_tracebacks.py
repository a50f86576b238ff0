"""Tracebacks and errors that nobody knows: one event each, whoever writes in between."""

import pytest
from tests.support.scanned import known, read, unknown

pytestmark = pytest.mark.usefixtures("own_messages")


def test_a_traceback_is_one_event() -> None:
    log = read(
        "before\nTraceback (most recent call last):\n"
        '  File "/a.py", line 1, in f\n    raise ValueError("Free memory")\n'
        '  File "/b.py", line 2, in g\n    raise KeyError\n'
        "KeyError: 'boom'\nafter\n"
    )
    assert unknown(log) == [("KeyError: 'boom'", 7, 1)]
    assert [line.text for line in log.events[0].around] == ['  File "/b.py", line 2, in g', "KeyError: 'boom'", "after"]
    assert known(log) == [], "source code in a traceback says nothing of this failure"


def test_tracebacks_of_two_processes_mixed_with_each_other() -> None:
    first, second = "(Worker_TP0 pid=1) ", "(Worker_TP1 pid=2) "
    log = read(
        f"{first}Traceback (most recent call last):\n{second}Traceback (most recent call last):\n"
        f'{first}  File "/a.py", line 1, in f\n{second}  File "/b.py", line 1, in g\n'
        f"{second}ValueError: Free memory low\n{first}KeyError: 1\n"
    )
    assert known(log) == [("memory-short", 5, 1, 1)]
    assert unknown(log) == [("KeyError: 1", 6, 1)]


def test_a_message_of_several_lines_with_a_traceback_is_one_event() -> None:
    prefix = "(EngineCore pid=9) ERROR 11-14 14:26:16 [core.py:842] "
    log = read(
        f"{prefix}EngineCore failed to start.\n{prefix}Traceback (most recent call last):\n"
        f'{prefix}  File "/a.py", line 1, in f\n{prefix}    f()\n{prefix}RuntimeError: boom\n{prefix}Last error:\n'
    )
    assert unknown(log) == [("RuntimeError: boom", 5, 1)]


def test_a_header_before_a_traceback_without_a_prefix_says_nothing_of_its_own() -> None:
    log = read(
        "ERROR:    Exception in ASGI application\nTraceback (most recent call last):\n"
        '  File "/a.py", line 1, in f\nKeyError: 1\nERROR:    Exception in ASGI application\n'
    )
    assert [text for text, _, _ in unknown(log)] == ["KeyError: 1", "Exception in ASGI application"]


def test_a_group_of_exceptions_ends_with_its_own_lines() -> None:
    log = read(
        "  + Exception Group Traceback (most recent call last):\n"
        '  |   File "/a.py", line 1, in f\n  | ExceptionGroup: two (2 sub-exceptions)\n'
        "  +-+---------------- 1 ----------------\n    | ValueError: 1\n    +------------------------------------\n"
        "ERROR:    boom\n"
    )
    assert [text for text, _, _ in unknown(log)][-1] == "boom"


def test_words_of_others_in_a_traceback_do_not_end_it() -> None:
    log = read(
        "Traceback (most recent call last):\nloading weights\nfrom disk: fast\n"
        '  File "/a.py", line 1, in f\nmy.own.Failure: 1\nafter: x\n'
    )
    assert [text for text, _, _ in unknown(log)] == ["my.own.Failure: 1"]


def test_errors_of_one_place_in_one_second_stay_apart() -> None:
    prefix = "ERROR 11-14 14:26:16 [core.py:842] "
    assert unknown(read(f"{prefix}one is gone\n{prefix}  more of it\n{prefix}another one is late\n")) == [
        ("one is gone", 1, 1),
        ("another one is late", 3, 1),
    ]


def test_both_tracebacks_of_a_chain_are_told_the_cause_first() -> None:
    frame = 'Traceback (most recent call last):\n  File "/a.py", line 1, in f\n'
    log = read(
        f"{frame}KeyError: 1\n\nThe above exception was the direct cause of the following exception:\n\n"
        f"{frame}RuntimeError: 2\n"
    )
    assert [text for text, _, _ in unknown(log)] == ["KeyError: 1", "RuntimeError: 2"]


def test_a_traceback_without_an_end_hides_nothing_that_follows() -> None:
    log = read(
        "Traceback (most recent call last):\n" + "\n".join(f"INFO:     {n}" for n in range(500)) + "\nKeyError: 1"
    )
    assert [text for text, _, _ in unknown(log)] == ["KeyError: 1"]


def test_equal_errors_are_one_event_with_a_count() -> None:
    log = read("".join(f"ERROR 11-14 14:26:{n:02d} [a.py:1] request {n} failed\n" for n in range(50)))
    assert unknown(log) == [("request 0 failed", 1, 50)]
    assert log.events[0].last.text == "request 49 failed"
