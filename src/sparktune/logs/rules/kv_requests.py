"""How many requests of full length the KV cache holds, against how many the server admits."""

__all__ = ["RULE"]

import math
from collections.abc import Iterator

from sparktune.logs.rules._shared import at, log_rule, number, setting
from sparktune.model.finding import Finding, Severity
from sparktune.model.log import LogView


def _judge(view: LogView) -> Iterator[Finding]:
    for log in view.logs:
        held, length = log.fact("kv_full_requests"), log.fact("kv_length_tokens")
        if held is None or length is None or not isinstance(held.value, int | float):
            continue
        asked = setting(log, "max_num_seqs")
        most = number(asked.value) if asked is not None else None
        if most is not None and held.value >= most:
            continue
        admits = f", not {most}: max_num_seqs is a ceiling" if most is not None else ""
        yield at(
            log,
            held.line,
            Severity.INFO,
            f"the pool holds {math.floor(held.value)} requests of {length.value:,} tokens ({held.value}x){admits}",
            "more requests fit only while they are shorter; beyond that they wait or are preempted. What a "
            "launcher estimates is not the pool: what the engine logs is",
        )


RULE = log_rule(
    "kv-full-requests",
    title="The pool holds fewer requests of full length than the server admits",
    why="max_num_seqs reserves nothing.",
    source="vLLM 0.8 to 0.33, v1/core/kv_cache_utils.py",
    judge=_judge,
)
