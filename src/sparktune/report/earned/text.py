"""Earned settings for the terminal: how the evidence stands first, then the settings, then what renews it."""

__all__ = ["history_text", "list_text", "show_text"]

import textwrap
from collections.abc import Iterator, Sequence

from sparktune.drift.earned_keys import knob_of
from sparktune.drift.stale import Freshness, Judged
from sparktune.model.earned import EarnedEntry
from sparktune.model.experiment_row import ExperimentRow
from sparktune.report.bench.words import UNKNOWN, one_line, utc
from sparktune.report.earned.words import (
    confidence_words,
    effect_words,
    history_words,
    scope_words,
    short_value,
    value_words,
)
from sparktune.report.layout import table_text
from sparktune.units import count_of

_HEADS = ("setting", "value", "blocks", "date", "evidence")
_LONGEST = 24  # letters of a value in the table; a longer one, a whole command for instance, has its own line
_LAYERS = "what is in files and in processes: sparktune drift"


def list_text(found: Sequence[Judged], width: int) -> str:
    """Render all settings that count."""
    states = [sum(one.freshness is state for one in found) for state in Freshness]
    told = ", ".join(f"{count} {state.value}" for count, state in zip(states, Freshness, strict=True) if count)
    lines = [f"{count_of(len(found), 'earned setting')}; evidence: {told}", ""]
    lines += _rows(found, width)
    for one in found:
        lines += [f"{one_line(one.entry.knob)}: {one_line(reason)}" for reason in (*one.stale, *one.unknown)]
    stale = [one for one in found if one.freshness is Freshness.STALE]
    lines += [_renewal(one) for one in stale]
    return "\n".join([*lines, _LAYERS]) + "\n"


def show_text(found: Sequence[Judged], width: int) -> str:
    """Render all that is known of some settings."""
    parts = ["\n".join([*(_filled(line, width) for line in _shown(one)), _renewal(one)]) for one in found]
    return "\n\n".join(parts) + f"\n\n{_LAYERS}\n"


def history_text(
    past: Sequence[EarnedEntry], measured: Sequence[ExperimentRow], kept: frozenset[str], width: int
) -> str:
    """Render what was earned once, and what was measured; ``kept`` are runs that an entry has, past or not."""
    parts = [f"{count_of(len(past), 'setting')} of the past: superseded or forgotten"]
    if past:
        heads = ("setting", "value", "found", "date", "run", "ended")
        parts.append(table_text(heads, [_past(one) for one in past], width, ("date", "run")))
    parts.append(f"{count_of(len(measured), 'experiment')} in the store of this machine")
    if measured:
        heads = ("run", "date", "setting", "decided by", "verdict", "kept")
        parts.append(table_text(heads, [_measured(row, kept) for row in measured], width, ("run", "date", "kept")))
        parts.append("all of one: sparktune ab show RUN; keep one that improved: sparktune earned accept RUN")
    return "\n".join(parts) + "\n"


def _past(entry: EarnedEntry) -> tuple[str, ...]:
    found = entry.evidence
    return (
        one_line(entry.knob),
        short_value(entry),
        effect_words(entry),
        found.date or UNKNOWN,
        one_line(found.run) or UNKNOWN,
        history_words(entry),
    )


def _rows(found: Sequence[Judged], width: int) -> Iterator[str]:
    """Yield a line of the table per setting, and below it what was found and for whom it holds."""
    rows = [_HEADS, *(_row(one) for one in found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    aligned = ["  ".join(word.ljust(size) for word, size in zip(row, widths, strict=True)).rstrip() for row in rows]
    if max(map(len, aligned)) > width:
        told = (zip(_HEADS, row, strict=True) for row in rows)
        aligned = [", ".join(f"{head} {word}" for head, word in row) for row in told]
    else:
        yield aligned[0]
    for line, one in zip(aligned[1:], found, strict=True):
        yield line
        value = short_value(one.entry)
        if len(value) > _LONGEST:
            yield _filled(f"  {value}", width)
        metric = one_line(one.entry.evidence.metric) or "effect"
        yield _filled(f"  {metric} {effect_words(one.entry)}, for {scope_words(one.entry)}", width)
    yield ""


def _row(one: Judged) -> tuple[str, ...]:
    found, value = one.entry.evidence, short_value(one.entry)
    return (
        one_line(one.entry.knob),
        value if len(value) <= _LONGEST else "below",
        UNKNOWN if found.blocks is None else str(found.blocks),
        found.date or UNKNOWN,
        f"{one.freshness.value} (practice)" if found.practice else one.freshness.value,
    )


def _measured(row: ExperimentRow, kept: frozenset[str]) -> tuple[str, ...]:
    verdict = one_line(row.said) or f"none ({row.state.value})"
    return (
        row.id,
        utc(row.created_wall_s)[:10],
        one_line(row.knob),
        row.metric,
        verdict,
        "yes" if row.id in kept else "no",
    )


def _practice(said: str) -> str:
    return f"found: made up for practice, no measurement: {one_line(said)}"


def _evidence(entry: EarnedEntry) -> Iterator[str]:
    found = entry.evidence
    better = f"{found.better or UNKNOWN} is better"
    metric = one_line(found.metric) or UNKNOWN
    yield f"found: {metric} {effect_words(entry)}, confidence {confidence_words(entry)}, {better}"
    won = "" if found.blocks_won is None else f", {found.blocks_won} of them won"
    yield f"  {UNKNOWN if found.blocks is None else count_of(found.blocks, 'block')}{won}"
    for guard, status in found.guards.items():
        yield f"  guard {one_line(guard)}: {one_line(status)}"
    yield f"run: {one_line(found.run) or UNKNOWN}, {found.date or UNKNOWN}"


def _shown(one: Judged) -> Iterator[str]:
    entry = one.entry
    scope, found = entry.scope, entry.evidence
    yield f"{one_line(entry.knob)}: {value_words(entry.value, entry.instead_of)}, evidence {one.freshness.value}"
    yield from (f"  stale: {one_line(reason)}" for reason in one.stale)
    yield from (f"  unknown: {one_line(reason)}" for reason in one.unknown)
    yield f"instead of: {value_words(entry.instead_of, entry.value)}"
    yield from _evidence(entry) if not found.practice else (_practice(found.practice),)
    yield f"holds for: {scope_words(entry)}"
    named = (
        ("launcher", scope.launcher),
        ("image", scope.image_digest),
        ("revision", scope.revision),
        ("workload", scope.workload),
    )
    yield from (f"  {name}: {UNKNOWN if said is None else one_line(said)}" for name, said in named)
    yield f"in: {one_line(entry.file)}:{entry.line}"
    yield from _beside(entry)


def _beside(entry: EarnedEntry) -> Iterator[str]:
    """Say what others say of the setting: it overwrites nothing, and was found on their workloads."""
    knob = knob_of(entry)
    if knob is None:
        yield "the catalogue of knobs does not know it: nothing of others to put beside it"
        return
    yield f"beside it, from the catalogue ({knob.id}); what was earned here stays, whatever others ship:"
    yield f"  legal: {one_line(knob.legal)}"
    yield f"  {one_line(knob.does)}"
    for effect in knob.effects:
        how = "" if effect.measured else "reported without numbers: "
        yield f"  {how}{one_line(effect.what)}; measured on: {one_line(effect.conditions)} [{effect.source}]"
    if not knob.effects:
        yield "  nothing with numbers is known of others"
    yield f"  measured here on: workload {entry.scope.workload or UNKNOWN}, {scope_words(entry)}"


def _renewal(one: Judged) -> str:
    """Say how to measure again, on one line: it is to be copied."""
    return f"measure {one_line(one.entry.knob)} again: {one_line(one.renew)}"


def _filled(line: str, width: int) -> str:
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.fill(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
