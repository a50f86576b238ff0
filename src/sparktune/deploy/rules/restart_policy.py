"""Services that come back when they should not, or do not when they should."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, at, every_part, lint_rule, many_nodes
from sparktune.model.document import Document
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView

_AGAIN = frozenset({"on-failure", "always", "on-abnormal", "on-abort", "on-success"})
_ALWAYS = frozenset({"always", "unless-stopped"})


def _judge(view: LintView) -> Iterator[Found]:
    for document in view.documents:
        if document.format == "unit":
            yield from _unit(document)
    for part in every_part(view, "compose"):
        policy = part.keys.get("restart")
        if policy is None or policy.value not in _ALWAYS or not part.engine or not many_nodes(part):
            continue
        yield at(
            policy,
            Severity.WARNING,
            f"restart: {policy.value} starts this rank alone, after a reboot too, with its old settings",
            'use restart: "no" and one start script for all ranks: a rank that comes back alone joins a dead group',
        )


def _unit(document: Document) -> Iterator[Found]:
    keys = {entry.name: entry for entry in document.entries if entry.part == "Service" and entry.kind == "key"}
    restart, start = keys.get("Restart"), keys.get("ExecStart")
    if restart is None or start is None or restart.text not in _AGAIN or not _is_script(start.text or ""):
        return
    codes = " ".join(
        keys[name].text or "" for name in ("SuccessExitStatus", "RestartPreventExitStatus") if name in keys
    )
    if "3" in codes.split():
        return
    oneshot = keys.get("Type") is not None and keys["Type"].text == "oneshot"
    yield Found(
        severity=Severity.WARNING,
        evidence=f"Restart={restart.text} runs the start script again whenever it ends with an error, and some end "
        "with 3 when the service runs already",
        hint="look what your script's exit codes mean; where 3 is 'runs already': SuccessExitStatus=3"
        + (" and RemainAfterExit=yes" if oneshot else ""),
        file=document.name,
        line=restart.line,
    )


def _is_script(command: str) -> bool:
    program = command.lstrip("-@:+! ").split(" ")[0]
    return program.endswith(".sh") or ".sh" in command


RULE = lint_rule(
    "restart-policy",
    title="a service that is started again when it should not be",
    why="A start script that is run again and again while the service runs is a storm; a rank that comes back alone "
    "hangs, and brings an old configuration with it.",
    source="https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/issues/72; systemd.service(5); "
    "https://github.com/eugr/spark-vllm-docker/issues/257",
    judge=_judge,
)
