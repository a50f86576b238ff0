"""How many tokens the prompts really had, context and chat template included; the row's name says what was asked.

Formula: ``usage.prompt_tokens`` of each request
Unit: tokens
Better: neither
Undefined when: the server does not count the prompt tokens of a completed stream.
Source: the OpenAI API's ``usage`` object, as vLLM, SGLang and llama.cpp send it.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import per_request
from sparktune.model.metric import Better, Metric, Scope, Unknown
from sparktune.model.trial import Request


def _prompt_tokens(request: Request) -> float | Unknown:
    tokens = request.timeline.usage.prompt_tokens
    return Unknown("the server does not count the prompt tokens of {streams}") if tokens is None else tokens


METRIC = Metric(
    name="prompt_tokens",
    title="prompt tokens",
    unit="tokens",
    scope=Scope.REQUEST,
    better=Better.NEITHER,
    compute=per_request(_prompt_tokens),
    order=310,
)
