"""V06: the requests of a cell were not the same work, or not the work that the row's name says.

Looks at: prompt tokens, output tokens and finish reasons of all measured requests, as the server counted them.
Warns when: output tokens differ by more than 2 %, or finish reasons by more than 2 % of the requests, in a run that
    leaves the end of an answer to the model; or answers of a fixed length are shorter than that, by more than 2 % and
    one token.
Invalid when: prompt tokens are further from what was asked, or from each other, than 1 % and one token; output tokens
    or finish reasons differ by more than 2 % in a run with a fixed output length; or more output tokens are counted
    than the request allowed, by more than 2 % and the eight of a last draft that is too long. Output tokens are
    compared among requests that asked for the same number; own prompts that were not counted before they were sent are
    compared with themselves in the other trials, to within a nonce of 16 tokens where they have one.
Unknown when: the server does not count prompt or output tokens.
Source: rates and times of different amounts of work are no repetitions of one measurement.
"""

__all__ = ["CHECK"]

from collections import Counter
from collections.abc import Sequence

from sparktune.bench.validity._shared import Finding, completed_requests, make_check
from sparktune.bench.waves import total_tokens
from sparktune.model.check import CellEvidence, RunEvidence, Status
from sparktune.model.trial import Request
from sparktune.units import Ratio, Tokens, count_of, format_percent

_PROMPT: Ratio = 0.01
_OUTPUT: Ratio = 0.02
_OVER: Tokens = 8
_NONCE_TOKENS: Tokens = 16
_FIXED_HINT = "does the server ignore ignore_eos or min_tokens, or end at its context limit?"
_NATURAL_HINT = "answers end where the model ends them; compare rates, not times, or ask for a fixed length"
_NOTHING = "no request of this cell completed"


def _judge(cell: CellEvidence, run: RunEvidence) -> Sequence[Finding]:
    requests = completed_requests(cell)
    if not requests:
        return [Finding(status=Status.UNKNOWN, evidence=_NOTHING)]
    fixed = run.options.fixed_length
    nonce = _NONCE_TOKENS if cell.cell.prompts and cell.cell.prompts.nonce else 0
    status = Status.INVALID if fixed else Status.WARN
    hint = _FIXED_HINT if fixed else _NATURAL_HINT
    own = [_prompts(requests, nonce), _outputs(requests, status, hint), _reasons(requests, status, hint)]
    return [*own, *_against_asked(requests, fixed=fixed)]


def _prompts(requests: Sequence[Request], nonce: Tokens) -> Finding:
    counts = [request.timeline.usage.prompt_tokens for request in requests]
    known = [count for count in counts if count is not None]
    if len(known) < len(counts):
        missing = f"the server does not count the prompt tokens of {count_of(len(counts) - len(known), 'stream')}"
        return Finding(status=Status.UNKNOWN, evidence=missing)
    if any(request.prompt_tokens_asked == 0 for request in requests):
        return _repeated(requests, known, nonce)
    asked = [request.prompt_tokens_asked for request in requests]
    off = max(abs(count - want) for count, want in zip(known, asked, strict=True))
    evidence = f"{_span(known)} prompt tokens, asked {_span(asked)}"
    # One token is what a boundary between template, context and prompt can merge.
    tolerance = max(1.0, _PROMPT * min(asked))
    if off > tolerance or max(known) - min(known) - (max(asked) - min(asked)) > tolerance:
        hint = "does the server cut prompts, or add to them? The row's name does not say what was measured"
        return Finding(status=Status.INVALID, evidence=evidence, hint=hint)
    return Finding(status=Status.OK, evidence=evidence, weight=1.0)


def _repeated(requests: Sequence[Request], counts: Sequence[Tokens], nonce: Tokens) -> Finding:
    """Compare every prompt with itself in the other trials."""
    by_stream: dict[int, list[Tokens]] = {}
    for request, count in zip(requests, counts, strict=True):
        by_stream.setdefault(request.stream, []).append(count)
    apart = max(max(same) - min(same) - max(1.0, nonce, _PROMPT * min(same)) for same in by_stream.values())
    evidence = f"{_span(counts)} prompt tokens, as the file has them"
    if apart > 0:
        hint = "the same prompt had other lengths in other trials: does the server cut prompts, or add to them?"
        return Finding(status=Status.INVALID, evidence=evidence, hint=hint)
    return Finding(status=Status.OK, evidence=evidence, weight=1.0)


def _outputs(requests: Sequence[Request], status: Status, hint: str) -> Finding:
    counts = [total_tokens(request.timeline) for request in requests]
    known = [count for count in counts if count is not None]
    if len(known) < len(counts):
        missing = f"the server told no token count for {count_of(len(counts) - len(known), 'stream')}"
        return Finding(status=Status.UNKNOWN, evidence=missing)
    evidence = f"{_span(known)} output tokens"
    alike: dict[Tokens, list[Tokens]] = {}
    for request, count in zip(requests, known, strict=True):
        alike.setdefault(request.output_tokens_asked, []).append(count)
    if any(max(same) - min(same) > _OUTPUT * max(same) for same in alike.values()):
        return Finding(status=status, evidence=evidence, hint=hint)
    return Finding(status=Status.OK, evidence=evidence)


def _against_asked(requests: Sequence[Request], *, fixed: bool) -> Sequence[Finding]:
    """Say that a limit was passed, which is a wrong count, or that a fixed length was not reached."""
    counts = [(total_tokens(request.timeline), request.output_tokens_asked) for request in requests]
    known = [(count, asked) for count, asked in counts if count is not None and asked > 0]
    over = [pair for pair in known if pair[0] - pair[1] > max(_OVER, _OUTPUT * pair[1])]
    if over:
        count, asked = max(over, key=lambda pair: pair[0] / pair[1])
        evidence = f"{count:,} output tokens counted where at most {asked:,} were asked for"
        hint = "the server's count is wrong, or it ignores max_tokens: no rate can be had of it"
        return [Finding(status=Status.INVALID, evidence=evidence, hint=hint, weight=2.0)]
    short = [pair for pair in known if pair[1] - pair[0] > max(1.0, _OUTPUT * pair[1])]
    if not fixed or not short:
        return []
    count, asked = min(short, key=lambda pair: pair[0] / pair[1])
    evidence = f"{count:,} output tokens, asked {asked:,}: the row's name does not say what was measured"
    return [Finding(status=Status.WARN, evidence=evidence, hint=_FIXED_HINT)]


def _reasons(requests: Sequence[Request], status: Status, hint: str) -> Finding:
    reasons = Counter(request.timeline.finish_reason or "none" for request in requests)
    (_, most), *others = reasons.most_common()
    share = 1 - most / len(requests)
    evidence = "finish reasons: " + ", ".join(f"{count} {name}" for name, count in reasons.most_common())
    if others and share > _OUTPUT:
        return Finding(status=status, evidence=f"{evidence} ({format_percent(share)} differ)", hint=hint)
    return Finding(status=Status.OK, evidence=evidence)


def _span(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


CHECK = make_check("V06", "equal work", _judge)
