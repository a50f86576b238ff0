"""How many tokens the streams really got, reasoning included; the row's name says what was asked.

Formula: N of each request: ``usage.completion_tokens``, else the sum of the counts per chunk
Unit: tokens
Better: neither
Undefined when: the server told no token count for a completed stream.
Source: the OpenAI API's ``usage`` object, as vLLM, SGLang and llama.cpp send it.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import NOT_COUNTED, per_request
from sparktune.bench.waves import total_tokens
from sparktune.model.metric import Better, Metric, Scope, Unknown
from sparktune.model.trial import Request


def _output_tokens(request: Request) -> float | Unknown:
    total = total_tokens(request.timeline)
    return Unknown(NOT_COUNTED) if total is None else total


METRIC = Metric(
    name="output_tokens",
    title="output tokens",
    unit="tokens",
    scope=Scope.REQUEST,
    better=Better.NEITHER,
    compute=per_request(_output_tokens),
    order=320,
)
