"""V02: prompts were read faster than this server reads prompts, which only an unseen cache can do.

Looks at: the implied prefill rate of rows without depth and with 2048 prompt tokens or more: prompt tokens of the wave
    / the largest TTFT, else prompt x (streams + 1) / 2 / median TTFT (streams served in turn); and the spread of
    prefill rates within one row.
Warns when: a rate exceeds 1.5 times the median rate of the same arm's shortest such prompts (up to twice the very
    shortest; of as many streams or more, where there are any), or that of earlier runs, and nothing else speaks for a
    cache: larger batches, and less overhead per token, make a long prompt faster, too, and a setting can. Unless the
    source says that nothing was cached, no verdict is given then. Or when it exceeds 1.5 times that of the same cell in
    the other arm, and no other row can be compared with.
Invalid when: a rate exceeds 1.5 times that of the arm's shortest such prompts, or of earlier runs, and in the same arm
    the source tells of cached tokens, or what was left to read is about the same at lengths four times apart (the rest
    of a cache's segment), or a rate exceeds 4 times that of the arm's own shortest prompts (for the first arm, or the
    only one, also of earlier runs: a setting that is tried may be faster, by how much nobody knows); or the trials of
    one row with 2048 tokens of prompt and depth or more have prefill rates that differ more than 1.5 times, as cached
    and cold ones do. Void are the fast rows of that arm and those with the same prompts in it. Rates alone void nothing
    where TTFT over three lengths or more is a straight line that doubles at least: the same wait before every prompt
    (a gateway, a slow start) makes short ones look slow.
Unknown when: there is no such prompt with a TTFT, or nothing to compare it with.
Source: arithmetic of the transformer: the time for a prompt grows at least linearly with it, so that a longer prompt is
    not read at a higher rate than a shorter one. A cache that keeps segments leaves the same rest at every length.
"""

__all__ = ["TABLE_CHECK"]

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from sparktune.experiment.checks._shared import (
    CellKey,
    Finding,
    concurrency_of,
    key_of,
    listed,
    make_table_check,
    prompt_tokens_of,
    row_words,
    unknown,
)
from sparktune.model.check import Status
from sparktune.model.table import Row, Table
from sparktune.model.table_check import TableContext
from sparktune.units import Ratio, Tokens, TokensPerSecond, format_percent, format_rate

_FEWEST: Tokens = 2048
_FASTEST: Ratio = 1.5
_BEYOND: Ratio = 4.0  # in cold tables of clusters the rate of long prompts is within 1.1 times that of 2048 tokens
_CACHED_SHARE: Ratio = 0.02
_NEAR: Ratio = 2.0
_MOST_COMPARED = 200  # rows: the shortest prompts of a long list say it
_ALIKE: Ratio = 2.0  # what is left over at prompts of very different lengths lies within this ratio
_LENGTHS_APART: Ratio = 4.0
_STEPS = 2  # from one length to the next: three lengths show whether a line is straight
_RISES: Ratio = 2.0
_HINT = "a prefix cache answered: send new prompts (a nonce in front) or restart the server, and measure again"
_FASTER_HINT = (
    "cached tokens of each row (prefix_hit_share), or a prompt four times as long, would tell: a cache leaves the same "
    "rest at every length"
)
_NEEDED = f"rows of two prompt lengths from {_FEWEST} tokens on, without depth, with ttft_s; or an earlier cold run"


@dataclass(frozen=True, slots=True)
class _Fast:
    """The rows of an arm that were read too fast, by place, each with how many times what it is compared with.

    ``against`` names what that is; ``cached`` is what speaks for a cache besides, "" nothing; ``cold`` whether the
    source says that none answered.
    """

    arm: str
    ratios: Mapping[int, Ratio]
    against: str
    cached: str
    cold: bool


def _judge(table: Table, context: TableContext) -> Sequence[Finding]:
    found = [_mixed(row) for row in table.rows if _is_mixed(row)]
    found += [_too_fast(table, fast) for fast in _fast_arms(table, context)]
    ratios = _ratios(table, context)
    if ratios and not any(ratio > _FASTEST for ratio in ratios.values()):
        evidence = f"implied prefill rates are at most {max(ratios.values()):.2f} times those of comparable rows"
        found.append(Finding(status=Status.OK, evidence=evidence))
    if not found:
        found += _against_other_arm(table)
    return found or [unknown(f"it needs {_NEEDED}")]


def _fast_arms(table: Table, context: TableContext) -> list[_Fast]:
    ratios, own = _ratios(table, context), _ratios(table, TableContext())
    arms, found = table.measured_arms, []
    for arm in arms:
        fast = {place: ratio for place, ratio in ratios.items() if ratio > _FASTEST and table.rows[place].arm == arm}
        if not fast:
            continue
        shares = [table.rows[place].values.get("prefix_hit_share") for place in fast]
        known = [share for share in shares if share is not None]
        # A setting that is tried may be that much faster than earlier runs were.
        comparable = [ratio for place, ratio in fast.items() if place in own or arm == arms[0]]
        by_rate = "" if _fixed_wait(table, arm) else _segment(table, fast) or _beyond(comparable)
        speaks = by_rate or _told(known)
        cold = len(known) == len(shares) and not _told(known)
        against = "this arm's own cold rate" if own.keys() & fast.keys() else "the cold rate of earlier runs"
        found.append(_Fast(arm=arm, ratios=fast, against=against, cached=speaks, cold=cold))
    return found


def _told(shares: Sequence[Ratio]) -> str:
    most = max(shares, default=0.0)
    return f"; the source itself says that {format_percent(most)} were cached" if most > _CACHED_SHARE else ""


def _beyond(ratios: Sequence[Ratio]) -> str:
    return f"; more than {_BEYOND:g} times is no larger batch" if max(ratios, default=0.0) > _BEYOND else ""


def _fixed_wait(table: Table, arm: str) -> bool:
    """Tell whether the same wait before every prompt explains the rates: TTFT is a straight line that goes on rising.

    A cache makes it flat from some length on: a line that is straight then has hardly twice the time at its end.
    """
    lines: dict[int, dict[Tokens, list[float]]] = {}
    for row in table.rows:
        if row.arm == arm and _rate(row) and row.values.get("ttft_s"):
            line = lines.setdefault(concurrency_of(row), {})
            line.setdefault(prompt_tokens_of(row) or 0, []).append(row.values["ttft_s"])
    return bool(lines) and all(
        _is_straight(sorted((at, median(told)) for at, told in line.items())) for line in lines.values()
    )


def _is_straight(line: Sequence[tuple[Tokens, float]]) -> bool:
    steps = [(after - before) / (longer - shorter) for (shorter, before), (longer, after) in pairwise(line)]
    if len(steps) < _STEPS or min(steps) <= 0:
        return False
    return max(steps) / min(steps) <= _FASTEST and line[-1][1] >= _RISES * line[0][1]


def _too_fast(table: Table, fast: _Fast) -> Finding:
    solo = [place for place in fast.ratios if concurrency_of(table.rows[place]) == 1] or list(fast.ratios)
    shown = sorted(solo, key=lambda place: prompt_tokens_of(table.rows[place]) or 0)
    rates = listed([_rate_words(table.rows[place]) for place in shown])
    most = max(fast.ratios.values())
    words = f"implied prefill {rates}; up to {most:.1f} times {fast.against}"
    words = f"arm {fast.arm}: {words}" if fast.arm else words
    if fast.cached:
        return Finding(status=Status.INVALID, evidence=words + fast.cached, hint=_HINT, weight=most)
    if fast.cold:
        evidence = f"{words}; the source says that nothing was cached"
        return Finding(status=Status.WARN, evidence=evidence, hint=_FASTER_HINT, weight=most)
    evidence = f"{words}; a cache, or really faster: the table does not tell"
    return Finding(status=Status.WARN, evidence=evidence, hint=_FASTER_HINT, label="undecided", weight=most)


def _rate_words(row: Row) -> str:
    rate = _rate(row)
    return f"{format_rate(rate or 0.0)} tok/s at {row_words(row)}"


def _segment(table: Table, fast: Mapping[int, Ratio]) -> str:
    """Say whether what was left to read is the same at every length: then it is the rest of a cache's segment."""
    left, elsewhere = [], _elsewhere(table)
    for place, ratio in fast.items():
        row = table.rows[place]
        other, prompt = _other(row, elsewhere), prompt_tokens_of(row)
        if not prompt:
            continue
        told = "ttft_s" in row.values and other is not None and bool(other.values.get("ttft_s"))
        share = row.values["ttft_s"] / other.values["ttft_s"] if told and other is not None else 1 / ratio
        left.append((prompt, prompt * share))
    if not left:
        return ""
    rests, prompts = [rest for _, rest in left], [prompt for prompt, _ in left]
    if max(prompts) / min(prompts) < _LENGTHS_APART or max(rests) / min(rests) > _ALIKE or min(rests) < 1:
        return ""
    segment = 2 ** int(math.log2(min(rests)))
    return (
        f"; what was left to read is {min(rests):,.0f} to {max(rests):,.0f} tokens at prompts of {min(prompts):,} to "
        f"{max(prompts):,}: about one segment of {segment:,} tokens of a cache"
    )


def _elsewhere(table: Table) -> Mapping[CellKey, Mapping[str, Row]]:
    """Return the first row of every cell in each arm."""
    found: dict[CellKey, dict[str, Row]] = {}
    for row in table.rows:
        found.setdefault(key_of(row), {}).setdefault(row.arm, row)
    return found


def _other(row: Row, elsewhere: Mapping[CellKey, Mapping[str, Row]]) -> Row | None:
    return next((other for arm, other in elsewhere[key_of(row)].items() if arm != row.arm), None)


def _ratios(table: Table, context: TableContext) -> Mapping[int, Ratio]:
    """Return, by place, how many times a row's rate is that of what it can be compared with."""
    found: dict[int, Ratio] = {}
    for arm in table.measured_arms:
        rated = [(place, row, rate) for place, row in enumerate(table.rows) if row.arm == arm and (rate := _rate(row))]
        sizes = sorted((prompt_tokens_of(row) or 0, concurrency_of(row), rate) for _, row, rate in rated)
        near = [item for item in sizes[:_MOST_COMPARED] if item[0] <= _NEAR * sizes[0][0]]
        known: dict[tuple[Tokens, int], TokensPerSecond | None] = {}
        for place, row, rate in rated:
            key = (min(prompt_tokens_of(row) or 0, near[-1][0] + 1), concurrency_of(row))
            if key not in known:
                known[key] = _reference(*key, near, context)
            if reference := known[key]:
                found[place] = rate / reference
    return found


def _reference(
    prompt: Tokens, streams: int, near: Sequence[tuple[Tokens, int, TokensPerSecond]], context: TableContext
) -> TokensPerSecond | None:
    """Return the rate of an arm's shortest prompts, those of as many streams first; without any, the known one."""
    shorter = [(count, rate) for other, count, rate in near if other < prompt]
    if not shorter:
        return context.cold_reference_tok_s
    as_many = [rate for count, rate in shorter if count >= streams]
    # Fewer streams cannot show what reading prompts at the same time gives, so that much more is allowed for.
    most = max(count for count, _ in shorter)
    return median(as_many) if as_many else median(rate for _, rate in shorter) * streams / most


def _rate(row: Row) -> TokensPerSecond | None:
    prompt, streams = prompt_tokens_of(row), concurrency_of(row)
    if prompt is None or prompt < _FEWEST or row.depth:
        return None
    if row.values.get("ttft_max_s"):
        return prompt * streams / row.values["ttft_max_s"]
    return prompt * (streams + 1) / 2 / row.values["ttft_s"] if row.values.get("ttft_s") else None


def _against_other_arm(table: Table) -> list[Finding]:
    found, elsewhere = [], _elsewhere(table)
    for row in table.rows:
        other = _other(row, elsewhere)
        rates = _rate(row), None if other is None else _rate(other)
        if rates[0] and rates[1] and rates[0] / rates[1] > _FASTEST:
            evidence = f"{_rate_words(row)}, {rates[0] / rates[1]:.1f} times the other arm's"
            hint = "really faster, or cached? a row with another prompt length would tell"
            found.append(Finding(status=Status.WARN, evidence=evidence, hint=hint, weight=rates[0] / rates[1]))
    return found


def _is_mixed(row: Row) -> bool:
    # A short prompt's time is mostly overhead, which a busy machine alone makes vary more than a cache does.
    if (row.prompt_tokens or 0) + (row.depth or 0) < _FEWEST:
        return False
    series = row.series.get("prefill_tok_s", ())
    return len(series) > 1 and min(series) > 0 and max(series) / min(series) > _FASTEST


def _mixed(row: Row) -> Finding:
    series = row.series["prefill_tok_s"]
    evidence = (
        f"{row_words(row)}: prefill rates from {format_rate(min(series))} to {format_rate(max(series))} tok/s "
        "vary as those of cached and cold runs do: they are no one measurement"
    )
    return Finding(status=Status.INVALID, evidence=evidence, hint=_HINT, weight=max(series) / min(series))


def _voids(table: Table, context: TableContext) -> frozenset[int]:
    fast = [place for found in _fast_arms(table, context) if found.cached for place in found.ratios]
    cached = {(table.rows[place].arm, prompt_tokens_of(table.rows[place])) for place in fast}
    return frozenset(
        place
        for place, row in enumerate(table.rows)
        if _is_mixed(row) or (not row.depth and (row.arm, prompt_tokens_of(row)) in cached)
    )


TABLE_CHECK = make_table_check(
    "V02", "prefill rate possible", _judge, source="arithmetic of the transformer", voids=_voids
)
