"""How many tokens one output chunk carries on average: what a tool that counts chunks as tokens is wrong by.

Formula: N / number of output chunks, per stream
Unit: tokens
Better: neither
Undefined when: a completed stream has no token count or no output.
Source: our own; vLLM and SGLang send all tokens of a (speculative) step in one chunk, and merge chunks when a client
    or their own front end lags.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import NOT_COUNTED, last_output_ns, per_request
from sparktune.bench.waves import total_tokens
from sparktune.model.metric import Better, Metric, Scope, Unknown
from sparktune.model.trial import Request


def _tokens_per_chunk(request: Request) -> float | Unknown:
    total, last = total_tokens(request.timeline), last_output_ns(request)
    if isinstance(last, Unknown):
        return last
    return Unknown(NOT_COUNTED) if total is None else total / len(request.timeline.output_ns)


METRIC = Metric(
    name="tokens_per_chunk",
    title="tokens/chunk",
    unit="tokens",
    scope=Scope.REQUEST,
    better=Better.NEITHER,
    compute=per_request(_tokens_per_chunk),
    order=300,
)
