"""Rates from counters: over a window, of one life of the server, and never a number that it does not tell."""

from sparktune.bench.engine_look import EngineMoment, kept_moments, look_at, moment_of
from sparktune.engines import by_name
from sparktune.model.counters import Counters, FirstTokens, GaugeSample
from sparktune.model.raw import Scrape

_S = 1_000_000_000


def _moment(
    at_s: float, tokens: float | None = 0.0, *, identity: str = "a", first: FirstTokens | None = None
) -> EngineMoment:
    at_ns = round(at_s * _S)
    return EngineMoment(
        at_ns=at_ns,
        gauges=GaugeSample(at_ns=at_ns, running=1.0, waiting=0.0, kv_use=0.5),
        counters=Counters(
            generation_tokens=tokens,
            prompt_tokens=None,
            spec_drafts=tokens,
            spec_draft_tokens=None if tokens is None else 4 * tokens,
            spec_accepted_tokens=None if tokens is None else 2 * tokens,
            identity=identity,
        ),
        first_tokens=first,
    )


def test_one_scrape_tells_gauges_alone() -> None:
    look = look_at([_moment(1)])

    assert (look.running, look.waiting, look.kv_use, look.window_s) == (1.0, 0.0, 0.5, 0.0)
    assert (look.output_tok_s, look.ttft_s, look.accepted_length) == (None, None, None)


def test_rates_over_the_window() -> None:
    first, last = FirstTokens(count=10, total_s=5.0), FirstTokens(count=14, total_s=7.0)
    look = look_at([_moment(1, 100, first=first), _moment(3, 300), _moment(11, 600, first=last)])

    assert (look.window_s, look.output_tok_s, look.prompt_tok_s) == (10.0, 50.0, None)
    assert (look.first_tokens, look.ttft_s) == (4, 0.5)
    assert (look.drafts, look.accepted_share, look.accepted_length) == (500, 0.5, 3.0)


def test_nothing_happened_is_no_mean_of_nothing() -> None:
    tokens = FirstTokens(count=10, total_s=5.0)
    look = look_at([_moment(1, 7, first=tokens), _moment(2, 7, first=tokens)])

    assert (look.output_tok_s, look.first_tokens, look.ttft_s) == (0.0, 0, None)
    assert (look.drafts, look.accepted_share, look.accepted_length) == (0.0, None, None)


def test_what_is_not_counted_is_not_known() -> None:
    look = look_at([_moment(1, None), _moment(2, None, first=FirstTokens(count=1, total_s=1.0))])

    assert (look.output_tok_s, look.first_tokens, look.drafts) == (None, None, None)


def test_first_tokens_that_went_back_are_not_known() -> None:
    look = look_at(
        [_moment(1, first=FirstTokens(count=9, total_s=1.0)), _moment(2, first=FirstTokens(count=1, total_s=0.5))]
    )

    assert (look.first_tokens, look.ttft_s) == (None, None)


def test_the_window_keeps_what_it_needs() -> None:
    """One moment as old as the window, so that the rate is of all of it."""
    kept: tuple[EngineMoment, ...] = ()
    for at_s in range(0, 42, 2):
        kept = kept_moments(kept, _moment(at_s, at_s))

    assert [one.at_ns // _S for one in kept] == [24, 26, 28, 30, 32, 34, 36, 38, 40]
    assert look_at(kept).output_tok_s == 1.0


def test_a_restart_begins_anew() -> None:
    """Counters of two lives have no difference; counters that fell are another life."""
    before = (_moment(0, 50), _moment(2, 60))

    assert len(kept_moments(before, _moment(4, 70, identity="b"))) == 1
    assert len(kept_moments(before, _moment(4, 3))) == 1
    assert look_at(kept_moments(before, _moment(4, 3)), restarted=True).restarted
    assert look_at([_moment(0, 50), _moment(1, 3)]).restarted


def test_a_scrape_in_the_engines_words() -> None:
    body = b"""vllm:num_requests_running 2
vllm:num_requests_waiting 1
vllm:kv_cache_usage_perc 0.25
vllm:generation_tokens_total 77
vllm:time_to_first_token_seconds_count 3
vllm:time_to_first_token_seconds_sum 1.5
"""
    moment = moment_of(by_name("vllm"), Scrape(at_ns=5, body=body))

    assert (moment.at_ns, moment.gauges.running, moment.gauges.kv_use) == (5, 2.0, 0.25)
    assert moment.counters.generation_tokens == 77.0
    assert moment.first_tokens == FirstTokens(count=3.0, total_s=1.5)


def test_engines_without_times_to_first_tokens() -> None:
    """llama.cpp counts none; SGLang does under its own name; half of a histogram is none."""
    sglang = b"sglang:time_to_first_token_seconds_count 2\nsglang:time_to_first_token_seconds_sum 0.5\n"
    half = b"vllm:time_to_first_token_seconds_count 2\n"

    assert moment_of(by_name("llamacpp"), Scrape(at_ns=5, body=half)).first_tokens is None
    assert moment_of(by_name("vllm"), Scrape(at_ns=5, body=half)).first_tokens is None
    told = moment_of(by_name("sglang"), Scrape(at_ns=5, body=sglang)).first_tokens
    assert told == FirstTokens(count=2.0, total_s=0.5)
