"""A result has a row for every cell asked for, and says what is missing rather than leave it out."""

from dataclasses import replace

from tests.support.stored import make_run
from tests.support.trials import make_spec_cell, make_trial

from sparktune.bench.evaluate import all_checks, all_metrics, evaluate
from sparktune.model.check import Status
from sparktune.model.timeline import Failure, FailureType
from sparktune.model.trial import Phase, Trial
from sparktune.model.warmup import WarmupOutcome

_SMALL = make_spec_cell({"prompt": 100, "streams": 2})
_LARGE = make_spec_cell({"prompt": 4000})
_STEADY = WarmupOutcome(waves=3, steady=True, spread=0.01)


def _wave(index: int, *, phase: Phase = Phase.MEASURE, first: int = 100, failure: str | None = None) -> Trial:
    streams = [{"outputs": [first, 200], "cached": 0}, {"outputs": [first, 200], "cached": 0, "failure": failure}]
    return make_trial({"streams": streams}, cell=_SMALL, index=index, phase=phase)


def test_phases_are_kept_apart() -> None:
    """A warm-up wave in a number would make a cold server of a warm one."""
    run = make_run(cells=(_SMALL,))
    trials = [_wave(1), _wave(0, phase=Phase.WARMUP, first=199), _wave(0), _wave(0, phase=Phase.CONTEXT, first=150)]

    row = evaluate(run, trials, warmups={_SMALL: _STEADY}, incomplete={}).cells[0]

    ttft = row.metric("ttft_s")
    assert ttft is not None
    assert (ttft.minimum, ttft.maximum, ttft.n) == (0.1, 0.1, 4)
    assert (row.trials, row.requests, row.failures, row.warmup) == (2, 4, {}, _STEADY)


def test_checks_and_metrics_come_in_their_order() -> None:
    row = evaluate(make_run(cells=(_SMALL,)), [_wave(0)], warmups={}, incomplete={}).cells[0]

    assert [check.id for check in row.checks] == [check.id for check in all_checks()]
    assert [metric.name for metric in row.metrics] == [metric.name for metric in all_metrics()]
    assert [check.id for check in all_checks()] == sorted(check.id for check in all_checks())


def test_failures_are_counted_by_type_and_void_the_cell() -> None:
    trials = [_wave(0, failure="stall"), _wave(1, failure="timeout"), _wave(2, failure="stall"), _wave(3)]

    row = evaluate(make_run(cells=(_SMALL,)), trials, warmups={}, incomplete={}).cells[0]

    assert (row.failures, row.requests, row.valid) == ({"stall": 2, "timeout": 1}, 8, False)


def test_a_cell_that_was_not_reached_is_a_row_without_numbers() -> None:
    result = evaluate(make_run(cells=(_SMALL, _LARGE)), [_wave(0)], warmups={}, incomplete={_LARGE: 1})

    row = result.cells[1]
    assert (row.cell, row.trials, row.valid, row.incomplete) == (_LARGE, 0, False, 1)
    assert all(metric.median is None and metric.why == "no trial finished" for metric in row.metrics)
    assert [check.id for check in row.checks if check.status is Status.INVALID] == ["V19"]
    assert result.notes == (
        "2 of 2 cells have fewer trials than were asked for",
        "1 wave was ended from outside and is in no number",
    )


def test_a_whole_result_needs_no_note() -> None:
    run = make_run(cells=(_SMALL,))
    trials = [_wave(index) for index in range(run.workload.trials)]

    assert evaluate(run, trials, warmups={}, incomplete={}).notes == ()


def test_a_trial_of_a_cell_that_nobody_asked_for_is_shown() -> None:
    result = evaluate(make_run(cells=(_LARGE,)), [_wave(0)], warmups={}, incomplete={})

    assert [row.cell for row in result.cells] == [_LARGE, _SMALL]


def test_the_label_is_what_a_check_says() -> None:
    stream = {"outputs": [4000, 4010], "tokens": [1, 9]}
    trial = make_trial({"streams": [stream]}, cell=_LARGE)

    row = evaluate(make_run(cells=(_LARGE,)), [trial], warmups={}, incomplete={}).cells[0]

    assert row.label == "cold-prefill-bound"


def test_earlier_runs_are_a_reference() -> None:
    trial = make_trial({"streams": [{"outputs": [1000, 1010]}]}, cell=_LARGE)
    run = make_run(cells=(_LARGE,))

    row = evaluate(run, [trial], warmups={}, incomplete={}, cold_reference_tok_s=1000.0).cells[0]

    assert next(check.status for check in row.checks if check.id == "V02") is Status.WARN
    assert row.valid, "a server may have become faster: only what speaks for a cache voids it"


def test_failures_are_told_in_the_words_of_the_server_without_secrets() -> None:
    """A count says that something is wrong; the words say what. A server may echo the key that it was sent."""
    echo = "no access with Authorization: Bearer sk-0123456789abcdef0123"
    cell = make_spec_cell({"streams": 3})
    streams = [{"failure": "http_status", "outputs": []}, {"failure": "http_status", "outputs": []}, {"outputs": [10]}]
    trial = make_trial({"streams": streams}, cell=cell)
    failure = Failure(type=FailureType.HTTP_STATUS, status=403, detail=echo)
    requests = tuple(
        request if request.ok else replace(request, timeline=replace(request.timeline, failure=failure))
        for request in trial.requests
    )
    (row,) = evaluate(make_run(cells=(cell,)), [replace(trial, requests=requests)], warmups={}, incomplete={}).cells

    assert row.failure_words == {"http_status 403: no access with Authorization: Bearer ***": 2}
