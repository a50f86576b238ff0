"""V04: TTFT does not grow with the prompt as reading it does.

Looks at: the slope of log TTFT over log prompt tokens between neighbouring prompts of 2048 tokens or more, without
    depth, with the same streams and answer, in one arm.
Warns when: a slope is outside 0.7 to 1.6.
Invalid when: never: V02 tells which rows are void.
Unknown when: no arm has two such prompt lengths with a TTFT.
Source: linear layers make the time for a prompt grow with its length, attention faster; a slope near 0 is a cache, one
    far above 1.6 swapping, eviction or a queue.
"""

__all__ = ["TABLE_CHECK"]

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from sparktune.experiment.checks._shared import Finding, listed, make_table_check, prompt_tokens_of, unknown
from sparktune.model.check import Status
from sparktune.model.table import Table
from sparktune.model.table_check import TableContext
from sparktune.units import Tokens, format_seconds

_FEWEST: Tokens = 2048
_FLATTEST, _STEEPEST = 0.7, 1.6
_HINT = "a flat TTFT is a cache: see V02; a steep one a full one: see V11"


def _judge(table: Table, _: TableContext) -> Sequence[Finding]:
    lines: dict[tuple[object, ...], dict[Tokens, list[float]]] = {}
    for row in table.rows:
        prompt, ttft = prompt_tokens_of(row), row.values.get("ttft_s")
        if prompt is not None and prompt >= _FEWEST and ttft and not row.depth and not row.prompt_id:
            key = (row.arm, row.concurrency, row.output_tokens, row.label)
            lines.setdefault(key, {}).setdefault(prompt, []).append(ttft)
    slopes = [found for (arm, streams, *_), line in lines.items() for found in _slopes(str(arm), streams, line)]
    if not slopes:
        return [unknown(f"it needs ttft_s of two prompt lengths from {_FEWEST} tokens on, without depth, in one arm")]
    odd = [(words, slope) for words, slope in slopes if not _FLATTEST <= slope <= _STEEPEST]
    if not odd:
        flat, steep = min(slope for _, slope in slopes), max(slope for _, slope in slopes)
        return [Finding(status=Status.OK, evidence=f"slopes from {flat:.2f} to {steep:.2f}")]
    ordered = [words for words, _ in sorted(odd, key=lambda item: -abs(item[1] - 1))]
    evidence = f"{len(odd)} of {len(slopes)} slopes of TTFT outside {_FLATTEST} to {_STEEPEST}: {listed(ordered, 3)}"
    return [Finding(status=Status.WARN, evidence=evidence, hint=_HINT)]


def _slopes(arm: str, streams: object, line: dict[Tokens, list[float]]) -> list[tuple[str, float]]:
    where = (f" x {streams}" if streams else "") + (f", arm {arm}" if arm else "")
    found = []
    for short, long in pairwise(sorted(line)):
        before, after = median(line[short]), median(line[long])
        slope = math.log(after / before) / math.log(long / short)
        times = f"{format_seconds(before)} at {short}, {format_seconds(after)} at {long} tokens"
        found.append((f"{slope:.2f} ({times}{where})", slope))
    return found


TABLE_CHECK = make_table_check("V04", "TTFT grows with the prompt", _judge, source="arithmetic of the transformer")
