"""V21: the stream was not understood whole, or contradicts itself.

Looks at: delta fields that carried text but are not known, counts per chunk against the server's total, notes of the
    decoder, builds that answered, and how tokens were counted.
Warns when: an unknown field carried text (it is counted as output, but whether a user sees it is not known), the
    decoder noted a contradiction, or requests were answered by different builds.
Invalid when: the counts per chunk differ from the total by more than 2 % and more than one token.
Unknown when: the server tells no count, or only a total, for a stream: no rate of a single stream can be given then.
Source: a renamed streaming field gave a rate that was never there: github.com/hasso5703/dgx-spark-qwen38 issue 2.
    Chunks counted as tokens, 5.51 instead of 25.16 tokens per second: github.com/eugr/llama-benchy pull request 11.
"""

__all__ = ["CHECK"]

from collections import Counter
from collections.abc import Sequence

from sparktune.bench.validity._shared import Finding, completed_requests, make_check, plural
from sparktune.model.check import CellEvidence, RunEvidence, Status
from sparktune.model.timeline import CountMethod, Timeline
from sparktune.units import Ratio

_COUNTS: Ratio = 0.02
_NO_RATE = (CountMethod.TOTAL_ONLY, CountMethod.NONE)


def _judge(cell: CellEvidence, run: RunEvidence) -> Sequence[Finding]:
    timelines = [request.timeline for request in completed_requests(cell)]
    if not timelines:
        return [Finding(status=Status.UNKNOWN, evidence="no request of this cell completed")]
    judged = (_fields(timelines, run.engine.name), _counts(timelines), _notes(timelines), _builds(timelines))
    return [*(found for found in judged if found), _methods(timelines)]


def _fields(timelines: Sequence[Timeline], engine: str) -> Finding | None:
    names = Counter(name for timeline in timelines for name in timeline.unknown_fields)
    if not names:
        return None
    listed = ", ".join(f"{name} ({plural(count, 'stream')})" for name, count in sorted(names.items()))
    hint = f"name the field in text_fields of the engine {engine}; the kept bytes can be decoded again: runs show RUN"
    return Finding(status=Status.WARN, evidence=f"unknown fields carried text: {listed}", hint=hint)


def _counts(timelines: Sequence[Timeline]) -> Finding | None:
    wrong = [pair for timeline in timelines if _differ(*(pair := _both_counts(timeline)))]
    if not wrong:
        return None
    chunks, total = max(wrong, key=lambda pair: abs(pair[0] - pair[1]))
    evidence = f"chunks carried {chunks:,} tokens, usage says {total:,} (so in {plural(len(wrong), 'stream')})"
    hint = "tokens came without a chunk, or chunks without a count: report it with the recorded bytes"
    return Finding(status=Status.INVALID, evidence=evidence, hint=hint)


def _both_counts(timeline: Timeline) -> tuple[int, int]:
    total = timeline.usage.completion_tokens
    if timeline.output_tokens is None or total is None:
        return 0, 0
    return sum(timeline.output_tokens), total


def _differ(chunks: int, total: int) -> bool:
    return abs(chunks - total) > max(1.0, _COUNTS * total)


def _notes(timelines: Sequence[Timeline]) -> Finding | None:
    notes = Counter(note for timeline in timelines for note in timeline.notes)
    if not notes:
        return None
    listed = "; ".join(f"{note} ({plural(count, 'stream')})" for note, count in notes.most_common())
    return Finding(status=Status.WARN, evidence=listed, hint="the recorded bytes are kept: runs show RUN")


def _builds(timelines: Sequence[Timeline]) -> Finding | None:
    builds = sorted({timeline.fingerprint for timeline in timelines if timeline.fingerprint})
    if len(builds) <= 1:
        return None
    hint = "is a load balancer between here and the server, or was it restarted?"
    evidence = f"answers came from {len(builds)} builds: {', '.join(builds)}"
    return Finding(status=Status.WARN, evidence=evidence, hint=hint)


def _methods(timelines: Sequence[Timeline]) -> Finding:
    methods = Counter(timeline.count_method for timeline in timelines)
    listed = [f"{method.value} ({plural(count, 'stream')})" for method, count in methods.items()]
    evidence = f"tokens counted by {', '.join(listed)}"
    if any(method in _NO_RATE for method in methods):
        hint = "ask for counts per chunk: a server that sends usage or token ids in every chunk tells them"
        return Finding(status=Status.UNKNOWN, evidence=evidence, hint=hint)
    return Finding(status=Status.OK, evidence=evidence)


CHECK = make_check("V21", "stream understood", _judge)
