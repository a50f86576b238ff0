"""A container of several nodes whose memory may not be locked, which RDMA needs."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, key_text, many_nodes, part_rule
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part

_UNLIMITED = ("-1", "unlimited")


def _judge(part: Part, _view: LintView) -> Iterator[Found]:
    image = part.keys.get("image")
    if image is None or part.document.format == "recipe" or not many_nodes(part):
        return
    limits = {name: one for name, one in part.keys.items() if name.startswith("ulimits.memlock")}
    if any(str(one.value).partition(":")[0] not in _UNLIMITED for one in limits.values()) or not limits:
        worst = next((one for one in limits.values() if str(one.value) not in _UNLIMITED), None)
        said = f"limits memlock to {worst.value}" if worst is not None else "has no ulimits: memlock"
        user = key_text(part, "user").partition(":")[0] not in {"", "root", "0"}
        inert = "; IPC_LOCK in cap_add does nothing for a user who is not root" if user else ""
        yield Found(
            severity=Severity.WARNING,
            evidence=f"{part.name or 'the container'} is one of several nodes and {said}{inert}",
            hint="give it ulimits: {memlock: -1} (docker run --ulimit memlock=-1:-1)",
            file=part.document.name,
            line=(worst or image).origin.line,
        )


RULE = part_rule(
    "memlock",
    title="locked memory is limited where RDMA needs it",
    why="Registering memory fails, and NCCL falls back to sockets without an error, or ends.",
    source="https://github.com/vllm-project/vllm/pull/42075; NCCL user guide, troubleshooting; docker run --ulimit",
    judge=_judge,
)
