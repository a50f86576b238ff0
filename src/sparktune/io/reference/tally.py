"""The counters of the reference server, and how vLLM would name them.

Source: metric names and labels of vLLM 0.33, ``v1/metrics/loggers.py``.
"""

__all__ = ["BLOCKS", "Tally", "exposition"]

from collections.abc import Iterator
from dataclasses import dataclass, field

from sparktune.io.reference.knobs import Knobs
from sparktune.io.reference.prompts import BLOCK_TOKENS
from sparktune.units import Seconds, Tokens

BLOCKS = 32_768
"""The size of the imitated KV cache, in blocks of 16 tokens."""


@dataclass(slots=True, kw_only=True)
class Tally:
    """Counters since the start; the one mutable record, changed by the server alone."""

    started_wall_s: Seconds
    prompt_tokens: Tokens = 0
    cached_tokens: Tokens = 0
    generation_tokens: Tokens = 0
    finished: dict[str, int] = field(default_factory=dict)
    drafts: int = 0
    draft_tokens: Tokens = 0
    accepted: list[int] = field(default_factory=list)

    def arrived(self, knobs: Knobs, prompt_tokens: Tokens, cached_tokens: Tokens) -> None:
        """Count a prompt, and the other client's where one is imitated."""
        self.prompt_tokens += prompt_tokens + knobs.foreign
        self.cached_tokens += cached_tokens

    def ended(self, knobs: Knobs, reason: str, sizes: tuple[Tokens, ...]) -> None:
        """Count the chunks of an answer that has ended, and the other client's where one is imitated."""
        self.generation_tokens += sum(sizes) + knobs.foreign
        self.finished[reason] = self.finished.get(reason, 0) + 1
        if knobs.foreign:
            self.finished["length"] = self.finished.get("length", 0) + 1
        for size in sizes if knobs.spec_k else ():
            self._drafted(knobs.spec_k, size - 1)

    def _drafted(self, drafted: int, accepted: int) -> None:
        self.drafts += 1
        self.draft_tokens += drafted
        self.accepted += [0] * (drafted - len(self.accepted))
        for position in range(accepted):
            self.accepted[position] += 1


def exposition(tally: Tally, knobs: Knobs, *, running: int, waiting: int, kv_tokens: Tokens) -> bytes:
    """Return the counters and gauges in Prometheus' text format."""
    base = f'engine="0",model_name="{knobs.models[0]}"'
    lines = [
        *_metric("num_requests_running", "gauge", [(base, running)]),
        *_metric("num_requests_waiting", "gauge", [(base, waiting)]),
        *_metric("kv_cache_usage_perc", "gauge", [(base, kv_tokens / (BLOCKS * BLOCK_TOKENS))]),
        *_metric("cache_config_info", "gauge", [(f"{_cache_config(knobs)},{base}", 1)]),
        *_metric("prefix_cache_queries_total", "counter", [(base, tally.prompt_tokens)]),
        *_metric("prefix_cache_hits_total", "counter", [(base, tally.cached_tokens)]),
        *_metric("num_preemptions_total", "counter", [(base, 0)]),
        *_metric("prompt_tokens_total", "counter", [(base, tally.prompt_tokens)]),
        *_metric("prompt_tokens_cached_total", "counter", [(base, tally.cached_tokens)]),
        *_metric("generation_tokens_total", "counter", [(base, tally.generation_tokens)]),
        *_metric("request_success_total", "counter", _by_reason(tally, base)),
        *(_speculation(tally, base) if knobs.spec_k else ()),
        "# TYPE process_start_time_seconds gauge",
        f"process_start_time_seconds {tally.started_wall_s}",
    ]
    return "\n".join(lines).encode() + b"\n"


def _metric(name: str, kind: str, samples: list[tuple[str, float]]) -> Iterator[str]:
    yield f"# HELP vllm:{name} {name}"
    yield f"# TYPE vllm:{name} {kind}"
    for labels, value in samples:
        yield f"vllm:{name}{{{labels}}} {float(value)}"


def _cache_config(knobs: Knobs) -> str:
    return f'block_size="{BLOCK_TOKENS}",enable_prefix_caching="{knobs.prefix_cache}",num_gpu_blocks="{BLOCKS}"'


def _by_reason(tally: Tally, base: str) -> list[tuple[str, float]]:
    reasons = ("stop", "length", "abort", "error")
    return [(f'finished_reason="{reason}",{base}', tally.finished.get(reason, 0)) for reason in reasons]


def _speculation(tally: Tally, base: str) -> Iterator[str]:
    accepted: list[tuple[str, float]] = [
        (f'position="{index}",{base}', count) for index, count in enumerate(tally.accepted)
    ]
    yield from _metric("spec_decode_num_drafts_total", "counter", [(base, tally.drafts)])
    yield from _metric("spec_decode_num_draft_tokens_total", "counter", [(base, tally.draft_tokens)])
    yield from _metric("spec_decode_num_accepted_tokens_total", "counter", [(base, sum(tally.accepted))])
    yield from _metric("spec_decode_num_accepted_tokens_per_pos_total", "counter", accepted)
