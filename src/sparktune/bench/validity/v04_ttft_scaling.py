"""V04: a longer prompt did not take longer, or took far too long.

Looks at: the slope of log(TTFT) over log(prompt tokens) between this cell and its neighbours in prompt length, among
    cells of one stream with the same output and depth and 2048 prompt tokens or more.
Warns when: a slope is outside 0.7 .. 1.6. Reading a prompt costs between linear and quadratic time: a flat slope says
    that only a rest was computed (a cache), a steep one that the shorter prompt was cached or the longer one queued.
Invalid when: never.
Unknown when: the cell has several streams or a mix of requests (who waits for whom changes TTFT then), a shorter
    prompt, no neighbour, or
    no TTFT.
Source: arithmetic of the transformer: per prompt, linear layers cost linear and attention quadratic time.
"""

__all__ = ["CHECK"]

import math
from collections.abc import Sequence

from sparktune.bench.validity._shared import FEWEST_PROMPT_TOKENS, TOO_SHORT, Finding, make_check, measured_median
from sparktune.model.check import CellEvidence, RunEvidence, Status
from sparktune.units import format_seconds

_FLATTEST, _STEEPEST = 0.7, 1.6
_HINT = "look at V01 and V02; compare with a run after the server's cache was cleared"


def _judge(cell: CellEvidence, run: RunEvidence) -> Sequence[Finding]:
    if cell.cell.prompt_tokens < FEWEST_PROMPT_TOKENS:
        return [_unknown(TOO_SHORT)]
    if cell.cell.concurrency > 1 or cell.cell.is_mix:
        return [_unknown("judged with one stream only")]
    if not _ttft(cell):
        return [_unknown("the TTFT of this cell is not known")]
    row = sorted((other for other in run.cells if _is_comparable(cell, other)), key=_prompt)
    shorter = [other for other in row if _prompt(other) < _prompt(cell)]
    longer = [other for other in row if _prompt(other) > _prompt(cell)]
    pairs = [(other, cell) for other in shorter[-1:]] + [(cell, other) for other in longer[:1]]
    if not pairs:
        evidence = f"no other cell of one stream with {FEWEST_PROMPT_TOKENS} prompt tokens or more to compare with"
        return [_unknown(evidence, hint="measure two prompt lengths, for instance 2048 and 8192, in one run")]
    return [_judge_pair(short, long) for short, long in pairs]


def _judge_pair(short: CellEvidence, long: CellEvidence) -> Finding:
    before, after = _ttft(short), _ttft(long)
    slope = math.log(after / before) / math.log(_prompt(long) / _prompt(short))
    evidence = (
        f"TTFT {format_seconds(before)} at {_prompt(short):,} and {format_seconds(after)} at {_prompt(long):,} prompt "
        f"tokens: slope {slope:.2f}"
    )
    if _FLATTEST <= slope <= _STEEPEST:
        return Finding(status=Status.OK, evidence=evidence, weight=abs(slope - 1))
    expected = f"{evidence}, expected {_FLATTEST} to {_STEEPEST}"
    return Finding(status=Status.WARN, evidence=expected, hint=_HINT, weight=abs(slope - 1))


def _is_comparable(cell: CellEvidence, other: CellEvidence) -> bool:
    same = (other.cell.output_tokens, other.cell.depth, other.cell.concurrency)
    wanted = (cell.cell.output_tokens, cell.cell.depth, cell.cell.concurrency)
    return same == wanted and not other.cell.is_mix and _prompt(other) >= FEWEST_PROMPT_TOKENS and _ttft(other) > 0


def _prompt(cell: CellEvidence) -> int:
    return cell.cell.prompt_tokens


def _ttft(cell: CellEvidence) -> float:
    """Return the cell's TTFT; 0 where there is none that a logarithm could be taken of."""
    return max(0.0, measured_median(cell, "ttft_s") or 0.0)


def _unknown(evidence: str, hint: str = "") -> Finding:
    return Finding(status=Status.UNKNOWN, evidence=evidence, hint=hint)


CHECK = make_check("V04", "TTFT grows with the prompt", _judge)
