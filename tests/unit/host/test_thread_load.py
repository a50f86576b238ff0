"""Threads out of what ``top -H`` prints."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.host import thread_load
from sparktune.host.thread_load import ThreadLoad, read_top

_HEADER = "    PID     TID USER      PR  NI    VIRT    RES S  %CPU  P COMMAND         PARENT\n"
_POLLER = "100 102 me        20   0  18.4g   7.1g R  99.8  7 poller rpc-server\n"
_EXPECTED = ThreadLoad(pid=100, tid=102, name="poller", process="rpc-server", state="R", share=0.998, core=7)


@pytest.mark.parametrize("text", [_HEADER + _POLLER, _POLLER, "# a comment\n" + _HEADER + "\n" + _POLLER])
def test_a_thread_is_read(text: str) -> None:
    assert read_top(text, "top.txt").threads == (_EXPECTED,)


def test_columns_are_those_of_the_header() -> None:
    text = "PID USER %CPU COMMAND\n7 me 12.5 python3\n"

    assert read_top(text, "top.txt").threads == (
        ThreadLoad(pid=7, tid=7, name="python3", process="python3", state="", share=0.125, core=None),
    )


@pytest.mark.parametrize(
    ("comment", "idle"),
    [
        ("# cluster idle, 0 requests running", True),
        ("# T0+60s, still 0 requests", True),
        ("# while decoding (1 stream)", False),
        ("# 4 requests", False),
        ("# 10 requests", False),
        ("# node 2", None),
        ("", None),
    ],
)
def test_a_comment_says_whether_requests_ran(comment: str, *, idle: bool | None) -> None:
    """A thread that is hot under load is at work: only a sample without requests can show polling."""
    assert read_top(f"{comment}\n{_POLLER}", "top.txt").idle is idle


@pytest.mark.parametrize(
    "line", ["top - 10:00 up 1 day", "Tasks: 10 total", "100 102 me 20 0 1g 1g R busy 7 x y", "1e3 1"]
)
def test_other_lines_are_skipped(line: str) -> None:
    assert read_top(line, "top.txt").threads == ()


def test_threads_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_load, "_MOST_THREADS", 2)

    assert len(read_top(_POLLER * 5, "top.txt").threads) == 2


@given(text=st.text() | st.text(alphabet="PID %CPU0123456789.\n#R", max_size=200))
def test_any_text_is_taken(text: str) -> None:
    sample = read_top(text, "top.txt")

    assert len(sample.threads) <= len(text.splitlines())
    assert all(thread.pid >= 0 and thread.tid >= 0 and thread.share >= 0 for thread in sample.threads)
