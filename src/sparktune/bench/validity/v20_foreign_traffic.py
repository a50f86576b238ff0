"""V20: somebody else used the server while it was measured.

Looks at: what the server's counters of generated tokens and finished requests rose by during each wave, against what
    the wave itself received; and the gauges of running and waiting requests, against the streams of the wave.
Warns when: more requests finished, or were seen running and waiting, than the wave sent, but no more tokens came.
Invalid when: the server generated more tokens than the wave's streams received plus a tolerance: 2 %, and at least 8
    per stream. The tolerance covers the engine's statistics, which lag by one step: tokens of the wave before (up to a
    speculative step per stream) may be booked into this one. A failed stream counts with all tokens that it asked for.
Unknown when: the server has no such counters, was restarted during a wave, or did not count a stream's tokens;
    or the counters rose by clearly less than the wave received: they count something else.
Source: vLLM's ``vllm:generation_tokens_total`` and ``vllm:request_success_total``, llama.cpp's
    ``tokens_predicted_total``, SGLang's ``generation_tokens_total``.
"""

__all__ = ["CHECK"]

from collections.abc import Sequence

from sparktune.bench.validity._shared import Finding, counters_hint, make_check, over_trials, worst
from sparktune.bench.waves import total_tokens
from sparktune.model.check import CellEvidence, RunEvidence, Status
from sparktune.model.trial import Request, Trial
from sparktune.units import Ratio, Tokens

_SHARE: Ratio = 0.02
_STEP_TOKENS: Tokens = 8
_HINT = "stop other clients of this server (monitors and proxies that send prompts too) and repeat"
_ELSEWHERE = "its counters are not those of the engine that answered; is a load balancer between here and the server?"


def _judge(cell: CellEvidence, run: RunEvidence) -> Sequence[Finding]:
    return [over_trials(cell, lambda trial: _judge_trial(trial, counters_hint(run)))]


def _judge_trial(trial: Trial, counters: str) -> Finding:
    answers = [found for judge in (_tokens, _finished, _seen) if (found := judge(trial))]
    if answers:
        return worst(answers)
    if trial.counters is not None and trial.counters.reset:
        evidence = "the server's counters started again: it was restarted while it was measured"
        return Finding(status=Status.UNKNOWN, evidence=evidence, hint="read the server's log, and repeat")
    evidence = "the server has no counters of generated tokens or finished requests"
    return Finding(status=Status.UNKNOWN, evidence=evidence, hint=counters)


def _tokens(trial: Trial) -> Finding | None:
    rose = trial.counters.generation_tokens if trial.counters else None
    ours = [_most_tokens(request) for request in trial.requests]
    known = [tokens for tokens in ours if tokens is not None]
    if rose is None or len(known) < len(ours):
        return None
    mine = sum(known)
    evidence = f"the server generated {rose:,.0f} tokens, the wave accounts for {mine:,}"
    excess = rose - mine
    tolerance = max(_SHARE * mine, _STEP_TOKENS * len(ours))
    if excess > tolerance:
        return Finding(status=Status.INVALID, evidence=evidence, hint=_HINT, weight=excess)
    received = sum(total_tokens(request.timeline) or 0 for request in trial.completed)
    if received - rose > tolerance:
        told = f"the server's counters rose by {rose:,.0f} tokens, but this wave received {received:,}"
        return Finding(status=Status.UNKNOWN, evidence=told, hint=_ELSEWHERE)
    return Finding(status=Status.OK, evidence=evidence, weight=max(0.0, excess))


def _most_tokens(request: Request) -> Tokens | None:
    """Return the tokens that the server may have generated for a request of ours, at most."""
    return total_tokens(request.timeline) if request.ok else request.output_tokens_asked


def _finished(trial: Trial) -> Finding | None:
    rose = trial.counters.requests_finished if trial.counters else None
    if rose is None:
        return None
    evidence = f"the server finished {rose:,.0f} requests, the wave sent {len(trial.requests):,}"
    excess = rose - len(trial.requests)
    if excess > 0:
        return Finding(status=Status.WARN, evidence=evidence, hint=_HINT, weight=excess)
    return Finding(status=Status.OK, evidence=evidence)


def _seen(trial: Trial) -> Finding | None:
    # A glimpse of the gauges once a second proves presence, never absence.
    most = max(((sample.running or 0) + (sample.waiting or 0) for sample in trial.gauges), default=0)
    if most <= len(trial.requests):
        return None
    evidence = f"{most:g} requests were seen running or waiting, the wave sent {len(trial.requests):,}"
    return Finding(status=Status.WARN, evidence=evidence, hint=_HINT, weight=most - len(trial.requests))


CHECK = make_check("V20", "no foreign traffic", _judge)
