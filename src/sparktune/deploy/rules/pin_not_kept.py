"""Cores that a file names, and that the server does not get."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, lint_rule
from sparktune.model.document import Document
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView

_NAMES = frozenset({"cpuset_cpus", "cpuset", "cpus", "cpu_affinity"})
_CLIENTS = ("docker ", "docker-compose ", "podman ", "nerdctl ", "sparkrun ")


def _judge(view: LintView) -> Iterator[Found]:
    for document in view.documents:
        if document.format == "recipe":
            yield from _recipe(document)
        elif document.format == "unit":
            yield from _unit(document)


def _recipe(document: Document) -> Iterator[Found]:
    for entry in document.entries:
        name = entry.name.rpartition(".")[2]
        in_executor = entry.kind == "key" and entry.name.startswith("executor_config.")
        if name not in _NAMES or not (entry.kind == "default" or in_executor):
            continue
        if entry.kind == "default" and f"{{{name}}}" in document.text:
            continue
        yield Found(
            severity=Severity.WARNING,
            evidence=f"{entry.name}: {entry.text} pins nothing: sparkrun has no such setting, and drops it",
            hint='pass it at every start: --executor-args "--cpuset-cpus ..."; sparkrun does not record that, so that '
            "the next start without it has no pin",
            file=document.name,
            line=entry.line,
        )


def _unit(document: Document) -> Iterator[Found]:
    keys = {entry.name: entry for entry in document.entries if entry.part == "Service" and entry.kind == "key"}
    pin = next((keys[name] for name in ("CPUAffinity", "AllowedCPUs") if name in keys), None)
    start = keys.get("ExecStart")
    program = (start.text or "").lstrip("-@:+! ").rpartition("/bin/")[2] if start is not None else ""
    if pin is None or not program.startswith(_CLIENTS):
        return
    yield Found(
        severity=Severity.WARNING,
        evidence=f"{pin.name}={pin.text} pins {program.split()[0]}, which only asks the daemon: the container is no "
        "process of this unit",
        hint="give the container its cores: cpuset in compose, --cpuset-cpus for docker run",
        file=document.name,
        line=pin.line,
    )


RULE = lint_rule(
    "pin-not-kept",
    title="cores that the server does not get",
    why="The server runs on other cores than the file says, at once or after the next start.",
    source="sparkrun 0.4.2, executor_config has no cpuset, and executor arguments are in no job file; "
    "systemd.exec(5), CPUAffinity=; containers are children of containerd",
    judge=_judge,
)
