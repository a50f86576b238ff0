"""earlyoom, which ends processes when memory runs out: told, and stopped only where the profile says so.

Sources: earlyoom(1); systemctl(1), disable: an enabled unit is a link in a target's folder ``.wants``. Advice about it
differs: https://github.com/spark-arena/sparkrun installs it (setup earlyoom), others have workers of engines ended by
it (https://github.com/Mjxkill/deepseek-v4-flash-2x-dgx-spark README, trap 6).
"""

__all__ = ["CHANGE"]

from collections.abc import Iterator, Mapping

from sparktune.host.checks import checks_of
from sparktune.host.earlyoom import limits_of
from sparktune.host.facts.irq_services import IrqServicesFacts, ServiceState
from sparktune.host.facts.memory import MemoryFacts
from sparktune.host.guard import GUARD_AVAILABLE_BYTES
from sparktune.model.host_plan import (
    ChangePlan,
    CheckStatus,
    HostChange,
    HostCheck,
    HostView,
    PlannedStep,
    Refusal,
    TakesEffect,
)
from sparktune.model.node import NodeFacts
from sparktune.model.observed import State
from sparktune.model.profile import EarlyoomStance, Profile
from sparktune.model.reads import Read, ReadLinks
from sparktune.model.step import LinkStep, ReloadStep, ServiceStep
from sparktune.units import Bytes, format_bytes, format_percent

_ID = "earlyoom"
_check = checks_of(_ID)
_UNIT = "earlyoom.service"
_OURS = "/etc/systemd/system"  # links elsewhere belong to the distribution, or do not outlive the boot
_FOLDERS = (_OURS, "/usr/local/lib/systemd/system", "/usr/lib/systemd/system")
_LINKS = tuple(f"{folder}/*.{kind}/{_UNIT}" for folder in _FOLDERS for kind in ("wants", "requires"))
_RUNS = frozenset({"active", "activating", "reloading"})


def _reads(_facts: NodeFacts, profile: Profile) -> tuple[Read, ...]:
    stop = profile.earlyoom is EarlyoomStance.STOP
    return tuple(ReadLinks(pattern=pattern) for pattern in _LINKS) if stop else ()


def _plan(view: HostView) -> ChangePlan:
    facts = view.facts.get(IrqServicesFacts)
    service = facts.service(_ID) if facts is not None else None
    stop = view.profile.earlyoom is EarlyoomStance.STOP
    if facts is None or service is None:
        unknown = facts is None or facts.services.state is not State.PRESENT
        return ChangePlan(refusals=(_unknown(facts),) if stop and unknown else ())
    notes = tuple(_report(view, facts, service))
    if not stop:
        return ChangePlan(notes=notes)
    links = _links(view)
    foreign = [path for path in links if not path.startswith(f"{_OURS}/")]
    closed = next((view.readings.unread[pattern] for pattern in _LINKS if pattern in view.readings.unread), "")
    if foreign or closed:
        reason = (
            f"{foreign[0]} of the distribution starts it at boot" if foreign else f"what starts it is unread: {closed}"
        )
        refusal = Refusal(
            change=_ID, reason=reason, hint=f"sudo systemctl mask --now {_UNIT}, or leave earlyoom as it is"
        )
        return ChangePlan(refusals=(refusal,), notes=notes)
    return ChangePlan(steps=tuple(_steps(service, links)), notes=notes)


def _links(view: HostView) -> dict[str, str]:
    """Return the links by which targets start it at boot: what systemctl calls enabled."""
    return {path: target for pattern in _LINKS for path, target in view.readings.links.get(pattern, {}).items()}


def _unknown(facts: IrqServicesFacts | None) -> Refusal:
    why = facts.services.why if facts is not None else ""
    reason = f"whether {_UNIT} runs is not known: {why or 'systemd did not answer'}"
    return Refusal(change=_ID, reason=reason, hint="leave earlyoom as it is")


def _report(view: HostView, facts: IrqServicesFacts, service: ServiceState) -> Iterator[str]:
    if service.active not in _RUNS:
        return
    arguments = facts.earlyoom_arguments.value if facts.earlyoom_arguments.value is not None else ""
    said = arguments or service.command.value or ""
    limits = limits_of(said)
    memory = view.facts.get(MemoryFacts)
    total = memory.total.value if memory is not None else None
    if limits is None or total is None:
        yield f"earlyoom is active ({said or 'arguments not known'}); when it would act cannot be told"
        return
    least = limits.memory_of(total)
    share = f"{format_percent(limits.swap_ratio or 0.0)} of swap"
    swap = share if limits.swap is None else format_bytes(limits.swap)
    yield (
        f"earlyoom is active: it ends processes once no more than {format_bytes(least)} of memory are available "
        f"and no more than {swap} free; {_beside_guard(least)}"
    )


def _beside_guard(least: Bytes) -> str:
    guard = f"the {format_bytes(GUARD_AVAILABLE_BYTES)} at which the guard of a measurement stops it"
    if least < GUARD_AVAILABLE_BYTES:
        return f"that is below {guard}, so that the guard is first"
    return f"that is not below {guard}: it may end an engine before the guard does anything"


def _steps(service: ServiceState, links: Mapping[str, str]) -> Iterator[PlannedStep]:
    for path, target in sorted(links.items()):
        step = LinkStep(path=path, target=None, expect={path: target})
        yield _planned(path, f"link to {target}", "no link: it is not started at boot", step)
    if links:
        yield _planned("systemd", "files as before", "files read again", ReloadStep(manager="systemd"))
    if service.active in _RUNS:
        yield _planned(
            _UNIT, service.active, "inactive", ServiceStep(unit=_UNIT, do="stop", expect={_UNIT: service.active})
        )


def _planned(target: str, before: str, after: str, step: LinkStep | ReloadStep | ServiceStep) -> PlannedStep:
    return PlannedStep(change=_ID, target=target, before=before, after=after, takes_effect=TakesEffect.LIVE, step=step)


def _verify(view: HostView) -> tuple[HostCheck, ...]:
    if view.profile.earlyoom is not EarlyoomStance.STOP or view.applied_boot is None:
        return ()
    facts = view.facts.get(IrqServicesFacts)
    if facts is None or facts.services.state is not State.PRESENT:
        why = facts.services.why if facts is not None else ""
        return (_check(_UNIT, "inactive", "", CheckStatus.UNREADABLE, why or "systemd did not answer"),)
    service = facts.service(_ID)
    if service is None:
        return (_check(_UNIT, "inactive", "not installed", CheckStatus.OK),)
    runs, links = service.active in _RUNS, _links(view)
    return (
        _check(_UNIT, "inactive", service.active, _status(wrong=runs), "it runs" if runs else ""),
        _check(
            f"{_UNIT} at the next boot",
            "no link starts it",
            ", ".join(sorted(links)) or "no link starts it",
            _status(wrong=bool(links)),
            "it would be started" if links else "",
        ),
    )


def _status(*, wrong: bool) -> CheckStatus:
    return CheckStatus.DIFFERENT if wrong else CheckStatus.OK


CHANGE = HostChange(
    id=_ID,
    title="earlyoom",
    does="says when earlyoom would end processes; with --earlyoom stop it stops it, and no longer starts it at boot",
    does_not="uninstall it, change its limits, or touch other services that end processes (systemd-oomd, dgx-anti-oom)",
    effect="none measured; without it the kernel's own killer is all that is left when memory runs out",
    source="earlyoom(1); systemctl(1)",
    order=360,
    plan=_plan,
    verify=_verify,
    reads=_reads,
)
