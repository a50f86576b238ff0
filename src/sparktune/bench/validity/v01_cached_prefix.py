"""V01: prompts that should be cold were answered from a cache, or a context that should be cached was not.

Looks at: cached prompt tokens per request (``usage.cached_tokens``), else the wave's rise of the server's counter of
    cached prompt tokens, else of prefix cache hits.
Warns when: the context of a cell with depth was cached to less than depth - 2 % - one block, but to 90 % at least.
Invalid when: a cell without depth took more than 2 % of a prompt plus one block from a cache; the context of a cell
    with depth was cached to less than 90 % minus one block; or more than the context (plus 2 % of the prompt and one
    block) was cached. A block is the engine's, and at least 16 tokens: a chat template's own beginning is shared.
Unknown when: prompts share prefixes on purpose (a household, own prompts without a nonce, a replay); or neither source
    tells. An absent count is not 0: vLLM leaves it out for a request without a hit.
Source: vLLM, prefix caching works in whole blocks and needs ``--enable-prompt-tokens-details`` to tell; SGLang needs
    ``--enable-cache-report``. A prefix cache hit makes TTFT depend on the uncached rest only.
"""

__all__ = ["CHECK"]

from collections.abc import Sequence

from sparktune.bench.validity._shared import WARM, Finding, make_check, over_trials
from sparktune.bench.waves import cached_tokens, prompt_tokens
from sparktune.model.check import CellEvidence, RunEvidence, Status
from sparktune.model.trial import Request, Trial
from sparktune.units import Ratio, Tokens, count_of, format_percent

_SHARE: Ratio = 0.02
_MOSTLY_CACHED: Ratio = 0.90
_LEAST_BLOCK: Tokens = 16
_TELL_FLAGS = {
    "vllm": "start vLLM with --enable-prompt-tokens-details, and let /metrics be reachable",
    "sglang": "start SGLang with --enable-cache-report, or with --enable-metrics",
    "llamacpp": "start llama-server with --metrics; recent builds also tell it in usage",
}
_COLD_HINT = "prompts were not cold: clear the server's prefix cache or restart it, and look for another client"
_CONTEXT_HINT = (
    "the context was computed again: is prefix caching on, and is the KV cache large enough to keep it? Without both, "
    "measure the whole prompt with depth 0"
)


def _judge(cell: CellEvidence, run: RunEvidence) -> Sequence[Finding]:
    if cell.cell.is_warm:
        return [Finding(status=Status.UNKNOWN, evidence=WARM)]
    block = max(_LEAST_BLOCK, run.engine.block_tokens or 0)
    return [over_trials(cell, lambda trial: _judge_trial(trial, block, run.engine.name))]


def _judge_trial(trial: Trial, block: Tokens, engine: str) -> Finding:
    told = [found for request in trial.completed if (found := _judge_request(request, trial.cell.depth, block))]
    if told and (len(told) == len(trial.completed) or any(found.status is Status.INVALID for found in told)):
        return max(told, key=lambda found: (found.status is Status.INVALID, found.status is Status.WARN, found.weight))
    cached, count, prompt = cached_tokens(trial), len(trial.completed), prompt_tokens(trial)
    if cached is None or prompt is None:
        missing = f"the server does not say how many of the prompt tokens of {count_of(count, 'stream')} were cached"
        hint = _TELL_FLAGS.get(engine, "this server does not tell; V02, V03 and V04 look for signs of a cache")
        return Finding(status=Status.UNKNOWN, evidence=missing, hint=hint)
    return _judge_counts(cached.tokens / count, prompt / count, trial.cell.depth, block, cached.source)


def _judge_request(request: Request, depth: Tokens, block: Tokens) -> Finding | None:
    cached, prompt = request.timeline.usage.cached_tokens, request.timeline.usage.prompt_tokens
    if cached is None:
        return None
    return _judge_counts(cached, prompt or request.prompt_tokens_asked, depth, block, "usage.cached_tokens")


def _judge_counts(cached: float, prompt: float, depth: Tokens, block: Tokens, source: str) -> Finding:
    share = format_percent(cached / prompt)
    numbers = f"{cached:,.0f} of {prompt:,.0f} prompt tokens of a stream ({share}) were cached, by {source}"
    allowed = depth + _SHARE * (prompt - depth) + block
    if cached > allowed:
        return Finding(
            status=Status.INVALID,
            evidence=f"{numbers}; at most {allowed:,.0f} may be",
            hint=_COLD_HINT,
            weight=cached,
        )
    missing = depth - cached
    wanted = f"{numbers}; the context has {depth:,}"
    if missing > (1 - _MOSTLY_CACHED) * depth + block:
        return Finding(status=Status.INVALID, evidence=wanted, hint=_CONTEXT_HINT, weight=missing)
    if missing > _SHARE * depth + block:
        return Finding(status=Status.WARN, evidence=wanted, hint=_CONTEXT_HINT, weight=missing)
    return Finding(status=Status.OK, evidence=numbers, weight=cached)


CHECK = make_check("V01", "prompts cold, contexts cached", _judge)
