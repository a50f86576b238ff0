"""How many drafts a vLLM made and accepted since it started, from a saved text of its metrics.

Lines of ``_created`` are times, not counts, and have other names. Source: vLLM 0.25 and 0.33,
v1/spec_decode/metrics.py; the text format of Prometheus.
"""

__all__ = ["READER"]

import math
from collections.abc import Iterator
from typing import Final

from sparktune.bench.exposition import parse_exposition
from sparktune.logs.readers._shared import fact
from sparktune.model.log import LogFact, LogLine, LogReader

_KEYS: Final = {
    "vllm:spec_decode_num_drafts_total": "spec_drafts",
    "vllm:spec_decode_num_draft_tokens_total": "spec_drafted",
    "vllm:spec_decode_num_accepted_tokens_total": "spec_accepted",
}
_POSITION: Final = "vllm:spec_decode_num_accepted_tokens_per_pos_total"


def _read(line: LogLine) -> Iterator[LogFact]:
    if not line.text.startswith("vllm:"):
        return
    for sample in parse_exposition(line.text.encode()):
        if not math.isfinite(sample.value):
            continue
        if sample.name in _KEYS:
            yield fact(_KEYS[sample.name], int(sample.value), line)
        elif sample.name == _POSITION and sample.labels.get("position", "").isdecimal():
            yield fact("spec_position_count", (int(sample.labels["position"][:4]), int(sample.value)), line)


READER = LogReader(engine="vllm", words=("vllm:spec_decode_num_",), read=_read)
