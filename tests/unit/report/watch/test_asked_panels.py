"""Panels of watch on what is asked seldom: engine, drift and doctor, when it was asked, and what is not known."""

from dataclasses import replace

import pytest
from tests.support import watched

from sparktune.model.finding import Finding, Severity
from sparktune.report.watch import Answered, WatchedEngine
from sparktune.report.watch.state import News, updated


@pytest.mark.parametrize(
    ("engine", "words"),
    [
        (None, "not watched: no service is named"),
        (WatchedEngine(service="chat"), "waiting for its first answer"),
        (WatchedEngine(service="chat", untold="no answer: refused"), "no answer: refused"),
    ],
)
def test_an_engine_that_is_not_there_says_why(engine: WatchedEngine | None, words: str) -> None:
    state = replace(watched.example_state(), engine=engine)

    assert any(row.startswith(words) for row in watched.shown(state))


def test_an_engine_that_tells_little() -> None:
    """Each thing by its name, and no number in its place."""
    assert watched.ENGINE.look is not None
    bare = replace(
        watched.ENGINE.look,
        running=None,
        waiting=None,
        kv_use=None,
        output_tok_s=None,
        prompt_tok_s=None,
        first_tokens=None,
        ttft_s=None,
        drafts=None,
    )
    rows = watched.shown(replace(watched.example_state(), engine=replace(watched.ENGINE, look=bare)))

    assert "queue   running unknown, waiting unknown   KV unknown" in rows
    assert "in 15 s output unknown, prompts unknown, TTFT unknown" in rows
    assert "drafts  acceptance unknown" in rows


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"window_s": 0.0}, "rates   not known before the second look"),
        ({"window_s": 0.0, "restarted": True}, "rates   the server was restarted"),
        ({"first_tokens": 0.0, "ttft_s": None}, "TTFT: no first token"),
        ({"preemptions": 3.0}, "3 PREEMPTED"),
        ({"drafts": 0.0}, "drafts  none drafted"),
        ({"accepted_share": None, "accepted_length": None}, "drafts  share unknown, length unknown"),
    ],
)
def test_rates_that_are_not_there_yet(changed: dict[str, float | None], words: str) -> None:
    assert watched.ENGINE.look is not None
    look = replace(watched.ENGINE.look, **changed)  # type: ignore[arg-type] # names of its fields

    assert any(
        words in row
        for row in watched.shown(replace(watched.example_state(), engine=replace(watched.ENGINE, look=look)))
    )


@pytest.mark.parametrize(
    ("answered", "words"),
    [
        (Answered(every_s=600.0, asking=True), "drift   unknown  (asking now)"),
        (Answered(every_s=600.0), "drift   unknown  (not asked yet)"),
        (
            Answered(every_s=0.0, items=watched.ROWS, at_s=990.0),
            "drift   1 of 3 rows differs  (asked 10 s ago, again with r)",
        ),
        (Answered(every_s=600.0, why="spark1: gone"), "drift   unknown: spark1: gone"),
        (Answered(every_s=600.0, items=(), at_s=990.0), "drift   there is nothing to compare  (asked 10 s ago"),
        (
            Answered(every_s=600.0, items=watched.ROWS[2:], at_s=990.0, asking=True),
            "drift   none of 1 row differs  (asked 10 s ago, asking again now)",
        ),
        (Answered(every_s=600.0, items=watched.ROWS[1:], at_s=990.0), "drift   1 of 2 rows could not be read"),
    ],
)
def test_drift_says_when_it_was_asked_and_what_is_not_known(answered: Answered[object], words: str) -> None:
    """Old or missing answers are never shown as if they were new."""
    state = replace(watched.example_state(), drift=answered)

    assert any(row.startswith(words) for row in watched.shown(state))


@pytest.mark.parametrize(
    ("answered", "words"),
    [
        (None, "doctor  not asked: switched off"),
        (Answered(every_s=600.0, items=(), at_s=990.0), "doctor  nothing found  (asked 10 s ago"),
        (
            Answered(every_s=600.0, items=watched.FINDINGS[2:], at_s=990.0, why="no answer from spark3"),
            "doctor  1 note; no answer from spark3",
        ),
        (Answered(every_s=600.0, why="no way"), "doctor  unknown: no way"),
        (Answered(every_s=600.0, items=watched.FINDINGS[1:2], at_s=990.0), "doctor  1 warning"),
    ],
)
def test_doctor_says_when_it_was_asked(answered: Answered[Finding] | None, words: str) -> None:
    state = replace(watched.example_state(), doctor=answered)

    assert any(row.startswith(words) for row in watched.shown(state))


def test_what_is_new_since_the_answer_before_is_marked() -> None:
    """The first answer marks nothing: nobody knows since when it is so."""
    first = watched.state_of(*watched.news(watched.node("a")))
    more = (*watched.FINDINGS, Finding(rule="hot", severity=Severity.WARNING, node="a", evidence="95 C", hint="look"))
    asking = replace(watched.DOCTOR, asking=True)
    second = updated(first, News(at_s=1001.0, doctor=replace(watched.DOCTOR, items=more)))
    third = updated(second, News(at_s=1002.0, doctor=replace(asking, items=more)))

    assert not any("NEW" in row for row in watched.shown(first))
    assert [row for row in watched.shown(second) if "NEW" in row] == ["  NEW WARNING  hot a: 95 C"]
    assert any("NEW" in row for row in watched.shown(third))
    gone = updated(third, News(at_s=1003.0, doctor=replace(watched.DOCTOR, items=watched.FINDINGS)))
    assert not any("NEW" in row for row in watched.shown(gone))


def test_more_drift_than_there_is_room_for_is_counted() -> None:
    rows = tuple(replace(watched.ROWS[0], key=f"k{place}") for place in range(40))
    shown = watched.shown(replace(watched.example_state(), drift=replace(watched.DRIFT, items=rows)))

    assert any(row.strip().endswith("more: d shows all") for row in shown)
    assert any("ERROR" in row for row in shown)
