"""A recorded wave becomes a trial, with counters only where both ends are known."""

from tests.support.recordings import HEAD, chunked, event, recording

from sparktune.bench.trial import decode_trial
from sparktune.engines import by_name
from sparktune.model.cell import Cell
from sparktune.model.counters import CounterDelta, GaugeSample
from sparktune.model.options import SendOptions
from sparktune.model.raw import RawRequest, RawTrial, Scrape
from sparktune.model.recording import StampSource
from sparktune.model.timeline import CountMethod, FailureType
from sparktune.model.trial import ClientHealth, Phase

_OPTIONS = SendOptions(model="m")
_HEALTH = ClientHealth(
    wall_s=1.0, cpu_ratio=0.1, lag_p99_s=0.0, lag_max_s=0.0, send_skew_s=0.0, cores=(0,), source=StampSource.KERNEL
)


def _request(stream: int, tokens: int, first_tokens: int | None = None) -> RawRequest:
    """A stream that sends all its tokens in one chunk, 200 ns after the send."""
    body = [
        event({"choices": [{"delta": {"content": "a b"}, "finish_reason": "length"}]}),
        event({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": tokens}}),
        event("[DONE]"),
    ]
    return RawRequest(
        stream=stream,
        prompt_sha256=f"{stream:064x}",
        prompt_tokens_asked=5,
        output_tokens_asked=2,
        recording=recording([(1200, HEAD + b"".join(chunked(body)))], send_ns=1000),
        first_tokens=first_tokens,
    )


def _trial(*requests: RawRequest, before: str | None = None, after: str | None = None, during: str = "") -> RawTrial:
    return RawTrial(
        cell=Cell(prompt_tokens=5, output_tokens=2),
        index=3,
        phase=Phase.MEASURE,
        started_wall_s=9.0,
        requests=requests,
        health=_HEALTH,
        before=None if before is None else Scrape(at_ns=1, body=before.encode()),
        after=None if after is None else Scrape(at_ns=3, body=after.encode()),
        during=(Scrape(at_ns=2, body=during.encode()),) if during else (),
    )


def test_every_request_is_decoded() -> None:
    trial = decode_trial(_trial(_request(0, 2, first_tokens=2), _request(1, 1)), by_name("vllm"), _OPTIONS)

    assert [request.timeline.count_method for request in trial.requests] == [
        CountMethod.TOKENIZED_FIRST,
        CountMethod.ONE_PER_CHUNK,
    ]
    assert [request.ok for request in trial.requests] == [True, False]
    failure = trial.requests[1].timeline.failure
    assert failure is not None
    assert failure.type is FailureType.WRONG_TOKEN_COUNT
    assert (trial.index, trial.phase, trial.health) == (3, Phase.MEASURE, _HEALTH)
    assert (trial.requests[0].send_start_ns, trial.requests[0].end_ns) == (1000, 1200)


def test_counters_are_what_rose_during_the_wave() -> None:
    raw = _trial(
        before="vllm:generation_tokens_total 5\n",
        after="vllm:generation_tokens_total 9\n",
        during="vllm:num_requests_running 4\n",
    )

    trial = decode_trial(raw, by_name("vllm"), _OPTIONS)

    assert trial.counters == CounterDelta(generation_tokens=4.0)
    assert trial.gauges == (GaugeSample(at_ns=2, running=4.0),)


def test_without_both_scrapes_there_are_no_counters() -> None:
    assert decode_trial(_trial(after="vllm:generation_tokens_total 9\n"), by_name("vllm"), _OPTIONS).counters is None


def test_a_page_that_is_no_exposition_gives_no_counters() -> None:
    raw = _trial(before="<html>", after="<html>")

    assert decode_trial(raw, by_name("vllm"), _OPTIONS).counters is None
