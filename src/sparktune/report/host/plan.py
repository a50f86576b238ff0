"""A plan as people read it: what would change, what stands against it, and what is left as it is."""

__all__ = ["counts", "explained", "plan_text"]

from collections import Counter
from collections.abc import Iterator, Sequence

from sparktune.host.changes import all_changes
from sparktune.model.host_plan import HostChange, NodePlan, PlannedStep, Refusal, TakesEffect
from sparktune.model.node_report import NodeReport
from sparktune.report.bench.words import printable
from sparktune.report.host.layout import Body, Look, Row, Tone, assembled, paint, section, shown, table, wrapped
from sparktune.report.host.words import PENDING_WORDS, gathered_targets, thing_of, transition
from sparktune.units import count_of

_HEADER = Row(word="takes effect", target="what", value="from -> to")
_COUNT_WORDS = {
    TakesEffect.LIVE: "live",
    TakesEffect.RESTART: "when its service or container starts again",
    TakesEffect.REBOOT: "at the next boot",
}
_CUTS_OFF = "!"


def plan_text(
    reports: Sequence[NodeReport], *, look: Look, explain: bool = False, changes: Sequence[HostChange] | None = None
) -> str:
    """Return the plans of all nodes. ``explain`` adds what each change does and does not do, and its source."""
    known = all_changes() if changes is None else changes
    return assembled(
        reports,
        plan_verdict,
        lambda report: _body(report.plan, look, known, explain=explain),
        look,
        notes=lambda report: _notes(report, explain=explain),
        after=_next(reports, look),
    )


def plan_verdict(report: NodeReport) -> tuple[str, Tone]:
    """Say in a line what a node's plan comes to."""
    plan = report.plan
    if report.failure or plan is None:
        return "no plan", Tone.BAD
    said = counts(plan.steps) if plan.steps else "nothing to do, all that a step can set is set"
    if not plan.refusals:
        return said, Tone.GOOD if not plan.steps else Tone.WARN
    against = count_of(len(plan.refusals), "thing")
    stands = "stands" if len(plan.refusals) == 1 else "stand"
    return f"{said if plan.steps else 'nothing can be done'}; {against} {stands} against it", Tone.BAD


def counts(steps: Sequence[PlannedStep]) -> str:
    """Render ``12 steps of 5 changes: 9 live, 3 at the next boot``."""
    number = Counter(step.takes_effect for step in steps)
    what = f"{count_of(len(steps), 'step')} of {count_of(len({step.change for step in steps}), 'change')}"
    if len(number) == 1:
        return f"{what}, {'all ' if len(steps) > 1 else ''}{_COUNT_WORDS[steps[0].takes_effect]}"
    when = ", ".join(f"{number[effect]} {_COUNT_WORDS[effect]}" for effect in TakesEffect if number[effect])
    return f"{what}: {when}"


def _body(plan: NodePlan | None, look: Look, changes: Sequence[HostChange], *, explain: bool) -> Body:
    if plan is None:
        return []
    return [
        _steps(plan.steps, look, changes),
        section("what stands against it", _refusals(plan.refusals, look), look),
        [_diff(step, look) for step in plan.steps if step.diff and (explain or not _is_new(step))],
        [explained(change, look) for change in changes if explain and change.id not in plan.profile.without],
    ]


def _notes(report: NodeReport, *, explain: bool) -> tuple[str, ...]:
    plan = report.plan
    if plan is None:
        return report.notes
    new = sum(_is_new(step) for step in plan.steps)
    unseen = (f"{count_of(new, 'new file')} (text: sparktune host plan --explain)",) if new else ()
    return (*plan.notes, *report.notes, *(() if explain else unseen))


def _steps(steps: Sequence[PlannedStep], look: Look, changes: Sequence[HostChange]) -> list[str]:
    """Return one table with the rows of each change below its name."""
    if not steps:
        return []
    titles = {change.id: change.title for change in changes}
    by_change: dict[str, list[PlannedStep]] = {}
    for step in steps:
        by_change.setdefault(step.change, []).append(step)
    rows = [(change, row) for change, found in by_change.items() for row in _rows(found)]
    header, *lines = table(_HEADER, [row for _, row in rows], look)
    lines_shown, last = [header], ""
    for (change, _), line in zip(rows, lines, strict=True):
        if change != last:
            title = titles.get(change, "")
            head = wrapped(f"{change}: {title}" if title else change, look)
            lines_shown.append(paint(head, Tone.HEAD, look))
            last = change
        lines_shown.append(line)
    if any(step.cuts_off for step in steps):
        said = "may cost the connection: the node takes it all back unless it can be reached again (--confirm-within)"
        lines_shown.append(wrapped(f"{_CUTS_OFF} {said}", look, "  ", hang="    "))
    return ["\n".join(lines_shown)]


def _rows(steps: Sequence[PlannedStep]) -> Iterator[Row]:
    """Yield a row for the vectors of a device, or for steps that do the same; the others have one each."""
    groups: dict[tuple[object, ...], list[PlannedStep]] = {}
    for step in steps:
        device = thing_of(step.target)
        alike = device if device != step.target else ("", step.before, step.diff)
        groups.setdefault((step.takes_effect, step.after, step.cuts_off, alike), []).append(step)
    for found in groups.values():
        first = found[0]
        mark = f" {_CUTS_OFF}" if first.cuts_off else ""
        yield Row(
            word=PENDING_WORDS[first.takes_effect] + mark,
            target=gathered_targets([step.target for step in found]),
            value=transition((step.before for step in found), first.after),
        )


def _is_new(step: PlannedStep) -> bool:
    return step.diff.startswith("--- /dev/null")


def _diff(step: PlannedStep, look: Look) -> str:
    """Return the lines of a diff; a file that is new has no lines to compare, and needs no numbers of lines."""
    tones = {"+": Tone.ADDED, "-": Tone.REMOVED}
    new = _is_new(step)
    title = paint(shown(step.target), Tone.HEAD, look) + (" (new)" if new else "")
    kept = [line for line in step.diff.splitlines() if not new or not line.startswith(("--- ", "+++ ", "@@ "))]
    return "\n".join([title, *(paint(f"  {printable(line)}", tones.get(line[:1]), look) for line in kept)])


def _refusals(refusals: Sequence[Refusal], look: Look) -> Iterator[str]:
    for refusal in refusals:
        yield paint(wrapped(f"{refusal.change}: {refusal.reason}", look, "  "), Tone.BAD, look)
        yield from (wrapped(f"| {line}", look, "    ", hang="      ") for line in refusal.evidence)
        yield wrapped(f"fix: {refusal.hint}", look, "    ")
        otherwise = refusal.allow or f"--without {refusal.change}"
        if otherwise not in refusal.hint:
            what = "accept it" if refusal.allow else "leave this change out"
            yield wrapped(f"or {what}: {otherwise}", look, "    ")


def explained(change: HostChange, look: Look) -> str:
    """Return what a change does, what it does not do, what is expected of it, and where that is known from."""
    said = (
        ("does", change.does),
        ("does not", change.does_not),
        ("expected effect", change.effect),
        ("source", change.source),
    )
    lines = [wrapped(f"{name}: {text}", look, "  ", hang="    ") for name, text in said]
    return "\n".join([paint(wrapped(f"{change.id}: {change.title}", look), Tone.HEAD, look), *lines])


def _next(reports: Sequence[NodeReport], look: Look) -> list[str]:
    plans = [report.plan for report in reports if report.plan is not None and not report.failure]
    if any(plan.refusals for plan in plans):
        return ["next: settle what stands against it, then ask for the plan again; nothing was changed"]
    if any(plan.steps for plan in plans):
        return [f"nothing was changed; next: {look.command('apply', profile=True)}"]
    return [f"next: {look.command('verify')}"] if plans else []
