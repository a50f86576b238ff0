"""What will not come back: a service that nothing starts again, and values that are only set until the next boot.

Sources: Docker documentation, "Start containers automatically": after a restart of the daemon only ``always`` and
``unless-stopped`` start a container; systemctl(1), set-property --runtime writes drop-ins below
/run/systemd/system.control, which a boot clears; UnitFileState; sysctl.d(5). Whether a setting of the engine comes back
is in the row of that setting.
"""

__all__ = ["ASPECT"]

from collections.abc import Iterator
from typing import Final

from sparktune.drift.aspects._shared import judged, silence
from sparktune.drift.host_checks import applied_checks
from sparktune.drift.rows import cell, closed_cell
from sparktune.host.compose_files import literal
from sparktune.host.facts.containers import Container, ContainerFacts
from sparktune.host.facts.sysctl import SysctlFacts, SysctlSetting
from sparktune.model.drift import DriftAspect, DriftRow, DriftView, PartSeen
from sparktune.model.node import NodeFacts
from sparktune.model.reads import Read, ReadCommand, ReadFiles
from sparktune.redact import redact_text

_ID: Final = "survives"
_BOOT: Final = "comes back after a reboot"
_KEPT: Final = frozenset({"always", "unless-stopped"})
_STARTED: Final = frozenset({"enabled", "static", "alias", "indirect", "generated"})
_ADMIN: Final = "/etc/"
_LABELS: Final = ("com.docker.compose.", "sparkrun.")
_BY_HAND: Final = (
    "it was made by docker run, and no file has its settings: a container that is made anew has others; write them "
    "into a compose file"
)


def _unit(part: PartSeen) -> str:
    name = str(part.where.get("unit") or "")
    return "" if name.startswith("-") or "/" in name else name


def _state(unit: str) -> tuple[str, ...]:
    return ("systemctl", "show", "-p", "UnitFileState,Transient", unit)


def _drop_ins(unit: str) -> tuple[str, ...]:
    folders = ("/run/systemd/system.control", "/run/systemd/system")
    return tuple(f"{folder}/{literal(unit)}.d/*.conf" for folder in folders)


def _reads(part: PartSeen) -> tuple[Read, ...]:
    unit = _unit(part)
    if not unit:
        return ()
    return (ReadCommand(argv=_state(unit)), *(ReadFiles(pattern=pattern) for pattern in _drop_ins(unit)))


def _rows(view: DriftView) -> tuple[DriftRow, ...]:
    nodes = {node.node: node for node in view.nodes if not node.failure}
    wanted = {check.target for host in view.hosts for check in applied_checks(host)}
    parts = (row for part in view.parts for row in _of_part(part, nodes.get(part.node)))
    return (*parts, *(row for node in nodes.values() for row in _sysctls(node, wanted)))


def _of_part(part: PartSeen, node: NodeFacts | None) -> Iterator[DriftRow]:
    if _unit(part):
        yield _of_unit(part, _unit(part))
        yield from _properties(part, _unit(part))
    elif part.container:
        yield from _of_container(part, node)
    elif part.pid:
        why = "it is neither of a container nor of a unit: somebody, or something else, has to start it again"
        yield _lost(part, "started by hand", f"pid {part.pid}", why, "start it by a unit or a compose file")


def _lost(part: PartSeen, text: str, place: str, why: str, hint: str) -> DriftRow:
    return judged(_BOOT, part.node, _ID, part=part.name, live=cell(text, place), why=why, hint=hint, survives=False)


def _of_unit(part: PartSeen, unit: str) -> DriftRow:
    place, said = f"systemctl show {unit}", part.readings.command(*_state(unit))
    if said.value is None or said.value.code:
        live = closed_cell(silence(part, _state(unit)), place)
        return judged(_BOOT, part.node, _ID, part=part.name, live=live)
    values = dict(line.partition("=")[::2] for line in said.value.stdout.splitlines())
    state = "transient" if values.get("Transient") == "yes" else values.get("UnitFileState") or "no unit file"
    if state in _STARTED:
        return judged(_BOOT, part.node, _ID, part=part.name, live=cell(state, place), survives=True)
    why = f"{unit} is {state}: nothing starts it at boot"
    return _lost(part, state, place, why, f"systemctl enable {unit}, if it should")


def _of_container(part: PartSeen, node: NodeFacts | None) -> Iterator[DriftRow]:
    found = _container(part, node)
    place = f"container {part.container[:12]}"
    if found is None:
        return
    policy = found.restart_policy or "no"
    if policy in _KEPT:
        yield judged(_BOOT, part.node, _ID, part=part.name, live=cell(f"restart: {policy}", place), survives=True)
    else:
        why = f"its restart policy is {policy}: Docker does not start it again after a reboot"
        yield _lost(part, f"restart: {policy}", place, why, "restart: unless-stopped, if it should come back")
    if not any(name.startswith(_LABELS) for name in found.labels):
        yield judged(
            "settings kept in a file",
            part.node,
            _ID,
            part=part.name,
            file=None,
            live=cell("docker run", place),
            why=_BY_HAND,
            survives=False,
        )


def _container(part: PartSeen, node: NodeFacts | None) -> Container | None:
    known = (node.get(ContainerFacts) or ContainerFacts()).containers if node is not None else ()
    return next((one for one in known if one.id == part.container), None)


def _properties(part: PartSeen, unit: str) -> Iterator[DriftRow]:
    """Yield what a unit was given until the next boot, which no lasting file says."""
    for pattern in _drop_ins(unit):
        for path, text in part.readings.matching(pattern).items():
            for line in (text.value or "").splitlines():
                name, sign, value = line.strip().partition("=")
                if not sign or name.startswith(("#", ";")):
                    continue
                yield judged(
                    f"unit property {name}",
                    part.node,
                    _ID,
                    part=part.name,
                    file=None,
                    live=cell(redact_text(value), path),
                    why=f"{path} is gone after a reboot",
                    hint=f"to keep it, write it into a drop-in below /etc (systemctl edit {unit})",
                    survives=False,
                )


def _sysctls(node: NodeFacts, wanted: set[str]) -> Iterator[DriftRow]:
    facts = node.get(SysctlFacts)
    for setting in facts.settings if facts is not None else ():
        if setting.key not in wanted and (row := _sysctl(node.node, setting)) is not None:
            yield row


def _sysctl(node: str, setting: SysctlSetting) -> DriftRow | None:
    """Return the row of a kernel setting that a file of an administrator gives and that is not so."""
    boot, live = setting.boot.value, setting.live.value
    if boot is None or live is None or not boot.path.startswith(_ADMIN) or boot.value.split() == live.split():
        return None
    return judged(
        f"sysctl {setting.key}",
        node,
        _ID,
        file=cell(boot.value, f"{boot.path}:{boot.line}"),
        live=cell(live, "/proc/sys"),
        why="it was set on the running system, or the file was never applied: a boot sets what the file says",
        hint=f"sysctl -w {setting.key}={boot.value} sets it now; to keep {live}, write it into {boot.path}",
        survives=False,
    )


ASPECT = DriftAspect(
    id=_ID,
    title="whether a service, and what was set on it and its node, comes back after a reboot",
    why="What was set by hand on a running system works until the next boot, and then nobody remembers it.",
    source="https://docs.docker.com/engine/containers/start-containers-automatically/; systemctl(1), set-property",
    rows=_rows,
    reads=_reads,
)
