"""An index into the GID table that is written down."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.rules._shared import Found, at, lint_rule
from sparktune.deploy.variable_groups import groups
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView

_NAME = "NCCL_IB_GID_INDEX"


def _judge(view: LintView) -> Iterator[Found]:
    for group in groups(view):
        value = (group.value(_NAME) or "").strip()
        if not value.isdecimal():
            continue  # empty is told by empty-variable; a negative one is unset
        devices = [one for one in (group.value("NCCL_IB_HCA") or "").lstrip("^=").split(",") if one]
        severity, words = Severity.WARNING, "an index differs between nodes, and moves when addresses change"
        if len(devices) > 1:
            severity, words = Severity.ERROR, f"it is one value for {len(devices)} devices ({','.join(devices)})"
        if int(value) == 0:
            severity, words = Severity.ERROR, "slot 0 is the link-local address, which no peer reaches"
        yield at(
            group.variables[_NAME],
            severity,
            f"{group.name} pins {_NAME}={value}: {words}",
            "leave it unset: NCCL 2.21 and later find RoCE v2 over IPv4 for each device by themselves; where it must "
            "be set, look it up at every start (sparktune render --node NODE --gid resolve)",
        )


RULE = lint_rule(
    "pinned-gid",
    title="NCCL_IB_GID_INDEX is written down",
    why="Connections that stand do not notice that the table was numbered anew; the next start fails with "
    "ibv_modify_qp error 61.",
    source="NCCL user guide, NCCL_IB_GID_INDEX; "
    "https://github.com/bytebunkerlabs/dgx-spark-serve docs/00-networking.md; "
    "https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/pull/125",
    judge=_judge,
)
