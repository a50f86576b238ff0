"""V21: the stream was not understood whole, or contradicts itself.

Looks at: delta fields that carried text but are not known, counts per chunk and the number of chunks against the
    server's total, notes of the decoder, builds and models that answered, and how tokens were counted.
Warns when: an unknown field carried text (it is counted as output, but whether a user sees it is not known), the
    decoder noted a contradiction, an answer of more than eight tokens came at one instant or in a burst after a long
    wait, requests were answered by different builds, or by a model that was not asked for.
Invalid when: the counts per chunk differ from the total by more than 2 % and more than one token; where chunks are not
    counted, there are more of them than the total has tokens, by more than 10 % and three; or tokens were counted and
    nothing came.
Unknown when: the server tells no count, or only a total, for a stream: no rate of a single stream can be given then.
Source: a renamed streaming field gave a rate that was never there: github.com/hasso5703/dgx-spark-qwen38 issue 2.
    Chunks counted as tokens, 5.51 instead of 25.16 tokens per second: github.com/eugr/llama-benchy pull request 11.
"""

__all__ = ["CHECK"]

from collections import Counter
from collections.abc import Sequence

from sparktune.bench.validity._shared import Finding, completed_requests, make_check
from sparktune.bench.waves import held_back
from sparktune.bench.wire import one_line
from sparktune.model.check import CellEvidence, RunEvidence, Status
from sparktune.model.names import same_model
from sparktune.model.timeline import CountMethod, Timeline
from sparktune.model.trial import Request
from sparktune.units import Ratio, count_of

_COUNTS: Ratio = 0.02
_SPLIT: Ratio = 0.10
_CUT = 3.0  # pieces
_NO_RATE = (CountMethod.TOTAL_ONLY, CountMethod.NONE)


def _judge(cell: CellEvidence, run: RunEvidence) -> Sequence[Finding]:
    timelines = [request.timeline for request in completed_requests(cell)]
    if not timelines:
        return [Finding(status=Status.UNKNOWN, evidence="no request of this cell completed")]
    judged = (
        _fields(timelines, run.engine.name),
        _counts(timelines),
        _pieces(timelines),
        _unseen(timelines),
        _held(completed_requests(cell)),
        _notes(timelines),
        _builds(timelines),
        _models(timelines, run.options.model),
    )
    return [*(found for found in judged if found), _methods(timelines)]


def _fields(timelines: Sequence[Timeline], engine: str) -> Finding | None:
    names = Counter(name for timeline in timelines for name in timeline.unknown_fields)
    if not names:
        return None
    listed = ", ".join(f"{name} ({count_of(count, 'stream')})" for name, count in sorted(names.items()))
    hint = f"name the field in text_fields of the engine {engine}; the kept bytes can be decoded again: runs show RUN"
    return Finding(status=Status.WARN, evidence=f"unknown fields carried text: {listed}", hint=hint)


def _counts(timelines: Sequence[Timeline]) -> Finding | None:
    wrong = [pair for timeline in timelines if _differ(*(pair := _both_counts(timeline)))]
    if not wrong:
        return None
    chunks, total = max(wrong, key=lambda pair: abs(pair[0] - pair[1]))
    evidence = f"chunks carried {chunks:,} tokens, usage says {total:,} (so in {count_of(len(wrong), 'stream')})"
    hint = "tokens came without a chunk, or chunks without a count: report it with the recorded bytes"
    return Finding(status=Status.INVALID, evidence=evidence, hint=hint)


def _both_counts(timeline: Timeline) -> tuple[int, int]:
    total = timeline.usage.completion_tokens
    if timeline.output_tokens is None or total is None:
        return 0, 0
    return sum(timeline.output_tokens), total


def _differ(chunks: int, total: int) -> bool:
    return abs(chunks - total) > max(1.0, _COUNTS * total)


def _pieces(timelines: Sequence[Timeline]) -> Finding | None:
    """Say that more pieces came than tokens were counted; a parser of tools or reasoning may cut a token or two."""
    wrong = [
        (len(timeline.output_ns), total)
        for timeline in timelines
        if timeline.output_tokens is None
        and (total := timeline.usage.completion_tokens) is not None
        and (len(timeline.output_ns) > total + max(_CUT, _SPLIT * total) or (total == 0 and timeline.output_ns))
    ]
    if not wrong:
        return None
    pieces, total = max(wrong, key=lambda pair: pair[0] - pair[1])
    evidence = f"{pieces:,} pieces of output came, usage says {total:,} tokens (so in {count_of(len(wrong), 'stream')})"
    hint = "the count is too low, or something between cuts or repeats the stream: ask the server without a proxy"
    return Finding(status=Status.INVALID, evidence=evidence, hint=hint)


def _unseen(timelines: Sequence[Timeline]) -> Finding | None:
    counts = [timeline.usage.completion_tokens or 0 for timeline in timelines if not timeline.output_ns]
    hidden = [count for count in counts if count > 1]  # one may be the end of the text
    if not hidden:
        return None
    evidence = f"usage says {max(hidden):,} tokens, and no output came (so in {count_of(len(hidden), 'stream')})"
    hint = "does the server keep its reasoning to itself? Switch it off (--thinking off), or ask for longer answers"
    return Finding(status=Status.INVALID, evidence=evidence, hint=hint)


def _held(requests: Sequence[Request]) -> Finding | None:
    held = sum(map(held_back, requests))
    if not held:
        return None
    answers = count_of(len(requests), "answer")
    evidence = f"{held} of {answers} came in one burst: held back on the way until it was whole"
    hint = (
        "TTFT is that of the whole answer, and no rate can be told: ask the server without a proxy, or let the proxy "
        "pass on what comes (nginx: proxy_buffering off)"
    )
    return Finding(status=Status.WARN, evidence=evidence, hint=hint)


def _notes(timelines: Sequence[Timeline]) -> Finding | None:
    notes = Counter(note for timeline in timelines for note in timeline.notes)
    if not notes:
        return None
    listed = "; ".join(f"{note} ({count_of(count, 'stream')})" for note, count in notes.most_common())
    return Finding(status=Status.WARN, evidence=listed, hint="the recorded bytes are kept: runs show RUN")


def _builds(timelines: Sequence[Timeline]) -> Finding | None:
    builds = sorted({timeline.fingerprint for timeline in timelines if timeline.fingerprint})
    if len(builds) <= 1:
        return None
    hint = "is a load balancer between here and the server, or was it restarted?"
    evidence = f"answers came from {len(builds)} builds: {', '.join(builds)}"
    return Finding(status=Status.WARN, evidence=evidence, hint=hint)


def _models(timelines: Sequence[Timeline], asked: str) -> Finding | None:
    """Say that another model answered; one name may be the end of the other, as of a path or a repository."""
    others = sorted({told for timeline in timelines if (told := timeline.model) and not same_model(told, asked)})
    if not asked or not others:
        return None
    evidence = f"{', '.join(one_line(name) for name in others[:3])} answered, asked was {one_line(asked)}"
    hint = "does a router send requests to another model, or is this its other name? The numbers are of what answered"
    return Finding(status=Status.WARN, evidence=evidence, hint=hint)


def _methods(timelines: Sequence[Timeline]) -> Finding:
    methods = Counter(timeline.count_method for timeline in timelines)
    listed = [f"{method.value} ({count_of(count, 'stream')})" for method, count in methods.items()]
    evidence = f"tokens counted by {', '.join(listed)}"
    if any(method in _NO_RATE for method in methods):
        hint = "ask for counts per chunk: a server that sends usage or token ids in every chunk tells them"
        return Finding(status=Status.UNKNOWN, evidence=evidence, hint=hint)
    return Finding(status=Status.OK, evidence=evidence)


CHECK = make_check("V21", "stream understood", _judge)
