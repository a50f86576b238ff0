"""What a vLLM writes every few seconds while it serves: averages over that interval, not a measurement.

Prompt tokens from the cache are not in the prompt rate; "prefix cache hit rate" is of the last 1000 requests. Source:
vLLM 0.8 to 0.33, v1/metrics/loggers.py.
"""

__all__ = ["READER"]

from sparktune.logs.readers._shared import pattern_reader

_NUMBER = r"(?:\d+(?:\.\d+)?|nan)"

READER = pattern_reader(
    "vllm",
    ("Avg prompt throughput: ", "Avg generation throughput: "),
    (
        rf"Avg prompt throughput: (?P<stats_prompt_tok_s>{_NUMBER}) tokens/s",
        rf"Avg generation throughput: (?P<stats_generation_tok_s>{_NUMBER}) tokens/s",
        r"Running: (?P<stats_running>\d+) reqs",
        r"Waiting: (?P<stats_waiting>\d+) reqs",
        r"Deferred: (?P<stats_deferred>\d+) reqs",
        r"Preemptions: (?P<stats_preemptions>\d+)",
        rf"KV cache usage: (?P<stats_kv_use>{_NUMBER})%",
        rf"\bPrefix cache hit rate: (?P<stats_prefix_hits>{_NUMBER})%",
    ),
)
