"""A systemd unit: an arm is a drop-in of its own, or an edit of its EnvironmentFile=; the unit starts anew each visit.

An arm: ``{env: {NAME: value}, flags: {--max-num-seqs: 8}, wait_s: 900}``. ``where`` lists the units in the order in
which they start: ``{node: spark1, unit: vllm.service}``.

What to know of it: with ``Restart=`` a server that died is started again by systemd; it is seen to be another start,
and the visit is void. Who kills one to save its host has systemd stop the unit first, or it would come back. A unit of
``Type=oneshot`` is refused: its script ends, and what serves is no process of it; such scripts tell by an exit code of
their own (3: "it runs already") what ``SuccessExitStatus=`` has to name, or ``Restart=on-failure`` retries for ever.

Source: systemctl(1), journalctl(1); systemd 252 to 257.
"""

__all__ = ["LAUNCHER"]

from collections.abc import Mapping
from typing import Final

from sparktune.deploy.launchers._shared import live_readers
from sparktune.deploy.services import (
    Part,
    ServiceSettings,
    killing,
    leaving,
    original_arm,
    part_of,
    service_settings,
    wanted_names,
    wanted_of,
)
from sparktune.deploy.texts import Texts
from sparktune.deploy.unit_edits import flags_before, set_unit
from sparktune.deploy.unit_seen import KEYS, Unit, unit_of, unit_reads
from sparktune.model.arm_action import Action, Apply, AwaitAnswer, AwaitMemory, KeepLog, RunOnNode, ServiceProcess
from sparktune.model.launcher import ArmPlan, ArmSpec, Launcher, LiveService, Seen
from sparktune.model.reads import Read, Readings
from sparktune.model.step import ReloadStep

_KNOWN: Final = ("env", "flags")
_LOG_LINES: Final = "5000"


def _check(spec: ArmSpec) -> None:
    if not spec.where:
        message = "where is missing: the units of the service, for instance {node: spark1, unit: vllm.service}"
        raise ValueError(message)
    for where in spec.where:
        part_of(where, KEYS, ("unit",))
    for arm in spec.arms:
        service_settings(spec, arm, _KNOWN)
        live_readers(spec.arms, spec.live, arm)


def _reads(spec: ArmSpec, seen: Seen) -> Mapping[str, tuple[Read, ...]]:
    found: dict[str, tuple[Read, ...]] = {}
    for where in spec.where:
        node = str(where.get("node") or "")
        found[node] = (*found.get(node, ()), *unit_reads(where, seen.get(node)))
    return found


def _plan(spec: ArmSpec, seen: Seen, arm: str) -> ArmPlan:
    settings = service_settings(spec, arm, _KNOWN)
    units = _units(spec, seen)
    parts = tuple(map(_part, units))
    return ArmPlan(
        actions=(*_applied(units, settings), *_started(units), AwaitAnswer(limit_s=settings.wait_s)),
        readers=(*(_reader(spec, settings, unit) for unit in units), *live_readers(spec.arms, spec.live, arm)),
        takes="restart",
        leave=leaving(parts),
        kill=killing(parts),
    )


def _begin(spec: ArmSpec, seen: Seen) -> tuple[Action, ...]:
    parts = [_part(unit) for unit in reversed(_units(spec, seen)) if unit.ran]
    return (*(part.stop for part in parts), *(AwaitMemory(service=part.service) for part in parts))


def _original(spec: ArmSpec, seen: Seen) -> tuple[Action, ...]:
    units = _units(spec, seen)
    started = _started(tuple(unit for unit in units if unit.ran))
    if not all(unit.ran for unit in units):
        return started
    return (*started, AwaitAnswer(limit_s=service_settings(spec, original_arm(spec), _KNOWN).wait_s))


def _units(spec: ArmSpec, seen: Seen) -> tuple[Unit, ...]:
    return tuple(unit_of(where, seen.get(str(where.get("node") or ""), Readings())) for where in spec.where)


def _applied(units: tuple[Unit, ...], settings: ServiceSettings) -> tuple[Apply, ...]:
    texts: dict[str, Texts] = {}
    for unit in units:
        texts.setdefault(unit.node, Texts(_all_texts(units, unit.node)))
        set_unit(unit, texts[unit.node], settings)
    return tuple(
        Apply(node=node, steps=(*steps, ReloadStep())) for node, edited in texts.items() if (steps := edited.steps())
    )


def _all_texts(units: tuple[Unit, ...], node: str) -> dict[str, str | None]:
    return {path: text for one in units if one.node == node for path, text in one.texts.items()}


def _reader(spec: ArmSpec, settings: ServiceSettings, unit: Unit) -> LiveService:
    flags = wanted_names(spec, "flags")
    return LiveService(
        service=_process(unit),
        flags=wanted_of(settings.flags, flags, flags_before(unit, flags)),
        environment=wanted_of(settings.env, wanted_names(spec, "env"), unit.environment),
    )


def _process(unit: Unit) -> ServiceProcess:
    return ServiceProcess(node=unit.node, unit=unit.name)


def _part(unit: Unit) -> Part:
    log = ("journalctl", "--unit", unit.name, "--boot", "--lines", _LOG_LINES, "--no-pager")
    return Part(
        service=_process(unit),
        log=KeepLog(node=unit.node, argv=log, name=unit.name),
        stop=RunOnNode(node=unit.node, argv=("systemctl", "stop", unit.name)),
    )


def _started(units: tuple[Unit, ...]) -> tuple[RunOnNode, ...]:
    """Return what starts units; one that has failed too often before would be refused without the first command.

    That one fails for a unit that systemd does not hold in memory, which has not failed either.
    """
    return tuple(
        RunOnNode(node=unit.node, argv=("systemctl", verb, unit.name), codes=codes)
        for unit in units
        for verb, codes in (("reset-failed", (0, 1)), ("start", (0,)))
    )


LAUNCHER = Launcher(
    id="systemd",
    title="a systemd unit",
    check=_check,
    plan=_plan,
    original=_original,
    reads=_reads,
    begin=_begin,
)
