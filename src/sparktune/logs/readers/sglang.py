"""What an SGLang says: weights, pool, graphs, and each batch of decoding.

Source: SGLang 0.5.23, managers/scheduler_metrics_mixin.py, model_executor/model_runner.py and cuda_graph_runner.py.
"""

__all__ = ["READER"]

import re
from collections.abc import Iterator

from sparktune.logs.readers._shared import fact, pattern_reader
from sparktune.model.log import LogFact, LogLine

_NUMBER = r"\d+(?:\.\d+)?"
_USE = re.compile(rf"token usage: (?P<use>{_NUMBER})", re.ASCII)
_RATE = re.compile(rf"accept rate: (?P<rate>{_NUMBER})", re.ASCII)
_OUTSIDE = re.compile(r"#running-req: (?P<running>\d+).*cuda graph: False", re.ASCII)
_SIZES = re.compile(r"CUDA graph end\. bs=\[(?P<sizes>[\d, ]{1,4000})\]", re.ASCII)


def _more(line: LogLine) -> Iterator[LogFact]:
    if "The server is fired up and ready to roll" in line.text:
        yield fact("ready", True, line)
    sizes = _SIZES.search(line.text)
    if sizes is not None:
        found = tuple(int(one) for one in re.findall(r"\d+", sizes["sizes"]))
        yield fact("graph_sizes", found, line)
        yield fact("graph_largest_batch", max(found, default=0), line)
    if "Decode batch" not in line.text:
        return
    for pattern, key in ((_USE, "stats_kv_use"), (_RATE, "spec_rate")):
        share = pattern.search(line.text)
        if share is not None:
            yield fact(key, round(float(share[1]) * 100, 3), line)
    outside = _OUTSIDE.search(line.text)
    if outside is not None:
        yield fact("stats_without_graph", int(outside["running"]), line)


READER = pattern_reader(
    "sglang",
    (
        "Load weight end. ",
        "max_total_num_tokens=",
        "CUDA graph end. ",
        "Decode batch",
        "The server is fired up",
    ),
    (
        rf"Load weight end\. elapsed=(?P<weights_loaded_s>{_NUMBER}) s",
        rf"CUDA graph end\. .*elapsed=(?P<graph_s>{_NUMBER}) s",
        r"\bmax_total_num_tokens=(?P<kv_pool_tokens>\d+)",
        r"\bmax_total_num_tokens=.*\bmax_running_requests=(?P<max_running>\d+)",
        r"\bmax_total_num_tokens=.*\bcontext_len=(?P<kv_length_tokens>\d+)",
        rf"\bmax_total_num_tokens=.*\bavailable_gpu_mem=(?P<memory_left_gb>{_NUMBER}) GB",
        r"Decode batch.*#running-req: (?P<stats_running>\d+)",
        r"Decode batch.*#queue-req: (?P<stats_waiting>\d+)",
        rf"Decode batch.*gen throughput \(token/s\): (?P<stats_generation_tok_s>{_NUMBER})",
        rf"Decode batch.*accept len: (?P<spec_length>{_NUMBER})",
    ),
    (_more,),
)
