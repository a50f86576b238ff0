"""What a terminal shows of a run: unknown is a word, invalid is in the first line, what repeats is told once."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.results import (
    make_cell_result,
    make_check,
    make_metric,
    make_result,
    results,
)
from tests.support.stored import make_cell, make_run

from sparktune.model.check import Status
from sparktune.model.result import RunResult
from sparktune.report.bench.text import write_text
from sparktune.report.bench.words import value_words


@given(results())
def test_nothing_foreign_steers_a_terminal(result: RunResult) -> None:
    """A server's name or error text with escape sequences must not reach the terminal as such."""
    assert all(letter.isprintable() or letter == "\n" for letter in write_text(result, width=90))


@given(results(), st.integers(min_value=10, max_value=60))
def test_text_never_cuts_a_number(result: RunResult, width: int) -> None:
    """A narrow terminal may break names; half a number is another number."""
    text = write_text(result, width=width)

    for row in result.cells:
        for metric in row.metrics:
            if metric.in_table and metric.median is not None:
                assert value_words(metric.median, metric.unit) in text


def test_unknown_is_a_word() -> None:
    """0 tok/s and "the server does not count" are different findings."""
    row = make_cell_result(metrics=(make_metric("decode_tok_s", (None, None), why="the server told no token count"),))
    text = write_text(make_result(cells=(row,)))

    assert re.search(r"pp512 tg128 c1 +unknown", text)
    assert "the server told no token count" in text
    assert "nan" not in text.lower()


def test_an_invalid_cell_is_named_in_the_first_line() -> None:
    bad = make_cell_result(checks=(make_check("V02", Status.INVALID, "7 times the cold rate"),), valid=False)
    good = make_cell_result(cell=make_cell(concurrency=2))
    first = write_text(make_result(cells=(bad, good)), width=120).splitlines()[0]

    assert first.startswith("1 of 2 cells valid; not valid: pp512 tg128 c1 (V02)")


def test_a_cell_that_was_not_measured_is_not_valid() -> None:
    never = make_cell_result(trials=0)
    first = write_text(make_result(cells=(never,)), width=120).splitlines()[0]

    assert first.startswith("0 of 1 cell valid; not measured: pp512 tg128 c1")


@pytest.mark.parametrize(
    ("rates", "words"),
    [
        ([None, None], "; rates unknown; no request failed"),
        ([None, 20.0], "; rates unknown: pp512 tg128 c1; no request failed"),
        ([20.0, 20.0], " valid; no request failed"),
    ],
)
def test_valid_cells_without_any_rate_say_so_in_the_first_line(rates: list[float | None], words: str) -> None:
    """A server without usage: nothing is wrong with the cell, and nothing is known of its speed."""
    cells = tuple(
        make_cell_result(
            cell=make_cell(concurrency=streams),
            metrics=(
                make_metric("output_tok_s", (None,), why="not counted"),
                make_metric("prefill_tok_s", (None,), why="not counted"),
                make_metric("decode_tok_s", (rate,), why="not counted"),
            ),
        )
        for streams, rate in enumerate(rates, 1)
    )

    assert words in write_text(make_result(cells=cells), width=120).splitlines()[0]


def test_a_finding_of_many_cells_is_told_once() -> None:
    """Twelve times the same sentence hides the other sentence."""
    check = make_check("V14", Status.WARN, "the client used 93 % of a core")
    cells = tuple(make_cell_result(cell=make_cell(concurrency=number), checks=(check,)) for number in range(1, 13))
    text = write_text(make_result(cells=cells))

    assert text.count("the client used 93 % of a core") == 1
    assert "V14 warn in all 12 cells" in text


def test_checks_that_say_the_same_are_told_together() -> None:
    """A cell that was never reached makes every check say so."""
    checks = tuple(make_check(name, Status.UNKNOWN, "no wave finished") for name in ("V01", "V02", "V04"))
    text = write_text(make_result(cells=(make_cell_result(checks=checks),)))

    assert "V01, V02, V04: no wave finished (pp512 tg128 c1)" in text
    assert text.count("no wave finished") == 1


def test_an_engine_without_a_version_is_said_to_be_so() -> None:
    run = make_run()
    run = replace(run, engine=replace(run.engine, version=None))

    assert "on vllm (version unknown) at" in write_text(make_result(run=run), width=120)


def test_a_spread_of_one_stream_is_neither_unknown_nor_zero() -> None:
    """It does not exist: the column appears only where waves have several streams."""
    alone = make_metric("ttft_spread_s", (None,), why="one stream has nothing to be compared with")
    one = make_cell_result(metrics=(alone,))
    four = make_cell_result(cell=make_cell(concurrency=4), metrics=(make_metric("ttft_spread_s", (0.05,)),))

    assert "spread" not in write_text(make_result(cells=(one,)))
    both = write_text(make_result(cells=(one, four)))
    assert re.search(r"pp512 tg128 c1 +- ", both)
    assert re.search(r"pp512 tg128 c4 +50.0 ms ", both)
    assert "unknown" not in both


def test_an_unfinished_run_says_how_to_go_on() -> None:
    row = make_cell_result(trials=1)
    run = make_run("261129-175016-k3f", cells=(row.cell,))

    result = make_result(run=run, cells=(row,))

    assert "next: sparktune bench --resume 261129-175016-k3f" in write_text(result)
    assert "--resume" not in write_text(result, resume_told=True)


def test_failed_requests_are_told_in_the_words_of_the_server() -> None:
    """At two in the morning, "http_status 2" sends a person nowhere."""
    words = {f"http_status 50{number}: reason {number}": 9 - number for number in range(5)}
    row = replace(make_cell_result(failures={"http_status": 35}), failure_words=words)
    text = write_text(make_result(cells=(row,)))

    assert "9 x http_status 500: reason 0" in text
    assert "7 x http_status 502: reason 2" in text
    assert "and 11 in other words" in text
