"""What boots by default: the link that ``systemctl set-default`` writes. It changes nothing that runs.

Sources: systemctl(1), set-default; systemd.special(7), default.target; systemd(1) for the kernel's command line. The
link leads to the target's unit file, as that of systemd 252 and 255 does.
"""

__all__ = ["CHANGE"]

from sparktune.host.boot_target import boot_target_reads, graphical_state, override_on_cmdline, target_file
from sparktune.host.checks import checks_of
from sparktune.host.facts.systemd import SystemdFacts
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
from sparktune.model.profile import Profile
from sparktune.model.reads import Read
from sparktune.model.step import LinkStep

_ID = "default-target"
_check = checks_of(_ID)
_LINK = "/etc/systemd/system/default.target"
_GRAPHICAL = "graphical.target"
_STAYS = "a graphical session that runs is not stopped by this: it ends at the next boot, or at once with --isolate-now"
_STARTS = "nothing graphical is started by this before the next boot"


def _reads(_facts: NodeFacts, profile: Profile) -> tuple[Read, ...]:
    return boot_target_reads(profile.target)


def _plan(view: HostView) -> ChangePlan:
    systemd, target = view.facts.get(SystemdFacts), view.profile.target
    if systemd is None or systemd.default_target.value is None:
        why = systemd.default_target.why if systemd is not None else ""
        return ChangePlan(notes=(f"the default target is left, it is not known: {why or 'systemd did not answer'}",))
    override = override_on_cmdline(view.facts)
    notes = (_overridden(override.value),) if override.value not in {None, target} else ()
    if systemd.default_target.value == target:
        return ChangePlan(notes=notes)
    file = target_file(view.readings, target)
    if file.wrong or systemd.default_link.state is State.UNREADABLE:
        reason = file.wrong or f"{_LINK} cannot be read: {systemd.default_link.why}"
        hint = "--target names another target; --without default-target leaves what boots as it is"
        return ChangePlan(refusals=(Refusal(change=_ID, reason=reason, hint=hint),), notes=notes)
    return ChangePlan(steps=(_step(systemd, target, file.path),), notes=(*notes, *_graphical(view)))


def _overridden(other: str | None) -> str:
    return f"the kernel's command line asks for {other}: this boots, whatever the default target is"


def _graphical(view: HostView) -> tuple[str, ...]:
    state = graphical_state(view.readings).value
    if view.profile.target == _GRAPHICAL:
        return (_STARTS,) if state != "active" else ()
    return (_STAYS,) if state != "inactive" and not view.profile.isolate_now else ()


def _step(systemd: SystemdFacts, target: str, path: str) -> PlannedStep:
    return PlannedStep(
        change=_ID,
        target=_LINK,
        before=systemd.default_target.value or "",
        after=target,
        takes_effect=TakesEffect.REBOOT,
        step=LinkStep(path=_LINK, target=path, expect={_LINK: systemd.default_link.value}),
    )


def _verify(view: HostView) -> tuple[HostCheck, ...]:
    systemd = view.facts.get(SystemdFacts)
    if view.applied_boot is None:
        return _pending(view, systemd) if systemd is not None else ()
    target = view.profile.target
    found = systemd.default_target if systemd is not None else None
    if found is None or found.value is None:
        status = CheckStatus.ABSENT if found is not None and found.state is State.ABSENT else CheckStatus.UNREADABLE
        return (_check("default target", target, "", status, (found.why if found else "") or "systemd did not answer"),)
    override = override_on_cmdline(view.facts).value
    same = found.value == target
    status = CheckStatus.OK if same and override in {None, target} else CheckStatus.DIFFERENT
    why = "" if same else f"{_LINK} was changed since"
    if same and status is CheckStatus.DIFFERENT:
        why = _overridden(override)
    return (_check("default target", target, found.value, status, why), *_session(view))


def _session(view: HostView) -> tuple[HostCheck, ...]:
    """Tell of a graphical session that still runs: choosing another target for the next boot did not end it."""
    state = graphical_state(view.readings)
    if view.profile.target == _GRAPHICAL or state.value is None:
        return ()
    wanted = "not active"
    if state.value != "active":
        return (_check(_GRAPHICAL, wanted, state.value, CheckStatus.OK),)
    if view.applied_boot == view.boot_id and not view.profile.isolate_now:
        return (_check(_GRAPHICAL, wanted, "active", CheckStatus.PENDING_REBOOT, _STAYS),)
    override = override_on_cmdline(view.facts).value
    why = _overridden(override) if override == _GRAPHICAL else "something started it since"
    return (_check(_GRAPHICAL, wanted, "active", CheckStatus.DIFFERENT, why),)


def _pending(view: HostView, systemd: SystemdFacts) -> tuple[HostCheck, ...]:
    """Tell when the default is graphical again and nothing graphical runs: it starts with the next boot."""
    state = graphical_state(view.readings).value
    if systemd.default_target.value != _GRAPHICAL or state != "inactive" or override_on_cmdline(view.facts).value:
        return ()
    return (_check(_GRAPHICAL, "active", "inactive", CheckStatus.PENDING_REBOOT, _STARTS),)


CHANGE = HostChange(
    id=_ID,
    title="What boots by default",
    does="sets the default target, multi-user.target unless another is named: the next boot starts no desktop",
    does_not="stop a graphical session that runs now, or remove one",
    effect="none measured; a desktop's memory, and its share of the GPU, are free after the next boot",
    source="systemctl(1), set-default; systemd.special(7)",
    order=500,
    plan=_plan,
    verify=_verify,
    reads=_reads,
)
