"""Compose files give their inference services the performance cores, by the smallest edit that does it.

Sources: the compose specification (cpuset, cgroup_parent) and its command line: ``up`` creates a container again when
its service has changed, ``restart`` does not.
"""

__all__ = ["CHANGE"]

from collections.abc import Iterator
from posixpath import isabs

from sparktune.host.changes._shared import cores_unknown, diff_of
from sparktune.host.checks import checks_of
from sparktune.host.compose_files import DRIVER_READ, ComposeFile, cgroup_driver, compose_files, literal
from sparktune.host.compose_placement import Placement, Service, edit_services, services_to_place
from sparktune.host.container_cpus import SLICE, is_inside
from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.containers import Container
from sparktune.host.placement import cores_of
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
from sparktune.model.observed import Observed, State, present
from sparktune.model.profile import Mode, Profile
from sparktune.model.reads import Read, ReadFile, ReadLinks
from sparktune.model.step import FileStep
from sparktune.redact import redact_text

_ID = "compose-cpuset"
_check = checks_of(_ID)
_ALLOW = "--allow-slow"


def _reads(facts: NodeFacts, profile: Profile) -> tuple[Read, ...]:
    paths = [file.path for file in compose_files(facts, profile) if isabs(file.path)]
    reads = [read for path in paths for read in (ReadFile(path=path), ReadLinks(pattern=literal(path)))]
    driver = (DRIVER_READ,) if paths and profile.mode is Mode.SLICES else ()
    return (*reads, *driver)


def _placement(view: HostView) -> Observed[Placement]:
    """Return where inference has to be; with cgroupfs no container is below a slice, so that a cpuset is enough."""
    cores = cores_of(view.facts)
    if cores.value is None:
        return Observed(cores.state, None, cores.why)
    driver = cgroup_driver(view)
    if view.profile.mode is Mode.SLICES and driver.value is None:
        return Observed(driver.state, None, driver.why or "docker does not say how it makes control groups")
    slices = view.profile.mode is Mode.SLICES and driver.value == "systemd"
    return present(Placement(cores=cores.value.performance, parent=SLICE if slices else ""))


def _plan(view: HostView) -> ChangePlan:
    files = compose_files(view.facts, view.profile)
    if not files:
        return ChangePlan()
    placement = _placement(view)
    if placement.value is None:
        way = f"--without {_ID}, or set cpuset: in the compose files yourself"
        return ChangePlan(refusals=(cores_unknown(_ID, placement.why, way),))
    plans = [_of_file(view, file, placement.value) for file in files]
    return ChangePlan(
        steps=tuple(step for plan in plans for step in plan.steps),
        refusals=tuple(refusal for plan in plans for refusal in plan.refusals),
        notes=tuple(note for plan in plans for note in plan.notes),
    )


def _of_file(view: HostView, file: ComposeFile, placement: Placement) -> ChangePlan:
    text, services, why = _looked_at(view, file, placement)
    if why:
        return _obstacle(view, file, why, placement, told=_is_gone(view, file))
    if not services:
        note = f"{file.path}: no service in it is known to be inference; name one with --container"
        return ChangePlan(notes=(note,) if file.asked else ())
    edit = edit_services(text, services)
    kept = [f"{file.path}: service {one.name}: {one.kept}" for one in services if one.kept]
    right = {name for name, container in file.running if _is_placed(container, placement)}
    plans = [
        _obstacle(view, file, f"service {name}: {why}", placement, told=name in right)
        for name, why in edit.failed.items()
    ]
    changed = [one for one in services if one.wanted and one.name not in edit.failed]
    steps = (_step(file.path, text, edit.text, changed),) if edit.text != text else ()
    return ChangePlan(
        steps=steps,
        refusals=tuple(refusal for plan in plans for refusal in plan.refusals),
        notes=(
            *kept,
            *(note for plan in plans for note in plan.notes),
            *(_live_when(view, file, changed) if steps else ()),
        ),
    )


def _looked_at(view: HostView, file: ComposeFile, placement: Placement) -> tuple[str, tuple[Service, ...], str]:
    """Return a file's text, its inference services, and why it cannot be looked at (empty when it can)."""
    link = view.readings.links.get(literal(file.path), {}).get(file.path)
    text = view.readings.file(file.path)
    if not isabs(file.path):
        return "", (), "it has to be named from the root of the node (/home/...)"
    if link is not None:
        return "", (), f"it is a link to {link}: name that file"
    if text.value is None:
        return "", (), f"it cannot be read: {text.why}" if text.why else "there is no such file on this node"
    named = frozenset(name for name, _ in file.running if name) | frozenset(view.profile.containers)
    try:
        return text.value, services_to_place(text.value, file.path, named, placement), ""
    except ValueError as error:
        return "", (), str(error)


def _is_gone(view: HostView, file: ComposeFile) -> bool:
    """Whether a file that only a running container names is not there (any more), or was elsewhere."""
    return not file.asked and view.readings.file(file.path).state is State.ABSENT


def _is_placed(container: Container, placement: Placement) -> bool:
    """Whether a running container has what its file is to say, if only through a variable."""
    below = not placement.parent or container.cgroup_parent == placement.parent
    return below and is_inside(container.cpuset, placement.cores)


def _obstacle(view: HostView, file: ComposeFile, why: str, placement: Placement, *, told: bool) -> ChangePlan:
    """Refuse what cannot be done; only tell it where that is accepted, or harms nobody now."""
    line = f"{file.path}: {why}"
    if view.profile.allow_slow or told:
        return ChangePlan(notes=(f"left as it is: {line}",))
    wanted = f'cpuset: "{format_cpulist(placement.cores)}"'
    wanted += f" and cgroup_parent: {placement.parent}" if placement.parent else ""
    hint = f"set {wanted} for its inference services yourself; {_ALLOW} accepts that they land on efficiency cores"
    return ChangePlan(refusals=(Refusal(change=_ID, reason=line, hint=hint, allow=_ALLOW),))


def _step(path: str, before: str, after: str, changed: list[Service]) -> PlannedStep:
    return PlannedStep(
        change=_ID,
        target=path,
        before="; ".join(f"{one.name}: {_said(one)}" for one in changed),
        after="; ".join(
            f"{one.name}: {', '.join(f'{key} {value}' for key, value in one.wanted.items())}" for one in changed
        ),
        takes_effect=TakesEffect.RESTART,
        step=FileStep(path=path, text=after, expect={path: before}),
        diff="\n".join(redact_text(line) for line in diff_of(path, before, after).splitlines()),
    )


def _said(service: Service) -> str:
    values = {"cpuset": service.cpuset, "cgroup_parent": service.parent}
    return ", ".join(f"{key} {values[key]}" if values[key] else f"no {key}" for key in service.wanted)


def _live_when(view: HostView, file: ComposeFile, changed: list[Service]) -> Iterator[str]:
    names = " ".join(one.name for one in changed)
    yield (
        f"{file.path}: live only when the containers are created again: docker compose -f {file.path} up -d {names} "
        "(docker compose restart keeps the old ones); undoing it needs the same"
    )
    slices = view.profile.mode is Mode.SLICES and "slices" not in view.profile.without
    if slices and any("cgroup_parent" in one.wanted for one in changed) and file.running:
        yield (
            f"{file.path}: its containers run below a slice that is to get the efficiency cores; to edit the file and "
            "create them again first, apply with --without slices, then plan again"
        )


def _verify(view: HostView) -> tuple[HostCheck, ...]:
    if view.applied_boot is None:
        return ()
    files = compose_files(view.facts, view.profile)
    placement = _placement(view)
    if placement.value is None:
        return (_check("compose files", "cpuset", "", CheckStatus.UNREADABLE, placement.why),) if files else ()
    return tuple(check for file in files for check in _checks(view, file, placement.value))


def _checks(view: HostView, file: ComposeFile, placement: Placement) -> Iterator[HostCheck]:
    _, services, why = _looked_at(view, file, placement)
    wanted = format_cpulist(placement.cores)
    if why and not _is_gone(view, file):
        gone = view.readings.file(file.path).state is State.ABSENT and isabs(file.path)
        yield _check(file.path, wanted, "", CheckStatus.ABSENT if gone else CheckStatus.UNREADABLE, why)
    for one in services:
        yield _key(file.path, one, "cpuset", one.cpuset, wanted, right=is_inside(one.cpuset, placement.cores))
        if placement.parent:
            right = "cgroup_parent" not in one.wanted and not one.obstacle
            yield _key(file.path, one, "cgroup_parent", one.parent, placement.parent, right=right)


def _key(path: str, service: Service, key: str, value: str, wanted: str, *, right: bool) -> HostCheck:
    target = f"{path}: {service.name}: {key}"
    if right:
        return _check(target, wanted, value, CheckStatus.OK)
    if "$" in value:
        return _check(target, wanted, value, CheckStatus.UNREADABLE, "it comes from a variable")
    return _check(target, wanted, value or "none", CheckStatus.DIFFERENT if value else CheckStatus.ABSENT)


CHANGE = HostChange(
    id=_ID,
    title="Inference services of compose files",
    does="sets cpuset (and with slices cgroup_parent) of services that are inference engines, in the compose files "
    "that the profile names and in those of running containers; every other byte of a file stays",
    does_not="create containers again, so that a running one keeps its cores until docker compose up; follow extends "
    "into other files; fill in variables",
    effect="none measured",
    source="the compose specification; systemd.slice(5); moby, daemon/daemon_unix.go",
    order=100,
    plan=_plan,
    verify=_verify,
    reads=_reads,
)
