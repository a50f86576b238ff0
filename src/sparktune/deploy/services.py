"""What all launchers of services have in common: the words of an arm's settings, and how a service is left.

An arm: ``{env: {NAME: value}, flags: {--name: value}, wait_s: 900}``. ``null`` is "not there", ``true`` of a flag is
"given, without a value". ``{}`` is "as the files have it".
"""

__all__ = [
    "CONTAINERS",
    "ONLINE",
    "Part",
    "ServiceSettings",
    "containers_of",
    "first_line",
    "here",
    "killing",
    "labels_of",
    "leaving",
    "original_arm",
    "part_of",
    "service_settings",
    "text_of_file",
    "wanted_names",
    "wanted_of",
]

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sparktune.deploy.arm_values import number_of
from sparktune.model.arm_action import Action, AwaitMemory, KeepLog, KillService, RunOnNode, ServiceProcess
from sparktune.model.launcher import ArmSpec
from sparktune.model.observed import State
from sparktune.model.reads import CommandOutput, ReadCommand, ReadFile, Readings
from sparktune.redact import redact_argv, redact_text
from sparktune.units import Seconds

# Read in one way by all, since an answer is found by its command.
CONTAINERS: Final = ReadCommand(
    argv=("docker", "inspect"),
    arguments_from=("docker", "ps", "-aq", "--no-trunc"),
    limit_s=30.0,
    most_bytes=8 * 1024 * 1024,
)
ONLINE: Final = ReadFile(path="/sys/devices/system/cpu/online")

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_FLAG: Final = re.compile(r"--?[A-Za-z][A-Za-z0-9_.-]*", re.ASCII)
_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*", re.ASCII)
_VARIABLE: Final = re.compile(r"\$\{[A-Za-z_]")
_WAIT_S: Final = 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """One arm's settings; None is "not there", "" of a flag "given without a value"."""

    env: Mapping[str, str | None] = field(default_factory=dict)
    flags: Mapping[str, str | None] = field(default_factory=dict)
    keys: Mapping[str, str | None] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    executor_args: str = ""
    wait_s: Seconds = _WAIT_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a service, and the commands that it is started and stopped with.

    ``log`` is what keeps its log, ``stop`` what ends it.
    """

    service: ServiceProcess
    log: KeepLog
    stop: RunOnNode


def original_arm(spec: ArmSpec) -> str:
    """Return the arm that stands for how the service ran before: A, or the one of another way to run the same."""
    return "A" if "A" in spec.arms else next(iter(spec.arms))


def service_settings(spec: ArmSpec, arm: str, known: Sequence[str]) -> ServiceSettings:
    """Return an arm's settings. Raises ValueError for what is misspelled, no setting, or a secret."""
    settings, where = spec.arms.get(arm), f"arm {arm}"
    if settings is None:
        message = f"{where} has no settings; there are: {', '.join(sorted(spec.arms)) or 'none'}"
        raise ValueError(message)
    wrong = sorted(set(map(str, settings)) - {*known, "wait_s"})
    if wrong:
        message = f"{where}: {wrong[0]!r} is not known here; known are: {', '.join((*known, 'wait_s'))}"
        raise ValueError(message)
    return ServiceSettings(
        env=_texts(settings, "env", _NAME, where),
        flags=_texts(settings, "flags", _FLAG, where),
        keys=_texts(settings, "keys", _KEY, where),
        options={name: value or "" for name, value in _texts(settings, "options", _KEY, where).items()},
        executor_args=_text(settings.get("executor_args", ""), f"{where}: executor_args") or "",
        wait_s=number_of(settings.get("wait_s", _WAIT_S), f"{where}: wait_s"),
    )


def wanted_names(spec: ArmSpec, kind: str) -> tuple[str, ...]:
    """Return the names that any arm sets, of one kind: each of them is read back in every arm."""
    named = (arm.get(kind) or {} for arm in spec.arms.values())
    return tuple(dict.fromkeys(str(name) for names in named if isinstance(names, Mapping) for name in names))


def wanted_of(
    own: Mapping[str, str | None], names: Iterable[str], original: Mapping[str, str | None]
) -> dict[str, str | None]:
    """Return what is to be read back: an arm's own value, else what was there before (None: nothing)."""
    return {name: own[name] if name in own else original.get(name) for name in names}


def part_of(where: Mapping[str, Any], known: Sequence[str], needed: Sequence[str]) -> dict[str, str]:
    """Return a part of ``where`` as texts. Raises ValueError for a key that is not known, or is missing."""
    wrong = sorted(set(map(str, where)) - set(known))
    if wrong:
        message = f"where: {wrong[0]!r} is not known here; known are: {', '.join(known)}"
        raise ValueError(message)
    missing = next((key for key in needed if not where.get(key)), None)
    if missing:
        message = f"where: a part has no {missing}; a part has: {', '.join(known)}"
        raise ValueError(message)
    return {key: _text(value, f"where: {key}") or "" for key, value in where.items() if not isinstance(value, list)}


def leaving(parts: Sequence[Part]) -> tuple[Action, ...]:
    """Return what ends a service: logs first, then it stops in reverse order, then its memory has to come back."""
    ends = tuple(reversed(parts))
    return (
        *(part.log for part in ends),
        *(part.stop for part in ends),
        *(AwaitMemory(service=part.service) for part in ends),
    )


def killing(parts: Sequence[Part]) -> tuple[Action, ...]:
    """Return what ends a service at once."""
    return tuple(KillService(service=part.service) for part in reversed(parts))


def containers_of(node: str, readings: Readings) -> list[Mapping[str, Any]]:
    """Return every container of a node as docker has it. Raises ValueError when docker does not say."""
    said = readings.command(*CONTAINERS.argv)
    if said.value is None or said.value.code != 0:
        why = said.why or ("there is no docker" if said.value is None else first_line(said.value))
        message = f"{node}: its containers cannot be read: {why}"
        raise ValueError(message)
    try:
        found = json.loads(said.value.stdout or "[]")
    except (ValueError, RecursionError):
        message = f"{node}: docker inspect prints no JSON"
        raise ValueError(message) from None
    return [one for one in found if isinstance(one, Mapping)]


def labels_of(container: Mapping[str, Any]) -> Mapping[str, str]:
    """Return a container's labels."""
    return (container.get("Config") or {}).get("Labels") or {}


def first_line(output: CommandOutput) -> str:
    """Return what a command complained about, for a message."""
    lines = (output.stderr.strip() or output.stdout.strip() or f"exit code {output.code}").splitlines()
    return redact_text(lines[0])[:200]


def text_of_file(node: str, path: str, readings: Readings) -> str | None:
    """Return the text of a file, None when it is not there. Raises ValueError when it cannot be read."""
    found = readings.file(path)
    if found.state is State.UNREADABLE:
        message = f"{node}: {path} cannot be read: {found.why}"
        raise ValueError(message)
    return found.value


def here(node: str) -> str:
    """Return what a node is called in a message."""
    return node or "this machine"


def _texts(settings: Mapping[str, Any], kind: str, names: re.Pattern[str], arm: str) -> dict[str, str | None]:
    where, given = f"{arm}: {kind}", settings.get(kind)
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        message = f"{where}: names with values are wanted, not {given!r}"
        raise ValueError(message)  # noqa: TRY004 - the launcher's contract
    found: dict[str, str | None] = {}
    for name, value in given.items():
        if not isinstance(name, str) or names.fullmatch(name) is None:
            message = f"{where}: {name!r} is no name there{_hint(kind, str(name))}"
            raise ValueError(message)
        found[name] = _value(kind, value, f"{where}: {name}")
        _refuse_secret(kind, name, found[name] or "", where)
    return found


def _hint(kind: str, name: str) -> str:
    return f"; a flag is written with its dashes: --{name}" if kind == "flags" else ""


def _value(kind: str, value: object, where: str) -> str | None:
    if kind == "flags" and isinstance(value, bool):
        if value:
            return ""
        message = (
            f"{where}: false says nothing: null takes the flag away, and its opposite is a flag of its own (--no-...)"
        )
        raise ValueError(message)
    if value is None and kind == "options":
        message = f"{where}: an option has a value; leave it out to have the recipe's"
        raise ValueError(message)
    text = None if value is None else _text(value, where)
    if text is not None and _VARIABLE.search(text):
        message = f"{where}: {text!r} would not be filled in: write the value, or the variable into the service's files"
        raise ValueError(message)
    return text


def _text(value: object, where: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float) and "\0" not in str(value) and "\n" not in str(value):
        return str(value)
    message = f"{where}: a text of one line or a number is wanted, not {value!r}"
    raise ValueError(message)


def _refuse_secret(kind: str, name: str, value: str, where: str) -> None:
    """Refuse what would be stored with the experiment; a secret belongs into the service's own files."""
    shown = redact_argv((name, value))[1] if kind == "flags" else redact_text(f"{name}={value}").partition("=")[2]
    if value and shown != value:
        message = f"{where}: {name} is a secret, and would be stored with the experiment; set it in the service's files"
        raise ValueError(message)
