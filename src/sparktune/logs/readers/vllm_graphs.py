"""Which CUDA graphs a vLLM captures: sizes, how many, how long it took, and whether their memory is counted.

Source: vLLM 0.10 to 0.33, config/vllm.py, v1/worker/gpu_model_runner.py and gpu_worker.py; the bars are tqdm's.
"""

__all__ = ["READER"]

import re
from collections.abc import Iterator

from sparktune.logs.readers._shared import fact, pattern_reader
from sparktune.model.log import LogFact, LogLine

_SIZES = re.compile(r"cudagraph_capture_sizes'?\"?[:=] ?\[(?P<sizes>[\d, ]{0,4000})\]", re.ASCII)


def _sizes(line: LogLine) -> Iterator[LogFact]:
    found = _SIZES.search(line.text) if "with config: " in line.text else None
    if found is not None:
        yield fact("graph_sizes", tuple(int(one) for one in re.findall(r"\d+", found["sizes"])), line)


READER = pattern_reader(
    "vllm",
    (
        "Truncating max_cudagraph_capture_size to ",
        "cudagraph_capture_sizes",
        "Capturing CUDA graphs",
        "Profiling CUDA graph memory: ",
        "Graph capturing finished in ",
        "CUDA graph memory profiling is disabled",
    ),
    (
        r"Truncating max_cudagraph_capture_size to (?P<graph_truncated_tokens>\d{1,9})",
        r"Capturing CUDA graphs \([^)]{0,60}FULL\): 100%.* (?P<graph_full_count>\d{1,6})/\d",
        r"Capturing CUDA graphs \([^)]{0,60}PIECEWISE\): 100%.* (?P<graph_piecewise_count>\d{1,6})/\d",
        r"Profiling CUDA graph memory: .*PIECEWISE=(?P<graph_piecewise_count>\d{1,6})",
        r"Profiling CUDA graph .*\bFULL=(?P<graph_full_count>\d{1,6}) \(largest=(?P<graph_full_largest>\d{1,9})\)",
        r"Graph capturing finished in (?P<graph_s>\d+) secs?, took (?P<graph_gib>-?\d+(?:\.\d+)?) GiB",
        r"graph memory profiling is disabled.* from (?P<graph_memory_from>\d\.\d+) to (?P<graph_memory_to>\d\.\d+)",
    ),
    (_sizes,),
)
