"""What is so beside what should be: what differs first, with both values; what is as wanted in a line per change."""

__all__ = ["check_blocks", "checks_verdict", "verify_text"]

from collections import Counter
from collections.abc import Iterator, Sequence

from sparktune.model.host_plan import CheckStatus, HostCheck
from sparktune.model.node_report import NodeReport
from sparktune.report.bench.words import listed
from sparktune.report.host.layout import Look, Row, Tone, assembled, paint, table, wrapped
from sparktune.report.host.words import gathered_targets, thing_of, transition
from sparktune.units import count_of

_HEADER = Row(word="status", target="what", value="is -> wanted")
_WORDS = {
    CheckStatus.OK: "as wanted",
    CheckStatus.DIFFERENT: "DIFFERENT",
    CheckStatus.ABSENT: "ABSENT",
    CheckStatus.UNREADABLE: "UNREADABLE",
    CheckStatus.PENDING_REBOOT: "waiting for a reboot",
}
_TONES = {CheckStatus.UNREADABLE: Tone.WARN, CheckStatus.PENDING_REBOOT: Tone.WARN}
_SHOWN = {CheckStatus.PENDING_REBOOT: "PENDING"}


def verify_text(reports: Sequence[NodeReport], *, look: Look) -> str:
    """Return the checks of all nodes, those that are not as wanted first."""
    return assembled(
        reports,
        lambda report: ("no answer", Tone.BAD) if report.failure else checks_verdict(report.checks),
        lambda report: [check_blocks(report.checks or (), look)],
        look,
        after=_next(reports, look),
    )


def checks_verdict(checks: tuple[HostCheck, ...] | None) -> tuple[str, Tone]:
    """Say in a line what the checks came to."""
    if checks is None:
        return "not verified", Tone.WARN
    if not checks:
        return "nothing is applied here, and nothing waits for a reboot", Tone.GOOD
    numbers = Counter(check.status for check in checks)
    if set(numbers) == {CheckStatus.OK}:
        return f"all {len(checks)} states are as wanted" if len(checks) > 1 else "the one state is as wanted", Tone.GOOD
    said = ", ".join(f"{numbers[status]} {_WORDS[status]}" for status in _order() if numbers[status])
    bad = any(numbers[status] for status in (CheckStatus.DIFFERENT, CheckStatus.ABSENT))
    return f"of {count_of(len(checks), 'state')}: {said}", Tone.BAD if bad else Tone.WARN


def check_blocks(checks: Sequence[HostCheck], look: Look) -> list[str]:
    """Return a table of what is not as wanted, and the changes that are."""
    blocks: list[str] = []
    open_checks = [check for status in _order()[:-1] for check in checks if check.status is status]
    if open_checks:
        blocks.append("\n".join(_table(open_checks, look)))
    fine = Counter(check.change for check in checks if check.status is CheckStatus.OK)
    if fine:
        said = ", ".join(f"{change} {number}" for change, number in fine.items())
        blocks.append(wrapped(f"OK {said}", look, hang="   "))
    return blocks


def _order() -> tuple[CheckStatus, ...]:
    wrong = (CheckStatus.DIFFERENT, CheckStatus.ABSENT, CheckStatus.UNREADABLE, CheckStatus.PENDING_REBOOT)
    return (*wrong, CheckStatus.OK)


def _table(checks: Sequence[HostCheck], look: Look) -> Iterator[str]:
    groups: dict[tuple[object, ...], list[HostCheck]] = {}
    for check in checks:
        device = thing_of(check.target)
        alike = device if device != check.target else ("", check.effective)
        groups.setdefault((check.change, check.status, check.wanted, check.why, alike), []).append(check)
    found = list(groups.values())
    rows = [
        Row(
            word=_SHOWN.get(alike[0].status, alike[0].status.value),
            target=gathered_targets([check.target for check in alike]),
            value=_difference(alike),
        )
        for alike in found
    ]
    header, *lines = table(_HEADER, rows, look, indent="")
    yield header
    for (check, *_), row, line in zip(found, rows, lines, strict=True):
        yield paint(row.word, _TONES.get(check.status, Tone.BAD), look) + line[len(row.word) :]
        yield wrapped(f"{check.change}: {check.why}" if check.why else check.change, look, "    ")


def _difference(alike: Sequence[HostCheck]) -> str:
    effective = [_effective(check) for check in alike]
    return transition(effective, alike[0].wanted) if alike[0].wanted else listed(list(dict.fromkeys(effective)))


def _effective(check: HostCheck) -> str:
    """Return what is so; nothing where there is nothing, or where nobody knows, has a word of its own."""
    nothing = {CheckStatus.ABSENT: "not there", CheckStatus.UNREADABLE: "unknown"}
    return check.effective or nothing.get(check.status, "nothing")


def _next(reports: Sequence[NodeReport], look: Look) -> list[str]:
    statuses = {check.status for report in reports for check in report.checks or ()}
    lines = []
    if CheckStatus.PENDING_REBOOT in statuses:
        lines.append(f"after the reboot: {look.command('verify', profile=True)}")
    if statuses & {CheckStatus.DIFFERENT, CheckStatus.ABSENT}:
        lines += [
            f"what would make it so: {look.command('plan', profile=True)}",
            f"what was done, and by whom: {look.command('status')}",
        ]
    return lines
