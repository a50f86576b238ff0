"""How much of its drafts a vLLM accepts, over an interval, in the words of three generations.

0.8 has rate, accepted and drafted; 0.9 adds length and positions; later the rate is "Avg Draft acceptance rate". A rate
of nan is one of no drafts. Source: vLLM 0.8 to 0.33, v1/spec_decode/metrics.py.
"""

__all__ = ["READER"]

import re
from collections.abc import Iterator

from sparktune.logs.readers._shared import fact, pattern_reader
from sparktune.model.log import LogFact, LogLine

_NUMBER = r"(?:\d+(?:\.\d+)?|nan)"
_POSITIONS = re.compile(r"Per-position acceptance rate: (?P<rates>\d\.\d+(?:, \d\.\d+){0,63})", re.ASCII)


def _positions(line: LogLine) -> Iterator[LogFact]:
    found = _POSITIONS.search(line.text)
    if found is not None:
        yield fact("spec_positions", tuple(float(one) for one in found["rates"].split(", ")), line)


READER = pattern_reader(
    "vllm",
    ("SpecDecoding metrics: ",),
    (
        rf"SpecDecoding metrics: .*\bMean acceptance length: (?P<spec_length>{_NUMBER})",
        rf"SpecDecoding metrics: .*?Draft acceptance rate: (?P<spec_rate>{_NUMBER})%",
        r"SpecDecoding metrics: .*\bAccepted: (?P<spec_accepted>\d+) tokens",
        r"SpecDecoding metrics: .*\bDrafted: (?P<spec_drafted>\d+) tokens",
    ),
    (_positions,),
)
