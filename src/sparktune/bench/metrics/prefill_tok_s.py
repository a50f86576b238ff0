"""How fast the server reads prompts: tokens to compute over the time in which a stream waited for its first output.

Formula: sum of (prompt tokens - cached tokens) over the streams / time in which at least one stream had been sent and
    had no output. Of a wave that is sent at once that time is last first-output - first send; with one stream it is
    TTFT. One formula for every concurrency and all arrivals.
Unit: tok/s
Better: higher
Undefined when: the server does not count prompt tokens; an answer was held back until it was whole, so that nobody
    knows when reading ended; or a context is loaded (depth), or prompts share prefixes on
    purpose, and neither the requests' usage nor the counters say how much of the prompt came from the cache. In every
    other cell every prompt begins with a nonce, so that an untold number of cached tokens is 0 by construction; V01,
    V02 and V03 watch that.
Source: llama-benchy 0.4.0 counts cached tokens as computed, subtracts a latency at one stream only and begins at the
    role chunk; none of that is done here. From two streams on the time also holds decode steps of the early streams,
    so it is a lower bound of the engine's speed.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import per_wave
from sparktune.bench.waves import cached_tokens, held_back, prefill_span_s, prompt_tokens
from sparktune.model.metric import Better, Metric, Scope, Unknown
from sparktune.model.trial import Trial


def _prefill_tok_s(trial: Trial) -> float | Unknown:
    prompt, span = prompt_tokens(trial), prefill_span_s(trial)
    if prompt is None:
        return Unknown("the server does not say how many tokens the prompts had")
    if span is None:
        return Unknown("a stream of the wave sent no output")
    held = sum(map(held_back, trial.completed))
    if held:
        return Unknown(
            f"the answers of {held} of {len(trial.completed)} streams came in one burst, held back till then"
        )
    cached = cached_tokens(trial)
    if cached is None and (trial.cell.depth or trial.cell.is_warm):
        return Unknown("the server does not say how many tokens of the prompt came from its cache")
    computed = prompt - (cached.tokens if cached else 0)
    if computed <= 0 or span <= 0:
        return Unknown(f"the server says that {computed:g} of {prompt} prompt tokens were computed in {span:g} s")
    return computed / span


METRIC = Metric(
    name="prefill_tok_s",
    title="prefill tok/s",
    unit="tok/s",
    scope=Scope.WAVE,
    better=Better.HIGHER,
    compute=per_wave(_prefill_tok_s),
    order=120,
    in_table=True,
)
