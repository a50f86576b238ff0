"""Each engine's own metric names come out in one vocabulary; what is not there is unknown, never 0."""

import pytest
from tests.support.shared import shared

from sparktune.bench.exposition import parse_exposition
from sparktune.engines import by_name
from sparktune.model.counters import CounterDelta, Counters, GaugeSample

_VLLM = """\
process_start_time_seconds 1.5e9
vllm:request_success_total{engine="0",finished_reason="stop"} 1
vllm:request_success_total{engine="0",finished_reason="length"} 3
vllm:request_success_created{engine="0",finished_reason="length"} 1.7e9
vllm:prompt_tokens_total{engine="0"} 100
vllm:prompt_tokens_total{engine="1"} 50
vllm:prompt_tokens_cached_total{engine="0"} 40
vllm:prefix_cache_queries_total{engine="0"} 150
vllm:prefix_cache_hits_total{engine="0"} 40
vllm:generation_tokens_total{engine="0"} 32
vllm:num_preemptions_total{engine="0"} 0
vllm:num_requests_running{engine="0"} 2
vllm:num_requests_running{engine="1"} 1
vllm:num_requests_waiting{engine="0"} 5
vllm:kv_cache_usage_perc{engine="0"} 0.25
vllm:kv_cache_usage_perc{engine="1"} 0.75
"""
_VLLM_OLD = """\
vllm:gpu_prefix_cache_queries_total 150
vllm:gpu_prefix_cache_hits_total 40
vllm:gpu_cache_usage_perc 0.5
"""
_SGLANG = """\
sglang:num_requests_total{is_streaming="true"} 2
sglang:num_requests_total{is_streaming="false"} 1
sglang:prompt_tokens_total{is_streaming="true"} 100
sglang:cached_tokens_total{cache_source="device"} 30
sglang:cached_tokens_total{cache_source="host"} 10
sglang:generation_tokens_total 64
sglang:generation_tokens_created 1.7e9
sglang:num_retracted_requests_total 1
sglang:spec_verify_calls_total 20
sglang:num_running_reqs{tp_rank="0"} 3
sglang:num_running_reqs{tp_rank="1"} 3
sglang:num_queue_reqs{tp_rank="0"} 2
sglang:token_usage{tp_rank="0"} 0.5
sglang:num_used_tokens{tp_rank="0"} 5000
"""
_LLAMACPP = """\
llamacpp:prompt_tokens_total 93
llamacpp:prompt_tokens_cached_total 7
llamacpp:tokens_predicted_total 106
llamacpp:spec_decode_num_draft_tokens_total 60
llamacpp:spec_decode_num_accepted_tokens_total 21
llamacpp:spec_decode_num_drafts_total 12
llamacpp:spec_decode_num_accepted_tokens_per_pos_total{position="0"} 14
llamacpp:spec_decode_num_accepted_tokens_per_pos_total{position="1"} 7
llamacpp:requests_processing 1
llamacpp:requests_deferred 0
"""


def _counters(engine: str, text: str | bytes, **headers: str) -> Counters:
    raw = text if isinstance(text, bytes) else text.encode()
    return by_name(engine).counters(parse_exposition(raw), headers)


def _gauges(engine: str, text: str) -> GaugeSample:
    return by_name(engine).gauges(parse_exposition(text.encode()), 5)


def test_vllm_counters_are_summed_over_engines_and_reasons() -> None:
    assert _counters("vllm", _VLLM) == Counters(
        requests_finished=4,
        prompt_tokens=150,
        cached_prompt_tokens=40,
        prefix_queries=150,
        prefix_hits=40,
        generation_tokens=32,
        preemptions=0,
        identity="1500000000.0",
    )


def test_older_vllm_names_are_known() -> None:
    assert _counters("vllm", _VLLM_OLD) == Counters(prefix_queries=150, prefix_hits=40)
    assert _gauges("vllm", _VLLM_OLD) == GaugeSample(at_ns=5, kv_use=0.5)


def test_vllm_gauges_take_the_fullest_pool() -> None:
    assert _gauges("vllm", _VLLM) == GaugeSample(at_ns=5, running=3, waiting=5, kv_use=0.75)


def test_sglang_counters_and_gauges() -> None:
    """Every tensor-parallel rank reports the same requests; they are counted once."""
    assert _counters("sglang", _SGLANG) == Counters(
        requests_finished=3,
        prompt_tokens=100,
        cached_prompt_tokens=40,
        generation_tokens=64,
        preemptions=1,
        spec_drafts=20,
        identity="1700000000.0",
    )
    assert _gauges("sglang", _SGLANG) == GaugeSample(at_ns=5, running=3, waiting=2, kv_use=0.5, kv_tokens=5000)


def test_llamacpp_prompt_tokens_include_the_cached_ones() -> None:
    """Its own counter leaves them out; other traffic would otherwise be computed from a wrong sum."""
    expected = Counters(
        prompt_tokens=100,
        cached_prompt_tokens=7,
        generation_tokens=106,
        spec_drafts=12,
        spec_draft_tokens=60,
        spec_accepted_tokens=21,
        spec_accepted_per_position=(14, 7),
        identity="987799993",
    )

    assert _counters("llamacpp", _LLAMACPP, **{"process-start-time-unix": "987799993"}) == expected
    assert _gauges("llamacpp", _LLAMACPP) == GaugeSample(at_ns=5, running=1, waiting=0)


def test_llamacpp_prompt_tokens_are_unknown_without_the_cached_ones() -> None:
    assert _counters("llamacpp", "llamacpp:prompt_tokens_total 93\n").prompt_tokens is None


def test_older_llamacpp_tells_its_cache_use() -> None:
    old = "llamacpp:kv_cache_usage_ratio 0.25\nllamacpp:kv_cache_tokens 512\n"

    assert _gauges("llamacpp", old) == GaugeSample(at_ns=5, kv_use=0.25, kv_tokens=512)


@pytest.mark.parametrize("engine", ["vllm", "sglang", "llamacpp", "generic"])
def test_nothing_told_is_nothing_known(engine: str) -> None:
    assert _counters(engine, "other_total 5\n") == Counters()
    assert _gauges(engine, "other 5\n") == GaugeSample(at_ns=5)


def test_a_restart_voids_the_difference() -> None:
    before = _counters("llamacpp", "llamacpp:tokens_predicted_total 5\n", **{"Process-Start-Time-Unix": "1"})
    after = _counters("llamacpp", "llamacpp:tokens_predicted_total 9\n", **{"Process-Start-Time-Unix": "2"})

    assert CounterDelta.between(before, after) == CounterDelta(reset=True)


def test_captured_speculation_counters_give_the_known_acceptance() -> None:
    """Creation times (1.786e9) lie between the counters; accepted tokens per position add up to the total."""
    counters = _counters("vllm", shared("cases/30-spec-metrics-with-created-gauges/metrics.txt").read_bytes())
    drafts, accepted = counters.spec_drafts, counters.spec_accepted_tokens
    assert drafts is not None
    assert accepted is not None

    assert (drafts, counters.spec_draft_tokens, accepted) == (105, 630, 149)
    assert counters.spec_accepted_per_position == (84, 63, 1, 1, 0, 0)
    assert 1 + accepted / drafts == pytest.approx(2.419, abs=0.0005)
    assert [round(value / drafts, 4) for value in counters.spec_accepted_per_position] == [
        0.8,
        0.6,
        0.0095,
        0.0095,
        0,
        0,
    ]


def test_captured_vllm_metrics() -> None:
    text = shared("samples/engines/vllm-metrics-full-sample.txt").read_bytes()

    assert _counters("vllm", text) == Counters(
        requests_finished=4,
        prompt_tokens=32_836,
        cached_prompt_tokens=256,
        prefix_queries=32_836,
        prefix_hits=256,
        generation_tokens=512,
        preemptions=0,
        spec_drafts=105,
        spec_draft_tokens=630,
        spec_accepted_tokens=149,
        spec_accepted_per_position=(84, 63, 1, 1, 0, 0),
        identity="1795973185.92405",
    )
    assert _gauges("vllm", text.decode()) == GaugeSample(at_ns=5, running=4, waiting=2, kv_use=0.129)


def test_captured_llamacpp_metrics() -> None:
    text = shared("samples/engines/llamacpp-metrics.txt").read_bytes()

    assert _counters("llamacpp", text) == Counters(
        prompt_tokens=8192,
        cached_prompt_tokens=0,
        generation_tokens=35,
        spec_drafts=12,
        spec_draft_tokens=60,
        spec_accepted_tokens=21,
        spec_accepted_per_position=(10, 7, 3, 1, 0),
    )


def test_captured_llamacpp_scrapes_around_a_run() -> None:
    before = _counters(
        "llamacpp", shared("samples/llamacpp/metrics_before.http").read_bytes().partition(b"\r\n\r\n")[2]
    )
    busy = _counters("llamacpp", shared("samples/llamacpp/metrics_busy.http").read_bytes().partition(b"\r\n\r\n")[2])

    delta = CounterDelta.between(before, busy)

    assert (delta.prompt_tokens, delta.cached_prompt_tokens, delta.generation_tokens) == (199, 106, 106)
