"""Kernel settings: live, and in a file that has the last word at boot.

Sources: sysctl.d(5) for the order of files: by name, the last line of a key wins; sysctl(8): ``sysctl --system`` reads
/etc/sysctl.conf after all of them, which systemd does not read at all; the kernel's admin-guide/sysctl.
"""

__all__ = ["CHANGE"]

from collections.abc import Iterable, Iterator

from sparktune.host.changes._shared import diff_of
from sparktune.host.checks import checks_of
from sparktune.host.facts.memory import MemoryFacts
from sparktune.host.facts.sysctl import (
    SysctlFacts,
    SysctlLine,
    SysctlSetting,
    live_path,
    setting_reads,
    settings_of,
)
from sparktune.host.sysctl_rules import (
    comment_of,
    cuts_off,
    in_other_unit,
    same_value,
    warning_of,
    wrong_name,
    wrong_with,
)
from sparktune.host.tuned_sysctl import tuned_main_reads, tuned_overrules, tuned_sysctl
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
from sparktune.model.reads import Read, ReadFile
from sparktune.model.step import FileStep, ValueStep

_ID = "sysctl"
_check = checks_of(_ID)
# Behind Ubuntu's 99-sysctl.conf, which is a link to /etc/sysctl.conf
_NAME = "99-zz-sparktune.conf"
_PATH = f"/etc/sysctl.d/{_NAME}"
_REAPPLY = "change it there, set reapply_sysctl=1 in /etc/tuned/tuned-main.conf, or leave the key out of the profile"
_HEAD = (
    "# Kernel settings of the host profile, written by sparktune. `sparktune host revert` brings back what was here",
    "# before, and the live values with it.",
)


def _reads(facts: NodeFacts, profile: Profile) -> tuple[Read, ...]:
    known = {setting.key for setting in (facts.get(SysctlFacts) or SysctlFacts(settings=())).settings}
    more = sorted(key for key in profile.sysctls if key not in known and not wrong_name(key))
    memory = (ReadFile(path=_PATH), *tuned_main_reads(facts)) if profile.sysctls else ()
    return (*memory, *(setting_reads(more) if more else ()))


def _settings(view: HostView) -> dict[str, SysctlSetting]:
    known = {one.key: one for one in (view.facts.get(SysctlFacts) or SysctlFacts(settings=())).settings}
    more = [key for key in view.profile.sysctls if key not in known]
    return known | {one.key: one for one in settings_of(view.readings, more)}


def _plan(view: HostView) -> ChangePlan:
    wanted = {key: " ".join(value.split()) for key, value in sorted(view.profile.sysctls.items())}
    if not wanted:
        return ChangePlan()
    settings = _settings(view)
    refusals = [refusal for key, value in wanted.items() for refusal in _refusals(view, settings[key], value)]
    file = view.readings.file(_PATH)
    if file.state is State.UNREADABLE:
        refusals.append(_refusal(f"{_PATH} cannot be read: {file.why}", "look at that file"))
    notes = tuple(note for key, value in wanted.items() for note in _notes(view, settings[key], value))
    if refusals:
        return ChangePlan(refusals=tuple(refusals), notes=notes)
    steps = (*_file_step(file.value, wanted), *(step for key in wanted for step in _live(settings[key], wanted[key])))
    warnings = (warning_of(key, value) for key, value in wanted.items() if steps)
    return ChangePlan(steps=steps, notes=(*filter(None, warnings), *notes, *_dropped(file.value, wanted)))


def _refusal(reason: str, hint: str) -> Refusal:
    return Refusal(change=_ID, reason=reason, hint=hint)


def _refusals(view: HostView, setting: SysctlSetting, value: str) -> Iterator[Refusal]:
    memory = view.facts.get(MemoryFacts)
    total, available = (memory.total.value, memory.available.value) if memory is not None else (None, None)
    key, live = setting.key, setting.live
    # What is so already takes nothing from what is available.
    same = live.value is not None and same_value(live.value, value)
    wrong = wrong_with(key, value, total, None if same else available)
    twin = in_other_unit(key, live.value or "")
    leave = f"leave {key} out of the profile"
    if wrong:
        yield _refusal(f"{key[:80]} = {value[:40]}: {wrong}", "give another value, or leave the key out")
    elif live.state is State.ABSENT:
        yield _refusal(f"{key}: this kernel has no such setting", "look for a misspelt name, or leave the key out")
    elif live.value is None:
        yield _refusal(f"{key}: its live value cannot be read: {live.why}", leave)
    elif twin:
        yield _refusal(f"{key}: {twin} is in force in its place, which could not be put back", f"set {twin} instead")
    else:
        yield from _overruled(view, setting, value)


def _overruled(view: HostView, setting: SysctlSetting, value: str) -> Iterator[Refusal]:
    key, later = setting.key, _later(setting)
    if setting.boot.state is State.UNREADABLE:
        yield _refusal(f"{key}: what wins at boot is not known: {setting.boot.why}", "look at that file")
    if later is not None and not same_value(later.value, value):
        yield _refusal(
            f"{key}: {later.path}, line {later.line}, sets {later.value} after {_NAME}, and would win at the next boot",
            f"take that line out, or leave {key} out of the profile",
        )
    tuned = tuned_sysctl(view, key)
    if tuned.state is State.UNREADABLE and tuned_overrules(view.readings):
        yield _refusal(f"{key}: TuneD has the last word, and what it sets is not known: {tuned.why}", _REAPPLY)
    if tuned.value is not None and tuned_overrules(view.readings) and not same_value(tuned.value.value, value):
        reason = f"TuneD's active profile sets {tuned.value.value} ({tuned.value.path}), and reapply_sysctl is off"
        yield _refusal(f"{key}: {reason}: TuneD has the last word", _REAPPLY)


def _later(setting: SysctlSetting) -> SysctlLine | None:
    """Return the line that wins over this profile's file at boot: it names the key in a file of a later name."""
    later = [line for line in setting.lines if line.path.rpartition("/")[2] > _NAME]
    return later[-1] if later else None


def _notes(view: HostView, setting: SysctlSetting, value: str) -> Iterator[str]:
    key = setting.key
    by_hand = setting.by_hand.value
    if by_hand is not None and by_hand.path == "/etc/sysctl.conf" and not same_value(by_hand.value, value):
        yield (
            f"{key}: `sysctl --system` would set {by_hand.value} again, as it reads /etc/sysctl.conf (line "
            f"{by_hand.line}) last; a boot does not"
        )
    tuned = tuned_sysctl(view, key).value
    if tuned is not None and not tuned_overrules(view.readings) and not same_value(tuned.value, value):
        yield (
            f"{key}: TuneD's active profile sets {tuned.value} ({tuned.path}), then applies the system's files again, "
            "so that this one wins; with reapply_sysctl=0 it would not"
        )


def _file_step(before: str | None, wanted: dict[str, str]) -> Iterator[PlannedStep]:
    after = _text(wanted)
    if before == after:
        return
    yield PlannedStep(
        change=_ID,
        target=_PATH,
        before="absent" if before is None else f"{len(before.splitlines())} lines",
        after=f"{', '.join(f'{key}={value}' for key, value in wanted.items())} at every boot",
        takes_effect=TakesEffect.LIVE,
        step=FileStep(path=_PATH, text=after, expect={_PATH: before}),
        diff=diff_of(_PATH, before, after),
    )


def _text(wanted: dict[str, str]) -> str:
    lines = list(_HEAD)
    for key, value in wanted.items():
        lines += ["", *(f"# {line}" for line in comment_of(key)), f"{key} = {value}"]
    return "\n".join(lines) + "\n"


def _live(setting: SysctlSetting, value: str) -> Iterator[PlannedStep]:
    live = setting.live.value or ""
    if same_value(live, value):
        return
    path = live_path(setting.key)
    yield PlannedStep(
        change=_ID,
        target=setting.key,
        before=live,
        after=value,
        takes_effect=TakesEffect.LIVE,
        step=ValueStep(path=path, text=value, form="words", lasting=True, expect={path: live}),
        cuts_off=cuts_off(setting.key),
    )


def _dropped(before: str | None, wanted: Iterable[str]) -> Iterator[str]:
    """Tell which keys leave the file: their live value stays what it is."""
    for line in (before or "").splitlines():
        key, sign, _ = line.partition("=")
        if sign and not line.startswith("#") and key.strip() not in wanted:
            yield f"{key.strip()} is taken out of {_PATH}; its live value stays until the next boot, or a revert"


def _verify(view: HostView) -> tuple[HostCheck, ...]:
    settings = _settings(view)
    if view.applied_boot is None:
        return tuple(check for key in sorted(view.profile.sysctls) for check in _pending(settings[key]))
    return tuple(
        check
        for key, value in sorted(view.profile.sysctls.items())
        for check in _of_key(settings[key], " ".join(value.split()))
    )


def _pending(setting: SysctlSetting) -> Iterator[HostCheck]:
    """Tell of a value that files will set at the next boot, and that is not in force now."""
    boot, live = setting.boot.value, setting.live.value
    if boot is not None and live is not None and not same_value(boot.value, live):
        why = f"{boot.path}, line {boot.line}, sets it at the next boot"
        yield _check(setting.key, boot.value, live, CheckStatus.PENDING_REBOOT, why)


def _of_key(setting: SysctlSetting, value: str) -> Iterator[HostCheck]:
    key, live = setting.key, setting.live
    if live.value is None:
        status = CheckStatus.ABSENT if live.state is State.ABSENT else CheckStatus.UNREADABLE
        yield _check(key, value, "", status, live.why or "this kernel has no such setting")
    else:
        same = same_value(live.value, value)
        status, why = (CheckStatus.OK, "") if same else (CheckStatus.DIFFERENT, "somebody set another value live")
        yield _check(key, value, live.value, status, why)
    yield _at_boot(setting, value)
    yield from _by_hand(setting, value)


def _at_boot(setting: SysctlSetting, value: str) -> HostCheck:
    target, boot = f"{setting.key} at the next boot", setting.boot
    if boot.value is None:
        status = CheckStatus.ABSENT if boot.state is State.ABSENT else CheckStatus.UNREADABLE
        return _check(target, value, "", status, boot.why or "no file sets it")
    if same_value(boot.value.value, value):
        return _check(target, value, boot.value.value, CheckStatus.OK)
    why = f"{boot.value.path}, line {boot.value.line}, wins"
    return _check(target, value, boot.value.value, CheckStatus.DIFFERENT, why)


def _by_hand(setting: SysctlSetting, value: str) -> Iterator[HostCheck]:
    """Tell where ``sysctl --system`` would do another thing than a boot."""
    line = setting.by_hand.value
    if line is not None and line != setting.boot.value and not same_value(line.value, value):
        why = f"{line.path}, line {line.line}, is read last by `sysctl --system` (a boot does not read it)"
        yield _check(f"{setting.key} by sysctl --system", value, line.value, CheckStatus.DIFFERENT, why)


CHANGE = HostChange(
    id=_ID,
    title="Kernel settings of memory",
    does="sets the profile's keys (vm.swappiness, vm.vfs_cache_pressure and those that are added) live, and in "
    f"{_PATH}, the last file of its folder",
    does_not="swap memory of CUDA, which cannot be swapped; make swap wait for the very end; drop cached file pages",
    effect="none measured",
    source="the kernel's admin-guide/sysctl/vm.rst; sysctl.d(5); sysctl(8)",
    order=350,
    plan=_plan,
    verify=_verify,
    reads=_reads,
)
