"""V11: what bounds the cell: a full KV cache or queue, or the reading of prompts.

Looks at: streams x (prompt + output) against the size of the KV cache, streams against the server's slots, the rise of
    preemptions, the gauges of waiting requests and KV use; and output rate against prefill rate x output / prompt.
Warns when: the streams do not fit (more tokens than the KV cache holds, more streams than slots, preemptions, requests
    waiting in all of at least three scrapes, KV use above 95 %): ``queue-bound``. Or when the output rate equals,
    within 15 %, what reading the prompts of a wave sent at once allows: ``cold-prefill-bound`` (``prefill-bound`` with
    depth); then output tok/s says how fast prompts are read, not how fast text is written.
Invalid when: never: the numbers are right, but they are not what the row seems to say.
Unknown when: nothing is bound by the numbers at hand, and the server tells neither KV size, slots, preemptions nor use.
Source: arithmetic: a wave whose time is all prefill delivers output x prefill rate / prompt tokens, at any concurrency.
"""

__all__ = ["CHECK"]

from collections.abc import Sequence

from sparktune.bench.validity._shared import Finding, completed_requests, counters_hint, make_check, measured_median
from sparktune.bench.waves import held_back
from sparktune.model.check import CellEvidence, RunEvidence, Status
from sparktune.model.trial import Trial
from sparktune.units import Ratio, Tokens, format_percent, format_rate

_KV_FULL: Ratio = 0.95
_NEAR: Ratio = 0.15
_FEWEST_SCRAPES = 3
_QUEUE_HINT = "streams wait for each other: use fewer or shorter ones, or give the server more KV cache or slots"
_PREFILL_HINT = "output tok/s is set by prompt reading here: compare TTFT and decode tok/s instead"


def _judge(cell: CellEvidence, run: RunEvidence) -> Sequence[Finding]:
    full = _queue_evidence(cell, run)
    findings = [Finding(status=Status.WARN, evidence=text, hint=_QUEUE_HINT, label="queue-bound") for text in full]
    prefill = _prefill_evidence(cell)
    if prefill:
        label = "prefill-bound" if cell.cell.depth else "cold-prefill-bound"
        findings.append(Finding(status=Status.WARN, evidence=prefill, hint=_PREFILL_HINT, label=label, weight=-1))
    return findings or [_unbound(cell, run)]


def _queue_evidence(cell: CellEvidence, run: RunEvidence) -> list[str]:
    shape, pool, slots = cell.cell, run.engine.kv_pool_tokens, run.engine.slots
    need = shape.concurrency * _longest(cell)
    found = []
    if pool is not None and need > pool:
        found.append(f"{shape.concurrency} streams need {need:,} tokens of KV cache, it holds {pool:,}")
    if slots is not None and shape.concurrency > slots:
        found.append(f"{shape.concurrency} streams, the server runs {slots} at once")
    evicted = sum(trial.counters.preemptions or 0 for trial in cell.trials if trial.counters)
    if evicted:
        found.append(f"{evicted:g} preemptions")
    queued = [trial for trial in cell.trials if _waited_throughout(trial)]
    if queued:
        found.append(f"requests were waiting in every scrape of {len(queued)} of {len(cell.trials)} trials")
    peak = max(_kv_use(cell), default=0.0)
    if peak > _KV_FULL:
        found.append(f"KV cache use up to {format_percent(peak)}")
    return found


def _longest(cell: CellEvidence) -> Tokens:
    """Return the tokens of the longest request, output included; own prompts have the lengths that were seen."""
    if cell.cell.prompts is None and cell.cell.replay is None:
        return cell.cell.total_prompt_tokens + cell.cell.output_tokens
    seen = [
        (request.timeline.usage.prompt_tokens or request.prompt_tokens_asked) + request.output_tokens_asked
        for request in completed_requests(cell)
    ]
    return max(seen, default=0)


def _waited_throughout(trial: Trial) -> bool:
    waiting = [sample.waiting for sample in trial.gauges if sample.waiting is not None]
    return len(waiting) >= _FEWEST_SCRAPES and min(waiting) > 0


def _kv_use(cell: CellEvidence) -> list[Ratio]:
    return [sample.kv_use for trial in cell.trials for sample in trial.gauges if sample.kv_use is not None]


def _prefill_evidence(cell: CellEvidence) -> str:
    if not cell.cell.is_plain:  # a wave that waits for its plan, or for other prompts, is not all prefill
        return ""
    if any(held_back(request) for request in completed_requests(cell)):
        return ""  # nobody knows when reading ended
    output, prefill = measured_median(cell, "output_tok_s"), measured_median(cell, "prefill_tok_s")
    # An answer may end early where its length is not fixed; what counts is what was written.
    written = measured_median(cell, "output_tokens")
    if not output or not prefill or not written:
        return ""
    bound = prefill * written / cell.cell.prompt_tokens
    if abs(output / bound - 1) > _NEAR:
        return ""
    return (
        f"output {format_rate(output)} tok/s is what reading prompts at {format_rate(prefill)} tok/s allows: "
        f"{format_rate(bound)} tok/s"
    )


def _unbound(cell: CellEvidence, run: RunEvidence) -> Finding:
    known = []
    if run.engine.kv_pool_tokens is not None:
        known.append(f"a KV cache of {run.engine.kv_pool_tokens:,} tokens")
    if run.engine.slots is not None:
        known.append(f"{run.engine.slots} slots")
    if all(trial.counters and trial.counters.preemptions is not None for trial in cell.trials):
        known.append("0 preemptions")
    if use := _kv_use(cell):
        known.append(f"KV use up to {format_percent(max(use))}")
    if known:
        return Finding(status=Status.OK, evidence="the streams fit: " + ", ".join(known))
    evidence = "the server tells neither the size nor the use of its KV cache, nor slots or preemptions"
    return Finding(status=Status.UNKNOWN, evidence=evidence, hint=counters_hint(run))


CHECK = make_check("V11", "what bounds the cell", _judge)
