"""``logs --live``: read the logs of nodes, compare their clocks, judge, and say in which state the ranks are."""

__all__ = ["live_logs"]

from collections.abc import Mapping, Sequence
from typing import Any

from sparktune.errors import UsageError
from sparktune.flows.logs import LogsAnswer, judge_logs
from sparktune.io.cluster import NodeTarget
from sparktune.io.live_logs import NodeLogs, read_node_logs
from sparktune.report.logs.words import state_words
from sparktune.units import Seconds


async def live_logs(
    targets: Sequence[NodeTarget],
    tail: int,
    ahead_s: Mapping[str, Seconds],
    where: Sequence[Mapping[str, Any]] = (),
    launcher: str = "",
) -> LogsAnswer:
    """Read and judge; what a person says of clocks counts before what was measured.

    Raises UsageError when no node shows a log.
    """
    nodes = await read_node_logs(targets, tail, where, launcher)
    logs = [log for one in nodes for log in one.logs]
    missing = tuple(text for one in nodes for text in one.missing)
    notes = _notes(nodes)
    if not logs:
        message = "; ".join((*missing, *notes)) or "no node has a log"
        raise UsageError(
            message, hint="name the file of a log: sparktune logs FILE, or docker logs NAME | sparktune logs -"
        )
    measured = {one.node: one.ahead_s for one in nodes if one.ahead_s is not None and one.logs}
    return judge_logs(logs, {**measured, **ahead_s}, missing, notes)


def _notes(nodes: Sequence[NodeLogs]) -> tuple[str, ...]:
    judged = NodeLogs.judged(nodes)
    return () if judged is None else state_words(judged)
